"""Reductions: fewer and smaller states, and for every claim the same verdict and a trace that shows it.

Here versions and scenarios are small; `pytest -m reductions` compares all of them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from tests.command_line import run_v1_29 as run
from tests.test_exchanges import Grams, described
from tests.two_phase_commit import PROPERTIES, STATES, two_phase_commit

from podproof.checker.core.graph import Graph, evaluate
from podproof.checker.core.system import CheckerError, Exploration, Property, Status, System, Trace
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.compiled.layout import WORD_BITS, lay_out
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, Plan, plan, relevant_variables, unchanging_variables
from podproof.checker.reductions.symmetry import Names, Quotient, generated_by, renamings_of
from podproof.checker.solver.equivalence import Equivalence
from podproof.model.kubelet import Kubelet
from podproof.model.language import action, out_of_bounds, require
from podproof.model.pod_workers import PodWorkers
from podproof.model.scenarios import SCENARIOS, PodDescription, Scenario
from podproof.model.versions import V1_29
from podproof.queries.build import Subject, properties_of, system_of
from podproof.queries.versions import VERSIONS


def static_pair(**changes: object) -> Scenario:
    """Two static pods with one full name that are never removed."""
    name = "static-web_kube-system"
    pods = tuple(PodDescription(uid, name, static=True, removes=0) for uid in ("old", "new"))
    return replace(SCENARIOS["static-pair"], pods=pods, kills=0, **changes)  # type: ignore[arg-type]


def regular_pods(*pods: PodDescription) -> Scenario:
    return replace(SCENARIOS["two-pods"], pods=pods)


LEFT, RIGHT = (PodDescription(name, f"{name}_default", removes=0) for name in ("left", "right"))
SMALL = {
    "orphan": SCENARIOS["orphan"],
    "one-pod": replace(SCENARIOS["one-pod"], deletion_seconds=(5,), phase_changes=0),
    "uid-reuse": replace(SCENARIOS["uid-reuse"], kills=0),
    "static-pair": static_pair(),
}
CASES = (*(("v1.29", scenario) for scenario in SMALL), ("v1.32", "one-pod"), ("walkthrough-001-update", "static-pair"))


@functools.cache
def reduced(version: type[PodWorkers], world: Scenario, *names: str) -> tuple[Plan, Exploration]:
    subject = Subject("test", version, "")
    system = system_of(subject, world)
    made = plan(system, lower_properties(system, properties_of(subject, world)), set(names), world.interchangeable)
    return made, made.report(Compiled().run(made.system, made.properties, made.keep))


def verdicts(found: Exploration) -> dict[str, tuple[Status, int | None]]:
    return {v.property.id: (v.status, v.depth) for v in found.verdicts}


def shows(system: System, p: Property, trace: Trace) -> bool:
    """Does the model, run as Python, do at the end of the trace what decides the claim?"""
    states = [system.build(state) for state in (trace.initial, *(step.state for step in trace.steps))]
    if p.function is None:
        return True  # `replay` has taken the step; which lines it reached is not in a trace.
    if p.takes_event:
        move = trace.moves[-1]
        return not p.function(states[-2], system.action[move.action].occurrence(move.values), states[-1])
    return p.function(*states[-2 if p.kind == "step" else -1 :]) == (p.kind == "sometimes")


# -- verdicts ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("version, scenario", CASES)
def test_verdicts_and_lengths_of_traces_are_those_of_the_whole_system(version: str, scenario: str) -> None:
    _, whole = reduced(VERSIONS[version].cls, SMALL[scenario])
    _, small = reduced(VERSIONS[version].cls, SMALL[scenario], *REDUCTIONS)
    assert whole.complete and small.complete and small.states < whole.states
    assert verdicts(small) == verdicts(whole)
    assert small.bounds_hit.keys() == whole.bounds_hit.keys()
    assert small.actions_never_taken == whole.actions_never_taken


@pytest.mark.slow
@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_reduction_by_itself_keeps_every_verdict(name: str) -> None:
    _, whole = reduced(V1_29, SMALL["static-pair"])
    _, small = reduced(V1_29, SMALL["static-pair"], name)
    assert verdicts(small) == verdicts(whole) and small.states <= whole.states


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SMALL)
def test_every_trace_shows_its_claim_when_the_model_runs(scenario: str) -> None:
    _, found = reduced(V1_29, SMALL[scenario], *REDUCTIONS)
    for verdict in found.verdicts:
        if verdict.trace is not None:
            assert shows(found.system, verdict.property, verdict.trace), verdict.property.id


def test_an_unknown_reduction_is_refused() -> None:
    with pytest.raises(CheckerError, match="no reduction 'luck'; known are slicing, constants, symmetry"):
        plan(two_phase_commit(2), (), {"luck"})


# -- variables that never change ---------------------------------------------------------------------------------------


def test_variables_that_never_change_have_their_initial_value_in_every_state_of_every_trace() -> None:
    made, found = reduced(V1_29, SMALL["orphan"])
    values = unchanging_variables(made.original)
    assert "budget.restarts" in values and "pods_synced" not in values
    for verdict in found.verdicts:
        for step in verdict.trace.steps if verdict.trace else ():
            assert all(step.state[found.system.index(path)] == node.value for path, node in values.items())


@pytest.mark.slow
def test_static_pods_are_all_that_their_waiting_lines_are_for() -> None:
    regular, static = (reduced(V1_29, SMALL[name], "constants")[0] for name in ("orphan", "static-pair"))
    assert not any("waiting" in path for path in regular.keep)
    assert any("waiting" in path for path in static.keep)


# -- symmetry ----------------------------------------------------------------------------------------------------------


def exchanges(managers: int) -> list[Names]:
    """Neighbouring resource managers exchanged."""
    everyone = list(range(managers))
    return [{"managers": (*everyone[:i], i + 1, i, *everyone[i + 2 :])} for i in range(managers - 1)]


def distinct_up_to_order(system: System, managers: int) -> int:
    """States of two-phase commit that differ by more than the order of the managers, counted by brute force."""
    index = [system.index(v.path) for v in system.variables if "[" in v.path]
    rest = [i for i in range(len(system.variables)) if i not in index]
    seen, pending = set(system.initial), list(system.initial)
    paths = [v.path for v in system.variables]
    for state in pending:
        variables = dict(zip(paths, state, strict=True))
        for t in system.transitions:
            if evaluate([t.enabled], variables)[0]:
                changed = dict(zip(t.updates, evaluate(t.updates.values(), variables), strict=True))
                after = tuple({**variables, **changed}.values())
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
    assert len(seen) == STATES[managers]
    columns = [index[i::managers] for i in range(managers)]
    return len({(tuple(sorted(tuple(s[i] for i in c) for c in columns)), *(s[i] for i in rest)) for s in seen})


@pytest.mark.slow
@pytest.mark.parametrize("managers", (3, 4, 5))
def test_two_phase_commit_has_as_many_states_as_there_are_without_an_order_of_managers(managers: int) -> None:
    system = two_phase_commit(managers)
    lowered = lower_properties(system, PROPERTIES)
    whole = Compiled().run(system, lowered)
    made = plan(system, lowered, {"symmetry"}, exchanges(managers))
    found = made.report(Compiled().run(made.system, made.properties, made.keep))
    assert found.states == distinct_up_to_order(system, managers)
    assert f"stand for {STATES[managers]:,}" in " ".join(found.reductions)
    assert verdicts(found) == verdicts(whole)


@pytest.mark.parametrize("threads", (1, 2))
def test_a_claim_about_the_first_name_is_shown_with_the_first_name(threads: int) -> None:
    system = two_phase_commit(4)
    made = plan(system, lower_properties(system, PROPERTIES), {"symmetry"}, exchanges(4))
    found = made.report(Compiled(threads=threads).run(made.system, made.properties, made.keep))
    (verdict,) = (v for v in found.verdicts if v.property.id == "first_is_never_undone")
    assert verdict.trace is not None and verdict.status is Status.VIOLATED
    assert shows(system, verdict.property, verdict.trace)


@pytest.mark.slow
@pytest.mark.parametrize("world", (static_pair(), regular_pods(LEFT, RIGHT)), ids=lambda world: str(world.name))
def test_states_stand_for_exactly_those_of_the_whole_system(world: Scenario) -> None:
    made, found = reduced(V1_29, world, *REDUCTIONS)
    _, whole = reduced(V1_29, world, "constants", "slicing")
    assert isinstance(made.system, Quotient)
    assert f"stand for {whole.states:,}" in " ".join(found.reductions)
    assert whole.states / 2 <= found.states < whole.states / 1.9
    assert found.depth == whole.depth and verdicts(found) == verdicts(whole)


def second_pod_runs(state: Kubelet) -> bool:
    return state.containers[1]


def second_pod_is_never_removed(before: Kubelet, after: Kubelet) -> bool:
    return after.pod_manager[1] or not before.pod_manager[1]


def test_a_claim_about_one_pod_is_decided_by_that_pod() -> None:
    world = SCENARIOS["two-pods"]
    system = system_of(Subject("test", V1_29, ""), world)
    asked = [
        Property("second_pod_runs", "sometimes", "", second_pod_runs),
        Property("second_pod_is_never_removed", "step", "", second_pod_is_never_removed),
    ]
    made = plan(system, lower_properties(system, asked), REDUCTIONS, world.interchangeable)
    found = made.report(Compiled().run(made.system, made.properties, made.keep))
    assert [v.status for v in found.verdicts] == [Status.HOLDS, Status.VIOLATED]
    assert [v.depth for v in found.verdicts] == [4, 2]
    for verdict in found.verdicts:
        assert verdict.trace is not None and shows(system, verdict.property, verdict.trace)


# -- symmetry that is none ---------------------------------------------------------------------------------------------


class FirstPodGoesFirst(V1_29):
    """A pod worker that treats the pods differently, though every scenario describes them alike."""

    def nothing_pending(self, uid: int) -> None:
        self.pod_sync_statuses[uid].working = uid == 1


@pytest.mark.slow
def test_a_version_that_treats_pods_differently_is_not_reduced() -> None:
    made, found = reduced(FirstPodGoesFirst, regular_pods(LEFT, RIGHT), *REDUCTIONS)
    _, whole = reduced(FirstPodGoesFirst, regular_pods(LEFT, RIGHT), "constants", "slicing")
    assert not renamings_of(made.system)
    assert "the pods are not interchangeable: worker_complete_work treats them differently" in found.reductions
    assert found.states == whole.states and verdicts(found) == verdicts(whole)


def test_pods_with_different_budgets_are_neither_proposed_nor_accepted() -> None:
    world = regular_pods(LEFT, replace(RIGHT, removes=1))
    assert not world.interchangeable
    made = plan(system_of(Subject("test", V1_29, ""), world), (), REDUCTIONS, SCENARIOS["two-pods"].interchangeable)
    assert not renamings_of(made.system)
    assert "the pods are not interchangeable: the initial state tells them apart" in made.notes


def test_a_renaming_that_forgets_the_full_names_is_not_accepted() -> None:
    pods = tuple(PodDescription(name, f"{name}_kube-system", static=True, removes=0) for name in ("a", "b"))
    world = static_pair()
    world = replace(world, pods=pods)
    (whole,) = world.interchangeable
    system = system_of(Subject("test", V1_29, ""), world)
    assert renamings_of(plan(system, (), {"symmetry"}, [whole]).system)
    part = {name: whole[name] for name in ("uids", "optional_uids")}
    assert not renamings_of(plan(system, (), {"symmetry"}, [part]).system)


# -- the parts ---------------------------------------------------------------------------------------------------------


def test_pods_are_interchangeable_when_they_differ_in_nothing_but_their_names() -> None:
    three = regular_pods(*(PodDescription(name, f"{name}_default") for name in ("a", "b", "c"))).interchangeable
    assert [exchange["uids"] for exchange in three] == [(1, 0, 2), (0, 2, 1)]
    assert [exchange["full_names"] for exchange in three] == [(1, 0, 2), (0, 2, 1)]
    (pair,) = SCENARIOS["static-pair"].interchangeable
    assert pair["uids"] == (1, 0) and pair["full_names"] == (0,)
    assert not any(SCENARIOS[name].interchangeable for name in ("one-pod", "uid-reuse", "open-pod"))


def test_a_full_name_that_only_some_pods_share_makes_them_different() -> None:
    first, second = (PodDescription(name, "web_default") for name in ("first", "second"))
    third = PodDescription("third", "other_default")
    (exchange,) = regular_pods(first, second, third).interchangeable
    assert exchange["uids"] == (1, 0, 2)


def test_exchanges_of_neighbours_make_all_permutations() -> None:
    made = generated_by(exchanges(4))
    assert sorted(names["managers"] for names in made) == sorted(itertools.permutations(range(4)))


def test_images_of_states_are_permuted_in_index_and_in_value() -> None:
    world = static_pair()
    system = system_of(Subject("test", V1_29, ""), world)
    made = plan(system, (), {"symmetry"}, world.interchangeable)
    (renaming,) = renamings_of(made.system)
    state = {v.path: v.low for v in system.variables}
    state |= {"containers[0]": 1, "started_static_pods[0]": 0, "waiting_to_start_static_pods[0].uids[1]": 1}
    image = renaming.of_variables(state)
    changed: Mapping[str, int] = {path: value for path, value in image.items() if value != state[path]}
    assert changed == {
        "containers[0]": 0,
        "containers[1]": 1,
        "started_static_pods[0]": 1,
        "waiting_to_start_static_pods[0].uids[1]": 0,
    }
    assert renaming.of_variables(image) == state


def test_variables_that_are_exchanged_are_stored_with_those_they_are_exchanged_with() -> None:
    world = static_pair()
    system = system_of(Subject("test", V1_29, ""), world)
    made = plan(system, (), {"symmetry"}, world.interchangeable)
    layout = lay_out(made.system, {"containers[0]", "budget.kills"})
    assert layout.fields.keys() == {"containers[0]", "containers[1]", "budget.kills"}
    whole = lay_out(made.system, None)
    taken: dict[int, int] = {}
    for field in whole.fields.values():
        assert not taken.get(field.word, 0) & field.mask and field.shift + field.bits <= WORD_BITS
        taken[field.word] = taken.get(field.word, 0) | field.mask


def test_expressions_are_equal_when_no_value_in_their_ranges_tells_them_apart() -> None:
    graph = Graph()
    a, b = (graph.variable(name, False, -3, 4) for name in "ab")
    less, more = graph.lt(a, b), graph.not_(graph.lt(b, a))
    always_equal = Equivalence(5_000).always_equal
    assert not always_equal([(less, more)], graph.true)
    assert always_equal([(less, more)], graph.not_(graph.eq(a, b)))
    assert always_equal([(graph.sub(graph.add(a, b), b), a)], graph.true)
    assert always_equal([(graph.lt(a, graph.integer(5)), graph.true)], graph.true)


def test_a_variable_keeps_its_own_range_in_later_questions() -> None:
    graph = Graph()
    wide, narrow = (graph.variable("a", False, 0, high) for high in (9, 3))
    five = graph.integer(5)
    always_equal = Equivalence(5_000).always_equal
    assert always_equal([(graph.lt(narrow, five), graph.true)], graph.true)
    assert not always_equal([(graph.lt(wide, five), graph.true)], graph.true)
    assert always_equal([(graph.add(narrow, five), graph.add(five, narrow))], graph.true)
    flag, number = graph.variable("b", True, 0, 1), graph.variable("b", False, 0, 9)
    assert not always_equal([(flag, graph.lt(number, five))], graph.true)


# -- what is easily taken for a constant or for irrelevant, and is neither ---------------------------------------------


@dataclass
class Dominoes:
    """Each falls when the one before it has fallen; the last one never does."""

    first: bool
    second: bool
    third: bool
    apart: bool
    last: bool

    @action("somebody", "pushes")
    def push(self) -> None:
        self.first = True

    @action("time", "passes")
    def fall(self) -> None:
        self.third = self.second
        self.second = self.first
        self.last = self.apart


def test_what_changes_only_because_something_else_does_is_no_constant() -> None:
    assert unchanging_variables(described(Dominoes)).keys() == {"apart", "last"}


@dataclass
class Parcel:
    """Each of its fields is read in one place only, and its price nowhere."""

    weight: Grams
    postage: Grams
    price: Grams
    sealed: bool
    glued: bool
    opened: bool
    fragile: bool

    @action("sender", "{grams} go in")
    def fill(self, grams: Grams) -> None:
        require(not self.sealed)
        self.weight = grams
        self.postage = grams
        self.glued = not self.opened
        self.fragile = grams == 3

    @action("sender", "it is closed")
    def close(self) -> None:
        self.sealed = self.glued

    @action("receiver", "it is lifted")
    def lift(self) -> None:
        if self.weight == 3:
            out_of_bounds("the receiver's strength")

    @action("receiver", "it is paid for")
    def pay(self) -> None:
        self.price = self.postage + 1


def stays_fragile(before: Parcel, after: Parcel) -> bool:
    return after.fragile or not before.fragile


def test_what_a_bound_a_fault_a_guard_an_update_or_a_claim_reads_matters() -> None:
    system = described(Parcel)
    relevant = relevant_variables(system, lower_properties(system, [Property("fragile", "step", "", stays_fragile)]))
    assert relevant == {"weight", "postage", "sealed", "glued", "opened", "fragile"}
    assert relevant_variables(system, []) == relevant - {"fragile"}


# -- the command line --------------------------------------------------------------------------------------------------


def checked(*options: str) -> tuple[int, str]:
    result = run("check", "--scenario", "orphan", "--property", "a_pod_runs", *options)
    return result.exit_code, " ".join(result.output.split())


def test_the_report_says_which_reductions_were_used() -> None:
    assert "variables never change and are left out" in checked("-v", "--reduce", "constants")[1]
    assert "no claim and are left out" not in checked("-v", "--reduce", "constants")[1]
    assert "no claim and are left out" in checked("-v", "--reduce", "slicing")[1]
    assert "reductions: none" in checked("-v", "--reduce", "none")[1]
    assert checked("--reduce") == checked() and "reductions" not in checked()[1]


def test_an_unknown_reduction_is_wrong_usage() -> None:
    code, text = checked("--reduce", "slicing,luck")
    assert code == 2 and "'luck' is no reduction; known are slicing, constants, symmetry" in text
