"""Proofs for every number: verdicts on small systems, certificates that others check, and what never is a verdict."""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from tests.rendered import proofs_text
from tests.second_solver import ask_cvc5
from tests.two_phase_commit import PROPERTIES, no_lines, two_phase_commit

from podproof.checker.core.proofs import Proofs, ProofStore, Run
from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import EngineFault, Move, Property, Status, System, Verdict
from podproof.checker.engines import prove as proving
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.engines.prove.certificate import BoundedSearch, Certificate, Lemma
from podproof.checker.engines.prove.learning import Learner
from podproof.checker.engines.prove.sample import LEFT_THE_SAMPLE, Literals, bounded_sample
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.processes import Failure, Task, run_tasks
from podproof.checker.reductions import plan
from podproof.checker.solver import GaveUp
from podproof.checker.solver.terms import NO_FAULT, Relation, constant, width_for
from podproof.model.language import CONSTANT, Domain, action, make, out_of_bounds, require
from podproof.reports.content.verdicts import proofs_answer
from podproof.reports.render.json import answer_data
from podproof.reports.summary import open_bounds


@dataclass
class Timer:
    """A timer that may be set to anything up to a limit, and counts up in twos beside it."""

    limit: Annotated[int, Domain("seconds"), CONSTANT] = 5
    left: Annotated[int, Domain("seconds")] = 0
    even: Annotated[int, Domain("numbers")] = 0
    armed: bool = False

    @action("somebody", "sets the timer to {seconds}")
    def set_timer(self, seconds: Annotated[int, Domain("seconds")]) -> None:
        require(seconds <= self.limit)
        self.left = seconds
        self.armed = seconds > 0

    @action("time", "passes")
    def tick(self) -> None:
        require(self.left > 0)
        self.left -= 1
        self.armed = self.left > 0

    @action("somebody", "counts")
    def count(self) -> None:
        self.even = self.even + 2


def never_above_the_limit(state: Timer) -> bool:
    """Holds: only a comparison of two numbers says why."""
    return state.left <= state.limit


def armed_while_time_is_left(state: Timer) -> bool:
    """Holds."""
    return state.armed == (state.left > 0)


def never_nine(state: Timer) -> bool:
    """Fails, though no number of the sample is so large."""
    return state.left != 9


def only_decreases(before: Timer, after: Timer) -> bool:
    """Fails at the first step."""
    return after.left <= before.left


def never_one_more_than_twice(state: Timer) -> bool:
    """Holds, because the number is even, which nothing here can say."""
    return state.even != state.left + state.left + 1


TIMER_CLAIMS = (
    Property("never_above_the_limit", "always", "…", never_above_the_limit),
    Property("armed_while_time_is_left", "always", "…", armed_while_time_is_left),
    Property("never_nine", "always", "…", never_nine),
    Property("only_decreases", "step", "…", only_decreases),
    Property("never_one_more_than_twice", "always", "…", never_one_more_than_twice),
)


class CutOff(Timer):
    @action("somebody", "sets the timer to {seconds}")
    def set_timer(self, seconds: Annotated[int, Domain("seconds")]) -> None:
        require(seconds <= self.limit)
        if seconds == 7:
            out_of_bounds("seven")
        self.left = seconds
        self.armed = seconds > 0

    @action("time", "passes")
    def tick(self) -> None:
        require(self.left > 0)
        if self.left > self.limit:
            out_of_bounds("beyond the limit")
        self.left -= 1
        self.armed = self.left > 0


def timer(cls: type[Timer] = Timer) -> System:
    scope = Scope(
        {},
        {
            "seconds": Values(tuple(range(6)), {}, True),
            "numbers": Values(tuple(range(6)), {}, True),
            "none": Values((0,), {}),
        },
    )
    return lower_system(Description(cls, "test", "closed", "timer", "one timer", scope, [make(cls, {})], no_lines))


def proofs(
    system: System, claims: tuple[Property, ...], seconds: float = 20, wanted: ProofOptions | None = None
) -> Proofs:
    lowered = lower_properties(system, claims)
    return prove(system, lowered, seconds, 2, wanted or ProofOptions(), lambda line: None)


def verdicts(found: Proofs) -> dict[str, Verdict]:
    return {v.property.id: v for v in found.exploration.verdicts}


@pytest.fixture(scope="module")
def timed() -> Proofs:
    return proofs(timer(), TIMER_CLAIMS[:4], wanted=ProofOptions(invariants=True))


