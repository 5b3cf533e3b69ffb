"""What a certificate asks: about every move and every beginning, and what is not answered is not proved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import pytest
import z3
from tests.counters import counters
from tests.test_prove import TIMER_CLAIMS, Timer, certificate, proofs, timer
from tests.two_phase_commit import no_lines

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import OutOfRange, Property
from podproof.checker.engines import prove as proving
from podproof.checker.engines.prove import certificate as certificates
from podproof.checker.engines.prove.certificate import Certificate, Lemma
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan
from podproof.checker.solver.terms import Relation, constant
from podproof.model.language import Domain, action, make, require


@pytest.mark.parametrize("first", range(3))
def test_every_move_is_asked_about_wherever_it_stands(first: int) -> None:
    """Only setting the timer breaks this lemma, and this claim."""
    plain = timer()
    system = replace(plain, transitions=(*plain.transitions[first:], *plain.transitions[:first]))
    lowered = lower_properties(system, TIMER_CLAIMS)
    never_nine, only_decreases = lowered[2:4]
    relation = Relation(system, lowered)
    small = Lemma("small", relation.now["left"] < 9)
    assert "`step`" in str(Certificate(relation, (never_nine,), (small,)).refutation())
    assert "`property`" in str(Certificate(relation, (only_decreases,), ()).refutation())


def test_what_the_solver_gives_up_on_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    right = certificate()
    assert right.refutation() is None
    monkeypatch.setattr(certificates, "RESOURCES", 1)
    assert "unknown" in str(right.refutation())
    assert not right.is_inductive()


def test_what_is_kept_but_does_not_hold_at_first_is_no_invariant() -> None:
    assert certificate().is_inductive()
    assert not replace(certificate(), lemmas=(Lemma("nothing", z3.BoolVal(False)),)).is_inductive()


def test_every_initial_state_is_asked_about() -> None:
    plain = timer()
    ninth = tuple(9 if v.path == "left" else value for v, value in zip(plain.variables, plain.initial[0], strict=True))
    system = replace(plain, initial=(*plain.initial, ninth))
    lowered = lower_properties(system, TIMER_CLAIMS)
    relation = Relation(system, lowered)
    small = Lemma("small", relation.now["left"] < 9)
    assert "`init`" in str(Certificate(relation, (lowered[2],), (small,)).refutation())


def unarmed(state: Timer) -> bool:
    return not state.armed


def still_while_armed(before: Timer, after: Timer) -> bool:
    return not before.armed or after.even == before.even


def test_a_run_is_looked_for_without_lemmas_that_are_no_invariant() -> None:
    """Here one that excludes the state in the middle."""
    claims = (Property("unarmed", "always", "", unarmed), Property("still", "step", "", still_while_armed))
    system = timer()
    planned = plan(system, lower_properties(system, claims), {"slicing"})
    assert proving.refute(planned, {"still": 2}, ("unarmed",), 20.0)["still"].run is not None


@dataclass
class Brittle:
    """It goes wrong at a number that no sample has."""

    left: Annotated[int, Domain("seconds")] = 0

    @action("somebody", "sets the timer to {seconds}")
    def set_timer(self, seconds: Annotated[int, Domain("seconds")]) -> None:
        self.left = seconds

    @action("time", "breaks it")
    def fail(self) -> None:
        require(self.left == 9)
        self.left = self.left - 20


def test_a_model_that_goes_wrong_beyond_the_sample_is_told() -> None:
    scope = Scope({}, {"seconds": Values(tuple(range(6)), {}, True)})
    brittle = Description(Brittle, "test", "closed", "brittle", "", scope, [make(Brittle, {})], no_lines)
    with pytest.raises(OutOfRange, match="left became -11"):
        proofs(lower_system(brittle), ())


def test_every_choice_of_a_parameter_can_be_made() -> None:
    relation, count = Relation(counters()), 0
    for move in relation.moves:
        for parameter in move.transition.free:
            term = move.parameters.get(parameter.name)
            for value in parameter.values if term is not None and not parameter.is_bool else ():
                solver = z3.Solver()
                solver.add(move.choices, term == constant(value, term.sort()))
                assert solver.check() == z3.sat
                count += 1
    assert count == 9
