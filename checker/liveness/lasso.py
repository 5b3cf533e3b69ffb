"""Run every lasso once more in the model as plain Python, and check that it discharges its fairness obligations."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from podproof.checker.core.system import EngineFault, FairnessCondition, Move, Property, State, System, Trace
from podproof.checker.core.trace import evidence, is_true
from podproof.checker.engines.python import successors
from podproof.checker.lowering.claims import holds_in, lower_cases, parameters_over_states

Obligation = tuple[str, str, bool, tuple[tuple[str, int], ...]]
"""An action, what is assumed of it, whether strongly, and the parameters by which its steps are told apart."""


def confirm_lasso(
    system: System, p: Property, arguments: Mapping[str, Any], trace: Trace, without: Collection[str] = ()
) -> Trace:
    """Check that a trace is a fair run of the model that breaks the claim, and return it. Raises EngineFault if not."""
    what = objection(system, p, arguments, trace, without)
    if what:
        raise EngineFault(f"{p.id}: its lasso of {len(trace.steps)} steps is no evidence: {what}")
    return trace


def is_broken_by(system: System, p: Property, trace: Trace) -> bool:
    """Is a trace a fair run of the system that breaks the claim, in the case that the trace names?"""
    cases = (case for case in lower_cases(system, p) if trace.lasso is not None and case.shown == trace.lasso.case)
    return any(not objection(system, p, case.arguments, trace, ()) for case in cases)


def objection(system: System, p: Property, arguments: Mapping[str, Any], trace: Trace, without: Collection[str]) -> str:
    """Why a trace shows no fair run that breaks the claim; empty where it does."""
    lasso, states, moves = trace.lasso, trace.states, trace.moves
    if lasso is None or not 0 <= lasso.waiting <= lasso.start <= len(moves):
        return "it does not say how it goes on for ever"
    if lasso.no_return is not None and not 0 <= lasso.no_return <= lasso.start:
        return "its point of no return is none of the states before the loop"
    if trace.initial not in system.initial:
        return "it begins with a state that is no initial one"
    if evidence(system, moves, trace.initial).states != states:
        return "taken once more, its steps lead somewhere else"
    if states[-1] != states[lasso.start]:
        return "its loop does not come back to where it began"
    for i, state in enumerate(states[lasso.waiting :], lasso.waiting):
        premise, goal = holds_in(p, system.build(state), arguments)
        if goal:
            return f"the goal is reached in state {i}"
        if i == lasso.waiting and not premise:
            return f"nothing is waited for in state {i}"
    return _undischarged(system, states[lasso.start :], moves[lasso.start :], without)


def _undischarged(system: System, states: list[State], moves: list[Move], without: Collection[str]) -> str:
    """A fairness obligation that the loop does not discharge, in words; empty where there is none."""
    obligations, discharged = [set[Obligation]() for _ in states], set[Obligation]()
    for i, state in enumerate(states):
        tree = system.build(state)
        for move, _, _ in successors(system, state):
            obligations[i].update(_obligations(system, tree, move, without))
    for state, move in zip(states, moves, strict=False):
        discharged.update(_obligations(system, system.build(state), move, without))
    for obligation in sorted(set().union(*obligations) - discharged):
        action, assumption, is_strong, _ = obligation
        if is_strong or all(obligation in here for here in obligations):
            often = "again and again" if is_strong else "all the time"
            return f"{action} is possible {often} and never happens, against the assumption {assumption!r}"
    return ""


def _obligations(system: System, tree: Any, move: Move, without: Collection[str]) -> Iterator[Obligation]:
    """The fairness obligations that a step discharges, or could discharge, in a state."""
    action = system.action[move.action]
    given = action.arguments(move.values)
    for condition in action.fairness:
        if condition.assumption in without or any(move.values[name] != v for name, v in condition.values.items()):
            continue
        if condition.when is not None and not condition.when(tree, **_asked(condition, given)):
            continue
        told_apart = tuple((name, v) for name, v in move.values.items() if name not in condition.whichever)
        yield (action.name, condition.assumption, condition.is_strong, tuple(sorted(told_apart)))


def _asked(condition: FairnessCondition, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an action that the condition takes."""
    assert condition.when is not None
    code = condition.when.__code__
    return {name: given[name] for name in code.co_varnames[1 : code.co_argcount]}


# -- who waits all the way round the loop of a lasso, and what would help ----------------------------------------------

Waits = Mapping[str, Callable[..., bool]]
"""Who waits and on what, with `{parameter}` for the parameters' values, and whether somebody does so in a state."""
_MOST = 3
"""Events that are named as what would help."""


def who_waits(system: System, trace: Trace, waits: Waits) -> tuple[str, ...]:
    """A sentence for each that waits in all states of the loop, derived from these states."""
    if trace.lasso is None or not waits:
        return ()
    loop = list(dict.fromkeys(trace.states[trace.lasso.start :]))
    after = [
        (system.event(move), state)
        for at in loop
        for move, state, _ in successors(system, at)
        if not isinstance(state, Exception)
    ]
    found = dict[str, None]()
    for text, holds in waits.items():
        for named, given in _choices(system, holds):
            if all(_waits(system, state, holds, given) for state in loop):
                helps = dict.fromkeys(event for event, state in after if not _waits(system, state, holds, given))
                found[f"{text.format_map(named)}; {_end(list(helps))}"] = None
    return tuple(found) or ("nobody stands still: what goes round comes to no end",)


def _choices(system: System, holds: Callable[..., bool]) -> Iterator[tuple[dict[str, object], dict[str, Any]]]:
    """Every choice of a function's parameters: as they are shown, and as the function wants them."""
    parameters = parameters_over_states(system, holds)
    for values in itertools.product(*(p.values for p in parameters)):
        pairs = list(zip(parameters, values, strict=True))
        yield {p.name: p.show(v) for p, v in pairs}, {p.name: p.scalar.decode(v) for p, v in pairs}


def _waits(system: System, state: State, holds: Callable[..., bool], given: Mapping[str, Any]) -> bool:
    return is_true(lambda tree: holds(tree, **given), system.build(state))


def _end(helps: Sequence[str]) -> str:
    if not helps:
        return "no step ends that"
    named = [f"{event!r}" for event in helps[:_MOST]] + (["others"] if len(helps) > _MOST else [])
    return f"nothing that has to happen ends that; {' or '.join(named)} would"
