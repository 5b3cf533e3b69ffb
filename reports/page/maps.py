"""The reachable states of a scenario as maps: for each pod the phases that it goes through, and what leads where.

map_data(map) -> {"pod", "seen", "nodes": [{"label", "states", "start"}], "edges": [{"from", "to", "events"}]}
    events: [[name, how many steps]], most frequent first; nodes are named by their index
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import graphviz

from podproof.checker.core.system import Action, ProjectedMove, State, StateGraph, System, Trace
from podproof.reports.layout import number_of, wrap
from podproof.reports.pictures.canvas import POINTS, plain_text, roomy_label, text_width
from podproof.reports.pictures.drawing import BOLD, FONT, draw_inline
from podproof.reports.presets import PHASE_FIELDS, phase_of
from podproof.reports.projection import (
    MOST_EDGES,
    ProjectedField,
    Projection,
    fields_of,
    phases_of,
    whole_projection,
)
from podproof.reports.state_text import STATUSES, StateText

SVG = "http://www.w3.org/2000/svg"
LABEL_LETTERS, EVENT_LETTERS, MOST_EVENTS = 24, 34, 3
SIZE = 11.0


@dataclass(frozen=True)
class Map:
    """One map: a projected graph whose nodes are numbered in the order of `projection.nodes()`."""

    pod: str
    """Whose phases it shows; empty where it shows no pod's."""
    seen: str
    """By what its states are told apart."""
    projection: Projection
    paths: tuple[str, ...]
    """The variables that say where a state belongs."""
    node: Callable[[State], int | None]
    """The node for the values of `paths`; None for values that were not reached when the map was made."""
    ways: tuple[Trace, ...]
    """For each node a shortest run that leads to one of its states."""

    def number_of(self, state: State, system: System | None = None) -> int | None:
        """The node of a whole state; of another system than the map's own where that has more variables."""
        system = self.projection.system if system is None else system
        return self.node(tuple(state[system.index(path)] for path in self.paths))


def map_fields(system: System) -> tuple[ProjectedField, ...]:
    """The fields that the maps of a system look at: each pod's phase, or what makes it where the worker knows none."""
    paths = [f"{STATUSES}[{uid}].{name}" for uid in _pods(system) for name in PHASE_FIELDS]
    return fields_of(system, [path for path in paths if path in system.positions] or phases_of(system))


def maps_of(found: StateGraph, fields: Sequence[ProjectedField], way: Callable[[int], Trace]) -> list[Map]:
    """The maps of a graph projected on `map_fields`; `way` gives a shortest run to each of its nodes.

    A map with more edges than can be read is left out.
    """
    whole = whole_projection(found, fields)
    if not fields[0].asked.startswith(f"{STATUSES}["):
        seen = ", ".join(field.name for field in fields)
        maps = [_map("", seen, whole, lambda values: values, found, whole, way)]
    else:
        maps = [_phase_map(uid, pod, found, whole, way) for uid, pod in _pods(found.system).items()]
    return [made for made in maps if made.projection.graph.number_of_edges() <= MOST_EDGES]


def _pods(system: System) -> Mapping[int, str]:
    return StateText(system).pods or {0: ""}


def _phase_map(uid: int, pod: str, found: StateGraph, whole: Projection, way: Callable[[int], Trace]) -> Map:
    """The map of one pod, by the phases that the comments of the Go code speak of."""

    def phase(values: Mapping[str, int]) -> str:
        return phase_of(values, uid).partition(":")[0]

    projection = whole.grouped(phase, MOST_EVENTS)
    node_of = {name: node for node, name in projection.names.items()}
    asked = [field.asked for field in whole.fields]

    def node(values: State) -> State | None:
        return node_of.get(phase(dict(zip(asked, values, strict=True))))

    return _map(pod, "the pod's phase", projection, node, found, whole, way)


