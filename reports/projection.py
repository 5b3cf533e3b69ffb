"""The reachable state graph seen through a few fields: states alike in them become one node, parallel edges one."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from podproof.checker.core.system import Action, CheckerError, State, StateGraph, System, Variable
from podproof.checker.core.system import ProjectedMove as Move
from podproof.model.notes import PHASE, QUIET, Mark
from podproof.reports.state_text import INDEX, STATUSES, StateText

if TYPE_CHECKING:
    import networkx as nx

MOST_EDGES = 60
"""More cannot be read in a picture."""
MOST_EVENTS = 3


@dataclass(frozen=True)
class ProjectedField:
    """A field that a diagram keeps: its variable and where it stands in a State."""

    name: str
    asked: str
    """How the user named it."""
    position: int
    variable: Variable

    def says(self, value: int) -> str:
        """What a node's label says of it: a true boolean's name, an enumeration's value, else `name=value`."""
        if self.variable.is_bool:
            return self.name if value else ""
        shown = str(self.variable.show(value))
        if shown == "nil" or (value == 0 and shown == "0"):
            return ""
        return f"{self.name}={shown}" if shown == str(value) else shown


@dataclass(frozen=True)
class Projection:
    """A state graph projected on fields.

    A node of `graph` is the tuple of the fields' values, with `states`, how many states it stands for, and `initial`.
    An edge has `events`: how many transitions each action has between the two nodes. Transitions that change none of
    the fields are left out.
    """

    system: System
    fields: tuple[ProjectedField, ...]
    graph: nx.DiGraph
    names: Mapping[State, str] = field(default_factory=dict)
    """What to call nodes that have a name of their own."""
    most_events: int = MOST_EVENTS
    """How many events an edge names."""

    def label(self, node: State) -> str:
        """A node's name, or what is set in it; `(nothing set)` where nothing is."""
        if node in self.names:
            return self.names[node]
        said = [text for field, value in zip(self.fields, node, strict=True) if (text := field.says(value))]
        return ", ".join(said) or "(nothing set)"

    def nodes(self) -> Sequence[State]:
        """The nodes in a fixed order: nearest first, then by value."""
        import networkx as nx

        starts = sorted(node for node, data in self.graph.nodes(data=True) if data["initial"])
        distance: dict[State, int] = dict.fromkeys(starts, 0)
        for node in starts:
            for other, steps in nx.single_source_shortest_path_length(self.graph, node).items():
                distance[other] = min(steps, distance.get(other, steps))
        return sorted(self.graph.nodes, key=lambda node: (distance.get(node, len(self.graph)), node))

    def edges(self) -> Sequence[tuple[State, State, str]]:
        """The edges in the nodes' order, each with its events in words, a line each."""
        return [(source, target, "\n".join(events)) for source, target, events in self.told()]

    def told(self) -> Sequence[tuple[State, State, Mapping[str, str]]]:
        """The same with an edge's events as words -> who causes it, and how many more there are."""
        order = {node: i for i, node in enumerate(self.nodes())}
        found = sorted(self.graph.edges(data=True), key=lambda edge: (order[edge[0]], order[edge[1]]))
        words = _Events(self.system, [move for _, _, data in found for move in _moves(data)])
        return [(source, target, words.of(_moves(data), self.most_events)) for source, target, data in found]

    def without(self, field: ProjectedField) -> Projection:
        """The same graph projected on one field less."""
        keep = [i for i, other in enumerate(self.fields) if other is not field]
        graph = _empty()
        for node, data in self.graph.nodes(data=True):
            _add_node(graph, tuple(node[i] for i in keep), data["states"], data["initial"])
        for source, target, data in self.graph.edges(data=True):
            _add_edge(graph, tuple(source[i] for i in keep), tuple(target[i] for i in keep), **data)
        return replace(self, fields=tuple(self.fields[i] for i in keep), graph=graph)

    def grouped(self, group: Callable[[Mapping[str, int]], str], most_events: int) -> Projection:
        """The same graph with the nodes of one group as one, which bears the group's name.

        `group` names the group of a node, given as the value of each field under the name that was asked for.
        """
        asked = [field.asked for field in self.fields]
        names = {node: group(dict(zip(asked, node, strict=True))) for node in self.nodes()}
        keys: dict[str, State] = {name: (i,) for i, name in enumerate(dict.fromkeys(names.values()))}
        graph = _empty()
        for node, data in self.graph.nodes(data=True):
            _add_node(graph, keys[names[node]], data["states"], data["initial"])
        for source, target, data in self.graph.edges(data=True):
            _add_edge(graph, keys[names[source]], keys[names[target]], **data)
        labels = {key: name for name, key in keys.items()}
        return replace(self, graph=graph, names=labels, most_events=most_events)

    def without_returns(self) -> Projection:
        """The same graph without the steps that lead back to where it begins."""
        graph = self.graph.copy()
        graph.remove_edges_from([(a, b) for a, b in self.graph.edges if self.graph.nodes[b]["initial"]])
        return replace(self, graph=graph)


