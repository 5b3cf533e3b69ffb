"""From a comparison of two versions to findings: for each scenario whether they behave alike, and each claim's verdict.

A case fails where the second version is worse; where any difference is to end with exit code 1, it fails there too, a
claim that is gained included, as a note.
"""

from __future__ import annotations

from collections.abc import Mapping

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.graph import Line
from podproof.checker.core.system import Status, System, Trace
from podproof.checker.difference.result import ClaimDifference, Comparison, DecidingTrace, Decision, Difference
from podproof.reports.content.finding import CaseResult, Finding, Rule, Severity
from podproof.reports.content.review.claims import story_lines
from podproof.reports.story import end_of, plain_story

BEHAVIOUR = Rule(
    "same_behaviour",
    "Both versions behave alike in this scenario, as far as the compared fields show it.",
    "Where they do not, the trace leads to a first event that does something else in one of them.",
)
_OUTCOMES: Mapping[Decision, CaseResult] = {
    Decision.IDENTICAL: CaseResult.PASSED,
    Decision.UNREACHED: CaseResult.PASSED,
    Decision.BISIMILAR: CaseResult.PASSED,
    Decision.DIFFERENT: CaseResult.FAILED,
    Decision.UNDECIDED: CaseResult.UNDECIDED,
}


def comparison_findings(
    found: Comparison, rules: Mapping[str, Rule], command: str, on_difference: bool = False
) -> tuple[Finding, ...]:
    """The behaviour in every scenario, and every claim in each scenario that it is about in either version.

    `on_difference`: does every difference fail, and not only what is worse?
    """
    behaviour = [_behaviour(found, difference, command, on_difference) for difference in found.scenarios]
    claims = [
        _claim(found, claim, rules.get(claim.property.id), name, (first, second), command, on_difference)
        for claim in found.claims
        for name, first, second in claim.scenarios
        if first is not None or second is not None
    ]
    order = {difference.systems[0].scenario: i for i, difference in enumerate(found.scenarios)}
    return tuple(sorted([*behaviour, *claims], key=lambda finding: order[finding.scenario]))


def _behaviour(found: Comparison, d: Difference, command: str, on_difference: bool) -> Finding:
    scenario, outcome = d.systems[0].scenario, _OUTCOMES[d.decision]
    message = f"{BEHAVIOUR.id}: {d.reason}"
    if outcome is CaseResult.PASSED and any(_one_sided(claim, scenario) for claim in found.claims):
        outcome, message = CaseResult.FAILED, f"{BEHAVIOUR.id}: a claim is about only one of them"
    system, trace = _divergence(d)
    if outcome is CaseResult.FAILED and d.divergences and trace is not None and trace.steps:
        message = f"{BEHAVIOUR.id}: they part at step {len(trace.steps)}: {trace.steps[-1].event}"
    if not on_difference and outcome is not CaseResult.PASSED:
        outcome = CaseResult.SKIPPED
    return Finding(
        rule=BEHAVIOUR,
        version=_pair(found),
        scenario=scenario,
        outcome=outcome,
        status=d.decision.name,
        message=message,
        severity="warning",
        story=() if system is None or trace is None else plain_story(system, trace),
        system=system,
        trace=trace,
        line=_changed_line(found, d),
        replay=command if outcome is CaseResult.FAILED else "",
    )


def _changed_line(found: Comparison, d: Difference) -> Line:
    """Where the text of the versions differs first; where the second one begins, if they have no text in common."""
    lines = (line for method in found.methods for line in reversed(method.lines) if line is not None)
    return next(lines, d.systems[1].actions[0].line)


def _one_sided(claim: ClaimDifference, scenario: str) -> bool:
    """Is the claim about one version alone in this scenario, which is a difference too?"""
    return scenario in claim.changes and any((a is None) != (b is None) for n, a, b in claim.scenarios if n == scenario)


def _divergence(d: Difference) -> tuple[System | None, Trace | None]:
    """The nearest event with which they part, in the second version if that can take it; else what tells them apart."""
    if d.decision is not Decision.DIFFERENT:
        return None, None
    if not d.divergences:
        return (d.systems[1], d.experiment.traces[1]) if d.experiment is not None else (None, None)
    divergence = min(d.divergences, key=lambda p: len(p.common.steps))
    ends = [(d.systems[side], divergence.outcomes[side]) for side in (1, 0)]
    return next(((system, trace) for system, trace in ends if trace is not None), (None, None))


