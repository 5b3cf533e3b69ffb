"""The graph as Z3 reads it: terms by a table over the operators, the sorts of integers, a system as a relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import z3

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.core.system import AFTER, LoweredProperty, Outcome, Property, State, System, Transition, Variable

Term = Any
"""A z3.ExprRef; z3-solver has no types that say more."""

_OPERATORS: Mapping[Op, Callable[..., Term]] = {
    Op.NOT: z3.Not,
    Op.AND: z3.And,
    Op.OR: z3.Or,
    Op.EQ: lambda a, b: a == b,
    Op.LT: lambda a, b: a < b,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.ITE: z3.If,
}


def constant(value: int, sort: z3.SortRef) -> Term:
    """A value of this sort. Raises ValueError where a bit vector has no room for it: Z3 would cut it off."""
    if sort == z3.BoolSort():
        return z3.BoolVal(bool(value))
    if sort == z3.IntSort():
        return z3.IntVal(value)
    if not -(1 << sort.size() - 1) <= value < 1 << sort.size() - 1:
        raise ValueError(f"{value} does not fit {sort.size()} bits")
    return z3.BitVecVal(value, sort)


def symbol(name: str, is_bool: bool, sort: z3.SortRef | None) -> Term:
    """A Z3 constant (what others call a variable) of this name."""
    return z3.Bool(name) if is_bool else z3.Const(name, sort)


def all_of(terms: Iterable[Term]) -> Term:
    """Their conjunction; Z3's own of nothing at all cannot be written to a script."""
    parts = list(terms)
    return z3.And(parts) if parts else z3.BoolVal(True)


def any_of(terms: Iterable[Term]) -> Term:
    """Their disjunction."""
    parts = list(terms)
    return z3.Or(parts) if parts else z3.BoolVal(False)


def between(term: Term, low: int, high: int) -> Iterator[Term]:
    """The number is in a range, which may have no upper bound."""
    yield term >= constant(low, term.sort())
    if high < UNBOUNDED:
        yield term <= constant(high, term.sort())


def value_of(model: z3.ModelRef, term: Term) -> int:
    """The value of a term in a model, as states hold it; what the model leaves open is chosen by Z3."""
    value = model.eval(term, model_completion=True)
    if z3.is_bool(value):
        return int(z3.is_true(value))
    return int(value.as_signed_long() if z3.is_bv_value(value) else value.as_long())


class Terms:
    """Translates nodes, each once."""

    def __init__(self, sort_of: Callable[[Expr], z3.SortRef], leaf: Callable[[Expr], Term]) -> None:
        """`sort_of` says the sort of a node's integers, as `Sorts.of` does, and `leaf` the term of a VAR or PARAM."""
        self.sort_of, self.leaf = sort_of, leaf
        self._made: dict[Expr, Term] = {}

    def of(self, node: Expr, sort: z3.SortRef | None = None) -> Term:
        """The term of a node; `sort` is needed for an integer that may be a constant."""
        if node.is_const and not node.is_bool:
            assert sort is not None
            return constant(node.low, sort)
        for below in topological([node]):
            if below not in self._made and not (below.is_const and not below.is_bool):
                self._made[below] = self._make(below)
        return self._made[node]

    def _make(self, node: Expr) -> Term:
        if node.op is Op.CONST:
            return z3.BoolVal(bool(node.value))
        if node.op in (Op.VAR, Op.PARAM):
            return self.leaf(node)
        sort = self.sort_of(node) if any(not a.is_bool for a in node.args) else None
        args = (constant(a.low, sort) if a.is_const and not a.is_bool else self._made[a] for a in node.args)
        return _OPERATORS[node.op](*args)


# -- sorts -------------------------------------------------------------------------------------------------------------
#
# Integers that meet (in a comparison, a sum, a choice or an assignment) must have one sort. Such a family is Z3's
# unbounded Int when one of its variables or parameters has no upper bound, and a bit vector just wide enough otherwise;
# `Numbers.INTEGERS` makes them all Int, and a width makes bit vectors of the unbounded ones too.