def _map(
    pod: str,
    seen: str,
    projection: Projection,
    node: Callable[[State], State | None],
    found: StateGraph,
    whole: Projection,
    way: Callable[[int], Trace],
) -> Map:
    """A map; `node` says where in it the values of the fields belong."""
    number: dict[State | None, int] = {key: i for i, key in enumerate(projection.nodes())}
    nearest: dict[int, int] = {}
    for i, values in enumerate(found.nodes):  # in the order of discovery, nearest first
        nearest.setdefault(number[node(values)], i)
    ways = tuple(way(nearest[i]) for i in range(len(number)))
    paths = tuple(field.variable.path for field in whole.fields)
    return Map(pod, seen, projection, paths, lambda values: number.get(node(values)), ways)


def map_data(made: Map) -> dict[str, Any]:
    """A map's nodes and edges, without its ways."""
    graph, nodes = made.projection.graph, made.projection.nodes()
    actions = made.projection.system.action
    number = {node: i for i, node in enumerate(nodes)}
    edges = sorted((number[source], number[target], moves) for source, target, moves in graph.edges(data="moves"))
    return {
        "pod": made.pod,
        "seen": made.seen,
        "nodes": [
            {"label": made.projection.label(n), "states": graph.nodes[n]["states"], "start": graph.nodes[n]["initial"]}
            for n in nodes
        ],
        "edges": [{"from": a, "to": b, "events": _rank(moves, actions)} for a, b, moves in edges],
    }


def _rank(moves: Mapping[ProjectedMove, int], actions: Mapping[str, Action]) -> list[list[str | int]]:
    """Events in words, most frequent first; moves that read the same are one."""
    counts: Counter[str] = Counter()
    for (name, values), count in moves.items():
        counts[actions[name].event(dict(values))] += count
    return [[event, count] for event, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def map_svg(made: Map, events: bool) -> str:
    """The map as an SVG element for a page: its parts marked with `data-node`, or `data-from` and `data-to`.

    With `events` the arrows say what happens; without, the map is small enough to stand beside something else.
    """
    root = ElementTree.fromstring(draw_inline(_dot(made, events)))
    ElementTree.register_namespace("", SVG)
    for parent in root.iter():
        for title in parent.findall(f"{{{SVG}}}title"):
            parent.remove(title)
    for group in root.iter(f"{{{SVG}}}g"):
        name = group.attrib.pop("id", "")
        if (edge := re.fullmatch(r"n(\d+)-n(\d+)", name)) is not None:
            group.attrib |= {"data-from": edge[1], "data-to": edge[2]}
        elif (node := re.fullmatch(r"n(\d+)", name)) is not None:
            group.attrib["data-node"] = node[1]
    return str(ElementTree.tostring(root, encoding="unicode"))


def _dot(made: Map, events: bool) -> str:
    frame = {"rankdir": "TB", "nodesep": "0.3", "ranksep": "0.45" if events else "0.3", "pad": "0.08"}
    look = {"shape": "box", "style": "rounded", "fontname": BOLD, "fontsize": "11", "margin": "0.14,0.06"}
    small = {"fontname": FONT, "fontsize": "10", "arrowsize": "0.7"}
    graph = graphviz.Digraph("map", graph_attr=frame, node_attr=look, edge_attr=small)
    names = {node: f"n{i}" for i, node in enumerate(made.projection.nodes())}
    for node, name in names.items():
        lines = [*_wrap(made.projection.label(node), LABEL_LETTERS)]
        data = made.projection.graph.nodes[node]
        lines += [number_of(data["states"], "state")] if events else []
        width = f"{max(text_width(line, SIZE, bold=True) for line in lines) / POINTS + 0.25:.2f}"
        kind = {"class": "start"} if data["initial"] else {}
        graph.node(name, label="\\n".join(map(plain_text, lines)), id=name, width=width, **kind)
    for source, target, told in made.projection.edges():
        edge = f"{names[source]}-{names[target]}"
        lines = [line for event in told.split("\n") for line in _wrap(event, EVENT_LETTERS)]
        graph.edge(names[source], names[target], id=edge, label=roomy_label(lines) if events else "")
    return str(graph.source)


def _wrap(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or ["-"]
