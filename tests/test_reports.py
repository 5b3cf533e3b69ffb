"""Reports say what happened, shortly and the same way every time."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from podproof.checker.graph import Graph, Line
from podproof.checker.system import (
    Action,
    ActionCount,
    Change,
    CheckerError,
    Exploration,
    Parameter,
    Property,
    State,
    StateGraph,
    Status,
    Step,
    System,
    Trace,
    Variable,
    Verdict,
)
from podproof.reports.layout import Style
from podproof.reports.machine import check_json
from podproof.reports.pictures.diagram import Caption, render
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.picture import trace_dot, write_trace_pictures
from podproof.reports.pictures.projection import MOST_EDGES, Projection, fields_of, projection_of
from podproof.reports.summary import exit_code, overall
from podproof.reports.text import Wanted, check_text
from podproof.reports.wording import Wording

Golden = Callable[[str, str], None]
NIL = {-1: "nil"}
UPDATE_TYPES = dict(enumerate(("sync", "update", "create", "kill")))
POSITIONS = dict(enumerate(("no goroutine", "spawned", "SyncPod", "SyncTerminatingPod")))

STATUS: Sequence[tuple[str, int, int, Mapping[int, str]]] = (
    ("present", 0, 1, {}),
    ("full_name", -1, 0, {-1: "nil", 0: "web_default"}),
    ("working", 0, 1, {}),
    ("pending_update.present", 0, 1, {}),
    ("pending_update.update_type", 0, 3, UPDATE_TYPES),
    ("pending_update.pod.deletion_grace_period_seconds", -1, 30, NIL),
    ("pending_update.kill_pod_options.present", 0, 1, {}),
    ("terminating_at", 0, 1, {}),
    ("grace_period", 0, 30, {}),
    ("finished", 0, 1, {}),
)


def variables(pods: int) -> Iterable[Variable]:
    for pod in range(pods):
        for name, low, high, labels in STATUS:
            is_bool = (low, high) == (0, 1) and not labels
            yield Variable(f"pod_sync_statuses[{pod}].{name}", is_bool, low, high, labels)
        yield Variable(f"workers[{pod}][0].position", False, 0, 3, POSITIONS)
        yield Variable(f"workers[{pod}][0].grace_period", False, -1, 30, NIL)
        yield Variable(f"work_queue[{pod}]", True, 0, 1)
    yield Variable("completed_channels[0]", False, 0, 2, {0: "none", 1: "open", 2: "closed"})
    yield Variable("budget.deletions", False, 0, 2)


def action(name: str, label: str, pods: Sequence[str], *parameters: Parameter) -> Action:
    uid = Parameter("uid", False, tuple(range(len(pods))), dict(enumerate(pods)))
    return Action(name, "sync loop", label, (uid, *parameters), Line("model/kubelet.py", 40), print, dict)


def system(*pods: str, scenario: str = "one-pod") -> System:
    """A pod worker in miniature."""
    every = tuple(variables(len(pods)))
    start = tuple(v.low if "nil" in v.labels.values() else 0 for v in every)
    grace = Parameter("grace", False, (0, 5))
    killer = Parameter("killer", False, (0, 1), {0: "hard eviction", 1: "node shutdown"})
    return System(
        name=f"v1.29/{scenario}",
        version="v1.29",
        environment="kubelet",
        scenario=scenario,
        bounds="1 pod: 1 ADD, 2 deletions, no restart",
        variables=every,
        initial=(start,),
        actions=(
            action("add", "ADD {uid}", pods),
            action("delete", "UPDATE {uid}: deleted with grace period {grace}", pods, grace),
            action("kill", "killPodNow({uid}): {killer}", pods, killer),
            action("sync", "worker {uid}: startPodSync", pods),
            action("forget", "SyncKnownPods", pods),
        ),
        graph=Graph(),
        transitions=(),
        build=cast(Any, None),
        flatten=cast(Any, None),
        encode=cast(Any, None),
        record_lines=cast(Any, None),
        shape=cast(Any, None),
        constants={},
        scope=cast(Any, None),
    )


def trace(of: System, *steps: tuple[str, str, Mapping[str, int]]) -> Trace:
    """A trace from (action, event, what it sets by path); every change comes from a line of its own."""
    state, out = of.initial[0], list[Step]()
    for name, event, sets in steps:
        changes, after = list[Change](), list(state)
        for number, (path, value) in enumerate(sets.items(), 10 * (len(out) + 1)):
            i = of.index(path)
            shown = of.variables[i].show
            line = Line("model/pod_workers.py", number)
            changes.append(Change(path, shown(state[i]), shown(value), line))
            after[i] = value
        state = tuple(after)
        out.append(Step(name, "sync loop", event, {"uid": "web"}, tuple(changes), Line("model/kubelet.py", 40), state))
    return Trace(of.initial[0], tuple(out))


P = "pod_sync_statuses[0]."
ADD = {
    P + "present": 1,
    P + "full_name": 0,
    P + "working": 1,
    P + "pending_update.present": 1,
    P + "pending_update.update_type": 2,
    "workers[0][0].position": 1,
}
DELETE_5 = {
    P + "terminating_at": 1,
    P + "grace_period": 5,
    P + "pending_update.update_type": 1,
    P + "pending_update.pod.deletion_grace_period_seconds": 5,
    P + "pending_update.kill_pod_options.present": 1,
    "budget.deletions": 1,
}
DELETE_0 = {
    P + "grace_period": 30,
    P + "pending_update.pod.deletion_grace_period_seconds": 0,
    "budget.deletions": 0,
}
GRACE = Property("grace_period_only_decreases", "step", "The grace period of a terminating pod never grows.")
FINISHED = Property("finished_is_forever", "always", "A finished pod stays finished until SyncKnownPods forgets it.")
SEEN = Property("a_pod_finishes", "sometimes", "A pod gets through SyncTerminatedPod.")
UNSEEN = Property("a_static_pod_waits", "sometimes", "A static pod waits for another of its name.")


def grace_grows(of: System, detour: int = 0) -> Trace:
    """Deleted with grace 5, then 0, which the older rule mistakes for none; with `detour` idle steps before."""
    idle = (("sync", "worker web: startPodSync", {"work_queue[0]": 1}), ("sync", "SYNC web", {"work_queue[0]": 0}))
    return trace(
        of,
        ("add", "ADD web", ADD),
        *(idle[i % 2] for i in range(detour)),
        ("delete", "UPDATE web: deleted with grace period 5", DELETE_5),
        ("delete", "UPDATE web: deleted with grace period 0", DELETE_0),
    )


def exploration(of: System, *verdicts: Verdict, **fields: Any) -> Exploration:
    plain = Exploration(
        system=of,
        engine="compiled",
        complete=True,
        reason="",
        states=68_123,
        transitions=412_345,
        depth=20,
        seconds=1.25,
        peak_bytes=4_000_000,
        actions={"add": ActionCount(9, 4), "delete": ActionCount(1200, 777), "kill": ActionCount(0, 0)},
        bounds_hit={"waiting static pods": 3},
        reductions=("2 of 12 variables dropped: no claim and no guard reads them",),
        verdicts=verdicts,
    )
    return replace(plain, **fields)


def violated(of: System, detour: int = 0) -> Verdict:
    return Verdict(GRACE, Status.VIOLATED, "after 3 steps, shortest", grace_grows(of, detour))


def two_scenarios() -> list[Exploration]:
    one, pair = system("web"), system("web", "other", scenario="static-pair")
    finishes = trace(one, ("add", "ADD web", ADD), ("sync", "worker web: startPodSync", {P + "finished": 1}))
    return [
        exploration(
            one,
            Verdict(FINISHED, Status.HOLDS, "in every reachable state"),
            violated(one),
            Verdict(SEEN, Status.HOLDS, "seen after 2 steps", finishes),
            Verdict(UNSEEN, Status.VIOLATED, "no reachable state is like this"),
        ),
        exploration(
            pair,
            violated(pair, detour=2),
            Verdict(FINISHED, Status.UNKNOWN, "not violated so far; stopped at depth 9 (--max-depth)"),
            Verdict(SEEN, Status.UNKNOWN, "not seen yet; stopped at depth 9 (--max-depth)"),
            complete=False,
            reason="stopped at depth 9 (--max-depth)",
        ),
    ]


WANTED = Wanted(
    sources={GRACE.id: "calculateEffectiveGracePeriod in pkg/kubelet/pod_workers.go"},
    replay=lambda e, v: f"podproof check --scenario {e.system.scenario} --property {v.property.id}",
)


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
    text = check_text(two_scenarios(), Wanted(stats=True), Style(width=width))
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


def test_the_exit_code_says_violated_before_undecided_before_all_holds() -> None:
    of = system("web")
    holds = Verdict(FINISHED, Status.HOLDS, "")
    unknown = Verdict(SEEN, Status.UNKNOWN, "not seen yet")
    assert exit_code([exploration(of, holds)]) == 0
    assert exit_code([exploration(of, holds, unknown)]) == 4
    assert exit_code([exploration(of, holds, unknown, violated(of))]) == 1
    assert exit_code([exploration(of, holds, interrupted=True)]) == 130


def test_with_one_pod_names_go_without_it() -> None:
    wording = Wording(system("web"))
    assert wording.name("pod_sync_statuses[0].grace_period") == "grace_period"
    assert wording.name("pod_sync_statuses[0].present") == "status"
    assert wording.name("workers[0][0].position") == "worker.position"
    assert wording.name("work_queue[0]") == "work_queue"


def test_with_two_pods_every_name_says_whose_it_is() -> None:
    wording = Wording(system("old", "new"))
    assert wording.name("pod_sync_statuses[1].grace_period") == "new.grace_period"
    assert wording.name("workers[0][0].position") == "old.worker.position"
    assert wording.name("work_queue[1]") == "work_queue[new]"
    assert wording.name("completed_channels[0]") == "completed_channels"


def facts_of(*steps: tuple[str, str, Mapping[str, int]]) -> list[str]:
    of = system("web")
    found = trace(of, *steps)
    return [str(fact) for fact in list(Wording(of).walk(found.initial, found.steps))[-1][1]]


def test_a_pointer_is_one_fact_with_what_it_points_to() -> None:
    steps = (("add", "ADD web", ADD), ("delete", "UPDATE web", DELETE_5))
    assert facts_of(*steps) == ["terminating_at ← set", "grace_period ← 5", "pending_update ← update (deletionGrace=5)"]


def test_a_pointer_set_to_nil_hides_the_fields_it_had() -> None:
    gone = {P + "pending_update.present": 0, P + "pending_update.update_type": 0}
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
    text = check_json(two_scenarios(), {"name": "podproof", "version": "1"}, WANTED.replay)
    document = json.loads(text)
    assert document["schemaVersion"] == "podproof/1"
    result = document["results"][0]
    required = "version environment scenario engine complete states transitions depth exploreSeconds peakBytes"
    assert {*required.split(), "actionsNeverTaken", "properties"} <= result.keys()
    last = result["properties"][1]["trace"][-1]
    assert {"action", "actor", "parameters", "changed", "source"} <= last.keys()
    assert last["changed"][P + "grace_period"] == [5, 30]
    golden("report-check.json", text)


def test_reports_of_the_same_result_are_the_same_bytes() -> None:
    first, second = two_scenarios(), two_scenarios()
    assert check_text(first, WANTED) == check_text(second, WANTED)
    assert trace_dot(first[0], first[0].verdicts[1]) == trace_dot(second[0], second[0].verdicts[1])


def test_a_trace_is_drawn_as_states_events_and_the_claim(golden: Golden) -> None:
    result = two_scenarios()[0]
    golden("report-trace.dot", trace_dot(result, result.verdicts[1]))


def without_dot(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    monkeypatch.setenv("PATH", str(directory))


def test_every_violation_is_written_as_dot_and_svg_without_graphviz(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_dot(monkeypatch, tmp_path)
    of = system("web")
    result = exploration(of, violated(of, detour=9), Verdict(FINISHED, Status.HOLDS, ""))
    written = write_trace_pictures(result, tmp_path / "pictures")
    stem = "v1.29-one-pod-grace_period_only_decreases"
    assert [path.name for path in written] == [f"{stem}.dot", f"{stem}.svg"]
    svg = written[1].read_text()
    assert "5 → 30" in svg and "deleted with" in svg and "never grows" in svg
    assert written[1].read_bytes() == write_trace_pictures(result, tmp_path / "again")[1].read_bytes()


def test_an_installed_dot_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho drawn with $1\n")
    program.chmod(0o755)
    without_dot(monkeypatch, tmp_path)
    assert render(small_diagram(), "svg", Caption("podproof diagram")) == b"drawn with -Tsvg\n"


def test_an_installed_dot_that_reads_nothing_does_not_end_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line leaves SIGPIPE to the system, which would end this process without a word."""
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nexec 0<&-\necho drawn\n")
    program.chmod(0o755)
    without_dot(monkeypatch, tmp_path)
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        assert draw(f"digraph {{ {'a; ' * 100_000} }}", "svg") == b"drawn\n"
    finally:
        signal.signal(signal.SIGPIPE, before)


