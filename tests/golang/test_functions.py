"""Functions beside the pod workers: our own getPhase, which is the model's, and what becomes of changes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.kubelet_files import Edit, review_change, with_edits
from tests.golang.own_functions import OwnFunction

from podproof.checker.core.system import CheckerError
from podproof.checker.difference.result import ClaimDifference
from podproof.checker.difference.transitions import Equality
from podproof.golang.neighbours import KnownCallers, modelled
from podproof.queries import go_files

WHERE = "pkg/kubelet/kubelet_pods.go"
OWN = OwnFunction("getPhase", Path(__file__).with_name("get_phase.go"), WHERE)
SOURCE = OWN.source


def states(claims: tuple[ClaimDifference, ...]) -> dict[str, str]:
    return {claim.property.id: claim.state.value for claim in claims if claim.state is not None}


@pytest.mark.slow
def test_another_text_of_what_the_model_does_is_equal() -> None:
    found = OWN.proved()
    assert found.equality is Equality.EQUAL, found.reason
    assert found.bounds == (
        "any pod with up to 3 init containers, 1 to 3 containers, at most one status by each name, with at most one "
        "state set, exit codes from 0 to 2^31 - 1; RestartAllContainersOnContainerExits is on; what other files have "
        "is by the vocabulary get_phase.vocabulary"
    )


@pytest.mark.parametrize("version", ["v1.29", "v1.32"])
def test_a_release_without_a_parameter_refuses_it(version: str) -> None:
    with pytest.raises(CheckerError, match="has no parameter `begun bool` here"):
        OWN.proved(version)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "edit",
    [
        ("early+idle > 0 || waits", "waits || idle > 0 || early >= 1"),
        ("if hopeless > 0 {", "if !(hopeless == 0) {"),
        ('log.V(5).Info("counted")', "var (\n\t\tspare int\n\t)\n\tspare += idle"),
        (
            "		case st.State.Waiting == nil:\n			dark++\n",
            "		case st.State.Waiting == nil:\n			dark++\n			continue\n",
        ),
        (
            "		case st.State.Waiting == nil:\n			dark++\n",
            "		case st.State.Waiting == nil:\n			dark++\n"
            "			if dark > 0 {\n				break\n			}\n			live++\n",
        ),
        ("allFine := done == fine", "allFine := !(done > fine)"),
        ("if again == false {", "if !again {"),
        ('log.V(5).Info("counted")', 'klog.V(2).InfoS("counted", "done", done)'),
        (
            "	case live > 0:\n		return v1.PodRunning\n",
            "	case live > 0:\n		phase := v1.PodRunning\n		return phase\n",
        ),
        (
            "			code := st.State.Terminated.ExitCode\n",
            "			var code int32\n			code = st.State.Terminated.ExitCode\n",
        ),
    ],
)
def test_a_rewriting_is_equal(edit: Edit) -> None:
    OWN.check_equal(edit)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("if hopeless > 0 {", "if hopeless > 1 {"), "init_containers[0]: "),
        (("if code == 0 {", "if code == 0 || code == 137 {"), "exitCode 137"),
        (("case live > 0:", "case live > 0 && idle == 0 && done == 0:"), "state running"),
        (("!over || kubetypes.IsStaticPod(p)", "!over"), "isStatic"),
        (("lateSidecars > 0 && !begun", "lateSidecars > 0"), "podHasInitialized"),
        (("st.Started != nil && *st.Started", "*st.Started"), "a panic in after"),
        (("	return v1.PodFailed\n}\n", "	return v1.PodUnknown\n}\n"), "Phase Unknown in after"),
        (("dark += 1", "dark -= 1"), "Phase"),
        (("	case live > 0:\n", "	case live > 0:\n		if over {\n			break\n		}\n"), "podIsTerminal"),
    ],
)  # fmt: skip
def test_a_wrong_twin_is_different_and_shows_a_pod(edit: Edit, told: str) -> None:
    found = OWN.decided(edit)
    assert found.equality is Equality.DIFFERENT
    assert found.reason.startswith("for restartPolicy ") and told in found.reason, found.reason
    assert " in before, " in found.reason and found.reason.endswith(" in after")


@pytest.mark.slow
def test_a_claim_that_a_change_breaks_is_new_with_a_pod_that_breaks_it() -> None:
    found = OWN.decided(("case live > 0:", "case live > 0 && done == 0:"))
    new = {"running_containers_keep_a_pod_alive": "NEW", "success_is_of_all_containers": "NEW"}
    assert states(found.claims) == new, states(found.claims)
    for claim in found.claims:
        reason = claim.baselines[0][1].reason
        assert reason.startswith("violated for restartPolicy ") and "state running" in reason
    assert found.is_worse


@pytest.mark.slow
def test_a_claim_that_a_change_keeps_again_is_mended() -> None:
    """Under OnFailure one that waits to be started again, and exited with 0 before, makes no pod Failed."""
    broken = "pods_of_on_failure_do_not_fail"
    found = OWN.decided(("if again == false {", "if again == false && end.ExitCode != 0 {"))
    assert states(found.claims).get(broken) == "MENDED", states(found.claims)
    assert not found.is_worse


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (
            ("podutil.ContainerShouldRestart(c, p.Spec, code)", "podutil.ContainerShouldRestart(c, p.Spec, 0)"),
            "nothing is known of `podutil.ContainerShouldRestart(c, p.Spec, 0)`",
        ),
        (("waits := lateSidecars > 0", "waits := lateSidecars > 2"), "a number of containers is compared with 2"),
        (('log.V(5).Info("counted")', "forget(p)"), "nothing is known of what this does"),
        (('log.V(5).Info("counted")', 'log.V(5).Info("counted", forget(p))'), "nothing is known of what this does"),
        (('log.V(5).Info("counted")', 'log.V(level(p)).Info("counted")'), "nothing is known of what this does"),
        (("early+idle > 0", "early+idle-2 > 0"), "a number of containers is compared with 2"),
        (('log.V(5).Info("counted")', "go forget(p)"), "`go` is not read here"),
        (("over, begun bool", "begun, over, more bool"), "has no parameter `more bool` here"),
        (("features.RestartAllContainersOnContainerExits", "features.Other"), "whether Other is on is not known"),
        (("func getPhase(", "func (kl *Kubelet) getPhase("), "there is no function getPhase"),
        (("kubetypes \"k8s.io/kubernetes/pkg/kubelet/types\"", "kubetypes \"example.org/types\""), "nothing is known"),
        (("	return v1.PodFailed\n}\n", "}\n"), "this function may end without an answer"),
        (("func getPhase(", "func getPhase() {\n}\n\nfunc getPhase("), "`getPhase` is declared twice"),
        (("waits := lateSidecars", "nil := true\n	waits := nil && lateSidecars"), "`nil` has another meaning here"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_place(edit: Edit, told: str) -> None:
    OWN.check_refused(told, edit)


def test_what_the_model_has_no_answer_to_is_not_decided() -> None:
    """A rule's answer is known for the exit code that is reported, and not for that of the end before it."""
    found = OWN.decided(
        (
            "podutil.ContainerShouldRestart(c, p.Spec, code) || st",
            "podutil.ContainerShouldRestart(c, p.Spec, st.LastTerminationState.Terminated.ExitCode) || st",
        ),
        ("again := podutil.ContainerShouldRestart(c, p.Spec, st.Last", "again := st.LastTerminationState.Terminated != "
         "nil && podutil.ContainerShouldRestart(c, p.Spec, st.Last"),
    )  # fmt: skip
    assert found.equality is not Equality.EQUAL


