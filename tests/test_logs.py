"""`podproof log`: logs that the model itself writes are conformant, changed ones are not, and no text is obeyed."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import re
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from docs.make import logs
from tests.command_line import run
from tests.recorded_traces import TRACES, version_of
from tests.test_log_lines import SINCE_1_22, log_of

from podproof.checker.core.system import CheckerError
from podproof.cli.main import main
from podproof.kubelet.klog import entry_of, leaves_out
from podproof.kubelet.klog import version_of as release_in
from podproof.kubelet.log_lines import HAVE_THE_UID_ALONE, TELL_THE_CALL, LogLine, with_lines
from podproof.model.versions import SINCE_1_22 as SINCE
from podproof.queries.log_models import MODELLED
from podproof.queries.logs import judge
from podproof.reports.content.log import LogAnswer

LOGGED = [name for name in SINCE_1_22 if version_of(TRACES[name]) in MODELLED]
NUMBERS = {"sync": "0", "terminating": "1", "terminated": "2"}
LIFE, OLD_LIFE = "graceful-deletion-v1.29", "static-pair-v1.26"


def klog(uid: str, line: LogLine, old: bool) -> str:
    """As klog writes it. What tells the work type is called workType in two lines since 1.27."""
    pod = "" if line.message in HAVE_THE_UID_ALONE else f' pod="default/{uid}"'
    key = (
        "workType"
        if line.message in ("Notifying pod of pending update", "Cancelling current pod sync")
        else "updateType"
    )
    told = f' {key}="{line.told}"' if line.told else ""
    if old:
        told = f" updateType={NUMBERS[line.told]}" if line.told else ""
        told = "" if line.message in TELL_THE_CALL else told
    return f'I1121 02:20:36.917676   16723 pod_workers.go:768] "{line.message}"{pod} podUID="{uid}"{told}'


def written(name: str) -> list[str]:
    """The log of a trace."""
    old = version_of(TRACES[name]) == "v1.26"
    steps = log_of(TRACES[name]).values()
    return [klog(uid, line, old) for of_step in steps for uid, lines in of_step.items() for line in lines]


def started(name: str) -> list[str]:
    """The same of a kubelet whose start is in the log, with a line of its sync loop."""
    number = {"v1.26": "1.26.1", "v1.29": "1.29.6"}[version_of(TRACES[name])]
    begin = f'I1121 02:20:30.000000   16723 server.go:484] "Kubelet version" kubeletVersion="v{number}"'
    loop = 'I1121 02:20:31.000000   16723 kubelet.go:2465] "SyncLoop ADD" source="api" pods=["default/web"]'
    return [begin, loop, *written(name)]


def timed(lines: list[str]) -> list[str]:
    """Each a microsecond later than the one before it."""
    return [re.sub(r"02:20:\d\d\.\d{6}", f"02:20:36.{at:06}", line) for at, line in enumerate(lines)]


def judged_as_is(folder: Path, lines: list[str], version: str | None = None) -> LogAnswer:
    file = folder / "kubelet.log"
    file.write_text("".join(f"{line}\n" for line in lines))
    return judge([file], version)


def judged(folder: Path, lines: list[str], version: str | None = None) -> LogAnswer:
    return judged_as_is(folder, timed(lines), version)


def judgements(answer: LogAnswer) -> set[str]:
    return {pod.judgement for pod in answer.pods}


def judgement_beside(name: str, folder: Path, lines: list[str]) -> str:
    """Of the pod in a log that also has a whole life, so that no kind of line was filtered out of it."""
    others = [re.sub(r'podUID="[^"]*"', 'podUID="another"', line) for line in written(name)]
    answer = judged(folder, [*lines, *others])
    (found,) = (pod.judgement for pod in answer.pods if pod.uid != "another")
    return found


# -- what is right -----------------------------------------------------------------------------------------------------


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", LOGGED)
def test_what_the_model_writes_is_conformant(name: str, tmp_path: Path) -> None:
    lines = written(name)
    answer = judged(tmp_path, lines, version_of(TRACES[name]))
    assert judgements(answer) <= {"conformant", "nothing to judge"} and answer.unread == 0
    assert sum(pod.lines for pod in answer.pods) == len(lines)
    assert all((pod.judgement == "conformant") == (pod.could_contradict > 0) for pod in answer.pods)


@pytest.mark.slow
@pytest.mark.parametrize("name", [LIFE, OLD_LIFE])
def test_what_is_cut_off_at_the_head_or_filtered_by_name_is_no_fault(name: str, tmp_path: Path) -> None:
    lines = written(name)
    by_name = [line for line in lines if " pod=" in line]
    for left in (*(lines[first:] for first in range(1, len(lines))), by_name, *(by_name[i:] for i in (3, 6))):
        assert judgements(judged(tmp_path, left, version_of(TRACES[name]))) <= {"conformant", "nothing to judge"}


@pytest.mark.parametrize("name", [LIFE, OLD_LIFE])
def test_a_log_says_its_release_and_where_the_worker_stands(name: str, tmp_path: Path) -> None:
    answer = judged(tmp_path, started(name))
    assert judgements(answer) == {"conformant"} and answer.exit_code == 0
    assert {pod.version for pod in answer.pods} == {version_of(TRACES[name])}
    assert {pod.why_version[:12] for pod in answer.pods} == {"the log says"}
    assert answer.pods[0].could_contradict >= 0.8 * answer.pods[0].lines
    if name == LIFE:
        assert answer.pods[0].stands == ["forgotten"]


@pytest.mark.parametrize(
    "unlocked",
    ["Pod is terminal", "Sync exited with context cancellation error", "Error syncing pod, skipping"],
)
def test_a_line_outside_the_lock_may_come_between_those_of_a_caller_that_has_it(unlocked: str, tmp_path: Path) -> None:
    """The goroutine writes it after SyncPod, while UpdatePod writes three lines under podLock."""
    lines = started(LIFE)[:14]
    told = "" if "skipping" in unlocked else "sync"
    line = klog("web", LogLine(unlocked, told), False)
    begin = lines[:9]
    for at in range(4):
        deletion = lines[11:14]
        assert judgements(judged(tmp_path, [*begin, *deletion[:at], line, *deletion[at:]])) == {"conformant"}
    observed = klog("web", LogLine("Pod worker has observed request to terminate"), False)
    wrong = [*begin, *lines[11:14], observed, line]
    assert judgement_beside(LIFE, tmp_path, wrong) == "violation"


def test_in_1_26_a_sync_may_be_cancelled_before_its_termination_is_observed(tmp_path: Path) -> None:
    """contextForWorker and acknowledgeTerminating lock podLock one after the other, and UpdatePod may come between."""
    begin, loop = started(OLD_LIFE)[:2]
    kinds = [
        LogLine("Pod is being synced for the first time"),
        LogLine("Pod is being removed by the kubelet, begin teardown"),
        LogLine("Processing pod event", "terminating"),
        LogLine("Cancelling current pod sync", "terminating"),
        LogLine("Pod worker has observed request to terminate"),
        LogLine("Pod terminated all containers successfully"),
    ]
    lines = [klog("reg", line, True) for line in kinds]
    assert judgements(judged(tmp_path, [begin, loop, *lines])) == {"conformant"}
    wrong = [begin, loop, *lines[:2], lines[3], lines[2], *lines[4:]]
    assert judgement_beside(OLD_LIFE, tmp_path, wrong) == "violation"


@pytest.mark.parametrize(
    ("version", "word"), [("v1.32", "Requeueing"), ("v1.34", "Requeuing"), ("v1.36.3", "Requeuing")]
)
def test_each_release_has_its_own_word_for_what_waits(version: str, word: str) -> None:
    """Only where a UID has two goroutines is it written, so no log of one has it."""
    said: list[str] = []
    writer = SimpleNamespace(write=lambda uid, message: said.append(message))
    with_lines(SINCE[version].cls).write_requeued(writer, 0, True)
    assert said == [f"{word} pod due to pending update"]


def test_since_1_36_a_token_of_a_pod_that_is_gone_is_taken_in_silence(tmp_path: Path) -> None:
    begin, loop, first, notifying, *_ = started(LIFE)
    gone = [
        klog("web", LogLine(message), False)
        for message in (
            "Pod is orphaned and has not been started",
            "Pod has been terminated and is no longer known to the kubelet, remove all history",
            "Pod worker no longer has status, worker should exit",
            "Pod worker has stopped",
        )
    ]
    for version, lines in (("1.35.1", gone), ("1.36.3", [*gone[:2], gone[3]])):
        log = [begin.replace("1.29.6", version), loop, first, notifying, *lines]
        assert judgements(judged(tmp_path, log)) == {"conformant"}


def test_a_worker_that_waits_for_a_call_is_said_to(tmp_path: Path) -> None:
    lines = started(LIFE)
    at = next(i for i, line in enumerate(lines) if "observed request to terminate" in line)
    (pod,) = judged(tmp_path, lines[: at + 1]).pods
    assert pod.stands == ["terminating, in SyncTerminatingPod"]


# -- what is wrong -----------------------------------------------------------------------------------------------------


def changes(lines: list[str], kept: int) -> Iterator[list[str]]:
    """The log with one place changed; the first `kept` lines stay."""
    for i in range(kept, len(lines)):
        yield lines[:i] + lines[i + 1 :]
        if i > kept and lines[i] != lines[i - 1]:
            yield [*lines[: i - 1], lines[i], lines[i - 1], *lines[i + 1 :]]
        yield [*lines[:i], lines[i], *lines[i:]]
        for other in random.Random(i).sample(lines[kept:], 2):
            if other != lines[i]:
                yield [*lines[:i], other, *lines[i + 1 :]]
                yield [*lines[:i], other, *lines[i:]]


@pytest.mark.slow
def test_most_logs_with_one_place_changed_are_rejected(tmp_path: Path) -> None:
    found = [judgements(judged(tmp_path, changed)) for changed in changes(started(LIFE), 2)]
    rejected = sum(bool(each & {"gap", "violation"}) for each in found)
    assert len(found) > 100 and rejected >= 0.75 * len(found)


@pytest.mark.parametrize("name", [LIFE, OLD_LIFE])
def test_a_violation_has_its_place_and_what_was_possible(name: str, tmp_path: Path) -> None:
    lines = started(name)
    done = max(i for i, line in enumerate(lines) if "Pod is complete and the worker can now stop" in line)
    event = max(i for i, line in enumerate(lines) if '"Processing pod event"' in line and i < done)
    answer = judged(tmp_path, [*lines[:event], lines[done], *lines[event:]])
    assert answer.exit_code == 1
    (pod,) = (pod for pod in answer.pods if pod.judgement == "violation")
    assert pod.rejected[0].place == f"{tmp_path / 'kubelet.log'}:{event + 1}"
    assert "complete and the worker" in pod.rejected[0].line
    assert any("Processing pod event" in line for line in pod.rejected[0].possible)


def wrong_log() -> list[str]:
    right = started(LIFE)
    i = next(i for i, line in enumerate(right) if "terminated all containers" in line)
    return [*right[:i], right[i], *right[i:]]


@pytest.mark.quick(2)
@pytest.mark.parametrize("word", ["terminat", "sync", "done"])
@pytest.mark.parametrize("is_left_out", [False, True])
def test_a_log_that_was_searched_for_a_word_is_never_a_violation(word: str, is_left_out: bool, tmp_path: Path) -> None:
    """With the start and the sync loop, as `grep -E "Kubelet version|SyncLoop|terminat"` or `grep -v` leaves them."""
    begin, loop, *lines = started(LIFE)
    left = (line for line in lines if bool(re.search(word, line)) != is_left_out)
    assert "violation" not in judgements(judged(tmp_path, [begin, loop, *left]))


def test_what_is_wrong_in_a_whole_log_is_a_violation(tmp_path: Path) -> None:
    assert judgements(judged(tmp_path, wrong_log())) == {"violation"}


def as_json(lines: list[str]) -> list[str]:
    """The worker's lines of a log as klog's JSON has them, behind journald's prefix."""
    found = lines[:2]
    for at, line in enumerate(lines[2:]):
        message, keys = re.match(r'.*\] "([^"]*)"(.*)', line).groups()  # type: ignore[union-attr]
        told = {"ts": 1e12 + at / 1000, "caller": "kubelet/pod_workers.go:1", "msg": message}
        told |= {key: value for key, value in re.findall(r'(\w+)="([^"]*)"', keys) if key != "pod"}
        found.append(f"node kubelet[16723]: {json.dumps(told, separators=(',', ':'))}")
    return found


