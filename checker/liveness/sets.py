"""Claims about runs on sets of states: whether a fair run stays somewhere for ever, as a greatest fixpoint.

The states from which a run can do so are what is left when those are taken away, again and again, that owe something
and cannot come to where it is paid, or for weak fairness not possible. Every last strong component of what is left is
fair. So decide Emerson and Lei, and for strong fairness Kesten, Pnueli and Raviv. A run may rest in any state.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import and_, or_
from typing import NamedTuple

from oxidd.bcdd import BCDDFunction as Diagram
from oxidd.util import DDMemoryError

from podproof.checker.core.graph import Expr, substitution
from podproof.checker.core.system import EngineFault, Exploration, Limits, Move, OnProgress, System
from podproof.checker.engines import LimitReached
from podproof.checker.engines.diagrams import Diagrams, JointRelation, MoveRelation, SetSearch
from podproof.checker.liveness.groups import FairGroup
from podproof.checker.liveness.loop import Component, Edge, shortest_loop
from podproof.checker.liveness.stored import Answer, FoundRun, slice_of_runs
from podproof.checker.lowering.claims import Case

_MOST_TRIED = 16
"""States nearest to the start of which it is asked whether a fair run can come back there."""
_MOST_LISTED = 500
"""States of a component that are gone through one by one for its shortest loop."""


class SetRuns:
    """All runs of a system, within its bounds."""

    def __init__(
        self,
        system: System,
        cases: Sequence[Case],
        groups: Sequence[FairGroup],
        limits: Limits,
        reductions: Collection[str],
        progress: OnProgress | None,
        memory: int | None = None,
    ) -> None:
        sliced = slice_of_runs(system, cases, groups, reductions)
        self.reductions, self._groups = sliced.reductions, groups
        self._put = substitution(system.graph, sliced.values)
        search = Diagrams(memory).search(sliced.system, (), sliced.keep, limits)
        assert isinstance(search, SetSearch)
        self._search, self._progress = search, progress
        self._sets: FairSets | None = None
        search.run(progress)

    @property
    def exploration(self) -> Exploration:
        return self._search.result()

    def answer(self, case: Case, owed: Collection[FairGroup], is_thorough: bool) -> Answer:
        """Does every run that is fair to these groups reach the goal after the premise?

        As of `WaitingRuns`, but for a run that need not be a shortest one. Raises LimitReached, and OutOfRoom.
        """
        while True:
            with suppress(DDMemoryError):
                if self._sets is None:
                    self._sets = FairSets(self._search, self._groups, self._put)
                return self._sets.answer(case, owed, is_thorough)
            self._sets = None
            self._search.run_with_more_room(self._progress)
            if self._search.interrupted:
                raise KeyboardInterrupt
            if self._search.reason:
                raise LimitReached(self._search.reason)


Way = Callable[[JointRelation, Diagram], Diagram]
"""Where steps lead from some states, or from where they lead there."""


@dataclass(frozen=True, eq=False)
class Debt:
    """What a fair run owes: one of some steps, wherever one is possible."""

    is_strong: bool
    possible: Diagram
    """Where one of them can be taken, or a bound cuts one off."""
    paying: Sequence[JointRelation] = ()


@dataclass(frozen=True, eq=False)
class PayingMove:
    """One choice of an action's parameters."""

    move: Move
    steps: JointRelation
    pays: Mapping[FairGroup, Diagram]
    """In which states it pays which group."""


