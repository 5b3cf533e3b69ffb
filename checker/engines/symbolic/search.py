"""Breadth-first search over control states with zones: the numbers stay symbolic.

A node is a control state with a zone. It stands for all values in the zone, and it is expanded once; a node whose zone
lies in one that its control state has already is covered, and is not a node. Levels are complete, and a node is only
ever covered by one that is no deeper, so the first violation that is found is one with the fewest steps.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.graph import Node
from podproof.checker.core.system import (
    ActionCount,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    OutOfRange,
    Progress,
    System,
    Verdict,
)
from podproof.checker.core.verdicts import conclude
from podproof.checker.engines.compiled.memory import available_memory
from podproof.checker.engines.symbolic.control import Control, Key, Row
from podproof.checker.engines.symbolic.moves import Parts
from podproof.checker.engines.symbolic.oracle import GaveUp, Oracle
from podproof.checker.engines.symbolic.residual import Residual, Residuals, Spread
from podproof.checker.engines.symbolic.witness import Path, concrete
from podproof.checker.engines.symbolic.zones import Zone, Zones
from podproof.checker.reductions.slicing import left_out

_LOOK_EVERY = 256
"""Control states between two looks at the clock."""
_REPORT_SECONDS = 0.1
_SPARE = 256 << 20
"""Bytes of memory to leave to others."""
_NODE_BYTES, _STATE_BYTES = 160, 600
"""About what a node and a control state take."""


@dataclass
class _Nodes:
    """Every node, in order of discovery. A first node is its own parent, reached through its initial state."""

    control: list[int] = field(default_factory=list)
    zone: list[Zone] = field(default_factory=list)
    parent: array[int] = field(default_factory=lambda: array("I"))
    through: array[int] = field(default_factory=lambda: array("I"))
    """The move that first reached it."""
    reached: dict[int, set[Zone]] = field(default_factory=dict)
    """Control state -> every zone in which it was reached."""
    kept: dict[int, set[Zone]] = field(default_factory=dict)
    """Control state -> the zones of its nodes, without those that another one covers."""

    def __len__(self) -> int:
        return len(self.zone)

    def add(self, control: int, zone: Zone, parent: int | None, through: int) -> int:
        self.parent.append(len(self.zone) if parent is None else parent)
        self.control.append(control)
        self.zone.append(zone)
        self.through.append(through)
        return len(self.zone) - 1


Level = dict[int, list[int]]
"""Control state -> nodes of it."""


class Search:
    """One search: what it has seen, and what decides each claim that is decided."""

    def __init__(
        self,
        system: System,
        properties: Sequence[LoweredProperty],
        keep: frozenset[str] | None,
        limits: Limits,
        oracle: Oracle,
    ) -> None:
        self.started = self.looked = time.monotonic()
        self.system, self.properties, self.keep, self.limits, self.oracle = system, properties, keep, limits, oracle
        self.parts = Parts(system, properties, keep)
        self.control = Control(self.parts)
        self.zones = Zones(oracle, len(self.parts.numbers), self.parts.highest)
        self.residuals = Residuals(self.parts, self.control, self.zones)
        self.nodes = _Nodes()
        self.found: dict[int, Path] = {}
        """A claim -> the shortest way to what decides it."""
        self.fault: Path | None = None
        self.depth = self.expanded = 0
        self.reason, self.interrupted = "", False
        self.bounds_hit: dict[str, int] = {}
        self.taken, self.fresh = ([0] * len(self.parts.moves) for _ in range(2))
        self._moves: list[dict[Key, tuple[Residual, dict[tuple[Zone, ...], Spread]]]] = [{} for _ in self.parts.moves]
        self._claims: dict[tuple[int, int, Key], Node] = {}

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        """Search until nothing is new, a limit is reached, the model goes wrong or Ctrl-C is pressed."""
        try:
            frontier = self._begin()
            while frontier and not self.reason:
                self._examine(frontier)
                if self.limits.max_depth is not None and self.depth >= self.limits.max_depth:
                    self.reason = f"stopped at depth {self.depth} (--max-depth)"
                    break
                following: Level = {}
                for control, nodes in frontier.items():
                    self._expand(control, nodes, following)
                    self.expanded += 1
                    if self.expanded % _LOOK_EVERY == 0:
                        self._look_around(len(frontier), progress)
                    if self.reason or self.fault is not None:
                        break
                if self.fault is not None:
                    return
                self.depth += bool(following)
                frontier = following
            self._examine(frontier)
        except GaveUp as error:
            self.reason = f"{error}; nothing is claimed of what it left open: use --engine compiled, or --property"
        except KeyboardInterrupt:
            self.reason, self.interrupted = "interrupted", True

    def _begin(self) -> Level:
        """The initial states, each with all values of the free variables at once."""
        level: Level = {}
        for number, state in enumerate(self.system.initial):
            values = {v.path: state[self.system.index(v.path)] for v in self.parts.numbers}
            free = self.system.free
            zone = self.zones.begin(
                [free.get(path, value) for path, value in values.items()],
                [None if path in free else value for path, value in values.items()],
            )
            self._reach(self.parts.pack(state), zone, None, number, level)
        return level

    def _reach(self, control: int, zone: Zone, parent: int | None, through: int, level: Level) -> bool:
        """Is this a node, covered by none, and is there room for it? Then it is stored.

        To be called once for a control state and a zone.
        """
        kept = self.nodes.kept.get(control, set())
        larger, smaller = self.zones.compare(zone, kept)
        is_new, most = kept.isdisjoint(larger), self.limits.max_states
        if is_new and most is not None and len(self.nodes) >= most:
            self.reason = f"stopped at {len(self.nodes):,} states (--max-states)"
            return False
        self.nodes.reached.setdefault(control, set()).add(zone)
        if not is_new:
            return False
        self.nodes.kept[control] = kept
        kept -= smaller
        kept.add(zone)
        level.setdefault(control, []).append(self.nodes.add(control, zone, parent, through))
        return True

    def _expand(self, control: int, nodes: list[int], following: Level) -> None:
        """Every step out of the nodes of one control state."""
        cut: list[str] = []
        faulty: list[int] = []
        zones = tuple([self.nodes.zone[node] for node in nodes])
        went_wrong = False
        for row in self.control.expand(control, cut, faulty):
            if self.reason:
                continue  # There was no room for a state: of the other steps only those that are cut off are counted.
            went_wrong = bool(faulty)
            left = self._moves[row.move].get(row.key)
            if left is None:
                left = self._moves[row.move][row.key] = self.residuals.of_move(row.move, row.key)
            residual, known = left
            spread = known.get(zones)
            if spread is None:
                spread = known[zones] = self.residuals.spread(residual, zones)
            self._take(row, nodes, spread, following)
            if row.claims or row.violated:
                self._judge(row, nodes, spread)
        for name in cut:
            self.bounds_hit[name] = self.bounds_hit.get(name, 0) + len(nodes)
        if faulty and self.fault is None and (went_wrong or not self.reason):
            self.fault = self._path(nodes[0], faulty[0])

    def _take(self, row: Row, nodes: list[int], spread: Spread, following: Level) -> None:
        """Go where a move out of some nodes leads. Most steps lead to where the search has been: they cost least."""
        reached = self.nodes.reached
        for bits, after, sources in spread.steps:
            control = row.control | bits
            seen = reached.get(control)
            if seen is None or not after <= seen:
                for zone, source in sources:
                    if seen is None or zone not in seen:
                        self.fresh[row.move] += self._reach(control, zone, nodes[source], row.move, following)
        self.taken[row.move] += spread.total
        for name in spread.cuts:
            self.bounds_hit[name] = self.bounds_hit.get(name, 0) + 1
        if spread.faulty is not None and self.fault is None:
            self.fault = self._path(nodes[spread.faulty], row.move)

    def _open_claims(self, row: Row) -> list[tuple[int, Node]]:
        """The undecided claims that the step violates, or may violate, with the condition on the numbers."""
        claims = [(claim, self.system.graph.true) for claim in row.violated if claim not in self.found]
        mixed = self.control.mixed[row.move].violations
        for (claim, (formula, known)), key in zip(mixed.items(), row.claims, strict=True):
            if claim not in self.found:
                left = self._left_of_claim(claim, row.move, formula, known, key)
                if left is not self.system.graph.false:
                    claims.append((claim, left))
        return claims

    def _judge(self, row: Row, nodes: list[int], spread: Spread) -> None:
        """Does a step of the move out of one of the nodes violate a claim?"""
        for claim, left in self._open_claims(row):
            parameters = [p.name for p in self.parts.moves[row.move].numbers]
            for node, outcomes in zip(nodes, spread.outcomes, strict=True):
                zones = (zone for step in outcomes.steps for zone in step.taken)
                if any(self.residuals.possible(zone, parameters, left) for zone in zones):
                    self.found[claim] = self._path(node, row.move)
                    break

    def _left_of_claim(self, claim: int, move: int, formula: Node, known: Sequence[Node], key: Key) -> Node:
        name = (claim, move, key)
        if name not in self._claims:
            self._claims[name] = self.residuals.of_claim(formula, known, key)
        return self._claims[name]

    def _examine(self, level: Level) -> None:
        """Look at the claims about states in new nodes."""
        for control, nodes in level.items():
            decided, keys = self.control.examine(control)
            for claim in decided:
                if claim not in self.found:
                    self.found[claim] = self._path(nodes[0], None)
            for (claim, (formula, known)), key in zip(self.control.open_claims.items(), keys, strict=True):
                if claim not in self.found:
                    wanted = self.properties[claim].property.kind == "sometimes"
                    left = self._left_of_claim(claim, -1, formula, known, key)
                    for node in nodes:
                        if self.residuals.possible(self.nodes.zone[node], (), left, wanted):
                            self.found[claim] = self._path(node, None)
                            break

    def _path(self, node: int, move: int | None) -> Path:
        """The way from an initial state to a node, and from there with one more move."""
        moves, controls = [] if move is None else [move], [self.nodes.control[node]]
        while self.nodes.parent[node] != node:
            moves.append(self.nodes.through[node])
            node = self.nodes.parent[node]
            controls.append(self.nodes.control[node])
        return Path(self.nodes.through[node], tuple(moves[::-1]), tuple(controls[::-1]))

    def _look_around(self, frontier: int, progress: Callable[[Progress], None] | None) -> None:
        """Is the time up, or the memory used up? Is a report due?"""
        now = time.monotonic()
        if self.limits.seconds is not None and now - self.started >= self.limits.seconds:
            self.reason = f"stopped after {now - self.started:.0f} s (--budget)"
        if now - self.looked < _REPORT_SECONDS:
            return
        self.looked = now
        available = available_memory()
        if available is not None and available < _SPARE:
            self.reason = f"stopped at {len(self.nodes):,} states: too little memory is left; name fewer claims"
        if progress is not None:
            seconds = now - self.started
            progress(Progress(len(self.nodes), self.transitions, self.depth, frontier, seconds, self.bytes))

    @property
    def transitions(self) -> int:
        return sum(self.taken)

    @property
    def bytes(self) -> int:
        """About what the stored nodes take."""
        return _NODE_BYTES * len(self.nodes) + _STATE_BYTES * len(self.nodes.kept)

    def result(self) -> Exploration:
        """What was found out. Raises OutOfRange, with the trace, when the model itself goes wrong."""
        seconds = time.monotonic() - self.started
        if self.fault is not None:
            self._show_fault(self.fault)
        verdicts = tuple(self._verdicts())
        return Exploration(
            system=self.system,
            engine="symbolic",
            complete=not self.reason,
            reason=self.reason,
            states=len(self.nodes),
            transitions=self.transitions,
            depth=self.depth,
            seconds=seconds,
            peak_bytes=self.bytes,
            actions=self._action_counts(),
            bounds_hit=self.bounds_hit,
            reductions=left_out(self.system, self.keep),
            verdicts=verdicts,
            interrupted=self.interrupted,
            solver_seconds=self.oracle.seconds,
        )

    def _verdicts(self) -> Iterator[Verdict]:
        for claim, p in enumerate(self.properties):
            path, trace, reason = self.found.get(claim), None, self.reason
            if path is not None:
                try:
                    trace = concrete(self.parts, self.properties, self.keep, path, claim, self.oracle)
                except GaveUp as error:
                    reason = f"{error} over the concrete values of a trace of {len(path.moves)} steps"
            yield conclude(p.property, trace, not reason, reason)

    def _show_fault(self, path: Path) -> None:
        """Raises OutOfRange with the trace."""
        try:
            concrete(self.parts, self.properties, self.keep, path, None, self.oracle)
        except GaveUp as error:
            text = f"the model goes wrong after {len(path.moves)} steps, and {error} over concrete values for a trace"
            raise OutOfRange(text) from error
        raise EngineFault("the model goes wrong for the engine `symbolic` only")

    def _action_counts(self) -> dict[str, ActionCount]:
        totals = {action.name: [0, 0] for action in self.system.actions}
        for move, taken, fresh in zip(self.parts.moves, self.taken, self.fresh, strict=True):
            totals[move.transition.action.name][0] += taken
            totals[move.transition.action.name][1] += fresh
        return {name: ActionCount(*counts) for name, counts in totals.items()}
