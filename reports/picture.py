"""A trace as a picture: a row of states with what changed marked, the events between them, the claim below.

A state lists every item that the trace changes, so that states can be compared line by line.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from podproof.checker.system import Exploration, State, Status, Verdict
from podproof.reports.canvas import CHANGED, FAINT, INK, RULE, WRONG, Canvas, text_width
from podproof.reports.drawing import BOLD, draw
from podproof.reports.layout import counted
from podproof.reports.wording import Item, Wording

MOST_IN_A_ROW = 4
EVENT_LETTERS, VALUE_LETTERS = 17, 24
SIZE, LINE, TITLE, PAD = 11.0, 14.0, 22.0, 5.0
GAP, TURN = 128.0, 78.0
"""Between two states of a row, and between two rows: as much as an event needs."""
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
        self.steps = list(wording.walk(self.trace.initial, self.trace.steps))
        self.changed = [frozenset(), *(frozenset(fact.item for fact in facts) for _, facts in self.steps)]
        told = frozenset[Item]().union(*self.changed)
        self.items = [item for item in wording.items if item in told]
        self.states = [self.trace.initial, *(step.state for step in self.trace.steps)]
        self._measure()
        self.canvas = Canvas("trace", margin=16)

    def _measure(self) -> None:
        """The sizes that all states share: columns, each item's height, rows of states."""
        values = [line for item in self.items for state in self.states for line in _lines(item, state)]
        self.name_width = max((text_width(i.name, SIZE, bold=True) for i in self.items), default=0) + PAD
        self.value_width = max((text_width(line, SIZE, bold=True) for line in values), default=0) + PAD
        self.width = max(DOT + self.name_width + self.value_width + 2 * PAD, text_width("after step 00 violated", 13))
        self.heights = [max(len(_lines(i, state)) for state in self.states) * LINE + 3 for i in self.items]
        self.height = TITLE + sum(self.heights) + PAD
        count = len(self.states) - self._starts_small()
        rows = max(1, math.ceil(count / MOST_IN_A_ROW))
        self.in_a_row = max(1, math.ceil(count / rows))

    def _starts_small(self) -> bool:
        """Is nothing of what the trace changes set at the start? Then a circle stands for it."""
        return all(item.is_zero(self.trace.initial) for item in self.items)

    def source(self) -> str:
        for number in range(len(self.states)):
            self._state(number)
        for number, step in enumerate(self.trace.steps, 1):
            self._event(number, step.event)
        self._caption()
        return str(self.canvas.graph.source)

    def _place(self, number: int) -> tuple[float, float]:
        """The top left corner of a state's box."""
        shift = START + GAP if self._starts_small() else 0.0
        index = number - self._starts_small()
        row, column = divmod(index, self.in_a_row)
        return shift * (row == 0) + column * (self.width + GAP), row * (self.height + TURN)

    def _state(self, number: int) -> None:
        if number == 0 and self._starts_small():
            look = {"shape": "circle", "label": "start", "fontsize": "11", "color": FAINT}
            self.canvas.box("s0", 0, self.height / 2 - START / 2, START, START, **look)
            return
        left, top = self._place(number)
        last = number == len(self.states) - 1
        frame = {"color": WRONG, "penwidth": "3"} if last else {"color": RULE}
        self.canvas.box(f"s{number}", left, top, self.width, self.height, style="rounded", **frame)
        title = "start" if number == 0 else f"after step {number}" + ("   ✗ violated" if last else "")
        ink = WRONG if last else FAINT
        self.canvas.text(f"s{number}t", left + PAD, top + 2, self.width - 2 * PAD, TITLE - 4, title, **_font(12, ink))
        y = top + TITLE
        for i, item in enumerate(self.items):
            self._item(f"s{number}i{i}", number, item, left + PAD, y, self.heights[i])
            y += self.heights[i]

    def _item(self, name: str, number: int, item: Item, left: float, top: float, height: float) -> None:
        """One line of a state: mark, name and value; what the step changed is bold, marked and on a ground."""
        state, changed = self.states[number], item in self.changed[number]
        ink = INK if changed or not item.is_zero(state) else FAINT
        look = _font(SIZE, ink, bold=changed) | ({"fillcolor": CHANGED} if changed else {})
        self.canvas.text(f"{name}m", left, top, DOT, height, "●" if changed else "", **look)
        self.canvas.text(f"{name}n", left + DOT, top, self.name_width, height, item.name, **look)
        rest = self.width - 2 * PAD - DOT - self.name_width
        value = "\n".join(_lines(item, state))
        self.canvas.text(f"{name}v", left + DOT + self.name_width, top, rest, height, value, **look)

    def _event(self, number: int, event: str) -> None:
        """The arrow from one state to the next, with the event above it; it turns where a row ends."""
        lines = [f"{number}", *textwrap.wrap(event, EVENT_LETTERS)]
        names = (f"s{number - 1}", f"s{number}")
        left, top = self._place(number)
        if self._place(number - 1)[1] == top or number == 1:
            self.canvas.arrow(*names, tooltip=event)
            self.canvas.centred(f"e{number}", left - GAP / 2, top + self.height / 2 - 5, lines, SIZE)
            return
        from_left, from_top = self._place(number - 1)
        middle, turn = self.width / 2, top - TURN + 16
        self.canvas.corner(f"c{number}a", from_left + middle, turn)
        self.canvas.corner(f"c{number}b", left + middle, turn)
        self.canvas.arrow(names[0], f"c{number}a", f"c{number}b", names[1], tooltip=event)
        text, width = f"{number}  {event}", (self.width + GAP) * (self.in_a_row - 1)
        wrapped = "\n".join(textwrap.wrap(text, max(30, int(width / SIZE / 0.6))))
        look = _font(SIZE, INK, bold=True)
        self.canvas.text(f"e{number}", left + middle + 8, turn + 4, max(width, 200), TURN - 30, wrapped, **look)

    def _caption(self) -> None:
        """The claim, and where it was found to be violated."""
        system, claim = self.exploration.system, self.verdict.property
        rows = 1 + (len(self.states) - 1 - self._starts_small()) // self.in_a_row
        y = rows * (self.height + TURN) - TURN + 18
        where = f"{system.version}, environment {system.environment}, scenario {system.scenario}"
        steps = f"{counted(len(self.trace.steps), 'step')}, shortest"
        lines = [(f"✗ {self.verdict.status.value}   {claim.id}", 15.0, WRONG, True)]
        lines += [(line, 13.0, INK, False) for line in textwrap.wrap(claim.meaning, self._letters())]
        lines += [(line, 11.0, FAINT, False) for line in textwrap.wrap(f"{where}: {steps}", self._letters())]
        for i, (text, size, ink, bold) in enumerate(lines):
            width = text_width(text, size, bold) + 10
            self.canvas.text(f"claim{i}", 0, y, width, size * 1.4, text, **_font(size, ink, bold))
            y += size * 1.5

    def _letters(self) -> int:
        """How many letters of the caption fit below the picture."""
        widest = max(self._place(number)[0] for number in range(len(self.states))) + self.width
        return max(60, int(widest / 13 / 0.55))


def _lines(item: Item, state: State) -> list[str]:
    """The value in a list where everything is named: a dash for what is unset."""
    if item.is_zero(state):
        return ["–"]
    value = "exists" if item.kind == "entry" else item.text(state)
    return list(_wrapped(value)) or [""]


def _wrapped(value: str) -> Iterator[str]:
    yield from textwrap.wrap(value, VALUE_LETTERS, break_long_words=False)


def _font(size: float, ink: str, bold: bool = False) -> dict[str, str]:
    return {"fontsize": f"{size:g}", "fontcolor": ink} | ({"fontname": BOLD} if bold else {})


__all__: Sequence[str] = ["trace_dot", "write_trace_pictures"]
