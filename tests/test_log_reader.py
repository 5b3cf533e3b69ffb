"""How `podproof log` reads: what its automaton writes, and that lines which are not read further say nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.command_line import run
from tests.test_logs import LIFE, LINE, judged, judged_as_is, judgements, started, timed, wrong_log

from podproof.kubelet.klog import are_far_apart
from podproof.kubelet.log_automaton import Automaton, LoneWorker
from podproof.model.versions import SINCE_1_22 as SINCE
from podproof.queries import log_files, log_reader
from podproof.queries.log_models import workers_of
from podproof.queries.log_reader import MOST_SILENT
from podproof.queries.logs import judge

# -- the automaton -----------------------------------------------------------------------------------------------------


def test_how_many_states_a_lone_worker_has() -> None:
    found = []
    for version in ("v1.26", "v1.32"):
        worker = LoneWorker(SINCE[version].cls, static=False)
        worker.written(goroutines=1)
        found.append(sum(worker.goroutines(state) <= 1 for state in range(len(worker.states))))
    assert found == STATES


STATES = [249, 124]


def test_a_worker_that_never_was_writes_one_line_first() -> None:
    worker: LoneWorker = workers_of("v1.32")[0]
    automaton = Automaton(worker)
    assert {line.message for line in automaton.enabled(automaton.start)} == {"Pod is being synced for the first time"}


# -- read fast ---------------------------------------------------------------------------------------------------------

PIECES = (
    *(LINE, f"I1121 02:20:36.917685   16723 {LINE}", LINE.partition("] ")[2], f"   {LINE.partition('] ')[2]}"),
    'I1121 02:20:36.9   1 kubelet.go:2465] "SyncLoop ADD" source="api" pods=["default/web"]',
    '{"caller":"kubelet.go:1","msg":"Killing container with a grace period","pod":{"name":"a","namespace":"b"}}',
    *(
        '"Pod cannot start yet" pod="a/b" podUID="u"',
        "...",
        "  …",
        "# cut",
        "--",
        "$ grep x",
        "> x",
        ".",
        "[snip]",
        "⋮",
    ),
    *(
        "x: Suppressed 30 messages",
        "lost 5 messages",
        "the host 5",
        "messages lost due to rate-limiting",
        "\tx",
        "",
        "\r",
    ),
    'I1121 02:20:30.000000   16723 server.go:484] "Kubelet version" kubeletVersion="v1.29.6"',
    "I1121 02:20:30.000000   16724 server.go:484] Version: v1.20.1",
    *("\0\0", "\x85...", "\x0b...", "x" * 300, 'y.go:1] "Probe succeeded" pod="a/b"', "-- x", "pod_workers.go"),
)


def state_of(reader: log_reader.Reader) -> list[object]:
    return [reader.unread, reader.left_out, reader._count, reader._gaps, *map(repr, reader.lives), reader.kinds]


@pytest.mark.parametrize("seed", range(40))
def test_lines_that_are_not_read_further_would_have_said_nothing(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = random.Random(seed).choices(PIECES, k=400)
    (tmp_path / "x.log").write_bytes("\n".join(chosen).encode() + b"\n" * (seed % 2))
    most = random.Random(seed).choice([300, 1000, 1 << 20])
    for module in (log_reader, log_files):
        monkeypatch.setattr(module, "MOST_OF_A_LINE", most)
    fast, slow = log_reader.Reader(), log_reader.Reader()
    fast.read(tmp_path / "x.log")
    monkeypatch.setattr(log_reader, "lines_to_read", log_files.starts)
    slow.read(tmp_path / "x.log")
    assert state_of(fast) == state_of(slow) and fast.lives


# -- the order and the times of lines ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time", "is_whole"),
    [
        pytest.param("1121 02:40:30.1", False, marks=pytest.mark.slow),
        pytest.param("1122 01:00:00.1", False, marks=pytest.mark.slow),
        ("1121 02:22:30.1", False),
        ("1121 02:21:30.1", False),
        ("1121 02:20:40.1", False),
        ("1121 02:20:38.9", True),
    ],
)
def test_where_the_sync_loop_is_silent_for_long_lines_are_missing(time: str, is_whole: bool, tmp_path: Path) -> None:
    """It writes every two seconds at --v=4, so what nobody marked as left out is seen."""
    lines = timed(wrong_log())
    loop = lines[1].replace("1121 02:20:36.000001", f"{time}00000").replace("SyncLoop ADD", "SyncLoop (housekeeping)")
    assert loop != lines[1]
    found = judgements(judged_as_is(tmp_path, [*lines[:6], loop, *lines[6:]]))
    assert found == {"violation"} if is_whole else found <= {"gap", "conformant"}


@pytest.mark.parametrize(
    ("time", "later", "is_far"),
    [
        ("1126 23:59:59.000000", "1127 00:00:01.000000", False),
        ("1126 23:59:59.000000", "1128 00:00:01.000000", True),
        ("1126 10:00:00.000000", "1127 10:00:01.000000", True),
        ("1231 23:59:59.000000", "0101 00:00:03.000000", False),
        ("0228 23:59:59.000000", "0301 00:00:03.000000", False),
        ("0131 23:59:59.000000", "0301 00:00:03.000000", True),
        ("1127 10:00:00.000000", "1126 10:00:00.000000", False),
    ],
)
def test_a_day_that_is_missing_is_seen(time: str, later: str, is_far: bool) -> None:
    assert are_far_apart(time, later, MOST_SILENT) is is_far


def test_rotated_files_are_read_in_the_order_of_their_times(tmp_path: Path) -> None:
    """As `kubelet.log*` gives them; two of one time, or one without any, as they are given."""
    lines = timed(started(LIFE))
    new, old = tmp_path / "kubelet.log", tmp_path / "kubelet.log.1"
    old.write_text("\n".join(["noise", *lines[:12]]))
    new.write_text("\n".join(lines[12:]))
    right, given = judge([old, new]), judge([new, old])
    assert given.pods == right.pods and given.pods[0].first == f"{old}:4"
    assert judgements(given) == {"conformant"}
    old.write_text("\n".join(line.partition("] ")[2] for line in lines[:12]))
    assert [pod.first for pod in judge([new, old], "v1.29").pods] == [f"{new}:1", f"{old}:3"]
    old.write_text("\n".join(line.replace("I1121", "I1231") for line in lines[:12]))
    new.write_text("\n".join(line.replace("I1121", "I0101") for line in lines[12:]))
    assert judge([new, old]).pods[0].first == f"{old}:3"


# -- places where lines are missing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [[0], [0, 2, 4], [0, 1, 2, 4]])
def test_lines_are_missing_at_three_places_at_most(missing: list[int], tmp_path: Path) -> None:
    begin, _, *lines = started(LIFE)
    begins = [i for i, line in enumerate(lines) if '"Processing pod event"' in line]
    left_out = {begins[number] for number in missing}
    (pod,) = judged_as_is(tmp_path, timed([begin, *(line for i, line in enumerate(lines) if i not in left_out)])).pods
    assert len(pod.rejected) == min(len(missing), 3)
    assert pod.judgement == ("gap" if len(missing) <= 3 else "undecided"), pod.reason
    assert len(missing) <= 3 or "more than 3 places" in pod.reason


@pytest.mark.parametrize("behind", [1, 2, 3])
def test_three_lines_fit_behind_a_place_where_lines_are_missing(behind: int, tmp_path: Path) -> None:
    begin, _, *lines = started(LIFE)
    ended = next(i for i, line in enumerate(lines) if "terminated all containers" in line)
    (pod,) = judged_as_is(tmp_path, timed([begin, *lines[: ended + 1], *lines[ended : ended + behind]])).pods
    assert len(pod.rejected) == 1
    assert pod.judgement == ("gap" if behind == 3 else "undecided")


# -- intervals ---------------------------------------------------------------------------------------------------------


def test_the_longest_intervals_between_lines_of_a_pod_are_told_as_times(tmp_path: Path) -> None:
    seconds = ("36.5", "36.75", "50.0", "52.0", "51.0")
    times = [*(f"1121 02:20:{each}" for each in seconds), "1123 01:00:00.0"]
    event = '16723 kubelet.go:1] "SyncLoop (PLEG): event for pod" pod="default/web"'
    text = [f"I{time.ljust(20, '0')} {event}" for time in times]
    (tmp_path / "x.log").write_text("\n".join(["noise", *text]))
    answer = judge([tmp_path / "x.log"], pod="default/web")
    place = f"{tmp_path / 'x.log'}:"
    assert [(each.seconds, each.after, each.before) for each in answer.intervals] == [
        (86400.0, f"{place}6", f"{place}7"),
        (13.25, f"{place}3", f"{place}4"),
        (2.0, f"{place}4", f"{place}5"),
    ]
    told = run("log", str(tmp_path / "x.log"), "--pod", "default/web").stdout
    assert "a day or more without a line of it, from" in told and "13.250 s without a line of it" in told
    assert not judge([tmp_path / "x.log"]).intervals


@pytest.mark.parametrize("lines", [started(LIFE), wrong_log()], ids=["right", "wrong"])
def test_pods_with_the_same_lines_are_told_alike_and_each_by_its_own_places(lines: list[str], tmp_path: Path) -> None:
    other = [line.replace("web", "api").replace('podUID="', 'podUID="f') for line in lines[2:]]
    first, second = judged(tmp_path, [*lines, *other]).pods
    assert first.uid != second.uid and first.pod != second.pod
    assert first.judgement == second.judgement and first.could_contradict == second.could_contradict > 0
    assert first.stands == second.stands and first.first != second.first and first.last != second.last
    if first.rejected:
        places = [int(pod.rejected[0].place.rpartition(":")[2]) for pod in (first, second)]
        assert places[1] - places[0] == len(other)
