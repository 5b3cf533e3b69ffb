"""Claims about the order in which killPod stops containers: of every kill of a pod with sidecars."""

from __future__ import annotations

from podproof.model.kuberuntime.termination_turns import EndingContainer, TerminationTurns
from podproof.specs.claim import broken, claim


@claim(
    "step",
    "design of sidecars, KEP 753: sidecars end in the reverse order of their start",
    violations=(
        broken(
            "a later sidecar that does not run never signals that it has ended",
            by="kubernetes/kubernetes#125880",
            since="1.28.0",
            until="1.32.0",
        ),
    ),
    wrong="every container was stopped, and a sidecar waits for its whole grace period",
)
def sidecars_wait_for_what_runs(before: TerminationTurns, after: TerminationTurns) -> bool:
    """Where every container that runs is stopped without an error, no sidecar waits for its whole grace period."""
    return not waits(after) or has_failed_stop(before)


@claim(
    "step",
    "documentation of pod termination: sidecars end after the others",
    violations=(broken("a container whose StopContainer failed never signals that it has ended", since="1.28.0"),),
    wrong="every sidecar runs, and one waits for its whole grace period",
)
def failed_stops_keep_nobody_waiting(before: TerminationTurns, after: TerminationTurns) -> bool:
    """Where every sidecar runs, none waits for its whole grace period, whatever StopContainer answers for others."""
    for i in range(len(before.sidecars)):
        if before.sidecars[i].running == 0:
            return True
    return not waits(after)


@claim(
    "step",
    "Go: a channel may be closed once",
    violations=(
        broken(
            "two running records of one name close its channel twice, and the kubelet dies of it",
            by="kubernetes/kubernetes#122781",
            since="1.28.0",
            until="1.32.0",
        ),
    ),
    wrong="the kill of the pod panics",
)
def kills_do_not_panic(before: TerminationTurns, after: TerminationTurns) -> bool:
    """No kill of a pod panics, also where a container was started twice."""
    return not after.panics


@claim(
    "step",
    "design of sidecars, KEP 753: sidecars end after all regular containers",
    wrong="sidecar {i} has its turn while container {j} runs on",
)
def sidecars_end_last(before: TerminationTurns, after: TerminationTurns) -> bool:
    """No sidecar has its turn while a regular container runs on that could not be stopped, where there is an order."""
    if not after.has_order():
        return True
    for j in range(len(before.regular)):
        if runs_on(before.regular[j]):
            for i in range(len(after.sidecars)):
                if before.sidecars[i].running > 0 and not after.waits_in_vain[i]:
                    return False
    return True


def waits(kill: TerminationTurns) -> bool:
    """Does a sidecar wait until its grace period is over?"""
    for i in range(len(kill.sidecars)):
        if kill.waits_in_vain[i]:
            return True
    return False


def runs_on(container: EndingContainer) -> bool:
    return container.running > 0 and container.stop_fails


def has_failed_stop(kill: TerminationTurns) -> bool:
    """Is there a container that runs and cannot be stopped?"""
    for i in range(len(kill.regular)):
        if runs_on(kill.regular[i]):
            return True
    for i in range(len(kill.sidecars)):
        if runs_on(kill.sidecars[i]):
            return True
    return False
