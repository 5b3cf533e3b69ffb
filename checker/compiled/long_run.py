"""Runs that take long: saved so that a killed one goes on, and kept on disk where memory does not suffice.

Nothing heavy is loaded here, so that the command line can speak of these things without starting the engine.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from podproof.checker.claims import LoweredProperty
from podproof.checker.system import Exploration, Limits, Progress, System

if TYPE_CHECKING:
    from podproof.checker.compiled.codegen import Program
    from podproof.checker.compiled.layout import Layout


@dataclass(frozen=True)
class LongRun:
    """What a long run needs beyond a short one; nothing of it changes what is found."""

    checkpoint: Path | None = None
    """The folder for checkpoints, with a folder below it for each scenario."""
    every: float = 30.0
    """Seconds between two checkpoints, at least."""
    resume: bool = False
    """Go on from the checkpoint, where there is one."""
    out_of_core: Path | None = None
    """The folder for states that memory has no room for."""
    memory: int | None = None
    """Bytes that the process may use; what is available when None."""

    def folder(self, system: System) -> Path | None:
        """The checkpoint of one scenario."""
        return None if self.checkpoint is None else self.checkpoint / re.sub(r"[^\w.-]+", "-", system.name)


@dataclass(frozen=True)
class Identity:
    """What two searches have in common when one may go on where the other stopped."""

    podproof: str
    system: str
    claims: str
    program: str
    """Checksum of the generated functions, of the packing of states and of the initial states."""


def identity(system: System, properties: Sequence[LoweredProperty], layout: Layout, program: Program) -> Identity:
    """What a search must have in common with another to go on from its checkpoint."""
    fields = [(path, f.word, f.shift, f.bits, f.variable.low) for path, f in layout.fields.items()]
    initial = [layout.pack(state) for state in system.initial]
    parts = (program.text, program.stride, program.bounds, layout.words, fields, initial)
    text = json.dumps([*parts, [action.name for action in system.actions]])
    claims = ", ".join(f"{p.property.id} ({p.property.kind})" for p in properties)
    return Identity(own_version(), system.name, claims, hashlib.sha256(text.encode()).hexdigest())


def own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("podproof")
    except PackageNotFoundError:  # A bare checkout.
        return "unknown"


def explore_long(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    plan: LongRun,
    threads: int | None = None,
) -> Exploration:
    """As `explore`, saved and kept as `plan` says.

    Raises CheckerError where the checkpoint cannot be used; nothing is explored and nothing overwritten then.
    """
    from podproof.checker.compiled import processors
    from podproof.checker.compiled.machine import default_cache
    from podproof.checker.compiled.search import Search

    search = Search(system, properties, keep, limits, default_cache(), threads or processors(), plan)
    search.run(progress)
    return search.result()
