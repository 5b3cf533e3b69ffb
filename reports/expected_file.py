"""The file of expected verdicts: plain text, made to be read and reviewed.

    podproof-expect/1 check

    v1.29 one-pod: 33,581 states
      HOLDS       -  terminated_pods_never_restart
      VIOLATED    3  grace_period_only_decreases  # kubernetes/kubernetes#115819

A section is headed by version, scenario and number of states; each line below it has a verdict, the length of the
shortest trace (- for none) and a claim. No column depends on another line, so a change of one verdict changes one line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from podproof.checker.core.system import CheckerError, Exploration, Status
from podproof.reports.expected import Expectation, Expectations, ExpectedScenario, Place, Selection, found_of
from podproof.reports.layout import number_of

NAME = "podproof-expect"
FORMAT = f"{NAME}/1"
HEAD = (
    "# Expected verdicts. `podproof {command} --expect FILE` compares with them, `--write-expect FILE` brings them",
    "# up to date and keeps the comments. A line has a verdict, the steps of its shortest trace, and a claim. Order,",
    "# empty lines and what follows a # are free.",
)
_STATES = r"(?P<states>[0-9][0-9,]{0,20}) states?"
_SECTION = re.compile(rf"(?P<place>\S.* \S+): *+(?:{_STATES})? *+(?:\((?P<options>.+)\))?")
_CLAIM = re.compile(r"(?P<status>[A-Z]+) +(?P<steps>[0-9]{1,9}|-) +(?P<claim>\w+)")
_COMMENT = re.compile(r"\s#.*$")


def written(expectations: Expectations) -> str:
    """The text of the file: sorted by version, scenario and claim, ending with a newline."""
    head = expectations.head or tuple(line.format(command=expectations.command) for line in HEAD)
    lines = [f"{FORMAT} {expectations.command}", *head]
    for (version, scenario), section in sorted(expectations.sections.items()):
        lines += ["", *section.above, _heading(version, scenario, section) + _beside(section.beside)]
        for claim, expected in sorted(section.claims.items()):
            steps = "-" if expected.steps is None else str(expected.steps)
            lines += (f"  {line}" for line in expected.above)
            lines.append(f"  {expected.status.value:8} {steps:>4}  {claim}{_beside(expected.beside)}")
    return "\n".join([*lines, *(["", *expectations.tail] if expectations.tail else [])]) + "\n"


def look_at_name(version: str) -> None:
    """Raise CheckerError for a version, which may be a model file, whose name could not be read again."""
    heading = _SECTION.fullmatch(_heading(version, "scenario", ExpectedScenario(None, "", {})))
    if heading is None or _place(heading) != (version, "scenario") or set("#\\") & set(version):
        raise CheckerError(
            f"the name {version!r} cannot stand in a file of expected verdicts; "
            "give the model file a name of letters, digits, '-' and '_'"
        )


def _place(heading: re.Match[str]) -> Place:
    version, _, scenario = heading["place"].rpartition(" ")
    return version.rstrip(" "), scenario


def _heading(version: str, scenario: str, section: ExpectedScenario) -> str:
    states = "" if section.states is None else f" {number_of(section.states, 'state')}"
    return f"{version} {scenario}:{states}{section.options and f' ({section.options})'}"


def _beside(comment: str) -> str:
    return comment and f"  {comment}"


def read(text: str, where: str, command: str) -> Expectations:
    """The expectations in a file's text. `where` names the file in errors. Raises CheckerError with the line."""
    return _Reader(where, command).read(text)


