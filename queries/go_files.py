"""The Go files of one kubelet: what is decided about each function that is read, beside the model of a release."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from podproof.checker.core.system import CheckerError
from podproof.checker.difference.result import ClaimDifference, Comparison, Worse
from podproof.checker.difference.transitions import Equality
from podproof.golang.functions import modelled_in
from podproof.golang.handlers import UNREAD, TranslatedHandlers, handlers_in, handlers_with, read_in
from podproof.golang.handling import HANDLERS
from podproof.golang.kubelet_files import is_in_its_place, places_read
from podproof.golang.neighbours import REST, known_callers
from podproof.golang.neighbours import modelled as watched_in
from podproof.golang.releases import proved_releases
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.build import Subject, go_subject, subject_of, translation_of, unlike_parts
from podproof.queries.equality import prove_equal
from podproof.queries.handlers import (
    HandlerTheorem,
    cut_off_in,
    handlers_of,
    prove_handlers_equal,
    several_calls,
    with_handlers,
)
from podproof.queries.modelled_functions import prove_function_equal
from podproof.reports.judgement import BesideClaims

NOT_READ = "NOT READ"
_MAYBE_UNLIKE = "maybe not as there, and nothing of it is read"


@dataclass(frozen=True)
class FunctionAnswer:
    """What was decided about a function of a Go file."""

    name: str
    equality: Equality | None
    """None where it is not read."""
    reason: str
    bounds: str = ""
    """Of what was decided."""
    is_explored: bool = False
    """Do scenarios run it, if it is not EQUAL?"""
    has_unread: bool = False
    """Does it beyond the bounds what is not known of the release?"""

    @property
    def word(self) -> str:
        return NOT_READ if self.equality is None else self.equality.value

    @property
    def is_unlike(self) -> bool:
        """Is it not proved to do the same as the model's?"""
        return self.equality is not Equality.EQUAL

    @property
    def is_open(self) -> bool:
        """May it do something else than the model's, and is that not explored?"""
        return self.has_unread or (self.is_unlike and not self.is_explored)


@dataclass(frozen=True)
class FileAnswer:
    """What was decided about the functions of a Go file."""

    file: Path
    digest: str
    release: str
    functions: tuple[FunctionAnswer, ...]
    claims: tuple[ClaimDifference, ...] = ()
    """About those without a memory: what only one of both breaks."""
    handlers: TranslatedHandlers | None = None
    """Those of the sync loop, where they are not all EQUAL."""
    several: str = ""
    """What is not said of handlers that call UpdatePod more than once."""

    @property
    def is_worse(self) -> bool:
        """Is a claim about a function broken that the model keeps?"""
        return any(claim.is_worse for claim in self.claims)

    def in_place(self, subject: Subject) -> Subject:
        """The subject with the handlers of the file, where they do something else."""
        return subject if self.handlers is None else with_handlers(subject, self.handlers)

    @property
    def differs(self) -> bool:
        """Does one of the handlers do something else than the model's, so that it is explored?"""
        return bool(self.changed)

    @property
    def changed(self) -> Mapping[str, str]:
        """The handlers that do something else, as those of a review whose text is another."""
        return {one.name: "changed" for one in self.functions if one.is_unlike and one.is_explored}

    def with_functions(self, found: Comparison, unread: Sequence[str]) -> Comparison:
        """What a comparison of the two says, with what was decided about each function, and what else is not known."""
        told = []
        for one, names in self.groups():
            why = f" ({one.reason})" if one.is_open else ""
            told.append(f"{one.word}: {names}{why}")
        bounds = dict.fromkeys(one.bounds for one in self.functions if one.bounds)
        lines = [
            f"Of {self.file.name} (sha256 {self.digest}), beside {self.release}: {'; '.join(told)}.",
            f"That holds within these bounds: {'; '.join(bounds)}.",
            *filter(None, [self.several]),
        ]
        is_open = self.several or any(one.is_open for one in self.functions)
        besides, unread = ((), (*unread, *lines)) if is_open else (lines, unread)
        return replace(
            found,
            claims=(*found.claims, *self.claims),
            besides=(*found.besides, *besides),
            unread=(*found.unread, *unread),
        )

    def groups(self) -> Iterator[tuple[FunctionAnswer, str]]:
        """The functions of which the same is told: the first, and all their names."""
        groups: dict[tuple[Equality | None, str], list[FunctionAnswer]] = {}
        for one in self.functions:
            groups.setdefault((one.equality, one.reason), []).append(one)
        yield from ((some[0], ", ".join(one.name for one in some)) for some in groups.values())

    def lines(self) -> Iterator[str]:
        """The same in lines."""
        for one, names in self.groups():
            head = f"{one.word}: {names} of {self.file.name} (sha256 {self.digest})"
            if not one.is_unlike:
                yield f"{head} {one.reason}, within these bounds: {one.bounds}"
            elif one.reason == _MAYBE_UNLIKE:
                yield f"Not read, and maybe not as in {self.release}: {names}."
            else:
                yield f"{head}, beside {self.release}: {one.reason}"
                yield from [f"  bounds  {one.bounds}"] if one.bounds else []
        for claim in self.claims:
            yield from (f"  {b.state.value} {claim.property.id}: {b.reason}" for _, b in claim.baselines)
        yield from [f"  {self.several}"] if self.several else []

    @property
    def worse(self) -> Worse:
        """Is what the functions do worse than what the model's do, as far as they alone tell?"""
        is_open = self.several or any(one.is_unlike for one in self.functions)
        return Worse.YES if self.is_worse else Worse.UNKNOWN if is_open else Worse.NO


