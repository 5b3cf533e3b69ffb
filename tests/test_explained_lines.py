"""`podproof log --explain-line`: which function and step write a line, and what holds then, however it was pasted."""

from __future__ import annotations

import json

import pytest
from tests.command_line import run

from podproof.kubelet.log_lines import MESSAGES
from podproof.queries.log_lines import explain_line

LINE = 'pod_workers.go:1230] "Processing pod event" pod="default/web" podUID="u" updateType="sync"'


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        f"Nov 21 02:20:36 node kubelet[16723]: I1121 02:20:36.917685   16723 {LINE}",
        LINE.partition("] ")[2],
        'node kubelet[1]: {"caller":"kubelet/pod_workers.go:1230","msg":"Processing pod event","v":4,'
        '"pod":{"name":"web","namespace":"default"},"podUID":"u","updateType":"sync"}',
    ],
)
def test_a_line_is_explained_in_every_form(text: str) -> None:
    found = explain_line(text)
    assert (found.message, found.told, found.functions, found.level) == (
        *("Processing pod event", "sync"),
        *(["podWorkerLoop"], "V(4)"),
    )
    (step,) = found.steps
    assert (step.step, step.writer, step.lock) == ("startPodSync", "the pod's goroutine", "when it has left podLock")
    assert "not terminatingAt" in step.before and step.leads_to == ["sync, in GetNewerThan"]
    assert found.exit_code == 0


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("message", "version", "function", "level", "before"),
    [
        ("Pod is being synced for the first time", "v1.32", "UpdatePod", "V(4)", "the UID has no podSyncStatus"),
        ("Pod is complete and the worker can now stop", "v1.32", "completeTerminated", "V(4)", "terminatedAt"),
        ("Pod worker has observed request to terminate", "v1.26", "acknowledgeTerminating", "V(4)", "terminatingAt"),
        ("Sync exited with context cancellation error", "v1.32", "podWorkerLoop", "V(2)", "working"),
        ("Error syncing pod, skipping", "v1.26", "managePodLoop", "error", "working"),
        ("Cancelling current pod sync", "v1.29", "UpdatePod", "V(3)", "the UID has a podSyncStatus"),
        (
            "Pod never started and the worker can now stop",
            "v1.26",
            "completeUnstartedTerminated",
            "V(4)",
            "terminatingAt",
        ),
    ],
)
def test_each_line_has_its_function_its_level_and_what_must_hold(
    message: str, version: str, function: str, level: str, before: str
) -> None:
    found = explain_line(f'"{message}"', version)
    assert (found.functions, found.level, found.version) == ([function], level, version)
    assert found.steps and all(before in step.before for step in found.steps)


def test_no_fact_is_told_that_the_automaton_has_forgotten() -> None:
    """Of a finished worker it does not keep startedAt."""
    (step,) = explain_line('"Pod is finished processing, no further updates"', "v1.32").steps
    assert "finished" in step.before and not any("startedAt" in fact for fact in step.before)


def test_a_line_of_another_release_says_whose_it_is() -> None:
    found = explain_line('"Pod never started and the worker can now stop"', "v1.32")
    assert found.functions == [] and "v1.26" in found.reason
    assert explain_line('"Pod never started and the worker can now stop"').version == "v1.26"


@pytest.mark.slow
def test_a_type_that_no_step_writes_and_a_line_of_two_goroutines_are_told() -> None:
    assert "only with sync, terminated, terminating" in explain_line(LINE.replace('"sync"', '"foo"'), "v1.32").reason
    (step,) = explain_line('"Requeueing pod due to pending update"', "v1.32").steps
    assert step.step.startswith("completeWork")


def test_a_neighbours_line_says_what_the_pod_waits_for() -> None:
    found = explain_line('kubelet.go:2465] "SyncLoop ADD" source="api" pods=["default/web"]')
    assert found.exit_code == 0 and found.waits == ["its sandbox to start: it is its worker's turn"]
    assert not found.functions and found.version is None


@pytest.mark.parametrize("text", ["Pod was enchanted", "", '{"msg":1', '"', "\udcff\x00", '""""', "x" * 100_000])
def test_what_is_no_line_is_said_to_be_none_with_what_would_be_known(text: str) -> None:
    found = explain_line(text)
    assert found.exit_code == 4 and set(found.known) >= MESSAGES and not found.steps
    assert run("log", "--explain-line", text.replace("\x00", "")).exit_code == 4


def test_the_command_explains_one_line_alone() -> None:
    shown = run("log", "--explain-line", LINE)
    assert shown.exit_code == 0 and "written by  podWorkerLoop" in shown.stdout and "V(4)" in shown.stdout
    assert json.loads(run("log", "--explain-line", LINE, "-o", "json").stdout)["kind"] == "log-line"
    for wrong in (("x.log", "--explain-line", LINE), ("--explain-line", LINE, "--pod", "a/b"), ()):
        assert run("log", *wrong).exit_code == 2
    assert run("log", "--explain-line", LINE, "--version", "v1.20").exit_code == 2
