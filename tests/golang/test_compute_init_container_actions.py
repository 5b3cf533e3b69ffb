"""computeInitContainerActions beside the pod workers: our own, from the last to the first, and changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golang.kubelet_files import Edit
from tests.golang.own_functions import OwnFunction

from podproof.checker.difference.transitions import Equality

WHERE = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
OWN = OwnFunction("computeInitContainerActions", Path(__file__).with_name("compute_init_container_actions.go"), WHERE)
SOURCE = OWN.source
START = "todo.InitContainersToStart = append(todo.InitContainersToStart, i)\n"
NEXT = "todo.InitContainersToStart = append(todo.InitContainersToStart, i+1)\n"
LATER = "		later = true\n	}\n"
CREATED = "		case kubecontainer.ContainerStateCreated:\n			"
DONE = "			done = true\n			break\n"
SWITCH = "		switch status.State {\n"
LOOP = "i := len(p.Spec.InitContainers) - 1; i >= 0; i--"
TURN = "	for a := 0; a < number/2; a++ {\n"
COUNT = "	number := len(todo.InitContainersToStart)\n"
REVERSE = SOURCE[SOURCE.index(COUNT) : SOURCE.index("	return done\n")]
GO_ON = "			continue\n		}\n"
ALIVE = "				if !known {\n					break\n				}\n"


@pytest.mark.slow
def test_another_text_of_what_the_model_does_is_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    OWN.have_read(monkeypatch)
    found = OWN.proved()
    assert found.equality is Equality.EQUAL, found.reason
    assert "compared is what computePodActions makes of it" in found.bounds


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        (DONE, "			done = true\n"),
        (CREATED + START, CREATED + START + "			break\n"),
        (CREATED + START,
         CREATED + "if status.ExitCode == 0 {\n				" + START
         + "				break\n			}\n			" + START),
        (LATER, "		if !later {\n			later = true\n		}\n	}\n"),
        (SWITCH, "		if todo.KillPod {\n			break\n		}\n" + SWITCH),
        ("if i == len(p.Spec.InitContainers)-1 {\n				done = true\n				break\n",
         "if len(p.Spec.InitContainers)-1 == i {\n				done = true\n				break\n"),
    ],
)  # fmt: skip
def test_a_rewriting_is_equal(edit: Edit) -> None:
    OWN.check_equal(edit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ((" || status.State == kubecontainer.ContainerStateCreated {", " {"), "containers[0]: state created"),
        ((GO_ON + "		if status.State", GO_ON.replace("continue", "break") + "		if status.State"),
         "containers[1]"),
        ((GO_ON + "		if later", GO_ON.replace("continue", "break") + "		if later"), "initContainersToStart"),
        ((CREATED + START, CREATED), "state created"),
        # After a case the loop goes on, and `continue` leaves out what stands behind the switch.
        ((CREATED + START, CREATED + "			continue\n"), "state created"),
        (("				_ = rm.computePodResizeAction(ctx, p, i, true, status, todo)\n", ""), "resizeRestarts"),
        ((ALIVE, ""), "hasLivenessProbe"),
        ((ALIVE, ALIVE.replace("break", "continue")), "hasLivenessProbe"),
        (("i == len(p.Spec.InitContainers)-1 {\n				done = true\n			} else",
          "!later {\n				done = true\n			} else"), "restartable"),
        (("isInitContainerFailed(status)", "status.ExitCode != 0"), "oomKilled"),
        (("				done = true\n				break\n			}\n			todo",
          "				break\n			}\n			todo"), "state exited"),
        ((NEXT + "		default", START + "		default"), "state exited"),
        (("*own != v1.ContainerRestartPolicyNever", "*own == v1.ContainerRestartPolicyAlways"),
         "RestartPolicy OnFailure"),
        ((LATER, "	}\n"), "state "),
    ],
)  # fmt: skip
def test_a_wrong_twin_is_different_and_shows_a_pod(edit: Edit, told: str) -> None:
    OWN.check_different(told, edit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        # What is not turned round, turned round twice, only in part, or appended to afterwards.
        ((TURN, TURN.replace("number/2", "number")), "this loop is not read here"),
        ((COUNT, "	number := 2\n"), "what the model does not have"),
        # Another list is turned round, which is empty.
        ((REVERSE, REVERSE.replace("InitContainersToStart", "ContainersToStart")), "this loop is not read here"),
        (("	return done\n", "	" + START.replace(", i)", ", 0)") + "	return done\n"),
         "what the model does not have"),
        ((LOOP, "i := 0; i < len(p.Spec.InitContainers); i++"), "this loop is not read here"),
        ((LOOP, LOOP.replace(">= 0", "> 0")), "this loop is not read here"),
        (("		later = true\n", "		later = true\n		i--\n"), "this loop is not read here"),
        (("		later = true\n", "		later = true\n		later = i == 1\n"), "nothing is known of"),
        ((SWITCH, "		number := i\n		if number > 0 {\n			later = true\n		}\n" + SWITCH),
         "nothing is known of"),
        ((CREATED + START, CREATED + START + "			fallthrough\n"), ""),
        # Two that are started where the release starts one: their order is not known.
        (("if later && isSidecar {", "if isSidecar {"), ""),
        ((CREATED + START, CREATED + START + "			continue\n"), ""),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_not_equal(edit: Edit, told: str) -> None:
    found = OWN.decided(edit)
    assert found.equality is not Equality.EQUAL and told in found.reason, found.reason


@pytest.mark.slow
def test_an_index_that_is_out_of_the_list_is_not_equal() -> None:
    found = OWN.decided(
        (
            "i == len(p.Spec.InitContainers)-1 {\n				done = true\n				break\n			}\n",
            "false {\n			}\n",
        )
    )
    assert found.equality is not Equality.EQUAL
