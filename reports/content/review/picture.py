"""The change as a picture: the phases of a pod with steps that only one version has, or where the versions part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podproof.checker.core.system import State
from podproof.checker.difference.result import Comparison, Difference, Divergence
from podproof.reports.content.review.words import before_last, changes, event_of, values_in_words
from podproof.reports.document import Diagram, DiagramEdge, DiagramNode, Mark
from podproof.reports.layout import number_of
from podproof.reports.pictures.presets import NOT_KNOWN, lifecycle_phase, short_phase
from podproof.reports.state_text import STATUSES, StateText

MOST_EDGES = 40
"""More cannot be read in a picture."""
_MOST_EVENTS = 3
_MOST_DIVERGENCES = 4
_MOST_FACTS = 3
_STARTS = ("nothing set", short_phase(NOT_KNOWN))
"""What a state is called in which nothing has happened."""
_MARKS: tuple[Mark, Mark, Mark] = ("removed", "added", "both")


def flow_diagram(found: Comparison) -> Diagram | None:
    """The phases in the first scenario where steps between them differ; None where they differ in none."""
    for difference in found.scenarios:
        if any(flow.where != 2 for flow in difference.flows):
            return _flows(difference, found.names)
    return None


def _flows(d: Difference, names: tuple[str, str]) -> Diagram:
    groups: dict[tuple[State, State, int], list[str]] = {}
    for flow in d.flows:
        groups.setdefault((flow.source, flow.target, flow.where), []).append(event_of(d.systems, flow.action))
    pods = StateText(d.systems[0]).pods
    what = f"The phases of {pods[0] if len(pods) > 1 else 'a pod'}"
    if len(groups) > MOST_EDGES:
        groups = {key: events for key, events in groups.items() if key[2] != 2}
        what = "Only steps between phases that one version alone has"
    left_out = max(0, len(groups) - MOST_EDGES)
    groups = dict(list(groups.items())[:MOST_EDGES])
    ends = dict.fromkeys(state for source, target, _ in groups for state in (source, target))
    labels = _labels(d, ends)
    numbers = {state: f"n{i}" for i, state in enumerate(sorted(ends))}
    shown = {state: {f.where for f in d.flows if state in (f.source, f.target)} for state in numbers}
    nodes = [
        DiagramNode(name, labels[state], _of_state(shown[state]), labels[state][0] in _STARTS)
        for state, name in numbers.items()
    ]
    edges = [
        DiagramEdge(numbers[source], numbers[target], _few(events), _MARKS[where])
        for (source, target, where), events in groups.items()
    ]
    note = f" {left_out} steps are left out." if left_out else ""
    caption = f"{what}, scenario {d.systems[0].scenario}.{note} " + _key(names)
    return Diagram(nodes, edges, caption)


def _labels(d: Difference, states: Iterable[State]) -> dict[State, list[str]]:
    """The phase of the pod in each state, and the fields that tell it from others in that phase.

    For a worker that keeps no status of a pod, what is set.
    """
    view, system = d.view, d.systems[0]
    names = {view.paths[i]: StateText(system).name(view.paths[i]) for i in view.picture}
    if f"{STATUSES}[0].present" not in names:
        return {state: values_in_words(view, system, state, view.picture).split(", ") for state in states}
    shown = {
        state: {path: view.values[i][value] for path, i, value in zip(names, view.picture, state, strict=True)}
        for state in states
    }
    phases = {
        state: short_phase(lifecycle_phase({path: int(value is True) for path, value in values.items()}))
        for state, values in shown.items()
    }
    labels = {}
    for state, phase in phases.items():
        alike = [shown[other] for other in phases if phases[other] == phase]
        told = {path: value for path, value in shown[state].items() if any(v[path] != value for v in alike)}
        labels[state] = [phase, *(_value(names[path], value) for path, value in told.items())]
    return labels


def _value(name: str, value: str | int | bool) -> str:
    return f"{'' if value else 'not '}{name}" if isinstance(value, bool) else f"{name}={value}"


def _of_state(where: set[int]) -> Mark:
    """A state that only steps of one version touch is that version's alone."""
    return _MARKS[where.pop()] if len(where) == 1 else "both"


def _few(events: Sequence[str]) -> list[str]:
    words = list(dict.fromkeys(events))
    more = len(words) - _MOST_EVENTS
    return [*words[:_MOST_EVENTS], *([f"+{more} more"] if more > 0 else [])]


def _key(names: tuple[str, str]) -> str:
    return f"- and dashed: only {names[0]}. + and bold: only {names[1]}. The rest: both."


def divergence_diagram(found: Comparison, divergences: Sequence[Divergence]) -> Diagram | None:
    """The nearest divergences as a tree of events; None where there are none."""
    shown = list(divergences[:_MOST_DIVERGENCES])
    if not shown:
        return None
    tree = _Tree()
    for divergence in shown:
        difference = next(d for d in found.scenarios if divergence in d.divergences)
        tree.add(difference, divergence)
    more = len(divergences) - len(shown)
    note = f" {number_of(more, 'farther one')} left out." if more else ""
    caption = f"Where the versions part, and what each does then.{note} " + _key(found.names)
    return Diagram(tree.nodes, tree.edges, caption)


def _common_facts(d: Difference, divergence: Divergence) -> set[str]:
    """What both versions make of the event."""
    found = [
        set() if trace is None else set(changes(system, before_last(trace), trace.steps[-1]))
        for system, trace in zip(d.systems, divergence.outcomes, strict=True)
    ]
    return found[0] & found[1]


class _Tree:
    """Events as edges; traces that begin alike share their nodes."""

    def __init__(self) -> None:
        self.nodes: list[DiagramNode] = [DiagramNode("n0", ["nothing has happened"], "both", True)]
        self.edges: list[DiagramEdge] = []
        self._known: dict[tuple[str, ...], str] = {(): "n0"}

    def add(self, d: Difference, divergence: Divergence) -> None:
        path: tuple[str, ...] = ()
        before = divergence.common.initial
        for step in divergence.common.steps:
            source, path = self._known[path], (*path, step.event)
            if path not in self._known:
                self._grow(path, source, step.event, changes(d.systems[0], before, step), "both")
            before = step.state
        common = _common_facts(d, divergence)
        for system, trace, mark in zip(d.systems, divergence.outcomes, _MARKS[:2], strict=True):
            if trace is not None:
                facts = changes(system, before_last(trace), trace.steps[-1])
                facts = [fact for fact in facts if fact not in common] or facts
                self._grow((*path, divergence.event, mark), self._known[path], divergence.event, facts, mark)

    def _grow(self, path: tuple[str, ...], source: str, event: str, facts: Sequence[str], mark: Mark) -> None:
        name = f"n{len(self.nodes)}"
        self._known[path] = name
        lines = [*facts[:_MOST_FACTS], *(["…"] if len(facts) > _MOST_FACTS else [])]
        self.nodes.append(DiagramNode(name, lines or ["no visible change"], mark))
        self.edges.append(DiagramEdge(source, name, [event], mark))
