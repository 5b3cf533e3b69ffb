"""What every export says about itself, and the parts of the heading that both languages share."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.system import LoweredProperty, Parameter, System, Transition, Variable
from podproof.checker.core.visible import visible
from podproof.checker.export.names import Identifiers, Names, loops
from podproof.checker.reductions.slicing import left_out


@dataclass(frozen=True)
class About:
    """What whoever exports a system says about the text."""

    command: str = "podproof"
    """What it was made by."""
    reductions: Sequence[str] | None = None
    """What was done to the system before; None: nothing."""
    remarks: Sequence[str] = ()
    """What else there is to say, a paragraph an item."""


AS_IT_IS = About()
"""Of a text about which there is nothing to say."""


def heading(
    system: System, properties: Sequence[LoweredProperty], keep: frozenset[str] | None, about: About
) -> list[str]:
    """Version, scenario, bounds and what the text leaves out, a paragraph an item."""
    reductions = left_out(system, keep) if about.reductions is None else about.reductions
    bounds = [bound for t in system.transitions for bound in t.bounds.items()]
    cut = dict.fromkeys(name for name, when in bounds if when is not system.graph.false)
    possible = {t.action.name for t in system.transitions if t.enabled is not system.graph.false}
    never = [action.name for action in system.actions if action.name not in possible]
    seen = [p.property.id for p in properties if p.property.kind == "sometimes"]
    parts = [
        f"{system.name} as a transition system: version {system.version}, environment "
        f"{system.environment}, scenario {system.scenario} ({system.bounds}). Made by: {about.command}",
        f"Reductions: {'; '.join(reductions) or 'none; every variable of the model is here'}. "
        "A variable that can have one value only is a constant here.",
        *about.remarks,
        "A field that leaves its declared range is an error of the model that `podproof check` reports; "
        "this text does not look for such errors.",
    ]
    if cut:
        parts.append(f"Steps that a bound of the scenario cuts off are not taken ({', '.join(cut)}).")
    if never:
        parts.append(f"Left out, for they are never possible in this scenario: {', '.join(never)}.")
    if seen:
        parts.append(f"Not exported, for they ask for a state instead of forbidding one: {', '.join(seen)}.")
    return parts


def paragraphs(parts: Iterable[str], margin: str, width: int = 118) -> list[str]:
    """The parts as comment lines that start with `margin`."""
    lines: list[str] = []
    for part in parts:
        lines += textwrap.wrap(
            visible(part), width, initial_indent=margin, subsequent_indent=f"{margin}  ", break_on_hyphens=False
        )
    return lines


def transition_names(system: System, identifiers: Identifiers) -> Mapping[int, str]:
    """A name for each transition, by its number: the action's, and the values that are fixed in it."""
    names = {}
    for number, transition in enumerate(system.transitions):
        parameters = {p.name: p for p in transition.action.parameters}
        fixed = (
            f"{name}_{parameters[name].show(value)}"
            for name, value in transition.fixed.items()
            if len(parameters[name].values) > 1
        )
        names[number] = identifiers.fresh("_".join([transition.action.name, *fixed]))
    return names


def parameter_names(transition: Transition, taken: Iterable[str]) -> dict[str, str]:
    """An identifier for each parameter that is chosen."""
    identifiers = Identifiers(taken)
    return {p.name: identifiers.fresh(p.name) for p in loops(transition)}


def event(transition: Transition) -> str:
    """The action's label with the fixed values in it and the chosen ones by name."""
    chosen = {p.name: p for p in transition.action.parameters}
    values = {name: _shown(p, transition) for name, p in chosen.items()}
    return transition.action.label.format(**values)


def _shown(parameter: Parameter, transition: Transition) -> str:
    if len(parameter.values) == 1:
        return str(parameter.show(parameter.values[0]))
    if parameter.name in transition.fixed:
        return str(parameter.show(transition.fixed[parameter.name]))
    return f"<{parameter.name}>"


def described(variable: Variable, names: Names) -> str:
    """A variable's path and what it ranges over."""
    if variable.is_bool:
        return variable.path
    for sort, members in names.enumerations.items():
        if names.kinds[variable.path] is members:
            return f"{variable.path}: {sort.__name__}"
    labels = "".join(f", {value} is {label}" for value, label in variable.labels.items())
    return f"{variable.path}: {variable.low}..{variable.high}{labels}"
