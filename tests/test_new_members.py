"""New members of the release's enumerations: a sync type and a killer that a proposal adds, through every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import mypy_strict, run, run_or_export
from tests.test_proposals import PAUSING

from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of
from podproof.queries.exploring import Session

HEAD = """\
from dataclasses import replace
from typing import ClassVar

from podproof.model.kubelet import Housekeeping, Killer, Kubelet
from podproof.model.language import action, new_member, require
from podproof.model.releases import V1_35
from podproof.model.releases.v1_32 import Kubelet1_32
from podproof.model.scenarios import SCENARIOS
from podproof.model.state import Position, Uid, UpdatePodOptions, UpdateType
from podproof.specs.claim import claim
"""
RESIZING = (
    HEAD
    + """
RESIZE = new_member(UpdateType, "RESIZE", "resize")


class ResizingKubelet(Kubelet1_32):
    \"\"\"Somebody changes the resources of a pod.\"\"\"

    @action("sync loop", "RESIZE {uid}")
    def handle_pod_resize(self, uid: Uid) -> None:
        require(self.housekeeping == Housekeeping.IDLE and self.pod_manager[uid])
        require(not self.pod_sync_statuses[uid].pending_update.present)
        self.update_pod(uid, UpdatePodOptions(present=True, update_type=RESIZE, pod=self.pod(uid)))


class Resizing(V1_35):
    \"\"\"A pod that is resized is synced with another type of update.\"\"\"

    kubelet: ClassVar[type[Kubelet]] = ResizingKubelet


@claim("always", source="the proposal")
def terminating_pods_are_not_resized(s: Resizing) -> bool:
    \"\"\"SyncPod is not called to resize a pod that is being terminated.\"\"\"
    worker = s.workers[0][0]
    resizes = worker.position == Position.SYNC_POD and worker.update_type == RESIZE
    return not (resizes and s.pod_sync_statuses[0].terminating_at)


@claim("sometimes", source="the proposal")
def a_pod_is_resized(s: V1_35) -> bool:
    \"\"\"SyncPod is called to resize a pod.\"\"\"
    return s.workers[0][0].position == Position.SYNC_POD and s.workers[0][0].update_type == RESIZE


