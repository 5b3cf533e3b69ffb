"""Which of the lines that a change alters its steps come to, and in which scenario they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from podproof.checker.core.graph import Line
from podproof.checker.core.system import NO_LIMITS, Limits, LoweredProperty, Property, Status
from podproof.checker.difference.result import Comparison
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.values import reaching
from podproof.checker.reductions import relevant_variables
from podproof.commands.line.progress import show_progress
from podproof.commands.systems.build import Subject, probed_system
from podproof.model.crowd import Crowd
from podproof.model.scenarios import Scenario

_FEW = Limits(max_states=100_000)
"""So many states of a scenario are looked at to find out whether a step comes to a line in it."""
Places = tuple[Mapping[Line, str], Mapping[Line, str]]
"""The changed statements of each version with their names."""


def with_unreached(found: Comparison, subjects: tuple[Subject, Subject], scenarios: Sequence[Scenario]) -> Comparison:
    """Of equivalent versions, told with the changed lines that no step comes to in any of these scenarios.

    Where that are all of them, also with a scenario in which a step does. Raises KeyboardInterrupt.
    """
    every = _places(found, subjects)
    if not found.decision.is_equivalent or not any(every):
        return found
    left = every
    for scenario in scenarios:
        left = _left(subjects, scenario, left, NO_LIMITS)
    found = replace(found, unreached=tuple(dict.fromkeys(name for side in left for name in side.values())))
    if left != every:
        return found
    others = {**subjects[0].scenarios, **subjects[1].scenarios}.values()
    for scenario in (one for one in others if one not in scenarios and not isinstance(one, Crowd)):
        if all(scenario.is_for(subject.cls) for subject in subjects):
            if _left(subjects, scenario, every, _FEW) != every:
                return replace(found, reaching=scenario.name)
    return found


def _places(found: Comparison, subjects: tuple[Subject, Subject]) -> Places:
    methods = [method for method in found.methods if not method.only_names]
    first, second = (
        {line: _name(subject, method.name, line) for method in methods for line in method.statements[side]}
        for side, subject in enumerate(subjects)
    )
    return first, second


def _name(subject: Subject, method: str, line: Line) -> str:
    """A line of a function, `UpdatePod:793`; of Go by its Go name."""
    if subject.file is not None and subject.file.suffix == ".go" and line.file == subject.file.name:
        from podproof.golang.syntax import read  # Only who reads Go waits for its parser.

        functions = read(subject.file).functions.values()
        method = next((f.name for f in functions if line.number in f.lines), method)
    return f"{method}:{line.number}"


def _left(subjects: tuple[Subject, Subject], scenario: Scenario, places: Places, limits: Limits) -> Places:
    """The places to which no step comes in a scenario; where a limit leaves that open, one is taken to come there."""
    unreached = (_unreached(subject, scenario, side, limits) for subject, side in zip(subjects, places, strict=True))
    first, second = (
        {line: name for line, name in side.items() if line in lines}
        for side, lines in zip(places, unreached, strict=True)
    )
    return first, second


def _unreached(subject: Subject, scenario: Scenario, lines: Iterable[Line], limits: Limits) -> set[Line]:
    probes = list(lines)
    if not probes:
        return set()
    system = probed_system(subject, subject.scenarios.get(scenario.name, scenario), frozenset(probes))
    asked = [
        LoweredProperty(
            Property(str(line), "never", "", None, (reaching(line),), is_premise=True),
            steps=tuple(t.lines.get(reaching(line), system.graph.false) for t in system.transitions),
        )
        for line in probes
    ]
    with show_progress(f"{subject.name} {scenario.name}, changed lines") as report:
        found = Compiled().run(system, asked, relevant_variables(system, asked), limits, report)
    if found.interrupted:
        raise KeyboardInterrupt
    return {line for line, v in zip(probes, found.verdicts, strict=True) if v.status is Status.HOLDS}
