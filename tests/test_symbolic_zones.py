"""Zones against counting: what the bounds say of a zone is what going through its points says."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
import z3

from podproof.checker.engines.symbolic.oracle import GaveUp, Oracle
from podproof.checker.engines.symbolic.zones import Bound, Value, Zone, Zones

MOST = 3
Point = tuple[int, ...]


def zones(size: int, highest: int | None = None) -> Zones:
    return Zones(Oracle(), size, highest)


def holds(bound: Bound, point: Point) -> bool:
    values = (0, *point)
    return values[bound.left] - values[bound.right] <= bound.most


def points(of: Zones, zone: Zone, size: int, most: int) -> set[Point]:
    """The points of a zone with values up to `most`, one by one, as its formulas have them."""
    solver = z3.Solver()
    solver.add(*of.formula(zone))
    symbols = [of.symbol(number) for number in range(1, size + 1)]

    def is_in(point: Point) -> bool:
        return bool(solver.check(*(s == v for s, v in zip(symbols, point, strict=True))) == z3.sat)

    return {point for point in itertools.product(range(-1, most + 1), repeat=size) if is_in(point)}


def random_bounds(chance: random.Random, size: int) -> Iterator[Bound]:
    while True:
        left, right = chance.sample(range(size + 1), 2)
        yield Bound(left, right, chance.randint(-2, 2))


def narrowed(of: Zones, start: Zone, chance: random.Random, size: int) -> tuple[Zone, list[Bound]]:
    """A random part of a zone that is not empty, and the conditions that make it."""
    zone, conditions = start, []
    for bound in itertools.islice(random_bounds(chance, size), 4):
        if of.possible(zone, bound):
            zone = of.where(zone, [bound])
            conditions.append(bound)
    return zone, conditions


@pytest.mark.parametrize("seed", range(12))
def test_a_zone_has_the_points_that_fulfil_its_conditions(seed: int) -> None:
    chance, of = random.Random(seed), zones(3)
    zone, conditions = narrowed(of, of.begin([-1, 0, 0], [MOST] * 3), chance, 3)
    box = set(itertools.product(range(-1, MOST + 1), range(MOST + 1), range(MOST + 1)))
    expected = {point for point in box if all(holds(c, point) for c in conditions)}
    assert points(of, zone, 3, MOST) == expected
    for bound in itertools.islice(random_bounds(chance, 3), 20):
        assert of.possible(zone, bound) == any(holds(bound, point) for point in expected), bound


@pytest.mark.parametrize("seed", range(12))
def test_an_assignment_leaves_exactly_the_values_that_it_gives(seed: int) -> None:
    """Parameters are forgotten, and so is what was overwritten."""
    chance, of = random.Random(seed), zones(2)
    start = of.with_parameters(of.begin([0, 0], [MOST, MOST]), [0])
    zone, conditions = narrowed(of, of.where(start, [Bound(3, 0, MOST)]), chance, 3)
    values = [Value(chance.randint(0, 3), chance.randint(0, 1)) for _ in range(2)]
    box = itertools.product(range(MOST + 1), repeat=3)
    before = [(0, *point) for point in box if all(holds(c, point) for c in conditions)]
    expected = {tuple(point[v.number] + v.offset for v in values) for point in before}
    assert points(of, of.after(zone, values), 2, MOST + 1) == expected


@pytest.mark.parametrize("seed", range(8))
def test_equal_sets_have_one_number_and_one_covers_another_where_its_points_do(seed: int) -> None:
    chance, of = random.Random(seed), zones(2)
    start = of.begin([0, 0], [2, 2])
    found = {of.after(narrowed(of, start, chance, 2)[0]) for _ in range(25)}
    by_points = {zone: frozenset(points(of, zone, 2, 2)) for zone in found}
    assert len(set(by_points.values())) == len(found) > 5
    for zone in found:
        larger, smaller = of.compare(zone, found - {zone})
        assert larger == {other for other in found if by_points[zone] < by_points[other]}
        assert smaller == {other for other in found if by_points[zone] > by_points[other]}


def kind(point: Point, highest: int) -> tuple[object, ...]:
    """What points have in common that can be spread into each other: values up to `highest`, and the order above."""
    above = sorted({value for value in point if value > highest})
    return tuple(value if value <= highest else ("above", above.index(value)) for value in point)


@pytest.mark.parametrize("seed", range(10))
def test_widening_adds_only_points_that_can_be_spread_into_the_zone(seed: int) -> None:
    chance, highest = random.Random(seed), 1
    exact, wide = zones(3), zones(3, highest)
    conditions: list[Bound] = []
    zone = exact.begin([-1, 0, 0], [None, None, None])
    for left, right in itertools.product(range(4), repeat=2):
        # As comparisons of numbers with each other and with constants up to `highest` make them.
        most = chance.choice([-1, 0]) if left and right else chance.choice([-1, 0, highest] if left else [0, -1, -2])
        bound = Bound(left, right, most)
        if left != right and chance.random() < 0.4 and exact.possible(zone, bound):
            zone = exact.where(zone, [bound])
            conditions.append(bound)
    widened = wide.after(wide.where(wide.begin([-1, 0, 0], [None, None, None]), conditions))
    before, after = points(exact, zone, 3, 7), points(wide, widened, 3, 4)
    assert {point for point in before if max(point) <= 4} <= after
    assert {kind(point, highest) for point in after} <= {kind(point, highest) for point in before}


def test_widening_makes_endless_chains_finite() -> None:
    of, seen = zones(2, 1), set[Zone]()
    zone = of.begin([0, 0], [None, None])
    for _ in range(10):
        seen.add(zone)
        between = of.where(of.with_parameters(zone, [0]), [Bound(1, 3, -1), Bound(3, 2, -1)])
        zone = of.after(between, [Value(3, 0), Value(2, 0)])
    assert len(seen) < 6


def test_a_question_is_asked_once() -> None:
    of = zones(3)
    zone = of.begin([0, 0, 0], [None, None, 5])
    assert of.possible(zone, Bound(1, 2, -1))
    asked = of.oracle.asked
    assert of.possible(zone, Bound(1, 2, -1)) and of.possible(zone, Bound(1, 2, -1))
    other = of.where(zone, [Bound(3, 0, 4)])
    assert of.possible(other, Bound(1, 2, -1)), "about these two numbers nothing is different"
    assert of.oracle.asked == asked


def test_no_answer_of_z3_is_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3.Solver, "check", lambda self, *assumptions: z3.unknown)
    monkeypatch.setattr(z3.Solver, "reason_unknown", lambda self: "timeout")
    of = zones(1)
    with pytest.raises(GaveUp, match=r"Z3 gave up \(timeout\)"):
        of.possible(of.begin([0], [None]), Bound(1, 0, 3))
