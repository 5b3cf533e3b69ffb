"""The answer of `review`: everything that a comparison found out. A pair is (first version, second version)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from msgspec import UNSET, UnsetType, field

from podproof.checker.core.answer import AnswerPart, Count
from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import Status, System, Trace
from podproof.checker.difference.result import (
    ActionChange,
    ClaimDifference,
    Comparison,
    DecidingTrace,
    Difference,
    Divergence,
    Experiment,
    MethodChange,
    Side,
    Worse,
)
from podproof.reports.content.review.page import Origin, verdict
from podproof.reports.content.review.words import values_in_words
from podproof.reports.content.verdicts import (
    AnswerLasso,
    ChangedFields,
    ClaimKind,
    FalseConjunct,
    Named,
    SourceLine,
    Wrong,
    answer_lasso,
    answer_step,
    failing,
    values,
)
from podproof.reports.state_text import StateText

DecisionName = Literal["IDENTICAL", "UNREACHED", "BISIMILAR", "DIFFERENT", "UNDECIDED"]
EqualityName = Literal["EQUAL", "DIFFERENT", "UNDECIDED"]
TextChange = Literal["changed", "new", "gone"]
StatusPair = tuple[Status | None, Status | None]


class FunctionEquality(AnswerPart, frozen=True):
    """Does a translated function do what the other version's does, in every state and for every number of seconds?"""

    equality: EqualityName
    reason: str


class ComparedStep(AnswerPart, frozen=True):
    """A step of a trace."""

    action: str
    actor: str
    """Who takes it: sync loop, worker, housekeeping, …"""
    event: str
    parameters: Named
    changed: ChangedFields
    source: SourceLine


ComparedTrace = Sequence[ComparedStep]


class Evidence(AnswerPart, frozen=True, kw_only=True):
    """A shortest trace that decides a claim in one version, and what becomes of its events in the other."""

    scenario: str
    wrong: Wrong | UnsetType = UNSET
    false_conjunct: FalseConjunct | UnsetType = UNSET
    initial: Named
    """The state in which the trace begins."""
    trace: ComparedTrace
    lasso: AnswerLasso | UnsetType = UNSET
    other_takes: Count
    """So many of these events the other version can take."""
    other_violates: bool | None
    """Do they break the claim there too? null where that is no question."""


class Otherwise(AnswerPart, frozen=True):
    """Does the second version violate a claim in a way in which the first never does?"""

    state: BaselineState
    """CHANGED: it does; INHERITED: it does not."""
    reason: str
    open: bool
    """Nobody knows whether it does; `reason` says why."""


class ComparedClaim(AnswerPart, frozen=True, kw_only=True):
    """A claim with its verdicts in both versions; null where it does not apply to a version or a scenario."""

    id: str
    kind: ClaimKind
    meaning: str
    statuses: StatusPair
    """In all scenarios together."""
    changes: bool
    """Does the verdict differ in some scenario?"""
    scenarios: Mapping[str, StatusPair]
    texts: tuple[str, str] | UnsetType = UNSET
    """What each version's file says of the claim, its kind first; only where that is not the same."""
    baselines: Mapping[str, BaselineState] | UnsetType = UNSET
    """Of a change of the first version: in which scenario the claim is what, as check says it."""
    otherwise: Mapping[str, Otherwise] | UnsetType = UNSET
    """By scenario in which both violate it, and the second does not change the first."""
    evidence: tuple[Evidence | None, Evidence | None]


class ChangedMethod(AnswerPart, frozen=True):
    """A method whose text differs."""

    name: str
    lines: tuple[SourceLine | None, SourceLine | None]
    only_names: bool
    """Do only comments, layout and names of locals differ?"""
    actions: Sequence[str]
    """The actions that may call it, in either version."""


class ChangedAction(AnswerPart, frozen=True):
    """An action that does not do the same in every state; states need not be reachable for that."""

    name: str
    only: Literal[0, 1] | None
    """The one version that has it."""
    guard_differs: bool
    updates: Sequence[str]
    """Variables of which the versions make something else."""
    others: Sequence[str]
    """What else differs, in words."""
    lines: tuple[Sequence[SourceLine], Sequence[SourceLine]]
    """The lines of the model that the other version's action has no equal of."""


class Parting(AnswerPart, frozen=True):
    """An event on which the versions part, in a state that steps lead to which are the same in both."""

    event: str
    action: str
    initial: Named
    """The state in which the first version begins."""
    common: ComparedTrace
    outcomes: tuple[ComparedStep | None, ComparedStep | None]
    """null where a version cannot take it."""


class ShownSide(AnswerPart, frozen=True):
    """What one version shows in a scenario; values, steps and waits are null where they were not counted."""

    states: Count
    transitions: Count
    depth: Count
    values: Count | None
    steps: Count | None
    only_values: Count
    only_steps: Count
    waits: Count | None
    only_waits: Count


