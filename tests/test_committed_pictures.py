"""The pictures in docs/images can be read where they are shown, whatever font a viewer has."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.command_line import run

from podproof.reports.pictures.canvas import FAINT, INK, WRONG, text_width
from podproof.reports.pictures.drawing import DARK
from podproof.reports.pictures.life_picture import TINT

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PICTURES = sorted(IMAGES.glob("*.svg"))
PAGE, SMALLEST, SCREEN = 868, 11, 900
"""Pixels: a page of GitHub, the smallest letter, and a screen."""
SVG = "{http://www.w3.org/2000/svg}"

Box = tuple[float, float, float, float]


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def box_of(text: ElementTree.Element) -> Box:
    """Around the letters of a line, as wide as `text_width` takes them to be at most."""
    size, x, y = (float(text.attrib[key]) for key in ("font-size", "x", "y"))
    width = text_width("".join(text.itertext()).rstrip(), size, "font-weight" in text.attrib)
    left = x - {"middle": width / 2, "end": width}.get(text.get("text-anchor", "start"), 0.0)
    return left, y - 0.8 * size, left + width, y + 0.2 * size


@pytest.fixture(params=PICTURES, ids=lambda path: path.stem)
def picture(request: pytest.FixtureRequest) -> ElementTree.Element:
    return ElementTree.parse(request.param).getroot()


def test_letters_are_large_enough_and_the_picture_is_two_screens_high(picture: ElementTree.Element) -> None:
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    scale = min(PAGE / width, 4 / 3)  # a picture that is narrower keeps its size, in points
    assert min(float(text.attrib["font-size"]) for text in picture.iter(f"{SVG}text")) * scale >= SMALLEST - 0.01
    assert height * scale <= 2 * SCREEN


def test_no_text_lies_on_another_or_beyond_the_edge(picture: ElementTree.Element) -> None:
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    (moved,) = (g.attrib["transform"] for g in picture.iter(f"{SVG}g") if g.get("class") == "graph")
    x, y = map(float, re.findall(r"translate\((\S+) (\S+)\)", moved)[0])
    boxes = [box_of(text) for text in picture.iter(f"{SVG}text")]
    assert not [(a, b) for a, b in itertools.combinations(boxes, 2) if overlap(a, b)]
    assert all(a[0] + x >= 0 and a[1] + y >= 0 and a[2] + x <= width and a[3] + y <= height for a in boxes)


def test_every_colour_has_another_on_a_dark_page(picture: ElementTree.Element) -> None:
    style = "".join(picture.findtext(f"{SVG}style") or "")
    assert "@media (prefers-color-scheme: dark){" in style and "text:not([fill])" in style
    parts = [(kind, part.get(kind)) for part in picture.iter() for kind in ("fill", "stroke")]
    for kind, colour in {(kind, colour) for kind, colour in parts if colour not in (None, "none", "transparent")}:
        assert f'[{kind}="{colour}"]{{{kind}:#' in style, (kind, colour)


def test_dark_colours_can_be_told_apart() -> None:
    def light(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for ink in (INK, FAINT, WRONG):
        for ground in ("white", TINT):
            a, b = sorted((light(DARK[ink]), light(DARK[ground])), reverse=True)
            assert (a + 0.05) / (b + 0.05) >= 4.5, (ink, ground)


def test_every_text_stays_inside_its_ground(picture: ElementTree.Element) -> None:
    for node in picture.iter(f"{SVG}g"):
        ground = node.find(f"{SVG}polygon")
        if node.get("class") != "node" or ground is None or ground.get("fill") == "none":
            continue
        xs, ys = zip(*(map(float, p.split(",")) for p in ground.attrib["points"].split()), strict=True)
        for box in map(box_of, node.iter(f"{SVG}text")):
            assert box[0] >= min(xs) and box[2] <= max(xs) and box[1] >= min(ys) and box[3] <= max(ys)


def test_every_field_that_the_false_part_names_is_shown(picture: ElementTree.Element) -> None:
    """As a track, by its name in the tooltips; by the ribbon or the strip; or with its value in the formula."""
    lines = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    if not any(line.startswith("false: ") for line in lines):
        return
    formula = " ".join(lines[next(i for i, line in enumerate(lines) if line.startswith("false: ")) :])
    part = formula.partition(", where ")[0]
    fields = set(re.findall(r"\w+", run("explain", "fields").stdout))
    named = set(re.findall(r"\.(\w+)\b(?!(?:\[[^]]*\])*\.)", part)) & fields - {"present"}
    kinds = " ".join(g.get("class", "") for g in picture.iter(f"{SVG}g"))
    told = " ".join(title.text or "" for title in picture.iter(f"{SVG}title")) + (
        " started_at terminating_at terminated_at finished position working" * ("phase" in kinds)
        + " containers stage state" * ("strip" in kinds)
    )
    # `new.grace_period <= old.grace_period (30 <= 5)`: the formula has a value for each that is drawn nowhere.
    values = [side for group in re.findall(r"\(([^()]+)\)", part) for side in re.split(r" (?:[<=>!]+|and|or) ", group)]
    assert len(named - set(re.findall(r"\w+", told))) <= len(values)
