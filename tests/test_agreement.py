"""CPython, the graph and both engines agree about the real model, and leaving variables out changes nothing."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.agreement import GraphFunctions, compare_everywhere, describe, run

from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import (
    Exploration,
    LoweredProperty,
    Property,
    State,
    Status,
    System,
    Transition,
    Verdict,
)
from podproof.checker.engines import python
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.python import Python
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import relevant_variables
from podproof.model.kubelet import Kubelet
from podproof.model.open import Open
from podproof.model.scenarios import PodDescription, Scenario
from podproof.queries.build import properties_of, subject_of, system_of

SUBJECT = subject_of("v1.29", None)
WEB = PodDescription("web", "web_default", removes=0)
ORPHAN = PodDescription("web", "web_default", adds=0, removes=0, running=True)
RESTARTED = PodDescription("web", "web_default", removes=1)
REUSED = PodDescription("static", "static_kube-system", static=True, adds=2)
PAIR = tuple(PodDescription(name, "static_kube-system", static=True, removes=0) for name in ("old", "new"))
STATIC = PodDescription("static", "static_kube-system", static=True)

SMALL = {
    scenario.name: scenario
    for scenario in (
        Scenario("deletion", Kubelet, (WEB,), deletion_seconds=(5,)),
        Scenario("update", Kubelet, (WEB,), updates=1),
        Scenario("kill", Kubelet, (WEB,), kills=1),
        Scenario("phase", Kubelet, (WEB,), phase_changes=1),
        Scenario("rejection", Kubelet, (WEB,), rejections=1),
        Scenario("reuse", Kubelet, (REUSED,)),
        Scenario("orphan", Kubelet, (ORPHAN,)),
        Scenario("restart", Kubelet, (RESTARTED,), phase_changes=1, restarts=1),
        Scenario("two-goroutines", Kubelet, (REUSED,), generations=2),
        Scenario("pair", Kubelet, PAIR),
        Scenario(
            "open",
            Open,
            (STATIC,),
            spec_seconds=1,
            soft_eviction_seconds=0,
            node_shutdown_seconds=0,
        ),
    )
}
"""Every kind of event, each in a world that is explored to its end."""
LARGE = ("kill", "restart", "two-goroutines", "pair", "open")
"""Here, of states that differ only in what nothing reads, one is looked at."""


@functools.cache
def system(name: str) -> System:
    return system_of(SUBJECT, SMALL[name])


@functools.cache
def claims(name: str) -> tuple[Property, ...]:
    return properties_of(SUBJECT, SMALL[name])


@functools.cache
def lowered(name: str) -> tuple[LoweredProperty, ...]:
    return lower_properties(system(name), claims(name))


@functools.cache
def functions(name: str) -> GraphFunctions:
    return GraphFunctions(system(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SMALL if name != "pair"])
def test_cpython_and_the_graph_agree_on_every_reachable_state(name: str) -> None:
    """But for two static pods, of which random states, below, have to do."""
    keep = relevant_variables(system(name), ()) if name in LARGE else None
    states, steps = compare_everywhere(system(name), keep)
    explored = Compiled().run(system(name), (), keep)
    assert explored.complete
    assert (explored.states, explored.transitions) == (states, steps)


@pytest.mark.slow
def test_the_small_scenarios_take_nearly_every_action() -> None:
    every = {action.name for name in SMALL for action in system(name).actions}
    for name in SMALL:
        counts = Compiled().run(system(name), (), relevant_variables(system(name), ())).actions
        every -= {action for action, count in counts.items() if count.taken}
    # These take more events than a small scenario has; random states, below, do without.
    assert every <= {"housekeeping_kill_terminal", "call_kill", "runtime_goes_down", "housekeeping_fails"}


# -- states that no execution reaches --------------------------------------------------------------------------------


def random_states(name: str, count: int) -> Iterator[State]:
    """Half of them anything at all, half of them reached at random and then damaged in a few places."""
    chance, model = random.Random(name), system(name)
    state = model.initial[0]
    for number in range(count):
        if number % 2:
            yield tuple(chance.randint(v.low, v.high) for v in model.variables)
            continue
        after = [s for _, s, _ in python.successors(model, state) if not isinstance(s, Exception)]
        state = chance.choice(after) if after and chance.random() < 0.97 else model.initial[0]
        damaged = list(state)
        for i in chance.sample(range(len(damaged)), 3):
            damaged[i] = chance.randint(model.variables[i].low, model.variables[i].high)
        yield tuple(damaged)


Choice = tuple[int, Transition, dict[str, int]]
"""A transition's number, the transition, and values of all its parameters."""


@functools.cache
def choices(name: str) -> tuple[Choice, ...]:
    return tuple((n, t, values) for n, t in enumerate(system(name).transitions) for _, values in t.moves())


def random_choices(name: str, state: State, chance: random.Random, anything: int, possible: int) -> Iterator[Choice]:
    """So many choices that need not be possible in this state, and so many that are, each action equally likely."""
    yield from chance.sample(choices(name), anything)
    enabled: dict[str, list[Choice]] = {}
    for number, transition, values in choices(name):
        if functions(name).outcome(transition, state, values).kind != "disabled":
            enabled.setdefault(transition.action.name, []).append((number, transition, values))
    for _ in range(possible if enabled else 0):
        yield chance.choice(enabled[chance.choice(list(enabled))])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kill", "two-goroutines", "pair", "open"])
