"""Is a change worse, and what else does it do? Two releases, files or commits, compared and judged."""

from __future__ import annotations

import difflib
import functools
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from podproof.checker.conclude import Shown, conclude
from podproof.checker.core import UsageError
from podproof.checker.core.printer import visible
from podproof.checker.core.system import NO_LIMITS, CheckerError, Limits
from podproof.checker.difference.result import Comparison, Decision, MethodChange, Worse
from podproof.checker.difference.transitions import Equality
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import (
    Subject,
    go_subject,
    is_older,
    notes_of,
    scenarios_to_compare,
    subject_of,
    translation_of,
    unlike_parts,
    with_claims,
)
from podproof.queries.comparing import compare_versions, subjects_of
from podproof.queries.sides import Sides, sides_of
from podproof.reports.content.review.page import Origin
from podproof.reports.layout import Detail

if TYPE_CHECKING:
    from podproof.golang.neighbours import ChangedAround, NearestCallers
    from podproof.queries.go_files import FileAnswer
    from podproof.queries.go_tests import GoTests
    from podproof.queries.handlers import ReadHandlers
    from podproof.queries.modelled_functions import FunctionTheorem
    from podproof.queries.repository import ChangedFile

ENDS: Mapping[Worse, tuple[int, str]] = {
    Worse.NO: (0, "it is not worse"),
    Worse.YES: (1, "it is worse"),
    Worse.UNKNOWN: (4, "undecided: nothing is worse as far as was explored, but not all of it was"),
}
"""The exit code, and why."""
UNLIKE: Mapping[Decision, tuple[int, str]] = {
    Decision.DIFFERENT: (1, "they differ"),
    Decision.UNDECIDED: (4, "undecided: no difference as far as was explored, but not all of it was"),
}
"""The same where every difference is a failure; 0 for every other decision."""
ALL = "all"
SYNC_LOOP = tuple(scenario.name for scenario in SCENARIOS.values() if scenario.environment is SyncLoop)
"""The scenarios in which handlers of the sync loop run."""
_MOST_FILES = 3
"""Of what is changed and not read, so many files are named."""
_MOST_FUNCTIONS = 8
"""In which callers may differ from those of a release that is still called near."""
DEFAULT_OF_GO = "v1.32"
"""In whose kubelet a file is translated where only the translation is wanted."""


def review(
    a: str,
    b: str | None = None,
    scenarios: Sequence[str] = (),
    limits: Limits = NO_LIMITS,
    liveness: bool = False,
) -> Review:
    """Say whether B is worse than A, and what else changes: each a release, or a model's or a Go file.

    A file alone is compared with the release that it overrides, or that it is nearest to. Without names: the default
    scenarios. Raises CheckerError for what cannot be read or compared.
    """
    return ReviewQuery(sides_of(a, b), tuple(scenarios), limits=limits, liveness=liveness).answer()


@dataclass(frozen=True)
class Reading:
    """How files are read: in which release's kubelet, with what meanings of names in the Go, with whose claims."""

    version: str = ""
    """Of a Go file; empty for the nearest."""
    assumed: tuple[str, ...] = ()
    claim_files: tuple[Path, ...] = ()


# -- the comparison ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Review:
    """How two versions compare."""

    found: Comparison
    subjects: tuple[Subject, Subject]
    origin: Origin
    code: int
    """The exit code of `podproof review`."""
    reason: str
    undecided_ok: bool = False
    on_difference: bool = False
    """Is every difference a failure, and not only what is worse?"""
    change: ChangedFile | None = None
    """Of commits."""

    def go_tests(self) -> GoTests:
        """A test of each claim that the second version violates. Raises NothingToShow."""
        from podproof.queries.go_tests import go_tests  # Jinja2 takes a while to load.

        broken = ((claim.property, claim.evidence[1]) for claim in self.found.claims)
        violations = [
            (e.systems[0], replace(conclude(p, Shown(e.trace)), failure=e.failure)) for p, e in broken if e is not None
        ]
        return go_tests(self.subjects[1], violations)


