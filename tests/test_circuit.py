"""The circuit of a system: as the interpreter steps, whichever state and step; a wrong one is never believed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from pysat.solvers import Minisat22
from tests.counters import COUNTER_CLAIMS, counters
from tests.test_prove import TIMER_CLAIMS, timer
from tests.two_phase_commit import PROPERTIES, two_phase_commit

from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import EngineFault, LoweredProperty, Outcome, Property, Status, System, Variable
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.engines.prove.circuit import Bits, Circuit, constant_bits, resized
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.solver.terms import no_fault
from podproof.queries.build import properties_of, scenarios_of, subject_named, system_of


def kubelet(version: str, name: str, unbounded: bool = True) -> tuple[System, tuple[LoweredProperty, ...]]:
    subject = subject_named(version)
    (scenario,) = scenarios_of([name], subject)
    system = system_of(subject, scenario, unbounded)
    claims = [claim for claim in properties_of(subject, scenario, ()) if claim.kind != "sometimes"]
    return system, tuple(lower_properties(system, claims))


def small(system: System, claims: tuple[Property, ...]) -> tuple[System, tuple[LoweredProperty, ...]]:
    return system, tuple(lower_properties(system, [claim for claim in claims if claim.kind != "sometimes"]))


SYSTEMS: dict[str, Callable[[], tuple[System, tuple[LoweredProperty, ...]]]] = {
    "timer": lambda: small(timer(), TIMER_CLAIMS),
    "counters": lambda: small(counters(), COUNTER_CLAIMS),
    "two-phase commit": lambda: small(two_phase_commit(3), PROPERTIES),
    "lone-pod": lambda: kubelet("v1.29", "lone-pod"),
    "static-removed": lambda: kubelet("v1.36.3", "static-removed"),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if "pod" in name or "static" in name else name for name in SYSTEMS],
)
def test_the_circuit_steps_as_the_interpreter_does(name: str) -> None:
    """From random states and with random choices: what a step comes to, all values after it, and which claims fall."""
    system, claims = SYSTEMS[name]()
    asked = (*claims, no_fault(system))
    circuit = Circuit(system, asked, frozenset(v.path for v in system.variables), 12)
    chance, taken = random.Random(name), 0
    with Minisat22(bootstrap_with=circuit.gates.clauses) as solver:
        for _ in range(150):
            number = chance.randrange(len(system.transitions))
            transition = system.transitions[number]
            state = system.initial[0]
            for _ in range(chance.randrange(3)):
                state = tuple(
                    chance.randint(v.low, min(v.high, v.low + 9)) if chance.random() < 0.2 else value
                    for v, value in zip(system.variables, state, strict=True)
                )
            values = system.by_path(state)
            choices = {p.name: chance.choice(p.values) for p in transition.free}
            assumed = [circuit.is_started, *literals(circuit.chosen, number)]
            for variable in circuit.variables:
                assumed += literals(circuit.now[variable.path], values[variable.path])
            for node in circuit._parameters[number]:
                assumed += literals(circuit._values[node], choices[str(node.value)])
            assert solver.solve(assumed), "every state in its ranges has a step, taken or not"
            true = {x for x in solver.get_model() if x > 0}

            def value(bits: Bits, true: set[int] = true) -> int:
                found = [(abs(x) in true) == (x > 0) for x in bits]
                return sum(bit << i for i, bit in enumerate(found)) - (found[-1] << len(found))

            wanted = [transition.when(outcome, system.graph) for outcome in (Outcome.TAKEN, Outcome.FAULT)]
            is_taken, goes_wrong = evaluate(wanted, values, choices)
            assert -value([circuit.steps]) == is_taken
            for p in asked[:-1]:
                if p.state is not None:
                    assert -value([circuit.violations[p.property.id]]) == 1 - evaluate([p.state], values)[0]
                elif p.steps is not None:
                    broken = evaluate([p.steps[number]], values, choices)[0]
                    assert -value([circuit.violations[p.property.id]]) == (broken and is_taken), p.property.id
            assert -value([circuit.violations[asked[-1].property.id]]) == goes_wrong
            if is_taken:
                taken += 1
                after = dict(values)
                after |= zip(transition.updates, evaluate(transition.updates.values(), values, choices), strict=True)
                for variable in circuit.variables:
                    bits = circuit.then[variable.path]
                    assert (-value(bits) if variable.is_bool else value(bits)) == after[variable.path], variable.path
    assert taken > 5


def literals(bits: Bits, value: int) -> list[int]:
    """That these bits are the number."""
    return [x if known > 0 else -x for x, known in zip(bits, resized(constant_bits(value), len(bits)), strict=True)]


@pytest.mark.slow
def test_a_wrong_circuit_never_gives_a_wrong_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bit after the step is turned round. Then less is known, or podproof notices that it contradicts itself."""
    system, claims = small(two_phase_commit(2), PROPERTIES)
    right = {v.property.id: v.status for v in Compiled().run(system, claims).verdicts}
    made, noticed, lost = Circuit._after, 0, 0
    for turned in [v.path for v in system.variables]:

        def after(self: Circuit, variable: Variable, turned: str = turned) -> Bits:
            bits = made(self, variable)
            return [-bits[0], *bits[1:]] if variable.path == turned else bits

        monkeypatch.setattr(Circuit, "_after", after)
        try:
            found = prove(system, claims, 2, 1, ProofOptions(), lambda line: None)
        except EngineFault:
            noticed += 1
            continue
        for verdict in found.exploration.verdicts[:-1]:
            known = right[verdict.property.id]
            lost += verdict.status is Status.UNKNOWN
            assert verdict.status is not Status.PROVED or known is Status.HOLDS
            assert verdict.status is not Status.VIOLATED or known is Status.VIOLATED
    assert noticed + lost, "nothing depends on any of these bits"


SCENARIOS = [
    (version, name)
    for version in ("v1.29", "v1.36.3")
    for name in ("orphan", "one-pod", "one-pod-restart", "uid-reuse", "evict-and-delete", "two-pods", "static-removed")
]


@pytest.mark.slow
@pytest.mark.parametrize(("version", "name"), [("v1.29", "lone-pod"), ("v1.36.3", "ended-pod"), *SCENARIOS])
def test_every_claim_that_holds_is_proved_and_every_other_one_violated(version: str, name: str) -> None:
    """All claims at once: what the search of the scenario's own numbers violates, with traces as short."""
    system, claims = kubelet(version, name)
    bounded, same = kubelet(version, name, unbounded=False)
    explored = {v.property.id: v for v in Compiled().run(bounded, same).verdicts}
    found = prove(system, claims, 60, 2, ProofOptions(), lambda line: None)
    for verdict in found.exploration.verdicts[:-1]:
        seen = explored[verdict.property.id]
        assert verdict.status in (Status.PROVED, Status.VIOLATED), verdict.reason
        if seen.status is Status.VIOLATED:
            assert (verdict.status, verdict.depth) == (Status.VIOLATED, seen.depth)
        elif verdict.status is Status.VIOLATED:
            assert verdict.trace is not None, "its numbers are not the scenario's"
