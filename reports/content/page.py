"""The findings of a run as a page: for a job's summary on GitHub, a pull request or an issue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podproof.reports.content.finding import VERDICTS, CaseResult, Finding, Report
from podproof.reports.document import Block, Fold, Page, Paragraph, Section, Table, Verbatim, code
from podproof.reports.layout import number_of
from podproof.reports.pictures.life import read
from podproof.reports.pictures.life_mermaid import life_mermaid
from podproof.reports.story import false_part, sentence

MOST_NAMES = 60
_MARKS = {CaseResult.FAILED: "✗", CaseResult.UNDECIDED: "?", CaseResult.PASSED: "✓", CaseResult.SKIPPED: "-"}


def report_page(report: Report) -> Page:
    """What failed or is open as a table, the shortest trace as a picture, every other one folded."""
    sections = [
        Section("Verdicts", list(_verdicts(report))),
        Section("The shortest way there", list(_shortest(report))),
        Section("Each of them", list(_stories(report))),
    ]
    return Page(
        f"podproof {report.command}: {report.subject}",
        VERDICTS[report.exit_code],
        [report.summary],
        [section for section in sections if section.blocks],
        report.line,
    )


def _verdicts(report: Report) -> Iterator[Block]:
    rows = [
        _row(group, report.has_several)
        for outcome in (CaseResult.FAILED, CaseResult.UNDECIDED)
        for group in report.by_name(outcome).values()
    ]
    for groups in (report.superseded(), report.known(), report.listed_in_vain()):
        rows += [_row(group, report.has_several, beside=True) for group in groups.values()]
    if rows:
        yield Table(["", "case", "found", "where"], rows)
    unsettled = {name for outcome in (CaseResult.FAILED, CaseResult.UNDECIDED) for name in report.by_name(outcome)}
    passed = [name for name in report.by_name(CaseResult.PASSED) if name not in unsettled]
    if passed:
        shown = ", ".join(map(code, passed[:MOST_NAMES]))
        more = f" and {len(passed) - MOST_NAMES:,} more" if len(passed) > MOST_NAMES else ""
        yield Fold(f"{len(passed):,} passed", [Paragraph(f"{shown}{more}.")])


def _row(group: Sequence[Finding], has_several: bool, beside: bool = False) -> list[str]:
    """A claim with the scenarios in which it came out so, the shortest trace first."""
    first = group[0]
    places = [f"{finding.version} {finding.scenario}" if has_several else finding.scenario for finding in group]
    scenarios = ", ".join(code(where) + _length(finding) for where, finding in zip(places, group, strict=True))
    status = first.baseline.state.value if beside and first.baseline is not None else first.status
    wrong = sentence(first.failure)
    return [_MARKS[first.outcome], code(first.name), f"{status}: {wrong}" if wrong else status, scenarios]


def _length(finding: Finding) -> str:
    return f" ({number_of(len(finding.trace.steps), 'step')})" if finding.trace is not None else ""


def _shortest(report: Report) -> Iterator[Block]:
    """A picture of the shortest trace of all that failed."""
    traced = [group[0] for group in report.by_name(CaseResult.FAILED).values() if group[0].trace is not None]
    if not traced:
        return
    finding = min(traced, key=lambda f: len(f.trace.steps) if f.trace is not None else 0)
    if finding.system is not None and finding.trace is not None:
        yield Paragraph(f"{code(finding.rule.id)} in {finding.version}, scenario {code(finding.scenario)}:")
        is_wrong = finding.failure is not None
        life = read(finding.system, finding.trace, finding.failure, finding.rule.id, finding.rule.meaning, is_wrong)
        yield Verbatim(life_mermaid(life).splitlines(), "mermaid")


def _stories(report: Report) -> Iterator[Block]:
    failed = (report.by_name(CaseResult.FAILED), report.by_name(CaseResult.UNDECIDED))
    for found in (*failed, report.superseded(), report.known(), report.listed_in_vain()):
        for name, group in found.items():
            message = " ".join(group[0].message.removeprefix(name).lstrip(" :").split())
            if wrong := sentence(group[0].failure):
                message = f"{wrong} ({message.removeprefix('is ')})"
            where = f"in {group[0].version} " if report.has_several else ""
            yield Fold(f"{code(name)} {where}{message}", list(_tell(group[0])))


def _tell(finding: Finding) -> Iterator[Block]:
    yield Paragraph(finding.rule.meaning)
    if finding.rule.why:
        yield Paragraph(finding.rule.why)
    if finding.rule.source:
        yield Paragraph(f"Upstream: {finding.rule.source}")
    if false := false_part(finding.failure):
        yield Paragraph(false, is_small=True)
    if finding.story:
        yield Verbatim(finding.story)
    if finding.replay:
        yield Paragraph(f"To see it again: {code(finding.replay)}")
