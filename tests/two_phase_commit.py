"""Two-phase commit with N resource managers: a model whose reachable states others have counted.

After Gray and Lamport, "Consensus on Transaction Commit"; it knows nothing of pods, so a wrong engine cannot hide
behind our own model.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Property, System
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import Array, Domain, Size, action, make, require

STATES = {3: 288, 4: 1_568, 5: 8_832, 6: 50_816, 7: 296_448, 8: 1_745_408, 9: 10_340_352}
"""Reachable states by number of resource managers."""


class Manager(enum.Enum):
    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Coordinator(enum.Enum):
    INIT = "init"
    COMMITTED = "committed"
    ABORTED = "aborted"


Index = Annotated[int, Domain("managers")]


@dataclass
class TwoPhaseCommit:
    """The managers, the coordinator and every message ever sent."""

    managers: Annotated[Array[Manager], Size("managers")]
    coordinator: Coordinator
    known_prepared: Annotated[Array[bool], Size("managers")]
    sent_prepared: Annotated[Array[bool], Size("managers")]
    sent_commit: bool = False
    sent_abort: bool = False

    @action("coordinator", "hears that manager {i} is prepared")
    def hear_prepared(self, i: Index) -> None:
        require(self.coordinator == Coordinator.INIT and self.sent_prepared[i])
        self.known_prepared[i] = True

    @action("coordinator", "commits")
    def commit(self) -> None:
        require(self.coordinator == Coordinator.INIT)
        for i in range(len(self.managers)):
            require(self.known_prepared[i])
        self.coordinator = Coordinator.COMMITTED
        self.sent_commit = True

    @action("coordinator", "aborts")
    def abort(self) -> None:
        require(self.coordinator == Coordinator.INIT)
        self.coordinator = Coordinator.ABORTED
        self.sent_abort = True

    @action("manager", "manager {i} prepares")
    def prepare(self, i: Index) -> None:
        require(self.managers[i] == Manager.WORKING)
        self.managers[i] = Manager.PREPARED
        self.sent_prepared[i] = True

    @action("manager", "manager {i} chooses to abort")
    def choose_to_abort(self, i: Index) -> None:
        require(self.managers[i] == Manager.WORKING)
        self.managers[i] = Manager.ABORTED

    @action("manager", "manager {i} hears commit")
    def hear_commit(self, i: Index) -> None:
        require(self.sent_commit)
        self.managers[i] = Manager.COMMITTED

    @action("manager", "manager {i} hears abort")
    def hear_abort(self, i: Index) -> None:
        require(self.sent_abort)
        self.managers[i] = Manager.ABORTED


def consistent(state: TwoPhaseCommit) -> bool:
    """Holds: no manager commits where another aborts."""
    committed = False
    aborted = False
    for i in range(len(state.managers)):
        committed = committed or state.managers[i] == Manager.COMMITTED
        aborted = aborted or state.managers[i] == Manager.ABORTED
    return not (committed and aborted)


def nobody_commits(state: TwoPhaseCommit) -> bool:
    """Fails, shortest: every manager prepares and is heard, the coordinator commits, one manager hears it."""
    for i in range(len(state.managers)):
        if state.managers[i] == Manager.COMMITTED:
            return False
    return True


def first_is_never_undone(before: TwoPhaseCommit, after: TwoPhaseCommit) -> bool:
    """Fails: a prepared manager may still hear abort."""
    return before.managers[0] != Manager.PREPARED or after.managers[0] != Manager.ABORTED


def decisions_stay(before: TwoPhaseCommit, after: TwoPhaseCommit) -> bool:
    """Holds: the coordinator decides once."""
    return before.coordinator == Coordinator.INIT or after.coordinator == before.coordinator


def all_commit(state: TwoPhaseCommit) -> bool:
    """A witness exists."""
    for i in range(len(state.managers)):
        if state.managers[i] != Manager.COMMITTED:
            return False
    return True


def both_sent(state: TwoPhaseCommit) -> bool:
    """No witness exists."""
    return state.sent_commit and state.sent_abort


PROPERTIES = (
    Property("consistent", "always", "No manager commits where another aborts.", consistent),
    Property("nobody_commits", "always", "No manager ever commits.", nobody_commits),
    Property("first_is_never_undone", "step", "A prepared first manager never aborts.", first_is_never_undone),
    Property("decisions_stay", "step", "The coordinator decides once.", decisions_stay),
    Property("all_commit", "sometimes", "All managers commit.", all_commit),
    Property("both_sent", "sometimes", "Both decisions are sent.", both_sent),
)


@contextlib.contextmanager
def no_lines() -> Iterator[list[str]]:
    """This model has no `programmer_error` lines."""
    yield []


def two_phase_commit(managers: int, cls: type[TwoPhaseCommit] = TwoPhaseCommit) -> System:
    """The system with this many resource managers."""
    scope = Scope({"managers": managers}, {"managers": Values(tuple(range(managers)))})
    initial = [make(cls, scope.sizes)]
    scenario = f"two-phase-commit-{managers}"
    bounds = f"{managers} managers"
    return lower_system(Description(cls, "test", "closed", scenario, bounds, scope, initial, no_lines))
