"""The picture of the phases says what the reachable states say, and can be read: read back from the SVG."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from xml.etree import ElementTree

import pytest
from tests.drawn_lives import SVG, Box, Picture, check_colours

from podproof.queries.drawing import Request
from podproof.reports.pictures.diagram import StateDiagram
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.phases import ORDER, Arrow, Phases
from podproof.reports.presets import short_phase

SAMPLES = [
    ("v1.29", "one-pod"),
    ("v1.29", "orphan"),
    ("v1.29", "one-pod-restart"),
    ("v1.22.0", "static-pair-restart"),
    ("v1.26", "one-pod"),
    ("v1.36.3", "static-pair"),
    ("v1.36.3", "static-pod-restart"),
    ("v1.36.3", "pre-stop"),
]
Point = tuple[float, float]


@cache
def drawn(version: str, scenario: str) -> tuple[StateDiagram, str]:
    diagram = Request(version, None, scenario, preset="lifecycle").diagram("svg")
    assert isinstance(diagram, StateDiagram)
    return diagram, draw(diagram.dot(), "svg").decode()


def shapes(picture: Picture, kind: str) -> Mapping[str, Box]:
    """The rectangles of a kind, by the first words of their tooltips."""
    return {s.title.partition(":")[0]: s.box for s in picture.shapes if s.kind.split()[:1] == [kind]}


def lines(picture: Picture) -> Iterator[tuple[str, Sequence[Point]]]:
    """What each arrow is for, and the corners and ends of its line in pixels."""
    (graph,) = (g for g in picture.root.iter(f"{SVG}g") if "graph" in g.get("class", ""))
    x, y = map(float, re.findall(r"translate\((\S+) (\S+)\)", graph.attrib["transform"])[0])
    for group in graph.iter(f"{SVG}g"):
        path, head = group.find(f"{SVG}path"), group.find(f"{SVG}polygon")
        if "edge" in group.get("class", "") and path is not None and head is not None:
            numbers = [*map(float, re.findall(r"-?\d+(?:\.\d+)?", path.attrib["d"]))]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            tip = [tuple(map(float, point.split(","))) for point in head.attrib["points"].split()]
            ends = [*points[::3], max(tip, key=lambda p: abs(p[0] - points[-1][0]) + abs(p[1] - points[-1][1]))]
            yield group.findtext(f"{SVG}title") or "", [(a + x, b + y) for a, b in ends]


def at(boxes: Mapping[str, Box], point: Point) -> str:
    """The phase whose outline a point is on, or beside whose strip it is."""
    found = [
        name
        for name, (left, top, right, bottom) in boxes.items()
        if top - 2 <= point[1] <= bottom + 2 and left - 2 <= point[0] <= right + 26
    ]
    assert len(found) == 1, (point, found)
    return found[0]


def check_arrows(picture: Picture, diagram: StateDiagram) -> None:
    """Each edge of the graph is one arrow, between the boxes of its phases, and there is no other."""
    boxes, names = (
        shapes(picture, "box"),
        {n: short_phase(diagram.projection.label(n)) for n in diagram.projection.nodes()},
    )
    found = [
        (at(boxes, points[0]), at(boxes, points[-1]), told.startswith("terminated pods"))
        for told, points in lines(picture)
    ]
    edges = sorted((names[a], names[b]) for a, b, _ in diagram.projection.edges())
    assert sorted(pair[:2] for pair in found if not pair[2]) == edges
    never = [pair[:2] for pair in found if pair[2]]
    assert never == ([("terminated", "sync")] if diagram.never else [])
    assert not diagram.never or ("terminated", "sync") not in edges


def check_places(picture: Picture) -> None:
    """Phases follow each other, no text lies on another or on an arrow, and each lies beside its own box or in it."""
    boxes = shapes(picture, "box")
    assert list(boxes) == [name for name in ORDER if name in boxes]
    tops = [box[1] for box in boxes.values()]
    assert tops == sorted(tops) and picture.width <= 868.5 and min(text.size for text in picture.texts) >= 10.9
    for i, one in enumerate(picture.texts):
        left, top, right, bottom = one.box
        assert left >= 0 and right <= picture.width and bottom <= picture.height, one
        for other in picture.texts[i + 1 :]:
            assert not meet(one.box, other.box), (one, other)
        for told, points in lines(picture):
            for (ax, ay), (bx, by) in itertools.pairwise(points):
                if abs(ax - bx) > 0.5 and abs(ay - by) > 0.5:
                    continue  # a rounded corner
                segment = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
                assert not meet((left + 1, top + 2, right - 1, bottom - 2), segment), (one, told)
        for strip in shapes(picture, "strip").values():
            assert not meet(one.box, strip), one


def meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def check_strips(picture: Picture, diagram: StateDiagram) -> None:
    """Beside a phase there is a strip just where containers run in one of its states."""
    strips = list(shapes(picture, "strip").values())
    for name, (_, top, _, bottom) in shapes(picture, "box").items():
        middle = (top + bottom) / 2
        assert any(strip[1] < middle < strip[3] for strip in strips) == (name in diagram.running), name


def check(picture: Picture, diagram: StateDiagram) -> None:
    check_arrows(picture, diagram)
    check_places(picture)
    check_strips(picture, diagram)
    check_colours(picture)


@pytest.mark.slow
@pytest.mark.parametrize("version, scenario", SAMPLES, ids=map(" ".join, SAMPLES))
def test_phases_can_be_read_and_tell_the_truth(version: str, scenario: str) -> None:
    diagram, svg = drawn(version, scenario)
    check(Picture(svg), diagram)


def test_nobody_says_never_where_the_claim_fails() -> None:
    """The claim holds in one-pod; of two goroutines one may sleep until the pod was terminated."""
    assert drawn("v1.29", "one-pod")[0].never == "terminated pods never restart: holds in scenario one-pod"
    text = "".join(ElementTree.fromstring(drawn("v1.29", "one-pod")[1]).itertext())
    assert "✗ never" in text and "holds in" in text
    goes_wrong = Request("v1.29", None, "two-goroutines", preset="lifecycle").diagram("svg")
    assert isinstance(goes_wrong, StateDiagram) and not goes_wrong.never


FAULTS = {
    "an arrow to another phase": (r'(<path fill="none" stroke="#1f2328"[^>]* d="M\S+?,)(-?\d+)', r"\g<1>-999"),
    "a label on an arrow": (r'(<text [^>]*)x="\S+" y="\S+"([^>]*>REMOVE)', r'\1x="425" y="-500"\2'),
    "no strip": (r'class="node strip"', 'class="node"'),
    "grey on dark": (r'fill="#ffc861"', 'fill="#1f2328"'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str) -> None:
    diagram, svg = drawn("v1.29", "one-pod")
    check(Picture(svg), diagram)
    old, new = FAULTS[fault]
    changed = re.sub(old, new, svg, count=1)
    assert changed != svg
    with pytest.raises(AssertionError):
        check(Picture(changed), diagram)


def test_a_step_of_one_version_has_a_sign_a_colour_and_a_line() -> None:
    lines = [("kill", "both"), ("forget", "removed")]
    arrows = [Arrow("not known", "terminating", lines), Arrow("terminating", "not known", [("forget", "added")])]  # type: ignore[arg-type]
    source = Phases(
        "title", ["told"], "not known", [*arrows, Arrow("terminating", "finished", [("end", "removed")])]
    ).dot()
    svg = draw(source, "svg").decode()
    assert "\N{MINUS SIGN} forget" in svg and "+ forget" in svg
    assert len(re.findall(r'class="edge added">', svg)) == 1 and len(re.findall(r'class="edge removed">', svg)) == 1
    check_colours(Picture(svg))
