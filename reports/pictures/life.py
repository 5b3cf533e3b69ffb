"""The life of a pod in a trace: who did what to it, which phase it was in, what ran beside it, where a claim broke.

This is the one reading of a trace that every picture of it shares. Steps are counted from 1.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from podproof.checker.core.printer import visible
from podproof.checker.core.system import ClaimFailure, Lasso, Status, Step, System, Trace, Verdict
from podproof.model.notes import Lane, note_of
from podproof.reports.layout import number_of
from podproof.reports.presets import (
    FINISHED,
    NOT_KNOWN,
    PHASE_FIELDS,
    REQUESTED,
    STARTED,
    SYNC,
    TERMINATED,
    WAITING,
    phase_of,
)
from podproof.reports.state_text import INDEX, STATUSES, WORKERS, Fact, NamedPart, StateText
from podproof.reports.story import sentence, word_of

PHASES = {
    NOT_KNOWN: "",
    WAITING: "waiting",
    SYNC: "syncing",
    REQUESTED: "terminating",
    STARTED: "terminating",
    TERMINATED: "terminated",
    FINISHED: "finished",
}
"""What a ribbon calls the phases; empty where the workers have no status of the pod."""
RUNNING, PRE_STOP, SIGNALED = "running", "preStop", "SIGTERM"
STAGES = {"preStop hook runs": PRE_STOP, "stop signal sent": SIGNALED}
"""What a strip calls how far a container's end has come; while it waits for its turn it just runs."""
MOST_TRACKS = 2
NOTHING = frozenset(("0", "false", "unset", "nil", "none", "no goroutine"))
"""Values that are told by an empty place."""
ENTRIES = {"work_queue": ("no longer in work_queue", "in work_queue"), "resources": ("no resources", "has resources")}
"""What is said of a pod that has no entry in one of these maps, and of one that has."""
OLD, NEW = "\N{MINUS SIGN}", "+"
"""Of two versions, the first and the second."""

Kind = Literal["event", "work", "fold", "restart"]

_IN_THE_RIBBON = frozenset((*PHASE_FIELDS, "working", "token", "position"))
_ELSEWHERE = frozenset(
    itertools.chain(
        ("pod_updates", "update_type", "work_type", "pending_update", "active_update", "context", "pod_manager"),
        ("known_pods", "notify_post_terminating", "status_post_terminating", "housekeeping", "restart_requested"),
        (
            "pod_status_func",
            "is_working",
            "last_sync_time",
            "delay",
            "chores",
            "last_undelivered_work_update",
            "closed",
        ),
    )
)
"""What a picture never tells: each is how something that it does tell comes about."""
_BOOKS = re.compile(r"budget|waiting_to_start|kill_requests.*uid$|sent_work|undelivered_work")
_OF_LAYERS = frozenset(
    ("reported", "pod_is_finished", "object_is_deleted", "has_resources", "mirror_pod_has_ended", "exit_code")
)
"""Of what the layers around the worker have, the fields that are told; the others follow from what happens."""
_CALLS = re.compile(r"[Ss]ync\w*Pod(?:: killPod)?$")
_ANSWERS = {
    **dict.fromkeys(("open", "waiting"), "who killed waits for the answer"),
    **dict.fromkeys(("closed", "done"), "who killed has the answer"),
}


@dataclass(frozen=True)
class Snapshot:
    """What is so after a step, by column: of each pod its phase and what runs, and each track's value."""

    phases: tuple[str, ...]
    """Empty: the workers have no status of it."""
    strips: tuple[str, ...]
    """`running`, `preStop` or `SIGTERM`; empty where nothing runs."""
    values: tuple[str, ...]
    """Empty: zero or nil."""


@dataclass(frozen=True)
class Ribbon:
    """A ribbon, and the strip beside it where containers ever run."""

    uid: int
    name: str
    has_strip: bool
    is_read: bool = False
    """Does the false part read its phase?"""
    strip_is_read: bool = False


