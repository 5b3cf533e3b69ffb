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
from podproof.reports.pictures.bars import BarChart, BarRow
from podproof.reports.pictures.diagram import where
from podproof.reports.pictures.presets import PHASES, short_phase
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

    @property
    def chart(self) -> BarChart:
        """The phases from left to right, and a bar where a question answers true."""
        rows = tuple(BarRow(row.name, str(row.line), row.cells) for row in self.rows)
        phases = tuple(map(short_phase, self.phases))
        return BarChart("queries", "phase", phases, rows, self.caption, certain=ALWAYS)

    def dot(self) -> str:
        return self.chart.dot()

    def mermaid(self) -> str:
        return self.chart.mermaid()


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
