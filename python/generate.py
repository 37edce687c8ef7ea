#!/usr/bin/env python3
"""Makes the C source of the extension module cond._cond from the public headers.

    generate.py COMPILER INCLUDE OUT.c

The headers are preprocessed by the compiler that builds the module, with the standard headers left out, and
handed to cffi as declarations: every public function, struct, enum and number is then `lib.NAME` or
`ffi.new("NAME*")` under its own name, and nothing is listed by hand but the functions that C calls back.
"""
from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

STANDARD = ("stddef.h", "stdint.h", "stdio.h")  # cffi knows their types
# `static inline Type name(void) { .. }`, which COND_DEFAULT makes, as a prototype.
INLINE = re.compile(r"static\s+inline\s+([\w\s*]+?\w+\s*\([^)]*\))\s*\{.*?\n?\}", re.S)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)\)?\s*(?=[\w])", re.S)
NUMBER = re.compile(r"^#define\s+(COND_\w+)\s+\(?-?(?:0x[0-9a-fA-F]+|\d+)u?\)?\s*(?://.*)?$", re.M)

# What C calls: the hooks of a simulation, the reward of an environment, and whether work is wanted.
CALLED_BACK = """
extern "Python" {
    void cond_python_force(void*, const CondModel*, double, const double*, CondForceSink*);
    int cond_python_contact(void*, const CondModel*, CondContactInfo*);
    void cond_python_step(void*, const CondState*, const CondStepInfo*);
    void cond_python_log(void*, CondStatus, const char*);
    int cond_python_cancelled(void*);
    double cond_python_reward(const CondEnv*, void*, int*);
}
"""


def preprocess(compiler: str, include: Path) -> str:
    """cond/cond.h with all it includes of COND, without comments and directives."""
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD:
            (Path(empty) / name).touch()
        command = [compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", str(include), "-x", "c",
                   str(include / "cond" / "cond.h")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declarations(compiler: str, include: Path) -> str:
    """All that the public headers declare, as cffi reads it."""
    text = preprocess(compiler, include)
    text = text.replace('__attribute__((visibility("default")))', "")
    text = INLINE.sub(r"\1;", text)
    numbers: list[str] = []
    for path in sorted((include / "cond").glob("*.h")):
        if path.name != "baselines.h":
            numbers += NUMBER.findall(path.read_text(encoding="utf-8"))
    return text + "".join(f"#define {name} ...\n" for name in numbers) + CALLED_BACK


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    from cffi import FFI

    compiler, include, out = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    ffi = FFI()
    ffi.cdef(declarations(compiler, include))
    ffi.set_source("cond._cond", "#include <cond/cond.h>\n", py_limited_api=True)
    ffi.emit_c_code(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
