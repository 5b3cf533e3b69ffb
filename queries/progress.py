"""How far a query has come. Nobody hears it until `listen` names who does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace

from podproof.checker.core.system import Progress

Tell = Callable[[str], None]
"""Takes a line that says how things stand."""


@dataclass(frozen=True)
class Listener:
    """Who hears what is said while a query runs."""

    stage: Callable[[str], AbstractContextManager[Tell]]
    """Takes the title of what begins, and is open until that ends."""
    note: Tell
    """Takes what is to be said about a run, and is no result."""


_NOBODY = Listener(lambda title: nullcontext(lambda line: None), lambda text: None)
_listeners = [_NOBODY]
"""The last one hears, in every thread."""


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """What is said while this is open is for this listener."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def silent() -> AbstractContextManager[None]:
    """In a process that works for another one: there, nobody hears how far it has come."""
    return listen(replace(_listeners[-1], stage=_NOBODY.stage))


def stage(title: str) -> AbstractContextManager[Tell]:
    """A function to be called with a line that says how things stand, while this is open."""
    return _listeners[-1].stage(title)


def note(text: str) -> None:
    """Say something about the run, which is no result."""
    _listeners[-1].note(text)


@contextmanager
def show_progress(title: str) -> Iterator[Callable[[Progress], None]]:
    """A function to be called with every Progress, while this is open."""
    with stage(title) as tell:
        yield lambda progress: tell(line_of(title, progress))


def line_of(title: str, progress: Progress) -> str:
    """One line about a running exploration."""
    if progress.nodes:
        found = f"{progress.states:.2e} states in {progress.nodes:,} nodes"
        return f"{title}: {found}, {progress.bytes / 2**20:,.0f} MiB, {progress.seconds:.0f} s"
    rate = progress.states / max(progress.seconds, 1e-9)
    where = f", depth {progress.depth}, frontier {progress.frontier:,}" if progress.frontier else ""
    return (
        f"{title}: {progress.states:,} states, {rate:,.0f} states/s{where}, "
        f"{progress.bytes / 2**20:,.0f} MiB, {progress.seconds:.0f} s"
    )
