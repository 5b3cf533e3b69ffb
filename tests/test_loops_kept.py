"""Machine code of loops that is kept between runs is that of the text as it is now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tests import loops_samples as samples
from tests.test_loops import module_of

import podproof.checker
from podproof.checker.compiled import blocks, expressions, jit, routine, translation
from podproof.checker.compiled.jit import Loop


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(jit, "default_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


CALLED = """from __future__ import annotations
from podproof.checker.compiled.jit import I64, part
SHIFT = {shift}
@part
def part_of_it(a: I64) -> I64:
    return a {sign} SHIFT
"""
RECORD = """from __future__ import annotations
from typing import NamedTuple
from podproof.checker.compiled.jit import I64
class Two(NamedTuple):
    {first}: I64
    {second}: I64
"""
CALLER = """from __future__ import annotations
from podproof.checker.compiled.jit import I64, Rows, loop
from called_part import part_of_it
from record_of_two import Two
@loop
def caller(two: Two, rows: Rows) -> I64:
    return part_of_it(two.x) * 100 + two.y + rows[0, 0] * {factor}
"""


def caller_of(folder: Path, shift: int = 1, sign: str = "+", first: str = "x", factor: int = 0) -> Loop:
    module_of(CALLED.format(shift=shift, sign=sign), folder, "called_part")
    module_of(RECORD.format(first=first, second="y" if first == "x" else "x"), folder, "record_of_two")
    return cast(Loop, module_of(CALLER.format(factor=factor), folder, "caller_of_it").caller)


def test_what_is_kept_is_never_that_of_another_text(tmp_path: Path, own_cache: Path) -> None:
    """A part or a record in another file, a constant, the widths of rows: each of them makes another module."""
    row = np.array([[7]], np.int64)
    changed: tuple[dict[str, Any], ...] = ({}, {"shift": 5}, {"sign": "-"}, {"first": "y"}, {"factor": 1})
    found = [caller_of(tmp_path, **changes)((3, 2), row) for changes in changed]
    assert found == [402, 802, 202, 303, 409]
    assert len([*own_cache.iterdir()]) == len(changed)
    function = caller_of(tmp_path)
    assert function((3, 2), row) == 402
    assert len([*own_cache.iterdir()]) == len(changed)
    assert function((3, 2), np.array([[7, 7]], np.int64)) == 402
    assert len([*own_cache.iterdir()]) == len(changed) + 1


def test_what_is_kept_depends_on_the_translation_and_on_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    before = routine.sources([samples.arithmetic])
    for translator in (routine, blocks, expressions, translation):
        assert Path(translator.__file__).read_text(encoding="utf-8") in before
    monkeypatch.setattr(samples, "SEVEN", 8)
    assert routine.sources([samples.arithmetic]) != before


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(jit, "default_cache", lambda: tmp_path / "file" / "below")
    assert caller_of(tmp_path)((3, 2), np.array([[7]], np.int64)) == 402


def test_two_processes_with_an_empty_cache_do_not_disturb_each_other(tmp_path: Path) -> None:
    """What remains is whole, and a third one makes do with it."""
    code = "from podproof.checker.compiled import driver; driver.prepare(2, 4)"
    source = str(Path(podproof.checker.__file__).parents[2])
    command, environment = [sys.executable, "-c", code], {"PYTHONPATH": source, "HOME": str(tmp_path)}
    both = [subprocess.Popen(command, env=environment) for _ in range(2)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    (entry,) = (tmp_path / ".cache" / "podproof").iterdir()
    before = entry.stat().st_mtime_ns
    subprocess.run(command, env=environment, check=True, timeout=120)
    assert [*entry.parent.iterdir()] == [entry] and entry.stat().st_mtime_ns == before
