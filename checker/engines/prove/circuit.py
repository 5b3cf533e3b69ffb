"""A lowered system as a circuit of bits, in clauses: one step of it, and what claims and predicates are around it.

The first step of the circuit chooses an initial state; every later one is a transition that can be taken, chosen by its
number. Numbers are two's complement, as wide as their range; those without end have `width` bits, and what is larger
than that is cut off. So what is found here may be wrong: it decides nothing before it has been checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.core.system import LoweredProperty, Move, Outcome, Parameter, System, Transition, Variable
from podproof.checker.engines.prove.certificate import Run
from podproof.checker.solver.terms import NO_FAULT

Bits = list[int]
"""A number, its least bit first and its sign last. Each bit is a literal: a variable of the clauses, negated if < 0."""
TRUE = 1
"""The literal that is always true."""


def bits_for(low: int, high: int) -> int:
    """The bits, with a sign, that hold all of low..high."""
    return 1 + max(high, -1 - low).bit_length()


class Gates:
    """Makes gates and their clauses, each gate once."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = [[TRUE]]
        self.top = TRUE
        self._made: dict[tuple[object, ...], int] = {}

    def new(self) -> int:
        """A variable that nothing is known of."""
        self.top += 1
        return self.top

    def and_(self, parts: Iterable[int]) -> int:
        inputs = set(parts) - {TRUE}
        if -TRUE in inputs or any(-part in inputs for part in inputs):
            return -TRUE
        if len(inputs) < 2:
            return inputs.pop() if inputs else TRUE
        ordered = sorted(inputs)
        key = ("and", *ordered)
        if key not in self._made:
            gate = self._made[key] = self.new()
            self.clauses += ([-gate, part] for part in ordered)
            self.clauses.append([gate, *(-part for part in ordered)])
        return self._made[key]

    def or_(self, parts: Iterable[int]) -> int:
        return -self.and_(-part for part in parts)

    def ite(self, condition: int, then: int, other: int) -> int:
        if then == other or condition == TRUE:
            return then
        if condition == -TRUE:
            return other
        if condition < 0:
            condition, then, other = -condition, other, then
        if TRUE in (abs(then), abs(other)) or condition in (abs(then), abs(other)):
            return self.or_([self.and_([condition, then]), self.and_([-condition, other])])
        key = ("ite", condition, then, other)
        if key not in self._made:
            gate = self._made[key] = self.new()
            for side, value in ((-condition, then), (condition, other)):
                self.clauses += [side, -value, gate], [side, value, -gate]
            self.clauses += [-then, -other, gate], [then, other, -gate]
        return self._made[key]

    def equal(self, a: Bits, b: Bits) -> int:
        return self.and_(self.ite(x, y, -y) for x, y in self._aligned(a, b))

    def less(self, a: Bits, b: Bits) -> int:
        """Of numbers with signs: the highest bits in which they differ decide, the sign the other way round."""
        *rest, (x, y) = self._aligned(a, b)
        out = -TRUE
        for p, q in [*rest, (y, x)]:
            out = self.ite(self.ite(p, q, -q), out, q)
        return out

    def add(self, a: Bits, b: Bits, carry: int, width: int) -> Bits:
        """The sum of both and the carry, cut off at a width."""
        out = []
        for x, y in zip(resized(a, width), resized(b, width), strict=True):
            differ = -self.ite(x, y, -y)
            out.append(self.ite(carry, -differ, differ))
            carry = self.ite(differ, carry, x)
        return out

    @staticmethod
    def _aligned(a: Bits, b: Bits) -> list[tuple[int, int]]:
        width = max(len(a), len(b))
        return list(zip(resized(a, width), resized(b, width), strict=True))


def resized(bits: Bits, width: int) -> Bits:
    """The same number with so many bits; what does not fit is cut off."""
    return [*bits[:width], *[bits[-1]] * (width - len(bits))]


def constant_bits(value: int) -> Bits:
    """A number that is known."""
    return [TRUE if value >> i & 1 else -TRUE for i in range(bits_for(value, value))]


