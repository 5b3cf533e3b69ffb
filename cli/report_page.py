"""The page of --report-dir: what it needs besides the verdicts, and where it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from podproof.checker.core.system import Exploration, Status, Trace, Verdict
from podproof.cli import terminal
from podproof.cli.findings import ReportContext
from podproof.queries.build import Subject
from podproof.queries.copies import copies
from podproof.queries.page import model_sources, scenario_maps
from podproof.queries.walks import names_of, walk_command
from podproof.reports.page.build import PageContent, page
from podproof.reports.page.maps import Map
from podproof.reports.pictures.trace import write_trace_pictures
from podproof.reports.summary import shortest


def write_report(directory: Path, explorations: Sequence[Exploration], context: ReportContext) -> None:
    """Write `index.html` and a picture of each violation's trace, and say so on standard error.

    Raises KeyboardInterrupt for Ctrl-C while maps are made, when the page has been written without the missing ones.
    """
    maps: dict[str, list[Map]] = {}
    interrupted = False
    try:
        for exploration in explorations:
            if exploration.complete:  # After Ctrl-C or a limit nobody waits for another exploration.
                scenario = exploration.system.scenario
                maps[scenario] = scenario_maps(context.subject, scenario)
    except KeyboardInterrupt:
        interrupted = True
    pictures = (path for exploration in explorations for path in write_trace_pictures(exploration, directory))
    for path in (*pictures, _write_page(directory, explorations, context, maps)):
        terminal.note(f"wrote {path}")
    if interrupted:
        raise KeyboardInterrupt


def _write_page(
    directory: Path, explorations: Sequence[Exploration], context: ReportContext, maps: Mapping[str, list[Map]]
) -> Path:
    content = PageContent(
        subject=context.subject.name,
        command=context.line,
        explorations=explorations,
        maps=maps,
        notes=context.notes,
        sources=model_sources(context.subject),
        replay=context.replay,
        explore=partial(_explore, context.subject),
        copies=partial(_copies, context.subject, shortest(explorations)),
    )
    path = directory / "index.html"
    path.write_text(page(content), encoding="utf-8")
    return path


def _explore(subject: Subject, exploration: Exploration, trace: Trace) -> str:
    """The command that walks along a trace; empty for numbers that the scenario may not have."""

    if exploration.system.is_unbounded:
        return ""
    return walk_command(subject, exploration.system.scenario, names_of(trace))


def _copies(
    subject: Subject, best: Mapping[str, Exploration], exploration: Exploration, verdict: Verdict, trace: Trace
) -> Mapping[str, Any]:
    """What a trace that breaks a claim can be copied as; only the shortest as everything, to keep the page small."""
    if verdict.status is not Status.VIOLATED:
        return {}
    claim = verdict.property
    is_brief = best[claim.id] is not exploration or trace is not verdict.trace
    return copies(subject, exploration.system, claim, trace, verdict.failure, is_brief)
