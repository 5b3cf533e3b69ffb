"""From what a command knows to the report of findings: claims as rules, files as places, command lines."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podproof.checker.core import printer
from podproof.checker.core.graph import Line
from podproof.checker.core.system import Exploration, Verdict
from podproof.queries.build import Subject
from podproof.reports.content.check_findings import FindingContext, findings_of
from podproof.reports.content.finding import HERE, MODEL, PODPROOF, FilePlace, Finding, Report, Rule
from podproof.reports.judgement import Judgement
from podproof.reports.render.json import tool
from podproof.specs import Claim

WORKSPACE = "GITHUB_WORKSPACE"
"""The variable by which GitHub says where the repository is."""


def report_of(
    command: str,
    line: str,
    subjects: Sequence[Subject],
    findings: Iterable[Finding],
    end: tuple[int, str],
    undecided_ok: bool = False,
    place: Callable[[str], FilePlace] | None = None,
) -> Report:
    """Everything that a run found out. `line` makes it again; `end` is the exit code, and why."""
    changes = [change for change in map(_first_change, subjects) if change is not None]
    return Report(
        command=command,
        line=line,
        subject=" to ".join(subject.name for subject in subjects),
        findings=tuple(findings),
        exit_code=end[0],
        reason=end[1],
        tool_version=tool()["version"],
        undecided_fails=not undecided_ok,
        place=place or place_of,
        proposal=changes[-1] if changes else None,
    )


def _first_change(subject: Subject) -> Line | None:
    """The first method of a user's file, or its first line; None for a release."""
    if subject.file is None:
        return None
    codes = [method.__code__ for method in vars(subject.cls).values() if inspect.isfunction(method)]
    lines = [code.co_firstlineno for code in codes if code.co_filename == str(subject.file)]
    return Line(printer.short_path(str(subject.file)), min(lines, default=1))


@dataclass(frozen=True)
class ReportContext:
    """What a report of verdicts says besides them."""

    command: str
    subject: Subject
    line: str
    """The command line that makes it again."""
    notes: Mapping[str, str]
    """For a claim's id, its source and what is known of it."""
    replay: Callable[[Exploration, Verdict], str]
    judgement: Judgement

    def report(self, explorations: Sequence[Exploration]) -> Report:
        """The findings of `check` or `prove`."""
        judgement, by = self.judgement, self.judgement.by
        context = FindingContext(rules(self.subject.every_claim, self.notes), self.replay, by.is_strict)
        end = judgement.code, judgement.reason
        findings = findings_of(explorations, context)
        return report_of(self.command, self.line, [self.subject], findings, end, by.undecided_ok)


def rules(claims: Iterable[Claim], notes: Mapping[str, str]) -> dict[str, Rule]:
    """These claims as rules, with what is known of it."""
    return {
        claim.id: Rule(claim.id, claim.meaning, claim.why, notes.get(claim.id, ""), _define(claim)) for claim in claims
    }


def _define(claim: Claim) -> Line | None:
    """The line of the claim's function; a claim about lines of the model has none."""
    if claim.function is None:
        return None
    code = inspect.unwrap(claim.function).__code__
    return Line(printer.short_path(code.co_filename), code.co_firstlineno)


def command_line(command: str, options: str, scenarios: Sequence[str], properties: Sequence[str]) -> str:
    """What leads to the same results again, but for limits."""
    names = [*(f"--scenario {name}" for name in scenarios), *(f"--property {name}" for name in properties)]
    return " ".join([f"podproof {command} {options}", *names])


def place_of(file: str) -> FilePlace:
    """A model's file as a reader on another machine finds it.

    The user's repository is the one that GitHub names, else the working directory. podproof's own files belong to it
    where podproof itself is checked out there, and not where it is merely installed.
    """
    here, project = Path.cwd(), printer.PROJECT
    named = os.environ.get(WORKSPACE)
    repository = Path(named).resolve() if named and here.is_relative_to(Path(named).resolve()) else here
    path = next((p.resolve() for p in (project / file, here / file) if os.path.isfile(p)), Path(file))
    installed = path.is_relative_to(project) and "site-packages" in project.parts
    if path.is_relative_to(repository) and not installed:
        return FilePlace(HERE, path.relative_to(repository).as_posix())
    if path.is_relative_to(project):
        return FilePlace(PODPROOF, path.relative_to(project).as_posix())
    return FilePlace(MODEL, path.name)
