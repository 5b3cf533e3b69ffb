"""Whether one version violates a claim in a way in which another never does, as the claim sees it.

Whatever comes after a change is new, so it does not count whether the other version reaches the state in which a step
violates the claim. A violation is the step's action with its parameters, what the claim reads of the states before and
after it, and which of its lines the step passes; where the claim is violated from the start, what it reads there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from podproof.checker.arrays import Bools, Int64s
from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import Limits, LoweredProperty, OnProgress, System, Trace, Verdict
from podproof.checker.core.trace import evidence
from podproof.checker.decide import about_steps, broken_by
from podproof.checker.difference.behaviour import number_rows
from podproof.checker.difference.inherited import breaks, has_states_of, read_by, searched, violation, without_lines
from podproof.checker.engines.compiled.search import distances
from podproof.checker.engines.compiled.transition import Tag
from podproof.checker.reductions import relevant_variables

Pair = tuple[LoweredProperty, LoweredProperty]
"""One claim, as each version's."""
_MOST_ROWS = 1 << 18
"""So many violations of a claim are collected before those that are alike count as one."""
_Seen = tuple[object, ...]
"""What a claim sees of a violation, as a person reads it; alike in both versions."""


@dataclass(frozen=True)
class SecondWay:
    """How the second of two versions violates a claim that the first violates, too."""

    verdict: Verdict | None
    """With a shortest trace of a violation that the first never has, as the claim sees it; None where none is known."""
    is_elsewhere: bool = False
    """Does it violate the claim from states that the first never reaches as well?"""
    reason: str = ""
    """Why there may be such a violation all the same; empty where everything was explored."""


