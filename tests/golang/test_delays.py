"""Delays of any length: each is one of its own, since the model has no clock. [A5]"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_edits import OF_WORKERS, edited, new_lines
from tests.golang.test_translation import changed

from podproof.checker.core import ModelError

KNOWN = "wait.Jitter(backOffOnTransientErrorPeriod, 0.5)"
AS_LONG = ("5 * time.Second", "5000*time.Millisecond", "time.Duration(5) * time.Second", "wait.Jitter(slow, 0.5)",
           "time.Minute / 12", "time.Second * 5", "slow + 0", "6*time.Second - time.Second")  # fmt: skip
OTHERS = ("50 * time.Second", "5 * time.Minute", "2 * p.backOffPeriod", "p.backOffPeriod * 2", "p.backOffPeriod / 2",
          "2 * p.resyncInterval", "p.resyncInterval + 5*time.Second", "p.slow", "2 * (p.slow + p.backOffPeriod)",
          "2*p.slow + p.backOffPeriod")  # fmt: skip
SLOW = "\nconst slow = 5 * time.Second\n"


def delay_of(go: str) -> str:
    """The delay with which completeWork enqueues in place of that after a transient error."""
    field = (OF_WORKERS, f"{OF_WORKERS}\n\tslow time.Duration\n")
    found = edited((f"Enqueue(uid, {KNOWN})", f"Enqueue(uid, {go})"), field, more=SLOW)
    (given,) = {line for line in new_lines(found) if "begin_complete_work" in line}
    return re.sub(r".*, (\w+|Delay\.\w+)\)$", r"\1", given)


def test_what_is_as_long_is_one_delay_and_what_is_not_is_another() -> None:
    assert {delay_of(go) for go in AS_LONG} == {"DELAY_5000000000NS"}
    assert len({*map(delay_of, OTHERS), "DELAY_5000000000NS"}) == len(OTHERS) + 1


def test_what_is_due_at_once_is_no_delay() -> None:
    assert {delay_of(go) for go in ("0 * time.Second", "time.Second - time.Minute", "time.Duration(0)")} == {
        "Delay.NOW"
    }


@pytest.mark.parametrize(
    "go", ["p.backOffPeriod / 0", "time.Fortnight", "2 * p.quota", "p.backOffPeriod * p.backOffPeriod.X"]
)
def test_what_is_no_length_of_time_is_refused(go: str) -> None:
    with pytest.raises(ModelError):
        delay_of(go)


def test_a_delay_that_a_function_sets_is_refused() -> None:
    field = (OF_WORKERS, f"{OF_WORKERS}\n\tslow time.Duration\n")
    sets = "\nfunc (p *podWorkers) wait(longer time.Duration) {\n\tp.slow = longer\n}\n"
    with pytest.raises(ModelError, match=r"p\.slow"):
        edited((f"Enqueue(uid, {KNOWN})", "Enqueue(uid, p.slow)"), field, more=sets)


def test_a_delay_is_not_compared() -> None:
    known = "\tif seconds < 1 {\n"
    with pytest.raises(ModelError, match="outside what is translated"):
        edited((known, f"\tif 5*time.Second > p.backOffPeriod {{\n\t\tseconds = 3\n\t}}\n{known}"))


@pytest.mark.slow
def test_another_delay_is_told_and_that_its_length_decides_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed((f"Enqueue(uid, {KNOWN})", "Enqueue(uid, 9 * time.Second)")), "utf-8")
    told = run("check", "--go", str(file), "--version", "v1.29", "--scenario", "lone-pod", "-v")
    assert told.exit_code == 1, told.output
    said = " ".join(told.stdout.split())
    assert "NEW retries_wait_as_long_as_the_outcome_says" in said
    assert "the worker of web goes on after 9 * time.Second, which is not what the outcome asks for" in said
    assert "how long it is decides nothing" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "is_equal"),
    [
        (("9 * time.Second", "7 * time.Second"), False),
        (("9 * time.Second", "9000 * time.Millisecond"), True),
    ],
)
def test_files_with_delays_of_their_own_are_equal_where_these_are_as_long(
    edits: tuple[str, str], is_equal: bool, tmp_path: Path
) -> None:
    files = []
    for side, delay in zip("ab", edits, strict=True):
        (tmp_path / side).mkdir()
        files.append(tmp_path / side / "pod_workers.go")
        files[-1].write_text(changed((f"Enqueue(uid, {KNOWN})", f"Enqueue(uid, {delay})")), "utf-8")
    told = run("review", *map(str, files), "--version", "v1.29", "--scenario", "lone-pod").stdout
    assert ("EQUIVALENT" in told) is is_equal, told
    assert ("completeWork UNDECIDED" in " ".join(told.split())) is not is_equal, told
