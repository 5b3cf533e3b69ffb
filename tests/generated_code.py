"""The functions that the engine generates, called for a state at a time; states and expressions at random."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from podproof.checker.core.graph import Expr
from podproof.checker.core.system import (
    LoweredProperty,
    State,
    System,
)
from podproof.checker.engines.compiled import machine
from podproof.checker.engines.compiled.codegen import Program, generate
from podproof.checker.engines.compiled.layout import WORD_BITS, lay_out
from podproof.checker.engines.compiled.transition import Tag
from podproof.model.language import Domain

Small = Annotated[int, Domain("small")]


class MachineCode:
    """The generated functions, called one state at a time."""

    def __init__(self, system: System, properties: tuple[LoweredProperty, ...] = (), quick: bool = False) -> None:
        self.layout = lay_out(system, None)
        self.program: Program = generate(system, properties, self.layout)
        self.code = machine.compile_module(self.program.text, quick)
        i64 = ctypes.c_int64
        self._expand = ctypes.CFUNCTYPE(i64, i64, i64, i64, i64)(self.code.address("expand"))
        self._examine = ctypes.CFUNCTYPE(i64, i64, i64)(self.code.address("examine"))

    def rows(self, state: State) -> Any:
        """The rows of a state's steps, int64 of shape (steps, stride)."""
        words = np.array(self.layout.pack(state), np.int64)
        rows = np.zeros((self.program.most_rows, self.program.stride), np.int64)
        bounds = np.zeros(len(self.program.bounds) + 1, np.int64)
        bits = np.zeros(self.program.state_bit_words + 1, np.int64)
        count = self._expand(words.ctypes.data, rows.ctypes.data, bounds.ctypes.data, bits.ctypes.data)
        return rows[:count]

    def expand(self, state: State) -> Iterator[tuple[Tag, dict[str, int]]]:
        for row in self.rows(state):
            yield Tag.read(int(row[self.layout.words])), self.layout.unpack(row)

    def examine(self, state: State) -> list[int]:
        words = np.array(self.layout.pack(state), np.int64)
        bits = np.zeros(self.program.state_bit_words, np.int64)
        self._examine(words.ctypes.data, bits.ctypes.data)
        return [(int(bits[i // WORD_BITS]) >> i % WORD_BITS) & 1 for i in range(len(self.program.state_claims))]


def random_state(system: System, rng: random.Random) -> State:
    return tuple(rng.randint(v.low, min(v.high, v.low + 50)) for v in system.variables)


def random_nodes(system: System, rng: random.Random, count: int) -> list[Expr]:
    """Boolean expressions that use every operator."""
    graph = system.graph
    truths = [graph.variable(v.path, True, 0, 1) for v in system.variables if v.is_bool] + [graph.true]
    numbers = [graph.variable(v.path, False, v.low, v.high) for v in system.variables if not v.is_bool]
    numbers += [graph.integer(n) for n in (-2, 0, 1, 3)]
    for _ in range(count):
        a, b, p, q = rng.choice(numbers), rng.choice(numbers), rng.choice(truths), rng.choice(truths)
        made = [graph.not_(p), graph.and_(p, q), graph.or_(p, q), graph.eq(a, b), graph.lt(a, b), graph.eq(p, q)]
        truths.append(rng.choice(made))
        number = rng.choice([graph.add(a, b), graph.sub(a, b), graph.ite(p, a, b)])
        if number.low > -1000 and number.high < 1 << 40:
            numbers.append(number)
        truths.append(graph.ite(p, q, truths[-1]))
    return truths[-count:]
