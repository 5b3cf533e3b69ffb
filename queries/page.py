"""What a page shows besides verdicts: the text of the model, and maps of its states."""

from __future__ import annotations

import sys
from pathlib import Path

from podproof.checker.core.printer import TRANSLATED, short_path
from podproof.checker.core.system import Limits
from podproof.checker.engines.compiled import state_graph
from podproof.checker.reductions import relevant_variables
from podproof.model.crowd import NODES
from podproof.queries import progress
from podproof.queries.build import Subject, system_of
from podproof.reports.page.maps import Map, map_fields, maps_of

MOST_MAPPED = 1_000_000
"""States of a scenario that gets maps: more take minutes."""


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
