"""Claims in the graph: what an engine evaluates for each state or step."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from podproof.checker.core.graph import Expr, Line, evaluate, topological, variables_below
from podproof.checker.core.shapes import Scalar, hints_of, shape_of
from podproof.checker.core.system import AFTER, LoweredProperty, ModelError, Parameter, Property, System, Transition
from podproof.checker.lowering import argument, state_environment
from podproof.checker.lowering.source import parameters_of, source_of, suggestion
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.values import FAILED, Execution, Occurrence, Ref, TypedValue, Value


def lower_properties(system: System, properties: Sequence[Property]) -> tuple[LoweredProperty, ...]:
    """Every property over one system; raises ModelError where a claim leaves the model language."""
    leaves = _Leaves(system)
    for p in properties:
        if p.is_about_runs:
            raise ModelError(
                f"claim {p.id!r} says what must happen at last, of whole runs: this decides claims about states and "
                "steps only; use `podproof check`"
            )
    return tuple(_KINDS[p.kind](leaves, p) for p in properties)


class _Leaves:
    """The leaves of a system's states in the graph, as claims about one state or two read them: made once for all."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.under = functools.cache(partial(state_environment, system.graph, system.shape, system.constants))
        """Every leaf by its path, with this prefix before it."""


def _state(leaves: _Leaves, p: Property) -> LoweredProperty:
    holds, source = _formula(leaves, p)
    return LoweredProperty(p, state=holds, source=source)


def _step(leaves: _Leaves, p: Property) -> LoweredProperty:
    """The claim is lowered over both states, once or for each event; a transition's updates are then put in.

    Most transitions leave alone what a claim is about, or do the same to it.
    """
    system, graph, unchanged = leaves.system, leaves.system.graph, leaves.under("")
    about = [t if p.is_about(t.action) else None for t in system.transitions]
    formulas = _by_event(leaves, p, about) if p.takes_event else [_formula(leaves, p)] * len(about)

    @functools.cache
    def read_by(holds: Expr) -> Sequence[str]:
        below = set(topological([holds]))
        return [path for path in unchanged if leaves.under(AFTER)[AFTER + path] in below]

    @functools.cache
    def violation(holds: Expr, after: tuple[Expr, ...]) -> Expr:
        (node,) = graph.substitute([holds], dict(zip((AFTER + path for path in read_by(holds)), after, strict=True)))
        return graph.not_(node)

    steps = (
        graph.false
        if t is None
        else violation(holds, tuple(t.updates.get(path, unchanged[path]) for path in read_by(holds)))
        for t, (holds, _) in zip(about, formulas, strict=True)
    )
    both = None if p.takes_event or not formulas else formulas[0][0]
    read = {id(lines): lines for _, lines in formulas}.values()  # Most transitions have the same.
    source = tuple(dict.fromkeys(itertools.chain.from_iterable(read)))
    return LoweredProperty(p, steps=tuple(steps), both=both, source=source)


def _by_event(leaves: _Leaves, p: Property, about: Iterable[Transition | None]) -> list[tuple[Expr, tuple[Line, ...]]]:
    """The formula for each transition: the same where the events answer alike all that the claim asks of them."""
    graph, found = leaves.system.graph, list[tuple[Expr, tuple[Line, ...]]]()
    known: list[tuple[Occurrence, tuple[Expr, tuple[Line, ...]]]] = []
    for t in about:
        if t is None:
            found.append((graph.true, ()))
            continue
        event = _occurrence(leaves.system, t)
        formula = next((formula for other, formula in known if event.says(other.answers)), None)
        if formula is None:
            event = _occurrence(leaves.system, t)
            formula = _formula(leaves, p, event)
            known.append((event, formula))
        found.append(formula)
    return found


def _occurrence(system: System, t: Transition) -> Occurrence:
    parameters = {one.name: argument(system.graph, one, t.fixed) for one in t.action.parameters}
    return Occurrence(t.action, parameters, system.actions)


def _never(leaves: _Leaves, p: Property) -> LoweredProperty:
    system = leaves.system
    reached = (
        system.graph.or_(*(node for line, node in t.lines.items() if line in p.lines and p.is_about(t.action)))
        for t in system.transitions
    )
    return LoweredProperty(p, steps=tuple(reached))


_KINDS: Mapping[str, Callable[[_Leaves, Property], LoweredProperty]] = {
    "always": _state,
    "sometimes": _state,
    "step": _step,
    "never": _never,
}


_TAKES = {
    "always": "one: `def claim(state)`",
    "sometimes": "one: `def claim(state)`",
    "step": "two: `def claim(before, after)`, or three: `def claim(before, event, after)`",
}


def formulas(system: System, p: Property) -> tuple[Expr, ...]:
    """What a claim with a function says: one formula over a state or two, or where it takes the event one for each."""
    leaves = _Leaves(system)
    if p.takes_event:
        return tuple(formula for formula, _ in _by_event(leaves, p, system.transitions))
    return (_formula(leaves, p)[0],)


