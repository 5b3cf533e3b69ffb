"""What all languages share: the heading, names, and expressions with definitions and lines that are not too long."""

from __future__ import annotations

import enum
import itertools
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.graph import Expr, Op
from podproof.checker.core.printer import Printer, Show, Syntax, visible
from podproof.checker.core.shapes import Scalar, leaves, members
from podproof.checker.core.system import (
    AFTER,
    LoweredProperty,
    Parameter,
    System,
    TooWide,
    Transition,
    Variable,
)
from podproof.checker.export.step import breaches

# -- identifiers -------------------------------------------------------------------------------------------------------


MOST = (1 << 31) - 1
"""SPIN calculates with 32 bits and wraps around in silence; TLC does too, and gives up."""
NIL = "NIL"
_NIL_LABEL = "nil"

ValueNames = Mapping[int, str]
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
    kinds: dict[str, ValueNames] = field(default_factory=dict)
    """By a variable's path."""
    enumerations: dict[type[enum.Enum], dict[int, str]] = field(default_factory=dict)
    has_nil: bool = False

    def kind(self, scalar: Scalar) -> ValueNames:
        """The named values of a variable or parameter."""
        sort = scalar.sort
        if issubclass(sort, enum.Enum):
            if sort not in self.enumerations:
                fresh = self.identifiers.fresh
                self.enumerations[sort] = {i: fresh(f"{sort.__name__}_{m.name}") for i, m in enumerate(scalar.members)}
            return self.enumerations[sort]
        nil = {value: NIL for value, label in scalar.labels.items() if label == _NIL_LABEL and value == -1}
        self.has_nil = self.has_nil or bool(nil)
        return nil

    def of_parameter(self, parameter: Parameter) -> ValueNames:
        return self.kind(parameter.scalar)

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
        names.kinds[variable.path] = names.kind(scalars[variable.path])
    for transition in system.transitions:
        for parameter in choices(transition):
            refuse_wide(min(parameter.values), max(parameter.values), f"{transition.action.line}: {parameter.name}")
            names.of_parameter(parameter)
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


# -- a language --------------------------------------------------------------------------------------------------------


WIDTH = 118
_TOGETHER = re.compile(r" (?=(?:&&|\|\||/\\|\\/|[=!<>#+-]=?) )|(?<= [=!<>#+-]) |(?<= [=!<>]=) ")
"""Spaces at which no line ends. One that began with a conjunction would be a list of its own in TLA+."""
_GLUE = "\0"


@dataclass(frozen=True)
class About:
    """What whoever exports a system says about the text."""

    command: str = "podproof"
    """What it was made by."""
    reductions: Sequence[str] = ()
    """What was done to the system before."""
    remarks: Sequence[str] = ()
    """What else there is to say, a paragraph an item."""


