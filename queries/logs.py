"""What a kubelet's log proves about each pod's worker, and where it stands at the end."""

from __future__ import annotations

import bisect
import shlex
from array import array
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from podproof.checker.core.system import CheckerError
from podproof.kubelet.klog import (
    MOST_OF_A_LINE,
    AskedPod,
    are_far_apart,
    entry_of,
    is_earlier,
    is_of_worker,
    leaves_out,
    lines_to_read,
    pid_of,
    shown_of,
    sign_of,
    time_of,
    written_of,
)
from podproof.kubelet.klog import version_of as release_of
from podproof.kubelet.log_automaton import ANYWHERE, MOST_CONFIGURATIONS, Automaton, TooMany
from podproof.kubelet.log_lines import HAVE_THE_UID_ALONE, LEVELS, LogLine
from podproof.kubelet.symptoms import Sign, Signs
from podproof.model.state import Position
from podproof.queries.log_claims import broken_claim, bugs_of
from podproof.queries.log_files import blocks, in_time_order, starts
from podproof.queries.log_models import (
    MODELLED_FROM,
    MOST_AUTOMATA,
    automata_of,
    whose_model,
    workers_of,
)
from podproof.queries.log_runs import run_of, told_line
from podproof.reports.content.log import (
    Judged,
    Judgement,
    LogAnswer,
    LogClaim,
    Rejected,
    StepOfRun,
    Told,
    WaitingPod,
    Waits,
)

MOST_PODS = 100_000
"""Of one question, in each life of the kubelet of its own; what is written about more is left out."""
MOST_TOLD = 10_000
"""Lines of a life that are shown; the first ones are left out."""
MOST_KINDS = 50_000
"""Of lines: message and type."""
MOST_OF_FILTERED = 5_000
"""Configurations where lines may have been filtered out: more would take minutes, and such a log proves nothing."""
OTHER = LogLine("(a message that is none of a worker's)")


@dataclass(slots=True)
class PodLines:
    """What a log has of a pod in one life of the kubelet: for each line its kind and its place, both as numbers."""

    name: str = ""
    other_name: str = ""
    """What a line of the same UID calls it otherwise."""
    gaps: int = 0
    """At how many places lines had been missing by its last one."""
    time: str = ""
    """Of its last line that has one."""
    written: int = 0
    """A hash of its last line; 0 where that has no time."""
    is_in_order: bool = True
    """Is no line earlier than one before it?"""
    kinds: array[int] = field(default_factory=lambda: array("H"))
    places: array[int] = field(default_factory=lambda: array("Q"))


@dataclass(slots=True)
class KubeletLife:
    """What a log has of one kubelet process."""

    begins: bool = False
    """Is its start in the log?"""
    start: int = 0
    """A hash of the line that tells its start."""
    release: str = ""
    """As the kubelet names it."""
    looks_like: str = ""
    """From which release on its lines look as they do."""
    sync_loop: int = 0
    """Where its last line of the sync loop is; 0 for none. A log that was filtered seldom has one."""
    time: str = ""
    """Of that line."""
    gaps: int = 0
    """At how many places of the files lines were missing when it began."""
    has_names_alone: bool = True
    """Do all of its lines name their pod? Those of a log that was filtered by a name do."""
    is_complete: bool = True
    """Is there no sign that lines of it are missing?"""
    pods: dict[str, PodLines] = field(default_factory=dict)
    signs: Signs = field(default_factory=Signs)
    """What it says at any level of what its pods wait for."""

    def name_of(self, uid: str) -> str | None:
        """The namespace/name of a pod of which it has lines of the worker, if any line says it."""
        signs = self.signs.pods.get(uid)
        return self.pods[uid].name or (signs.name if signs else "") or None


