"""How a state reads: short names and Go-like values for what a model's paths and numbers stand for.

An `NamedPart` is what a reader takes for one thing: a plain field, a pointer with all it points to, or a map's entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from podproof.checker.core.graph import Line
from podproof.checker.core.system import State, Step, System, Variable
from podproof.model.language import Size
from podproof.model.notes import TIME, WHOLE, Go, Quiet, note_of

STATUSES = "pod_sync_statuses"
WORKERS = "workers"
INDEX = re.compile(r"\[(\d+)\]")


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
            is_told = leaf != "present" and note_of(_notes(variable), Quiet) is None
            if is_told and not _is_zero(variable, state[position]):
                name = short_name(variable) or leaf
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


class StepText(NamedTuple):
    """A step of a trace, with what a reader is told of it."""

    step: Step
    facts: Sequence[Fact]

    @property
    def line(self) -> Line:
        """The line that the text report names first."""
        return next((fact.line for fact in self.facts if fact.line is not None), self.step.line)

    @property
    def changes(self) -> str:
        return ", ".join(map(str, self.facts))


class StateText:
    """The names and values of one system's states."""

    def __init__(self, system: System) -> None:
        self.system = system
        uids = [p for action in system.actions for p in action.parameters if p.name == "uid"]
        self.pods: Mapping[int, str] = uids[0].labels if uids else {}

    @cached_property
    def arrays(self) -> Mapping[str, tuple[int, str]]:
        """How many elements each array has, and of what there is one each; by its path with inner indices left open."""
        arrays: dict[str, tuple[int, str]] = {}
        for variable in self.system.variables:
            sizes = [note.name for notes in variable.notes for note in notes if isinstance(note, Size)]
            for index, size in zip(INDEX.finditer(variable.path), sizes, strict=True):
                array = _array(variable.path, index)
                arrays[array] = max(arrays.get(array, (0, size)), (int(index[1]) + 1, size))
        return arrays

    @cached_property
    def items(self) -> Sequence[NamedPart]:
        """Every item of the state, the pod worker's own first."""
        pointers = sorted(v.path.removesuffix(".present") for v in self.system.variables if _is_pointer(v))
        members: dict[str, list[int]] = {}
        for i, variable in enumerate(self.system.variables):
            owner = next((p for p in pointers if variable.path.startswith(p + ".")), variable.path)
            if variable.path == f"{owner}.present":
                members.setdefault(owner, []).insert(0, i)
            else:
                members.setdefault(owner, []).append(i)
        items = [self._item(path, positions) for path, positions in members.items()]
        return sorted(items, key=lambda item: item.rank)

    def leaf(self, path: str) -> NamedPart:
        """The item that is just this field, also where reports take it for a part of another one."""
        found = (item for item in self.items if item.kind == "leaf" and item.variables[0].path == path)
        return next(found, None) or self._item(path, [self.system.index(path)])

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
            length, size = self.arrays[array]
            if length > 1:
                out += f"[{self.pods.get(number, number)}]" if size == "uids" else index[0]
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

    def walk(self, initial: State, steps: Sequence[Step]) -> Iterator[StepText]:
        """Each step with its facts."""
        before = initial
        for step in steps:
            yield StepText(step, self.facts(before, step))
            before = step.state


def _array(path: str, index: re.Match[str]) -> str:
    """The key in `arrays` of the array that an index belongs to."""
    return INDEX.sub("[]", path[: index.start()])


def short_name(variable: Variable) -> str:
    """What reports call a field whose name is too long for them; empty for any other."""
    found = note_of(_notes(variable), Go)
    return "" if found is None else found.short


def _notes(variable: Variable) -> Sequence[object]:
    """What the field itself says, and not the ones that it is in."""
    return variable.notes[-1] if variable.notes else ()


def _is_pointer(variable: Variable) -> bool:
    is_one = WHOLE in variable.notes[0] if variable.notes else False
    return variable.path.endswith(".present") and (is_one or not variable.path.endswith("].present"))


def _rank(path: str, kind: str) -> int:
    if path.startswith(STATUSES):
        return {"entry": 0, "leaf": 1, "pointer": 2}[kind]
    return 3 if path.startswith(WORKERS) else 4


def _is_quiet(item: NamedPart, before: State, after: State) -> bool:
    path = item.variables[0].path
    quiet = [note for notes in item.variables[0].notes for note in notes if isinstance(note, Quiet)]
    if any(not note.values or item.text(after) in note.values for note in quiet):
        return True
    # A worker's locals are set back to zero as soon as nothing reads them: that is no event.
    return path.startswith(WORKERS) and item.leaf != "position" and item.is_zero(after)


def _is_zero(variable: Variable, value: int) -> bool:
    nilable = any(label == "nil" for label in variable.labels.values())
    return variable.labels.get(value) == "nil" if nilable else value == 0


def _say(variable: Variable, value: int) -> str:
    if not variable.is_bool:
        return str(variable.show(value))
    if TIME in _notes(variable):
        return "set" if value else "unset"
    return "true" if value else "false"
