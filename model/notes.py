"""What fields and methods say of themselves besides what the model does: their names in Go, and how they are told.

A field says it in its annotation, `Annotated[bool, Go("startedAt"), WORKER]`, a method with `@go("completeWork")`.
Nothing of it changes what the model does; the checker passes it on with each variable (`Variable.notes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, StrEnum
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_INITIALS = {"api": "API", "id": "ID", "uid": "UID"}


class Go(NamedTuple):
    """A name in Go, with the first and the last release that has it where that is not every one modelled."""

    name: str = ""
    """Empty where it is the model's own, in Go's manner of writing."""
    since: str = ""
    until: str = ""
    part: str = ""
    """Which part of the function these lines are; empty for all of it."""
    short: str = ""
    """What reports call the field, where its name is too long for them."""


class Lane(StrEnum):
    """In whose lane of a timeline a change of the field is told, from the left. Without it: of whoever changes it."""

    SYNC_LOOP = "sync loop"
    """The kubelet's main loop."""
    WORKER = "worker"
    """The pod's goroutine."""
    RUNTIME = "runtime"
    ENVIRONMENT = "environment"
    """Everybody else, as whoever called killPodNow and waits for it."""


WORKER, RUNTIME, ENVIRONMENT = Lane.WORKER, Lane.RUNTIME, Lane.ENVIRONMENT


class Quiet(NamedTuple):
    """A change of the field says nothing that the event does not: it is told only where a step changes nothing else.

    Of what a pointer points to, such a field is not told at all.
    """

    values: tuple[str, ...] = ()
    """Only a change to one of these; empty for any."""


QUIET = Quiet()


class Mark(Enum):
    """What else a report has to know of a field."""

    SEEN = "seen"
    """It can be seen of a pod worker from outside: what `podproof review` compares unless told otherwise."""
    PHASE = "phase"
    """It is a part of the pod's phase: what a diagram shows unless told otherwise."""
    TIME = "time"
    """A time.Time, of which only is known whether it is set."""
    WHOLE = "whole"
    """A map whose entries are told as one thing each, and not field by field."""


SEEN, PHASE, TIME, WHOLE = Mark.SEEN, Mark.PHASE, Mark.TIME, Mark.WHOLE


def go(name: str, since: str = "", until: str = "", part: str = "") -> Callable[[F], F]:
    """Say which Go function a method is, or which part of one. Several names: the one of the newest release first."""

    def mark(method: F) -> F:
        method.__go__ = (Go(name, since, until, part), *names_of(method))  # type: ignore[attr-defined]
        return method

    return mark


def names_of(method: object) -> tuple[Go, ...]:
    """What a method says of its names in Go; nothing for one that only the model has."""
    found: tuple[Go, ...] = getattr(method, "__go__", ())
    return found


def note_of(notes: Iterable[object], kind: type[T]) -> T | None:
    """The first of a field's notes that is of a kind."""
    return next((note for note in notes if isinstance(note, kind)), None)


def field_name(name: str, notes: Iterable[object]) -> str:
    """What Go calls a field."""
    found = note_of(notes, Go)
    return found.name if found is not None and found.name else unexport_name(name)


def export_name(name: str) -> str:
    """`is_pod_known_terminated` as `IsPodKnownTerminated`."""
    return "".join(_capital(word) for word in name.split("_"))


def unexport_name(name: str) -> str:
    """`terminating_at` as `terminatingAt`."""
    first, *rest = name.split("_")
    return first + "".join(_capital(word) for word in rest) if first else name


def _capital(word: str) -> str:
    return _INITIALS.get(word, word[:1].upper() + word[1:])
