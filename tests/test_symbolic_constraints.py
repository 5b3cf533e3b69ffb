"""Constraints against counting: what the bounds say of a step is what going through the points says."""

from __future__ import annotations

import itertools
import random

import pytest
import z3

from podproof.checker.core.graph import UNBOUNDED, Expr, Graph, evaluate
from podproof.checker.solver import GaveUp
from podproof.checker.solver.differences import FAULT, Constraints, Effect

MOST = 3
NAMES = ("a", "b", "c")
Point = tuple[int, ...]
LEVEL = 1 << 20
"""Where the toys below have a control variable in their words."""


def constraints(size: int, highest: int | None = None) -> Constraints:
    return Constraints(NAMES[:size], highest, lambda _path, value: LEVEL * value)


def points(of: Constraints, constraint: int, most: int) -> set[Point]:
    """The points that fulfil a constraint, with values from -1 to `most`, one by one."""
    rows = of.rows[constraint]
    box = itertools.product(range(-1, most + 1), repeat=len(rows) - 1)
    entries = [(i, j, bound) for i, row in enumerate(rows) for j, bound in enumerate(row)]
    return {p for p in box if all((0, *p)[i] - (0, *p)[j] <= bound for i, j, bound in entries)}


class Numbers:
    """Expressions made at random over some numbers and a parameter."""

    def __init__(self, seed: int, size: int) -> None:
        self.chance, self.graph = random.Random(seed), Graph()
        variables = [self.graph.variable(name, False, -1, UNBOUNDED) for name in NAMES[:size]]
        self.parameter = self.graph.parameter("p", False, 0, UNBOUNDED)
        self.numbers = [*variables, self.parameter]

    def comparison(self) -> Expr:
        left, right = self.chance.sample([*self.numbers, self.graph.integer(1)], 2)
        left = self.graph.add(left, self.graph.integer(self.chance.randint(0, 2)))
        return self.chance.choice([self.graph.lt, self.graph.le, self.graph.eq])(left, right)

    def condition(self) -> Expr:
        parts = [self.comparison() for _ in range(3)]
        both = self.graph.and_(parts[0], self.chance.choice([parts[1], self.graph.not_(parts[1])]))
        return self.chance.choice([parts[0], both, self.graph.or_(both, parts[2])])

    def number(self) -> Expr:
        left, right = (self.chance.choice(self.numbers) for _ in range(2))
        moved = self.graph.add(right, self.graph.integer(self.chance.randint(0, 1)))
        return self.chance.choice([left, moved, self.graph.ite(self.comparison(), left, moved)])


@pytest.mark.parametrize("seed", range(30))
def test_a_step_comes_to_exactly_what_its_points_come_to(seed: int) -> None:
    """With a guard, a bound, a fault, a control variable that the numbers decide, and new values of all numbers."""
    made, of = Numbers(seed, 2), constraints(2)
    graph, two = made.graph, made.graph.integer(2)
    small = graph.ite(graph.lt(made.numbers[1], two), made.numbers[1], two)
    within = graph.le(made.parameter, graph.integer(MOST))
    level = graph.ite(made.condition(), two, graph.ite(made.condition(), graph.integer(1), small))
    guard, cut, wrong = (made.condition() for _ in range(3))
    new = {name: made.number() for name in NAMES[:2]}
    stops = (("bound", graph.and_(cut, made.condition())), (FAULT, graph.and_(wrong, made.condition())))
    effect = Effect((("p", 0),), graph.and_(within, guard), stops, (("level", level), *new.items()))
    found = of.outcome(effect, of.between([0, -1], [MOST, MOST]))

    expected: set[tuple[int, Point]] = set()
    reached: set[str] = set()
    for point in itertools.product(range(MOST + 1), range(-1, MOST + 1), range(MOST + 1)):
        roots = [effect.enabled, *(node for _, node in stops), level, *new.values()]
        values = evaluate(roots, dict(zip(NAMES, point[:2], strict=False)), {"p": point[2]})
        enabled, is_cut, is_wrong, chosen, *after = values
        if enabled and (is_cut or is_wrong):
            reached.add("bound" if is_cut else FAULT)
        elif enabled:
            expected.add((LEVEL * chosen, tuple(after)))
    assert {(word, p) for word, after, _ in found.steps for p in points(of, after, MOST + 1)} == expected
    assert set(found.stops) == reached


@pytest.mark.parametrize("seed", range(8))
def test_equal_sets_are_one_and_one_implies_another_where_its_points_are_in_it(seed: int) -> None:
    made, of = Numbers(seed, 2), constraints(2)
    start, found = of.between([0, 0], [2, 2]), set[int]()
    for _ in range(30):
        within = made.graph.le(made.parameter, made.graph.integer(2))
        steps = of.outcome(Effect((("p", 0),), made.graph.and_(within, made.condition(), made.condition())), start)
        found |= {after for _, after, _ in steps.steps}
    by_points = {constraint: frozenset(points(of, constraint, 2)) for constraint in found}
    assert len(set(by_points.values())) == len(found) > 5
    for one, other in itertools.permutations(found, 2):
        assert of.implies_any(one, {other}) == (by_points[one] <= by_points[other])
    for one in found:
        larger = {other for other in found - {one} if by_points[one] < by_points[other]}
        assert of.implies_any(one, found - {one}) == bool(larger)


