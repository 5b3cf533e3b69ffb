"""Environment `sync loop`: it calls UpdatePod as `callers.py` does, which is compared with recordings."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.callers_faults import FAULTS, Fault
from tests.command_line import run
from tests.exploring import explored

from podproof.checker.core.graph import assume
from podproof.checker.core.system import Limits, Move, Outcome, State, Status, System
from podproof.checker.core.trace import refusal, take
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, relevant_variables
from podproof.model.allocation_manager import Operation
from podproof.model.callers import Callers, UpdatePodCall
from podproof.model.core_v1 import ApiPod, PodPhase, PodSource, PodStatus
from podproof.model.kubelet import Admission, Chore, Housekeeping
from podproof.model.releases import V1_36, V1_36_3
from podproof.model.scenarios import CALLERS, PodDescription, Scenario
from podproof.model.state import UpdateType
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import Subject, properties_of, run_properties_of, subject_of, system_of
from podproof.queries.search import explore
from podproof.specs import admission, arrivals, callers, housekeeping
from podproof.specs.claim import claims_in

RELEASES = {"v1.36": V1_36, "v1.36.3": V1_36_3}
CLAIMS = {claim.id: claim for part in (callers, admission, housekeeping, arrivals) for claim in claims_in(part)}
Call = tuple[UpdateType, str, int, int]
"""A call of UpdatePod: its type, the pod's UID, the revisions of pod (-1 for a runtime pod) and mirror pod."""


# -- the same events for both ----------------------------------------------------------------------------------------


