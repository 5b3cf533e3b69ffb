"""The result of `prove`: as text like that of `check`, and as JSON of the same shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podproof.checker.core.system import Proofs, Recheck, State, Status, System, Verdict
from podproof.reports.expected import Judgement
from podproof.reports.layout import Detail, Style, number_of, text_of, wrap_items
from podproof.reports.machine import Replay, check_json, json_text
from podproof.reports.story import story
from podproof.reports.text import INDENT, MARGIN, CheckReport, TextOptions

LEVEL = INDENT + 2
"""Where the evidence of a claim begins."""


def proofs_text(proofs: Sequence[Proofs], wanted: TextOptions | None = None, style: Style | None = None) -> str:
    """The whole report, ending with a newline."""
    return text_of(_ProofReport(proofs, wanted or TextOptions(), style or Style()).lines())


def proofs_json(
    proofs: Sequence[Proofs],
    tool: Mapping[str, Any],
    replay: Replay | None = None,
    judgement: Judgement | None = None,
) -> str:
    """As `check_json`, and how far a second solver agrees; a claim may have its `invariant`, and a `stuck` step."""
    document = json.loads(check_json([p.exploration for p in proofs], tool, replay, judgement, "prove"))
    for p, result in zip(proofs, document["results"], strict=True):
        result["recheck"] = _recheck_json(p.recheck)
        for claim in result["properties"]:
            if claim["id"] in p.invariants:
                claim["invariant"] = list(p.invariants[claim["id"]])
            if (trace := p.stuck.get(claim["id"])) is not None:
                (step,) = trace.steps
                before = {v.path: v.show(x) for v, x in zip(p.exploration.system.variables, trace.initial, strict=True)}
                claim["stuck"] = {"before": before, "action": step.action, "parameters": dict(step.parameters)}
    return json_text(document)


class _ProofReport(CheckReport):
    """What is other than in a report of `check`: what the verdicts are about, and their evidence."""

    def __init__(self, proofs: Sequence[Proofs], wanted: TextOptions, style: Style) -> None:
        super().__init__([p.exploration for p in proofs], wanted, style)
        self.proofs = proofs

    def lines(self) -> Iterator[str]:
        for p in self.proofs:
            if self._is_worth_a_line(p.exploration):
                yield from self._proofs(p)
                yield ""
        yield from self._summary()

    def _proofs(self, p: Proofs) -> Iterator[str]:
        e = p.exploration
        proved = [v for v in e.verdicts if v.status is Status.PROVED]
        head = self.style.paint(f"{e.system.version}  {e.system.scenario}", "bold")
        extent = "for every grace period" if e.system.is_unbounded else "with its bounded numbers"
        yield f"{head}   {len(proved)} of {number_of(len(e.verdicts), 'claim')} proved {extent}"
        for status in (Status.VIOLATED, Status.UNKNOWN):
            for verdict in e.verdicts:
                if verdict.status is status:
                    yield from self._verdict(e, verdict)
                    if self.style.detail is not Detail.QUIET:
                        yield from self._stuck(p, verdict)
        if self.style.detail is Detail.QUIET:
            return
        yield from self._fulfilled(Status.PROVED, proved)
        for name, parts in p.invariants.items():
            yield from self._invariant(name, parts)
        if self.wanted.stats or self.style.detail is Detail.FULL:
            yield f"{' ' * INDENT}stats     {e.seconds:.2f} s"
        yield from self._trust_of(p)

    @staticmethod
    def _steps(v: Verdict) -> str:
        """A violation may be shown without its being known as a shortest one."""
        return v.reason.removeprefix("after ") if v.status is Status.VIOLATED else ""

    def _stuck(self, p: Proofs, v: Verdict) -> Iterator[str]:
        """The counterexample to induction: state before, step, what the step changed."""
        trace, system = p.stuck.get(v.property.id), p.exploration.system
        if trace is not None:
            start = system.initial[0]
            other = {w.path for w, a, b in zip(system.variables, start, trace.initial, strict=True) if a != b}
            yield from self._items(
                "from a state, which may not be reachable, with", _show(system, trace.initial, other)
            )
            yield from story(system, trace, self.style, LEVEL)
            yield ""

    def _items(self, head: str, items: Sequence[str]) -> Iterator[str]:
        yield f"{' ' * LEVEL}{head}"
        yield from (" " * (LEVEL + 2) + line for line in wrap_items(items, self.style.width - LEVEL - 2))

    def _invariant(self, name: str, parts: Sequence[str]) -> Iterator[str]:
        yield f"{' ' * INDENT}invariant {name}: all variables are in their ranges, and"
        for part in parts:
            yield from self.style.paragraph(part, LEVEL + 2, f"{' ' * LEVEL}- ")

    def _trust_of(self, p: Proofs) -> Iterator[str]:
        """How far the verdicts above can be trusted."""
        e = p.exploration
        where = f"environment {e.system.environment}, scenario {e.system.scenario} ({e.system.bounds})"
        bounds = dict.fromkeys(name for t in e.system.transitions for name in t.bounds)
        cut = f"steps beyond a bound do not happen ({', '.join(bounds)}); " if bounds else ""
        seconds = "its seconds are examples only: a proof is for every number; " if e.system.is_unbounded else ""
        whole = "" if e.complete else f"NOT everything decided: {e.reason}; "
        checked = "each invariant checked from scratch (initial states, every step, the claim), each trace replayed"
        reductions = ", ".join(e.reductions) or "none"
        text = (
            f"{where}; {seconds}{cut}runs of any length; {whole}{checked}; {_recheck(p.recheck)}; "
            f"reductions: {reductions}; engine {e.engine}"
        )
        yield from self.style.paragraph(text, MARGIN, " " * INDENT + "trust")


def _recheck(r: Recheck) -> str:
    """How far a second solver agrees."""
    if r.obligations is None:
        return f"not re-checked, {f'--recheck has {r.solver} do it' if r.solver else 'no second solver is installed'}"
    agreed = (
        f"re-checked by {r.solver}: {r.obligations - len(r.unconfirmed)} of {number_of(r.obligations, 'obligation')}"
    )
    return agreed + "".join(f", {claim} {check}: {said}" for claim, check, said in r.unconfirmed)


def _recheck_json(r: Recheck) -> Mapping[str, Any]:
    if r.obligations is None:
        return {"solver": r.solver}
    unconfirmed = [{"property": claim, "check": check, "answer": said} for claim, check, said in r.unconfirmed]
    return {"solver": r.solver, "obligations": r.obligations, "unconfirmed": unconfirmed}


def _show(system: System, state: State, paths: set[str]) -> list[str]:
    return [f"{v.path} = {v.show(x)}" for v, x in zip(system.variables, state, strict=True) if v.path in paths]
