"""The bugs of the past, and those that are still there: which claim each of them breaks in which small world.

What upstream says of a bug is written here. What the checker finds of it is in docs/history.md, which is generated.
"""

from __future__ import annotations

from dataclasses import dataclass

_RAN = "its trace passes as a Go test in 1.29.6, 1.32.10, 1.33.13, 1.35.6 and 1.36.3"
_BLOCKS = f"{_RAN}; killPodNow was seen to block for 10 s and to record a false event ExceededGracePeriod"
_FORCED = "forced in about ten lines with newTestKubelet and HandlePodAdditions, as the workers alone cannot show it"


@dataclass(frozen=True)
class Bug:
    """A bug, the claim it breaks and where to look at it."""

    id: str
    """B: reported upstream; N: found in reading the source; F: found by the checker."""
    title: str
    issues: tuple[int, ...]
    """Of kubernetes/kubernetes; empty when none was found."""
    declared: str
    """The affected versions as upstream says, or as was inferred from its pull requests."""
    claim: str
    scenario: str
    since: str = ""
    """The first release that `declared` means; empty where it means none. Later ones inherit the bug."""
    until: str = ""
    """The release that is declared to have mended it; empty for none."""
    old_claim: str = ""
    """What stands for the claim in v1.20, whose pod worker is another one; empty for nothing."""
    difference: str = ""
    """Why the checker finds it in other releases than declared; empty where it finds it in just these."""
    seen: str = ""
    """What was seen of it on a real kubelet; empty where that was not tried."""


