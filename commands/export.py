"""`podproof export`: a scenario in the languages of other checkers."""

from __future__ import annotations

import re
from pathlib import Path

import click

from podproof.checker.claims import lower_properties
from podproof.checker.export import promela, tla
from podproof.checker.export.names import camel
from podproof.checker.slicing import relevant_variables
from podproof.checker.system import CheckerError
from podproof.commands.line import terminal
from podproof.commands.line.errors import reported
from podproof.commands.systems.build import properties_of, scenarios_of, subject_of, system_of
from podproof.model.versions import DEFAULT_VERSION


@terminal.command(
    examples=[
        ("podproof export promela --scenario one-pod > one_pod.pml", "for SPIN; its first lines say how to run it"),
        ("podproof export tla --scenario orphan --output Orphan.tla", "for TLC, with its configuration beside it"),
    ]
)
@click.argument("language", type=click.Choice(["promela", "tla"]))
@click.option("--version", "version", default=DEFAULT_VERSION, show_default=True, help="The release of the kubelet.")
@click.option("--model", type=click.Path(path_type=Path), help="A file that overrides a release, in its place.")
@click.option("--scenario", default="one-pod", show_default=True, help="The scenario to export.")
@click.option("--property", "properties", multiple=True, help="A claim's id; may be repeated. Default: all.")
@click.option("--reduce/--no-reduce", default=True, help="Leave out variables that no claim depends on.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output.")
@reported
def export(
    language: str,
    version: str,
    model: Path | None,
    scenario: str,
    properties: tuple[str, ...],
    reduce: bool,
    output: Path | None,
) -> int:
    """Write a scenario with its claims as Promela, for SPIN, or as TLA+, for TLC.

    It is the transition system that `podproof check` explores with the same options: the same distinct states, the
    same verdicts. The first lines say how to run the other checker on it. For TLA+ the configuration goes into a file
    beside the module, or follows its end on standard output.
    """
    subject = subject_of(version, model)
    if scenario == "all":
        raise CheckerError("--scenario: one scenario is exported at a time; `podproof list scenarios` has their names")
    (chosen,) = scenarios_of([scenario])
    claims = properties_of(subject, chosen, properties)
    if not claims:
        raise CheckerError(f"none of these claims is about scenario {scenario!r}; see `podproof explain ID`")
    system = system_of(subject, chosen)
    lowered = lower_properties(system, claims)
    keep = relevant_variables(system, lowered) if reduce else None
    options = [subject.option, f"--scenario {scenario}", *(f"--property {p}" for p in properties)]
    command = " ".join(["podproof export", language, *options, *([] if reduce else ["--no-reduce"])])
    if language == "promela":
        _write(output, promela(system, lowered, keep, command))
        return 0
    module = tla(system, lowered, keep, command, _module_name(output, scenario))
    if output is None:
        click.echo(f"{module.text}The configuration {module.name}.cfg, which is no part of the module:\n")
        click.echo(module.configuration, nl=False)
    else:
        _write(output, module.text)
        _write(output.with_suffix(".cfg"), module.configuration)
    return 0


def _module_name(output: Path | None, scenario: str) -> str:
    """TLC wants a module to have the name of its file."""
    if output is None:
        return camel(scenario)
    if output.suffix != ".tla" or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", output.stem):
        raise CheckerError(
            f"--output {output}: a TLA+ module has its file's name, so the name must be letters, digits and `_` with "
            f".tla at the end; write --output {camel(scenario)}.tla"
        )
    return output.stem


def _write(output: Path | None, text: str) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CheckerError(f"--output {output}: {error.strerror}; give a file that can be written") from error
    terminal.note(f"wrote {output}")
