"""What the graph has no value of: the variables of a state, and the parameters of actions and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podproof.checker.core.graph import UNBOUNDED, Expr, Graph
from podproof.checker.core.shapes import Record, Scalar, Scope, hints_of, leaves, shape_of
from podproof.checker.core.system import ModelError, Parameter
from podproof.checker.lowering.source import source_of
from podproof.checker.lowering.values import TypedValue


def parameter_of(function: Callable[..., Any], name: str, scope: Scope, owner: str) -> Parameter:
    """A parameter with every value it can take; `owner` names what has it. Raises ModelError for one that is wrong."""
    source, hints = source_of(function), hints_of(function)
    if name not in hints:
        what = f"the parameter {name!r} of {owner} has no domain"
        source.refuse(source.tree, what, "annotate it with bool, an Enum or a Domain")
    try:
        scalar = shape_of(hints[name], scope, f"parameter {name!r}")
    except ModelError as error:
        what, _, instead = str(error).partition("; ")
        source.refuse(source.tree, f"{owner}: {what}", instead)
    if not isinstance(scalar, Scalar):
        source.refuse(source.tree, f"the parameter {name!r} is a record", "pass bools, numbers, enumerations")
    # A domain need not be an interval, and may name a value twice, which is one choice all the same.
    is_number = scalar.sort is int
    values = map(scalar.encode, scope.domains[scalar.domain].values) if is_number else range(scalar.high + 1)
    return Parameter(name, scalar, tuple(dict.fromkeys(values)), scalar.high >= UNBOUNDED)


def argument(graph: Graph, parameter: Parameter, fixed: Mapping[str, int]) -> TypedValue:
    """A parameter's value in the graph: a constant where it is fixed or has one value only."""
    values = (fixed[parameter.name],) if parameter.name in fixed else parameter.values
    if parameter.unbounded:
        node = graph.parameter(parameter.name, False, min(values), UNBOUNDED)
    elif len(values) == 1:
        node = graph.constant(parameter.is_bool, values[0])
    else:
        node = graph.parameter(parameter.name, parameter.is_bool, min(values), max(values))
    return TypedValue(node, parameter.scalar.sort, parameter.scalar.nil)


def state_environment(graph: Graph, shape: Record, constants: Mapping[str, int], prefix: str = "") -> dict[str, Expr]:
    """Every leaf as a variable of the graph, the constant ones as constants."""
    start: dict[str, Expr] = {}
    for path, scalar, _ in leaves(shape):
        key = f"{prefix}{path}"
        if path in constants or scalar.low == scalar.high:
            start[key] = graph.constant(scalar.is_bool, constants.get(path, scalar.low))
        else:
            start[key] = graph.variable(key, scalar.is_bool, scalar.low, scalar.high)
    return start
