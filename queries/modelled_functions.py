"""Functions of the Go beside the pod workers that are read: do they answer as before, or as the model does?"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, takewhile
from pathlib import Path

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.system import CheckerError, State, Status, Step, System, Verdict
from podproof.checker.difference.result import ClaimDifference
from podproof.checker.difference.transitions import (
    Conclusion,
    Equality,
    compare_functions,
    in_one_graph,
)
from podproof.checker.engines.prove import prove_function
from podproof.checker.lowering.claims import lower_properties
from podproof.golang.functions import TranslatedFunction, parts_of, translate_function
from podproof.golang.modelled import MODELLED, ModelledFunction
from podproof.model.functions import FUNCTIONS, Function
from podproof.model.language import NIL
from podproof.model.notes import field_name, unexport_name
from podproof.queries.build import Subject, function_system, function_system_of, properties_of_function

_SECONDS = 60.0
"""For each claim about a function."""
_CODES = (0, (1 << 31) - 1)
"""The least and the greatest exit code."""
_SHORTEST = {"containers": 1, "ephemeral_containers": 0}
"""Lists that have one length in the model's scenarios -> the shortest that is compared."""
_KEPT = (Status.HOLDS, Status.PROVED)
Way = tuple[str, type]
"""What answers: what it is called, and its class."""


@dataclass(frozen=True)
class FunctionTheorem:
    """Whether a function answers like another one, to every input within its bounds."""

    function: ModelledFunction
    equality: Equality
    reason: str
    """Why it is not decided, or for which input they differ."""
    bounds: str
    ways: tuple[Way, Way] | None = None
    """Where they differ what answers, the first and the second."""
    parts: frozenset[str] = frozenset()
    """The functions of the file that are nothing but a part of it, on either side."""
    length: Function | None = None
    """Where they differ the shortest lists for which they do; the claims are decided for as many init containers."""

    @functools.cached_property
    def claims(self) -> tuple[ClaimDifference, ...]:
        """Where they differ the claims about the function that only one of them breaks."""
        if self.ways is None or self.length is None:
            return ()
        systems = [function_system_of(cls, name, self.length) for name, cls in self.ways]
        before, after = map(_by_claim, systems)
        found = (_claim(systems, before[id], after[id]) for id in before)
        return tuple(claim for claim in found if claim is not None)

    @property
    def is_worse(self) -> bool:
        """Does it break a claim that was kept?"""
        return any(claim.is_worse for claim in self.claims)


def asked_by(path: str, names: Collection[str], texts: tuple[str, str]) -> tuple[str, ...]:
    """The functions that are read of which some have changed, themselves or in a part of theirs."""
    return tuple(
        name
        for name, modelled in MODELLED.items()
        if name in names or any(not parts_of(one, Path(path), modelled).isdisjoint(names) for one in texts)
    )


def compare_texts(name: str, path: str, texts: tuple[str, str], surroundings: Subject) -> FunctionTheorem:
    """Do both texts of a file have a function that does the same, in the kubelet of a release?"""
    modelled = MODELLED[name]
    try:
        before, after = (translated(modelled, text, Path(path), surroundings) for text in texts)
        found = compared(modelled, ("before", before.cls), ("after", after.cls), before.gates + after.gates)
    except CheckerError as error:
        parts = frozenset().union(*(parts_of(text, Path(path), modelled) for text in texts))
        return FunctionTheorem(modelled, Equality.UNDECIDED, str(error).partition("\n")[0], "", parts=parts)
    found = replace(found, parts=before.parts | after.parts)
    both = [[said for said, _ in side.unread] for side in (before, after)]
    if found.equality is Equality.EQUAL and modelled.fields and both[0] != both[1]:
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*both, strict=False))))
        where = f" in line {after.unread[same][1]}" if same < len(both[1]) else ""
        return replace(found, equality=Equality.UNDECIDED, reason=f"what is beyond these bounds is changed{where}")
    return found


def prove_function_equal(name: str, path: Path, text: str, release: Subject) -> FunctionTheorem:
    """Is a function of a file what the model of a release has? Raises CheckerError for what is not read."""
    found = translated(MODELLED[name], text, path, release)
    first = release.name, _function(found.function, release)
    theorem = replace(compared(found.function, first, (found.file.name, found.cls), found.gates), parts=found.parts)
    known = found.function.unread.get(release.name, frozenset())
    if theorem.equality is Equality.EQUAL and found.function.fields and found.unread_fingerprint not in known:
        lines = ", ".join(str(line) for line in dict.fromkeys(line for _, line in found.unread)) or "which are gone"
        what = f"what is beyond these bounds is not that of {release.name}, see the lines {lines}"
        return replace(theorem, equality=Equality.UNDECIDED, reason=what)
    return theorem


def translated(modelled: ModelledFunction, text: str, path: Path, release: Subject) -> TranslatedFunction:
    """A function of a file in the kubelet of a release. Raises CheckerError."""
    return translate_function(text, path, modelled, _function(modelled, release), release.release.name)


def _function(modelled: ModelledFunction, release: Subject) -> type:
    found = modelled.cls_of(function_system(release, FUNCTIONS[modelled.group][0]).shape.cls)
    if found is None:
        raise CheckerError(
            f"{modelled.name} of {release.name} is not read, since the model's is another; take a later one"
        )
    return found


