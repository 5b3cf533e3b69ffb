"""`podproof review`: a claim that both sides violate, and one that is asked of one side alone."""

from __future__ import annotations

import difflib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.command_line import run
from tests.test_baseline import EVICTIONS, FORGETS, HEAD
from tests.walks import Graph, graph

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.graph import Line
from podproof.checker.core.system import NO_LIMITS, Property, Status
from podproof.checker.difference.compare import Criteria, compare
from podproof.checker.difference.result import ClaimDifference, Decision, Worse
from podproof.checker.difference.transitions import in_one_graph
from podproof.checker.lowering.claims import lower_properties
from podproof.queries.comparing import _runs, _summed_up, compare_systems
from podproof.reports.content.review.code import go_at

SAME = HEAD + '\nclass Change(V1_35):\n    """As it is."""\n'
EVICTION, ASKED_FOR = EVICTIONS[1], "the_least_grace_period_asked_for_is_recorded"


def files(folder: Path, *texts: str) -> list[str]:
    paths = [folder / f"side_{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return list(map(str, paths))


def claim_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (claim for claim in document["claims"] if claim["id"] == name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--scenario", "lone-pod")], ids=["one scenario", "two scenarios"])
def test_what_both_violate_is_worse_where_the_claim_sees_what_the_first_never_does(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    """The recorded grace period is forgotten, and a later call raises it from 0. The eviction is as it was before."""
    names = files(tmp_path, *(text.replace("V1_35", "V1_29") for text in (SAME, FORGETS)))
    asked = ("--scenario", "killed-pod", *more)
    found = run("review", *names, *asked, "-v")
    assert found.exit_code == 1 and "WORSE: DIFFERENT" in found.stdout
    text = " ".join(found.stdout.split())
    assert "2 claims violated in both, in side_1 otherwise than in side_0" in text
    assert f"violated as in side_0, also from states that side_0 never reaches: {EVICTION}" in text.replace(
        "kill_requests_are_answered_or_remembered, ", ""
    )
    data = json.loads(run("review", *names, *asked, "-o", "json").stdout)
    cases = ElementTree.fromstring(run("review", *names, *asked, "-o", "junit").stdout)
    for name, state in ((ASKED_FOR, "CHANGED"), (EVICTION, "INHERITED")):
        claim = claim_of(data, name)
        assert claim["statuses"] == ["VIOLATED", "VIOLATED"] and claim["otherwise"]["killed-pod"]["state"] == state
        (case,) = (c for c in cases.iter("testcase") if name == c.attrib["name"] and "killed" in str(c.attrib))
        assert (case.find("failure") is not None) is (state == "CHANGED")


@pytest.mark.slow
def test_where_either_side_is_cut_off_nobody_can_tell_what_is_worse(tmp_path: Path) -> None:
    names = files(tmp_path, *(text.replace("V1_35", "V1_29") for text in (SAME, FORGETS)))
    found = run("review", *names, "--scenario", "killed-pod", "--max-states", "6000")
    text = " ".join(found.stdout.split())
    assert found.exit_code == 4 and "CANNOT TELL" in text
    assert "side_1 is not explored to the end: stopped at 6,000 states (--max-states)" in text


@pytest.mark.slow
def test_the_other_way_round_the_same_violations_are_no_worse(tmp_path: Path) -> None:
    names = files(tmp_path, FORGETS, SAME)
    found = run("review", *names, "--scenario", "killed-pod")
    assert found.exit_code == 0 and "NOT WORSE" in found.stdout, found.output


@pytest.mark.slow
def test_a_file_stands_beside_its_release_as_beside_a_file_that_is_the_same(tmp_path: Path) -> None:
    same, forgets = files(tmp_path, SAME, FORGETS)
    codes = {run("review", a, forgets, "--scenario", "killed-pod", "-q").exit_code for a in (same, "v1.35")}
    assert codes == {1}


NEEDING = '''
from podproof.model.kubelet import Kubelet
from podproof.model.releases import V1_35
from podproof.specs.claim import claim


class Change(V1_35):
    """As it is, with a method that a claim is about."""

    def has_ended(self, uid: int) -> bool:
        return self.pod_sync_statuses[uid].finished

    def retry(self, uid, generation, outcome):
        if self.has_ended(uid) or not self.has_ended(uid):
            super().retry(uid, generation, outcome)


@claim("always", source="ours", needs=("has_ended",))
def ours(s: Kubelet) -> bool:
    """What we want."""
    return {}
'''


@pytest.mark.slow
@pytest.mark.parametrize(("body", "code"), [("True", 4), ("not s.pod_sync_statuses[0].finished", 0)])
@pytest.mark.parametrize("second", ["file", "release"])
def test_what_holds_and_is_asked_no_more_is_open(second: str, body: str, code: int, tmp_path: Path) -> None:
    first, same = files(tmp_path, NEEDING.format(body), SAME)
    pair = first, (same if second == "file" else "v1.35")
    found = run("review", *pair, "--scenario", "lone-pod")
    assert found.exit_code == code, found.output
    if code == 4:
        assert "CANNOT TELL" in found.stdout and "not asked of" in found.stdout and "ours" in found.stdout
        cases = ElementTree.fromstring(run("review", *pair, "--scenario", "lone-pod", "-o", "junit").stdout)
        (case,) = (case for case in cases.iter("testcase") if "ours" in case.attrib["name"])
        assert len(case) == 1
        assert run("review", *pair[::-1], "--scenario", "lone-pod", "-q").exit_code == 0


@pytest.mark.slow
def test_equivalent_is_said_of_every_state_and_alike_of_the_scenarios(tmp_path: Path) -> None:
    same, release = files(tmp_path, SAME)[0], "v1.35"
    assert run("review", release, same, "--scenario", "lone-pod").stdout.splitlines()[1] == "NOT WORSE: EQUIVALENT"
    # Another spec is treated otherwise, and the pod of this scenario has only one.
    pair = ("v1.36", "v1.36.3", "--scenario", "lone-pod")
    assert run("review", *pair).stdout.splitlines()[1].startswith("NOT WORSE: ALIKE in lone-pod")
    assert json.loads(run("review", *pair, "-o", "json").stdout)["verdict"] == "ALIKE"


def test_what_cannot_be_told_is_not_said_to_be_equivalent() -> None:
    claim = Property("c", "always", "C.", lambda s: True)
    found = compare_systems((graph([(0, 1)]), graph([(0, 1)])), ((), ()), ["at"])
    assert found.decision is Decision.IDENTICAL
    is_open = (("walk", Baseline("first", BaselineState.INHERITED, "a limit", is_open=True)),)
    violated = (Status.VIOLATED, Status.VIOLATED)
    told = ClaimDifference((claim, claim), violated, (("walk", *violated),), (None, None), otherwise=is_open)
    found = replace(found, claims=(told,))
    assert found.worse is Worse.UNKNOWN and found.decision is Decision.UNDECIDED


def is_elsewhere(state: Graph) -> bool:
    return state.at != 2


def test_a_claim_is_told_where_the_versions_judge_it_otherwise_and_not_where_both_violate_it() -> None:
    """Both violate it after a step in one scenario; in the other only the first does, after two."""
    claim = Property("c", "always", "C.", is_elsewhere)
    pairs = [(graph([(0, 2), (2, 3)]), graph([(0, 2), (2, 1)])), (graph([(0, 1), (1, 2)]), graph([(0, 1), (1, 3)]))]
    runs: list[Any] = []
    for name, pair in zip(("both", "one"), pairs, strict=True):
        first, second = (replace(system, scenario=name) for system in pair)
        systems = in_one_graph(first, replace(second, version="second"))
        lowered = lower_properties(systems[0], [claim]), lower_properties(systems[1], [claim])
        found = compare(systems, Criteria(("at",), (), ("at",), ("worker",), lowered), NO_LIMITS)
        runs += _runs([((), ())], [found], [lowered], NO_LIMITS)
    (told,) = _summed_up(("first", "second"), runs, ["c"]).claims
    assert told.statuses == (Status.VIOLATED, Status.VIOLATED) and told.changes == ("one",)
    assert [e and (e.scenario, len(e.trace.steps)) for e in told.evidence] == [("one", 2), ("both", 1)]


BEFORE = [
    "package kubelet",
    "",
    "func f() {",
    "	// It adds.",
    "	n++",
    "}",
    *[""] * 9,
    "func g() {",
    "	n--",
    "}",
]
AFTER = [
    "package kubelet",
    "",
    "func f() {",
    "	// It adds two.",
    "	n += 2",
    "}",
    *[""] * 9,
    "func g() {",
    "	n -= 2",
    "}",
]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (((), (5,)), ["before.go:5  n++", "after.go:5  n += 2"]),
        (((17,), ()), ["before.go:17  n--", "after.go:17  n -= 2"]),
        (((), ()), []),
        (((11,), (11,)), []),
    ],
    ids=["the first", "the second", "no line is known", "none of them"],
)
def test_the_go_that_parts_them_is_that_of_the_action(lines: tuple[tuple[int, ...], ...], told: list[str]) -> None:
    found = compare_systems((graph([(0, 1)]), graph([(0, 2)])), ((), ()), ["at"])
    (difference,) = found.scenarios
    (change,) = difference.actions
    names = ("before.go", "pkg/after.go")
    first, second = (tuple(Line(name, n) for n in side) for name, side in zip(names, lines, strict=True))
    elsewhere = Line("kubelet.go", 5)
    difference = replace(difference, actions=(replace(change, lines=((*first, elsewhere), (*second, elsewhere))),))
    hunks = list(difflib.unified_diff(BEFORE, AFTER, "before.go", "after.go", lineterm=""))
    sides = go_at(replace(found, scenarios=(difference,)), change.name, hunks)
    assert [line for side in sides for line in side] == told
    assert not any(go_at(replace(found, scenarios=(difference,)), "another", hunks))


DELAYS = '''
from podproof.model.language import new_member
from podproof.model.releases import V1_35
from podproof.model.state import Delay
{member}

class Change(V1_35):
    """After one outcome the worker goes on after another delay."""

    def begin_complete_work(self, uid, generation, delay):
        super().begin_complete_work(uid, generation, {instead} if delay == Delay.{delay} else delay)
'''
RETRIES = "retries_wait_as_long_as_the_outcome_says"


def delays(delay: str, instead: str = "Delay.NOW", shown: str = "later") -> str:
    member = f'\nLATER = new_member(Delay, "LATER", "{shown}")\n' if instead == "LATER" else ""
    return DELAYS.format(delay=delay, instead=instead, member=member)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SAME, delays("BACKOFF")),
        (delays("TRANSIENT"), delays("BACKOFF")),
        (delays("BACKOFF", "LATER"), delays("BACKOFF", "LATER", "much later")),
    ],
    ids=["one side", "after another outcome", "a member of its own"],
)
def test_what_a_step_stores_for_a_claim_alone_is_no_small_matter(first: str, second: str, tmp_path: Path) -> None:
    """No step reads the delay, and the claim reads it after the step alone, where it is what was stored."""
    names = files(tmp_path, first, second)
    found = run("review", *names, "--scenario", "lone-pod")
    assert found.exit_code == 1 and "WORSE" in found.stdout and RETRIES in found.stdout, found.output
    assert "EQUIVALENT" not in found.stdout
    assert run("review", *names[:1] * 2, "--scenario", "lone-pod").exit_code == 0