def test_what_holds_for_every_number_is_proved(timed: Proofs) -> None:
    found = verdicts(timed)
    assert found["never_above_the_limit"].status is Status.PROVED
    assert found["armed_while_time_is_left"].status is Status.PROVED
    assert found[NO_FAULT.id].status is Status.PROVED


def test_a_violation_with_numbers_that_the_sample_lacks_is_found_and_replayed(timed: Proofs) -> None:
    verdict = verdicts(timed)["never_nine"]
    assert verdict.status is Status.VIOLATED and verdict.trace is not None
    system = timed.exploration.system
    assert len(verdict.trace.steps) == 1
    assert verdict.trace.steps[-1].state[system.index("left")] == 9
    assert verdict.trace.initial[system.index("limit")] >= 9


def test_a_violated_step_has_its_shortest_trace(timed: Proofs) -> None:
    verdict = verdicts(timed)["only_decreases"]
    assert verdict.status is Status.VIOLATED and verdict.depth == 1


def test_a_bound_at_which_no_step_is_cut_off_is_none() -> None:
    found = proofs(timer(CutOff), TIMER_CLAIMS[:2])
    assert {v.status for v in verdicts(found).values()} == {Status.PROVED}
    assert open_bounds(found.exploration) == ["seven"]
    assert "steps beyond a bound do not happen (seven)" in proofs_text([found])


def test_invariants_are_in_the_models_words(timed: Proofs) -> None:
    assert timed.invariants["never_above_the_limit"] == ("claim never_above_the_limit",)


@pytest.mark.slow
def test_what_nothing_can_prove_is_unknown_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "spacer_invariant", lambda *arguments: "Spacer gave up (canceled)")
    found = proofs(timer(), TIMER_CLAIMS[4:], seconds=2)
    verdict = verdicts(found)["never_one_more_than_twice"]
    assert verdict.status is Status.UNKNOWN
    assert "no violation within" in verdict.reason or "time was up" in verdict.reason
    assert verdict.reason.endswith("Spacer gave up (canceled)")
    assert not found.exploration.complete
    assert_tells_which_lemma_is_missing(found)


def assert_tells_which_lemma_is_missing(found: Proofs) -> None:
    """The step that breaks the claim comes from an odd number, which is never reached."""
    text = proofs_text([found])
    assert "from a state, which may not be reachable, with" in text
    trace = found.stuck["never_one_more_than_twice"]
    assert trace.initial[found.exploration.system.index("even")] % 2 == 1
    document = answer_data(proofs_answer([found]))
    claim = next(c for c in document["results"][0]["properties"] if c["id"] == "never_one_more_than_twice")
    assert claim["stuck"]["before"]["even"] % 2 == 1 and claim["stuck"]["action"] == trace.steps[0].action


def test_two_phase_commit_agrees_with_the_explicit_engine() -> None:
    system = two_phase_commit(3)
    claims = tuple(p for p in PROPERTIES if p.kind != "sometimes")
    found = verdicts(proofs(system, claims))
    explored = Compiled().run(system, lower_properties(system, claims))
    for verdict in explored.verdicts:
        same = found[verdict.property.id]
        assert (same.status is Status.PROVED) == (verdict.status is Status.HOLDS)
        assert (same.status is Status.VIOLATED) == (verdict.status is Status.VIOLATED)
        assert same.depth == verdict.depth


@pytest.mark.slow
def test_the_answer_does_not_depend_on_the_number_of_processes() -> None:
    system = two_phase_commit(3)
    lowered = lower_properties(system, PROPERTIES[:4])
    one, two = (
        prove(system, lowered, 20, processes, ProofOptions(invariants=True), lambda line: None) for processes in (1, 2)
    )
    assert one.exploration.verdicts == two.exploration.verdicts
    assert one.invariants == two.invariants


def test_a_free_variable_is_no_constant() -> None:
    system = timer()
    assert system.free == {"limit": 0}
    reduced = plan(system, lower_properties(system, TIMER_CLAIMS[:1]), {"constants", "slicing"})
    assert "limit" in reduced.keep
    starts = {state[system.index("limit")] for state in bounded_sample(system, reduced.keep, 4).initial}
    assert len(starts) > 1


def test_a_sample_cuts_off_what_it_has_no_numbers_for() -> None:
    system = timer()
    sample = bounded_sample(system, frozenset(v.path for v in system.variables))
    assert not sample.is_unbounded
    assert Compiled().run(sample, ()).bounds_hit[LEFT_THE_SAMPLE] > 0


# -- certificates ----------------------------------------------------------------------------------------------------


