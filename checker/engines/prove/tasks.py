"""What the processes of a proof compute. All of it is deterministic, and what they return is plain data."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from podproof.checker.core.printer import visible
from podproof.checker.core.system import LoweredProperty, Status
from podproof.checker.engines.prove.bounded import BoundedSearch, Run, spacer_invariant
from podproof.checker.engines.prove.certificate import Certificate, Lemma
from podproof.checker.engines.prove.learning import Goal, Learner, Lemmas
from podproof.checker.engines.prove.sample import Literals, Observations, Sample
from podproof.checker.reductions.plan import Plan
from podproof.checker.solver import GaveUp, Numbers, Term
from podproof.checker.solver.relation import Relation

DEEPEST = 12
"""A claim that is not proved is searched for violations up to so many steps."""


@dataclass(frozen=True)
class ProofOptions:
    """What is to be made of a proof besides the verdict."""

    smt2: Path | None = None
    """The folder for the scripts."""
    command: str = ""
    """The command line that makes them again, for their headings."""
    invariants: bool = False
    """Minimise invariants, and say them in words."""
    recheck: bool = False
    """Is nothing proved unless a second solver agrees?"""


@dataclass(frozen=True)
class ProofResult:
    """What was found out about one claim."""

    status: Status
    reason: str
    run: Run | None = None
    invariant: tuple[str, ...] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)
    """The questions that make it a proof, for another solver."""


class Workshop:
    """A planned system in terms of the solver, made in the process that uses it.

    Numbers are integers, which other solvers read more easily than a mixture with bit vectors; those are faster where
    runs are long.
    """

    def __init__(self, plan: Plan, numbers: Numbers = Numbers.INTEGERS) -> None:
        self.plan = plan
        self.relation = Relation(plan.system, plan.properties, plan.keep, numbers)
        self.literals = Literals(self.relation)
        self.claims = {p.property.id: p for p in plan.properties}

    def lemma(self, goal: Goal) -> Lemma:
        if isinstance(goal, str):
            return Lemma(f"claim {goal}", self.relation.holds(self.claims[goal]))
        return Lemma(self.literals.words(goal), self.literals.clause(goal))

    def certificate(self, claim: str, goals: Sequence[Goal]) -> Certificate:
        """The invariant from these lemmas; a claim about states is part of its own."""
        p = self.claims[claim]
        own = [claim] if p.state is not None and claim not in goals else []
        return Certificate(self.relation, p, tuple(self.lemma(goal) for goal in (*goals, *own)))


def steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"


def _after(seconds: float) -> Callable[[], bool]:
    """A clock: have so many seconds passed since now?"""
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() >= deadline


def learn(plan: Plan, seen: Sample, claims: Sequence[LoweredProperty], seconds: float) -> Lemmas:
    """The lemmas for these claims; after so many seconds, those that were found until then."""
    expired, workshop = _after(seconds), Workshop(plan)
    observations = Observations(seen, workshop.literals)
    return Learner(workshop.relation, workshop.literals, observations, claims, expired).run()


def certify(plan: Plan, claim: str, goals: Sequence[Goal], wanted: ProofOptions) -> ProofResult:
    """Check a proof, which makes it one."""
    return _check(Workshop(plan).certificate(claim, goals), wanted)


def _check(certificate: Certificate, wanted: ProofOptions) -> ProofResult:
    if (failure := certificate.refutation()) is not None:
        return ProofResult(Status.UNKNOWN, f"an invariant was found, but {failure}")
    if wanted.invariants or wanted.smt2 is not None:
        smaller = certificate.minimise()
        certificate = smaller if smaller.refutation() is None else certificate
    scripts = certificate.scripts()
    if wanted.smt2 is not None:
        _write(certificate, scripts, wanted.smt2, wanted.command)
    words = tuple(str(lemma.name) for lemma in certificate.lemmas) if wanted.invariants else ()
    count = len(certificate.lemmas)
    lemmas = "1 lemma" if count == 1 else f"{count} lemmas"
    reason = f"by an inductive invariant of {lemmas}, checked again by itself"
    return ProofResult(Status.PROVED, reason, None, words, scripts)


def _write(certificate: Certificate, scripts: Mapping[str, str], folder: Path, command: str) -> None:
    system, claim = certificate.relation.system, certificate.claim.property.id
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


def refute(plan: Plan, claim: str, goals: Sequence[Goal], most: int, seconds: float) -> ProofResult:
    """The shortest violation, which takes at most so many steps. The lemmas are used if they are an invariant."""
    expired, workshop = _after(seconds), Workshop(plan, Numbers.BITS)
    try:
        runs = BoundedSearch(workshop.relation, workshop.claims[claim], _inductive_lemmas(workshop, claim, goals))
        run = runs.shortest(most, expired)
    except GaveUp as error:
        return ProofResult(Status.UNKNOWN, str(error))
    if run is None:
        return ProofResult(Status.UNKNOWN, "the solver finds none at all, which is a fault of the engine")
    return ProofResult(Status.VIOLATED, f"after {steps(len(run.moves))}, shortest", run)


def _inductive_lemmas(workshop: Workshop, claim: str, goals: Sequence[Goal]) -> list[Term]:
    """The lemmas, if they are inductive together; none otherwise."""
    lemmas = tuple(workshop.lemma(goal) for goal in goals)
    certificate = Certificate(workshop.relation, workshop.claims[claim], lemmas)
    return [lemma.term for lemma in lemmas] if certificate.is_inductive() else []


def last_resort(
    plan: Plan, claim: str, goals: Sequence[Goal], seconds: float, reason: str, wanted: ProofOptions
) -> ProofResult:
    """Without a proof from lemmas: a violation that the sample did not show, or a proof by Spacer."""
    deadline, expired = time.monotonic() + seconds, _after(seconds)
    workshop = Workshop(plan)
    p = workshop.claims[claim]
    try:
        run = BoundedSearch(workshop.relation, p, _inductive_lemmas(workshop, claim, goals)).shortest(DEEPEST, expired)
        refuted = f"no violation within {DEEPEST} steps"
    except GaveUp as error:
        run, refuted = None, str(error)
    if run is not None:
        return ProofResult(Status.VIOLATED, f"after {steps(len(run.moves))}, shortest", run)
    if expired():
        return ProofResult(Status.UNKNOWN, f"{reason}; {refuted}")
    found = spacer_invariant(workshop.relation, p, max(1.0, deadline - time.monotonic()))
    if isinstance(found, str):
        return ProofResult(Status.UNKNOWN, f"{reason}; {refuted}; {found}")
    lemmas = tuple(Lemma(" ".join(str(term).split()), term) for term in found)
    outcome = _check(Certificate(workshop.relation, p, lemmas), wanted)
    return outcome if outcome.status is Status.PROVED else ProofResult(Status.UNKNOWN, f"{reason}; {outcome.reason}")


def recheck(ask: Callable[[str, float], str], scripts: Mapping[str, str], seconds: float) -> Mapping[str, str]:
    """Check -> what a second solver answers to it, within so many seconds each."""
    return {name: ask(script, seconds) for name, script in scripts.items()}


# -- the processes -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    """A task that gave no result, and why."""

    reason: str


@dataclass(frozen=True)
class Task:
    """Something to be computed elsewhere. Its result has to be plain data."""

    call: Callable[[], Any]
    seconds: float
    """When it is stopped, in wall time."""


def run(tasks: Sequence[Task], processes: int) -> Iterator[tuple[int, Any]]:
    """The results, with the tasks' numbers, as they come; a Failure for a task that raised, crashed or was stopped.

    At most so many processes run at a time, and none is left when this ends.
    """
    waiting = list(enumerate(tasks))[::-1]
    running: dict[Connection, tuple[int, ForkProcess, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                number, task = waiting.pop()
                connection, process = _start(task)
                running[connection] = (number, process, time.monotonic() + task.seconds)
            nearest = min(deadline for _, _, deadline in running.values())
            ready = wait(list(running), timeout=max(0.0, nearest - time.monotonic()))
            now = time.monotonic()
            for connection, (number, process, deadline) in list(running.items()):
                if connection in ready:
                    yield number, _result(connection, process)
                elif now >= deadline:
                    yield number, Failure("stopped: it took too long")
                else:
                    continue
                _end(connection, process)
                del running[connection]
    finally:
        for connection, (_, process, _) in running.items():
            _end(connection, process)


def _start(task: Task) -> tuple[Connection, ForkProcess]:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(task.call, theirs), daemon=True)
    process.start()
    theirs.close()
    return ours, process


def _work(call: Callable[[], Any], connection: Connection) -> None:
    """What a process does. Ctrl-C reaches it too, but it is the parent that ends it; other signals end it quietly."""
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.default_int_handler:
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    try:
        connection.send(call())
    except Exception as error:
        connection.send(Failure(f"{type(error).__name__}: {error}"))


def _result(connection: Connection, process: ForkProcess) -> Any:
    try:
        return connection.recv()
    except EOFError:
        process.join(1)
        return Failure(f"its process ended without a result (exit code {process.exitcode})")


def _end(connection: Connection, process: ForkProcess) -> None:
    connection.close()
    process.kill()
    process.join()
