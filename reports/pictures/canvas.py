"""A Graphviz graph whose nodes stand where they are put: boxes, lines of text and arrows, in points.

`dot` lays rows of tables out only with HTML-like labels, which the pip engine cannot read; pinned nodes look the same
in both. The y axis points down, as in SVG.
"""

from __future__ import annotations

import itertools
import re

import graphviz

from podproof.checker.core.printer import visible
from podproof.reports.pictures.drawing import BOLD, FONT

POINTS = 72
INK, FAINT, RULE, CHANGED, WRONG = "#1f2933", "#66727f", "#c3ccd6", "#ffeec2", "#b42318"

_NARROW, _WIDE = frozenset("iljtfrI.,:;'()[]|! "), frozenset("mwMWG@%→←●✗")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a line of Helvetica is, rather too wide than too narrow: a viewer may have another font."""
    ems = sum(0.38 if c in _NARROW else 0.95 if c in _WIDE else 0.72 if c.isupper() else 0.62 for c in text)
    return ems * size * (1.1 if bold else 1.0)


def plain_text(text: str) -> str:
    """Any text as a label that Graphviz shows as it is: no escape sequence, no entity, no markup.

    A label in angle brackets would be markup.
    """
    return re.sub("^<", "&lt;", visible(str(text)).replace("&", "&amp;").replace("\\", "\\\\"))


class Canvas:
    """Collects pinned nodes and the arrows between them."""

    def __init__(self, name: str, margin: float) -> None:
        self.graph = graphviz.Digraph(
            name,
            graph_attr={"layout": "neato", "splines": "line", "pad": f"{margin / POINTS:.3f}", "bgcolor": "white"},
            node_attr={"fontname": FONT, "fontcolor": INK, "fixedsize": "true", "penwidth": "1"},
            edge_attr={"color": INK, "penwidth": "1.3", "arrowsize": "0.8"},
        )

    def box(self, name: str, left: float, top: float, width: float, height: float, **attributes: str) -> None:
        """A rectangle without text, unless `attributes` say otherwise."""
        size = {"width": f"{width / POINTS:.3f}", "height": f"{height / POINTS:.3f}"}
        look = {"shape": "box", "label": "", **size, **attributes}
        self.graph.node(name, pos=_position(left + width / 2, top + height / 2), **look)

    def text(self, name: str, left: float, top: float, width: float, height: float, text: str, **look: str) -> None:
        """Lines of text at the left of a rectangle, which is filled where `look` has a fillcolor."""
        # An empty line would be written past the end of a buffer in Graphviz 16.1, and only the next drawing crash.
        lines = "".join(plain_text(line) + "\\l" for line in text.split("\n") if line)
        style = {"style": "filled", "color": look["fillcolor"]} if "fillcolor" in look else {"color": "none"}
        self.box(name, left, top, width, height, **{"label": lines, "margin": "0.03,0", **style, **look})

    def centred(self, name: str, x: float, bottom: float, lines: list[str], size: float) -> None:
        """Bold lines above a point."""
        height = len(lines) * size * 1.25
        width = max(text_width(line, size, bold=True) for line in lines)
        label = "\\n".join(map(plain_text, lines))
        look = {"fontname": BOLD, "fontsize": f"{size:g}", "color": "none"}
        self.box(name, x - width / 2, bottom - height, width, height, label=label, **look)

    def corner(self, name: str, x: float, y: float) -> None:
        """Where an arrow bends."""
        self.graph.node(name, shape="point", width="0.01", height="0.01", style="invis", pos=_position(x, y))

    def arrow(self, *names: str, tooltip: str) -> None:
        """An arrow through all these nodes."""
        for i, (tail, head) in enumerate(itertools.pairwise(names), 2):
            look = {"edgetooltip": plain_text(tooltip)}
            self.graph.edge(tail, head, **look, **({} if i == len(names) else {"arrowhead": "none"}))


def _position(x: float, y: float) -> str:
    return f"{x / POINTS:.3f},{-y / POINTS:.3f}!"
