"""The page of --report-dir: what its data says, and that it is one harmless file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run_v1_29
from tests.page_samples import MARKUP, content, found, graph_of, hostile_content, maps

from podproof.checker.core.system import Status
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.exploring import Session
from podproof.queries.page import model_sources
from podproof.queries.walks import moves_in
from podproof.reports.actors import LANES
from podproof.reports.page.build import SCRIPTS, json_in_html, page
from podproof.reports.page.maps import map_data, map_svg
from podproof.reports.page.table import left_open, rows_of, trust_of
from podproof.reports.page.walk import sources_data, system_data, walk_data
from podproof.reports.state_text import StateText


class Elements(HTMLParser):
    """What elements and attributes a page has, and the text of each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open = tag if tag in self.texts else ""
        if self._open:
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open][-1] += data


def data_of(text: str) -> Any:
    return json.loads(Elements(text).texts["script"][0])


@pytest.fixture(scope="module")
def text() -> str:
    return page(content("orphan"))


def test_a_walk_says_what_the_text_report_says_and_leads_to_the_same_states() -> None:
    exploration = found("orphan")
    state_text = StateText(exploration.system)
    (trace,) = (v.trace for v in exploration.verdicts if v.property.id == "grace_period_reaches_the_kill")
    assert trace is not None
    walk = walk_data(state_text, trace)
    values = dict(enumerate(walk["start"]))
    for step, told, (_, facts) in zip(
        trace.steps, walk["steps"], state_text.walk(trace.initial, trace.steps), strict=True
    ):
        values |= {int(item): value for item, value in told["values"].items()}
        assert told["event"] == step.event
        assert [change["item"] for change in told["changes"]] == [state_text.items.index(fact.item) for fact in facts]
        for i, item in enumerate(state_text.items):
            assert values[i][1] == item.is_zero(step.state)
            if item.kind != "entry":
                assert values[i][0] == item.text(step.state)
    assert {LANES[step["lane"]] for step in walk["steps"]} >= {"sync loop", "worker"}
    assert {item["group"] for item in system_data(state_text)["items"]} == {"pod", "worker", "surroundings"}


def test_a_change_from_nothing_has_no_value_before() -> None:
    exploration = found("orphan")
    state_text = StateText(exploration.system)
    (trace,) = (v.trace for v in exploration.verdicts if v.property.id == "grace_period_only_decreases")
    assert trace is not None
    items = system_data(state_text)["items"]
    changes = [change for step in walk_data(state_text, trace)["steps"] for change in step["changes"]]
    grace = [(c["before"], c["after"]) for c in changes if items[c["item"]]["name"] == "grace_period"]
    assert grace[0][0] == "" and grace[-1][0] == grace[-2][1] != ""


def test_every_line_of_a_walk_is_in_the_sources(text: str) -> None:
    data = data_of(text)
    lines = [
        line
        for walk in data["walks"]
        for step in walk["steps"]
        for line in [step["line"], *(change["line"] for change in step["changes"])]
        if line is not None
    ]
    assert lines
    for file, number in lines:
        assert 1 <= number <= len(data["sources"][file]["lines"])
    assert set(data["sources"]) == {file for file, _ in lines}, "no file is there for nothing"


def test_sources_know_their_functions_inner_ones_last() -> None:
    functions = sources_data({"a.py": "def f():\n    def g():\n        pass\n\n\ndef h(): pass\n"})["a.py"]["functions"]
    assert functions == [[1, 3, "f"], [2, 3, "g"], [6, 6, "h"]]


def test_the_lines_of_sources_are_pythons_own() -> None:
    text = "\x0cx = '\u2028'\n\n\ndef f():\n    pass\n"
    (source,) = sources_data({"a.py": text}).values()
    assert source["functions"] == [[4, 5, "f"]]
    assert source["lines"][3:] == ["def f():", "    pass"]


def test_a_name_that_is_no_utf_8_can_be_written() -> None:
    text = page(replace(content("lone-pod"), subject="\udcff"))
    assert text.encode() and data_of(text)["subject"] == r"\udcff"


