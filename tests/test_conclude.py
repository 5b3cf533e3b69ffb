"""Only `conclude` makes a verdict, and it claims of each evidence what that shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from tests.test_layers import ROOMS, ROOT, modules

from podproof.checker.conclude import Evidence, Exhausted, Proof, Shown, Stopped, Undecided, conclude
from podproof.checker.core.lasso import Lasso
from podproof.checker.core.system import Property, PropertyKind, Status, Trace

START = Trace((0,), ())
LOOP = Trace((0,), (), Lasso(0, 0, {}, None))


def makings(tree: ast.AST) -> Iterator[int]:
    """The lines that make a verdict, hand its class to something that calls it, or give one another outcome."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        handed = {a.id for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Name)}
        changed = {k.arg for k in node.keywords} if called in ("replace", "__replace__") else set[str | None]()
        if called == "Verdict" or ("Verdict" in handed and called != "isinstance") or "status" in changed:
            yield node.lineno


@pytest.mark.slow
def test_nothing_else_makes_a_verdict() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for room in (*ROOMS, "docs", "bench")
        for path in modules(room)
        if (lines := list(makings(ast.parse(path.read_text()))))
    }
    assert list(found) == ["checker/conclude.py", "queries/cache.py"]
    assert len(found["queries/cache.py"]) == 1, "a verdict that was kept is read back"


@pytest.mark.parametrize(
    "text",
    [
        "Verdict(p, Status.HOLDS, '')",
        "system.Verdict(p, status=Status.HOLDS, reason='')",
        "partial(Verdict, p)",
        "map(Verdict, claims)",
        "dataclasses.replace(v, status=Status.HOLDS)",
        "replace(v, status=other.status)",
    ],
)
def test_making_one_is_noticed(text: str) -> None:
    assert list(makings(ast.parse(text))) == [1]


@pytest.mark.parametrize("text", ["isinstance(v, Verdict)", "replace(v, needs=())", "conclude(p, Exhausted())"])
def test_what_makes_none_is_not_noticed(text: str) -> None:
    assert list(makings(ast.parse(text))) == []


@pytest.mark.parametrize(
    ("kind", "evidence", "status", "reason"),
    [
        ("always", Shown(START), Status.VIOLATED, "after 0 steps, shortest"),
        ("step", Shown(START, is_shortest=False), Status.VIOLATED, "after 0 steps"),
        ("never", Shown(START, False, ", by hand"), Status.VIOLATED, "after 0 steps, by hand"),
        ("always", Shown(None), Status.VIOLATED, "in a state or step that was seen"),
        ("recurs", Shown(LOOP), Status.VIOLATED, LOOP.lasso.in_words(0, True) if LOOP.lasso else ""),
        ("sometimes", Shown(START), Status.HOLDS, "seen after 0 steps"),
        ("always", Exhausted(), Status.HOLDS, "in every reachable state"),
        ("sometimes", Exhausted(), Status.VIOLATED, "no reachable state is like this"),
        ("leads_to", Exhausted(is_vacuous=False), Status.HOLDS, "in every fair run"),
        ("leads_to", Exhausted(is_vacuous=True), Status.HOLDS, "only because its premise never happens here"),
        ("recurs", Exhausted(for_every_number=True), Status.PROVED, "in every fair run"),
        ("always", Stopped("no time"), Status.UNKNOWN, "not violated so far; no time"),
        ("sometimes", Stopped("no time"), Status.UNKNOWN, "not seen yet; no time"),
        ("step", Proof("for every input"), Status.PROVED, "for every input"),
        ("sometimes", Undecided("interrupted"), Status.UNKNOWN, "interrupted"),
    ],
)
def test_a_verdict_claims_what_its_evidence_shows(
    kind: PropertyKind, evidence: Evidence, status: Status, reason: str
) -> None:
    found = conclude(Property("claim", kind, ""), evidence)
    assert (found.status, found.reason) == (status, reason)
    assert found.trace is (evidence.trace if isinstance(evidence, Shown) else None)
