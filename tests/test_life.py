"""The picture of a pod's life can be read, and tells the truth: read back from the SVG, over many traces."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.drawn_lives import (
    OF_RELEASES,
    Case,
    Picture,
    case,
    check,
    check_colours,
    check_fields,
    check_rows,
    check_size,
    check_texts,
    check_truth,
    lines,
    name_of,
)

from podproof.queries.versions import DEFAULT_VERSION
from podproof.reports.pictures.drawing import DARK, draw
from podproof.reports.pictures.life import Life, Snapshot, begun
from podproof.reports.pictures.life_mermaid import life_mermaid
from podproof.reports.pictures.life_picture import FILLS, life_dot

LINES = {name_of(line): line for line in lines()}


@pytest.mark.quick(12)
@pytest.mark.parametrize("name", LINES)
def test_a_picture_can_be_read_and_tells_the_truth(name: str) -> None:
    check(case(LINES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("line", lines(OF_RELEASES), ids=name_of)
def test_pictures_of_every_release_tell_the_truth(line: str) -> None:
    check(case(line))


@pytest.mark.slow
def test_the_pictures_that_are_measured_are_of_every_kind() -> None:
    found = [json.loads(line) for line in LINES.values()]
    newest = [one for one in found if one["version"] == DEFAULT_VERSION and one["status"] == "VIOLATED"]
    assert len(newest) >= 30 and any(one["version"] == "v1.20" for one in found)
    loops = [len(one["moves"]) - one["lasso"]["start"] for one in found if one["lasso"] is not None]
    assert max(loops) >= 2
    lengths = [len(one["moves"]) for one in found]
    assert min(lengths) <= 2 and max(lengths) >= 21
    assert max(len(case(line).life.pods) for line in LINES.values()) == 3
    assert any(one["status"] == "HOLDS" for one in found)


# -- faults are noticed ------------------------------------------------------------------------------------------------

GRACE = "v1.36.3-one-pod-grace_period_only_decreases"
EVICTED = "v1.36.3-one-pod-evictions_are_recorded"
STATIC = "v1.36.3-static-pair-restart-waiting_static_pods_are_stopped_before_they_are_terminated"


def of(name: str) -> Case:
    return case(LINES[name])


def replaced(svg: str, old: str, new: str) -> str:
    """With one thing other than it was."""
    assert re.search(old, svg) is not None, old
    return re.sub(old, new, svg, count=1)


def steps(check_of: Callable[[Picture, int], None]) -> Callable[[Picture, Case], None]:
    return lambda picture, drawn: check_of(picture, len(drawn.trace.steps))


STRIP = r'(class="node strip pod0">\n<title>[^<]*</title><polygon [^>]*'
FAULTS: dict[str, tuple[str, str, str, Callable[[Picture, Case], None]]] = {
    "a text lies on another": (
        *(GRACE, r'(<text [^>]*)x="\S+" y="\S+"([^>]*>ADD)', r'\1x="60" y="-40"\2'),
        lambda picture, _: check_texts(picture),
    ),
    "a text leaves the picture": (
        *(GRACE, r'text-anchor="end" x="8', 'text-anchor="start" x="8'),
        lambda picture, _: check_texts(picture),
    ),
    "grey text on a dark ground": (
        *(GRACE, r'fill="#ffc861"', 'fill="#1f2328"'),
        lambda picture, _: check_colours(picture),
    ),
    "a colour without another on a dark page": (
        *(GRACE, r'<polygon fill="#e9edf1"', '<polygon fill="#e9edf2"'),
        lambda picture, _: check_colours(picture),
    ),
    "a step is left out": (GRACE, r">2</text>", "></text>", steps(check_rows)),
    "a phase in another's colour": (STATIC, r'<polygon fill="#ffc861"', '<polygon fill="#bda0e6"', check_truth),
    "containers that end too early": (
        *(STATIC, STRIP + r'points=")(\S+),\S+ (\S+),\S+ (\S+) (\S+) (\S+),\S+"'),
        r'\1\2,-300 \3,-300 \4 \5 \6,-300"',
        check_truth,
    ),
    "a wrong number": (GRACE, r"<title>grace_period: 30 s", "<title>grace_period: 20 s", check_truth),
    "the false part is not told": (GRACE, r"false: [^<]*", "it is false", check_fields),
    "a field that never changed is left out": (EVICTED, r'class="node missing track0"', 'class="node"', check_fields),
    "a strip that contradicts is not red": (STATIC, STRIP + r'stroke=)"#b42318"', r'\1"#59636e"', check_fields),
    "letters that are too small": (
        *(GRACE, r'font-size="11.00"', 'font-size="9.00"'),
        lambda picture, drawn: check_size(picture, len(drawn.life.rows), len(drawn.trace.steps)),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str) -> None:
    name, old, new, check_of = FAULTS[fault]
    drawn = of(name)
    check_of(Picture(drawn.svg), drawn)
    with pytest.raises((AssertionError, KeyError)):
        check_of(Picture(replaced(drawn.svg, old, new)), drawn)


def with_pods(life: Life, names: Sequence[str]) -> Life:
    """The life of the first pod, led by so many."""

    def of_all(snapshot: Snapshot) -> Snapshot:
        phases, strips = ((of[:1]) * len(names) for of in (snapshot.phases, snapshot.strips))
        return replace(snapshot, phases=phases, strips=strips)

    rows = tuple(replace(row, after=of_all(row.after), targets=(0,) * len(row.targets)) for row in life.rows)
    pods = tuple(replace(life.pods[0], name=name) for name in names)
    return replace(life, pods=pods, start=of_all(life.start), rows=rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["v1.29-pre-stop-a_shorter_grace_period_reaches_the_kill", STATIC])
def test_many_pods_long_names_and_wide_letters_stay_apart(name: str) -> None:
    life = next(case(line) for line in (*lines(), *lines(OF_RELEASES)) if name_of(line) == name).life
    long, wide = "a-pod-with-a-name-of-many-letters", "漢字" * 20
    texts = tuple(replace(row, changes=(wide, *row.changes)) for row in life.rows)
    for hostile in (
        with_pods(life, ("red", "green", "blue", "black", "white")),
        with_pods(life, (long,)),
        with_pods(life, (long, f"{long}-2")),
        replace(life, title=wide, claim=wide, rows=texts),
    ):
        check_texts(Picture(draw(life_dot(hostile), "svg").decode()))


# -- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, tracks",
    {
        "v1.36.3-evict-and-delete-remembered_kill_requests_are_not_lost": ["completed_channels[0]"],
        "v1.20-killed-pod-terminal_phases_are_final": ["statuses.phase", "pod_manager"],
        "v1.36.3-one-pod-pending_updates_keep_what_is_final": ["pending_update deletion_grace_period_seconds"],
        "v1.20-killed-pod-killers_are_told_the_truth": ["kill_requests.answer"],
        "v1.36.3-one-pod-the_least_grace_period_asked_for_is_recorded": ["grace_period"],
    }.items(),
)
def test_tracks_are_the_fields_that_the_false_part_reads(name: str, tracks: list[str]) -> None:
    """And none that has the same last name, or is of another request."""
    assert [track.name for track in of(name).life.tracks] == tracks


def test_a_word_for_zero_is_drawn_once_another_was() -> None:
    life = of("v1.20-killed-pod-terminal_phases_are_final").life
    values = [life.start.values[0], *(row.after.values[0] for row in life.rows)]
    assert list(dict.fromkeys(values)) == ["", "Failed", "Running"]


def test_a_pod_that_begins_a_sentence_keeps_its_name() -> None:
    assert begun("web, which was rejected", ["web"]) == "web, which was rejected"
    assert begun("cleanupUnstartedPod reaches the line", ["web"]) == "cleanupUnstartedPod reaches the line"
    assert begun("the grace period of web grew", ["web"]) == "The grace period of web grew"
    drawn = of("v1.36.3-one-pod-restart-only_admitted_pods_get_a_worker")
    assert any(text.text.startswith("web, which was rejected") for text in Picture(drawn.svg).texts)


def test_bars_compare_what_has_a_name() -> None:
    """A number that the claim itself names stands in the sentence."""

    def bars(name: str) -> int:
        return sum(shape.kind == "operand" for shape in Picture(of(name).svg).shapes)

    assert bars("v1.36.3-one-pod-grace_period_reaches_the_kill") == 2
    assert bars("v1.36.3-two-goroutines-one_sync_call_per_pod") == 0


@pytest.mark.parametrize(
    "name, told",
    [
        ("v1.29-pre-stop-a_container_is_killed", ("SIGKILL to container 0: its grace period is over", ())),
        (
            "v1.20-ended-pod-containers_run_with_their_resources",
            ("volumes, directories and cgroup are removed", ()),
        ),
        ("v1.29-pre-stop-an_object_is_deleted", ("DELETE", ("grace period 0",))),
        ("v1.20-static-pair-one_static_pod_runs_per_full_name", ("syncPod(new) starts containers", ())),
        (
            "v1.29-runtime-down-terminating_pods_are_terminated",
            ("the runtime is down", ("and the sync loop stands still",)),
        ),
    ],
)
def test_an_event_without_its_pod_is_still_a_sentence(name: str, told: tuple[str, tuple[str, ...]]) -> None:
    assert told in [(row.text, row.details) for row in of(name).life.rows]


def test_it_is_told_how_containers_end() -> None:
    """By SIGKILL or by themselves; nothing where a strip goes on to the end."""

    def ends(name: str) -> list[str]:
        return [text.text for text in Picture(of(name).svg).texts if text.text in ("gone", "SIGKILL")]

    assert ends("v1.29-pre-stop-a_container_is_killed") == ["SIGKILL"]
    assert ends("v1.36.3-orphan-kill_requests_are_answered_or_remembered") == ["gone"]
    assert ends("v1.36.3-static-removed-terminated_pods_run_no_containers") == []


@pytest.mark.slow
def test_a_loops_frame_crosses_no_text() -> None:
    for name in LINES:
        drawn = of(name)
        picture = Picture(drawn.svg)
        red = (shape.box for shape in picture.shapes if (shape.fill, shape.stroke) == ("none", "#b42318"))
        frames = [box for box in red if box[2] - box[0] > 800]
        assert len(frames) == (drawn.life.loop is not None)
        for text, (_, top, _, bottom) in itertools.product(picture.texts, frames):
            assert not any(text.box[1] < y < text.box[3] for y in (top, bottom)), text


def test_no_word_stands_alone_below_others() -> None:
    from podproof.reports.pictures.life_picture import wrapped

    assert wrapped("hard eviction, override 0", 11, 140) == ["hard eviction,", "override 0"]
    assert wrapped("the API server has its status", 11, 160) == ["the API server has", "its status"]


# -- colours -----------------------------------------------------------------------------------------------------------


def lab(colour: str, blind: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* of a colour as somebody with a deficiency sees it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    seen = [min(1.0, max(0.0, sum(m * c for m, c in zip(row, linear, strict=True)))) for row in blind]
    xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    x, y, z = (sum(m * c for m, c in zip(row, seen, strict=True)) / w for row, w in zip(xyz, white, strict=True))
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


SIGHTS = {
    "every colour": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Machado, Oliveira and Fernandes 2009, of the whole deficiency."""


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phases_can_be_told_apart_with_any_eyes(sight: str, scheme: str) -> None:
    phases = ("waiting", "syncing", "terminating", "terminated", "finished")
    colours = {name: FILLS[name] if scheme == "light" else DARK[FILLS[name]] for name in phases}
    for one, other in itertools.combinations(phases, 2):
        a, b = lab(colours[one], SIGHTS[sight]), lab(colours[other], SIGHTS[sight])
        assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 >= 10, (one, other)


