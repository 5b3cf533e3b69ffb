"""`--max-states` in every engine: the search ends at the first step that leads to one state more, and no sooner."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.two_phase_commit import PROPERTIES, STATES, two_phase_commit

from podproof.checker.core.system import Exploration, Limits, LoweredProperty, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.python import Python
from podproof.checker.engines.symbolic import Symbolic
from podproof.checker.lowering.claims import lower_properties
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of

Claims = tuple[LoweredProperty, ...]
Explore = Callable[[System, Claims, Limits], Exploration]


@pytest.fixture
def engines() -> dict[str, Explore]:
    """Each engine that can explore a bounded system."""
    return {
        "python": lambda s, p, limits: Python().run(s, p, None, limits),
        "compiled": lambda s, p, limits: Compiled(threads=1).run(s, p, None, limits),
        "threads": lambda s, p, limits: Compiled(threads=3).run(s, p, None, limits),
        "symbolic": lambda s, p, limits: Symbolic().run(s, p, None, limits),
    }


def told(found: Exploration) -> tuple[object, ...]:
    """All that an engine says, but for its name, times and memory."""
    actions = {name: (count.taken, count.new_states) for name, count in found.actions.items()}
    verdicts = [(v.property.id, v.status, v.reason, v.depth) for v in found.verdicts]
    size = (found.states, found.transitions, found.depth)
    return found.complete, found.reason, size, actions, dict(found.bounds_hit), verdicts


@pytest.mark.parametrize("most", [1, 2, 3, 40, 41, 200, STATES[3] - 1, STATES[3], STATES[3] + 1])
def test_every_engine_finds_the_same(most: int, engines: dict[str, Explore]) -> None:
    system, whole = two_phase_commit(3), STATES[3]
    claims = lower_properties(system, PROPERTIES)
    found = {name: explore(system, claims, Limits(max_states=most)) for name, explore in engines.items()}
    assert found["python"].states == min(most, whole)
    assert found["python"].complete == (most >= whole)
    assert found["python"].reason == ("" if most >= whole else f"stopped at {most} states (--max-states)")
    for name, other in found.items():
        assert told(other) == told(found["python"]), name


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("one-pod", 17), ("two-goroutines", 600)])
def test_so_it_is_of_a_kubelet(name: str, most: int, engines: dict[str, Explore]) -> None:
    """With bounds that cut steps off; for the symbolic engine a state has all numbers of seconds at once."""
    subject, scenario = subject_of("v1.29", None), SCENARIOS[name]
    system = system_of(subject, scenario)
    claims = lower_properties(system, properties_of(subject, scenario))
    found = {n: explore(system, claims, Limits(max_states=most)) for n, explore in engines.items() if n != "symbolic"}
    for engine, other in found.items():
        assert told(other) == told(found["python"]), engine
    unbounded = system_of(subject, scenario, unbounded=True)
    one = engines["symbolic"](unbounded, lower_properties(unbounded, properties_of(subject, scenario)), Limits(most))
    assert one.states == most and one.reason == found["python"].reason