def certificate(*lemmas: Lemma, claim: int = 0) -> Certificate:
    system = timer()
    lowered = lower_properties(system, TIMER_CLAIMS)
    relation = Relation(system, lowered)
    own = Lemma("own", relation.holds(lowered[claim]))
    return Certificate(relation, (lowered[claim],), (*lemmas, own))


def test_a_right_invariant_passes() -> None:
    assert certificate().refutation() is None


@pytest.mark.parametrize(
    ("variable", "value", "question"), [("left", 1, "init"), ("left", 0, "step")], ids=["not initial", "not kept"]
)
def test_a_wrong_invariant_is_refused(variable: str, value: int, question: str) -> None:
    term = certificate().relation.now[variable]
    refusal = certificate(Lemma("planted", term == constant(value, term.sort()))).refutation()
    assert refusal is not None and f"`{question}`" in refusal


def test_an_invariant_that_does_not_imply_the_claim_is_refused() -> None:
    right = certificate()
    refusal = dataclasses.replace(right, lemmas=()).refutation()
    assert refusal is not None and "`property`" in refusal


def test_lemmas_that_are_not_needed_are_left_out() -> None:
    right = certificate()
    needless = Lemma("needless", right.relation.now["even"] >= 0)
    smaller = certificate(needless).minimise()
    assert [lemma.name for lemma in smaller.lemmas] == ["own"]


