"""A comparison in a few sentences: which claims it makes worse, and how they fail; where the versions part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from podproof.checker.core.baseline import BaselineState
from podproof.checker.difference.result import ClaimDifference, Comparison, DecidingTrace
from podproof.reports.content.first_screen import commands
from podproof.reports.content.review.behaviour import new_waits
from podproof.reports.content.review.claims import word_of
from podproof.reports.content.review.code import go_at
from podproof.reports.content.review.divergences import outcomes, places
from podproof.reports.document import GAP, Entry, Heading, Page, Paragraph, Part, indented, plain
from podproof.reports.layout import number_of
from podproof.reports.render.text import headline
from podproof.reports.state_text import StateText
from podproof.reports.story import sentence

_MENDED = ("gained", BaselineState.MENDED.value)
_MOST_WORSE, _MOST_OTHERS = 6, 3
"""So many claims are told in sentences, of those that are worse, and of those that are mended, or changed in part."""
_COLUMN = 11


def first_screen(
    found: Comparison, page: Page, harms: Mapping[str, str], rests_on: str, hunks: Sequence[str] = ()
) -> Iterator[Part]:
    """The summary of the page, the claims by what they harm, where the versions part first, and what to type next.

    `rests_on` says what holds besides the model, in a line; empty for nothing. `hunks` is how two Go files differ.
    """
    yield from headline(page)
    yield indented([Paragraph(text) for text in page.summary])
    worse = [claim for group in _by_harm(found.claims, harms).values() for claim in group if claim.is_worse]
    mended = [claim for claim in found.claims if claim not in worse and word_of(claim) in _MENDED]
    others = [claim for claim in found.claims if claim not in (*worse, *mended) and word_of(claim)]
    for title, claims in _by_harm(worse[:_MOST_WORSE], harms).items():
        yield from _group(title, claims, 1)
    yield from _more(worse[_MOST_WORSE:])
    for title, claims in (
        (f"{found.names[0]} does, and {found.names[1]} does not", mended),
        ("not in every scenario the same", others),
    ):
        yield from _group(title, claims[:_MOST_OTHERS], 0)
        yield from _more(claims[_MOST_OTHERS:])
    yield from _parting(found, hunks)
    yield from (indented([Paragraph(text)]) for text in new_waits(found))
    if rests_on:
        yield from (GAP, Entry("trust", [Paragraph(rests_on, is_small=True)], _COLUMN - 3))
    yield GAP
    yield commands(
        [
            *((f"podproof explain {claim.property.id}", "what a claim says, and what is known") for claim in worse[:1]),
            (f"{page.command} -v", "every trace, the code, every scenario"),
            ("the same with -o html --output-file review.html", "both stepped side by side"),
            ("the same with -o markdown", "for a pull request, with a picture"),
        ]
    )


def _group(title: str, claims: Sequence[ClaimDifference], side: int) -> Iterator[Part]:
    """Claims, each by how it fails on this side."""
    if claims:
        yield from (GAP, Heading(title))
        yield from (_entry(claim, side) for claim in claims)


def _by_harm(claims: Sequence[ClaimDifference], harms: Mapping[str, str]) -> Mapping[str, Sequence[ClaimDifference]]:
    """The worst first."""
    found: dict[str, list[ClaimDifference]] = {harm: [] for harm in (*harms.values(), "worse")}
    for claim in claims:
        found[harms.get(claim.property.id, "worse")].append(claim)
    return {harm: members for harm, members in found.items() if members}


def _more(claims: Sequence[ClaimDifference]) -> Iterator[Part]:
    if claims:
        yield Entry("", [Paragraph(f"and {number_of(len(claims), 'more claim')}")], _COLUMN + 2)


def _entry(claim: ClaimDifference, side: int) -> Part:
    """A claim: how it fails in the version that breaks it, how far that is, and at which line."""
    word = word_of(claim) or ("otherwise" if claim.is_worse else "")
    evidence = claim.evidence[side] or claim.evidence[1 - side]
    failure = "" if evidence is None else sentence(evidence.failure)
    where = claim.property.id if evidence is None else f"{claim.property.id}: {_how_far(evidence)}"
    texts = [Paragraph(failure or claim.property.meaning), Paragraph(where, is_small=True)]
    return indented([Entry(word, texts, _COLUMN, "bad" if claim.is_worse else "good")])


def _how_far(evidence: DecidingTrace) -> str:
    """`3 steps in one-pod of v1.32, model/pod_workers.py:153`: the line that changes what the false part reads."""
    system, trace = evidence.systems[0], evidence.trace
    told = f"{number_of(len(trace.steps), 'step')} in {evidence.scenario} of {system.version}"
    if not trace.steps:
        return told
    part = None if evidence.failure is None else evidence.failure.part
    read = () if part is None else (*part.reads, *part.reads_beside)
    *_, last = StateText(system).walk(trace.initial, trace.steps)
    lines = {change.path: change.line for change in last.step.changes if change.line is not None}
    return f"{told}, {next((lines[path] for path in read if path in lines), last.line)}"


def _parting(found: Comparison, hunks: Sequence[str]) -> Iterator[Part]:
    """The nearest place at which an event does something else, and the Go that does."""
    nearest = next(iter(places(found)), None)
    if nearest is None:
        return
    steps = nearest.divergence.common.steps
    after = f"after {', '.join(step.event for step in steps)}" if steps else "at the start"
    yield from (GAP, Heading("where they part first"))
    yield indented([Paragraph(f"{nearest.divergence.event}, {after}")])
    texts = go_at(found, nearest.divergence.action, hunks)
    for name, told, lines in zip(found.names, outcomes(nearest), texts, strict=True):
        own = [indented([Paragraph(line, is_small=True) for line in lines])] if lines else []
        yield indented([Paragraph(f"{name}: {plain(told)}"), *own])
