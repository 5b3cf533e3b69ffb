"""The sync loop's handlers, read from the Go of both sides of a change, each in the place of its release's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from podproof.checker.core.system import CheckerError, System
from podproof.checker.difference.transitions import Conclusion, Equality, compare_everywhere, in_one_graph
from podproof.golang.handlers import BOUNDS, HANDLERS, TranslatedHandlers, translate_handlers
from podproof.golang.neighbours import NearestCallers
from podproof.model.release import LayeredRelease
from podproof.model.scenarios import SCENARIOS
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import Subject, subject_of, system_of
from podproof.queries.equality import differences
from podproof.queries.repository import ChangedFile

_MOST = 4
"""So many fields that differ are told."""
Sides = tuple[TranslatedHandlers, TranslatedHandlers]


@dataclass(frozen=True)
class ReadHandlers:
    """Handlers that a change touches, of both sides."""

    found: Sides
    versions: tuple[str, str]
    """Of the releases whose other callers are around them."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.found[0].names

    def in_place(self, subjects: tuple[Subject, Subject]) -> tuple[Subject, Subject]:
        """The subjects, each with the handlers of its side."""
        first, second = map(with_handlers, subjects, self.found)
        return first, second

    def told(self) -> str:
        """What was read, in a sentence."""
        gates = dict.fromkeys(gate for side in self.found for gate in side.gates)
        around = " and ".join(dict.fromkeys(self.versions))
        return (
            f"Changed, too, and read: {', '.join(self.names)} of {self.found[1].file.path.name}. In the scenarios of "
            f"the sync loop each side has its own, among the other callers of {around}; the other scenarios have that "
            f"release's. That is about {'; '.join([BOUNDS, *gates])}; what other files have is by the vocabulary "
            "handlers.vocabulary."
        )

    def unread(self) -> Iterator[str]:
        """What of the change nothing is said about."""
        first, second = (side.unread for side in self.found)
        for name in self.names:
            both = [[text for text, _ in side[name]] for side in (first, second)]
            if both[0] != both[1]:
                same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*both, strict=False))))
                where = f" in line {second[name][same][1]}" if same < len(both[1]) else ""
                yield f"What {name} does beyond these bounds is changed as well{where}, and not read."
        if self.found[1].several:
            yield several_calls(self.found[1].several)


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
    places = {path for path, names in changed.items() if not HANDLERS.keys().isdisjoint(names)}
    others = {name for side in callers for _, name in side.differences} - HANDLERS.keys()
    if len(places) != 1 or others:
        return None
    (place,) = places
    versions = callers[0].known.version, callers[1].known.version
    stems = Path(change.path).stem, Path(place).stem
    paths = [file.with_name(file.name.replace(*stems, 1)) for file in (change.before, change.after)]
    sides = list(zip(map(subject_of, versions, (None, None)), paths, change.neighbours[place], strict=True))
    first, second = (handlers_of(*side, changed[place]) for side in sides)
    if first.names != second.names:  # One of them calls what the other does not.
        first, second = (handlers_of(*side, {*first.names, *second.names}) for side in sides)
    return ReadHandlers((first, second), versions)


def handlers_of(release: Subject, path: Path, text: str, names: Collection[str]) -> TranslatedHandlers:
    """Some handlers of a file among the callers of a release. Raises CheckerError for what is not read."""
    if not issubclass(release.cls, LayeredRelease) or not hasattr(release.cls, "sync_loop"):
        raise CheckerError(f"{path.name}: there is no model of the sync loop of {release.name}; take a later --version")
    return translate_handlers(text, path, names, release.cls.sync_loop, release.name.removeprefix("v"))


def with_handlers(subject: Subject, handlers: TranslatedHandlers) -> Subject:
    """The subject with these handlers in its sync loop."""
    cls = type(subject.cls.__name__, (subject.cls,), {"sync_loop": handlers.cls})
    digest = None if subject.digest is None else f"{subject.digest} {handlers.file.digest} {handlers.names}"
    return replace(subject, cls=cls, digest=digest)


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
    scenarios = [one for one in SCENARIOS.values() if one.environment is SyncLoop]
    names = ", ".join(scenario.name for scenario in scenarios)
    bounds = "; ".join([f"the scenarios {names}", BOUNDS, *handlers.gates, "the vocabulary handlers.vocabulary"])
    for scenario in scenarios:
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
