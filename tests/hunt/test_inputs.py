"""No file and no request ends in a traceback, takes for ever, or is believed: mutations of each kind of input.

    pytest tests/hunt/test_inputs.py                         some hundreds, seconds
    pytest tests/hunt/test_inputs.py -m hunt --hunt 200000   as many as one likes; --hunt-from N begins at number N

A failure names the input: `python -m tests.hunt.test_inputs KIND NUMBER` writes it into a file and gives that to the
command.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from tests.hunt.input_mutation import JSON, JSON_LINES, TEXT, Mutation, change_events, mutated, pack
from tests.recorded_traces import TRACES, recorded, version_of
from werkzeug.test import Client

from podproof.checker.conformance import MOST_ORDERS
from podproof.checker.core.system import CheckerError
from podproof.cli.explore_server import application
from podproof.cli.main import main
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.exploring import LiveSession, Session
from podproof.queries.formats import trace_format

ROOT = Path(__file__).parents[2]
SHORT = 400
"""Inputs in the default suite."""
SECONDS, BYTES = 30, 1 << 30
"""What one input may take, and what a long hunt may need altogether."""
EXIT_CODES = (0, 1, 2, 4)
STATUSES = (200, 400, 404, 405, 413, 415)
CLAIM = "terminated_pods_never_restart"
MODEL = """from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
from podproof.model.versions import V1_29


class MyChange(V1_29):
    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        grace_period, changed = super().calculate_effective_grace_period(status, pod, options)
        if status.grace_period > 0:
            grace_period = min(grace_period, status.grace_period)
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period
"""
CONFIG = """{top}version = "v1.29"

[{table}check]
scenario = ["lone-pod", "orphan"]
budget = "60s"
max-states = 1000
reduce = "none"
output-file = ["json=result.json"]

[{table}conform]
most = 3
profile = ["scripted"]

