"""How the verdicts on a proposal compare with those on the release that it changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.system import Exploration, Property, Status, Verdict
from podproof.checker.decide import Checker
from podproof.checker.engines import DEFAULT_ENGINE, engine
from podproof.model.crowd import Crowd
from podproof.model.scenarios import Scenario
from podproof.queries.build import Subject, properties_of, system_of
from podproof.queries.cache import Cache, CachedQuery
from podproof.queries.progress import show_progress
from podproof.queries.search import SearchOptions, explore
from podproof.reports.summary import overall

if TYPE_CHECKING:
    from podproof.checker.difference.inherited import Further


@dataclass(frozen=True)
class ReleaseSearch(SearchOptions):
    """How the release is explored, and the file once more: as the file was."""

    cache: Cache = field(kw_only=True)

    def explore(self, base: Subject, scenario: Scenario, claims: tuple[str, ...]) -> Exploration | None:
        asked = (scenario, claims, self.engine, self.limits, self.reductions)
        find = partial(explore, base, *asked, self.memory)
        return self.cache.answer(CachedQuery(find, base, ("explore", *asked, 1)))


def with_baseline(
    subject: Subject, scenarios: Sequence[Scenario], found: Sequence[Exploration], search: ReleaseSearch
) -> list[Exploration]:
    """The same explorations; each violation, and each claim that is mended, with how it is in the subject's release.

    A violation is inherited where its trace is one of the release, too. Only what is not is searched for there, and
    what the release is known to violate and the subject does not.
    """
    base, by_name = subject.base, {scenario.name: scenario for scenario in scenarios}
    if base is None:
        return list(found)
    return [with_superseded(subject, e) for e in _with_release(subject, base, by_name, found, search)]


def with_superseded(subject: Subject, found: Exploration) -> Exploration:
    """The same; of each violation whether the design means it, since it makes another claim in the place of that one.

    So it is where the other claim is asked as well; that is to hold, whatever the release does. What is said of both is
    their own texts.
    """
    asked = {v.property.id: v for v in found.verdicts}

    def judge_successor(v: Verdict) -> Verdict:
        given_up = [id for id, claim in subject.superseded.items() if claim.id == v.property.id]
        if v.status is Status.VIOLATED and given_up:
            reason = f"the design makes it in the place of {', '.join(given_up)}"
            return replace(v, baseline=Baseline(subject.release.name, BaselineState.NEW, reason), before=None)
        successor = subject.superseded.get(v.property.id)
        if v.status is not Status.VIOLATED or successor is None or successor.id not in asked:
            return v
        fate = {
            Status.VIOLATED: "which is violated, too",
            Status.UNKNOWN: "which is undecided",
            Status.HOLDS: "which holds",
        }[asked[successor.id].status]
        reason = f"given up for {successor.id}, {fate}: {v.property.meaning} Now: {successor.meaning}"
        return replace(v, baseline=Baseline(subject.release.name, BaselineState.SUPERSEDED, reason), before=None)

    return replace(found, verdicts=tuple(map(judge_successor, found.verdicts)))


def needless_successors(subject: Subject, found: Sequence[Exploration]) -> list[str]:
    """What supersedes a claim that nothing violates, a sentence each."""
    status = overall(found)
    return [
        f"{claim.id} supersedes {id}, which holds here all the same"
        for id, claim in subject.superseded.items()
        if status.get(id) is Status.HOLDS
    ]


def _with_release(
    subject: Subject,
    base: Subject,
    by_name: Mapping[str, Scenario],
    found: Sequence[Exploration],
    search: ReleaseSearch,
) -> list[Exploration]:
    violated = {id for id, status in overall(found).items() if status is Status.VIOLATED}
    compared, questions = list(found), []
    for e in found:
        scenario = by_name[e.system.scenario]
        compare = partial(_compared, subject, base, scenario, e, violated, search)
        about = (scenario, [v.property.id for v in e.verdicts], sorted(violated), search.counterexamples)
        options = (search.engine, search.limits, search.reductions)
        questions.append(CachedQuery(compare, subject, ("compare", *about, *options)))
    left = list(range(len(found)))
    try:
        for number, answer in search.cache.answers(questions):
            left.remove(number)
            assert answer is not None
            compared[number] = answer
            if answer.interrupted:
                break
    except KeyboardInterrupt:
        compared[left[0]] = replace(found[left[0]], interrupted=True)
    return compared


def _compared(
    subject: Subject,
    base: Subject,
    scenario: Scenario,
    found: Exploration,
    violated: Collection[str],
    search: ReleaseSearch,
) -> Exploration:
    """One scenario's verdicts. `violated` are the claims that no scenario settles."""
    reasons = _reasons(base, scenario, [v for v in found.verdicts if v.property.id in violated], found)
    inherited = [v.property for v in found.verdicts if reasons.get(v.property.id) == ""]
    try:
        beyond = _beyond(subject, base, scenario, inherited, search)
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
    again = {id: f.verdict for id, f in beyond.items() if f.verdict is not None}
    found = replace(found, verdicts=tuple(again.get(v.property.id, v) for v in found.verdicts))
    reasons |= {id: beyond[id].why for id in again}
    is_own = scenario in base.own_scenarios  # Nothing is known of it.
    known = {claim.id for claim in base.claims if is_own or base.violation(claim, scenario.name) is not None}
    holding = [v.property.id for v in found.verdicts if v.status is Status.HOLDS and v.property.id in known]
    asked = (*(id for id, reason in reasons.items() if reason), *holding)
    before = search.explore(base, scenario, asked) if asked else None
    if before is not None and before.interrupted:
        return replace(found, interrupted=True)
    earlier = {v.property.id: v for v in before.verdicts} if before is not None else {}
    was = {id: v.status for id, v in earlier.items()}

    def compare(v: Verdict) -> Verdict:
        reason, status = reasons.get(v.property.id), was.get(v.property.id)
        if reason is None:
            if v.status is not Status.HOLDS or status is not Status.VIOLATED:
                return v
            vacuously = "; here its premise never occurs" if v.is_vacuous else ""
            baseline = Baseline(base.name, BaselineState.MENDED, f"violated in {base.name}{vacuously}")
        elif not reason or (v.property.is_witnessed and status is Status.VIOLATED):
            is_open = v.property.id in beyond
            far = f" as far as was explored: {beyond[v.property.id].why}" if is_open else ""
            baseline = Baseline(base.name, BaselineState.INHERITED, f"as in {base.name}{far}", is_open)
        elif status is Status.VIOLATED:
            trace = earlier[v.property.id].trace
            v = replace(v, before=(before.system, trace)) if before is not None and trace is not None else v
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
        from podproof.checker.difference.inherited import other_way

        system = system_of(base, scenario, unbounded=found.system.is_unbounded)
        for v in violated:
            if v.property.id in claims:
                reasons[v.property.id] = other_way(system, claims[v.property.id], found.system, v)
    return reasons


def _beyond(
    subject: Subject, base: Subject, scenario: Scenario, claims: Sequence[Property], search: ReleaseSearch
) -> Mapping[str, Further]:
    """What violates the claims and is not the release's. Raises KeyboardInterrupt.

    It is searched for with the scenario's own seconds, whatever the engine.
    """
    from podproof.checker.difference.inherited import Further, beside, further  # NumPy and LLVM take a while to load.

    if isinstance(scenario, Crowd) and len(scenario.members) > 1:
        # Its members are explored one by one, and no state of all of them.
        return {p.id: Further(None, "on a node other steps are not looked for") for p in claims}
    if not claims:
        return {}
    of_base = {p.id: p for p in properties_of(base, scenario)}
    knowing = replace(base, new_members=subject.new_members)
    change = beside(system_of(knowing, scenario), of_base, system_of(subject, scenario), claims)
    with show_progress(f"{subject.name} {scenario.name}, beside {base.name}") as report:
        checker = Checker(
            change.system, engine(DEFAULT_ENGINE, search.memory), search.reductions, scenario.interchangeable, report
        )
        explore = partial(checker.run, limits=search.limits)
        return further(change, claims, explore, search.limits, report)
