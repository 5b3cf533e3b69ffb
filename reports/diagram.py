"""A projected state graph as DOT, SVG, PNG or Mermaid."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import graphviz

from podproof.checker.system import CheckerError
from podproof.reports.canvas import CHANGED, FAINT, INK, POINTS, plain_text, text_width
from podproof.reports.drawing import BOLD, FONT, draw
from podproof.reports.layout import counted
from podproof.reports.projection import Projection

EVENT_LETTERS, LABEL_LETTERS = 34, 24
SIZE = 11.0


@dataclass(frozen=True)
class Caption:
    """What stands below a diagram, besides version and scenario: the command that draws it again."""

    command: str

    def lines(self, projection: Projection) -> list[str]:
        system, graph = projection.system, projection.graph
        states = sum(count for _, count in graph.nodes(data="states"))
        fields = ", ".join(field.name for field in projection.fields)
        return [
            f"{system.version}, environment {system.environment}, scenario {system.scenario}: {system.bounds}",
            f"{counted(states, 'state')} seen through {fields}; steps that change none of them are left out",
            f"$ {self.command}",
        ]


def render(projection: Projection, form: str, caption: Caption) -> bytes:
    """The diagram as dot, svg, png or mermaid. Raises CheckerError for another format or where nothing can draw it."""
    if form not in FORMATS:
        raise CheckerError(f"there is no diagram format {form!r}; choose one of {', '.join(FORMATS)}")
    return FORMATS[form](projection, caption)


def diagram_dot(projection: Projection, caption: Caption) -> str:
    """The diagram as DOT source: the same graph, the same bytes."""
    graph = graphviz.Digraph("states", graph_attr=_frame(projection, caption), node_attr=_NODE, edge_attr=_EDGE)
    names = {node: f"n{i}" for i, node in enumerate(projection.nodes())}
    for node, name in names.items():
        data = projection.graph.nodes[node]
        lines = [*map(str.strip, _wrapped(projection.label(node), LABEL_LETTERS)), counted(data["states"], "state")]
        look = {"penwidth": "2.5", "fillcolor": CHANGED} if data["initial"] else {}
        width = max(text_width(line, SIZE, bold=True) for line in lines) / POINTS + 0.2
        graph.node(name, label="\\n".join(map(plain_text, lines)), width=f"{width:.2f}", **look)
    for source, target, events in projection.edges():
        graph.edge(names[source], names[target], label=_edge_label(events))
    return str(graph.source)


def diagram_mermaid(projection: Projection, caption: Caption) -> str:
    """The diagram as a Mermaid state diagram, which GitHub draws in Markdown."""
    names = {node: f"n{i}" for i, node in enumerate(projection.nodes())}
    out = ["stateDiagram-v2", *(f"    %% {line}" for line in caption.lines(projection))]
    for node, name in names.items():
        count = counted(projection.graph.nodes[node]["states"], "state")
        out.append(f'    state "{_mermaid(projection.label(node))}<br/>{count}" as {name}')
    out += [f"    [*] --> {names[node]}" for node in names if projection.graph.nodes[node]["initial"]]
    for source, target, events in projection.edges():
        label = "<br/>".join(_mermaid(event) for event in events.split("\n"))
        out.append(f"    {names[source]} --> {names[target]} : {label}")
    return "\n".join(out) + "\n"


def _edge_label(events: str) -> str:
    """Events to the left, with room to spare: where the viewer has a wider font they still touch nothing."""
    lines = [line for event in events.split("\n") for line in _wrapped(event, EVENT_LETTERS)]
    room = " " * (max(map(len, lines)) // 6 + 1)
    return "".join(f" {plain_text(line)}{room}\\l" for line in lines)


def _mermaid(text: str) -> str:
    """Any text inside a Mermaid label: what it could take for syntax as entity codes."""
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", ";": "#59;", ":": "#58;", "`": "#96;"}
    return "".join(codes.get(character, character) for character in text)


def _frame(projection: Projection, caption: Caption) -> dict[str, str]:
    lines = [line for text in caption.lines(projection) for line in _wrapped(text, 110)]
    return {
        "rankdir": "TB",
        "nodesep": "0.35",
        "ranksep": "0.5",
        "pad": "0.25",
        "bgcolor": "white",
        "fontname": FONT,
        "fontsize": "11",
        "fontcolor": FAINT,
        "labelloc": "b",
        "labeljust": "l",
        "label": "".join(plain_text(line) + "\\l" for line in lines),
    }


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) or ["-"]


_NODE = {
    "shape": "box",
    "style": "rounded,filled",
    "fillcolor": "white",
    "color": INK,
    "fontname": BOLD,
    "fontsize": "11",
    "fontcolor": INK,
    "margin": "0.14,0.08",
}
_EDGE = {"color": "#7b8794", "fontname": FONT, "fontsize": "10", "fontcolor": INK, "arrowsize": "0.7"}

FORMATS: Mapping[str, Callable[[Projection, Caption], bytes]] = {
    "dot": lambda projection, caption: diagram_dot(projection, caption).encode(),
    "svg": lambda projection, caption: draw(diagram_dot(projection, caption), "svg"),
    "png": lambda projection, caption: draw(diagram_dot(projection, caption), "png"),
    "mermaid": lambda projection, caption: diagram_mermaid(projection, caption).encode(),
}
