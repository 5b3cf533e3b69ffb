"""The exit code of a run of verdicts, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podproof.checker.core.answer import ExitCode
from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import Exploration, Status
from podproof.reports.summary import mended_entries, open_claims, overall, vacuous_claims, worse_claims


@dataclass(frozen=True)
class Strictness:
    """What may pass."""

    undecided_ok: bool = False
    """May claims be undecided?"""
    is_strict: bool = False
    """Does what is known or inherited count, too, and what holds vacuously or without being listed any more?"""


LENIENT = Strictness()


@dataclass(frozen=True)
class BesideClaims:
    """What else decides: of functions that no scenario runs the claims that are broken, and what nobody can tell of."""

    broken: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


NOTHING = BesideClaims()
_MOST_NAMES = 4
"""So many of what is open are named."""


@dataclass(frozen=True)
class Judgement:
    """The exit code of a run, and why."""

    code: ExitCode
    reason: str
    by: Strictness = LENIENT


def judge(explorations: Sequence[Exploration], by: Strictness = LENIENT, beside: BesideClaims = NOTHING) -> Judgement:
    """0 nothing is worse than what is known, 1 something is, 4 undecided, 130 interrupted."""
    return Judgement(*_end(explorations, by, beside), by)


def _end(explorations: Sequence[Exploration], by: Strictness, beside: BesideClaims) -> tuple[ExitCode, str]:
    if any(exploration.interrupted for exploration in explorations):
        return 130, "interrupted: this is what was established so far"
    known = _known(explorations)
    if worse_claims(explorations):
        return 1, f"something is worse than {known}" if known else "a claim is violated"
    if beside.broken:
        return 1, f"a claim about a function is violated: {', '.join(beside.broken)}"
    if by.is_strict and (reason := _fault(explorations)):
        return 1, reason
    told = f"nothing is worse than {known}" if known else "nothing is violated"
    left = open_claims(explorations)
    if left and not by.undecided_ok:
        return 4, f"undecided: {told} as far as was explored, but not all of it was"
    if beside.unread and not by.undecided_ok:
        names, more = beside.unread[:_MOST_NAMES], len(beside.unread) - _MOST_NAMES
        others = f" and {more} more" if more > 0 else ""
        return 4, f"undecided: {told}, but nobody can tell of {', '.join(names)}{others}"
    if left:
        return 0, f"{told}, and undecided claims ({len(left)}) may pass: --undecided ok"
    return 0, told if known else "all claims hold"


def _fault(explorations: Sequence[Exploration]) -> str:
    """What is a fault only where one is strict; empty for nothing."""
    if Status.VIOLATED in overall(explorations).values():
        return "a claim is violated (--strict)"
    if mended := mended_entries(explorations):
        return f"what is listed as known holds (--strict): {', '.join(mended)}"
    if vacuous := vacuous_claims(explorations):
        return f"nothing exercises a claim that holds (--strict): {', '.join(vacuous)}"
    return ""


def _known(explorations: Sequence[Exploration]) -> str:
    """What the violations are compared with; empty where there is nothing."""
    kept = [v.baseline for e in explorations for v in e.verdicts if v.is_no_worse and v.baseline is not None]
    releases = [f"in {b.version}" for b in kept if b.state is not BaselineState.KNOWN]
    known = ["what is known" for b in kept if b.state is BaselineState.KNOWN]
    return " or than ".join(dict.fromkeys([*releases, *known]))
