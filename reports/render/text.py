"""A document as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from podproof.checker.core.printer import visible
from podproof.reports.document import (
    GAP,
    Bullets,
    Diagram,
    Entry,
    Fold,
    Heading,
    Items,
    LifePicture,
    Look,
    Page,
    Paragraph,
    Part,
    Story,
    Table,
    Verbatim,
    indented,
    plain,
)
from podproof.reports.layout import Detail, Style, text_of, wrap, wrap_items
from podproof.reports.story import story

_COLORS: Mapping[Look, str] = {"bad": "red", "open": "yellow", "good": "green"}
_LOOKS: Mapping[str, Look] = {"NOT WORSE": "good", "CANNOT TELL": "open", "WORSE": "bad"}
_NARROWEST = 8


_whole_words = partial(wrap, break_long_words=False)
"""An id that is broken can neither be found nor copied."""


def render_text(parts: Iterable[Part], style: Style) -> str:
    """The document, ending with a newline."""
    return text_of(line for part in parts for line in _lines(part, style, 0))


def headline(page: Page) -> Iterator[Part]:
    """The title, and the word with which a page answers."""
    yield Heading(page.title)
    yield Entry(page.headline, [], 0, _LOOKS.get(page.judgement, "open"))


def text_parts(page: Page, detail: Detail) -> Iterator[Part]:
    """A page as a terminal shows it."""
    yield from headline(page)
    yield indented([Paragraph(text) for text in page.summary])
    if detail is Detail.QUIET:
        return
    for section in page.sections:
        yield GAP
        yield Heading(section.title.upper())
        yield indented(section.blocks)
    yield GAP
    notes = [f"again: {page.command}", "-o markdown has it for a pull request, with a picture; -o html and -o json too"]
    yield indented([Verbatim(notes)])


def _lines(part: Part, style: Style, indent: int) -> Iterator[str]:
    pad = " " * indent
    match part:
        case Heading():
            yield f"{pad}{style.paint(part.text, 'bold')}{part.note}"
        case Paragraph():
            for line in style.paragraph(plain(part.text), indent):
                yield pad + style.paint(line[indent:], "dim") if part.is_small else line
        case Items():
            yield from (pad + line for line in wrap_items(part.items, style.width - indent, _whole_words))
        case Bullets():
            for item in part.items:
                yield from style.paragraph(plain(item), indent + 2, f"{pad}- ")
        case Table():
            yield from _table(part, style, indent)
        case Verbatim():
            yield from (pad + line if line else "" for line in part.lines)
        case Story():
            yield from story(part.system, part.trace, style, indent)
        case Entry():
            yield from _entry(part, style, indent)
        case Fold() if part.in_text or style.detail is Detail.FULL:
            yield ""
            yield from style.paragraph(plain(part.title), indent)
            yield from _lines(indented(part.blocks), style, indent)
        case Fold() | Diagram() | LifePicture():
            return


def _entry(entry: Entry, style: Style, indent: int) -> Iterator[str]:
    """The lines of the parts; the label takes the place of the space before the first of them."""
    column = indent + entry.width
    lines = (line for part in entry.parts for line in _lines(part, style, column))
    label = visible(entry.label)
    head = style.paint(label, _COLORS[entry.look]) if entry.look in _COLORS else label
    first = next(lines, "")[column:]
    yield f"{' ' * indent}{head}{' ' * (entry.width - len(label))}{first}".rstrip(" ")
    yield from lines


def _table(table: Table, style: Style, indent: int) -> Iterator[str]:
    """Aligned columns; cells wrap in their column where the table would be wider than the page."""
    cells = [[visible(plain(cell)) for cell in row] for row in [table.head, *table.rows] if row]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    words = [max(len(word) for cell in column for word in [*cell.split(), ""]) for column in columns]
    room = style.width - indent - 2 * (len(widths) - 1) if table.is_wrapped else sum(widths)
    for least in (words, [_NARROWEST] * len(words)):
        # First only between words, then, where that is not enough, within them.
        while sum(widths) > room and (wide := [i for i, w in enumerate(widths) if w > least[i]]):
            widths[max(wide, key=lambda i: widths[i])] -= 1
    for row in cells:
        wrapped = [wrap(cell, w, break_on_hyphens=False) or [""] for cell, w in zip(row, widths, strict=True)]
        for i in range(max(map(len, wrapped))):
            parts = [(lines[i] if i < len(lines) else "").ljust(w) for lines, w in zip(wrapped, widths, strict=True)]
            if table.has_numbers:
                parts = [parts[0], *(part.rstrip().rjust(w) for part, w in zip(parts[1:], widths[1:], strict=True))]
            painted = (_painted(part, table.looks.get(part[:1], "plain"), style) for part in parts)
            yield (" " * indent + "  ".join(painted)).rstrip()


def _painted(cell: str, look: Look, style: Style) -> str:
    """A cell that is as wide as before."""
    text = cell.rstrip()
    return (style.paint(text, _COLORS[look]) if look in _COLORS else text) + cell[len(text) :]
