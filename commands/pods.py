"""`podproof pods`: does what holds for a few pods hold for any number of them? Checks what such an argument needs."""

from __future__ import annotations

from dataclasses import replace

import click

from podproof.checker.core.system import CheckerError, Limits
from podproof.checker.difference.behaviour import refinement
from podproof.commands.line import progress, terminal
from podproof.commands.line.findings import tool
from podproof.commands.line.options import (
    budget_option,
    max_states_option,
    properties_option,
    scenarios_option,
    subject_options,
)
from podproof.commands.line.outputs import Content, Outputs, output_options
from podproof.commands.systems.build import Subject, scenarios_of, system_of
from podproof.commands.systems.crowds import answer_for
from podproof.model.containers import Containers
from podproof.model.crowd import Crowd, crowd
from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import DETAILED
from podproof.reports.content.pods import pods_data, pods_parts
from podproof.reports.content.surroundings import SurroundingsVerdict, surroundings_data, surroundings_parts

UNDECIDED = 4


@terminal.command(
    examples=[
        ("podproof pods --scenario orphan", "two pods like the one of this scenario"),
        ("podproof pods --scenario orphan --copies 3", "three of them"),
        ("podproof pods --scenario one-pod --beside orphan", "a pod beside one of another scenario"),
        ("podproof pods --surroundings --scenario pre-stop", "its containers one by one, or one bit for all of them"),
    ]
)
@subject_options
@scenarios_option()
@properties_option()
@click.option(
    "--copies", type=click.IntRange(2, 8), default=2, show_default=True, help="How many copies of each scenario."
)
@click.option("--beside", multiple=True, help="Put this scenario beside it instead of a copy; may be repeated.")
@click.option("--surroundings", is_flag=True, help="Check instead whether one bit for containers is enough.")
@max_states_option
@budget_option
@output_options("pods", forms=("text", "json"))
def pods(
    subject: Subject,
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    copies: int,
    beside: tuple[str, ...],
    surroundings: bool,
    max_states: int | None,
    budget: float | None,
    outputs: Outputs,
) -> int:
    """Say which claims carry over from a scenario's pods to any number of pods like them.

    Checked is that a pod among others does what it could do by itself, whatever they do, and for each claim that many
    pods violate it only where one does. docs/pods.md has the argument. Exit code 4: something could not be shown.

    With --surroundings, of scenarios with containers: do the scenarios that have one bit for a pod's containers allow
    every step that is taken where each container is by itself? Decided on all states. Exit code 1: not every one.
    """
    limits = Limits(max_states, None, budget)
    if surroundings:
        return _compare_surroundings(subject, scenarios, properties, beside, limits, outputs)
    if limits != Limits(None, None, None):
        raise click.UsageError("--max-states and --budget bound a search, and only --surroundings makes one")
    neighbours = scenarios_of(beside, subject) if beside else ()
    chosen = [
        s
        for s in scenarios_of(scenarios, subject)
        if s.environment is Kubelet and issubclass(s.model_class(subject.cls), Kubelet)
    ]
    if not chosen:
        raise CheckerError(
            f"none of these scenarios has the callers of kubelet 1.22 and later around {subject.name}, "
            "which this is about; `podproof list scenarios` has those of environment kubelet"
        )
    for scenario in chosen:
        if neighbours and isinstance(scenario, Crowd):
            raise click.UsageError(f"--beside: {scenario.name} has its members already; name it alone")
    answers = []
    for scenario in chosen:
        together = scenario
        if not isinstance(together, Crowd):
            try:
                together = crowd(scenario, *(neighbours or (scenario,) * (copies - 1)))
            except ValueError as error:
                raise click.UsageError(f"--beside: {error}") from error
        with progress.told(f"{subject.name} {scenario.name}"):
            answers.append(answer_for(subject, together, properties))
    code = UNDECIDED if any(answer.gaps for answer in answers) else 0
    meanings = {claim.id: claim.meaning for claim in subject.claims}
    outputs.write(
        Content(
            parts=lambda detail: pods_parts(answers, meanings, detail),
            data=lambda: pods_data(answers, tool(), code),
        )
    )
    return code


def _compare_surroundings(
    subject: Subject,
    names: tuple[str, ...],
    properties: tuple[str, ...],
    beside: tuple[str, ...],
    limits: Limits,
    outputs: Outputs,
) -> int:
    """With one bit for the containers of a pod, and with each of them by itself."""
    if properties or beside:
        raise click.UsageError(
            "--surroundings asks about steps, and one scenario at a time; leave --property and --beside out"
        )
    chosen = [s for s in scenarios_of(names or tuple(DETAILED), subject) if s.environment is Containers]
    chosen = [s for s in chosen if s.is_for(subject.cls)]
    if not chosen:
        raise CheckerError(
            f"none of these scenarios has the containers of {subject.name}, which --surroundings is about; "
            "`podproof list scenarios` has those of environment containers"
        )
    verdicts = []
    for scenario in chosen:
        with progress.told(f"{subject.name} {scenario.name}"):
            systems = [system_of(subject, s) for s in (scenario, replace(scenario, environment=Kubelet))]
            verdicts.append(SurroundingsVerdict(systems[0], refinement(systems[0], systems[1], limits)))
    code = 1 if any(v.found.outside for v in verdicts) else UNDECIDED if any(v.found.reason for v in verdicts) else 0
    outputs.write(
        Content(
            parts=lambda detail: surroundings_parts(verdicts, detail),
            data=lambda: surroundings_data(verdicts, tool(), code),
        )
    )
    return code
