"""How a state reads: short names and Go-like values for what a model's paths and numbers stand for.

An `NamedPart` is what a reader takes for one thing: a plain field, a pointer with all it points to, or a map's entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from podproof.checker.core.graph import Line
from podproof.checker.core.system import State, Step, System, Variable

STATUSES = "pod_sync_statuses"
WORKERS = "workers"
INDEX = re.compile(r"\[(\d+)\]")
PER_POD = frozenset(
    {"pod_updates", "work_queue", "pod_cache", "containers", "config", "pod_manager", "rejected", "listed_as_active"}
    | {"known_pods", "chores", "budget.adds", "budget.removes"}
    | {"is_working", "last_undelivered_work_update", "statuses", "ended", "resources", "being_killed"}
    | {"sent_work", "undelivered_work_types", "active_pods", "restarting_all_containers"}
)
"""Arrays with one element a pod. Of `STATUSES` and `WORKERS` a reader is told the pod alone."""
MAPS_OF_UPDATES = ("last_undelivered_work_update",)
"""Maps whose entry is an update: a reader takes it for one thing, and not for an entry with fields of its own."""

QUIET = ("budget.", "config[", "listed_as_active")
"""What only keeps the environment's books: the event says the same. Shown where a step changes nothing else."""
QUIET_LEAVES = frozenset({"full_name", "revision", "start_time"})
QUIET_VALUES = frozenset({("context", "live"), ("context", "none")})

SHORT = {
    "deletion_grace_period_seconds": "deletionGrace",
    "grace_period_seconds_override": "override",
    "completed_ch": "CompletedCh",
    "on_complete_func": "OnCompleteFunc",
    "running_pod": "runtime pod",
}
UNSAID = frozenset(
    {"present", "update_type", "deletion_timestamp", "termination_grace_period_seconds", "pod_status_func"}
    | {"start_time", "revision", "mirror_pod", "static"}
)
"""Leaves of a pointer that follow from the others or tell one update from another only by a number."""


@dataclass(frozen=True, eq=False)
class NamedPart:
    """Something of the state that has a name of its own. `positions` are its variables, in the order of a State."""

    name: str
    rank: int
    """Where it stands in a list: what the pod worker knows comes first, what surrounds it last."""
    positions: tuple[int, ...]
    variables: tuple[Variable, ...]
    kind: str = "leaf"
    """leaf; pointer (a record with `present`); entry (such a record in an array, of which this is `present`)."""

    @property
    def leaf(self) -> str:
        return self.variables[0].path.rpartition(".")[2]

    def is_zero(self, state: State) -> bool:
        """Is it unset, as Go's zero value would be?"""
        return _is_zero(self.variables[0], state[self.positions[0]])

    def text(self, state: State) -> str:
        """The value as a kubelet engineer would say it."""
        first = self.variables[0]
        value = state[self.positions[0]]
        match self.kind:
            case "entry":
                return "new" if value else "removed"
            case "pointer":
                return self._pointer(state) if value else "nil"
            case _:
                return _say(first, value)

    def _pointer(self, state: State) -> str:
        """What a pointer points to: the type of an update, then what else is set."""
        details, head = [], "set"
        for variable, position in zip(self.variables, self.positions, strict=True):
            leaf = variable.path.rpartition(".")[2]
            if leaf == "update_type" and "active_update" not in variable.path:
                head = str(variable.show(state[position]))
            if leaf not in UNSAID and not _is_zero(variable, state[position]):
                name = SHORT.get(leaf, leaf)
                details.append(name if variable.is_bool else f"{name}={variable.show(state[position])}")
        return f"{head} ({', '.join(details)})" if details else head


@dataclass(frozen=True)
class Fact:
    """One item that a step changed."""

    item: NamedPart
    before: str
    after: str
    line: Line | None
    quiet: bool
    was_zero: bool

    @property
    def is_number(self) -> bool:
        """Is it a number that was set before, so that the old value is worth telling?"""
        return self.item.kind == "leaf" and not self.was_zero and self.before.isdigit()

    def __str__(self) -> str:
        """`grace_period 5 → 30` for a number that was set before, `terminating_at ← set` for the rest."""
        if self.is_number:
            return f"{self.item.name} {self.before} → {self.after}"
        return f"{self.item.name} ← {self.after}"


