"""From LLVM's language to machine code in memory. None is kept between runs: what is executed was made just now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

_OPTIMIZATION = 1
"""LLVM's level for choosing instructions."""
_PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg")
"""What is worth its time on straight code from a graph without equal nodes, and on loops around it.

LLVM's own level 1 or 2 takes three times as long, and the search is no faster.
"""


@dataclass(frozen=True)
class Code:
    """Machine code of a module; lives as long as this object."""

    engine: Any
    is_quick: bool

    def address(self, name: str) -> int:
        return int(self.engine.get_function_address(name))


def compile_module(text: str, quick: bool = False) -> Code:
    """Compile a module. Code that is made quickly, in a quarter of the time, takes up to twice as long to run."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = _processor()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=cpu, features=features, opt=0 if quick else _OPTIMIZATION, jit=True)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    if not quick:
        builder = llvm.create_pass_builder(machine, llvm.PipelineTuningOptions())
        passes = llvm.create_new_module_pass_manager()
        for name in _PASSES:
            getattr(passes, f"add_{name}_pass")()
        passes.run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Code(engine, quick)


@cache
def _processor() -> tuple[str, str]:
    """The name and the features of this processor."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
