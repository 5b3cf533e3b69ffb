"""With which events two versions part, and a picture of that."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podproof.checker.core.system import Trace
from podproof.checker.difference.result import Comparison, Difference, Divergence
from podproof.reports.content.review.picture import flow_diagram, fork_of
from podproof.reports.content.review.words import before_last, changes, values_in_words
from podproof.reports.document import Block, Bullets, Fold, LifePicture, Paragraph, Table, Verbatim, code
from podproof.reports.state_text import StateText
from podproof.reports.story import plain_story

_MOST_FACTS = 5
_MOST_STORIES = 6
_MOST_EVENTS = 12


@dataclass(frozen=True)
class DivergencePlace:
    """An event with which versions part: the nearest place of all scenarios, and all scenarios where it happens."""

    divergence: Divergence
    difference: Difference
    scenarios: Sequence[str]


def places(found: Comparison) -> list[DivergencePlace]:
    """The events with which versions part, nearest first."""
    best: dict[str, tuple[Divergence, Difference]] = {}
    where: dict[str, list[str]] = {}
    for difference in found.scenarios:
        for divergence in difference.divergences:
            where.setdefault(divergence.event, []).append(difference.systems[0].scenario)
            known = best.get(divergence.event)
            if known is None or len(divergence.common.steps) < len(known[0].common.steps):
                best[divergence.event] = (divergence, difference)
    result = [DivergencePlace(divergence, d, where[event]) for event, (divergence, d) in best.items()]
    return sorted(result, key=lambda place: len(place.divergence.common.steps))


def beginnings(found: Comparison) -> Iterator[str]:
    """With which events every difference begins."""
    events = [place.divergence.event for place in places(found)]
    if not events:
        return
    listed = ", ".join(map(code, events[:_MOST_EVENTS]))
    more = f" and {len(events) - _MOST_EVENTS} more" if len(events) > _MOST_EVENTS else ""
    whole = all(d.decision.is_equivalent or (d.divergences and d.sides is not None) for d in found.scenarios)
    where = "Every difference" if whole else "Where both have the same variables, every difference"
    which = "the same event" if len(events) == 1 else f"one of {len(events):,} events"
    yield f"{where} begins with {which}: {listed}{more}."


def divergence_blocks(found: Comparison) -> Iterator[Block]:
    """What each event does in both versions, the traces folded, and a picture."""
    shown = places(found)
    if shown:
        first, second = found.names
        rows = [_row(place) for place in shown]
        yield Table(["after", "event", first, second, "scenarios"], rows)
        never = _never(found)
        if never:
            listed = ", ".join(map(code, never[:_MOST_EVENTS])) + (", …" if len(never) > _MOST_EVENTS else "")
            same = "These events of the changed actions do the same in both, wherever nothing else has parted them"
            yield Paragraph(f"{same}: {listed}")
    yield from _experiments(found, with_divergences=bool(shown))
    yield from filter(None, [flow_diagram(found)])
    forks = (fork_of(place.divergence, place.difference.systems) for place in shown)
    yield from itertools.islice(map(LifePicture, filter(None, forks)), 1)
    if shown:
        stories = [Verbatim(_tell(place)) for place in shown[:_MOST_STORIES]]
        yield Fold("How it comes to that", stories)


def _row(place: DivergencePlace) -> list[str]:
    divergence = place.divergence
    after = ", ".join(step.event for step in divergence.common.steps) or "nothing"
    return [code(after), code(divergence.event), *outcomes(place), ", ".join(place.scenarios)]


def outcomes(place: DivergencePlace) -> tuple[str, str]:
    """What each version does that the other does not."""
    facts = [_facts(place, side) for side in (0, 1)]
    if facts[0] == facts[1] and None not in place.divergence.outcomes:
        # What is told of a step is the same: then all that a state has.
        facts = [_contents(place, side) for side in (0, 1)]
    return _outcome(place, 0, facts), _outcome(place, 1, facts)


def _outcome(place: DivergencePlace, side: int, facts: Sequence[Sequence[str]]) -> str:
    own, other = facts[side], facts[1 - side]
    if place.divergence.outcomes[side] is None:
        return "cannot happen"
    telling = [fact for fact in own if fact not in other] if place.divergence.outcomes[1 - side] is not None else own
    if not telling:
        return "none of that" if other != own else "the same"
    return ", ".join(code(fact) for fact in telling[:_MOST_FACTS])


def _contents(place: DivergencePlace, side: int) -> list[str]:
    trace = place.divergence.outcomes[side]
    assert trace is not None
    return [f"{i.name}: {i.text(trace.states[-1])}" for i in StateText(place.difference.systems[side]).items]


def _facts(place: DivergencePlace, side: int) -> list[str]:
    trace = place.divergence.outcomes[side]
    if trace is None:
        return []
    return changes(place.difference.systems[side], before_last(trace), trace.steps[-1])


def _never(found: Comparison) -> list[str]:
    """Events of changed actions that part the versions nowhere."""
    parted = {place.divergence.event for place in places(found)}
    never = dict.fromkeys(event for d in found.scenarios for event in d.never)
    return [event for event in never if event not in parted]


def _tell(place: DivergencePlace) -> list[str]:
    lines = [f"scenario {place.difference.systems[0].scenario}"]
    for side, trace in enumerate(place.divergence.outcomes):
        system = place.difference.systems[side]
        lines += ["", system.version]
        shown = place.divergence.ways[side] if trace is None else trace
        lines += plain_story(system, shown)
        if trace is None:
            lines.append(f"   {place.divergence.event}: cannot happen")
    return lines


def _experiments(found: Comparison, with_divergences: bool) -> Iterator[Block]:
    """Where states cannot be compared whole: the events that tell the versions apart soonest, as the fields show it."""
    tried = [d for d in found.scenarios if d.experiment is not None and not d.divergences]
    if not tried:
        return
    items = [_experiment(d) for d in tried]
    yield Paragraph("What tells them apart soonest, as the fields show it:")
    yield Bullets(items)
    nearest = min(tried, key=lambda d: len(d.experiment.traces[0].steps) if d.experiment else 0)
    assert nearest.experiment is not None
    stories = []
    for system, trace in zip(nearest.systems, nearest.experiment.traces, strict=True):
        lines = [f"{system.version}, scenario {system.scenario}", *plain_story(system, trace)]
        stories.append(Verbatim(lines))
    yield Fold("The nearest of these, step by step", stories, in_text=not with_divergences)


def _experiment(d: Difference) -> str:
    experiment = d.experiment
    assert experiment is not None
    events = ", ".join(code(step.event) for step in experiment.traces[0].steps) or "the start"
    where = code(d.systems[0].scenario)
    if experiment.event:
        return f"{where}: after {events}, only {d.systems[experiment.side].version} can go on with " + (
            f"{code(experiment.event)} as it does"
        )
    shown = [_show(d, side, trace) for side, trace in enumerate(experiment.traces)]
    alone = [[text for text in mine if text not in other] for mine, other in (shown, shown[::-1])]
    sides = [
        f"{system.version} shows {', '.join(map(code, texts)) or 'none of that'}"
        for system, texts in zip(d.systems, alone, strict=True)
    ]
    return f"{where}: after {events} {', '.join(sides)}"


def _show(d: Difference, side: int, trace: Trace) -> list[str]:
    """What the fields show after a trace, field by field."""
    system, view = d.systems[side], d.view
    state = trace.steps[-1].state if trace.steps else trace.initial
    values = []
    for path, pair, names in zip(view.paths, view.variables, view.values, strict=True):
        values.append(names.index(pair[side].show(state[system.index(path)])))
    text = values_in_words(view, system, tuple(values))
    return text.split(", ")
