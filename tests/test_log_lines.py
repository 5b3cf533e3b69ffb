"""Which lines each step writes to the log: as logs of the real code have them, and of our traces for people to read."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pytest
from tests.recorded_traces import TRACES, release_of, version_of

from podproof.checker.conformance import Conformance, replay
from podproof.kubelet.log_lines import STOPPED, LogLine, with_lines
from podproof.kubelet.replay import Replayer
from podproof.queries.formats import trace_format
from podproof.queries.forms import form_of
from podproof.queries.versions import VERSIONS

Log = Mapping[int, Mapping[str, list[LogLine]]]
"""Index of a step -> UID -> what is written about it in the step, and last which goroutines have stopped."""
SINCE_1_22 = [name for name, trace in TRACES.items() if version_of(trace) != "v1.20"]


class LoggedReplayer(Replayer):
    """Also compares what is written in each step."""

    def __init__(self, trace: Mapping[str, Any], log: Log) -> None:
        version = release_of(trace)
        form = form_of(version)
        super().__init__(trace, form, with_lines(version, form.recorder))  # type: ignore[arg-type]
        self.log = log
        self.number = 0
        """How many steps have been accepted."""
        self.workers.lines, self.workers.iterations = [], {}
        self.late: list[tuple[int, LogLine]] = []
        """Of goroutines that the model has ended and that in Go still have to wake up for it."""

    def copy(self) -> Self:
        fresh = super().copy()
        fresh.workers.lines = list(self.workers.lines)
        fresh.workers.iterations = dict(self.workers.iterations)
        fresh.late = list(self.late)
        return fresh

    def apply(self, step: Mapping[str, Any]) -> list[Replayer]:
        self.workers.lines = []
        return super().apply(step)

    def accept(self, step: Mapping[str, Any]) -> None:
        super().accept(step)
        self.number += 1
        stopped = [entry for entry in self.workers.lines if entry[1] == STOPPED]
        self.late = [] if step.get("settled") else self.late + stopped

    def key(self) -> tuple[object, ...]:
        return (*super().key(), tuple(self.workers.lines), tuple(self.late))

    def expected(self, step: Mapping[str, Any]) -> dict[str, Any]:
        return {**super().expected(step), "log": self.log.get(self.number, {})}

    def shown(self, settled: bool) -> dict[str, Any]:
        return {**super().shown(settled), "log": self.written(settled)}

    def written(self, settled: bool) -> dict[str, list[LogLine]]:
        entries = [*self.late, *self.workers.lines] if settled else self.workers.lines
        stopped = [entry for entry in entries if entry[1] == STOPPED] if settled else []
        return by_uid((self.workers.names.uids[uid], line) for uid, line in [*without_stopped(entries), *stopped])


def without_stopped(entries: list[tuple[int, LogLine]]) -> list[tuple[int, LogLine]]:
    return [entry for entry in entries if entry[1] != STOPPED]


def by_uid(entries: Iterator[tuple[str, LogLine]]) -> dict[str, list[LogLine]]:
    """Goroutines wake up for their end at any time, so that they have stopped comes last."""
    found: dict[str, list[LogLine]] = {}
    for uid, line in entries:
        found.setdefault(uid, []).append(line)
    return {uid: sorted(lines, key=lambda line: line == STOPPED) for uid, lines in found.items()}


def log_of(trace: Mapping[str, Any]) -> Log:
    """What the model writes in each step of a trace, where the oldest goroutine of a UID goes first."""
    replayer: Replayer = LoggedReplayer(trace, {})
    found: dict[int, Mapping[str, list[LogLine]]] = {}
    for number, step in enumerate(trace["steps"]):
        (replayer, *_) = replayer.apply(step)
        settled = bool(step.get("settled"))
        while settled and (groups := replayer.runnable()):
            replayer.run(groups[0][0])
        assert isinstance(replayer, LoggedReplayer)
        found[number] = replayer.written(settled)
        replayer.accept(step)
    return found


def compared(trace: Mapping[str, Any], log: Log) -> Conformance:
    return replay(trace, lambda of: LoggedReplayer(of, log), "traces.jsonl:1")


def told(line: LogLine) -> str:
    return f"{line.message}   {line.told}".rstrip()


def test_what_each_step_writes(golden: Callable[[str, str], None]) -> None:
    shown = []
    for name in SINCE_1_22:
        shown.append(f"== {name}")
        replayer = LoggedReplayer(TRACES[name], {})
        for number, lines in log_of(TRACES[name]).items():
            shown.append(f"{number + 1:3}  {replayer.describe(TRACES[name]['steps'][number])}")
            shown += [f"       {uid}  {told(line)}" for uid, of_uid in lines.items() for line in of_uid]
    golden("log-lines.txt", "\n".join(shown) + "\n")


def test_a_life_reads_as_the_kubelet_tells_it() -> None:
    """As in the Go: what UpdatePod, the goroutine and SyncKnownPods say of a pod that is deleted."""
    (log,) = [log_of(TRACES[name]) for name in SINCE_1_22 if name == "graceful-deletion-v1.29"]
    written = [line for lines in log.values() for of_uid in lines.values() for line in of_uid]
    assert written[:3] == [
        LogLine("Pod is being synced for the first time", "create"),
        LogLine("Notifying pod of pending update", "sync"),
        LogLine("Processing pod event", "sync"),
    ]
    assert written[-1] == LogLine("Pod has been terminated and is no longer known to the kubelet, remove all history")
    ends = [line for line in written if line.message == "Processing pod event done"]
    assert [line.told for line in ends] == ["sync"] * 2 + ["terminating"] * 2 + ["terminated"] * 2
    assert written.count(STOPPED) == 1


@pytest.mark.parametrize("name", ["graceful-deletion-v1.29", "static-pair-v1.26", "one-context-for-each-sync-v1.36"])
def test_a_log_with_a_line_changed_dropped_or_swapped_differs(name: str) -> None:
    trace = TRACES[name]
    right = log_of(trace)
    assert compared(trace, right).conforms
    for number, lines in right.items():
        for uid, of_uid in lines.items():
            for i, line in enumerate(of_uid):
                wrong = [[*of_uid[:i], *of_uid[i + 1 :]], [*of_uid[:i], line._replace(told="other"), *of_uid[i + 1 :]]]
                if i and of_uid[i - 1] != line:
                    wrong.append([*of_uid[: i - 1], line, of_uid[i - 1], *of_uid[i + 1 :]])
                for changed in wrong:
                    result = compared(trace, {**right, number: {**lines, uid: changed}})
                    assert not result.conforms and result.step == number + 1


# -- recordings --------------------------------------------------------------------------------------------------------

LOGGED = {
    "v1.26": ("v1.26", 80, 2069, []),
    "v1.29": ("v1.29", 150, 6868, []),
    "v1.32": ("v1.32", 60, 1404, []),
    "v1.36": ("v1.35", 30, 628, ["x-sync-wrapped"]),
}
"""Version -> the folder with recordings of it, its logs, their lines, and which logs differ.