@dataclass
class Kubelet:
    """`callers.py`, told of each step of the environment, whose workers, runtime and status manager answer it."""

    scenario: Scenario
    part: type[Callers]
    calls: list[Call] = field(default_factory=list)
    state: Any = None
    """Before the step."""
    refuses: bool = False
    """Does another admission handler than that for room refuse?"""
    rejected: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.uids = [pod.name for pod in self.scenario.pods]
        self.start({})
        self.callers.seen_sources.update(self.callers.sources)

    def start(self, checkpoint: dict[str, int]) -> None:
        self.callers = self.part(self, self.admit, checkpoint)

    # -- as Neighbours

    def update_pod(self, call: UpdatePodCall) -> None:
        revision = -1 if call.pod is None else call.pod.revision
        mirror_pod = 0 if call.mirror_pod is None else call.mirror_pod.revision
        self.calls.append((call.update_type, call.uid, revision, mirror_pod))

    def is_pod_termination_requested(self, uid: str) -> bool:
        return bool(self.state.is_pod_termination_requested(self.uids.index(uid)))

    def is_pod_known_terminated(self, uid: str) -> bool:
        return bool(self.state.is_pod_known_terminated(self.uids.index(uid)))

    def sync_known_pods(self, desired: Collection[str]) -> set[str]:
        return {uid for i, uid in enumerate(self.uids) if self.state.known_pods[i]}

    def phase_in_status_manager(self, uid: str) -> PodPhase | None:
        return PodPhase.FAILED if uid in self.rejected else None

    def set_rejected(self, pod: ApiPod, reason: str) -> None:
        self.rejected.add(pod.uid)

    def remove_orphaned_statuses(self, remaining: Collection[str]) -> None:
        self.rejected &= set(remaining)

    def running_runtime_pods(self) -> Sequence[str]:
        return [uid for i, uid in enumerate(self.uids) if self.state.containers[i]]

    def need_to_reconcile_pod_readiness(self, pod: ApiPod) -> bool:
        return False

    def should_sync(self, pod: ApiPod) -> bool:
        return False

    def admit(self, pod: ApiPod, others: list[ApiPod], operation: Operation) -> str:
        return "OutOfcpu" if len(others) >= self.scenario.room or self.refuses else ""

    # -- what both have

    def pod(self, state: Any, i: int) -> ApiPod:
        """The pod's object as a state has it."""
        config, pod = state.config[i], self.scenario.pods[i]
        return ApiPod(
            uid=pod.name,
            name=pod.full_name,
            source=PodSource.STATIC if pod.static else PodSource.API,
            deletion_timestamp=config.deletion_timestamp,
            deletion_grace_period_seconds=config.deletion_grace_period_seconds,
            status=PodStatus(phase=PodPhase(config.phase.value)),
            revision=config.revision,
            cpu=1,
        )

    def mirror_pod(self, i: int, revision: int) -> ApiPod:
        pod = self.scenario.pods[i]
        return ApiPod(uid=f"mirror-{pod.name}", name=pod.full_name, source=PodSource.MIRROR, revision=revision)

    def take(self, before: Any, action: str, values: Mapping[str, Any], after: Any) -> list[Call]:
        """Let the callers do what the step is; the calls that they make, of housekeeping all that are still to come."""
        self.state, self.calls = before, []
        i = values.get("uid", 0)
        callers, uid = self.callers, self.uids[i]
        managed = uid in callers.pod_manager.pod_by_uid
        match action:
            case "handle_pod_additions":
                self.refuses = values["admission"] == Admission.REJECTED and before.has_room(i)
                self.rejected.discard(uid)
                callers.handle_pod_additions([self.pod(after, i)])
            case "handle_pod_spec_update" | "handle_pod_deletion" if managed:
                callers.handle_pod_updates([self.pod(after, i)])
            case "handle_pod_reconcile" if managed:
                callers.handle_pod_reconcile([self.pod(after, i)])
            case "handle_pod_removes" if managed:
                callers.handle_pod_removes([self.pod(before, i)])
                self.rejected.discard(uid)
            case "sync_tick":
                callers.take_sync_tick({uid})
            case "pod_event":
                callers.take_pleg_event(uid, "ContainerDied")
            case "housekeeping_list_pods":
                callers.handle_pod_cleanups()
            case "housekeeping_sync_known_pods" if after.housekeeping == Housekeeping.IDLE:
                callers.allocation_manager.remove_orphaned_pods(set(callers.pod_manager.pod_by_uid))
            case "housekeeping_recreate":
                _, mirror_pod, _ = callers.pod_manager.get_pod_and_mirror_pod(self.pod(before, i))
                revision = 0 if mirror_pod is None else mirror_pod.revision
                self.calls = [(UpdateType.CREATE, uid, before.config[i].revision, revision)]
            case "housekeeping_kill_terminal":
                self.calls = [(UpdateType.KILL, uid, before.config[i].revision, 0)]
            case "housekeeping_kill_runtime":
                self.calls = [(UpdateType.KILL, uid, -1, 0)]
            case "sync_pod_calls_update_pod":
                worker = before.workers[i][values["generation"]]
                mirror_pod = self.mirror_pod(i, worker.mirror_pod) if worker.mirror_pod else None
                pod = self.pod(before, i)
                pod = ApiPod(uid=uid, name=pod.name, source=pod.source, revision=worker.revision, cpu=1)
                callers.sync_pod_has_removed_all(pod, mirror_pod)
            case "add_mirror_pod":
                callers.handle_pod_additions([self.mirror_pod(i, before.mirror_pods[i].revision)])
            case "delete_mirror_pod" if before.mirror_pods[i].managed:
                callers.handle_pod_updates([self.mirror_pod(i, after.mirror_pods[i].revision)])
            case "remove_mirror_pod":
                callers.handle_pod_removes([self.mirror_pod(i, before.mirror_pods[i].managed)])
            case "delete_orphaned_mirror_pod":
                assert self.scenario.pods[i].full_name in callers.pod_manager.orphaned_mirror_pod_full_names()
            case "restart":
                self.rejected.clear()
                self.start(callers.allocation_manager.checkpoint)
            case "sources_become_ready":
                callers.seen_sources.update(callers.sources)
        return self.calls

    def show(self, state: Any) -> dict[str, object]:
        """What the callers remember."""
        self.state = state
        manager, pods = self.callers.allocation_manager, self.callers.pod_manager
        return {
            "pods": {uid: pod.revision for uid, pod in pods.pod_by_uid.items()},
            "mirror pods": {pod.name: pod.revision for pod in pods.mirror_pod_by_uid.values()},
            "allocated": set(manager.allocated),
            "checkpoint": set(manager.checkpoint),
            "active": {pod.uid for pod in self.callers.get_active_pods()},
            "rejected": self.rejected,
            "ready": self.callers.all_ready(),
        }

    def shown(self, state: Any) -> dict[str, object]:
        """The same of the environment."""
        uids = list(enumerate(self.uids))
        static = {i: pod.full_name for i, pod in enumerate(self.scenario.pods)}
        return {
            "pods": {uid: state.config[i].revision for i, uid in uids if state.pod_manager[i]},
            "mirror pods": {name: m.managed for i, name in static.items() if (m := state.mirror_pods[i]).managed},
            "allocated": {uid for i, uid in uids if state.allocated[i]},
            "checkpoint": {uid for i, uid in uids if state.checkpoint[i]},
            "active": {uid for i, uid in uids if state.pod_manager[i] and state.is_active(i)},
            "rejected": {uid for i, uid in uids if state.rejected[i]},
            "ready": state.sources_ready,
        }


