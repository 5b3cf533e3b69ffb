"""`--watch` runs the same command once more each time that files were saved."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click

from podproof.checker.core.system import Limits
from podproof.checker.decide import Checker
from podproof.checker.engines import DEFAULT_ENGINE, engine
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.processes import CAN_FORK
from podproof.checker.reductions import REDUCTIONS
from podproof.cli.options import go_files, matching
from podproof.cli.streams import say
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of
from podproof.queries.identity import State, loaded, sources
from podproof.queries.saves import Saves
from podproof.queries.versions import DEFAULT_VERSION

WATCH = "--watch"
_SECONDS = 0.1
"""So often it is looked whether a file was saved."""
_GRACE = 1.0
"""Seconds that a check has to end after Ctrl-C, which a terminal sends to it, too."""


def watchable(command: Callable[..., int]) -> Callable[..., int]:
    """Give --watch its meaning to a command that has files among its options: run it now, and after each save.

    Each run is a process forked from this one, which has loaded what every run needs, and nothing of the files.
    """

    @functools.wraps(command)
    def run(*args: Any, watch: bool, **given: Any) -> int:
        if not watch:
            return command(*args, **given)
        files = [*matching(given["models"]), *go_files(given["goes"]), *given["claim_files"]]
        if not files:
            message = f"{WATCH}: there is no file that may change; give one with --model, --go or --claims"
            raise click.UsageError(message)
        return _watch(files)

    return run


def _watch(files: Sequence[Path]) -> int:
    """Run this process's command without --watch, now and after each save, until Ctrl-C; the last exit code."""
    _prepare()
    saves, code = Saves(files), None
    try:
        while True:
            if saves.is_new() or code is None:  # At first also where there is no file, which is an error.
                code, imported = _run_once()
                saves.follow(imported)
                say(f"watching {', '.join(map(str, files))}; Ctrl-C ends it")
            time.sleep(_SECONDS)
    except KeyboardInterrupt:
        return code or 0


def _prepare() -> None:
    """Load, and compile, what each check would. Leaves no thread, so that this process can be forked."""
    sources()  # What a finding is kept under is what was loaded.
    subject, scenario = subject_of(DEFAULT_VERSION, None), SCENARIOS["lone-pod"]
    system = system_of(subject, scenario)
    claims = lower_properties(system, properties_of(subject, scenario))
    Checker(system, engine(DEFAULT_ENGINE), tuple(REDUCTIONS)).decide(claims, Limits(max_states=1))


def _run_once() -> tuple[int | None, Mapping[Path, State]]:
    """Its exit code, and the files that it has loaded."""
    if not CAN_FORK:
        command = [sys.executable, *(part for part in sys.orig_argv[1:] if part != WATCH)]
        return subprocess.run(command, check=False).returncode, {}
    context = click.get_current_context().find_root()
    arguments = [part for part in sys.argv[1:] if part != WATCH]
    main = functools.partial(context.command.main, arguments, context.info_name)
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_run, args=(main, theirs))
    process.start()
    theirs.close()
    imported: Mapping[Path, State] = {}
    try:
        with contextlib.suppress(EOFError):
            imported = ours.recv()
        process.join()
    except KeyboardInterrupt:
        process.join(_GRACE)
        process.terminate()
        process.join()
        raise
    return process.exitcode, imported


def _run(main: Callable[[], object], connection: Connection) -> None:
    """What a process does: it says at the end which files it has loaded."""
    try:
        main()
    finally:
        connection.send(loaded)
