"""Machine code in memory: of functions that are generated for a model, and of the loops over states in `loops.c`.

Nobody needs a C compiler: what is compiled here is LLVM's text of that file, `loops.ll`. No machine code is kept
between runs, so what is executed was made just now.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import llvmlite.binding as llvm
import numpy as np
from numpy.ctypeslib import ndpointer

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


# -- the loops: the structs of loops.c, field by field, and its functions, called with arrays --------------------------

_I64 = ctypes.c_int64


def _array(kind: type[Any], dimensions: int = 1) -> Any:
    return ndpointer(kind, dimensions, flags="C_CONTIGUOUS")


WORDS, HASHES, INDICES, NUMBERS, FLAGS = map(_array, (np.int64, np.uint64, np.uint32, np.int32, np.uint8))
ROWS = _array(np.int64, 2)
"""What an array has to be: any other is refused where it is handed over."""


class Struct(ctypes.Structure):
    """A struct of loops.c: the addresses of arrays, and then numbers.

    An array is handed over by assigning it, and lives as long as the struct. Raises TypeError for one of another type
    or shape, or with gaps.
    """

    ARRAYS: ClassVar[Mapping[str, Any]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.ARRAYS:
            try:
                self.ARRAYS[name].from_param(value)
            except TypeError as error:
                raise TypeError(f"{name}: {error}") from error
            super().__setattr__(f"{name}_at", value.ctypes.data)
        super().__setattr__(name, value)


def fields(arrays: Mapping[str, Any], *numbers: str) -> list[tuple[str, Any]]:
    return [*((f"{name}_at", ctypes.c_void_p) for name in arrays), *((name, _I64) for name in numbers)]


class Functions(Struct):
    """The addresses of the generated functions of a model."""

    _fields_ = fields({}, "expand", "examine")


class StoreArrays(Struct):
    ARRAYS: ClassVar[Mapping[str, Any]] = {"states": ROWS, "parents": INDICES, "slots": WORDS}
    _fields_ = fields(ARRAYS, "size")


class BatchArrays(Struct):
    ARRAYS: ClassVar[Mapping[str, Any]] = {
        **{"rows": ROWS, "origins": INDICES, "hashes": HASHES},
        **dict.fromkeys(("bounds", "taken", "violated", "bits", "seen", "pending"), WORDS),
    }
    _fields_ = fields(
        ARRAYS,
        *("stride", "room", "bound_count", "transitions", "step_words", "bit_words"),
        *("next", "ready", "sound", "first", "levels", "widest"),
    )


class StatisticsArrays(Struct):
    ARRAYS: ClassVar[Mapping[str, Any]] = dict.fromkeys(("bounds", "taken", "fresh", "pending_steps"), WORDS)
    _fields_ = fields(ARRAYS, "count", "most", "steps")


class GraphArrays(Struct):
    ARRAYS: ClassVar[Mapping[str, Any]] = {"first": WORDS, "labels": NUMBERS, "targets": NUMBERS}
    _fields_ = fields(ARRAYS, "states")


_MODEL, _STORE, _BATCH, _TOTAL, _GRAPH = map(
    ctypes.POINTER, (Functions, StoreArrays, BatchArrays, StatisticsArrays, GraphArrays)
)
_FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "hash_rows": (None, ROWS, _I64, HASHES),
    "enter": (None, ROWS, _I64, WORDS, _I64),
    "move": (None, WORDS, _I64, _I64, WORDS, _I64),
    "forget": (None, ROWS, _I64, WORDS, _I64),
    "expand_states": (None, _MODEL, ROWS, _I64, _I64, _I64, _BATCH),
    "examine_states": (None, _MODEL, ROWS, _I64, _I64, _BATCH),
    "insert": (_I64, _STORE, _TOTAL, _BATCH, _I64),
    "descend": (None, _MODEL, _I64, _I64, _I64, _STORE, _TOTAL, _BATCH),
    "judge": (None, _BATCH, _I64, WORDS, ROWS),
    "order_equal_hashes": (None, ROWS, WORDS, HASHES, _I64),
    "mark_known": (None, ROWS, _I64, ROWS, WORDS, HASHES, _I64, _I64, FLAGS),
    "merge_blocks": (_I64, ROWS, _I64, ROWS, _I64, ROWS, _I64, WORDS),
    "collect": (_I64, _STORE, _I64, INDICES, _BATCH, _I64),
    "number_states": (None, ROWS, _I64, NUMBERS, _I64),
    "numbers_of": (None, ROWS, NUMBERS, _I64, _BATCH, NUMBERS),
    "sign": (None, _GRAPH, NUMBERS, HASHES),
    "first_unlike": (_I64, _GRAPH, NUMBERS, WORDS),
    "strong_components": (_I64, WORDS, NUMBERS, _I64, NUMBERS, WORDS, NUMBERS),
    "turn_round": (None, WORDS, NUMBERS, _I64, WORDS, NUMBERS),
}
"""The type of the result, and those of the parameters."""
_TOGETHER = ("hash_rows", "move", "expand_states", "insert", "descend")
"""What every search needs."""


class Loops:
    """The functions of loops.c by name, for states of so many words. Each is compiled when it is first called."""

    def __init__(self, words: int) -> None:
        text = files(__package__).joinpath("loops.ll").read_text(encoding="utf-8")
        known = f"define internal i64 @words() alwaysinline {{ ret i64 {words} }}"
        self._text = text.replace("declare i64 @words()", known)
        self._codes: list[Code] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _FUNCTIONS:
            raise AttributeError(name)
        wanted = _TOGETHER if name in _TOGETHER else (name,)
        self._codes.append(code := compile_module(self._text, only=wanted))
        for each in wanted:
            function = ctypes.CFUNCTYPE(_FUNCTIONS[each][0], *_FUNCTIONS[each][1:])(code.address(each))
            setattr(self, each, function)
        return getattr(self, name)  # type: ignore[no-any-return]


@cache
def loops_for(words: int) -> Loops:
    """The loops over states of so many words, compiled once."""
    return Loops(words)
