"""Claims about runs: graphs of which one can see the answer, and random ones on which all engines have to agree."""

from __future__ import annotations

import dataclasses
import itertools
import random
import re
import time
from collections import Counter
from collections.abc import Collection

import networkx
import numpy as np
import pytest
from tests.walks import ARRIVES, ARRIVES_FROM, RETURNS, Graph, agreed, decide, graph

from podproof.checker.core.system import (
    NO_LIMITS,
    CheckerError,
    EngineFault,
    Lasso,
    Limits,
    ModelError,
    Property,
    State,
    Status,
    System,
    Verdict,
)
from podproof.checker.engines import LimitReached
from podproof.checker.liveness import run_graph, stored
from podproof.checker.liveness.components import components_of, fair_components
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.liveness.groups import FairGroup, groups_of
from podproof.checker.liveness.lasso import confirm_lasso
from podproof.checker.liveness.reference import PlainRuns
from podproof.checker.liveness.run_graph import RunGraph
from podproof.checker.liveness.stored import Answer
from podproof.checker.lowering.claims import holds_in, lower_cases, lower_properties
from podproof.model.language import Fairness, strongly, weakly


def weak(*edges: int) -> list[Fairness]:
    return [weakly(f"w{edge}", "it goes on", kind=edge, edge=edge) for edge in edges]


def strong(*edges: int) -> list[Fairness]:
    return [strongly(f"s{edge}", "it goes on", kind=edge, edge=edge) for edge in edges]


def lasso(verdict: Verdict) -> Lasso:
    assert verdict.trace is not None and verdict.trace.lasso is not None
    return verdict.trace.lasso


def test_without_fairness_a_run_may_rest_anywhere() -> None:
    verdict = agreed(graph([(0, 1)], goal=[1]))
    assert verdict.status is Status.VIOLATED
    assert (lasso(verdict).start, len(verdict.trace.steps)) == (0, 0)  # type: ignore[union-attr]


def test_weak_fairness_takes_a_step_that_stays_possible() -> None:
    assert agreed(graph([(0, 1)], *weak(0), goal=[1])).status is Status.HOLDS


def test_weak_fairness_does_not_take_a_step_that_comes_and_goes() -> None:
    edges = [(0, 2), (0, 1), (1, 0)]
    assert agreed(graph(edges, *weak(0, 1, 2), goal=[2])).status is Status.VIOLATED
    assert agreed(graph(edges, *strong(0), *weak(1, 2), goal=[2])).status is Status.HOLDS


def test_a_rest_where_nothing_is_owed_is_a_fair_run() -> None:
    verdict = agreed(graph([(0, 1), (1, 2)], *weak(0), goal=[2]))
    assert verdict.status is Status.VIOLATED
    assert (lasso(verdict).start, lasso(verdict).no_return) == (1, None)


def test_the_joins_of_a_graph_without_loops_are_no_loops() -> None:
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]
    assert agreed(graph(edges, *weak(*range(5)), goal=[4])).status is Status.HOLDS


def test_a_lasso_goes_round_all_that_is_owed() -> None:
    """0 -> 1 -> 0 and 0 -> 2 -> 0: both ways are owed, so the loop has four steps."""
    verdict = agreed(graph([(0, 1), (1, 0), (0, 2), (2, 0), (0, 3)], *strong(0, 1, 2, 3), goal=[3]))
    assert verdict.trace is not None and lasso(verdict).start == 0 and len(verdict.trace.steps) == 4


def test_an_owed_group_whose_state_is_left_for_ever_is_not_owed() -> None:
    """Strong fairness of a step is no reason to come back to where it is possible."""
    verdict = agreed(graph([(0, 1), (1, 1), (0, 2)], *strong(2), *weak(1), goal=[2]))
    assert verdict.status is Status.VIOLATED and lasso(verdict).start == 1


def test_weak_fairness_of_two_steps_in_turn_is_not_that_of_one_of_them() -> None:
    """One group for both would be owed all the time in 0 and 1, and then the claim would hold."""
    edges = [(0, 1), (1, 0), (0, 2), (1, 2)]
    apart = graph(edges, *weak(0, 1, 2, 3), goal=[2])
    out = weakly("out", "one of them", kind=2, whichever=("edge",))
    together = graph(edges, *weak(0, 1), out, kinds=[0, 1, 2, 2], goal=[2])
    assert agreed(apart).status is Status.VIOLATED
    assert agreed(together).status is Status.HOLDS


