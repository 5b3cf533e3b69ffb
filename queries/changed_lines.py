"""Which of the lines that a change alters its steps come to, and in which scenario they do."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from podproof.checker.core.graph import Line
from podproof.checker.core.system import Limits, LoweredProperty, Property, Status
from podproof.checker.difference.result import Comparison
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.values import reaching
from podproof.checker.reductions import relevant_variables
from podproof.model.crowd import Crowd
from podproof.model.scenarios import Scenario
from podproof.queries.build import Subject, probed_system
from podproof.queries.progress import show_progress

_FEW_STATES, _FEW_SECONDS, _FEW_PODS = 100_000, 60, 2
"""So far is looked for a scenario in which a step comes to a line: states of each, seconds in the whole, pods."""
Places = tuple[Mapping[Line, str], Mapping[Line, str]]
"""The changed statements of each version with their names."""
_Place = TypeVar("_Place")


def with_unreached(
    found: Comparison, subjects: tuple[Subject, Subject], scenarios: Sequence[Scenario], limits: Limits
) -> Comparison:
    """Of equivalent versions, told with the changed lines that no step comes to in any of these scenarios.

    Where that are all of them, also with a scenario in which a step does. Raises KeyboardInterrupt.
    """
    every = _places(found, subjects)
    if not found.decision.is_equivalent or not any(every) or any(isinstance(one, Crowd) for one in scenarios):
        return found
    left = every
    for scenario in scenarios:
        left = _with_status(subjects, scenario, left, limits, Status.HOLDS)
    found = replace(found, unreached=tuple(dict.fromkeys(name for side in left for name in side.values())))
    return found if left != every else replace(found, reaching=_reaching(subjects, scenarios, every))


def _reaching(subjects: tuple[Subject, Subject], scenarios: Sequence[Scenario], places: Places) -> str:
    """A small scenario around the same code in which a step comes to one of the lines; empty where none was found."""
    end, around = time.monotonic() + _FEW_SECONDS, {scenario.environment for scenario in scenarios}
    for scenario in {**subjects[0].scenarios, **subjects[1].scenarios}.values():
        if isinstance(scenario, Crowd) or len(scenario.pods) > _FEW_PODS or scenario in scenarios:
            continue
        if scenario.environment not in around or not all(scenario.is_for(subject.cls) for subject in subjects):
            continue
        seconds = end - time.monotonic()
        if seconds <= 0:
            break
        if any(_with_status(subjects, scenario, places, Limits(_FEW_STATES, None, seconds), Status.VIOLATED)):
            return scenario.name
    return ""


def _places(found: Comparison, subjects: tuple[Subject, Subject]) -> Places:
    """Of Go that is compared with the model nobody knows what was changed: its translation is another text."""
    methods = [method for method in found.methods if not method.only_names]
    translated = [subject.file is not None and subject.file.suffix == ".go" for subject in subjects]
    if all(translated):
        return _places_in_go(subjects, [[line for m in methods for _, line in m.statements[i]] for i in (0, 1)])
    first, second = dict[Line, str](), dict[Line, str]()
    for method in methods if not any(translated) else ():
        unlike = _unlike(*method.statements)
        # Where nothing is, its parameters differ.
        sides = unlike if any(unlike) else [[line for _, line in side] for side in method.statements]
        for places, lines in zip((first, second), sides, strict=True):
            places.update((line, f"{method.name}:{line.number}") for line in lines)
    return first, second


def _places_in_go(subjects: tuple[Subject, Subject], translated: Sequence[Iterable[Line]]) -> Places:
    """What was translated of the statements that the other file lacks: a change of one may show in many others."""
    from podproof.golang.syntax import placed, read  # Only who reads Go waits for its parser.

    files = [read(subject.file) for subject in subjects if subject.file is not None]
    changed: tuple[dict[int, str], dict[int, str]] = {}, {}
    for key in dict.fromkeys(key for file in files for key in file.functions):
        functions = [file.functions.get(key) for file in files]
        unlike = _unlike(*([] if f is None else list(placed(f.node)) for f in functions))
        for numbers, function, statements in zip(changed, functions, unlike, strict=True):
            if function is not None:
                numbers.update((n, f"{function.name}:{n}") for lines in statements for n in sorted(lines))
    first, second = (
        {line: names[line.number] for line in lines if line.file == file.name and line.number in names}
        for file, names, lines in zip(files, changed, translated, strict=True)
    )
    return first, second


def _unlike(
    mine: Sequence[tuple[str, _Place]], theirs: Sequence[tuple[str, _Place]]
) -> tuple[list[_Place], list[_Place]]:
    """Where the statements of each text are that the other has not in their place."""
    matcher = difflib.SequenceMatcher(None, [text for text, _ in mine], [text for text, _ in theirs], autojunk=False)
    changes = [ends for tag, *ends in matcher.get_opcodes() if tag != "equal"]
    first = [place for start, end, _, _ in changes for _, place in mine[start:end]]
    return first, [place for _, _, start, end in changes for _, place in theirs[start:end]]


def _with_status(
    subjects: tuple[Subject, Subject], scenario: Scenario, places: Places, limits: Limits, status: Status
) -> Places:
    """The places of which a search has this answer to whether no step comes there."""
    answers = (_answers(subject, scenario, side, limits) for subject, side in zip(subjects, places, strict=True))
    first, second = (
        {line: name for line, name in side.items() if found[line] is status}
        for side, found in zip(places, answers, strict=True)
    )
    return first, second


def _answers(subject: Subject, scenario: Scenario, lines: Iterable[Line], limits: Limits) -> Mapping[Line, Status]:
    probes = list(lines)
    if not probes:
        return {}
    scenario = subject.scenarios.get(scenario.name, scenario)
    system = probed_system(subject, scenario, frozenset(probes))
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
    return {line: verdict.status for line, verdict in zip(probes, found.verdicts, strict=True)}
