"""Does a component of a large system behave as a small system by itself, whatever the other components do?

An `Abstraction` says how to read the small system's state off the large one's. What is shown, one transition at a time
and for all values of the variables, is a simulation: a step of the component, or of several at once, is the same step
of the small system, and any other step changes nothing that the small system has. So every run of the large system,
projected on the component, is a run of the small one that may stutter; and what holds in each step of the small system
holds of the component. Where the large system goes wrong or is cut off, it takes no step; then one of the small systems
has to do the same, which is asked of all components together.

Z3 decides what is not equal on sight; where it gives up, nothing is shown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Expr, transplant
from podproof.checker.core.system import LoweredProperty, ModelError, Outcome, System, Transition
from podproof.checker.lowering.claims import lower_over_state
from podproof.checker.lowering.symbols import state_environment
from podproof.checker.lowering.values import FAILED, TypedValue
from podproof.checker.reductions.symmetry import Names, rename, renaming_of
from podproof.checker.solver.equivalence import Equivalence

_MILLISECONDS = 20_000
"""How long Z3 may think about one transition."""


@dataclass(frozen=True)
class StateFunction:
    """A function of the model language, of a state and these numbers."""

    function: Callable[..., Any]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Abstraction:
    """How a component of a large system reads as a small system. Nothing said here is assumed: all of it is checked.

    `names` has for each size and domain the large system's number for each of the small one's. `seen` has the
    variables of the small system that are no plain copies. `invariant` keeps the components apart; it has to hold in
    the initial states and after every step.
    """

    names: Names
    seen: Mapping[str, StateFunction]
    invariant: tuple[StateFunction, ...]


def value_of(system: System, function: StateFunction) -> Expr:
    """What it returns, as an expression over the variables of a system. Raises ModelError where it has none."""
    graph = system.graph
    numbers = (TypedValue(graph.constant(type(n) is bool, n), type(n)) for n in function.numbers)
    value, context = lower_over_state(system, function.function, *numbers)
    if not isinstance(value, TypedValue) or context.when(FAILED) is not graph.false:
        raise ModelError(f"{function.function.__name__}: it has no answer in some states; give one on every path")
    return value.node


class Simulation:
    """One component of a large system beside the small system that it should simulate."""

    def __init__(self, large: System, small: System, abstraction: Abstraction) -> None:
        self.large, self.small, self.abstraction, self.graph = large, small, abstraction, large.graph
        self.now = large.nodes()
        self._renaming = renaming_of(small, abstraction.names)
        self._leaves = state_environment(self.graph, large.shape, large.constants)
        self.seen = {v.path: self._view_of(v.path) for v in small.variables}
        self._of = transplant(self.graph, variables=self.seen)
        self.is_step, self.where = functools.cache(self._is_step), functools.cache(self._where)
        self._equivalence = Equivalence(_MILLISECONDS)
        self.invariant = self.graph.and_(*(value_of(large, function) for function in abstraction.invariant))
        self.images = tuple(self.image(t) for t in large.transitions)
        """The number in the small system of each of the large system's transitions, or None."""

    def _view_of(self, path: str) -> Expr:
        """A variable of the small system, as the large one has it."""
        if path in self.abstraction.seen:
            return value_of(self.large, self.abstraction.seen[path])
        there = self._leaves[self._renaming.paths.get(path, path)]
        # A name that is not the component's has no image; the invariant says that none occurs here.
        return rename(self.graph, there, {b: a for a, b in enumerate(self._renaming.values.get(path, ()))})

    def of(self, node: Expr) -> Expr:
        """An expression over the small system's variables, over the large system's."""
        return self._of([node])[0]

    # -- one transition, by its number in the large system -------------------------------------------------------------

    def image(self, t: Transition) -> int | None:
        """The number in the small system of a transition of the large one; None for another component's step."""
        fixed, names = (
            dict[str, int](),
            {p.name: self.abstraction.names.get(p.scalar.domain, ()) for p in t.action.parameters},
        )
        for name, value in t.fixed.items():
            if names[name] and value not in names[name]:
                return None
            fixed[name] = names[name].index(value) if names[name] else value
        if any(names[p.name] for p in t.free):
            raise ModelError(f"{t.action.line}: {t.action.name} chooses a name that indexes nothing; index with it")
        for number, other in enumerate(self.small.transitions):
            if other.action.name == t.action.name and other.fixed.items() <= fixed.items():
                free = {p.name: p.values for p in t.free}
                if all(p.values == free.get(p.name, (fixed.get(p.name),)) for p in other.free):
                    return number
        what = f"{t.action.name}({', '.join(f'{name}={value}' for name, value in fixed.items())})"
        raise ModelError(f"{t.action.line}: {self.small.name} has no step {what} with the same choices of parameters")

    def is_shared(self, number: int) -> bool:
        """Does the step belong to no component in particular?"""
        t = self.large.transitions[number]
        return not any(p.scalar.domain in self.abstraction.names for p in t.action.parameters if p.name in t.fixed)

    def after(self, number: int) -> Mapping[str, Expr]:
        """The large system's variables after a step, as expressions over those before it."""
        updates = self.large.transitions[number].updates
        return {path: updates.get(path, node) for path, node in self.now.items()}

    def projected(self, number: int, outcome: Outcome, bound: str | None = None) -> Expr:
        """Does the step, projected, have this outcome in the small system, by this bound if one is named?"""
        image, graph = self.images[number], self.small.graph
        if image is None:
            return self.graph.false
        t = self.small.transitions[image]
        named = graph.true if bound is None else t.bounds.get(bound, graph.false)
        return self.of(graph.and_(t.when(outcome, graph), named))

    def stutters(self, number: int) -> Expr:
        """Does the step change nothing that the small system has?"""
        return self.graph.and_(*(self.graph.eq(self.seen[path], node) for path, node in self._seen_after(number)))

    def _is_step(self, number: int) -> Expr:
        """Is the step, projected, a step of the small system with the same effect?"""
        image = self.images[number]
        if image is None:
            return self.graph.false
        updates = self.small.transitions[image].updates
        same = (
            self.graph.eq(node, self.of(updates[path]) if path in updates else self.seen[path])
            for path, node in self._seen_after(number)
        )
        return self.graph.and_(self.projected(number, Outcome.TAKEN), *same)

    def _seen_after(self, number: int) -> Iterator[tuple[str, Expr]]:
        return zip(self.seen, self.graph.substitute(list(self.seen.values()), self.after(number)), strict=True)

    def _where(self, number: int) -> Expr:
        """Where the step is taken and the invariant holds."""
        return self.graph.and_(self.large.transitions[number].when(Outcome.TAKEN, self.graph), self.invariant)

    def always(self, claim: Expr, where: Expr) -> bool:
        """Does the claim hold in every state of the large system in which `where` does?"""
        return self._equivalence.always_equal([(claim, self.graph.true)], where)

    # -- the proof -----------------------------------------------------------------------------------------------------

    def gaps(self) -> Iterator[str]:
        """What could not be shown; nothing when the component simulates the small system."""
        if not self._begins_alike():
            yield "the initial states differ"
        for number, t in enumerate(self.large.transitions):
            what, where = _name_of(t), self.where(number)
            if self.images[number] is None:
                shown, other = self.stutters(number), "no step for the others"
            else:
                shown, other = self.is_step(number), "the step that it is by itself"
                if self.is_shared(number):
                    shown = self.graph.or_(self.stutters(number), shown)
            if not self.always(shown, where):
                yield f"{what} is not always {other}"
            if not self.always(self.graph.substitute([self.invariant], self.after(number))[0], where):
                yield f"{what} does not keep what keeps the parts apart"

    def _begins_alike(self) -> bool:
        """Does each initial state, projected, begin the small system?

        Free variables are plain copies, which begin with any number.
        """
        mine = {path: node for path, node in self.now.items() if path in self.large.free}
        for state in self.large.initial:
            numbers = zip(self.large.variables, state, strict=True)
            first = {v.path: self.graph.constant(v.is_bool, n) for v, n in numbers if v.path not in mine}
            if self.graph.substitute([self.invariant], first)[0] is not self.graph.true:
                return False
            seen = self.graph.substitute(list(self.seen.values()), first)
            if not any(self._is(seen, other) for other in self.small.initial):
                return False
        return True

    def _is(self, seen: Sequence[Expr], state: Sequence[int]) -> bool:
        """Are these the values of a state of the small system?"""
        for path, node in zip(self.seen, seen, strict=True):
            if path in self.small.free:
                if str(node.value) not in self.large.free:
                    return False
            elif node is not self.graph.constant(node.is_bool, state[self.small.index(path)]):
                return False
        return True


