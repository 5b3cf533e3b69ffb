"""Two versions side by side: from names on the command line to what differs in each scenario and in the claims."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.graph import Expr, topological
from podproof.checker.core.printer import visible
from podproof.checker.core.system import (
    NO_LIMITS,
    Action,
    CheckerError,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Property,
    State,
    Status,
    System,
    Verdict,
)
from podproof.checker.core.trace import evidence, is_shown
from podproof.checker.decide import Checker
from podproof.checker.difference.behaviour import follow, violates
from podproof.checker.difference.compare import Criteria, compare
from podproof.checker.difference.result import ClaimDifference, Comparison, DecidingTrace, Difference, MethodChange
from podproof.checker.difference.seen import SecondWay, second_ways
from podproof.checker.difference.transitions import in_one_graph, method_changes
from podproof.checker.engines import DEFAULT_ENGINE
from podproof.checker.engines.compiled import Compiled
from podproof.checker.liveness.groups import fairness_obligations
from podproof.checker.liveness.lasso import is_broken_by
from podproof.checker.lowering.claims import formulas, lower_cases, lower_properties
from podproof.checker.lowering.source import code_of
from podproof.checker.processes import Task
from podproof.checker.reductions import REDUCTIONS
from podproof.checker.reductions.symmetry import Names
from podproof.checker.solver.equivalence import Equivalence
from podproof.model.scenarios import Scenario
from podproof.queries import pool, progress
from podproof.queries.baseline import ReleaseSearch, with_baseline, with_superseded
from podproof.queries.build import (
    Subject,
    properties_of,
    run_properties_of,
    subject_named,
    surroundings_of,
    system_of,
)
from podproof.queries.cache import Cache
from podproof.queries.changed_lines import with_unreached
from podproof.queries.fields import fields_compared
from podproof.queries.versions import VERSIONS
from podproof.reports.projection import phases_of
from podproof.reports.summary import overall, shortest
from podproof.specs.waits import waits_of

WORKER = "worker"
"""The actor whose steps a wait lacks."""
_MILLISECONDS = 10_000
"""How long Z3 may think about whether two claims say the same."""


def subjects_of(
    a: str, b: str, version: str = "", assumed: tuple[str, ...] = (), callers: tuple[str, str] | None = None
) -> tuple[Subject, Subject]:
    """The two versions or files; a Go file is in the surroundings of the version, or of the other side.

    Of two Go files each is among the callers of its own version, where these are given. Raises CheckerError.
    """
    if version and not any(name.endswith(".go") for name in (a, b)):
        raise CheckerError("--version: it surrounds the workers of a .go file, and neither side is one; leave it out")
    named = version or next((name for name in (a, b) if name in VERSIONS), "")
    if not (named or callers) and a.endswith(".go") and b.endswith(".go"):
        named = surroundings_of(Path(a))
    around = callers or (named, named)
    first, second = (subject_named(name, each, assumed) for name, each in zip((a, b), around, strict=True))
    if first.name == second.name and a != b:
        first, second = dataclasses.replace(first, name=visible(a)), dataclasses.replace(second, name=visible(b))
    return with_claims_of(first, second), with_claims_of(second, first)


def with_claims_of(subject: Subject, other: Subject) -> Subject:
    """The subject, of which is claimed what the other file claims of its own."""
    claims = {claim.id: claim for claim in (*other.own_claims, *subject.own_claims)}
    return dataclasses.replace(subject, own_claims=tuple(claims.values()))


@dataclass(frozen=True)
class _Run:
    """One scenario: what differs, the claims in both, and what exploring them found out; None where none was needed."""

    difference: Difference
    claims: tuple[Mapping[str, LoweredProperty], Mapping[str, LoweredProperty]]
    explorations: tuple[Exploration | None, Exploration | None]
    otherwise: Mapping[str, Verdict] = field(default_factory=dict)
    """Of two versions that do not change one another: by claim that both violate how the second does."""


def compare_versions(
    subjects: tuple[Subject, Subject],
    scenarios: Sequence[Scenario],
    by: Sequence[str] | None,
    limits: Limits,
    liveness: bool = False,
) -> Comparison:
    """Compare in each scenario, by these fields, which both versions must have, or by all that can be seen of a worker.

    The claims are those about states and steps, with `liveness` those about whole runs. Raises CheckerError for fields
    that are not there, and KeyboardInterrupt.
    """
    pairs = [_of_each(subjects, scenario) for scenario in scenarios]
    differences, claims = _differences(subjects, pairs, by, limits, liveness)
    names = (subjects[0].name, subjects[1].name)
    exchanges = [(first.interchangeable, second.interchangeable) for first, second in pairs]
    runs = list(_runs(exchanges, differences, claims, limits))
    changing = [side for side in (0, 1) if not liveness and _changes(subjects[side], subjects[1 - side])]
    for side in changing:
        runs = _against_release(subjects, side, pairs, runs, limits)
    if 1 not in changing:
        unlike = ["" if a == b else "the scenario is not the same in both" for a, b in pairs]
        runs = _with_otherwise(names, runs, limits, unlike)
    runs = [_as_meant(subjects, run) for run in runs]
    asked = (claim for subject in subjects for claim in (subject.run_claims if liveness else subject.claims))
    found = _summed_up(names, runs, [claim.id for claim in asked], _files_unlike(subjects, pairs))
    return with_unreached(found, subjects, scenarios, limits)


def compare_systems(
    systems: tuple[System, System], claims: tuple[Sequence[Property], Sequence[Property]], by: Sequence[str]
) -> Comparison:
    """Compare two systems, each with its own claims about states and steps, by the fields with these paths."""
    first, second = in_one_graph(*systems)
    lowered = lower_properties(first, claims[0]), lower_properties(second, claims[1])
    criteria = Criteria(tuple(by), (), tuple(by), (WORKER,), lowered)
    difference = compare((first, second), criteria, NO_LIMITS)
    names = (first.version, second.version)
    runs = list(_runs([((), ())], [difference], [lowered], NO_LIMITS))
    runs = _with_otherwise(names, runs, NO_LIMITS, [""])
    return _summed_up(names, runs, [p.id for side in claims for p in side])


def _summed_up(
    names: tuple[str, str], runs: Sequence[_Run], order: Iterable[str], unlike: Iterable[str] = ()
) -> Comparison:
    """All scenarios together; the claims in this order."""
    differences, methods = [run.difference for run in runs], dict[str, MethodChange]()
    for difference in differences:
        for method in method_changes(*difference.systems):
            methods.setdefault(method.name, method)
    besides = dict.fromkeys((*unlike, *_owed_or_told(differences)))
    claims = _claim_differences(runs, dict.fromkeys(order))
    return Comparison(names, tuple(methods.values()), tuple(differences), claims, tuple(besides))


Scenarios = tuple[Scenario, Scenario]
Exchanges = tuple[Sequence[Names], Sequence[Names]]
"""Of pods that are alike, on each side."""


def _of_each(subjects: tuple[Subject, Subject], scenario: Scenario) -> Scenarios:
    """The scenario of this name as each side's file has it; one that only the other side has is for both."""
    first, second = (subject.scenarios.get(scenario.name, scenario) for subject in subjects)
    return first, second


