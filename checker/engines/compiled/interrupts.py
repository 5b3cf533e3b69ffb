"""Ctrl-C, and what else is to end a search, waits until it is between two batches: there all counts fit together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupt:
    """Was Ctrl-C pressed, or did another signal come that means the same?"""

    pressed: bool = False


@contextmanager
def postponed() -> Iterator[Interrupt]:
    """Note the first Ctrl-C instead of raising KeyboardInterrupt; a second one acts at once.

    So with every signal for which Python's own handler of Ctrl-C is in force, and in the main thread, which alone may
    change it.
    """
    found, usual = Interrupt(), signal.default_int_handler
    in_main = threading.current_thread() is threading.main_thread()
    signals = [s for s in signal.valid_signals() if in_main and signal.getsignal(s) is usual]

    def note(_signal: int, _frame: FrameType | None) -> None:
        found.pressed = True
        handle_by(usual)

    def handle_by(handler: Callable[[int, FrameType | None], None]) -> None:
        for number in signals:
            signal.signal(number, handler)

    handle_by(note)
    try:
        yield found
    finally:
        handle_by(usual)
