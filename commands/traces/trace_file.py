"""Traces in what `check -o json` wrote, and taking them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podproof.checker.system import Action, CheckerError, System, Trace
from podproof.checker.trace import replay

HOW = "give a file that `podproof check -o json` wrote"


@dataclass(frozen=True)
class StoredTrace:
    """A trace in a file."""

    place: str
    """The file, as errors name it."""
    version: str
    scenario: str
    claim: str
    steps: Sequence[Mapping[str, Any]]

    def replayed(self, system: System) -> Trace:
        """The trace, taken again. Raises CheckerError where a step cannot be taken or changes something else."""
        actions = {action.name: action for action in system.actions}
        moves = []
        for number, step in enumerate(self.steps, 1):
            if step["action"] not in actions:
                raise CheckerError(
                    f"{self.place}: step {number}: {system.name} has no action {step['action']!r}; {HOW}"
                )
            moves.append((step["action"], self._values(number, actions[step["action"]], step.get("parameters", {}))))
        trace = replay(system, moves)
        for number, (step, taken) in enumerate(zip(self.steps, trace.steps, strict=True), 1):
            changed = {change.path: [change.before, change.after] for change in taken.changes}
            if step.get("changed", changed) != changed:
                raise CheckerError(
                    f"{self.place}: step {number}, {taken.event}, changes something else in {system.name} than in the "
                    "file; it was written by another version of the model: run `podproof check -o json` again"
                )
        return trace

    def _values(self, number: int, action: Action, shown: Mapping[str, Any]) -> Mapping[str, int]:
        """The parameters' values from how they are shown."""
        values = {}
        for parameter in action.parameters:
            known = {parameter.show(value): value for value in parameter.values}
            if shown.get(parameter.name) not in known:
                raise CheckerError(
                    f"{self.place}: step {number}: {action.name} has no {parameter.name} "
                    f"{shown.get(parameter.name)!r}; there are {', '.join(map(repr, known))}"
                )
            values[parameter.name] = known[shown[parameter.name]]
        return values


def read_trace(name: str, properties: Sequence[str]) -> list[StoredTrace]:
    """The traces that `FILE#N` names, or all of the named claims, or the file's only one. Raises CheckerError."""
    return [
        StoredTrace(f"--trace {name}", result["version"], result["scenario"], found["id"], found["trace"])
        for result, found in _selected(name, properties)
    ]


def selected_json(name: str, properties: Sequence[str]) -> str:
    """The same traces as a document of the file's own form."""
    document = _document(_parts(name)[0])
    results = [{**result, "properties": [found]} for result, found in _selected(name, properties)]
    return json.dumps({**document, "results": results}, indent=2, ensure_ascii=False) + "\n"


def _selected(name: str, properties: Sequence[str]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    path, number = _parts(name)
    try:
        traces = list(_traces(_document(path)))
    except (KeyError, TypeError, AttributeError) as error:
        raise CheckerError(f"--trace {path}: {error!r} is not where results have it; {HOW}") from error
    if properties:
        traces = [pair for pair in traces if pair[1]["id"] in properties]
        missing = set(properties) - {found["id"] for _, found in traces}
        if missing:
            raise CheckerError(
                f"--trace {path}: no trace of {', '.join(sorted(missing))} is in it; name a claim that is"
            )
    if number is not None:
        if not 1 <= number <= len(traces):
            raise CheckerError(f"--trace {name}: there are {len(traces)} traces; give a number from 1 on")
        return [traces[number - 1]]
    best: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for pair in traces:
        known = best.get(pair[1]["id"])
        if known is None or len(pair[1]["trace"]) < len(known[1]["trace"]):
            best[pair[1]["id"]] = pair
    if not best:
        raise CheckerError(f"--trace {path}: there is no counterexample in it; {HOW} about a claim that is violated")
    return list(best.values())


def _traces(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every counterexample with the result that it belongs to, in the order of the file."""
    for result in document["results"]:
        for found in result["properties"]:
            if "trace" in found and found["status"] == "VIOLATED":
                yield result, found


def _parts(name: str) -> tuple[Path, int | None]:
    """`FILE#N` as path and number."""
    path, mark, number = name.rpartition("#")
    if mark and number.isdigit():
        return Path(path), int(number)
    return Path(name), None


def _document(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CheckerError(f"--trace {path}: it cannot be read ({error}); {HOW}") from error
    except json.JSONDecodeError as error:
        raise CheckerError(f"--trace {path}: line {error.lineno}: {error.msg}: this is no JSON; {HOW}") from error
    if not isinstance(document, dict) or document.get("schemaVersion") != "podproof/1":
        raise CheckerError(f'--trace {path}: it does not say "schemaVersion": "podproof/1"; {HOW}')
    return document
