"""Steps and traces as plain Python: one step at a time, what it changed, which line did it, which claims it breaks."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, assert_never

from podproof.checker.core.graph import Line, evaluate
from podproof.checker.core.printer import place_of
from podproof.checker.core.shapes import FixedArray, Record, Shape
from podproof.checker.core.system import (
    Action,
    Change,
    CheckerError,
    EngineFault,
    LoweredProperty,
    Move,
    Outcome,
    OutOfRange,
    Property,
    State,
    Step,
    System,
    Trace,
)


class NotTaken(CheckerError):
    """A move that cannot be made where it is to be made; `outcome` says why."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


def refusal(error: Exception) -> Outcome:
    """The outcome of a step in which running the model raised this; any other error is raised again."""
    name = type(error).__name__  # The checker knows the words of the model language by their names.
    if name == "Disabled":
        return Outcome.DISABLED
    if name == "OutOfBounds":
        return Outcome.CUT_OFF
    if isinstance(error, (IndexError, AssertionError, OutOfRange)):
        return Outcome.FAULT
    raise error


def take(system: System, state: State, move: Move) -> tuple[State, list[str]]:
    """The state after a step, and the `programmer_error` texts that it reaches. Raises what `refusal` understands."""
    action, tree = system.action[move.action], system.build(state)
    with system.record_lines() as lines:
        action.run(tree, move.values)
    return system.flatten(tree), lines


def is_true(claim: Callable[..., bool] | None, *trees: Any) -> bool:
    """Does the claim say so? Where it goes wrong itself, it does not."""
    try:
        return claim is None or bool(claim(*trees))
    except (IndexError, AssertionError):
        return False


def decides(p: Property, tree: Any) -> bool:
    """Does a state by itself decide a claim about states: violate it, or be its witness?"""
    return p.is_about_states and p.function is not None and is_true(p.function, tree) == p.is_witnessed


def breaks(system: System, p: Property, move: Move, before: Any, after: Any, lines: Collection[str]) -> bool:
    """Does a step break a claim? `before` and `after` are the model's objects, `lines` what it reached.

    A claim about states is broken by a step into a state where it is false.
    """
    action = system.action[move.action]
    if not p.is_about(action):
        return False
    match p.kind:
        case "always":
            return not is_true(p.function, after)
        case "step":
            event = [action.occurrence(move.values)] if p.takes_event else []
            return not is_true(p.function, before, *event, after)
        case "never":
            return not set(lines).isdisjoint(p.lines)
        case "sometimes":
            return False
        case "leads_to" | "recurs":
            raise CheckerError(f"{p.id}: no step by itself breaks a claim about whole runs")
        case _:
            assert_never(p.kind)


def evidence(system: System, moves: Iterable[Move], initial: State | None = None) -> Trace:
    """The trace of moves that an engine has found. Raises EngineFault where the model does not make them."""
    try:
        return replay(system, moves, initial)
    except (NotTaken, OutOfRange) as error:
        raise EngineFault(f"{system.name}: of a trace that was found, {error}") from error


def replay(system: System, moves: Iterable[Move], initial: State | None = None) -> Trace:
    """The trace of these moves from an initial state.

    Raises OutOfRange with the trace so far when the model itself goes wrong in a step, and NotTaken when a move cannot
    be made.
    """
    state = start = system.initial[0] if initial is None else initial
    steps: list[Step] = []
    for move in map(Move._make, moves):
        watch, event = _LineWatch(system, system.build(state), _changes(system, state, move)), system.event(move)
        action = system.action[move.action]
        try:
            after = watch.run(action, move.values)
        except Exception as error:
            if (outcome := refusal(error)) is Outcome.FAULT:
                said = str(error) or "what is assumed there is not so; Go reads what is gone, or Go would panic"
                text = f"{event}: {watch.line or action.line}: {type(error).__name__}: {said}"
                raise OutOfRange(text, Trace(start, tuple(steps))) from error
            raise NotTaken(f"step {len(steps) + 1}, {event}, cannot be taken: {error!r}", outcome) from error
        parameters = {p.name: p.show(move.values[p.name]) for p in action.parameters}
        begun = _begun(system, state, action)
        changes = tuple(
            Change(variable.path, variable.show(old), variable.show(new), watch.lines.get(i))
            for i, (variable, old, new) in enumerate(zip(system.variables, begun, after, strict=True))
            if old != new
        )
        steps.append(Step(move, action.actor, event, parameters, changes, action.line, after))
        state = after
    return Trace(start, tuple(steps))


