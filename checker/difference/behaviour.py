"""The state graphs of two versions: are they bisimilar, and what does only one of them show?

They are bisimilar if each can follow every step of the other, for ever, and shows the same meanwhile. Blocks of states
that may be alike are split until all states of a block have steps with the same events into the same blocks. A round
tells states apart by a 64-bit hash of those steps, which can only err by keeping states together; so the last partition
is compared step by step, and where two states were put apart they do differ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from podproof.checker.arrays import Int32s, Int64s, Numbers
from podproof.checker.core.system import (
    Action,
    CheckerError,
    EngineFault,
    Limits,
    LoweredProperty,
    Move,
    OnProgress,
    Outcome,
    State,
    Step,
    System,
    Trace,
)
from podproof.checker.core.trace import evidence, is_shown, replay
from podproof.checker.difference.result import Experiment, Flow, NewStep, Side, View, Waiting
from podproof.checker.engines.compiled import processors
from podproof.checker.engines.compiled.machine import GraphArrays, loops_for, zeros
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.compiled.transition import TRANSITION_MASK, Tag
from podproof.checker.reductions import relevant_variables, unchanging_variables, with_values

CUT_OFF = ", where a bound cuts it off"
_MOST_WAITS = 3
"""The most waits of a kind that are shown with a trace; all are counted."""

# -- state spaces ------------------------------------------------------------------------------------------------------


@dataclass
class Labels:
    """The events of two versions, numbered together: an action, its actor, and what its parameters show."""

    events: list[tuple[str, str, str]] = field(default_factory=list)
    """The event in words, the action and the actor of each number, as in the first version."""
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, action: Action, values: Mapping[str, int], end: str = "") -> int:
        """The number of an event; `end` says how its step ends where it is not taken."""
        key = (end, action.name, action.actor, *sorted((p.name, p.show(values[p.name])) for p in action.parameters))
        if (number := self._numbers.setdefault(key, len(self.events))) == len(self.events):
            self.events.append((action.event(values) + end, action.name, action.actor))
        return number


class StateSpace(Search):
    """A search; when it is finished `origins`, `labels` and `targets` are its steps, by state and then in order.

    `origins` and `targets` are indices of states (int32), `labels` numbers of events, `tags` tell the step (see `Tag`
    in compiled/transition.py), `initial` has the indices of the initial states. Steps that a bound cuts off lead
    nowhere: `cuts` has them as pairs of states and numbers of events (int32, one a row).
    """

    def __init__(self, system: System, paths: Sequence[str], labels: Labels, limits: Limits) -> None:
        # The search gives no row to a step that is cut off; so there is one beside it that stays where it is.
        cut_off = [
            dataclasses.replace(t, enabled=where, updates={}, bounds={}, faults={}, lines={})
            for t in system.transitions
            if (where := t.when(Outcome.CUT_OFF, system.graph)) is not system.graph.false
        ]
        searched = dataclasses.replace(system, transitions=(*system.transitions, *cut_off))
        searched, _ = with_values(searched, (), unchanging_variables(searched))
        super().__init__(searched, (), relevant_variables(system, (), paths), limits, processors())
        self.numbering, self.own_transitions = labels, len(system.transitions)

    def run(self, progress: OnProgress | None) -> None:
        """Search, and unless a limit stops it collect the steps. Raises OutOfRange where the model goes wrong."""
        super().run(progress)
        if self.interrupted:
            raise KeyboardInterrupt
        if self.reason:
            return
        self.initial = np.flatnonzero(self.parents == np.arange(self.count))
        numbers, offsets = list[int](), list[int]()
        for i, t in enumerate(self.system.transitions):
            offsets.append(len(numbers))
            end = CUT_OFF if i >= self.own_transitions else ""
            numbers += (self.numbering.number(t.action, move.values, end) for move in t.moves())
        number_of, offset_of = np.array(numbers, np.int32), np.array(offsets, np.int64)
        parts = list[tuple[Int32s, Int32s, Int32s, Int64s, Int32s]]()
        for batch, targets in self.numbered_steps():
            tags = batch.rows[: batch.ready, self.layout.words]
            transitions, choices = tags & TRANSITION_MASK, tags >> TRANSITION_MASK.bit_length()
            origins, labels = batch.origins[: batch.ready].astype(np.int32), number_of[offset_of[transitions] + choices]
            is_taken = transitions < self.own_transitions
            cuts = np.column_stack([origins[~is_taken], labels[~is_taken]])
            parts.append((origins[is_taken], labels[is_taken], targets[is_taken], tags[is_taken], cuts))
        self.origins, self.labels, self.targets, self.tags, self.cuts = map(np.concatenate, zip(*parts, strict=True))

    @property
    def transitions(self) -> int:
        """How many steps were taken."""
        return len(self.targets) if hasattr(self, "targets") else super().transitions

    def columns(self, side: int, view: View) -> list[Numbers]:
        """What each field shows in each state, of shape (states,): indices into the field's values, as bytes if few."""
        columns = []
        for path, pair, values in zip(view.paths, view.variables, view.values, strict=True):
            variable, numbers = pair[side], {value: i for i, value in enumerate(values)}
            kind = np.min_scalar_type(len(values))
            table = np.array([numbers[variable.show(v)] for v in range(variable.low, variable.high + 1)], kind)
            place = self.layout.fields.get(path)
            # Where nothing depends on a variable it is not stored.
            columns.append(table[np.zeros(self.count, np.int64) if place is None else place.distances(self.states)])
        return columns

    def move(self, step: int) -> Move:
        """The action and the parameters of a step."""
        return Tag.read(int(self.tags[step])).move(self.system)

    def trace_through(self, step: int) -> Trace:
        """A shortest trace to the state where a step begins, and then the step."""
        return self.traces().trace(int(self.origins[step]), int(self.tags[step]))