def test_a_promise_may_depend_on_the_state() -> None:
    edges = [(3, 4), (0, 1), (1, 2), (2, 3)]
    low = weakly("low", "below three", whichever=("kind", "edge"), when=Graph.is_low)
    assert lasso(agreed(graph(edges, low, goal=[4]))).start == 3
    assert agreed(graph(edges, low, *weak(0), goal=[4])).status is Status.HOLDS


def test_without_an_assumption_less_holds() -> None:
    system = graph([(0, 1), (1, 2)], *weak(0, 1), goal=[2])
    assert agreed(system).status is Status.HOLDS
    assert lasso(agreed(system, without=["w1"])).start == 1
    with pytest.raises(CheckerError, match=r"no fairness assumption 'w9'; this model's are w0, w1"):
        decide(system, without=["w9"])


def test_a_false_claim_stays_false_under_two_assumptions() -> None:
    edges = [(0, 1), (1, 0), (0, 0), (1, 2)]
    assert agreed(graph(edges, *weak(3), *strong(2), goal=[2])).status is Status.VIOLATED


def test_claims_that_contradict_each_other_do_not_both_hold() -> None:
    edges = [(0, 1), (1, 1)]
    at_last = graph(edges, *weak(0), goal=[1])
    never = graph(edges, *weak(0), premise=[1], goal=[0])
    assert (agreed(at_last).status, agreed(never).status) == (Status.HOLDS, Status.VIOLATED)


def test_a_bound_that_makes_fairness_vacuous_leaves_the_claim_open() -> None:
    """Of two steps that would lead to the goal the only owed one is cut off."""
    verdict = agreed(graph([(0, 0), (0, 1)], *weak(1), goal=[1], cut=[1]))
    assert verdict.status is Status.UNKNOWN and "cuts off" in verdict.reason


def test_a_bound_on_what_nobody_owes_does_not_hide_a_violation() -> None:
    assert agreed(graph([(0, 0), (0, 1)], goal=[1], cut=[1])).status is Status.VIOLATED


def test_a_claim_whose_premise_never_happens_says_so() -> None:
    verdict = agreed(graph([(0, 1)], premise=[]))
    assert (verdict.status, verdict.reason) == (Status.HOLDS, "only because its premise never happens here")


def test_a_claim_about_several_places_is_decided_by_all_of_them() -> None:
    """Place 1 is no premise; place 0 alone is what the claim is about."""
    holds = agreed(graph([(0, 1)], *weak(0), goal=[1]), ARRIVES_FROM)
    assert (holds.status, holds.reason, holds.is_vacuous) == (Status.HOLDS, "in every fair run", False)
    opened = agreed(graph([(0, 0), (0, 1)], *weak(1), goal=[1], cut=[1]), ARRIVES_FROM)
    assert opened.status is Status.UNKNOWN and "cuts off" in opened.reason


def test_infinitely_often_is_asked_after_every_state() -> None:
    edges = [(0, 1), (1, 0), (0, 2)]
    assert agreed(graph(edges[:2], *weak(0, 1), goal=[1]), RETURNS).status is Status.HOLDS
    verdict = agreed(graph(edges, *weak(0, 1), goal=[1]), RETURNS)
    assert verdict.status is Status.VIOLATED and lasso(verdict).start == 1


def test_the_point_of_no_return_is_where_the_last_way_out_is_passed() -> None:
    """From 1 one may still come to the goal, from 2 no more; the loop is 3, 4."""
    edges = [(0, 1), (1, 5), (1, 2), (2, 3), (3, 4), (4, 3)]
    verdict = agreed(graph(edges, *weak(0, 1, 2, 3, 4, 5), goal=[5], premise=[0]))
    assert verdict.trace is not None and lasso(verdict).no_return == 2
    open_loop = agreed(graph([(0, 1), (1, 0), (0, 2)], *weak(0, 1), goal=[2]))
    assert lasso(open_loop).no_return is None