def test_the_sources_of_a_model_file_are_those_of_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "quiet.py"
    file.write_text("from podproof.model.versions import V1_29\n\n\nclass Quiet(V1_29):\n    pass\n")
    sources = model_sources(subject_of("v1.29", file))
    assert sources["quiet.py"] == file.read_text()
    assert "model/pod_workers.py" in sources


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["orphan", "static-waiting"])
def test_each_way_is_a_shortest_run_to_its_node(scenario: str) -> None:
    graph, ways = graph_of(scenario)
    for made in maps(scenario):
        for number, way in enumerate(made.ways):
            nodes = [made.number_of(state) for state in (way.initial, *(step.state for step in way.steps))]
            assert nodes[-1] == number
            assert number not in nodes[:-1], "a shorter one would do"
    depths = [len(way.steps) for way in ways]
    assert depths == sorted(depths), "the nodes are in the order of discovery"
    assert len(ways) == len(graph.nodes)


@pytest.mark.slow
def test_a_map_counts_every_state_and_every_step_between_phases() -> None:
    graph, ways = graph_of("static-waiting")
    for made in maps("static-waiting"):
        data = map_data(made)
        assert sum(node["states"] for node in data["nodes"]) == sum(graph.counts)
        assert [node["label"] for node in data["nodes"] if node["start"]] == ["not known"]
        last = [way.steps[-1].state if way.steps else way.initial for way in ways]
        node = {values: made.number_of(state) for values, state in zip(graph.nodes, last, strict=True)}
        between = sum(
            sum(events.values())
            for (source, target), events in graph.edges.items()
            if node[graph.nodes[source]] != node[graph.nodes[target]]
        )
        assert sum(count for edge in data["edges"] for _, count in edge["events"]) == between
    assert [made.pod for made in maps("static-waiting")] == ["old", "new"]


@pytest.mark.parametrize("events", [True, False])
def test_a_drawing_has_each_node_and_edge_once(events: bool) -> None:
    (made,) = maps("orphan")
    root = ElementTree.fromstring(map_svg(made, events))
    data = map_data(made)
    nodes = [part.attrib["data-node"] for part in root.iter() if "data-node" in part.attrib]
    edges = [(p.attrib["data-from"], p.attrib["data-to"]) for p in root.iter() if "data-from" in p.attrib]
    assert sorted(nodes) == sorted(str(i) for i in range(len(data["nodes"])))
    assert sorted(edges) == sorted((str(edge["from"]), str(edge["to"])) for edge in data["edges"])
    assert not any("id" in part.attrib or part.tag.endswith("title") for part in root.iter()), "drawings share a page"


@pytest.mark.slow
def test_claims_that_need_a_look_come_first_and_link_to_their_traces() -> None:
    rows = rows_of([found("orphan"), found("static-waiting")])
    statuses = [row.status for row in rows]
    assert statuses == sorted(statuses, key=["VIOLATED", "UNKNOWN", "PROVED", "HOLDS"].index)
    cells = {(row.claim, cell.scenario): cell for row in rows for cell in row.cells}
    broken = cells["grace_period_only_decreases", "orphan"]
    assert (broken.status, broken.sign, broken.link) == (
        "VIOLATED",
        "✗",
        "#/trace/orphan/grace_period_only_decreases",
    )
    assert cells["a_pod_runs", "orphan"].word == "seen after"
    assert cells["grace_period_only_decreases", "static-waiting"].text == "holds"
    assert {row.claim: row.where for row in rows}["grace_period_only_decreases"] == "in 1 of 2 scenarios"


def test_the_bounds_are_said() -> None:
    exploration = found("orphan")
    trust = trust_of(exploration)
    assert trust["bounds"] == exploration.system.bounds
    assert f"{exploration.states:,} states" in trust["extent"]
    text = page(content("orphan"))
    assert exploration.system.bounds in text
    assert all(f"{count:,} times" in text for count in exploration.bounds_hit.values())


def test_the_same_content_gives_the_same_bytes(text: str) -> None:
    assert page(content("orphan")) == text


def test_nothing_is_fetched_and_nothing_runs_but_its_own_scripts(text: str) -> None:
    refuse_strangers(text)


def refuse_strangers(text: str) -> None:
    """Does a page ask for anything, or run what is not its own?"""
    parsed = Elements(text)
    assert not {"link", "img", "iframe", "object", "base"} & set(parsed.tags)
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name in ("src", "style")]
    assert all(str(value).startswith("#") for name, value in parsed.attributes if name == "href")
    (rule,) = (value for name, value in parsed.attributes if name == "content" and str(value).startswith("default-src"))
    assert rule is not None and rule.startswith("default-src 'none'; ") and "unsafe" not in rule
    for kind, own in (("style-src", parsed.texts["style"]), ("script-src", parsed.texts["script"][1:])):
        hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in own}
        (allowed,) = (part.split()[1:] for part in rule.split("; ") if part.startswith(kind))
        assert set(allowed) == hashes


