"""Engines `compiled`, `diagrams` and `symbolic` and the prover say the same of faulty kubelets, claim by claim.

Each fault is put into a small world in which it breaks something. Asked are a claim that it breaks and some that need
not notice it. The first two see the world's numbers of seconds, the others all of them; these faults are noticed with
the world's own, so that the verdicts are the same. UNKNOWN is no contradiction.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.mutants import MUTANTS, Mutant

from podproof.checker.core.system import Exploration, Status
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.diagrams import Diagrams
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.engines.symbolic import Symbolic
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.queries.build import Subject, properties_of, system_of

STATIC = SCENARIOS["uid-reuse"]
(POD,) = STATIC.pods
WORLDS = {
    "orphan": replace(SCENARIOS["orphan"], kills=0),
    "static": replace(STATIC, kills=0, pods=(replace(POD, adds=1, removes=1),)),
    "static-kill": replace(STATIC, pods=(replace(POD, adds=1, removes=0),)),
}
"""Between two and three thousand states each."""
ALSO = ("terminated_pods_never_restart", "idle_workers_get_no_work", "terminating_is_requested_before_it_starts")
"""Claims that are asked of every fault; most of them hold."""
BY_PROOF = 3
"""The prover, which takes longest, is asked about one fault of so many: of what it breaks and one more."""
CASES = (
    ("orphan", "a runtime pod is not remembered as observed in the runtime", "unstarted_pods_have_no_active_update"),
    ("orphan", "a runtime pod is killed without being asked to terminate", "running_pods_without_pod_are_killed"),
    (
        "orphan",
        "a pod known from the runtime alone is forgotten at once",
        "observed_runtime_pods_are_terminated_before_they_are_forgotten",
    ),
    ("orphan", "a forgotten pod keeps its channel", "channels_belong_to_living_pods"),
    ("orphan", "every update means SyncPod", "sync_functions_run_in_order"),
    ("orphan", "an earlier grace period is forgotten", "grace_period_only_decreases"),
    ("static", "an update does not mark the worker as working", "requested_terminations_have_a_worker"),
    ("static", "static pods do not queue for their name, others do", "waiting_static_pods_are_in_line"),
    ("static", "SyncTerminatingPod and SyncPod are mixed up", "terminated_pods_were_asked_to_terminate"),
    (
        "static",
        "completeSync asks for termination if somebody else has, and else does not",
        "queries_follow_the_timeline",
    ),
    ("static", "terminating is announced when it is requested", "no_sync_pod_once_terminating_started"),
    (
        "static-kill",
        "every update forgets the completion channels of the earlier ones",
        "remembered_kill_requests_are_not_lost",
    ),
    ("static-kill", "nobody is told that terminating has started", "queries_follow_the_timeline"),
    (
        "static-kill",
        "a failed SyncTerminatingPod counts as a success, and the other way round",
        "terminated_pods_run_no_containers",
    ),
)
"""World, fault, and a claim that the fault breaks there: a few of each kind of claim."""
OF_THREE = (
    (
        Mutant(
            name="whoever asks first is the next in a line of three",
            method="allow_static_pod_start",
            scenario="static",
            text="if waiting_pods.uids[i] != uid:",
            instead="if waiting_pods.uids[i] != uid and waiting_pods.length < 3:",
            noticed=("static_pods_start_in_order",),
        ),
        0,
    ),
    (
        Mutant(
            name="the first pod of a line of three that starts empties it",
            method="allow_static_pod_start",
            scenario="static",
            text="waiting_pods.keep_from(i + 1)",
            instead="waiting_pods.keep_from(waiting_pods.length if waiting_pods.length > 2 else i + 1)",
            noticed=("waiting_static_pods_are_in_line",),
        ),
        0,
    ),
    (
        Mutant(
            name="a pod that did not start frees a full name for which two others wait",
            method="release_static_pod",
            scenario="static",
            text="if self.started_static_pods[full_name] == uid:",
            instead="if self.started_static_pods[full_name] == uid "
            "or self.waiting_to_start_static_pods[full_name].length > 1:",
            noticed=("one_static_pod_per_full_name",),
        ),
        1,
    ),
)
"""Faults that nobody sees before three static pods of one full name meet, and how often the first may be removed."""
BY_NAME = {mutant.name: mutant for mutants in MUTANTS.values() for mutant in mutants}
ENGINES = {"compiled": Compiled(), "diagrams": Diagrams(), "symbolic": Symbolic()}
SECONDS = 60.0
"""For the prover and each claim."""

Verdicts = dict[str, tuple[str, int | None]]


def verdicts(found: Exploration) -> Verdicts:
    """What was decided: whether the claim holds, and after how many steps it is violated."""
    return {
        v.property.id: ("violated" if v.status is Status.VIOLATED else "holds", v.depth)
        for v in found.verdicts
        if v.status is not Status.UNKNOWN
    }


def explored(engine: str, subject: Subject, world: Scenario, claims: tuple[str, ...]) -> Verdicts:
    system = system_of(subject, world, unbounded=engine == "symbolic")
    made = plan(system, lower_properties(system, properties_of(subject, world, claims)), {"constants", "slicing"})
    found = ENGINES[engine].run(made.system, made.properties, made.keep)
    assert found.complete
    return verdicts(made.report(found))


def proved(subject: Subject, world: Scenario, claims: tuple[str, ...]) -> Verdicts:
    system = system_of(subject, world, unbounded=True)
    lowered = lower_properties(system, properties_of(subject, world, claims))
    found = prove(system, lowered, SECONDS, 1, ProofOptions(None, "", False), lambda _text: None)
    return {id: verdict for id, verdict in verdicts(found.exploration).items() if id in claims}


@pytest.mark.slow
@pytest.mark.parametrize("world, fault, broken", CASES, ids=[fault for _, fault, _ in CASES])
def test_engines_agree_on_a_faulty_kubelet(world: str, fault: str, broken: str) -> None:
    subject, claims = Subject("faulty", BY_NAME[fault].plant(), ""), tuple(dict.fromkeys((broken, *ALSO)))
    by_search = explored("compiled", subject, WORLDS[world], claims)
    assert by_search.keys() == set(claims) and by_search[broken][0] == "violated"
    for other in ("diagrams", "symbolic"):
        assert explored(other, subject, WORLDS[world], claims) == by_search, other
    turn, rest = divmod(CASES.index((world, fault, broken)), BY_PROOF)
    if not rest:
        by_proof = proved(subject, WORLDS[world], (broken, ALSO[turn % len(ALSO)]))
        assert by_proof == {id: by_search[id] for id in by_proof}
        assert broken in by_proof


@pytest.mark.slow
@pytest.mark.parametrize("fault, removes", OF_THREE, ids=[fault.name for fault, _ in OF_THREE])
def test_engines_agree_on_faults_that_take_three_pods(fault: Mutant, removes: int) -> None:
    subject, (broken,) = Subject("faulty", fault.plant(), ""), fault.noticed
    for count in (2, 3):
        pods = tuple(replace(POD, name=f"static-{i}", adds=1, removes=0 if i else removes) for i in range(count))
        world = Scenario(name=f"{count} static pods", environment=STATIC.environment, pods=pods)
        by_search = explored("compiled", subject, world, (broken, *ALSO))
        assert by_search[broken][0] == ("violated" if count == 3 else "holds")
        assert explored("diagrams", subject, world, (broken, *ALSO)) == by_search
