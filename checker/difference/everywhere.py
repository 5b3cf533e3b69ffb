"""Two systems compared in every state in which invariants hold, whether it can be reached or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from podproof.checker.core.graph import Expr, Line, Op, evaluate, topological, variables_below
from podproof.checker.core.system import CheckerError, Move, State, Step, System, Transition
from podproof.checker.core.trace import replay
from podproof.checker.difference.transitions import Couple, StepComparison
from podproof.checker.engines.python import successors
from podproof.checker.lowering.claims import answers
from podproof.checker.reductions.symmetry import is_taken
from podproof.checker.solver import Equivalence, GaveUp

_MILLISECONDS = 30_000
"""How long Z3 may think about one question."""
_SAMPLE = 500
"""So many states are looked at before Z3 is asked."""


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
    """Of both systems; why not, where one cannot take the step or goes wrong in it."""


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


def compare_everywhere(
    systems: tuple[System, System], candidates: Mapping[str, Expr], queries: Sequence[tuple[str, int]]
) -> Everywhere:
    """Decide for each action and query whether both do the same wherever the invariants hold.

    The systems share their graph, see `in_one_graph`, and have the same variables and initial states. The candidates
    that are no invariants of the second system are left out. Of a query the index is given that it is asked about.
    """
    comparison = StepComparison(*systems, frozenset(v.path for v in systems[0].variables))
    solver = Equivalence(_MILLISECONDS)
    kept = _inductive(systems[1], candidates, solver)
    where = systems[0].graph.and_(*kept.values())
    conclusions = [_judge(comparison, couple, where, solver) for couple in comparison.couples.values()]
    conclusions += [_judge_query(systems, name, index, where, solver) for name, index in queries]
    return Everywhere(systems, tuple(kept), _together(conclusions))


def _inductive(system: System, candidates: Mapping[str, Expr], solver: Equivalence) -> dict[str, Expr]:
    """Those that hold initially, and that every step keeps where all of them hold."""
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
            where = graph.and_(is_taken(graph, t), _choices(system, t), *kept.values())
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


def _choices(system: System, t: Transition) -> Expr:
    """That every free parameter has one of its values."""
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
    graph, (t, other) = comparison.graph, couple
    known = next(x for x in couple if x is not None)
    name = known.action.name
    lines = frozenset(other.source if other is not None else ())

    def conclusion(equality: Equality, reason: str, witness: Witness | None = None) -> Conclusion:
        return Conclusion(name, equality, reason, lines, witness)

    if t is None or other is None:
        return conclusion(Equality.DIFFERENT, "only one of them has it")
    if [(p.name, p.values) for p in t.free] != [(p.name, p.values) for p in other.free]:
        return conclusion(Equality.DIFFERENT, "it has other parameters")
    differing = comparison.difference(couple)
    where = graph.and_(_choices(comparison.a, t), _choices(comparison.a, other), where)
    try:
        found = solver.counterexample([(differing, graph.false)], where)
    except GaveUp as error:
        return conclusion(Equality.UNDECIDED, str(error))
    if found is None:
        return conclusion(Equality.EQUAL, "")
    variables, parameters = _values(comparison.a, found)
    _simplify(comparison.a, variables, parameters, graph.and_(where, differing))
    move = Move(name, {**t.fixed, **{p.name: parameters[p.name] for p in t.free}})
    state = tuple(variables[path] for path in comparison.a.positions)
    outcomes = tuple(_outcome(system, state, move) for system in (comparison.a, comparison.b))
    return conclusion(Equality.DIFFERENT, "", Witness(state, move, outcomes))


def _simplify(system: System, variables: dict[str, int], parameters: Mapping[str, int], shown: Expr) -> None:
    """Let every variable be as at the beginning that shows the same there."""
    for path, zero in reversed(system.by_path(system.initial[0]).items()):
        if variables[path] != zero and evaluate([shown], {**variables, path: zero}, parameters) == [1]:
            variables[path] = zero


def _outcome(system: System, state: State, move: Move) -> Step | str:
    try:
        return replay(system, [move], state).steps[0]
    except CheckerError as error:
        return str(error)


def _judge_query(systems: tuple[System, System], name: str, index: int, where: Expr, solver: Equivalence) -> Conclusion:
    both = [answers(system, [name], index)[0] for system in systems]
    lines = frozenset((both[1].line, *both[1].source))
    try:
        found = solver.counterexample([(both[0].node, both[1].node)], where)
    except GaveUp as error:
        return Conclusion(name, Equality.UNDECIDED, str(error), lines)
    if found is None:
        return Conclusion(name, Equality.EQUAL, "", lines)
    variables, parameters = _values(systems[0], found)
    graph = systems[0].graph
    _simplify(systems[0], variables, parameters, graph.and_(where, graph.not_(graph.eq(both[0].node, both[1].node))))
    return Conclusion(name, Equality.DIFFERENT, "", lines, Witness(tuple(variables.values())))


def _together(conclusions: Iterable[Conclusion]) -> tuple[Conclusion, ...]:
    """One for each name, the first that is not EQUAL where there is one, with all lines that are read."""
    found: dict[str, Conclusion] = {}
    for conclusion in conclusions:
        first = found.setdefault(conclusion.name, conclusion)
        worse = conclusion if first.equality is Equality.EQUAL else first
        found[conclusion.name] = replace(worse, lines=first.lines | conclusion.lines)
    return tuple(found.values())
