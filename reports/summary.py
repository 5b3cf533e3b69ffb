"""What several explorations say about a claim when taken together."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import Counterexample, Exploration, Status, Verdict
from podproof.reports.layout import number_of


def overall(explorations: Sequence[Exploration]) -> Mapping[str, Status]:
    """The status of each claim over all scenarios, in the order the claims first appear.

    A claim must hold in every scenario; a `sometimes` claim need only be seen in one.
    """
    found: dict[str, list[Verdict]] = {}
    for exploration in explorations:
        for verdict in exploration.verdicts:
            found.setdefault(verdict.property.id, []).append(verdict)
    return {name: _together(verdicts) for name, verdicts in found.items()}


def size_of(e: Exploration) -> str:
    """How large what was explored is: `835 states, 2,125 transitions, depth 24`; the depth where it is known."""
    depth = "" if e.depth is None else f", depth {e.depth}"
    return f"{number_of(e.states, 'state')}, {number_of(e.transitions, 'transition')}{depth}"


def open_bounds(e: Exploration) -> Sequence[str]:
    """The bounds at which steps may be cut off, for all that a proof says."""
    names = dict.fromkeys(name for transition in e.system.transitions for name in transition.bounds)
    return [name for name in names if name not in e.excluded_bounds]


def _together(verdicts: Sequence[Verdict]) -> Status:
    statuses = {verdict.status for verdict in verdicts}
    if verdicts[0].property.kind == "sometimes":
        order = (Status.HOLDS, Status.PROVED, Status.UNKNOWN, Status.VIOLATED)
    else:
        order = (Status.VIOLATED, Status.UNKNOWN, Status.HOLDS, Status.PROVED)
    return next(status for status in order if status in statuses)


def vacuous_claims(explorations: Sequence[Exploration]) -> list[str]:
    """The claims that hold wherever they were asked, and whose premise none of the scenarios meets."""
    found: dict[str, bool] = {}
    for exploration in explorations:
        for verdict in exploration.verdicts:
            found[verdict.property.id] = found.get(verdict.property.id, True) and verdict.is_vacuous is True
    return [name for name, is_vacuous in found.items() if is_vacuous]


def worse_claims(explorations: Sequence[Exploration]) -> list[str]:
    """The claims that are violated, and not merely as is known, as in a changed release, or on purpose."""
    together = overall(explorations)
    violated = (v for e in explorations for v in e.verdicts if v.status is together[v.property.id] is Status.VIOLATED)
    return list(dict.fromkeys(v.property.id for v in violated if not v.is_no_worse))


def kept_claims(explorations: Sequence[Exploration]) -> list[str]:
    """The claims that are violated, and no worse than what is known."""
    worse = worse_claims(explorations)
    return [id for id, status in overall(explorations).items() if status is Status.VIOLATED and id not in worse]


def open_claims(explorations: Sequence[Exploration]) -> list[str]:
    """The claims that are undecided, or of which it is undecided whether all that violates them is inherited."""
    found = [name for name, status in overall(explorations).items() if status is Status.UNKNOWN]
    compared = (v for e in explorations for v in e.verdicts if v.baseline is not None and v.baseline.is_open)
    return list(dict.fromkeys([*found, *(v.property.id for v in compared)]))


def standing(explorations: Sequence[Exploration], claim: str) -> str:
    """How a claim stands to what is known, in a word or two, the worst of it; empty where there is nothing to say."""
    found = [v for e in explorations for v in e.verdicts if v.property.id == claim]
    compared = [v.baseline for v in found if v.baseline is not None]
    states = [baseline.state for baseline in compared]
    worst = next((state for state in BaselineState if state in states), None)
    if worst is not BaselineState.KNOWN:
        return "" if worst is None else worst.value
    if any(v.status is Status.VIOLATED and v.baseline is None for v in found):
        return ""
    issue = next(filter(None, (issue_in(baseline.reason) for baseline in compared)), "")
    return f"known: {issue}" if issue else "known"


def issue_in(text: str) -> str:
    """The first issue that a text names, `#115819`; empty for none."""
    found = re.search(r"#\d+", text)
    return found[0] if found else ""


def mended_entries(explorations: Sequence[Exploration]) -> list[str]:
    """The claims that a team lists as violated, and that hold."""
    found = (v for e in explorations for v in e.verdicts if v.baseline is not None and v.baseline.is_listed)
    return list(dict.fromkeys(v.property.id for v in found if v.status in (Status.HOLDS, Status.PROVED)))


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


def counterexamples(
    explorations: Sequence[Exploration], most: int
) -> Mapping[str, Sequence[tuple[Exploration, Counterexample]]]:
    """For each claim that is violated with a trace, up to `most` counterexamples over all scenarios, shortest first.

    Of each action that breaks the claim only a shortest one is among them, where it first appears. Where one is not
    inherited, those that are do not count.
    """
    worse = worse_claims(explorations)
    best: dict[str, dict[str, tuple[Exploration, Counterexample]]] = {}
    for exploration in explorations:
        for verdict in exploration.verdicts:
            is_told = not (verdict.is_no_worse and verdict.property.id in worse)
            if verdict.status is Status.VIOLATED and verdict.trace is not None and is_told:
                by_action = best.setdefault(verdict.property.id, {})
                for found in _of(verdict):
                    known = by_action.get(found.action)
                    if known is None or _length(found) < _length(known[1]):
                        by_action[found.action] = (exploration, found)
    return {
        name: sorted(by_action.values(), key=lambda pair: _length(pair[1]))[:most] for name, by_action in best.items()
    }


def others_note(verdict: Verdict, shown: Collection[str]) -> str:
    """Which actions break the claim in this scenario besides those that are shown; empty where nobody asked."""
    if verdict.more is None:
        return ""
    left = [action for action in (*(found.action for found in _of(verdict)), *verdict.more) if action not in shown]
    parts = [f"also broken by {', '.join(left)}"] if left else []
    if verdict.not_known:
        parts.append(f"not known of {verdict.not_known}")
    return "; ".join(parts) or "no other action breaks it here"


def _of(verdict: Verdict) -> Sequence[Counterexample]:
    first = () if verdict.trace is None else (Counterexample(verdict.trace, verdict.failure),)
    return (*first, *verdict.others)


def _length(found: Counterexample) -> int:
    return len(found.trace.steps)
