"""Two systems in one graph, where what is the same is the same node; their actions and their methods compared."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from collections.abc import Container, Iterable, Iterator, Mapping

from podproof.checker.core.graph import Expr, Graph, Line, topological, transplant
from podproof.checker.core.system import System, Transition
from podproof.checker.difference.result import ActionChange, MethodChange, OwnField
from podproof.checker.lowering.source import Source, code_of, source_of
from podproof.checker.reductions import unchanging_variables
from podproof.checker.reductions.symmetry import is_taken
from podproof.checker.solver import Equivalence

_MILLISECONDS = 10_000
"""How long Z3 may think about one guard or update."""
_MOST_LINES = 4

TransitionName = tuple[str, tuple[tuple[str, int], ...]]
Couple = tuple[Transition | None, Transition | None]


class SharedGraph(Graph):
    """A graph of two systems. `lines` has for each of them the lines that made its nodes: a node has one of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[Expr, Line]] = []


def in_one_graph(a: System, b: System) -> tuple[System, System]:
    """The same two systems, over one new graph."""
    graph = SharedGraph()
    return _copy_system(graph, a), _copy_system(graph, b)


def _copy_system(graph: SharedGraph, system: System) -> System:
    copy, lines = transplant(graph), dict[Expr, Line]()
    graph.lines.append(lines)
    for node in topological(node for t in system.transitions for node in t.nodes()):
        graph.line = node.line
        (made,) = copy([node])
        if node.line is not None:
            lines.setdefault(made, node.line)
    transitions = tuple(dataclasses.replace(t, stores={}).rewrite(copy) for t in system.transitions)
    return dataclasses.replace(system, graph=graph, transitions=transitions)


def couples(a: System, b: System) -> Mapping[TransitionName, Couple]:
    """The transitions of both systems by action and fixed parameters, in the first one's order, then the second's."""
    ours, theirs = ({(t.action.name, tuple(t.fixed.items())): t for t in s.transitions} for s in (a, b))
    return {key: (ours.get(key), theirs.get(key)) for key in (*ours, *theirs)}


