"""Columns, wrapping and colour for text of a given width."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from podproof.checker.core.printer import number_of as number_of
from podproof.checker.core.printer import visible

_CODES = {"red": "31;1", "yellow": "33;1", "green": "32", "dim": "2", "bold": "1"}
_SEAL = os.urandom(8).hex()
"""Stands in a colour until it is written. Nobody else knows it, so that nobody's text can pass for a colour."""


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
        return f"\x1b{_SEAL}{_CODES[color]}m{visible(text)}\x1b{_SEAL}0m" if self.color else text

    def paragraph(self, text: str, indent: int, first: str = "") -> Iterable[str]:
        """Lines of wrapped text; `first` begins the first one, in place of the indent."""
        return wrap(
            text,
            self.width,
            initial_indent=first.ljust(indent),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def text_of(lines: Iterable[str]) -> str:
    """Lines as text for people. Each stays one line that only says something, whatever a file has put into it."""
    return "".join(f"{visible(line)}\n" for line in lines).replace(f"\\x1b{_SEAL}", "\x1b[")


def wrap(text: str, width: int, **options: Any) -> list[str]:
    """As `textwrap.wrap`, which would put spaces for what cannot be seen."""
    return textwrap.wrap(visible(text), max(1, width), **options)


def wrap_names(
    text: str, width: int, joints: str = r"(?<=[._])(?=\w)|(?=\[)|(?<=[a-z])(?=[A-Z])", **options: Any
) -> list[str]:
    """The same, where a name that is too long for a line is broken between its parts, which these joints part."""
    joint = "\N{WORD JOINER}"

    def loose(word: re.Match[str]) -> str:
        return re.sub(joints, f"{joint} ", word[0]) if len(word[0]) > width - 2 else word[0]

    lines = textwrap.wrap(re.sub(r"\S+", loose, visible(text)), max(1, width), **options)
    return [line.replace(f"{joint} ", "").removesuffix(joint) for line in lines]


def wrap_items(items: Sequence[str], width: int, wrap: Callable[..., list[str]] = wrap) -> list[str]:
    """Items separated by commas, broken between items where that is enough."""
    lines: list[str] = []
    for i, item in enumerate(items):
        text = visible(item) + ("," if i + 1 < len(items) else "")
        if lines and len(lines[-1]) + 1 + len(text) <= width:
            lines[-1] += " " + text
        else:
            lines += wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
    return lines
