"""`podproof check --model`: what a proposal makes worse, and what it has from its release."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.command_line import run
from tests.test_event_claims import UNMENDED
from tests.test_formats_sarif import GROWING
from tests.two_phase_commit import no_lines
from tests.walks import graph

from podproof.checker.conclude import Shown, Undecided, conclude
from podproof.checker.core.graph import evaluate
from podproof.checker.core.shapes import Scope
from podproof.checker.core.system import Exploration, Limits, LoweredProperty, Move, Property, System, Verdict
from podproof.checker.core.trace import replay
from podproof.checker.difference.inherited import Further, beside, from_elsewhere, further, other_way
from podproof.checker.engines.compiled import Compiled
from podproof.checker.explain.failing_part import failure_of
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import action, make, new_member

HEAD = "from podproof.model.releases import V1_35\n"
KEEPS_ORPHANS = (
    HEAD
    + """
class Change(V1_35):
    \"\"\"SyncKnownPods keeps orphans.\"\"\"

    def remove_terminated_worker(self, uid, status, orphaned):
        if orphaned:
            return False
        return super().remove_terminated_worker(uid, status, orphaned)
"""
)
IGNORES_UPDATES = (
    HEAD
    + """
class Change(V1_35):
    \"\"\"UpdatePod ignores all but kills while a pod terminates.\"\"\"

    def update_pod(self, uid, options):
        if self.pod_sync_statuses[uid].terminating_at and not options.kill_pod_options.present:
            return
        super().update_pod(uid, options)
"""
)
CLOSED = (Path(__file__).parents[1] / "docs" / "examples" / "closed_channels.py").read_text(encoding="utf-8")
SHORTER = {"the_least_grace_period_above_zero_is_recorded", "the_grace_period_is_one_that_was_asked_for"}
PROPOSALS: Mapping[str, tuple[str, str, int, Mapping[str, set[str]]]] = {
    "0 counts as none again, without `overridden`": (
        UNMENDED,
        "one-pod",
        1,
        {
            "CHANGED": {"grace_period_only_decreases", "the_least_grace_period_asked_for_is_recorded"},
            "NEW": {"the_grace_period_is_one_that_was_asked_for"},
        },
    ),
    "SyncKnownPods keeps orphans": (
        KEEPS_ORPHANS,
        "static-removed",
        1,
        {
            "NEW": {"housekeeping_forgets_what_is_done", "removed_pods_are_terminated_by_housekeeping"},
            "INHERITED": {"terminated_pods_run_no_containers"},
            "MENDED": {"terminating_cancels_sync_pod"},
        },
    ),
    "a shorter deletion does not take effect": (
        IGNORES_UPDATES,
        "evict-and-delete",
        1,
        {"NEW": {*SHORTER, "updates_are_left_for_the_worker", "idle_pods_are_retried"}},
    ),
    "the channel of a finished pod is closed": (
        CLOSED,
        "uid-reuse",
        0,
        {
            "MENDED": {"kill_requests_are_answered_or_remembered", "remembered_kill_requests_are_not_lost"},
            "INHERITED": {"grace_period_reaches_the_kill", "started_static_pods_have_left_the_line"},
        },
    ),
    "a period of 5 s becomes 30 s, though the shortest trace is the release's": (
        GROWING,
        "one-pod",
        1,
        {"CHANGED": {"grace_period_only_decreases"}, "NEW": {"the_least_grace_period_above_zero_is_recorded"}},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROPOSALS)
def test_a_proposal_is_told_what_it_makes_worse(name: str, tmp_path: Path) -> None:
    text, scenario, code, expected = PROPOSALS[name]
    file = tmp_path / "change.py"
    file.write_text(text)
    check = ("check", "--model", str(file), "--scenario", scenario)
    document = json.loads(run(*check, "-o", "json").stdout)
    (result,) = document["results"]
    found: dict[str, set[str]] = {}
    for claim in result["properties"]:
        if "baseline" in claim:
            found.setdefault(claim["baseline"]["state"], set()).add(claim["id"])
        # Whatever is violated is compared.
        assert claim["status"] != "VIOLATED" or "baseline" in claim or claim["kind"] == "sometimes"
        if "baseline" in claim:
            way = claim["baseline"].get("trace")
            assert (way is not None) == (claim["baseline"]["state"] == "CHANGED") and (
                way is None or way != claim["trace"]
            )
    assert document["exitCode"] == code == bool(found.keys() & {"NEW", "CHANGED"})
    for state, claims in expected.items():
        assert claims <= found[state], state
    assert run(*check, "--strict", "-q").exit_code == 1


FORGETS = (
    HEAD
    + """
