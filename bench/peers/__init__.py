"""What all languages share: the heading, names, and expressions with definitions and lines that are not too long."""

from __future__ import annotations

import enum
import functools
import itertools
import re
import textwrap
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from podproof.checker.core.graph import Expr, Graph, Line, Op, consistent, operands, topological
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


# -- what a step does, as nested branches: the form in which a person writes it and an interpreter runs it fast --------
#
# The graph has one expression a variable, most of them conditionals on the same few conditions. Here variables that
# depend on one condition share one branch, and an expression that is large and used more than once is named, in the
# innermost block that has all its uses.

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


def block_of(graph: Graph, items: Sequence[Assignment], named: Set[Expr] = frozenset()) -> Block:
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
        Branch(unit, block_of(graph, then, inner), block_of(graph, other, inner)) if isinstance(unit, Expr) else unit
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
