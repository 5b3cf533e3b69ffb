"""What a command found out, case by case: the one form from which JUnit, SARIF, annotations and pages are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.graph import Line
from podproof.checker.core.printer import visible
from podproof.checker.core.system import ClaimFailure, System, Trace
from podproof.reports.layout import number_of
from podproof.reports.state_text import StateText, StepText
from podproof.reports.story import false_part, sentence


class CaseResult(Enum):
    """What a test report makes of a case. A command that ends with 1 has one that failed, with 4 an undecided one."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"
    """It says nothing here: a witness that another scenario has, a claim that is about one of two versions only."""


Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Rule:
    """What a case is about: a claim, or what else a command decides."""

    id: str
    meaning: str
    """One sentence."""
    why: str = ""
    source: str = ""
    """Where upstream says so, and what is known of it."""
    line: Line | None = None
    """Where it is defined."""


@dataclass(frozen=True)
class Finding:
    """One claim in one scenario, or one recorded trace, with what was found out about it."""

    rule: Rule
    version: str
    scenario: str
    outcome: CaseResult
    status: str
    """The verdict's word: HOLDS, VIOLATED, …"""
    message: str
    """One line."""
    severity: Severity = "error"
    """How bad it is where it failed."""
    failure: ClaimFailure | None = None
    """How the claim fails."""
    story: Sequence[str] = ()
    """The evidence, as people read it, line by line."""
    system: System | None = None
    """What the trace is of."""
    trace: Trace | None = None
    line: Line | None = None
    """Where to show it when there is no trace."""
    replay: str = ""
    """The command that shows it again."""
    seconds: float | None = None
    """Its share of the scenario's wall time: all claims of a scenario are decided in one go."""
    baseline: Baseline | None = None
    """How it compares with what is known."""
    case: str = ""
    """The name of the case where the rule's does not tell it from others: that of a recorded trace."""
    others: Sequence[Finding] = ()
    """The same claim in the same scenario, broken by other actions."""

    @property
    def headline(self) -> str:
        """What goes wrong, then what was found, in one line."""
        wrong = sentence(self.failure)
        return f"{wrong}: {self.message}" if wrong else self.message

    @property
    def suite(self) -> str:
        return f"{self.version}.{self.scenario}"

    @property
    def name(self) -> str:
        """Of the case in its suite; the same from run to run."""
        return self.case or self.rule.id

    def steps(self) -> Sequence[StepText]:
        """The trace's steps; none where there is no trace."""
        if self.system is None or self.trace is None:
            return []
        return list(StateText(self.system).walk(self.trace.initial, self.trace.steps))


@dataclass(frozen=True)
class FilePlace:
    """A file as a reader on another machine finds it: a path below a base."""

    base: str
    path: str


HERE = "SRCROOT"
"""The base of files in the user's own repository."""
PODPROOF = "PODPROOF"
"""The base of podproof's own files, where those are not in that repository."""
MODEL = "MODEL"
"""The base of a model file that is not below the working directory."""


def place_as_it_stands(file: str) -> FilePlace:
    """Every file is the user's own."""
    return FilePlace(HERE, file)


VERDICTS: Mapping[int, str] = {0: "PASSED", 1: "FAILED", 4: "UNDECIDED", 130: "INTERRUPTED"}
"""Exit code -> the whole run in a word."""
_NOUNS = {"conform": "recorded trace"}


