"""What several explorations say about a claim when taken together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from podproof.checker.system import Exploration, Status, Verdict

EXIT_CODES: Mapping[int, str] = {
    0: "all claims hold",
    1: "a claim is violated",
    4: "undecided: nothing is violated as far as was explored, but not all of it was",
    130: "interrupted: this is what was established so far",
}


def overall(explorations: Sequence[Exploration]) -> Mapping[str, Status]:
    """The status of each claim over all scenarios, in the order the claims first appear.

    A claim must hold in every scenario; a `sometimes` claim need only be seen in one.
    """
    found: dict[str, list[Verdict]] = {}
    for exploration in explorations:
        for verdict in exploration.verdicts:
            found.setdefault(verdict.property.id, []).append(verdict)
    return {name: _together(verdicts) for name, verdicts in found.items()}


def _together(verdicts: Sequence[Verdict]) -> Status:
    statuses = {verdict.status for verdict in verdicts}
    if verdicts[0].property.kind == "sometimes":
        order = (Status.HOLDS, Status.PROVED, Status.UNKNOWN, Status.VIOLATED)
    else:
        order = (Status.VIOLATED, Status.UNKNOWN, Status.HOLDS, Status.PROVED)
    return next(status for status in order if status in statuses)


def exit_code(explorations: Sequence[Exploration]) -> int:
    """0 all claims hold, 1 a claim is violated, 4 undecided, 130 interrupted."""
    if any(exploration.interrupted for exploration in explorations):
        return 130
    statuses = set(overall(explorations).values())
    if Status.VIOLATED in statuses:
        return 1
    return 4 if Status.UNKNOWN in statuses else 0


def shortest(explorations: Sequence[Exploration]) -> Mapping[str, Exploration]:
    """For each claim violated with a trace, the first exploration that has a shortest one."""
    best: dict[str, tuple[int, Exploration]] = {}
    for exploration in explorations:
        for verdict in exploration.verdicts:
            if verdict.status is Status.VIOLATED and verdict.trace is not None:
                steps = len(verdict.trace.steps)
                if verdict.property.id not in best or steps < best[verdict.property.id][0]:
                    best[verdict.property.id] = (steps, exploration)
    return {name: exploration for name, (_, exploration) in best.items()}
