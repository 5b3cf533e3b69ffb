"""The claims about runs: what is known of each release, in small scenarios, and what the command says of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from docs.make.history import RELEASES as RELEASES_OF_THE_PAGE
from docs.make.history import recorded, wait
from tests.command_line import run_or_export
from tests.command_line import run_v1_29 as run

from podproof.checker.core.system import Property, Status, Trace
from podproof.checker.liveness.decide import RunChecker
from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import CALLERS, SCENARIOS
from podproof.queries.build import run_properties_of, subject_of, system_of
from podproof.queries.claims import CLAIMS
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS
from podproof.specs import RUN_CLAIMS, Claim
from podproof.specs.history import STUCK_RUNS

RELEASES = [v.name for v in VERSIONS.values() if v.covers and v.name != "v1.20"]
SMALL = (
    "deferred-eviction",
    "killed-pod",
    "runtime-down",
    "static-added-again",
    "static-removed",
    "static-successor",
    "static-waiting",
)
STUCK = ("check", "--scenario", "runtime-down", "--property", "terminating_pods_are_terminated")

NO_RETRY = """
from podproof.model.state import Delay
from podproof.model.versions import V1_29


class NoRetry(V1_29):
    def enqueue(self, uid: int, delay: Delay) -> None:
        self.work_queue[uid] = delay != Delay.BACKOFF
"""


DOCS = Path(__file__).parents[1] / "docs"
DOCUMENTATION = (DOCS / "liveness.md").read_text(encoding="utf-8")
_, WAITS = recorded((DOCS / "history.md").read_text(encoding="utf-8"))


def told(trace: Trace | None) -> str:
    assert trace is not None and trace.lasso is not None
    return f"({trace.lasso.start} + {len(trace.steps) - trace.lasso.start})"


@pytest.mark.slow
@pytest.mark.parametrize("version", RELEASES)
def test_the_violations_are_those_that_are_known(version: str) -> None:
    subject, claims = subject_of(version, None), {claim.id: claim for claim in RUN_CLAIMS}
    for scenario in SMALL:
        properties = run_properties_of(subject, SCENARIOS[scenario])
        found = RunChecker(system_of(subject, SCENARIOS[scenario]), needs=False).decide(properties)
        broken = {v.property.id for v in found.verdicts if v.status is Status.VIOLATED}
        known = {p.id for p in properties if claims[p.id].known_violation(version, scenario)}
        assert broken == known, f"{version}/{scenario}"
        lassos = {v.property.id: v.trace for v in found.verdicts if v.trace is not None}
        for id, stuck in STUCK_RUNS.items():
            if stuck.scenario == scenario and "+" in WAITS[id, version]:
                assert told(lassos[stuck.claim]) == f"({WAITS[id, version]})", id


@pytest.mark.parametrize("id", [id for id, stuck in STUCK_RUNS.items() if stuck.scenario not in SMALL])
def test_who_waits_for_ever_does_so_until_it_is_mended(id: str) -> None:
    """Asked again of the last release that has it and of the first without it; of what is still there, the newest."""
    last = max(i for i, release in enumerate(RELEASES_OF_THE_PAGE) if "+" in WAITS[id, release])
    for release in RELEASES_OF_THE_PAGE[last : last + 2]:
        assert wait(release, id) == WAITS[id, release], release


@pytest.mark.parametrize(("version", "status"), [("v1.26", Status.VIOLATED), ("v1.27.2", Status.HOLDS)])
def test_a_container_that_is_stopped_ends_since_orphans_are_retried(version: str, status: Status) -> None:
    subject, scenario = subject_of(version, None), SCENARIOS["mirror-pod"]
    properties = run_properties_of(subject, scenario, ["containers_that_are_stopped_end"])
    (found,) = RunChecker(system_of(subject, scenario), needs=False).decide(properties).verdicts
    claim = next(claim for claim in RUN_CLAIMS if claim.id == found.property.id)
    assert found.status is status
    assert (status is Status.VIOLATED) == (claim.known_violation(version, "mirror-pod") is not None)


OTHERWISE = {
    ("v1.36.3", "deleted_pods_that_ended_are_finished"): ("`housekeeping` (6 + 0)", "`housekeeping` (3 + 0)"),
}
"""Release and claim -> what the table says, and what the sentence above it says of that release instead."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", RUN_CLAIMS, ids=lambda claim: claim.id)
def test_the_documentation_says_what_a_claim_needs(claim: Claim) -> None:
    """In two releases; and each claim has a premise that happens, and a name of its own."""
    assert claim.id not in {other.id for other in CLAIMS} and claim.meaning and claim.source
    table = DOCUMENTATION.partition("| claim | scenario | needs, and")[2].partition("\n\n")[0]
    (scenario, needs) = re.findall(rf"^\| `{claim.id}` \| `(.+)` \| (.+) \|$", table, re.MULTILINE)[0]
    for version in ("v1.36" if scenario in CALLERS else "v1.29", "v1.36.3"):
        subject = subject_of(version, None)
        asked = run_properties_of(subject, SCENARIOS[scenario], [claim.id])
        (verdict,) = RunChecker(system_of(subject, SCENARIOS[scenario])).decide(asked).verdicts
        in_table, here = OTHERWISE.get((version, claim.id), ("", ""))
        assert in_table in needs and here in DOCUMENTATION.partition(table)[0]
        needs_here = needs.replace(in_table, here) if here else needs
        if verdict.status is Status.VIOLATED:
            assert needs_here == f"violated {told(verdict.trace)}"
        else:
            assert (verdict.status, verdict.is_vacuous) == (Status.HOLDS, False)
            assert needs_here == ", ".join(f"`{need.assumption}` {told(need.trace)}" for need in verdict.needs)


