"""The command `cond` of an environment: the tool that the package carries, with the same arguments and exit codes.

It stands beside the package, not in it, so that the command starts without importing NumPy and the library."""
from __future__ import annotations

import os
import sys

TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cond", "bin", "cond")


def main() -> int:
    """Runs the tool; it takes the place of this process."""
    if not os.access(TOOL, os.X_OK):
        print(f"cond: {TOOL} is not there: build the target cond_cli", file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execv(TOOL, ["cond", *sys.argv[1:]])
