"""The catalogue: what every version does in every scenario, as tests/golden/catalogue-<version>.txt says it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from podproof.checker.core.system import Exploration, Status
from podproof.model.scenarios import CALLERS, DETAILED, HISTORY, SCENARIOS
from podproof.queries.claims import CLAIMS
from podproof.specs import Claim

GOLDEN = Path(__file__).parent / "golden"
_QUICK = ("one-pod", "one-pod-restart", "uid-reuse", "orphan")
_OLDER = (
    *("one-pod", "one-pod-restart", "uid-reuse", "static-removed", "evict-and-delete", "orphan", "open-pod"),
    *("static-pair", "static-pair-restart", "two-goroutines", "updated-pod"),
)
CATALOGUE = {
    "v1.36.3": (
        *("one-pod", "one-pod-restart", "static-removed", "static-moved-back"),
        *("two-goroutines", "updated-pod", *CALLERS),
    ),
    "v1.36": ("one-pod", "two-goroutines", *CALLERS),
    "v1.32": ("one-pod", "one-pod-restart", "evict-and-delete", "orphan", "open-pod"),
    "v1.29": tuple(name for name in SCENARIOS if name not in ("three-pods", *HISTORY, *DETAILED, *CALLERS)),
    "v1.27.2": ("one-pod-restart", "orphan"),
    "v1.27.0": ("one-pod-restart", "uid-reuse", "static-removed", "orphan", "open-pod"),
    "v1.26": _OLDER,
    "v1.22.5": _OLDER,
    "v1.22.0": _OLDER,
    "walkthrough-001": _QUICK,
    "walkthrough-001-update": (*_QUICK, "static-pair"),
    "walkthrough-001-complete": _QUICK,
}
"""Version -> scenarios. Left out is where a release does what another one does, and what has millions of states."""
RELEASES = tuple(version for version in CATALOGUE if version.startswith("v"))
CLAIM = {claim.id: claim for claim in CLAIMS}


@dataclass(frozen=True)
class Result:
    """One line of the catalogue. `steps` is None where there is no trace."""

    version: str
    scenario: str
    claim: Claim
    status: str
    steps: int | None

    @property
    def known(self) -> str | None:
        return self.claim.known_violation(self.version, self.scenario)


def table(found: Exploration) -> str:
    """An exploration as the catalogue shows it."""
    bounds = ", ".join(f"{name} {count:,}" for name, count in found.bounds_hit.items()) or "none"
    lines = [
        f"{found.system.scenario}: {found.states:,} states, {found.transitions:,} transitions, depth {found.depth}",
        f"  bounds hit: {bounds}",
    ]
    for verdict in found.verdicts:
        steps = "" if verdict.depth is None else f"  {verdict.depth}"
        lines.append(f"  {verdict.status.value:8}  {verdict.property.kind:9}  {verdict.property.id}{steps}")
    return "\n".join(lines) + "\n"


@cache
def catalogue(version: str) -> tuple[Result, ...]:
    """The golden catalogue of a version."""
    results, scenario = [], ""
    for line in (GOLDEN / f"catalogue-{version}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(" "):
            scenario = line.partition(":")[0]
        elif line.startswith(tuple(f"  {status.value}" for status in Status)):
            status, _, id, *steps = line.split()
            results.append(Result(version, scenario, CLAIM[id], status, int(steps[0]) if steps else None))
    return tuple(results)


def result(version: str, scenario: str, id: str) -> Result:
    (only,) = (r for r in catalogue(version) if r.scenario == scenario and r.claim.id == id)
    return only


def violated(version: str, id: str) -> set[str]:
    """The scenarios in which a version violates a claim; for a witness, those in which it is never seen."""
    return {r.scenario for r in catalogue(version) if r.claim.id == id and r.status == "VIOLATED"}
