"""What the lowering of one action or claim carries through all the functions that it calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from podproof.checker.core.graph import Expr, Graph, Line, Op
from podproof.checker.core.shapes import Scope
from podproof.checker.lowering.source import Source
from podproof.checker.lowering.values import Environment

ENABLED = "%enabled"
"""Key of an environment: does every `require` so far hold?"""
CUT = "%flag:cut"
"""Has an `out_of_bounds` been met?"""
FAILED = "%flag:failed"
"""Has an index left its array, or an assertion failed?"""


class NeedsFixed(Exception):
    """A parameter indexes an array: the action is lowered once for each of its values."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


@dataclass
class Execution:
    """What the lowering of one action or claim carries through all the functions it calls."""

    graph: Graph
    scope: Scope
    env: Environment
    temporaries: int = 0
    clock: int = 0
    replaced: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Path of a record that was replaced -> (when, source line)."""
    stored: dict[str, int] = field(default_factory=dict)
    """Path of a temporary record that was stored -> source line."""
    stack: list[Source] = field(default_factory=list)
    constants: Collection[str] = ()
    """Paths of the leaves that no action may write."""
    written: dict[str, Line] = field(default_factory=dict)
    """Path of a leaf that may have left its range -> the line that wrote it last."""
    nil_stored: dict[str, Line] = field(default_factory=dict)
    """Path of a leaf that cannot be nil -> the line that may have stored nil there."""
    lines: list[Line] = field(default_factory=list)
    """The line of each statement that was lowered."""
    stores: list[tuple[str, Expr, Line | None]] = field(default_factory=list)
    """Path of a leaf, the value that a statement stores there, and its line."""
    touched: bool = False
    """Has the state been assigned to?"""
    read_only: bool = False
    """Is this a claim, which may not assign to the state?"""

    assumed: list[Expr] = field(default_factory=list)
    """Conditions under which the place that is lowered now is come to."""

    @contextmanager
    def assuming(self, condition: Expr) -> Iterator[None]:
        """What is lowered meanwhile is come to only where the condition holds."""
        before = len(self.assumed)
        self.assume(condition)
        yield
        del self.assumed[before:]

    def assume(self, condition: Expr) -> None:
        """From here to the end of the block the condition holds."""
        self.assumed += self._parts(condition)

    def holds(self, condition: Expr) -> bool:
        """Is the condition known to hold here?"""
        return all(part in self.assumed for part in self._parts(condition))

    def _parts(self, condition: Expr) -> Iterator[Expr]:
        """What has to hold one by one for the condition to hold."""
        if condition.op is Op.AND:
            yield from (part for half in condition.args for part in self._parts(half))
        elif condition.op is Op.NOT and condition.args[0].op is Op.OR:
            yield from (part for half in condition.args[0].args for part in self._parts(self.graph.not_(half)))
        elif condition is not self.graph.true:
            yield condition

    def flag(self, key: str, condition: Expr) -> None:
        """Remember that `condition` was met on the present path."""
        if condition is not self.graph.false:
            self.env[key] = self.graph.or_(self.env.get(key, self.graph.false), condition)

    def when(self, key: str) -> Expr:
        """On which executions that came here a flag was met."""
        return self.env.get(key, self.graph.false)

    def cut(self, bound: str) -> None:
        """Python stops here, unless it has stopped before: what comes after no longer counts."""
        stops = self.graph.not_(self.graph.or_(self.when(FAILED), self.when(CUT)))
        self.flag(f"%bound:{bound}", stops)
        self.flag(CUT, stops)

    def fail(self, fault: str, condition: Expr) -> None:
        """Python raises an error here under this condition, unless it has stopped before."""
        condition = self.graph.and_(condition, self.graph.not_(self.when(CUT)))
        self.flag(f"%fault:{fault}", condition)
        self.flag(FAILED, condition)

    @property
    def is_dead(self) -> bool:
        """Does no execution come here, in this scenario?"""
        graph = self.graph
        return self.env.get(ENABLED) is graph.false or graph.true in (self.when(FAILED), self.when(CUT))
