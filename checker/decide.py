"""From claims about a system to verdicts: reduce it, ask an engine, confirm what it found, say what is false."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from podproof.checker.core.system import NO_LIMITS, Exploration, Limits, LoweredProperty, OnProgress, System, Verdict
from podproof.checker.engines import Engine
from podproof.checker.explain.conjuncts import with_conjuncts
from podproof.checker.explain.counterexamples import confirm, questions, with_others
from podproof.checker.explain.premise import premises_of, with_exercise
from podproof.checker.reductions.plan import plan
from podproof.checker.reductions.symmetry import Names


@dataclasses.dataclass(frozen=True)
class Checker:
    """How the claims about a system are decided."""

    system: System
    engine: Engine
    reductions: Collection[str] = ()
    interchangeable: Sequence[Names] = ()
    """Exchanges of names that symmetry may use."""
    report: OnProgress | None = None
    again: Engine | None = None
    """The engine that looks for more counterexamples, where it is another one."""
    tells_exercise: bool = True
    """Is it asked of each claim that holds whether it is exercised?"""

    def run(
        self,
        claims: Sequence[LoweredProperty],
        limits: Limits = NO_LIMITS,
        premises: Sequence[LoweredProperty] = (),
    ) -> Exploration:
        """The verdicts, each trace confirmed by the model itself; with premises, which claims are exercised."""
        able = [name for name in self.reductions if name in self.engine.reductions]
        reduced = plan(self.system, [*claims, *premises], able, self.interchangeable)
        found = self.engine.run(reduced.system, reduced.properties, reduced.keep, limits, self.report)
        of_claims = dataclasses.replace(reduced, asked=tuple(claims))
        return confirm(of_claims.report(with_exercise(found, premises)))

    def decide(self, claims: Sequence[LoweredProperty], limits: Limits = NO_LIMITS, most: int = 1) -> Exploration:
        """The same with the false part of each violated claim, and up to so many counterexamples of it.

        Beside each that holds stands whether it is exercised, where an engine goes through states one by one.
        """
        asks = self.tells_exercise and not self.engine.is_unbounded
        premises = list(premises_of(self.system, claims).values()) if asks else []
        found = self.run(claims, limits, premises)
        return with_conjuncts(self.with_others(claims, found, limits, most) if most > 1 else found)

    def with_others(
        self, claims: Sequence[LoweredProperty], found: Exploration, limits: Limits, most: int
    ) -> Exploration:
        """What was found, with up to `most` counterexamples of each violated claim."""
        asked, answers = tuple(questions(self.system, claims, found)), tuple[Verdict, ...]()
        if limits.seconds is not None:
            limits = dataclasses.replace(limits, seconds=limits.seconds - found.seconds)
        is_over = found.interrupted or (limits.seconds is not None and limits.seconds <= 0)
        if asked and not is_over:
            other = dataclasses.replace(self, engine=self.again or self.engine)
            again = other.run([question.property for question in asked], limits)
            found, answers = dataclasses.replace(found, interrupted=again.interrupted), again.verdicts
        return with_others(found, asked, answers, most, found.reason or "no time is left (--budget)")
