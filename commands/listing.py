"""`podproof list` and `podproof explain`: what there is, and what it means."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping

import click

from podproof.checker.lowering.source import suggestion
from podproof.checker.places import short_path
from podproof.checker.system import CheckerError, System
from podproof.commands.build import claims_by_kind, subject_of, system_of
from podproof.commands.errors import reported
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.versions import DEFAULT_VERSION, RECORDED, VERSIONS, Version
from podproof.specs import CLAIMS, Claim


def _versions(_system: System) -> Iterator[str]:
    for v in VERSIONS.values():
        conforming, recorded = RECORDED.get(v.name, (0, 0))
        replayed = f"{conforming:,} of {recorded:,} recorded traces" if recorded else "none recorded"
        yield f"{v.name:25} {v.based_on and 'overrides ' + v.based_on:17} {replayed:30} {v.summary}"


def _scenarios(_system: System) -> Iterator[str]:
    for s in SCENARIOS.values():
        more = "" if s.by_default else "   only when named"
        yield f"{s.name:18} {s.environment.__name__.lower():8} {s.summary}{more}"


def _properties(_system: System) -> Iterator[str]:
    for kind, claims in claims_by_kind():
        for claim in claims:
            versions = dict.fromkeys(key.split("/")[0] for key in claim.known_violations)
            known = f"   known to break: {', '.join(versions)}" if versions else ""
            yield f"{kind:10} {claim.id:63} {claim.meaning}{known}"


def _actions(system: System) -> Iterator[str]:
    for action in system.actions:
        yield f"{action.name:44} {action.actor:13} {action.label}   {action.line}"


def _fields(system: System) -> Iterator[str]:
    for v in system.variables:
        values = "bool" if v.is_bool else f"{v.low}..{v.high}"
        named = ", ".join(str(label) for label in v.labels.values())
        yield f"{v.path:72} {values:8} {named}".rstrip()


LISTS: Mapping[str, Callable[[System], Iterator[str]]] = {
    "versions": _versions,
    "scenarios": _scenarios,
    "properties": _properties,
    "actions": _actions,
    "fields": _fields,
}


@click.command("list")
@click.argument("what", type=click.Choice([*LISTS]))
@click.option("--version", default=DEFAULT_VERSION, show_default=True, help="For actions and fields.")
@click.option("--scenario", default="one-pod", show_default=True, help="For actions and fields.")
@reported
def listing(what: str, version: str, scenario: str) -> int:
    """List versions, scenarios, properties, actions or fields."""
    if scenario not in SCENARIOS:
        raise CheckerError(f"--scenario: there is no scenario {scenario!r}; {suggestion(scenario, SCENARIOS)}")
    system = system_of(subject_of(version, None), SCENARIOS[scenario])
    for line in LISTS[what](system):
        click.echo(line)
    return 0


@click.command()
@click.argument("name", metavar="ID")
@reported
def explain(name: str) -> int:
    """Say what a claim, a scenario or a version is about."""
    claims = {claim.id: claim for claim in CLAIMS}
    if name in claims:
        lines = _explain_claim(claims[name])
    elif name in SCENARIOS:
        lines = _explain_scenario(SCENARIOS[name])
    elif name in VERSIONS:
        lines = _explain_version(VERSIONS[name])
    else:
        known = suggestion(name, [*claims, *SCENARIOS, *VERSIONS])
        raise CheckerError(f"nothing is called {name!r}; {known}")
    for line in lines:
        click.echo(line)
    return 0


_KINDS = {
    "always": "holds in every reachable state",
    "step": "holds for every step, of the states before and after it",
    "never": "says that a line is unreachable",
    "sometimes": "says that a state like this is reachable, so that the other claims are not empty",
}


def _explain_claim(claim: Claim) -> Iterator[str]:
    yield f"{claim.id}   {claim.kind}: {_KINDS[claim.kind]}"
    yield ""
    for text in (claim.meaning, claim.why):
        if text:
            yield from textwrap.wrap(text, 100)
    yield f"source: {claim.source}"
    for version, note in claim.known_violations.items():
        yield f"broken by {version}: {note}"
    if claim.scenarios:
        yield f"scenarios: {', '.join(claim.scenarios)}"
    if claim.function is not None:
        yield ""
        yield from _source_of(claim.function)


def _explain_scenario(scenario: Scenario) -> Iterator[str]:
    yield f"{scenario.name}   environment {scenario.environment.__name__.lower()}"
    yield ""
    yield scenario.summary
    yield ""
    yield from textwrap.wrap(inspect.cleandoc(inspect.getmodule(scenario.environment).__doc__ or ""), 100)


def _explain_version(version: Version) -> Iterator[str]:
    """What a version overrides: in the pod workers, and in the kubelet around them if that is its own."""
    yield f"{version.name}: {version.summary}"
    yield from _source_of(version.cls)
    if version.cls.kubelet.__module__ == version.cls.__module__:
        yield ""
        yield from _source_of(version.cls.kubelet)


def _source_of(thing: Callable[..., object]) -> Iterator[str]:
    lines, first = inspect.getsourcelines(thing)
    yield f"{short_path(inspect.getsourcefile(thing) or '')}:{first}"
    for line in lines:
        yield "    " + line.rstrip()
