"""`podproof log`: beside what a log proves stands a shortest run of the model, which the release itself repeats."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from tests.command_line import run
from tests.log_languages import automata
from tests.log_runs import is_repeated
from tests.recorded_traces import TRACES, version_of
from tests.test_claims_of_logs import AT_FIRST_SIGHT, of_ended_pod, pod_of
from tests.test_log_lines import SINCE_1_22 as NAMES
from tests.test_log_lines import log_of
from tests.test_logs import LIFE, OLD_LIFE, judged, judged_as_is, started, timed, wrong_log

from podproof.kubelet.log_automaton import ANYWHERE, Automaton
from podproof.kubelet.log_lines import TELL_THE_CALL, LogLine
from podproof.kubelet.log_runs import RunStep, shortest_run
from podproof.model.versions import SINCE_1_22
from podproof.queries import log_runs, logs
from podproof.queries.log_models import MODELLED


def lines_of(name: str, uid: str) -> list[LogLine]:
    """What a trace writes about a pod."""
    return [line for of_step in log_of(TRACES[name]).values() for line in of_step.get(uid, ())]


def written_by(run: Sequence[RunStep]) -> list[int]:
    """The numbers of the lines that a run writes."""
    announced = (each.announced for each in run if each.announced is not None)
    return sorted([*announced, *(number for each in run for number in each.lines)])


# -- beside a verdict --------------------------------------------------------------------------------------------------


def test_a_violation_has_a_run_that_writes_all_lines_before_it(tmp_path: Path) -> None:
    lines = wrong_log()
    (pod,) = judged(tmp_path, lines).pods
    _, at = pod.rejected[0].place.rsplit(":", 1)
    told = sorted(int(line.place.rsplit(":", 1)[1]) for each in pod.run for line in (*each.announced, *each.lines))
    assert told == list(range(3, int(at)))
    for each in pod.run:
        assert all(line.line.split('"')[1] in lines[int(line.place.rsplit(":", 1)[1]) - 1] for line in each.lines)
    first, last = pod.run[0], pod.run[-1]
    assert first.step == "UpdatePod (create)" and first.writer == "whoever calls it"
    assert "SyncTerminatingPod (nil)" in last.step and "all containers" in last.lines[0].line
    short, full = (run("log", str(tmp_path / "kubelet.log"), *option).stdout for option in ((), ("-v",)))
    assert f"{len(pod.run)} steps, the last 3 (-v shows all)" in short and full.count(", by ") == len(pod.run)


def test_a_broken_claim_has_a_run_with_the_step_that_breaks_it(tmp_path: Path) -> None:
    pod = pod_of([*started(OLD_LIFE), *of_ended_pod(old=True)], tmp_path)
    (step,) = pod.run
    assert AT_FIRST_SIGHT in step.breaks and len(step.lines) == 2
    assert "which breaks pods_are_not" in run("log", str(tmp_path / "kubelet.log")).stdout
    found = json.loads(run("log", str(tmp_path / "kubelet.log"), "-o", "json").stdout)
    assert [len(each["run"]) for each in found["pods"] if each["uid"] == "ended"] == [1]


def test_no_run_is_told_beside_what_conforms_or_is_out_of_order(tmp_path: Path) -> None:
    lines = timed(started(LIFE))
    for order in (lines, [*lines[:9], *lines[4:]]):
        assert all(not pod.run for pod in judged_as_is(tmp_path, order).pods)


def test_how_many_runs_are_looked_for_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_RUNS", 1)
    wrong = wrong_log()
    other = [re.sub(r'podUID="[^"]*"', 'podUID="other"', line) for line in wrong[2:]]
    pods = judged(tmp_path, [*wrong, *other]).pods
    assert [pod.judgement for pod in pods] == ["violation"] * 2 and [bool(pod.run) for pod in pods] == [True, False]
    monkeypatch.setattr(log_runs, "MOST_LINES", 3)
    (pod,) = judged(tmp_path, wrong).pods
    assert pod.judgement == "violation" and not pod.run


# -- shortest, and the release's own -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "steps"),
    [
        ([("Pod is being synced for the first time", "create")], 1),
        ([("Pod is being synced for the first time", "create"), ("Notifying pod of pending update", "sync")], 1),
        ([("Pod is being synced for the first time", "create"), ("Notifying pod of pending update", "terminating")], 0),
        ([("Processing pod event", "sync")], 0),
    ],
)
def test_the_run_is_shortest(messages: list[tuple[str, str]], steps: int) -> None:
    """No run writes a log of which a line is missing between two, or the first."""
    found = shortest_run(automata(SINCE_1_22["v1.29"].cls)[0], [LogLine(*each) for each in messages])
    assert len(found or []) == steps


@pytest.mark.parametrize(("name", "uid"), [(LIFE, "web"), ("one-context-for-each-sync-v1.36", "web")])
def test_the_release_repeats_a_run_line_by_line_and_no_run_with_a_line_changed(name: str, uid: str) -> None:
    version = SINCE_1_22[version_of(TRACES[name])].cls
    automaton, lines = automata(version)[0], lines_of(name, uid)
    found = shortest_run(automaton, lines)
    assert found and written_by(found) == list(range(len(lines)))
    assert is_repeated(version, automaton.worker, found)
    at = next(i for i, each in enumerate(found) if each.step.locked)
    locked = found[at].step.locked
    changed = found[at].step._replace(locked=(locked[0]._replace(told="other"), *locked[1:]))
    assert not is_repeated(version, automaton.worker, [*found[:at], found[at]._replace(step=changed), *found[at + 1 :]])


# -- logs with one place changed ---------------------------------------------------------------------------------------

CHANGED = 1000
LOGGED = [name for name in NAMES if version_of(TRACES[name]) in MODELLED]


@cache
def automata_of(version: str) -> tuple[Automaton, Automaton]:
    return automata(SINCE_1_22[version].cls)


def is_explained(automaton: Automaton, lines: Sequence[LogLine]) -> bool:
    number: int | None = automaton.start
    for line in lines:
        number = None if number is None else automaton.after(number, line)
    return number is not None


def regular_logs() -> Iterator[tuple[str, list[LogLine]]]:
    """Of each pod of our traces that may be a regular one the version and the lines, two at least."""
    for name in LOGGED:
        version, steps = version_of(TRACES[name]), log_of(TRACES[name]).values()
        for uid in sorted({uid for step in steps for uid in step}):
            lines = [line for step in steps for line in step.get(uid, ()) if line.message not in ANYWHERE]
            if version == "v1.26":
                lines = [line._replace(told="") if line.message in TELL_THE_CALL else line for line in lines]
            if len(lines) > 1 and is_explained(automata_of(version)[0], lines):
                yield version, lines


def with_one_place_changed(lines: list[LogLine], by: random.Random) -> list[LogLine]:
    """A line dropped, doubled, swapped, replaced or inserted, or the beginning cut off."""
    i, other = by.randrange(len(lines)), by.choice(lines)
    head, line, tail = lines[:i], lines[i], lines[i + 1 :]
    changed = [[*head, *tail], [*head, line, line, *tail], [*head, other, *tail], [*head, other, line, *tail], tail]
    return by.choice([*changed, [*head[:-1], line, *head[-1:], *tail]])


@pytest.mark.slow
def test_of_a_thousand_changed_logs_most_are_rejected_and_the_release_writes_each_that_is_not() -> None:
    whole, by = list(regular_logs()), random.Random(43)
    changed: list[tuple[str, list[LogLine]]] = []
    while len(changed) < CHANGED:
        version, lines = by.choice(whole)
        one = with_one_place_changed(lines, by)
        if one != lines and one != lines[: len(one)]:
            changed.append((version, one))
    accepted = [(version, lines) for version, lines in changed if is_explained(automata_of(version)[0], lines)]
    assert len(accepted) <= 0.25 * CHANGED, len(accepted)
    missed = []
    for version, lines in accepted:
        automaton = automata_of(version)[0]
        found = shortest_run(automaton, lines)
        assert found and written_by(found) == list(range(len(lines)))
        if not is_repeated(SINCE_1_22[version].cls, automaton.worker, found):
            missed.append((version, lines))
    assert not missed