class Change(V1_35):
    \"\"\"Each retry of a termination forgets the recorded grace period.\"\"\"

    def retry(self, uid, generation, outcome):
        if self.pod_sync_statuses[uid].terminating_at and not self.pod_sync_statuses[uid].terminated_at:
            self.pod_sync_statuses[uid].grace_period = 0
        super().retry(uid, generation, outcome)
"""
)
EVICTIONS = ("--property", "evictions_are_recorded")


def test_a_step_as_before_from_a_state_that_the_release_never_reaches_is_no_step_of_it(tmp_path: Path) -> None:
    file = tmp_path / "forgets.py"
    file.write_text(FORGETS)
    check = ("check", "--model", str(file), "--scenario", "killed-pod", *EVICTIONS, "-o", "json")
    found = run(*check)
    ((claim,),) = (result["properties"] for result in json.loads(found.stdout)["results"])
    assert found.exit_code == 1
    assert claim["baseline"]["state"] == "CHANGED"
    assert claim["baseline"]["reason"] == "from a state that v1.35 never reaches"
    retried = ["SyncTerminatingPod" in step["event"] and "grace" in str(step["changed"]) for step in claim["trace"]]
    assert any(retried[:-1])


def test_what_the_release_cannot_be_searched_for_leaves_open_what_is_inherited(tmp_path: Path) -> None:
    file = tmp_path / "forgets.py"
    file.write_text(FORGETS)
    found = run("check", "--model", str(file), "--scenario", "killed-pod", *EVICTIONS, "--max-depth", "5")
    assert found.exit_code == 4 and "stopped at depth 5 (--max-depth)" in " ".join(found.stdout.split())


CROWDED = """
from podproof.model.crowd import crowd
from podproof.model.scenarios import SCENARIOS

