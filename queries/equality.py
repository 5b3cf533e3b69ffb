"""The theorem that a Go file is the model: each action and query of both, and what that says of the Go's functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from podproof.checker.core.graph import Line
from podproof.checker.core.system import Step
from podproof.checker.difference.transitions import Conclusion, Equality, Everywhere, compare_everywhere, in_one_graph
from podproof.golang.equality import WORLD, candidates
from podproof.golang.module import Translation
from podproof.golang.syntax import GoFunction
from podproof.queries.build import go_subject, subject_of, system_of
from podproof.reports.pictures.queries import queries_of


@dataclass(frozen=True)
class Theorem:
    """What was decided about a Go file and a release."""

    version: str
    found: Everywhere
    functions: Mapping[str, tuple[Equality, str]]
    """Go function -> whether the model does the same, and why not or why that is not known."""

    @property
    def equality(self) -> Equality:
        return self.found.equality


def prove_equal(translation: Translation, version: str) -> Theorem:
    """Decide whether the Go is what the release has, for every state, input and number of seconds."""
    subjects = (
        subject_of(version, None),
        go_subject(translation.file.path, version, translation.assumed, translation.is_partial),
    )
    subjects = replace(subjects[0], new_members=subjects[1].new_members), subjects[1]
    first, second = in_one_graph(*(system_of(subject, WORLD, unbounded=True) for subject in subjects))
    queries = [(name, uid) for name in queries_of(subjects[0].cls) for uid in range(len(WORLD.pods))]
    queries.append(("is_pod_for_mirror_pod_terminating_by_full_name", 0))
    found = compare_everywhere((first, second), candidates(second), queries)
    functions = {name: _of_function(translation, name, found) for name in translation.functions}
    return Theorem(version, found, functions)


def _of_function(translation: Translation, name: str, found: Everywhere) -> tuple[Equality, str]:
    function = translation.file.functions[name]
    there = [conclusion for conclusion in found.conclusions if _is_in(translation, function, conclusion.lines)]
    if not there:
        return Equality.UNDECIDED, "nothing in this world calls it"
    unlike = [conclusion for conclusion in there if conclusion.equality is not Equality.EQUAL]
    if not unlike:
        return Equality.EQUAL, ""
    names = ", ".join(conclusion.name for conclusion in unlike)
    if any(
        _is_in(translation, function, frozenset(line for *_, line in differences(conclusion))) for conclusion in unlike
    ):
        return Equality.DIFFERENT, f"in {names}"
    return Equality.UNDECIDED, f"it takes part in {names}"


def _is_in(translation: Translation, function: GoFunction, lines: frozenset[Line]) -> bool:
    return any(x.file == translation.file.name and x.number in function.lines for x in lines)


def differences(conclusion: Conclusion) -> Iterator[tuple[str, str, str, Line]]:
    """What is unlike after the step of a witness: variable, its value in the model and in the Go, and the Go's line.

    The line is the model's where the Go does not write the variable.
    """
    steps = [x for x in (conclusion.witness.outcomes if conclusion.witness else ()) if isinstance(x, Step)]
    if len(steps) == 2:
        first, second = ({change.path: change for change in step.changes} for step in steps)
        for path in dict.fromkeys((*first, *second)):
            both = first.get(path), second.get(path)
            mine, others = (None if change is None else str(change.after) for change in both)
            line = next((c.line for c in reversed(both) if c is not None and c.line is not None), steps[1].line)
            if mine != others:
                yield path, mine or "as before", others or "as before", line
