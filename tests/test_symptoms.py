"""What pods wait for by a log of any level, and the life of one, as logs that are written for it say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import run

from podproof.kubelet import symptoms
from podproof.kubelet.symptoms import INTERRUPTED, MOST_WAITS, SYMPTOMS, Symptom
from podproof.model import fairness
from podproof.model.language import Fairness
from podproof.queries.logs import judge
from podproof.reports.content.log import LogAnswer
from podproof.specs.history import BUGS

POD, UID = "default/web", "0b4c"
OTHERS = ("default/web-2", "0b4c-2")


def line(message: str, second: int, pod: str = POD, uid: str = UID, error: str = "", container: str = "c1") -> str:
    """As klog has it, each message with the keys that the kubelet gives it."""
    header = f"I0316 04:31:{second:02}.000000     202 kubelet.go:2474] "
    if message.startswith("SyncLoop (PLEG): event for pod "):
        kind = message.rpartition(" ")[2]
        event = f'event={{"ID":"{uid}","Type":"{kind}","Data":"{container}"}}'
        return f'{header}"SyncLoop (PLEG): event for pod" pod="{pod}" {event}'
    if message.startswith("SyncLoop "):
        return f'{header}"{message}" source="api" pods=["{pod}"]'
    keys = f'pod="{pod}" podUID="{uid}"'
    if "container" in message.lower() and "pod" not in message.lower():
        keys += f' containerName="c" containerID="containerd://{container}" gracePeriod=30'
    return f'{header}"{message}" ' + (f'err="failed: \\"{error}\\"" ' if error else "") + keys


def judged(folder: Path, lines: list[str], pod: str | None = None) -> LogAnswer:
    file = folder / "kubelet.log"
    file.write_text("".join(f"{each}\n" for each in lines))
    return judge([file], pod=pod)


def waits_of(answer: LogAnswer) -> list[tuple[str, str]]:
    return [(pod.pod, waits.waits_for) for pod in (*answer.pods, *answer.waiting) for waits in pod.waits]


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda symptom: f"{symptom.message[:40]} {symptom.error}".strip())
def test_a_symptom_is_told_until_what_ends_it(symptom: Symptom, tmp_path: Path) -> None:
    before = [line(_FIRST, 0, *OTHERS)] * symptom.at_v4 + [line(each, 0) for each in sorted(symptom.after)[:1]]
    begin = [*before, *(line(symptom.message, second, error=symptom.error) for second in (1, 5))]
    answer = judged(tmp_path, begin)
    pods = [pod for pod in (*answer.pods, *answer.waiting) if pod.pod == POD]
    (waits,) = (waits for pod in pods for waits in pod.waits if waits.waits_for == symptom.waits_for)
    assert (waits.waits_for, waits.turn, waits.message) == (symptom.waits_for, symptom.turn, symptom.message)
    assert (waits.since, waits.times) == ("0316 04:31:01.000000", 2)
    assert waits.place == f"{tmp_path / 'kubelet.log'}:{len(before) + 1}"
    for message in symptom.unless:
        plain = [*before, line(message, 0), *begin[len(before) :]]
        assert (POD, symptom.waits_for) not in waits_of(judged(tmp_path, plain)), message
    if symptom.after:
        assert (POD, symptom.waits_for) not in waits_of(judged(tmp_path, begin[len(before) :]))
    for message in symptom.until:
        of_another = [*begin, line(message, 7, *OTHERS)]
        assert (POD, symptom.waits_for) in waits_of(judged(tmp_path, of_another)), message
        assert (POD, symptom.waits_for) not in waits_of(judged(tmp_path, [*begin, line(message, 9)])), message


_FIRST = "Pod is being synced for the first time"


def row_of(symptom: Symptom) -> str:
    """As docs/logs.md has it."""
    having = f" with `{symptom.error}`" if symptom.error else ""
    having += f" after `{'`, `'.join(sorted(symptom.after))}`" if symptom.after else ""
    counts_on = ", ".join(f"`{name}`" for name in symptom.counts_on)
    bugs = ", ".join(f"[{bug}](history.md#{bug.lower()})" for bug in symptom.bugs)
    return f"| `{symptom.message}`{having} | {symptom.waits_for} | {symptom.turn} | {counts_on} | {bugs} |"


def test_the_documentation_has_every_symptom() -> None:
    text = (Path(__file__).parents[1] / "docs" / "logs.md").read_text()
    assert "\n".join(map(row_of, SYMPTOMS)) in text


def test_what_a_wait_counts_on_is_a_fairness_and_its_bugs_are_those_of_history() -> None:
    known = {each.assumption for each in vars(fairness).values() if isinstance(each, Fairness)}
    for symptom in (*SYMPTOMS, INTERRUPTED):
        assert known >= set(symptom.counts_on) and {bug.id for bug in BUGS} >= set(symptom.bugs)


@pytest.mark.parametrize(
    ("release", "bugs"),
    [
        ("1.27.1", ["B07", "B18"]),
        ("1.27.3-gke.100", ["B18"]),
        ("1.27.4", []),
        ("1.27.0-rc.1", []),
        ("1.36.3", []),
        ("", []),
    ],
)
def test_a_wait_names_the_known_bugs_of_the_release(release: str, bugs: list[str], tmp_path: Path) -> None:
    start = f'I0316 04:31:00.000000     202 server.go:484] "Kubelet version" kubeletVersion="v{release}"'
    answer = judged(tmp_path, [*[start] * bool(release), line("SyncLoop DELETE", 5)])
    (waits,) = (waits for pod in answer.waiting for waits in pod.waits)
    assert [bug.partition(":")[0] for bug in waits.bugs] == bugs
    assert list(waits.counts_on) == ["sync-calls", "failures-end", "work-queue"]
    shown = run("log", str(tmp_path / "kubelet.log")).stdout
    assert "counts on sync-calls, failures-end, work-queue" in shown
    assert ("kubernetes/kubernetes#118472" in shown) == ("B18" in bugs)


def test_a_life_at_v2_from_add_to_remove(tmp_path: Path) -> None:
    """Each line with all that is waited for after it."""
    died = "SyncLoop (PLEG): event for pod ContainerDied"
    told = [
        (line("SyncLoop ADD", 1), ["its sandbox to start"]),
        (line("SyncLoop (PLEG): event for pod ContainerStarted", 2), []),
        (line("Error syncing pod, skipping", 3, error="ErrImagePull: no such image"), ["an image"]),
        (line("SyncLoop (PLEG): event for pod ContainerStarted", 4), []),
        (line("SyncLoop DELETE", 5), [STOP]),
        (line("Killing container with a grace period", 6), [STOP, EXIT]),
        (line("Killing container with a grace period", 6, container="c2"), [STOP, EXIT, EXIT]),
        (line(died, 7), [STOP, EXIT]),
        (line(died, 8, container="c2"), [STOP]),
        (line("SyncLoop REMOVE", 9), []),
        (line("Pod fully terminated and removed from etcd", 9), []),
    ]
    for count, (_, waits) in enumerate(told, start=1):
        answer = judged(tmp_path, [text for text, _ in told[:count]])
        assert [waits_for for _, waits_for in waits_of(answer)] == waits
        assert answer.exit_code == 4 and all(pod.judgement == "nothing to judge" for pod in answer.pods)


STOP, EXIT = "its containers to stop and its worker to end", "a container to exit"


def test_a_pod_that_comes_again_under_its_name_waits_for_itself(tmp_path: Path) -> None:
    lines = [
        line("Killing container with a grace period", 1),
        line("SyncLoop REMOVE", 2),
        line("SyncLoop ADD", 3),
        line("Killing container with a grace period", 4, uid="second", container="c3"),
    ]
    answer = judged(tmp_path, lines)
    found = {pod.uid: [waits.waits_for for waits in pod.waits] for pod in answer.waiting}
    assert found == {UID: [EXIT], "second": ["its sandbox to start", EXIT]}


def test_waits_are_told_beside_a_verdict_and_change_none(tmp_path: Path) -> None:
    text = 'I0316 04:31:01.000000     202 pod_workers.go:1] "{}" pod="default/web" podUID="0b4c" updateType="sync"'
    lines = [text.format("Processing pod event"), text.format("Processing pod event done")]
    alone, more = judged(tmp_path, lines), judged(tmp_path, [*lines, line("SyncLoop DELETE", 2)])
    of_another = judged(tmp_path, [*lines, line("SyncLoop ADD", 2, *OTHERS)])
    assert [pod.judgement for pod in alone.pods] == [pod.judgement for pod in more.pods]
    assert waits_of(more) == [(POD, STOP)] and alone.exit_code == more.exit_code == of_another.exit_code
    assert [pod.pod for pod in of_another.pods] == [POD] and [pod.pod for pod in of_another.waiting] == [OTHERS[0]]


def test_an_add_after_which_the_sync_loop_is_silent_is_told_as_its_turn(tmp_path: Path) -> None:
    add, more = line("SyncLoop ADD", 1), line("SyncLoop RECONCILE", 2, *OTHERS)
    (pod,) = judged(tmp_path, [add, line("Pod is terminal", 3, *OTHERS)]).waiting
    assert pod.waits[0].turn == "the sync loop's (it has written nothing since) or its worker's"
    (pod,) = judged(tmp_path, [add, more]).waiting
    assert pod.waits[0].turn == "its worker's"


def test_a_kubelet_that_starts_anew_has_no_wait_of_the_one_before(tmp_path: Path) -> None:
    start = 'I0316 04:31:07.000000     303 server.go:484] "Kubelet version" kubeletVersion="v1.32.1"'
    first = [line("SyncLoop DELETE", 5), line("Killing container with a grace period", 6)]
    again = line("SyncLoop ADD", 8).replace("  202 ", "  303 ")
    assert waits_of(judged(tmp_path, first)) == [(POD, STOP), (POD, EXIT)]
    assert waits_of(judged(tmp_path, [first[0], start])) == []
    assert waits_of(judged(tmp_path, [first[0], start, again])) == [(POD, "its sandbox to start")]


def test_a_kill_that_the_kubelet_before_had_begun_is_told_until_this_one_learns_of_the_pod(tmp_path: Path) -> None:
    start = 'I0316 04:31:07.000000     303 server.go:484] "Kubelet version" kubeletVersion="v1.32.1"'
    killed = [line("Killing container with a grace period", 6)]
    interrupted = [(POD, INTERRUPTED.waits_for)]
    assert waits_of(judged(tmp_path, [*killed, start])) == interrupted
    other_pid = line("Error syncing pod, skipping", 8, *OTHERS).replace("  202 ", "  303 ")
    assert interrupted[0] in waits_of(judged(tmp_path, [*killed, other_pid]))
    assert waits_of(judged(tmp_path, [*killed, start, line("SyncLoop DELETE", 8).replace("  202 ", "  303 ")])) == [
        (POD, STOP)
    ]
    assert waits_of(judged(tmp_path, [*killed, line("SyncLoop (PLEG): event for pod ContainerDied", 7), start])) == []
    overlapping = [*killed, other_pid, line("SyncLoop ADD", 9, *OTHERS), other_pid]
    assert interrupted[0] not in waits_of(judged(tmp_path, overlapping))


def test_json_says_it_as_text_does(tmp_path: Path) -> None:
    pod = {"name": "web", "namespace": "default"}
    lines = [
        {"ts": 1746793701063.083, "caller": "kubelet/kubelet.go:1", "msg": "SyncLoop ADD", "pods": [pod]},
        {
            "ts": 1746793701064.0,
            "caller": "kubelet/pod_workers.go:1298",
            "msg": "Error syncing pod, skipping",
            "pod": pod,
            "podUID": UID,
            "err": "network is not ready: x",
        },
    ]
    answer = judged(tmp_path, [f"node-1: {json.dumps(each, separators=(',', ':'))}" for each in lines], POD)
    assert waits_of(answer) == [(POD, "its sandbox to start"), (POD, "the node's network")]
    assert answer.pods[0].waits[0].since == "1746793701063.083" and answer.pods[0].uid == UID
    assert len(answer.life) == 2


# -- a life line by line -----------------------------------------------------------------------------------------------


def test_the_life_of_a_pod_has_the_lines_that_name_it_and_no_other(tmp_path: Path) -> None:
    lines = [
        line("SyncLoop ADD", 1),
        line("SyncLoop ADD", 1, *OTHERS),
        line("Error syncing pod, skipping", 2, error="x"),
        line("Error syncing pod, skipping", 2, *OTHERS, error="x"),
        f'I0316 04:31:03.000000     202 pod_workers.go:1] "Pod worker has stopped" podUID="{UID}"',
        'I0316 04:31:03.000000     202 pod_workers.go:1] "Pod worker has stopped" podUID="0b4c-2"',
        "containerd: nothing",
    ]
    by_name, by_uid = judged(tmp_path, lines, POD), judged(tmp_path, lines, UID)
    assert [told.place.rpartition(":")[2] for told in by_name.life] == ["1", "3", "5"]
    assert [told.place.rpartition(":")[2] for told in by_uid.life] == ["3", "5"]
    assert by_name.life[0].time == "0316 04:31:01.000000"
    assert by_name.life[0].line == 'kubelet.go:2474] "SyncLoop ADD" source="api" pods=["default/web"]'
    assert [pod.uid for pod in by_name.pods] == [UID] and judged(tmp_path, lines).life == []


def test_the_command_tells_the_life_and_what_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text(line("SyncLoop DELETE", 5) + "\n" + "\x1b[31m" + line("Evil", 6) + "\n")
    result = run("log", str(tmp_path / "x.log"), "--pod", POD)
    assert result.exit_code == 4 and "\x1b" not in result.stdout
    assert f"waits for {STOP}: it is its worker's turn; since 0316 04:31:05.000000" in result.stdout
    assert '"SyncLoop DELETE" source="api"' in result.stdout and '"Evil"' in result.stdout
    assert "no line of a pod's worker was read; 1 pod without a line of its worker waits" in result.stdout


# -- hostile texts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'kubelet.go:1] "SyncLoop ADD" source="api" pods=[' + '"a/b",' * 100_000,
        'kubelet.go:1] "SyncLoop ADD" source="api" pods=[]',
        'kubelet.go:1] "Killing container with a grace period" pod="default/web',
        'kubelet.go:1] "Killing container with a grace period" pod="' + "x" * 1000 + '"',
        '{"msg":"SyncLoop ADD","pods":[1,null,{"name":[]}]}',
        '{"msg":"SyncLoop ADD","pods":"' + "[" * 100_000,
        'the message "SyncLoop ADD" pods=["default/web"]',
    ],
)
def test_what_is_no_such_line_is_no_error_and_tells_of_no_pod(text: str, tmp_path: Path) -> None:
    answer = judged(tmp_path, [text])
    assert answer.pods == [] and [pod.pod for pod in answer.waiting] in ([], ["a/b"])


def test_the_names_that_are_kept_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symptoms, "MOST_NAMES", 5)
    signs = symptoms.Signs()
    for i in range(50):
        sign = symptoms.Sign("Processing pod event", "", "", "", ((f"default/{i}", f"{i}"),))
        assert list(signs.see(sign, i, may_add=True)) == []
    assert len(signs.uids) == 5 and not signs.pods


def test_what_is_kept_of_a_pod_is_bounded(tmp_path: Path) -> None:
    lines = [line("Killing container with a grace period", 1, container=f"c{i}") for i in range(MOST_WAITS + 50)]
    (pod,) = judged(tmp_path, lines).waiting
    assert len(pod.waits) == MOST_WAITS


# -- several pods of one name ------------------------------------------------------------------------------------------

NEW = "0b4c-new"


def test_a_line_with_a_name_that_two_pods_have_is_about_none_of_them(tmp_path: Path) -> None:
    both = [line(_FIRST, 1), line(_FIRST, 2, uid=NEW)]
    answer = judged(tmp_path, [*both, line("SyncLoop DELETE", 3)])
    (waiting,) = answer.waiting
    assert (waiting.pod, waiting.uid, list(waiting.among)) == (POD, "", [UID, NEW])
    assert f"ambiguous: {UID}, {NEW} have this name" in run("log", str(tmp_path / "kubelet.log")).stdout


@pytest.mark.parametrize(("ended", "left"), [(UID, NEW), (NEW, UID)])
def test_where_one_of_them_has_ended_it_is_about_the_other(ended: str, left: str, tmp_path: Path) -> None:
    both = [line(_FIRST, 1), line(_FIRST, 2, uid=NEW), line("Pod worker has stopped", 3, uid=ended)]
    answer = judged(tmp_path, [*both, line("SyncLoop DELETE", 4)])
    assert [(pod.uid, pod.among) for pod in answer.waiting] == [(left, ())]


def test_a_pod_that_comes_after_a_removed_one_is_told_from_it(tmp_path: Path) -> None:
    """The removed one's worker goes on, as after a deletion by force."""
    removed = [line("SyncLoop ADD", 1), line(_FIRST, 1), line("SyncLoop REMOVE", 2), line("SyncLoop ADD", 3)]
    going_on = line("Pod is orphaned and still terminating, notified the pod worker", 4)
    answer = judged(tmp_path, [*removed, going_on, line("SyncLoop DELETE", 5), line(_FIRST, 6, uid=NEW)])
    assert [(pod.uid, pod.among) for pod in answer.waiting] == [(NEW, ())]


def test_a_pod_that_begins_again_has_its_name_again(tmp_path: Path) -> None:
    again = [line(_FIRST, 1), line("SyncLoop REMOVE", 2), line(_FIRST, 3), line("SyncLoop DELETE", 4)]
    answer = judged(tmp_path, again)
    assert [(pod.uid, pod.among) for pod in answer.waiting] == [(UID, ())]
