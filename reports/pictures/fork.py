"""The life of pods in two versions: the same steps, once as long as both do the same, and from then on of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from podproof.checker.core.system import System, Trace
from podproof.reports.pictures.life import NEW, OLD, Fork, Life, Ribbon, TraceReading
from podproof.reports.presets import PHASE_FIELDS
from podproof.reports.state_text import StateText

MOST_PODS, MOST_CHANGES = 2, 4
"""Pods that there is room for, and changes in a row that only one version makes."""


@dataclass(frozen=True)
class TakenWalk:
    """A walk as far as one version takes it."""

    system: System
    trace: Trace
    stop: str = ""
    """Why it does not take the next step; empty where it takes them all."""


Runs = tuple[TakenWalk, TakenWalk]


def parting(runs: Runs) -> int | None:
    """The first step that only one takes or that leaves them with other values of what both have; None for no such."""
    texts = [{item.name: item for item in StateText(run.system).items} for run in runs]
    both = texts[0].keys() & texts[1].keys()
    for number, states in enumerate(zip(*(run.trace.states for run in runs), strict=False)):
        if any(texts[0][name].text(states[0]) != texts[1][name].text(states[1]) for name in both):
            return number
    shortest, longest = sorted(len(run.trace.steps) for run in runs)
    return shortest + 1 if shortest < longest else None


def forked(runs: Runs, parts_at: int, claim: str, title: str, ending: str = "") -> Life | None:
    """A walk that two versions take; they part with this step, or at the start. None of more pods than are seen."""
    uids = {uid for run in runs for uid in TraceReading(run.system, run.trace).uids}
    if len(uids) > MOST_PODS:
        return None
    first, second = (TraceReading(run.system, run.trace, also=uids) for run in runs)
    rows = list(first.folded([row for row in first.single if row.last < parts_at]))
    common = len(rows) + 1 if parts_at else 0
    for number in range(max(1, parts_at), max(len(first.single), len(second.single)) + 1):
        taken = [one.single[number - 1] for one in (first, second) if number <= len(one.single)]
        alike = [text for text in taken[0].changes if len(taken) == 2 and text in taken[1].changes]
        sides = ((OLD, first, second, runs[0]), (NEW, second, first, runs[1]))
        apart = (f"{sign} {text}" for sign, own, other, run in sides for text in _own_changes(number, own, other, run))
        changes = tuple(dict.fromkeys((*alike, *apart)))
        rows.append(replace(taken[0], changes=changes, after=first.at(number)))
    where = f"with step {parts_at}" if parts_at else "at the start"
    return Life(
        title=title,
        outcome=f"{OLD} {first.system.version} and {NEW} {second.system.version} part {where}",
        where=f"scenario {first.system.scenario}",
        is_wrong=False,
        pods=tuple(
            Ribbon(one.uid, one.name, one.has_strip or other.has_strip)
            for one, other in zip(first.pods, second.pods, strict=True)
        ),
        lanes=tuple(dict.fromkeys(row.lane for row in rows if row.lane)),
        tracks=(),
        start=first.at(0),
        rows=tuple(rows),
        blocked=(ending,) if ending else (),
        claim=claim,
        fork=Fork(common, (second.at(0), *(second.at(row.last) for row in rows))),
    )


def _own_changes(number: int, own: TraceReading, other: TraceReading, run: TakenWalk) -> Iterator[str]:
    """What a step changes in one version alone, in words, also what no picture of one tells; or why it stops there."""
    if number > len(own.single):
        if number == len(own.single) + 1:
            yield run.stop
        return
    there = {(fact.item.name, fact.after) for fact in (other.facts[number - 1 : number] or [()])[0]}
    facts = [fact for fact in own.facts[number - 1] if (fact.item.name, fact.after) not in there]
    texts = [own.told(fact) for fact in facts if fact.item.leaf not in PHASE_FIELDS]
    more = len(texts) - MOST_CHANGES
    yield from texts if more <= 1 else [*texts[:MOST_CHANGES], f"and {more} more"]
