"""Faults after which somebody waits for ever though no step is wrong: claims about runs notice each, no others do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from tests.exploring import explored
from tests.mutants import MUTANTS, RUN_MUTANTS, Mutant, told

from podproof.checker.core.system import Status
from podproof.checker.liveness.decide import RunChecker
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, run_properties_of, system_of
from podproof.specs import RUN_CLAIMS


def waits(version: type[V1_29], world: str, *claims: str, engine: str = "compiled") -> dict[str, str]:
    """Of these claims about runs, or else all, those that are violated, with their lassos."""
    subject, scenario = Subject("test", version, ""), SCENARIOS[world]
    asked = run_properties_of(subject, scenario, claims)
    found = RunChecker(system_of(subject, scenario), engine, needs=False).decide(asked)
    lassos = {v.property.id: (v.trace.lasso, len(v.trace.steps)) for v in found.verdicts if v.trace is not None}
    return {id: f"{lasso.start} + {end - lasso.start}" for id, (lasso, end) in lassos.items() if lasso is not None}


@cache
def waits_without_fault(world: str) -> dict[str, str]:
    return waits(V1_29, world)


def violated(version: type[V1_29], world: str) -> dict[str, int | None]:
    return {v.property.id: v.depth for v in explored(version, world).verdicts if v.status is Status.VIOLATED}


@pytest.mark.slow
def test_every_fault_is_noticed(golden: Callable[[str, str], None], request: pytest.FixtureRequest) -> None:
    """By the claims that the table has for it; made anew, by those of all that hold without the fault."""
    anew, lines = bool(request.config.getoption("--rewrite-golden")), list[str]()
    for fault in RUN_MUTANTS:
        found = waits(fault.plant(), fault.scenario, *(() if anew else fault.noticed))
        if anew:
            found = {id: lasso for id, lasso in found.items() if id not in waits_without_fault(fault.scenario)}
        lines += told(fault, (f"{id}  {lasso}" for id, lasso in found.items()))
    golden("catalogue-faults-runs.txt", "\n".join(lines))


def test_there_are_thirty_and_more() -> None:
    names = [fault.name for fault in (*RUN_MUTANTS, *(fault for part in MUTANTS.values() for fault in part))]
    assert len(RUN_MUTANTS) >= 30 and len(names) == len(set(names))
    assert all(fault.noticed for fault in RUN_MUTANTS)
    assert {id for fault in RUN_MUTANTS for id in fault.noticed} <= {claim.id for claim in RUN_CLAIMS}


@pytest.mark.quick(1)
@pytest.mark.parametrize("fault", RUN_MUTANTS[::16], ids=lambda fault: fault.name)
def test_no_claim_about_states_or_steps_notices(fault: Mutant) -> None:
    """Asked of some here; the table has none that any of these claims notices."""
    assert violated(fault.plant(), fault.scenario) == violated(V1_29, fault.scenario)
