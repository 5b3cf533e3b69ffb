"""A run of the lone worker, repeated by the release as it is, with seconds and marks, and nothing forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from podproof.kubelet.log_automaton import GENERATIONS, SIZES, LoneWorker
from podproof.kubelet.log_lines import STOPPED, LogLine, with_lines
from podproof.kubelet.log_runs import RunStep
from podproof.model.language import NIL, Disabled, OutOfBounds, copy, make
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.pod_workers import PodWorkers
from podproof.model.state import Cached, KillPodOptions, Phase, Pod, UpdatePodOptions, UpdateType

MOST = 300
"""States of the release that are kept after a step."""
MOST_SECONDS = 1000
RETURNS: dict[str, Any] = {
    "get_newer_than": (False, True),
    "sync_pod_returns": SyncPodOutcome,
    "sync_terminating_pod_returns": SyncOutcome,
    "sync_terminating_runtime_pod_returns": SyncOutcome,
    "sync_terminated_pod_returns": SyncOutcome,
}


class Desires(PodWorkers):
    """In front of a release, which it leaves as it is: whoever asks says what is desired."""

    desired: bool

    def is_desired(self, uid: int) -> bool:
        return self.desired


def is_repeated(version: type[PodWorkers], worker: LoneWorker, run: Sequence[RunStep]) -> bool:
    """Has the release a run that writes in each step what this one of a lone worker, of a regular pod, does?

    Where there are many, those are followed first that the lone worker takes for the same state.
    """
    first = make(with_lines(version, Desires), SIZES)
    first.lines, first.iterations, first.desired = [], {}, False
    states = [first]
    for each in run:
        after: dict[str, Any] = {}
        for state in states:
            for now in taken(state, each):
                now.lines = []
                after.setdefault(repr((now, sorted(now.iterations.items()))), now)
        others = list(after.values())
        if len(others) > MOST:
            others.sort(key=lambda now: worker.number(now) != each.step.after)
        states = others[:MOST]
    return bool(states)


def taken(state: Any, each: RunStep) -> Iterator[Any]:
    """The states after a step of the release by the same method that writes the same lines."""
    step = each.step
    expected = [*([step.announced] if step.announced else []), *step.locked, *step.late]
    for name, given, cached, desired in calls(state, step.method):
        now = copy(state)
        now.iterations, now.lines, now.desired = dict(state.iterations), [], desired
        now.pod_cache[0] = cached
        try:
            if name == "complete_work":
                now.complete_work_enqueue(*given)
            getattr(now, name)(*given)
        except (Disabled, OutOfBounds):
            continue
        lines: list[LogLine] = [line for _, line in now.lines]
        for _ in range(sum(step.woken)):
            if STOPPED in lines:
                lines.remove(STOPPED)
        if lines == expected:
            yield now


def calls(state: Any, method: str) -> Iterator[tuple[str, tuple[Any, ...], Cached, bool]]:
    """All that the method may be given, with what the runtime cache has and whether the pod is desired."""
    if method == "update_pod":
        for options in updates(state.pod_sync_statuses[0].grace_period):
            for cached in (Cached.NOTHING_RUNNING, Cached.RUNNING):
                yield method, (0, copy(options)), cached, False
    elif method == "sync_known_pods":
        yield from ((method, (), Cached.NOTHING_RUNNING, desired) for desired in (False, True))
    else:
        for generation in range(GENERATIONS):
            for outcome in RETURNS.get(method, (None,)):
                given = (0, generation) if outcome is None else (0, generation, outcome)
                yield method, given, Cached.NOTHING_RUNNING, False


def updates(grace_period: int) -> Iterator[UpdatePodOptions]:
    """With as many seconds as nothing else, or with one less than before."""
    seconds = MOST_SECONDS if grace_period == 0 else max(grace_period - 1, 1)
    plain = Pod(present=True, termination_grace_period_seconds=MOST_SECONDS)
    for kind in UpdateType:
        for phase in (Phase.RUNNING, Phase.FAILED):
            for deletion in (NIL, seconds):
                pod = copy(plain)
                pod.phase, pod.deletion_timestamp = phase, deletion != NIL
                pod.deletion_grace_period_seconds = deletion
                options = UpdatePodOptions(present=True, update_type=kind, pod=pod)
                yield options
                for override in (NIL, seconds) if kind == UpdateType.KILL else ():
                    for evict in (False, True):
                        kill = KillPodOptions(present=True, evict=evict, grace_period_seconds_override=override)
                        asked = copy(options)
                        asked.kill_pod_options = kill
                        yield asked
    for override in (NIL, seconds):
        kill = KillPodOptions(present=override != NIL, grace_period_seconds_override=override)
        yield UpdatePodOptions(present=True, update_type=UpdateType.KILL, running_pod=True, kill_pod_options=kill)
