"""One function of the kubelet as a flow chart: what it asks, what it sets, whom it calls, each with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import graphviz

from podproof.checker.core.graph import Line
from podproof.reports.layout import wrap
from podproof.reports.pictures import mermaid, plantuml
from podproof.reports.pictures.canvas import CHANGED, POINTS, WRONG, plain_text, text_width
from podproof.reports.pictures.diagram import EDGE, NODE, frame
from podproof.reports.pictures.drawing import FONT

LETTERS = 50
SIZE = 11.0


class BoxKind(Enum):
    """What a box of the chart stands for."""

    BEGIN = "begin"
    GUARD = "guard"
    """What has to hold, or the event cannot happen."""
    DECISION = "decision"
    LOOP = "loop"
    UPDATE = "update"
    CALL = "call"
    """A function that has a chart of its own."""
    ERROR = "error"
    """A log line that says "programmer error"."""
    END = "end"


@dataclass(frozen=True)
class Box:
    """One box of the chart."""

    kind: BoxKind
    lines: tuple[str, ...]
    at: Line


@dataclass(frozen=True)
class Arrow:
    """From a box to another, by their numbers; `label` is yes, no or empty."""

    source: int
    target: int
    label: str


@dataclass(frozen=True)
class Chart:
    """The decision structure of one function."""

    name: str
    """The Go name."""
    defined: str
    """Class and file of the method that runs."""
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    aside: str = ""
    """Said behind the name: which half it is, or that another release has another name for it."""
    note: str = ""
    """A line below the title that explains this."""


@dataclass(frozen=True)
class FlowChart:
    """A chart with its caption."""

    chart: Chart
    where: str
    """Version and environment."""
    command: str

    @property
    def caption(self) -> list[str]:
        chart = self.chart
        aside = f" ({chart.aside})" if chart.aside else ""
        notes = [chart.note] if chart.note else []
        return [f"{chart.name}{aside}: {self.where}", *notes, f"read from {chart.defined}", f"$ {self.command}"]

    def dot(self) -> str:
        look = frame(self.caption) | {"nodesep": "0.3", "ranksep": "0.3"}
        graph = graphviz.Digraph("flow", graph_attr=look, node_attr=NODE | {"fontname": FONT}, edge_attr=EDGE)
        for i, box in enumerate(self.chart.boxes):
            lines = _text(box)
            widest = max(text_width(line, SIZE) for line in [*lines, _place(box)])
            width = widest / POINTS + (0.5 if box.kind in _ASKS else 0.2)
            # The line's number last, to the right where the box has a corner there.
            end = "\\n" if box.kind in _ASKS else "\\r"
            label = "".join(plain_text(line) + "\\n" for line in lines) + plain_text(_place(box)) + end
            graph.node(f"n{i}", label=label, width=f"{width:.2f}", **_LOOKS[box.kind])
        for arrow in self.chart.arrows:
            said = {"label": f" {arrow.label} "} if arrow.label else {}
            graph.edge(f"n{arrow.source}", f"n{arrow.target}", **said)
        return str(graph.source)

    def mermaid(self) -> str:
        out = [*mermaid.title(self.caption), "flowchart TD", *mermaid.comments(self.caption)]
        for i, box in enumerate(self.chart.boxes):
            left, right = _BRACKETS[box.kind]
            text = "<br/>".join(map(mermaid.escape, [*_text(box), _place(box)]))
            out.append(f'    n{i}{left}"{text}"{right}')
        for arrow in self.chart.arrows:
            label = f"|{arrow.label}|" if arrow.label else ""
            out.append(f"    n{arrow.source} -->{label} n{arrow.target}")
        return "\n".join(out) + "\n"

    def plantuml(self) -> str:
        out = ["hide empty description"]
        for i, box in enumerate(self.chart.boxes):
            out.append(
                f'state "{plantuml.label([*_text(box), _place(box)])}" as n{i} {_COLOURS.get(box.kind, "")}'.rstrip()
            )
        for arrow in self.chart.arrows:
            out.append(f"n{arrow.source} --> n{arrow.target}" + (f" : {arrow.label}" if arrow.label else ""))
        return plantuml.document(self.caption, out)


def _text(box: Box) -> list[str]:
    return [
        part
        for line in box.lines
        for part in wrap(line, LETTERS, subsequent_indent="    ", break_long_words=False) or ["-"]
    ]


def _place(box: Box) -> str:
    """File and line, without the folder: it stands in the caption."""
    return f"{box.at.file.rpartition('/')[2]}:{box.at.number}"


_ASKS = (BoxKind.DECISION, BoxKind.GUARD, BoxKind.LOOP)
_LOOKS: Mapping[BoxKind, Mapping[str, str]] = {
    BoxKind.BEGIN: {"shape": "box", "style": "rounded,filled", "penwidth": "2.5", "fillcolor": CHANGED},
    BoxKind.GUARD: {"shape": "hexagon", "style": "filled", "margin": "0,0.03", "fillcolor": "#f2f4f7"},
    BoxKind.DECISION: {"shape": "hexagon", "style": "filled", "margin": "0,0.03", "fillcolor": "#e8f0fb"},
    BoxKind.LOOP: {"shape": "hexagon", "style": "filled", "margin": "0,0.03", "fillcolor": "#eef6ef"},
    BoxKind.UPDATE: {"shape": "box", "style": "filled"},
    BoxKind.CALL: {"shape": "box", "style": "filled", "peripheries": "2"},
    BoxKind.ERROR: {"shape": "box", "style": "filled", "color": WRONG},
    BoxKind.END: {"shape": "box", "style": "rounded,filled", "fillcolor": "#e4e8ed"},
}
_BRACKETS: Mapping[BoxKind, Sequence[str]] = {
    BoxKind.BEGIN: ("([", "])"),
    BoxKind.GUARD: ("[/", "/]"),
    BoxKind.DECISION: ("{{", "}}"),
    BoxKind.LOOP: ("{{", "}}"),
    BoxKind.UPDATE: ("[", "]"),
    BoxKind.CALL: ("[[", "]]"),
    BoxKind.ERROR: (">", "]"),
    BoxKind.END: ("([", "])"),
}
_COLOURS: Mapping[BoxKind, str] = {
    BoxKind.BEGIN: "#FFEEC2",
    BoxKind.GUARD: "#F2F4F7",
    BoxKind.DECISION: "#E8F0FB",
    BoxKind.LOOP: "#EEF6EF",
    BoxKind.ERROR: "#FBE3E1",
    BoxKind.END: "#E4E8ED",
}
