"""What decides claims for every number: an inductive invariant with three questions to a plain solver, or a run.

The invariant is the conjunction of the ranges of all variables and of lemmas. It has to hold in every initial state, be
kept by every move, and exclude what the claims forbid. Each question is satisfiable only if that fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path

import z3

from podproof.checker.core.proofs import Run
from podproof.checker.core.system import LoweredProperty, Move, State, System
from podproof.checker.solver import GaveUp
from podproof.checker.solver.terms import MoveTerms, Relation, Term, any_of, value_of, violation

RESOURCES = 500_000_000
"""Z3's resource limit for one question; the answer does not depend on how busy the machine is."""


@dataclass(frozen=True)
class Lemma:
    """A part of an invariant: `name` identifies it where it is passed on."""

    name: str
    term: Term


@dataclass(frozen=True)
class Certificate:
    """An invariant that is said to be inductive and to exclude what claims forbid."""

    relation: Relation
    claims: tuple[LoweredProperty, ...]
    lemmas: tuple[Lemma, ...]

    @property
    def invariant(self) -> list[Term]:
        return [self.relation.ranges(), *(lemma.term for lemma in self.lemmas)]

    @cached_property
    def questions(self) -> Mapping[str, list[Term]]:
        """What a solver has to answer with `unsat`: init, step and property."""
        invariant = self.invariant
        return {
            "init": [self.relation.initial(), z3.Not(z3.And(invariant))],
            "step": [*invariant, self._step, z3.Not(z3.And([*map(self._after_step, invariant)]))],
            "property": [*invariant, any_of(map(self._forbidden, self.claims))],
        }

    @cached_property
    def _step(self) -> Term:
        """Some move is taken."""
        r = self.relation
        return any_of(z3.And(m.condition, z3.substitute(r.after(m), *self._names)) for m in r.moves)

    @cached_property
    def _names(self) -> list[tuple[Term, Term]]:
        # SMT-LIB has no plain symbols with a quotation mark, as the relation's own names of variables after a step.
        return [(self.relation.then[path], _next(path, term)) for path, term in self.relation.now.items()]

    def _after_step(self, term: Term) -> Term:
        return z3.substitute(term, *((term, _next(path, term)) for path, term in self.relation.now.items()))

    def _forbidden(self, p: LoweredProperty) -> Term:
        """When a state, or a step from it, violates the claim."""
        if p.state is not None:
            return z3.Not(self.relation.holds(p))
        return any_of(violation(self.relation, p, m) for m in self.relation.moves)

    def refutation(self) -> str | None:
        """Which question was not answered with `unsat`, and how; None when the proof stands."""
        for name, terms in self.questions.items():
            if (answer := _ask(terms)) != z3.unsat:
                return f"the check `{name}` of its invariant was answered with {answer}"
        return None

    def is_inductive(self) -> bool:
        """Is it an invariant, whatever it says about the claim?"""
        questions = self.questions
        return all(_ask(questions[name]) == z3.unsat for name in ("init", "step"))

    def weakened(self, expired: Callable[[], bool]) -> Certificate:
        """The certificate without the lemmas that do not hold at first, or that a step breaks. Raises GaveUp."""
        r, terms = self.relation, {lemma.name: lemma.term for lemma in self.lemmas}
        first = _unbroken([r.ranges(), r.initial()], {}, {n: z3.Not(term) for n, term in terms.items()}, expired)
        broken = {name: z3.Not(self._after_step(terms[name])) for name in first}
        kept = _unbroken([r.ranges(), self._step], {name: terms[name] for name in first}, broken, expired)
        return replace(self, lemmas=tuple(lemma for lemma in self.lemmas if lemma.name in kept))

    def implied(self, expired: Callable[[], bool]) -> Collection[str]:
        """The ids of the claims of which the invariant, if it is one, excludes what they forbid. Raises GaveUp."""
        return _unbroken(self.invariant, {}, {p.property.id: self._forbidden(p) for p in self.claims}, expired)

    def excluded_bounds(self) -> frozenset[str]:
        """The bounds at which no step from a state of the invariant is cut off; it has to be inductive."""
        r, cut_off = self.relation, defaultdict[str, list[Term]](list)
        for m in r.moves:
            for name, node in m.transition.bounds.items():
                cut_off[name].append(z3.And(m.choices, r.terms.of(m.transition.enabled), r.terms.of(node)))
        return frozenset(name for name, terms in cut_off.items() if _ask([*self.invariant, any_of(terms)]) == z3.unsat)

    def minimise(self) -> Certificate:
        """The certificate with fewer lemmas, of which the proof needs each."""
        needed = list(self.lemmas)
        step, end = self._guarded_solver("step"), self._guarded_solver("property")
        for lemma in reversed(self.lemmas):
            fewer = [other for other in needed if other is not lemma]
            chosen = [_name(i) if own in fewer else z3.Not(_name(i)) for i, own in enumerate(self.lemmas)]
            if all(solver.check(*chosen) == z3.unsat for solver in (end, step)):
                needed = fewer
        return replace(self, lemmas=tuple(needed))

    def _guarded_solver(self, question: str) -> z3.Solver:
        """A solver for the question about those lemmas whose names are assumed."""
        names = [_name(i) for i in range(len(self.lemmas))]
        parts = [z3.Implies(name, lemma.term) for name, lemma in zip(names, self.lemmas, strict=True)]
        guarded = replace(self, lemmas=tuple(Lemma("", part) for part in parts))
        solver = z3.Solver()
        solver.set("rlimit", RESOURCES)
        solver.add(*guarded.questions[question])
        return solver

    def scripts(self) -> Mapping[str, str]:
        """The questions in SMT-LIB 2; all numbers of the relation have to be integers."""
        return {name: script_of(terms) for name, terms in self.questions.items()}


