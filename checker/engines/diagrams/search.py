"""One search through sets of states; what the sets are made of is said in the package."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from oxidd.bcdd import BCDDFunction as Diagram
from oxidd.bcdd import BCDDManager
from oxidd.util import DDMemoryError

from podproof.checker.conclude import Evidence, Shown, after_search
from podproof.checker.core.graph import Expr, Op, Rewriter, substitution, topological
from podproof.checker.core.system import (
    ActionCount,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Move,
    OnProgress,
    Outcome,
    OutOfRoom,
    State,
    System,
    Transition,
    Variable,
)
from podproof.checker.core.trace import evidence, replay
from podproof.checker.engines import (
    Claims,
    Kept,
    LimitedSearch,
    LimitReached,
    MemoryLimit,
    available_memory,
    resident_memory,
)
from podproof.checker.engines.diagrams.order import in_words, order, possible_values
from podproof.checker.engines.diagrams.saturation import Nearest, Saturation

_FIRST_ROOM, _LEAST_ROOM = 1 << 23, 1 << 16
"""Nodes for which there is room at first; where they do not suffice all begins anew with twice as many."""
_NODE_BYTES = 80
"""At most what a node takes, with its share of the table of results: 58 and 79 were measured, 11 while it is unused."""

_FAULT = -1
"""Stands for a claim that the model does not go wrong."""

Values = Mapping[int, Diagram]
"""A number: each value that it may have -> the states in which it has it."""


@dataclass(frozen=True)
class _Bits:
    """A variable as bits: its value is the number of one of its possible values."""

    variable: Variable
    position: int
    """In a state of the system."""
    now: tuple[int, ...]
    """The diagram's variables before a step."""
    then: tuple[int, ...]
    """The diagram's variables after a step."""
    values: Mapping[int, Diagram]
    """Each possible value, before a step."""
    values_then: Mapping[int, Diagram]

    def code(self, state: State) -> list[bool]:
        """The bits of its value in a state, from the highest on."""
        number = list(self.values).index(state[self.position])
        return [bool(number >> i & 1) for i in reversed(range(len(self.now)))]


@dataclass(frozen=True)
class MoveRelation:
    """A transition with one choice of its parameters."""

    number: int
    move: Move
    possible: Diagram
    """The states in which it can be taken, and is one of the model's."""
    steps: Diagram
    """What it does: over all bits before it and those that it writes after it."""
    written: tuple[_Bits, ...]