@dataclass(frozen=True)
class Track:
    """A field of the false part that changes; or that never does, and whose value is wrong at the end."""

    name: str
    item: NamedPart
    numbers: tuple[int, ...]
    """Its values from the start to the end where they are numbers; else empty."""
    missing: str = ""
    """The value at the end of what never changes; empty for what changes."""
    is_read: bool = False
    """Does the false part itself read it?"""


@dataclass(frozen=True)
class Row:
    """A step, several that are folded, or a restart of the kubelet."""

    first: int
    last: int
    kind: Kind
    lane: str
    """Who acts, where it is nobody of the worker and of the runtime; else empty."""
    text: str
    details: tuple[str, ...]
    targets: tuple[int, ...]
    """The columns of the pods that it hits, or whose worker it is."""
    is_ignored: bool
    """Is it an event for a worker, of whom it changes nothing?"""
    changes: tuple[str, ...]
    """What it changes that no ribbon, strip or track shows."""
    after: Snapshot
    of_runtime: bool = False

    @property
    def number(self) -> str:
        return str(self.last) if self.first == self.last else f"{self.first}\N{EN DASH}{self.last}"


@dataclass(frozen=True)
class Life:
    """A trace as it is drawn."""

    title: str
    """The claim's sentence."""
    outcome: str
    """What became of it: `Broken in kubelet 1.29 after 3 steps`."""
    where: str
    is_wrong: bool
    pods: tuple[Ribbon, ...]
    lanes: tuple[str, ...]
    tracks: tuple[Track, ...]
    start: Snapshot
    rows: tuple[Row, ...]
    claim: str
    free: str = ""
    """What the initial state chose; empty where there was no choice."""
    loop: int | None = None
    """Which row begins those that come again and again; None where none do."""
    is_endless: bool = False
    """Does it go on for ever, or stay as it is for ever?"""
    failure: ClaimFailure | None = None
    blocked: tuple[str, ...] = ()
    """Who waits for ever; of two versions, who breaks the claim."""
    fork: Fork | None = None
    """Where another version goes another way; the start and rows are then of the first one as far as it comes."""


@dataclass(frozen=True)
class Fork:
    """How another version takes the same steps."""

    common: int
    """How many of the start and the rows leave both versions alike."""
    after: tuple[Snapshot, ...]
    """What is so in the other version at the start and after each row."""


def life_of(verdict: Verdict, system: System, trace: Trace) -> Life:
    """How a claim is broken, or witnessed."""
    claim, is_wrong = verdict.property, verdict.status is Status.VIOLATED
    return read(system, trace, verdict.failure, claim.id, claim.meaning, is_wrong, verdict.is_shortest)


def read(
    system: System,
    trace: Trace,
    failure: ClaimFailure | None,
    claim: str,
    title: str,
    is_wrong: bool = True,
    is_shortest: bool = True,
) -> Life:
    """The same of a trace that shows how a claim fails or, where nothing is wrong, that something is possible."""
    reading, lasso = TraceReading(system, trace, failure, is_wrong), trace.lasso
    length = number_of(len(trace.steps), "step")
    if lasso is not None:
        length = f"{number_of(lasso.start, 'step')}, and then for ever"
    kubelet = re.sub(r"^v(?=\d)", "kubelet ", system.version)
    free = ", ".join(f"{path} = {trace.initial[system.index(path)]}" for path in system.free)
    return Life(
        title,
        f"{'Broken in ' if is_wrong else 'Seen in ' if claim else ''}{kubelet} after {length}",
        f"scenario {system.scenario}{' · no shorter way' if is_shortest else ''}",
        is_wrong,
        reading.pods,
        reading.lanes,
        reading.tracks,
        reading.snapshots[0],
        reading.rows,
        claim,
        free,
        reading.loop,
        lasso is not None,
        failure,
        () if lasso is None else tuple(begun(text, reading.names.values()) for text in lasso.blocked),
    )


