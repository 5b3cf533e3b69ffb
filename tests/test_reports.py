"""Reports say what happened, shortly and the same way every time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from tests.miniature import (
    ADD,
    DELETE_5,
    FINISHED,
    GRACE,
    SEEN,
    STATUS,
    UNSEEN,
    exploration,
    system,
    trace,
    two_scenarios,
    violated,
)
from tests.rendered import check_text

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.content.check import TextOptions
from podproof.reports.content.verdicts import check_answer
from podproof.reports.judgement import judge
from podproof.reports.layout import Detail, Style
from podproof.reports.pictures.trace import trace_dot
from podproof.reports.render.json import answer_data, json_text
from podproof.reports.state_text import StateText
from podproof.reports.summary import overall

Golden = Callable[[str, str], None]
WANTED = TextOptions(
    sources={GRACE.id: "calculateEffectiveGracePeriod in pkg/kubelet/pod_workers.go"},
    replay=lambda e, v: f"podproof check --scenario {e.system.scenario} --property {v.property.id}",
)
GLANCE = replace(WANTED, at_a_glance=True)


def test_a_check_reads_as_verdicts_stories_and_how_far_to_trust_them(golden: Golden) -> None:
    golden("report-check.txt", check_text(two_scenarios(), WANTED))


def test_statistics_are_shown_only_when_asked_for(golden: Golden) -> None:
    plain, full = check_text(two_scenarios(), WANTED), check_text(two_scenarios(), replace(WANTED, stats=True))
    assert "MiB" not in plain and " s," not in plain
    golden("report-check-stats.txt", full)


def test_a_claim_violated_twice_is_told_once_where_it_is_shortest() -> None:
    text = check_text(two_scenarios()[::-1], WANTED)
    assert text.count("replay:") == 1
    assert "5 steps, shortest; a shortest trace is shown under one-pod" in text


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_line_is_wider_than_asked(width: int) -> None:
    text = check_text(two_scenarios(), TextOptions(stats=True), Style(width=width))
    assert max(map(len, text.splitlines())) <= width


def test_without_colour_a_report_says_the_same() -> None:
    colored = check_text(two_scenarios(), WANTED, Style(color=True))
    plain = check_text(two_scenarios(), WANTED)
    assert colored != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_a_claim_must_hold_everywhere_and_a_witness_be_seen_somewhere() -> None:
    statuses = overall(two_scenarios())
    assert statuses[SEEN.id] is Status.HOLDS
    assert statuses[FINISHED.id] is Status.UNKNOWN
    assert statuses[UNSEEN.id] is Status.VIOLATED


def code(explorations: Sequence[Exploration]) -> int:
    return judge(explorations).code


def test_the_exit_code_says_violated_before_undecided_before_all_holds() -> None:
    of = system("web")
    holds = Verdict(FINISHED, Status.HOLDS, "")
    unknown = Verdict(SEEN, Status.UNKNOWN, "not seen yet")
    assert code([exploration(of, holds)]) == 0
    assert code([exploration(of, holds, unknown)]) == 4
    assert code([exploration(of, holds, unknown, violated(of))]) == 1
    assert code([exploration(of, holds, interrupted=True)]) == 130


def test_with_one_pod_names_go_without_it() -> None:
    state_text = StateText(system("web"))
    assert state_text.name("pod_sync_statuses[0].grace_period") == "grace_period"
    assert state_text.name("pod_sync_statuses[0].present") == "status"
    assert state_text.name("workers[0][0].position") == "worker.position"
    assert state_text.name("work_queue[0]") == "work_queue"


def test_with_two_pods_every_name_says_whose_it_is() -> None:
    state_text = StateText(system("old", "new"))
    assert state_text.name("pod_sync_statuses[1].grace_period") == "new.grace_period"
    assert state_text.name("workers[0][0].position") == "old.worker.position"
    assert state_text.name("work_queue[1]") == "work_queue[new]"
    assert state_text.name("completed_channels[0]") == "completed_channels"


def facts_of(*steps: tuple[str, str, Mapping[str, int]]) -> list[str]:
    of = system("web")
    found = trace(of, *steps)
    return [str(fact) for fact in list(StateText(of).walk(found.initial, found.steps))[-1][1]]


def test_a_pointer_is_one_fact_with_what_it_points_to() -> None:
    steps = (("add", "ADD web", ADD), ("delete", "UPDATE web", DELETE_5))
    assert facts_of(*steps) == ["terminating_at ← set", "grace_period ← 5", "pending_update ← update (deletionGrace=5)"]


def test_a_pointer_set_to_nil_hides_the_fields_it_had() -> None:
    gone = {STATUS + "pending_update.present": 0, STATUS + "pending_update.update_type": 0}
    assert facts_of(("add", "ADD web", ADD), ("sync", "startPodSync", gone)) == ["pending_update ← nil"]


def test_a_status_removed_hides_the_fields_it_had() -> None:
    assert facts_of(("add", "ADD", ADD), ("forget", "SyncKnownPods", dict.fromkeys(ADD, 0))) == [
        "status ← removed",
        "worker.position ← no goroutine",
    ]


def test_a_workers_locals_are_told_when_set_and_not_when_reset() -> None:
    begun = ("sync", "startPodSync", {"workers[0][0].position": 3, "workers[0][0].grace_period": 5})
    over = ("sync", "returns", {"workers[0][0].position": 0, "workers[0][0].grace_period": -1})
    assert facts_of(begun) == ["worker.position ← SyncTerminatingPod", "worker.grace_period ← 5"]
    assert facts_of(begun, over) == ["worker.position ← no goroutine"]


def test_the_environments_books_are_shown_where_nothing_else_changed() -> None:
    assert facts_of(("delete", "UPDATE web", {"budget.deletions": 1})) == ["budget.deletions ← 1"]


def test_json_has_every_field_of_the_schema(golden: Golden) -> None:
    data = answer_data(check_answer(two_scenarios(), WANTED.replay))
    text = json_text(data | {"tool": {"name": "podproof", "version": "1"}})
    document = json.loads(text)
    assert document["schemaVersion"] == "podproof/1"
    result = document["results"][0]
    required = "version environment scenario engine complete states transitions depth exploreSeconds peakBytes"
    assert {*required.split(), "actionsNeverTaken", "properties"} <= result.keys()
    last = result["properties"][1]["trace"][-1]
    assert {"action", "actor", "parameters", "changed", "source"} <= last.keys()
    assert last["changed"][STATUS + "grace_period"] == [5, 30]
    golden("report-check.json", text)


def test_reports_of_the_same_result_are_the_same_bytes() -> None:
    first, second = two_scenarios(), two_scenarios()
    assert check_text(first, WANTED) == check_text(second, WANTED)
    assert trace_dot(first[0], first[0].verdicts[1]) == trace_dot(second[0], second[0].verdicts[1])


# -- several scenarios at a glance -------------------------------------------------------------------------------------


def known_in(*scenarios: str) -> list[Exploration]:
    """The two scenarios; that the grace period grows is known in these."""
    known = Baseline("v1.29", BaselineState.KNOWN, "kubernetes/kubernetes#115819: 0 is taken for none")

    def told(e: Exploration, v: Verdict) -> Verdict:
        return replace(v, baseline=known) if v.property == GRACE and e.system.scenario in scenarios else v

    return [replace(e, verdicts=tuple(told(e, v) for v in e.verdicts)) for e in two_scenarios()]


def test_several_scenarios_are_sentences_and_what_is_not_known_is_told(golden: Golden) -> None:
    golden("report-check-glance.txt", check_text(two_scenarios(), GLANCE))


def test_what_is_known_has_two_lines_and_no_story() -> None:
    text = check_text(known_in("one-pod", "static-pair"), GLANCE)
    (line,) = (line for line in text.splitlines() if GRACE.id in line)
    assert line.strip() == f"{GRACE.id}: 3 steps in one-pod and static-pair; known: #115819"
    assert "2 VIOLATED (a_static_pod_waits; 1 known)" in check_text([known_in("one-pod")[0]], GLANCE)
    assert "replay:" in check_text(known_in("one-pod", "static-pair"), replace(GLANCE, asked=[GRACE.id]))
    partly = check_text(known_in("one-pod"), GLANCE)
    (line,) = (line for line in partly.splitlines() if f"{GRACE.id}: " in line)
    assert "known" not in line
    assert "replay: podproof check --scenario static-pair" in partly


def test_with_v_and_of_one_scenario_everything_is_told() -> None:
    assert check_text(two_scenarios()[:1], GLANCE) == check_text(two_scenarios()[:1], WANTED)
    full = Style(detail=Detail.FULL)
    table, told = check_text(two_scenarios(), GLANCE, full), check_text(two_scenarios(), WANTED, full)
    assert table.endswith(told) and f"  {GRACE.id}  ✗3  ✗5\n" in table.removesuffix(told)


def test_what_comes_next_names_claims_by_number() -> None:
    of = known_in("one-pod", "static-pair")
    numbered = replace(
        GLANCE,
        called=lambda id: "7" if id == GRACE.id else id,
        shown_by=lambda e, v: f"podproof check --scenario {e.system.scenario} --property {v.property.id[:5]}",
        walked_by=lambda e, v: f"podproof explore --scenario {e.system.scenario}" if v.trace is not None else "",
        then=[("podproof review main...HEAD", "is a change worse?")],
    )
    text = check_text(of, numbered)
    assert f"\n   7  {GRACE.meaning}" in text or "\n   7  violated: " in text
    end = text[text.index("\nNext") :]
    assert "podproof review main...HEAD" in end and "--scenario one-pod --property grace" in end
    # A claim of the user's own has no number, and is explained only with its file.
    unnumbered = check_text(of, replace(numbered, called=str))
    assert "podproof explain 7 " in end and "Next  podproof check" in unnumbered
    assert "podproof explore" not in end  # It has no trace.
    traced = check_text(two_scenarios(), replace(numbered, walked_by=lambda e, v: f"explore {e.system.scenario}"))
    assert re.search(r"^ +explore one-pod +step through it in the browser$", traced, re.MULTILINE)


@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize("width", [72, 80, 120])
def test_an_id_is_never_broken(width: int, detail: Detail) -> None:
    text = check_text(two_scenarios(), GLANCE, Style(width=width, detail=detail))
    ids = {v.property.id for e in two_scenarios() for v in e.verdicts}
    for id in ids:
        assert text.count(id) == "".join(line.strip() for line in text.splitlines()).count(id)
