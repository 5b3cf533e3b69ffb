"""The design reviews of docs/examples/: what their pages say is so."""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from pathlib import Path

import pytest
from tests.exploring import explored
from tests.mutants import override

from podproof.checker.core.system import Status
from podproof.model.kubelet import Admission, Chore, Killer
from podproof.model.pod_worker_loop import SyncOutcome
from podproof.model.releases import V1_29, V1_35
from podproof.model.scenarios import SCENARIOS
from podproof.model.state import Channel, Position
from podproof.queries.model_file import load

FOLDER = Path(__file__).parents[1] / "docs" / "examples"
MENDED: dict[str, set[str]] = {
    "closed_channels": {"kill_requests_are_answered_or_remembered", "remembered_kill_requests_are_not_lost"},
    "reconciled_termination": {"grace_period_reaches_the_kill"},
    "terminated_are_unknown": set(),
}
SMALL = ("uid-reuse", "orphan")


def example(name: str) -> type[V1_29]:
    cls = load(FOLDER / f"{name}.py").cls
    assert issubclass(cls, V1_29)
    return cls


def broken(version: type[V1_29], scenario: str) -> frozenset[str]:
    """The claims that a version breaks."""
    found = explored(version, scenario)
    assert found.complete
    return frozenset(verdict.property.id for verdict in found.verdicts if verdict.status is Status.VIOLATED)


@cache
def broken_by_the_release(scenario: str) -> frozenset[str]:
    return broken(V1_35, scenario)


def test_every_example_has_its_page_and_its_paragraph() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(MENDED)
    for name in MENDED:
        assert len((FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 60
        assert f"podproof review v1.35 docs/examples/{name}.py" in (FOLDER / f"{name}.md").read_text(encoding="utf-8")
        assert f"({name}.md)" in (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MENDED)
def test_a_page_says_which_claims_change(name: str) -> None:
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith(("| MENDED |", "| NEW |", "| CHANGED |"))]
    assert {row[2].strip(" `") for row in rows if row[1].strip() == "MENDED"} == MENDED[name]
    assert not [row for row in rows if row[1].strip() == "NEW"]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SMALL)
@pytest.mark.parametrize("name", MENDED)
def test_an_example_breaks_what_its_release_breaks_but_for_what_it_mends(name: str, scenario: str) -> None:
    assert broken(example(name), scenario) == broken_by_the_release(scenario) - MENDED[name]
    assert broken_by_the_release(scenario) >= MENDED[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "scenario", "claim"),
    [
        ("update_known_pod", "uid-reuse", "kill_requests_are_answered_or_remembered"),
        ("cleanup_unstarted_pod", "uid-reuse", "remembered_kill_requests_are_not_lost"),
        ("remove_terminated_worker", "uid-reuse", "remembered_kill_requests_are_not_lost"),
        ("complete_terminating_runtime_pod", "orphan", "remembered_kill_requests_are_not_lost"),
    ],
)
def test_each_way_to_lose_a_channel_has_to_be_closed(left_out: str, scenario: str, claim: str) -> None:
    original = getattr(V1_35, left_out)
    part = override(example("closed_channels"), original, textwrap.dedent(inspect.getsource(original)), left_out)
    assert claim in broken(part, scenario)


@pytest.mark.parametrize("reconciled", [False, True])
def test_a_pending_termination_wakes_its_worker_and_an_error_of_today_does_not(reconciled: bool) -> None:
    scenario = SCENARIOS["one-pod"]
    state = scenario.initial(scenario.model_class(example("reconciled_termination") if reconciled else V1_35))
    state.handle_pod_additions(0, Admission.ADMITTED)
    state.handle_pod_removes(0)
    state.worker_start_pod_sync(0, 0)
    if not reconciled:
        state.worker_get_newer_than(0, 0)
    assert state.workers[0][0].position == Position.SYNC_TERMINATING_POD
    state.worker_sync_terminating_pod_returns(0, 0, SyncOutcome.ERROR)
    state.worker_complete_work_enqueue(0, 0)
    state.worker_complete_work(0, 0)
    assert state.workers[0][0].position == (Position.TOKEN if reconciled else Position.RECEIVING)
    assert state.pod_sync_statuses[0].pending_update.present == reconciled


def test_the_killer_of_a_static_pod_that_never_started_is_told_even_if_containers_of_an_earlier_life_run() -> None:
    """What the page leaves open: after a restart of the kubelet, the pod is finished before its containers are."""
    scenario = SCENARIOS["uid-reuse"]
    state = scenario.initial(scenario.model_class(example("closed_channels")))
    state.containers[0] = True
    state.handle_pod_additions(0, Admission.ADMITTED)
    state.kill_pod_now(0, Killer.NODE_SHUTDOWN)
    assert state.completed_channels[0] == Channel.OPEN
    state.worker_start_pod_sync(0, 0)
    assert state.completed_channels[0] == Channel.CLOSED and state.containers[0]


