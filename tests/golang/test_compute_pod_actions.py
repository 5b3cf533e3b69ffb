"""computePodActions beside the pod workers: our own, whose answer is built field by field, and changes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golang.kubelet_files import Edit, review_change, with_edits
from tests.golang.own_functions import OwnFunction

from podproof.checker.difference.transitions import Equality

WHERE = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
OWN = OwnFunction("computePodActions", Path(__file__).with_name("compute_pod_actions.go"), WHERE)
SOURCE = OWN.source
AGAIN = "\t\t\tagain = append(again, i)\n"
START = "\t\t\ttodo.ContainersToStart = append(todo.ContainersToStart, i)\n"
FIRST = "\t\t\ttodo.InitContainersToStart = []int{0}\n"
GIVEN = "\t\t\ttodo.ContainersToStart = again\n"
LAST = "\t}\n\treturn todo\n}\n\n// isNever"
NEW = "\tif isNew {\n\t\tif isNever"


@pytest.mark.slow
def test_another_text_of_what_the_model_does_is_equal_within_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it does beyond them is its own, until somebody has read it."""
    found = OWN.proved()
    assert found.equality is Equality.UNDECIDED
    assert found.reason.startswith("what is beyond these bounds is not that of v1.36.3, see the lines 34, 35, 36, 70")
    OWN.have_read(monkeypatch)
    found = OWN.proved()
    assert found.equality is Equality.EQUAL, found.reason
    assert found.bounds.startswith("any pod with up to 3 init containers, 1 to 2 containers, up to 1 ephemeral")
    assert "not all of whose containers restart" in found.bounds
    assert found.parts == {"isNever", "hasSucceeded", "changed"}, "resetsOf is not read"


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        ("if len(again) == 0 && HasAny", "if !(len(again) > 0) && HasAny"),
        ("return p.Spec.RestartPolicy == v1.RestartPolicyNever",
         "switch p.Spec.RestartPolicy {\n	case v1.RestartPolicyAlways, v1.RestartPolicyOnFailure:\n"
         "		return false\n	}\n	return true"),
        ("todo := podActions{\n		Attempt:          attempt,\n",
         "todo := podActions{\n		ContainersToStart: []int{},\n		Attempt:          attempt,\n"),
        (FIRST, "			todo.InitContainersToStart = append(todo.InitContainersToStart, 0)\n"),
        ("			name:      c.Name,\n			container: &c,\n			message:   fmt",
         "			container: &p.Spec.Containers[i],\n			name:      status.Name,\n			message:   fmt"),
        ("	kept := false\n	for i, c := range p.Spec.Containers {\n",
         "	kept := false\n	for i := range p.Spec.Containers {\n		c := p.Spec.Containers[i]\n"),
        ("if !rm.computeInitContainerActions(ctx, p, known, &todo) || todo.KillPod {",
         "if begun := rm.computeInitContainerActions(ctx, p, known, &todo); todo.KillPod || !begun {"),
        ("	for i := range p.Spec.EphemeralContainers {",
         "	todo.KillPod = false\n	for i := range p.Spec.EphemeralContainers {"),
    ],
)  # fmt: skip
def test_a_rewriting_is_equal(edit: Edit) -> None:
    OWN.check_equal(edit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("		Attempt:          attempt,\n", ""), ", attempt "),
        (("		KillPod:          isNew,\n", "		KillPod:          !isNew,\n"), "killPod True"),
        ((AGAIN, f"			if len(again) == 0 {{\n	{AGAIN}			}}\n"), "containersToStart"),
        ((GIVEN, "			todo.ContainersToStart = nil\n"), "containersToStart"),
        (("known.FindContainerStatusByName(c.Name) == nil {", "true {\n			_ = c"), "ephemeralContainersToStart"),
        (("	if !rm.computeInitContainerActions(ctx, p, known, &todo) || todo.KillPod {",
          "	if todo.KillPod || !rm.computeInitContainerActions(ctx, p, known, &todo) && todo.KillPod {"), "in after"),
        ((f"				continue\n			}}\n{START}			if",
          f"				kept = true\n				continue\n			}}\n{START}			if"), "killPod True"),
        (("	return status != nil && status.State ==", "	return status.State =="), "a panic in after"),
        (("wanted != status.Hash", "wanted == status.Hash"), "ContainersToKill  in after"),
        (("; found && live == proberesults.Failure", "; live != proberesults.Success"), "liveness unknown"),
        (("			again = *own != v1.ContainerRestartPolicyNever\n",
          "			again := *own != v1.ContainerRestartPolicyNever\n			_ = again\n"), "RestartPolicy "),
        (("			why = ofStartup\n", "			why = ofLiveness\n"), "StartupProbe in before"),
        (('= "Unknown"', '= "LivenessProbe"'), "ContainersToKill LivenessProbe"),
        (("			if rm.computePodResizeAction(ctx, p, i, false, status, &todo) {\n"
          "				kept = true\n			}\n", "			kept = true\n"), "resizeRestarts"),
        ((f"		todo.InitContainersToStart = nil\n{LAST}", LAST), "initContainersToStart"),
        (("	if !kept && len(todo.ContainersToStart) == 0 {", "	if !kept {"), "killPod True"),
    ],
)  # fmt: skip
def test_a_wrong_twin_is_different_and_shows_a_pod(edit: Edit, told: str) -> None:
    OWN.check_different(told, edit)


