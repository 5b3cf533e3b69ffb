"""What was found stays found: each program is refused with its line, or everybody says of it what CPython says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.hunt.hunting import hunt
from tests.hunt.small_program import Found


def found_programs() -> list[Found]:
    """The programs of found.txt."""
    _, *parts = re.split(r"\n== (.*)\n", (Path(__file__).parent / "found.txt").read_text(encoding="utf-8"))
    programs = []
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        head, *sections = re.split(r"^----(?: (\w+))?$", f"{text}\n", flags=re.MULTILINE)
        expected, claim = head.removesuffix("\n").split("\nclaim: ")
        places = {
            place or "model": lines.rstrip("\n") + "\n"
            for place, lines in zip(sections[::2], sections[1::2], strict=True)
        }
        programs.append(Found(name, expected, claim, **places))
    return programs


@pytest.mark.parametrize("found", found_programs(), ids=lambda found: found.name)
def test_what_was_found_is_refused_or_agreed_upon(found: Found) -> None:
    outcome = hunt(found.text, inside=False)
    assert outcome.kind in found.expected, outcome.text
