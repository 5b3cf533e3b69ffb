"""From liveness properties to verdicts: search, answer, take every lasso once more."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

from podproof.checker.conclude import Evidence, Exhausted, Shown, Undecided, conclude
from podproof.checker.core.graph import UNBOUNDED, Expr, Op, Rewriter, topological, variables_below
from podproof.checker.core.shapes import Scalar
from podproof.checker.core.system import (
    NO_LIMITS,
    CheckerError,
    Exploration,
    Lasso,
    Limits,
    Move,
    NeededFairness,
    OnProgress,
    Parameter,
    Property,
    State,
    Status,
    System,
    Trace,
    Transition,
    Verdict,
)
from podproof.checker.core.trace import evidence, take
from podproof.checker.engines import AUTO, DEFAULT_ENGINE, REFERENCE, LimitReached, candidates
from podproof.checker.explain.failing_part import with_failures
from podproof.checker.liveness.groups import FairGroup, assumptions_of, groups_of
from podproof.checker.liveness.lasso import Waits, confirm_lasso, who_waits
from podproof.checker.liveness.reference import PlainRuns
from podproof.checker.liveness.stored import Answer, FoundRun, StoredRuns
from podproof.checker.lowering import range_message
from podproof.checker.lowering.claims import Case, lower_cases

Ask = Callable[[frozenset[FairGroup], bool], Answer]
"""Does every run that is fair to some groups fulfil a case of a claim? The last says whether to be thorough."""


@dataclass(frozen=True)
class RunChecker:
    """How liveness properties are decided."""

    system: System
    engine: str = DEFAULT_ENGINE
    without: Collection[str] = ()
    """Names of fairness assumptions that are not to be made."""
    reductions: Collection[str] = ("slicing", "constants")
    """Only the two that preserve runs are used: symmetry would mix up whose step is an obligation."""
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
        if self.engine == REFERENCE:
            explored, ask = self._plain(groups, limits)
        elif self.engine == DEFAULT_ENGINE:
            explored, ask = self._searched(lowered, groups, limits)
        else:
            raise CheckerError(
                f"the engine {self.engine!r} decides claims about states and steps, not what must happen eventually: "
                f"{', '.join(p.id for p in claims)}; take --engine {' or '.join(candidates(AUTO))}"
            )
        found, verdicts = explored(), list[Verdict]()
        for p in claims:
            verdict: Verdict | None = None
            try:
                if found.complete:
                    cases = [(case, ask(p, case)) for q, case in lowered if q is p]
                    claim = _Claim(self.system, p, cases, groups, self.waits)
                    verdict = conclude(p, claim.evidence(self.without))
                    if verdict.is_vacuous is False and self.needs:
                        verdict = dataclasses.replace(verdict, needs=claim.needs(self.without))
            except LimitReached as limit:
                found = dataclasses.replace(found, complete=False, reason=str(limit))
            except KeyboardInterrupt:
                found = dataclasses.replace(found, complete=False, reason="interrupted", interrupted=True)
            verdicts.append(verdict or conclude(p, Undecided(found.reason)))
        assumptions = {name: why for name, why in assumptions_of(self.system).items() if name not in self.without}
        result = dataclasses.replace(
            found,
            verdicts=tuple(verdicts),
            seconds=time.monotonic() - started,
            peak_bytes=max(found.peak_bytes, explored().peak_bytes),
            assumptions=assumptions,
        )
        return with_failures(result)

    def _searched(
        self, lowered: Sequence[tuple[Property, Case]], groups: Sequence[FairGroup], limits: Limits
    ) -> tuple[Callable[[], Exploration], Callable[[Property, Case], Ask]]:
        self.system.refuse_unbounded(self.engine)
        cases = [case for _, case in lowered]
        runs = StoredRuns(self.system, cases, groups, limits, self.reductions, self.report)
        reduced = partial(dataclasses.replace, system=self.system, reductions=runs.reductions)
        return lambda: reduced(runs.exploration), lambda _p, case: runs.waiting(case).answer

    def _plain(
        self, groups: Sequence[FairGroup], limits: Limits
    ) -> tuple[Callable[[], Exploration], Callable[[Property, Case], Ask]]:
        runs = PlainRuns(self.system, groups, limits)
        runs.run(self.report)
        return runs.result, lambda p, case: lambda obligations, _is_thorough: runs.answer(p, case, obligations)


@dataclass(frozen=True)
class _Claim:
    """One liveness property, with all its cases."""

    system: System
    property: Property
    cases: Sequence[tuple[Case, Ask]]
    groups: Sequence[FairGroup]
    waits: Waits

    def evidence(self, without: Collection[str]) -> Evidence:
        """What was found out about all cases together."""
        obligations = self._obligations(without)
        answers = [(case, ask(obligations, True)) for case, ask in self.cases]
        broken = [(self._trace(case, a.run, without), a.run) for case, a in answers if a.run is not None]
        if broken:
            trace, run = min(broken, key=lambda pair: _length(pair[0]))
            trace = self._explained(trace)
            # Variables that were left out may take a round of the loop, or several, until they are as they were.
            return Shown(trace, is_shortest=_length(trace)[0] == len(run.prefix))
        if any(a.is_cut_off for _, a in answers):
            return Undecided("on the way to the goal a bound of the scenario cuts off steps that have to happen")
        return Exhausted(is_vacuous=not any(a.is_asked for _, a in answers))

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
                needs.append(NeededFairness(name, tried, self._explained(trace), _length_in_words(trace)))
        return tuple(reversed(needs))

    def _counterexample(self, without: Collection[str]) -> Trace | None:
        """Some run that breaks the claim, if there is one."""
        obligations = self._obligations(without)
        for case, ask in self.cases:
            if run := ask(obligations, False).run:
                return self._trace(case, run, without)
        return None

    def _explained(self, trace: Trace) -> Trace:
        """The trace; its lasso also says who waits."""
        assert trace.lasso is not None
        blocked = who_waits(self.system, trace, self.waits)
        return dataclasses.replace(trace, lasso=dataclasses.replace(trace.lasso, blocked=blocked))

    def _obligations(self, without: Collection[str]) -> frozenset[FairGroup]:
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
        lasso = Lasso(start, run.waiting, case.shown, run.no_return)
        trace = dataclasses.replace(evidence(system, [*run.prefix, *rounds], run.initial), lasso=lasso)
        return confirm_lasso(system, self.property, case.arguments, trace, without)


def _length(trace: Trace) -> tuple[int, int]:
    assert trace.lasso is not None
    return trace.lasso.start, len(trace.steps)


def _length_in_words(trace: Trace) -> str:
    assert trace.lasso is not None
    return trace.lasso.in_words(len(trace.steps))


# -- liveness properties for every number of seconds, by forgetting the numbers ----------------------------------------
#
# What a step compares with a number of seconds may come out either way: each such comparison becomes a choice of the
# step, and the variables that have numbers go. Every run of the system is a run of the smaller one, with the same
# values of all that is left; and every fair one is fair there, unless what was forgotten decides whether an obligatory
# step is possible, or obligatory, which is refused. So a claim that holds of all fair runs of the smaller system holds
# of the system whatever the seconds are. The other way round nothing follows: such a claim is asked again with the
# scenario's seconds.

_BOOL = Scalar(bool, 0, 1, {}, 0)


def prove_runs(
    system: System, bounded: System, claims: Sequence[Property], report: OnProgress | None = None
) -> Exploration:
    """The verdicts for every number of seconds; `bounded` is the system with a scenario's seconds."""
    groups = groups_of(system)
    numbers = {v.path for v in system.variables if v.high >= UNBOUNDED}
    cases = {p.id: lower_cases(system, p) for p in claims}
    fits = {
        p.id: numbers.isdisjoint(variables_below(n for c in cases[p.id] for n in (c.premise, c.goal))) for p in claims
    }
    decided = dict[str, Verdict]()
    try:
        smaller = without_seconds(system, groups)
        asked = [case for p in claims if fits[p.id] for case in cases[p.id]]
        runs = StoredRuns(smaller, asked, groups, NO_LIMITS, ("slicing", "constants"), report)
        if wrong := [name for name in runs.exploration.bounds_hit if name.startswith(GOES_WRONG)]:
            raise CheckerError(wrong[0])
        found = dataclasses.replace(runs.exploration, system=bounded, reductions=runs.reductions)
    except CheckerError as error:
        found = Exploration(bounded, "runs", False, str(error), 0.0, ())
    for p in claims if found.complete else ():
        answers = [runs.waiting(case).answer(groups, False) for case in cases[p.id]] if fits[p.id] else []
        if answers and not any(a.run is not None or a.is_cut_off for a in answers):
            is_vacuous = None if any(a.is_asked for a in answers) else True
            decided[p.id] = conclude(p, Exhausted(is_vacuous, for_every_number=True))
    left = [p for p in claims if p.id not in decided]
    for verdict in RunChecker(bounded, needs=False, report=report).decide(left).verdicts if left else ():
        if verdict.status is Status.HOLDS:
            why = (
                found.reason
                or "it holds with the scenario's seconds, and not where each comparison may come out either way"
            )
            verdict = conclude(verdict.property, Undecided(why))
        decided[verdict.property.id] = verdict
    return dataclasses.replace(
        found, engine="runs", verdicts=tuple(decided[p.id] for p in claims), assumptions=assumptions_of(system)
    )