def script_of(terms: Sequence[Term]) -> str:
    """A question in SMT-LIB 2."""
    solver = z3.Solver()
    solver.add(*terms)
    script = [line for line in solver.to_smt2().splitlines() if not line.startswith(("; ", "(set-info"))]
    return "\n".join(["(set-logic QF_LIA)", *script, ""])


def _name(number: int) -> Term:
    """Says in a guarded question that a lemma is part of the invariant."""
    return z3.Bool(f"lemma {number}")


def _next(path: str, term: Term) -> Term:
    return z3.Const(f"next {path}", term.sort())


def _unbroken(
    premises: Sequence[Term], lemmas: Mapping[str, Term], broken: Mapping[str, Term], expired: Callable[[], bool]
) -> Collection[str]:
    """Which names nothing breaks, under the premises and those of the lemmas whose names are left."""
    left, solver = dict(broken), z3.Solver()
    solver.set("rlimit", RESOURCES)
    guards = {name: _name(number) for number, name in enumerate(lemmas)}
    solver.add(*premises, *(z3.Implies(guards[name], term) for name, term in lemmas.items()))
    while left:
        if expired():
            raise GaveUp("the time was up")
        solver.push()
        solver.add(any_of(left.values()))
        answer = solver.check(*(guard for name, guard in guards.items() if name in left))
        if answer == z3.unknown:
            raise GaveUp(f"Z3 gave up on lemmas of before ({solver.reason_unknown()})")
        if answer == z3.unsat:
            break
        model = solver.model()
        left = {name: term for name, term in left.items() if not z3.is_true(model.eval(term, model_completion=True))}
        solver.pop()
    return left.keys()


def _ask(terms: Sequence[Term]) -> z3.CheckSatResult:
    """The answer of a new solver with default settings, which knows nothing else."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(*terms)
    return solver.check()


# -- a solver that others wrote answers the questions once more --------------------------------------------------------


ANSWERS = ("sat", "unsat", "unknown")
GRACE = 5.0
"""Seconds that a program gets beyond its time before it is stopped from outside."""


@dataclass(frozen=True)
class SecondSolver:
    """A solver that is installed."""

    name: str
    """The solver's name and version: `Yices 2.6.5`."""
    is_quick: bool
    """Does it need so little of a proof's time that it is asked without being asked for?"""
    ask: Callable[[str, float], str]
    """What it answers to a script within so many seconds: sat, unsat, unknown, or why there is no answer."""


def second_solver() -> SecondSolver | None:
    """The quickest one that is installed."""
    return (
        _program("Yices", "yices-smt2", "--timeout={}", 1, True)
        or _cvc5()
        or _program("cvc5", "cvc5", "--tlimit-per={}", 1000, False)
    )


