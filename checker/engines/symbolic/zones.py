"""Zones: sets of values of the unbounded numbers, given by bounds on their differences.

A zone is a matrix of difference bounds: entry (i, j) is the greatest value of number i - number j, and number 0 is the
constant zero. Over the integers the tightest such matrix is the same for equal sets, so it is a zone's signature; and
leaving numbers out of it leaves exactly the values that the others can have. Whether something is possible in a zone,
and whether one zone lies in another, is for Z3 to say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import z3

from podproof.checker.core.system import TooWide
from podproof.checker.engines.symbolic.oracle import Oracle
from podproof.checker.solver.terms import Term

NO_BOUND = 1 << 60
FARTHEST = 1 << 50
"""No bound of a zone is farther from 0: so many can be added to each other, and to NO_BOUND, and stay what they are."""
Zone = int
"""The number of a zone among those seen so far."""
Matrix = Any
"""int64 of shape (numbers + 1, numbers + 1)."""


class Value(NamedTuple):
    """A number of the zone, and what is added to it; number 0 is the constant zero."""

    number: int
    offset: int


class Bound(NamedTuple):
    """A condition: the value of `left` less that of `right` is at most `most`; both are numbers of a zone."""

    left: int
    right: int
    most: int


class Zones:
    """All zones over so many numbers that a search has met, each once."""

    def __init__(self, oracle: Oracle, size: int, highest: int | None) -> None:
        """`highest`: no less than any constant, and the numbers are only compared; None where they are calculated with.

        See `_widened` for what that permits.
        """
        self.oracle, self.size, self.highest = oracle, size, None if highest is None else near(highest)
        self._matrices: list[Matrix] = []
        self._known: dict[bytes, Zone] = {}
        self._answers: dict[object, bool] = {}
        self._symbols: list[Term] = [z3.IntVal(0)]
        self._compared: dict[Zone, tuple[set[Zone], set[Zone], set[Zone]]] = {}
        """What a zone was compared with, what of it covers the zone, and what of it the zone covers."""

    def __len__(self) -> int:
        return len(self._matrices)

    def symbol(self, number: int) -> Term:
        """The Z3 symbol of a number."""
        while len(self._symbols) <= number:
            self._symbols.append(z3.Int(f"number{len(self._symbols)}"))
        return self._symbols[number]

    def begin(self, least: Sequence[int], most: Sequence[int | None]) -> Zone:
        """The zone in which each number is between two bounds; None is no upper bound."""
        matrix = _unbounded(self.size + 1)
        matrix[0, 1:] = [-near(low) for low in least]
        matrix[1:, 0] = [NO_BOUND if high is None else near(high) for high in most]
        return self._number(self._widened(_tight(matrix)))

    def with_parameters(self, zone: Zone, least: Sequence[int]) -> Zone:
        """The zone with more numbers, each of which can be anything from its least value on."""
        matrix, size = self._matrices[zone], self.size + 1
        wider = _unbounded(size + len(least))
        wider[:size, :size] = matrix
        wider[0, size:] = [-near(low) for low in least]
        return self._number(_tight(wider))

    def where(self, zone: Zone, conditions: Iterable[Bound]) -> Zone:
        """The part of a zone in which conditions hold that are possible in it."""
        matrix = self._matrices[zone]
        for i, j, most in conditions:
            matrix = _cut(np.minimum(matrix, matrix[:, i, None] + (near(most) + matrix[None, j, :])))
        return self._number(matrix)

    def after(self, zone: Zone, values: Sequence[Value] | None = None) -> Zone:
        """The zone after an assignment to every number; None leaves them as they are and forgets the parameters."""
        numbers = [0, *range(1, self.size + 1)] if values is None else [0, *(v.number for v in values)]
        offsets = np.array([0] * len(numbers) if values is None else [0, *(near(v.offset) for v in values)], np.int64)
        matrix = self._matrices[zone][np.ix_(numbers, numbers)] + offsets[:, None] - offsets[None, :]
        return self._number(self._widened(_cut(matrix)))

    def range_of(self, zone: Zone, number: int) -> tuple[int | None, int | None]:
        """The least and the greatest value of a number; None where there is none."""
        low, high = -int(self._matrices[zone][0, number]), int(self._matrices[zone][number, 0])
        return (low if low > -NO_BOUND else None), (high if high < NO_BOUND else None)

    def possible(self, zone: Zone, condition: Bound) -> bool:
        """Can the condition hold in the zone? Zones in which the two numbers are bounded alike share the question."""
        numbers = sorted({condition.left, condition.right} - {0})
        left, right = (0 if n == 0 else 1 + numbers.index(n) for n in (condition.left, condition.right))
        return self.satisfiable(
            zone, numbers, (left, right, condition.most), lambda: [self._term(Bound(left, right, condition.most))]
        )

    def satisfiable(
        self, zone: Zone, numbers: Sequence[int], what: Hashable, formulas: Callable[[], Iterable[Term]]
    ) -> bool:
        """Can formulas about some numbers of the zone hold? In them, number 1 is the first of these, and so on.

        `what` is the part of the question's signature that stands for the formulas.
        """
        key = (zone, tuple(numbers), what)
        answer = self._answers.get(key)
        if answer is None:
            kept = [0, *numbers]
            matrix = self._matrices[zone][np.ix_(kept, kept)]
            signature = (what, len(kept), matrix.tobytes())
            answer = self.oracle.possible(signature, lambda: [*self._formulas(matrix), *formulas()])
            self._answers[key] = answer
        return answer

    def compare(self, zone: Zone, others: Set[Zone]) -> tuple[Set[Zone], Set[Zone]]:
        """The zones that this one lies in, and those that lie in it, among all that it was ever compared with.

        Afterwards that includes `others`, which are other zones. Raises GaveUp.
        """
        compared, larger, smaller = self._compared.setdefault(zone, (set(), set(), set()))
        for other in sorted(others - compared):
            mirrored = self._compared.setdefault(other, (set(), set(), set()))
            if self._covers(other, zone):
                larger.add(other)
                mirrored[2].add(zone)
            elif self._covers(zone, other):
                smaller.add(other)
                mirrored[1].add(zone)
            compared.add(other)
            mirrored[0].add(zone)
        return larger, smaller

    def _covers(self, zone: Zone, other: Zone) -> bool:
        """Does Z3 confirm that the other zone lies in this one? Asked only where the bounds suggest it."""
        mine, its = self._matrices[zone], self._matrices[other]
        return bool((its <= mine).all()) and not self.oracle.possible(
            (zone, other), lambda: [*self._formulas(its), z3.Not(z3.And(*self._formulas(mine)))]
        )

    def formula(self, zone: Zone) -> list[Term]:
        """The zone as formulas over the symbols of its numbers."""
        return list(self._formulas(self._matrices[zone]))

    def _formulas(self, matrix: Matrix) -> Iterator[Term]:
        """Formulas for a matrix, few: numbers that differ by a constant are put down to the first of them."""
        equal = (matrix + matrix.T == 0).argmax(axis=1)
        firsts = np.flatnonzero(equal == np.arange(len(matrix)))
        for number, first in enumerate(equal.tolist()):
            if number != first:
                yield self.symbol(number) == self.symbol(first) + int(matrix[number, first])
        rest = matrix[np.ix_(firsts, firsts)]
        through = rest[:, :, None] + rest[None, :, :]
        for k in range(len(rest)):
            through[k, k, :] = through[:, k, k] = NO_BOUND
        # No two of these differ by a constant, so what follows from other bounds may be left out, all at once.
        needed = (rest < NO_BOUND) & (rest < through.min(axis=1)) & ~np.eye(len(rest), dtype=bool)
        for i, j in np.argwhere(needed).tolist():
            yield self._term(Bound(int(firsts[i]), int(firsts[j]), int(rest[i, j])))

    def _term(self, bound: Bound) -> Term:
        return self.symbol(bound.left) - self.symbol(bound.right) <= bound.most

    def _number(self, matrix: Matrix) -> Zone:
        name = matrix.tobytes()
        zone = self._known.get(name)
        if zone is None:
            near(int(abs(matrix[matrix < NO_BOUND]).max()))
            zone = self._known[name] = len(self._matrices)
            self._matrices.append(matrix)
        return zone

    def _widened(self, matrix: Matrix) -> Matrix:
        """A larger zone from which the same is reachable in as many steps, so that there are finitely many zones.

        Numbers that are only compared may be spread: a map of the integers that keeps their order and the integers up
        to `highest` turns an execution into another one. So how far above each other numbers beyond `highest` are
        matters to nothing: a difference of more than one may be forgotten where the greater number is beyond it.
        Whoever is beyond it in the larger zone is so in the zone as well, in the same order, in some reachable state
        after spreading. No upper bound of a number beyond `highest` is finite, so none is lost.
        """
        if self.highest is None:
            return matrix
        least = -matrix[0, :]
        at_least = np.maximum(1, self.highest + 1 - least)
        widened = np.maximum(matrix, -at_least[:, None])
        return _tight(np.where(matrix < NO_BOUND, widened, NO_BOUND))


def near(number: int) -> int:
    """The number, as long as bounds can be calculated with it. Raises TooWide."""
    if abs(number) > FARTHEST:
        raise TooWide(
            f"numbers here differ by {abs(number)}, and the symbolic engine calculates with differences up to "
            f"{FARTHEST}; use smaller numbers, or `podproof check --engine python`"
        )
    return number


def _unbounded(size: int) -> Matrix:
    matrix = np.full((size, size), NO_BOUND, np.int64)
    np.fill_diagonal(matrix, 0)
    return matrix


def _tight(matrix: Matrix) -> Matrix:
    """The same set with the tightest bounds: shortest paths."""
    for k in range(len(matrix)):
        matrix = _cut(np.minimum(matrix, matrix[:, k, None] + matrix[None, k, :]))
    return matrix


def _cut(matrix: Matrix) -> Matrix:
    """What a sum with `NO_BOUND` has become is no bound."""
    matrix[matrix > NO_BOUND // 2] = NO_BOUND
    return matrix