def _files_unlike(subjects: tuple[Subject, Subject], scenarios: Sequence[Scenarios]) -> Iterator[str]:
    """What the files themselves have that is not the same: scenarios of one name, and claims."""
    first, second = (subject.name for subject in subjects)
    for pair in scenarios:
        told = [
            f"{field.name} is {values[0]} in {first} and {values[1]} in {second}"
            for field in dataclasses.fields(Scenario)
            if len(set(values := [_shown(getattr(scenario, field.name)) for scenario in pair])) > 1
        ]
        if told:
            yield f"Scenario {pair[0].name} is not the same in both: {'; '.join(told)}. Each is explored in its own."
    mine, theirs = ({claim.id: claim for claim in subject.own_claims} for subject in subjects)
    lent = [claim for id, claim in mine.items() if theirs.get(id) is claim]
    for subject in subjects:
        own = [claim.id for claim in lent if subject.has_in_its_files(claim)]
        if own:
            yield f"Only {subject.name} makes the claims {', '.join(own)}; they are asked of both."


def _shown(value: object) -> str:
    """What a field of a scenario says, in one line."""
    return value.__name__ if isinstance(value, type) else str(value)


def _owed_or_told(differences: Sequence[Difference]) -> Iterator[str]:
    """The actions of both that are owed otherwise, or told in other words."""
    for d in differences:
        for one, other in ((one, d.systems[1].action.get(one.name)) for one in d.systems[0].actions):
            if other is not None and _owed(one) != _owed(other):
                yield f"What fairness owes of {one.name} is not the same in both; see `podproof review --liveness`."
            if other is not None and one.label != other.label:
                yield f"{one.name} is told in other words: {one.label!r} and {other.label!r}."


