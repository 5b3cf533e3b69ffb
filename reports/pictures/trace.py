"""Pictures of the traces of verdicts: a diagram for every format, and the files of a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from podproof.checker.core.system import Exploration, Status, System, Trace, Verdict
from podproof.reports.pictures.diagram import where
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.life import Life, life_of
from podproof.reports.pictures.life_mermaid import life_mermaid
from podproof.reports.pictures.life_picture import life_dot


@dataclass(frozen=True)
class TraceDiagram:
    """The trace of a verdict as the life of its pods."""

    system: System
    verdict: Verdict
    trace: Trace
    command: str

    @property
    def caption(self) -> Sequence[str]:
        claim = self.verdict.property
        return [
            f"{self.verdict.status.value} {claim.id}: {where(self.system)}",
            claim.meaning,
            f"{self.verdict.length_of(self.trace)}; {self.system.bounds}",
            f"$ {self.command}",
        ]

    @cached_property
    def life(self) -> Life:
        return life_of(self.verdict, self.system, self.trace)

    def dot(self) -> str:
        return life_dot(self.life)

    def mermaid(self) -> str:
        return life_mermaid(self.life, self.caption)


def trace_dot(exploration: Exploration, verdict: Verdict) -> str:
    """A verdict's trace as DOT source; raises ValueError for a verdict without a trace."""
    if verdict.trace is None:
        raise ValueError(f"{verdict.property.id}: there is no trace to draw")
    return life_dot(life_of(verdict, exploration.system, verdict.trace))


def write_trace_pictures(exploration: Exploration, directory: Path) -> list[Path]:
    """Write each violation's trace as DOT and SVG, and say which files; makes the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for verdict in exploration.verdicts:
        if verdict.status is not Status.VIOLATED or verdict.trace is None:
            continue
        system = exploration.system
        stem = re.sub(r"[^\w.-]+", "_", f"{system.version}-{system.scenario}-{verdict.property.id}")
        source = trace_dot(exploration, verdict)
        for suffix, content in ((".dot", source.encode()), (".svg", draw(source, "svg"))):
            path = directory / (stem + suffix)
            path.write_bytes(content)
            written.append(path)
    return written
