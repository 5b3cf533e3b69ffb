"""Progress on standard error: a line that changes in place on a terminal, else one plain line every ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from podproof.checker.core.printer import visible
from podproof.checker.core.system import Progress
from podproof.cli import terminal
from podproof.cli.streams import say
from podproof.reports.layout import Detail

if TYPE_CHECKING:
    from rich.spinner import Spinner
    from rich.table import Table

PLAIN_SECONDS = 10.0
is_shown = True
"""Not in a process that works for another one."""
_open: list[Callable[[str], None]] = []
"""What writes the line that is shown; one that is opened meanwhile is written there, too."""


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


@contextmanager
def show_progress(title: str) -> Iterator[Callable[[Progress], None]]:
    """A function to be called with every Progress, while this is open."""
    with told(title) as tell:
        yield lambda progress: tell(line_of(title, progress))


@contextmanager
def told(title: str) -> Iterator[Callable[[str], None]]:
    """A function to be called with a line that says how things stand, while this is open."""
    if terminal.detail() is Detail.QUIET or not is_shown:
        yield lambda line: None
    elif _open:
        yield _open[-1]
    else:
        with _terminal_line(title) if sys.stderr.isatty() else nullcontext(_plain_line()) as tell:
            _open.append(tell)
            try:
                yield tell
            finally:
                _open.pop()


@contextmanager
def _terminal_line(title: str) -> Iterator[Callable[[str], None]]:
    from rich.console import Console  # Only a terminal is worth the time that it takes to load.
    from rich.live import Live
    from rich.spinner import Spinner

    # The spinner turns while the search is busy with something that it cannot report from.
    spinner = Spinner("dots")
    first, console = _fit(spinner, title), Console(stderr=True)
    with Live(first, console=console, transient=True, refresh_per_second=8) as live:
        yield lambda line: live.update(_fit(spinner, line))


def _plain_line() -> Callable[[str], None]:
    last = time.monotonic()

    def plain(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_SECONDS:
            last = time.monotonic()
            say(line)

    return plain


def _fit(spinner: Spinner, line: str) -> Table:
    """A spinner and a line that is cut where the terminal ends, so that both can be wiped again."""
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_column(no_wrap=True)
    row.add_column(no_wrap=True, overflow="ellipsis")
    row.add_row(spinner, Text(visible(line), no_wrap=True, overflow="ellipsis"))
    return row