def test_markup_in_a_claim_or_an_event_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_dot(monkeypatch, tmp_path)
    of = system("web")
    strange = r'a < b && "c" \n &lt; <b>x</b> \G'
    told = trace(of, ("add", strange, ADD))
    claim = Property("<TABLE>", "always", f"{strange}.")
    result = exploration(of, Verdict(claim, Status.VIOLATED, "", told))
    svg = write_trace_pictures(result, tmp_path)[1].read_text()
    lines = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    assert any("&lt;TABLE&gt;" in line for line in lines)
    shown = " ".join(line.replace("&#45;", "-") for line in lines)
    assert r"a &lt; b &amp;&amp; &quot;c&quot; \n &amp;lt; &lt;b&gt;x&lt;/b&gt; \G." in shown


def graph() -> tuple[System, list[State], list[tuple[int, int, str]]]:
    """Three states: start, added, and terminating with one of two grace periods."""
    of = system("web")
    steps = grace_grows(of).steps
    nodes = [of.initial[0], *(step.state for step in steps)]
    actions = ["delete", "delete", "kill", "sync", "forget"]
    return of, nodes, [(0, 1, "add"), *((1, 2, name) for name in actions), (2, 3, "delete"), (3, 0, "forget")]


def project(of: System, nodes: Sequence[State], edges: Sequence[tuple[int, int, str]], by: Sequence[str]) -> Projection:
    """What a diagram shows of a state graph written out: `edges` are (row in `nodes`, row in `nodes`, action name)."""
    fields = fields_of(of, by)
    keys = [tuple(state[field.position] for field in fields) for state in nodes]
    rows = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    counts = [keys.count(key) for key in rows]
    found: dict[tuple[int, int], dict[str, int]] = {}
    for source, target, action in edges:
        ends = rows[keys[source]], rows[keys[target]]
        if ends[0] != ends[1]:
            events = found.setdefault(ends, {})
            events[action] = events.get(action, 0) + 1
    initial = {rows[tuple(state[field.position] for field in fields)] for state in of.initial}
    by_variable = tuple(field.variable for field in fields)
    states = StateGraph(of, by_variable, tuple(rows), tuple(counts), tuple(sorted(initial)), found, True)
    return projection_of(states, fields)


