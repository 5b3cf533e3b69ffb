"""What a symbolic search needs of a system: control variables and numbers apart, and every move of it.

A control variable has finitely many values, and each state of the search has one of them. A number is unbounded. An
expression is mixed when a number is below it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.graph import UNBOUNDED, Graph, Node, Op, topological
from podproof.checker.core.system import CheckerError, LoweredProperty, Parameter, State, System, Transition, Variable


@dataclass(frozen=True)
class Move:
    """A transition for one choice of all parameters that have finitely many values."""

    number: int
    """Its transition's place in `System.transitions`."""
    transition: Transition
    values: Mapping[str, int]
    """The parameters that are chosen."""
    numbers: tuple[Parameter, ...]
    """The unbounded parameters."""
    enabled: Node
    updates: Mapping[str, Node]
    bounds: Mapping[str, Node]
    faults: tuple[Node, ...]
    violations: Mapping[int, Node]
    """The place of a claim about steps -> when this step violates it; claims that it cannot violate are left out."""


class Parts:
    """The stored variables of a system, in two parts: `control` and `numbers`; and its moves."""

    def __init__(self, system: System, properties: Sequence[LoweredProperty], keep: frozenset[str] | None) -> None:
        self.system, self.graph, self.properties = system, system.graph, tuple(properties)
        stored = [v for v in system.variables if v.low < v.high and (keep is None or v.path in keep)]
        self.control: tuple[Variable, ...] = tuple(v for v in stored if v.high < UNBOUNDED)
        self.numbers: tuple[Variable, ...] = tuple(v for v in stored if v.high >= UNBOUNDED)
        self.number_of = {v.path: i for i, v in enumerate(self.numbers, 1)}
        """The place of a number in a zone; 0 is the constant zero."""
        self.places: dict[str, tuple[int, int]] = {}
        """Control variable -> the first bit and the number of bits of its value, counted from its least, in a word."""
        self.range_of = {v.path: (v.low, v.high) for v in self.control}
        self.bits = 0
        for variable in self.control:
            width = (variable.high - variable.low).bit_length()
            self.places[variable.path] = self.bits, width
            self.bits += width
        self._mixed: dict[Node, bool] = {}
        self.moves = tuple(self._moves())
        self.highest = self._highest()

    def pack(self, state: State) -> int:
        """The control variables of a state as one word."""
        word = 0
        for variable in self.control:
            value, (first, width) = state[self.system.index(variable.path)] - variable.low, self.places[variable.path]
            if not 0 <= value < 1 << width:
                raise CheckerError(f"{variable.path} starts outside its range; change the initial state or the range")
            word |= value << first
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """The values of the control variables, by path."""
        values = {}
        for variable in self.control:
            first, width = self.places[variable.path]
            values[variable.path] = (word >> first & (1 << width) - 1) + variable.low
        return values

    def is_mixed(self, node: Node) -> bool:
        """Is a number below this expression?"""
        if node not in self._mixed:
            for below in topological([node]):
                if below not in self._mixed:
                    leaf = below.op in (Op.VAR, Op.PARAM) and is_number(below)
                    self._mixed[below] = leaf or any(self._mixed[a] for a in below.args)
        return self._mixed[node]

    def known_below(self, roots: Sequence[Node]) -> tuple[Node, ...]:
        """The expressions without numbers that the mixed ones among these are made of; constants are left out."""
        found: dict[Node, None] = {}
        pending, seen = list(roots), set[Node]()
        while pending:
            node = pending.pop()
            if node not in seen and not node.is_const:
                seen.add(node)
                if self.is_mixed(node):
                    pending += node.args
                else:
                    found[node] = None
        return tuple(sorted(found, key=lambda node: node.number))

    def _moves(self) -> Iterator[Move]:
        for number, t in enumerate(self.system.transitions):
            chosen = [p for p in t.free if not p.unbounded]
            for values in itertools.product(*(p.values for p in chosen)):
                choice = {p.name: value for p, value in zip(chosen, values, strict=True)}
                constants = {p.name: _constant(self.graph, p.is_bool, choice[p.name]) for p in chosen}
                move = self._move(number, t, choice, constants)
                if move.enabled is not self.graph.false:
                    yield move

    def _move(self, number: int, t: Transition, choice: Mapping[str, int], constants: Mapping[str, Node]) -> Move:
        def put(nodes: Iterable[Node]) -> list[Node]:
            return self.graph.substitute(nodes, constants, Op.PARAM)

        never = self.graph.false
        stored = {p: n for p, n in t.updates.items() if p in self.places or p in self.number_of}
        claims = {i: p.steps[number] for i, p in enumerate(self.properties) if p.steps is not None}
        bounds = zip(t.bounds, put(t.bounds.values()), strict=True)
        violations = zip(claims, put(claims.values()), strict=True)
        return Move(
            number,
            t,
            {**t.fixed, **choice},
            tuple(p for p in t.free if p.unbounded),
            put([t.enabled])[0],
            dict(zip(stored, put(stored.values()), strict=True)),
            {name: node for name, node in bounds if node is not never},
            tuple(node for node in put(t.faults.values()) if node is not never),
            {claim: node for claim, node in violations if node is not never},
        )

    def _highest(self) -> int | None:
        """No less than any constant that a number is compared with or can be; None where numbers are added up."""
        roots = [n for m in self.moves for n in (m.enabled, *m.updates.values(), *m.bounds.values(), *m.faults)]
        roots += [n for m in self.moves for n in m.violations.values()]
        roots += [p.state for p in self.properties if p.state is not None]
        highest = 0
        for node in topological(roots):
            if node.op in (Op.ADD, Op.SUB) and self.is_mixed(node):
                return None
            if node.op in (Op.EQ, Op.LT) and self.is_mixed(node):
                highest = max(highest, *(_greatest(part) for argument in node.args for part in _parts(argument)))
        for m in self.moves:
            updates = (node for path, node in m.updates.items() if path in self.number_of)
            highest = max([highest, *(_greatest(part) for node in updates for part in _parts(node))])
            highest = max([highest, *(min(p.values) for p in m.numbers)])
        for variable in self.numbers:
            begins = [state[self.system.index(variable.path)] for state in self.system.initial]
            free = self.system.free.get(variable.path)
            highest = max([highest, *(begins if free is None else [free])])
        # A number that is stored in a control variable is compared with all its values, by its range.
        return max([highest, *(v.high for v in self.control if self._takes_number(v.path))])

    def _takes_number(self, path: str) -> bool:
        updates = (m.updates[path] for m in self.moves if path in m.updates)
        return any(is_number(part) for node in updates for part in _parts(node))


def is_number(node: Node) -> bool:
    """Is this an unbounded integer?"""
    return not node.is_bool and (node.high >= UNBOUNDED or node.low <= -UNBOUNDED)


def _constant(graph: Graph, is_bool: bool, value: int) -> Node:
    return graph.boolean(bool(value)) if is_bool else graph.integer(value)


def _greatest(node: Node) -> int:
    """The greatest value of an integer that is no number."""
    return 0 if node.is_bool or is_number(node) else node.high


def _parts(node: Node) -> Iterator[Node]:
    """The integers that a tree of conditionals chooses from."""
    pending, seen = [node], set[Node]()
    while pending:
        item = pending.pop()
        if item not in seen:
            seen.add(item)
            if item.op is Op.ITE and not item.is_bool:
                pending += item.args[1:]
            else:
                yield item
