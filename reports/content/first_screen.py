"""Several scenarios in sentences: the outcome, what does harm and where it shows, and what to type next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.document import GAP, Entry, Heading, Look, Paragraph, Part, Table
from podproof.reports.layout import number_of
from podproof.reports.story import sentence
from podproof.reports.summary import counterexamples, standing, worse_claims

_VERBS: Mapping[Status, tuple[str, str]] = {
    Status.HOLDS: ("holds", "hold"),
    Status.PROVED: ("is proved", "are proved"),
    Status.VIOLATED: ("is violated", "are violated"),
    Status.UNKNOWN: ("is undecided", "are undecided"),
}
_NUMBER = 6
"""Columns for a claim's number and the space beside it."""


def outcome(version: str, statuses: Mapping[str, Status], notes: Mapping[Status, str], end: str) -> str:
    """`v1.36.3: 107 claims hold, 14 are violated (14 known). …`, with a note on those of a status."""
    counts: list[str] = []
    for status, verbs in _VERBS.items():
        if count := list(statuses.values()).count(status):
            subject = str(count) if counts else number_of(count, "claim")
            note = f" ({notes[status]})" if notes.get(status) else ""
            counts.append(f"{subject} {verbs[count != 1]}{note}")
    return f"{version}: {', '.join(counts)}. {end}"


def extent(explorations: Sequence[Exploration]) -> Iterator[Part]:
    """How much was explored, and which scenario was not explored to its end."""
    states, cut = sum(e.states for e in explorations), sum(sum(e.bounds_hit.values()) for e in explorations)
    bounded = f", {number_of(cut, 'step')} cut off by their bounds, beyond which nothing is claimed" if cut else ""
    text = f"{number_of(len(explorations), 'scenario')} (podproof explain scenarios), {number_of(states, 'state')}"
    yield Paragraph(text + bounded, is_small=True)
    for e in (e for e in explorations if not e.complete):
        yield Paragraph(f"{e.system.scenario}: NOT all of it explored: {e.reason}")


def harm(
    title: str, ids: Sequence[str], explorations: Sequence[Exploration], called: Callable[[str], str]
) -> Iterator[Part]:
    """What does harm of one kind: each claim by its number, how it fails, its id, and where."""
    worse = worse_claims(explorations)
    yield Heading(title)
    for id in ids:
        number = called(id)
        told = _told(explorations, id)
        look: Look = "bad" if id in worse else "open" if told[0][1].status is Status.UNKNOWN else "plain"
        texts = [Paragraph(_failure(told[0][1])), Paragraph(_where(explorations, id, told), is_small=True)]
        yield Entry(f"{'' if number == id else number:>{_NUMBER - 2}}", texts, _NUMBER, look)
    yield GAP


def commands(rows: Sequence[tuple[str, str]]) -> Part:
    """What to type next, each command in a line of its own."""
    return Entry("Next", [Table((), rows, is_wrapped=False)], _NUMBER)


def shown_in(explorations: Sequence[Exploration], id: str) -> tuple[Exploration, Verdict]:
    """Where a claim that does not hold is told: where its shortest trace is, if it has one."""
    return _told(explorations, id)[0]


def _told(explorations: Sequence[Exploration], id: str) -> list[tuple[Exploration, Verdict]]:
    """Where a claim does not hold, the shortest trace first."""
    found = [(e, v) for e in explorations for v in e.verdicts if v.property.id == id]
    worst = Status.VIOLATED if any(v.status is Status.VIOLATED for _, v in found) else Status.UNKNOWN
    shortest = next((e for e, _ in counterexamples(explorations, 1).get(id, ())), None)
    return sorted(((e, v) for e, v in found if v.status is worst), key=lambda pair: pair[0] is not shortest)


def _failure(verdict: Verdict) -> str:
    """How it fails, in its own words, or else what does not hold."""
    is_wrong = verdict.status is Status.VIOLATED and verdict.property.kind != "sometimes"
    return sentence(verdict.failure) or f"{'violated: ' if is_wrong else ''}{verdict.property.meaning}"


def _where(explorations: Sequence[Exploration], id: str, told: Sequence[tuple[Exploration, Verdict]]) -> str:
    """`evictions_are_recorded: 3 steps in one-pod and 2 more scenarios; known`."""
    (e, verdict), *others = told
    how = f"{verdict.reason}," if verdict.trace is None else number_of(len(verdict.trace.steps), "step")
    more = "" if not others else f" and {others[0][0].system.scenario}"
    if len(others) > 1:
        more = f" and {number_of(len(others), 'more scenario')}"
    stands = standing(explorations, id)
    return f"{id}: {how} in {e.system.scenario}{more}" + (f"; {stands}" if stands else "")
