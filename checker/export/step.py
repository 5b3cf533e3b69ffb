"""What a step does, as nested branches: the form in which a person writes it and an interpreter runs it fast.

The graph has one expression a variable, most of them conditionals on the same few conditions. Here variables that
depend on one condition share one branch, and an expression that is large and used more than once is named, in the
innermost block that has all its uses.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from podproof.checker.core.graph import Expr, Graph, Line, Op, consistent, operands, topological
from podproof.checker.core.system import LoweredProperty, System, Transition

_SMALL = 4
"""An expression with no more nodes than this is written out wherever it is used."""
_SAVING = 8
"""A definition has to save at least so many nodes."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """A variable and its value after the step, or a claim (its id) and when the step violates it."""

    target: str
    node: Expr
    lines: Mapping[Expr, str] | None = None
    """The lines of the model that store the values of which this one may be made; None for a claim."""
    line: str = ""

    @property
    def is_claim(self) -> bool:
        return self.lines is None

    @property
    def keeps(self) -> bool:
        """Is the variable left as it is?"""
        return not self.is_claim and self.node.op is Op.VAR and self.node.value == self.target

    def part(self, node: Expr) -> Assignment:
        """A value of which this one is made: whoever stored the whole stored it, too."""
        return replace(self, node=node, line=self.line or (self.lines or {}).get(node, ""))


@dataclass(frozen=True)
class Branch:
    condition: Expr
    then: Block
    other: Block


@dataclass(frozen=True)
class Block:
    """Definitions, in an order in which each uses only earlier ones, and then what is done."""

    lets: tuple[Expr, ...]
    units: tuple[Assignment | Branch, ...]

    def written(self) -> set[str]:
        """The variables that get another value."""
        return set().union(*map(_write, self.units))


def _write(unit: Assignment | Branch) -> set[str]:
    if isinstance(unit, Branch):
        return unit.then.written() | unit.other.written()
    return set() if unit.is_claim or unit.keeps else {unit.target}


def possible(graph: Graph, transition: Transition) -> Expr:
    """When the step can be taken and no bound of the scenario cuts it off."""
    return graph.and_(transition.enabled, *(graph.not_(node) for node in transition.bounds.values()))


def assignments(transition: Transition, stored: Collection[str]) -> Iterator[Assignment]:
    """What the step gives to the variables that are stored, with the lines that do it."""
    for path, node in transition.updates.items():
        if path in stored:
            found: dict[Expr, set[Line]] = {}
            for value, line in transition.stores.get(path, ()):
                found.setdefault(value, set()).add(line)
            # Where several lines store the same it is not known which of them was last.
            yield Assignment(path, node, {value: str(*at) for value, at in found.items() if len(at) == 1}).part(node)


def breaches(system: System, properties: Sequence[LoweredProperty]) -> tuple[Mapping[str, Expr], ...]:
    """For each transition: a claim's id, and when taking the transition violates the claim, where it may."""
    graph = system.graph
    may_be = functools.cache(lambda condition: consistent(graph, condition) is not graph.false)
    guards = [possible(graph, transition) for transition in system.transitions]
    return tuple(
        {p.property.id: p.steps[n] for p in properties if p.steps is not None and may_be(graph.and_(guard, p.steps[n]))}
        for n, guard in enumerate(guards)
    )


def common_conditions(found: Sequence[Mapping[str, Expr]]) -> Mapping[Expr, str]:
    """The large conditions on the state that are asked of more than one transition, each with the first claim."""
    times = Counter(node for violated in found for node in violated.values())
    claims: dict[Expr, str] = {}
    for name, node in (item for violated in found for item in violated.items()):
        parts = topological([node]) if times[node] > 1 and node not in claims else []
        if len(parts) > _SMALL and not any(part.op is Op.PARAM for part in parts):
            claims[node] = name
    return claims


def plan(graph: Graph, items: Sequence[Assignment], named: Set[Expr] = frozenset()) -> Block:
    """The items as a block; `named` are the nodes that have names already."""
    splits = [_splits(graph, item, named) for item in items]
    shared = Counter(condition for found in splits for condition in found)
    groups: dict[Expr | Assignment, tuple[list[Assignment], list[Assignment]]] = {}
    """In order of first appearance: what stands alone, and conditions with what depends on them, by their value."""
    for item, found in zip(items, splits, strict=True):
        condition = max(found, key=shared.__getitem__, default=None)
        if condition is None or (shared[condition] == 1 and item.node.op is not Op.ITE):
            groups[item] = [item], []
            continue
        for side, value in zip(groups.setdefault(condition, ([], [])), found[condition], strict=True):
            side.append(item.part(value))
    lets = _shared_nodes(groups, named)
    inner = named | set(lets)
    units = (
        Branch(unit, plan(graph, then, inner), plan(graph, other, inner)) if isinstance(unit, Expr) else unit
        for unit, (then, other) in groups.items()
    )
    return Block(tuple(lets), tuple(units))


