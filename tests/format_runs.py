"""Runs of the command line, each with its results in every format; made once in a process, when a test asks for one."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.command_line import run_v1_29 as run

from podproof.cli.outputs import FORMS

ROOT = Path(__file__).parents[1]
GRACE, NEVER = "grace_period_only_decreases", "terminated_pods_never_restart"
KNOWN = ("check", "--scenario", "one-pod", "--property", GRACE, "--property", NEVER)
VIOLATED = (*KNOWN, "--strict")
UNDECIDED = ("check", "--scenario", "orphan", "--property", NEVER, "--max-states", "100")
_TRACES = str(ROOT / "tests" / "traces" / "lifecycles.jsonl")
RUNS: Mapping[str, tuple[tuple[str, ...], int]] = {
    "violated": (VIOLATED, 1),
    "known": (KNOWN, 0),
    "several": (("check", "--scenario", "one-pod", "--property", GRACE, "--counterexamples", "3", "--strict"), 1),
    "holds": (("check", "--scenario", "orphan", "--property", NEVER), 0),
    "every claim": (("check", "--scenario", "orphan", "--strict"), 1),
    "symbolic": (("check", "--engine", "symbolic", "--scenario", "orphan", "--property", GRACE, "--strict"), 1),
    "undecided": (UNDECIDED, 4),
    "proved": (("prove", "--scenario", "orphan", "--property", NEVER, "--show-invariant"), 0),
    "disproved": (("prove", "--scenario", "orphan", "--property", GRACE, "--strict"), 1),
    "conforms": (("conform", _TRACES), 0),
    "differs": (("conform", _TRACES, "--version", "v1.26"), 1),
    "same": (("review", "v1.29", "v1.29", "--scenario", "orphan"), 0),
    "changed": (("review", "v1.26", "v1.27.0", "--scenario", "orphan", "--exit-on", "difference"), 1),
    "unlike": (("review", "v1.20", "v1.22.0", "--scenario", "orphan", "--exit-on", "difference"), 1),
}
"""Name -> arguments and exit code."""


@functools.cache
def written(name: str) -> Mapping[str, str]:
    """The results of a run in every format."""
    arguments, code = RUNS[name]
    with tempfile.TemporaryDirectory() as folder:
        paths = {form: Path(folder) / form for form in FORMS}
        result = run(*arguments, *(f"--output-file={form}={path}" for form, path in paths.items()))
        assert result.exit_code == code, result.output
        found = {form: path.read_text(encoding="utf-8") for form, path in paths.items()}
    assert found["text"] == result.stdout
    return found
