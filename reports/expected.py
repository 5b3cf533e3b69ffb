"""Expected verdicts: what a file says of each claim, and how a run differs from it, in which direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from typing import Any

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.document import Entry, Paragraph, Part
from podproof.reports.layout import number_of
from podproof.reports.summary import EXIT_CODES, exit_code, open_claims

Place = tuple[str, str]
"""A version and a scenario."""


@dataclass(frozen=True)
class Expectation:
    """What is expected of one claim; the comments are a person's and mean nothing here."""

    status: Status
    steps: int | None
    """The length of the shortest trace; None where there is none."""
    above: tuple[str, ...] = field(default=(), compare=False)
    """Comment lines above it, each with its #."""
    beside: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        return self.status.value + ("" if self.steps is None else f" after {number_of(self.steps, 'step')}")


@dataclass(frozen=True)
class ExpectedScenario:
    """What is expected of one version in one scenario."""

    states: int | None
    """None where states are not counted: in proofs, and in sections that were written claim by claim."""
    options: str
    """The options that change how many states there are; empty for none."""
    claims: Mapping[str, Expectation]
    above: tuple[str, ...] = field(default=(), compare=False)
    beside: str = field(default="", compare=False)


@dataclass(frozen=True)
class Expectations:
    """A file of expected verdicts."""

    command: str
    """check or prove."""
    sections: Mapping[Place, ExpectedScenario]
    head: tuple[str, ...] = field(default=(), compare=False)
    """Comment lines at the top."""
    tail: tuple[str, ...] = field(default=(), compare=False)
    """Comment lines after everything else."""


@dataclass(frozen=True)
class Selection:
    """What a run was asked for."""

    version: str
    scenarios: tuple[str, ...]
    properties: tuple[str, ...]
    """Empty for all of them."""
    known_scenarios: tuple[str, ...]
    options: str = ""
    """As in ExpectedScenario."""


class Direction(Enum):
    """In which way something differs from what was expected; what matters most comes first."""

    WORSE = "worse"
    UNDECIDED = "undecided"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"
    BETTER = "better"


@dataclass(frozen=True)
class Deviation:
    """One difference between what was expected and what was found."""

    version: str
    scenario: str
    claim: str | None
    """None: it is about the scenario as a whole."""
    direction: Direction
    text: str


@dataclass(frozen=True)
class Deviations:
    """All that differs from a file of expected verdicts; nothing when all is as expected."""

    file: str
    compared: int
    """How many verdicts of the run were compared."""
    found: tuple[Deviation, ...]
    verdicts: frozenset[tuple[str, str, str]]
    """Version, scenario and claim of each verdict of the run."""

    def of(self, version: str, scenario: str, claim: str) -> str | None:
        """How the verdict on a claim differs; None when it is as expected."""
        texts = [d.text for d in self.found if (d.version, d.scenario, d.claim) == (version, scenario, claim)]
        return "; ".join(texts) or None

    @property
    def elsewhere(self) -> tuple[Deviation, ...]:
        """Those that belong to no verdict of the run: claims that are gone, and numbers of states."""
        return tuple(d for d in self.found if d.claim is None or (d.version, d.scenario, d.claim) not in self.verdicts)

    @property
    def undecided(self) -> bool:
        """Is nothing different but for verdicts that are missing?"""
        return bool(self.found) and all(d.direction is Direction.UNDECIDED for d in self.found)

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "file": self.file,
            "asExpected": not self.found,
            "deviations": [
                {
                    "version": d.version,
                    "scenario": d.scenario,
                    "property": d.claim,
                    "direction": d.direction.value,
                    "text": d.text,
                }
                for d in self.found
            ],
        }

    def parts(self) -> Iterator[Part]:
        """The same as text. A whole scenario that is new or gone takes one item and not one for each claim."""
        if not self.found:
            yield Entry("expected", [Paragraph(f"{number_of(self.compared, 'verdict')} as in {self.file}")])
            return
        yield Entry("expected", [Paragraph(f"{number_of(len(self.found), 'deviation')} from {self.file}")])
        for (order, version, scenario, text), group in groupby(sorted(self.found, key=_kind), _kind):
            claims = [d.claim for d in group if d.claim is not None]
            whole = len(claims) == sum(v[:2] == (version, scenario) for v in self.verdicts)
            what = text
            if len(claims) == 1:
                what = f"{claims[0]}: {text}"
            elif claims:
                what = f"{len(claims)} claims: {text}" + ("" if whole else f": {', '.join(claims)}")
            way = Entry(list(Direction)[order].value, [Paragraph(f"{version} {scenario}: {what}")], 11)
            yield Entry("", [way])


def _kind(d: Deviation) -> tuple[int, str, str, str]:
    return list(Direction).index(d.direction), d.version, d.scenario, d.text


def compare(expectations: Expectations, file: str, explorations: Sequence[Exploration], asked: Selection) -> Deviations:
    """How the explorations differ from what is expected, of what was asked for."""
    found: list[Deviation] = []
    verdicts = [(e.system.version, e.system.scenario, v.property.id) for e in explorations for v in e.verdicts]
    explored = {e.system.scenario: e for e in explorations}
    for scenario, e in explored.items():
        found += _scenario(expectations.sections.get((asked.version, scenario)), file, e, asked)
    stopped = any(e.interrupted or e.reason == "interrupted" for e in explorations)
    for (version, scenario), section in expectations.sections.items():
        if version == asked.version and scenario not in explored:
            found += _not_explored(section, scenario, asked, stopped)
    return Deviations(file, len(verdicts), tuple(found), frozenset(verdicts))


