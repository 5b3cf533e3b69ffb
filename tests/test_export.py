"""Other checkers find in the exports what podproof finds: the same states, the same violated claims."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bench.peers import Identifiers, breaches
from bench.peers.promela import promela
from bench.peers.tla import tla
from tests.command_line import exported
from tests.command_line import run_v1_29 as run
from tests.corners import CORNERS, corners
from tests.peer_tools import missing_for_spin, missing_for_tlc, spin, tlc
from tests.two_phase_commit import PROPERTIES, STATES, two_phase_commit

from podproof.checker.core import CheckerError
from podproof.checker.core.graph import Graph, Line, consistent, evaluate, leaves_below
from podproof.checker.core.system import Exploration, LoweredProperty, Property, Status, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of

ROOT = Path(__file__).resolve().parents[1]


def needs(missing: str | None) -> Callable[[Any], Any]:
    """Mark a test that starts another checker: left out unless asked for, skipped where the checker is missing."""
    return lambda test: pytest.mark.peers(pytest.mark.skipif(missing is not None, reason=missing or "")(test))


needs_spin = needs(missing_for_spin())
needs_tlc = needs(missing_for_tlc())


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
    made = plan(system, claims, ["slicing", "constants"] if reduce else [])
    return Model(made.system, made.properties, made.keep, Compiled().run(made.system, made.properties, made.keep))


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
@pytest.mark.parametrize("scenario", ["init-then-app", "pre-stop", "slow-api-server"])
def test_spin_agrees_about_containers_one_by_one(scenario: str, tmp_path: Path) -> None:
    assert_spin_agrees(model(*built_in(scenario)), tmp_path)


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
@needs_tlc
def test_a_model_in_which_nothing_can_happen_is_exported(tmp_path: Path) -> None:
    m = model(replace(corners(), transitions=()), CORNERS, reduce=False)
    assert m.explored.states == 1
    assert_spin_agrees(m, tmp_path)
    assert_tlc_agrees(m, tmp_path)


@pytest.mark.slow
def test_an_action_that_spin_would_not_read_is_refused() -> None:
    """Found by the hunt: what is asked of a value many times over is written many times over in a condition."""
    system = corners()
    graph, first = system.graph, system.transitions[0]
    node = graph.variable("total", False, 0, 10)
    for _ in range(9):
        node = graph.ite(graph.lt(node, graph.integer(7)), graph.add(node, graph.integer(1)), graph.sub(node, node))
    long = replace(first, enabled=graph.eq(node, graph.integer(3)))
    with pytest.raises(CheckerError, match=r"corners.py:\d+: swap has a condition of more than 65,000 characters"):
        promela(replace(system, transitions=(long, *system.transitions[1:])), ())


def test_what_a_claim_asks_of_one_value_again_and_again_is_not_spelled_out() -> None:
    """Spelled out it has 2**40 parts; several actions ask it, so it might have got a definition."""
    system = corners()
    graph = system.graph
    flags = [graph.variable(name, True, 0, 1) for name in ("value_1", "is_1")]
    node = graph.variable("value[0]", True, 0, 1)
    for number in range(40):
        node = graph.ite(flags[number % 2], node, graph.not_(node))
    assert leaves_below(node) > 2**40
    claim = LoweredProperty(Property("stays", "step", ""), steps=(node,) * len(system.transitions))
    assert len(promela(system, [claim])) < 50_000


@needs_spin
def test_spin_agrees_about_actions_in_several_inlines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{promela.__module__}._LONGEST", 10_000)
    m = model(*built_in("orphan"))
    assert "inline housekeeping_sync_known_pods_goes_on_2()" in m.promela
    assert_spin_agrees(m, tmp_path)


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
@pytest.mark.parametrize("scenario", ["orphan", "always-restarted", "lost-sandbox"])
def test_tlc_finds_the_same_states_and_claims(scenario: str, tmp_path: Path) -> None:
    system, properties = built_in(scenario)
    violated = model(system, properties).violated
    assert_tlc_agrees(model(system, [p for p in properties if p.id not in violated]), tmp_path)


@needs_tlc
@pytest.mark.parametrize(
    ("claim", "scenario"),
    [
        ("grace_period_only_decreases", "orphan"),  # a step claim, as an action property
        ("grace_period_reaches_the_kill", "orphan"),  # a step claim, as an invariant
        ("complete_sync_finds_a_status", "two-goroutines"),  # never
        ("evictions_are_recorded", "orphan"),  # always
    ],
)
def test_tlc_finds_a_violated_claim_violated(claim: str, scenario: str, tmp_path: Path) -> None:
    m = model(*built_in(scenario, wanted=[claim]))
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


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["static-pair", "two-goroutines", "open-pod"])
def test_every_name_is_defined_once_and_parentheses_are_balanced(scenario: str) -> None:
    system, properties = built_in(scenario)
    claims = lower_properties(system, properties)
    text = re.sub(r"/\*.*?\*/", "", promela(system, claims), flags=re.DOTALL)
    declared = re.findall(r"^(?:hidden )?(?:bool|byte|short|int|unsigned|inline|#define) (\w+)", text, re.MULTILINE)
    assert len(declared) == len(set(declared)) > 100
    module = tla(system, claims).text
    defined = re.findall(r"^(\w+)(?:\([^)]*\))? ==", module, re.MULTILINE)
    defined += re.findall(r"^  (?!TRUE\b)(\w+),?  \\\*", module, re.MULTILINE)
    assert len(defined) == len(set(defined)) > 100
    for code in (text, re.sub(r"\\\*.*", "", module)):
        for opening, closing in ("()", "{}", "[]"):
            assert code.count(opening) == code.count(closing)


def test_each_action_says_where_the_model_defines_it() -> None:
    m = model(*built_in("orphan"))
    for text in (m.promela, tla(m.system, m.claims, m.keep).text):
        for transition in m.system.transitions:
            assert (str(transition.action.line) in text) is (transition.enabled is not m.system.graph.false)


def test_each_assignment_says_which_line_of_the_model_makes_it() -> None:
    m = model(*built_in("orphan"))
    module = tla(m.system, m.claims, m.keep).text
    found = re.findall(r"^ *\w*?(\w+?)(?:_0)* = .*;  /\* (\S+):(\d+) \*/$", m.promela, re.MULTILINE)
    primed = re.findall(r"^ */\\ \w*?(\w+?)(?:_0)*' = .*  \\\* (\S+):(\d+)$", module, re.MULTILINE)
    written = [(name, *at) for name, *at in (*found, *primed) if not re.fullmatch(r"(is|value)_\d+", name)]
    assert len(written) > 500
    for name, file, number in written:
        line = (ROOT / file).read_text().splitlines()[int(number) - 1]
        assert re.search(r" [+-]?= |clear\(", line), f"{file}:{number}"
        # A whole record is copied or cleared, else the field has a name.
        assert re.search(r"clear\(|copy\(| = options$| = update$", line) or name.split("_")[-1] in line, (name, line)


@pytest.mark.slow
def test_no_expression_is_put_down_to_a_line_that_its_action_never_comes_to() -> None:
    m = model(*built_in("orphan"))
    claims = {line for p in m.claims for line in p.source}
    count = 0
    for transition in m.system.transitions:
        lines = {str(line) for line in (*transition.source, *claims)}
        title = f"/* {transition.action.actor}: "
        for block in m.promela.split("\n\n"):
            if block.startswith(title) and f" {transition.action.line} */\ninline" in block:
                found = re.findall(r"/\* (\S+\.py:\d+) \*/", block)
                assert set(found) <= lines
                count += len(found)
    assert count > 300


def test_a_rebuilt_expression_keeps_its_line_and_later_ones_do_not_get_it() -> None:
    graph = Graph()
    x, y = graph.variable("x", False, 0, 3), graph.variable("y", False, 0, 3)
    graph.line = Line("model.py", 7)
    compared = graph.eq(x, graph.integer(2))
    graph.line = None
    (other,) = graph.substitute([compared], {"x": y})
    assert other.line == compared.line == Line("model.py", 7)
    assert graph.line is None and graph.lt(x, y).line is None
    assert built_in("orphan")[0].graph.line is None


def test_an_action_is_asked_only_about_claims_that_it_may_violate() -> None:
    m = model(two_phase_commit(3), PROPERTIES)
    found = {
        transition.action.name: set(asked)
        for transition, asked in zip(m.system.transitions, breaches(m.system, m.claims), strict=True)
    }
    assert found["commit"] == found["abort"] == found["prepare"] == set()  # They are guarded by what the claims ask.
    m = model(corners(), CORNERS, reduce=False)
    asked = [set(asked) for asked in breaches(m.system, m.claims)]
    assert asked == [{"numbers_differ"}, {"numbers_differ", "sums_stay"}, set(), set()]


def test_identifiers_are_given_out_once() -> None:
    names = Identifiers(["init"])
    given = [names.fresh(text) for text in ("a[0].b", "a[0][b]", "init", "9 lives", "…", "...")]
    assert given == ["a_0_b", "a_0_b_2", "init_2", "x9_lives", "x", "x_2"]


def test_an_action_that_is_not_asked_about_a_claim_cannot_violate_it() -> None:
    random, seen = Random(1), set()
    for _ in range(400):
        graph = Graph()
        flags = [graph.variable(name, True, 0, 1) for name in "abc"]
        number = graph.variable("n", False, 0, 2)
        parts = [*flags, *(graph.eq(number, graph.integer(n)) for n in range(3))]
        for _ in range(6):
            one, two, three = (random.choice(parts) for _ in range(3))
            made = [graph.and_(one, two), graph.or_(one, two), graph.not_(one), graph.ite(one, two, three)]
            parts.append(random.choice(made))
        wanted = graph.and_(*random.sample(parts, 4))
        values = (dict(zip("abcn", given, strict=True)) for given in product((0, 1), (0, 1), (0, 1), range(3)))
        is_possible = any(evaluate([wanted], given)[0] for given in values)
        answer = consistent(graph, wanted) is graph.false
        assert not (answer and is_possible)
        seen.add((answer, is_possible))
    assert {(True, False), (False, True)} <= seen


# -- the command -------------------------------------------------------------------------------------------------------


def test_export_writes_to_standard_output_and_says_how_it_was_made() -> None:
    result = exported("promela", "--scenario", "orphan", "--property", "evictions_are_recorded")
    assert result.exit_code == 0
    flat = " ".join(result.stdout.replace("\n *", " ").split())
    assert "bench.peers.export promela --version v1.29 --scenario orphan --property evictions_are_recorded" in flat
    assert "podproof check --version v1.29 --scenario orphan --property evictions_are_recorded --reduce" in flat
    assert "claim_evictions_are_recorded" in flat and "claim_terminated_pods_never_restart" not in flat


def test_without_reductions_every_variable_is_exported() -> None:
    stored = {}
    for switch in ("--reduce", "--no-reduce"):
        text = exported("promela", "--scenario", "orphan", switch).stdout
        stored[switch] = text.partition("/* The state. */")[2].partition("\n\n")[0].count(";")
        assert (" --no-reduce\n" in text) is (switch == "--no-reduce")
    assert stored["--reduce"] < 60 < stored["--no-reduce"]


@pytest.mark.slow
def test_an_export_of_interchangeable_pods_says_that_check_counts_them_once() -> None:
    said = "it counts those that differ by an exchange of pods as one"
    for scenario in ("orphan", "two-pods"):
        text = exported("tla", "--scenario", scenario).stdout
        assert (said in " ".join(text.replace("\n\\*", " ").split())) is (scenario == "two-pods")


@needs_spin
@pytest.mark.parametrize(("version", "scenario"), [("v1.27.0", "static-removed"), ("v1.29", "orphan")])
def test_the_command_in_the_heading_finds_as_many_states_as_spin(version: str, scenario: str, tmp_path: Path) -> None:
    text = exported("promela", "--version", version, "--scenario", scenario).stdout
    (command,) = re.findall(r"^ \* podproof (check .*)$", text, re.MULTILINE)
    (result,) = json.loads(run(*command.split(), "-o", "json").stdout)["results"]
    found = spin(text, tmp_path, go_on=True)
    assert found.states == result["states"]
    violated = {p["id"] for p in result["properties"] if p["status"] == "VIOLATED"}
    assert {name.removeprefix("claim_") for name in found.violated} == violated


def test_a_tla_module_has_the_name_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "Orphan.tla"
    result = exported("tla", "--scenario", "orphan", "--output", str(file))
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
    result = exported(*options)
    assert result.exit_code == 2 and message in result.stderr