class Numbers(Enum):
    """What integers with a bounded range become."""

    BITS = "bit vectors"
    INTEGERS = "integers"


class Sorts:
    """The sorts of a system's integers, together with those of claims about it.

    `width` is how many bits stand for an integer without end: for runs that need no larger ones, see `width_for`.
    """

    def __init__(
        self,
        system: System,
        properties: Iterable[LoweredProperty] = (),
        numbers: Numbers = Numbers.BITS,
        width: int | None = None,
    ) -> None:
        self.numbers, self.width = numbers, width
        self._parents: dict[object, object] = {}
        roots = [node for t in system.transitions for node in t.nodes()]
        for p in properties:
            roots += [p.state] if p.state is not None else list(p.steps or ())
        nodes = topological(roots)
        for node in nodes:
            self._unite_arguments(node)
        for t in system.transitions:
            for path, update in t.updates.items():
                self._unite(path, update)
        self._sorts = self._choose(system, nodes)

    def _unite_arguments(self, node: Expr) -> None:
        if node.op is Op.VAR and not node.is_bool:
            self._unite(node, str(node.value).removeprefix(AFTER))
        if node.op in (Op.EQ, Op.LT):
            self._unite(*node.args)
        elif node.op in (Op.ADD, Op.SUB, Op.ITE) and not node.is_bool:
            for argument in node.args[-2:]:
                self._unite(node, argument)

    def _find(self, item: object) -> object:
        while (parent := self._parents.get(item, item)) is not item:
            item = parent
        return item

    def _unite(self, a: object, b: object) -> None:
        """Equal constants are one node wherever they stand, so they tie nothing together."""
        if not any(isinstance(x, Expr) and (x.is_const or x.is_bool) for x in (a, b)):
            self._parents[self._find(a)] = self._find(b)

    def _choose(self, system: System, nodes: Iterable[Expr]) -> dict[object, z3.SortRef]:
        lows: dict[object, int] = {}
        highs: dict[object, int] = {}

        def widen(item: object, low: int, high: int) -> None:
            family = self._find(item)
            lows[family] = min(low, lows.get(family, low))
            highs[family] = max(high, highs.get(family, high))

        for variable in system.variables:
            if not variable.is_bool:
                widen(variable.path, variable.low, variable.high)
        for t in system.transitions:
            for path, update in t.updates.items():
                if not update.is_bool:
                    widen(path, update.low, update.high)
        for node in nodes:
            if not node.is_bool:
                widen(node, node.low, node.high)
            for argument in node.args:
                if argument.is_const and not argument.is_bool and not node.is_bool:
                    widen(node, argument.low, argument.high)
            if node.op in (Op.EQ, Op.LT):
                for argument in node.args:
                    widen(_number(node), argument.low, argument.high)
        return {family: self._sort(lows[family], highs[family]) for family in lows}

    def _sort(self, low: int, high: int) -> z3.SortRef:
        is_endless = high >= UNBOUNDED or low <= -UNBOUNDED
        if is_endless and self.width is not None:
            return z3.BitVecSort(self.width)
        if self.numbers is Numbers.INTEGERS or is_endless:
            return z3.IntSort()
        return z3.BitVecSort(1 + max(high, -1 - low).bit_length())

    @property
    def has_integers(self) -> bool:
        """Is one of them Z3's unbounded Int?"""
        return z3.IntSort() in self._sorts.values()

    def of_variable(self, path: str) -> z3.SortRef:
        """The sort of an integer variable, before and after a step."""
        return self._sorts[self._find(path)]

    def of(self, node: Expr) -> z3.SortRef:
        """The sort of an integer node that is no constant, or of the two sides of a comparison."""
        return self._sorts[self._find(_number(node) if node.is_bool else node)]


def _number(comparison: Expr) -> Expr:
    """A side of a comparison that is no constant."""
    left, right = comparison.args
    return right if left.is_const else left


