"""Engine `diagrams` counts what `dd`, with the diagrams of CUDD, counts: from the same graph, by code of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from tests.two_phase_commit import two_phase_commit

from podproof.checker.core.graph import Expr, Op, substitution, topological
from podproof.checker.core.system import System, Variable
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.diagrams import Diagrams
from podproof.checker.reductions import plan
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of

pytestmark = pytest.mark.peers
cudd = pytest.importorskip("dd.cudd", reason="dd is not installed: pip install dd")


class Counting:
    """All that is reachable, level by level, and how much that is."""

    def __init__(self, system: System) -> None:
        self.system, self.bdd = system, cudd.BDD()
        self.variables = {v.path: v for v in system.variables if v.low < v.high}
        for path in self.variables:
            self.bdd.declare(*(f"{path} {bit}{when}" for bit in range(self.width(path)) for when in ("", "'")))
        self.values = {path: self.values_of(v, "") for path, v in self.variables.items()}
        self.reached = self.bdd.false
        for state in system.initial:
            cube = self.bdd.true
            for v, value in zip(system.variables, state, strict=True):
                cube &= self.values[v.path][value] if v.path in self.values else self.bdd.true
            self.reached |= cube

    def width(self, path: str) -> int:
        v = self.variables[path]
        return int(v.high - v.low).bit_length()

    def values_of(self, v: Variable, when: str) -> dict[int, Any]:
        """For each value of a variable the states that have it, now or after a step."""
        found = {}
        for value in range(v.low, v.high + 1):
            bits = {f"{v.path} {bit}{when}": bool((value - v.low) >> bit & 1) for bit in range(self.width(v.path))}
            found[value] = self.bdd.cube(bits)
        return found

    def read(self, root: Expr) -> dict[int, Any]:
        """The states in which an expression has each of its values; those of a boolean are 0 and 1."""
        memo: dict[Expr, dict[int, Any]] = {}
        for node in topological([root]):
            args = [memo[arg] for arg in node.args]
            if node.op is Op.CONST:
                memo[node] = {int(node.value or 0): self.bdd.true}
                continue
            if node.op is Op.VAR:
                fixed = {v.low: self.bdd.true for v in self.system.variables if v.path == node.value}
                memo[node] = self.values.get(str(node.value), fixed)
                continue
            found: dict[int, Any] = {0: self.bdd.false, 1: self.bdd.false} if node.is_bool else {}
            for chosen in self.choices(args):
                value = int(_COMPUTE[node.op](*chosen))
                states = self.bdd.true
                for arg, one in zip(args, chosen, strict=True):
                    states &= arg[one]
                found[value] = found.get(value, self.bdd.false) | states
            memo[node] = {value: states for value, states in found.items() if states != self.bdd.false}
        return memo[root]

    def choices(self, args: list[dict[int, Any]]) -> list[tuple[int, ...]]:
        found: list[tuple[int, ...]] = [()]
        for arg in args:
            found = [(*before, value) for before in found for value in arg]
        return found

    def relations(self) -> list[tuple[Any, list[str]]]:
        made = []
        for t in self.system.transitions:
            for move in t.moves():
                chosen: Mapping[str, Expr] = {
                    p.name: self.system.graph.constant(p.is_bool, move.values[p.name]) for p in t.action.parameters
                }
                put = substitution(self.system.graph, chosen, Op.PARAM)
                relation = self.read(put([t.enabled])[0]).get(1, self.bdd.false)
                for cut in put([*t.bounds.values(), *t.faults.values()]):
                    relation &= ~self.read(cut).get(1, self.bdd.false)
                written = [path for path in t.updates if path in self.variables]
                for path, node in zip(written, put(t.updates[path] for path in written), strict=True):
                    after, of = self.values_of(self.variables[path], "'"), self.bdd.false
                    for value, states in self.read(node).items():
                        of |= states & after.get(value, self.bdd.false)
                    relation &= of
                made.append((relation, [f"{path} {bit}" for path in written for bit in range(self.width(path))]))
        return made

    def count(self) -> int:
        relations, new = self.relations(), self.reached
        while new != self.bdd.false:
            found = self.bdd.false
            for relation, written in relations:
                image = self.bdd.exist(written, new & relation)
                found |= self.bdd.let({f"{bit}'": bit for bit in written}, image) if written else image
            new = found & ~self.reached
            self.reached |= new
        bits = sum(map(self.width, self.variables))
        return int(self.bdd.count(self.reached, nvars=bits))


_COMPUTE: Mapping[Op, Any] = {
    Op.NOT: lambda a: not a,
    Op.AND: lambda a, b: a and b,
    Op.OR: lambda a, b: a or b,
    Op.EQ: lambda a, b: a == b,
    Op.LT: lambda a, b: a < b,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.ITE: lambda a, b, c: b if a else c,
}


def pod_worker(scenario: str) -> System:
    return plan(system_of(subject_of("v1.35", None), SCENARIOS[scenario]), (), ("constants",)).system


@pytest.mark.parametrize(
    "make",
    [partial(two_phase_commit, 3), partial(two_phase_commit, 8), partial(pod_worker, "lone-pod")],
    ids=["2pc-3", "2pc-8", "lone-pod"],
)
def test_what_dd_counts_diagrams_count(make: Callable[[], System]) -> None:
    system = make()
    found = {engine.run(system, (), None).states for engine in (Diagrams(), Compiled())}
    assert found == {Counting(system).count()}
