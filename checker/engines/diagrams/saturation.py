"""What is reachable, by machine code (`saturation.c`): oxidd makes the relations, and is handed what they lead to.

A relation is applied where its first bit is, to every node of that level by itself. In saturation its results are
closed under what begins below before they are used, so no step is computed twice because of what changed far from it.

Level by level the distances of states are found, as numbers on the diagram's edges, and the least one from below each
node is 0. So what happens independently far apart in the diagram is the same nodes on every level. The diagrams are of

    Ciardo, Siminiceanu: Using edge-valued decision diagrams for symbolic generation of shortest paths (2002),

where saturation finds the distances too; it took up to 20 times as long as without them, see docs/performance.md.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
from oxidd.bcdd import BCDDFunction as Diagram
from oxidd.bcdd import BCDDManager

from podproof.checker.arrays import AnyArray, Int32s, Int64s
from podproof.checker.core.system import OutOfRoom
from podproof.checker.engines.compiled.machine import INDICES, Code, Struct, compile_module, fields

_FIRST_ROOM = 1 << 20
"""Nodes for which there is room at first; a power of two."""
_NODE_BYTES = 36
"""Of a node, with its places in the tables."""
_MOST_ROOM = 1 << 31
_LOOK_SECONDS = 0.1
_FAR = (1 << 31) - 1


class _Nodes(Struct):
    ARRAYS: ClassVar = dict.fromkeys(
        ("nodes", "slots", "joins", "products", "nears", "steps", "relations", "first"), INDICES
    )
    _numbers = "count", "room", "slot_mask", "result_mask", "root", "state", "is_closing", "targets", "chosen", "near"
    _fields_ = fields(ARRAYS, *_numbers, "end")


@cache
def _code() -> Code:
    """The functions of saturation.c."""
    return compile_module(files(__package__).joinpath("saturation.ll").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Nearest:
    """A state from which a relation leads to a target."""

    distance: int
    relation: int
    """Its place among those that were asked for."""
    bits: list[bool]


class Saturation:
    """A set of states over so many bits, which relations enlarge, and the distance of each.

    Bit i of a state is the variable 2 i of oxidd's diagrams before a step, and 2 i + 1 after it.
    """

    def __init__(self, manager: BCDDManager, fits: Callable[[int], bool]) -> None:
        """`fits` says whether so many bytes may be taken."""
        self._manager, self._fits, self._levels = manager, fits, manager.num_vars() // 2
        self._steps: list[tuple[int, ...]] = [(self._levels, 0, 0, 0, 0)] * 2
        self._known: dict[tuple[int, ...], int] = {}
        self.start((), ())

    def _call(self, name: str, *more: Any) -> None:
        types = [ctypes.c_void_p, *map(type, more)]
        ctypes.CFUNCTYPE(None, *types)(_code().address(name))(ctypes.addressof(self._d), *more)

    # -- relations -----------------------------------------------------------------------------------------------------

    def number(self, relation: Diagram, written: Collection[int]) -> int:
        """A relation: over bits before a step, and after it those that are written; all others stay as they are."""
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
        return known[place(relation, 0)]

    def _step(self, level: int, stays: int, sets: int, clears: int, also_stays: int) -> int:
        if not sets and not clears and stays == also_stays:
            return stays
        step = level, stays, sets, clears, also_stays
        if step not in self._known:
            self._known[step] = len(self._steps)
            self._steps.append(step)
        return self._known[step]

    # -- states --------------------------------------------------------------------------------------------------------

    def start(self, states: Iterable[Sequence[bool]], relations: Iterable[int]) -> None:
        """Begin, or begin anew, with these states, each from its first bit to its last; all have the distance 0."""
        self._d = d = _Nodes(count=2)
        self._enlarge(_FIRST_ROOM)
        self._weighed, self._handed_over = (-1, 0.0, np.zeros(0, np.int32)), 0
        beginning: list[list[int]] = [[] for _ in range(self._levels + 1)]
        for relation in relations:
            beginning[self._steps[relation][0]].append(relation)
        d.relations = np.array([relation for here in beginning for relation in here], np.uint32)
        d.first = np.cumsum([0, *map(len, beginning)]).astype(np.uint32)
        for bits in states:
            row = np.array(bits, np.uint8)
            self._call("add_state", _address(row), ctypes.c_int64(self._levels))

    def saturate(self, look: Callable[[], None]) -> None:
        """Find all that is reachable. `look` is called again and again, and may end it by an exception.

        Raises OutOfRoom where there is no memory.
        """
        self._run("saturate", look)

    def advance(self, look: Callable[[], None]) -> bool:
        """Find what is one step farther than all that is there; is there anything? Not after `saturate`.

        `look` may end it as above, and then nothing is found. Raises OutOfRoom.
        """
        root = self._d.root
        self._run("advance", look)
        return bool(self._d.root != root)

    def _run(self, name: str, look: Callable[[], None]) -> None:
        d = self._d
        self._hand_over()
        while True:
            d.end = 0
            with ThreadPoolExecutor(1) as pool:
                under_way = pool.submit(self._call, name)
                try:
                    while not wait([under_way], _LOOK_SECONDS).done:
                        look()
                finally:
                    d.end = 1
            if not d.state:
                return
            self._enlarge(2 * d.room)

    def _hand_over(self) -> None:
        """The nodes of relations that are new."""
        if self._handed_over < len(self._steps):
            self._d.steps, self._handed_over = np.array(self._steps, np.uint32).reshape(-1), len(self._steps)

    def _enlarge(self, room: int) -> None:
        """Make room for so many nodes. Raises OutOfRoom."""
        d = self._d
        if room > _MOST_ROOM or not self._fits(room * _NODE_BYTES):
            raise OutOfRoom(f"there is no memory for a diagram of {room:,} nodes")
        nodes, none = np.zeros(4 * room, np.uint32), np.zeros(0, np.uint32)
        old, results = (d.joins, d.products) if d.room else (none, none), d.room // 4
        if d.room:
            nodes[: 4 * d.count] = d.nodes[: 4 * d.count]
        d.nodes, d.slots = nodes, np.zeros(2 * room, np.uint32)
        d.joins, d.products, d.nears = (np.zeros(room, np.uint32) for _ in range(3))
        d.room, d.slot_mask, d.result_mask = room, 2 * room - 1, room // 4 - 1
        self._call("move", *map(_address, old), ctypes.c_int64(results))

    @property
    def nodes(self) -> int:
        """The number of nodes now."""
        return int(self._d.count) - 2

    @property
    def states(self) -> float:
        """The number of states, as a floating number, without those of a call under way."""
        return self._weigh()[0]

    def _weigh(self) -> tuple[float, Int32s]:
        """The number of states, and the greatest distance below each node, int32 of shape (nodes,)."""
        root = int(self._d.root)
        if self._weighed[0] != root:
            weights, depths = np.empty(root + 1, np.float64), np.empty(root + 1, np.int32)
            self._call("weigh", _address(weights), _address(depths))
            self._weighed = root, float(weights[root]), depths
        return self._weighed[1:]

    def found(self, most: int = _FAR) -> Diagram:
        """The states that were found with this distance or less, for oxidd."""
        manager, nodes, depths = self._manager, self._d.nodes.reshape(-1, 4), self._weigh()[1].astype(np.int64)

        def part(nodes: Int64s, distance: Int64s) -> Int64s:
            """The states below each of these nodes with this distance or less, each set as one number."""
            return np.where(distance < 0, 0, nodes << 32 | np.minimum(distance, depths[nodes]))

        levels, below = [part(np.array([self._d.root], np.int64), np.array([most]))], []
        while (parts := levels[-1][levels[-1] >> 32 > 1]).size:
            levels[-1], distance = parts, parts & _FAR
            low, high, more = nodes[parts >> 32, :3].astype(np.int64).T
            more = more.astype(np.int32)
            below.append((part(low, distance - np.maximum(-more, 0)), part(high, distance - np.maximum(more, 0))))
            levels.append(np.unique(below[-1]))
        known = {0: manager.false(), 1 << 32: manager.true()}
        for level in reversed(range(len(below))):
            bit = manager.var(2 * level)
            for whole, low, high in zip(*(a.tolist() for a in (levels[level], *below[level])), strict=True):
                known[whole] = bit.ite(known[high], known[low])
        return known[int(levels[0][0])]

    def nearest(self, relations: Sequence[int], target: Sequence[bool] | None = None) -> Nearest | None:
        """A nearest state from which one of these relations leads to the target, or anywhere."""
        self._hand_over()
        d, bits = self._d, np.empty(self._levels, np.uint8)
        steps, row = np.array(relations, np.uint32), None if target is None else np.array(target, np.uint8)
        at = ctypes.c_void_p() if row is None else _address(row)
        count, levels = ctypes.c_int64(len(relations)), ctypes.c_int64(self._levels)
        self._call("nearest", _address(steps), count, at, _address(bits), levels)
        return None if d.near == _FAR else Nearest(int(d.near), int(d.chosen), bits.astype(bool).tolist())


def _address(array: AnyArray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _halves(f: Diagram, variable: int) -> tuple[Diagram, Diagram]:
    """Where a variable is false, and where it is true."""
    if f.node_var() != variable:
        return f, f
    high, low = f.cofactors()  # type: ignore[misc]
    return low, high
