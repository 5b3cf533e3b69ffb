"""The system in TLA+, for TLC: one definition for each action, the claims as invariants and action properties."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bench.peers import (
    NIL,
    About,
    Assignment,
    Block,
    Branch,
    Formulas,
    Language,
    assignments,
    block_of,
    camel,
    choices,
    paragraphs,
    possible,
    wrap,
)

from podproof.checker.core.graph import Expr, Op, consistent, variables_below
from podproof.checker.core.printer import BINDING, Syntax, visible
from podproof.checker.core.system import AFTER, FairnessCondition, LoweredProperty, Property, System, Transition
from podproof.checker.liveness.groups import groups_of
from podproof.checker.lowering.claims import Case, lower_cases
from podproof.checker.reductions import Plan, plan

_SYNTAX = Syntax("TRUE", "FALSE", "~", "/\\", "\\/", "=", "#", "IF {0} THEN {1} ELSE {2}", (1, 3, 3))
_RESERVED = re.findall(
    r"\w+",
    """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE
    ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE Init Int LAMBDA LEMMA LET LOCAL MODULE NEW Nat Next OBVIOUS
    OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SPECIFICATION STATE STRING SUBSET SUFFICES Spec TAKE
    TEMPORAL THEN THEOREM TRUE TypeOK UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS vars
    """,
)
_TURN = "turn"
_HOW_TO = (
    "How to check it: java -XX:+UseParallelGC -cp tla2tools.jar tlc2.TLC -deadlock -workers auto -config {name}.cfg "
    "{name}.tla. -deadlock allows states without a next one. TLC stops at the first claim that fails; -continue goes "
    "on. A trace shows the members of enumerations by number."
)
_OF_RUNS = (
    "The claims are about whole runs, of which Fairness says what is not put off for ever. TLC does not say which of "
    "them fails: leave one alone under PROPERTIES to ask about it. A step that a bound of the scenario cuts off is not "
    "owed here, so TLC may find that a claim holds of which podproof says UNKNOWN. TLC looks at 2^n branches for n "
    "strong conditions (SF_), here {strong}: 16 take seconds, from 24 on it comes to no end, or to a wrong one."
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
    about: About | None = None,
    name: str = "PodWorker",
    runs: Runs | None = None,
) -> TlaModule:
    """The system as a module of this name; `keep` names the variables that are stored (all when None)."""
    module = _Tla(system, properties, keep, name, runs)
    text = "\n".join(module.lines(about or About())) + "\n"
    configuration = ["SPECIFICATION Spec"]
    for title, names in (("INVARIANTS", module.invariants), ("PROPERTIES", module.temporal_properties)):
        configuration += [title, *(f"  {name}" for name in names)] if names else []
    return TlaModule(name, text, "\n".join(configuration) + "\n")


class _Tla(Language):
    def __init__(
        self,
        system: System,
        properties: Sequence[LoweredProperty],
        keep: frozenset[str] | None,
        name: str,
        runs: Runs | None,
    ) -> None:
        super().__init__(_SYNTAX, [*_RESERVED, name], system, properties, keep)
        self.name, self.runs = name, runs
        fresh = self.names.identifiers.fresh
        self.claims = {p.property.id: fresh(p.property.id) for p in self.safety}
        actions = [self.names.of_transition(t) for t in system.transitions]
        self.actions = {number: fresh(camel(action)) for number, action in enumerate(actions)}
        self.guards = {number: fresh(f"Can{action}") for number, action in self.actions.items()}
        self.invariants: list[str] = []
        self.temporal_properties: list[str] = []

    def comment(self, text: str) -> str:
        return f"  \\* {visible(text)}" if text else ""

    def lines(self, about: About) -> Iterator[str]:
        stored, names = self.names.variables, self.names.of_variable
        yield f" MODULE {self.name} ".center(118, "-")
        how_to = [_HOW_TO.format(name=self.name)]
        if self.runs is not None:
            how_to.append(_OF_RUNS.format(strong=sum(group.condition.is_strong for group in self.runs.fairness)))
        yield from paragraphs([*self.heading(about), *how_to], "\\* ")
        yield from ("EXTENDS Integers", "")
        if self.names.has_nil:
            yield f"{NIL} == -1"
        yield from (*self.enumerations("{0} == {1}"), "", "VARIABLES")
        for variable in stored:
            is_last = variable is stored[-1] and self.runs is None
            yield f"  {names[variable.path]}{'' if is_last else ','}{self.description(variable)}"
        if self.runs is not None:
            yield f"  {_TURN}{self.comment('changes with every step, so that a step that changes nothing else is one')}"
        both = [*names.values(), *([] if self.runs is None else [_TURN])]
        yield from ("", wrap("vars == <<", ", ".join(both), ">>"), "", "TypeOK ==")
        for variable in stored:
            values = "BOOLEAN" if variable.is_bool else f"{variable.low}..{variable.high}"
            yield f"  /\\ {names[variable.path]} \\in {values}"
        if self.runs is not None:
            yield f"  /\\ {_TURN} \\in BOOLEAN"
        yield from ("", "Init ==")
        for state in self.initial():
            margin = "  " if len(self.system.initial) == 1 else "  \\/ "
            for name, value in (*state, *([] if self.runs is None else [(_TURN, "FALSE")])):
                yield f"{margin}/\\ {name} = {value}"
                margin = " " * len(margin)
        for number, transition in self.transitions.items():
            yield from self.action(number, transition)
        yield from ("", "Next ==" if self.transitions else "Next == FALSE  \\* No action can ever happen.")
        for number, transition in self.transitions.items():
            formulas = Formulas(self, transition)
            yield f"  \\/ {self.choice(transition, formulas, 'E')}{_call(self.actions[number], formulas)}"
        if self.runs is None:
            yield from ("", "Spec == Init /\\ [][Next]_vars")
        else:
            yield from self.of_runs(self.runs)
        for p in self.safety:
            yield from self.claim(p)
        yield "=" * 118

    def action(self, number: int, transition: Transition) -> Iterator[str]:
        """What it takes for the action to happen, and what it does."""
        names, formulas = self.names.of_variable, Formulas(self, transition)
        items = list(assignments(transition, names))
        changed = {item.target for item in items}
        guard = _call(self.guards[number], formulas)
        yield from ("", self.comment(self.event(transition)).lstrip())
        yield wrap(f"{guard} == ", formulas.text(possible(self.system.graph, transition)))
        yield from ("", f"{_call(self.actions[number], formulas)} ==", f"  /\\ {guard}")
        yield from self.block(block_of(self.system.graph, items), formulas, "  ")
        yield from self.unchanged("  ", [name for path, name in names.items() if path not in changed])

    def unchanged(self, margin: str, names: Sequence[str]) -> Iterator[str]:
        if names:
            yield wrap(f"{margin}/\\ UNCHANGED <<", ", ".join(names), ">>")

    def block(self, block: Block, formulas: Formulas, margin: str) -> Iterator[str]:
        """What an action does as a list of conjuncts."""
        names = self.names.of_variable
        if block.lets:
            yield from self.lets(block.lets, formulas, f"{margin}/\\ ")
            yield f"{margin}   IN"
            margin = f"{margin}     "
        for unit in block.units:
            if isinstance(unit, Branch):
                yield wrap(f"{margin}/\\ IF ", formulas.text(unit.condition, 1), " THEN")
                yield from self.block(unit.then, formulas, f"{margin}     ")
                yield f"{margin}   ELSE"
                yield from self.block(unit.other, formulas, f"{margin}     ")
            elif not unit.keeps:
                # A conditional may stand alone on the right of an equals sign, other conditions may not.
                needs = 0 if unit.node.op is Op.ITE else BINDING[Op.ADD]
                text = formulas.new_value(unit.target, unit.node, needs)
                yield wrap(f"{margin}/\\ {names[unit.target]}' = ", text, comment=self.comment(unit.line))
        kept = [names[unit.target] for unit in block.units if isinstance(unit, Assignment) and unit.keeps]
        yield from self.unchanged(margin, kept)
        formulas.forget(block.lets)

    def lets(self, nodes: Iterable[Expr], formulas: Formulas, margin: str) -> Iterator[str]:
        """The definitions, which the formulas then know by name."""
        head = f"{margin}LET "
        for _, name, text, comment in formulas.definitions(nodes):
            yield wrap(f"{head}{name} == ", text, comment=comment)
            head = " " * len(head)

    def choice(
        self, transition: Transition, formulas: Formulas, quantifier: str, given: Mapping[str, int] | None = None
    ) -> str:
        """The quantifier over the parameters that are chosen, some of which may be given."""
        bound = []
        for p in choices(transition):
            kind, taken = self.names.of_parameter(p), given is not None and p.name in given
            of = [given[p.name]] if given is not None and p.name in given else p.values
            values = "{" + ", ".join(self.value(p, kind, value) for value in of) + "}"
            bound.append(f"{formulas.parameters[p.name]} \\in {'BOOLEAN' if p.is_bool and not taken else values}")
        return f"\\{quantifier} {', '.join(bound)} : " if bound else ""

    def of_runs(self, runs: Runs) -> Iterator[str]:
        """What is owed, the specification with it, and the claims about its runs."""
        yield from ("", f"Turn == {_TURN}' = ~{_TURN}", "", "Fairness ==")
        head = "  /\\ "
        for group in runs.fairness:
            steps, condition = [self.step(*step) for step in group.steps], group.condition
            kind, owed = "SF" if condition.is_strong else "WF", " \\/ ".join(f"({step})" for step in steps)
            owed = f"({owed})" if len(steps) > 1 else owed
            yield wrap(f"{head}{kind}_vars(", f"{owed} /\\ Turn)", comment=self.comment(condition.assumption))
        yield from ("  /\\ TRUE", "", "Spec == Init /\\ [][Next /\\ Turn]_vars /\\ Fairness")
        for p, case in runs.claims:
            of = ", ".join(f"{parameter} = {value}" for parameter, value in case.shown.items())
            yield from ("", *paragraphs([f"{p.kind}: {p.meaning}{f' Here {of}.' if of else ''}"], "\\* "))
            formula = self.temporal(p, case)
            if formula:
                name = self.names.identifiers.fresh("_".join([p.id, *map(str, case.shown.values())]))
                self.temporal_properties.append(name)
                yield wrap(f"{name} == ", formula)
            else:
                yield "\\* Left out: it is never waited for in this scenario."

    def temporal(self, p: Property, case: Case) -> str:
        """A claim about runs; empty where it cannot fail. TLC errs where a side of ~> is a constant."""
        graph, formulas = self.system.graph, Formulas(self)
        if case.premise is graph.false or case.goal is graph.true:
            return ""
        premise, goal = formulas.text(case.premise), formulas.text(case.goal)
        goal = f"{_TURN} /\\ ~{_TURN}" if case.goal is graph.false else goal
        return f"[]<>({goal})" if case.premise is graph.true else f"({premise}) ~> ({goal})"

    def step(self, number: int, given: Mapping[str, int], obligation: Expr) -> str:
        """An action with some of its parameters, where it is owed."""
        transition = self.transitions[number]
        formulas = Formulas(self, transition)
        when = "" if obligation is self.system.graph.true else f"({formulas.text(obligation)}) /\\ "
        return f"{self.choice(transition, formulas, 'E', given)}{when}{_call(self.actions[number], formulas)}"

    def claim(self, p: LoweredProperty) -> Iterator[str]:
        """A claim, as an invariant or an action property, whichever says it exactly."""
        name, formula = self.claims[p.property.id], self.action_formula(p)
        yield from ("", *paragraphs([f"{p.property.kind}: {p.property.meaning}"], "\\* "))
        (self.invariants if formula is None else self.temporal_properties).append(name)
        formulas = Formulas(self)
        if p.state is not None:
            yield wrap(f"{name} == ", formulas.text(p.state))
        elif formula is not None:
            for path, variable in self.names.of_variable.items():
                formulas.rename(AFTER + path, f"{variable}'")
            yield wrap(f"{name} == [][ ", formulas.text(formula), " ]_vars")
        else:
            yield from (f"{name} ==", *self.never(p))

    def action_formula(self, p: LoweredProperty) -> Expr | None:
        """A step claim over the states before and after; None where TLA+ would let pass what the claim forbids.

        An action property does not look at steps that change nothing, so it serves only claims that those fulfil.
        """
        if p.both is None:
            return None
        if not {path.removeprefix(AFTER) for path in variables_below([p.both])} <= set(self.names.of_variable):
            return None
        graph = self.system.graph
        same = {AFTER + path: node for path, node in self.system.nodes().items() if path in self.names.of_variable}
        (unchanged,) = graph.substitute([p.both], same)
        return p.both if consistent(graph, graph.not_(unchanged)) is graph.false else None

    def never(self, p: LoweredProperty) -> Iterator[str]:
        """No action can happen in a state in which it would violate the claim."""
        asked = [number for number in self.transitions if p.property.id in self.breaches[number]]
        if not asked:
            yield "  TRUE  \\* no step of this scenario can violate it"
        for number in asked:
            transition = self.transitions[number]
            formulas = Formulas(self, transition, [p])
            fulfilled = self.system.graph.not_(self.breaches[number][p.property.id])
            lets = block_of(self.system.graph, [Assignment(p.property.id, fulfilled)]).lets
            can = _call(self.guards[number], formulas)
            yield wrap("  /\\ ", f"{self.choice(transition, formulas, 'A')}{can} =>")
            yield from self.lets(lets, formulas, "       ")
            yield wrap("       IN " if lets else "       ", formulas.text(fulfilled))


def _call(name: str, formulas: Formulas) -> str:
    text = ", ".join(formulas.parameters.values())
    return f"{name}({text})" if text else name


# -- claims about whole runs and the fairness they assume, as formulas of the system that is exported ------------------


@dataclass(frozen=True)
class FairSteps:
    """Steps of which a fair run takes one wherever the condition demands it."""

    condition: FairnessCondition
    steps: Sequence[tuple[int, Mapping[str, int], Expr]]
    """The number of a transition, values of its parameters (any where none is given), and when its step is owed."""


@dataclass(frozen=True)
class Runs:
    """What is claimed of whole runs, and what is assumed of them."""

    claims: Sequence[tuple[Property, Case]] = field(default=())
    fairness: Sequence[FairSteps] = field(default=())


def plan_runs(
    system: System, properties: Sequence[Property], names: Collection[str], without: Collection[str] = ()
) -> tuple[Plan, Runs]:
    """Apply the reductions of these names to a system and to all that is said of its runs.

    Raises ModelError where a claim leaves the model language, CheckerError for the name of an unknown assumption.
    """
    claims = [(p, case) for p in properties for case in lower_cases(system, p)]
    fairness = _fairness(system, without)
    nodes = [node for _, case in claims for node in (case.premise, case.goal)]
    nodes += [obligation for group in fairness for _, _, obligation in group.steps]
    read = Property("runs", "always", "What claims about runs and their fairness read.")
    reduced = plan(system, [LoweredProperty(read, state=node) for node in nodes], names)
    small = iter([p.state for p in reduced.properties if p.state is not None])
    claims = [(p, replace(case, premise=next(small), goal=next(small))) for p, case in claims]
    fairness = [
        FairSteps(group.condition, [(number, values, next(small)) for number, values, _ in group.steps])
        for group in fairness
    ]
    return reduced, Runs(claims, [group for group in map(partial(_possible, reduced.system), fairness) if group.steps])


def _possible(system: System, group: FairSteps) -> FairSteps:
    """The group without steps that no state allows."""

    def is_possible(number: int, values: Mapping[str, int], obligation: Expr) -> bool:
        t, graph = system.transitions[number], system.graph
        given = {p.name: graph.constant(p.is_bool, values[p.name]) for p in t.free if p.name in values}
        return graph.false not in (obligation, *graph.substitute([t.enabled], given, Op.PARAM))

    return replace(group, steps=[step for step in group.steps if is_possible(*step)])


def _fairness(system: System, without: Collection[str]) -> list[FairSteps]:
    found = []
    for group in groups_of(system, without):
        steps = list[tuple[int, Mapping[str, int], Expr]]()
        for number, transition in enumerate(system.transitions):
            moves = [move for move in transition.moves() if group.has(move)]
            if moves and group.condition.when is None:
                steps.append((number, group.values, system.graph.true))
            elif moves:
                steps += ((number, move.values, group.obligation(system, move)) for move in moves)
        found.append(FairSteps(group.condition, steps))
    return found
