"""Values, steps and waits that only one of two versions shows, all scenarios together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from podproof.checker.core.system import System
from podproof.checker.difference.result import Comparison, Difference, NewStep, View, Waiting
from podproof.reports.content.review.words import event_of, values_in_words
from podproof.reports.document import Block, Fold, Paragraph, Table, Verbatim, code
from podproof.reports.layout import number_of
from podproof.reports.state_text import StateText
from podproof.reports.story import plain_story

_MOST_ROWS = 8
_MOST_STORIES = 2
_MOST_WAITS = 4


@dataclass(frozen=True)
class Group:
    """The new steps of one action and one version, all scenarios together, with the nearest example."""

    new_step: NewStep
    difference: Difference
    scenarios: Sequence[str]


def field_names(view: View, system: System) -> list[str]:
    """The names of the fields, without saying the pod where there are several."""
    state_text = StateText(system)
    names = (state_text.name(path) for path in view.paths)
    pods = {f"{pod}." for pod in state_text.pods.values()} if len(state_text.pods) > 1 else set()
    return list(dict.fromkeys(name[len(p) :] if (p := _prefix(name, pods)) else name for name in names))


def _prefix(name: str, prefixes: set[str]) -> str:
    return next((prefix for prefix in prefixes if name.startswith(prefix)), "")


def behaviour_blocks(found: Comparison) -> Iterator[Block]:
    """Steps that only one version shows, by action, then waits."""
    groups = _groups(found)
    for side, name in enumerate(found.names):
        mine = [group for group in groups if group.new_step.side == side]
        if mine:
            yield from _side(mine, name, found.names[1 - side])
    yield from _waits(found)


def _groups(found: Comparison) -> list[Group]:
    merged: dict[tuple[int, str], Group] = {}
    for d in found.scenarios:
        for new_step in d.new_steps:
            key, scenario = (new_step.side, new_step.action), d.systems[0].scenario
            known = merged.get(key)
            if known is None:
                merged[key] = Group(new_step, d, [scenario])
                continue
            nearer = (
                known if len(known.new_step.example.steps) <= len(new_step.example.steps) else Group(new_step, d, [])
            )
            total = replace(
                nearer.new_step,
                steps=known.new_step.steps + new_step.steps,
                entered=known.new_step.entered + new_step.entered,
            )
            merged[key] = Group(total, nearer.difference, [*known.scenarios, scenario])
    return sorted(merged.values(), key=lambda g: (len(g.new_step.example.steps), g.new_step.action))


def _side(groups: Sequence[Group], name: str, other: str) -> Iterator[Block]:
    rows = [_row(group, other) for group in groups[:_MOST_ROWS]]
    head = ["event", "new steps", f"to values {other} never shows", "nearest after", f"{other} parts at", "scenarios"]
    more = len(groups) - _MOST_ROWS
    blocks: list[Block] = [Table(head, rows)]
    if more > 0:
        blocks.append(Paragraph(f"and {number_of(more, 'more action')}, only farther away."))
    steps = sum(group.new_step.steps for group in groups)
    what = f"{number_of(steps, 'step')} of {number_of(len(groups), 'action')} that {other} does not take"
    title = f"Only {name}: {what}, out of values that both show"
    yield Fold(title, blocks, in_text=True)
    stories = [Verbatim(_story(group)) for group in groups[:_MOST_STORIES]]
    yield Fold(f"Only {name}: the nearest examples", stories)


def _row(group: Group, other: str) -> list[str]:
    new_step = group.new_step
    last = len(new_step.example.steps)
    if new_step.parts_at is None:
        parts = "nowhere: only the fields' past differs"
    elif new_step.parts_at == last:
        parts = "this very step"
    else:
        parts = f"step {new_step.parts_at}, {code(new_step.example.steps[new_step.parts_at - 1].event)}"
    return [
        code(event_of(group.difference.systems, new_step.action)),
        f"{new_step.steps:,}",
        f"{new_step.entered:,}",
        number_of(last - 1, "step"),
        parts,
        ", ".join(group.scenarios),
    ]


def _story(group: Group) -> list[str]:
    system = group.difference.systems[group.new_step.side]
    head = f"{system.version}, scenario {system.scenario}"
    return [head, *plain_story(system, group.new_step.example)]


def new_waits(found: Comparison) -> Iterator[str]:
    """How many waits are new, and the nearest of them."""
    total, waits = _waits_of(found, 1)
    for wait, d in waits[:1]:
        where, values, after, there = _wait(wait, d, found.names[0])
        near = f"the nearest in {where} after {after}, with {values}"
        yield f"{_title_of_waits(total, found, 1)}; {near}: {found.names[0]} {there}."


def _waits(found: Comparison) -> Iterator[Block]:
    """New and vanished waits: a few of each, nearest first."""
    for side in (0, 1):
        total, waits = _waits_of(found, side)
        if not waits:
            continue
        rows = [_wait(wait, d, found.names[1 - side]) for wait, d in waits[:_MOST_WAITS]]
        head = ["scenario", "waiting with", "nearest after", found.names[1 - side]]
        yield Fold(_title_of_waits(total, found, side), [Table(head, rows)], in_text=True)


def _title_of_waits(total: int, found: Comparison, side: int) -> str:
    return f"Waits {('vanished', 'new')[side]}: {total:,} that only {found.names[side]} has"


def _waits_of(found: Comparison, side: int) -> tuple[int, Sequence[tuple[Waiting, Difference]]]:
    """How many waits only this version has, and examples of them, nearest first."""
    total = sum(d.sides[side].only_waits for d in found.scenarios if d.sides is not None)
    waits = ((wait, d) for d in found.scenarios for wait in d.waits if wait.side == side)
    return total, sorted(waits, key=lambda item: (not item[0].in_other, len(item[0].example.steps)))


def _wait(wait: Waiting, d: Difference, other: str) -> list[str]:
    values = values_in_words(d.view, d.systems[0], wait.values)
    there = "shows it and goes on by itself" if wait.in_other else "never shows it"
    return [d.systems[0].scenario, code(values), number_of(len(wait.example.steps), "step"), there]
