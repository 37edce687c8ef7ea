#!/usr/bin/env python3
"""Checks that the reference pages are complete, by other sources than tools/make_reference.py reads.

    tools/check_reference.py              the pages of C and of scene files, and the schema
    tools/check_reference.py PYTHON       that of Python, by an interpreter that can import cond

* docs/reference/c.md: every function, struct, field (with its type), enumeration value and macro that the compiler finds
  in include/cond, from its debug information (readelf), its list of prototypes (-aux-info) and of macros (-dM); and a unit
  at every number with one, as far as the name of the field shows that it has none.
* docs/reference/scene.md: every key, in its section, with type, unit, default and bodies, from `cond check --keys`; and
  a key for every field of a definition, with the exceptions listed below.
* scenes/scene.schema.json: the same keys.
* docs/reference/python.md: every public class, function, method, property and field of the imported package; the
  defaults of definitions are those of the page.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include" / "cond"
PAGES = ROOT / "docs" / "reference"
TOOL = ROOT / "build" / "release" / "bin" / "cond"

# Numbers of double or float without a unit: ratios, directions, counts of turns.
PLAIN = re.compile(r"""friction|restitution|theta|direction|normal|axis|axes|orientation|quaternion|rotation|frame|weight|
    |share|scale|ratio|tolerance|residual|relax|exponent|room|color|colour|factor|strain|poisson|degrees|wave|level|quality|
    |multiplier|multiplied|spread|dynamics$|contact$|^mean$|^low$|^high$|bound|value|range""", re.X)

# Fields of definitions that no key of the same name fills, and how a scene file gives them.
OTHER = {
    "struct_size": "the size of the struct",
    "room": "bytes for fields to come",
    "CondBodyDef.inertia_from_shape": "where `inertia` is left out",
    "CondBodyDef.point": "`points`; of rods `rod.points`",
    "CondExcludeDef.name": "a number",
    "CondExcludeDef.touches": "1 for `pairs`, 0 for `exclude`",
    "CondExcludeDef.thing": "the two names of an entry of `exclude`; `first` and `second` of `pairs`",
    "CondJointDef.bounded": "1 where `lower` or `upper` is given",
    "CondLinkShapeDef.shape": "`sphere`, `capsule`, .. of an entry of `links.shapes`",
    "CondObstacleDef.heights": "`shape.heightfield` with numbers",
    "CondObservationDef.at.trajectory": "no trajectory: observations are of bodies",
    "CondObservationDef.to.trajectory": "no trajectory: observations are of bodies",
    "CondRewardDef.at.trajectory": "no trajectory: rewards are of bodies",
    "CondRewardDef.to.trajectory": "no trajectory: rewards are of bodies",
    "CondSensorDef.on.trajectory": "no trajectory: sensors are on bodies",
    "CondSensorDef.on.at": "a sensor on a rod reads the contacts of all of it",
}


def output(*command: str | Path) -> str:
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


class Declared:
    """What the compiler finds in the public headers."""

    def __init__(self) -> None:
        self.structs: dict[str, dict[str, str]] = {}  # fields, and their base types
        self.enums: dict[str, dict[str, int]] = {}
        self.functions: dict[str, str] = {}           # and their headers
        self.macros: dict[str, str] = {}
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder) / "all.c", Path(folder) / "all.o"
            source.write_text("".join(f"#include <cond/{p.name}>\n" for p in sorted(HEADERS.glob("*.h"))))
            output("gcc", "-std=c17", f"-I{ROOT / 'include'}", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types",
                   "-aux-info", made.with_suffix(".aux"), "-c", source, "-o", made)
            self.read_debug(output("readelf", "--debug-dump=info", made))
            for line in made.with_suffix(".aux").read_text().splitlines():
                match = re.match(r"/\* \S*/include/cond/(\w+\.h):\d+:\w+ \*/.*?\b(cond_\w+) \(", line)
                if match:
                    self.functions[match[2]] = match[1]
            for path in sorted(HEADERS.glob("*.h")):
                for name in re.findall(r"^#define (COND_\w+)", output("gcc", "-std=c17", "-E", "-dM", f"-I{ROOT / 'include'}", path), re.M):
                    if not name.endswith("_H") and re.search(rf"#define {name}\b", path.read_text()):
                        self.macros[name] = path.name

    def read_debug(self, dump: str) -> None:
        entries: dict[str, dict[str, Any]] = {}
        parents: list[dict[str, Any]] = []
        for block in re.split(r"\n(?= <)", dump):
            head = re.match(r" <(\w+)><(\w+)>: Abbrev Number: \d+ \((\w+)\)", block)
            if not head:
                continue
            depth, entry = int(head[1], 16), {"tag": head[3].removeprefix("DW_TAG_"), "children": []}
            for key, value in re.findall(r"DW_AT_(\w+)\s*: (.*)", block):
                entry[key] = re.sub(r"^\((?:indirect string|alt indirect).*?\): ", "", value).strip()
            entries[head[2]] = entry
            del parents[depth:]
            if parents:
                parents[-1]["children"].append(entry)
            parents.append(entry)

        def base(entry: dict[str, Any]) -> str:
            at = re.match(r"<0x(\w+)>", entry.get("type", ""))
            if not at:
                return "void"
            of = entries[at[1]]
            if of["tag"] in ("array_type", "const_type", "pointer_type", "volatile_type"):
                return base(of)
            return "function" if of["tag"] == "subroutine_type" else of.get("name", "")

        for entry in entries.values():
            name = entry.get("name", "")
            if entry["tag"] == "structure_type" and name.startswith("Cond") and entry["children"]:
                self.structs[name] = {c["name"]: base(c) for c in entry["children"] if c["tag"] == "member"}
            elif entry["tag"] == "enumeration_type" and name.startswith("Cond"):
                self.enums[name] = {c["name"]: int(c["const_value"]) for c in entry["children"]}


def sections(page: str, mark: str) -> dict[str, str]:
    """The text below each heading of one level, up to the next heading of that level or above."""
    parts = re.split(rf"(?m)^{mark} (.*)$", (PAGES / page).read_text(encoding="utf-8"))
    return {head.strip("`"): re.split(rf"(?m)^#{{1,{len(mark)}}} ", text)[0] for head, text in zip(parts[1::2], parts[2::2])}


def rows(text: str) -> list[dict[str, str]]:
    """The rows of the tables of a text, by their heads."""
    out, heads = [], []
    for line in text.splitlines():
        if not line.startswith("| "):
            heads = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not heads:
            heads = cells
        elif not set(line) <= set("|- "):
            out.append(dict(zip(heads, cells)))
    return out


def name_of(cell: str) -> str:
    match = re.match(r"`?(\w+)", cell)
    return match[1] if match else ""


def check_c(declared: Declared, wrong: list[str]) -> None:
    headers, parts = sections("c.md", "##"), sections("c.md", "###")
    for name, fields in sorted(declared.structs.items()):
        held = {name_of(row["field"]): row for row in rows(parts.get(name, "")) if "field" in row}
        for field, kind in fields.items():
            row = held.get(field)
            if not row:
                wrong.append(f"c.md: {name}.{field} has no row")
            elif kind not in row["type"] and kind != "function":
                wrong.append(f"c.md: {name}.{field} is a {kind}, not a {row['type']}")
            elif kind in ("double", "float") and not row.get("unit") and not PLAIN.search(field):
                wrong.append(f"c.md: {name}.{field} has no unit")
        wrong += [f"c.md: {name} has no field {field}" for field in held if field not in fields]
    for name, values in sorted(declared.enums.items()):
        held = {name_of(row["name"]): row["value"] for row in rows(parts.get(name, "")) if "value" in row}
        for value, number in values.items():
            if held.get(value) != str(number) and not re.search("[A-Z]", held.get(value, "")):  # a sum of others
                wrong.append(f"c.md: {name}.{value} = {number} is not there")
    whole = "".join(headers.values())
    for name, header in sorted(declared.functions.items()):
        of_enum = re.sub("(_from)?_name$", "", name)
        here = headers.get(f"cond/{header}", "") + "".join(parts[s] for s in parts if f"### {s}" in headers.get(f"cond/{header}", ""))
        if not re.search(rf"\b{name}\s*\(|COND_DEFAULT\w*\(\w+, \w+, {re.sub('_fill$', '', name)}\b|"
                         rf"COND_ENUM_NAMES\(\w+, \w+, {of_enum}\)", here or whole):
            wrong.append(f"c.md: {name} of cond/{header} is not there")
    wrong += [f"c.md: {name} of cond/{header} is not there" for name, header in sorted(declared.macros.items())
              if not re.search(rf"\b{name}\b", whole)]


def schema_keys(schema: dict[str, Any], section: str = "") -> set[tuple[str, str]]:
    out = set()
    for key, held in schema.get("properties", {}).items():
        out.add((section, key))
        for inner in (held, held.get("items", {}), *held.get("anyOf", [])):
            out |= schema_keys(inner, f"{section}.{key}".lstrip("."))
    return out


def check_scene(declared: Declared, keys: list[dict[str, Any]], wrong: list[str]) -> None:
    parts = sections("scene.md", "##")
    schema = schema_keys(json.loads((ROOT / "scenes" / "scene.schema.json").read_text(encoding="utf-8")))
    known: dict[str, set[str]] = {}
    listed = {(section, name_of(row["key"])) for section, text in parts.items() for row in rows(text) if "key" in row}
    for key in keys:
        section, name = key["section"], key["key"]
        held = [row for row in rows(parts.get(section or "Top level", "")) if name_of(row.get("key", "")) == name]
        if len(held) != 1:
            wrong.append(f"scene.md: {section}.{name} has {len(held)} rows")
            continue
        row = held[0]
        for column, value in (("value", key["words"]), ("unit", key["unit"]), ("bodies", key["bodies"]),
                              ("default", key["default"])):
            if row.get(column, "").strip("`") != value:
                wrong.append(f"scene.md: {column} of {section}.{name} is {row.get(column)}, not {value}")
        listed.discard((section or "Top level", name))
        if (section, name) not in schema:
            wrong.append(f"scene.schema.json lacks {section}.{name}")
        schema -= {(section, name), (section, key["alias"])}
        if key["structure"]:
            known.setdefault(key["structure"], set()).add(re.sub(r"\[\d\]", "", key["field"]))
        for struct in {k["structure"] for k in keys if k["section"] == section} - {""}:
            if not key["structure"]:  # a section or a list that fills the field of its name
                known.setdefault(struct, set()).update((name, name.removesuffix("s")))
        if key["structure"] and key["type"] in ("number", "vector", "same", "short") and not key["unit"] and \
                not PLAIN.search(key["field"]) and not PLAIN.search(name):
            wrong.append(f"scene.md: {section}.{name} has no unit")
    wrong += [f"scene.md: there is no key {s}.{k}" for s, k in sorted(listed)]
    wrong += [f"scene.schema.json: there is no key {s}.{k}" for s, k in sorted(schema)]
    for struct, fields in sorted(known.items()):
        wrong += [f"{struct}.{field} has no key" for field in unfilled(declared, struct, "", fields)]


def unfilled(declared: Declared, struct: str, before: str, known: set[str], outer: str = "") -> list[str]:
    """Fields of a struct that no key fills; nested structs field by field."""
    out = []
    struct_of = outer or struct
    for field, kind in declared.structs[struct].items():
        path = before + field
        if path in known or field in OTHER or f"{struct_of}.{path}" in OTHER or re.match(r"n_\w+|\w+_stride$", field):
            continue
        if kind in declared.structs and not kind.endswith(("JointDef", "LinkDef", "LinkShapeDef", "Waypoint", "LinkGroups")):
            out += unfilled(declared, kind, path + ".", known, struct_of)
        elif kind not in declared.structs:
            out.append(path)
    return out


PYTHON = r"""
import dataclasses, enum, inspect, json, types
import cond, cond.law, cond.structs
try:
    import cond.gym, cond.tasks
