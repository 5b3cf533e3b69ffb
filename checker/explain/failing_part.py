"""How a violated claim fails, and which part of it is false.

To find the failing part the claim runs once, and where it returned is noted. From the conditions on the way to that
`return`, and from what it returns, come facts that together make the claim false. The last fact is the part that
should have been otherwise.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from types import FrameType, FunctionType
from typing import Any

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import place_of
from podproof.checker.core.shapes import FixedArray, Record, Shape, is_nil, join
from podproof.checker.core.system import (
    ClaimFailure,
    Exploration,
    FailingPart,
    Property,
    Status,
    System,
    Trace,
)
from podproof.checker.core.trace import line_reached
from podproof.checker.lowering.source import Source, source_of

Shown = str | int | bool


def with_failures(found: Exploration) -> Exploration:
    """The exploration; each violated claim also says how it fails at the end of its trace."""
    verdicts = (
        v
        if v.status is not Status.VIOLATED
        else dataclasses.replace(v, failure=failure_of(found.system, v.property, v.trace))
        for v in found.verdicts
    )
    return dataclasses.replace(found, verdicts=tuple(verdicts))


def failure_of(system: System, p: Property, trace: Trace | None) -> ClaimFailure:
    """How a claim fails at the end of a trace; None is the trace of one that looks for something and finds nothing."""
    if trace is None or p.function is None or p.kind == "sometimes":
        return ClaimFailure(_filled(p.wrong, str), None if trace is None else _line_reached(system, p, trace))
    if trace.lasso is not None:
        case = trace.lasso.case
        return ClaimFailure(_filled(p.wrong, lambda name: str(case[name])), None)
    arguments = [system.build(state) for state in trace.states[-1 if p.is_about_states else -2 :]]
    explainer = _Explainer(system, arguments)
    if p.takes_event:
        last = trace.moves[-1]
        action = system.action[last.action]
        event = action.occurrence(last.values)
        explainer.of_event = {(id(event), parameter.name): parameter.labels for parameter in action.parameters}
        arguments.insert(1, event)
    ran = _Activation(p.function, arguments)
    return ClaimFailure(explainer.wrong_sentence(ran, p.wrong), explainer.failing_part(ran))


def _line_reached(system: System, p: Property, trace: Trace) -> FailingPart | None:
    """The line that a `never` claim says is not reached."""
    if p.kind != "never" or not p.lines:
        return None
    text, line = line_reached(system, trace.states[-2], trace.moves[-1], p.lines)
    name = "the line" if len(p.lines) == 1 else f'"{text}"'
    return FailingPart(f"{name} is not reached", "", {}, (), (), {}, line)


def _filled(wrong: str, value: Callable[[str], str]) -> str:
    """A claim's sentence with values for what stands in its braces."""
    parts = Formatter().parse(wrong)
    return "".join(literal + ("" if text is None else value(text.strip())) for literal, text, _, _ in parts)


@dataclass(frozen=True)
class _Fact:
    """An expression that is true, or false, where the function returned."""

    expression: ast.expr
    truth: bool
    statement: ast.stmt | None = None
    """Where the claim asks for it."""

    def is_beside(self, last: _Fact) -> bool:
        """Are both among what a claim wants one of? `a or b` is false, and `not a and not b` is true."""
        wanted = not self.truth and not last.truth and self.statement is last.statement
        return wanted and not self.is_negative and not last.is_negative

    @property
    def is_negative(self) -> bool:
        """Does it say what is not, as the premise of `a != b or c` does?"""
        return isinstance(self.expression, ast.Compare) and isinstance(self.expression.ops[0], (ast.NotEq, ast.NotIn))

    def text(self, opposite: bool = False) -> str:
        """The fact in the source's words; or what it would be if it were otherwise."""
        return ast.unparse(self.expression) if self.truth != opposite else _negate(self.expression)


class _Activation:
    """A function that has run to its `return`, with what its names stood for there."""

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self.source: Source = source_of(function)
        self.globals: dict[str, Any] = function.__globals__
        self.names: dict[str, Any] = {}
        self.line = self.source.tree.lineno
        self.error: Exception | None = None
        self.value: Any = None
        before = sys.gettrace()
        sys.settrace(lambda frame, _event, _argument: self._follow if frame.f_code is function.__code__ else None)
        try:
            self.value = function(*arguments)
        except (IndexError, AssertionError) as error:
            self.error = error
        finally:
            sys.settrace(before)
        self.definitions = _definitions(self.source.tree)
        self.counted = _counted(self.source.tree)

    def _follow(self, frame: FrameType, event: str, _argument: object) -> Any:
        if event == "return":
            self.line, self.names = frame.f_lineno, dict(frame.f_locals)
        return self._follow

    def evaluate(self, expression: ast.expr) -> Any:
        code = compile(ast.Expression(expression), self.source.file, "eval")
        return eval(code, self.globals, self.names)