@dataclass
class ReviewQuery:
    """What is to be compared, and how."""

    sides: Sides
    scenarios: tuple[str, ...] = ()
    fields: str | None = None
    """The fields that are compared, with commas between them; None for all that are observable of a worker."""
    limits: Limits = NO_LIMITS
    liveness: bool = False
    reading: Reading = Reading()
    undecided_ok: bool = False
    on_difference: bool = False
    detail: Detail = Detail.NORMAL
    """How much is said of the Go; nothing if quiet."""
    beside: tuple[FileAnswer, ...] = ()
    """Of files beside the pod workers: what was decided about their functions, some of them handlers that differ."""

    def answer(self) -> Review:
        """The comparison. Raises CheckerError for what cannot be read or compared."""
        callers = self._callers()
        around = None
        handlers = None if callers is None or _are_known(callers) else self._handlers(callers)
        if callers is not None and (_are_known(callers) or handlers is not None):
            around = callers[0].known.version, callers[1].known.version
        if self.beside:
            first = second = subject_of(self.sides.names[0], None)
            for one in self.beside:
                second = one.in_place(second)
            second = replace(second, name=" and ".join(visible(one.file.stem) for one in self.beside))
        else:
            sides = subjects_of(*self.sides.names, self.reading.version, self.reading.assumed, around)
            first, second = sides if handlers is None else handlers.in_place(sides)
        claim_files = self.reading.claim_files
        subjects = with_claims(first, claim_files), with_claims(second, claim_files)
        options = self._options()
        if self.sides.change is not None:
            again = " ".join(["podproof review", self.sides.command, *options])
            subjects = replace(subjects[0], replay_command=again), replace(subjects[1], replay_command=again)
        named = self.scenarios or (() if not self.beside else SYNC_LOOP)
        chosen = scenarios_to_compare(named, *subjects)
        by = None if self.fields is None else tuple(filter(None, map(str.strip, self.fields.split(","))))
        found = compare_versions(subjects, chosen, by, self.limits, self.liveness)
        if not named and (parts := unlike_parts(chosen, *subjects)):
            found = replace(found, besides=(*found.besides, _left_out(parts, subjects)))
        found = self._with_neighbours(found, subjects, chosen, callers, handlers)
        found = replace(found, methods=methods_in_go(found.methods, subjects))
        functions, lines = self._go(subjects)
        names = [f"--scenario {name}" for name in self.scenarios]
        names += [] if self.fields is None else [f"--by {self.fields}"]
        line = " ".join(["podproof review", self.sides.command, *names, *options])
        differing = {name: how for one in self.beside for name, how in one.changed.items()}
        changed = differing if self.beside else changed_functions(subjects)
        origin = Origin(line, notes_of(subjects), _hunks(subjects), functions, lines, changed)
        end = self._end(found)
        return Review(found, subjects, origin, *end, self.undecided_ok, self.on_difference, self.sides.change)

    def _callers(self) -> tuple[NearestCallers, NearestCallers] | None:
        """What is around the workers of both commits, where that was changed and no version is named."""
        change = self.sides.change
        if change is None or self.reading.version or not self._changed_around.unlike:
            return None
        from podproof.golang.neighbours import names_around, nearest_callers, words_around

        before, after = change.around(names_around(), words_around())
        first = nearest_callers(before)
        folder, but = PurePosixPath(change.path).parent, dict[str, dict[str, str | None]]()
        for path, names in (*self._changed_around.same.items(), *self._changed_around.followed.items()):
            place = str(PurePosixPath(path).relative_to(folder))
            but.setdefault(place, {}).update({name: first.functions.get(place, {}).get(name) for name in names})
        return first, nearest_callers(after, but)

    def _handlers(self, callers: tuple[NearestCallers, NearestCallers]) -> ReadHandlers | None:
        """The sync loop's handlers of both commits, if all else of the callers is known and they are read."""
        from podproof.golang.handling import HANDLERS
        from podproof.queries.handlers import read_handlers

        change, around = self.sides.change, self._changed_around
        assert change is not None
        try:
            return read_handlers(around.unlike, callers, change)
        except CheckerError as error:
            for path, names in around.unlike.items():
                handlers = (name for name in names if name in HANDLERS)
                around.reasons.setdefault(path, {}).update(dict.fromkeys(handlers, str(error).partition("\n")[0]))
            return None

    @functools.cached_property
    def _changed_around(self) -> ChangedAround:
        """What of the model the commits change in the other files."""
        from podproof.golang.neighbours import changed_around

        change = self.sides.change
        if change is None:
            return changed_around({})
        return changed_around(
            change.neighbours,
            self._texts_beside,
            lambda folder: change.repository.importing(folder, *change.commits[1:]),
        )

    def _texts_beside(self, folder: str) -> Sequence[str]:
        change = self.sides.change
        return () if change is None else change.repository.texts_in(folder, *change.commits[1:])

    def _with_neighbours(
        self,
        found: Comparison,
        subjects: tuple[Subject, Subject],
        chosen: Sequence[Scenario],
        callers: tuple[NearestCallers, NearestCallers] | None,
        handlers: ReadHandlers | None,
    ) -> Comparison:
        """With what the commits change besides: what the model has by hand, or what calls the pod workers; the rest."""
        change = self.sides.change
        if self.beside:
            asleep = unlike_parts(chosen, *subjects)
            unread = [_left_out(asleep, subjects)] if asleep else []
            for one in self.beside:
                found, unread = one.with_functions(found, unread), []
            return found
        if change is None or not change.neighbours:
            return found
        from podproof.golang.neighbours import REST, modelled, names_in

        base, names, around = subjects[0], set[str](), self._changed_around
        changed = around.unlike
        names.update(*changed.values())
        alike = [path for path in (*around.same, *around.followed) if path not in changed]
        named = {*changed, *alike, *around.helpers}
        others = [path for path in change.neighbours if path not in named]
        for path in dict.fromkeys(alike):
            first, second = (modelled({path: text}).get(path, {}).get(REST) for text in change.neighbours[path])
            others += [f"the rest of {path}"] * (first != second)
        told, unread = list(map(_doing_the_same, around.same, around.same.values())), list[str]()
        read = () if handlers is None else handlers.names
        theorems: Mapping[tuple[str, str], FunctionTheorem] = {}
        claims = list(found.claims)
        if callers is not None and (_are_known(callers) or handlers is not None):
            known = {path: [name for name in some if name not in read] for path, some in changed.items()}
            if known := {path: some for path, some in known.items() if some}:
                told.append(_known_callers(known, callers))
            if handlers is not None:
                told.append(handlers.told())
                unread += handlers.unread()
            parts = unlike_parts(chosen, *subjects)
            if asleep := {part for part in parts if not names.isdisjoint(names_in(getattr(base.cls, part)))}:
                unread.append(_left_out(asleep, subjects))
            folder = PurePosixPath(change.path).parent
            places = {path: str(PurePosixPath(path).relative_to(folder)) for path in changed}
            rests = {path: [side.rest_of(place) for side in callers] for path, place in places.items()}
            others += [f"the rest of {path}" for path, (before, after) in rests.items() if before != after]
        else:
            theorems = _theorems((changed, around.helpers), change.neighbours, base, self._texts_beside)
            for path, functions in changed.items():
                names = {name for name in functions if not _is_part(path, name, theorems)}
                in_order = ", ".join(name for name in functions if name in names)
                if names:
                    unread.append(
                        f"{path} is changed as well and is not read, where the model has {in_order} as in "
                        f"{base.release.name}: write that change as a proposal (podproof new), and review it."
                        + "".join(f" {n}: {why}." for n, why in around.reasons.get(path, {}).items() if n in names)
                    )
            for (path, name), theorem in theorems.items():
                is_equal = theorem.equality is Equality.EQUAL
                said = _of_function(path, name, theorem, base)
                (told if is_equal or theorem.is_worse else unread).append(said)
                claims += theorem.claims
            told += map(_unlike_release, self.sides.names, callers or ())
        for path, helpers in around.helpers.items():
            place = str(PurePosixPath(path).relative_to(PurePosixPath(change.path).parent))
            texts = change.neighbours[path]
            helpers = {
                helper: name
                for helper, name in helpers.items()
                if not _is_part(path, helper, theorems) and helper not in read
            }
            if not helpers:
                continue
            if callers is None or not all(side.has(place, text) for side, text in zip(callers, texts, strict=True)):
                verbs = {True: "calls", False: "uses"}
                called = ", ".join(f"{what}, which {by} {verbs[what.isidentifier()]}" for what, by in helpers.items())
                unread.append(f"{path} is changed as well and is not read: {called}, of which the model has something.")
        if others:
            more = f" and {len(others) - _MOST_FILES} more" if len(others) > _MOST_FILES else ""
            rest = ", ".join(others[:_MOST_FILES])
            told.append(f"Changed, too, and not read, since the model has nothing of it: {rest}{more}.")
        besides = (*found.besides, *filter(None, told))
        return replace(found, claims=tuple(claims), besides=besides, unread=tuple(unread))

    def _end(self, found: Comparison) -> tuple[int, str]:
        code, reason = ENDS[found.worse]
        if self.on_difference:
            code, reason = UNLIKE.get(found.decision, (0, "they are equivalent"))
        if code == 4 and self.undecided_ok:
            return 0, f"{reason}; --undecided ok lets that pass"
        return code, reason

    def _options(self) -> list[str]:
        return [
            *(["--liveness"] if self.liveness else []),
            *([f"--version {self.reading.version}"] if self.reading.version else []),
            *(f"--assume {shlex.quote(line)}" for line in self.reading.assumed),
            *(f"--claims {shlex.quote(str(file))}" for file in self.reading.claim_files),
        ]

    def _go(self, subjects: tuple[Subject, Subject]) -> tuple[Mapping[str, tuple[str, str]], tuple[str, ...]]:
        """Which functions of the Go are EQUAL, and what was translated; of two files those of the second."""
        sides = [side for side in (1, 0) if _is_go(subjects[side])]
        if not sides or self.detail is Detail.QUIET:
            return {}, ()
        from podproof.queries.equality import prove_equal, theorem_lines, translation_lines

        own, other, everything = subjects[sides[0]], subjects[1 - sides[0]], self.detail is Detail.FULL
        file = own.file
        assert file is not None
        if len(sides) == 2 and own.release is not other.release:  # The workers alone are compared, among one's callers.
            own = replace(go_subject(file, other.release.name, self.reading.assumed), name=own.name)
        found = translation_of(subject_of(own.release.name, None), file, self.reading.assumed)
        lines = list(translation_lines(found, everything))
        if self.liveness:
            return {}, tuple(lines)
        try:
            theorem = prove_equal(other, own, found)
        except CheckerError as error:
            return {}, (*lines, f"  theorem     not decided: {error}")
        functions = {name: (equality.value, why) for name, (equality, why) in theorem.functions.items()}
        return functions, (*lines, *theorem_lines(theorem, everything))


