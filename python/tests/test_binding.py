"""The generated module holds every public function and number of the headers."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

from cond._cond import ffi, lib

INCLUDE = Path(__file__).resolve().parents[2] / "include" / "cond"
MARKED = re.compile(r"^COND_(?:IO_)?API\b[^;]*?\b(cond_\w+)\s*\(", re.M)
DEFAULT = re.compile(r"^COND_DEFAULT(?:_OF)?\(COND_\w*API, \w+, (cond_\w+)[,)]", re.M)
COUNTED = re.compile(r"^\s+(COND_\w+)(?: = |,)", re.M)


@pytest.mark.parametrize("header", sorted(INCLUDE.glob("*.h")), ids=lambda path: path.name)
def test_every_function_is_bound(header: Path) -> None:
    """Functions by COND_API, both halves of a default function, and constants of enums."""
    text = header.read_text(encoding="utf-8")
    names = set(MARKED.findall(text)) | set(COUNTED.findall(text))
    for name in DEFAULT.findall(text):
        names |= {name, name + "_fill"}
    if header.name == "baselines.h":  # a library of its own, of which the package has nothing
        assert not names & set(dir(lib))
    else:
        assert sorted(name for name in names if not hasattr(lib, name)) == []


def test_default_functions_know_their_struct() -> None:
    made = lib.cond_body_def_default()
    assert made.struct_size == ffi.sizeof("CondBodyDef")