def calls_of(uids: Sequence[str], action: str, after: Any) -> list[Call]:
    """The calls of UpdatePod in a step of the environment; where housekeeping has listed the pods, those to come."""
    chores = {
        Chore.RECREATE: (UpdateType.CREATE, True),
        Chore.KILL_TERMINAL: (UpdateType.KILL, True),
        Chore.KILL_RUNTIME: (UpdateType.KILL, False),
    }
    found = list[Call]()
    for i, uid in enumerate(uids):
        call = after.calls[i]
        if action == "housekeeping_list_pods" and after.chores[i] != Chore.NONE:
            update_type, has_pod = chores[after.chores[i]]
            mirror_pod = after.mirror_pods[i].managed if update_type == UpdateType.CREATE else 0
            found.append((update_type, uid, after.config[i].revision if has_pod else -1, mirror_pod))
        if call.present:
            found.append((call.update_type, uid, call.pod.revision if call.pod.present else -1, call.mirror_pod))
    return found


RARE = {
    *("restart", "handle_pod_removes", "handle_pod_deletion", "handle_pod_reconcile", "pod_event"),
    *("worker_get_newer_than_fails", "housekeeping_sync_known_pods"),
}
"""What ends a pod's life early, or can happen all the time."""


def walk(system: System, chance: random.Random, steps: int) -> Iterator[tuple[State, Move, State]]:
    """A random way through the environment, on which something changes in each step."""
    state = system.initial[0]
    moves = [move for transition in system.transitions for move in transition.moves()]
    for _ in range(steps):
        for move in sorted(moves, key=lambda move: chance.random() + (move.action in RARE)):
            try:
                after, _ = take(system, state, move)
            except Exception as error:
                assert refusal(error) in (Outcome.DISABLED, Outcome.CUT_OFF)
                continue
            if after != state and (move.action not in RARE or chance.random() < 0.4):
                yield state, move, after
                state = after
                break


@pytest.mark.slow
@pytest.mark.parametrize("version", RELEASES)
def test_the_environment_calls_as_the_callers_do(version: str) -> None:
    called = Counter[str]()
    for name, scenario in CALLERS.items():
        system = system_of(subject_of(version, None), scenario)
        for seed in range(15):
            kubelet = Kubelet(scenario, RELEASES[version].callers)
            for number, (before, move, after) in enumerate(walk(system, random.Random(seed), 70)):
                old, new = system.build(before), system.build(after)
                action = system.action[move.action]
                place = f"{name}, seed {seed}, step {number}: {system.event(move)}"
                told = kubelet.take(old, action.name, action.arguments(move.values), new)
                assert sorted(told, key=repr) == sorted(calls_of(kubelet.uids, action.name, new), key=repr), place
                assert kubelet.show(new) == kubelet.shown(new), place
                called[action.name] += bool(told)
    assert all(called[action] for action in CALLING - NEVER_CALLING[version]), called


CALLING = {
    *("handle_pod_additions", "handle_pod_spec_update", "handle_pod_deletion", "handle_pod_removes", "sync_tick"),
    *("pod_event", "sync_pod_calls_update_pod", "add_mirror_pod", "delete_mirror_pod", "remove_mirror_pod"),
    *("housekeeping_list_pods", "housekeeping_recreate"),
}
"""The actions in which UpdatePod is called, but for those that few ways come to."""
NEVER_CALLING = {"v1.36": set[str](), "v1.36.3": {"delete_mirror_pod"}}


