"""What is left of a move or a claim when the control variables are known: conditions on numbers, and their new values.

Few residuals and few zones occur, whatever the number of control states; what a residual does to a zone is worked out
once. A condition that a zone leaves open splits it, so that afterwards each part knows the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import z3

from podproof.checker.core.graph import Node, Op, topological
from podproof.checker.core.system import CheckerError
from podproof.checker.engines.symbolic.control import Control, Key
from podproof.checker.engines.symbolic.moves import Parts
from podproof.checker.engines.symbolic.zones import Bound, Value, Zone, Zones
from podproof.checker.solver.sorts import OneSort
from podproof.checker.solver.terms import Term, Terms


class Step(NamedTuple):
    """One way in which a move turns out."""

    control: int
    """What the mixed updates put into the control state."""
    zone: Zone
    """The numbers after it."""
    taken: tuple[Zone, ...]
    """The numbers before it, the move's parameters included, with which it turns out so."""


class Outcomes(NamedTuple):
    """Everything that a move can come to in a zone."""

    steps: tuple[Step, ...]
    cuts: tuple[str, ...]
    """Bounds that cut it off."""
    faulty: bool
    """Can the model go wrong?"""


class Spread(NamedTuple):
    """What a move comes to in several zones at once; zones go by their places among these."""

    steps: tuple[tuple[int, frozenset[Zone], tuple[tuple[Zone, int], ...]], ...]
    """What is put into the control state, the zones after it, and for each of these a zone that leads there."""
    total: int
    """How many steps there are, several to one zone counted each."""
    cuts: tuple[str, ...]
    faulty: int | None
    """A zone in which the model can go wrong."""
    outcomes: tuple[Outcomes, ...]


class _Open(Exception):
    """A condition has both answers in a zone; each of the alternatives decides it, and together they are the zone."""

    def __init__(self, alternatives: Sequence[tuple[Bound, ...]]) -> None:
        super().__init__()
        self.alternatives = alternatives


class Residual(NamedTuple):
    """What is left of a move; equal ones are one."""

    parameters: tuple[tuple[str, int], ...]
    """The unbounded parameters, with the least value of each."""
    enabled: Node
    bounds: tuple[tuple[str, Node], ...]
    faults: tuple[Node, ...]
    control: tuple[tuple[str, Node], ...]
    numbers: tuple[tuple[str, Node], ...]

    @property
    def is_trivial(self) -> bool:
        """Does it leave the numbers alone, whatever they are?"""
        rest = (self.parameters, self.bounds, self.faults, self.control, self.numbers)
        return self.enabled.is_const and bool(self.enabled.value) and not any(rest)


