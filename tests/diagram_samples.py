"""Diagrams for tests: of every kind, small ones and ones full of markup, and those that the command line can draw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.miniature import ADD, GRACE, grace_grows, small_diagram, system, trace

from podproof.checker.core.graph import Line
from podproof.checker.core.system import Property, Status, Verdict
from podproof.queries.drawing import Request
from podproof.reports.pictures.diagram import Caption, StateDiagram
from podproof.reports.pictures.queries import QueryRow, QueryTable
from podproof.reports.pictures.trace import TraceDiagram
from podproof.reports.render.forms import Drawing

COMMAND = "podproof diagram --version v1.29 -o mermaid"
NASTY = (
    'end style classDef : a#b; %%{init: {"theme":"dark"}}%% <img src=x onerror=alert(1)> &amp; \'q\' `c` **b** _i_ '
    "$$x$$ \\n [x] {y} (z) |p| a-->b /'c'/ <b>u</b> ~~s~~ end"
)
"""What one kind of diagram or another takes for syntax, markup, Markdown or a directive."""


def samples(text: str = "plain") -> dict[str, Drawing]:
    """A diagram of each kind with `text` wherever a model or a user can put one."""
    of = system("web", text) if text != "plain" else system("web")
    of = replace(of, version=text, scenario=text, bounds=text)
    told = trace(of, ("add", f"ADD {text}", ADD)) if text != "plain" else grace_grows(of)
    claim = Property(text, "step", text) if text != "plain" else GRACE
    command = f"{COMMAND} --model '{text}'" if text != "plain" else COMMAND
    states = replace(small_diagram(), system=of)
    states = replace(states, names={node: f"{text} {i}" for i, node in enumerate(states.graph.nodes)})
    row = QueryRow(text, Line("model/miniature.py", 15), ("", "always", "always", f"if {text}"))
    return {
        "states": StateDiagram(states, Caption(command, text)),
        "sequence": TraceDiagram(of, Verdict(claim, Status.VIOLATED, "", told), told, command),
        "queries": QueryTable(of, ("not known: new", "sync", "terminated", "finished"), (1, 2, 3, 4), (row,), command),
    }


def request(**asked: Any) -> Request:
    """What `podproof diagram` is asked for with these options, of v1.29 unless they say otherwise."""
    return Request(**{"version": "v1.29", "model": None, "scenario": None, **asked})
