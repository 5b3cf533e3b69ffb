"""What a review compares: two releases, files or commits, and a Go file beside the pod workers."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from podproof.checker.core import UsageError
from podproof.checker.core.system import CheckerError
from podproof.queries import progress
from podproof.queries.build import is_older, subject_named, subject_of, surroundings_of
from podproof.queries.repository import POD_WORKERS, ChangedFile, Repository
from podproof.queries.versions import VERSIONS

if TYPE_CHECKING:
    from podproof.queries.go_files import FileAnswer


@dataclass(frozen=True)
class Commits:
    """Where the commits are that are compared, and which file of theirs."""

    repo: Path | None = None
    path: str = POD_WORKERS
    worktree: bool = False

    def are_meant(self, a: str | None, b: str | None) -> bool:
        """Are the arguments commits, and no files or releases?"""
        is_range = a is not None and ".." in a and not a.endswith((".py", ".go")) and not Path(a).exists()
        return self.repo is not None or self.worktree or (b is None and is_range)

    def options(self, a: str | None) -> str:
        found = shlex.join([*([] if self.repo is None else ["--repo", str(self.repo)]), *filter(None, [a])])
        found += " --worktree" if self.worktree else ""
        return found + ("" if self.path == POD_WORKERS else f" --path {shlex.quote(self.path)}")

    def change(self, a: str | None, b: str | None, folder: Path) -> ChangedFile:
        """The two versions of the file, written into this folder, and its neighbours. Raises CheckerError."""
        if b is not None:
            raise UsageError(f"--repo: {b!r} is one argument too many; give BASE..HEAD, or a commit with --worktree")
        repository = Repository(self.repo or Path())
        if self.worktree:
            return repository.against_worktree(a or "HEAD", self.path, folder)
        if a is None:
            raise UsageError("--repo: which commits? Give BASE..HEAD, or --worktree for what is not committed")
        return repository.versions(a, self.path, folder)


@dataclass(frozen=True)
class Sides:
    """What is compared with what, by the names of releases or the paths of files."""

    names: tuple[str, str]
    command: str
    """How a command line names them."""
    change: ChangedFile | None = None
    """Of commits."""
    more: tuple[str, ...] = ()
    """Other Go files of the second side's kubelet."""

    @property
    def older(self) -> Path | None:
        """The Go file of kubelet 1.26 or earlier that is compared with a release; None for anything else."""
        base, name = self.names
        is_one = self.change is None and base in VERSIONS and name.endswith(".go") and is_older(Path(name))
        return Path(name) if is_one else None

    @property
    def beside(self) -> tuple[Path, ...]:
        """The Go files beside the pod workers that are compared with a release; none for anything else."""
        base, *names = (*self.names, *self.more)
        if self.change is not None or base not in VERSIONS or not names[0].endswith(".go"):
            return ()
        from podproof.golang.handlers import read_in

        return tuple(Path(name) for name in names) if all(read_in(Path(name)) for name in names) else ()

    def functions_beside(self) -> tuple[FileAnswer, ...]:
        """What is decided about the functions of each file. Raises CheckerError where none of one is read."""
        if self.more and not self.beside:
            raise UsageError(
                "several files are compared with a release, and each is one that is read beside pod_workers.go"
            )
        if not self.beside:
            return ()
        from podproof.golang.handlers import read_in
        from podproof.queries.go_files import answer_beside  # It loads Z3.

        names = [name for file in self.beside for name in read_in(file)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"{twice} is in two of these files; give those of one kubelet")
        found = tuple(answer_beside(file, subject_of(self.names[0], None)) for file in self.beside)
        for one in found:
            if all(function.equality is None for function in one.functions):
                raise CheckerError(one.functions[0].reason)
        return found


def sides_of(
    a: str | None,
    b: str | None,
    version: str = "",
    commits: Commits = Commits(),
    folder: Path = Path(),
    more: tuple[str, ...] = (),
) -> Sides:
    """Both sides. Of a file alone the first is the release that it is nearest to, or that it overrides.

    The files of commits are written into the folder. Raises CheckerError.
    """
    if commits.are_meant(a, b):
        found = commits.change(a, b, folder)
        return Sides((str(found.before), str(found.after)), commits.options(a), found)
    if a is None:
        raise UsageError("'A' is missing: give A and B, a file alone, or BASE..HEAD")
    if b is None:
        a, b = _base_of(a, version), a
        progress.note(f"{b} is compared with {a}")
    return Sides((a, b), shlex.join([a, b, *more]), more=more)


def _base_of(file: str, version: str) -> str:
    if file.endswith(".go"):
        from podproof.golang.handlers import read_in

        if not version and (names := read_in(Path(file))):
            raise UsageError(f"'B' is missing: beside which release is {', '.join(names)}? Give it before the file")
        return version or ("v1.26" if is_older(Path(file)) else surroundings_of(Path(file)))
    release = subject_named(file, "").base
    if release is None:
        raise UsageError(f"'B' is missing: what is {file} to be compared with? Give another version or a file")
    return release.name