class TraceReading:
    """What is read off a trace. Each property is made of those before it."""

    def __init__(
        self,
        system: System,
        trace: Trace,
        failure: ClaimFailure | None = None,
        is_wrong: bool = False,
        also: Collection[int] = (),
    ) -> None:
        self.system, self.trace, self.failure, self.is_wrong = system, trace, failure, is_wrong
        self.state_text = StateText(system)
        self.states = [{v.path: n for v, n in zip(system.variables, state, strict=True)} for state in trace.states]
        self.facts = [facts for _, facts in self.state_text.walk(trace.initial, trace.steps)]
        part = None if failure is None else failure.part
        self.of_part = () if part is None else part.reads
        self.read = () if part is None else tuple(dict.fromkeys((*part.reads, *part.reads_beside)))
        self.also = also  # pods that are shown whatever happens in them
        self.pods = tuple(self._pods(set(self.state_text.pods))) or tuple(self._pods(set()))
        self.names = {pod.uid: pod.name for pod in self.pods}
        self.uids = list(self.names)
        self.tracks = tuple(self._tracks())
        self.snapshots = [self._snapshot(number) for number in range(len(self.states))]
        self.single = [self._row(number, step) for number, step in enumerate(trace.steps, 1)]
        self.rows = tuple(self.folded(self.single))
        self.lanes = tuple(dict.fromkeys(row.lane for row in self.rows if row.lane))
        self.loop = self._loop(trace.lasso)

    def _uid_of(self, path: str) -> int | None:
        """The pod that a field is of; None for one that is of no pod."""
        index = INDEX.search(path)
        if index is None:
            return None
        _, size = self.state_text.arrays.get(path[: index.start()], (0, ""))
        return int(index[1]) if size == "uids" else None

    # -- pods ----------------------------------------------------------------------------------------------------------

    def _pods(self, chosen: Collection[int]) -> Iterator[Ribbon]:
        """Those of these in which something happens; without any, all."""
        named = {step.parameters.get("uid") for step in self.trace.steps}
        drawn = {(self._uid_of(path), path.startswith((STATUSES, WORKERS))) for path in self.read if _is_drawn(path)}
        for uid, name in (self.state_text.pods or {0: "pod"}).items():
            has_strip = any(map(self._strip, self.states, itertools.repeat(uid)))
            if (
                not chosen
                or uid in self.also
                or name in named
                or has_strip
                or any(map(self._phase, self.states, itertools.repeat(uid)))
            ):
                yield Ribbon(uid, visible(name), has_strip, (uid, True) in drawn, (uid, False) in drawn)

    def _phase(self, values: Mapping[str, int], uid: int) -> str:
        if f"{STATUSES}[{uid}].present" in values:
            return PHASES[phase_of(values, uid)]
        return self._phase_without_status(values, uid)

    def _phase_without_status(self, values: Mapping[str, int], uid: int) -> str:
        """In a release that keeps no status of a pod: what its goroutine does."""
        path = f"{WORKERS}[{uid}][0].position"
        if path not in values:
            return ""
        position = str(self.system.variables[self.system.index(path)].show(values[path]))
        return "" if position == "no goroutine" else "syncing" if _CALLS.search(position) else "waiting"

    def _strip(self, values: Mapping[str, int], uid: int) -> str:
        if f"layers[{uid}].pod_is_finished" not in values:
            return RUNNING if values.get(f"containers[{uid}]") else ""
        stages = {self._stage(path) for path in self._running(values, uid)}
        found = {STAGES.get(str(self._show(values, path)), RUNNING) for path in stages}
        return next((stage for stage in (SIGNALED, PRE_STOP, RUNNING) if stage in found), "")

    def _running(self, values: Mapping[str, int], uid: int) -> Iterator[str]:
        """Of the layers' scenarios: the containers that run, by the path of their state."""
        pattern = re.compile(rf"layers\[{uid}\]\.runtime\.(init_)?containers\[\d+\]\.state")
        return (path for path in values if pattern.fullmatch(path) and self._show(values, path) == RUNNING)

    @staticmethod
    def _stage(path: str) -> str:
        """Where it stands how far a container's end has come."""
        return re.sub(r"\.runtime\.(init_)?containers(\[\d+\])\.state", r".\1stops\2.stage", path)

    def _show(self, values: Mapping[str, int], path: str) -> str | int | bool:
        return self.system.variables[self.system.index(path)].show(values[path])

    # -- tracks --------------------------------------------------------------------------------------------------------

    def _tracks(self) -> Iterator[Track]:
        """What the false part reads and what changes, then what it reads and what never does, then its `where`."""
        states = self.trace.states
        # Whose uid it is says only of which pod the claim speaks.
        paths = [path for path in self.read if not _is_drawn(path) and not path.endswith((".present", ".uid"))]
        # How far housekeeping is, its own events show.
        paths = [path for path in paths if path != "housekeeping" or path in self.of_part]
        shown = [self.state_text.leaf(path) for path in paths]
        of_part = [item for item, path in zip(shown, paths, strict=True) if path in self.of_part]
        changing = [item for item in shown if len(set(map(item.text, states))) > 1]
        still = [item for item in of_part if item not in changing] if self.is_wrong else []
        first = [item for item in changing if item in of_part]
        rest = [item for item in changing if item not in of_part]
        for item in [*first, *still, *rest][:MOST_TRACKS]:
            variable, position = item.variables[0], item.positions[0]
            is_number = not variable.is_bool and all(
                item.text(s) == str(s[position]) or item.is_zero(s) for s in states
            )
            numbers = tuple(max(0, state[position]) for state in states) if is_number else ()
            missing = item.text(states[-1]) if item in still else ""
            yield Track(self._name(item), item, numbers, missing, item in of_part)

    def _name(self, item: NamedPart) -> str:
        """What a field is called where the picture says whose it is: its own name, of what it is, and of a worker."""
        path = item.variables[0].path
        if item.kind != "leaf" or not path.startswith((STATUSES, WORKERS, "layers")):
            alone = f"[{self.pods[0].name}]" if len(self.pods) == 1 else ""
            return visible(item.name).replace(alone, "")
        _, *owners, leaf = path.split(".")
        owner = owners[0] if owners and path.startswith((STATUSES, WORKERS)) else ""
        return visible(" ".join(filter(None, ["worker" if path.startswith(WORKERS) else "", owner, leaf])))

    def _value(self, track: Track, number: int) -> str:
        """A track's value after a step. A word that stands for Go's zero value is told once it follows another."""
        item, state = track.item, self.trace.states[number]
        if track.missing:
            return ""
        if item.is_zero(state):
            has_begun = not all(map(item.is_zero, self.trace.states[:number]))
            return item.text(state) if has_begun and item.text(state) not in NOTHING else ""
        seconds = bool(track.numbers) and re.search(r"grace_period|seconds|timeout", item.leaf)
        return item.text(state) + (" s" if seconds else "")

    def _snapshot(self, number: int) -> Snapshot:
        values = self.states[number]
        return Snapshot(
            tuple(self._phase(values, uid) for uid in self.uids),
            tuple(self._strip(values, uid) for uid in self.uids),
            tuple(self._value(track, number) for track in self.tracks),
        )

    # -- rows ----------------------------------------------------------------------------------------------------------

    def at(self, number: int) -> Snapshot:
        """What is so after a step; nothing after the last one."""
        nothing = ("",) * len(self.pods)
        return self.snapshots[number] if number < len(self.snapshots) else Snapshot(nothing, nothing, ())

    def folded(self, single: Sequence[Row]) -> Iterator[Row]:
        """Rows of a step each, where those with which the worker just goes on become one."""
        for key, group in itertools.groupby(single, self._fold_of):
            rows = list(group)
            if key[0] == 0 and len(rows) > 1:
                texts = " → ".join(row.text for row in rows)
                first, last = rows[0], rows[-1]
                yield Row(first.first, last.last, "fold", first.lane, texts, (), first.targets, False, (), last.after)
            else:
                yield from rows

    def _fold_of(self, row: Row) -> tuple[int, str, bool]:
        """Rows in a row that have the same, beginning with 0, are told as one."""
        number, lasso = row.last, self.trace.lasso
        in_loop = lasso is not None and number > lasso.start
        is_last = number == len(self.trace.steps) or (lasso is not None and number == lasso.start)
        is_new = row.after != self.snapshots[number - 1]
        if is_last or is_new or row.kind == "restart" or not (row.kind == "work" or self._is_quiet(row)):
            return number, "", in_loop
        return 0, row.lane, in_loop

    def _is_quiet(self, row: Row) -> bool:
        """Is it a step of housekeeping that touches no worker, container or work queue?"""
        touched = (change.path for change in self.trace.steps[row.last - 1].changes)
        return (
            row.lane == "housekeeping"
            and not row.targets
            and not any(path.startswith((STATUSES, WORKERS, "containers", "layers", "work_queue")) for path in touched)
        )

    def _row(self, number: int, step: Step) -> Row:
        named = next((uid for uid, name in self.names.items() if name == step.parameters.get("uid")), None)
        is_work = step.actor in (Lane.WORKER, Lane.RUNTIME, "PLEG")
        hit = [uid for uid in self.uids if self._touches_worker(step, uid)]
        # Others than these turn to the API server, not to a worker.
        is_for_worker = is_work or step.actor in ("sync loop", "housekeeping", "killer", "podKiller", "anyone")
        targets = [named] if named is not None and is_for_worker else hit[:1] if is_work else hit
        changes = tuple(self._changes(number, step))
        if self.is_wrong and number == len(self.trace.steps) and self.trace.lasso is None:
            line = next((fact.line for fact in self.facts[number - 1] if fact.line is not None), None)
            changes += () if line is None else (str(line),)
        kind: Kind = "restart" if step.action == "restart" else "work" if is_work else "event"
        text, details = told_event(step, self.names)
        lane = "" if is_work or kind == "restart" else _lane(step)
        return Row(
            number,
            number,
            kind,
            lane,
            text,
            details,
            tuple(self.uids.index(uid) for uid in targets),
            kind == "event" and bool(targets) and not hit,
            changes,
            self.snapshots[number],
            step.actor in (Lane.RUNTIME, "PLEG"),
        )

    def _touches_worker(self, step: Step, uid: int) -> bool:
        """Does a step change anything that the pod's worker knows?"""
        paths = (change.path for change in step.changes)
        return any(
            self._uid_of(path) == uid and Lane.WORKER in (note_of(n, Lane) for n in self._notes(path)) for path in paths
        )

    def _notes(self, path: str) -> Sequence[Sequence[object]]:
        return self.system.variables[self.system.index(path)].notes

    def _changes(self, number: int, step: Step) -> Iterator[str]:
        """What a step changes that nothing else in the picture shows."""
        drawn = {track.item for track in self.tracks if not track.missing}
        for fact in self.facts[number - 1]:
            item = fact.item
            if item.leaf == "position" and _CALLS.search(fact.after):
                yield f"calls {fact.after}"
            elif item.leaf == "position" and fact.after == "waiting":
                yield "the worker waits"
            elif item not in drawn and re.match(r"completed_channels|kill_requests.*\.answer", item.variables[0].path):
                yield _ANSWERS.get(fact.after, str(fact))
            elif item in drawn or _is_drawn(item.variables[0].path) or item.kind == "entry" or self._is_elsewhere(item):
                continue
            elif not fact.quiet:
                yield self.told(fact)

    def _is_elsewhere(self, item: NamedPart) -> bool:
        path = item.variables[0].path
        if path.startswith("layers"):
            return item.leaf not in _OF_LAYERS or (item.leaf == "exit_code" and ".runtime." not in path)
        return word_of(item) in _ELSEWHERE or bool(_BOOKS.match(path))

    def told(self, fact: Fact) -> str:
        """`deleted` for what became true, `not deleted` for what became false; else with its value."""
        name = self._name(fact.item)
        if (entry := ENTRIES.get(fact.item.variables[0].path.partition("[")[0])) is not None:
            return entry[fact.after == "true"]
        if fact.after in ("true", "false"):
            return name if fact.after == "true" else f"not {name}"
        return f"{name} {fact.before} → {fact.after}" if fact.is_number else f"{name} ← {fact.after}"

    def _loop(self, lasso: Lasso | None) -> int | None:
        if lasso is None or lasso.start >= len(self.trace.steps):
            return None
        return next(i for i, row in enumerate(self.rows) if row.first > lasso.start)