@pytest.mark.slow
def test_a_pod_without_ephemeral_containers_is_compared_too() -> None:
    loop, ends = (
        "	for i := range p.Spec.EphemeralContainers {\n",
        "	if !kept && len(todo.ContainersToStart) == 0 {",
    )
    found = OWN.decided(
        (loop, f"	seen := false\n{loop}		seen = true\n"), (ends, ends.replace("!kept", "!seen || !kept"))
    )
    assert found.equality is Equality.DIFFERENT, found.reason
    assert "killPod True" in found.reason and "ephemeral" not in found.reason, found.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        ("		todo.ContainersToReset = rm.resetsOf(p, known)\n", ""),
        ("		todo.ContainersToReset = rm.resetsOf(p, known)\n		return todo\n", "		return todo\n"),
        ("	if everything && utilfeature", "	if attempt == 0 && everything && utilfeature"),
        (NEW, f"	if everything {{\n		todo.KillPod = true\n	}}\n{NEW}"),
        ("	if may, _, _ := allocation.IsInPlacePodVerticalScalingAllowed(p); may {",
         "	if may, _, _ := allocation.IsInPlacePodVerticalScalingAllowed(p); !may {"),
        ('log.Error(err, "It was not told", "container", c.Name)\n', "return todo\n"),
        ("may still run", "may run"),
        ('fmt.Sprintf("%s is killed", c.Name)', '"it is killed"'),
    ],
)  # fmt: skip
def test_what_is_beyond_the_bounds_is_not_passed_over(edit: Edit) -> None:
    found = OWN.decided(edit)
    assert found.equality is Equality.UNDECIDED, found.equality
    assert found.reason.startswith("what is beyond these bounds is changed in line "), found.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        (f"{START}			if", f"{START.replace('i)', 'i, i)')}			if"),
        ("if !rm.computeInit", "todo.CreateSandbox = true\n	if !rm.computeInit"),
    ],
)  # fmt: skip
def test_what_the_model_has_no_answer_to_is_not_equal(edit: Edit) -> None:
    """An index twice in a list, and init containers that are looked at with something decided."""
    assert OWN.decided(edit).equality is not Equality.EQUAL


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ((FIRST,
          "			copied := todo\n			copied.InitContainersToStart = []int{0}\n"), "this would be a copy"),
        (("	if everything && util", "	list := todo.ContainersToStart\n	_ = list\n	if everything && util"),
         "this would be a copy"),
        ((GIVEN, f"{GIVEN}			again = append(again, 1)\n"),
         "no list of indexes"),
        ((AGAIN, "			again = append(again, len(again))\n"), "no index of such a container"),
        ((AGAIN, "			again = append(todo.ContainersToStart, i)\n"), "no list of indexes"),
        (("		ContainersToKill: make(map[kubecontainer.ContainerID]containerToKillInfo),\n", ""),
         "ContainersToKill is nil"),
        ((NEW, f"	todo = podActions{{KillPod: true}}\n{NEW}"), "only a local"),
        (("		return todo\n	}\n	for i := range", "		return podActions{}\n	}\n	for i := range"), "second one"),
        (("	kept := false\n", "	kept := everything\n"), "what holds only within the bounds is kept"),
        (("container: &c,\n", "container: &p.Spec.Containers[0],\n"), "only a local is assigned to"),
        (("todo.ContainersToKill[status.ID] = containerToKillInfo{\n			name:      c.Name",
          "todo.ContainersToKill[kubecontainer.ContainerID{}] = containerToKillInfo{\n			name:      c.Name"),
         "only a local"),
        (("kubecontainer.HashContainer(c)\n", "kubecontainer.HashContainer(c) + 1\n"), "nothing is known of"),
        (('"k8s.io/kubernetes/pkg/kubelet/allocation"', '"k8s.io/other/allocation"'), "`allocation` is k8s.io"),
        (("	if !kept && len(todo.ContainersToStart) == 0 {", "	if !kept && todo.Answer {"), "no field Answer"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_place(edit: Edit, told: str) -> None:
    OWN.check_refused(told, edit)


# -- review ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_change_that_starts_what_has_ended_is_new(tmp_path: Path) -> None:
    broken = "if attempt != 0 && !kubecontainer.ShouldContainerBeRestarted("
    code, said = review_change(
        tmp_path, WHERE, SOURCE, with_edits(SOURCE, ("if !kubecontainer.ShouldContainerBeRestarted(", broken))
    )
    assert f"computePodActions of {WHERE} is changed, too, and DIFFERENT" in said, said
    assert code == 1 and "NEW " in said, said


@pytest.mark.slow
def test_a_change_of_what_is_not_read_is_left_open(tmp_path: Path) -> None:
    code, said = review_change(
        tmp_path,
        WHERE,
        SOURCE,
        with_edits(SOURCE, ("	return nil\n}\n", "	return []containerToRemoveInfo{{}}\n}\n")),
    )
    assert code == 4 and "resetsOf" in said, (code, said)