def _claim(
    found: Comparison,
    claim: ClaimDifference,
    rule: Rule | None,
    scenario: str,
    statuses: tuple[Status | None, Status | None],
    command: str,
    on_difference: bool,
) -> Finding:
    outcome, word, severity = _judge(claim, scenario, statuses)
    if not on_difference:
        outcome = _only_worse(claim, scenario, outcome, statuses)
    verdicts = ", ".join(
        f"{'not about' if status is None else status.value + ' in'} {name}"
        for status, name in zip(statuses, found.names, strict=True)
    )
    evidence = _evidence(claim, scenario, statuses) if outcome is CaseResult.FAILED else None
    given_up = _superseded(claim, scenario)
    beside = "" if given_up is None else f"; {given_up.reason}"
    waits = "" if evidence is None or evidence.trace.lasso is None else end_of(evidence.trace)
    return Finding(
        rule=rule or Rule(claim.property.id, claim.property.meaning),
        version=_pair(found),
        scenario=scenario,
        outcome=outcome,
        status=word.removeprefix("is ").upper(),
        message=f"{claim.property.id} {word}: {verdicts}{waits}{beside}",
        baseline=given_up,
        severity=severity,
        failure=None if evidence is None else evidence.failure,
        story=[] if evidence is None else story_lines(evidence),
        system=None if evidence is None else evidence.systems[0],
        trace=None if evidence is None else evidence.trace,
        replay=command if outcome is CaseResult.FAILED else "",
    )


def _judge(
    claim: ClaimDifference, scenario: str, statuses: tuple[Status | None, Status | None]
) -> tuple[CaseResult, str, Severity]:
    first, second = statuses
    is_open = any(
        name == scenario and baseline.is_open for name, baseline in (*claim.baselines, *claim.undone, *claim.otherwise)
    )
    if Status.UNKNOWN in statuses or is_open:
        return CaseResult.UNDECIDED, "is undecided", "warning"
    if _superseded(claim, scenario) is not None:
        return CaseResult.SKIPPED, "is superseded", "note"
    if scenario in claim.unasked:
        return CaseResult.UNDECIDED, "is not asked of the second", "warning"
    if first is None or second is None:
        return CaseResult.SKIPPED, "is about one of them only", "note"
    if first is second and claim.texts is not None:
        return CaseResult.FAILED, "is not the same claim in both", "warning"
    if first is second and _is_otherwise(claim, scenario):
        return CaseResult.FAILED, "is violated otherwise", "warning"
    if first is second:
        return CaseResult.PASSED, "is the same", "note"
    return (
        (CaseResult.FAILED, "is lost", "error")
        if second is Status.VIOLATED
        else (CaseResult.FAILED, "is gained", "note")
    )


def _only_worse(
    claim: ClaimDifference, scenario: str, outcome: CaseResult, statuses: tuple[Status | None, Status | None]
) -> CaseResult:
    """The outcome where only what is worse fails: what else differs is nothing to fail for."""
    if claim.is_worse_in(scenario) and statuses[1] is Status.VIOLATED:
        return CaseResult.FAILED
    if outcome is CaseResult.FAILED:
        return CaseResult.UNDECIDED if claim.texts is not None else CaseResult.SKIPPED
    if outcome is CaseResult.UNDECIDED and not claim.may_be_worse:
        return CaseResult.SKIPPED
    return outcome


def _superseded(claim: ClaimDifference, scenario: str) -> Baseline | None:
    """How the second version gives the claim up in this scenario, if it does."""
    found = dict(claim.baselines).get(scenario)
    return found if found is not None and found.state is BaselineState.SUPERSEDED else None


def _is_otherwise(claim: ClaimDifference, scenario: str) -> bool:
    """Do both violate the claim in this scenario, and not in the same way?"""
    compared = [b.state for name, b in (*claim.baselines, *claim.undone, *claim.otherwise) if name == scenario]
    if compared:
        return any(state is not BaselineState.INHERITED for state in compared)
    return claim.other_inputs and any(e is not None and e.scenario == scenario for e in claim.evidence)


def _evidence(
    claim: ClaimDifference, scenario: str, statuses: tuple[Status | None, Status | None]
) -> DecidingTrace | None:
    """The trace of the version that breaks the claim, where it is from this scenario; of the second if it is worse."""
    sides = (1,) if claim.is_worse_in(scenario) else (0, 1)
    kept = (e for side in sides if (e := claim.evidence[side]) is not None and statuses[side] is Status.VIOLATED)
    return next((e for e in kept if e.scenario == scenario), None)


def _pair(found: Comparison) -> str:
    first, second = found.names
    return f"{first} to {second}"
