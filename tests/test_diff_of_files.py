"""`podproof review` of two files: claims, scenarios, ends of steps and lanes belong to the side whose file has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.walks import Graph, graph

from podproof.model.language import Fairness, strongly, weakly
from podproof.queries.comparing import compare_systems

HEAD = """from dataclasses import replace

from podproof.model.kubelet import Kubelet
from podproof.model.language import action, out_of_bounds
from podproof.model.releases import V1_35
from podproof.model.scenarios import SCENARIOS
from podproof.specs.claim import claim


"""
CLASS = '''class Change(V1_35):
    """As it is."""


'''
FINISHED = "not s.pod_sync_statuses[0].finished"
Pair = Callable[[str, str], Mapping[str, Any]]


def claiming(body: str, kind: str = "always", more: str = "") -> str:
    about = "before: Kubelet, after: Kubelet" if kind == "step" else "s: Kubelet"
    what = "tuple[bool, bool]" if kind == "leads_to" else "bool"
    return f'''{HEAD}{more}{CLASS}@claim("{kind}", source="ours")
def ours({about}) -> {what}:
    """What we want."""
    return {body}
'''


def overriding(method: str, more: str = "") -> str:
    return f'{HEAD}class Change(V1_35):\n    """Changed."""\n\n{method}\n\n{more}'


@pytest.fixture
def compare(tmp_path: Path) -> Pair:
    """Compares two texts both ways, sees that the ways agree, and gives the first."""

    def compared(a: str, b: str, *options: str) -> Mapping[str, Any]:
        files = [tmp_path / "first.py", tmp_path / "second.py"]
        for file, text in zip(files, (a, b), strict=True):
            file.write_text(text)
        options = options or ("--scenario", "lone-pod")
        ways = []
        for pair in (files, files[::-1]):
            found = run("review", *map(str, pair), *options, "--exit-on", "difference", "-o", "json")
            assert found.exit_code in (0, 1), found.output
            ways.append(json.loads(found.stdout))
            assert (found.exit_code == 0) == (ways[-1]["verdict"] in ("EQUIVALENT", "ALIKE"))
        there, back = ways
        for name in ("verdict", "decision"):
            assert there[name] == back[name]
        for name in ("statuses", "changes", "texts"):
            mine, theirs = ({c["id"]: c.get(name) for c in way["claims"]} for way in ways)
            turned = {id: x[::-1] if isinstance(x, list) else x for id, x in theirs.items()}
            assert mine == turned
        return there

    return compared


def of_ours(found: Mapping[str, Any]) -> Mapping[str, Any]:
    (claim,) = (c for c in found["claims"] if c["id"] == "ours")
    return claim


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b", "statuses"),
    [
        (claiming(FINISHED), claiming(f"True or {FINISHED}"), ["VIOLATED", "HOLDS"]),
        (claiming("True"), claiming("True", "sometimes"), ["HOLDS", "HOLDS"]),
        (claiming(FINISHED), claiming(FINISHED, "sometimes"), ["VIOLATED", "HOLDS"]),
        (
            claiming("before.pod_sync_statuses[0].terminated_at or not after.pod_sync_statuses[0].finished", "step"),
            claiming("not after.pod_sync_statuses[0].finished", "step"),
            ["HOLDS", "VIOLATED"],
        ),
        (
            claiming("LIMIT < 1 or not s.pod_sync_statuses[0].finished", more="LIMIT = 1\n\n\n"),
            claiming("LIMIT < 1 or not s.pod_sync_statuses[0].finished", more="LIMIT = 0\n\n\n"),
            ["VIOLATED", "HOLDS"],
        ),
        (
            claiming("said(s)", more=f"def said(s: Kubelet) -> bool:\n    return {FINISHED}\n\n\n"),
            claiming("said(s)", more="def said(s: Kubelet) -> bool:\n    return True\n\n\n"),
            ["VIOLATED", "HOLDS"],
        ),
    ],
    ids=["weaker", "another kind", "a witness", "a step", "a number", "a function"],
)
def test_each_file_is_held_to_its_own_claim(compare: Pair, a: str, b: str, statuses: list[str]) -> None:
    found = compare(a, b)
    assert found["verdict"] == "DIFFERENT"
    assert of_ours(found)["statuses"] == statuses
    first, second = of_ours(found)["texts"]
    assert first.startswith(a.partition('@claim("')[2].partition('"')[0])
    assert (first == second) == ("LIMIT" in a or "said" in a)


@pytest.mark.slow
def test_claims_about_runs_belong_to_their_file_as_well(compare: Callable[..., Mapping[str, Any]]) -> None:
    body = "s.pod_sync_statuses[0].terminating_at, s.pod_sync_statuses[0].{}"
    a, b = (claiming(body.format(goal), "leads_to") for goal in ("restart_requested", "finished"))
    found = compare(a, b, "--scenario", "lone-pod", "--liveness")
    assert found["verdict"] == "DIFFERENT"
    assert of_ours(found)["statuses"] == ["VIOLATED", "HOLDS"] and of_ours(found)["texts"]


@pytest.mark.slow
@pytest.mark.parametrize("body", [FINISHED, "True"])
def test_a_claim_about_a_scenario_of_one_file_only_is_not_said_to_be_violated_in_both(
    tmp_path: Path, body: str
) -> None:
    files = [tmp_path / "first.py", tmp_path / "second.py"]
    text = claiming(body)
    for file, one in zip(
        files, (text.replace('source="ours"', 'source="ours", scenarios=("one-pod",)'), text), strict=True
    ):
        file.write_text(one)
    for pair in (files, files[::-1]):
        said = run("review", *map(str, pair), "--scenario", "lone-pod").output
        assert "1 claim asked of one of them only: ours." in said
        assert "violated in both, each in its own way" not in said


@pytest.mark.slow
def test_other_words_for_the_same_claim_are_the_same(compare: Pair) -> None:
    found = compare(claiming(FINISHED), claiming(f"({FINISHED}) and {FINISHED}"))
    assert found["verdict"] == "EQUIVALENT" and not any("texts" in claim for claim in found["claims"])


@pytest.mark.slow
def test_a_claim_of_one_file_is_asked_of_both_and_that_is_told(compare: Pair) -> None:
    found = compare(claiming(FINISHED), HEAD + CLASS)
    assert found["verdict"] == "EQUIVALENT"
    assert found["besides"] == ["Only first makes the claims ours; they are asked of both."]


SMALL = 'SMALL = replace(SCENARIOS["{}"], name="small", by_default=False)\n'


@pytest.mark.slow
def test_each_file_is_explored_in_its_own_scenario(compare: Callable[..., Mapping[str, Any]]) -> None:
    a, b = (HEAD + CLASS + SMALL.format(name) for name in ("lone-pod", "killed-pod"))
    found = compare(a, b, "--scenario", "small")
    assert found["verdict"] == "DIFFERENT"
    (told,) = found["besides"]
    assert "Scenario small is not the same in both: " in told and "kills is 0 in first and 1 in second" in told
    (scenario,) = found["scenarios"]
    assert scenario["sizes"][0]["states"] < scenario["sizes"][1]["states"]


@pytest.mark.slow
def test_equal_scenarios_of_both_files_are_one(compare: Callable[..., Mapping[str, Any]]) -> None:
    text = HEAD + CLASS + SMALL.format("lone-pod")
    found = compare(text, text, "--scenario", "small")
    assert found["verdict"] == "EQUIVALENT" and not found["besides"]


GONE = """    def complete_terminated(self, uid: int) -> None:
        {}
        super().complete_terminated(uid)
