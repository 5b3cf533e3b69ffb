"""`podproof prove`: decide claims for every grace period, with proofs that can be checked again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from podproof.cli import terminal
from podproof.cli.errors import make_folder
from podproof.cli.findings import ReportContext, command_line
from podproof.cli.options import (
    Selection,
    duration,
    refuse_given,
    report_dir_option,
    selection_options,
    subject_options,
)
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.policy import Policy, policy_options
from podproof.queries.build import Subject, notes_of
from podproof.queries.checking import review_command
from podproof.queries.claims import called
from podproof.queries.pods import among_others
from podproof.queries.proving import ProofQuery
from podproof.reports.content.check import TextOptions
from podproof.reports.content.pods import PodsAnswer, pods_parts
from podproof.reports.content.prove import ProofReport
from podproof.reports.content.verdicts import proofs_answer
from podproof.reports.render.json import answer_data


@terminal.command(
    examples=[
        ("podproof prove --scenario orphan", "every claim about states and steps, for every grace period"),
        ("podproof prove --model my_change.py --scenario one-pod --property terminated_pods_never_restart", "a change"),
        ("podproof prove --scenario uid-reuse --recheck", "UNKNOWN unless a second solver confirms it"),
        ("podproof prove --liveness --scenario one-pod", "what must happen eventually, for every number of seconds"),
        ("podproof prove --scenario uid-reuse --smt2 checks/", "write the checks for other solvers"),
        ("podproof prove --pods --scenario orphan", "which verdicts carry over to more pods like its own"),
        ("podproof prove --pods --scenario one-pod --beside orphan", "a pod beside one of another scenario"),
    ]
)
@subject_options
@selection_options
@click.option("--pods", is_flag=True, help="Say instead which claims carry over to any number of pods like these.")
@click.option("--beside", multiple=True, help="With --pods: this scenario beside it. Default: itself. May be repeated.")
@click.option("--timeout", default="60s", show_default=True, callback=duration, help="For each claim (30s, 5m).")
@click.option("--smt2", type=click.Path(file_okay=False, path_type=Path), help="Write each proof's three checks here.")
@click.option("--recheck", is_flag=True, help="Nothing is PROVED unless a second solver agrees (Yices or cvc5).")
@report_dir_option
@click.option("--show-invariant", is_flag=True, help="Show each proof's invariant, without needless parts (slow).")
@policy_options
@output_options("prove")
def prove(
    subject: Subject,
    selection: Selection,
    pods: bool,
    beside: tuple[str, ...],
    timeout: float,
    smt2: Path | None,
    recheck: bool,
    report_dir: Path | None,
    show_invariant: bool,
    policy: Policy,
    outputs: Outputs,
) -> int:
    """Decide claims for every grace period, and not only for a scenario's.

    PROVED claims about states and steps have an inductive invariant, VIOLATED ones a shortest counterexample; UNKNOWN
    ones say why. A claim about runs, with --liveness, is PROVED where it holds whichever way comparisons of seconds go.

    With --pods: which claims carry over from a scenario's pods to any number of pods like them? A pod among others has
    to do what it could do by itself, whatever they do, and many pods may violate a claim only where one does.
    docs/pods.md has the argument. Exit code 4: something could not be shown.
    """
    if pods:
        return _among_others(subject, selection, beside, outputs)
    if beside:
        raise click.UsageError("--beside says which other pods there are; add --pods")
    scenarios, properties = selection.scenarios, selection.properties
    query = ProofQuery(
        subject,
        scenarios,
        properties,
        selection.liveness,
        timeout,
        smt2,
        recheck,
        show_invariant,
        policy.listed,
        policy.strictness,
    )
    if smt2 is not None:
        make_folder(smt2, "--smt2")
    if report_dir is not None:
        make_folder(report_dir, "--report-dir")
    answer = query.answer()
    explorations, judgement, replay = answer.explorations, answer.judgement, answer.replay
    sources, line = notes_of([subject]), command_line("prove", subject.option, scenarios, properties)
    context = ReportContext("prove", subject, line, sources, replay, judgement)
    wanted = TextOptions(
        sources,
        replay,
        judgement=judgement,
        harms=subject.harms,
        effects=subject.effects,
        at_a_glance=True,
        asked=properties,
        called=called,
        shown_by=replay,
        then=review_command(subject),
    )
    outputs.write(
        Content(
            parts=lambda detail: ProofReport(answer.proofs, wanted, detail).parts(),
            data=lambda: answer_data(proofs_answer(answer.proofs, replay, judgement, subject.consequence)),
            report=lambda: context.report(explorations),
        )
    )
    if report_dir is not None:
        from podproof.cli.report_page import write_report  # Jinja2 takes a while to load.

        write_report(report_dir, explorations, context)
    return judgement.code


_OF_PODS = {"version", "model", "go", "assumed", "claim_files", "scenarios", "properties", "pods", "beside"}
"""The options of `prove` that go together with --pods, as -o and --output-file do."""


def _among_others(
    subject: Subject,
    selection: Selection,
    beside: tuple[str, ...],
    outputs: Outputs,
) -> int:
    """Say which claims carry over to more pods."""
    command = click.get_current_context().command
    assert isinstance(command, terminal.Command)
    others = {option.name or "" for option in command.params[: command.own]} - _OF_PODS - {"output", "output_file"}
    refuse_given("what carries over to more pods is decided without", others)
    forms = (outputs.form, outputs.printed, *(form for form, _ in outputs.files))
    if wrong := [form for form in forms if form not in (None, "text", "json")]:
        raise click.UsageError(f"--pods is told as text or json, and not as {wrong[0]}")
    outputs = replace(outputs, artifacts=None, summary=None)
    answers = among_others(subject, selection.scenarios, selection.properties, beside)
    code: Literal[0, 4] = 0 if all(answer.shown for answer in answers) else 4
    meanings = {claim.id: claim.meaning for claim in subject.claims}
    outputs.write(
        Content(
            parts=lambda detail: pods_parts(answers, meanings, detail),
            data=lambda: answer_data(PodsAnswer(code, answers)),
        )
    )
    return code
