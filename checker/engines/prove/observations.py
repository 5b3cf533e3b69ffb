"""The states that were seen, as bits: does a clause hold in all of them, and which clause excludes a given state?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podproof.checker.engines.prove.literals import Clause, Literals
from podproof.checker.engines.prove.sample import Sample

_FEW = 20_000
"""So many of the states are looked at first; what holds there is then looked up in all of them."""
_REFINED = 256
"""Of the states that refute a clause, so many are added to the few."""
_STARTS = 6
_ROWS = 1 << 16


class Observations:
    """`packed` is uint8 of shape (atoms, states / 8): the truth of each atom in each state, a bit each.

    `few` is uint8 of shape (atoms, count / 8): the same for the states that are looked at first.
    """

    def __init__(self, seen: Sample, literals: Literals) -> None:
        self.literals = literals
        columns = {}
        packed = np.empty((len(literals), (seen.states + 7) // 8), np.uint8)
        for i, atom in enumerate(literals.atoms):
            for variable in literals.relation.variables:
                if variable.path in atom.variables and variable.path not in columns:
                    columns[variable.path] = _narrow(seen.column(variable))
            packed[i] = np.packbits(atom.holds(*(columns[path] for path in atom.variables)))
        self.packed, self.states = packed, seen.states
        true = np.array([np.bitwise_count(row).sum(dtype=np.int64) for row in packed], np.int64).reshape(len(literals))
        frequency = np.empty(2 * len(literals))
        frequency[0::2], frequency[1::2] = true, seen.states - true
        self.cost = -np.log((frequency + 0.5) / (seen.states + 1))
        """Of each literal: how rare it is. Two literals that are often true and never together are no accident."""
        self.few = np.empty((len(literals), 0), np.uint8)
        self.count = 0
        """The number of the few."""
        self._together = np.zeros((len(literals), len(literals)))
        every = max(1, seen.states // _FEW)
        self._add(self._rows(np.arange(0, seen.states, every)))

    def add(self, state: Sequence[int]) -> None:
        """One more state, given by the literals that are true in it."""
        row = np.zeros((1, len(self.literals)), np.uint8)
        row[0, [literal >> 1 for literal in state if not literal & 1]] = 1
        self._add(row)

    def _rows(self, numbers: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(((self.packed[:, numbers >> 3] >> (7 - (numbers & 7)).astype(np.uint8)) & 1).T)

    def _add(self, rows: np.ndarray) -> None:
        # Whole bytes: the last state may count several times.
        rows = np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % 8, axis=0)])
        self.few = np.concatenate([self.few, np.packbits(rows, axis=0).T], axis=1)
        self.count += len(rows)
        for first in range(0, len(rows), _ROWS):
            part = rows[first : first + _ROWS].astype(np.float32)
            self._together += part.T @ part

    def _witnesses(self, cube: Sequence[int]) -> np.ndarray:
        """Some states, as rows, in which all literals of the cube are true."""
        bits: np.ndarray | None = None
        for literal in sorted(cube, key=lambda literal: -self.cost[literal]):
            row = self.packed[literal >> 1]
            row = ~row if literal & 1 else row
            bits = row if bits is None else bits & row
        assert bits is not None
        found = np.flatnonzero(bits)[:_REFINED]
        numbers = np.concatenate([8 * b + np.flatnonzero(np.unpackbits(bits[b])) for b in found] or [np.empty(0)])
        numbers = numbers.astype(np.int64)
        return self._rows(numbers[numbers < self.states][:_REFINED])

    def lemma(self, cube: Sequence[int]) -> Clause | None:
        """A short clause that all states fulfil and this cube does not; None when there is none.

        `cube` has the literals that are true in what is to be excluded; those of high rank are the last resort.
        """
        ranks = [self.literals.atoms[literal >> 1].rank for literal in cube]
        for highest in sorted(set(ranks)):
            near = [literal for literal, rank in zip(cube, ranks, strict=True) if rank <= highest]
            chosen = self._excluding(np.array(near, np.int64))
            if chosen is not None:
                return tuple(literal ^ 1 for literal in sorted(chosen))
        return None

    def _excluding(self, cube: np.ndarray) -> list[int] | None:
        while len(cube):
            chosen = self._shortest(cube)
            if chosen is None:
                return None
            if not len(rows := self._witnesses(chosen)):
                return chosen
            self._add(rows)
        return None

    def _shortest(self, cube: np.ndarray) -> list[int] | None:
        """Literals of the cube that are not true together in any of the few states."""
        together, cost = self._pairs(cube), self.cost[cube]
        alone = np.flatnonzero(np.diag(together) == 0)
        if len(alone):
            return [int(cube[alone[np.argmin(cost[alone])]])]
        first, second = np.triu_indices(len(cube), 1)
        common = together[first, second]
        expected = cost[first] + cost[second]
        if len(never := np.flatnonzero(common == 0)):
            best = never[np.argmin(expected[never])]
            return [int(cube[first[best]]), int(cube[second[best]])]
        surprise = -np.log((common + 0.5) / (self.count + 1)) / (expected + 1e-9)
        bits = self.few[cube >> 1] ^ np.where(cube & 1, 255, 0).astype(np.uint8)[:, None]
        found = []
        for start in np.argsort(-surprise, kind="stable")[:_STARTS]:
            chosen = _grown(bits, cost, [int(first[start]), int(second[start])])
            if chosen is None:
                return None
            found.append((len(chosen), sum(cost[i] for i in chosen), [int(cube[i]) for i in chosen]))
        return min(found)[2] if found else None

    def _pairs(self, cube: np.ndarray) -> np.ndarray:
        """In how many of the few states two literals of the cube are both true."""
        atoms, false = cube >> 1, (cube & 1).astype(bool)
        both, true = self._together[np.ix_(atoms, atoms)], np.diag(self._together)[atoms]
        both = np.where(false[:, None], true[None, :] - both, both)
        ones = np.where(false, self.count - true, true)
        pairs: np.ndarray = np.where(false[None, :], ones[:, None] - both, both)
        return pairs


def _grown(bits: np.ndarray, cost: np.ndarray, start: list[int]) -> list[int] | None:
    """Rows of `bits` that have no bit in common: begin with two, add the one that excludes the most for its rarity.

    Needless ones are taken away in the end. None when all rows together have a bit in common.
    """
    chosen, left = list(start), bits[start[0]] & bits[start[1]]
    while (count := int(np.bitwise_count(left).sum(dtype=np.int64))) > 0:
        # Bytes without a bit stay without one.
        used = left != 0
        bits_left = bits[:, used] & left[used]
        remaining = np.bitwise_count(bits_left).sum(axis=1, dtype=np.int64)
        score = -np.log((remaining + 0.25) / (count + 0.25)) / (cost + 1e-3)
        score[remaining == count] = 0
        best = int(np.argmax(score))
        if score[best] <= 0:
            return None
        chosen.append(best)
        left = left & bits[best]
    for literal in sorted(chosen, key=lambda i: -cost[i]):
        rest = [other for other in chosen if other != literal]
        if rest and not np.bitwise_and.reduce(bits[rest], axis=0).any():
            chosen = rest
    return chosen


def _narrow(column: np.ndarray) -> np.ndarray:
    """The same numbers in as few bytes as they need."""
    return column.astype(np.min_scalar_type(min(int(column.min(initial=0)), -int(column.max(initial=0)) - 1)))
