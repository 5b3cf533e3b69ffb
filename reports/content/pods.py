"""What `pods` found out: as a document and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.reports.document import Entry, Heading, Paragraph, Part, indented
from podproof.reports.layout import Detail
from podproof.reports.render.json import document


@dataclass(frozen=True)
class PodsVerdict:
    """What was found out about one scenario among others."""

    version: str
    scenario: str
    among: str
    """All scenarios together."""
    pods: int
    """How many they have."""
    copies: int | None
    """How many there are of the scenario; None where the others are other ones."""
    transitions: int
    """Of the system of all members."""
    gaps: tuple[str, ...]
    """What could not be shown; the rest means nothing unless this is empty."""
    meeting: tuple[str, ...]
    """The variables that belong to no pod, with who reads and writes them."""
    carried: tuple[str, ...]
    alone: tuple[tuple[str, str], ...]
    """Claims that do not carry over, each with the reason."""


def pods_parts(verdicts: Sequence[PodsVerdict], meanings: Mapping[str, str], detail: Detail) -> Iterator[Part]:
    """The verdicts as a document. In full detail each claim has its meaning."""
    for v in verdicts:
        if detail is not Detail.QUIET or v.gaps or v.alone:
            others = f"   beside {v.among}" if v.copies is None else f"   x {v.copies}"
            yield Heading(f"{v.version}  {v.scenario}", others)
            yield indented(list(_shown(v, meanings, detail)))


def _shown(v: PodsVerdict, meanings: Mapping[str, str], detail: Detail) -> Iterator[Part]:
    if v.gaps:
        yield Entry("NOT SHOWN", [Paragraph("; ".join(v.gaps))], look="open")
        return
    if detail is not Detail.QUIET:
        each = f"in each of {v.transitions} transitions"
        shown = f"{each} its pods do what they could do by themselves, whatever the others do"
        yield Entry("SHOWN", [Paragraph(shown)], look="good")
        yield from (Entry("meet in", [Paragraph(line)]) for line in v.meeting)
        if v.copies is not None:
            carried = [f"{len(v.carried)} claims: {', '.join(v.carried)}"]
            if detail is Detail.FULL:
                carried = [f"{id}: {meanings[id]}" for id in v.carried]
            yield from (Entry("CARRIES", [Paragraph(text)], look="good") for text in carried)
    yield from (Entry("ALONE", [Paragraph(f"{id}   {reason}")], look="open") for id, reason in v.alone)


def pods_data(verdicts: Sequence[PodsVerdict], tool: Mapping[str, Any], code: int) -> dict[str, Any]:
    results = [
        {
            "version": v.version,
            "scenario": v.scenario,
            "among": v.among,
            "pods": v.pods,
            "transitions": v.transitions,
            "shown": not v.gaps,
            "gaps": list(v.gaps),
            "meetIn": list(v.meeting),
            "carried": list(v.carried),
            "alone": dict(v.alone),
        }
        for v in verdicts
    ]
    return document("pods", tool, {"exitCode": code, "results": results})
