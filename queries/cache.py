"""What `podproof check` has found before: taken again where nothing has changed that it depends on.

A finding is one file, in a folder that belongs to the user alone. Its name stands for all that it depends on, as
`identity` says it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from msgspec import convert, to_builtins

from podproof.checker.core.system import Exploration, Property, System, Trace, Verdict
from podproof.checker.processes import Task
from podproof.queries import progress
from podproof.queries.build import Subject, as_property, system_of
from podproof.queries.identity import identity, sources
from podproof.queries.pool import ALONE, Pool

FOLDER = "PODPROOF_CACHE"
"""The environment's variable for the folder; the user's cache folder without it."""
_MOST_BYTES = 64 << 20
_TOLD = ("name", "version", "environment", "scenario", "bounds", "is_unbounded")
"""What is kept of a system; the rest is lowered from the model where somebody asks for it."""
Made = TypeVar("Made")
_hints: Callable[[Any], Mapping[str, Any]] = functools.cache(get_type_hints)


class CachedSystem(System):
    """A system of which only what is told of every one has been kept."""

    is_unbounded = False

    def __init__(self, told: Mapping[str, Any], lower: Callable[[], System]) -> None:
        vars(self).update(told, _lower=lower)

    def __getattr__(self, name: str) -> Any:
        if name not in {f.name for f in fields(System)}:
            raise AttributeError(name)
        vars(self).update(vars(self._lower()))
        return vars(self)[name]


@dataclass(frozen=True)
class CachedQuery:
    """What is to be found out about a subject."""

    find: Callable[[], Exploration | None]
    subject: Subject
    asked: tuple[object, ...]
    """All that the answer depends on besides the subject."""

    @property
    def can_be_sent(self) -> bool:
        """Does the name of a system say whether it is the subject's or its release's?"""
        return len({one.name for one in _with_base(self.subject)}) == len(_with_base(self.subject))

    @property
    def key(self) -> str | None:
        """The name of its file; None where it is not known what the answer depends on."""
        return identity(self.subject.digest, sources(), self.subject.name, self.asked)


@dataclass
class Cache:
    """What was found out before. Without a folder nothing is kept."""

    folder: Path | None
    pool: Pool = ALONE
    """Where several questions are looked into at a time."""
    asked: int = 0
    taken: int = 0
    """How many of the findings asked for were found before."""
    seconds_per_scenario: float = 0.0
    """So many seconds went by for each question when several were last looked into; 0 where that is not known."""

    def answer(self, question: CachedQuery) -> Exploration | None:
        """What was found when this was asked before, else what is found now, which is kept where it is final."""
        ((_, found),) = self.answers([question])
        return found

    def answers(self, questions: Sequence[CachedQuery]) -> Iterator[tuple[int, Exploration | None]]:
        """The answers with the numbers of their questions, in that order; several are looked for at a time.

        On Ctrl-C those that there are; then it raises KeyboardInterrupt.
        """
        answers: dict[int, Exploration | None] = {}
        for n, question in enumerate(questions):
            if (known := self._known(question)) is not None:
                answers[n] = known
        unknown = [n for n in range(len(questions)) if n not in answers]
        sent = [n for n in unknown if questions[n].can_be_sent] if len(unknown) >= self.pool.fewest else []
        is_interrupted, started = False, time.monotonic()
        if sent:
            tasks = [Task(partial(_found, questions[n])) for n in sent]
            guess = f" of some {self.seconds_per_scenario * len(unknown):.0f} s" if self.seconds_per_scenario else " s"
            try:
                with progress.stage(f"{len(unknown)} scenarios") as tell:
                    for task, content in self.pool.answers(tasks):
                        answers[sent[task]] = found = load(content, questions[sent[task]])
                        self._keep(questions[sent[task]], found)
                        tell(f"{len(answers)} of {len(questions)} scenarios, {time.monotonic() - started:.0f}{guess}")
                self.seconds_per_scenario = (time.monotonic() - started) / len(unknown)
            except KeyboardInterrupt:
                is_interrupted = True
        for n, question in enumerate(questions):
            if n not in answers and not is_interrupted:
                answers[n] = question.find()
                self._keep(question, answers[n])
            if n in answers:
                yield n, answers[n]
        if is_interrupted:
            raise KeyboardInterrupt

    @property
    def has_all(self) -> bool:
        """Was everything that was asked found before?"""
        return 0 < self.taken == self.asked

    def _known(self, question: CachedQuery) -> Exploration | None:
        """What was found before; None for nothing."""
        if self.folder is None:
            return None
        self.asked += 1
        if not question.can_be_sent or (key := question.key) is None:
            return None
        file = self.folder / key
        try:
            content = file.read_bytes()
            digest, kept = content[:32], content[32:]
            if hashlib.sha256(kept).digest() != digest:
                return None
            os.utime(file)  # What nobody asks for goes first.
        except OSError:
            return None
        try:
            found = load(kept, question)
        except Exception:  # Whoever wrote this was not this podproof; what it should say is found anew.
            return None
        self.taken += found is not None
        return found

    def _keep(self, question: CachedQuery, found: Exploration | None) -> None:
        if self.folder is None or found is None or not is_final(found) or not question.can_be_sent:
            return
        if (key := question.key) is not None:
            with contextlib.suppress(OSError, ValueError):  # Without room or rights it is found anew.
                kept = dump(found, question)
                write_whole(self.folder / key, hashlib.sha256(kept).digest() + kept)


def dump(found: Exploration | None, question: CachedQuery) -> bytes:
    """The answer to a question as JSON; of its systems and claims their names. Raises ValueError for other claims."""
    return json.dumps(None if found is None else _named(found, _claims(question))).encode()


def load(kept: bytes, question: CachedQuery) -> Exploration | None:
    """What `dump` has made of the answer. Raises KeyError, TypeError or ValueError for anything else."""
    found, claims = json.loads(kept), _claims(question)
    subjects = {one.name: one for one in _with_base(question.subject)}

    def system(told: Mapping[str, Any]) -> System:
        subject = subjects[told["version"]]
        return CachedSystem(
            told, partial(system_of, subject, subject.scenarios[told["scenario"]], told["is_unbounded"])
        )

    def verdict(told: Mapping[str, Any]) -> Verdict:
        before = told["before"] and (system(told["before"][0]), convert(told["before"][1], Trace))
        return _made(Verdict, told, property=claims[told["property"]], before=before)

    return found and _made(
        Exploration, found, system=system(found["system"]), verdicts=tuple(map(verdict, found["verdicts"]))
    )


def _claims(question: CachedQuery) -> Mapping[str, Property]:
    return {claim.id: as_property(claim) for claim in question.subject.every_claim}


def _named(part: Any, claims: Mapping[str, Property]) -> Any:
    """A part of an answer as JSON has it, with names for systems and claims."""
    match part:
        case System():
            return {name: getattr(part, name) for name in _TOLD}
        case Property():
            if claims.get(part.id) != part:
                raise ValueError(f"{part.id} is no claim that has a name")
            return part.id
        case Exploration() | Verdict():
            return {field.name: _named(getattr(part, field.name), claims) for field in fields(part)}
        case tuple():
            return [_named(one, claims) for one in part]
    return to_builtins(part)


def _made(cls: type[Made], told: Mapping[str, Any], **others: Any) -> Made:
    """What was kept as the values of a data class, but for those that are given."""
    hints = _hints(cls)
    return cls(**{name: convert(value, hints[name]) for name, value in told.items() if name not in others}, **others)


def _found(question: CachedQuery) -> bytes:
    return dump(question.find(), question)


def _with_base(subject: Subject) -> Sequence[Subject]:
    return (subject,) if subject.base is None else (subject, subject.base)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file all at once, and make room for it in its folder."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)
    _make_room(path.parent)


def is_final(found: Exploration) -> bool:
    """Does it not depend on how fast the machine is, or on who interrupts?"""
    is_open = any(v.not_known or (v.baseline is not None and v.baseline.is_open) for v in found.verdicts)
    return found.complete and not found.interrupted and not is_open


def own_folder() -> Path | None:
    """The folder, made where it is missing; None where others could write into it, or nobody can."""
    from platformdirs import user_cache_path

    if os.environ.get(FOLDER) == "":
        return None
    folder = Path(os.environ.get(FOLDER) or user_cache_path("podproof"))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
    except OSError:
        return None
    is_own = not hasattr(os, "getuid") or (
        about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )
    return folder if is_own else None


def _make_room(folder: Path) -> None:
    """Take away what was not asked for the longest, down to what the folder may have."""
    files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in folder.iterdir() if f.is_file()), reverse=True)
    size = 0
    for _, bytes_, file in files:
        size += bytes_
        if size > _MOST_BYTES:
            file.unlink(missing_ok=True)