def marked(system: System, mark: Mark) -> list[str]:
    """The fields of the first pod with a mark, as a user would name them."""
    found = [v.path for v in system.variables if v.notes and mark in v.notes[-1] and QUIET not in v.notes[0]]
    names = (INDEX.sub("", path.removeprefix(f"{STATUSES}[0].")) for path in found if set(INDEX.findall(path)) <= {"0"})
    return list(dict.fromkeys(names))


def phases_of(system: System) -> list[str]:
    """The fields that make the phase of a pod: what a diagram shows unless told otherwise."""
    return marked(system, PHASE)


def fields_of(system: System, by: Sequence[str]) -> tuple[ProjectedField, ...]:
    """The fields that a user means: paths, the names that reports use for them, or what the first pod has of that name.

    Raises CheckerError for a field that does not exist, and where none is named.
    """
    if not by:
        raise CheckerError("--by names no field; name some, separated by commas: see `podproof explain fields`")
    return tuple(_field(system, name) for name in dict.fromkeys(by))


def projection_of(found: StateGraph, fields: Sequence[ProjectedField]) -> Projection:
    """What an engine found, for `fields` in the order of `found.by`. Raises CheckerError where it cannot be read."""
    projection = whole_projection(found, fields)
    if projection.graph.number_of_edges() > MOST_EDGES:
        raise CheckerError(_too_large(projection))
    return projection


def whole_projection(found: StateGraph, fields: Sequence[ProjectedField]) -> Projection:
    """As `projection_of`, however large."""
    graph = _empty()
    for i, (node, count) in enumerate(zip(found.nodes, found.counts, strict=True)):
        _add_node(graph, node, count, i in found.initial)
    for (source, target), events in found.edges.items():
        moves = found.moves.get((source, target), {(name, ()): count for name, count in events.items()})
        _add_edge(graph, found.nodes[source], found.nodes[target], Counter(events), Counter(moves))
    return Projection(found.system, tuple(fields), graph)


def _empty() -> nx.DiGraph:
    import networkx as nx  # It takes a while to be loaded, and most pictures need no graph.

    return nx.DiGraph()


def _add_node(graph: nx.DiGraph, key: State, states: int, initial: bool) -> None:
    old = graph.nodes[key] if key in graph else {"states": 0, "initial": False}
    graph.add_node(key, states=old["states"] + states, initial=old["initial"] or initial)


def _add_edge(graph: nx.DiGraph, source: State, target: State, events: Counter[str], moves: Counter[Move]) -> None:
    if source != target:
        old = graph.get_edge_data(source, target, {"events": Counter(), "moves": Counter()})
        graph.add_edge(source, target, events=old["events"] + events, moves=old["moves"] + moves)


def _field(system: System, name: str) -> ProjectedField:
    """The field that a user means: a path, a report's name for one, or one of the first pod's."""
    state_text = StateText(system)
    names = {state_text.name(variable.path): variable.path for variable in system.variables}
    of_first_pod = re.sub(r"^\w+", r"\g<0>[0]", name)
    candidates = (name, names.get(name, ""), f"{STATUSES}[0].{name}", of_first_pod)
    path = next((path for path in candidates if path in system.positions), None)
    if path is None:
        leaves = [v.path.removeprefix(f"{STATUSES}[0].") for v in system.variables]
        near = difflib.get_close_matches(name, [*leaves, *names], n=3, cutoff=0.5)
        meant = " or ".join(map(repr, dict.fromkeys(near)))
        hint = f"did you mean {meant}?" if near else "see `podproof explain fields`"
        raise CheckerError(f"{system.name} has no field {name!r}; {hint}")
    position = system.index(path)
    short = "status" if name == "present" else name
    return ProjectedField(short, name, position, system.variables[position])