class StepComparison:
    """Two systems in one graph. Only variables in `relevant` are looked at: nothing depends on the others."""

    def __init__(self, a: System, b: System, relevant: frozenset[str]) -> None:
        """The systems must share their graph; see `in_one_graph`."""
        assert isinstance(a.graph, SharedGraph) and a.graph is b.graph
        self.a, self.b, self.graph, self.relevant = a, b, a.graph, relevant
        self.couples, self._equivalence = couples(a, b), Equivalence(_MILLISECONDS)
        ours, theirs = ({v.path: v for v in s.variables} for s in (a, b))
        self.shared = [path for path in ours if path in theirs and path in relevant]
        self.own = (*_own(0, a, theirs, relevant), *_own(1, b, ours, relevant))
        self._variables = [{p: n for p, n in s.nodes().items() if n.low < n.high} for s in (a, b)]
        same = all(ours[path] == theirs[path] for path in self.shared)
        self.same_record = same and not any(field.matters for field in self.own)
        """Have both the same relevant variables?"""
        starts = [{tuple(state[s.index(p)] for p in self.shared) for state in s.initial} for s in (a, b)]
        common = {action.name for action in a.actions} & {action.name for action in b.actions}
        same_choices = all(_choices(a, name) == _choices(b, name) for name in common)
        self.is_possible = self.same_record and starts[0] == starts[1] and same_choices
        """Have both the same relevant variables, initial states, and parameters of actions, which are split alike?"""

    def difference(self, couple: Couple) -> Expr:
        """Does the transition not do the same in both? Over the variables of a state and the free parameters."""
        t, other = couple
        if t is None or other is None:
            return next(x.enabled for x in couple if x is not None)
        graph, both = self.graph, (is_taken(self.graph, t), is_taken(self.graph, other))
        unlike = [graph.not_(graph.eq(x, y)) for _, x, y in self.updates(t, other)]
        unlike += [graph.not_(graph.eq(x, y)) for x, y in _name(graph, t.lines, other.lines)]
        return graph.or_(
            graph.not_(graph.eq(t.enabled, other.enabled)),
            graph.not_(graph.eq(*both)),
            graph.and_(*both, graph.or_(*unlike)),
        )

    def updates(self, t: Transition, other: Transition) -> Iterator[tuple[str, Expr, Expr]]:
        """The variables of both systems that a step may leave with different values."""
        ours, theirs = self._variables
        for path in self.shared:
            if path in ours and path in theirs:
                x, y = t.updates.get(path, ours[path]), other.updates.get(path, theirs[path])
                if x is not y:
                    yield path, x, y

    def changes(self) -> Mapping[TransitionName, Couple]:
        """The transitions that do not do the same in every state, or of which that could not be shown."""

        def is_same(t: Transition | None, other: Transition | None) -> bool:
            if t is None or other is None or _free(t) != _free(other) or any(self._only(t, other)):
                return False
            return self._equal(self.difference((t, other)), self.graph.false)

        return {key: couple for key, couple in self.couples.items() if not is_same(*couple)}

    def _equal(self, x: Expr, y: Expr, where: Expr | None = None) -> bool:
        return self._equivalence.always_equal([(x, y)], where or self.graph.true)

    def action_changes(
        self, changed: Mapping[TransitionName, Couple], described: Container[str]
    ) -> tuple[ActionChange, ...]:
        """What differs, an entry for each action that is not `described` yet, all its transitions together."""
        found: dict[str, list[ActionChange]] = {}
        for (name, _), couple in changed.items():
            if name not in described:
                found.setdefault(name, []).append(self._change(name, couple))
        return tuple(_together(changes) for changes in found.values())

    def _change(self, name: str, couple: Couple) -> ActionChange:
        t, other = couple
        if t is None or other is None:
            actions = (None if t is None else t.action, None if other is None else other.action)
            return ActionChange(name, actions, None, (), ((), ()), (), ((), ()))
        graph = self.graph
        guards = None if self._equal(t.enabled, other.enabled) else (t.enabled, other.enabled)
        both = graph.and_(is_taken(graph, t), is_taken(graph, other))
        updates = tuple(u for u in self.updates(t, other) if not self._equal(u[1], u[2], both))
        others = []
        if _free(t) != _free(other):
            others.append("parameters")
        if guards is None and not self._equal(is_taken(graph, t), is_taken(graph, other)):
            others.append("where the scenario's bounds cut it off")
        if not all(self._equal(x, y, both) for x, y in _name(graph, t.lines, other.lines)):
            others.append("programmer errors that it reports")
        mine, theirs = ([*(guards or ())[side : side + 1], *(u[1:][side] for u in updates)] for side in (0, 1))
        lines = (_lines(mine, theirs, graph.lines[0]), _lines(theirs, mine, graph.lines[1]))
        return ActionChange(name, (t.action, other.action), guards, updates, self._only(t, other), tuple(others), lines)

    def _only(self, t: Transition, other: Transition) -> tuple[tuple[str, ...], tuple[str, ...]]:
        written = (t.updates, other.updates)
        hidden = {(field.side, field.path) for field in self.own if field.matters}
        first, second = (tuple(path for path in u if (side, path) in hidden) for side, u in enumerate(written))
        return first, second


def _own(side: int, system: System, other: Container[str], relevant: Container[str]) -> Iterator[OwnField]:
    """The variables that only this system has."""
    paths = [v.path for v in system.variables if v.path not in other]
    constant = unchanging_variables(system) if paths else {}
    for path in paths:
        storing = [t.action.name for t in system.transitions if path in t.updates and path not in constant]
        yield OwnField(side, path, tuple(dict.fromkeys(storing)), path in relevant)


def _free(t: Transition) -> list[tuple[str, tuple[int, ...]]]:
    return [(p.name, p.values) for p in t.free]


def _choices(system: System, name: str) -> list[object]:
    """What an action's transitions leave open, one by one."""
    own = (t for t in system.transitions if t.action.name == name)
    return [(dict(t.fixed), [(p.name, p.values, p.labels) for p in t.free]) for t in own]


def _name(graph: Graph, mine: Mapping[str, Expr], others: Mapping[str, Expr]) -> Iterator[tuple[Expr, Expr]]:
    for name in dict.fromkeys((*mine, *others)):
        yield mine.get(name, graph.false), others.get(name, graph.false)


def _lines(nodes: Iterable[Expr], others: Iterable[Expr], lines: Mapping[Expr, Line]) -> tuple[Line, ...]:
    """Where the nodes that the others lack were made, those first that are built of common nodes alone."""
    known = set(topological(others))
    new = [node for node in topological(nodes) if node not in known]
    lowest = [node for node in new if all(a in known for a in node.args)]
    return tuple(dict.fromkeys(lines[node] for node in lowest if node in lines))[:_MOST_LINES]