except ImportError:
    pass
out = {"classes": {}, "functions": [], "fields": {}, "enums": {}}
def members(kind):
    held = set()
    for base in kind.__mro__:
        if base.__module__.startswith("cond"):
            for name, value in vars(base).items():
                if not name.startswith("_") and (isinstance(value, (property, classmethod, staticmethod)) or inspect.isfunction(value)
                                                 or type(value).__name__ == "cached_property"):
                    held.add(name)
    return sorted(held)
for name in cond.__all__:
    value = getattr(cond, name)
    if isinstance(value, type) and issubclass(value, enum.Enum):
        out["enums"][name] = {e.name: e.value for e in value}
    elif isinstance(value, type) and value.__module__ == "cond.structs":
        pass
    elif isinstance(value, type):
        out["classes"][name] = members(value)
    elif callable(value):
        out["functions"].append(name)
for name, value in vars(cond.structs).items():
    if isinstance(value, type) and value.__module__ == "cond.structs":
        if issubclass(value, enum.Enum):
            out["enums"][name] = {e.name: int(e.value) for e in value}
        elif not name.startswith("_"):
            try:
                made = value()
            except Exception as error:
                made = None
            held = {}
            for field in dir(value):
                if not field.startswith("_") and field not in dir(value.__mro__[1]) and not inspect.isfunction(getattr(value, field)):
                    try:
                        shown = getattr(made, field)
                        shown = shown.tolist() if hasattr(shown, "tolist") else shown
                        held[field] = shown if isinstance(shown, (int, float, str, list, tuple)) and not isinstance(shown, enum.Enum) else \
                            getattr(shown, "name", None)
                    except Exception:
                        held[field] = None
            out["fields"][name] = held
