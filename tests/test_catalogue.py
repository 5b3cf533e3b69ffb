"""The catalogue: what every version does in every scenario, and that the notes on known violations say the same.

tests/golden/catalogue-<version>.txt is compared with the checker here; the tests below it read it from there.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.catalogue import CATALOGUE, CLAIM, RELEASES, catalogue, result, table, violated
from tests.exploring import explored

from podproof.checker.core.system import Exploration, Step
from podproof.model.scenarios import HISTORY, SCENARIOS
from podproof.queries.claims import CLAIMS

DEFAULT = tuple(name for name, scenario in SCENARIOS.items() if scenario.by_default)


@pytest.mark.slow
@pytest.mark.parametrize("version", CATALOGUE)
def test_the_catalogue_is_what_the_checker_finds(version: str, golden: Callable[[str, str], None]) -> None:
    found = [explored(version, scenario) for scenario in CATALOGUE[version]]
    golden(f"catalogue-{version}.txt", f"{version}\n\n" + "\n".join(table(one) for one in found))
    assert all(one.complete for one in found)


# -- the notes on known violations -------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", CATALOGUE)
def test_only_known_violations_occur(version: str) -> None:
    unknown = [(r.scenario, r.claim.id) for r in catalogue(version) if r.status != "HOLDS" and r.known is None]
    assert not unknown


@pytest.mark.parametrize("version", CATALOGUE)
def test_every_known_violation_occurs(version: str) -> None:
    for claim in CLAIMS:
        for key in claim.known_violations:
            name, _, scenario = key.partition("/")
            judged = {scenario} if scenario else set(claim.scenarios or CATALOGUE[version])
            if name == version and judged & set(CATALOGUE[version]):
                assert judged & set(violated(version, claim.id)), f"{claim.id} is noted to be violated by {key}"


@pytest.mark.parametrize("version", RELEASES)
def test_every_witness_is_seen_where_it_is_to_be(version: str) -> None:
    for claim in CLAIMS:
        if claim.kind == "sometimes":
            judged = [r for r in catalogue(version) if r.claim is claim]
            seen = {r.scenario for r in judged if r.status == "HOLDS"}
            wanted = {r.scenario for r in judged if r.scenario in claim.scenarios and r.known is None}
            assert seen >= wanted, claim.id
            assert seen or claim.scenarios or not judged, claim.id


def test_witnesses_are_at_least_twelve() -> None:
    assert sum(claim.kind == "sometimes" for claim in CLAIMS) >= 12


# -- what the releases keep and break ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", RELEASES)
def test_a_terminated_pod_is_never_restarted(version: str) -> None:
    assert violated(version, "terminated_pods_never_restart").isdisjoint(DEFAULT)


MENDED = {
    "one_static_pod_per_full_name": ("v1.22.0", "v1.22.5", "#104743"),
    "a_restart_is_requested": ("v1.22.0", "v1.22.5", "#104847"),
    "the_first_waiting_static_pod_may_start": ("v1.22.5", "v1.26", "#107900"),
    "no_sync_pod_once_terminating_started": ("v1.22.5", "v1.26", "no upstream issue found"),
    "housekeeping_drives_orphans_on": ("v1.26", "v1.27.0", "#113145"),
    "waiting_updates_survive_a_change_of_phase": ("v1.26", "v1.27.0", "no upstream issue found"),
    "pods_are_not_finished_at_first_sight": ("v1.27.0", "v1.27.2", "#117019"),
    "an_ended_pod_is_seen_first_after_a_restart": ("v1.27.0", "v1.27.2", "#117019"),
    "forgotten_pods_are_created_in_the_same_pass": ("v1.27.2", "v1.29", "#116690"),
    "deleted_pods_that_ended_get_a_worker": ("v1.27.2", "v1.29", "#118497"),
    "ended_pods_are_not_rejected": ("v1.29", "v1.32", "#126343"),
}
"""Claim -> the last release that breaks it, the first that keeps it, and what the notes say of the former."""
DOUBLE_WORKER = ("one_sync_call_per_pod", "terminated_pods_never_restart", "sync_functions_run_in_order")


@pytest.mark.parametrize("id", MENDED)
def test_a_release_mends_what_the_one_before_it_broke(id: str) -> None:
    broken, mended, note = MENDED[id]
    by_default = set(DEFAULT)
    assert violated(broken, id) & by_default and not violated(mended, id) & by_default
    notes = [text for key, text in CLAIM[id].known_violations.items() if key.partition("/")[0] == broken]
    assert any(note in text for text in notes)


@pytest.mark.parametrize("id", DOUBLE_WORKER)
def test_two_goroutines_of_one_uid_came_with_1_27(id: str) -> None:
    assert "two-goroutines" not in violated("v1.26", id)
    assert "two-goroutines" in violated("v1.29", id)


def test_no_send_of_1_26_blocks_while_it_holds_the_lock() -> None:
    judged = [r for r in catalogue("v1.26") if r.claim.id == "workers_are_sent_work_when_their_channel_is_empty"]
    assert {r.scenario for r in judged if r.status == "HOLDS"} == set(CATALOGUE["v1.26"])


def test_a_claim_about_what_a_release_lacks_is_not_made_of_it() -> None:
    ids = {r.claim.id for r in catalogue("v1.26")}
    assert "queries_follow_the_timeline" not in ids and "finished_pods_are_terminated" in ids


def test_the_grace_period_of_1_29_grows_within_four_steps() -> None:
    found = result("v1.29", "one-pod", "grace_period_only_decreases")
    assert found.status == "VIOLATED" and found.steps is not None and found.steps <= 4


def test_the_grace_period_of_1_32_grows_only_after_a_deletion_with_grace_period_0() -> None:
    assert violated("v1.32", "grace_period_only_decreases") == {"one-pod", "open-pod"}
    last = _last_step(explored("v1.32", "one-pod", "grace_period_only_decreases"))
    assert last.action == "kill_pod_now"
    assert [(c.before, c.after) for c in last.changes if c.path.endswith("].grace_period")] == [(1, 20)]
    with_deletion_of_0 = {name for name, scenario in SCENARIOS.items() if 0 in scenario.deletion_seconds} - set(HISTORY)
    assert with_deletion_of_0 == {"one-pod", "open-pod"}


def test_a_kill_of_a_finished_pod_leaves_its_channel_open() -> None:
    found = explored("v1.29", "one-pod", "kill_requests_are_answered_or_remembered")
    (verdict,), last = found.verdicts, _last_step(found)
    assert last.action == "kill_pod_now"
    assert verdict.trace is not None
    status = found.system.build(verdict.trace.steps[-2].state).pod_sync_statuses[0]
    assert status.present and status.finished
    assert [(c.before, c.after) for c in last.changes if c.path == "completed_channels[0]"] == [("none", "open")]


def _last_step(found: Exploration) -> Step:
    """The last step of the only claim's counterexample."""
    (verdict,) = found.verdicts
    assert verdict.trace is not None
    return verdict.trace.steps[-1]