def _too_large(projection: Projection) -> str:
    """Why a diagram is refused, and which fields to leave out: the best one each time, until it is small enough."""
    count = projection.graph.number_of_edges()
    fields = projection.fields
    names = ", ".join(field.name for field in fields)
    lines = [f"a diagram by {names} has {count} edges; more than {MOST_EDGES} cannot be read."]
    if len(fields) == 1:
        return f"{lines[0]} Choose a field with fewer values."
    sizes = {field.name: projection.without(field).graph.number_of_edges() for field in fields}
    single = ", ".join(f"without {name}: {size}" for name, size in sorted(sizes.items(), key=lambda item: item[1]))
    lines.append(f"Leave fields out of --by. Edges {single}.")
    if min(sizes.values()) > MOST_EDGES:
        lines.append(_greedy(projection))
    return " ".join(lines)


def _greedy(projection: Projection) -> str:
    """Which fields to leave out when no single one is enough."""
    dropped = []
    while projection.graph.number_of_edges() > MOST_EDGES and len(projection.fields) > 1:
        smaller = [(p.graph.number_of_edges(), f.name, p) for f in projection.fields for p in [projection.without(f)]]
        count, name, projection = min(smaller, key=lambda item: item[:2])
        dropped.append(name)
    if count > MOST_EDGES:
        return "No choice among them is small enough: choose fields with fewer values."
    kept = ",".join(field.asked for field in projection.fields)
    return f"Without {' and '.join(dropped)} there are {count}: --by {kept}"


def _moves(data: Mapping[str, Any]) -> Mapping[Move, int]:
    """The moves of an edge, as far as they are known: without their parameters where those were not counted."""
    moves: Mapping[Move, int] = data.get("moves", {})
    return moves or {(name, ()): count for name, count in data["events"].items()}


class _Events:
    """The words for the events on a diagram's edges. What is said of a parameter depends on all values that occur."""

    def __init__(self, system: System, every: Sequence[Move]) -> None:
        self.actions, self.every = system.action, _values(every)

    def of(self, moves: Mapping[Move, int], most: int) -> Mapping[str, str]:
        """The most frequent events of an edge with who causes them, and how many more there are."""
        counts: Counter[str] = Counter()
        for (name, _), count in moves.items():
            counts[name] += count
        seen = _values(moves)
        most_frequent = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
        words: dict[str, str] = {}
        for name, _ in most_frequent:
            words.setdefault(self.event(name, seen), self.actions[name].actor if name in self.actions else "")
        more = len(words) - most
        return dict([*list(words.items())[:most], *([(f"+{more} more", "")] if more > 0 else [])])

    def event(self, name: str, seen: Mapping[tuple[str, str], Sequence[int]]) -> str:
        """An action's label; `…` for a parameter that takes here every one of the values that it takes anywhere."""
        if name not in self.actions:
            return name
        action, texts = self.actions[name], {}
        for p in action.parameters:
            values = seen.get((name, p.name)) or p.values
            if len(values) > 1 and set(values) >= set(self.every.get((name, p.name), ())):
                texts[p.name] = "…"
            else:
                texts[p.name] = " or ".join(str(p.show(value)) for value in values)
        return action.label.format(**texts)


def _values(moves: Iterable[Move]) -> Mapping[tuple[str, str], Sequence[int]]:
    """Action and parameter -> the values that occur, in their order."""
    found: dict[tuple[str, str], set[int]] = {}
    for name, parameters in moves:
        for parameter, value in parameters:
            found.setdefault((name, parameter), set()).add(value)
    return {key: sorted(values) for key, values in found.items()}


def event_name(action: Action) -> str:
    """An action's label for any parameters: a parameter with one value by that value, any other as `…`."""
    values = {p.name: str(p.show(p.values[0])) if len(p.values) == 1 else "…" for p in action.parameters}
    return action.label.format(**values)
