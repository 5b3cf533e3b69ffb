"""From all at once to one after the other: an order of assignments, and whose values before the step must be kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from podproof.checker.core.graph import Node, variables_below
from podproof.checker.export.plan import Block, Branch, Item, is_unchanged


def in_sequence(block: Block) -> Block:
    """The block without assignments of a variable to itself, each unit before those that overwrite what it reads."""
    units: list[Item | Branch] = []
    for unit in block.units:
        if isinstance(unit, Branch):
            branch = Branch(unit.condition, in_sequence(unit.then), in_sequence(unit.other))
            if branch.then.units or branch.other.units:
                units.append(branch)
        elif not is_unchanged(unit):
            units.append(unit)
    return Block(block.lets, tuple(_ordered(units)))


def _ordered(units: list[Item | Branch]) -> Iterator[Item | Branch]:
    """Where units overwrite what the others read in a circle, the first goes first."""
    reads = {id(unit): variables_below(_nodes(unit)) for unit in units}
    writes = {id(unit): set(_targets(unit)) for unit in units}
    while units:
        chosen = next(
            (u for u in units if not any(writes[id(u)] & reads[id(v)] for v in units if v is not u)), units[0]
        )
        units = [u for u in units if u is not chosen]
        yield chosen


def conflicts(block: Block) -> Sequence[str]:
    """The variables that are read after they may have been overwritten."""
    found: dict[str, None] = {}
    _walk(block, set(), set(), found)
    return tuple(found)


def _walk(block: Block, written: set[str], named: set[Node], found: dict[str, None]) -> set[str]:
    """What has been written when the block has run; `written` is what had been before it."""
    written, named = set(written), set(named)

    def read(node: Node) -> None:
        found.update((path, None) for path in sorted(_variables(node, named) & written))

    for node in block.lets:
        read(node)
        named.add(node)
    for unit in block.units:
        if isinstance(unit, Branch):
            read(unit.condition)
            written = _walk(unit.then, written, named, found) | _walk(unit.other, written, named, found)
        else:
            read(unit.node)
            written |= set(_targets(unit))
    return written


def _variables(node: Node, named: set[Node]) -> set[str]:
    """The variables in the text of this expression, in which names stand for the named nodes."""
    found: set[str] = set()
    pending, seen = [node], set(named)
    while pending:
        item = pending.pop()
        if item not in seen:
            seen.add(item)
            found |= variables_below([item]) if not item.args else set()
            pending += item.args
    return found


def _nodes(unit: Item | Branch) -> Iterable[Node]:
    if isinstance(unit, Item):
        return [unit.node]
    inner = (node for block in (unit.then, unit.other) for u in block.units for node in _nodes(u))
    return [unit.condition, *inner]


def _targets(unit: Item | Branch) -> Iterable[str]:
    if isinstance(unit, Item):
        return [] if unit.is_claim else [unit.target]
    return [t for block in (unit.then, unit.other) for u in block.units for t in _targets(u)]
