"""Recordings of the functions around the pod worker: the model reproduces them, and no other answers."""

from __future__ import annotations

import copy
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.callers_departures import CALLERS_DEPARTURES
from tests.command_line import run_v1_29 as run
from tests.layer_departures import DEPARTURES
from tests.restart_departures import RECORDED
from tests.runtime_departures import RUNTIME_DEPARTURES

from podproof.kubelet.layers import LAYERS
from podproof.kubelet.layers.case import Layer
from podproof.queries.build import Subject, subject_of
from podproof.queries.conforming import replay_layer
from podproof.queries.formats import read_recording, recordings_in

FOLDER = Path(__file__).parent / "layers"
"""Cases of each release, in a folder of its own."""
SUBJECTS = {folder.name: subject_of(folder.name, None) for folder in sorted(FOLDER.iterdir())}
CASES: list[tuple[str, Subject, Any, Layer]] = [
    (f"{release}/{Path(where).name}", subject, case, layer)
    for release, subject in SUBJECTS.items()
    for file in recordings_in([FOLDER / release])
    for where, case, layer in read_recording(file, subject.cls)
    if layer is not None
]
NEW = FOLDER / "v1.32"
ANSWERS = {"out", "err", "eq", "n", "tok", "calls", "cache", "api", "ver"}
"""What of a case, or of a step of it, is the function's answer."""
ANSWERS_OF_STEPS = ANSWERS | {"act", "res", "serr", "ev", "c", "sb", "bo"}


ANSWERS_OF_CALLERS = {
    "updates", "admission", "podManager", "activePods", "orphanedMirrors", "pendingResizes", "allocated",
    "sourcesReady",
}  # fmt: skip
"""What of a step of the sync loop is the model's answer; the rest of it are its neighbours' answers."""


def differs(case: Any, layer: Layer, subject: Subject) -> bool:
    return not replay_layer(layer, case, subject, "cases.jsonl:1").conforms


def test_every_layer_has_cases() -> None:
    assert {layer.function for *_, layer in CASES} == set(LAYERS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "subject", "case", "layer"), CASES, ids=[name for name, *_ in CASES])
def test_a_case_conforms_and_with_another_answer_does_not(name: str, subject: Subject, case: Any, layer: Layer) -> None:
    result = replay_layer(layer, case, subject, name)
    assert result.conforms, result.story()
    for path in leaves(case):
        of_steps = ANSWERS_OF_CALLERS if layer.function == "syncLoopIteration" else ANSWERS_OF_STEPS
        is_answer = path[2] in of_steps if path[0] == "steps" else path[0] in ANSWERS
        if not is_answer or (path[-1] == "g" and layer.function == "statusManager"):
            continue
        changed = copy.deepcopy(case)
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = other(inner[path[-1]])
        assert differs(changed, layer, subject), f"{path} is not compared"


def test_what_has_not_started_is_not_what_nobody_knows() -> None:
    """A pointer in Go: false is told from nil."""
    found = 0
    for name, subject, case, layer in CASES:
        for path in leaves(case):
            if path[0] == "out" and path[-1] == "sta":
                changed = copy.deepcopy(case)
                inner = changed
                for part in path[:-1]:
                    inner = inner[part]
                if not inner.pop("sta"):
                    found += 1
                    assert differs(changed, layer, subject), f"{name}: {path} is not compared"
    assert found > 2


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def other(value: Any) -> Any:
    if isinstance(value, bool | None):
        return not value
    return value + 1 if isinstance(value, int) else value + "x"


@pytest.mark.parametrize(
    "departure",
    (*DEPARTURES, *RUNTIME_DEPARTURES, *RECORDED, *CALLERS_DEPARTURES),
    ids=lambda departure: departure.__name__,
)
def test_a_departure_is_noticed(departure: type) -> None:
    release = next(name for name, subject in SUBJECTS.items() if departure.__mro__[1] is subject.cls)
    subject = replace(SUBJECTS[release], cls=departure)
    assert any(differs(case, layer, subject) for name, _, case, layer in CASES if name.startswith(f"{release}/"))


# -- the command -------------------------------------------------------------------------------------------------------


