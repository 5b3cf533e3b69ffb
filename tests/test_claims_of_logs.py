"""`podproof log`: claims that a release breaks are found by the lines of a worker that breaks them alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.test_log_lines import logs_in
from tests.test_logs import LIFE, OLD_LIFE, judged, klog, started

from podproof.kubelet.log_automaton import Holds, LoneWorker
from podproof.kubelet.log_lines import LogLine
from podproof.model.language import copy
from podproof.model.state import Cached, Context, Delay, UpdateType
from podproof.model.versions import SINCE_1_22
from podproof.queries.log_claims import DECIDED, followed
from podproof.reports.content.log import Judged

FIRST, FINISHED = (
    LogLine("Pod is being synced for the first time"),
    LogLine("Pod is finished processing, no further updates"),
)
AT_FIRST_SIGHT = "pods_are_not_finished_at_first_sight"


def of_ended_pod(old: bool) -> list[str]:
    """As the kubelet before 1.27.2 has it of a pod that had ended before the kubelet was started."""
    lines = (FIRST, FINISHED) if old else (FIRST._replace(told="sync"), FINISHED._replace(told="sync"))
    return [klog("ended", line, old) for line in lines]


def pod_of(lines: list[str], folder: Path, version: str | None = None) -> Judged:
    (found,) = (pod for pod in judged(folder, lines, version).pods if pod.uid == "ended")
    return found


def test_a_pod_that_is_finished_at_first_sight_breaks_the_claim_of_1_26(tmp_path: Path) -> None:
    lines = [*started(OLD_LIFE), *of_ended_pod(old=True)]
    pod = pod_of(lines, tmp_path)
    found = {each.claim: each for each in pod.claims}
    assert pod.judgement == "claim broken" and found[AT_FIRST_SIGHT].in_every
    assert found[AT_FIRST_SIGHT].place == f"{tmp_path / 'kubelet.log'}:{len(lines)}"
    assert found[AT_FIRST_SIGHT].known == ["kubernetes/kubernetes#116925, #117019"]
    shown = run("log", str(tmp_path / "kubelet.log"))
    assert shown.exit_code == 1 and "CLAIM BROKEN" in shown.stdout and "#116925" in shown.stdout


@pytest.mark.parametrize("name", [LIFE, OLD_LIFE])
def test_a_right_life_breaks_no_claim(name: str, tmp_path: Path) -> None:
    assert all(not each.in_every for pod in judged(tmp_path, started(name)).pods for each in pod.claims)


def test_a_claim_is_broken_only_by_a_log_that_is_whole(tmp_path: Path) -> None:
    whole = [*started(OLD_LIFE), *of_ended_pod(old=True)]
    for partial in (
        whole[1:],
        [whole[0], *whole[2:]],
        [*whole, "..."],
        [*whole[:-1], "...", whole[-1]],
        [*whole, "pod_workers.go:1] x"],
    ):
        pod = pod_of([*partial, klog("ended", FINISHED, True)], tmp_path, "v1.26")
        assert pod.judgement in ("conformant", "nothing to judge")


def test_a_kind_of_line_that_no_pod_has_may_have_been_filtered_out(tmp_path: Path) -> None:
    """So this may be the whole life of a pod, of which only these lines are left."""
    lines = [*started(OLD_LIFE)[:2], *of_ended_pod(old=True)]
    assert pod_of(lines, tmp_path).judgement == "conformant"


@pytest.mark.slow
def test_the_release_that_mended_it_does_not_write_such_lines(tmp_path: Path) -> None:
    assert AT_FIRST_SIGHT not in followed("v1.27.2")
    pod = pod_of([*started(LIFE), *of_ended_pod(old=False)], tmp_path)
    assert pod.judgement == "undecided" and "fewer than 3 fit" in pod.reason
    assert pod.rejected and not pod.claims


# -- what is left out decides no claim ---------------------------------------------------------------------------------


def changed(workers: Any) -> Any:
    """Another state, of which the automaton says that it is the same."""
    other = copy(workers)
    status = other.pod_sync_statuses[0]
    status.deleted, status.evicted = not status.deleted, not status.evicted
    status.grace_period = 7
    if status.context != Context.NONE:
        status.context = Context.CANCELLED if status.context == Context.LIVE else Context.LIVE
    for update in (status.pending_update, status.active_update):
        update.update_type, update.start_time, update.mirror_pod = UpdateType.KILL, 0, 0
        update.pod.deletion_timestamp = not update.pod.deletion_timestamp
        update.kill_pod_options.present = not update.kill_pod_options.present
    for worker in other.workers[0]:
        worker.update_type, worker.delay, worker.grace_period = UpdateType.UPDATE, Delay.NOW, 3
    other.pods_synced, other.pod_cache[0] = not other.pods_synced, Cached.RUNNING
    return other


@pytest.mark.quick(1)
@pytest.mark.parametrize("version", ["v1.26", "v1.27.0", "v1.32"])
def test_a_claim_reads_nothing_that_the_automaton_leaves_out(version: str) -> None:
    compared = Counter[str]()

    def checked(name: str, function: Callable[..., bool]) -> Holds:
        is_step = DECIDED[name].kind == "step"

        def holds(before: Any, after: Any) -> bool:
            kept = [
                function(*((b, a) if is_step else (a,)))
                for b in (before, changed(before))
                for a in (after, changed(after))
            ]
            assert len(set(kept)) == 1, name
            compared[name] += 1
            return kept[0]

        return holds

    claims = {name: checked(name, claim.function) for name, claim in DECIDED.items() if claim.function}
    worker = LoneWorker(SINCE_1_22[version].cls, static=True, claims=claims)  # type: ignore[arg-type]
    reached, todo = {worker.start}, [worker.start]
    while todo:
        for step in worker.moves(todo.pop()):
            if step.after not in reached and worker.goroutines(step.after) <= 1:
                reached.add(step.after)
                todo.append(step.after)
    assert compared.keys() == DECIDED.keys() and min(compared.values()) > 500


def test_every_claim_that_is_followed_is_recorded_to_be_broken() -> None:
    assert {AT_FIRST_SIGHT, "requested_terminations_have_a_worker"} == set(followed("v1.26"))
    assert set(followed("v1.32")) < set(DECIDED) and "one_sync_call_per_pod" in followed("v1.32")


# -- recordings --------------------------------------------------------------------------------------------------------


@pytest.mark.recordings
@pytest.mark.parametrize(
    ("version", "release", "broken"), [("v1.26", "1.26.1", 12), ("v1.29", "1.29.6", 0), ("v1.32", "1.32.4", 0)]
)
def test_recorded_logs_break_what_their_release_breaks(
    version: str, release: str, broken: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    recorded = request.config.getoption("--recorded")
    if recorded is None:
        pytest.skip("give the folder with the recordings: --recorded FOLDER")
    found = 0
    for texts in logs_in(recorded / version).values():
        pid = re.search(r" +(\d+) pod_workers", "".join(texts[:1]))
        header = f"I1121 02:20:30.000000   {pid[1] if pid else 1} "
        begin = [
            f'{header}server.go:484] "Kubelet version" kubeletVersion="v{release}"',
            f'{header}kubelet.go:2465] "SyncLoop ADD"',
        ]
        pods = judged(tmp_path, [*begin, *texts]).pods
        assert {pod.judgement for pod in pods} <= {"conformant", "claim broken"}
        found += sum(any(each.in_every and each.claim == AT_FIRST_SIGHT for each in pod.claims) for pod in pods)
    assert found == broken
