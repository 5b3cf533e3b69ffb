"""A search as it was at the end of a level, in an SQLite file: all of it or none, whenever the process is killed.

Transactions, and the lock that keeps other runs away, are SQLite's business. States never change once they are stored,
so every save adds rows with the states since the one before, and replaces `head`, the row with everything else. What
SQLite does not look at are damage and who wrote a file: every row has a checksum, `head` has one of all of them, and a
file is read only when no other user can have written it. The checksums find damage, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from podproof.checker.core.system import CheckerError, LoweredProperty, System
from podproof.checker.reading import Format

if TYPE_CHECKING:
    from podproof.checker.engines.compiled.codegen import Program
    from podproof.checker.engines.compiled.layout import Layout


_OWN = __name__.partition(".")[0]


@dataclass(frozen=True)
class Point:
    """Where a search stood; the states themselves are not in here."""

    count: int
    cursor: int
    depth: int
    seconds: float
    finished: bool
    arrays: Mapping[str, Any]


Identity = Mapping[str, str]
"""What two searches have in common when one may go on where the other stopped."""


def identity(system: System, properties: Sequence[LoweredProperty], layout: Layout, program: Program) -> Identity:
    """Of a search: for each of `_DIFFERENT` its own, checksums of what is long.

    The program is the generated functions, the packing of states and the initial states; the text is in files of the
    model, of the claims and of podproof itself, whose version may stay the same.
    """
    fields = [(path, f.word, f.shift, f.bits, f.variable.low) for path, f in layout.fields.items()]
    initial = [layout.pack(state) for state in system.initial]
    parts = (program.text, program.stride, program.bounds, layout.words, fields, initial)
    text = json.dumps([*parts, [action.name for action in system.actions]])
    claims = ", ".join(f"{p.property.id} ({p.property.kind})" for p in properties)
    found = own_version(), system.name, claims, _sum(text.encode()), _sum(*_files(system, properties))
    return dict(zip(_DIFFERENT, found, strict=True))


def _files(system: System, properties: Sequence[LoweredProperty]) -> list[bytes]:
    """What the model, the claims and podproof are written in: a part of podproof as a whole, of others single files."""
    things = [*system.shape.cls.__mro__, *(p.property.function for p in properties), Checkpoint]
    files: set[Path] = set()
    for name in {str(getattr(thing, "__module__", "")) for thing in things}:
        if name.startswith(f"{_OWN}."):
            (folder,) = sys.modules[".".join(name.split(".")[:2])].__path__
            files.update(path for kind in ("*.py", "*.ll") for path in Path(folder).resolve().rglob(kind))
        elif name.partition(".")[0] not in sys.stdlib_module_names:
            file = getattr(sys.modules.get(name), "__file__", None)
            files.update([] if file is None else [Path(file).resolve()])
    return [file.read_bytes() for file in sorted(files)]


def own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("podproof")
    except PackageNotFoundError:  # A bare checkout.
        return "unknown"


# -- the file ----------------------------------------------------------------------------------------------------------


FORMAT = "podproof checkpoint 3"
FILE = "checkpoint.sqlite"
HEAD_FORMAT = Format(
    lambda: files(__package__).joinpath("checkpoint.schema.json").read_text(encoding="utf-8"),
    "nothing of it is used: delete the folder and start from the beginning",
    1 << 26,
)
_TABLES = (
    "create table if not exists head (format text, sha256 text, content blob)",
    "create table if not exists states (first integer primary key, sha256 text, states blob, parents blob)",
)
_BLOCK = 1 << 22
"""Bytes of states in a row."""
_DIFFERENT = {
    "podproof": "another version of podproof",
    "system": "another version of the model or another scenario",
    "claims": "other claims (--property)",
    "program": "a model, claims or reductions that were different then",
    "text": "files of the model, of the claims or of podproof that have been changed since",
}
_AGAIN = "delete the folder and start from the beginning"


class NotRead(CheckerError):
    """A checkpoint is not to be used."""


def _sum(*parts: bytes) -> str:
    """A checksum of some bytes, which of them are together included."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


