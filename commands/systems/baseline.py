"""How the verdicts on a proposal compare with those on the release that it changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.system import Exploration, Property, Status, Verdict
from podproof.checker.decide import Checker
from podproof.checker.difference.baseline import other_way, steps_beyond
from podproof.checker.explain.conjuncts import false_conjunct
from podproof.checker.reductions.plan import REDUCTIONS
from podproof.commands.systems.build import Subject, properties_of, system_of
from podproof.commands.systems.search import engine_of
from podproof.model.scenarios import Scenario
from podproof.reports.summary import overall

Explore = Callable[[Subject, Scenario, tuple[str, ...]], Exploration | None]
"""The verdicts on some claims about a release in a scenario; None where none of them is about it."""


def with_baseline(
    subject: Subject, scenarios: Sequence[Scenario], found: Sequence[Exploration], explore: Explore
) -> list[Exploration]:
    """The same explorations; each violation, and each claim that is mended, with how it is in the subject's release.

    A violation is inherited where its trace is one of the release, too. Only what is not is searched for there, and
    what the release is known to violate and the subject does not.
    """
    base, by_name = subject.base, {scenario.name: scenario for scenario in scenarios}
    if base is None:
        return list(found)
    violated = {id for id, status in overall(found).items() if status is Status.VIOLATED}
    return [_compared(subject, base, by_name[e.system.scenario], e, violated, explore) for e in found]


def _compared(
    subject: Subject,
    base: Subject,
    scenario: Scenario,
    found: Exploration,
    violated: Collection[str],
    explore: Explore,
) -> Exploration:
    """One scenario's verdicts. `violated` are the claims that no scenario settles."""
    reasons = _reasons(base, scenario, [v for v in found.verdicts if v.property.id in violated], found)
    again = _beyond(subject, base, scenario, [v.property for v in found.verdicts if reasons.get(v.property.id) == ""])
    found = replace(found, verdicts=tuple(again.get(v.property.id, v) for v in found.verdicts))
    for id in again:
        reasons[id] = f"by a step that does not violate it in {base.name}"
    known = {claim.id for claim in base.claims if base.violation(claim, scenario.name) is not None}
    holding = [v.property.id for v in found.verdicts if v.status is Status.HOLDS and v.property.id in known]
    asked = (*(id for id, reason in reasons.items() if reason), *holding)
    before = explore(base, scenario, asked) if asked else None
    was = {v.property.id: v.status for v in (before.verdicts if before is not None else ())}

    def compare(v: Verdict) -> Verdict:
        reason, status = reasons.get(v.property.id), was.get(v.property.id)
        if reason is None:
            if v.status is not Status.HOLDS or status is not Status.VIOLATED:
                return v
            vacuously = "; here what it is about never happens" if v.exercised is False else ""
            baseline = Baseline(base.name, BaselineState.MENDED, f"violated in {base.name}{vacuously}")
        elif not reason or (v.property.is_witnessed and status is Status.VIOLATED):
            baseline = Baseline(base.name, BaselineState.INHERITED)
        elif status is Status.VIOLATED:
            baseline = Baseline(base.name, BaselineState.CHANGED, reason)
        else:
            why = {Status.HOLDS: f"it holds in {base.name}", Status.UNKNOWN: f"{base.name} is undecided"}
            baseline = Baseline(base.name, BaselineState.NEW, why[status] if status else reason)
        return replace(v, baseline=baseline)

    return replace(found, verdicts=tuple(map(compare, found.verdicts)))


def _reasons(base: Subject, scenario: Scenario, verdicts: Sequence[Verdict], found: Exploration) -> dict[str, str]:
    """For each violated claim why the release does not violate it by the same steps; empty where it does."""
    violated = [v for v in verdicts if v.status is Status.VIOLATED]
    claims = {p.id: p for p in properties_of(base, scenario)} if violated else {}
    reasons = {v.property.id: f"{base.name} does not make this claim" for v in violated}
    if claims.keys() & reasons.keys():
        system = system_of(base, scenario, unbounded=found.system.is_unbounded)
        for v in violated:
            if v.property.id in claims:
                reasons[v.property.id] = other_way(system, claims[v.property.id], found.system, v)
    return reasons


def _beyond(subject: Subject, base: Subject, scenario: Scenario, claims: Sequence[Property]) -> dict[str, Verdict]:
    """Those of the claims that a step violates which does not in the release, by that step.

    What is too wide for the engine is taken to be violated by the release's steps alone, as its shortest trace is.
    """
    if not claims:
        return {}
    of_base = {p.id: p for p in properties_of(base, scenario)}
    system, beyond = steps_beyond(system_of(base, scenario), of_base, system_of(subject, scenario), claims)
    beyond = [p for p in beyond if any(step is not system.graph.false for step in p.steps or ())]
    if not beyond:
        return {}
    search = Checker(system, engine_of("auto"), tuple(REDUCTIONS), scenario.interchangeable)
    verdicts = {v.property.id: v for v in search.run(beyond).verdicts}
    found = {}
    for p in claims:
        if p.id in verdicts and (trace := verdicts[p.id].trace) is not None:
            found[p.id] = replace(verdicts[p.id], property=p, conjunct=false_conjunct(system, p, trace))
    return found
