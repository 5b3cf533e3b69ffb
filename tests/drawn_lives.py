"""Counterexamples and witnesses whose pictures are measured, and what a picture must be: see test_life.py."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from podproof.checker.core.lasso import Lasso
from podproof.checker.core.system import Move, State, Status, System, Trace, Verdict
from podproof.checker.core.trace import replay
from podproof.checker.explain.failing_part import failure_of
from podproof.queries.build import properties_of, run_properties_of, subject_of, system_of
from podproof.reports.pictures.canvas import text_width
from podproof.reports.pictures.drawing import DARK, draw
from podproof.reports.pictures.life import Life, life_of
from podproof.reports.pictures.life_picture import FILLS, life_dot

FILE = Path(__file__).parent / "golden" / "drawn-lives.jsonl"
"""Counterexamples of the newest release's default scenarios, and others: pods, lassos, layers, 1.20, witnesses.

`podproof check` found them; each is replayed with CPython, and one that shows nothing any more is an error.
"""
OF_RELEASES = FILE.with_name("drawn-lives-of-releases.jsonl")
"""More of them: of five releases' default scenarios, of layers, the sync loop, and two goroutines."""
SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Case:
    """A trace that is drawn."""

    name: str
    system: System
    verdict: Verdict
    trace: Trace

    @cached_property
    def life(self) -> Life:
        return life_of(self.verdict, self.system, self.trace)

    @cached_property
    def svg(self) -> str:
        return draw(life_dot(self.life), "svg").decode()


@cache
def _lowered(version: str, scenario: str) -> tuple[System, Mapping[str, Any]]:
    subject = subject_of(version, None)
    of = subject.scenarios[scenario]
    claims = (*properties_of(subject, of), *run_properties_of(subject, of))
    return system_of(subject, of), {claim.id: claim for claim in claims}


@cache
def case(line: str) -> Case:
    """A line of the file, replayed."""
    found = json.loads(line)
    system, claims = _lowered(found["version"], found["scenario"])
    claim, status = claims[found["claim"]], Status[found["status"]]
    trace = replay(system, [Move(*move) for move in found["moves"]], system.initial[found["initial"]])
    if found["lasso"] is not None:
        lasso = {**found["lasso"], "blocked": tuple(found["lasso"]["blocked"])}
        trace = replace(trace, lasso=Lasso(**lasso))
    failure = failure_of(system, claim, trace) if status is Status.VIOLATED else None
    return Case(name_of(line), system, Verdict(claim, status, "", trace, failure=failure), trace)


def name_of(line: str) -> str:
    found = json.loads(line)
    return "-".join((found["version"], found["scenario"], found["claim"]))


def lines(file: Path = FILE) -> Sequence[str]:
    return file.read_text(encoding="utf-8").splitlines()


# -- what stands in a picture -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """A filled or outlined rectangle."""

    box: Box
    fill: str
    stroke: str
    kind: str
    title: str


@dataclass(frozen=True)
class Text:
    box: Box
    text: str
    size: float
    colour: str
    at_end: bool


class Picture:
    """A picture, read back from its SVG; all places are in pixels from the upper left corner."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        self.size = len(svg.encode())
        self.width, self.height = (float(self.root.attrib[key]) for key in ("width", "height"))
        (graph,) = (g for g in self.root.iter(f"{SVG}g") if "graph" in g.get("class", ""))
        x, y = map(float, re.findall(r"translate\((\S+) (\S+)\)", graph.attrib["transform"])[0])
        self.shapes = [shape for g in graph.iter(f"{SVG}g") for shape in _shapes(g, x, y)]
        self.texts = [_text(text, x, y) for text in graph.iter(f"{SVG}text")]

    @property
    def rows(self) -> Mapping[tuple[int, int], float]:
        """Where each row's line is, by its first and last step."""
        found = {}
        for text in self.texts:
            number = re.fullmatch(r"(\d+)(?:\N{EN DASH}(\d+))?", text.text)
            if number is not None and text.at_end:
                first = int(number[1])
                found[first, int(number[2] or first)] = (text.box[1] + text.box[3]) / 2
        return found

    def at(self, kind: str, y: float) -> Shape | None:
        """The shape of a kind just below a height."""
        found = [s for s in self.shapes if kind == s.kind and s.box[1] - 2 <= y + 2 < s.box[3]]
        # Where one begins, another ends: outlines lie half a pixel inside.
        return max(found, key=lambda shape: shape.box[1], default=None)


def _shapes(g: ElementTree.Element, x: float, y: float) -> Iterator[Shape]:
    for kind in ("polygon", "path"):
        for part in g.findall(f"{SVG}{kind}"):
            if "node" not in g.get("class", ""):
                continue
            numbers = list(map(float, re.findall(r"-?\d+(?:\.\d+)?", part.get("points") or part.get("d") or "")))
            xs, ys = [n + x for n in numbers[::2]], [n + y for n in numbers[1::2]]
            name = g.attrib["class"].removeprefix("node").strip()
            title = (g.findtext(f"{SVG}title") or "").strip()
            yield Shape((min(xs), min(ys), max(xs), max(ys)), part.get("fill", ""), part.get("stroke", ""), name, title)


