"""Plants one fault after the other and says which test notices it; see `tests.planted`."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from tests.planted.fault import FAULTS, Fault, copy_sources, noticed

QUICK = "not (slow or peers or browser or node or reductions or ray or hunt)"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of names, or parts of files' paths")
    parser.add_argument("--seconds", type=float, default=600, help="for the tests of one fault")
    parser.add_argument("--tests", help="these instead of each fault's own")
    parser.add_argument("--quick", action="store_true", help="without the slow tests, as a run of all")
    given = parser.parse_args()
    chosen = [f for f in FAULTS if not given.names or any(f.name.startswith(n) or n in f.file for n in given.names)]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="planted") as folder:
        copy_sources(Path(folder))
        for fault in chosen:
            started = time.monotonic()
            tests = given.tests or fault.tests
            if given.quick:
                tests += f" -m '{QUICK}'"
            fault = Fault(fault.name, fault.file, fault.text, fault.instead, tests)
            try:
                by = noticed(fault, Path(folder), given.seconds)
            except subprocess.TimeoutExpired as error:
                by = ""
                print(f"after {error.timeout:.0f} s without an answer:")
            except RuntimeError as error:
                by = ""
                print(f"{error}:")
            missed += not by
            spent = time.monotonic() - started
            print(f"{'noticed' if by else 'MISSED '} {spent:4.0f} s  {fault.file}: {fault.name}  {by}", flush=True)
    print(f"{len(chosen)} faults planted, {len(chosen) - missed} noticed, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
