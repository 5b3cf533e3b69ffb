"""What a comparison found out as data of the schema podproof/1."""

from __future__ import annotations

from typing import Any

from podproof.checker.core.answer import encoded
from podproof.checker.core.baseline import Baseline
from podproof.checker.core.system import ClaimFailure, Status, System, Trace
from podproof.checker.difference.result import (
    ActionChange,
    ClaimDifference,
    Comparison,
    DecidingTrace,
    Difference,
    Experiment,
    MethodChange,
    Side,
)
from podproof.reports.content.review.page import Origin, verdict
from podproof.reports.content.review.words import values_in_words
from podproof.reports.content.verdicts import answer_lasso, answer_step, failing
from podproof.reports.render.json import document
from podproof.reports.state_text import StateText


def review_data(found: Comparison, origin: Origin) -> dict[str, Any]:
    """Everything that was found out. A pair is [first version, second]."""
    content = {
        "command": origin.command,
        "versions": list(found.names),
        "verdict": verdict(found),
        "judgement": found.worse.value,
        "decision": found.decision.name,
        **({"functions": _functions(origin)} if origin.functions else {}),
        "besides": list(found.besides),
        "unreachedLines": list(found.unreached),
        **({"reachingScenario": found.reaching} if found.reaching else {}),
        "claims": [_claim(claim) for claim in found.claims],
        "methods": [_method(method) for method in found.methods],
        "scenarios": [_scenario(difference) for difference in found.scenarios],
    }
    return document("review", origin.tool, content)


def _functions(origin: Origin) -> dict[str, Any]:
    return {name: {"equality": equality, "reason": why} for name, (equality, why) in origin.functions.items()}


def _claim(claim: ClaimDifference) -> dict[str, Any]:
    return {
        "id": claim.property.id,
        "kind": claim.property.kind,
        "meaning": claim.property.meaning,
        "statuses": [_status(status) for status in claim.statuses],
        "changes": bool(claim.changes),
        "scenarios": {name: [_status(a), _status(b)] for name, a, b in claim.scenarios},
        **({} if claim.texts is None else {"texts": list(claim.texts)}),
        **({"baselines": {name: b.state.value for name, b in claim.baselines}} if claim.baselines else {}),
        **({"otherwise": {name: _beside(b) for name, b in claim.otherwise}} if claim.otherwise else {}),
        "evidence": [None if e is None else _evidence(e) for e in claim.evidence],
    }


def _beside(baseline: Baseline) -> dict[str, Any]:
    return {"state": baseline.state.value, "reason": baseline.reason, "open": baseline.is_open}


def _status(status: Status | None) -> str | None:
    return None if status is None else status.value


def _evidence(evidence: DecidingTrace) -> dict[str, Any]:
    return {
        "scenario": evidence.scenario,
        **_failing(evidence.failure),
        "trace": _trace(evidence.systems[0], evidence.trace),
        **({} if evidence.trace.lasso is None else {"lasso": encoded(answer_lasso(evidence.trace.lasso))}),
        "otherTakes": len(evidence.other.steps),
        "otherViolates": evidence.other_violates,
    }


def _failing(failure: ClaimFailure | None) -> dict[str, Any]:
    """How a claim fails: its sentence, and the part that is false."""
    found = failing(failure)
    part = found.pop("false_conjunct", None)
    return found if part is None else {**found, "falseConjunct": encoded(part)}


def _trace(system: System, trace: Trace) -> list[dict[str, Any]]:
    shown = ("action", "event", "parameters", "changed", "source")
    walk = (encoded(answer_step(told)) for told in StateText(system).walk(trace.initial, trace.steps))
    return [{name: step[name] for name in shown} for step in walk]


def _method(method: MethodChange) -> dict[str, Any]:
    return {
        "name": method.name,
        "lines": [None if line is None else str(line) for line in method.lines],
        "onlyNames": method.only_names,
        "actions": list(method.actions),
    }


def _scenario(d: Difference) -> dict[str, Any]:
    return {
        "scenario": d.systems[0].scenario,
        "environment": d.systems[0].environment,
        "bounds": d.systems[0].bounds,
        "decision": d.decision.name,
        "reason": d.reason,
        "fields": list(d.view.paths),
        "onlyVariables": [[f.path for f in d.view.own if f.side == side] for side in (0, 1)],
        "changedActions": list(d.changed),
        "actions": [_action(change) for change in d.actions],
        "partings": [
            {
                "event": divergence.event,
                "action": divergence.action,
                "common": _trace(d.systems[0], divergence.common),
                "outcomes": [
                    None if trace is None else _trace(system, trace)[-1]
                    for system, trace in zip(d.systems, divergence.outcomes, strict=True)
                ],
            }
            for divergence in d.divergences
        ],
        "unaffectedEvents": list(d.never),
        "sizes": None if d.sides is None else [_side(side) for side in d.sides],
        "onlySteps": [
            {
                "version": d.systems[new_step.side].version,
                "action": new_step.action,
                "steps": new_step.steps,
                "intoNewValues": new_step.entered,
                "partsAtStep": new_step.parts_at,
                "example": _trace(d.systems[new_step.side], new_step.example),
            }
            for new_step in d.new_steps
        ],
        "onlyWaits": [
            {
                "version": d.systems[wait.side].version,
                "values": _values(d, wait.values),
                "otherShowsThem": wait.in_other,
                "example": _trace(d.systems[wait.side], wait.example),
            }
            for wait in d.waits
        ],
        "experiment": None if d.experiment is None else _experiment(d, d.experiment),
        "phases": [
            {
                "from": values_in_words(d.view, d.systems[0], flow.source, d.view.picture),
                "to": values_in_words(d.view, d.systems[0], flow.target, d.view.picture),
                "action": flow.action,
                "in": ("first", "second", "both")[flow.where],
            }
            for flow in d.flows
        ],
    }


def _values(d: Difference, values: tuple[int, ...]) -> dict[str, Any]:
    return {path: names[value] for path, names, value in zip(d.view.paths, d.view.values, values, strict=True)}


def _action(change: ActionChange) -> dict[str, Any]:
    return {
        "name": change.name,
        "only": next((side for side in (0, 1) if change.actions[1 - side] is None), None),
        "guardDiffers": change.guards is not None,
        "updates": [path for path, _, _ in change.updates],
        "others": list(change.others),
        "lines": [[str(line) for line in lines] for lines in change.lines],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "states": side.states,
        "transitions": side.transitions,
        "depth": side.depth,
        "values": side.shown,
        "steps": side.shown_steps,
        "onlyValues": side.only,
        "onlySteps": side.only_steps,
        "waits": side.waits,
        "onlyWaits": side.only_waits,
    }


def _experiment(d: Difference, experiment: Experiment) -> dict[str, Any]:
    traces = [_trace(system, trace) for system, trace in zip(d.systems, experiment.traces, strict=True)]
    only = d.systems[experiment.side].version if experiment.event else None
    return {"traces": traces, "event": experiment.event or None, "onlyIn": only}
