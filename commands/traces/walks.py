"""Walks that a person chose: how they are written, and what a file that was saved from one calls them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from podproof.checker.core.system import CheckerError, Property, Trace
from podproof.checker.explain.stepping import SEPARATOR, name_of
from podproof.commands.systems.build import Subject

WALK = Property("walk", "sometimes", "This walk can be taken; it was chosen by hand.")
"""As what a walk itself is saved, beside the claims that it breaks: it shows that it is possible."""

MOST_MOVES = 500
"""Of a walk, and of a trace in a file: the model itself takes every step, and a walk anew with every click."""


def refuse_length(count: int, place: str = "") -> None:
    """Raise CheckerError for more steps than are taken; `place` begins it."""
    if count > MOST_MOVES:
        raise CheckerError(f"{place}a walk of {count} steps is too long; {MOST_MOVES} are the most")


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