def kind(point: Point, highest: int) -> tuple[object, ...]:
    """What points have in common that can be spread into each other: values up to `highest`, and the order above."""
    above = sorted({value for value in point if value > highest})
    return tuple(value if value <= highest else ("above", above.index(value)) for value in point)


@pytest.mark.parametrize("seed", range(80))
def test_widening_adds_only_points_that_can_be_spread_into_the_constraint(seed: int) -> None:
    """Conditions as comparisons of numbers with each other and with constants up to `highest` make them."""
    chance, highest, graph = random.Random(seed), 1, Graph()
    exact, wide = constraints(3), constraints(3, highest)
    numbers = [graph.variable(name, False, -1, UNBOUNDED) for name in NAMES]
    known = [*numbers, *map(graph.integer, range(highest + 1))]
    parts = [
        graph.lt(*pair) if chance.random() < 0.5 else graph.le(*pair)
        for pair in itertools.permutations(known, 2)
        if chance.random() < 0.25
    ]
    effect, anything = Effect((), graph.and_(*parts)), [float("inf")] * 3

    def after(of: Constraints, most: int) -> set[Point]:
        steps = of.outcome(effect, of.between([-1, 0, 0], anything)).steps
        return {point for _, constraint, _ in steps for point in points(of, constraint, most)}

    narrow, widened = after(exact, 7), after(wide, 4)
    assert {point for point in narrow if max(point) <= 4} <= widened
    assert {kind(point, highest) for point in widened} <= {kind(point, highest) for point in narrow}


def squeeze(graph: Graph) -> Effect:
    """Between two numbers comes a third one, in the place of the lesser."""
    a, b = (graph.variable(name, False, 0, UNBOUNDED) for name in NAMES[:2])
    between = graph.parameter("p", False, 0, UNBOUNDED)
    return Effect((("p", 0),), graph.and_(graph.lt(a, between), graph.lt(between, b)), (), (("a", between),))


def test_widening_makes_endless_chains_finite() -> None:
    for highest, few in ((1, True), (None, False)):
        of, effect, seen = constraints(2, highest), squeeze(Graph()), list[int]()
        seen.append(of.between([0, 0], [float("inf")] * 2))
        for _ in range(10):
            ((_, after, _),) = of.outcome(effect, seen[-1]).steps
            seen.append(after)
        assert (len(set(seen)) < 6) is few


def test_z3_is_asked_once_where_nothing_is_different_about_the_numbers_that_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, graph, of = list[object](), Graph(), constraints(3)
    check = z3.Solver.check
    monkeypatch.setattr(z3.Solver, "check", lambda self, *names: asked.append(self) or check(self, *names))
    a, b = (graph.variable(name, False, 0, UNBOUNDED) for name in NAMES[:2])
    effect = Effect((), graph.lt(a, b))
    of.outcome(effect, of.between([0, 0, 0], [float("inf")] * 3))
    count = len(asked)
    assert count > 0
    of.outcome(effect, of.between([0, 0, 4], [float("inf"), float("inf"), 5]))
    assert len(asked) == count


@pytest.mark.parametrize("number", [1 << 50, 1 << 62, (1 << 63) + 1, -(1 << 63) - 1, 1 << 120, -(1 << 120)])
def test_bounds_have_as_many_digits_as_they_need(number: int) -> None:
    of, graph = constraints(1), Graph()
    a = graph.variable("a", False, -UNBOUNDED, UNBOUNDED)
    low, moved = graph.integer(number - 1), graph.add(a, graph.integer(abs(number)))
    effect = Effect(
        (), graph.and_(graph.lt(low, a), graph.not_(graph.eq(a, graph.integer(number)))), (), (("a", moved),)
    )
    ((_, after, _),) = of.outcome(effect, of.between([number - 2], [number + 1])).steps
    end = number + 1 + abs(number)
    assert of.rows[after] == ((0, -end), (end, 0))
    ((_, after, _),) = of.outcome(effect, of.between([number - 2], [float("inf")])).steps
    assert of.rows[after] == ((0, -end), (float("inf"), 0))


def test_no_answer_of_z3_is_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3.Solver, "check", lambda self, *assumptions: z3.unknown)
    monkeypatch.setattr(z3.Solver, "reason_unknown", lambda self: "timeout")
    of = constraints(2)
    with pytest.raises(GaveUp, match=r"Z3 gave up \(timeout\)"):
        of.outcome(squeeze(Graph()), of.between([0, 0], [float("inf")] * 2))
