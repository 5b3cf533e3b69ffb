"""Who waits all the way round the loop of a lasso, and what would help."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podproof.checker.core.system import State, System, Trace
from podproof.checker.core.trace import is_true
from podproof.checker.engines.python import successors
from podproof.checker.lowering.claims import parameters_over_states

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