def _owed(action: Action) -> list[object]:
    return [
        (c.assumption, c.is_strong, dict(c.values), c.whichever, None if c.when is None else code_of(c.when))
        for c in action.fairness
    ]


_Lowered = tuple[tuple[LoweredProperty, ...], tuple[LoweredProperty, ...]]


def _differences(
    subjects: tuple[Subject, Subject],
    scenarios: Sequence[Scenarios],
    by: Sequence[str] | None,
    limits: Limits,
    liveness: bool,
) -> tuple[list[Difference], list[_Lowered]]:
    """What differs in each scenario, and the claims. A change of an action is described where it is seen first."""
    claims = list[_Lowered]()

    def tasks() -> Iterator[Task]:
        for pair in scenarios:
            systems = in_one_graph(*map(system_of, subjects, pair))
            paths, missing = fields_compared(systems, by)
            first, second = (
                tuple(_about_runs(system, p) for p in run_properties_of(subject, scenario))
                if liveness
                else lower_properties(system, properties_of(subject, scenario))
                for system, subject, scenario in zip(systems, subjects, pair, strict=True)
            )
            claims.append((first, second))
            picture = tuple(p for p in paths if p in {f"pod_sync_statuses[0].{name}" for name in phases_of(systems[0])})
            criteria = Criteria(paths, missing, picture or paths, (WORKER,), claims[-1])
            yield Task(partial(_compared, systems, criteria, limits), shared=_shared(systems, claims[-1]))

    answers = dict[int, Difference]()
    with progress.stage(f"{subjects[0].name} and {subjects[1].name}") as tell:
        for number, found in pool.answers(tasks(), pool.at_a_time(len(scenarios))):
            answers[number] = found
            tell(f"{len(answers)} of {len(scenarios)} scenarios compared")
    described, differences = set[str](), list[Difference]()
    for _, found in sorted(answers.items()):
        actions = tuple(action for action in found.actions if action.name not in described)
        differences.append(dataclasses.replace(found, actions=actions))
        described.update(found.changed)
    return differences, claims


def _compared(systems: tuple[System, System], criteria: Criteria, limits: Limits) -> Difference:
    title = f"{systems[0].version} and {systems[1].version} {systems[0].scenario}"
    with progress.show_progress(title) as report:
        return compare(systems, criteria, limits, report)


def _shared(systems: Sequence[System], claims: _Lowered) -> list[object]:
    """What there is of two systems in one graph before they are compared or explored."""
    nodes = topological(node for system in systems for t in system.transitions for node in t.nodes())
    properties = (p.property for side in claims for p in side)
    variables = (node for system in systems for node in system.nodes().values())
    return [*systems, *(action for system in systems for action in system.actions), *properties, *variables, *nodes]


