"""The expression graph: a dozen operators over bounded integers, each equal node made once.

Booleans are nodes of sort BOOL; enumerations are integers, the index of the member. Every integer node knows an
interval that holds all its values, and every node the line of the model that first made it.
"""

from __future__ import annotations

import ast
import functools
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType

from podproof.checker.core import ModelError

UNBOUNDED = 1 << 128
"""An interval that ends here has no end, and one that begins at its negative has no beginning."""
LARGEST = 1 << 126
"""No number is larger than this, so that no sum of two is taken for one without end."""
FARTHEST = 200
"""How far back in a conjunction or disjunction a part is looked for that decides another one."""
MOST_NODES = 500_000
"""The largest built-in system has some 16,000."""


class Op(Enum):
    """Every operator there is; a back end is a table over these."""

    __hash__ = object.__hash__  # Enum's own, written in Python, takes longer than the rest of a look-up.

    CONST = "const"
    VAR = "var"
    """A state variable before the step; `value` is its path."""
    PARAM = "param"
    """A parameter of the action; `value` is its name."""
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "=="
    LT = "<"
    ADD = "+"
    SUB = "-"
    ITE = "ite"


@dataclass(frozen=True)
class Line:
    """A line of the model's source."""

    file: str
    number: int

    def __str__(self) -> str:
        """Where it is; with PODPROOF_PLACES=functions, for what gets committed, what stays true of it."""
        by_functions = os.environ.get("PODPROOF_PLACES") == "functions"
        return self.in_function if by_functions else f"{self.file}:{self.number}"

    @property
    def in_function(self) -> str:
        """The file and the innermost function or class that it is in."""
        return f"{self.file}:{_functions(self.file).get(self.number, self.number)}"