def test_a_folder_is_replayed_file_by_file() -> None:
    result = run("conform", str(NEW), "--version", "v1.32")
    *lines, last = result.stdout.splitlines()
    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in lines] == ["CONFORMS"] * len(list(NEW.glob("*.jsonl")))
    modelled = [name for name, layer in LAYERS.items() if all(hasattr(SUBJECTS["v1.32"].cls, p) for p in layer.parts)]
    assert len(modelled) == len(LAYERS) - 1, "only the callers of UpdatePod are modelled from 1.36 on"
    assert all(any(layer in line for line in lines) for layer in modelled)
    number = sum(name.startswith("v1.32") for name, *_ in CASES)
    assert last == f"{number} of {number} cases conform"


def test_the_first_difference_is_told_as_a_story(tmp_path: Path) -> None:
    first, second = (json.loads(line) for line in (NEW / "merge.jsonl").read_text().splitlines()[:2])
    second["out"]["re"] = "Preempted"
    packed = tmp_path / "anything.jsonl.gz"
    packed.write_bytes(gzip.compress(f"{json.dumps(first)}\n{json.dumps(second)}\n".encode()))
    result = run("conform", str(tmp_path), "--version", "v1.32")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"DIFFERS   mergePodStatus   step 1 of 1   {packed}:2",
        "  1  mergePodStatus(Running, Failed, couldHaveRunningContainers=false)",
        '     out.re  recorded "Preempted", the model shows "Evicted"',
        f"DIFFERS   mergePodStatus          1 of 2 to v1.32  {packed}",
        "1 of 2 cases conform",
    ]


def test_results_for_programs_name_files_and_functions() -> None:
    result = run("conform", str(NEW / "merge.jsonl"), "--version", "v1.32", "-o", "json")
    (file,) = json.loads(result.stdout)["files"]
    assert (file["function"], file["conforming"], file["total"]) == ("mergePodStatus", 8, 8)


TRACE = '{"trace":"a","steps":[]}'
EQUAL = '{"a":{"ph":"Running"},"b":{"ph":"Running"},"eq":true}'
MERGE = '{"old":{},"new":{},"run":false,"out":{}}'
MISTAKES = {
    "empty": ("", "there is nothing in it"),
    "unknown": ('{"what":1,"else":2}', "bad.jsonl:1: this is no recording of a known kind (its keys: what, else)"),
    "mixed": (f"{EQUAL}\n{MERGE}", "bad.jsonl:2: this is a case of mergePodStatus, and the lines before are each a"),
    "with traces": (f"{EQUAL}\n{TRACE}", "bad.jsonl:2: this is a trace of the pod workers"),
    "cut off": (f"{EQUAL}\n{EQUAL[:20]}", "bad.jsonl:2: "),
    "of another type": ('{"a":{"ph":"Gone"},"b":{},"eq":true}', 'bad.jsonl:1: a.ph is "Gone", but has to be one of'),
    "without a name": ('{"a":{"c":[{}]},"b":{},"eq":true}', "bad.jsonl:1: a.c[0].n is missing"),
    "no name": ('{"id":7,"a":{},"b":{},"eq":true}', "bad.jsonl:1: id is 7, but has to be of type string"),
    "no time": ('{"a":{"cond":[["Ready","True","","","now"]]},"b":{},"eq":true}', "a number of seconds, or -1"),
    "no event of the mux": (
        '{"trace":"a","steps":[{"i":1,"t":1,"op":{"op":"config"},"config":[{"event":"GONE","source":"api"}]}]}',
        'bad.jsonl:1: steps[0].config[0].event is "GONE", but has to be one of',
    ),
    "no number": (
        '{"trace":"a","steps":[{"i":2,"t":1,"op":{"op":"sync"}}]}',
        "bad.jsonl:1: step 1 says that it is step 2; steps are numbered from 1, without a gap",
    ),
    "no condition": ('{"a":{"cond":[["Ready"]]},"b":{},"eq":true}', "bad.jsonl:1: a.cond[0] is"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_no_recording_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    text, message = MISTAKES[name]
    (tmp_path / "bad.jsonl").write_text(text)
    result = run("conform", str(tmp_path / "bad.jsonl"), "--version", "v1.36.3")
    assert result.exit_code == 2 and result.stdout == ""
    assert message in result.stderr and "Traceback" not in result.stderr


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    result = run("conform", str(tmp_path))
    assert result.exit_code == 2 and "give a .jsonl file" in result.stderr


def test_a_release_without_the_layer_is_refused() -> None:
    result = run("conform", str(NEW / "merge.jsonl"), "--version", "v1.20")
    assert result.exit_code == 2 and "there is no model of mergePodStatus in v1.20" in result.stderr


# -- a model file ------------------------------------------------------------------------------------------------------

KEEPS_THE_PHASE = """
from podproof.model.core_v1 import PodPhase
from podproof.model.get_phase import GetPhase1_32
from podproof.model.kubelet_pods import KubeletPods1_32
from podproof.model.releases import V1_32


class KeepsThePhase(GetPhase1_32):
    def keep_terminal_phase(self) -> PodPhase:
        if self.old_phase in (PodPhase.SUCCEEDED, PodPhase.FAILED):
            return self.old_phase
        return super().keep_terminal_phase()


class Pods(KubeletPods1_32):
    get_phase = KeepsThePhase


class Mine(V1_32):
    kubelet_pods = Pods
"""


def test_a_model_file_overrides_a_function_of_a_layer(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(KEEPS_THE_PHASE)
    result = run("conform", str(NEW), "--model", str(tmp_path / "mine.py"), "-v")
    assert result.exit_code == 1, result.output
    told = [line for line in result.stdout.splitlines() if line.startswith("DIFFERS") and " step " in line]
    assert [" ".join(line.split()[1:3]) for line in told] == ["generateAPIPodStatus evicted,", "podSyncer evicted,"]
    assert 'sets[1].ph    recorded "Succeeded", the model shows "Failed"' in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "def keep_terminal_phase(",
            "def keep_terminal_phrase(",
            "keep_terminal_phrase overrides nothing",
        ),
        ("Pods(KubeletPods1_32)", "Pods", "which does not derive from KubeletPods1_32"),
        ("KeepsThePhase(GetPhase1_32)", "KeepsThePhase", "which does not derive from GetPhase1_32"),
        ("kubelet_pods = Pods", "kubelet_pots = Pods", "Mine.kubelet_pots is no method"),
    ],
)
def test_what_would_change_nothing_of_a_layer_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(KEEPS_THE_PHASE.replace(old, new))
    result = run("conform", str(NEW), "--model", str(tmp_path / "mine.py"))
    assert result.exit_code == 2 and message in result.stderr, result.stderr