def number_alike(codes: Int64s) -> tuple[Int32s, Int64s]:
    """Number equal codes alike, from 0 in the order in which they come; with the place where each comes first."""
    size = 1 << (2 * len(codes)).bit_length()
    numbers, places = np.empty(len(codes), np.int32), np.empty(len(codes), np.int64)
    count = loops_for(0).number_alike(codes, len(codes), zeros(size, np.uint32), size - 1, numbers, places)
    return numbers, places[:count]


def number_rows(columns: Sequence[tuple[Numbers, int]]) -> tuple[Int32s, Int64s]:
    """Number rows that are alike in all columns alike, from 0 in the order in which they come.

    A column is an array of shape (rows,) with the number of values it can have. Gives the rows' numbers and, for each
    number, the first row that has it.
    """
    code, size = np.zeros(len(columns[0][0]), np.int64), 1
    for column, values in columns:
        if values > 1 << 31:  # Its numbers times those of so many rows might not fit into a word.
            different, column = np.unique(column, return_inverse=True)
            values = len(different)
        if size * values >= 1 << 62:
            numbers, first = number_alike(code)
            code, size = numbers.astype(np.int64), len(first)
        code *= values
        code += column
        size *= values
    return number_alike(code)


def number_states(
    spaces: tuple[StateSpace, StateSpace], view: View
) -> tuple[list[list[Numbers]], tuple[Int32s, Int32s], int]:
    """The states of both sides as a view shows them: by field, and as one number, alike in both; how many of these."""
    columns = [one.columns(side, view) for side, one in enumerate(spaces)]
    both = [(np.concatenate(pair), len(values)) for *pair, values in zip(*columns, view.values, strict=True)]
    numbers, first = number_rows(both)
    return columns, (numbers[: spaces[0].count], numbers[spaces[0].count :]), max(1, len(first))


# -- bisimulation ------------------------------------------------------------------------------------------------------


class Steps(GraphArrays):
    """A labelled graph: state i has the steps first[i] up to first[i + 1] of `labels` and `targets`.

    `first` is int64 of shape (states + 1,), `labels` and `targets` are int32 of shape (steps,).
    """

    def __init__(self, first: Int64s, labels: Int32s, targets: Int32s) -> None:
        super().__init__()
        self.first, self.labels, self.targets, self.states = first, labels, targets, len(first) - 1

    def of(self, state: int) -> range:
        return range(int(self.first[state]), int(self.first[state + 1]))


def refine(steps: Steps, colours: Numbers, a: int, b: int) -> list[Int32s]:
    """The partitions, round by round, until states `a` and `b` are apart or nothing is split any more.

    `colours` (int32, one a state) is the first. Each is an array of block numbers (int32). The states are bisimilar
    if and only if the last one has them in one block. Raises EngineFault when hashes collided, which is not to be
    expected.
    """
    rounds = [np.ascontiguousarray(colours, np.int32)]
    count = int(rounds[0].max(initial=0)) + 1
    signs, loops = np.empty(steps.states, np.uint64), loops_for(0)
    while rounds[-1][a] == rounds[-1][b]:
        loops.sign(steps, rounds[-1], signs)
        blocks, found = number_alike(signs.view(np.int64))
        if len(found) == count:
            _verify(steps, rounds[-1], count)
            break
        rounds.append(blocks)
        count = len(found)
    return rounds