def _is_drawn(path: str) -> bool:
    """Does a ribbon or a strip show it?"""
    if path.startswith((STATUSES, WORKERS)):
        return path.rpartition(".")[2] in _IN_THE_RIBBON
    return bool(re.search(r"^containers\[|containers\[\d+\]\.state$|stops\[\d+\]\.stage$", path))


def _lane(step: Step) -> str:
    """Who acts; of those that kill a pod, which of them."""
    killer = str(step.parameters.get("killer", ""))
    kinds = ("eviction", "node shutdown", "preemption")
    return next((kind for kind in kinds if kind in killer), visible(killer or step.actor))


def told_event(step: Step, pods: Mapping[int, str]) -> tuple[str, tuple[str, ...]]:
    """What happens, a verb, and its parameters. The pod is named only where there are several."""
    text = short_event(step.event, str(step.parameters.get("uid", "")), is_alone=len(pods) < 2)
    if step.actor in (Lane.WORKER, Lane.RUNTIME, "PLEG"):
        return text, ()
    found = re.fullmatch(r"(\w+)\(([^()]*)\)(?:: |, )?(.*)", text)
    if found is not None:
        name, given, rest = found.groups()
        parts = [part for part in given.split(", ") if part]
        keep = [part for part in parts[:2] if part in ("create", "update", "sync", "kill") or part in pods.values()]
        details = [part for part in parts if part not in keep]
        head = f"{name}({', '.join(keep)})" if keep else name
        return head, tuple(filter(None, [", ".join(details), rest]))
    head, sign, rest = text.partition(": ")
    if sign and "(" not in head:
        rest = re.sub(r"^grace period (?=\d)", "grace ", rest)
        return head, () if rest == "admitted" else (rest,)
    head, sign, rest = text.partition(", ")
    # One word that is no verb is the first of several subjects.
    if sign and (" " in head or head.isupper()) and "(" not in head:
        return head, (rest,)
    return text, ()


