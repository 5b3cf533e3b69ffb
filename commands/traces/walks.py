"""Walks that a person chose: how they are written, and what a file that was saved from one calls them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from podproof.checker.stepping import SEPARATOR, name_of
from podproof.checker.system import Property, Trace
from podproof.commands.systems.build import Subject

WALK = Property("walk", "sometimes", "This walk can be taken; it was chosen by hand.")
"""As what a walk itself is saved, beside the claims that it breaks: it shows that it is possible."""


def moves_in(text: str) -> list[str]:
    """The moves of a walk that is written as one text."""
    return [move for part in text.split(SEPARATOR) if (move := part.strip())]


def names_of(trace: Trace) -> list[str]:
    """The moves of a trace."""
    return [name_of(step.action, step.parameters.values()) for step in trace.steps]


def walk_command(subject: Subject, scenario: str, moves: Sequence[str] = ()) -> str:
    """The command line that opens a walk."""
    walk = f" --walk {shlex.quote(SEPARATOR.join(moves))}" if moves else ""
    return f"podproof explore {subject.option} --scenario {scenario}{walk}"