def test_the_documentation_ties_every_claim_to_claims_that_there_are() -> None:
    table = DOCUMENTATION.partition("| must happen eventually | related safety claims |")[2].partition("\n## ")[0]
    rows = [re.findall(r"`(\w+)`", line) for line in table.splitlines() if "`" in line]
    assert [row[0] for row in rows] == [claim.id for claim in RUN_CLAIMS]
    assert {name for row in rows for name in row[1:]} <= {claim.id for claim in CLAIMS}


@pytest.mark.slow
def test_the_reference_finds_the_same_in_the_smallest_scenario() -> None:
    subject, scenario = subject_of("v1.29", None), SCENARIOS["lone-pod"]
    properties, system = run_properties_of(subject, scenario), system_of(subject, scenario)
    for without in ((), ("work-queue",), ("failures-end", "pleg"), ("goroutines",)):
        fast, plain = (
            RunChecker(system, name, without, needs=False).decide(properties) for name in ("compiled", "python")
        )
        assert [v.status for v in fast.verdicts] == [v.status for v in plain.verdicts]
        for one, other in zip(fast.verdicts, plain.verdicts, strict=True):
            if one.trace is not None and ", shortest" in one.reason:
                assert one.trace.lasso is not None and other.trace is not None and other.trace.lasso is not None
                assert one.trace.lasso.start == other.trace.lasso.start


def test_the_reductions_change_no_verdict() -> None:
    subject, scenario = subject_of("v1.29", None), SCENARIOS["killed-pod"]
    properties, system = run_properties_of(subject, scenario), system_of(subject, scenario)
    found = [
        RunChecker(system, reductions=names, needs=False).decide(properties) for names in ((), ("slicing", "constants"))
    ]
    assert found[0].states > found[1].states
    first, second = ([v.status for v in one.verdicts] for one in found)
    assert first == second


def is_killed_or_never_deleted(state: Kubelet) -> tuple[bool, bool]:
    return state.pod_manager[0], state.config[0].deletion_timestamp or state.pod_sync_statuses[0].evicted


def goes_on(state: Kubelet) -> tuple[bool, bool]:
    return state.pod_sync_statuses[0].present, not state.config[0].deletion_timestamp


def test_a_flag_that_never_changes_is_a_truth_value() -> None:
    """It was taken for a number, of which `not` is another number that is no zero."""
    subject, scenario = subject_of("v1.29", None), SCENARIOS["killed-pod"]
    system = system_of(subject, scenario)
    asked = [Property(f.__name__, "leads_to", "", f) for f in (is_killed_or_never_deleted, goes_on)]
    found = [
        RunChecker(system, reductions=names, needs=False).decide(asked).verdicts
        for names in ((), ("slicing", "constants"))
    ]
    assert [v.status for v in found[0]] == [v.status for v in found[1]] == [Status.VIOLATED, Status.HOLDS]