def _around(file: Path, folder: Path, release: Subject) -> FileAnswer:
    """Which functions of a file that is not read are not as in a release, where the model has them by hand."""
    place = str(PurePosixPath(file.relative_to(folder)))
    found = watched_in({place: file.read_text(encoding="utf-8", errors="replace")}).get(place, {})
    known = next((one.functions for one in known_callers() if one.version == release.name), None)
    own = {} if known is None else known.get(place, {})
    names = dict.fromkeys(name for name in (*found, *own) if name != REST and found.get(name) != own.get(name))
    unlike = ["what the model has by hand"] if known is None else [*names]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    functions = (FunctionAnswer(name, None, _MAYBE_UNLIKE) for name in unlike)
    return FileAnswer(file, digest, release.name, tuple(functions))


def answer_beside(file: Path, release: Subject) -> FileAnswer:
    """What is decided about the functions of a file beside the pod workers. Raises CheckerError where it has none."""
    text = file.read_text(encoding="utf-8", errors="replace")
    found, claims, parts = list[FunctionAnswer](), list[ClaimDifference](), set[str]()
    for name in modelled_in(file):
        try:
            theorem = prove_function_equal(name, file, text, release)
        except CheckerError as error:
            found.append(FunctionAnswer(name, None, _first_line(error)))
            continue
        parts |= theorem.parts
        claims += theorem.claims
        reason = theorem.reason
        if theorem.equality is Equality.EQUAL:
            reason = f"answers every input as {release.name} does"
        found.append(FunctionAnswer(name, theorem.equality, reason, theorem.bounds))
    answers, handlers = _handlers(file, text, release)
    found += answers
    parts |= frozenset() if handlers is None else handlers.parts
    decided = {one.name for one in found if one.equality is not None}
    known = {one.name for one in found}
    for name in _unlike(file.name, text, release.name, known, decided | parts):
        if name not in known:
            found.append(FunctionAnswer(name, None, _MAYBE_UNLIKE))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    is_equal = not any(one.is_unlike for one in answers)
    own = None if is_equal else handlers
    several = [] if handlers is None or not handlers.several else [several_calls(handlers.several)]
    several += [] if own is None else filter(None, [cut_off_in(with_handlers(release, own))])
    return FileAnswer(file, digest, release.name, tuple(found), tuple(claims), own, " ".join(several))


