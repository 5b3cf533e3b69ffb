"""The part of a system that no number matters to, as Python made from the graph: it runs once for a control state.

What is mixed is left to `residual.py`, with the values of the control expressions below it as a key: they are all that
it needs to know of the control state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from podproof.checker.core.graph import Node, Op, topological
from podproof.checker.engines.symbolic.moves import Move, Parts

Key = tuple[int | bool, ...]
"""The values of the control expressions that mixed ones are made of."""


class Row(NamedTuple):
    """A move that the control variables allow."""

    move: int
    """Its place in `Parts.moves`."""
    control: int
    """The control state after it, with zeros where a mixed expression says what comes there."""
    key: Key
    """Of what is mixed in the step itself."""
    claims: tuple[Key, ...]
    """For each claim in `Mixed.violations`, the key."""
    violated: tuple[int, ...]
    """Claims that the step violates whatever the numbers are."""


@dataclass(frozen=True)
class Mixed:
    """What is mixed in a move. `known` lists the control expressions whose values make the key."""

    known: tuple[Node, ...]
    enabled: tuple[Node, ...]
    """Parts of the guard, all of which must hold."""
    bounds: Mapping[str, Node]
    faults: tuple[Node, ...]
    control: Mapping[str, Node]
    """New values of control variables."""
    numbers: Mapping[str, Node]
    """New values of numbers."""
    violations: Mapping[int, tuple[Node, tuple[Node, ...]]]
    """Claim -> when the step violates it, and the control expressions below that."""


Expand = Callable[[int, list[str], list[int]], list[Row]]
"""(control state, bounds that cut off a step, moves on which the model goes wrong) -> rows; it fills the two lists."""
Examine = Callable[[int], tuple[tuple[int, ...], tuple[Key, ...]]]
"""(control state) -> state claims decided by it alone, and a key for each other state claim."""

_OPERATORS: Mapping[Op, Callable[..., str]] = {
    Op.NOT: lambda a: f"not {a}",
    Op.AND: lambda a, b: f"{a} and {b}",
    Op.OR: lambda a, b: f"{a} or {b}",
    Op.EQ: lambda a, b: f"{a} == {b}",
    Op.LT: lambda a, b: f"{a} < {b}",
    Op.ADD: lambda a, b: f"{a} + {b}",
    Op.SUB: lambda a, b: f"{a} - {b}",
    Op.ITE: lambda a, b, c: f"{b} if {a} else {c}",
}


class Control:
    """The generated functions, and what they leave open: `mixed` for each move, `open_claims` about states."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.mixed = tuple(self._mixed(move) for move in parts.moves)
        self.open_claims: dict[int, tuple[Node, tuple[Node, ...]]] = {}
        """A state claim that numbers matter to -> its formula, and the control expressions below it."""
        for i, p in enumerate(parts.properties):
            if p.state is not None and parts.is_mixed(p.state):
                self.open_claims[i] = p.state, parts.known_below([p.state])
        self.expand: Expand = _compiled("expand", ["def expand(s, cut, faulty):", *self._expand()], Row=Row)
        self.examine: Examine = _compiled("examine", ["def examine(s):", *self._examine()])

    def _mixed(self, move: Move) -> Mixed:
        is_mixed = self.parts.is_mixed
        enabled = tuple(node for node in _conjuncts(move.enabled) if is_mixed(node))
        # Where the guard is mixed, it says whether a bound or a fault is reached at all.
        bounds = {name: node for name, node in move.bounds.items() if enabled or is_mixed(node)}
        faults = tuple(node for node in move.faults if enabled or bounds or is_mixed(node))
        control = {p: n for p, n in move.updates.items() if p in self.parts.places and is_mixed(n)}
        numbers = {p: n for p, n in move.updates.items() if p in self.parts.number_of}
        roots = [*enabled, *bounds.values(), *faults, *control.values(), *numbers.values()]
        claims = {i: (node, self.parts.known_below([node])) for i, node in move.violations.items() if is_mixed(node)}
        return Mixed(self.parts.known_below(roots), enabled, bounds, faults, control, numbers, claims)

    def _expand(self) -> Iterator[str]:
        yield " rows = []"
        guards = [[n for n in _conjuncts(m.enabled) if not self.parts.is_mixed(n)] for m in self.parts.moves]
        uses = Counter(node for guard in guards for node in topological(guard))
        shared: set[Node] = set()
        yield from self._assign((node for node, count in uses.items() if count > 1), shared, " ")
        for number, guard in enumerate(guards):
            yield " for _ in (0,):"
            yield from self._block(number, guard, set(shared))
        yield " return rows"

    def _block(self, number: int, guard: Iterable[Node], done: set[Node]) -> Iterator[str]:
        """One move; `continue` where it cannot be made."""
        move, mixed = self.parts.moves[number], self.mixed[number]
        for node in guard:
            yield from self._assign([node], done)
            yield f"  if not {_text(node)}: continue"
        for name, node in move.bounds.items():
            if name not in mixed.bounds:
                yield from self._assign([node], done)
                yield f"  if {_text(node)}: cut.append({name!r}); continue"
        for node in move.faults:
            if node not in mixed.faults:
                yield from self._assign([node], done)
                yield f"  if {_text(node)}: faulty.append({number}); continue"
        after, claims = [], []
        for path, node in move.updates.items():
            if path in self.parts.places and path not in mixed.control:
                yield from self._assign([node], done)
                after.append(self._field(path, node))
        yield from self._assign(mixed.known, done)
        yield "  violated = ()"
        for claim, node in move.violations.items():
            if claim in mixed.violations:
                known = mixed.violations[claim][1]
                yield from self._assign(known, done)
                claims.append(_tuple(known))
            else:
                yield from self._assign([node], done)
                yield f"  if {_text(node)}: violated += ({claim},)"
        word = " | ".join([f"s & {self._kept(move)}", *after])
        keys = "".join(f"{key}, " for key in claims)
        yield f"  rows.append(Row({number}, {word}, {_tuple(mixed.known)}, ({keys}), violated))"

    def _examine(self) -> Iterator[str]:
        done: set[Node] = set()
        yield " decided = ()"
        for i, p in enumerate(self.parts.properties):
            if p.state is not None and i not in self.open_claims:
                yield from self._assign([p.state], done, " ")
                negation = "" if p.property.kind == "sometimes" else "not "
                yield f" if {negation}{_text(p.state)}: decided += ({i},)"
        keys = []
        for _, known in self.open_claims.values():
            yield from self._assign(known, done, " ")
            keys.append(_tuple(known))
        yield f" return decided, ({''.join(f'{key}, ' for key in keys)})"

    def _kept(self, move: Move) -> int:
        """A mask of the control variables that the move leaves alone."""
        mask = (1 << self.parts.bits) - 1
        for path in move.updates:
            if path in self.parts.places:
                first, width = self.parts.places[path]
                mask &= ~((1 << width) - 1 << first)
        return mask

    def _field(self, path: str, node: Node) -> str:
        first, _ = self.parts.places[path]
        low, _ = self.parts.range_of[path]
        if node.is_const:
            return str(node.low - low << first)
        value = f"({_text(node)} - {low})" if low else _text(node)
        return f"({value} << {first})"

    def _assign(self, roots: Iterable[Node], done: set[Node], indent: str = "  ") -> Iterator[str]:
        """Every expression below these that has no name yet gets one."""
        for node in topological(roots):
            if node in done or node.is_const:
                continue
            done.add(node)
            yield f"{indent}{_text(node)} = {self._expression(node)}"

    def _expression(self, node: Node) -> str:
        if node.op is not Op.VAR:
            return _OPERATORS[node.op](*(_text(a) for a in node.args))
        path = str(node.value)
        first, width = self.parts.places[path]
        if node.is_bool:
            return f"s & {1 << first} != 0"
        low, _ = self.parts.range_of[path]
        value = f"s >> {first} & {(1 << width) - 1}"
        return f"({value}) + {low}" if low else value


def _compiled(name: str, lines: Iterable[str], **names: Any) -> Callable[..., Any]:
    exec("\n".join(lines), names)
    function: Callable[..., Any] = names[name]
    return function


def _text(node: Node) -> str:
    if node.is_const:
        return str(bool(node.value)) if node.is_bool else f"({node.low})"
    return f"n{node.number}"


def _tuple(nodes: Iterable[Node]) -> str:
    return f"({''.join(f'{_text(node)}, ' for node in nodes)})"


def _conjuncts(node: Node) -> Iterator[Node]:
    """What must hold, piece by piece, for the node to hold."""
    pending = [node]
    while pending:
        node = pending.pop()
        if node.op is Op.AND:
            pending += reversed(node.args)
        elif not (node.is_const and node.value):
            yield node
