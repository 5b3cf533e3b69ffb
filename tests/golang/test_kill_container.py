"""killContainer beside the pod workers: our own, with helpers of its file, and what becomes of changes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.kubelet_files import Edit, review_change, with_edits
from tests.golang.own_functions import OwnFunction

from podproof.checker.difference.transitions import Equality

WHERE = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
OWN = OwnFunction("killContainer", Path(__file__).with_name("kill_container.go"), WHERE)
SOURCE = OWN.source


@pytest.mark.parametrize("version", ["v1.29", "v1.32", "v1.36.3"])
def test_another_text_of_what_the_model_does_is_equal(version: str) -> None:
    found = OWN.proved(version)
    assert found.equality is Equality.EQUAL, found.reason
    assert found.bounds.startswith("any pod and container, also without a spec of them, periods of 0 to 2^62 seconds")
    assert found.parts == {"periodOf", "hasHook"}


def test_a_release_whose_rule_is_another_refuses_it() -> None:
    told = run("review", "v1.26", str(OWN.file))
    assert told.exit_code == 2 and "killContainer of v1.26 is not read" in told.output, told.output


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "edit",
    [
        ("left = max(left, minimumGracePeriodInSeconds)", "if left < 2 {\n\t\tleft = 2\n\t}"),
        ("if left >= 1 && turns", "if !(left <= 0) && turns"),
        ("		waited := int64(turns.waitForTurn(name, left))\n		left = left - waited\n",
         "		left -= int64(turns.waitForTurn(c.Name, left))\n"),
        ("	turns.containerTerminated(name)\n	return nil\n",
         "	turns.containerTerminated(name)\n	var none error\n	return none\n"),
        ("return c.Lifecycle != nil && c.Lifecycle.PreStop != nil",
         "if c.Lifecycle == nil {\n\t\treturn false\n\t}\n\treturn c.Lifecycle.PreStop != nil"),
        ("	left := periodOf(p, c, cause)\n	if asked != nil {",
         "	left := periodOf(p, c, cause)\n	if !(nil == asked) {"),
        ("*given\n", "*given + 0 - 0\n"),
    ],
)  # fmt: skip
def test_a_rewriting_is_equal(edit: Edit) -> None:
    OWN.check_equal(edit)


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("	if asked != nil {", "	if asked != nil && *asked > 0 {"), "gracePeriodOverride 0"),
        (("if left > 0 && hasHook(c) {", "if hasHook(c) {"), "runsHook True in after"),
        (("left -= rm.execute", "_ = rm.execute"), "preStopSeconds"),
        (("left = max(left, minimumGracePeriodInSeconds)", "left = max(left, 1)"), "timeout 1"),
        (("left = max(left, minimumGracePeriodInSeconds)", "left = min(max(left, 2), 4000000000)"), "in after"),
        (("		left = left - waited\n", "		left = left - waited - 1\n"), "hasOrdering"),
        (("	turns.containerTerminated(name)\n", ""), "tellsOthers True in before"),
        (("if !crierror.IsNotFound(err) {", "if err != nil {"), "err not found"),
        (("			return err\n		}\n	}\n", "		}\n	}\n"), "isFailed True in before"),
        (("	if c == nil {\n", "	if false {\n"), "a panic in after"),
        (("p, c = known, of", "p, c = known, nil\n\t\t_ = of"), "podIsNil"),
        (("given != nil {", "given != nil && *given > 30 {"), "DeletionGracePeriodSeconds"),
        (("own == nil {\n		return minimumGracePeriodInSeconds",
         "own == nil {\n		return 30"), "30 in after"),
        (("cause == reasonStartupProbe", "cause == reasonUnknown"), "StartupProbe"),
        (("c.StartupProbe != nil && c.StartupProbe.Term", "c.StartupProbe.Term"), "a panic in after"),
        (("return *own\n", "return *c.LivenessProbe.TerminationGracePeriodSeconds\n"), "a panic in after"),
        (("return c.Lifecycle != nil && c.Life", "return c.Life"), "a panic in after"),
        (("rm.executePreStopHook(ctx, p, id, c, left)", "rm.executePreStopHook(ctx, p, id, c, left-1)"), "preStop"),
        (("	if why == \"\" {\n", "	if why == \"\" {\n		asked = nil\n"), "gracePeriodOverride"),
    ],
)  # fmt: skip
def test_a_wrong_twin_is_different_and_shows_a_container(edit: Edit, told: str) -> None:
    OWN.check_different(told, edit)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("	turns.containerTerminated(name)\n",
         "	defer turns.containerTerminated(name)\n"), "`defer` is not read here"),
        (("	if turns == nil {\n",
         "	go rm.killContainer(ctx, p, id, name, why, cause, asked, turns)\n	if turns == nil {\n"),
         "`go` is not read here"),
        (("left := periodOf(p, c, cause)", "left := periodOf(p, c, cause) / 2"), "nothing is known of"),
        (("return *own\n", "return periodOf(p, c, cause)\n"), "periodOf is not read"),
        (("	if why == \"\" {\n", "	if why == \"now\" {\n"), "nothing is known of"),
        (("periodOf(p, c, cause)\n	if", "ours(p)\n	if"), "nothing is known of `ours(p)`"),
        (("	turns.containerTerminated(name)\n",
         "	*asked = 3\n	turns.containerTerminated(name)\n"), "only a local"),
        (("func hasHook",
         "const minimumGracePeriodInSeconds = 7\n\nfunc hasHook"), "nothing is known of `minimumGrace"),
        (("fmt.Errorf(\"there is no container %s\", name)", "fmt.Errorf(\"there is no container %s\", ours(p))"),
         "nothing is known of what this does"),
        (("	return c.Lifecycle != nil &&",
         "	hidden := 1 << 3\n	return hidden > 1 && c.Lifecycle != nil &&"), "nothing is known"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_place(edit: Edit, told: str) -> None:
    OWN.check_refused(told, edit)


@pytest.mark.parametrize(
    "edit",
    [
        ("	left = max(left", "	_ = rm.runtimeService.StopContainer(ctx, id.ID, 2)\n	left = max(left"),
        ("	left := periodOf(p, c, cause)\n", "	left := periodOf(p, c, cause)\n	left = left + left + left\n"),
        (
            "		left = left - waited\n",
            "		left = left - waited\n		if hasHook(c) {\n			"
            "rm.executePreStopHook(ctx, p, id, c, 0)\n		}\n",
        ),
    ],
)
def test_what_the_model_has_no_answer_to_is_not_equal(edit: Edit) -> None:
    """StopContainer twice, a sum that an int64 does not hold, the hook once more."""
    assert OWN.decided(edit).equality is not Equality.EQUAL


@pytest.mark.slow
def test_claims_that_a_change_breaks_are_new() -> None:
    found = OWN.decided(("left = max(left, minimumGracePeriodInSeconds)", "left = max(left, 0)"))
    new = {claim.property.id: claim.state.value for claim in found.claims if claim.state is not None}
    assert new.get("every_container_has_its_minimum") == "NEW", new
    assert found.is_worse


@pytest.mark.slow
def test_a_file_is_told_with_what_stands_in_its_functions(tmp_path: Path) -> None:
    told = run("review", "v1.36.3", str(OWN.file), "--undecided", "ok")
    assert told.exit_code == 0, told.output
    assert "EQUAL: killContainer of kill_container.go (sha256 " in told.stdout
    file = tmp_path / "kuberuntime_container.go"
    file.write_text(
        with_edits(SOURCE, ("	if asked != nil {", "	if asked != nil && *asked > 0 {")), encoding="utf-8"
    )
    told = run("review", "v1.36.3", str(file), "--undecided", "ok")
    assert "DIFFERENT: killContainer of kuberuntime_container.go" in told.stdout, told.output


# -- review ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_change_of_a_helper_is_one_of_the_function(tmp_path: Path) -> None:
    code, said = review_change(
        tmp_path,
        WHERE,
        SOURCE,
        with_edits(
            SOURCE, ("own == nil {\n		return minimumGracePeriodInSeconds", "own == nil {\n		return 30")
        ),
    )
    assert f"killContainer of {WHERE} is changed, too, and DIFFERENT" in said, said
    assert "30 in after" in said and "is changed as well and is not read" not in said
    assert code == 1 and "NEW used_grace_is_at_most_asked, violated for" in said, said


@pytest.mark.slow
def test_a_rewriting_of_a_helper_is_equal(tmp_path: Path) -> None:
    change = with_edits(
        SOURCE,
        ("c.Lifecycle != nil && c.Lifecycle.PreStop != nil", "!(c.Lifecycle == nil || c.Lifecycle.PreStop == nil)"),
    )
    code, said = review_change(tmp_path, WHERE, SOURCE, change)
    assert code == 0 and "CANNOT TELL" not in said, said


@pytest.mark.slow
def test_a_broken_minimum_is_worse(tmp_path: Path) -> None:
    code, said = review_change(
        tmp_path,
        WHERE,
        SOURCE,
        with_edits(SOURCE, ("left = max(left, minimumGracePeriodInSeconds)", "left = max(left, 0)")),
    )
    assert code == 1 and "NEW every_container_has_its_minimum, violated for" in said, said
