"""The fields by which two versions are compared: the variables that stand for them in both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podproof.checker.core.system import CheckerError, System
from podproof.checker.lowering.source import suggestion
from podproof.model.notes import SEEN
from podproof.reports.projection import marked

_INDEX = re.compile(r"\[\d+\]")


def fields_compared(
    systems: tuple[System, System], asked: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables that both versions have for the fields, of every pod; and the fields for which they have none."""
    names = dict.fromkeys(n for s in systems for n in marked(s, SEEN)) if asked is None else asked
    if not names:
        raise CheckerError("--by names no field; name some, separated by commas: see `podproof explain fields`")
    found: dict[str, None] = {}
    missing = []
    for name in names:
        both = [_calls(system, name) for system in systems]
        for system, paths in zip(systems, both, strict=True):
            if asked is not None and not paths:
                known = {_INDEX.sub("", v.path).removeprefix("pod_sync_statuses.") for v in system.variables}
                hint = suggestion(name, known, "see `podproof explain fields`")
                raise CheckerError(f"--by: {system.version} has no field {name!r}; {hint}")
        shared = [path for path in both[0] if path in both[1]]
        found.update(dict.fromkeys(shared))
        if not shared and any(both):
            missing.append(name)
    if not found:
        first, second = (s.version for s in systems)
        common = {v.path for v in systems[0].variables} & {v.path for v in systems[1].variables}
        those = ", ".join(sorted({_INDEX.sub("", path) for path in common})[:12]) or "none"
        raise CheckerError(
            f"{first} and {second} have none of the fields {', '.join(names)} in common, so their behaviour cannot be "
            f"compared by them; name others with --by. Both have: {those}"
        )
    return tuple(found), tuple(missing)


def seen_paths(system: System) -> tuple[str, ...]:
    """The variables that can be seen of a pod worker from outside."""
    return tuple(path for name in marked(system, SEEN) for path in _calls(system, name))


def _calls(system: System, name: str) -> list[str]:
    """The variables that a field's name stands for: a path with or without indices, a status's or a worker's field."""
    plain = _INDEX.sub("", name)
    names = {plain, f"pod_sync_statuses.{plain}", re.sub(r"^worker\.", "workers.", plain)}
    exact = [v.path for v in system.variables if v.path == name]
    return exact or [v.path for v in system.variables if _INDEX.sub("", v.path) in names]
