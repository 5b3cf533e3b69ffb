"""Other checkers find in the exports what podproof finds: the same states, the same violated claims."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from click.testing import CliRunner
from tests.peer_tools import missing_for_spin, missing_for_tlc, spin, tlc
from tests.two_phase_commit import PROPERTIES, STATES, no_lines, two_phase_commit

from podproof.checker.claims import LoweredProperty, lower_properties
from podproof.checker.compiled import explore
from podproof.checker.export import promela, tla
from podproof.checker.export.names import Identifiers
from podproof.checker.export.obvious import is_never_true
from podproof.checker.graph import Graph
from podproof.checker.lowering import Description, lower_system
from podproof.checker.shapes import Scope, Values
from podproof.checker.slicing import relevant_variables
from podproof.checker.system import Exploration, Property, Status, System
from podproof.commands.main import main
from podproof.commands.systems.build import properties_of, subject_of, system_of
from podproof.model.language import NIL, Array, Domain, Size, action, make, out_of_bounds, require
from podproof.model.scenarios import SCENARIOS


def needs(missing: str | None) -> Callable[[Any], Any]:
    """Mark a test that starts another checker: left out unless asked for, skipped where the checker is missing."""
    return lambda test: pytest.mark.peers(pytest.mark.skipif(missing is not None, reason=missing or "")(test))


needs_spin = needs(missing_for_spin())
needs_tlc = needs(missing_for_tlc())

Optional = Annotated[int, Domain("optional", default=NIL)]


@dataclass
class Corners:
    """What an export must get right: values read after they are overwritten, nil, a bound, choices, clashing names."""

    first: Optional
    second: Optional
    value: Annotated[Array[bool], Size("two")]
    value_1: bool = False
    is_1: bool = False
    total: Annotated[int, Domain("total")] = 0

    @action("user", "swaps both numbers")
    def swap(self) -> None:
        require(self.first != self.second)
        kept = self.first
        self.first = self.second
        self.second = kept

    @action("user", "sets the first to {number}, {only_if_smaller}")
    def set(self, number: Optional, only_if_smaller: bool) -> None:
        if not only_if_smaller or number < self.first:
            self.first = number
            self.value[0] = not self.value[0]
        if self.total + 1 > 5:
            out_of_bounds("total")
        self.total += 1

    @action("user", "turns {i} over")
    def turn(self, i: Annotated[int, Domain("index")]) -> None:
        self.value[i] = not self.value[1 - i]
        self.value_1 = self.value[i] and not self.value_1
        self.is_1 = self.value_1 and self.total - self.first > 2


def numbers_differ(before: Corners, after: Corners) -> bool:
    """Fails: a swap of different numbers keeps them different, setting does not."""
    return before.first == before.second or after.first != after.second


def sums_stay(before: Corners, after: Corners) -> bool:
    """Holds: the total never falls."""
    return after.total >= before.total


def never_five(state: Corners) -> bool:
    """Fails: five steps of setting."""
    return state.total < 5


CORNERS = (
    Property("numbers_differ", "step", "Different numbers stay different.", numbers_differ),
    Property("sums_stay", "step", "The total never falls.", sums_stay),
    Property("never_five", "always", "The total is below 5.", never_five),
)


def corners(*totals: int) -> System:
    """The system that starts with each of these totals."""
    domains = {
        "optional": Values((NIL, 0, 1, 2), {NIL: "nil"}),
        "total": Values(tuple(range(6))),
        "index": Values((0, 1)),
    }
    scope = Scope({"two": 2}, domains)
    initial = [make(Corners, scope.sizes) for _ in totals or [0]]
    for state, total in zip(initial, totals, strict=False):
        state.total = total
    return lower_system(Description(Corners, "test", "closed", "corners", "totals to 5", scope, initial, no_lines))


def built_in(scenario: str, version: str = "v1.29", wanted: Sequence[str] = ()) -> tuple[System, Sequence[Property]]:
    subject = subject_of(version, None)
    return system_of(subject, SCENARIOS[scenario]), properties_of(subject, SCENARIOS[scenario], wanted)


@dataclass(frozen=True)
class Model:
    """A system ready for export, and what podproof finds in it."""

    system: System
    claims: tuple[LoweredProperty, ...]
    keep: frozenset[str] | None
    explored: Exploration

    @property
    def violated(self) -> set[str]:
        found = (v.property for v in self.explored.verdicts if v.status is Status.VIOLATED)
        return {p.id for p in found if p.kind != "sometimes"}

    @property
    def promela(self) -> str:
        return promela(self.system, self.claims, self.keep)


def model(system: System, properties: Sequence[Property], reduce: bool = True) -> Model:
    claims = lower_properties(system, properties)
    keep = relevant_variables(system, claims) if reduce else None
    return Model(system, claims, keep, explore(system, claims, keep))


# -- SPIN --------------------------------------------------------------------------------------------------------------


def assert_spin_agrees(m: Model, folder: Path, breadth_first: bool = False) -> None:
    found = spin(m.promela, folder, breadth_first, "-O1", states_expected=m.explored.states, go_on=True)
    assert found.states == m.explored.states
    assert {name.removeprefix("claim_") for name in found.violated} == m.violated


@needs_spin
@pytest.mark.parametrize("scenario", ["one-pod", "one-pod-restart", "uid-reuse", "orphan"])
def test_spin_finds_the_same_states_and_the_same_violated_claims(scenario: str, tmp_path: Path) -> None:
    m = model(*built_in(scenario))
    assert m.violated
    assert_spin_agrees(m, tmp_path)


@needs_spin
@pytest.mark.parametrize("version", ["v1.32", "walkthrough-001"])
def test_spin_agrees_about_other_versions(version: str, tmp_path: Path) -> None:
    assert_spin_agrees(model(*built_in("orphan", version)), tmp_path)


@needs_spin
def test_spin_agrees_without_reductions_and_breadth_first(tmp_path: Path) -> None:
    assert_spin_agrees(model(*built_in("orphan"), reduce=False), tmp_path, breadth_first=True)


@needs_spin
def test_spin_agrees_about_overwritten_values_bounds_and_choices(tmp_path: Path) -> None:
    m = model(corners(), CORNERS, reduce=False)
    assert m.violated == {"numbers_differ", "never_five"} and m.explored.bounds_hit
    assert_spin_agrees(m, tmp_path)


@needs_spin
def test_spin_starts_in_every_initial_state_and_counts_the_choice_as_one_more(tmp_path: Path) -> None:
    m = model(corners(3, 5), CORNERS, reduce=False)
    assert spin(m.promela, tmp_path, go_on=True).states == m.explored.states + 1


@needs_spin
def test_spin_finds_the_known_states_of_two_phase_commit(tmp_path: Path) -> None:
    m = model(two_phase_commit(5), PROPERTIES)
    assert m.explored.states == STATES[5]
    assert_spin_agrees(m, tmp_path)


@needs_spin
def test_spin_finds_one_claim_violated_when_that_is_all_it_is_given(tmp_path: Path) -> None:
    m = model(*built_in("one-pod", wanted=["grace_period_only_decreases"]))
    assert spin(m.promela, tmp_path).violated == {"claim_grace_period_only_decreases"}


# -- TLC ---------------------------------------------------------------------------------------------------------------


def assert_tlc_agrees(m: Model, folder: Path) -> None:
    module = tla(m.system, m.claims, m.keep, name="Exported")
    found = tlc(module.name, module.text, module.configuration, folder, workers=2, go_on=True)
    assert found.states == m.explored.states
    assert found.violated == m.violated


@needs_tlc
def test_tlc_finds_the_known_states_of_two_phase_commit(tmp_path: Path) -> None:
    m = model(two_phase_commit(4), PROPERTIES)
    assert m.explored.states == STATES[4]
    assert_tlc_agrees(m, tmp_path)


@needs_tlc
def test_tlc_agrees_about_overwritten_values_bounds_and_choices(tmp_path: Path) -> None:
    assert_tlc_agrees(model(corners(), CORNERS, reduce=False), tmp_path)


@needs_tlc
def test_tlc_starts_in_every_initial_state(tmp_path: Path) -> None:
    assert_tlc_agrees(model(corners(3, 5), CORNERS, reduce=False), tmp_path)


@needs_tlc
def test_tlc_finds_the_same_states_of_the_pod_worker(tmp_path: Path) -> None:
    system, properties = built_in("orphan")
    violated = model(system, properties).violated
    assert_tlc_agrees(model(system, [p for p in properties if p.id not in violated]), tmp_path)


@needs_tlc
@pytest.mark.parametrize(
    "claim",
    [
        "grace_period_only_decreases",  # a step claim, as an action property
        "grace_period_reaches_the_kill",  # a step claim, as an invariant
        "complete_sync_requests_termination_first",  # never
        "evictions_are_recorded",  # always
    ],
)
def test_tlc_finds_a_violated_claim_violated(claim: str, tmp_path: Path) -> None:
    m = model(*built_in("orphan", wanted=[claim]))
    assert m.violated == {claim}
    module = tla(m.system, m.claims, m.keep, name="Exported")
    assert tlc(module.name, module.text, module.configuration, tmp_path).violated == {claim}


# -- the text ----------------------------------------------------------------------------------------------------------


def test_promela_of_two_phase_commit_reads_well(golden: Callable[[str, str], None]) -> None:
    m = model(two_phase_commit(3), PROPERTIES)
    golden("export-two-phase-commit.pml", m.promela)


def test_tla_of_two_phase_commit_reads_well(golden: Callable[[str, str], None]) -> None:
    m = model(two_phase_commit(3), PROPERTIES)
    module = tla(m.system, m.claims, m.keep, name="TwoPhaseCommit")
    golden("export-two-phase-commit.tla", module.text)
    golden("export-two-phase-commit.cfg", module.configuration)


def test_promela_of_the_corners_reads_well(golden: Callable[[str, str], None]) -> None:
    golden("export-corners.pml", model(corners(), CORNERS, reduce=False).promela)


@pytest.mark.parametrize("scenario", ["static-pair", "two-goroutines", "open-pod"])
def test_every_name_is_defined_once(scenario: str) -> None:
    system, properties = built_in(scenario)
    claims = lower_properties(system, properties)
    text = re.sub(r"/\*.*?\*/", "", promela(system, claims), flags=re.DOTALL)
    declared = re.findall(r"^(?:hidden )?(?:bool|byte|short|int|unsigned|inline|#define) (\w+)", text, re.MULTILINE)
    assert len(declared) == len(set(declared)) > 100
    module = tla(system, claims).text
    defined = re.findall(r"^(\w+)(?:\([^)]*\))? ==", module, re.MULTILINE)
    defined += re.findall(r"^  (\w+),?  \\\*", module, re.MULTILINE)
    assert len(defined) == len(set(defined)) > 100


@pytest.mark.parametrize("scenario", ["static-pair", "open-pod"])
def test_parentheses_are_balanced(scenario: str) -> None:
    system, properties = built_in(scenario)
    claims = lower_properties(system, properties)
    code = re.sub(r"/\*.*?\*/", "", promela(system, claims), flags=re.DOTALL)
    module = re.sub(r"\\\*.*", "", tla(system, claims).text)
    for text in (code, module):
        for opening, closing in ("()", "{}", "[]"):
            assert text.count(opening) == text.count(closing)


def test_each_action_says_where_the_model_defines_it() -> None:
    m = model(*built_in("orphan"))
    for text in (m.promela, tla(m.system, m.claims, m.keep).text):
        for act in m.system.actions:
            assert str(act.line) in text


def test_identifiers_are_given_out_once() -> None:
    names = Identifiers(["init"])
    given = [names.fresh(text) for text in ("a[0].b", "a[0][b]", "init", "9 lives", "…", "...")]
    assert given == ["a_0_b", "a_0_b_2", "init_2", "x9_lives", "x", "x_2"]


def test_what_is_plainly_never_true_is_seen() -> None:
    graph = Graph()
    x, flag = graph.variable("x", False, 0, 3), graph.variable("flag", True, 0, 1)
    is_one, is_two = (graph.eq(x, graph.integer(n)) for n in (1, 2))
    assert is_never_true(graph.and_(is_one, flag, is_two))
    assert is_never_true(graph.not_(graph.or_(graph.not_(is_one), graph.not_(is_two))))
    assert is_never_true(graph.or_(graph.and_(is_one, is_two), graph.and_(is_two, flag, is_one)))
    assert not is_never_true(graph.and_(is_one, flag))
    assert not is_never_true(graph.or_(graph.and_(is_one, is_two), flag))


# -- the command -------------------------------------------------------------------------------------------------------


def test_export_writes_to_standard_output_and_says_how_it_was_made() -> None:
    command = ["export", "promela", "--scenario", "orphan", "--property", "evictions_are_recorded"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0
    flat = " ".join(result.stdout.replace("\n *", " ").split())
    assert "podproof export promela --version v1.29 --scenario orphan --property evictions_are_recorded" in flat
    assert "claim_evictions_are_recorded" in flat and "claim_terminated_pods_never_restart" not in flat


def test_a_tla_module_has_the_name_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "Orphan.tla"
    result = CliRunner().invoke(main, ["export", "tla", "--scenario", "orphan", "--output", str(file)])
    assert result.exit_code == 0
    assert " MODULE Orphan " in file.read_text()
    assert "SPECIFICATION Spec" in file.with_suffix(".cfg").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["tla", "--output", "or-phan.tla"], "write --output OnePod.tla"),
        (["promela", "--scenario", "all"], "one scenario is exported at a time"),
        (["promela", "--scenario", "one-pot"], "did you mean 'one-pod'?"),
        (["promela", "--output", "/no/such/folder/m.pml"], "give a file that can be written"),
    ],
)
def test_wrong_options_are_told_in_words(options: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["export", *options])
    assert result.exit_code == 2 and message in result.stderr
