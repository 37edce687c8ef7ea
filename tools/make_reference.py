#!/usr/bin/env python3
"""Makes the reference pages and the schema of scene files from what they describe.

    tools/make_reference.py            writes docs/reference/{scene,c,python}.md and scenes/scene.schema.json
    tools/make_reference.py --check    says where these are not what would be written, or lack something

The keys of scene files come from `cond check --keys --json` (the table in src/scene/scene_key_table.c), functions,
structs and enumerations from include/cond/*.h, classes from python/cond. What a key says of its field, unit, default,
range and kinds of bodies stands with that field on all three pages. --check also looks for every name of the headers,
every key and every public name of the package in the pages, by other means than those that made them.
"""
from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]
from generate import hidden, plain, plural, short_names  # noqa: E402
from reference_headers import Header, Struct, read_headers  # noqa: E402
from scene_schema import schema_of  # noqa: E402

TOOL = ROOT / "build" / "release" / "bin" / "cond"
UNIT = re.compile(r"\s*\[([^\]\[]*)\]")
MADE = "<!-- Made by tools/make_reference.py: change the sources that it reads, not this page. -->\n"
Row = dict[str, Any]


def keys() -> list[Row]:
    done = subprocess.run([TOOL, "check", "--keys", "--json", "-"], check=True, capture_output=True, text=True)
    rows: list[Row] = json.loads(done.stdout)
    return rows


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table without the columns that are empty in every row."""
    shown = [i for i in range(len(heads)) if i == 0 or any(row[i] for row in rows)]
    lines = [heads, ["---"] * len(heads)] + rows
    return "".join("| " + " | ".join(cell(line[i]) for i in shown) + " |\n" for line in lines) + "\n"


def moved(text: str) -> str:
    """Links of a text that stood in docs/, for docs/reference/."""
    return re.sub(r"\]\((?!https?:|#)", "](../", text)


WORDS = ("required", "none", "not given", "from the", "those of")  # defaults that are no values


def default_of(row: Row) -> str:
    text = row["default"]
    return f"`{text}`" if text and not text.startswith(WORDS) else text


# --- scene.md -------------------------------------------------------------------------------------

SCENE = """# Reference: scene files

