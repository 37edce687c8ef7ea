"""Memory that C and Python share: handles that release in any order, and arrays on C memory that keep it alive."""
from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, Forked, check

Array = NDArray[np.float64]
Path = str | os.PathLike[str]

# --- handles --------------------------------------------------------------------------------------


class Process:
    """Whether the library was used here, and whether this process was forked off within a loop of it."""

    used: ClassVar[bool] = False
    torn: ClassVar[bool] = False


class ForkedLibrary:
    """Takes the place of `lib` in a process that was forked off within a loop of the library: the threads of the loop
    stayed behind, and the next one would wait for them for ever."""

    def __getattr__(self, name: str) -> Any:
        raise Forked(
            f"{name}: this process was forked from within a call of cond, such as a reward in Python, whose threads "
            "are not here; fork between two calls"
        )


def before_fork() -> None:
    """Ends the threads that wait for the next loop: a child has none of them, and starts its own."""
    Process.torn = Process.used and lib.cond_threads_end() != 0


def after_fork() -> None:
    """In a child that was forked off within a loop puts ForkedLibrary in the place of `lib` in all modules."""
    if not Process.torn:
        return
    for name, module in list(sys.modules.items()):
        if (name == "cond" or name.startswith("cond.")) and hasattr(module, "lib") and name != "cond._cond":
            module.lib = ForkedLibrary()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_child=after_fork)


class Life:
    """Counts the users of an object of the library. Python finalises objects that refer to each other in a circle in
    any order, so that references alone do not say which user is the last one, which destroys it. Each of them takes a
    token; taking one is a single step of the interpreter, so that threads need no lock."""

    __slots__ = ("destroy", "needs", "pointer", "tokens")

    def __init__(self, pointer: Any, destroy: Callable[[Any], None], needs: tuple[Life, ...]) -> None:
        self.pointer, self.destroy, self.needs = pointer, destroy, needs
        self.tokens = ["last"]
        for need in needs:
            need.tokens.append("more")

    def release(self) -> None:
        """A user of the object is gone."""
        if self.tokens.pop() == "last":
            self.destroy(self.pointer)
            for need in self.needs:
                need.release()


LIVES: dict[int, Life] = {}  # by the id of the handle


def own(pointer: Any, destroy: Callable[[Any], None], *needs: Any) -> Any:
    """The pointer as a handle that destroys what it points to when there is no reference to it any more; until then
    `needs`, handles of what that stands on and other objects, are kept, in whatever order the objects of Python go."""
    Process.used = True
    life = Life(pointer, destroy, tuple(LIVES[id(need)] for need in needs if id(need) in LIVES))

    def release(_: Any, kept: tuple[Any, ...] = needs) -> None:
        del LIVES[number]
        life.release()

    handle = ffi.gc(pointer, release)
    number = id(handle)
    LIVES[number] = life
    return handle


def disown(handle: Any) -> Any:
    """The pointer of a handle whose object has a new owner."""
    del LIVES[id(handle)]
    return ffi.gc(handle, None)


def path_bytes(path: Path) -> bytes:
    """A path as the library takes it."""
    if isinstance(path, dict):
        raise TypeError("expected the path of a file, not a dict; a scene of dicts is read as a text: "
                        "cond.Scene.from_text(json.dumps(scene))")
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"expected the path of a file, not {path!r}")
    return os.fsencode(path)


def text(value: Any) -> str:
    """A text of C; "" for NULL."""
    return "" if value == ffi.NULL else str(ffi.string(value).decode(errors="replace"))


def maybe(value: Any) -> str | None:
    """A text of C; None for NULL."""
    return None if value == ffi.NULL else text(value)


def share(name: str = "") -> str:
    """Path of a file that ships with COND: "scenes/drop.yaml", "viewer.html"."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "share", "cond", name)


# --- arrays ---------------------------------------------------------------------------------------

TYPES = {"double": "<f8", "float": "<f4", "int": "<i4", "unsigned int": "<u4", "uint32_t": "<u4",
         "uint8_t": "|u1", "uint64_t": "<u8", "int32_t": "<i4", "int64_t": "<i8", "size_t": "<u8"}
if sys.byteorder == "big":
    TYPES = {name: kind.replace("<", ">") for name, kind in TYPES.items()}


# Whether arrays that come by __dlpack__ may be written to: older ones cannot know, and are for reading.
DLPACK_WRITES = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


class Memory:
    """A piece of C memory as NumPy takes it over; `owner` lives as long as arrays on it do."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, shape: tuple[int, ...], kind: str, owner: Any, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (address, not writable), "shape": shape, "typestr": kind, "version": 3}


