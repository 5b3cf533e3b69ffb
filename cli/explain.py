"""`podproof explain`: what there is, and what it means."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.config_schema import CONFIGURATION, configuration_schema
from podproof.cli.options import claims_option, model_option, refuse_given, scenario_option, version_option
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.streams import show
from podproof.queries import explaining
from podproof.queries.explaining import LISTS
from podproof.queries.formats import PUBLISHED
from podproof.queries.names import SCHEMA
from podproof.reports.content.listing import listing_parts
from podproof.reports.render.json import answer_data


@terminal.command(
    examples=[
        ("podproof explain", "what there is"),
        ("podproof explain terminated_pods_never_restart", "what a claim says, and its formula"),
        ("podproof explain one-pod", "what a scenario bounds"),
        ("podproof explain v1.32", "what a version changed"),
        ("podproof explain SyncKnownPods", "a function: its Go name or the model's"),
        ("podproof explain startedAt", "a field, an action or a type"),
        ("podproof explain properties", "a list: the claims; also versions, scenarios, fields and others"),
        ("podproof explain scenarios -q", "names only, for scripts; -o json as data"),
        ("podproof explain actions --scenario uid-reuse", "what can happen in a scenario"),
        ("podproof explain schema", "the JSON Schema of what -o json writes"),
        ("podproof explain schema trace", "of recorded traces, docs/traces.md"),
        ("podproof explain schema podproof.toml", "of the configuration, for an editor, docs/ci.md"),
    ]
)
@click.argument("name", metavar="[NAME]", required=False)
@click.argument("schema", metavar="[SCHEMA]", required=False, type=click.Choice([*PUBLISHED, CONFIGURATION]))
@model_option
@claims_option
@version_option("For lists of actions, fields and functions.")
@scenario_option("For lists of actions and fields.")
@output_options("list", forms=("text", "json"))
def explain(
    name: str | None,
    schema: str | None,
    model: Path | None,
    claim_files: tuple[Path, ...],
    version: str,
    scenario: str,
    outputs: Outputs,
) -> int:
    """Say what a claim, a scenario, a version, a function, an action, a field or a type is about, or list them.

    Functions and fields have their Go names as well as the model's. Every document that -o json writes follows the
    JSON Schema podproof/1. Fields may be added within podproof/1; none is renamed or removed, and none changes its
    meaning. `trace`, `trace-v1.20` and `layers` are the schemas of the recordings that conform reads, and
    `podproof.toml` is that of the configuration.
    """
    if schema is not None and name != SCHEMA:
        raise click.UsageError(f"{schema}: one name is explained at a time")
    if name is not None and name in LISTS:
        refuse_given("lists are of podproof's own names", ("model", "claim_files"))
        found = explaining.list_of(name, version, scenario, terminal.detail())
        for_people = outputs.main is None and sys.stdout.isatty()
        outputs.write(
            Content(parts=lambda detail: listing_parts(found, detail, for_people), data=lambda: answer_data(found))
        )
        for namesake in explaining.namesakes(name):
            terminal.note(namesake)
        return 0
    refuse_given("only lists depend on it", ("version", "scenario"))
    if not outputs.is_plain:
        raise click.UsageError(f"-o and --output-file are for lists, which are {', '.join(LISTS)}; leave them out")
    if name is None:
        show(*explaining.what_there_is([*PUBLISHED, CONFIGURATION]))
    elif schema == CONFIGURATION:
        click.echo(configuration_schema(click.get_current_context()), nl=False)
    elif name == SCHEMA:
        click.echo(PUBLISHED[schema or "podproof/1"].schema(), nl=False)
    else:
        show(*explaining.explain(name, terminal.style(), model, claim_files))
    return 0
