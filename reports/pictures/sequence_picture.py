"""A sequence diagram as DOT whose nodes stand where they are put: lanes from left to right, time from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podproof.reports.layout import wrap
from podproof.reports.pictures.canvas import CHANGED, FAINT, INK, RULE, WRONG, Canvas, plain_text, text_width
from podproof.reports.pictures.drawing import BOLD

NOTE_LETTERS, EVENT_LETTERS, CAPTION_LETTERS = 48, 30, 96
SIZE, LINE, PAD = 11.0, 14.0, 6.0
NARROWEST, GAP = 130.0, 34.0
"""Of a lane: its least width, and the room between two."""
HEAD, ROOM = 26.0, 14.0


@dataclass(frozen=True)
class Note:
    """What a step changed of one lane's things, a line each."""

    lane: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Message:
    """One step: an arrow from a lane to another or to itself, and the notes below it."""

    number: int
    source: str
    target: str
    event: str
    notes: tuple[Note, ...]
    is_answer: bool = False
    """Does it tell what the runtime has done for the worker?"""
    last: int = 0
    """The number of the last step, where it stands for several; else 0."""

    @property
    def text(self) -> str:
        """The event, and of several steps which."""
        return f"{self.number} to {self.last}: {self.event}" if self.last else self.event


@dataclass(frozen=True)
class SequenceDiagram:
    """A trace laid out in lanes, in the order of `LANES`; a worker's lane names its pod where several do."""

    lanes: tuple[str, ...]
    start: str
    """What the initial state chose; empty where there was no choice."""
    messages: tuple[Message, ...]
    is_wrong: bool = False
    """Does the last step break a claim?"""
    loop: int | None = None
    """The number of the first message of those that come again and again, to the last one; None where none do."""
    ending: tuple[str, ...] = ()
    """What is said below: who waits for ever."""


def sequence_dot(diagram: SequenceDiagram, caption: Sequence[str]) -> str:
    """The diagram as DOT source: the same trace, the same bytes."""
    return _Picture(diagram, caption).source()


