"""The reference: liveness properties decided by running the model, as a textbook has it. For small systems."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import networkx

from podproof.checker.conclude import Evidence
from podproof.checker.core.system import (
    ActionCount,
    CheckerError,
    Limits,
    Move,
    Outcome,
    Property,
    State,
    System,
)
from podproof.checker.core.trace import refusal
from podproof.checker.engines import REFERENCE, LimitedSearch
from podproof.checker.engines.python import successors
from podproof.checker.liveness.groups import FairGroup
from podproof.checker.liveness.loop import Component, Edge, shortest_loop
from podproof.checker.liveness.stored import Answer, FoundRun
from podproof.checker.lowering.claims import Case, holds_in


class PlainRuns(LimitedSearch):
    """Every state and step of a system, found by running its model."""

    engine = REFERENCE

    def __init__(self, system: System, groups: Sequence[FairGroup], limits: Limits) -> None:
        system.refuse_unbounded(self.engine)
        super().__init__(system, (), None, limits)
        self.groups = groups
        self.states, self.depths, self.numbers = list[State](), list[int](), dict[State, int]()
        self.steps = dict[int, list[tuple[Move, int, frozenset[FairGroup]]]]()
        """For each state the steps out of it: the move, where it leads, which groups it discharges."""
        self.enabled: dict[int, frozenset[FairGroup]] = {}
        self.cut_off: set[int] = set()
        """States in which a bound cuts off a step that is a fairness obligation."""

    @property
    def count(self) -> int:
        return len(self.states)

    @property
    def bytes(self) -> int:
        """About what states and steps take, without the small numbers that tuples share."""
        tables = sum(map(sys.getsizeof, (self.states, self.depths, self.numbers, self.steps, self.enabled)))
        state, step = (sys.getsizeof((0,) * n) for n in (len(self.system.variables), 3))
        return tables + state * self.count + step * self.transitions

    @property
    def transitions(self) -> int:
        return sum(map(len, self.steps.values()))

    def actions(self) -> dict[str, ActionCount]:
        return {}  # Nobody asks this of a reference.

    def evidence(self) -> Iterable[Evidence]:
        return ()  # They need a claim's cases: see `answer`.

    def explore(self) -> None:
        for state in self.system.initial:
            self._number(state)
        number = 0
        while number < self.count and not self.reason:
            self.depth = self.depths[number]
            if not self.end_if_deep_enough():
                self._expand(number)
                self.check_limits_and_report(self.count - number)
            number += 1

    def _number(self, state: State, depth: int = 0) -> int:
        """The state's number; that of none where there is no room for a new one."""
        if state not in self.numbers:
            if self.end_if_full():
                return -1
            self.numbers[state] = len(self.states)
            self.states.append(state)
            self.depths.append(depth)
        return self.numbers[state]

    def _expand(self, number: int) -> None:
        state = self.states[number]
        tree, enabled = self.system.build(state), set[FairGroup]()
        self.steps[number] = []
        for move, after, _ in successors(self.system, state):
            discharges = frozenset(g for g in self.groups if g.has(move) and g.is_obligation(tree, move))
            if isinstance(after, Exception):
                if refusal(after) is Outcome.FAULT:
                    raise CheckerError(f"{self.system.event(move)}: the model goes wrong here: {after}") from after
                if discharges:
                    self.cut_off.add(number)
            else:
                self.steps[number].append((move, self._number(after, self.depths[number] + 1), discharges))
            enabled |= discharges
        self.enabled[number] = frozenset(enabled)

    def answer(self, p: Property, case: Case, obligations: frozenset[FairGroup]) -> Answer:
        """Does every run that is fair to these groups reach the goal after the premise?"""
        held = [holds_in(p, self.system.build(state), case.arguments) for state in self.states]
        waits = {i for i, (premise, goal) in enumerate(held) if premise and not goal}
        waiting = {i for i, (_, goal) in enumerate(held) if not goal}
        reached = set(waits)
        queue = deque(waits)
        while queue:
            for _, target, _ in self.steps[queue.popleft()]:
                if target in waiting and target not in reached:
                    reached.add(target)
                    queue.append(target)
        fair = list(self.fair(reached, obligations))
        is_asked, is_cut_off = any(premise for premise, _ in held), not self.cut_off.isdisjoint(reached)
        if not fair:
            return Answer(None, is_asked, is_cut_off)
        return Answer(self._run(waits, waiting, fair, obligations), is_asked, is_cut_off)

    def fair(self, states: Collection[int], obligations: frozenset[FairGroup]) -> Iterator[frozenset[int]]:
        """The components in which a run that is fair to these groups can stay for ever."""
        graph = networkx.DiGraph()
        graph.add_nodes_from(states)
        graph.add_edges_from((i, target) for i in states for _, target, _ in self.steps[i] if target in states)
        for found in networkx.strongly_connected_components(graph):
            members = frozenset(found)
            taken = {
                g for i in members for _, target, discharges in self.steps[i] if target in members for g in discharges
            }
            always = frozenset.intersection(*(self.enabled[i] for i in members))
            if any(not group.is_strong and group not in taken for group in always & obligations):
                continue
            unfair = {i for i in members if any(g.is_strong and g not in taken for g in self.enabled[i] & obligations)}
            if unfair:
                yield from self.fair(members - unfair, obligations)
            else:
                yield members

    def _run(
        self,
        waits: Collection[int],
        waiting: Collection[int],
        fair: Iterable[frozenset[int]],
        obligations: frozenset[FairGroup],
    ) -> FoundRun:
        """Breadth first through states together with whether the goal is being waited for."""
        component_of = {i: members for members in fair for i in members}
        before: dict[tuple[int, bool], tuple[tuple[int, bool], Move] | None] = {}
        queue: deque[tuple[int, bool]] = deque()

        def see(node: tuple[int, bool], way: tuple[tuple[int, bool], Move] | None) -> None:
            if node not in before:
                before[node] = way
                queue.append(node)

        for state in self.system.initial:
            i = self.numbers[state]
            see((i, i in waits), None)
            see((i, False), None)
        while True:
            node = queue.popleft()
            i, pending = node
            if pending and i in component_of:
                break
            for move, target, _ in self.steps[i]:
                if pending and target in waiting:
                    see((target, True), (node, move))
                elif not pending:
                    if target in waits:
                        see((target, True), (node, move))
                    see((target, False), (node, move))
        prefix, at, since = list[Move](), node, 0
        while (way := before[at]) is not None:
            at, move = way
            prefix.append(move)
            since += not at[1]
        loop = self._loop(component_of[i], i, obligations)
        return FoundRun(self.states[at[0]], prefix[::-1], loop, since, None)

    def _loop(self, members: frozenset[int], start: int, obligations: frozenset[FairGroup]) -> list[Move]:
        bits: Mapping[FairGroup, int] = {group: 1 << n for n, group in enumerate(self.groups)}
        moves: list[Move] = []
        steps: dict[int, list[Edge]] = {i: [] for i in members}
        for i in members:
            for move, target, discharges in self.steps[i]:
                if target in members:
                    steps[i].append((_mask(discharges, bits), target, len(moves)))
                    moves.append(move)
        component = Component(
            steps,
            {i: _mask(self.enabled[i], bits) for i in members},
            _mask((g for g in obligations if not g.is_strong), bits),
            _mask((g for g in obligations if g.is_strong), bits),
        )
        return [moves[number] for number in shortest_loop(component, start)]


def _mask(groups: Iterable[FairGroup], bits: Mapping[FairGroup, int]) -> int:
    return sum(bits[group] for group in groups)
