"""Z3's own search for an inductive invariant (Spacer), for claims that the lemmas of a sample do not prove."""

from __future__ import annotations

import z3

from podproof.checker.core.system import LoweredProperty
from podproof.checker.solver.obligations import violation
from podproof.checker.solver.relation import Relation
from podproof.checker.solver.terms import Term


def spacer_invariant(relation: Relation, p: LoweredProperty, seconds: float) -> list[Term] | str:
    """The parts of an invariant, still to be checked, or why there is none: one rule for each move."""
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
    return _parts(engine.get_cover_delta(-1, reached), now)


def _parts(cover: Term, now: list[Term]) -> list[Term]:
    """The conjuncts of what Spacer found, over the variables."""
    invariant = z3.simplify(z3.substitute_vars(cover, *now))
    return list(invariant.children()) if z3.is_and(invariant) else [invariant]