def test_no_other_action_calls_update_pod() -> None:
    """What a step tells of calls is what it does itself, not what the one before it did."""
    system = system_of(subject_of("v1.36.3", None), CALLERS["static-pod-restart"])
    of_worker = {action.name for action in system.actions if action.actor in ("worker", "runtime", "PLEG")}
    seen = set[bool]()
    for seed in range(5):
        for _, move, after in walk(system, random.Random(seed), 40):
            has_called = any(call.present for call in system.build(after).calls)
            assert not (has_called and move.action in of_worker - {"sync_pod_calls_update_pod"})
            seen.add(has_called)
    assert seen == {False, True}


def test_what_a_step_tells_makes_no_states_differ() -> None:
    scenario = CALLERS["restart-all-containers"]
    subject = subject_of("v1.36.3", None)
    system = system_of(subject, scenario)
    lowered = lower_properties(system, properties_of(subject, scenario, ["callers_pass_the_newest_pod"]))
    kept = relevant_variables(system, lowered)
    assert kept is not None and not any(path.startswith("calls") for path in kept)
    assert any(path.startswith("calls") for path in (variable.path for variable in system.variables))


# -- the claims --------------------------------------------------------------------------------------------------------


def steps_to(version: str | type[Any], scenario: str, claim: str) -> int | None:
    """After how many steps the claim is violated; None where it holds."""
    if CLAIMS[claim].is_about_runs:
        subject = subject_of(version, None) if isinstance(version, str) else Subject("test", version, "")
        asked = run_properties_of(subject, CALLERS[scenario], [claim])
        (verdict,) = RunChecker(system_of(subject, CALLERS[scenario]), "compiled", needs=False).decide(asked).verdicts
    else:
        (verdict,) = explored(version, scenario, claim).verdicts
    assert verdict.status in (Status.HOLDS, Status.VIOLATED)
    return verdict.depth if verdict.status is Status.VIOLATED else None


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.name))
def test_a_claim_notices_a_fault(fault: Fault) -> None:
    without = steps_to(fault.release, fault.scenario, fault.claim)
    found = steps_to(fault.plant(), fault.scenario, fault.claim)
    assert found is not None and (without is None or found < without)


def test_each_claim_notices_two_faults() -> None:
    assert set(Counter(fault.claim for fault in FAULTS).values()) == {2}
    assert {fault.claim for fault in FAULTS} == set(CLAIMS)


MENDED_AND_MADE = {
    ("rejected_pods_are_not_handed_to_a_worker", "rejected-pod"): (2, None),
    ("rejected_pods_take_up_no_room", "rejected-pod"): (2, None),
    ("rejected_pods_take_up_no_room", "rejected-after-restart"): (2, 4),
    ("changes_of_mirror_pods_reach_the_worker", "static-pod-restart"): (None, 6),
    ("changes_of_pods_reach_the_worker", "rejected-after-restart"): (None, 5),
    ("active_pods_take_up_room", "removed-and-added"): (None, 3),
}
"""What kubernetes#139522 mended and what it made: the steps to the violation in 1.36.2 and in 1.36.3."""


@pytest.mark.slow
@pytest.mark.parametrize("claim, scenario", MENDED_AND_MADE)
def test_what_1_36_3_mended_and_made(claim: str, scenario: str) -> None:
    found = steps_to("v1.36", scenario, claim), steps_to("v1.36.3", scenario, claim)
    assert found == MENDED_AND_MADE[claim, scenario]


def test_a_pleg_event_gives_a_worker_to_a_pod_that_was_rejected_after_a_restart() -> None:
    """As in the recording c-d-m-restartedRejected-none: HandlePodSyncs asks for no allocation."""
    claim, scenario = "rejected_pods_are_not_handed_to_a_worker", CALLERS["rejected-after-restart"]
    found = explore(subject_of("v1.36.3", None), scenario, (claim,), "compiled", Limits(), tuple(REDUCTIONS), None, 3)
    (verdict,) = found.verdicts
    (trace,) = [other.trace for other in verdict.others if other.action == "pod_event"]
    actions = [move.action for move in trace.moves if not move.action.startswith("worker_")]
    assert actions == ["handle_pod_additions", "start_containers", "restart", "handle_pod_additions", "pod_event"]


