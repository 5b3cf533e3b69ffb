"""What a comparison of two versions found out: data for reports, all of it frozen.

A pair is always (first version, second version); None or an empty text stands for what a version does not have.
"""

from __future__ import annotations

import builtins
import functools
from dataclasses import dataclass
from enum import Enum

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.core.graph import Expr, Line
from podproof.checker.core.system import Action, ClaimFailure, Property, State, Status, System, Trace, Variable


@dataclass(frozen=True)
class MethodChange:
    """A method whose text differs."""

    name: str
    lines: tuple[Line | None, Line | None]
    texts: tuple[str, str]
    """The source without its indentation, for each place that `super()` leads to."""
    only_names: bool
    """Do only comments, layout and the names of locals differ?"""
    actions: tuple[str, ...]
    """The actions that may call it, in either version."""
    statements: tuple[tuple[tuple[str, Line], ...], tuple[tuple[str, Line], ...]] = ((), ())
    """The statements of each version with their lines, as text that also says in which blocks they stand."""


@dataclass(frozen=True)
class ActionChange:
    """An action that does not do the same in every state; states need not be reachable for that."""

    name: str
    actions: tuple[Action | None, Action | None]
    guards: tuple[Expr, Expr] | None
    """When the action may be taken, where that differs."""
    updates: tuple[tuple[str, Expr, Expr], ...]
    """A variable that both versions have, and what each makes of it."""
    only: tuple[tuple[str, ...], tuple[str, ...]]
    """Variables that the action writes and the other version does not have."""
    others: tuple[str, ...]
    """What else differs, in words."""
    lines: tuple[tuple[Line, ...], tuple[Line, ...]]
    """The lines of the model that the other version's action has no equal of."""


@dataclass(frozen=True)
class Divergence:
    """An event on which the versions part, in a state that steps lead to which are the same in both."""

    event: str
    action: str
    common: Trace
    ways: tuple[Trace, Trace]
    """The common steps in each version."""
    outcomes: tuple[Trace | None, Trace | None]
    """The common steps and then the event; None where a version cannot take it."""


@dataclass(frozen=True)
class NewStep:
    """What only one version shows of an action: steps between values of the fields that the other never takes."""

    side: int
    action: str
    steps: int
    """Different ones, as the fields show them, out of what both versions show."""
    entered: int
    """How many of the steps lead to values that the other version never shows."""
    example: Trace
    """A shortest trace that ends with such a step."""
    parts_at: int | None
    """The number of the step at which the other version no longer follows; None where it can follow to the end."""


@dataclass(frozen=True)
class Waiting:
    """Values of the fields with which nothing but the surroundings can go on, in one version only."""

    side: int
    values: State
    """Indices into `View.values`."""
    in_other: bool
    """Does the other version show these values, but always with a step that it can take by itself?"""
    example: Trace


@dataclass(frozen=True)
class Experiment:
    """Events that tell two versions apart: after them the fields differ, or one can do what the other cannot."""

    traces: tuple[Trace, Trace]
    event: str
    """The event that only `side` can take after them, or with which it alone goes on so; empty where fields differ."""
    side: int


class Decision(Enum):
    """How far two versions are the same in a scenario, and how that was decided."""

    IDENTICAL = "every step does the same in every state"
    UNREACHED = "no reachable state tells them apart"
    BISIMILAR = "bisimulation on the fields"
    DIFFERENT = "different"
    UNDECIDED = "undecided"

    @property
    def is_equivalent(self) -> bool:
        return self in (Decision.IDENTICAL, Decision.UNREACHED, Decision.BISIMILAR)


@dataclass(frozen=True)
class Side:
    """What one version shows in a scenario. Its states have the variables that guards and fields depend on."""

    states: int
    transitions: int
    depth: int
    only: int = 0
    """How many values of all fields together only this version shows."""
    only_steps: int = 0
    """How many steps between such values, including those that change none."""
    only_waits: int = 0
    """In how many of these values only the surroundings can take a step, in some state."""
    shown: int | None = None
    """The same three counts of all that the version shows; None where nothing differs and nobody asked."""
    shown_steps: int | None = None
    waits: int | None = None


@dataclass(frozen=True)
class OwnField:
    """A variable that the other version does not have."""

    side: int
    path: str
    actions: tuple[str, ...]
    """The actions that store another value into it than it begins with."""
    matters: bool
    """Does a guard, a claim or a field that is compared depend on it?"""


