"""A search that has less memory than its states take: one row of a table, with what the system says it used.

Run it from the project's root, with a model and a limit: `python bench/out_of_core.py 2pc-10 --memory 2GiB`. The model
is two-phase commit with so many managers, with its claims. States go to files in `--folder`, a temporary one by
default, which needs room for them: two-phase commit with 10 managers takes some 2 GiB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

import click  # noqa: E402
from tests.two_phase_commit import PROPERTIES, two_phase_commit  # noqa: E402

from podproof.checker.engines import LongRun  # noqa: E402
from podproof.checker.engines.compiled import Compiled, processors  # noqa: E402
from podproof.checker.lowering.claims import lower_properties  # noqa: E402
from podproof.commands.line.long_run import size  # noqa: E402

_TITLES = ("model", "threads", "allowed MiB", "peak MiB", "states", "known states", "seconds", "M states/s")


def known_states(managers: int) -> int:
    """The reachable states of two-phase commit; this gives every number that others have counted."""
    return int(6**managers + 4**managers + 2**managers)


def peak_memory() -> int:
    """The most bytes of memory that this process ever had, as the system says."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux reckons in ru_maxrss what the process had that started this one.
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main() -> int:
    """Print the row; the exit code is 1 when states are missing or more memory was used than allowed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", help="2pc-N: two-phase commit with N managers")
    parser.add_argument("--memory", default="2GiB", help="for the whole process; default: %(default)s")
    parser.add_argument("--folder", type=Path, help="where states are kept; default: a temporary folder")
    parser.add_argument("--threads", type=int, default=processors(), help="default: %(default)s")
    options = parser.parse_args()
    kind, _, number = options.model.partition("-")
    if kind != "2pc" or not number.isdecimal():
        parser.error(f"{options.model!r} is no model; write 2pc-9 or 2pc-10")
    managers = int(number)
    try:
        memory = size(click.Context(click.Command("out_of_core")), click.Option(["--memory"]), options.memory)
    except click.BadParameter as error:
        parser.error(error.message)
    system = two_phase_commit(managers)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        plan = LongRun(out_of_core=Path(folder), memory=memory)
        started = time.perf_counter()
        found = Compiled(options.threads, plan).run(system, lower_properties(system, PROPERTIES))
        seconds = time.perf_counter() - started
    peak, allowed = peak_memory(), memory or 0
    cells = (
        *(options.model, f"{options.threads}", f"{allowed >> 20:,}", f"{peak >> 20:,}", f"{found.states:,}"),
        *(f"{known_states(managers):,}", f"{seconds:.0f}", f"{found.states / seconds / 1e6:.2f}"),
    )
    print(f"| {' | '.join(_TITLES)} |\n|{'|'.join(['---', *['--:'] * (len(_TITLES) - 1)])}|\n| {' | '.join(cells)} |")
    if found.states != known_states(managers):
        print(f"{options.model}: {found.reason or 'the engine is wrong'}", file=sys.stderr)
        return 1
    if peak > allowed:
        print(f"{options.model}: more memory was used than allowed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