class SetSearch(LimitedSearch):
    engine = "diagrams"

    def __init__(self, system: System, claims: Claims, keep: Kept, limits: Limits, memory: int | None) -> None:
        super().__init__(system, claims, keep, limits)
        self.bytes_before = resident_memory()
        self.fits = partial(_fits, MemoryLimit(memory), self.bytes_before)

    def run(self, progress: OnProgress | None) -> None:
        self.room = _FIRST_ROOM
        while self.room > _LEAST_ROOM and not self.fits(self.room * _NODE_BYTES):
            self.room //= 2
        while not self._suffices(progress):
            self.room *= 2
            if not self.fits(self.room * _NODE_BYTES):
                raise OutOfRoom(f"there is no memory for diagrams of more than {self.room // 2:,} nodes")

    def _suffices(self, progress: OnProgress | None) -> bool:
        """Search; was there room enough for it?"""
        try:
            self._begin()
            super().run(progress)
            self._count()
        except DDMemoryError:
            return False
        return True

    def _begin(self) -> None:
        """Begin, or begin anew, with as much room as is meant for it."""
        self.manager = BCDDManager(self.room, self.room, 1)
        self.false, self.true = self.manager.false(), self.manager.true()
        self.bits = self._bits([v for v in self.system.variables if self.keep is None or v.path in self.keep])
        self.all_bits = self.manager.num_vars()
        self.saturation, self.is_saturating = Saturation(self.manager, self.fits), False
        self.memo: dict[Expr, Diagram | Values] = {}
        self.depth, self.goes_by_level = 0, False
        self.reached = self.expanded = self.start = self._initial()
        self.relations: list[MoveRelation] = []
        self.cut: list[tuple[Move, str, Diagram]] = []
        self.wrong: list[tuple[Move, Diagram]] = []
        self.traces: dict[int, tuple[list[Move], State]] = {}
        self.met: set[int] = set()
        """The premises that are violated; nobody wants to see how."""
        self.taken = dict.fromkeys((action.name for action in self.system.actions), 0)
        self.bounds_hit.clear()

    # -- variables and expressions as diagrams -------------------------------------------------------------------------

    def _bits(self, kept: Sequence[Variable]) -> dict[str, _Bits]:
        sets = possible_values(self.system, kept)
        made = {}
        for v in order(self.system, kept):
            values = sorted(sets[v.path])
            length = (len(values) - 1).bit_length()
            numbers = self.manager.add_vars(2 * length)
            now, then = tuple(numbers[::2]), tuple(numbers[1::2])
            codes = list(zip(values, itertools.product((False, True), repeat=length), strict=False))
            before, after = (
                {value: self.cube(zip(names, code, strict=True)) for value, code in codes} for names in (now, then)
            )
            made[v.path] = _Bits(v, self.system.index(v.path), now, then, before, after)
        return made

    def cube(self, literals: Iterable[tuple[int, bool]]) -> Diagram:
        cube = self.true
        for number, value in literals:
            cube &= self.manager.var(number) if value else self.manager.not_var(number)
        return cube

    def _initial(self) -> Diagram:
        every = self.false
        for state in self.system.initial:
            every |= self.cube_of(state)
        return every

    def cube_of(self, state: State) -> Diagram:
        cube = self.true
        for bits in self.bits.values():
            cube &= bits.values[state[bits.position]]
        return cube

    def truth(self, node: Expr) -> Diagram:
        """The states in which a boolean expression is true."""
        self._read(node)
        found = self.memo[node]
        assert isinstance(found, Diagram)
        return found

    def number(self, node: Expr) -> Values:
        """An expression of either kind by its values."""
        self._read(node)
        found = self.memo[node]
        return {1: found, 0: ~found} if isinstance(found, Diagram) else found

    def _read(self, root: Expr) -> None:
        for node in topological([root], self.memo):
            self.memo[node] = self._diagram(node)

    def _diagram(self, node: Expr) -> Diagram | Values:
        args: list[Any] = [self.memo[a] for a in node.args]
        match node.op:
            case Op.CONST:
                value = int(node.value or 0)
                return (self.true if value else self.false) if node.is_bool else {value: self.true}
            case Op.VAR:
                bits = self.bits.get(str(node.value))
                if bits is None:
                    raise EngineFault(f"{self.system.name}: {node.value} is read, and was to be left out")
                return bits.values.get(1, self.false) if node.is_bool else bits.values
            case Op.PARAM:
                raise EngineFault(f"{self.system.name}: the parameter {node.value} has no value")
            case Op.NOT:
                return ~args[0]  # type: ignore[no-any-return]
            case Op.AND:
                return args[0] & args[1]  # type: ignore[no-any-return]
            case Op.OR:
                return args[0] | args[1]  # type: ignore[no-any-return]
            case Op.ITE:
                return args[0].ite(args[1], args[2]) if node.is_bool else _choice(*args)
        one, other = (_values(a) for a in args)
        if node.op in (Op.EQ, Op.LT):
            holds = self.false
            for a, b in itertools.product(one, other):
                if a == b if node.op is Op.EQ else a < b:
                    holds |= one[a] & other[b]
            return holds
        sums: dict[int, Diagram] = {}
        for a, b in itertools.product(one, other):
            value = a + b if node.op is Op.ADD else a - b
            _add(sums, value, one[a] & other[b])
        return sums

    def _choose(self, move: Move) -> Rewriter:
        """Puts a move's values in the place of its parameters."""
        graph, parameters = self.system.graph, self.system.action[move.action].parameters
        return substitution(
            graph, {p.name: graph.constant(p.is_bool, move.values[p.name]) for p in parameters}, Op.PARAM
        )

    # -- steps ---------------------------------------------------------------------------------------------------------

    def explore(self) -> None:
        with suppress(LimitReached):
            self._relate()
            self._reach()
            self._look_for_traces()

    def _relate(self) -> None:
        for number, t in enumerate(self.system.transitions):
            for move in t.moves():
                self.check_limits()
                self._add_relation(number, t, move)
        self.numbers = [
            self.saturation.number(relation.steps, {a // 2 for bits in relation.written for a in bits.now})
            for relation in self.relations
        ]

    def _add_relation(self, number: int, t: Transition, move: Move) -> None:
        chosen = self._choose(move)
        outcomes = (Outcome.CUT_OFF, Outcome.FAULT, Outcome.TAKEN)
        cut_off, wrong, possible = map(self.truth, chosen(t.when(one, self.system.graph) for one in outcomes))
        for name, bound in zip(t.bounds, chosen(t.bounds.values()), strict=True):
            there = cut_off & self.truth(bound)
            if there.satisfiable():
                self.cut.append((move, name, there))
                cut_off &= ~there
        if wrong.satisfiable():
            self.wrong.append((move, wrong))
        if not possible.satisfiable():
            return
        steps, written = possible, []
        paths = [path for path in t.updates if path in self.bits]
        for path, node in zip(paths, chosen(t.updates[path] for path in paths), strict=True):
            bits = self.bits[path]
            if (node.op is Op.VAR and node.value == path) or not bits.now:
                continue
            written.append(bits)
            after = self.false
            for value, states in self.number(node).items():
                if value in bits.values_then:
                    after |= states & bits.values_then[value]
                elif (possible & states).satisfiable():
                    raise EngineFault(f"{self.system.name}: {path} becomes {value}, which it was never to be")
            steps &= after
        self.relations.append(MoveRelation(number, move, possible, steps, tuple(written)))

    def _start(self) -> None:
        self.saturation.start(map(self._row, self.system.initial), self.numbers)

    def _row(self, state: State) -> list[bool]:
        """A state as bits."""
        return [bit for bits in self.bits.values() for bit in bits.code(state)]

    def _reach(self) -> None:
        """All that is reachable or, level by level, what is near enough; the last level is not expanded."""
        self._start()
        is_new, self.is_saturating, self.goes_by_level = True, True, self.limits.max_depth is not None
        try:
            if not self.goes_by_level:
                self.saturation.saturate(self.check_limits)
                is_new = False
            while is_new and not self.end_if_deep_enough():
                self.check_limits()
                is_new = self.saturation.advance(self.check_limits)
                self.depth += is_new
        finally:
            self.is_saturating = False
            self.reached = self.saturation.found()
            self.expanded = self.saturation.found(self.depth - 1) if is_new else self.reached

    def check_limits(self) -> None:
        self.check_limits_and_report(0)
        if self.end_if_out_of_time():
            raise LimitReached(self.reason)

    def size(self, states: Diagram) -> int:
        return int(states.sat_count(self.all_bits)) >> (self.all_bits // 2)

    # -- claims --------------------------------------------------------------------------------------------------------

    def _decided_by(self, claim: LoweredProperty) -> Iterator[tuple[Diagram, Move | None]]:
        """States that decide a claim, or from which a move does, if some of them are reachable."""
        if claim.state is not None:
            states = self.truth(claim.state)
            deciding = states if claim.property.is_witnessed else ~states
            if (self.reached & deciding).satisfiable():
                yield deciding, None
            return
        assert claim.steps is not None
        for relation in self.relations:
            (violated,) = self._choose(relation.move)([claim.steps[relation.number]])
            deciding = relation.possible & self.truth(violated)
            if (self.expanded & deciding).satisfiable():
                yield deciding, relation.move

    def _look_for_traces(self) -> None:
        """A shortest trace for each claim that is decided by one, and for a step on which the model goes wrong."""
        wanted: dict[int, list[tuple[Diagram, Move | None]]] = {}
        for number, claim in enumerate(self.properties):
            self.check_limits()
            deciding = self._decided_by(claim)
            if not claim.property.is_premise:
                wanted[number] = list(deciding)
            elif any(True for _ in deciding):
                self.met.add(number)
        wanted[_FAULT] = [(states, move) for move, states in self.wrong if (self.expanded & states).satisfiable()]
        looked_for = {
            number: ([self.saturation.number(states, ()) for states, _ in deciding], [move for _, move in deciding])
            for number, deciding in wanted.items()
            if deciding
        }
        if looked_for and not self.goes_by_level:
            self._start()
        while looked_for:
            for number, (sets, moves) in list(looked_for.items()):
                there = self.saturation.nearest(sets)
                if there is not None:
                    self.traces[number] = self._trace(there, moves[there.relation])
                    del looked_for[number]
            if _FAULT in self.traces:
                taken, initial = self.traces[_FAULT]
                replay(self.system, taken, initial)
                raise EngineFault(f"{self.system.event(taken[-1])}: the model does not go wrong there, as was found")
            if looked_for:
                self.check_limits()
                if self.goes_by_level or not self.saturation.advance(self.check_limits):
                    raise EngineFault(f"{self.system.name}: no run leads to some of what was reached")

    def _trace(self, there: Nearest, last: Move | None) -> tuple[list[Move], State]:
        """The moves from an initial state to this one, and then the last move."""
        moves = [] if last is None else [last]
        while there.distance:
            before = self.saturation.nearest(self.numbers, there.bits)
            if before is None or before.distance != there.distance - 1:
                raise EngineFault(f"{self.system.name}: no step leads to a state that was reached")
            moves.append(self.relations[before.relation].move)
            there = before
        return moves[::-1], next(state for state in self.system.initial if self._row(state) == there.bits)

    @property
    def count(self) -> int:
        return int(self.saturation.states) if self.is_saturating else self.size(self.reached)

    @property
    def nodes(self) -> int:
        return self.saturation.nodes

    @property
    def bytes(self) -> int:
        return max(0, resident_memory() - self.bytes_before)

    def actions(self) -> dict[str, ActionCount]:
        return {name: ActionCount(count, None) for name, count in self.taken.items()}

    def evidence(self) -> Iterator[Evidence]:
        for number in range(len(self.properties)):
            if number in self.met:
                yield Shown(None)
            else:
                trace = evidence(self.system, *self.traces[number]) if number in self.traces else None
                yield after_search(trace, self.reason)

    def _count(self) -> None:
        """Count steps, which is left to the end."""
        for relation in self.relations:
            self.taken[relation.move.action] += self.size(self.expanded & relation.possible)
        for _, name, states in self.cut:
            self.bounds_hit[name] += self.size(self.expanded & states)

    def result(self) -> Exploration:
        depth = self.depth if self.goes_by_level else None
        variables = [bits.variable for bits in self.bits.values() if bits.now]
        return replace(super().result(), depth=depth, order=tuple(in_words(self.system, variables)))


def _fits(limit: MemoryLimit, before: int, more: int) -> bool:
    """May so many bytes be taken, by a process that had so many before?"""
    return limit.allows(more, max(0, resident_memory() - before), available_memory)


def _values(found: Diagram | Values) -> Values:
    return found if isinstance(found, Mapping) else {1: found, 0: ~found}


def _choice(condition: Diagram, then: Values, other: Values) -> Values:
    chosen: dict[int, Diagram] = {}
    for taken, values in ((condition, then), (~condition, other)):
        for value, states in values.items():
            _add(chosen, value, states & taken)
    return chosen


def _add(values: dict[int, Diagram], value: int, states: Diagram) -> None:
    if value in values:
        values[value] |= states
    elif states.satisfiable():
        values[value] = states
