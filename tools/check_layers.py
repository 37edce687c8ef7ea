#!/usr/bin/env python3
"""Holds the includes of the tree against the table of layers in docs/architecture.md.

The table is the one place that says which folder may use which; this reads it, so that the document
and the check cannot differ. What fails:
  - a folder without a row, a row without a folder;
  - a row that may use a layer further down: the rows are in the order of the layers;
  - an include of a folder, or of a public header, that the row does not name;
  - an include that leads to no file, or files that include each other in a circle;
  - a type of a header, or of the library's own names (Cond...), that is defined twice.
With --table it prints how often each layer includes which.
"""
import collections
import os
import re
import sys

DOCUMENT = "docs/architecture.md"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
TYPE = re.compile(r"^\} (\w+);|^(?:typedef )?(?:struct|union|enum) (\w+)\s*\n?\{", re.M)
COLUMNS = ["layer", "holds", "may use", "public headers"]


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


def read_table(wrong):
    """Rows of the table as (folder, layers it may use, public headers), in their order."""
    rows, inside = [], False
    with open(DOCUMENT, encoding="utf-8") as document:
        for line in document:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if cells == COLUMNS:
                inside = True
            elif inside and not line.startswith("|"):
                break
            elif inside and not cells[0].startswith("-"):
                rows.append((words(cells[0])[0], words(cells[2]), words(cells[3])))
    if not rows:
        wrong.append(f"{DOCUMENT}: no table with the columns {', '.join(COLUMNS)}")
    return rows


def check_rows(rows, wrong):
    above = []
    for folder, uses, _ in rows:
        if not os.path.isdir(folder_path(folder)):
            wrong.append(f"{DOCUMENT}: {folder}: there is no such folder")
        for used in uses:
            if used not in above:
                wrong.append(f"{DOCUMENT}: {folder} may use {used}, which is not above it")
        above.append(folder)
    for folder in sorted(os.listdir("src")):
        if folder not in above:
            wrong.append(f"src/{folder}: no row in {DOCUMENT}")


def folder_path(folder):
    return os.path.join("src", folder) if os.path.isdir(os.path.join("src", folder)) else folder


def sources(folder):
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.join(place, name)


def find(path, included):
    """The file that an include means: beside it, in src, or a public one."""
    for base in (os.path.dirname(path), "src", "include", "baselines", "cli"):
        candidate = os.path.normpath(os.path.join(base, included))
        if os.path.exists(candidate):
            return candidate
    return None


def check_includes(rows, wrong):
    """All includes: who includes whom by file, and how often by layer."""
    headers = {name: folder for folder, _, names in rows for name in names}
    known = {folder for folder, _, _ in rows}
    for name in sorted(os.listdir("include/cond")):
        if name not in headers:
            wrong.append(f"include/cond/{name}: no row of {DOCUMENT} has it")
    graph, counts = collections.defaultdict(list), collections.Counter()
    for folder, uses, own in rows:
        may = {folder, *uses}
        for path in sources(folder_path(folder)):
            with open(path, encoding="utf-8") as source:
                text = source.read()
            for included in INCLUDE.findall(text):
                target = find(path, included)
                if not target:
                    wrong.append(f"{path}: {included}: there is no such file")
                    continue
                graph[path].append(target)
                part = target.split(os.sep)
                if part[0] == "include":
                    layer = headers.get(part[-1], folder)
                else:
                    layer = part[1] if part[0] == "src" else part[0]
                if layer in known and layer not in may:
                    wrong.append(f"{path}: {included}: {folder} may not use {layer}")
                if part[0] != "include" and layer != folder:
                    counts[folder, layer] += 1
    for path in sources("include/cond"):
        with open(path, encoding="utf-8") as source:
            graph[path] = [t for t in (find(path, i) or find("include/", i)
                                       for i in INCLUDE.findall(source.read())) if t]
    return graph, counts


def check_circles(graph, wrong):
    done, active = set(), []

    def visit(path):
        if path in active:
            circle = active[active.index(path):] + [path]
            wrong.append("a circle of includes: " + " -> ".join(circle))
        elif path not in done:
            active.append(path)
            for target in graph.get(path, []):
                visit(target)
            active.pop()
            done.add(path)

    for path in sorted(graph):
        visit(path)


def check_types(rows, wrong):
    """Types that others see have one meaning; those of a single .c file are its own affair."""
    where = collections.defaultdict(set)
    for folder in [folder_path(row[0]) for row in rows] + ["include/cond"]:
        for path in sources(folder):
            with open(path, encoding="utf-8") as source:
                for names in TYPE.findall(source.read()):
                    name = names[0] or names[1]
                    if path.endswith(".h") or name.startswith("Cond"):
                        where[name].add(path)
    for name, paths in sorted(where.items()):
        if len(paths) > 1:
            wrong.append(f"{name}: defined in {' and '.join(sorted(paths))}")


def print_table(rows, counts):
    folders = [row[0] for row in rows]
    print("includes of the row's layer by the column's\n" + " " * 10 +
          " ".join(f[:5].rjust(5) for f in folders))
    for row in folders:
        print(row.ljust(10) + " ".join(str(counts[row, c] or ".").rjust(5) for c in folders))


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    wrong = []
    rows = read_table(wrong)
    check_rows(rows, wrong)
    graph, counts = check_includes(rows, wrong)
    check_circles(graph, wrong)
    check_types(rows, wrong)
    if "--table" in sys.argv[1:]:
        print_table(rows, counts)
    for line in wrong:
        print(line)
    if not wrong:
        print(f"{len(rows)} layers, {sum(counts.values())} includes between them: "
              "none upwards, no circle, no type defined twice")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