class _Picture:
    def __init__(self, diagram: SequenceDiagram, caption: Sequence[str]) -> None:
        self.diagram, self.caption = diagram, caption
        self.canvas = Canvas("sequence", margin=16)
        left = 0.0
        self.middle: dict[str, float] = {}
        self.widths = {lane: self._width(lane) for lane in diagram.lanes}
        for lane, width in self.widths.items():
            self.middle[lane] = left + width / 2
            left += width + GAP
        self.right = left - GAP

    def _width(self, lane: str) -> float:
        """What a lane needs for its notes and for the events that stay in it."""
        texts = [line for m in self.diagram.messages for note in m.notes if note.lane == lane for line in _note(note)]
        own = [m for m in self.diagram.messages if m.source == m.target == lane]
        bold = [line for m in own for line in _event(m)]
        widths = [text_width(line, SIZE) for line in texts] + [text_width(line, SIZE, bold=True) for line in bold]
        return max(NARROWEST, *(width + 2 * PAD for width in widths)) if widths else NARROWEST

    def source(self) -> str:
        y = HEAD + ROOM
        drawn = []
        if self.diagram.start:
            drawn.append((self._start, y))
            y += LINE + 2 * PAD + ROOM
        rows = []
        for message in self.diagram.messages:
            y += LINE if message.number == self.diagram.loop else 0
            rows.append(y)
            y += self._height(message) + ROOM
        self._lanes(y)
        for draw, at in drawn:
            draw(at)
        if self.diagram.loop is not None:
            self._loop(rows[self.diagram.loop - 1] - LINE - PAD, y - PAD)
        for message, at in zip(self.diagram.messages, rows, strict=True):
            self._message(message, at)
        self._caption(y + ROOM, [*self.diagram.ending, *self.caption])
        return str(self.canvas.graph.source)

    def _lanes(self, bottom: float) -> None:
        """Heads and lifelines. They come first, so that everything else lies above them."""
        for i, (lane, x) in enumerate(self.middle.items()):
            width = self.widths[lane]
            self.canvas.corner(f"l{i}a", x, HEAD)
            self.canvas.corner(f"l{i}b", x, bottom)
            self.canvas.graph.edge(f"l{i}a", f"l{i}b", arrowhead="none", color=RULE, edgetooltip=" ")
            look = {"label": plain_text(lane), "fontname": BOLD, "fontsize": "12", "color": INK}
            self.canvas.box(f"l{i}", x - width / 2, 0, width, HEAD, style="rounded,filled", fillcolor="white", **look)

    def _start(self, top: float) -> None:
        text = f"starts with {self.diagram.start}"
        look = {"fontsize": f"{SIZE:g}", "fontcolor": FAINT, "fillcolor": "white"}
        self.canvas.text("start", 0, top, self.right, LINE + 2 * PAD, text, **look)

    def _loop(self, top: float, bottom: float) -> None:
        """A frame around the messages that come again and again."""
        self.canvas.box("loop", -PAD, top, self.right + 2 * PAD, bottom - top, style="dashed,rounded", color=WRONG)
        look = {"fontsize": f"{SIZE:g}", "fontcolor": WRONG, "fontname": BOLD, "fillcolor": "white"}
        text = "for ever"
        self.canvas.text("loopt", 0, top + 2, text_width(text, SIZE, bold=True) + 2 * PAD, LINE, text, **look)

    def _height(self, message: Message) -> float:
        notes = max((len(_note(note)) * LINE + 2 * PAD for note in message.notes), default=0.0)
        return len(self._lines(message)) * LINE + 2 * PAD + notes

    def _lines(self, message: Message) -> list[str]:
        """The event, as wide as there is room for it."""
        if message.source == message.target:
            return _event(message)
        room = abs(self.middle[message.source] - self.middle[message.target]) - 2 * PAD
        return _event(message, max(12, int(room / SIZE / 0.68)))

    def _message(self, message: Message, top: float) -> None:
        number, lines = message.number, self._lines(message)
        height = len(lines) * LINE + 2 * PAD
        ends = self.middle[message.source], self.middle[message.target]
        if message.source == message.target:
            width = max(text_width(line, SIZE, bold=True) for line in lines) + 2 * PAD
            look = {"style": "rounded,filled", "fillcolor": "white", "color": INK, **_bold(lines)}
            self.canvas.box(f"m{number}", ends[0] - width / 2, top, width, height - PAD, **look)
        else:
            y = top + height - 3
            middle = sum(ends) / 2
            width = max(text_width(line, SIZE, bold=True) for line in lines)
            ground = {"style": "filled", "fillcolor": "white", "color": "white", **_bold(lines)}
            self.canvas.box(f"m{number}", middle - width / 2, top, width, len(lines) * LINE, **ground)
            self.canvas.corner(f"m{number}a", ends[0], y)
            self.canvas.corner(f"m{number}b", ends[1], y)
            line = {"style": "dashed"} if message.is_answer else {}
            self.canvas.graph.edge(f"m{number}a", f"m{number}b", edgetooltip=plain_text(message.event), **line)
        for i, note in enumerate(message.notes):
            self._note(f"m{number}n{i}", note, top + height + 2, message is self.diagram.messages[-1])

    def _note(self, name: str, note: Note, top: float, last: bool) -> None:
        lines = _note(note)
        width = max(text_width(line, SIZE) for line in lines) + 2 * PAD
        look = {"fontsize": f"{SIZE:g}", "fillcolor": CHANGED, "margin": "0.06,0"}
        self.canvas.text(
            name, self.middle[note.lane] - width / 2, top, width, len(lines) * LINE + PAD, "\n".join(lines), **look
        )
        if last:
            edge = {"color": WRONG, "penwidth": "1.5"} if self.diagram.is_wrong else {"color": INK}
            self.canvas.box(f"{name}f", self.middle[note.lane] - width / 2, top, width, len(lines) * LINE + PAD, **edge)

    def _caption(self, top: float, lines: Sequence[str]) -> None:
        for i, text in enumerate(lines):
            is_title, is_ending = i == len(self.diagram.ending), i < len(self.diagram.ending)
            ink = WRONG if is_title and self.diagram.is_wrong else INK if is_title or is_ending else FAINT
            size = 13.0 if is_title else SIZE
            look = {"fontsize": f"{size:g}", "fontcolor": ink} | ({"fontname": BOLD} if is_title else {})
            for j, line in enumerate(wrap(text, CAPTION_LETTERS, break_on_hyphens=False) or ["-"]):
                width = text_width(line, size, bold=is_title) + 10
                self.canvas.text(f"c{i}l{j}", 0, top, width, size * 1.35, line, **look)
                top += size * 1.45


def _note(note: Note) -> list[str]:
    return [
        part
        for line in note.lines
        for part in wrap(line, NOTE_LETTERS, break_long_words=False, break_on_hyphens=False) or ["-"]
    ]


def _event(message: Message, letters: int = EVENT_LETTERS) -> list[str]:
    text = message.text if message.last else f"{message.number}  {message.event}"
    return wrap(text, letters, break_long_words=False)


def _bold(lines: Sequence[str]) -> dict[str, str]:
    label = "\\n".join(map(plain_text, lines))
    return {"label": label, "fontname": BOLD, "fontsize": f"{SIZE:g}"}
