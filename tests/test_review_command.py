"""`podproof review` as its users meet it: exit codes, errors as sentences, pages that fit, the same bytes each time."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.rendered import PLAIN, page_text
from tests.small_worker import Blind, Worker, small_worker

from podproof.checker.core.system import Limits
from podproof.checker.core.trace import replay
from podproof.checker.difference.result import Comparison, DecidingTrace
from podproof.checker.difference.transitions import in_one_graph
from podproof.checker.engines.python import successors
from podproof.cli.main import main
from podproof.cli.outputs import FORMS
from podproof.cli.review_content import content
from podproof.queries.build import notes_of, scenarios_of
from podproof.queries.comparing import compare_versions, subjects_of
from podproof.queries.reviewing import Review
from podproof.reports.content.review.claims import crossing
from podproof.reports.content.review.code import summary_of_go
from podproof.reports.content.review.page import Origin
from podproof.reports.content.review.words import expression, guard_words, value_words
from podproof.reports.document import (
    Bullets,
    Diagram,
    DiagramEdge,
    DiagramNode,
    Fold,
    Page,
    Paragraph,
    Section,
    Table,
    Verbatim,
)
from podproof.reports.layout import Detail, Style
from podproof.reports.render.markdown import MOST_LETTERS, markdown_page

Golden = Callable[[str, str], None]
SCENARIOS = ("one-pod", "one-pod-restart", "uid-reuse")
RENAMED = """
from podproof.model.language import NIL
from podproof.model.versions import V1_29


class Renamed(V1_29):
    def release_static_pod(self, uid: int) -> None:
        name = self.full_names[uid]
        if uid == self.started_static_pods[name]:
            self.started_static_pods[name] = NIL
"""
CANCELS_NOTHING = """
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
from podproof.model.versions import V1_32


class CancelsNothing(V1_32):
    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        grace_period, shortened = super().calculate_effective_grace_period(status, pod, options)
        return grace_period, False
"""
CHANGED = """
from podproof.model.state import Delay
from podproof.model.versions import V1_29


class Changed(V1_29):
    def enqueue(self, uid: int, delay: Delay) -> None:
        self.work_queue[uid] = delay != Delay.BACKOFF
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["review", *arguments])


def written(found: Comparison, origin: Origin, form: str, style: Style = PLAIN) -> str:
    return content(Review(found, subjects_of("v1.29", "v1.32"), origin, 1, "they differ")).render(form, style)


@pytest.fixture(scope="module")
def found() -> Comparison:
    """1.29 and 1.32 in three scenarios."""
    return compare_versions(subjects_of("v1.29", "v1.32"), scenarios_of(SCENARIOS), None, Limits())


@pytest.fixture(scope="module")
def origin() -> Origin:
    return Origin("podproof review v1.29 v1.32", notes_of(subjects_of("v1.29", "v1.32")))


@pytest.mark.slow
def test_the_page_reads_like_this(found: Comparison, origin: Origin, golden: Golden) -> None:
    golden("review-v1.29-v1.32.md", written(found, origin, "markdown"))
    golden("review-v1.29-v1.32.txt", written(found, origin, "text", Style(detail=Detail.FULL)))


@pytest.mark.slow
def test_the_first_screen_reads_like_this_and_has_sixty_lines_at_most(
    found: Comparison, origin: Origin, golden: Golden
) -> None:
    shown = written(found, origin, "text")
    golden("review-first-screen.txt", shown)
    assert len(shown.splitlines()) <= 60
    # However many claims are told of, each by how it fails.
    many = replace(found, claims=found.claims * 9)
    lines = written(many, origin, "text").splitlines()
    assert len(lines) <= 60 and "             and 21 more claims" in lines


@pytest.mark.slow
def test_the_same_comparison_gives_the_same_bytes(origin: Origin) -> None:
    once, again = (
        compare_versions(subjects_of("v1.29", "v1.32"), scenarios_of(["orphan"]), None, Limits()) for _ in range(2)
    )
    for form in (*FORMS, "html", "svg"):
        assert written(once, origin, form) == written(again, origin, form)


@pytest.mark.slow
def test_the_grace_period_is_a_claim_that_both_break_by_other_events(found: Comparison) -> None:
    (claim,) = (c for c in found.claims if c.property.id == "grace_period_only_decreases")
    assert claim.other_inputs and not claim.changes
    events = [[step.event for step in e.trace.steps] for e in claim.evidence if e is not None]
    assert events[0][1:] == ["DELETE web: grace period 5", "DELETE web: grace period 0"]
    assert events[1][1:] == ["DELETE web: grace period 0", "killPodNow(web): soft eviction"]