def _handlers(file: Path, text: str, release: Subject) -> tuple[list[FunctionAnswer], TranslatedHandlers | None]:
    """What is decided about the handlers of a file, and all of them that are read."""
    names, refused, groups = handlers_in(text), dict[str, str](), dict[tuple[str, ...], TranslatedHandlers]()
    for group in dict.fromkeys(handlers_with([name]) for name in names):
        try:
            groups[group] = handlers_of(release, file, text, group)
        except CheckerError as error:
            refused.update(dict.fromkeys((name for name in group if name in names), _first_line(error)))
    theorems, every = dict[str, HandlerTheorem](), None
    if groups:
        every = handlers_of(release, file, text, [name for group in groups for name in group])
        theorem = prove_handlers_equal(every, release)
        theorems = dict.fromkeys(every.names, theorem)
        if theorem.equality is not Equality.EQUAL and len(groups) > 1:
            alone = {name: prove_handlers_equal(own, release) for group, own in groups.items() for name in group}
            if any(one.equality is not Equality.EQUAL for one in alone.values()):
                theorems = {name: replace(one, bounds=theorem.bounds) for name, one in alone.items()}
    answers = []
    for name in names:
        if name in refused:
            answers.append(FunctionAnswer(name, None, refused[name]))
            continue
        found = theorems[name]
        assert every is not None
        unread = _beyond_bounds(every, name, release)
        if found.equality is not Equality.EQUAL:
            reason = "; ".join(filter(None, (found.reason, unread)))
            one = FunctionAnswer(name, found.equality, reason, found.bounds, is_explored=True, has_unread=bool(unread))
        elif unread:
            one = FunctionAnswer(name, Equality.UNDECIDED, unread, found.bounds)
        else:
            reason = f"do what those of {release.name} do, in every state"
            one = FunctionAnswer(name, found.equality, reason, found.bounds, is_explored=True)
        answers.append(one)
    return answers, every


def _beyond_bounds(handlers: TranslatedHandlers, name: str, release: Subject) -> str:
    """That a handler does something else beyond the bounds than a release's, for all that is known; or nothing."""
    if handlers.unread_fingerprint(name) == UNREAD[name]:
        return ""
    lines = ", ".join(str(line) for line in dict.fromkeys(line for _, line in handlers.unread[name]))
    return (
        f"what {name} does beyond these bounds is not that of {release.name}, see the lines {lines or 'that are gone'}"
    )


def _first_line(error: CheckerError) -> str:
    return str(error).partition("\n")[0]


def _unlike(file: str, text: str, version: str, known: Collection[str], decided: Collection[str]) -> Sequence[str]:
    """What else of a file is not known to be as in a release: functions that its model has, or its other ones."""
    functions = watched_in({"": text}).get("", {})  # None where it has nothing that the model has.
    callers = [place for one in known_callers() if one.version == version for place in one.functions.items()]
    beside = next((f for _, f in callers if not f.keys().isdisjoint(known)), None)
    if beside is None and not known:  # What is read of it is gone.
        beside = next((f for path, f in callers if path in places_read() and PurePosixPath(path).name == file), None)
    if beside is None:
        return ["what else is in the file"]
    names = dict.fromkeys((*functions, *beside))
    unlike = [name for name in names if name not in decided and functions.get(name) != beside.get(name)]
    return ["the rest of the file" if name == REST else name for name in unlike]


# -- several files of one kubelet --------------------------------------------------------------------------------------


def with_files_beside(
    subject: Subject, files: Sequence[Path], assumed: tuple[str, ...] = ()
) -> tuple[Subject, tuple[FileAnswer, ...]]:
    """The subject of a Go file with handlers of other files, where these do something else; and what was decided."""
    assert subject.file is not None
    release, folder = subject_of(subject.release.name, None), subject.file.parent
    with progress.stage("the functions of the Go") as tell:
        found = []
        for file in (subject.file, *files):
            tell(str(file))
            if file is subject.file:
                found.append(_of_workers(file, release, assumed))
            elif read_in(file) or is_in_its_place(file, [subject.file]):
                found.append(answer_beside(file, release))
            else:
                found.append(_around(file, folder, release))
    options = "".join(f" --go {shlex.quote(str(file))}" for file in files)
    told = "; ".join(
        [
            *(_told(one) for one in found[1:] if one.functions),
            *_nowhere(found, release.name),
            *_counted(found, folder),
        ]
    )
    subject = replace(
        subject,
        option=subject.option + options,
        origin=f"{subject.origin}; {told}",
        files=(*subject.files, *files),
        digest=None if subject.digest is None else f"{subject.digest} {told}",
    )
    for one in found:
        subject = one.in_place(subject)
    return subject, tuple(found)