def _program(name: str, command: str, option: str, per_second: int, is_quick: bool) -> SecondSolver | None:
    """A program on PATH, or beside the Python that runs. `option` takes its time, in parts of a second."""
    path = shutil.which(command) or shutil.which(command, path=sysconfig.get_path("scripts"))
    if path is None:
        return None
    version = re.search(r"\d+(\.\d+)+", _output([path, "--version"], 10.0))
    if version is None:
        return None  # It does not run.

    def ask(script: str, seconds: float) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "question.smt2")
            file.write_text(script, encoding="utf-8")
            limit = option.format(max(1, round(seconds * per_second)))
            return _answer(_output([path, limit, str(file)], seconds + GRACE))

    return SecondSolver(f"{name} {version[0]}", is_quick, ask)


def _output(command: list[str], seconds: float) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "it took too long"
    except OSError as error:
        return f"it cannot be run ({error.strerror})"
    return done.stdout or done.stderr or f"it ended without an answer (exit code {done.returncode})"


def _cvc5() -> SecondSolver | None:
    """The Python package."""
    try:
        version = metadata.version("cvc5")
    except metadata.PackageNotFoundError:
        return None

    def ask(script: str, seconds: float) -> str:
        import cvc5  # It takes a while to load.

        solver = cvc5.Solver(cvc5.TermManager())
        solver.setOption("tlimit-per", str(max(1, round(seconds * 1000))))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
        symbols, said = parser.getSymbolManager(), ""
        while not (command := parser.nextCommand()).isNull():
            said += str(command.invoke(solver, symbols))
        return _answer(said)

    return SecondSolver(f"cvc5 {version}", False, ask)


def _answer(said: str) -> str:
    """The answer, or the first line of what was said instead: an answer after an error counts for nothing."""
    return said.strip() if said.strip() in ANSWERS else said.strip().partition("\n")[0]


# -- what Z3 finds by itself: the shortest counterexample of an unbounded system, or an invariant ----------------------
#
# All shorter runs are refuted first, one length after another.

CHECK_RESOURCES = 500_000_000
"""Z3's resource limit for one length."""


def whole_state(system: System, values: Mapping[str, int]) -> State:
    """The initial state with these values; where they say nothing it is as one of the system's initial states."""
    paths = [v.path for v in system.variables]
    for state in system.initial:
        whole = tuple(values.get(path, value) for path, value in zip(paths, state, strict=True))
        if all(a == b or path in system.free for path, a, b in zip(paths, whole, state, strict=True)):
            return whole
    raise ValueError("a run has to begin in an initial state")