RESIZED = replace(SCENARIOS["killed-pod"], name="resized-pod", by_default=False)
"""
)
BROKEN = "terminating_pods_are_not_resized"
OWN = ("--scenario", "resized-pod", "--property", BROKEN)


@pytest.fixture
def resizing(tmp_path: Path) -> str:
    file = tmp_path / "resizing.py"
    file.write_text(RESIZING)
    return str(file)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("check", *OWN), 1, ("NEW", "pending_update ← resize", "worker.update_type == RESIZE")),
        (("check", *OWN, "--engine", "python"), 1, ("pending_update ← resize",)),
        (("check", *OWN, "--engine", "diagrams"), 1, ("pending_update ← resize",)),
        (("check", *OWN, "--engine", "symbolic"), 1, ("pending_update ← resize",)),
        (
            ("check", "--scenario", "open-pod", "--max-depth", "5", "--property", BROKEN),
            1,
            ("UpdatePod(resize, static",),
        ),
        (("prove", *OWN), 1, ("pending_update ← resize", "PROVED    the_model_does_not_go_wrong")),
        (("prove", "--pods", "--scenario", "lone-pod", "--property", BROKEN), 0, ("CARRIES", BROKEN)),
        (("export", "promela", *OWN), 0, ("#define UpdateType_RESIZE 4  /* resize */", "= UpdateType_RESIZE;")),
        (("export", "tla", *OWN), 0, ("UpdateType_RESIZE == 4", "= UpdateType_RESIZE")),
        (
            ("diagram", "--trace", BROKEN, "--scenario", "resized-pod", "-o", "mermaid"),
            0,
            ("L0->>W0: RESIZE", "worker update_type sync → resize"),
        ),
        (
            ("diagram", "--by", "workers[0][0].update_type", "--scenario", "resized-pod", "-o", "mermaid"),
            0,
            ('state "resize"',),
        ),
        (("explain", BROKEN), 0, ("SyncPod is not called to resize a pod",)),
        (
            ("explain", "RESIZE"),
            0,
            ("RESIZE   new member of UpdateType", "in resizing, shown as resize", "resizing.py:12"),
        ),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_every_command_follows_a_new_sync_type(
    resizing: str, command: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    result = run_or_export(*command, "--model", resizing)
    assert result.exit_code == code, result.output
    for word in words:
        assert word in result.stdout, result.stdout


def test_recorded_traces_of_the_release_conform_to_it(tmp_path: Path) -> None:
    """They have none of it."""
    of_v1_29 = RESIZING.replace("from podproof.model.releases.v1_32 import Kubelet1_32\n", "")
    file = tmp_path / "resizing.py"
    file.write_text(of_v1_29.replace("Kubelet1_32", "Kubelet").replace("V1_35", "V1_29"))
    traces = Path(__file__).parent / "traces" / "lifecycles.jsonl"
    result = run("conform", str(traces), "--model", str(file))
    assert result.exit_code == 0 and "18 of 18 traces conform to" in result.stdout, result.output


@pytest.mark.slow
def test_every_claim_of_the_release_is_asked_and_what_it_violates_is_inherited(resizing: str) -> None:
    """Also where a field has the new member: there the release's own code does the same."""
    result = run("check", "--model", resizing, "--scenario", "resized-pod", "-o", "json")
    (found,) = json.loads(result.stdout)["results"]
    states = {p["id"]: p["baseline"]["state"] for p in found["properties"] if "baseline" in p}
    assert (states.pop(BROKEN), states.pop("a_pod_is_resized")) == ("NEW", "MENDED")
    assert set(states.values()) == {"INHERITED"} and len(states) == 4


def test_two_pods_of_it_are_interchangeable(resizing: str) -> None:
    asked = ("check", "--model", resizing, "--scenario", "two-pods", "--property", "one_sync_call_per_pod")
    result = run(*asked, "-v")
    assert result.exit_code == 0 and "interchangeable" in result.stdout, result.output


@pytest.mark.slow
def test_a_comparison_asks_both_sides_for_the_new_member(resizing: str) -> None:
    """What the release never has is never seen there."""
    result = run("review", "v1.35", resizing, "--scenario", "resized-pod", "-o", "json")
    assert result.exit_code == 1, result.output
    claims = {claim["id"]: claim["statuses"] for claim in json.loads(result.stdout)["claims"]}
    assert claims["a_pod_is_resized"] == ["VIOLATED", "HOLDS"]


def test_a_walk_is_taken_by_it_beside_the_release(resizing: str) -> None:
    mine = subject_of("", Path(resizing))
    pair = Session(mine, mine.scenarios["resized-pod"], subject_of("v1.35", None))
    walk = ["handle_pod_additions(web,admitted)", "worker_start_pod_sync(web,0)", "handle_pod_resize(web)"]
    own, release = pair.view(walk, 3)["sides"]
    assert "resize" in [change["after"] for change in own["walk"]["steps"][2]["changes"]]
    assert len(release["walk"]["steps"]) == 2 and "handle_pod_resize" in release["stop"]


def test_no_go_test_is_made_of_what_the_go_does_not_have(resizing: str) -> None:
    result = run("check", "--model", resizing, *OWN, "-o", "go-test")
    assert result.exit_code == 2 and "comes by 'resize', a new member of UpdateType" in result.stderr


def test_types_are_checked_in_it_and_in_the_example_of_the_documentation(resizing: str) -> None:
    folder = Path(resizing).parent
    (folder / "pausing.py").write_text(PAUSING)
    checked = mypy_strict(folder, "resizing.py", "pausing.py")
    assert checked.returncode == 0, checked.stdout


