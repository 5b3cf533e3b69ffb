"""The answer of `check` and `prove`: the verdicts of each scenario, with how it comes to each violation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from msgspec import UNSET, Meta, UnsetType, field

from podproof.checker.core.answer import AnswerPart, Count, ExitCode, Seconds
from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.proofs import Proofs, Recheck
from podproof.checker.core.system import (
    ActionCount,
    ClaimFailure,
    Counterexample,
    Exploration,
    Lasso,
    NeededFairness,
    PropertyKind,
    State,
    Status,
    System,
    Verdict,
)
from podproof.reports.judgement import Judgement, judge
from podproof.reports.state_text import StateText, StepText
from podproof.reports.story import false_part, sentence
from podproof.reports.summary import others_note, overall

Value = str | int | bool
"""As a person reads it: true, 5, nil, SyncPod."""
Named = Annotated[Mapping[str, Value], Meta(description="Values by the path of the field or by the parameter's name.")]
ChangedFields = Annotated[
    Mapping[str, tuple[Value, Value]],
    Meta(description="For each field that a step changed, its value before and after."),
]
SourceLine = Annotated[str, Meta(description="file:line of the model.")]
ClaimKind = Annotated[
    PropertyKind,
    Meta(
        description="What a claim is about: every state, every step, a line that must be unreachable, a state that "
        "must be reachable; in every fair run, what follows at last, what is true again and again."
    ),
]
Wrong = Annotated[str, Meta(description="How a violated claim fails, as a clause with the values put in.")]
Replay = Callable[[Exploration, Verdict], str]
"""The command line that shows a violation again."""
Consequence = Callable[[str, System], Mapping[str, Any]]
"""What it means that a claim, by its id, is violated by a system, and what is known of it: fields of ClaimResult."""


class AnswerStep(AnswerPart, frozen=True):
    """A step of a trace."""

    action: str
    """The name of the action in the model."""
    actor: str
    """Who takes it: sync loop, worker, housekeeping, …"""
    event: str
    """The same in a kubelet engineer's words."""
    parameters: Named
    changed: ChangedFields
    lines: Mapping[str, SourceLine]
    """For each field that changed, the line that wrote it."""
    source: SourceLine
    """The line that the text report names first."""


AnswerTrace = Annotated[Sequence[AnswerStep], Meta(description="A shortest execution, unless `reason` says otherwise.")]


class AnswerLasso(AnswerPart, frozen=True):
    """How the trace goes on for ever. States are counted from 0, the initial one."""

    start: Count
    """The state from which on the rest is taken again and again; the last one where nothing more has to happen."""
    waiting: Count
    """The state from which on the claim is waited for in vain."""
    case: Named
    """The parameters of the claim."""
    blocked: Sequence[str] | UnsetType = UNSET
    """Who waits all the way round the loop, and on what, derived from its states."""
    no_return: Count | UnsetType = UNSET
    """The first state from which no fair run fulfils the claim; absent where a way out stays open."""


class Need(AnswerPart, frozen=True):
    """A fairness assumption, and a run that breaks the claim where it is not made; not always the shortest, and without
    noReturn."""

    assumption: str
    without: Sequence[str]
    """All that the run does not keep to: this one, and those that the claim does not need besides."""
    reason: str
    """How long the run is."""
    initial: Named
    trace: AnswerTrace
    lasso: AnswerLasso


class FalseConjunct(AnswerPart, frozen=True):
    """The part of a violated claim that is false at the end of the trace."""

    text: str
    """What would have to hold."""
    source: SourceLine
    values: Named
    where: Sequence[str]
    """What holds at the same time, so that the part has to hold, in the words of the source with values in
    parentheses."""
    because: Sequence[str]
    """Why a function that the part calls answers as it does."""
    said: str
    """All of it in one line."""


class AnswerCounterexample(AnswerPart, frozen=True, kw_only=True):
    """Another way to break a claim."""

    action: str
    """The action that breaks the claim."""
    wrong: Wrong | UnsetType = UNSET
    false_conjunct: FalseConjunct | UnsetType = UNSET
    initial: Named
    trace: AnswerTrace


