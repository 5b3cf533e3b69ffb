"""Whose model judges a log, and its automata."""

from __future__ import annotations

import functools
import re
from typing import Any

from podproof.checker.core.system import CheckerError
from podproof.kubelet.log_automaton import Automaton, LoneWorker
from podproof.kubelet.log_lines import LogLine
from podproof.model.versions import SINCE_1_22, numbers
from podproof.queries.build import which_version
from podproof.queries.log_claims import followed
from podproof.queries.versions import VERSIONS, version_of

FROM = (1, 24)
"""The first release whose lines are modelled."""
MOST_AUTOMATA = 64
"""Of one question: each costs a second. Lives of one release that have the same messages share theirs."""
ALIKE = (("1.27.4", "1.27.16", "v1.29"), ("1.31.0", "1.31.1", "v1.29"))
"""Releases that lie between two versions which write the same logs, and the version that judges theirs."""
_PATCH = re.compile(r"(\d+\.\d+\.\d+)(?:\+[\w.+-]*)?")
MODELLED: tuple[str, ...] = tuple(
    version.name for version in SINCE_1_22.values() if version.covers and numbers(version.covers[0][0]) >= FROM
)
"""The versions with a model of what they write."""


def whose_model(asked: str | None, release: str, looks_like: str) -> tuple[str | None, str]:
    """The version whose model is used, None where there is none, and why: what is asked for, or what the log says.

    Raises CheckerError if there is no model of what is asked for.
    """
    if asked is not None:
        if asked not in MODELLED:
            why = MODELLED_FROM if asked in VERSIONS else which_version(asked)
            raise CheckerError(f"--version: there is no model of the lines that {asked!r} writes; {why}")
        return asked, "--version says so"
    if release:
        found = version_of(f"v{release}")
        name = found.name if found else _of_like(release)
        return name if name in MODELLED else None, f"the log says {release}"
    if looks_like:
        return f"v{looks_like}", "assumed from the form of the lines"
    return "v1.32", "assumed: nothing in the log says which release it is of"


def _of_like(release: str) -> str | None:
    """Of a release that no version covers the one whose pod worker writes the same logs."""
    found = _PATCH.fullmatch(release)
    if found is None:
        return None
    number = numbers(found[1])
    return next((name for first, last, name in ALIKE if numbers(first) <= number <= numbers(last)), None)


MODELLED_FROM = f"modelled are the lines of {', '.join(MODELLED)}"


@functools.lru_cache(maxsize=MOST_AUTOMATA)
def automata_of(version: str, hidden: frozenset[str | LogLine], most: int) -> tuple[Automaton, ...]:
    """Over the lines of a regular and of a static pod in a log that lacks these messages."""
    return tuple(Automaton(worker, hidden, most) for worker in workers_of(version))


@functools.cache
def workers_of(version: str) -> tuple[LoneWorker, ...]:
    """The worker of a regular and of a static pod."""
    cls: Any = SINCE_1_22[version].cls
    return tuple(LoneWorker(cls, static, followed(version)) for static in (False, True))