def _splits(graph: Graph, item: Assignment, named: Set[Expr]) -> dict[Expr, tuple[Expr, Expr]]:
    """The conditions by which the item can be split, and its value where each is true and where it is false."""
    node = item.node
    if item.is_claim or node in named or node.op not in (Op.ITE, Op.AND, Op.OR):
        return {}
    if node.op is Op.ITE:
        condition, then, other = node.args
        return {condition: (then, other)}
    join, decided = (graph.and_, graph.false) if node.op is Op.AND else (graph.or_, graph.true)
    found, parts = {}, list(operands(node.op, node))
    for part in parts:
        if part.op is not Op.VAR or part.value != item.target:
            rest = join(*(p for p in parts if p is not part))
            # A conjunction is its rest where the part is true, a disjunction where it is false.
            is_negated = part.op is Op.NOT
            values = (rest, decided) if (node.op is Op.AND) != is_negated else (decided, rest)
            found[part.args[0] if is_negated else part] = values
    return found


def _shared_nodes(
    groups: Mapping[Expr | Assignment, tuple[Sequence[Assignment], Sequence[Assignment]]], named: Set[Expr]
) -> list[Expr]:
    """The large nodes with two uses or more that no inner block could define for itself."""
    roots = [unit if isinstance(unit, Expr) else unit.node for unit in groups]
    blocks = [
        [item.node for item in side] for unit, sides in groups.items() if isinstance(unit, Expr) for side in sides
    ]
    here = below(roots, named)
    inner = Counter(node for block in blocks for node in below(block, named))
    uses = Counter([*roots, *(node for block in blocks for node in block)])
    everything = here | set(inner)
    uses.update(argument for node in everything for argument in set(node.args))
    size, found = dict[Expr, int](), []
    for node in topological(everything):
        size[node] = 1 if node in named else 1 + sum(size[a] for a in node.args)
        is_large = size[node] > _SMALL and (uses[node] - 1) * size[node] >= _SAVING
        if is_large and (node in here or inner[node] > 1):
            found.append(node)
            size[node] = 1  # from here on it is a name
    return found


def below(roots: Iterable[Expr], named: Set[Expr]) -> set[Expr]:
    """The nodes of these expressions but constants, not looking behind names."""
    seen, pending = set[Expr](), list(roots)
    while pending:
        node = pending.pop()
        if node not in seen and node not in named and not node.is_const:
            seen.add(node)
            pending += node.args
    return seen


def in_sequence(block: Block) -> Block:
    """The block with each unit before those that overwrite what it reads; in a circle the first goes first."""
    units = [
        Branch(u.condition, in_sequence(u.then), in_sequence(u.other)) if isinstance(u, Branch) else u
        for u in block.units
    ]
    reads = {id(unit): _variables(_nodes(unit), set()) for unit in units}
    ordered: list[Assignment | Branch] = []
    while units:
        safe = (u for u in units if not any(_write(u) & reads[id(v)] for v in units if v is not u))
        ordered.append(next(safe, units[0]))
        units = [unit for unit in units if unit is not ordered[-1]]
    return Block(block.lets, tuple(ordered))


def late_reads(block: Block, written: Set[str] = frozenset(), named: Set[Expr] = frozenset()) -> set[str]:
    """The variables that are read after they may have been written; some were `written` before the block."""
    found = set[str]()
    for node in block.lets:
        found |= _variables([node], named) & written
        named = named | {node}
    for unit in block.units:
        if isinstance(unit, Branch):
            found |= _variables([unit.condition], named) & written
            found |= late_reads(unit.then, written, named) | late_reads(unit.other, written, named)
        elif not unit.keeps:
            found |= _variables([unit.node], named) & written
        written = written | _write(unit)
    return found


def _variables(roots: Iterable[Expr], named: Set[Expr]) -> set[str]:
    """The variables in the text of these expressions, in which names stand for the named nodes."""
    return {str(node.value) for node in below(roots, named) if node.op is Op.VAR}


def _nodes(unit: Assignment | Branch) -> Iterable[Expr]:
    if isinstance(unit, Branch):
        inner = (node for block in (unit.then, unit.other) for u in block.units for node in _nodes(u))
        return [unit.condition, *inner]
    return () if unit.keeps else (unit.node,)
