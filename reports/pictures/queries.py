"""Which question of the PodWorkers interface answers true in which phase, as the reachable states have it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from podproof.checker.core.graph import Line
from podproof.checker.core.system import StateGraph, System
from podproof.model.notes import export_name, field_name
from podproof.reports.layout import number_of, wrap
from podproof.reports.pictures import mermaid, plantuml
from podproof.reports.pictures.canvas import CHANGED, FAINT, INK, RULE, Canvas, plain_text, text_width
from podproof.reports.pictures.diagram import where
from podproof.reports.pictures.drawing import BOLD
from podproof.reports.pictures.presets import PHASES, short_phase
from podproof.reports.wording import Wording

NEVER, ALWAYS = "", "always"
SIZE, ROW, HEAD, COLUMN = 11.0, 34.0, 40.0, 112.0
LETTERS = 18
LEFT = 260
"""Room for the names of the questions in a Mermaid chart, in pixels."""
TRUE, SOMETIMES = "#cfe3d4", CHANGED


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
    """The table, and the timeline that it makes: phases from left to right."""

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
        wording = Wording(system)
        rows = [
            QueryRow(
                export_name(question.name),
                question.line,
                tuple(_when(question, [states[i] for i in numbers], wording) for numbers in reached.values()),
            )
            for question in questions
        ]
        counts = tuple(sum(found.counts[i] for i in numbers) for numbers in reached.values())
        return cls(system, tuple(reached), counts, tuple(rows), command)

    @property
    def caption(self) -> list[str]:
        pods, states = Wording(self.system).pods, number_of(sum(self.counts), "state")
        pod = pods[0] if len(pods) > 1 else "the pod"
        return [
            f"What the pod workers answer when: {where(self.system)}",
            f"asked about {pod} in every one of {states}: {self.system.bounds}",
            f"$ {self.command}",
        ]

    def dot(self) -> str:
        return _Picture(self).source()

    def mermaid(self) -> str:
        """A Gantt chart whose days are the phases: a bar where a question answers true."""
        settings = {"gantt": {"leftPadding": LEFT, "barHeight": 22, "fontSize": 12, "sectionFontSize": 13}}
        out = [*mermaid.title(self.caption, settings), "gantt", *mermaid.comments(self.caption)]
        # An axis format without a directive writes the same at every tick: there is no time here.
        out += ["    dateFormat x", "    axisFormat |", "    section phase"]
        out += [f"    {mermaid.escape(short_phase(p))} :done, {i}, {i + 1}" for i, p in enumerate(self.phases)]
        for row in self.rows:
            out.append(f"    section {mermaid.escape(row.name)}")
            bars = _bars(row.cells)
            out += [
                f"    {mermaid.escape(text)} :{'' if text == ALWAYS else 'active, '}{start}, {end}"
                for start, end, text in bars
            ]
        return "\n".join(out) + "\n"

    def plantuml(self) -> str:
        """A timing diagram with a track for each question."""
        out = ['concise "phase" as P']
        out += [f'concise "{plantuml.escape(row.name)}" as Q{i}' for i, row in enumerate(self.rows)]
        for i, phase in enumerate(self.phases):
            out.append(f"@{i * 100}")
            out.append(f'P is "{plantuml.escape(short_phase(phase))}"')
            out += [f'Q{j} is "{plantuml.escape(row.cells[i] or "never")}"' for j, row in enumerate(self.rows)]
        out.append(f"@{len(self.phases) * 100}")
        out += ["P is {hidden}", *(f"Q{j} is {{hidden}}" for j in range(len(self.rows)))]
        return plantuml.document(self.caption, ["hide time-axis", "scale 100 as 150 pixels", *out])


def _when(question: Query, states: Sequence[Mapping[str, int]], wording: Wording) -> str:
    """When a question answers true in these states: never (nothing), always, or what decides it."""
    answers = [question.of(state) for state in states]
    if not any(answers):
        return NEVER
    if all(answers):
        return ALWAYS
    set_in = {_go_name(path, wording): [bool(state[path]) for state in states] for path in question.reads}
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


def _go_name(path: str, wording: Wording) -> str:
    """What a reader calls a field, its last part as in Go."""
    leaf = path.rpartition(".")[2]
    name = wording.name(path)
    variable = wording.system.variables[wording.system.index(path)]
    return name.removesuffix(leaf) + field_name(leaf, variable.notes[-1]) if name.endswith(leaf) else name


def _bars(cells: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where cells that say the same begin and end, and what they say; nothing for cells that say never."""
    bars: list[tuple[int, int, str]] = []
    for i, text in enumerate(cells):
        if text and bars and bars[-1][1:] == (i, text):
            bars[-1] = (bars[-1][0], i + 1, text)
        elif text:
            bars.append((i, i + 1, text))
    return bars


class _Picture:
    """The timeline as DOT whose nodes stand where they are put."""

    def __init__(self, table: QueryTable) -> None:
        self.table = table
        self.left = max(text_width(row.name, SIZE, bold=True) for row in table.rows) + 12
        self.canvas = Canvas("queries", margin=16)

    def source(self) -> str:
        table, canvas = self.table, self.canvas
        bottom = HEAD + ROW * len(table.rows)
        for i, phase in enumerate(table.phases):
            left = self.left + i * COLUMN
            label = "\\n".join(map(plain_text, wrap(short_phase(phase), LETTERS)))
            look = {"label": label, "fontname": BOLD, "fontsize": f"{SIZE:g}", "color": RULE, "style": "filled"}
            canvas.box(f"h{i}", left, 0, COLUMN, HEAD, fillcolor="#f2f4f7", **look)
            canvas.box(f"v{i}", left, HEAD, COLUMN, bottom - HEAD, color="#e4e8ed")
        for j, row in enumerate(table.rows):
            top = HEAD + j * ROW
            canvas.text(f"r{j}", 0, top + 2, self.left, 16, row.name, fontname=BOLD, fontsize=f"{SIZE:g}")
            canvas.text(f"r{j}l", 0, top + 17, self.left, 12, str(row.line), fontsize="8.5", fontcolor=FAINT)
            for start, end, text in _bars(row.cells):
                fill = TRUE if text == ALWAYS else SOMETIMES
                look = {"label": plain_text(text), "fontsize": "10", "style": "filled,rounded", "fillcolor": fill}
                line = "solid" if text == ALWAYS else "dashed"
                left, width = self.left + start * COLUMN + 3, (end - start) * COLUMN - 6
                look["style"] += f",{line}"
                canvas.box(f"r{j}b{start}", left, top + 5, width, ROW - 10, color=INK, **look)
        top = bottom + 14
        for i, text in enumerate(table.caption):
            ink = INK if i == 0 else FAINT
            canvas.text(f"c{i}", 0, top, text_width(text, SIZE) + 10, 15, text, fontsize=f"{SIZE:g}", fontcolor=ink)
            top += 16
        return str(canvas.graph.source)