@dataclass(frozen=True)
class _View:
    """What a claim reads, in either version: variables of the states before and after a step, and its lines."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    lines: tuple[str, ...]


def second_ways(
    systems: tuple[System, System], claims: Sequence[Pair], limits: Limits, report: OnProgress | None = None
) -> list[SecondWay]:
    """How the second system violates each claim, beside the first, which violates it as well.

    Raises KeyboardInterrupt, and OutOfRange where a system goes wrong.
    """
    variables = [{v.path: v for v in system.variables} for system in systems]
    views = [_view(systems, pair) for pair in claims]
    lacking = {
        i: f"the claim reads {path}, which {system.version} has not"
        for i, view in enumerate(views)
        for system, known in zip(systems, variables, strict=True)
        for path in (*view.before, *view.after)
        if path not in known
    }
    asked = [i for i in range(len(claims)) if i not in lacking]
    found = {i: SecondWay(None, reason=why) for i, why in lacking.items()}
    if asked:
        read = {path for i in asked for path in (*views[i].before, *views[i].after)}
        alike = {path for path, v in variables[0].items() if variables[1].get(path) == v}
        sides = [_Side(system, [(claims[i][side], views[i]) for i in asked]) for side, system in enumerate(systems)]
        compared = frozenset(alike & (sides[0].relevant | sides[1].relevant))
        for side in sides:
            side.explore(compared | read, limits, report)
        is_known = has_states_of(sides[0].search, sides[1].search, compared)
        for number, i in enumerate(asked):
            found[i] = _second_way(sides[0], sides[1], number, is_known)
    return [found[i] for i in range(len(claims))]


def _view(systems: tuple[System, System], claim: Pair) -> _View:
    (before, after), other = (read_by(system, p) for system, p in zip(systems, claim, strict=True))
    lines = {line for p in claim for line in p.property.lines}
    return _View(tuple(sorted(before | other[0])), tuple(sorted(after | other[1])), tuple(sorted(lines)))


class _Side:
    """One version: a search of all its states, and what violates each claim."""

    def __init__(self, system: System, claims: Sequence[tuple[LoweredProperty, _View]]) -> None:
        self.claims = claims
        self.system = replace(system, transitions=without_lines(system))
        asked = [LoweredProperty(about_steps(p.property), steps=tuple(broken_by(system, p))) for p, _ in claims]
        self.lines = dict[tuple[int, str], int]()
        """By claim and line, the number of the question whether a step passes it."""
        for i, (p, view) in enumerate(claims):
            for line in view.lines:
                self.lines[i, line] = len(asked)
                passed = (t.lines.get(line, system.graph.false) for t in system.transitions)
                asked.append(LoweredProperty(p.property, steps=tuple(passed)))
        self.questions = asked
        self.relevant = relevant_variables(self.system, asked)

    def explore(self, kept: frozenset[str], limits: Limits, report: OnProgress | None) -> None:
        """Search with at least these variables, and collect what violates the claims."""
        self.search = searched(self.system, self.questions, kept, limits, report)
        self.seen = [dict[_Seen, tuple[int, int]]() for _ in self.claims]
        """By claim what it sees of its violations, with a nearest step: the state, by number, and the tag."""
        self.breaks = [np.zeros(self.search.count, bool) for _ in self.claims]
        """By claim whether a step violates it from each state."""
        tables = [list[tuple[Int64s, Int64s]]() for _ in self.claims]
        fields, words = self.search.layout.fields, self.search.layout.words
        for batch in self.search.steps():
            rows, origins = batch.rows[: batch.ready], batch.origins[: batch.ready].astype(np.int64)
            for i, (_, view) in enumerate(self.claims):
                broken = breaks(self.search, rows, i)
                if broken.any():
                    where, mine = origins[broken], rows[broken]
                    self.breaks[i][where] = True
                    before = distances(self.search.states[where], [fields[path] for path in view.before])
                    after = distances(mine, [fields[path] for path in view.after])
                    passed = [breaks(self.search, mine, self.lines[i, line]) for line in view.lines]
                    tables[i].append((where, np.column_stack([mine[:, words], before, after, *passed])))
                    if sum(len(each) for each, _ in tables[i]) > _MOST_ROWS:
                        tables[i] = [_nearest(tables[i])]
        for (_, view), found, parts in zip(self.claims, self.seen, tables, strict=True):
            where, table = _nearest(parts) if parts else (np.zeros(0, np.int64), np.zeros((0, 0), np.int64))
            for state, values in zip(where.tolist(), table.tolist(), strict=True):
                found.setdefault(self._shown(view, values), (state, values[0]))

    def _shown(self, view: _View, values: Sequence[int]) -> _Seen:
        """A violation as the claim sees it: `values` are a tag, how far variables are above their least, and lines."""
        name, chosen = Tag.read(values[0]).move(self.system)
        action, fields = self.system.action[name], self.search.layout.fields
        parameters = tuple(sorted((q.name, q.show(chosen[q.name])) for q in action.parameters))
        read = [fields[path].variable for path in (*view.before, *view.after)]
        shown = (v.show(v.low + value) for v, value in zip(read, values[1:], strict=False))
        return action.actor, name, parameters, *shown, *values[1 + len(read) :]

    def from_start(self, number: int) -> Iterator[tuple[_Seen, Trace]]:
        """What a claim about states sees where it is violated from the start."""
        p, view = self.claims[number]
        if p.state is None:
            return
        for initial in self.system.initial:
            values = {v.path: value for v, value in zip(self.system.variables, initial, strict=True)}
            (holds,) = evaluate([p.state], values)
            if not holds:
                shown = {v.path: v.show(value) for v, value in zip(self.system.variables, initial, strict=True)}
                yield tuple(shown[path] for path in view.after), evidence(self.system, [], initial)


def _nearest(parts: Sequence[tuple[Int64s, Int64s]]) -> tuple[Int64s, Int64s]:
    """The different rows of some tables, in the order in which they come first, with the states that stand there."""
    where, table = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    _, first = number_rows([(column, int(column.max()) + 1) for column in table.T])
    first.sort()
    return where[first], table[first]


def _second_way(first: _Side, second: _Side, number: int, is_known: Bools) -> SecondWay:
    """How the second side violates a claim, by its number; of its states it `is_known` whether the first has them."""
    known = {seen for seen, _ in first.from_start(number)}
    trace = next((trace for seen, trace in second.from_start(number) if seen not in known), None)
    if trace is None:
        places = (place for seen, place in second.seen[number].items() if seen not in first.seen[number])
        place = next(places, None)
        cut = first if place is not None else second
        if cut.search.reason:
            return SecondWay(None, reason=f"{cut.system.version} is not explored to the end: {cut.search.reason}")
        if place is None:
            is_elsewhere = not first.search.reason and not is_known[second.breaks[number]].all()
            return SecondWay(None, is_elsewhere)
        trace = second.search.traces().trace(*place)
    return SecondWay(violation(second.system, second.claims[number][0].property, trace))
