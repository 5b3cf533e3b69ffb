"""Columns, wrapping and colour for text of a given width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

_CODES = {"red": "31;1", "yellow": "33;1", "green": "32", "dim": "2", "bold": "1"}


class Detail(Enum):
    """How much a report says."""

    QUIET = "quiet"
    """Only what is violated or undecided, and the last line."""
    NORMAL = "normal"
    FULL = "full"


@dataclass(frozen=True)
class Style:
    """How wide a report is, how much it says, and whether it may use colour; without colour it says the same."""

    width: int = 120
    color: bool = False
    detail: Detail = Detail.NORMAL

    def paint(self, text: str, color: str) -> str:
        return f"\x1b[{_CODES[color]}m{text}\x1b[0m" if self.color else text

    def paragraph(self, text: str, indent: int, first: str = "") -> Iterable[str]:
        """Lines of wrapped text; `first` begins the first one, in place of the indent."""
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=first.ljust(indent),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def wrap_items(items: Sequence[str], width: int) -> list[str]:
    """Items separated by commas, broken between items where that is enough."""
    lines: list[str] = []
    for i, item in enumerate(items):
        text = item + ("," if i + 1 < len(items) else "")
        if lines and len(lines[-1]) + 1 + len(text) <= width:
            lines[-1] += " " + text
        else:
            lines += textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
    return lines


def table(rows: Sequence[Sequence[str]], indent: int) -> Iterable[str]:
    """Aligned columns: the first to the left, the others, which are numbers, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        yield (" " * indent + "  ".join(cells)).rstrip()


def counted(number: int, noun: str) -> str:
    """`1 step`, `2 steps`, `68,123 states`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
