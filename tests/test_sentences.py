"""The sentence that tells how a claim fails: what may stand in its braces, and what it says of a violation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.exploring import explored
from tests.format_runs import written

from podproof.checker.core.system import Status
from podproof.checker.explain.failing_part import with_failures
from podproof.model.kubelet import Kubelet
from podproof.model.language import Event
from podproof.model.node import Node
from podproof.queries.claims import CLAIMS
from podproof.specs import FUNCTION_CLAIMS, RUN_CLAIMS, Claim
from podproof.specs.sentence import check_names, objections

EVERY_CLAIM = (*CLAIMS, *RUN_CLAIMS, *FUNCTION_CLAIMS)


def a_step(before: Kubelet, event: Event, after: Kubelet) -> bool:
    if event.action == "handle_pod_updates" and not after.config[event.uid].present:
        return False
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        if old.finished and not after.pod_sync_statuses[uid].finished:
            return False
    return True


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("{uidd} is gone", "names 'uidd' in {uidd}: the claim has no such name, but uid"),
        ("{nobody} is gone", "names 'nobody' in {nobody}: the claim has no such name, but before, event, after"),
        ("{old.finished!r} is gone", "write a name or an expression between the braces, alone"),
        ("{old.finished:d} is gone", "write a name or an expression between the braces, alone"),
        ("{} is gone", "write a name or an expression between the braces, alone"),
        ("{uid is gone", "write {{ and }} for braces that are meant"),
        ("{uid gone}", "which is no expression"),
        ("two\nlines", "write one sentence in one line"),
        ("{open('limit').read()} is gone", "names 'open' in {open('limit').read()}: the claim has no such name"),
        ("{id(uid)} is gone", "names 'id' in {id(uid)}: the claim has no such name"),
        ("{exit()}", "names 'exit' in {exit()}: the claim has no such name"),
        ("{__builtins__}", "names '__builtins__' in {__builtins__}: the claim has no such name"),
        ("{old.__class__} is gone", "name fields and methods that do not begin with _"),
    ],
)
def test_a_sentence_that_names_what_is_not_there_is_refused(wrong: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        check_names(a_step, "step", wrong)
    assert str(refused.value).startswith("wrong= of the claim a_step")


@pytest.mark.parametrize("kind", ["sometimes", "never"])
def test_what_fails_in_no_state_has_no_values(kind: str) -> None:
    check_names(a_step, kind, "nothing is ever {{finished}}")
    with pytest.raises(ValueError, match="fails in no state"):
        check_names(a_step, kind, "{old.finished}")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("{uid} is gone", "'uid' in {uid} has no value at line"),
        ("{before.pod_sync_status[0].finished} is gone", "no such field; did you mean 'pod_sync_statuses'?"),
        ("{before.pod_sync_statuses[0].finish} is gone", "no such field; did you mean 'finished'?"),
        ("{before.pod_sync_statuses[0]} is gone", "it is a whole PodSyncStatus"),
        ("{event} is gone", "it is a whole Event"),
        ("{event.outcome} is wrong", "the claim asks for no such parameter"),
    ],
)
def test_a_sentence_without_a_value_at_some_failure_is_objected_to(wrong: str, said: str) -> None:
    check_names(a_step, "step", wrong)
    assert said in " ".join(objections(a_step, "step", wrong))


def a_state(state: Node) -> bool:
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.finished:
            return state.should_pod_be_finished(uid)
    return True


@pytest.mark.parametrize(
    "wrong",
    [
        "{uid} is finished",
        "{status.grace_period} s",
        "{state.workers[uid][0].position}",
        "{state.should_pod_be_finished(uid)}",
        "{'a' if status.deleted else 'no'} deletion",
        "without a value",
    ],
)
def test_what_has_a_value_at_every_failure_may_be_said(wrong: str) -> None:
    check_names(a_state, "always", wrong)
    assert not list(objections(a_state, "always", wrong))


def after_a_loop(state: Node) -> bool:
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].finished:
            return False
    return state.pods_synced


def test_a_loop_variable_has_no_value_after_its_loop() -> None:
    assert "'uid' in {uid} has no value at line" in " ".join(objections(after_a_loop, "always", "{uid} is gone"))


def set_again(state: Node) -> bool:
    one = state.pod_sync_statuses[0]
    if one.finished:
        return False
    one = state.workers[0][0]  # type: ignore[assignment]
    return one.deleted


def test_a_name_that_is_set_again_may_be_of_either_class() -> None:
    assert not list(objections(set_again, "always", "{one.deleted}"))


CLAIM_FILE = '''
from podproof.model.node import Node
from podproof.specs.claim import claim


@claim("always", source="us", wrong={wrong!r})
def ours(state: Node) -> bool:
    """No pod is ever known."""
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].present:
            return False
    return True
'''


@pytest.mark.parametrize("wrong", ["{who} is known", "{state.pod_sync_statuses[uid].presence} is known", "{state}"])
def test_the_command_refuses_such_a_file(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "ours.py"
    file.write_text(CLAIM_FILE.format(wrong=wrong))
    ran = run("check", "--claims", str(file), "--scenario", "lone-pod")
    assert ran.exit_code == 2 and not ran.stdout
    assert "ours.py:6: " in ran.stderr and "wrong=" in ran.stderr and "Traceback" not in ran.stderr


KILLED = ("--version", "v1.29", "--scenario", "deleted-and-killed", "--property")


def test_the_command_tells_the_sentence_first_and_the_formula_as_before(tmp_path: Path) -> None:
    file = tmp_path / "ours.py"
    file.write_text(CLAIM_FILE.format(wrong="{uid} is known, with {state.pod_sync_statuses[uid].grace_period} s"))
    told = run("check", "--claims", str(file), "--scenario", "lone-pod", "--property", "ours").stdout
    assert re.search(r"VIOLATED +ours +1 step, shortest\n +web is known, with 0 s\n +No pod is ever known.\n", told)
    assert "false: not state.pod_sync_statuses[uid].present for uid = web;" in told
    file.write_text(CLAIM_FILE.format(wrong=""))
    told = run("check", "--claims", str(file), "--scenario", "lone-pod", "--property", "ours").stdout
    assert re.search(r"VIOLATED +ours +1 step, shortest\n +No pod is ever known.\n", told)
    assert "false: not state.pod_sync_statuses[uid].present for uid = web;" in told


@pytest.mark.parametrize("claim", EVERY_CLAIM, ids=lambda claim: claim.id)
def test_the_sentence_of_a_claim_can_be_told(claim: Claim) -> None:
    assert re.fullmatch(r"[^A-Z]*[a-zA-Z{].*[^.]", claim.wrong) and len(claim.wrong) < 260
    if claim.function is not None:
        assert not list(objections(claim.function, claim.kind, claim.wrong))


# -- what is said of violations ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "scenario", "said"),
    [
        ("grace_period_only_decreases", "deleted-and-killed", "the grace period of web grew from 5 s to 30 s"),
        ("evictions_are_recorded", "deleted-and-killed", "the pending update of web is an eviction and web is not"),
        ("kill_requests_are_answered_or_remembered", "killed-pod", "kill request 0 was neither answered nor kept"),
        (
            "started_static_pods_have_left_the_line",
            "static-added-again",
            "static holds its full name and still is first",
        ),
        ("ended_pods_are_not_rejected", "ended-pod", "web has ended (Succeeded) and is rejected at admission"),
        (
            "waiting_static_pods_are_stopped_before_they_are_terminated",
            "static-pair-restart",
            " waited to start and is",
        ),
        ("one_sync_call_per_pod", "two-goroutines", "2 sync functions of static are under way at once"),
        ("grace_period_reaches_the_kill", "deleted-and-killed", "web is killed with 30 s, though 5 s are recorded"),
    ],
)
def test_a_known_violation_is_told_with_its_values(claim: str, scenario: str, said: str) -> None:
    (verdict,) = (v for v in with_failures(explored("v1.29", scenario)).verdicts if v.property.id == claim)
    assert verdict.failure is not None and said in verdict.failure.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "scenario"),
    [("v1.22.0", "orphan"), ("v1.26", "static-pair"), ("v1.29", "killed-pod"), ("v1.20", "one-pod")],
)
def test_every_violation_has_a_sentence_without_braces(version: str, scenario: str) -> None:
    violated = [v for v in with_failures(explored(version, scenario)).verdicts if v.status is Status.VIOLATED]
    assert violated
    for v in violated:
        assert v.failure is not None and v.failure.sentence, v.property.id
        assert not re.search(r"[{}<>]|\bNIL\b|\bTrue\b|\bFalse\b|\w=", v.failure.sentence), v.failure.sentence


@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github", "markdown"])
def test_every_format_has_the_sentence_and_then_the_formula(form: str) -> None:
    text, sentence = written("violated")[form], "the grace period of web grew from 5 s to 30 s"
    assert 0 <= text.index(sentence) < text.index("falseConjunct" if form == "json" else "false: ")


def test_what_is_never_seen_has_its_sentence_without_a_trace() -> None:
    claim = "a_pod_ends_without_the_api_server"
    check = ("check", "--version", "v1.22.0", "--scenario", "lone-pod", "--property", claim)
    assert "no pod is terminated unless the API server says its phase" in run(*check).stdout
    (result,) = json.loads(run(*check, "-o", "json").stdout)["results"]
    assert result["properties"][0]["wrong"] == "no pod is terminated unless the API server says its phase"


def test_who_waits_for_ever_is_named() -> None:
    asked = ("--version", "v1.29", "--scenario", "killed-pod", "--property", "kill_requests_are_answered")
    assert "kill request 0 is never answered" in run("check", "--liveness", *asked).stdout


def test_a_sentence_about_runs_names_the_case_alone() -> None:
    def comes(state: object, uid: int) -> tuple[bool, bool]:
        later = state is not None
        return later, uid > 0

    check_names(comes, "leads_to", "{uid} waits for ever")
    with pytest.raises(ValueError, match=r"names 'later' in \{later\}"):
        check_names(comes, "leads_to", "{later} waits for ever")