@dataclass(frozen=True)
class Report:
    """Everything that one run of a command found out."""

    command: str
    """check, prove, diff or conform."""
    line: str
    """The whole command line, to run it again."""
    subject: str
    """What it was about: `v1.29`."""
    findings: Sequence[Finding]
    exit_code: int
    reason: str
    """Why this exit code."""
    tool_version: str
    undecided_fails: bool = True
    """Does an undecided case fail a build?"""
    place: Callable[[str], FilePlace] = field(default=place_as_it_stands)
    """Where a file of the model is to be found."""
    proposal: Line | None = None
    """What the user's file changes first, where one was checked."""
    has_several: bool = False
    """Is it about several versions, which stand side by side?"""

    @property
    def summary(self) -> str:
        """How many cases came out how, in one sentence."""
        noun = _NOUNS.get(self.command, "claim")
        suites = "" if self.command == "conform" else f" in {number_of(len(self.suites()), 'scenario')}"
        names = len({finding.rule.id for finding in self.findings}) if suites else len(self.findings)
        parts = [f"{len(group):,} {outcome.value}" for outcome in CaseResult if (group := self.of(outcome))]
        cases = f", {number_of(len(self.findings), 'case')}" if len(self.findings) != names else ""
        if known := self.known():
            parts[-1] += f" (known: {number_of(len(known), 'claim')})"  # These are skipped, which comes last.
        end = f"Exit code {self.exit_code}: {self.reason}."
        return f"{number_of(names, noun)}{suites}{cases}: {', '.join(parts)}. {end}"

    def of(self, *outcomes: CaseResult) -> list[Finding]:
        return [finding for finding in self.findings if finding.outcome in outcomes]

    def suites(self) -> Mapping[str, list[Finding]]:
        """The findings by version and scenario, in their order."""
        found: dict[str, list[Finding]] = {}
        for finding in self.findings:
            found.setdefault(finding.suite, []).append(finding)
        return found

    def by_name(self, *outcomes: CaseResult) -> Mapping[str, list[Finding]]:
        """The findings by the name of their case, those with the shortest trace first."""
        return _by_name(self.of(*outcomes))

    def superseded(self) -> Mapping[str, list[Finding]]:
        """The same of what a design gives up on purpose."""
        return self._beside(BaselineState.SUPERSEDED)

    def known(self) -> Mapping[str, list[Finding]]:
        """The same of what is violated as it is known."""
        return self._beside(BaselineState.KNOWN)

    def listed_in_vain(self) -> Mapping[str, list[Finding]]:
        """The same of what a team lists as violated, and holds."""
        return _by_name(f for f in self.of(CaseResult.PASSED) if f.baseline is not None and f.baseline.is_listed)

    def _beside(self, state: BaselineState) -> Mapping[str, list[Finding]]:
        found = self.of(CaseResult.SKIPPED)
        return _by_name(f for f in found if f.baseline is not None and f.baseline.state is state)

    def shown_at(self, finding: Finding) -> tuple[FilePlace, int] | None:
        """File and line under which a reader should see it: the last step's line, if it is in the user's repository.

        Else the last line of the trace that is, else the proposal, else the last step's line where podproof is. Without
        a trace it is the finding's own line, or the one that defines what it is about.
        """
        lines = [step.line for step in reversed(finding.steps())]
        lines = lines or [line for line in (finding.line, finding.rule.line) if line is not None]
        placed = [(self.place(line.file), line.number) for line in lines]
        for place, number in placed:
            if place.base == HERE:
                return place, number
        if self.proposal is not None:
            return self.place(self.proposal.file), self.proposal.number
        return placed[0] if placed else None


def _by_name(findings: Iterable[Finding]) -> Mapping[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.name, []).append(finding)
    return {name: sorted(group, key=_length) for name, group in found.items()}


def _length(finding: Finding) -> int:
    return len(finding.trace.steps) if finding.trace is not None else 10**9


def details(finding: Finding) -> list[str]:
    """The lines below the message: the claim, its source, the evidence and how to see it again."""
    return [*facts(finding), *(line for block in evidence(finding) for line in ("", *block))]


def facts(finding: Finding) -> Iterator[str]:
    """What the claim says, its source, and which part of it is false."""
    yield finding.rule.meaning
    if finding.rule.source:
        yield f"upstream: {finding.rule.source}"
    if false := false_part(finding.failure):
        yield false


def evidence(finding: Finding) -> Iterator[Sequence[str]]:
    """The story, how to see it again, and other ways to break the claim: lines that belong together."""
    if finding.story:
        yield finding.story
    if finding.replay:
        yield [f"replay: {finding.replay}"]
    for other in finding.others:
        yield [f"another way: {other.headline}", *other.story]


def join_words(lines: Iterable[str]) -> str:
    """Lines as one text. Each stays one line, whatever a file has put into it."""
    return "\n".join(map(visible, lines))
