"""What a claim is: a property with its meaning, its source and the versions that are known to break it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Literal, TypeVar

Kind = Literal["always", "step", "never", "sometimes"]
F = TypeVar("F", bound=Callable[..., bool])


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
    function: Callable[..., bool] | None = None
    lines: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    """The scenarios it is about; empty means all that have what it reads."""
    needs: tuple[str, ...] = ()
    """Methods of the pod workers without which it means nothing; some releases lack them."""
    known_violations: Mapping[str, str] = field(default_factory=dict)
    """Version, or version/scenario -> the upstream issue, or what is known when there is none."""

    def known_violation(self, version: str, scenario: str) -> str | None:
        """What is known of this version breaking the claim in this scenario; None where it should hold."""
        return self.known_violations.get(f"{version}/{scenario}", self.known_violations.get(version))

    def applies_to(self, model_class: type, scenario: str) -> bool:
        """Does the claim make sense in this scenario? A function's annotation says which environment it reads."""
        if self.scenarios and scenario not in self.scenarios:
            return False
        if not all(hasattr(model_class, method) for method in self.needs):
            return False
        return self.function is None or issubclass(model_class, _reads(self.function))


def _reads(function: Callable[..., bool]) -> type:
    """The model class that a claim's function takes."""
    first = next(iter(inspect.signature(function).parameters))
    cls = typing.get_type_hints(function)[first]
    assert isinstance(cls, type)
    return cls


def claim(
    kind: Kind,
    source: str,
    scenarios: tuple[str, ...] = (),
    known_violations: Mapping[str, str] | None = None,
    needs: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Make a function of the model language a claim: its name is the id, its docstring the meaning and the reason."""

    def mark(function: F) -> F:
        meaning, _, why = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        text = " ".join(meaning.split())
        why = " ".join(why.split())
        notes = dict(known_violations or {})
        made = Claim(function.__name__, kind, text, source, why, function, (), scenarios, needs, notes)
        function.__claim__ = made  # type: ignore[attr-defined]
        return function

    return mark


UNTIL_1_26 = ("v1.22.0", "v1.22.5", "v1.26")
SINCE_1_27 = ("v1.27.0", "v1.27.2", "v1.29", "v1.32", "v1.35")
RELEASES = (*UNTIL_1_26, *SINCE_1_27)
UNTIL_1_29 = RELEASES[: RELEASES.index("v1.32")]
WALKTHROUGH_UPDATE = ("walkthrough-001", "walkthrough-001-update")
WALKTHROUGH_COMPLETE = ("walkthrough-001", "walkthrough-001-complete")
WALKTHROUGHS = tuple(dict.fromkeys((*WALKTHROUGH_UPDATE, *WALKTHROUGH_COMPLETE)))
EVERY_VERSION = (*RELEASES, *WALKTHROUGHS)
SINCE_1_24 = tuple(version for version in EVERY_VERSION if not version.startswith("v1.22"))
"""The versions that have completeSync."""


def known(text: str, versions: Iterable[str] = EVERY_VERSION, scenarios: Iterable[str] = ()) -> Mapping[str, str]:
    """The same note on several versions, everywhere or in these scenarios only."""
    if not scenarios:
        return dict.fromkeys(versions, text)
    return {f"{version}/{scenario}": text for version in versions for scenario in scenarios}


UNREPORTED = "no upstream issue found"
NEVER_FINISHED = "kubernetes/kubernetes#116925, #117019: a pod that ended before it is first seen is finished at once"
NEVER_RESTARTED = (
    "kubernetes/kubernetes#104648, #104847: a UID that is used again while its pod terminates is forgotten"
)
KILLED_WAITING = (
    "kubernetes/kubernetes#107733, #107900: a pod that was killed while it waited keeps its place in the line"
)
LEFT_BEHIND = (
    "no upstream issue found; an update that came before the pod had to wait is left behind, and worked on after the "
    "next one"
)
FINISHED_WHILE_RUNNING = (
    "no upstream issue found; a static pod that is removed before it has started is terminated at once, even if it has "
    "run since before a restart of the kubelet"
)
RECORDED = "no upstream issue found; recorded from the real 1.29 code"
_IGNORES = "the walkthrough's UpdatePod does nothing for a pod that is already known"
_FORGETS = "the walkthrough's completeWork forgets a pod that has no pending update"
IGNORES_UPDATES = known(_IGNORES, WALKTHROUGH_UPDATE)
FORGETS_IDLE_PODS = known(_FORGETS, WALKTHROUGH_COMPLETE)
FORGETS_TWO_GOROUTINES = known(_FORGETS, WALKTHROUGH_COMPLETE, ("two-goroutines",))
SECOND_GOROUTINE = known(
    "no upstream issue found; a goroutine must sleep from its spawn until its UID is added again, so only one made to "
    "wait has been recorded doing it",
    (*SINCE_1_27, *WALKTHROUGHS),
    ("two-goroutines",),
)
"""The violations that come of two goroutines serving one UID."""


def claims_in(module: ModuleType) -> Iterator[Claim]:
    """The claims a module defines, in their order."""
    for thing in vars(module).values():
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and hasattr(thing, "__claim__"):
            yield thing.__claim__
