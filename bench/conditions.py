"""What each condition of a claim is there for: the claims without one of their conditions, and which of them hold.

    python bench/conditions.py [--version v1.29 …] [--scenario orphan …] [--property ID …]

A claim that was made of one bug may say too little: "a rejected pod that has no worker" says nothing of one that has.
Prints a line for each version, scenario and condition without which the claim is violated, or violated sooner: after
how many steps, and how the run goes. Conditions that are in no such line are not needed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import dataclasses
from collections.abc import Iterator, Sequence

from podproof.checker.core import ModelError
from podproof.checker.core.system import Exploration, Limits, LoweredProperty, Property, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.lowering.source import derive, source_of
from podproof.checker.reductions import REDUCTIONS, plan
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of
from podproof.queries.versions import VERSIONS


def wider(p: Property) -> Iterator[Property]:
    """The claim without each of its conditions, which its id and meaning name."""
    if p.function is None or p.kind not in ("always", "step"):
        return
    source = source_of(p.function)
    for condition, truth in conditions(source.tree):
        function = derive(source, _Without(condition, truth).visit(copy.deepcopy(source.tree)))
        text = ast.unparse(condition) if truth else f"not ({ast.unparse(condition)})"
        yield dataclasses.replace(p, id=f"{p.id} without `{text}`", function=function)


def conditions(claim: ast.FunctionDef) -> Iterator[tuple[ast.expr, bool]]:
    """What must be true, or false, for a claim to require what it says last."""
    named = {
        node.targets[0].id: node.value
        for node in ast.walk(claim)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    loaded = [node.id for node in ast.walk(claim) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    once = {name: value for name, value in named.items() if loaded.count(name) == 1}
    found: dict[tuple[int, int, str], tuple[ast.expr, bool]] = {}
    for e, truth in _of_block(claim.body, once):
        if not isinstance(e, ast.Constant):
            found.setdefault((e.lineno, e.col_offset, ast.unparse(e)), (e, truth))
    yield from found.values()


def _of_block(body: Sequence[ast.stmt], once: dict[str, ast.expr]) -> Iterator[tuple[ast.expr, bool]]:
    for statement in body:
        match statement:
            case ast.If(test=test, body=inner):
                answers = {
                    ast.unparse(node) for part in inner for node in ast.walk(part) if isinstance(node, ast.Return)
                }
                if answers <= {"return False", "return True"} and len(answers) == 1:
                    ends = isinstance(inner[0], ast.Return)
                    violated = answers == {"return False"}
                    yield from _parts(test, violated, once, is_last=ends and violated)
                yield from _of_block(inner, once)
                yield from _of_block(statement.orelse, once)
            case ast.For(body=inner):
                yield from _of_block(inner, once)
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield from _parts(value, False, once, is_last=True)


def _parts(e: ast.expr, truth: bool, once: dict[str, ast.expr], is_last: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The parts of an expression without which it would be true, or false, more often; the last is what is claimed."""
    match e:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _parts(operand, not truth, once, is_last)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == truth:
            for i, part in enumerate(values):
                yield from _parts(part, truth, once, is_last and i == len(values) - 1)
        case ast.BoolOp(values=values):
            if not is_last:
                yield e, truth
            for part in values:
                yield from (found for found in _parts(part, truth, once, is_last) if found[0] is not part)
        case ast.Name(id=name) if name in once:
            if not is_last:
                yield e, truth
            yield from (found for found in _parts(once[name], truth, once, is_last) if found[0] is not once[name])
        case _:
            if not is_last:
                yield e, truth


class _Without(ast.NodeTransformer):
    """The condition is taken for given."""

    def __init__(self, condition: ast.expr, truth: bool) -> None:
        self.place, self.truth = (condition.lineno, condition.col_offset, ast.unparse(condition)), truth

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if (node.lineno, node.col_offset, ast.unparse(node)) == self.place:
                return ast.copy_location(ast.Constant(self.truth), node)
        return self.generic_visit(node)


def lowered(system: System, p: Property) -> Iterator[LoweredProperty]:
    """Where what follows has a meaning only under the condition, as an event's parameter, it has to stay."""
    for one in wider(p):
        with contextlib.suppress(ModelError):
            yield from lower_properties(system, [one])


def explored(version: str, scenario: str, wanted: Sequence[str]) -> Exploration:
    subject, world = subject_of(version, None), SCENARIOS[scenario]
    system = system_of(subject, world)
    claims = properties_of(subject, world)
    named = [p for p in claims if not wanted or p.id in wanted]
    asked = (*lower_properties(system, named), *(one for p in named for one in lowered(system, p)))
    made = plan(system, asked, set(REDUCTIONS), world.interchangeable)
    return made.report(Compiled().run(made.system, made.properties, made.keep, Limits()))


def told(found: Exploration) -> Iterator[str]:
    """A line for each claim that says more without one of its conditions."""
    of = {v.property.id: v for v in found.verdicts}
    for verdict in found.verdicts:
        claim, _, condition = verdict.property.id.partition(" without ")
        if condition and verdict.depth is not None and verdict.trace is not None:
            if of[claim].depth is None or verdict.depth < of[claim].depth:
                run = "; ".join(map(found.system.event, verdict.trace.moves))
                yield f"{verdict.property.id}: {verdict.depth} steps: {run}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--scenario", action="append", choices=SCENARIOS)
    parser.add_argument("--property", action="append", default=[])
    options = parser.parse_args()
    for scenario in options.scenario or [name for name, world in SCENARIOS.items() if world.by_default]:
        for version in options.version or VERSIONS:
            if not SCENARIOS[scenario].is_for(VERSIONS[version].cls):
                continue
            found = explored(version, scenario, options.property)
            print(f"{version} {scenario}: {found.states} states", flush=True)
            for line in told(found):
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
