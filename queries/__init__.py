"""Questions about pod workers, and what answers them: a library, of which each command asks one.

    from podproof.queries import check

    answer = check("my_change.py", scenarios=["orphan"])

Nothing here prints; `progress.listen` tells who wants to know how far a query has come.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podproof.queries.checking import CheckAnswer, check
    from podproof.queries.conforming import conform
    from podproof.queries.exploring import explore
    from podproof.queries.mutating import adequacy
    from podproof.queries.proving import prove
    from podproof.queries.reviewing import review

__all__ = ["CheckAnswer", "adequacy", "check", "conform", "explore", "prove", "review"]

_PLACES = {
    "CheckAnswer": "checking",
    "adequacy": "mutating",
    "check": "checking",
    "conform": "conforming",
    "explore": "exploring",
    "prove": "proving",
    "review": "reviewing",
}
"""Each is loaded when it is first named: an engine takes a while, and not everyone here needs one."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
