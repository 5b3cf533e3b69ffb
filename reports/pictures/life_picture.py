"""The picture of a pod's life: time runs down, actors at the left, ribbons for pods, tracks and changes at the right.

A row's place depends on the rows before it alone, so a picture can grow at its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from podproof.checker.core.printer import visible
from podproof.reports.layout import wrap, wrap_names
from podproof.reports.pictures.canvas import FAINT, GREEN, INK, RULE, WRONG, Canvas, plain_text, text_width
from podproof.reports.pictures.life import NEW, OLD, RUNNING, Life, Ribbon, Row, Snapshot, Track, failure_lines

WIDTH, SIDE, ABOVE = 868.0, 8.0, 15.0
"""The width of a page of GitHub, and the margins at the sides, above and below."""
PAGE = "white"
FILLS = {
    "waiting": "#e9edf1",
    "syncing": "#a8d4ff",
    "terminating": "#ffc861",
    "terminated": "#bda0e6",
    "finished": "#9aa5b1",
    RUNNING: "#79d3ac",
    "preStop": "#dcedb0",
    "SIGTERM": "#dcedb0",
}
"""Of the phases, and of the strips' stages."""
KILLED = "SIGKILL"
"""How a step begins that ends a container by force."""
TINT, TRACK, OUTLINE = "#ffe8e5", "#eef1f4", "#7b8794"
BAND = FILLS["waiting"]
TITLE, OUTCOME, FALSE, EVENT, BOLD_SMALL, SMALL = 16.0, 12.5, 13.0, 12.0, 11.5, 11.0
LINE = 14.0
NUMBER, LANE = 44.0, 20.0
"""Where numbers end, and how far lanes are apart."""
RIBBON, STRIP, GAP = 92.0, 64.0, 22.0
NARROW_RIBBON, NARROW_STRIP = 88.0, 34.0
"""With several pods."""
FORKED, NARROW_FORKED = (184.0, 76.0), (136.0, 50.0)
"""A ribbon and its strip where two versions share them, and the same with several pods."""
FEW_EVENTS = 150.0
LEAST_CHANGES = 205.0
HEADS = (16, 9)
"""Letters of a line above a track; the second where less than `LEAST_EVENTS` is left for events."""
LEAST_EVENTS = 155.0
NARROWEST, WIDEST = 60.0, 90.0
"""Of the box of a track's largest number."""
EVENT_ROW, WORK_ROW, RESTART_ROW = (18.0, 10.0), (11.0, 11.0), (17.0, 17.0)
"""How much room a row has above its line and below it."""
LAST_ROOM = 24.0
"""Below the last line: what it begins needs room for its name."""


def life_dot(life: Life, has_buttons: bool = False) -> str:
    """The picture as DOT source: the same trace, the same bytes.

    With buttons there lies an empty box behind each row, whose id is `row` and its first and last step, as in
    `row3-5`; behind the heads lies `row0-0`, the start.
    """
    return _Picture(life).source(has_buttons)


@dataclass(frozen=True)
class _Place:
    """Where a row is drawn."""

    top: float
    line: float
    """The height of its arrow or dot."""
    bottom: float
    event: Sequence[str]
    details: Sequence[str]
    changes: Sequence[tuple[str, bool]]
    """The lines of the right column, and which of them are bold."""


