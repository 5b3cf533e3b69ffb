"""Claims in the graph: what an engine evaluates for each state or step."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Expr, Line, Op, evaluate, substitution, topological, variables_below
from podproof.checker.core.system import AFTER, LoweredProperty, ModelError, Parameter, Property, System, Transition
from podproof.checker.lowering.source import Source, parameters_of, source_of
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.symbols import argument, parameter_of, state_environment
from podproof.checker.lowering.values import FAILED, Execution, Occurrence, Ref, TypedValue, Value


def lower_properties(system: System, properties: Sequence[Property]) -> tuple[LoweredProperty, ...]:
    """Every property over one system; raises ModelError where a claim leaves the model language."""
    return tuple(map(_ClaimLowering(system).lower, properties))


def formulas(system: System, p: Property) -> tuple[Expr, ...]:
    """What a claim with a function says: one formula over a state or two, or where it takes the event one for each."""
    return tuple(formula for formula, _ in _formulas_of(system).of(p, system.transitions))


_TAKES = {
    "always": "one: `def claim(state)`",
    "sometimes": "one: `def claim(state)`",
    "step": "two: `def claim(before, after)`, or three: `def claim(before, event, after)`",
}

Formula = tuple[Expr, tuple[Line, ...]]
"""What a claim says, and the lines that were read for it."""


class _ClaimLowering:
    """Lowers claims about states and steps."""

    def __init__(self, system: System) -> None:
        self.system, self.graph, self.formulas = system, system.graph, _formulas_of(system)
        leaves = self.formulas.under("")
        self.bits = {AFTER + path: 1 << i for i, path in enumerate(leaves)}
        self.reads: dict[Expr, int] = {}
        """The bits of the leaves of the state after a step that each part of a formula reads."""
        self.unchanged = substitution(self.graph, {AFTER + path: node for path, node in leaves.items()})
        updates = [{AFTER + path: node for path, node in t.updates.items()} for t in system.transitions]
        self.changed = [
            (sum(map(self.bits.__getitem__, of_one)), substitution(self.graph, of_one)) for of_one in updates
        ]
        """What each transition writes, and the substitution that puts it into a formula."""

    def lower(self, p: Property) -> LoweredProperty:
        match p.kind:
            case "always" | "sometimes":
                ((holds, source),) = self.formulas.of(p)
                return LoweredProperty(p, state=holds, source=source)
            case "step":
                return self.step(p)
            case "never":
                steps = (
                    self.graph.or_(
                        *(node for line, node in t.lines.items() if line in p.lines and p.is_about(t.action))
                    )
                    for t in self.system.transitions
                )
                return LoweredProperty(p, steps=tuple(steps))
            case "leads_to" | "recurs":
                raise ModelError(
                    f"claim {p.id!r} says what must happen eventually, of whole runs: this decides claims about states "
                    "and steps only; use `podproof check`"
                )

    def step(self, p: Property) -> LoweredProperty:
        """The claim is lowered over both states, once or for each event; a transition's updates are then put in.

        Most transitions leave alone what a claim is about, or do the same to it.
        """
        about = [t if p.is_about(t.action) else None for t in self.system.transitions]
        found = self.formulas.of(p, about)
        formulas = found if p.takes_event else found * len(about)

        steps = (
            self.graph.false if t is None else self.graph.not_(self.taken(number, holds))
            for number, (t, (holds, _)) in enumerate(zip(about, formulas, strict=True))
        )
        both = None if p.takes_event or not about else found[0][0]
        read = {id(lines): lines for _, lines in formulas}.values()  # Most transitions have the same.
        source = tuple(dict.fromkeys(itertools.chain.from_iterable(read)))
        return LoweredProperty(p, steps=tuple(steps), both=both, source=source)

    def taken(self, number: int, formula: Expr) -> Expr:
        """A formula over both states, where the step is of this transition.

        Most transitions leave alone what most parts of it read; these parts are made anew once for all transitions.
        """
        for node in topological([formula], self.reads):
            own = self.bits.get(str(node.value), 0) if node.op is Op.VAR else 0
            self.reads[node] = functools.reduce(operator.or_, map(self.reads.__getitem__, node.args), own)
        self.unchanged([formula])
        written, changed = self.changed[number]
        pending, seen = [formula], set[Expr]()
        while pending:
            node = pending.pop()
            if node in changed.done or node in seen:
                continue
            if not self.reads[node] & written:
                changed.done[node] = self.unchanged.done[node]
            else:
                seen.add(node)
                pending += node.args
        (found,) = changed([formula])
        return found


def _formulas_of(system: System) -> _Formulas:
    """Those of a system, which are made once."""
    found = system.worked_out.get(_Formulas)
    if not isinstance(found, _Formulas):
        found = system.worked_out[_Formulas] = _Formulas(system)
    return found


class _Formulas:
    """What claims say of a system. Each is lowered once, and the leaves of the states are made once for all."""

    def __init__(self, system: System) -> None:
        self.graph, self.shape, self.constants, self.scope = system.graph, system.shape, system.constants, system.scope
        self.under = functools.cache(self.leaves)
        said = {"action": (a.name for a in system.actions), "actor": (a.actor for a in system.actions)}
        self.texts = {about: frozenset(texts) for about, texts in said.items()}
        self.lowered: dict[Property, list[tuple[Occurrence | None, Formula]]] = {}
        """By claim with what it asked of an event; of a claim that takes none, None."""

    def leaves(self, *prefixes: str) -> dict[str, Expr]:
        """Every leaf by its path, with each of these prefixes before it."""
        every = (state_environment(self.graph, self.shape, self.constants, p) for p in prefixes)
        return dict(itertools.chain.from_iterable(leaves.items() for leaves in every))

    def of(self, p: Property, about: Iterable[Transition | None] = ()) -> list[Formula]:
        """One formula; of a claim that takes the event, for each transition.

        These are the same where the events answer alike all that the claim asks of them.
        """
        known = self.lowered.setdefault(p, [])
        if not p.takes_event:
            if not known:
                known.append((None, self.formula(p)))
            return [known[0][1]]
        found = list[Formula]()
        for t in about:
            if t is None:
                found.append((self.graph.true, ()))
                continue
            parameters = {one.name: argument(self.graph, one, t.fixed) for one in t.action.parameters}
            event, asked = (Occurrence(t.action, parameters, self.texts) for _ in range(2))
            formula = next((f for other, f in known if other is not None and event.says(other.answers)), None)
            if formula is None:
                formula = self.formula(p, asked)
                known.append((asked, formula))
            found.append(formula)
        return found

    def formula(self, p: Property, event: Occurrence | None = None) -> Formula:
        """The formula of a claim, which is asked about this event if it takes one."""
        if p.function is None:
            raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
        source, graph = source_of(p.function), self.graph
        prefixes = ("", AFTER) if p.kind == "step" else ("",)
        taken = len(source.tree.args.args)
        if taken != len(prefixes) + p.takes_event:
            what = f"claim {p.id!r} of kind {p.kind!r} takes {taken} states"
            source.refuse(source.tree, what, f"it needs {_TAKES[p.kind]}")
        given: list[Value] = [Ref(((graph.true, prefix.removesuffix(".")),), self.shape) for prefix in prefixes]
        if event is not None:
            given.insert(1, event)
        context = Execution(graph, self.scope, self.under(*prefixes), read_only=True)
        value = lower_function(context, p.function, None, *given)
        holds = _bool(source, value, f"claim {p.id!r} gives no bool")
        # In a state where Python cannot evaluate a claim, nothing may be said to hold.
        return graph.and_(holds, graph.not_(context.when(FAILED))), tuple(context.lines)


def _bool(source: Source, value: Value, otherwise: str) -> Expr:
    """The node of a bool that a function gives. Raises ModelError where it gives something else."""
    if not isinstance(value, TypedValue) or value.sort is not bool:
        source.refuse(source.tree, otherwise, "return a bool on every path")
    return value.node


def lower_over_state(
    system: System, function: Callable[..., Any], *arguments: Value, owner: type | None = None
) -> tuple[Value, Execution]:
    """What a function of the model language gives of a state and these arguments, and what came about on the way."""
    start = state_environment(system.graph, system.shape, system.constants)
    context = Execution(system.graph, system.scope, start, read_only=True)
    this = Ref(((system.graph.true, ""),), system.shape)
    return lower_function(context, function, owner, this, *arguments), context


# -- liveness properties -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A liveness property, for one choice of its parameters: after the premise the goal is reached eventually."""

    arguments: Mapping[str, Any]
    """As the claim's function wants them."""
    shown: Mapping[str, str | int | bool]
    premise: Expr
    goal: Expr


