"""No claim forbids to mend what another one calls a fault: claims that contradict each other call each mending NEW."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.catalogue import CATALOGUE, RELEASES
from tests.command_line import run
from tests.exploring import explored
from tests.mendings import Mending
from tests.small_worker import Worker, small_worker

from podproof.checker.core.system import Property, Status
from podproof.checker.core.trace import replay
from podproof.checker.explain.failing_part import failure_of
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of

TWO = "two-goroutines"
SMALL = ("killed-pod", "deferred-eviction", "static-rejected", "static-removed")
STEPS = {
    "v1.36.3": (*SMALL, "deleted-twice-and-killed", "static-added-again", "orphan-added", "runtime-down"),
    "v1.36": ("killed-pod", "updated-pod"),
    "v1.35": ("killed-pod", "static-removed"),
    "v1.32": ("killed-pod", "static-removed"),
    "v1.29": SMALL,
    "v1.27.0": SMALL,
    "v1.26": (*SMALL, "updated-pod"),
    "v1.22.5": SMALL,
    "v1.22.0": SMALL,
    "v1.20": ("one-pod", "static-successor"),
}
"""Version -> scenarios whose violations are asked about in every run; two-goroutines is asked about by itself."""
LEFT = {
    version: left
    for version in RELEASES
    if (left := tuple(name for name in CATALOGUE[version] if name not in (TWO, *STEPS.get(version, ()))))
}
"""Version -> the other scenarios of the catalogue."""
KILLED, KEPT = "configured_pods_get_their_grace_period", "mirror_pods_stay_while_their_pod_runs"
STEP_ITSELF: Mapping[str, Mapping[str, set[str]]] = {
    "static-pod-restart": {"rejected_pods_take_up_no_room": {KILLED}, KILLED: {KILLED}, KEPT: {KEPT}},
    "rejected-after-restart": {KILLED: {KILLED}},
    "overcommit": {"active_pods_fit_the_node": {"active_pods_fit_the_node", "accepted_pods_are_created"}},
    "ended-before-relist": {
        "terminated_pods_run_no_containers": {
            "terminated_pods_run_no_containers",
            "pods_that_ended_before_they_are_first_seen_are_terminated",
        }
    },
}
"""Scenario -> what no state after the step could mend -> claims in its way.

The step itself is wrong: housekeeping kills or deletes what it is not to, or a pod is admitted for which there is no
room. Before the first relist an earlier one is: the model's cache says of a pod that it has yet to read what it says of
one that has no containers, so that UpdatePod cannot ask which it is.
"""
EARLIER = {"complete_sync_requests_termination_first", "terminated_pods_run_no_containers"}
"""What breaks them where two goroutines serve a UID is over: a SyncPod that a mended kubelet would not have begun."""


def opponents(version: str, scenario: str) -> dict[str, Sequence[str]]:
    """Each claim that a step breaks, with claims that no state after this step fulfils together."""
    found = explored(version, scenario)
    claims = properties_of(subject_of(version, None), SCENARIOS[scenario], ())
    return {
        v.property.id: Mending(found.system, claims, v.trace).opponents()
        for v in found.verdicts
        if v.status is Status.VIOLATED and v.property.kind in ("always", "step") and v.trace is not None
    }


def asked(version: str, scenarios: Sequence[str]) -> None:
    found = {scenario: opponents(version, scenario) for scenario in scenarios}
    assert sum(map(len, found.values())) >= 5
    left = {scenario: {id: set(named) for id, named in asked.items() if named} for scenario, asked in found.items()}
    steps = {
        scenario: {id: claims for id, claims in STEP_ITSELF.get(scenario, {}).items() if id in found[scenario]}
        for scenario in found
    }
    if version == "v1.36" and "overcommit" in steps:
        steps["overcommit"] = {}  # The other pod comes while the manifest is away: it may be admitted.
    assert {scenario: [*ids] for scenario, ids in left.items()} == {scenario: [*ids] for scenario, ids in steps.items()}
    assert all(claims <= left[scenario][id] for scenario, ids in steps.items() for id, claims in ids.items())


@pytest.mark.slow
@pytest.mark.parametrize("version", STEPS)
def test_the_step_that_breaks_a_claim_could_lead_to_where_all_claims_hold(version: str) -> None:
    asked(version, STEPS[version])


@pytest.mark.slow
@pytest.mark.parametrize("version", LEFT)
def test_every_known_violation_could_be_mended(version: str) -> None:
    asked(version, LEFT[version])


@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in RELEASES if TWO in CATALOGUE[version]])
def test_where_two_goroutines_serve_a_uid_some_steps_come_too_late_to_be_mended(version: str) -> None:
    found = opponents(version, TWO)
    came_with = ("v1.36.3", "v1.36", "v1.29")
    assert len(found) > 8
    assert {id for id, named in found.items() if named} == (EARLIER if version in came_with else set())


def test_an_eviction_of_a_pod_that_terminates_may_be_marked() -> None:
    """The smallest mending is to mark it, and no claim is in its way."""
    found = explored("v1.36.3", "deleted-and-killed")
    (v,) = (v for v in found.verdicts if v.property.id == "evictions_are_recorded")
    assert v.trace is not None
    claims = properties_of(subject_of("v1.36.3", None), SCENARIOS["deleted-and-killed"], ())
    mending = Mending(found.system, claims, v.trace)
    assert mending.smallest(failure_of(found.system, v.property, v.trace)) == (
        "pod_sync_statuses[0].evicted False → True"
    )


def queued_jobs_are_done(state: Worker) -> bool:
    return not state.queued or state.done


def no_job_is_queued_and_done(state: Worker) -> bool:
    return not (state.queued and state.done)


def failures_are_queued(before: Worker, after: Worker) -> bool:
    return not before.busy or after.queued


def failures_are_counted(before: Worker, after: Worker) -> bool:
    return not before.busy or after.failures > before.failures


def test_claims_that_contradict_each_other_are_named_and_no_others() -> None:
    system = small_worker(Worker)
    trace = replay(system, [("come", {}), ("begin", {}), ("end", {"well": 0})])
    states, steps = (queued_jobs_are_done, no_job_is_queued_and_done), (failures_are_queued, failures_are_counted)
    claims = [Property(function.__name__, "always", "", function) for function in states]
    claims += [Property(function.__name__, "step", "", function) for function in steps]
    mending = Mending(system, claims, trace)
    assert mending.opponents() == ["queued_jobs_are_done", "no_job_is_queued_and_done", "failures_are_queued"]
    assert mending.smallest(None) == ""
    mending = Mending(system, [claims[0], *claims[2:]], trace)
    assert not mending.opponents() and mending.smallest(None) == "done False → True"


# -- mendings that are known ------------------------------------------------------------------------------------------

HEAD = "from podproof.model.language import NIL\nfrom podproof.model.releases import V1_36_3\n\n\n"
EVICTED = (
    HEAD
    + """