class AnswerBaseline(AnswerPart, frozen=True, kw_only=True):
    """How a claim that is violated, or was, compares with what is known."""

    version: str
    state: BaselineState
    """KNOWN: it is recorded of the release, or listed as accepted. CHANGED: the release violates it, too, but not in
    this way. SUPERSEDED: it is violated on purpose, the file makes another claim in its place. INHERITED: the release
    violates it, and by every step that violates it here."""
    reason: str
    """Why it is so, and what a limit left open; of what is KNOWN what is known."""
    listed: bool | UnsetType = UNSET
    """The configuration lists it as known."""
    initial: Named | UnsetType = UNSET
    trace: AnswerTrace | UnsetType = UNSET
    """Of what is CHANGED: how the release violates it."""


class StuckStep(AnswerPart, frozen=True):
    """A step that breaks the claim, from a state that may not be reachable."""

    before: Named
    action: str
    parameters: Named


class ClaimResult(AnswerPart, frozen=True, kw_only=True):
    """A verdict."""

    id: str
    kind: ClaimKind
    status: Status
    """PROVED means for every number of seconds and runs of any length. UNKNOWN means that nothing is claimed."""
    reason: str
    """How the status was found, or why there is none."""
    meaning: str
    """The claim in one sentence."""
    exercised: bool | UnsetType = UNSET
    """check, of a claim that HOLDS: does what it is about ever happen? Left out where that is not known."""
    baseline: AnswerBaseline | UnsetType = UNSET
    """Left out where nothing is known of a release, and where a file is not compared with its release: by prove, and
    with --liveness."""
    wrong: Wrong | UnsetType = UNSET
    false_conjunct: FalseConjunct | UnsetType = UNSET
    initial: Named | UnsetType = UNSET
    """The state in which the trace begins."""
    trace: AnswerTrace | UnsetType = UNSET
    lasso: AnswerLasso | UnsetType = UNSET
    other_counterexamples: Sequence[AnswerCounterexample] | UnsetType = UNSET
    """With --counterexamples: the shortest one of each other action."""
    other_counterexamples_note: str | UnsetType = UNSET
    replay: str | UnsetType = UNSET
    """The command that shows the trace again."""
    needs: Sequence[Need] | UnsetType = UNSET
    """check --liveness, of a claim that HOLDS: assumptions that suffice, and of which none can be spared."""
    harm: str | UnsetType = UNSET
    """check and prove, of a claim that is VIOLATED: what that harms."""
    effect: str | UnsetType = UNSET
    """The same: what users see of that, where more is to be said."""
    known: str | UnsetType = UNSET
    """The same, of a known violation: how, who reported it, and what follows here, in words."""
    rests_on: Sequence[str] | UnsetType = UNSET
    """The same: the departures in model/ABSTRACTIONS.md without which its shortest trace would not be there."""
    on_real_code: str | UnsetType = UNSET
    """The same: what was seen on the real kubelet; empty where it was not tried."""
    invariant: Sequence[str] | UnsetType = UNSET
    """prove --show-invariant: the parts of the inductive invariant."""
    stuck: StuckStep | UnsetType = UNSET
    """prove"""


ProofCheck = Literal["init", "step", "property"]


class Unconfirmed(AnswerPart, frozen=True):
    """An obligation that the second solver did not answer with unsat."""

    claim: str = field(name="property")
    check: ProofCheck
    answer: str
    """unknown, or why there is no answer."""


class SecondOpinion(AnswerPart, frozen=True):
    """What a second solver says of the obligations of what is proved."""

    solver: str
    """Its name and version; empty when none is installed."""
    obligations: Count | UnsetType = UNSET
    """How many it was asked; absent when it was not."""
    unconfirmed: Sequence[Unconfirmed] | UnsetType = UNSET


