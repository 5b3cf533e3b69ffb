"""The predicates that lemmas are made of: a variable has a value, or two unbounded numbers compare in some way.

A literal is a number: `2 * i` says that atom i is true, `2 * i + 1` that it is false. A clause is a tuple of literals
of which at least one is true.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import z3

from podproof.checker.core.graph import UNBOUNDED
from podproof.checker.core.system import Variable
from podproof.checker.solver.relation import Relation
from podproof.checker.solver.terms import Term, constant

Clause = tuple[int, ...]
MOST_VALUES = 16
"""A variable with more values than this is a number: it is compared, and not asked for each of its values."""


@dataclass(frozen=True)
class Atom:
    """A predicate of a state, for the solver and for arrays of states."""

    term: Term
    true: str
    """What it says in words when it is true."""
    false: str
    variables: tuple[str, ...]
    holds: Callable[..., np.ndarray]
    """Given the columns of its variables: in which rows is it true?"""
    rank: int
    """0: one variable with few values, or whether a number has its least one. 1: a number that steps write, by itself
    or compared. 2: only the arbitrary numbers that a run begins with. What a sample says of higher ranks is more often
    an accident of its few numbers."""


class Literals:
    """All atoms over a relation's variables."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.atoms = tuple(itertools.chain(*map(self._about, relation.variables), self._comparisons()))
        self.of_variable: dict[str, list[int]] = {v.path: [] for v in relation.variables}
        for i, atom in enumerate(self.atoms):
            for path in atom.variables:
                self.of_variable[path].append(i)

    def _about(self, variable: Variable) -> Iterator[Atom]:
        term = self.relation.now[variable.path]
        if variable.is_bool:
            name = variable.path
            yield Atom(term, name, f"not {name}", (name,), lambda column: column != 0, 0)
            return
        few = variable.high - variable.low < MOST_VALUES
        values = range(variable.low, variable.high + 1) if few else sorted({variable.low, 0, 1})
        # Of two values, one being false says that the other is true.
        for value in list(values)[1 if few and len(values) == 2 else 0 :]:
            if variable.low <= value <= variable.high:
                rank = 2 if variable.path in self.relation.system.free else int(not few and value != variable.low)
                yield Atom(
                    term == constant(value, term.sort()), *_words(variable, value), (variable.path,), _is(value), rank
                )

    def _comparisons(self) -> Iterator[Atom]:
        # Only these are integers in every encoding, so that a clause means the same in each.
        numbers = [v for v in self.relation.variables if v.high >= UNBOUNDED]
        for a, b in itertools.combinations(numbers, 2):
            x, y = self.relation.now[a.path], self.relation.now[b.path]
            rank = 2 if {a.path, b.path} <= self.relation.system.free.keys() else 1
            names = (a.path, b.path)
            yield Atom(x == y, " == ".join(names), " != ".join(names), names, lambda x, y: x == y, rank)
            yield Atom(x < y, " < ".join(names), " >= ".join(names), names, lambda x, y: x < y, rank)

    def __len__(self) -> int:
        return len(self.atoms)

    def true_in(self, state: Mapping[str, int]) -> list[int]:
        """The literals that are true in a state: one of each atom."""
        values = {path: np.array([value], object) for path, value in state.items()}
        return [
            2 * i + (0 if atom.holds(*(values[p] for p in atom.variables))[0] else 1)
            for i, atom in enumerate(self.atoms)
        ]

    def term(self, literal: int) -> Term:
        atom = self.atoms[literal >> 1].term
        return z3.Not(atom) if literal & 1 else atom

    def clause(self, clause: Clause) -> Term:
        """What the clause says, for the solver."""
        return z3.Or([self.term(literal) for literal in clause])

    def words(self, clause: Clause) -> str:
        """The clause as a person reads it: "this and that imply the other"."""
        atoms = [(self.atoms[literal >> 1], bool(literal & 1)) for literal in clause]
        premises = [atom.true for atom, negated in atoms if negated]
        conclusions = [atom.true for atom, negated in atoms if not negated]
        if not conclusions:
            conclusions = [next(atom.false for atom, _ in reversed(atoms))]
            premises.pop()
        verb = "implies" if len(premises) == 1 else "imply"
        return f"{' and '.join(premises)} {verb} {' or '.join(conclusions)}" if premises else " or ".join(conclusions)

    def variables(self, clause: Clause) -> frozenset[str]:
        return frozenset(path for literal in clause for path in self.atoms[literal >> 1].variables)


def _words(variable: Variable, value: int) -> tuple[str, str]:
    """That a variable has a value, and that it has not."""
    if variable.high - variable.low == 1:
        other = variable.low + variable.high - value
        return f"{variable.path} is {variable.show(value)}", f"{variable.path} is {variable.show(other)}"
    return f"{variable.path} is {variable.show(value)}", f"{variable.path} is not {variable.show(value)}"


def _is(value: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda column: column == value