def test_markup_in_names_stays_text() -> None:
    text = page(hostile_content())
    parsed = Elements(text)
    assert parsed.tags.count("script") == 1 + len(SCRIPTS), "the data and its own"
    assert "img" not in parsed.tags and "onerror" not in {name for name, _ in parsed.attributes}
    assert "{{ 7 * 7 }}" in text
    data = data_of(text)
    assert data["subject"] == MARKUP
    assert data["scenarios"][0]["name"] == f"orphan{MARKUP}"
    assert any(item["name"].endswith(MARKUP) for item in data["systems"][0]["items"])
    assert all(step["event"].endswith(MARKUP) for walk in data["walks"] for step in walk["steps"])


def test_json_cannot_end_its_element() -> None:
    nasty = {"</script><!--": ["&amp;", "\u2028"]}
    assert json.loads(json_in_html(nasty)) == {"</script><!--": ["&amp;", r"\u2028"]}
    assert not re.search("[<>&\u2028]", json_in_html(nasty))


@pytest.mark.slow
def test_check_writes_one_page_with_all_its_scenarios(tmp_path: Path) -> None:
    options = ["--scenario", "orphan", "--scenario", "lone-pod", "--property", "grace_period_only_decreases"]
    done = run_v1_29("check", *options, "--report-dir", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert f"wrote {tmp_path / 'index.html'}" in done.stderr
    data = data_of((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert [scenario["name"] for scenario in data["scenarios"]] == ["orphan", "lone-pod"]
    (told,) = data["scenarios"][0]["traces"]
    assert told["claim"] == "grace_period_only_decreases"
    assert told["replay"].startswith("podproof check --version v1.29 --scenario orphan")
    walk = data["walks"][told["sides"][0]["walk"]]
    *_, option, moves = shlex.split(told["explore"])
    subject, (scenario,) = subject_of("v1.29", None), scenarios_of(["orphan"])
    taken = Session(subject, scenario).stepper.walk(moves_in(moves)).taken
    assert option == "--walk" and [t.step.event for t in taken] == [step["event"] for step in walk["steps"]]
    assert [len(nodes) for nodes in walk["at"]] == [len(walk["steps"]) + 1]
    assert None not in walk["at"][0], "the map knows every state of the trace"


def test_what_is_undecided_is_said_to_be(tmp_path: Path) -> None:
    options = ["--scenario", "orphan", "--property", "grace_period_reaches_the_kill", "--max-states", "50"]
    done = run_v1_29("check", *options, "--report-dir", str(tmp_path))
    assert done.exit_code == 4, done.output
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "NOT all of it" in text and "undecided" in text
    assert Status.UNKNOWN.value in text
    assert data_of(text)["maps"] == [], "nobody waits for a map of what was not explored"
    assert "Not explored to the end: orphan" in text.partition("<table")[0]


def test_an_interrupted_run_does_not_pass_for_a_whole_one() -> None:
    whole = found("orphan")
    broken_off = replace(whole, complete=False, interrupted=True, reason="interrupted")
    assert left_open([whole]) == ""
    assert "Not explored to the end: orphan" in left_open([whole, broken_off])
    assert "any scenario that was to come after that is not on this page" in left_open([whole, broken_off])


def test_a_release_without_phases_gets_a_map_of_other_fields_or_none(tmp_path: Path) -> None:
    options = ["--version", "v1.20", "--scenario", "lone-pod"]
    done = run_v1_29("check", *options, "--report-dir", str(tmp_path))
    assert done.exit_code in (0, 1), done.output
    data = data_of((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert [made["seen"] for made in data["maps"]] == ["containers, statuses.phase, pod_manager"]


@pytest.mark.slow
def test_a_proof_has_a_page_too_and_its_maps_are_of_the_scenario_with_its_seconds(tmp_path: Path) -> None:
    options = ["--scenario", "deleted-and-killed", "--property", "grace_period_only_decreases"]
    done = run_v1_29("prove", *options, "--report-dir", str(tmp_path))
    assert done.exit_code == 0, done.output
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    data = data_of(text)
    assert "every number of seconds" in text and "PROVED" in text
    (told,) = data["scenarios"][0]["traces"]
    walk = data["walks"][told["sides"][0]["walk"]]
    assert None not in walk["at"][0]
    for made in data["maps"]:
        items = data["systems"][made["system"]]["items"]
        assert all(len(data["walks"][way]["start"]) == len(items) for way in made["ways"])
    assert len(walk["start"]) == len(data["systems"][told["sides"][0]["system"]]["items"])