def test_the_release_stays_as_it_is(resizing: str) -> None:
    mine, release = (
        system_of(subject, SCENARIOS["one-pod"])
        for subject in (subject_of("", Path(resizing)), subject_of("v1.35", None))
    )
    path = "pod_sync_statuses[0].pending_update.update_type"
    labels = [[*system.variables[system.index(path)].labels.values()] for system in (mine, release)]
    assert labels == [["sync", "update", "create", "kill", "resize"], ["sync", "update", "create", "kill"]]


PRESSING = (
    HEAD
    + """
PRESSURE = new_member(Killer, "PRESSURE", "network pressure")


class Pressing(Kubelet1_32):
    def override_of(self, killer: Killer) -> int:
        return 1 if killer == PRESSURE else super().override_of(killer)


class Change(V1_35):
    kubelet: ClassVar[type[Kubelet]] = Pressing
"""
)


def test_a_kill_by_a_new_killer_is_no_step_of_the_release(tmp_path: Path) -> None:
    """Even where the release's own killers violate the claim, too: by that step it is violated in another way."""
    file = tmp_path / "pressing.py"
    file.write_text(PRESSING)
    lost = "kill_requests_are_answered_or_remembered"
    result = run("check", "--model", str(file), "--scenario", "killed-pod", "--property", lost)
    assert result.exit_code == 1, result.output
    assert f"CHANGED   {lost}" in result.stdout and "killPodNow(web): network pressure" in result.stdout


CHANGE = "class Change(V1_35):\n    pass\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('NEW = new_member(UpdateType, "NEW", "new")\n', "change.py:11: NEW is a member that nothing names; say what"),
        ('OLD = new_member(UpdateType, "NEW", "new")\nOLD\n', "OLD says that it is called NEW; give it the name"),
        ('KILL = new_member(UpdateType, "KILL", "k")\n', "UpdateType has KILL = 'kill' already; choose another name"),
        (
            'ENDS = new_member(UpdateType, "ENDS", "kill")\n',
            "UpdateType has KILL = 'kill' already; choose another name",
        ),
        ('NEW = new_member(int, "NEW", "new")\n', "<class 'int'> is no enumeration with members"),
        ('NEW = new_member(UpdateType, "NEW", "")\n', "a new member of UpdateType is called 'NEW' and shown as ''"),
        ('A = [new_member(UpdateType, "NEW", "new")]\n', "change.py:11: a new member stands at the top level"),
        (
            'A = new_member(UpdateType, "A", "new")\nB = new_member(UpdateType, "B", "new")\nA, B\n',
            "change.py:12: B is shown as 'new', as another new member of UpdateType; choose another text",
        ),
        (
            'from enum import Enum\nclass Own(Enum):\n    A = "a"\nB = new_member(Own, "B", "b")\nB\n',
            "B is a member of Own, which the file declares itself; write it into that class",
        ),
        (
            'from podproof.checker.core.system import Status\nB = new_member(Status, "B", "b")\nB\n',
            "B is a member of Status, which is no enumeration of the model; take it out",
        ),
    ],
)
def test_what_would_have_no_effect_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "change.py"
    file.write_text(HEAD + text + CHANGE)
    result = run("check", "--model", str(file), "--scenario", "orphan")
    assert result.exit_code == 2 and words in result.stderr, result.output
    assert "Traceback" not in result.stderr


def test_it_is_named_without_its_class(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    text = RESIZING.replace("update_type=RESIZE", "update_type=UpdateType.RESIZE")
    file.write_text(text)
    result = run("check", "--model", str(file), "--scenario", "resized-pod")
    assert result.exit_code == 2 and "UpdateType has no member 'RESIZE'; write `RESIZE` alone" in result.stderr


def test_claims_of_a_team_add_nothing_to_a_release(tmp_path: Path) -> None:
    file = tmp_path / "ours.py"
    file.write_text(HEAD + 'NEW = new_member(UpdateType, "NEW", "new")\nNEW\n')
    result = run("check", "--claims", str(file), "--scenario", "orphan")
    assert result.exit_code == 2 and "NEW is a member for a release that is changed, and none is" in result.stderr