@pytest.mark.parametrize("form", [list, as_json])
def test_a_line_that_was_sent_twice_counts_once(form: Callable[[list[str]], list[str]], tmp_path: Path) -> None:
    lines = form(timed(started(LIFE)))
    once = judged_as_is(tmp_path, lines)
    twice = judged_as_is(tmp_path, [again for line in lines for again in (line, f"sent again: {line}")])
    assert judgements(twice) == judgements(once) == {"conformant"}
    assert [pod.lines for pod in twice.pods] == [pod.lines for pod in once.pods]
    assert judgements(judged_as_is(tmp_path, form(timed(wrong_log())))) == {"violation"}


@pytest.mark.parametrize("form", [list, as_json])
def test_lines_that_are_not_in_the_order_of_their_times_are_no_violation(
    form: Callable[[list[str]], list[str]], tmp_path: Path
) -> None:
    """Sent again as a block, put together in a wrong order, or from before the start that is told again."""
    begin, loop, *lines = form(timed(started(LIFE)))
    for order in ([*lines[:9], *lines[4:]], [*lines[:5], *lines[12:], *lines[5:12]]):
        answer = judged_as_is(tmp_path, [begin, loop, *order])
        assert judgements(answer) == {"gap"} and "order of their times" in answer.pods[0].reason
    again = judged_as_is(tmp_path, [begin, loop, *lines[:4], begin, loop, *lines[4:]])
    assert [pod.judgement for pod in again.pods] == ["conformant", "gap"]


