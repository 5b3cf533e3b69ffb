"""Numbers at the borders of machine words: no engine and no export ever computes with less than the number itself."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
import z3
from bench.peers.promela import promela
from bench.peers.tla import tla
from click.testing import Result
from tests.command_line import run_v1_29 as podproof
from tests.counters import assert_same
from tests.generated_code import MachineCode
from tests.test_export import assert_spin_agrees, assert_tlc_agrees, model, needs_spin, needs_tlc
from tests.two_phase_commit import no_lines

from podproof.checker.core.graph import Expr, evaluate
from podproof.checker.core.shapes import Scalar, Scope, Values
from podproof.checker.core.system import (
    CheckerError,
    Exploration,
    LoweredProperty,
    ModelError,
    Parameter,
    Property,
    Status,
    System,
    TooWide,
    Variable,
)
from podproof.checker.engines.compiled import Compiled, state_graph
from podproof.checker.engines.compiled.layout import lay_out
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.engines.python import Python
from podproof.checker.engines.symbolic import Symbolic
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.solver.terms import constant
from podproof.model.language import Array, Domain, Size, action, make, require

NEAR = {31: (-1, 0), 32: (0,), 63: (-1, 0, 1), 64: (-1, 0), 120: (0,)}
"""The bits of machine words, and what lies on either side of where a number needs one more."""
BORDERS = tuple(sign * (1 << power) + near for power in NEAR for sign in (1, -1) for near in NEAR[power])
Large = Annotated[int, Domain("large")]


@dataclass
class Borders:
    """Sums, differences, comparisons, choices, parameters and indices with large numbers."""

    large: Large
    other: Large
    kept: Annotated[Array[Large], Size("two")]
    small: Annotated[int, Domain("small")] = 0
    flag: bool = False

    @action("user", "up by {step}")
    def up(self, step: Annotated[int, Domain("small")]) -> None:
        require(self.large + step <= self.other + 2 and self.other + self.other - step >= self.other + self.large - 2)
        require(self.large - step >= self.other - 2)
        self.large = self.large + step if self.flag else self.large - step
        self.kept[1] = self.large

    @action("user", "sets {number} at {i}")
    def set(self, number: Annotated[int, Domain("near")], i: Annotated[int, Domain("index")]) -> None:
        require(number != self.kept[i])
        self.kept[i] = number
        self.small = 1 if number - self.large > self.other - number else 2

    @action("user", "turns")
    def turn(self) -> None:
        require(self.small > 0)
        self.flag = not self.flag
        self.small = self.kept[self.small - 1] - self.kept[self.small - 1] + self.small - 1


def doubled(state: Borders) -> bool:
    return state.large + state.large >= state.large + state.other - state.small


def apart(state: Borders) -> bool:
    return state.kept[0] - state.large + 1 > state.large - state.kept[0] - state.small


def chosen(before: Borders, after: Borders) -> bool:
    return (before.large if before.flag else after.kept[0]) + after.large >= before.kept[1] + before.other - 2


def near(state: Borders) -> bool:
    return state.large + state.large + 4 >= state.other + state.other and state.large - 1 <= state.other + 1


def far(state: Borders) -> bool:
    return state.large + state.large + state.kept[0] != state.other + state.other + state.kept[1] + 2


CLAIMS = (
    Property("doubled", "always", "", doubled),
    Property("apart", "always", "", apart),
    Property("chosen", "step", "", chosen),
    Property("near", "always", "", near),
    Property("far", "sometimes", "", far),
)


def borders(border: int, *near: int) -> System:
    """The model with numbers around this one, which it begins with; `near` are those that it chooses from."""
    around = tuple(range(border - 4, border + 5))
    domains = {"large": Values(around), "near": Values(near), "small": Values((0, 1, 2)), "index": Values((0, 1))}
    scope = Scope({"two": 2}, domains)
    start = make(Borders, scope.sizes)
    start.large = start.other = start.kept[0] = start.kept[1] = border
    return lower_system(Description(Borders, "test", "closed", "borders", "", scope, [start], no_lines))


SOME = tuple(border for border in BORDERS if abs(border) < 1 << 100)


@pytest.mark.slow
@pytest.mark.parametrize("border", SOME)
def test_numbers_near_a_border_are_the_same_in_every_engine(border: int) -> None:
    system = borders(border, border - 1, border + 2)
    lowered = lower_properties(system, CLAIMS)
    found, expected = Compiled().run(system, lowered), Python().run(system, lowered)
    assert_same(found, expected)
    assert found.complete and {v.status for v in found.verdicts} == {Status.HOLDS, Status.VIOLATED}
    assert statuses(Symbolic().run(system, lowered)) == statuses(expected)
    proved = prove(
        system, [p for p in lowered if p.property.kind != "sometimes"], 60, 1, ProofOptions(), lambda _: None
    )
    assert {name for name, status in statuses(expected).items() if status is Status.VIOLATED} == {
        name for name, status in statuses(proved.exploration).items() if status is Status.VIOLATED
    }


def statuses(found: Exploration) -> dict[str, Status]:
    return {v.property.id: v.status for v in found.verdicts}


@pytest.mark.slow
@pytest.mark.parametrize("quick", [True, False])
def test_machine_code_computes_with_large_numbers_as_the_graph_does(quick: bool) -> None:
    """Sums, differences and choices of what has 64 bits and more, also where the result has fewer."""
    rng = random.Random(3)
    system = borders(1 << 63, 1 << 63)
    nodes = large_nodes(system, rng, 800)
    claims = tuple(LoweredProperty(Property(str(i), "sometimes", ""), node) for i, node in enumerate(nodes))
    compiled = MachineCode(system, claims, quick)
    answers = []
    for _ in range(60):
        state = tuple(rng.randint(v.low, v.high) for v in system.variables)
        answers.append(compiled.examine(state))
        assert answers[-1] == evaluate(nodes, dict(zip((v.path for v in system.variables), state, strict=True)))
    assert sum(len(set(column)) > 1 for column in zip(*answers, strict=True)) > 100


def large_nodes(system: System, rng: random.Random, count: int) -> list[Expr]:
    """Conditions on numbers of at most 128 bits."""
    graph, room = system.graph, 1 << 127
    numbers = [graph.variable(v.path, False, v.low, v.high) for v in system.variables if not v.is_bool]
    numbers += [graph.integer(n) for n in (*BORDERS, 0, 1, -3) if -room <= n < room]
    truths: list[Expr] = [graph.variable("flag", True, 0, 1)]
    while len(truths) < count:
        a, b, p = rng.choice(numbers), rng.choice(numbers), rng.choice(truths)
        number = rng.choice([graph.add(a, b), graph.sub(a, b), graph.ite(p, a, b)])
        if -room <= number.low and number.high < room:
            numbers.append(number)
        truths += [t for t in (graph.lt(a, b), graph.eq(a, b), graph.eq(graph.lt(b, a), p)) if not t.is_const]
    return truths[:count]


def test_what_has_no_room_in_a_machine_word_is_refused_with_its_line() -> None:
    with pytest.raises(ModelError, match="a number may have more than 126 bits here"):
        borders(1 << 127, 1 << 127)
    for wide in ((0, 1 << 63), (-1, (1 << 63) - 1), (-(1 << 127), 5)):
        with pytest.raises(TooWide, match=rf"{wide[0]} to {wide[1]}, which takes .* stores at most 63"):
            Compiled().run(between(*wide), ())


def between(low: int, high: int) -> System:
    """The model with numbers from one to the other, as variables only."""
    system = borders(0, 0)
    variables = tuple(replace(v, low=low, high=high) if v.path == "large" else v for v in system.variables)
    return replace(system, variables=variables)


def test_a_variable_may_have_63_bits_wherever_they_lie() -> None:
    for low in (0, -1, -(1 << 62), -(1 << 63), 1 << 62, 1 << 90):
        (variable, *_) = between(low, low + (1 << 63) - 1).variables
        system = replace(two_values(variable), scenario=str(low))
        graph, _ = state_graph(system, None, ["large"])
        assert [node for (node,) in graph.nodes] == [variable.low, variable.high]
        assert Compiled().run(system, ()).states == 2


def two_values(variable: Variable) -> System:
    """A system whose only variable begins with either end of its range."""
    return replace(
        borders(0, 0), variables=(variable,), initial=((variable.low,), (variable.high,)), transitions=(), actions=()
    )


def test_values_of_a_wide_variable_are_not_cut() -> None:
    for low in (0, -(1 << 63), 1 << 62, 1 << 90):
        variable = between(low, low + (1 << 63) - 1).variables[0]
        layout = lay_out(two_values(variable), None)
        rows = np.array([layout.pack((value,)) for value in (low, low + 1, variable.high)], np.int64)
        assert layout.fields["large"].values(rows).tolist() == [low, low + 1, variable.high]


def test_the_choices_of_parameters_never_outgrow_the_number_that_stands_for_them() -> None:
    system = borders(0, 0)
    (first, *others) = system.transitions
    free = tuple(Parameter(f"p{i}", Scalar(int, 0, 2047, {}, 0), tuple(range(1 << 11))) for i in range(4))
    with pytest.raises(CheckerError, match=r"has 17,592,186,044,416 choices of its parameters"):
        Compiled().run(replace(system, transitions=(replace(first, free=free), *others)), ())


# -- engines and exports with fewer bits -------------------------------------------------------------------------------


def test_a_bit_vector_never_loses_bits_of_a_number() -> None:
    assert constant(-128, z3.BitVecSort(8)).as_signed_long() == -128
    for number in (128, -129, 1 << 63):
        with pytest.raises(ValueError, match="does not fit 8 bits"):
            constant(number, z3.BitVecSort(8))


@pytest.mark.parametrize("border", [(1 << 31) - 4, -(1 << 31) + 4, 1 << 30, *SOME])
def test_exports_refuse_numbers_of_more_than_32_bits(border: int) -> None:
    system = borders(border, border - 1, border + 2)
    lowered = lower_properties(system, CLAIMS)
    for export in (promela, tla):
        with pytest.raises(TooWide, match="SPIN and TLC calculate with 32 bits"):
            export(system, lowered)


@needs_spin
@pytest.mark.parametrize("border", [(1 << 31) // 3 - 6, -(1 << 31) // 3 + 6])
def test_spin_agrees_about_the_largest_numbers_that_it_is_given(border: int, tmp_path: Path) -> None:
    assert_spin_agrees(model(borders(border, border - 1, border + 2), CLAIMS, reduce=False), tmp_path)


@needs_tlc
@pytest.mark.parametrize("border", [(1 << 31) // 3 - 6, -(1 << 31) // 3 + 6])
def test_tlc_agrees_about_the_largest_numbers_that_it_is_given(border: int, tmp_path: Path) -> None:
    assert_tlc_agrees(model(borders(border, border - 1, border + 2), CLAIMS, reduce=False), tmp_path)


# -- from the shell ----------------------------------------------------------------------------------------------------

CHANGE = """
from podproof.model.versions import V1_29


