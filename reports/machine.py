"""The result of `check` and `prove` for machines: JSON, schema podproof/1. Fields are added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podproof.checker.core.printer import encode_unseen
from podproof.checker.core.system import Counterexample, Exploration, FalseConjunct, Step, System, Trace, Verdict
from podproof.reports.expected import Judgement, judge
from podproof.reports.story import false_part
from podproof.reports.summary import others_note, overall
from podproof.reports.wording import Fact, Wording

SCHEMA_VERSION = "podproof/1"
Replay = Callable[[Exploration, Verdict], str]


def check_json(
    explorations: Sequence[Exploration],
    tool: Mapping[str, Any],
    replay: Replay | None = None,
    judgement: Judgement | None = None,
    kind: str = "check",
) -> str:
    """The whole result as indented JSON, ending with a newline. `tool` says what made it: name, version."""
    judgement = judgement or judge(explorations)
    statuses = {name: status.value for name, status in overall(explorations).items()}
    document = {
        "schemaVersion": SCHEMA_VERSION,
        "kind": kind,
        "tool": dict(tool),
        "exitCode": judgement.code,
        "statuses": statuses,
        **({} if judgement.deviations is None else {"expected": judgement.deviations.document()}),
        "results": [result(exploration, replay) for exploration in explorations],
    }
    return json_text(document)


def json_text(document: Any) -> str:
    """Any document as indented JSON, ending with a newline, with JSON's own codes for what could be obeyed."""
    lines = json.dumps(document, indent=2, ensure_ascii=False).split("\n")
    return "".join(f"{encode_unseen(line, _code)}\n" for line in lines)


def _code(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if letter <= "\uffff" else json.dumps(letter).strip('"')


def result(e: Exploration, replay: Replay | None = None) -> dict[str, Any]:
    """One exploration."""
    wording = Wording(e.system)
    return {
        "version": e.system.version,
        "environment": e.system.environment,
        "scenario": e.system.scenario,
        "bounds": e.system.bounds,
        "engine": e.engine,
        "complete": e.complete,
        "interrupted": e.interrupted,
        "reason": e.reason,
        "states": e.states,
        "transitions": e.transitions,
        "depth": e.depth,
        "exploreSeconds": round(e.seconds, 3),
        **({} if e.solver_seconds is None else {"solverSeconds": round(e.solver_seconds, 3)}),
        "peakBytes": e.peak_bytes,
        "boundsHit": dict(e.bounds_hit),
        "reductions": list(e.reductions),
        "actions": {name: {"taken": c.taken, "newStates": c.new_states} for name, c in e.actions.items()},
        "actionsNeverTaken": list(e.actions_never_taken),
        "properties": [_property(e, verdict, wording, replay) for verdict in e.verdicts],
    }


def _property(e: Exploration, v: Verdict, wording: Wording, replay: Replay | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": v.property.id,
        "kind": v.property.kind,
        "status": v.status.value,
        "reason": v.reason,
        "meaning": v.property.meaning,
    }
    if v.trace is not None:
        found |= _way(e.system, Counterexample(v.trace, v.conjunct), wording)
        if v.more is not None:
            note = others_note(v, [Counterexample(v.trace).action, *(other.action for other in v.others)])
            more = ({"action": other.action, **_way(e.system, other, wording)} for other in v.others)
            found |= {"otherCounterexamples": list(more), "otherCounterexamplesNote": note}
        if replay is not None:
            found["replay"] = replay(e, v)
    return found


def _way(system: System, found: Counterexample, wording: Wording) -> dict[str, Any]:
    """A trace, and what of the claim is false at its end."""
    c, trace = found.conjunct, found.trace
    return {
        **({} if c is None else {"falseConjunct": false_conjunct_json(c)}),
        "initial": _name(system, trace),
        "trace": [_step(step, facts) for step, facts in wording.walk(trace.initial, trace.steps)],
    }


def false_conjunct_json(c: FalseConjunct) -> dict[str, Any]:
    """The part of a claim that is false. `where` and `because` are in the words of the source, with values in
    parentheses; `said` is all in one line.
    """
    return {
        "text": c.text,
        "source": str(c.line),
        "values": {**c.bound, **c.values},
        "where": list(c.where),
        "because": list(c.because),
        "said": false_part(c).removeprefix("false: "),
    }


def _name(system: System, trace: Trace) -> dict[str, str | int | bool]:
    """The initial state, by path."""
    return {v.path: v.show(value) for v, value in zip(system.variables, trace.initial, strict=True)}


def _step(step: Step, facts: Sequence[Fact]) -> dict[str, Any]:
    """`source` is the line that the text report names first; `lines` has the line of every change."""
    source = next((fact.line for fact in facts if fact.line is not None), step.line)
    return {
        "action": step.action,
        "actor": step.actor,
        "event": step.event,
        "parameters": dict(step.parameters),
        "changed": {change.path: [change.before, change.after] for change in step.changes},
        "lines": {change.path: str(change.line) for change in step.changes if change.line is not None},
        "source": str(source),
    }
