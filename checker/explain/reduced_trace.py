"""A run that breaks a claim, without the steps that it can do without.

A trace of a breadth-first search has none: without one step it would be a shorter run that an engine would have found.
Runs that somebody played or wrote may have many. The manner is that of delta debugging: large pieces are left out
first, then smaller ones, and at last single steps.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass

from podproof.checker.core.system import CheckerError, Move, Property, State, System, Trace
from podproof.checker.core.trace import breaks, decides, moves_of, refusal, replay, take


def reduce_trace(system: System, p: Property, trace: Trace, first: Collection[str] = ()) -> Trace:
    """The trace up to where it breaks the claim, without steps that are not needed for that.

    None of the steps that are left can be left out. `first` names the actors whose steps are left out first, where
    there is a choice. Raises CheckerError when the trace does not break the claim.
    """
    playing = _Playing(system, p)
    run = playing.begin(trace.initial, moves_of(system, trace))
    if run is None:
        raise CheckerError(f"{p.id}: none of the {len(trace.steps)} steps breaks it; give a trace of a violation")
    groups = [{a.name for a in system.actions if (a.actor in first) == wanted} for wanted in (True, False)]
    size = len(run.moves)
    while size:
        before = len(run.moves)
        for names in groups:
            run = _without_pieces(playing, run, names, size)
        size = min(size, len(run.moves)) if len(run.moves) < before else size // 2
    return replay(system, run.moves, trace.initial)


@dataclass(frozen=True)
class _Run:
    """Moves of which the last one breaks the claim, and none before; `states` has one more."""

    moves: tuple[Move, ...]
    states: tuple[State, ...]


def _without_pieces(playing: _Playing, run: _Run, names: Set[str], size: int) -> _Run:
    """The run without as many pieces of so many moves with these names as can be left out one after another."""
    at = 0
    while True:
        places = [i for i, (name, _) in enumerate(run.moves) if name in names]
        piece = places[at : at + size]
        if not piece:
            return run
        smaller = playing.without(run, piece)
        if smaller is None:
            at += size
        else:
            run = smaller


class _Playing:
    """Takes moves as plain Python and says when a claim is broken."""

    def __init__(self, system: System, p: Property) -> None:
        self.system, self.p = system, p

    def begin(self, initial: State, moves: Sequence[Move]) -> _Run | None:
        """The moves up to the first that breaks the claim; those that cannot be taken are left out."""
        if not self.p.is_witnessed and decides(self.p, self.system.build(initial)):
            return _Run((), (initial,))
        return self._go_on(_Run((), (initial,)), moves)

    def without(self, run: _Run, piece: Sequence[int]) -> _Run | None:
        """The run without some of its moves, and without those that cannot be taken then; None if all is well then."""
        kept, gone = piece[0], set(piece)
        rest = [move for i, move in enumerate(run.moves) if i > kept and i not in gone]
        return self._go_on(_Run(run.moves[:kept], run.states[: kept + 1]), rest)

    def _go_on(self, run: _Run, moves: Sequence[Move]) -> _Run | None:
        taken, states = list(run.moves), list(run.states)
        for move in moves:
            after = self._take(states[-1], move)
            if after is not None:
                state, broken = after
                taken.append(move)
                states.append(state)
                if broken:
                    return _Run(tuple(taken), tuple(states))
        return None

    def _take(self, state: State, move: Move) -> tuple[State, bool] | None:
        """Where a move leads, and whether it breaks the claim; None if it cannot be taken, or goes wrong."""
        try:
            after, lines = take(self.system, state, move)
        except Exception as error:
            refusal(error)
            return None
        return after, breaks(self.p, move.action, self.system.build(state), self.system.build(after), lines)
