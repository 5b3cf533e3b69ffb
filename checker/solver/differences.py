"""Constraints on numbers without a bound, and what a step does to them.

Numbers are compared, copied and moved by constants, so a constraint is a conjunction of bounds on their differences: a
matrix whose entry (i, j) is the greatest value of number i - number j, where number 0 is zero. With the tightest bounds
that follow, equal constraints are equal matrices, one implies another where none of its bounds is larger, and without
the rows and columns of some numbers it says exactly what is possible for the others. What can happen under it, and
which numbers a trace has, is Z3's to say.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import le

import z3

from podproof.checker.core.graph import Expr, Op, topological
from podproof.checker.core.system import CheckerError
from podproof.checker.solver import GaveUp
from podproof.checker.solver.terms import Term, value_of

MILLISECONDS = 10_000
"""How long Z3 may think about one question; most take it less than one millisecond."""

Rows = tuple[tuple[float, ...], ...]
"""The matrix of a constraint; its entries are integers, or `math.inf` for no bound."""
Bound = tuple[int, int, int]
"""(i, j, most): number i - number j is at most this."""
Sum = tuple[int, int]
"""A number, and what is added to it."""
Parameters = tuple[tuple[str, int], ...]
"""The unbounded parameters of a step with their least values; as numbers they come after the variables."""
FAULT = ""
"""In the place of a bound's name: the model goes wrong."""


@dataclass(frozen=True, eq=False)
class Effect:
    """What a transition does; in a control state, what it does to the numbers. Its parameters are unbounded."""

    parameters: Parameters
    enabled: Expr
    stops: tuple[tuple[str, Expr], ...] = ()
    """The name of a bound, or `FAULT` -> when the step ends there; the first one counts."""
    updates: tuple[tuple[str, Expr], ...] = ()
    """New values; in a control state, those of numbers, and of control variables where the numbers decide them."""
    cells: dict[Rows, list[Cell]] = field(default_factory=dict)
    outcomes: dict[int, Branches] = field(default_factory=dict)
    """What was found out about it."""


Cell = tuple[tuple[Bound, ...], "str | tuple[int, dict[str, Sum]] | None"]
"""Bounds under which a step turns out in one way: it cannot be made (None), it ends at a stop, or it puts these bits
into the control state and these sums into the numbers."""


@dataclass(frozen=True, eq=False)
class Branches:
    """Everything that a step can come to under a constraint."""

    steps: tuple[tuple[int, int, tuple[Rows, ...]], ...]
    """What the step writes into the control state, the constraint after it, and those before it with parameters."""
    stops: tuple[str, ...]


