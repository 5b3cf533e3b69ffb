"""From claims about a system to verdicts: reduce it, ask an engine, confirm what it found, say what is false."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from podproof.checker.conclude import SO_FAR, Undecided, conclude
from podproof.checker.core.graph import Expr, evaluate
from podproof.checker.core.printer import number_of
from podproof.checker.core.system import (
    NO_LIMITS,
    Counterexample,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Move,
    OnProgress,
    Outcome,
    Property,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import breaks, decides, evidence, is_true, take
from podproof.checker.engines import REFERENCE, Engine
from podproof.checker.explain.failing_part import failure_of, with_failures
from podproof.checker.explain.vacuity import premises_of, with_vacuity
from podproof.checker.reductions import plan
from podproof.checker.reductions.symmetry import Names


@dataclass(frozen=True)
class Checker:
    """How the claims about a system are decided."""

    system: System
    engine: Engine
    reductions: Collection[str] = ()
    interchangeable: Sequence[Names] = ()
    """Exchanges of names that symmetry may use."""
    report: OnProgress | None = None
    asks_vacuity: bool = True
    """Is it asked of each claim that holds whether it is vacuous?"""

    def run(
        self,
        claims: Sequence[LoweredProperty],
        limits: Limits = NO_LIMITS,
        premises: Sequence[LoweredProperty] = (),
    ) -> Exploration:
        """The verdicts, each trace confirmed by the model itself; with premises, which claims are vacuous."""
        able = [name for name in self.reductions if name in self.engine.reductions]
        reduced = plan(self.system, [*claims, *premises], able, self.interchangeable)
        found = self.engine.run(reduced.system, reduced.properties, reduced.keep, limits, self.report)
        of_claims = dataclasses.replace(reduced, asked=tuple(claims))
        return confirm(of_claims.report(with_vacuity(found, premises)))

    def decide(self, claims: Sequence[LoweredProperty], limits: Limits = NO_LIMITS, most: int = 1) -> Exploration:
        """Run, then find the failing part of each violated claim and up to `most` counterexamples of it.

        Of each that holds it is said whether it is vacuous, where an engine goes through states one by one.
        """
        asks = self.asks_vacuity and not self.engine.is_unbounded
        premises = list(premises_of(self.system, claims).values()) if asks else []
        found = self.run(claims, limits, premises)
        return with_failures(self.with_others(claims, found, limits, most) if most > 1 else found)

    def with_others(
        self, claims: Sequence[LoweredProperty], found: Exploration, limits: Limits, most: int
    ) -> Exploration:
        """The exploration with up to `most` counterexamples of each violated claim."""
        asked, answers = tuple(questions(self.system, claims, found)), tuple[Verdict, ...]()
        if limits.seconds is not None:
            limits = dataclasses.replace(limits, seconds=limits.seconds - found.seconds)
        is_over = found.interrupted or (limits.seconds is not None and limits.seconds <= 0)
        if asked and not is_over:
            second = self.run([question for _, question in asked], limits)
            found, answers = dataclasses.replace(found, interrupted=second.interrupted), second.verdicts
        return with_others(found, asked, answers, most, found.reason or "no time is left (--budget)")


# -- confirmation ------------------------------------------------------------------------------------------------------


def confirm(found: Exploration) -> Exploration:
    """Replay every trace. Raises EngineFault where one does not show its verdict, or where graph and model differ.

    The engine `python` is the model: what it found has nothing to do with the graph.
    """
    for verdict in found.verdicts:
        for trace in (verdict.trace, *(other.trace for other in verdict.others)):
            if trace is not None:
                what = _objection(found.system, verdict.property, trace, with_graph=found.engine != REFERENCE)
                if what:
                    about = f"its trace of {len(trace.steps)} steps is no evidence"
                    raise EngineFault(f"{verdict.property.id}: {about}: {what}")
    return found


def _objection(system: System, p: Property, trace: Trace, with_graph: bool) -> str:
    """Why a replayed trace does not show the verdict; empty where it does."""
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
    """How the graph differs from the model about a step; empty where they agree."""
    before, after = system.by_path(state), system.by_path(following)
    transition = system.transitions[system.transition_of(move)]
    taken, updates = transition.when(Outcome.TAKEN, system.graph), transition.updates
    is_taken, *values = evaluate([taken, *updates.values()], before, move.values)
    if not is_taken:
        return "does not allow it"
    updated = before | dict(zip(updates, values, strict=True))
    different = [path for path, value in after.items() if updated[path] != value]
    return f"makes something else of {', '.join(different)}" if different else ""


# -- more counterexamples: for each action that can break a claim one -------------------------------------------------
#
# That an action does not break a claim is a claim about steps itself. So the system is explored once more with these
# claims, by any engine and under the same reductions, which need not know of it.


def questions(
    system: System, lowered: Sequence[LoweredProperty], found: Exploration
) -> Iterator[tuple[str, LoweredProperty]]:
    """For each violated claim, by its id, one property per other action: that action never breaks the claim."""
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
                yield p.property.id, LoweredProperty(about, steps=steps)


def about_steps(p: Property) -> Property:
    """The claim; of one about states, that no step leads from a state where it holds to one where it does not."""
    if not p.is_about_states or p.function is None:
        return p
    # For an engine that runs claims as Python.
    kept = partial(lambda claim, old, new: is_true(claim, new) or not is_true(claim, old), p.function)
    return dataclasses.replace(p, kind="step", function=kept)


def broken_by(system: System, p: LoweredProperty) -> Sequence[Expr]:
    """When each transition breaks the claim. A claim about states holds before the step."""
    if p.state is None:
        return p.steps or ()
    graph = system.graph
    after = (graph.substitute([p.state], t.updates)[0] for t in system.transitions)
    return [graph.and_(p.state, graph.not_(node)) for node in after]


def with_others(
    found: Exploration,
    asked: Sequence[tuple[str, LoweredProperty]],
    answers: Sequence[Verdict],
    most: int,
    unasked: str = "",
) -> Exploration:
    """What was found first, with up to `most` counterexamples of each violated claim, the shortest first.

    `answers` are the verdicts on the questions, or empty where nothing was explored for them; `unasked` says why.
    """
    traces, open_because = defaultdict[str, list[Trace]](list), defaultdict[str, list[str]](list)
    for i, (claim, question) in enumerate(asked):
        answer = answers[i] if answers else conclude(question.property, Undecided(unasked))
        if answer.trace is not None:
            traces[claim].append(answer.trace)
        elif answer.status is Status.UNKNOWN:
            open_because[claim].append(answer.reason.removeprefix(SO_FAR))
    verdicts = []
    for v in found.verdicts:
        if v.status is Status.VIOLATED and v.trace is not None:
            nearest = sorted(traces[v.property.id], key=lambda trace: len(trace.steps))
            all_others = [Counterexample(t, failure_of(found.system, v.property, t)) for t in nearest]
            more = tuple(other.action for other in all_others[most - 1 :])
            because = open_because[v.property.id]
            actions = number_of(len(because), "more action")
            not_known = f"{actions}: {'; '.join(dict.fromkeys(because))}" if because else ""
            v = dataclasses.replace(v, others=tuple(all_others[: most - 1]), more=more, not_known=not_known)
        verdicts.append(v)
    return dataclasses.replace(found, verdicts=tuple(verdicts))
