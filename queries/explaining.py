"""What there is, and what it means."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import short_path
from podproof.checker.core.system import NO_LIMITS, CheckerError, System, Verdict
from podproof.checker.engines import DEFAULT_ENGINE
from podproof.checker.lowering.source import suggestion
from podproof.checker.reductions import REDUCTIONS
from podproof.golang.releases import proved_for
from podproof.model.crowd import NODES
from podproof.model.notes import Go
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.versions import Version, release_in
from podproof.queries.build import Subject, subject_of, system_of, which_version, with_claims
from podproof.queries.claims import claims_by_kind
from podproof.queries.names import ABOUT, SCHEMA, Definition, definitions, find, known_names, names_in
from podproof.queries.search import explore_runs
from podproof.queries.versions import DEFAULT_VERSION, RECORDED, VERSIONS
from podproof.reports.content.listing import Listing, listing
from podproof.reports.document import Table
from podproof.reports.layout import Detail, Style, wrap
from podproof.specs import Claim

Lower = Callable[[], System]
"""The system that is asked about; what needs none does not call it."""


def _versions(_lower: Lower, _detail: Detail) -> Table:
    rows = []
    for v in VERSIONS.values():
        conforming, recorded = RECORDED.get(v.name, (0, 0))
        replayed = f"{conforming:,} of {recorded:,} recorded traces" if recorded else "none recorded"
        proved = " and ".join(proved_for(v.name))
        known = f"; read in {', '.join(v.read)}" if v.read else ""
        equal = f"; proved equal to the Go of {proved}" if proved else ""
        rows.append((v.name, v.based_on and "overrides " + v.based_on, replayed, f"{v.summary}{known}{equal}"))
    return Table(("version", "of", "conform", "what it is"), rows)


def _scenarios(_lower: Lower, _detail: Detail) -> Table:
    rows = []
    for s in (*SCENARIOS.values(), *NODES.values()):
        more = "" if s.by_default else "   only when named"
        rows.append((s.name, s.environment_name, f"{s.summary}{more}"))
    return Table(("scenario", "callers", "bounds"), rows)


def _properties(_lower: Lower, detail: Detail) -> Table:
    rows = []
    for kind, claims in claims_by_kind():
        for claim in claims:
            versions = dict.fromkeys(key.split("/")[0] for key in claim.known_violations)
            known = f"   known to break: {', '.join(versions)}" if versions else ""
            source = f"   upstream: {claim.source}" if detail is Detail.FULL else ""
            rows.append((kind, claim.id, f"{claim.meaning}{known}{source}"))
    return Table(("kind", "claim", "meaning"), rows)


def _actions(lower: Lower, _detail: Detail) -> Table:
    rows = [(a.name, a.actor, f"{a.label}   {a.line}") for a in lower().actions]
    return Table(("action", "actor", "what happens"), rows)


def _fields(lower: Lower, _detail: Detail) -> Table:
    rows = []
    for v in lower().variables:
        values = "bool" if v.is_bool else f"{v.low}..{v.high}"
        rows.append((v.path, values, ", ".join(str(label) for label in v.labels.values())))
    return Table(("field", "values", "names of them"), rows)


def _functions(lower: Lower, _detail: Detail) -> Table:
    version = VERSIONS[lower().version]
    rows = [
        (f"{name.name}{f' ({name.part})' if name.part else ''}", definition.name, _place(definition))
        for definition in definitions(version).values()
        if definition.kind == "function"
        for name in names_in(version, definition)
    ]
    return Table(("function", "in the model", "defined"), sorted(rows))


def _names(_lower: Lower, _detail: Detail) -> Table:
    return Table(("name", "what it is"), sorted(_every_name().items()))


LISTS: Mapping[str, Callable[[Lower, Detail], Table]] = {
    "versions": _versions,
    "scenarios": _scenarios,
    "properties": _properties,
    "actions": _actions,
    "fields": _fields,
    "functions": _functions,
    "names": _names,
}


def what_there_is(schemas: Iterable[str]) -> Iterator[str]:
    """The lists there are, a line each, and the names of the schemas."""
    width = max(map(len, (*ABOUT, SCHEMA)))
    yield from (f"{name:<{width}}  {about}" for name, about in ABOUT.items())
    yield f"{SCHEMA:<{width}}  JSON Schemas: {', '.join(schemas)}"
    yield ""
    yield "`podproof explain` with one of these words lists them, and with a name from a list says what it is."


def list_of(what: str, version: str, scenario: str, detail: Detail) -> Listing:
    """One of `LISTS`. Raises CheckerError for a scenario that there is not."""
    if scenario not in SCENARIOS:
        raise CheckerError(f"--scenario: there is no scenario {scenario!r}; {suggestion(scenario, SCENARIOS)}")
    subject = subject_of(version, None)
    table = LISTS[what](lambda: system_of(subject, SCENARIOS[scenario]), detail)
    return listing(what, table, table.head.index("claim") if what == "properties" else 0)


def namesakes(what: str) -> Iterator[str]:
    """What else has the name of a list."""
    for definition in find(what):
        yield f"{what} is also a {definition.kind} of {definition.owner.__name__}: {_place(definition)}"


def explain(name: str, style: Style, model: Path | None = None, claim_files: Sequence[Path] = ()) -> Iterator[str]:
    """What a name stands for, in a model's and claims' files too, line by line.

    Raises CheckerError where it stands for nothing.
    """
    subject = with_claims(subject_of(DEFAULT_VERSION, model), claim_files)
    claims = {claim.id: claim for claim in subject.every_claim}
    members = {member.name: member for member in subject.new_members}
    own = [replace(VERSIONS[DEFAULT_VERSION], name=subject.name, cls=subject.cls)] if subject.file else []
    if name in claims:
        return _explain_claim(claims[name], style, subject)
    if name in subject.scenarios:
        return _explain_scenario(subject.scenarios[name], style)
    if name in VERSIONS:
        return _explain_version(VERSIONS[name], style)
    if found := find(name, *own):
        return _explain_definitions(found, style)
    if name in members:
        return _explain_member(members[name], subject, style)
    names = [*_every_name(), *known_names(*own), *claims, *subject.scenarios, *members, *LISTS, SCHEMA]
    known = which_version(name) if release_in(name) else suggestion(name, names, "see `podproof explain names`")
    raise CheckerError(f"nothing is called {name!r}; {known}")


def _every_name() -> dict[str, str]:
    """What `explain` takes, with what it is."""
    names = (dict.fromkeys(VERSIONS, "version"), dict.fromkeys(SCENARIOS, "scenario"))
    claims = {claim.id: "claim" for _, claims_of_a_kind in claims_by_kind() for claim in claims_of_a_kind}
    return {**known_names(), **names[0], **names[1], **claims}


_KINDS = {
    "always": "holds in every reachable state",
    "step": "holds for every step, of the states before and after it",
    "never": "says that a line is unreachable",
    "leads_to": "after every state with the first there is one with the second, in every fair run",
    "recurs": "is true again and again, in every fair run",
    "sometimes": "says that a state like this is reachable, so that the other claims are not empty",
}


def _explain_claim(claim: Claim, style: Style, subject: Subject) -> Iterator[str]:
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
    for versions, scenarios, note in claim.known_in():
        yield f"broken by {', '.join(versions)}{' in ' if scenarios else ''}{', '.join(scenarios)}: {note}"
    if claim.scenarios:
        yield f"scenarios: {', '.join(claim.scenarios)}"
    if claim.kind in ("leads_to", "recurs"):
        yield from _explain_needs(claim.id, style, subject)
    if claim.function is not None:
        yield ""
        yield from _source_of(claim.function)


_SMALL = ("killed-pod", "static-successor", "static-added-again")
"""Scenarios that take no time, in one of which every claim about runs is asked."""


def _explain_needs(claim: str, style: Style, subject: Subject) -> Iterator[str]:
    """Which fairness the claim needs where it holds, and what comes of it without; else how it is violated."""
    known = dict[str, Verdict]()
    for name in _SMALL:
        explored = explore_runs(subject, SCENARIOS[name], (claim,), DEFAULT_ENGINE, NO_LIMITS, tuple(REDUCTIONS), ())
        for verdict in explored.verdicts if explored is not None else ():
            if verdict.is_vacuous is False or verdict.trace is not None:
                known[name] = verdict
        if name in known and known[name].is_vacuous is False:
            break
    for name, verdict in sorted(known.items(), key=lambda item: item[1].trace is not None)[:1]:
        yield ""
        if verdict.trace is not None:
            yield f"violated in {name} of {subject.name}: {verdict.reason}"
        else:
            needs = ", ".join(need.assumption for need in verdict.needs or ()) or "no fairness"
            yield from wrap(f"needs in {name} of {subject.name}: {needs}", min(100, style.width))
            for need in verdict.needs or ():
                yield f"  without {need.assumption}: {need.reason}"
        yield f"shown by: podproof check {subject.option} --scenario {name} --property {claim} -v"


def _explain_scenario(scenario: Scenario, style: Style) -> Iterator[str]:
    """What a scenario bounds, and who calls the pod workers in it; quietly only its bounds."""
    yield f"{style.paint(scenario.name, 'bold')}   environment {scenario.environment_name}"
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


def _explain_member(member: Enum, subject: Subject, style: Style) -> Iterator[str]:
    """What a file adds to an enumeration of its release."""
    assert subject.file is not None
    source = enumerate(subject.file.read_text(encoding="utf-8").splitlines(), 1)
    number, line = next((number, line) for number, line in source if re.match(rf"{member.name}\b", line))
    yield f"{style.paint(member.name, 'bold')}   new member of {type(member).__name__}"
    yield f"in {subject.name}, shown as {member.value}"
    yield from ("", f"{subject.file.name}:{number}", f"    {line}")


def _in_go(name: Go) -> str:
    since = f"since {name.since}" if name.since else ""
    until = f"until {name.until}" if name.until else ""
    return ", ".join(part for part in (name.name, name.part, since, until) if part)


def _place(definition: Definition) -> str:
    return f"{short_path(str(definition.file))}:{definition.lines()[0]}"


def _source_of(thing: Callable[..., object]) -> Iterator[str]:
    lines, first = inspect.getsourcelines(thing)
    yield str(Line(short_path(inspect.getsourcefile(thing) or ""), first))
    for line in lines:
        yield "    " + line.rstrip()
