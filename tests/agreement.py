"""One step in both readings of a model: run by CPython, and computed from the graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from podproof.checker.core.graph import Expr, Op, topological
from podproof.checker.core.system import OutOfRange, State, System, Transition


class Outcome(NamedTuple):
    """What became of an action: `disabled`, `cut` (by which bound), `fault`, or `step` (to where, past which lines)."""

    kind: str
    what: str = ""
    after: State = ()
    lines: frozenset[str] = frozenset()


DISABLED, FAULT = Outcome("disabled"), Outcome("fault")


def run(system: System, tree: Any, transition: Transition, values: Mapping[str, int]) -> Outcome:
    """CPython's outcome; changes the tree unless the action is disabled."""
    with system.record_lines() as lines:
        try:
            transition.action.call(tree, **transition.action.arguments(values))
        except (IndexError, AssertionError):
            return FAULT
        except Exception as error:
            match type(error).__name__:
                case "Disabled":
                    return DISABLED
                case "OutOfBounds":
                    return Outcome("cut", str(error))
            raise
    try:
        return Outcome("step", "", system.flatten(tree), frozenset(lines))
    except OutOfRange:
        return FAULT


_TEXT: Mapping[Op, Callable[..., str]] = {
    Op.NOT: lambda a: f"1 - {a}",
    Op.AND: lambda a, b: f"{a} & {b}",
    Op.OR: lambda a, b: f"{a} | {b}",
    Op.EQ: lambda a, b: f"+({a} == {b})",
    Op.LT: lambda a, b: f"+({a} < {b})",
    Op.ADD: lambda a, b: f"{a} + {b}",
    Op.SUB: lambda a, b: f"{a} - {b}",
    Op.ITE: lambda a, b, c: f"{b} if {a} else {c}",
}


class GraphFunctions:
    """The graph as Python functions of a state and parameters, each node once: `evaluate`, but fast enough."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._steps = {id(t): self._step(t) for t in system.transitions}
        self.choices = [(t, values) for t in system.transitions for _, values in t.moves()]

    def outcome(self, transition: Transition, state: State, values: Mapping[str, int]) -> Outcome:
        found = self._steps[id(transition)](state, values)
        if found is None:
            return DISABLED
        bounds, faults, lines, after = found
        hit = [name for name, met in zip(transition.bounds, bounds, strict=True) if met]
        assert len(hit) + any(faults) < 2, "two bounds, or a bound and a fault, in one step"
        if any(faults):
            return FAULT
        if hit:
            return Outcome("cut", hit[0])
        reached = frozenset(line for line, met in zip(transition.lines, lines, strict=True) if met)
        return Outcome("step", "", after, reached)

    def formula(self, node: Expr) -> Callable[[State], bool]:
        """A claim's formula as a function of the state."""
        return self._compile([*self._assignments([node], set()), f"return {self._name(node)}"])

    def _step(self, t: Transition) -> Callable[[State, Mapping[str, int]], Any]:
        done: set[Expr] = set()
        groups = [tuple(m.values()) for m in (t.bounds, t.faults, t.lines)]
        body = [*self._assignments([t.enabled], done), f"if not {self._name(t.enabled)}: return None"]
        body += self._assignments([*itertools.chain(*groups), *t.updates.values()], done)
        after = [
            self._name(t.updates[v.path]) if v.path in t.updates else f"s[{i}]"
            for i, v in enumerate(self.system.variables)
        ]
        parts = [f"({''.join(f'{self._name(n)}, ' for n in group)})" for group in groups]
        return self._compile([*body, f"return {', '.join(parts)}, ({', '.join(after)},)"])

    def _compile(self, body: Iterable[str]) -> Callable[..., Any]:
        names: dict[str, Any] = {}
        exec("def f(s, p=None):\n" + "".join(f"  {line}\n" for line in body), names)
        function: Callable[..., Any] = names["f"]
        return function

    def _assignments(self, roots: Iterable[Expr], done: set[Expr]) -> Iterator[str]:
        for node in topological(roots):
            if node in done or node.is_const:
                continue
            done.add(node)
            match node.op:
                case Op.VAR:
                    text = f"s[{self.system.positions[str(node.value)]}]"
                case Op.PARAM:
                    text = f"p[{node.value!r}]"
                case _:
                    text = _TEXT[node.op](*(self._name(a) for a in node.args))
            yield f"n{node.number} = {text}"

    def _name(self, node: Expr) -> str:
        return f"({int(node.value or 0)})" if node.is_const else f"n{node.number}"


def disagreements(system: System, functions: GraphFunctions, state: State) -> Iterator[tuple[Outcome, str]]:
    """Every outcome of CPython in one state, with a text where the graph's differs (empty where it agrees)."""
    tree = system.build(state)
    for transition, values in functions.choices:
        found = run(system, tree, transition, values)
        computed = functions.outcome(transition, state, values)
        if found.kind != "disabled":
            tree = system.build(state)
        yield found, "" if found == computed else describe(system, transition, state, values, found, computed)


def describe(
    system: System, t: Transition, state: State, values: Mapping[str, int], found: Outcome, computed: Outcome
) -> str:
    """A disagreement, small enough to read."""
    text = f"{t.action.name}({dict(values)}): CPython {found.kind} {found.what}, graph {computed.kind} {computed.what}"
    if found.kind == computed.kind == "step":
        pairs = zip(system.variables, found.after, computed.after, strict=True)
        text += f"; {[(v.path, a, b) for v, a, b in pairs if a != b]}; lines {found.lines ^ computed.lines}"
    shown = {v.path: value for v, value in zip(system.variables, state, strict=True) if value != v.low}
    return f"{text}; in {shown}"


def compare_everywhere(system: System, keep: Iterable[str] | None = None) -> tuple[int, int]:
    """Compare every step of every reachable state; returns how many states and steps. Raises AssertionError.

    With `keep`, of the states that differ in other variables only, the first is looked at.
    """
    functions = GraphFunctions(system)
    kept = sorted(system.positions[path] for path in (system.positions if keep is None else keep))
    seen = {tuple(state[i] for i in kept) for state in system.initial}
    frontier, steps = list(system.initial), 0
    while frontier:
        following: list[State] = []
        for state in frontier:
            for found, wrong in disagreements(system, functions, state):
                assert not wrong, wrong
                if found.kind == "step":
                    steps += 1
                    key = tuple(found.after[i] for i in kept)
                    if key not in seen:
                        seen.add(key)
                        following.append(found.after)
        frontier = following
    return len(seen), steps
