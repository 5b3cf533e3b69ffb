"""The sync loop's handlers, read from the Go of both sides of a change, each in the place of its release's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from podproof.checker.core.system import CheckerError, Outcome, System
from podproof.checker.difference.transitions import Conclusion, Equality, compare_everywhere, in_one_graph
from podproof.checker.solver.equivalence import Equivalence
from podproof.golang.handlers import CLEANUPS, HELPERS, TranslatedHandlers, translate_handlers
from podproof.golang.handling import HANDLERS
from podproof.golang.neighbours import NearestCallers
from podproof.model.kubelet import Kubelet
from podproof.model.release import LayeredRelease
from podproof.model.scenarios import SCENARIOS
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import Subject, subject_of, system_of
from podproof.queries.equality import differences
from podproof.queries.repository import ChangedFile

_MOST = 4
"""So many fields that differ are told."""
_SCENARIOS = tuple(one for one in SCENARIOS.values() if one.environment is SyncLoop)
_LISTS = Kubelet.housekeeping_list_pods.__name__
"""The step in which a pass of housekeeping decides what it calls UpdatePod for."""
_MILLISECONDS = 30_000
"""So long Z3 may think about one question."""
Sides = tuple[TranslatedHandlers, TranslatedHandlers]


@dataclass(frozen=True)
class ReadHandlers:
    """Handlers that a change touches, of both sides."""

    files: tuple[Sides, ...]
    versions: tuple[str, str]
    """Of the releases whose other callers are around them."""
    cut_off: str
    """What is not explored of them."""

    @property
    def names(self) -> tuple[str, ...]:
        """Also of the helpers that are read with them."""
        return tuple(name for one, other in self.files for name in (*one.names, *sorted(one.parts & other.parts)))

    def in_place(self, subjects: tuple[Subject, Subject]) -> tuple[Subject, Subject]:
        """The subjects, each with the handlers of its side."""
        first, second = subjects
        for one, other in self.files:
            first, second = with_handlers(first, one), with_handlers(second, other)
        return first, second

    def told(self) -> str:
        """What was read, in a sentence."""
        bounds = dict.fromkeys(side.bounds for sides in self.files for side in sides)
        around = " and ".join(dict.fromkeys(self.versions))
        files = " and ".join(f"{', '.join(one.names)} of {one.file.path.name}" for _, one in self.files)
        return (
            f"Changed, too, and read: {files}. In the scenarios of the sync loop each side has its own, among the "
            f"other callers of {around}; the other scenarios have that release's. That is about {'; '.join(bounds)}; "
            "what other files have is by the vocabularies of handlers."
        )

    def unread(self) -> Iterator[str]:
        """What of the change nothing is said about."""
        for first, second in self.files:
            for name in second.names:
                both = [[text for text, _ in side.unread[name]] for side in (first, second)]
                if both[0] != both[1]:
                    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*both, strict=False))))
                    where = f" in line {second.unread[name][same][1]}" if same < len(both[1]) else ""
                    yield f"What {name} does beyond these bounds is changed as well{where}, and not read."
            if second.several:
                yield several_calls(second.several)
        if self.cut_off:
            yield self.cut_off


def several_calls(names: Collection[str]) -> str:
    """What is not said of handlers that may call UpdatePod twice."""
    return (
        f"More than once for an event UpdatePod is called by {', '.join(names)}, and what a worker does between two "
        "calls is not explored."
    )


def read_handlers(
    changed: Mapping[str, Sequence[str]],
    callers: tuple[NearestCallers, NearestCallers],
    change: ChangedFile,
) -> ReadHandlers | None:
    """The handlers among the changed functions, if they are all that no release has; None if they are not.

    Raises CheckerError for what is not read.
    """
    read = HANDLERS.keys() | HELPERS
    places = {path: names for path, names in changed.items() if not read.isdisjoint(names)}
    others = {name for side in callers for _, name in side.differences} - read
    if not places or others:
        return None
    versions = callers[0].known.version, callers[1].known.version
    releases = [subject_of(version, None) for version in versions]
    files = list[Sides]()
    for place, changes in places.items():
        stems = Path(change.path).stem, Path(place).stem
        paths = [file.with_name(file.name.replace(*stems, 1)) for file in (change.before, change.after)]
        sides = list(zip(releases, paths, change.neighbours[place], strict=True))
        names = {name for name in changes if name in HANDLERS} | (HELPERS & {*changes} and CLEANUPS)
        first, second = (handlers_of(*side, names) for side in sides)
        if first.names != second.names:  # One of them calls what the other does not.
            first, second = (handlers_of(*side, {*first.names, *second.names}) for side in sides)
        if not HELPERS & {*changes} <= first.parts & second.parts:  # One of them is no part of what is read.
            return None
        files.append((first, second))
    found = ReadHandlers(tuple(files), versions, "")
    if CLEANUPS.isdisjoint(found.names):
        return found
    cut_off = map(cut_off_in, found.in_place((releases[0], releases[1])))
    return replace(found, cut_off=next(filter(None, cut_off), ""))


def handlers_of(release: Subject, path: Path, text: str, names: Collection[str]) -> TranslatedHandlers:
    """Some handlers of a file among the callers of a release. Raises CheckerError for what is not read."""
    if not issubclass(release.cls, LayeredRelease) or not hasattr(release.cls, "sync_loop"):
        raise CheckerError(f"{path.name}: there is no model of the sync loop of {release.name}; take a later --version")
    return translate_handlers(text, path, names, release.cls.sync_loop, release.name.removeprefix("v"))


def with_handlers(subject: Subject, handlers: TranslatedHandlers) -> Subject:
    """The subject with these handlers in its sync loop, which may have those of another file already."""
    assert issubclass(subject.cls, LayeredRelease)
    own = subject.cls.sync_loop
    together = handlers.cls
    if own not in together.__bases__:
        together = type(together.__name__, (together, own), {})
    cls = type(subject.cls.__name__, (subject.cls,), {"sync_loop": together})
    digest = None if subject.digest is None else f"{subject.digest} {handlers.file.digest} {handlers.names}"
    return replace(subject, cls=cls, digest=digest)


def cut_off_in(subject: Subject) -> str:
    """What of a pass of housekeeping the subject's sync loop cannot do; empty where that never happens."""
    solver = Equivalence(_MILLISECONDS)
    for scenario in _SCENARIOS:
        system = system_of(subject, scenario, unbounded=True)
        steps = (step for step in system.transitions if step.action.name == _LISTS)
        never = ((step.when(Outcome.CUT_OFF, system.graph), system.graph.false) for step in steps)
        if not solver.always_equal(never, system.graph.true):
            return (
                "A pass of housekeeping may call UpdatePod twice about a pod, or about one whose worker it knows, and "
                "what comes of that is not explored."
            )
    return ""


