"""What a proof leaves to the next one, of the same version or of a change of it: lemmas, and runs that violate claims.

Nothing of it is believed: lemmas are weeded out until the rest is an invariant of the system at hand, which is checked
as any other is, and runs are replayed.
"""

from __future__ import annotations

from collections.abc import Iterator

from podproof.checker.core.proofs import ProofStore, Run
from podproof.checker.core.system import OutOfRange, System, Trace
from podproof.checker.core.trace import NotTaken, replay
from podproof.checker.engines.prove.certificate import whole_state
from podproof.checker.engines.prove.sample import Clause, Literals


def spell(literals: Literals, clause: Clause) -> tuple[tuple[str, bool], ...]:
    return tuple((literals.atoms[literal >> 1].true, bool(literal & 1)) for literal in clause)


def read(literals: Literals, store: ProofStore) -> Iterator[Clause]:
    """Its lemmas, but for those about what the system does not have."""
    numbers = {atom.true: number for number, atom in enumerate(literals.atoms)}
    for lemma in store.lemmas:
        if all(words in numbers for words, _ in lemma):
            yield tuple(2 * numbers[words] + is_not for words, is_not in lemma)


def trace_of(system: System, run: Run) -> Trace | None:
    """The trace of a run; None where it is none of this system."""
    actions, ranges = system.action, {v.path: v for v in system.variables}
    if any(move.action not in actions for move in run.moves):
        return None
    for move in run.moves:
        domains = {p.name: p for p in actions[move.action].parameters}
        if domains.keys() != move.values.keys() or not all(
            value in domains[name].values or (domains[name].unbounded and value > domains[name].values[0])
            for name, value in move.values.items()
        ):
            return None
    beginning = {path: value for path, value in run.beginning.items() if path in ranges}
    if not all(ranges[path].low <= value <= ranges[path].high for path, value in beginning.items()):
        return None
    try:
        return replay(system, run.moves, whole_state(system, beginning))
    except (NotTaken, OutOfRange, ValueError):
        return None
