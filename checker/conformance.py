"""Do recorded traces of the real code conform to a model? They do if some order of the workers explains all of them.

A `Candidate` knows the model and the format. Here candidates are kept: after an event that the workers could run
after, every order of their steps is tried; after every step, what a candidate shows must be what was recorded.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Self

from msgspec import field

from podproof.checker.core.answer import AnswerPart, Count
from podproof.checker.core.printer import short_path
from podproof.checker.core.system import CheckerError

RecordedTrace = Mapping[str, Any]
"""A trace that follows its schema."""
MOST_RUNS = 1_000
"""Steps of the workers between two events in one order; in a release they are some dozens."""
MOST_ORDERS = 2_000
"""Orders of the workers that are tried for one trace."""
WRONG = ("AssertionError", "Disabled", "IndexError", "OutOfBounds")
"""What a model raises that goes wrong, or that leaves the room that a replay of the release needs."""


class Candidate(Protocol):
    """One candidate for what the real code did."""

    def copy(self) -> Self:
        """Another candidate that goes on from here by itself."""

    def key(self) -> Hashable:
        """Equal for candidates that have shown the same and will do the same."""

    def apply(self, step: Mapping[str, Any], /) -> Sequence[Self]:
        """Let the step's event happen, but no worker run. Raises ValueError for an event that makes no sense."""

    def runnable(self) -> Sequence[Sequence[Any]]:
        """The workers that can take a step, in groups whose steps cannot affect each other's."""

    def run(self, worker_id: Any, /) -> None:
        """Let one of them take one step."""

    def uid_of(self, worker_id: Any, /) -> str:
        """The UID of the pod that a worker is for."""

    def expected(self, step: Mapping[str, Any], /) -> Mapping[str, Any]:
        """What the step recorded, in the form of `shown`."""

    def shown(self, settled: bool, /) -> Mapping[str, Any]:
        """What the model shows; `settled` says whether the workers have run."""

    def accept(self, step: Mapping[str, Any], /) -> None:
        """The trace agrees with this candidate after the step. Raises ValueError where it contradicts itself."""

    def describe(self, step: Mapping[str, Any], /) -> str:
        """The step's event in one line, as a person would write it."""


class Mismatch(AnswerPart, frozen=True):
    """A place where the trace and the model differ."""

    path: str
    recorded: Any
    """null where nothing was recorded."""
    model: Any
    """null where the model shows nothing."""


class Conformance(AnswerPart, frozen=True, omit_defaults=True):
    """What came of one trace. Of one that conforms there is no step, no difference and no event."""

    trace: str
    """The name of the recorded trace."""
    where: str = field(name="source")
    """file:line of the recording."""
    conforms: bool
    steps: Count
    """How many steps the trace has."""
    step: Count | None = None
    """The first step that no order of the workers explains."""
    differences: tuple[Mismatch, ...] = ()
    """There, for the order that comes nearest."""
    events: tuple[str, ...] = ()
    """The events up to that step."""

    def story(self) -> list[str]:
        """How the trace and the model part, in lines for people to read."""
        if self.conforms:
            return [f"CONFORMS  {self.trace}   {self.steps} steps   {self.where}"]
        lines = [f"DIFFERS   {self.trace}   step {self.step} of {self.steps}   {self.where}"]
        lines += [f"{number:3}  {event}" for number, event in enumerate(self.events, start=1)]
        width = max(len(difference.path) for difference in self.differences)
        for difference in self.differences:
            recorded, model = (_text(value) for value in (difference.recorded, difference.model))
            lines.append(f"     {difference.path:{width}}  recorded {recorded}, the model shows {model}")
        return lines


def _text(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value)


def replay(
    trace: RecordedTrace, replayer_factory: Callable[[RecordedTrace], Candidate], where: str = "trace"
) -> Conformance:
    """Compare one trace with the model, after every step.

    Raises CheckerError, which names `where`, when the trace asks for what cannot happen or cannot be tried.
    """
    name, steps = trace["trace"], trace["steps"]
    with _reading(where):
        candidates: Sequence[Candidate] = [replayer_factory(trace)]
    describe, search, last = candidates[0].describe, _Orders(), 0
    for number, step in enumerate(steps, start=1):
        with _reading(f"{where}: step {number}"):
            candidates, differences = search.explain(candidates, step)
        if not candidates:
            events = tuple(describe(before) for before in steps[:number])
            return Conformance(name, where, False, len(steps), number, differences, events)
        with _reading(f"{where}: step {number}"):
            # A step may be recorded twice, once before its workers run: it has one number, which is also the time.
            if step["i"] not in (max(last, 1), last + 1):
                raise ValueError(f"it says that it is step {step['i']}; steps are numbered from 1, without a gap")
            last = step["i"]
            for candidate in candidates:
                candidate.accept(step)
    return Conformance(name, where, True, len(steps))


def replay_case(name: str, where: str, length: int, steps: Iterator[tuple[str, Any, Any]]) -> Conformance:
    """Compare a case of so many steps: of each the event, what was recorded, and what the model shows."""
    events: list[str] = []
    differences: tuple[Mismatch, ...] = ()
    try:
        for event, recorded, shown in steps:
            events.append(event)
            if recorded != shown:
                differences = differences_of(recorded, shown)
                break
    except Exception as error:
        differences = (_wrong(error, "the model"),)
    if not differences:
        return Conformance(name, where, True, length)
    return Conformance(name, where, False, length, max(1, len(events)), differences, tuple(events))


