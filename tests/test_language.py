"""What each construct of the model language means: CPython and the graph agree on every state there is."""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from dataclasses import dataclass, replace
from typing import Annotated

import pytest
from tests import constructs
from tests.agreement import GraphFunctions, disagreements
from tests.constructs import MODELS, SCOPE, Arrays, Branches, Model, Nested, Options, Phase, Ranges, Reference
from tests.edge_constructs import EDGES, Chosen, Made

from podproof.checker.core import ModelError
from podproof.checker.core.graph import topological
from podproof.checker.core.system import Move, Property, Status, System
from podproof.checker.core.trace import replay
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.python import Python
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.lowering.source import source_of
from podproof.checker.reductions import relevant_variables
from podproof.model.language import (
    CONSTANT,
    NIL,
    OF_STEP,
    Array,
    Domain,
    Event,
    Size,
    action,
    clear,
    make,
    record_lines,
    require,
)


def system(cls: type) -> System:
    return lower_system(
        Description(cls, "test", "test", cls.__name__, "", SCOPE, [make(cls, SCOPE.sizes)], record_lines)
    )


@pytest.mark.parametrize("cls", (*MODELS, *EDGES))
def test_cpython_and_the_graph_agree_on_every_state(cls: type[Model]) -> None:
    model = system(cls)
    functions, kinds = GraphFunctions(model), Counter[str]()
    for state in itertools.product(*(range(v.low, v.high + 1) for v in model.variables)):
        for found, wrong in disagreements(model, functions, state):
            assert not wrong, wrong
            kinds[found.kind] += 1
    assert kinds["step"]
    assert bool(kinds["fault"]) == cls.FAULTS
    assert bool(kinds["cut"]) == cls.BOUNDS


@dataclass
class Pointer(Model):
    flags: Annotated[Array[bool], Size("pods")]
    index: Reference

    @action("user", "points to {index}")
    def point(self, index: Annotated[int, Domain("references")]) -> None:
        require(self.index == NIL)
        self.index = index


def points_to_a_cleared_flag(state: Pointer) -> bool:
    return not state.flags[state.index]


def points_to_a_cleared_flag_if_anywhere(state: Pointer) -> bool:
    return state.index in (NIL, 2) or not state.flags[state.index]


def points_to_a_cleared_flag_at_last(before: Pointer, after: Pointer) -> bool:
    return not after.flags[after.index]


CLAIMS_ABOUT_POINTERS = (
    Property("careless", "always", "", points_to_a_cleared_flag),
    Property("careful", "always", "", points_to_a_cleared_flag_if_anywhere),
    Property("seen", "sometimes", "", points_to_a_cleared_flag),
    Property("step", "step", "", points_to_a_cleared_flag_at_last),
)


def test_a_claim_that_goes_wrong_in_a_state_does_not_hold_there() -> None:
    model = system(Pointer)
    lowered = lower_properties(model, CLAIMS_ABOUT_POINTERS)
    by_engine = (Compiled().run(model, lowered), Python().run(model, lowered))
    for found in by_engine:
        assert [(v.status, v.depth) for v in found.verdicts] == [
            (Status.VIOLATED, 0),
            (Status.HOLDS, None),
            (Status.HOLDS, 1),
            (Status.VIOLATED, 1),
        ]
    assert [v.trace for v in by_engine[0].verdicts] == [v.trace for v in by_engine[1].verdicts]


def test_a_fault_names_the_line_of_the_model() -> None:
    (add, *_) = system(Ranges).transitions
    (text,) = add.faults
    line = source_of(Ranges.add).tree.body[0].lineno
    assert text.startswith(f"tests/constructs.py:{line}: count became a value, outside its declared range 0..2")


def test_an_action_is_lowered_once_for_each_index_and_once_for_all_other_parameters() -> None:
    by_parameter, by_state = (
        [t for t in system(Arrays).transitions if t.action.name == name] for name in ("by_parameter", "by_state")
    )
    assert [t.fixed for t in by_parameter] == [{"i": 0}, {"i": 1}, {"i": 2}]
    assert [(t.fixed, [p.name for p in t.free]) for t in by_state] == [({}, ["amount"])]


def test_a_parameter_has_the_values_of_its_domain_in_their_order_and_no_other() -> None:
    (choose,) = system(Chosen).actions
    assert [p.values for p in choose.parameters] == [(2, 0)]


def test_what_is_in_a_constant_is_constant() -> None:
    assert not [v.path for v in system(Made).variables if v.path.startswith("fixed")]


def test_a_line_counts_for_the_action_that_a_claim_is_about() -> None:
    model = system(Ranges)
    claims = [Property(name, "never", "", lines=("cut to two",), action=name) for name in ("add", "add_and_cut")]
    lowered = lower_properties(model, claims)
    assert [any(node is not model.graph.false for node in p.steps or ()) for p in lowered] == [False, True]


def test_an_action_that_a_scenario_makes_impossible_is_no_error() -> None:
    (*_, impossible) = [t for t in system(Arrays).transitions if t.action.name == "by_parameter"]
    assert impossible.enabled is system(Arrays).graph.false or impossible.enabled.value == 0