class Wording:
    """The names and values of one system's states."""

    def __init__(self, system: System) -> None:
        self.system = system
        uids = [p for action in system.actions for p in action.parameters if p.name == "uid"]
        self.pods: Mapping[int, str] = uids[0].labels if uids else {}

    @cached_property
    def lengths(self) -> Mapping[str, int]:
        """How many elements each array has, by the array's path with inner indices left open."""
        lengths: dict[str, int] = {}
        for variable in self.system.variables:
            for index in INDEX.finditer(variable.path):
                array = _array(variable.path, index)
                lengths[array] = max(lengths.get(array, 0), int(index[1]) + 1)
        return lengths

    @cached_property
    def items(self) -> Sequence[NamedPart]:
        """Every item of the state, the pod worker's own first."""
        pointers = sorted(v.path.removesuffix(".present") for v in self.system.variables if _is_pointer(v.path))
        members: dict[str, list[int]] = {}
        for i, variable in enumerate(self.system.variables):
            owner = next((p for p in pointers if variable.path.startswith(p + ".")), variable.path)
            if variable.path == f"{owner}.present":
                members.setdefault(owner, []).insert(0, i)
            else:
                members.setdefault(owner, []).append(i)
        items = [self._item(path, positions) for path, positions in members.items()]
        return sorted(items, key=lambda item: item.rank)

    def _item(self, path: str, positions: Sequence[int]) -> NamedPart:
        variables = tuple(self.system.variables[i] for i in positions)
        kind = "leaf" if path == variables[0].path else "pointer"
        if re.search(r"\]\.present$", path):
            kind = "entry"
        return NamedPart(self.name(path), _rank(path, kind), tuple(positions), variables, kind)

    def name(self, path: str) -> str:
        """A path without what goes without saying: `x` for `pod_sync_statuses[0].x` where there is one pod."""
        found = re.match(rf"({STATUSES}|{WORKERS})\[(\d+)\](?:\[(\d+)\])?\.(.*)", path)
        if found is None:
            return self._indexed(path, 0)
        rest = "status" if found[4] == "present" else self._indexed(path, found.start(4))
        if found[1] == WORKERS:
            number = int(found[3] or 0)
            rest = f"worker{number + 1 if number else ''}.{rest}"
        return rest if len(self.pods) <= 1 else f"{self.pods[int(found[2])]}.{rest}"

    def _indexed(self, path: str, start: int) -> str:
        """The path from `start` on, with pods in place of their indices and no index where there is one element."""
        out = ""
        for index in INDEX.finditer(path, start):
            array, number = _array(path, index), int(index[1])
            out += path[start : index.start()]
            if self.lengths[array] > 1:
                out += f"[{self.pods.get(number, number)}]" if array in PER_POD else index[0]
            start = index.end()
        return out + path[start:]

    def facts(self, before: State, step: Step) -> Sequence[Fact]:
        """What a step changed, most telling first; the environment's books only where nothing else changed."""
        lines = {change.path: change.line for change in step.changes}
        removed = self._removed(before, step.state)
        found = []
        for item in self.items:
            old, new = item.text(before), item.text(step.state)
            if old == new or (item.kind != "entry" and item.variables[0].path.startswith(removed)):
                continue
            line = next((line for v in item.variables if (line := lines.get(v.path)) is not None), None)
            quiet = _is_quiet(item, before, step.state)
            found.append(Fact(item, old, new, line, quiet, item.is_zero(before)))
        return [fact for fact in found if not fact.quiet] or found

    def _removed(self, before: State, after: State) -> tuple[str, ...]:
        """The paths of the entries that a step took out of their maps: what becomes of their fields says nothing."""
        return tuple(
            item.variables[0].path.removesuffix("present")
            for item in self.items
            if item.kind == "entry" and not item.is_zero(before) and item.is_zero(after)
        )

    def walk(self, initial: State, steps: Sequence[Step]) -> Iterator[tuple[Step, Sequence[Fact]]]:
        """Each step with its facts."""
        before = initial
        for step in steps:
            yield step, self.facts(before, step)
            before = step.state


def _array(path: str, index: re.Match[str]) -> str:
    """The key in `lengths` of the array that an index belongs to."""
    return INDEX.sub("[]", path[: index.start()])


def _is_pointer(path: str) -> bool:
    return path.endswith(".present") and (not path.endswith("].present") or path.startswith(MAPS_OF_UPDATES))


def _rank(path: str, kind: str) -> int:
    if path.startswith(STATUSES):
        return {"entry": 0, "leaf": 1, "pointer": 2}[kind]
    return 3 if path.startswith(WORKERS) else 4


def _is_quiet(item: NamedPart, before: State, after: State) -> bool:
    path = item.variables[0].path
    if path.startswith(QUIET) or item.leaf in QUIET_LEAVES or (item.leaf, item.text(after)) in QUIET_VALUES:
        return True
    # A worker's locals are set back to zero as soon as nothing reads them: that is no event.
    return path.startswith(WORKERS) and item.leaf != "position" and item.is_zero(after)


def _is_nil(variable: Variable, value: int) -> bool:
    return variable.labels.get(value) == "nil"


def _is_zero(variable: Variable, value: int) -> bool:
    nilable = any(label == "nil" for label in variable.labels.values())
    return _is_nil(variable, value) if nilable else value == 0


def _say(variable: Variable, value: int) -> str:
    if not variable.is_bool:
        return str(variable.show(value))
    if variable.path.endswith("_at"):
        return "set" if value else "unset"
    return "true" if value else "false"
