"""Counterexamples: each confirmed by the model itself, and for each action that can break a claim one more.

That an action does not break a claim is a claim about steps itself. So the system is explored once more with these
claims, by any engine and under the same reductions, which need not know of it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from podproof.checker.core.graph import Expr, evaluate
from podproof.checker.core.system import (
    Counterexample,
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    Property,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import SO_FAR, breaks, decides, evidence, is_true, take
from podproof.checker.explain.conjuncts import false_conjunct

# -- confirmation ------------------------------------------------------------------------------------------------------


def confirm(found: Exploration) -> Exploration:
    """The same. Raises EngineFault where a trace does not show its verdict, or where graph and model differ on the way.

    The engine `python` is the model: what it found has nothing to do with the graph.
    """
    for verdict in found.verdicts:
        for trace in (verdict.trace, *(other.trace for other in verdict.others)):
            if trace is not None:
                what = _objection(found.system, verdict.property, trace, with_graph=found.engine != "python")
                if what:
                    about = f"its trace of {len(trace.steps)} steps is no evidence"
                    raise EngineFault(f"{verdict.property.id}: {about}: {what}")
    return found


def _objection(system: System, p: Property, trace: Trace, with_graph: bool) -> str:
    """Why a trace, taken once more, does not show what makes the verdict; empty where it does."""
    moves, states = trace.moves, trace.states
    free = {system.index(path): least for path, least in system.free.items()}
    pairs = [list(enumerate(zip(trace.initial, one, strict=True))) for one in system.initial]
    if not any(all(new >= free[i] if i in free else new == old for i, (new, old) in one) for one in pairs):
        return "it begins with a state that is no initial one"
    if evidence(system, moves, trace.initial) != trace:
        return "taken once more, its steps lead somewhere else"
    for number, move in enumerate(moves if with_graph else ()):
        if what := _difference(system, states[number], move, states[number + 1]):
            return f"step {number + 1}, {trace.steps[number].event}: the graph {what}"
    *_, last = trees = [system.build(state) for state in states[-2:]]
    if p.is_about_states:
        is_shown = decides(p, last)
    else:
        is_shown = bool(moves) and breaks(system, p, moves[-1], trees[0], last, take(system, states[-2], moves[-1])[1])
    return "" if is_shown else "the model, which was run along it, does not show this at its end"


def _difference(system: System, state: State, move: Move, following: State) -> str:
    """What the graph says otherwise of a step than the model did."""
    before, after = system.by_path(state), system.by_path(following)
    transition = system.transitions[system.transition_of(move)]
    cut = (*transition.bounds.values(), *transition.faults.values())
    enabled, *rest = evaluate([transition.enabled, *cut, *transition.updates.values()], before, move.values)
    if not enabled or any(rest[: len(cut)]):
        return "does not allow it"
    updated = before | dict(zip(transition.updates, rest[len(cut) :], strict=True))
    different = [path for path, value in after.items() if updated[path] != value]
    return f"makes something else of {', '.join(different)}" if different else ""


# -- more counterexamples ----------------------------------------------------------------------------------------------


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
        known, broken = Counterexample(verdict.trace).action, broken_by(system, p)
        for action in system.actions:
            pairs = zip(system.transitions, broken, strict=True)
            steps = tuple(node if t.action is action else false for t, node in pairs)
            if action.name != known and any(node is not false for node in steps):
                about = about_steps(p.property)
                about = dataclasses.replace(about, id=f"{p.property.id} by {action.name}", action=action.name)
                yield Question(p.property.id, action.name, LoweredProperty(about, steps=steps))


def about_steps(p: Property) -> Property:
    """The claim; of one about states, that no step leads from a state where it holds to one where it does not."""
    if not p.is_about_states or p.function is None:
        return p
    # For an engine that runs claims as Python.
    kept = partial(lambda claim, old, new: is_true(claim, new) or not is_true(claim, old), p.function)
    return dataclasses.replace(p, kind="step", function=kept)


def broken_by(system: System, p: LoweredProperty) -> Sequence[Expr]:
    """For each transition, when taking it breaks the claim. A claim about states holds before that."""
    if p.state is None:
        return p.steps or ()
    graph = system.graph
    after = (graph.substitute([p.state], t.updates)[0] for t in system.transitions)
    return [graph.and_(p.state, graph.not_(node)) for node in after]


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
