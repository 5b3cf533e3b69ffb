"""`podproof list` and `podproof explain`: what there is, and what it means."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import click

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import short_path
from podproof.checker.core.system import NO_LIMITS, CheckerError, System, Verdict
from podproof.checker.lowering.source import suggestion
from podproof.checker.reductions.plan import REDUCTIONS
from podproof.commands.line import terminal
from podproof.commands.line.streams import show
from podproof.commands.systems.build import claims_by_kind, subject_of, system_of, which_version
from podproof.commands.systems.search import explore_runs
from podproof.golang.releases import proved_for
from podproof.kubelet.names import Definition, definitions, find, known_names
from podproof.model.notes import Go
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.versions import DEFAULT_VERSION, RECORDED, VERSIONS, Version, release_in
from podproof.reports.layout import Detail, Style, wrap
from podproof.specs import Claim

Lower = Callable[[], System]
"""The system that is asked about; what needs none does not call it."""


@dataclass(frozen=True)
class Listing:
    """A table: its columns and how wide they are at least (0: as wide as need be), and where the names are."""

    columns: Sequence[tuple[str, int]]
    rows: Sequence[Sequence[str]]
    name: int = 0
    """The column that is the name."""

    def plain(self) -> Iterator[str]:
        """Lines for other programs: each column from the same place on, the last one as long as it is."""
        longest = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        widths = [max(least, most) if least else 0 for (_, least), most in zip(self.columns, longest, strict=True)]
        for row in self.rows:
            yield " ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()

    def print(self, style: Style) -> None:
        """The table, fitted into the width of a terminal."""
        from rich import box  # Only a terminal is worth the time that it takes to load.
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
        for i, (title, _) in enumerate(self.columns):
            table.add_column(title, style="bold" if i == self.name else None, overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        Console(width=style.width, no_color=not style.color, highlight=False).print(table)


def _versions(_lower: Lower, _detail: Detail) -> Listing:
    rows = []
    for v in VERSIONS.values():
        conforming, recorded = RECORDED.get(v.name, (0, 0))
        replayed = f"{conforming:,} of {recorded:,} recorded traces" if recorded else "none recorded"
        proved = " and ".join(proved_for(v.name))
        equal = f"; proved equal to the Go of {proved}" if proved else ""
        rows.append((v.name, v.based_on and "overrides " + v.based_on, replayed, f"{v.summary}{equal}"))
    return Listing((("version", 25), ("of", 17), ("conform", 30), ("what it is", 0)), rows)


def _scenarios(_lower: Lower, _detail: Detail) -> Listing:
    rows = []
    for s in SCENARIOS.values():
        more = "" if s.by_default else "   only when named"
        rows.append((s.name, s.environment.__name__.lower(), f"{s.summary}{more}"))
    return Listing((("scenario", 18), ("callers", 8), ("bounds", 0)), rows)


def _properties(_lower: Lower, detail: Detail) -> Listing:
    rows = []
    for kind, claims in claims_by_kind():
        for claim in claims:
            versions = dict.fromkeys(key.split("/")[0] for key in claim.known_violations)
            known = f"   known to break: {', '.join(versions)}" if versions else ""
            source = f"   upstream: {claim.source}" if detail is Detail.FULL else ""
            rows.append((kind, claim.id, f"{claim.meaning}{known}{source}"))
    return Listing((("kind", 10), ("claim", 63), ("meaning", 0)), rows, name=1)


def _actions(lower: Lower, _detail: Detail) -> Listing:
    rows = [(a.name, a.actor, f"{a.label}   {a.line}") for a in lower().actions]
    return Listing((("action", 44), ("actor", 13), ("what happens", 0)), rows)


def _fields(lower: Lower, _detail: Detail) -> Listing:
    rows = []
    for v in lower().variables:
        values = "bool" if v.is_bool else f"{v.low}..{v.high}"
        rows.append((v.path, values, ", ".join(str(label) for label in v.labels.values())))
    return Listing((("field", 72), ("values", 8), ("names of them", 0)), rows)


def _functions(lower: Lower, _detail: Detail) -> Listing:
    version = VERSIONS[lower().version]
    rows = [
        (f"{name.name}{f' ({name.part})' if name.part else ''}", definition.name, _place(definition))
        for definition in definitions(version).values()
        for name in definition.go
        if definition.kind == "function" and _has(version, name)
    ]
    return Listing((("function", 44), ("in the model", 46), ("defined", 0)), sorted(rows))


LISTS: Mapping[str, Callable[[Lower, Detail], Listing]] = {
    "versions": _versions,
    "scenarios": _scenarios,
    "properties": _properties,
    "actions": _actions,
    "fields": _fields,
    "functions": _functions,
}


@terminal.command(
    "list",
    examples=[
        ("podproof list versions", "the releases of the kubelet that are modelled"),
        ("podproof list properties", "the claims"),
        ("podproof list scenarios -q", "names only, for scripts"),
        ("podproof list actions --scenario uid-reuse", "what can happen in a scenario"),
        ("podproof list functions --version v1.26", "what a release has of pod_workers.go, and its callers"),
    ],
)
@click.argument("what", type=click.Choice([*LISTS]))
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="For actions, fields and functions.")
@click.option("--scenario", default="one-pod", show_default=True, help="For actions and fields.")
def listing(what: str, version: str, scenario: str) -> int:
    """List versions, scenarios, properties, actions, fields or functions."""
    if scenario not in SCENARIOS:
        raise CheckerError(f"--scenario: there is no scenario {scenario!r}; {suggestion(scenario, SCENARIOS)}")
    subject = subject_of(version, None)
    style = terminal.style()
    found = LISTS[what](lambda: system_of(subject, SCENARIOS[scenario]), style.detail)
    if style.detail is not Detail.QUIET and sys.stdout.isatty():
        found.print(style)
        return 0
    names = (row[found.name] for row in found.rows)
    show(*(names if style.detail is Detail.QUIET else found.plain()))
    return 0


@terminal.command(
    examples=[
        ("podproof explain terminated_pods_never_restart", "what a claim says, and its formula"),
        ("podproof explain one-pod", "what a scenario bounds"),
        ("podproof explain v1.32", "what a version changed"),
        ("podproof explain SyncKnownPods", "a function: its Go name or the model's"),
        ("podproof explain startedAt", "a field, an action or a type"),
    ]
)
@click.argument("name", metavar="NAME")
def explain(name: str) -> int:
    """Say what a claim, a scenario, a version, a function, an action, a field or a type is about.

    Functions and fields have their Go names as well as the model's.
    """
    claims = {claim.id: claim for _, claims_of_a_kind in claims_by_kind() for claim in claims_of_a_kind}
    style = terminal.style()
    if name in claims:
        lines = _explain_claim(claims[name], style)
    elif name in SCENARIOS:
        lines = _explain_scenario(SCENARIOS[name], style)
    elif name in VERSIONS:
        lines = _explain_version(VERSIONS[name], style)
    elif found := find(name):
        lines = _explain_definitions(found, style)
    else:
        every = [*claims, *SCENARIOS, *VERSIONS, *known_names()]
        known = which_version(name) if release_in(name) else suggestion(name, every, "see `podproof list`")
        raise CheckerError(f"nothing is called {name!r}; {known}")
    show(*lines)
    return 0


_KINDS = {
    "always": "holds in every reachable state",
    "step": "holds for every step, of the states before and after it",
    "never": "says that a line is unreachable",
    "leads_to": "after every state with the first there is one with the second, in every fair run",
    "recurs": "is true again and again, in every fair run",
    "sometimes": "says that a state like this is reachable, so that the other claims are not empty",
}


def _explain_claim(claim: Claim, style: Style) -> Iterator[str]:
    """What a claim says, where it comes from, and its formula; quietly only what it says."""
    yield f"{style.paint(claim.id, 'bold')}   {claim.kind}: {_KINDS[claim.kind]}"
    yield ""
    for text in (claim.meaning, claim.why):
        if text:
            yield from wrap(text, min(100, style.width))
    if style.detail is Detail.QUIET:
        return
    yield f"source: {claim.source}"
    if claim.kind != "sometimes":
        yield f"harm: {claim.harm.value}"
    for version, note in claim.known_violations.items():
        yield f"broken by {version}: {note}"
    if claim.scenarios:
        yield f"scenarios: {', '.join(claim.scenarios)}"
    if claim.kind in ("leads_to", "recurs"):
        yield from _explain_needs(claim.id, style)
    if claim.function is not None:
        yield ""
        yield from _source_of(claim.function)


_SMALL = ("killed-pod", "static-successor", "static-added-again")
"""Scenarios that take no time, in one of which every claim about runs is asked."""


def _explain_needs(claim: str, style: Style) -> Iterator[str]:
    """Which fairness the claim needs where it holds, and what comes of it without; else how it is violated."""
    subject, known = subject_of("v1.29", None), dict[str, Verdict]()
    for name in _SMALL:
        explored = explore_runs(subject, SCENARIOS[name], (claim,), "compiled", NO_LIMITS, tuple(REDUCTIONS), ())
        for verdict in explored.verdicts if explored is not None else ():
            if verdict.exercised or verdict.trace is not None:
                known[name] = verdict
        if name in known and known[name].exercised:
            break
    for name, verdict in sorted(known.items(), key=lambda item: item[1].trace is not None)[:1]:
        yield ""
        if verdict.trace is not None:
            yield f"violated in {name} of {subject.name}: {verdict.reason}"
        else:
            needs = ", ".join(need.assumption for need in verdict.needs) or "no fairness"
            yield from wrap(f"needs in {name} of {subject.name}: {needs}", min(100, style.width))
            for need in verdict.needs:
                yield f"  without {need.assumption}: {need.reason}"
        yield f"shown by: podproof check --scenario {name} --property {claim} --verbose"


def _explain_scenario(scenario: Scenario, style: Style) -> Iterator[str]:
    """What a scenario bounds, and who calls the pod workers in it; quietly only its bounds."""
    yield f"{style.paint(scenario.name, 'bold')}   environment {scenario.environment.__name__.lower()}"
    yield ""
    yield scenario.summary
    if style.detail is Detail.QUIET:
        return
    yield ""
    about = inspect.cleandoc(inspect.getmodule(scenario.environment).__doc__ or "")
    yield from wrap(about, min(100, style.width))


def _explain_version(version: Version, style: Style) -> Iterator[str]:
    """What a version overrides: in the pod workers, and in the kubelet around them if that is its own."""
    yield f"{style.paint(version.name, 'bold')}: {version.summary}"
    if style.detail is Detail.QUIET:
        return
    yield from _source_of(version.cls)
    if version.cls.kubelet.__module__ == version.cls.__module__:
        yield ""
        yield from _source_of(version.cls.kubelet)


def _explain_definitions(found: Mapping[Definition, Sequence[str]], style: Style) -> Iterator[str]:
    """What a function, a field or a type is called and where, and its source; of those after the first only where."""
    (definition, versions), *others = found.items()
    of = "" if definition.kind == "type" else f" of {definition.owner.__name__}"
    yield f"{style.paint(definition.name, 'bold')}   {definition.kind}{of}"
    action = getattr(vars(definition.owner).get(definition.name), "__action__", None)
    if action is not None:
        yield f"action of the {action.actor}: {action.label}"
    for name in definition.go:
        yield f"in Go: {_in_go(name)}"
    yield f"in {', '.join(versions)}"
    for other, more in others:
        yield f"in {', '.join(more)} otherwise: {other.name} of {other.owner.__name__}, {_place(other)}"
    if style.detail is Detail.QUIET:
        return
    yield ""
    yield _place(definition)
    yield from ("    " + line.rstrip() for line in definition.lines()[1])


def _in_go(name: Go) -> str:
    since = f"since {name.since}" if name.since else ""
    until = f"until {name.until}" if name.until else ""
    return ", ".join(part for part in (name.name, name.part, since, until) if part)


def _has(version: Version, name: Go) -> bool:
    """Has a version a function under this name? One that is no release has what its release has."""
    if not version.covers:
        return _has(VERSIONS[version.based_on], name)
    return not (name.since and version.is_before(name.since)) and not (name.until and version.is_after(name.until))


def _place(definition: Definition) -> str:
    return f"{short_path(str(definition.file))}:{definition.lines()[0]}"


def _source_of(thing: Callable[..., object]) -> Iterator[str]:
    lines, first = inspect.getsourcelines(thing)
    yield str(Line(short_path(inspect.getsourcefile(thing) or ""), first))
    for line in lines:
        yield "    " + line.rstrip()
