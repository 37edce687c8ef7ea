#!/usr/bin/env python3
"""Makes two files from the public headers.

    generate.py COMPILER INCLUDE _cond.c structs.py

The C source of the extension module cond._cond: the headers are preprocessed by the compiler that builds the
module, with the standard headers left out, and handed to cffi as declarations. Every public function, struct, enum
and number is then `lib.NAME` or `ffi.new("NAME*")` under its own name; nothing is listed by hand but the functions
that C calls back. And the Python source of cond.structs: a class with typed fields for every struct that has any, and
an enumeration for every enum, with the headers' own comments as their documentation.
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

STANDARD = ("stddef.h", "stdint.h", "stdio.h")  # cffi knows their types
# `static inline Type name(void) { .. }`, which COND_DEFAULT makes, as a prototype.
INLINE = re.compile(r"static\s+inline\s+([\w\s*]+?\w+\s*\([^)]*\))\s*\{.*?\n?\}", re.S)
NUMBER = re.compile(r"^#define\s+(COND_\w+)\s+\(?-?(?:0x[0-9a-fA-F]+|\d+)u?\)?\s*(?://.*)?$", re.M)
TYPEDEF = re.compile(r"((?:^//[^\n]*\n)*)^typedef (struct|enum) (Cond\w+) \{\n(.*?)^\} \3;", re.M | re.S)
DEFAULT = re.compile(r"^COND_DEFAULT(?:_OF)?\(COND_\w*API, (\w+), (cond_\w+_default)[,)]", re.M)

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


def read_headers(include: Path) -> str:
    """The headers of the package: all but that of the library of baselines."""
    paths = sorted((include / "cond").glob("*.h"))
    return "\n".join(p.read_text(encoding="utf-8") for p in paths if p.name != "baselines.h")


def declarations(compiler: str, include: Path) -> str:
    """All that the public headers declare, as cffi reads it."""
    text = preprocess(compiler, include)
    text = text.replace('__attribute__((visibility("default")))', "")
    text = INLINE.sub(r"\1;", text)
    numbers = NUMBER.findall(read_headers(include))
    return text + "".join(f"#define {name} ...\n" for name in numbers) + CALLED_BACK


# --- cond.structs ---------------------------------------------------------------------------------


def plain(comment: str) -> str:
    """The text of // lines."""
    text = " ".join(line.strip().removeprefix("//").strip() for line in comment.strip().splitlines())
    text = re.sub(r"\s+", " ", text).replace("\\", "\\\\").strip()
    return text + "." if text.endswith('"') else text


