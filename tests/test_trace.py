"""A trace is a replay in plain Python: it knows what each step changed and which line of the model did it.

PYTEST_DONT_REWRITE: the model below has an assertion, which must fail on its own line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import CheckerError, LoweredProperty, Move, OutOfRange, Property, Status, System
from podproof.checker.core.trace import breaks, replay
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.python import Python
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import relevant_variables
from podproof.model.language import Array, Domain, Size, action, clear, copy, make, record_lines, require
from podproof.queries.build import properties_of, scenarios_of, subject_of, system_of

ROOT = Path(__file__).parents[1]
WRITES = re.compile(r"(?<![=!<>])[-+]?=(?!=)|\w\(")
"""An assignment or a call."""
Count = Annotated[int, Domain("counts")]


@dataclass
class Item:
    count: Count = 0
    flag: bool = False


@dataclass
class Shelf:
    """Goes wrong in every way that there is, and writes fields in every way."""

    items: Annotated[Array[Item], Size("items")]
    flags: Annotated[Array[bool], Size("items")]
    count: Count

    @action("user", "adds {amount}")
    def add(self, amount: Count) -> None:
        require(amount > 0)
        self.count += amount  # line of add

    @action("user", "stores")
    def store(self) -> None:
        self.put(0)
        self.items[1] = copy(self.items[0])  # line of the copy
        self.flags[0] = True  # line of the flag

    def put(self, i: int) -> None:
        item = self.items[i]
        item.count = self.count  # line of the item
        item.flag = True

    @action("user", "writes one field twice")
    def twice(self) -> None:
        self.flags[1] = not self.flags[1]  # line of the first write
        clear(self.items[0])  # line of clear
        self.count = 0 if self.flags[1] else 1  # line of the last write

    @action("user", "indexes")
    def index(self) -> None:
        self.flags[self.count] = True  # line of the index

    @action("user", "asserts")
    def insist(self) -> None:
        assert self.count == 0  # line of the assertion


def shelf() -> System:
    scope = Scope({"items": 2}, {"counts": Values((0, 1, 2, 3))})
    return lower_system(
        Description(Shelf, "test", "test", "shelf", "", scope, [make(Shelf, scope.sizes)], record_lines)
    )


def line_of(mark: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"# line of {mark}"))


def test_each_change_has_the_line_that_wrote_it_last() -> None:
    trace = replay(shelf(), [("add", {"amount": 2}), ("store", {}), ("twice", {})])
    lines = [{c.path: c.line.number for c in step.changes if c.line} for step in trace.steps]
    assert lines[0] == {"count": line_of("add")}
    assert lines[1] == {
        "items[0].count": line_of("the item"),
        "items[0].flag": line_of("the item") + 1,
        "items[1].count": line_of("the copy"),
        "items[1].flag": line_of("the copy"),
        "flags[0]": line_of("the flag"),
    }
    assert lines[2] == {
        "items[0].count": line_of("clear"),
        "items[0].flag": line_of("clear"),
        "flags[1]": line_of("the first write"),
        "count": line_of("the last write"),
    }
    assert all(c.line.file == "tests/test_trace.py" for step in trace.steps for c in step.changes if c.line)


def test_a_change_tells_the_values_before_and_after() -> None:
    trace = replay(shelf(), [("add", {"amount": 2}), ("store", {})])
    assert [(c.path, c.before, c.after) for c in trace.steps[1].changes][:2] == [
        ("items[0].count", 0, 2),
        ("items[0].flag", False, True),
    ]
    assert (trace.steps[0].event, trace.steps[0].parameters) == ("adds 2", {"amount": 2})


def test_a_step_that_changes_nothing_has_no_changes() -> None:
    assert replay(shelf(), [("insist", {})]).steps[0].changes == ()


def test_a_move_that_cannot_be_made_is_an_error_that_names_the_step() -> None:
    with pytest.raises(CheckerError, match=r"step 2, adds 0, cannot be taken") as refused:
        replay(shelf(), [("add", {"amount": 1}), ("add", {"amount": 0})])
    assert not isinstance(refused.value, OutOfRange)


@pytest.mark.parametrize(
    ("last", "mark", "text"),
    [
        (("add", {"amount": 3}), "add", "OutOfRange: count became 5, outside its declared range 0..3"),
        (("index", {}), "the index", "IndexError: "),
        (
            ("insist", {}),
            "the assertion",
            "AssertionError: what is assumed there is not so; Go reads what is gone, or Go would panic",
        ),
    ],
)
def test_a_step_in_which_the_model_goes_wrong_carries_the_trace(
    last: tuple[str, dict[str, int]], mark: str, text: str
) -> None:
    with pytest.raises(OutOfRange) as wrong:
        replay(shelf(), [("add", {"amount": 2}), last])
    assert f"tests/test_trace.py:{line_of(mark)}: {text}" in str(wrong.value)
    assert wrong.value.trace is not None
    assert [step.action for step in wrong.value.trace.steps] == ["add"]


def test_the_reference_says_nothing_of_a_kind_of_claim_that_it_does_not_know() -> None:
    unknown = Property("odd", "eventually", "", lambda before, after: True)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="eventually"):
        Python().run(shelf(), [LoweredProperty(unknown)])


@pytest.mark.parametrize(
    ("reached", "breaks_it"), [(["one"], True), (["one", "two"], True), (["two"], False), ([], False)]
)
def test_a_line_is_reached_whatever_else_is(reached: list[str], breaks_it: bool) -> None:
    system = shelf()
    tree = system.build(system.initial[0])
    quiet = Property("quiet", "never", "", lines=("one", "other"))
    assert breaks(system, quiet, Move("store", {}), tree, tree, reached) is breaks_it


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_an_exploration_that_meets_a_fault_ends_with_the_trace_to_it(engine: str) -> None:
    with pytest.raises(OutOfRange) as wrong:
        if engine == "python":
            Python().run(shelf(), ())
        else:
            Compiled().run(shelf(), ())
    trace = wrong.value.trace
    assert trace is not None
    assert [step.event for step in trace.steps] == ["adds 1"]
    assert f"adds 3: tests/test_trace.py:{line_of('add')}: OutOfRange: count became 4" in str(wrong.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one-pod", "one-pod-restart"])
def test_every_line_in_a_real_trace_assigns_or_calls(name: str) -> None:
    subject, (scenario,) = subject_of("v1.29", None), scenarios_of([name])
    system, claims = system_of(subject, scenario), properties_of(subject, scenario)
    lowered = lower_properties(system, claims)
    found = Compiled().run(system, lowered, relevant_variables(system, lowered))
    traces = [v.trace for v in found.verdicts if v.trace is not None and v.status in (Status.VIOLATED, Status.HOLDS)]
    assert len(traces) > 10
    seen = 0
    for trace in traces:
        for step in trace.steps:
            for change in step.changes:
                assert change.line is not None, f"{step.event}: {change.path}"
                text = (ROOT / change.line.file).read_text().splitlines()[change.line.number - 1]
                assert change.line.file.startswith("model/")
                assert WRITES.search(text), f"{change.line}: {text}"
                seen += 1
    assert seen > 100


def test_a_trace_names_the_line_of_the_grace_period_that_grows() -> None:
    """The line that a reader of the README's example is led to."""
    subject, (scenario,) = subject_of("v1.29", None), scenarios_of(["one-pod"])
    system = system_of(subject, scenario)
    claims = properties_of(subject, scenario, ["grace_period_only_decreases"])
    (verdict,) = Compiled().run(system, lower_properties(system, claims)).verdicts
    assert verdict.status is Status.VIOLATED and verdict.trace is not None
    (change,) = (c for c in verdict.trace.steps[-1].changes if c.path.endswith("].grace_period") and "status" in c.path)
    assert change.line is not None
    text = (ROOT / change.line.file).read_text().splitlines()[change.line.number - 1]
    assert "status.grace_period = grace_period" in text