def test_kubelets_of_two_nodes_with_one_pid_are_no_violation(tmp_path: Path) -> None:
    """The second one's start begins a life, in which the first one's pods go on."""
    lines = started(LIFE)
    other = [line.replace('podUID="', 'podUID="other-') for line in lines]
    turns = [line for pair in zip(lines[7:], other[2:], strict=False) for line in pair]
    answer = judged_as_is(tmp_path, timed([*lines[:7], *other[:2], *turns]))
    assert [pod.judgement for pod in answer.pods] == ["conformant", "gap", "conformant"]
    assert "no worker begins with" in answer.pods[1].reason


def test_a_uid_of_two_pods_is_none_of_the_pods_own(tmp_path: Path) -> None:
    """As where every UID was replaced by one word: nothing is said of such a pod, whatever its lines are."""
    lines = started(LIFE)
    other = [line.replace("default/web", "default/other") for line in lines[2:]]
    for log in ([*lines, *other], [*lines[:4], *other[:4], *lines[4:]]):
        (pod,) = judged_as_is(tmp_path, timed(log)).pods
        assert pod.judgement == "undecided" and "default/web and of default/other" in pod.reason


def test_the_year_that_begins_is_later(tmp_path: Path) -> None:
    lines = [line.replace("02:20:36.0", "23:59:59.9") for line in timed(wrong_log())]
    new_year = [
        line.replace("I1121", "I1231") if at < 8 else line.replace("I1121 23:59:59", "I0101 00:00:00")
        for at, line in enumerate(lines)
    ]
    assert judgements(judged_as_is(tmp_path, new_year)) == {"violation"}
    assert judgements(judged_as_is(tmp_path, [line.replace("I1231", "I0102") for line in new_year])) == {"gap"}


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(lambda wrong: wrong[1:], id="without its start", marks=pytest.mark.slow),
        pytest.param(lambda wrong: [wrong[0], *wrong[2:]], id="without the sync loop"),
        pytest.param(lambda wrong: [*wrong[:4], "...", *wrong[4:]], id="cut out", marks=pytest.mark.slow),
        pytest.param(lambda wrong: [*wrong[:4], wrong[4].partition("] ")[2], *wrong[5:]], id="cut in"),
        pytest.param(lambda wrong: [*wrong, "x pod_workers.go:1] cut"], id="cut off"),
    ],
)
def test_a_violation_needs_a_log_that_is_whole(part: Callable[[list[str]], list[str]], tmp_path: Path) -> None:
    """Where lines are missing, the UID may have two goroutines: of these there are hundreds of thousands of places."""
    answer = judged(tmp_path, part(wrong_log()), "v1.29")
    assert judgements(answer) <= {"gap", "conformant"} and answer.exit_code in (0, 4)