def lower_cases(system: System, p: Property) -> tuple[Case, ...]:
    """A liveness property, for every choice of its parameters; raises ModelError where it leaves the model language."""
    if p.function is None:
        raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
    graph, source = system.graph, source_of(p.function)
    parameters = parameters_over_states(system, p.function)
    names, cases = [parameter.name for parameter in parameters], []
    for values in itertools.product(*(parameter.values for parameter in parameters)):
        chosen = dict(zip(names, values, strict=True))
        given = (argument(graph, parameter, chosen) for parameter in parameters)
        found, context = lower_over_state(system, p.function, *given)
        parts = found if isinstance(found, tuple) else (found,)
        wanted = 2 if p.kind == "leads_to" else 1
        bools = [part.node for part in parts if isinstance(part, TypedValue) and part.sort is bool]
        if len(parts) != wanted or len(bools) != wanted:
            text = (
                "return two bools, `premise, goal`" if wanted == 2 else "return one bool, which is true again and again"
            )
            source.refuse(source.tree, f"claim {p.id!r} of kind {p.kind!r} gives something else", text)
        # Where Python cannot evaluate a claim, nothing may be said to hold.
        failed = context.when(FAILED)
        premise = graph.or_(bools[0], failed) if wanted == 2 else graph.true
        case_arguments = {q.name: q.scalar.decode(chosen[q.name]) for q in parameters}
        shown = {q.name: q.show(chosen[q.name]) for q in parameters}
        cases.append(Case(case_arguments, shown, premise, graph.and_(bools[-1], graph.not_(failed))))
    return tuple(cases)


