"""Diagrams say what the model does, the same way every time, and tell when they are out of date."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.command_line import run_v1_29 as run
from tests.diagram_samples import NASTY, request, samples
from tests.drawn_lives import Picture, check_colours, check_texts

from podproof.checker.core.system import CheckerError, Move
from podproof.checker.core.trace import replay
from podproof.checker.engines.python import successors
from podproof.model.scenarios import CALLERS, SCENARIOS
from podproof.queries.build import scenarios_of, subject_of, system_of
from podproof.queries.claims import CLAIMS
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS
from podproof.reports.pictures import mermaid
from podproof.reports.pictures.canvas import text_width
from podproof.reports.pictures.drawing import DARK, draw
from podproof.reports.pictures.life import PHASES as NAMES
from podproof.reports.pictures.life import read
from podproof.reports.pictures.life_mermaid import life_mermaid
from podproof.reports.pictures.life_picture import FILLS
from podproof.reports.pictures.queries import QueryTable
from podproof.reports.presets import PHASES, PRESETS, phase_of, short_phase
from podproof.reports.render.forms import FORMS, diagram_bytes, is_untouched, stamp_of

ROOT = Path(__file__).parents[1]
KINDS = ("states", "sequence", "queries")
TEXT = ("dot", "mermaid")
Golden = Callable[[str, str], None]


# -- what every diagram has -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", TEXT)
@pytest.mark.parametrize("kind", KINDS)
def test_a_diagram_of_each_kind_in_each_format(kind: str, form: str, golden: Golden) -> None:
    golden(f"diagram-{kind}.{form}", diagram_bytes(samples()[kind], form).decode())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_diagram_names_its_command_and_is_the_same_bytes_each_time(kind: str, form: str) -> None:
    first, second = (diagram_bytes(samples()[kind], form) for _ in range(2))
    assert first == second
    stamp = stamp_of(first)
    assert stamp is not None and f"$ {stamp.command[2:]}" == samples()[kind].caption[-1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_markup_stays_text_and_the_command_can_be_read_back(kind: str, form: str) -> None:
    diagram = samples(NASTY)[kind]
    content = diagram_bytes(diagram, form)
    stamp = stamp_of(content)
    assert stamp is not None and stamp.command == diagram.caption[-1]
    if form == "svg":
        shown = " ".join(re.findall(r"<text[^>]*>(.*?)</text>", content.decode()))
        assert "<" not in shown and "&lt;img src=x onerror=alert(1)&gt;" in shown.replace("&#160;", " ")
    if form == "mermaid":
        for line in content.decode().splitlines():
            # Neither a directive nor markup outside of the title, which is a JSON string.
            assert line.startswith("title: ") or "%%{" not in line
            assert line.startswith(("title: ", "    %% ")) or "<img" not in line


def test_the_caption_ends_inside_the_picture_where_the_viewer_has_a_wide_font() -> None:
    diagram = samples()["states"]
    picture = ElementTree.fromstring(diagram_bytes(diagram, "svg"))
    lines = ["".join(text.itertext()) for text in picture.findall(".//{*}text") if text.get("text-anchor") == "start"]
    caption = [line.strip() for line in lines if line.strip() and line.strip() in diagram.caption]
    assert caption and max(map(len, caption)) > 60
    # DejaVu Sans, which Linux shows where there is no other, has letters of 0.52 em.
    assert float(picture.attrib["width"]) > 18 + 8 + 0.52 * 11 * max(map(len, caption))


def test_a_picture_that_somebody_changed_is_told_from_one_that_was_drawn() -> None:
    for form in ("svg", "png"):
        content = diagram_bytes(samples()["states"], form)
        assert is_untouched(content)
        changed = content.replace(b"plain", b"plane", 1) if form == "svg" else content[:-20] + b"\1\2" + content[-18:]
        assert changed != content and not is_untouched(changed)


def test_the_stamp_leaves_a_png_valid() -> None:
    content = diagram_bytes(samples()["states"], "png")
    at, kinds = 8, []
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, end = content[at + 4 : at + 8], at + 8 + length
        assert zlib.crc32(content[at + 4 : end]) == struct.unpack(">I", content[end : end + 4])[0], kind
        kinds.append(kind)
        at = end + 4
    assert kinds[:2] == [b"IHDR", b"iTXt"] and kinds[-1] == b"IEND" and at == len(content)


# -- states -----------------------------------------------------------------------------------------------------------


def test_an_edge_names_the_parameters_that_lead_along_it() -> None:
    text = diagram_bytes(request(preset="grace").diagram("mermaid"), "mermaid").decode()
    names = dict(re.findall(r'state "([^"]*)" as (n\d+)', text))
    edges = {(a, b): label for a, b, label in re.findall(r"(n\d+) --> (n\d+) : (.*)", text)}
    five, thirty = names["terminating, 5 s"], names["terminating, 30 s"]
    assert edges[five, thirty].split("<br/>")[0] == "DELETE web#58; grace period 0"
    assert "DELETE web#58; grace period 5" in edges[thirty, five]


def test_the_phases_have_the_colours_of_ribbons_in_both_schemes() -> None:
    """And no box counts its states: a tooltip does."""
    svg = diagram_bytes(request(preset="lifecycle").diagram("svg"), "svg").decode()
    boxes = re.findall(r'<title>([\w ]+): ([\d,]+) states</title><path fill="([^"]+)"', svg)
    words = {"waiting to start": "waiting", "sync": "syncing"}
    found = {words.get(label, label): fill for label, _, fill in boxes}
    phases = ("waiting", "syncing", "terminating", "terminated", "finished")
    assert {phase: found[phase] for phase in phases} == {phase: FILLS[phase] for phase in phases}
    assert all(f'[fill="{FILLS[phase]}"]{{fill:{DARK[FILLS[phase]]}}}' in svg for phase in phases)
    assert ("terminating", "50,338") in [box[:2] for box in boxes] and not re.search(r"<text[^>]*>[\d,]+ states?<", svg)
    mermaid = diagram_bytes(request(preset="lifecycle").diagram("mermaid"), "mermaid").decode()
    classes = dict(re.findall(r"^    class (n\d+) (\w+)$", mermaid, re.MULTILINE))
    names = dict(re.findall(r'state "([^"]*)" as (n\d+)', mermaid))
    assert {classes[name]: words.get(label, label) for label, name in names.items() if name in classes} == {
        phase: phase for phase in phases
    }


def curves(svg: str) -> Iterator[list[tuple[float, float]]]:
    """Points on each arrow's line, close to each other."""
    for told in re.findall(r'<path fill="none"[^>]* d="([^"]+)"', svg):
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", told)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        yield [
            tuple(  # type: ignore[misc]
                (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t**3 * d
                for a, b, c, d in zip(*points[i : i + 4], strict=True)
            )
            for i in range(0, len(points) - 3, 3)
            for t in (step / 40 for step in range(41))
        ]


