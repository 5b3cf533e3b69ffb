"""Dead values: what is dead is found, what somebody may still read is not, and no verdict changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Exploration, OutOfRange, Property, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions.dead_values import dead_values
from podproof.checker.reductions.plan import Plan, plan
from podproof.model.language import Array, Domain, Size, action, make, out_of_bounds, record_lines, require

Grams = Annotated[int, Domain("grams")]
Which = Annotated[int, Domain("parcels")]


@dataclass
class Parcel:
    """Its weight matters until it is sealed; whoever opens it takes everything out."""

    weight: Grams
    paid: Grams
    sealed: bool

    @action("sender", "{grams} go in")
    def fill(self, grams: Grams) -> None:
        require(not self.sealed)
        self.weight = grams

    @action("sender", "it is paid for")
    def pay(self) -> None:
        require(not self.sealed)
        self.paid = self.weight

    @action("sender", "it is closed")
    def seal(self) -> None:
        require(not self.sealed)
        self.sealed = True

    @action("receiver", "it is opened")
    def open(self) -> None:
        require(self.sealed)
        self.sealed = False
        self.weight = 0
        self.paid = 0


@dataclass
class Pair:
    """Two parcels that do not differ."""

    weight: Annotated[Array[Grams], Size("parcels")]
    sealed: Annotated[Array[bool], Size("parcels")]

    @action("sender", "{grams} go into {parcel}")
    def fill(self, parcel: Which, grams: Grams) -> None:
        require(not self.sealed[parcel] and self.weight[parcel] < 3)
        self.weight[parcel] = grams

    @action("sender", "{parcel} is closed")
    def seal(self, parcel: Which) -> None:
        self.sealed[parcel] = True


class Kept(Parcel):
    """Opened, it weighs what it did."""

    @action("receiver", "it is opened")
    def open(self) -> None:
        require(self.sealed)
        self.sealed = False
        self.paid = 0


class Charged(Parcel):
    """Whoever opens it pays for it."""

    @action("receiver", "it is opened")
    def open(self) -> None:
        require(self.sealed)
        self.sealed = False
        self.paid = self.weight
        self.weight = 0


class Torn(Parcel):
    """What is heavy does not open, but is lost."""

    @action("receiver", "it is opened")
    def open(self) -> None:
        require(self.sealed)
        self.sealed = self.weight == 3
        self.weight = 0
        self.paid = 0


class Lifted(Parcel):
    @action("receiver", "it is lifted")
    def lift(self) -> None:
        require(self.sealed)
        if self.weight == 3:
            out_of_bounds("the receiver's strength")


class Weighed(Parcel):
    @action("customs", "nothing is found in it")
    def pass_customs(self) -> None:
        require(self.sealed and self.weight == 0)


class Overcharged(Parcel):
    """Goes wrong for the heaviest."""

    @action("receiver", "postage is due")
    def charge(self) -> None:
        require(self.sealed)
        self.paid = self.weight + 1


class Refunded(Parcel):
    """What is written from a dead value, and never read, is dead as well."""

    @action("sender", "the postage is reckoned again")
    def reckon(self) -> None:
        require(self.sealed)
        self.paid = self.weight


def is_light(state: Parcel) -> bool:
    return state.weight < 3


def is_light_when_open(state: Parcel) -> bool:
    return state.sealed or state.weight < 3


def is_light_when_sealed(state: Parcel) -> bool:
    return not state.sealed or state.weight < 3


def is_paid(state: Parcel) -> bool:
    return state.paid == 0


def gets_no_lighter(before: Parcel, after: Parcel) -> bool:
    return before.weight <= after.weight or not before.sealed


def is_sealed(state: Parcel) -> bool:
    return state.sealed


LIGHT = Property("is_light", "always", "", is_light)
LIGHT_WHEN_OPEN = Property("is_light_when_open", "always", "", is_light_when_open)
LIGHT_WHEN_SEALED = Property("is_light_when_sealed", "always", "", is_light_when_sealed)
PAID = Property("is_paid", "always", "", is_paid)
NO_LIGHTER = Property("gets_no_lighter", "step", "", gets_no_lighter)
SEALED = Property("is_sealed", "sometimes", "", is_sealed)
CLAIMS = (LIGHT, LIGHT_WHEN_OPEN, LIGHT_WHEN_SEALED, PAID, NO_LIGHTER, SEALED)
BOTH = {"weight", "paid"}


def described(cls: type) -> System:
    which = Values((0, 1), {0: "first", 1: "second"})
    scope = Scope({"parcels": 2}, {"grams": Values((0, 1, 2, 3)), "parcels": which})
    return lower_system(Description(cls, "test", "test", "parcels", "", scope, [make(cls, scope.sizes)], record_lines))


def planned(cls: type[Parcel], claim: Property, *names: str) -> Plan:
    system = described(cls)
    return plan(system, lower_properties(system, [claim]), names)


def explored(made: Plan) -> Exploration:
    return made.report(Compiled().run(made.system, made.properties, made.keep))


@pytest.mark.parametrize(
    "cls, claim, expected",
    (
        (Parcel, SEALED, BOTH),
        (Parcel, LIGHT_WHEN_OPEN, BOTH),
        (Parcel, LIGHT, {"paid"}),
        (Parcel, LIGHT_WHEN_SEALED, {"paid"}),
        (Parcel, PAID, {"weight"}),
        (Parcel, NO_LIGHTER, {"paid"}),
        (Kept, SEALED, {"paid"}),
        (Charged, SEALED, {"paid"}),
        (Torn, SEALED, {"paid"}),
        (Lifted, SEALED, {"paid"}),
        (Weighed, SEALED, {"paid"}),
        (Overcharged, SEALED, {"paid"}),
        (Refunded, SEALED, BOTH),
        (Refunded, PAID, set()),
    ),
)
def test_what_somebody_may_still_read_is_not_dead(cls: type[Parcel], claim: Property, expected: set[str]) -> None:
    made = planned(cls, claim)
    dead = dead_values(made.system, made.properties, made.keep)
    assert dead == ({"sealed": expected} if expected else {})


@pytest.mark.parametrize("cls", (Parcel, Kept, Charged, Torn, Lifted, Weighed, Refunded))
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.id))
def test_verdicts_and_traces_are_those_of_the_whole_system(cls: type[Parcel], claim: Property) -> None:
    whole, small = explored(planned(cls, claim)), explored(planned(cls, claim, "dead-values"))
    assert small.verdicts == whole.verdicts
    assert small.bounds_hit.keys() == whole.bounds_hit.keys()
    assert small.actions_never_taken == whole.actions_never_taken
    assert small.states <= whole.states


def test_states_that_differ_in_what_is_dead_count_as_one() -> None:
    whole, small = explored(planned(Parcel, SEALED)), explored(planned(Parcel, SEALED, "dead-values"))
    assert (whole.states, small.states) == (32, 17)  # With 4 weights and 4 payments, open and sealed.
    assert small.reductions == ("2 of 3 variables get their least value where they are dead",)


@pytest.mark.parametrize("names", ((), ("dead-values",)))
def test_a_model_that_goes_wrong_because_of_a_value_still_does(names: tuple[str, ...]) -> None:
    with pytest.raises(OutOfRange) as error:
        explored(planned(Overcharged, SEALED, *names))
    assert error.value.trace is not None and [step.action for step in error.value.trace.steps] == ["fill", "seal"]


def test_states_that_are_exchanged_are_reset_alike() -> None:
    exchange = [{"parcels": (1, 0)}]
    made = [plan(described(Pair), (), names, exchange) for names in ((), ("dead-values",), ("symmetry", "dead-values"))]
    whole, small, least = map(explored, made)
    # One parcel has 8 states, and 5 without what is dead.
    assert (whole.states, small.states, least.states) == (64, 25, 15)
    assert "stand for 25" in " ".join(least.reductions)
