"""mergePodStatus beside the pod workers: our own, whose answer is the status that it is given, and changes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golang.kubelet_files import Edit, review_change, with_edits
from tests.golang.own_functions import OwnFunction

from podproof.checker.difference.transitions import Equality

WHERE = "pkg/kubelet/status/status_manager.go"
OWN = OwnFunction("mergePodStatus", Path(__file__).with_name("merge_pod_status.go"), WHERE)
SOURCE = OWN.source
LIST = "	written := make([]v1.PodCondition, 0)\n"
SET = "	ours.Conditions = written\n"
OWNED = "		case kubetypes.PodConditionByKubelet(one.Type):\n			written = append(written, one)\n"
SINCE = "			since(&ours, &theirs, one.Type)\n"
FOUND = "			if _, found := podutil.GetPodCondition(&ours, one.Type); found != nil {\n"
END = "		podutil.UpdatePodCondition(&ours, &containers)\n	}\n"
IS_OVER = "	if !podutil.IsPodPhaseTerminal(ours.Phase) {\n"
LATER = "	if kept != nil {\n		kept.LastTransitionTime = metav1.Now()\n	}\n"


@pytest.mark.quick(2)
@pytest.mark.parametrize("version", ["v1.26", "v1.32", "v1.36.3"])
def test_another_text_of_what_the_model_does_is_equal(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which resource claims it keeps is its own, until somebody has read it."""
    found = OWN.proved(version)
    assert found.equality is Equality.UNDECIDED
    assert found.reason == f"what is beyond these bounds is not that of {version}, see the lines 34"
    OWN.have_read(monkeypatch, version)
    found = OWN.proved(version)
    assert found.equality is Equality.EQUAL, found.reason
    assert "both lists in this order or in the other" in found.bounds
    assert found.parts == {"since"}


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "edit",
    [
        (LIST, "	written := make([]v1.PodCondition, 0, len(theirs.Conditions)+len(ours.Conditions))\n"),
        ("			continue\n		}\n		written = append(written, one)\n",
         "		} else {\n			written = append(written, one)\n		}\n"),
        (OWNED, OWNED.replace("			written", "			since(&ours, &theirs, one.Type)\n			written")),
        (FOUND, FOUND.replace("(&ours,", "FromList(ours.Conditions,")),
        ("ends && !waits:", "ends && !mayRun:"),
        ("		ours.Reason = theirs.Reason\n		ours.Message = theirs.Message\n",
         "		ours.Message = theirs.Message\n		ours.Reason = theirs.Reason\n"),
        (END, END.replace("	}\n", "		podutil.UpdatePodCondition(&ours, &pod)\n	}\n")),
        ("before != nil && before.Status == mine.Status", "!(before == nil || mine.Status != before.Status)"),
    ],
)  # fmt: skip
def test_a_rewriting_is_equal(edit: Edit) -> None:
    OWN.check_equal(edit)