@pytest.mark.parametrize(
    "asked", [{"fields": "terminating_at,grace_period"}, {"preset": "static-pods"}, {"preset": "grace"}]
)
def test_no_arrow_passes_through_what_is_said_of_another(asked: Mapping[str, str]) -> None:
    svg = draw(request(**asked).diagram("svg").dot(), "svg").decode()
    texts = re.findall(r'<text text-anchor="start"[^>]* x="(\S+)" y="(\S+)"[^>]*>([^<]+)<', svg)
    lines, through = list(curves(svg)), 0
    assert len(lines) > 6 and len(texts) > 6
    for x, y, text in texts:
        told = unescape(text).strip()
        left, right = float(x) + 2, float(x) + text_width(told, 11) - 2
        top, bottom = float(y) - 7, float(y) - 1
        through += sum(any(left < px < right and top < py < bottom for px, py in line) for line in lines)
    assert through == 0


def test_static_pods_share_a_name_one_at_a_time() -> None:
    text = diagram_bytes(request(preset="static-pods").diagram("mermaid"), "mermaid").decode()
    labels = re.findall(r'state "([^"]*)"', text)
    assert "old#58; has the name, new#58; waits" in labels and "old#58; waits, new#58; waits" in labels
    assert not any(label.count("has the name") > 1 for label in labels)


def test_a_worker_without_phases_is_told_from_one_with_them() -> None:
    with pytest.raises(CheckerError, match=r"v1\.20 keeps no status of a pod"):
        request(version="v1.20", preset="lifecycle").diagram("dot")


def test_the_queries_are_what_the_methods_answer_in_every_reachable_state() -> None:
    """The table comes from the lowered methods on projected states; here the Python runs on each state by itself."""
    system = system_of(subject_of("v1.29", None), scenarios_of(["lone-pod"])[0])
    seen, pending = set(system.initial), list(system.initial)
    while pending:
        for _, after, _ in successors(system, pending.pop()):
            if not isinstance(after, Exception) and after not in seen:
                seen.add(after)
                pending.append(after)
    table = request(preset="queries", scenario="lone-pod").diagram("dot")
    assert isinstance(table, QueryTable)
    answers: dict[tuple[str, str], set[bool]] = {}
    for state in seen:
        phase = phase_of(system.by_path(state))
        for row in table.rows:
            name = re.sub(r"(?<!^)([A-Z])", r"_\1", row.name).lower()
            answers.setdefault((row.name, phase), set()).add(getattr(system.build(state), name)(0))
    assert {phase for _, phase in answers} == set(table.phases)
    for row in table.rows:
        for phase, cell in zip(table.phases, row.cells, strict=True):
            told = {"": {False}, "always": {True}}.get(cell, {False, True})
            assert answers[row.name, phase] == told, (row.name, phase)


