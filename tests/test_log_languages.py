"""By which logs two releases can be told apart, and which faults of a worker a log can show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.log_languages import automata, shortest_of_first_alone, steps_differ
from tests.mutants import MUTANTS, RUN_MUTANTS, Mutant

from podproof.kubelet.log_automaton import LoneWorker
from podproof.kubelet.log_lines import LogLine
from podproof.model.versions import SINCE_1_22
from podproof.queries.log_claims import followed
from podproof.queries.log_models import whose_model

MOST_PAIRS = 200


def alone(first: str, second: str, static: bool) -> list[LogLine] | None:
    """The shortest log of the first version that is none of the second."""
    one, other = (automata(SINCE_1_22[version].cls)[static] for version in (first, second))
    return shortest_of_first_alone(one, other, MOST_PAIRS)


@pytest.mark.parametrize("static", [False, True])
def test_1_27_0_and_1_27_2_differ_after_two_lines(static: bool) -> None:
    """A pod that had ended before it was first seen: #116925."""
    begin = LogLine("Pod is being synced for the first time", "create")
    assert alone("v1.27.0", "v1.27.2", static) == [
        begin,
        LogLine("Pod is finished processing, no further updates", "create"),
    ]
    assert alone("v1.27.2", "v1.27.0", static) == [begin, LogLine("Notifying pod of pending update", "terminated")]


@pytest.mark.slow
def test_1_22_5_and_1_26_differ_after_three_lines_of_a_static_pod() -> None:
    """Since 1.24 a terminating static pod never starts."""
    found = alone("v1.22.5", "v1.26", static=True)
    assert found is not None and len(found) == 3 and found[2] == LogLine("Processing pod event", "terminating")
    assert alone("v1.22.5", "v1.26", static=False) is None


@pytest.mark.parametrize("goroutines", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("static", [False, True])
def test_1_29_and_1_32_differ_in_seconds_alone(static: bool, goroutines: int) -> None:
    """Which the automaton leaves out. 1.36.0 says nothing of a token of a pod that is gone, 1.35 does."""
    workers = {name: LoneWorker(SINCE_1_22[name].cls, static) for name in WORKERS}
    assert not steps_differ(workers["v1.29"], workers["v1.32"], goroutines)
    assert not steps_differ(workers["v1.27.2"], workers["v1.29"], goroutines)
    assert steps_differ(workers["v1.35"], workers["v1.36"], goroutines)


WORKERS = ("v1.27.2", "v1.29", "v1.32", "v1.35", "v1.36")


@pytest.mark.parametrize(
    ("release", "version"),
    [
        *(
            ("1.27.3", "v1.27.2"),
            ("1.27.4", "v1.29"),
            ("1.27.16+k3s1", "v1.29"),
            ("1.31.0", "v1.29"),
            ("1.31.2", "v1.32"),
        ),
        *((release, None) for release in ("1.27.17", "1.31.0-rc.1", "1.23.1", "1.22.8")),
    ],
)
def test_a_release_between_two_that_write_the_same_logs_is_judged_by_one(release: str, version: str | None) -> None:
    assert whose_model(None, release, "")[0] == version
    assert followed("v1.27.2").keys() == followed("v1.29").keys() == followed("v1.32").keys()


# -- faults ------------------------------------------------------------------------------------------------------------

PARTS = {**MUTANTS, "runs": RUN_MUTANTS}


@cache
def automata_of(version: type[Any]) -> Any:
    return automata(version)


def shown_by(fault: Mutant) -> list[LogLine] | None:
    """The shortest log of the worker with the fault that the right one does not write."""
    right, wrong = automata_of(fault.version), automata(fault.plant())
    pairs = zip(wrong, right, strict=True)
    return min(filter(None, (shortest_of_first_alone(*pair, MOST_PAIRS) for pair in pairs)), key=len, default=None)


@pytest.mark.slow
def test_which_faults_a_log_can_show(golden: Callable[[str, str], None]) -> None:
    told, rows, every = [], [], [0, 0]
    for part, faults in PARTS.items():
        logs = [shown_by(fault) for fault in faults]
        shown = sum(log is not None for log in logs)
        rows.append(f"| {NAMES[part]} | {len(faults)} | {shown} |")
        every = [every[0] + len(faults), every[1] + shown]
        for fault, log in zip(faults, logs, strict=True):
            last = f'after {len(log) - 1} lines: "{log[-1].message}" {log[-1].told}' if log else "by no line"
            told.append(f"{fault.name}\n  {last.rstrip()}\n")
    golden("log-faults.txt", "".join(told))
    rows.append(f"| all | {every[0]} | {every[1]} |")
    assert "\n".join(rows) in (Path(__file__).parents[1] / "docs" / "logs.md").read_text()


NAMES = {
    "update-pod": "UpdatePod",
    "known-pods": "SyncKnownPods",
    "worker": "the goroutine",
    "starting": "the start of pods, and what is asked of the worker",
    "v1.26": "1.26",
    "runs": "somebody waits for ever, and no step is wrong",
}