TWO = crowd(SCENARIOS["killed-pod"], SCENARIOS["lone-pod"], name="killed-beside-lone")
"""


@pytest.mark.slow
def test_on_a_node_it_is_open_whether_all_is_inherited(tmp_path: Path) -> None:
    file = tmp_path / "forgets.py"
    file.write_text(FORGETS + CROWDED)
    found = run("check", "--model", str(file), "--scenario", "killed-beside-lone", *EVICTIONS)
    assert found.exit_code == 4, found.output
    assert "INHERITED evictions_are_recorded" in found.stdout and "not looked for" in " ".join(found.stdout.split())
    assert (
        run(
            "check", "--model", str(file), "--scenario", "killed-beside-lone", *EVICTIONS, "--undecided", "ok"
        ).exit_code
        == 0
    )


@pytest.mark.slow
def test_each_stands_on_a_line_of_its_own_and_what_is_inherited_is_no_story(tmp_path: Path) -> None:
    file = tmp_path / "closed.py"
    file.write_text(CLOSED)
    check = ("check", "--model", str(file), "--scenario", "uid-reuse")
    text = run(*check).stdout
    assert "INHERITED started_static_pods_have_left_the_line " in text and "as in v1.35\n" in text
    assert "MENDED    kill_requests_are_answered_or_remembered " in text and "replay:" not in text
    assert text.rstrip().endswith("2 VIOLATED (2 inherited). Exit code 0: nothing is worse than in v1.35.")
    assert "replay:" in run(*check, "-v").stdout


def test_what_is_changed_is_told_as_it_was_too(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(GROWING)
    claim = ("--property", "grace_period_only_decreases")
    text = run("check", "--model", str(file), "--scenario", "deleted-twice-and-killed", *claim).stdout
    changed, before = text.split("    in v1.29: 3 steps\n")
    assert "5 → 30" in changed and "DELETE web: grace period 0" in before


@pytest.mark.slow
def test_reports_of_tests_skip_what_is_inherited(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(GROWING)
    check = ("check", "--model", str(file), "--scenario", "deleted-twice-and-killed")
    cases = {
        case.get("name"): case for case in ElementTree.fromstring(run(*check, "-o", "junit").stdout).iter("testcase")
    }
    (skipped,) = cases["grace_period_reaches_the_kill"]
    assert skipped.tag == "skipped" and "; INHERITED: as in v1.29" in skipped.get("message", "")
    assert [child.tag for child in cases["the_least_grace_period_above_zero_is_recorded"]] == ["failure"]
    (log,) = json.loads(run(*check, "-o", "sarif").stdout)["runs"]
    states = {alert["ruleId"]: alert["baselineState"] for alert in log["results"]}
    assert states["the_least_grace_period_above_zero_is_recorded"] == "new"
    assert "grace_period_reaches_the_kill" not in states


@pytest.mark.slow
def test_annotations_are_of_what_is_worse_and_on_the_changed_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keeps.py").write_text(KEEPS_ORPHANS)
    monkeypatch.chdir(tmp_path)
    lines = run("check", "--model", "keeps.py", "--scenario", "static-removed", "-o", "github").stdout.splitlines()
    errors = [line for line in lines if line.startswith("::error")]
    place = "::error file=keeps.py,line=6,title="
    assert KEEPS_ORPHANS.splitlines()[5].startswith("    def ")
    assert {line.removeprefix(place).partition(" ")[0] for line in errors} == {
        "housekeeping_forgets_what_is_done",
        "removed_pods_are_terminated_by_housekeeping",
    }


def test_own_claims_and_scenarios_have_no_release_to_be_compared_with(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        """
from dataclasses import dataclass, replace
from enum import Enum

from podproof.model.releases import V1_35
from podproof.model.scenarios import SCENARIOS
from podproof.specs.claim import claim


@dataclass
class Counting(V1_35):
    counted: bool

    def update_pod(self, uid, options):
        super().update_pod(uid, options)
        self.counted = True


@claim("always", source="the proposal")
def nothing_is_counted(s: Counting) -> bool:
    \"\"\"Nothing is counted.\"\"\"
    return not s.counted


OWN = replace(SCENARIOS["lone-pod"], name="my-own", by_default=False)
"""
    )
    found = run("check", "--model", str(file), "--scenario", "my-own", "--property", "nothing_is_counted")
    assert found.exit_code == 1 and "v1.35 does not make this claim" in " ".join(found.stdout.split())


def test_what_is_mended_is_told_in_a_scenario_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "closed.py"
    file.write_text(f"""from dataclasses import replace
from podproof.model.scenarios import SCENARIOS
{CLOSED}
OWN = replace(SCENARIOS["killed-pod"], name="my-own", by_default=False)
""")
    claim = "kill_requests_are_answered_or_remembered"
    found = run("check", "--model", str(file), "--scenario", "my-own", "--property", claim)
    assert found.exit_code == 0 and f"MENDED    {claim}" in found.stdout


@pytest.mark.slow
def test_a_limit_bounds_the_comparison_and_leaves_open_what_is_inherited(tmp_path: Path) -> None:
    file = tmp_path / "growing.py"
    file.write_text(GROWING)
    check = ("check", "--model", str(file), "--scenario", "one-pod", "--property", "deleted_pods_are_marked_deleted")
    found = run(*check, "--max-depth", "4")
    text = " ".join(found.stdout.split())
    assert found.exit_code == 4 and "; as in v1.29 as far as was explored: stopped at depth 4 (--max-depth)" in text
    assert "nothing is worse than in v1.29 as far as was explored" in text
    (log,) = json.loads(run(*check, "--max-depth", "4", "-o", "sarif").stdout)["runs"]
    assert log["results"] == [] and "INHERITED: as in v1.29 as far as" in str(log["invocations"])
    assert run(*check, "--max-depth", "4", "--strict").exit_code == 1
    passing = run(*check, "--max-depth", "4", "--undecided", "ok")
    assert passing.exit_code == 0
    assert "nothing is worse than in v1.29, and undecided claims (1) may pass" in " ".join(passing.stdout.split())


@pytest.mark.slow
def test_a_comparison_is_kept_for_its_limits_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    file = tmp_path / "growing.py"
    file.write_text(GROWING)
    check = ("check", "--model", str(file), "--scenario", "one-pod", "--property", "deleted_pods_are_marked_deleted")
    whole, limited = run(*check), run(*check, "--max-depth", "4")
    assert (whole.exit_code, limited.exit_code) == (0, 4)
    assert limited.stdout == run(*check, "--max-depth", "4", "--no-cache").stdout


SEEN_ELSEWHERE = """
from podproof.model.releases import V1_29
from podproof.specs.claim import claim


