"""Follows one pod's lines through the automata of what the pod may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from podproof.kubelet.log_automaton import ANYWHERE, Automaton
from podproof.kubelet.log_lines import FIRST_SYNC, TERMINATING_WITH, WRITTEN_IN_CALLS, LogLine
from podproof.model.state import Position
from podproof.queries.log_claims import GRACE_PERIOD_ONLY_DECREASES
from podproof.queries.log_reader import MISSING, PodLines, Reader
from podproof.queries.log_runs import told_line
from podproof.reports.content.log import Rejected

NO_STEPS = ANYWHERE | WRITTEN_IN_CALLS.keys()
"""Messages that no step of the worker writes."""


class Follower:
    """Follows one pod's lines through the automata of what the pod may be."""

    def __init__(self, reader: Reader, automata: Sequence[Automaton], begins: bool, unseen: int) -> None:
        self.reader = reader
        self.automata = automata
        self.unseen: Mapping[Automaton, int] = dict.fromkeys(automata, unseen)
        """What is known where lines are missing."""
        self.sets: Mapping[Automaton, int] = {a: a.start for a in automata} if begins else self.unseen
        self.possible: Counter[frozenset[LogLine]] = Counter()
        """How often these were the lines that could come next."""
        self.fitted: set[LogLine] = set()
        self.rejected: list[Rejected] = []
        self.first: LogLine | None = None
        """The first of these lines."""
        self.end = 0
        """Where the first of them is."""
        self.fit_after: list[int] = []
        """Of each of them how many lines fit from it on, before the next one."""
        self.unknown = ""
        """That a line is none of the model's; empty where there is none."""
        self.grace_period: int | None = None
        """The last one of this history of the pod, 0 before the first; None where that is not known."""
        self.lacks_begin = False
        """Is the first line one that no worker begins with?"""
        self.beyond = False
        self.broken: dict[str, int] = {}
        """Each claim that every explanation breaks -> the place of the line since which they do."""

    @property
    def has_places(self) -> bool:
        """Does it know places of the log, so that another pod with the same lines has a follower of its own?"""
        return bool(self.rejected or self.unknown or self.broken)

    def follow(self, pod: PodLines) -> None:
        """Go on by the pod's lines; where no explanation has one, begin again from everywhere."""
        for kind, place in zip(pod.kinds, pod.places, strict=True):
            if kind == MISSING:
                self.sets, self.grace_period = self.unseen, None
                continue
            line = self.reader.kinds[kind]
            if line.message in WRITTEN_IN_CALLS:
                self._follow_call(line, place)
            elif line.message not in ANYWHERE:
                self._follow_step(line, place)
            if self.unknown:
                return

    def _follow_step(self, line: LogLine, place: int) -> None:
        possible = frozenset[LogLine]().union(*(a.enabled(number) for a, number in self.sets.items()))
        self.beyond = self.beyond or any(a.is_beyond(number) for a, number in self.sets.items())
        after = self._after(self.sets, line)
        if not after:
            after = self._after(self.unseen, line)
            if not after:
                alone = " with one goroutine of a UID" if Automaton.ALONE in self.unseen.values() else ""
                self.unknown = f"{self.reader.place(place)}: the model{alone} never writes {told_line(line)}"
                return
            self.lacks_begin = self.lacks_begin or not self.fitted
            self._reject(line, place, sorted(map(told_line, possible)))
        elif not self.beyond:
            self.possible[possible] += 1
        if self.fit_after:
            self.fit_after[-1] += 1
        self.fitted.add(line)
        self.sets = after
        if line.message == FIRST_SYNC:
            self.grace_period = 0
        self._follow_claims(place)

    def _follow_call(self, line: LogLine, place: int) -> None:
        """Leave those explanations in which the goroutine is in the call that writes the line."""
        calls = WRITTEN_IN_CALLS[line.message]
        self.beyond = self.beyond or any(a.is_beyond(number) for a, number in self.sets.items())
        stepped = {automaton: automaton.in_call(number, calls) for automaton, number in self.sets.items()}
        if left := {automaton: number for automaton, number in stepped.items() if number is not None}:
            self.sets = left
        else:
            self._reject(line, place, [f"the worker {stands}" for stands in self.stands()])
            self.sets = self.unseen
        if line.message == TERMINATING_WITH and line.told and self.grace_period is not None:
            if 0 < self.grace_period < int(line.told):
                self.broken.setdefault(GRACE_PERIOD_ONLY_DECREASES, place)
            self.grace_period = int(line.told)

    def _reject(self, line: LogLine, place: int, possible: list[str]) -> None:
        self.end, self.first = self.end or place, self.first or line
        self.fit_after.append(0)
        self.grace_period = None
        self.rejected.append(Rejected(self.reader.place(place), told_line(line), possible))

    def _follow_claims(self, place: int) -> None:
        each = [automaton.broken(number)[0] for automaton, number in self.sets.items()]
        for claim in each[0].intersection(*each[1:]):
            self.broken.setdefault(claim, place)

    def possibly_broken(self) -> frozenset[str]:
        """The claims that some explanation breaks, and not every one."""
        return frozenset[str]().union(*(a.broken(n)[1] for a, n in self.sets.items())) - self.broken.keys()

    def count(self, alphabet: frozenset[LogLine]) -> int:
        """At how many lines another one of these would have been rejected."""
        return sum(count for possible, count in self.possible.items() if not alphabet <= possible)

    def _after(self, sets: Mapping[Automaton, int], line: LogLine) -> Mapping[Automaton, int]:
        stepped = {automaton: automaton.after(number, line) for automaton, number in sets.items()}
        return {automaton: number for automaton, number in stepped.items() if number is not None}

    def stands(self) -> list[str]:
        """Where the worker may stand."""
        found = set()
        if self.unknown or self.beyond:
            return []
        for automaton, number in self.sets.items():
            if number < 0:
                return []
            found |= {stands_of(automaton.worker.states[now.state]) for now in automaton.sets[number]}
        return sorted(found)


CALLS = {
    Position.SYNC_POD: "SyncPod",
    Position.SYNC_TERMINATING_POD: "SyncTerminatingPod",
    Position.SYNC_TERMINATING_RUNTIME_POD: "SyncTerminatingRuntimePod",
    Position.SYNC_TERMINATED_POD: "SyncTerminatedPod",
    Position.CACHE: "GetNewerThan",
}


def stands_of(workers: Any) -> str:
    """A state of a worker in a few words."""
    status = workers.pod_sync_statuses[0]
    phase = "finished" if status.finished else status.work_type().value if status.present else "forgotten"
    calls = sorted(CALLS[worker.position] for worker in workers.workers[0] if worker.position in CALLS)
    return ", in ".join([phase, *calls])