@dataclass(frozen=True)
class Latch:
    """Something that is true or false of a state. It is false before the first step."""

    now: int
    """The literal that says so of the state before a step."""
    then: int
    """And of the one after it."""


class Circuit:
    """One step of a system, or of the part of it that `keep` names.

    `width` is how many bits a number without end has here, at least.
    """

    def __init__(
        self, system: System, properties: Sequence[LoweredProperty], keep: frozenset[str], width: int = 6
    ) -> None:
        self.system, self.gates = system, Gates()
        claims = (node for p in properties for node in (p.state, *(p.steps or ())) if node is not None)
        self._roots = [*(node for t in system.transitions for node in t.nodes()), *claims]
        self.variables = [v for v in system.variables if v.path in keep and v.low < v.high]
        known = [
            s[system.index(v.path)]
            for s in system.initial
            for v in self.variables
            if not v.is_bool and v.path not in system.free
        ]
        self.width = max([width, *(bits_for(value, value) for value in known)])
        self.is_started = self.gates.new()
        self.now = {v.path: self._fresh(v.is_bool, v.low, v.high) for v in self.variables}
        for v in self.variables:
            self._require_range(v)
        self._parameters = [self._parameters_of(i, t, properties) for i, t in enumerate(system.transitions)]
        """For each transition, the parameters that it reads."""
        nodes = dict.fromkeys(node for parameters in self._parameters for node in parameters)
        self._values = {node: self._fresh(node.is_bool, node.low, node.high) for node in nodes}
        self._made: dict[Expr, Bits] = {}
        count = len(system.transitions)
        self.chosen = [self.gates.new() for _ in range(max(count, len(system.initial)).bit_length())]
        """The number of the transition or, in the first step, of the initial state."""
        self._is_taken = [self._choice(i, t, Outcome.TAKEN) for i, t in enumerate(system.transitions)]
        self._goes_wrong = [self._choice(i, t, Outcome.FAULT) for i, t in enumerate(system.transitions)]
        self._beginnings = self._all_beginnings()
        begins = [self.gates.and_([-self.is_started, chosen, *rest]) for chosen, rest, _ in self._beginnings]
        self.steps = self.gates.or_([*begins, *self._is_taken])
        """Is what is chosen a step?"""
        self.then = {v.path: self._after(v) for v in self.variables}
        self.violations = {p.property.id: self._violation(p) for p in properties}
        """For each claim, when the state before the step, or the step, violates it."""
        self.started = Latch(self.is_started, TRUE)

    @staticmethod
    def _parameters_of(number: int, t: Transition, properties: Sequence[LoweredProperty]) -> list[Expr]:
        claimed = (p.steps[number] for p in properties if p.steps is not None)
        return [node for node in topological([*t.nodes(), *claimed]) if node.op is Op.PARAM]

    def _fresh(self, is_bool: bool, low: int, high: int) -> Bits:
        width = 1 if is_bool else self.width if _is_endless(low, high) else bits_for(low, high)
        return [self.gates.new() for _ in range(width)]

    def _require_range(self, variable: Variable) -> None:
        """Before a step every variable is in its range, once it has begun."""
        if not variable.is_bool:
            for bound in self._in_range(self.now[variable.path], variable.low, variable.high):
                self.gates.clauses.append([-self.is_started, bound])

    def _in_range(self, bits: Bits, low: int, high: int) -> Iterator[int]:
        if low > -UNBOUNDED:
            yield -self.gates.less(bits, constant_bits(low))
        if high < UNBOUNDED:
            yield -self.gates.less(constant_bits(high), bits)

    def of(self, root: Expr, values: Mapping[str, Bits] | None = None) -> Bits:
        """The gates of an expression, over the state before the step unless others are given for its variables."""
        made, values = (self._made, self.now) if values is None else ({}, values)
        for node in topological([root], made):
            made[node] = self._make(node, [made[arg] for arg in node.args], values)
        return made[root]

    def _make(self, node: Expr, args: list[Bits], values: Mapping[str, Bits]) -> Bits:
        gates = self.gates
        match node.op:
            case Op.CONST:
                return [TRUE if node.value else -TRUE] if node.is_bool else constant_bits(node.low)
            case Op.VAR:
                return values[str(node.value)]
            case Op.PARAM:
                return self._values[node]
            case Op.NOT:
                return [-args[0][0]]
            case Op.AND:
                return [gates.and_([args[0][0], args[1][0]])]
            case Op.OR:
                return [gates.or_([args[0][0], args[1][0]])]
            case Op.EQ:
                return [gates.equal(*args)]
            case Op.LT:
                return [gates.less(*args)]
            case Op.ADD | Op.SUB:
                width = self.width if _is_endless(node.low, node.high) else bits_for(node.low, node.high)
                a, b = args
                return (
                    gates.add(a, b, -TRUE, width) if node.op is Op.ADD else gates.add(a, [-x for x in b], TRUE, width)
                )
            case Op.ITE:
                (condition,), then, other = args
                width = max(len(then), len(other))
                pairs = zip(resized(then, width), resized(other, width), strict=True)
                return [gates.ite(condition, x, y) for x, y in pairs]

    def _is_chosen(self, number: int) -> int:
        return self.gates.and_(bit if number >> i & 1 else -bit for i, bit in enumerate(self.chosen))

    def _choice(self, number: int, t: Transition, outcome: Outcome) -> int:
        """When this transition is chosen, with values that its parameters have, and comes out like this."""
        (comes_out,) = self.of(t.when(outcome, self.system.graph))
        free = {p.name: p for p in t.free}
        choices = (
            self._has_a_value(free[str(node.value)], self._values[node])
            for node in self._parameters[number]
            if not node.is_bool
        )
        return self.gates.and_([self.is_started, self._is_chosen(number), *choices, comes_out])

    def _has_a_value(self, parameter: Parameter, bits: Bits) -> int:
        if parameter.unbounded:
            return -self.gates.less(bits, constant_bits(min(parameter.values)))
        return self.gates.or_(self.gates.equal(bits, constant_bits(value)) for value in parameter.values)

    def _all_beginnings(self) -> list[tuple[int, list[int], Mapping[str, Bits]]]:
        """For each initial state: that it is chosen, what its free variables must fulfil, and all variables in it."""
        inputs = {v.path: self._fresh(v.is_bool, v.low, v.high) for v in self.variables if v.path in self.system.free}
        allowed = [-self.gates.less(bits, constant_bits(self.system.free[path])) for path, bits in inputs.items()]
        self._free = inputs
        found: list[tuple[int, list[int], Mapping[str, Bits]]] = []
        for number, state in enumerate(self.system.initial):
            values = {v.path: constant_bits(state[self.system.index(v.path)]) for v in self.variables}
            values |= {v.path: values[v.path][:1] for v in self.variables if v.is_bool}
            found.append((self._is_chosen(number), allowed, {**values, **inputs}))
        return found

    def _after(self, variable: Variable) -> Bits:
        """The variable after the step: of one that is chosen, or as it was."""
        path, width = variable.path, len(self.now[variable.path])
        chosen: list[tuple[int, Bits]] = [
            (self.gates.and_([-self.is_started, chosen]), values[path]) for chosen, _, values in self._beginnings
        ]
        for number, t in enumerate(self.system.transitions):
            if path in t.updates:
                now = self.gates.and_([self.is_started, self._is_chosen(number)])
                chosen.append((now, self.of(t.updates[path])))
        chosen.append((self.gates.and_(-when for when, _ in chosen), self.now[path]))
        fitting = [(when, resized(bits, width)) for when, bits in chosen]
        return [self.gates.or_(self.gates.and_([when, bits[i]]) for when, bits in fitting) for i in range(width)]

    def _violation(self, p: LoweredProperty) -> int:
        if p.property.id == NO_FAULT.id:
            return self.gates.or_(self._goes_wrong)
        if p.state is not None:
            return self.gates.and_([self.is_started, -self.of(p.state)[0]])
        assert p.steps is not None
        steps = zip(self._is_taken, p.steps, strict=True)
        return self.gates.or_(self.gates.and_([taken, self.of(step)[0]]) for taken, step in steps)

    def latch(self, predicate: Expr) -> Latch:
        """A predicate of states."""
        (now,), (then,) = self.of(predicate), self.of(predicate, self.then)
        return Latch(self.gates.and_([self.is_started, now]), then)

    def bit_latches(self) -> list[Latch]:
        """Each bit of the numbers without end."""
        numbers = (v.path for v in self.variables if v.high >= UNBOUNDED)
        pairs = (pair for path in numbers for pair in zip(self.now[path], self.then[path], strict=True))
        return [Latch(self.gates.and_([self.is_started, now]), then) for now, then in pairs]

    def inputs(self) -> list[int]:
        """Everything that is chosen in a step."""
        numbers = [*self._values.values(), *self._free.values()]
        return [*self.chosen, *(bit for bits in numbers for bit in bits)]

    def interface(self) -> set[int]:
        """The variables of the clauses that mean something by themselves."""
        numbers = [*self.now.values(), *self.then.values(), self.inputs(), self.violations.values()]
        return {TRUE, self.is_started, abs(self.steps), *(abs(bit) for bits in numbers for bit in bits)}

    def is_exact(self, steps: int) -> bool:
        """Do runs of so many steps need no more bits than numbers have here, whatever numbers they choose?

        What a run asks of the numbers that it chooses are differences: that one is larger than another one, or than a
        constant, by at least so much. Of `count` numbers that can fulfil that, none has to be larger than `count` times
        the greatest difference. False where numbers
        without end are added up, or have no least one.
        """
        endless = [(low, high) for low, high in self._ranges() if _is_endless(low, high)]
        if not endless:
            return True
        nodes = topological(self._roots)
        sums = [node for node in nodes if node.op in (Op.ADD, Op.SUB) and _is_endless(node.low, node.high)]
        if any(low <= -UNBOUNDED for low, _ in endless) or not all(node.args[1].is_const for node in sums):
            return False
        known = [abs(node.low) for node in nodes if node.is_const and not node.is_bool]
        known += (abs(value) for state in self.system.initial for value in state)
        most = max(sum(node.high >= UNBOUNDED for node in parameters) for parameters in self._parameters)
        count = 1 + len(self._free) + steps * most
        difference = max(known) + 2 + steps * sum(abs(node.args[1].low) for node in sums)
        return count * difference < 1 << self.width - 1

    def _ranges(self) -> Iterator[tuple[int, int]]:
        yield from ((v.low, v.high) for v in self.variables)
        yield from ((node.low, node.high) for node in self._values)

    def run(self, steps: Sequence[Callable[[int], bool]]) -> Run:
        """What was chosen in each step, the first of which begins; `steps` say which literals are true in each."""
        first, *rest = steps
        number = _number(self.chosen, first, signed=False)
        state = self.system.initial[number]
        beginning = {v.path: state[self.system.index(v.path)] for v in self.variables}
        beginning |= {path: _number(bits, first) for path, bits in self._free.items()}
        return Run(beginning, tuple(map(self._move, rest)))

    def _move(self, is_true: Callable[[int], bool]) -> Move:
        number = _number(self.chosen, is_true, signed=False)
        t = self.system.transitions[number]
        values = {p.name: p.values[0] for p in t.free}
        for node in self._parameters[number]:
            values[str(node.value)] = _number(self._values[node], is_true, signed=not node.is_bool)
        return Move(t.action.name, {**values, **t.fixed})


def _is_endless(low: int, high: int) -> bool:
    return low <= -UNBOUNDED or high >= UNBOUNDED


def _number(bits: Bits, is_true: Callable[[int], bool], signed: bool = True) -> int:
    value = sum(is_true(bit) << i for i, bit in enumerate(bits))
    return value - (1 << len(bits)) if signed and is_true(bits[-1]) else value