class Change(V1_29):
    pass


@claim("sometimes", source="the proposal", scenarios=("lone-pod", "deferred-eviction"))
def a_pod_of_ours_is_evicted(s: Change) -> bool:
    \"\"\"A pod is evicted.\"\"\"
    return s.pod_sync_statuses[0].evicted
"""


def test_a_comparison_is_kept_for_what_no_other_scenario_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same scenario's: what it does not show is new where it is asked alone."""
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    file = tmp_path / "change.py"
    file.write_text(SEEN_ELSEWHERE)
    check = (
        "check",
        "--model",
        str(file),
        "--property",
        "a_pod_of_ours_is_evicted",
        "-o",
        "json",
        "--scenario",
        "lone-pod",
    )
    states = []
    for others in ((), ("--scenario", "deferred-eviction")):
        (lone, *_) = json.loads(run(*check, *others).stdout)["results"]
        states += [p.get("baseline", {}).get("state") for p in lone["properties"]]
    assert states == ["NEW", None]


@pytest.mark.slow
def test_an_interrupted_comparison_inherits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Compiled):
        def run(self, *arguments: Any) -> Exploration:
            return replace(super().run(*arguments), interrupted=True)

    monkeypatch.setattr("podproof.queries.baseline.engine", lambda *_: Interrupted())
    file = tmp_path / "growing.py"
    file.write_text(GROWING)
    check = ("check", "-v", "--model", str(file), "--scenario", "killed-pod", "--scenario", "deleted-and-killed")
    found = run(*check, "--property", "evictions_are_recorded")
    assert found.exit_code == 130 and "INHERITED" not in found.stdout and found.stdout.count("VIOLATED  evict") == 2


def test_a_release_is_compared_with_nothing() -> None:
    found = run("check", "--version", "v1.29", "--scenario", "orphan", "--property", "grace_period_reaches_the_kill")
    assert found.exit_code == 0 and "VIOLATED" in found.stdout and "INHERITED" not in found.stdout


@pytest.mark.slow
def test_diff_tells_what_is_changed_as_the_release_and_as_the_file_does_it(tmp_path: Path) -> None:
    file, page = tmp_path / "change.py", tmp_path / "change.md"
    file.write_text(UNMENDED)
    asked = ("review", "v1.35", str(file), "--scenario", "one-pod", "-o", "json", "--output-file", f"markdown={page}")
    claims = json.loads(run(*asked).stdout)["claims"]
    found = {claim["id"]: claim["baselines"]["one-pod"] for claim in claims if "baselines" in claim}
    changed = {"grace_period_only_decreases", "the_least_grace_period_asked_for_is_recorded"}
    # These are violated by a step of the release, from states with a grace period that it never has there.
    elsewhere = {"evictions_are_recorded", "grace_period_reaches_the_kill", "remembered_kill_requests_are_not_lost"}
    assert changed | elsewhere <= {id for id, state in found.items() if state == "CHANGED"}
    assert found["kill_requests_are_answered_or_remembered"] == "INHERITED"
    assert "| CHANGED | `grace_period_only_decreases` | ✗ violated after 3 steps | ✗ violated" in page.read_text()
    (both,) = (claim["evidence"] for claim in claims if claim["id"] == "grace_period_only_decreases")
    assert None not in both and both[0] != both[1]


