"""`podproof schema`: the JSON Schemas of what `-o json` writes and of what `conform` reads."""

from __future__ import annotations

import click

from podproof.commands.line import terminal
from podproof.commands.traces.formats import PUBLISHED


@terminal.command(
    examples=[
        ("podproof schema > podproof-1.schema.json", "to check documents, or to generate types"),
        ("podproof schema trace > trace.schema.json", "of recorded traces, docs/traces.md"),
    ]
)
@click.argument("name", type=click.Choice(list(PUBLISHED)), default="podproof/1")
def schema(name: str) -> int:
    """Print the JSON Schema podproof/1, which every document of check, prove, diff, conform, pods, adequacy and list
    follows.

    Fields may be added within podproof/1; none is renamed or removed, and none changes its meaning. `trace`,
    `trace-v1.20` and `layers` are the schemas of the recordings that conform reads.
    """
    click.echo(PUBLISHED[name].schema(), nl=False)
    return 0
