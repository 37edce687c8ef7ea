#!/usr/bin/env python3
"""Holds what the shared libraries export against the public headers.   check_symbols.py FOLDER

Each function that a header of include/cond marks with COND_API, COND_IO_API or COND_BASELINES_API is
exported by its library, and nothing else is; and each is called in a test or an example, those of an
enumeration by the table of test_enum.c.
"""
import glob
import os
import re
import subprocess
import sys

LIBRARIES = {"COND_API": "cond", "COND_IO_API": "cond_io", "COND_BASELINES_API": "cond_baselines"}
MARKED = re.compile(r"^(COND_\w*API)\b[^;]*?\b(cond_\w+)\s*\(", re.M)
DEFAULT = re.compile(r"^COND_DEFAULT(?:_OF)?\((COND_\w*API), \w+, (cond_\w+)[,)]", re.M)
ENUM = re.compile(r"^COND_ENUM_NAMES\((COND_\w*API), \w+, (cond_\w+)\)", re.M)
BARE = re.compile(r"^(?!COND_|typedef|static|//|#|\s)[^;{}=\n]*?\b(cond_\w+)\s*\([^;{]*\);", re.M)


def read_headers(wrong):
    names = {library: set() for library in LIBRARIES.values()}
    for path in sorted(glob.glob("include/cond/*.h")):
        with open(path, encoding="utf-8") as header:
            text = header.read()
        for mark, name in MARKED.findall(text):
            names[LIBRARIES[mark]].add(name)
        for mark, name in DEFAULT.findall(text):
            names[LIBRARIES[mark]].add(name + "_fill")
        for mark, name in ENUM.findall(text):
            names[LIBRARIES[mark]].update((name + "_name", name + "_from_name"))
        for name in BARE.findall(text):
            wrong.append(f"{path}: {name} is not marked (COND_API, COND_IO_API)")
    return names


def find_called():
    """All names in tests and examples."""
    called = set()
    for path in glob.glob("test/*.c") + glob.glob("examples/*.c"):
        with open(path, encoding="utf-8") as source:
            called.update(re.findall(r"\bcond_\w+", source.read()))
    return called


def exported(path):
    output = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True,
                            text=True).stdout
    return {line.split()[2].split("@")[0] for line in output.splitlines()}


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    wrong, counts = [], []
    folder = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    called = find_called()
    for library, names in read_headers(wrong).items():
        for name in sorted(names):
            plain = re.sub("_fill$|_sized$", "", name)
            if plain not in called and re.sub("(_from)?_name$", "", name) not in called:
                wrong.append(f"{name} is called in no test and no example")
        path = os.path.join(folder, f"lib{library}.so")
        if not os.path.exists(path):
            if library != "cond_baselines":
                wrong.append(f"{path}: there is no such library")
            continue
        shown = exported(path)
        for name in sorted(names - shown):
            wrong.append(f"lib{library}.so does not export {name}")
        old = {name.removesuffix("_sized") for name in names if name.endswith("_sized")}
        for name in sorted(shown - names - old):  # those are for programs of 0.1 (src/compat)
            wrong.append(f"lib{library}.so exports {name}, which no header declares")
        counts.append(f"lib{library}.so {len(shown)}")
    for line in wrong:
        print(line)
    if not wrong:
        print("functions exported, those of the headers: " + ", ".join(counts))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
