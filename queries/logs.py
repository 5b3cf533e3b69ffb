"""What a kubelet's log proves about each pod's worker, and where it stands at the end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Literal

from podproof.checker.core.system import CheckerError
from podproof.kubelet.klog import seconds_between
from podproof.kubelet.log_automaton import MOST_CONFIGURATIONS, Automaton, TooMany
from podproof.kubelet.log_lines import HAVE_THE_UID_ALONE, LEVELS, WRITTEN_IN_CALLS, LogLine
from podproof.queries.log_claims import broken_claim, bugs_of
from podproof.queries.log_files import in_time_order
from podproof.queries.log_following import NO_STEPS, Follower
from podproof.queries.log_models import (
    MODELLED_FROM,
    MOST_AUTOMATA,
    automata_of,
    whose_model,
    workers_of,
)
from podproof.queries.log_reader import MISSING, MOST_PODS, KubeletLife, PodLines, Reader
from podproof.queries.log_runs import run_of
from podproof.reports.content.log import (
    DAY,
    Interval,
    Judged,
    Judgement,
    LogAnswer,
    LogClaim,
    StepOfRun,
    Told,
    WaitingPod,
    Waits,
)

MOST_OF_FILTERED = 5_000
"""Configurations where lines may have been filtered out: more would take minutes, and such a log proves nothing."""
MOST_RUNS = 10
"""Pods of one question with a run of the model beside them: each may take seconds."""
MOST_INTERVALS = 3
"""That are told of a pod."""
MOST_REJECTED = 3
"""Lines of one pod that do not fit, and are told; a log in which more do not is no `gap`."""
LEAST_FIT = 3
"""Lines, from one that does not fit on, that do fit in a `gap`."""


def judge(files: Sequence[Path], version: str | None = None, pod: str | None = None) -> LogAnswer:
    """What logs, in the order of their first times, prove about the worker of each pod; `-` is standard input.

    `version`: the release whose model is used, where the log does not decide. `pod`: only this one, by its UID or its
    namespace/name. Raises CheckerError for what cannot be read or is not there.
    """
    whose_model(version, "", "")
    reader = Reader(pod)
    for file in in_time_order(files):
        reader.read(file)
    judging = LogJudge(reader, version)
    judged = [each for life in reader.lives for each in judging.life(life, pod)]
    if pod is not None and not judged and not reader.told:
        more = f", of {MOST_PODS:,} that are read of a log" if reader.left_out else ""
        raise CheckerError(f"no line is about {pod!r}{more}; give a UID of the log, or namespace/name")
    words = [*(shlex.quote(str(file)) for file in files)]
    words += [f"--version {version}"] if version else []
    words += [f"--pod {shlex.quote(pod)}"] if pod else []
    return LogAnswer(
        command=" ".join(["podproof log", *words]),
        exit_code=_exit_code({each.judgement for each in judged}, reader.left_out),
        pods=judged,
        waiting=[each for life in reader.lives for each in judging.waiting(life, pod)],
        life=[Told(place=reader.place(number), time=time, line=line) for number, time, line in reader.told],
        intervals=_longest(reader),
        unread=reader.unread,
        left_out=reader.left_out,
    )


def _longest(reader: Reader) -> list[Interval]:
    """Between lines that name the pod that is asked for: as times, as the model has no clock."""
    pairs = ((seconds_between(one[1], other[1]), one, other) for one, other in pairwise(reader.told))
    found = sorted(((between, one, other) for between, one, other in pairs if between), key=itemgetter(0), reverse=True)
    return [
        Interval(seconds=min(between, DAY), after=reader.place(one[0]), before=reader.place(other[0]))
        for between, one, other in found[:MOST_INTERVALS]
        if between > 0
    ]


def _exit_code(judgements: set[Judgement], left_out: int) -> Literal[0, 1, 4]:
    if judgements & {"violation", "claim broken"}:
        return 1
    return 0 if judgements == {"conformant"} and not left_out else 4


class LogJudge:
    """Follows the lines of each pod through the automata of its release."""

    def __init__(self, reader: Reader, version: str | None) -> None:
        self.reader, self.version = reader, version
        self.made: set[tuple[str, frozenset[str | LogLine]]] = set()
        self.runs = 0

    def life(self, life: KubeletLife, pod: str | None) -> Iterator[Judged]:
        """What the log proves about each pod of a life."""
        version, why = whose_model(self.version, life.release, life.looks_like)
        shown = self._messages(*life.pods.values())
        asked = {uid: each for uid, each in life.pods.items() if pod is None or pod in (uid, life.name_of(uid))}
        if version is None:
            reason: tuple[Judgement, str] = "not-modelled", f"{why}; {MODELLED_FROM}"
        elif shown <= LEVELS.keys():
            reason = "nothing to judge", "the log has no line of the worker that --v=4 is needed for"
        else:
            hidden = HAVE_THE_UID_ALONE - shown if life.has_names_alone else frozenset()
            yield from self._followed(life, asked, version, why, hidden)
            return
        for uid, each in asked.items():
            yield self._judged(life, uid, each, version, why, *reason)

    def waiting(self, life: KubeletLife, pod: str | None) -> Iterator[WaitingPod]:
        """Pods of a life that wait, and of whose worker the log has no line."""
        for key, signs in life.signs.pods.items():
            waits = self._waits(life, key)
            if key not in life.pods and waits and (pod is None or pod in (key, signs.name)):
                yield WaitingPod(
                    uid="" if key == signs.name else key,
                    pod=signs.name,
                    among=signs.among,
                    first=self.reader.place(signs.first),
                    last=self.reader.place(signs.last),
                    waits=waits,
                )

    def _waits(self, life: KubeletLife, key: str) -> list[Waits]:
        """Of the kubelet that wrote the last line: what waited for one before it, its successor begins anew."""
        if life is not self.reader.last or key not in life.signs.pods:
            return []
        signs, found = life.signs.pods[key], list[Waits]()
        for (symptom, _), wait in signs.waits.items():
            is_silent = symptom.message == "SyncLoop ADD" and wait.place == life.sync_loop
            turn = f"the sync loop's (it has written nothing since) or {symptom.turn}" if is_silent else symptom.turn
            found.append(
                Waits(
                    waits_for=symptom.waits_for,
                    turn=turn,
                    message=symptom.message,
                    since=wait.since,
                    place=self.reader.place(wait.place),
                    times=wait.times,
                    counts_on=symptom.counts_on,
                    bugs=bugs_of(symptom.bugs, life.release or (self.version or "").removeprefix("v")),
                )
            )
        return found

    def _messages(self, *pods: PodLines) -> frozenset[str]:
        """Of their workers."""
        kinds = set[int]().union(*(pod.kinds for pod in pods)) - {MISSING}
        return frozenset(self.reader.kinds[kind].message for kind in kinds) - WRITTEN_IN_CALLS.keys()

    def _automata(
        self, version: str, hidden: frozenset[str | LogLine], most: int = MOST_CONFIGURATIONS
    ) -> tuple[Automaton, ...]:
        """Of a regular and of a static pod."""
        if (version, hidden) not in self.made:
            if len(self.made) >= MOST_AUTOMATA:
                raise TooMany(f"the files lack messages in more than {MOST_AUTOMATA} ways")
            self.made.add((version, hidden))
        return automata_of(version, hidden, most)

    def _followed(
        self, life: KubeletLife, pods: Mapping[str, PodLines], version: str, why: str, hidden: frozenset[str | LogLine]
    ) -> Iterator[Judged]:
        followers: dict[str, Follower | TooMany] = {}
        by_lines: dict[tuple[bytes, bool | None], Follower] = {}
        for uid, each in life.pods.items():
            lines = each.kinds.tobytes(), each.is_static
            if lines in by_lines:
                followers[uid] = by_lines[lines]
                continue
            # What others wrote is what could have been written, so they are followed too.
            try:
                found = self._follow(each, self._automata(version, hidden), life.begins)
            except TooMany as error:
                followers[uid] = error
                continue
            followers[uid] = found
            if not found.has_places:
                by_lines[lines] = found
        fitted = frozenset().union(*(f.fitted for f in followers.values() if isinstance(f, Follower)))
        own = (followers[uid] for uid, each in life.pods.items() if not each.other_name)
        if len({follower.first for follower in own if isinstance(follower, Follower) and follower.rejected}) > 1:
            life.sign = life.sign or "different lines do not fit in several pods, as where lines were lost at random"
        for uid, each in pods.items():
            follower = followers[uid]
            if isinstance(follower, TooMany):
                yield self._judged(life, uid, each, version, why, "undecided", str(follower))
            else:
                judgement, reason = self._judgement(life, each, version, follower, fitted)
                yield self._judged(life, uid, each, version, why, judgement, reason, follower, fitted)

    def _follow(self, pod: PodLines, automata: Sequence[Automaton], begins: bool) -> Follower:
        """What comes of the pod's lines.

        Where lines are missing the UID is taken to have one goroutine at most, and up to two if that explains nothing.
        """
        if pod.is_static is not None:
            automata = [automaton for automaton in automata if automaton.worker.static == pod.is_static]
        follower = Follower(self.reader, automata, begins, Automaton.ALONE)
        follower.follow(pod)
        if follower.rejected and (not begins or MISSING in pod.kinds):
            follower = Follower(self.reader, automata, begins, Automaton.ANYWHERE)
            follower.follow(pod)
        return follower

    def _judgement(
        self, life: KubeletLife, pod: PodLines, version: str, follower: Follower, fitted: frozenset[LogLine]
    ) -> tuple[Judgement, str]:
        if pod.other_name:
            return "undecided", f"its UID is that of {pod.name} and of {pod.other_name}: UIDs were changed in the log"
        if follower.unknown:
            return "undecided", f"{follower.unknown}; it may be of another release: --version"
        if not follower.rejected:
            if (
                follower.broken
                and not self._lack(life, pod, max(follower.broken.values()))
                and self._breaks(life, pod, version, follower.broken)
            ):
                return "claim broken", "every run of the model that writes these lines breaks it"
            if follower.count(fitted):
                return "conformant", ""
            return "nothing to judge", "any other line of the log would have been accepted in each place"
        if follower.beyond:
            return "undecided", "the UID may have had more than two goroutines at a time, which are not followed"
        if not pod.is_in_order:
            return "gap", "its lines are not in the order of their times"
        if follower.lacks_begin:
            return "gap", "no worker begins with its first line: lines before it are missing, or of another kubelet"
        lack = self._lack(life, pod, follower.end)
        if not lack and pod.are_calls_nested:
            lack = "of a call only the beginning is there"
        if not lack and not self._rejects(life, pod, version):
            lack = "kinds of lines that it does not have may have been filtered out"
        if lack:
            if len(follower.rejected) > MOST_REJECTED:
                return "undecided", f"lines would have to be missing at more than {MOST_REJECTED} places"
            if min(follower.fit_after) < LEAST_FIT:
                return "undecided", f"lines would have to be missing where fewer than {LEAST_FIT} fit behind them"
            return "gap", f"the model explains it if lines are missing there; {lack}"
        return "violation", "no run of the model writes this, and no sign is seen that lines are missing"

    def _lack(self, life: KubeletLife, pod: PodLines, place: int) -> str:
        """What shows that lines may be missing up to a place; empty for nothing."""
        signs = {
            "the log does not begin with the kubelet": not (life.begins and life.release),
            "no line of the sync loop is in the log": not life.sync_loop,
            life.sign: bool(life.sign),
            "lines are not in the order of their times": not pod.is_in_order,
            "lines are cut off": bool(self.reader.unread),
            "no housekeeping was there for seconds, or no line has a time": 0 < pod.stalled <= place,
        }
        return next((sign for sign, is_seen in signs.items() if is_seen), "")

    def _rejects(self, life: KubeletLife, pod: PodLines, version: str) -> bool:
        """Is it rejected also where the messages that the log does not have of this pod were filtered out?"""
        follower = self._of_filtered(life, pod, version, self._messages(pod))
        return follower is not None and bool(follower.rejected) and not follower.beyond

    def _breaks(self, life: KubeletLife, pod: PodLines, version: str, claims: Mapping[str, int]) -> bool:
        """Is a claim broken also where the messages that no pod of the life has were filtered out?"""
        follower = self._of_filtered(life, pod, version, self._messages(*life.pods.values()))
        return follower is not None and bool(follower.broken.keys() & claims.keys()) and not follower.beyond

    def _of_filtered(self, life: KubeletLife, pod: PodLines, version: str, messages: frozenset[str]) -> Follower | None:
        """A search for words, or for lines without them, leaves all lines of a message and a type, or none."""
        kinds = set[int]().union(*(each.kinds for each in life.pods.values())) - {MISSING}
        every = {line for worker in workers_of(version) for line in worker.written(goroutines=1)}
        hidden: frozenset[str | LogLine] = HAVE_THE_UID_ALONE.union(line.message for line in every) - messages
        hidden |= every - {self.reader.kinds[kind] for kind in kinds}
        try:
            return self._follow(pod, self._automata(version, hidden, MOST_OF_FILTERED), True)
        except TooMany:
            return None

    def _judged(
        self,
        life: KubeletLife,
        uid: str,
        pod: PodLines,
        version: str | None,
        why: str,
        judgement: Judgement,
        reason: str,
        follower: Follower | None = None,
        fitted: frozenset[LogLine] = frozenset(),
    ) -> Judged:
        return Judged(
            uid=uid,
            pod=life.name_of(uid) or "",
            judgement=judgement,
            reason=reason,
            version=version,
            why_version=why,
            first=self.reader.place(pod.places[0]),
            last=self.reader.place(pod.places[-1]),
            could_contradict=follower.count(fitted) if follower else 0,
            lines=pod.count,
            stands=follower.stands() if follower else [],
            waits=self._waits(life, uid),
            rejected=follower.rejected[:MOST_REJECTED] if follower else [],
            claims=self._broken(version, pod, follower) if version and follower else [],
            run=self._run(version, pod, judgement, follower) if version and follower else [],
        )

    def _run(self, version: str, pod: PodLines, judgement: Judgement, follower: Follower) -> list[StepOfRun]:
        """Of the lines before one that does not fit, or up to where a claim is broken."""
        if judgement not in ("violation", "claim broken") or self.runs >= MOST_RUNS:
            return []
        self.runs += 1
        end = follower.end if judgement == "violation" else max(follower.broken.values()) + 1
        kept = [(self.reader.kinds[kind], place) for kind, place in zip(pod.kinds, pod.places, strict=True)]
        kept = [(line, place) for line, place in kept if place < end and line.message not in NO_STEPS]
        places = [self.reader.place(place) for _, place in kept]
        return run_of(version, follower.automata, [line for line, _ in kept], places)

    def _broken(self, version: str, pod: PodLines, follower: Follower) -> list[LogClaim]:
        """Nothing of lines that no explanation has."""
        if follower.rejected or follower.unknown or follower.beyond:
            return []
        every = [broken_claim(version, name, self.reader.place(at), True) for name, at in follower.broken.items()]
        last = self.reader.place(pod.places[-1])
        return every + [broken_claim(version, name, last, False) for name in sorted(follower.possibly_broken())]
