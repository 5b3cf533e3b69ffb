"""The Go names of what the model calls in snake_case."""

from __future__ import annotations

_INITIALS = {"api": "API", "id": "ID", "uid": "UID"}


def exported(name: str) -> str:
    """`is_pod_known_terminated` as `IsPodKnownTerminated`."""
    return "".join(_capital(word) for word in name.split("_"))


def unexported(name: str) -> str:
    """`terminating_at` as `terminatingAt`."""
    first, *rest = name.split("_")
    if not first:
        return name
    return first + "".join(_capital(word) for word in rest)


def _capital(word: str) -> str:
    return _INITIALS.get(word, word[:1].upper() + word[1:])
