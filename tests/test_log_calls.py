"""`podproof log`: lines of the calls that a pod's goroutine makes say where it stands, and steps they are not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.recorded_traces import TRACES, version_of
from tests.test_log_lines import log_of
from tests.test_logs import LIFE, judged_as_is, judgements, klog
from tests.whole_logs import PID, RELEASES, Written, as_json, shown, whole

from podproof.kubelet.klog import call_of
from podproof.kubelet.log_lines import TERMINATING_WITH, LogLine
from podproof.queries.log_lines import explain_line

GRACE_OF_ZERO = "grace-of-zero-v1.29"
HEADER = 30
"""Characters of a line before its file."""


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


def misplaced(lines: list[str]) -> Iterator[list[str]]:
    """The log of one life with lines of a call once more where the goroutine is in another call, or in none."""
    calls = [at for at, line in enumerate(lines) if "kubelet.go:1748" in line]
    for at in calls:
        message = lines[at].split('"')[1]
        again = [lines[at]] if message == TERMINATING_WITH else [lines[at], lines[at].replace(" enter", " exit")]
        for other in (*calls, len(lines) - 1) if " exit" not in message else ():
            before = lines[other].split('"')[1]
            is_of_it = before.split()[0] in message or (message == TERMINATING_WITH and "SyncTerminatingPod" in before)
            if (" exit" in before and not is_of_it) or other not in calls:
                again = [lines[other][:HEADER] + line[HEADER:] for line in again]
                yield [*lines[: other + 1], *again, *lines[other + 1 :]]


def test_a_line_of_a_call_in_which_the_worker_is_not_is_rejected(tmp_path: Path) -> None:
    lines = whole_log(LIFE)
    wrong = list(misplaced(lines))
    assert len(wrong) > 20
    for log in wrong:
        (pod,) = judged_as_is(tmp_path, log).pods
        assert pod.judgement == "violation" and pod.rejected, log
    assert pod.run and "SyncTerminat" in pod.rejected[0].line and pod.rejected[0].possible == ["the worker forgotten"]


@pytest.mark.slow
def test_where_lines_are_missing_a_line_of_a_call_proves_nothing(tmp_path: Path) -> None:
    lines = whole_log(LIFE)
    wrong = next(misplaced(lines))
    at = next(i for i, (one, other) in enumerate(zip(lines, wrong, strict=False)) if one != other)
    assert judgements(judged_as_is(tmp_path, wrong[1:])) <= {"gap", "conformant", "undecided"}
    assert judgements(judged_as_is(tmp_path, [*wrong[:at], "...", *wrong[at:]])) <= {"gap", "conformant", "undecided"}


def test_a_container_that_is_killed_says_nothing_of_the_worker(tmp_path: Path) -> None:
    """The garbage collector of containers kills some whose state is unknown, whatever their pod's worker does."""
    lines = whole_log(LIFE)
    (uid,) = set(re.findall(r'podUID="([^"]*)"', "".join(lines)))
    kill = f'kuberuntime_container.go:7] "Killing container with a grace period" podUID="{uid}" gracePeriod=90'
    assert judgements(judged_as_is(tmp_path, [*lines, lines[-1][:HEADER] + kill])) == {"conformant"}


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


# -- static pods -------------------------------------------------------------------------------------------------------

STATIC_PAIR = "static-pair-v1.29"


@pytest.mark.parametrize("as_form", [lambda line: line, as_json])
def test_the_source_of_an_add_says_whether_a_pod_is_static(as_form: Callable[[str], str], tmp_path: Path) -> None:
    """Only a static pod waits for another one."""
    lines = whole_log(STATIC_PAIR)
    assert any('"Pod cannot start yet"' in line for line in lines)
    for source, judgement in (("file", {"conformant"}), ("http", {"conformant"}), ("api", {"conformant", "undecided"})):
        log = [line.replace('source="file"', f'source="{source}"') for line in lines]
        answer = judged_as_is(tmp_path, [log[0], *map(as_form, log[1:])])
        assert judgements(answer) == judgement
        assert all("cannot start" in pod.reason for pod in answer.pods if pod.judgement == "undecided")


@pytest.mark.parametrize(("source", "fits"), [("api", True), ("file", False)])
def test_a_static_pod_that_is_killed_before_it_starts_never_starts(source: str, fits: bool, tmp_path: Path) -> None:
    killed = [
        ("Pod is being synced for the first time", "create"),
        ("Notifying pod of pending update", "sync"),
        ("Pod is being removed by the kubelet, begin teardown", "kill"),
        ("Notifying pod of pending update", "terminating"),
        ("Processing pod event", "terminating"),
        ("Pod worker has observed request to terminate", ""),
    ]
    add = f'kubelet.go:2210] "SyncLoop ADD" source="{source}" pods=["default/killed"]'
    lines = [klog("killed", LogLine(*each), False)[HEADER:] for each in killed]
    life = whole_log(LIFE)
    added = [life[1][:HEADER] + line for line in (add, *lines)]
    answer = judged_as_is(tmp_path, [life[0], *added, *life[1:]])
    (pod,) = (pod for pod in answer.pods if pod.uid == "killed")
    assert (pod.judgement == "conformant") == fits and [each.place for each in pod.rejected] == (
        [] if fits else [f"{tmp_path / 'kubelet.log'}:7"]
    )


@pytest.mark.parametrize(
    "other",
    [
        'kubelet.go:2298] "SyncLoop (housekeeping)"',
        'kubelet.go:2210] "SyncLoop ADD" source="api" pods=["default/another"]',
        'kubelet.go:2210] "SyncLoop UPDATE" source="api" pods=["kube-system/web"]',
    ],
)
def test_only_the_add_whose_handler_writes_the_first_sync_says_it(other: str, tmp_path: Path) -> None:
    lines = [line.replace('source="file"', 'source="api"') for line in whole_log(STATIC_PAIR)]
    first = [i for i, line in enumerate(lines) if '"Pod is being synced for the first time"' in line]
    for at in reversed(first):
        lines.insert(at, lines[at][:HEADER] + other)
    assert judgements(judged_as_is(tmp_path, lines)) == {"conformant"}
    updates = [line.replace('updateType="create"', 'updateType="update"') for line in lines if other not in line]
    assert judgements(judged_as_is(tmp_path, updates)) == {"conformant"}
