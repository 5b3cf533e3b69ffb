"""What is easily taken for dead or for a constant, and is neither."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from tests.test_dead_values import SEALED, Grams, Lifted, Parcel, Which, described, planned

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Property
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions.constants import unchanging_variables
from podproof.checker.reductions.dead_values import dead_values
from podproof.checker.reductions.slicing import relevant_variables
from podproof.checker.reductions.symmetry import quotient
from podproof.model.language import Array, Size, action, make, record_lines, require


@dataclass
class Dominoes:
    """Each falls when the one before it has fallen; the last one never does."""

    first: bool
    second: bool
    third: bool
    apart: bool
    last: bool

    @action("somebody", "pushes")
    def push(self) -> None:
        self.first = True

    @action("time", "passes")
    def fall(self) -> None:
        self.third = self.second
        self.second = self.first
        self.last = self.apart


def test_what_changes_only_because_something_else_does_is_no_constant() -> None:
    assert unchanging_variables(described(Dominoes)).keys() == {"apart", "last"}


def test_what_begins_with_any_number_is_not_reset() -> None:
    made = planned(Parcel, SEALED)
    system = replace(made.system, free={"weight": 0})
    assert dead_values(system, made.properties, made.keep) == {"sealed": {"paid"}}


def is_heavy_when_sealed(state: Parcel) -> bool:
    return state.sealed and state.weight == 3


def test_what_a_sometimes_reads_is_not_dead() -> None:
    made = planned(Parcel, Property("is_heavy_when_sealed", "sometimes", "", is_heavy_when_sealed))
    assert dead_values(made.system, made.properties, made.keep) == {"sealed": {"paid"}}


def test_what_only_a_bound_reads_matters() -> None:
    made = planned(Lifted, SEALED)
    assert "weight" in relevant_variables(made.system, made.properties)


@dataclass
class Stacked(Parcel):
    """Sealed, its weight becomes the next one's, and that what is paid."""

    below: Grams

    @action("receiver", "takes the next one")
    def take(self) -> None:
        require(self.sealed)
        self.paid = self.below
        self.below = self.weight

    @action("receiver", "it is opened")
    def open(self) -> None:
        require(self.sealed)
        self.sealed = False
        self.weight = 0
        self.paid = 0
        self.below = 0


def is_paid_when_sealed(state: Stacked) -> bool:
    return not state.sealed or state.paid < 3


def test_what_is_read_two_steps_later_is_not_dead() -> None:
    made = planned(Stacked, Property("is_paid_when_sealed", "always", "", is_paid_when_sealed))
    assert dead_values(made.system, made.properties, made.keep) == {}


@dataclass
class Insured(Parcel):
    """Two flags: insured, nobody asks for its value any more, and sealed, nobody asks whether it is insured."""

    insured: bool
    value: Grams

    @action("sender", "it is worth {grams}")
    def appraise(self, grams: Grams) -> None:
        require(not self.insured and not self.sealed)
        self.value = grams

    @action("sender", "it is insured")
    def insure(self) -> None:
        require(not self.insured and not self.sealed and self.value > 0)
        self.insured = True

    @action("receiver", "it is opened")
    def open(self) -> None:
        require(self.sealed)
        self.sealed = False
        self.insured = False
        self.weight = 0
        self.paid = 0
        self.value = 0


def test_a_flag_is_never_reset() -> None:
    made = planned(Insured, SEALED)
    dead = dead_values(made.system, made.properties, made.keep)
    assert dead == {"sealed": {"weight", "paid", "value"}, "insured": {"weight", "paid", "value"}}


@dataclass
class Partners:
    """Two parcels, each of which names another until it is sealed."""

    partner: Annotated[Array[Which], Size("parcels")]
    sealed: Annotated[Array[bool], Size("parcels")]

    @action("sender", "{parcel} goes with {other}")
    def join(self, parcel: Which, other: Which) -> None:
        require(not self.sealed[parcel] and not self.sealed[other])
        self.partner[parcel] = other

    @action("sender", "{parcel} is closed with its partner")
    def seal(self, parcel: Which) -> None:
        require(not self.sealed[parcel] and self.partner[parcel] != parcel)
        self.sealed[parcel] = True


def test_a_name_is_not_reset_where_parcels_are_exchanged() -> None:
    """The least of two names is another one after the exchange."""
    scope = Scope({"parcels": 2}, {"parcels": Values((0, 1))})
    start = make(Partners, scope.sizes)
    start.partner[0] = 1
    system = lower_system(Description(Partners, "test", "test", "partners", "", scope, [start], record_lines))
    keep = {v.path for v in system.variables}
    assert dead_values(system, lower_properties(system, []), keep)["sealed[0]"] == {"partner[0]"}
    exchanged, _ = quotient(system, [], [{"parcels": (1, 0)}])
    assert dead_values(exchanged, [], keep) == {}
    (exchange,) = exchanged.renamings
    assert [exchange.value("partner[0]", name) for name in (0, 1)] == [1, 0]