def _theorems(
    changed: Sequence[Mapping[str, Collection[str]]],
    texts: Mapping[str, tuple[str, str]],
    base: Subject,
    beside: Callable[[str], Sequence[str]],
) -> Mapping[tuple[str, str], FunctionTheorem]:
    """By path and name what was decided about each function that is read and changed, itself or in a part of it."""
    from podproof.queries.modelled_functions import asked_by, compare_texts

    names = {path: {name for some in changed for name in some.get(path, ())} for path in texts}
    asked = [(path, name) for path, some in names.items() if some for name in asked_by(path, some, texts[path])]
    found = {(path, name): compare_texts(name, path, texts[path], base) for path, name in asked}
    for (path, name), theorem in found.items():
        others = [text for text in beside(str(PurePosixPath(path).parent)) if text not in texts[path]]
        named = {part for part in theorem.parts for text in others if re.search(rf"\b{part}\b", text)}
        found[path, name] = replace(theorem, parts=theorem.parts - named)
    return found


def _is_part(path: str, name: str, theorems: Mapping[tuple[str, str], FunctionTheorem]) -> bool:
    """Is a function one of which something was decided, or nothing but a part of it?"""
    return any(place == path and name in (of, *theorem.parts) for (place, of), theorem in theorems.items())


def _of_function(path: str, name: str, theorem: FunctionTheorem, base: Subject) -> str:
    """What was decided about a function beside the pod workers, in sentences."""
    if theorem.equality is Equality.EQUAL:
        return f"{name} of {path} is changed, too, and EQUAL: it answers as before. That is about {theorem.bounds}."
    if theorem.equality is Equality.UNDECIDED:
        return (
            f"{name} of {path} is changed as well, and whether it answers as before is not decided: {theorem.reason}. "
            f"Write it as a proposal for {base.release.name} (podproof new), and review that."
        )
    words = {claim.property.id: (claim.state, claim.baselines[0][1].reason) for claim in theorem.claims}
    told = [f"{state.value} {id}, {reason}" for id, (state, reason) in words.items() if state is not None]
    claims = (
        "; ".join(told) or f"none of the claims about it tells that apart, and the scenarios run {base.release.name}'s"
    )
    return f"{name} of {path} is changed, too, and DIFFERENT, {theorem.reason}. Of the claims about it: {claims}."