def test_a_wrong_lemma_never_becomes_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the search for lemmas claims that a violated claim follows from nothing."""
    planned = plan(timer(), lower_properties(timer(), TIMER_CLAIMS), {"slicing"})
    outcome = proving.certify(planned, "never_nine", (), ProofOptions())
    assert not outcome.is_proved and outcome.run is None
    assert "answered with sat" in outcome.reason
    assert proving.certify_together(planned, ["never_above_the_limit"], ())["never_above_the_limit"].is_proved
    for violated in ("never_nine", "only_decreases"):
        together = proving.certify_together(planned, ["never_above_the_limit", violated], ())
        assert not any(found.is_proved for found in together.values())


def test_claims_have_one_proof_and_each_its_own_where_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = [v.reason for v in proofs(timer(), TIMER_CLAIMS[:2]).exploration.verdicts]
    assert set(reasons) == {"by a common inductive invariant of 2 lemmas, checked again by itself"}

    def broken(*arguments: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(proving, "certify_together", broken)
    found = proofs(timer(), TIMER_CLAIMS[:2])
    assert {v.status for v in found.exploration.verdicts} == {Status.PROVED}
    assert all(v.reason.startswith("by an inductive invariant of") for v in found.exploration.verdicts)
    assert found.recheck.obligations == 9


@pytest.mark.slow
def test_another_solver_confirms_the_proofs_of_small_systems(tmp_path: Path) -> None:
    proofs(timer(), TIMER_CLAIMS[:2], wanted=ProofOptions(smt2=tmp_path, command="made by: a test"))
    proofs(two_phase_commit(3), PROPERTIES[:1], wanted=ProofOptions(smt2=tmp_path, command="made by: a test"))
    scripts = sorted(tmp_path.iterdir())
    assert len(scripts) == 3 * (2 + 1 + 1 + 1)
    for script in scripts:
        assert "expected answer: unsat" in script.read_text()
        assert ask_cvc5(script) == "unsat", script.name
        assert "(set-logic QF_LIA)" in script.read_text()


# -- what never is a verdict -----------------------------------------------------------------------------------------


def test_a_task_that_raises_crashes_or_hangs_is_a_failure() -> None:
    def raises() -> int:
        raise ValueError("no luck")

    def crashes() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    jobs = [
        Task(raises, 60),
        Task(crashes, 60),
        Task(lambda: time.sleep(600), 0.2),
        Task(lambda: 7, 60),
    ]
    found = dict(run_tasks(jobs, 2))
    assert found[0] == Failure("ValueError: no luck")
    assert "without a result" in found[1].reason
    assert "too long" in found[2].reason
    assert found[3] == 7


@pytest.mark.parametrize("fault", ["crash", "exception"])
def test_a_fault_of_the_solver_is_no_verdict(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    def broken(*arguments: object) -> None:
        if fault == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        raise RuntimeError("out of memory")

    monkeypatch.setattr(proving, "learn", broken)
    monkeypatch.setattr(proving, "certify", broken)
    monkeypatch.setattr(proving, "last_resort", broken)
    found = verdicts(proofs(two_phase_commit(3), PROPERTIES[:1]))
    assert {v.status for v in found.values()} == {Status.UNKNOWN}
    assert all(v.reason for v in found.values())


def test_a_violation_that_was_seen_is_one_even_if_shorter_ones_are_not_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(proving, "refute", broken)
    found = proofs(two_phase_commit(3), PROPERTIES[1:2])
    verdict = verdicts(found)["nobody_commits"]
    assert verdict.status is Status.VIOLATED and verdict.trace is not None
    assert verdict.reason.endswith("that none is shorter was not shown: RuntimeError: out of memory")
    assert "shortest" not in proofs_text([found])


def test_a_violation_that_was_seen_outlives_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: object, violated: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(proving._Attempt, "_decide_together", interrupt)
    found = proofs(two_phase_commit(3), PROPERTIES[:2])
    assert found.exploration.interrupted
    assert verdicts(found)[PROPERTIES[0].id].status is Status.UNKNOWN
    verdict = verdicts(found)["nobody_commits"]
    assert verdict.status is Status.VIOLATED
    assert verdict.reason.endswith("that none is shorter was not shown: interrupted")


def test_what_a_search_found_before_its_time_was_up_is_kept() -> None:
    """Two claims, of which one is violated in the first step and the other in the second."""
    planned = plan(ladder(), lower_properties(ladder(), LADDER_CLAIMS), {"slicing"})
    most = {"below_one": 4, "below_four": 4}
    found = proving.refute(planned, most, (), 20.0)
    assert [len(run.moves) for name in most if (run := found[name].run) is not None] == [1, 4]
    asked = iter([False, True])
    relation = Relation(planned.system, planned.properties)
    search = BoundedSearch(relation, planned.properties[:2], ()).shortest(most, lambda: next(asked))
    assert next(search)[0] == "below_one"
    with pytest.raises(GaveUp, match="the time was up before runs of 2 steps"):
        next(search)


# -- numbers without end, as bits ------------------------------------------------------------------------------------


@dataclass
class Ladder:
    """Each rung is more than nine above the one before."""

    height: Annotated[int, Domain("seconds")] = 0
    rungs: Annotated[int, Domain("rungs")] = 0

    @action("somebody", "climbs to {height}")
    def climb(self, height: Annotated[int, Domain("seconds")]) -> None:
        require(self.rungs < 4 and self.height < height - 9)
        self.height = height
        self.rungs += 1


def below_one(state: Ladder) -> bool:
    return state.rungs < 1


def below_four(state: Ladder) -> bool:
    return state.rungs < 4


LADDER_CLAIMS = (
    Property("below_one", "always", "…", below_one),
    Property("below_four", "always", "…", below_four),
)


def ladder() -> System:
    scope = Scope({}, {"seconds": Values((0, 1), {}, True), "rungs": Values(tuple(range(5)))})
    return lower_system(
        Description(Ladder, "test", "closed", "ladder", "one ladder", scope, [make(Ladder, {})], no_lines)
    )


def test_numbers_without_end_have_the_bits_that_a_run_needs() -> None:
    """Four rungs need a number of 40, which six bits with a sign have not."""
    system = ladder()
    lowered = lower_properties(system, LADDER_CLAIMS)
    width = width_for(system, lowered, 4)
    assert width is not None and width > 6
    for bits, lengths in ((width, [1, 4]), (6, [1])):
        relation = Relation(system, lowered, width=bits)
        assert not relation.sorts.has_integers
        found = BoundedSearch(relation, lowered).shortest({"below_one": 4, "below_four": 4}, lambda: False)
        assert [len(run.moves) for _, run in found] == lengths


def test_the_bits_are_not_known_where_numbers_without_end_are_added_to() -> None:
    assert width_for(timer(), lower_properties(timer(), TIMER_CLAIMS), 1) is None


def test_an_interrupt_leaves_everything_undecided() -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    system = two_phase_commit(3)
    found = prove(system, lower_properties(system, PROPERTIES[:1]), 20, 1, ProofOptions(), interrupt)
    assert found.exploration.reason == "interrupted"
    assert {(v.status, v.reason) for v in found.exploration.verdicts} == {(Status.UNKNOWN, "interrupted")}


def test_a_trace_that_does_not_show_the_violation_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from podproof.checker.engines import prove as module

    monkeypatch.setattr(module, "is_shown", lambda *arguments: False)
    with pytest.raises(EngineFault, match="does not show it"):
        proofs(two_phase_commit(3), PROPERTIES[1:2])


def test_a_clause_reads_as_an_implication() -> None:
    system = two_phase_commit(3)
    literals = Literals(Relation(system))
    names = {atom.true: i for i, atom in enumerate(literals.atoms)}
    commit, decided = names["sent_commit"], names["coordinator is committed"]
    assert literals.words((2 * commit + 1, 2 * decided)) == "sent_commit implies coordinator is committed"
    assert literals.words((2 * commit + 1, 2 * decided + 1)) == "sent_commit implies coordinator is not committed"
    assert literals.words((2 * commit + 1,)) == "not sent_commit"


def test_a_search_that_is_out_of_time_claims_nothing() -> None:
    planned = plan(two_phase_commit(3), lower_properties(two_phase_commit(3), PROPERTIES[:1]), {"slicing"})
    workshop = proving.Workshop(planned)
    from podproof.checker.engines.prove.sample import Observations, explore_sample

    seen = explore_sample(planned.system, planned.properties, planned.keep)
    observations = Observations(seen, workshop.literals)
    found = Learner(workshop.relation, workshop.literals, observations, planned.properties, lambda: True).run()
    assert not found.needs
    assert "too long" in found.reasons["consistent"]


# -- what an earlier proof has found -----------------------------------------------------------------------------------


class Unlimited(Timer):
    @action("somebody", "sets the timer to {seconds}")
    def set_timer(self, seconds: Annotated[int, Domain("seconds")]) -> None:
        self.left = seconds
        self.armed = seconds > 0


class Halved(Timer):
    @action("time", "passes")
    def tick(self) -> None:
        require(self.left > 0)
        self.left = 0
        self.armed = False


class Nudged(Timer):
    @action("somebody", "arms it")
    def arm(self, by: Annotated[int, Domain("none")]) -> None:
        self.armed = self.armed or by > 0


def told(found: Proofs) -> dict[str, tuple[Status, int | None]]:
    return {name: (v.status, None if v.trace is None else len(v.trace.steps)) for name, v in verdicts(found).items()}


def test_what_was_found_of_a_version_is_neither_explored_nor_learned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = proofs(timer(), TIMER_CLAIMS[:4])
    monkeypatch.setattr(proving, "explore_sample", None)
    monkeypatch.setattr(proving, "learn", None)
    for cls in (Timer, Halved):
        assert told(proofs(timer(cls), TIMER_CLAIMS[:4], wanted=ProofOptions(store=first.store))) == told(first)


def test_a_change_that_breaks_a_lemma_has_the_verdicts_that_it_has_by_itself() -> None:
    store = proofs(timer(), TIMER_CLAIMS[:4]).store
    found = proofs(timer(Unlimited), TIMER_CLAIMS[:4], wanted=ProofOptions(store=store))
    assert told(found) == told(proofs(timer(Unlimited), TIMER_CLAIMS[:4]))
    assert verdicts(found)["never_above_the_limit"].status is Status.VIOLATED
    assert verdicts(found)["armed_while_time_is_left"].status is Status.PROVED


@pytest.mark.parametrize(
    "lemma", ["armed", "not armed", "left == limit", "limit is 5, which it need not be", "a field of another version"]
)
def test_no_lemma_that_was_kept_is_believed(lemma: str) -> None:
    clause = ((lemma.removeprefix("not "), lemma.startswith("not ")),)
    store = ProofStore((*proofs(timer(), TIMER_CLAIMS[:4]).store.lemmas, clause))
    found = proofs(timer(), TIMER_CLAIMS[:4], wanted=ProofOptions(store=store))
    assert told(found) == told(proofs(timer(), TIMER_CLAIMS[:4])) and clause not in found.store.lemmas


@pytest.mark.parametrize(
    ("beginning", "moves"),
    [
        ({"limit": 5}, [Move("set_timer", {"seconds": -1})]),
        ({"limit": 5}, [Move("set_timer", {"minutes": 1})]),
        ({"limit": 5}, [Move("set_clock", {})]),
        ({"limit": 5}, [Move("tick", {})]),
        ({"limit": 5}, [Move("arm", {"by": 1})]),
        ({"limit": -5}, [Move("count", {})]),
        ({"limit": -5}, []),
        ({"limit": 5, "left": 9, "armed": 1}, [Move("tick", {})]),
    ],
)
def test_no_run_that_was_kept_is_believed(beginning: dict[str, int], moves: list[Move]) -> None:
    store = ProofStore(runs={p.id: Run(beginning, tuple(moves)) for p in TIMER_CLAIMS})
    found = proofs(timer(Nudged), TIMER_CLAIMS[:4], wanted=ProofOptions(store=store))
    assert told(found) == told(proofs(timer(Nudged), TIMER_CLAIMS[:4]))
