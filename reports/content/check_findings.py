"""What `check` found out, as findings for test reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from podproof.checker.core.system import Counterexample, Exploration, Status, Verdict
from podproof.reports.content.finding import CaseResult, Finding, Rule
from podproof.reports.layout import number_of
from podproof.reports.story import end_of, plain_story
from podproof.reports.summary import overall, vacuous_claims

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
class FindingContext:
    """What the verdicts alone do not say."""

    rules: Mapping[str, Rule]
    """For a claim's id, what it is about."""
    replay: Callable[[Exploration, Verdict], str]
    is_strict: bool = False
    """Does what is known or inherited fail, too, and what holds vacuously or without being listed any more?"""


def findings_of(explorations: Sequence[Exploration], context: FindingContext) -> tuple[Finding, ...]:
    """Every claim in every scenario."""
    together = overall(explorations)
    vacuous = vacuous_claims(explorations) if context.is_strict else ()
    found = (_finding(e, v, together[v.property.id], context) for e in explorations for v in e.verdicts)
    return tuple(replace(f, outcome=CaseResult.FAILED) if f.rule.id in vacuous else f for f in found)


def _finding(e: Exploration, v: Verdict, together: Status, context: FindingContext) -> Finding:
    outcome = _OUTCOMES[v.status]
    violated = v.status is Status.VIOLATED
    # One scenario that shows it is enough for a witness.
    elsewhere = v.property.kind == "sometimes" and outcome is not CaseResult.PASSED and v.status is not together
    is_mended_entry = v.baseline is not None and v.baseline.is_listed and not violated
    if elsewhere or (v.is_no_worse and not context.is_strict):
        outcome = CaseResult.UNDECIDED if v.baseline is not None and v.baseline.is_open else CaseResult.SKIPPED
    elif is_mended_entry and context.is_strict:
        outcome = CaseResult.FAILED
    beside = f"; {v.baseline.state.value}: {v.baseline.reason}" if v.baseline is not None else ""
    finding = Finding(
        rule=context.rules.get(v.property.id) or Rule(v.property.id, v.property.meaning),
        version=e.system.version,
        scenario=e.system.scenario,
        outcome=outcome,
        status=v.status.value,
        message=f"{v.property.id} {_WORDS[v.status]} {v.reason}{end_of(v.trace) if violated else ''}{beside}",
        system=e.system,
        severity="note" if v.is_no_worse and not context.is_strict else "error",
        replay=context.replay(e, v) if violated and not elsewhere else "",
        seconds=e.seconds / len(e.verdicts),
        baseline=v.baseline,
    )
    if elsewhere:
        finding = replace(finding, message=f"{v.property.id} is decided by another scenario; here: {v.reason}")
    if violated and v.trace is not None:
        others = tuple(_broken(finding, other) for other in v.others)
        first = _broken(finding, Counterexample(v.trace, v.failure))
        finding = replace(first, message=finding.message, others=others)
    return finding


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
        story=plain_story(finding.system, trace),
        trace=trace,
    )