def small_diagram() -> Any:
    of, nodes, edges = graph()
    return project(of, nodes, edges, ["present", "terminating_at", "worker.position"])


def test_states_alike_in_the_fields_are_one_node() -> None:
    projection = small_diagram()
    assert [projection.graph.nodes[node]["states"] for node in projection.nodes()] == [1, 1, 2]
    assert [projection.label(node) for node in projection.nodes()] == [
        "no goroutine",
        "status, spawned",
        "status, terminating_at, spawned",
    ]


def test_parallel_edges_are_one_with_at_most_three_events() -> None:
    _, _, events = small_diagram().edges()[1]
    assert events.split("\n") == [
        "UPDATE web: deleted with grace period …",
        "SyncKnownPods",
        "killPodNow(web): …",
        "+1 more",
    ]


@pytest.mark.parametrize("form", ["dot", "mermaid"])
def test_a_diagram_names_version_scenario_and_command(form: str, golden: Golden) -> None:
    caption = Caption("podproof diagram --by present,terminating_at,worker.position")
    golden(f"report-diagram.{form}", render(small_diagram(), form, caption).decode())


def test_a_diagram_is_drawn_without_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_dot(monkeypatch, tmp_path)
    svg = render(small_diagram(), "svg", Caption("podproof diagram")).decode()
    assert svg.count('class="node"') == 3 and svg.count('class="edge"') == 3
    png = render(small_diagram(), "png", Caption("podproof diagram"))
    assert png.startswith(b"\x89PNG") and len(png) > 10_000


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(CheckerError, match="dot, svg, png, mermaid"):
        render(small_diagram(), "pdf", Caption("podproof diagram"))