def _doing_the_same(path: str, names: Sequence[str]) -> str:
    does = "do" if len(names) > 1 else "does"
    return (
        f"Changed, too, and EQUAL: {', '.join(names)} of {path} {does} the same as before, call by call: in the same "
        "order, with the same arguments, on the same conditions."
    )


def _are_known(callers: Iterable[NearestCallers]) -> bool:
    return not any(side.differences for side in callers)


def _known_callers(changed: Mapping[str, Sequence[str]], callers: Iterable[NearestCallers]) -> str:
    names = "; ".join(f"{', '.join(names)} of {path}" for path, names in changed.items())
    first, second = (f"{side.known.release} (as {side.known.version})" for side in callers)
    return (
        f"Changed, too, and known: {names}. All that the model has of the other files is as in {first} before, and as "
        f"in {second} after, so each side is looked at among the callers of its release."
    )


def _unlike_release(name: str, side: NearestCallers) -> str:
    """Why the callers of a side are not known; nothing where no release is near."""
    release, unlike = side.known.release, [name for _, name in side.differences]
    if not unlike or len(unlike) > _MOST_FUNCTIONS:
        return ""
    told = f"All that the model has of the other files of {Path(name).stem} is as in {release}"
    return f"{told}, but {', '.join(unlike)}."


