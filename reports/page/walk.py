"""A trace as the pages' scripts take it: plain data for JSON, in the reader's words.

    system_data(state_text) -> {"lanes": [name], "items": [{"name", "group"}]}
    walk_data(state_text, trace) -> {"start": [value of each item], "steps": [step]}; of one that goes on for ever, too,
            "lasso": {"start": where the loop begins, "turns": {state: [text]}, "blocked": [text]}
        value:  [text, unset]; unset says that it is Go's zero value, and the text is then what it is called
        step:   {"event", "action", "actor", "lane", "line", "changes": [change], "values": {item: value}}
        change: {"item", "before", "after", "line", "quiet"}; before is "" where nothing was set
        line:   [file, number], or null
    sources_data(files) -> {file: {"lines": [text], "functions": [[first, last, name]]}}

Items and lanes are named by their index. `values` has every item whose text the step changed, also those that a
reader of the story is spared; `changes` is the story.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from podproof.checker.core.graph import Line
from podproof.checker.core.system import Lasso, State, Step, Trace
from podproof.reports.actors import LANES, lane_of
from podproof.reports.state_text import STATUSES, WORKERS, Fact, NamedPart, StateText
from podproof.reports.story import turns

GROUPS = ("pod", "worker", "surroundings")
"""What the pod worker knows of the pod, what its goroutines do, and everything else."""


def system_data(state_text: StateText) -> dict[str, Any]:
    """The lanes, and every item of a state."""
    return {"lanes": list(LANES), "items": [{"name": i.name, "group": _group(i)} for i in state_text.items]}


def walk_data(state_text: StateText, trace: Trace) -> dict[str, Any]:
    """A trace: the values at its start and what each step does to them."""
    number = {item: i for i, item in enumerate(state_text.items)}
    steps, before = [], trace.initial
    for step, facts in state_text.walk(trace.initial, trace.steps):
        steps.append(_step(step, facts, number) | {"values": _differing(state_text, before, step.state)})
        before = step.state
    walk = {"start": [_value(item, trace.initial) for item in state_text.items], "steps": steps}
    return walk if trace.lasso is None else walk | {"lasso": _lasso(trace.lasso, len(steps))}


def _lasso(lasso: Lasso, end: int) -> dict[str, Any]:
    """How it goes on for ever, and what is said of which state."""
    said = {state: [text.removeprefix("-- ") for text in turns(lasso, state, end)] for state in range(end + 1)}
    found = {state: texts for state, texts in said.items() if texts}
    return {"start": lasso.start, "turns": found, "blocked": list(lasso.blocked)}


def lines_of(walk: Mapping[str, Any]) -> set[str]:
    """The files whose lines a walk names."""
    steps = walk["steps"]
    lines = [step["line"] for step in steps] + [change["line"] for step in steps for change in step["changes"]]
    return {line[0] for line in lines if line is not None}


def sources_data(files: Mapping[str, str]) -> dict[str, Any]:
    """The texts of model files, with the lines at which their functions begin and end."""
    return {file: {"lines": _lines(text), "functions": _functions(file, text)} for file, text in sorted(files.items())}


def _step(step: Step, facts: Sequence[Fact], number: Mapping[NamedPart, int]) -> dict[str, Any]:
    changes = [
        {
            "item": number[fact.item],
            "before": _before(fact),
            "after": fact.after,
            "line": _line(fact.line),
            "quiet": fact.quiet,
        }
        for fact in facts
    ]
    lane = LANES.index(lane_of(step.actor))
    told = {"event": step.event, "action": step.action, "actor": step.actor, "lane": lane, "line": _line(step.line)}
    return {**told, "changes": changes}


def _before(fact: Fact) -> str:
    if fact.was_zero:
        return ""
    return "exists" if fact.item.kind == "entry" else fact.before


def _differing(state_text: StateText, before: State, after: State) -> dict[str, Any]:
    pairs = ((i, _value(item, before), _value(item, after)) for i, item in enumerate(state_text.items))
    return {str(i): new for i, old, new in pairs if old != new}


def _value(item: NamedPart, state: State) -> list[str | bool]:
    if item.kind == "entry":
        return ["none" if item.is_zero(state) else "exists", item.is_zero(state)]
    return [item.text(state), item.is_zero(state)]


def _line(line: Line | None) -> list[str | int] | None:
    return None if line is None else [line.file, line.number]


def _group(item: NamedPart) -> str:
    path = item.variables[0].path
    return GROUPS[0] if path.startswith(STATUSES) else GROUPS[1] if path.startswith(WORKERS) else GROUPS[2]


def _lines(text: str) -> list[str]:
    """Python's lines: unlike for str.splitlines, a form feed ends none."""
    return text.removesuffix("\n").split("\n")


GO_FUNCTION = re.compile(r"^func (?:\([^)]*\) )?(\w+).*?^}", re.MULTILINE | re.DOTALL)
"""As gofmt writes one: its brace closes at the beginning of a line."""


def _functions(file: str, text: str) -> list[list[str | int]]:
    """First line, last line and name of each function, inner ones after those around them."""
    if file.endswith(".go"):
        ends = ((found.start(), found.end(), found[1]) for found in GO_FUNCTION.finditer(text))
        return [[1 + text.count("\n", 0, first), 1 + text.count("\n", 0, last), name] for first, last, name in ends]
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return sorted([node.lineno, node.end_lineno or node.lineno, node.name] for node in found)