class Residuals:
    """Makes residuals, and knows what they do to zones."""

    def __init__(self, parts: Parts, control: Control, zones: Zones) -> None:
        self.parts, self.control, self.zones = parts, control, zones
        self._outcomes: dict[Residual, dict[Zone, Outcomes]] = {}
        self._spreads: dict[Residual, dict[tuple[Zone, ...], Spread]] = {}

    def of_move(self, number: int, key: Key) -> tuple[Residual, dict[tuple[Zone, ...], Spread]]:
        """What is left of a move, and what is known already of what it does to zones."""
        move, mixed = self.parts.moves[number], self.control.mixed[number]
        groups = (mixed.bounds, mixed.control, mixed.numbers)
        roots = [self.parts.graph.and_(*mixed.enabled), *mixed.faults, *(n for group in groups for n in group.values())]
        enabled, *rest = self._put(roots, mixed.known, key)
        faults, rest = rest[: len(mixed.faults)], rest[len(mixed.faults) :]
        named = []
        for group in groups:
            named.append(tuple(zip(group, rest, strict=False)))
            rest = rest[len(group) :]
        never = self.parts.graph.false
        residual = Residual(
            tuple((p.name, min(p.values)) for p in move.numbers),
            enabled,
            tuple((name, node) for name, node in named[0] if node is not never),
            tuple(node for node in faults if node is not never),
            named[1],
            tuple((path, node) for path, node in named[2] if not (node.op is Op.VAR and node.value == path)),
        )
        return residual, self._spreads.setdefault(residual, {})

    def of_claim(self, formula: Node, known: Sequence[Node], key: Key) -> Node:
        """What is left of a claim's formula."""
        return self._put([formula], known, key)[0]

    def _put(self, roots: Sequence[Node], known: Sequence[Node], key: Key) -> list[Node]:
        """The expressions with the values of the control expressions in them put in."""
        graph = self.parts.graph
        done = {
            node: graph.boolean(bool(value)) if node.is_bool else graph.integer(int(value))
            for node, value in zip(known, key, strict=True)
        }
        for node in topological(roots):
            if node not in done and self.parts.is_mixed(node):
                done[node] = graph.rebuild(node, tuple(done.get(a, a) for a in node.args))
        return [done.get(root, root) for root in roots]

    def spread(self, residual: Residual, zones: Sequence[Zone]) -> Spread:
        """What a move comes to in some zones. Raises GaveUp."""
        known, outcomes = self._outcomes.setdefault(residual, {}), []
        sources: dict[int, dict[Zone, int]] = {}
        for place, zone in enumerate(zones):
            if zone not in known:
                known[zone] = self._outcomes_in(residual, zone)
            outcomes.append(known[zone])
            for step in known[zone].steps:
                sources.setdefault(step.control, {}).setdefault(step.zone, place)
        return Spread(
            tuple((bits, frozenset(by_zone), tuple(by_zone.items())) for bits, by_zone in sources.items()),
            sum(len(found.steps) for found in outcomes),
            tuple(name for found in outcomes for name in found.cuts),
            next((place for place, found in enumerate(outcomes) if found.faulty), None),
            tuple(outcomes),
        )

    def _outcomes_in(self, residual: Residual, zone: Zone) -> Outcomes:
        """What a move comes to in a zone."""
        if residual.is_trivial:
            return Outcomes((Step(0, zone, (zone,)),), (), False)
        start = self.zones.with_parameters(zone, [least for _, least in residual.parameters])
        places = self.places([name for name, _ in residual.parameters])
        found: dict[tuple[int, Zone], list[Zone]] = {}
        cuts, faulty, pending = [], False, [start]
        while pending:
            part = pending.pop()
            reading = _Reading(self.zones, part, places)
            try:
                if not reading.holds(residual.enabled):
                    continue
                cut = next((name for name, node in residual.bounds if reading.holds(node)), None)
                if cut is not None:
                    cuts.append(cut)
                elif any(reading.holds(node) for node in residual.faults):
                    faulty = True
                else:
                    found.setdefault(self._after(residual, reading), []).append(part)
            except _Open as undecided:
                pending += [self.zones.where(part, conditions) for conditions in undecided.alternatives]
        steps = tuple(Step(bits, after, tuple(taken)) for (bits, after), taken in found.items())
        return Outcomes(steps, tuple(cuts), faulty)

    def _after(self, residual: Residual, reading: _Reading) -> tuple[int, Zone]:
        bits = 0
        for path, node in residual.control:
            low, high = self.parts.range_of[path]
            value = int(reading.holds(node)) if node.is_bool else reading.known_value(node, low, high)
            bits |= value - low << self.parts.places[path][0]
        if not residual.numbers:
            return bits, self.zones.after(reading.zone)
        changed = dict(residual.numbers)
        values = [
            reading.value(changed[v.path]) if v.path in changed else Value(number, 0)
            for number, v in enumerate(self.parts.numbers, 1)
        ]
        return bits, self.zones.after(reading.zone, values)

    def places(self, parameters: Iterable[str]) -> dict[tuple[Op, str], int]:
        """The place in a zone of each number, and of each unbounded parameter."""
        places = {(Op.VAR, path): number for path, number in self.parts.number_of.items()}
        return places | {(Op.PARAM, name): self.zones.size + i for i, name in enumerate(parameters, 1)}

    def possible(self, zone: Zone, parameters: Iterable[str], formula: Node, wanted: bool = True) -> bool:
        """Can the formula have the wanted value in a zone? Z3 says. Raises GaveUp."""
        if formula.is_const:
            return bool(formula.value) is wanted
        places = self.places(parameters)
        leaves = [n for n in topological([formula]) if n.op in (Op.VAR, Op.PARAM)]
        numbers = sorted({places[n.op, str(n.value)] for n in leaves})
        order = tuple(1 + numbers.index(places[n.op, str(n.value)]) for n in leaves)

        def formulas() -> list[Term]:
            symbols = {n: self.zones.symbol(number) for n, number in zip(leaves, order, strict=True)}
            by_path = {str(n.value): term for n, term in symbols.items() if n.op is Op.VAR}
            term = Terms(OneSort(z3.IntSort()), by_path, symbols).of(formula)
            return [term if wanted else z3.Not(term)]

        return self.zones.satisfiable(zone, numbers, (formula, order, wanted), formulas)


