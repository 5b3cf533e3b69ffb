"""What logs have of each pod in each life of the kubelet: its worker's lines, and what others say it waits for."""

from __future__ import annotations

import bisect
from array import array
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from podproof.kubelet.klog import (
    MOST_OF_A_LINE,
    AskedPod,
    LogEntry,
    added_by,
    are_far_apart,
    call_of,
    entry_of,
    is_earlier,
    is_of_worker,
    leaves_out,
    lines_to_read,
    pid_of,
    seconds_between,
    shown_of,
    sign_of,
    time_of,
    version_of,
    written_of,
)
from podproof.kubelet.log_lines import FIRST_SYNC, LogLine
from podproof.kubelet.symptoms import Sign, Signs
from podproof.queries.log_files import blocks, starts

MOST_PODS = 100_000
"""Of one question, in each life of the kubelet of its own; what is written about more is left out."""
MOST_TOLD = 10_000
"""Lines of a life that are shown; the first ones are left out."""
MOST_KINDS = 50_000
"""Of lines: message and type."""
SOURCES = ("api", "file", "http")
MOST_SILENT = 60
"""Seconds for which the sync loop writes nothing: more, and what pods had in between is taken to be missing."""
MOST_LATE = 3.0
"""Seconds from a housekeeping to the next: it has a ticker of two."""
LEAST_OF_BEATS = 3.5
"""Seconds from a housekeeping to the third one after it: the ticker holds one back while the sync loop is busy."""
OTHER = LogLine("(a message that is none of a worker's)")
_CREATED = LogLine(FIRST_SYNC, "create")
"""Written by the handler of SyncLoop ADD, before the sync loop writes anything else, or by its housekeeping."""
MISSING = 0xFFFF
"""In place of a line's kind: lines are missing here."""


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
    is_static: bool | None = None
    """Whether it is a static pod, where the sync loop says so; else None."""
    stalls: int = 0
    """How often the sync loop had been silent for long by its last line."""
    stalled: int = 0
    """Where its first line is that comes after it was, since the pod's first one; 0 for none."""
    calls: int = 0
    """How many calls its goroutines are in."""
    are_calls_nested: bool = False
    """Did one begin in another?"""
    is_in_order: bool = True
    """Is no line earlier than one before it?"""
    count: int = 0
    """Of the lines of its worker; the others are written in its calls."""
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
    added: Mapping[str, str] = field(default_factory=dict)
    """The namespace/name of each pod that this line adds -> its source."""
    gaps: int = 0
    """At how many places of the files lines were missing when it began."""
    has_names_alone: bool = True
    """Do all of its lines name their pod? Those of a log that was filtered by a name do."""
    sign: str = ""
    """What shows that lines of it are missing, or are not its own; empty for nothing."""
    beat: str = ""
    """The time of its last housekeeping, or of the first line of the sync loop as long as there was none."""
    stalls: int = 0
    """How often the next one came too late."""
    beats: deque[str] = field(default_factory=lambda: deque(maxlen=4))
    """The times of the last ones."""
    is_in_housekeeping: bool = False
    present: set[tuple[str, str]] = field(default_factory=set)
    """The source and the namespace/name of each pod that was added and not removed."""
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
        elif (call := call_of(text)) is not None:
            self._read_call(text, call)
        elif release := version_of(text):
            self._begin_life(text, release)
        elif b'"SyncLoop ' in text:
            self._read_sync_loop(text, sign)
        elif leaves_out(text):
            self._gaps += 1
        if self._asked is not None and self._asked.are_in(text):
            self.told.append((self._count, time_of(text), shown_of(text)))

    def _read_sync_loop(self, text: bytes, sign: Sign | None) -> None:
        life, time = self._life_of(text), time_of(text)
        self._gaps += are_far_apart(life.time, time, MOST_SILENT)
        life.sync_loop, life.time = self._count, time or life.time
        life.added = added_by(text, sign) if sign is not None else {}
        for name, source in life.added.items():
            if (source, name) in life.present:
                life.sign = f"{name} is added twice: another kubelet's lines are among these, or names were changed"
            elif len(life.present) < MOST_PODS:
                life.present.add((source, name))
        if sign is not None and sign.message == "SyncLoop REMOVE":
            life.present.difference_update((source, name) for name, _ in sign.pods for source in SOURCES)
        is_housekeeping = b'"SyncLoop (housekeeping' in text
        if is_housekeeping or not life.beat:
            life.stalls += are_far_apart(life.beat, time, MOST_LATE)
            life.beat = time
        if is_housekeeping and b"end" not in text:
            life.beats.append(time)
            between = seconds_between(life.beats[0], time)
            if len(life.beats) == life.beats.maxlen and between is not None and 0 <= between < LEAST_OF_BEATS:
                life.sign = "housekeeping comes too often: another kubelet's lines are among these"
        if is_housekeeping and b"skipped" not in text:
            if life.is_in_housekeeping != (b"end" in text):
                life.sign = "of a housekeeping only the beginning is there, or only the end"
            life.is_in_housekeeping = b"end" not in text

    def _begin_life(self, text: bytes, release: str) -> None:
        pid, start = pid_of(text), hash(written_of(text))
        before = self._of_process.get(pid)
        self.last = self._new_life(pid)
        self.last.begins, self.last.release, self.last.start = True, release, start
        if start and before is not None and before.start == start:
            # The same line again, so what follows may have been written before it.
            self.last.sign = "the kubelet's start is there twice"

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
        life = self._life_of(text)
        if b"pod_workers.go" not in text:
            life.sign = "a line has no name of a file"
        if entry.uid not in life.pods:
            if self._pods >= MOST_PODS:
                self.left_out += 1
                return
            self._pods += 1
            if not life.pods and not life.signs.pods:
                self.lives.append(life)
            life.pods[entry.uid] = PodLines(gaps=life.gaps, stalls=life.stalls)
            if entry.line == _CREATED and entry.pod in life.added:
                life.pods[entry.uid].is_static = life.added[entry.pod] != "api"
        pod = life.pods[entry.uid]
        if self._extend(life, pod, text, entry.line):
            pod.name = pod.name or entry.pod
            pod.other_name = pod.other_name or (entry.pod if entry.pod != pod.name else "")
            life.has_names_alone = life.has_names_alone and bool(entry.pod)
            life.looks_like = max(life.looks_like, entry.release)
            pod.count += 1

    def _read_call(self, text: bytes, call: LogEntry) -> None:
        life = self._life_of(text)
        if (pod := life.pods.get(call.uid)) is not None and self._extend(life, pod, text, call.line):
            if call.line.message.endswith(" enter"):
                pod.are_calls_nested = pod.are_calls_nested or pod.calls > 0
                pod.calls += 1
            elif call.line.message.endswith(" exit"):
                pod.calls -= 1
                if pod.calls < 0:
                    life.sign = "of a call only the end is there"

    def _extend(self, life: KubeletLife, pod: PodLines, text: bytes, line: LogLine) -> bool:
        """Keep a line of a pod, unless it is the one before it again."""
        if (written := hash(written_of(text))) and written == pod.written:
            return False
        if (kind := self._kind_ids.get(line)) is None:
            kind = 0
            if len(self.kinds) < MOST_KINDS:
                kind = self._kind_ids[line] = len(self.kinds)
                self.kinds.append(line)
        time = time_of(text)
        life.stalls += not time or are_far_apart(life.beat, time, MOST_LATE)
        if pod.stalls != life.stalls:
            pod.stalled, pod.stalls = pod.stalled or self._count, life.stalls
        pod.is_in_order = pod.is_in_order and not is_earlier(time, pod.time)
        pod.time, pod.written = time or pod.time, written
        if pod.gaps != self._gaps:
            pod.kinds.append(MISSING)
            pod.places.append(self._count)
            pod.gaps, life.sign = self._gaps, "lines are missing in it"
        pod.kinds.append(kind)
        pod.places.append(self._count)
        return True

    def place(self, number: int) -> str:
        """file:line of a line's number among all of them."""
        first, file = self._files[bisect.bisect_left(self._files, number, key=lambda each: each[0]) - 1]
        return f"{file}:{number - first}"
