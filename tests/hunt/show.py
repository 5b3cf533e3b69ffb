"""Shows one program, and what every engine says of it: python -m tests.hunt.show SEED [outside]"""

from __future__ import annotations

import sys

from tests.hunt.engines import answers, loaded, oracle
from tests.hunt.intruders import Stranger
from tests.hunt.programs import Program


def main(seed: int, outside: bool) -> None:
    stranger = Stranger(seed) if outside else None
    text = Program(seed, stranger).text
    if stranger is not None:
        text = stranger.placed(text)
    print(text)
    if stranger is not None:
        print(f"# {stranger.kind}: {stranger.text}")
    with loaded(text) as module:
        expected = oracle(module)
        print(f"# CPython: {expected}")
    with loaded(text) as module:
        for name, answer in answers(module, expected, thoroughly=True, peers=False).items():
            print(f"# {name}: {answer.contradicts(expected) or 'the same'} {answer.text}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "outside" in sys.argv)
