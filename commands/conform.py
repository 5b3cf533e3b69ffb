"""`podproof conform`: replay recorded traces of the real code through the model."""

from __future__ import annotations

from pathlib import Path

import click

from podproof.checker import conformance
from podproof.commands.build import replayer_of, subject_of
from podproof.commands.errors import HOLDS, VIOLATED, reported
from podproof.model.versions import DEFAULT_VERSION


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--version", "version", default=DEFAULT_VERSION, show_default=True, help="The release of the kubelet.")
@click.option("--model", type=click.Path(path_type=Path), help="A file that overrides a release, in its place.")
@click.option("--profile", "profiles", multiple=True, help="Only traces of this profile; may be repeated.")
@click.option("--skip-profile", "skipped", multiple=True, help="No traces of this profile; may be repeated.")
@click.option("--most", type=click.IntRange(min=1), default=1, show_default=True, help="Differing traces to tell.")
@reported
def conform(
    files: tuple[Path, ...],
    version: str,
    model: Path | None,
    profiles: tuple[str, ...],
    skipped: tuple[str, ...],
    most: int,
) -> int:
    """Replay recorded traces of the real code (FILES: .jsonl or .jsonl.gz) and compare after every step.

    The format is described in docs/traces.md, that of v1.20 in docs/traces-v1.20.md. Exit code 1 when a trace does not
    conform.
    """
    factory = replayer_of(subject_of(version, model))
    conforming = total = left_out = 0
    for file in files:
        for where, trace in conformance.read_traces(file):
            profile = str(trace.get("profile", ""))
            if profile in skipped or (profiles and profile not in profiles):
                left_out += 1
                continue
            total += 1
            result = conformance.replay(trace, factory, where)
            conforming += result.conforms
            if not result.conforms and total - conforming <= most:
                click.echo(result.story())
    left = f", {left_out} left out by their profile" if left_out else ""
    click.echo(f"{conforming} of {total} traces conform to {version if model is None else model}{left}")
    if total == 0:
        raise click.UsageError("the files have no trace to replay; see docs/traces.md for the format")
    return HOLDS if conforming == total else VIOLATED