class FairSets:
    """What runs there are, as sets of a finished search."""

    def __init__(
        self, search: SetSearch, groups: Sequence[FairGroup], put: Callable[[Sequence[Expr]], list[Expr]]
    ) -> None:
        self.search, self.groups, self._put = search, groups, put
        self.moves = list(map(self._move, search.relations))
        self.cut_off = search.false
        """Where a bound cuts off a step that is owed."""
        self.debts = {group: self._debt(group) for group in groups}
        self._waiting = dict[tuple[Diagram, Diagram], Diagram]()

    def _truth(self, node: Expr) -> Diagram:
        return self.search.truth(*self._put([node]))

    def _promised(self, group: FairGroup, move: Move) -> Diagram:
        return self._truth(group.promised(self.search.system, move))

    def _move(self, relation: MoveRelation) -> PayingMove:
        pays = {g: self._promised(g, relation.move) & relation.possible for g in self.groups if g.has(relation.move)}
        (steps,) = self.search.together([relation])
        return PayingMove(relation.move, steps, pays)

    def _debt(self, group: FairGroup) -> Debt:
        possible, paying = self.search.false, list[MoveRelation]()
        for relation, pays in zip(self.search.relations, (move.pays for move in self.moves), strict=True):
            if group in pays:
                possible |= pays[group]
                paying.append(replace(relation, steps=relation.steps & pays[group]))
        for move, _, states in self.search.cut:
            if group.has(move):
                owed = states & self._promised(group, move)
                self.cut_off |= owed
                possible |= owed
        return Debt(group.is_strong, possible, self.search.together(paying))

    def answer(self, case: Case, owed: Collection[FairGroup], is_thorough: bool) -> Answer:
        premise, goal = (self._truth(node) & self.search.reached for node in (case.premise, case.goal))
        waits = premise & ~goal
        if (waits, goal) not in self._waiting:
            self._waiting[waits, goal] = self.closure(waits, ~goal, JointRelation.image)
        waiting = self._waiting[waits, goal]
        debts = {group: self.debts[group] for group in self.groups if group in owed}
        fair, is_cut_off = self.fair(waiting, debts.values()), (waiting & self.cut_off).satisfiable()
        run = WaitingSets(self, waits, goal, debts).run(fair, is_thorough) if fair.satisfiable() else None
        return Answer(run, premise.satisfiable(), is_cut_off)

    # -- sets ----------------------------------------------------------------------------------------------------------

    def closure(self, found: Diagram, within: Diagram, way: Way, wanted: Diagram | None = None) -> Diagram:
        """What is reached from some states through others: all of it, or more and more until nothing wanted is left."""
        before, wanted = self.search.false, within if wanted is None else wanted
        while found != before and (wanted & ~found).satisfiable():
            before = found
            for steps in self.search.steps:
                self.search.look_at_the_limits()
                found |= way(steps, found) & within
        return found

    def fair(self, within: Diagram, debts: Collection[Debt], way: Way = JointRelation.preimage) -> Diagram:
        """Without the states that owe something, and from which nothing leads within to where that is settled.

        From each state that is left a fair run can stay within for ever. The other `way` round it is the states that
        come from where everything is settled. Either way none is lost to which a fair run comes back for ever.
        """
        kept = 0
        for debt in itertools.cycle(debts):
            if kept == len(debts) or not within.satisfiable():
                break
            paid = self.search.false
            for steps in debt.paying:
                paid |= way(steps, within) & within
            owing = within & debt.possible & ~paid
            stuck = owing & ~self.closure(paid if debt.is_strong else within & ~owing, within, way, owing)
            within, kept = within & ~stuck, 0 if stuck.satisfiable() else kept + 1
        return within

    def fair_component(self, state: Diagram, within: Diagram, debts: Collection[Debt]) -> Diagram:
        """The states among which a fair run from one of them goes round and comes back to it; empty if none does."""
        while True:
            component = self.closure(state, self.closure(state, within, JointRelation.image), JointRelation.preimage)
            within = self.fair(component, debts)
            if within == component:
                return component
            if not (within & state).satisfiable():
                return self.search.false

    def last_component(self, state: Diagram, within: Diagram) -> Diagram:
        """Strongly connected states that are reached from one, and from which nothing leads to others within."""
        while True:
            beyond = self.closure(state, within, JointRelation.image)
            others = beyond & ~self.closure(state, beyond, JointRelation.preimage)
            if not others.satisfiable():
                return beyond
            state = self.pick(others)

    def successors(self, states: Diagram) -> Diagram:
        return reduce(or_, (steps.image(states) for steps in self.search.steps), self.search.false)

    def step_to(self, state: Diagram, *sources: Diagram) -> tuple[Move, Diagram]:
        """Some move that leads to a state from one in the first set from which one does, and where from."""
        for states, move in itertools.product(sources, self.moves):
            before = move.steps.preimage(state) & states
            if before.satisfiable():
                return move.move, self.pick(before)
        raise EngineFault(f"{self.search.system.name}: no step leads to a state that was reached")

    def pick(self, states: Diagram) -> Diagram:
        """One of these states."""
        values = self.search.pick(states)
        return reduce(and_, (bits.values[values[path]] for path, bits in self.search.bits.items()), self.search.true)

    @cached_property
    def pending(self) -> Diagram:
        """A bit beside those of a state: is the goal being waited for?"""
        (bit,) = self.search.manager.add_vars(1)
        return self.search.manager.var(bit)


