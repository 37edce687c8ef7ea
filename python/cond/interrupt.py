"""Ctrl-C during long work: it ends between two steps, so that what is finished is whole."""
from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupt:
    """While it is open the first Ctrl-C waits for check(), which raises it; a second one comes through at once. In
    other threads than the main one, and where the program handles the signal itself, it changes nothing."""

    def __init__(self) -> None:
        self.asked = False
        self._old: object = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @property
    def active(self) -> bool:
        """Whether the signal comes here."""
        return self._old is not None

    def check(self) -> None:
        """Raises KeyboardInterrupt where it was asked for."""
        if self.asked:
            raise KeyboardInterrupt

    def __enter__(self) -> Interrupt:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._old = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.check()
