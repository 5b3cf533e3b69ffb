"""A bounded sample of an unbounded system, explored by the explicit engine.

What is seen there proves nothing. It shows violations, and it says which lemmas are worth trying.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import z3

from podproof.checker.arrays import AnyArray, Bools, Bytes, Floats, Int64s, Objects
from podproof.checker.core.graph import UNBOUNDED, topological
from podproof.checker.core.system import (
    Action,
    Exploration,
    Limits,
    LoweredProperty,
    OnProgress,
    Outcome,
    State,
    System,
    Transition,
    Variable,
)
from podproof.checker.solver.terms import Relation, Term, constant

MOST_STATES = 2_000_000
_SMALL = 3
"""Free variables begin with numbers up to this one too: enough for the order that a few of them can have."""
_MOST_BEGINNINGS = 64
LEFT_THE_SAMPLE = "numbers larger than the sample's"
"""The bound that cuts off a step to a number that the sample does not have."""


def bounded_sample(system: System, keep: frozenset[str], beginnings: int = 1) -> System:
    """The system with the numbers of its own examples only; one that is bounded already is its own sample.

    A free variable begins with its example, and then in so many other ways. Of the numbers that are not kept, none is
    too large.
    """
    if not system.is_unbounded:
        return system
    initial = tuple(dict.fromkeys(itertools.islice(_beginnings(system), beginnings * len(system.initial))))
    unbounded = {v.path for v in system.variables if v.high >= UNBOUNDED}
    written = topological(node for t in system.transitions for path, node in t.updates.items() if path in unbounded)
    numbers = [_SMALL, *(node.low for node in written if node.is_const and not node.is_bool)]
    numbers += (value for a in system.actions for p in a.parameters if p.unbounded for value in p.values)
    most = max([*numbers, *(state[system.index(path)] for state in system.initial for path in unbounded)])
    bounded = {a.name: tuple(dataclasses.replace(p, unbounded=False) for p in a.parameters) for a in system.actions}
    actions = {a.name: dataclasses.replace(a, parameters=bounded[a.name]) for a in system.actions}
    return dataclasses.replace(
        system,
        variables=tuple(dataclasses.replace(v, high=min(v.high, most)) for v in system.variables),
        actions=tuple(actions.values()),
        transitions=tuple(_bound_transition(system, t, actions, keep, most) for t in system.transitions),
        initial=initial,
        free={},
    )


def _beginnings(system: System) -> Iterator[State]:
    """Initial states: the system's own, then with every small number in the free variables, in a mixed order."""
    yield from system.initial
    free = [(system.index(path), least) for path, least in system.free.items()]
    choices = list(itertools.product(*(range(least, _SMALL + 1) for _, least in free)))
    np.random.default_rng(0).shuffle(choices)
    for values in choices:
        for state in system.initial:
            changed = list(state)
            for (position, _), value in zip(free, values, strict=True):
                changed[position] = int(value)
            yield tuple(changed)


def _bound_transition(
    system: System, t: Transition, actions: Mapping[str, Action], keep: frozenset[str], most: int
) -> Transition:
    graph, highs = system.graph, {v.path: v.high for v in system.variables}
    too_large = [
        graph.lt(graph.integer(most), node)
        for path, node in t.updates.items()
        if path in keep and highs[path] >= UNBOUNDED and node.high > most
    ]
    return dataclasses.replace(
        t,
        action=actions[t.action.name],
        free=tuple(dataclasses.replace(p, unbounded=False) for p in t.free),
        bounds={**t.bounds, LEFT_THE_SAMPLE: graph.and_(t.when(Outcome.TAKEN, graph), graph.or_(*too_large))},
    )


@dataclass(frozen=True)
class Sample:
    """What the explicit engine saw in a sample."""

    found: Exploration
    column: Callable[[Variable], Int64s | Objects]
    """The values of a variable in all states, in the order in which they were reached."""