def _together(changes: list[ActionChange]) -> ActionChange:
    """One change for all transitions of an action: the first of each variable, whatever the index in its path."""
    first = changes[0]
    guards = next((c.guards for c in changes if c.guards is not None), None)
    updates = {u[0]: u for c in changes for u in c.updates}
    only = [tuple(dict.fromkeys(p for c in changes for p in c.only[side])) for side in (0, 1)]
    others = tuple(dict.fromkeys(text for c in changes for text in c.others))
    lines = [tuple(dict.fromkeys(line for c in changes for line in c.lines[side]))[:_MOST_LINES] for side in (0, 1)]
    return ActionChange(
        first.name, first.actions, guards, tuple(updates.values()), (only[0], only[1]), others, (lines[0], lines[1])
    )


# -- the methods of two model classes whose text differs ---------------------------------------------------------------


def method_changes(a: System, b: System) -> tuple[MethodChange, ...]:
    """The methods that an action of either system may call and whose text differs, in the order of their names."""
    classes = _Class(a), _Class(b)
    names = sorted({name for cls in classes for called in cls.called.values() for name in called})
    return tuple(change for name in names if (change := _change(name, classes)) is not None)


def _change(name: str, classes: tuple[_Class, _Class]) -> MethodChange | None:
    chains = tuple(cls.chain(name) for cls in classes)
    if [s.function for s in chains[0]] == [s.function for s in chains[1]]:
        return None
    plain = [[_plain(source.tree, rename=False) for source in chain] for chain in chains]
    if plain[0] == plain[1]:
        return None
    renamed = [[_plain(source.tree, rename=True) for source in chain] for chain in chains]
    actions = dict.fromkeys(
        action for cls in classes for action, called in cls.called.items() if name in called and name != action
    )
    own = [name] if any(name in cls.called for cls in classes) else []
    first, second = (chain[0].line(chain[0].tree) if chain else None for chain in chains)
    before, after = ("\n".join(code_of(source.function) for source in chain) for chain in chains)
    return MethodChange(name, (first, second), (before, after), renamed[0] == renamed[1], (*own, *actions))


class _Class:
    """A model class as the lowering sees it."""

    def __init__(self, system: System) -> None:
        self.cls = system.shape.cls
        self.names_in = functools.cache(self._names_in)
        self.called: Mapping[str, frozenset[str]] = {action.name: self._reach(action.name) for action in system.actions}
        """For each action the methods that it may call, itself included."""

    def chain(self, name: str) -> tuple[Source, ...]:
        """The method, and those of the same name that it reaches by `super()`; empty where the class has none."""
        found = []
        for cls in self.cls.__mro__:
            if name in vars(cls):
                function = vars(cls)[name]
                if not inspect.isfunction(function):
                    break
                found.append(source_of(function))
                if not any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(found[-1].tree)):
                    break
        return tuple(found)

    def _reach(self, name: str) -> frozenset[str]:
        reached = [name]
        for one in reached:
            reached += self.names_in(one).difference(reached)
        return frozenset(reached)

    def _names_in(self, name: str) -> frozenset[str]:
        """The methods of the class that a method's text names."""
        nodes = (node for source in self.chain(name) for node in ast.walk(source.tree))
        names = (node.attr for node in nodes if isinstance(node, ast.Attribute))
        return frozenset(n for n in names if inspect.isfunction(getattr(self.cls, n, None)))


def _plain(tree: ast.FunctionDef, rename: bool) -> str:
    """What a function does, as text: no decorator, docstring or layout; with `rename`, its locals have other names."""
    (tree,) = (node for node in ast.parse(ast.unparse(tree)).body if isinstance(node, ast.FunctionDef))
    tree.decorator_list = []
    body = tree.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        tree.body = body[1:] or [ast.Pass()]
    if rename:
        # Locals are numbered in the order in which they are first set. Parameters keep their names: callers use them.
        names, kept = [n for n in ast.walk(tree) if isinstance(n, ast.Name)], {a.arg for a in tree.args.args}
        stored = dict.fromkeys(n.id for n in names if isinstance(n.ctx, ast.Store) and n.id not in kept)
        numbers = {name: f"local {i}" for i, name in enumerate(stored)}
        for name in names:
            name.id = numbers.get(name.id, name.id)
    return ast.dump(tree)
