"""Struct: a struct of the library with Python's types, and how its fields are read and set. StructList and StructArray:
the structs that a struct holds."""
from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from cond._cond import ffi
from cond.errors import BadArgument
from cond.memory import Array, array_view, doubles, view
from cond.names import Sealed, choice, expected, missing, suggestion

S = TypeVar("S", bound="Struct")


put = object.__setattr__  # for the class itself: quicker than through Sealed


class Struct(Sealed):
    """A struct of the library: its fields by their own names, as Python's numbers, texts and arrays on the struct's
    own memory. Structs and lists that it holds may be changed in place: `body.rod.length = 2`,
    `body.links[2].mass = 3`. A struct that is for reading refuses that, and says what to do instead; `copy()` gives one
    that may be changed."""

    __slots__ = ("_c", "_keep", "_locked")
    c_name: ClassVar[str] = ""
    _defaults: ClassVar[bool] = False  # whether the library says how one begins
    _lists: ClassVar[Mapping[str, str]] = {}  # fields that are lists of structs, with their names in C
    _arrays: ClassVar[Mapping[str, str]] = {}  # fields that are arrays of any length
    _c: Any
    _keep: dict[str, Any]
    _locked: str

    def __new__(cls: type[S], *_: Any, **fields: Any) -> S:
        """Refuses fields that there are not, with the name that may have been meant."""
        for name in fields:
            if not isinstance(getattr(cls, name, None), property):
                raise TypeError(f"a cond.{cls.__name__} has no field {name!r}{suggestion(name, cls.fields())}")
        return object.__new__(cls)

    def __init__(self, value: Any = None) -> None:
        put(self, "_c", ffi.new(self.c_name + "*", value) if value is not None else ffi.new(self.c_name + "*"))
        put(self, "_keep", {})
        put(self, "_locked", "")

    @classmethod
    def new(cls: type[S]) -> S:
        """All zero, for the library to fill: quicker than the constructor, which looks at every field."""
        made = object.__new__(cls)
        put(made, "_c", ffi.new(cls.c_name + "*"))
        put(made, "_keep", {})
        put(made, "_locked", "")
        return made

    @classmethod
    def from_c(cls: type[S], place: Any, owner: Any, locked: str = "") -> S:
        """The struct where C has it; `owner` keeps the memory alive. locked: why it is for reading, and what to do
        instead; a struct within one that is for reading is so too."""
        made = object.__new__(cls)
        put(made, "_c", ffi.addressof(place) if ffi.typeof(place).kind == "struct" else place)
        put(made, "_keep", {"": owner})
        put(made, "_locked", owner._locked if isinstance(owner, Struct) else locked)
        return made

    @classmethod
    def given(cls, value: Any, what: str) -> Any:
        """The struct of C of an argument, which must be one of these."""
        return expected(value, cls, what).pointer

    @property
    def pointer(self) -> Any:
        """The struct for a function of the library, with its lists as they are now."""
        for name, c_name in self._lists.items():
            if name in self._keep:
                place = self._keep[name].in_c()
                setattr(self._c, c_name, place)
                setattr(self._c, "n_" + c_name, len(self._keep[name]))
        return self._c

    @classmethod
    def fields(cls) -> Iterator[str]:
        """Names of the fields that may be given, in their order."""
        for base in reversed(cls.__mro__):
            for name, kind in vars(base).items():
                if isinstance(kind, property) and kind.fset is not None:
                    yield name

    def set(self, **values: Any) -> None:
        """Sets fields by name; None leaves one as it is."""
        for name, value in values.items():
            if value is not None:
                setattr(self, name, value)

    def _lock(self, why: str) -> None:
        """From now on for reading."""
        put(self, "_locked", why)
        for name in self._lists:
            if name in self._keep:
                self._keep[name]._lock(why)

    def copy(self: S) -> S:
        """A struct of its own with the same values, lists included, which may be changed."""
        made = object.__new__(type(self))
        put(made, "_c", ffi.new(self.c_name + "*", self._c[0]))
        put(made, "_keep", {"": self})  # owner of the texts that it points to
        put(made, "_locked", "")
        for name in self._lists:
            made._keep[name] = StructList(getattr(self, name)._kind, label(made, name), getattr(self, name))
        for name, c_name in self._arrays.items():
            array = np.array(getattr(self, name))
            if array.size:
                made._keep[name] = array
                setattr(made._c, c_name, doubles(array))
        return made

    __copy__ = copy

    def __deepcopy__(self: S, memo: dict[int, Any]) -> S:
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickles have all that it points to as their own."""
        return rebuilt, (type(self), {name: tuple(value) if isinstance(value, (StructList, StructArray)) else value
                                      for name in self.fields() for value in [getattr(self, name)]})

    def asdict(self) -> dict[str, Any]:
        """All fields, with structs as dicts in their turn."""
        def plain(value: Any) -> Any:
            if isinstance(value, Struct):
                return value.asdict()
            if isinstance(value, (tuple, StructList, StructArray)):
                return tuple(plain(item) for item in value)
            return value.copy() if isinstance(value, np.ndarray) else value

        return {name: plain(getattr(self, name)) for name in self.fields()}

    def __repr__(self) -> str:
        """The fields that are not as they begin, of what begins with defaults; else all."""
        begin = type(self)() if self._defaults else None
        shown = (f"{name}={value!r}" for name in self.fields() for value in [getattr(self, name)]
                 if begin is None or not alike(value, getattr(begin, name)))
        return f"{type(self).__name__}({', '.join(shown)})"


def alike(a: Any, b: Any) -> bool:
    """Whether two values of a field are the same; what is not a number is."""
    if isinstance(a, Struct):
        return all(alike(getattr(a, name), getattr(b, name)) for name in a.fields())
    if isinstance(a, (tuple, StructList, StructArray)):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, (float, np.ndarray)):
        return bool(np.array_equal(a, b, equal_nan=True))
    return bool(a == b)


def rebuilt(kind: type[S], values: Mapping[str, Any]) -> S:
    """A struct of its own with these values; lists that are empty stay so."""
    made = kind()
    for name, value in values.items():
        if not (isinstance(value, np.ndarray) and value.size == 0):
            setattr(made, name, value)
    return made


def position_of(items: Sequence[Any], index: int | str, holder: str) -> int:
    """Which of the structs has this index or name; negative indices count from the end."""
    if isinstance(index, str):
        names = [getattr(item, "name", "") for item in items]
        if index not in names:
            raise missing(holder, "entry", index, names)
        return names.index(index)
    try:
        at = operator.index(index)
    except TypeError:
        raise TypeError(f"{holder}: an entry goes by its index or its name, not by {index!r}") from None
    if not -len(items) <= at < len(items):
        raise IndexError(f"{holder} has no entry {at}; it has {len(items)}, numbered from 0")
    return at % len(items)


class StructArray(Sequence[S], Generic[S]):
    """Structs of a fixed number that a struct holds, such as the two ends of an attachment, by index."""

    __slots__ = ("_items", "_name", "_struct")

    def __init__(self, kind: type[S], struct: Struct, name: str) -> None:
        self._struct, self._name = struct, name
        self._items = tuple(kind.from_c(item, struct) for item in getattr(struct._c, name))

    @overload
    def __getitem__(self, index: int) -> S: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[S, ...]: ...
    def __getitem__(self, index: int | slice) -> S | tuple[S, ...]:
        return self._items[index]

    def __setitem__(self, index: int, value: S) -> None:
        at = position_of(self._items, index, label(self._struct, self._name))
        item = getattr(writable(self._struct, self._name), self._name)
        item[at] = of_kind(self._struct, f"{self._name}[{at}]", value, ffi.typeof(item).item.cname)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(list(self._items))


class StructList(MutableSequence[S], Generic[S]):
    """Structs of any number that a struct holds, such as the links of a robot, by index or by name. Entries may be
    changed in place, added and removed; what is added is copied.

        body.links["hand"].mass = 0.5
        body.links.append(cond.LinkDef(name="finger", parent="hand"))
        del body.links["finger"]
    """

    __slots__ = ("_array", "_items", "_kind", "_label", "_locked")

    def __init__(self, kind: type[S], name: str, items: Iterable[Struct] = (), locked: str = "") -> None:
        self._kind, self._label, self._locked = kind, name, locked
        self._array: Any = ffi.NULL
        self._items: list[S] = [] if locked else [self._taken(item, i) for i, item in enumerate(items)]
        if locked:
            self._items = list(items)  # type: ignore[arg-type]

    def _taken(self, value: Any, index: int) -> S:
        """A copy of a struct that is to become an entry."""
        if self._locked:
            raise AttributeError(f"{self._label}: {self._locked}")
        if not isinstance(value, self._kind):
            raise TypeError(f"{self._label}[{index}]: expected a cond.{self._kind.__name__}, not {value!r}")
        return value.copy()

    def _lock(self, why: str) -> None:
        self._locked = why
        for item in self._items:
            item._lock(why)

    def _at(self, index: int | str) -> int:
        return position_of(self._items, index, self._label)

    def in_c(self) -> Any:
        """The entries as an array of C, which stays until the next call; NULL where there is none."""
        self._array = ffi.new(f"{self._kind.c_name}[]", len(self._items)) if self._items else ffi.NULL
        for i, item in enumerate(self._items):
            self._array[i] = item.pointer[0]
        return self._array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries; "" where they have none."""
        return tuple(getattr(item, "name", "") for item in self._items)

    @overload
    def __getitem__(self, index: int | str) -> S: ...
    @overload
    def __getitem__(self, index: slice) -> list[S]: ...
    def __getitem__(self, index: int | str | slice) -> S | list[S]:
        return self._items[index] if isinstance(index, slice) else self._items[self._at(index)]

    @overload
    def __setitem__(self, index: int | str, value: S) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[S]) -> None: ...
    def __setitem__(self, index: int | str | slice, value: S | Iterable[S]) -> None:
        if isinstance(index, slice):
            self._items[index] = [self._taken(item, i) for i, item in enumerate(value)]  # type: ignore[arg-type]
        else:
            at = self._at(index)
            self._items[at] = self._taken(value, at)

    def __delitem__(self, index: int | str | slice) -> None:
        if self._locked:
            raise AttributeError(f"{self._label}: {self._locked}")
        del self._items[index if isinstance(index, slice) else self._at(index)]

    def insert(self, index: int, value: S) -> None:
        """Adds a copy of a struct before the entry with this index."""
        self._items.insert(index, self._taken(value, index))

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, value: object) -> bool:
        return value in self.names if isinstance(value, str) else any(item is value for item in self._items)

    def __repr__(self) -> str:
        return repr(self._items)


