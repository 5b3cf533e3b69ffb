"""The page as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podproof.checker.core.printer import visible
from podproof.reports.difference.blocks import (
    Block,
    Bullets,
    Diagram,
    Fold,
    Page,
    Paragraph,
    Table,
    Verbatim,
    plain,
)
from podproof.reports.layout import Detail, Style, text_of, wrap

_COLORS = {"EQUIVALENT": "green", "DIFFERENT": "yellow", "UNDECIDED": "red"}
_NARROWEST = 8


def text_page(page: Page, style: Style) -> str:
    """The page, ending with a newline."""
    return text_of(_lines(page, style))


def _lines(page: Page, style: Style) -> Iterator[str]:
    yield f"{style.paint(page.title, 'bold')}"
    yield style.paint(page.verdict, _COLORS[page.verdict])
    for text in page.summary:
        yield from _wrap(plain(text), style.width, 2)
    if style.detail is Detail.QUIET:
        return
    for section in page.sections:
        yield ""
        yield style.paint(section.title.upper(), "bold")
        for block in section.blocks:
            yield from _block(block, style, 2)
    yield ""
    yield f"  again: {page.command}"
    yield "  -o markdown has it for a pull request, with a picture; -o html and -o json too"


def _block(block: Block, style: Style, indent: int) -> Iterator[str]:
    match block:
        case Paragraph():
            yield from _wrap(plain(block.text), style.width, indent)
        case Bullets():
            for item in block.items:
                yield from _wrap(plain(item), style.width, indent + 2, " " * indent + "- ")
        case Table():
            yield from table_lines([block.head, *block.rows], style.width, indent)
        case Verbatim():
            yield from (" " * indent + line if line else "" for line in block.lines)
        case Fold() if block.in_text or style.detail is Detail.FULL:
            yield ""
            yield from _wrap(plain(block.title), style.width, indent)
            for part in block.blocks:
                yield from _block(part, style, indent + 2)
        case Fold() | Diagram():
            return


def _wrap(text: str, width: int, indent: int, first: str = "") -> list[str]:
    return wrap(
        " ".join(visible(text).split()),
        width,
        initial_indent=first or " " * indent,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )


def table_lines(rows: Sequence[Sequence[str]], width: int, indent: int) -> Iterator[str]:
    """Aligned columns; cells wrap in their column where the table would be wider than the page."""
    cells = [[visible(plain(cell)) for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    words = [max(len(word) for cell in column for word in [*cell.split(), ""]) for column in columns]
    room = width - indent - 2 * (len(widths) - 1)
    for least in (words, [_NARROWEST] * len(words)):
        # First only between words, then, where that is not enough, within them.
        while sum(widths) > room and (wide := [i for i, w in enumerate(widths) if w > least[i]]):
            widths[max(wide, key=lambda i: widths[i])] -= 1
    for row in cells:
        wrapped = [wrap(cell, w, break_on_hyphens=False) or [""] for cell, w in zip(row, widths, strict=True)]
        for i in range(max(map(len, wrapped))):
            parts = [(lines[i] if i < len(lines) else "").ljust(w) for lines, w in zip(wrapped, widths, strict=True)]
            yield (" " * indent + "  ".join(parts)).rstrip()
