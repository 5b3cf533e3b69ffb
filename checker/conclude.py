"""From evidence to a verdict: the one place that decides what may be claimed."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.checker.core.printer import number_of
from podproof.checker.core.system import Property, Status, Trace, Verdict

SO_FAR = "not violated so far; "
"""How the reason of an undecided claim begins, before why the exploration stopped."""


@dataclass(frozen=True)
class Shown:
    """A run decides the claim: a counterexample, or a witness where the claim looks for one."""

    trace: Trace | None
    """None where a deciding state or step was seen and nobody wants the way there."""
    is_shortest: bool = True
    note: str = ""
    """What the reason says of the run besides its length."""


@dataclass(frozen=True)
class Exhausted:
    """The search came to its end, and no run decides the claim."""

    is_vacuous: bool | None = None
    """Whether the premise of a liveness property never occurs; None where nobody looked."""
    for_every_number: bool = False
    """Does the space that was searched stand for every number of seconds?"""


@dataclass(frozen=True)
class Stopped:
    """The search ended at a bound before anything decided the claim."""

    reason: str


@dataclass(frozen=True)
class Proof:
    """An argument that needs no search, checked."""

    reason: str


@dataclass(frozen=True)
class Undecided:
    """Nothing that decides the claim."""

    reason: str


Evidence = Shown | Exhausted | Stopped | Proof | Undecided


def after_search(trace: Trace | None, stopped_because: str) -> Evidence:
    """The evidence of a search through states, nearest first; `stopped_because` is empty where it came to its end."""
    if trace is not None:
        return Shown(trace)
    return Stopped(stopped_because) if stopped_because else Exhausted()


def conclude(p: Property, evidence: Evidence) -> Verdict:
    """The verdict on a property. Of a search that stopped early nothing is claimed except what was seen."""
    match evidence:
        case Shown():
            return _shown(p, evidence)
        case Exhausted() if p.is_witnessed:
            return Verdict(p, Status.VIOLATED, "no reachable state is like this")
        case Exhausted(is_vacuous=is_vacuous):
            status = Status.PROVED if evidence.for_every_number else Status.HOLDS
            return Verdict(p, status, _everywhere(p, is_vacuous), is_vacuous=is_vacuous)
        case Stopped(reason=reason):
            return Verdict(p, Status.UNKNOWN, f"{'not seen yet; ' if p.is_witnessed else SO_FAR}{reason}")
        case Proof(reason=reason):
            return Verdict(p, Status.PROVED, reason)
        case Undecided(reason=reason):
            return Verdict(p, Status.UNKNOWN, reason)


def _shown(p: Property, found: Shown) -> Verdict:
    status = Status.HOLDS if p.is_witnessed else Status.VIOLATED
    if found.trace is None:
        return Verdict(p, status, "in a state or step that was seen")
    steps = len(found.trace.steps)
    if found.trace.lasso is not None:
        reason = found.trace.lasso.in_words(steps, found.is_shortest)
    elif p.is_witnessed:
        reason = f"seen after {number_of(steps, 'step')}"
    else:
        reason = f"after {number_of(steps, 'step')}{', shortest' if found.is_shortest else ''}"
    return Verdict(p, status, reason + found.note, found.trace, is_shortest=found.is_shortest)


def _everywhere(p: Property, is_vacuous: bool | None) -> str:
    if not p.is_about_runs:
        return "in every reachable state"
    return "only because its premise never happens here" if is_vacuous else "in every fair run"
