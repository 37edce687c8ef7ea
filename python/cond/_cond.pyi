# The module that python/generate.py makes of the public headers.
from typing import Any

ffi: Any
lib: Any