@pytest.mark.slow
def test_what_else_is_in_a_file_beside_the_workers_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    told = run("review", "v1.36.3", str(OWN.file))
    assert told.exit_code == 4, told.output
    assert re.search(r"Not read, and maybe not as in v1\.36\.3: .*HandlePodCleanups", told.stdout)
    own = KnownCallers("own", "v1.36.3", modelled({"a.go": OWN.file.read_text(encoding="utf-8")}), {})
    monkeypatch.setattr(go_files, "known_callers", lambda: (own,))
    told = run("review", "v1.36.3", str(OWN.file))
    assert told.exit_code == 0 and "Not read" not in told.stdout, told.output
    for option in ("--liveness", "--scenario=one-pod", "--by=worker.position"):
        assert run("review", "v1.36.3", str(OWN.file), option).exit_code == 2


@pytest.mark.slow
def test_a_file_beside_the_workers_is_told_function_by_function() -> None:
    told = run("review", "v1.36.3", str(OWN.file), "--undecided", "ok")
    assert told.exit_code == 0, told.output
    said = " ".join(told.stdout.split())
    assert said.startswith("EQUAL: getPhase of get_phase.go (sha256 "), said
    assert "answers every input as v1.36.3 does, within these bounds: any pod with up to 3 init containers" in said
    assert run("review", "v1.32", str(OWN.file)).exit_code == 2
    assert run("review", "v1.36.3", str(OWN.file), "-o", "json").exit_code == 2
    alone = run("review", str(OWN.file))
    assert alone.exit_code == 2 and "beside which release is getPhase? Give it before the file" in alone.output


@pytest.mark.slow
def test_a_file_beside_the_workers_that_is_not_the_release_is_different(tmp_path: Path) -> None:
    file = tmp_path / "kubelet_pods.go"
    file.write_text(with_edits(SOURCE, ("case live > 0:", "case live > 0 && done == 0:")), encoding="utf-8")
    told = run("review", "v1.36.3", str(file))
    assert told.exit_code == 1, told.output
    assert "DIFFERENT: getPhase of kubelet_pods.go" in told.stdout
    assert "NEW running_containers_keep_a_pod_alive: violated for restartPolicy" in " ".join(told.stdout.split())


# -- review ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "code", "told"),
    [
        (
            ("case live > 0:", "case live >= 1:"),
            0,
            f"getPhase of {WHERE} is changed, too, and EQUAL: it answers as before. That is about any pod with up to 3",
        ),
        (
            ("if again == false {", "if !again {"),
            0,
            f"Changed, too, and EQUAL: getPhase of {WHERE} does the same as before, call by call",
        ),
        (
            ("case live > 0:", "case live > 0 && done == 0:"),
            1,
            "NEW running_containers_keep_a_pod_alive, violated for restartPolicy",
        ),
        (
            ("if again == false {", "if again == false && end.ExitCode != 0 {"),
            4,
            "MENDED pods_of_on_failure_do_not_fail, it holds for every input of get-phase-0",
        ),
        (
            ('log.V(5).Info("counted")', "forget(p)"),
            4,
            f"whether it answers as before is not decided: {WHERE}:",
        ),
    ],
)
def test_a_change_beside_the_workers_is_decided(tmp_path: Path, edit: Edit, code: int, told: str) -> None:
    found, said = review_change(tmp_path, WHERE, SOURCE, with_edits(SOURCE, edit))
    assert told in said, said
    assert found == code, said
    assert ("CANNOT TELL" in said) is (code == 4)
    assert "is changed as well and is not read" not in said
