"""Machine code in memory, of functions generated for a model and of the loops in `loops.c`, and the arrays for it.

Nobody needs a C compiler: what is compiled here is LLVM's text of that file, `loops.ll`. No machine code is kept
between runs, so what is executed was made just now.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, TypeVar

import llvmlite.binding as llvm
import numpy as np
from numpy.ctypeslib import ndpointer
from numpy.typing import NDArray

from podproof.checker.arrays import Int64s
from podproof.checker.engines.compiled.codegen import Program
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.transition import TRANSITION_MASK

_NORESERVE = 0x4000 if sys.platform == "linux" else 0
"""Python has a name for this from 3.13 on. Without it the kernel may count addresses as memory that was promised."""
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


# -- the structs of loops.c, field by field ----------------------------------------------------------------------------

_I64 = ctypes.c_int64


def _array(kind: type[np.generic], dimensions: int = 1) -> type[Any]:
    return ndpointer(kind, dimensions, flags="C_CONTIGUOUS")


WORDS, HASHES, INDICES, NUMBERS = (_array(kind) for kind in (np.int64, np.uint64, np.uint32, np.int32))
ROWS = _array(np.int64, 2)
"""What an array has to be: any other is refused where it is handed over."""


Kind = TypeVar("Kind", bound=np.generic)


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


class GraphArrays(Struct):
    ARRAYS: ClassVar[Mapping[str, Any]] = {"first": WORDS, "labels": NUMBERS, "targets": NUMBERS}
    _fields_ = fields(ARRAYS, "states")


def zeros(count: int, kind: type[Kind], large_pages: bool = True) -> NDArray[Kind]:
    """An array of zeros, of shape (count,), that takes memory where it is written to, and not before.

    In large pages, where there are any, this costs less time, and for an array of which little is used more memory.
    Raises OSError where the system does not have so many addresses.
    """
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", _NORESERVE)
    pages = mmap.mmap(-1, max(1, count * np.dtype(kind).itemsize), flags=flags)
    if large_pages and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # Some kernels have none; that only costs time.
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, kind, count)


# -- what a search has counted, and steps on their way into its store --------------------------------------------------


_STATES = 1 << 11
"""States of a batch, if there are addresses for all the steps that they could have; few of these are ever taken."""
_ENOUGH = 1 << 14
"""Rows after which a thread that works alone stops to store them, while they are still in its cache."""


class Statistics(Struct):
    """Counters, int64, and for each claim whether it is pending and what decided it.

    `count` states are stored, at most `most` may be, and `steps` were seen; `taken` and `fresh` have one count a
    transition, `bounds` one a bound. `pending_*` have a bit for each claim, `found_states` the index of a state,
    `found_steps` that and the step's tag.
    """

    ARRAYS: ClassVar[Mapping[str, Any]] = dict.fromkeys(("bounds", "taken", "fresh", "pending_steps"), WORDS)
    _fields_ = fields(ARRAYS, "count", "most", "steps")

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self.taken, self.fresh = (np.zeros(program.transitions + 1, np.int64) for _ in range(2))
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.pending_states, self.pending_steps = map(_all_bits, (program.state_claims, program.step_claims))
        self.found_states = np.full(program.state_bit_words * WORD_BITS, -1, np.int64)
        self.found_steps = np.full((program.step_bit_words * WORD_BITS, 2), -1, np.int64)

    def add(self, batch: Batch, steps: int) -> None:
        """Take over what was noted about the states and the first so many steps of a batch."""
        words = self._program.words
        if steps == batch.ready:
            self.taken += batch.taken
        else:
            transitions = batch.rows[:steps, words] & TRANSITION_MASK
            self.taken += np.bincount(transitions, minlength=len(self.taken))
        self.steps += steps
        self.bounds += batch.bounds
        if (batch.violated & self.pending_steps).any():
            loops_for(words).judge(batch, steps, self.pending_steps, self.found_steps)
        self.decide(batch.seen)

    def examine(self, model: Functions, first: int, states: Int64s, batch: Batch) -> None:
        """Judge states, of shape (count, words), the first of which has index `first`; their steps are not wanted."""
        batch.seen[:] = -1
        loops_for(self._program.words).examine_states(model, states, len(states), first, batch)
        self.decide(batch.seen)

    def decide(self, seen: Int64s) -> None:
        """Take over the states that decide claims, one a claim or -1, unless earlier ones did."""
        for bit in np.flatnonzero(seen >= 0).tolist():
            word, mask = bit // WORD_BITS, 1 << bit % WORD_BITS
            if self.pending_states[word] & mask:
                # In this order, so that Ctrl-C between the two loses nothing.
                self.found_states[bit] = seen[bit]
                self.pending_states[word] &= ~mask


def _all_bits(claims: Sequence[int]) -> Int64s:
    """A set bit for every claim, in as many words as these take."""
    left = range(len(claims), 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)


class Batch(Struct):
    """The rows of neighbouring states, with the state and the hash of each, and what was noted while they were made.

    `next` is the state to go on with, `ready` the number of rows, `sound` that of rows before the first in which the
    model goes wrong. `taken` counts the transitions of all rows, `bounds` the steps that were cut off; `seen` has for
    each state claim the first expanded state that decides it, or -1, `violated` a bit for each step claim that a row
    violates.
    """

    ARRAYS: ClassVar[Mapping[str, Any]] = {
        **{"rows": ROWS, "origins": INDICES, "hashes": HASHES},
        **dict.fromkeys(("bounds", "taken", "violated", "bits", "seen", "pending"), WORDS),
    }
    _fields_ = fields(
        ARRAYS,
        *("stride", "room", "bound_count", "transitions", "step_words", "bit_words"),
        *("next", "ready", "sound", "first", "levels", "widest"),
    )

    def __init__(self, program: Program, pending: Int64s) -> None:
        super().__init__()
        self.most_rows = max(1, program.most_rows)
        self.certain = _STATES
        """The number of states that fit, whatever steps they have."""
        self.stride = program.stride
        self._loops = loops_for(program.words)
        try:
            self._have_addresses()
        except OSError:
            self.certain = 2
            self._have_addresses()
        self._touched = 0
        self.bound_count, self.transitions = len(program.bounds), program.transitions
        self.step_words, self.bit_words = program.step_bit_words, program.state_bit_words
        self.bounds, self.taken = (np.zeros(n + 1, np.int64) for n in (self.bound_count, self.transitions))
        self.violated, self.bits = (np.zeros(n, np.int64) for n in (self.step_words, self.bit_words))
        self.seen = np.full(self.bit_words * WORD_BITS, -1, np.int64)
        self.pending = pending

    @property
    def bytes(self) -> int:
        """Memory in use: what no step was ever written to is not taken."""
        return self._touched * (8 * self.stride + 12)

    def _have_addresses(self) -> None:
        self.room = room = self.certain * self.most_rows
        self.rows = zeros(room * self.stride, np.int64, large_pages=False).reshape(room, self.stride)
        self.origins = zeros(room, np.uint32, large_pages=False)
        self.hashes = zeros(room, np.uint64, large_pages=False)

    def fill(self, model: Functions, states: Int64s, first: int, stop: int, enough: int = 0) -> None:
        """The steps of states from `first` on, up to `stop` or until there are `enough` rows, 0 for some."""
        self._forget()
        limit = min(self.room, max(enough or _ENOUGH, self.most_rows)) - self.most_rows
        self._loops.expand_states(model, states, first, stop, limit, self)
        self._touched = max(self._touched, self.ready)

    def descend(
        self, model: Functions, first: int, levels: int, room: int, store: StoreArrays, total: Statistics
    ) -> None:
        """Expand and store whole levels from state `first` on; see `descend` in loops.c."""
        self._forget()
        self.next = first
        self._loops.descend(model, levels, self.certain, room, store, total, self)
        self._touched = max(self._touched, self.widest)

    def fill_all(self, model: Functions, states: Int64s, first: int, stop: int) -> None:
        """The steps of all states from `first` up to `stop`, at most `certain` many."""
        self.fill(model, states, first, stop, self.room)

    def _forget(self) -> None:
        self.next = self.ready = self.sound = 0
        for counts in (self.bounds, self.taken, self.violated):
            counts[:] = 0
        self.seen[:] = -1

    def hold(self, words: tuple[int, ...], index: int) -> Batch:
        """One row: an initial state that will be its own parent if it is stored at `index`."""
        self._forget()
        self.rows[0, :] = 0
        self.rows[0, : len(words)] = words
        self.origins[0] = index
        self._loops.hash_rows(self.rows, 1, self.hashes)
        self.ready = self.sound = 1
        return self


# -- the functions of loops.c, called with these -----------------------------------------------------------------------


_MODEL, _STORE, _BATCH, _TOTAL, _GRAPH = map(ctypes.POINTER, (Functions, StoreArrays, Batch, Statistics, GraphArrays))
_FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "hash_rows": (None, ROWS, _I64, HASHES),
    "enter": (None, ROWS, _I64, WORDS, _I64),
    "move": (None, WORDS, _I64, _I64, WORDS, _I64),
    "expand_states": (None, _MODEL, ROWS, _I64, _I64, _I64, _BATCH),
    "examine_states": (None, _MODEL, ROWS, _I64, _I64, _BATCH),
    "insert": (_I64, _STORE, _TOTAL, _BATCH, _I64),
    "descend": (None, _MODEL, _I64, _I64, _I64, _STORE, _TOTAL, _BATCH),
    "judge": (None, _BATCH, _I64, WORDS, ROWS),
    "number_states": (None, ROWS, _I64, NUMBERS, _I64),
    "numbers_of": (None, ROWS, NUMBERS, _I64, _BATCH, NUMBERS),
    "number_alike": (_I64, WORDS, _I64, INDICES, _I64, NUMBERS, WORDS),
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
