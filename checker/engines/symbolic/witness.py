"""Concrete values for a symbolic path: Z3 finds them, CPython replays them.

Nothing of the search is taken over but the moves and the control states: the whole path is put to Z3 anew, from the
initial state to what decides the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import z3

from podproof.checker.core.graph import UNBOUNDED
from podproof.checker.core.system import EngineFault, LoweredProperty, Move, State, Trace
from podproof.checker.core.trace import evidence, replay
from podproof.checker.engines.symbolic.moves import Parts
from podproof.checker.engines.symbolic.oracle import Oracle
from podproof.checker.solver.relation import Move as RelationMove
from podproof.checker.solver.relation import Relation
from podproof.checker.solver.terms import Term, constant


@dataclass(frozen=True)
class Path:
    """The moves from an initial state to what was looked for."""

    initial: int
    """The place of the initial state in `System.initial`."""
    moves: tuple[int, ...]
    """Places in `Parts.moves`."""
    controls: tuple[int, ...]
    """The control state at the beginning and after each move; that after the last move may be missing."""


class _Unrolling:
    """A path as formulas: `formulas` is satisfiable where it can be gone, `symbols` are what remains to be chosen."""

    def __init__(self, parts: Parts, relation: Relation, path: Path) -> None:
        self.parts, self.relation, self.path = parts, relation, path
        self.formulas: list[Term] = []
        self.symbols: list[tuple[Term, Sequence[int]]] = []
        """What is to be chosen, with the values that the scenario has for it."""
        self.parameters: list[dict[str, Term | int]] = []
        self.numbers = self._begin()

    def _begin(self) -> dict[str, Term]:
        """The numbers in the initial state."""
        state, numbers = self.parts.system.initial[self.path.initial], {}
        for variable in self.parts.numbers:
            example, least = state[self.parts.system.index(variable.path)], self.parts.system.free.get(variable.path)
            numbers[variable.path] = z3.IntVal(example)
            if least is not None:
                numbers[variable.path] = self._choose(f"first {variable.path}", least, [example])
        return numbers

    def _choose(self, name: str, least: int, preferred: Sequence[int]) -> Term:
        symbol = z3.Int(name)
        self.formulas.append(symbol >= least)
        self.symbols.append((symbol, preferred))
        return symbol

    def step(self, place: int, control: int, after: int | None, conditions: Sequence[Term]) -> None:
        """One more move, out of a control state and into another one where that is known."""
        taken = self.relation.moves[self.parts.moves[place].number]
        put = [*self._state(control), *self._parameters(place, taken)]
        known = {} if after is None else self.parts.unpack(after)
        arrives = [term == _value(term, known[path]) for path, term in taken.updates.items() if path in known]
        self.formulas += [z3.simplify(z3.substitute(c, *put)) for c in (*conditions, *arrives)]
        updates = {path: term for path, term in taken.updates.items() if path in self.numbers}
        self.numbers |= {path: z3.simplify(z3.substitute(term, *put)) for path, term in updates.items()}

    def _parameters(self, place: int, taken: RelationMove) -> Iterator[tuple[Term, Term]]:
        """The parameters, chosen by the move or to be chosen, and what to put in for them."""
        move = self.parts.moves[place]
        values: dict[str, Term | int] = dict(move.values)
        for parameter in move.numbers:
            name = f"{len(self.parameters)}.{parameter.name}"
            values[parameter.name] = self._choose(name, min(parameter.values), parameter.values)
        self.parameters.append(values)
        for name, symbol in taken.parameters.items():
            value = values[name]
            yield symbol, _value(symbol, value) if isinstance(value, int) else value

    def _state(self, control: int) -> Iterator[tuple[Term, Term]]:
        """What to put in for the variables before a step."""
        for path, value in self.parts.unpack(control).items():
            yield self.relation.now[path], _value(self.relation.now[path], value)
        for path, term in self.numbers.items():
            yield self.relation.now[path], term

    def holds_at(self, control: int, formula: Term) -> Term:
        """A formula about a state, at the end of the path so far."""
        return z3.simplify(z3.substitute(formula, *self._state(control)))


def concrete(
    parts: Parts,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None,
    path: Path,
    claim: int | None,
    oracle: Oracle,
) -> Trace:
    """The trace along a path that decides the claim with this place; None means that the model goes wrong at its end.

    The scenario's own numbers are chosen where they will do, and the least ones elsewhere. Raises OutOfRange, with the
    trace, when the model goes wrong, and GaveUp when Z3 does.
    """
    p = None if claim is None else properties[claim]
    relation = Relation(parts.system, () if p is None else (p,), keep)
    unrolling = _Unrolling(parts, relation, path)
    for i, (place, control) in enumerate(zip(path.moves, path.controls, strict=False), 1):
        move = relation.moves[parts.moves[place].number]
        conditions = [move.condition]
        if i == len(path.moves) and p is None:
            conditions = [move.choices, move.fault]
        elif i == len(path.moves) and p is not None and p.steps is not None:
            conditions.append(relation.violated(p, move))
        unrolling.step(place, control, path.controls[i] if i < len(path.controls) else None, conditions)
    if p is not None and p.state is not None:
        formula = unrolling.holds_at(path.controls[-1], relation.holds(p))
        unrolling.formulas.append(formula if p.property.kind == "sometimes" else z3.Not(formula))
    state, moves = _concrete(parts, unrolling, _chosen(unrolling, oracle))
    return replay(parts.system, moves, state) if p is None else evidence(parts.system, moves, state)


def _chosen(unrolling: _Unrolling, oracle: Oracle) -> dict[str, int]:
    """A value for each symbol by its name, one after the other: a preferred one if that will do, else the least."""
    formulas, chosen = list(unrolling.formulas), {}
    for symbol, preferred in unrolling.symbols:
        value = next((v for v in preferred if oracle.model([*formulas, symbol == v]) is not None), None)
        if value is None:
            value = _least(symbol, formulas, oracle)
        formulas.append(symbol == value)
        chosen[str(symbol)] = value
    if oracle.model(formulas) is None:
        raise EngineFault("a symbolic trace has no concrete values")
    return chosen


def _least(symbol: Term, formulas: Sequence[Term], oracle: Oracle) -> int:
    """The least value of a symbol, by bisection."""
    low, high = -1, 0
    while oracle.model([*formulas, symbol <= high]) is None:
        if high > UNBOUNDED:
            raise EngineFault("a symbolic trace has no concrete values")
        low, high = high, 2 * high + 1
    while oracle.model([*formulas, symbol <= low]) is not None:
        low, high = 2 * low, low
    while high - low > 1:
        middle = (low + high) // 2
        if oracle.model([*formulas, symbol <= middle]) is None:
            low = middle
        else:
            high = middle
    return high


def _concrete(parts: Parts, unrolling: _Unrolling, chosen: Mapping[str, int]) -> tuple[State, list[Move]]:
    """The initial state and the moves with the values that were chosen."""
    system = parts.system
    state = list(system.initial[unrolling.path.initial])
    for variable in parts.numbers:
        name = f"first {variable.path}"
        if name in chosen:
            state[system.index(variable.path)] = chosen[name]
    moves: list[Move] = []
    for place, values in zip(unrolling.path.moves, unrolling.parameters, strict=True):
        found = {name: value if isinstance(value, int) else chosen[str(value)] for name, value in values.items()}
        moves.append(Move(parts.moves[place].transition.action.name, found))
    return tuple(state), moves


def _value(like: Term, value: int) -> Term:
    """A value as a term of the same sort as another term."""
    return z3.BoolVal(bool(value)) if z3.is_bool(like) else constant(value, like.sort())