The model has one outcome for every error. Of a cancellation that another error wraps, 1.36 writes that it is one.
"""
_TEXT = re.compile(r'pod_workers\.go:\d+\] "([^"]*)"(.*)$')
_WORK_TYPES = {"0": "sync", "1": "terminating", "2": "terminated"}


def entry_of(text: str) -> tuple[str, LogLine]:
    """The UID and the line that a text of klog is. Two lines of UpdatePod tell the work type since 1.27."""
    found = _TEXT.search(text)
    assert found is not None, text
    keys = dict(re.findall(r' (podUID|updateType|workType)="?([\w-]+)"?', found[2]))
    kind = keys.get("workType", keys.get("updateType", ""))
    return keys["podUID"], LogLine(found[1], _WORK_TYPES.get(kind, kind))


def recorded_log(trace: Mapping[str, Any], texts: list[str]) -> Log:
    log, at = {}, 0
    for number, step in enumerate(trace["steps"]):
        end = at + step.get("logLines", 0)
        log[number] = by_uid(entry_of(text) for text in texts[at:end])
        at = end
    assert at == len(texts)
    return log


def logs_in(folder: Path) -> dict[str, list[str]]:
    """Trace -> the lines of its log."""
    with tarfile.open(folder / "logs.tar.gz") as archive:
        return {
            Path(member.name).stem: file.read().decode().splitlines()
            for member in archive.getmembers()
            if (file := archive.extractfile(member)) is not None
        }


@pytest.mark.recordings
@pytest.mark.parametrize("version", LOGGED)
def test_the_recorded_logs_are_what_the_steps_write(version: str, request: pytest.FixtureRequest) -> None:
    recorded = request.config.getoption("--recorded")
    if recorded is None:
        pytest.skip("give the folder with the recordings: --recorded FOLDER")
    folder, *expected = LOGGED[version]
    logs, logged, lines, differing = logs_in(recorded / folder), 0, 0, []
    form = trace_format(VERSIONS[version].cls)
    for file in sorted((recorded / folder).glob("*.jsonl.gz")):
        for _, trace in form.read_lines(file):
            if trace["trace"] in logs:
                texts = logs[trace["trace"]]
                result = compared({**trace, "version": version}, recorded_log(trace, texts))
                differing += [] if result.conforms else [trace["trace"]]
                logged, lines = logged + 1, lines + len(texts)
    assert [logged, lines, differing] == expected