class _Layer(NamedTuple):
    """What is so many steps away from the start, and no fewer."""

    new: Diagram
    pending: Diagram
    """States in which the goal is waited for then."""


@dataclass(frozen=True, eq=False)
class WaitingSets:
    """The runs in which one goal is waited for, and what they owe."""

    sets: FairSets
    waits: Diagram
    """Where the waiting begins."""
    goal: Diagram
    debts: Mapping[FairGroup, Debt]

    def run(self, fair: Diagram, is_thorough: bool) -> FoundRun:
        """One that stays among the fair states: a shortest way to a loop, if the answer is to be thorough."""
        layers = list[_Layer]()
        end, component, is_shortest = self._end(layers, fair, is_thorough)
        loop = self._loop(component, end)
        path, moves, waiting = self._prefix(layers, end)
        search = self.sets.search
        initial = next(s for s in search.system.initial if (search.cube_of(s) & path[0]).satisfiable())
        return FoundRun(initial, moves, loop, waiting, self._no_return(path) if is_thorough else None, is_shortest)

    def _layers(self) -> Iterator[_Layer]:
        new = known = self.sets.search.start
        pending = known_pending = new & self.waits
        while True:
            yield _Layer(new, pending)
            self.sets.search.look_at_the_limits()
            new, pending = self.sets.successors(new) & ~known, self.sets.successors(pending) & ~self.goal
            pending = (pending | new & self.waits) & ~known_pending
            known, known_pending = known | new, known_pending | pending

    def _end(self, layers: list[_Layer], fair: Diagram, is_thorough: bool) -> tuple[Diagram, Diagram, bool]:
        """A state in which a fair run rests or to which it comes back for ever, and the states of its loop.

        The last says whether there is none nearer to the start. The layers up to there are added to the list.
        """
        sets, debts, tried = self.sets, self.debts.values(), 0
        near = last = sets.search.false
        if not is_thorough:
            near = reduce(and_, (~debt.possible for debt in debts), fair)
        rests = near.satisfiable()
        if not rests:
            near = sets.fair(fair, debts, JointRelation.image)
        for layer in self._layers():
            layers.append(layer)
            while (here := layer.pending & near).satisfiable():
                end = sets.pick(here)
                if rests or last.satisfiable():
                    return end, end if rests else last, False
                if tried == _MOST_TRIED:
                    near = last = sets.last_component(end, fair)
                    continue
                component = sets.fair_component(end, near, debts)
                if component.satisfiable():
                    return end, component, True
                near, tried = near & ~end, tried + 1
        raise AssertionError("there are layers until one has such a state")

    def _prefix(self, layers: Sequence[_Layer], end: Diagram) -> tuple[list[Diagram], list[Move], int]:
        """The states on the way to one in the last layer, the moves between them, and where the waiting begins."""
        path, moves, waiting = [end], list[Move](), len(layers) - 1
        for at, layer in reversed(list(enumerate(layers[:-1]))):
            is_waiting = waiting == at + 1
            move, state = self.sets.step_to(path[-1], *([layer.pending] if is_waiting else []), layer.new)
            waiting = at if is_waiting and (state & layer.pending).satisfiable() else waiting
            path.append(state)
            moves.append(move)
        return path[::-1], moves[::-1], waiting

    def _no_return(self, path: Sequence[Diagram]) -> int | None:
        """The first state on a path from which no fair run fulfils the claim any more.

        That is asked of states together with whether the goal is being waited for: a run fulfils the claim where it is
        not waited for again and again. What lies beyond a bound may be a way out.
        """
        pending, waits, goal, nodes, is_pending = self.sets.pending, self.waits, self.goal, list[Diagram](), False
        for state in path:
            is_pending = not (state & goal).satisfiable() and (is_pending or (state & waits).satisfiable())
            nodes.append(state & (pending if is_pending else ~pending))

        def before(steps: JointRelation, after: Diagram) -> Diagram:
            waited, calm = ((after & is_so).exists(pending) for is_so in (pending, ~pending))
            return steps.preimage(pending.ite(goal.ite(calm, waited), waits.ite(waited, calm)))

        every = self.sets.search.reached & pending.ite(~goal, ~waits)
        debts = [*self.debts.values(), Debt(is_strong=False, possible=pending)]
        hopeful = self.sets.fair(every, debts, before) | every & self.sets.cut_off
        hopeful = self.sets.closure(hopeful, every, before, reduce(or_, nodes))
        return next((i for i, node in enumerate(nodes) if not (node & hopeful).satisfiable()), None)

    def _loop(self, component: Diagram, start: Diagram) -> list[Move]:
        """From a state back to it, with every debt paid: a shortest way where the component has few states."""
        if self.sets.search.size(component) > _MOST_LISTED:
            return self._tour(component, start)
        bits = {group: 1 << i for i, group in enumerate(self.debts)}
        numbers, states, moves, listed = {start: 0}, [start], list[Move](), dict[int, list[Edge]]()
        enabled = dict[int, int]()
        for number, state in enumerate(states):
            listed[number] = []
            enabled[number] = sum(bits[g] for g, debt in self.debts.items() if (debt.possible & state).satisfiable())
            for move in self.sets.moves:
                target = move.steps.image(state) & component
                if target.satisfiable():
                    if target not in numbers:
                        numbers[target] = len(states)
                        states.append(target)
                    pays = sum(bits[group] for group in self._paid(move, state))
                    listed[number].append((pays, numbers[target], len(moves)))
                    moves.append(move.move)
        weak, strong = (sum(bits[g] for g in bits if g.is_strong is is_strong) for is_strong in (False, True))
        return [moves[number] for number in shortest_loop(Component(listed, enabled, weak, strong), 0)]

    def _paid(self, move: PayingMove, state: Diagram) -> list[FairGroup]:
        return [group for group, states in move.pays.items() if group in self.debts and (states & state).satisfiable()]

    def _tour(self, component: Diagram, start: Diagram) -> list[Move]:
        """Through something for every group that is possible anywhere among these states, and back."""
        sets, loop, state, left = self.sets, list[Move](), start, dict[FairGroup, Diagram]()
        for group, debt in self.debts.items():
            if (debt.possible & component).satisfiable():
                paid = reduce(or_, (steps.preimage(component) for steps in debt.paying), sets.search.false)
                left[group] = component & (paid if debt.is_strong else paid | ~debt.possible)
        while left:
            moves, state = self._way(component, state, reduce(or_, left.values()))
            loop += moves
            settled = [g for g in left if not (g.is_strong or (self.debts[g].possible & state).satisfiable())]
            for move in sets.moves:
                paid_here = [group for group in self._paid(move, state) if group in left]
                after = move.steps.image(state) & component
                if paid_here and after.satisfiable():
                    settled, state = settled + self._paid(move, state), after
                    loop.append(move.move)
                    break
            for group in settled:
                left.pop(group, None)
        return loop + self._way(component, state, start)[0]

    def _way(self, component: Diagram, start: Diagram, to: Diagram) -> tuple[list[Move], Diagram]:
        """A shortest way from one of these states to one of some, and where it ends."""
        layers, known = [start], start
        while not (layers[-1] & to).satisfiable():
            self.sets.search.look_at_the_limits()
            layers.append(self.sets.successors(layers[-1]) & component & ~known)
            known |= layers[-1]
        end = state = self.sets.pick(layers[-1] & to)
        moves = list[Move]()
        for layer in reversed(layers[:-1]):
            move, state = self.sets.step_to(state, layer)
            moves.append(move)
        return moves[::-1], end
