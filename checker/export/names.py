"""Identifiers for what the model calls by paths and labels; every one is given out once."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.shapes import Scalar, leaves, members
from podproof.checker.core.system import Action, Parameter, System, TooWide, Transition, Variable

MOST = (1 << 31) - 1
"""SPIN calculates with 32 bits and wraps around in silence; TLC does too, and gives up."""
NIL = "NIL"
_NIL_LABEL = "nil"

Kind = Mapping[int, str]
"""The identifiers of those values of a number that have one."""


class Identifiers:
    """Gives out identifiers, each once and none that is taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)

    def fresh(self, text: str) -> str:
        """The text as an identifier: `workers[0][1].position` becomes `workers_0_1_position`."""
        base = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"
        if base[0].isdigit():
            base = f"x{base}"
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name


def camel(text: str) -> str:
    """`kill_pod_now` as `KillPodNow`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+|_", text) if part)


@dataclass
class ExportNames:
    """The identifiers of one exported system; `variables` are those that are stored, in the system's order."""

    identifiers: Identifiers
    variables: tuple[Variable, ...]
    of_variable: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    """By a variable's path."""
    enumerations: dict[type[enum.Enum], dict[int, str]] = field(default_factory=dict)
    has_nil: bool = False

    def scalar_kind(self, sort: type, labels: Mapping[int, str]) -> Kind:
        """The named values of a variable or parameter."""
        if issubclass(sort, enum.Enum):
            if sort not in self.enumerations:
                fresh = self.identifiers.fresh
                self.enumerations[sort] = {i: fresh(f"{sort.__name__}_{m.name}") for i, m in enumerate(members(sort))}
            return self.enumerations[sort]
        nil = {value: NIL for value, label in labels.items() if label == _NIL_LABEL and value == -1}
        self.has_nil = self.has_nil or bool(nil)
        return nil

    def parameter_kind(self, action: Action, parameter: Parameter) -> Kind:
        first = action.arguments({p.name: p.values[0] for p in action.parameters})
        return self.scalar_kind(type(first[parameter.name]), parameter.labels)

    def of_transition(self, transition: Transition) -> str:
        """A name for a transition: the action's, and the values that are fixed in it."""
        parameters = {p.name: p for p in transition.action.parameters}
        fixed = (
            f"{name}_{parameters[name].show(value)}"
            for name, value in transition.fixed.items()
            if len(parameters[name].values) > 1
        )
        return self.identifiers.fresh("_".join([transition.action.name, *fixed]))


def names_of(system: System, keep: frozenset[str] | None, reserved: Iterable[str]) -> ExportNames:
    """Identifiers for every stored variable that can change, and for the values that have names."""
    stored = tuple(v for v in system.variables if (keep is None or v.path in keep) and v.low != v.high)
    names = ExportNames(Identifiers({*reserved, NIL}), stored)
    scalars: dict[str, Scalar] = {path: scalar for path, scalar, _ in leaves(system.shape)}
    for variable in stored:
        refuse_wide(variable.low, variable.high, variable.path)
        names.of_variable[variable.path] = names.identifiers.fresh(variable.path)
        names.kinds[variable.path] = names.scalar_kind(scalars[variable.path].sort, variable.labels)
    for transition in system.transitions:
        for parameter in choices(transition):
            refuse_wide(min(parameter.values), max(parameter.values), f"{transition.action.line}: {parameter.name}")
            names.parameter_kind(transition.action, parameter)
    return names


def refuse_wide(low: int, high: int, where: object) -> None:
    """Raises TooWide where numbers between these two may be more than SPIN and TLC can calculate with."""
    if low < -MOST or high > MOST:
        raise TooWide(
            f"{where}: a number here may be anything from {low} to {high}, and SPIN and TLC calculate with 32 bits, "
            f"from {-MOST} to {MOST}; use smaller numbers"
        )


def choices(transition: Transition) -> Sequence[Parameter]:
    """The parameters that are chosen; one with a single value is a constant of the graph."""
    return [p for p in transition.free if len(p.values) > 1]