class _Reader:
    """Reads line by line; a comment line belongs to the line that follows it."""

    def __init__(self, where: str, command: str) -> None:
        self.where, self.command = where, command
        self.number = 0
        self.sections: dict[Place, ExpectedScenario] = {}
        self.claims: dict[str, Expectation] | None = None
        self.head: tuple[str, ...] = ()
        self.comments: tuple[str, ...] = ()
        self.started = False

    def read(self, text: str) -> Expectations:
        for self.number, line in enumerate(text.splitlines(), 1):
            content = line.strip()
            if content.startswith("#"):
                self.comments += (content,)
            elif not content:
                if self.started and not self.sections and not self.head:
                    self.head, self.comments = self.comments, ()
            elif not self.started:
                self._start(_COMMENT.sub("", content))
            else:
                self._entry(content)
        if not self.started:
            raise self._error("", f"it does not begin with {FORMAT!r}, so it has no expected verdicts")
        return Expectations(self.command, self.sections, self.head, self.comments)

    def _start(self, line: str) -> None:
        name, _, rest = line.partition("/")
        version, _, command = rest.partition(" ")
        if name != NAME:
            raise self._error(line, f"a file of expected verdicts begins with {FORMAT!r}")
        if version != "1":
            raise self._error(line, f"this podproof reads {FORMAT}; the file is of another version")
        if command.strip() != self.command:
            raise self._error(line, f"these are verdicts of another command, and this is `podproof {self.command}`")
        self.started = True

    def _entry(self, line: str) -> None:
        comment = _COMMENT.search(line)
        content = line if comment is None else line[: comment.start()].rstrip()
        beside = "" if comment is None else comment[0].strip()
        above, self.comments = self.comments, ()
        if (claim := _CLAIM.fullmatch(content)) is not None:
            steps = None if claim["steps"] == "-" else int(claim["steps"])
            self._add(line, claim["claim"], Expectation(self._status(line, claim["status"]), steps, above, beside))
        elif (section := _SECTION.fullmatch(content)) is not None:
            place = _place(section)
            if place in self.sections:
                raise self._error(line, "this version and scenario stand above already; put their claims together")
            states = None if section["states"] is None else int(section["states"].replace(",", ""))
            self.claims = {}
            self.sections[place] = ExpectedScenario(states, section["options"] or "", self.claims, above, beside)
        else:
            raise self._error(
                line, "this is neither `VERSION SCENARIO: N states` nor a verdict, steps or -, and the id of a claim"
            )

    def _status(self, line: str, word: str) -> Status:
        known = [s.value for s in Status if s is not Status.UNKNOWN]
        if word == Status.UNKNOWN.value:
            raise self._error(line, "what is undecided is no verdict and cannot be expected; take the line out")
        if word not in known:
            raise self._error(line, f"{word!r} is no verdict; write one of {', '.join(known)}")
        return Status(word)

    def _add(self, line: str, claim: str, expected: Expectation) -> None:
        if self.claims is None:
            raise self._error(line, "no version and scenario stand above it; write `VERSION SCENARIO: N states` there")
        if claim in self.claims:
            raise self._error(line, "this claim stands above already; leave one of the two lines")
        self.claims[claim] = expected

    def _error(self, line: str, why: str) -> CheckerError:
        found = f" {line!r}:" if line else ""
        return CheckerError(
            f"{self.where}:{max(1, self.number)}:{found} {why}; mend the file, or remove it and write it with "
            f"`podproof {self.command} --write-expect {self.where}`"
        )


def update_text(
    before: Expectations | None, command: str, explorations: Sequence[Exploration], asked: Selection
) -> Expectations:
    """What a file says after a run: the verdicts found, and of what was not asked for what it said before."""
    before = before or Expectations(command, {})
    sections = {
        place: section
        for place, section in before.sections.items()
        if asked.properties or not _is_obsolete(place, asked)
    }
    for e in explorations:
        place = (asked.version, e.system.scenario)
        sections[place] = _update(before.sections.get(place), command, e, asked)
    return replace(before, sections=sections)


def _is_obsolete(place: Place, asked: Selection) -> bool:
    """Is it a scenario that was asked for, or one that does not exist any more?"""
    version, scenario = place
    return version == asked.version and (scenario in asked.scenarios or scenario not in asked.known_scenarios)


def _update(old: ExpectedScenario | None, command: str, e: Exploration, asked: Selection) -> ExpectedScenario:
    old = old or ExpectedScenario(None, asked.options, {})
    found = {verdict.property.id: found_of(verdict) for verdict in e.verdicts}
    for claim in found.keys() & old.claims.keys():
        found[claim] = replace(found[claim], above=old.claims[claim].above, beside=old.claims[claim].beside)
    claims = {**(old.claims if asked.properties else {}), **found}
    states, options = old.states, old.options
    if found.keys() == claims.keys():
        states, options = (e.states if command == "check" else None), asked.options
    elif claims.keys() != old.claims.keys():
        states = None
    return replace(old, states=states, options=options, claims=claims)