def test_a_violation_is_a_story_in_two_parts() -> None:
    result = run(*STUCK)
    assert result.exit_code == 0 and run(*STUCK, "--strict").exit_code == 1
    text = " ".join(result.stdout.split())
    assert "after 11 steps, shortest, and then a loop of 1 for ever" in text
    assert "-- waiting starts here (uid web) 4 worker web: startPodSync" in text
    assert "then, for ever: 12 SyncKnownPods (no visible change)" in text
    assert "fairness assumed: goroutines, failures-end, sync-calls, pleg, sources, work-queue, housekeeping" in text


def test_the_point_of_no_return_is_told() -> None:
    text = " ".join(run("check", "--scenario", "killed-pod", "--property", "kill_requests_are_answered").stdout.split())
    told = "-- the point of no return: whatever happens now, it is waited for in vain 5 worker web: startPodSync"
    assert told in text


def test_without_an_assumption_more_is_violated() -> None:
    asked = ("check", "--scenario", "lone-pod", "--property", "terminating_pods_are_terminated")
    assert run(*asked).exit_code == 0
    result = run(*asked, "--without", "work-queue", "-o", "json")
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)["results"]
    assert "work-queue" not in found["assumptions"] and "housekeeping" in found["assumptions"]
    (claim,) = found["properties"]
    blocked = "worker web waits for a token; its entry in the work queue is never taken; nothing that has to happen"
    assert claim["lasso"].pop("blocked")[0].startswith(blocked)
    assert claim["lasso"] == {"start": 11, "waiting": 4, "case": {"uid": "web"}}
    assert len(claim["trace"]) == 12


def test_a_sequence_diagram_has_the_loop_and_who_waits() -> None:
    asked = ("diagram", "--scenario", "killed-pod", "--trace", "kill_requests_are_answered")
    waits = "A killPodNow waits for CompletedCh 0"
    mermaid = run(*asked, "-o", "mermaid").stdout
    begin, loop = mermaid.partition("    loop for ever\n")[::2]
    assert begin.count("->>") == 5 and loop.partition("    end\n")[0].count("->>") == 2
    assert waits in loop and "after 5 steps, and then for ever" in loop.replace("<br/>", " ")
    assert "for ever" in (dot := run(*asked).stdout) and waits in dot
    assert "    loop for ever\n" in run(*STUCK, "--strict", "-o", "markdown").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "scenario", "claim", "told"),
    [
        (
            "v1.29",
            "runtime-down",
            "terminating_pods_are_terminated",
            [
                "worker web waits for a token; its retry is gone; nothing that has to happen ends that; 'REMOVE web' "
                "or 'SYNC web: PLEG or probe event' would"
            ],
        ),
        (
            "v1.26",
            "static-successor",
            "waiting_static_pods_start",
            [
                "worker old waits for a token; its retry is gone; no step ends that",
                "pod new waits for its full name, which old has; no step ends that",
            ],
        ),
        (
            "v1.29",
            "killed-pod",
            "kill_requests_are_answered",
            [
                "a killPodNow waits for CompletedCh 0, which nobody has any more, and will report ExceededGracePeriod; "
                "no step ends that"
            ],
        ),
    ],
)
def test_a_lasso_says_who_waits_and_on_what(version: str, scenario: str, claim: str, told: list[str]) -> None:
    asked = ("check", "--version", version, "--scenario", scenario, "--property", claim)
    (found,) = json.loads(run(*asked, "-o", "json").stdout)["results"][0]["properties"]
    assert found["lasso"]["blocked"] == told
    for output in ("text", "markdown"):
        text = " ".join(run(*asked, "-o", output).stdout.split())
        assert all(f"-- {line}" in text for line in told)


def test_where_nobody_stands_still_the_lasso_says_so() -> None:
    asked = ("check", "--scenario", "lone-pod", "--property", "terminating_pods_are_terminated")
    assert "-- nobody stands still: what goes round comes to no end" in run(*asked, "--without", "failures-end").stdout


def test_the_loop_is_drawn_as_a_loop(tmp_path: Path) -> None:
    run(*STUCK, "--report-dir", str(tmp_path))
    (source,) = (path.read_text() for path in tmp_path.glob("*.dot"))
    assert "again and again, for ever" in source
    assert re.search(r'\tloop \[.*style="dashed,rounded"', source), "a frame around the steps of the loop"