class ScenarioResult(AnswerPart, frozen=True, kw_only=True):
    """One scenario. `prove` explores nothing: its counts are 0."""

    version: str
    environment: str
    scenario: str
    bounds: str
    """What the scenario bounds."""
    engine: str
    complete: bool
    """Was everything explored within the bounds?"""
    interrupted: bool
    reason: str
    """Why it stopped early; empty when complete."""
    states: Count
    transitions: Count
    depth: Count | None
    explore_seconds: Seconds
    solver_seconds: Seconds | UnsetType = UNSET
    peak_bytes: Count
    bounds_hit: Mapping[str, Count]
    """How often a step was cut off, by the bound that did it."""
    reductions: Sequence[str]
    actions: Mapping[str, ActionCount]
    actions_never_taken: Sequence[str]
    assumptions: Mapping[str, str] | UnsetType = UNSET
    """--liveness: the fairness on which the verdicts rest, with the reason for each."""
    properties: Sequence[ClaimResult]
    recheck: SecondOpinion | UnsetType = UNSET
    """prove"""


class GoFunctionAnswer(AnswerPart, frozen=True):
    """A function of a Go file, beside the model of the release."""

    name: str
    file: str
    answer: str
    """EQUAL, DIFFERENT, UNDECIDED or NOT READ."""
    reason: str
    bounds: str
    """Of what was decided; empty for none."""


class Verdicts(AnswerPart, frozen=True):
    """check and prove"""

    kind: Literal["check", "prove"]
    exit_code: ExitCode
    statuses: Mapping[str, Status]
    """Each claim over all scenarios together."""
    results: Sequence[ScenarioResult]
    functions: Sequence[GoFunctionAnswer] | UnsetType = UNSET
    """check, where several Go files are given: what was decided about each function that is read."""


# -- from what was found -----------------------------------------------------------------------------------------------


def check_answer(
    explorations: Sequence[Exploration],
    replay: Replay | None = None,
    judgement: Judgement | None = None,
    consequence: Consequence | None = None,
    functions: Sequence[GoFunctionAnswer] = (),
) -> Verdicts:
    """The whole result. Without a judgement the verdicts alone give the exit code."""
    results, code = [_result(e, replay, consequence) for e in explorations], (judgement or judge(explorations)).code
    return Verdicts("check", code, overall(explorations), results, functions or UNSET)


def proofs_answer(
    proofs: Sequence[Proofs],
    replay: Replay | None = None,
    judgement: Judgement | None = None,
    consequence: Consequence | None = None,
) -> Verdicts:
    """As `check_answer`, and how far a second solver agrees; a claim may have its `invariant`, and a `stuck` step."""
    explorations = [p.exploration for p in proofs]
    results = [_result(p.exploration, replay, consequence, p) for p in proofs]
    return Verdicts("prove", (judgement or judge(explorations)).code, overall(explorations), results)


def _result(
    e: Exploration, replay: Replay | None, consequence: Consequence | None, proofs: Proofs | None = None
) -> ScenarioResult:
    """One exploration."""
    state_text = StateText(e.system)
    return ScenarioResult(
        version=e.system.version,
        environment=e.system.environment,
        scenario=e.system.scenario,
        bounds=e.system.bounds,
        engine=e.engine,
        complete=e.complete,
        interrupted=e.interrupted,
        reason=e.reason,
        states=e.states,
        transitions=e.transitions,
        depth=e.depth,
        explore_seconds=round(e.seconds, 3),
        solver_seconds=UNSET if e.solver_seconds is None else round(e.solver_seconds, 3),
        peak_bytes=e.peak_bytes,
        bounds_hit=e.bounds_hit,
        reductions=e.reductions,
        actions=e.actions,
        actions_never_taken=e.actions_never_taken,
        assumptions=e.assumptions or UNSET,
        properties=[_claim(e, v, state_text, replay, consequence, proofs) for v in e.verdicts],
        recheck=UNSET if proofs is None else _recheck(proofs.recheck),
    )


