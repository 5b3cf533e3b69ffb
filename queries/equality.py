"""Is the Go of a file what another version does? Each action and query of both, and what that says of its functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import number_of
from podproof.checker.core.system import Step
from podproof.checker.difference.transitions import (
    Conclusion,
    Equality,
    Everywhere,
    compare_everywhere,
    equal_without_invariants,
    in_one_graph,
)
from podproof.golang.equality import WORLD, candidates
from podproof.golang.module import Translation
from podproof.golang.releases import recognized
from podproof.golang.syntax import GoFunction
from podproof.model.notes import export_name, field_name, unexport_name
from podproof.queries.build import Subject, system_of
from podproof.reports.pictures.queries import queries_of
from podproof.reports.state_text import StateText


@dataclass(frozen=True)
class Theorem:
    """What was decided about a Go file and another version."""

    version: str
    found: Everywhere
    functions: Mapping[str, tuple[Equality, str]]
    """Go function -> whether the other version does the same, and why not or why that is not known."""

    @property
    def equality(self) -> Equality:
        return self.found.equality


def prove_equal(other: Subject, own: Subject, translation: Translation) -> Theorem:
    """Decide whether the Go is what the other version has, for every state, input and number of seconds.

    Raises CheckerError where they cannot be compared so, as with fields that only one of them has.
    """
    known = dict.fromkeys((type(m), m.name, m.value) for m in (*other.new_members, *own.new_members))
    subjects = []
    for one, another in ((other, own), (own, other)):
        # A member has one number in both, and each has its own object of it.
        members = {(type(m), m.name, m.value): m for m in (*another.new_members, *one.new_members)}
        subjects.append(replace(one, new_members=tuple(members[key] for key in known)))
    first, second = in_one_graph(*(system_of(subject, WORLD, unbounded=True) for subject in subjects))
    queries = [(name, uid) for name in queries_of(other.cls) for uid in range(len(WORLD.pods))]
    queries.append(("is_pod_for_mirror_pod_terminating_by_full_name", 0))
    found = equal_without_invariants((first, second), queries)
    if found is None:
        found = compare_everywhere((first, second), candidates(second), queries)
    functions = {name: _of_function(translation, name, found) for name in translation.functions}
    return Theorem(other.name, found, functions)


def _of_function(translation: Translation, name: str, found: Everywhere) -> tuple[Equality, str]:
    function = translation.file.functions[name]
    there = [conclusion for conclusion in found.conclusions if _is_in(translation, function, conclusion.lines)]
    if not there:
        return Equality.UNDECIDED, "nothing in this world calls it"
    unlike = [conclusion for conclusion in there if conclusion.equality is not Equality.EQUAL]
    if not unlike:
        return Equality.EQUAL, ""
    where = _event(found, unlike[0]) + (f" and in {number_of(len(unlike) - 1, 'other case')}" if unlike[1:] else "")
    if any(
        _is_in(translation, function, frozenset(line for *_, line in differences(conclusion))) for conclusion in unlike
    ):
        left = dict.fromkeys(name for conclusion in unlike for name in _fields_left(found, conclusion))
        return Equality.DIFFERENT, f"at {where}" + (f": another {', '.join(left)}" if left else "")
    return Equality.UNDECIDED, f"it takes part in {where}"


def _event(found: Everywhere, conclusion: Conclusion) -> str:
    """What happens where something is unlike, or the query that answers otherwise, as the Go calls it."""
    if conclusion.witness is not None and conclusion.witness.move is not None:
        return found.systems[1].event(conclusion.witness.move)
    action = next((own for one in found.systems if (own := one.action.get(conclusion.name)) is not None), None)
    return export_name(conclusion.name) if action is None else re.sub(r"\{\w+\}", "…", action.label)


def _fields_left(found: Everywhere, conclusion: Conclusion) -> Iterator[str]:
    """What has another value after the step of a witness, as the Go calls it."""
    words = StateText(found.systems[1])
    for path, *_ in differences(conclusion):
        yield _in_go(words, path).removesuffix(".present").rpartition(".")[2].partition("[")[0]


def _in_go(words: StateText, path: str) -> str:
    """What a reader calls a variable, its fields as in Go."""
    notes = words.system.variables[words.system.index(path)].notes
    *parts, leaf = words.name(path).split(".")
    field, bracket, index = leaf.partition("[")
    whose = (re.sub(r"\w+", lambda found: unexport_name(found[0]), part) for part in parts)
    return ".".join((*whose, field_name(field, notes[-1] if notes else ()) + bracket + index))


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


# -- in words ----------------------------------------------------------------------------------------------------------


def translation_lines(found: Translation, everything: bool) -> Iterator[str]:
    """What is understood of a Go file."""
    yield f"{found.file.name}  sha256 {found.file.digest[:16]}, {len(found.functions)} functions translated"
    yield f"  known       {recognized(found.file)}"
    yield f"  translated  {', '.join(found.functions)}"
    yield f"  stood for   {', '.join(found.stood_for) or 'none'}: the model has its own, and knows their text"
    why = "nobody calls them from what is translated"
    if found.is_partial:
        why = "the model's own stand in their place; whole workers are taken from 1.27 on"
    yield f"  left out    {', '.join(found.left_out) or 'none'}: {why}"
    kinds = Counter(line.partition(" ")[2] for line in found.ignored)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield f"  ignored     {len(found.ignored)} statements: {counts}"
    if everything:
        yield from (f"              {line}" for line in found.ignored)
    yield f"  assumed     {found.rests_on[0]}"
    yield from (f"              {line}" for line in found.rests_on[1:])
    yield from (f"  by you      {line}" for line in found.assumed)


def theorem_lines(theorem: Theorem, everything: bool) -> Iterator[str]:
    """What was decided, function by function, and for what is unlike a state that shows it."""
    found = theorem.found
    yield f"  theorem     {found.equality.value}: do the Go and {theorem.version} the same in every state in which the"
    yield "              invariants hold, whether it can be reached or not, and for every number of seconds?"
    yield f"              {WORLD.name}: {WORLD.summary}"
    for equality in ("EQUAL", "DIFFERENT", "UNDECIDED"):
        names = {name: why for name, (e, why) in theorem.functions.items() if e.value == equality}
        if names:
            told = ", ".join(f"{name} ({why})" if why else name for name, why in names.items())
            yield f"    {equality:<9} {len(names)} functions: {told}"
    words = StateText(found.systems[1])
    for conclusion in found.conclusions:
        if conclusion.equality.value == "EQUAL":
            continue
        why = f": {conclusion.reason}" if conclusion.reason else ""
        yield f"    {conclusion.equality.value} at {_event(found, conclusion)}{why}"
        witness = conclusion.witness
        if witness is None:
            continue
        first = found.systems[0]
        values = zip(first.variables, witness.state, first.initial[0], strict=True)
        where = (f"{_in_go(words, v.path)} = {v.show(x)}" for v, x, zero in values if x != zero)
        yield f"      where {', '.join(where)}"
        if witness.move is None:
            yield "      the answers are opposite"
            continue
        unlike = list(differences(conclusion))
        for path, mine, others, line in unlike:
            yield f"      {_in_go(words, path)}: {mine} in {theorem.version}, {others} in the Go  {line}"
        errors = [outcome for outcome in witness.outcomes if isinstance(outcome, str)]
        yield from (f"      one of them does not get there: {error}" for error in errors)
        if not unlike and not errors:
            yield "      they only differ in the programmer errors that they report, or in where bounds cut them off"
    held = "hold at the beginning and are kept by every step of the Go; -v lists them"
    needed = f"{len(found.invariants)} {held}" if found.invariants else "none was needed"
    yield f"    invariants  {needed}"
    if everything:
        yield from (f"                {line}" for line in found.invariants)
