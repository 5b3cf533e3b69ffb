"""The system in TLA+, for TLC: one definition for each action, the claims as invariants and action properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.graph import Line, Node, variables_below
from podproof.checker.core.system import AFTER, LoweredProperty, Parameter, System, Transition, Variable
from podproof.checker.core.visible import visible
from podproof.checker.export.breaches import breaches
from podproof.checker.export.formula import Formulas, Syntax, laid_out
from podproof.checker.export.heading import (
    AS_IT_IS,
    About,
    described,
    event,
    heading,
    paragraphs,
    parameter_names,
    transition_names,
)
from podproof.checker.export.names import NIL, LocalNames, Names, camel, loops, names_of
from podproof.checker.export.obvious import is_never_true
from podproof.checker.export.plan import Block, Branch, Item, is_unchanged, plan
from podproof.checker.export.step import assignments, origin, possible, sources

_SYNTAX = Syntax("TRUE", "FALSE", "~", "/\\", "\\/", "=", "#", "IF {0} THEN {1} ELSE {2}", False)
_RESERVED = re.findall(
    r"\w+",
    """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE
    ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE Init Int LAMBDA LEMMA LET LOCAL MODULE NEW Nat Next OBVIOUS
    OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SPECIFICATION STATE STRING SUBSET SUFFICES Spec TAKE
    TEMPORAL THEN THEOREM TRUE TypeOK UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS vars
    """,
)
_HOW_TO = (
    "How to check it: java -XX:+UseParallelGC -cp tla2tools.jar tlc2.TLC -deadlock -workers auto -config {name}.cfg "
    "{name}.tla. -deadlock allows states without a next one. TLC stops at the first claim that fails; -continue goes "
    "on. A trace shows the members of enumerations by number."
)


@dataclass(frozen=True)
class TlaModule:
    """A module and the configuration with which TLC checks its claims."""

    name: str
    text: str
    configuration: str


def tla(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None = None,
    about: About = AS_IT_IS,
    name: str = "PodWorker",
) -> TlaModule:
    """The system as a module of this name; `keep` names the variables that are stored (all when None)."""
    return _Tla(system, properties, keep, about, name).module()


class _Tla:
    def __init__(
        self,
        system: System,
        properties: Sequence[LoweredProperty],
        keep: frozenset[str] | None,
        about: About,
        name: str,
    ) -> None:
        self.system, self.properties, self.keep, self.about, self.name = system, properties, keep, about, name
        self.names: Names = names_of(system, keep, [*_RESERVED, name])
        fresh = self.names.identifiers.fresh
        self.claims = {p.property.id: fresh(p.property.id) for p in properties if p.property.kind != "sometimes"}
        actions = transition_names(system, self.names.identifiers)
        self.actions = {number: fresh(camel(action)) for number, action in actions.items()}
        self.guards = {number: fresh(f"Can{action}") for number, action in self.actions.items()}
        self.transitions = [
            (number, t) for number, t in enumerate(system.transitions) if t.enabled is not system.graph.false
        ]
        self.breaches = breaches(system, properties)
        self.invariants: list[str] = []
        self.action_properties: list[str] = []

    def module(self) -> TlaModule:
        title = f" MODULE {self.name} "
        heading_parts = heading(self.system, self.properties, self.keep, self.about)
        lines = [
            title.center(118, "-"),
            *paragraphs([*heading_parts, _HOW_TO.format(name=self.name)], "\\* "),
            "EXTENDS Integers",
            "",
            *self.definitions(),
            *self.state(),
            *(line for number, t in self.transitions for line in self.action(number, t)),
            *self.next_state(),
            *(line for p in self.properties if p.property.id in self.claims for line in self.claim(p)),
            "=" * 118,
        ]
        return TlaModule(self.name, "\n".join(lines) + "\n", self.configuration())

    def configuration(self) -> str:
        lines = ["SPECIFICATION Spec"]
        for title, names in (("INVARIANTS", self.invariants), ("PROPERTIES", self.action_properties)):
            if names:
                lines += [title, *(f"  {name}" for name in names)]
        return "\n".join(lines) + "\n"

    def definitions(self) -> Iterator[str]:
        if self.names.has_nil:
            yield f"{NIL} == -1"
        for sort, members in self.names.enumerations.items():
            for member, (index, name) in zip(sort, members.items(), strict=True):
                yield f"{name} == {index}{_comment(str(member.value))}"
        yield ""

    def state(self) -> Iterator[str]:
        stored, names = self.names.variables, self.names.of_variable
        yield "VARIABLES"
        for variable in stored:
            comma = "" if variable is stored[-1] else ","
            yield f"  {names[variable.path]}{comma}{_comment(described(variable, self.names))}"
        yield ""
        yield laid_out("vars == <<", ", ".join(names.values()), ">>")
        yield ""
        yield "TypeOK =="
        for variable in stored:
            values = "BOOLEAN" if variable.is_bool else f"{variable.low}..{variable.high}"
            yield f"  /\\ {names[variable.path]} \\in {values}"
        yield ""
        yield "Init =="
        for state in self.system.initial:
            margin = "  " if len(self.system.initial) == 1 else "  \\/ "
            for variable in stored:
                yield f"{margin}/\\ {names[variable.path]} = {self.value(variable, state)}"
                margin = " " * len(margin)

    def value(self, variable: Variable, state: Sequence[int]) -> str:
        value = state[self.system.index(variable.path)]
        if variable.is_bool:
            return _SYNTAX.true if value else _SYNTAX.false
        return self.names.kinds[variable.path].get(value, str(value))

    def formulas(self, number: int) -> Formulas:
        """A writer of expressions over the state and one transition's parameters."""
        transition = self.system.transitions[number]
        kinds = {p.name: self.names.parameter_kind(transition.action, p) for p in loops(transition)}
        names = self.parameters(transition)
        return Formulas(_SYNTAX, self.names.of_variable.__getitem__, self.names.kinds, names, kinds)

    def parameters(self, transition: Transition) -> Mapping[str, str]:
        return parameter_names(transition, self.names.identifiers.taken)

    def action(self, number: int, transition: Transition) -> Iterator[str]:
        """What it takes for the action to happen, and what it does."""
        arguments = _arguments(self.parameters(transition).values())
        guard = possible(self.system.graph, transition)
        formulas = self.formulas(number)
        items = list(assignments(transition, self.names.of_variable))
        changed = {item.target for item in items}
        kept = [name for path, name in self.names.of_variable.items() if path not in changed]
        yield ""
        yield _comment(f"{transition.action.actor}: {event(transition)}. {transition.action.line}").lstrip()
        yield laid_out(f"{self.guards[number]}{arguments} == ", formulas.write(guard))
        yield ""
        yield f"{self.actions[number]}{arguments} =="
        yield f"  /\\ {self.guards[number]}{arguments}"
        if items:
            writer = _StepWriter(self.names, sources(transition))
            yield from writer.block(plan(self.system.graph, items), formulas, "  ")
        if kept:
            yield laid_out("  /\\ UNCHANGED <<", ", ".join(kept), ">>")

    def next_state(self) -> Iterator[str]:
        yield ""
        yield "Next ==" if self.transitions else "Next == FALSE  \\* No action can ever happen."
        for number, transition in self.transitions:
            arguments = _arguments(self.parameters(transition).values())
            yield f"  \\/ {self.choices(transition, 'E')}{self.actions[number]}{arguments}"
        yield ""
        yield "Spec == Init /\\ [][Next]_vars"

    def choices(self, transition: Transition, quantifier: str) -> str:
        """The quantifier over the parameters that are chosen."""
        names = self.parameters(transition)
        bound = (f"{names[p.name]} \\in {self.values(transition, p)}" for p in loops(transition))
        text = ", ".join(bound)
        return f"\\{quantifier} {text} : " if text else ""

    def values(self, transition: Transition, parameter: Parameter) -> str:
        if parameter.is_bool:
            return "BOOLEAN" if len(parameter.values) == 2 else "{TRUE}" if parameter.values[0] else "{FALSE}"
        kind = self.names.parameter_kind(transition.action, parameter)
        return "{" + ", ".join(kind.get(value, str(value)) for value in parameter.values) + "}"

    def claim(self, p: LoweredProperty) -> Iterator[str]:
        """A claim, as an invariant or an action property, whichever says it exactly."""
        name = self.claims[p.property.id]
        yield ""
        yield from paragraphs([f"{p.property.kind}: {p.property.meaning}"], "\\* ")
        if p.state is not None:
            self.invariants.append(name)
            formulas = Formulas(_SYNTAX, self.names.of_variable.__getitem__, self.names.kinds)
            yield laid_out(f"{name} == ", formulas.write(p.state))
            return
        formula = self.action_formula(p)
        if formula is not None:
            self.action_properties.append(name)
            kinds = self.names.kinds | {AFTER + path: kind for path, kind in self.names.kinds.items()}
            primed = Formulas(_SYNTAX, _is_or_becomes(self.names.of_variable).__getitem__, kinds)
            yield laid_out(f"{name} == [][ ", primed.write(formula), " ]_vars")
            return
        self.invariants.append(name)
        yield f"{name} =="
        yield from self.never(p)

    def action_formula(self, p: LoweredProperty) -> Node | None:
        """A step claim over the states before and after; None where TLA+ would let pass what the claim forbids.

        An action property does not look at steps that change nothing, so it serves only claims that those fulfil.
        """
        formula = p.both
        if formula is None:
            return None
        if not {path.removeprefix(AFTER) for path in variables_below([formula])} <= set(self.names.of_variable):
            return None
        graph = self.system.graph
        same = {AFTER + v.path: graph.variable(v.path, v.is_bool, v.low, v.high) for v in self.names.variables}
        (unchanged,) = graph.substitute([formula], same)
        return formula if is_never_true(graph.not_(unchanged)) else None

    def never(self, p: LoweredProperty) -> Iterator[str]:
        """No action can happen in a state in which it would violate the claim."""
        graph, found = self.system.graph, False
        for number, transition in self.transitions:
            if p.property.id not in self.breaches[number]:
                continue
            found = True
            formulas, fulfilled = self.formulas(number), graph.not_(self.breaches[number][p.property.id])
            block = plan(graph, [Item(p.property.id, fulfilled, is_claim=True)])
            can = f"{self.guards[number]}{_arguments(self.parameters(transition).values())}"
            yield laid_out("  /\\ ", f"{self.choices(transition, 'A')}{can} =>")
            lets = list(_StepWriter(self.names, sources(transition, [p])).lets(block, formulas, "           "))
            if lets:
                yield f"       LET {lets[0].lstrip()}"
                yield from lets[1:]
            yield laid_out("       IN " if lets else "       ", formulas.write(fulfilled))
        if not found:
            yield "  TRUE  \\* no step of this scenario can violate it"