@dataclass(frozen=True)
class View:
    """The fields through which two versions are compared."""

    paths: tuple[str, ...]
    variables: tuple[tuple[Variable, Variable], ...]
    own: tuple[OwnField, ...] = ()
    missing: tuple[str, ...] = ()
    """Fields that were to be compared, and that not both versions have."""
    picture: tuple[int, ...] = ()
    """The numbers of the fields that a picture shows."""

    @functools.cached_property
    def values(self) -> tuple[tuple[str | int | bool, ...], ...]:
        """The values that each field can show, in either version."""
        shown = ((v.show(value) for v in pair for value in range(v.low, v.high + 1)) for pair in self.variables)
        return tuple(tuple(dict.fromkeys(values)) for values in shown)

    @builtins.property
    def hidden(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The variables of each version that matter and that the other does not have."""
        first, second = (tuple(f.path for f in self.own if f.matters and f.side == side) for side in (0, 1))
        return first, second


@dataclass(frozen=True)
class Flow:
    """A step from one group of states to another, as the fields of a picture show it."""

    source: State
    """Indices into the values of the picture's fields."""
    target: State
    action: str
    where: int
    """0 only the first version has it, 1 only the second, 2 both."""


@dataclass(frozen=True)
class Difference:
    """Two versions compared in one scenario."""

    systems: tuple[System, System]
    view: View
    decision: Decision
    reason: str
    """How it was decided, in a sentence."""
    changed: tuple[str, ...]
    """The actions that do not do the same in every state."""
    actions: tuple[ActionChange, ...]
    """What differs in those of them that were not described in a scenario before."""
    divergences: tuple[Divergence, ...] = ()
    never: tuple[str, ...] = ()
    """Events whose action changed, but which do the same wherever both versions come by the same steps."""
    sides: tuple[Side, Side] | None = None
    """None where it was not explored to the end."""
    new_steps: tuple[NewStep, ...] = ()
    waits: tuple[Waiting, ...] = ()
    experiment: Experiment | None = None
    flows: tuple[Flow, ...] = ()
    """The same steps through fewer fields, for a picture."""

    @builtins.property
    def same_steps(self) -> bool:
        """Have both the same reachable states and steps, in all that fields, guards and claims depend on?"""
        return self.decision in (Decision.IDENTICAL, Decision.UNREACHED)


@dataclass(frozen=True)
class DecidingTrace:
    """A shortest trace that decides a claim in one version, and what becomes of its events in the other."""

    scenario: str
    systems: tuple[System, System]
    """The version itself and the other one."""
    trace: Trace
    other: Trace
    """The events replayed in the other version, as far as it can take them."""
    other_violates: bool | None
    """Do they violate the claim there as well? None where that is no question: the claim asks for a witness."""
    failure: ClaimFailure | None
    """How the claim fails at the end of the trace; None where nobody asked."""


@dataclass(frozen=True)
class ClaimDifference:
    """A claim with its verdicts in both versions; None where it does not apply to a version or a scenario."""

    properties: tuple[Property | None, Property | None]
    """As each version's file, or podproof, has it."""
    statuses: tuple[Status | None, Status | None]
    """In all scenarios together."""
    scenarios: tuple[tuple[str, Status | None, Status | None], ...]
    evidence: tuple[DecidingTrace | None, DecidingTrace | None]
    baselines: tuple[tuple[str, Baseline], ...] = ()
    """How the second version compares in each scenario, if it is a change of the first; else empty."""
    undone: tuple[tuple[str, Baseline], ...] = ()
    """How the first version compares, if it is a change of the second."""
    texts: tuple[str, str] | None = None
    """What each version's file says of it, where that is not the same in some state or step."""
    otherwise: tuple[tuple[str, Baseline], ...] = ()
    """By scenario in which both violate it, and the second does not change the first: does it do so otherwise?"""

    @builtins.property
    def property(self) -> Property:
        return next(p for p in self.properties if p is not None)

    @builtins.property
    def state(self) -> BaselineState | None:
        """The worst of what the change does to it; None for nothing, or where no version changes the other."""
        found = {baseline.state for _, baseline in self.baselines}
        return next((state for state in BaselineState if state in found), None)

    @builtins.property
    def changes(self) -> tuple[str, ...]:
        """The scenarios in which the verdict differs."""
        return tuple(name for name, *pair in self.scenarios if pair[0] is not pair[1] and Status.UNKNOWN not in pair)

    @builtins.property
    def is_open(self) -> bool:
        """Is a verdict missing, or how it compares, so that nobody can say whether it changes?"""
        compared = (*self.baselines, *self.undone)
        return any(Status.UNKNOWN in pair for _, *pair in self.scenarios) or any(b.is_open for _, b in compared)

    @builtins.property
    def violated_otherwise(self) -> tuple[str, ...]:
        """The scenarios in which both violate it, and the second in a way that the first never does."""
        worse = (BaselineState.NEW, BaselineState.CHANGED)
        return tuple(scenario for scenario, baseline in self.otherwise if baseline.state in worse)

    @builtins.property
    def unasked(self) -> tuple[str, ...]:
        """The scenarios in which it holds in the first version and is not asked of the second, which may violate it."""
        kept = (Status.HOLDS, Status.PROVED)
        found = tuple(name for name, first, second in self.scenarios if first in kept and second is None)
        return () if self.property.is_witnessed and self.statuses[1] in kept else found

    @builtins.property
    def is_unlike(self) -> bool:
        """Does it tell the versions apart: by its text, by a verdict, or by what violates it?"""
        compared = (*self.baselines, *self.undone)
        alters = any(b.state not in (BaselineState.INHERITED, BaselineState.SUPERSEDED) for _, b in compared)
        return self.texts is not None or bool(self.changes) or alters or self.other_inputs

    @builtins.property
    def is_worse(self) -> bool:
        """Does the second version violate it where the first does not, or otherwise than the first?"""
        return any(self.is_worse_in(name) for name, *_ in self.scenarios)

    def is_worse_in(self, scenario: str) -> bool:
        """The same of one scenario; of a claim that looks for a witness it is asked of all together."""
        if (found := dict(self.baselines).get(scenario)) is not None:
            return found.state in (BaselineState.NEW, BaselineState.CHANGED)
        if scenario in self.violated_otherwise:
            return True
        here = {name: (first, second) for name, first, second in self.scenarios}[scenario]
        first, second = self.statuses if self.property.is_witnessed else here
        return first in (Status.HOLDS, Status.PROVED) and second is Status.VIOLATED

    @builtins.property
    def may_be_worse(self) -> bool:
        """Is it open whether it is worse: by a limit, since each file says something else of it, or one nothing?"""
        pairs = [self.statuses] if self.property.is_witnessed else [(a, b) for _, a, b in self.scenarios]
        is_open = any(
            second is Status.UNKNOWN or (first is Status.UNKNOWN and second is Status.VIOLATED)
            for first, second in pairs
        )
        compared = (*self.baselines, *self.otherwise)
        return is_open or self.texts is not None or bool(self.unasked) or any(b.is_open for _, b in compared)

    @builtins.property
    def other_inputs(self) -> bool:
        """Is it violated in both, but by events that do not violate it in the other version?"""
        if self.violated_otherwise:
            return True
        return self.statuses[0] is self.statuses[1] and any(e and e.other_violates is False for e in self.evidence)


class Worse(Enum):
    """Is the second version worse than the first?"""

    YES = "WORSE"
    NO = "NOT WORSE"
    UNKNOWN = "CANNOT TELL"


@dataclass(frozen=True)
class Comparison:
    """Everything that was found out about two versions."""

    names: tuple[str, str]
    methods: tuple[MethodChange, ...]
    scenarios: tuple[Difference, ...]
    claims: tuple[ClaimDifference, ...]
    """Empty where every scenario is the same step by step, so that no verdict can differ."""
    besides: tuple[str, ...] = ()
    """What else is not the same in both files, a sentence each."""
    unread: tuple[str, ...] = ()
    """What was changed and is not in what was compared, though it matters, a sentence each."""
    unreached: tuple[str, ...] = ()
    """Of equivalent versions the changed lines that no step comes to: `UpdatePod:793`."""
    reaching: str = ""
    """A scenario in which a step comes to one of them, where none of these does; empty where none was found."""

    @builtins.property
    def worse(self) -> Worse:
        """Worse where a claim is; nobody can tell where one may be, or where not all that was changed was read."""
        if any(claim.is_worse for claim in self.claims):
            return Worse.YES
        return Worse.UNKNOWN if self.unread or any(claim.may_be_worse for claim in self.claims) else Worse.NO

    @builtins.property
    def decision(self) -> Decision:
        """The weakest decision of all scenarios, claims included."""
        found = {difference.decision for difference in self.scenarios}
        if Decision.DIFFERENT in found or any(claim.is_unlike for claim in self.claims):
            return Decision.DIFFERENT
        if self.unread or any(claim.is_open or claim.may_be_worse for claim in self.claims):
            return Decision.UNDECIDED
        order = (Decision.UNDECIDED, Decision.BISIMILAR, Decision.UNREACHED, Decision.IDENTICAL)
        return next(decision for decision in order if decision in found)
