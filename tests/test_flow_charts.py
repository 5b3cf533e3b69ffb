"""Flow charts say what a release runs, with the names that Go has for it there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.diagram_samples import request

from podproof.checker.core.system import CheckerError
from podproof.commands.drawings.decisions import decisions_of
from podproof.commands.systems.methods import Method, lookup, method_of
from podproof.model.scenarios import SCENARIOS
from podproof.model.versions import VERSIONS
from podproof.reports.pictures.flowchart import BoxKind, Chart, FlowChart
from podproof.reports.pictures.forms import drawn
from podproof.reports.pictures.queries import QueryTable


def chart_of(name: str, version: str = "v1.29", scenario: str = "one-pod") -> Chart:
    return decisions_of(method_of(SCENARIOS[scenario].model_class(VERSIONS[version].cls), name))


def said(chart: Chart) -> list[str]:
    return [line for box in chart.boxes for line in box.lines]


@pytest.mark.parametrize("version", list(VERSIONS))
def test_every_method_can_be_drawn_and_every_box_is_on_a_way_to_the_end(version: str) -> None:
    drawn_methods = 0
    for scenario in ("one-pod", "open-pod"):
        cls = SCENARIOS[scenario].model_class(VERSIONS[version].cls)
        for name in dir(cls):
            method = lookup(cls, name)
            if method is not None:
                check_structure(decisions_of(method))
                drawn_methods += 1
    assert drawn_methods > 50


def check_structure(chart: Chart) -> None:
    outgoing: dict[int, list[str]] = {i: [] for i in range(len(chart.boxes))}
    for arrow in chart.arrows:
        outgoing[arrow.source].append(arrow.label)
    entered = {arrow.target for arrow in chart.arrows}
    for number, box in enumerate(chart.boxes):
        where = f"{chart.name}: {box}"
        assert (number in entered) == (box.kind is not BoxKind.BEGIN), where
        match box.kind:
            case BoxKind.DECISION:
                assert set(outgoing[number]) == {"yes", "no"}, where
            case BoxKind.LOOP:
                assert set(outgoing[number]) == {"each", "then"}, where
            case BoxKind.END:
                assert outgoing[number] == [], where
            case _:
                assert outgoing[number] == [""], where


def test_a_chart_shows_what_this_version_runs() -> None:
    old, new = chart_of("calculateEffectiveGracePeriod"), chart_of("calculateEffectiveGracePeriod", "v1.32")
    assert "overridden = true" in said(new) and "overridden = true" not in said(old)
    assert new.boxes[0].at.file.endswith("releases/v1_32.py")


def test_a_chart_of_a_model_file_shows_the_change(tmp_path: Path) -> None:
    path = tmp_path / "change.py"
    path.write_text(
        "from podproof.model.language import NIL\n"
        "from podproof.model.versions import V1_29\n\n\n"
        "class Change(V1_29):\n"
        "    def wait_to_start(self, uid: int) -> None:\n"
        "        if self.pod_updates[uid] == NIL:\n"
        "            super().wait_to_start(uid)\n"
    )
    found = request(model=path, action="UpdatePod").diagram("mermaid")
    assert isinstance(found, FlowChart)
    (box,) = (box for box in found.chart.boxes if box.at.file.endswith("change.py") and box.kind is BoxKind.DECISION)
    assert box.lines == ("podUpdates[uid] == nil?",) and box.at.number == 7
    assert "waitingToStartStaticPodsByFullname[fullNames[uid]].append(uid)" in said(found.chart)


def test_parts_of_a_function_are_in_their_place_and_functions_are_called() -> None:
    chart = chart_of("UpdatePod")
    lines = said(chart)
    assert "workType = status.WorkType()" in said(chart_of("startPodSync"))
    assert "status.terminatingAt = now" in lines and "options.Pod.DeletionTimestamp?" in lines
    assert any("calculateEffectiveGracePeriod(" in line for line in lines)
    calls = [box for box in chart.boxes if box.kind is BoxKind.CALL]
    assert any("notifyPodWorker(uid)" in box.lines for box in calls)


@pytest.mark.parametrize("asked", ["UpdatePod", "updatepod", "update_pod", "updatePod"])
def test_a_function_is_found_by_its_go_name_however_it_is_written(asked: str) -> None:
    assert chart_of(asked).defined == "PodWorkers.update_pod in model/pod_workers.py"


def test_a_test_that_go_keeps_inline_is_in_its_place() -> None:
    lines = said(chart_of("UpdatePod"))
    assert "!firstTime && status.IsTerminationRequested() && options.UpdateType == create?" in lines
    assert not any("isRestart" in line for line in lines)
    # Before 1.27 a create asked for a restart also of a pod that is seen for the first time.
    older = said(chart_of("UpdatePod", "v1.26"))
    assert "status.IsTerminationRequested() && options.UpdateType == create?" in older
    waiting = said(chart_of("allowStaticPodStart"))
    at = waiting.index("status = podSyncStatuses[waitingPods.uids[i]]")
    assert waiting[at + 1].startswith("i < waitingPods.length && status != nil && !status.IsTerminationRequested()")


def test_a_branch_that_a_release_can_never_take_is_not_drawn() -> None:
    for name in ("UpdatePod", "SyncKnownPods", "startPodSync", "completeTerminated"):
        old, new = said(chart_of(name, "v1.22.0")), said(chart_of(name, "v1.26"))
        for word in ("restartRequested", "StaticPodsByFullname", "allowPodStart", "completeUnstartedTerminated"):
            assert not any(word in line for line in old), (name, word)
        assert len(old) < len(new), name
    assert not any("canEverStart?" in line for line in said(chart_of("startPodSync", "v1.22.5")))
    # Static pods did not wait, so it makes no difference there.
    assert "pod.Static?" in said(chart_of("UpdatePod", "v1.22.5"))
    assert "pod.Static?" not in said(chart_of("UpdatePod", "v1.22.0"))


def test_a_proposal_may_bring_what_its_release_lacks(tmp_path: Path) -> None:
    path = tmp_path / "backport.py"
    path.write_text(
        "from podproof.model.state import UpdatePodOptions\n"
        "from podproof.model.versions import V1_22_0\n\n\n"
        "class Backport(V1_22_0):\n"
        "    def is_restart(self, uid: int, options: UpdatePodOptions, first_time: bool) -> bool:\n"
        "        return self.pod_sync_statuses[uid].terminating_at\n"
    )
    charts = [request(model=path, action=name).diagram("mermaid") for name in ("UpdatePod", "SyncKnownPods")]
    for found in charts:
        assert isinstance(found, FlowChart) and any("restartRequested" in line for line in said(found.chart))
    assert isinstance(charts[0], FlowChart) and "status.terminatingAt?" in said(charts[0].chart)


def test_the_page_shows_how_a_later_function_is_refused() -> None:
    page = (Path(__file__).parents[1] / "docs" / "diagrams.md").read_text(encoding="utf-8")
    found = re.search(r"```console\n\$ podproof diagram (--version .*)\n(error: .*)\n```", page)
    assert found is not None
    assert run("diagram", *found[1].split()).stderr.strip() == found[2].strip()


@pytest.mark.parametrize(
    ("version", "asked", "release"),
    [
        ("v1.22.5", "completeSync", "1.24.0"),
        ("v1.22.0", "complete_sync", "1.24.0"),
        ("v1.22.5", "cleanupUnstartedPod", "1.24.0"),
        ("v1.22.0", "completeUnstartedTerminated", "1.24.0"),
        ("v1.22.0", "allowPodStart", "1.22.5"),
        ("v1.22.0", "allowStaticPodStart", "1.22.5"),
        ("v1.26", "ShouldPodBeFinished", "1.27.0"),
    ],
)
def test_a_function_that_came_later_is_refused_with_its_release(version: str, asked: str, release: str) -> None:
    result = run("diagram", "--version", version, "--action", asked)
    assert result.exit_code == 2 and f"this release has no {asked!r}, which came in kubelet {release}" in result.stderr


@pytest.mark.parametrize(
    ("version", "asked", "title"),
    [
        ("v1.26", "startPodSync", "startPodSync (its name since 1.27.0)"),
        ("v1.22.0", "requeueLastPodUpdate", "requeueLastPodUpdate (its name since 1.27.0)"),
        ("v1.26", "cleanupUnstartedPod", "completeUnstartedTerminated (cleanupUnstartedPod since 1.27.0)"),
        ("v1.26", "completeUnstartedTerminated", "completeUnstartedTerminated (cleanupUnstartedPod since 1.27.0)"),
        ("v1.26", "completeWork", "completeWorkQueueNext (completeWork since 1.27.0)"),
        ("v1.27.0", "startPodSync", "startPodSync"),
        ("v1.27.0", "cleanupUnstartedPod", "cleanupUnstartedPod"),
        ("v1.29", "completeWork", "completeWork (second half, under podLock)"),
        ("v1.29", "completeWorkEnqueue", "completeWorkEnqueue (first half of completeWork)"),
        ("v1.26", "completeSync", "completeSync"),
    ],
)
def test_a_title_says_what_a_function_is_in_this_release(version: str, asked: str, title: str) -> None:
    diagram = request(version=version, action=asked).diagram("mermaid")
    assert isinstance(diagram, FlowChart)
    assert diagram.caption[0] == f"{title}: {version}, environment kubelet"
    is_line_of_another = "its name" in title
    assert any("in this release these lines are" in line for line in diagram.caption) == is_line_of_another
    again = request(version=version, action=diagram.chart.name).diagram("mermaid")
    assert drawn(again, "mermaid") == drawn(diagram, "mermaid")


def test_fields_have_the_names_of_go() -> None:
    lines = said(chart_of("UpdatePod"))
    assert "if options.KillPodOptions == nil: options.KillPodOptions = &KillPodOptions{}" in lines
    assert "options.KillPodOptions.PodTerminationGracePeriodSecondsOverride = gracePeriod" in lines
    assert "options.Pod.Status.Phase is Failed or Succeeded?" in lines
    assert "cancels && status.cancelFn != nil?" in lines
    assert "podSyncStatuses[uid] = &podSyncStatus{}" in lines
    grace = said(chart_of("calculateEffectiveGracePeriod"))
    assert "gracePeriod = pod.Spec.TerminationGracePeriodSeconds" in grace
    assert "startedStaticPodsByFullname[fullName] = uid" in said(chart_of("allowStaticPodStart"))


def test_the_queries_are_decided_by_fields_with_the_names_of_go() -> None:
    table = request(preset="queries", scenario="lone-pod").diagram("dot")
    assert isinstance(table, QueryTable)
    words = {word for row in table.rows for cell in row.cells for word in cell.split()}
    assert "podsSynced" in words and not any("_" in word for word in words), words


def test_a_misspelt_function_is_refused_with_the_one_meant() -> None:
    with pytest.raises(CheckerError, match="no method or action 'UpdatePods'; did you mean 'UpdatePod'"):
        chart_of("UpdatePods")


class Plain:
    """A function in the model's manner, with one of everything."""

    def decide(self, uid: int) -> bool:
        for i in range(len(self.items)):  # type: ignore[attr-defined]
            if not self.items[i].present and 0 < i < uid:  # type: ignore[attr-defined]
                return self.answer(uid)
        self.count += 1  # type: ignore[attr-defined]
        return False

    def answer(self, which: int) -> bool:
        if which in (1, 2):
            return True
        return which == 3


def test_a_chart_follows_returns_loops_and_parts() -> None:
    chart = decisions_of(Method(Plain, Plain, "decide"))
    check_structure(chart)
    texts = [" / ".join(box.lines) for box in chart.boxes]
    assert texts == [
        "decide(uid)",
        "for each i of items",
        "items[i] == nil && 0 < i && i < uid?",
        "which = uid",
        "which is 1 or 2?",
        "result = true",
        "result = which == 3",
        "return result",
        "count += 1",
        "return false",
    ]
    arrows = {(a.source, a.target): a.label for a in chart.arrows}
    assert arrows[2, 1] == "no" and arrows[1, 8] == "then" and arrows[5, 7] == arrows[6, 7] == ""