@pytest.mark.slow
def test_json_has_what_the_page_has(found: Comparison, origin: Origin) -> None:
    document = json.loads(written(found, origin, "json"))
    assert (document["schemaVersion"], document["verdict"]) == ("podproof/1", "DIFFERENT")
    assert {method["name"] for method in document["methods"]} >= {"calculate_effective_grace_period", "override_of"}
    one_pod, restart, reuse = document["scenarios"]
    assert {divergence["event"] for divergence in one_pod["partings"]} == {
        "DELETE web: grace period 0",
        "killPodNow(web): hard eviction, override 0",
    }
    assert [p["outcomes"][1] for p in restart["partings"]] == [None]
    assert (reuse["decision"], reuse["sizes"][0]) == ("UNREACHED", reuse["sizes"][1])
    changed = {claim["id"] for claim in document["claims"] if claim["changes"]}
    assert changed == {"ended_pods_are_not_rejected", "the_grace_period_is_one_that_was_asked_for"}
    (grace,) = (claim for claim in document["claims"] if claim["id"] == "grace_period_only_decreases")
    assert [evidence["trace"][0]["actor"] for evidence in grace["evidence"]] == ["sync loop", "sync loop"]
    assert all(evidence["initial"]["containers[0]"] is False for evidence in grace["evidence"])
    assert all(parting["initial"]["budget.adds[0]"] == 1 for parting in one_pod["partings"])
    values = [evidence["falseConjunct"]["values"] for evidence in grace["evidence"]]
    assert [(v["new.grace_period"], v["old.grace_period"]) for v in values] == [(30, 5), (20, 1)]


@pytest.mark.slow
def test_every_form_tells_how_the_second_version_violates_what_it_violates_otherwise(
    found: Comparison, origin: Origin
) -> None:
    for form in ("text", "junit", "sarif", "github"):
        shown = written(found, origin, form)
        assert "the grace period of web grew from 1 s to 20 s" in shown, form
        assert "the grace period of web grew from 5 s to 30 s" not in shown, form


@pytest.mark.slow
def test_versions_that_differ_end_with_exit_code_1_and_equal_ones_with_0() -> None:
    different = run("v1.29", "walkthrough-001-complete", "--scenario", "lone-pod", "--by", "finished")
    assert different.exit_code == 1, different.output
    same = run("v1.29", "v1.29", "--scenario", "uid-reuse")
    assert same.exit_code == 0, same.output
    assert "EQUIVALENT" in same.stdout and "does what it does in v1.29, in every state, reachable or not" in " ".join(
        same.stdout.split()
    )


@pytest.mark.slow
def test_the_orphan_that_nobody_retries_is_a_claim_gained() -> None:
    result = run("v1.26", "v1.27.0", "--scenario", "orphan", "-o", "markdown")
    assert result.exit_code == 1, result.output
    (row,) = (line for line in result.stdout.splitlines() if line.startswith("| gained | `housekeeping_drives"))
    assert "✗ violated" in row and "✓ holds" in row
    assert "kubernetes/kubernetes#113145" in result.stdout
    assert "```mermaid" in result.stdout and len(result.stdout) < MOST_LETTERS


PAUSED = """
from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import Array, Size
from podproof.model.releases import V1_32


@dataclass
class Paused(V1_32):
    paused: Annotated[Array[bool], Size("uids")]

    def cancel(self, uid: int) -> None:
        if not self.paused[uid]:
            super().cancel(uid)
"""


@pytest.mark.slow
def test_a_field_that_only_one_version_has_is_named_before_they_are_called_equivalent(tmp_path: Path) -> None:
    file = tmp_path / "paused.py"
    file.write_text(PAUSED)
    found = run("v1.32", str(file), "--scenario", "lone-pod")
    assert found.exit_code == 0
    _, verdict, first, *_ = found.stdout.splitlines()
    # No pod of this scenario has a sync call to cancel.
    assert verdict.startswith(
        "NOT WORSE: ALIKE in lone-pod, but nothing in this scenario reaches the changed lines: cancel:"
    )
    assert first.strip().startswith("Only paused has paused, which never changes")
    (scenario,) = json.loads(run("v1.32", str(file), "--scenario", "lone-pod", "-o", "json").output)["scenarios"]
    assert scenario["onlyVariables"] == [[], ["paused[0]"]]


@pytest.mark.slow
def test_a_file_that_only_renames_locals_is_equivalent(tmp_path: Path) -> None:
    model = tmp_path / "renamed.py"
    model.write_text(RENAMED)
    result = run("v1.29", str(model), "--scenario", "static-pair", "-v")
    assert result.exit_code == 0, result.output
    assert "release_static_pod" in result.stdout and "text only" in result.stdout


