"""`podproof prove --pods`: which claims carry over to any number of pods."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import click

from podproof.cli import terminal
from podproof.cli.options import Selection, refuse_given
from podproof.cli.outputs import Content, Outputs
from podproof.cli.prove_options import PodsBeside
from podproof.queries.build import Subject
from podproof.queries.pods import among_others
from podproof.reports.content.pods import PodsAnswer, pods_parts
from podproof.reports.render.json import answer_data

_OF_PODS = {"version", "model", "go", "assumed", "claim_files", "scenarios", "properties", "pods", "beside"}
"""The options of `prove` that go together with --pods, as -o and --output-file do."""


def tell_of_pods(subject: Subject, selection: Selection, pods: PodsBeside, outputs: Outputs) -> int:
    """Say which claims carry over to more pods; the exit code."""
    command = click.get_current_context().command
    assert isinstance(command, terminal.Command)
    others = {option.name or "" for option in command.params[: command.own]} - _OF_PODS - {"output", "output_file"}
    refuse_given("what carries over to more pods is decided without", others)
    if wrong := sorted(outputs.forms - {"text", "json"}):
        raise click.UsageError(f"--pods is told as text or json, and not as {wrong[0]}")
    outputs = replace(outputs, artifacts=None, summary=None)
    answers = among_others(subject, selection.scenarios, selection.properties, pods.beside)
    code: Literal[0, 4] = 0 if all(answer.shown for answer in answers) else 4
    meanings = {claim.id: claim.meaning for claim in subject.claims}
    outputs.write(
        Content(
            parts=lambda detail: pods_parts(answers, meanings, detail),
            data=lambda: answer_data(PodsAnswer(code, answers)),
        )
    )
    return code
