"""From what an exploration found to a verdict: the one place that decides what may be claimed."""

from __future__ import annotations

from podproof.checker.core.system import Property, Status, Trace, Verdict

SO_FAR = "not violated so far; "
"""How the reason of an undecided claim begins, before why the exploration stopped."""


def conclude(
    p: Property, found: Trace | None, complete: bool, stopped_because: str, is_shortest: bool = True
) -> Verdict:
    """The verdict on a property. `found` is a counterexample, or for `sometimes` a witness; is none shorter?

    Nothing is claimed of an exploration that stopped early, except what was seen.
    """
    if p.is_witnessed:
        if found is not None:
            return Verdict(p, Status.HOLDS, f"seen after {_steps(found)}", found)
        if complete:
            return Verdict(p, Status.VIOLATED, "no reachable state is like this")
        return Verdict(p, Status.UNKNOWN, f"not seen yet; {stopped_because}")
    if found is not None:
        return Verdict(p, Status.VIOLATED, f"after {_steps(found)}{', shortest' if is_shortest else ''}", found)
    if complete:
        return Verdict(p, Status.HOLDS, "in every reachable state")
    return Verdict(p, Status.UNKNOWN, f"{SO_FAR}{stopped_because}")


def _steps(trace: Trace) -> str:
    return f"{len(trace.steps)} step" + ("" if len(trace.steps) == 1 else "s")
