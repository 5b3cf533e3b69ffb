"""Counterexamples: each confirmed by the model itself, and for each action that can break a claim one more.

That an action does not break a claim is a claim about steps itself. So the system is explored once more with these
claims, by any engine and under the same reductions, which need not know of it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from podproof.checker.core.graph import Expr, evaluate
from podproof.checker.core.system import (
    SO_FAR,
    Counterexample,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Move,
    Property,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import breaks, decides, evidence, is_true, moves_of, take
from podproof.checker.explain.conjuncts import false_conjunct

# -- confirmation ------------------------------------------------------------------------------------------------------


def confirmed(found: Exploration) -> Exploration:
    """The same. Raises EngineFault where a trace does not show its verdict, or where graph and model differ on the way.

    The engine `python` is the model: what it found has nothing to do with the graph.
    """
    for verdict in found.verdicts:
        traces = (verdict.trace, *(other.trace for other in verdict.others))
        for trace in traces:
            if trace is not None:
                _Confirmation(found.system, verdict, trace).confirm(with_graph=found.engine != "python")
    return found


class _Confirmation:
    """One trace of a verdict, taken once more."""

    def __init__(self, system: System, verdict: Verdict, trace: Trace) -> None:
        self.system, self.property, self.trace = system, verdict.property, trace
        self.moves = moves_of(system, trace)
        self.states = [trace.initial, *(step.state for step in trace.steps)]

    def confirm(self, with_graph: bool) -> None:
        if not self._is_initial(self.trace.initial):
            self._refuse("it begins with a state that is no initial one")
        if evidence(self.system, self.moves, self.trace.initial) != self.trace:
            self._refuse("taken once more, its steps lead somewhere else")
        if with_graph:
            for number, move in enumerate(self.moves, 1):
                if (what := self._difference(number, move)) is not None:
                    self._refuse(f"step {number}, {self.trace.steps[number - 1].event}: the graph {what}")
        if not self._shows(self.property):
            self._refuse("the model, which was run along it, does not show this at its end")

    def _refuse(self, what: str) -> None:
        raise EngineFault(f"{self.property.id}: its trace of {len(self.moves)} steps is no evidence: {what}")

    def _is_initial(self, state: State) -> bool:
        free = {self.system.index(path): least for path, least in self.system.free.items()}
        return any(
            all(
                new >= free[i] if i in free else new == old for i, (new, old) in enumerate(zip(state, one, strict=True))
            )
            for one in self.system.initial
        )

    def _difference(self, number: int, move: Move) -> str | None:
        """What the graph says otherwise of a step than the model did."""
        before, after = (self.system.by_path(self.states[i]) for i in (number - 1, number))
        transition = self.system.transitions[self.system.transition_of(move)]
        cut = (*transition.bounds.values(), *transition.faults.values())
        enabled, *rest = evaluate([transition.enabled, *cut, *transition.updates.values()], before, move.values)
        if not enabled or any(rest[: len(cut)]):
            return "does not allow it"
        updated = before | dict(zip(transition.updates, rest[len(cut) :], strict=True))
        different = [path for path, value in after.items() if updated[path] != value]
        return f"makes something else of {', '.join(different)}" if different else None

    def _shows(self, p: Property) -> bool:
        """Does the model show at the end of the trace what makes the verdict?"""
        *_, last = trees = [self.system.build(state) for state in self.states[-2:]]
        if p.is_about_states:
            return decides(p, last)
        if not self.moves:
            return False
        _, lines = take(self.system, self.states[-2], self.moves[-1])
        return breaks(p, self.moves[-1].action, trees[0], last, lines)


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
