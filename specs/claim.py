"""What a claim is: a property with its meaning, its source and the versions that are known to break it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import ModuleType
from typing import Any, Literal, TypeVar

from podproof.model.versions import SINCE_1_22, Version
from podproof.model.walkthrough import Walkthrough, WalkthroughComplete, WalkthroughUpdate
from podproof.specs.sentence import check_names

Kind = Literal["always", "step", "never", "sometimes", "leads_to", "recurs"]
F = TypeVar("F", bound=Callable[..., Any])

MORE_EVENTS = " with more events"
"""What follows a scenario's name where a violation takes more events than the scenario counts."""


class Harm(Enum):
    """What it harms when a claim does not hold; the worst first."""

    CONTAINERS = "containers or data are harmed"
    CALLERS = "callers are misled"
    BOOKKEEPING = "bookkeeping is wrong"
    LOG = "a line is logged that should not be"


@dataclass(frozen=True)
class Violation:
    """How a claim is known to be broken, and in which versions. Later releases inherit it until one mends it."""

    how: str
    by: str
    """Who reported it: the issues and pull requests upstream; empty where none was found."""
    since: str
    """The first release with it."""
    until: str
    """The release that mended it; empty for none."""
    scenarios: tuple[str, ...]
    """Where it shows; empty for every scenario that the claim is about, unless it takes more events."""
    with_more_events: tuple[str, ...]
    """The scenarios where it takes more events than they count, as `podproof prove --endless` has them."""
    departure: type | None
    """The reading of the source that alone has it, with those that derive from it; None for the kubelet's own."""
    hidden_by: tuple[type, ...]
    """The readings in which something else keeps it from showing."""
    rests_on: tuple[str, ...]
    """The numbers of the departures in model/ABSTRACTIONS.md without which its shortest trace would not be there."""
    on_real_code: str
    """What was seen when it was tried on the real kubelet; empty where it was not."""
    versions: Mapping[str, Version] = field(repr=False, compare=False)
    """Those with the pod worker that the claim is about, by their names."""

    def __str__(self) -> str:
        if self.departure is not None:
            return self.how
        text = f"{self.by or 'no upstream issue found'}{': ' if self.by else '; '}{self.how}"
        if self.rests_on:
            text += f"; rests on {', '.join(self.rests_on)} of model/ABSTRACTIONS.md"
        return f"{text}; {self.on_real_code}" if self.on_real_code else text

    def concerns(self, version: Version) -> bool:
        """Does a version break the claim in this way? A reading of a release does what its release does."""
        if version.cls in self.hidden_by:
            return False
        if self.departure is not None:
            return issubclass(version.cls, self.departure)
        release = version if version.covers else self.versions[version.based_on]
        return release.is_within(self.since, self.until)


@dataclass(frozen=True)
class Claim:
    """A claim about the pod worker. The kinds are those of `checker.system.Property`."""

    id: str
    kind: Kind
    meaning: str
    """One sentence."""
    source: str
    """Where upstream says so: a comment, an issue, a pull request."""
    why: str = ""
    """What it means for users when it does not hold, or what else there is to know."""
    function: Callable[..., Any] | None = None
    lines: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    """The scenarios it is about; empty means all that have what it reads."""
    needs: tuple[str, ...] = ()
    """Methods of the pod workers without which it means nothing; some releases lack them."""
    violations: tuple[Violation, ...] = ()
    harm: Harm = Harm.CONTAINERS
    wrong: str = ""
    """How it fails, as a clause with expressions in braces; `specs.sentence` says which. Empty for the formula."""
    supersedes: tuple[str, ...] = ()
    """Of a proposal's claim, the ids of the claims that the design gives up for it."""

    @property
    def is_about_runs(self) -> bool:
        """Does it say what must happen eventually, and not what holds in states and steps?"""
        return self.kind in ("leads_to", "recurs")

    @cached_property
    def violations_by_place(self) -> Mapping[str, Violation]:
        """Version, or version/scenario -> how it breaks the claim. A scenario may be one with more events."""
        found: dict[str, Violation] = {}
        for violation in self.violations:
            oldest_first = sorted(violation.versions.values(), key=lambda version: version.order)
            for version in filter(violation.concerns, oldest_first):
                more = (scenario + MORE_EVENTS for scenario in violation.with_more_events)
                for where in (*violation.scenarios, *more) or ("",):
                    found.setdefault(f"{version.name}/{where}" if where else version.name, violation)
        return found

    @cached_property
    def known_violations(self) -> Mapping[str, str]:
        """Version, or version/scenario -> how it breaks the claim, who reported it, and what real code did."""
        return {place: str(violation) for place, violation in self.violations_by_place.items()}

    def known_in(self) -> Iterator[tuple[Sequence[str], Sequence[str], str]]:
        """The versions that break the claim in one way, the scenarios in which they do (none: in all), and how."""
        scenarios: dict[tuple[str, str], list[str]] = {}
        for place, note in self.known_violations.items():
            version, _, scenario = place.partition("/")
            scenarios.setdefault((note, version), []).extend([scenario] if scenario else [])
        alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (note, version), names in scenarios.items():
            alike.setdefault((note, tuple(names)), []).append(version)
        for (note, where), versions in alike.items():
            yield versions, where, note

    def violation(self, version: str, scenario: str, endless: bool = False) -> Violation | None:
        """How this version is known to break the claim in this scenario; None where it should hold.

        `endless`: may its events happen any number of times?
        """
        places = [f"{version}/{scenario}", version, *([f"{version}/{scenario}{MORE_EVENTS}"] if endless else [])]
        return next((self.violations_by_place[place] for place in places if place in self.violations_by_place), None)

    def known_violation(self, version: str, scenario: str, endless: bool = False) -> str | None:
        """The same in words."""
        found = self.violation(version, scenario, endless)
        return None if found is None else str(found)

    def applies_to(self, model_class: type, scenario: str) -> bool:
        """Does the claim make sense in this scenario? A function's annotation says which environment it reads."""
        if self.scenarios and scenario not in self.scenarios:
            return False
        if not all(hasattr(model_class, method) for method in self.needs):
            return False
        return self.function is None or issubclass(model_class, model_class_of(self.function))