@pytest.mark.slow
def test_python_finds_what_the_compiled_engine_finds() -> None:
    """Of the claims about calls: the engine that runs the model itself sees the same calls."""
    scenario, subject = CALLERS["static-pod-restart"], subject_of("v1.36.3", None)
    scenario = replace(scenario, restarts=0, rejections=0, pods=(replace(scenario.pods[0], removes=0),))
    asked = [id for id, claim in CLAIMS.items() if claim.kind == "step"]
    found = []
    for engine in ("python", "compiled"):
        search = explore(subject, scenario, tuple(asked), engine, Limits(), tuple(REDUCTIONS), None, 1)
        found.append((search.states, [(v.property.id, v.status, v.depth) for v in search.verdicts]))
    assert found[0] == found[1]


# -- who may ask for it ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "prove", "diagram", "explore"])
def test_a_release_without_callers_is_refused(command: str) -> None:
    result = run(command, "--version", "v1.32", "--scenario", "rejected-pod")
    assert result.exit_code == 2
    assert "there is no model of what its environment, sync loop, has around the pod workers, in v1.32" in result.stderr


def test_pods_of_one_full_name_have_one_mirror_pod() -> None:
    pods = (PodDescription("old", "static_kube-system", True), PodDescription("new", "static_kube-system", True))
    with pytest.raises(ValueError, match="give each a full name of its own"):
        Scenario("pair", SyncLoop, pods)


def test_a_worker_that_never_runs_is_told_and_no_other_pod_stands_for_its_pod() -> None:
    pods = tuple(PodDescription(name, f"{name}_default") for name in ("red", "green", "blue"))
    every = Scenario("pods", SyncLoop, pods)
    scenario = replace(every, idle_workers=1)
    assert "1 worker that never runs" in scenario.summary and scenario.summary != every.summary
    assert [exchange["uids"] for exchange in scenario.interchangeable] == [(1, 0, 2)]
    assert len(every.interchangeable) == 2


def test_no_more_workers_can_be_idle_than_there_are() -> None:
    with pytest.raises(ValueError, match="which has 2 pods; write at most as many"):
        replace(CALLERS["overcommit"], idle_workers=3)


def test_a_late_relist_is_told() -> None:
    scenario = CALLERS["ended-before-relist"]
    assert "PLEG's first relist takes its time" in scenario.summary
    assert replace(scenario, relists_late=False).summary != scenario.summary


def test_nothing_stops_the_containers_of_a_pod_that_has_ended_before_the_relist() -> None:
    """As in the recordings c-d-failed-in-api-still-running-restart, and -relisted, where PLEG comes first."""
    scenario, claim = CALLERS["ended-before-relist"], "terminated_pods_run_no_containers"
    (late,) = explored("v1.36.3", scenario, claim).verdicts
    (prompt,) = explored("v1.36.3", replace(scenario, relists_late=False), claim).verdicts
    assert (late.status, late.depth, prompt.status) == (Status.VIOLATED, 7, Status.HOLDS)


@pytest.mark.parametrize("version, next_is_late", [("v1.36", False), ("v1.36.3", True)])
def test_a_node_takes_more_than_it_has_room_for(version: str, next_is_late: bool) -> None:
    """As in the recording c-d-static-moved-away-and-back, where 1.36.2 refuses the next pod and 1.36.3 does not."""
    (verdict,) = explored(version, "overcommit", "active_pods_fit_the_node").verdicts
    assert verdict.trace is not None and verdict.depth == 4
    uids = [move.values["uid"] for move in verdict.trace.moves]
    assert uids == ([0, 0, 0, 1] if next_is_late else [0, 0, 1, 0])


def test_the_environment_and_its_bounds_are_told() -> None:
    result = run("check", "--version", "v1.36.3", "--scenario", "static-pod-restart", "-k", "mirror")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "environment sync loop, scenario static-pod-restart (1 static pod: 1 ADD and 1 REMOVE" in told
    assert "room for 1 pod, 1 deletion of mirror pods, no resizes, readiness gates or deadlines [A79]" in told


