"""From LLVM's language to machine code in memory, kept on disk between runs."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache as remember
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

OPTIMIZATION = 1
"""LLVM's level for choosing instructions."""

_PASSES = ("sroa", "instruction_combine", "simplify_cfg")
"""What is worth its time on straight code from a graph without equal nodes.

Measured on a model of 10,000 lines of LLVM: these 0.1 s, LLVM's own level 1 or 2 0.7 s, for the same speed; none at
all makes the search 1.3 times slower.
"""
_THOROUGH = 2
"""LLVM's own level for loops that serve every model."""

MOST_ENTRIES = 256
"""How many modules are kept; one is some tens of kilobytes."""


@dataclass(frozen=True)
class Code:
    """Machine code of a module; lives as long as this object."""

    engine: Any
    from_cache: bool

    def address(self, name: str) -> int:
        return int(self.engine.get_function_address(name))


def default_cache() -> Path | None:
    """Where machine code is kept: a folder of the user's own, since what lies there is executed; None without one."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):  # Any other is to be ignored, says the XDG Base Directory Specification.
        return Path(given) / "podproof"
    try:
        return Path.home() / ".cache" / "podproof"
    except RuntimeError:  # A container may run as a user whom nobody knows.
        return None


def compile_module(
    text: str, cache: Path | None, thorough: bool = False, translate: Callable[[str], str] = lambda text: text
) -> Code:
    """Compile a module, or load what an earlier run made of the same text on the same processor.

    `thorough` is for loops that serve every model: they take their time once. `translate` makes the module of the text.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=_processor()[0], features=_processor()[1], opt=OPTIMIZATION, jit=True
    )
    entry = None if cache is None else cache / f"{_key(text, thorough)}.o"
    found = None if entry is None else _load(entry)
    code = _compile(translate(text), machine, thorough) if found is None else found
    if entry is not None and found is None:
        _save(entry, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Code(engine, found is not None)


@remember
def _processor() -> tuple[str, str]:
    """The name and the features of this processor."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _compile(text: str, machine: Any, thorough: bool) -> bytes:
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    if thorough:
        builder = llvm.create_pass_builder(machine, llvm.PipelineTuningOptions(speed_level=_THOROUGH))
        passes = builder.getModulePassManager()
    else:
        builder = llvm.create_pass_builder(machine, llvm.PipelineTuningOptions())
        passes = llvm.create_new_module_pass_manager()
        for name in _PASSES:
            getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
    return bytes(machine.emit_object(module))


def _key(text: str, thorough: bool) -> str:
    """Everything the machine code depends on."""
    parts = (
        text,
        str((OPTIMIZATION, _THOROUGH if thorough else _PASSES)),
        llvmlite.__version__,
        str(llvm.llvm_version_info),
        llvm.get_default_triple(),
        *_processor(),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _load(entry: Path) -> bytes | None:
    """The code of an entry whose own checksum is right; None for anything else. LLVM would crash on a torn file."""
    try:
        content = entry.read_bytes()
    except OSError:
        return None
    checksum, code = content[:32], content[32:]
    return code if code and hashlib.sha256(code).digest() == checksum else None


def _save(entry: Path, code: bytes) -> None:
    """Write an entry in one step, so that a reader sees all of it or none. Without a place to write nothing is kept."""
    name = None
    try:
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=entry.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(name, entry)
        _prune(entry.parent)
    except OSError:
        if name is not None and os.path.exists(name):
            os.unlink(name)


def _prune(cache: Path) -> None:
    """Remove the oldest entries beyond the most that are kept; another process may be doing the same."""
    entries = sorted(cache.glob("*.o"), key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in entries[MOST_ENTRIES:]:
        entry.unlink(missing_ok=True)