def parameters_over_states(system: System, function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters after the state, each with the values over which is asked. Raises ModelError for one without."""
    names, source = list(parameters_of(function)), source_of(function)
    if not names:
        source.refuse(
            source.tree, f"claim {source.tree.name!r} takes no state", "write the state as its first parameter"
        )
    found = (parameter_of(function, name, system.scope, f"claim {source.tree.name!r}") for name in names[1:])
    return tuple(dataclasses.replace(parameter, unbounded=False) for parameter in found)


def holds_in(p: Property, tree: Any, arguments: Mapping[str, Any]) -> tuple[bool, bool]:
    """The premise and the goal of a liveness property in a state, as Python; where it goes wrong nothing holds."""
    assert p.function is not None
    try:
        found = p.function(tree, **arguments)
        return (bool(found[0]), bool(found[1])) if p.kind == "leads_to" else (True, bool(found))  # type: ignore[index]
    except (IndexError, AssertionError):
        return True, False


# -- queries: methods that change nothing ------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoweredQuery:
    """A question about one element, lowered."""

    name: str
    line: Line
    node: Expr
    reads: tuple[str, ...]
    """The variables that it depends on, by path."""
    source: tuple[Line, ...]
    """The lines that were read to lower it."""

    def of(self, variables: Mapping[str, int]) -> bool:
        """The answer in a state, of which the variables that it reads have to be given."""
        (value,) = evaluate([self.node], variables)
        return bool(value)


def answers(system: System, names: Sequence[str], argument: int = 0) -> tuple[LoweredQuery, ...]:
    """Each of these methods of the model class, asked about one index. Raises ModelError where one is not lowerable."""
    found = []
    for name in names:
        owner = next(part for part in system.shape.cls.__mro__ if name in vars(part))
        source, asked = source_of(vars(owner)[name]), TypedValue(system.graph.integer(argument), int)
        value, context = lower_over_state(system, source.function, asked, owner=owner)
        node = _bool(source, value, f"{name!r} answers no bool")
        reads = tuple(path for path in system.positions if path in variables_below([node]))
        found.append(LoweredQuery(name, source.line(source.tree), node, reads, tuple(context.lines)))
    return tuple(found)