def short_event(event: str, pod: str, is_alone: bool) -> str:
    """An event as a picture tells it; without the name of its pod where there is no other."""
    name, text = re.escape(pod), re.sub(r"^housekeeping: ", "", event).replace("podCache.GetNewerThan", "GetNewerThan")
    if re.match(rf"worker {name}: ", text):
        text = text.removeprefix("worker ")
    if not is_alone or not pod:
        return text
    return re.sub(
        rf"^{name}: |\({name}\)|(?<=\(){name}, | of {name}\b|(?<=\bto) {name},"
        rf"|(?<=\w) {name}(?=:|,|$)|, {name}(?=[,)])",
        "",
        text,
    )


def begun(text: str, pods: Collection[str]) -> str:
    """A clause as a sentence, with a capital; but the name of a pod, or of a function, stays as it is."""
    text = visible(text)
    first = re.match(r"[^\s,:']*", text)
    is_name = first is not None and (first[0] in pods or not first[0].islower())
    return text if is_name else text[:1].upper() + text[1:]


def failure_lines(failure: ClaimFailure | None, pods: Sequence[str]) -> tuple[str, str]:
    """How a claim fails: its sentence, or the false part where it has none; and what is left to say of the part."""
    if failure is None:
        return "", ""
    said = begun(sentence(failure), pods)
    if failure.part is None:
        return said, ""
    part = failure.part
    false = f"{part.text} ({part.shown})" if part.shown else part.text
    where = f"where {', '.join(part.where)}" if part.where else ""
    because = f"because {', '.join(part.because)}" if part.because else ""
    if said:
        return said, ", ".join(filter(None, [f"false: {false}", where, because]))
    return f"false: {false}", ", ".join(filter(None, [where, because]))
