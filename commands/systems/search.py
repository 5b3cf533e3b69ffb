"""One search of a system by one engine, and a second one where more than one counterexample is wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podproof.checker.core.system import Exploration, Limits, LoweredProperty, Progress, System, TooWide
from podproof.checker.engines import python
from podproof.checker.engines.compiled import explore as explore_compiled
from podproof.checker.explain.confirmation import confirmed
from podproof.checker.explain.conjuncts import with_conjuncts
from podproof.checker.explain.counterexamples import questions, time_left, with_others
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions.plan import plan
from podproof.commands.line import progress, terminal
from podproof.commands.systems.build import Subject, properties_of, system_of
from podproof.model.scenarios import Scenario

if TYPE_CHECKING:
    from podproof.checker.engines.compiled.long_run import LongRun

_NOT_OF: Mapping[str, set[str]] = {"python": {"symmetry", "dead-values"}, "symbolic": {"symmetry"}}
"""What an engine cannot use: python runs the model itself and can leave variables out, symbolic knows no renaming."""


@dataclass(frozen=True)
class Search:
    """How a system is to be searched."""

    system: System
    engine: str
    """auto, python, compiled or symbolic."""
    reductions: tuple[str, ...]
    interchangeable: Sequence[Mapping[str, tuple[int, ...]]]
    """Exchanges of names that symmetry may use."""
    report: Callable[[Progress], None] | None
    long_run: LongRun | None = None

    def run(self, properties: Sequence[LoweredProperty], limits: Limits) -> Exploration:
        """The verdicts on some claims, each trace confirmed by the model itself."""
        try:
            return self._run(properties, limits)
        except TooWide as error:
            if self.engine != "auto" or self.long_run is not None:
                raise
            terminal.note(f"--engine auto takes python, which is slower: {error}")
            return dataclasses.replace(self, engine="python").run(properties, limits)

    def _run(self, properties: Sequence[LoweredProperty], limits: Limits) -> Exploration:
        names = set(self.reductions) - _NOT_OF.get(self.engine, set())
        reduced = plan(self.system, properties, names, self.interchangeable)
        smaller, claims, keep = reduced.system, reduced.properties, reduced.keep
        if self.engine == "python":
            found = python.explore(self.system, [p.property for p in properties], keep, limits, self.report)
        elif self.engine == "symbolic":
            from podproof.checker.engines import (
                symbolic,
            )  # Z3 takes a while to be loaded, and no other engine needs it.

            found = symbolic.explore(smaller, claims, keep, limits, self.report)
        elif self.long_run is None:
            found = explore_compiled(smaller, claims, keep, limits, self.report)
        else:
            from podproof.checker.engines.compiled.long_run import explore_long

            found = explore_long(smaller, claims, keep, limits, self.report, self.long_run)
        return confirmed(reduced.report(found))

    def with_others(
        self, properties: Sequence[LoweredProperty], found: Exploration, limits: Limits, most: int
    ) -> Exploration:
        """What was found, with up to `most` counterexamples of a claim. What looks for them is never saved."""
        asked, limits = tuple(questions(self.system, properties, found)), time_left(limits, found)
        if not asked:
            return with_others(found, (), (), most)
        if found.interrupted or (limits.seconds is not None and limits.seconds <= 0):
            return with_others(found, asked, (), most, found.reason or "no time is left (--budget)")
        unsaved = None if self.long_run is None else dataclasses.replace(self.long_run, checkpoint=None, resume=False)
        again = dataclasses.replace(self, long_run=unsaved).run([question.property for question in asked], limits)
        found = dataclasses.replace(found, interrupted=again.interrupted)
        return with_others(found, asked, again.verdicts, most)


def explore(
    subject: Subject,
    scenario: Scenario,
    wanted: tuple[str, ...],
    engine: str,
    limits: Limits,
    reductions: tuple[str, ...],
    long_run: LongRun | None = None,
    counterexamples: int = 1,
) -> Exploration | None:
    """One scenario through one engine; None when no wanted claim is about it."""
    properties = properties_of(subject, scenario, wanted)
    if not properties:
        return None
    system = system_of(subject, scenario, unbounded=engine == "symbolic")
    lowered = lower_properties(system, properties)
    with progress.shown(f"{subject.name} {scenario.name}") as report:
        search = Search(system, engine, reductions, scenario.interchangeable, report, long_run)
        found = search.run(lowered, limits)
        if counterexamples > 1:
            found = search.with_others(lowered, found, limits, counterexamples)
    return with_conjuncts(found)
