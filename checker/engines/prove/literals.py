"""What lemmas may say: predicates of a state, each for Z3, for the graph and in words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import z3

from podproof.checker.core.graph import UNBOUNDED, Expr
from podproof.checker.core.system import Variable
from podproof.checker.solver.terms import Relation, Term, constant

Clause = tuple[int, ...]
"""Literals of which at least one is true: `2 * i` says that atom i is true, `2 * i + 1` that it is false."""
Goal = Clause | str
"""A part of an invariant: a clause, or the claim about states of this id."""
MOST_VALUES = 16
"""A variable with more values than this is a number: it is compared, and not asked for each of its values."""


@dataclass(frozen=True)
class Atom:
    """A predicate of a state."""

    term: Term
    node: Expr
    """The same in the system's graph."""
    true: str
    """What it says in words when it is true."""
    false: str
    variables: tuple[str, ...]


class Literals:
    """All atoms over a relation's variables."""

    def __init__(self, relation: Relation) -> None:
        self.relation, self.graph = relation, relation.system.graph
        self._nodes = relation.system.nodes()
        self.atoms = tuple(itertools.chain(*map(self._about, relation.variables), self._comparisons()))

    def _about(self, variable: Variable) -> Iterator[Atom]:
        name = variable.path
        term, node = self.relation.now[name], self._nodes[name]
        if variable.is_bool:
            yield Atom(term, node, name, f"not {name}", (name,))
            return
        few = variable.high - variable.low < MOST_VALUES
        values = range(variable.low, variable.high + 1) if few else sorted({variable.low, 0, 1})
        # Of two values, one being false says that the other is true.
        for value in list(values)[1 if few and len(values) == 2 else 0 :]:
            if variable.low <= value <= variable.high:
                is_value = self.graph.eq(node, self.graph.integer(value))
                yield Atom(term == constant(value, term.sort()), is_value, *_words(variable, value), (name,))

    def _comparisons(self) -> Iterator[Atom]:
        # Only these are integers in every encoding, so that a clause means the same in each.
        numbers = [v.path for v in self.relation.variables if v.high >= UNBOUNDED]
        for a, b in itertools.combinations(numbers, 2):
            if _may_matter(a, b):
                x, y, p, q = self.relation.now[a], self.relation.now[b], self._nodes[a], self._nodes[b]
                yield Atom(x == y, self.graph.eq(p, q), f"{a} == {b}", f"{a} != {b}", (a, b))
                yield Atom(x < y, self.graph.lt(p, q), f"{a} < {b}", f"{a} >= {b}", (a, b))

    def __len__(self) -> int:
        return len(self.atoms)

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


def _may_matter(a: str, b: str) -> bool:
    """Not elements of arrays at different places: what two of a kind have in common is seldom their numbers."""
    first, second = (re.search(r"\[(\d+)\]", path) for path in (a, b))
    return first is None or second is None or first[1] == second[1]


def _words(variable: Variable, value: int) -> tuple[str, str]:
    """Two texts: a variable has a value, and it does not."""
    if variable.high - variable.low == 1:
        other = variable.low + variable.high - value
        return f"{variable.path} is {variable.show(value)}", f"{variable.path} is {variable.show(other)}"
    return f"{variable.path} is {variable.show(value)}", f"{variable.path} is not {variable.show(value)}"