def test_a_goal_that_is_reached_and_lost_again_does_not_save_a_run() -> None:
    """From 1 the goal 2 is reached, and then 0, where a new premise waits in vain: 1 is no way out."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 4)]
    verdict = agreed(graph(edges, *weak(*range(5)), premise=[0, 3], goal=[2]))
    assert lasso(verdict).no_return == 0


def test_what_lies_beyond_a_bound_may_be_a_way_out() -> None:
    """From 1 a bound cuts off the only step to the goal."""
    edges = [(0, 1), (1, 2), (2, 2), (1, 3)]
    verdict = agreed(graph(edges, *weak(*range(4)), goal=[3], cut=[3]))
    assert verdict.status is Status.VIOLATED and lasso(verdict).no_return == 2
    before_it_waits = agreed(graph([(0, 1), (1, 1), (0, 2)], *weak(*range(3)), premise=[1], cut=[2]))
    assert lasso(before_it_waits).no_return == 1


def test_twenty_six_strong_conditions_take_no_time() -> None:
    edges = [(i, (i + 1) % 26) for i in range(26)] + [(0, 26)]
    system = graph(edges, *strong(*range(26)), goal=[26])
    started = time.process_time()
    verdict = decide(system).verdicts[0]
    assert verdict.trace is not None and len(verdict.trace.steps) == 26
    assert time.process_time() - started < 5


def test_more_groups_than_a_word_has_bits() -> None:
    edges = [(i, i + 1) for i in range(70)]
    assert decide(graph(edges, *weak(*range(70)), goal=[70]), needs=False).verdicts[0].status is Status.HOLDS
    verdict = decide(graph(edges, *weak(*range(69)), goal=[70])).verdicts[0]
    assert lasso(verdict).start == 69


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_a_search_that_stopped_decides_nothing(engine: str) -> None:
    system = graph([(0, 1), (1, 2)], *weak(0, 1), goal=[2])
    verdict = RunChecker(system, engine).decide([ARRIVES], Limits(max_states=2)).verdicts[0]
    assert (verdict.status, verdict.reason) == (Status.UNKNOWN, "stopped at 2 states (--max-states)")


@pytest.mark.parametrize("stop", [LimitReached("stopped after 9 s (--budget)"), KeyboardInterrupt("interrupted")])
def test_a_limit_leaves_what_was_decided_before(stop: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first claim holds, and there is no time left to ask what it needs; nothing is said of the second."""
    system = graph([(0, 1)], *weak(0), goal=[1])

    def answer(self: stored.WaitingRuns, owed: Collection[FairGroup], is_thorough: bool = True) -> Answer:
        if not is_thorough:
            raise stop
        return fair(self, owed, is_thorough)

    fair = stored.WaitingRuns.answer
    monkeypatch.setattr(stored.WaitingRuns, "answer", answer)
    found, reason = decide(system, ARRIVES, RETURNS), str(stop)
    first, second = found.verdicts
    assert (first.status, first.needs, first.is_vacuous) == (Status.HOLDS, None, False)
    assert (second.status, second.reason) == (Status.UNKNOWN, reason)
    assert (found.complete, found.reason, found.interrupted) == (False, reason, reason == "interrupted")


