"""`podproof diagram`: the reachable states, seen through a few fields."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from podproof.checker.compiled import state_graph
from podproof.checker.slicing import relevant_variables
from podproof.checker.system import CheckerError, Limits
from podproof.commands import progress
from podproof.commands.build import scenarios_of, subject_of, system_of
from podproof.commands.errors import reported
from podproof.model.v1_20.release import V1_20
from podproof.model.versions import DEFAULT_VERSION
from podproof.reports.diagram import FORMATS, Caption, render
from podproof.reports.projection import PHASES, fields_of, projection_of


@click.command()
@click.option("--version", "version", default=DEFAULT_VERSION, show_default=True, help="The release of the kubelet.")
@click.option("--model", type=click.Path(path_type=Path), help="A file that overrides a release, in its place.")
@click.option("--scenario", default="one-pod", show_default=True)
@click.option("--by", "fields", show_default=",".join(PHASES), help="Fields, separated by commas.")
@click.option("-o", "--output", "form", type=click.Choice([*FORMATS]), default="dot", show_default=True)
@click.option("--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output.")
@reported
def diagram(
    version: str, model: Path | None, scenario: str, fields: str | None, form: str, output_file: Path | None
) -> int:
    """Draw the reachable states of a scenario, those alike in the chosen fields as one, to standard output."""
    subject = subject_of(version, model)
    if fields is None:
        fields = ",".join(subject.cls.phases if issubclass(subject.cls, V1_20) else PHASES)
    if scenario == "all":
        raise CheckerError("--scenario all: a diagram shows one scenario; name one of `podproof list scenarios`")
    (chosen,) = scenarios_of([scenario])
    system = system_of(subject, chosen)
    by = fields_of(system, [name.strip() for name in fields.split(",") if name.strip()])
    paths = [field.variable.path for field in by]
    with progress.shown(f"{subject.name} {scenario}") as report:
        graph = state_graph(system, relevant_variables(system, (), paths), paths, Limits(), report)
    if not graph.complete:
        raise CheckerError("the exploration was interrupted; a diagram of a part would mislead, so none is drawn")
    command = f"podproof diagram {subject.option} --scenario {scenario} --by {fields} -o {form}"
    drawn = render(projection_of(graph, by), form, Caption(command))
    if output_file is not None:
        try:
            output_file.write_bytes(drawn)
        except OSError as error:
            raise CheckerError(f"--output-file {output_file}: it cannot be written ({error.strerror})") from error
    elif form == "png" and sys.stdout.isatty():
        raise CheckerError("-o png: a picture is not for a terminal; add --output-file FILE or redirect it")
    else:
        sys.stdout.buffer.write(drawn)
    return 0
