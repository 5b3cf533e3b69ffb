"""Progress on standard error: a line that changes in place on a terminal, else one plain line every ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from podproof.checker.core.printer import visible
from podproof.cli import terminal
from podproof.cli.streams import say
from podproof.queries.progress import Listener, listen
from podproof.reports.layout import Detail

if TYPE_CHECKING:
    from rich.spinner import Spinner
    from rich.table import Table

PLAIN_SECONDS = 10.0
_open: list[Callable[[str], None]] = []
"""What writes the line that is shown; one that is opened meanwhile is written there, too."""


@contextmanager
def _stage(title: str) -> Iterator[Callable[[str], None]]:
    """Tell whoever sits before the terminal; what `progress.stage` of the queries gives while a command runs."""
    if terminal.detail() is Detail.QUIET:
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


def to_terminal() -> AbstractContextManager[None]:
    """What queries say while this is open goes to standard error."""
    return listen(Listener(_stage, terminal.note))
