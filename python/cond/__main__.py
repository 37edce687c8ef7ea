"""python -m cond: the tool `cond`, with the same arguments."""
from __future__ import annotations

import sys

from cond_tool import main

if __name__ == "__main__":
    sys.exit(main())
