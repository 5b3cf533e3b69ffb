"""A trace as a picture: time runs down, a row for each step and what it changed, the claim below.

What the false part of the claim names has a track of its own from the first step to the last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.layout import wrap, wrap_items, wrap_names
from podproof.reports.pictures.canvas import CHANGED, FAINT, INK, RULE, WRONG, Canvas, plain_text, text_width
from podproof.reports.pictures.drawing import BOLD, draw
from podproof.reports.story import false_part, folded, read_by, sentence, word_of
from podproof.reports.wording import Fact, NamedPart, Wording

WIDTH, MARGIN = 832.0, 16.0
"""With its margins a picture is 868 wide, the width of a page of GitHub, where a letter of size 11 has 11 pixels."""
SIZE, LINE, PAD = 11.0, 14.0, 6.0
EM = 0.66
"""About how wide a letter is, in sizes; on the safe side, as `text_width` is."""
EVENT, TRACK = 216.0, 96.0
"""How wide the column of events is, and one track at most."""
MOST_TRACKS = 4


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


@dataclass(frozen=True)
class _Row:
    """The steps `first` to `last`; more than one where the worker just goes on. The start is step 0."""

    first: int
    last: int
    event: Sequence[str]
    changes: Sequence[str]
    values: Sequence[Sequence[str]]
    """The lines of each track."""

    @property
    def height(self) -> float:
        return max(map(len, (self.event, self.changes, *self.values))) * LINE + 2 * PAD


class _TracePicture:
    def __init__(self, exploration: Exploration, verdict: Verdict) -> None:
        if verdict.trace is None:
            raise ValueError(f"{verdict.property.id}: there is no trace to draw")
        self.exploration, self.verdict, self.trace = exploration, verdict, verdict.trace
        self.wording = Wording(exploration.system)
        walk = self.wording.walk(self.trace.initial, self.trace.steps)
        self.facts: list[Sequence[Fact]] = [(), *(facts for _, facts in walk)]
        changed = {fact.item for facts in self.facts for fact in facts}
        self.read = read_by(verdict.failure, self.wording)
        candidates = [i for i in self.read if i in changed and i.kind == "leaf"]
        failure = verdict.failure
        part = set() if failure is None or failure.part is None else set(re.findall(r"\w+", failure.part.text))
        first = sorted(candidates, key=lambda item: word_of(item) not in part)[:MOST_TRACKS]
        self.tracks = [item for item in candidates if item in first]
        self.heads = [wrap_names(item.name, 12) for item in self.tracks]
        self.widths = [self._width(item, head) for item, head in zip(self.tracks, self.heads, strict=True)]
        self.changes = WIDTH - EVENT - sum(self.widths) - PAD
        """How wide the column of changes is."""
        self.canvas = Canvas("trace", margin=MARGIN)

    def _width(self, item: NamedPart, head: Sequence[str]) -> float:
        """How wide a track is: as its name and its values are."""
        lines = [*head, *(line for n in range(len(self.trace.states)) for line in self._value(item, n))]
        return min(TRACK, max(text_width(line, SIZE, bold=True) for line in lines) + 2 * PAD)

    @cached_property
    def rows(self) -> Sequence[_Row]:
        """The start, and the steps; what the worker does in a row without touching a track is one row."""
        return [self._row(steps) for steps in ([0], *folded(self.trace, self.facts, self.tracks))]

    def _row(self, steps: Sequence[int]) -> _Row:
        first, last = steps[0], steps[-1]
        events = ["start" if n == 0 else self.trace.steps[n - 1].event for n in steps]
        told = [str(fact) for fact in self.facts[last] if fact.item not in self.tracks]
        if len(steps) > 1:
            event, told = f"{first} to {last}  the worker goes on as usual", events
        else:
            event = f"{last}  {events[0]}" if last else events[0]
        values = [self._value(item, last) for item in self.tracks]
        changes = wrap_items(told, int(self.changes / SIZE / EM), wrap_names)
        return _Row(first, last, wrap_names(event, int(EVENT / SIZE / EM / 1.1)), changes, values)

    def _value(self, item: NamedPart, number: int) -> Sequence[str]:
        """A track's value: at the start, at the end, and where a step changes it."""
        fact = next((fact for fact in self.facts[number] if fact.item is item), None)
        states = self.trace.states
        state = states[number]
        if 0 < number < len(states) - 1 and item.text(state) == item.text(states[number - 1]):
            return ()
        value = "-" if item.is_zero(state) else item.text(state)
        if fact is not None:
            value = f"{fact.before} → {fact.after}" if fact.is_number else fact.after
        return wrap_names(value, int(TRACK / SIZE / EM / 1.1))

    def source(self) -> str:
        top = max(map(len, self.heads)) * LINE + PAD if self.heads else 0.0
        bottom = top + sum(row.height for row in self.rows)
        for i, head in enumerate(self.heads):
            self._line(f"t{i}", self._middle(i), top, self._middle(i), bottom)
            self.canvas.centred(f"t{i}n", self._middle(i), top - 2, head, SIZE)
        y, places = top, {}
        for row in self.rows:
            self._draw(row, y)
            places[row.first] = y
            y += row.height
        if self.trace.lasso is not None and self.trace.lasso.start < len(self.trace.steps):
            start = places[self.trace.lasso.start + 1]
            self.canvas.box("loop", -PAD, start, WIDTH + 2 * PAD, y - start, style="dashed,rounded", color=WRONG)
        self._caption(y + 2 * PAD)
        return str(self.canvas.graph.source)

    def _middle(self, track: int) -> float:
        return WIDTH - sum(self.widths[track:]) + self.widths[track] / 2

    def _line(self, name: str, left: float, top: float, right: float, bottom: float) -> None:
        self.canvas.corner(f"{name}a", left, top)
        self.canvas.corner(f"{name}b", right, bottom)
        self.canvas.graph.edge(f"{name}a", f"{name}b", arrowhead="none", color=RULE, edgetooltip=" ")

    def _draw(self, row: _Row, top: float) -> None:
        name, is_last = f"s{row.last}", row.last == len(self.trace.steps)
        self._line(f"{name}r", 0, top, WIDTH, top)
        is_usual = row.first < row.last
        ink = WRONG if is_last else FAINT if is_usual or not row.last else INK
        self._text(f"{name}e", 0, top + PAD, EVENT, row.event, **_font(SIZE, ink, bold=not is_usual))
        self._text(f"{name}c", EVENT, top + PAD, self.changes, row.changes, **_font(SIZE, FAINT if is_usual else INK))
        for i, (item, value) in enumerate(zip(self.tracks, row.values, strict=True)):
            if value:
                changed = any(fact.item is item for fact in self.facts[row.last])
                ground = CHANGED if changed else "white"
                height, width = len(value) * LINE + 4, self.widths[i] - PAD
                look = {"style": "filled", "fillcolor": ground, "color": ground}
                look |= _font(SIZE, WRONG if is_last else INK, bold=changed or is_last)
                look |= {"label": "\\n".join(map(plain_text, value))}
                self.canvas.box(f"{name}v{i}", self._middle(i) - width / 2, top + PAD - 2, width, height, **look)

    def _text(self, name: str, left: float, top: float, width: float, lines: Sequence[str], **look: str) -> None:
        if lines:
            self.canvas.text(name, left, top, width, len(lines) * LINE, "\n".join(lines), **look)

    def _caption(self, top: float) -> None:
        """The claim, which part of it is false, and where it was found to be violated."""
        system, claim, trace = self.exploration.system, self.verdict.property, self.trace
        steps = self.verdict.length_of(trace)
        where = f"{system.version}, environment {system.environment}, scenario {system.scenario}: {steps}"
        failure = self.verdict.failure
        lines = [(f"✗ {self.verdict.status.value}   {claim.id}", 15.0, WRONG, True)]
        lines += [(text, 13.0, WRONG, True)] if (text := sentence(failure)) else []
        lines.append((claim.meaning, 13.0, INK, False))
        if text := false_part(failure, with_line=False):
            lines.append((text, SIZE, FAINT if sentence(failure) else WRONG, not sentence(failure)))
            drawn = {word_of(item) for item in self.tracks}
            still = [item for item in self.read if word_of(item) not in drawn]
            told = ", ".join(f"{item.name} {item.text(trace.states[-1])}" for item in still)
            lines += [(f"at the end: {told}", SIZE, INK, False)] if told else []
        if trace.lasso is not None:
            lines += [(f"for ever: {text}", SIZE, INK, False) for text in trace.lasso.blocked]
            if trace.lasso.start < len(trace.steps):
                start = f"after step {trace.lasso.start}" if trace.lasso.start else "at the start"
                lines.append((f"the last step leads to the same state as {start}: so on for ever", SIZE, INK, False))
        lines.append((where, SIZE, FAINT, False))
        for i, (text, size, ink, bold) in enumerate(lines):
            for j, line in enumerate(wrap(text, int(WIDTH / size / EM / (1.1 if bold else 1))) or ["-"]):
                width = min(WIDTH, text_width(line, size, bold) + 10)
                self.canvas.text(f"claim{i}l{j}", 0, top, width, size * 1.4, line, **_font(size, ink, bold))
                top += size * 1.5


def _font(size: float, ink: str, bold: bool = False) -> dict[str, str]:
    return {"fontsize": f"{size:g}", "fontcolor": ink} | ({"fontname": BOLD} if bold else {})
