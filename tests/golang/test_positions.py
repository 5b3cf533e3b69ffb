"""A query of the workers between a sync call and its completion: a step of its own, before which others may come in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_translation import SOURCE, changed, translated

from podproof.checker.core import ModelError

TRACES = Path(__file__).parents[1] / "traces" / "lifecycles.jsonl"
PAUSED = (
    ("\tobservedRuntime       bool\n", "\tobservedRuntime       bool\n\tpaused                bool\n"),
    (
        "func hasEnded(",
        "func (p *podWorkers) IsPodPaused(uid types.UID) bool {\n\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n"
        "\tstatus, exists := p.podSyncStatuses[uid]\n\treturn exists && status.paused\n}\n\n"
        "func (p *podWorkers) completePaused(uid types.UID) {\n\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n"
        "\tif status, exists := p.podSyncStatuses[uid]; exists {\n\t\tstatus.working = false\n\t}\n}\n\nfunc hasEnded(",
    ),
    (
        "\tstatus.working = true\n\tp.wake(uid)\n\tif cancels",
        "\tstatus.working = true\n\tstatus.paused = status.evicted\n\tp.wake(uid)\n\tif cancels",
    ),
)  # fmt: skip
"""The worker with a flag that a query reads, and a completion for a pod that has it."""
ENDS = "\t\t\t\tp.completeTerminated(uid)\n"
ASKS = "\t\t\t\tif p.IsPodPaused(uid) {\n\t\t\t\t\tp.completePaused(uid)\n\t\t\t\t\tcontinue\n\t\t\t\t}\n"


def edited(*changes: tuple[str, str]) -> str:
    return changed(*PAUSED, *changes)


def steps_of(text: str) -> dict[str, str]:
    """The steps that wait for podLock, each with its lines."""
    found = translated(text).text
    heads = re.findall(r"^    def (worker_locks_\w+)\(", found, re.MULTILINE)
    return {head: found.partition(f"def {head}(")[2].partition("\n\n")[0] for head in heads}


@pytest.mark.slow
@pytest.mark.parametrize(
    "asks",
    [
        ASKS,
        ASKS.replace("if p.IsPodPaused(uid) {", "if paused := p.IsPodPaused(uid); paused {"),
        ASKS.replace("if p.IsPodPaused(uid) {", "paused := p.IsPodPaused(uid)\n\t\t\t\tif paused {"),
        ASKS.replace("if p.IsPodPaused(uid) {", "switch {\n\t\t\t\tcase p.IsPodPaused(uid):"),
    ],
)  # fmt: skip
def test_others_may_come_in_between_a_query_and_the_completion(asks: str) -> None:
    found = steps_of(edited((ENDS, asks + ENDS)))
    assert len(found) == 2
    first = next(lines for lines in found.values() if "complete_paused" in lines)
    second = next(lines for lines in found.values() if "complete_terminated" in lines)
    assert "complete_terminated" not in first and "is_pod_paused" not in second
    returns = translated(edited((ENDS, asks + ENDS))).text.partition("def sync_terminated_pod_returns")[2]
    returns = returns.partition("\n\n")[0]
    assert "is_pod_paused" in returns and "self.complete_terminated" not in returns


def test_a_bool_is_known_behind_the_position_by_where_the_goroutine_stands() -> None:
    asks = "\t\t\t\tpaused := p.IsPodPaused(uid)\n"
    late = "\t\t\t\tif paused {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n"
    found = steps_of(edited((ENDS, asks + ENDS + late)))
    assert len(found) == 2 and all("complete_terminated" in lines for lines in found.values())
    assert sorted("self.receive" in lines for lines in found.values()) == [False, True]


def test_each_query_is_a_step() -> None:
    asks = ASKS + ASKS.replace("IsPodPaused", "IsPodKnownTerminated")
    found = steps_of(edited((ENDS, asks + ENDS)))
    assert sum("is_pod_known_terminated" in lines for lines in found.values()) == 1
    assert len(found) == 4


def test_a_query_in_a_log_is_a_step_as_well() -> None:
    told = f'\t\t\t\tklog.InfoS("ends", "paused", p.IsPodPaused(uid))\n{ENDS}'
    (lines,) = steps_of(edited((ENDS, told))).values()
    assert "complete_terminated" in lines


@pytest.mark.slow
def test_a_query_without_a_completion_needs_no_position() -> None:
    asks = "\t\t\t\tif p.IsPodPaused(uid) {\n\t\t\t\t\treturn\n\t\t\t\t}\n\t\t\t\treturn\n"
    assert not steps_of(edited((ENDS, asks)))
    assert not steps_of(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ENDS, f"\t\t\t\tif p.IsPodPaused(uid) && p.IsPodKnownTerminated(uid) {{\n\t\t\t\t\treturn\n\t\t\t\t}}\n"
         f"{ENDS}"),
        ("\t\tif !goOn {\n", "\t\tif !goOn || p.IsPodPaused(uid) {\n"),
        ("\t\tvar isTerminal bool\n", "\t\tif p.IsPodPaused(uid) {\n\t\t\tcontinue\n\t\t}\n\t\tvar isTerminal bool\n"),
    ],
)  # fmt: skip
def test_two_sections_without_a_place_between_are_refused(old: str, new: str) -> None:
    with pytest.raises(ModelError, match="a second critical section in one step"):
        translated(edited((old, new)))


@pytest.mark.slow
def test_what_comes_in_between_is_found(tmp_path: Path) -> None:
    """A pod is killed after it was asked whether it is finished, and before it is: only two steps can tell."""
    file = tmp_path / "pod_workers.go"
    file.write_text(edited((ENDS, ASKS + ENDS)), encoding="utf-8")
    compared = run("review", "v1.29", str(file), "--scenario", "lone-pod")
    assert compared.exit_code in (0, 1), compared.output
    checked = run("check", "--go", str(file), "--version", "v1.29", "--scenario", "killed-pod")
    assert checked.exit_code in (0, 1), checked.output


@pytest.mark.slow
def test_recordings_go_through_the_positions(tmp_path: Path) -> None:
    """A query whose answer is only logged changes no recording."""
    file = tmp_path / "pod_workers.go"
    told = '\t\t\t\tklog.InfoS("ends", "paused", p.IsPodPaused(uid))\n'
    ends = (ENDS, "\t\t\t\tp.completeSync(uid)\n", "\t\t\t\tp.completeTerminating(uid)\n")
    file.write_text(edited(*((end, told + end) for end in ends)), encoding="utf-8")
    replayed = run("conform", str(TRACES), "--go", str(file), "--version", "v1.29")
    assert replayed.exit_code == 0, replayed.output


@pytest.mark.slow
def test_recordings_are_replayed_where_a_completion_takes_the_pod_too(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    call, head = "\t\tp.cleanupUnstarted(uid, status)\n", "cleanupUnstarted(uid types.UID, status *podSyncStatus) {\n"
    file.write_text(
        changed(
            (call, "\t\tp.cleanupUnstartedPod(work.Options.Pod, status)\n"),
            (head, "cleanupUnstartedPod(pod *v1.Pod, status *podSyncStatus) {\n\tuid := pod.UID\n"
             "\tif kubetypes.IsStaticPod(pod) {\n\t\tstatus.working = false\n\t}\n"),
        ),
        encoding="utf-8",
    )  # fmt: skip
    replayed = run("conform", str(TRACES), "--go", str(file), "--version", "v1.29")
    assert replayed.exit_code == 0, replayed.output