def test_cpython_and_the_graph_agree_on_random_states(name: str) -> None:
    """Each 5,000 times a state, an action and its parameters, and everything that CPython says of them."""
    chance, model, kinds = random.Random(name), system(name), Counter[str]()
    taken = {t.action.name: 0 for t in model.transitions if t.enabled is not model.graph.false}
    for state in random_states(name, 1_010):
        for _, transition, values in random_choices(name, state, chance, 3, 2):
            tree = model.build(state)
            found = run(model, tree, transition, values)
            computed = functions(name).outcome(transition, state, values)
            assert found == computed, describe(model, transition, state, values, found, computed)
            if found.kind == "disabled":
                assert model.flatten(tree) == state, "a step that is refused has changed the state"
            kinds[found.kind] += 1
            if found.kind == "step":
                taken[transition.action.name] += 1
    assert kinds.total() >= 5_000
    assert all(taken.values()), "some action has never been taken"
    assert kinds["step"] > 1_000 and kinds["cut"] > 20 and kinds["disabled"] > 1_000


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["kill", "pair", "open"])
def test_cpython_and_the_graph_agree_on_every_claim_in_random_states(name: str) -> None:
    formulas = [(p, functions(name).formula(p.state)) for p in lowered(name) if p.state is not None]
    judged = 0
    for state in random_states(name, 500):
        tree = system(name).build(state)
        for p, formula in formulas:
            assert bool(formula(state)) == holds(p, tree), p.property.id
            judged += 1
        assert system(name).flatten(tree) == state, "a claim has changed the state"
    assert judged > 5_000


def holds(p: LoweredProperty, *states: Any) -> bool:
    """Is a claim true in Python? One that Python cannot evaluate says nothing, so it does not hold."""
    assert p.property.function is not None
    try:
        return p.property.function(*states)
    except (IndexError, AssertionError):
        return False


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["kill", "pair", "open"])
def test_cpython_and_the_graph_agree_on_every_step_claim_in_random_states(name: str) -> None:
    model, chance, judged = system(name), random.Random(name), Counter[str]()
    step_claims = [p for p in lowered(name) if p.property.kind == "step"]
    for state in random_states(name, 100):
        before, known = model.build(state), model.by_path(state)
        for number, transition, values in random_choices(name, state, chance, 0, 2):
            found = run(model, model.build(state), transition, values)
            if found.kind != "step":
                continue
            for p in step_claims:
                assert p.steps is not None
                (violated,) = evaluate([p.steps[number]], known, values)
                event = [transition.action.occurrence(values)] if p.property.takes_event else []
                assert bool(violated) != holds(p, before, *event, model.build(found.after)), p.property.id
                judged[p.property.id] += 1
    assert len(judged) == len(step_claims) and min(judged.values()) > 50


# -- the engines -------------------------------------------------------------------------------------------------------


def assert_same(fast: Exploration, slow: Exploration) -> None:
    for name in ("complete", "states", "transitions", "depth", "actions", "bounds_hit"):
        assert getattr(fast, name) == getattr(slow, name), name
    assert [summary(v) for v in fast.verdicts] == [summary(v) for v in slow.verdicts]


def summary(verdict: Verdict) -> tuple[str, Status, int | None]:
    return verdict.property.id, verdict.status, verdict.depth


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "reduced", "every"),
    [("orphan", False, 1), ("orphan", True, 1), ("rejection", False, 5), ("rejection", True, 1), ("deletion", True, 5)],
)
def test_both_engines_find_the_same(name: str, reduced: bool, every: int) -> None:
    asked = lowered(name)[::every]
    keep = relevant_variables(system(name), asked) if reduced else None
    fast = Compiled().run(system(name), asked, keep)
    slow = Python().run(system(name), asked, keep)
    assert fast.complete
    assert_same(fast, slow)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two-goroutines", "open"])
def test_both_engines_find_the_same_lines_in_larger_scenarios(name: str) -> None:
    """With the `never` claims only, so that the reference comes to an end."""
    keep = relevant_variables(system(name), ())
    wanted = tuple(p for p in claims(name) if p.kind == "never")
    asked = lower_properties(system(name), wanted)
    fast = Compiled().run(system(name), asked, keep)
    assert fast.complete
    assert_same(fast, Python().run(system(name), asked, keep))


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_leaving_variables_out_changes_no_verdict(name: str) -> None:
    keep = relevant_variables(system(name), lowered(name))
    reduced, full = (Compiled().run(system(name), lowered(name), k) for k in (keep, None))
    assert reduced.complete and full.complete
    assert reduced.states <= full.states and reduced.depth <= full.depth
    assert [summary(v) for v in reduced.verdicts] == [summary(v) for v in full.verdicts]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kill", "reuse"])
def test_a_claim_checked_alone_has_the_verdict_it_has_among_all(name: str) -> None:
    """Alone it lets more variables be left out."""
    together = Compiled().run(system(name), lowered(name), relevant_variables(system(name), lowered(name)))
    for verdict, claim in list(zip(together.verdicts, lowered(name), strict=True))[::8]:
        alone = Compiled().run(system(name), (claim,), relevant_variables(system(name), (claim,)))
        assert [summary(v) for v in alone.verdicts] == [summary(verdict)]
