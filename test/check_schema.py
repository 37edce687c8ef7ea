#!/usr/bin/env python3
"""All scenes that ship with COND hold by the schema of editors, scenes/scene.schema.json, and wrong ones do not.

    check_schema.py ROOT [TOOL]    with the tool: it refuses the wrong ones as well

The part of JSON Schema that the schema uses is a page of code, below; another keyword is an error.
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
                         "number": (int, float)}
SILENT = {"description", "default", "deprecated", "title", "$schema"}


class Loader(yaml.SafeLoader):
    """YAML 1.2, as editors read it: 1e-3 is a number, on and off are texts."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if tag not in ("tag:yaml.org,2002:float", "tag:yaml.org,2002:bool",
                                                                   "tag:yaml.org,2002:timestamp")]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(
    r"^[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.inf)$"), list("-+0123456789."))


def is_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())


def faults(value: Any, schema: Any, path: str) -> list[str]:
    """What is wrong with a value, each with its path."""
    if isinstance(schema, bool):
        return [] if schema else [f"{path}: not allowed"]
    out: list[str] = []
    unknown = set(schema) - SILENT - {"type", "enum", "const", "anyOf", "allOf", "if", "then", "properties", "required",
                                      "additionalProperties", "items", "minItems", "maxItems", "maxLength", "minimum",
                                      "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    assert not unknown, unknown
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            return [f"{path}: {value!r} is no {' or '.join(names)}"]
    if "enum" in schema and not any(value == one and isinstance(value, bool) == isinstance(one, bool)
                                    for one in schema["enum"]):
        out.append(f"{path}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        out.append(f"{path}: {value!r} is not {schema['const']!r}")
    if "anyOf" in schema:
        each = [faults(value, one, path) for one in schema["anyOf"]]
        if all(each):
            out += min(each, key=len)
    for one in schema.get("allOf", []):
        out += faults(value, one, path)
    if "if" in schema and not faults(value, schema["if"], path):
        out += faults(value, schema["then"], path)
    if is_type(value, "number"):
        low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        if value < schema.get("minimum", value) or value > schema.get("maximum", value) or \
                (low is not None and value <= low) or (high is not None and value >= high):
            out.append(f"{path}: {value} is out of range")
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        out.append(f"{path}: too long")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            out.append(f"{path}: {len(value)} items")
        for i, item in enumerate(value):
            out += faults(item, schema.get("items", True), f"{path}[{i}]")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key, item in value.items():
            out += faults(item, properties.get(key, schema.get("additionalProperties", True)), f"{path}.{key}")
        out += [f"{path}: {key} is required" for key in schema.get("required", []) if key not in value]
    return out


# Scenes that are wrong, and the text that a fault names.
WRONG = [
    ("bodies: [{name: box, mas: 1}]", "mas: not allowed"),
    ("bodies: [{name: box, mass: heavy}]", "'heavy' is no number"),
    ("bodies: [{name: box, mass: -1}]", "out of range"),
    ("bodies: [{name: box, mass: 0}]", "out of range"),
    ("bodies: [{name: cloth, kind: soft, mass: 1}]", "mass: not allowed"),
    ("bodies: [{name: box, thickness: 0.1}]", "thickness: not allowed"),
    ("bodies: [{kind: sofd}]", "is none of"),
    ("bodies: [{name: box, position: [0, 0]}]", "2 items"),
    ("bodies: [{rod: {circle: 1, rectangle: 3}, kind: rod}]", "is no array"),
    ("step: {theta: 2}", "out of range"),
    ("step: {substeps: 1.5}", "is no integer"),
    ("step: {gap: 1}", "is no boolean"),
    ("materials: [{name: rubber, density: 1000, poisson_ratio: 0.3}]", "youngs_modulus is required"),
    ("materials: [{density: 1000, poisson_ratio: 0.5, youngs_modulus: 1e5}]", "out of range"),
    ("frictoin: 1", "frictoin: not allowed"),
    ("attachments: [{from: {body: a}}]", "to is required"),
    ("exclude: [[a, b, c]]", "3 items"),
]
RIGHT = [
    "step: {impact: true, correction_rate: .inf, theta: 1e0}",
    "bodies: [{name: box, mass: 1e-3, shape: {box: [1, 1, 1]}, friction: [0.1, 0.2], groups: hands}]",
    "bodies: [{name: box, mass: 1, shape: {mesh: a.obj}, mesh_scale: 0.001}]",
    "bodies: [{kind: rigid, mass: 1, inertia: [1, 1, 1], restitution: 0.5}]",
    "planes: [{direction: auto, friction: 0.3, touches: [default, hands]}]",
]


def main() -> int:
    root = Path(sys.argv[1])
    schema = json.loads((root / "scenes" / "scene.schema.json").read_text(encoding="utf-8"))
    read = 0
    for path in sorted([*root.glob("scenes/**/*.yaml"), *root.glob("examples/**/*.yaml")]):
        scene = yaml.load(path.read_text(encoding="utf-8"), Loader)
        if path.parent.name == "studies" or not isinstance(scene, dict) or "vary" in scene:
            continue  # a plan of a sweep
        found = faults(scene, schema, "")
        assert not found, f"{path}: {found[:5]}"
        read += 1
    assert read > 40, read
    for text, fault in WRONG:
        found = faults(yaml.load(text, Loader), schema, "")
        assert any(fault in one for one in found), f"{text}: {found}"
        if len(sys.argv) > 2:
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(text + "\n")
                file.flush()
                done = subprocess.run([sys.argv[2], "check", file.name], capture_output=True, check=False)
            assert done.returncode == 2, f"{text}: cond check returns {done.returncode}"
    for text in RIGHT:
        assert not faults(yaml.load(text, Loader), schema, ""), f"{text}: {faults(yaml.load(text, Loader), schema, '')}"
    print(f"{read} scenes hold by the schema, {len(WRONG)} wrong ones do not")
    return 0


if __name__ == "__main__":
    sys.exit(main())