{made}
All keys of a YAML scene file, section by section; [scenes](../scenes.md) explains them. A key that is not *required*
may be left out. The column "field" names the field of the C struct ([c](c.md)) that the key fills, which
is that of the Python class as well (`CondBodyDef` is `cond.BodyDef`; fields that hold many things end in s there).
Where a column "bodies" says which kinds have a key, other kinds refuse it. `scenes/scene.schema.json` says the same to
[editors](../scenes.md#in-an-editor).

"""


def scene_page(rows: list[Row]) -> str:
    out = SCENE.format(made=MADE)
    sections: dict[str, list[Row]] = {}
    for row in rows:
        sections.setdefault(row["section"], []).append(row)
    for name, held in sections.items():
        structs = {row["structure"] for row in held if row["structure"]}
        out += f"## `{name}`\n\n" if name else "## Top level\n\n"
        if len(structs) == 1:
            out += f"Fields of [`{min(structs)}`](c.md#{min(structs).lower()}).\n\n"
        body = []
        for row in held:
            meaning = moved(row["meaning"]) + (f" (also read as `{row['alias']}`)" if row["alias"] else "")
            meaning += f" (since {row['since']})" if row["since"] != "0.1" else ""
            field = row["field"] if row["field"] != row["key"] else "the same"
            body.append([f"`{row['key']}`", row["words"], row["unit"], default_of(row), row["bodies"],
                         f"`{field}`" if field and field != "the same" else field, meaning])
        out += table(["key", "value", "unit", "default", "bodies", "field", "meaning"], body)
    return out


# --- c.md -----------------------------------------------------------------------------------------

C = """# Reference: C

{made}
All that the public headers declare, header by header. Definitions and settings begin with their default function;
[scene](scene.md) has the keys of scene files, with the same names and defaults. Functions marked `COND_API` are in
libcond, `COND_IO_API` in libcond_io, `COND_BASELINES_API` in libcond_baselines. A function that returns `CondStatus`
returns 0 where it succeeded, a positive value where the result is usable but imperfect, a negative one where it failed
(`include/cond/status.h`). All units are SI.

"""


class Fields:
    """What the table of keys says of the fields of structs."""

    def __init__(self, rows: list[Row], structs: dict[str, Struct]) -> None:
        self.known = {(row["structure"], re.sub(r"\[\d\]", "", row["field"])): row
                      for row in reversed(rows) if row["field"]}
        self.homes: dict[str, list[tuple[str, str]]] = {}
        for struct in structs.values():
            for field in struct.fields:
                self.homes.setdefault(field.type.rstrip("*"), []).append((struct.name, field.name))

    def of(self, struct: str, field: str) -> Row | None:
        found = self.known.get((struct, field))
        for home, member in self.homes.get(struct, []):
            found = found or self.of(home, f"{member}.{field}")
        return found


def unit_of(comment: str, row: Row | None) -> tuple[str, str]:
    """The unit of a field, and its comment without it."""
    match = UNIT.search(comment)
    if match and not re.fullmatch(r"\d*", match[1]):
        return match[1], (comment[:match.start()] + comment[match.end():]).strip(" ;")
    return row["unit"] if row else "", comment


def field_row(fields: Fields, struct: str, name: str, shown: str, kind: str, comment: str) -> list[str]:
    row = fields.of(struct, name)
    unit, meaning = unit_of(plain(comment), row)
    if row and not meaning:
        meaning = moved(row["meaning"])
    words = row["words"] if row else ""
    if words.startswith("text") or words in ("true or false", "number", "name or list of names"):
        words = ""
    initial = default_of(row) if row else ""
    if row and row["type"] == "switch":
        initial = "`1`" if row["default"] == "true" else "`0`"
    return [f"`{shown}`", f"`{kind}`", unit, initial, words.removeprefix("number "),
            row["bodies"] if row else "", meaning]


HEADS = ["field", "type", "unit", "default", "range", "bodies", "meaning"]


def c_page(rows: list[Row], headers: list[Header], fields: Fields) -> str:
    out = C.format(made=MADE)
    out += "".join(f"* [`cond/{h.name}`](#cond{h.name.replace('.', '')}): {h.about.split('. ')[0].rstrip('.')}\n"
                   for h in headers) + "\n"
    for header in headers:
        out += f"## cond/{header.name}\n\n{header.about}\n\n"
        for item in header.items:
            if item.kind in ("struct", "enum"):
                out += f"### {item.name}\n\n"
            if item.doc:
                out += plain(item.doc) + "\n\n"
            if item.kind == "struct":
                out += table(HEADS, [field_row(fields, item.name, f.name, f.declared, f.c_type, f.comment)
                                     for f in item.struct.fields])
            elif item.kind == "enum":
                out += table(["name", "value", "meaning"],
                             [[f"`{n}`", v, plain(c)] for n, v, c in item.values])
            else:
                out += "```c\n" + item.code + "\n```\n\n"
    return out


# --- python.md ------------------------------------------------------------------------------------

PYTHON = """# Reference: Python

{made}
All public names of the package `cond`; [python](../python.md) explains them. Structs are classes with the fields of the C
structs and the defaults of the library; every field can be given by name when one is made, read, and set. Texts stand
for elements of enumerations.

"""


def signature(node: ast.FunctionDef) -> str:
    text = ast.unparse(node.args)
    text = re.sub(r"^(self|cls)(, |$)", "", text)
    return f"{node.name}({text})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def first(node: Any) -> str:
    """The first paragraph of what is said of it."""
    return plain((ast.get_docstring(node) or "").split("\n\n")[0])


def is_public(node: Any) -> bool:
    return not node.name.startswith("_") and not any("setter" in ast.unparse(d) for d in node.decorator_list)


def inherited(node: ast.ClassDef, classes: dict[str, ast.ClassDef], names: set[str]) -> list[ast.stmt]:
    """The members of a class and of the classes that it is made of and that have no entry of their own."""
    members = list(node.body)
    for base in node.bases:
        of = classes.get(ast.unparse(base).split("[")[0])
        if of is not None and of.name not in names:
            known = {getattr(member, "name", "") for member in members}
            members += [m for m in inherited(of, classes, names)
                        if isinstance(m, ast.FunctionDef) and is_public(m) and m.name not in known]
    return members


def class_text(name: str, node: ast.ClassDef, members: list[ast.stmt]) -> str:
    out = f"### {name}\n\n" + (first(node) + "\n\n" if first(node) else "")
    body = []
    for member in members:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            out += f"```python\n{name}({signature(member).removeprefix('__init__(').removesuffix(' -> None')}\n```\n\n"
        elif isinstance(member, ast.FunctionDef) and is_public(member):
            decorators = [ast.unparse(d) for d in member.decorator_list]
            shown = signature(member)
            if "property" in decorators or "cached_property" in decorators:
                shown = member.name + (f": {ast.unparse(member.returns)}" if member.returns else "")
            body.append([f"`{shown}`", first(member)])
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            if not member.target.id.startswith("_") and "ClassVar" not in ast.unparse(member.annotation):
                body.append([f"`{member.target.id}: {ast.unparse(member.annotation)}`", ""])
    return out + (table(["member", "meaning"], body) if body else "")


def python_sources() -> list[tuple[str, Path]]:
    folder = ROOT / "python" / "cond"
    return [(".".join(("cond", *p.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"), p)
            for p in sorted(folder.rglob("*.py"))]


def exported() -> set[str]:
    """The names that the package itself lists."""
    tree = ast.parse((ROOT / "python" / "cond" / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


OWN_MODULES = ("cond.law", "cond.gym", "cond.tasks")  # whose names are theirs, not those of the package


def python_type(struct: Struct, kind: str, name: str) -> str | None:
    """What a field of C is in Python; None: nothing that it can hold."""
    base, stars = kind.rstrip("*[]"), kind.count("*")
    lengths = kind.count("[")
    counted = f"n_{name}" in {f.name for f in struct.fields}
    if base == "char":
        return "tuple[str, ...]" if lengths == 2 else "str" if lengths + stars == 1 else None
    if base.startswith("Cond"):
        own = base.removeprefix("Cond")
        if stars:
            return f"list[{own}]" if counted else None
        return f"tuple[{own}, ...]" if lengths else own
    if base not in ("double", "float", "int", "size_t", "uint32_t", "uint64_t", "int64_t", "long"):
        return None
    if stars:
        return "Array" if base == "double" and (counted or name == "heights") else None
    return "Array" if lengths else "float" if base in ("double", "float") else "int"


def held_structs(structs: dict[str, Struct], enums: set[str]) -> dict[str, Struct]:
    """Those all of whose fields Python can hold."""
    held = dict(structs)
    while True:
        kept = {}
        for name, struct in held.items():
            kinds = [(f.type.rstrip("*[]"), python_type(struct, f.type, f.name)) for f in struct.fields
                     if not hidden(f.name)]
            if kinds and all(k and (not base.startswith("Cond") or base in held or base in enums) for base, k in kinds):
                kept[name] = struct
        if len(kept) == len(held):
            return kept
        held = kept


def struct_text(fields: Fields, struct: Struct) -> str:
    names = {f.name for f in struct.fields}
    counts = {f"n_{name}" for name in names} | ({"n_row", "n_column"} if "heights" in names else set())
    body = []
    for field in struct.fields:
        if hidden(field.name) or field.name in counts:
            continue
        many = f"n_{field.name}" in names and field.type.rstrip("[]") != "char"
        body.append(field_row(fields, struct.name, field.name, plural(field.name) if many else field.name,
                              python_type(struct, field.type, field.name) or "", field.comment))
    doc = plain(struct.doc) + "\n\n" if struct.doc else ""
    return f"### {struct.name.removeprefix('Cond')}\n\n{doc}" + table(HEADS, body)


def python_page(headers: list[Header], structs: dict[str, Struct], fields: Fields) -> str:
    out = PYTHON.format(made=MADE)
    names = exported()
    trees = [(module, ast.parse(path.read_text(encoding="utf-8"))) for module, path in python_sources()]
    classes = {node.name: node for _, tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}
    for module, tree in trees:
        inner = module.startswith(OWN_MODULES)
        text = ""
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and is_public(node) and (inner or node.name in names):
                shown = f"{module}.{node.name}" if inner else f"cond.{node.name}"
                text += class_text(shown, node, inherited(node, classes, names)) if isinstance(node, ast.ClassDef) else \
                    f"### {shown}\n\n```python\n{signature(node)}\n```\n\n{first(node)}\n\n"
        if text:
            out += f"## {module}\n\n{first(tree)}\n\n{text}"
    enums = [item for header in headers if header.name != "baselines.h" for item in header.items if item.kind == "enum"]
    out += "## Structs\n\n"
    for struct in held_structs(structs, {item.name for item in enums}).values():
        out += struct_text(fields, struct)
    out += "## Enumerations\n\n"
    for item in enums:
        short = short_names([n for n, _, _ in item.values])
        out += f"### {item.name.removeprefix('Cond')}\n\n" + (plain(item.doc) + "\n\n" if item.doc else "")
        out += table(["element", "value", "meaning"],
                     [[f"`{short[n]}`", v, plain(c)] for n, v, c in item.values if n in short])
    return out


# --- what must be there ---------------------------------------------------------------------------


def lacking(pages: dict[str, str], rows: list[Row]) -> list[str]:
    """Names that a search of the sources finds and the pages do not have."""
    out = []
    words = {name: set(re.findall(r"\w+", text)) for name, text in pages.items()}
    for path in sorted((ROOT / "include" / "cond").glob("*.h")):
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        found = set(re.findall(r"\bcond_\w+(?=\s*\()", text)) | set(re.findall(r"\b(?:Cond[A-Z]\w*)", text))
        found |= set(re.findall(r"^\s+(COND_\w+)\s*=", text, re.M)) | set(re.findall(r"^#define (COND_\w+)\b(?!_H$)", text, re.M))
        found -= {f"COND_{path.stem.upper()}_H"}
        for body in re.findall(r"^typedef struct \w+ \{\n(.*?)^\}", text, re.M | re.S):
            found |= set(re.findall(r"(\w+)(?:\[[^\]]*\])*\s*[;,]", body))
        out += [f"docs/reference/c.md lacks {name} of cond/{path.name}" for name in sorted(found - words["c"])]
    out += [f"docs/reference/scene.md lacks {row['section']}.{row['key']}" for row in rows
            if not re.search(rf"^\| `{row['key']}` \|", pages["scene"], re.M)]
    public = exported()
    for module, path in python_sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and (node.name in public or module.startswith(OWN_MODULES)):
                members = {m.name for m in node.body if isinstance(m, ast.FunctionDef)} | {node.name}
                out += [f"docs/reference/python.md lacks {module}.{node.name}: {m}" for m in sorted(members)
                        if not m.startswith("_") and m not in words["python"] and not node.name.startswith("_")]
    out += [f"docs/reference/python.md lacks {name}" for name in sorted(public - words["python"])]
    return out


def main() -> int:
    rows = keys()
    headers = read_headers(ROOT / "include" / "cond")
    structs = {item.name: item.struct for header in headers for item in header.items if item.kind == "struct"}
    fields = Fields(rows, structs)
    own = {item.name: item.struct for header in headers if header.name != "baselines.h"
           for item in header.items if item.kind == "struct"}
    pages = {"scene": scene_page(rows), "c": c_page(rows, headers, fields), "python": python_page(headers, own, fields)}
    made = {ROOT / "docs" / "reference" / f"{name}.md": text.rstrip("\n") + "\n" for name, text in pages.items()}
    made[ROOT / "scenes" / "scene.schema.json"] = json.dumps(schema_of(rows), indent=1, ensure_ascii=False) + "\n"
    wrong = lacking(pages, rows)
    for path, text in made.items():
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"{path.relative_to(ROOT)}: not what tools/make_reference.py writes")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