def _formula(leaves: _Leaves, p: Property, event: Occurrence | None = None) -> tuple[Expr, tuple[Line, ...]]:
    """The formula, and the lines that were read for it. A claim that takes the event is asked about this one."""
    if p.function is None:
        raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
    source = source_of(p.function)
    system, env = leaves.system, {}
    prefixes = ("", AFTER) if p.kind == "step" else ("",)
    for prefix in prefixes:
        env.update(leaves.under(prefix))
    context = Execution(system.graph, system.scope, env, read_only=True)
    taken = len(source.tree.args.args)
    if taken != len(prefixes) + p.takes_event:
        source.refuse(
            source.tree, f"claim {p.id!r} of kind {p.kind!r} takes {taken} states", f"it needs {_TAKES[p.kind]}"
        )
    given: list[Value] = [Ref(((system.graph.true, prefix.removesuffix(".")),), system.shape) for prefix in prefixes]
    if event is not None:
        given.insert(1, event)
    value = lower_function(context, p.function, None, *given)
    if not isinstance(value, TypedValue) or value.sort is not bool:
        source.refuse(source.tree, f"claim {p.id!r} gives no bool", "return a bool on every path")
    # In a state where Python cannot evaluate a claim, nothing may be said to hold.
    return system.graph.and_(value.node, system.graph.not_(context.when(FAILED))), tuple(context.lines)


# -- claims about whole runs -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A claim about runs, for one choice of its parameters: after the premise the goal is reached at last."""

    arguments: Mapping[str, Any]
    """As the claim's function wants them."""
    shown: Mapping[str, str | int | bool]
    premise: Expr
    goal: Expr


def lower_cases(system: System, p: Property) -> tuple[Case, ...]:
    """A claim about runs, for every choice of its parameters; raises ModelError where it leaves the model language."""
    if p.function is None:
        raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
    graph, source = system.graph, source_of(p.function)
    parameters = parameters_over_states(system, p.function)
    names = [parameter.name for parameter in parameters]
    environment, cases = state_environment(graph, system.shape, system.constants), []
    for values in itertools.product(*(parameter.values for parameter in parameters)):
        chosen = dict(zip(names, values, strict=True))
        context = Execution(graph, system.scope, dict(environment), read_only=True)
        given = (argument(graph, parameter, chosen) for parameter in parameters)
        found = lower_function(context, p.function, None, Ref(((graph.true, ""),), system.shape), *given)
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
    return tuple(_parameter(system, function, name) for name in names[1:])


def _parameter(system: System, function: Callable[..., Any], name: str) -> Parameter:
    hints, source = hints_of(function), source_of(function)
    claim = f"claim {source.tree.name!r}"
    if name not in hints:
        what = f"the parameter {name!r} of {claim} has no domain"
        source.refuse(source.tree, what, "annotate it with bool, an Enum or a Domain")
    scalar = shape_of(hints[name], system.scope, f"{claim}: parameter {name!r}")
    if not isinstance(scalar, Scalar):
        source.refuse(source.tree, f"the parameter {name!r} is a record", "ask about bools, numbers, enumerations")
    is_number = scalar.sort is int
    values = map(scalar.encode, system.scope.domains[scalar.domain].values) if is_number else range(scalar.high + 1)
    return Parameter(name, scalar, tuple(values))


def holds_in(p: Property, tree: Any, arguments: Mapping[str, Any]) -> tuple[bool, bool]:
    """The premise and the goal of a claim about runs in a state, as Python; where it goes wrong nothing holds."""
    assert p.function is not None
    try:
        found = p.function(tree, **arguments)
        return (bool(found[0]), bool(found[1])) if p.kind == "leads_to" else (True, bool(found))  # type: ignore[index]
    except (IndexError, AssertionError):
        return True, False


def select(properties: Sequence[Property], wanted: Sequence[str]) -> tuple[Property, ...]:
    """The properties with these ids, all when none is given; raises ModelError for an unknown id."""
    known = {p.id: p for p in properties}
    for name in wanted:
        if name not in known:
            raise ModelError(f"there is no claim {name!r}; {suggestion(name, known)}")
    return tuple(p for p in properties if not wanted or p.id in wanted)


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
    graph, found = system.graph, []
    for name in names:
        owner = next(part for part in system.shape.cls.__mro__ if name in vars(part))
        source, env = source_of(vars(owner)[name]), state_environment(graph, system.shape, system.constants)
        this, asked = Ref(((graph.true, ""),), system.shape), TypedValue(graph.integer(argument), int)
        context = Execution(graph, system.scope, env, read_only=True)
        value = lower_function(context, source.function, owner, this, asked)
        if not isinstance(value, TypedValue) or value.sort is not bool:
            source.refuse(source.tree, f"{name!r} answers no bool", "return a bool on every path")
        reads = tuple(path for path in system.positions if path in variables_below([value.node]))
        found.append(LoweredQuery(name, source.line(source.tree), value.node, reads, tuple(context.lines)))
    return tuple(found)
