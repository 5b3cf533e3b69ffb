"""Pictures of counterexamples and diagrams of states, with and without an installed Graphviz."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.miniature import (
    ADD,
    FINISHED,
    STATUS,
    exploration,
    graph,
    project,
    small_diagram,
    system,
    trace,
    two_scenarios,
    violated,
)

from podproof.checker.core.system import CheckerError, Property, Status, Verdict
from podproof.reports.layout import wrap_names
from podproof.reports.pictures.diagram import Caption, render
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.trace import trace_dot, write_trace_pictures
from podproof.reports.projection import MOST_EDGES, fields_of

Golden = Callable[[str, str], None]


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
    assert "5 → 30" in svg and "with grace period" in svg and "never grows" in svg
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
    with pytest.raises(CheckerError, match="podproof explain fields"):
        fields_of(system("web"), [])


def large(by: Sequence[str]) -> str:
    """The refusal of a graph with one state for each choice of grace period, position and phase."""
    of = system("web")
    nodes = []
    for grace in range(20):
        for position in range(4):
            state = list(of.initial[0])
            state[of.index(STATUS + "grace_period")] = grace
            state[of.index("workers[0][0].position")] = position
            state[of.index(STATUS + "terminating_at")] = grace % 2
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
    indices = [of.index(STATUS + p) if STATUS + p in of.positions else of.index(f"{p}[0]") for p in paths[:6]]
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


def test_names_are_broken_between_their_parts() -> None:
    assert wrap_names("SyncTerminatingPod", 12) == ["Sync", "Terminating", "Pod"]