BUGS = (
    Bug(
        "B01",
        "Volumes and cgroups are removed while a running sync is about to start containers",
        (88766, 102344),
        "up to 1.21",
        claim="running_containers_are_not_denied",
        scenario="killed-pod",
        since="1.19",
        until="1.22.0",
        old_claim="containers_run_with_their_resources",
    ),
    Bug(
        "B02",
        "A static pod that is added again while it terminates never comes back",
        (104648, 104847),
        "1.22.0 to 1.22.2",
        claim="pods_added_again_are_restarted",
        scenario="static-added-again",
        since="1.22.0",
        until="1.22.3",
    ),
    Bug(
        "B03",
        "Two static pods of one full name run at the same time",
        (97722, 104743),
        "up to 1.22.4",
        claim="one_static_pod_per_full_name",
        scenario="static-successor",
        since="1.19",
        until="1.22.5",
        old_claim="one_static_pod_runs_per_full_name",
    ),
    Bug(
        "B05",
        "A static pod that was killed while it waited blocks those queued behind it",
        (107733, 107900),
        "1.22.5 to 1.22.7 and 1.23.0 to about 1.23.4",
        claim="the_first_waiting_static_pod_may_start",
        scenario="static-waiting",
        since="1.22.5",
        until="1.23.4",
    ),
    Bug(
        "B06",
        "After a restart of the kubelet pods that have ended take up room at admission",
        (105523, 105527),
        "1.22.0 to 1.22.2",
        claim="ended_pods_do_not_count_as_active",
        scenario="ended-pod",
        since="1.22.0",
        until="1.22.3",
    ),
    Bug(
        "B07",
        "After a restart of the kubelet SyncTerminatedPod never runs for a pod that has ended",
        (116925, 116954, 117019),
        "1.23 to 1.27.1",
        claim="pods_are_not_finished_at_first_sight",
        scenario="ended-pod",
        since="1.23.0",
        until="1.27.2",
    ),
    Bug(
        "B10",
        "A pod's end goes through the API server: nothing is torn down without it",
        (106884, 108733, 108366),
        "1.22.0 to 1.23",
        claim="a_pod_ends_without_the_api_server",
        scenario="lone-pod",
        since="1.22.0",
        until="1.24.0",
    ),
    Bug(
        "B11",
        "Pods that were rejected at admission take up room at admission",
        (104817,),
        "1.22.0 to 1.22.2",
        claim="rejected_pods_do_not_count_as_active",
        scenario="ended-pod",
        since="1.22.0",
        until="1.22.3",
    ),
    Bug(
        "B12",
        "Nobody retries the failed termination of a pod that is gone from its source",
        (113145, 113065, 107483, 109596),
        "1.22 to 1.26",
        claim="housekeeping_drives_orphans_on",
        scenario="static-removed",
        since="1.22.0",
        until="1.27.0",
    ),
    Bug(
        "B13",
        "A removed static pod whose cleanup failed keeps its full name for ever",
        (113091, 112998),
        "1.22.5 to 1.26",
        claim="names_of_removed_pods_become_free",
        scenario="static-successor",
        since="1.22.5",
        until="1.27.0",
    ),
    Bug(
        "B15",
        "Housekeeping restarts a static pod one pass late",
        (116690,),
        "1.27",
        claim="forgotten_pods_are_created_in_the_same_pass",
        scenario="static-added-again",
        since="1.27.0",
        until="1.28.0",
    ),
    Bug(
        "B16",
        "A grace period of 0 counts as none: the shorter request raises it to the spec's",
        (115819, 124063, 124405, 120449, 113717),
        "1.22 to about 1.30",
        claim="grace_period_only_decreases",
        scenario="deleted-and-killed",
        since="1.22.0",
        until="1.31.0",
        seen="its trace passes as a Go test in 1.29.6",
    ),
    Bug(
        "B18",
        "A deleted pod that was rejected after a restart is never removed from the API",
        (118472, 118497),
        "1.27.0 to 1.27.3",
        claim="deleted_pods_that_ended_get_a_worker",
        scenario="ended-pod",
        since="1.27.0",
        until="1.27.4",
    ),
    Bug(
        "B19",
        "A pod that has succeeded is rejected after a restart, and becomes Failed",
        (126343,),
        "up to 1.31.1",
        claim="ended_pods_are_not_rejected",
        scenario="ended-pod",
        since="1.22.0",
        until="1.31.2",
        seen=_FORCED,
    ),
    Bug(
        "B23",
        "A pod that is removed while another source is not ready keeps running",
        (116880,),
        "up to 1.26",
        claim="removed_pods_are_terminated_by_housekeeping",
        scenario="static-removed",
        since="1.19",
        until="1.27.0",
        old_claim="removed_pods_are_stopped",
    ),
    Bug(
        "B24",
        "A forced deletion gets the spec's grace period",
        (110507, 120449),
        "1.22 to 1.30; documented as intended",
        claim="pods_removed_without_deletion_get_one_second",
        scenario="killed-pod",
        since="1.22.0",
        until="1.31.0",
        difference="The newer rule for the grace period (1.31) does not affect it: the REMOVE carries no grace period.",
        seen=_RAN,
    ),
    Bug(
        "B25",
        "Something of a pod is started after its deletion",
        (92817, 98933, 107730, 110181),
        "1.20 to 1.23",
        claim="terminated_pods_never_restart",
        scenario="killed-pod",
        since="1.20",
        until="1.24.0",
        old_claim="removed_pods_start_no_containers",
        difference="Shown for containers only. What 1.22 and 1.23 leave behind are sandboxes that garbage collection "
        "skips, which the model lacks.",
    ),
    Bug(
        "B30",
        "A soft eviction that should use the pod's own grace period gives it 1 s",
        (118172, 137624, 141570),
        "all",
        claim="negative_maximum_leaves_the_grace_period_to_the_pod",
        scenario="deferred-eviction",
        since="1.22.0",
    ),
    Bug(
        "B32",
        "A static pod that was rejected at admission is never retried",
        (116484,),
        "all",
        claim="rejected_static_pods_are_tried_again",
        scenario="static-rejected",
        since="1.22.0",
        seen=_FORCED,
    ),
    Bug(
        "B33",
        "An update brings a pod that was rejected at admission to a worker, and it takes up room at admission",
        (135296, 136508, 139522),
        "up to 1.36.2; in 1.36.3 where the pod was admitted before a restart, by reading",
        claim="rejected_pods_are_active_only_while_they_run",
        scenario="ended-pod",
        since="1.22.0",
    ),
    Bug(
        "N1",
        "killPodNow of a finished pod: its channel stays open, a false ExceededGracePeriod follows",
        (118679, 118688, 139336),
        "1.22 to 1.36, by reading",
        claim="kill_requests_are_answered_or_remembered",
        scenario="killed-pod",
        since="1.22.0",
        seen=_BLOCKS,
    ),
    Bug(
        "N2",
        "killPodNow of a static pod that waits to start: its channel stays open",
        (),
        "1.22.8 and 1.24 to 1.36, by reading",
        claim="terminated_pods_keep_no_killer_waiting",
        scenario="static-waiting",
        since="1.24.0",
        seen=_RAN,
    ),
    Bug(
        "N3",
        "A killed pod that never started is forgotten together with its channel",
        (),
        "1.27 to 1.36, by reading",
        claim="remembered_kill_requests_are_not_lost",
        scenario="killed-pod",
        since="1.27.0",
        difference="Up to 1.26 it happens only as in N4: a runtime pod ends, here after a REMOVE, in 24 steps.",
        seen=_BLOCKS,
    ),
    Bug(
        "N4",
        "The end of a runtime pod discards the channels of its UID",
        (),
        "1.27 to 1.36, by reading",
        claim="remembered_kill_requests_are_not_lost",
        scenario="orphan-added",
        since="1.27.0",
        difference="1.22.5 and 1.26 forget the channel with the finished pod, without closing it. So does 1.22.0, as "
        "N3's scenario shows.",
        seen=_RAN,
    ),
    Bug(
        "N5",
        "Two goroutines serve one UID",
        (),
        "1.27 to 1.36, by reading",
        claim="one_sync_call_per_pod",
        scenario="two-goroutines",
        since="1.27.0",
        seen=_RAN,
    ),
    Bug(
        "N6",
        "The eviction of a pod that is being deleted is not recorded",
        (),
        "1.22 to 1.36, by reading",
        claim="evictions_are_recorded",
        scenario="deleted-and-killed",
        since="1.22.0",
        seen=_RAN,
    ),
    Bug(
        "N7",
        "A termination begun by SyncPod or housekeeping calls SyncTerminatingPod without the recorded grace period",
        (),
        "1.27 to 1.36, by reading",
        claim="grace_period_reaches_the_kill",
        scenario="deleted-and-killed",
        since="1.27.0",
        difference="completeSync exists since 1.24, and with it the call without a grace period.",
        seen="1.29.6 and 1.32.10 make the call without the recorded grace period; the trace that was run has no "
        "request for a shorter one",
    ),
    Bug(
        "N8",
        "A grace period that grows cancels the running sync as if it had been shortened",
        (),
        "1.22 to about 1.30, by reading",
        claim="only_a_shorter_grace_period_cancels",
        scenario="deleted-twice-and-killed",
        since="1.22.0",
        until="1.31.0",
        difference="From 1.31 on it still grows from 1, after a deletion with grace period 0 and a soft eviction.",
        seen=_RAN,
    ),
    Bug(
        "F1",
        "A static pod that is removed before it starts again after a restart is terminated while its containers run",
        (),
        "nowhere",
        claim="waiting_static_pods_are_stopped_before_they_are_terminated",
        scenario="static-pair-restart",
        difference="For a static pod that is to terminate, allowPodStart says that it can never start, and "
        "cleanupUnstartedPod marks it terminated and finished. Neither checks for containers that have run since "
        "before the restart. Housekeeping stops them in a later pass, as containers without configuration. No race is "
        "needed here: another pod of its full name was added first. If its REMOVE comes before its worker has run, one "
        "pod is enough (`podproof check --scenario static-removed`, 9 steps).",
        seen="the trace of `static-removed` passes as a Go test in 1.29.6, 1.32.10, 1.33.13, 1.35.6 and 1.36.3. "
        "Without forcing the order, it happened in 100 of 100 tries if HandlePodRemoves directly follows "
        "HandlePodAdditions after a restart, and in 1.32.10 still in 24 of 500 with 1 ms between them. Another "
        "static pod of the full name ran beside it, and its containers got 1 s instead of the spec's 30",
    ),
)
"""In the order of the page."""


