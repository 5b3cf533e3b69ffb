"""`podproof prove`: decide claims for every grace period and number of events, with proofs to be checked again."""

from __future__ import annotations

from podproof.cli import terminal
from podproof.cli.options import Selection, selection_options, subject_options
from podproof.cli.outputs import Outputs, output_options
from podproof.cli.policy import Policy, policy_options
from podproof.cli.prove_options import PodsBeside, Proving, pods_options, proving_options
from podproof.cli.prove_pods import tell_of_pods
from podproof.cli.verdict_content import proved
from podproof.queries.build import Subject
from podproof.queries.proving import ProofQuery


@terminal.command(
    examples=[
        ("podproof prove --scenario orphan", "every claim about states and steps, for every grace period"),
        ("podproof prove --scenario orphan --bounded", "for as many events as the scenario has"),
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
@pods_options
@proving_options
@policy_options
@output_options("prove")
def prove(
    subject: Subject,
    selection: Selection,
    pods: PodsBeside,
    proving: Proving,
    policy: Policy,
    outputs: Outputs,
) -> int:
    """Decide claims for every grace period and any number of events, and not only for a scenario's.

    PROVED claims about states and steps have an inductive invariant, VIOLATED ones a shortest counterexample; UNKNOWN
    ones say why. A claim about runs, with --liveness, is PROVED where it holds whichever way comparisons of seconds go.

    With --pods: which claims carry over from a scenario's pods to any number of pods like them? A pod among others has
    to do what it could do by itself, whatever they do, and many pods may violate a claim only where one does.
    docs/pods.md has the argument. Exit code 4: something could not be shown.
    """
    if pods.are_asked_about:
        return tell_of_pods(subject, selection, pods, outputs)
    query = ProofQuery(
        subject,
        selection.scenarios,
        selection.properties,
        selection.liveness,
        proving.timeout,
        proving.smt2,
        proving.recheck,
        proving.show_invariant,
        policy.listed,
        policy.strictness,
        proving.bounded,
    )
    proving.make_folders()
    answer = query.answer()
    content, context = proved(answer, query)
    outputs.write(content)
    proving.report.write(answer.explorations, context)
    return answer.judgement.code
