#!/usr/bin/env python3
"""Holds the public structs against the table "How public structs grow" in docs/architecture.md.

Every struct of include/cond is in exactly one class of the table. A definition carries struct_size, or is the element of an
array whose stride another definition carries. A struct of a sized call is named in a function NAME_sized whose inline NAME
passes its size. Fixed structs have no struct_size.
"""
import glob
import os
import re
import sys

STRUCT = re.compile(r"^typedef struct (Cond\w+) \{\n(.*?)^\} \1;", re.M | re.S)
ROW = re.compile(r"^\| (definition|sized call|from the library|fixed) \| ([^|]*) \|", re.M)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    text = "".join(open(p, encoding="utf-8").read() for p in sorted(glob.glob("include/cond/*.h")))
    structs = dict(STRUCT.findall(text))
    with open("docs/architecture.md", encoding="utf-8") as document:
        rows = {kind: re.findall(r"`(\w+)`", names) for kind, names in ROW.findall(document.read())}
    wrong, seen = [], {}
    for kind, names in rows.items():
        for name in names:
            if name in seen:
                wrong.append(f"{name} is in the classes {seen[name]} and {kind}")
            if name not in structs:
                wrong.append(f"{name}: no header defines it")
            seen[name] = kind
    strides = set(re.findall(r"_stride = sizeof\((Cond\w+)\)", text))
    sized = set(re.findall(r"_sized\([^;{]*sizeof\((Cond\w+)\)\)", text))
    sized |= set(re.findall(r"^    (Cond\w+) made;\n    cond_\w+_sized\(", text, re.M))
    sized |= set(re.findall(r"(Cond\w+)\* \w+, size_t size\)", text))
    for name, body in sorted(structs.items()):
        kind = seen.get(name)
        has_size = bool(re.search(r"\bsize_t struct_size;", body))
        if not kind:
            wrong.append(f"{name} is in no class of docs/architecture.md")
        elif kind == "definition" and not has_size and name not in strides:
            wrong.append(f"{name} has neither struct_size nor a stride")
        elif kind == "sized call" and name not in sized:
            wrong.append(f"{name}: no function is told its size")
        elif kind in ("fixed", "from the library") and has_size:
            wrong.append(f"{name} has a struct_size, but is of the class {kind}")
    for line in wrong:
        print(line)
    if not wrong:
        print(f"{len(structs)} public structs: " + ", ".join(f"{len(v)} {k}" for k, v in rows.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
