"""Ctrl-C that waits until the search is between two batches, where all that is counted fits together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupt:
    """Was Ctrl-C pressed?"""

    pressed: bool = False


@contextmanager
def postponed() -> Iterator[Interrupt]:
    """Note the first Ctrl-C instead of raising KeyboardInterrupt; a second one acts at once.

    Only where Python's own handler is in force, and in the main thread, which alone may change it.
    """
    found, usual = Interrupt(), signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield found
        return

    def note(_signal: int, _frame: FrameType | None) -> None:
        found.pressed = True
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, usual)