def compared(modelled: ModelledFunction, first: Way, second: Way, gates: tuple[str, ...]) -> FunctionTheorem:
    """Decide it for each length of the lists, the shortest first."""
    bounds = _bounds(modelled, gates)
    for function in _every_length(modelled):
        mine, theirs = (function_system_of(cls, name, function) for name, cls in (first, second))
        systems = in_one_graph(mine, theirs)
        found = compare_functions(systems)
        if found.equality is Equality.UNDECIDED:
            return FunctionTheorem(modelled, found.equality, found.reason, bounds)
        if found.equality is Equality.DIFFERENT:
            (length,) = (one for one in FUNCTIONS[modelled.group] if one.name == function.name)
            example, ways = _example(found, systems), (first, second)
            return FunctionTheorem(modelled, found.equality, example, bounds, ways, length=length)
    return FunctionTheorem(modelled, Equality.EQUAL, "", bounds)


def _every_length(modelled: ModelledFunction) -> Iterator[Function]:
    for function in FUNCTIONS[modelled.group]:
        codes = {name: (*((NIL,) if NIL in values else ()), *_CODES) for name, values in function.domains.items()}
        domains = {
            **function.domains,
            **{name: codes[name] for name in codes if name.endswith("exit_codes")},
            **modelled.domains,
        }
        lists = [name for name in _SHORTEST if name in function.sizes]
        lengths = (range(_SHORTEST[name], function.sizes[name] + 1) for name in lists)
        for numbers in product(*lengths):
            sizes = {**function.sizes, **dict(zip(lists, numbers, strict=True))}
            yield replace(function, sizes=sizes, domains=domains)


def _bounds(modelled: ModelledFunction, gates: tuple[str, ...]) -> str:
    longest = FUNCTIONS[modelled.group][-1].sizes
    told = ", ".join(
        f"{f'{_SHORTEST[name]} to' if _SHORTEST.get(name) else 'up to'} {number} {name.replace('_', ' ')}"
        for name, number in longest.items()
    )
    parts = [f"any pod with {told}, {modelled.inputs}" if told else modelled.inputs, *dict.fromkeys(gates)]
    return "; ".join([*parts, f"what other files have is by the vocabulary {modelled.vocabulary}"])


def _by_claim(system: System) -> Mapping[str, Verdict]:
    lowered = lower_properties(system, properties_of_function(system))
    found = prove_function(system, lowered, _SECONDS, False, lambda _: None)
    return {verdict.property.id: verdict for verdict in found.exploration.verdicts}


def _claim(systems: Sequence[System], before: Verdict, after: Verdict) -> ClaimDifference | None:
    """None where nothing becomes of the claim, or that is not decided."""
    if before.status in _KEPT and after.status is Status.VIOLATED:
        assert after.trace is not None
        state, reason = BaselineState.NEW, f"violated for {given(systems[1], after.trace.initial)}"
    elif before.status is Status.VIOLATED and after.status in _KEPT:
        state, reason = BaselineState.MENDED, f"it holds for every input of {systems[1].scenario}"
    else:
        return None
    name, statuses = systems[1].scenario, (before.status, after.status)
    compared = ((name, Baseline(systems[0].version, state, reason)),)
    return ClaimDifference((before.property, after.property), statuses, ((name, *statuses),), (None, None), compared)


# -- in words ----------------------------------------------------------------------------------------------------------


def _example(found: Conclusion, systems: tuple[System, System]) -> str:
    """An input for which they differ, and both answers."""
    assert found.witness is not None
    answers = []
    for system, outcome in zip(systems, found.witness.outcomes, strict=True):
        if isinstance(outcome, Step):
            told = ", ".join(f"{_place(system, c.path)} {c.after}" for c in outcome.changes) or "the same as before"
            answers.append(f"{told} in {system.version}")
        else:
            answers.append(f"a panic in {system.version}")
    return f"for {given(systems[0], found.witness.state)}: {', '.join(answers)}"


def given(system: System, state: State) -> str:
    """An input, but for what is zero, as the Go calls it."""
    (transition,) = system.transitions
    parts: dict[str, list[str]] = {"": []}
    for variable, value, zero in zip(system.variables, state, system.initial[-1], strict=True):
        owner, shown = variable.path.rpartition(".")[0], "" if variable.is_bool else f" {variable.show(value)}"
        is_said = not owner and shown.strip() not in ("", "nil")
        if variable.path not in transition.updates and (value != zero or is_said):
            parts.setdefault(owner, []).append(f"{_called(system, variable.path)}{shown}")
    return "; ".join(f"{owner}: {', '.join(of)}" if owner else ", ".join(of) for owner, of in parts.items() if of)


def _called(system: System, path: str) -> str:
    variable, name = system.variables[system.index(path)], path.rpartition(".")[2].partition("[")[0]
    return unexport_name(name) if variable.is_bool or not variable.notes else field_name(name, variable.notes[-1])


def _place(system: System, path: str) -> str:
    """The same, with which element of a list it is of."""
    owner = path.rpartition(".")[0].rpartition(".")[2]
    return f"{owner}.{_called(system, path)}" if owner.endswith("]") else _called(system, path)
