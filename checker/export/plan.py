"""What a step does, as nested branches: the form in which a person writes it and an interpreter runs it fast.

The graph has one expression a variable, most of them conditionals on the same few conditions. Here variables that
depend on one condition share one branch, and an expression that is large and used more than once is named, in the
innermost block that has all its uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from podproof.checker.core.graph import Graph, Node, Op, topological

_SMALL = 4
"""An expression with no more nodes than this is written out wherever it is used."""
_SAVING = 8
"""A definition has to save at least so many nodes."""


@dataclass(frozen=True)
class Item:
    """What has to get a value: a variable (its path) or the verdict on a claim (its id)."""

    target: str
    node: Node
    is_claim: bool = False
    line: str = ""
    """The line of the model that gives the variable this value, where it is known."""
    lines: Mapping[Node, str] = field(default_factory=dict, repr=False)
    """The same for the values of which this one may be made."""

    def part(self, node: Node) -> Item:
        """A value of which this one is made: whoever stored the whole stored it, too."""
        return replace(self, node=node, line=self.line or self.lines.get(node, ""))


@dataclass(frozen=True)
class Branch:
    condition: Node
    then: Block
    other: Block


@dataclass(frozen=True)
class Block:
    """Definitions, in an order in which each uses only earlier ones, and then what is done."""

    lets: tuple[Node, ...]
    units: tuple[Item | Branch, ...]


@dataclass(frozen=True)
class _Group:
    """Items that depend on one condition, split by its value."""

    condition: Node
    then: list[Item] = field(default_factory=list)
    other: list[Item] = field(default_factory=list)


def plan(graph: Graph, items: Sequence[Item], named: Set[Node] = frozenset()) -> Block:
    """The items as a block; `named` are the nodes that have names already."""
    units = _units(graph, items, named)
    lets = _shared(units, named)
    inner = named | set(lets)
    planned = (
        Branch(u.condition, plan(graph, u.then, inner), plan(graph, u.other, inner)) if isinstance(u, _Group) else u
        for u in units
    )
    return Block(tuple(lets), tuple(planned))


def _units(graph: Graph, items: Sequence[Item], named: Set[Node]) -> list[Item | _Group]:
    """Single items, and groups of those that depend on the same condition, in order of first appearance."""
    splits = {item.target: _splits(graph, item, named) for item in items}
    counts = Counter(condition for found in splits.values() for condition in found)
    groups: dict[Node, _Group] = {}
    units: list[Item | _Group] = []
    for item in items:
        found = splits[item.target]
        condition = max(found, key=lambda c: counts[c], default=None)
        if condition is None or (counts[condition] < 2 and not _keeps(item, found[condition])):
            units.append(item)
            continue
        if condition not in groups:
            groups[condition] = _Group(condition)
            units.append(groups[condition])
        then, other = found[condition]
        groups[condition].then.append(item.part(then))
        groups[condition].other.append(item.part(other))
    return units


def _splits(graph: Graph, item: Item, named: Set[Node]) -> dict[Node, tuple[Node, Node]]:
    """The conditions by which the item can be split, and its value where each is true and where it is false."""
    node = item.node
    if item.is_claim or node in named or node.op not in (Op.ITE, Op.AND, Op.OR):
        return {}
    if node.op is Op.ITE:
        condition, then, other = node.args
        return {condition: (then, other)}
    join, decided = (graph.and_, graph.false) if node.op is Op.AND else (graph.or_, graph.true)
    found = {}
    parts = _parts(node)
    for part in parts:
        if part.op is Op.VAR and part.value == item.target:
            continue
        rest = join(*(p for p in parts if p is not part))
        # A conjunction is its rest where the part is true, a disjunction where it is false.
        is_negated = part.op is Op.NOT
        condition = part.args[0] if is_negated else part
        rest_is_then = (node.op is Op.AND) != is_negated
        found[condition] = (rest, decided) if rest_is_then else (decided, rest)
    return found


def _parts(node: Node) -> list[Node]:
    """The parts of a conjunction or disjunction."""
    left, right = node.args
    return [*(_parts(left) if left.op is node.op else [left]), right]


def _keeps(item: Item, values: tuple[Node, Node]) -> bool:
    """Does the variable keep its value on one side of the condition?"""
    return item.node.op is Op.ITE and any(is_unchanged(item.part(value)) for value in values)


def is_unchanged(item: Item) -> bool:
    return not item.is_claim and item.node.op is Op.VAR and item.node.value == item.target


def _shared(units: Sequence[Item | _Group], named: Set[Node]) -> list[Node]:
    """The large nodes with two uses or more that no inner block could define for itself."""
    uses: dict[Node, int] = {}
    here: set[Node] = set()
    inner: dict[Node, int] = {}
    roots: list[Node] = []
    for unit in units:
        if isinstance(unit, Item):
            roots.append(unit.node)
            here |= _below([unit.node], named)
        else:
            roots.append(unit.condition)
            here |= _below([unit.condition], named)
            for side in (unit.then, unit.other):
                values = [item.node for item in side]
                roots += values
                for node in _below(values, named):
                    inner[node] = inner.get(node, 0) + 1
    everything = here | set(inner)
    for node in roots:
        uses[node] = uses.get(node, 0) + 1
    for node in everything:
        for argument in set(node.args):
            uses[argument] = uses.get(argument, 0) + 1
    size: dict[Node, int] = {}
    found = []
    for node in topological(everything):
        size[node] = 1 if node in named else 1 + sum(size[a] for a in node.args)
        saved = (uses.get(node, 0) - 1) * size[node]
        if node not in everything or size[node] <= _SMALL or saved < _SAVING:
            continue
        if node in here or inner.get(node, 0) > 1:
            found.append(node)
            size[node] = 1  # from here on it is a name
    return found


def _below(roots: Iterable[Node], named: Set[Node]) -> set[Node]:
    """The nodes of these expressions, not looking behind names."""
    seen: set[Node] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in seen and node not in named and not node.is_const:
            seen.add(node)
            pending += node.args
    return seen