def is_shown(system: System, p: LoweredProperty, trace: Trace) -> bool:
    """Does the graph say that the end of a trace decides the claim: violates it, or is what a `sometimes` waits for?"""
    states = [system.by_path(state) for state in trace.states[-2:]]
    if p.state is not None:
        return bool(evaluate([p.state], states[-1])[0]) == p.property.is_witnessed
    if p.steps is None or not trace.steps:
        return False
    move = trace.moves[-1]
    return bool(evaluate([p.steps[system.transition_of(move)]], states[-2], move.values)[0])


def line_reached(system: System, before: State, move: Move, wanted: Collection[str]) -> tuple[str, Line]:
    """Which of the wanted `programmer_error` texts a move out of a state reaches, and the model's line that says it.

    Raises CheckerError when it reaches none of them.
    """
    with system.record_lines() as lines:
        watch = _LineWatch(system, system.build(before), reached=lines)
        watch.run(system.action[move.action], move.values)
    for text, line in watch.reached_at.items():
        if text in wanted:
            return text, line
    raise CheckerError(f"{system.event(move)} reaches none of these lines: {', '.join(wanted)}")


def _changes(system: System, state: State, move: Move) -> list[int]:
    """The variables that a step changes; none where the model goes wrong, which whoever takes it again will see."""
    try:
        after, _ = take(system, state, move)
    except Exception:
        return []
    begun = _begun(system, state, system.action[move.action])
    return [i for i, (old, new) in enumerate(zip(begun, after, strict=True)) if old != new]


def _begun(system: System, state: State, action: Action) -> State:
    """The state with which an action begins: nothing is told of the step before."""
    tree = system.build(state)
    action.begin(tree)
    return system.flatten(tree)


class _LineWatch:
    """Runs one action under a trace function and notes the line that last wrote each of some variables.

    To look at all of them after every line would take most of the time of a small check. `reached` is the list of the
    `programmer_error` texts; of each the line that first reached it is noted.
    """

    def __init__(self, system: System, tree: Any, variables: Sequence[int] = (), reached: Sequence[str] = ()) -> None:
        self.system, self.tree, self.variables, self.reached = system, tree, variables, reached
        self.lines: dict[int, Line] = {}
        self.reached_at: dict[str, Line] = {}
        self.line: Line | None = None
        self._stack: list[tuple[str, int]] = []
        values = ", ".join(f"o.{system.variables[i].path}" for i in variables)
        self._read: Callable[[Any], list[object]] = eval(f"lambda o: [{values}]")
        self._values = self._read(tree)
        self._quiet = {file for cls in _array_classes(system.shape) if (file := inspect.getsourcefile(cls))}

    def run(self, action: Action, values: Mapping[str, int]) -> State:
        action.begin(self.tree)
        self._values = self._read(self.tree)
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            action.call(self.tree, **action.arguments(values))
        finally:
            sys.settrace(before)
        return self.system.flatten(self.tree)

    def _enter(self, frame: FrameType, event: str, _argument: object) -> Any:
        """A function begins: watch it if it is the model's, and not part of the language or of Python."""
        file = frame.f_code.co_filename
        if file in self._quiet or file.startswith(("<", sys.base_prefix)) or "__podproof__" in frame.f_globals:
            return None
        self._note()
        self._stack.append((file, frame.f_lineno))
        return self._follow

    def _follow(self, frame: FrameType, event: str, _argument: object) -> Any:
        self._note()
        if event == "line":
            self._stack[-1] = (frame.f_code.co_filename, frame.f_lineno)
            self.line = Line(*place_of(*self._stack[-1]))
        elif event == "return":
            self._stack.pop()
        return self._follow

    def _note(self) -> None:
        """Put what changed since the last event down to the line that was being executed."""
        if not self._stack:
            return
        values, place = self._read(self.tree), self._stack[-1]
        if values != self._values:
            for i, old, new in zip(self.variables, self._values, values, strict=True):
                if old != new:
                    self.lines[i] = Line(*place_of(*place))
            self._values = values
        for text in self.reached:
            if text not in self.reached_at:
                self.reached_at[text] = Line(*place_of(*place))


def _array_classes(shape: Shape) -> set[type]:
    match shape:
        case FixedArray():
            return {shape.cls} | _array_classes(shape.element)
        case Record():
            return set().union(*(_array_classes(field) for field in shape.fields.values()))
        case _:
            return set()
