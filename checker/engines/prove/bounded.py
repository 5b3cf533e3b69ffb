"""What Z3 finds by itself: the shortest counterexample of an unbounded system, or an invariant.

All shorter runs are refuted first, one length after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import z3

from podproof.checker.core.system import LoweredProperty, Move, State, System
from podproof.checker.solver import GaveUp
from podproof.checker.solver.relation import MoveTerms, Relation, violation
from podproof.checker.solver.terms import Term, any_of, value_of

CHECK_RESOURCES = 500_000_000
"""Z3's resource limit for one length."""


@dataclass(frozen=True)
class Run:
    """An execution: values of some variables at the beginning, and the moves with all their parameters."""

    beginning: Mapping[str, int]
    moves: tuple[Move, ...]


def whole_state(system: System, values: Mapping[str, int]) -> State:
    """The initial state with these values; where they say nothing it is as one of the system's initial states."""
    paths = [v.path for v in system.variables]
    for state in system.initial:
        whole = tuple(values.get(path, value) for path, value in zip(paths, state, strict=True))
        if all(a == b or path in system.free for path, a, b in zip(paths, whole, state, strict=True)):
            return whole
    raise ValueError("a run has to begin in an initial state")


class BoundedSearch:
    """Runs of growing length. `lemmas` are invariants that are proved already: they only make it faster."""

    def __init__(self, relation: Relation, p: LoweredProperty, lemmas: Sequence[Term] = ()) -> None:
        self.relation = relation
        self._parameters = list({t.get_id(): t for m in relation.moves for t in m.parameters.values()}.values())
        self._holds = None if p.state is None else relation.holds(p)
        self._known = z3.And(relation.ranges(), *lemmas)
        self._bad = any_of(z3.And(_selector(m), violation(relation, p, m)) for m in relation.moves)
        self._step = any_of(z3.And(_selector(m), m.condition, relation.after(m)) for m in relation.moves)
        self._names: list[list[tuple[Term, Term]]] = []
        self.solver = z3.Solver()
        self.solver.set("rlimit", CHECK_RESOURCES)
        self._extend()
        self.solver.add(self._at(relation.initial(), 0))

    def _extend(self) -> None:
        step = len(self._names)
        now = [(t, _copy(t, step)) for t in (*self.relation.now.values(), *self._parameters)]
        then = [(self.relation.then[path], _copy(t, step + 1)) for path, t in self.relation.now.items()]
        taken = [(_selector(m), _copy(_selector(m), step)) for m in self.relation.moves]
        self._names.append([*now, *then, *taken])
        self.solver.add(self._at(self._known, step), z3.AtMost(*(name for _, name in taken), 1))

    def _at(self, term: Term, step: int) -> Term:
        return z3.substitute(term, *self._names[step])

    def shortest(self, most: int, expired: Callable[[], bool]) -> Run | None:
        """The shortest run of at most so many steps whose last step violates the claim.

        `expired` is asked before each length whether to give up. Raises GaveUp.
        """
        if self._holds is not None:
            model = self._model(self._at(z3.Not(self._holds), 0), "the initial states")
            if model is not None:
                return Run(self._values(model), ())
        while len(self._names) <= most:
            step = len(self._names) - 1
            if expired():
                raise GaveUp(f"the time was up before runs of {step + 1} steps")
            model = self._model(self._at(self._bad, step), f"runs of {step + 1} steps")
            if model is not None or step + 1 == most:
                return None if model is None else self._read(model)
            self.solver.add(self._at(self._step, step))
            self._extend()
        return None

    def _model(self, term: Term, about: str) -> z3.ModelRef | None:
        self.solver.push()
        self.solver.add(term)
        result = self.solver.check()
        model = self.solver.model() if result == z3.sat else None
        self.solver.pop()
        if result == z3.unknown:
            raise GaveUp(f"Z3 gave up on {about} ({self.solver.reason_unknown()})")
        return model

    def _values(self, model: z3.ModelRef) -> dict[str, int]:
        return {path: value_of(model, _copy(t, 0)) for path, t in self.relation.now.items()}

    def _read(self, model: z3.ModelRef) -> Run:
        moves = []
        for step in range(len(self._names)):
            move = next(m for m in self.relation.moves if value_of(model, _copy(_selector(m), step)))
            parameters = {name: value_of(model, _copy(t, step)) for name, t in move.parameters.items()}
            defaults = {p.name: p.values[0] for p in move.transition.free}
            moves.append(Move(move.transition.action.name, {**defaults, **move.transition.fixed, **parameters}))
        return Run(self._values(model), tuple(moves))


def _selector(move: MoveTerms) -> Term:
    return z3.Bool(f"move {move.number}")


def _copy(term: Term, step: int) -> Term:
    return z3.Const(f"{term}@{step}", term.sort())


def spacer_invariant(relation: Relation, p: LoweredProperty, seconds: float) -> list[Term] | str:
    """The parts of an inductive invariant that Spacer finds, still to be checked, or why there is none."""
    engine = z3.Fixedpoint()
    engine.set(engine="spacer", timeout=int(1000 * seconds))
    now = list(relation.now.values())
    reached = z3.Function("reached", *(term.sort() for term in now), z3.BoolSort())
    bad = z3.Function("bad", z3.BoolSort())
    for function in (reached, bad):
        engine.register_relation(function)
    parameters = {t.get_id(): t for m in relation.moves for t in m.parameters.values()}
    for term in (*now, *parameters.values()):
        engine.declare_var(term)
    engine.rule(reached(*now), z3.And(relation.initial(), relation.ranges()))
    for move in relation.moves:
        after = [move.updates.get(path, term) for path, term in relation.now.items()]
        engine.rule(reached(*after), [reached(*now), move.condition])
        engine.rule(bad(), [reached(*now), violation(relation, p, move)])
    if p.state is not None:
        engine.rule(bad(), [reached(*now), z3.Not(relation.holds(p))])
    answer = engine.query(bad())
    if answer != z3.unsat:
        return "Spacer found a violation" if answer == z3.sat else f"Spacer gave up ({engine.reason_unknown()})"
    invariant = z3.simplify(z3.substitute_vars(engine.get_cover_delta(-1, reached), *now))
    return list(invariant.children()) if z3.is_and(invariant) else [invariant]
