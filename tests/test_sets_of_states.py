"""Engine `diagrams`: what it counts and decides is what the engines find that go through states one by one."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from tests.command_line import run_v1_29 as run
from tests.counters import COUNTER_CLAIMS, Counters, Overflowing, counters
from tests.generated_code import random_nodes
from tests.two_phase_commit import PROPERTIES, two_phase_commit

from podproof.checker import engines
from podproof.checker.core.system import (
    CheckerError,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Progress,
    Property,
    StateGraph,
    System,
)
from podproof.checker.engines import compiled
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.diagrams import Diagrams, projection, saturation
from podproof.checker.engines.diagrams import search as sets_search
from podproof.checker.engines.diagrams.order import order, possible_values, row_of_leaves
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan, relevant_variables
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of
from podproof.queries.progress import line_of

Claims = tuple[LoweredProperty, ...]


def told(found: Exploration) -> tuple[object, ...]:
    """All that does not depend on who was found first."""
    taken = {name: count.taken for name, count in found.actions.items()}
    verdicts = [(v.property.id, v.status, v.reason, v.depth) for v in found.verdicts]
    return found.complete, found.reason, found.states, found.transitions, taken, dict(found.bounds_hit), verdicts


def pod_worker(version: str, scenario: str, *reductions: str) -> tuple[System, Claims, frozenset[str] | None]:
    subject, world = subject_of(version, None), SCENARIOS[scenario]
    system = system_of(subject, world)
    made = plan(system, lower_properties(system, properties_of(subject, world)), reductions)
    return made.system, tuple(made.properties), made.keep


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "scenario", "reductions"),
    [
        ("v1.29", "lone-pod", ()),
        ("v1.35", "lone-pod", ("slicing", "constants")),
        ("v1.20", "lone-pod", ("slicing", "constants")),
        ("v1.26", "orphan", ("slicing", "constants")),
    ],
)
def test_it_finds_of_a_kubelet_what_the_search_finds(version: str, scenario: str, reductions: tuple[str, ...]) -> None:
    what = pod_worker(version, scenario, *reductions)
    assert told(Diagrams().run(*what)) == told(Compiled().run(*what))


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", range(24))
def test_it_finds_of_random_systems_what_the_search_finds(seed: int) -> None:
    rng = random.Random(seed)
    system = counters(Counters, (0, 3))
    nodes = random_nodes(system, rng, 60)
    graph, guarded = system.graph, []
    for t in system.transitions:
        also = graph.or_(rng.choice(nodes), rng.choice(nodes)) if rng.random() < 0.7 else graph.true
        guarded.append(replace(t, enabled=graph.and_(t.enabled, also)))
    system = replace(system, transitions=tuple(guarded))
    claims = []
    for i, node in enumerate(nodes[:6]):
        claims.append(LoweredProperty(Property(f"a{i}", "always", ""), node))
        claims.append(LoweredProperty(Property(f"s{i}", "sometimes", ""), node))
        steps = tuple(graph.and_(rng.choice(nodes), rng.choice(nodes)) for _ in guarded)
        claims.append(LoweredProperty(Property(f"t{i}", "step", ""), steps=steps))
    for limits in (Limits(), Limits(max_depth=2)):
        what = system, claims, None, limits
        assert told(Diagrams().run(*what)) == told(Compiled().run(*what))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["lone-pod", "killed-pod"])
def test_it_says_which_claims_are_exercised(scenario: str) -> None:
    """These need no trace."""
    told = [
        json.loads(run("check", "--scenario", scenario, "--engine", engine, "-o", "json").stdout)["results"][0]
        for engine in ("diagrams", "compiled")
    ]
    one, other = ({p["id"]: (p["status"], p.get("exercised")) for p in found["properties"]} for found in told)
    assert one == other and {True, False} <= {exercised for _, exercised in one.values()}


THREE = ("check", "--scenario", "three-pods", "--property", "terminated_pods_never_restart")


@pytest.mark.slow
def test_three_pods_that_are_alike_are_for_it() -> None:
    found = run(*THREE)
    assert found.exit_code == 0 and "engine diagrams" in found.stdout
    assert "engine compiled" in run(*THREE, "--max-states", "1000").stdout


@pytest.mark.slow
def test_what_it_cannot_write_down_is_for_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets_search, "available_memory", lambda: 0)
    monkeypatch.setattr(sets_search, "_FIRST_ROOM", 1 << 10)
    found = run("check", "--scenario", "three-pods", "--property", "terminated_pods_never_restart", "--budget", "1s")
    assert found.exit_code == 4 and "engine compiled" in " ".join(found.stdout.split())
    assert "--engine auto takes compiled" in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "by"),
    [
        ("lone-pod", ("pod_sync_statuses[0].started_at", "workers[0][0].position")),
        ("static-successor", ("started_static_pods[0]", "housekeeping", "pod_sync_statuses[1].finished")),
    ],
)
def test_a_projected_graph_is_that_of_the_search(scenario: str, by: tuple[str, ...]) -> None:
    system, _, _ = pod_worker("v1.29", scenario)
    keep = relevant_variables(system, (), by)
    one, (other, _) = projection.state_graph(system, keep, by), compiled.state_graph(system, keep, by)
    assert nodes_and_edges(one) == nodes_and_edges(other) and len(one.nodes) > 8


def nodes_and_edges(found: StateGraph) -> tuple[object, ...]:
    """All but the order of the nodes."""
    between = [
        {(found.nodes[a], found.nodes[b]): dict(counts) for (a, b), counts in edges.items()}
        for edges in (found.edges, found.moves)
    ]
    return (
        dict(zip(found.nodes, found.counts, strict=True)),
        {found.nodes[i] for i in found.initial},
        between,
        found.by,
        found.complete,
    )


def test_three_pods_are_drawn_from_sets_of_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "state_graph", None)
    drawn = run("diagram", "--scenario", "three-pods", "--by", "started_at,finished", "-o", "mermaid")
    assert drawn.exit_code == 0 and "51,082,795 states seen through started_at" in drawn.stdout


def test_the_bits_of_a_pod_are_next_to_each_other() -> None:
    system, _, _ = pod_worker("v1.29", "static-pair")
    pods = [v.path[v.path.index("[") :][:3] for v in order(system, system.variables) if v.path.startswith("pod_")]
    assert [pod for pod, _ in itertools.groupby(pods)] in (["[0]", "[1]"], ["[1]", "[0]"])


def test_a_depth_ends_it_where_it_ends_the_search() -> None:
    system = two_phase_commit(3)
    claims = lower_properties(system, PROPERTIES)
    for most in range(13):
        found, expected = (
            engine.run(system, claims, None, Limits(max_depth=most)) for engine in (Diagrams(), Compiled())
        )
        assert (told(found), found.depth) == (told(expected), expected.depth), most


def test_more_states_than_anybody_can_visit_are_counted_exactly() -> None:
    system, small = two_phase_commit(20), two_phase_commit(3)
    found = Diagrams().run(system, lower_properties(system, PROPERTIES))
    assert (found.complete, found.states, found.depth) == (True, 3_657_257_952_739_328, None)
    expected = Compiled().run(small, lower_properties(small, PROPERTIES))
    assert [v.status for v in found.verdicts] == [v.status for v in expected.verdicts]


def test_the_nearest_of_more_states_than_anybody_can_visit_are_found() -> None:
    system = two_phase_commit(40)
    found = Diagrams().run(system, lower_properties(system, PROPERTIES))
    depths = {v.property.id: v.depth for v in found.verdicts if v.trace is not None}
    assert depths == {"nobody_commits": 82, "first_is_never_undone": 3, "all_commit": 121}


def test_too_little_room_is_enlarged(monkeypatch: pytest.MonkeyPatch) -> None:
    system = two_phase_commit(6)
    claims = lower_properties(system, PROPERTIES)
    expected = told(Diagrams().run(system, claims))
    monkeypatch.setattr(sets_search, "_FIRST_ROOM", 256)
    monkeypatch.setattr(saturation, "_FIRST_ROOM", 64)
    assert told(Diagrams().run(system, claims)) == expected
    monkeypatch.undo()
    monkeypatch.setattr(sets_search, "_FIRST_ROOM", 256)
    monkeypatch.setattr(sets_search, "available_memory", lambda: 1 << 14)
    with pytest.raises(CheckerError, match="there is no memory for a diagram of 1,048,576 nodes"):
        Diagrams().run(system, ())


def test_more_memory_than_is_allowed_is_not_taken() -> None:
    asked = ("check", "--scenario", "static-pair", "--property", "terminated_pods_never_restart", "--memory", "64MiB")
    found = run(*asked, "--engine", "diagrams")
    assert found.exit_code == 4 and "there is no memory for a diagram" in found.stdout, found.output


@pytest.mark.slow
def test_ctrl_c_ends_it_and_what_was_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_REPORT_SECONDS", -1)
    monkeypatch.setattr(saturation, "_LOOK_SECONDS", 0.001)
    system, _, keep = pod_worker("v1.29", "static-pair")
    seen = []

    def look(progress: Progress) -> None:
        seen.append(progress.nodes)
        if progress.nodes > 10_000:
            raise KeyboardInterrupt

    found = Diagrams().run(system, (), keep, progress=look)
    assert (found.interrupted, found.complete, found.reason) == (True, False, "interrupted")
    assert 1 <= found.states < 2_967_429 and max(seen) > 10_000
    assert "1.20e+21 states in 5 nodes" in line_of("eight", Progress(int(1.2e21), 0, 0, 0, 1, 1, 5))


def test_ctrl_c_ends_it_after_its_last_whole_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_REPORT_SECONDS", -1)

    def look(progress: Progress) -> None:
        if progress.depth == 5:
            raise KeyboardInterrupt

    system = two_phase_commit(6)
    found = Diagrams().run(system, (), limits=Limits(max_depth=9), progress=look)
    expected = Compiled().run(system, (), limits=Limits(max_depth=5))
    assert (found.interrupted, found.states, found.transitions) == (True, expected.states, expected.transitions)


def test_a_model_that_goes_wrong_does_so_with_its_shortest_trace() -> None:
    system = counters(Counters)
    wrong = {"grows too much": system.graph.eq(system.nodes()["total"], system.graph.integer(3))}
    transitions = [replace(t, faults=wrong) if t.action.name == "reset" else t for t in system.transitions]
    system, traces = replace(system, transitions=tuple(transitions)), []
    for engine in (Diagrams(), Compiled()):
        with pytest.raises(EngineFault, match="resets: the model does not go wrong there") as error:
            engine.run(system, lower_properties(system, COUNTER_CLAIMS))
        traces.append(str(error.value).partition(", as was found")[0])
    assert traces[0] == traces[1].removeprefix(f"{system.name}: ")


def test_a_number_that_has_too_many_values_is_refused() -> None:
    system = counters(Overflowing)
    with pytest.raises(CheckerError, match=r"far_2 may have more than 4,096 values"):
        Diagrams().run(system, lower_properties(system, COUNTER_CLAIMS))


def test_a_variable_has_no_more_values_than_its_range() -> None:
    """And none that no update gives: `far_2` is never more than a total, or 7."""
    system = counters(Counters)
    found = possible_values(system, system.variables)
    for v in system.variables:
        assert all(v.low <= value <= v.high for value in found[v.path])
    assert found["flag"] == {0, 1} and max(found["far_2"]) == 7 < system.variables[system.index("far_2")].high


@pytest.mark.slow
def test_the_report_says_who_decided_and_claims_no_depth() -> None:
    found = run("check", "--engine", "diagrams", "--scenario", "lone-pod", "--stats")
    assert found.exit_code == 0, found.output
    first, *_ = found.stdout.splitlines()
    assert "states" in first and "depth" not in first
    assert "engine diagrams" in " ".join(found.stdout.split())
    assert "order of the bits: " in found.stdout and "uids[0] (" in found.stdout
    refused = run("check", "--engine", "diagrams", "--scenario", "lone-pod", "--max-states", "100")
    assert refused.exit_code == 2 and "does not find states one by one" in refused.stderr


def test_a_row_of_leaves_has_its_neighbours_as_near_as_its_clusters_let_them() -> None:
    """0 and 1 are one cluster, 2 and 3 another; then 1 and 2 are the nearest. Of two pairs both may turn round."""
    distances = np.array([[0, 1, 9, 8], [1, 0, 5, 9], [9, 5, 0, 2], [8, 9, 2, 0]], float)
    assert row_of_leaves(distances) in ([0, 1, 2, 3], [3, 2, 1, 0])
    for turned in itertools.permutations(range(4)):
        row = [turned[i] for i in row_of_leaves(distances[np.ix_(turned, turned)])]
        assert row in ([0, 1, 2, 3], [3, 2, 1, 0])


def test_a_step_that_two_bounds_cut_off_is_counted_once() -> None:
    system = counters(Counters, (0, 3))
    overlapping = [
        replace(t, bounds={**t.bounds, "any": system.graph.or_(*t.bounds.values())} if t.bounds else {})
        for t in system.transitions
    ]
    what = replace(system, transitions=tuple(overlapping)), (), None, Limits(max_depth=6)
    one, other = Diagrams().run(*what), Compiled().run(*what)
    assert told(one) == told(other) and {"too much", "too little"} <= one.bounds_hit.keys()


def test_each_initial_state_is_one_of_a_projected_graph() -> None:
    system, by = counters(Counters, (0, 3)), ("flag", "noise")
    later = replace(system, initial=(*system.initial, (*system.initial[0][:-1], 2)))
    one, (other, _) = projection.state_graph(later, None, by), compiled.state_graph(later, None, by)
    assert nodes_and_edges(one) == nodes_and_edges(other) and len(one.initial) == 2
