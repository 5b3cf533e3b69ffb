"""Expected verdicts: what counts as different and in which direction, and the file."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.format_runs import GRACE, NEVER

from podproof.checker.core.system import CheckerError, Exploration, Limits, Status, Verdict
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of
from podproof.queries.search import explore
from podproof.reports.expected import Deviations, Direction, Expectations, Selection, compare, judge
from podproof.reports.expected_file import read, update_text, written
from podproof.reports.layout import Style
from podproof.reports.render.text import render_text

SEEN = "an_orphan_is_killed"
ASKED = Selection("v1.29", ("orphan",), (), tuple(SCENARIOS))


@pytest.fixture(scope="module")
def orphan() -> Exploration:
    """Three claims about one pod: one holds, one is violated after 5 steps, one is seen after 4."""
    found = explore(subject_of("v1.29", None), SCENARIOS["orphan"], (NEVER, GRACE, SEEN), "compiled", Limits(), ())
    assert found is not None
    return found


@pytest.fixture(scope="module")
def text(orphan: Exploration) -> str:
    return written(update_text(None, "check", [orphan], ASKED))


def deviations(text: str, found: Exploration, asked: Selection = ASKED) -> Deviations:
    return compare(read(text, "expected.txt", "check"), "expected.txt", [found], asked)


def with_verdict(found: Exploration, id: str, change: Callable[[Verdict], Verdict]) -> Exploration:
    """The exploration with another verdict on one claim."""
    assert any(v.property.id == id for v in found.verdicts)
    return replace(found, verdicts=tuple(change(v) if v.property.id == id else v for v in found.verdicts))


# -- what differs ------------------------------------------------------------------------------------------------------


def test_what_was_written_is_as_expected(text: str, orphan: Exploration) -> None:
    found = deviations(text, orphan)
    assert (found.found, found.compared) == ((), 3)
    assert judge([orphan], deviations=found).code == 0
    assert judge([orphan]).code == 1


def holds(v: Verdict) -> Verdict:
    return replace(v, status=Status.HOLDS, trace=None)


def longer(v: Verdict) -> Verdict:
    assert v.trace is not None
    return replace(v, trace=replace(v.trace, steps=(*v.trace.steps, v.trace.steps[-1])))


def shorter(v: Verdict) -> Verdict:
    assert v.trace is not None
    return replace(v, trace=replace(v.trace, steps=v.trace.steps[1:]))


def violated(v: Verdict) -> Verdict:
    return replace(v, status=Status.VIOLATED)


@pytest.mark.parametrize(
    ("id", "change", "direction", "words"),
    [
        (NEVER, violated, Direction.WORSE, "expected HOLDS, found VIOLATED"),
        (GRACE, holds, Direction.BETTER, "expected VIOLATED after 5 steps, found HOLDS"),
        (GRACE, longer, Direction.CHANGED, "found VIOLATED after 6 steps: deeper"),
        (GRACE, shorter, Direction.CHANGED, "found VIOLATED after 4 steps: shallower"),
        (SEEN, longer, Direction.CHANGED, "found HOLDS after 5 steps: deeper"),
    ],
)
def test_a_changed_verdict_is_told_with_its_direction(
    id: str,
    change: Callable[[Verdict], Verdict],
    direction: Direction,
    words: str,
    text: str,
    orphan: Exploration,
) -> None:
    changed = with_verdict(orphan, id, change)
    found = deviations(text, changed)
    (only,) = found.found
    assert (only.claim, only.direction) == (id, direction)
    assert words in only.text
    assert found.of("v1.29", "orphan", id) == only.text
    assert all(found.of("v1.29", "orphan", other) is None for other in {NEVER, GRACE, SEEN} - {id})
    assert judge([changed], deviations=found).code == 1


@pytest.mark.parametrize(("more", "words"), [(7, "7 more"), (-7, "7 fewer")])
def test_more_and_fewer_states_are_told(more: int, words: str, text: str, orphan: Exploration) -> None:
    found = deviations(text, replace(orphan, states=orphan.states + more))
    (only,) = found.found
    assert only.claim is None and only.direction is Direction.CHANGED and words in only.text
    assert found.elsewhere == (only,)


def test_states_are_compared_only_where_they_could_be_the_same(text: str, orphan: Exploration) -> None:
    other = replace(orphan, states=1)
    assert deviations(text, other).found
    assert not deviations(text, other, replace(ASKED, options="--no-reduce")).found
    fewer = replace(other, verdicts=orphan.verdicts[:1])
    assert not deviations(text, fewer, replace(ASKED, properties=(fewer.verdicts[0].property.id,))).found


def test_claims_that_are_new_or_gone_are_told(text: str, orphan: Exploration) -> None:
    found = deviations(text.replace(GRACE, "grace_is_kept"), orphan)
    assert {(d.claim, d.direction) for d in found.found} == {(GRACE, Direction.NEW), ("grace_is_kept", Direction.GONE)}
    assert [d.claim for d in found.elsewhere] == ["grace_is_kept"]


def test_a_scenario_that_the_file_lacks_is_new_and_one_that_podproof_lacks_is_gone(
    text: str, orphan: Exploration
) -> None:
    found = deviations(text.replace(" orphan:", " orphans:"), orphan)
    assert [d.direction for d in found.found] == [Direction.NEW] * 3 + [Direction.GONE]
    lines = render_text(found.parts(), Style()).splitlines()
    assert any("3 claims: expected.txt has nothing about this scenario" in line for line in lines)
    assert any("orphans: there is no scenario of this name any more" in line for line in lines)


def test_only_what_was_asked_for_is_compared(text: str, orphan: Exploration) -> None:
    more = text + "\nv1.29 one-pod: 3 states\n  HOLDS  -  something\n\nv1.32 orphan:\n  HOLDS  -  something\n"
    assert not deviations(more, orphan).found
    one = replace(orphan, verdicts=tuple(v for v in orphan.verdicts if v.property.id == GRACE))
    assert not deviations(text, one, replace(ASKED, properties=(GRACE,))).found
    assert {d.direction for d in deviations(text, one).found} == {Direction.GONE}


def unknown(v: Verdict) -> Verdict:
    return replace(v, status=Status.UNKNOWN, reason="took too long", trace=None)


@pytest.mark.parametrize("id", [NEVER, GRACE])
@pytest.mark.parametrize("undecided_ok", [True, False])
def test_what_is_undecided_is_never_as_expected(id: str, undecided_ok: bool, text: str, orphan: Exploration) -> None:
    open_ = replace(with_verdict(orphan, id, unknown), complete=False)
    found = deviations(text, open_)
    assert [d.direction for d in found.found] == [Direction.UNDECIDED]
    assert judge([open_], undecided_ok, found).code == 4


def test_what_is_undecided_may_pass_only_when_nothing_is_expected_of_it(text: str, orphan: Exploration) -> None:
    unlisted = "\n".join(line for line in text.splitlines() if NEVER not in line)
    open_ = with_verdict(orphan, NEVER, unknown)
    found = deviations(unlisted, open_)
    assert not found.found
    assert [judge([open_], ok, found).code for ok in (True, False)] == [0, 4]


def test_a_deviation_is_told_before_what_is_undecided(text: str, orphan: Exploration) -> None:
    open_ = with_verdict(with_verdict(orphan, NEVER, unknown), GRACE, holds)
    assert judge([open_], True, deviations(text, open_)).code == 1


def test_undecided_never_hides_a_violation_or_an_interruption(orphan: Exploration) -> None:
    open_ = with_verdict(orphan, NEVER, unknown)
    assert judge([open_], undecided_ok=True).code == 1
    assert judge([replace(open_, interrupted=True)], undecided_ok=True).code == 130
    passing = judge([with_verdict(open_, GRACE, holds)], undecided_ok=True)
    assert passing.code == 0 and "undecided" in passing.reason


def test_what_an_interruption_leaves_out_is_not_gone(text: str, orphan: Exploration) -> None:
    more = text + "\nv1.29 uid-reuse: 3 states\n  HOLDS  -  something\n"
    both = replace(ASKED, scenarios=("orphan", "uid-reuse"))
    assert [d.direction for d in deviations(more, orphan, both).found] == [Direction.GONE]
    stopped = replace(orphan, reason="interrupted")
    found = deviations(more, stopped, both)
    assert [d.direction for d in found.found] == [Direction.UNDECIDED]
    assert judge([stopped], True, found).code == 4
    assert judge([replace(stopped, interrupted=True)], True, found).code == 130


# -- the file ----------------------------------------------------------------------------------------------------------


def test_the_file_is_read_as_it_was_written(text: str, golden: Callable[[str, str], None]) -> None:
    assert written(read(text, "f", "check")) == text
    golden("expected.txt", text)


def test_order_empty_lines_and_comments_are_free(text: str) -> None:
    lines = [line for line in text.splitlines() if line.startswith("  ")]
    random.Random(3).shuffle(lines)
    moved = "\n\n".join(["# about the file", "podproof-expect/1 check", "v1.29 orphan: 27425 states", *lines])
    one, other = read(text, "f", "check"), read(moved, "f", "check")
    assert one.sections.keys() == other.sections.keys()
    assert one.sections["v1.29", "orphan"].claims == other.sections["v1.29", "orphan"].claims


COMMENTED = """\
podproof-expect/1 check
# our kubelet

