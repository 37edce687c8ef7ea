"""Struct: a struct of the library with Python's types, and how its fields are read and set."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from cond._cond import ffi
from cond.errors import BadArgument
from cond.memory import Array, array_view, doubles, view
from cond.names import Sealed, choice, expected

S = TypeVar("S", bound="Struct")


put = object.__setattr__  # of what the class itself sets, quicker than the way through Sealed


class Struct(Sealed):
    """A struct of the library: its fields by their own names, as Python's numbers, texts and arrays on the struct's
    own memory."""

    __slots__ = ("_c", "_keep")
    c_name: ClassVar[str] = ""
    _c: Any
    _keep: dict[str, Any]

    def __init__(self, value: Any = None) -> None:
        put(self, "_c", ffi.new(self.c_name + "*", value) if value is not None else ffi.new(self.c_name + "*"))
        put(self, "_keep", {})

    @classmethod
    def new(cls: type[S]) -> S:
        """All zero, for the library to fill: quicker than the constructor, which looks at every field."""
        made = cls.__new__(cls)
        put(made, "_c", ffi.new(cls.c_name + "*"))
        put(made, "_keep", {})
        return made

    @classmethod
    def from_c(cls: type[S], place: Any, owner: Any) -> S:
        """The struct where C has it; `owner` keeps the memory alive."""
        made = cls.__new__(cls)
        put(made, "_c", ffi.addressof(place) if ffi.typeof(place).kind == "struct" else place)
        put(made, "_keep", {"": owner})
        return made

    @classmethod
    def told(cls, value: Any, what: str) -> Any:
        """The struct of C of an argument, which must be one of these."""
        return expected(value, cls, what)._c

    @property
    def pointer(self) -> Any:
        """The struct for a function of the library."""
        return self._c

    @classmethod
    def fields(cls) -> Iterator[str]:
        """Names of the fields."""
        for name, _ in ffi.typeof(cls.c_name).fields:
            if isinstance(getattr(cls, name, None), property):
                yield name

    def set(self, **values: Any) -> None:
        """Sets fields by name; None leaves one as it is."""
        for name, value in values.items():
            if value is not None:
                setattr(self, name, value)

    def copy(self: S) -> S:
        """A struct of its own with the same values."""
        made = type(self).__new__(type(self))
        put(made, "_c", ffi.new(self.c_name + "*", self._c[0]))
        put(made, "_keep", {"": self})  # what its pointers point to
        return made

    __copy__ = copy

    def __reduce__(self) -> Any:
        """Copies by copy.deepcopy and pickles have all that it points to as their own."""
        return rebuilt, (type(self), {name: getattr(self, name) for name in self.fields()})

    def asdict(self) -> dict[str, Any]:
        """All fields, with structs as dicts in their turn."""
        def plain(value: Any) -> Any:
            if isinstance(value, Struct):
                return value.asdict()
            if isinstance(value, tuple):
                return tuple(plain(item) for item in value)
            return value.copy() if isinstance(value, np.ndarray) else value

        return {name: plain(getattr(self, name)) for name in self.fields()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self.fields())})"


def rebuilt(kind: type[S], values: Mapping[str, Any]) -> S:
    """A struct of its own with these values; lists that are empty stay so."""
    made = kind()
    for name, value in values.items():
        if not (isinstance(value, np.ndarray) and value.size == 0):
            setattr(made, name, value)
    return made


def label(struct: Struct, name: str) -> str:
    """Which field a message is about."""
    return f"{type(struct).__name__}.{name}"


def set_number(struct: Struct, name: str, value: float) -> None:
    try:
        setattr(struct._c, name, value)
    except TypeError:
        kind = ffi.typeof(struct._c).item
        whole = dict(kind.fields)[name].type.cname not in ("double", "float")
        raise TypeError(f"{label(struct, name)}: expected a {'whole ' if whole else ''}number, not {value!r}") from None
    except OverflowError:
        raise BadArgument(f"{label(struct, name)}: {value!r} is beyond what the library can hold") from None


def set_enum(struct: Struct, name: str, value: Any, kind: type[IntEnum]) -> None:
    setattr(struct._c, name, int(choice(kind, value, label(struct, name))))


def bytes_of(struct: Struct, name: str, value: Any, size: int = 0) -> bytes:
    """A text or a path for C, of fewer bytes than its place has."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{label(struct, name)}: expected a text, not {value!r}")
    data = os.fsencode(value)
    if (size and len(data) >= size) or b"\0" in data:
        raise BadArgument(f"{label(struct, name)}: a text of fewer than {size} bytes was expected, not {value!r}"
                          if size else f"{label(struct, name)}: {value!r} has a zero in it")
    return data