def test_the_answers_stand_below_their_phases_in_the_phases_colours() -> None:
    """Read back from the picture: each answer is in the column of its phase, and only `always` is filled."""
    table = request(preset="queries", scenario="uid-reuse").diagram("svg")
    assert isinstance(table, QueryTable)
    picture = Picture(draw(table.dot(), "svg").decode())
    check_texts(picture)
    check_colours(picture)
    assert min(text.size for text in picture.texts) >= 10.9
    heads = dict(zip(table.phases, [shape for shape in picture.shapes if shape.kind == "head"], strict=True))
    answers = [shape for shape in picture.shapes if shape.kind == "answer"]
    found = {
        (*answer.title.split(": "), phase): answer.fill == head.fill
        for answer in answers
        for phase, head in heads.items()
        if head.box[0] < (answer.box[0] + answer.box[2]) / 2 < head.box[2]
    }
    told = [(row.name, cell, p) for row in table.rows for p, cell in zip(table.phases, row.cells, strict=True) if cell]
    assert len(found) == len(answers) and sorted(found) == sorted(told)
    fills = {phase: FILLS.get(NAMES[phase], "white") for phase in table.phases}
    assert {phase: head.fill for phase, head in heads.items()} == fills
    assert all(filled == (cell == "always" or fills[phase] == "white") for (_, cell, phase), filled in found.items())


def test_the_queries_are_decided_by_fields_with_the_names_of_go() -> None:
    table = request(preset="queries", scenario="lone-pod").diagram("dot")
    assert isinstance(table, QueryTable)
    words = {word for row in table.rows for cell in row.cells for word in cell.split()}
    assert "podsSynced" in words and not any("_" in word for word in words), words


def test_phases_come_in_the_order_of_a_life() -> None:
    table = request(preset="queries", scenario="orphan").diagram("dot")
    assert isinstance(table, QueryTable)
    assert list(table.phases) == [phase for phase in PHASES if phase in table.phases]
    rows = {row.name: row.cells for row in table.rows}
    always = [i for i, phase in enumerate(table.phases) if short_phase(phase) in ("terminated", "finished")]
    assert [i for i, cell in enumerate(rows["ShouldPodRuntimeBeRemoved"]) if cell == "always"] == always


# -- traces -----------------------------------------------------------------------------------------------------------


def messages(text: str) -> list[tuple[str, str, str]]:
    """Who sends each message of a Mermaid diagram, who gets it, and what it says."""
    names = dict(re.findall(r"participant (\w\d) as (.*)", text))
    found = re.findall(r"    (\w\d)(?:-?->>|-x)(\w\d): (.*)", text)
    return [(names[source], names[target], event.replace("<br/>", " ")) for source, target, event in found]


def told(claim: str, scenario: str = "one-pod") -> str:
    return diagram_bytes(request(trace=claim, scenario=scenario).diagram("mermaid"), "mermaid").decode()


@pytest.mark.slow
def test_events_go_from_who_causes_them_to_the_worker_that_they_change() -> None:
    steps = messages(told("a_static_pod_waits", "static-pair"))
    assert ("sync loop", "pod worker old", "ADD old") in steps
    assert ("sync loop", "pod worker new", "ADD new") in steps
    (kill,) = (step for step in messages(told("a_pod_is_evicted")) if "killPodNow" in step[2])
    assert kill == ("eviction", "pod worker", "killPodNow, hard eviction, override 0")


def test_what_leads_to_a_violation_is_told_as_the_picture_tells_it() -> None:
    """What changes neither a phase nor a track is one message; the last step and the false part say what is wrong."""
    text = told("kill_requests_are_answered_or_remembered")
    folds = [event for _, _, event in messages(text) if " → " in event]
    assert [event.partition("#58; ")[0] for event in folds] == ["3\N{EN DASH}4", "6\N{EN DASH}9"]
    assert "    autonumber 5\n" in text and "    autonumber 10\n" in text
    rect = text.rpartition("    rect rgba(180, 35, 24")[2].partition("    end\n")[0]
    assert "✗" in rect and "killPodNow" in rect and "completed_channels" in rect
    assert "false#58; is_remembered(after, request)" in text.replace("<br/>", " ")
    assert "participant L1 as eviction" in text and "as environment" not in text
    assert "rgba(180, 35, 24" not in told("a_pod_is_evicted"), "nothing is wrong with a witness"


