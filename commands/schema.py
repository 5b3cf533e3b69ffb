"""`podproof schema`: the JSON Schema of everything that `-o json` writes."""

from __future__ import annotations

import click

from podproof.commands.line import terminal
from podproof.commands.line.errors import reported
from podproof.reports.formats.schema import schema_text


@terminal.command(examples=[("podproof schema > podproof-1.schema.json", "to check documents, or to generate types")])
@reported
def schema() -> int:
    """Print the JSON Schema podproof/1, which every document of check, prove, diff, conform and pods follows.

    Fields may be added within podproof/1; none is renamed or removed, and none changes its meaning.
    """
    click.echo(schema_text(), nl=False)
    return 0
