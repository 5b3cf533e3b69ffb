"""Two versions of a file of a git repository: of two commits, or of a commit and the working tree."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from podproof.checker.core.printer import short_path, visible
from podproof.checker.core.system import CheckerError

POD_WORKERS = "pkg/kubelet/pod_workers.go"
_SECONDS = 60
_SETTINGS = ("-c", "diff.relative=false", "-c", "color.ui=false")
"""Whatever the user's are: paths are of the whole repository, and no more than paths."""


@dataclass(frozen=True)
class ChangedFile:
    """A file before and after a change, and what else was changed with it."""

    before: Path
    after: Path
    neighbours: Mapping[str, tuple[str, str]]
    """The other Go files of its folder and below that are not the same: path -> texts; empty for none. No tests."""
    path: str
    repository: Repository
    commits: tuple[str, ...]
    """The second is left out where it is the working tree."""

    def place_of(self, file: str) -> tuple[Path, str] | None:
        """Where a file of the second side is, as a line names it: the clone, and the path in it; None for others."""
        stem = Path(self.path).stem
        for path in (self.path, *self.neighbours):
            if short_path(str(self.after.with_name(self.after.name.replace(stem, Path(path).stem, 1)))) == file:
                return self.repository.top, path
        return None

    def around(self, names: Iterable[str], words: Iterable[str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What is beside the file on each side, changed or not, and has one of these functions or words. No tests."""
        before, after = self.commits[:1], self.commits[1:]
        found = [self.repository.texts_around(self.path, names, words, *place) for place in (before, after)]
        return found[0], found[1]


@dataclass(frozen=True)
class Repository:
    """A clone, as the user names it."""

    folder: Path

    def versions(self, revisions: str, path: str, into: Path) -> ChangedFile:
        """The file before and after `BASE..HEAD`, or `BASE...HEAD` for what HEAD did since they parted.

        Both are written below a folder. Raises CheckerError.
        """
        found = re.fullmatch(r"(.*?)(\.{2,3})(.*)", revisions)
        if found is None:
            raise CheckerError(
                f"{revisions!r} is no range of commits; write BASE..HEAD, or --worktree for what is not committed"
            )
        base, head = found[1] or "HEAD", found[3] or "HEAD"
        commits = [self.commit(base), self.commit(head)]
        if found[2] == "...":
            commits[0] = self.git("merge-base", *commits, why=f"{base} and {head} have no common ancestor").strip()
        before, after = self.file(commits[0], base, path, into), self.file(commits[1], head, path, into)
        return ChangedFile(before, after, self.neighbours(path, *commits), path, self, tuple(commits))

    def against_worktree(self, revision: str, path: str, into: Path) -> ChangedFile:
        """The file as it was committed, and as it is now. Raises CheckerError."""
        commit = self.commit(revision)
        before = self.file(commit, revision, path, into)
        return ChangedFile(before, self.top / path, self.neighbours(path, commit), path, self, (commit,))

    @property
    def top(self) -> Path:
        return Path(self.git("rev-parse", "--show-toplevel", why="it is no git repository").rstrip("\n"))

    def neighbours(self, path: str, *commits: str) -> Mapping[str, tuple[str, str]]:
        """What differs besides the file between two commits, or one and the working tree."""
        folder = f":(top){PurePosixPath(path).parent}"
        options = ("--name-only", "-z", "--no-renames", "--no-ext-diff")
        names = self.git("diff", *options, *commits, "--", folder, why="the commits cannot be compared").split("\0")
        if len(commits) == 1:  # What git does not know yet is in the working tree, too.
            options = ("--others", "--exclude-standard", "--full-name", "-z")
            names += self.git("ls-files", *options, "--", folder, why="its files cannot be listed").split("\0")
        others = [name for name in names if name != path and is_code(name)]
        return {name: (self.text(commits[0], name), self.text(*commits[1:], name)) for name in others}

    def texts_around(self, path: str, names: Iterable[str], words: Iterable[str], *commit: str) -> Mapping[str, str]:
        """What is beside a file, in a commit or the working tree, and has one of these functions or words.

        By the paths in its folder.
        """
        folder = PurePosixPath(path).parent
        defined, used = (f"({'|'.join(map(re.escape, sorted(some)))})" for some in (names, words))
        patterns = ("-e", rf"^func (\([^)]*\) )?{defined}", "-e", used)
        where = commit or ("--untracked",)
        options = ("--full-name", "-lzwE", *patterns, *where, "--", f":(top){folder}")
        listed = self.git("grep", *options, why="its files cannot be searched")
        found = (name.removeprefix(f"{''.join(commit)}:") for name in listed.split("\0"))
        others = [name for name in found if name != path and is_code(name)]
        return {str(PurePosixPath(name).relative_to(folder)): self.text(*commit, name) for name in others}

    def texts_in(self, folder: str, *commit: str) -> list[str]:
        """The Go of a folder itself, in a commit or the working tree. No tests."""
        options = ("--full-name", "-lz", "-e", ".", *(commit or ("--untracked",)))
        where = f":(top,glob){folder}/*.go"
        listed = self.git("grep", *options, "--", where, why="its files cannot be searched").split("\0")
        names = (name.removeprefix(f"{''.join(commit)}:") for name in listed)
        return [self.text(*commit, name) for name in names if is_code(name)]

    def importing(self, folder: str, *commit: str) -> list[str]:
        """The folders of the kubelet with a file that imports a folder, in a commit or the working tree."""
        options = ("--full-name", "-lzF", "-e", f'/{folder}"', *(commit or ("--untracked",)))
        where = f":(top){PurePosixPath(POD_WORKERS).parent}"
        listed = self.git("grep", *options, "--", where, why="its files cannot be searched").split("\0")
        names = (name.removeprefix(f"{''.join(commit)}:") for name in listed)
        return sorted({str(PurePosixPath(name).parent) for name in names if is_code(name)})

    def text(self, *place: str) -> str:
        """The text of a path, in a commit or in the working tree; empty where it is not there."""
        *commit, name = place
        if not commit:
            file = self.top / name
            return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        found = self.git("ls-tree", "-z", "--full-tree", *commit, "--", name, why="its files cannot be listed")
        return self.git("cat-file", "blob", f"{commit[0]}:{name}", why=f"{name} cannot be read") if found else ""

    def commit(self, revision: str) -> str:
        """The full name of a commit."""
        why = f"there is no commit {revision!r}; fetch it first, or see `git log`"
        self.git("rev-parse", "--git-dir", why="it is no git repository; give the folder of a clone")
        return self.git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", why=why
        ).strip()

    def file(self, commit: str, revision: str, path: str, into: Path) -> Path:
        """Write the file as it is in a commit, under a name that says which."""
        why = f"{revision} has no file {path}; name it with --path"
        text = self.git("cat-file", "blob", f"{commit}:{path}", why=why)
        stem = re.sub(r"[^\w.~^-]", "-", revision)
        found = into / commit[:12] / f"{Path(path).stem}@{stem}{Path(path).suffix}"
        found.parent.mkdir(exist_ok=True)
        found.write_text(text, encoding="utf-8", newline="")
        return found

    def git(self, *arguments: str, why: str) -> str:
        """What a git command prints. Raises CheckerError with `why` where it fails."""
        where = f"--repo {visible(str(self.folder))}"
        if not self.folder.is_dir():
            raise CheckerError(f"{where}: there is no such folder; give the folder of a clone")
        surroundings = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
        try:
            done = subprocess.run(
                ["git", "-C", str(self.folder), *_SETTINGS, *arguments],
                capture_output=True, env=surroundings, timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except FileNotFoundError:
            raise CheckerError(
                f"{where}: git is not installed, or not on the PATH; install it, or compare two files"
            ) from None
        except (subprocess.TimeoutExpired, ValueError) as error:
            raise CheckerError(f"{where}: git {arguments[0]} gave no answer ({visible(str(error))}); {why}") from error
        if done.returncode and not (arguments[0] == "grep" and done.returncode == 1):  # So it ends without a match.
            said = visible(done.stderr.decode(errors="replace").strip().partition("\n")[0])
            raise CheckerError(f"{where}: {why}" + (f" (git: {said})" if said else ""))
        try:
            return done.stdout.decode()
        except UnicodeDecodeError:
            raise CheckerError(f"{where}: git {arguments[0]} prints what is no UTF-8; {why}") from None


def is_code(path: str) -> bool:
    """Is it Go that a kubelet is built of, and no test of it?"""
    return path.endswith(".go") and not path.endswith("_test.go") and "testing" not in PurePosixPath(path).parts
