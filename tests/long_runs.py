"""Two-phase commit as a long run, and all that it found as text."""

from __future__ import annotations

from typing import Any

from tests.two_phase_commit import PROPERTIES, TwoPhaseCommit, two_phase_commit

from podproof.checker.core.system import Exploration, Limits, LoweredProperty, System
from podproof.checker.engines import LongRun
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.claims import lower_properties

Subject = tuple[System, tuple[LoweredProperty, ...]]


def subject(managers: int, cls: type[TwoPhaseCommit] = TwoPhaseCommit) -> Subject:
    system = two_phase_commit(managers, cls)
    return system, lower_properties(system, PROPERTIES)


def run(
    what: Subject, plan: LongRun, limits: Limits | None = None, report: Any = None, threads: int = 1
) -> Exploration:
    return Compiled(threads, plan).run(*what, None, limits or Limits(), report)


def told(found: Exploration) -> str:
    """Everything that a report could say, except for times."""
    names = ("complete", "reason", "states", "transitions", "depth", "actions", "bounds_hit")
    traces = [(v.property.id, v.status, v.reason, v.trace) for v in found.verdicts]
    return repr(([getattr(found, name) for name in names], traces))
