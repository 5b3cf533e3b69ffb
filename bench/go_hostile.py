"""Mutate Go files and translate them: each ends as a translation or as a refusal, soon and in little memory.

    python bench/go_hostile.py [FILE.go …] [--count 20000] [--seed 1]

Without files it takes the pod worker that the tests have. A mutant drops, repeats, exchanges or swaps pieces of the
text, a word, a line or a bracket at a time. Exit code 1 when one raised anything else or took over
--seconds of processor time, which is then written to --keep, or when the process came to need more than 1 GiB.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from podproof.checker.core import CheckerError
from podproof.golang.module import FileTranslation
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_32

WORKER = Path(__file__).resolve().parent.parent / "tests" / "golang" / "pod_workers.go"
WORDS = re.compile(r"\w+|\s+|[^\w\s]")
SPICES = (
    "",
    "nil",
    "&",
    "*",
    "<-",
    "!",
    "0",
    "-1",
    "p",
    "options",
    "{",
    "}",
    "(",
    ")",
    "\x00",
    "\u2028",
    "é",
    "go ",
    "defer ",
)
MOST_KIB = 1 << 20


def mutant(text: str, luck: random.Random) -> str:
    """One to four changes of a text; most only put one name in the place of another, which leaves it Go."""
    for _ in range(luck.randint(1, 4)):
        if luck.random() < 0.6:
            pieces = WORDS.findall(text)
            names = [number for number, piece in enumerate(pieces) if piece.isidentifier()]
            if names:
                pieces[luck.choice(names)] = pieces[luck.choice(names)]
            text = "".join(pieces)
            continue
        pieces = WORDS.findall(text) if luck.random() < 0.7 else text.splitlines(keepends=True)
        if len(pieces) < 3:
            return text
        at, other = luck.randrange(len(pieces)), luck.randrange(len(pieces))
        match luck.randrange(6):
            case 0:
                del pieces[at : at + luck.randint(1, 3)]
            case 1:
                pieces[at] = pieces[other]
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces.insert(at, luck.choice(SPICES))
            case 4:
                pieces[at] = luck.choice(SPICES)
            case 5:
                pieces.insert(at, pieces[at] * luck.choice((1, 1, 2, 300)))
        text = "".join(pieces)
    return text


def judge(text: str) -> str:
    """How a mutant ends."""
    try:
        FileTranslation(parse(text.encode(), WORKER), worker_vocabulary()).make(V1_32)
    except CheckerError:
        return "refused"
    return "translated"


def too_long(*_: object) -> None:
    raise TimeoutError


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="*", type=Path, default=[WORKER])
    options.add_argument("--count", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=int, default=30)
    options.add_argument("--keep", type=Path, default=Path("hostile"))
    given = options.parse_args()
    luck, ends, slowest = random.Random(given.seed), Counter[str](), 0.0
    texts = [file.read_text(encoding="utf-8") for file in given.files]
    signal.signal(signal.SIGVTALRM, too_long)
    for number in range(given.count):
        text = mutant(luck.choice(texts), luck)
        start = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, given.seconds)
        try:
            end = judge(text)
        except Exception as error:
            end = f"{type(error).__name__}: {error}"[:60]
            given.keep.mkdir(exist_ok=True)
            (given.keep / f"{number}.go").write_text(text, encoding="utf-8")
            (given.keep / f"{number}.txt").write_text(traceback.format_exc(), encoding="utf-8")
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest = max(slowest, time.process_time() - start)
        ends[end] += 1
        for name in [name for name in sys.modules if name.startswith("podproof_go_")]:
            del sys.modules[name]
        if number % 100 == 99:
            print(number + 1, dict(ends), f"slowest {slowest:.1f} s", f"{peak() >> 10} MiB", flush=True)
    print(given.count, dict(ends), f"slowest {slowest:.1f} s", f"{peak() >> 10} MiB")
    return int(bool(ends.keys() - {"refused", "translated"}) or peak() > MOST_KIB)


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
