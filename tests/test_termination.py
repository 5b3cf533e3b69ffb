"""SIGTERM and SIGHUP end every command as Ctrl-C does: nothing that was found is lost, and nobody is left running."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from podproof.queries.versions import DEFAULT_VERSION

ROOT = Path(__file__).parents[1]
CLAIM = ("--property", "terminated_pods_never_restart")
SEARCH = "podproof.checker.engines.compiled.search.Search._check_limits_and_report"


def ended(
    arguments: tuple[str, ...], at: str, number: int = signal.SIGTERM, when: str = "True", ignored: bool = False
) -> tuple[int, str, str]:
    """What a command does that gets a signal when it calls the function `at`, and `when` is true there."""
    script = f"""
        import os, pkgutil, signal
        from podproof.cli.main import main

        owner, name = "{at}".rsplit(".", 1)
        owner = pkgutil.resolve_name(owner)
        function, sent = getattr(owner, name), []

        def signalled(*args, **kwargs):
            if not sent and ({when}):
                sent.append(os.kill(os.getpid(), {int(number)}))
            return function(*args, **kwargs)

        setattr(owner, name, signalled)
        if {ignored}:
            signal.signal({int(number)}, signal.SIG_IGN)
        main({list(arguments)!r}, prog_name="podproof")
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".src")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda s: str(s.name))
def test_a_search_tells_what_it_has_found(number: int) -> None:
    arguments = ("check", "--scenario", "one-pod", *CLAIM, "--property", "grace_period_only_decreases")
    code, out, _ = ended(arguments, SEARCH, number, "args[0].count > 3_000")
    assert code == 130
    assert re.search(r"KNOWN +grace_period_only_decreases +3 steps", out)
    assert re.search(r"UNKNOWN +terminated_pods_never_restart +not violated so far; interrupted", out)
    assert "Exit code 130: interrupted: this is what was established so far." in " ".join(out.split())


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("engine", "at", "number"),
    [
        ("python", "podproof.checker.engines.python._Search.expand", signal.SIGINT),
        ("symbolic", "podproof.checker.engines.symbolic.SymbolicSearch._expand", signal.SIGTERM),
    ],
)
def test_every_engine_tells_what_it_has_found(engine: str, at: str, number: int) -> None:
    code, out, _ = ended(("check", "--scenario", "orphan", *CLAIM, "--engine", engine), at, number)
    assert code == 130
    assert re.search(r"UNKNOWN +terminated_pods_never_restart +not violated so far; interrupted", out)


@pytest.mark.slow
def test_a_comparison_ends() -> None:
    code, out, errors = ended(("review", "v1.29", "v1.32", "--scenario", "orphan"), SEARCH)
    assert (code, out, errors) == (130, "", "interrupted\n")


@pytest.mark.slow
def test_the_argument_for_many_pods_ends() -> None:
    code, out, errors = ended(("prove", "--pods", "--scenario", "orphan"), "podproof.checker.processes.wait")
    assert (code, out, errors) == (130, "", "interrupted\n")


@pytest.mark.slow
def test_a_proof_ends_with_all_its_processes() -> None:
    """As a service manager does it: the whole group gets the signal."""
    command = ["prove", "--scenario", "one-pod", "--timeout", "100s"]
    with subprocess.Popen(
        [sys.executable, "-m", "podproof.cli.main", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 300
        # One process alone may be the second solver's, which says its version before any proof begins, or look for
        # lemmas; after that one checks what is proved, and one looks for the shortest violations.
        while len(running(process.pid, but=process.pid)) < 2:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGTERM)
        out, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert not errors and re.search(r"UNKNOWN +terminated_pods_never_restart +interrupted", out)
    assert not running(process.pid)


def running(group: int, but: int = 0) -> list[int]:
    """The processes of a group, without one of them."""
    shown = subprocess.run(["ps", "-A", "-o", "pgid=,pid="], capture_output=True, text=True, check=True)
    pairs = (map(int, line.split()) for line in shown.stdout.splitlines())
    return [pid for found, pid in pairs if found == group and pid != but]


@pytest.mark.slow
def test_a_server_ends() -> None:
    at = "werkzeug.serving.BaseWSGIServer.service_actions"
    code, out, errors = ended(("explore", "--no-browser", "--port", "0", "--scenario", "lone-pod"), at)
    assert code == 0 and out.startswith(f"{DEFAULT_VERSION}, scenario lone-pod: http://127.0.0.1:")
    assert errors == "Ctrl-C ends it.\n"


@pytest.mark.slow
def test_a_run_under_nohup_goes_on_when_its_terminal_is_closed() -> None:
    code, out, _ = ended(("check", "--scenario", "orphan", *CLAIM), SEARCH, signal.SIGHUP, ignored=True)
    assert code == 0 and "1 claim: 1 HOLD" in out
