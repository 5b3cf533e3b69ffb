"""From LLVM's language to machine code in memory. None is kept between runs: what is executed was made just now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

_OPTIMIZATION = 1
"""LLVM's level for choosing instructions."""
_PASSES = ("sroa", "instruction_combine", "simplify_cfg")
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


def compile_module(text: str, quick: bool = False, only: Iterable[str] = ()) -> Code:
    """Compile a module, or what some of its functions need.

    Code that is made quickly, in a quarter of the time, takes up to twice as long to run.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = _processor()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=cpu, features=features, opt=0 if quick else _OPTIMIZATION, jit=True)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    passes = ["always_inliner", *_PASSES]
    if only:
        passes.insert(1, "global_dead_code_eliminate")
        for function in module.functions:
            if not function.is_declaration and function.name not in only:
                function.linkage = "internal"
    if not quick:
        manager = llvm.create_new_module_pass_manager()
        for name in passes:
            getattr(manager, f"add_{name}_pass")()
        manager.run(module, llvm.create_pass_builder(machine, llvm.PipelineTuningOptions()))
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Code(engine, quick)


@cache
def _processor() -> tuple[str, str]:
    """The name and the features of this processor."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
