"""`podproof log`: lines of the calls that a pod's goroutine makes say where it stands, and steps they are not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.recorded_traces import TRACES, version_of
from tests.test_log_lines import log_of
from tests.test_logs import LIFE, judged_as_is, judgements, klog
from tests.whole_logs import PID, RELEASES, Written, shown, whole

from podproof.kubelet.klog import call_of
from podproof.kubelet.log_lines import WRITTEN_IN_CALLS, LogLine
from podproof.queries.log_lines import explain_line

GRACE_OF_ZERO = "grace-of-zero-v1.29"


def written(trace: Mapping[str, Any]) -> Written:
    log, old = log_of(trace), version_of(trace) == "v1.26"
    return lambda at, _: [
        klog(uid, line, old).partition(f"{PID} ")[2] for uid, lines in log[at].items() for line in lines
    ]


def whole_log(*names: str) -> list[str]:
    """Of a kubelet that has the pods of these traces."""
    return shown(whole([(TRACES[name], written(TRACES[name])) for name in names], random.Random(43)))


@pytest.mark.parametrize("version", sorted({*map(version_of, TRACES.values())} & RELEASES.keys()))
def test_lines_of_calls_fit_where_the_traces_have_the_calls(version: str, tmp_path: Path) -> None:
    names = [name for name, trace in TRACES.items() if version_of(trace) == version and "panics" not in name]
    log = whole_log(*names)
    assert sum("kubelet.go:1748" in line for line in log) > len(names)
    for lines in (log, [line for line in log if "kubelet.go:1748" not in line]):
        answer = judged_as_is(tmp_path, lines)
        assert judgements(answer) <= {"conformant", "claim broken"}, answer.pods
        assert sum(pod.lines for pod in answer.pods) == sum("pod_workers.go" in line for line in log)


def misplaced(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The log of one life with each line of a call once more, where the goroutine is in another call, or in none."""
    calls = [at for at, line in enumerate(lines) if "kubelet.go:1748" in line]
    for at in calls:
        message = lines[at].split('"')[1]
        for other in calls:
            if WRITTEN_IN_CALLS[lines[other].split('"')[1]].isdisjoint(WRITTEN_IN_CALLS[message]):
                yield message, [*lines[: other + 1], lines[other][:31] + lines[at][31:], *lines[other + 1 :]]
        yield message, [*lines, lines[-1][:31] + lines[at][31:]]


def test_a_line_of_a_call_in_which_the_worker_is_not_is_rejected(tmp_path: Path) -> None:
    lines = whole_log(LIFE)
    wrong = [log for _, log in misplaced(lines)]
    assert len(wrong) > 40
    for log in wrong:
        (pod,) = judged_as_is(tmp_path, log).pods
        assert pod.judgement == "violation" and pod.rejected, log
    assert pod.run and "SyncTerminat" in pod.rejected[0].line and pod.rejected[0].possible == ["the worker forgotten"]


@pytest.mark.slow
def test_where_lines_are_missing_a_line_of_a_call_proves_nothing(tmp_path: Path) -> None:
    lines = whole_log(LIFE)
    _, wrong = next(misplaced(lines))
    at = next(i for i, (one, other) in enumerate(zip(lines, wrong, strict=False)) if one != other)
    assert judgements(judged_as_is(tmp_path, wrong[1:])) <= {"gap", "conformant", "undecided"}
    assert judgements(judged_as_is(tmp_path, [*wrong[:at], "...", *wrong[at:]])) <= {"gap", "conformant", "undecided"}


def test_a_container_that_is_killed_says_nothing_of_the_worker(tmp_path: Path) -> None:
    """The garbage collector of containers kills some whose state is unknown, whatever their pod's worker does."""
    lines = whole_log(LIFE)
    (uid,) = set(re.findall(r'podUID="([^"]*)"', "".join(lines)))
    kill = f'kuberuntime_container.go:7] "Killing container with a grace period" podUID="{uid}" gracePeriod=90'
    assert judgements(judged_as_is(tmp_path, [*lines, lines[-1][:31] + kill])) == {"conformant"}