@pytest.mark.slow
def test_a_sync_function_that_is_called_with_something_else_is_a_difference(tmp_path: Path) -> None:
    """A shorter grace period that cancels nothing: only the context of the sync call under way shows it."""
    model = tmp_path / "cancels_nothing.py"
    model.write_text(CANCELS_NOTHING)
    result = run("v1.32", str(model), "--scenario", "orphan", "-v")
    assert result.exit_code == 1, result.output
    assert "DIFFERENT" in result.stdout and "worker.context" in result.stdout
    fields = ("--by", "grace_period,finished")
    unseen = run("v1.32", str(model), "--scenario", "orphan", *fields, "-v")
    assert unseen.exit_code == 1 and "ALIKE" in unseen.stdout, "no difference in these fields, but in a claim"
    assert "1 claim NEW: terminations_cancel_the_sync_call" in unseen.stdout


@pytest.mark.slow
def test_two_files_are_told_apart(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "change.py", tmp_path / "b" / "change.py"
    for path, text in ((first, RENAMED), (second, CHANGED)):
        path.parent.mkdir()
        path.write_text(text)
    result = run(str(first), str(second), "--scenario", "uid-reuse", "--by", "finished", "-o", "json")
    assert result.exit_code == 1, result.output
    document = json.loads(result.stdout)
    assert document["versions"] == [str(first), str(second)]
    assert {method["name"] for method in document["methods"]} == {"enqueue", "release_static_pod"}
    assert [divergence["event"] for divergence in document["scenarios"][0]["partings"]] == [
        "worker static: completeWork enqueues"
    ]


@pytest.mark.slow
def test_a_bound_that_is_hit_leaves_it_undecided() -> None:
    result = run("v1.29", "v1.32", "--scenario", "orphan", "--max-states", "50")
    assert result.exit_code == 4, result.output
    assert "UNDECIDED" in result.stdout and "--max-states" in result.stdout
    assert "EQUIVALENT" not in result.stdout


@pytest.mark.slow
def test_versions_that_have_little_in_common_still_fit_on_a_page() -> None:
    result = run("v1.20", "v1.35", "--scenario", "orphan", "-o", "markdown", "--exit-on", "difference")
    assert result.exit_code == 1, result.output
    assert len(result.stdout) < MOST_LETTERS
    assert "Left out, because only one of them has it: `present`" in result.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dot") is not None, reason="the picture was drawn by the engine that pip installs")
def test_the_picture_in_the_documentation_is_what_is_drawn_now() -> None:
    image = Path(__file__).parents[1] / "docs" / "images" / "change.svg"
    drawn = run("v1.26", "v1.27.0", "--scenario", "one-pod", "-o", "svg").stdout
    assert drawn == image.read_text(encoding="utf-8"), "draw it anew with docs/refresh.sh"


@pytest.mark.slow
def test_the_svg_is_the_picture_alone() -> None:
    same = run("v1.29", "v1.29", "--scenario", "uid-reuse", "-o", "svg")
    assert same.exit_code == 2 and "nothing differs that a picture could show" in same.stderr
    different = run("v1.29", "walkthrough-001-complete", "--scenario", "lone-pod", "-o", "svg")
    assert different.exit_code == 1 and different.stdout.startswith("<svg")


@pytest.mark.slow
def test_a_picture_that_would_show_nothing_keeps_no_other_file_from_being_written(tmp_path: Path) -> None:
    picture, cases = tmp_path / "change.svg", tmp_path / "cases.xml"
    files = ("--output-file", f"svg={picture}", "--output-file", f"junit={cases}")
    same = run("v1.29", "v1.29", "--scenario", "uid-reuse", *files)
    assert same.exit_code == 0 and "nothing differs that a picture could show" in same.stderr
    assert cases.exists() and not picture.exists()


# -- words ---------------------------------------------------------------------------------------------------------


def test_guards_and_updates_are_told_as_the_model_would_write_them() -> None:
    systems = in_one_graph(small_worker(Worker), small_worker(Blind))
    graph = systems[0].graph
    before, after = (next(t for t in s.transitions if t.action.name == "look").enabled for s in systems)
    assert guard_words((before, after), systems) == "only Blind asks for `failures == 0`"
    queued = graph.variable("queued", True, 0, 1)
    failures = graph.variable("failures", False, 0, 2)
    either = graph.or_(queued, graph.lt(failures, graph.integer(2)))
    assert expression(graph.and_(either, graph.not_(graph.eq(failures, graph.integer(1)))), systems[0]) == (
        "(queued or failures < 2) and failures != 1"
    )
    more = graph.ite(queued, graph.add(failures, graph.integer(1)), failures)
    assert value_words(more, "failures", systems[0]) == "`failures + 1 if queued else failures`"
    assert value_words(failures, "failures", systems[0]) == "what it was"


def test_an_expression_that_is_too_long_is_left_to_the_source() -> None:
    (system, _) = in_one_graph(small_worker(Worker), small_worker(Worker))
    numbers = [system.graph.variable(f"a_field_with_a_long_name_{i}", True, 0, 1) for i in range(9)]
    assert expression(system.graph.and_(*numbers), system) is None


# -- pages ---------------------------------------------------------------------------------------------------------

NASTY = 'a|b *c* <script>"x"</script> [d](e) #1 @f $g$ ~h~ \\ & ; :'


def nasty_page(details: int = 1, letters: int = 0) -> Page:
    nodes = [DiagramNode("n0", [NASTY], "both", True), DiagramNode("n1", ["new"], "added")]
    diagram = Diagram(nodes, [DiagramEdge("n0", "n1", [NASTY], "added")], NASTY)
    code = f"`{NASTY}`"
    blocks = [Paragraph(NASTY), Bullets([NASTY, code]), Table([NASTY], [[NASTY], [code]]), diagram]
    folds = [Fold(NASTY, [Verbatim([NASTY, "```", "x" * letters])]) for _ in range(details)]
    return Page(NASTY, "DIFFERENT", [NASTY], [Section(NASTY, [*blocks, *folds])], "podproof review a b")


def test_markdown_takes_nothing_for_syntax() -> None:
    text = markdown_page(nasty_page())
    outside = re.sub(r"`+[^`]*`+", "", text.split("```mermaid")[0])
    assert "<script>" not in outside and not re.search(r"(?<!\\)\]\(", outside)
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 2 for line in table)
    mermaid = text.split("```mermaid\n")[1].split("```")[0]
    labels = re.findall(r'state "(.*)" as', mermaid)
    assert labels and all('"' not in label and "<s" not in label for label in labels)
    assert "\n````\n" in text