def _about_runs(system: System, p: Property) -> LoweredProperty:
    """A claim about runs, with all that it reads as one formula over states."""
    return LoweredProperty(p, state=system.graph.and_(*_formulas(system, p)))


def _formulas(system: System, p: Property) -> list[Expr]:
    return [node for case in lower_cases(system, p) for node in (case.premise, case.goal)]


# -- claims --------------------------------------------------------------------------------------------------------


def _runs(
    exchanges: Sequence[Exchanges], differences: Sequence[Difference], claims: Sequence[_Lowered], limits: Limits
) -> Iterator[_Run]:
    """Explore both versions with their claims; of two with the same steps the second with what it claims otherwise.

    Where every claim is the same as well, in every scenario, no verdict can differ, and nothing is explored.
    """
    same = [_same_verdicts(*item) for item in zip(differences, claims, strict=True)]
    own = [[p for p in second if p.property.id not in ids] for (_, second), ids in zip(claims, same, strict=True)]
    is_all = [not left and len(first) == len(ids) for left, (first, _), ids in zip(own, claims, same, strict=True)]
    asked = {
        (n, side): left
        for n, (first, _) in enumerate(claims)
        for side, left in enumerate((first, own[n]))
        if left and not all(is_all)
    }
    sides = list(asked)
    tasks = (
        Task(
            partial(_explore, differences[n].systems[side], asked[n, side], exchanges[n][side], limits),
            shared=_shared(differences[n].systems, claims[n]),
        )
        for n, side in sides
    )
    found = dict[tuple[int, int], Exploration | None]()
    with progress.stage("both versions") as tell:
        for number, exploration in pool.answers(tasks, pool.at_a_time(len(sides))):
            if exploration is not None and exploration.interrupted:
                raise KeyboardInterrupt
            found[sides[number]] = exploration
            tell(f"{len(found)} of {len(sides)} explored with their claims")
    for n, (difference, lowered) in enumerate(zip(differences, claims, strict=True)):
        by_name = tuple({p.property.id: p for p in side} for side in lowered)
        first, second = found.get((n, 0)), found.get((n, 1))
        if same[n] and first is not None:
            second = _with_same(difference.systems[1], lowered[1], same[n], first, second)
        yield _Run(difference, (by_name[0], by_name[1]), (first, second))


def _with_same(
    system: System,
    claims: Sequence[LoweredProperty],
    same: Collection[str],
    first: Exploration,
    own: Exploration | None,
) -> Exploration:
    """The exploration of the second version: its own verdicts, and the first one's on the claims that are the same."""
    verdicts = {v.property.id: v for v in (() if own is None else own.verdicts)}
    for v in first.verdicts:
        if v.property.id in same:
            (p,) = (p for p in claims if p.property.id == v.property.id)
            trace = v.trace
            if trace is not None and trace.lasso is None:
                trace = evidence(system, trace.moves, _alike(first.system, system, trace.initial))
                if not is_shown(system, p, trace):
                    raise EngineFault(f"{p.property.id}: the same steps do not show it in {system.version}")
            verdicts[v.property.id] = dataclasses.replace(v, property=p.property, trace=trace)
    whole = first if own is None or own.complete else own
    told = tuple(verdicts[p.property.id] for p in claims)
    return dataclasses.replace(first, system=system, verdicts=told, complete=whole.complete, reason=whole.reason)


def _alike(system: System, other: System, state: State) -> State:
    """The initial state of another system, in which the same steps are taken, that is like one of this system."""
    own = {v.path: value for v, value in zip(system.variables, state, strict=True)}
    unlike = [sum(own.get(v.path, x) != x for v, x in zip(other.variables, one, strict=True)) for one in other.initial]
    return other.initial[unlike.index(min(unlike))]


