"""Finds lemmas that together are inductive, guided by the states of a bounded sample.

Where a claim or a lemma is not kept by some move, the solver gives a state from which the move breaks it. If the sample
has no state like that, a short clause that excludes it and holds in the whole sample becomes a lemma, which has to be
kept by every move as well if it turns out to be needed. A state that no clause can exclude counts as reachable, and
lemmas that a reachable state contradicts are given up. Nothing found here is believed: `certificate` checks it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import z3

from podproof.checker.core.system import LoweredProperty
from podproof.checker.engines.prove.certificate import model_of
from podproof.checker.engines.prove.sample import Clause, Literals, Observations
from podproof.checker.solver import GaveUp
from podproof.checker.solver.terms import MoveTerms, Relation, Term, after, constant, value_of, violation

CHECK_RESOURCES = 20_000_000
"""Z3's resource limit for one question, so that the answer does not depend on how busy the machine is."""
FIRST_LEMMAS = 60
"""How many lemmas to try for a claim at first; each later round tries three times as many."""
ROUNDS = 4

Goal = Clause | str
"""A proof goal: a clause, or the claim of this id."""


@dataclass(frozen=True)
class Stuck:
    """A step that breaks a claim, from a state that no lemma excludes: a counterexample to induction."""

    move: int
    before: dict[str, int]
    """The values of the relation's variables."""
    parameters: dict[str, int]


@dataclass
class Lemmas:
    """What came out: lemmas for some claims, and for the others why not."""

    needs: dict[str, tuple[Goal, ...]] = field(default_factory=dict)
    """The lemmas and claims about states that each proved claim needs; together they are inductive."""
    stuck: dict[str, Stuck] = field(default_factory=dict)
    """For other claims, a step that breaks them from a state that was not excluded."""
    reasons: dict[str, str] = field(default_factory=dict)


class _Assumptions:
    """Boolean constants that are assumed together, without the conversions that z3's Python layer does each time."""

    def __init__(self, names: Iterable[Term]) -> None:
        self._names = tuple(names)  # They keep what the array points to.
        self._array = (z3.Ast * len(self._names))(*(name.as_ast() for name in self._names))

    def check(self, solver: z3.Solver) -> z3.CheckSatResult:
        """As `solver.check(*names)`."""
        return z3.CheckSatResult(
            z3.Z3_solver_check_assumptions(solver.ctx.ref(), solver.solver, len(self._names), self._array)
        )


class OutOfTime(Exception):
    """The search has to end now."""


