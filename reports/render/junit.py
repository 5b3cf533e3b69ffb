"""JUnit XML as Prow's Spyglass and TestGrid read it: a suite for each version and scenario, a test case for each claim.

TestGrid calls a row `suite.case`, Spyglass tells cases apart by suite, classname and name: the names here are stable.
Older readers see only the text of a failure and not its message, so the text begins with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from podproof.checker.core.printer import visible
from podproof.reports.content.finding import CaseResult, Finding, Report, details, join_words


def junit_xml(report: Report) -> str:
    """The whole file, ending with a newline. Times are seconds."""
    root = ElementTree.Element("testsuites", {"name": f"podproof {report.command}", **_counts(report, report.findings)})
    for name, findings in report.suites().items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": visible(name), **_counts(report, findings)})
        properties = ElementTree.SubElement(suite, "properties")
        for key, value in (("podproof", report.tool_version), ("command", report.line)):
            ElementTree.SubElement(properties, "property", {"name": key, "value": visible(value)})
        for finding in findings:
            _case(suite, report, finding)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(report: Report, findings: Sequence[Finding]) -> dict[str, str]:
    kinds = [_kind(report, finding) for finding in findings]
    return {
        "tests": str(len(findings)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
        "time": _seconds(sum(finding.seconds or 0.0 for finding in findings)),
    }


def _case(suite: ElementTree.Element, report: Report, finding: Finding) -> None:
    attributes = {"classname": visible(finding.suite), "name": visible(finding.name)}
    case = ElementTree.SubElement(suite, "testcase", {**attributes, "time": _seconds(finding.seconds or 0.0)})
    kind = _kind(report, finding)
    text = join_words([finding.headline, *details(finding)])
    if kind is not None:
        told = ElementTree.SubElement(case, kind, {"message": visible(finding.headline)})
        if kind != "skipped":
            told.set("type", finding.status)
            told.text = text
    elif finding.baseline is not None and finding.baseline.is_listed:
        ElementTree.SubElement(case, "system-out").text = text


def _kind(report: Report, finding: Finding) -> str | None:
    """The element that says that a case did not pass."""
    match finding.outcome:
        case CaseResult.PASSED:
            return None
        case CaseResult.FAILED:
            return "failure"
        case CaseResult.SKIPPED:
            return "skipped"
        case CaseResult.UNDECIDED:
            return "error" if report.undecided_fails else "skipped"


def _seconds(value: float) -> str:
    return f"{value:.3f}"