class Shown(np.ndarray[Any, np.dtype[Any]]):
    """Memory of the library that is for reading. Others that take arrays over without asking whether they may write,
    as PyTorch does, get a copy; what is computed with it is a plain array."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar or plain.ndim == 0 else plain

    def __dlpack__(self, **asked: Any) -> Any:
        if asked.get("copy") is False:
            raise BufferError("this array is memory of cond and for reading: copy it")
        return self.copy().__dlpack__(**{name: value for name, value in asked.items() if name != "copy"})

    def copy(self, order: Any = "C") -> Any:
        return np.array(self, order=order)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.copy().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def view(pointer: Any, shape: tuple[int, ...], owner: Any, writable: bool = False) -> NDArray[Any]:
    """An array on the C memory that a pointer points to, which `owner` keeps alive."""
    kind = TYPES[ffi.typeof(pointer).item.cname]
    if 0 in shape or pointer == ffi.NULL:
        return np.empty(tuple(0 if pointer == ffi.NULL and i == 0 else n for i, n in enumerate(shape)), kind)
    address = int(ffi.cast("uintptr_t", pointer))
    array: NDArray[Any] = np.asarray(Memory(address, shape, kind, owner, writable))
    return array if writable else array.view(Shown)


def array_view(field: Any, owner: Any, writable: bool = True) -> Array:
    """A fixed array of a struct, of one or two dimensions."""
    ctype, shape = ffi.typeof(field), []
    while ctype.kind == "array":
        shape.append(ctype.length)
        ctype = ctype.item
    address = int(ffi.cast("uintptr_t", ffi.addressof(field)))
    array: Array = np.asarray(Memory(address, tuple(shape), TYPES[ctype.cname], owner, writable))
    return array if writable else array.view(Shown)


def numbers(values: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """The values as contiguous doubles of that shape, without a copy where they are so already."""
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        raise BadArgument(f"{what}: expected numbers of the shape {shape}, not {values!r}") from None
    if array.shape != shape:
        raise BadArgument(f"{what}: expected the shape {shape}, not {array.shape}")
    return array


def accept(status: int, what: str, why: str = "", **given: Any) -> int:
    """Raises for a negative status. Of what was given, the first number that is not finite is named; else `why` says
    what the library expects."""
    if status >= 0:
        return status
    for name, values in given.items():
        array = np.asarray(0.0 if values is None else values, np.float64)
        for place in np.argwhere(~np.isfinite(array))[:1]:
            index = "".join(f"[{k}]" for k in place)
            raise BadArgument(f"{what}: {name}{index} is {array[tuple(place)]}, expected a finite number")
    if why and status == lib.COND_BAD_ARGUMENT:
        raise BadArgument(f"{what}: {why}")
    return check(status, what=what)


def target(out: Any, shape: tuple[int, ...], what: str, kind: Any = np.float64) -> NDArray[Any]:
    """An array to write into: a new one, or the caller's own (NumPy, anything with the buffer protocol or
    __dlpack__ on this machine's memory), which must fit."""
    if out is None:
        return np.empty(shape, kind)
    taken = hasattr(out, "__dlpack__") and not isinstance(out, np.ndarray)
    array = np.from_dlpack(out) if taken else np.asarray(out)
    if taken and not array.flags.writeable and not DLPACK_WRITES:
        raise BadArgument(f"{what}: NumPy {np.__version__} takes over by __dlpack__ for reading alone; give an array "
                          "of NumPy on the same memory, or use NumPy 2.1 or later")
    if array.dtype != kind or array.shape != shape or not array.flags.c_contiguous or not array.flags.writeable:
        raise BadArgument(f"{what}: expected a writable contiguous array of {np.dtype(kind)} with the shape {shape}, "
                          f"not {array.dtype} with {array.shape}")
    return array


def doubles(array: NDArray[Any] | None) -> Any:
    """Pointer to the numbers of a contiguous array; NULL for None."""
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


def ints(array: NDArray[Any] | None) -> Any:
    return ffi.NULL if array is None else ffi.from_buffer("int[]", array)


def vector(values: ArrayLike, n: int, what: str) -> Any:
    """n doubles for C from what the caller gave."""
    if values is None:
        raise BadArgument(f"{what}: expected numbers of the shape ({n},), not None")
    if isinstance(values, (tuple, list)) and len(values) == n:  # a microsecond less than through an array
        try:
            return ffi.new("double[]", values)
        except TypeError:
            pass
    return doubles(numbers(values, (n,), what))


def vector_or_null(values: ArrayLike | None, n: int, what: str) -> Any:
    """n doubles for C; NULL for None, where the library has a meaning for it."""
    return ffi.NULL if values is None else vector(values, n, what)


def strings(values: Sequence[str]) -> tuple[int, Any, list[Any]]:
    """Count, char** and what keeps the texts alive."""
    kept = [ffi.new("char[]", value.encode()) for value in values]
    return len(kept), ffi.new("char*[]", kept) if kept else ffi.NULL, kept


DTYPES: dict[str, np.dtype[Any]] = {}


def dtype_of(c_name: str) -> np.dtype[Any]:
    """The layout of a struct of the library as a structured dtype, for many of them in one array."""
    if c_name not in DTYPES:
        names, formats, offsets = [], [], []
        for name, field in ffi.typeof(c_name).fields:
            ctype, shape = field.type, []
            while ctype.kind == "array":
                shape.append(ctype.length)
                ctype = ctype.item
            if ctype.kind == "struct":
                kind: Any = dtype_of(ctype.cname)
            elif ctype.kind == "enum":
                kind = "i4"
            elif ctype.cname == "char":
                kind = f"S{shape.pop()}"
            elif ctype.cname in TYPES:
                kind = TYPES[ctype.cname]
            else:
                continue
            names.append(name)
            formats.append((kind, tuple(shape)) if shape else kind)
            offsets.append(field.offset)
        DTYPES[c_name] = np.dtype({"names": names, "formats": formats, "offsets": offsets,
                                   "itemsize": ffi.sizeof(c_name)})
    return DTYPES[c_name]


def records(c_name: str, n: int) -> tuple[NDArray[Any], Any]:
    """n structs as a structured array, zero, and as a pointer for C."""
    array = np.zeros(n, dtype_of(c_name))
    return array, ffi.cast(f"{c_name}*", ffi.from_buffer(array)) if n else ffi.NULL


HDF5 = threading.RLock()
"""Held during calls of HDF5: its library serves one thread of a process at a time."""


def new_lock() -> threading.RLock:
    """Of an object that one thread at a time may work with, because calls let other threads run."""
    return threading.RLock()