def changed_functions(subjects: tuple[Subject, Subject]) -> Mapping[str, str] | None:
    """The functions of the Go that differ, and whether each is changed, new or gone; None where a side's are unknown.

    For a release stands that of the files it was proved equal to which is nearest to the other side.
    """
    if not any(map(_is_go, subjects)):
        return None
    from podproof.golang.releases import unlike

    first, second = map(_fingerprints, subjects)
    ways = [(before, after) for before in first for after in second]
    found = min((dict(unlike(*way)) for way in ways), key=len, default={})
    return found if ways and len(found) <= max(map(len, ways[0])) // 2 else None


def _left_out(parts: Iterable[str], subjects: tuple[Subject, Subject]) -> str:
    names = ", ".join(sorted(parts))
    both = [s for s in SCENARIOS.values() if all(s.is_for(one.cls) for one in subjects) and {*parts} & {*s.parts}]
    ask = f"`--scenario {both[0].name}` and others do" if both else "one of them has no model of it"
    return f"Around the pod workers {names} differ as well, which none of these scenarios runs; {ask}."


def methods_in_go(methods: Sequence[MethodChange], subjects: tuple[Subject, Subject]) -> tuple[MethodChange, ...]:
    """The same; what was translated of a Go function has its name, unless several methods were."""
    if not any(map(_is_go, subjects)):
        return tuple(methods)
    from podproof.golang.syntax import read

    known = [
        {f.line: name for name, f in read(s.file).functions.items()} if s.file is not None and _is_go(s) else {}
        for s in subjects
    ]
    places = [[(side, line.number) for side, line in zip(known, m.lines, strict=True) if line] for m in methods]
    names = [next((side[at] for side, at in x if at in side), m.name) for x, m in zip(places, methods, strict=True)]
    named = zip(methods, names, strict=True)
    return tuple(replace(m, name=name) if names.count(name) == 1 else m for m, name in named)


