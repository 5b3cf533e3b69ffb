"""`podproof conform`: replay recorded traces of the real code through the model."""

from __future__ import annotations

from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.findings import report_of
from podproof.cli.options import model_subject_options
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.queries import conforming
from podproof.queries.build import Subject
from podproof.reports.content.conform import conform_findings, conform_parts
from podproof.reports.render.json import answer_data


@terminal.command(
    examples=[
        ("podproof conform tests/traces/lifecycles.jsonl --version v1.29", "traces recorded from kubelet 1.29"),
        ("podproof conform mine.jsonl.gz --version v1.32 -v", "your own, with every difference"),
        ("podproof conform tests/layers/v1.32 --version v1.32", "cases of functions around the worker"),
    ]
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_subject_options
@click.option("--profile", "profiles", multiple=True, help="Only traces of this profile; may be repeated.")
@output_options("conform")
def conform(
    files: tuple[Path, ...],
    subject: Subject,
    profiles: tuple[str, ...],
    outputs: Outputs,
) -> int:
    """Replay recordings of the real code and compare after every step.

    FILES are .jsonl or .jsonl.gz, or folders with such files. Each has traces of the pod workers (docs/traces.md, of
    v1.20 docs/traces-v1.20.md) or cases of one function around them (docs/layers.md); its lines say which. Exit code 1
    when one does not conform.
    """
    replayed = conforming.conform(subject, files, profiles)
    what = replayed.what
    end = replayed.exit_code, f"a {what} does not conform" if replayed.exit_code else f"all {what}s conform"
    outputs.write(
        Content(
            parts=lambda detail: conform_parts(replayed, str(subject.file or subject.name), detail),
            data=lambda: answer_data(replayed),
            report=lambda: report_of(
                "conform", replayed.command, [subject], conform_findings(replayed, subject.option), end
            ),
        )
    )
    return replayed.exit_code