class Constraints:
    """All constraints that a search has met, each once, and what Z3 says of them."""

    def __init__(self, numbers: Iterable[str], highest: int | None, bits: Callable[[str, int], int]) -> None:
        """`highest`: no less than any constant, and the numbers are only compared; None where they are calculated with.

        See `add` for what that permits. `bits`: what the value of a variable that is no number is in a control state.
        """
        self.highest, self.bits = highest, bits
        self.places = {(Op.VAR, path): i for i, path in enumerate(numbers, 1)}
        self.rows: list[Rows] = []
        self._known: dict[Rows, int] = {}
        self._larger: dict[int, tuple[set[int], set[int]]] = {}
        """What a constraint was compared with, and what of that it implies."""
        self.solver_seconds = 0.0

    def model(self, terms: Iterable[Term], least: Term | None = None) -> z3.ModelRef | None:
        """Values with which the terms hold, if there are any, with the least one of a number. Raises GaveUp."""
        started, solver = time.monotonic(), z3.SimpleSolver() if least is None else z3.Optimize()
        # Ctrl-C is Python's: Z3 would answer "unknown" to it.
        solver.set("ctrl_c", False)
        solver.set("timeout", MILLISECONDS)
        solver.add(*terms)
        if least is not None:
            solver.minimize(least)
        result = solver.check()
        self.solver_seconds += time.monotonic() - started
        if result == z3.unknown:
            raise GaveUp(f"Z3 gave up ({solver.reason_unknown()})")
        return solver.model() if result == z3.sat else None

    def between(self, least: Sequence[int], most: Sequence[float]) -> int:
        """Each number is between two bounds."""
        up, down = (0, *most), (0, *(-low for low in least))
        return self.add(tuple(tuple(p + q if i != j else 0 for j, q in enumerate(down)) for i, p in enumerate(up)))

    def add(self, rows: Rows) -> int:
        """The number of a constraint, which is made larger where that matters to nothing: so there are finitely many.

        Numbers that are only compared may be spread: a map of the integers that keeps their order and the integers up
        to `highest` turns an execution into another one. So how far above each other numbers beyond `highest` are
        matters to nothing: a difference of more than one may be forgotten where the greater number is beyond it.
        Whoever is beyond it under the larger constraint is so under this one as well, in the same order, in some
        reachable state after spreading. No upper bound of a number beyond `highest` is finite, so none is lost.
        """
        number = self._known.get(rows)
        if number is None:
            larger = rows
            if self.highest is not None:
                near = [-max(1, self.highest + 1 + low) for low in rows[0]]
                larger = tuple(tuple(max(v, low) for v in row) for row, low in zip(rows, near, strict=True))
                for k in range(len(rows)):
                    larger = _where(larger, [(k, k, 0)])  # the tightest bounds are shortest paths
            number = self._known.setdefault(larger, len(self.rows))
            self._known[rows] = number
            if number == len(self.rows):
                self.rows.append(larger)
        return number

    def implies_any(self, constraint: int, others: set[int]) -> bool:
        """Does it imply one of some other constraints?"""
        compared, larger = self._larger.setdefault(constraint, (set(), set()))
        if new := others - compared:
            mine = self.rows[constraint]
            larger |= {n for n in new if all(all(map(le, *both)) for both in zip(mine, self.rows[n], strict=True))}
            compared |= new
        return not larger.isdisjoint(others)

    def outcome(self, effect: Effect, constraint: int) -> Branches:
        """Everything that a step can come to under a constraint. Raises GaveUp."""
        rows = self.rows[constraint]
        for _, least in effect.parameters:
            rest = ((*row, row[0] - least) for row in rows)
            rows = (*rest, (*(math.inf for _ in rows), 0))
        found: dict[tuple[int, int], list[Rows]] = {}
        stops = []
        for conditions, result in self.cells(effect, rows):
            if isinstance(result, str):
                stops.append(result)
            elif result is not None:
                before, after = _where(rows, conditions), constraint
                if result[1] or conditions or effect.parameters:
                    kept = [(0, 0), *(result[1].get(path, (i, 0)) for (_, path), i in self.places.items())]
                    after = self.add(tuple(tuple(before[i][j] + p - q for j, q in kept) for i, p in kept))
                found.setdefault((result[0], after), []).append(before)
        return Branches(tuple((*to, tuple(before)) for to, before in found.items()), tuple(stops))

    def possible(self, effect: Effect, rows: Rows) -> bool:
        """Is a step possible under a constraint?"""
        return any(result is not None for _, result in self.cells(effect, rows))

    def cells(self, effect: Effect, rows: Rows) -> list[Cell]:
        """The ways in which a step can turn out: Z3 finds an example, then one beside its cell, until there is none."""
        places = dict(self.places)
        for name, _ in effect.parameters:
            places[Op.PARAM, name] = len(places) + 1
        undecided = [effect.enabled, *(node for _, node in effect.stops)]
        undecided += [node for path, node in effect.updates if node.args or (Op.VAR, path) not in places]
        leaves = (node for node in topological(undecided) if node.op in (Op.VAR, Op.PARAM))
        read = [0, *sorted({places[leaf.op, str(leaf.value)] for leaf in leaves})]
        key = tuple(tuple(rows[i][j] for j in read) for i in read)
        if key not in effect.cells:
            symbols = {i: z3.Int(f"number {i}") if i else z3.IntVal(0) for i in read}
            bounds = [(i, j, rows[i][j]) for i in read for j in read if i != j and rows[i][j] < math.inf]
            terms, found = [symbols[i] - symbols[j] <= most for i, j, most in bounds], list[tuple[list[int], Cell]]()
            while (model := self.model(terms)) is not None:
                reading = _Reading(places, {i: value_of(model, symbol) for i, symbol in symbols.items()})
                result = reading.result(effect, self.bits)
                found.append((reading.order, (tuple(reading.conditions), result)))
                terms.append(z3.Not(z3.And([symbols[i] - symbols[j] <= most for i, j, most in reading.conditions])))
            effect.cells[key] = [cell for _, cell in sorted(found, key=lambda way: way[0])]
        return effect.cells[key]


