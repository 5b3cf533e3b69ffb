"""Do recorded traces of the real code conform to a model? They do if some order of the workers explains all of them.

A `Replayer` knows the model and the format. Here candidates are kept: after an event that the workers could run
after, every order of their steps is tried; after every step, what a candidate shows must be what was recorded.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from podproof.checker.system import CheckerError

Trace = Mapping[str, Any]


class Replayer(Protocol):
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

    def expected(self, step: Mapping[str, Any], /) -> Mapping[str, Any]:
        """What the step recorded, in the form of `shown`."""

    def shown(self, settled: bool, /) -> Mapping[str, Any]:
        """What the model shows; `settled` says whether the workers have run."""

    def accept(self, step: Mapping[str, Any], /) -> None:
        """The trace agrees with this candidate after the step."""

    def describe(self, step: Mapping[str, Any], /) -> str:
        """The step's event in one line, as a person would write it."""


@dataclass(frozen=True)
class Difference:
    """A place where the trace and the model differ; None stands for nothing there."""

    path: str
    recorded: Any
    model: Any


@dataclass(frozen=True)
class Conformance:
    """What came of one trace."""

    trace: str
    where: str
    """File and line."""
    conforms: bool
    steps: int
    """How many steps the trace has."""
    step: int | None = None
    """The number of the first step that no order of the workers explains."""
    differences: tuple[Difference, ...] = ()
    """There, for the order that comes nearest."""
    events: tuple[str, ...] = ()
    """The events up to there."""

    def story(self) -> str:
        """How the trace and the model part, for people to read."""
        if self.conforms:
            return f"CONFORMS  {self.trace}   {self.steps} steps   {self.where}"
        lines = [f"DIFFERS   {self.trace}   step {self.step} of {self.steps}   {self.where}"]
        lines += [f"{number:3}  {event}" for number, event in enumerate(self.events, start=1)]
        width = max(len(difference.path) for difference in self.differences)
        for difference in self.differences:
            recorded, model = (_text(value) for value in (difference.recorded, difference.model))
            lines.append(f"     {difference.path:{width}}  recorded {recorded}, the model shows {model}")
        return "\n".join(lines)


def _text(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value)


def replay(trace: Trace, replayer_factory: Callable[[Trace], Replayer], where: str = "trace") -> Conformance:
    """Compare one trace with the model, after every step.

    Raises CheckerError, which names `where`, when the trace is not one.
    """
    check_form(trace, where)
    name, steps = trace["trace"], trace["steps"]
    with _reading(where):
        candidates: Sequence[Replayer] = [replayer_factory(trace)]
    for number, step in enumerate(steps, start=1):
        place = f"{where}: step {number}"
        candidates, differences = _explain(candidates, step, place)
        if differences:
            with _reading(place):
                events = tuple(replayer_factory(trace).describe(before) for before in steps[:number])
            return Conformance(name, where, False, len(steps), number, differences, events)
        for candidate in candidates:
            candidate.accept(step)
    return Conformance(name, where, True, len(steps))


def _explain(
    candidates: Sequence[Replayer], step: Mapping[str, Any], place: str
) -> tuple[list[Replayer], tuple[Difference, ...]]:
    """The candidates that explain a step; if none does, how the nearest one differs."""
    settled = bool(step.get("settled"))
    with _reading(place):
        expected = candidates[0].expected(step)
        tried = [after for candidate in candidates for after in candidate.apply(step)]
    if settled:
        tried = [after for candidate in tried for after in settle(candidate)]
    tried = _distinct(tried)
    nearest: tuple[Difference, ...] | None = None
    survivors = []
    for candidate in tried:
        shown = candidate.shown(settled)
        if shown == expected:
            survivors.append(candidate)
        elif not survivors:
            differences = tuple(compare(expected, shown))
            if nearest is None or len(differences) < len(nearest):
                nearest = differences
    if survivors:
        return survivors, ()
    return [], nearest or (Difference("inflight", "a call that returns", None),)


