"""Two systems in one graph, where what is the same is the same node: their actions, methods and all states compared."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from podproof.checker.core.graph import Expr, Graph, Line, Op, evaluate, topological, transplant, variables_below
from podproof.checker.core.system import (
    CheckerError,
    Move,
    Outcome,
    State,
    Step,
    System,
    Transition,
)
from podproof.checker.core.trace import replay
from podproof.checker.difference.result import ActionChange, MethodChange, OwnField
from podproof.checker.engines.python import successors
from podproof.checker.lowering.claims import answers
from podproof.checker.lowering.source import Source, code_of, source_of
from podproof.checker.reductions import unchanging_variables
from podproof.checker.solver import GaveUp
from podproof.checker.solver.equivalence import Equivalence

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


def differs(graph: Graph, t: Transition, other: Transition, unlike: Iterable[Expr]) -> Expr:
    """Have two transitions different outcomes, or are both taken and one of these differences is there?"""
    outcomes = (graph.not_(graph.eq(t.when(o, graph), other.when(o, graph))) for o in Outcome)
    both = (one.when(Outcome.TAKEN, graph) for one in (t, other))
    return graph.or_(*outcomes, graph.and_(*both, graph.or_(*unlike)))


class StepComparison:
    """Two systems in one graph. Only variables in `relevant` are looked at: nothing depends on the others."""

    def __init__(self, a: System, b: System, relevant: frozenset[str]) -> None:
        """The systems must share their graph; see `in_one_graph`."""
        assert isinstance(a.graph, SharedGraph) and a.graph is b.graph
        self.a, self.b, self.graph = a, b, a.graph
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
        if t.action.actor != other.action.actor:
            return self.graph.or_(t.enabled, other.enabled)
        pairs = [(x, y) for _, x, y in self.updates(t, other)] + [*paired(self.graph, t.lines, other.lines)]
        return differs(self.graph, t, other, (self.graph.not_(self.graph.eq(x, y)) for x, y in pairs))

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
            if t.action.actor != other.action.actor:
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
        both = graph.and_(*(one.when(Outcome.TAKEN, graph) for one in (t, other)))
        updates = tuple(u for u in self.updates(t, other) if not self._equal(u[1], u[2], both))
        others = []
        if _free(t) != _free(other):
            others.append("parameters")
        where = graph.and_(t.enabled, other.enabled)
        for outcome, words in (
            (Outcome.CUT_OFF, "where the scenario's bounds cut it off"),
            (Outcome.FAULT, "where it goes wrong"),
        ):
            if not self._equal(t.when(outcome, graph), other.when(outcome, graph), where):
                others.append(words)
        if t.action.actor != other.action.actor:
            others.append(f"its actor, {t.action.actor} or {other.action.actor}")
        if not all(self._equal(x, y, both) for x, y in paired(graph, t.lines, other.lines)):
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


def paired(graph: Graph, mine: Mapping[str, Expr], others: Mapping[str, Expr]) -> Iterator[tuple[Expr, Expr]]:
    """When either step reaches a line, for each line that one of them may."""
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
    # What both have in common before they call super() is not changed.
    both = enumerate(zip(*chains, strict=False))
    common = next((n for n, (one, other) in both if one.function is not other.function), 0)
    chains = tuple(chain[common:] for chain in chains)
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
    mine, theirs = (
        tuple(one for source in chain for one in _statements(source, source.tree.body, "")) for chain in chains
    )
    return MethodChange(
        name, (first, second), (before, after), renamed[0] == renamed[1], (*own, *actions), (mine, theirs)
    )


def _statements(source: Source, body: Iterable[ast.stmt], place: str) -> Iterator[tuple[str, Line]]:
    """Each statement with its line, as text that also says in which blocks it stands."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield f"{place}if {ast.unparse(test)}", source.line(statement)
                yield from _statements(source, then, f"{place}then ")
                yield from _statements(source, otherwise, f"{place.removesuffix('else ')}else ")
            case ast.For(target=target, iter=every, body=inside):
                yield f"{place}for {ast.unparse(target)} in {ast.unparse(every)}", source.line(statement)
                yield from _statements(source, inside, f"{place}each ")
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                yield f"{place}{ast.unparse(statement)}", source.line(statement)


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


# -- two systems compared in every state in which invariants hold, whether it can be reached or not --------------------

_MILLISECONDS_EVERYWHERE = 30_000
"""How long Z3 may think about one question."""
_WIDEST = 1 << 40
"""Numbers of functions that may be as great are integers to it, and no bits."""
_SAMPLE = 500
"""How many states to try before asking Z3."""


class Equality(Enum):
    EQUAL = "EQUAL"
    DIFFERENT = "DIFFERENT"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Witness:
    """A state that satisfies the invariants, and what happens there in each of the systems."""

    state: State
    move: Move | None = None
    """None for a query, whose answers in the two systems are opposite."""
    outcomes: tuple[Step | str, ...] = ()
    """The outcomes in both systems: why a system does not take the step, or how it goes wrong."""