@pytest.mark.parametrize("finished", [False, True])
def test_the_answer_without_terminated_pods_alone_does_not_stop_their_containers(finished: bool) -> None:
    """No default scenario has containers of a terminated pod, so here they are put there: the kill changes nothing."""
    scenario = SCENARIOS["one-pod"]
    state = scenario.initial(scenario.model_class(example("terminated_are_unknown")))
    status = state.pod_sync_statuses[0]
    state.pod_manager[0] = state.containers[0] = True
    status.present = status.started_at = status.started_terminating = True
    status.terminating_at = status.terminated_at = True
    status.finished = finished
    state.housekeeping_sync_known_pods()
    state.housekeeping_list_pods()
    assert state.chores[0] == Chore.KILL_RUNTIME
    state.housekeeping_kill_runtime(0)
    assert state.containers[0] and not status.working and not status.pending_update.present


class TerminatedAreOrphans(V1_35):
    """The other reading of kubernetes/kubernetes#139881: terminated pods are no longer among the desired ones."""

    def sync_known_pod(self, uid: int) -> None:
        status = self.pod_sync_statuses[uid]
        orphan = not self.is_desired(uid) or self.is_pod_known_terminated(uid)
        if (status.restart_requested or orphan) and self.remove_terminated_worker(uid, status, orphan):
            return
        self.record_known_pod(uid, status.work_type(), orphan)


@pytest.mark.slow
def test_a_filter_before_sync_known_pods_makes_it_forget_desired_pods() -> None:
    lost = broken(TerminatedAreOrphans, "uid-reuse") - broken_by_the_release("uid-reuse")
    assert lost == {"desired_pods_keep_their_history", "deleted_marks_what_is_deleted_or_gone"}


def steps(version: str | type[V1_29], scenario: str, claim: str) -> int | None:
    """How many steps lead to a violation; None where the claim holds."""
    (verdict,) = explored(version, scenario, claim).verdicts
    assert verdict.status in (Status.HOLDS, Status.VIOLATED)
    return None if verdict.trace is None else len(verdict.trace.steps)


IN_THE_CALLERS = (
    ("asks_the_worker", "v1.36", "rejected-pod", "rejected_pods_take_up_no_room", 2, None),
    ("asks_the_worker", "v1.36", "rejected-after-restart", "rejected_pods_are_not_handed_to_a_worker", 2, 7),
    ("asks_the_worker", "v1.36", "rejected-after-restart", "rejected_pods_take_up_no_room", 2, 8),
    ("rejected_is_inactive", "v1.36", "rejected-after-restart", "rejected_pods_take_up_no_room", 2, None),
    ("rejected_is_inactive", "v1.36", "static-pod-restart", "rejected_pods_take_up_no_room", 10, None),
    ("rejected_is_inactive", "v1.36", "rejected-pod", "rejected_pods_are_not_handed_to_a_worker", 2, 2),
    ("passes_the_newest", "v1.36.3", "restart-all-containers", "callers_pass_the_newest_pod", 5, None),
    ("passes_the_newest", "v1.36.3", "restart-all-containers", "pending_updates_keep_what_is_final", 5, None),
    ("allocation_syncs", "v1.36.3", "restart-all-containers", "callers_pass_the_newest_pod", 5, 4),
    ("allocation_syncs", "v1.36.3", "restart-all-containers", "pending_updates_keep_what_is_final", 5, 4),
    ("handlers_wait", "v1.36.3", "restart-all-containers", "callers_pass_the_newest_pod", 5, 5),
    ("handlers_wait", "v1.36.3", "rejected-after-restart", "pending_updates_keep_what_is_final", None, None),
)
"""A proposal of docs/examples/callers/, its release, scenario and claim: the steps in the one and in the other."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("name, release, scenario, claim, before, after", IN_THE_CALLERS)
def test_a_change_in_the_callers_does_what_the_table_says(
    name: str, release: str, scenario: str, claim: str, before: int | None, after: int | None
) -> None:
    assert (steps(release, scenario, claim), steps(example(f"callers/{name}"), scenario, claim)) == (before, after)


def test_each_change_in_the_callers_is_in_the_table() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    names = {path.stem for path in (FOLDER / "callers").glob("*.py")}
    assert names == {name for name, *_ in IN_THE_CALLERS}
    assert all(f"docs/examples/callers/{name}.py" in page for name in names)