class MyChange(V1_29):
    def calculate_effective_grace_period(self, status, pod, options):
        grace_period, changed = super().calculate_effective_grace_period(status, pod, options)
        if status.grace_period > 0 and status.grace_period + {added} >= {border}:
            grace_period = min(grace_period, status.grace_period)
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period
"""
CHECK = ("check", "--scenario", "deleted-twice-and-killed", "--property", "grace_period_only_decreases")


def check(folder: Path, border: int, *options: str) -> Result:
    """A change that keeps grace periods of 11 s and more from growing, with a number in the way."""
    (folder / "change.py").write_text(CHANGE.format(added=border - 11, border=border))
    return podproof(*CHECK, "--model", str(folder / "change.py"), "--max-depth", "3", *options)


@pytest.mark.slow
@pytest.mark.parametrize("border", [1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 11, 1 << 64])
@pytest.mark.parametrize("engine", ["python", "compiled", "auto"])
def test_a_model_that_adds_up_large_numbers_is_not_believed(border: int, engine: str, tmp_path: Path) -> None:
    """With 64 bits, the sum of 5 and 2^63 - 11 is greater than 2^63, which is less than nothing."""
    found = check(tmp_path, border, "--engine", engine)
    assert found.exit_code == 4
    assert "INHERITED grace_period_only_decreases  3 steps" in found.stdout


def test_numbers_that_no_machine_has_are_left_to_python_or_refused(tmp_path: Path) -> None:
    refused = check(tmp_path, 1 << 127)
    assert refused.exit_code == 2 and not refused.stdout
    assert "a number may have more than 126 bits here; bound what is added up" in refused.stderr