def _as_meant(subjects: tuple[Subject, Subject], run: _Run) -> _Run:
    """The same run; of each violation whether its design gives up the claim."""
    pairs = zip(subjects, run.explorations, strict=True)
    first, second = (None if e is None else with_superseded(subject, e) for subject, e in pairs)
    return dataclasses.replace(run, explorations=(first, second))


@dataclass(frozen=True)
class _Explored(ReleaseSearch):
    """What is known of the release already, in place of a search."""

    known: Mapping[str, Exploration] = dataclasses.field(kw_only=True)
    """By scenario."""

    def explore(self, base: Subject, scenario: Scenario, claims: tuple[str, ...]) -> Exploration | None:
        return self.known.get(scenario.name)


def _against_release(
    subjects: tuple[Subject, Subject], side: int, scenarios: Sequence[Scenarios], runs: Sequence[_Run], limits: Limits
) -> list[_Run]:
    """The same runs; each verdict on this side, a change of the other, with how it compares."""
    subject, own = subjects[side], [pair[side] for pair in scenarios]
    known = {e.system.scenario: e for run in runs if (e := run.explorations[1 - side]) is not None}
    found = [e for run in runs if (e := run.explorations[side]) is not None]
    cache = Cache(None, pool.local(len(found)))
    search = _Explored(DEFAULT_ENGINE, limits, cache=cache, known=known)
    compared = {e.system.scenario: e for e in with_baseline(subject, own, found, search)}
    if any(e.interrupted for e in compared.values()):
        raise KeyboardInterrupt
    pairs = []
    for run in runs:
        both = list(run.explorations)
        both[side] = compared.get(run.difference.systems[side].scenario)
        pairs.append(dataclasses.replace(run, explorations=(both[0], both[1])))
    return pairs


def _changes(subject: Subject, other: Subject) -> bool:
    """Is the other one the release that this one changes?"""
    return subject.base is not None and other.file is None and other.cls is subject.base.cls


def _with_otherwise(names: tuple[str, str], runs: Sequence[_Run], limits: Limits, unlike: Sequence[str]) -> list[_Run]:
    """The same runs; of each claim that both violate whether the second one does in a way that the first never does.

    Of claims about runs only the shortest trace is compared. Where the scenarios are `unlike`, which is a sentence for
    each run, all of that is open.
    """
    compared = [n for n, run in enumerate(runs) if None not in run.explorations and not run.difference.same_steps]
    tasks = []
    for n in compared:
        first, second = (tuple(claims.values()) for claims in runs[n].claims)
        shared = _shared(runs[n].difference.systems, (first, second))
        tasks.append(Task(partial(_otherwise, names, runs[n], limits, unlike[n]), shared=shared))
    found = list(runs)
    for number, told in pool.answers(tasks, pool.at_a_time(len(tasks))):
        found[compared[number]] = dataclasses.replace(found[compared[number]], otherwise=told)
    return found


def _otherwise(names: tuple[str, str], run: _Run, limits: Limits, unlike: str) -> Mapping[str, Verdict]:
    """Of each claim that both violate how the second version does, beside the first."""
    first, second = run.explorations
    assert first is not None and second is not None
    broken = {v.property.id for v in first.verdicts if v.status is Status.VIOLATED}
    both = [
        v for v in second.verdicts if v.property.id in broken and v.status is Status.VIOLATED and v.trace is not None
    ]
    if unlike:
        ways = [SecondWay(None, reason=unlike) for _ in both]
    elif any(v.property.is_about_runs for v in both):
        return {v.property.id: _by_trace(run, v, second, names[0]) for v in both}
    else:
        pairs = [(run.claims[0][v.property.id], run.claims[1][v.property.id]) for v in both]
        with progress.show_progress(f"{names[1]} {second.system.scenario}, beside {names[0]}") as report:
            ways = second_ways(run.difference.systems, pairs, limits, report)
    return {v.property.id: _told(v, way, names[0]) for v, way in zip(both, ways, strict=True)}


