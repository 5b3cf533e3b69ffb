"""The phases of a pod from top to bottom in the order of its life, and what leads from one to another.

The way of a pod that nobody stops goes straight down. What leads to the end, or leaves a phase out, is at the left,
what leads back at the right. Every phase has the same place in each picture, below those before it that are there.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from podproof.reports.layout import number_of
from podproof.reports.pictures.canvas import FAINT, GREEN, INK, WRONG, Canvas, plain_text
from podproof.reports.pictures.life import NEW, OLD, RUNNING
from podproof.reports.pictures.life import PHASES as NAMES
from podproof.reports.pictures.life_picture import (
    ABOVE,
    BOLD_SMALL,
    EVENT,
    FILLS,
    LINE,
    PAGE,
    SIDE,
    SMALL,
    TITLE,
    WIDTH,
    with_page,
    wrapped,
)
from podproof.reports.presets import (
    FINISHED,
    NOT_KNOWN,
    PHASES,
    REQUESTED,
    STARTED,
    SYNC,
    TERMINATED,
    WAITING,
    short_phase,
)

Whose = Literal["both", "removed", "added", "actor"]

HINTS = {
    NOT_KNOWN: "never seen, or forgotten",
    WAITING: "its worker has not run yet",
    SYNC: "startedAt · calls SyncPod",
    STARTED: "terminatingAt · kills the pod",
    TERMINATED: "terminatedAt · cleans up",
    FINISHED: "finished · goroutine ended",
}
ORDER = {short_phase(phase): phase for phase in PHASES if phase != REQUESTED}
"""The phases by what a diagram calls them, from top to bottom."""
LEFT, RIGHT, BOX, STRIP = 346.0, 516.0, 40.0, 14.0
"""The sides of the boxes, the least height of one, and how wide the strip beside them is."""
LANE, FIRST_LANE = 20.0, 20.0
"""How far apart the arrows at the sides are, and how far the first one is from the edge."""
NEVER = 658.0
_SIGNS = {"removed": f"{OLD} ", "added": f"{NEW} "}
_COLOURS = {"removed": WRONG, "added": GREEN, "both": INK, "actor": FAINT}
_LINES = {"both": "1.3", "removed": "1.6", "added": "2.5"}


@dataclass(frozen=True)
class Arrow:
    """What leads from a phase to another one; both are called as in `ORDER`."""

    source: str
    target: str
    lines: Sequence[tuple[str, Whose]]
    """Events, of both versions or of one, and after them who causes them."""

    @property
    def whose(self) -> Whose:
        found = {whose for _, whose in self.lines if whose != "actor"}
        return found.pop() if len(found) == 1 else "both"


@dataclass(frozen=True)
class Phases:
    """The picture's content."""

    title: str
    told: Sequence[str]
    """Of what it is, below the title."""
    start: str
    arrows: Sequence[Arrow]
    below: Sequence[str] = ()
    states: Mapping[str, int] | None = None
    """How many states a phase has; None where that is not known."""
    running: frozenset[str] = frozenset()
    """Where containers run in some state."""
    never: str = ""
    """Why no pod syncs after it was terminated; empty where nothing says so."""

    def dot(self) -> str:
        return _Picture(self).source()


