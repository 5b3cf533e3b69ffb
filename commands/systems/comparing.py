"""Two versions side by side: from names on the command line to what differs in each scenario and in the claims."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podproof.checker.core.baseline import Baseline
from podproof.checker.core.graph import Expr
from podproof.checker.core.printer import visible
from podproof.checker.core.system import (
    CheckerError,
    Exploration,
    Limits,
    LoweredProperty,
    Property,
    Status,
    System,
)
from podproof.checker.decide import Checker
from podproof.checker.difference.behaviour import follow, violates
from podproof.checker.difference.compare import Criteria, compare
from podproof.checker.difference.result import ClaimDifference, Comparison, Difference, Evidence, MethodChange
from podproof.checker.difference.transitions import in_one_graph, method_changes
from podproof.checker.engines.compiled import Compiled
from podproof.checker.liveness.groups import promises
from podproof.checker.liveness.lasso import is_broken_by
from podproof.checker.lowering.claims import formulas, lower_cases, lower_properties
from podproof.checker.lowering.source import suggestion
from podproof.checker.reductions import REDUCTIONS
from podproof.commands.line import progress
from podproof.commands.systems.baseline import SearchOptions, with_baseline
from podproof.commands.systems.build import (
    Subject,
    go_subject,
    properties_of,
    run_properties_of,
    subject_of,
    surroundings_of,
    system_of,
    which_version,
)
from podproof.commands.systems.cache import Cache
from podproof.model.notes import SEEN
from podproof.model.scenarios import Scenario
from podproof.model.versions import VERSIONS
from podproof.reports.pictures.projection import marked, phases_of
from podproof.reports.summary import overall, shortest
from podproof.specs.waits import waits_of

WORKER = "worker"
"""The actor whose steps a wait lacks."""
_INDEX = re.compile(r"\[\d+\]")


def subjects_of(a: str, b: str, version: str = "", assumed: tuple[str, ...] = ()) -> tuple[Subject, Subject]:
    """The two versions or files; a Go file is in the surroundings of the version, or of the other side.

    Raises CheckerError.
    """
    if version and not any(name.endswith(".go") for name in (a, b)):
        raise CheckerError("--version: it surrounds the workers of a .go file, and neither side is one; leave it out")
    named = version or next((name for name in (a, b) if name in VERSIONS), "")
    if not named and a.endswith(".go") and b.endswith(".go"):
        named = surroundings_of(Path(a))
    first, second = subject_named(a, named, assumed), subject_named(b, named, assumed)
    if first.name == second.name and a != b:
        first, second = dataclasses.replace(first, name=visible(a)), dataclasses.replace(second, name=visible(b))
    return with_claims_of(first, second), with_claims_of(second, first)


def with_claims_of(subject: Subject, other: Subject) -> Subject:
    """The subject, of which is claimed what the other file claims of its own."""
    claims = {claim.id: claim for claim in (*other.own_claims, *subject.own_claims)}
    return dataclasses.replace(subject, own_claims=tuple(claims.values()))


def subject_named(name: str, surroundings: str, assumed: tuple[str, ...] = ()) -> Subject:
    """A version, or what a Python or Go file makes of one. Raises CheckerError."""
    if name in VERSIONS:
        return subject_of(name, None)
    if name.endswith(".go"):
        return go_subject(Path(name), surroundings, assumed)
    if name.endswith(".py") or Path(name).exists():
        return subject_of("", Path(name))
    raise CheckerError(f"{name!r} is neither a version nor a Python or Go file; {which_version(name)}")


@dataclass(frozen=True)
class _Run:
    """One scenario: what differs, the claims in both, and what exploring them found out; None where none was needed."""

    difference: Difference
    claims: tuple[Mapping[str, LoweredProperty], Mapping[str, LoweredProperty]]
    explorations: tuple[Exploration | None, Exploration | None]


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
    described: set[str] = set()
    differences, claims = [], []
    for scenario in scenarios:
        difference, lowered = _difference(subjects, scenario, by, limits, described, liveness)
        described.update(difference.changed)
        differences.append(difference)
        claims.append(lowered)
    methods: dict[str, MethodChange] = {}
    for difference in differences:
        for method in method_changes(*difference.systems):
            methods.setdefault(method.name, method)
    names = (subjects[0].name, subjects[1].name)
    runs = list(_runs(scenarios, differences, claims, limits))
    base = subjects[1].base
    if base is not None and subjects[0].file is None and subjects[0].cls is base.cls and not liveness:
        runs = _against_release(subjects[1], scenarios, runs, limits)
    asked = (claim for subject in subjects for claim in (subject.run_claims if liveness else subject.claims))
    order = dict.fromkeys(claim.id for claim in asked)
    return Comparison(names, tuple(methods.values()), tuple(differences), _claim_differences(runs, order))


_Lowered = tuple[tuple[LoweredProperty, ...], tuple[LoweredProperty, ...]]


def _difference(
    subjects: tuple[Subject, Subject],
    scenario: Scenario,
    by: Sequence[str] | None,
    limits: Limits,
    described: set[str],
    liveness: bool,
) -> tuple[Difference, _Lowered]:
    first, second = in_one_graph(*(system_of(subject, scenario) for subject in subjects))
    paths, missing = _paths((first, second), by)
    lowered = tuple(
        tuple(_about_runs(system, p) for p in run_properties_of(subject, scenario))
        if liveness
        else lower_properties(system, properties_of(subject, scenario))
        for system, subject in zip((first, second), subjects, strict=True)
    )
    picture = tuple(p for p in paths if p in {f"pod_sync_statuses[0].{name}" for name in phases_of(first)})
    criteria = Criteria(paths, missing, picture or paths, (WORKER,), (lowered[0], lowered[1]))
    with progress.show_progress(f"{subjects[0].name} and {subjects[1].name} {scenario.name}") as report:
        return compare((first, second), criteria, limits, report, described), (lowered[0], lowered[1])


def _about_runs(system: System, p: Property) -> LoweredProperty:
    """A claim about runs, with all that it reads as one formula over states."""
    return LoweredProperty(p, state=system.graph.and_(*_formulas(system, p)))


def _formulas(system: System, p: Property) -> list[Expr]:
    return [node for case in lower_cases(system, p) for node in (case.premise, case.goal)]


def _paths(systems: tuple[System, System], asked: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables that both versions have for the fields, of every pod; and the fields for which they have none."""
    names = dict.fromkeys(n for s in systems for n in marked(s, SEEN)) if asked is None else asked
    if not names:
        raise CheckerError("--by names no field; name some, separated by commas: see `podproof list fields`")
    found: dict[str, None] = {}
    missing = []
    for name in names:
        both = [_calls(system, name) for system in systems]
        for system, paths in zip(systems, both, strict=True):
            if asked is not None and not paths:
                known = {_INDEX.sub("", v.path).removeprefix("pod_sync_statuses.") for v in system.variables}
                hint = suggestion(name, known, "see `podproof list fields`")
                raise CheckerError(f"--by: {system.version} has no field {name!r}; {hint}")
        shared = [path for path in both[0] if path in both[1]]
        found.update(dict.fromkeys(shared))
        if not shared and any(both):
            missing.append(name)
    if not found:
        first, second = (s.version for s in systems)
        common = {v.path for v in systems[0].variables} & {v.path for v in systems[1].variables}
        those = ", ".join(sorted({_INDEX.sub("", path) for path in common})[:12]) or "none"
        raise CheckerError(
            f"{first} and {second} have none of the fields {', '.join(names)} in common, so their behaviour cannot be "
            f"compared by them; name others with --by. Both have: {those}"
        )
    return tuple(found), tuple(missing)