def _claim(
    e: Exploration,
    v: Verdict,
    state_text: StateText,
    replay: Replay | None,
    consequence: Consequence | None,
    proofs: Proofs | None,
) -> ClaimResult:
    found: dict[str, Any] = {}
    if v.is_vacuous is not None:
        found["exercised"] = not v.is_vacuous
    if v.baseline is not None:
        found["baseline"] = AnswerBaseline(
            version=v.baseline.version,
            state=v.baseline.state,
            reason=v.baseline.reason,
            listed=v.baseline.is_listed or UNSET,
            **({} if v.before is None else _way(v.before[0], Counterexample(v.before[1]), StateText(v.before[0]))),
        )
    if v.trace is not None:
        found |= _way(e.system, Counterexample(v.trace, v.failure), state_text)
        if v.trace.lasso is not None:
            found["lasso"] = answer_lasso(v.trace.lasso)
        if v.more is not None:
            found["other_counterexamples"] = [
                AnswerCounterexample(action=other.action, **_way(e.system, other, state_text)) for other in v.others
            ]
            told = [Counterexample(v.trace).action, *(other.action for other in v.others)]
            found["other_counterexamples_note"] = others_note(v, told)
        if replay is not None:
            found["replay"] = replay(e, v)
    elif v.failure is not None:
        found |= failing(v.failure)
    if v.needs is not None:
        found["needs"] = [_need(e.system, need, state_text) for need in v.needs]
    if consequence is not None and v.status is Status.VIOLATED:
        found |= consequence(v.property.id, e.system)
    if proofs is not None:
        found |= _proof(e.system, proofs, v.property.id)
    claim = v.property
    return ClaimResult(id=claim.id, kind=claim.kind, status=v.status, reason=v.reason, meaning=claim.meaning, **found)


def _proof(system: System, proofs: Proofs, claim: str) -> dict[str, Any]:
    """The invariant of a claim that is proved, and the step that stands in the way of one that is not."""
    found: dict[str, Any] = {}
    if claim in proofs.invariants:
        found["invariant"] = proofs.invariants[claim]
    if (trace := proofs.stuck.get(claim)) is not None:
        (step,) = trace.steps
        found["stuck"] = StuckStep(values(system, trace.initial), step.action, step.parameters)
    return found


def _recheck(r: Recheck) -> SecondOpinion:
    if r.obligations is None:
        return SecondOpinion(r.solver)
    unconfirmed = [Unconfirmed(claim, cast(ProofCheck, check), said) for claim, check, said in r.unconfirmed]
    return SecondOpinion(r.solver, r.obligations, unconfirmed)


def _need(system: System, need: NeededFairness, state_text: StateText) -> Need:
    """An assumption, and a run that breaks the claim without it."""
    assert need.trace.lasso is not None
    way = _way(system, Counterexample(need.trace), state_text)
    return Need(need.assumption, need.without, need.reason, **way, lasso=answer_lasso(need.trace.lasso))


def answer_lasso(lasso: Lasso) -> AnswerLasso:
    no_return = UNSET if lasso.no_return is None else lasso.no_return
    return AnswerLasso(lasso.start, lasso.waiting, lasso.case, lasso.blocked, no_return)


def _way(system: System, found: Counterexample, state_text: StateText) -> dict[str, Any]:
    """A trace, and what of the claim is false at its end, by the names of the fields."""
    trace = found.trace
    return {
        **failing(found.failure),
        "initial": values(system, trace.initial),
        "trace": [answer_step(told) for told in state_text.walk(trace.initial, trace.steps)],
    }


def failing(failure: ClaimFailure | None) -> dict[str, Any]:
    """How a claim fails, by the names of the fields: its sentence, and the part that is false."""
    wrong, part = sentence(failure), None if failure is None else failure.part
    found: dict[str, Any] = {"wrong": wrong} if wrong else {}
    if part is not None:
        found["false_conjunct"] = FalseConjunct(
            text=part.text,
            source=str(part.line),
            values={**part.bound, **part.values},
            where=part.where,
            because=part.because,
            said=false_part(failure).removeprefix("false: "),
        )
    return found


def values(system: System, state: State) -> dict[str, Value]:
    """The values by path."""
    return {v.path: v.show(value) for v, value in zip(system.variables, state, strict=True)}


def answer_step(told: StepText) -> AnswerStep:
    step = told.step
    return AnswerStep(
        action=step.action,
        actor=step.actor,
        event=step.event,
        parameters=step.parameters,
        changed={change.path: (change.before, change.after) for change in step.changes},
        lines={change.path: str(change.line) for change in step.changes if change.line is not None},
        source=str(told.line),
    )