def test_what_begins_otherwise_or_is_cut_off_elsewhere_is_not_like_its_base() -> None:
    base = graph([(0, 1), (1, 0)])
    at, (state,) = base.index("at"), base.initial
    later = replace(base, initial=((*state[:at], 1, *state[at + 1 :]),))
    bounded = replace(base, transitions=tuple(replace(t, bounds={"more": t.enabled}) for t in base.transitions))
    assert [beside(base, {}, change, ()).is_like_base for change in (base, later, bounded)] == [True, False, False]


@dataclass
class Doors:
    front: bool
    back: bool

    @action("somebody", "a door opens")
    def open(self) -> None:
        self.front = True


class Behind(Doors):
    """The same step opens the other one."""

    @action("somebody", "a door opens")
    def open(self) -> None:
        self.back = True


class Shut(Doors):
    """None opens."""

    @action("somebody", "a door opens")
    def open(self) -> None:
        self.front = self.front


def both_are_shut(s: Doors) -> bool:
    return not s.front and not s.back


def doors(cls: type[Doors], *new: Enum) -> System:
    scope = Scope({}, {}, new)
    return lower_system(Description(cls, cls.__name__, "test", "doors", "", scope, [make(cls, {})], no_lines))


CLAIM = Property("both_are_shut", "always", "Both doors are shut.", both_are_shut)


def violation(system: System, *moves: Move) -> Verdict:
    trace = replay(system, moves)
    return replace(conclude(CLAIM, Shown(trace)), failure=failure_of(system, CLAIM, trace))


def test_the_same_step_that_breaks_another_part_of_a_claim_is_another_violation() -> None:
    system = doors(Behind)
    found = violation(system, Move("open", {}))
    assert other_way(doors(Behind), CLAIM, system, found) == ""
    assert other_way(doors(Doors), CLAIM, system, found) == "the same steps violate another part of it in Doors"
    assert other_way(doors(Shut), CLAIM, system, found) == "the same steps do not violate it in Shut"


class Door(Enum):
    LEFT = "left"


class Chosen(Doors):
    @action("somebody", "the {door} door opens")
    def open(self, door: Door) -> None:
        self.front = True


def test_a_step_by_a_new_member_is_none_of_the_release() -> None:
    """Though the release's code, which does not look at it, would take it."""
    system = doors(Chosen, new_member(Door, "RIGHT", "right"))
    old, new = (violation(system, Move("open", {"door": number})) for number in (0, 1))
    assert other_way(system, CLAIM, system, old) == ""
    assert other_way(system, CLAIM, system, new) == "Chosen has no step like step 1, the right door opens"


def back_is_shut(s: Doors) -> bool:
    return not s.back


def test_a_step_is_the_releases_violation_if_it_breaks_the_claim_there_and_leaves_the_same() -> None:
    weaker = replace(CLAIM, function=back_is_shut)
    for cls, of_base, beyond in ((Doors, CLAIM, 0), (Doors, weaker, 1), (Behind, CLAIM, 1)):
        found = beside(doors(Doors), {CLAIM.id: of_base}, doors(cls), [CLAIM])
        assert evaluate(found.beyond[0].steps or (), {"front": 0, "back": 0}) == [beyond]


def test_a_search_that_stopped_leaves_open_whether_a_violation_is_the_releases() -> None:
    change = beside(doors(Doors), {CLAIM.id: CLAIM}, doors(Behind), [CLAIM])
    (here,) = from_elsewhere(change, change.broken, Limits(max_states=1))
    assert here.trace is None and "--max-states" in here.reason
    (there,) = from_elsewhere(change, change.broken, Limits())
    assert there.trace is None and there.reason == ""

    def stopped(claims: Sequence[LoweredProperty]) -> Exploration:
        (claim,) = claims
        undecided = conclude(claim.property, Undecided("stopped after 9 s"))
        return Exploration(change.system, "compiled", False, "stopped after 9 s", 9.0, (undecided,))

    assert further(change, [CLAIM], stopped, Limits()) == {CLAIM.id: Further(None, "stopped after 9 s")}
