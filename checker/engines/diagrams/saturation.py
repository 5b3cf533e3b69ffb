"""All that is reachable, by saturation (`saturation.c`): oxidd makes the relations, and is handed what they lead to.

A relation is applied where its first bit is, to every node of that level by itself, and its results are closed under
what begins below before they are used. So no step is computed twice because of what changed far from it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
from oxidd.bcdd import BCDDFunction as Diagram
from oxidd.bcdd import BCDDManager

from podproof.checker.core.system import OutOfRoom
from podproof.checker.engines.compiled.machine import INDICES, Code, Struct, compile_module, fields

_FIRST_ROOM = 1 << 20
"""Nodes for which there is room at first; a power of two."""
_NODE_BYTES = 28
"""Of a node, with its places in the tables."""
_MOST_ROOM = 1 << 31
_LOOK_SECONDS = 0.1


class _Nodes(Struct):
    ARRAYS: ClassVar = dict.fromkeys(
        ("nodes", "closed", "slots", "joins", "products", "steps", "relations", "first"), INDICES
    )
    _fields_ = fields(ARRAYS, "count", "room", "slot_mask", "result_mask", "root", "state", "end")


@cache
def _code() -> Code:
    """The functions of saturation.c."""
    return compile_module(files(__package__).joinpath("saturation.ll").read_text(encoding="utf-8"))


class Saturation:
    """A set of states over so many bits that is closed under relations.

    Bit i of a state is the variable 2 i of oxidd's diagrams before a step, and 2 i + 1 after it.
    """

    def __init__(self, manager: BCDDManager, fits: Callable[[int], bool]) -> None:
        """`fits` says whether so many bytes may be taken."""
        self._manager, self._fits, self._levels = manager, fits, manager.num_vars() // 2
        self._steps: list[tuple[int, ...]] = [(self._levels, 0, 0, 0, 0)] * 2
        self._known: dict[tuple[int, ...], int] = {}
        self._relations: list[list[int]] = [[] for _ in range(self._levels)]
        self._d = _Nodes(count=2)
        self.states = 0.0
        """How many were found, as near as a floating number comes to that, when there was last more room needed."""
        self._enlarge(_FIRST_ROOM)

    def _call(self, name: str, *more: Any) -> None:
        types = [ctypes.c_void_p, *map(type, more)]
        ctypes.CFUNCTYPE(None, *types)(_code().address(name))(ctypes.addressof(self._d), *more)

    # -- relations -----------------------------------------------------------------------------------------------------

    def add(self, relation: Diagram, written: Collection[int]) -> None:
        """One relation: over bits before a step, and after it those that are written; all others stay as they are."""
        next_written = [self._levels] * (self._levels + 1)
        for level in reversed(range(self._levels)):
            next_written[level] = level if level in written else next_written[level + 1]

        def place(f: Diagram, least: int) -> tuple[Diagram, int]:
            """The same from the next level on that says anything."""
            variable = f.node_var()
            return f, min(self._levels if variable is None else variable // 2, next_written[least])

        known: dict[tuple[Diagram, int], int] = {}
        pending = [place(relation, 0)]
        while pending:
            f, level = pending[-1]
            if not f.satisfiable() or level == self._levels:
                known[pending.pop()] = int(f.satisfiable())
                continue
            below: list[tuple[Diagram, int] | None] = []
            for before in _halves(f, 2 * level):
                after = _halves(before, 2 * level + 1) if level in written else (before, before)
                below += [place(half, level + 1) for half in after]
            if level not in written:
                below[1] = below[2] = None
            missing = [part for part in below if part is not None and part not in known]
            pending += missing
            if not missing:
                known[pending.pop()] = self._step(level, *(0 if part is None else known[part] for part in below))
        root = known[place(relation, 0)]
        if root > 1:
            self._relations[self._steps[root][0]].append(root)

    def _step(self, level: int, stays: int, sets: int, clears: int, also_stays: int) -> int:
        if not sets and not clears and stays == also_stays:
            return stays
        step = level, stays, sets, clears, also_stays
        if step not in self._known:
            self._known[step] = len(self._steps)
            self._steps.append(step)
        return self._known[step]

    # -- states --------------------------------------------------------------------------------------------------------

    def add_state(self, bits: Sequence[bool]) -> None:
        """One state to begin with, from its first bit to its last."""
        row = np.array(bits, np.uint8)
        self._call("add_state", _address(row), ctypes.c_int64(self._levels))

    def run(self, look: Callable[[], None]) -> None:
        """Find all that is reachable. `look` is called again and again, and may end it by an exception.

        Raises OutOfRoom where there is no memory.
        """
        d = self._d
        d.steps = np.array(self._steps, np.uint32).reshape(-1)
        d.relations = np.array([r for here in self._relations for r in here], np.uint32)
        d.first = np.cumsum([0, *map(len, self._relations)]).astype(np.uint32)
        while True:
            d.end = 0
            with ThreadPoolExecutor(1) as pool:
                under_way = pool.submit(self._call, "saturate")
                try:
                    while not wait([under_way], _LOOK_SECONDS).done:
                        look()
                finally:
                    d.end = 1
            self.states = self._weight()
            if not d.state:
                return
            self._enlarge(2 * d.room)

    def _enlarge(self, room: int) -> None:
        """Make room for so many nodes. Raises OutOfRoom."""
        d = self._d
        if room > _MOST_ROOM or not self._fits(room * _NODE_BYTES):
            raise OutOfRoom(f"there is no memory for a diagram of {room:,} nodes")
        nodes, closed, none = np.zeros(2 * room, np.uint32), np.zeros(room, np.uint32), np.zeros(0, np.uint32)
        old, results = (d.joins, d.products) if d.room else (none, none), d.room // 4
        if d.room:
            nodes[: 2 * d.count], closed[: d.count] = d.nodes[: 2 * d.count], d.closed[: d.count]
        d.nodes, d.closed, d.slots = nodes, closed, np.zeros(2 * room, np.uint32)
        d.joins, d.products = np.zeros(room, np.uint32), np.zeros(room, np.uint32)
        d.room, d.slot_mask, d.result_mask = room, 2 * room - 1, room // 4 - 1
        self._call("move", *map(_address, old), ctypes.c_int64(results))

    @property
    def nodes(self) -> int:
        """How many there are now."""
        return int(self._d.count) - 2

    def _weight(self) -> float:
        """How many states were found, as near as a floating number comes to that."""
        weights = np.empty(self._d.root + 1, np.float64)
        self._call("weigh", _address(weights))
        return float(weights[self._d.root])

    def found(self) -> Diagram:
        """The states that were found, for oxidd."""
        manager, pairs, levels = self._manager, self._d.nodes.reshape(-1, 2), [np.array([self._d.root])]
        while (nodes := levels[-1][levels[-1] > 1]).size:
            levels[-1] = nodes
            levels.append(np.unique(pairs[nodes]))
        known = {0: manager.false(), 1: manager.true()}
        for level in reversed(range(len(levels) - 1)):
            bit, nodes = manager.var(2 * level), levels[level]
            for node, (low, high) in zip(nodes.tolist(), pairs[nodes].tolist(), strict=True):
                known[node] = bit.ite(known[high], known[low])
        return known[self._d.root]


def _address(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _halves(f: Diagram, variable: int) -> tuple[Diagram, Diagram]:
    """Where a variable is false, and where it is true."""
    if f.node_var() != variable:
        return f, f
    high, low = f.cofactors()  # type: ignore[misc]
    return low, high
