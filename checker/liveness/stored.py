"""Liveness properties on the stored states of a compiled search."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podproof.checker.arrays import Bools, Int32s, Int64s, Numbers
from podproof.checker.core.graph import Expr, variables_below
from podproof.checker.core.system import Exploration, Limits, Move, OnProgress, State, System
from podproof.checker.engines.compiled import processors
from podproof.checker.engines.compiled.machine import loops_for
from podproof.checker.engines.compiled.search import Search
from podproof.checker.liveness.components import Components, components_of, fair_components
from podproof.checker.liveness.groups import FairGroup
from podproof.checker.liveness.loop import Component, shortest_loop
from podproof.checker.liveness.run_graph import RunGraph, StateValues, integer, reach, run_graph, steps_from
from podproof.checker.lowering.claims import Case
from podproof.checker.reductions import relevant_variables, unchanging_variables, with_values


@dataclass(frozen=True)
class FoundRun:
    """A fair run that breaks a claim, as the moves to a state and from there back to it."""

    initial: State
    prefix: Sequence[Move]
    loop: Sequence[Move]
    waiting: int
    """The state, counted from the initial one, from which on the goal is waited for."""
    no_return: int | None
    """The first state from which no fair run fulfils the claim any more; None where even the last one leaves hope, or
    nobody asked.
    """


@dataclass(frozen=True)
class Answer:
    """What was found out about one case of a claim."""

    run: FoundRun | None
    is_asked: bool
    """Does the premise ever hold?"""
    is_cut_off: bool
    """Does a bound cut off an obligatory step while the goal is waited for?"""


@dataclass(frozen=True)
class Slice:
    """What of a system matters to its runs."""

    system: System
    """The system without the variables that never change."""
    values: Mapping[str, Expr]
    """What these are."""
    keep: frozenset[str]
    """The variables that matter."""
    reductions: tuple[str, ...]
    """What was left out, in words."""


def slice_of_runs(
    system: System, cases: Sequence[Case], groups: Sequence[FairGroup], reductions: Collection[str]
) -> Slice:
    """The system without variables that matter neither to these cases nor to fairness."""
    values = unchanging_variables(system) if "constants" in reductions else {}
    smaller, _ = with_values(system, (), values)
    moves = [move for t in system.transitions for move in t.moves()]
    obligation = [g.obligation(system, move) for g in groups if g.condition.when for move in moves if g.has(move)]
    read = variables_below([*(node for case in cases for node in (case.premise, case.goal)), *obligation])
    changing = {v.path for v in system.variables} - values.keys()
    relevant = relevant_variables(smaller, (), also=read) if "slicing" in reductions else changing
    keep = frozenset(changing & relevant)
    why = {"never change": len(values)}
    why["matter to no guard and no claim"] = len(system.variables) - len(values) - len(keep)
    of = f"of {len(system.variables)} variables"
    told = tuple(f"{count} {of} {text} and are left out" for text, count in why.items() if count)
    return Slice(smaller, values, keep, told)


class StoredRuns:
    """All runs of a system, within its bounds."""

    def __init__(
        self,
        system: System,
        cases: Sequence[Case],
        groups: Sequence[FairGroup],
        limits: Limits,
        reductions: Collection[str],
        progress: OnProgress | None,
    ) -> None:
        sliced = slice_of_runs(system, cases, groups, reductions)
        values, smaller, self.reductions = sliced.values, sliced.system, sliced.reductions
        self._search = Search(smaller, (), sliced.keep, limits, processors())
        self._search.run(progress)
        self._groups, self._system = groups, smaller
        constants = {path: bool(node.value) if node.is_bool else int(node.value or 0) for path, node in values.items()}
        self._values = StateValues(self._search, constants)

    @property
    def exploration(self) -> Exploration:
        return self._search.result()

    @cached_property
    def graph(self) -> RunGraph:
        return run_graph(self._system, self._search, self._groups, self._values)

    def in_vain(self, groups: Collection[FairGroup]) -> RunGraph:
        """The graph, in which only these groups are obligations."""
        mask = np.zeros_like(self.graph.weak)
        for i, group in enumerate(self._groups):
            if group in groups:
                mask[i // 64] |= np.uint64(1 << i % 64)
        return dataclasses.replace(self.graph, weak=self.graph.weak & mask, strong=self.graph.strong & mask)

    def waiting(self, case: Case) -> WaitingRuns:
        premise, goal = self._values.of(case.premise), self._values.of(case.goal)
        waits = premise & ~goal
        depth, via = _ways(self.graph, waits, ~goal)
        return WaitingRuns(self, premise, goal, depth, via, components_of(self.graph, depth >= 0))


@dataclass(frozen=True, eq=False)
class WaitingRuns:
    """The runs in which one goal is waited for, whatever fairness obliges.

    `depth` is how many steps it takes to come to a state through one where the premise holds and then without the goal,
    or -1, `via` the last of them, and `components` are those of these states.
    """

    runs: StoredRuns
    premise: Bools
    goal: Bools
    depth: Int32s
    via: Int64s
    components: Components

    def answer(self, groups: Collection[FairGroup], is_thorough: bool = True) -> Answer:
        """Does every run that is fair to these groups reach the goal after the premise?

        Otherwise any loop will do where it is not thorough, and nothing is said of the point of no return.
        """
        graph, depth = self.runs.in_vain(groups), self.depth
        fair = fair_components(graph, self.components)
        is_cut_off = bool(graph.cut_off[self.components.component >= 0].any())
        if not (fair >= 0).any():
            return Answer(None, bool(self.premise.any()), is_cut_off)
        nearest = np.flatnonzero((fair >= 0) & (depth == depth[fair >= 0].min()))
        loops = []
        for state in nearest[: _MOST_ENDS if is_thorough else 1].tolist():
            component = _component(graph, fair, state)
            loops.append((state, shortest_loop(component, state)))
            if not loops[-1][1]:
                break
        end, loop = min(loops, key=lambda pair: len(pair[1]))
        hopeful = _hopeful(graph, self.premise, self.goal) if is_thorough else None
        return Answer(self._run(graph, end, loop, hopeful), True, is_cut_off)

    def _run(self, graph: RunGraph, end: int, loop: Sequence[int], hopeful: tuple[Bools, Bools] | None) -> FoundRun:
        """The way to the end of the prefix: shortest to where the waiting begins, and on without the goal."""
        way, state, via = list[int](), end, self.via
        while via[state] >= 0:
            way.append(int(via[state]))
            state = int(graph.sources[way[-1]])
        waiting = int(graph.depth[state])
        while graph.via[state] >= 0:
            way.append(int(graph.via[state]))
            state = int(graph.sources[way[-1]])
        way.reverse()
        states = [state, *(int(graph.targets[step]) for step in way)]
        is_waiting, no_return = False, None
        for i, one in enumerate(states):
            is_waiting = bool(~self.goal[one] & (is_waiting | self.premise[one]))
            if hopeful is not None and not hopeful[int(is_waiting)][one]:
                no_return = i
                break
        moves = graph.move
        return FoundRun(
            graph.initial[state], [moves(step) for step in way], [moves(step) for step in loop], waiting, no_return
        )


_MOST_ENDS = 32
"""Ends of shortest prefixes that are tried for a shorter loop."""


def _ways(graph: RunGraph, starts: Bools, within: Bools) -> tuple[Int32s, Int64s]:
    """How many steps it takes to each state through a start and then only within some states, and the last of them.

    At a start itself the last step is -1: the way to it is a shortest one to that state.
    """
    depth, via = np.full(graph.size, -1, np.int32), np.full(graph.size, -1, np.int64)
    pending = np.flatnonzero(starts)
    pending = pending[np.argsort(graph.depth[pending], kind="stable")]
    levels, level, taken = graph.depth[pending], 0, 0
    frontier: Numbers = np.zeros(0, np.int64)
    while len(frontier) or taken < len(pending):
        level = level if len(frontier) else int(levels[taken])
        upto = int(np.searchsorted(levels, level, side="right"))
        new = pending[taken:upto]
        new, taken = new[depth[new] < 0], upto
        depth[new] = level
        frontier = np.concatenate([frontier, new])
        steps = steps_from(graph.first, frontier)
        targets = graph.targets[steps]
        steps = steps[(depth[targets] < 0) & within[targets]]
        frontier = reach(graph.targets[steps], steps, via)
        level += 1
        depth[frontier] = level
    return depth, via


def _component(graph: RunGraph, fair: Int32s, state: int) -> Component:
    members = np.flatnonzero(fair == fair[state])
    steps: dict[int, list[tuple[int, int, int]]] = {int(one): [] for one in members}
    for step in steps_from(graph.first, members).tolist():
        source, target = int(graph.sources[step]), int(graph.targets[step])
        if fair[target] == fair[state]:
            steps[source].append((integer(graph.discharges[graph.labels[step]]), target, step))
    enabled = {one: integer(graph.enabled[one]) for one in steps}
    return Component(steps, enabled, integer(graph.weak), integer(graph.strong))


def _hopeful(graph: RunGraph, premise: Bools, goal: Bools) -> tuple[Bools, Bools]:
    """For each state without and with the goal being waited for: does some fair run from there fulfil the claim?

    Every way can be made a fair run. So it does where a way leads to a fair component in which nothing is waited for
    again and again, and what is waited for when it comes there is reached.
    """
    waits = premise & ~goal
    fair = fair_components(graph, components_of(graph, np.ones(graph.size, bool)), (waits, goal))
    reaches = np.isin(fair, fair[goal]) & (fair >= 0)
    # What lies beyond a bound may be a way out.
    calm, pending = ((fair >= 0) | graph.cut_off) & ~waits, (reaches | graph.cut_off) & ~goal
    first, sources = np.cumsum(np.bincount(graph.targets, minlength=graph.size + 1)), np.empty_like(graph.targets)
    loops_for(0).turn_round(graph.first, graph.targets, graph.size, first, sources)

    def before(states: Numbers) -> Int32s:
        return sources[steps_from(first, states)]

    new: list[Numbers] = [np.flatnonzero(calm), np.flatnonzero(pending)]
    while len(new[0]) or len(new[1]):
        # Who is where nothing is waited for came there without waiting, or reached the goal by coming there.
        to_calm = np.concatenate([before(new[0]), before(new[1][waits[new[1]]])])
        to_pending = np.concatenate([before(new[0][goal[new[0]]]), before(new[1])])
        new = [_enter(calm, to_calm[~waits[to_calm]]), _enter(pending, to_pending[~goal[to_pending]])]
    return calm, pending


def _enter(known: Bools, states: Int32s) -> Int32s:
    """Add states, by number, to a set with a bool for each; those that are new."""
    states = np.sort(states[~known[states]])
    known[states] = True
    return states[np.diff(states, prepend=-1) > 0]
