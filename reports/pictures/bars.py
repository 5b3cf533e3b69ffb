"""A chart of bars: columns from left to right, and for each row where something is so and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podproof.reports.layout import wrap
from podproof.reports.pictures import mermaid
from podproof.reports.pictures.canvas import CHANGED, FAINT, INK, RULE, Canvas, plain_text, text_width
from podproof.reports.pictures.drawing import BOLD

SIZE, ROW, HEAD, HEAD_LINE, COLUMN = 11.0, 34.0, 40.0, 14.0, 112.0
LETTERS = 18
LEFT = 260
"""Room for the names of the rows in a Mermaid chart, in pixels."""
TRUE, SOMETIMES = "#cfe3d4", CHANGED


@dataclass(frozen=True)
class BarRow:
    """A row: what is said of it in each column, empty for nothing."""

    name: str
    note: str
    """Small, below the name."""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class BarChart:
    """Bars are where cells say the same. `columns` has the head of each column, `axis` says what they are."""

    name: str
    axis: str
    columns: tuple[str, ...]
    rows: tuple[BarRow, ...]
    caption: Sequence[str]
    certain: str = ""
    """The text of bars that are so throughout; empty where all are."""

    def is_certain(self, text: str) -> bool:
        return not self.certain or text == self.certain

    def dot(self) -> str:
        """DOT whose nodes stand where they are put."""
        canvas, left = Canvas(self.name, margin=16), self._left()
        heads = [wrap(column, LETTERS) for column in self.columns]
        head = max(HEAD, HEAD_LINE * max(map(len, heads), default=0) + 8)
        bottom = head + ROW * len(self.rows)
        for i, lines in enumerate(heads):
            at = left + i * COLUMN
            label = "\\n".join(map(plain_text, lines))
            look = {"label": label, "fontname": BOLD, "fontsize": f"{SIZE:g}", "color": RULE, "style": "filled"}
            canvas.box(f"h{i}", at, 0, COLUMN, head, fillcolor="#f2f4f7", **look)
            canvas.box(f"v{i}", at, head, COLUMN, bottom - head, color="#e4e8ed")
        for j, row in enumerate(self.rows):
            top = head + j * ROW
            canvas.text(f"r{j}", 0, top + 2, left, 16, row.name, fontname=BOLD, fontsize=f"{SIZE:g}")
            canvas.text(f"r{j}l", 0, top + 17, left, 12, row.note, fontsize="8.5", fontcolor=FAINT)
            for start, end, text in bars(row.cells):
                sure = self.is_certain(text)
                look = {"label": plain_text(text), "fontsize": "10", "fillcolor": TRUE if sure else SOMETIMES}
                look["style"] = "filled,rounded," + ("solid" if sure else "dashed")
                at, width = left + start * COLUMN + 3, (end - start) * COLUMN - 6
                canvas.box(f"r{j}b{start}", at, top + 5, width, ROW - 10, color=INK, **look)
        top = bottom + 14
        for i, text in enumerate(self.caption):
            ink = INK if i == 0 else FAINT
            canvas.text(f"c{i}", 0, top, text_width(text, SIZE) + 10, 15, text, fontsize=f"{SIZE:g}", fontcolor=ink)
            top += 16
        return str(canvas.graph.source)

    def _left(self) -> float:
        return max(text_width(row.name, SIZE, bold=True) for row in self.rows) + 12

    def mermaid(self) -> str:
        """A Gantt chart whose days are the columns."""
        settings = {"gantt": {"leftPadding": LEFT, "barHeight": 22, "fontSize": 12, "sectionFontSize": 13}}
        out = [*mermaid.title(self.caption, settings), "gantt", *mermaid.comments(self.caption)]
        # An axis format without a directive writes the same at every tick: there is no time here.
        out += ["    dateFormat x", "    axisFormat |", f"    section {mermaid.escape(self.axis)}"]
        out += [f"    {mermaid.escape(column)} :done, {i}, {i + 1}" for i, column in enumerate(self.columns)]
        for row in self.rows:
            out.append(f"    section {mermaid.escape(row.name)}")
            out += [
                f"    {mermaid.escape(text)} :{'' if self.is_certain(text) else 'active, '}{start}, {end}"
                for start, end, text in bars(row.cells)
            ]
        return "\n".join(out) + "\n"


def bars(cells: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where cells that say the same begin and end, and what they say; nothing for those that say nothing."""
    found: list[tuple[int, int, str]] = []
    for i, text in enumerate(cells):
        if text and found and found[-1][1:] == (i, text):
            found[-1] = (found[-1][0], i + 1, text)
        elif text:
            found.append((i, i + 1, text))
    return found