def seen_paths(system: System) -> tuple[str, ...]:
    """The variables that can be seen of a pod worker from outside."""
    return tuple(path for name in marked(system, SEEN) for path in _calls(system, name))


def _calls(system: System, name: str) -> list[str]:
    """The variables that a field's name stands for: a path with or without indices, a status's or a worker's field."""
    plain = _INDEX.sub("", name)
    names = {plain, f"pod_sync_statuses.{plain}", re.sub(r"^worker\.", "workers.", plain)}
    exact = [v.path for v in system.variables if v.path == name]
    return exact or [v.path for v in system.variables if _INDEX.sub("", v.path) in names]


# -- claims --------------------------------------------------------------------------------------------------------


def _runs(
    scenarios: Sequence[Scenario], differences: Sequence[Difference], claims: Sequence[_Lowered], limits: Limits
) -> Iterator[_Run]:
    """Explore both versions with their claims; only one where both have the same steps and the same claims.

    Where that is so in every scenario no verdict can differ, and nothing is explored.
    """
    same = [_same_verdicts(*item) for item in zip(differences, claims, strict=True)]
    for scenario, difference, lowered, alike in zip(scenarios, differences, claims, same, strict=True):
        by_name = tuple({p.property.id: p for p in side} for side in lowered)
        first = second = None
        if not all(same):
            first = _explore(difference.systems[0], lowered[0], scenario, limits)
            if alike and first is not None:
                second = dataclasses.replace(first, system=difference.systems[1])
            else:
                second = _explore(difference.systems[1], lowered[1], scenario, limits)
        for found in (first, second):
            if found is not None and found.interrupted:
                raise KeyboardInterrupt
        yield _Run(difference, (by_name[0], by_name[1]), (first, second))