def width_for(system: System, properties: Iterable[LoweredProperty], steps: int) -> int | None:
    """The bits, with a sign, that integers without end need in runs of up to so many steps.

    What a run asks of the numbers that it chooses are differences: that one is larger than another one, or than a
    constant, by at least so much. If any numbers fulfil that, then some do of which none is larger than the greatest
    difference as often as there are numbers. None where it is not known: where numbers without end have no least one,
    or more is done to them than taking a constant away.
    """
    claimed = (node for p in properties for node in (p.state, *(p.steps or ())) if node is not None)
    nodes = topological([*(node for t in system.transitions for node in t.nodes()), *claimed])
    ranges = [*((v.low, v.high) for v in system.variables), *((node.low, node.high) for node in nodes)]
    sums = [node for node in nodes if node.op in (Op.ADD, Op.SUB) and node.high >= UNBOUNDED]
    taken = [node.args[1].low if node.op is Op.SUB and node.args[1].is_const else -1 for node in sums]
    if any(low <= -UNBOUNDED for low, _ in ranges) or any(constant < 0 for constant in taken):
        return None
    known = {bound for bounds in ranges for bound in bounds if bound < UNBOUNDED} | {*system.free.values()}
    known |= {value for state in system.initial for value in state}
    known |= {value for t in system.transitions for p in t.free for value in p.values}
    difference = 1 + max(map(abs, known)) + steps * sum(taken)
    chosen = max((sum(p.unbounded for p in t.free) for t in system.transitions), default=0)
    return 1 + ((1 + len(system.free) + steps * chosen) * difference).bit_length()


# -- a system as a transition relation of Z3: initial states, one move for each transition, ranges, what claims ask ----

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
    condition: Term
    """When the step can be taken, with these parameters."""
    fault: Term
    """When the model goes wrong in it, with these parameters."""
    updates: Mapping[str, Term]
    """The values after the step of the variables that it may change."""


class Relation:
    """A system, or the part of it that `keep` names, for Z3. `now` and `then` are the variables around a step."""

    def __init__(
        self,
        system: System,
        properties: Sequence[LoweredProperty] = (),
        keep: frozenset[str] | None = None,
        numbers: Numbers = Numbers.BITS,
        width: int | None = None,
    ) -> None:
        self.system, self.properties = system, tuple(properties)
        self.sorts = Sorts(system, properties, numbers, width)
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
        taken, fault = (t.when(outcome, self.system.graph) for outcome in (Outcome.TAKEN, Outcome.FAULT))
        roots = [taken, fault, *t.updates.values()]
        roots += (p.steps[number] for p in self.properties if p.steps is not None)
        free = {str(n.value): n for n in topological(roots) if n.op is Op.PARAM}
        choices = []
        for parameter in t.free:
            if (node := free.get(parameter.name)) is not None and not node.is_bool:
                term = self._parameters[node]
                values = [constant(v, term.sort()) for v in sorted(parameter.values)]
                choices.append(term >= values[0] if parameter.unbounded else z3.Or([term == v for v in values]))
        return MoveTerms(
            number,
            t,
            {name: self._parameters[node] for name, node in free.items()},
            all_of(choices),
            z3.And(all_of(choices), self.terms.of(taken)),
            z3.And(all_of(choices), self.terms.of(fault)),
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
    """One more claim: no step is an error of the model."""
    return LoweredProperty(NO_FAULT, steps=tuple(t.when(Outcome.FAULT, system.graph) for t in system.transitions))


def violation(relation: Relation, p: LoweredProperty, move: MoveTerms) -> Term:
    """When taking the move violates the claim: over the state before it and its parameters.

    A claim about states is violated by a step into a state where it does not hold.
    """
    if p.property.id == NO_FAULT.id:
        return move.fault
    if p.state is not None:
        return z3.And(move.condition, z3.Not(after(relation, relation.holds(p), move)))
    assert p.steps is not None
    return z3.And(move.condition, relation.terms.of(p.steps[move.number]))


def after(relation: Relation, term: Term, move: MoveTerms, variables: Iterable[str] | None = None) -> Term:
    """What the term is after the move, over the state before it. `variables` are those in the term, if known."""
    written = move.updates.keys() & (relation.now.keys() if variables is None else set(variables))
    return z3.substitute(term, *((relation.now[path], move.updates[path]) for path in sorted(written)))
