"""What an answer consists of, whatever it is rendered as.

Texts may have `code` between backticks; everything else in them is shown as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from podproof.checker.core.system import System, Trace

if TYPE_CHECKING:
    from podproof.reports.pictures.life import Life

Look = Literal["good", "bad", "open", "plain"]


@dataclass(frozen=True)
class Paragraph:
    text: str
    is_small: bool = False
    """Is it for who wants to know exactly?"""


@dataclass(frozen=True)
class Bullets:
    items: Sequence[str]


@dataclass(frozen=True)
class Table:
    head: Sequence[str]
    """Empty for none."""
    rows: Sequence[Sequence[str]]
    has_numbers: bool = False
    """Do all columns but the first have numbers?"""
    is_wrapped: bool = True
    """May a row have several lines where it is too long for one?"""
    looks: Mapping[str, Look] = field(default_factory=dict)
    """How a cell looks that begins with this letter."""


@dataclass(frozen=True)
class Verbatim:
    """Lines that keep their layout, in a language that a viewer may colour."""

    lines: Sequence[str]
    language: str = ""


Mark = Literal["both", "removed", "added"]


@dataclass(frozen=True)
class DiagramNode:
    name: str
    lines: Sequence[str]
    mark: Mark
    is_start: bool = False


@dataclass(frozen=True)
class DiagramEdge:
    source: str
    target: str
    lines: Sequence[str]
    mark: Mark


@dataclass(frozen=True)
class Diagram:
    """States and steps; `caption` says what they are and how the marks are to be read."""

    nodes: Sequence[DiagramNode]
    edges: Sequence[DiagramEdge]
    caption: str


@dataclass(frozen=True)
class LifePicture:
    """The life of pods in a trace, or in those of two versions."""

    life: Life


@dataclass(frozen=True)
class Fold:
    """Details that a page shows on demand. Text, which cannot fold, has them only where `in_text` says so."""

    title: str
    blocks: Sequence[Block]
    in_text: bool = False


Block = Paragraph | Bullets | Table | Verbatim | Diagram | LifePicture | Fold


@dataclass(frozen=True)
class Heading:
    text: str
    note: str = ""
    """What stands beside it."""


@dataclass(frozen=True)
class Items:
    """A list inside a paragraph, which breaks between the items."""

    items: Sequence[str]


@dataclass(frozen=True)
class Story:
    """A trace, as far as there is room for it."""

    system: System
    trace: Trace


@dataclass(frozen=True)
class Entry:
    """Parts in a column of their own, with a word to the left of the first line."""

    label: str
    parts: Sequence[Part]
    width: int = 10
    """Of the label's column."""
    look: Look = "plain"


Part = Block | Heading | Items | Story | Entry
"""A page has blocks only; what a terminal shows may have all of these."""
GAP = Verbatim([""])


def indented(parts: Sequence[Part]) -> Entry:
    return Entry("", parts, width=2)


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Page:
    title: str
    verdict: str
    """A word in capitals, and where, if it is not true everywhere."""
    summary: Sequence[str]
    sections: Sequence[Section]
    command: str
    proviso: str = ""
    """What the word is not to be read without; empty for nothing."""
    judgement: str = ""
    """Before the word: WORSE, NOT WORSE or CANNOT TELL; empty where nobody asked."""

    @property
    def headline(self) -> str:
        word = f"{self.judgement}: {self.verdict}" if self.judgement else self.verdict
        return f"{word}, but {self.proviso}" if self.proviso else word


def code(value: object) -> str:
    """Any value as code inside a text."""
    return "`" + str(value).replace("`", "'") + "`"


def spans(text: str) -> Iterator[tuple[bool, str]]:
    """The parts of a text: is it code, and what it says."""
    for part in re.split(r"(`[^`]+`)", text):
        if part:
            is_code = len(part) > 2 and part[0] == part[-1] == "`"
            yield is_code, part[1:-1] if is_code else part


def plain(text: str) -> str:
    """The text without marks."""
    return "".join(part for _, part in spans(text))
