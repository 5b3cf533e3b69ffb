"""What becomes of a step: not now, cut off, an error of the model, or taken. All that tell these apart tell the same.

PYTEST_DONT_REWRITE: the models below have assertions, which must fail as the model's.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Annotated

import pytest
from tests.small_worker import Tries, Worker, small_worker
from tests.two_phase_commit import no_lines

from podproof.checker.core.graph import evaluate
from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Move, Outcome, OutOfRange, System
from podproof.checker.core.trace import NotTaken, refusal, replay, take
from podproof.checker.difference.transitions import StepComparison, in_one_graph
from podproof.checker.lowering import Description, lower_system
from podproof.checker.solver.terms import Relation
from podproof.model.language import Array, Domain, Size, action, make, out_of_bounds, require

Place = Annotated[int, Domain("places")]


@dataclass
class Shelf:
    """A place that may be none, and ways to end a step in each order."""

    held: Annotated[Array[bool], Size("places")]
    place: Annotated[int, Domain("more_places")] = 0
    flag: bool = False

    @action("user", "looks, then asks")
    def look(self) -> None:
        require(self.held[self.place])

    @action("user", "{more}: bound first")
    def bound_first(self, more: bool) -> None:
        if more and self.flag:
            out_of_bounds("both")
        assert self.place != 1

    @action("user", "{at}: fault first")
    def fault_first(self, at: Place) -> None:
        require(not self.held[at])
        self.check(at)
        if self.flag:
            out_of_bounds("flag")
        self.place += 1

    def check(self, at: int) -> None:
        if self.place == at:
            assert not self.flag

    @action("user", "asks behind a bound")
    def ask_behind(self) -> None:
        if self.flag:
            out_of_bounds("at once")
        require(self.place == 1)


def shelf() -> System:
    scope = Scope({"places": 2}, {"places": Values((0, 1)), "more_places": Values((0, 1, 2))})
    return lower_system(Description(Shelf, "test", "closed", "shelf", "", scope, [make(Shelf, scope.sizes)], no_lines))


def of_model(system: System, state: tuple[int, ...], move: Move) -> Outcome:
    try:
        take(system, state, move)
    except Exception as error:
        return refusal(error)
    return Outcome.TAKEN


def test_a_step_has_one_outcome_in_each_state_and_it_is_the_model_s() -> None:
    system, seen = shelf(), set[tuple[str, Outcome]]()
    for state in itertools.product(*(range(v.low, v.high + 1) for v in system.variables)):
        for t in system.transitions:
            for move in t.moves():
                values = evaluate([t.when(o, system.graph) for o in Outcome], system.by_path(state), move.values)
                (outcome,) = (o for o, value in zip(Outcome, values, strict=True) if value)
                assert outcome is of_model(system, state, move), (move, state)
                seen.add((t.action.name, outcome))
    assert len(seen) == 3 + 3 + 4 + 3


def test_a_step_that_a_bound_cuts_off_does_not_go_wrong() -> None:
    system = shelf()
    true, false = system.graph.true, system.graph.false
    for t in system.transitions:
        both = replace(t, bounds={"bound": true}, faults={"fault": true})
        assert [both.when(outcome, system.graph) for outcome in (Outcome.CUT_OFF, Outcome.FAULT)] == [t.enabled, false]


def test_a_replay_says_which_outcome_was_in_the_way() -> None:
    system = shelf()
    ask, bound = Move("ask_behind", {}), Move("bound_first", {"more": 1})
    held = system.index("flag")
    flagged = tuple(int(i == held) for i in range(len(system.variables)))
    for move, state, outcome in ((ask, system.initial[0], Outcome.DISABLED), (bound, flagged, Outcome.CUT_OFF)):
        with pytest.raises(NotTaken) as caught:
            replay(system, [move], state)
        assert caught.value.outcome is outcome
    with pytest.raises(OutOfRange):
        replay(system, [Move("fault_first", {"at": 0})], flagged)


def test_z3_has_no_step_that_is_taken_and_wrong_at_once() -> None:
    import z3

    for move in Relation(shelf()).moves:
        solver = z3.Solver()
        solver.add(move.condition, move.fault)
        assert solver.check() == z3.unsat


class CutsOff(Worker):
    def retry(self) -> None:
        out_of_bounds("one try")


class GoesWrong(Worker):
    def retry(self) -> None:
        assert self.busy


class Refuses(Worker):
    failures: Tries

    @action("worker", "the job ends, well: {well}")
    def end(self, well: bool) -> None:
        require(self.busy and well)
        self.busy = False
        self.done = True


@pytest.mark.parametrize("pair", list(itertools.permutations((Worker, CutsOff, GoesWrong, Refuses), 2)))
def test_one_outcome_is_told_from_another_in_either_order(pair: tuple[type[Worker], type[Worker]]) -> None:
    a, b = in_one_graph(*map(small_worker, pair))
    comparison = StepComparison(a, b, frozenset(v.path for v in a.variables))
    changed = comparison.changes()
    assert [name for name, _ in changed] == ["end"]
    (change,) = comparison.action_changes(changed, ())
    assert change.guards or change.others or change.updates
    if set(pair) == {CutsOff, GoesWrong}:
        assert change.others == ("where the scenario's bounds cut it off", "where it goes wrong")