def _text(text: ElementTree.Element, left: float, top: float) -> Text:
    size, x, y = (float(text.attrib[key]) for key in ("font-size", "x", "y"))
    told, anchor = "".join(text.itertext()), text.get("text-anchor")
    width = text_width(told, size, "font-weight" in text.attrib)
    x += left - {"middle": width / 2, "end": width}.get(anchor or "", 0.0)
    box = (x, y + top - 0.78 * size, x + width, y + top + 0.22 * size)
    return Text(box, told, size, text.get("fill", "black"), anchor == "end")


# -- what must be so: PICTURES read back; each raises AssertionError ---------------------------------------------------


def check_size(picture: Picture, rows: int, steps: int) -> None:
    assert picture.width <= 868.5 and min(text.size for text in picture.texts) >= 10.9
    assert picture.height <= 240 + 42 * rows, (picture.height, rows)
    assert picture.height <= (700 if steps <= 12 else 900 if steps <= 21 else 1000), (picture.height, steps)
    assert picture.size <= 30_000


def check_texts(picture: Picture) -> None:
    """No text lies on another one, or leaves the picture or the box it begins in."""
    texts = sorted(picture.texts, key=lambda text: text.box[1])
    for i, a in enumerate(texts):
        assert a.box[0] >= 0 and a.box[2] <= picture.width + 0.5 and a.box[3] <= picture.height, a
        for b in texts[i + 1 :]:
            if b.box[1] >= a.box[3]:
                break
            assert a.box[2] <= b.box[0] + 0.5 or b.box[2] <= a.box[0] + 0.5, (a, b)
        for shape in picture.shapes:
            middle = (a.box[1] + a.box[3]) / 2
            is_labelled = shape.kind.split()[:1] and shape.kind.split()[0] in ("phase", "strip", "missing", "value")
            if is_labelled and shape.box[0] <= a.box[0] + 1 < shape.box[2] and shape.box[1] <= middle < shape.box[3]:
                assert a.box[2] <= shape.box[2] + 1.5, (a, shape)
                assert shape.box[1] - 1 <= a.box[1] and a.box[3] <= shape.box[3] + 1, (a, shape)