@dataclass(frozen=True)
class Conclusion:
    """Whether an action, or a question that changes nothing, is the same in both systems."""

    name: str
    equality: Equality
    reason: str
    lines: frozenset[Line]
    """What the second system reads for it."""
    witness: Witness | None = None


@dataclass(frozen=True)
class Everywhere:
    """What was decided about all actions and questions."""

    systems: tuple[System, System]
    invariants: tuple[str, ...]
    """By the names of the candidates: they hold at the beginning, and every step of the second system keeps them."""
    conclusions: tuple[Conclusion, ...]

    @property
    def equality(self) -> Equality:
        found = {conclusion.equality for conclusion in self.conclusions}
        order = (Equality.DIFFERENT, Equality.UNDECIDED, Equality.EQUAL)
        return next(equality for equality in order if equality in found or equality is Equality.EQUAL)


Queries = Sequence[tuple[str, int]]
"""Each with the index that it is asked about."""


def compare_everywhere(systems: tuple[System, System], candidates: Mapping[str, Expr], queries: Queries) -> Everywhere:
    """Decide for each action and query whether both do the same wherever the invariants hold.

    The systems share their graph, see `in_one_graph`, and have the same variables and initial states. The candidates
    that are no invariants of the second system are left out.

    Raises CheckerError where a variable is of one of them only.
    """
    solver = Equivalence(_MILLISECONDS_EVERYWHERE)
    kept = _inductive(systems[1], candidates, solver)
    where = systems[0].graph.and_(*kept.values())
    return Everywhere(systems, tuple(kept), _one_by_name(_conclusions(systems, queries, where, solver)))


def equal_without_invariants(systems: tuple[System, System], queries: Queries) -> Everywhere | None:
    """The same where no invariant is needed, since both do the same in every state; None at the first that is unlike.

    Raises CheckerError as well.
    """
    found = []
    for conclusion in _conclusions(systems, queries, systems[0].graph.true, Equivalence(_MILLISECONDS_EVERYWHERE)):
        if conclusion.equality is not Equality.EQUAL:
            return None
        found.append(conclusion)
    return Everywhere(systems, (), _one_by_name(found))


def compare_functions(systems: tuple[System, System]) -> Conclusion:
    """Decide whether two functions, each the only action of its system, give the same answer to every input.

    The systems share their graph. Where the second one leaves its bounds it has no answer, and neither is there one
    to the question: that is UNDECIDED, unless another input tells them apart.
    """
    solver, graph = Equivalence(_MILLISECONDS_EVERYWHERE, _WIDEST), systems[0].graph
    comparison = StepComparison(*systems, frozenset(variable.path for variable in systems[0].variables))
    (couple,) = comparison.couples.values()
    beyond = graph.or_(*(t.when(Outcome.CUT_OFF, graph) for t in couple if t is not None))
    found = _judge(comparison, couple, graph.not_(beyond), solver)
    if found.equality is not Equality.EQUAL:
        return found
    try:
        cut = solver.counterexample([(beyond, graph.false)], graph.true)
    except GaveUp as error:
        return replace(found, equality=Equality.UNDECIDED, reason=str(error))
    if cut is None:
        return found
    return replace(found, equality=Equality.UNDECIDED, reason="it asks for what the model does not have")


def _conclusions(
    systems: tuple[System, System], queries: Queries, where: Expr, solver: Equivalence
) -> Iterator[Conclusion]:
    paths = [{v.path for v in system.variables} for system in systems]
    if unlike := sorted(paths[0] ^ paths[1]):
        raise CheckerError(f"only one of them has {', '.join(unlike)}")
    comparison = StepComparison(*systems, frozenset(paths[0]))
    yield from (_judge(comparison, couple, where, solver) for couple in comparison.couples.values())
    yield from (_judge_query(systems, name, index, where, solver) for name, index in queries)


def _inductive(system: System, candidates: Mapping[str, Expr], solver: Equivalence) -> dict[str, Expr]:
    """The greatest set of candidates that is inductive: each holds initially, and every step keeps all of them."""
    graph = system.graph
    kept = {name: node for name, node in candidates.items() if not variables_below([node]) & system.free.keys()}
    for state in _some_states(system):
        held = evaluate(kept.values(), system.by_path(state))
        kept = {name: node for (name, node), holds in zip(kept.items(), held, strict=True) if holds}
    is_stable = False
    while not is_stable:
        is_stable = True
        for t in system.transitions:
            after = dict(zip(kept, graph.substitute(kept.values(), t.updates), strict=True))
            pairs = [(node, graph.true) for name, node in after.items() if node is not kept[name]]
            where = graph.and_(t.when(Outcome.TAKEN, graph), _has_values(system, t), *kept.values())
            try:
                found = solver.counterexample(pairs, where)
            except GaveUp:
                return {}
            if found is not None:
                is_stable = False
                values = _values(system, found)
                broken = evaluate(after.values(), *values)
                kept = {name: node for (name, node), holds in zip(kept.items(), broken, strict=True) if holds}
    return kept