def test_a_line_of_no_worker_is_undecided(tmp_path: Path) -> None:
    lines = started(LIFE)
    lines.insert(4, lines[3].replace("Notifying pod of pending update", "Pod was enchanted"))
    answer = judged(tmp_path, lines)
    assert judgements(answer) == {"undecided"} and answer.exit_code == 4
    assert "Pod was enchanted" in answer.pods[0].reason and "--version" in answer.pods[0].reason
    assert answer.pods[0].stands == []


# -- what cannot be judged ---------------------------------------------------------------------------------------------


def test_a_log_below_v4_is_never_conformant(tmp_path: Path) -> None:
    low = [line for line in started(LIFE) if "pod_workers" not in line or "has stopped" in line or "Cancelling" in line]
    answer = judged(tmp_path, low)
    assert judgements(answer) == {"nothing to judge"} and answer.exit_code == 4
    assert "--v=4" in answer.pods[0].reason


@pytest.mark.parametrize("release", ["1.21.1", "1.20.4", "1.33.0-alpha.1", "2.0.0"])
def test_a_release_without_a_model_is_not_modelled(release: str, tmp_path: Path) -> None:
    lines = [line.replace("1.29.6", release) for line in started(LIFE)]
    answer = judged(tmp_path, lines)
    assert judgements(answer) == {"not-modelled"} and answer.exit_code == 4 and answer.pods[0].could_contradict == 0