def label(struct: Struct, name: str) -> str:
    """Which field a message is about."""
    return f"{type(struct).__name__}.{name}"


def refuse(struct: Struct, name: str) -> NoReturn:
    """Of a struct that is for reading."""
    raise AttributeError(f"{label(struct, name)}: {struct._locked}", name=name, obj=struct)


def writable(struct: Struct, name: str) -> Any:
    """The struct of C, to set a field of."""
    if struct._locked:
        refuse(struct, name)
    return struct._c


def set_number(struct: Struct, name: str, value: float) -> None:
    try:
        setattr(writable(struct, name), name, value)
    except TypeError:
        kind = ffi.typeof(struct._c).item
        whole = dict(kind.fields)[name].type.cname not in ("double", "float")
        raise TypeError(f"{label(struct, name)}: expected a {'whole ' if whole else ''}number, not {value!r}") from None
    except OverflowError:
        raise BadArgument(f"{label(struct, name)}: {value!r} is beyond what the library can hold") from None


def set_enum(struct: Struct, name: str, value: Any, kind: type[IntEnum]) -> None:
    setattr(writable(struct, name), name, int(choice(kind, value, label(struct, name))))


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
    setattr(writable(struct, name), name, bytes_of(struct, name, value, ffi.typeof(getattr(struct._c, name)).length))


