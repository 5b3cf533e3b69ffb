"""What compiled code seldom meets: domains in any order, many claims about the state, two bounds, full words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pytest
from tests.counters import COUNTER_CLAIMS, assert_same, counters
from tests.two_phase_commit import no_lines

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Limits, LoweredProperty, OutOfRange, Property, Status
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.compiled.codegen import generate
from podproof.checker.engines.compiled.layout import WORD_BITS, lay_out
from podproof.checker.engines.compiled.machine import Statistics
from podproof.checker.engines.compiled.transition import narrowest
from podproof.checker.engines.python import Python
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.model.language import Domain, action, make, out_of_bounds, require

Number = Annotated[int, Domain("numbers")]
Backwards = Annotated[int, Domain("backwards")]


@dataclass
class Dials:
    left: Number
    right: Number

    @action("user", "turns the left one to {number}")
    def turn(self, number: Backwards) -> None:
        require(number != self.left)
        self.left = number

    @action("user", "turns the right one to {number}")
    def jump(self, number: Annotated[int, Domain("far")]) -> None:
        self.right = number if number > 4 else self.left

    @action("user", "turns both, {twice}")
    def both(
        self, number: Annotated[int, Domain("few")], twice: bool, more: Annotated[int, Domain("backwards")]
    ) -> None:
        if self.left == 2 and twice:
            out_of_bounds("the left one")
        if self.right == 9 and number == 0:
            out_of_bounds("the right one")
        self.left = more
        self.right = number


def apart(before: Dials, after: Dials) -> bool:
    return after.left != 1 or after.right != 9 or before.left == 0


def never_all(state: Dials) -> bool:
    return state.left != 2 or state.right != 5


def test_choices_are_those_of_the_domains() -> None:
    domains = {
        "numbers": Values(tuple(range(10))),
        "backwards": Values((2, 1, 0)),
        "far": Values((5, 9, 0)),
        "few": Values((0, 1)),
    }
    scope = Scope({}, domains)
    dials = Description(Dials, "test", "closed", "dials", "", scope, [make(Dials, {})], no_lines)
    system, claims = (
        lower_system(dials),
        (Property("apart", "step", "", apart), Property("all", "always", "", never_all)),
    )
    lowered = lower_properties(system, claims)
    found = Compiled().run(system, lowered)
    assert_same(found, Python().run(system, lowered))
    assert found.bounds_hit.keys() == {"the left one", "the right one"}


def test_claims_beyond_a_word_that_are_violated_by_the_state_alone_are_told_apart() -> None:
    system = counters()
    total = next(v for v in system.variables if v.path == "total")
    node = system.graph.variable(total.path, False, total.low, total.high)
    claims = []
    for i in range(100):
        here = system.graph.eq(node, system.graph.integer(i % 11))
        claims.append(LoweredProperty(Property(f"left {i}", "never", ""), steps=(here,) * len(system.transitions)))
        claims.append(LoweredProperty(Property(f"seen {i}", "sometimes", ""), state=here))
    found = Compiled().run(system, claims).verdicts
    violated = [v.status is Status.VIOLATED for v in found if v.property.kind == "never"]
    seen = [v.status is Status.HOLDS for v in found if v.property.kind == "sometimes"]
    assert violated == seen and len({*seen}) == 2


def test_a_step_that_two_bounds_cut_off_counts_for_the_first() -> None:
    plain = counters()
    twice = (replace(t, bounds={**t.bounds, "again": plain.graph.or_(*t.bounds.values())}) for t in plain.transitions)
    assert (
        Compiled().run(replace(plain, transitions=tuple(twice)), ()).bounds_hit == Compiled().run(plain, ()).bounds_hit
    )


def test_no_field_takes_the_sign() -> None:
    plain = counters()
    for bits in (21, 31, 32, 33, 63):
        wide = tuple(v if v.is_bool else replace(v, low=0, high=(1 << bits) - 1) for v in plain.variables)
        layout = lay_out(replace(plain, variables=wide), None)
        assert all(field.shift + field.bits <= WORD_BITS for field in layout.fields.values())


@dataclass
class Wrong:
    number: Number

    @action("user", "goes too far")
    def up(self) -> None:
        self.number += 20

    @action("user", "goes too far back")
    def down(self) -> None:
        self.number -= 20


def test_the_first_of_two_steps_that_go_wrong_is_reported() -> None:
    scope = Scope({}, {"numbers": Values(tuple(range(10)))})
    system = lower_system(Description(Wrong, "test", "closed", "wrong", "", scope, [make(Wrong, {})], no_lines))
    with pytest.raises(OutOfRange, match="number became 20"):
        Compiled().run(system, ())


def test_numbers_have_the_narrowest_type_that_has_them_all() -> None:
    border = 1 << 63
    assert narrowest(-border, border - 1) == "i64"
    assert narrowest(0, border) == narrowest(-border - 1, 0) == "i128"
    assert narrowest(0, 1 << 127) is None


@dataclass
class Climbing:
    number: Number

    @action("user", "goes up")
    def up(self) -> None:
        require(self.number < 3)
        self.number += 1

    @action("user", "flies")
    def fly(self) -> None:
        self.number = 9


def never_flies(before: Climbing, after: Climbing) -> bool:
    return after.number != 9 or before.number == 9


def test_a_step_beyond_the_limit_decides_nothing() -> None:
    scope = Scope({}, {"numbers": Values(tuple(range(10)))})
    system = lower_system(Description(Climbing, "test", "closed", "up", "", scope, [make(Climbing, {})], no_lines))
    claims = lower_properties(system, (Property("never_flies", "step", "", never_flies),))
    found = Compiled().run(system, claims, None, Limits(max_states=1))
    assert found.transitions == 1 and found.verdicts[0].status is Status.UNKNOWN
    assert Compiled().run(system, claims).verdicts[0].status is Status.VIOLATED


def test_the_first_state_that_decides_a_claim_stays_the_one() -> None:
    system = counters()
    claims = lower_properties(system, COUNTER_CLAIMS)
    statistics = Statistics(generate(system, claims, lay_out(system, None)))
    for index in (5, 3):
        statistics.decide(np.array([index]))
    assert statistics.found_states[0] == 5