@pytest.mark.slow
def test_a_restart_begins_another_life(tmp_path: Path) -> None:
    lines = started(LIFE)
    answer = judged(tmp_path, [*lines[:6], *lines])
    assert [pod.judgement for pod in answer.pods] == ["conformant"] * 2
    again = [line.replace("16723", "200") for line in written(LIFE)]
    assert [pod.judgement for pod in judged(tmp_path, [*lines[:6], *again]).pods] == ["conformant"] * 2


def test_two_kubelets_that_write_by_turns_are_told_apart(tmp_path: Path) -> None:
    other = [line.replace("16723", "200").replace('podUID="', 'podUID="other-') for line in written(LIFE)]
    turns = [line for pair in itertools.zip_longest(written(LIFE), other) for line in pair if line]
    assert [pod.judgement for pod in judged(tmp_path, turns, "v1.29").pods] == ["conformant"] * 2


# -- forms and hostile texts -------------------------------------------------------------------------------------------

LINE = 'pod_workers.go:1230] "Processing pod event" pod="default/web" podUID="u" updateType="sync"'
READ = (LogLine("Processing pod event", "sync"), "u", "default/web")


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        f"I1121 02:20:36.917685   16723 {LINE}",
        f"Nov 21 02:20:36 node kubelet[16723]: I1121 02:20:36.917685   16723 {LINE}",
        f"2401: I1121 02:20:36.917685   16723 {LINE}",
        LINE.replace('"u"', "u"),
        LINE.partition("] ")[2],
        f" {LINE.partition('] ')[2]}",
        LINE.replace(' pod="', ' pods=["a/b" c/d] err="say \\"podUID=x\\" \\\\" k=[ pod="'),
        'node kubelet[1]: {"caller":"kubelet/pod_workers.go:1230","msg":"Processing pod event","v":4,'
        '"pod":{"name":"web","namespace":"default"},"podUID":"u","updateType":"sync"}',
    ],
)
def test_a_line_is_read_in_every_form(text: str) -> None:
    entry = entry_of(text.encode())
    assert entry is not None and (entry.line, entry.uid, entry.pod) == READ


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ('I1 server.go:484] "Kubelet version" kubeletVersion="v1.29.6"', "1.29.6"),
        ("I1119 11:58:27.862196    4390 server.go:411] Version: v1.19.4", "1.19.4"),
        ('{"caller":"app/server.go:1","msg":"Kubelet version","kubeletVersion":"v1.32.4+k3s1"}', "1.32.4+k3s1"),
        ("the Kubelet version is v1.29.6", ""),
    ],
)
def test_the_release_is_read_from_the_start(text: str, release: str) -> None:
    assert release_in(text.encode()) == release


def test_marks_of_missing_lines_are_seen() -> None:
    for mark in (
        "...",
        "…",
        "# cut",
        "$ grep x",
        "systemd-journald[1]: Suppressed 30 messages",
        "rsyslogd: imuxsock lost 54 messages from pid 1",
        "imjournal: 1234 messages lost due to rate-limiting",
        "Nov 21 node last message repeated 3 times",
        "-- Reboot --",
        "--\n",
        ".\n",
        "(...)",
        "[snip]",
        "⋮",
    ):
        assert leaves_out(mark.encode()), mark
    for text in (LINE, "\n", " >\n", ' > pod="default/web"\n', "\tfoo\n", "}\n"):
        assert not leaves_out(text.encode()), text