# -- the theorem -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandlerTheorem:
    """Whether handlers do what those of a release do, in every state of each scenario of the sync loop."""

    equality: Equality
    reason: str
    """In which event they differ, or why that is not decided."""
    bounds: str


def prove_handlers_equal(handlers: TranslatedHandlers, release: Subject) -> HandlerTheorem:
    """Is each step of the sync loop the same with these handlers, in every state and for any number of seconds?"""
    own = replace(with_handlers(release, handlers), name=handlers.file.path.stem)
    names = ", ".join(scenario.name for scenario in _SCENARIOS)
    bounds = "; ".join([f"the scenarios {names}", handlers.bounds, "the vocabularies of handlers"])
    for scenario in _SCENARIOS:
        first, second = in_one_graph(*(system_of(one, scenario, unbounded=True) for one in (release, own)))
        found = compare_everywhere((first, second), {}, ())
        unlike = [one for one in found.conclusions if one.equality is not Equality.EQUAL]
        for conclusion in sorted(unlike, key=lambda one: one.equality is not Equality.DIFFERENT):
            reason = f"in {scenario.name}, {_told(conclusion, second)}"
            return HandlerTheorem(conclusion.equality, reason, bounds)
    return HandlerTheorem(Equality.EQUAL, "", bounds)


def _told(conclusion: Conclusion, system: System) -> str:
    """The event in which two handlers differ, and what they make of it."""
    witness = conclusion.witness
    if witness is None or witness.move is None:
        return f"{conclusion.name}: {conclusion.reason}"
    unlike = list(differences(conclusion))
    told = [one for one in unlike if one[0].startswith("calls[")] or unlike
    fields = ", ".join(f"{path} is {mine} in the release and {theirs} here" for path, mine, theirs, _ in told[:_MOST])
    ends = "; ".join(outcome for outcome in witness.outcomes if isinstance(outcome, str))
    return f"{system.event(witness.move)}: {fields or ends or conclusion.reason}"
