"""A solver that others wrote answers the questions of a proof once more, as text in SMT-LIB 2."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ANSWERS = ("sat", "unsat", "unknown")
GRACE = 5.0
"""Seconds that a program gets beyond its time before it is stopped from outside."""


@dataclass(frozen=True)
class SecondSolver:
    """A solver that is installed."""

    name: str
    """With its version: `Yices 2.6.5`."""
    is_quick: bool
    """Does it need so little of a proof's time that it is asked without being asked for?"""
    ask: Callable[[str, float], str]
    """What it answers to a script within so many seconds: sat, unsat, unknown, or why there is no answer."""


def second_solver() -> SecondSolver | None:
    """The quickest one that is installed."""
    return (
        _program("Yices", "yices-smt2", "--timeout={}", 1, True)
        or _cvc5()
        or _program("cvc5", "cvc5", "--tlimit-per={}", 1000, False)
    )


def _program(name: str, command: str, option: str, per_second: int, is_quick: bool) -> SecondSolver | None:
    """A program on PATH, or beside the Python that runs. `option` takes its time, in parts of a second."""
    path = shutil.which(command) or shutil.which(command, path=sysconfig.get_path("scripts"))
    if path is None:
        return None
    version = re.search(r"\d+(\.\d+)+", _output([path, "--version"], 10.0))
    if version is None:
        return None  # It does not run.

    def ask(script: str, seconds: float) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "question.smt2")
            file.write_text(script, encoding="utf-8")
            limit = option.format(max(1, round(seconds * per_second)))
            return _answer(_output([path, limit, str(file)], seconds + GRACE))

    return SecondSolver(f"{name} {version[0]}", is_quick, ask)


def _output(command: list[str], seconds: float) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "it took too long"
    except OSError as error:
        return f"it cannot be run ({error.strerror})"
    return done.stdout or done.stderr or f"it ended without an answer (exit code {done.returncode})"


def _cvc5() -> SecondSolver | None:
    """The Python package."""
    try:
        version = metadata.version("cvc5")
    except metadata.PackageNotFoundError:
        return None

    def ask(script: str, seconds: float) -> str:
        import cvc5  # It takes a while to load.

        solver = cvc5.Solver(cvc5.TermManager())
        solver.setOption("tlimit-per", str(max(1, round(seconds * 1000))))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
        symbols, said = parser.getSymbolManager(), ""
        while not (command := parser.nextCommand()).isNull():
            said += str(command.invoke(solver, symbols))
        return _answer(said)

    return SecondSolver(f"cvc5 {version}", False, ask)


def _answer(said: str) -> str:
    """The answer, or the first line of what was said instead: an answer after an error counts for nothing."""
    return said.strip() if said.strip() in ANSWERS else said.strip().partition("\n")[0]
