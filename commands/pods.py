"""`podproof pods`: does what holds for a few pods hold for any number of them? Checks what such an argument needs."""

from __future__ import annotations

import click

from podproof.checker.core.system import CheckerError
from podproof.commands.line import progress, terminal
from podproof.commands.line.findings import tool
from podproof.commands.line.options import (
    properties_option,
    scenarios_option,
    subject_options,
)
from podproof.commands.line.outputs import Content, Outputs, output_options
from podproof.commands.systems.build import Subject, scenarios_of
from podproof.commands.systems.crowds import answer_for
from podproof.model.crowd import Crowd, crowd
from podproof.model.kubelet import Kubelet
from podproof.reports.content.pods import pods_data, pods_parts

UNDECIDED = 4


@terminal.command(
    examples=[
        ("podproof pods --scenario orphan", "two pods like the one of this scenario"),
        ("podproof pods --scenario orphan --copies 3", "three of them"),
        ("podproof pods --scenario one-pod --beside orphan", "a pod beside one of another scenario"),
    ]
)
@subject_options
@scenarios_option()
@properties_option()
@click.option(
    "--copies", type=click.IntRange(2, 8), default=2, show_default=True, help="How many copies of each scenario."
)
@click.option("--beside", multiple=True, help="Put this scenario beside it instead of a copy; may be repeated.")
@output_options("pods", forms=("text", "json"))
def pods(
    subject: Subject,
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    copies: int,
    beside: tuple[str, ...],
    outputs: Outputs,
) -> int:
    """Say which claims carry over from a scenario's pods to any number of pods like them.

    Checked is that a pod among others does what it could do by itself, whatever they do, and for each claim that many
    pods violate it only where one does. docs/pods.md has the argument. Exit code 4: something could not be shown.
    """
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
