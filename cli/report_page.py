"""The page of --report-dir: what it needs besides the verdicts, and where it is written."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from podproof.checker.core.printer import TRANSLATED, short_path
from podproof.checker.core.system import Exploration, Limits, Status, Trace, Verdict
from podproof.checker.engines.compiled import state_graph
from podproof.checker.reductions import relevant_variables
from podproof.cli import progress, terminal
from podproof.cli.findings import ReportContext
from podproof.model.crowd import NODES
from podproof.queries.build import Subject, system_of
from podproof.queries.copies import copies
from podproof.queries.walks import names_of, walk_command
from podproof.reports.page.build import PageContent, page
from podproof.reports.page.maps import Map, map_fields, maps_of
from podproof.reports.pictures.picture import write_trace_pictures
from podproof.reports.summary import shortest

MOST_MAPPED = 1_000_000
"""States of a scenario that gets maps: more take minutes."""


def write_report(directory: Path, explorations: Sequence[Exploration], told: ReportContext) -> None:
    """Write `index.html` and a picture of each violation's trace, and say so on standard error.

    Raises KeyboardInterrupt for Ctrl-C while maps are made, when the page has been written without the missing ones.
    """
    maps: dict[str, list[Map]] = {}
    interrupted = False
    try:
        for exploration in explorations:
            if exploration.complete:  # After Ctrl-C or a limit nobody waits for another exploration.
                scenario = exploration.system.scenario
                maps[scenario] = scenario_maps(told.subject, scenario)
    except KeyboardInterrupt:
        interrupted = True
    pictures = (path for exploration in explorations for path in write_trace_pictures(exploration, directory))
    for path in (*pictures, _write_page(directory, explorations, told, maps)):
        terminal.note(f"wrote {path}")
    if interrupted:
        raise KeyboardInterrupt


def _write_page(
    directory: Path, explorations: Sequence[Exploration], told: ReportContext, maps: Mapping[str, list[Map]]
) -> Path:
    content = PageContent(
        subject=told.subject.name,
        command=told.line,
        explorations=explorations,
        maps=maps,
        notes=told.notes,
        sources=model_sources(told.subject),
        replay=told.replay,
        explore=partial(_explore, told.subject),
        copies=partial(_copies, told.subject, shortest(explorations)),
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


def model_sources(subject: Subject) -> dict[str, str]:
    """The texts of the model's files, by the names that lines have."""
    parts = (subject.cls, subject.cls.kubelet, subject.cls.open)
    own = {cls.__module__ for part in parts for cls in part.__mro__} - {"builtins"}
    names = [name for name in sys.modules if name.startswith("podproof.model.") or name in own]
    files = sorted(file for name in names if (file := sys.modules[name].__file__) is not None)
    if subject.file is not None:  # In place of its translation: lines of that are named as the Go's.
        files = [file for file in files if not file.endswith(TRANSLATED)] + [str(subject.file)]
    return {short_path(file): Path(file).read_text(encoding="utf-8") for file in files}


def scenario_maps(subject: Subject, scenario: str) -> list[Map]:
    """The maps of a scenario; none where it has too many states, for a part of them would mislead."""
    if scenario in NODES:
        return []
    system = system_of(subject, subject.scenarios[scenario])
    fields = map_fields(system)
    paths = [field.variable.path for field in fields]
    keep = relevant_variables(system, (), paths)
    with progress.show_progress(f"{subject.name} {scenario}, its map") as report:
        limits = Limits(max_states=MOST_MAPPED)
        graph, way = state_graph(system, keep, paths, limits, report)
    return maps_of(graph, fields, way) if graph.complete else []