def _where(rows: Rows, conditions: Iterable[Bound]) -> Rows:
    """The part of a constraint in which conditions hold that are possible under it."""
    for i, j, most in conditions:
        end = rows[j]
        rows = tuple(tuple(min(v, row[i] + most + w) for v, w in zip(row, end, strict=True)) for row in rows)
    return rows


class _Reading:
    """Evaluates expressions at a point; `conditions` are bounds under which all comes out as it does there."""

    def __init__(self, places: Mapping[tuple[Op, str], int], point: Mapping[int, int]) -> None:
        self.places, self.point = places, point
        self.conditions: dict[Bound, None] = {}
        self.order: list[int] = []
        """Puts the ways in which a step can turn out into an order that is not Z3's."""
        self._known: dict[Expr, bool] = {}

    def result(self, effect: Effect, bits: Callable[[str, int], int]) -> str | tuple[int, dict[str, Sum]] | None:
        """What becomes of a step; see `Cell`."""
        if not self.holds(effect.enabled):
            return None
        for name, node in effect.stops:
            if self.holds(node):
                return name
        word, sums = 0, {}
        for path, node in effect.updates:
            if (Op.VAR, path) in self.places:
                sums[path] = self.sum(node)
            elif node.is_bool:
                word |= bits(path, self.holds(node))
            else:
                number, offset = self.sum(node)
                value = self.point[number] + offset
                self._compare((number, offset), (0, value), True)
                self.order.append(-value)
                word |= bits(path, value)
        return word, sums

    def sum(self, node: Expr) -> Sum:
        """An integer. Raises CheckerError for a sum of two numbers."""
        match node.op:
            case Op.CONST:
                return 0, node.low
            case Op.VAR | Op.PARAM:
                return self.places[node.op, str(node.value)], 0
            case Op.ITE:
                return self.sum(node.args[1] if self.holds(node.args[0]) else node.args[2])
        (left, p), (right, q) = map(self.sum, node.args)
        if node.op is Op.ADD and 0 in (left, right):
            return left + right, p + q
        if node.op is Op.SUB and right in (0, left):
            return left - right, p - q
        raise CheckerError(
            f"{node.line}: {node.op.value!r} is applied to two unbounded numbers; the symbolic engine can compare "
            "those, and add constants to them. Write it so, or bound them and use --engine compiled"
        )

    def holds(self, node: Expr) -> bool:
        """A condition; what does not matter to it is not looked at."""
        if node not in self._known:
            match node.op:
                case Op.CONST:
                    found = bool(node.value)
                case Op.NOT:
                    found = not self.holds(node.args[0])
                case Op.AND:
                    found = all(map(self.holds, node.args))
                case Op.OR:
                    found = any(map(self.holds, node.args))
                case Op.ITE:
                    found = self.holds(node.args[1] if self.holds(node.args[0]) else node.args[2])
                case _:
                    left, right = map(self.sum, node.args)
                    found = self._compare(left, right, node.op is Op.EQ)
            self._known[node] = found
        return self._known[node]

    def _compare(self, left: Sum, right: Sum, equality: bool) -> bool:
        """Is the left one equal, or is it less? There are three cases for the one, and two for the other."""
        (i, p), (j, q) = left, right
        difference = self.point[i] + p - self.point[j] - q
        self.order.append((difference == 0) * 2 + (difference < 0) if equality else difference < 0)
        if i != j and (difference < 0 or (equality and difference == 0)):
            self.conditions[i, j, q - p - (difference < 0)] = None
        if i != j and difference >= 0:
            self.conditions[j, i, p - q - (equality and difference > 0)] = None
        return difference == 0 if equality else difference < 0