GOES_WRONG = "the model may go wrong for some number of seconds: "


def without_seconds(system: System, groups: Collection[FairGroup]) -> System:
    """The system without its unbounded numbers. Raises CheckerError where fairness needs them."""
    numbers = {v.path for v in system.variables if v.high >= UNBOUNDED}
    for group in groups:
        moves = [move for t in system.transitions for move in t.moves() if group.condition.when and group.has(move)]
        if not numbers.isdisjoint(variables_below(group.obligation(system, move) for move in moves)):
            raise CheckerError(f"whether {group.action.name} is owed depends on a number of seconds")
    obligations = {group.action.name for group in groups}
    transitions = tuple(_forget(system, t, numbers, t.action.name in obligations) for t in system.transitions)
    kept = [i for i, v in enumerate(system.variables) if v.path not in numbers]
    return dataclasses.replace(
        system,
        variables=tuple(system.variables[i] for i in kept),
        initial=tuple(dict.fromkeys(tuple(state[i] for i in kept) for state in system.initial)),
        transitions=transitions,
        free={},
    )


def _forget(system: System, t: Transition, numbers: Collection[str], is_obligation: bool) -> Transition:
    """A step without numbers."""
    unknown = {p.name for p in t.free if p.unbounded}
    forgotten, about = set[Expr](), set[Expr]()
    for node in topological(t.nodes()):
        is_number = str(node.value) in (numbers if node.op is Op.VAR else unknown if node.op is Op.PARAM else ())
        if is_number or not about.isdisjoint(node.args):
            about.add(node)
        if is_number or (not node.is_bool and not forgotten.isdisjoint(node.args)):
            forgotten.add(node)
    if is_obligation and t.enabled in about:
        raise CheckerError(f"whether {t.action.name} is possible depends on a number of seconds")
    choices = dict[Expr, Expr]()

    def choice(node: Expr, _args: tuple[Expr, ...]) -> Expr | None:
        if not node.is_bool or forgotten.isdisjoint(node.args):
            return None
        return choices.setdefault(node, system.graph.parameter(f"comparison_{len(choices) + 1}", True, 0, 1))

    for path, node in t.updates.items():
        if path not in numbers and node in forgotten:
            raise CheckerError(f"{t.action.line}: {t.action.name} stores a number of seconds in {path}, which is none")
    # That no number leaves its own range is what proofs of claims about states say.
    own = tuple(range_message(v.path, "a value", v.low, v.high) for v in system.variables if v.path in numbers)
    uncertain = {what: node for what, node in t.faults.items() if node in about and not what.endswith(own)}
    kept = dataclasses.replace(
        t,
        updates={path: node for path, node in t.updates.items() if path not in numbers},
        # Whether these faults occur is seen by their names among the bounds: no number says how to come there.
        bounds={**t.bounds, **{GOES_WRONG + what: node for what, node in uncertain.items()}},
        faults={what: node for what, node in t.faults.items() if node not in about},
        stores={},
    )
    made = kept.rewrite(Rewriter(system.graph, choice))
    used = {str(node.value) for node in topological(made.nodes()) if node.op is Op.PARAM}
    names = [str(node.value) for node in choices.values() if str(node.value) in used]
    free = [*(p for p in t.free if not p.unbounded), *(Parameter(name, _BOOL, (0, 1)) for name in names)]
    return dataclasses.replace(made, free=tuple(free))
