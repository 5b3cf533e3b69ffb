"""From claims about runs to verdicts: search, answer, take every lasso once more."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.system import (
    NO_LIMITS,
    CheckerError,
    Exploration,
    Lasso,
    Limits,
    Move,
    NeededFairness,
    OnProgress,
    Property,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import evidence, take
from podproof.checker.liveness.blocked import Waits, who_waits
from podproof.checker.liveness.confirm import confirm_lasso
from podproof.checker.liveness.groups import FairGroup, assumptions_of, groups_of
from podproof.checker.liveness.reference import PlainRuns
from podproof.checker.liveness.stored import Answer, FoundRun, StoredRuns
from podproof.checker.lowering.claims import Case, lower_cases

Ask = Callable[[frozenset[FairGroup], bool], Answer]
"""Does every run that is fair to some groups fulfil a case of a claim? The last says whether to be thorough."""


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
    needs: bool = True
    """Look for the assumptions that a claim that holds cannot do without."""
    waits: Waits = field(default_factory=dict)
    """How somebody may wait, to be told of every lasso."""

    def decide(self, claims: Sequence[Property], limits: Limits = NO_LIMITS) -> Exploration:
        """The verdicts, each lasso confirmed by the model itself. Raises CheckerError for an engine that cannot."""
        started = time.monotonic()
        groups = groups_of(self.system, self.without)
        lowered = [(p, case) for p in claims for case in lower_cases(self.system, p)]
        found: Exploration
        ask: Callable[[Property, Case], Ask]
        if self.engine == "python":
            found, ask = self._plain(groups, limits)
        elif self.engine in ("auto", "compiled"):
            found, ask = self._stored(lowered, groups, limits)
        else:
            raise CheckerError(
                f"the engine {self.engine!r} decides claims about states and steps, not what must happen at last: "
                f"{', '.join(p.id for p in claims)}; take --engine compiled or python"
            )
        verdicts = list[Verdict]()
        for p in claims:
            cases = [(case, ask(p, case)) for q, case in lowered if q is p] if found.complete else []
            claim = _Claim(self.system, p, cases, groups, self.waits)
            verdict = claim.verdict(found, self.without)
            if verdict.exercised and self.needs:
                verdict = dataclasses.replace(verdict, needs=claim.needs(self.without))
            verdicts.append(verdict)
        assumptions = {name: why for name, why in assumptions_of(self.system).items() if name not in self.without}
        seconds = time.monotonic() - started
        return dataclasses.replace(found, verdicts=tuple(verdicts), seconds=seconds, assumptions=assumptions)

    def _stored(
        self, lowered: Sequence[tuple[Property, Case]], groups: Sequence[FairGroup], limits: Limits
    ) -> tuple[Exploration, Callable[[Property, Case], Ask]]:
        self.system.refuse_unbounded("compiled")
        runs = StoredRuns(self.system, [case for _, case in lowered], groups, limits, self.reductions, self.report)
        found = dataclasses.replace(runs.exploration, system=self.system, reductions=runs.reductions)
        return found, lambda _p, case: runs.waiting(case).answer

    def _plain(
        self, groups: Sequence[FairGroup], limits: Limits
    ) -> tuple[Exploration, Callable[[Property, Case], Ask]]:
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
        return found, lambda p, case: lambda owed, _is_thorough: runs.answer(p, case, owed)


@dataclass(frozen=True)
class _Claim:
    """One claim about runs, with all its cases."""

    system: System
    property: Property
    cases: Sequence[tuple[Case, Ask]]
    groups: Sequence[FairGroup]
    waits: Waits

    def verdict(self, found: Exploration, without: Collection[str]) -> Verdict:
        """What may be said of all cases together."""
        p = self.property
        owed = self._owed(without)
        answers = [(case, ask(owed, True)) for case, ask in self.cases]
        broken = [(self._trace(case, a.run, without), len(a.run.prefix)) for case, a in answers if a.run is not None]
        if broken:
            trace, prefix = min(broken, key=lambda pair: _length(pair[0]))
            trace = self._explained(trace)
            # Variables that were left out may take a round of the loop, or several, until they are as they were.
            return Verdict(p, Status.VIOLATED, _said(trace, is_shortest=_length(trace)[0] == prefix), trace)
        if not found.complete:
            return Verdict(p, Status.UNKNOWN, found.reason)
        if any(a.is_cut_off for _, a in answers):
            reason = "on the way to the goal a bound of the scenario cuts off steps that have to happen"
            return Verdict(p, Status.UNKNOWN, reason)
        if not any(a.is_asked for _, a in answers):
            return Verdict(p, Status.HOLDS, "only because its premise never happens here", exercised=False)
        return Verdict(p, Status.HOLDS, "in every fair run", exercised=True)

    def needs(self, without: Collection[str]) -> tuple[NeededFairness, ...]:
        """A minimal set of assumptions: one after the other is left out, and taken back where the claim breaks.

        Strong ones are tried first, so that weak ones are kept where either would do. With fewer assumptions there are
        only more fair runs, so what was needed once still is when others are left out later.
        """
        is_strong: dict[str, bool] = {}
        for group in reversed(self.groups):
            name = group.condition.assumption
            is_strong[name] = is_strong.get(name, False) or group.is_strong
        left_out, needs = list(without), list[NeededFairness]()
        for name in sorted(is_strong, key=is_strong.__getitem__, reverse=True):
            tried = (*left_out, name)
            trace = self._counterexample(tried)
            if trace is None:
                left_out.append(name)
            else:
                needs.append(NeededFairness(name, tried, self._explained(trace), _said(trace, is_shortest=False)))
        return tuple(reversed(needs))

    def _counterexample(self, without: Collection[str]) -> Trace | None:
        """Some run that breaks the claim, if there is one."""
        owed = self._owed(without)
        for case, ask in self.cases:
            if run := ask(owed, False).run:
                return self._trace(case, run, without)
        return None

    def _explained(self, trace: Trace) -> Trace:
        """The same, with who waits in it."""
        assert trace.lasso is not None
        blocked = who_waits(self.system, trace, self.waits)
        return dataclasses.replace(trace, lasso=dataclasses.replace(trace.lasso, blocked=blocked))

    def _owed(self, without: Collection[str]) -> frozenset[FairGroup]:
        return frozenset(group for group in self.groups if group.condition.assumption not in without)

    def _trace(self, case: Case, run: FoundRun, without: Collection[str]) -> Trace:
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
        lasso = Lasso(start, run.waiting, case.shown, run.no_return, arguments=case.arguments)
        trace = dataclasses.replace(evidence(system, [*run.prefix, *rounds], run.initial), lasso=lasso)
        return confirm_lasso(system, self.property, case.arguments, trace, without)


def _length(trace: Trace) -> tuple[int, int]:
    assert trace.lasso is not None
    return trace.lasso.start, len(trace.steps)


def _said(trace: Trace, is_shortest: bool) -> str:
    assert trace.lasso is not None
    return trace.lasso.in_words(len(trace.steps), is_shortest)