def test_markdown_links_to_upstream_issues_and_to_no_other() -> None:
    page = replace(nasty_page(0), summary=["kubernetes/kubernetes#113145, #107483"])
    assert "- kubernetes/kubernetes#113145, \\#107483\n" in markdown_page(page)


def test_markdown_leaves_details_out_rather_than_being_too_long() -> None:
    text = markdown_page(nasty_page(5, 20_000))
    assert len(text) < MOST_LETTERS
    assert text.count("<details>") == 3
    assert "Left out, because this would be too long: 2 folded parts." in text


def test_markdown_without_details_is_cut_where_it_is_too_long() -> None:
    page = replace(nasty_page(0), summary=["x" * 70_000])
    text = markdown_page(page)
    assert len(text) < MOST_LETTERS and text.endswith("(cut off here: it was too long)\n")


def test_a_text_page_is_as_wide_as_it_should_be() -> None:
    rows = [["word " * 40, "x" * 30, "1"], ["short", "y", "2"]]
    page = replace(nasty_page(0), sections=[Section("S", [Table(["first", "second", "third"], rows)])])
    lines = page_text(page, Style(width=80)).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("x" * 30 in line for line in lines)


@pytest.mark.slow
def test_without_a_difference_no_folded_part_is_empty(origin: Origin) -> None:
    same = compare_versions(subjects_of("v1.29", "v1.29"), scenarios_of(["orphan"]), None, Limits())
    text = written(same, origin, "markdown")
    assert "<details>" in text and "</summary>\n\n\n\n</details>" not in text
    assert "mermaid" not in text
    assert "| states | transitions |\n" in text and "only one shows" not in text and "Two numbers" not in text


def test_an_event_of_one_version_only_is_told_as_such() -> None:
    system = small_worker(Worker)
    move = next(move for move, after, _ in successors(system, system.initial[0]) if not isinstance(after, Exception))
    trace, nothing = replay(system, [move]), replay(system, [])
    event = trace.steps[0].event
    for other, told in (
        (system, f"In b the same events go as far as step 0; `{event}` cannot follow."),
        (replace(system, actions=()), f"In b there is no such event as `{event}`."),
    ):
        assert crossing(DecidingTrace("small", (system, other), trace, nothing, False, None), "b") == told


def test_only_the_name_of_a_changed_function_is_code() -> None:
    told = "Changed in the Go: `podWorkers.UpdatePod`, `quickEviction` (new)."
    assert summary_of_go(("a", "b"), {"podWorkers.UpdatePod": "changed", "quickEviction": "new"}) == told
