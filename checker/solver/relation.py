"""A system as a transition relation of Z3: initial states, one move for each transition, ranges, what claims ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import z3

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.core.system import LoweredProperty, Property, State, System, Transition, Variable
from podproof.checker.solver.terms import Numbers, Sorts, Term, Terms, all_of, any_of, between, constant, symbol

NO_FAULT = Property(
    "the_model_does_not_go_wrong",
    "never",
    "No step takes a variable out of its declared range or an index out of its array; every other proof relies on it.",
)


@dataclass(frozen=True)
class MoveTerms:
    """A transition in terms over the state before it and the action's free parameters."""

    number: int
    """Its place in `System.transitions`."""
    transition: Transition
    parameters: Mapping[str, Term]
    """The free parameters."""
    choices: Term
    """Every free parameter has one of its values."""
    guard: Term
    """Enabled, and not cut off by a bound."""
    fault: Term
    """The model goes wrong in this step; true only where `guard` is."""
    updates: Mapping[str, Term]
    """The values after the step of the variables that it may change."""

    @property
    def condition(self) -> Term:
        """When the step can be taken, with these parameters, and is one of the model's and no fault."""
        return z3.And(self.choices, self.guard, z3.Not(self.fault))


class Relation:
    """A system, or the part of it that `keep` names, for Z3. `now` and `then` are the variables around a step."""

    def __init__(
        self,
        system: System,
        properties: Sequence[LoweredProperty] = (),
        keep: frozenset[str] | None = None,
        numbers: Numbers = Numbers.BITS,
    ) -> None:
        self.system, self.properties = system, tuple(properties)
        self.sorts = Sorts(system, properties, numbers)
        self.variables: tuple[Variable, ...] = tuple(
            v for v in system.variables if (keep is None or v.path in keep) and v.low < v.high
        )
        self.now = {v.path: self.variable(v, v.path) for v in self.variables}
        self.then = {v.path: self.variable(v, f"{v.path}'") for v in self.variables}
        roots = [node for t in system.transitions for node in t.nodes()]
        roots += (node for p in properties for node in p.steps or ())
        self._parameters = {node: self._parameter(node) for node in topological(roots) if node.op is Op.PARAM}
        self.terms = Terms(self.sorts.of, self._leaf)
        self.moves = tuple(self._move(number, t) for number, t in enumerate(system.transitions))

    def variable(self, variable: Variable, name: str) -> Term:
        """A symbol that stands for the variable under another name."""
        return symbol(name, variable.is_bool, None if variable.is_bool else self.sorts.of_variable(variable.path))

    def _leaf(self, node: Expr) -> Term:
        return self._parameters[node] if node.op is Op.PARAM else self.now[str(node.value)]

    def _parameter(self, node: Expr) -> Term:
        """Parameters of one name may differ in their values from action to action, so the name says the range."""
        high = "" if node.high >= UNBOUNDED else str(node.high)
        return symbol(f"{node.value}:{node.low}..{high}", node.is_bool, None if node.is_bool else self.sorts.of(node))

    def _move(self, number: int, t: Transition) -> MoveTerms:
        roots = [t.enabled, *t.updates.values(), *t.bounds.values(), *t.faults.values()]
        roots += (p.steps[number] for p in self.properties if p.steps is not None)
        free = {str(n.value): n for n in topological(roots) if n.op is Op.PARAM}
        choices = []
        for parameter in t.free:
            if (node := free.get(parameter.name)) is not None and not node.is_bool:
                term = self._parameters[node]
                values = [constant(v, term.sort()) for v in sorted(parameter.values)]
                choices.append(term >= values[0] if parameter.unbounded else z3.Or([term == v for v in values]))
        guard = z3.And(self.terms.of(t.enabled), *(z3.Not(self.terms.of(b)) for b in t.bounds.values()))
        return MoveTerms(
            number,
            t,
            {name: self._parameters[node] for name, node in free.items()},
            all_of(choices),
            guard,
            z3.And(guard, any_of(self.terms.of(f) for f in t.faults.values())),
            {path: self.update(path, node) for path, node in t.updates.items() if path in self.now},
        )

    def update(self, path: str, node: Expr) -> Term:
        """The term of a node that is a value of this variable."""
        return self.terms.of(node, None if node.is_bool else self.sorts.of_variable(path))

    def after(self, move: MoveTerms) -> Term:
        """What a step does: every variable after it, those that it leaves alone included."""
        return all_of(self.then[p] == move.updates.get(p, now) for p, now in self.now.items())

    def holds(self, p: LoweredProperty) -> Term:
        """For a claim about states: its formula, before a step."""
        assert p.state is not None
        return self.terms.of(p.state)

    def ranges(self) -> Term:
        """Every variable is in its declared range, which Z3's sorts alone do not say."""
        numbers = (v for v in self.variables if not v.is_bool)
        return all_of(bound for v in numbers for bound in between(self.now[v.path], v.low, v.high))

    def initial(self) -> Term:
        """The initial states; the free variables have any number from their least one on."""
        return any_of(all_of(self._begins(v, state) for v in self.variables) for state in self.system.initial)

    def _begins(self, variable: Variable, state: State) -> Term:
        term, least = self.now[variable.path], self.system.free.get(variable.path)
        if least is not None:
            return term >= constant(least, term.sort())
        value = state[self.system.index(variable.path)]
        return term == constant(value, term.sort())


def no_fault(system: System) -> LoweredProperty:
    """That no step is an error of the model, as one more claim."""
    return LoweredProperty(NO_FAULT, steps=tuple(system.graph.or_(*t.faults.values()) for t in system.transitions))


def violation(relation: Relation, p: LoweredProperty, move: MoveTerms) -> Term:
    """When taking the move violates the claim: over the state before it and its parameters.

    A claim about states is violated by a step into a state where it does not hold.
    """
    if p.property.id == NO_FAULT.id:
        return z3.And(move.choices, move.fault)
    if p.state is not None:
        return z3.And(move.condition, z3.Not(after(relation, relation.holds(p), move)))
    assert p.steps is not None
    return z3.And(move.condition, relation.terms.of(p.steps[move.number]))


def after(relation: Relation, term: Term, move: MoveTerms, variables: Iterable[str] | None = None) -> Term:
    """What the term is after the move, over the state before it. `variables` are those in the term, if known."""
    written = move.updates.keys() & (relation.now.keys() if variables is None else set(variables))
    return z3.substitute(term, *((relation.now[path], move.updates[path]) for path in sorted(written)))
