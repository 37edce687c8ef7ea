"""The JSON Schema of scene files, made from the table of keys: for tools/make_reference.py and editors."""
from __future__ import annotations

from typing import Any

Row = dict[str, Any]
Schema = dict[str, Any]
NAME = {"type": ["string", "number"]}  # a plain 7 may be a name
KINDS = ("particle", "rigid", "soft", "robot", "rod")


def number(row: Row, kind: str = "number") -> Schema:
    out: Schema = {"type": kind}
    if row["low"] is not None:
        out["exclusiveMinimum" if row["low_is_open"] else "minimum"] = row["low"]
    if row["high"] is not None:
        out["exclusiveMaximum" if row["high_is_open"] else "maximum"] = row["high"]
    return out


def numbers(row: Row, *counts: int) -> Schema:
    lists = [{"type": "array", "items": number(row), "minItems": n, "maxItems": n} for n in counts]
    return lists[0] if len(lists) == 1 else {"anyOf": lists}


def choice(row: Row) -> Schema:
    names: list[Any] = list(row["choices"])
    if "false" in names:  # a switch once: YAML reads the word as one
        names = [False, True, *(name for name in names if name != "false")]
    return {"enum": names}


POINTS = {
    "list of vectors of 3": {"type": "array", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3,
                                                        "maxItems": 3}},
    "list of lists of 4 whole numbers": {"type": "array", "items": {"type": "array", "items": {"type": "integer"},
                                                                    "minItems": 4, "maxItems": 4}},
    "list of lists of 3 whole numbers": {"type": "array", "items": {"type": "array", "items": {"type": "integer"},
                                                                    "minItems": 3, "maxItems": 3}},
    "text or list of rows of numbers": {"anyOf": [{"type": "string"}, {"type": "array", "items": {
        "type": "array", "items": {"type": "number"}}}]},
    "list of pairs of names": {"type": "array", "items": {"type": "array", "items": NAME, "minItems": 2, "maxItems": 2}},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "list of at most 16 numbers": {"type": "array", "items": {"type": "number"}, "maxItems": 16},
}


def value(row: Row, sections: dict[str, list[Row]]) -> Schema:
    """What may stand behind a key."""
    inner = f"{row['section']}.{row['key']}".lstrip(".")
    kind = row["type"]
    if kind == "text":
        out: Schema = {**NAME, "maxLength": row["count"] - 1}
    elif kind == "number":
        out = number(row)
    elif kind == "whole":
        out = number(row, "integer")
    elif kind == "switch":
        out = {"type": "boolean"}
    elif kind == "choice":
        out = choice(row)
    elif kind == "vector":
        out = numbers(row, row["count"])
    elif kind == "short":
        out = numbers(row, row["count"], row["count"] // 2)
    elif kind == "same":
        out = {"anyOf": [number(row), numbers(row, row["count"])]}
    elif kind == "groups":
        out = {"anyOf": [NAME, {"type": "array", "items": NAME}]}
    elif kind == "section":
        out = mapping(inner, sections)
    elif inner in sections:
        out = {"type": "array", "items": mapping(inner, sections)}
    else:
        out = dict(POINTS[row["words"]])
    words = ["auto"] * (row["unset"] == "auto") + ["inf"] * row["infinite"] + ["none"] * row["words"].endswith("or none")
    return {"anyOf": [out, {"enum": words}]} if words else out


def default(row: Row) -> Schema:
    """The default, where it is a value that a file could hold."""
    text = row["default"]
    if row["type"] == "switch":
        return {"default": text == "true"}
    if row["type"] in ("number", "whole", "vector", "same") and text[:1] in "-[0123456789" and text:
        plain = text.replace("[", "").replace("]", "").split(", ")
        values = [int(x) if x.lstrip("-").isdigit() else float(x) for x in plain]
        return {"default": values if text.startswith("[") else values[0]}
    return {"default": text} if row["type"] == "choice" and text in row["choices"] and text != "false" else {}


def described(row: Row) -> str:
    about = [f"[{row['unit']}]"] * bool(row["unit"]) + [f"default: {row['default']}"] * bool(row["default"])
    about += [f"bodies: {row['bodies']}"] * bool(row["bodies"])
    return f"{row['meaning']} ({row['words']}; {'; '.join(about)})" if about else f"{row['meaning']} ({row['words']})"


def mapping(section: str, sections: dict[str, list[Row]]) -> Schema:
    properties: Schema = {}
    for row in sections[section]:
        held = value(row, sections)
        properties[row["key"]] = {"description": described(row), **default(row), **held}
        if row["alias"]:
            properties[row["alias"]] = {"description": f"older name of {row['key']}", "deprecated": True, **held}
    out: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    required = [row["key"] for row in sections[section] if row["required"]]
    if required:
        out["required"] = required
    if section == "bodies":
        out["allOf"] = [of_kind(kind, sections[section]) for kind in KINDS]
    return out


def of_kind(kind: str, rows: list[Row]) -> Schema:
    """The keys that bodies of a kind do not have; a body that names none is rigid."""
    foreign = [row["key"] for row in rows if row["bodies"] and kind not in row["bodies"].split(", ")]
    named: Schema = {"properties": {"kind": {"const": kind}}}
    if kind != "rigid":
        named["required"] = ["kind"]
    return {"if": named, "then": {"properties": {key: False for key in foreign}}}


def schema_of(rows: list[Row]) -> Schema:
    sections: dict[str, list[Row]] = {}
    for row in rows:
        sections.setdefault(row["section"], []).append(row)
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "COND scene",
            "description": "Made by tools/make_reference.py from the table of keys.", **mapping("", sections)}
