"""What the tests of Go tests share: the claims that 1.29 breaks, and how to have one written."""

from __future__ import annotations

import os
from pathlib import Path

from click.testing import Result
from tests.command_line import run_v1_29

ROOT = Path(__file__).parents[1]

SHORTEST = {
    "grace_period_only_decreases": "one-pod",
    "kill_requests_are_answered_or_remembered": "uid-reuse",
    "remembered_kill_requests_are_not_lost": "one-pod",
    "grace_period_reaches_the_kill": "orphan",
    "ended_pods_are_not_rejected": "one-pod-restart",
    "rejected_pods_are_active_only_while_they_run": "one-pod-restart",
    "only_admitted_pods_get_a_worker": "one-pod-restart",
    "pending_updates_keep_what_is_final": "one-pod",
    "the_least_grace_period_asked_for_is_recorded": "one-pod",
    "the_grace_period_is_one_that_was_asked_for": "one-pod",
    "started_static_pods_have_left_the_line": "uid-reuse",
    "idle_pods_are_retried": "runtime-down",
    "deleted_pods_are_marked_deleted": "one-pod",
    "evictions_are_recorded": "one-pod",
    "terminating_cancels_sync_pod": "one-pod-restart",
    "terminated_pods_run_no_containers": "static-removed",
    "waiting_static_pods_are_stopped_before_they_are_terminated": "static-pair-restart",
}
"""Every claim that 1.29 breaks -> where its shortest counterexample is."""


def run(*arguments: str | Path) -> Result:
    """`podproof check -o go-test`, of 1.29 where nothing else is named."""
    return run_v1_29("check", "--config", os.devnull, "-o", "go-test", *map(str, arguments))


def written(*arguments: str | Path) -> str:
    """The Go tests that it writes."""
    result = run(*arguments)
    assert result.exit_code != 2, result.output
    return result.stdout


def written_of(claim: str) -> str:
    """The shortest counterexample of a claim."""
    return written("--scenario", SHORTEST[claim], "--property", claim)