@functools.cache
def _functions(file: str) -> Mapping[int, str]:
    """The name for each line of a file of the project or the working directory; none if it cannot be read."""
    found: dict[int, str] = {}
    try:
        own = Path(__file__).resolve().parents[2] / file
        tree = ast.parse((own if own.is_file() else Path(file)).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return found
    for node in ast.walk(tree):  # Breadth first: what lies further in comes later.
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.end_lineno is not None:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found |= dict.fromkeys(range(first, node.end_lineno + 1), node.name)
    return found


@dataclass(eq=False, slots=True)  # Never changed, but a frozen one takes four times as long to make.
class Expr:
    """One operator applied to nodes. Made only by a `Graph`, so equal nodes are the same object.

    `value` is the constant (int), the path of a variable or the name of a parameter. `low` and `high` bound an integer
    node's values, inclusive; for a BOOL node they are 0 and 1.
    """

    op: Op
    args: tuple[Expr, ...] = field(repr=False)
    value: int | str | None
    is_bool: bool
    low: int
    high: int
    line: Line | None = field(repr=False, default=None)
    number: int = 0
    """Order of creation within the graph: arguments always come first."""

    @property
    def is_const(self) -> bool:
        return self.op is Op.CONST


class Graph:
    """Makes nodes, each once, simplified as it is made."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Expr] = {}
        self.line: Line | None = None
        """The source line that new nodes are put down to; the lowering moves it."""
        self.true = self._make(Op.CONST, (), 1, True, 1, 1)
        self.false = self._make(Op.CONST, (), 0, True, 0, 0)

    def __len__(self) -> int:
        return len(self._nodes)

    def copy(self) -> Graph:
        """A copy of the graph: the same nodes, to which each of the two adds its own."""
        new = copy(self)
        new._nodes = self._nodes.copy()
        return new

    def _make(
        self, op: Op, args: tuple[Expr, ...], value: int | str | None, is_bool: bool, low: int, high: int
    ) -> Expr:
        key = (op, args, value, is_bool, low, high)
        node = self._nodes.get(key)
        if node is None:
            self._check_size(low, high)
            node = Expr(op, args, value, is_bool, low, high, self.line, len(self._nodes))
            self._nodes[key] = node
        return node

    def _check_size(self, low: int, high: int) -> None:
        """Refuse a number, or a graph, that is larger than anything a model can mean."""
        if not (low >= -LARGEST or low == -UNBOUNDED) or not (high <= LARGEST or high == UNBOUNDED):
            raise self._refusal("a number may have more than 126 bits here; bound what is added up")
        if len(self._nodes) >= MOST_NODES:
            raise self._refusal(f"the model has more than {MOST_NODES:,} different expressions; make it smaller")

    def _refusal(self, text: str) -> ModelError:
        return ModelError(f"{self.line}: {text}" if self.line else text)

    def boolean(self, value: bool) -> Expr:
        return self.true if value else self.false

    def integer(self, value: int) -> Expr:
        return self._make(Op.CONST, (), value, False, value, value)

    def constant(self, is_bool: bool, value: int) -> Expr:
        return self.boolean(bool(value)) if is_bool else self.integer(value)

    def variable(self, path: str, is_bool: bool, low: int, high: int) -> Expr:
        return self._make(Op.VAR, (), path, is_bool, low, high)

    def parameter(self, name: str, is_bool: bool, low: int, high: int) -> Expr:
        return self._make(Op.PARAM, (), name, is_bool, low, high)

    def not_(self, a: Expr) -> Expr:
        if a.is_const:
            return self.boolean(not a.value)
        return a.args[0] if a.op is Op.NOT else self._make(Op.NOT, (a,), None, True, 0, 1)

    def and_(self, *parts: Expr) -> Expr:
        return self._junction(Op.AND, self.true, self.false, parts)

    def or_(self, *parts: Expr) -> Expr:
        return self._junction(Op.OR, self.false, self.true, parts)

    def _junction(self, op: Op, unit: Expr, zero: Expr, parts: Iterable[Expr]) -> Expr:
        """A binary chain; a part that an earlier one already decides is dropped."""
        out = unit
        for part in parts:
            if part is zero or out is zero:
                return zero
            if part is unit or part is out:
                continue
            if out is unit:
                out = part
                continue
            members = set(islice(_newest_first(op, out), FARTHEST))
            if part in members:
                continue
            if self.not_(part) in members:
                return zero
            out = self._make(op, (out, part), None, True, 0, 1)
        return out

    def implies(self, a: Expr, b: Expr) -> Expr:
        return self.or_(self.not_(a), b)

    def eq(self, a: Expr, b: Expr) -> Expr:
        if a is b:
            return self.true
        if a.is_const:
            a, b = b, a
        if a.is_const or a.high < b.low or b.high < a.low:
            return self.false
        if a.is_bool:
            if b.is_const:
                return a if b.value else self.not_(a)
            return self.ite(a, b, self.not_(b))
        if b.is_const and a.op is Op.ITE and _constant_leaves(a):
            condition, then, other = a.args
            return self.ite(condition, self.eq(then, b), self.eq(other, b))
        return self._make(Op.EQ, (a, b), None, True, 0, 1)

    def lt(self, a: Expr, b: Expr) -> Expr:
        if a.high < b.low:
            return self.true
        if a is b or a.low >= b.high:
            return self.false
        return self._make(Op.LT, (a, b), None, True, 0, 1)

    def le(self, a: Expr, b: Expr) -> Expr:
        return self.not_(self.lt(b, a))

    def add(self, a: Expr, b: Expr) -> Expr:
        if a.is_const and b.is_const:
            return self.integer(a.low + b.low)
        if b.is_const and b.value == 0:
            return a
        if a.is_const and a.value == 0:
            return b
        low = -UNBOUNDED if -UNBOUNDED in (a.low, b.low) else a.low + b.low
        high = UNBOUNDED if UNBOUNDED in (a.high, b.high) else a.high + b.high
        return self._make(Op.ADD, (a, b), None, False, low, high)

    def sub(self, a: Expr, b: Expr) -> Expr:
        if a.is_const and b.is_const:
            return self.integer(a.low - b.low)
        if b.is_const and b.value == 0:
            return a
        low = -UNBOUNDED if a.low == -UNBOUNDED or b.high == UNBOUNDED else a.low - b.high
        high = UNBOUNDED if a.high == UNBOUNDED or b.low == -UNBOUNDED else a.high - b.low
        return self._make(Op.SUB, (a, b), None, False, low, high)

    def ite(self, condition: Expr, then: Expr, other: Expr) -> Expr:
        if condition is self.true or then is other:
            return then
        if condition is self.false:
            return other
        if condition.op is Op.NOT:
            return self.ite(condition.args[0], other, then)
        if then.op is Op.ITE and then.args[0] is condition:
            then = then.args[1]
        if other.op is Op.ITE and other.args[0] is condition:
            other = other.args[2]
        if then is other:
            return then
        if then.is_bool:
            if then is self.true or then is condition:
                return self.or_(condition, other)
            if then is self.false:
                return self.and_(self.not_(condition), other)
            if other is self.false or other is condition:
                return self.and_(condition, then)
            if other is self.true:
                return self.or_(self.not_(condition), then)
        low, high = min(then.low, other.low), max(then.high, other.high)
        return self._make(Op.ITE, (condition, then, other), None, then.is_bool, low, high)

    def substitute(self, roots: Iterable[Expr], values: Mapping[str, Expr], op: Op = Op.VAR) -> list[Expr]:
        """The same expressions with every variable (or parameter) named in `values` replaced, simplified anew."""
        return substitution(self, values, op)(roots)

    def rebuild(self, node: Expr, args: tuple[Expr, ...]) -> Expr:
        """The node's operator applied to other arguments: the same line of the source, read with other values."""
        if args == node.args:
            return node
        line, self.line = self.line, node.line
        made = self._BUILD[node.op](self, *args)
        self.line = line
        return made

    _BUILD: Mapping[Op, Callable[..., Expr]] = {
        Op.NOT: not_,
        Op.AND: and_,
        Op.OR: or_,
        Op.EQ: eq,
        Op.LT: lt,
        Op.ADD: add,
        Op.SUB: sub,
        Op.ITE: ite,
    }


Rule = Callable[[Expr, tuple[Expr, ...]], Expr | None]
"""(node, what stands for its arguments) -> what stands for the node; None for the same operator over those."""


class Rewriter:
    """Makes expressions anew in a graph by a rule, from their leaves up, each node once in all."""

    def __init__(self, graph: Graph, rule: Rule) -> None:
        self.graph, self.rule = graph, rule
        self.done: dict[Expr, Expr] = {}

    def __call__(self, roots: Iterable[Expr]) -> list[Expr]:
        roots, done = list(roots), self.done
        for node in topological(roots, done):
            args = tuple(map(done.__getitem__, node.args))
            made = self.rule(node, args)
            done[node] = self.graph.rebuild(node, args) if made is None else made
        return [done[root] for root in roots]


def substitution(graph: Graph, values: Mapping[str, Expr], op: Op = Op.VAR) -> Rewriter:
    """Puts expressions in the place of variables, or of parameters, of these names."""
    return Rewriter(graph, lambda node, _: values.get(str(node.value)) if node.op is op else None)


def operands(op: Op, node: Expr, named: Collection[Expr] = ()) -> Iterator[Expr]:
    """What nested applications of one operator are made of, from left to right, not looking behind names."""
    pending = [node]
    while pending:
        node = pending.pop()
        if node.op is op and node not in named:
            pending += reversed(node.args)
        else:
            yield node


def literals(node: Expr, wanted: bool = True) -> Iterator[tuple[Expr, bool]]:
    """What must hold, piece by piece, for `node` to have the value `wanted`: expressions with their truth values."""
    pending = [(node, wanted)]
    while pending:
        node, wanted = pending.pop()
        if node.op is Op.NOT:
            pending.append((node.args[0], not wanted))
        elif node.op is (Op.AND if wanted else Op.OR):
            pending += [(part, wanted) for part in reversed(node.args)]
        elif not (node.is_const and bool(node.value) == wanted):
            yield node, wanted


def assume(graph: Graph, roots: Sequence[Expr], facts: Iterable[tuple[Expr, bool]]) -> list[Expr]:
    """The same expressions where every fact, a node and its truth value, holds."""
    known: dict[Expr, Expr] = {}
    for fact, wanted in facts:
        for node, value in literals(fact, wanted):
            known[node] = graph.boolean(value)
            if node.op is Op.EQ and value and node.args[1].is_const:
                known[node.args[0]] = node.args[1]
    # Three of four nodes have nothing known below them, and stay as they are: a rewriter would make them anew.
    for node in topological(roots, known):
        if not known.keys().isdisjoint(node.args):
            known[node] = graph.rebuild(node, tuple(known.get(arg, arg) for arg in node.args))
    return [known.get(root, root) for root in roots]


Ranges = Mapping[tuple[Op, str], tuple[int, int]]
"""The least and the greatest value of variables and parameters, where they may have fewer than their nodes say."""


def transplant(
    graph: Graph, ranges: Ranges = MappingProxyType({}), variables: Mapping[str, Expr] = MappingProxyType({})
) -> Rewriter:
    """Makes expressions of another graph in this one, some of whose variables are expressions here."""

    def rule(node: Expr, _: tuple[Expr, ...]) -> Expr | None:
        if node.op is Op.VAR and node.value in variables:
            return variables[str(node.value)]
        if node.is_const:
            return graph.constant(node.is_bool, node.low)
        if node.op not in (Op.VAR, Op.PARAM):
            return None
        low, high = ranges.get((node.op, str(node.value)), (node.low, node.high))
        make = graph.variable if node.op is Op.VAR else graph.parameter
        return make(str(node.value), node.is_bool, max(low, node.low), min(high, node.high))

    return Rewriter(graph, rule)


def _newest_first(op: Op, node: Expr) -> Iterator[Expr]:
    """The parts of a left-leaning AND or OR."""
    while node.op is op:
        yield node.args[1]
        node = node.args[0]
    yield node


def _constant_leaves(node: Expr) -> bool:
    """Is every value of this tree of conditionals a constant? (small trees only)"""
    pending, left = [node], 32
    while pending and left:
        left -= 1
        item = pending.pop()
        if item.op is Op.ITE:
            pending += item.args[1:]
        elif not item.is_const:
            return False
    return not pending


_number = attrgetter("number")


def topological(roots: Iterable[Expr], known: Collection[Expr] = ()) -> list[Expr]:
    """Every node below `roots`, arguments before their users, in a stable order; none that is known or below such."""
    seen: set[Expr] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in seen and node not in known:
            seen.add(node)
            pending += node.args
    return sorted(seen, key=_number)


def variables_below(roots: Iterable[Expr]) -> set[str]:
    """The paths of the variables that these expressions read."""
    return {str(node.value) for node in topological(roots) if node.op is Op.VAR}


def evaluate(
    roots: Iterable[Expr], variables: Mapping[str, int], parameters: Mapping[str, int] | None = None
) -> list[int]:
    """The values of `roots`, booleans as 0 and 1: the reference back end, a table over the operators."""
    roots = list(roots)
    values: dict[Expr, int] = {}
    for node in topological(roots):
        args = [values[a] for a in node.args]
        values[node] = _EVALUATE[node.op](node, args, variables, parameters or {})
    return [values[root] for root in roots]


_Evaluate = Callable[[Expr, list[int], Mapping[str, int], Mapping[str, int]], int]
_EVALUATE: Mapping[Op, _Evaluate] = {
    Op.CONST: lambda node, _a, _v, _p: int(node.value or 0),
    Op.VAR: lambda node, _a, variables, _p: variables[str(node.value)],
    Op.PARAM: lambda node, _a, _v, parameters: parameters[str(node.value)],
    Op.NOT: lambda _n, a, _v, _p: 1 - a[0],
    Op.AND: lambda _n, a, _v, _p: a[0] & a[1],
    Op.OR: lambda _n, a, _v, _p: a[0] | a[1],
    Op.EQ: lambda _n, a, _v, _p: int(a[0] == a[1]),
    Op.LT: lambda _n, a, _v, _p: int(a[0] < a[1]),
    Op.ADD: lambda _n, a, _v, _p: a[0] + a[1],
    Op.SUB: lambda _n, a, _v, _p: a[0] - a[1],
    Op.ITE: lambda _n, a, _v, _p: a[1] if a[0] else a[2],
}


# -- expressions under assumptions: what is left of them where a condition is known to hold, or not to -----------------
#
# A step's new values are conditionals that ask the same few questions again and again. Asking one of them first, with a
# branch, leaves two sets of expressions that are together little larger than the one, and only one of them is computed.


_WORTH_A_BRANCH = 24
"""A branch that the processor guesses wrong costs as much as so many operators."""
_GROWTH = 1.6
"""How much larger the expressions may become, all cases together."""


def consistent(graph: Graph, node: Expr) -> Expr:
    """The same condition, each of its parts simplified by what the others say; often they contradict each other."""
    parts = [*literals(node)]
    for i, (part, wanted) in enumerate(parts):
        if part.args:
            (left,) = assume(graph, [part], [*parts[:i], *parts[i + 1 :]])
            if left.is_const and bool(left.value) is not wanted:
                return graph.false
            parts[i] = left, wanted
    return graph.and_(*(part if wanted else graph.not_(part) for part, wanted in parts))


def size(roots: Iterable[Expr]) -> int:
    """The number of operators to compute."""
    return sum(1 for node in topological(roots) if node.args)


def leaves_below(root: Expr) -> int:
    """How many variables, parameters and constants its text has, written without names for its parts."""
    leaves = dict[Expr, int]()
    for node in topological([root]):
        leaves[node] = sum(leaves[part] for part in node.args) or 1
    return leaves[root]


def cases(graph: Graph, roots: Sequence[Expr]) -> tuple[Expr, list[Expr], list[Expr]] | None:
    """A condition worth a branch, with what is left of the expressions where it holds and where it does not."""
    nodes = topological(roots)
    whole = sum(1 for node in nodes if node.args)
    if whole <= _WORTH_A_BRANCH:
        return None
    asked = Counter(node.args[0] for node in nodes if node.op is Op.ITE)
    if not asked:
        return None
    condition = min(asked, key=lambda node: (-asked[node], node.number))
    then, other = (assume(graph, roots, [(condition, value)]) for value in (True, False))
    total = size(then) + size(other)
    if total / 2 + _WORTH_A_BRANCH > whole or total > _GROWTH * whole:
        return None
    return condition, then, other
