"""A report in which every text has something in it that some format takes for syntax."""

from __future__ import annotations

from dataclasses import replace

from tests.small_worker import Worker, small_worker

from podproof.checker.core.graph import Line
from podproof.checker.core.system import ClaimFailure, FailingPart, System, Trace
from podproof.checker.core.trace import replay
from podproof.reports.content.finding import CaseResult, Finding, Report, Rule

NASTY = "a|b *c* <script>x</script> \"q\" 'r' [d](e) #1 @f $g$ ~h~ \\ & ; : , %0A `i` ::error::j --> ]]>"
CONTROLS = "\x1b[31m\x00\x0b￾\ud800 é 🐳"
LINES = f"{NASTY}\r\n::error::injected\nlast"


def nasty_trace() -> tuple[System, Trace]:
    """A job that fails, in steps whose events are nasty."""
    system = small_worker(Worker)
    trace = replay(system, [("come", {}), ("begin", {}), ("end", {"well": 0})])
    return system, replace(trace, steps=tuple(replace(step, event=NASTY) for step in trace.steps))


def nasty_report() -> Report:
    """One finding of each outcome."""
    system, trace = nasty_trace()
    rule = Rule("a_rule", LINES, LINES, LINES)
    broken = Finding(rule, "v0", "one-job", CaseResult.FAILED, "VIOLATED", f"{NASTY}{CONTROLS}")
    broken = replace(broken, failure=ClaimFailure(NASTY, FailingPart(NASTY, "", {}, (), (), {}, Line("a.py", 1))))
    broken = replace(broken, story=(LINES, NASTY), replay=NASTY)
    findings = (
        replace(broken, system=system, trace=trace),
        Finding(Rule("b_rule", NASTY), "v0", "one-job", CaseResult.UNDECIDED, "UNKNOWN", LINES),
        Finding(Rule("c_rule", NASTY), "v0", "one-job", CaseResult.SKIPPED, "VIOLATED", NASTY),
        Finding(Rule("d_rule", NASTY), "v0", "one-job", CaseResult.PASSED, "HOLDS", NASTY),
        replace(broken, rule=Rule("e_rule", NASTY), scenario=NASTY),
    )
    return Report("check", f"podproof check {NASTY}", NASTY, findings, 1, NASTY, "0.1.0")