def listed(struct: Struct, name: str, value: Any, n: int = -1) -> list[Any]:
    """A sequence, of n where n is not negative."""
    try:
        items = [] if isinstance(value, (str, bytes)) else list(value)
    except TypeError:
        items = []
    if (not items and n > 0) or (n >= 0 and len(items) != n):
        raise BadArgument(f"{label(struct, name)}: expected a list of {n}, not {value!r}")
    if n < 0 and not items and not isinstance(value, Iterable):
        raise BadArgument(f"{label(struct, name)}: expected a list, not {value!r}")
    return items


def set_texts(struct: Struct, name: str, value: Sequence[str]) -> None:
    place = getattr(writable(struct, name), name)
    for i, item in enumerate(listed(struct, name, value, len(place))):
        place[i] = bytes_of(struct, f"{name}[{i}]", item, len(place[i]))


def set_string(struct: Struct, name: str, value: str) -> None:
    text = ffi.new("char[]", bytes_of(struct, name, value))
    setattr(writable(struct, name), name, text)
    struct._keep[name] = text


SCALARS = ("friction", "friction_back", "size")  # arrays that one number fills: a round cone, a cube


def get_array(struct: Struct, name: str) -> Array:
    """A fixed array on the struct's own memory."""
    return array_view(getattr(struct._c, name), struct, not struct._locked)