class _StepWriter:
    """Writes what an action does as a list of conjuncts."""

    def __init__(self, names: Names, sources: frozenset[Line]) -> None:
        self.names, self.sources, self.locals = names, sources, LocalNames(names.identifiers)

    def block(self, block: Block, formulas: Formulas, margin: str) -> Iterator[str]:
        formulas = formulas.inside()
        if block.lets:
            lets = list(self.lets(block, formulas, f"{margin}       "))
            yield f"{margin}/\\ LET {lets[0].lstrip()}"
            yield from lets[1:]
            yield f"{margin}   IN"
            margin = f"{margin}     "
        unchanged = []
        for unit in block.units:
            if isinstance(unit, Branch):
                yield laid_out(f"{margin}/\\ IF ", formulas.condition(unit.condition), " THEN")
                yield from self.block(unit.then, formulas, f"{margin}     ")
                yield f"{margin}   ELSE"
                yield from self.block(unit.other, formulas, f"{margin}     ")
            elif is_unchanged(unit):
                unchanged.append(self.names.of_variable[unit.target])
            else:
                value = formulas.right_side(unit.node, self.names.kinds[unit.target])
                name = self.names.of_variable[unit.target]
                yield laid_out(f"{margin}/\\ {name}' = ", value, comment=_comment(unit.line))
        if unchanged:
            yield laid_out(f"{margin}/\\ UNCHANGED <<", ", ".join(unchanged), ">>")

    def lets(self, block: Block, formulas: Formulas, margin: str) -> Iterator[str]:
        """The definitions, which the formulas then know by name."""
        for node in block.lets:
            name = self.locals.fresh(node)
            yield laid_out(f"{margin}{name} == ", formulas.write(node), comment=_comment(origin(node, self.sources)))
            formulas.named[node] = name


def _comment(text: str) -> str:
    return f"  \\* {visible(text)}" if text else ""


def _arguments(names: Iterable[str]) -> str:
    text = ", ".join(names)
    return f"({text})" if text else ""


def _is_or_becomes(names: Mapping[str, str]) -> dict[str, str]:
    """The variables of a claim about a step: as they are before it, and primed."""
    return {**names, **{AFTER + path: f"{name}'" for path, name in names.items()}}