@pytest.mark.parametrize(
    "text",
    [
        LINE[:-2],
        'pod_workers.go:951] "Pod worker has stopped" podUID="1234',
        'pod_workers.go:951] "Pod worker has stopped" podUID=1234',
        'my_pod_workers.go:951] "Pod worker has stopped" podUID="1234"',
        '{"caller":"kubelet/kubelet.go:1","msg":"Pod worker has stopped","podUID":"u","err":"pod_workers.go:1"}',
        '{"msg":"Pod worker has stopped","podUID":"u","err":"pod_workers.go:1"}',
    ],
)
def test_a_line_that_is_cut_off_or_of_another_file_is_not_read(text: str) -> None:
    assert entry_of(text.encode()) is None


def test_a_line_cut_inside_a_uid_makes_no_pod_and_no_violation(tmp_path: Path) -> None:
    lines = started(LIFE)
    cut = lines[20][:-2]
    assert cut.endswith('podUID="we')
    answer = judged(tmp_path, [*lines[:20], cut, *lines[21:]])
    assert judgements(answer) == {"conformant"} and len(answer.pods) == 1 and answer.unread == 1


def test_the_prefix_tells_the_process_where_the_header_is_cut_off(tmp_path: Path) -> None:
    """The second kubelet's lines are no lines of the first one's life."""
    first, second = ([f"node kubelet[{pid}]: {line[30:]}" for line in started(LIFE)] for pid in (7, 8))
    answer = judged(tmp_path, [*first[:8], *second[4:], *first[8:12]])
    assert [pod.judgement for pod in answer.pods] == ["conformant"] * 2


def test_a_line_of_the_sync_loop_counts_for_the_kubelet_that_wrote_it(tmp_path: Path) -> None:
    lines = started(LIFE)
    wrong = [lines[0], lines[1].replace("16723", "200"), *lines[2:20], lines[19], *lines[20:]]
    assert judgements(judged(tmp_path, wrong)) == {"gap"}


@pytest.mark.parametrize(
    "other",
    [
        "kube-apiserver[99]: I1121 02:20:36.917676      99 server.go:148] Version: v1.29.6",
        '{"msg":"patched","node":{"nodeInfo":{"kubeletVersion":"v1.29.6"}}}',
    ],
)
def test_what_another_daemon_says_of_a_version_begins_no_life(other: str, tmp_path: Path) -> None:
    bare = [line[30:] for line in started(LIFE)]
    assert [pod.judgement for pod in judged(tmp_path, [*bare[:8], other, *bare[8:]]).pods] == ["conformant"]


@pytest.mark.slow
def test_a_kind_of_line_that_is_filtered_out_is_no_violation(tmp_path: Path) -> None:
    """Also one that only a UID with two goroutines writes."""
    lines = started(LIFE)
    for message in {line.split('"')[1] for line in lines[2:]}:
        answer = judged(tmp_path, [line for line in lines if f'"{message}"' not in line])
        assert judgements(answer) <= {"conformant", "gap", "undecided"}, message