class Learner:
    """One search for lemmas for several claims. `expired` is asked from time to time whether to end it."""

    def __init__(
        self,
        relation: Relation,
        literals: Literals,
        seen: Observations,
        claims: Sequence[LoweredProperty],
        expired: Callable[[], bool],
    ) -> None:
        self.relation, self.literals, self.seen, self.expired = relation, literals, seen, expired
        self.claims = {p.property.id: p for p in claims}
        self.found = Lemmas()
        self._bad = {name: [violation(relation, p, m) for m in relation.moves] for name, p in self.claims.items()}
        self._ranges = relation.ranges()
        self._solvers = [self._solver() for _ in relation.moves]
        self._lifters = [self._solver() for _ in relation.moves]
        self._initial = self._solver(relation.initial())
        self._values = {path: z3.Bool(f"value of {path}") for path in relation.now}
        self._all_values = _Assumptions(self._values.values())
        self._after: dict[tuple[int, int], Term] = {}
        self._assumed = _Assumptions(())
        self._guards: dict[Goal, Term] = {}
        """The name under which the solvers know each lemma in use."""
        self._by_guard: dict[int, Goal] = {}
        self._settled: dict[Goal, frozenset[Goal]] = {}
        """What was shown to be kept by every move -> the lemmas with whose help."""
        self._tried = 0
        for name, p in list(self.claims.items()):
            if p.state is not None:
                holds = relation.holds(p)
                if self._initial_state(z3.Not(holds)) is None:
                    self._use(name, holds)
                else:
                    self.found.reasons[name] = "it does not hold in every initial state"
        self.claims = {name: p for name, p in self.claims.items() if name not in self.found.reasons}

    def _solver(self, *terms: Term) -> z3.Solver:
        solver = z3.Solver()
        solver.set("rlimit", CHECK_RESOURCES)
        solver.add(self._ranges, *terms)
        return solver

    def run(self) -> Lemmas:
        """Try every claim, first with few lemmas and then with more."""
        most = FIRST_LEMMAS
        try:
            for _ in range(ROUNDS):
                for claim in self.claims:
                    if claim not in self.found.needs and claim not in self.found.stuck:
                        self._try(claim, most)
                most *= 3
        except OutOfTime:
            for claim in self.claims:
                self.found.reasons.setdefault(claim, "the search for lemmas took too long")
        # A lemma may have been given up since: what was shown is looked at again.
        for claim in self.claims:
            if self._open_goal(claim) is None and claim not in self.found.stuck:
                self.found.needs[claim] = tuple(goal for goal in self._closure(claim) if goal != claim)
                self.found.reasons.pop(claim, None)
        return self.found

    def _try(self, claim: str, most: int) -> None:
        """Find the lemmas that a claim needs, those that the lemmas need, and so on."""
        first = self._tried
        while claim not in self.found.stuck and (goal := self._open_goal(claim)) is not None:
            if not self._settle(goal, first + most):
                self.found.reasons[claim] = f"no proof with {most} lemmas"
                self._drop({lemma for lemma in self._guards if lemma not in self._settled and lemma not in self.claims})
                return
        if claim not in self.found.stuck:
            self.found.needs[claim] = ()

    def _closure(self, claim: str) -> Iterator[Goal]:
        """The claim, what it needs, what that needs, and so on, nearest first."""
        reached: dict[Goal, None] = {claim: None}
        pending: list[Goal] = [claim]
        for goal in pending:
            yield goal
            for need in sorted(self._settled.get(goal, ()), key=str):
                if need not in reached:
                    reached[need] = None
                    pending.append(need)

    def _open_goal(self, claim: str) -> Goal | None:
        return next((goal for goal in self._closure(claim) if goal not in self._settled), None)

    def _settle(self, goal: Goal, most: int) -> bool:
        """Find the lemmas that this goal needs, or give it up. False when more than `most` would have been tried."""
        needs: set[Goal] = set()
        for number, move in enumerate(self.relation.moves):
            bad = self._breaks(goal, move)
            while bad is not None:
                if self.expired():
                    raise OutOfTime
                if not self._is_wanted(goal):
                    return True
                if isinstance(step := self._question(number, bad), frozenset):
                    needs |= step
                    break
                if self._tried >= most:
                    return False
                self._exclude(goal, step, bad)
        if self._is_wanted(goal):
            # What was given up while the later moves were looked at helps no longer.
            if needs <= self._guards.keys():
                self._settled[goal] = frozenset(needs)
        return True

    def _is_wanted(self, goal: Goal) -> bool:
        return goal not in self.found.stuck if isinstance(goal, str) else goal in self._guards

    def _breaks(self, goal: Goal, move: MoveTerms) -> Term | None:
        """When the move breaks the goal; None when it plainly never does."""
        if isinstance(goal, str):
            return self._bad[goal][move.number]
        if not self.literals.variables(goal) & move.updates.keys():
            return None
        return z3.And(move.condition, *(z3.Not(self._literal_after(literal, move)) for literal in goal))

    def _literal_after(self, literal: int, move: MoveTerms) -> Term:
        key = (literal, move.number)
        if key not in self._after:
            variables = self.literals.variables((literal,))
            self._after[key] = after(self.relation, self.literals.term(literal), move, variables)
        return self._after[key]

    def _question(self, number: int, bad: Term) -> Stuck | frozenset[Goal]:
        """A way to take the move that breaks something, or the lemmas that exclude it."""
        solver, move = self._solvers[number], self.relation.moves[number]
        solver.push()
        solver.add(bad)
        result = self._assumed.check(solver)
        answer: Stuck | frozenset[Goal]
        if result == z3.unsat:
            answer = frozenset(self._by_guard[guard.get_id()] for guard in solver.unsat_core())
        elif result == z3.sat:
            model = solver.model()
            answer = Stuck(
                number, self._state(model), {n: value_of(model, term) for n, term in move.parameters.items()}
            )
        solver.pop()
        if result == z3.unknown:
            raise GaveUp(f"Z3 gave up on one step ({solver.reason_unknown()})")
        return answer

    def _exclude(self, goal: Goal, stuck: Stuck, bad: Term) -> None:
        """A new lemma that excludes the state; without one, the goal is given up."""
        state = self.literals.true_in(stuck.before)
        matters = self._what_matters(stuck, bad)
        near = [literal for literal in state if self.literals.variables((literal,)) <= matters]
        while (lemma := self.seen.lemma(near) or self.seen.lemma(state)) is not None:
            beginning = self._initial_state(z3.Not(self.literals.clause(lemma)))
            if beginning is None:
                self._tried += 1
                self._use(lemma, self.literals.clause(lemma))
                return
            self._reachable(beginning)
        if isinstance(goal, str):
            self.found.stuck[goal] = stuck
            self.found.reasons[goal] = "no lemma excludes the state below, which may or may not be reachable"
            self._drop({goal})
        else:
            self._reachable(self._successor(stuck))

    def _use(self, goal: Goal, term: Term) -> None:
        """Tell the solvers of a lemma, or of a claim about states."""
        guard = z3.Bool(f"lemma {len(self._by_guard)}")
        self._guards[goal], self._by_guard[guard.get_id()] = guard, goal
        implication = z3.Implies(guard, term)
        for solver in self._solvers:
            solver.add(implication)
        self._assumed = _Assumptions(self._guards.values())

    def _drop(self, goals: set[Goal]) -> None:
        """Use these no longer; what was shown with their help has to be shown again."""
        self._guards = {goal: guard for goal, guard in self._guards.items() if goal not in goals}
        self._assumed = _Assumptions(self._guards.values())
        self._settled = {g: needs for g, needs in self._settled.items() if g not in goals and not needs & goals}

    def _initial_state(self, term: Term) -> dict[str, int] | None:
        """An initial state in which the term is true."""
        model = model_of(self._initial, term, "the initial states")
        return None if model is None else self._state(model)

    def _state(self, model: z3.ModelRef) -> dict[str, int]:
        """The values of the relation's variables."""
        return {v.path: value_of(model, self.relation.now[v.path]) for v in self.relation.variables}

    def _what_matters(self, stuck: Stuck, bad: Term) -> frozenset[str]:
        """Variables whose values alone let the move break what it breaks."""
        move, solver = self.relation.moves[stuck.move], self._lifters[stuck.move]
        solver.push()
        solver.add(z3.Not(bad))
        solver.add(*(t == constant(stuck.parameters[n], t.sort()) for n, t in move.parameters.items()))
        for path, term in self.relation.now.items():
            solver.add(z3.Implies(self._values[path], term == constant(stuck.before[path], term.sort())))
        matters = frozenset(self._values)
        if self._all_values.check(solver) == z3.unsat:
            core = {name.get_id() for name in solver.unsat_core()}
            matters = frozenset(path for path, name in self._values.items() if name.get_id() in core)
        solver.pop()
        return matters

    def _successor(self, stuck: Stuck) -> dict[str, int]:
        move = self.relation.moves[stuck.move]
        known = [(self.relation.now[path], value) for path, value in stuck.before.items()]
        known += [(term, stuck.parameters[name]) for name, term in move.parameters.items()]
        values, model = [(term, constant(value, term.sort())) for term, value in known], z3.Model()
        return stuck.before | {p: value_of(model, z3.substitute(u, *values)) for p, u in move.updates.items()}

    def _reachable(self, values: dict[str, int]) -> None:
        """Take a state for reachable, and give up the lemmas that it contradicts."""
        state = self.literals.true_in(values)
        self.seen.add(state)
        true = set(state)
        self._drop({g for g in self._guards if not isinstance(g, str) and not true & set(g)})
