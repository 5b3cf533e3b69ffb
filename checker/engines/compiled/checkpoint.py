"""A search on disk, as it was at the end of a level: all of it or none, whenever the process is killed.

A checkpoint is a folder. States never change once they are stored, so every save adds one file with the states since
the one before (`states-00000000-00296448`: the words of all states, then their parents), and then replaces `search`,
which names those files with their checksums and holds everything else. Both are written beside, flushed to the disk and
renamed; until `search` is renamed the checkpoint before is whole. The first line of `search` has the checksum of the
rest. A checkpoint is read only when every byte of it is right, and from files that no other user can have written: the
checksums find damage, and nothing else. Before the first states are saved, `search` says that there are none: states
without a `search` are what is left of a checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np
from filelock import FileLock, Timeout

from podproof.checker.core.system import CheckerError
from podproof.checker.engines.compiled.long_run import identity
from podproof.checker.reading import Format

if TYPE_CHECKING:
    from podproof.checker.engines.compiled.search import Search

FORMAT = "podproof checkpoint 2"
_HEAD = "search"
HEAD_FORMAT = Format(
    lambda: files(__package__).joinpath("checkpoint.schema.json").read_text(encoding="utf-8"),
    "nothing of it is used: delete the folder and start from the beginning",
    1 << 26,
)
_LOCK = "lock"
_PLACE = ("count", "cursor", "depth", "seconds", "finished")
_BLOCK = 1 << 22
"""Bytes of states that are written or read in one go."""
_DIFFERENT = {
    "podproof": "another version of podproof",
    "system": "another version of the model or another scenario",
    "claims": "other claims (--property)",
    "program": "a model, claims or reductions that were different then",
    "text": "files of the model, of the claims or of podproof that have been changed since",
}


@dataclass(frozen=True)
class Point:
    """Where a search stood; the states themselves are not in here."""

    count: int
    cursor: int
    depth: int
    seconds: float
    finished: bool
    arrays: Mapping[str, Any]


_NOTHING = Point(0, 0, 0, 0.0, False, {})


class NotSaved(CheckerError):
    """A save failed; what was saved before is as it was."""


@dataclass(frozen=True)
class _Part:
    """A file with the states from `first` up to `end`."""

    first: int
    end: int
    sha256: str

    @property
    def name(self) -> str:
        return f"states-{self.first:010}-{self.end:010}"


class Checkpoint:
    """The checkpoint of a search, in its folder; it may end the search where it cannot be written."""

    def __init__(self, search: Search, folder: Path) -> None:
        self._search, self.folder, self.words = search, folder, search.layout.words
        self.identity = identity(search.system, search.properties, search.layout, search.program)
        self._parts: list[_Part] = []
        self._saved = time.monotonic()
        self._begun = False
        """Is what the folder has of this run, or of the one that it goes on from?"""
        self._lock: FileLock | None = None
        self._point: Point | None = None
        """Where the last level began."""

    def resume(self) -> None:
        """Have the search go on from here, if it is asked for and there is something. Raises CheckerError."""
        search, point = self._search, self._found()
        self._point = point
        if point is None:
            return
        for part in self._parts:
            for first, states, parents in self._blocks(part):
                search.restore(first, states, parents)
        if search.disk is None:
            search.store.enter(point.count)
        search.statistics.restore(point.arrays)
        search.cursor, search.depth, search.earlier = point.cursor, point.depth, point.seconds
        if search.count > search.statistics.most:
            search.full()

    def mark_level(self) -> None:
        """A level begins: remember how things stand, and save them when it is time."""
        self._point = self._here(finished=False)
        if time.monotonic() - self._saved >= self._search.plan.every:
            self._save_or_stop(self._point)

    def end(self) -> None:
        """Save the end of the search, or the last level that it began; verdicts of a whole search stand without."""
        if not self._search.reason:
            with suppress(NotSaved):
                self.save(self._here(finished=True))
        elif self._point is not None:
            self._save_or_stop(self._point)

    def close(self) -> None:
        """Let others use the folder."""
        if self._lock is not None:
            self._lock.release()

    def _save_or_stop(self, point: Point) -> None:
        """Save a point; where that fails the search ends, with what it found."""
        search = self._search
        try:
            self.save(point)
        except NotSaved as error:
            self._point = None  # There is no second attempt.
            search.reason = f"{search.reason or f'stopped at {search.count:,} states'}: {error}"

    def _here(self, finished: bool) -> Point:
        search = self._search
        return Point(search.count, search.cursor, search.depth, search.seconds, finished, search.statistics.copy())

    def _found(self) -> Point | None:
        """Where to go on; None for a start at the beginning. Raises CheckerError for what must not be used."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take()
        except OSError as error:
            raise CheckerError(f"--checkpoint {self.folder}: {error.strerror}; give a folder to write to") from error
        if not (self.folder / _HEAD).exists():
            if any(self.folder.glob("states-*[0-9]")):
                self._refuse(f"there are states, and {_HEAD} is missing", "put it back, or delete the folder")
            return None
        if self._search.plan.resume:
            point = self._read()
            self._begun = True
            return point if point.count else None
        try:
            point = self._read()
            is_done_with = point.finished or not point.count
        except CheckerError:
            is_done_with = False
        # One of this search, which came to its end or saved no state, may be written over.
        if not is_done_with:
            self._refuse("there is one of another run already", "go on with it (--resume) or delete the folder")
        return None

    def _take(self) -> None:
        """Keep other processes away until this one ends or closes; the system lets go of a killed one's lock."""
        self._lock = FileLock(self.folder / _LOCK)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            self._lock = None
            self._refuse("another run is using it", "wait for that run to end, or use another folder")

    def save(self, point: Point) -> None:
        """Make `point` the checkpoint. Raises NotSaved."""
        try:
            if not self._begun:
                self._begin()
            parts = [part for part in self._parts if part.end <= point.count]
            first = parts[-1].end if parts else 0
            if point.count > first:
                parts.append(self._write_part(first, point.count))
            self._replace(_HEAD, lambda file: file.write(self._head(point, parts)))
        except OSError as error:
            raise NotSaved(f"--checkpoint {self.folder}: {error.strerror}; {self._kept()}") from error
        finally:
            self._saved = time.monotonic()
        self._parts = parts
        self._clear()

    def _begin(self) -> None:
        """Let go of the finished run that was there, if any, and say that no states are saved yet."""
        self._replace(_HEAD, lambda file: file.write(self._head(_NOTHING, [])))
        self._parts, self._begun = [], True

    def _kept(self) -> str:
        """What there is of the checkpoint after a save that failed."""
        self._clear()
        if not self._parts:
            return "nothing is saved: make room and start again"
        return f"the checkpoint before it, with {self._parts[-1].end:,} states, is whole: make room, then --resume"

    @property
    def _block(self) -> int:
        """States that are written or read in one go."""
        return max(1, _BLOCK // (8 * self.words))

    def _write_part(self, first: int, end: int) -> _Part:
        digest = hashlib.sha256()

        def write(file: Any) -> None:
            for column, kind in enumerate(("<i8", "<u4")):
                for at in range(first, end, self._block):
                    rows = self._search.stored(at, min(end, at + self._block))[column]
                    content = rows.astype(kind, copy=False).tobytes()
                    digest.update(content)
                    file.write(content)

        name = _Part(first, end, "").name
        self._replace(name, write)
        return _Part(first, end, digest.hexdigest())

    def _replace(self, name: str, write: Callable[[Any], object]) -> None:
        """Write a file so that it is there as a whole or not at all."""
        beside = self.folder / f"{name}.part"
        try:
            beside.unlink(missing_ok=True)
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.folder / name)
        finally:
            beside.unlink(missing_ok=True)
        if sys.platform != "win32":
            handle = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def _head(self, point: Point, parts: list[_Part]) -> bytes:
        content = {
            **{name: getattr(point, name) for name in _PLACE},
            "words": self.words,
            "identity": asdict(self.identity),
            "arrays": {name: array.tolist() for name, array in point.arrays.items()},
            "parts": [asdict(part) for part in parts],
        }
        rest = json.dumps(content, indent=1).encode()
        return f"{FORMAT} {hashlib.sha256(rest).hexdigest()}\n".encode() + rest

    def _clear(self) -> None:
        """Remove states of an earlier run and of a save that did not come to its end; what stays does no harm."""
        wanted = {part.name for part in self._parts}
        for path in self.folder.glob("states-*"):
            if path.name not in wanted:
                with suppress(OSError):
                    path.unlink()

    def _open(self, name: str) -> BinaryIO:
        """A file of the checkpoint, to be read. Raises CheckerError where another user can have written it."""
        file = open(os.open(self.folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")  # noqa: SIM115 - for the caller
        found = os.fstat(file.fileno())
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            file.close()
            self._refuse(
                f"{name} belongs to user {found.st_uid}, with mode {found.st_mode & 0o777:o}, so another user can have "
                "written it",
                "make files that you trust your own (chown, chmod go-w), or start from the beginning elsewhere",
            )
        return file

    def _read(self) -> Point:
        """The point in the folder, after a look at every byte. Raises CheckerError."""
        try:
            with self._open(_HEAD) as file:
                first_line, _, rest = file.read(HEAD_FORMAT.most_bytes).partition(b"\n")
        except OSError as error:
            self._refuse(f"{_HEAD} cannot be read ({error.strerror})", "mend that, or start without --resume")
        if first_line != f"{FORMAT} {hashlib.sha256(rest).hexdigest()}".encode():
            if first_line.startswith(b"podproof checkpoint ") and not first_line.startswith(FORMAT.encode() + b" "):
                self._refuse("this is another format of checkpoint", "use the version of podproof that wrote it")
            self._damaged(_HEAD)
        try:
            return self._understood(HEAD_FORMAT.parse(rest, f"checkpoint {self.folder}: {_HEAD}"))
        except (ValueError, LookupError):
            self._refuse(f"{_HEAD} is not what podproof writes", "delete the folder and start from the beginning")

    def _understood(self, content: Any) -> Point:
        """The point that a head describes, when it is one of this search and its files are whole."""
        for name, text in _DIFFERENT.items():
            there, here = content["identity"][name], getattr(self.identity, name)
            if there != here:
                what = (
                    f"it is of {text}" if name in ("program", "text") else f"it is of {text}: {there!r}, not {here!r}"
                )
                self._refuse(what, "start with the same version, model and options, or use another folder")
        parts = [_Part(part["first"], part["end"], part["sha256"]) for part in content["parts"]]
        count, cursor, depth = content["count"], content["cursor"], content["depth"]
        borders = [0, *(part.end for part in parts)]
        if [part.first for part in parts] != borders[:-1] or borders[-1] != count or borders != sorted(set(borders)):
            raise ValueError("the files do not have all states")
        if cursor > count or content["words"] != self.words:
            raise ValueError("no search was ever there")
        if not count:
            return _NOTHING
        for part in parts:
            self._check(part)
        self._parts = parts
        like, found = self._search.statistics.copy(), content["arrays"]
        arrays = {name: np.array(found[name], np.int64).reshape(ours.shape) for name, ours in like.items()}
        return Point(count, cursor, depth, content["seconds"], content["finished"], arrays)

    def _check(self, part: _Part) -> None:
        digest = hashlib.sha256()
        try:
            with self._open(part.name) as file:
                while content := file.read(_BLOCK):
                    digest.update(content)
                size = file.tell()
        except OSError:
            self._damaged(part.name)
        if digest.hexdigest() != part.sha256 or size != (part.end - part.first) * (8 * self.words + 4):
            self._damaged(part.name)

    def _blocks(self, part: _Part) -> Any:
        rows, row = part.end - part.first, 8 * self.words
        with self._open(part.name) as file:
            for at in range(0, rows, self._block):
                count = min(self._block, rows - at)
                file.seek(at * row)
                states = np.fromfile(file, "<i8", count * self.words).reshape(count, self.words)
                file.seek(rows * row + at * 4)
                yield part.first + at, states, np.fromfile(file, "<u4", count)

    def _damaged(self, name: str) -> NoReturn:
        self._refuse(f"{name} is damaged or cut off", "delete the folder and start from the beginning")

    def _refuse(self, what: str, advice: str) -> NoReturn:
        raise CheckerError(f"checkpoint {self.folder}: {what}; nothing of it is used: {advice}")
