"""Runs that take long: saved so that a killed one goes on, and kept on disk where memory does not suffice.

Nothing heavy is loaded here, so that the command line can speak of these things without starting the engine.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podproof.checker.core.system import CheckerError, LoweredProperty, System

if TYPE_CHECKING:
    from podproof.checker.engines.compiled.codegen import Program
    from podproof.checker.engines.compiled.layout import Layout

_OWN = __name__.partition(".")[0]


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
class Point:
    """Where a search stood; the states themselves are not in here."""

    count: int
    cursor: int
    depth: int
    seconds: float
    finished: bool
    arrays: Mapping[str, Any]


class NotSaved(CheckerError):
    """A save failed; what was saved before is as it was."""


@dataclass(frozen=True)
class Identity:
    """What two searches have in common when one may go on where the other stopped."""

    podproof: str
    system: str
    claims: str
    program: str
    """Checksum of the generated functions, of the packing of states and of the initial states."""
    text: str
    """Checksum of the files of the model, of the claims and of podproof itself, whose version may stay the same."""


def identity(system: System, properties: Sequence[LoweredProperty], layout: Layout, program: Program) -> Identity:
    """What a search must have in common with another to go on from its checkpoint."""
    fields = [(path, f.word, f.shift, f.bits, f.variable.low) for path, f in layout.fields.items()]
    initial = [layout.pack(state) for state in system.initial]
    parts = (program.text, program.stride, program.bounds, layout.words, fields, initial)
    text = json.dumps([*parts, [action.name for action in system.actions]])
    claims = ", ".join(f"{p.property.id} ({p.property.kind})" for p in properties)
    return Identity(
        own_version(), system.name, claims, _checksum([text.encode()]), _checksum(_files(system, properties))
    )


def _checksum(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _files(system: System, properties: Sequence[LoweredProperty]) -> list[bytes]:
    """What the model, the claims and podproof are written in: a part of podproof as a whole, of others single files."""
    things = [*system.shape.cls.__mro__, *(p.property.function for p in properties), Identity]
    files: set[Path] = set()
    for name in {str(getattr(thing, "__module__", "")) for thing in things}:
        if name.startswith(f"{_OWN}."):
            (folder,) = sys.modules[".".join(name.split(".")[:2])].__path__
            files.update(path for kind in ("*.py", "*.ll") for path in Path(folder).resolve().rglob(kind))
        elif name.partition(".")[0] not in sys.stdlib_module_names:
            file = getattr(sys.modules.get(name), "__file__", None)
            files.update([] if file is None else [Path(file).resolve()])
    return [file.read_bytes() for file in sorted(files)]


def own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("podproof")
    except PackageNotFoundError:  # A bare checkout.
        return "unknown"
