"""A walk taken by hand: what can happen in a state, what a step did, and which claims are false on the way.

Everything is computed by running the model itself as plain Python, one state at a time, as the reference engine does.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import place_of
from podproof.checker.core.system import (
    CheckerError,
    Move,
    Outcome,
    OutOfRange,
    Property,
    State,
    Step,
    System,
    Trace,
)
from podproof.checker.core.trace import breaks, decides, refusal, replay, take
from podproof.checker.engines import REFERENCE
from podproof.checker.lowering.source import suggestion

REMEMBERED = 4096
"""Steps and states whose outcome is kept: a walk is computed again with every click."""

A_FEW = 4
"""States that go round in a circle: as many as housekeeping needs when nothing else is left to happen."""
SEPARATOR = ";"
"""Between the moves of a walk that is written as one text."""


def name_of(action: str, shown: Iterable[str | int | bool]) -> str:
    """How a person writes a move: its action, and its parameters as JSON would have them, but without quotes."""
    return f"{action}({','.join(str(v).lower() if isinstance(v, bool) else str(v) for v in shown)})"


@dataclass(frozen=True)
class Choice:
    """What becomes of one move in one state."""

    name: str
    """As a person writes it: `handle_pod_deletion(web,5)`."""
    move: Move
    outcome: Outcome
    after: State | None = None
    """The state after the step; None unless it is possible."""
    reason: str = ""
    """The `require` that refuses the step, the bound that cuts it off, or the error of a model that goes wrong."""
    line: Line | None = None
    """Where the model refuses the step, or goes wrong."""
    lines: tuple[str, ...] = ()
    """The texts of `programmer_error` that it reaches."""
    false: tuple[Property, ...] = ()
    """The claims that are false in the state after it, or that it breaks as a step."""


@dataclass(frozen=True)
class BrokenClaim:
    """A claim that is false somewhere on a walk. `steps` are the numbers of those steps; 0 is the start."""

    claim: Property
    steps: tuple[int, ...]

    @property
    def since(self) -> int:
        """The first of the steps without a gap that lead to the last one."""
        first = self.steps[-1]
        while first - 1 in self.steps:
            first -= 1
        return first


@dataclass(frozen=True)
class WalkStep:
    """One step with all that is to be said of it."""

    step: Step
    lines: tuple[str, ...]
    """The texts of `programmer_error` that it reached."""
    false: tuple[Property, ...]
    """The claims that are false in the state after it, or that it breaks as a step."""
    witnessed: tuple[Property, ...]
    """The `sometimes` claims that the state after it shows."""


@dataclass(frozen=True)
class Walk:
    """A start and the steps that were taken from there."""

    initial: State
    taken: tuple[WalkStep, ...]
    false_at_start: tuple[Property, ...]

    @property
    def trace(self) -> Trace:
        return Trace(self.initial, tuple(taken.step for taken in self.taken))

    @property
    def states(self) -> list[State]:
        """The start and the state after every step."""
        return self.trace.states

    @property
    def false(self) -> tuple[tuple[Property, ...], ...]:
        """The claims that are false at the start, and after or of every step."""
        return (self.false_at_start, *(taken.false for taken in self.taken))

    def until(self, step: int) -> Walk:
        """The first steps of it."""
        return Walk(self.initial, self.taken[:step], self.false_at_start)

    @property
    def broken(self) -> tuple[BrokenClaim, ...]:
        """Every claim that is false on the way, in the order in which they break."""
        found: dict[str, tuple[Property, list[int]]] = {}
        for number, false in enumerate(self.false):
            for p in false:
                found.setdefault(p.id, (p, []))[1].append(number)
        return tuple(BrokenClaim(p, tuple(steps)) for p, steps in found.values())


class ImpossibleStep(CheckerError):
    """A step of a walk is not possible; `walk` is what comes before it."""

    def __init__(self, message: str, walk: Walk) -> None:
        super().__init__(message)
        self.walk = walk


class Stepper:
    """Takes steps in one system, and says which of its claims they break."""

    def __init__(self, system: System, properties: Sequence[Property]) -> None:
        system.refuse_unbounded(REFERENCE)
        self.system, self.properties = system, tuple(properties)
        self.moves = {
            name_of(move.action, (p.show(move.values[p.name]) for p in t.action.parameters)): move
            for t in system.transitions
            for move in t.moves()
        }
        """Each by how a person writes it, `handle_pod_deletion(web,5)`, in the order all engines use."""
        self.choices = functools.lru_cache(REMEMBERED)(lambda state: tuple(self._choice(state, n) for n in self.moves))
        """What becomes of every move in a state, in that order."""
        self._taken = functools.lru_cache(REMEMBERED)(self._take)

    def walk(self, names: Sequence[str]) -> Walk:
        """Take the moves of these names from the initial state.

        Raises ImpossibleStep, with the walk up to there, for an unknown move and for one that is not possible where it
        stands.
        """
        start = state = self.system.initial[0]
        walk = Walk(start, (), tuple(p for p in self._state_claims(start) if not p.is_witnessed))
        for number, name in enumerate(names, 1):
            if name not in self.moves:
                known = suggestion(name, self.moves, f"an event is written like {next(iter(self.moves))!r}")
                raise ImpossibleStep(f"step {number}: there is no event {name!r}; {known}", walk)
            try:
                taken = self._taken(state, name)
            except CheckerError as error:
                raise ImpossibleStep(f"step {number}, {self.system.event(self.moves[name])}: {error}", walk) from error
            state, walk = taken.step.state, replace(walk, taken=(*walk.taken, taken))
        return walk

    def all_that_is_left(self, state: State) -> frozenset[State] | None:
        """The states that can still come, with the state itself; None where there are more than a few."""
        found, frontier = {state}, [state]
        while frontier:
            after = {choice.after for choice in self.choices(frontier.pop()) if choice.after is not None} - found
            found |= after
            frontier += after
            if len(found) > A_FEW:
                return None
        return frozenset(found)

    def _take(self, state: State, name: str) -> WalkStep:
        choice = self._choice(state, name)
        if choice.after is None:
            raise CheckerError(f"it is not possible here: {choice.reason} at {choice.line}")
        (step,) = replay(self.system, [choice.move], state).steps
        seen = tuple(p for p in self._state_claims(step.state) if p.is_witnessed)
        return WalkStep(step, choice.lines, choice.false, seen)

    def _state_claims(self, state: State) -> list[Property]:
        """The claims that a state decides by itself."""
        tree = self.system.build(state)
        return [p for p in self.properties if decides(p, tree)]

    def _choice(self, state: State, name: str) -> Choice:
        """Take one move and look what comes of it; the model is run, so what it says is how it is."""
        move = self.moves[name]
        try:
            after, lines = take(self.system, state, move)
        except Exception as error:
            return self._refusal_of(name, move, error)
        trees = self.system.build(state), self.system.build(after)
        false = tuple(p for p in self.properties if breaks(self.system, p, move, *trees, lines))
        return Choice(name, move, Outcome.TAKEN, after, lines=tuple(lines), false=false)

    def _refusal_of(self, name: str, move: Move, error: Exception) -> Choice:
        """Why a move is not possible: `require` failed, a bound cuts it off, or the model itself goes wrong."""
        frames = traceback.extract_tb(error.__traceback__)
        match outcome := refusal(error):
            case Outcome.DISABLED:
                # The last frame is the word `require` itself; the one before it is the model's line.
                return Choice(name, move, outcome, reason=(frames[-2].line or "").strip(), line=_line(frames[-2]))
            case Outcome.CUT_OFF:
                return Choice(name, move, outcome, reason=f"the scenario bounds {error}", line=_line(frames[-2]))
            case _:
                said = f"{type(error).__name__}: {error}".partition("\n")[0]
                # A field out of its range is only seen at the end of the step, where no line is to blame.
                line = self.system.action[move.action].line if isinstance(error, OutOfRange) else _line(frames[-1])
                return Choice(name, move, outcome, reason=f"the model goes wrong: {said}", line=line)


def _line(frame: traceback.FrameSummary) -> Line:
    return Line(*place_of(frame.filename, frame.lineno or 1))