class OnlyStep(AnswerPart, frozen=True):
    """What only one version shows of an action: steps between values of the fields that the other never takes."""

    version: str
    action: str
    steps: Count
    into_new_values: Count
    """How many of the steps lead to values that the other version never shows."""
    parts_at_step: Count | None
    """The number of the step at which the other version no longer follows; null where it can follow to the end."""
    initial: Named
    example: ComparedTrace


class OnlyWait(AnswerPart, frozen=True):
    """Values of the fields with which nothing but the surroundings can go on, in one version only."""

    version: str
    values: Named
    other_shows_them: bool
    """Does the other version show these values, but always with a step that it can take by itself?"""
    initial: Named
    example: ComparedTrace


class TracesApart(AnswerPart, frozen=True):
    """Events that tell two versions apart: after them the fields differ, or one can do what the other cannot."""

    initial: tuple[Named, Named]
    traces: tuple[ComparedTrace, ComparedTrace]
    event: str | None
    """The event that only one version can take after them; null where fields differ."""
    only_in: str | None


class PhaseStep(AnswerPart, frozen=True):
    """A step from one group of states to another, as the fields of a picture show it."""

    source: str = field(name="from")
    target: str = field(name="to")
    action: str
    where: Literal["first", "second", "both"] = field(name="in")


class ComparedScenario(AnswerPart, frozen=True):
    """Two versions compared in one scenario."""

    scenario: str
    environment: str
    bounds: str
    decision: DecisionName
    reason: str
    """How it was decided, in a sentence."""
    fields: Sequence[str]
    """Through which they are compared."""
    only_variables: tuple[Sequence[str], Sequence[str]]
    """Variables that the other version does not have."""
    changed_actions: Sequence[str]
    """The actions that do not do the same in every state."""
    actions: Sequence[ChangedAction]
    """What differs in those of them that were not described in a scenario before."""
    partings: Sequence[Parting]
    unaffected_events: Sequence[str]
    """Events whose action changed, but which do the same wherever both versions come by the same steps."""
    sizes: tuple[ShownSide, ShownSide] | None
    """null where it was not explored to the end."""
    only_steps: Sequence[OnlyStep]
    only_waits: Sequence[OnlyWait]
    experiment: TracesApart | None
    phases: Sequence[PhaseStep]
    """The same steps through fewer fields, for a picture."""


class ReviewAnswer(AnswerPart, frozen=True, kw_only=True, tag_field="kind", tag="review"):
    """review; a pair is [first version, second]"""

    command: str
    versions: tuple[str, str]
    verdict: Literal["EQUIVALENT", "ALIKE", "DIFFERENT", "UNDECIDED"]
    """EQUIVALENT: every step is the same in every state. ALIKE: in these scenarios."""
    judgement: Worse
    """Is the second version worse? It is where a claim is NEW, CHANGED or lost."""
    decision: DecisionName
    functions: Mapping[str, FunctionEquality] | UnsetType = UNSET
    """The translated functions of a Go file."""
    changed_functions: Mapping[str, TextChange] | UnsetType = UNSET
    """The functions of the Go whose text differs, where the Go of both sides is known."""
    besides: Sequence[str]
    """What else is not the same in both files, a sentence each: scenarios of one name, claims that one makes, fairness,
    labels."""
    unreached: Sequence[str] = field(name="unreachedLines")
    """Of equivalent versions the changed lines that no step comes to in these scenarios."""
    reaching: str | UnsetType = field(name="reachingScenario", default=UNSET)
    """A scenario in which a step does, where none comes to any of them."""
    claims: Sequence[ComparedClaim]
    methods: Sequence[ChangedMethod]
    scenarios: Sequence[ComparedScenario]


# -- from what was found -----------------------------------------------------------------------------------------------


def review_answer(found: Comparison, origin: Origin) -> ReviewAnswer:
    """Everything that was found out."""
    functions = {
        name: FunctionEquality(cast(EqualityName, equality), why) for name, (equality, why) in origin.functions.items()
    }
    return ReviewAnswer(
        command=origin.command,
        versions=found.names,
        verdict=verdict(found),
        judgement=found.worse,
        decision=cast(DecisionName, found.decision.name),
        functions=functions or UNSET,
        changed_functions=UNSET if origin.changed is None else cast("Mapping[str, TextChange]", origin.changed),
        besides=(*found.unread, *found.besides),
        unreached=found.unreached,
        reaching=found.reaching or UNSET,
        claims=[_claim(claim) for claim in found.claims],
        methods=[_method(method) for method in found.methods],
        scenarios=[_scenario(difference) for difference in found.scenarios],
    )