@dataclass(frozen=True)
class StuckRun:
    """Somebody who waits for ever because of a bug: the claim about runs that it breaks."""

    claim: str
    scenario: str
    note: str = ""
    """What else there is to know, as a sentence; empty for nothing."""


_TIMEOUT = "killPodNow then reports ExceededGracePeriod for a pod that is gone"
STUCK_RUNS = {
    "B02": StuckRun(
        "restart_requests_are_fulfilled",
        "static-added-again",
        "1.22.0 does not record that the pod is to start again, so no state says that somebody waits. From 1.22.5 to "
        "1.26 it is recorded, but never happens because of B12.",
    ),
    "B05": StuckRun(
        "terminating_pods_are_terminated",
        "static-waiting",
        "After 3 steps the wait can no longer end; the other steps belong to the first pod, which keeps running and is "
        "synced again and again.",
    ),
    "B07": StuckRun(
        "deleted_pods_leave_the_api_server",
        "restarted-kill",
        "Before 1.27 the API object's deletion does not wait for the pod worker.",
    ),
    "B12": StuckRun("terminating_pods_are_terminated", "static-removed"),
    "B13": StuckRun("waiting_static_pods_start", "static-successor"),
    "B18": StuckRun("deleted_pods_that_ended_are_finished", "ended-pod"),
    "B23": StuckRun("removed_pods_are_told_to_terminate", "static-removed"),
    "B32": StuckRun("rejected_static_pods_get_a_worker", "static-rejected"),
    "N1": StuckRun("kill_requests_are_answered", "deleted-and-killed", f"{_TIMEOUT}."),
    "N2": StuckRun("kill_requests_are_answered", "static-waiting", f"{_TIMEOUT}. Before 1.24 this shows B05."),
    "N3": StuckRun(
        "kill_requests_are_answered",
        "killed-pod",
        f"{_TIMEOUT}. Before 1.27 it is B12's lost retry.",
    ),
    "N4": StuckRun(
        "kill_requests_are_answered",
        "orphan-added",
        f"{_TIMEOUT}. In 1.29 that is certain after 7 steps; the new pod then keeps running.",
    ),
}
"""Bugs that keep somebody waiting, in the order of the page."""

