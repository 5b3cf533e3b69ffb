"""What somebody says of a program, in a form in which everybody's answers can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    """`kind`: explored, fault (the model goes wrong), refused (by the lowering), declined (by an engine), or error."""

    kind: str
    text: str = ""
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    verdicts: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)
    """Claim -> holds or violated, and the length of the shortest trace that shows it."""
    bounds: Mapping[str, int] | None = None
    taken: Mapping[str, int] | None = None

    def contradicts(self, other: Answer) -> str:
        """Where two answers differ; empty where they do not. What one of them does not say is no difference."""
        if self.kind != other.kind:
            return f"{self.kind} {self.text} at depth {self.depth}, not {other.kind} {other.text} at {other.depth}"
        for name in ("states", "transitions", "depth"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if None not in (mine, theirs) and mine != theirs:
                return f"{name}: {mine}, not {theirs}"
        for claim, verdict in self.verdicts.items():
            if claim in other.verdicts and verdict != other.verdicts[claim]:
                return f"{claim}: {verdict}, not {other.verdicts[claim]}"
        for name in ("bounds", "taken"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if None not in (mine, theirs) and dict(mine) != dict(theirs):
                return f"{name}: {mine}, not {theirs}"
        return ""