@dataclass
class Slots:
    """Arrays that a scenario may leave empty."""

    reserve: Annotated[bool, CONSTANT]
    options: Annotated[Array[Options], Size("slots")]
    flags: Annotated[Array[bool], Size("slots")]
    count: Annotated[int, Domain("counts")]

    @action("user", "counts")
    def step(self) -> None:
        self.count = 1 - self.count

    @action("user", "fills slot {number}")
    def fill(self, number: Annotated[int, Domain("counts")]) -> None:
        require(self.reserve)
        options = self.options[number]
        if options.present and self.flags[self.count]:
            options.seconds += 1
        self.options[0].present = self.flags[number]
        self.options[number] = Options(seconds=self.options[self.count].seconds)
        self.flags[number] = not self.flags[0]
        clear(self.options[0])


def empty_slots(reserve: bool) -> Description:
    scope, name = replace(SCOPE, sizes={"slots": 0}), Slots.__name__
    state = replace(make(Slots, scope.sizes), reserve=reserve)
    return Description(Slots, "test", "test", name, "", scope, [state], record_lines)


def test_an_empty_array_may_be_indexed_where_no_execution_comes() -> None:
    model = lower_system(empty_slots(reserve=False))
    assert [v.path for v in model.variables] == ["count"]
    assert {t.action.name for t in model.transitions if t.enabled is not model.graph.false} == {"step"}
    for engine in (Python(), Compiled()):
        found = engine.run(model, ())
        assert (found.states, found.transitions) == (2, 2)


@dataclass
class Told:
    """What a step did, in a record of its own."""

    present: bool
    amount: Annotated[int, Domain("counts", default=1)]


@dataclass
class Telling:
    """A model whose steps tell what they do."""

    on: bool
    told: Annotated[Array[Told], Size("slots"), OF_STEP]

    @action("user", "toggles")
    def toggle(self) -> None:
        self.on = not self.on
        if self.on:
            self.told[1] = Told(present=True, amount=0)

    @action("user", "waits")
    def wait(self) -> None:
        require(self.told[1].present or self.on)


def toggles_tell(before: Telling, event: Event, after: Telling) -> bool:
    return after.told[1].present == (event.action == "toggle" and after.on) and not after.told[0].present


def amounts_are_one_but_where_they_are_told(before: Telling, after: Telling) -> bool:
    return after.told[0].amount == 1 and (after.told[1].amount == 1) != after.told[1].present


def test_what_a_step_tells_is_at_its_zero_value_when_the_next_one_begins() -> None:
    scope = replace(SCOPE, sizes={"slots": 2})
    initial = [make(Telling, scope.sizes)]
    model = lower_system(Description(Telling, "test", "test", "Telling", "", scope, initial, record_lines))
    claims = [
        Property("toggles_tell", "step", "", toggles_tell),
        Property("amounts", "step", "", amounts_are_one_but_where_they_are_told),
    ]
    lowered = lower_properties(model, claims)
    kept = relevant_variables(model, lowered)
    assert kept == {"on"}
    for engine in (Python(), Compiled()):
        found = engine.run(model, lowered, kept)
        assert (found.states, [v.status for v in found.verdicts]) == (2, [Status.HOLDS, Status.HOLDS])
    trace = replay(model, [Move("toggle", {}), Move("wait", {}), Move("toggle", {})])
    by_step = [{c.path: c.after for c in step.changes} for step in trace.steps]
    assert by_step == [{"on": 1, "told[1].present": 1, "told[1].amount": 0}, {}, {"on": 0}]
    assert not dict(zip([v.path for v in model.variables], trace.steps[1].state, strict=True))["told[1].present"]


def test_an_index_into_an_empty_array_names_its_size() -> None:
    with pytest.raises(ModelError, match=r"index 0 of `self.options\[number\]` is out of range; the size 'slots' is 0"):
        lower_system(empty_slots(reserve=True))


def test_constants_are_folded() -> None:
    model = system(Nested)
    assert "limit" not in {v.path for v in model.variables}
    enabled = [t.enabled.value for t in model.transitions if t.action.name == "toggle"]
    assert enabled.count(1) == 1 and enabled.count(0) == len(enabled) - 1


def test_equal_expressions_are_one_node() -> None:
    model = system(Branches)
    before = len(model.graph)
    lower_properties(model, [Property("once", "always", "", counts_down), Property("twice", "always", "", counts_down)])
    after = len(model.graph)
    lower_properties(model, [Property("again", "always", "", counts_down)])
    assert before < after == len(model.graph)


def counts_down(state: Branches) -> bool:
    return state.count == 0 or (state.ready and state.phase != Phase.FAILED)


@pytest.mark.parametrize("cls", MODELS)
def test_every_operator_of_a_step_knows_its_line_of_the_model(cls: type[Model]) -> None:
    last = len(inspect.getsource(constructs).splitlines())
    for t in system(cls).transitions:
        for node in topological([t.enabled, *t.updates.values(), *t.faults.values()]):
            if node.args:
                assert node.line is not None
                assert node.line.file == "tests/constructs.py"
                assert 0 < node.line.number <= last
