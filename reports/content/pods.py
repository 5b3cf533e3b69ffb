"""What `prove --pods` found out: the answer, and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import field

from podproof.checker.core.answer import AnswerPart, Count, ExitCode
from podproof.reports.document import GAP, Entry, Heading, Paragraph, Part, Table, indented
from podproof.reports.layout import Detail, number_of


class PodsVerdict(AnswerPart, frozen=True):
    """What was found out about one scenario among others."""

    version: str
    scenario: str
    among: str
    """The scenarios side by side."""
    members: Mapping[str, Count]
    """How many there are of each scenario."""
    pods: Count
    """How many they have."""
    transitions: Count
    """Of the system of all members."""
    shown: bool
    """Could everything be shown that the argument needs? Else the rest means nothing."""
    gaps: tuple[str, ...]
    """What could not be shown."""
    meeting: tuple[str, ...] = field(name="meetIn")
    """The variables that belong to no pod, with who reads and writes them."""
    carried: tuple[str, ...]
    """Claims whose verdict carries over to any number of pods."""
    alone: Mapping[str, str]
    """Claims whose verdict does not, each with the reason."""


class PodsAnswer(AnswerPart, frozen=True, tag_field="kind", tag="pods"):
    """prove --pods"""

    exit_code: ExitCode
    results: Sequence[PodsVerdict]


def pods_parts(verdicts: Sequence[PodsVerdict], meanings: Mapping[str, str], detail: Detail) -> Iterator[Part]:
    """The verdicts as a document; several at a glance. In full detail each claim has its meaning."""
    if detail is Detail.NORMAL and len(verdicts) > 1:
        yield from _at_a_glance(verdicts)
        return
    for v in verdicts:
        if detail is not Detail.QUIET or not v.shown or v.alone:
            yield Heading(f"{v.version}  {v.scenario}", f"   {_others(v)}")
            yield indented(list(_shown(v, meanings, detail)))


def _at_a_glance(verdicts: Sequence[PodsVerdict]) -> Iterator[Part]:
    """A row for each scenario; then what could not be shown, and the claims that do not carry over, with the reason."""
    yield Heading(verdicts[0].version, f"   {number_of(len(verdicts), 'scenario')}")
    rows = [(v.scenario, _others(v), *_counts(v)) for v in verdicts]
    yield indented([Table(("", "", "shown in", "carry over", "alone"), rows, looks={"N": "open"})])
    yield GAP
    alone: dict[tuple[str, str], list[str]] = {}
    for v in verdicts:
        for reason in v.gaps:
            yield Entry("NOT SHOWN", [Paragraph(f"{v.scenario}: {reason}")], look="open")
        for claim in v.alone.items():
            alone.setdefault(claim, []).append(v.scenario)
    for (id, reason), scenarios in alone.items():
        yield Entry("ALONE", [Paragraph(f"{id}   {reason} ({', '.join(scenarios)})")], look="open")
    yield Paragraph("-v shows where the pods meet, and each claim by its name.")


def _others(v: PodsVerdict) -> str:
    """The members: how many of each kind."""
    if list(v.members) == [v.scenario]:
        return f"x {v.members[v.scenario]}"
    return " beside ".join(f"{name} x {number}" if number > 1 else name for name, number in v.members.items())


def _counts(v: PodsVerdict) -> tuple[str, str, str]:
    if not v.shown:
        return "NOT SHOWN", "-", "-"
    return f"each of {number_of(v.transitions, 'transition')}", number_of(len(v.carried), "claim"), str(len(v.alone))


def _shown(v: PodsVerdict, meanings: Mapping[str, str], detail: Detail) -> Iterator[Part]:
    if not v.shown:
        yield Entry("NOT SHOWN", [Paragraph("; ".join(v.gaps))], look="open")
        return
    if detail is not Detail.QUIET:
        each = f"in each of {v.transitions} transitions"
        shown = f"{each} its pods do what they could do by themselves, whatever the others do"
        yield Entry("SHOWN", [Paragraph(shown)], look="good")
        yield from (Entry("meet in", [Paragraph(line)]) for line in v.meeting)
        carried = [f"{len(v.carried)} claims: {', '.join(v.carried)}"]
        if detail is Detail.FULL:
            carried = [f"{id}: {meanings[id]}" for id in v.carried]
        yield from (Entry("CARRIES", [Paragraph(text)], look="good") for text in carried)
    yield from (Entry("ALONE", [Paragraph(f"{id}   {reason}")], look="open") for id, reason in v.alone.items())
