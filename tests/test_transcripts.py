"""Transcripts of commands as a user types them: what each says. The files are in golden/transcripts.

A transcript runs in an empty folder of its own, whose files its commands make (`$ cat > FILE <<'END'`); `$TESTS` is the
folder of the tests. An exit code stands below what was said, unless it is 0, or 2 below an `error:`. To add a command,
write its line `$ podproof …` and run this with --rewrite-golden; review what it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from docs.make import session
from tests.conftest import GOLDEN

TRANSCRIPTS = sorted((GOLDEN / "transcripts").iterdir())
SLOW = (
    "changed-lines", "claims-of-a-team", "commits-compared", "diagrams-of-a-page", "go-names", "known",
    "known-of-releases",
)  # fmt: skip
"""Those that take more than a second."""
TITLE = re.compile(r"(?:^|\n)(?:# .*\n)+\n\Z")
"""What heads a transcript, or stands between two commands, below what the first wrote."""


def renewed(transcript: str, folder: Path) -> Iterator[str]:
    """The commands and titles of a transcript, each command with what it says now."""
    yield transcript[: transcript.index("$ ")]
    for typed, shown in session.commands(transcript):
        text, code = session.run(typed, folder)
        is_wrong_usage = text.startswith("error: ")
        assert code != 2 or is_wrong_usage, f"{typed}: wrong usage has no result"
        assert not re.search(r"^\$ ", text, re.MULTILINE), f"{typed}: what it says would be taken for a command"
        ends = "" if code == (2 if is_wrong_usage else 0) else f"exit code {code}\n"
        title = TITLE.search(shown)
        yield f"$ {typed}\n{text}{ends}{title[0] if title else ''}"


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=[pytest.mark.slow] if p.stem in SLOW else []) for p in TRANSCRIPTS],
)
def test_the_commands_say_what_the_transcript_shows(
    path: Path, golden: Callable[[str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTS", str(GOLDEN.parent))
    golden(f"transcripts/{path.name}", "".join(renewed(path.read_text(encoding="utf-8"), tmp_path)))
