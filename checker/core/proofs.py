"""What a proof leaves for its reader: verdicts, invariants, and what a second solver says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podproof.checker.core.system import Exploration, Move, Trace


@dataclass(frozen=True)
class Recheck:
    """How far a second solver agrees with what was proved."""

    solver: str = ""
    """Its name; empty where none is installed."""
    obligations: int | None = None
    """How many it was asked; None where it was not."""
    unconfirmed: tuple[tuple[str, str, str], ...] = ()
    """Claim, check and answer of those that it did not confirm."""


@dataclass(frozen=True)
class Run:
    """An execution: values of some variables at the beginning, and the moves with all their parameters."""

    beginning: Mapping[str, int]
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class ProofStore:
    """What a proof leaves to the next one of its scenario, by names that a change of the version has, too."""

    lemmas: tuple[tuple[tuple[str, bool], ...], ...] = ()
    """Clauses: for each literal what its atom says in words, and whether it says the opposite."""
    runs: Mapping[str, Run] = field(default_factory=dict)
    """For a claim's id, a run that violates it."""


@dataclass(frozen=True)
class Proofs:
    """What was proved about a system for every number, with the evidence that a person may want to see."""

    exploration: Exploration
    """The verdicts; as nothing was explored, its counts are 0."""
    invariants: Mapping[str, tuple[str, ...]]
    """For each claim proved, the parts of its inductive invariant in words, if they were asked for."""
    stuck: Mapping[str, Trace]
    """For claims that were not decided: a step that breaks the claim, from a state that may not be reachable."""
    recheck: Recheck = Recheck()
    bounded_by: str = ""
    """Why it is about no more events than the scenario has, where it was asked about any number; empty elsewhere."""
    store: ProofStore = ProofStore()
    is_of_inputs: bool = False
    """Is the system a function, and were all its inputs asked about rather than what is reachable?"""