class _Explainer:
    """Explains the value of functions over some states."""

    def __init__(self, system: System, trees: Sequence[Any]) -> None:
        self.system = system
        self.of_event: Mapping[tuple[int, str], Mapping[int, str]] = {}
        """Names for the values of the event's parameters, by the event's identity and theirs."""
        self.paths: dict[int, str] = {}
        """Where each record and array of the states is, by identity."""
        self.sizes: dict[int, str] = {}
        """What there is one of each of in an array, by identity."""
        for tree in trees:
            for thing, path, shape in _parts(tree, system.shape, ""):
                self.paths[id(thing)] = path
                if isinstance(shape, FixedArray):
                    self.sizes[id(thing)] = shape.size

    def wrong_sentence(self, ran: _Activation, wrong: str) -> str:
        """What a claim says of its failure; empty where something that it names is not there in this case."""

        def value(text: str) -> str:
            e = ast.parse(text, mode="eval").body
            return _word(self.show(ran.evaluate(e), self.labels(ran, e)))

        if ran.error is not None:
            return ""
        try:
            return _filled(wrong, value)
        except (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError):
            return ""

    def failing_part(self, ran: _Activation) -> FailingPart | None:
        if ran.error is not None:
            line = Line(*place_of(ran.source.file, ran.line))
            said = f"{type(ran.error).__name__}: {ran.error}".removesuffix(": ")
            return FailingPart("the claim can be evaluated", said, {}, (), (), {}, line)
        facts, bound, _ = self.facts(ran)
        if not facts:
            return None
        last = facts[-1]
        begin = len(facts) - len(list(itertools.takewhile(lambda fact: fact.is_beside(last), reversed(facts[:-1])))) - 1
        rest, wanted = facts[:begin], facts[begin:]
        one_of = ast.unparse(ast.BoolOp(ast.Or(), [fact.expression for fact in wanted]))
        shown = [self.comparison(ran, fact, opposite=True) for fact in wanted]
        because = [told for fact in wanted for told in self.because(ran, fact)]
        beside = (path for fact in rest for path in self.reads(ran, fact.expression))
        return FailingPart(
            text=one_of if len(wanted) > 1 else last.text(opposite=True),
            shown=" or ".join(shown) if all(shown) else "",
            bound=bound,
            where=tuple(dict.fromkeys(self.sentence(ran, fact) for fact in rest)),
            because=tuple(text for text, _ in because),
            values={name: value for fact in facts for name, value in self.values(ran, fact.expression)},
            line=ran.source.line(last.expression),
            reads=tuple(dict.fromkeys(path for fact in wanted for path in self.reads(ran, fact.expression))),
            reads_beside=tuple(dict.fromkeys(itertools.chain(beside, *(paths for _, paths in because)))),
        )

    def facts(self, ran: _Activation) -> tuple[list[_Fact], dict[str, Shown], bool]:
        """What made the function return what it did, its loop variables, and whether these facts are all there is."""
        facts: list[_Fact] = []
        bound: dict[str, Shown] = {}
        complete = True
        for statement, before in _way(ran.source.tree.body, ran.line):
            for earlier in before:
                known = self.facts_after(ran, earlier)
                complete &= known is not None
                facts += known or []
            match statement:
                case ast.For(target=ast.Name(id=name)):
                    bound[name] = self.show(ran.names[name], self.labels(ran, statement.target))
                case ast.If():
                    truth = statement.body[0].lineno <= ran.line <= _end(statement.body)
                    here = self.of(ran, statement.test, truth)
                    facts += (dataclasses.replace(fact, statement=statement) for fact in here)
                case ast.Return(value=ast.expr() as value):
                    here = self.of(ran, value, bool(ran.value))
                    facts += (dataclasses.replace(fact, statement=statement) for fact in here)
        return facts, bound, complete

    def facts_after(self, ran: _Activation, earlier: ast.stmt) -> list[_Fact] | None:
        """What is known because the function did not return in a statement; None if it is too much to show."""
        returns = [node.value for node in ast.walk(earlier) if isinstance(node, ast.Return)]
        if all(isinstance(value, ast.Constant) and bool(value.value) == bool(ran.value) for value in returns):
            return []
        match earlier:
            case ast.If(body=[ast.Return()], orelse=[]):
                return list(self.of(ran, earlier.test, False))
        return None

    def of(self, ran: _Activation, e: ast.expr, truth: bool) -> Iterator[_Fact]:
        """The facts that make an expression true, or false."""
        match e:
            case ast.Constant():
                return
            case ast.UnaryOp(op=ast.Not()):
                yield from self.of(ran, e.operand, not truth)
            case ast.BoolOp():
                if isinstance(e.op, ast.And) == truth:
                    for part in e.values:
                        yield from self.of(ran, part, truth)
                else:
                    decisive = next(part for part in e.values if bool(ran.evaluate(part)) == truth)
                    yield from self.of(ran, decisive, truth)
            case ast.Compare(ops=[_, _, *_]):
                yield from self.of(ran, _links(e), truth)
            case ast.Name(id=name) if name in ran.definitions and self.still(ran, name):
                yield from self.of(ran, ran.definitions[name], truth)
            case _:
                yield _Fact(e, truth)

    @staticmethod
    def still(ran: _Activation, name: str) -> bool:
        """Is a name what its definition would give now? What the definition reads may have changed since."""
        value = ran.names.get(name)
        return isinstance(value, bool) and bool(ran.evaluate(ran.definitions[name])) == value

    def because(self, ran: _Activation, fact: _Fact) -> Iterator[tuple[str, Sequence[str]]]:
        """Why a function that a fact calls answers as it does, if that can be told in full; and what that reads."""
        match fact.expression:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                function = ran.globals.get(name)
                if not isinstance(function, FunctionType) or hasattr(function, "__podproof__"):
                    return
                inner = _Activation(function, [ran.evaluate(a) for a in arguments])
                if inner.error is not None:
                    return
                facts, bound, complete = self.facts(inner)
                if facts and complete:
                    yield from ((f"{variable} = {value}", ()) for variable, value in bound.items())
                    told = [(self.sentence(inner, known), list(self.reads(inner, known.expression))) for known in facts]
                    yield from told[:-1]
                    yield from list(self.because(inner, facts[-1])) or told[-1:]

    def reads(self, ran: _Activation, e: ast.expr) -> Iterator[str]:
        """The paths of the fields that an expression reads, but for what numbers an array's element."""
        match e:
            case ast.Name(id=name) if name in ran.definitions:
                yield from self.reads(ran, ran.definitions[name])
            case ast.Attribute() | ast.Subscript():
                if (path := self.path(ran, e)) in self.system.positions:
                    yield path
            case _:
                for part in ast.iter_child_nodes(e):
                    if isinstance(part, ast.expr):
                        yield from self.reads(ran, part)

    def path(self, ran: _Activation, e: ast.Attribute | ast.Subscript) -> str:
        """Where in a state something is; it begins with `?` for what is in none, or is not there in this case."""
        try:
            base = self.paths.get(id(ran.evaluate(e.value)), "?")
            return join(base, e.attr) if isinstance(e, ast.Attribute) else f"{base}[{ran.evaluate(e.slice)}]"
        except (ArithmeticError, AttributeError, LookupError, NameError):
            return "?"

    # -- words -----------------------------------------------------------------------------------------------------
    def sentence(self, ran: _Activation, fact: _Fact) -> str:
        comparison = self.comparison(ran, fact)
        return fact.text() + (f" ({comparison})" if comparison else "")

    def comparison(self, ran: _Activation, fact: _Fact, opposite: bool = False) -> str:
        """A comparison with its values put in; empty where that says no more than the text."""
        match fact.expression:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                labels = self.labels(ran, left) or self.labels(ran, right)
                sides = [_word(self.show(ran.evaluate(side), labels)) for side in (left, right)]
                sign = SIGNS.get(OPPOSITE[type(op)] if fact.truth == opposite else type(op), "")
                if sides[0] == sides[1] and sign in ("==", "!="):
                    return "" if any(self.is_constant(ran, side) for side in (left, right)) else f"both {sides[0]}"
                return f"{sides[0]} {sign} {sides[1]}" if sign else ""
        return ""

    def values(self, ran: _Activation, e: ast.expr) -> Iterator[tuple[str, Shown]]:
        """The names, fields and calls in an expression that have a value to be shown."""
        if isinstance(e, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            value = ran.evaluate(e)
            if isinstance(value, (bool, int, enum.Enum)) and not self.is_constant(ran, e):
                yield ast.unparse(e), self.show(value, self.labels(ran, e))
        else:
            for part in ast.iter_child_nodes(e):
                if isinstance(part, ast.expr):
                    yield from self.values(ran, part)

    @staticmethod
    def is_constant(ran: _Activation, e: ast.expr) -> bool:
        """Does it name something that is the same in every state: `5`, `NIL`, `Position.NONE`?"""
        match e:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name not in ran.names
            case ast.Attribute(value=base):
                return isinstance(ran.evaluate(base), type)
        return False

    def labels(self, ran: _Activation, e: ast.expr) -> Mapping[int, str]:
        """Names for the numbers that an expression stands for."""
        match e:
            case ast.Name(id=name):
                if name in ran.definitions:
                    return self.labels(ran, ran.definitions[name])
                array = ran.counted.get(name)
                size = f"{name}s" if array is None else self.sizes.get(id(ran.evaluate(array)), "")
                domain = self.system.scope.domains.get(size)
                return {} if domain is None else domain.labels
            case ast.Attribute(value=base, attr=name):
                thing = id(ran.evaluate(base))
                if (thing, name) in self.of_event:
                    return self.of_event[thing, name]
                path = self.path(ran, e)
            case ast.Subscript():
                path = self.path(ran, e)
            case _:
                return {}
        position = self.system.positions.get(path)
        return {} if position is None else self.system.variables[position].labels

    @staticmethod
    def show(value: Any, labels: Mapping[int, str]) -> Shown:
        if isinstance(value, enum.Enum):
            return str(value.value)
        if is_nil(value):
            return "nil"
        return value if isinstance(value, bool) else labels.get(value, value)


def _word(value: Shown) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parts(thing: Any, shape: Shape, path: str) -> Iterator[tuple[Any, str, Shape]]:
    """Every record and array of a state, with its path and shape."""
    match shape:
        case Record():
            yield thing, path, shape
            for name, field in shape.fields.items():
                yield from _parts(getattr(thing, name), field, join(path, name))
        case FixedArray():
            yield thing, path, shape
            for i in range(shape.length):
                yield from _parts(thing[i], shape.element, f"{path}[{i}]")


def _way(body: Sequence[ast.stmt], line: int) -> Iterator[tuple[ast.stmt, Sequence[ast.stmt]]]:
    """The statements around a line, from the outside in, each with those before it in its block."""
    for i, statement in enumerate(body):
        if statement.lineno <= line <= _end([statement]):
            yield statement, body[:i]
            for block in ("body", "orelse"):
                yield from _way(getattr(statement, block, []), line)


def _end(body: Sequence[ast.stmt]) -> int:
    return body[-1].end_lineno or body[-1].lineno


def _definitions(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Each local that is set in one place only, with the expression that it is set to."""
    nodes = list(ast.walk(function))
    times = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    times.update(argument.arg for argument in function.args.args)
    found = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if times[name] == 1:
                found[name] = value
    return found


def _counted(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Each loop variable that numbers the elements of an array, with that array: `for uid in range(len(array))`."""
    found = {}
    for node in ast.walk(function):
        match node:
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[*_, ast.Call(func=ast.Name(id="len"), args=[array])]),
            ):
                found[name] = array
    return found


def _links(chain: ast.Compare) -> ast.BoolOp:
    """`a < b < c` as `a < b and b < c`."""
    sides = zip([chain.left, *chain.comparators], chain.ops, chain.comparators, strict=False)
    links = [ast.copy_location(ast.Compare(left, [op], [right]), chain) for left, op, right in sides]
    return ast.BoolOp(ast.And(), [*links])


OPPOSITES = ((ast.Eq, ast.NotEq), (ast.Lt, ast.GtE), (ast.LtE, ast.Gt), (ast.In, ast.NotIn))
OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {a: b for x, y in OPPOSITES for a, b in ((x, y), (y, x))}
SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
"""Other comparisons say nothing more with the values put in."""


def _negate(e: ast.expr) -> str:
    match e:
        case ast.Compare(left=left, ops=[op], comparators=comparators):
            return ast.unparse(ast.Compare(left, [OPPOSITE[type(op)]()], comparators))
    return ast.unparse(ast.UnaryOp(ast.Not(), e))
