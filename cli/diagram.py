"""`podproof diagram`: the reachable states, or one trace; and whether diagrams are current."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from podproof.checker.core.system import CheckerError
from podproof.cli import terminal
from podproof.cli.diagram_check import check_diagrams
from podproof.cli.gone import ChoiceOrGone
from podproof.cli.options import asked_version, model_options, scenario_option
from podproof.cli.output_path import OutputPath
from podproof.cli.outputs import write_whole
from podproof.queries.drawing import DEFAULT, Request
from podproof.reports.presets import PRESETS
from podproof.reports.render.forms import FORMS, diagram_bytes


@terminal.command(
    examples=[
        ("podproof diagram --preset lifecycle -o svg > lifecycle.svg", "the phases of a pod"),
        ("podproof diagram --preset queries -o mermaid", "which query returns true when"),
        ("podproof diagram --trace grace_period_only_decreases -o mermaid", "how a claim is broken"),
        (
            "podproof diagram --scenario pre-stop --trace a_deleted_pod_ends_by_force -o svg > forced.svg",
            "from the deletion to the end of the object, with the stages of the container's end",
        ),
        ("podproof diagram --by grace_period,finished -o mermaid", "the states, grouped by fields of your choice"),
        ("podproof diagram --check docs/lifecycle.md docs/images/lifecycle.svg", "are these diagrams current?"),
    ]
)
@model_options
@scenario_option("The scenario whose states are shown.", default=None, show_default="one-pod, or the preset's own")
@click.option("--preset", type=click.Choice([*PRESETS]), show_default=DEFAULT, help="A ready-made view of the states.")
@click.option(
    "--by", "fields", metavar="FIELD,…", help="The states, grouped by these fields: see `podproof explain fields`."
)
@click.option("--trace", metavar="CLAIM", help="The shortest counterexample, or witness: the life of its pods.")
@click.option(
    "-o",
    "--output",
    "form",
    type=ChoiceOrGone("diagram -o", [*FORMS]),
    default="dot",
    show_default=True,
    help="The format.",
)
@click.option("--output-file", type=OutputPath(), help="Default: standard output.")
@click.option("--check", "checks", is_flag=True, help="Regenerate the diagrams in FILE…: exit code 1 if one differs.")
@click.option("--write", "writes", is_flag=True, help="With --check: update the files.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
def diagram(
    form: str, output_file: Path | None, checks: bool, writes: bool, files: tuple[Path, ...], **asked: Any
) -> int:
    """Draw the reachable states of a scenario, or a trace, to standard output.

    Presets: lifecycle, the phases of a pod and what leads from
    one to another; static-pods, who has the full name that static pods share; grace, how the grace period of a
    termination changes; queries, in which phase which query of the pod workers answers true.

    Every diagram says which command made it. With --check, that command is run again for each diagram in the files:
    pictures, .mmd and .dot files, and fenced blocks in Markdown pages.
    """
    if checks:
        return check_diagrams(files, writes)
    if files or writes:
        what = f"{files[0]}" if files else "--write"
        raise CheckerError(f"{what}: files are for --check only; to draw into a file give --output-file FILE")
    asked["version"] = asked_version(*(asked[name] for name in ("version", "model", "go", "assumed")))
    content = diagram_bytes(Request(**asked).diagram(form), form)
    if output_file is not None:
        write_whole(output_file, content)
        terminal.note(f"wrote {output_file}")
    elif form == "png" and sys.stdout.isatty():
        raise CheckerError("-o png: a picture is not for a terminal; add --output-file FILE or redirect it")
    else:
        sys.stdout.buffer.write(content)
    return 0