def test_a_misspelt_field_is_refused_with_the_one_meant() -> None:
    of, nodes, edges = graph()
    with pytest.raises(CheckerError, match="no field 'finishd'; did you mean 'finished'"):
        project(of, nodes, edges, ["finishd"])


def test_a_diagram_by_no_field_is_refused() -> None:
    with pytest.raises(CheckerError, match="podproof list fields"):
        fields_of(system("web"), [])


def large(by: Sequence[str]) -> str:
    """The refusal of a graph with one state for each choice of grace period, position and phase."""
    of = system("web")
    nodes = []
    for grace in range(20):
        for position in range(4):
            state = list(of.initial[0])
            state[of.index(P + "grace_period")] = grace
            state[of.index("workers[0][0].position")] = position
            state[of.index(P + "terminating_at")] = grace % 2
            nodes.append(tuple(state))
    edges = [(i, j, "sync") for i in range(len(nodes)) for j in (i + 1, i + 4) if j < len(nodes)]
    with pytest.raises(CheckerError) as refused:
        project(of, nodes, edges, by)
    for kept in re.findall(r"--by (\S+)$", str(refused.value)):
        assert project(of, nodes, edges, kept.split(",")).graph.number_of_edges() <= MOST_EDGES
    return str(refused.value)


def test_a_large_diagram_is_refused_with_the_fields_to_leave_out() -> None:
    message = large(["grace_period", "worker.position", "terminating_at"])
    assert "has 155 edges; more than 60 cannot be read" in message
    assert "without grace_period: 16" in message and "without terminating_at: 155" in message


def test_where_no_single_field_is_enough_several_are_named() -> None:
    of = system("web")
    paths = ["present", "working", "terminating_at", "finished", "work_queue", "completed_channels", "grace_period"]
    indices = [of.index(P + p) if P + p in of.positions else of.index(f"{p}[0]") for p in paths[:6]]
    nodes = []
    for number in range(64):
        state = list(of.initial[0])
        for bit, i in enumerate(indices):
            state[i] = number >> bit & 1
        nodes.append(tuple(state))
    edges = [(i, i ^ (1 << bit), "sync") for i in range(64) for bit in range(6)]
    with pytest.raises(CheckerError) as refused:
        project(of, nodes, edges, paths[:6])
    kept = re.findall(r"--by (\S+)$", str(refused.value))
    assert project(of, nodes, edges, kept[0].split(",")).graph.number_of_edges() <= MOST_EDGES