"""


@pytest.mark.slow
def test_where_one_is_cut_off_and_the_other_goes_wrong_no_order_is_equivalent(tmp_path: Path) -> None:
    files = [tmp_path / "cut.py", tmp_path / "wrong.py"]
    files[0].write_text(overriding(GONE.format('out_of_bounds("here")')))
    files[1].write_text(overriding(GONE.format("assert not self.pod_sync_statuses[uid].working")))
    ways = [run("review", *map(str, pair), "--scenario", "lone-pod") for pair in (files, files[::-1])]
    assert [way.exit_code for way in ways] == [2, 2]
    assert all("wrong" in way.output and "EQUIVALENT" not in way.output for way in ways)


@pytest.mark.slow
def test_a_step_that_is_cut_off_is_no_step_that_cannot_happen(compare: Pair) -> None:
    cut = overriding(GONE.format('out_of_bounds("here")'))
    never = overriding(GONE.format("require(False)")).replace("out_of_bounds", "require")
    found = compare(cut, never)
    assert found["verdict"] == "DIFFERENT"
    (scenario,) = found["scenarios"]
    assert scenario["experiment"]["onlyIn"] == "first" and "cuts it off" in scenario["experiment"]["event"]


LOOKS = """    @action("{}", "somebody looks at {{uid}}")
    def look(self, uid: Uid) -> None:
        require(self.pod_sync_statuses[uid].working)
