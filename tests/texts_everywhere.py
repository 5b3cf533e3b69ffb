"""Everything that outputs are made of, with one text in every place where a file can put one."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

from bench.peers import About
from tests.nasty_report import nasty_report
from tests.small_worker import Worker, small_worker

from podproof.checker.conformance import Conformance, Mismatch
from podproof.checker.core.graph import Line
from podproof.checker.core.printer import visible
from podproof.checker.core.system import ClaimFailure, Exploration, FailingPart, Property, System
from podproof.checker.engines.python import Python
from podproof.checker.explain.failing_part import with_failures
from podproof.checker.lowering.claims import lower_properties
from podproof.reports.content.check import TextOptions
from podproof.reports.content.check_findings import FindingContext, findings_of
from podproof.reports.content.conform import Replay
from podproof.reports.content.finding import Report
from podproof.reports.content.log import (
    Interval,
    Judged,
    LineAnswer,
    LineStep,
    LogAnswer,
    LogClaim,
    Rejected,
    RunLine,
    StepOfRun,
    Told,
    WaitingPod,
    Waits,
)
from podproof.reports.document import (
    Bullets,
    Diagram,
    DiagramEdge,
    DiagramNode,
    Fold,
    Page,
    Paragraph,
    Section,
    Table,
    Verbatim,
    code,
)
from podproof.reports.page.build import PageContent
from podproof.reports.pictures.trace import TraceDiagram


@cache
def explored() -> Exploration:
    claims = [
        Property("never_done", "always", "It is never done.", never_done),
        Property("is_done", "sometimes", "It is done.", is_done),
    ]
    worker = small_worker(Worker)
    return with_failures(Python().run(worker, lower_properties(worker, claims)))


def never_done(state: Worker) -> bool:
    return not state.done


def is_done(state: Worker) -> bool:
    return state.done


def system_with(text: str) -> System:
    """The small worker, with the text in every name and label that a file can give."""
    system = small_worker(Worker)
    label = text.replace("{", "{{").replace("}", "}}")
    line = Line(visible(text), 1)  # As `short_path` makes it.
    actions = {a.name: dataclasses.replace(a, label=label, actor=text, line=line) for a in system.actions}
    return dataclasses.replace(
        system,
        name=f"{text}/{text}",
        version=visible(text),  # As `subject_of` makes it.
        environment=text,
        scenario="one-pod",  # These names are podproof's own.
        bounds=text,
        variables=tuple(
            v if v.is_bool else dataclasses.replace(v, labels={0: text, 1: text}) for v in system.variables
        ),
        actions=tuple(actions.values()),
        transitions=tuple(
            dataclasses.replace(t, action=actions[t.action.name], bounds={text: system.graph.false})
            for t in system.transitions
        ),
    )


def exploration_with(text: str) -> Exploration:
    system, found = system_with(text), explored()
    verdicts = []
    for verdict in found.verdicts:
        trace = verdict.trace
        assert trace is not None
        steps = []
        for step in trace.steps:
            action = next(a for a in system.actions if a.name == step.action)
            values = {p.name: int(step.parameters[p.name]) for p in action.parameters}
            changes = tuple(dataclasses.replace(c, line=Line(visible(text), 2)) for c in step.changes)
            line = dataclasses.replace(step, actor=text, event=action.event(values), changes=changes, line=action.line)
            steps.append(line)
        failure = verdict.failure
        if failure is not None and failure.part is not None:
            said = {"text": text, "shown": text, "bound": {text: text}, "where": (text,), "because": (text,)}
            part = dataclasses.replace(failure.part, **said, values={text: text}, line=Line(visible(text), 3))
            failure = ClaimFailure(text, part)
        trace = dataclasses.replace(trace, steps=tuple(steps))
        verdicts.append(dataclasses.replace(verdict, reason=text, trace=trace, failure=failure, not_known=text))
    return dataclasses.replace(
        found,
        system=system,
        complete=False,
        reason=text,
        engine=text,
        bounds_hit={text: 3},
        reductions=(text,),
        verdicts=tuple(verdicts),
    )


def page_content(text: str) -> PageContent:
    found = exploration_with(text)
    return PageContent(
        text, text, [found], notes={"never_done": text}, replay=lambda _e, _v: text, explore=lambda _e, _t: text
    )


def sequence(text: str) -> TraceDiagram:
    found = exploration_with(text)
    verdict = found.verdicts[0]
    assert verdict.trace is not None
    return TraceDiagram(found.system, verdict, verdict.trace, text)


def exported(text: str) -> tuple[Any, ...]:
    system = system_with(text)
    return (
        system,
        lower_properties(system, [v.property for v in explored().verdicts]),
        None,
        About(text, (text,), (text,)),
    )


def findings_report(text: str) -> Report:
    found = findings_of([exploration_with(text)], FindingContext({}, lambda _e, _v: text))
    return dataclasses.replace(report_with(text), findings=found)


def wanted(text: str) -> TextOptions:
    return TextOptions({"never_done": text}, lambda _e, _v: text, True)


def report_with(text: str) -> Report:
    """The nasty report with the text in every field of every finding."""
    report = nasty_report()
    names = ("version", "scenario", "message", "replay", "case")
    failure = ClaimFailure(text, FailingPart(text, text, {text: text}, (text,), (text,), {}, Line(visible(text), 1)))
    fields: dict[str, Any] = dict.fromkeys(names, text) | {"story": (text, text), "failure": failure}
    findings = []
    for finding in report.findings:
        rule = dataclasses.replace(finding.rule, meaning=text, why=text, source=text)
        other = dataclasses.replace(finding, **fields, rule=rule, others=())
        findings.append(dataclasses.replace(other, others=(other,)))
    return dataclasses.replace(report, line=text, subject=text, findings=tuple(findings), reason=text)


def page_with(text: str) -> Page:
    diagram = Diagram([DiagramNode("n0", [text], "both", True)], [DiagramEdge("n0", "n0", [text, text], "added")], text)
    rows = [[text, code(text)], ["", text]]
    blocks = [Paragraph(text), Bullets([text, code(text)]), Table([text, text], rows), Verbatim([text, text]), diagram]
    folded = Fold(text, [Paragraph(text), Verbatim([text], "diff")], in_text=True)
    return Page(text, "DIFFERENT", [text], [Section("A section", [*blocks, folded])], text)


def judged_log(text: str) -> LogAnswer:
    rejected = [Rejected(text, text, [text])]
    waits = [Waits(text, text, text, text, text, 3, [text], [text])]
    told = (text, text, "gap", text, text, text, text, text, 1, 2)
    claims = [LogClaim(text, text, in_every, text, [text]) for in_every in (True, False)]
    lines = [RunLine(text, text)]
    run = [StepOfRun(text, text, lines, lines, [text])]
    pod = Judged(*told, stands=[text], waits=waits, rejected=rejected, claims=claims, run=run)
    waiting, life = [WaitingPod(text, text, [text], text, text, waits)], [Told(text, text, text)]
    return LogAnswer(
        command=text,
        exit_code=4,
        pods=[pod],
        waiting=waiting,
        life=life,
        intervals=[Interval(2.5, text, text)],
        unread=1,
        left_out=1,
    )


def explained_line(text: str) -> LineAnswer:
    step = LineStep(text, text, text, text, [text], [text], [text], [text])
    told = (text, 0, text, text, [text], text, text, text, text, [step])
    return LineAnswer(*told, waits=[text], ends=[text], known=[text])


def conformed(text: str) -> Replay:
    different = Mismatch(text, 3, None)
    results = [
        Conformance(text, f"{text}:1", False, 2, 1, (different,), (text,)),
        Conformance(text, f"{text}:1", True, 2),
    ]
    return Replay(command=text, exit_code=1, version=text, conforming=1, total=2, left_out=0, files=(), results=results)
