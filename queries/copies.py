"""What a page offers to copy a trace as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podproof.checker.conclude import Shown, conclude
from podproof.checker.core.system import ClaimFailure, Property, System, Trace
from podproof.model.crowd import NODES
from podproof.queries.build import Subject
from podproof.queries.go_tests import go_test_alone
from podproof.queries.walks import check_command, names_of, taken_by_hand, walk_command
from podproof.reports.content.verdicts import check_answer
from podproof.reports.pictures.trace import TraceDiagram
from podproof.reports.render.json import answer_data


def copies(
    subject: Subject,
    system: System,
    claim: Property,
    trace: Trace,
    failure: ClaimFailure | None,
    is_brief: bool = False,
) -> Mapping[str, Any]:
    """By name a text, or data of the schema podproof/1. A Go test only where one can take the trace.

    In brief only what takes little room.
    """
    verdict = replace(conclude(claim, Shown(trace, is_shortest=system.scenario not in NODES)), failure=failure)
    command = check_command(subject, system.scenario, claim.id)
    found: dict[str, Any] = {"Mermaid": TraceDiagram(system, verdict, trace, command).mermaid()}
    if trace.lasso is not None or system.is_unbounded:
        return found
    found["Command"] = walk_command(subject, system.scenario, names_of(trace))
    if is_brief:
        return found
    found["JSON"] = answer_data(check_answer([taken_by_hand(system, trace, (verdict,))]))
    if (test := go_test_alone(subject, system, verdict)) is not None:
        found["Go test"] = test
    return found
