"""Walks by hand: what may happen is what the engines say, and claims are judged as `check` judges them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from tests.small_worker import Worker, Wrong, small_worker

from podproof.checker.core.system import CheckerError, Outcome, Property, State
from podproof.checker.engines.python import successors
from podproof.checker.explain.stepping import ImpossibleStep, Stepper
from podproof.model.language import action, require
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.exploring import Session
from podproof.queries.walks import moves_in

WALK = ["handle_pod_additions(web,admitted)", "handle_pod_deletion(web,5)", "handle_pod_deletion(web,0)"]


@cache
def session(scenario: str, version: str = "v1.29") -> Session:
    return Session(subject_of(version, None), scenarios_of([scenario])[0])


def stepper(scenario: str, version: str = "v1.29") -> Stepper:
    return session(scenario, version).stepper


def same_as_reference(found: Stepper, state: State) -> list[State]:
    """Fails where the steps out of a state are not those of the reference engine; gives the states after them."""
    expected = [
        (move.action, tuple(sorted(move.values.items())), after, tuple(lines))
        for move, after, lines in successors(found.system, state)
    ]
    bounds = [f"the scenario bounds {after}" for _, _, after, _ in expected if isinstance(after, Exception)]
    steps = [row for row in expected if not isinstance(row[2], Exception)]
    choices = found.choices(state)
    possible = [c for c in choices if c.outcome is Outcome.TAKEN]
    assert [(c.move.action, tuple(sorted(c.move.values.items())), c.after, c.lines) for c in possible] == steps
    assert [c.reason for c in choices if c.outcome is Outcome.CUT_OFF] == bounds
    return [c.after for c in possible if c.after is not None]


@pytest.mark.slow
def test_the_choices_in_every_state_are_the_steps_of_the_reference_engine() -> None:
    found = Stepper(session("lone-pod").system, ())
    seen = set(found.system.initial)
    frontier = list(seen)
    while frontier:
        following = {after for state in frontier for after in same_as_reference(found, state)} - seen
        seen |= following
        frontier = list(following)
    assert len(seen) == 939


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("version", "scenario"),
    [
        ("v1.29", "uid-reuse"),
        ("v1.29", "two-pods"),
        ("v1.35", "static-pair"),
        ("v1.20", "one-pod"),
        ("v1.29", "open-pod"),
    ],
)
def test_the_choices_on_long_walks_are_the_steps_of_the_reference_engine(version: str, scenario: str) -> None:
    found, chance = Stepper(session(scenario, version).system, ()), random.Random(1)
    state = found.system.initial[0]
    for _ in range(150):
        after = same_as_reference(found, state)
        state = chance.choice(after) if after else found.system.initial[0]


BEFORE_THE_BOUND = (
    "handle_pod_additions(static,admitted);worker_start_pod_sync(static,0);worker_get_newer_than(static,0);"
    "start_containers(static,0);restart();handle_pod_additions(static,admitted);handle_pod_removes(static);"
    "sources_become_ready();housekeeping_sync_known_pods();housekeeping_list_pods()"
)
"""Housekeeping is about to start a second goroutine of one UID."""


def test_a_step_that_a_bound_cuts_off_is_said_to_be() -> None:
    found = stepper("static-removed")
    state = found.walk(moves_in(BEFORE_THE_BOUND)).states[-1]
    same_as_reference(found, state)
    (cut,) = (c for c in found.choices(state) if c.outcome is Outcome.CUT_OFF)
    event = found.system.event(cut.move)
    assert event == "housekeeping: UpdatePod(kill, static, runtime pod, override=1)"
    assert (cut.reason, cut.after) == ("the scenario bounds goroutines of one UID", None)
    assert str(cut.line).startswith("model/goroutines.py:")


def test_what_is_left_is_told_where_it_is_little() -> None:
    found = Stepper(small_worker(Worker), ())
    ended, started = found.walk(["come()", "begin()", "end(true)"]).states[-1], found.system.initial[0]
    assert found.all_that_is_left(ended) == {ended}
    assert found.all_that_is_left(started) is None


def test_what_cannot_happen_names_the_condition_and_its_line() -> None:
    choices = {c.name: c for c in stepper("one-pod").choices(stepper("one-pod").system.initial[0])}
    refused = choices["kill_pod_now(web,preemption)"]
    assert (refused.outcome, refused.after) == (Outcome.DISABLED, None)
    assert refused.reason == "require(budget.kills > 0 and self.listed_as_active[uid])"
    assert refused.line is not None
    assert (Path(__file__).parents[1] / refused.line.file).read_text().splitlines()[
        refused.line.number - 1
    ].strip() == refused.reason


class Overflowing(Worker):
    """A looker counts as many failures as no job has."""

    @action("outside", "somebody looks")
    def look(self) -> None:
        require(self.queued)
        self.failures = 7


def test_a_model_that_goes_wrong_is_a_choice_that_cannot_be_taken() -> None:
    found = Stepper(small_worker(Wrong), ())
    walk = found.walk(["come()", "begin()"])
    wrong = next(c for c in found.choices(walk.states[-1]) if c.name == "end(false)")
    assert (wrong.outcome, wrong.reason) == (Outcome.FAULT, "the model goes wrong: AssertionError: it failed")
    assert str(wrong.line).startswith("tests/small_worker.py:")
    with pytest.raises(ImpossibleStep, match=r"step 3, the job ends, well: False: .*goes wrong") as caught:
        found.walk(["come()", "begin()", "end(false)"])
    assert len(caught.value.walk.taken) == 2


def test_a_field_out_of_its_range_is_a_choice_that_cannot_be_taken() -> None:
    found = Stepper(small_worker(Overflowing), ())
    wrong = next(c for c in found.choices(found.walk(["come()"]).states[-1]) if c.name == "look()")
    assert wrong.outcome is Outcome.FAULT
    assert "failures" in wrong.reason and "OutOfRange" in wrong.reason


def test_an_unknown_event_and_an_impossible_one_are_refused_with_the_step() -> None:
    found = stepper("one-pod")
    with pytest.raises(CheckerError, match=r"step 2: there is no event 'handle_pod_deleton\(web,5\)'; did you mean"):
        found.walk([WALK[0], "handle_pod_deleton(web,5)"])
    with pytest.raises(CheckerError, match=r"step 1, DELETE web: grace period 5: it is not possible here: require\("):
        found.walk(WALK[1:])


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["one-pod", "orphan", "uid-reuse"])
def test_a_counterexample_breaks_its_claim_at_its_last_step_and_at_no_other(scenario: str) -> None:
    starts = session(scenario).starts()["starts"]
    assert any(start["broken"] for start in starts) and any(not start["broken"] for start in starts)
    for start in starts:
        walk, last = stepper(scenario).walk(start["moves"]), len(start["moves"])
        if start["broken"]:
            assert next(b.steps for b in walk.broken if b.claim.id == start["claim"]) == (last,)
        else:
            shown = [i for i, taken in enumerate(walk.taken, 1) if start["claim"] in [p.id for p in taken.witnessed]]
            assert shown == [last]


def test_a_claim_about_states_says_since_when_it_is_false_and_when_no_more() -> None:
    def never_queued(worker: Worker) -> bool:
        return not worker.queued

    found = Stepper(small_worker(Worker), [Property("never_queued", "always", "…", never_queued)])
    walk = found.walk(["come()", "look()", "begin()", "end(false)"])
    (broken,) = walk.broken
    assert (broken.steps, broken.since) == ((1, 2, 4), 4)
    assert walk.until(2).broken[0].since == 1