def explore_sample(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str],
    progress: OnProgress | None = None,
) -> Sample:
    """Explore the sample of a system, all of it or the states nearest to the beginning.

    Raises OutOfRange, with the trace, when the model goes wrong there.
    """
    from podproof.checker.engines.compiled.search import Search

    def explored(beginnings: int) -> Search:
        search = Search(bounded_sample(system, keep, beginnings), properties, keep, Limits(max_states=MOST_STATES), 1)
        search.run(progress)
        return search

    search = explored(1)
    more = min(_MOST_BEGINNINGS, MOST_STATES // search.count)
    if system.free and more > 1 and not search.reason:
        search = explored(more)
    rows, fields = search.states[: search.count], search.layout.fields
    return Sample(search.result(), lambda variable: fields[variable.path].values(rows))


# -- literals ----------------------------------------------------------------------------------------------------------
#
# A literal is a number: `2 * i` says that atom i is true, `2 * i + 1` that it is false. A clause is a tuple of literals
# of which at least one is true.


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
    holds: Callable[..., Bools]
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
    """Two texts: a variable has a value, and it does not."""
    if variable.high - variable.low == 1:
        other = variable.low + variable.high - value
        return f"{variable.path} is {variable.show(value)}", f"{variable.path} is {variable.show(other)}"
    return f"{variable.path} is {variable.show(value)}", f"{variable.path} is not {variable.show(value)}"


def _is(value: int) -> Callable[[AnyArray], Bools]:
    return lambda column: column == value


# -- observations ------------------------------------------------------------------------------------------------------


_FEW = 20_000
"""The size of the working sample; what holds in it is then looked up in all states."""
_REFINED = 256
"""How many refuting states to add to the working sample."""
_STARTS = 6
_ROWS = 1 << 16


class Observations:
    """`packed` is uint8 of shape (atoms, states / 8): the truth of each atom in each state, a bit each.

    `few` is uint8 of shape (atoms, count / 8): the same for the states that are looked at first.
    """

    def __init__(self, seen: Sample, literals: Literals) -> None:
        self.literals = literals
        columns = {}
        states = seen.found.states
        packed = np.empty((len(literals), (states + 7) // 8), np.uint8)
        for i, atom in enumerate(literals.atoms):
            for variable in literals.relation.variables:
                if variable.path in atom.variables and variable.path not in columns:
                    columns[variable.path] = _narrow(seen.column(variable))
            packed[i] = np.packbits(atom.holds(*(columns[path] for path in atom.variables)))
        self.packed, self.states = packed, states
        true = np.array([np.bitwise_count(row).sum(dtype=np.int64) for row in packed], np.int64).reshape(len(literals))
        frequency = np.empty(2 * len(literals))
        frequency[0::2], frequency[1::2] = true, states - true
        self.cost = -np.log((frequency + 0.5) / (states + 1))
        """How rare each literal is. Two literals that are often true and never together are no accident."""
        self.few = np.empty((len(literals), 0), np.uint8)
        self.count = 0
        """The number of the few."""
        self._together = np.zeros((len(literals), len(literals)))
        every = max(1, states // _FEW)
        self._add(self._rows(np.arange(0, states, every)))

    def add(self, state: Sequence[int]) -> None:
        """One more state, given by the literals that are true in it."""
        row = np.zeros((1, len(self.literals)), np.uint8)
        row[0, [literal >> 1 for literal in state if not literal & 1]] = 1
        self._add(row)

    def _rows(self, numbers: Int64s) -> Bytes:
        """The truth of each atom in the states of these numbers, of shape (states, atoms)."""
        return np.ascontiguousarray(((self.packed[:, numbers >> 3] >> (7 - (numbers & 7)).astype(np.uint8)) & 1).T)

    def _add(self, rows: Bytes) -> None:
        """Look at more states, given as by `_rows`."""
        # Whole bytes: the last state may count several times.
        rows = np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % 8, axis=0)])
        self.few = np.concatenate([self.few, np.packbits(rows, axis=0).T], axis=1)
        self.count += len(rows)
        for first in range(0, len(rows), _ROWS):
            part = rows[first : first + _ROWS].astype(np.float32)
            self._together += part.T @ part

    def _witnesses(self, cube: Sequence[int]) -> Bytes:
        """Some states, as rows, in which all literals of the cube are true."""
        bits: Bytes | None = None
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
            chosen = self._exclude(np.array(near, np.int64))
            if chosen is not None:
                return tuple(literal ^ 1 for literal in sorted(chosen))
        return None

    def _exclude(self, cube: Int64s) -> list[int] | None:
        while len(cube):
            chosen = self._shortest(cube)
            if chosen is None:
                return None
            if not len(rows := self._witnesses(chosen)):
                return chosen
            self._add(rows)
        return None

    def _shortest(self, cube: Int64s) -> list[int] | None:
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
            chosen = _grow(bits, cost, [int(first[start]), int(second[start])])
            if chosen is None:
                return None
            found.append((len(chosen), sum(cost[i] for i in chosen), [int(cube[i]) for i in chosen]))
        return min(found)[2] if found else None

    def _pairs(self, cube: Int64s) -> Floats:
        """In how many of the few states two literals are both true, of shape (literals of the cube, the same)."""
        atoms, false = cube >> 1, (cube & 1).astype(bool)
        both, true = self._together[np.ix_(atoms, atoms)], np.diag(self._together)[atoms]
        both = np.where(false[:, None], true[None, :] - both, both)
        ones = np.where(false, self.count - true, true)
        pairs: Floats = np.where(false[None, :], ones[:, None] - both, both)
        return pairs


def _grow(bits: Bytes, cost: Floats, start: list[int]) -> list[int] | None:
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


def _narrow(column: AnyArray) -> AnyArray:
    """Store the numbers in as few bytes as they need."""
    return column.astype(np.min_scalar_type(min(int(column.min(initial=0)), -int(column.max(initial=0)) - 1)))
