"""The states and steps of a finished search as arrays, with what each step discharges and each state makes possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from podproof.checker.arrays import AnyArray, Bools, Int32s, Int64s, Numbers, Uint64s
from podproof.checker.core.graph import Expr, Op, topological
from podproof.checker.core.system import EngineFault, Move, Outcome, State, System
from podproof.checker.engines import LimitReached, available_memory
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.compiled.transition import Tag
from podproof.checker.liveness.groups import FairGroup

_WORD = 64
"""Groups in one word of a mask."""
_STEP_BYTES, _STATE_BYTES = 24, 160
"""What a step and a state take at most while a claim is decided, besides what the search has stored.

Measured up to 337,000 states: with 160 a state 17 to 21 a step.
"""
_SHARE = 0.9
"""How much of the available memory may be filled."""


@dataclass(frozen=True, eq=False)
class RunGraph:
    """Steps in the order of the states that they leave; the masks have a bit for each group of fairness.

    Shapes: `first` (states + 1,), `sources`, `targets` and `labels` (steps,), `discharges` (labels, words), `enabled`
    (states, words), `weak` and `strong` (words,), `cut_off`, `depth` and `via` (states,).

    `first[i]` is the first step out of state i, with one more at the end; `sources`, `targets` and `labels` have the
    ends and the label of each step; `discharges` has a mask for each label, `enabled` one for each state, and `cut_off`
    says for each state whether a bound cuts off an obligatory step there. `depth` is the distance from an initial
    state, `via` the step by which it is reached first, -1 at an initial state.
    """

    first: Int64s
    sources: Int32s
    targets: Int32s
    labels: Int32s
    moves: Sequence[Move]
    """For each label."""
    discharges: Uint64s
    enabled: Uint64s
    cut_off: Bools
    weak: Uint64s
    strong: Uint64s
    depth: Int32s
    via: Int64s
    initial: Mapping[int, State]

    @property
    def size(self) -> int:
        return len(self.first) - 1

    def move(self, step: int) -> Move:
        return self.moves[int(self.labels[step])]


_OPERATORS: Mapping[Op, Callable[..., AnyArray]] = {
    Op.NOT: np.logical_not,
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.EQ: np.equal,
    Op.LT: np.less,
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.ITE: np.where,
}


Value = AnyArray | np.generic
"""What an expression is in each stored state, of shape (states,); or in all of them."""


class StateValues:
    """The values of expressions in every stored state."""

    def __init__(self, search: Search, constants: Mapping[str, bool | int]) -> None:
        self._states, self._fields, self._constants = search.states, search.layout.fields, constants
        self._known: dict[Expr, Value] = {}

    def of(self, node: Expr, parameters: Mapping[str, int] | None = None) -> Bools:
        """The truth of a formula, of shape (states,). With parameters nothing is remembered."""
        known = self._known if parameters is None else {}
        for one in topological([node]):
            if one not in known:
                args = [known[a] for a in one.args]
                known[one] = self._value(one, args, parameters or {})
        return np.broadcast_to(known[node], len(self._states))

    def _value(self, node: Expr, args: Sequence[Value], parameters: Mapping[str, int]) -> Value:
        match node.op:
            case Op.CONST | Op.PARAM:
                value = int(node.value or 0) if node.op is Op.CONST else parameters[str(node.value)]
                return np.bool_(value) if node.is_bool else np.int64(value)
            case Op.VAR:
                return self._variable(str(node.value))
        return _OPERATORS[node.op](*args)

    def _variable(self, path: str) -> Value:
        if path in self._fields:
            field = self._fields[path]
            values = field.values(self._states)
            return values.astype(bool) if field.variable.is_bool else values
        if path not in self._constants:
            raise EngineFault(f"{path} is read, and was left out")
        value = self._constants[path]
        return np.bool_(value) if isinstance(value, bool) else np.int64(value)


def run_graph(system: System, search: Search, groups: Sequence[FairGroup], values: StateValues) -> RunGraph:
    """Expand every stored state once more. The search must have come to its end.

    Raises LimitReached where there is no memory for the steps.
    """
    needed, available = _STEP_BYTES * search.transitions + _STATE_BYTES * search.count, available_memory()
    if available is not None and needed > _SHARE * available:
        raise LimitReached(
            f"stopped at {search.count:,} states: their {search.transitions:,} steps take {needed >> 20:,} MiB, and "
            f"{available >> 20:,} MiB are free; end other programs, or name a smaller scenario"
        )
    sources, targets, labels, tags = _steps(search)
    labels, moves, discharges = _labels(
        system, [Tag.read(tag).move(system) for tag in tags], labels, sources, groups, values
    )
    first = np.zeros(search.count + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=search.count), out=first[1:])
    enabled = np.zeros((search.count, discharges.shape[1]), np.uint64)
    for word in range(discharges.shape[1]):
        np.bitwise_or.at(enabled[:, word], sources, discharges[labels, word])
    cut = _cut_off(system, groups, values, enabled.shape)
    strong = _mask(i for i, group in enumerate(groups) if group.is_strong)
    weak = _mask(i for i, group in enumerate(groups) if not group.is_strong)
    words = discharges.shape[1]
    initial: dict[int, State] = {}
    for state in system.initial:
        packed = np.array(search.layout.pack(state), np.int64)
        initial.setdefault(int(np.flatnonzero((search.states == packed).all(axis=1))[0]), state)
    depth, via = _distances(first, targets, np.array(sorted(initial), np.int64))
    return RunGraph(
        first, sources, targets, labels, moves, discharges, enabled | cut, np.asarray(cut.any(axis=1)),
        _words(weak, words), _words(strong, words), depth, via, initial,
    )  # fmt: skip


def _steps(search: Search) -> tuple[Int32s, Int32s, Int32s, list[int]]:
    """The source, the target and the label of every step, and the tag that each label stands for."""
    labels = dict[int, int]()
    parts: list[tuple[Int32s, Int32s, Int32s]] = [(np.zeros(0, np.int32),) * 3]
    for batch, found in search.numbered_steps():
        tags, which = np.unique(batch.rows[: batch.ready, search.layout.words], return_inverse=True)
        own = np.array([labels.setdefault(tag, len(labels)) for tag in tags.tolist()], np.int32)
        parts.append((batch.origins[: batch.ready].astype(np.int32), found, own[which]))
    sources, targets, labelled = (np.concatenate(column) for column in zip(*parts, strict=True))
    return sources, targets, labelled, list(labels)


def _labels(
    system: System, moves: list[Move], labels: Int32s, sources: Int32s, groups: Sequence[FairGroup], values: StateValues
) -> tuple[Int32s, list[Move], Uint64s]:
    """Labels such that all steps with one discharge the same; a move that is obligatory in some states has several."""
    shared = [[(i, group) for i, group in enumerate(groups) if group.has(move)] for move in moves]
    masks = [_mask(i for i, group in mine if group.condition.when is None) for mine in shared]
    for label, mine in enumerate(shared):
        steps = np.flatnonzero(labels == label) if any(group.condition.when for _, group in mine) else ()
        for i, group in mine:
            if group.condition.when is not None:
                obligation = values.of(group.obligation(system, moves[label]))
                # What an earlier one has moved to a label of its own is split once more.
                for old in np.unique(labels[steps]).tolist():
                    discharging = steps[(labels[steps] == old) & obligation[sources[steps]]]
                    labels[discharging] = len(moves)
                    moves.append(moves[label])
                    masks.append(masks[old] | 1 << i)
    words = max(1, -(-len(groups) // _WORD))
    return labels, moves, np.array([_words(mask, words) for mask in masks], np.uint64).reshape(-1, words)


def _cut_off(system: System, groups: Sequence[FairGroup], values: StateValues, shape: tuple[int, int]) -> Uint64s:
    """For each state the mask, of `shape` (states, words), of the groups of which a bound cuts off a step."""
    cut = np.zeros(shape, np.uint64)
    for transition in system.transitions:
        where = transition.when(Outcome.CUT_OFF, system.graph)
        if where is system.graph.false:
            continue
        for move in transition.moves():
            mine = [(i, group) for i, group in enumerate(groups) if group.has(move)]
            if not mine:
                continue
            happens = values.of(where, move.values)
            for i, group in mine:
                obligations = happens & values.of(group.obligation(system, move))
                cut[obligations, i // _WORD] |= np.uint64(1 << i % _WORD)
    return cut


def _mask(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)


def _words(mask: int, words: int) -> Uint64s:
    return np.array([mask >> _WORD * i & (1 << _WORD) - 1 for i in range(words)], np.uint64)


def integer(words: Uint64s) -> int:
    """A mask of several words as one number."""
    return sum(int(word) << _WORD * i for i, word in enumerate(words))


def _distances(first: Int64s, targets: Int32s, initial: Numbers) -> tuple[Int32s, Int64s]:
    """How far each state is from an initial one, and a step by which it is reached so."""
    count = len(first) - 1
    depth, via = np.full(count, -1, np.int32), np.full(count, -1, np.int64)
    frontier, level = initial, 0
    depth[initial] = 0
    while len(frontier):
        level += 1
        steps = steps_from(first, frontier)
        steps = steps[depth[targets[steps]] < 0]
        frontier = reach(targets[steps], steps, via)
        depth[frontier] = level
    return depth, via


def reach(states: Int32s, steps: Int64s, via: Int64s) -> Int32s:
    """Note for each state the first of the steps that lead there; the states, each once and in order."""
    via[states[::-1]] = steps[::-1]
    return np.sort(states[via[states] == steps])


def steps_from(first: Int64s, states: Numbers) -> Int64s:
    """The numbers of all steps out of some states."""
    counts = first[states + 1] - first[states]
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(first[states] - (ends - counts), counts) + np.arange(total)
