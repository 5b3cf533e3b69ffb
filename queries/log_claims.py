"""What is known of a release: the claims that a pod worker's lines decide and it breaks, and its bugs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from podproof.kubelet.log_automaton import Holds
from podproof.model.versions import SINCE_1_22, numbers
from podproof.reports.content.log import LogClaim
from podproof.specs import CLAIMS_SINCE_1_22
from podproof.specs.history import BUGS

_DECIDED = (
    "sync_functions_run_in_order",
    "requested_terminations_have_a_worker",
    "pods_are_not_finished_at_first_sight",
    "finished_pods_are_terminated",
    "one_sync_call_per_pod",
    "working_pods_have_a_busy_worker",
    "pending_updates_are_not_forgotten",
)
"""They read nothing that the automaton of one worker leaves out."""
GRACE_PERIOD_ONLY_DECREASES = "grace_period_only_decreases"
"""Decided by the numbers in the lines of SyncTerminatingPod: the automaton leaves seconds out."""
_CLAIMS = {claim.id: claim for claim in CLAIMS_SINCE_1_22}
DECIDED = {name: _CLAIMS[name] for name in _DECIDED}


def followed(version: str) -> Mapping[str, Holds]:
    """Those that a version is recorded to break, as what one step keeps; of the others no log of it says anything."""
    return {
        claim.id: _of_a_step(claim.kind, claim.function)
        for claim in DECIDED.values()
        if any(violation.concerns(SINCE_1_22[version]) for violation in claim.violations)
    }


def _of_a_step(kind: str, function: Any) -> Holds:
    """A claim about states is broken by the step that leads to one."""
    return function if kind == "step" else lambda _, after: function(after)


def broken_claim(version: str, name: str, place: str, in_every: bool) -> LogClaim:
    """What is told of a claim that the lines up to a place break."""
    claim = _CLAIMS[name]
    known = (violation for violation in claim.violations if violation.concerns(SINCE_1_22[version]))
    return LogClaim(
        claim=name,
        meaning=claim.meaning,
        in_every=in_every,
        place=place,
        known=[violation.by or violation.how for violation in known],
    )


_RELEASE = re.compile(r"\d+\.\d+(?:\.\d+)?(?!\d|.*(?:alpha|beta|rc))")


def bugs_of(ids: Iterable[str], release: str) -> list[str]:
    """What is told of those bugs that a release is declared to have; nothing of one that is not out, or not known."""
    found = _RELEASE.match(release)
    if found is None:
        return []
    number = numbers(found[0])
    return [
        f"{bug.id}: {bug.title}" + "".join(f", kubernetes/kubernetes#{issue}" for issue in bug.issues[:1])
        for bug in BUGS
        if bug.id in ids and number >= numbers(bug.since) and (not bug.until or number < numbers(bug.until))
    ]
