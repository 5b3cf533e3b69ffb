"""`podproof log`: what a right kubelet wrote is no violation, whatever was done to its log that the log shows."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.log_variants import later, variants
from tests.recorded_traces import TRACES, version_of
from tests.test_log_calls import HEADER, whole_log, written
from tests.test_logs import LIFE, judged_as_is, judgements
from tests.whole_logs import HOUSEKEEPING, as_json, shown, whole

from podproof.queries.log_models import automata_of, workers_of
from podproof.reports.content.log import Judged

LEAST_VARIANTS = 200


@pytest.mark.slow
def test_no_variant_of_a_right_log_is_a_violation(tmp_path: Path) -> None:
    by, count, wrong = random.Random(43), 0, list[str]()
    for version in ("v1.26", "v1.29"):
        automata_of.cache_clear()
        workers_of.cache_clear()
        names = [name for name, trace in TRACES.items() if version_of(trace) == version and "panics" not in name]
        lines, other = (
            shown(whole([(TRACES[name], written(TRACES[name])) for name in by.sample(names, len(names))], by))
            for _ in range(2)
        )
        for name, log in variants(lines, other, by):
            answer = judged_as_is(tmp_path, log)
            count += 1
            wrong += [f"{version} {name}: {pod.rejected}" for pod in answer.pods if pod.judgement == "violation"]
    assert not wrong and count >= LEAST_VARIANTS, count


# -- signs that lines are missing, or another kubelet's ----------------------------------------------------------------


def faulty() -> list[str]:
    """A whole log in which the worker writes a line twice."""
    return twice("terminated all containers")(whole_log(LIFE))


def pod_of(lines: list[str], folder: Path) -> Judged:
    (pod,) = judged_as_is(folder, lines).pods
    return pod


def index(lines: list[str], text: str) -> int:
    return next(at for at, line in enumerate(lines) if text in line)


def without(text: str, count: int = 1) -> Callable[[list[str]], list[str]]:
    """Without the first lines that have it."""

    def change(lines: list[str]) -> list[str]:
        left_out = [at for at, line in enumerate(lines) if text in line][:count]
        return [line for at, line in enumerate(lines) if at not in left_out]

    return change


def twice(text: str) -> Callable[[list[str]], list[str]]:
    """With the first line that has it once more, a microsecond later."""

    def change(lines: list[str]) -> list[str]:
        at = index(lines, text)
        again = f"{lines[at][:20]}{(int(lines[at][20]) + 1) % 10}{lines[at][21:]}"
        return [*lines[: at + 1], again, *lines[at + 1 :]]

    return change


def of_two_loops(lines: list[str]) -> list[str]:
    """With the beats of a second sync loop in between."""
    beats = [at for at, line in enumerate(lines) if HOUSEKEEPING in line][:3]
    for at in reversed(beats):
        moved = [f"{line[:15]}5{line[16:]}" for line in lines[at : at + 2]]
        lines = [*lines[: at + 2], *moved, *lines[at + 2 :]]
    return sorted(lines, key=lambda line: line[:21])


def test_what_is_wrong_in_a_whole_log_is_a_violation(tmp_path: Path) -> None:
    assert pod_of(faulty(), tmp_path).judgement == "violation"
    assert judgements(judged_as_is(tmp_path, whole_log(LIFE))) == {"conformant"}


@pytest.mark.parametrize(
    ("change", "sign"),
    [
        (lambda lines: [*lines[:29], *later(lines[31:], 1.5)], "no housekeeping was there"),
        (without("(housekeeping) end"), "of a housekeeping only"),
        (without("housekeeping", 1), "of a housekeeping only"),
        (without(" enter"), "only the end is there"),
        (without("SyncPod exit"), "only the beginning is there"),
        (twice("SyncLoop ADD"), "is added twice"),
        (lambda lines: [lines[0], *(line[HEADER:] for line in lines[1:])], "no line has a time"),
        (of_two_loops, "comes too often"),
    ],
)
@pytest.mark.parametrize("form", [lambda line: line, as_json])
def test_a_sign_that_lines_are_missing_is_seen(
    change: Callable[[list[str]], list[str]], sign: str, form: Callable[[str], str], tmp_path: Path
) -> None:
    lines = change(faulty())
    if form is as_json and sign != "no line has a time":
        lines = [lines[0], *map(form, lines[1:])]
    pod = pod_of(lines, tmp_path)
    assert pod.judgement == "gap" and sign in pod.reason


def test_where_different_lines_do_not_fit_in_several_pods_lines_may_be_lost_at_random(tmp_path: Path) -> None:
    """Where one line does not fit in all of them, the kubelet itself may be wrong."""
    lines = whole_log(LIFE)
    uid = next(line for line in lines if "podUID" in line).split('podUID="')[1][:36]
    pods = [[line.replace(uid, pod) for line in lines if uid in line] for pod in ("one", "other")]
    wrong = twice("terminated all containers")
    for also, judgement in (("terminated all containers", "violation"), ("Pod is complete and", "gap")):
        merged = sorted([*(line for line in lines if uid not in line), *wrong(pods[0]), *twice(also)(pods[1])])
        assert [pod.judgement for pod in judged_as_is(tmp_path, merged).pods] == [judgement] * 2
