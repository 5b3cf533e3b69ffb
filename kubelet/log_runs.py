"""A shortest run of the model that writes some lines of a pod's worker."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from podproof.kubelet.log_automaton import ANNOUNCED, Automaton, WorkerAndLines, WorkerStep
from podproof.kubelet.log_lines import LogLine


class RunStep(NamedTuple):
    """A step of a run."""

    step: WorkerStep
    announced: int | None
    """The number of the line that its goroutine writes before it, if there is one."""
    lines: tuple[int, ...]
    """Of the lines that are written after it and before the next step, without those that announce one."""


class _Reached(NamedTuple):
    """A configuration at the end of a run."""

    steps: int
    before: _Reached | None
    step: WorkerStep | None
    line: int | None
    now: WorkerAndLines


def shortest_run(automaton: Automaton, lines: Sequence[LogLine]) -> list[RunStep] | None:
    """The fewest steps from the kubelet's start that write exactly these lines; None where none do."""
    start = WorkerAndLines(automaton.worker.start)
    layer: Mapping[WorkerAndLines, _Reached] = {start: _Reached(0, None, None, None, start)}
    follow: dict[WorkerAndLines, list[tuple[WorkerStep | None, LogLine | None, WorkerAndLines]]] = {}
    for number, wanted in enumerate(lines):
        order = itertools.count()
        queue = [(each.steps, next(order), each) for each in layer.values()]
        heapq.heapify(queue)
        done: set[WorkerAndLines] = set()
        found: dict[WorkerAndLines, _Reached] = {}
        while queue:
            steps, _, reached = heapq.heappop(queue)
            if reached.now in done:
                continue
            done.add(reached.now)
            if reached.now not in follow:
                follow[reached.now] = list(automaton.followed(reached.now))
            for step, line, after in follow[reached.now]:
                cost = steps + (step is not None)
                if line is None and after not in done:
                    heapq.heappush(queue, (cost, next(order), _Reached(cost, reached, step, None, after)))
                elif line == wanted and (after not in found or cost < found[after].steps):
                    found[after] = _Reached(cost, reached, step, number, after)
        layer = found
    last = min(layer.values(), key=lambda reached: reached.steps, default=None)
    return _run_to(last, lines) if last else None


def _run_to(last: _Reached, lines: Sequence[LogLine]) -> list[RunStep]:
    reached: list[_Reached] = []
    before: _Reached | None = last
    while before is not None:
        reached.append(before)
        before = before.before
    run: list[RunStep] = []
    announced: list[int] = []
    for each in reversed(reached):
        line = each.line
        if each.step is not None:
            own = next((number for number in announced if lines[number] == each.step.announced), None)
            run.append(RunStep(each.step, own, () if line is None else (line,)))
            announced = [number for number in announced if number != own]
        elif line is not None and lines[line].message in ANNOUNCED:
            announced.append(line)
        elif line is not None:
            run[-1] = run[-1]._replace(lines=(*run[-1].lines, line))
    if announced:
        run[-1] = run[-1]._replace(lines=(*run[-1].lines, *announced))
    return run
