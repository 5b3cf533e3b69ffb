"""A Graphviz graph whose nodes stand where they are put: boxes, lines of text and arrows, in points.

`dot` lays rows of tables out only with HTML-like labels, which the pip engine cannot read; pinned nodes look the same
in both. The y axis points down, as in SVG.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence

import graphviz

from podproof.checker.core.printer import visible
from podproof.reports.pictures.drawing import BOLD, FONT

POINTS = 72
INK, FAINT, RULE, WRONG, GREEN = "#1f2328", "#59636e", "#d1d9e0", "#b42318", "#1a7f37"

_NARROW, _WIDE = frozenset("iljtfrI.,:;'()[]|! "), frozenset("mwMWG@%→←●✗…")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a line of Helvetica is, rather too wide than too narrow: a viewer may have another font."""
    return sum(map(_ems, text)) * size * (1.1 if bold else 1.0)


def _ems(letter: str) -> float:
    if letter in _NARROW:
        return 0.38
    if unicodedata.east_asian_width(letter) in "WF":  # Graphviz counts their bytes.
        return 1.3
    return 0.95 if letter in _WIDE else 0.72 if letter.isupper() else 0.62


def plain_text(text: str) -> str:
    """Any text as a label that Graphviz shows as it is: no escape sequence, no entity, no markup.

    A label in angle brackets would be markup.
    """
    return re.sub("^<", "&lt;", visible(str(text)).replace("&", "&amp;").replace("\\", "\\\\"))


def roomy_label(lines: Sequence[str]) -> str:
    """Lines, to the left: they touch and pass nothing, even where the viewer has a wider font.

    A viewer drops ordinary spaces at the beginning, and spaces at the end only give room.
    """
    room = " " * (max(map(len, lines)) // 4 + 1)
    return "".join(f"\N{NO-BREAK SPACE}{plain_text(line)}{room}\\l" for line in lines)


class Canvas:
    """Collects nodes that stand where they are put, and lines between them, in the order in which they are drawn."""

    def __init__(self, name: str) -> None:
        self.graph = graphviz.Digraph(
            name,
            graph_attr={"layout": "nop2", "pad": "0.000", "bgcolor": "white"},
            node_attr={"fontname": FONT, "fontcolor": INK, "fixedsize": "true", "penwidth": "1"},
            edge_attr={"color": INK, "penwidth": "1.3", "arrowsize": "0.7", "arrowhead": "none"},
        )
        self._count = itertools.count()

    def box(self, name: str, left: float, top: float, width: float, height: float, **attributes: str) -> None:
        """A rectangle without text, unless `attributes` say otherwise."""
        size = {"width": f"{width / POINTS:.4f}", "height": f"{height / POINTS:.4f}"}
        look = {"shape": "box", "label": "", **size, **attributes}
        self.graph.node(name, pos=_position(left + width / 2, top + height / 2), **look)

    def line(self, x: float, y: float, text: str, size: float, colour: str, bold: bool = False, at: str = "l") -> None:
        """One line of text whose middle is at `y`; `x` is its left end (l), its middle (n) or its right end (r)."""
        width = text_width(text, size, bold) + 2
        left = x - {"l": 0.0, "n": width / 2, "r": width}[at]
        look = {"fontsize": f"{size:g}", "fontcolor": colour, "shape": "none", "margin": "0"}
        look |= {"fontname": BOLD} if bold else {}
        label = plain_text(text) + (f"\\{at}" if at != "n" else "")
        self.box(f"t{next(self._count)}", left, y - size * 0.7, width, size * 1.4, label=label, **look)

    def dot(self, x: float, y: float, colour: str, tooltip: str) -> None:
        """A filled circle."""
        look = {"shape": "circle", "style": "filled", "fillcolor": colour, "color": colour}
        self.box(f"d{next(self._count)}", x - 3.5, y - 3.5, 7, 7, tooltip=plain_text(tooltip), **look)

    def path(self, *points: tuple[float, float], arrow: bool = False, bent: bool = False, **look: str) -> None:
        """A line through points, straight or, where they are control points, bent; with an arrow's head at its end."""
        ends = [f"p{next(self._count)}" for _ in range(2)]
        for name, (x, y) in zip(ends, (points[0], points[-1]), strict=True):
            self.graph.node(name, shape="point", width="0.01", height="0.01", style="invis", pos=_position(x, y))
        curve, head = list(points), ""
        if arrow:
            curve[-1] = _before(curve[-2], curve[-1], ARROW)
            head = f"e,{_position(*points[-1])} "
            look["arrowhead"] = "normal"
        if not bent:
            parts = ((_between(a, b, 1), _between(a, b, 2), b) for a, b in itertools.pairwise(curve))
            curve = [curve[0], *itertools.chain.from_iterable(parts)]
        self.graph.edge(*ends, pos=head + " ".join(_position(*point) for point in curve), **look)


ARROW = 7.0
"""How long an arrow's head is."""


def _between(start: tuple[float, float], end: tuple[float, float], thirds: int) -> tuple[float, float]:
    return (start[0] + (end[0] - start[0]) * thirds / 3, start[1] + (end[1] - start[1]) * thirds / 3)


def _before(start: tuple[float, float], end: tuple[float, float], length: float) -> tuple[float, float]:
    """The point on the line from start to end that is so far from the end."""
    x, y = end[0] - start[0], end[1] - start[1]
    share = length / max(length, (x * x + y * y) ** 0.5)
    return (end[0] - x * share, end[1] - y * share)


def _position(x: float, y: float) -> str:
    return f"{x:.1f},{-y:.1f}"