def _told(v: Verdict, way: SecondWay, first: str) -> Verdict:
    """The verdict on the second version with how it compares with the first, which has this name."""
    if way.verdict is not None:
        reason = f"in a way in which {first} never violates it"
        return dataclasses.replace(way.verdict, baseline=Baseline(first, BaselineState.CHANGED, reason))
    also = f", also from states that {first} never reaches" if way.is_elsewhere else ""
    reason = way.reason or f"as in {first}{also}"
    return dataclasses.replace(v, baseline=Baseline(first, BaselineState.INHERITED, reason, is_open=bool(way.reason)))


def _by_trace(run: _Run, v: Verdict, second: Exploration, first: str) -> Verdict:
    """The same by the shortest trace alone."""
    found = _evidence([run], 1, v.property.id, second)
    if found is not None and found.other_violates is False:
        told = Baseline(first, BaselineState.CHANGED, f"the same steps do not violate it in {first}")
    else:
        told = Baseline(first, BaselineState.INHERITED, f"as in {first} by its shortest trace")
    return dataclasses.replace(v, baseline=told)


def _explore(
    system: System, claims: Sequence[LoweredProperty], interchangeable: Sequence[Names], limits: Limits
) -> Exploration | None:
    if not claims:
        return None
    with progress.show_progress(f"{system.version} {system.scenario}") as report:
        if claims[0].property.is_about_runs:
            from podproof.checker.liveness.decide import RunChecker  # Loads NumPy, and LLVM with it.

            runs = RunChecker(system, report=report, needs=False, waits=waits_of(system.shape.cls))
            return runs.decide([p.property for p in claims], limits)
        checker = Checker(system, Compiled(), tuple(REDUCTIONS), interchangeable, report, asks_vacuity=False)
        return checker.decide(claims, limits)


def _same_verdicts(difference: Difference, claims: _Lowered) -> frozenset[str]:
    """The claims on which no verdict can differ: both versions have the same reachable steps, and claim the same.

    `Difference` compares all that a claim reads.
    """
    first, second = difference.systems
    mine = {p.property.id: p.property for p in claims[0]} if difference.same_steps else {}
    return frozenset(
        q.id
        for q in (each.property for each in claims[1])
        if (p := mine.get(q.id)) is not None and _kind(p) == _kind(q) and _says(first, p) == _says(second, q)
    )


def _kind(p: Property) -> object:
    """What makes another claim of the same formula."""
    return p.kind, p.lines, p.action, p.takes_event


def _says(system: System, p: Property) -> object:
    """What a claim says, in nodes of the graph that both versions share; its lines where it has no function."""
    if p.is_about_runs:
        return _formulas(system, p), fairness_obligations(system)
    return p.lines if p.function is None else formulas(system, p)


def _is_reworded(systems: tuple[System, System], p: Property, q: Property) -> bool:
    """Do two claims of one id, each in its own file, say something else of one of the versions?"""
    if _kind(p) != _kind(q):
        return True
    if p.function is q.function:
        return False
    for system in systems:
        try:
            mine, theirs = ((_formulas if p.is_about_runs else formulas)(system, claim) for claim in (p, q))
        except CheckerError:  # One of them is about what only its own file has.
            return True
        if len(mine) != len(theirs):
            return True
        if not Equivalence(_MILLISECONDS).always_equal(list(zip(mine, theirs, strict=True)), system.graph.true):
            return True
    return False


def _texts(runs: Sequence[_Run], name: str) -> tuple[str, str] | None:
    """What each file says of a claim, where that is not the same; the kind stands before it."""
    for run in runs:
        p, q = (claims[name].property if name in claims else None for claims in run.claims)
        if p is not None and q is not None and _is_reworded(run.difference.systems, p, q):
            first, second = (f"{x.kind}\n{code_of(x.function) if x.function else ', '.join(x.lines)}" for x in (p, q))
            return first, second
    return None