class _Picture:
    def __init__(self, life: Life) -> None:
        self.life, self.canvas = life, Canvas(re.sub(r'[<>&"\\]', "'", visible(life.title)))
        several, indent = len(life.pods) > 1, 14.0 if life.is_endless else 0.0
        self.left = SIDE + indent
        self.number = NUMBER + indent
        self.lanes = {lane: self.number + 14 + i * LANE for i, lane in enumerate(life.lanes)}
        self.event = self.number + 14 + max(0, len(life.lanes) - 1) * LANE + 18
        ribbon, strip = (NARROW_RIBBON, NARROW_STRIP) if several else (RIBBON, STRIP)
        if life.fork is not None:
            ribbon, strip = NARROW_FORKED if several else FORKED
        self.widths = [(ribbon, (strip if pod.has_strip else 0.0)) for pod in life.pods]
        columns = [
            max(sum(width), text_width(_head(pod), EVENT, True))
            for pod, width in zip(life.pods, self.widths, strict=True)
        ]
        self.boxes = [self._widest(i) for i in range(len(life.tracks))]
        for letters in HEADS:
            self.heads = [wrap_names(_words(track.name), letters) or ["-"] for track in life.tracks]
            tracks = [
                max(box, *(text_width(h, BOLD_SMALL, True) for h in head))
                for box, head in zip(self.boxes, self.heads, strict=True)
            ]
            fixed = sum(columns) + GAP * (len(self.widths) + len(tracks)) + sum(tracks)
            room = WIDTH - SIDE - self.event - fixed - LEAST_CHANGES
            if room >= LEAST_EVENTS:
                break
        if letters != HEADS[0]:  # What narrower heads leave is for both columns of text.
            room = (FEW_EVENTS + room) / 2
        self.event_width = max(96.0, min(FEW_EVENTS if several else 215.0, room)) if life.lanes else 0.0
        self.ribbons, x = [], self.event + self.event_width
        for width in columns:
            self.ribbons.append(x)
            x += width + GAP
        self.tracks = []
        for width in tracks:
            self.tracks.append(x)
            x += width + GAP
        self.changes = x
        self.right = max(WIDTH - SIDE, x + LEAST_CHANGES)
        """Several pods and their tracks may be wider than a page."""

    def _widest(self, i: int) -> float:
        """How wide the widest box of a track is, with a value that stands beside it."""
        track = self.life.tracks[i]
        values = [self.life.start.values[i], *(row.after.values[i] for row in self.life.rows), track.missing]
        texts = [max(text_width(_short(value), EVENT, True) for value in values) + 12]
        if track.numbers and any(track.numbers):
            texts += [self._box(track, n)[0] + self._box(track, n)[1] for n in track.numbers]
        return max(texts)

    def _box(self, track: Track, number: int) -> tuple[float, float]:
        """How wide a number's box is, and how much its text takes beside it."""
        most = max(track.numbers)
        text = text_width(f"{number} s", EVENT, True) + 10
        box = max(6.0, min(WIDEST, max(NARROWEST, 3.0 * most)) * number / most) if number else 0.0
        return box, 0.0 if text <= box else text

    # -- from top to bottom --------------------------------------------------------------------------------------------

    def source(self, has_buttons: bool) -> str:
        y = self._head(ABOVE)
        lanes = len(self.lanes) * LINE
        head = max(lanes, 30.0, *(len(head) * LINE for head in self.heads)) if self.heads else max(lanes, 30.0)
        self.top = y + 10 + head + 4
        places, at = [], self.top
        for number, row in enumerate(self.life.rows, 1):
            # Before a loop's frame, too, what a row begins needs room for its name.
            place = self._place(row, at, is_last=number in (len(self.life.rows), self.life.loop))
            places.append(place)
            at = place.bottom
        at = max(at, self.top + LAST_ROOM)
        self._tint(places)
        if has_buttons:
            self._button(0, 0, y, self.top, "start")
            for row, place in zip(self.life.rows, places, strict=True):
                told = " ".join((row.number, row.text, *row.details))
                self._button(row.first, row.last, place.top, place.bottom, told)
        self._heads(self.top - 4, at)
        for row, place in zip(self.life.rows, places, strict=True):
            self._lines(row, place)
        for column in range(len(self.life.pods)):
            self._ribbon(column, places)
        for track in range(len(self.life.tracks)):
            self._track(track, places)
        for row, place in zip(self.life.rows, places, strict=True):
            self._texts(row, place)
        at = self._ending(places, at)
        bottom = self._foot(at + 8) + ABOVE
        return with_page(str(self.canvas.graph.source), bottom, self.right + SIDE)

    def _button(self, first: int, last: int, top: float, bottom: float, told: str) -> None:
        name = f"row{first}-{last}"
        look = {"id": name, "class": "row", "color": "transparent", "tooltip": plain_text(told)}
        self.canvas.box(name, SIDE, top, self.right - SIDE, bottom - top, **look)

    def _head(self, y: float) -> float:
        life = self.life
        colour, mark = (WRONG, "✗") if life.is_wrong else (GREEN, "✓")
        if life.fork is not None or not life.claim:
            colour, mark = INK, "≠" if life.fork is not None else "●"
        self.canvas.line(self.left, y + 9, mark, TITLE, colour, bold=True)
        for line in wrapped(life.title, TITLE, self.right - self.left - 24, bold=True):
            self.canvas.line(self.left + 24, y + 9, line, TITLE, INK, bold=True)
            y += 21
        for line in wrapped(life.outcome, OUTCOME, self.right - self.left - 24, bold=True):
            self.canvas.line(self.left + 24, y + 8, line, OUTCOME, colour, bold=True)
            left = text_width(line, OUTCOME, True) + self.left + 48
            y += 17
        told = [life.where, *([f"starts with {life.free}"] if life.free else [])]
        for text in told:
            fits = left + text_width(text, SMALL) <= self.right
            y += 0 if fits else LINE
            for i, line in enumerate(wrapped(text, SMALL, self.right - self.left - 24)):
                y += LINE if i else 0
                self.canvas.line(self.right, y - 9, line, SMALL, FAINT, at="r")
            left = self.right
        return y

    def _place(self, row: Row, top: float, is_last: bool) -> _Place:
        above, below = {"event": EVENT_ROW, "restart": RESTART_ROW}.get(row.kind, WORK_ROW)
        event, details, changes = [], [], []
        room = self.right - self.changes
        if row.lane or row.kind == "restart":
            size, bold = (SMALL, False) if row.kind == "fold" else (EVENT, True)
            width = self.event_width - 14 if row.kind != "restart" else self.event_width + 80
            event = wrapped(row.text, size, width, bold)
            details = [line for text in row.details for line in wrapped(text, SMALL, self.event_width - 14)]
        else:
            bold = row.kind == "work"
            changes = [(line, bold) for line in wrapped(row.text, BOLD_SMALL if bold else SMALL, room, bold)]
        told = ["all workers are forgotten"] if row.kind == "restart" else list(row.changes)
        if row.is_ignored and not told:
            told = ["nothing changes for the worker"]
        changes += [(line, False) for text in told for line in wrapped(text, SMALL, room)]
        if row.kind == "fold" and event:
            below = len(event) * LINE - 3
        elif event:
            above += (len(event) - 1) * LINE
            below += len(details) * LINE
        below = max(below, len(changes) * LINE - 3 - (0 if row.kind != "restart" else 4))
        if is_last:
            below = max(below, LAST_ROOM)
        return _Place(top, top + above, top + above + below, event, details, changes)

    def _tint(self, places: Sequence[_Place]) -> None:
        """Behind everything: the row that breaks the claim, and bands where the kubelet restarts."""
        for row, place in zip(self.life.rows, places, strict=True):
            is_end = self.life.is_wrong and not self.life.is_endless and row is self.life.rows[-1]
            colour = TINT if is_end else BAND if row.kind == "restart" else None
            if colour:
                look = {"style": "filled", "fillcolor": colour, "color": colour}
                height = place.bottom - place.top
                self.canvas.box(f"b{row.last}", SIDE, place.top, self.right - SIDE, height, **look)

    def _heads(self, bottom: float, end: float) -> None:
        """The heads of lanes, pods and tracks above this line, and the rules below them."""
        for i, (lane, x) in enumerate(self.lanes.items()):
            y = bottom - (len(self.lanes) - i - 0.5) * LINE
            self.canvas.line(x - 4, y, lane, SMALL, FAINT)
            self.canvas.path((x, y + 8), (x, end), color=RULE)
        several = len(self.life.pods) > 1
        for pod, x, (width, strip) in zip(self.life.pods, self.ribbons, self.widths, strict=True):
            self.canvas.line(x, bottom - 22, _head(pod), EVENT, INK, bold=True)
            head = "worker | containers" if several and strip else "pod worker"
            if self.life.fork is None:
                self.canvas.line(x, bottom - 7, head, SMALL, FAINT)
            else:
                self.canvas.line(x + width / 4, bottom - 7, OLD, EVENT, WRONG, bold=True, at="n")
                self.canvas.line(x + width * 3 / 4, bottom - 7, NEW, EVENT, GREEN, bold=True, at="n")
            if strip and not several:
                self.canvas.line(x + width + 2, bottom - 7, "containers", SMALL, FAINT)
            self.canvas.path((x + width / 2, bottom), (x + width / 2, end), color=RULE, style="dashed")
        for lines, x in zip(self.heads, self.tracks, strict=True):
            for i, line in enumerate(reversed(lines)):
                self.canvas.line(x, bottom - 7 - i * LINE, line, BOLD_SMALL, INK, bold=True)
            self.canvas.path((x, bottom), (x, end), color=RULE)
        works = any(not row.lane and row.kind != "restart" for row in self.life.rows)
        head = "what the worker does, and changes" if works else "and it changes"
        self.canvas.line(self.changes, bottom - 7, head, SMALL, FAINT)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _colour(self, row: Row) -> str:
        is_end = self.life.is_wrong and not self.life.is_endless and row is self.life.rows[-1]
        return WRONG if is_end else FAINT if row.kind == "fold" else INK

    def _lines(self, row: Row, place: _Place) -> None:
        """Arrows, and dotted lines to what the worker does; ribbons lie above them."""
        colour, y = self._colour(row), place.line
        tip = plain_text(" ".join((row.number, row.text, *row.details)))
        if row.kind == "event" and row.lane:
            start = self.lanes[row.lane]
            if not row.targets:
                width = max((text_width(line, EVENT, True) for line in place.event), default=0.0)
                self.canvas.path(
                    (start, y), (min(self.event + width, self.event + self.event_width - 8), y), color=RULE
                )
            for target in row.targets:
                end = self.ribbons[target]
                if row.is_ignored:
                    self.canvas.path((start, y), (end - 8, y), color=colour, style="dashed", edgetooltip=tip)
                    self.canvas.path((end - 8, y - 6), (end - 8, y + 6), color=colour, penwidth="2")
                else:
                    thick = "1.8" if colour == WRONG else "1.3"
                    self.canvas.path((start, y), (end, y), arrow=True, edgetooltip=tip, color=colour, penwidth=thick)
        elif row.kind == "work" and row.targets:
            self.canvas.path((self._dot_of(row), y), (self.changes - 6, y), color=OUTLINE, style="dotted", penwidth="1")

    def _dot_of(self, row: Row) -> float:
        """On the ribbon's right edge; for what the runtime does, on the strip's."""
        (target, *_), (width, strip) = row.targets, self.widths[row.targets[0]]
        return self.ribbons[target] + width + (strip if row.of_runtime else 0.0)

    def _texts(self, row: Row, place: _Place) -> None:
        colour, y = self._colour(row), place.line
        tip = " ".join((row.number, row.text, *row.details))
        is_red = colour == WRONG
        self.canvas.line(self.number, y, row.number, SMALL, WRONG if is_red else FAINT, bold=is_red, at="r")
        if row.kind == "fold":
            for i, line in enumerate(place.event):
                self.canvas.line(self.event, y + i * LINE, line, SMALL, FAINT)
        else:
            above = 0.0 if row.kind == "restart" else 9.0
            for i, line in enumerate(reversed(place.event)):
                self.canvas.line(self.event, y - above - i * LINE, line, EVENT, colour, bold=True)
        for i, line in enumerate(place.details):
            self.canvas.line(self.event, y + 10 + i * LINE, line, SMALL, WRONG if is_red else FAINT)
        for i, (line, bold) in enumerate(place.changes):
            ink = colour if bold else INK if row.kind == "restart" else FAINT
            self.canvas.line(self.changes, y + i * LINE, line, BOLD_SMALL if bold else SMALL, ink, bold)
        if row.lane:
            self.canvas.dot(self.lanes[row.lane], y, OUTLINE if row.kind == "fold" else colour, tip)
        elif row.kind == "work" and row.targets:
            self.canvas.dot(self._dot_of(row), y, colour, tip)

    # -- ribbons and tracks --------------------------------------------------------------------------------------------

    def _segments(
        self, values: Sequence[str], places: Sequence[_Place]
    ) -> Iterator[tuple[str, float, float, int, int]]:
        """What stays the same from one row to another: it, its top and bottom, the rows that begin and end it.

        `values` begins with the start. A row changes things at its line.
        """
        start, top = 0, self.top - 4
        for i in range(1, len(values) + 1):
            if i < len(values) and values[i] == values[start]:
                continue
            bottom = places[i - 1].line if i < len(values) else places[-1].bottom if places else self.top + LAST_ROOM
            if values[start]:
                yield values[start], top, bottom, start, i - 1
            start, top = i, bottom

    def _steps(self, start: int, end: int) -> str:
        """After which steps something is so, as a tooltip says it."""
        rows = self.life.rows
        first, last = rows[start - 1].last if start else 0, rows[end - 1].last if end else 0
        return f"after step {first}" if first == last else f"after steps {first} to {last}"

    def _sides(
        self, x: float, width: float, of: Callable[[Snapshot], str]
    ) -> Iterator[tuple[str, float, float, Sequence[str]]]:
        """What stands at the start and after each row, and where: of both versions once while they are alike."""
        values, fork = [of(self.life.start), *(of(row.after) for row in self.life.rows)], self.life.fork
        if fork is None:
            yield "", x, width, values
            return
        nothing, others = [""] * len(values), [of(snapshot) for snapshot in fork.after]
        yield "", x, width, values[: fork.common] + nothing[fork.common :]
        yield "old", x, width / 2, nothing[: fork.common] + values[fork.common :]
        yield "new", x + width / 2, width / 2, nothing[: fork.common] + others[fork.common :]

    def _ribbon(self, column: int, places: Sequence[_Place]) -> None:
        pod, x, (width, strip) = self.life.pods[column], self.ribbons[column], self.widths[column]
        for side, left, wide, phases in self._sides(x, width, lambda now: now.phases[column]):
            size = SMALL if wide < NARROW_RIBBON else BOLD_SMALL
            for what, top, bottom, start, end in self._segments(phases, places):
                look = self._look(FILLS[what], pod.is_read and self._is_end(end), side)
                look["class"] = f"phase pod{column} {side}".strip()
                tip = f"{pod.name}: {what}, {self._steps(start, end)}"
                self._segment(f"r{column}{side}s{start}", left, top, wide, bottom, (what, size), look, tip)
        if not strip:
            return
        for side, left, wide, stages in self._sides(x + width + 2, strip - 2, lambda now: now.strips[column]):
            for what, top, bottom, start, end in self._segments(stages, places):
                look = self._look(FILLS[what], pod.strip_is_read and self._is_end(end), side)
                look["class"] = f"strip pod{column} {side}".strip()
                short = "run" if what == RUNNING and wide < STRIP - 2 else what
                label = (short if text_width(short, SMALL) < wide + 2 else "", SMALL)
                tip = f"{pod.name}: containers: {what}, {self._steps(start, end)}"
                self._segment(f"c{column}{side}s{start}", left, top, wide, bottom, label, look, tip)
                if self.life.fork is None and end < len(stages) - 1 and not stages[end + 1]:
                    is_killed = self.life.rows[end].text.startswith(KILLED) and text_width(KILLED, SMALL) < wide
                    self.canvas.line(left + wide / 2, bottom + 9, KILLED if is_killed else "gone", SMALL, FAINT, at="n")

    def _is_end(self, row: int) -> bool:
        return self.life.is_wrong and row == len(self.life.rows)

    def _look(self, fill: str, is_red: bool, side: str = "") -> dict[str, str]:
        colour = WRONG if is_red else {"old": WRONG, "new": GREEN}.get(side, FAINT)
        width = "2.5" if is_red else "2" if side else "0.8"
        return {"style": "filled", "fillcolor": fill, "color": colour, "penwidth": width}

    def _segment(
        self,
        name: str,
        x: float,
        top: float,
        width: float,
        bottom: float,
        text: tuple[str, float],
        look: dict[str, str],
        tip: str,
    ) -> None:
        """A box, and its text near its top. An outline that is thicker lies inside."""
        inset = float(look["penwidth"]) / 2
        tip = plain_text(tip)
        self.canvas.box(name, x + inset, top + inset, width - 2 * inset, bottom - top - 2 * inset, tooltip=tip, **look)
        label, size = text
        if label:
            y = top + min(11.0, (bottom - top) / 2)
            self.canvas.line(x + width / 2, y, label, size, INK, bold=size > SMALL, at="n")

    def _track(self, i: int, places: Sequence[_Place]) -> None:
        track, x = self.life.tracks[i], self.tracks[i]
        if track.missing:
            width = text_width(_short(track.missing), EVENT, True) + 14
            top, bottom = (places[-1].top + 4, places[-1].bottom - 3) if places else (self.top, self.top + LAST_ROOM)
            look = {
                "style": "dashed,filled",
                "fillcolor": PAGE,
                "color": WRONG,
                "penwidth": "2",
                "class": f"missing track{i}",
            }
            tip = plain_text(f"{track.name}: {track.missing} to the end")
            self.canvas.box(f"k{i}m", x, top, width, bottom - top, tooltip=tip, **look)
            y = top + min(12.0, (bottom - top) / 2)
            self.canvas.line(x + width / 2, y, _short(track.missing), EVENT, WRONG, bold=True, at="n")
            return
        values = [self.life.start.values[i], *(row.after.values[i] for row in self.life.rows)]
        for what, top, bottom, start, end in self._segments(values, places):
            is_end = self._is_end(end) and track.is_read
            is_solid = is_end and bool(track.numbers) and start == len(self.life.rows)
            if track.numbers:
                number = int(re.sub(r"\D", "", what))
                width, beside = self._box(track, number)
            else:
                width, beside = text_width(_short(what), EVENT, True) + 12, 0.0
            fill = WRONG if is_solid else TRACK
            look = {"style": "filled", "fillcolor": fill, "color": WRONG if is_end else OUTLINE}
            look |= {"penwidth": "2.5" if is_end and not is_solid else "0.8", "class": f"value track{i}"}
            tip = f"{track.name}: {what}, {self._steps(start, end)}"
            self._segment(f"k{i}s{start}", x, top, width, bottom, ("", SMALL), look, tip)
            y = top + min(11.0, (bottom - top) / 2)
            ink = PAGE if is_solid and not beside else WRONG if is_end else INK
            self.canvas.line(x + (width + 5 if beside else 6), y, _short(what), EVENT, ink, bold=True)

    # -- the end -------------------------------------------------------------------------------------------------------

    def _ending(self, places: Sequence[_Place], y: float) -> float:
        """A run that goes on for ever: a frame around what comes again, and the ribbons go on below."""
        if not self.life.is_endless:
            return y
        if self.life.loop is not None:
            top = places[self.life.loop].top
            left = self.left + 2
            look = {"style": "dashed,rounded", "color": WRONG, "penwidth": "1.6"}
            self.canvas.box("loop", left, top, self.right - left, y - top, **look)
            middle, turn = left - 14.0, min(16.0, (y - top) / 3)
            self.canvas.path(
                (left, y - turn),
                (middle, y - turn + 4),
                (middle, top + turn - 4),
                (left, top + turn),
                arrow=True,
                bent=True,
                color=WRONG,
                penwidth="1.8",
            )
        text = "again and again, for ever" if self.life.loop is not None else "and so it stays, for ever"
        last = self.life.rows[-1].after if self.life.rows else self.life.start
        self.canvas.line(self.event if self.lanes else self.left + 24, y + 14, text, FALSE, WRONG, bold=True)
        for column, (x, (width, strip)) in enumerate(zip(self.ribbons, self.widths, strict=True)):
            for what, left, wide in (
                (last.phases[column], x, width),
                (last.strips[column] if strip else "", x + width + 2, strip - 2),
            ):
                at = y + 5
                for height in (9.0, 6.0, 3.0) if what else ():
                    look = self._look(FILLS[what], is_red=False) | {"class": "ever"}
                    self.canvas.box(f"e{column}{'s' if left > x else 'r'}{height:g}", left, at, wide, height, **look)
                    at += height + 4
        return y + 32

    def _foot(self, y: float) -> float:
        """How the claim fails, the formula, who waits, and the claim's name."""
        life, room = self.life, self.right - self.left
        said, formula = failure_lines(life.failure, [pod.name for pod in life.pods])
        for text in [said, *life.blocked]:
            for line in wrapped(text, FALSE, room, bold=True):
                self.canvas.line(self.left, y + 8, line, FALSE, WRONG if life.is_wrong else INK, bold=True)
                y += 18
        y = self._comparison(y)
        for line in wrapped(formula, SMALL, room):
            self.canvas.line(self.left, y + 7, line, SMALL, FAINT)
            y += 15
        for line in wrapped(life.claim, SMALL, room):
            self.canvas.line(self.left, y + 8, line, SMALL, FAINT)
            y += 16
        return y

    def _comparison(self, y: float) -> float:
        """Two numbers that the false part compares, to scale, where no track shows how the last step changed one."""
        part = None if self.life.failure is None else self.life.failure.part
        found = None if part is None else re.fullmatch(r"(\d+) (?:[<>]=?|==) (\d+)", part.shown)
        # A number that the claim itself names needs no bar.
        names = None if part is None else re.fullmatch(r"(\D.*?) (?:[<>]=?|==) (\D.*)", part.text)
        before = self.life.rows[-2].after if len(self.life.rows) > 1 else self.life.start
        if found is None or names is None or not self.life.rows or before.values != self.life.rows[-1].after.values:
            return y
        numbers = [int(text) for text in found.groups()]
        if not max(numbers):
            return y
        left = max(text_width(name, SMALL) for name in names.groups()) + self.left + 16
        if left > 400:
            return y
        for name, number in zip(names.groups(), numbers, strict=True):
            is_larger = number == max(numbers)
            colour = WRONG if is_larger else OUTLINE
            width = max(1.0, 300.0 * number / max(numbers))
            self.canvas.line(left - 8, y + 8, name, SMALL, INK, at="r")
            look = {"style": "filled", "fillcolor": colour, "color": colour, "class": "operand"}
            self.canvas.box(f"o{number}", left, y + 2, width, 12, tooltip=plain_text(f"{name}: {number}"), **look)
            self.canvas.line(left + width + 6, y + 8, str(number), EVENT, WRONG if is_larger else INK, bold=True)
            y += 18
        return y + 2