class BoundedSearch:
    """Runs of growing length, all claims asked at each. `lemmas` are invariants that are proved already."""

    def __init__(self, relation: Relation, claims: Iterable[LoweredProperty], lemmas: Sequence[Term] = ()) -> None:
        self.relation = relation
        self._parameters = list({t.get_id(): t for m in relation.moves for t in m.parameters.values()}.values())
        self._known = z3.And(relation.ranges(), *lemmas)
        self._at_first: dict[str, Term] = {}
        self._bad: dict[str, Term] = {}
        for p in claims:
            self._at_first[p.property.id] = z3.BoolVal(False) if p.state is None else z3.Not(relation.holds(p))
            self._bad[p.property.id] = any_of(z3.And(_selector(m), violation(relation, p, m)) for m in relation.moves)
        self._step = any_of(z3.And(_selector(m), m.condition, relation.after(m)) for m in relation.moves)
        self._names: list[list[tuple[Term, Term]]] = []
        # Z3's solver for finite domains is the faster one by far, and knows no integers.
        self.solver = z3.Solver() if relation.sorts.has_integers else z3.SolverFor("QF_FD")
        self.solver.set("rlimit", CHECK_RESOURCES)
        self._extend()
        self.solver.add(self._at(relation.initial(), 0))

    def _extend(self) -> None:
        step = len(self._names)
        now = [(t, _copy(t, step)) for t in (*self.relation.now.values(), *self._parameters)]
        then = [(self.relation.then[path], _copy(t, step + 1)) for path, t in self.relation.now.items()]
        taken = [(_selector(m), _copy(_selector(m), step)) for m in self.relation.moves]
        self._names.append([*now, *then, *taken])
        self.solver.add(self._at(self._known, step), z3.AtMost(*(name for _, name in taken), 1))

    def _at(self, term: Term, step: int) -> Term:
        return z3.substitute(term, *self._names[step])

    def shortest(self, most: Mapping[str, int], expired: Callable[[], bool]) -> Iterator[tuple[str, Run]]:
        """For each claim the shortest run whose last step violates it, if one of at most so many steps does.

        `expired` is asked before each length whether to give up. Raises GaveUp.
        """
        left = dict(most)
        for name, model in self._violated({name: self._at(self._at_first[name], 0) for name in left}, 0):
            del left[name]
            yield name, Run(self._values(model), ())
        while left := {name: steps for name, steps in left.items() if steps >= len(self._names)}:
            step = len(self._names) - 1
            if expired():
                raise GaveUp(f"the time was up before runs of {step + 1} steps")
            for name, model in self._violated({name: self._at(self._bad[name], step) for name in left}, step + 1):
                del left[name]
                yield name, self._read(model)
            self.solver.add(self._at(self._step, step))
            self._extend()

    def _violated(self, bad: Mapping[str, Term], steps: int) -> Iterator[tuple[str, z3.ModelRef]]:
        """Those of these terms that runs of so many steps fulfil."""
        left, about = dict(bad), f"runs of {steps} steps" if steps else "the initial states"
        while left and (model := model_of(self.solver, any_of(left.values()), about)) is not None:
            for name, term in list(left.items()):
                if z3.is_true(model.eval(term, model_completion=True)):
                    del left[name]
                    yield name, model

    def _values(self, model: z3.ModelRef) -> dict[str, int]:
        return {path: value_of(model, _copy(t, 0)) for path, t in self.relation.now.items()}

    def _read(self, model: z3.ModelRef) -> Run:
        moves = []
        for step in range(len(self._names)):
            move = next(m for m in self.relation.moves if value_of(model, _copy(_selector(m), step)))
            parameters = {name: value_of(model, _copy(t, step)) for name, t in move.parameters.items()}
            defaults = {p.name: p.values[0] for p in move.transition.free}
            moves.append(Move(move.transition.action.name, {**defaults, **move.transition.fixed, **parameters}))
        return Run(self._values(model), tuple(moves))


def model_of(solver: z3.Solver, term: Term, about: str) -> z3.ModelRef | None:
    """A model in which the term holds besides what the solver knows, if there is one. Raises GaveUp."""
    solver.push()
    solver.add(term)
    result = solver.check()
    model = solver.model() if result == z3.sat else None
    solver.pop()
    if result == z3.unknown:
        raise GaveUp(f"Z3 gave up on {about} ({solver.reason_unknown()})")
    return model


def _selector(move: MoveTerms) -> Term:
    return z3.Bool(f"move {move.number}")


def _copy(term: Term, step: int) -> Term:
    return z3.Const(f"{term}@{step}", term.sort())


def spacer_invariant(relation: Relation, p: LoweredProperty, seconds: float) -> list[Term] | str:
    """The parts of an inductive invariant that Spacer finds, still to be checked, or why there is none."""
    engine = z3.Fixedpoint()
    engine.set(engine="spacer", timeout=int(1000 * seconds))
    now = list(relation.now.values())
    reached = z3.Function("reached", *(term.sort() for term in now), z3.BoolSort())
    bad = z3.Function("bad", z3.BoolSort())
    for function in (reached, bad):
        engine.register_relation(function)
    parameters = {t.get_id(): t for m in relation.moves for t in m.parameters.values()}
    for term in (*now, *parameters.values()):
        engine.declare_var(term)
    engine.rule(reached(*now), z3.And(relation.initial(), relation.ranges()))
    for move in relation.moves:
        after = [move.updates.get(path, term) for path, term in relation.now.items()]
        engine.rule(reached(*after), [reached(*now), move.condition])
        engine.rule(bad(), [reached(*now), violation(relation, p, move)])
    if p.state is not None:
        engine.rule(bad(), [reached(*now), z3.Not(relation.holds(p))])
    answer = engine.query(bad())
    if answer != z3.unsat:
        return "Spacer found a violation" if answer == z3.sat else f"Spacer gave up ({engine.reason_unknown()})"
    invariant = z3.simplify(z3.substitute_vars(engine.get_cover_delta(-1, reached), *now))
    return list(invariant.children()) if z3.is_and(invariant) else [invariant]
