"""The page of a comparison: the walks that both versions take side by side, and what each can be copied as."""

from __future__ import annotations

from collections.abc import Iterator

from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import Step, System, Trace
from podproof.checker.difference.result import ClaimDifference, Comparison, DecidingTrace
from podproof.checker.explain.stepping import Stepper, name_of
from podproof.queries.build import Subject
from podproof.queries.copies import copies
from podproof.queries.page import model_sources
from podproof.queries.walks import WALK, check_command, names_of, walk_command
from podproof.reports.content.review.claims import crossing, word_of
from podproof.reports.content.review.divergences import places
from podproof.reports.document import Page, plain
from podproof.reports.page.build import SideBySide
from podproof.reports.pictures.fork import Runs, TakenWalk
from podproof.reports.render.html import html_page

Subjects = tuple[Subject, Subject]


def review_html(page: Page, found: Comparison, subjects: Subjects) -> str:
    """The page as HTML."""
    return html_page(page, walks_of(found, subjects), model_sources(subjects[0]) | model_sources(subjects[1]))


def walks_of(found: Comparison, subjects: Subjects) -> list[SideBySide]:
    """The walks that both versions take side by side: about claims, then to where they part."""
    return [*_of_claims(found, subjects), *_of_divergences(found, subjects)]


def _of_claims(found: Comparison, subjects: Subjects) -> Iterator[SideBySide]:
    """Of each claim that a version breaks the shortest way to, first where its verdict changes."""
    for claim in sorted(found.claims, key=lambda claim: not word_of(claim)):
        # What the second version breaks is what the change does.
        for side in (1, 0):
            evidence = claim.evidence[side]
            if evidence is not None and (side == 1 or claim.evidence[1] is None or _is_told_twice(claim)):
                yield _of_claim(claim, evidence, side, found.names, subjects)


def _is_told_twice(claim: ClaimDifference) -> bool:
    return claim.state is BaselineState.CHANGED or (claim.state is None and claim.other_inputs)


def _of_claim(
    claim: ClaimDifference, evidence: DecidingTrace, side: int, names: tuple[str, str], subjects: Subjects
) -> SideBySide:
    id, is_both = claim.property.id, evidence.other_violates is True
    state = "INHERITED" if claim.state is BaselineState.INHERITED else "violated in both"
    breaking = f"Here both {' and '.join(names)} violate the claim." if is_both else f"Here {names[side]} violates it."
    ends = breaking if evidence.trace.lasso is None else f"And so on, for ever, in {names[side]}."
    own, other = _runs(evidence.systems, evidence.trace, evidence.other)
    subject = subjects[side]
    return SideBySide(
        name=id,
        word=word_of(claim) or state,
        meaning=claim.property.meaning,
        scenario=evidence.scenario,
        title=f"how {names[side]} breaks it",
        runs=(own, other) if side == 0 else (other, own),
        ending=ends,
        note=plain(crossing(evidence, names[1 - side])),
        failure=evidence.failure,
        replay=check_command(subject, evidence.scenario, id),
        explore=_explore(subjects, evidence.scenario, evidence.trace),
        copies=copies(subject, evidence.systems[0], claim.property, evidence.trace, evidence.failure),
    )


def _runs(systems: tuple[System, System], trace: Trace, other: Trace) -> Runs:
    """A version's own walk, and how far the other comes with it and why no farther."""
    stop = "" if len(other.steps) == len(trace.steps) else _why_not(systems[1], other, trace.steps[len(other.steps)])
    return TakenWalk(systems[0], trace), TakenWalk(systems[1], other, stop)


def _why_not(system: System, taken: Trace, step: Step) -> str:
    """Why a system cannot take another's step."""
    name = name_of(step.action, step.parameters.values())
    choice = next((c for c in Stepper(system, ()).choices(taken.states[-1]) if c.name == name), None)
    if choice is None:
        return f"{system.version} has no such event."
    return f"{system.version} cannot take it here: {choice.reason} ({choice.line})"


def _of_divergences(found: Comparison, subjects: Subjects) -> Iterator[SideBySide]:
    """The shortest walks to the events with which the versions part."""
    for place in places(found):
        divergence, d = place.divergence, place.difference
        side = 1 if divergence.outcomes[1] is not None else 0
        systems = d.systems if side == 0 else (d.systems[1], d.systems[0])
        last, theirs = divergence.outcomes[side], divergence.outcomes[1 - side]
        assert last is not None
        own, other = _runs(systems, last, divergence.ways[1 - side] if theirs is None else theirs)
        yield SideBySide(
            name=divergence.event,
            word="they part",
            meaning="Both come here by the same steps, to the same state; the event does something else in each.",
            scenario=d.systems[0].scenario,
            title=divergence.event,
            runs=(own, other) if side == 0 else (other, own),
            explore=_explore(subjects, d.systems[0].scenario, last),
            copies=copies(subjects[side], systems[0], WALK, last, None),
        )


def _explore(subjects: Subjects, scenario: str, trace: Trace) -> str:
    return walk_command(subjects[0], scenario, names_of(trace), subjects[1])
