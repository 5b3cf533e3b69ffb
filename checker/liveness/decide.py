"""From claims about runs to verdicts: search, answer, take every lasso once more."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from podproof.checker.core.system import (
    NO_LIMITS,
    CheckerError,
    Exploration,
    Lasso,
    Limits,
    Move,
    OnProgress,
    Property,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import evidence, take
from podproof.checker.liveness.confirm import confirm_lasso
from podproof.checker.liveness.groups import FairGroup, assumptions_of, groups_of
from podproof.checker.liveness.reference import PlainRuns
from podproof.checker.liveness.stored import Answer, FoundRun, StoredRuns
from podproof.checker.lowering.claims import Case, lower_cases


@dataclass(frozen=True)
class RunChecker:
    """How claims about whole runs are decided."""

    system: System
    engine: str = "compiled"
    without: Collection[str] = ()
    """Names of fairness assumptions that are not to be made."""
    reductions: Collection[str] = ("slicing", "constants")
    """Of these only the two are used that preserve what runs there are: symmetry would mix up whose step is owed."""
    report: OnProgress | None = None

    def decide(self, claims: Sequence[Property], limits: Limits = NO_LIMITS) -> Exploration:
        """The verdicts, each lasso confirmed by the model itself. Raises CheckerError for an engine that cannot."""
        started = time.monotonic()
        groups = groups_of(self.system, self.without)
        lowered = [(p, case) for p in claims for case in lower_cases(self.system, p)]
        if self.engine == "python":
            found, answer = self._plain(groups, limits)
        elif self.engine in ("auto", "compiled"):
            found, answer = self._stored(lowered, groups, limits)
        else:
            raise CheckerError(
                f"the engine {self.engine!r} decides claims about states and steps, not what must happen at last: "
                f"{', '.join(p.id for p in claims)}; take --engine compiled or python"
            )
        verdicts = tuple(
            self._verdict(
                p, [(case, answer(p, case)) for q, case in lowered if q is p] if found.complete else [], found
            )
            for p in claims
        )
        assumptions = {name: why for name, why in assumptions_of(self.system).items() if name not in self.without}
        seconds = time.monotonic() - started
        return dataclasses.replace(found, verdicts=verdicts, seconds=seconds, assumptions=assumptions)

    def _stored(
        self, lowered: Sequence[tuple[Property, Case]], groups: Sequence[FairGroup], limits: Limits
    ) -> tuple[Exploration, Callable[[Property, Case], Answer]]:
        self.system.refuse_unbounded("compiled")
        runs = StoredRuns(self.system, [case for _, case in lowered], groups, limits, self.reductions, self.report)
        found = dataclasses.replace(runs.exploration, system=self.system, reductions=runs.reductions)
        return found, lambda _p, case: runs.answer(case)

    def _plain(
        self, groups: Sequence[FairGroup], limits: Limits
    ) -> tuple[Exploration, Callable[[Property, Case], Answer]]:
        runs = PlainRuns(self.system, groups, limits)
        found = Exploration(
            system=self.system,
            engine="python",
            complete=not runs.reason,
            reason=runs.reason,
            seconds=0.0,
            verdicts=(),
            states=len(runs.states),
            transitions=sum(map(len, runs.steps.values())),
        )
        return found, runs.answer

    def _verdict(self, p: Property, answers: Sequence[tuple[Case, Answer]], found: Exploration) -> Verdict:
        """What may be said of all cases together."""
        broken = [(self._trace(p, case, a.run), len(a.run.prefix)) for case, a in answers if a.run is not None]
        if broken:
            trace, prefix = min(broken, key=lambda pair: _length(pair[0]))
            assert trace.lasso is not None
            # Variables that were left out may take a round of the loop, or several, until they are as they were.
            shortest = ", shortest," if trace.lasso.start == prefix else ""
            rounds = len(trace.steps) - trace.lasso.start
            end = f"a loop of {rounds} for ever" if rounds else "nothing more that has to happen"
            steps = "1 step" if trace.lasso.start == 1 else f"{trace.lasso.start} steps"
            return Verdict(p, Status.VIOLATED, f"after {steps}{shortest} and then {end}", trace)
        if not found.complete:
            return Verdict(p, Status.UNKNOWN, found.reason)
        if any(a.is_cut_off for _, a in answers):
            reason = "on the way to the goal a bound of the scenario cuts off steps that have to happen"
            return Verdict(p, Status.UNKNOWN, reason)
        if not any(a.is_asked for _, a in answers):
            return Verdict(p, Status.HOLDS, "only because its premise never happens here", exercised=False)
        return Verdict(p, Status.HOLDS, "in every fair run", exercised=True)

    def _trace(self, p: Property, case: Case, run: FoundRun) -> Trace:
        """The run as a trace, in which the loop is gone round until all variables are as they were."""
        system, state, seen = self.system, run.initial, dict[State, int]()
        for move in run.prefix:
            state, _ = take(system, state, move)
        rounds = list[Move]()
        while state not in seen:
            seen[state] = len(rounds)
            rounds += run.loop
            for move in run.loop:
                state, _ = take(system, state, move)
        start = len(run.prefix) + seen[state]
        lasso = Lasso(start, run.waiting, case.shown, run.no_return)
        trace = dataclasses.replace(evidence(system, [*run.prefix, *rounds], run.initial), lasso=lasso)
        return confirm_lasso(system, p, case.arguments, trace, self.without)


def _length(trace: Trace) -> tuple[int, int]:
    assert trace.lasso is not None
    return trace.lasso.start, len(trace.steps)
