"""What one line of a kubelet's log says of the worker that writes it, as the model has it."""

from __future__ import annotations

import difflib
import shlex
from functools import cache
from typing import Any

from podproof.kubelet.klog import line_of
from podproof.kubelet.log_automaton import ANNOUNCED, ANYWHERE, GENERATIONS, LoneWorker, WorkerStep
from podproof.kubelet.log_lines import LEVELS, MESSAGES, WRITTEN_IN_CALLS, LogLine, functions_of
from podproof.kubelet.symptoms import MESSAGES as OF_NEIGHBOURS
from podproof.kubelet.symptoms import SYMPTOMS
from podproof.model.language import NIL, hints_of
from podproof.model.notes import field_name
from podproof.model.state import PodSyncStatus
from podproof.model.versions import SINCE_1_22
from podproof.queries.log_following import CALLS, stands_of
from podproof.queries.log_models import MODELLED, whose_model, workers_of
from podproof.queries.log_runs import function_of, in_go
from podproof.reports.content.log import LineAnswer, LineStep

_OF_FINISHED = ("present", "terminating_at", "terminated_at", "finished", "restart_requested")
"""What the automaton keeps of a finished worker that has no goroutine."""
_FIELDS = (*_OF_FINISHED, "working", "started_at", "started_terminating")


def explain_line(text: str, version: str | None = None) -> LineAnswer:
    """Which function and step write a line, at which level, and what holds of the worker before the step and after it.

    `text` is a line of a log with any prefix, or JSON, or cut off before its file, its message or its keys.
    """
    line, release = line_of(text.encode("utf-8", "surrogateescape"), MESSAGES | OF_NEIGHBOURS | WRITTEN_IN_CALLS.keys())
    writers = [name for name in MODELLED if functions_of(SINCE_1_22[name].cls, line.message)]
    if version is None and not release and writers:
        version, why = writers[0], "assumed: the newest release that has the line"
    else:
        version, why = whose_model(version, "", release)
    functions, steps, reason = list[str](), list[LineStep](), ""
    if line.message in MESSAGES and version is not None:
        functions = in_go(version, line.message, functions_of(SINCE_1_22[version].cls, line.message))
        steps = _steps(version, line) if version in writers else []
        if line.message in ANYWHERE:
            reason = "UpdatePod writes it before it looks at the worker, so nothing has to hold"
        elif not steps:
            reason = _never(version, line, writers)
    elif line.message in WRITTEN_IN_CALLS:
        calls = " or ".join(sorted(CALLS[position] for position in WRITTEN_IN_CALLS[line.message]))
        reason = f"written in {calls}, which the pod's goroutine calls: no step of the worker writes it"
    elif line.message in OF_NEIGHBOURS:
        reason = "a line of another file: no step of the worker writes it"
    else:
        reason = "no line of a worker, and none that says what a pod waits for"
    waits, ends = _waits(line.message), _ends(line.message)
    is_known = bool(functions or waits or ends) or line.message in WRITTEN_IN_CALLS
    return LineAnswer(
        command=" ".join(["podproof log --explain-line", shlex.quote(text)]),
        exit_code=0 if is_known else 4,
        message=line.message,
        told=line.told,
        functions=list(dict.fromkeys(functions)),
        level=LEVELS.get(line.message, "V(4)") if functions else "",
        version=version if functions else None,
        why_version=why if functions else "",
        reason=reason,
        steps=steps,
        waits=waits,
        ends=ends,
        known=[] if is_known else _known(line.message),
    )


def _never(version: str, line: LogLine, writers: list[str]) -> str:
    if version not in writers:
        return f"{version} has no such line; it is one of {', '.join(writers)}"
    written = {each for worker in workers_of(version) for each in _lines(worker, GENERATIONS)}
    types = sorted(each.told for each in written if each.message == line.message)
    if types:
        return f"the model of {version} never writes it with {line.told!r}, only with {', '.join(types) or 'no type'}"
    return f"no state of the model of {version} writes it that is reachable with {GENERATIONS} goroutines of a UID"