class Language(ABC):
    """One system with its claims, to be written in a language; `keep` names the variables that are stored."""

    def __init__(
        self,
        syntax: Syntax,
        reserved: Iterable[str],
        system: System,
        properties: Sequence[LoweredProperty],
        keep: frozenset[str] | None,
    ) -> None:
        self.syntax, self.system, self.properties, self.keep = syntax, system, properties, keep
        self.names = names_of(system, keep, reserved)
        self.safety = [p for p in properties if not p.property.is_witnessed]
        self.transitions = {n: t for n, t in enumerate(system.transitions) if t.enabled is not system.graph.false}
        self.breaches = breaches(system, properties)

    @abstractmethod
    def comment(self, text: str) -> str:
        """A comment behind code; nothing where there is nothing to say."""

    def heading(self, about: About) -> list[str]:
        """Version, scenario, bounds and what the text leaves out, a paragraph an item."""
        system = self.system
        dropped = 0 if self.keep is None else sum(v.path not in self.keep for v in system.variables)
        none = f"{dropped} variables are left out" if dropped else "none; every variable of the model is here"
        bounds = [bound for t in system.transitions for bound in t.bounds.items()]
        cut = dict.fromkeys(name for name, when in bounds if when is not system.graph.false)
        ever = {t.action.name for t in self.transitions.values()}
        never = [action.name for action in system.actions if action.name not in ever]
        seen = [p.property.id for p in self.properties if p.property.is_witnessed]
        parts = [
            f"{system.name} as a transition system: version {system.version}, environment "
            f"{system.environment}, scenario {system.scenario} ({system.bounds}). Made by: {about.command}",
            f"Reductions: {'; '.join(about.reductions) or none}. "
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

    def event(self, transition: Transition) -> str:
        """Who acts, the action's label with the fixed values in it and the chosen ones by name, and its line."""

        def shown(parameter: Parameter) -> str:
            if parameter.name not in transition.fixed and len(parameter.values) > 1:
                return f"<{parameter.name}>"
            return str(parameter.show(transition.fixed.get(parameter.name, parameter.values[0])))

        action = transition.action
        label = action.label.format(**{parameter.name: shown(parameter) for parameter in action.parameters})
        return f"{action.actor}: {label}. {action.line}"

    def enumerations(self, definition: str) -> Iterator[str]:
        """The members of enumerations; `definition` takes a name and a number by position."""
        for sort, names in self.names.enumerations.items():
            for member, (index, name) in zip(members(sort, self.system.scope), names.items(), strict=True):
                yield definition.format(name, index) + self.comment(str(member.value))

    def description(self, variable: Variable) -> str:
        """A comment with a variable's path and what it ranges over."""
        kind = self.names.kinds[variable.path]
        labels = "".join(f", {value} is {label}" for value, label in variable.labels.items())
        ranges = [f": {variable.low}..{variable.high}{labels}"]
        ranges = [f": {sort.__name__}" for sort, names in self.names.enumerations.items() if names is kind] or ranges
        return self.comment(variable.path + ("" if variable.is_bool else ranges[0]))

    def value(self, sort: Variable | Parameter, kind: ValueNames, value: int) -> str:
        if sort.is_bool:
            return self.syntax.true if value else self.syntax.false
        return kind.get(value, str(value))

    def initial(self) -> Iterator[list[tuple[str, str]]]:
        """For each initial state, the stored variables' names with their values."""
        names = self.names
        for state in self.system.initial:
            yield [
                (names.of_variable[v.path], self.value(v, names.kinds[v.path], state[self.system.index(v.path)]))
                for v in names.variables
            ]


class Formulas(Printer):
    """Writes expressions of one transition or claim, and definitions with the lines of the model that they are of."""

    def __init__(
        self, language: Language, transition: Transition | None = None, claims: Iterable[LoweredProperty] = ()
    ) -> None:
        self.language = language
        self.local = Identifiers(language.names.identifiers.taken)
        """Names within one action, which other actions may use again."""
        chosen = choices(transition) if transition else ()
        self.parameters = {p.name: self.local.fresh(p.name) for p in chosen}
        kinds = {p.name: language.names.of_parameter(p) for p in chosen}
        self._kinds: Mapping[Op, Mapping[str, ValueNames]] = {Op.VAR: language.names.kinds, Op.PARAM: kinds}
        self._names: Mapping[Op, dict[str, str]] = {Op.VAR: dict(language.names.of_variable), Op.PARAM: self.parameters}
        self._count = itertools.count(1)
        # An expression is made once in a graph, and knows the line that made it first, which may be of another action.
        self._sources = frozenset(transition.source if transition else ()).union(*(p.source for p in claims))
        super().__init__(language.syntax, lambda node: self._names[node.op][str(node.value)], self._values)

    def rename(self, path: str, name: str) -> None:
        """From now on the variable is written like this."""
        self._names[Op.VAR][path] = name

    def _values(self, leaf: Expr) -> Show | None:
        kind = self._kinds[leaf.op].get(str(leaf.value).removeprefix(AFTER))
        return (lambda value: kind.get(value, str(value))) if kind else None

    def text(self, node: Expr, needs: int = 0, show: Show | None = None) -> str:
        if not node.is_bool:
            refuse_wide(node.low, node.high, node.line or node.value)
        return super().text(node, needs, show)

    def new_value(self, path: str, node: Expr, needs: int = 0) -> str:
        """The text of a variable's new value."""
        kind = self.language.names.kinds[path]
        return self.text(node, needs, lambda value: kind.get(value, str(value)))

    def definitions(self, nodes: Iterable[Expr]) -> Iterator[tuple[Expr, str, str, str]]:
        """Each of these with a name, by which it is known from then on, its text and a comment with its line."""
        for node in nodes:
            text = self.text(node)
            while (name := f"{'is' if node.is_bool else 'value'}_{next(self._count)}") in self.local.taken:
                pass
            self.names[node] = name
            yield node, name, text, self.language.comment(str(node.line) if node.line in self._sources else "")

    def forget(self, nodes: Iterable[Expr]) -> None:
        """Their definitions were for an inner scope."""
        for node in nodes:
            del self.names[node]


def paragraphs(parts: Iterable[str], margin: str, code: Callable[[str], str] = visible) -> list[str]:
    """The parts as comment lines that start with `margin`."""
    return [
        line
        for part in parts
        for line in textwrap.wrap(
            code(part), WIDTH, initial_indent=margin, subsequent_indent=f"{margin}  ", break_on_hyphens=False
        )
    ]


def wrap(head: str, text: str, tail: str = "", comment: str = "") -> str:
    """A line of an export, broken where it is too long; the parts that follow stand further in.

    Head and comment are not broken.
    """
    margin = len(head) - len(head.lstrip())
    lines = textwrap.wrap(
        head[margin:].replace(" ", _GLUE) + _TOGETHER.sub(_GLUE, text + tail) + comment.replace(" ", _GLUE),
        max(WIDTH, margin + 60),
        initial_indent=" " * margin,
        subsequent_indent=" " * (margin + 6),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_GLUE, " ")
