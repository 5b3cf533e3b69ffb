"""The change as pictures: the phases of a pod with steps that only one version has, and where the versions part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from podproof.checker.core.system import State, System
from podproof.checker.difference.result import Comparison, Difference, Divergence
from podproof.reports.content.review.words import event_of, values_in_words
from podproof.reports.document import Diagram, DiagramEdge, DiagramNode, Mark
from podproof.reports.pictures.fork import TakenWalk, forked
from podproof.reports.pictures.life import Life
from podproof.reports.pictures.phases import ORDER
from podproof.reports.presets import NOT_KNOWN, lifecycle_phase, short_phase
from podproof.reports.state_text import STATUSES, StateText

MOST_EDGES = 40
"""More cannot be read in a picture."""
_MOST_EVENTS = 3
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
    if (found := _phases(d, names)) is not None:
        return found
    groups: dict[tuple[State, State, int], list[str]] = {}
    for flow in d.flows:
        groups.setdefault((flow.source, flow.target, flow.where), []).append(event_of(d.systems, flow.action))
    what = f"The phases of {_whose(d)}"
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


def _whose(d: Difference) -> str:
    pods = StateText(d.systems[0]).pods
    return pods[0] if len(pods) > 1 else "a pod"


def _phases(d: Difference, names: tuple[str, str]) -> Diagram | None:
    """The phases alone, where that shows every step that only one version has; else None."""
    labels = _labels(d, {state for flow in d.flows for state in (flow.source, flow.target)})
    steps: dict[tuple[str, str], dict[str, dict[int, list[str]]]] = {}
    for flow in d.flows:
        (source, *told), (target, *_) = labels[flow.source], labels[flow.target]
        if source != target:
            events = steps.setdefault((source, target), {})
            found = events.setdefault(event_of(d.systems, flow.action), {})
            found.setdefault(flow.where, []).append(", ".join(told))
        elif flow.where != 2:
            return None
    phases = list(dict.fromkeys(phase for ends in steps for phase in ends))
    if not set(phases) <= ORDER.keys():
        return None
    edges = [
        DiagramEdge(source, target, lines, _MARKS[where])
        for (source, target), events in steps.items()
        for where in (2, 0, 1)
        if (lines := [line for event, found in events.items() for line in _told(event, found, where)])
    ]
    marks = {phase: {edge.mark for edge in edges if phase in (edge.source, edge.target)} for phase in phases}
    nodes = [
        DiagramNode(phase, [phase], of.pop() if len(of) == 1 else "both", phase in _STARTS)
        for phase, of in marks.items()
    ]
    numbers = {phase: f"n{i}" for i, phase in enumerate(phases)}
    nodes = [replace(node, name=numbers[node.name]) for node in nodes]
    edges = [replace(edge, source=numbers[edge.source], target=numbers[edge.target]) for edge in edges]
    return Diagram(nodes, edges, f"The phases of {_whose(d)}, scenario {d.systems[0].scenario}. {_key(names)}")


def _told(event: str, found: Mapping[int, Sequence[str]], where: int) -> Iterator[str]:
    """An event that a version has, or both; of one that both have elsewhere, where from."""
    if where in found:
        yield event if len(found) == 1 or where == 2 else f"{event}, if {' or if '.join(dict.fromkeys(found[where]))}"


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


def fork_of(divergence: Divergence, systems: tuple[System, System]) -> Life | None:
    """How both versions come to an event that parts them, and what each does then; None of more pods than are seen."""
    first, second = (
        TakenWalk(system, outcome or way, "" if outcome else f"it is not possible in {system.version}")
        for system, outcome, way in zip(systems, divergence.outcomes, divergence.ways, strict=True)
    )
    title = f"Where the versions part: {divergence.event}"
    return forked((first, second), len(divergence.common.steps) + 1, "", title)
