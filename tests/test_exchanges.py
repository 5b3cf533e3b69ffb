"""Parcels that differ in one thing only are not exchanged, and what nobody could show equal is not."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from typing import Annotated

import pytest
import z3

from podproof.checker.core.graph import Graph
from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import LoweredProperty, Property, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering import Description, lower_system
from podproof.checker.reductions import plan
from podproof.checker.reductions.symmetry import NotSymmetric, quotient
from podproof.checker.solver.equivalence import Equivalence
from podproof.model.language import NIL, Array, Domain, Size, action, make, out_of_bounds, record_lines, require

Grams = Annotated[int, Domain("grams")]
Which = Annotated[int, Domain("parcels")]
EXCHANGE = {"parcels": (1, 0)}


def described(cls: type) -> System:
    which = Values((0, 1), {0: "first", 1: "second"})
    scope = Scope({"parcels": 2}, {"grams": Values((0, 1, 2, 3)), "parcels": which})
    return lower_system(Description(cls, "test", "test", "parcels", "", scope, [make(cls, scope.sizes)], record_lines))


@dataclass
class Alike:
    weight: Annotated[Array[Grams], Size("parcels")]
    sealed: Annotated[Array[bool], Size("parcels")]

    @action("sender", "{grams} go into {parcel}")
    def fill(self, parcel: Which, grams: Grams) -> None:
        self.weight[parcel] = grams

    @action("sender", "{parcel} is closed")
    def seal(self, parcel: Which) -> None:
        self.sealed[parcel] = True


class Fragile(Alike):
    """Only the first one goes wrong."""

    @action("carrier", "{parcel} is dropped")
    def drop(self, parcel: Which) -> None:
        self.look_below(parcel)
        self.weight[parcel] = 0

    def look_below(self, parcel: int) -> bool:
        return parcel == 0 and self.sealed[self.weight[parcel]]


class Limited(Alike):
    """The first one may be heavier."""

    @action("carrier", "{parcel} is lifted")
    def lift(self, parcel: Which) -> None:
        if self.weight[parcel] > (2 if parcel == 0 else 1):
            out_of_bounds("the carrier's strength")
        self.sealed[parcel] = True


class Named(Alike):
    """Each is too heavy from the same weight on, but the two bounds that it meets change places."""

    @action("carrier", "{parcel} is lifted")
    def lift(self, parcel: Which) -> None:
        if self.weight[parcel] == (2 if parcel == 0 else 3):
            out_of_bounds("the carrier's strength")
        if self.weight[parcel] >= 2:
            out_of_bounds("the carrier's patience")
        self.sealed[parcel] = True


class Emptied(Alike):
    """Only the first one changes."""

    @action("carrier", "{parcel} is emptied")
    def empty(self, parcel: Which) -> None:
        if parcel == 0:
            self.weight[parcel] = 0


def test_parcels_that_do_not_differ_are_exchanged() -> None:
    exchanged, _ = quotient(described(Alike), [], [EXCHANGE])
    assert len(exchanged.renamings) == 1


@pytest.mark.parametrize("cls", [Fragile, Limited, Named, Emptied])
def test_parcels_that_differ_in_one_thing_are_not(cls: type[Alike]) -> None:
    with pytest.raises(NotSymmetric, match="treats them differently"):
        quotient(described(cls), [], [EXCHANGE])


def test_what_the_solver_gives_up_on_is_not_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph()
    a, b = (graph.variable(name, False, 0, 9) for name in "ab")
    pairs = [(graph.add(a, b), graph.add(b, a))]
    assert Equivalence(5_000).always_equal(pairs, graph.true)
    monkeypatch.setattr(z3.Solver, "check", lambda solver: z3.unknown)
    assert not Equivalence(5_000).always_equal(pairs, graph.true)


def is_too_hard(milliseconds: int) -> bool:
    """Does Z3 give up whether ten pigeons fit into nine holes?"""
    graph = Graph()
    pigeons = [graph.variable(f"pigeon {n}", False, 0, 8) for n in range(10)]
    apart = graph.and_(*(graph.not_(graph.eq(a, b)) for a, b in itertools.combinations(pigeons, 2)))
    return not Equivalence(milliseconds).always_equal([(graph.true, graph.false)], apart)


@pytest.mark.slow
def test_no_answer_depends_on_how_slowly_it_is_found() -> None:
    limits = (1, 5, 400)
    assert [is_too_hard(limit) for limit in limits] == [True, True, False]
    ours, theirs = (context := multiprocessing.get_context("fork")).Pipe()
    process = context.Process(target=lambda: theirs.send([is_too_hard(limit) for limit in limits]))
    process.start()
    assert process.pid is not None
    while not ours.poll(0.01):  # It works for a tenth of the time.
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.1)
        os.kill(process.pid, signal.SIGCONT)
    assert ours.recv() == [True, True, False]
    process.join()


def test_traces_are_of_the_parcels_that_a_claim_names() -> None:
    system = described(Alike)
    graph, paths = system.graph, [v.path for v in system.variables]
    leaves = [graph.variable(v.path, v.is_bool, v.low, v.high) for v in system.variables]
    claims = []
    for values in itertools.product(*(range(v.low, v.high + 1) for v in system.variables)):
        constants = (
            graph.boolean(bool(n)) if v.is_bool else graph.integer(n) for v, n in zip(leaves, values, strict=True)
        )
        here = graph.and_(*map(graph.eq, leaves, constants))
        claims.append(LoweredProperty(Property(str(values), "sometimes", ""), state=here))
    made = plan(system, claims, ("symmetry",), [EXCHANGE])
    found = made.report(Compiled().run(made.system, made.properties, made.keep))
    for claim, verdict in zip(claims, found.verdicts, strict=True):
        assert verdict.trace is not None
        end = [verdict.trace.initial, *(step.state for step in verdict.trace.steps)][-1]
        assert str(end) == claim.property.id
        assert len(verdict.trace.steps) == sum(value != 0 for value in end)
    assert paths == ["weight[0]", "weight[1]", "sealed[0]", "sealed[1]"] and len(claims) == 64


@dataclass
class Linked:
    """Each may name another one; what stands for none is below 0."""

    partner: Annotated[Array[Annotated[int, Domain("maybe", default=NIL)]], Size("parcels")]

    @action("sender", "{parcel} goes with {other}")
    def link(self, parcel: Which, other: Which) -> None:
        require(self.partner[other] == NIL)
        self.partner[parcel] = other


def test_a_name_that_may_be_missing_is_renamed() -> None:
    scope = Scope({"parcels": 2}, {"parcels": Values((0, 1)), "maybe": Values((NIL, 0, 1))})
    linked = Description(Linked, "test", "test", "linked", "", scope, [make(Linked, scope.sizes)], record_lines)
    system = lower_system(linked)
    made = plan(system, (), ("symmetry",), [{**EXCHANGE, "maybe": (1, 0)}])
    found = made.report(Compiled().run(made.system, made.properties, made.keep))
    whole = Compiled().run(system, ())
    assert found.states < whole.states and f"stand for {whole.states}" in " ".join(found.reductions)
