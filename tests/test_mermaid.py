"""Every Mermaid diagram is read by the real Mermaid, and says there what it is meant to say.

Needs Node.js and `npm ci` in tests/mermaid.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.diagram_samples import NASTY, samples

from podproof.queries.drawing import Request
from podproof.reports.presets import PRESETS
from podproof.reports.render.forms import diagram_bytes

pytestmark = pytest.mark.node

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "mermaid"
KINDS = {"states": "stateDiagram", "sequence": "sequence", "queries": "gantt"}
FENCE = re.compile(r"^( *)```mermaid\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def parsed(*sources: str) -> list[dict[str, Any]]:
    """What Mermaid makes of some diagrams; an `error` for one that it does not read."""
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules").is_dir():
        pytest.skip("Node.js or its packages are missing; install Node.js and run `npm ci` in tests/mermaid")
    done = subprocess.run(
        [node, str(FOLDER / "parse.mjs")], input=json.dumps(sources), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def words(text: str) -> str:
    """A text without its line breaks, which are markup of ours."""
    return " ".join(re.sub(r"<br/?>", " ", text).split())


def test_a_broken_diagram_is_an_error() -> None:
    (result,) = parsed("stateDiagram-v2\n  a -->")
    assert "Parse error" in result["error"]


def test_every_kind_of_diagram_is_read_as_that_kind() -> None:
    results = parsed(*(diagram_bytes(diagram, "mermaid").decode() for diagram in samples().values()))
    assert [result.get("type", result.get("error")) for result in results] == [KINDS[kind] for kind in samples()]


@pytest.mark.parametrize("kind", KINDS)
def test_any_text_is_only_text(kind: str) -> None:
    """Markup, directives, quotes and words of the syntax come out as they went in."""
    nasty = [NASTY, *NASTY.split(), "end", "%%", "a;b", "#35;", "classDef x fill:#f00;", "style a fill:#f00;", "x:::y"]
    results = parsed(*(diagram_bytes(samples(text)[kind], "mermaid").decode() for text in nasty))
    for text, result in zip(nasty, results, strict=True):
        assert "error" not in result, (text, result)
        assert any(words(text) in words(told) for told in result["texts"]), (text, result)


def test_the_title_is_the_captions_first_line() -> None:
    diagrams = {kind: diagram for kind, diagram in samples(NASTY).items() if kind != "sequence"}
    results = parsed(*(diagram_bytes(diagram, "mermaid").decode() for diagram in diagrams.values()))
    for diagram, result in zip(diagrams.values(), results, strict=True):
        assert result["title"] in ("", diagram.caption[0])


def test_what_the_command_draws_is_read() -> None:
    asked: list[dict[str, str]] = [{"preset": name} for name in PRESETS]
    asked += [{"trace": "grace_period_only_decreases"}, {"trace": "a_pod_is_evicted"}, {"fields": "working,finished"}]
    drawings = [Request("v1.29", None, None, **one).diagram("mermaid") for one in asked]
    results = parsed(*(diagram_bytes(drawing, "mermaid").decode() for drawing in drawings))
    assert [result.get("error") for result in results] == [None] * len(results)


def test_the_diagrams_in_the_documentation_are_read() -> None:
    found = [
        (path, fence[2])
        for path in sorted((ROOT / "docs").rglob("*.md"))
        for fence in FENCE.finditer(path.read_text(encoding="utf-8"))
        if not fence[1]
    ]
    assert len(found) > 10
    for (path, _), result in zip(found, parsed(*(source for _, source in found)), strict=True):
        assert "error" not in result, (path, result)
