"""Could a mended release take a step that breaks a claim to a state with which every claim agrees?

The questions are Z3's: the state before the step and the event are given, and of the state after it what the kubelet
decides. What happens around the kubelet (the API objects, its containers, what is left of the bounds) stays as it was.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from podproof.checker.core.graph import Expr, Op
from podproof.checker.core.system import ClaimFailure, Property, System, Trace, Variable
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.solver.equivalence import Equivalence

AROUND = ("config", "budget", "pod_cache", "full_names", "layers", "pod_manager", "sources_ready", "static")
"""The fields of the state that are not the kubelet's to choose."""
_MOST_CHANGES = 3
_MILLISECONDS = 20_000


def is_the_kubelets(version: str, variable: Variable) -> bool:
    """May a mended release choose it? The worker of 1.20 starts and stops the containers in the step that is asked."""
    field = variable.path.split(".")[0].split("[")[0]
    return field not in AROUND and (field != "containers" or version == "v1.20")


class Mending:
    """A step that breaks a claim, and the states to which it might lead instead."""

    def __init__(self, system: System, claims: Sequence[Property], trace: Trace) -> None:
        self.system, self.graph, self.trace = system, system.graph, trace
        before, self.real, self.move = trace.states[-2], trace.states[-1], trace.moves[-1]
        known = {v.path: self.constant(v, value) for v, value in zip(system.variables, before, strict=True)}
        self.after: dict[str, Expr] = {
            v.path: self.graph.variable(f"mended {v.path}", v.is_bool, v.low, v.high)
            if is_the_kubelets(system.version, v) and v.low < v.high
            else self.constant(v, value)
            for v, value in zip(system.variables, self.real, strict=True)
        }
        t = system.transitions[system.transition_of(self.move)]
        chosen = dataclasses.replace(t, fixed=self.move.values, free=(), updates=self.after, lines={})
        asked = [p for p in claims if p.kind in ("always", "step")]
        self.wanted: dict[str, Expr] = {}
        """What each claim says of the step, over the values after it."""
        for p in lower_properties(dataclasses.replace(system, transitions=(chosen,)), asked):
            if p.steps is not None:
                (said,) = self.graph.substitute([self.graph.not_(p.steps[0])], known)
            else:
                assert p.state is not None
                (said,) = self.graph.substitute([p.state], self.after)
            self.wanted[p.property.id] = said

    def constant(self, variable: Variable, value: int) -> Expr:
        return self.graph.constant(variable.is_bool, value)

    def with_all_of(
        self, claims: Sequence[str], most: int | None = None, held: Collection[str] = ()
    ) -> Mapping[str, int] | None:
        """The values after a step with which these claims agree, where `most` differ from those the release has.

        The fields of the names in `held` keep their values.
        """
        said = [self.wanted[claim] for claim in claims]
        for variable, value in zip(self.system.variables, self.real, strict=True):
            if variable.path.rpartition(".")[2] in held:
                said.append(self.is_as_before(variable, value))
        if most is not None:
            count = self.graph.integer(0)
            for variable, value in zip(self.system.variables, self.real, strict=True):
                node = self.after[variable.path]
                if not node.is_const:
                    one = self.graph.ite(
                        self.is_as_before(variable, value), self.graph.integer(0), self.graph.integer(1)
                    )
                    count = self.graph.add(count, one)
            said.append(self.graph.le(count, self.graph.integer(most)))
        found = Equivalence(_MILLISECONDS).counterexample(
            [(self.graph.and_(*said), self.graph.boolean(False))], self.graph.boolean(True)
        )
        if found is None:
            return None
        return {str(n.value).removeprefix("mended "): value for n, value in found.items() if n.op is Op.VAR}

    def is_as_before(self, variable: Variable, value: int) -> Expr:
        node = self.after[variable.path]
        if variable.is_bool:
            return node if value else self.graph.not_(node)
        return self.graph.eq(node, self.constant(variable, value))

    def opponents(self) -> Sequence[str]:
        """Claims that no state fulfils together, but all of them but one; none where a state fulfils every claim."""
        left = list(self.wanted)
        if self.with_all_of(left) is not None:
            return ()
        for claim in list(left):
            if self.with_all_of([other for other in left if other != claim]) is None:
                left.remove(claim)
        return left

    def smallest(self, failure: ClaimFailure | None) -> str:
        """The fewest values that have to be other ones, in words; empty where no state will do.

        What makes the false part of the claim matter is left alone, if that is possible.
        """
        premise = set[str]()
        if failure is not None and failure.part is not None:
            premise = _words(" ".join(failure.part.where)) - _words(failure.part.text)
        for held in (premise, ()) if premise else ((),):
            for most in range(1, _MOST_CHANGES + 1):
                if (found := self.with_all_of(list(self.wanted), most, held)) is not None:
                    return ", ".join(self._changes(found))
        return "" if self.with_all_of(list(self.wanted)) is None else f"more than {_MOST_CHANGES} values"

    def _changes(self, found: Mapping[str, int]) -> Iterator[str]:
        for variable, value in zip(self.system.variables, self.real, strict=True):
            if found.get(variable.path, value) != value:
                yield f"{variable.path} {variable.show(value)} → {variable.show(found[variable.path])}"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