def _not_explored(section: ExpectedScenario, scenario: str, asked: Selection, stopped: bool) -> Iterator[Deviation]:
    """A scenario of the file in which nothing was checked: gone, not asked for, or left out by an interruption."""
    if scenario not in asked.known_scenarios:
        yield Deviation(asked.version, scenario, None, Direction.GONE, "there is no scenario of this name any more")
    elif scenario in asked.scenarios and stopped:
        yield Deviation(asked.version, scenario, None, Direction.UNDECIDED, "interrupted before it was looked at")
    elif scenario in asked.scenarios:
        yield from _gone(section, scenario, set(), asked)


def _gone(section: ExpectedScenario, scenario: str, checked: set[str], asked: Selection) -> Iterator[Deviation]:
    for claim, expected in section.claims.items():
        if claim not in checked and (not asked.properties or claim in asked.properties):
            text = f"expected {expected.words}, but it is not among the claims of this scenario"
            yield Deviation(asked.version, scenario, claim, Direction.GONE, text)


def _scenario(section: ExpectedScenario | None, file: str, e: Exploration, asked: Selection) -> Iterator[Deviation]:
    """Everything about one scenario, in the order of its verdicts."""
    scenario, checked = e.system.scenario, {v.property.id for v in e.verdicts}
    for verdict in e.verdicts:
        known = None if section is None else section.claims.get(verdict.property.id)
        difference = _new(section, verdict, file) if known is None else _difference(known, verdict)
        if difference is not None:
            yield Deviation(asked.version, scenario, verdict.property.id, *difference)
    if section is not None:
        yield from _gone(section, scenario, checked, asked)
        # A claim more or less makes other variables matter, and so another number of states.
        comparable = e.complete and section.options == asked.options and section.claims.keys() == checked
        if comparable and section.states is not None and section.states != e.states:
            more = e.states - section.states
            direction = "more" if more > 0 else "fewer"
            text = f"expected {section.states:,} states, found {e.states:,}: {abs(more):,} {direction}"
            yield Deviation(asked.version, scenario, None, Direction.CHANGED, text)


_RANK = {Status.VIOLATED: 0, Status.HOLDS: 1, Status.PROVED: 2}


def _new(section: ExpectedScenario | None, v: Verdict, file: str) -> tuple[Direction, str] | None:
    """A verdict that the file has no line for. Of what is undecided nothing can be expected."""
    if v.status is Status.UNKNOWN:
        return None
    if section is None:
        return Direction.NEW, f"{file} has nothing about this scenario"
    return Direction.NEW, f"found {found_of(v).words}, and {file} does not have it"


def _difference(expected: Expectation, v: Verdict) -> tuple[Direction, str] | None:
    found = found_of(v)
    if v.status is Status.UNKNOWN:
        return Direction.UNDECIDED, f"expected {expected.words}, and it could not be decided: {v.reason}"
    if expected == found:
        return None
    text = f"expected {expected.words}, found {found.words}"
    if expected.status is not found.status:
        better = _RANK[found.status] > _RANK[expected.status]
        return (Direction.BETTER if better else Direction.WORSE), text
    if expected.steps is None or found.steps is None:
        return Direction.CHANGED, text
    return Direction.CHANGED, f"{text}: {'deeper' if found.steps > expected.steps else 'shallower'}"


def found_of(v: Verdict) -> Expectation:
    """A verdict as one would expect it the next time."""
    return Expectation(v.status, v.depth)


@dataclass(frozen=True)
class Judgement:
    """The exit code of a run, and why."""

    code: int
    reason: str
    deviations: Deviations | None = None
    undecided_ok: bool = False
    """May claims be undecided?"""
    renewed: str | None = None
    """The text of the file of expected verdicts, when it is to be written."""


def not_decided(explorations: Sequence[Exploration]) -> str:
    """What was not decided or explored whole, as words; empty when nothing is left open."""
    parts = []
    for e in explorations:
        unknown = sum(v.status is Status.UNKNOWN for v in e.verdicts)
        if unknown or not e.complete:
            parts.append(f"{e.system.version} {e.system.scenario}: {number_of(unknown, 'claim')} open, {e.reason}")
    return "; ".join(parts)


def judge(
    explorations: Sequence[Exploration], undecided_ok: bool = False, deviations: Deviations | None = None
) -> Judgement:
    """0, 1, 4 or 130. With expected verdicts, 1 means that one differs and not that a claim is violated.

    A verdict that is missing where one is expected gives 4 whatever may be undecided otherwise.
    """
    code = exit_code(explorations)
    inherited = {v.baseline.version for e in explorations for v in e.verdicts if v.is_no_worse and v.baseline}
    unknown = len(open_claims(explorations))
    reason, told = EXIT_CODES[code], "nothing is violated"
    if inherited and code in (0, 1, 4):
        told = f"{'something' if code == 1 else 'nothing'} is worse than in {', '.join(inherited)}"
        reason = f"undecided: {told} as far as was explored, but not all of it was" if code == 4 else told
    if deviations is not None and code != 130:
        unknown = sum(v.status is Status.UNKNOWN for e in explorations for v in e.verdicts)
        if deviations.undecided:
            code, reason = 4, "undecided: a verdict is expected where none was found"
        elif deviations.found:
            code, reason = 1, f"{number_of(len(deviations.found), 'deviation')} from {deviations.file}"
        elif unknown:
            code, reason = 4, "undecided: nothing that was decided differs from what is expected, but not all of it was"
        else:
            code, reason = 0, f"all is as {deviations.file} expects"
    if code == 4 and undecided_ok and not (deviations is not None and deviations.found):
        told = told if deviations is None else "nothing decided differs from what is expected"
        code, reason = 0, f"{told}, and undecided claims ({unknown}) may pass: --undecided ok"
    return Judgement(code, reason, deviations, undecided_ok)
