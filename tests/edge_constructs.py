"""Small models where a mistake is easily made: numbers that may be nil, defaults, records that two branches mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from tests.constructs import Count, Model, Options, Phase, Reference

from podproof.model.language import CONSTANT, NIL, Array, Domain, Size, action, clear

Late = Annotated[int, Domain("late", default=NIL)]
"""NIL or 1: what stands for nil in states is 0, a number that others may have."""
Mixed = Annotated[int, Domain("mixed")]
"""2 or 0, in this order."""


@dataclass
class Known(Model):
    """A number may be nil after whatever does not say that it is set."""

    FAULTS = True
    reference: Reference
    count: Count

    @action("user", "adds where only nil comes by")
    def after_return(self) -> None:
        if self.reference != NIL:
            return
        self.count = self.reference + 1

    @action("user", "adds where one of two returns comes by")
    def after_one_of_two(self) -> None:
        if self.reference == NIL and self.count == 1:
            return
        self.count = self.reference + 1

    @action("user", "adds what is asserted to be nil")
    def after_assertion(self) -> None:
        assert self.reference == NIL
        self.count = self.reference + 1

    @action("user", "adds on the other branch")
    def on_the_other_branch(self) -> None:
        if self.reference != NIL:
            self.reference = 0
        else:
            self.count = self.reference + 1

    @action("user", "adds after a block")
    def after_a_block(self, amount: Count) -> None:
        if self.count == amount:
            assert self.reference != NIL
            self.count = 0
        self.count = self.reference + 1

    @action("user", "adds a number that one branch sets")
    def set_on_one_branch(self) -> None:
        number = self.reference if self.count == 1 else 0
        self.count = number + 1


@dataclass
class Coded(Model):
    """Nil is stored, compared and used as an index where the integer that stands for it is somebody's number."""

    FAULTS = True
    flags: Annotated[Array[bool], Size("pods")]
    reference: Reference
    late: Late
    count: Count

    @action("user", "stores nil where there is none")
    def store(self) -> None:
        self.count = self.late

    @action("user", "stores a number that looks like nil")
    def store_lookalike(self) -> None:
        self.reference = self.count - 1

    @action("user", "stores one kind of nil in another")
    def exchange(self) -> None:
        self.late = self.reference

    @action("user", "uses nil as an index")
    def index(self) -> None:
        self.flags[self.late] = not self.flags[self.late]

    @action("user", "compares two kinds of nil, and nil with a number")
    def compare(self) -> None:
        if self.late == self.reference:
            self.count = 2
        elif self.late == self.count:
            self.reference = NIL

    @action("user", "chooses between a number that was stored where it looks like nil, and another")
    def choose(self, amount: Count) -> None:
        self.late = self.count
        assert self.late != NIL
        number = self.late
        if amount < 2:
            number = amount - 1
        self.late = 1
        self.count = number


@dataclass
class Started:
    reference: Reference = NIL
    seconds: Count = 2
    phase: Phase = Phase.FAILED
    options: Options = field(default_factory=Options)


@dataclass
class Made(Model):
    """A record begins with its own defaults; clearing it makes it so again."""

    started: Started
    ready: bool
    fixed: Annotated[Started, CONSTANT]

    @action("user", "makes one")
    def make(self, amount: Count) -> None:
        self.started = Started(options=Options(seconds=amount))

    @action("user", "clears it")
    def cleared(self, amount: Count) -> None:
        self.ready = self.started.reference == amount
        self.started.reference = amount
        if self.ready:
            clear(self.started)


@dataclass
class Shared(Model):
    """Two branches may mean the same record, and a value may leave its range on both sides."""

    FAULTS = True
    updates: Annotated[Array[Options], Size("pods")]
    index: Annotated[int, Domain("counts")]
    count: Count

    @action("user", "changes one of them")
    def change(self, amount: Count) -> None:
        if self.count == 0:
            options = self.updates[0]
        else:
            options = self.updates[self.index]
        options.seconds = amount

    @action("user", "counts down")
    def down(self) -> None:
        self.count -= 1


@dataclass
class Chosen(Model):
    count: Count

    @action("user", "chooses")
    def choose(self, amount: Mixed) -> None:
        if amount < 1:
            self.count = amount
        elif amount > self.count:
            self.count = 1


EDGES = (Known, Coded, Made, Shared, Chosen)
