"""Claims as wide as a reviewer's question: rejected pods, old pod objects, and claims without their conditions."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.exploring import explored

from podproof.checker.core.system import Status, Verdict
from podproof.queries.build import as_property
from podproof.queries.claims import CLAIMS

BENCH: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[1] / "bench" / "conditions.py"))
CLAIM = {claim.id: claim for claim in CLAIMS}


def found(version: str, scenario: str, claim: str) -> Verdict:
    (only,) = explored(version, scenario, claim).verdicts
    return only


def actions(verdict: Verdict) -> list[str]:
    assert verdict.trace is not None
    return [move.action for move in verdict.trace.moves]


@pytest.mark.parametrize("version", ["v1.26", "v1.29", "v1.36"])
def test_a_deletion_makes_a_rejected_pod_active(version: str) -> None:
    for claim in ("rejected_pods_are_active_only_while_they_run", "only_admitted_pods_get_a_worker"):
        assert actions(found(version, "ended-pod", claim)) == ["handle_pod_additions", "handle_pod_deletion"]


def test_1_36_3_leaves_a_rejected_pod_alone_unless_it_was_admitted_before_a_restart() -> None:
    verdict = found("v1.36.3", "ended-pod", "rejected_pods_are_active_only_while_they_run")
    assert actions(verdict) == ["handle_pod_additions", "restart", "handle_pod_additions", "handle_pod_deletion"]


def test_the_narrow_claim_about_rejected_pods_holds_since_it_was_mended() -> None:
    assert found("v1.22.0", "static-rejected", "rejected_pods_do_not_count_as_active").status is Status.VIOLATED
    assert found("v1.36", "ended-pod", "rejected_pods_do_not_count_as_active").status is Status.HOLDS


@pytest.mark.parametrize("version", ["v1.36", "v1.36.3"])
def test_sync_pod_brings_an_old_object_back(version: str) -> None:
    for claim in ("older_pods_never_replace_newer_ones", "pending_updates_keep_what_is_final"):
        assert actions(found(version, "updated-pod", claim))[-1] == "sync_pod_calls_update_pod"


@pytest.mark.parametrize("version", ["v1.27.0", "v1.29", "v1.32", "v1.35"])
def test_no_old_object_comes_back_before(version: str) -> None:
    assert found(version, "updated-pod", "older_pods_never_replace_newer_ones").status is Status.HOLDS


def test_killers_bring_an_object_from_before_the_deletion() -> None:
    options = ("--scenario", "one-pod", "--property", "pending_updates_keep_what_is_final", "--max-states", "5000")
    said = run("check", "--version", "v1.29", *options)
    assert said.exit_code == 0
    assert re.search(r"2  DELETE web.*3  REMOVE web.*4  killPodNow\(web\)", said.stdout, re.DOTALL)


# -- claims without each of their conditions ---------------------------------------------------------------------------


def without(claim: str) -> list[str]:
    return [p.id.removeprefix(f"{claim} without ") for p in BENCH["wider"](as_property(CLAIM[claim]))]


def test_every_condition_is_left_out_once_and_the_conclusion_never() -> None:
    assert without("rejected_pods_do_not_count_as_active") == [
        "`state.rejected[uid]`",
        "`not (state.pod_sync_statuses[uid].present)`",
    ]
    # A condition with a name has parts, and what comes after an early `return True` has one condition more.
    assert "`pod.deletion_timestamp`" in without("deleted_pods_that_ended_get_a_worker")
    assert "`not (event.action != 'worker_get_newer_than')`" in without("the_last_status_function_reaches_the_kill")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if a and not b: return False", [("a", True)]),
        ("if a:\n  if b and c: return False", [("a", True), ("b", True)]),
        ("if a or b: return True\nreturn c", [("a", False), ("b", False)]),
        ("if not (a or b) and c: return False", [("a", False), ("b", False)]),
        ("if (a and b) or (c and d): return False", [("a", True), ("c", True)]),
        ("return a or (b and c)", [("a", False)]),
        ("x = a and b\nif x and c: return False", [("x", True), ("a", True), ("b", True)]),
        ("if a:\n  return False\nelse:\n  return True", []),
    ],
)
def test_conditions_are_what_a_claim_requires_before_its_conclusion(text: str, wanted: list[tuple[str, bool]]) -> None:
    body = "\n".join("    " + line for line in text.split("\n"))
    (function,) = ast.parse(f"def claim(state):\n{body}\n    return True\n").body
    assert [(ast.unparse(e), truth) for e, truth in BENCH["conditions"](function)] == wanted


def test_a_wider_claim_fails_where_the_condition_decides() -> None:
    exploration = BENCH["explored"]("v1.29", "ended-pod", ["rejected_pods_do_not_count_as_active"])
    lines = list(BENCH["told"](exploration))
    start = "rejected_pods_do_not_count_as_active without `not (state.pod_sync_statuses[uid].present)`: 2 steps: "
    assert any(line.startswith(start) and "DELETE web" in line for line in lines)