class Checkpoint:
    """The checkpoint of one search, of states of so many words. `every` are seconds between two saves."""

    def __init__(self, folder: Path, identity: Identity, words: int, every: float) -> None:
        self.folder, self.identity, self.words, self.every = folder, identity, words, every
        self._saved = time.monotonic()
        self._count = 0
        """How many states there are of this run, or of the one that it goes on from."""
        self._is_ours = False
        self._file: sqlite3.Connection | None = None

    def open(self, resume: bool, like: Mapping[str, Any]) -> Point | None:
        """Where to go on, with arrays of the shapes of `like`; None for a start at the beginning.

        Raises CheckerError for what must not be used.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._connect(self.folder / FILE)
        except OSError as error:
            raise CheckerError(f"--checkpoint {self.folder}: {error.strerror}; give a folder to write to") from error
        if resume:
            point = self._read(like)
            self._is_ours = point is not None
            self._count = point.count if point is not None else 0
            return point
        try:
            # One of this search that came to its end may be written over.
            is_free = (point := self._read(like)) is None or point.finished
        except NotRead:
            is_free = False
        if not is_free:
            self._refuse("there is one of another run already", "go on with it (--resume) or delete the folder")
        return None

    def _connect(self, path: Path) -> None:
        """Open the file and keep others away from it until this process ends or closes it."""
        if (self.folder / "search").exists():
            self._refuse("this is another format of checkpoint", "use the version of podproof that wrote it")
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        for part in (path, *self.folder.glob(f"{FILE}-*")):
            found = part.lstat()
            if not stat.S_ISREG(found.st_mode):
                self._refuse(f"{part.name} is no plain file", "start from the beginning elsewhere")
            if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                self._refuse(
                    f"{part.name} belongs to user {found.st_uid}, with mode {found.st_mode & 0o777:o}, so another user "
                    "can have written it",
                    "make files that you trust your own (chown, chmod go-w), or start from the beginning elsewhere",
                )
        try:
            self._file = sqlite3.connect(path, timeout=0, isolation_level=None)
            for statement in ("pragma locking_mode = exclusive", "begin exclusive", *_TABLES, "commit"):
                self._file.execute(statement)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite may quote what is damaged.
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                self._refuse("another run is using it", "wait for that run to end, or use another folder")
            if isinstance(error, sqlite3.OperationalError):
                self.close()
                raise CheckerError(f"--checkpoint {self.folder}: {error}; give a folder to write to") from error
            self._refuse_damage()

    @property
    def _rows(self) -> sqlite3.Connection:
        assert self._file is not None, "it is open"
        return self._file

    def close(self) -> None:
        """Let others use the folder."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def is_due(self) -> bool:
        return time.monotonic() - self._saved >= self.every

    def save(self, point: Point, read: Callable[[int, int], tuple[Any, Any]]) -> str:
        """Make `point` the checkpoint. `read` gives the states and the parents of some states.

        Gives why it could not be saved, and then what was saved before is as it was; empty where it was.
        """
        try:
            self._rows.execute("begin")
            if not self._is_ours:
                self._rows.execute("delete from states")
            self._add_states(self._count, point.count, read)
            self._rows.execute("delete from head")
            head = {
                **{name: getattr(point, name) for name in ("count", "cursor", "depth", "seconds", "finished")},
                "words": self.words,
                "identity": self.identity,
                "arrays": {name: array.tolist() for name, array in point.arrays.items()},
                "states": self._states_sum(),
            }
            content = json.dumps(head).encode()
            self._rows.execute("insert into head values (?, ?, ?)", (FORMAT, _sum(content), content))
            self._rows.execute("commit")
        except (OSError, sqlite3.Error) as error:
            with suppress(sqlite3.Error):
                self._rows.execute("rollback")
            kept = "nothing is saved: make room and start again"
            if self._is_ours:
                kept = f"the checkpoint before it, with {self._count:,} states, is whole: make room, then --resume"
            what = error.strerror if isinstance(error, OSError) else error
            return f"--checkpoint {self.folder}: {what}; {kept}"
        finally:
            self._saved = time.monotonic()
        self._count, self._is_ours = point.count, True
        return ""

    def _add_states(self, first: int, end: int, read: Callable[[int, int], tuple[Any, Any]]) -> None:
        block = max(1, _BLOCK // (8 * self.words))
        for at in range(first, end, block):
            states, parents = read(at, min(end, at + block))
            row = states.astype("<i8", copy=False).tobytes(), parents.astype("<u4", copy=False).tobytes()
            self._rows.execute("insert into states values (?, ?, ?, ?)", (at, _sum(*row), *row))

    def _states_sum(self) -> str:
        rows = self._rows.execute("select first, sha256 from states order by first")
        return _sum(*(f"{first} {digest}".encode() for first, digest in rows))

    def load(self, store: Callable[[int, Any, Any], None]) -> None:
        """Hand all states to `store(first, states, parents)`, in order; `open` has seen that they are right."""
        for first, states, parents in self._blocks():
            store(first, np.frombuffer(states, "<i8").reshape(-1, self.words), np.frombuffer(parents, "<u4"))

    def _blocks(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Every row of states, after a look at each byte of it. Raises CheckerError."""
        end = 0
        with closing(self._rows.execute("select first, sha256, states, parents from states order by first")) as rows:
            for first, digest, states, parents in rows:
                if not (isinstance(states, bytes) and isinstance(parents, bytes)) or digest != _sum(states, parents):
                    self._refuse_damage()
                count, rest = divmod(len(states), 8 * self.words)
                if first != end or rest or len(parents) != 4 * count:
                    self._refuse_damage()
                yield first, states, parents
                end += count

    def _read(self, like: Mapping[str, Any]) -> Point | None:
        """The point in the file, after a look at every byte; None where nothing was saved. Raises CheckerError."""
        try:
            heads = self._rows.execute("select format, sha256, content from head").fetchall()
            if not heads:
                if self._rows.execute("select count(*) from states").fetchone() != (0,):
                    self._refuse("there are states, and `head` is missing", _AGAIN)
                return None
            (form, digest, content), *others = heads
            if form != FORMAT and str(form).startswith("podproof checkpoint "):
                self._refuse("this is another format of checkpoint", "use the version of podproof that wrote it")
            if form != FORMAT or others or not isinstance(content, bytes) or digest != _sum(content):
                self._refuse_damage()
            return self._understood(HEAD_FORMAT.parse(content, f"checkpoint {self.folder}: head"), like)
        except (ValueError, LookupError):
            self._refuse("`head` is not what podproof writes", _AGAIN)
        except sqlite3.DatabaseError:
            self._refuse_damage()

    def _understood(self, content: Any, like: Mapping[str, Any]) -> Point:
        """The point that a head describes, when it is one of this search and its states are whole."""
        for name, text in _DIFFERENT.items():
            there, here = content["identity"][name], self.identity[name]
            if there != here:
                what = f"it is of {text}"
                what += "" if name in ("program", "text") else f": {there!r}, not {here!r}"
                self._refuse(what, "start with the same version, model and options, or use another folder")
        count, cursor, depth = content["count"], content["cursor"], content["depth"]
        if cursor > count or content["words"] != self.words:
            raise ValueError("no search was ever there")
        stored = sum(len(parents) // 4 for _, _, parents in self._blocks())
        if stored != count or content["states"] != self._states_sum():
            self._refuse_damage()
        arrays = {name: np.array(content["arrays"][name], np.int64).reshape(ours.shape) for name, ours in like.items()}
        return Point(count, cursor, depth, content["seconds"], content["finished"], arrays)

    def _refuse_damage(self) -> NoReturn:
        self._refuse(f"{FILE} is damaged or cut off", _AGAIN)

    def _refuse(self, what: str, advice: str) -> NoReturn:
        self.close()
        raise NotRead(f"checkpoint {self.folder}: {what}; nothing of it is used: {advice}")
