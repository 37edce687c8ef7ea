"""What the library refuses or fails at, as exceptions with its own message: file, line and key."""
from __future__ import annotations

from typing import Any

from cond._cond import ffi, lib


class Error(Exception):
    """A call of the library failed. `status` is the library's number for it (cond.Status)."""

    status: int = 0


class OutOfMemory(Error, MemoryError):
    """An allocation failed."""

    status = lib.COND_OUT_OF_MEMORY


class BadArgument(Error, ValueError):
    """A value handed to a function makes no sense."""

    status = lib.COND_BAD_ARGUMENT


class BadInput(Error, ValueError):
    """A file says something wrong; the message names file, line and key."""

    status = lib.COND_BAD_INPUT


class NoFile(Error, OSError):
    """A file cannot be opened or written."""

    status = lib.COND_NO_FILE


class Diverged(Error, ArithmeticError):
    """The numbers ran away; the last finite state is kept."""

    status = lib.COND_DIVERGED


class NotSupported(Error, NotImplementedError):
    """A valid request that this version cannot serve."""

    status = lib.COND_NOT_SUPPORTED


class Cancelled(Error):
    """The work was not wanted any more."""

    status = lib.COND_CANCELLED


class Forked(Error, RuntimeError):
    """The process was forked from within a call of the library, whose threads are not here."""


class NoEffect(UserWarning):
    """A warning: what was asked for has no effect, as targets of motors without stiffness have none."""


BY_STATUS: dict[int, type[Error]] = {
    kind.status: kind
    for kind in (OutOfMemory, BadArgument, BadInput, NoFile, Diverged, NotSupported, Cancelled)
}


def new_error() -> Any:
    """A CondError* to hand to a function of the library."""
    return ffi.new("CondError*")


def fail(status: int, message: str = "") -> Error:
    """The exception that a negative status stands for."""
    name: str = ffi.string(lib.cond_status_name(status)).decode()
    return BY_STATUS.get(status, Error)(message or name)


def last_message(status: int) -> str:
    """What the library says of the call that failed last in this thread; "" where that was another failure."""
    last = lib.cond_last_error()
    return ffi.string(last.message).decode(errors="replace") if last.status == status else ""


def check(status: int, error: Any = None, what: str = "") -> int:
    """Raises for a negative status, with the message of a CondError*, or else the library's message of the last failure
    behind `what` was asked; else returns it."""
    if status >= 0:
        return status
    message = ffi.string(error.message).decode(errors="replace") if error is not None else ""
    if not message:
        message = last_message(status) or ffi.string(lib.cond_status_name(status)).decode()
        message = f"{what}: {message}" if what and what not in message else message
    raise fail(status, message)
