"""How a claim fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podproof.checker.core.graph import Line


@dataclass(frozen=True)
class FailingPart:
    """The part of a violated claim that is false, in the words of the claim's source."""

    text: str
    """What would have to hold: `new.grace_period <= old.grace_period`."""
    shown: str
    """The same with the values put in: `30 <= 5`, or `both 30`; empty where that says no more."""
    bound: Mapping[str, str | int | bool]
    """The loop variables, outermost first, with what they are: for which pod the part is false."""
    where: tuple[str, ...]
    """What holds at the same time, so that the part has to hold: `old.grace_period > 0 (5 > 0)`."""
    because: tuple[str, ...]
    """Why a function that the part calls answers as it does; empty where the part calls none, or it is long."""
    values: Mapping[str, str | int | bool]
    """The value of each name, field and call in the part and in what holds at the same time."""
    line: Line
    """Where the part stands; for a `never` claim, the model's line that was reached."""
    reads: tuple[str, ...] = ()
    """The paths of the fields that the part reads."""
    reads_beside: tuple[str, ...] = ()
    """Those that `where` and `because` read."""


@dataclass(frozen=True)
class ClaimFailure:
    """How a claim fails at the end of a trace."""

    sentence: str
    """In the claim's own words, with the values put in; empty where it has none."""
    part: FailingPart | None
    """The part of the claim that is false; None where it has no such part."""