def with_page(source: str, bottom: float, width: float = WIDTH) -> str:
    """The source with the size of the page, which is known last, before all else."""
    corner = '\tpage [label="" shape=box style=filled color=white fillcolor=white penwidth=0 '
    size = f'width={width / 72:.4f} height={bottom / 72:.4f} pos="{width / 2:.1f},{-bottom / 2:.1f}"]\n'
    head, brace, rest = source.partition("\tedge [")
    line, newline, body = rest.partition("\n")
    return head + brace + line + newline + corner + size + body


def wrapped(text: str, size: float, width: float, bold: bool = False) -> list[str]:
    """Lines that fit into a width; a name that is too long for one is broken between its parts."""
    if not text.strip():
        return []
    found: list[str] = []
    for letters in range(max(8, int(width / size / (0.5 if not bold else 0.55))), 7, -1):
        lines = wrap_names(text, letters, break_on_hyphens=False)
        if found and len(lines) > len(found):
            break
        if found or all(text_width(line, size, bold) <= width for line in lines) or letters == 8:
            found = lines
            # No word stands alone on the last line where there is room for more beside it.
            if len(found) == 1 or 3 * len(found[-1]) >= max(map(len, found)):
                break
    return found


def _head(pod: Ribbon) -> str:
    return f"pod {pod.name}"


def _words(name: str) -> str:
    return re.sub(r"[_.]", " ", name)


def _short(value: str) -> str:
    """What a box has room for; its tooltip says all."""
    head = value.partition(" (")[0]
    return head if len(head) <= 22 else wrap(head, 21)[0] + "…"