def _is_go(subject: Subject) -> bool:
    return subject.file is not None and subject.file.suffix == ".go"


def _fingerprints(subject: Subject) -> Sequence[Mapping[str, str]]:
    """Those of a Go file's functions, or of the files that a release was proved equal to; none of a proposal."""
    from podproof.golang.releases import fingerprints_of, proved_releases
    from podproof.golang.syntax import read

    if subject.file is not None:
        return [fingerprints_of(read(subject.file))] if _is_go(subject) else []
    return [one.fingerprints for one in proved_releases() if one.version == subject.name]


def _hunks(subjects: tuple[Subject, Subject]) -> tuple[str, ...]:
    """How two Go files differ, line by line; nothing where a side is none."""
    files = [subject.file for subject in subjects if subject.file is not None and _is_go(subject)]
    if len(files) < 2:
        return ()
    first, second = (file.read_text(encoding="utf-8").expandtabs(4).splitlines() for file in files)
    return tuple(difflib.unified_diff(first, second, files[0].name, files[1].name, lineterm=""))


# -- Go alone ----------------------------------------------------------------------------------------------------------


def functions_alone(file: Path, version: str, assumed: tuple[str, ...], everything: bool) -> list[str]:
    """What is known of the functions of a worker whose goroutine is not translated, so that nobody can tell of it."""
    from podproof.queries.equality import prove_equal, theorem_lines, translation_lines

    release = subject_of(version, None)
    found = translation_of(release, file, assumed, partly=True)
    if not found.functions:
        raise CheckerError(
            f"{found.file.name}: this is kubelet 1.21 or earlier, which had another worker: it knows no phases of a "
            "pod, and keeps no status of one. None of its functions is translated, so none is judged; the model of "
            "that worker is --version v1.20"
        )
    theorem = prove_equal(release, go_subject(file, version, assumed, partly=True), found)
    return [
        f"CANNOT TELL: of {file.name} single functions are translated, and not its goroutine",
        *translation_lines(found, everything),
        *theorem_lines(theorem, everything),
    ]


def translated(function: str, names: Sequence[str], reading: Reading) -> str:
    """What a Go file is translated to, or one function of it. Raises CheckerError where there is no such function."""
    if len(names) != 1 or not names[0].endswith(".go"):
        raise UsageError("--emit: it prints the translation of a Go file; give that alone")
    file = Path(names[0])
    older = is_older(file)
    release = subject_of(reading.version or ("v1.26" if older else DEFAULT_OF_GO), None)
    found = translation_of(release, file, reading.assumed, older)
    text = found.text if function == ALL else found.text_of(function)
    if not text:
        raise CheckerError(f"--emit: no function {function!r} is translated; there are {', '.join(found.functions)}")
    return text
