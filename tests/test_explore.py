"""`podproof explore`: what the page is told of a walk, whom the server answers, and how the command ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from click.testing import CliRunner
from tests.test_page_of_a_comparison import KEEPS
from werkzeug.test import Client, TestResponse

from podproof.checker.core.system import CheckerError
from podproof.cli.explore_server import MOST_BYTES, Application, application, question
from podproof.cli.main import main
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.exploring import LiveSession, Session, shortest_walk
from podproof.queries.walks import MOST_MOVES, moves_in
from podproof.reports.render.json import schema_text

GRACE = "grace_period_only_decreases"
WALK = ["handle_pod_additions(web,admitted)", "handle_pod_deletion(web,5)", "handle_pod_deletion(web,0)"]
PORT = 8151
ASKED_FOR = ["the_least_grace_period_asked_for_is_recorded", "the_grace_period_is_one_that_was_asked_for"]
"""What the same step breaks as well."""
HOST = f"127.0.0.1:{PORT}"


@cache
def session(scenario: str, version: str = "v1.29") -> Session:
    return Session(subject_of(version, None), scenarios_of([scenario])[0])


# ---- what the page is told


def test_a_version_that_stops_says_why_and_the_other_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "keeps.py"
    file.write_text(KEEPS)
    subject = subject_of("v1.32", None)
    pair = Session(subject, scenarios_of(["orphan"])[0], subject_of("", file))
    moves = [WALK[0], "handle_pod_removes(web)"]
    moves.append(next(c["name"] for c in pair.view(moves, 2)["sides"][0]["choices"] if c["changes"]))
    view = pair.view(moves, 3)
    goes, stops = view["sides"]
    assert (view["moves"], view["refused"]) == (moves, "")
    assert [len(side["walk"]["steps"]) for side in view["sides"]] == [3, 1]
    assert goes["stop"] == "" and stops["stop"].startswith("step 2, REMOVE web: it is not possible here: require(")
    assert goes["choices"] != [] and stops["choices"] == [] and stops["ending"] == ""
    assert view["command"].startswith(f"podproof explore --version v1.32 --against {file} --scenario orphan --walk ")
    refused = pair.view([*moves[:1], "evaporate(web)"], 2)
    assert refused["moves"] == moves[:1] and "there is no event 'evaporate(web)'" in refused["refused"]


def test_the_view_of_a_violation_says_which_claim_which_part_and_which_line() -> None:
    view = session("one-pod").view(WALK, 3)
    claim, *others = view["sides"][0]["claims"]
    assert (claim["id"], claim["now"], claim["text"]) == (GRACE, True, "broken by step 3")
    assert "30 <= 5" in claim["why"]
    assert [other["id"] for other in others] == ASKED_FOR
    assert [note["false"] for note in view["sides"][0]["notes"]] == [[], [], [], [GRACE, *ASKED_FOR]]
    last = view["sides"][0]["walk"]["steps"][-1]
    assert last["event"] == "DELETE web: grace period 0"
    names = [
        session("one-pod").fixed()["sides"][0]["system"]["items"][change["item"]]["name"] for change in last["changes"]
    ]
    assert names[0] == "grace_period"
    assert (last["changes"][0]["before"], last["changes"][0]["after"]) == ("5", "30")
    file, number = last["changes"][0]["line"]
    assert "grace_period" in session("one-pod").fixed()["sources"][file]["lines"][number - 1]


def test_what_was_undone_is_kept_and_does_not_count() -> None:
    view = session("one-pod").view(WALK, 2)
    assert (view["at"], view["moves"], view["sides"][0]["claims"]) == (2, WALK, [])
    again = next(c for c in view["sides"][0]["choices"] if c["name"] == WALK[2])
    assert (again["outcome"], again["false"]) == ("possible", [GRACE, *ASKED_FOR])
    assert view["command"].endswith(f"--walk '{';'.join(WALK[:2])}'")


def test_a_walk_that_this_version_cannot_take_is_shown_as_far_as_it_goes() -> None:
    view = session("one-pod").view([WALK[0], WALK[2], WALK[2]], 3)
    assert (view["moves"], view["at"]) == ([WALK[0], WALK[2]], 2)
    assert view["refused"].startswith("step 3, DELETE web: grace period 0: it is not possible here")


def test_a_state_that_was_seen_before_and_a_step_that_changes_nothing_are_said_to_be() -> None:
    moves = [WALK[0], "pod_event(web)", "pod_event(web)"]
    view = session("one-pod").view(moves, 2)
    assert [note["same"] for note in view["sides"][0]["notes"]] == [None, None, None, 2]
    event = next(c for c in view["sides"][0]["choices"] if c["name"] == "pod_event(web)")
    assert (event["changes"], event["leads"]) == (False, 2)


TWO_GOROUTINES = (
    "handle_pod_additions(static,admitted);handle_pod_removes(static);housekeeping_sync_known_pods();"
    "housekeeping_list_pods();handle_pod_additions(static,admitted);worker_start_pod_sync(static,0);"
    "worker_get_newer_than(static,0);handle_pod_removes(static);worker_start_pod_sync(static,1);"
    "worker_get_newer_than(static,1);worker_sync_terminating_pod_returns(static,1,nil);"
    "worker_complete_work_enqueue(static,1);worker_complete_work(static,1);worker_start_pod_sync(static,1);"
    "worker_get_newer_than(static,1);worker_sync_terminated_pod_returns(static,1,nil);housekeeping_sync_known_pods();"
    "worker_sync_pod_returns(static,0,(true, nil))"
)
"""SyncPod of a goroutine that was forgotten ends a pod that another goroutine has finished."""


def test_a_line_of_a_programming_error_is_told() -> None:
    moves = moves_in(TWO_GOROUTINES)
    view = session("two-goroutines").view(moves, len(moves))
    (line,) = view["sides"][0]["notes"][-1]["lines"]
    assert "Pod had no status in completeSync" in line
    assert view["sides"][0]["claims"][-1]["text"] == f"its line was reached in step {len(moves)}"


NO_MORE_EVENTS = (
    "restart();handle_pod_additions(static,admitted);handle_pod_removes(static);sources_become_ready();"
    "housekeeping_sync_known_pods();worker_start_pod_sync(static,0)"
)
"""A static pod of an earlier kubelet is gone before its worker begins, and the budgets are used up."""


def test_a_walk_that_leads_nowhere_any_more_is_said_to_be_at_its_end() -> None:
    moves = moves_in(NO_MORE_EVENTS)
    assert session("static-removed").view(moves, 4)["sides"][0]["ending"] == ""
    assert "only 2 states can still come" in session("static-removed").view(moves, 6)["sides"][0]["ending"]


def test_the_command_opens_the_same_walk() -> None:
    text = session("one-pod").command(WALK).split("--walk ")[1].strip("'")
    assert moves_in(text) == WALK


def test_a_saved_walk_is_what_check_writes() -> None:
    document = json.loads(session("one-pod").saved(WALK))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)
    assert [(p["id"], p["status"]) for p in document["results"][0]["properties"]] == [
        ("walk", "HOLDS"),
        *((claim, "VIOLATED") for claim in (GRACE, *ASKED_FOR)),
    ]


def test_a_saved_walk_is_opened_with_the_same_moves() -> None:
    chosen = session("one-pod")
    assert chosen.opened(chosen.saved(WALK), "walk.json") == {"moves": WALK, "note": "Opened walk.json: walk, 3 steps."}


def test_a_walk_of_another_version_is_opened_as_far_as_it_goes() -> None:
    saved = session("one-pod").saved(WALK)
    found = session("one-pod", "v1.32").opened(saved, "walk.json")
    assert found["moves"] == WALK
    assert "It was saved from v1.29, scenario one-pod. Step 3 changes something else here" in found["note"]
    other = session("static-removed").opened(saved, "walk.json")
    assert "It stops early here: step 1: there is no event 'handle_pod_additions(web,admitted)'" in other["note"]
    assert session("static-removed").view(other["moves"], 3)["moves"] == []


def test_the_only_trace_of_a_result_is_opened_as_a_walk() -> None:
    document = json.loads(session("one-pod").saved(WALK))
    properties = document["results"][0]["properties"]
    document["results"][0]["properties"] = [properties[1]]
    assert session("one-pod").opened(json.dumps(document), "x.json")["moves"] == WALK
    document["results"][0]["properties"] = [properties[1], properties[1]]
    with pytest.raises(CheckerError, match=r"x\.json: there are 2 traces in it and no walk"):
        session("one-pod").opened(json.dumps(document), "x.json")
    document["results"][0]["properties"] = []
    with pytest.raises(CheckerError, match=r"x\.json: there is no trace in it"):
        session("one-pod").opened(json.dumps(document), "x.json")


STEP = {
    "action": "restart",
    "actor": "kubelet",
    "event": "the kubelet restarts",
    "parameters": {},
    "changed": {},
    "lines": {},
    "source": "model/kubelet.py:1",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trace": 3}, r"{claim}.trace is 3, but has to be of type array"),
        ({"trace": [3]}, r"{claim}.trace\[0\] is 3, but has to be of type object"),
        ({"trace": [STEP | {"action": ["x"]}]}, r"{claim}.trace\[0\].action is \[.x.\], but has to be of type string"),
        ({"trace": [STEP | {"parameters": []}]}, r"{claim}.trace\[0\].parameters is \[\], but has to be of type obj"),
        ({"trace": [STEP | {"parameters": {"uid": [1]}}]}, r"{claim}.trace\[0\].parameters.uid is \[1\], but has to"),
        ({"trace": [{}]}, r"{claim}.trace\[0\].action is missing"),
        ({"trace": [STEP] * (MOST_MOVES + 1)}, "a walk of 501 steps is too long"),
    ],
)
def test_a_file_whose_walk_is_none_is_refused_with_its_name(change: dict[str, Any], said: str) -> None:
    document = json.loads(session("one-pod").saved(WALK))
    document["results"][0]["properties"][0] |= change
    said = said.replace("{claim}", r"results\[0\].properties\[0\]")
    with pytest.raises(CheckerError, match=f"walk.json: {said}"):
        session("one-pod").opened(json.dumps(document), "walk.json")


# ---- the picture


def rows(svg: str) -> list[str]:
    return re.findall(r'data-first="\d+" data-last="(\d+)"', svg)


def test_the_picture_grows_by_a_row_with_each_choice() -> None:
    pictures = [session("one-pod").picture(WALK, at)["svg"] for at in range(4)]
    assert [rows(svg) for svg in pictures] == [["0"], ["0", "1"], ["0", "1", "2"], ["0", "1", "2", "3"]]
    assert all("The walk so far" in svg and "\u2717" not in svg for svg in pictures[:3])
    assert "Broken in kubelet 1.29 after 3 steps" in pictures[3] and "grew from 5 s to 30 s" in pictures[3]


def test_a_claim_that_was_broken_before_is_not_what_the_picture_is_about() -> None:
    moves = [*WALK, "worker_start_pod_sync(web,0)"]
    moves[-1] = next(
        c["name"] for c in session("one-pod").view(moves, 3)["sides"][0]["choices"] if "start" in c["name"]
    )
    svg = session("one-pod").picture(moves, 4)["svg"]
    assert rows(svg)[-1] == "4" and "The walk so far" in svg


def test_the_picture_of_two_versions_forks_where_they_part(tmp_path: Path) -> None:
    file = tmp_path / "keeps.py"
    file.write_text(KEEPS)
    pair = Session(subject_of("v1.32", None), scenarios_of(["orphan"])[0], subject_of("", file))
    moves = [WALK[0], "handle_pod_removes(web)"]
    before, after = (pair.picture(moves, at)["svg"] for at in (1, 2))
    assert "\u2260" not in before and "part with step" not in before
    assert "part with step 2" in after and 'class="node phase pod0 old"' in after
    assert "+ step 2, REMOVE web: it is not possible" in " ".join(re.findall(r"<text[^>]*>([^<]*)", after))


# ---- the server


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(application(LiveSession(lambda: session("one-pod")), PORT))


def post(client: Client, path: str, data: Any, **more: Any) -> TestResponse:
    headers = {"Host": HOST, "Content-Type": "application/json"} | more.pop("headers", {})
    return client.post(path, data=data if isinstance(data, bytes) else json.dumps(data), headers=headers, **more)


def test_the_page_and_its_files_come_with_a_policy_that_allows_nothing_from_elsewhere(client: Client) -> None:
    page = client.get("/", headers={"Host": HOST})
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in page.headers
    without_data = re.sub(r'(?s)(<script type="application/json"[^>]*>)[^<]*', r"\1", page.text)
    assert len(without_data) < len(page.text) / 10
    assert not re.search(r"<script(?! src=| type=.application/json)|\son\w+=|style=", without_data)
    for path in re.findall(r'(?:src|href)="(/[^"]*)"', page.text):
        assert client.get(path, headers={"Host": HOST}).status_code == 200


def test_a_walk_is_answered(client: Client) -> None:
    answer = post(client, "/view", {"moves": WALK, "at": 3}, headers={"Origin": f"http://{HOST}"})
    assert answer.status_code == 200
    assert answer.get_json()["sides"][0]["claims"][0]["id"] == GRACE


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8151", "127.0.0.1:9999", "127.0.0.1", "localhost.evil:8151"]
)
def test_another_host_is_refused(client: Client, host: str) -> None:
    for answer in (client.get("/", headers={"Host": host}), post(client, "/view", {}, headers={"Host": host})):
        assert answer.status_code == 403
        assert "is not this server" in json.loads(answer.text)["error"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8151", "http://127.0.0.1:80"])
def test_another_origin_is_refused(client: Client, origin: str) -> None:
    answer = post(client, "/view", {"moves": [], "at": 0}, headers={"Origin": origin})
    assert answer.status_code == 403


def test_localhost_is_this_server_too(client: Client) -> None:
    names = {"Host": f"localhost:{PORT}", "Origin": f"http://localhost:{PORT}"}
    assert post(client, "/view", {"moves": [], "at": 0}, headers=names).status_code == 200


def test_the_usual_port_is_not_in_a_browsers_question() -> None:
    usual = Client(application(LiveSession(lambda: session("lone-pod")), 80))
    names = {"Host": "localhost", "Origin": "http://localhost"}
    assert post(usual, "/view", {"moves": [], "at": 0}, headers=names).status_code == 200
    assert post(usual, "/view", {"moves": [], "at": 0}, headers={"Host": "evil.example"}).status_code == 403


def test_a_name_that_is_no_utf_8_can_be_sent() -> None:
    view = question(lambda _: json.dumps("\udcff", ensure_ascii=False))
    made = Client(Application(lambda: "\udcff", {}, {"/view": view}, PORT))
    assert made.get("/", headers={"Host": HOST}).text == "\\udcff"
    assert post(made, "/view", {}).get_json() == "\udcff"


@pytest.mark.parametrize(
    ("path", "data", "headers", "status", "said"),
    [
        ("/view", b"{", {}, 400, "no JSON"),
        ("/view", b"[" * 100_000, {}, 400, "nested more than 64 deep"),
        ("/view", b"\xff\xfe", {}, 400, "is no UTF-8"),
        ("/view", b'{"moves": [], "moves": [], "at": 0}', {}, 400, 'the key "moves" stands twice in one object'),
        ("/view", b'{"moves": [], "at": 1e400}', {}, 400, "the number 1e400 does not fit 64 bits"),
        ("/view", b'{"moves": ["\\ud800"], "at": 0}', {}, 400, "stands for half a character"),
        ("/view", [], {}, 400, "the question: it is [], but has to be of type object"),
        ("/view", {}, {}, 400, "the question: moves is missing; this is what the page of this server asks"),
        ("/view", {"moves": [1], "at": 0}, {}, 400, "moves[0] is 1, but has to be of type string"),
        ("/view", {"moves": [], "at": True}, {}, 400, "at is true, but has to be of type integer"),
        ("/view", {"moves": WALK[:1] * (MOST_MOVES + 1), "at": 0}, {}, 400, "is too long"),
        ("/view", b" " * (MOST_BYTES + 1), {}, 413, "limit"),
        ("/view", {"moves": [], "at": 0}, {"Content-Type": "text/plain"}, 415, "application/json"),
        ("/trace", {"moves": WALK[1:]}, {}, 400, "it is not possible here"),
        ("/open", {"text": 1, "name": "x"}, {}, 400, "text is 1, but has to be of type string"),
        ("/open", {"text": "{", "name": "x.json"}, {}, 400, "x.json: '{' is no JSON"),
        ("/open", {"text": "[" * 100_000, "name": "x.json"}, {}, 400, "x.json: "),
        ("/open", {"text": "{}", "name": "x.json"}, {}, 400, "x.json: schemaVersion is missing"),
        ("/nothing", {}, {}, 404, "the page is at /"),
        ("/", {}, {}, 405, "GET"),
    ],
)
def test_a_bad_question_is_told_what_is_wrong(
    client: Client, path: str, data: Any, headers: dict[str, str], status: int, said: str
) -> None:
    answer = post(client, path, data, headers=headers)
    assert answer.status_code == status
    assert said in json.loads(answer.text)["error"]


def test_a_question_is_not_asked_by_get(client: Client) -> None:
    assert client.get("/view", headers={"Host": HOST}).status_code == 405


# ---- files that change


@pytest.mark.slow
def test_a_saved_file_is_taken_and_one_with_an_error_is_told_and_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "keeps.py"
    file.write_text(KEEPS.replace("require(not ", "require("))
    made = Client(
        application(LiveSession(lambda: Session(subject_of("", file), scenarios_of(["orphan"])[0]), [file]), PORT)
    )

    def latest() -> tuple[str, str]:
        found = post(made, "/latest", {}).get_json()
        page = made.get("/", headers={"Host": HOST}).text
        assert f'"edition":"{found["edition"]}"' in page and "nothing_there" not in page
        return found["edition"], found["error"]

    def refused() -> str:
        moves = [WALK[0], "handle_pod_removes(web)"]
        return str(post(made, "/view", {"moves": moves, "at": 2}).get_json()["refused"])

    first = latest()
    assert (latest(), refused()) == (first, "")
    file.write_text(KEEPS)
    second = latest()
    assert second[0] != first[0] and second[1] == ""
    file.write_text(f"import nothing_there\n{KEEPS}")
    edition, error = latest()
    assert edition == second[0] and error.startswith(f"{file}:1: ModuleNotFoundError: ")
    line = next(n for n, text in enumerate(KEEPS.splitlines(), 1) if "require(not" in text)
    assert f"require(not self.pod_sync_statuses[uid].present) at {file.name}:{line}" in refused()
    file.unlink()
    assert latest()[0] == second[0]
    file.write_text(KEEPS.replace("require(not ", "require("))
    assert latest()[1] == "" and refused() == ""


# ---- the command


def test_the_maps_of_the_page_have_no_letters_between_their_parts() -> None:
    (drawing, *_) = session("lone-pod").maps()["maps"]
    assert drawing["svg"].startswith("<svg") and "\n" not in drawing["svg"]


def test_a_port_in_use_is_an_error_that_says_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["explore", "--no-browser", "--port", str(port)])
    assert result.exit_code == 2
    assert re.search(rf"--port {port}: .*in use.*; name another one, or 0", result.stderr)


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the address that it says."""
    command = [sys.executable, "-m", "podproof.cli.main", "explore", "--no-browser", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().split(": ")[1].strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_the_trace_of_a_claim_is_opened_by_the_number_that_check_says() -> None:
    small = ("--version", "v1.29", "--scenario", "one-pod", "--scenario", "lone-pod")
    shown = CliRunner().invoke(main, ["check", *small]).stdout
    (command,) = re.findall(r"^ +podproof (explore .*--trace \d+) ", shown, re.MULTILINE)
    (claim,) = re.findall(rf"^ +{command.split()[-1]}  .*\n +(\w+): (\d+) steps in one-pod", shown, re.MULTILINE)
    with served(*command.split()[1:]) as (_, address):
        assert address.count(";") + 1 == int(claim[1])
        moves = moves_in(unquote(address.split("#walk=")[1].split("&at=")[0]))
    view = session("one-pod").view(moves, len(moves))
    assert claim[0] in [broken["id"] for broken in view["sides"][0]["claims"]]


@pytest.mark.slow
def test_without_a_scenario_it_is_the_shortest_of_the_default_ones() -> None:
    subject = subject_of("v1.29", None)
    assert shortest_walk(subject, GRACE) == ("one-pod", WALK)
    where, moves = shortest_walk(subject, "a_pod_is_evicted")  # a witness
    assert len(moves) == len(session(where).view(moves, len(moves))["sides"][0]["walk"]["steps"]) > 0
    where, moves = shortest_walk(subject, "kill_requests_are_answered", "killed-pod")  # once around its loop
    assert (where, len(moves)) == ("killed-pod", 7)
    assert session(where).view(moves, 7)["refused"] == ""
    with pytest.raises(CheckerError, match="callers_pass_the_newest_pod is about other versions"):
        shortest_walk(subject, "callers_pass_the_newest_pod")


@pytest.mark.slow
def test_the_server_outlives_a_page_that_is_closed_halfway_and_ctrl_c_ends_it() -> None:
    with served("--scenario", "lone-pod", "--walk", WALK[0]) as (process, address):
        assert address.endswith("/#walk=handle_pod_additions(web,admitted)&at=1")
        port = int(re.findall(r":(\d+)/", address)[0])
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)) as asking:
                asking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                asking.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        time.sleep(0.5)
        with socket.create_connection(("127.0.0.1", port)) as asking:
            asking.sendall(f"GET /style.css HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert asking.recv(100).startswith(b"HTTP/1.1 200 OK")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0
        assert "Traceback" not in errors