# stuck pods
v1.29 orphan: 5 states  # small
  # known upstream
  VIOLATED    9  grace_period_only_decreases  # kubernetes/kubernetes#115819
  HOLDS       -  gone_claim  # goes with its comment

v1.32 orphan:
  HOLDS       -  another_version

# the end
"""


def test_writing_anew_keeps_comments_and_what_was_not_asked_for(orphan: Exploration) -> None:
    before = read(COMMENTED, "f", "check")
    after = written(update_text(before, "check", [orphan], ASKED))
    for line in COMMENTED.splitlines():
        if line.lstrip().startswith("#") or "v1.32" in line or "another_version" in line:
            assert line in after.splitlines()
    assert f"VIOLATED    5  {GRACE}  # kubernetes/kubernetes#115819" in after
    assert f"v1.29 orphan: {orphan.states:,} states  # small" in after
    assert "gone_claim" not in after
    assert written(update_text(read(after, "f", "check"), "check", [orphan], ASKED)) == after


def test_writing_some_claims_leaves_the_others_and_states_nothing_about_the_number_of_states(
    orphan: Exploration,
) -> None:
    one = replace(orphan, verdicts=tuple(v for v in orphan.verdicts if v.property.id == NEVER))
    after = update_text(read(COMMENTED, "f", "check"), "check", [one], replace(ASKED, properties=(NEVER,)))
    section = after.sections["v1.29", "orphan"]
    assert section.claims.keys() == {NEVER, GRACE, "gone_claim"}
    assert section.states is None


def test_a_scenario_that_does_not_exist_any_more_is_taken_out(orphan: Exploration) -> None:
    before = read(COMMENTED.replace("v1.29 orphan", "v1.29 orphans"), "f", "check")
    assert set(update_text(before, "check", [orphan], ASKED).sections) == {("v1.29", "orphan"), ("v1.32", "orphan")}


def test_a_name_with_spaces_is_read_as_it_was_written(orphan: Exploration) -> None:
    expectations = update_text(None, "check", [orphan], replace(ASKED, version="my new change", options="--no-reduce"))
    again = read(written(expectations), "f", "check")
    assert again == Expectations("check", expectations.sections)


GOOD = ["podproof-expect/1 check", "v1.29 orphan: 5 states", f"  HOLDS  -  {NEVER}"]


@pytest.mark.parametrize(
    ("lines", "number", "words"),
    [
        ([], 1, "does not begin with"),
        (["# only a comment"], 1, "does not begin with"),
        (["[tool.podproof]"], 1, "begins with 'podproof-expect/1'"),
        (["podproof-expect/2 check"], 1, "of another version"),
        (["podproof-expect/1 prove"], 1, "another command, and this is `podproof check`"),
        ([GOOD[0], GOOD[2]], 2, "no version and scenario stand above it"),
        ([*GOOD, "  UNKNOWN  -  a_pod_runs"], 4, "undecided is no verdict"),
        ([*GOOD, "  MAYBE  -  a_pod_runs"], 4, "'MAYBE' is no verdict; write one of HOLDS, PROVED, VIOLATED"),
        ([*GOOD, "  HOLDS  some  a_pod_runs"], 4, "neither"),
        ([*GOOD, "  HOLDS a_pod_runs"], 4, "neither"),
        ([*GOOD, "<<<<<<< HEAD"], 4, "neither"),
        ([*GOOD, GOOD[2]], 4, "this claim stands above already"),
        ([*GOOD, GOOD[1]], 4, "this version and scenario stand above already"),
        ([GOOD[0], "v1.29 orphan: many states"], 2, "neither"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_with_its_line(lines: list[str], number: int, words: str) -> None:
    with pytest.raises(CheckerError) as error:
        read("\n".join(lines), "expected.txt", "check")
    assert str(error.value).startswith(f"expected.txt:{number}:")
    assert words in str(error.value) and "--write-expect" in str(error.value)