class Change(V1_36_3):
    def begin_termination(self, uid, options, is_runtime_pod):
        began = super().begin_termination(uid, options, is_runtime_pod)
        if options.kill_pod_options.present and options.kill_pod_options.evict:
            self.pod_sync_statuses[uid].evicted = True
        return began
"""
)
DELETED = (
    HEAD
    + """
class Change(V1_36_3):
    def begin_termination(self, uid, options, is_runtime_pod):
        began = super().begin_termination(uid, options, is_runtime_pod)
        if options.pod.deletion_timestamp:
            self.pod_sync_statuses[uid].deleted = True
        return began
"""
)
CANCELLED = (
    HEAD
    + """
class Change(V1_36_3):
    def sync_known_pod(self, uid):
        was_terminating = self.pod_sync_statuses[uid].terminating_at
        super().sync_known_pod(uid)
        if self.pod_sync_statuses[uid].terminating_at and not was_terminating:
            self.cancel(uid)
"""
)
LEFT_TO_THE_POD = (
    HEAD
    + """
class Change(V1_36_3):
    def accept_kill_pod_options(self, uid, pod, options):
        override = options.kill_pod_options.grace_period_seconds_override
        if override != NIL and override < 0:
            options.kill_pod_options.grace_period_seconds_override = NIL
        return super().accept_kill_pod_options(uid, pod, options)
"""
)
AND_EVICTED = EVICTED.removeprefix(HEAD).partition("(V1_36_3):\n")[2]
"""Alone it would also show the eviction that is not recorded in states that the release never reaches."""
LEAST = (
    HEAD
    + """
class Change(V1_36_3):
    def calculate_effective_grace_period(self, status, pod, options):
        grace_period, changed = super().calculate_effective_grace_period(status, pod, options)
        if 0 < status.grace_period < grace_period:
            return status.grace_period, False
        return grace_period, changed
"""
)
STOPPED_FIRST = (
    HEAD
    + """
from podproof.model.state import Cached


class Change(V1_36_3):
    def allow_pod_start(self, uid, pod):
        can_start, can_ever_start = super().allow_pod_start(uid, pod)
        if not can_ever_start and self.pod_cache[uid] != Cached.NOTHING_RUNNING:
            return True, True
        return can_start, can_ever_start
"""
)
MENDINGS: Mapping[str, tuple[str, str]] = {
    "evictions_are_recorded": (EVICTED, "deleted-and-killed"),
    "deleted_pods_are_marked_deleted": (DELETED, "deleted-and-killed"),
    "terminating_cancels_sync_pod": (CANCELLED, "static-removed"),
    "terminated_pods_run_no_containers": (STOPPED_FIRST, "static-removed"),
    "negative_maximum_leaves_the_grace_period_to_the_pod": (LEFT_TO_THE_POD + AND_EVICTED, "deferred-eviction"),
    "grace_period_only_decreases": (LEAST, "deleted-twice-and-killed"),
}
"""Claim -> a proposal that mends what breaks it, and where that is seen."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", MENDINGS)
def test_a_mending_is_called_mended_and_nothing_new(claim: str, tmp_path: Path) -> None:
    text, scenario = MENDINGS[claim]
    file = tmp_path / "mending.py"
    file.write_text(text)
    found = run("check", "--model", str(file), "--scenario", scenario, "-o", "json")
    (result,) = json.loads(found.stdout)["results"]
    states = {p["id"]: p["baseline"]["state"] for p in result["properties"] if "baseline" in p}
    assert states[claim] == "MENDED", states
    assert not {"NEW", "CHANGED"} & set(states.values()), states
    assert found.exit_code == 0
