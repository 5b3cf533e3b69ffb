"""`podproof conform`: replay recorded traces of the real code through the model."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from podproof.checker import conformance
from podproof.checker.conformance import Conformance
from podproof.commands.line import terminal
from podproof.commands.line.findings import report_of, tool
from podproof.commands.line.options import subject_or_go_options
from podproof.commands.line.outputs import Content, Outputs, output_options
from podproof.commands.systems.build import Subject, replayer_of, system_of
from podproof.commands.traces.formats import trace_format
from podproof.model.scenarios import SCENARIOS
from podproof.reports.content.conform import Replay, conform_data, conform_findings, conform_parts


@terminal.command(
    examples=[
        ("podproof conform tests/traces/lifecycles.jsonl", "traces recorded from kubelet 1.29"),
        ("podproof conform mine.jsonl.gz --version v1.32 --most 5", "your own, with up to five differences"),
    ]
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@subject_or_go_options
@click.option("--profile", "profiles", multiple=True, help="Only traces of this profile; may be repeated.")
@click.option("--skip-profile", "skipped", multiple=True, help="No traces of this profile; may be repeated.")
@click.option("--most", type=click.IntRange(min=1), default=1, show_default=True, help="Differing traces to tell.")
@output_options("conform")
def conform(
    files: tuple[Path, ...],
    subject: Subject,
    profiles: tuple[str, ...],
    skipped: tuple[str, ...],
    most: int,
    outputs: Outputs,
) -> int:
    """Replay recorded traces of the real code (FILES: .jsonl or .jsonl.gz) and compare after every step.

    The format is described in docs/traces.md, that of v1.20 in docs/traces-v1.20.md. Exit code 1 when a trace does not
    conform.
    """
    if subject.file is not None:
        # Refuses what is outside the language: a replay runs the model as it is, loops without an end, too.
        system_of(subject, SCENARIOS["one-pod"])
    factory, form = replayer_of(subject), trace_format(subject.cls)
    results: list[Conformance] = []
    left_out = 0
    for file in files:
        for where, trace in form.read_lines(file):
            profile = trace.get("profile") or ""
            if profile in skipped or (profiles and profile not in profiles):
                left_out += 1
                continue
            results.append(conformance.replay(trace, factory, where))
    if not results:
        left = f"; {left_out} were left out by their profile" if left_out else ""
        raise click.UsageError(f"the files have no trace to replay{left}; see docs/traces.md for the format")
    names = [
        *(shlex.quote(str(file)) for file in files),
        *(f"--profile {p}" for p in profiles),
        *(f"--skip-profile {p}" for p in skipped),
    ]
    line = " ".join(["podproof conform", *names, subject.option])
    replayed = Replay(subject.name, str(subject.file or subject.name), subject.option, line, tuple(results), left_out)
    end = replayed.exit_code, "a trace does not conform" if replayed.exit_code else "all traces conform"
    outputs.write(
        Content(
            parts=lambda detail: conform_parts(replayed, most, detail),
            data=lambda: conform_data(replayed, tool()),
            report=lambda: report_of("conform", line, [subject], conform_findings(replayed), end),
        )
    )
    return replayed.exit_code
