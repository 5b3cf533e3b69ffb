"""The command line as its users meet it: exit codes, errors as sentences, and the same bytes each time."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import run, run_v1_29

from podproof.cli.main import main
from podproof.queries.explaining import LISTS
from podproof.queries.versions import DEFAULT_VERSION, LATEST, VERSIONS

ROOT = Path(__file__).parents[1]
README_MODEL = """
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
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
GRACE = "grace_period_only_decreases"
SMALL = ("--scenario", "orphan")
NEWEST = VERSIONS[DEFAULT_VERSION]


def test_a_violation_is_told_with_a_story_that_can_be_replayed() -> None:
    result = run_v1_29("check", "--scenario", "one-pod", "--property", GRACE)
    assert result.exit_code == 0 and "1 VIOLATED (1 known)" in result.stdout
    assert "grace_period 5 → 30" in result.stdout
    assert "3 steps, shortest" in result.stdout
    (replay,) = (line for line in result.stdout.splitlines() if "replay:" in line)
    again = run(*replay.split("replay: podproof ")[1].split())
    assert again.stdout == result.stdout


def test_a_claim_is_also_asked_for_as_a_claim() -> None:
    asked = [run("check", *SMALL, option, "terminated_pods_never_restart") for option in ("--claim", "--property")]
    assert asked[0].exit_code == asked[1].exit_code == 0
    assert asked[0].stdout == asked[1].stdout


@pytest.mark.slow
def test_the_newest_release_is_the_default_and_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [version for version in VERSIONS.values() if version.covers and version.order > NEWEST.order] == []
    asked = ("check", *SMALL, "--property", GRACE)
    default, *named = (run(*asked, *more).stdout for more in ((), *(("--version", v) for v in (LATEST, NEWEST.name))))
    assert default.startswith(f"{NEWEST.name}  orphan") and named == [default, default]
    assert run("review", LATEST, NEWEST.name, "--scenario", "lone-pod").stdout.startswith(
        f"{NEWEST.name} → {NEWEST.name}"
    )
    (tmp_path / "podproof.toml").write_text(f'version = "{LATEST}"')
    assert json.loads(run(*asked, "-o", "json").stdout)["results"][0]["version"] == NEWEST.name
    written = run("new", "mine", "--from", LATEST, "UpdatePod")
    assert f"of {NEWEST.name}" in written.stdout and LATEST not in (tmp_path / "mine.py").read_text()
    assert run("explain", LATEST).stdout.startswith(f"{NEWEST.name}: ")


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("v1.33", "v1.34"),
        ("1.34", "v1.34"),
        ("release-1.34", "v1.34"),
        ("v1.31.11", "v1.32"),
        ("1.35.4", "v1.35"),
        ("v1.36.1", "v1.36"),
        ("1.36", "v1.36"),
        ("1.36.3", "v1.36.3"),
        ("v1.29.4-gke.1043002", "v1.29"),
        ("v1.32.4+k3s1", "v1.32"),
        ("1.27.0", "v1.27.0"),
        ("v1.36.0-rc.1", "v1.36"),
    ],
)
def test_a_release_is_taken_as_what_covers_it_and_that_is_said(name: str, version: str) -> None:
    taken, plain = (run("check", *SMALL, "--property", GRACE, "--version", given) for given in (name, version))
    assert taken.stdout == plain.stdout and taken.exit_code == plain.exit_code
    assert f"{name} is covered by {version} ({VERSIONS[version].releases}), which is taken\n" in taken.stderr
    assert "covered" not in plain.stderr


@pytest.mark.slow
def test_a_release_is_taken_as_what_covers_it_wherever_a_version_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    explained = run("explain", "v1.33")
    assert explained.stdout == run("explain", "v1.34").stdout and "v1.33 is covered by v1.34" in explained.stderr
    assert run("review", "v1.33", "1.36.2", "--scenario", "lone-pod").stdout.startswith("v1.34 → v1.36")
    assert run("new", "mine", "--from", "1.34", "UpdatePod").exit_code == 0
    assert "class Mine(V1_34)" in (tmp_path / "mine.py").read_text()
    (tmp_path / "podproof.toml").write_text('version = "v1.34"')
    assert (
        json.loads(run("check", *SMALL, "--property", GRACE, "-o", "json").stdout)["results"][0]["version"] == "v1.34"
    )


def test_a_file_that_is_called_like_a_release_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1.34").write_text("no model")
    assert "1.34" in run("review", "v1.29", "1.34").stderr


def test_claims_that_hold_end_with_exit_code_0() -> None:
    result = run("check", *SMALL, "--property", "terminated_pods_never_restart")
    assert result.exit_code == 0
    assert "HOLDS" in result.stdout and "VIOLATED" not in result.stdout