# -- docs/callers.md ---------------------------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[1] / "docs" / "callers.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_has_every_scenario_with_its_states_and_every_claim() -> None:
    for name, scenario in CALLERS.items():
        found = explore(subject_of("v1.36.3", None), scenario, (), "compiled", Limits(), tuple(REDUCTIONS), None, 1)
        assert re.search(rf"^\| `{name}` \| .* \| {found.states:,} \|$", PAGE, re.M), (name, found.states)
    assert all(f"`{id}`" in PAGE for id in CLAIMS)


GO_NAMES = {
    "handle_pod_additions": "HandlePodAdditions",
    "add_mirror_pod": "HandlePodAdditions",
    "handle_pod_spec_update": "HandlePodUpdates",
    "handle_pod_deletion": "HandlePodUpdates",
    "delete_mirror_pod": "HandlePodUpdates",
    "handle_pod_removes": "HandlePodRemoves",
    "remove_mirror_pod": "HandlePodRemoves",
    "pod_event": "HandlePodSyncs",
    "sync_tick": "HandlePodSyncs",
    "housekeeping_recreate": "HandlePodCleanups",
    "housekeeping_kill_terminal": "HandlePodCleanups",
    "housekeeping_kill_runtime": "HandlePodCleanups",
    "kill_pod_now": "killPodNow",
    "sync_pod_calls_update_pod": "SyncPod",
}
"""Of the actions that call UpdatePod."""


def callers_of(version: str, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Which Go function calls UpdatePod in some step, as far as its action alone says it, and with which type."""
    system = system_of(subject_of(version, None), scenario)
    for t in system.transitions:
        for uid in range(scenario.sizes["uids"]):
            calls, kind = t.updates.get(f"calls[{uid}].present"), f"calls[{uid}].update_type"
            if calls is None or calls is system.graph.false:
                continue
            told, is_possible = assume(system.graph, [t.updates[kind], calls], [(t.enabled, True), (calls, True)])
            if is_possible is not system.graph.false:
                assert told.is_const, f"{t.action.name} calls UpdatePod with several types"
                yield GO_NAMES[t.action.name], str(system.variables[system.index(kind)].show(told.low))


@pytest.mark.slow
def test_the_page_tells_and_draws_who_calls_update_pod() -> None:
    scenarios = [(version, scenario) for version in ("v1.36", "v1.36.3") for scenario in CALLERS.values()]
    calls = {call for version, scenario in scenarios for call in callers_of(version, scenario)}
    rows = re.findall(r"^\| (\w+) \| ((?:create|update|sync|kill)[^|]*) \|", PAGE, re.M)
    assert {(who, kind) for who, kinds in rows for kind in re.findall(r"create|update|sync|kill", kinds)} == calls
    (drawing,) = re.findall(r"```mermaid\n(.*?)```", PAGE, re.S)
    nodes = dict(re.findall(r'(\w+)\["(.*?)"\]', drawing))
    drawn = (nodes[node] for node in re.findall(r"^ *(\w+)(?:\[.*\])? --> update\b", drawing, re.M))
    assert {name for text in drawn for name in re.findall(r"\w*Pod\w*", text)} == {who for who, _ in calls}


OURS, MENDED = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.mark.slow
def test_the_claim_of_the_page_can_be_checked(tmp_path: Path) -> None:
    file = tmp_path / "ours.py"
    file.write_text(f"from __future__ import annotations\n{OURS}", encoding="utf-8")
    id = "housekeeping_creates_what_no_worker_knows"
    options = ("--version", "v1.36.3", "--claims", str(file), "--scenario", "removed-and-added")
    result = run("check", *options, "--property", id)
    assert result.exit_code == 0 and f"HOLDS     {id}" in result.stdout


@pytest.mark.slow
def test_the_mend_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    file = tmp_path / "mended.py"
    file.write_text(MENDED, encoding="utf-8")
    result = run("check", "--model", str(file), "--scenario", "static-pod-restart")
    assert result.exit_code == 1
    assert re.search(r"MENDED +changes_of_mirror_pods_reach_the_worker", result.stdout)
    worse = "only_admitted_pods_get_a_worker, rejected_pods_are_not_handed_to_a_worker; 7 inherited"
    assert worse in " ".join(result.stdout.split())
