"""A projected state graph as DOT or Mermaid, and the pictures that are drawn of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import graphviz

from podproof.checker.core.system import State, System
from podproof.reports.layout import number_of, wrap
from podproof.reports.pictures import mermaid
from podproof.reports.pictures.canvas import FAINT, INK, POINTS, plain_text, roomy_label, text_width
from podproof.reports.pictures.drawing import BOLD, FONT
from podproof.reports.pictures.life import PHASES, short_event
from podproof.reports.pictures.life_mermaid import GROUNDS
from podproof.reports.pictures.life_picture import FILLS, PAGE
from podproof.reports.pictures.phases import ORDER, Arrow, Phases, Whose
from podproof.reports.presets import short_phase
from podproof.reports.projection import Projection
from podproof.reports.render.forms import diagram_bytes
from podproof.reports.state_text import StateText

EVENT_LETTERS, LABEL_LETTERS = 34, 24
SIZE = 11.0


@dataclass(frozen=True)
class Caption:
    """What stands below a diagram, besides version and scenario: the command that draws it again."""

    command: str
    subject: str = ""
    """What the diagram shows, before version and scenario; empty for the states themselves."""
    seen: str = ""
    """By what states are told apart, where that is not just their fields."""
    returns: bool = True
    """Are the steps shown that lead back to where it begins?"""

    def lines(self, projection: Projection) -> list[str]:
        """The title, what the states are, the command."""
        system, graph = projection.system, projection.graph
        states = sum(count for _, count in graph.nodes(data="states"))
        left_out = "steps that change none of it" + ("" if self.returns else " and steps back to the start")
        fields = self.seen or ", ".join(field.name for field in projection.fields)
        return [
            (f"{self.subject}: " if self.subject else "") + where(system),
            system.bounds,
            f"{number_of(states, 'state')} seen through {fields}; {left_out} are left out",
            f"$ {self.command}",
        ]


@dataclass(frozen=True)
class StateDiagram:
    """A projected state graph with its caption."""

    projection: Projection
    below: Caption
    running: frozenset[str] = frozenset()
    """Of a diagram of phases: those in which containers run in some state, as the diagram calls them."""
    never: str = ""
    """Of the same: why no pod syncs after it was terminated; empty where nothing says so."""

    @property
    def caption(self) -> list[str]:
        return self.below.lines(self.projection)

    def dot(self) -> str:
        return diagram_dot(self.projection, self.below) if (phases := self._phases()) is None else phases.dot()

    def _phases(self) -> Phases | None:
        """The picture of phases; None where a node is none."""
        projection, (title, *told, command) = self.projection, self.caption
        names = {node: short_phase(projection.label(node)) for node in projection.nodes()}
        if not names or not set(names.values()) <= ORDER.keys() or len(set(names.values())) < len(names):
            return None
        nodes, pods = projection.graph.nodes, [*StateText(projection.system).pods.values()]
        return Phases(
            title,
            told,
            next(names[node] for node in names if nodes[node]["initial"]),
            [Arrow(names[a], names[b], _lines(events, pods)) for a, b, events in projection.told()],
            [command],
            {name: nodes[node]["states"] for node, name in names.items()},
            self.running,
            self.never,
        )

    def mermaid(self) -> str:
        return diagram_mermaid(self.projection, self.below)


def _lines(events: Mapping[str, str], pods: Sequence[str]) -> list[tuple[str, Whose]]:
    """Events, and after those of one actor who that is."""
    found: dict[str, list[str]] = {}
    for event, actor in events.items():
        found.setdefault(actor, []).append(short_event(event, pods[0], len(pods) == 1) if pods else event)
    lines: list[tuple[str, Whose]] = []
    for actor, texts in found.items():
        lines += [(text, "both") for text in texts]
        if actor and not texts[-1].startswith(actor):
            lines.append((actor, "actor"))
    return lines


def where(system: System) -> str:
    """Of which version, environment and scenario something is said."""
    return f"{system.version}, environment {system.environment}, scenario {system.scenario}"


def render(projection: Projection, form: str, caption: Caption) -> bytes:
    """The diagram as dot, svg, png or mermaid. Raises CheckerError for another format."""
    return diagram_bytes(StateDiagram(projection, caption), form)


def diagram_dot(projection: Projection, caption: Caption) -> str:
    """The diagram as DOT source: the same graph, the same bytes."""
    graph = graphviz.Digraph("states", graph_attr=frame(caption.lines(projection)), node_attr=NODE, edge_attr=EDGE)
    names = {node: f"n{i}" for i, node in enumerate(projection.nodes())}
    for node, name in names.items():
        data = projection.graph.nodes[node]
        lines = _label_lines(projection, node)
        look = {"fillcolor": FILLS.get(_phase(projection, node), PAGE), "tooltip": number_of(data["states"], "state")}
        look |= {"penwidth": "2.5"} if data["initial"] else {}
        width = max(text_width(line, SIZE, bold=True) for line in lines) / POINTS + 0.2
        graph.node(name, label="\\n".join(map(plain_text, lines)), width=f"{width:.2f}", **look)
    order = {node: i for i, node in enumerate(names)}
    for source, target, events in projection.edges():
        lines = [line for event in events.split("\n") for line in _wrap(event, EVENT_LETTERS)]
        # A node of its own, since arrows pass round nodes, but through labels of others.
        label = f"{names[source]}{names[target]}"
        graph.node(label, label=roomy_label(lines), **LABEL, **{"class": "label"})
        if order[source] < order[target]:
            graph.edge(names[source], label, arrowhead="none", **{"class": "to"})
            graph.edge(label, names[target])
        else:
            graph.edge(names[target], label, dir="back")
            graph.edge(label, names[source], arrowhead="none", **{"class": "to"})
    return str(graph.source)


def diagram_mermaid(projection: Projection, caption: Caption) -> str:
    """The diagram as a Mermaid state diagram, which GitHub draws in Markdown."""
    names = {node: f"n{i}" for i, node in enumerate(projection.nodes())}
    lines = caption.lines(projection)
    out = [*mermaid.title(lines), "stateDiagram-v2", *mermaid.comments(lines)]
    for node, name in names.items():
        out.append(f'    state "{mermaid.escape(projection.label(node))}" as {name}')
    out += [f"    [*] --> {names[node]}" for node in names if projection.graph.nodes[node]["initial"]]
    for source, target, events in projection.edges():
        label = "<br/>".join(mermaid.escape(event) for event in events.split("\n"))
        out.append(f"    {names[source]} --> {names[target]} : {label}")
    for phase, ground in GROUNDS.items():
        if inside := [name for node, name in names.items() if _phase(projection, node) == phase]:
            red, green, blue, alpha = map(float, ground.split(","))
            colour = f"#{int(red):02x}{int(green):02x}{int(blue):02x}{round(255 * alpha):02x}"
            out += [f"    classDef {phase} fill:{colour}", f"    class {','.join(inside)} {phase}"]
    return "\n".join(out) + "\n"


def _phase(projection: Projection, node: State) -> str:
    """The phase, as a ribbon calls it, in which all states of a node are; empty where they are in none or several."""
    return PHASES.get(projection.label(node).partition(",")[0], "") if node in projection.names else ""


def _label_lines(projection: Projection, node: State) -> list[str]:
    """A node's label in lines; a name that lists something has a line for each."""
    label = projection.label(node)
    parts = re.split(r"(?<=,) ", label) if node in projection.names else [label]
    return [line.strip() for part in parts for line in _wrap(part, LABEL_LETTERS)]


def frame(caption: Sequence[str]) -> dict[str, str]:
    """The attributes of a graph with its caption below it."""
    lines = [line for text in caption for line in _wrap(text, 110)]
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
        "label": roomy_label(lines),
    }


def _wrap(text: str, width: int) -> list[str]:
    return wrap(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) or ["-"]


NODE = {
    "shape": "box",
    "style": "rounded,filled",
    "fillcolor": "white",
    "color": INK,
    "fontname": BOLD,
    "fontsize": "11",
    "fontcolor": INK,
    "margin": "0.14,0.08",
}
LABEL = {"shape": "plain", "style": "solid", "fontname": FONT, "margin": "0"}
EDGE = {"color": "#7b8794", "fontname": FONT, "fontsize": "11", "fontcolor": INK, "arrowsize": "0.7"}
