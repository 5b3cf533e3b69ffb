"""How a verdict compares with what is known: of a change of a model, with that on the model which it changes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class BaselineState(Enum):
    """What the change does to a claim. It stands for SARIF's new, updated, unchanged and absent."""

    NEW = "NEW"
    """Violated now."""
    CHANGED = "CHANGED"
    """Violated before, too, but not in this way."""
    SUPERSEDED = "SUPERSEDED"
    """Violated on purpose: the change makes another claim in its place."""
    KNOWN = "KNOWN"
    """Violated as it is recorded of the release, or as a team accepts it."""
    INHERITED = "INHERITED"
    """Violated before by the same steps, and in the same part of the claim."""
    MENDED = "MENDED"
    """Violated before, or accepted by a team, and it holds."""


@dataclass(frozen=True)
class Baseline:
    """What a verdict is compared with, and how it compares."""

    version: str
    """The release."""
    state: BaselineState
    reason: str
    is_open: bool = False
    """Whether a limit has left open that an INHERITED claim is violated by other steps, too."""
    is_listed: bool = False
    """Whether a team lists the violation as one that it accepts."""