_WITH_CONTAINERS = "it is in the layers around the pod worker, where [it is found](layers.md#which-bugs-are-found)"
NOT_SHOWN = {
    "B04 (#107733, #107695)": "the release 1.22.5 of the model has the fix: no static pod ends before it is first seen",
    "B08 (#103623, #103785)": "the reasons and messages of a status are not in the model",
    "B09 (#105358, #105462)": _WITH_CONTAINERS,
    "B14 (#113145)": "only during 1.27's development, in no release",
    "B17 (#92432, #115817, #116753, #117373, #115835)": _WITH_CONTAINERS,
    "B20 (#113717, #113883, #127580, #113606, #98507)": _WITH_CONTAINERS,
    "B21 (#110309, #107473, #110191)": _WITH_CONTAINERS,
    "B22 (#127339)": _WITH_CONTAINERS,
    "B26 (#102344, in review)": "only in an alpha of 1.22, in no release",
    "B27 (#65987, #66004)": "1.11, which is older than any release here. A claim still says for 1.20 to 1.26 that no "
    "send blocks while podLock is held (`workers_are_sent_work_when_their_channel_is_empty`), and it holds",
    "B28 (#122160, #123782, #141857)": _WITH_CONTAINERS,
    "B29 (#128103)": _WITH_CONTAINERS,
    "B31 (#7250, #7301, #37447, #83705, #8878)": _WITH_CONTAINERS,
}
"""Bugs that the pod worker's scenarios cannot show -> why."""