# -- grace periods -----------------------------------------------------------------------------------------------------


def with_grace_periods(*seconds: str) -> list[str]:
    """A life with these numbers in the lines of its calls of SyncTerminatingPod."""
    left = iter(seconds)
    return [re.sub(r"gracePeriod=\w+", lambda _: f"gracePeriod={next(left)}", line) for line in whole_log(LIFE)]


@pytest.mark.parametrize(
    ("seconds", "grows"),
    [(("5", "5"), False), (("30", "5"), False), (("null", "5"), False), (("5", "null"), False), (("5", "6"), True)],
)
def test_a_grace_period_never_grows_in_one_history_of_a_pod(
    seconds: tuple[str, ...], grows: bool, tmp_path: Path
) -> None:
    lines = with_grace_periods(*seconds)
    (pod,) = judged_as_is(tmp_path, lines).pods
    assert pod.judgement == ("claim broken" if grows else "conformant")
    if grows:
        (claim,) = pod.claims
        assert claim.claim == "grace_period_only_decreases" and "kubernetes/kubernetes#115819" in claim.known[0]
        at = int(claim.place.rpartition(":")[2])
        assert "gracePeriod=6" in lines[at - 1]
        (pod,) = judged_as_is(tmp_path, [*lines[: at - 2], "...", *lines[at - 2 :]]).pods
        assert pod.judgement != "claim broken" and not any(claim.in_every for claim in pod.claims)


def test_a_recorded_grace_period_that_grows_is_told(tmp_path: Path) -> None:
    """Of 1.29: 0 is taken for none, and the pod's own counts again."""
    (pod,) = judged_as_is(tmp_path, whole_log(GRACE_OF_ZERO)).pods
    assert [claim.claim for claim in pod.claims if claim.in_every] == ["grace_period_only_decreases"]


def test_a_pod_that_begins_again_has_a_grace_period_of_its_own(tmp_path: Path) -> None:
    lines = with_grace_periods("5", "5")
    again = [line.replace("gracePeriod=5", "gracePeriod=60").replace("I1120 08:", "I1120 09:") for line in lines[1:]]
    (pod,) = judged_as_is(tmp_path, [*lines, *again]).pods
    assert not any(claim.in_every for claim in pod.claims)


# -- read --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("head", ["", "I1121 02:20:36.917685   16723 kubelet.go:2043] ", "kubelet.go:2043] "])
def test_a_line_of_a_call_is_read_in_every_form(head: str) -> None:
    entry = call_of(f'{head}"Pod terminating with grace period" pod="a/b" podUID="u" gracePeriod=1'.encode())
    assert entry is not None and entry.line == LogLine("Pod terminating with grace period", "1") and entry.uid == "u"
    assert not entry.release


def test_json_has_the_grace_period_as_a_number() -> None:
    text = '{"caller":"kubelet/kubelet.go:2043","msg":"Pod terminating with grace period","podUID":"u","gracePeriod":7}'
    entry = call_of(text.encode())
    assert entry is not None and entry.line.told == "7"
    for other in (
        text.replace(":7}", ':"x"}'),
        text.replace('"u"', '""'),
        text[:-9],
        text.replace("Pod ter", "pod ter"),
    ):
        entry = call_of(other.encode())
        assert entry is None or not entry.line.told


def test_a_line_of_a_call_is_explained() -> None:
    answer = explain_line('"SyncTerminatedPod enter" pod="a/b" podUID="u"')
    assert answer.exit_code == 0 and "written in SyncTerminatedPod" in answer.reason and not answer.steps
    assert (
        "SyncTerminatingPod or SyncTerminatingRuntimePod"
        in run("log", "--explain-line", '"syncTerminatingPod enter"').stdout
    )
