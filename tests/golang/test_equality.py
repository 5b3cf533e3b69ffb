"""The theorem that a Go file is the model: decided for every state, with a witness where it is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from tests.command_line import run
from tests.golang.test_translation import WORKER, changed
from tests.two_phase_commit import no_lines

from podproof.checker.core.graph import evaluate
from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import System
from podproof.checker.difference.transitions import Equality, compare_everywhere, equal_without_invariants, in_one_graph
from podproof.checker.lowering import Description, lower_system
from podproof.golang.equality import candidates
from podproof.model.language import Array, Domain, Size, action, make, require
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import go_subject, subject_of, system_of


@pytest.mark.slow
def test_every_function_of_the_go_is_the_model() -> None:
    told = run("review", "v1.29", str(WORKER), "--scenario", "lone-pod", "-v")
    assert told.exit_code == 0, told.output
    assert "27 functions of the Go are EQUAL in every state." in told.stdout
    assert "  theorem     EQUAL: " in told.stdout
    assert re.search(r"^ +EQUAL +27 functions: ", told.stdout, flags=re.MULTILINE)


@pytest.mark.slow
def test_a_function_that_does_something_else_is_named_with_a_state_and_its_line(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(("seconds = 1\n", "seconds = 2\n")), encoding="utf-8")
    told = run("review", "v1.29", str(file), "--scenario", "lone-pod", "-v")
    assert told.exit_code == 0, "nobody asks for 0 s in this scenario"
    assert "12 functions of the Go are EQUAL in every state; " in told.stdout
    assert re.search(r"^ +DIFFERENT 2 functions: podWorkers.UpdatePod \(at ", told.stdout, flags=re.MULTILINE)
    reason = re.search(r"podWorkers.UpdatePod \(at ([^)]*\)[^)]*|[^)]*): another [\w, ]*gracePeriod", told.stdout)
    assert reason is not None and "_" not in reason[0], "the Go's names, and not the model's"
    shown = re.search(
        r"\.gracePeriod: 1 in v1\.29, 2 in the Go  pod_workers\.go:(\d+)$", told.stdout, flags=re.MULTILINE
    )
    assert shown is not None
    assert "status.gracePeriod" in file.read_text(encoding="utf-8").splitlines()[int(shown[1]) - 1]


@pytest.fixture(scope="module")
def systems() -> tuple:
    subjects = subject_of("v1.29", None), go_subject(WORKER, "v1.29")
    return in_one_graph(*(system_of(subject, SCENARIOS["lone-pod"]) for subject in subjects))


@pytest.mark.slow
def test_what_a_step_breaks_is_no_invariant(systems: tuple) -> None:
    second = systems[1]
    working = second.nodes()["pod_sync_statuses[0].working"]
    wrong = {"nobody ever works": second.graph.not_(working), "somebody works": working}
    found = compare_everywhere(systems, {**candidates(second), **wrong}, [])
    assert found.equality is Equality.EQUAL
    assert len(found.invariants) > 50
    assert not wrong.keys() & set(found.invariants)


@pytest.mark.slow
def test_without_invariants_a_state_that_nobody_reaches_shows_a_difference(systems: tuple) -> None:
    found = compare_everywhere(systems, {}, [("is_pod_known_terminated", 0)])
    assert found.equality is Equality.DIFFERENT
    shown = [j.witness for j in found.conclusions if j.equality is Equality.DIFFERENT]
    assert all(witness is not None and witness.move is not None for witness in shown)
    known = candidates(systems[1])
    for witness in shown:
        assert 0 in evaluate(known.values(), systems[1].by_path(witness.state))


@dataclass
class Steps:
    """What is switched on stays so; nothing switches `blocked` on."""

    lit: bool
    open: bool
    blocked: bool
    marks: Annotated[Array[bool], Size("places")]

    @action("somebody", "lights it")
    def light(self) -> None:
        if self.open:
            self.lit = True

    @action("somebody", "opens it")
    def unlock(self) -> None:
        require(self.blocked)
        self.open = True

    @action("somebody", "marks {place}")
    def mark(self, place: Annotated[int, Domain("places")]) -> None:
        self.marks[place] = True


class Forgets(Steps):
    """It does not mark the last place."""

    @action("somebody", "marks {place}")
    def mark(self, place: Annotated[int, Domain("places")]) -> None:
        self.marks[place] = place < 1


def steps(cls: type[Steps]) -> System:
    scope = Scope({"places": 2}, {"places": Values((0, 1))})
    return lower_system(Description(cls, "test", "test", "steps", "", scope, [make(cls, scope.sizes)], no_lines))


def test_what_only_a_dropped_candidate_keeps_is_no_invariant_either() -> None:
    """Nothing lights it while it is shut; but that it stays shut does not follow."""
    pair = in_one_graph(steps(Steps), steps(Steps))
    dark, shut, free = (pair[1].graph.not_(pair[1].nodes()[name]) for name in ("lit", "open", "blocked"))
    assert compare_everywhere(pair, {"dark": dark, "shut": shut}, []).invariants == ()
    every = {"dark": dark, "shut": shut, "free": free}
    assert compare_everywhere(pair, every, []).invariants == ("dark", "shut", "free")


def test_what_is_the_same_in_every_state_needs_no_invariant(systems: tuple) -> None:
    found = equal_without_invariants(in_one_graph(steps(Steps), steps(Steps)), [])
    assert found is not None and found.equality is Equality.EQUAL and found.invariants == ()
    assert {c.name for c in found.conclusions} == {"light", "unlock", "mark"}
    assert equal_without_invariants(in_one_graph(steps(Steps), steps(Forgets)), []) is None
    assert equal_without_invariants(systems, [("is_pod_known_terminated", 0)]) is None


def test_an_action_differs_where_any_choice_of_it_does() -> None:
    found = compare_everywhere(in_one_graph(steps(Steps), steps(Forgets)), {}, [])
    assert {c.name: c.equality for c in found.conclusions} == {
        "light": Equality.EQUAL,
        "unlock": Equality.EQUAL,
        "mark": Equality.DIFFERENT,
    }