def test_phases_are_bands_and_containers_are_active_while_they_run() -> None:
    system = system_of(subject_of("v1.29", None), SCENARIOS["one-pod"])
    worker: Mapping[str, int] = {"uid": 0, "generation": 0}
    begin: list[Move] = [("worker_start_pod_sync", worker), ("worker_get_newer_than", worker)]
    end: list[Move] = [("worker_complete_work_enqueue", worker), ("worker_complete_work", worker)]
    run = [("start_containers", worker), ("handle_pod_removes", {"uid": 0})]
    moves = [("handle_pod_additions", {"uid": 0, "admission": 0}), *begin, *run]
    moves += [("worker_sync_pod_returns", {**worker, "outcome": 0}), *end, *begin]
    moves += [("worker_sync_terminating_pod_returns", {**worker, "outcome": 0})]
    text = life_mermaid(read(system, replay(system, moves), None, "claim", "What it says.", is_wrong=False))
    assert "    W0->>C0: SyncPod starts containers\n    activate C0\n" in text
    assert "    C0-->>W0: SyncTerminatingPod returns nil\n    deactivate C0\n" in text
    bands = re.findall(r"rect rgba.*\n    Note over L0,C0: (\w+)\n", text)
    assert bands == ["waiting", "syncing", "terminating", "terminated"]
    assert text.count("    rect ") == text.count("    end\n") == 4


def test_a_claim_without_a_trace_is_refused_with_what_to_do() -> None:
    result = run("diagram", "--trace", "terminated_pods_never_restart", "--scenario", "orphan")
    assert result.exit_code == 2
    assert "there is no trace to draw, the claim holds in orphan" in result.stderr
    assert "podproof check --version v1.29 --scenario all --property terminated_pods_never_restart" in result.stderr


def test_a_claim_about_other_scenarios_is_refused_with_their_names() -> None:
    result = run("diagram", "--trace", "a_static_pod_waits", "--scenario", "one-pod")
    assert result.exit_code == 2 and "static-pair" in result.stderr


# -- the documentation ------------------------------------------------------------------------------------------------


def test_the_lifecycle_says_of_every_claim_whether_it_holds() -> None:
    """✗ is broken in a default scenario of v1.29, ✓ in none: the tests of the catalogue stand for both."""
    text = (ROOT / "docs" / "lifecycle.md").read_text(encoding="utf-8")
    claims = {claim.id: claim for claim in CLAIMS}
    default = [scenario.name for scenario in SCENARIOS.values() if scenario.by_default]
    marks = re.findall(r"([✓✗]) `(\w+)`", text)
    assert len(marks) > 30 and {mark for mark, _ in marks} == {"✓", "✗"}
    classes = {
        name: scenario.model_class(VERSIONS["v1.29"].cls) for name, scenario in SCENARIOS.items() if name not in CALLERS
    }
    for mark, name in marks:
        broken = [scenario for scenario in default if claims[name].known_violation("v1.29", scenario)]
        assert any(claims[name].applies_to(cls, scenario) for scenario, cls in classes.items()), name
        assert bool(broken) == (mark == "✗"), (mark, name, broken)


def test_every_preset_is_explained() -> None:
    text = (ROOT / "docs" / "diagrams.md").read_text(encoding="utf-8")
    help_text = " ".join(run("diagram", "--help").stdout.split())
    for preset in PRESETS:
        assert f"`{preset}`" in text and f"{preset}, " in help_text


def test_comments_can_be_read_back() -> None:
    for line in (NASTY, "plain", "100 % #1 %%{x}%%", ""):
        (comment,) = mermaid.comments([line])
        assert mermaid.comment_text(comment) == line and "%%{" not in comment


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    ("preset", "version"),
    [
        *((preset, DEFAULT_VERSION) for preset in PRESETS),
        *(("lifecycle", name) for name in VERSIONS if name not in ("v1.20", DEFAULT_VERSION)),
    ],
)
def test_every_preset_can_be_drawn_of_every_release_with_phases(preset: str, version: str) -> None:
    content = diagram_bytes(request(version=version, preset=preset, scenario="lone-pod").diagram("mermaid"), "mermaid")
    assert f"--version {version} --scenario lone-pod --preset {preset}" in content.decode()
