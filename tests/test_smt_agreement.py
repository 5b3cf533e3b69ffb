"""CPython, the graph and Z3 say the same of every step, in states that are reached and in states that nothing reaches.

Z3 is asked of each pair of a state and a move whether guard, bounds, faults and every update are what CPython says.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
import z3
from tests.agreement import GraphFunctions, Outcome, run
from tests.two_phase_commit import two_phase_commit

from podproof.checker.core.graph import variables_below
from podproof.checker.core.system import State, System, Transition
from podproof.checker.solver.terms import Numbers, Relation, Term, constant
from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import SCENARIOS, PodDescription, Scenario
from podproof.queries.build import subject_of, system_of

SUBJECT = subject_of("v1.29", None)
SHARES = 4
"""The work is cut into so many tests, which processes share."""
PAIRS = 20_000
RANDOM = ("one-pod", "two-goroutines", "static-pair", "open-pod")
"""All kinds of events, two goroutines of one UID, two pods of one name, and calls in any order."""


SMALL = Scenario("rejection", Kubelet, (PodDescription("web", "web_default", removes=0),), rejections=1)
"""A pod that comes, is rejected later or runs, and stays: explored to its end in a second."""


@cache
def system(name: str) -> System:
    if name == "two-phase-commit":
        return two_phase_commit(3)
    return system_of(SUBJECT, SMALL if name == SMALL.name else SCENARIOS[name])


@cache
def functions(name: str) -> GraphFunctions:
    return GraphFunctions(system(name))


class Z3Steps:
    """What Z3 makes of a step, as one formula for each transition: "it comes out like this"."""

    def __init__(self, model: System, numbers: Numbers) -> None:
        self.system, self.relation = model, Relation(model, numbers=numbers)
        self.possible, self.fault = z3.Bool("expected step"), z3.Bool("expected fault")
        self._formulas = [self._formula(number) for number in range(len(model.transitions))]
        self._reads = [self._positions(t) for t in model.transitions]
        self._writes = [[model.index(p) for p in move.updates] for move in self.relation.moves]
        self._agreed: set[object] = set()

    def _formula(self, number: int) -> Term:
        move = self.relation.moves[number]
        after = [self.relation.then[path] == term for path, term in move.updates.items()]
        return z3.And(
            move.condition == self.possible,
            move.fault == self.fault,
            z3.Implies(self.possible, z3.And(after)),
            move.choices,
        )

    def _positions(self, t: Transition) -> list[int]:
        """The variables that a transition reads, by their places in a state."""
        roots = [t.enabled, *t.updates.values(), *t.bounds.values(), *t.faults.values()]
        return sorted(self.system.index(path) for path in variables_below(roots))

    def agrees(self, number: int, state: State, values: Mapping[str, int], found: Outcome) -> bool:
        """Does Z3 say of the step what was found? It is asked once for all states in which the step is the same."""
        after = found.after if found.kind == "step" else state
        reads, writes = self._reads[number], self._writes[number]
        if any(after[i] != state[i] for i in set(range(len(state))) - set(writes) if after is not state):
            return False
        key = (number, *values.values(), found.kind, *[state[i] for i in reads], *[after[i] for i in writes])
        if key not in self._agreed:
            if not self._ask(number, state, values, found.kind, after):
                return False
            self._agreed.add(key)
        return True

    def _ask(self, number: int, state: State, values: Mapping[str, int], kind: str, after: State) -> bool:
        move, variables, now, then = self.relation.moves[number], self.system.variables, *self._symbols()
        put = [(now[variables[i].path], state[i]) for i in self._reads[number] if variables[i].path in now]
        put += [(then[variables[i].path], after[i]) for i in self._writes[number]]
        put += [(symbol, values[name]) for name, symbol in move.parameters.items()]
        put += [(self.possible, kind == "step"), (self.fault, kind == "fault")]
        formula = z3.substitute(self._formulas[number], *((symbol, value_like(symbol, v)) for symbol, v in put))
        return z3.is_true(z3.simplify(formula))

    def _symbols(self) -> tuple[Mapping[str, Term], Mapping[str, Term]]:
        return self.relation.now, self.relation.then


def value_like(symbol: Term, value: int) -> Term:
    return z3.BoolVal(bool(value)) if z3.is_bool(symbol) else constant(value, symbol.sort())


@cache
def z3_steps(name: str, numbers: Numbers) -> Z3Steps:
    return Z3Steps(system(name), numbers)


def check(name: str, numbers: Numbers, number: int, t: Transition, state: State, values: dict[str, int]) -> Outcome:
    """All three on one step."""
    model = system(name)
    found = run(model, model.build(state), t, values)
    assert found == functions(name).outcome(t, state, values)
    agreed = z3_steps(name, numbers).agrees(number, state, values, found)
    assert agreed, f"{t.action.name}({values}): Z3 does not say {found.kind}; in {state}"
    return found


# -- every reachable state -------------------------------------------------------------------------------------------


def reachable(name: str) -> Iterator[State]:
    """Every state, by the graph, which other tests compare with CPython on all of these."""
    steps = functions(name)
    seen = set(system(name).initial)
    pending = list(seen)
    while pending:
        state = pending.pop()
        yield state
        for t, values in steps.choices:
            after = steps.outcome(t, state, values).after
            if after and after not in seen:
                seen.add(after)
                pending.append(after)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "states", "numbers"),
    [*(("two-phase-commit", 288, numbers) for numbers in Numbers), (SMALL.name, 942, Numbers.BITS)],
)
def test_z3_agrees_on_every_reachable_state_and_every_move(name: str, states: int, numbers: Numbers) -> None:
    every = [(n, t, values) for n, t in enumerate(system(name).transitions) for _, values in t.moves()]
    count, kinds = 0, Counter[str]()
    for state in reachable(name):
        count += 1
        for number, t, values in every:
            found = functions(name).outcome(t, state, values)
            assert z3_steps(name, numbers).agrees(number, state, values, found), f"{t.action.name}({values}) in {state}"
            kinds[found.kind] += 1
    assert count == states and kinds["step"] > 1_000 and kinds["disabled"] > 1_000


# -- random states ---------------------------------------------------------------------------------------------------


def random_states(name: str, seed: str) -> Iterator[State]:
    """Without end: a walk through what is reachable, each state of it also damaged in two places."""
    chance, model, steps = random.Random(seed), system(name), functions(name)
    state = model.initial[0]
    while True:
        yield state
        damaged = list(state)
        for i in chance.sample(range(len(damaged)), 2):
            damaged[i] = chance.randint(model.variables[i].low, model.variables[i].high)
        yield tuple(damaged)
        found = [o.after for t, v in steps.choices if (o := steps.outcome(t, state, v)).kind == "step"]
        state = chance.choice(found) if found and chance.random() < 0.97 else model.initial[0]


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", RANDOM)
def test_z3_agrees_on_random_states_and_moves(name: str, share: int) -> None:
    """In all 20,000 pairs; half of the moves are possible ones, each action equally likely."""
    seed = f"{name} {share}"
    chance, kinds, taken = random.Random(seed), Counter[str](), set[str]()
    numbers = list(Numbers)[share % 2]
    every = [(n, t, values) for n, t in enumerate(system(name).transitions) for _, values in t.moves()]
    states = random_states(name, seed)
    while kinds.total() < PAIRS // (SHARES * len(RANDOM)):
        state = next(states)
        possible: dict[str, list[tuple[int, Transition, dict[str, int]]]] = {}
        for number, t, values in every:
            if functions(name).outcome(t, state, values).kind != "disabled":
                possible.setdefault(t.action.name, []).append((number, t, values))
        chosen = chance.sample(every, 2)
        chosen += [chance.choice(possible[chance.choice(list(possible))]) for _ in range(2 if possible else 0)]
        for number, t, values in chosen:
            found = check(name, numbers, number, t, state, values)
            kinds[found.kind] += 1
            if found.kind == "step":
                taken.add(t.action.name)
    assert kinds["step"] > 200 and kinds["disabled"] > 200 and len(taken) > 5


def test_the_comparison_notices_a_wrong_update() -> None:
    name, numbers = "two-phase-commit", Numbers.BITS
    model, state = system(name), system(name).initial[0]
    for number, t in enumerate(model.transitions):
        for _, values in t.moves():
            found = run(model, model.build(state), t, values)
            if found.kind == "step":
                wrong = found._replace(after=(*found.after[:-1], 1 - found.after[-1]))
                assert not z3_steps(name, numbers).agrees(number, state, values, wrong)
            assert not z3_steps(name, numbers).agrees(number, state, values, Outcome("fault"))