def _some_states(system: System) -> Iterator[State]:
    """The initial states and the first ones after them: they spare the solver much."""
    found = dict.fromkeys(system.initial)
    pending = list(found)
    for state in pending:
        yield state
        for _, after, _ in successors(system, state) if len(found) < _SAMPLE else ():
            if not isinstance(after, Exception) and after not in found:
                found[after] = None
                pending.append(after)


def _has_values(system: System, t: Transition) -> Expr:
    """Every free parameter has one of its values."""
    graph, wanted = system.graph, {p.name: p for p in t.free if not p.is_bool and not p.unbounded}
    nodes = {n for n in topological(t.nodes()) if n.op is Op.PARAM and n.value in wanted}
    return graph.and_(
        *(graph.or_(*(graph.eq(n, graph.integer(v)) for v in wanted[str(n.value)].values)) for n in nodes)
    )


def _values(system: System, found: Mapping[Expr, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Variables and parameters; those that the question did not name are as at the beginning, or any."""
    variables = system.by_path(system.initial[0])
    variables |= {str(n.value): value for n, value in found.items() if n.op is Op.VAR}
    parameters = {p.name: p.values[0] for a in system.actions for p in a.parameters}
    return variables, parameters | {str(n.value): value for n, value in found.items() if n.op is Op.PARAM}


def _judge(comparison: StepComparison, couple: Couple, where: Expr, solver: Equivalence) -> Conclusion:
    (t, other), systems = couple, (comparison.a, comparison.b)
    name = next(x for x in couple if x is not None).action.name
    lines = frozenset(other.source if other is not None else ())
    if t is None or other is None:
        return Conclusion(name, Equality.DIFFERENT, "only one of them has it", lines)
    if _free(t) != _free(other):
        return Conclusion(name, Equality.DIFFERENT, "it has other parameters", lines)

    def witness(state: State, parameters: Mapping[str, int]) -> Witness:
        move = Move(name, {**t.fixed, **{p.name: parameters[p.name] for p in t.free}})
        return Witness(state, move, tuple(_outcome(system, state, move) for system in systems))

    where = comparison.graph.and_(_has_values(comparison.a, t), _has_values(comparison.a, other), where)
    return _conclude(name, lines, comparison.a, comparison.difference(couple), where, solver, witness)


def _judge_query(systems: tuple[System, System], name: str, index: int, where: Expr, solver: Equivalence) -> Conclusion:
    both, graph = [answers(system, [name], index)[0] for system in systems], systems[0].graph
    differing, lines = graph.not_(graph.eq(both[0].node, both[1].node)), frozenset((both[1].line, *both[1].source))
    return _conclude(name, lines, systems[0], differing, where, solver, lambda state, _: Witness(state))


def _conclude(
    name: str,
    lines: frozenset[Line],
    system: System,
    differing: Expr,
    where: Expr,
    solver: Equivalence,
    witness: Callable[[State, Mapping[str, int]], Witness],
) -> Conclusion:
    """Ask for a state in which there is a difference; every variable of it that can be is as at the beginning."""
    try:
        found = solver.counterexample([(differing, system.graph.false)], where)
    except GaveUp as error:
        return Conclusion(name, Equality.UNDECIDED, str(error), lines)
    if found is None:
        return Conclusion(name, Equality.EQUAL, "", lines)
    variables, parameters = _values(system, found)
    shown = [system.graph.and_(where, differing)]
    for path, zero in reversed(system.by_path(system.initial[0]).items()):
        if variables[path] != zero and evaluate(shown, {**variables, path: zero}, parameters) == [1]:
            variables[path] = zero
    return Conclusion(
        name, Equality.DIFFERENT, "", lines, witness(tuple(variables[path] for path in system.positions), parameters)
    )


def _outcome(system: System, state: State, move: Move) -> Step | str:
    try:
        return replay(system, [move], state).steps[0]
    except CheckerError as error:
        return str(error)


def _one_by_name(conclusions: Iterable[Conclusion]) -> tuple[Conclusion, ...]:
    """One for each name, the first that is not EQUAL where there is one, with all lines that are read."""
    found: dict[str, Conclusion] = {}
    for conclusion in conclusions:
        first = found.setdefault(conclusion.name, conclusion)
        worse = conclusion if first.equality is Equality.EQUAL else first
        found[conclusion.name] = replace(worse, lines=first.lines | conclusion.lines)
    return tuple(found.values())
