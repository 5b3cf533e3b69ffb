"""Engine `symbolic`: a breadth-first search in which numbers without a bound are unknowns that Z3 reasons about.

A variable is a number where its range has no end, and a control variable otherwise. A state of the search is a control
state, the values of all control variables in one word, with a constraint on the numbers, and stands for all values that
fulfil it. In a control state, numbers are all that is left in an expression. Few such remainders occur, and few
constraints, so what a step does to a constraint is worked out once for both.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import z3

from podproof.checker.conclude import Evidence, after_search
from podproof.checker.core.graph import UNBOUNDED, Expr, Graph, Op, substitution, topological, variables_below
from podproof.checker.core.system import (
    ActionCount,
    CheckerError,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Move,
    OutOfRange,
    System,
    Trace,
    Transition,
    Variable,
)
from podproof.checker.core.trace import evidence, replay
from podproof.checker.engines import Claims, Engine, Kept, LimitedSearch, available_memory
from podproof.checker.solver import GaveUp
from podproof.checker.solver.differences import FAULT, Constraints, Effect
from podproof.checker.solver.terms import Numbers, Relation, Term, constant, value_of

_LOOK_EVERY = 256
"""Control states between two looks at the clock."""
_SPARE = 256 << 20
"""Bytes of memory to leave to others."""
_STATE_BYTES, _CONTROL_BYTES = 160, 600
"""About what a state and a control state take."""

Level = dict[int, list[int]]
"""Control state -> states of the search with it."""


class Symbolic(Engine):
    """The engine; it needs no settings, and knows no renaming. A state stands for all values within a constraint.

    Where Z3 gives up a search ends, undecided. It raises CheckerError where unbounded numbers are added to each other.
    """

    name = "symbolic"
    is_unbounded = True

    def search(self, system: System, claims: Claims, keep: Kept, limits: Limits) -> LimitedSearch:
        return SymbolicSearch(system, claims, keep, limits)


ControlStep = tuple[int, Effect, Sequence[tuple[int, Expr]]]
"""What is left of a transition in a control state: the bits that it puts there, but for what the numbers decide; what
it does to the numbers; and the claims that it violates, with the condition on the numbers."""


class ControlStates:
    """The control variables in one word, and expressions in which their values are known."""

    def __init__(self, graph: Graph, variables: Sequence[Variable]) -> None:
        self.graph, self.variables = graph, {v.path: v for v in variables}
        self.masks: dict[str, int] = {}
        first = 1
        for v in variables:
            self.masks[v.path] = first * ((1 << (v.high - v.low).bit_length()) - 1)
            first += self.masks[v.path]
        self._known: dict[Expr, tuple[int, dict[int, Expr]]] = {}

    def bits(self, path: str, value: int) -> int:
        """A variable's value, counted from its least, in its place in the word."""
        return (value - self.variables[path].low) * (self.masks[path] & -self.masks[path])

    def read(self, nodes: Iterable[Expr]) -> int:
        """The bits that expressions depend on."""
        paths = variables_below(nodes)
        return sum(mask for path, mask in self.masks.items() if path in paths)

    def at(self, node: Expr, word: int) -> Expr:
        """Partially evaluate an expression: put in the values of its control variables."""
        if node not in self._known:
            self._known[node] = self.read([node]), {}
        read, known = self._known[node]
        if word & read not in known:
            values = {}
            for path, mask in self.masks.items():
                if mask & read:
                    v = self.variables[path]
                    values[path] = self.graph.constant(v.is_bool, v.low + (word & mask) // (mask & -mask))
            known[word & read] = self.graph.substitute([node], values)[0]
        return known[word & read]


def _split(system: System, properties: Sequence[LoweredProperty]) -> tuple[System, tuple[LoweredProperty, ...]]:
    """The system with a transition for each choice of the parameters that have finitely many values."""
    transitions, graph = [], system.graph
    steps: list[list[Expr]] = [[] for _ in properties]
    for number, t in enumerate(system.transitions):
        chosen = [p for p in t.free if not p.unbounded]
        for values in itertools.product(*(p.values for p in chosen)):
            fixed = {p.name: v for p, v in zip(chosen, values, strict=True)}
            put = substitution(graph, {p.name: graph.constant(p.is_bool, fixed[p.name]) for p in chosen}, Op.PARAM)
            if put([t.enabled])[0] is not graph.false:
                free = tuple(p for p in t.free if p.unbounded)
                one = dataclasses.replace(t, fixed={**t.fixed, **fixed}, free=free, lines={}, stores={})
                transitions.append(one.rewrite(put))
                for p, own in zip(properties, steps, strict=True):
                    own += put([p.steps[number]]) if p.steps is not None else ()
    claims = (
        p if p.steps is None else dataclasses.replace(p, steps=tuple(own))
        for p, own in zip(properties, steps, strict=True)
    )
    return dataclasses.replace(system, transitions=tuple(transitions)), tuple(claims)


class SymbolicSearch(LimitedSearch):
    """One search: what it has seen, and what decides each claim that is decided.

    Levels are complete, and a state is only ever left out for one that is no deeper: what is found first takes the
    fewest steps.
    """

    engine = "symbolic"

    def __init__(self, system: System, properties: Claims, keep: Kept, limits: Limits) -> None:
        super().__init__(*_split(system, properties), keep, limits)
        stored = [v for v in system.variables if v.low < v.high and (keep is None or v.path in keep)]
        self.numbers = [v.path for v in stored if v.high >= UNBOUNDED]
        self.control = ControlStates(system.graph, [v for v in stored if v.high < UNBOUNDED])
        self.moves = tuple(map(self._whole_effect, self.system.transitions))
        claims = [(i, p.steps) for i, p in enumerate(self.properties) if p.steps is not None]
        self.claims = [[(i, steps[number]) for i, steps in claims] for number in range(len(self.moves))]
        """The claims about steps that each move may violate, and when."""
        rest = [(*m.stops, *m.updates, *own) for m, own in zip(self.moves, self.claims, strict=True)]
        roots = [[m.enabled, *(node for _, node in named)] for m, named in zip(self.moves, rest, strict=True)]
        self.reads = tuple(map(self.control.read, roots))
        """The bits of a control state that each move reads; and below, those that it does not write."""
        self.keeps = tuple(~sum(self.control.masks.get(path, 0) for path, _ in move.updates) for move in self.moves)
        self.rows: tuple[dict[int, ControlStep | None], ...] = tuple({} for _ in self.moves)
        """The residue of each move, by the bits that it reads; None where it cannot be made."""
        self.constraints = Constraints(self.numbers, self._highest(itertools.chain(*roots)), self.control.bits)
        self._effects: dict[tuple[Any, ...], Effect] = {}
        # Every state, in order of discovery; a first one is its own parent, reached through its initial state.
        self.word, self.constraint = list[int](), list[int]()
        self.parent, self.through = array("I"), array("I")
        self.reached: dict[int, set[int]] = {}
        """Control state -> every constraint under which it was reached."""
        self.found: dict[int, tuple[int, int | None]] = {}
        """A claim -> the state that decides it, or the state and the choice that do."""
        self.fault: tuple[int, int] | None = None
        self.expanded = 0
        self.taken, self.fresh = ([0] * len(self.moves) for _ in range(2))

    def _whole_effect(self, t: Transition) -> Effect:
        stops = (*t.bounds.items(), *((FAULT, node) for node in t.faults.values()))
        paths = (*(p for p in t.updates if p in self.control.masks), *(p for p in self.numbers if p in t.updates))
        updates = tuple((path, t.updates[path]) for path in paths)
        return Effect(tuple((p.name, min(p.values)) for p in t.free), t.enabled, stops, updates)

    def _highest(self, roots: Iterable[Expr]) -> int | None:
        """No less than any constant that a number is compared with or can be; None where numbers are added up."""
        highest = [0, *(least for move in self.moves for _, least in move.parameters)]
        for path in self.numbers:
            highest += (self.system.free.get(path, s[self.system.index(path)]) for s in self.system.initial)
        for path, node in (update for move in self.moves for update in move.updates):
            if path in self.numbers and not _is_number(node):
                highest.append(node.high)
            elif path in self.control.masks and _is_number(node):
                highest.append(self.control.variables[path].high)  # Its range compares the number with each value.
        for node in topological([*roots, *(p.state for p in self.properties if p.state is not None)]):
            if any(map(_is_number, node.args)):
                if node.op in (Op.ADD, Op.SUB):
                    return None
                highest += (a.high for a in node.args if not a.is_bool and not _is_number(a))
        return max(highest)

    def explore(self) -> None:
        try:
            frontier = self._begin()
            while frontier and not self.reason:
                self._examine(frontier)
                if self.end_if_deep_enough():
                    return
                following: Level = {}
                for word, states in frontier.items():
                    self._expand(word, states, following)
                    self.expanded += 1
                    if self.expanded % _LOOK_EVERY == 0:
                        self._check_memory(len(frontier))
                    if self.fault is not None:
                        return
                    if self.reason:
                        break
                self.depth += bool(following)
                frontier = following
            self._examine(frontier)
        except GaveUp as error:
            self.reason = f"{error}; nothing is claimed of what it left open: use --engine compiled, or --property"

    def _begin(self) -> Level:
        """The initial states, each with all values of the free variables at once."""
        level, free = Level(), self.system.free
        for number, state in enumerate(self.system.initial):
            values = {v.path: value for v, value in zip(self.system.variables, state, strict=True)}
            for path, v in self.control.variables.items():
                if not v.low <= values[path] <= v.high:
                    raise CheckerError(f"{path} starts outside its range; change the initial state or the range")
            least = [free.get(path, values[path]) for path in self.numbers]
            most = [math.inf if path in free else values[path] for path in self.numbers]
            word = sum(self.control.bits(path, values[path]) for path in self.control.masks)
            self._reach(word, self.constraints.between(least, most), None, number, level)
        return level

    def _reach(self, word: int, constraint: int, parent: int | None, through: int, level: Level) -> bool:
        """Is this a state, implied by none, and is there room for it? Then it is stored.

        To be called once for a control state and a constraint.
        """
        reached = self.reached.get(word, set())
        is_new = not self.constraints.implies_any(constraint, reached)
        if is_new and self.end_if_full():
            return False
        self.reached[word] = reached
        reached.add(constraint)
        if is_new:
            level.setdefault(word, []).append(len(self.word))
            self.parent.append(len(self.word) if parent is None else parent)
            self.through.append(through)
            self.word.append(word)
            self.constraint.append(constraint)
        return is_new

    def _expand(self, word: int, states: list[int], following: Level) -> None:
        """Every step out of the states with one control state."""
        for number, move in enumerate(self.moves):
            read, rows = word & self.reads[number], self.rows[number]
            if read not in rows:
                rows[read] = self._row(number, word)
            if (row := rows[read]) is None:
                continue
            written, effect, claims = row
            base, outcomes = word & self.keeps[number] | written, effect.outcomes
            for state in states:
                constraint = self.constraint[state]
                outcome = outcomes.get(constraint)
                if outcome is None:
                    outcome = outcomes[constraint] = self.constraints.outcome(effect, constraint)
                for name in outcome.stops:
                    if name != FAULT:
                        self.bounds_hit[name] += 1
                    elif self.fault is None and not self.reason:
                        self.fault = state, number
                if self.reason:
                    continue  # There was no room for a state: of the other steps only those that are cut off count.
                self.taken[number] += len(outcome.steps)
                for bits, after, _ in outcome.steps:
                    if after not in self.reached.get(base | bits, ()):
                        self.fresh[number] += self._reach(base | bits, after, state, number, following)
                for claim, condition in claims:
                    if claim not in self.found:
                        violation = self._effect(move.parameters, condition)
                        cells = (before for *_, cells in outcome.steps for before in cells)
                        if any(self.constraints.possible(violation, before) for before in cells):
                            self.found[claim] = state, number

    def _row(self, number: int, word: int) -> ControlStep | None:
        """The residue of a move; None where it cannot be made."""
        move, at, never = self.moves[number], self.control.at, self.system.graph.false
        if (enabled := at(move.enabled, word)) is never:
            return None
        written, updates = 0, []
        for path, update in move.updates:
            node = at(update, word)
            if node.is_const and path in self.control.masks:
                written |= self.control.bits(path, node.low)
            elif node.op is not Op.VAR or node.value != path:
                updates.append((path, node))
        stops = tuple((name, left) for name, node in move.stops if (left := at(node, word)) is not never)
        claims = [(claim, left) for claim, node in self.claims[number] if (left := at(node, word)) is not never]
        return written, self._effect(move.parameters, enabled, stops, tuple(updates)), claims

    def _effect(self, *fields: Any) -> Effect:
        if fields not in self._effects:
            self._effects[fields] = Effect(*fields)
        return self._effects[fields]

    def _examine(self, level: Level) -> None:
        """Look at the claims about states in new states."""
        for claim, p in enumerate(self.properties):
            if p.state is None or claim in self.found:
                continue
            wanted = p.state if p.property.is_witnessed else self.system.graph.not_(p.state)
            for word, states in level.items():
                condition = self.control.at(wanted, word)
                if condition is not self.system.graph.false:
                    effect, rows = self._effect((), condition), self.constraints.rows
                    for state in states:
                        if self.constraints.possible(effect, rows[self.constraint[state]]):
                            self.found.setdefault(claim, (state, None))

    def _check_memory(self, waiting: int) -> None:
        """Check the limits and report, and end where the memory is used up."""
        is_due = self.check_limits_and_report(waiting)
        if is_due and (available := available_memory()) is not None and available < _SPARE:
            self.reason = f"stopped at {self.count:,} states: too little memory is left; name fewer claims"

    @property
    def count(self) -> int:
        return len(self.word)

    @property
    def bytes(self) -> int:
        """About what is stored takes."""
        return _STATE_BYTES * len(self.word) + _CONTROL_BYTES * len(self.reached)

    def actions(self) -> dict[str, ActionCount]:
        return self.system.count_actions(self.taken, self.fresh)

    def result(self) -> Exploration:
        """What was found out. Raises OutOfRange, with the trace, when the model itself goes wrong."""
        if self.fault is not None:
            begins, path = self._path(*self.fault)
            try:
                self._trace(None, begins, path)
            except GaveUp as error:
                text = f"the model goes wrong after {len(path)} steps, and {error} over concrete values for a trace"
                raise OutOfRange(text) from error
            raise EngineFault("the model goes wrong for the engine `symbolic` only")
        return dataclasses.replace(super().result(), solver_seconds=self.constraints.solver_seconds)

    def evidence(self) -> Iterator[Evidence]:
        for claim, p in enumerate(self.properties):
            trace, reason = None, self.reason
            if claim in self.found:
                begins, path = self._path(*self.found[claim])
                try:
                    trace = self._trace(p, begins, path)
                except GaveUp as error:
                    reason = f"{error} over the concrete values of a trace of {len(path)} steps"
            yield after_search(trace, reason)

    def _path(self, state: int, last: int | None) -> tuple[int, list[int]]:
        """The initial state of the way to a state, and the moves on it, with one more at its end."""
        moves = [] if last is None else [last]
        while self.parent[state] != state:
            moves.append(self.through[state])
            state = self.parent[state]
        return self.through[state], moves[::-1]

    def _trace(self, p: LoweredProperty | None, begins: int, path: Sequence[int]) -> Trace:
        """The trace along a path that decides a claim; None means that the model goes wrong at its end.

        Nothing of the search is taken over but the moves: the path is put to Z3 anew, and CPython replays what it
        finds. Raises OutOfRange, with the trace, when the model goes wrong, and GaveUp when Z3 does.
        """
        relation = Relation(self.system, () if p is None else (p,), self.keep, Numbers.INTEGERS)
        terms: list[Term] = []
        wanted: dict[str, Sequence[int]] = {}
        """The numbers to find, and the values that the scenario has for each."""

        def number(name: str, least: int, preferred: Sequence[int]) -> Term:
            wanted[name] = preferred
            terms.append(z3.Int(name) >= least)
            return z3.Int(name)

        start, state = dict(zip(self.system.positions, self.system.initial[begins], strict=True)), dict[str, Term]()
        for name, symbol in relation.now.items():
            least = self.system.free.get(name)
            known = constant(start[name], symbol.sort()) if least is None else number(name, least, [start[name]])
            state[name] = known
        for i, move in enumerate(map(relation.moves.__getitem__, path)):
            put = [(relation.now[name], term) for name, term in state.items()]
            asked = {q.name: number(f"{i} {q.name}", min(q.values), q.values) for q in move.transition.free}
            put += [(symbol, asked[name]) for name, symbol in move.parameters.items()]
            conditions = [move.condition]
            if i + 1 == len(path) and p is None:
                conditions = [move.fault]
            elif i + 1 == len(path) and p is not None and p.steps is not None:
                conditions.append(relation.terms.of(p.steps[move.number]))
            terms += (z3.simplify(z3.substitute(condition, *put)) for condition in conditions)
            state |= {name: z3.simplify(z3.substitute(term, *put)) for name, term in move.updates.items()}
        if p is not None and p.state is not None:
            holds = z3.substitute(relation.holds(p), *((relation.now[name], term) for name, term in state.items()))
            terms.append(holds if p.property.is_witnessed else z3.Not(holds))
        values = self._values(terms, wanted)
        moves = []
        for i, t in enumerate(map(self.system.transitions.__getitem__, path)):
            moves.append(Move(t.action.name, {**t.fixed, **{q.name: values[f"{i} {q.name}"] for q in t.free}}))
        first = tuple(values.get(name, value) for name, value in start.items())
        return (replay if p is None else evidence)(self.system, moves, first)

    def _values(self, terms: list[Term], wanted: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """A value for each number, one after the other: a preferred one where that will do, and the least elsewhere."""
        values: dict[str, int] = {}
        if self.constraints.model(terms) is None:
            raise EngineFault("a symbolic trace has no concrete values")
        for name, preferred in wanted.items():
            symbol = z3.Int(name)
            value = next((v for v in preferred if self.constraints.model([*terms, symbol == v]) is not None), None)
            values[name] = value_of(self.constraints.model(terms, symbol), symbol) if value is None else value
            terms.append(symbol == values[name])
        return values


def _is_number(node: Expr) -> bool:
    """Is this an unbounded integer?"""
    return not node.is_bool and (node.high >= UNBOUNDED or node.low <= -UNBOUNDED)
