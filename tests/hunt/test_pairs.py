"""What `review` and the comparison with a release say of two versions made at random, beside CPython's word on both."""

from __future__ import annotations

import inspect
import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from tests.hunt.pairs import FIELDS, Event, Maker, Plain, PlainGraph, alike, loaded, lowered

from podproof.checker.core.system import NO_LIMITS, OutOfRange, Status
from podproof.checker.decide import Checker
from podproof.checker.difference.inherited import beside, further, other_way
from podproof.checker.difference.result import Comparison, Decision
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS
from podproof.queries.comparing import compare_systems

SHORT = 40
"""Pairs of each kind in the default suite."""
PARTS = ("acts", "claims", "initial", "limit")


# -- diff ------------------------------------------------------------------------------------------------------------


def compared(seed: int) -> tuple[str, str]:
    """What was expected of a pair, and what is wrong in what `review` says of it both ways; empty for nothing."""
    maker = Maker(seed)
    first = maker.version()
    second = maker.changed(first, PARTS)
    if maker.chance.random() < 0.5:
        second = maker.changed(second, PARTS)
    by = maker.chance.sample(sorted(FIELDS), maker.chance.randint(1, len(FIELDS)))
    with loaded(first.text, second.text) as modules:
        graphs = PlainGraph(modules[0]), PlainGraph(modules[1])
        answers = []
        for way in (modules, modules[::-1]):
            (a, mine), (b, theirs) = (lowered(module, module.__name__) for module in way)
            try:
                answers.append(compare_systems((a, b), (mine, theirs), by))
            except OutOfRange:
                answers.append(None)
        if any(graph.goes_wrong for graph in graphs):
            return "goes wrong", "" if answers == [None, None] else f"not seen to go wrong: {answers}"
        statuses = [{c[0]: graph.status(c) for c in graph.module.CLAIMS} for graph in graphs]
        is_alike = alike(graphs, by)
    there, back = answers
    if there is None or back is None:
        return "", "said to go wrong"
    expected = "alike" if is_alike and statuses[0] == statuses[1] else "different"
    reworded = (first.claims, first.limit) != (second.claims, second.limit)
    what = [_objection(there, statuses, is_alike, reworded), _objection(back, statuses[::-1], is_alike, reworded)]
    if there.decision is not back.decision:
        what.append(f"{there.decision} one way and {back.decision} the other")
    return f"{expected}: {there.decision.name}", "; ".join(filter(None, what))


def _objection(found: Comparison, statuses: list[dict[str, str]], is_alike: bool, reworded: bool) -> str:
    """What is wrong in one way's answer."""
    for claim in found.claims:
        for status, expected in zip(claim.statuses, statuses, strict=True):
            if status is None or status.value != expected[claim.property.id]:
                return f"{claim.property.id} is {status}, not {expected[claim.property.id]}"
    is_same = is_alike and statuses[0] == statuses[1]
    if found.decision.is_equivalent and not is_same:
        return f"{found.decision}, and CPython sees a difference"
    if found.decision is Decision.DIFFERENT and is_same and not reworded and not any(c.is_unlike for c in found.claims):
        return "DIFFERENT, and CPython sees none"
    if found.decision is Decision.UNDECIDED:
        return "undecided without a limit"
    return ""


# -- what is inherited -----------------------------------------------------------------------------------------------


def inherited(seed: int) -> tuple[str, str]:
    """What was expected of a version and a change of it, and what is wrong in what is said to be inherited."""
    maker = Maker(seed, may_go_wrong=False, may_be_others=False)
    first = maker.version()
    second = maker.changed(first, ("acts", "initial", "acts"))
    with loaded(first.text, second.text) as modules:
        release, change = map(PlainGraph, modules)
        (base, of_base), (system, claims) = (lowered(module, module.__name__) for module in modules)
        found = Checker(system, Compiled(), tuple(REDUCTIONS)).decide(lower_properties(system, claims))
        in_base = {p.id: p for p in of_base}
        violated = [v for v in found.verdicts if v.status is Status.VIOLATED and v.property.kind != "sometimes"]
        as_in_base = [v.property for v in violated if not other_way(base, in_base[v.property.id], system, v)]
        if not as_in_base:
            return "nothing to inherit", ""
        both = beside(base, in_base, system, as_in_base)
        explore = partial(Checker(both.system, Compiled(), tuple(REDUCTIONS)).run, limits=NO_LIMITS)
        said = further(both, as_in_base, explore, NO_LIMITS)
        kinds, wrong, reached = [], [], (set(release.steps), set(change.steps))
        for p in as_in_base:
            kind, what = _judged(release, change, reached, p.id, p.id in said)
            kinds.append(kind)
            wrong += [f"{p.id} {what}"] if what else []
            if p.id in said and said[p.id].verdict is None:
                wrong.append(f"{p.id} is left open without a limit")
    return "/".join(sorted(set(kinds))), "; ".join(wrong)