class _Reading:
    """Evaluates expressions for all values in a zone at once; raises _Open where these differ."""

    def __init__(self, zones: Zones, zone: Zone, places: Mapping[tuple[Op, str], int]) -> None:
        self.zones, self.zone, self.places = zones, zone, places
        self._known: dict[Node, bool] = {}

    def value(self, node: Node) -> Value:
        """An integer, as a number of the zone with an offset. Raises CheckerError for a sum of two numbers."""
        match node.op:
            case Op.CONST:
                return Value(0, int(node.value or 0))
            case Op.VAR | Op.PARAM:
                return Value(self.places[node.op, str(node.value)], 0)
            case Op.ITE:
                return self.value(node.args[1] if self.holds(node.args[0]) else node.args[2])
            case _:
                return self._calculated(node)

    def _calculated(self, node: Node) -> Value:
        left, right = (self.value(a) for a in node.args)
        if node.op is Op.ADD and 0 in (left.number, right.number):
            return Value(left.number + right.number, left.offset + right.offset)
        if node.op is Op.SUB and right.number in (0, left.number):
            return Value(left.number if right.number == 0 else 0, left.offset - right.offset)
        raise CheckerError(
            f"{node.line}: {node.op.value!r} is applied to two unbounded numbers; the symbolic engine can compare "
            "those, and add constants to them. Write it so, or bound them and use --engine compiled"
        )

    def known_value(self, node: Node, low: int, high: int) -> int:
        """An integer that must be known, as control variables are."""
        value = self.value(node)
        if value.number == 0:
            return value.offset
        least, most = self.zones.range_of(self.zone, value.number)
        if least is not None and least == most:
            return least + value.offset
        each = (n - value.offset for n in range(low, high + 1))
        choices = [(Bound(value.number, 0, n), Bound(0, value.number, -n)) for n in each]
        raise _Open([choice for choice in choices if all(self.zones.possible(self.zone, c) for c in choice)])

    def holds(self, node: Node) -> bool:
        if node not in self._known:
            self._known[node] = self._holds(node)
        return self._known[node]

    def _holds(self, node: Node) -> bool:
        match node.op:
            case Op.CONST:
                return bool(node.value)
            case Op.NOT:
                return not self.holds(node.args[0])
            case Op.AND:
                return all(self.holds(a) for a in node.args)
            case Op.OR:
                return any(self.holds(a) for a in node.args)
            case Op.ITE:
                return self.holds(node.args[1] if self.holds(node.args[0]) else node.args[2])
            case _:
                return self._compared(node)

    def _compared(self, node: Node) -> bool:
        """A comparison: less, equal and greater are the alternatives, as far as the zone has room for them."""
        left, right = (self.value(a) for a in node.args)
        most = right.offset - left.offset
        if left.number == right.number:
            return most > 0 if node.op is Op.LT else most == 0
        less, greater = Bound(left.number, right.number, most - 1), Bound(right.number, left.number, -most - 1)
        no_less, no_greater = Bound(right.number, left.number, -most), Bound(left.number, right.number, most)
        ways: list[tuple[bool, tuple[Bound, ...]]]
        if node.op is Op.LT:
            ways = [(True, (less,)), (False, (no_less,))]
        else:
            ways = [(True, (no_less, no_greater)), (False, (less,)), (False, (greater,))]
        left_over = [(answer, way) for answer, way in ways if all(self.zones.possible(self.zone, c) for c in way)]
        if len({answer for answer, _ in left_over}) > 1:
            raise _Open([way for _, way in left_over])
        return left_over[0][0]