"""


@pytest.mark.slow
def test_an_action_of_another_actor_is_another_event(compare: Pair) -> None:
    words = "from podproof.model.language import require\nfrom podproof.model.state import Uid\n"
    found = compare(*(words + overriding(LOOKS.format(actor)) for actor in ("worker", "operator")))
    assert found["verdict"] == "DIFFERENT"
    (scenario,) = found["scenarios"]
    assert scenario["changedActions"] == ["look"]
    assert scenario["actions"][0]["others"] == ["its actor, worker or operator"]


REASON = """from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from podproof.model.language import action, require
from podproof.model.releases import V1_35


class Reason(Enum):
    NONE = "none"
    {member} = "{member}"


@dataclass
class Change(V1_35):
    reason: Reason

    @action("operator", "say why")
    def say(self) -> None:
        require(self.reason == Reason.NONE)
        self.reason = Reason.{member}
"""


@pytest.mark.slow
def test_two_files_of_one_name_are_two(tmp_path: Path) -> None:
    files = [tmp_path / "old" / "change.py", tmp_path / "new" / "change.py"]
    for file, member in zip(files, ("ONE", "OTHER"), strict=True):
        file.parent.mkdir()
        file.write_text(REASON.format(member=member))
    for pair in (files, files[::-1]):
        found = run(
            "review",
            *map(str, pair),
            "--scenario",
            "lone-pod",
            "--by",
            "reason",
            "--exit-on",
            "difference",
            "-o",
            "json",
        )
        assert found.exit_code == 1, found.output
        assert json.loads(found.stdout)["verdict"] == "DIFFERENT"


@pytest.mark.parametrize(
    "owed",
    [
        strongly("goes", "it goes on"),
        weakly("moves", "it goes on"),
        weakly("goes", "it goes on", ("kind",)),
        weakly("goes", "it goes on", kind=0),
        weakly("goes", "it goes on", when=Graph.is_low),
    ],
    ids=["strength", "name", "whichever", "values", "promise"],
)
def test_what_fairness_owes_otherwise_is_told(owed: Fairness) -> None:
    def besides(*owed: Fairness) -> tuple[str, ...]:
        one, other = (graph([(0, 1), (1, 0)], each) for each in owed)
        return compare_systems((one, other), ((), ()), ["at"]).besides

    assert besides(owed, owed) == ()
    said = "What fairness owes of step is not the same in both; see `podproof review --liveness`."
    assert besides(weakly("goes", "it goes on"), owed) == (said,)


@pytest.mark.slow
def test_a_claim_may_hold_by_what_fairness_owes_in_one_version_only(compare: Pair) -> None:
    """The steps are the same: in the second file nobody has to ask."""
    words = "from podproof.model.language import require, weakly\nfrom podproof.model.state import Uid\n\n\n"
    ours = claiming(
        "s.pod_sync_statuses[0].terminating_at, s.pod_sync_statuses[0].restart_requested", "leads_to", words
    )
    asks = """    @action("somebody", "somebody asks to start {{uid}} again"{})
    def ask(self, uid: Uid) -> None:
        self.pod_sync_statuses[uid].restart_requested = True
"""
    fair, free = (
        ours.replace('    """As it is."""\n', f'    """Somebody asks."""\n\n{asks.format(owed)}')
        for owed in (', weakly("asks", "they always do", ("uid",))', "")
    )
    found = compare(fair, free, "--scenario", "lone-pod", "--liveness")
    assert found["verdict"] == "DIFFERENT"
    assert of_ours(found)["statuses"] == ["HOLDS", "VIOLATED"]