def _judged(
    release: PlainGraph, change: PlainGraph, reached: tuple[set[Plain], set[Plain]], name: str, is_further: bool
) -> tuple[str, str]:
    """Is what CPython does of the claim inherited, and what is wrong in saying that more violates it, or nothing?

    A state counts as one that the release reaches where the change goes on from one of those in the same way, step by
    step, as far as the claim sees: some fields may have no influence.
    """
    mine, theirs = (next(c for c in graph.module.CLAIMS if c[0] == name) for graph in (change, release))
    there, here = reached
    breaking = [(s, e) for s in here for e in change.steps[s] if change.breaks(mine, s, e)]
    release.reach([s for s, _ in breaking])
    both = {(s, e) for s, e in breaking if e in release.steps[s] and release.breaks(theirs, s, e)}

    def same_as(fields: Collection[str]) -> set[tuple[Plain, Event]]:
        """The steps that leave the same values of these fields, and pass the same lines of the claim."""
        ends = {(s, e): (change.steps[s][e], release.steps[s][e]) for s, e in both}
        places = [i for i, field in enumerate(FIELDS) if field in fields]
        return {
            (s, e)
            for (s, e), (one, other) in ends.items()
            if all(one[i] == other[i] for i in places) and not (change.lines[s, e] ^ release.lines[s, e]) & set(mine[3])
        }

    of_release = same_as(_named(mine))
    plainly = all(s in there and (s, e) in of_release for s, e in breaking)
    if plainly:
        return "inherited", "is the release's in every step, and was called CHANGED" if is_further else ""
    change.reach(sorted(there))
    groups = _groups(change, mine)
    known = {groups[s] for s in there}
    of_release = same_as(_read(mine))
    at_least = all(groups[s] in known and (s, e) in of_release for s, e in breaking)
    if at_least:
        return "not decided by the oracle", ""
    return "further", "" if is_further else "is violated in a step that is none of the release's, and was INHERITED"


def _named(claim: tuple[Any, ...]) -> set[str]:
    """The fields of the state after a step that a claim names."""
    _, kind, function, _ = claim
    text, root = "" if function is None else inspect.getsource(function), "after" if kind == "step" else "self"
    return {name for name in FIELDS if re.search(rf"\b{root}\.{name}\b", text)}


def _read(claim: tuple[Any, ...]) -> set[str]:
    """Those of them by which what it says may differ: not every condition that names a field depends on it."""
    _, kind, function, _ = claim
    if function is None:
        return set()
    values = [range(most + 1) if most > 1 else (False, True) for most in FIELDS.values()]
    states = list(itertools.product(*values))
    trees = {state: SimpleNamespace(**dict(zip(FIELDS, state, strict=True))) for state in states}
    said = {
        (before, after): bool(function(*([trees[before]] if kind == "step" else []), trees[after]))
        for before in (states if kind == "step" else states[:1])
        for after in states
    }
    return {
        name
        for i, name in enumerate(FIELDS)
        if any(
            said[before, after] != said[before, (*after[:i], value, *after[i + 1 :])]
            for before, after in said
            for value in values[i]
        )
    }


def _groups(graph: PlainGraph, claim: tuple[object, ...]) -> dict[object, int]:
    """States that go on alike have one number: the same events lead to such states, and break the claim or not."""
    marks = {s: frozenset((e, graph.breaks(claim, s, e)) for e in graph.steps[s]) for s in graph.steps}
    blocks: dict[object, object] = dict(marks)
    count = 0
    while count != (count := len(set(blocks.values()))):
        numbers = {block: i for i, block in enumerate(dict.fromkeys(blocks.values()))}
        blocks = {
            s: (numbers[blocks[s]], frozenset((e, numbers[blocks[t]]) for e, t in graph.steps[s].items()))
            for s in graph.steps
        }
    numbers = {block: i for i, block in enumerate(dict.fromkeys(blocks.values()))}
    return {s: numbers[block] for s, block in blocks.items()}


# -- what both violate -----------------------------------------------------------------------------------------------


