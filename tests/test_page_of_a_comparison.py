"""The page of `diff -o html`: what changes, and the walks that both versions take side by side."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.drawn_lives import Picture, check_colours, check_rows, check_texts, phase_in
from tests.test_liveness_claims import NO_RETRY
from tests.test_page import Elements, data_of, refuse_strangers
from tests.test_review_command import CANCELS_NOTHING, nasty_page

from podproof.checker.core.system import Limits
from podproof.checker.difference.result import Comparison
from podproof.cli.review_page import review_html, walks_of
from podproof.queries.build import Subject, scenarios_of
from podproof.queries.comparing import compare_versions, subjects_of
from podproof.queries.exploring import Session
from podproof.reports.content.review.page import Origin, in_short, page_of
from podproof.reports.page.build import SCRIPTS
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.fork import forked
from podproof.reports.pictures.life_mermaid import life_mermaid
from podproof.reports.pictures.life_picture import FILLS, life_dot
from podproof.reports.render.html import html_page
from podproof.reports.render.json import schema_text

KEEPS = """
from typing import ClassVar

from podproof.model.kubelet import Kubelet
from podproof.model.language import require
from podproof.model.releases import V1_32
from podproof.model.state import Uid


class KeepingKubelet(V1_32.kubelet):
    def handle_pod_removes(self, uid: Uid) -> None:
        require(not self.pod_sync_statuses[uid].present)
        super().handle_pod_removes(uid)


class Keeps(V1_32):
    kubelet: ClassVar[type[Kubelet]] = KeepingKubelet
