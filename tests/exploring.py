"""What the compiled engine finds of a version in a scenario."""

from __future__ import annotations

from podproof.checker.core.system import Exploration, Limits
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan, relevant_variables
from podproof.model.pod_workers import PodWorkers
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.queries.build import Subject, properties_of, subject_of, system_of


def explored(
    version: str | type[PodWorkers], scenario: str | Scenario, *claims: str, limits: Limits | None = None
) -> Exploration:
    """About these claims, or else about all; constants and variables that they do not depend on are left out."""
    subject = subject_of(version, None) if isinstance(version, str) else Subject("test", version, "")
    world = SCENARIOS[scenario] if isinstance(scenario, str) else scenario
    system = system_of(subject, world)
    lowered = lower_properties(system, properties_of(subject, world, claims))
    made = plan(system, lowered, {"constants"})
    return made.report(
        Compiled().run(made.system, made.properties, relevant_variables(system, lowered), limits or Limits())
    )