@pytest.mark.slow
def test_steps_that_do_not_fit_in_memory_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states do, so the search comes to its end."""
    monkeypatch.setattr(run_graph, "available_memory", lambda: 1 << 20)
    found = decide(graph([(i, (i + 1) % 6_000) for i in range(6_000)], goal=[1]))
    (verdict,) = found.verdicts
    assert verdict.status is Status.UNKNOWN and verdict.reason == found.reason and not found.complete
    assert re.fullmatch(
        r"stopped at 6,000 states: their 6,000 steps take \d+ MiB, and 1 MiB are free; .*", found.reason
    )


def test_a_lasso_that_is_none_is_refused() -> None:
    system = graph([(0, 1), (1, 0), (0, 2)], *weak(0, 1), goal=[2])
    trace = decide(system).verdicts[0].trace
    assert trace is not None and trace.lasso is not None
    assert confirm_lasso(system, ARRIVES, {}, trace) is trace
    cases = {
        "does not come back": dataclasses.replace(trace, steps=trace.steps[:1]),
        "does not say how": dataclasses.replace(trace, lasso=None),
        "nothing is waited for": dataclasses.replace(trace, lasso=dataclasses.replace(trace.lasso, start=2, waiting=1)),
        "never happens": dataclasses.replace(trace, steps=()),
    }
    for what, wrong in cases.items():
        with pytest.raises(EngineFault, match=what):
            confirm_lasso(system, ARRIVES, {}, wrong)
    with pytest.raises(EngineFault, match="the goal is reached in state 0"):
        confirm_lasso(graph([(0, 1), (1, 0), (0, 2)], goal=[0, 2]), ARRIVES, {}, trace)


@pytest.mark.parametrize(
    ("owed", "often"),
    [
        (strongly("left out", "it goes on", kind=2, edge=2), "possible again and again"),
        (weakly("left out", "below three", ("kind", "edge"), Graph.is_low, kind=2), "possible all the time"),
    ],
    ids=["strong", "promise"],
)
def test_a_lasso_that_owes_what_was_left_out_is_refused(owed: Fairness, often: str) -> None:
    others = weak(0, 1) if "again" in often else []
    system = graph([(0, 1), (1, 0), (0, 2)], owed, *others, goal=[2])
    trace = decide(system, without=["left out"], needs=False).verdicts[0].trace
    assert trace is not None and confirm_lasso(system, ARRIVES, {}, trace, ["left out"]) is trace
    with pytest.raises(EngineFault, match=often):
        confirm_lasso(system, ARRIVES, {}, trace)


def test_what_decides_states_and_steps_refuses_claims_about_runs() -> None:
    with pytest.raises(ModelError, match="'arrives' says what must happen eventually, of whole runs"):
        lower_properties(graph([(0, 1)]), [ARRIVES])
    with pytest.raises(CheckerError, match="'symbolic' decides claims about states and steps"):
        decide(graph([(0, 1)]), engine="symbolic")


def test_bad_fairness_and_bad_claims_are_named_with_their_place() -> None:
    with pytest.raises(
        ModelError, match=r"walks\.py:\d+: the fairness 'x' of action 'step' is about a parameter 'uid'"
    ):
        graph([(0, 1)], weakly("x", "", uid=0))
    with pytest.raises(ModelError, match=r"is about edge = 7, which is no value of that parameter"):
        graph([(0, 1)], weakly("x", "", edge=7))
    one = Property("one", "leads_to", "", RETURNS.function)
    with pytest.raises(ModelError, match=r"of kind 'leads_to' gives something else; return two bools"):
        decide(graph([(0, 1)]), one)
    two = Property("two", "recurs", "", ARRIVES.function)
    with pytest.raises(ModelError, match=r"of kind 'recurs' gives something else; return one bool"):
        decide(graph([(0, 1)]), two)


def test_needed_is_what_cannot_be_spared() -> None:
    """The way to 2 needs the steps 0 and 1; the loop at 0 and the step out of 2 are owed in vain."""
    edges = [(0, 1), (1, 2), (0, 0), (2, 2)]
    verdict = agreed(graph(edges, *weak(0, 1), *strong(2, 3), goal=[2]))
    assert [(need.assumption, len(need.trace.steps)) for need in verdict.needs] == [("w0", 0), ("w1", 1)]
    assert all({"s2", "s3"} < set(need.without) for need in verdict.needs)


def test_of_two_assumptions_of_which_one_will_do_the_weak_one_is_kept() -> None:
    verdict = agreed(graph([(0, 1)], *strong(0), *weak(0), goal=[1]))
    assert [(need.assumption, need.without) for need in verdict.needs] == [("w0", ("s0", "w0"))]


def test_a_claim_that_holds_of_every_run_needs_nothing() -> None:
    verdict = agreed(graph([(0, 1)], *weak(0), premise=[0], goal=[0]))
    assert (verdict.status, verdict.is_vacuous, verdict.needs) == (Status.HOLDS, False, ())


def names_of(system: System) -> set[str]:
    return {condition.assumption for action in system.actions for condition in action.fairness}


# -- at random ---------------------------------------------------------------------------------------------------------


def random_fairness(chance: random.Random, edges: int) -> Fairness:
    """A condition about an edge, a kind of edges, or all of them."""
    promise = chance.choice([weakly, strongly])
    when = Graph.is_low if chance.random() < 0.2 else None
    match chance.randrange(4):
        case 0:
            return promise("all", "", ("kind", "edge"), when)
        case 1:
            return promise("each", "", (), when)
        case 2:
            return promise("kind", "", ("edge",), when, kind=chance.randrange(min(3, edges)))
        case _:
            return promise("edge", "", ("kind",), when, edge=chance.randrange(edges))


def random_question(seed: int) -> tuple[System, Property]:
    """A walk with random fairness, and a claim about it."""
    chance = random.Random(seed)
    places, count = chance.randint(2, 6), chance.randint(2, 11)
    edges = [(chance.randrange(places), chance.randrange(places)) for _ in range(count)]
    fairness = [random_fairness(chance, count) for _ in range(chance.randint(0, 5))]
    kinds = [chance.randrange(min(3, count)) for _ in edges]
    cut = [i for i in range(count) if chance.random() < 0.05]
    premise = [i for i in range(places) if chance.random() < 0.5]
    goal = [i for i in range(places) if chance.random() < 0.3]
    system = graph(edges, *fairness, places=places, kinds=kinds, cut=cut, premise=premise, goal=goal)
    return system, chance.choice([ARRIVES, ARRIVES, RETURNS])


def agree(seed: int) -> Status:
    """All engines on one random system; each lasso was taken once more by the model on the way."""
    system, claim = random_question(seed)
    verdict = agreed(system, claim)
    if verdict.is_vacuous is False and seed % 4 == 0:
        needs = {need.assumption for need in verdict.needs}
        spared = names_of(system) - needs
        assert decide(system, claim, without=sorted(spared), needs=False).verdicts[0].status is Status.HOLDS
        for name in needs:
            left_out = sorted(spared | {name})
            assert decide(system, claim, without=left_out).verdicts[0].status is Status.VIOLATED
    return verdict.status


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_the_engines_agree_on_random_systems(part: int) -> None:
    found = {agree(seed) for seed in range(part * 32, part * 32 + 32)}
    assert {Status.HOLDS, Status.VIOLATED} <= found


def ways_out(system: System, claim: Property) -> set[tuple[State, bool]]:
    """The states, each with whether the goal is waited for, from which some fair run fulfils the claim.

    As the definition says it: every set of states is tried as the one in which the run stays for ever.
    """
    (case,), runs = lower_cases(system, claim), PlainRuns(system, groups_of(system), NO_LIMITS)
    runs.run(None)
    held = [holds_in(claim, system.build(state), case.arguments) for state in runs.states]
    goals = {i for i, (_, goal) in enumerate(held) if goal}
    waits = {i for i, (premise, _) in enumerate(held) if premise} - goals
    numbers, found = range(runs.count), {(i, is_waiting) for i in runs.cut_off for is_waiting in (False, True)}
    for count in range(1, runs.count + 1):
        for stay in map(set, itertools.combinations(numbers, count)):
            inside = [
                (i, target, discharges) for i in stay for _, target, discharges in runs.steps[i] if target in stay
            ]
            paid, here = {g for *_, groups in inside for g in groups}, [runs.enabled[i] for i in stay]
            owed = {g for g in runs.groups if any(g in e for e in here) and (g.is_strong or all(g in e for e in here))}
            network = networkx.DiGraph([(i, target) for i, target, _ in inside])
            network.add_nodes_from(stay)
            if owed <= paid and networkx.is_strongly_connected(network) and (stay & goals or not stay & waits):
                found |= set(itertools.product(stay, (False, True) if stay & goals else (False,)))
    found = {(i, is_waiting) for i, is_waiting in found if not (i in goals if is_waiting else i in waits)}
    size = -1
    while size < len(found):
        size = len(found)
        for i, is_waiting in itertools.product(numbers, (False, True)):
            if not (i in goals if is_waiting else i in waits):
                after = {(t, t not in goals and (is_waiting or t in waits)) for _, t, _ in runs.steps[i]}
                found |= {(i, is_waiting)} if after & found else set()
    return {(runs.states[i], is_waiting) for i, is_waiting in found}


@pytest.mark.slow
def test_the_point_of_no_return_is_where_the_definition_has_it() -> None:
    seen = Counter[bool | None]()
    for seed in range(400):
        system, claim = random_question(seed)
        trace = decide(system, claim, needs=False).verdicts[0].trace
        if trace is None or trace.lasso is None:
            continue
        hopeful, is_waiting, expected = ways_out(system, claim), False, None
        for i, state in enumerate(trace.states[: trace.lasso.start + 1]):
            premise, goal = holds_in(claim, system.build(state), {})
            is_waiting = not goal and (is_waiting or premise)
            if (state, is_waiting) not in hopeful:
                expected = i
                break
        assert trace.lasso.no_return == expected, seed
        seen[None if expected is None else expected > 0] += 1
    assert len(seen) == 3


@pytest.mark.parametrize("what", ["enabled", "discharges", "weak", "strong"])
def test_a_wrong_shortcut_is_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one of the four things that fairness is made of some random system has another verdict, or no lasso."""

    def careless(graph: RunGraph) -> RunGraph:
        return dataclasses.replace(graph, **{what: getattr(graph, what) * np.uint64(0)})

    monkeypatch.setattr(stored, "components_of", lambda graph, within: components_of(careless(graph), within))
    monkeypatch.setattr(stored, "fair_components", lambda graph, *others: fair_components(careless(graph), *others))
    with pytest.raises((AssertionError, EngineFault)):
        for seed in range(64):
            agree(seed)