def _nowhere(found: Sequence[FileAnswer], release: str) -> Iterator[str]:
    """That of some functions none of the files has anything."""
    names = {one.name for file in found for one in file.functions}
    if left := [name for some in places_read().values() for name in sorted(some) if name not in names]:
        yield f"in none of these files: {', '.join(left)}, which are taken as in {release}"


def _counted(found: Sequence[FileAnswer], folder: Path) -> Iterator[str]:
    """How many files of the kubelet were only compared with the release's, and how many nobody looked at."""
    around = sum(not (read_in(one.file) or is_in_its_place(one.file, [found[0].file])) for one in found[1:])
    if around:
        code = sum(not file.name.endswith("_test.go") for file in folder.rglob("*.go"))
        yield (
            f"of {around} other files only what the model has by hand was compared, as text, with that of "
            f"{found[0].release}; {code - len(found)} more of the folder were not looked at"
        )


def _of_workers(file: Path, release: Subject, assumed: tuple[str, ...]) -> FileAnswer:
    """What is decided about the functions of the pod workers, all of which scenarios run."""
    found = translation_of(release, file, assumed)
    proved = (one for one in proved_releases() if one.version == release.name and not assumed)
    if (same := next((one for one in proved if not list(one.differences(found.file))), None)) is not None:
        reason = f"have the text of {same.release}, for which each was proved equal to"
        decided = dict.fromkeys(found.functions, (Equality.EQUAL, f"{reason} {release.name}"))
    else:
        try:
            theorem = prove_equal(release, go_subject(file, release.name, assumed), found)
            decided = {
                name: (equality, why or f"do what those of {release.name} do, in every state")
                for name, (equality, why) in theorem.functions.items()
            }
        except CheckerError as error:
            decided = dict.fromkeys(found.functions, (Equality.UNDECIDED, _first_line(error)))
    functions = (FunctionAnswer(name, *answer, is_explored=True) for name, answer in decided.items())
    return FileAnswer(file, found.file.digest[:16], release.name, tuple(functions))


def _told(answer: FileAnswer) -> str:
    """What was decided, in a few words: it is told with every verdict."""
    words: dict[str, list[str]] = {}
    for one in answer.functions:
        words.setdefault(one.word, []).append(one.name)
    told = ", ".join(f"{word} {', '.join(names)}" for word, names in words.items())
    bounds = dict.fromkeys(one.bounds for one in answer.functions if one.bounds)
    where = "; the scenarios of the sync loop run its handlers, the others the release's" if answer.handlers else ""
    about = f", within these bounds: {'; '.join(bounds)}" if bounds else ""
    return f"of {answer.file.name} (sha256 {answer.digest}) beside {answer.release}: {told}{where}{about}"


def beside_claims(files: Sequence[FileAnswer], subject: Subject, chosen: Sequence[Scenario]) -> BesideClaims:
    """What the exit code of a check depends on besides its claims. The scenarios are those that are explored."""
    broken = [claim.property.id for one in files for claim in one.claims if claim.is_worse]
    base = subject_of(subject.release.name, None)
    is_run = not unlike_parts(chosen, base, subject)
    unread = [
        f"{f.name} of {one.file.name}"
        for one in files
        for f in one.functions
        if f.is_open or (f.is_unlike and f.name in HANDLERS and not is_run)
    ]
    several = [f"what comes of two calls of UpdatePod by {one.file.name}" for one in files if one.several]
    return BesideClaims(tuple(dict.fromkeys(broken)), (*unread, *several))