# -- recordings of the real code ---------------------------------------------------------------------------------------


@pytest.mark.recordings
@pytest.mark.parametrize(("version", "name"), [("v1.29", "v1.29"), ("v1.32", "v1.32"), ("v1.36.3", "v1.36")])
def test_the_recorded_layers_conform(version: str, name: str, request: pytest.FixtureRequest) -> None:
    folder = request.config.getoption("--recorded-layers")
    if folder is None:
        pytest.skip("give the folder with the recordings of the layers: --recorded-layers FOLDER")
    result = run("conform", str(folder / name), "--version", version)
    assert result.exit_code == 0, result.output


@pytest.mark.recordings
@pytest.mark.parametrize(
    ("version", "names"),
    [("v1.36.3", ("designed", "random")), ("v1.36", ("designed-1.36.2",))],
    ids=["v1.36.3", "v1.36"],
)
def test_the_recorded_callers_conform(version: str, names: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    folder = request.config.getoption("--recorded-callers")
    if folder is None:
        pytest.skip("give the folder with the recordings of the callers of UpdatePod: --recorded-callers FOLDER")
    result = run("conform", *(str(folder / f"{name}.jsonl.gz") for name in names), "--version", version)
    assert result.exit_code == 0, result.output


def test_two_releases_differ_in_what_they_do_with_the_updates_of_a_mirror_pod() -> None:
    """kubernetes/kubernetes#139522: 1.36.3 asks for an allocation, which a mirror pod never has."""
    result = run("conform", str(FOLDER / "v1.36" / "callers.jsonl"), "--version", "v1.36.3", "-v")
    assert result.exit_code == 1 and "0 of 2 cases conform" in result.stdout
    assert "syncLoopIteration c-d-mirror-update-dropped" in result.stdout
    assert re.search(r"^ 22  config (UPDATE|DELETE) mirror-1 \(api\)$", result.stdout, re.MULTILINE), result.stdout