@cache
def _lines(worker: LoneWorker, goroutines: int) -> dict[LogLine, dict[str, list[tuple[int, WorkerStep]]]]:
    """Each line that is written while the UID has so many goroutines at most -> method -> the state and the step."""
    found: dict[LogLine, dict[str, list[tuple[int, WorkerStep]]]] = {}
    reached, todo = {worker.start}, [worker.start]
    while todo:
        state = todo.pop()
        for step in worker.moves(state):
            announced = (step.announced,) if step.announced else ()
            for line in (*announced, *step.locked, *step.late):
                found.setdefault(line, {}).setdefault(step.method, []).append((state, step))
            if step.after not in reached and worker.goroutines(step.after) <= goroutines:
                reached.add(step.after)
                todo.append(step.after)
    return found


def _steps(version: str, line: LogLine) -> list[LineStep]:
    """The steps that write a line of a static pod or of another, of any type where the text does not say which.

    With one goroutine of the UID, and with two only where one never writes it.
    """
    found: dict[str, list[tuple[LoneWorker, int, WorkerStep]]] = {}
    for goroutines in range(1, GENERATIONS + 1):
        for worker in workers_of(version):
            for each, methods in _lines(worker, goroutines).items():
                if each == line or (not line.told and each.message == line.message):
                    for method, steps in methods.items():
                        found.setdefault(method, []).extend((worker, state, step) for state, step in steps)
        if found:
            break
    return [_step(version, line.message, method, steps) for method, steps in sorted(found.items())]


def _step(version: str, message: str, method: str, steps: list[tuple[LoneWorker, int, WorkerStep]]) -> LineStep:
    is_announced = message in ANNOUNCED
    is_late = any(message == line.message for _, _, step in steps for line in step.late)
    before = [worker.states[state] for worker, state, _ in steps]
    after = [worker.states[step.after] for worker, _, step in steps]
    return LineStep(
        step=function_of(version, method),
        method=method,
        writer="the pod's goroutine" if all(step.actor != NIL for _, _, step in steps) else "whoever calls it",
        lock="before it takes podLock" if is_announced else "when it has left podLock" if is_late else "under podLock",
        before=_facts(before),
        after=_facts(after),
        stands=sorted(set(map(stands_of, before))),
        leads_to=sorted(set(map(stands_of, after))),
    )


def _facts(states: list[Any]) -> list[str]:
    """What has one value in all of the states, of what the automaton knows in all of them."""
    statuses = [workers.pod_sync_statuses[0] for workers in states]
    if not any(status.present for status in statuses):
        return ["the UID has no podSyncStatus"]
    known = _OF_FINISHED if any(status.finished for status in statuses) else _FIELDS
    facts = []
    for name in known:
        values = {bool(getattr(status, name)) for status in statuses}
        if len(values) == 1:
            notes = getattr(hints_of(PodSyncStatus)[name], "__metadata__", ())
            told = "the UID has a podSyncStatus" if name == "present" else field_name(name, notes)
            facts.append(told if values == {True} else f"not {told}")
    return facts


def _waits(message: str) -> list[str]:
    """What a pod may wait for after it, as the table of symptoms says."""
    return [
        f"{symptom.waits_for}: it is {symptom.turn} turn"
        + (f", if its error has {symptom.error!r}" if symptom.error else "")
        for symptom in SYMPTOMS
        if symptom.message == message
    ]


def _ends(message: str) -> list[str]:
    ended = (symptom.waits_for for symptom in SYMPTOMS if any(end.startswith(message) for end in symptom.until))
    return list(dict.fromkeys(ended)) if message in OF_NEIGHBOURS else []


def _known(message: str) -> list[str]:
    """All that would be known, what is most like it first."""
    every = sorted(MESSAGES | OF_NEIGHBOURS | WRITTEN_IN_CALLS.keys())
    like = difflib.get_close_matches(message[:200], every, n=3)
    return [*like, *(each for each in every if each not in like)]
