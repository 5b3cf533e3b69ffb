"""A small program around a few lines of a model."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent

from tests.hunt.programs import HEAD

_PROGRAM = """{head}
Count = Annotated[int, Domain("counts")]
SIZES = {{"two": 2, "three": 3}}
Maybe = Annotated[int, Domain("maybes", default=NIL)]
DOMAINS = {{"counts": Values((0, 1, 2, 3)), "maybes": Values((NIL, 0, 3), {{NIL: "nil"}})}}
LIMIT = 2


@dataclass
class Options:
    on: bool = False
    seconds: Count = 0


@dataclass
class Box:
    cells: Annotated[Array[Count], Size("two")]
    n: Count = 0
{before}

@dataclass
class Model:
    i: Count
    nums: Annotated[Array[Count], Size("three")]
    opts: Options
    boxes: Annotated[Array[Box], Size("two")]
    box: Box
{model}
{after}

def claim(state: Model) -> bool:
    return {claim}


def initial_states():
    return [make(Model, SIZES)]


CLAIMS = [("claim", "always", claim, (), "")]
"""


@dataclass(frozen=True)
class Found:
    """A program around some lines of a model; `expected` says whether it is refused, or answered as CPython does."""

    name: str
    expected: str
    claim: str
    model: str
    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        return _PROGRAM.format(
            head=HEAD, model=indent(self.model, "    "), claim=self.claim, before=self.before, after=self.after
        )
