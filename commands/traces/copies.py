"""What a page offers to copy a trace as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podproof.checker.core.system import Property, Status, System, Trace, Verdict
from podproof.commands.explain_trace import HEAD, TraceStory, go_test_of
from podproof.commands.line.findings import tool
from podproof.commands.systems.build import Subject
from podproof.commands.traces.walks import names_of, taken_by_hand, walk_command
from podproof.commands.traces.worker_calls import release_of
from podproof.reports.content.check import check_data
from podproof.reports.go_test import go_test_file
from podproof.reports.layout import number_of
from podproof.reports.pictures.sequence import mermaid_sequence


def copies(
    subject: Subject, system: System, claim: Property, trace: Trace, is_brief: bool = False
) -> Mapping[str, Any]:
    """By name a text, or data of the schema podproof/1. A Go test only where one can take the trace.

    In brief only what takes little room.
    """
    caption = f"{claim.id}, {system.version}, scenario {system.scenario}"
    found: dict[str, Any] = {"Mermaid": mermaid_sequence(system, trace, (caption,))}
    if trace.lasso is not None or system.is_unbounded:
        return found
    scenario = subject.scenarios[system.scenario]
    found["Command"] = walk_command(subject, scenario.name, names_of(trace))
    if is_brief:
        return found
    status = Status.HOLDS if claim.is_witnessed else Status.VIOLATED
    verdict = Verdict(claim, status, f"after {number_of(len(trace.steps), 'step')}", trace)
    found["JSON"] = check_data([taken_by_hand(system, trace, (verdict,))], tool())
    release = release_of(subject.cls)
    if release is not None:
        test = go_test_of(TraceStory(subject, scenario, system, claim, trace))
        if not test.skip:
            found["Go test"] = go_test_file([test], release, HEAD)
    return found