class Reader:
    """Reads files of logs one after the other, and keeps of them what is about workers, and all lines of one pod."""

    def __init__(self, pod: str | None = None) -> None:
        self.lives: list[KubeletLife] = []
        self.told: deque[tuple[int, str, str]] = deque(maxlen=MOST_TOLD)
        """Of the lines that name the pod the number, the time and the text."""
        self._asked = AskedPod(pod) if pod is not None else None
        self.kinds: list[LogLine] = [OTHER]
        self.unread = self.left_out = 0
        self._kind_ids: dict[LogLine, int] = {OTHER: 0}
        self._of_process: dict[bytes, KubeletLife] = {}
        self._files: list[tuple[int, Path]] = []
        self._count = 0
        self._pods = self._signs = self._gaps = 0
        self.last = self._new_life(b"")

    def _new_life(self, pid: bytes) -> KubeletLife:
        if len(self._of_process) > MOST_PODS:
            self._of_process.clear()
        self._of_process[pid] = life = KubeletLife(gaps=self._gaps)
        if self.lives:
            self._signs += (carried := life.signs.carry(self.last.signs, self._count, MOST_PODS - self._signs))
            if carried:
                self.lives.append(life)
        return life

    def _life_of(self, text: bytes) -> KubeletLife:
        """Whose line it is; the last one's where it does not say."""
        if pid := pid_of(text):
            life = self._of_process.get(pid)
            if life is not None and life is not self.last:
                self.last.signs.overlap()
            self.last = life or self._new_life(pid)
        return self.last

    def read(self, file: Path) -> None:
        """Go on with a file. Raises CheckerError where it cannot be read."""
        self._files.append((self._count, file))
        if len(self._files) > 1:
            self._gaps += 1
        for block in blocks(file):
            before, last = self._count, 0
            for start in lines_to_read(block) if self._asked is None else starts(block):
                before, last = before + block.count(b"\n", last, start), start
                self._count = before + 1
                end = block.find(b"\n", start, start + MOST_OF_A_LINE) + 1
                self._read_line(block[start : end or start + MOST_OF_A_LINE])
            self._count = before + block.count(b"\n", last) + (not block.endswith(b"\n"))

    def _read_line(self, text: bytes) -> None:
        if (sign := sign_of(text)) is not None:
            self._read_sign(text, sign)
        if is_of_worker(text):
            self._read_entry(text)
        elif release := release_of(text):
            self._begin_life(text, release)
        elif b'"SyncLoop ' in text:
            life, time = self._life_of(text), time_of(text)
            self._gaps += are_far_apart(life.time, time)
            life.sync_loop, life.time = self._count, time or life.time
        elif leaves_out(text):
            self._gaps += 1
        if self._asked is not None and self._asked.are_in(text):
            self.told.append((self._count, time_of(text), shown_of(text)))

    def _begin_life(self, text: bytes, release: str) -> None:
        pid, start = pid_of(text), hash(written_of(text))
        before = self._of_process.get(pid)
        self.last = self._new_life(pid)
        self.last.begins, self.last.release, self.last.start = True, release, start
        if start and before is not None and before.start == start:
            # The same line again, so what follows may have been written before it.
            self.last.is_complete = False

    def _read_sign(self, text: bytes, sign: Sign) -> None:
        life = self._life_of(text)
        if self._asked is not None:
            for name, uid in sign.pods:
                self._asked.learn(name, uid)
        new = sum(1 for _ in life.signs.see(sign, self._count, may_add=self._signs < MOST_PODS))
        if new and len(life.signs.pods) == new and not life.pods:
            self.lives.append(life)
        self._signs += new

    def _read_entry(self, text: bytes) -> None:
        entry = entry_of(text)
        if entry is None or len(text) == MOST_OF_A_LINE:
            self.unread += 1
            self._gaps += 1
            return
        if (kind := self._kind_ids.get(entry.line)) is None:
            kind = 0
            if len(self.kinds) < MOST_KINDS:
                kind = self._kind_ids[entry.line] = len(self.kinds)
                self.kinds.append(entry.line)
        life = self._life_of(text)
        life.is_complete = life.is_complete and b"pod_workers.go" in text
        if entry.uid not in life.pods:
            if self._pods >= MOST_PODS:
                self.left_out += 1
                return
            self._pods += 1
            if not life.pods and not life.signs.pods:
                self.lives.append(life)
            life.pods[entry.uid] = PodLines(gaps=life.gaps)
        pod = life.pods[entry.uid]
        if (written := hash(written_of(text))) and written == pod.written:
            return
        time = time_of(text)
        pod.is_in_order = pod.is_in_order and not is_earlier(time, pod.time)
        pod.time, pod.written = time or pod.time, written
        pod.name = pod.name or entry.pod
        pod.other_name = pod.other_name or (entry.pod if entry.pod != pod.name else "")
        life.has_names_alone = life.has_names_alone and bool(entry.pod)
        if pod.gaps != self._gaps:
            pod.kinds.append(MISSING)
            pod.places.append(self._count)
            pod.gaps, life.is_complete = self._gaps, False
        pod.kinds.append(kind)
        pod.places.append(self._count)
        life.looks_like = max(life.looks_like, entry.release)

    def place(self, number: int) -> str:
        """file:line of a line's number among all of them."""
        first, file = self._files[bisect.bisect_left(self._files, number, key=lambda each: each[0]) - 1]
        return f"{file}:{number - first}"


