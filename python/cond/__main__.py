"""python -m cond: the tool `cond`, with the same arguments."""
from __future__ import annotations

import os
import sys


def main() -> int:
    """Runs the tool that the package carries; it takes the place of this process."""
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "cond")
    if not os.access(tool, os.X_OK):
        print(f"cond: {tool} is not there: build the target cond_cli", file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execv(tool, ["cond", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
