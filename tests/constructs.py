"""Small models, each of one construct of the model language.

`FAULTS` and `BOUNDS` say which outcomes must be among those that are seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from podproof.checker.core.shapes import Scope, Values
from podproof.model.language import (
    CONSTANT,
    NIL,
    Array,
    Domain,
    Size,
    action,
    clear,
    copy,
    out_of_bounds,
    programmer_error,
    require,
)

Count = Annotated[int, Domain("counts")]
Reference = Annotated[int, Domain("references", default=NIL)]
SCOPE = Scope(
    {"pods": 2, "slots": 3},
    {
        "counts": Values((0, 1, 2)),
        "references": Values((NIL, 0, 1, 2)),
        "late": Values((NIL, 1)),
        "mixed": Values((2, 0)),
    },
)


class Phase(Enum):
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


@dataclass
class Options:
    present: bool = False
    seconds: Count = 0

    def is_set(self, more: int = 0) -> bool:
        return self.present and self.seconds + more > 0

    def raise_to(self, seconds: int) -> int:
        """Changes the record and tells what it was before."""
        before = self.seconds
        self.seconds = max(self.seconds, seconds)
        return before


@dataclass
class Update:
    phase: Phase = Phase.RUNNING
    options: Options = field(default_factory=Options)


class Model:
    FAULTS = False
    BOUNDS = False


@dataclass
class Branches(Model):
    ready: bool
    phase: Phase
    count: Count

    @action("user", "steps")
    def step(self, phase: Phase, amount: Count) -> None:
        """if, elif, else, early returns, conditional expressions."""
        if self.ready and self.phase == phase:
            if amount == 2:
                return
            self.ready = not self.ready
        elif phase in (Phase.FAILED, Phase.SUCCEEDED):
            self.phase = phase
            if self.count > 1:
                programmer_error("counted to two")
        else:
            self.count = amount if self.ready else 0
            return
        self.count = min(self.count, amount)


@dataclass
class Enabling(Model):
    ready: bool
    count: Count
    phase: Phase

    @action("user", "steps")
    def step(self, amount: Count) -> None:
        require(self.phase != Phase.RUNNING)
        if self.ready:
            require(self.count < amount)
        elif self.count == 2:
            return
        require(amount != 1 or self.phase == Phase.FAILED)
        self.count = amount


@dataclass
class Ranges(Model):
    """Only what a field holds when the step ends must be in its range."""

    FAULTS = True
    count: Count
    other: Count
    ready: bool

    @action("user", "leaves its range")
    def add(self, amount: Count) -> None:
        self.count += amount

    @action("user", "leaves its range and comes back")
    def add_and_cut(self, amount: Count) -> None:
        self.count += amount
        if self.count > 2:
            self.count = 2
            programmer_error("cut to two")

    @action("user", "leaves its range on one branch")
    def maybe_subtract(self) -> None:
        if self.ready:
            self.count -= self.other
        self.other = 0


@dataclass
class Bounds(Model):
    """What comes after `out_of_bounds` does not count, and neither does `out_of_bounds` after a fault."""

    FAULTS = True
    BOUNDS = True
    flags: Annotated[Array[bool], Size("pods")]
    index: Reference
    count: Count

    @action("user", "is cut before a fault")
    def cut_first(self) -> None:
        if self.count == 2:
            out_of_bounds("two")
        self.count += 1
        self.flags[self.index] = True
        if self.count == 2:
            out_of_bounds("another")

    @action("user", "is cut after a fault")
    def cut_last(self) -> None:
        self.flags[self.index] = not self.flags[self.index]
        if self.flags[0]:
            out_of_bounds("set")

    @action("user", "is cut after a field left its range")
    def cut_out_of_range(self) -> None:
        self.count += 2
        if self.flags[1]:
            out_of_bounds("far")


@dataclass
class Faults(Model):
    """An index out of range, and an assertion that fails; only where Python comes by."""

    FAULTS = True
    flags: Annotated[Array[bool], Size("pods")]
    index: Reference
    count: Count

    @action("user", "indexes")
    def index_it(self) -> None:
        self.flags[self.index] = self.count == 1

    @action("user", "indexes in a guard")
    def guarded(self) -> None:
        require(self.count == 0 or self.flags[self.index])
        require(self.count < 2)
        self.count += 1

    @action("user", "asserts")
    def asserted(self) -> None:
        if self.index != NIL:
            assert self.count < 2
            self.count += 1

    @action("user", "indexes where it may")
    def short_circuit(self) -> None:
        if self.index != NIL and self.index < 2 and self.flags[self.index]:
            self.count = 0
        if 0 <= self.index < 1 < self.count and not self.flags[self.index]:
            self.count = 1
        if self.index == NIL or self.index == 2 or self.flags[self.index]:
            self.count = self.count if self.count == 2 else 0

    @action("user", "compares in a chain")
    def chain(self) -> None:
        if self.count < 1 < self.count + self.weight(self.index) <= 9:
            self.count = 1

    def weight(self, index: int) -> int:
        return 1 if self.flags[index] else 2


@dataclass
class Records(Model):
    """References to records, copies, records made on the spot, and `clear`."""

    update: Update
    options: Options
    count: Count

    @action("user", "changes a record through a name")
    def alias(self, amount: Count) -> None:
        options = self.update.options
        options.seconds = amount
        self.options = copy(options)
        options.present = not self.options.present

    @action("user", "stores a new record")
    def fresh(self, amount: Count) -> None:
        options = Options(seconds=amount)
        options.present = self.count > amount
        if options.is_set():
            options.seconds = 1
        self.update = Update(phase=Phase.FAILED, options=options)

    @action("user", "changes a copy")
    def changed_copy(self) -> None:
        update = copy(self.update)
        update.phase = Phase.SUCCEEDED
        update.options.seconds = 0
        if self.options.is_set(more=self.count):
            self.update = copy(update)

    @action("user", "clears")
    def cleared(self) -> None:
        if self.count == 1:
            clear(self.update)
        else:
            clear(self.update.options)

    @action("user", "calls in an order that matters")
    def order(self, amount: Count) -> None:
        self.count = self.options.raise_to(amount) if self.options.raise_to(1) < 2 else self.update.options.raise_to(2)
        if self.update.options.raise_to(amount) in (0, 1) or self.options.raise_to(2) == 0:
            self.options.present = not self.options.present


@dataclass
class Arrays(Model):
    """Arrays of records, indices that are known only when the step is made, references that may be one of several."""

    updates: Annotated[Array[Options], Size("pods")]
    order: Annotated[Array[Reference], Size("pods")]

    @action("user", "uses an index as a parameter")
    def by_parameter(self, i: Annotated[int, Domain("counts")]) -> None:
        require(i < len(self.updates))
        if i < 2:
            self.updates[i].present = True

    @action("user", "uses an index from the state")
    def by_state(self, amount: Count) -> None:
        require(self.order[0] in (0, 1))
        options = self.updates[self.order[0]]
        self.order[0] = 1 - self.order[0]
        options.seconds = amount
        self.updates[self.order[0]].present = options.present

    @action("user", "has one of two records")
    def one_of_two(self, amount: Count) -> None:
        if self.order[1] == NIL:
            options = self.updates[0]
        else:
            options = self.updates[1]
        if options.raise_to(amount) == 0:
            self.updates[0] = copy(self.updates[1])

    @action("user", "loops, and returns in between")
    def search(self, amount: Count) -> None:
        found = self.find(amount)
        if found != NIL:
            self.order[1] = found
        for i in range(len(self.order) - 1, -1, -1):
            if self.order[i] == amount:
                self.order[i] = NIL
                return
        self.order[0] = 0

    def find(self, amount: int) -> int:
        for i in range(len(self.updates)):
            if self.updates[i].seconds == amount and not self.updates[i].present:
                return i
        return NIL


@dataclass
class Nested(Model):
    """Arrays in arrays, and in records; fields that are constants."""

    FAULTS = True
    grid: Annotated[Array[Annotated[Array[bool], Size("pods")]], Size("pods")]
    index: Reference
    limit: Annotated[Count, CONSTANT]

    @action("user", "toggles")
    def toggle(self, row: Annotated[int, Domain("references")]) -> None:
        require(row == self.limit)
        self.grid[row][self.index] = not self.grid[self.index][row]

    @action("user", "clears")
    def reset(self) -> None:
        for row in range(len(self.grid)):
            cells = self.grid[row]
            for i in range(len(cells)):
                cells[i] = i == self.limit


@dataclass
class Base(Model):
    count: Count
    ready: bool

    @action("user", "steps")
    def step(self, amount: Count) -> None:
        """A docstring whose lines begin anywhere
        does not confuse the lowering.
        """
        before, changed = self.change(amount)
        if changed:
            self.ready = before == 0

    def change(self, amount: int) -> tuple[int, bool]:
        before = self.count
        self.count = self.limited(amount)
        return before, before != self.count

    def limited(self, amount: int) -> int:
        return amount


class Middle(Base):
    def limited(self, amount: int) -> int:
        return min(super().limited(amount), 1)


@dataclass
class Overriding(Middle):
    """Methods are bound late, and `super` goes on with the next class."""

    def change(self, amount: int) -> tuple[int, bool]:
        before, changed = super().change(amount)
        return before, changed and twice(before) > amount


def twice(amount: int) -> int:
    return amount + amount


MODELS = (Branches, Enabling, Ranges, Bounds, Faults, Records, Arrays, Nested, Base, Overriding)