def test_a_verdict_says_which_fairness_it_needs() -> None:
    asked = ("check", "--scenario", "lone-pod", "--property", "terminating_pods_are_terminated")
    assert "needs terminating_pods_are_terminated: goroutines, failures-end, work-queue" in " ".join(
        run(*asked).stdout.split()
    )
    text = " ".join(run(*asked, "-v").stdout.split())
    assert "without housekeeping, sources, goroutines: after 4 steps and then nothing more that has to happen" in text
    (claim,) = json.loads(run(*asked, "-o", "json").stdout)["results"][0]["properties"]
    assert [need["assumption"] for need in claim["needs"]] == ["goroutines", "failures-end", "work-queue"]
    for need in claim["needs"]:
        left_out = (word for name in need["without"] for word in ("--without", name))
        assert run(*asked, *left_out).exit_code == 1
        assert need["lasso"]["case"] == {"uid": "web"} and len(need["trace"]) >= need["lasso"]["start"]


def test_explain_says_which_fairness_a_claim_needs() -> None:
    text = " ".join(run("explain", "finished_pods_are_forgotten").stdout.split())
    assert f"needs in killed-pod of {DEFAULT_VERSION}: goroutines, housekeeping without goroutines: after " in text


def test_strong_fairness_is_not_exported_to_promela() -> None:
    result = run_or_export("export", "promela", "--property", RUN_CLAIMS[0].id)
    assert result.exit_code == 2
    assert "--liveness: in Promela strong fairness cannot be said" in " ".join(result.output.split())


@pytest.mark.parametrize("output", ["sarif", "junit", "markdown", "github"])
def test_every_format_tells_that_it_goes_on_for_ever(output: str) -> None:
    result = run(*STUCK, "-o", output)
    assert result.exit_code == 0
    assert "for ever" in result.stdout


def test_a_premise_that_never_happens_is_told_and_refused_when_strict() -> None:
    asked = ("check", "--scenario", "lone-pod", "--property", "orphans_are_stopped")
    assert "vacuous   orphans_are_stopped" in run(*asked).stdout
    assert (run(*asked).exit_code, run(*asked, "--strict").exit_code) == (0, 1)


def test_a_claim_about_runs_is_explained() -> None:
    text = " ".join(run("explain", "removed_pods_are_finished").stdout.split())
    assert "leads_to: after every state with the first there is one with the second, in every fair run" in text


@pytest.mark.slow
def test_diff_tells_the_waits_that_a_change_adds(tmp_path: Path) -> None:
    file = tmp_path / "drop.py"
    file.write_text(NO_RETRY)
    asked = ("review", "v1.29", str(file), "--liveness", "--scenario", "lone-pod")
    result = run(*asked, "-v")
    text = " ".join(result.stdout.split())
    assert result.exit_code == 1
    assert "2 claims lost: terminating_pods_are_terminated, terminated_pods_are_finished" in text
    assert (
        "then, for ever: 12 SyncKnownPods (no visible change) -- worker web waits for a token; its retry is gone"
        in text
    )
    assert "In v1.29 the same events do not violate it." in text and "review v1.29" in text and "--liveness" in text
    claims = {claim["id"]: claim for claim in json.loads(run(*asked, "-o", "json").stdout)["claims"]}
    first, second = claims["terminating_pods_are_terminated"]["evidence"]
    assert first is None and second["lasso"]["start"] == 11 and second["otherViolates"] is False
    for output in ("sarif", "junit", "markdown", "html", "github"):
        assert "for ever" in run(*asked, "-o", output).stdout


@pytest.mark.slow
def test_diff_tells_the_waits_that_a_release_ended() -> None:
    result = run("review", "v1.26", "v1.27.2", "--liveness", "--scenario", "orphan", "--by", "finished")
    gained = "terminating_pods_are_terminated, terminated_pods_are_finished"
    assert f"4 claims gained: {gained}, restart_requests_are_fulfilled, removed_pods_are_finished" in " ".join(
        result.stdout.split()
    )


@pytest.mark.slow
def test_diff_sees_a_wait_that_both_have() -> None:
    result = run("review", "v1.29", "v1.32", "--liveness", "--scenario", "killed-pod", "-o", "json")
    (claim,) = (c for c in json.loads(result.stdout)["claims"] if c["id"] == "kill_requests_are_answered")
    assert claim["statuses"] == ["VIOLATED", "VIOLATED"] and not claim["changes"]
    assert [evidence["otherViolates"] for evidence in claim["evidence"]] == [True, True]


def test_what_is_the_same_has_the_same_waits() -> None:
    """Also where a bound leaves claims undecided."""
    assert run("review", "v1.29", "v1.29", "--liveness", "--scenario", "orphan").exit_code == 0
