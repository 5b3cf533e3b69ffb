"""SARIF 2.1.0, as GitHub's code scanning and editors read it: a rule for each claim, its trace as a code flow.

Fingerprints name the claim, version, scenario and last action and no line, so that an alert stays the same one while
the model's lines move. Files are relative to a base, and no base has an absolute address: the same input gives the same
bytes on every machine. What is undecided is no result but a notification: nobody should be alerted by a time-out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.printer import visible
from podproof.reports.actors import lane_of
from podproof.reports.content.finding import (
    HERE,
    MODEL,
    PODPROOF,
    VERDICTS,
    CaseResult,
    FilePlace,
    Finding,
    Report,
    Rule,
    evidence,
    facts,
    join_words,
)
from podproof.reports.render.json import json_text
from podproof.reports.state_text import StepText

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASELINE = {
    BaselineState.NEW: "new",
    BaselineState.CHANGED: "updated",
    BaselineState.SUPERSEDED: "unchanged",
    BaselineState.KNOWN: "unchanged",
    BaselineState.INHERITED: "unchanged",
    BaselineState.MENDED: "absent",
}
_BASES = {
    HERE: "The root of the repository that is checked.",
    PODPROOF: "The folder of podproof's own files, where model/ and specs/ are.",
    MODEL: "The folder of the model file.",
}


def sarif_json(report: Report) -> str:
    """The whole log as indented JSON, ending with a newline."""
    results = [*report.of(CaseResult.FAILED), *(finding for group in report.known().values() for finding in group)]
    is_compared = any(finding.baseline is not None for finding in results)
    rules = list({finding.rule.id: finding.rule for finding in report.findings}.values())
    index = {rule.id: i for i, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "podproof",
                "version": report.tool_version,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": f"podproof/{report.command}/{report.subject}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {name: {"description": {"text": text}} for name, text in _BASES.items()},
        "invocations": [_invocation(report, index)],
        "results": [
            _result(report, way, index, is_compared) for finding in results for way in (finding, *finding.others)
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document)


def _rule(rule: Rule) -> dict[str, Any]:
    source = f"Source: {rule.source}" if rule.source else ""
    parts = [part for part in (rule.meaning, rule.why, source, f"More: `podproof explain {rule.id}`") if part]
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("_")),
        "shortDescription": {"text": rule.meaning},
        "fullDescription": {"text": " ".join(part for part in (rule.meaning, rule.why) if part)},
        "help": {"text": "\n\n".join(parts)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["kubelet", "pod-lifecycle"], "precision": "very-high"},
    }


def _invocation(report: Report, index: dict[str, int]) -> dict[str, Any]:
    beside = [
        one for groups in (report.superseded(), report.listed_in_vain()) for group in groups.values() for one in group
    ]
    notes = [
        {
            "level": "warning" if finding.outcome is CaseResult.UNDECIDED else "note",
            "message": {"text": visible(f"{finding.suite}: {finding.message}")},
            "associatedRule": {"id": finding.rule.id, "index": index[finding.rule.id]},
        }
        for finding in (*report.of(CaseResult.UNDECIDED), *beside)
    ]
    return {
        "commandLine": report.line,
        "executionSuccessful": report.exit_code in VERDICTS,
        "exitCode": report.exit_code,
        "exitCodeDescription": report.reason,
        "toolExecutionNotifications": notes,
    }


def _result(report: Report, finding: Finding, index: dict[str, int], is_compared: bool) -> dict[str, Any]:
    told = finding.steps()
    found: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": index[finding.rule.id],
        "kind": "fail",
        "level": finding.severity,
        "message": {"text": _message(finding)},
        "partialFingerprints": _fingerprints(finding),
        "properties": {"version": finding.version, "scenario": finding.scenario, "status": finding.status},
        # Where one result has them all are to have them, says the standard.
        "suppressions": _suppressions(finding),
    }
    if is_compared:  # Where one result has it all are to have it.
        found["baselineState"] = "new" if finding.baseline is None else _BASELINE[finding.baseline.state]
    shown = report.shown_at(finding)
    if shown is not None:
        found["locations"] = [{"physicalLocation": _physical(*shown)}]
    if told:
        found["codeFlows"] = [{"threadFlows": [{"locations": _flow(report, told)}]}]
        last = report.place(told[-1].line.file), told[-1].line.number
        if shown is not None and shown != last:
            message = {"text": visible(f"the last step: {told[-1].step.event}")}
            found["relatedLocations"] = [{"id": 1, "physicalLocation": _physical(*last), "message": message}]
    return found


def _suppressions(finding: Finding) -> list[dict[str, str]]:
    """Why nobody is to be alerted: what is known, and no failure."""
    if finding.outcome is CaseResult.FAILED or finding.baseline is None:
        return []
    return [{"kind": "external", "justification": visible(finding.baseline.reason)}]


def _message(finding: Finding) -> str:
    """The first sentence is all that a list of alerts shows. The trace is in the code flow, not in the text."""
    told = replace(finding, others=(), story=() if finding.trace is not None else finding.story)
    return "\n\n".join([visible(f"{finding.headline}."), *map(visible, facts(told)), *map(join_words, evidence(told))])


def _fingerprints(finding: Finding) -> dict[str, str]:
    """The first key is GitHub's, whose own way to make it looks at the text of a line."""
    last = finding.trace.steps[-1].action if finding.trace is not None and finding.trace.steps else ""
    parts = (finding.version, finding.scenario, finding.rule.id, finding.case, last)
    text = "/".join(part for part in parts if part)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "primaryLocationLineHash": f"{digest[:16]}:1",
        "podproof/v1": text,
    }


def _physical(place: FilePlace, line: int) -> dict[str, Any]:
    uri = quote(place.path.replace("\\", "/"), errors="surrogateescape")  # a file's name may be no UTF-8
    return {"artifactLocation": {"uri": uri, "uriBaseId": place.base}, "region": {"startLine": line}}


def _flow(report: Report, told: Sequence[StepText]) -> list[dict[str, Any]]:
    """Each step at the line that did it; the last one, where the claim breaks, is the essential one."""
    return [
        {
            "executionOrder": number,
            "importance": "essential" if number == len(told) else "important",
            "kinds": [lane_of(step.step.actor)],
            "location": {
                "physicalLocation": _physical(report.place(step.line.file), step.line.number),
                "message": {"text": visible(f"{number}. {step.step.event}{f': {step.changes}' if step.facts else ''}")},
            },
            "state": {change.path: {"text": str(change.after)} for change in step.step.changes},
        }
        for number, step in enumerate(told, 1)
    ]