def _verify(steps: Steps, blocks: Int32s, count: int) -> None:
    example = np.zeros(count, np.int64)
    example[blocks[::-1]] = np.arange(len(blocks))[::-1]
    if loops_for(0).first_unlike(steps, blocks, example) >= 0:
        raise EngineFault("two unlike states have one hash")


def tell_apart(steps: Steps, rounds: list[Int32s], a: int, b: int) -> tuple[list[tuple[int, int]], int | None]:
    """An experiment that shows two states to be unlike: no longer than it took rounds to put them apart.

    Pairs of steps with one event, one from each side, that lead to states where the difference is seen; and the step
    that only one of those has, or None where they already show different things.
    """
    together: list[tuple[int, int]] = []
    while True:
        when = next(i for i, blocks in enumerate(rounds) if blocks[a] != blocks[b])
        if when == 0:
            return together, None
        blocks = rounds[when - 1]
        step, other_side = _first_difference(steps, blocks, a, b)
        same = [s for s in steps.of(other_side) if steps.labels[s] == steps.labels[step]]
        if not same:
            return together, step
        pair = (step, same[0]) if other_side == b else (same[0], step)
        together.append(pair)
        a, b = int(steps.targets[pair[0]]), int(steps.targets[pair[1]])


def _first_difference(steps: Steps, blocks: Int32s, a: int, b: int) -> tuple[int, int]:
    """A step of one of two states that the other cannot follow, and that other one; rather one nobody can begin."""
    found = []
    for mine, other in ((a, b), (b, a)):
        theirs = {(int(steps.labels[s]), int(blocks[steps.targets[s]])) for s in steps.of(other)}
        events = {label for label, _ in theirs}
        for s in steps.of(mine):
            if (int(steps.labels[s]), int(blocks[steps.targets[s]])) not in theirs:
                found.append((int(steps.labels[s]) in events, s, other))
    _, step, other = min(found)
    return step, other


# -- two state graphs seen through fields ------------------------------------------------------------------------------


