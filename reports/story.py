"""A trace as a story: numbered events, only what each of them changed, and the model's line that did it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

from podproof.checker.core.printer import visible
from podproof.checker.core.system import ClaimFailure, Lasso, System, Trace
from podproof.model.notes import RUNTIME, WORKER
from podproof.reports.actors import lane_of
from podproof.reports.layout import Style, wrap, wrap_items
from podproof.reports.state_text import INDEX, Fact, NamedPart, StateText

MOST_FOR_EVENTS, LEAST_ROOM = 46, 24
WIDTH = 110
"""Columns where there is no terminal whose width could be asked."""
Row = tuple[Sequence[str], str]
"""Items of the middle column, and the source line to the right of them."""


def story(system: System, trace: Trace, style: Style, indent: int) -> Iterator[str]:
    """The lines of the story. The last step, where things go wrong, names the model's line of every change."""
    steps = list(StateText(system).walk(trace.initial, trace.steps))
    rows = [_rows(facts, last=i + 1 == len(steps)) for i, (_, facts) in enumerate(steps)]
    number = len(str(len(steps)))
    source = max((len(line) for step in rows for _, line in step), default=0)
    # A file's name may be longer than a line; then the lines are, too.
    room = max(LEAST_ROOM, style.width - indent - number - len("  ") - len("   ") - len("  ") - source)
    event = min(MOST_FOR_EVENTS, room // 2, max((len(visible(step.event)) for step, _ in steps), default=0))
    middle = room - event
    free = ", ".join(f"{path} = {trace.initial[system.index(path)]}" for path in system.free)
    head, lasso = f"{' ' * indent}{0:>{number}}  ", trace.lasso
    yield from wrap(
        f"start{' with ' if free else ''}{free}", style.width, initial_indent=head, subsequent_indent=" " * len(head)
    )
    yield from (" " * indent + text for text in turns(lasso, 0, len(steps)))
    for i, ((step, _), cells) in enumerate(zip(steps, rows, strict=True), 1):
        events = wrap(step.event, event, subsequent_indent="  ") or [""]
        changes = [line for items, at in cells for line in _cell(items, at, middle)]
        for j in range(max(len(events), len(changes))):
            head = f"{i:>{number}}" if j == 0 else " " * number
            shown = events[j] if j < len(events) else ""
            change, at = changes[j] if j < len(changes) else ("", "")
            line = f"{' ' * indent}{head}  {shown:<{event}}   {change:<{middle}}  "
            yield (line + style.paint(at, "dim") if at else line).rstrip()
        yield from (" " * indent + text for text in turns(lasso, i, len(steps)))
    for text in lasso.blocked if lasso is not None else ():
        head = " " * indent + "-- "
        yield from wrap(text, style.width, initial_indent=head, subsequent_indent=" " * len(head))


def turns(lasso: Lasso | None, state: int, end: int) -> Iterator[str]:
    """What is to be said of a state of a run that goes on for ever, after the steps that lead to it."""
    if lasso is None:
        return
    case = f" ({', '.join(f'{name} {value}' for name, value in lasso.case.items())})" if lasso.case else ""
    if state == lasso.waiting:
        yield f"-- waiting starts here{case}"
    if state == lasso.no_return:
        yield "-- the point of no return: whatever happens now, it is waited for in vain"
    if state == lasso.start:
        yield f"then, for ever:{' nothing that has to happen is possible' if state == end else ''}"


def end_of(trace: Trace | None) -> str:
    """What a line about a trace says besides: who waits in it for ever, or what its last step is; empty for nothing."""
    if trace is not None and trace.lasso is not None:
        return f"; for ever: {'; '.join(trace.lasso.blocked)}" if trace.lasso.blocked else ""
    return f"; the last one is: {trace.steps[-1].event}" if trace is not None and trace.steps else ""


def plain_story(system: System, trace: Trace) -> Sequence[str]:
    """The story as files and pages have it."""
    return tuple(story(system, trace, Style(width=WIDTH), 0))


def sentence(failure: ClaimFailure | None) -> str:
    """How a claim fails, in its own words; empty where it has none for that."""
    return "" if failure is None else failure.sentence


def false_part(failure: ClaimFailure | None, with_line: bool = True) -> str:
    """Which part of a claim is false, and where it stands, in one line; empty where it has no such part."""
    if failure is None or failure.part is None:
        return ""
    c = failure.part
    text = f"false: {c.text}"
    text += f" ({c.shown})" if c.shown else ""
    text += f" for {', '.join(f'{name} = {value}' for name, value in c.bound.items())}" if c.bound else ""
    text += f", where {', '.join(c.where)}" if c.where else ""
    text += f", because {', '.join(c.because)}" if c.because else ""
    return f"{text}; {c.line}" if with_line else text


def read_by(failure: ClaimFailure | None, state_text: StateText) -> Sequence[NamedPart]:
    """What the false part of a claim reads, and what holds at the same time."""
    if failure is None or failure.part is None:
        return ()
    paths = {*failure.part.reads, *failure.part.reads_beside}
    items = (item for item in state_text.items if item.kind != "entry")
    return [item for item in items if any(variable.path in paths for variable in item.variables)]


def folded(trace: Trace, facts: Sequence[Sequence[Fact]], tracks: Collection[NamedPart]) -> list[list[int]]:
    """The numbers of the steps; those in a row that only say how the worker goes on as usual are one entry.

    They touch none of the tracks, are not the last one, and lie all within a loop or all before it. `facts` begins with
    those of the start.
    """

    def group(number: int) -> tuple[int, bool]:
        is_last = number == len(trace.steps)
        touched = any(fact.item in tracks for fact in facts[number])
        if is_last or touched or lane_of(trace.steps[number - 1].actor) not in (WORKER, RUNTIME):
            return number, False
        return -1 if trace.lasso and number > trace.lasso.start else 0, True

    return [list(steps) for _, steps in itertools.groupby(range(1, len(trace.steps) + 1), group)]


def word_of(item: NamedPart) -> str:
    """What the source of a claim calls it."""
    path = item.variables[0].path.removesuffix(".present") if item.kind == "pointer" else item.variables[0].path
    return INDEX.sub("", path).rpartition(".")[2]


def _rows(facts: Sequence[Fact], last: bool) -> list[Row]:
    """The facts of one step: all in one row, or a row for each line of the model."""
    if not last:
        return [([str(fact) for fact in facts], str(facts[0].line or ""))] if facts else [(["(no visible change)"], "")]
    groups: dict[str, list[str]] = {}
    for fact in facts:
        groups.setdefault(str(fact.line or ""), []).append(str(fact))
    return [(items, line) for line, items in groups.items()] or [(["(no visible change)"], "")]


def _cell(items: Sequence[str], source: str, width: int) -> Iterator[tuple[str, str]]:
    """A row's lines; the source stands beside the first."""
    for i, line in enumerate(wrap_items(items, width)):
        yield line, source if i == 0 else ""
