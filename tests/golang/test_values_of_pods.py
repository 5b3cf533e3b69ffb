"""What Go asks of a pod and the model has not: true or false of each pod, and it stays."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import before_finished, new_lines
from tests.golang.test_translation import WORKER, changed

from podproof.checker.core import CheckerError, ModelError
from podproof.golang.module import FileTranslation, Translation
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import gates_of, worker_vocabulary
from podproof.model.releases import V1_29

ASKED = (
    "kubetypes.IsCriticalPod(options.Pod)",
    "kubetypes.IsMirrorPod(options.Pod)",
    "options.Pod.Spec.HostNetwork",
    'options.Pod.Annotations["example.com/hold"] == "true"',
    'options.Pod.Labels["tier"] == "batch"',
    "options.Pod.Spec.RestartPolicy == v1.RestartPolicyNever",
    'options.Pod.Status.Reason == "Evicted"',
    '_, isHeld := options.Pod.Annotations["example.com/hold"]; isHeld',
    '_, isTold := options.Pod.Labels["tier"]; isTold',
)


def asking(condition: str, assumed: tuple[str, ...] = ()) -> Translation:
    """The worker that does nothing with a pod of which the condition holds."""
    text = changed(before_finished(f"\tif {condition} {{\n\t\treturn\n\t}}\n"))
    file = parse(text.encode(), WORKER)
    return FileTranslation(file, worker_vocabulary((*assumed, *gates_of(file, assumed))), assumed).make(V1_29)


@pytest.mark.quick(3)
@pytest.mark.parametrize("condition", ASKED)
def test_a_value_of_the_pod_is_either_for_each_pod_and_told(condition: str) -> None:
    found = asking(condition)
    lines = new_lines(found)
    (kept,) = [line for line in lines if line.endswith(': Annotated[Array[bool], Size("uids")]')]
    name = kept.partition(":")[0]
    assert any(line.endswith(f" self.{name}[uid_of_pod]{':' * line.startswith('if')}") for line in lines)
    assert f"self.{name}[pod] = answer" in lines and "require(not self.pods_synced)" in lines
    assert any("true or false of each pod, and stays so while the kubelet runs" in said for said in found.rests_on)


@pytest.mark.slow
def test_unequal_is_the_contrary_of_the_same_answer() -> None:
    equal, unequal = asking(ASKED[3]), asking(ASKED[3].replace("==", "!="))
    (name,) = [line.partition(":")[0] for line in new_lines(equal) if line.startswith("assumed_")]
    assert f"if self.{name}[uid_of_pod]:" in new_lines(equal)
    assert f"if not self.{name}[uid_of_pod]:" in new_lines(unequal)


@pytest.mark.slow
def test_texts_that_differ_in_case_or_signs_are_two_questions() -> None:
    """Or a review of two files would take them for one."""
    texts = [f'options.Pod.Labels["{key}"] == "{value}"' for key in ("a-b", "a_b") for value in ("true", "True", "")]
    names = {next(line for line in new_lines(asking(text)) if line.startswith("assumed_")) for text in texts}
    assert len(names) == len(texts)


def test_two_values_of_one_are_not_both_its_own() -> None:
    lines = new_lines(asking(f'{ASKED[4]} || options.Pod.Labels["tier"] == "web"'))
    asked = [line.partition(":")[0] for line in lines if line.startswith("assumed_")]
    assert len(asked) == 2
    assert {f"require(not answer or not self.{name}[pod])" for name in asked} <= set(lines)


def test_a_switch_asks_a_pod() -> None:
    policies = "options.Pod.Spec.RestartPolicy {\n\tcase v1.RestartPolicyOnFailure:\n\t\tbreak\n\tcase "
    asked = before_finished(f"\tswitch {policies}v1.RestartPolicyNever, v1.RestartPolicyAlways:\n\t\treturn\n\t}}\n")
    file = parse(changed(asked).encode(), WORKER)
    lines = new_lines(FileTranslation(file, worker_vocabulary(gates_of(file, ()))).make(V1_29))
    kept = [line for line in lines if line.endswith(': Annotated[Array[bool], Size("uids")]')]
    assert len(kept) == 2, "the third policy is neither of two"


REFUSED = {
    "a value that is computed": 'options.Pod.Labels["tier"] == kind(uid)',
    "a key that is computed": 'options.Pod.Labels[kind(uid)] == "batch"',
    "a text that is read": 'tier, ok := options.Pod.Labels["tier"]; ok && tier != string(uid)',
    "the same of another map": '_, ok := p.tiers["tier"]; ok',
    "the text of a constant": 'options.Pod.Status.QOSClass == "Guaranteed"',
    "a policy's text": 'options.Pod.Spec.RestartPolicy != "Always"',
    "no pod": 'options.MirrorPod.Labels["tier"] == "batch"',
    "an unknown function": "kubetypes.IsAnyPod(options.Pod)",
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("reason", REFUSED)
def test_what_has_not_two_answers_is_refused(reason: str) -> None:
    with pytest.raises(ModelError):
        asking(REFUSED[reason])


def test_whether_there_is_a_label_and_which_are_not_two_answers() -> None:
    label = 'options.Pod.Labels["tier"]'
    asked = f'\t_, isTold := {label}\n\tif !isTold && {label} == "batch" {{\n\t\treturn\n\t}}\n'
    file = parse(changed(before_finished(asked)).encode(), WORKER)
    with pytest.raises(ModelError, match="nothing is known of"):
        FileTranslation(file, worker_vocabulary(gates_of(file, ()))).make(V1_29)


@pytest.mark.slow
def test_a_line_of_ones_own_wins_and_must_name_the_pod() -> None:
    own = asking(ASKED[0], ("kubetypes.IsCriticalPod($pod!) = False : bool",))
    assert not [line for line in new_lines(own) if "assumed_" in line]
    said = asking("kubetypes.IsAnyPod(options.Pod)", ("kubetypes.IsAnyPod($pod!) = any fixed bool of $pod",))
    assert "if self.assumed_kubetypes_is_any_pod_pod[uid_of_pod]:" in new_lines(said)
    with pytest.raises(CheckerError, match="it does not say of which pod"):
        asking(ASKED[0], ("p.quota.Full() = any fixed bool of $pod",))
    with pytest.raises(CheckerError, match="of its answers some would be fixed and some not"):
        asking(ASKED[0], ("kubetypes.IsAnyPod($pod!) = any bool, any fixed bool of $pod",))
    taken = asking(ASKED[7], ('$pod!.Annotations["example.com/hold"] = _ : unknown, any bool',))
    assert "is_held = self.assumed_pod_annotations_example_com_hold_" in " ".join(new_lines(taken))