def _claim(claim: ClaimDifference) -> ComparedClaim:
    first, second = (None if e is None else _evidence(e) for e in claim.evidence)
    return ComparedClaim(
        id=claim.property.id,
        kind=claim.property.kind,
        meaning=claim.property.meaning,
        statuses=claim.statuses,
        changes=bool(claim.changes),
        scenarios={name: (a, b) for name, a, b in claim.scenarios},
        texts=UNSET if claim.texts is None else claim.texts,
        baselines={name: b.state for name, b in claim.baselines} or UNSET,
        otherwise={name: Otherwise(b.state, b.reason, b.is_open) for name, b in claim.otherwise} or UNSET,
        evidence=(first, second),
    )


def _evidence(evidence: DecidingTrace) -> Evidence:
    lasso = evidence.trace.lasso
    return Evidence(
        scenario=evidence.scenario,
        **failing(evidence.failure),
        initial=values(evidence.systems[0], evidence.trace.initial),
        trace=_trace(evidence.systems[0], evidence.trace),
        lasso=UNSET if lasso is None else answer_lasso(lasso),
        other_takes=len(evidence.other.steps),
        other_violates=evidence.other_violates,
    )


def _trace(system: System, trace: Trace) -> list[ComparedStep]:
    steps = map(answer_step, StateText(system).walk(trace.initial, trace.steps))
    return [ComparedStep(s.action, s.actor, s.event, s.parameters, s.changed, s.source) for s in steps]


def _method(method: MethodChange) -> ChangedMethod:
    first, second = (None if line is None else str(line) for line in method.lines)
    return ChangedMethod(method.name, (first, second), method.only_names, method.actions)


def _scenario(d: Difference) -> ComparedScenario:
    systems, picture = d.systems, d.view.picture
    first, second = ([f.path for f in d.view.own if f.side == side] for side in (0, 1))
    return ComparedScenario(
        scenario=systems[0].scenario,
        environment=systems[0].environment,
        bounds=systems[0].bounds,
        decision=cast(DecisionName, d.decision.name),
        reason=d.reason,
        fields=d.view.paths,
        only_variables=(first, second),
        changed_actions=d.changed,
        actions=[_action(change) for change in d.actions],
        partings=[_parting(d, divergence) for divergence in d.divergences],
        unaffected_events=d.never,
        sizes=None if d.sides is None else (_side(d.sides[0]), _side(d.sides[1])),
        only_steps=[
            OnlyStep(
                *(systems[new.side].version, new.action, new.steps, new.entered, new.parts_at),
                values(systems[new.side], new.example.initial),
                _trace(systems[new.side], new.example),
            )
            for new in d.new_steps
        ],
        only_waits=[
            OnlyWait(
                systems[wait.side].version,
                {path: names[n] for path, names, n in zip(d.view.paths, d.view.values, wait.values, strict=True)},
                wait.in_other,
                values(systems[wait.side], wait.example.initial),
                _trace(systems[wait.side], wait.example),
            )
            for wait in d.waits
        ],
        experiment=None if d.experiment is None else _experiment(d, d.experiment),
        phases=[
            PhaseStep(
                values_in_words(d.view, systems[0], flow.source, picture),
                values_in_words(d.view, systems[0], flow.target, picture),
                flow.action,
                _SIDES[flow.where],
            )
            for flow in d.flows
        ],
    )


_SIDES: Sequence[Literal["first", "second", "both"]] = ("first", "second", "both")


def _parting(d: Difference, divergence: Divergence) -> Parting:
    first, second = (
        None if trace is None else _trace(system, trace)[-1]
        for system, trace in zip(d.systems, divergence.outcomes, strict=True)
    )
    initial = values(d.systems[0], divergence.common.initial)
    return Parting(
        divergence.event, divergence.action, initial, _trace(d.systems[0], divergence.common), (first, second)
    )


def _action(change: ActionChange) -> ChangedAction:
    first, second = ([str(line) for line in lines] for lines in change.lines)
    return ChangedAction(
        name=change.name,
        only=1 if change.actions[0] is None else 0 if change.actions[1] is None else None,
        guard_differs=change.guards is not None,
        updates=[path for path, _, _ in change.updates],
        others=change.others,
        lines=(first, second),
    )


def _side(side: Side) -> ShownSide:
    return ShownSide(
        states=side.states,
        transitions=side.transitions,
        depth=side.depth,
        values=side.shown,
        steps=side.shown_steps,
        only_values=side.only,
        only_steps=side.only_steps,
        waits=side.waits,
        only_waits=side.only_waits,
    )


def _experiment(d: Difference, experiment: Experiment) -> TracesApart:
    first, second = (_trace(system, trace) for system, trace in zip(d.systems, experiment.traces, strict=True))
    only = d.systems[experiment.side].version if experiment.event else None
    one, other = (values(system, trace.initial) for system, trace in zip(d.systems, experiment.traces, strict=True))
    return TracesApart((one, other), (first, second), experiment.event or None, only)
