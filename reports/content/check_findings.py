"""What `check` found out, as findings for test reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from podproof.checker.core.system import Counterexample, Exploration, Status, Verdict
from podproof.reports.content.finding import CaseResult, Finding, Rule, Severity
from podproof.reports.content.overview import Known
from podproof.reports.expected import Deviation, Deviations, Direction
from podproof.reports.layout import number_of
from podproof.reports.story import end_of, told
from podproof.reports.summary import overall

_OUTCOMES: Mapping[Status, CaseResult] = {
    Status.HOLDS: CaseResult.PASSED,
    Status.PROVED: CaseResult.PASSED,
    Status.VIOLATED: CaseResult.FAILED,
    Status.UNKNOWN: CaseResult.UNDECIDED,
}
_WORDS: Mapping[Status, str] = {
    Status.HOLDS: "holds",
    Status.PROVED: "is proved",
    Status.VIOLATED: "is violated",
    Status.UNKNOWN: "is undecided:",
}


@dataclass(frozen=True)
class KnownViolation:
    """What the verdicts alone do not say."""

    rules: Mapping[str, Rule]
    """For a claim's id, what it is about."""
    replay: Callable[[Exploration, Verdict], str]
    deviations: Deviations | None = None
    """How the verdicts differ from the expected ones; None where none were given."""
    known: Known | None = None
    """How the release is known to break a claim."""


def findings_of(explorations: Sequence[Exploration], known: KnownViolation) -> tuple[Finding, ...]:
    """Every claim in every scenario, and what is expected and not there at all."""
    together = overall(explorations)
    found = [_finding(e, v, together[v.property.id], known) for e in explorations for v in e.verdicts]
    missing = known.deviations.elsewhere if known.deviations is not None else ()
    return (*found, *(_missing(deviation, known) for deviation in missing))


def _finding(e: Exploration, v: Verdict, together: Status, known: KnownViolation) -> Finding:
    outcome = _OUTCOMES[v.status]
    violated = v.status is Status.VIOLATED
    # One scenario that shows it is enough for a witness.
    elsewhere = v.property.kind == "sometimes" and outcome is not CaseResult.PASSED and v.status is not together
    if elsewhere or v.is_no_worse:
        outcome = CaseResult.UNDECIDED if v.baseline is not None and v.baseline.is_open else CaseResult.SKIPPED
    beside = f"; {v.baseline.state.value}: {v.baseline.reason}" if v.baseline is not None else ""
    finding = Finding(
        rule=known.rules.get(v.property.id) or Rule(v.property.id, v.property.meaning),
        version=e.system.version,
        scenario=e.system.scenario,
        outcome=outcome,
        status=v.status.value,
        message=f"{v.property.id} {_WORDS[v.status]} {v.reason}{end_of(v.trace) if violated else ''}{beside}",
        system=e.system,
        replay=known.replay(e, v) if violated and not elsewhere else "",
        seconds=e.seconds / len(e.verdicts),
        baseline=v.baseline,
        known=(known.known(v.property.id, e.system.scenario) if violated and known.known is not None else None) or "",
    )
    if elsewhere:
        finding = replace(finding, message=f"{v.property.id} is decided by another scenario; here: {v.reason}")
    if violated and v.trace is not None:
        others = tuple(_broken(finding, other) for other in v.others)
        first = _broken(finding, Counterexample(v.trace, v.failure))
        finding = replace(first, message=finding.message, others=others)
    return finding if known.deviations is None else _compare(finding, v, known.deviations)


def _broken(finding: Finding, way: Counterexample) -> Finding:
    """The finding with one way to break the claim."""
    assert finding.system is not None
    trace = way.trace
    steps = number_of(len(trace.steps), "step")
    steps += "" if trace.lasso is None else f", of which {len(trace.steps) - trace.lasso.start} go on for ever"
    return replace(
        finding,
        message=f"{finding.rule.id} is violated after {steps}{end_of(trace)}",
        failure=way.failure,
        story=told(finding.system, trace),
        trace=trace,
    )


def _compare(finding: Finding, v: Verdict, deviations: Deviations) -> Finding:
    """With expected verdicts a case fails where it deviates, and a violation that is expected passes.

    A time-out is never what was expected.
    """
    text = deviations.of(finding.version, finding.scenario, finding.rule.id)
    if v.status is Status.UNKNOWN:
        message = finding.message if text is None else f"{finding.rule.id}: {text}"
        return replace(finding, outcome=CaseResult.UNDECIDED, message=message, expected=text or "")
    if text is None:
        skipped = finding.outcome is CaseResult.SKIPPED
        return replace(finding, outcome=CaseResult.SKIPPED if skipped else CaseResult.PASSED, expected="")
    better = any(
        d.direction is Direction.BETTER
        for d in deviations.found
        if (d.version, d.scenario, d.claim) == (finding.version, finding.scenario, finding.rule.id)
    )
    severity: Severity = "warning" if better else "error"
    message = f"{finding.rule.id}: {text}"
    return replace(finding, outcome=CaseResult.FAILED, message=message, severity=severity, expected=text)


def _missing(d: Deviation, known: KnownViolation) -> Finding:
    """A deviation that belongs to no verdict: a claim or a scenario that is gone, or another number of states."""
    rule = Rule("states", "The scenario has the number of reachable states that is expected.")
    if d.claim is not None:
        rule = known.rules.get(d.claim) or Rule(d.claim, "A claim that is expected, and that nothing decides any more.")
    return Finding(
        rule=rule,
        version=d.version,
        scenario=d.scenario,
        outcome=CaseResult.FAILED,
        status=d.direction.value.upper(),
        message=f"{rule.id}: {d.text}",
        expected=d.text,
    )
