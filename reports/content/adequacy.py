"""What became of the mutants of a model: as a document and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podproof.checker.adequacy.result import Adequacy, Detection, Fate, MutantResult, Objection, score
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
from podproof.reports.render.json import document

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


def adequacy_parts(found: Adequacy, detail: Detail) -> Iterator[Part]:
    """The results as a document for a terminal."""
    if detail is not Detail.QUIET:
        yield Heading(f"{found.version}  {', '.join(found.scenarios)}")
        yield indented([_counts(found), GAP, _functions(found), GAP])
    for result in survivors(found):
        yield indented([Entry(result.fate.value.upper(), [Paragraph(t) for t in _survivor(result)], 11, "open")])
    if detail is Detail.FULL:
        for result in found.results:
            if result.fate not in _OPEN:
                text = f"{_title(result)}; {result.reason}"
                yield indented([Entry(result.fate.value, [Paragraph(text)], 11)])
    if detail is not Detail.QUIET:
        yield indented([Entry("kill nothing", [Paragraph(_idle(found.kills_by_claim(), "claim"))], 14)])
        yield indented([Entry("add nothing", [Paragraph(_idle(found.kills_by_scenario(), "scenario"))], 14)])
        yield GAP
    yield Paragraph(f"{summary_of(found)}.")


def adequacy_page(found: Adequacy, command: str) -> Page:
    """The results as a page."""
    sections = [
        Section("What became of them", [_counts(found)]),
        Section("Functions", [_functions(found)]),
        Section("Claims", [_killers("claim", found.kills_by_claim())]),
        Section("Scenarios", [_killers("scenario", found.kills_by_scenario())]),
    ]
    if left := survivors(found):
        sections.insert(1, Section("No claim kills", [Bullets(["; ".join(_survivor(result)) for result in left])]))
    verdict = "NOTHING COUNTS" if found.score is None else f"{found.score:.1f} %"
    return Page(f"Adequacy of the claims about {found.version}", verdict, [summary_of(found)], sections, command)


def summary_of(found: Adequacy) -> str:
    """The score in a line."""
    whole = "" if len(found.results) == found.planned else f" of {found.planned:,} that were asked for"
    judged = f"{number_of(len(found.results), 'mutant')}{whole}"
    if found.score is None:
        return f"{judged}: none that counts"
    counted = f"{len(found.results) - found.count(Fate.REFUSED, Fate.EQUIVALENT):,}"
    killed = f"claims kill {found.count(Fate.KILLED):,} of the {counted} that are neither refused nor equivalent"
    return f"{judged}: {killed}: {found.score:.1f} %"


def survivors(found: Adequacy) -> list[MutantResult]:
    """Those that no claim kills, the undecided first."""
    return [result for fate in _OPEN for result in found.results if result.fate is fate]


def _counts(found: Adequacy) -> Table:
    rows = [(_WORDS[fate], f"{found.count(fate):,}") for fate in Fate if found.count(fate)]
    witnesses = sum(result.is_killed_by_witness_alone for result in found.results)
    if witnesses:
        rows.insert(1, ("of these by a lost witness alone", f"{witnesses:,}"))
    return Table(("fate", "mutants"), rows, has_numbers=True)


def _functions(found: Adequacy) -> Table:
    """A row for each function, the worst first."""
    rows = []
    for name, results in found.functions().items():
        counted = [r for r in results if r.fate not in (Fate.REFUSED, Fate.EQUIVALENT)]
        killed, percent = sum(r.fate is Fate.KILLED for r in counted), score(results)
        shown = "-" if percent is None else f"{percent:.0f} %"
        rows.append(
            (101 if percent is None else percent, (name, f"{len(results)}", f"{len(counted)}", f"{killed}", shown))
        )
    return Table(
        ("function", "mutants", "counted", "killed", "score"), [row for _, row in sorted(rows)], has_numbers=True
    )


def _killers(what: str, kills: Mapping[str, tuple[int, int]]) -> Table:
    rows = [(name, f"{count}", f"{alone}") for name, (count, alone) in kills.items()]
    return Table((what, "kills", "alone"), rows, has_numbers=True)


def _idle(kills: Mapping[str, tuple[int, int]], what: str) -> str:
    names = [name for name, (count, _) in kills.items() if not count]
    return ", ".join(names) if names else f"no {what}: each kills something"


def _title(r: MutantResult) -> str:
    return f"{r.place} {r.function}: {r.operator}: {code(_short(r.before))} → {code(_short(r.after))}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _survivor(r: MutantResult) -> Sequence[str]:
    """A mutant that no claim kills, and what could be claimed."""
    after = f"after {'; '.join(r.events)}: " if r.events else ""
    gone = ", ".join(f"{claim} in {scenario}" for claim, scenario in r.mended)
    return [_title(r), f"{after}{r.reason}", *([f"known violations that are gone: {gone}"] if gone else [])]


# -- for machines ------------------------------------------------------------------------------------------------------


def adequacy_data(found: Adequacy, tool: Mapping[str, Any], command: str, exit_code: int) -> dict[str, Any]:
    content = {
        "command": command,
        "exitCode": exit_code,
        "version": found.version,
        "available": found.available,
        "planned": found.planned,
        "score": _rounded(found.score),
        "seconds": round(found.seconds, 1),
        "functions": {name: _rounded(score(results)) for name, results in found.functions().items()},
        "claims": _killer_data(found.kills_by_claim()),
        "scenarios": _killer_data(found.kills_by_scenario()),
        "mutants": [mutant_data(result) for result in found.results],
    }
    return document("adequacy", tool, content)


def _rounded(percent: float | None) -> float | None:
    return None if percent is None else round(percent, 1)


def _killer_data(kills: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, int]]:
    return {name: {"kills": count, "alone": alone} for name, (count, alone) in kills.items()}


def mutant_data(r: MutantResult) -> dict[str, Any]:
    """What became of one mutant; `mutant_result` reads it."""
    return {
        "key": r.key,
        "function": r.function,
        "place": r.place,
        "operator": r.operator,
        "before": r.before,
        "after": r.after,
        "fate": r.fate.value,
        "reason": r.reason,
        "kills": [
            {"claim": k.claim, "scenario": k.scenario, "objection": k.objection.value, "steps": k.steps}
            for k in r.kills
        ],
        "events": list(r.events),
        "mended": [{"claim": claim, "scenario": scenario} for claim, scenario in r.mended],
        "searched": list(r.searched),
        "seconds": r.seconds,
    }


def mutant_result(data: Mapping[str, Any]) -> MutantResult:
    """What data of the schema says of a mutant."""
    kills = (Detection(k["claim"], k["scenario"], Objection(k["objection"]), k["steps"]) for k in data["kills"])
    plain = ("key", "function", "place", "operator", "before", "after", "reason", "seconds")
    return MutantResult(
        **{name: data[name] for name in plain},
        fate=Fate(data["fate"]),
        kills=tuple(kills),
        events=tuple(data["events"]),
        mended=tuple((gone["claim"], gone["scenario"]) for gone in data["mended"]),
        searched=tuple(data["searched"]),
    )
