"""CPython, the graph and both engines give the same answers about the real model; leaving variables out changes none."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.agreement import GraphFunctions, compare_everywhere, describe, run

from podproof.checker import compiled, reference
from podproof.checker.claims import LoweredProperty, lower_properties
from podproof.checker.graph import evaluate
from podproof.checker.reference import as_mapping, moves_of
from podproof.checker.slicing import relevant_variables
from podproof.checker.system import Exploration, Property, State, System
from podproof.commands.build import properties_of, subject_of, system_of
from podproof.model.kubelet import Kubelet
from podproof.model.open import Open
from podproof.model.scenarios import PodDescription, Scenario

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
        Scenario("deletion", "", Kubelet, (WEB,), deletion_seconds=(5,)),
        Scenario("kill", "", Kubelet, (WEB,), kills=1),
        Scenario("phase", "", Kubelet, (WEB,), phase_changes=1),
        Scenario("rejection", "", Kubelet, (WEB,), rejections=1),
        Scenario("reuse", "", Kubelet, (REUSED,)),
        Scenario("orphan", "", Kubelet, (ORPHAN,)),
        Scenario("restart", "", Kubelet, (RESTARTED,), phase_changes=1, restarts=1),
        Scenario("two-goroutines", "", Kubelet, (REUSED,), generations=2),
        Scenario("pair", "", Kubelet, PAIR),
        Scenario("open", "", Open, (STATIC,), kills=1, spec_seconds=2, soft_eviction_seconds=0, node_shutdown_seconds=1),
    )
}
"""Every kind of event, each in a world that is explored to its end."""
LARGE = ("restart", "two-goroutines", "pair", "open")
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


@pytest.mark.parametrize("name", SMALL)
def test_cpython_and_the_graph_agree_on_every_reachable_state(name: str) -> None:
    keep = relevant_variables(system(name), ()) if name in LARGE else None
    states, steps = compare_everywhere(system(name), keep)
    explored = compiled.explore(system(name), (), keep)
    assert explored.complete
    assert (explored.states, explored.transitions) == (states, steps)


def test_the_small_scenarios_take_every_action() -> None:
    never = None
    for name in SMALL:
        idle = set(compiled.explore(system(name), (), relevant_variables(system(name), ())).actions_never_taken)
        idle |= {action.name for other in SMALL for action in system(other).actions} - {
            action.name for action in system(name).actions
        }
        never = idle if never is None else never & idle
    assert not never


# -- states that no execution reaches --------------------------------------------------------------------------------


def random_states(name: str, count: int) -> Iterator[State]:
    """Half of them anything at all, half of them reached at random and then damaged in a few places."""
    chance, model = random.Random(name), system(name)
    state = model.initial[0]
    for number in range(count):
        if number % 2:
            yield tuple(chance.randint(v.low, v.high) for v in model.variables)
            continue
        after = [s for _, _, s, _ in reference.successors(model, state) if not isinstance(s, str)]
        state = chance.choice(after) if after and chance.random() < 0.97 else model.initial[0]
        damaged = list(state)
        for i in chance.sample(range(len(damaged)), 3):
            damaged[i] = chance.randint(model.variables[i].low, model.variables[i].high)
        yield tuple(damaged)


@pytest.mark.parametrize("name", ["kill", "two-goroutines", "pair", "open"])
def test_cpython_and_the_graph_agree_on_random_states(name: str) -> None:
    """5,000 times a state, an action and its parameters, and everything CPython says of them: faults too."""
    chance, model, kinds = random.Random(name), system(name), Counter[str]()
    choices = [(t, values) for t in model.transitions for values in moves_of(t)]
    for state in random_states(name, 500):
        for transition, values in chance.sample(choices, 10):
            tree = model.build(state)
            found = run(model, tree, transition, values)
            computed = functions(name).outcome(transition, state, values)
            assert found == computed, describe(model, transition, state, values, found, computed)
            if found.kind == "disabled":
                assert model.encode(tree) == state, "a step that is refused has changed the state"
            kinds[found.kind] += 1
    assert kinds.total() == 5_000
    assert kinds["step"] > 250 and kinds["fault"] > 15 and kinds["disabled"] > 250


@pytest.mark.parametrize("name", ["kill", "pair", "open"])
def test_cpython_and_the_graph_agree_on_every_claim_in_random_states(name: str) -> None:
    formulas = [(p, functions(name).formula(p.state)) for p in lowered(name) if p.state is not None]
    judged = 0
    for state in random_states(name, 500):
        tree = system(name).build(state)
        for p, formula in formulas:
            assert p.property.function is not None
            try:
                expected = p.property.function(tree)
            except IndexError:
                continue
            assert bool(formula(state)) == expected, p.property.id
            judged += 1
        assert system(name).encode(tree) == state, "a claim has changed the state"
    assert judged > 5_000


@pytest.mark.parametrize("name", ["kill", "pair", "open"])
def test_cpython_and_the_graph_agree_on_every_step_claim_in_random_states(name: str) -> None:
    model, chance, judged = system(name), random.Random(name), Counter[str]()
    step_claims = [p for p in lowered(name) if p.property.kind == "step"]
    for state in random_states(name, 60):
        steps = [s for t, v in moves(model) if (s := step_of(model, state, t, v))[0]]
        for after, number, values in chance.sample(steps, min(3, len(steps))):
            before, then = model.build(state), model.build(after)
            for p in step_claims:
                assert p.steps is not None and p.property.function is not None
                (violated,) = evaluate([p.steps[number]], as_mapping(model, state), values)
                assert bool(violated) != p.property.function(before, then), p.property.id
                judged[p.property.id] += 1
    assert len(judged) == len(step_claims) and min(judged.values()) > 50
