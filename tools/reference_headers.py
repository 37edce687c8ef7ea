"""What the public headers declare, with their comments: for tools/make_reference.py."""
from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

FIELD = re.compile(r"^\s{4}(?:const\s+)?(?:struct\s+)?(?P<type>[A-Za-z_]\w*(?: long)?)(?P<stars>(?:[\s*]|\bconst\b)+)"
                   r"(?P<names>[^;(]+);\s*(?://(?P<comment>.*))?$")
ROWS = re.compile(r"^\s{4}(?P<const>const\s+)?(?P<type>\w+)\s+\(\*(?P<name>\w+)\)(?P<length>\[[^\]]*\]);"
                  r"\s*(?://(?P<comment>.*))?$")  # a pointer to arrays
POINTER = re.compile(r"^\s{4}(?P<code>[^;]*\(\*?(?P<name>\w+)\)?\s*\([^;]*\));\s*(?://(?P<comment>.*))?$")
VALUE = re.compile(r"^\s{4}(COND_\w+)\s*(?:=\s*([^,/]+?))?\s*,?\s*(?://(.*))?$")


@dataclass
class Field:
    name: str
    declared: str  # with its lengths
    type: str      # "double", "CondJointDef*", "char[][]"
    c_type: str    # as it is written
    comment: str


@dataclass
class Struct:
    name: str
    doc: str
    fields: list[Field] = field(default_factory=list)


@dataclass
class Item:
    kind: str  # "struct", "enum" or "code"
    name: str
    doc: str   # the lines of comment before it
    code: str = ""
    struct: Struct = field(default_factory=lambda: Struct("", ""))
    values: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass
class Header:
    name: str
    about: str
    items: list[Item]


def joined(lines: list[str]) -> list[str]:
    """Members of a struct or an enumeration on one line each, comments behind them joined, comments before them with
    those of the next one."""
    out: list[str] = []
    before = ""
    for line in lines:
        text = line.strip()
        deep = len(line) - len(line.lstrip()) > 4
        if text.startswith("//") and deep and out:
            out[-1] += (" " if "//" in out[-1] else " // ") + text[2:].strip()
        elif text.startswith("//"):
            before += " " + text[2:].strip()
        elif text:
            code, _, comment = text.partition("//")
            said = (before + " " + comment).strip()
            out.append("    " + code.rstrip() + (f" // {said}" if said else ""))
            before = ""
    return out


def members(name: str, doc: str, lines: list[str]) -> Struct:
    struct = Struct(name, doc)
    whole = re.sub(r"(?m)^(\s+[^/\n;]*[^/\n;\s])[ \t]*\n\s+(?!//)", r"\1 ", "\n".join(lines))
    for line in joined(whole.split("\n")):
        match = FIELD.match(line)
        if match:
            base, stars = match["type"], match["stars"].replace("const", "").replace(" ", "")
            for one in re.findall(r"(\**\s*\w+(?:\[[^\]]*\])*)", match["names"]):
                lengths = re.findall(r"\[[^\]]*\]", one)
                more = one.split("[")[0].count("*") * "*"
                own = one.split("[")[0].replace("*", "").strip()
                code = line.split("//")[0].strip()
                struct.fields.append(Field(own, own + "".join(lengths), base + stars + more + "[]" * len(lengths),
                                           ("const " if code.startswith("const") else "") + base + stars + more,
                                           (match["comment"] or "").strip()))
        elif match := ROWS.match(line):
            struct.fields.append(Field(match["name"], match["name"], match["type"] + "*[]", (match["const"] or "") +
                                       f"{match['type']} (*){match['length']}", (match["comment"] or "").strip()))
        elif match := POINTER.match(line):
            struct.fields.append(Field(match["name"], match["name"], "function", match["code"].strip(),
                                       (match["comment"] or "").strip()))
    return struct


def enumerated(found: Iterable[re.Match[str]]) -> list[tuple[str, str, str]]:
    """Names, values and comments; a value that is not written is one more than the one before it."""
    out: list[tuple[str, str, str]] = []
    for match in found:
        last = out[-1][1] if out else "-1"
        following = str(int(last, 0) + 1) if last.lstrip("-").isdigit() else f"{last} + 1"
        out.append((match[1], match[2] or following, match[3] or ""))
    return out


def read_header(path: Path) -> Header:
    lines = path.read_text(encoding="utf-8").splitlines()
    guard = next(i for i, line in enumerate(lines) if line.startswith("#ifndef"))
    about = " ".join(line.removeprefix("//").strip() for line in lines[:guard])
    items: list[Item] = []
    doc: list[str] = []
    i = guard + 1
    while i < len(lines):
        line = lines[i]
        i += 1
        if line.startswith("//"):
            doc.append(line)
        elif not line.strip() or line.startswith(("#if", "#endif", "#else", "#include", 'extern "C"', "}")):
            doc = []
        elif match := re.match(r"typedef (struct|enum) (\w+) \{", line):
            body = []
            while not lines[i].startswith("}"):
                body.append(lines[i])
                i += 1
            i += 1
            item = Item(match[1], match[2], "\n".join(doc))
            if match[1] == "struct":
                item.struct = members(match[2], "\n".join(doc), body)
            else:
                item.values = enumerated(m for m in map(VALUE.match, joined(body)) if m)
            items.append(item)
            doc = []
        elif line.startswith("#define"):
            code = [line.rstrip("\\").rstrip()]
            while lines[i - 1].endswith("\\"):
                i += 1
            if not line.endswith(path.stem.upper() + "_H"):
                add_code(items, doc, code[0], lines[i - 2])
            doc = []
        elif line.startswith("static inline"):  # what it does is the library's: its prototype
            code = [line]
            while not lines[i].startswith("{"):
                code.append(lines[i])
                i += 1
            before = lines[i - len(code) - 1]
            while not lines[i].startswith("}"):
                i += 1
            i += 1
            add_code(items, doc, "\n".join(code) + ";", before)
            doc = []
        else:
            code = [line]
            while not re.search(r"[;)]\s*$", re.sub(r"\s*//.*", "", code[-1])) or \
                    "\n".join(code).count("(") != "\n".join(code).count(")"):
                code.append(lines[i])
                i += 1
            add_code(items, doc, "\n".join(code), lines[i - len(code) - 1])
            doc = []
    return Header(path.name, about, items)


def add_code(items: list[Item], doc: list[str], code: str, line_before: str) -> None:
    """A declaration; those that follow one without a comment of their own stand with it."""
    if not doc and items and items[-1].kind == "code" and line_before.strip():
        items[-1].code += "\n" + code
    else:
        items.append(Item("code", "", "\n".join(doc), code))


def read_headers(folder: Path) -> list[Header]:
    return [read_header(path) for path in sorted(folder.glob("*.h"))]