class _Picture:
    def __init__(self, of: Phases) -> None:
        self.of, self.canvas = of, Canvas(of.title)
        ends = {name for arrow in of.arrows for name in (arrow.source, arrow.target)} | {of.start}
        self.names = [name for name in ORDER if name in ends]
        self.at = {name: i for i, name in enumerate(self.names)}
        down = [a for a in of.arrows if self.at[a.source] < self.at[a.target]]
        self.straight = {a.source: a for a in down if self._is_straight(a)}
        self.left = sorted(
            (a for a in down if not self._is_straight(a)), key=lambda a: (self.at[a.source], -self.at[a.target])
        )
        up = [a for a in of.arrows if self.at[a.source] > self.at[a.target]]
        self.right = sorted(up, key=lambda a: (-self.at[a.source], self.at[a.target]))
        self.lane = {id(a): FIRST_LANE + i * LANE for i, a in enumerate(self.left)}
        self.lane |= {id(a): WIDTH - FIRST_LANE - i * LANE for i, a in enumerate(self.right)}
        self.exit: dict[int, float] = {}
        self.entry: dict[int, float] = {}
        self.top: dict[str, float] = {}
        self.bottom: dict[str, float] = {}

    def _is_straight(self, arrow: Arrow) -> bool:
        return self.at[arrow.target] == self.at[arrow.source] + 1 and arrow.target != STARTED

    def _wrapped(self, arrow: Arrow) -> list[tuple[str, Whose]]:
        """The lines of an arrow's label, as wide as there is room."""
        if arrow in self.left:
            room = LEFT - self.lane[id(arrow)] - 24
        else:
            room = min(150.0, self.lane[id(arrow)] - NEVER - 18) if arrow in self.right else 195.0
        return [
            (line, whose)
            for text, whose in arrow.lines
            for line in wrapped(_SIGNS.get(whose, "") + text, _size(whose), room, whose != "actor")
        ]

    def source(self) -> str:
        y = self._places(self._head(ABOVE))
        for arrow in (*self.left, *self.right):
            self._around(arrow)
        for arrow in self.straight.values():
            self._down(arrow)
        self._never()
        self._strip()
        for name in self.names:
            self._box(name)
        for text in self.of.below:
            for line in wrapped(text, SMALL, WIDTH - 2 * SIDE):
                self.canvas.line(SIDE, y + 8, line, SMALL, FAINT)
                y += LINE
        return with_page(str(self.canvas.graph.source), y + ABOVE)

    def _head(self, y: float) -> float:
        for line in wrapped(self.of.title, TITLE, WIDTH - 2 * SIDE, bold=True):
            self.canvas.line(SIDE, y + 9, line, TITLE, INK, bold=True)
            y += 21
        for text in self.of.told:
            for line in wrapped(text, SMALL, WIDTH - 2 * SIDE):
                self.canvas.line(SIDE, y + 8, line, SMALL, FAINT)
                y += LINE
        return y + 14

    def _places(self, y: float) -> float:
        """Where each box is, and where arrows leave it and reach it: as far apart as the labels beside it are high."""
        for name in self.names:
            self.top[name] = y
            ends = []
            for side in (self.left, self.right):
                at = y + 10
                entries = [a for a in side if a.target == name]
                # The outermost of those from above comes last, of those from below first, so none crosses another.
                for arrow in reversed(entries) if side is self.left else entries:
                    self.entry[id(arrow)], at = at, at + 9
                at = max(at, y + BOX / 2)
                exits = [a for a in side if a.source == name]
                for i, arrow in enumerate(exits):
                    room = len(self._wrapped(arrow)) * LINE + 4
                    # A label at the right stands above its arrow, which goes up, one at the left below.
                    at += max(0.0, room - BOX / 2) if side is self.right and i else 0.0
                    self.exit[id(arrow)] = at
                    at += room if side is self.left else 8
                # What is left of the last label may stand beside the gap below the box.
                last = len(self._wrapped(exits[-1])) * LINE if exits and side is self.left else 0.0
                ends.append((at - last, at))
            self.bottom[name] = max(y + BOX, *(box + 6 for box, _ in ends))
            straight = self.straight.get(name)
            gap = 44.0 if straight is None else len(self._wrapped(straight)) * LINE + 16
            y = max(self.bottom[name] + max(30.0, gap), *(below + 6 for _, below in ends))
            y += self._room_at_right(name, y)
        return self.bottom[self.names[-1]] + 16

    def _room_at_right(self, name: str, y: float) -> float:
        """How much further down the next box must be for the labels beside the gap at the right."""
        following = self.names[self.at[name] + 1 :][:1]
        first = next((a for a in self.right if [a.source] == following), None)
        label = 0.0 if first is None else len(self._wrapped(first)) * LINE - BOX / 2
        if name == SYNC and self._has_never():
            label += len(self._never_lines()) * LINE + 8
        return max(0.0, label - (y - self.bottom[name]))

    # -- arrows --------------------------------------------------------------------------------------------------------

    def _look(self, arrow: Arrow) -> dict[str, str]:
        tip = plain_text(", ".join(text for text, whose in arrow.lines if whose != "actor"))
        look = {"color": _COLOURS[arrow.whose], "penwidth": _LINES[arrow.whose], "edgetooltip": tip}
        dashed = {"style": "dashed"} if arrow.whose == "removed" else {}
        return look | dashed | ({"class": arrow.whose} if arrow.whose != "both" else {})

    def _down(self, arrow: Arrow) -> None:
        x, y = (LEFT + RIGHT) / 2, self.bottom[arrow.source]
        start, end = (x, y), (x, self.top[arrow.target])
        self.canvas.path(start, start, start, end, arrow=True, bent=True, **self._look(arrow))
        lines = self._wrapped(arrow)
        y += (self.top[arrow.target] - y - len(lines) * LINE) / 2
        self._label(x + 8, y + LINE / 2, lines)

    def _around(self, arrow: Arrow) -> None:
        is_left, lane = arrow in self.left, self.lane[id(arrow)]
        side, start, end = LEFT if is_left else RIGHT, self.exit[id(arrow)], self.entry[id(arrow)]
        self.canvas.path(
            *_rounded((side, start), (lane, start), (lane, end), (side, end)),
            arrow=True,
            bent=True,
            **self._look(arrow),
        )
        lines = self._wrapped(arrow)
        if is_left:
            self._label(lane + 10, start + 4 + LINE / 2, lines)
        else:
            self._label(lane - 10, start - 4 - (len(lines) - 0.5) * LINE, lines, at="r")

    def _label(self, x: float, y: float, lines: Sequence[tuple[str, Whose]], at: str = "l") -> None:
        for i, (text, whose) in enumerate(lines):
            self.canvas.line(x, y + i * LINE, text, _size(whose), _COLOURS[whose], bold=whose != "actor", at=at)

    def _has_never(self) -> bool:
        return bool(self.of.never) and {SYNC, TERMINATED} <= self.at.keys()

    def _never_lines(self) -> list[str]:
        beside = [self.lane[id(a)] for a in self.right if self.at[a.source] > self.at[SYNC]]
        return wrapped(self.of.never, SMALL, min(beside, default=WIDTH - SIDE) - NEVER - 18)

    def _never(self) -> None:
        """What cannot happen, and why."""
        if not self._has_never():
            return
        start, end = self.top[TERMINATED] + 14, self.top[SYNC] + 12
        side = RIGHT + (STRIP + 8 if SYNC in self.of.running else 0)
        way = _rounded((RIGHT, start), (NEVER, start), (NEVER, end), (side, end))
        self.canvas.path(
            *way,
            arrow=True,
            bent=True,
            color=WRONG,
            style="dashed",
            penwidth="1.3",
            edgetooltip=plain_text(self.of.never),
        )
        y = max([end + 16, *(self.exit[id(a)] + 12 for a in self.right if a.source == SYNC)])
        self.canvas.line(NEVER + 8, y, "✗ never", EVENT, WRONG, bold=True)
        for i, line in enumerate(self._never_lines(), 1):
            self.canvas.line(NEVER + 8, y + i * LINE, line, SMALL, WRONG)

    # -- boxes ---------------------------------------------------------------------------------------------------------

    def _strip(self) -> None:
        """Beside the phases in which containers may run, and from one to the next where no label stands between."""
        top = None
        for name, following in itertools.zip_longest(self.names, self.names[1:]):
            if name not in self.of.running:
                continue
            if top is None:
                top = self.top[name]
                self.canvas.line(RIGHT + STRIP + 10, self.bottom[name] - 7, "containers may run", SMALL, FAINT)
            if following in self.of.running and name not in self.straight:
                continue
            look = {"style": "filled", "fillcolor": FILLS[RUNNING], "color": FAINT, "penwidth": "0.8", "class": "strip"}
            tip = plain_text(f"{name}: containers may run")
            self.canvas.box(f"s{name}", RIGHT + 6, top, STRIP, self.bottom[name] - top, tooltip=tip, **look)
            top = None

    def _box(self, name: str) -> None:
        phase, top, height = ORDER[name], self.top[name], self.bottom[name] - self.top[name]
        colours = {whose for a in self.of.arrows if name in (a.source, a.target) for _, whose in a.lines} - {"actor"}
        own = colours.pop() if len(colours) == 1 else "both"
        style = "rounded,filled" + (",dashed" if phase == NOT_KNOWN or own == "removed" else "")
        look = {
            "style": style,
            "fillcolor": FILLS.get(NAMES[phase], PAGE),
            "color": FAINT if own == "both" else _COLOURS[own],
        }
        look |= {"penwidth": "1" if own == "both" else "2", "class": f"box {own}"}
        states = None if self.of.states is None else self.of.states.get(name)
        tip = name if states is None else f"{name}: {number_of(states, 'state')}"
        self.canvas.box(name, LEFT, top, RIGHT - LEFT, height, tooltip=plain_text(tip), **look)
        x, y = (LEFT + RIGHT) / 2, top + height / 2
        title = _SIGNS.get(own, "") + ("syncing" if phase == SYNC else name)
        self.canvas.line(x, y - 7, title, EVENT, INK, bold=True, at="n")
        self.canvas.line(x, y + 8, HINTS[phase], SMALL, INK, at="n")


def _size(whose: Whose) -> float:
    return SMALL if whose == "actor" else BOLD_SMALL


def _rounded(*corners: tuple[float, float]) -> list[tuple[float, float]]:
    """The control points of straight lines from corner to corner, each of which is rounded."""
    found = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        radius = min(12.0, *(_distance(corner, other) / 2 for other in (before, after)))
        into, out = _towards(corner, before, radius), _towards(corner, after, radius)
        found += [found[-1], into, into, corner, corner, out]
    return [*found, found[-1], found[-1], corners[-1]]


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(start: tuple[float, float], end: tuple[float, float], length: float) -> tuple[float, float]:
    share = length / max(1e-6, _distance(start, end))
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
