"""podproof beside SPIN and TLC on the same transition systems: one table.

Run it from the project's root: `python bench/compare.py`, or with names of models: a scenario, or `2pc-8` for two-phase
commit with 8 managers. The pod worker is exported by podproof, with the claims that hold, so that nobody stops early;
two-phase commit is written by hand for each checker (bench/peers), and exported besides. Each is run several times in
processes of their own, and the median of each phase is shown.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

from bench.peers.promela import promela  # noqa: E402
from bench.peers.tla import tla  # noqa: E402
from tests.peer_tools import (  # noqa: E402
    Finding,
    PeerFailed,
    last_lines,
    missing_for_spin,
    missing_for_tlc,
    run,
    spin,
    tlc,
    tlc_jar,
)
from tests.two_phase_commit import PROPERTIES, two_phase_commit  # noqa: E402

from podproof.checker.core.system import Limits, Property, Status, System  # noqa: E402
from podproof.checker.engines.compiled import Compiled  # noqa: E402
from podproof.checker.engines.compiled.search import Search  # noqa: E402
from podproof.checker.lowering.claims import lower_properties  # noqa: E402
from podproof.checker.reductions import Plan, plan  # noqa: E402
from podproof.model.scenarios import SCENARIOS  # noqa: E402
from podproof.queries.build import properties_of, subject_of, system_of  # noqa: E402

_MODELS = ("orphan", "one-pod", "static-pair", "2pc-8")
_SMALLEST = "2pc-3"
_PHASES = ("generate", "compile", "search")
_TITLES = (
    *("model", "checker", "states", "generate s", "compile s", "search s", "total s"),
    *("M states/s", "peak MiB", "bytes/state", "times podproof's total", "times its search"),
)
_Run = Callable[[Path], Finding]


@dataclass(frozen=True)
class Subject:
    """A model and the claims that hold in it, without what never changes or matters to no claim: for all checkers."""

    name: str
    claims: tuple[str, ...]
    plan: Plan
    states: int

    @property
    def managers(self) -> int | None:
        return int(self.name.removeprefix("2pc-")) if self.name.startswith("2pc-") else None


def build(name: str) -> tuple[System, tuple[Property, ...]]:
    """A model by its name, with all its claims."""
    if name.startswith("2pc-"):
        return two_phase_commit(int(name.removeprefix("2pc-"))), PROPERTIES[:1]
    subject = subject_of("v1.29", None)
    return system_of(subject, SCENARIOS[name]), properties_of(subject, SCENARIOS[name])


def reduced(name: str, claims: Sequence[str] | None = None) -> Plan:
    """The model with these claims, or all of them, and only with variables that change and matter."""
    system, properties = build(name)
    wanted = [p for p in properties if claims is None or p.id in claims]
    return plan(system, lower_properties(system, wanted), {"slicing", "constants"})


def subject(name: str) -> Subject:
    """The model with those of its claims that hold, found out by exploring it."""
    everything = reduced(name)
    found = Compiled().run(everything.system, everything.properties, everything.keep)
    holding = [v.property.id for v in found.verdicts if v.status is Status.HOLDS and v.property.kind != "sometimes"]
    kept = reduced(name, holding)
    return Subject(name, tuple(holding), kept, Compiled().run(kept.system, kept.properties, kept.keep).states)


# -- podproof ----------------------------------------------------------------------------------------------------------


def explore_once(name: str, claims: Sequence[str], threads: int) -> None:
    """What the process for podproof does: everything from reading the model on, and prints what it took as JSON."""
    started = time.perf_counter()
    given = reduced(name, claims)
    built = time.perf_counter()
    search = Search(given.system, given.properties, given.keep, Limits(), threads)
    compiled = time.perf_counter()
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # The peak is reckoned anew from here.
    begun = time.perf_counter()
    search.run(None)
    found = search.result()
    seconds = dict(zip(_PHASES, (built - started, compiled - built, time.perf_counter() - begun), strict=True))
    violated = [v.property.id for v in found.verdicts if v.status is not Status.HOLDS]
    grown = _memory("VmHWM") - before
    print(json.dumps({"states": found.states, "violated": violated, "seconds": seconds, "grown": grown}))


def _memory(what: str) -> int:
    """Bytes that the system says of this process."""
    line = next(line for line in _lines("/proc/self/status") if line.startswith(what))
    return int(line.split()[1]) * 1024


def podproof(subject: Subject, threads: int, folder: Path) -> Finding:
    claims = ",".join(subject.claims)
    command = [sys.executable, str(Path(__file__)), "--once", subject.name, claims, str(threads)]
    done = run(command, folder)
    if not done.output.startswith("{"):
        raise PeerFailed(f"podproof: {last_lines(done.output)}")
    found = json.loads(done.output)
    seconds = found["seconds"]
    seconds["generate"] = done.seconds - seconds["compile"] - seconds["search"]
    return Finding(found["states"], frozenset(found["violated"]), seconds, done.peak_bytes, found["grown"])


# -- the others --------------------------------------------------------------------------------------------------------


def checkers(subject: Subject, limit: float, processors: int) -> Iterator[tuple[str, _Run]]:
    """Every checker by the name that the table gives it, the one that others are compared with first."""
    yield f"podproof, {processors} threads", partial(podproof, subject, processors)
    yield "podproof, 1 thread", partial(podproof, subject, 1)
    plan = subject.plan
    measure = partial(spin, states_expected=subject.states, limit=limit)
    exported = promela(plan.system, plan.properties, plan.keep)
    kind = "" if subject.managers is None else ", exported"
    yield f"SPIN depth first{kind}", partial(measure, exported)
    yield f"SPIN breadth first{kind}", partial(measure, exported, breadth_first=True)
    if subject.managers is not None:
        text = (ROOT / "bench/peers/two_phase_commit.pml").read_text()
        defines = [f"-DN={subject.managers}"]
        yield "SPIN depth first, by hand", partial(measure, text, defines=defines)
        yield "SPIN breadth first, by hand", partial(measure, text, breadth_first=True, defines=defines)
    module = tla(plan.system, plan.properties, plan.keep, name="Exported")
    check = partial(tlc, workers=processors, limit=limit)
    workers = f"TLC, {processors} workers"
    yield f"{workers}{kind}", partial(check, module.name, module.text, module.configuration)
    if subject.managers is not None:
        text = (ROOT / "bench/peers/TwoPhaseCommit.tla").read_text()
        names = ", ".join(f"r{i}" for i in range(subject.managers))
        configuration = f"CONSTANT RM = {{{names}}}\nSPECIFICATION Spec\nINVARIANT Consistent\n"
        yield f"{workers}, by hand", partial(check, "TwoPhaseCommit", text, configuration)


def missing(checker: str) -> str | None:
    """Why a checker cannot run here."""
    return {"SPIN": missing_for_spin, "TLC,": missing_for_tlc}.get(checker.split()[0], lambda: None)()


def median_of(checker: _Run, runs: int) -> Finding:
    """The median of several runs, phase by phase. All of them have to find the same."""
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            found.append(checker(Path(folder)))
    seconds = {phase: statistics.median_low(f.seconds[phase] for f in found) for phase in found[0].seconds}
    peak = statistics.median_low(f.peak_bytes for f in found)
    return replace(found[-1], seconds=seconds, peak_bytes=peak)


def total(found: Finding) -> float:
    return sum(found.seconds.values())


# -- the table ---------------------------------------------------------------------------------------------------------


def rows(
    subject: Subject, runs: int, limit: float, idle: Mapping[str, int], wanted: tuple[str, ...]
) -> Iterator[tuple[list[str], bool]]:
    """A line for each checker, and whether it found what podproof finds."""
    first: Finding | None = None
    for name, checker in checkers(subject, limit, os.cpu_count() or 1):
        if not name.startswith(wanted):
            continue
        reason = missing(name)
        try:
            if reason is not None:
                raise PeerFailed(reason)
            found = median_of(checker, runs)
        except PeerFailed as error:
            yield [subject.name, name, str(error), *[""] * (len(_TITLES) - 3)], True
            continue
        first = first or found
        agrees = found.states == subject.states and not found.violated
        search = found.seconds["search"]
        taken = max(0, memory(found) - idle.get(family(name), 0))
        phases = [f"{found.seconds[phase]:.2f}" if phase in found.seconds else "" for phase in _PHASES]
        ratios = [total(found) / total(first), search / first.seconds["search"]]
        numbers = [f"{total(found):.2f}", f"{found.states / search / 1e6:.3f}", f"{found.peak_bytes / 2**20:.0f}"]
        numbers += [f"{taken / found.states:.0f}", *(f"{ratio:.1f}" for ratio in ratios)]
        yield [subject.name, name, f"{found.states:,}", *phases, *numbers], agrees


def memory(found: Finding) -> int:
    """Bytes that a search took; of a checker that does not tell, all that its process had."""
    return found.peak_bytes if found.search_bytes is None else found.search_bytes


def family(checker: str) -> str:
    """Checkers that need the same memory before they have stored a state."""
    return checker.split(", exported")[0].split(", by hand")[0]


def idle_memory(limit: float, wanted: tuple[str, ...]) -> dict[str, int]:
    """What each checker takes for a model of 288 states, which is taken off before bytes a state are reckoned."""
    found = {}
    for name, checker in checkers(subject(_SMALLEST), limit, os.cpu_count() or 1):
        if name.startswith(wanted) and missing(name) is None and family(name) not in found:
            found[family(name)] = memory(median_of(checker, 1))
    return found


def machine() -> str:
    """Date, processor and the versions of the tools."""
    model = next((line for line in _lines("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    parts = [f"{datetime.date.today()}", f"{os.cpu_count()} x {model.partition(':')[2].strip() or platform.machine()}"]
    parts += [platform.system(), f"Python {platform.python_version()}"]
    if missing_for_spin() is None:
        parts.append(subprocess.run(["spin", "-V"], capture_output=True, text=True).stdout.strip())
    if missing_for_tlc() is None:
        command = ["java", "-cp", str(tlc_jar()), "tlc2.TLC", "-h"]
        text = subprocess.run(command, capture_output=True, text=True).stdout
        parts.append(next((line.strip() for line in text.splitlines() if "Version" in line), "TLC"))
    return "; ".join(parts)


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def main() -> int:
    """Print the table as Markdown; the exit code is 1 when checkers disagree."""
    if sys.argv[1:2] == ["--once"]:
        name, claims, threads = sys.argv[2:]
        explore_once(name, claims.split(","), int(threads))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", default=_MODELS, help=f"default: {' '.join(_MODELS)}")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--checkers", default="podproof,SPIN,TLC", help="only these: %(default)s")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds after which a search is given up")
    options = parser.parse_args()
    wanted = tuple(options.checkers.split(","))
    idle = idle_memory(options.limit, wanted)
    print(f"{machine()}; median of {options.runs}\n")
    print(f"| {' | '.join(_TITLES)} |\n|{'|'.join(['---', '---', *['--:'] * (len(_TITLES) - 2)])}|")
    wrong = []
    for name in options.models:
        for cells, agrees in rows(subject(name), options.runs, options.limit, idle, wanted):
            print(f"| {' | '.join(cells)} |", flush=True)
            wrong += [] if agrees else [cells]
    for cells in wrong:
        print(f"{cells[0]}: {cells[1]} found {cells[2]} states or a violated claim: it disagrees", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
