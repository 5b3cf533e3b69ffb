"""Functions and fields are found by their names in Go and in the model, and a release has those that it had."""

from __future__ import annotations

import pytest
from tests.command_line import run

from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of
from podproof.queries.names import definitions, find, known_names
from podproof.queries.versions import VERSIONS
from podproof.reports.state_text import StateText


@pytest.mark.parametrize("asked", ["UpdatePod", "updatepod", "update_pod", "updatePod"])
def test_a_function_is_found_however_its_name_is_written(asked: str) -> None:
    (first, *_) = find(asked)
    assert (first.owner.__name__, first.name, first.kind) == ("PodWorkers", "update_pod", "function")


@pytest.mark.slow
def test_every_name_finds_what_has_it_with_its_source() -> None:
    names = known_names()
    assert {"SyncKnownPods", "startedAt", "housekeeping_recreate", "PodSyncStatus", "completeWork"} <= names.keys()
    for name in sorted(names)[::5]:
        assert any(name in definition.names for definition in find(name)), name
    for definition in definitions(VERSIONS["v1.29"]).values():
        number, lines = definition.lines()
        text = definition.file.read_text(encoding="utf-8").splitlines()
        assert text[number - 1] == lines[0].rstrip("\n")
        assert definition.name in "".join(lines)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "SyncKnownPods",
            ("sync_known_pods   function of PodWorkers", "in Go: SyncKnownPods", "model/pod_workers.py:"),
        ),
        ("startedAt", ("started_at   field of PodSyncStatus", "in Go: startedAt")),
        ("completeUnstartedTerminated", ("in Go: cleanupUnstartedPod, since 1.27.0", "since 1.24.0, until 1.26")),
        ("housekeeping_recreate", ("action of the housekeeping: housekeeping: UpdatePod(create, {uid})",)),
        ("podSyncStatus", ("PodSyncStatus   type",)),
        ("is_restart", ("in v1.22.0 otherwise: is_restart of V1_22_0, model/releases/v1_22_0.py:",)),
        ("ForgetWorker", ("forget_worker   function of PodWorkers", "in v1.20")),
        # The kubelet's before the runtime manager's; what the checker explores of a function after all of it.
        ("SyncPod", ("sync_pod   function of PodSyncer", "otherwise: sync_pod of KubeGenericRuntimeManager")),
        ("SyncTerminatingPod", ("sync_terminating_pod   function of PodSyncer", "report_stopped_pod of PodSyncer1_26")),
        (
            "SyncTerminatedPod",
            ("sync_terminated_pod   function of PodSyncer", "wait_for_volume_paths of PodSyncer1_26"),
        ),
        ("generateAPIPodStatus", ("generate_api_pod_status   function of KubeletPods", "report of ReportedPods")),
        ("killContainer", ("kill_container   function of KillPod", "kill_container of KillContainer1_26")),
        ("getPhase", ("get_phase   function of GetPhase",)),
        ("mergePodStatus", ("merge_pod_status   function of StatusManager",)),
    ],
)
def test_explain_takes_every_name(asked: str, said: tuple[str, ...]) -> None:
    result = run("explain", asked)
    assert result.exit_code == 0
    assert all(text in result.stdout for text in said), result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "has", "lacks"),
    [
        ("v1.29", {"completeWork", "startPodSync"}, {"completeWorkQueueNext", "ForgetWorker"}),
        ("v1.26", {"completeUnstartedTerminated", "completeSync"}, {"cleanupUnstartedPod", "ShouldPodBeFinished"}),
        ("v1.22.5", {"allowPodStart"}, {"completeSync", "completeUnstartedTerminated"}),
        ("v1.22.0", {"UpdatePod"}, {"allowPodStart", "allowStaticPodStart", "IsPodKnownTerminated"}),
        ("v1.20", {"ForgetWorker", "managePodLoop"}, {"SyncKnownPods"}),
    ],
)
def test_a_release_lists_the_functions_that_it_has(version: str, has: set[str], lacks: set[str]) -> None:
    listed = {line.split()[0] for line in run("explain", "functions", "--version", version).stdout.splitlines()}
    assert has <= listed
    assert not lacks & listed


@pytest.mark.quick(2)
@pytest.mark.parametrize("version", VERSIONS)
def test_reports_know_how_to_name_every_field_of_every_release(version: str) -> None:
    for scenario in ("static-pair", "open-pod"):
        system = system_of(subject_of(version, None), SCENARIOS[scenario])
        assert all(len(variable.notes) == variable.path.count(".") + 1 for variable in system.variables)
        names = [item.name for item in StateText(system).items]
        assert len(set(names)) == len(names)
