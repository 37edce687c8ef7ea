"""Names that nothing has: of attributes, bodies, choices; refused with the one that may have been meant."""
from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from cond._cond import ffi, lib
from cond.errors import BadArgument

MANY = 12  # names that a message lists
LIKE = 0.5  # from this ratio on two names are alike

E = TypeVar("E", bound=IntEnum)
T = TypeVar("T")


def suggestion(name: str, known: Iterable[str]) -> str:
    """What a message ends with: the name that is nearest, else those that there are."""
    names = list(known)
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in names], 1, LIKE)
    if near:
        meant = next(one for one in names if one.lower() == near[0])
        return f"; did you mean {meant!r}?"
    if not names:
        return "; there is none"
    listed = ", ".join(repr(one) for one in names[:MANY])
    return f"; there are {listed}{', ...' if len(names) > MANY else ''}"


def missing(holder: str, noun: str, name: int | str, known: Iterable[str] | int) -> BadArgument:
    """The exception for a name or number that nothing has, of the known names or of so many."""
    names = [] if isinstance(known, int) else list(known)
    if isinstance(name, str):
        return BadArgument(f"{holder} has no {noun} {name!r}{suggestion(name, names)}")
    n = known if isinstance(known, int) else len(names)
    return BadArgument(f"{holder} has no {noun} {name}; it has {n}, numbered from 0")


def expected(value: Any, kind: type[T], what: str, hint: str = "") -> T:
    """An argument that must be of this class."""
    if not isinstance(value, kind):
        raise TypeError(f"{what}: expected a cond.{kind.__name__}, not {value!r}{hint}")
    return value


def number_of(value: Any, noun: str) -> int:
    """An index that is no name."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"a {noun} goes by its name or its number, not by {value!r}") from None


def numbered(noun: str, name: int | str, n: int, find: Callable[[bytes], int], known: Callable[[], Iterable[str]],
             body: int | str | None = None) -> int:
    """The number, below n, of what goes by its name or by its number: of a body, or of the whole model."""
    found = int(find(name.encode())) if isinstance(name, str) else number_of(name, noun)
    if 0 <= found < n:
        return found
    raise missing("the model" if body is None else f"the body {body!r}", noun, name, known())


# The library's own functions that know enumerations by the names of scene files and results.
FROM_NAME = {ffi.typeof(getattr(lib, name)).args[1].item.cname.removeprefix("enum ").removeprefix("Cond"):
             getattr(lib, name) for name in dir(lib) if name.endswith("_from_name")}


def known_to_library(kind: type[E], name: str) -> E | None:
    """The element that scene files and results call so."""
    value = ffi.new(f"Cond{kind.__name__}*") if kind.__name__ in FROM_NAME else None
    if value is None or FROM_NAME[kind.__name__](name.strip().encode(), value) < 0:
        return None
    return kind(int(ffi.cast("int", value[0])))


def choice(kind: type[E], value: E | str | int, what: str) -> E:
    """An element of an enumeration, from itself, its name in any case, as scene files have it too, or its number."""
    words = [name.lower() for name in kind.__members__]
    if isinstance(value, str):
        found = kind.__members__.get(value.strip().replace("-", "_").replace(" ", "_").upper())
        found = found if found is not None else known_to_library(kind, value)
        if found is not None:
            return found
        near = difflib.get_close_matches(value.lower(), words, 1, LIKE)
        meant = f"; did you mean {near[0]!r}?" if near else ""
    else:
        try:
            return kind(value)
        except (TypeError, ValueError):
            meant = ""
    raise BadArgument(f"{what}: {value!r} is none of {', '.join(map(repr, words))}{meant}")


class Sealed:
    """Objects that have the attributes of their class and no others, so that a name that is misspelt is refused.
    Subclasses with a __dict__ of their own may hold what they like."""

    __slots__ = ()

    if not TYPE_CHECKING:  # checkers of types would take every name for an attribute that may be set

        def __setattr__(self, name: str, value: Any) -> None:
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                if hasattr(type(self), name):
                    raise
                self._unknown(name)

    def _unknown(self, name: str) -> NoReturn:
        known = [one for one in dir(type(self)) if not one.startswith("_")]
        raise AttributeError(f"a cond.{type(self).__name__} has no attribute {name!r}{suggestion(name, known)}",
                             name=name, obj=self) from None


class Handle(Sealed):
    """What stands for an object of the library."""

    __slots__ = ("__weakref__", "_c")
    _c: Any

    def __reduce__(self) -> Any:
        raise TypeError(f"a cond.{type(self).__name__} is a workspace of this process and cannot be copied or pickled; "
                        "pickle the scene, the model or the state, and make another one of these there")