@pytest.mark.quick(8)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("ends := podutil.IsPodPhaseTerminal(ours.Phase) && !podutil.IsPodPhaseTerminal(theirs.Phase)",
          "ends := podutil.IsPodPhaseTerminal(ours.Phase)"), "oldPodStatus.Phase"),
        (("waits := ends && mayRun", "waits := ends"), "newPodStatus.Phase"),
        (("		if kubetypes.PodConditionByKubelet(one.Type) {\n			continue\n		}\n", ""),
         "old_conditions["),
        ((OWNED, "		case one.Type == v1.PodReady:\n			written = append(written, one)\n"), "new_conditions["),
        (("ends && !waits:", "ends:"), "couldHaveRunningContainers"),
        (("ends && !waits:", "!waits:"), "new_conditions[3]"),
        ((SINCE, ""), "conditions[3].LastTransitionTime newPodStatus"),
        ((SINCE, SINCE.replace("one.Type", "v1.PodReady")), "conditions[3].LastTransitionTime newPodStatus"),
        ((FOUND, FOUND.replace("one.Type", "v1.ContainersReady")), "new_conditions[3]"),
        # A pass of a loop has a copy, which is as it was.
        (("				written = statusutil.ReplaceOrAppendPodCondition(written, found)\n",
          "				written = append(written, one)\n"), "conditions[3].LastTransitionTime newPodStatus"),
        ((SET, ""), "conditions["),
        (("		ours.Reason = theirs.Reason\n", ""), "hasOldReason True"),
        (("		ours.Phase = theirs.Phase\n", "		ours.Phase = v1.PodRunning\n"), "Phase Running"),
        (("(ours) || podutil", "(ours) && podutil"), "conditions[0].Status False"),
        (("ours.Phase)\n		containers", "theirs.Phase)\n		containers"), "conditions[0].Reason"),
        (("		podutil.UpdatePodCondition(&ours, &pod)\n", "		_ = pod\n"), "conditions[0].Reason Pod"),
        (("before != nil && before.Status == mine.Status", "before != nil"), "old_conditions[3]"),
        (("before != nil && before.Status", "before.Status"), "a panic in after"),
        # Which of two conditions comes first.
        ((OWNED, "		case one.Type == v1.PodReady && ends:\n			ends = false\n" + OWNED), "new_conditions[0]"),
        ((OWNED, "		case one.Type == v1.DisruptionTarget && mayRun:\n			mayRun = false\n" + OWNED
          .replace(":\n", " && mayRun:\n")), "new_conditions["),
    ],
)  # fmt: skip
def test_a_wrong_twin_is_different_and_shows_a_pod(edit: Edit, told: str) -> None:
    OWN.check_different(told, edit)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ((LIST, "	written := theirs.Conditions[:0]\n"), "nothing is known of"),
        ((OWNED, OWNED.replace("			written", "			one.Status = v1.ConditionFalse\n			written")),
         "only a local"),
        ((SET, "	_, kept := podutil.GetPodCondition(&ours, v1.PodReady)\n" + SET + "	_ = kept\n"),
         "there are pointers to conditions here"),
        ((IS_OVER, "	_, kept := podutil.GetPodCondition(&ours, v1.PodReady)\n" + LATER + IS_OVER),
         "there are pointers to conditions here"),
        ((SET, SET + "	written = append(written, v1.PodCondition{})\n"), "only a local"),
        ((OWNED, OWNED + "			ours.Conditions = written\n"), "not in a loop"),
        ((SET, SET + "	same := ours\n	_ = same\n"), "this would be a copy"),
        ((SET, SET + "	same := v1.PodStatus{}\n	_ = same\n"), "this is a second one"),
        (("		ours.Reason = theirs.Reason\n", "		ours.Reason = theirs.Message\n"), "of another kind"),
        (("		return ours\n", "		return theirs\n"), "this is no answer"),
        (("		ours.Phase = theirs.Phase\n", "		theirs.Phase = ours.Phase\n"), "only a local"),
        ((SET, SET + "	ours.PodIP = theirs.PodIP\n"), "has no field PodIP"),
        ((OWNED, OWNED.replace("(one.Type)", "(one.Type) && one.Type != v1.PodScheduled")),
         "v1.PodScheduled"),
        ((SINCE, "			since(&ours, &ours, one.Type)\n			since(&theirs, &ours, one.Type)\n"),
         "only a local"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_place(edit: Edit, told: str) -> None:
    OWN.check_refused(told, edit)


@pytest.mark.parametrize(
    "edit",
    [
        # Another loop changes what it goes through, and a condition is appended twice.
        (END, END + "	for _, one := range ours.Conditions {\n		since(&ours, &theirs, v1.PodReady)\n"
         "		if one.Type == v1.PodReady && one.Status == v1.ConditionTrue {\n			mayRun = true\n"
         "		}\n	}\n"),
        (OWNED, OWNED + "			if mayRun {\n				written = append(written, one)\n			}\n"),
    ],
)  # fmt: skip
def test_what_the_model_has_no_answer_to_is_not_equal(edit: Edit) -> None:
    assert OWN.decided(edit).equality is not Equality.EQUAL


def test_a_claim_that_is_forgotten_is_told() -> None:
    found = OWN.decided(("	ours.ResourceClaimStatuses = theirs.ResourceClaimStatuses\n", ""))
    assert found.equality is Equality.UNDECIDED
    assert found.reason == "what is beyond these bounds is changed", found.reason


@pytest.mark.slow
def test_a_phase_that_does_not_wait_is_worse(tmp_path: Path) -> None:
    change = with_edits(SOURCE, ("waits := ends && mayRun", "waits := false"))
    code, said = review_change(tmp_path, WHERE, SOURCE, change)
    assert f"mergePodStatus of {WHERE} is changed, too, and DIFFERENT" in said, said
    assert code == 1 and "NEW phases_wait_for_containers, violated for" in said, said
