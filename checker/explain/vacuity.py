"""Is a claim that holds vacuous? Then its premise never occurs, and the claim says nothing there.

Of every test that decides against a claim the last fact is its conclusion, together with the negated facts at the end;
those before it are the premise. With `if a and not b and not c: return False` the claim says "b or c, wherever a". The
claim without its conclusion is violated as soon as the premise occurs, so a search finds that as it finds a
counterexample.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

from podproof.checker.core.system import Exploration, LoweredProperty, Status, System
from podproof.checker.explain.failing_part import OPPOSITE, SIGNS
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.lowering.source import derive, source_of
from podproof.checker.reductions import relevant_variables


def premises_of(system: System, claims: Sequence[LoweredProperty]) -> dict[str, LoweredProperty]:
    """By a claim's id, a property that is violated where the claim's premise occurs.

    A premise is left out where a search needs more variables for it than the claims read: that would cost states.
    """
    derived = [
        dataclasses.replace(
            p, id=f"premise of {p.id}", meaning=p.id, function=_without_last_facts(p.function), is_premise=True
        )
        for p in (claim.property for claim in claims)
        if p.kind in ("always", "step") and p.function is not None
    ]
    found, read = lower_properties(system, derived), relevant_variables(system, claims)
    if not relevant_variables(system, found) <= read:
        found = tuple(one for one in found if relevant_variables(system, [one]) <= read)
    return {one.property.meaning: one for one in found}


def with_vacuity(found: Exploration, premises: Sequence[LoweredProperty]) -> Exploration:
    """The exploration without the premises; the verdict on each claim that holds says whether it is vacuous."""
    of_premises = {p.property.id for p in premises}
    is_vacuous = {Status.VIOLATED: False, Status.HOLDS: True}
    by_claim = {v.property.meaning: is_vacuous.get(v.status) for v in found.verdicts if v.property.id in of_premises}
    verdicts = (v for v in found.verdicts if v.property.id not in of_premises)
    told = (
        dataclasses.replace(v, is_vacuous=by_claim.get(v.property.id)) if v.status is Status.HOLDS else v
        for v in verdicts
    )
    return dataclasses.replace(found, verdicts=tuple(told))


@functools.cache
def _without_last_facts(claim: Callable[..., bool]) -> Callable[..., Any]:
    source = source_of(claim)
    return derive(source, _Weakening().visit(source.tree))


class _Weakening(ast.NodeTransformer):
    """Gives another tree, which shares its expressions with the claim's own."""

    def generic_visit(self, node: ast.AST) -> Any:
        node = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [self.visit(part) if isinstance(part, ast.stmt) else part for part in value])
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        node = self.generic_visit(node)
        match node.body:
            case [ast.Return(value=ast.Constant(value=False))]:
                node.test = _premise_of(node.test, True)
            case [ast.If(test=ast.Constant(value=True), orelse=[])]:
                node.test = _without_exceptions([node.test])
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        node = copy.copy(node)
        if node.value is not None and not isinstance(node.value, ast.Constant):
            node.value = ast.UnaryOp(ast.Not(), _premise_of(node.value, False))
        return node


def _premise_of(e: ast.expr, truth: bool) -> ast.expr:
    """What comes before that which is claimed where an expression is true, or false."""
    match e:
        case ast.Constant(value=bool(value)):
            return ast.Constant(value == truth)
        case ast.UnaryOp(op=ast.Not()):
            return _premise_of(e.operand, not truth)
        case ast.BoolOp(values=[*rest, last]) if isinstance(e.op, ast.And) == truth:
            given, claimed = [part if truth else _negation(part) for part in rest], _premise_of(last, truth)
            return _without_exceptions(given) if _is_true(claimed) else ast.BoolOp(ast.And(), [*given, claimed])
        case ast.BoolOp():
            either = [_premise_of(part, truth) for part in e.values]
            return ast.Constant(True) if any(map(_is_true, either)) else ast.BoolOp(ast.Or(), either)
    return ast.Constant(True)


def _without_exceptions(facts: Sequence[ast.expr]) -> ast.expr:
    """The facts without the negated ones at the end, which say "unless b, or c"."""
    facts = [
        part
        for fact in facts
        for part in (fact.values if isinstance(fact, ast.BoolOp) and isinstance(fact.op, ast.And) else [fact])
    ]
    while facts and isinstance(facts[-1], ast.UnaryOp) and isinstance(facts[-1].op, ast.Not):
        facts = facts[:-1]
    return ast.BoolOp(ast.And(), [ast.Constant(True), *facts]) if facts else ast.Constant(True)


def _negation(e: ast.expr) -> ast.expr:
    """The opposite; that of a comparison is one, and says what is and not what is not."""
    match e:
        case ast.UnaryOp(op=ast.Not()):
            return e.operand
        case ast.Compare(ops=[op]) if type(op) in SIGNS:
            return ast.Compare(e.left, [OPPOSITE[type(op)]()], e.comparators)
    return ast.UnaryOp(ast.Not(), e)


def _is_true(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is True