# -- what the walkthrough's departures break ---------------------------------------------------------------------------


def test_with_the_walkthroughs_update_pod_a_removed_or_deleted_pod_is_not_asked_to_terminate() -> None:
    for id in ("removed_pods_terminate", "ended_and_deleted_pods_terminate"):
        assert result("walkthrough-001-update", "one-pod", id).steps == 2
        assert not violated("v1.29", id)


def test_with_the_walkthroughs_update_pod_no_restart_is_requested_and_no_sync_cancelled() -> None:
    assert "uid-reuse" in violated("walkthrough-001-update", "a_restart_is_requested")
    assert "uid-reuse" in violated("walkthrough-001-update", "housekeeping_recreates_a_pod")
    assert "one-pod" in violated("walkthrough-001-update", "a_sync_is_cancelled")


def test_with_the_walkthroughs_update_pod_no_grace_period_ever_changes() -> None:
    assert not violated("walkthrough-001-update", "grace_period_only_decreases")


def test_with_the_walkthroughs_update_pod_a_kill_is_neither_answered_nor_remembered() -> None:
    assert result("walkthrough-001-update", "one-pod", "kill_requests_are_answered_or_remembered").steps == 2


def test_with_the_walkthroughs_update_pod_nothing_is_retried_and_its_complete_work_hides_that() -> None:
    assert "one-pod" in violated("walkthrough-001-update", "idle_pods_are_retried")
    assert "one-pod" not in violated("walkthrough-001", "idle_pods_are_retried")


def test_with_the_walkthroughs_complete_work_an_idle_pod_loses_its_history() -> None:
    for version in ("walkthrough-001-complete", "walkthrough-001"):
        for id in ("desired_pods_keep_their_history", "started_pods_are_finished_before_they_are_forgotten"):
            assert violated(version, id) >= {"one-pod", "one-pod-restart", "uid-reuse", "orphan"}


def test_with_the_walkthroughs_complete_work_running_containers_are_denied() -> None:
    for version in ("walkthrough-001-complete", "walkthrough-001"):
        assert "one-pod" in violated(version, "running_containers_are_not_denied")


def test_with_the_walkthroughs_complete_work_a_terminated_pod_runs_again() -> None:
    assert "one-pod" in violated("walkthrough-001-complete", "terminated_pods_never_restart")


def test_with_the_walkthroughs_complete_work_a_forgotten_pod_keeps_its_channel() -> None:
    for version in ("walkthrough-001-complete", "walkthrough-001"):
        assert "one-pod" in violated(version, "channels_belong_to_living_pods")
