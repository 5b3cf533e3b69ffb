"""Can one version follow a trace of the other, and how far?"""

from __future__ import annotations

from collections.abc import Sequence

from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import CheckerError, LoweredProperty, Move, State, Step, System, Trace
from podproof.checker.core.trace import is_shown, replay


def own_move(system: System, step: Step) -> Move | None:
    """The step as a move of a system, which may lack the action or a value of a parameter."""
    action = system.action.get(step.action)
    if action is None or {p.name for p in action.parameters} != step.parameters.keys():
        return None
    values: dict[str, int] = {}
    for parameter in action.parameters:
        found = [v for v in parameter.values if parameter.show(v) == step.parameters[parameter.name]]
        if not found:
            return None
        values[parameter.name] = found[0]
    return Move(step.action, values)


def attempt(system: System, state: State, move: Move | None) -> Step | None:
    """What a move does in a system's own state; None where the system cannot take it, or does not have it."""
    try:
        return None if move is None else replay(system, [move], state).steps[0]
    except CheckerError:
        return None


def follow(system: System, steps: Sequence[Step]) -> Trace:
    """The same events in a system, as far as it can take them."""
    taken: list[Step] = []
    state = system.initial[0]
    for step in steps:
        own = attempt(system, state, own_move(system, step))
        if own is None:
            break
        taken.append(own)
        state = own.state
    return Trace(system.initial[0], tuple(taken))


def followed_until(system: System, other: System, trace: Trace, shared: Sequence[str]) -> int | None:
    """The number of the first step of a system's trace that the other cannot take or that leaves it unlike.

    Only variables in `shared` are compared. None where the other follows to the end.
    """
    own = follow(other, trace.steps)
    for number, step in enumerate(trace.steps, 1):
        if number > len(own.steps):
            return number
        if _of(system, step.state, shared) != _of(other, own.steps[number - 1].state, shared):
            return number
    return None


def _of(system: System, state: State, paths: Sequence[str]) -> list[object]:
    return [system.variables[i].show(state[i]) for i in map(system.index, paths)]


def violates(system: System, claim: LoweredProperty, trace: Trace) -> bool:
    """Does a trace of the system violate the claim in any of its states or steps?"""
    if claim.state is not None:
        states = [trace.initial, *(step.state for step in trace.steps)]
        return not all(evaluate([claim.state], system.by_path(state))[0] for state in states)
    prefixes = (Trace(trace.initial, trace.steps[:count]) for count in range(1, len(trace.steps) + 1))
    return any(is_shown(system, claim, prefix) for prefix in prefixes)
