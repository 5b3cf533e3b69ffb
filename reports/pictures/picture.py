"""A trace as a picture: a row of states with what changed marked, the events between them, the claim below.

A state lists every item that the trace changes, so that states can be compared line by line.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.layout import number_of, wrap
from podproof.reports.pictures.canvas import CHANGED, FAINT, INK, RULE, WRONG, Canvas, text_width
from podproof.reports.pictures.drawing import BOLD, draw
from podproof.reports.wording import NamedPart, Wording

WIDEST = 1280.0
"""Rows of states are about as wide as a page can show at a size that can be read."""
SMALLEST = 190.0
"""The narrowest box: its title fits."""
EVENT_LETTERS, VALUE_LETTERS = 17, 19
SIZE, LINE, TITLE, PAD = 11.0, 14.0, 22.0, 5.0
TURN = 74.0
"""Between two rows: as much as an event needs."""
DOT = 14.0
"""Room for the mark of a changed item."""
START = 46.0


def write_trace_pictures(exploration: Exploration, directory: Path) -> list[Path]:
    """Write each violation's trace as DOT and SVG, and say which files; makes the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for verdict in exploration.verdicts:
        if verdict.status is not Status.VIOLATED or verdict.trace is None:
            continue
        system = exploration.system
        stem = re.sub(r"[^\w.-]+", "_", f"{system.version}-{system.scenario}-{verdict.property.id}")
        source = trace_dot(exploration, verdict)
        for suffix, content in ((".dot", source.encode()), (".svg", draw(source, "svg"))):
            path = directory / (stem + suffix)
            path.write_bytes(content)
            written.append(path)
    return written


def trace_dot(exploration: Exploration, verdict: Verdict) -> str:
    """A verdict's trace as DOT source; raises ValueError for a verdict without a trace."""
    return _TracePicture(exploration, verdict).source()