@pytest.mark.parametrize(
    "bound", [("--max-states", "100"), ("--max-depth", "3"), ("--budget", "0.0001s")], ids=["states", "depth", "time"]
)
@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_a_bound_that_is_hit_never_gives_holds(bound: tuple[str, str], engine: str) -> None:
    arguments = ("check", *SMALL, "--property", "terminated_pods_never_restart", "--engine", engine, *bound)
    result = run(*arguments)
    assert result.exit_code == 4, result.output
    assert "HOLDS" not in result.stdout
    assert "UNKNOWN" in result.stdout and bound[0] in result.stdout


def test_the_engines_tell_the_same_violation() -> None:
    arguments = ("check", "--scenario", "one-pod", "--property", GRACE, "--max-depth", "3")
    compiled, python = (run(*arguments, "--engine", engine).stdout for engine in ("compiled", "python"))
    assert " ".join(compiled.split()).replace("engine compiled", "engine python") == " ".join(python.split())


def test_json_has_the_fields_of_the_contract() -> None:
    result = run_v1_29("check", "--scenario", "one-pod", "--property", GRACE, "-o", "json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schemaVersion"] == "podproof/1"
    (found,) = document["results"]
    wanted = {"version", "environment", "scenario", "engine", "complete", "states", "transitions", "depth"}
    wanted |= {"exploreSeconds", "peakBytes", "actionsNeverTaken", "properties"}
    assert wanted <= found.keys()
    (claim,) = found["properties"]
    assert (claim["id"], claim["kind"], claim["status"]) == (GRACE, "step", "VIOLATED")
    last = claim["trace"][-1]
    assert {"action", "actor", "parameters", "changed", "source"} <= last.keys()
    assert last["changed"]["pod_sync_statuses[0].grace_period"] == [5, 30]


def test_a_file_that_overrides_one_method_is_checked_in_place_of_the_release(tmp_path: Path) -> None:
    model = tmp_path / "my_change.py"
    model.write_text(README_MODEL)
    result = run("check", "--model", str(model), "--scenario", "one-pod", "--property", GRACE)
    assert result.exit_code == 0, result.output
    assert "my_change  one-pod" in result.stdout


def test_the_readme_shows_this_very_model() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert README_MODEL.strip() in readme