def field_comments(body: str) -> dict[str, str]:
    """What a struct says of its fields: behind them, in lines that go on, or in lines before them."""
    said: dict[str, str] = {}
    names: list[str] = []
    before = ""
    for line in body.splitlines():
        code, _, comment = line.partition("//")
        if code.strip():
            names = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?=[,;)]|=)", code.split("(")[0] or code)
            names = names or re.findall(r"\(\*(\w+)\)", code)
            for name in names:
                said[name] = plain(before + "\n//" + comment) if comment.strip() or before else ""
            before = ""
        elif len(line) - len(line.lstrip()) <= 4:
            before += line.strip() + "\n"
            names = []
        else:
            for name in names:
                said[name] = (said[name] + " " + comment.strip()).strip()
    return said


def class_name(c_name: str) -> str:
    return c_name.removeprefix("Cond")


def short_names(keys: list[str]) -> dict[str, str]:
    """What the elements of an enumeration are called in Python: without the words that all have in common, COND among
    them, and without counts of the elements."""
    kept = [key for key in keys if not key.startswith("COND_N_")]
    words = [key.split("_") for key in kept]
    shared = 1
    while len(kept) > 1 and all(len(w) > shared + 1 for w in words) and len({w[shared] for w in words}) == 1:
        shared += 1
    return {key: "_".join(key.split("_")[shared:]) for key in kept}


def write_enum(ffi: Any, name: str, doc: str, body: str) -> str:
    elements = sorted((value, key) for key, value in ffi.typeof(name).relements.items())
    short = short_names([key for _, key in elements])
    said = field_comments(body)
    lines = [f"class {class_name(name)}(IntEnum):", f'    """{plain(doc) or name + "."}"""', ""]
    for value, key in elements:
        if key in short:
            lines.append(f"    {short[key]} = {value}")
            if said.get(key):
                lines.append(f'    """{said[key]}"""')
    return "\n".join(lines) + "\n"


def hidden(name: str) -> bool:
    """Fields that the library alone sets."""
    return name in ("struct_size", "room") or name.endswith("_stride")


def plural(name: str) -> str:
    """What a field is called that holds many: as scene files call it."""
    return name if name.endswith("s") else name + "s"


MANY = ("list", "numbers", "some")  # kinds of fields that hold any number of things


class Field:
    """A field of a struct as Python sees it: `kind` chooses the accessor of cond.fields."""

    def __init__(self, name: str, kind: str, hint: str, given: str, more: str = "") -> None:
        self.c_name, self.kind, self.hint, self.given, self.more = name, kind, hint, given, more
        self.name = plural(name) if kind in MANY and name != "heights" else name


def counts(field: Field) -> set[str]:
    """The fields that count what a list or an array holds: they follow it, and are not set by themselves."""
    if field.c_name == "heights":
        return {"n_row", "n_column"}
    return {f"n_{field.c_name}"} if field.kind in MANY else set()


def field_of(name: str, ctype: Any, siblings: set[str], known: set[str]) -> Field | None:
    """None: a field that Python cannot hold, such as a function or an array of unknown length."""
    if ctype.kind == "primitive":
        real = ctype.cname in ("double", "float")
        return Field(name, "number", "float" if real else "int", "float" if real else "int")
    if ctype.kind == "enum":
        kind = class_name(ctype.cname)
        return Field(name, "enum", kind, f"{kind} | str")
    if ctype.kind == "struct":
        kind = class_name(ctype.cname)
        return Field(name, "struct", kind, kind) if ctype.cname in known else None
    if ctype.kind == "array":
        inner = ctype.item
        if inner.cname == "char":
            return Field(name, "text", "str", "str | os.PathLike[str]", str(ctype.length))
        if inner.kind == "array" and inner.item.cname == "char":
            return Field(name, "texts", "tuple[str, ...]", "Sequence[str]")
        if inner.kind == "struct":
            if inner.cname not in known:
                return None
            return Field(name, "structs", f"StructArray[{class_name(inner.cname)}]",
                         f"Sequence[{class_name(inner.cname)}]", class_name(inner.cname))
        return Field(name, "some" if f"n_{name}" in siblings else "array", "Array", "ArrayLike")
    if ctype.kind == "pointer":
        inner = ctype.item
        if inner.cname == "char":
            return Field(name, "string", "str", "str")
        counted = f"n_{name}" in siblings
        if inner.kind == "struct" and inner.cname in known and counted:
            return Field(name, "list", f"StructList[{class_name(inner.cname)}]",
                         f"Iterable[{class_name(inner.cname)}]", class_name(inner.cname))
        if inner.cname == "double" and (counted or name == "heights"):
            return Field(name, "numbers", "Array", "ArrayLike")
    return None


def write_field(field: Field, doc: str) -> str:
    lines = ["    @property", f"    def {field.name}(self) -> {field.hint}:"]
    if doc:
        lines.append(f'        """{doc}"""')
    value = f"self._c.{field.c_name}"
    names = f'"{field.name}", "{field.c_name}"'
    lines.append({
        "number": f"        return {value}  # type: ignore[no-any-return]",
        "enum": f"        return {field.hint}({value})",
        "text": f"        return text({value})",
        "string": f"        return text({value})",
        "texts": f"        return tuple(text(item) for item in {value})",
        "array": f'        return get_array(self, "{field.name}")',
        "struct": f"        return {field.hint}.from_c({value}, self)",
        "structs": f'        return StructArray({field.more}, self, "{field.name}")',
        "list": f"        return get_list(self, {names}, {field.more})",
        "numbers": f"        return get_numbers(self, {names})",
        "some": f"        return get_some(self, {names})",
    }[field.kind])
    lines += ["", f"    @{field.name}.setter", f"    def {field.name}(self, value: {field.given}) -> None:"]
    lines.append({
        "enum": f'        set_enum(self, "{field.name}", value, {field.hint})',
        "list": f'        set_list(self, "{field.name}", {field.more}, value)',
        "numbers": f"        set_numbers(self, {names}, value)",
        "some": f"        set_some(self, {names}, value)",
    }.get(field.kind, f'        set_{field.kind}(self, "{field.name}", value)'))
    return "\n".join(lines) + "\n"


def whole_structs(ffi: Any, names: set[str]) -> set[str]:
    """The structs all of whose fields Python can hold; the classes of the package stand for the others."""
    known = set(names)
    while True:
        kept = set()
        for name in known:
            members = ffi.typeof(name).fields or []
            siblings = {key for key, _ in members}
            if members and all(hidden(key) or field_of(key, m.type, siblings, known) for key, m in members):
                kept.add(name)
        if kept == known:
            return known
        known = kept


def write_struct(ffi: Any, name: str, doc: str, body: str, default: str | None, known: set[str]) -> str:
    said = field_comments(body)
    members = ffi.typeof(name).fields
    siblings = {key for key, _ in members}
    fields = [field_of(key, member.type, siblings, known) for key, member in members
              if not hidden(key)]
    counted = {count for field in fields if field for count in counts(field)}
    shown = [field for field in fields if field and field.c_name not in counted]
    taken = sorted({"asdict", "copy", "fields", "from_c", "new", "pointer", "set", "given"} & siblings)
    if taken:
        raise ValueError(f"{name}: the fields {taken} have names that cond.fields.Struct uses")
    own = class_name(name)
    lines = [f"class {own}(Struct):", f'    """{plain(doc) or name + "."}"""', "", "    __slots__ = ()",
             f'    c_name = "{name}"', *(["    _defaults = True"] if default else [])]
    for kept, kind in (("_lists", "list"), ("_arrays", "numbers")):
        if found := {f.name: f.c_name for f in shown if f.kind == kind}:
            lines.append(f"    {kept} = {json.dumps(found)}")
    lines.append("")
    if shown:
        made = f"lib.{default}()" if default else "None"
        given = ",\n".join(f"        {f.name}: {f.given} | None = None" for f in shown)
        told = ",\n".join(f"            {f.name}={f.name}" for f in shown)
        begins = "With the defaults of the library." if default else "All zero, for the library to fill."
        lines += ["    def __init__(", "        self,", "        *,", given + ",", "    ) -> None:",
                  f'        """{begins}"""',
                  f"        super().__init__({made})", "        self.set(", told + ",", "        )", ""]
    return "\n".join(lines) + "\n" + "\n".join(write_field(f, said.get(f.name, "")) for f in shown)


HEAD = '''"""The structs and enumerations of the public headers, made from them by python/generate.py."""
# ruff: noqa
from __future__ import annotations

import os
from enum import IntEnum
from typing import Iterable, Sequence

from numpy.typing import ArrayLike

from cond._cond import lib
from cond.fields import (Struct, StructArray, StructList, get_array, get_list, get_numbers, get_some, set_array,
                         set_enum, set_list, set_number, set_numbers, set_some, set_string, set_struct, set_structs,
                         set_text, set_texts)
from cond.memory import Array, text

'''


def check_defaults(ffi: Any, defaults: dict[str, str], known: set[str]) -> None:
    """What is given to the library begins with its defaults: definitions, settings, and all that is in them."""
    given = {name for name in known if name.endswith(("Def", "Settings"))} | set(defaults)
    while True:
        inner = set()
        for name in given & known:
            for _, member in ffi.typeof(name).fields:
                ctype = member.type
                while ctype.kind in ("array", "pointer"):
                    ctype = ctype.item
                if ctype.kind == "struct" and ctype.cname in known:
                    inner.add(ctype.cname)
        if inner <= given:
            break
        given |= inner
    bare = sorted((given & known) - set(defaults))
    if bare:
        raise ValueError(f"{', '.join(bare)}: COND_DEFAULT gives no defaults, and would leave them zero")


def write_structs(ffi: Any, headers: str) -> str:
    found = TYPEDEF.findall(headers)
    defaults = dict(DEFAULT.findall(headers))
    known = whole_structs(ffi, {name for _, kind, name, _ in found if kind == "struct"} - {"CondError"})
    parts = [HEAD]
    for doc, kind, name, body in found:
        if kind == "enum":
            parts.append(write_enum(ffi, name, doc, body) + "\n")
    for doc, _, name, body in found:
        if name in known:
            parts.append(write_struct(ffi, name, doc, body, defaults.get(name), known) + "\n")
    check_defaults(ffi, defaults, known)
    names = sorted(class_name(name) for _, kind, name, _ in found if kind == "enum" or name in known)
    parts.append("__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]\n")
    return "\n".join(parts)


def main() -> int:
    if len(sys.argv) != 5:
        print(__doc__)
        return 2
    from cffi import FFI

    compiler, include, source, structs = sys.argv[1], Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    ffi = FFI()
    ffi.cdef(declarations(compiler, include))
    structs.write_text(write_structs(ffi, read_headers(include)), encoding="utf-8")
    ffi.set_source("cond._cond", "#include <cond/cond.h>\n", py_limited_api=True)
    ffi.emit_c_code(source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
