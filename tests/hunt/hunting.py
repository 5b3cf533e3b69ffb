"""One program through everything: what is found, what is refused and why."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.hunt.answers import Answer
from tests.hunt.engines import answers, loaded, oracle
from tests.hunt.plain_search import Endless


@dataclass(frozen=True)
class Outcome:
    """`kind`: agreed, refused, endless, or FOUND, which is what one hunts for."""

    kind: str
    text: str = ""
    answers: int = 0


def hunt(text: str, thoroughly: bool = False, peers: bool = False, inside: bool = True) -> Outcome:
    """Compare what everybody says of a program. One `inside` the language must run in CPython."""
    ast.parse(text)
    try:
        with loaded(text) as module:  # For the oracle alone, so that nobody sees what it does to the classes.
            expected = oracle(module)
        with loaded(text) as module:
            found = answers(module, expected, thoroughly, peers)
    except Endless:
        return Outcome("endless")
    except Exception as error:
        if inside:
            raise
        return Outcome("broken", f"{type(error).__name__}: {error}")
    return _judged(expected, found)


def _judged(expected: Answer, found: Mapping[str, Answer]) -> Outcome:
    if (refusal := found.get("lowering")) is not None and refusal.kind == "refused":
        if not re.match(r"[^\n]*\.py:\d+: ", refusal.text):
            return Outcome("FOUND", f"a refusal without its line: {refusal.text}")
        return Outcome("refused", refusal.text)
    wrong = {}
    for name, answer in found.items():
        if answer.kind == "declined" and name not in ("python", "graph"):
            continue
        if difference := answer.contradicts(expected):
            wrong[name] = difference
    if wrong:
        return Outcome("FOUND", "\n".join(f"{name} says {what}" for name, what in wrong.items()))
    declined = "; ".join(sorted({a.text for a in found.values() if a.kind == "declined"}))
    return Outcome("agreed", declined, len(found))
