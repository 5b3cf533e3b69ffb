"""What a question about the state answers in each state: a method that changes nothing, as a node of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.graph import Expr, Line, evaluate, variables_below
from podproof.checker.core.system import System
from podproof.checker.lowering.actions import state_environment
from podproof.checker.lowering.context import Execution
from podproof.checker.lowering.source import source_of
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.values import Ref, TypedValue


@dataclass(frozen=True)
class LoweredQuery:
    """A question about one element, lowered."""

    name: str
    line: Line
    node: Expr
    reads: tuple[str, ...]
    """The variables that it depends on, by path."""

    def of(self, variables: Mapping[str, int]) -> bool:
        """The answer in a state, of which the variables that it reads have to be given."""
        (value,) = evaluate([self.node], variables)
        return bool(value)


def answers(system: System, names: Sequence[str], argument: int = 0) -> tuple[LoweredQuery, ...]:
    """Each of these methods of the model class, asked about one index. Raises ModelError where one is not lowerable."""
    return tuple(_answer(system, name, argument) for name in names)


def _answer(system: System, name: str, argument: int) -> LoweredQuery:
    graph, cls = system.graph, system.shape.cls
    owner = next(part for part in cls.__mro__ if name in vars(part))
    source = source_of(vars(owner)[name])
    context = Execution(graph, system.scope, state_environment(graph, system.shape, system.constants), read_only=True)
    this, asked = Ref(((graph.true, ""),), system.shape), TypedValue(graph.integer(argument), int)
    value = lower_function(context, source.function, owner, this, asked)
    if not isinstance(value, TypedValue) or value.sort is not bool:
        source.refuse(source.tree, f"{name!r} answers no bool", "return a bool on every path")
    reads = tuple(path for path in system.positions if path in variables_below([value.node]))
    return LoweredQuery(name, source.line(source.tree), value.node, reads)
