"""The text of functions in LLVM's language: a table over the operators of the graph, and a function a transition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from podproof.checker.core.graph import (
    Expr,
    Graph,
    Op,
    Ranges,
    assume,
    cases,
    consistent,
    literals,
    topological,
    transplant,
)
from podproof.checker.core.system import CheckerError, Move, Parameter, System, TooWide, Transition
from podproof.checker.engines.compiled.layout import WORD_BITS, Field, Layout

_OPERATORS: Mapping[Op, str] = {
    Op.NOT: "xor i1 {0}, true",
    Op.AND: "and i1 {0}, {1}",
    Op.OR: "or i1 {0}, {1}",
    Op.EQ: "icmp eq {sort} {0}, {1}",
    Op.LT: "icmp slt {sort} {0}, {1}",
    Op.ADD: "add {sort} {0}, {1}",
    Op.SUB: "sub {sort} {0}, {1}",
    Op.ITE: "select i1 {0}, {sort} {1}, {sort} {2}",
}
_BITS = {"i64": 64, "i128": 128}
"""LLVM's types for integers, the narrowest first: words have 64 bits, and what is calculated may need more."""


def narrowest(low: int, high: int) -> str | None:
    """The type that has all integers from `low` to `high`, if there is one."""
    return next((s for s, bits in _BITS.items() if -(1 << bits - 1) <= low and high < 1 << bits - 1), None)


def sort_of(node: Expr, users: Iterable[Expr] = ()) -> str:
    """LLVM's type for the values of a node, which these others use. Raises TooWide where there is none."""
    sort = "i1" if node.is_bool else narrowest(node.low, node.high)
    if sort is None:
        place = next(filter(None, (user.line for user in (node, *users))), node.value or "an expression")
        raise TooWide(
            f"{place}: a number here may be anything from {node.low} to {node.high}, and compiled code calculates with "
            f"at most {_BITS['i128']} bits; use smaller numbers, or `podproof check --engine python`"
        )
    return sort


def lower_bits(value: int, sort: str) -> str:
    """A number of this type with the same lower bits."""
    half = 1 << _BITS[sort] - 1
    return str((value + half) % (2 * half) - half)