def model_class_of(function: Callable[..., Any]) -> type:
    """The model class that a function over states takes first."""
    first = next(iter(inspect.signature(function).parameters))
    cls = typing.get_type_hints(function)[first]
    assert isinstance(cls, type)
    return cls


def claim(
    kind: Kind,
    source: str,
    scenarios: tuple[str, ...] = (),
    violations: tuple[Violation, ...] = (),
    needs: tuple[str, ...] = (),
    harm: Harm = Harm.CONTAINERS,
    wrong: str = "",
    supersedes: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Make a function of the model language a claim: its name is the id, its docstring the meaning and the reason.

    A proposal's claim `supersedes` claims that its design gives up on purpose, by their ids.
    `wrong` tells how it fails, with the values: "the grace period of {uid} grew to {new.grace_period} s". Raises
    ValueError where that names what the claim does not.
    """

    def mark(function: F) -> F:
        meaning, _, why = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        text = " ".join(meaning.split())
        why = " ".join(why.split())
        check_names(function, kind, wrong)
        made = Claim(
            *(function.__name__, kind, text, source, why, function, (), scenarios, needs, violations, harm, wrong),
            supersedes=supersedes,
        )
        function.__claim__ = made  # type: ignore[attr-defined]
        return function

    return mark


def broken(
    how: str,
    by: str = "",
    since: str = "1.22.0",
    until: str = "",
    scenarios: tuple[str, ...] = (),
    with_more_events: tuple[str, ...] = (),
    departure: type | None = None,
    hidden_by: tuple[type, ...] = (),
    rests_on: tuple[str, ...] = (),
    on_real_code: str = "",
    versions: Mapping[str, Version] = SINCE_1_22,
) -> Violation:
    """A claim is known to be broken: in every version from `since` on, until the release that mended it."""
    where = (scenarios, with_more_events)
    return Violation(how, by, since, until, *where, departure, hidden_by, rests_on, on_real_code, versions)


GO_TEST_PASSES = "1.29.6 and 1.32.10 do it: the Go test that is made of the trace passes there"
"""Said of traces that podproof check -o go-test writes as a Go test; see docs/go-tests.md."""

WITHOUT_UPDATES = (Walkthrough, WalkthroughUpdate)
"""The readings in which what takes a second update does not happen."""
_IGNORES = "the walkthrough's UpdatePod does nothing for a pod that is already known"
_FORGETS = "the walkthrough's completeWork forgets a pod that has no pending update"
IGNORES_UPDATES = broken(_IGNORES, departure=WalkthroughUpdate)
IGNORES_UPDATES_ALONE = broken(_IGNORES, departure=WalkthroughUpdate, hidden_by=(Walkthrough,))
FORGETS_IDLE_PODS = broken(_FORGETS, departure=WalkthroughComplete)
FORGETS_TWO_GOROUTINES = broken(_FORGETS, departure=WalkthroughComplete, scenarios=("two-goroutines",))
SECOND_GOROUTINE = broken(
    "a goroutine must sleep from its spawn until its UID is added again, so only one made to wait has been recorded "
    "doing it",
    since="1.27.0",
    scenarios=("two-goroutines",),
)
"""The violations that come of two goroutines serving one UID."""
NEVER_FINISHED = broken(
    "a pod that ended before it is first seen is finished at once",
    by="kubernetes/kubernetes#116925, #117019",
    since="1.22.3",
    until="1.27.2",
)
NEVER_RESTARTED = broken(
    "a UID that is used again while its pod terminates is forgotten",
    by="kubernetes/kubernetes#104648, #104847",
    until="1.22.3",
)
KILLED_WAITING = broken(
    "a pod that was killed while it waited keeps its place in the line",
    by="kubernetes/kubernetes#107733, #107900",
    since="1.22.5",
    until="1.24.0",
    scenarios=("static-pair", "static-pair-restart", "static-successor", "static-waiting"),
)
LEFT_BEHIND = broken(
    "an update that came before the pod had to wait is left behind, and worked on after the next one",
    since="1.22.5",
    until="1.24.0",
    scenarios=("static-pair",),
)
FINISHED_WHILE_RUNNING = broken(
    "a static pod that is removed before it has started is terminated at once, even if it has run since before a "
    "restart of the kubelet",
    since="1.24.0",
    scenarios=("static-pair-restart",),
    hidden_by=WITHOUT_UPDATES,
    on_real_code="1.29.6 and 1.32.10 do it; in 1.29.6 100 of 100 times where ADD and REMOVE follow each other after a "
    "restart. Another static pod of the full name ran beside it, and its containers got 1 s instead of the spec's 30",
)
ENDED_BEFORE_RELIST = broken(
    "a pod that has ended in the API is added after a restart of the kubelet before PLEG's first relist has come to "
    "it: to UpdatePod nothing of it runs, so it is terminated and finished at once, and as long as its object is there "
    "nobody looks after its containers",
    since="1.36.0",
    scenarios=("ended-before-relist",),
    on_real_code="1.36.3 does it where the ADD comes before the relist: recorded",
)
"""In 1.29 UpdatePod's lines are the same."""


def claims_in(module: ModuleType) -> Iterator[Claim]:
    """The claims a module defines, in their order."""
    for thing in vars(module).values():
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and hasattr(thing, "__claim__"):
            yield thing.__claim__
