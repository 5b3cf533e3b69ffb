"""What `check` found out about several versions and models: side by side, then what is to be said of each."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import UNSET

from podproof.checker.core.system import Exploration, Status
from podproof.reports.content.check import CheckReport, TextOptions
from podproof.reports.content.finding import Report
from podproof.reports.content.verdicts import Verdicts
from podproof.reports.document import GAP, Heading, Paragraph, Part, Table, indented
from podproof.reports.judgement import Judgement
from podproof.reports.layout import Detail, number_of
from podproof.reports.summary import kept_claims, overall, shortest

_LEGEND = "✗ with how many claims are violated, ? not decided, ✓ everything holds, · not asked."
_MARKS: Mapping[Status, str] = {Status.HOLDS: "✓", Status.PROVED: "✓", Status.UNKNOWN: "?", Status.VIOLATED: "✗"}
_LOOKS: Mapping[str, Any] = {"✗": "bad", "?": "open"}


@dataclass(frozen=True)
class SubjectAnswer:
    """What was found out about one version or model."""

    explorations: Sequence[Exploration]
    judgement: Judgement
    wanted: TextOptions

    @property
    def name(self) -> str:
        return self.explorations[0].system.version


def subjects_parts(answers: Sequence[SubjectAnswer], whole: Judgement, detail: Detail) -> Iterator[Part]:
    """The document: a table of subjects and scenarios, the claims that differ, and each subject that does not pass."""
    names = list(dict.fromkeys(e.system.scenario for answer in answers for e in answer.explorations))
    if detail is not Detail.QUIET:
        letters = [string.ascii_lowercase[i] if i < 26 else str(i + 1) for i in range(len(names))]
        yield Heading("Scenarios")
        yield indented([Table((), list(zip(letters, names, strict=True))), GAP])
        rows = [(answer.name, *_cells(answer, names), _end(answer)) for answer in answers]
        yield Heading("Versions and models", f"   {_LEGEND}")
        yield indented([Table(("", *letters, ""), rows, looks=_LOOKS), GAP])
        if rows := list(_differences(answers)):
            yield Heading("What differs", "   ✗ with the steps of the shortest trace")
            yield indented([Table(("", *(answer.name for answer in answers)), rows, looks=_LOOKS), GAP])
    for answer in answers:
        if detail is Detail.FULL or answer.judgement.code:
            yield from CheckReport(answer.explorations, answer.wanted, detail).parts()
            yield GAP
    extent = f"{len(answers)} versions and models in {number_of(len(names), 'scenario')}"
    yield Paragraph(f"{extent}. Exit code {whole.code}: {whole.reason}.")


def _end(answer: SubjectAnswer) -> str:
    """The exit code, and how many claims are violated and no worse than what is known."""
    kept = kept_claims(answer.explorations)
    return f"exit code {answer.judgement.code}" + (f", {len(kept)} known" if kept else "")


def _cells(answer: SubjectAnswer, scenarios: Sequence[str]) -> Iterator[str]:
    found, together = {e.system.scenario: e for e in answer.explorations}, overall(answer.explorations)
    for name in scenarios:
        if (e := found.get(name)) is None:
            yield "·"
            continue
        # A witness that another scenario has is none that is missing here.
        statuses = [
            v.status for v in e.verdicts if v.property.kind != "sometimes" or v.status is together[v.property.id]
        ]
        violated = statuses.count(Status.VIOLATED)
        yield f"✗{violated}" if violated else "?" if Status.UNKNOWN in statuses else "✓"


def _differences(answers: Sequence[SubjectAnswer]) -> Iterator[tuple[str, ...]]:
    """The claims that come out otherwise for some subject than for another, over all scenarios."""
    statuses = [overall(answer.explorations) for answer in answers]
    traced = [shortest(answer.explorations) for answer in answers]
    for claim in dict.fromkeys(claim for of_one in statuses for claim in of_one):
        found = [of_one.get(claim) for of_one in statuses]
        if len({_MARKS[status] for status in found if status is not None}) > 1:
            lengths = [_steps(of_one.get(claim), claim) for of_one in traced]
            yield (claim, *("·" if s is None else _MARKS[s] + n for s, n in zip(found, lengths, strict=True)))


def _steps(e: Exploration | None, claim: str) -> str:
    traces = [v.trace for v in e.verdicts if v.property.id == claim] if e is not None else []
    return "".join(str(len(trace.steps)) for trace in traces if trace is not None)


def together(answers: Sequence[SubjectAnswer]) -> Judgement:
    """The worst of the judgements, with whose it is."""
    judgements = [answer.judgement for answer in answers]
    worst = next(j.code for code in (130, 1, 4, 0) for j in judgements if j.code == code)
    reasons: dict[str, list[str]] = {}
    for answer in answers:
        if answer.judgement.code == worst:
            reasons.setdefault(answer.judgement.reason, []).append(answer.name)
    if len(answers) > 1:
        reasons = {f"{', '.join(names)}: {reason}": names for reason, names in reasons.items()}
    return replace(judgements[0], code=worst, reason="; ".join(reasons))


def subjects_answer(answers: Sequence[Verdicts], whole: Judgement) -> Verdicts:
    """The answers of all subjects as one: each result names its version, and a claim is as bad as where it is worst."""
    statuses = dict[str, Status]()
    for answer in answers:
        for claim, status in answer.statuses.items():
            statuses[claim] = min(status, statuses.get(claim, status), key=_WORST.index)
    results = [result for answer in answers for result in answer.results]
    functions = [one for answer in answers for one in answer.functions or ()]
    return Verdicts(answers[0].kind, whole.code, statuses, results, functions or UNSET)


_WORST = (Status.VIOLATED, Status.UNKNOWN, Status.HOLDS, Status.PROVED)


def subjects_report(reports: Sequence[Report], line: str, whole: Judgement) -> Report:
    """The findings of all subjects as one report."""
    return replace(
        reports[0],
        line=line,
        subject=", ".join(report.subject for report in reports),
        findings=tuple(finding for report in reports for finding in report.findings),
        exit_code=whole.code,
        reason=whole.reason,
        has_several=True,
        proposal=None,  # The lines of the others are not to be shown there.
    )