def set_text(struct: Struct, name: str, value: str | os.PathLike[str]) -> None:
    setattr(struct._c, name, bytes_of(struct, name, value, ffi.typeof(getattr(struct._c, name)).length))


def listed(struct: Struct, name: str, value: Any, n: int = -1) -> list[Any]:
    """A sequence, of n where n is not negative."""
    try:
        items = [] if isinstance(value, (str, bytes)) else list(value)
    except TypeError:
        items = []
    if (not items and n > 0) or (n >= 0 and len(items) != n):
        raise BadArgument(f"{label(struct, name)}: expected a list of {n}, not {value!r}")
    return items


def set_texts(struct: Struct, name: str, value: Sequence[str]) -> None:
    place = getattr(struct._c, name)
    for i, item in enumerate(listed(struct, name, value, len(place))):
        place[i] = bytes_of(struct, f"{name}[{i}]", item, len(place[i]))


def set_string(struct: Struct, name: str, value: str) -> None:
    struct._keep[name] = ffi.new("char[]", bytes_of(struct, name, value))
    setattr(struct._c, name, struct._keep[name])


SCALARS = ("friction", "size")  # arrays that one number fills: a round cone, a cube


def set_array(struct: Struct, name: str, value: ArrayLike) -> None:
    place = array_view(getattr(struct._c, name), struct)
    try:
        given = np.asarray(value, place.dtype)
    except (TypeError, ValueError):
        raise BadArgument(f"{label(struct, name)}: expected numbers of the shape {place.shape}, "
                          f"not {value!r}") from None
    if given.shape != place.shape and not (given.ndim == 0 and name in SCALARS):
        raise BadArgument(f"{label(struct, name)}: expected the shape {place.shape}, not {given.shape}")
    place[...] = given


def of_kind(struct: Struct, name: str, value: Any, c_name: str) -> Any:
    """The struct of C of a value that must have that type."""
    kind = c_name.removeprefix("struct ")
    if not isinstance(value, Struct) or value.c_name != kind:
        raise TypeError(f"{label(struct, name)}: expected a cond.{kind.removeprefix('Cond')}, not {value!r}")
    return value._c[0]


def set_struct(struct: Struct, name: str, value: Struct) -> None:
    setattr(struct._c, name, of_kind(struct, name, value, ffi.typeof(getattr(struct._c, name)).cname))
    struct._keep[name] = value


def set_structs(struct: Struct, name: str, value: Sequence[Struct]) -> None:
    place = getattr(struct._c, name)
    items = listed(struct, name, value, len(place))
    for i, item in enumerate(items):
        place[i] = of_kind(struct, f"{name}[{i}]", item, ffi.typeof(place).item.cname)
    struct._keep[name] = tuple(items)


def get_list(struct: Struct, name: str, kind: type[S]) -> tuple[S, ...]:
    place = getattr(struct._c, name)
    return tuple(kind.from_c(place[i], struct) for i in range(getattr(struct._c, "n_" + name)))


def set_list(struct: Struct, name: str, value: Sequence[Struct]) -> None:
    """A list of structs and its length n_name."""
    item = ffi.typeof(getattr(struct._c, name)).item.cname
    items = listed(struct, name, value)
    place = ffi.new(f"{item}[]", len(items)) if items else ffi.NULL
    for i, entry in enumerate(items):
        place[i] = of_kind(struct, f"{name}[{i}]", entry, item)
    setattr(struct._c, name, place)
    setattr(struct._c, "n_" + name, len(items))
    struct._keep[name] = (place, tuple(items))


def get_numbers(struct: Struct, name: str) -> Array:
    if name == "heights":
        shape: tuple[int, ...] = (struct._c.n_row, struct._c.n_column)
    else:
        shape = (getattr(struct._c, "n_" + name), 3)
    return view(getattr(struct._c, name), shape, struct)


def set_numbers(struct: Struct, name: str, value: ArrayLike) -> None:
    """An array and its length: n_name points of three numbers, or heights with n_row and n_column."""
    array = np.array(value, np.float64, order="C", ndmin=2)
    if name == "heights":
        struct._c.n_row, struct._c.n_column = array.shape
    elif array.shape[1:] != (3,):
        raise BadArgument(f"{label(struct, name)}: expected the shape (n, 3), not {array.shape}")
    else:
        setattr(struct._c, "n_" + name, array.shape[0])
    setattr(struct._c, name, doubles(array))
    struct._keep[name] = array