class Behaviour:
    """Two finished searches seen through fields.

    `nodes[side]` (int32, one a state) numbers the values of all fields together, alike in both; `columns[side]` has
    them by field.
    """

    def __init__(self, spaces: tuple[StateSpace, StateSpace], view: View, shared: Sequence[str]) -> None:
        self.spaces, self.view, self.shared = spaces, view, shared
        self.columns, self.nodes, self.count = number_states(spaces, view)
        self.first = [_first(nodes, self.count) for nodes in self.nodes]
        """The first state of a side at each node; -1 where there is none."""
        self.events = spaces[0].numbering.events
        if self.count**2 * len(self.events) >= 1 << 63 or sum(one.count for one in spaces) + 2 >= 1 << 31:
            raise CheckerError("there are more states than can be compared by number; compare in a smaller scenario")
        self.steps = [self._steps(side) for side in (0, 1)]
        alike = [np.isin(self.steps[side][0], self.steps[1 - side][0], assume_unique=True) for side in (0, 1)]
        self.new = [self.steps[side][0][~alike[side]] for side in (0, 1)]
        """The codes of the steps that only one side shows."""
        self.new_at = [self.steps[side][1][~alike[side]] for side in (0, 1)]

    def _steps(self, side: int) -> tuple[Int64s, Int64s]:
        """The different steps that the fields show, as codes, and for each the first step that is like it."""
        one, nodes = self.spaces[side], self.nodes[side].astype(np.int64)
        codes = (nodes[one.origins] * len(self.events) + one.labels) * self.count + nodes[one.targets]
        _, first = number_alike(codes)
        return codes[first], first

    def _parts(self, codes: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """Codes taken apart: nodes where steps begin, events, nodes where they end."""
        rest, targets = np.divmod(codes, self.count)
        sources, events = np.divmod(rest, len(self.events))
        return sources, events, targets

    # -- steps that only one side shows ----------------------------------------------------------------------------

    def new_steps(self) -> tuple[NewStep, ...]:
        """One for each action and side, out of values that both show, the nearest first."""
        found, systems = [], [one.system for one in self.spaces]
        for side in (0, 1):
            sources, events, targets = self._parts(self.new[side])
            known = self.first[1 - side][sources] >= 0
            entered = self.first[1 - side][targets] < 0
            actions = np.array([action for _, action, _ in self.events])[events]
            for action in sorted(set(actions[known].tolist())):
                mine = known & (actions == action)
                nearest = int(self.new_at[side][mine].min())
                trace = self.spaces[side].trace_through(nearest)
                parts_at = followed_until(systems[side], systems[1 - side], trace, self.shared)
                counts = int(mine.sum()), int(entered[mine].sum())
                found.append((nearest, NewStep(side, action, *counts, trace, parts_at)))
        return tuple(new_step for _, new_step in sorted(found, key=lambda item: (item[1].side, item[0])))

    # -- waits -----------------------------------------------------------------------------------------------------

    def waits(self, actors: Sequence[str]) -> tuple[tuple[int, int], tuple[int, int], tuple[Waiting, ...]]:
        """For each side how many waits there are, for each how many only it has, and the nearest of those.

        A wait is a node with some state in which none of these actors has a step.
        """
        first, counts, only, told = [], [], [], []
        for side, one in enumerate(self.spaces):
            goes_on = np.zeros(one.count, bool)
            goes_on[one.origins[np.array([actor in actors for _, _, actor in self.events], bool)[one.labels]]] = True
            first.append(_first(np.where(goes_on, -1, self.nodes[side]), self.count))
            counts.append(int((first[side] >= 0).sum()))
        for side in (0, 1):
            new = np.flatnonzero((first[side] >= 0) & (first[1 - side] < 0))
            only.append(len(new))
            new = new[np.argsort(first[side][new])]
            known = self.first[1 - side][new] >= 0
            for in_other in (True, False):
                for node in new[known == in_other][:_MOST_WAITS]:
                    state = int(first[side][node])
                    values = tuple(int(column[state]) for column in self.columns[side])
                    told.append(Waiting(side, values, in_other, self.spaces[side].traces().trace(state)))
        return (counts[0], counts[1]), (only[0], only[1]), tuple(told)

    def sides(self, waits: tuple[int, int], only_waits: tuple[int, int]) -> tuple[Side, Side]:
        first, second = (
            Side(
                states=one.count,
                transitions=len(one.origins),
                depth=one.depth,
                only=int(((self.first[side] >= 0) & (self.first[1 - side] < 0)).sum()),
                only_steps=len(self.new[side]),
                only_waits=only_waits[side],
                shown=int((self.first[side] >= 0).sum()),
                shown_steps=len(self.steps[side][0]),
                waits=waits[side],
            )
            for side, one in enumerate(self.spaces)
        )
        return first, second

    # -- bisimulation ----------------------------------------------------------------------------------------------

    def experiment(self) -> Experiment | None:
        """What tells the initial states apart; None where they are bisimilar, and so the versions are."""
        steps, cuts = self._graph()
        roots = (steps.states - 2, steps.states - 1)
        colours = np.concatenate([*self.nodes, np.full(2, self.count, np.int32)])
        rounds = refine(steps, colours, *roots)
        if rounds[-1][roots[0]] == rounds[-1][roots[1]]:
            return None
        together, last = tell_apart(steps, rounds, *roots)
        return self._traces_of(steps, cuts, together, last)

    def _graph(self) -> tuple[Steps, tuple[Int64s, Int64s]]:
        """Both state graphs as one, with a root for each side that leads to its initial states.

        Steps that are cut off lead back to where they begin, and come after the others that begin there. With it come
        for each side their places among all of its steps.
        """
        n, places, parts = self.spaces[0].count, list[Int64s](), list[tuple[Numbers, Int32s, Numbers]]()
        for side, one in enumerate(self.spaces):
            starts, events = one.cuts.T
            after = np.searchsorted(one.origins, starts, side="right")
            places.append(after + np.arange(len(after)))
            degrees = np.bincount(one.origins, minlength=one.count) + np.bincount(starts, minlength=one.count)
            ends = np.insert(one.targets, after, starts) + (n if side else 0)
            parts.append((degrees, np.insert(one.labels, after, events), ends))
        for side, one in enumerate(self.spaces):
            starts = one.initial + (n if side else 0)
            parts.append((np.array([len(starts)]), np.full(len(starts), len(self.events), np.int32), starts))
        degrees, labels, targets = map(np.concatenate, zip(*parts, strict=True))
        first = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        return Steps(first, labels.astype(np.int32), targets.astype(np.int32)), (places[0], places[1])

    def _traces_of(
        self, steps: Steps, cuts: tuple[Int64s, Int64s], together: Sequence[tuple[int, int]], last: int | None
    ) -> Experiment:
        """The experiment as traces. Its first pair of steps leads from the roots to initial states."""
        first, second = (one.transitions + len(one.cuts) for one in self.spaces)
        offsets, roots = (0, first), (first + second, first + second + len(self.spaces[0].initial))
        starts = [
            one.traces().trace(int(one.initial[step - root])).initial
            for one, step, root in zip(self.spaces, together[0], roots, strict=True)
        ]
        traces = []
        for side, (one, start) in enumerate(zip(self.spaces, starts, strict=True)):
            # Steps that are cut off leave the state as it is: they tell nothing apart, and none is among these.
            places = [pair[side] - offsets[side] for pair in together[1:]]
            moves = [one.move(place - int(np.searchsorted(cuts[side], place))) for place in places]
            traces.append(evidence(one.system, moves, start))
        if last is None:
            return Experiment((traces[0], traces[1]), "", 0)
        return Experiment((traces[0], traces[1]), self.events[int(steps.labels[last])][0], int(last >= offsets[1]))

    # -- a picture -------------------------------------------------------------------------------------------------

    def flows(self, fields: Sequence[int]) -> tuple[Flow, ...]:
        """The steps that change some of the fields with these numbers, those alike in action and values once."""
        found: list[set[tuple[tuple[int, ...], tuple[int, ...], str]]] = []
        for side in (0, 1):
            sources, events, targets = self._parts(self.steps[side][0])
            columns = [self.columns[side][i][np.maximum(self.first[side], 0)] for i in fields]
            sizes = [len(self.view.values[i]) for i in fields]
            short, first = number_rows(list(zip(columns, sizes, strict=True)))
            values = list(zip(*(column[first].tolist() for column in columns), strict=True))
            steps = np.unique(np.column_stack([short[sources], events, short[targets]]), axis=0).tolist()
            found.append({(values[a], values[b], self.events[event][1]) for a, event, b in steps if a != b})
        return tuple(
            Flow(*step, 2 if step in found[0] and step in found[1] else int(step in found[1]))
            for step in sorted(found[0] | found[1])
        )


def _first(nodes: Numbers, count: int) -> Int64s:
    """For each number below `count` the first place where it stands, or -1; negative numbers are passed over."""
    found = np.full(count, -1, np.int64)
    places = np.arange(len(nodes))[::-1]
    backwards = nodes[::-1]
    found[backwards[backwards >= 0]] = places[backwards >= 0]
    return found


# -- can one version follow a trace of the other, and how far? --------------------------------------------------------


def own_move(system: System, step: Step) -> Move | None:
    """The step as a move of a system, which may lack the action or a value of a parameter."""
    action = system.action.get(step.action)
    if action is None or {p.name for p in action.parameters} != step.parameters.keys():
        return None
    values: dict[str, int] = {}
    for parameter in action.parameters:
        found = [v for v in parameter.values if parameter.show(v) == step.parameters[parameter.name]]
        if not found:
            return None
        values[parameter.name] = found[0]
    return Move(step.action, values)


def attempt(system: System, state: State, move: Move | None) -> Step | None:
    """What a move does in a system's own state; None where the system cannot take it, or does not have it."""
    try:
        return None if move is None else replay(system, [move], state).steps[0]
    except CheckerError:
        return None


def follow(system: System, steps: Sequence[Step]) -> Trace:
    """Replay the events in a system, as far as it can take them."""
    taken: list[Step] = []
    state = system.initial[0]
    for step in steps:
        own = attempt(system, state, own_move(system, step))
        if own is None:
            break
        taken.append(own)
        state = own.state
    return Trace(system.initial[0], tuple(taken))


def followed_until(system: System, other: System, trace: Trace, shared: Sequence[str]) -> int | None:
    """The number of the first step of a system's trace that the other cannot take or that leaves it unlike.

    Only variables in `shared` are compared. None where the other follows to the end.
    """

    def values_in(system: System, state: State) -> list[object]:
        return [system.variables[i].show(state[i]) for i in map(system.index, shared)]

    own = follow(other, trace.steps)
    for number, step in enumerate(trace.steps):
        if number == len(own.steps) or values_in(system, step.state) != values_in(other, own.steps[number].state):
            return number + 1
    return None


def violates(system: System, claim: LoweredProperty, trace: Trace) -> bool:
    """Does a trace of the system violate the claim in any of its states or steps?"""
    prefixes = (Trace(trace.initial, trace.steps[:count]) for count in range(len(trace.steps) + 1))
    return any(is_shown(system, claim, prefix) for prefix in prefixes)