[{table}known]
terminated_pods_never_restart.orphan = "why"
"""
MOVES = ["handle_pod_additions(web,admitted)", "handle_pod_deletion(web,5)", "handle_pod_deletion(web,0)"]


class Endless(BaseException):
    """An input took too long. No command can catch it by mistake."""


@contextmanager
def deadline() -> Iterator[None]:
    def end(_signal: int, _frame: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def command(*arguments: str) -> tuple[int, str]:
    """Exit code and output of a command, which ends as the documentation says."""
    result = CliRunner().invoke(main, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in EXIT_CODES, result.output
    assert "Traceback" not in result.output and "internal error" not in result.output
    assert result.exit_code != 2 or "error: " in result.stderr, result.output
    return result.exit_code, result.output


# -- the kinds ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """One kind of input."""

    share: int
    """Of a thousand inputs."""
    contents: Callable[[], Sequence[tuple[str, bytes]]]
    """Good ones, each with a name for `run`."""
    mutations: Sequence[Mutation]
    run: Callable[[Random, Path, str], tuple[int, str]]
    """Give the file to a command. Raises AssertionError, or what the command did not catch."""
    suffix: str


def traces(*versions: str) -> Sequence[tuple[str, bytes]]:
    """Recorded traces, by one and by three in a file."""
    found = []
    for version in versions:
        lines = [json.dumps(trace).encode() + b"\n" for trace in TRACES.values() if version_of(trace) == version]
        found += [(version, line) for line in lines] + [(version, b"".join(lines[:3]))]
    return found


def conform(dice: Random, file: Path, version: str) -> tuple[int, str]:
    form = dice.choice(("text", "text", "text", "json", "junit", "github", "markdown", "sarif"))
    return command("conform", str(file), "--config", os.devnull, "--version", version, "-o", form)


def replay_events(_dice: Random, file: Path, version: str) -> tuple[int, str]:
    """What the model shows after these events is recorded, and so it conforms, unless they make no sense.

    Where the workers can have run in too many orders to try, that is said.
    """
    subject = subject_of(version, None)
    try:
        trace = trace_format(subject.cls).parse(file.read_bytes(), "events")
        file.write_text(json.dumps(recorded(trace, subject.cls)))
    except (CheckerError, ValueError):
        return command("conform", str(file), "--config", os.devnull, "--version", version)
    code, output = command("conform", str(file), "--config", os.devnull, "--version", version)
    assert code == 0 or (code == 2 and f"more than {MOST_ORDERS:,} orders" in output), output
    return code, output


@functools.cache
def session() -> Session:
    return Session(subject_of("v1.29", None), scenarios_of(["one-pod"])[0])


@functools.cache
def results() -> Sequence[tuple[str, bytes]]:
    found = [("walk", session().saved(MOVES).encode())]
    for scenario, claim in (("lone-pod", "a_pod_runs"), ("one-pod", "evictions_are_recorded")):
        options = ("--config", os.devnull, "--scenario", scenario, "--property", claim, "-o", "json")
        found += [(claim, CliRunner().invoke(main, ["check", *options]).stdout.encode())]
    return found


@functools.cache
def client() -> Client:
    return Client(application(LiveSession(session), 8151))


def questions() -> Sequence[tuple[str, bytes]]:
    asked = {
        "/view": {"moves": MOVES, "at": 2},
        "/trace": {"moves": MOVES},
        "/open": {"text": session().saved(MOVES), "name": "walk.json"},
        "/starts": {},
    }
    return [(path, json.dumps(question).encode()) for path, question in asked.items()]


def ask(dice: Random, file: Path, path: str) -> tuple[int, str]:
    path = dice.choice((path,) * 20 + ("/", "/view", "/none"))
    kind = dice.choice(("application/json",) * 20 + ("text/plain", "application/json; charset=utf-16", ""))
    headers = {"Host": "127.0.0.1:8151", "Content-Type": kind}
    answer = client().post(path, data=file.read_bytes(), headers=headers)
    assert answer.status_code in STATUSES, answer.text
    assert answer.status_code == 200 or json.loads(answer.text)["error"]
    return answer.status_code, answer.text


def open_file(_dice: Random, file: Path, _name: str) -> tuple[int, str]:
    """A file as the page sends it."""
    text = file.read_bytes().decode("utf-8", "replace")
    answer = client().post("/open", json={"text": text, "name": file.name}, headers={"Host": "127.0.0.1:8151"})
    assert answer.status_code in STATUSES, answer.text
    return answer.status_code, answer.text


def walks() -> Sequence[tuple[str, bytes]]:
    return [("", ";".join(MOVES).encode())]


@functools.cache
def taken_port() -> socket.socket:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    return taken


def walk(_dice: Random, file: Path, _name: str) -> tuple[int, str]:
    """A walk on the command line; the port is taken, so that no server begins."""
    moves = file.read_bytes().decode("utf-8", "surrogateescape")
    port = str(taken_port().getsockname()[1])
    return command("explore", "--no-browser", "--scenario", "lone-pod", "--port", port, "--walk", moves)


def configurations() -> Sequence[tuple[str, bytes]]:
    return [
        ("podproof.toml", CONFIG.format(top="", table="").encode()),
        ("pyproject.toml", CONFIG.format(top="[tool.podproof]\n", table="tool.podproof.").encode()),
    ]


def configure(dice: Random, file: Path, name: str) -> tuple[int, str]:
    named = file.parent / name
    named.write_bytes(file.read_bytes())
    return command("conform", str(ROOT / "tests" / "traces" / "lifecycles.jsonl"), "--config", str(named))


def models() -> Sequence[tuple[str, bytes]]:
    return [("", MODEL.encode())]


def replay_model(_dice: Random, file: Path, _name: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "t.jsonl"
        trace.write_text(json.dumps(TRACES["grace-of-zero-v1.29"]))
        return command("conform", "--config", os.devnull, str(trace), "--model", str(file))


def diagrams() -> Sequence[tuple[str, bytes]]:
    page = (
        "# A page\n\n```mermaid\n%% $ podproof diagram --by nothing -o mermaid\nstateDiagram-v2\n```\n\n~~~~dot\n~~~~"
    )
    return [(".md", page.encode()), (".svg", (ROOT / "docs" / "images" / "lifecycle.svg").read_bytes())]


def check_diagram(_dice: Random, file: Path, suffix: str) -> tuple[int, str]:
    named = file.with_suffix(suffix)
    named.write_bytes(file.read_bytes())
    return command("diagram", "--config", os.devnull, "--check", str(named))


KINDS: Mapping[str, Kind] = {
    "events": Kind(180, lambda: traces("v1.29", "v1.26", "v1.35", "v1.20"), (change_events,), replay_events, ".jsonl"),
    "traces": Kind(280, lambda: traces("v1.29", "v1.26", "v1.35"), JSON_LINES, conform, ".jsonl"),
    "traces of 1.20": Kind(120, lambda: traces("v1.20"), JSON_LINES, conform, ".jsonl"),
    "packed traces": Kind(120, lambda: traces("v1.29", "v1.20"), (*JSON_LINES, *(pack,) * 30), conform, ".jsonl.gz"),
    "questions": Kind(110, questions, JSON, ask, ".json"),
    "opened walks": Kind(118, results, JSON, open_file, ".json"),
    "walks": Kind(8, walks, TEXT, walk, ".txt"),
    "configurations": Kind(52, configurations, TEXT, configure, ".toml"),
    "models": Kind(8, models, TEXT, replay_model, ".py"),
    "diagrams": Kind(4, diagrams, TEXT, check_diagram, ".txt"),
}


# -- the hunt ----------------------------------------------------------------------------------------------------------


def hostile(kind: str, number: int) -> tuple[Random, str, bytes]:
    """The input of this number: the dice that go on from there, the name of what it was made from, and its bytes."""
    dice = Random(f"{kind} {number}")
    name, content = dice.choice(_contents(kind))
    return dice, name, mutated(dice, content, KINDS[kind].mutations)


@functools.cache
def _contents(kind: str) -> Sequence[tuple[str, bytes]]:
    return KINDS[kind].contents()


def attempt(kind: str, number: int, folder: Path) -> tuple[int, str]:
    """Give an input to its command. Raises whatever is wrong with what came of it."""
    dice, name, content = hostile(kind, number)
    file = folder / f"input{KINDS[kind].suffix}"
    file.write_bytes(content)
    with deadline():
        return KINDS[kind].run(dice, file, name)


def hunt(kind: str, numbers: range, folder: Path) -> None:
    """Try many; at the end say how many ended how, and which were found."""
    found, ends, began, slowest = [], Counter[int](), time.monotonic(), 0.0
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # The peak is reckoned anew: this process has run other tests.
    for number in numbers:
        start = time.monotonic()
        try:
            ends[attempt(kind, number, folder)[0]] += 1
        except (Exception, Endless) as error:
            found.append(f"python -m tests.hunt.test_inputs '{kind}' {number}   # {error!r}"[:500])
        slowest = max(slowest, time.monotonic() - start)
    seconds, grown = time.monotonic() - began, memory("VmHWM") - before
    said = f"{len(numbers):,} {kind}: {dict(ends)}, {len(found)} found, {seconds:.0f} s, slowest {slowest:.1f} s"
    print(f"\n{said}, {grown >> 20} MiB more")
    assert not found, "\n".join(found[:20])
    assert grown < BYTES


def memory(what: str) -> int:
    """Bytes that the system says of this process."""
    return int(Path("/proc/self/status").read_text().partition(f"{what}:")[2].split()[0]) * 1024


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_inputs_are_taken_or_refused(kind: str, tmp_path: Path) -> None:
    hunt(kind, range(max(4, SHORT * KINDS[kind].share // 1000)), tmp_path)


@pytest.mark.hunt
@pytest.mark.parametrize("kind", KINDS)
def test_many_inputs_are_taken_or_refused(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first, count = request.config.getoption("--hunt-from"), request.config.getoption("--hunt")
    hunt(kind, range(first, first + max(1, count * KINDS[kind].share // 1000)), tmp_path)


def test_the_same_number_is_the_same_input() -> None:
    assert all(hostile(kind, 7)[1:] == hostile(kind, 7)[1:] for kind in KINDS)
    assert sum(share.share for share in KINDS.values()) == 1000


if __name__ == "__main__":
    shown = Path(tempfile.mkdtemp())
    print(f"in {shown}:", attempt(sys.argv[1], int(sys.argv[2]), shown))
