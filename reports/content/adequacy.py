"""What became of the mutants of a model: the answer, and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from podproof.checker.adequacy.result import Adequacy, Fate, MutantResult, score
from podproof.checker.core.answer import AnswerPart, Count, ExitCode, Seconds
from podproof.reports.document import (
    GAP,
    Bullets,
    Entry,
    Heading,
    Page,
    Paragraph,
    Part,
    Section,
    Table,
    code,
    indented,
)
from podproof.reports.layout import Detail, number_of

Score = Annotated[float, Meta(ge=0, le=100)] | None
"""A percentage; None of nothing that counts."""


class KillCount(AnswerPart, frozen=True):
    """How many mutants a claim kills, or die in a scenario."""

    kills: Count
    alone: Count
    """How many of them nobody else was seen to kill."""


class AdequacyAnswer(AnswerPart, frozen=True, tag_field="kind", tag="adequacy"):
    """adequacy"""

    command: str
    exit_code: ExitCode
    version: str
    available: Count
    """How many mutants there are."""
    planned: Count
    """How many of them were to be judged."""
    score: Score
    """The percentage of mutants that claims kill, of those that are neither refused nor equivalent; null of none."""
    seconds: Seconds
    functions: Mapping[str, Score]
    """The score of each function."""
    claims: Mapping[str, KillCount]
    scenarios: Mapping[str, KillCount]
    mutants: Sequence[MutantResult]

    def count(self, *fates: Fate) -> int:
        """How many mutants came to one of these ends."""
        return sum(result.fate in fates for result in self.mutants)


def adequacy_answer(found: Adequacy, command: str, exit_code: Literal[0, 1, 130]) -> AdequacyAnswer:
    return AdequacyAnswer(
        command=command,
        exit_code=exit_code,
        version=found.version,
        available=found.available,
        planned=found.planned,
        score=_rounded(found.score),
        seconds=round(found.seconds, 1),
        functions={name: _rounded(score(results)) for name, results in found.functions().items()},
        claims={name: KillCount(*counts) for name, counts in found.kills_by_claim().items()},
        scenarios={name: KillCount(*counts) for name, counts in found.kills_by_scenario().items()},
        mutants=found.results,
    )


def _rounded(percent: float | None) -> float | None:
    return None if percent is None else round(percent, 1)


_WORDS: Mapping[Fate, str] = {
    Fate.KILLED: "killed by claims",
    Fate.RECORDED: "killed by recordings only",
    Fate.DIFFERENT: "killed by nobody, and show something else",
    Fate.SURVIVED: "killed by nobody, and it is not decided what can be seen of them",
    Fate.EQUIVALENT: "equivalent",
    Fate.REFUSED: "refused: no model",
}
_OPEN = (Fate.SURVIVED, Fate.DIFFERENT, Fate.RECORDED)
_MOST = 160
"""Letters of a changed text that are shown."""


def adequacy_parts(found: AdequacyAnswer, detail: Detail) -> Iterator[Part]:
    """The results as a document for a terminal."""
    if detail is not Detail.QUIET:
        yield Heading(f"{found.version}  {', '.join(found.scenarios)}")
        yield indented([_counts(found), GAP, _functions(found), GAP])
    for result in survivors(found):
        yield indented([Entry(result.fate.value.upper(), [Paragraph(t) for t in _survivor(result)], 11, "open")])
    if detail is Detail.FULL:
        for result in found.mutants:
            if result.fate not in _OPEN:
                text = f"{_title(result)}; {result.reason}"
                yield indented([Entry(result.fate.value, [Paragraph(text)], 11)])
    if detail is not Detail.QUIET:
        yield indented([Entry("kill nothing", [Paragraph(_idle(found.claims, "claim"))], 14)])
        yield indented([Entry("add nothing", [Paragraph(_idle(found.scenarios, "scenario"))], 14)])
        yield GAP
    yield Paragraph(f"{summary_of(found)}.")


def adequacy_page(found: AdequacyAnswer) -> Page:
    """The results as a page."""
    sections = [
        Section("What became of them", [_counts(found)]),
        Section("Functions", [_functions(found)]),
        Section("Claims", [_killers("claim", found.claims)]),
        Section("Scenarios", [_killers("scenario", found.scenarios)]),
    ]
    if left := survivors(found):
        sections.insert(1, Section("No claim kills", [Bullets(["; ".join(_survivor(result)) for result in left])]))
    verdict = "NOTHING COUNTS" if found.score is None else f"{found.score:.1f} %"
    return Page(f"Adequacy of the claims about {found.version}", verdict, [summary_of(found)], sections, found.command)


def summary_of(found: AdequacyAnswer) -> str:
    """The score in a line."""
    whole = "" if len(found.mutants) == found.planned else f" of {found.planned:,} that were asked for"
    judged = f"{number_of(len(found.mutants), 'mutant')}{whole}"
    if found.score is None:
        return f"{judged}: none that counts"
    counted = f"{len(found.mutants) - found.count(Fate.REFUSED, Fate.EQUIVALENT):,}"
    killed = f"claims kill {found.count(Fate.KILLED):,} of the {counted} that are neither refused nor equivalent"
    return f"{judged}: {killed}: {found.score:.1f} %"


def survivors(found: AdequacyAnswer) -> list[MutantResult]:
    """Those that no claim kills, the undecided first."""
    return [result for fate in _OPEN for result in found.mutants if result.fate is fate]


def _counts(found: AdequacyAnswer) -> Table:
    rows = [(_WORDS[fate], f"{found.count(fate):,}") for fate in Fate if found.count(fate)]
    witnesses = sum(result.is_killed_by_witness_alone for result in found.mutants)
    if witnesses:
        rows.insert(1, ("of these by a lost witness alone", f"{witnesses:,}"))
    return Table(("fate", "mutants"), rows, has_numbers=True)


def _functions(found: AdequacyAnswer) -> Table:
    """A row for each function, the worst first."""
    rows = []
    for name in found.functions:
        results = [r for r in found.mutants if r.function == name]
        counted = [r for r in results if r.fate not in (Fate.REFUSED, Fate.EQUIVALENT)]
        killed, percent = sum(r.fate is Fate.KILLED for r in counted), score(results)
        shown = "-" if percent is None else f"{percent:.0f} %"
        rows.append(
            (101 if percent is None else percent, (name, f"{len(results)}", f"{len(counted)}", f"{killed}", shown))
        )
    return Table(
        ("function", "mutants", "counted", "killed", "score"), [row for _, row in sorted(rows)], has_numbers=True
    )


def _killers(what: str, kills: Mapping[str, KillCount]) -> Table:
    rows = [(name, f"{killer.kills}", f"{killer.alone}") for name, killer in kills.items()]
    return Table((what, "kills", "alone"), rows, has_numbers=True)


def _idle(kills: Mapping[str, KillCount], what: str) -> str:
    names = [name for name, killer in kills.items() if not killer.kills]
    return ", ".join(names) if names else f"no {what}: each kills something"


def _title(r: MutantResult) -> str:
    return f"{r.place} {r.function}: {r.operator}: {code(_short(r.before))} → {code(_short(r.after))}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _survivor(r: MutantResult) -> Sequence[str]:
    """A mutant that no claim kills, and what could be claimed."""
    after = f"after {'; '.join(r.events)}: " if r.events else ""
    gone = ", ".join(f"{gone.claim} in {gone.scenario}" for gone in r.mended)
    return [_title(r), f"{after}{r.reason}", *([f"known violations that are gone: {gone}"] if gone else [])]