@dataclass(frozen=True)
class _Explored(SearchOptions):
    """What is known of the release already, in place of a search."""

    known: Mapping[str, Exploration]
    """By scenario."""

    def explore(self, base: Subject, scenario: Scenario, claims: tuple[str, ...]) -> Exploration | None:
        return self.known.get(scenario.name)


def _against_release(
    subject: Subject, scenarios: Sequence[Scenario], runs: Sequence[_Run], limits: Limits
) -> list[_Run]:
    """The same runs; each verdict on the second version, a change of the first, with how it compares."""
    known = {e.system.scenario: e for run in runs if (e := run.explorations[0]) is not None}
    found = [e for run in runs if (e := run.explorations[1]) is not None]
    cache = Cache(subject, None)
    search = _Explored("compiled", limits, tuple(REDUCTIONS), None, 1, cache, known)
    compared = {e.system.scenario: e for e in with_baseline(subject, scenarios, found, search)}
    if any(e.interrupted for e in compared.values()):
        raise KeyboardInterrupt
    return [
        dataclasses.replace(run, explorations=(run.explorations[0], compared.get(run.difference.systems[1].scenario)))
        for run in runs
    ]


def _explore(
    system: System, claims: Sequence[LoweredProperty], scenario: Scenario, limits: Limits
) -> Exploration | None:
    if not claims:
        return None
    with progress.show_progress(f"{system.version} {scenario.name}") as report:
        if claims[0].property.is_about_runs:
            from podproof.checker.liveness.decide import RunChecker  # Loads NumPy, and LLVM with it.

            runs = RunChecker(system, report=report, needs=False, waits=waits_of(system.shape.cls))
            return runs.decide([p.property for p in claims], limits)
        checker = Checker(system, Compiled(), tuple(REDUCTIONS), scenario.interchangeable, report, tells_exercise=False)
        return checker.decide(claims, limits)


def _same_verdicts(difference: Difference, claims: _Lowered) -> bool:
    """Have both the same reachable steps and the same claims? `Difference` compares all that a claim reads."""
    if not difference.same_steps or [p.property.id for p in claims[0]] != [p.property.id for p in claims[1]]:
        return False
    return all(_says(difference.systems[0], p.property) == _says(difference.systems[1], p.property) for p in claims[0])


def _says(system: System, p: Property) -> object:
    """What a claim says, in nodes of the graph that both versions share; its lines where it has no function."""
    if p.is_about_runs:
        return _formulas(system, p), promises(system)
    return p.lines if p.function is None else formulas(system, p)


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
        properties = [lowered[name].property for run in runs for lowered in run.claims if name in lowered]
        status = (statuses[0].get(name), statuses[1].get(name))
        claim = ClaimDifference(properties[0], status, scenarios, (None, None), _baselines(both[1], name))
        telling = {scenario for scenario, baseline in claim.baselines if baseline.state is claim.state}
        sides = (both[0], [e for e in both[1] if e.system.scenario in telling] or both[1])
        evidence = [_evidence(runs, side, name, shortest(sides[side]).get(name)) for side in (0, 1)]
        found.append(dataclasses.replace(claim, evidence=(evidence[0], evidence[1])))
    return tuple(found)


def _baselines(found: Sequence[Exploration], name: str) -> tuple[tuple[str, Baseline], ...]:
    """By scenario how the verdict on a claim compares with that on the release."""
    verdicts = [(e.system.scenario, v) for e in found for v in e.verdicts if v.property.id == name]
    return tuple((scenario, v.baseline) for scenario, v in verdicts if v.baseline is not None)


def _status(exploration: Exploration | None, name: str) -> Status | None:
    if exploration is None:
        return None
    return next((v.status for v in exploration.verdicts if v.property.id == name), None)


def _evidence(runs: Sequence[_Run], side: int, name: str, exploration: Exploration | None) -> Evidence | None:
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
    return Evidence(system.scenario, (system, other), trace, followed, breaks, verdict.conjunct)
