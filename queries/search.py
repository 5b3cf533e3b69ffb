"""One scenario of a version or a model file, through one engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from podproof.checker.conclude import Undecided, conclude
from podproof.checker.core.system import NO_LIMITS, CheckerError, Exploration, Limits, OutOfRoom, TooWide
from podproof.checker.decide import Checker
from podproof.checker.engines import AUTO, candidates, engine
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS
from podproof.model.crowd import Crowd
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.build import Subject, properties_of, run_properties_of, system_of
from podproof.specs.waits import waits_of


@dataclass(frozen=True)
class SearchOptions:
    """How scenarios are explored."""

    engine: str = AUTO
    limits: Limits = NO_LIMITS
    reductions: tuple[str, ...] = tuple(REDUCTIONS)
    memory: int | None = None
    """Bytes that an engine may take; None for what is available."""
    counterexamples: int = 1
    """At most so many for each violated claim."""


def engines_for(name: str, scenario: Scenario, limits: Limits) -> Sequence[str]:
    """The engines that are meant: the first that can. `auto` takes sets of states for three or more like pods."""
    return candidates(name, in_sets=limits.max_states is None and len(scenario.interchangeable) >= 2)


def unanswered(
    subject: Subject, scenario: Scenario, wanted: tuple[str, ...], name: str, runs: bool, reason: str = "interrupted"
) -> Exploration:
    """What is known of the wanted claims when there is no answer: by default, since nobody waits for it any more."""
    properties = (run_properties_of if runs else properties_of)(subject, scenario, wanted)
    verdicts = tuple(conclude(p, Undecided(reason)) for p in properties)
    system, (engine, *_) = system_of(subject, scenario), candidates(name)
    return Exploration(system, engine, False, reason, 0.0, verdicts, interrupted=reason == "interrupted")


def explore_runs(
    subject: Subject,
    scenario: Scenario,
    wanted: tuple[str, ...],
    name: str,
    limits: Limits,
    reductions: tuple[str, ...],
    without: tuple[str, ...] = (),
    needs: bool = True,
) -> Exploration | None:
    """The verdicts on the wanted claims about whole runs; None when none of them is about the scenario."""
    if isinstance(scenario, Crowd):
        raise CheckerError(
            f"--scenario {scenario.name}: claims about whole runs are not decided by the members of a node; "
            "ask about a smaller scenario"
        )
    properties = run_properties_of(subject, scenario, wanted)
    if not properties:
        return None
    from podproof.checker.liveness.decide import RunChecker  # Loads NumPy, and LLVM with it.

    system = system_of(subject, scenario)
    with progress.show_progress(f"{subject.name} {scenario.name}") as report:

        def by(way: str) -> Exploration:
            waits = waits_of(system.shape.cls)
            checker = RunChecker(system, way, without, reductions, report, needs, waits)
            return checker.decide(properties, limits)

        ways = candidates(name)
        return _by_first(ways, by, partial(unanswered, subject, scenario, wanted, runs=True))


def explore(
    subject: Subject,
    scenario: Scenario,
    wanted: tuple[str, ...],
    name: str,
    limits: Limits,
    reductions: tuple[str, ...],
    memory: int | None = None,
    counterexamples: int = 1,
) -> Exploration | None:
    """The verdicts on the wanted claims, all when empty; None when none of them is about the scenario."""
    if isinstance(scenario, Crowd) and len(scenario.members) > 1 and name == AUTO:
        if memory is not None or counterexamples > 1:
            raise CheckerError(
                f"--scenario {scenario.name}: it is decided by its members, without --counterexamples and --memory; "
                "leave them out"
            )
        from podproof.queries.crowds import explore_members

        by_itself = partial(explore, subject, name=name, limits=limits, reductions=reductions)
        return explore_members(subject, scenario, wanted, by_itself)
    properties = properties_of(subject, scenario, wanted)
    if not properties:
        return None
    ways = engines_for(name, scenario, limits)
    system = system_of(subject, scenario, unbounded=engine(ways[0]).is_unbounded)
    claims = lower_properties(system, properties)
    with progress.show_progress(f"{subject.name} {scenario.name}") as report:

        def by(way: str) -> Exploration:
            search = Checker(system, engine(way, memory), reductions, scenario.interchangeable, report)
            return search.decide(claims, limits, counterexamples)

        return _by_first(ways, by, partial(unanswered, subject, scenario, wanted, runs=False))


def _by_first(
    ways: Sequence[str], decide: Callable[[str], Exploration], unanswered: Callable[..., Exploration]
) -> Exploration:
    """What the first engine that can finds out. Raises TooWide where none can."""
    for way, other in itertools.zip_longest(ways, ways[1:]):
        try:
            return decide(way)
        except TooWide as error:
            if other is None and isinstance(error, OutOfRoom):
                return unanswered(name=way, reason=f"{error}; give it more, or less to do")
            if other is None:
                raise
            progress.note(f"--engine {AUTO} takes {other}, which is slower: {error}")
    raise AssertionError("the last way is taken, or raises")
