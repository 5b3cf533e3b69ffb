"""A scenario of the original, explored once; and what a mutant does in it that the original does not.

A mutant shares the original's graph, so a step that it takes alike is the same node. Where none of the states that the
original reaches takes a step otherwise, both reach the same states, and nothing is searched.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

import numpy as np

from podproof.checker.arrays import Int64s
from podproof.checker.core.graph import Expr, Graph, Line, Op, variables_below
from podproof.checker.core.system import (
    AFTER,
    NO_LIMITS,
    CheckerError,
    Limits,
    LoweredProperty,
    Move,
    Property,
    Status,
    System,
    Trace,
    Transition,
)
from podproof.checker.difference.transitions import differs, paired
from podproof.checker.engines.compiled.codegen import generate
from podproof.checker.engines.compiled.machine import Batch, Functions, Statistics, compile_module
from podproof.checker.engines.compiled.search import Search
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.lowering.claims import answers, lower_properties
from podproof.checker.reductions import (
    REDUCTIONS,
    Plan,
    changing,
    plan,
    relevant_variables,
    unchanging_variables,
    with_values,
)
from podproof.checker.reductions.symmetry import Names, NotSymmetric, Quotient, quotient

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Question:
    """What is asked of the model in one scenario."""

    system: System
    claims: tuple[LoweredProperty, ...]
    interchangeable: Sequence[Names]
    observable: tuple[str, ...]
    """The variables that can be seen of a worker."""
    queries: tuple[tuple[str, int], ...]
    """The methods that others call for an answer, and of how many indices each can be asked."""
    about_runs: tuple[Property, ...] = ()
    """The liveness properties."""

    @cached_property
    def properties(self) -> tuple[Property, ...]:
        return tuple(p.property for p in self.claims)


class EarlyExitSearch(Search):
    """A search that is over soon after it has seen one of some claims violated."""

    def __init__(self, reduced: Plan, limits: Limits, sought: frozenset[int] = frozenset(), enough: int = 0) -> None:
        """`sought` are claims by their numbers; so many states are stored before one of them ends the search."""
        super().__init__(reduced.system, reduced.properties, reduced.keep, limits)
        self.plan_made, self.sought, self.enough = reduced, sought, enough
        self.is_over = False

    def _check_limits_and_report(self) -> None:
        super()._check_limits_and_report()
        if self.count >= self.enough and not self.reason and not self.sought.isdisjoint(self.found()):
            self.is_over, self.reason = True, "a claim is violated"

    def go_beyond(self, scenario: ExploredScenario, origins: Int64s) -> None:
        """Search what the steps of some of the original's states lead to, and go on from there.

        What it finds may be out of reach: a state of the original's need not be one of this system's. Where it finds
        no violation there is none.
        """
        self.restore(scenario.search.states, scenario.search.parents)
        batch, states = self.batches[0], self.store.states
        for first in range(0, len(origins), batch.certain):
            if self.reason:
                return
            some = origins[first : first + batch.certain]
            batch.fill_all(self.functions, np.ascontiguousarray(states[some]), 0, len(some))
            batch.origins[: batch.ready] = some[batch.origins[: batch.ready]]
            batch.seen[:] = -1
            self._make_room(batch.ready)
            states = self.store.states
            if not self.reason:
                self._insert(batch)
        self.cursor = scenario.count
        self.run(None)

    def found(self) -> Mapping[int, int]:
        """The claims that a state or a step decides, by their numbers, and the number of that state: nearest first."""
        nearest_first = sorted(self.deciders().items(), key=lambda item: (item[1][0], item[0]))
        return {claim: index for claim, (index, *_) in nearest_first}

    def trace(self, claim: int) -> Trace:
        """A shortest trace that decides a claim, of the system as it was before it was reduced."""
        return self.plan_made.translate(self.plan_made.asked[claim], self.traces().trace(*self.deciders()[claim]))


class ExploredScenario:
    """A scenario of the original, with all its states."""

    def __init__(self, question: Question) -> None:
        """Explore it. Raises CheckerError where it is too large, OutOfRange where the model goes wrong."""
        self.question, self.system = question, question.system
        self.values = unchanging_variables(self.system)
        reduced = plan(self.system, question.claims, tuple(REDUCTIONS), question.interchangeable)
        seen = [path for path in question.observable if path not in self.values]
        keep = relevant_variables(reduced.system, reduced.properties, seen) - self.values.keys()
        self.reduced = dataclasses.replace(reduced, keep=reduced.keep | keep)
        self.search = EarlyExitSearch(self.reduced, NO_LIMITS)
        self.search.run(None)
        if self.search.interrupted:
            raise KeyboardInterrupt
        if self.search.reason:
            raise CheckerError(f"{self.system.name}: {self.search.reason}; choose smaller scenarios (--scenario)")
        found = self.search.found()
        self.status = tuple(
            Status.HOLDS if (i in found) == p.property.is_witnessed else Status.VIOLATED
            for i, p in enumerate(question.claims)
        )
        self.answers = query_graphs(self.system, question.queries)

    @property
    def name(self) -> str:
        return self.system.scenario

    @property
    def count(self) -> int:
        return self.search.count

    @property
    def merges_names(self) -> bool:
        """Do states count as one that differ by an exchange of pods?"""
        return isinstance(self.reduced.system, Quotient)

    def put(self, nodes: Sequence[Expr]) -> list[Expr]:
        """The expressions with the values of the variables that never change."""
        return self.system.graph.substitute(nodes, self.values)

    def nearest(self, conditions: Sequence[Expr]) -> list[int | None] | None:
        """For each condition the first state of the original that meets it; None where a state does not tell.

        States are stored without what matters to nobody, and a mutant may care.
        """
        conditions = self.put(conditions)
        if not variables_below(conditions) <= self.search.layout.fields.keys():
            return None
        claims = [LoweredProperty(Property(str(i), "sometimes", ""), state=node) for i, node in enumerate(conditions)]
        program = generate(dataclasses.replace(self.reduced.system, transitions=()), claims, self.search.layout)
        code = compile_module(program.text, quick=True)
        functions = Functions(code.address("expand"), code.address("examine"))
        statistics = Statistics(program)
        batch = Batch(program, statistics.pending_states)
        for first in range(0, self.count, _CHUNK):
            statistics.examine(functions, first, self.search.states[first : first + _CHUNK], batch)
            if not statistics.pending_states.any():
                break
        found = statistics.found_states.tolist()
        return [found[i] if found[i] >= 0 else None for i in range(len(conditions))]

    def where(self, condition: Expr) -> Int64s | None:
        """The numbers of the states that meet a condition; None where a state does not tell."""
        (condition,) = self.put([condition])
        if not variables_below([condition]) <= self.search.layout.fields.keys():
            return None
        t = self.reduced.system.transitions[0]
        if condition is self.system.graph.false:
            return np.zeros(0, np.int64)
        marks = dataclasses.replace(
            t, fixed={}, free=(), enabled=condition, updates={}, lines={}, bounds={}, faults={}, stores={}
        )
        program = generate(dataclasses.replace(self.reduced.system, transitions=(marks,)), (), self.search.layout)
        code = compile_module(program.text, quick=True)
        functions = Functions(code.address("expand"), code.address("examine"))
        batch = Batch(program, Statistics(program).pending_states)
        found, first = [], 0
        while first < self.count:
            batch.fill_all(functions, self.search.states, first, self.count)
            found.append(batch.origins[: batch.ready].astype(np.int64))
            first = batch.next
        return np.concatenate(found)

    def reduce(self, system: System, claims: tuple[LoweredProperty, ...]) -> Plan | None:
        """A mutant reduced just as the original is, so that both have the same states; None where it cannot be."""
        values = self.values
        pairs = zip(self.system.transitions, system.transitions, strict=True)
        mutated = dataclasses.replace(system, transitions=tuple(other for t, other in pairs if t is not other))
        if any(changing(mutated, values)):
            return None
        smaller, fit = with_values(system, claims, values)
        if self.merges_names:
            try:
                smaller, fit = quotient(smaller, fit, self.question.interchangeable)
            except NotSymmetric:
                return None
        if not relevant_variables(smaller, fit) - values.keys() <= self.reduced.keep:
            return None
        return Plan(system, claims, smaller, fit, self.reduced.keep, ())

    @cached_property
    def witnesses(self) -> Mapping[int, Trace]:
        """A shortest trace for each witness that there is."""
        found = self.search.found()
        return {
            i: self.search.trace(i)
            for i, p in enumerate(self.question.claims)
            if p.property.is_witnessed and i in found
        }

    @cached_property
    def kept_in_runs(self) -> tuple[Property, ...]:
        """The liveness properties that the original keeps."""
        found = RunChecker(self.system, needs=False).decide(self.question.about_runs)
        return tuple(v.property for v in found.verdicts if v.status is Status.HOLDS and v.is_vacuous is False)

    def trace_to(self, state: int) -> Trace:
        return self.search.traces().trace(state)


def query_graphs(system: System, queries: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Expr]:
    """What the queries answer about every index."""
    return {(name, i): answers(system, [name], i)[0].node for name, size in queries for i in range(size)}


def lower_claims_again(
    scenario: ExploredScenario, system: System, lines: frozenset[Line], is_vocabulary: bool
) -> tuple[LoweredProperty, ...]:
    """The claims over a system that has some other transitions; those that read these lines are lowered anew."""
    changed = [
        i
        for i, (t, other) in enumerate(zip(scenario.system.transitions, system.transitions, strict=True))
        if t is not other
    ]
    part = dataclasses.replace(system, transitions=tuple(system.transitions[i] for i in changed))
    graph, unchanged = system.graph, system.nodes()
    put = {
        i: {AFTER + path: system.transitions[i].updates.get(path, node) for path, node in unchanged.items()}
        for i in changed
    }
    found: list[LoweredProperty] = []
    for p in scenario.question.claims:
        if not is_vocabulary and not lines.isdisjoint(p.source):
            found += lower_properties(system, [p.property])
        elif p.steps is None:
            found.append(p)
        else:
            if p.both is None:
                fresh = lower_properties(part, [p.property])[0].steps or ()
            else:
                fresh = tuple(
                    graph.not_(graph.substitute([p.both], put[i])[0])
                    if p.property.is_about(system.transitions[i].action)
                    else graph.false
                    for i in changed
                )
            steps = list(p.steps)
            for i, node in zip(changed, fresh, strict=True):
                steps[i] = node
            found.append(dataclasses.replace(p, steps=tuple(steps)))
    return tuple(found)


@dataclass(frozen=True)
class StepDifference:
    """An event that a mutant may answer otherwise than the original, with when."""

    event: str
    move: Move | None
    """None for a query."""
    differs: Expr
    is_seen: Expr
    """When the difference can be seen at once."""


def step_differences(scenario: ExploredScenario, system: System) -> Iterator[StepDifference]:
    """Every event and query that a mutant's system may answer otherwise."""
    graph = system.graph
    relevant = frozenset(scenario.question.observable) | relevant_variables(system, scenario.question.claims)
    for t, other in zip(scenario.system.transitions, system.transitions, strict=True):
        if t is other:
            continue
        differs, is_seen = _differing(graph, scenario, t, other, relevant)
        for move in t.moves() if differs is not graph.false else ():
            constants = {p.name: graph.constant(p.is_bool, move.values[p.name]) for p in t.free}
            both = graph.substitute([differs, is_seen], constants, Op.PARAM)
            if both[0] is not graph.false:
                yield StepDifference(t.action.event(move.values), move, both[0], both[1])
    now = query_graphs(system, scenario.question.queries)
    for (name, index), node in now.items():
        unlike = graph.not_(graph.eq(node, scenario.answers[name, index]))
        if unlike is not graph.false:
            yield StepDifference(f"{name}({index})", None, unlike, unlike)


def _differing(
    graph: Graph, scenario: ExploredScenario, t: Transition, other: Transition, relevant: frozenset[str]
) -> tuple[Expr, Expr]:
    """When two transitions do not do the same; and when that can be seen at once."""
    variables = scenario.system.nodes()
    unlike, loud = [], []
    for path in dict.fromkeys((*t.updates, *other.updates)):
        x, y = (one.updates.get(path, variables[path]) for one in (t, other))
        if x is not y and path in relevant:
            unlike.append(graph.not_(graph.eq(x, y)))
            if path in scenario.question.observable:
                loud.append(unlike[-1])
    unlike += [graph.not_(graph.eq(x, y)) for x, y in paired(graph, t.lines, other.lines)]
    return differs(graph, t, other, unlike), differs(graph, t, other, loud)


def is_alike(t: Transition, other: Transition) -> bool:
    """Do two transitions say the same, node by node?"""
    what = attrgetter("enabled", "updates", "lines", "bounds", "faults")
    return bool(what(t) == what(other))


def shape_of(t: Transition) -> tuple[object, ...]:
    return t.action.name, tuple(t.fixed.items()), tuple((p.name, p.values) for p in t.free)