class Body:
    """The text of one function: every node is computed once, where it is first needed."""

    def __init__(self, layout: Layout, *addresses: str) -> None:
        self.layout = layout
        self.lines = [f"  %{name} = inttoptr i64 %{name}.at to ptr" for name in addresses]
        self.names: dict[Expr, str] = {}
        self.count = 0

    def say(self, text: str) -> None:
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        """A new value."""
        self.count += 1
        name = f"%v{self.count}"
        self.say(f"{name} = {text}")
        return name

    def load_words(self) -> None:
        for word in range(self.layout.words):
            self.say(f"%word{word}.at = getelementptr i64, ptr %state, i64 {word}")
            self.say(f"%word{word} = load i64, ptr %word{word}.at")

    def name(self, node: Expr) -> str:
        """A computed node or a constant, as an operand."""
        if node.is_const:
            return ("true" if node.value else "false") if node.is_bool else str(node.value)
        return self.names[node]

    def operand(self, node: Expr, sort: str) -> str:
        """A computed node or a constant as a value of this type; one that is too large for it loses its upper bits."""
        if node.is_const and not node.is_bool:
            return lower_bits(int(node.value or 0), sort)
        return self.convert(self.name(node), sort_of(node), sort)

    def convert(self, value: str, own: str, sort: str) -> str:
        if own == sort:
            return value
        return self.let(f"{'sext' if own == 'i64' else 'trunc'} {own} {value} to {sort}")

    def emit(self, roots: Iterable[Expr]) -> None:
        """Compute what these nodes need and the function does not have yet."""
        nodes = self.missing(roots)
        for node in nodes:
            self.names[node] = self.compute(node, (user for user in nodes if node in user.args))

    def missing(self, roots: Iterable[Expr]) -> list[Expr]:
        """The nodes still to be computed for these, arguments first."""
        return [node for node in topological(roots, self.names) if not node.is_const]

    def compute(self, node: Expr, users: Iterable[Expr] = ()) -> str:
        if node.op is Op.VAR:
            return self.read(str(node.value), sort_of(node, users))
        if node.op is Op.PARAM:
            raise CheckerError(f"an expression reads {node.value!r}, which is no parameter of its action")
        # Numbers are compared as they are. Of a sum, a difference or a choice only the value must fit: its bits do not
        # depend on what its operands lose.
        sorts = [sort_of(a, [node]) for a in node.args]
        sort = max(sorts, key=len) if node.is_bool else sort_of(node)
        operands = [self.operand(a, "i1" if a.is_bool else sort) for a in node.args]
        return self.let(_OPERATORS[node.op].format(*operands, sort=sort))

    def read(self, path: str, sort: str) -> str:
        """A variable of this type, taken out of its word."""
        field = self.layout.fields.get(path)
        if field is None:
            raise CheckerError(f"{path} is read but not stored: the reduction that left it out is wrong")
        variable = field.variable
        if not field.bits:
            return ("true" if variable.low else "false") if variable.is_bool else str(variable.low)
        if variable.is_bool:
            return self.let(f"icmp ne i64 {self.let(f'and i64 %word{field.word}, {field.mask}')}, 0")
        value = self.distance(field)
        if sort != "i64":
            value = self.let(f"zext i64 {value} to {sort}")
        return self.let(f"add {sort} {value}, {variable.low}") if variable.low else value

    def distance(self, field: Field) -> str:
        """How far above its least value a variable is, as its word has it."""
        value = f"%word{field.word}"
        if field.shift:
            value = self.let(f"lshr i64 {value}, {field.shift}")
        return self.let(f"and i64 {value}, {(1 << field.bits) - 1}")

    def test(self, conditions: Sequence[tuple[Expr, bool]]) -> str:
        """Has each of these nodes the value that is wanted?"""
        self.emit(node for node, _ in conditions)
        return self.join("and", [self.name(n) if wanted else self.negate(n) for n, wanted in conditions])

    def negate(self, node: Expr) -> str:
        return self.let(f"xor i1 {self.name(node)}, true")

    def join(self, operator: str, values: Sequence[str]) -> str:
        out = values[0]
        for value in values[1:]:
            out = self.let(f"{operator} i1 {out}, {value}")
        return out

    def store(self, value: str, row: str, word: int) -> None:
        at = self.let(f"getelementptr i64, ptr {row}, i64 {word}")
        self.say(f"store i64 {value}, ptr {at}")

    def store_bits(self, bits: Sequence[str], row: str, first_word: int, more: Sequence[str] = ()) -> None:
        """Store truth values as bits of as many words as they need; `more` has words whose bits are set besides."""
        for start in range(0, len(bits), WORD_BITS):
            word = more[start // WORD_BITS] if more else "0"
            for shift, bit in enumerate(bits[start : start + WORD_BITS]):
                if bit != "false":
                    word = self.either(word, self.shift(self.let(f"zext i1 {bit} to i64"), shift))
            self.store(word, row, first_word + start // WORD_BITS)

    def shift(self, value: str, shift: int) -> str:
        return self.let(f"shl i64 {value}, {shift}") if shift else value

    def either(self, a: str, b: str) -> str:
        return b if a == "0" else self.let(f"or i64 {a}, {b}")


# -- a transition: loops over its parameters around guards and a row for every step ------------------------------------


_TRANSITION_BITS = 20
TRANSITION_MASK = (1 << _TRANSITION_BITS) - 1
MOST_CHOICES = 1 << 63 - _TRANSITION_BITS
"""A tag has so many numbers for the choices of a transition's parameters; its highest bit is for faults."""
_CHEAP = 8
"""Guards that cost at most so many operators are tested together; a dearer one has a branch of its own."""


class Tag(NamedTuple):
    """What a row says about its step: which transition, which choice of its free parameters, did the model go wrong."""

    transition: int
    choice: int
    faulty: bool

    @classmethod
    def read(cls, tag: int) -> Tag:
        low = tag & ((1 << 63) - 1)
        return cls(low & TRANSITION_MASK, low >> _TRANSITION_BITS, tag < 0)

    def move(self, system: System) -> Move:
        """The action, and all parameters of the choice; the last free parameter varies fastest."""
        transition, choice, values = system.transitions[self.transition], self.choice, dict[str, int]()
        for parameter in reversed(transition.free):
            choice, digit = divmod(choice, len(parameter.values))
            values[parameter.name] = parameter.values[digit]
        return Move(transition.action.name, {**transition.fixed, **dict(reversed(values.items()))})


@dataclass(frozen=True)
class Successor:
    """What a transition does, as expressions."""

    updates: Mapping[str, Expr]
    violations: Sequence[Expr]
    bounds: Mapping[str, Expr]
    faults: Sequence[Expr]

    def nodes(self) -> list[Expr]:
        """All of them in one list."""
        return [*self.updates.values(), *self.violations, *self.bounds.values(), *self.faults]

    def like(self, nodes: Iterable[Expr]) -> Successor:
        """A step of the same shape with these expressions, in the order of `nodes`."""
        rest = iter(nodes)
        updates = dict(zip(self.updates, islice(rest, len(self.updates)), strict=True))
        violations = [*islice(rest, len(self.violations))]
        bounds = dict(zip(self.bounds, islice(rest, len(self.bounds)), strict=True))
        return Successor(updates, violations, bounds, [*rest])


class Module:
    """What the functions of one module have in common."""

    def __init__(self, layout: Layout, bounds: Sequence[str], ranges: Ranges, branches: bool) -> None:
        self.layout, self.branches = layout, branches
        # Claims may have been lowered into another graph than the system, and what is made here serves nobody else.
        self.graph = Graph()
        self.own = transplant(self.graph, ranges)
        """Makes the same expressions in this graph."""
        self.bounds = {name: i for i, name in enumerate(bounds)}
        self.lines: list[str] = []


class TransitionWriter(Body):
    """One transition: a loop for each free parameter, every guard and node as far out as it can be.

    Violations that are among the `shared` ones are computed for the state, and not here.
    The function appends its rows at the address it is given and returns the address behind the last one. It is called
    where `outer` guards hold: most transitions are disabled, and a call would cost more than the test.
    """

    def __init__(
        self, module: Module, number: int, t: Transition, violations: Sequence[Expr], shared: Sequence[Expr | None]
    ) -> None:
        super().__init__(module.layout)
        self.module, self.number, self.transition, self.graph = module, number, t, module.graph
        are_shared = [node is other for node, other in zip(violations, shared, strict=True)]
        parts = (are_shared[first : first + WORD_BITS] for first in range(0, len(are_shared), WORD_BITS))
        self.shared = [sum(1 << i for i, bit in enumerate(part) if bit) for part in parts]
        self.loops = [p for p in t.free if len(p.values) > 1]
        graph, false = self.graph, Graph().false
        violations = [false if is_shared else node for node, is_shared in zip(violations, are_shared, strict=True)]
        updates = {path: node for path, node in t.updates.items() if path in module.layout.fields}
        step = Successor(updates, violations, t.bounds, [*t.faults.values()])
        enabled, *nodes = module.own([t.enabled, *step.nodes()])
        step = step.like(nodes)
        step = replace(step, violations=[consistent(graph, node) for node in step.violations])
        # Parameters that can have but one value have no loop.
        one = {p.name: graph.constant(p.is_bool, p.values[0]) for p in t.free if p not in self.loops}
        enabled, *nodes = graph.substitute([enabled, *step.nodes()], one, Op.PARAM)
        self.guards = [*literals(enabled)]
        self.step = step.like(assume(graph, nodes, self.guards))
        roots = [*(node for node, _ in self.guards), *self.step.nodes()]
        self.levels = _levels(roots, {p.name: i for i, p in enumerate(self.loops)})
        self.outer = [g for g in self.guards if not self.levels[g[0]] and len(self.missing(g[:1])) <= _CHEAP]
        """The guards that are tested before the function is called: they depend on the state alone, and cost little."""
        self.tables: list[str] = []
        self.labels = 0

    def write(self) -> list[str]:
        self.say("%row.at = alloca ptr")
        self.say("store ptr %first, ptr %row.at")
        self.load_words()
        guards = [(node, wanted, self.levels[node]) for node, wanted in self.guards if (node, wanted) not in self.outer]
        block = self.level(0, guards, "entry", "done")
        for depth, parameter in enumerate(self.loops, 1):
            self.open_loop(depth, parameter, block)
            block = self.level(depth, guards, f"loop{depth}", f"next{depth}")
        self.cases(self.step, f"next{len(self.loops)}" if self.loops else "done")
        self.close_loops()
        arguments = "ptr %first, ptr %state, ptr %bounds, ptr %shared"
        head = f"define internal ptr @step{self.number}({arguments}) noinline nounwind {{"
        return [*self.tables, head, "entry:", *self.lines, "}"]

    def level(self, depth: int, guards: Sequence[tuple[Expr, bool, int]], block: str, otherwise: str) -> str:
        """Test the guards that can be tested here, the cheap ones together; returns the block that comes after."""
        here = [(node, wanted) for node, wanted, level in guards if level == depth]
        cheap = [g for g in here if len(self.missing([g[0]])) <= _CHEAP]
        groups = [cheap] if cheap else []
        groups += [[g] for g in here if g not in cheap]
        for group in groups:
            block = self.branch(self.test(group), otherwise)
        return block

    def branch(self, condition: str, otherwise: str) -> str:
        """Go on where the condition holds."""
        label = self.label()
        self.say(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.lines.append(f"{label}:")
        return label

    def label(self) -> str:
        self.labels += 1
        return f"go{self.labels}"

    def cases(self, step: Successor, after: str) -> None:
        """The step, once for each answer to the questions that are worth a branch, if any is; goes on at `after`."""
        found = cases(self.graph, step.nodes()) if self.module.branches else None
        if found is None:
            self.row(step, after)
            return
        condition, then, other = found
        self.emit([condition])
        names, otherwise = self.names.copy(), self.label()
        self.branch(self.name(condition), otherwise)
        self.cases(step.like(then), after)
        self.names = names
        self.lines.append(f"{otherwise}:")
        self.cases(step.like(other), after)

    def open_loop(self, depth: int, parameter: Parameter, before: str) -> None:
        index, values = f"%i{depth}", parameter.values
        self.say(f"br label %loop{depth}")
        self.lines.append(f"loop{depth}:")
        self.say(f"{index} = phi i64 [ 0, %{before} ], [ {index}.next, %next{depth} ]")
        sort = narrowest(min(values), max(values))
        if sort is None:
            raise TooWide(
                f"{self.transition.action.line}: {parameter.name} may be anything from {min(values)} to {max(values)}, "
                "too much for compiled code; use smaller numbers, or `podproof check --engine python`"
            )
        if values == tuple(range(values[0], values[0] + len(values))):
            value = self.let(f"add {sort} {self.convert(index, 'i64', sort)}, {values[0]}")
        else:
            table = f"@values{self.number}.{depth}"
            items = ", ".join(f"{sort} {v}" for v in values)
            self.tables.append(f"{table} = private unnamed_addr constant [{len(values)} x {sort}] [{items}]")
            at = self.let(f"getelementptr {sort}, ptr {table}, i64 {index}")
            value = self.let(f"load {sort}, ptr {at}")
        self.parameter(parameter, value, sort)

    def parameter(self, parameter: Parameter, value: str, sort: str) -> None:
        """From here on the parameter's node has this value."""
        for node in self.levels:
            if node.op is Op.PARAM and node.value == parameter.name:
                is_true = f"icmp ne {sort} {value}, 0"
                self.names[node] = self.let(is_true) if node.is_bool else self.convert(value, sort, sort_of(node))

    def close_loops(self) -> None:
        for depth in range(len(self.loops), 0, -1):
            index = f"%i{depth}"
            self.lines.append(f"next{depth}:")
            self.say(f"{index}.next = add i64 {index}, 1")
            more = self.let(f"icmp ult i64 {index}.next, {len(self.loops[depth - 1].values)}")
            after = f"next{depth - 1}" if depth > 1 else "done"
            self.say(f"br i1 {more}, label %loop{depth}, label %{after}")
        self.lines.append("done:")
        self.say("%end = load ptr, ptr %row.at")
        self.say("ret ptr %end")

    def row(self, step: Successor, after: str) -> None:
        """The row of a step that is enabled, with all parameters chosen."""
        self.cut(step.bounds, after)
        self.emit([*step.updates.values(), *step.violations, *step.faults])
        row = self.let("load ptr, ptr %row.at")
        for word, value in enumerate(self.words_after(step.updates)):
            self.store(value, row, word)
        if self.layout.renamings:
            self.say(f"call void @least(ptr {row})")
        words = self.layout.words
        self.store(self.tag(step.faults), row, words)
        self.store_bits([self.name(node) for node in step.violations], row, words + 1, self.shared_bits())
        stride = words + 1 + -(-len(step.violations) // WORD_BITS)
        self.say(f"store ptr {self.let(f'getelementptr i64, ptr {row}, i64 {stride}')}, ptr %row.at")
        self.say(f"br label %{after}")

    def shared_bits(self) -> list[str]:
        """The violations that were computed for the state, a word of bits each."""
        found = []
        for word, mask in enumerate(self.shared):
            at = self.let(f"getelementptr i64, ptr %shared, i64 {word}")
            found.append(self.let(f"and i64 {self.let(f'load i64, ptr {at}')}, {mask}") if mask else "0")
        return found

    def cut(self, bounds: Mapping[str, Expr], after: str) -> None:
        """A step that leaves the scenario's bounds is counted, under the first bound, and has no row."""
        hit = {name: node for name, node in bounds.items() if node.value != 0}
        if not hit:
            return
        self.emit(hit.values())
        cut, inside = self.label(), self.label()
        self.say(f"br i1 {self.join('or', [self.name(n) for n in hit.values()])}, label %{cut}, label %{inside}")
        self.lines.append(f"{cut}:")
        uncounted = "true"
        for name, node in hit.items():
            at = self.let(f"getelementptr i64, ptr %bounds, i64 {self.module.bounds[name]}")
            count = self.let(f"load i64, ptr {at}")
            first = self.let(f"and i1 {uncounted}, {self.name(node)}")
            more = self.let(f"zext i1 {first} to i64")
            self.say(f"store i64 {self.let(f'add i64 {count}, {more}')}, ptr {at}")
            uncounted = self.let(f"xor i1 {first}, {uncounted}")
        self.say(f"br label %{after}")
        self.lines.append(f"{inside}:")

    def words_after(self, updates: Mapping[str, Expr]) -> Iterator[str]:
        """The state after the step; constants of one word are put in together, and what stays is left alone."""
        for word in range(self.layout.words):
            clear, constant, value = 0, 0, "0"
            for path, node in updates.items():
                field = self.layout.fields[path]
                if field.word != word or not field.bits or (node.op is Op.VAR and node.value == path):
                    continue
                clear |= field.mask
                low = field.variable.low
                if node.is_const:
                    constant |= ((int(node.value or 0) - low) << field.shift) & field.mask
                    continue
                new = self.let(f"zext i1 {self.name(node)} to i64") if node.is_bool else self.operand(node, "i64")
                if low and not node.is_bool:
                    new = self.let(f"sub i64 {new}, {lower_bits(low, 'i64')}")
                if node.low < low or node.high > field.variable.high:
                    # The value is in range wherever no fault is; the mask guards the neighbouring fields elsewhere.
                    new = self.let(f"and i64 {new}, {(1 << field.bits) - 1}")
                value = self.either(value, self.shift(new, field.shift))
            old = f"%word{word}"
            if clear:
                kept = self.let(f"and i64 {old}, {~clear & ((1 << WORD_BITS) - 1)}")
                value = self.either(value, kept)
                yield self.let(f"or i64 {value}, {constant}") if constant else value
            else:
                yield old

    def tag(self, faults: Iterable[Expr]) -> str:
        choice = "0"
        for depth, parameter in enumerate(self.loops, 1):
            if choice != "0":
                choice = self.let(f"mul i64 {choice}, {len(parameter.values)}")
            choice = f"%i{depth}" if choice == "0" else self.let(f"add i64 {choice}, %i{depth}")
        tag = str(self.number)
        if choice != "0":
            tag = self.let(f"or i64 {self.shift(choice, _TRANSITION_BITS)}, {self.number}")
        for fault in faults:
            if fault.value == 0:
                continue
            bad = self.let(f"select i1 {self.name(fault)}, i64 {-(1 << 63)}, i64 0")
            tag = self.let(f"or i64 {tag}, {bad}")
        return tag


def _levels(roots: Iterable[Expr], loops: Mapping[str, int]) -> dict[Expr, int]:
    """How many loops, from the outermost, each node depends on."""
    levels: dict[Expr, int] = {}
    for node in topological(roots):
        own = loops.get(str(node.value), -1) + 1 if node.op is Op.PARAM else 0
        levels[node] = max((levels[a] for a in node.args), default=own)
    return levels
