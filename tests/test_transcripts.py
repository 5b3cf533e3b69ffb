"""Transcripts of commands as a user types them: what each says, and its exit code. The files are in golden/transcripts.

To add a command, write its line `$ podproof …` and run this with --rewrite-golden; review what it says.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command_line import run
from tests.conftest import GOLDEN

PROMPT = "$ podproof "
TRANSCRIPTS = sorted((GOLDEN / "transcripts").iterdir())


def renewed(transcript: str) -> Iterator[str]:
    """The commands, headings and empty lines of a transcript, each command with what it says now."""
    for line in transcript.splitlines():
        if line.startswith(PROMPT):
            result = run(*shlex.split(line.removeprefix(PROMPT)))
            assert "Traceback" not in result.output
            assert result.exit_code != 2 or result.stdout == "", "wrong usage has no result"
            yield f"{line}\n{result.output}exit code {result.exit_code}\n"
        elif line.startswith("# ") or not line:
            yield f"{line}\n"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_commands_say_what_the_transcript_shows(
    path: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(GOLDEN.parents[1])
    golden(f"transcripts/{path.name}", "".join(renewed(path.read_text(encoding="utf-8"))))
