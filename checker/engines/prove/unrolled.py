"""Shortest counterexamples: the steps of a circuit one after the other, one more at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pysat.solvers import Minisat22

from podproof.checker.engines.prove.circuit import Circuit

Chosen = Callable[[int], bool]
"""What says which literals of inputs are true in a step."""


class Unrolling:
    """Runs of growing length, all claims that are open asked at each. `clauses` are those of the circuit."""

    def __init__(self, circuit: Circuit, clauses: Sequence[Sequence[int]], of_states: Iterable[str]) -> None:
        """`of_states` are the claims about states; the others are about steps."""
        self.circuit, self.clauses, self.of_states = circuit, clauses, frozenset(of_states)
        self.size = circuit.gates.top + 1
        """The variables of each copy. The last one of copy k stands for the question about runs of k steps."""
        self.solver = Minisat22()
        self.copies = 0
        self.length = -1
        """How many steps the runs have that were asked about last."""
        self._extend()
        self.solver.add_clause([-self._at(circuit.is_started, 0)])

    def _at(self, literal: int, copy: int) -> int:
        """A literal of the circuit, in one of its copies."""
        return literal + copy * self.size if literal > 0 else literal - copy * self.size

    def _extend(self) -> None:
        """One more copy, whose state is the one after the step of the copy before."""
        copy, shift = self.copies, self.copies * self.size
        for clause in self.clauses:
            self.solver.add_clause([x + shift if x > 0 else x - shift for x in clause])
        if copy:
            self.solver.add_clause([self._at(self.circuit.steps, copy - 1)])
            self.solver.add_clause([self._at(self.circuit.is_started, copy)])
            for path, bits in self.circuit.then.items():
                for then, now in zip(bits, self.circuit.now[path], strict=True):
                    before, after = self._at(then, copy - 1), self._at(now, copy)
                    self.solver.append_formula([[-before, after], [before, -after]])
        self.copies += 1

    def next_length(self, claims: Iterable[str]) -> Mapping[str, Sequence[Chosen]]:
        """Those of the claims that a run with one more step violates, and what is chosen in it."""
        self.length += 1
        # The first copy is no step but the choice of a beginning.
        self._extend()
        found: dict[str, Sequence[Chosen]] = {}
        bad = {
            name: self._at(self.circuit.violations[name], self.length + (name in self.of_states))
            for name in claims
            if self.length or name in self.of_states
        }
        question = (self.length + 1) * self.size
        while left := [name for name in bad if name not in found]:
            self.solver.add_clause([-question, *(bad[name] for name in left)])
            if not self.solver.solve([question]):
                break
            true = {x for x in self.solver.get_model() if x > 0}
            for name in left:
                if bad[name] in true if bad[name] > 0 else -bad[name] not in true:
                    found[name] = [self._chosen(true, copy) for copy in range(self.length + 1)]
        return found

    def _chosen(self, true: set[int], copy: int) -> Chosen:
        shift = copy * self.size
        return lambda literal: (abs(literal) + shift in true) == (literal > 0)
