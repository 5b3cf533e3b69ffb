"""The names that options and arguments take, so that a shell can complete them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError, System
from podproof.cli.streams import say
from podproof.model.crowd import NODES
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of
from podproof.queries.claims import CLAIMS, NUMBERS
from podproof.queries.names import ABOUT, SCHEMA, known_names
from podproof.queries.versions import DEFAULT_VERSION, LATEST, VERSIONS, version_of

Known = Callable[[click.Context], Iterable[tuple[str, str]]]
"""The names that may be given, each with a word about it."""


class Name(click.types.StringParamType):
    """Text that is to be one of some names. Whether it is one, the command itself says, and what is meant instead."""

    def __init__(self, name: str, known: Known, is_list: bool = False, or_file: bool = False) -> None:
        self.name, self.known, self.is_list, self.or_file = name, known, is_list, or_file
        """`is_list`: several may be given, with commas between them; `or_file`: a file does as well."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, begun = incomplete.rpartition(",") if self.is_list else ("", "", incomplete)
        found = [
            CompletionItem(f"{before}{comma}{name}", help=about)
            for name, about in self.known(ctx)
            if name.startswith(begun)
        ]
        # bash forgets the names it was given as soon as it is to look for files.
        return found or ([CompletionItem(incomplete, type="file")] if self.or_file else [])


class VersionName(Name):
    """The name of a version; `latest` is read as that of the newest release, and a release as what covers it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = super().convert(value, param, ctx)
        if text == LATEST:
            return DEFAULT_VERSION
        if (self.or_file and Path(text).exists()) or (found := version_of(text)) is None:
            return text
        if found.name != text and not (ctx and ctx.resilient_parsing):
            say(f"{visible(text)} is covered by {found.name} ({found.releases}), which is taken")
        return found.name


class ClaimName(Name):
    """The id of a claim; a number is read as the id of the claim that has it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = super().convert(value, param, ctx)
        if not (text.isascii() and text.isdecimal()):
            return text
        if (id := next((id for id, number in NUMBERS.items() if number == text), None)) is None:
            rows = f"1 to {len(NUMBERS)}, the rows of `podproof explain properties`"
            self.fail(f"{text} is no claim's number; they are {rows}")
        if not (ctx and ctx.resilient_parsing):
            say(f"{text} is {id}")
        return id


class AnyName(ClaimName, VersionName):
    """The name of anything, a claim's number and a release included."""


def _versions(_context: click.Context) -> Iterator[tuple[str, str]]:
    yield LATEST, f"the newest of these releases, {DEFAULT_VERSION}"
    yield from ((version.name, version.summary) for version in VERSIONS.values())


def _scenarios(_context: click.Context) -> Iterator[tuple[str, str]]:
    return ((scenario.name, scenario.summary) for scenario in (*SCENARIOS.values(), *NODES.values()))


def _scenarios_or_all(context: click.Context) -> Iterator[tuple[str, str]]:
    yield from _scenarios(context)
    yield "all", "every scenario"


def _claims(_context: click.Context) -> Iterator[tuple[str, str]]:
    return ((claim.id, claim.meaning) for claim in CLAIMS)


def _everything(context: click.Context) -> Iterator[tuple[str, str]]:
    yield from {**ABOUT, SCHEMA: "JSON Schemas"}.items()
    for known in (_claims, _scenarios, _versions):
        yield from known(context)
    yield from known_names().items()


def _fields(context: click.Context) -> Iterator[tuple[str, str]]:
    system = _system(context)
    return iter(()) if system is None else ((variable.path, "") for variable in system.variables)


def _system(context: click.Context) -> System | None:
    """The system of the options that stand before what is completed; None where they are wrong."""
    version = context.params.get("version") or DEFAULT_VERSION
    scenario = context.params.get("scenario") or "one-pod"
    model: Path | None = context.params.get("model")
    try:
        return system_of(subject_of(version, model), SCENARIOS[scenario])
    except (CheckerError, KeyError):
        return None


SCENARIO = Name("scenario", _scenarios_or_all)
BY_NAME: Mapping[str, Name] = {
    "--version": VersionName("version", _versions),
    "--from": VersionName("version", _versions),
    "--scenario": SCENARIO,
    "--beside": SCENARIO,
    "--property": ClaimName("claim", _claims),
    "--trace": ClaimName("claim", _claims),
    "--by": Name("field,…", _fields, is_list=True),
    "a": VersionName("version", _versions, or_file=True),
    "b": VersionName("version", _versions, or_file=True),
    "name": AnyName("id", _everything),
}
"""For the options and arguments that take a name, by how they are written, in whatever command they occur."""


def complete(params: Iterable[click.Parameter]) -> None:
    """Give each parameter of plain text its kind of name."""
    for param in params:
        if isinstance(param.type, click.types.StringParamType):
            param.type = next((BY_NAME[name] for name in param.opts if name in BY_NAME), param.type)
