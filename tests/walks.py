"""Small systems for claims about runs: a walker on a graph, with the fairness and the claims that a test wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Exploration, Property, System, Verdict
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import (
    CONSTANT,
    Array,
    Domain,
    Fairness,
    Size,
    action,
    make,
    out_of_bounds,
    record_lines,
    require,
)

Place = Annotated[int, Domain("places")]
Edge = Annotated[int, Domain("edges")]


@dataclass
class Graph:
    """Where the walker is, and the edges: each belongs to one kind, and a bound may cut it off."""

    at: Place
    sources: Annotated[Array[Place], Size("edges"), CONSTANT]
    targets: Annotated[Array[Place], Size("edges"), CONSTANT]
    kinds: Annotated[Array[Edge], Size("edges"), CONSTANT]
    cut: Annotated[Array[bool], Size("edges"), CONSTANT]
    premise: Annotated[Array[bool], Size("places"), CONSTANT]
    goal: Annotated[Array[bool], Size("places"), CONSTANT]

    def is_low(self) -> bool:
        return self.at < 3


def arrives(state: Graph) -> tuple[bool, bool]:
    """The walker comes to a goal after a premise."""
    return state.premise[state.at], state.goal[state.at]


def returns(state: Graph) -> bool:
    """The walker is at a goal again and again."""
    return state.goal[state.at]


def arrives_from(state: Graph, place: Place) -> tuple[bool, bool]:
    """From each premise the walker comes to a goal."""
    return state.at == place and state.premise[place], state.goal[state.at]


ARRIVES = Property("arrives", "leads_to", "The walker comes to a goal after a premise.", arrives)
RETURNS = Property("returns", "recurs", "The walker is at a goal again and again.", returns)

ARRIVES_FROM = Property("arrives_from", "leads_to", "From each premise the walker comes to a goal.", arrives_from)


def graph(
    edges: Sequence[tuple[int, int]],
    *fairness: Fairness,
    places: int = 0,
    kinds: Sequence[int] = (),
    cut: Sequence[int] = (),
    premise: Sequence[int] = (0,),
    goal: Sequence[int] = (),
) -> System:
    """A walker that begins at place 0. Every edge is of a kind of its own where nothing is said."""
    count = places or 1 + max(max(edge) for edge in edges)

    @dataclass
    class Walk(Graph):
        @action("walker", "edge {edge}", *fairness)
        def step(self, kind: Edge, edge: Edge) -> None:
            require(self.at == self.sources[edge] and kind == self.kinds[edge])
            if self.cut[edge]:
                out_of_bounds("edges")
            self.at = self.targets[edge]

    sizes = {"edges": len(edges), "places": count}
    start = make(Walk, sizes)
    for i, (source, target) in enumerate(edges):
        start.sources[i], start.targets[i] = source, target
        start.kinds[i], start.cut[i] = kinds[i] if kinds else i, i in cut
    for i in range(count):
        start.premise[i], start.goal[i] = i in premise, i in goal
    domains = {"places": Values(tuple(range(count))), "edges": Values(tuple(range(len(edges))))}
    return lower_system(
        Description(Walk, "test", "test", "walk", "a walker", Scope(sizes, domains), [start], record_lines)
    )


def decide(
    system: System, *claims: Property, engine: str = "compiled", without: Sequence[str] = (), needs: bool = True
) -> Exploration:
    return RunChecker(system, engine, without, needs=needs).decide(claims or (ARRIVES,))


def agreed(system: System, claim: Property = ARRIVES, without: Sequence[str] = ()) -> Verdict:
    """The verdict on which all engines agree, as the fast one gives it."""
    fast, *others = (decide(system, claim, engine=name, without=without).verdicts[0] for name in ("compiled", "python"))
    for other in others:
        assert (fast.status, fast.reason.partition(", shortest")[0]) == (
            other.status,
            other.reason.partition(", shortest")[0],
        )
        assert [need.without for need in fast.needs or ()] == [need.without for need in other.needs or ()]
    return fast
