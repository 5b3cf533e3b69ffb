"""Walks that a person chose: how they are written, and what a file that was saved from one calls them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from podproof.checker.core.system import ActionCount, CheckerError, Exploration, Property, System, Trace, Verdict
from podproof.checker.engines import REFERENCE
from podproof.checker.explain.stepping import SEPARATOR, name_of
from podproof.queries.build import Subject

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


def walk_command(subject: Subject, scenario: str, moves: Sequence[str], against: Subject | None = None) -> str:
    """The command line that opens a walk, of one version or of two side by side."""
    if subject.replay_command:
        return f"{subject.replay_command} --scenario {scenario}"
    walk = f" --walk {shlex.quote(SEPARATOR.join(moves))}" if moves else ""
    other = "" if against is None else f" --against {shlex.quote(str(against.file or against.name))}"
    return f"podproof explore {subject.option}{other} --scenario {scenario}{walk}"


def check_command(subject: Subject, scenario: str, claim: str) -> str:
    """The command line that finds again how a claim is broken."""
    if subject.replay_command:
        return f"{subject.replay_command} --scenario {scenario}"
    return f"podproof check {subject.option} --scenario {scenario} --property {claim}"


def taken_by_hand(system: System, trace: Trace, verdicts: Sequence[Verdict]) -> Exploration:
    """A walk as an exploration that is far from complete."""
    names, states = [step.action for step in trace.steps], trace.states
    new = [states.index(state) == i for i, state in enumerate(states[1:], 1)]
    return Exploration(
        system=system,
        engine=REFERENCE,
        complete=False,
        reason="a walk that was chosen by hand, and no exploration",
        states=len(set(states)),
        transitions=len(names),
        depth=len(names),
        seconds=0.0,
        peak_bytes=0,
        actions={
            action.name: ActionCount(
                names.count(action.name),
                sum(is_new for name, is_new in zip(names, new, strict=True) if name == action.name),
            )
            for action in system.actions
        },
        bounds_hit={},
        reductions=(),
        verdicts=tuple(verdicts),
    )
