"""Several scenarios at a glance: what was explored, and the claims that do not hold in each of them."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.document import GAP, Heading, Part, Table, indented
from podproof.reports.layout import number_of
from podproof.reports.summary import overall, standing


def overview(
    explorations: Sequence[Exploration], claims: Sequence[str], extent: Callable[[Exploration], str]
) -> Iterator[Part]:
    """The scenarios, each with a letter, and a row for each of these claims; all others share the last one."""
    letters = [string.ascii_lowercase[i] if i < 26 else str(i + 1) for i in range(len(explorations))]
    version, environment = explorations[0].system.version, explorations[0].system.environment
    yield Heading(version, f"   environment {environment}, {number_of(len(explorations), 'scenario')}")
    scenarios = [(a, e.system.scenario, extent(e)) for a, e in zip(letters, explorations, strict=True)]
    yield indented([Table((), scenarios)])
    yield GAP
    found = [{v.property.id: v for v in e.verdicts} for e in explorations]
    rows = [(id, *(_cell(verdicts.get(id)) for verdicts in found), standing(explorations, id)) for id in claims]
    others = [id for id in overall(explorations) if id not in claims]
    rest = f"{'the other ' if claims else ''}{number_of(len(others), 'claim')}"
    if others:
        rows.append((rest, *(_together([v for id, v in verdicts.items() if id in others]) for verdicts in found), ""))
    yield indented([Table(("", *letters, ""), rows, is_wrapped=False, looks={"✗": "bad", "?": "open"})])
    yield GAP


_CELLS: Mapping[Status, str] = {Status.HOLDS: "✓", Status.PROVED: "✓", Status.UNKNOWN: "?"}


def _cell(v: Verdict | None) -> str:
    """A violation with the number of its steps; a dot where the claim is not asked or its witness not seen."""
    if v is None:
        return "·"
    if v.status is Status.VIOLATED:
        return f"✗{len(v.trace.steps)}" if v.trace is not None else "✗"
    return _CELLS[v.status]


def _together(verdicts: Sequence[Verdict]) -> str:
    """One cell for several claims of which none is violated."""
    if any(v.status is Status.UNKNOWN for v in verdicts):
        return "?"
    return "✓" if verdicts else "·"
