"""What a comparison of two versions finds, on a model of a few states and on the pod worker."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.mutants import MUTANTS
from tests.small_worker import (
    PATHS,
    Alarmed,
    Blind,
    Careless,
    Choosy,
    Counting,
    Described,
    Forgetful,
    Limited,
    Modest,
    Noting,
    Renamed,
    Worker,
    small_worker,
)

from podproof.checker.core.system import Exploration, Limits, LoweredProperty, Property, Status, System, Trace
from podproof.checker.core.trace import replay
from podproof.checker.difference.behaviour import (
    Labels,
    StateSpace,
    Steps,
    follow,
    followed_until,
    number_rows,
    refine,
    tell_apart,
    violates,
)
from podproof.checker.difference.compare import Criteria, compare
from podproof.checker.difference.result import (
    ClaimDifference,
    Comparison,
    DecidingTrace,
    Decision,
    Difference,
    OwnField,
)
from podproof.checker.difference.transitions import couples, in_one_graph, method_changes
from podproof.checker.engines.compiled import state_graph
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import relevant_variables
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
from podproof.queries import comparing, pool
from podproof.queries.build import Subject, subject_of, system_of
from podproof.queries.comparing import compare_versions


def difference(
    a: type[Worker], b: type[Worker], paths: Sequence[str] = PATHS, limits: Limits | None = None
) -> Difference:
    systems = in_one_graph(small_worker(a), small_worker(b))
    criteria = Criteria(tuple(paths), (), tuple(paths), ("worker",), ((), ()))
    return compare(systems, criteria, limits or Limits())


# -- decisions -----------------------------------------------------------------------------------------------------


def test_a_version_is_identical_to_itself() -> None:
    found = difference(Worker, Worker)
    assert found.decision is Decision.IDENTICAL
    assert found.changed == () and found.experiment is None
    assert found.sides is not None and found.sides[0] == found.sides[1] and found.sides[0].states == 10


def test_another_name_for_a_local_and_a_turned_condition_change_nothing() -> None:
    found = difference(Worker, Renamed)
    assert found.decision is Decision.IDENTICAL
    (method,) = method_changes(*found.systems)
    assert method.name == "begin" and method.actions == ("begin",)
    assert [text.splitlines()[0] for text in method.texts] == ["def begin(self) -> None:"] * 2
    assert "Another text" not in method.texts[1]


def test_decorators_docstrings_and_comments_are_no_difference_of_a_method() -> None:
    assert not method_changes(*difference(Worker, Described).systems)


def test_what_both_do_before_they_call_super_is_no_place_of_a_change(tmp_path: Path) -> None:
    """The sync loop has an update_pod of its own, which calls that of the workers."""
    file = tmp_path / "own.py"
    file.write_text(
        "from podproof.model.releases import V1_36_3\nfrom podproof.model.state import UpdatePodOptions\n\n\n"
        "class Own(V1_36_3):\n"
        "    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:\n"
        "        if options.present:\n            super().update_pod(uid, options)\n",
        encoding="utf-8",
    )
    scenario = SCENARIOS["rejected-pod"]
    systems = in_one_graph(*(system_of(one, scenario) for one in (subject_of("v1.36.3", None), subject_of("", file))))
    (method,) = (change for change in method_changes(*systems) if change.name == "update_pod")
    assert [Path(line.file).name for line in method.lines if line is not None] == ["pod_workers.py", "own.py"]
    assert "options.present" in method.texts[1] and "self.calls" not in "".join(method.texts)


def test_a_step_that_differs_only_where_nothing_leads_is_found_to_be_out_of_reach() -> None:
    found = difference(Worker, Careless)
    assert found.decision is Decision.UNREACHED
    assert found.changed == ("end",) and found.divergences == ()
    assert set(found.never) == {"the job ends, well: False"}


@pytest.mark.parametrize("pair", itertools.permutations([Worker, Alarmed, Limited], 2))
def test_where_nothing_leads_wrong_cut_off_and_taken_are_three_things(pair: tuple[type[Worker], type[Worker]]) -> None:
    assert difference(*pair).decision is Decision.UNREACHED


def test_versions_with_other_variables_are_bisimilar_when_they_show_the_same() -> None:
    found = difference(Worker, Counting)
    assert found.decision is Decision.BISIMILAR
    assert found.view.hidden == ((), ("came",))
    assert found.sides is not None and found.sides[0].only == found.sides[1].only == 0


def test_what_only_one_version_stores_is_seen_although_nothing_reads_it() -> None:
    found = difference(Worker, Noting)
    assert found.decision is Decision.IDENTICAL
    assert found.view.own == (OwnField(1, "noted", ("come",), False), OwnField(1, "gone", (), False))
    assert found.view.hidden == ((), ())
    assert difference(Noting, Worker).view.own[0].side == 0
    assert difference(Worker, Counting).view.own == (OwnField(1, "came", ("come",), True),)
    assert difference(Worker, Renamed).view.own == ()


def test_a_difference_that_the_fields_do_not_show_is_none() -> None:
    assert difference(Worker, Modest).decision is Decision.DIFFERENT
    found = difference(Worker, Modest, ["queued", "busy", "done"])
    assert found.decision is Decision.BISIMILAR
    assert [divergence.event for divergence in found.divergences] == ["the job ends, well: True"]


def test_an_event_that_is_gone_is_a_difference_that_any_field_shows() -> None:
    assert difference(Worker, Blind, ["done"]).decision is Decision.DIFFERENT


def test_a_search_that_a_limit_stops_decides_nothing() -> None:
    found = difference(Worker, Forgetful, limits=Limits(max_states=3))
    assert found.decision is Decision.UNDECIDED
    assert "--max-states" in found.reason


def test_a_choice_that_only_one_version_has_is_never_overlooked() -> None:
    found = difference(Worker, Choosy)
    assert found.decision is Decision.DIFFERENT
    assert found.divergences == ()
    assert found.experiment is not None and found.experiment.event == "somebody looks"


# -- what differs --------------------------------------------------------------------------------------------------


def test_the_forgetful_worker_parts_with_the_second_failure() -> None:
    found = difference(Worker, Forgetful)
    (divergence,) = found.divergences
    assert divergence.event == "the job ends, well: False"
    assert [step.event for step in divergence.common.steps] == [
        "a job comes",
        "the worker begins",
        "the job ends, well: False",
        "the worker begins",
    ]
    queued = [trace.steps[-1].state[0] for trace in divergence.outcomes if trace is not None]
    assert queued == [1, 0]


def test_the_forgetful_worker_has_a_new_wait_and_lacks_states() -> None:
    found = difference(Worker, Forgetful)
    assert found.sides is not None
    before, after = found.sides
    # Nobody works before a job comes and when it is done, after 0, 1 or 2 failures. Two failures now are a wait of
    # their own, and no job is done after them any more.
    assert (before.waits, before.only_waits) == (4, 1)
    assert (after.waits, after.only_waits) == (4, 1)
    assert [(wait.side, wait.in_other, len(wait.example.steps)) for wait in found.waits] == [
        (0, False, 7),
        (1, False, 5),
    ]
    # Queued, busy and done after two failures are gone; lost after two failures is new.
    assert (before.states, before.only, after.only) == (10, 3, 1)


def test_an_event_that_only_one_can_take_is_the_experiment() -> None:
    found = difference(Worker, Blind)
    assert found.experiment is not None
    assert (found.experiment.event, found.experiment.side) == ("somebody looks", 0)
    assert len(found.experiment.traces[0].steps) == len(found.experiment.traces[1].steps) == 3
    (new_step,) = found.new_steps
    assert (new_step.side, new_step.action, new_step.steps, new_step.entered) == (0, "look", 2, 0)
    assert new_step.parts_at == len(new_step.example.steps) == 4


def test_the_order_of_the_versions_only_exchanges_them() -> None:
    there, back = difference(Worker, Forgetful), difference(Forgetful, Worker)
    assert there.sides is not None and back.sides is not None
    assert there.sides == back.sides[::-1]
    assert {(n.side, n.action, n.steps) for n in there.new_steps} == {
        (1 - n.side, n.action, n.steps) for n in back.new_steps
    }


# -- the parts -----------------------------------------------------------------------------------------------------


def test_what_is_the_same_in_both_is_one_node() -> None:
    a, b = in_one_graph(small_worker(Worker), small_worker(Forgetful))
    for (name, _), (t, other) in couples(a, b).items():
        assert t is not None and other is not None
        same = t.enabled is other.enabled and t.updates == other.updates
        assert same == (name != "end")


def test_following_stops_where_the_other_version_cannot_go_on() -> None:
    a, b = small_worker(Worker), small_worker(Blind)
    found = difference(Worker, Blind)
    trace = found.new_steps[0].example
    assert len(follow(b, trace.steps).steps) == 3
    assert followed_until(a, b, trace, PATHS) == 4
    assert followed_until(a, small_worker(Renamed), trace, PATHS) is None


def is_patient(before: Worker, after: Worker) -> bool:
    """A failure leaves the job in the queue."""
    return after.failures == before.failures or after.queued


def is_lost(state: Worker) -> bool:
    """After a failure the job is somewhere."""
    return state.failures == 0 or state.queued or state.busy or state.done


@pytest.mark.parametrize(
    "claim", [Property("patient", "step", "", is_patient), Property("lost", "always", "", is_lost)]
)
def test_a_trace_violates_a_claim_in_one_version_only(claim: Property) -> None:
    a, b = small_worker(Worker), small_worker(Forgetful)
    divergence = difference(Worker, Forgetful).divergences[0].outcomes[1]
    assert divergence is not None
    (there,), (here,) = lower_properties(b, [claim]), lower_properties(a, [claim])
    assert violates(b, there, divergence)
    assert not violates(a, here, follow(a, divergence.steps))


@pytest.mark.parametrize("bits", [40, 61])
def test_rows_are_numbered_alike_when_they_are_alike(bits: int) -> None:
    rng = np.random.default_rng(7)
    # So many values together that their product fits into no word; with 61 bits nor does that of one and the rows.
    columns = [(rng.integers(0, 2, 500) * (1 << bits), 1 << bits + 1) for _ in range(6)]
    numbers, first = number_rows(columns)
    rows = list(zip(*(column.tolist() for column, _ in columns), strict=True))
    for i, j in itertools.combinations(range(0, 500, 7), 2):
        assert (numbers[i] == numbers[j]) == (rows[i] == rows[j])
    assert all(numbers[row] == number for number, row in enumerate(first))


def random_graph(rng: random.Random, states: int) -> tuple[Steps, Any]:
    first, labels, targets = [0], [], []
    for _ in range(states):
        for _ in range(rng.randint(0, 3)):
            labels.append(rng.randint(0, 1))
            targets.append(rng.randrange(states))
        first.append(len(labels))
    colours = [rng.randint(0, 1) for _ in range(states)]
    colours = [0, 1, *colours[2:]]
    arrays = np.array(first, np.int64), np.array(labels, np.int32), np.array(targets, np.int32)
    return Steps(*arrays), np.array(colours, np.int32)


def bisimilar(steps: Steps, colours: Any) -> set[tuple[int, int]]:
    """The greatest bisimulation, by striking out pairs that cannot follow each other until none is left to strike."""
    edges = [{(int(steps.labels[s]), int(steps.targets[s])) for s in steps.of(i)} for i in range(steps.states)]
    related = {(i, j) for i in range(steps.states) for j in range(steps.states) if colours[i] == colours[j]}
    while True:
        kept = {
            (i, j)
            for i, j in related
            if all(any(m == n and (x, y) in related for n, y in edges[j]) for m, x in edges[i])
            and all(any(m == n and (x, y) in related for m, x in edges[i]) for n, y in edges[j])
        }
        if kept == related:
            return related
        related = kept


@pytest.mark.parametrize("seed", range(40))
def test_refinement_finds_the_greatest_bisimulation(seed: int) -> None:
    rng = random.Random(seed)
    steps, colours = random_graph(rng, 8)
    related = bisimilar(steps, colours)
    for a, b in itertools.combinations(range(steps.states), 2):
        rounds = refine(steps, colours, a, b)
        alike = bool(rounds[-1][a] == rounds[-1][b])
        assert alike == ((a, b) in related)
        if not alike:
            together, last = tell_apart(steps, rounds, a, b)
            assert len(together) + int(last is not None) <= len(rounds) - 1
            assert all(steps.labels[x] == steps.labels[y] for x, y in together)


# -- the pod worker ------------------------------------------------------------------------------------------------


def pod_worker(a: str, b: str, scenario: str) -> Difference:
    subjects = subject_of(a, None), subject_of(b, None)
    return compare_versions(subjects, [SCENARIOS[scenario]], None, Limits()).scenarios[0]


def reachable(system: System, paths: Sequence[str]) -> set[tuple[int, ...]]:
    """What the fields show, from another part of the engine."""
    graph, _ = state_graph(system, relevant_variables(system, (), paths), list(paths))
    return set(graph.nodes)


@pytest.mark.slow
def test_what_only_one_release_shows_agrees_with_the_projected_state_graphs() -> None:
    found = pod_worker("v1.29", "v1.32", "orphan")
    shown = [reachable(system, found.view.paths) for system in found.systems]
    assert found.sides is not None
    assert [side.shown for side in found.sides] == [len(values) for values in shown]
    assert found.sides[0].only == len(shown[0] - shown[1]) > 0
    assert found.sides[1].only == len(shown[1] - shown[0]) > 0


def test_the_steps_of_an_explored_version_are_those_the_search_counted() -> None:
    system = system_of(subject_of("v1.29", None), SCENARIOS["orphan"])
    explored = StateSpace(system, ["pod_sync_statuses[0].finished"], Labels(), Limits())
    explored.run(None)
    assert len(explored.targets) == explored.result().transitions
    assert set(explored.targets.tolist()) | set(explored.initial.tolist()) == set(range(explored.count))
    for step in range(0, len(explored.targets), 997):
        trace = explored.trace_through(step)
        variables = explored.layout.unpack(explored.states[int(explored.targets[step])])
        assert all(trace.steps[-1].state[system.index(path)] == value for path, value in variables.items())


@pytest.mark.slow
def test_1_29_and_1_32_part_by_the_grace_period_of_zero_alone() -> None:
    found = pod_worker("v1.29", "v1.32", "one-pod")
    assert {divergence.event for divergence in found.divergences} == {
        "DELETE web: grace period 0",
        "killPodNow(web): hard eviction, override 0",
    }
    assert {"DELETE web: grace period 5", "killPodNow(web): soft eviction", "REMOVE web"} <= set(found.never)
    assert {new_step.parts_at is not None for new_step in found.new_steps} == {True}


@pytest.mark.slow
def test_1_29_and_1_32_are_the_same_where_no_grace_period_is_zero() -> None:
    assert pod_worker("v1.29", "v1.32", "uid-reuse").decision is Decision.UNREACHED


class OtherWords(V1_29):
    """The rule for the grace period with other names for its locals."""

    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        """Another docstring."""
        period, told = super().calculate_effective_grace_period(status, pod, options)
        return period, told


@pytest.mark.slow
def test_other_words_for_the_same_are_equivalent() -> None:
    subjects = subject_of("v1.29", None), Subject("other", OtherWords, "--model other.py")
    found = compare_versions(subjects, [SCENARIOS["one-pod"]], None, Limits())
    assert found.decision is Decision.IDENTICAL
    assert found.claims == ()


FAULTS = [mutant for mutant in MUTANTS["update-pod"] if mutant.scenario in ("orphan", "uid-reuse")]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", FAULTS[:4], ids=lambda mutant: mutant.name)
def test_a_planted_fault_makes_a_difference(mutant: Any) -> None:
    subjects = subject_of("v1.29", None), Subject("faulty", mutant.plant(), "--model faulty.py")
    found = compare_versions(subjects, [SCENARIOS[mutant.scenario]], None, Limits())
    assert found.decision is Decision.DIFFERENT
    assert [method.name for method in found.methods] == [mutant.method]


# -- what claims say of two versions -----------------------------------------------------------------------------------


def claimed(*statuses: tuple[Status, Status], evidence: DecidingTrace | None = None) -> Decision:
    """What is decided where only a claim could tell two versions apart, with these verdicts scenario by scenario."""
    same = difference(Worker, Worker)
    claim = Property("a_claim", "always", "")
    scenarios = tuple((str(n), *pair) for n, pair in enumerate(statuses))
    found = ClaimDifference((claim, claim), statuses[0], scenarios, (evidence, None))
    return Comparison(("a", "b"), (), (same,), (found,)).decision


def test_a_claim_is_open_where_it_is_so_in_one_scenario() -> None:
    holds = (Status.HOLDS, Status.HOLDS)
    assert claimed(holds, holds) is Decision.IDENTICAL
    assert claimed(holds, (Status.UNKNOWN, Status.HOLDS)) is Decision.UNDECIDED


def test_versions_that_other_events_violate_are_unlike() -> None:
    same, violated = difference(Worker, Worker), (Status.VIOLATED, Status.VIOLATED)
    trace = Trace(same.systems[0].initial[0], ())
    evidence = DecidingTrace("0", same.systems, trace, trace, True, None)
    assert claimed(violated, evidence=evidence) is Decision.IDENTICAL
    assert claimed(violated, evidence=dataclasses.replace(evidence, other_violates=False)) is Decision.DIFFERENT


# -- versions with the same steps, and claims that say something else of each ------------------------------------------


class Minding(Worker):
    """A first version that may be asked whether it has to be looked after."""

    def is_late(self) -> bool:
        return self.failures > 0


class MindingCareless(Minding):
    """It takes the same steps, and answers otherwise."""

    def is_late(self) -> bool:
        return self.failures > 1

    def retry(self) -> None:
        self.queued = not self.done


def is_never_late(state: Minding) -> bool:
    return not state.is_late() or state.failures < 2


def nothing_is_both(state: Minding) -> bool:
    return not (state.queued and state.busy)


def is_never_done(state: Minding) -> bool:
    return not state.done


def test_of_equal_steps_the_second_version_is_explored_with_what_it_claims_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[tuple[str, list[str]]]()
    explore = comparing._explore

    def watched(system: System, claims: Sequence[LoweredProperty], *others: Any) -> Exploration | None:
        asked.append((system.version, [p.property.id for p in claims]))
        return explore(system, claims, *others)

    monkeypatch.setattr(comparing, "_explore", watched)
    monkeypatch.setattr(pool, "at_a_time", lambda _: 1)
    claims = [
        Property(function.__name__, "always", "", function)
        for function in (is_never_late, nothing_is_both, is_never_done)
    ]
    systems = small_worker(Minding), small_worker(MindingCareless)
    found = comparing.compare_systems(systems, (claims, claims), PATHS)
    assert found.scenarios[0].decision is Decision.UNREACHED
    assert [names for _, names in asked] == [[p.id for p in claims], ["is_never_late"]]
    assert {claim.property.id: claim.statuses for claim in found.claims} == {
        "is_never_late": (Status.VIOLATED, Status.VIOLATED),
        "nothing_is_both": (Status.HOLDS, Status.HOLDS),
        "is_never_done": (Status.VIOLATED, Status.VIOLATED),
    }
    for evidence in found.claims[-1].evidence:
        assert evidence is not None
        assert evidence.trace == replay(evidence.systems[0], evidence.trace.moves)
