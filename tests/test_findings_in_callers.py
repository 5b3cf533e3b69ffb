"""docs/findings: the steps are those that check finds, mends do what is said, and functions break the claims named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.callers_faults import Fault
from tests.callers_mends import MENDS
from tests.exploring import explored

from podproof.checker.core.system import Limits, Status
from podproof.checker.reductions import REDUCTIONS
from podproof.model.scenarios import CALLERS
from podproof.queries.build import subject_of
from podproof.queries.proving import prove
from podproof.queries.search import explore

FINDINGS = Path(__file__).parents[1] / "docs" / "findings"
OF_FUNCTIONS = FINDINGS / "container-restart-policies.md"
PAGES = sorted({*FINDINGS.glob("*.md")} - {OF_FUNCTIONS})
COMMAND = re.compile(r"^\$ podproof check --version (\S+) --scenario (\S+) --property (\w+)", re.M)


@pytest.mark.quick(3)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_steps_are_those_that_check_finds(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    ((version, scenario, claim),) = COMMAND.findall(text)
    (steps,) = re.findall(r"```text\n(.*?)```", text, re.S)
    subject = subject_of(version, None)
    found = explore(subject, CALLERS[scenario], (claim,), "compiled", Limits(), tuple(REDUCTIONS), None, 6)
    (verdict,) = found.verdicts
    traces = [trace for trace in (verdict.trace, *(other.trace for other in verdict.others)) if trace is not None]
    told = [
        "".join(f"{i:2}  {found.system.event(move)}\n" for i, move in enumerate(trace.moves, 1)) for trace in traces
    ]
    assert steps in (told if "--counterexamples" in text else told[:1])


@pytest.mark.quick(2)
@pytest.mark.parametrize("mend", MENDS, ids=lambda mend: str(mend.name))
def test_a_mend_makes_its_claim_hold(mend: Fault) -> None:
    (before,) = explored(mend.release, mend.scenario, mend.claim).verdicts
    (after,) = explored(mend.plant(), mend.scenario, mend.claim).verdicts
    assert (before.status, after.status) == (Status.VIOLATED, Status.HOLDS)


def test_a_mend_of_what_rejected_pods_keep_makes_something_else_worse() -> None:
    """As its page says: a pod that PLEG gives a worker gets no DELETE any more."""
    mend, claim = MENDS[0], "ended_and_deleted_pods_terminate"
    (before,) = explored(mend.release, mend.scenario, claim).verdicts
    (after,) = explored(mend.plant(), mend.scenario, claim).verdicts
    assert (before.status, after.status, after.depth) == (Status.HOLDS, Status.VIOLATED, 8)


@pytest.mark.slow
def test_functions_break_the_claims_of_their_page() -> None:
    rows = re.findall(r"\| `(\w+)` \| `([\w-]+)` \|$", OF_FUNCTIONS.read_text(encoding="utf-8"), re.M)
    answer = prove("v1.36.3", [*dict.fromkeys(function for _, function in rows)], [claim for claim, _ in rows])
    broken = {
        (verdict.property.id, exploration.system.scenario.rstrip("-0123456789"))
        for exploration in answer.explorations
        for verdict in exploration.verdicts
        if verdict.status is Status.VIOLATED
    }
    assert len(rows) == 3 and broken == {*rows}