MISSING = 0xFFFF
"""In place of a line's kind: lines are missing here."""


# -- judging -----------------------------------------------------------------------------------------------------------


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
        unread=reader.unread,
        left_out=reader.left_out,
    )


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
        kinds = set[int]().union(*(pod.kinds for pod in pods)) - {MISSING}
        return frozenset(self.reader.kinds[kind].message for kind in kinds)

    def _automata(
        self, version: str, hidden: frozenset[str | LogLine], most: int = MOST_CONFIGURATIONS
    ) -> tuple[Automaton, ...]:
        """Of a regular and of a static pod: a log does not say which of them a UID is."""
        if (version, hidden) not in self.made:
            if len(self.made) >= MOST_AUTOMATA:
                raise TooMany(f"the files lack messages in more than {MOST_AUTOMATA} ways")
            self.made.add((version, hidden))
        return automata_of(version, hidden, most)

    def _followed(
        self, life: KubeletLife, pods: Mapping[str, PodLines], version: str, why: str, hidden: frozenset[str | LogLine]
    ) -> Iterator[Judged]:
        followers: dict[str, Follower | TooMany] = {}
        for uid, each in life.pods.items():
            # What others wrote is what could have been written, so they are followed too.
            try:
                followers[uid] = self._follow(each, self._automata(version, hidden), life.begins)
            except TooMany as error:
                followers[uid] = error
        fitted = frozenset().union(*(f.fitted for f in followers.values() if isinstance(f, Follower)))
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
        follower = Follower(automata, begins, Automaton.ALONE)
        follower.follow(self.reader, pod)
        if follower.rejected and (not begins or MISSING in pod.kinds):
            follower = Follower(automata, begins, Automaton.ANYWHERE)
            follower.follow(self.reader, pod)
        return follower

    def _judgement(
        self, life: KubeletLife, pod: PodLines, version: str, follower: Follower, fitted: frozenset[LogLine]
    ) -> tuple[Judgement, str]:
        if pod.other_name:
            return "undecided", f"its UID is that of {pod.name} and of {pod.other_name}: UIDs were changed in the log"
        if follower.unknown:
            return "undecided", f"{follower.unknown}; it may be of another release: --version"
        if not follower.rejected:
            if follower.broken and self._is_whole(life, pod) and self._breaks(life, pod, version, follower.broken):
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
        if not self._is_whole(life, pod) or not self._rejects(life, pod, version):
            if len(follower.rejected) > MOST_REJECTED:
                return "undecided", f"lines would have to be missing at more than {MOST_REJECTED} places"
            if min(follower.fit_after) < LEAST_FIT:
                return "undecided", f"lines would have to be missing where fewer than {LEAST_FIT} fit behind them"
            return "gap", "the model explains it if lines are missing there"
        return "violation", "no run of the model writes this, and no sign is seen that lines are missing"

    def _is_whole(self, life: KubeletLife, pod: PodLines) -> bool:
        has_start = life.begins and life.release and life.sync_loop
        return bool(has_start and life.is_complete and pod.is_in_order and not self.reader.unread)

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
            lines=sum(kind != MISSING for kind in pod.kinds),
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
        kept = [(line, place) for line, place in kept if place < end and line.message not in ANYWHERE]
        places = [self.reader.place(place) for _, place in kept]
        return run_of(version, follower.automata, [line for line, _ in kept], places)

    def _broken(self, version: str, pod: PodLines, follower: Follower) -> list[LogClaim]:
        """Nothing of lines that no explanation has."""
        if follower.rejected or follower.unknown or follower.beyond:
            return []
        every = [broken_claim(version, name, self.reader.place(at), True) for name, at in follower.broken.items()]
        last = self.reader.place(pod.places[-1])
        return every + [broken_claim(version, name, last, False) for name in sorted(follower.possibly_broken())]


