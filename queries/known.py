"""What is known to be violated: what is recorded of a release, and what a team lists in its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.system import CheckerError, Exploration, Status, System, Verdict
from podproof.checker.lowering.source import suggestion
from podproof.model.functions import FUNCTIONS
from podproof.queries.build import Subject
from podproof.reports.summary import overall


@dataclass(frozen=True)
class ListedViolations:
    """The violations that a team accepts of its fork or proposal."""

    place: str = ""
    """Where they are listed: `podproof.toml: [known]`."""
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """A claim, and a scenario (empty: any) -> why."""

    def check_names(self, subjects: Sequence[Subject]) -> None:
        """Raise CheckerError for an entry that names no claim, or no scenario, of any of these."""
        claims = {claim.id for subject in subjects for claim in subject.every_claim}
        functions = {name for group, some in FUNCTIONS.items() for name in (group, *(f.name for f in some))}
        scenarios = functions.union(*(subject.scenarios for subject in subjects))
        for claim, scenario in self.reasons:
            if claim not in claims:
                advice = suggestion(claim, claims, "see `podproof explain properties`")
                raise CheckerError(f"{self.place} {claim}: there is no claim {claim!r}; {advice}")
            if scenario and scenario not in scenarios:
                advice = suggestion(scenario, scenarios)
                raise CheckerError(f"{self.place} {claim}.{scenario}: there is no scenario {scenario!r}; {advice}")

    def entry(self, claim: str, scenario: str) -> tuple[str, str] | None:
        """What lists that a claim is violated in a scenario: that of the scenario before that of any."""
        return next((entry for entry in ((claim, scenario), (claim, "")) if entry in self.reasons), None)


def with_known(subject: Subject, found: Sequence[Exploration], listed: ListedViolations) -> list[Exploration]:
    """The same; each violation that is known with what is known of it, and what is listed and holds as mended.

    What a release is recorded to violate counts for the release alone: of a change only a comparison says whether it
    is that. `listed.check_names` has found nothing wrong.
    """
    status = overall(found)
    mended = _mended(found, listed) if not any(e.interrupted for e in found) else {}

    def mark(e: Exploration, v: Verdict) -> Verdict:
        id, scenario = v.property.id, e.system.scenario
        if v.status is Status.VIOLATED is status[id]:
            if (entry := listed.entry(id, scenario)) is not None:
                return _beside(subject, v, BaselineState.KNOWN, listed.reasons[entry], is_listed=True)
            if subject.base is None and (text := _recorded(subject, id, e.system)) is not None:
                return _beside(subject, v, BaselineState.KNOWN, text)
        if (entry := mended.get((id, scenario))) is not None:
            where = f"in {entry[1]}" if entry[1] else "in every scenario here"
            vacuously = ", though what it is about never happens" if v.is_vacuous else ""
            reason = f"{listed.place} lists it ({listed.reasons[entry]}), and it holds {where}{vacuously}; take it out"
            return _beside(subject, v, BaselineState.MENDED, reason, is_listed=True)
        return v

    return [replace(e, verdicts=tuple(mark(e, v) for v in e.verdicts)) for e in found]


def _beside(subject: Subject, v: Verdict, state: BaselineState, reason: str, is_listed: bool = False) -> Verdict:
    return replace(v, baseline=Baseline(subject.release.name, state, reason, is_listed=is_listed), before=None)


def _recorded(subject: Subject, id: str, system: System) -> str | None:
    claim = next((claim for claim in subject.every_claim if claim.id == id), None)
    return None if claim is None else subject.known_violation(claim, system.scenario, bool(system.endless))


def _mended(found: Sequence[Exploration], listed: ListedViolations) -> Mapping[tuple[str, str], tuple[str, str]]:
    """A claim and the scenario to tell it in -> the entry that nothing violates here any more."""
    mended: dict[tuple[str, str], tuple[str, str]] = {}
    holds, together = (Status.HOLDS, Status.PROVED), overall(found)
    for claim, scenario in listed.reasons:
        where = [
            (e.system.scenario, v.status)
            for e in found
            for v in e.verdicts
            if v.property.id == claim and scenario in ("", e.system.scenario)
        ]
        held = [name for name, status in where if status in holds]
        if held and (scenario or together[claim] in holds):
            mended.setdefault((claim, held[0]), (claim, scenario))
    return mended