def _wrong(error: Exception, place: str) -> Mismatch:
    """A difference of an error that belongs to the model; raises others again."""
    if type(error).__name__ not in WRONG:
        raise error
    # The last frame but for an assertion is the word of the language; the one before it is the model's line.
    frame = traceback.extract_tb(error.__traceback__)[-1 if isinstance(error, AssertionError) else -2]
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return Mismatch(place, None, f"{said} at {short_path(frame.filename)}:{frame.lineno}")


@contextmanager
def _reading(place: str) -> Iterator[None]:
    """Where a trace is read: what it asks for in vain is put down to it, with the place."""
    try:
        yield
    except ValueError as error:
        raise CheckerError(f"{place}: {error}; correct the trace, docs/traces.md has the format") from error


class _Orders:
    """Tries the orders of the workers that one trace leaves open."""

    def __init__(self) -> None:
        self.orders = 0
        self.dead_end: tuple[Mismatch, ...] = ()
        """What to say of a candidate that went wrong, or whose worker was not blocked in the end."""

    def explain(
        self, candidates: Sequence[Candidate], step: Mapping[str, Any]
    ) -> tuple[list[Candidate], tuple[Mismatch, ...]]:
        """The candidates that explain a step; if none does, how the nearest one differs."""
        settled = bool(step.get("settled"))
        expected = candidates[0].expected(step)
        tried = [after for candidate in candidates for after in self._apply(candidate, step)]
        if settled:
            tried = [after for candidate in tried for after in self._settle(candidate)]
        self._count(len(tried) - 1)
        nearest: tuple[Mismatch, ...] = ()
        survivors = []
        for candidate in {candidate.key(): candidate for candidate in tried}.values() if tried[1:] else tried:
            shown = candidate.shown(settled)
            if shown == expected:
                survivors.append(candidate)
            elif not survivors:
                differences = differences_of(expected, shown)
                if not nearest or len(differences) < len(nearest):
                    nearest = differences
        return survivors, () if survivors else nearest or self.dead_end

    def _apply(self, candidate: Candidate, step: Mapping[str, Any]) -> Sequence[Candidate]:
        try:
            return candidate.apply(step)
        except Exception as error:
            self.dead_end = (_wrong(error, "the event"),)
            return []

    def _run(self, candidate: Candidate, worker_id: Any) -> bool:
        """Let a worker take one step; False where the model goes wrong."""
        try:
            candidate.run(worker_id)
        except Exception as error:
            self.dead_end = (_wrong(error, f"worker of {candidate.uid_of(worker_id)}"),)
            return False
        return True

    def _settle(self, candidate: Candidate) -> list[Candidate]:
        """Every way in which the workers can run until all of them are blocked. Changes `candidate`."""
        settled: list[Candidate] = []
        pending, seen = [(candidate, 0)], set()
        while pending:
            now, runs = pending.pop()
            groups = now.runnable()
            if not groups:
                settled.append(now)
                continue
            first, *others = groups[0]
            # Alone in its group, a worker's step comes out the same whenever it is taken.
            if runs == MOST_RUNS or (others and now.key() in seen):
                shown = f"not blocked {runs:,} steps after the event"
                self.dead_end = (Mismatch(f"worker of {now.uid_of(first)}", "blocked", shown),)
                continue
            if others:
                seen.add(now.key())
                self._count(len(others))
            tried = [(now.copy(), worker) for worker in others] + [(now, first)]
            pending += [(after, runs + 1) for after, worker in tried if self._run(after, worker)]
        return settled

    def _count(self, more: int) -> None:
        self.orders += more
        if self.orders > MOST_ORDERS:
            raise ValueError(
                f"the workers can have run in more than {MOST_ORDERS:,} orders; record more of the steps settled"
            )


def differences_of(recorded: Any, model: Any) -> tuple[Mismatch, ...]:
    """Where two structures that are not equal differ: at least one place."""
    return tuple(compare(recorded, model)) or (Mismatch("all of it", recorded, model),)


def compare(recorded: Any, model: Any, path: str = "") -> Iterator[Mismatch]:
    """The places where two structures differ, as deep down as they go. Null and nothing are not told apart."""
    if isinstance(recorded, Mapping) and isinstance(model, Mapping):
        for key in dict.fromkeys([*recorded, *model]):
            yield from compare(recorded.get(key), model.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(recorded, list) and isinstance(model, list) and recorded != model:
        # What both have is left out; if one entry each remains, it is compared field by field.
        rest, missing = list(model), []
        for entry in recorded:
            if entry in rest:
                rest.remove(entry)
            else:
                missing.append(entry)
        if len(missing) == len(rest) == 1:
            yield from compare(missing[0], rest[0], f"{path}[{recorded.index(missing[0])}]")
        else:
            in_order = not missing and not rest
            yield Mismatch(path, recorded if in_order else missing or None, model if in_order else rest or None)
    elif recorded != model:
        yield Mismatch(path, recorded, model)
