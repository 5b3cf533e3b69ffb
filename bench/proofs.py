"""What a proof costs by itself, and after one of the version that it changes: `podproof prove` with what that one left.

    python bench/proofs.py [--scenario one-pod …] [--repeat 3] [VERSION CHANGE …]

CHANGE is a file, or the version itself. Prints a table of medians of processor time, all processes together.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

from podproof.queries import prove  # noqa: E402
from podproof.queries.cache import FOLDER  # noqa: E402

EXAMPLES = ROOT / "docs" / "examples"
PAIRS = ("v1.36.3", "v1.36.3", *(part for file in sorted(EXAMPLES.glob("*.py")) for part in ("v1.35", str(file))))


def seconds(subject: str, scenario: str, folder: str) -> float:
    """Of processor time, with the lemmas that are kept in this folder; none are where it is empty."""
    os.environ[FOLDER] = folder
    before = os.times()
    prove(subject, [scenario])
    return sum(after - earlier for after, earlier in zip(os.times()[:4], before[:4], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="VERSION CHANGE", default=PAIRS)
    parser.add_argument("--scenario", action="append", help="default: one-pod")
    parser.add_argument("--repeat", type=int, default=3, help="default: %(default)s")
    options = parser.parse_args()
    if len(options.pairs) % 2:
        parser.error("a version without its change")
    print("| scenario | change | of | s by itself | s after it | times |\n|---|---|---|--:|--:|--:|", flush=True)
    for scenario in options.scenario or ["one-pod"]:
        for version, change in zip(options.pairs[::2], options.pairs[1::2], strict=True):
            alone, after = list[float](), list[float]()
            for _ in range(options.repeat):
                alone.append(seconds(change, scenario, ""))
                with tempfile.TemporaryDirectory() as folder:
                    seconds(version, scenario, folder)
                    after.append(seconds(change, scenario, folder))
            a, b = median(alone), median(after)
            cells = (scenario, Path(change).stem if "/" in change else change, version)
            print(f"| {' | '.join(cells)} | {a:.1f} | {b:.1f} | {a / b:.1f} |", flush=True)


if __name__ == "__main__":
    main()
