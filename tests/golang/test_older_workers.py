"""Files of kubelet before 1.27: single functions are translated and judged, the goroutine is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run

from podproof.checker.core import CheckerError
from podproof.checker.difference.transitions import Conclusion, Equality, compare_everywhere, in_one_graph
from podproof.golang.equality import candidates
from podproof.golang.module import Translation, translate
from podproof.model.releases import V1_26
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import go_subject, subject_of, system_of

WORKER = Path(__file__).with_name("pod_workers_1_26.go")
LEFT_OUT = {
    "podWorkers.managePodLoop": "its channel carries the work",
    "podWorkers.completeWork": "is no element that the model knows",
}


@pytest.fixture(scope="module")
def translation() -> Translation:
    return translate(WORKER, V1_26, partly=True)


def test_what_is_left_out_has_its_reason(translation: Translation) -> None:
    names = ("IsPodKnownTerminated", "acknowledgeTerminating", "completeTerminating")
    assert translation.functions == tuple(f"podWorkers.{name}" for name in names)
    left_out = dict(told.removesuffix(")").split(" (", 1) for told in translation.left_out)
    assert left_out.keys() == LEFT_OUT.keys()
    assert all(LEFT_OUT[name] in reason for name, reason in left_out.items())


@pytest.mark.slow
def test_the_command_tells_it() -> None:
    told = run("review", str(WORKER))
    assert told.exit_code == 4, told.output
    assert "podWorkers.managePodLoop (its channel carries the work)" in told.stdout
    assert "the model's own stand in their place" in told.stdout
    assert told.stdout.startswith("CANNOT TELL: ") and "theorem     EQUAL: do the Go and v1.26 the same" in told.stdout
    assert f"{WORKER} is compared with v1.26" in told.stderr
    refused = run("review", str(WORKER), "-o", "json")
    assert refused.exit_code == 2 and "only single functions are told, as text" in refused.stderr


def test_another_worker_is_told_to_be_one(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(
        "package kubelet\n\ntype podWorkers struct {\n\tisWorking map[types.UID]bool\n}\n\n"
        "func (p *podWorkers) managePodLoop(podUpdates <-chan UpdatePodOptions) {\n\tfor range podUpdates {\n\t}\n}\n\n"
        "func (p *podWorkers) wrapUp(uid types.UID) {\n\tdelete(p.isWorking, uid)\n}\n",
        encoding="utf-8",
    )
    told = run("review", str(file))
    assert told.exit_code == 2
    assert "kubelet 1.21 or earlier, which had another worker" in " ".join(told.stderr.split())


def test_a_worker_without_its_goroutine_is_not_checked() -> None:
    told = run("check", "--go", str(WORKER), "--version", "v1.29")
    assert told.exit_code == 2
    assert "managePodLoop is not translated" in told.stderr
    assert "`podproof review v1.26 FILE`" in told.stderr


def conclusions(file: Path) -> dict[str, Conclusion]:
    subjects = subject_of("v1.26", None), go_subject(file, "v1.26", partly=True)
    systems = in_one_graph(*(system_of(subject, SCENARIOS["lone-pod"]) for subject in subjects))
    found = compare_everywhere(systems, candidates(systems[1]), [("is_pod_known_terminated", 0)])
    return {conclusion.name: conclusion for conclusion in found.conclusions}


@pytest.mark.slow
def test_each_function_is_compared_in_its_place(tmp_path: Path) -> None:
    assert {conclusion.equality for conclusion in conclusions(WORKER).values()} == {Equality.EQUAL}
    file = tmp_path / "pod_workers.go"
    text = WORKER.read_text(encoding="utf-8")
    assert text.count("WorkType: TerminatedPodWork,") == 1
    file.write_text(text.replace("WorkType: TerminatedPodWork,", "WorkType: TerminatingPodWork,"), encoding="utf-8")
    unlike = {name for name, found in conclusions(file).items() if found.equality is not Equality.EQUAL}
    assert unlike == {"worker_sync_terminating_pod_returns"}


def test_of_the_pod_that_is_handed_on_nothing_else_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    text = WORKER.read_text(encoding="utf-8").replace(
        "\tif status, ok := p.podSync",
        "\tif kubetypes.IsStaticPod(pod) {\n\t\treturn\n\t}\n\tif status, ok := p.podSync",
    )
    file.write_text(text, encoding="utf-8")
    (told,) = (told for told in translate(file, V1_26, partly=True).left_out if "completeTerminating" in told)
    assert "only the revision is kept" in told or "is no bool" in told


def test_a_newer_file_is_translated_whole_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text("package kubelet\n", encoding="utf-8")
    with pytest.raises(CheckerError, match="podWorkers has no method UpdatePod"):
        translate(file, V1_26, partly=True)
