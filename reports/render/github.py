"""GitHub's workflow commands, which the runner turns into annotations: one for each claim that is not as it should be.

GitHub keeps ten errors and ten warnings of a step. So a claim that fails in several scenarios is told once, where its
trace is shortest, with the other scenarios named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podproof.checker.core.printer import visible
from podproof.reports.content.finding import HERE, CaseResult, Finding, Report, details, join_words
from podproof.reports.layout import number_of

MOST = 50
"""Commands of a run. GitHub shows fewer, but its log has them all."""
IN_MESSAGES = "%\r\n"
"""What would end a message, and the sign of an escape."""
IN_PROPERTIES = IN_MESSAGES + ":,"
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def workflow_commands(report: Report) -> str:
    """The commands, one a line, the worst first; the last one is a notice that sums up."""
    told = [*_tell(report, CaseResult.FAILED), *_tell(report, CaseResult.UNDECIDED), *_beside(report)]
    lines = sorted(told, key=lambda pair: list(_COMMANDS.values()).index(pair[0]))
    left = f" {len(lines) - MOST:,} more are not told here." if len(lines) > MOST else ""
    title = visible(f"podproof {report.command} {report.subject}")
    whole = command("notice", visible(report.summary + left), title=title)
    return "\n".join([*(line for _, line in lines[:MOST]), whole]) + "\n"


def _tell(report: Report, outcome: CaseResult) -> Iterator[tuple[str, str]]:
    for name, group in report.by_name(outcome).items():
        first = group[0]
        kind = "warning" if outcome is CaseResult.UNDECIDED else _COMMANDS[first.severity]
        properties: dict[str, str | int] = {}
        shown = report.shown_at(first)
        if shown is not None and shown[0].base == HERE:
            properties = {"file": visible(shown[0].path), "line": shown[1]}
        title = f"{name} ({first.version}, {first.scenario})"
        yield kind, command(kind, _text(first, group[1:]), **properties, title=visible(title))


def _beside(report: Report) -> Iterator[tuple[str, str]]:
    """What a design gives up on purpose, what is listed in vain, and what is known: that in one notice."""
    for groups, what in ((report.superseded(), "is superseded"), (report.listed_in_vain(), "is mended")):
        for name, group in groups.items():
            yield "notice", command("notice", _text(group[0], group[1:]), title=visible(f"{name} {what}"))
    if known := report.known():
        text = join_words(line for group in known.values() for line in (group[0].headline, *_elsewhere(group[1:])))
        yield (
            "notice",
            command("notice", text, title=visible(f"known of {report.subject}: {number_of(len(known), 'claim')}")),
        )


def _text(finding: Finding, others: Sequence[Finding]) -> str:
    return join_words([finding.headline, *details(finding), *_elsewhere(others)])


def _elsewhere(others: Sequence[Finding]) -> list[str]:
    return [f"also in: {', '.join(other.scenario for other in others)}"] if others else []


def command(name: str, message: str, **properties: str | int) -> str:
    """A workflow command with everything escaped that would end it or begin another."""
    given = ",".join(f"{key}={_escape(str(value), IN_PROPERTIES)}" for key, value in properties.items())
    return f"::{name} {given}::{_escape(message, IN_MESSAGES)}"


def _escape(text: str, special: str) -> str:
    """The special characters as the runner decodes them: `%25` for a percent sign."""
    return "".join(f"%{ord(letter):02X}" if letter in special else letter for letter in text)