def test_what_the_readme_advises_lacks_nothing() -> None:
    """`new` without the release to change, and `conform` without a trace, were wrong usage."""
    advised = re.findall(r"`podproof (\w+)(.*?)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(advised) > 15
    for name, rest in advised:
        with main.make_context("podproof", [name]) as above:
            command = main.get_command(above, name)
            assert command is not None
            command.make_context(name, shlex.split(rest), above)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dot") is not None, reason="the pictures were drawn by the engine that pip installs")
def test_the_pictures_in_the_documentation_are_what_is_drawn_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    images = ROOT / "docs" / "images"
    run_v1_29("check", "--scenario", "deleted-and-killed", "--property", GRACE, "--report-dir", str(tmp_path))
    (trace,) = tmp_path.glob("*.svg")
    assert (images / "grace-period.svg").read_bytes() == trace.read_bytes()
    assert (images / "lifecycle.svg").read_text(encoding="utf-8") == run_v1_29("diagram", "-o", "svg").stdout


BROKEN = {
    "misspelt field": (
        "status.grace_period > 0",
        "status.gracePeriod > 0",
        "my_change.py:11",
        "did you mean 'grace_period'",
    ),
    "while": ("if status.grace_period", "while status.grace_period", "my_change.py:11", "fixed range"),
    "syntax": ("class MyChange(V1_29):", "class MyChange(V1_29)", "my_change.py:6", "mend the Python"),
    "import": ("import V1_29", "import V9_99", "my_change.py:3", "cannot be imported"),
    "misspelt method": ("effective_grace_period(\n", "effective_graceperiod(\n", "my_change.py:7", "did you mean"),
    "no method": ("    def calc", "    limit: int = 3\n\n    def calc", "my_change.py:7", "write `@dataclass` above"),
    "environment's method": (
        "    def calc",
        "    def is_desired(self, uid: int) -> bool:\n        return True\n\n    def calc",
        "my_change.py:7",
        "has no effect",
    ),
    "guard lost": (
        "    def calc",
        "    def complete_work(self, uid: int, generation: int) -> None:\n"
        "        self.workers[uid][generation].token = True\n\n    def calc",
        "my_change.py:7",
        "loses the `require`",
    ),
    "end of the process": ("class MyChange", "import sys\nsys.exit(0)\nclass MyChange", "my_change.py:7", "SystemExit"),
    "no class": ("(V1_29)", "", "my_change.py", "one class that overrides a release, found none"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_in_the_file_is_told_with_its_place_and_what_to_do(name: str, tmp_path: Path) -> None:
    right, wrong, place, advice = BROKEN[name]
    model = tmp_path / "my_change.py"
    model.write_text(README_MODEL.replace(right, wrong, 1))
    result = run("check", "--model", str(model), *SMALL)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert place in result.stderr and advice in result.stderr
    assert "Traceback" not in result.stderr and result.stdout == ""


@pytest.mark.slow
def test_a_model_that_leaves_a_range_is_told_with_the_way_there(tmp_path: Path) -> None:
    model = tmp_path / "overflow.py"
    model.write_text(README_MODEL.replace("min(grace_period, status.grace_period)", "grace_period + 40"))
    result = run("check", "--model", str(model), "--scenario", "one-pod")
    assert result.exit_code == 2
    assert "grace_period" in result.stderr and "outside its declared range" in result.stderr
    assert "the way there:" in result.stderr and "1  ADD web" in result.stderr


def test_a_part_of_their_ids_names_claims() -> None:
    asked = ("check", "--scenario", "lone-pod", "-o", "json")
    (result,) = json.loads(run(*asked, "-k", "never_(restart|done)|^removed_pods_t").stdout)["results"]
    assert {p["id"] for p in result["properties"]} == {"terminated_pods_never_restart", "removed_pods_terminate"}
    (result,) = json.loads(run(*asked, "-k", "finished", "--liveness").stdout)["results"]
    assert "terminated_pods_are_finished" in {p["id"] for p in result["properties"]}


@pytest.mark.parametrize("content", [b"", b"{", b"\x00\xff", b'{"trace": "t"}\n', b'{"trace": "t", "steps": [{}]}\n'])
def test_a_damaged_trace_file_is_refused_with_its_place(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "traces.jsonl"
    file.write_bytes(content)
    result = run("conform", str(file))
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_pictures_of_every_violation_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "report"
    result = run("check", "--scenario", "one-pod", "--property", GRACE, "--report-dir", str(folder))
    assert result.exit_code == 0
    assert sorted(p.suffix for p in folder.iterdir()) == [".dot", ".html", ".svg"]
    assert "Broken in kubelet 1.36.3 after" in next(folder.glob("*.svg")).read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["dot", "svg", "mermaid"])
def test_a_diagram_shows_the_phases_of_a_pod(form: str) -> None:
    result = run("diagram", *SMALL, "-o", form)
    assert result.exit_code == 0
    assert "finished" in result.stdout and "podproof diagram" in result.stdout
    assert result.stdout == run("diagram", *SMALL, "-o", form).stdout


def test_without_a_name_it_is_said_what_there_is() -> None:
    result = run("explain")
    told = [line.split()[0] for line in result.stdout.splitlines() if "  " in line]
    assert result.exit_code == 0 and told == [*LISTS, "schema"]
    assert "podproof/1, trace, trace-v1.20, layers, podproof.toml" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("one-pod", "--version", "v1.29"), "--version: only lists depend on it; leave it out"),
        (("--scenario", "orphan"), "--scenario: only lists depend on it; leave it out"),
        (("fields", "--model", "x.py"), "--model: lists are of podproof's own names; leave it out"),
        (("one-pod", "-o", "json"), "-o and --output-file are for lists, which are versions, scenarios"),
        (("one-pod", "trace"), "trace: one name is explained at a time"),
        (("schema", "tracks"), "'tracks' is not one of 'podproof/1', 'trace'"),
    ],
)
def test_what_does_not_go_with_what_is_explained_is_refused(arguments: tuple[str, ...], said: str) -> None:
    result = run("explain", *arguments)
    assert (result.exit_code, result.stdout) == (2, "") and said in " ".join(result.stderr.split())


def test_a_list_that_is_also_a_name_says_so() -> None:
    result = run("explain", "actions")
    assert result.exit_code == 0 and "actions is also a field of ComputePodActions: model/" in result.stderr
    assert "actions is also" not in run("explain", "actions", "-q").stderr


@pytest.mark.parametrize("what", ["versions", "scenarios", "properties", "actions", "fields"])
def test_everything_can_be_listed(what: str) -> None:
    result = run("explain", what)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) >= 5


@pytest.mark.parametrize("name", [GRACE, "idle_workers_get_no_work", "one-pod", "v1.32"])
def test_claims_scenarios_and_versions_are_explained(name: str) -> None:
    result = run("explain", name)
    assert result.exit_code == 0
    assert name in result.stdout


def test_ctrl_c_while_a_command_is_loaded_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("podproof.cli.main.importlib.import_module", interrupted)
    result = run("check")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "interrupted\n")


@pytest.mark.quick(1)
@pytest.mark.parametrize(("options", "variables"), [(("-O",), {}), (("-OO",), {}), ((), {"PYTHONOPTIMIZE": "1"})])
def test_python_without_assertions_is_refused(options: tuple[str, ...], variables: dict[str, str]) -> None:
    """Without them a model that violates its own assertions would pass for one that holds."""
    command = [sys.executable, *options, "-m", "podproof.cli.main", "check", *SMALL]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".src"), **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: Python runs with -O or PYTHONOPTIMIZE, which takes every `assert`")
    assert "Traceback" not in done.stderr
