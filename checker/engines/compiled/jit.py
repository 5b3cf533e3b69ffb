"""Loops over states as machine code: functions in a small part of Python, whole numbers and arrays of them.

`loop` makes a function that Python calls, `part` a piece that is put in place where loops call it. Annotations name
the types (`I64`, `U64`, `Words`, ...); `translation` says which Python is understood. A loop is compiled
when it is first called. While it runs, other threads go on.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from podproof.checker.engines.compiled.machine import Code, compile_module
from podproof.checker.engines.compiled.routine import KINDS, Kind, Routine
from podproof.checker.engines.compiled.translation import translate

I64: TypeAlias = Any
"""A signed whole number of 64 bits."""
U64: TypeAlias = Any
"""As `I64`, without sign: it is shifted and compared as such."""
Words: TypeAlias = Any
"""An array of int64."""
Rows: TypeAlias = Any
"""An array of int64 with two dimensions."""
Hashes: TypeAlias = Any
"""An array of uint64."""
Indices: TypeAlias = Any
"""An array of uint32."""
Numbers: TypeAlias = Any
"""An array of int32."""
Flags: TypeAlias = Any
"""An array of uint8."""


Native = tuple[Callable[..., Any], Code]
"""Machine code as a function of Python, and what keeps it in memory."""


class Bound(NamedTuple):
    """Arrays and numbers, a single one or a record's, ready to be handed over: this saves time where calls are many.

    Numbers are what they were.
    """

    words: tuple[int, ...]
    """Numbers; of arrays the address and the shape."""
    widths: tuple[int, ...]
    """How wide the rows of arrays are."""
    values: tuple[Any, ...]
    """The arrays themselves, which live as long as somebody has their addresses."""


_lock = threading.Lock()


def part(function: Callable[..., Any]) -> Any:
    """A piece of loops: a call for each row costs more than what it does."""
    return Routine(function, exported=False)


def loop(function: Callable[..., Any]) -> Any:
    """A function that Python calls, with numbers, arrays and records of them."""
    return Loop(function)


def bind(values: Sequence[Any]) -> Bound:
    """The fields of a record, bound. Arrays are not checked for their types."""
    words: list[int] = []
    widths: list[int] = []
    for value in values:
        if isinstance(value, np.ndarray):
            words += (value.ctypes.data, *value.shape)
            widths += value.shape[1:]
        else:
            words.append(int(value))
    return Bound(tuple(words), tuple(widths), tuple(values))


class Loop(Routine):
    """A compiled function, once for all arrays whose rows have the same widths: loops over a row need no loop then.

    Arrays are checked for their type; what is at an index is not.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, exported=True)
        self._made: dict[tuple[int, ...], Native] = {}

    @cached_property
    def _expected(self) -> list[tuple[bool, str]]:
        """Of each parameter its name, and before that: is it a number?"""
        return [(parts.get(name) in (KINDS["I64"], KINDS["U64"]), name) for name, parts in self.parameters.items()]

    def __call__(self, *arguments: Any) -> Any:
        words: list[int] = []
        widths: tuple[int, ...] = ()
        for (is_number, name), argument in zip(self._expected, arguments, strict=True):
            if is_number and type(argument) is int:
                words.append(argument)
                continue
            bound = argument if type(argument) is Bound else _bound(name, self.parameters[name], argument)
            words += bound.words
            widths += bound.widths
        native, _ = self._made.get(widths) or self._make(widths)
        return native(*words)

    def _make(self, widths: tuple[int, ...]) -> Native:
        prepare({self: widths})
        return self._made[widths]

    def adopt(self, widths: tuple[int, ...], code: Code) -> None:
        """Take over machine code for arrays of these widths."""
        words = sum(1 + kind.dimensions for kind in self.parts.values())
        answer = {"U64": ctypes.c_uint64, "None": None, "bool": ctypes.c_bool}.get(self.answer, ctypes.c_int64)
        kind = ctypes.CFUNCTYPE(answer, *[ctypes.c_int64] * words)
        self._made[widths] = kind(code.address(self.name)), code


def prepare(wanted: Mapping[Loop, tuple[int, ...]]) -> None:
    """Compile loops together, for arrays with rows of these widths; those among them that others call are shared."""
    with _lock:
        code = compile_module(translate(wanted))
        for found, widths in wanted.items():
            found.adopt(widths, code)


def _bound(name: str, parts: Mapping[str, Kind], argument: Any) -> Bound:
    """An argument whose types are those of a parameter's parts; raises TypeError for any other."""
    values = (argument,) if name in parts else argument
    if not isinstance(values, tuple) or len(values) != len(parts):
        raise TypeError(f"{name}: a record of {len(parts)} is wanted, not {type(argument).__name__}")
    for (path, kind), value in zip(parts.items(), values, strict=True):
        if not _fits(kind, value):
            wanted, found = kind.number, type(value).__name__
            if kind.dimensions:
                wanted = f"{np.dtype(kind.dtype)} in {kind.dimensions} dimensions, without gaps"
            if isinstance(value, np.ndarray):
                found = f"{value.dtype} in {value.ndim} dimensions{'' if value.flags.c_contiguous else ', with gaps'}"
            raise TypeError(f"{path}: {wanted} is wanted, not {found}")
    return bind(values)


def _fits(kind: Kind, value: Any) -> bool:
    if kind.dimensions:
        is_like = isinstance(value, np.ndarray) and (value.dtype, value.ndim) == (kind.dtype, kind.dimensions)
        return is_like and value.flags.c_contiguous
    return isinstance(value, (bool, np.bool_) if kind.number == "bool" else (int, np.integer))
