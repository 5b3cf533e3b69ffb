"""Nothing that an engine found is told before the model itself, as plain Python, has shown it once more."""

from __future__ import annotations

from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import (
    EngineFault,
    Exploration,
    Move,
    Property,
    State,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import breaks, decides, evidence, moves_of, take


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