"""
CLAIM = "terminations_cancel_the_sync_call"


def page_text(found: Comparison, subjects: tuple[Subject, Subject]) -> str:
    return review_html(page_of(found, Origin("podproof review a b")), found, subjects)


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> tuple[Subject, Subject]:
    """1.32, and a change of it after which a shorter grace period cancels nothing."""
    file = tmp_path_factory.mktemp("change") / "cancels_nothing.py"
    file.write_text(CANCELS_NOTHING)
    return subjects_of("v1.32", str(file))


@pytest.fixture(scope="module")
def found(subjects: tuple[Subject, Subject]) -> Comparison:
    return compare_versions(subjects, scenarios_of(["orphan"]), None, Limits())


@pytest.fixture(scope="module")
def text(found: Comparison, subjects: tuple[Subject, Subject]) -> str:
    return page_text(found, subjects)


def traces_of(text: str) -> dict[str, Any]:
    """The first trace of each name."""
    traces = [trace for scenario in data_of(text)["scenarios"] for trace in scenario["traces"]]
    return {trace["claim"]: trace for trace in reversed(traces)}


def test_a_function_that_the_change_leaves_alone_is_no_news() -> None:
    functions = {
        "podWorkers.UpdatePod": ("DIFFERENT", "in kill_pod_now"),
        "podSyncStatus.IsFinished": ("UNDECIDED", "it takes part in kill_pod_now"),
    }
    told = "0 functions of the Go are EQUAL in every state; `podWorkers.UpdatePod` DIFFERENT (in kill_pod_now)"
    alone = in_short(functions, {"podWorkers.UpdatePod": "changed"})
    assert alone == f"{told}; unchanged, and UNDECIDED: 1."
    undecided = "`podSyncStatus.IsFinished` UNDECIDED (it takes part in kill_pod_now)"
    for changed in (dict.fromkeys(functions, "changed"), None):
        assert in_short(functions, changed) == f"{told}, {undecided}."


@pytest.mark.slow
def test_a_claim_is_told_as_check_tells_it_of_a_change(found: Comparison, text: str) -> None:
    traces = traces_of(text)
    words = {name: trace["status"] for name, trace in traces.items() if trace["ending"]["text"]}
    assert words.pop(CLAIM) == "NEW"
    assert set(words.values()) == {"INHERITED"} and "evictions_are_recorded" in words
    assert "1 claim <" not in text and "1 claim NEW: " in text
    (claim,) = (c for c in found.claims if c.property.id == CLAIM)
    assert [(name, b.state.value) for name, b in claim.baselines] == [("orphan", "NEW")]


@pytest.mark.slow
def test_both_versions_take_the_walk_and_part_where_they_do(found: Comparison, text: str) -> None:
    data, told = data_of(text), traces_of(text)[CLAIM]
    (claim,) = (c for c in found.claims if c.property.id == CLAIM)
    evidence = claim.evidence[1]
    assert evidence is not None
    assert [side["name"] for side in told["sides"]] == ["v1.32", "cancels_nothing"]
    first, second = (data["walks"][side["walk"]] for side in told["sides"])
    events = [step.event for step in evidence.trace.steps]
    assert [step["event"] for step in first["steps"]] == [step["event"] for step in second["steps"]] == events
    assert first["steps"][:-1] == second["steps"][:-1], "the last step tells them apart"
    assert first["steps"][-1] != second["steps"][-1]
    assert told["ending"] == {"wrong": True, "text": "Here cancels_nothing violates it."}
    assert told["false"].startswith("false: ") and "worker.context" in told["reads"]
    shown = CLAIM.replace("_", "_<wbr>")  # On a phone an id breaks between its words.
    link = re.search(rf'<a href="(#/trace/[^"]*)"><code>{shown}</code>', text)
    assert link is not None and link[1] == f"#/trace/orphan/{CLAIM}/{len(events)}"


@pytest.mark.slow
def test_a_run_for_ever_stands_beside_the_one_that_ends(tmp_path: Path) -> None:
    file = tmp_path / "no_retry.py"
    file.write_text(NO_RETRY)
    subjects = subjects_of("v1.29", str(file))
    found = compare_versions(subjects, scenarios_of(["lone-pod"]), None, Limits(), liveness=True)
    text = page_text(found, subjects)
    told = traces_of(text)["terminating_pods_are_terminated"]
    ending = {"wrong": True, "text": "And so on, for ever, in no_retry."}
    assert (told["status"], told["ending"]) == ("lost", ending)
    assert told["reason"] == "In v1.29 the same events do not violate it."
    first, second = (data_of(text)["walks"][side["walk"]] for side in told["sides"])
    assert [step["event"] for step in first["steps"]] == [step["event"] for step in second["steps"]]
    assert "lasso" not in first and second["lasso"]["start"] == len(second["steps"]) - 1
    assert second["lasso"]["blocked"][0].startswith("worker web waits for a token; its retry is gone")


@pytest.mark.slow
def test_a_version_that_cannot_go_on_says_why(tmp_path: Path) -> None:
    file = tmp_path / "keeps.py"
    file.write_text(KEEPS)
    subjects = subjects_of("v1.32", str(file))
    found = compare_versions(subjects, scenarios_of(["orphan"]), None, Limits())
    told = traces_of(page_text(found, subjects))["REMOVE web"]
    assert (told["status"], told["ending"]) == ("they part", {"wrong": False, "text": ""})
    stops = [side["stop"] for side in told["sides"]]
    assert stops[0] == ""
    assert re.fullmatch(r"keeps cannot take it here: require\(.*present\) \(\S*keeps.py:\d+\)", stops[1])
    (walk,) = [walk for walk in walks_of(found, subjects) if walk.name == "REMOVE web"]
    life = forked(walk.runs, walk.parts_at, walk.name, "a claim", "")
    assert life is not None and life.fork is not None
    (row,) = [row for row in life.rows if row.last == len(walk.runs[1].trace.steps) + 1]
    assert f"+ {stops[1]}" in row.changes
    assert not any(life.fork.after[-1].phases) and any(life.rows[-1].after.phases), "its ribbon ends there"


@pytest.mark.slow
def test_every_line_is_in_the_sources_also_those_of_the_change(text: str) -> None:
    data = data_of(text)
    steps = [step for walk in data["walks"] for step in walk["steps"]]
    lines = [line for step in steps for line in (step["line"], *(c["line"] for c in step["changes"])) if line]
    assert lines and all(number <= len(data["sources"][file]["lines"]) for file, number in lines)


@pytest.mark.slow
def test_a_trace_is_copied_as_what_the_commands_take(text: str, subjects: tuple[Subject, Subject]) -> None:
    copies = traces_of(text)[CLAIM]["copies"]
    texts = {name: "\n".join(copied) for name, copied in copies.items() if name != "JSON"}
    assert list(copies) == ["Mermaid", "Command", "JSON", "Go test"]
    assert texts["Command"].startswith("podproof explore --model ") and "--walk" in texts["Command"]
    assert texts["Mermaid"].startswith("sequenceDiagram\n")
    assert "func TestTerminationsCancelTheSyncCall(t *testing.T)" in texts["Go test"]
    jsonschema.validate(copies["JSON"], json.loads(schema_text()))
    (result,) = copies["JSON"]["results"]
    session = Session(subjects[1], subjects[1].scenarios[result["scenario"]])
    opened = session.opened(json.dumps(copies["JSON"]), "trace.json")
    (claim,) = result["properties"]
    assert claim["id"] == CLAIM and len(opened["moves"]) == len(claim["trace"]) and "stops" not in opened["note"]


@pytest.mark.slow
def test_the_same_comparison_gives_the_same_page(
    found: Comparison, subjects: tuple[Subject, Subject], text: str
) -> None:
    assert page_text(found, subjects) == text


def test_it_needs_nothing_else_and_escapes_everything(text: str) -> None:
    refuse_strangers(text)
    nasty = html_page(nasty_page())
    refuse_strangers(nasty)
    assert Elements(nasty).tags.count("script") == 1 + len(SCRIPTS), "the data and its own"
    assert nasty.count("<svg") == 1 and "stroke-dasharray" not in nasty.split("</svg>")[1]


@pytest.mark.parametrize("claim", [CLAIM, "grace_period_reaches_the_kill"])
def test_the_fork_shows_each_versions_phases(claim: str, found: Comparison, subjects: tuple[Subject, Subject]) -> None:
    """Read back from the picture: one ribbon as long as both do the same, then the phases of each."""
    walk = next(walk for walk in walks_of(found, subjects) if walk.name == claim)
    life = forked(walk.runs, walk.parts_at, claim, "a claim", "")
    assert life is not None and life.fork is not None
    picture = Picture(draw(life_dot(life), "svg").decode())
    check_texts(picture)
    check_colours(picture)
    check_rows(picture, max(len(run.trace.steps) for run in walk.runs))
    names = {fill: what for what, fill in FILLS.items() if what not in ("preStop", "SIGTERM")}
    seen = set()
    for (first, last), y in picture.rows.items():
        for side, run in zip(("old", "new"), walk.runs, strict=True):
            drawn = picture.at("phase pod0" + (f" {side}" if first >= walk.parts_at else ""), y)
            states = run.trace.states
            phase = phase_in(run.system, states[last], life.pods[0].uid) if last < len(states) else ""
            assert (names[drawn.fill] if drawn else "") == phase, (claim, last, side)
            seen.add((side, first >= walk.parts_at))
    assert len(seen) == 4
    told = life_mermaid(life)
    messages = re.findall(r"^    \w\d(?:-?->>|-x)\w\d: ", told, re.MULTILINE)
    assert len(messages) == sum(row.kind != "restart" for row in life.rows)
    assert len(re.findall(r"^    (?:rect|loop)\b", told, re.MULTILINE)) == len(
        re.findall(r"^    end$", told, re.MULTILINE)
    )
    apart = {row.after.phases + other.phases for row, other in zip(life.rows, life.fork.after[1:], strict=True)}
    for old, new in ((old, new) for old, new in apart if old != new):
        assert f"{old or 'no status'}<br/>+ {new or 'no status'}" in told