# -- the same, said otherwise ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINES)
def test_mermaid_says_each_row_once(name: str) -> None:
    life = of(name).life
    text = life_mermaid(life)
    messages = re.findall(r"^    \w\d(?:-?->>|-x)\w\d: ", text, re.MULTILINE)
    restarts = sum(row.kind == "restart" for row in life.rows)
    assert len(messages) == len(life.rows) - restarts
    blocks = re.findall(r"^    (rect|loop|end)\b", text, re.MULTILINE)
    depth = list(itertools.accumulate(-1 if word == "end" else 1 for word in blocks))
    assert not depth or (min(depth) >= 0 and depth[-1] == 0)
    assert ("    loop for ever\n" in text) == (life.loop is not None)
    assert text.count("    activate ") == text.count("    deactivate ")


def test_a_row_does_not_move_when_others_come_after_it() -> None:
    """So a picture can grow at its end."""
    from dataclasses import replace

    from podproof.reports.pictures.drawing import draw
    from podproof.reports.pictures.life_picture import life_dot

    life = replace(of(GRACE).life, is_wrong=False, failure=None)
    shorter = replace(life, rows=life.rows[:-1])
    whole, part = (Picture(draw(life_dot(one), "svg").decode()).rows for one in (life, shorter))
    assert all(abs(whole[number] - y) < 0.1 for number, y in part.items()) and len(part) == len(whole) - 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_an_installed_graphviz_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from podproof.reports.pictures.drawing import draw
    from podproof.reports.pictures.life_picture import life_dot

    source = life_dot(of(STATIC).life)
    installed = Picture(draw(source, "svg").decode())
    monkeypatch.setenv("PATH", "")
    packaged = Picture(draw(source, "svg").decode())
    for one, other in zip(installed.shapes, packaged.shapes, strict=True):
        assert one.title == other.title and all(abs(a - b) < 0.5 for a, b in zip(one.box, other.box, strict=True))
