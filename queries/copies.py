"""What a page offers to copy a trace as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podproof.checker.conclude import Shown, conclude
from podproof.checker.core.system import ClaimFailure, Property, System, Trace
from podproof.cli.explain_trace import HEAD, TraceStory, go_test_of
from podproof.cli.findings import tool
from podproof.model.crowd import NODES
from podproof.queries.build import Subject
from podproof.queries.walks import check_command, names_of, taken_by_hand, walk_command
from podproof.queries.worker_calls import new_member_in, release_of
from podproof.reports.content.check import check_data
from podproof.reports.go_test import go_test_file
from podproof.reports.pictures.sequence import TraceDiagram


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
    scenario = subject.scenarios[system.scenario]
    found["Command"] = walk_command(subject, scenario.name, names_of(trace))
    if is_brief:
        return found
    found["JSON"] = check_data([taken_by_hand(system, trace, (verdict,))], tool())
    release = release_of(subject.cls)
    if release is not None and new_member_in(system, trace) is None:
        test = go_test_of(TraceStory(subject, scenario, system, claim, trace))
        if not test.skip:
            found["Go test"] = go_test_file([test], release, HEAD)
    return found