def _claim_differences(runs: Sequence[_Run], order: Iterable[str]) -> tuple[ClaimDifference, ...]:
    """Every claim with its verdicts, in the order of the claims; none where nothing was explored."""
    both = [[e for run in runs if (e := run.explorations[side]) is not None] for side in (0, 1)]
    if not any(both):
        return ()
    statuses = [overall(found) for found in both]
    found = []
    for name in (name for name in order if name in statuses[0] or name in statuses[1]):
        scenarios = tuple(
            (run.difference.systems[0].scenario, _status(run.explorations[0], name), _status(run.explorations[1], name))
            for run in runs
        )
        first, second = (
            next((run.claims[side][name].property for run in runs if name in run.claims[side]), None) for side in (0, 1)
        )
        status = (statuses[0].get(name), statuses[1].get(name))
        undone, baselines = (_baselines(found, name) for found in both)
        ways = {run.difference.systems[0].scenario: run.otherwise[name] for run in runs if name in run.otherwise}
        otherwise = tuple((scenario, v.baseline) for scenario, v in ways.items() if v.baseline is not None)
        texts = _texts(runs, name)
        claim = ClaimDifference((first, second), status, scenarios, (None, None), baselines, undone, texts, otherwise)
        ways_told = [
            dataclasses.replace(
                e, verdicts=tuple(ways[e.system.scenario] if v.property.id == name else v for v in e.verdicts)
            )
            if e.system.scenario in claim.violated_otherwise
            else e
            for e in both[1]
        ]
        sides = (_telling(claim, name, 0, both[0]), _telling(claim, name, 1, ways_told))
        evidence = [_evidence(runs, side, name, shortest(sides[side]).get(name)) for side in (0, 1)]
        found.append(dataclasses.replace(claim, evidence=(evidence[0], evidence[1])))
    return tuple(found)


def _telling(claim: ClaimDifference, name: str, side: int, found: Sequence[Exploration]) -> Sequence[Exploration]:
    """Where this version violates a claim as the other does not; all scenarios if it does so in none."""
    compared = (claim.undone, claim.baselines)[side]
    worst = next((state for state in BaselineState if any(b.state is state for _, b in compared)), None)
    telling = {scenario for scenario, baseline in compared if baseline.state is worst}
    telling.update(claim.changes if not compared else ())
    telling.update(claim.violated_otherwise if side == 1 else ())
    some = [e for e in found if e.system.scenario in telling]
    return some if name in shortest(some) else found


def _baselines(found: Sequence[Exploration], name: str) -> tuple[tuple[str, Baseline], ...]:
    """By scenario how the verdict on a claim compares with that on the release."""
    verdicts = [(e.system.scenario, v) for e in found for v in e.verdicts if v.property.id == name]
    return tuple((scenario, v.baseline) for scenario, v in verdicts if v.baseline is not None)


def _status(exploration: Exploration | None, name: str) -> Status | None:
    if exploration is None:
        return None
    return next((v.status for v in exploration.verdicts if v.property.id == name), None)


def _evidence(runs: Sequence[_Run], side: int, name: str, exploration: Exploration | None) -> DecidingTrace | None:
    """The shortest violation, and whether its events violate the claim in the other version too."""
    if exploration is None:
        return None
    verdict = next(v for v in exploration.verdicts if v.property.id == name)
    trace = verdict.trace
    if trace is None:
        return None
    run = next(run for run in runs if run.difference.systems[side].scenario == exploration.system.scenario)
    system, other = run.difference.systems[side], run.difference.systems[1 - side]
    followed = follow(other, trace.steps)
    claim, breaks = run.claims[1 - side].get(name), None
    if claim is not None and trace.lasso is not None:
        breaks = is_broken_by(other, claim.property, dataclasses.replace(followed, lasso=trace.lasso))
    elif claim is not None:
        breaks = violates(other, claim, followed)
    return DecidingTrace(system.scenario, (system, other), trace, followed, breaks, verdict.failure)