MOST_RUNS = 10
"""Pods of one question with a run of the model beside them: each may take seconds."""
MOST_REJECTED = 3
"""Lines of one pod that do not fit, and are told; a log in which more do not is no `gap`."""
LEAST_FIT = 3
"""Lines, from one that does not fit on, that do fit in a `gap`."""


class Follower:
    """Follows one pod's lines through the automata of what the pod may be."""

    def __init__(self, automata: Sequence[Automaton], begins: bool, unseen: int) -> None:
        self.automata = automata
        self.unseen: Mapping[Automaton, int] = dict.fromkeys(automata, unseen)
        """What is known where lines are missing."""
        self.sets: Mapping[Automaton, int] = {a: a.start for a in automata} if begins else self.unseen
        self.possible: Counter[frozenset[LogLine]] = Counter()
        """How often these were the lines that could come next."""
        self.fitted: set[LogLine] = set()
        self.rejected: list[Rejected] = []
        self.end = 0
        """Where the first of them is."""
        self.fit_after: list[int] = []
        """Of each of them how many lines fit from it on, before the next one."""
        self.unknown = ""
        self.lacks_begin = False
        """Is the first line one that no worker begins with?"""
        self.beyond = False
        self.broken: dict[str, int] = {}
        """Each claim that every explanation breaks -> the place of the line since which they do."""

    def follow(self, reader: Reader, pod: PodLines) -> None:
        """Go on by the pod's lines; where no explanation has one, begin again from everywhere."""
        for kind, place in zip(pod.kinds, pod.places, strict=True):
            if kind == MISSING:
                self.sets = self.unseen
                continue
            line = reader.kinds[kind]
            if line.message in ANYWHERE:
                continue
            possible = frozenset[LogLine]().union(*(a.enabled(number) for a, number in self.sets.items()))
            self.beyond = self.beyond or any(a.is_beyond(number) for a, number in self.sets.items())
            after = self._after(self.sets, line)
            if not after:
                after = self._after(self.unseen, line)
                if not after:
                    alone = " with one goroutine of a UID" if Automaton.ALONE in self.unseen.values() else ""
                    self.unknown = f"{reader.place(place)}: the model{alone} never writes {told_line(line)}"
                    return
                self.lacks_begin = self.lacks_begin or not self.fitted
                self.end = self.end or place
                self.fit_after.append(0)
                self.rejected.append(Rejected(reader.place(place), told_line(line), sorted(map(told_line, possible))))
            elif not self.beyond:
                self.possible[possible] += 1
            if self.fit_after:
                self.fit_after[-1] += 1
            self.fitted.add(line)
            self.sets = after
            self._follow_claims(place)

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


_CALLS = {
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
    calls = sorted(_CALLS[worker.position] for worker in workers.workers[0] if worker.position in _CALLS)
    return ", in ".join([phase, *calls])
