"""Which claims change their verdict, and by which inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import Status
from podproof.checker.difference.result import ClaimDifference, Comparison, DecidingTrace
from podproof.reports.document import Block, Bullets, Fold, Paragraph, Table, Verbatim, code
from podproof.reports.layout import Style, number_of
from podproof.reports.story import WIDTH, false_part, plain_story, sentence

_BROKEN, _KEPT = Status.VIOLATED, (Status.HOLDS, Status.PROVED)
_WORDS = {
    Status.VIOLATED: "✗ violated",
    Status.HOLDS: "✓ holds",
    Status.PROVED: "✓ proved",
    Status.UNKNOWN: "? unknown",
}
_ORDER = ("NEW", "CHANGED", "SUPERSEDED", "MENDED", "gained", "lost", "in part")
_MOST_NAMES, _MOST_SAID = 20, 8
"""In a list of the page, and in a sentence of its summary."""


def gained(claim: ClaimDifference) -> bool:
    """Does it hold now, in all scenarios, and did not before?"""
    return claim.statuses[0] is _BROKEN and claim.statuses[1] in _KEPT


def lost(claim: ClaimDifference) -> bool:
    return claim.statuses[0] in _KEPT and claim.statuses[1] is _BROKEN


def in_part(claim: ClaimDifference) -> bool:
    """Do verdicts differ in some scenarios, though not in all of them together?"""
    return bool(changed_scenarios(claim)) and not gained(claim) and not lost(claim) and None not in claim.statuses


def changed_scenarios(claim: ClaimDifference) -> list[str]:
    """The scenarios in which both have a verdict, and not the same."""
    return [name for name, a, b in claim.scenarios if a is not None and b is not None and a is not b]


def word_of(claim: ClaimDifference) -> str:
    """What becomes of a claim, in a word; of a change of a release as `check` says it. Empty where nothing does."""
    is_hidden = claim.state is BaselineState.SUPERSEDED and claim.is_worse  # In a scenario without its successor.
    if claim.state is not None and not is_hidden:
        return claim.state.value if claim.state is not BaselineState.INHERITED else ""
    return "gained" if gained(claim) else "lost" if lost(claim) else "in part" if in_part(claim) else ""


def summary(found: Comparison) -> Iterator[str]:
    """One sentence for each way in which claims change."""
    groups: dict[str, list[str]] = {word: [] for word in _ORDER}
    for claim in found.claims:
        if word := word_of(claim):
            groups[word].append(claim.property.id)
    for word, names in groups.items():
        if names:
            said = "changed in some scenarios" if word == "in part" else word
            yield f"{number_of(len(names), 'claim')} {said}: {_list(names, _MOST_SAID)}."
    reworded = [code(claim.property.id) for claim in found.claims if claim.texts is not None]
    if reworded:
        yield f"{number_of(len(reworded), 'claim')} not the same in both files: {', '.join(reworded)}."
    unlike = [c for c in found.claims if c.is_unlike and c.texts is None and not word_of(c)]
    of_one = [c.property.id for c in unlike if _is_of_one(c)]
    if of_one:
        yield f"{number_of(len(of_one), 'claim')} asked of one of them only: {_list(of_one, _MOST_SAID)}."
    unasked = [c.property.id for c in found.claims if c.unasked]
    if unasked:
        where = ", ".join(dict.fromkeys(name for c in found.claims for name in c.unasked))
        why = f"kept by {found.names[0]} and not asked of {found.names[1]}, which lacks what they are about"
        yield f"{number_of(len(unasked), 'claim')} {why}, in {where}: {_list(unasked, _MOST_SAID)}."
    doubtful = [c for c in found.claims if any(b.is_open for _, b in c.otherwise)]
    if doubtful:
        reasons = "; ".join(dict.fromkeys(b.reason for c in doubtful for _, b in c.otherwise if b.is_open))
        how = f"violated in both, and it is open whether by more ({reasons})"
        yield f"{number_of(len(doubtful), 'claim')} {how}: {_list([c.property.id for c in doubtful], _MOST_SAID)}."
    others_worse = [c for c in unlike if not _is_of_one(c) and c.is_worse]
    worse = [c.property.id for c in others_worse]
    if worse:
        whys = dict.fromkeys(b.reason for c in others_worse for name, b in c.otherwise if name in c.violated_otherwise)
        how = f"violated in both, in {found.names[1]} otherwise than in {found.names[0]}"
        reasons = f" ({'; '.join(whys)})" if whys else ""
        yield f"{number_of(len(worse), 'claim')} {how}{reasons}: {_list(worse, _MOST_SAID)}."
    others = [c.property.id for c in unlike if not _is_of_one(c) and not c.is_worse]
    if others:
        yield f"{number_of(len(others), 'claim')} violated in both, each in its own way: {_list(others, _MOST_SAID)}."
    if found.claims and not (any(groups.values()) or reworded or of_one or unasked or doubtful or worse or others):
        yield "No claim changes its verdict."


def _is_of_one(claim: ClaimDifference) -> bool:
    """Is it about only one of the versions, in some scenario?"""
    return any((a is None) is not (b is None) for _, a, b in claim.scenarios)


def claim_blocks(found: Comparison, sources: Mapping[str, str]) -> Iterator[Block]:
    """The table of the claims that change, the stories behind them, and what stays."""
    if not found.claims:
        return
    first, second = found.names
    rows = [_row(claim) for claim in sorted(found.claims, key=_rank) if word_of(claim)]
    if rows:
        yield Table(["", "claim", first, second, "scenarios"], rows)
    for claim in found.claims:
        if word_of(claim) not in ("", "in part", BaselineState.CHANGED.value):
            yield _tell(claim, found.names, sources)
    yield from _reworded(found)
    yield from _other_inputs(found)
    yield from _one_sided(found)
    yield from _the_same(found)


def _rank(claim: ClaimDifference) -> int:
    """The place of its word where claims are told as of a change of a release; else they keep their order."""
    return _ORDER.index(word_of(claim)) if claim.state is not None and word_of(claim) else 0


def _row(claim: ClaimDifference) -> list[str]:
    cells = [_verdicts(claim, side) for side in (0, 1)]
    return [word_of(claim), code(claim.property.id), *cells, _where(claim)]


def _where(claim: ClaimDifference) -> str:
    """The scenarios in which the verdict changes, and those in which both break the claim."""
    if claim.baselines:
        by_state = {
            b.state: [name for name, other in claim.baselines if other.state is b.state] for _, b in claim.baselines
        }
        return "; ".join(f"{s.value} in {', '.join(by_state[s])}" for s in BaselineState if s in by_state)
    both = [name for name, a, b in claim.scenarios if a is b is _BROKEN]
    still = f"; not in {', '.join(both)}, where both break it" if both else ""
    return ", ".join(changed_scenarios(claim)) + still


def _verdicts(claim: ClaimDifference, side: int) -> str:
    """The verdict where it changes; both words where that differs from scenario to scenario."""
    changed = changed_scenarios(claim) or [name for name, baseline in claim.baselines if baseline.state is claim.state]
    found = [(a, b)[side] for name, a, b in claim.scenarios if name in changed]
    words = dict.fromkeys(_WORDS[status] for status in found if status is not None)
    evidence = claim.evidence[side]
    steps = f" after {number_of(len(evidence.trace.steps), 'step')}" if evidence and len(words) == 1 else ""
    return " / ".join(words) + (steps if _BROKEN in found else "")


def _tell(claim: ClaimDifference, names: tuple[str, str], sources: Mapping[str, str]) -> Fold:
    word = word_of(claim)
    side = 0 if word in ("gained", BaselineState.MENDED.value) else 1
    blocks: list[Block] = [Paragraph((claim.properties[side] or claim.property).meaning)]
    if claim.property.id in sources:
        blocks.append(Paragraph(f"Upstream: {sources[claim.property.id]}."))
    evidence = claim.evidence[side]
    reasons = dict.fromkeys(b.reason for _, b in claim.baselines if b.state is BaselineState.SUPERSEDED)
    blocks += (Paragraph(reason) for reason in reasons)
    if evidence is None:
        seen = "no reachable state is like this" if claim.property.kind == "sometimes" else "see `podproof check`"
        blocks.append(Paragraph(f"In {names[side]}: {seen}."))
    else:
        blocks.append(Verbatim(story_lines(evidence)))
        blocks.append(Paragraph(crossing(evidence, names[1 - side])))
    title = f"{word}: {code(claim.property.id)}, how {names[side]} breaks it"
    return Fold(title, blocks, in_text=True)


def story_lines(evidence: DecidingTrace) -> list[str]:
    """The trace with its scenario as a heading, and with the part of the claim that is false at its end."""
    head = f"{evidence.systems[0].version}, scenario {evidence.scenario}"
    said = filter(None, (sentence(evidence.failure), false_part(evidence.failure)))
    lines = (line for text in said for line in Style(width=WIDTH).paragraph(text, 0))
    return [head, *lines, *plain_story(evidence.systems[0], evidence.trace)]


def crossing(evidence: DecidingTrace, other: str) -> str:
    taken, all_of_them = len(evidence.other.steps), len(evidence.trace.steps)
    if evidence.other_violates is None:
        return f"The claim is not about {other}."
    if evidence.other_violates:
        return f"The same events violate it in {other} as well."
    if taken < all_of_them:
        move, event = evidence.trace.steps[taken].move, evidence.trace.steps[taken].event
        if move.action not in evidence.systems[1].action:
            return f"In {other} there is no such event as {code(event)}."
        return f"In {other} the same events go as far as step {taken}; {code(event)} cannot follow."
    return f"In {other} the same events do not violate it."


def _reworded(found: Comparison) -> Iterator[Block]:
    """What each file says of a claim that is not the same in both."""
    for claim in found.claims:
        if claim.texts is not None:
            texts = zip(found.names, claim.texts, strict=True)
            blocks: list[Block] = [
                Verbatim([name, *f"  {text}".replace("\n", "\n  ").split("\n")]) for name, text in texts
            ]
            if claim.texts[0] == claim.texts[1]:
                blocks.append(Paragraph("The text is the same, and not what it calls, or the numbers that it reads."))
            verdicts = ", ".join(
                f"{_WORDS[status]} in {name}"
                for name, status in zip(found.names, claim.statuses, strict=True)
                if status
            )
            blocks.append(Paragraph(f"Each is asked of its own version: {verdicts}."))
            yield Fold(f"{code(claim.property.id)}: each file claims something else", blocks, in_text=True)


def _other_inputs(found: Comparison) -> Iterator[Block]:
    """Claims that both break, but not by the same events."""
    items: list[Fold] = []
    for claim in found.claims:
        if claim.state is not BaselineState.CHANGED and (claim.state is not None or not claim.other_inputs):
            continue
        blocks: list[Block] = [Paragraph(claim.property.meaning)]
        for side, evidence in enumerate(claim.evidence):
            if evidence is not None:
                blocks.append(Verbatim(story_lines(evidence)))
                blocks.append(Paragraph(crossing(evidence, found.names[1 - side])))
        blocks += (Paragraph(f"{name}: {b.reason}.") for name, b in claim.otherwise if name in claim.violated_otherwise)
        how = "by other events" if claim.state is None else "each in its own way"
        in_text = claim.state is not None or (bool(claim.violated_otherwise) and not any(i.in_text for i in items))
        items.append(Fold(f"{code(claim.property.id)}: both break it, {how}", blocks, in_text=in_text))
    yield from items


def _one_sided(found: Comparison) -> Iterator[Block]:
    for side, name in enumerate(found.names):
        mine = [c.property.id for c in found.claims if c.statuses[side] is not None and c.statuses[1 - side] is None]
        broken = [c.property.id for c in found.claims if c.property.id in mine and c.statuses[side] is _BROKEN]
        if mine:
            hint = f", of which it breaks {', '.join(map(code, broken))}" if broken else ""
            yield Paragraph(f"Only about {name}: {_list(mine)}{hint}.")


def _the_same(found: Comparison) -> Iterator[Block]:
    same = [c for c in found.claims if None not in c.statuses and not word_of(c)]
    broken = [c.property.id for c in same if c.statuses[0] is _BROKEN]
    items = [f"hold in both: {number_of(sum(c.statuses[0] in _KEPT for c in same), 'claim')}"]
    if broken:
        items.append(f"violated in both: {', '.join(map(code, broken))}")
    elsewhere = dict[str, list[str]]()
    for claim in same:
        told = (b for _, b in claim.otherwise if b.state is BaselineState.INHERITED and not b.is_open)
        for reason in {b.reason for b in told if b.reason != f"as in {found.names[0]}"}:
            elsewhere.setdefault(reason, []).append(code(claim.property.id))
    items += (f"violated {reason}: {', '.join(names)}" for reason, names in elsewhere.items())
    unknown = [c.property.id for c in same if c.statuses[0] is Status.UNKNOWN]
    if unknown:
        items.append(f"undecided in both: {_list(unknown)}")
    if same:
        yield Fold(f"{number_of(len(same), 'claim')} with the same verdicts", [Bullets(items)], in_text=True)


def _list(names: list[str], most: int = _MOST_NAMES) -> str:
    more = len(names) - most
    return ", ".join(map(code, names[:most])) + (f" and {more} more" if more > 0 else "")
