"""The command line, run in this process."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import click
from bench.peers.export import export
from click.testing import CliRunner, Result

from podproof.cli.main import main
from podproof.queries.explaining import LISTS
from podproof.queries.versions import DEFAULT_VERSION

_NEWEST = (DEFAULT_VERSION, (DEFAULT_VERSION,))
"""As an option has it that takes one version, or several."""


def run(*arguments: str) -> Result:
    """What `podproof` with these arguments writes, and its exit code."""
    return CliRunner().invoke(main, arguments)


def run_or_export(*arguments: str) -> Result:
    """The same; where the first argument is `export`, of `python -m bench.peers.export` with the others."""
    return CliRunner().invoke(export, arguments[1:]) if arguments[0] == "export" else run(*arguments)


def run_v1_29(*arguments: str) -> Result:
    """The same about kubelet 1.29, where the arguments name no other: its faults have been seen to be real."""
    command = main.get_command(click.Context(main), arguments[0])
    of_newest = command is not None and any(param.default in _NEWEST for param in command.params)
    depends = arguments[0] != "explain" or arguments[1] in LISTS
    if of_newest and depends and not {"--version", "--model", "--go"} & set(arguments):
        arguments = (arguments[0], "--version", "v1.29", *arguments[1:])
    return run(*arguments)


def mypy_strict(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    """What `mypy --strict` says of files in a folder that use podproof."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def wait_for_answers(process: subprocess.Popen[str], folder: Path, count: int) -> None:
    """Return once a process that keeps its answers in a folder, and goes on, has kept so many there."""
    deadline = time.monotonic() + 300
    while not folder.exists() or len(list(folder.iterdir())) < count:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)


def exported(language: str, *arguments: str) -> Result:
    """What `python -m bench.peers.export` writes of kubelet 1.29, where the arguments name no other."""
    version = () if "--version" in arguments else ("--version", "v1.29")
    return run_or_export("export", language, *version, *arguments)
