"""Violations that are computed once a state, because most transitions have them alike, are those of every step."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from tests.counters import COUNTER_CLAIMS, Counters, assert_same, counters
from tests.generated_code import MachineCode, random_nodes, random_state
from tests.two_phase_commit import PROPERTIES, Coordinator, Manager, TwoPhaseCommit, two_phase_commit

from podproof.checker.core.graph import Graph, evaluate, transplant
from podproof.checker.core.system import Limits, LoweredProperty, Property, System
from podproof.checker.engines.compiled import Compiled, codegen
from podproof.checker.engines.compiled.codegen import generate
from podproof.checker.engines.compiled.layout import WORD_BITS, lay_out
from podproof.checker.engines.compiled.transition import Tag
from podproof.checker.engines.python import Python
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions.symmetry import quotient


def random_step_claims(system: System, rng: random.Random, count: int) -> tuple[LoweredProperty, ...]:
    """Of each claim some transitions share one violation, or two, or none; some parts ask for parameters."""
    nodes = random_nodes(system, rng, 300)
    graph, claims = system.graph, []
    for number in range(count):
        common = rng.sample(nodes, 2)
        steps = [rng.choice([*common, *common, rng.choice(nodes), graph.true, graph.false]) for _ in system.transitions]
        for i, t in enumerate(system.transitions):
            if t.free and rng.random() < 0.3:
                p = rng.choice(t.free)
                parameter = graph.parameter(p.name, p.is_bool, p.values[0], p.values[-1])
                steps[i] = graph.or_(steps[i], parameter if p.is_bool else graph.lt(parameter, graph.integer(1)))
        claims.append(LoweredProperty(Property(str(number), "step", ""), steps=tuple(steps)))
    return tuple(claims)


def elsewhere(claims: tuple[LoweredProperty, ...]) -> tuple[LoweredProperty, ...]:
    """The same claims as if they had been lowered into a graph of their own."""
    copy = transplant(Graph())
    return tuple(replace(p, steps=tuple(copy(p.steps or ()))) for p in claims)


@pytest.mark.quick(3)
@pytest.mark.parametrize("own_graph", [False, True], ids=["same graph", "own graph"])
@pytest.mark.parametrize("count", [1, WORD_BITS, WORD_BITS + 1, 2 * WORD_BITS + 3])
def test_every_row_has_the_bits_of_the_claims_that_its_step_violates(count: int, own_graph: bool) -> None:
    system, rng = counters(), random.Random(count)
    claims = random_step_claims(system, rng, count)
    compiled = MachineCode(system, elsewhere(claims) if own_graph else claims)
    words, judged = compiled.layout.words, 0
    for _ in range(60):
        state = random_state(system, rng)
        values = dict(zip((v.path for v in system.variables), state, strict=True))
        for row in compiled.rows(state):
            tag = Tag.read(int(row[words]))
            if tag.faulty:
                continue
            chosen = tag.move(system).values
            expected = evaluate([(p.steps or ())[tag.transition] for p in claims], values, chosen)
            found = [int(row[words + 1 + i // WORD_BITS]) >> i % WORD_BITS & 1 for i in range(count)]
            assert found == expected
            judged += 1
    assert judged > 300


def working_first(before: TwoPhaseCommit, after: TwoPhaseCommit) -> bool:
    """Fails on every step that leaves the first manager prepared while nothing is decided."""
    return not (after.managers[0] == Manager.PREPARED and before.coordinator == Coordinator.INIT)


def some_step_for_all(before: TwoPhaseCommit, after: TwoPhaseCommit) -> bool:
    """Fails where an abort was sent and nobody has aborted yet, whatever the step does."""
    for i in range(len(before.managers)):
        if before.managers[i] == Manager.ABORTED:
            return True
    return not before.sent_abort


CLAIMS = (
    *PROPERTIES,
    Property("working_first", "step", "The first manager never stays prepared.", working_first),
    Property("some_step_for_all", "step", "Nobody waits for an abort.", some_step_for_all),
)


def test_a_step_that_touches_nothing_of_a_claim_may_violate_it() -> None:
    system, lowered = (made := two_phase_commit(3)), lower_properties(made, CLAIMS)
    program = generate(system, lowered, lay_out(system, None))
    assert "%shared, i64 0" in program.text
    fast, slow = Compiled().run(system, lowered), Python().run(system, lowered)
    assert_same(fast, slow)
    assert {v.property.id: v.depth for v in fast.verdicts}["some_step_for_all"] == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_claims_of_two_words_are_judged_as_each_by_itself(threads: int) -> None:
    system = two_phase_commit(3)
    many = tuple(replace(p, id=f"{p.id} {i}") for i in range(20) for p in CLAIMS)
    assert sum(p.kind == "step" for p in many) > WORD_BITS
    found = Compiled(threads=threads).run(system, lower_properties(system, many))
    once = Compiled().run(system, lower_properties(system, CLAIMS))
    assert [(v.status, v.trace) for v in found.verdicts] == [(v.status, v.trace) for v in once.verdicts] * 20


@pytest.mark.parametrize("limits", [Limits(), Limits(max_depth=4), Limits(max_states=30)], ids=str)
@pytest.mark.parametrize("reduced", [False, True], ids=["whole", "symmetry"])
def test_sharing_changes_nothing(reduced: bool, limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    system = two_phase_commit(4)
    lowered = lower_properties(system, CLAIMS)
    if reduced:
        swaps = [
            {"managers": tuple(b if i == a else a if i == b else i for i in range(4))}
            for a, b in combinations(range(4), 2)
        ]
        system, lowered = quotient(system, lowered, swaps)
    shared = Compiled().run(system, lowered, None, limits)
    text = generate(system, lowered, lay_out(system, None)).text
    monkeypatch.setattr(codegen, "_most_common", lambda _: None)
    assert generate(system, lowered, lay_out(system, None)).text != text
    assert_same(Compiled().run(system, lowered, None, limits), shared)


def flagged(before: Counters, after: Counters) -> bool:
    return before.total < 4 or after.flag


@pytest.mark.slow
def test_counters_have_the_same_counterexamples_in_both_engines() -> None:
    """Claims with parameters in their violations, next to one that most transitions share."""
    system = counters(starts=(0, 2, 9))
    claims = (*COUNTER_CLAIMS, Property("flagged", "step", "A large total is flagged.", flagged))
    lowered = lower_properties(system, claims)
    assert_same(Compiled().run(system, lowered), Python().run(system, lowered))