class _TracePicture:
    def __init__(self, exploration: Exploration, verdict: Verdict) -> None:
        if verdict.trace is None:
            raise ValueError(f"{verdict.property.id}: there is no trace to draw")
        self.exploration, self.verdict, self.trace = exploration, verdict, verdict.trace
        wording = Wording(exploration.system)
        walk = wording.walk(self.trace.initial, self.trace.steps)
        self.facts = [{}, *({fact.item: fact for fact in facts} for _, facts in walk)]
        told = {item for facts in self.facts for item in facts}
        self.items = [item for item in wording.items if item in told]
        self.states = self.trace.states
        self._measure()
        self.canvas = Canvas("trace", margin=16)

    def _measure(self) -> None:
        """The sizes that all states share: columns, each item's height, states in a row."""
        lines = {(i, n): self._lines(item, n) for i, item in enumerate(self.items) for n in range(len(self.states))}
        self.name_width = max((text_width(i.name, SIZE) for i in self.items), default=0) + PAD
        values = (text_width(line, SIZE, bold=True) for value in lines.values() for line in value)
        self.width = max(DOT + self.name_width + max(values, default=0) + 3 * PAD, SMALLEST)
        rows = (max(len(lines[i, n]) for n in range(len(self.states))) for i in range(len(self.items)))
        self.heights = [count * LINE + 3 for count in rows]
        self.height = TITLE + sum(self.heights) + PAD
        events = (line for step in self.trace.steps for line in _event_lines(step.event))
        self.gap = max((text_width(line, SIZE, bold=True) for line in events), default=0) + 26
        count = len(self.states) - self._starts_small()
        most = max(1, int((WIDEST + self.gap) // (self.width + self.gap)))
        self.in_a_row = max(1, math.ceil(count / math.ceil(count / most)))

    def _starts_small(self) -> bool:
        """Is nothing of what the trace changes set at the start? Then a circle stands for it."""
        return all(item.is_zero(self.trace.initial) for item in self.items)

    def source(self) -> str:
        for number in range(len(self.states)):
            self._state(number)
        for number, step in enumerate(self.trace.steps, 1):
            self._event(number, step.event)
        self._loop()
        self._caption()
        return str(self.canvas.graph.source)

    def _place(self, number: int) -> tuple[float, float]:
        """The top left corner of a state's box."""
        shift = START + self.gap if self._starts_small() else 0.0
        index = number - self._starts_small()
        row, column = divmod(index, self.in_a_row)
        return shift + column * (self.width + self.gap), row * (self.height + TURN)

    def _state(self, number: int) -> None:
        if number == 0 and self._starts_small():
            look = {"shape": "circle", "label": "start", "fontsize": "11", "color": FAINT}
            self.canvas.box("s0", 0, self.height / 2 - START / 2, START, START, **look)
            return
        left, top = self._place(number)
        last = number == len(self.states) - 1
        frame = {"color": WRONG, "penwidth": "3"} if last else {"color": RULE}
        self.canvas.box(f"s{number}", left, top, self.width, self.height, style="rounded", **frame)
        title = "start" if number == 0 else f"after step {number}"
        title += self._end if last and (number or self.trace.lasso) else ""
        ink = WRONG if last else FAINT
        self.canvas.text(f"s{number}t", left + PAD, top + 2, self.width - 2 * PAD, TITLE - 4, title, **_font(12, ink))
        y = top + TITLE
        for i, item in enumerate(self.items):
            self._item(f"s{number}i{i}", number, item, left + PAD, y, self.heights[i])
            y += self.heights[i]

    @property
    def _end(self) -> str:
        """What the title of the last state says besides."""
        lasso = self.trace.lasso
        if lasso is None:
            return "   ✗ violated"
        if lasso.start == len(self.trace.steps):
            return "   ✗ for ever"
        return f", as {f'after step {lasso.start}' if lasso.start else 'at the start'}: so on for ever"

    def _loop(self) -> None:
        """The arrow back to where the loop of a lasso begins: below the last state, to the left and up."""
        lasso, last = self.trace.lasso, len(self.trace.steps)
        if lasso is None or lasso.start == last:
            return
        left, top, middle = *self._place(lasso.start), self.width / 2
        if lasso.start == 0 and self._starts_small():
            left, top, middle = 0.0, self.height / 2 - START / 2, START / 2
        right, bottom = self._place(last)
        level = bottom + self.height + 12
        turns = [(right + self.width / 2, level), (left - 16, level)]
        corners = [*turns, (left - 16, top - 10), (left + middle, top - 10)]
        names = [f"loop{i}" for i in range(len(corners))]
        for name, (x, y) in zip(names, corners, strict=True):
            self.canvas.corner(name, x, y)
        self.canvas.arrow(f"s{last}", *names, f"s{lasso.start}", tooltip="and so on, for ever")

    def _item(self, name: str, number: int, item: NamedPart, left: float, top: float, height: float) -> None:
        """One line of a state: mark, name and value; what the step changed is bold, marked and on a ground."""
        changed = item in self.facts[number]
        ink = INK if changed or not item.is_zero(self.states[number]) else FAINT
        look = _font(SIZE, ink) | ({"fillcolor": CHANGED} if changed else {})
        if changed:
            self.canvas.text(f"{name}m", left, top, DOT, height, "●", **look)
        self.canvas.text(f"{name}n", left + DOT, top, self.name_width, height, item.name, **look)
        rest = self.width - 2 * PAD - DOT - self.name_width
        value = "\n".join(self._lines(item, number))
        look |= _font(SIZE, ink, bold=changed)
        self.canvas.text(f"{name}v", left + DOT + self.name_width, top, rest, height, value, **look)

    def _lines(self, item: NamedPart, number: int) -> list[str]:
        """An item's value after a step: a dash for what is unset, the old value too for a number that changed."""
        fact, state = self.facts[number].get(item), self.states[number]
        if fact is not None:
            value = f"{fact.before} → {fact.after}" if fact.is_number else fact.after
        elif item.is_zero(state):
            value = "-"
        else:
            value = "exists" if item.kind == "entry" else item.text(state)
        return wrap(value, VALUE_LETTERS, break_long_words=False) or ["-"]

    def _event(self, number: int, event: str) -> None:
        """The arrow from one state to the next, with the event above it; it turns where a row ends."""
        names = (f"s{number - 1}", f"s{number}")
        left, top = self._place(number)
        if self._place(number - 1)[1] == top or number == 1:
            lines = [f"{number}", *_event_lines(event)]
            self.canvas.arrow(*names, tooltip=event)
            self.canvas.centred(f"e{number}", left - self.gap / 2, top + self.height / 2 - 5, lines, SIZE)
            return
        from_left, _ = self._place(number - 1)
        middle, turn = self.width / 2, top - TURN + 16
        self.canvas.corner(f"c{number}a", from_left + middle, turn)
        self.canvas.corner(f"c{number}b", left + middle, turn)
        self.canvas.arrow(names[0], f"c{number}a", f"c{number}b", names[1], tooltip=event)
        width = max(300.0, (self.width + self.gap) * (self.in_a_row - 1) - 20)
        lines = wrap(f"{number}  {event}", int(width / SIZE / 0.62))
        look = _font(SIZE, INK, bold=True)
        height = len(lines) * LINE
        self.canvas.text(f"e{number}", left + middle + 8, turn + 6, width, height, "\n".join(lines), **look)

    def _caption(self) -> None:
        """The claim, and where it was found to be violated."""
        system, claim = self.exploration.system, self.verdict.property
        right, bottom = self._extent()
        letters = max(70, int(right / 13 / 0.6))
        where = f"{system.version}, environment {system.environment}, scenario {system.scenario}"
        steps = f"{number_of(len(self.trace.steps), 'step')}, shortest"
        if self.trace.lasso is not None:
            steps = self.verdict.reason
        lines = [(f"✗ {self.verdict.status.value}   {claim.id}", 15.0, WRONG, True)]
        lines += [(line, 13.0, INK, False) for line in wrap(claim.meaning, letters)]
        lines += [(line, 11.0, FAINT, False) for line in wrap(f"{where}: {steps}", letters)]
        top = bottom + 18
        for i, (text, size, ink, bold) in enumerate(lines):
            width = text_width(text, size, bold) + 10
            self.canvas.text(f"claim{i}", 0, top, width, size * 1.4, text, **_font(size, ink, bold))
            top += size * 1.5

    def _extent(self) -> tuple[float, float]:
        """How far the states reach to the right and down."""
        corners = [self._place(number) for number in range(len(self.states))]
        return max(x for x, _ in corners) + self.width, max(y for _, y in corners) + self.height


def _event_lines(event: str) -> list[str]:
    return wrap(event, EVENT_LETTERS, break_long_words=False)


def _font(size: float, ink: str, bold: bool = False) -> dict[str, str]:
    return {"fontsize": f"{size:g}", "fontcolor": ink} | ({"fontname": BOLD} if bold else {})