def seen(seed: int) -> tuple[str, str]:
    """What was expected of claims that two versions violate, and what is wrong in what `review` says of the second."""
    maker = Maker(f"seen {seed}", may_go_wrong=False)
    first = maker.version()
    second = maker.changed(maker.changed(first, ("acts", "initial")), ("acts", "initial"))
    with loaded(first.text, second.text) as modules:
        graphs = PlainGraph(modules[0]), PlainGraph(modules[1])
        (a, mine), (b, theirs) = (lowered(module, module.__name__) for module in modules)
        found = compare_systems((a, b), (mine, theirs), sorted(FIELDS))
        kinds, wrong = ["nothing in both"], []
        for claim in found.claims:
            name, told = claim.property.id, [baseline for _, baseline in claim.otherwise]
            own, other = (next(c for c in graph.module.CLAIMS if c[0] == name) for graph in graphs)
            if claim.property.is_witnessed or {g.status(c) for g, c in zip(graphs, (own, other), strict=True)} != {
                "VIOLATED"
            }:
                wrong += [f"{name} is compared: {told}"] if told else []
                continue
            at_least, at_most = (
                bool(_as_seen(graphs[1], other, fields) - _as_seen(graphs[0], own, fields))
                for fields in (_depends_on(own), _mentions(own))
            )
            is_changed = claim.is_worse
            kinds.append("new" if at_least else "the same" if not at_most else "not decided by the oracle")
            if is_changed is not at_least and is_changed is not at_most:
                wrong.append(f"{name} is {'' if is_changed else 'not '}worse: {told}")
            if any(b.is_open for b in told):
                wrong.append(f"{name} is left open without a limit")
            further = {s for s in graphs[1].steps for e in graphs[1].steps[s] if graphs[1].breaks(other, s, e)}
            if any("never reaches" in b.reason for b in told) and further <= graphs[0].steps.keys():
                wrong.append(f"{name} is violated from states of the first alone, and told to be from others")
    return "/".join(sorted(set(kinds))), "; ".join(wrong)


Fields = tuple[Collection[str], Collection[str]]
"""Those of the state before a step, and of the one after it."""


def _as_seen(graph: PlainGraph, claim: tuple[Any, ...], fields: Fields) -> set[object]:
    """Every violation of a claim: the event, these fields before and after it, and the claim's lines."""
    _, kind, function, lines = claim

    def shown(state: Plain, names: Collection[str]) -> Plain:
        return tuple(value for name, value in zip(FIELDS, state, strict=True) if name in names)

    found: set[object] = {
        (event, shown(state, fields[0]), shown(after, fields[1]), graph.lines[state, event] & set(lines))
        for state, events in graph.steps.items()
        for event, after in events.items()
        if graph.breaks(claim, state, event)
    }
    if kind == "always" and not function(graph.tree(graph.initial)):
        found.add(("from the start", shown(graph.initial, fields[1])))
    return found


def _mentions(claim: tuple[Any, ...]) -> Fields:
    _, kind, function, _ = claim
    text = "" if function is None else inspect.getsource(function)
    before, after = (
        {name for name in FIELDS if re.search(rf"\b{root}\.{name}\b", text)}
        for root in (("before", "after") if kind == "step" else ("self", "self"))
    )
    return before, after


def _depends_on(claim: tuple[Any, ...]) -> Fields:
    """The fields by which what the claim says may differ; one about a step has a condition on each state."""
    _, kind, function, _ = claim
    if function is None:
        return set(), set()
    if kind != "step":
        return _read(claim), _read(claim)
    swapped = ("", kind, lambda after, before: function(before, after), ())
    return _read(swapped), _read(claim)


# -- the hunts -------------------------------------------------------------------------------------------------------

HUNTS = {"diff": compared, "inherited": inherited, "seen": seen}


def hunted(hunt: Callable[[int], tuple[str, str]], first: int, count: int) -> tuple[Counter[str], list[str]]:
    kinds, wrong = Counter[str](), []
    for seed in range(first, first + count):
        kind, what = hunt(seed)
        kinds[kind] += 1
        wrong += [f"seed {seed} ({kind}): {what}"] if what else []
    return kinds, wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", HUNTS)
def test_pairs_are_compared_as_cpython_does(name: str) -> None:
    kinds, wrong = hunted(HUNTS[name], 0, SHORT)
    assert not wrong, "\n".join(wrong)
    assert len(kinds) > 2


@pytest.mark.hunt
@pytest.mark.parametrize("name", HUNTS)
def test_many_pairs_are_compared_as_cpython_does(name: str, request: pytest.FixtureRequest) -> None:
    kinds, wrong = hunted(HUNTS[name], request.config.getoption("--hunt-from"), request.config.getoption("--hunt"))
    print(dict(kinds))
    assert not wrong, "\n".join(wrong)