def set_array(struct: Struct, name: str, value: ArrayLike) -> None:
    place = array_view(getattr(writable(struct, name), name), struct)
    given = of_numbers(struct, name, value, place)
    if given.shape != place.shape and not (given.ndim == 0 and name in SCALARS):
        raise BadArgument(f"{label(struct, name)}: expected the shape {place.shape}, not {given.shape}")
    place[...] = given


def of_numbers(struct: Struct, name: str, value: ArrayLike, place: Array) -> Array:
    """The value as numbers of the type of an array."""
    try:
        return np.asarray(value, place.dtype)
    except (TypeError, ValueError):
        raise BadArgument(f"{label(struct, name)}: expected numbers of the shape {place.shape}, "
                          f"not {value!r}") from None


def get_some(struct: Struct, name: str, c_name: str) -> Array:
    """The numbers of an array that are counted: the first n_name."""
    return get_array(struct, c_name)[:getattr(struct._c, "n_" + c_name)]


def set_some(struct: Struct, name: str, c_name: str, value: ArrayLike) -> None:
    """The first numbers of an array, and how many they are."""
    place = array_view(getattr(writable(struct, name), c_name), struct)
    given = of_numbers(struct, name, value, place)
    if given.ndim != 1 or len(given) > len(place):
        raise BadArgument(f"{label(struct, name)}: expected at most {len(place)} numbers, not {value!r}")
    place[...] = 0.0
    place[:len(given)] = given
    setattr(struct._c, "n_" + c_name, len(given))


def of_kind(struct: Struct, name: str, value: Any, c_name: str) -> Any:
    """The struct of C of a value that must have that type."""
    kind = c_name.removeprefix("struct ")
    if not isinstance(value, Struct) or value.c_name != kind:
        raise TypeError(f"{label(struct, name)}: expected a cond.{kind.removeprefix('Cond')}, not {value!r}")
    return value.pointer[0]


def set_struct(struct: Struct, name: str, value: Struct) -> None:
    setattr(writable(struct, name), name, of_kind(struct, name, value, ffi.typeof(getattr(struct._c, name)).cname))


def set_structs(struct: Struct, name: str, value: Sequence[Struct]) -> None:
    place = getattr(writable(struct, name), name)
    for i, item in enumerate(listed(struct, name, value, len(place))):
        place[i] = of_kind(struct, f"{name}[{i}]", item, ffi.typeof(place).item.cname)


def get_list(struct: Struct, name: str, c_name: str, kind: type[S]) -> StructList[S]:
    """A list of structs: the struct's own, or, of a struct that is for reading, as C has it."""
    kept: StructList[S] | None = struct._keep.get(name)
    if kept is None:
        place = getattr(struct._c, c_name)
        items = [kind.from_c(place[i], struct) for i in range(getattr(struct._c, "n_" + c_name))]
        kept = StructList(kind, label(struct, name), items, struct._locked)
        if not struct._locked:
            struct._keep[name] = kept
    return kept


def set_list(struct: Struct, name: str, kind: type[S], value: Iterable[S]) -> None:
    """A list of structs, copied."""
    writable(struct, name)
    struct._keep[name] = StructList(kind, label(struct, name), listed(struct, name, value))


def get_numbers(struct: Struct, name: str, c_name: str) -> Array:
    if c_name == "heights":
        shape: tuple[int, ...] = (struct._c.n_row, struct._c.n_column)
    else:
        shape = (getattr(struct._c, "n_" + c_name), 3)
    if struct._locked or name not in struct._keep:
        return view(getattr(struct._c, c_name), shape, struct)
    kept: Array = struct._keep[name]
    return kept


def set_numbers(struct: Struct, name: str, c_name: str, value: ArrayLike) -> None:
    """An array, copied, and its length: n_name points of three numbers, or heights with n_row and n_column."""
    place = writable(struct, name)
    array = np.array(value, np.float64, order="C", ndmin=2)
    if c_name == "heights":
        place.n_row, place.n_column = array.shape
    elif array.size == 0:
        setattr(place, "n_" + c_name, 0)
    elif array.shape[1:] != (3,):
        raise BadArgument(f"{label(struct, name)}: expected the shape (n, 3), not {array.shape}")
    else:
        setattr(place, "n_" + c_name, array.shape[0])
    setattr(place, c_name, doubles(array) if array.size else ffi.NULL)
    struct._keep[name] = array
