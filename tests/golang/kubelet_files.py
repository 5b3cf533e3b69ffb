"""Go files of the kubelet that the tests change: their texts, and repositories that have them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.command_line import run
from tests.golang.test_translation import SOURCE as WORKERS

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


def review_change(root: Path, place: str, before: str, after: str) -> tuple[int, str]:
    """Review a change of one file, in a repository whose pod workers stay: the exit code, and the text in one line."""
    file = root / place
    file.parent.mkdir(parents=True)
    (root / "pkg" / "kubelet" / "pod_workers.go").write_text(WORKERS, encoding="utf-8")
    file.write_text(before, encoding="utf-8")
    begin_repository(root)
    file.write_text(after, encoding="utf-8")
    told = run("review", "--repo", str(root), "--worktree", "--version", "v1.36.3", "--scenario", "lone-pod")
    return told.exit_code, " ".join(told.stdout.split())