def light(colour: str) -> float:
    """The relative luminance of WCAG."""
    colour = {"white": "#ffffff", "black": "#000000"}.get(colour, colour)
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    a, b = sorted((light(one), light(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def check_colours(picture: Picture) -> None:
    """Each text can be read on what it lies on, and each outline be seen, on a light page and on a dark one."""
    style = picture.root.findtext(f"{SVG}style") or ""
    for text in picture.texts:
        x, y = text.box[0] + 2, (text.box[1] + text.box[3]) / 2
        below = [
            shape.fill
            for shape in picture.shapes
            if shape.fill != "none" and shape.box[0] <= x <= shape.box[2] and shape.box[1] <= y <= shape.box[3]
        ]
        ground = below[-1]
        assert contrast(text.colour, ground) >= 4.5, (text, ground)
        assert contrast(DARK[text.colour], DARK[ground]) >= 4.5, (text, ground)
    for shape in picture.shapes:
        if shape.kind.split()[:1] in (["phase"], ["strip"], ["value"], ["missing"]):
            assert contrast(shape.stroke, "white") >= 3 and contrast(DARK[shape.stroke], DARK["white"]) >= 3, shape
    for part in picture.root.iter():
        for kind in ("fill", "stroke"):
            colour = part.get(kind)
            assert colour in (None, "none", "transparent") or f'[{kind}="{colour}"]{{{kind}:#' in style, (kind, colour)


def check_rows(picture: Picture, steps: int) -> None:
    """Each step is in exactly one row, in order from top to bottom."""
    rows = sorted(picture.rows.items(), key=lambda row: row[1])
    numbers = [n for (first, last), _ in rows for n in range(first, last + 1)]
    assert numbers == list(range(1, steps + 1)), numbers


def check_truth(picture: Picture, case: Case) -> None:
    """At every row the drawn phase, strip and track are those of the state after it, and at the top of the start."""
    names = {fill: what for what, fill in FILLS.items() if what not in ("preStop", "SIGTERM")}
    rows = sorted(picture.rows.items(), key=lambda row: row[1])
    top = rows[0][1] - 12 if rows else 100.0
    states = [(top, case.trace.initial), *((y, case.trace.steps[last - 1].state) for (_, last), y in rows)]
    for y, state in states:
        for column, pod in enumerate(case.life.pods):
            phase = picture.at(f"phase pod{column}", y)
            assert (names[phase.fill] if phase else "") == phase_in(case.system, state, pod.uid), (y, pod.name)
            strip = picture.at(f"strip pod{column}", y)
            stage = re.search(r"containers: (\w+)", strip.title) if strip else None
            assert (stage[1] if stage else "") == strip_in(case.system, state, pod.uid), (y, pod.name)
            assert strip is None or stage is None or strip.fill == FILLS[stage[1]], strip
        for number, track in enumerate(case.life.tracks):
            value = picture.at(f"value track{number}", y)
            drawn = re.search(r": (.*?)(?: s)?, after step", value.title) if value else None
            variable, i = track.item.variables[0], track.item.positions[0]
            nil = "nil" in variable.labels.values()
            unset = variable.labels.get(state[i]) == "nil" if nil else state[i] == 0
            told = {"True": ("true", "set")}.get(shown := str(variable.show(state[i])), (shown,))
            if not track.missing and (drawn is not None or not unset):
                assert drawn is not None and drawn[1] in told, (y, track.name, drawn)
                # The word for Go's zero value is drawn once another has been.
                was_other = any(other[i] != state[i] for height, other in states if height < y)
                assert not unset or was_other, (y, track.name, drawn)


def phase_in(system: System, state: State, uid: int) -> str:
    """The phase of a pod, from the fields of its status; in 1.20, from what its goroutine does."""
    values = {v.path: n for v, n in zip(system.variables, state, strict=True)}
    status = {p.rpartition(".")[2]: n for p, n in values.items() if p.startswith(f"pod_sync_statuses[{uid}].")}
    if not any(path.startswith("pod_sync_statuses") for path in values):
        path = f"workers[{uid}][0].position"
        position = str(system.variables[system.index(path)].show(values[path]))
        return {"no goroutine": "", "syncPod": "syncing", "syncPod: killPod": "syncing"}.get(position, "waiting")
    if not values[f"pod_sync_statuses[{uid}].present"]:
        return ""
    order = (("finished", "finished"), ("terminated_at", "terminated"), ("terminating_at", "terminating"))
    return next((name for field, name in (*order, ("started_at", "syncing")) if status[field]), "waiting")


def strip_in(system: System, state: State, uid: int) -> str:
    """What runs of a pod: of containers that are being stopped, how far that has come."""
    shown = {v.path: v.show(n) for v, n in zip(system.variables, state, strict=True)}
    if f"layers[{uid}].stops[0].stage" not in shown:
        return "running" if shown.get(f"containers[{uid}]") else ""
    stages = [
        shown[f"layers[{uid}].{kind}stops[{i}].stage"]
        for kind in ("", "init_")
        for i in range(4)
        if shown.get(f"layers[{uid}].runtime.{kind}containers[{i}].state") == "running"
    ]
    for stage, name in (("stop signal sent", "SIGTERM"), ("preStop hook runs", "preStop")):
        if stage in stages:
            return name
    return "running" if stages else ""


def check_fields(picture: Picture, case: Case) -> None:
    """What is false is told below, and its fields are tracks, or red where the ribbons and strips show them."""
    failure = case.verdict.failure
    if failure is None or failure.part is None:
        return
    foot = max(picture.rows.values(), default=0.0)
    told = "".join(text.text for text in picture.texts if text.box[1] > foot)
    squeezed = re.sub(r"\s", "", told)
    part = failure.part
    for text in (failure.sentence[1:], part.text, part.shown, *part.where):
        assert re.sub(r"\s", "", text) in squeezed, text
    for track, number in zip(case.life.tracks, range(9), strict=False):
        drawn = [s for s in picture.shapes if s.kind in (f"value track{number}", f"missing track{number}")]
        assert drawn and all(shape.title.startswith(track.name) for shape in drawn), track.name
        at_end = picture.at(f"value track{number}", foot)
        if track.is_read and at_end is not None:
            assert at_end.stroke == "#b42318", track.name
        if track.missing:
            assert [s.stroke for s in drawn] == ["#b42318"], track.name
    bound = set(map(str, part.bound.values()))
    for column, pod in enumerate(case.life.pods):
        strip = picture.at(f"strip pod{column}", foot)
        if strip and re.search(r"\bcontainers\[", part.text) and pod.name in bound:
            assert strip.stroke == "#b42318"
        phase = picture.at(f"phase pod{column}", foot)
        if phase and re.search(r"\b(terminat\w+_at|finished|started_at)\b", part.text) and pod.name in bound:
            assert phase.stroke == "#b42318"


def check(case: Case, svg: str | None = None) -> None:
    """All of it."""
    picture = Picture(case.svg if svg is None else svg)
    check_size(picture, len(case.life.rows), len(case.trace.steps))
    check_texts(picture)
    check_colours(picture)
    check_rows(picture, len(case.trace.steps))
    check_truth(picture, case)
    check_fields(picture, case)