print(json.dumps(out, default=str))
"""


def check_python(interpreter: str, wrong: list[str]) -> int:
    found = json.loads(output(interpreter, "-c", PYTHON))
    parts = sections("python.md", "###")
    names = {head.split(".")[-1]: text for head, text in parts.items()}
    for name, held in found["classes"].items():
        listed = {name_of(row["member"]) for row in rows(names.get(name, "")) if "member" in row}
        if name not in names:
            wrong.append(f"python.md: there is no class {name}")
        wrong += [f"python.md: {name}.{member} is not there" for member in held if member not in listed]
    wrong += [f"python.md: there is no function {name}" for name in found["functions"] if name not in names]
    for name, values in found["enums"].items():
        listed = {name_of(row["element"]) for row in rows(names.get(name, "")) if "element" in row}
        wrong += [f"python.md: {name}.{value} is not there" for value in values if value not in listed]
    fields = 0
    for name, held in found["fields"].items():
        if name not in names:
            wrong.append(f"python.md: there is no struct {name}")
            continue
        table = {name_of(row["field"]): row for row in rows(names[name]) if "field" in row}
        for field, value in held.items():
            fields += 1
            row = table.get(field)
            if not row:
                wrong.append(f"python.md: {name}.{field} is not there")
                continue
            shown = row.get("default", "").strip("`")
            if shown and not same(shown, value):
                wrong.append(f"python.md: {name}.{field} is {value}, not {shown}")
    return fields


def same(shown: str, value: Any) -> bool:
    """Does a default of the page say this value? Words such as `auto`, `not given` stand for others."""
    if re.match(r"[a-z]", shown) and shown not in ("true", "false"):
        return not isinstance(value, str) or value.lower() == shown.replace("-", "_") or shown in ("required", "none") or " " in shown
    try:
        wanted = json.loads(re.sub(r"(?<![\w.])-?\.inf", lambda m: "-Infinity" if m[0][0] == "-" else "Infinity", shown))
    except ValueError:
        return False
    if isinstance(wanted, (int, float)) and isinstance(value, (list, tuple)):
        return all(v == wanted for v in value)
    if isinstance(wanted, list) and value and isinstance(value[0], (list, tuple)):  # of both ends
        return all(same(shown, inner) for inner in value)
    if isinstance(wanted, list) and isinstance(value, (list, tuple)):  # a file may leave out zeros at the end
        return list(value) == wanted + [0.0] * (len(value) - len(wanted))
    return bool(wanted == value)


def main() -> int:
    os.chdir(ROOT)
    wrong: list[str] = []
    if len(sys.argv) > 1:
        counts = f"{check_python(sys.argv[1], wrong)} fields of structs, all classes and functions"
    else:
        declared = Declared()
        keys = json.loads(output(TOOL, "check", "--keys", "--json", "-"))
        check_c(declared, wrong)
        check_scene(declared, keys, wrong)
        counts = (f"{len(declared.functions)} functions, {len(declared.structs)} structs with "
                  f"{sum(map(len, declared.structs.values()))} fields, {len(declared.enums)} enumerations, {len(keys)} keys")
    print("\n".join(wrong) if wrong else counts + ": all are in the reference pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
