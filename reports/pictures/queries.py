"""Which question of the PodWorkers interface answers true in which phase, as the reachable states have it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from podproof.checker.core.graph import Line
from podproof.checker.core.system import StateGraph, System
from podproof.model.notes import export_name, field_name
from podproof.reports.layout import number_of
from podproof.reports.pictures import mermaid
from podproof.reports.pictures.canvas import FAINT, INK, RULE, Canvas, plain_text, text_width
from podproof.reports.pictures.diagram import where
from podproof.reports.pictures.life import PHASES as NAMES
from podproof.reports.pictures.life_picture import (
    ABOVE,
    BOLD_SMALL,
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
from podproof.reports.presets import PHASES, short_phase
from podproof.reports.state_text import StateText

NEVER, ALWAYS = "", "always"


class Query(Protocol):
    """A question with its answer in a state, given the variables that it reads."""

    @property
    def name(self) -> str: ...

    @property
    def line(self) -> Line: ...

    @property
    def reads(self) -> Sequence[str]: ...

    def of(self, variables: Mapping[str, int]) -> bool: ...


def queries_of(cls: type) -> list[str]:
    """The questions about one pod that a class answers, in the order of their definition.

    They are the methods of the class `Queries` that take a UID and nothing else; a release may lack some.
    """
    (owner,) = (part for part in cls.__mro__ if part.__name__ == "Queries")
    return [
        name
        for name, method in vars(owner).items()
        if getattr(method, "__annotations__", {}).keys() == {"uid", "return"} and hasattr(cls, name)
    ]


@dataclass(frozen=True)
class QueryRow:
    """One question: for each phase when it answers true; empty where it never does."""

    name: str
    line: Line
    cells: tuple[str, ...]


@dataclass(frozen=True)
class QueryTable:
    """The questions and the phases."""

    system: System
    phases: tuple[str, ...]
    counts: tuple[int, ...]
    """How many states each phase has."""
    rows: tuple[QueryRow, ...]
    command: str

    @classmethod
    def of(
        cls,
        system: System,
        found: StateGraph,
        questions: Sequence[Query],
        phase_of: Callable[[Mapping[str, int]], str],
        command: str,
    ) -> QueryTable:
        """Ask every question in every reachable state. A phase that no state is in has no column."""
        paths = [variable.path for variable in found.by]
        states = [dict(zip(paths, node, strict=True)) for node in found.nodes]
        by_phase = {phase: [i for i, s in enumerate(states) if phase_of(s) == phase] for phase in PHASES}
        reached = {phase: numbers for phase, numbers in by_phase.items() if numbers}
        state_text = StateText(system)
        rows = [
            QueryRow(
                export_name(question.name),
                question.line,
                tuple(_when(question, [states[i] for i in numbers], state_text) for numbers in reached.values()),
            )
            for question in questions
        ]
        counts = tuple(sum(found.counts[i] for i in numbers) for numbers in reached.values())
        return cls(system, tuple(reached), counts, tuple(rows), command)

    @property
    def caption(self) -> list[str]:
        pods, states = StateText(self.system).pods, number_of(sum(self.counts), "state")
        pod = pods[0] if len(pods) > 1 else "the pod"
        return [
            f"What the pod workers answer when: {where(self.system)}",
            f"asked about {pod} in every one of {states}: {self.system.bounds}",
            f"$ {self.command}",
        ]

    def dot(self) -> str:
        """A column for each phase, in its colour; a box where a question answers true, dashed if only sometimes."""
        canvas, (title, *told, command) = Canvas("queries"), self.caption
        right = WIDTH - SIDE
        left = (
            SIDE
            + max(text_width(text, SMALL, bold=True) for row in self.rows for text in (row.name, str(row.line)))
            + 8
        )
        width, y = (right - left) / len(self.phases), ABOVE
        for texts, size, height in (([title], TITLE, 21), (told, SMALL, LINE)):
            for line in (line for text in texts for line in wrapped(text, size, right - SIDE, size == TITLE)):
                canvas.line(SIDE, y + 8, line, size, INK if size == TITLE else FAINT, bold=size == TITLE)
                y += height
        y += 10
        fills = [FILLS.get(NAMES.get(phase, ""), PAGE) for phase in self.phases]
        heads = [wrapped(short_phase(phase), BOLD_SMALL, width - 6, bold=True) for phase in self.phases]
        height = max(map(len, heads)) * LINE + 12
        for i, lines in enumerate(heads):
            look = {"style": "filled", "fillcolor": fills[i], "color": FAINT, "class": "head"}
            self._cell(canvas, f"h{i}", (left + i * width, y, width, height), lines, look)
        y += height
        for j, row in enumerate(self.rows):
            cells = [wrapped(cell, SMALL, width - 10) for cell in row.cells]
            height = max(2, *map(len, cells)) * LINE + 12
            canvas.path((SIDE, y + height), (right, y + height), color=RULE)
            canvas.line(SIDE, y + height / 2 - LINE / 2, row.name, SMALL, INK, bold=True)
            canvas.line(SIDE, y + height / 2 + LINE / 2, str(row.line), SMALL, FAINT)
            for i, lines in enumerate(cells):
                is_sure = row.cells[i] == ALWAYS
                look = {
                    "style": "filled,rounded" if is_sure else "filled,rounded,dashed",
                    "color": FAINT,
                    "class": "answer",
                }
                look |= {
                    "fillcolor": fills[i] if is_sure else PAGE,
                    "tooltip": plain_text(f"{row.name}: {row.cells[i]}"),
                }
                if lines:
                    self._cell(canvas, f"r{j}c{i}", (left + i * width + 2, y + 3, width - 4, height - 6), lines, look)
            y += height
        for line in wrapped(command, SMALL, right - SIDE):
            canvas.line(SIDE, y + 16, line, SMALL, FAINT)
            y += LINE
        return with_page(str(canvas.graph.source), y + 8 + ABOVE)

    @staticmethod
    def _cell(
        canvas: Canvas, name: str, box: tuple[float, float, float, float], lines: Sequence[str], look: Mapping[str, str]
    ) -> None:
        left, top, width, height = box
        canvas.box(name, left, top, width, height, **look)
        for i, line in enumerate(lines):
            y, is_head = top + height / 2 + (i - (len(lines) - 1) / 2) * LINE, look["class"] == "head"
            canvas.line(left + width / 2, y, line, BOLD_SMALL if is_head else SMALL, INK, bold=is_head, at="n")

    def mermaid(self) -> str:
        """A Gantt chart whose days are the phases."""
        settings = {"gantt": {"leftPadding": 260, "barHeight": 22, "fontSize": 12, "sectionFontSize": 13}}
        out = [*mermaid.title(self.caption, settings), "gantt", *mermaid.comments(self.caption)]
        # An axis format without a directive writes the same at every tick: there is no time here.
        out += ["    dateFormat x", "    axisFormat |", "    section phase"]
        out += [f"    {mermaid.escape(short_phase(p))} :done, {i}, {i + 1}" for i, p in enumerate(self.phases)]
        for row in self.rows:
            out.append(f"    section {mermaid.escape(row.name)}")
            at = 0
            for text, run in itertools.groupby(row.cells):
                start, at = at, at + len(list(run))
                if text:
                    out.append(f"    {mermaid.escape(text)} :{'' if text == ALWAYS else 'active, '}{start}, {at}")
        return "\n".join(out) + "\n"


def _when(question: Query, states: Sequence[Mapping[str, int]], state_text: StateText) -> str:
    """When a question answers true in these states: never (nothing), always, or what decides it."""
    answers = [question.of(state) for state in states]
    if not any(answers):
        return NEVER
    if all(answers):
        return ALWAYS
    set_in = {_go_name(path, state_text): [bool(state[path]) for state in states] for path in question.reads}
    for name, values in set_in.items():
        if answers == values:
            return f"if {name}"
        if answers == [not value for value in values]:
            return f"unless {name}"
    for (one, first), (other, second) in itertools.combinations(set_in.items(), 2):
        if answers == [x or y for x, y in zip(first, second, strict=True)]:
            return f"if {one} or {other}"
        if answers == [x and y for x, y in zip(first, second, strict=True)]:
            return f"if {one} and {other}"
    return "sometimes"


def _go_name(path: str, state_text: StateText) -> str:
    """What a reader calls a field, its last part as in Go."""
    leaf = path.rpartition(".")[2]
    name = state_text.name(path)
    variable = state_text.system.variables[state_text.system.index(path)]
    return name.removesuffix(leaf) + field_name(leaf, variable.notes[-1]) if name.endswith(leaf) else name
