"""Does what holds for a few pods hold for any number of them? Checks the premises of the argument in docs/pods.md."""

from __future__ import annotations

from podproof.checker.core import UsageError
from podproof.checker.core.system import CheckerError
from podproof.model.crowd import Crowd, crowd
from podproof.model.kubelet import Kubelet
from podproof.queries import progress
from podproof.queries.build import Subject, scenarios_of
from podproof.queries.crowds import answer_for
from podproof.reports.content.pods import PodsVerdict


def among_others(
    subject: Subject, scenarios: tuple[str, ...], properties: tuple[str, ...], beside: tuple[str, ...]
) -> list[PodsVerdict]:
    """For each scenario, beside a copy of it or beside others, which claims carry over. Raises CheckerError."""
    neighbours = scenarios_of(beside, subject, option="--beside") if beside else ()
    chosen = [
        s
        for s in scenarios_of(scenarios, subject)
        if s.environment is Kubelet and issubclass(s.model_class(subject.cls), Kubelet)
    ]
    if not chosen:
        raise CheckerError(
            f"none of these scenarios has the callers of kubelet 1.22 and later around {subject.name}, "
            "which this is about; `podproof explain scenarios` has those of environment kubelet"
        )
    for scenario in chosen:
        if neighbours and isinstance(scenario, Crowd):
            raise UsageError(f"--beside: {scenario.name} has its members already; name it alone")
    answers = []
    for scenario in chosen:
        together = scenario
        if not isinstance(together, Crowd):
            try:
                together = crowd(scenario, *(neighbours or (scenario,)))
            except ValueError as error:
                raise UsageError(f"--beside: {error}") from error
        with progress.stage(f"{subject.name} {scenario.name}"):
            answers.append(answer_for(subject, together, properties))
    return answers