def _name_of(t: Transition) -> str:
    fixed = (f"{p.name}={p.show(t.fixed[p.name])}" for p in t.action.parameters if p.name in t.fixed)
    return f"{t.action.name}({', '.join(fixed)})"


def untaken_alike(components: Sequence[Simulation]) -> Iterator[str]:
    """Where the large system goes wrong, or a bound cuts it off, and no component does by itself."""
    large, graph = components[0].large, components[0].graph
    invariant = graph.and_(*(component.invariant for component in components))
    for number, t in enumerate(large.transitions):
        wrong, cut_off = (t.when(outcome, graph) for outcome in (Outcome.FAULT, Outcome.CUT_OFF))
        projected = graph.or_(*(component.projected(number, Outcome.FAULT) for component in components))
        if not components[0].always(projected, graph.and_(wrong, invariant)):
            yield f"{_name_of(t)} goes wrong where no member does by itself"
        for name, bound in t.bounds.items():
            projected = graph.or_(*(component.projected(number, Outcome.CUT_OFF, name) for component in components))
            if not components[0].always(projected, graph.and_(cut_off, bound, invariant)):
                yield f"{_name_of(t)} is cut off ({name}) where no member is by itself"


# -- claims ------------------------------------------------------------------------------------------------------------


def carries_over(components: Sequence[Simulation], large: LoweredProperty, small: Sequence[LoweredProperty]) -> str:
    """Is a claim about the large system violated only where one of its components violates the same claim?

    `small` has the claim about each component's own system.

    Returns an empty text, or the name of the step that is in the way.
    """
    graph, always = components[0].graph, components[0].always
    if large.state is not None:
        pairs = zip(components, small, strict=True)
        projected = [component.of(p.state) for component, p in pairs if p.state is not None]
        each = graph.and_(*(component.invariant for component in components), *projected)
        return "" if always(large.state, each) else "a state"
    for number, violated in enumerate(large.steps or ()):
        if violated is not graph.false:
            where = graph.and_(*(component.where(number) for component in components), violated)
            in_components = []
            for component, p in zip(components, small, strict=True):
                if (image := component.images[number]) is not None:
                    step = component.is_step(number) if component.is_shared(number) else graph.true
                    in_components.append(graph.and_(component.of((p.steps or ())[image]), step))
            if not always(graph.or_(*in_components), where):
                return components[0].large.transitions[number].action.name
    return ""
