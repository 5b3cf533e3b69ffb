"""The sentences that several formats share."""

from __future__ import annotations

from collections.abc import Mapping

from podproof.reports.formats.finding import Outcome, Report
from podproof.reports.layout import number_of

VERDICTS: Mapping[int, str] = {0: "PASSED", 1: "FAILED", 4: "UNDECIDED", 130: "INTERRUPTED"}
"""Exit code -> the whole run in a word."""
_NOUNS = {"conform": "recorded trace"}


def verdict(report: Report) -> str:
    return VERDICTS[report.exit_code]


def summary(report: Report) -> str:
    """How many cases came out how, in one sentence."""
    noun = _NOUNS.get(report.command, "claim")
    suites = "" if report.command == "conform" else f" in {number_of(len(report.suites()), 'scenario')}"
    names = len({finding.rule.id for finding in report.findings}) if suites else len(report.findings)
    parts = [f"{len(group):,} {outcome.value}" for outcome in Outcome if (group := report.of(outcome))]
    cases = f", {number_of(len(report.findings), 'case')}" if len(report.findings) != names else ""
    end = f"Exit code {report.exit_code}: {report.reason}."
    return f"{number_of(names, noun)}{suites}{cases}: {', '.join(parts)}. {end}"
