"""From what an exploration found to a verdict: the one place that decides what may be claimed."""

from __future__ import annotations

from podproof.checker.core.system import Property, Status, Trace, Verdict

SO_FAR = "not violated so far; "
"""How the reason of an undecided claim begins, before why the exploration stopped."""


def conclude(p: Property, found: Trace | None, complete: bool, stopped_because: str) -> Verdict:
    """The verdict on a property. `found` is a shortest counterexample, or for `sometimes` a shortest witness.

    Nothing is claimed of an exploration that stopped early, except what was seen.
    """
    if p.kind == "sometimes":
        if found is not None:
            return Verdict(p, Status.HOLDS, f"seen after {_steps(found)}", found)
        if complete:
            return Verdict(p, Status.VIOLATED, "no reachable state is like this")
        return Verdict(p, Status.UNKNOWN, f"not seen yet; {stopped_because}")
    if found is not None:
        return Verdict(p, Status.VIOLATED, f"after {_steps(found)}, shortest", found)
    if complete:
        return Verdict(p, Status.HOLDS, "in every reachable state")
    return Verdict(p, Status.UNKNOWN, f"{SO_FAR}{stopped_because}")


def _steps(trace: Trace) -> str:
    return f"{len(trace.steps)} step" + ("" if len(trace.steps) == 1 else "s")