def settle(candidate: Replayer) -> list[Replayer]:
    """Every way in which the workers can run until all of them are blocked. Changes `candidate`."""
    settled: list[Replayer] = []
    pending, seen = [candidate], set()
    while pending:
        now = pending.pop()
        groups = now.runnable()
        # Alone in its group, a worker's step comes out the same whenever it is taken.
        while groups and len(groups[0]) == 1:
            now.run(groups[0][0])
            groups = now.runnable()
        if not groups:
            settled.append(now)
            continue
        if now.key() in seen:
            continue
        seen.add(now.key())
        for worker in groups[0][1:]:
            after = now.copy()
            after.run(worker)
            pending.append(after)
        now.run(groups[0][0])
        pending.append(now)
    return settled


def _distinct(candidates: list[Replayer]) -> list[Replayer]:
    if len(candidates) < 2:
        return candidates
    return list({candidate.key(): candidate for candidate in candidates}.values())


def compare(recorded: Any, model: Any, path: str = "") -> Iterator[Difference]:
    """The places where two structures differ, as deep down as they go."""
    if isinstance(recorded, Mapping) and isinstance(model, Mapping):
        for key in dict.fromkeys([*recorded, *model]):
            yield from compare(recorded.get(key), model.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(recorded, list) and isinstance(model, list):
        yield from _compare_lists(recorded, model, path)
    elif recorded != model:
        yield Difference(path, recorded, model)


def _compare_lists(recorded: list[Any], model: list[Any], path: str) -> Iterator[Difference]:
    """What both have is left out; if one entry each remains, it is compared field by field."""
    rest = list(model)
    missing = []
    for entry in recorded:
        if entry in rest:
            rest.remove(entry)
        else:
            missing.append(entry)
    if len(missing) == len(rest) == 1:
        yield from compare(missing[0], rest[0], f"{path}[{recorded.index(missing[0])}]")
    elif missing or rest:
        yield Difference(path, missing or None, rest or None)
    elif recorded != model:
        yield Difference(path, recorded, model)


# -- reading -------------------------------------------------------------------------------------------------------


def read_traces(path: Path) -> Iterator[tuple[str, Trace]]:
    """The traces of a .jsonl or .jsonl.gz file, each with its `file:line`. Raises CheckerError."""
    opened = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    where = f"{path}:{number}"
                    yield where, _parse(line.strip(), where)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise CheckerError(
            f"{path}:{number + 1}: the file cannot be read ({error}); "
            "give a .jsonl file of traces, plain or packed by gzip"
        ) from error


def _parse(line: str, where: str) -> Trace:
    try:
        trace = json.loads(line)
    except json.JSONDecodeError as error:
        raise CheckerError(
            f"{where}: {line[:60]!r} is no JSON ({error.msg} at column {error.colno}); "
            "a trace is one JSON object on one line, see docs/traces.md"
        ) from error
    check_form(trace, where)
    return trace  # type: ignore[no-any-return]


def check_form(trace: Any, where: str) -> None:
    """Raise CheckerError unless `trace` has the parts that every trace has."""
    _demand(where, "a trace", trace, {"trace": str, "steps": list})
    for number, step in enumerate(trace["steps"], start=1):
        _demand(f"{where}: step {number}", "a step", step, {"i": int, "op": dict})
        _demand(f"{where}: step {number}", "an event", step["op"], {"op": str})


def _demand(where: str, kind: str, found: Any, fields: Mapping[str, type]) -> None:
    if not isinstance(found, dict):
        raise CheckerError(f"{where}: {str(found)[:60]!r} is no JSON object, but {kind} is one; see docs/traces.md")
    for name, sort in fields.items():
        if name not in found:
            known = ", ".join(found) or "none"
            raise CheckerError(f"{where}: {kind} without {name!r} (keys found: {known}); see docs/traces.md")
        if not isinstance(found[name], sort):
            raise CheckerError(
                f"{where}: {name!r} is {str(found[name])[:60]!r}, but must be a JSON {_JSON[sort]}; see docs/traces.md"
            )


_JSON = {str: "string", list: "array", int: "number", dict: "object"}


@contextmanager
def _reading(place: str) -> Iterator[None]:
    """Where a trace is read: what goes wrong is put down to it, with the place."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
        raise CheckerError(f"{place}: {what}; correct the trace, docs/traces.md has the format") from error
