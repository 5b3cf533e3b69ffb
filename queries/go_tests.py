"""Go tests of the claims that were found to be violated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from podproof.checker.core.graph import variables_below
from podproof.checker.core.system import AFTER, Exploration, NothingToShow, Property, Status, System, Verdict
from podproof.checker.lowering.claims import formulas
from podproof.kubelet.go_test import GoTest, Release, go_test_file, held_kubelet_file, held_workers_file
from podproof.kubelet.go_test.calls import (
    SEEN,
    SEEN_OF_CALLERS,
    go_test,
    new_member_in,
    release_of,
    step_that_no_caller_takes,
)
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import Subject
from podproof.queries.walks import WALK, check_command, names_of, walk_command
from podproof.reports.story import sentence
from podproof.reports.summary import shortest
from podproof.specs.claim import model_class_of

HEAD = (
    "Tests of pkg/kubelet/pod_workers.go, written by podproof from counterexamples. This file belongs beside",
    "pod_workers_test.go, whose newNamedPod it uses, and held_workers_test.go, which podproof writes too.",
)
HEAD_OF_CALLERS = (
    "Tests of pkg/kubelet/kubelet.go, written by podproof from counterexamples. This file belongs beside "
    "kubelet_test.go and pod_workers_test.go, whose newTestKubeletExcludeAdmitHandlers and newNamedPod it uses, and "
    "beside held_workers_test.go and held_kubelet_test.go, which podproof writes too.",
)
HELD_WORKERS = "held_workers_test.go"
HELD_KUBELET = "held_kubelet_test.go"
Violation = tuple[System, Verdict]
"""A verdict with a trace, and the system that takes it."""


@dataclass(frozen=True)
class GoTests:
    """A file of Go tests."""

    text: str
    beside: Mapping[str, str]
    """The files that it needs in its folder, by name."""
    notes: Sequence[str]
    """Of each claim that is not tested, why."""


def violations(explorations: Sequence[Exploration]) -> list[Violation]:
    """Of each violated claim the shortest trace, in the order of the claims."""
    return [
        (exploration.system, next(v for v in exploration.verdicts if v.property.id == name))
        for name, exploration in shortest(explorations).items()
    ]


def go_tests(subject: Subject, found: Iterable[Violation]) -> GoTests:
    """The tests of these violations, in one file.

    Raises NothingToShow where none of them can be a test, or the release has another worker.
    """
    release = _release(subject)
    tests, notes = [], []
    for system, verdict in found:
        id = verdict.property.id
        if why := _why_none(subject, system, verdict):
            notes.append(f"{id}: no Go test, {why}")
            continue
        test = _test(subject, system, verdict)
        if test.skip:
            notes.append(f"{id}: t.Skip, {test.skip}")
        tests.append(test)
    if not tests:
        why = "; ".join(notes) or f"no claim is violated by a trace in {subject.name}"
        raise NothingToShow(f"there is no Go test to write: {why}")
    text = go_test_file(tests, release, _head(tests))
    beside = {}
    if "newHeldWorkers(" in text or "newHeldKubelet(" in text:
        beside[HELD_WORKERS] = held_workers_file(release)
    if "newHeldKubelet(" in text:
        beside[HELD_KUBELET] = held_kubelet_file()
    return GoTests(text, beside, notes)


def go_test_alone(subject: Subject, system: System, verdict: Verdict) -> str | None:
    """The file with the test of this trace alone; None where no test can take it."""
    release = release_of(subject.cls)
    if release is None or _why_none(subject, system, verdict):
        return None
    test = _test(subject, system, verdict)
    return None if test.skip else go_test_file([test], release, _head([test]))


def _head(tests: Sequence[GoTest]) -> Sequence[str]:
    return HEAD if all(test.room is None for test in tests) else HEAD_OF_CALLERS


def _release(subject: Subject) -> Release:
    release = release_of(subject.cls)
    if release is None:
        raise NothingToShow(
            f"there is no Go test to write: the pod worker of {subject.name} has no podSyncer and no channels of "
            "tokens that a test could hold; Go tests are for 1.27 and later"
        )
    return release


def _why_none(subject: Subject, system: System, verdict: Verdict) -> str:
    """Why the trace is no test; empty where it is one, if only with `t.Skip`."""
    trace = verdict.trace
    assert trace is not None
    if trace.lasso is not None:
        return "since the run goes on for ever, and a test ends"
    if system.is_unbounded:
        return "since it comes by seconds that the scenario does not have; take another --engine"
    if system.scenario not in subject.scenarios:
        return f"since it is about {system.scenario}, and not about the pod workers"
    if (member := new_member_in(system, trace)) is not None:
        return f"since it comes by {member.value!r}, a new member of {type(member).__name__} that the Go does not have"
    if _is_about_callers(verdict.property) and (step := step_that_no_caller_takes(system, trace)):
        return (
            f"since it comes by {step}: a test of the callers calls the handlers of the sync loop, but neither "
            "HandlePodCleanups, killPodNow nor the real SyncPod"
        )
    return ""


def _is_about_callers(claim: Property) -> bool:
    return claim.function is not None and issubclass(model_class_of(claim.function), SyncLoop)


def _test(subject: Subject, system: System, verdict: Verdict) -> GoTest:
    claim, trace = verdict.property, verdict.trace
    assert trace is not None
    name = "Test" + "".join(word.capitalize() for word in claim.id.split("_"))
    test = go_test(system, subject.scenarios[system.scenario], claim, trace, name, _is_about_callers(claim))
    return replace(test, comment=_comment(test, subject, system, verdict))


def _comment(test: GoTest, subject: Subject, system: System, verdict: Verdict) -> list[str]:
    claim, trace = verdict.property, verdict.trace
    assert trace is not None
    if claim is WALK:
        way, about, replay = "along a walk", [], walk_command(subject, system.scenario, names_of(trace))
    else:
        of = next(c for c in subject.every_claim if c.id == claim.id)
        known = subject.known_violation(of, system.scenario)
        way, replay = "to where it breaks a claim", check_command(subject, system.scenario, claim.id)
        about = [f"Upstream: {of.source}.", *([f"Known: {known}."] if known else [])]
    wrong = sentence(verdict.failure)
    whom = "pod worker" if test.room is None else "sync loop"
    lines = [
        f"{test.name} takes the {whom} of {subject.name} {way}:",
        "",
        f"\t{claim.id}",
        "",
        *([f"What goes wrong: {wrong}.", ""] if wrong else []),
        claim.meaning,
        *about,
    ]
    names = _unseen(system, claim, SEEN if test.room is None else SEEN_OF_CALLERS)
    if verdict.status is Status.VIOLATED and not test.skip:
        # Who is counted, say, is no call and no state of the callers.
        is_all_seen = test.room is None and not names
        once = "that is mended" if is_all_seen else "a mend changes what it compares"
        lines += ["", f"It expects what the release does: it passes there, and fails once {once}."]
    if names:
        lines += [f"The claim also asks for what such a test cannot see: {', '.join(names)}."]
    return [*lines, "", f"\t{replay}"]


def _unseen(system: System, claim: Property, seen: frozenset[str]) -> Sequence[str]:
    """What a claim reads that a test of the pod workers cannot look at, by the names of the model's fields."""
    if claim.function is None:
        return ()
    paths = variables_below(formulas(system, claim))
    names = {path.removeprefix(AFTER).partition("[")[0].partition(".")[0] for path in paths}
    return sorted(names - seen)