HOSTILE = {
    "binary": bytes(range(256)) * 500,
    "NULs": b"\0" * 100_000,
    "keys": b'pod_workers.go:1] "Pod is terminal" ' + b"k=[" * 100_000,
    "quotes": b'pod_workers.go:1] "Pod is terminal" k="' + b"\\" * 300_001,
    "braces": b'pod_workers.go {"msg":' + b"[" * 100_000,
    "no newline": LINE.encode(),
    "invalid UTF-8": LINE.encode().replace(b"default", b"\xff\xfe"),
    "long": b"x" * (3 << 20) + LINE.encode() + b"\n" + LINE.encode(),
    "empty": b"",
    "a pid per line": b"".join(b"I1121 02:20:36.917685 %7d " % i + LINE.encode() + b"\n" for i in range(3000)),
    "kinds": b"".join(LINE.encode().replace(b"sync", b"%d" % i) + b"\n" for i in range(3000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_no_error_of_ours(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(HOSTILE[name])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = run("log", "--version", "v1.26", str(tmp_path / "x.log"), "-q")
    assert result.exit_code in (0, 4), result.output
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10


@pytest.mark.parametrize("uid", ["--version", "<script>alert(1)</script>", "\x1b[31mred", "\u202eabc", "::error::x"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_uid_is_shown_and_not_obeyed(uid: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text(LINE.replace('"u"', f'"{uid}"') + "\n", encoding="utf-8")
    result = run("log", "--version", "v1.26", str(tmp_path / "x.log"), "-o", form)
    assert result.exit_code == 4 and not re.search("[\x1b\u202e]|^::error", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("what", ["missing", "folder", "broken.gz", "short.gz"])
def test_what_cannot_be_read_is_wrong_usage(what: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.gz").write_bytes(b"not gzip")
    (tmp_path / "short.gz").write_bytes(gzip.compress(LINE.encode() * 50)[:40])
    result = run("log", str(tmp_path / what))
    assert result.exit_code == 2 and what in result.stderr and "cannot be read" in result.stderr


def test_what_gzip_packed_is_read_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress("\n".join(started(LIFE)).encode())
    (tmp_path / "kubelet.log.1").write_bytes(packed)
    assert run("log", str(tmp_path / "kubelet.log.1")).exit_code == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed))))
    assert judge([Path("-")]).exit_code == 0
    (tmp_path / "short.log").write_bytes(packed[:40])
    assert "cannot be read" in run("log", str(tmp_path / "short.log")).stderr


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        ("\n".join(started(LIFE)).encode("utf-16"), "UTF-16"),
        ("\n".join(started(LIFE)).encode("utf-16-be"), "UTF-16"),
        (gzip.compress("\n".join(started(LIFE)).encode("utf-16-le")), "UTF-16"),
        (b"(\xb5/\xfd\x04", "zstd -d"),
        (b"LPKSHHRH\0", "journalctl"),
    ],
)
def test_a_file_in_which_no_line_would_be_found_is_refused(begin: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(begin)
    result = run("log", str(tmp_path / "x.log"))
    assert result.exit_code == 2 and told in result.stderr and "x.log" in result.stderr


def test_wrong_names_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("\n".join(started(LIFE)))
    for given in (("--version", "v9"), ("--version", "v1.20"), ("--pod", "nobody"), ("--pod", "")):
        result = run("log", str(tmp_path / "x.log"), *given)
        assert result.exit_code == 2 and given[1] in result.stderr
    with pytest.raises(CheckerError):
        judge([tmp_path / "x.log"], "v1.20")


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_reads_standard_input_and_packed_files(tmp_path: Path) -> None:
    text = "\n".join(started(LIFE))
    (tmp_path / "x.log.gz").write_bytes(gzip.compress(text.encode()))
    packed = run("log", str(tmp_path / "x.log.gz"))
    piped = CliRunner().invoke(main, ("log", "-"), input=text)
    assert packed.exit_code == piped.exit_code == 0, piped.output
    assert "1 pod: 1 conformant" in packed.stdout and "1 pod: 1 conformant" in piped.stdout
    assert "model of v1.29: the log says 1.29.6" in packed.stdout and "stands: forgotten" in packed.stdout


def test_the_command_takes_one_pod_and_tells_a_rejection(tmp_path: Path) -> None:
    lines = timed([*started(LIFE), started(LIFE)[4]])
    (tmp_path / "x.log").write_text("\n".join(lines))
    uid = json.loads(run("log", str(tmp_path / "x.log"), "-o", "json").stdout)["pods"][0]["uid"]
    told = run("log", str(tmp_path / "x.log"), "--pod", uid)
    assert told.exit_code == 1 and told.stdout.startswith("VIOLATION")
    assert f"x.log:{len(lines)}" in told.stdout and "possible: " in told.stdout


def test_the_table_of_a_folder_of_logs_has_each_with_what_is_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "k-one-life.log").write_text("\n".join(started(LIFE)[:6]))
    about = {"source_url": "https://github.com/kubernetes/kubernetes/issues/1", "kubelet_version": "1.29 (said there)"}
    (tmp_path / "k-one-life.json").write_text(json.dumps(about))
    (row,) = logs.rows(tmp_path)
    assert row.startswith("| one life ([kubernetes/kubernetes#1](https://github.com/kubernetes/kubernetes/issues/1)) |")
    assert "| 1.29 | conformant " in row and "sync" in row and "its sandbox to start" in row
