"""A scenario in the languages of other checkers: `python -m bench.peers.export promela --scenario one-pod`."""

from __future__ import annotations

import re
from pathlib import Path

import click
from bench.peers import About, camel
from bench.peers.promela import promela
from bench.peers.tla import plan_runs, tla

from podproof.checker.core.system import CheckerError
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import Plan, plan
from podproof.cli.errors import reported
from podproof.cli.options import properties_option, scenario_option, subject_options
from podproof.cli.output_path import OutputPath
from podproof.model.scenarios import Scenario
from podproof.queries.build import Subject, properties_of, run_properties_of, scenarios_of, system_of

_REDUCTIONS = ("slicing", "constants")
"""Those that leave a transition system as they found it but for its variables."""


@click.command()
@reported
@click.argument("language", type=click.Choice(["promela", "tla"]))
@subject_options
@scenario_option("The scenario to export.")
@properties_option()
@click.option(
    "--liveness", is_flag=True, help="Export what must happen eventually, instead of states and steps (TLA+ only)."
)
@click.option(
    "--without",
    multiple=True,
    metavar="NAME",
    help="With --liveness: drop this fairness assumption, such as work-queue; may be repeated.",
)
@click.option(
    "--reduce/--no-reduce",
    default=True,
    help="Drop variables that no claim depends on, and those that never change.",
)
@click.option("--output", type=OutputPath(), help="Default: standard output.")
def export(
    language: str,
    subject: Subject,
    scenario: str,
    properties: tuple[str, ...],
    liveness: bool,
    without: tuple[str, ...],
    reduce: bool,
    output: Path | None,
) -> int:
    """Write a scenario with its claims as Promela, for SPIN, or as TLA+, for TLC.

    It is the transition system that `podproof check --reduce slicing,constants` explores with the same options: the
    same distinct states, the same verdicts. Check's own default may find fewer states, for it also counts those that
    differ by an exchange of pods as one. The first lines of the export have the command to compare with, and say how
    to run the other checker. For TLA+ the configuration goes into a file beside the module, or follows its end on
    standard output.
    """
    if scenario == "all":
        raise CheckerError("--scenario: one scenario is exported at a time; see `podproof explain scenarios`")
    (chosen,) = scenarios_of([scenario], subject)
    liveness = liveness or any(map(subject.is_about_runs, properties))
    if liveness and language == "promela":
        raise CheckerError("--liveness: in Promela strong fairness cannot be said of single actions; export tla")
    if without and not liveness:
        message = "--without: only claims about what must happen eventually assume fairness; add --liveness"
        raise click.UsageError(message)
    claims = (run_properties_of if liveness else properties_of)(subject, chosen, properties)
    if not claims:
        raise CheckerError(f"none of these claims is about scenario {scenario!r}; see `podproof explain ID`")
    system, names = system_of(subject, chosen), _REDUCTIONS if reduce else ()
    options = " ".join([subject.option, f"--scenario {scenario}", *(f"--property {p}" for p in properties)])
    name = _module_name(output, scenario) if language == "tla" else ""
    if liveness:
        options = " ".join([options, "--liveness", *(f"--without {assumption}" for assumption in without)])
        reduced, runs = plan_runs(system, claims, names, without)
        about = _about(language, options, reduced if reduce else None, chosen, is_of_runs=True)
        module = tla(reduced.system, (), reduced.keep, about, name, runs)
    else:
        reduced = plan(system, lower_properties(system, claims), names)
        about = _about(language, options, reduced if reduce else None, chosen)
        if language == "promela":
            _write(output, promela(reduced.system, reduced.properties, reduced.keep, about))
            return 0
        module = tla(reduced.system, reduced.properties, reduced.keep, about, name)
    if output is None:
        click.echo(f"{module.text}The configuration {module.name}.cfg, which is no part of the module:\n")
        click.echo(module.configuration, nl=False)
    else:
        _write(output, module.text)
        _write(output.with_suffix(".cfg"), module.configuration)
    return 0


def _about(language: str, options: str, reduced: Plan | None, scenario: Scenario, is_of_runs: bool = False) -> About:
    """How the text was made, what was left out, and which `podproof check` finds the same."""
    switch = "--reduce none" if reduced is None else f"--reduce {','.join(_REDUCTIONS)}"
    count = "The same verdicts" if is_of_runs else "The same number of states and the same verdicts"
    same = [f"{count} are found by:", f"podproof check {options} {switch}"]
    if is_of_runs:
        same.append("Each state is here up to twice: `turn` is one more variable.")
    elif scenario.interchangeable:
        same.append(
            f"Without {switch} it finds fewer states where pods are interchangeable: it counts those that differ by an "
            "exchange of pods as one (symmetry), and here each is a state."
        )
    made_by = f"python -m bench.peers.export {language} {options}"
    return About(made_by if reduced else f"{made_by} --no-reduce", reduced.notes if reduced else (), same)


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


if __name__ == "__main__":
    export(prog_name="python -m bench.peers.export")
