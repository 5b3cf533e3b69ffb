"""Go files of the kubelet that the tests change: their texts, and repositories that have them."""

from __future__ import annotations

import subprocess
from pathlib import Path

Edit = tuple[str, str]
"""What stands in a text exactly once, and what stands there instead."""


def with_edits(text: str, *edits: Edit) -> str:
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def git(repository: Path, *arguments: str) -> None:
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", "-C", str(repository), *named, *arguments], check=True, capture_output=True)


def begin_repository(folder: Path) -> None:
    """A repository, whose first commit has all that is in the folder."""
    git(folder, "init", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "first")
