"""A shortest run of the model beside what a log says of a worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podproof.kubelet.log_automaton import Automaton, LoneWorker
from podproof.kubelet.log_lines import LogLine
from podproof.kubelet.log_runs import RunStep, shortest_run
from podproof.model.language import NIL
from podproof.model.notes import Go, names_of
from podproof.model.versions import SINCE_1_22
from podproof.queries.names import Definition, names_in
from podproof.reports.content.log import RunLine, StepOfRun

MOST_LINES = 5_000
"""Of a pod with a run beside it: a longer one is not looked for."""


def run_of(
    version: str, automata: Iterable[Automaton], lines: Sequence[LogLine], places: Sequence[str]
) -> list[StepOfRun]:
    """The shortest of the runs from the kubelet's start that write these lines of a pod; nothing of too many."""
    if len(lines) > MOST_LINES:
        return []
    runs = (shortest_run(automaton, lines) for automaton in automata)
    run = min(filter(None, runs), key=len, default=[])
    return [_told(version, each, lines, places) for each in run]


def _told(version: str, each: RunStep, lines: Sequence[LogLine], places: Sequence[str]) -> StepOfRun:
    step = each.step
    function = function_of(version, step.method)
    return StepOfRun(
        step=f"{function} ({step.choice})" if step.choice else function,
        writer="the pod's goroutine" if step.actor != NIL else "whoever calls it",
        announced=[RunLine(places[i], told_line(lines[i])) for i in (each.announced,) if i is not None],
        lines=[RunLine(places[i], told_line(lines[i])) for i in each.lines],
        breaks=sorted(step.broken),
    )


def told_line(line: LogLine) -> str:
    return f'"{line.message}" {line.told}'.rstrip()


def function_of(version: str, method: str) -> str:
    """The Go function that a step is, or which part of one."""
    found = (names_of(vars(part).get(method)) for part in SINCE_1_22[version].cls.__mro__)
    return ", ".join(in_go(version, method, next(filter(None, found), ()))) or "podWorkerLoop"


def in_go(version: str, name: str, names: Iterable[Go]) -> list[str]:
    """What the version calls them in Go, with the part of the function."""
    definition = Definition("function", LoneWorker, name, tuple(names))
    return [", ".join(filter(None, [go.name, go.part])) for go in names_in(SINCE_1_22[version], definition)]
