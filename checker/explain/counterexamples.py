"""More than one counterexample of a claim: for each action that can break it, a shortest run that ends with it.

That an action does not break a claim is a claim about steps itself. So the system is explored once more with these
claims, by any engine and under the same reductions, which need not know of it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from podproof.checker.core.graph import Expr
from podproof.checker.core.system import (
    Counterexample,
    Exploration,
    Limits,
    LoweredProperty,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import is_true
from podproof.checker.core.verdicts import SO_FAR
from podproof.checker.explain.conjuncts import false_conjunct


@dataclass(frozen=True)
class Question:
    """Does this action break this claim?"""

    claim: str
    action: str
    property: LoweredProperty
    """That it does not, as a claim about steps."""


def questions(system: System, lowered: Sequence[LoweredProperty], found: Exploration) -> Iterator[Question]:
    """For each violated claim, one about each action that may break it, but for the one that is known to."""
    false = system.graph.false
    for p, verdict in zip(lowered, found.verdicts, strict=True):
        if verdict.status is not Status.VIOLATED or verdict.trace is None:
            continue
        known, broken = Counterexample(verdict.trace).action, _broken(system, p)
        for action in system.actions:
            pairs = zip(system.transitions, broken, strict=True)
            steps = tuple(node if t.action is action else false for t, node in pairs)
            if action.name != known and any(node is not false for node in steps):
                about = dataclasses.replace(p.property, id=f"{p.property.id} by {action.name}", action=action.name)
                if p.property.is_about_states and p.property.function is not None:
                    about = dataclasses.replace(about, kind="step", function=_is_kept(p.property.function))
                yield Question(p.property.id, action.name, LoweredProperty(about, steps=steps))


def _broken(system: System, p: LoweredProperty) -> Sequence[Expr]:
    """For each transition, when taking it breaks the claim. A claim about states holds before that."""
    if p.state is None:
        return p.steps or ()
    graph = system.graph
    after = (graph.substitute([p.state], t.updates)[0] for t in system.transitions)
    return [graph.and_(p.state, graph.not_(node)) for node in after]


def _is_kept(claim: Callable[..., bool]) -> Callable[..., bool]:
    """That a step does not break a claim about states, for an engine that runs claims as Python."""
    return lambda before, after: is_true(claim, after) or not is_true(claim, before)


def time_left(limits: Limits, found: Exploration) -> Limits:
    """What a first exploration leaves of the time for both."""
    return limits if limits.seconds is None else dataclasses.replace(limits, seconds=limits.seconds - found.seconds)


def with_others(
    found: Exploration, asked: Sequence[Question], answers: Sequence[Verdict], most: int, unasked: str = ""
) -> Exploration:
    """What was found first, with up to `most` counterexamples of each violated claim, the shortest first.

    `answers` are the verdicts on the questions, or empty where nothing was explored for them; `unasked` says why.
    """
    traces, open_because = defaultdict[str, list[Trace]](list), defaultdict[str, list[str]](list)
    for i, question in enumerate(asked):
        answer = answers[i] if answers else Verdict(question.property.property, Status.UNKNOWN, unasked)
        if answer.trace is not None:
            traces[question.claim].append(answer.trace)
        elif answer.status is Status.UNKNOWN:
            open_because[question.claim].append(answer.reason.removeprefix(SO_FAR))
    verdicts = []
    for v in found.verdicts:
        if v.status is Status.VIOLATED and v.trace is not None:
            nearest = sorted(traces[v.property.id], key=lambda trace: len(trace.steps))
            all_others = [Counterexample(t, false_conjunct(found.system, v.property, t)) for t in nearest]
            more = tuple(other.action for other in all_others[most - 1 :])
            because = open_because[v.property.id]
            count = f"{len(because)} more action{'s' if len(because) > 1 else ''}"
            not_known = f"{count}: {'; '.join(dict.fromkeys(because))}" if because else ""
            v = dataclasses.replace(v, others=tuple(all_others[: most - 1]), more=more, not_known=not_known)
        verdicts.append(v)
    return dataclasses.replace(found, verdicts=tuple(verdicts))
