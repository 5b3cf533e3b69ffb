"""A state is the model's own objects and a row of integers, and going to and fro loses nothing."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any

import pytest

from podproof.checker.core.shapes import FixedArray, Scalar, Scope, Values, leaves, record_shape, shape_of
from podproof.checker.core.system import ModelError, OutOfRange
from podproof.checker.lowering import Codec
from podproof.model.language import CONSTANT, NIL, Array, Domain, Size, copy, make
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import scenarios_of, subject_of, system_of
from podproof.queries.versions import DEFAULT_VERSION

SCOPE = Scope(
    {"pods": 2, "slots": 3},
    {"uids": Values((NIL, 0, 1), {NIL: "nil", 0: "web", 1: "db"}), "seconds": Values((0, 5, 30))},
)


class Phase(Enum):
    RUNNING = "Running"
    FAILED = "Failed"


@dataclass
class Pod:
    phase: Phase = Phase.FAILED
    seconds: Annotated[int, Domain("seconds")] = 5
    static: bool = True


@dataclass
class Root:
    name: Annotated[int, Domain("uids"), CONSTANT]
    owner: Annotated[int, Domain("uids", default=NIL)]
    pods: Annotated[Array[Pod], Size("pods")]
    grid: Annotated[Array[Annotated[Array[bool], Size("slots")]], Size("pods")]
    settings: Annotated[Pod, CONSTANT] = field(default_factory=Pod)


def codec() -> tuple[Codec, Any]:
    shape, tree = record_shape(Root, SCOPE), make(Root, SCOPE.sizes)
    return Codec(shape, {"name": 1, "settings.phase": 1, "settings.seconds": 5, "settings.static": 1}), tree


def test_the_variables_are_the_leaves_that_are_no_constants_in_their_order() -> None:
    paths = [v.path for v in codec()[0].variables]
    assert paths[:4] == ["owner", "pods[0].phase", "pods[0].seconds", "pods[0].static"]
    assert paths[-3:] == ["grid[1][0]", "grid[1][1]", "grid[1][2]"]
    assert len(paths) == 1 + 2 * 3 + 2 * 3


def test_a_variable_has_its_range_and_its_names() -> None:
    owner, phase, seconds, static = codec()[0].variables[:4]
    assert (owner.low, owner.high, owner.show(-1), owner.show(1)) == (-1, 1, "nil", "db")
    assert (phase.low, phase.high, phase.show(1)) == (0, 1, "Failed")
    assert (seconds.low, seconds.high, seconds.show(5)) == (0, 30, 5)
    assert (static.is_bool, static.show(1)) == (True, True)


def test_make_gives_every_field_its_zero_value() -> None:
    tree = make(Root, SCOPE.sizes)
    assert (tree.name, tree.owner) == (0, NIL)
    assert [pod.phase for pod in tree.pods] == [Phase.FAILED, Phase.FAILED]
    assert tree.pods[0] is not tree.pods[1]
    assert tree.grid == [[False] * 3] * 2


def test_a_field_s_zero_is_its_default_else_the_domain_s_else_the_first_member() -> None:
    zeros = {path: scalar.zero for path, scalar, _ in leaves(record_shape(Root, SCOPE))}
    assert (zeros["owner"], zeros["name"], zeros["pods[0].seconds"], zeros["pods[0].phase"]) == (-1, 0, 5, 1)
    assert isinstance(shape := shape_of(Phase, SCOPE, "here"), Scalar) and shape.zero == 0


def test_build_gives_new_objects_each_time() -> None:
    made, _ = codec()
    state = tuple(v.low for v in made.variables)
    first, second = made.build(state), made.build(state)
    first.pods[0].seconds = 30
    first.grid[0][0] = True
    assert made.flatten(second) == state
    assert first.name == second.name == 1


@pytest.mark.quick(17)
@pytest.mark.parametrize("name", SCENARIOS)
def test_building_and_flattening_are_inverse(name: str) -> None:
    (scenario,) = scenarios_of([name])
    system, chance = system_of(subject_of(DEFAULT_VERSION, None), scenario), random.Random(name)
    for _ in range(50):
        state = tuple(chance.randint(v.low, v.high) for v in system.variables)
        tree = system.build(state)
        assert system.flatten(tree) == system.flatten(copy(tree)) == state


def test_a_value_outside_its_range_is_refused_with_the_field_and_the_range() -> None:
    made, tree = codec()
    tree.pods[1].seconds = 31
    with pytest.raises(OutOfRange, match=r"pods\[1\]\.seconds became 31, outside its declared range 0\.\.30; widen"):
        made.flatten(tree)
    assert 31 in made.encode(tree)


def test_an_array_has_the_length_that_the_scenario_gives() -> None:
    shape = shape_of(Annotated[Array[bool], Size("slots")], SCOPE, "here")
    assert isinstance(shape, FixedArray) and shape.length == 3


@pytest.mark.parametrize("index", [-1, 3])
def test_an_array_refuses_an_index_outside_it(index: int) -> None:
    array = Array([1, 2, 3])
    with pytest.raises(IndexError):
        array[index]
    with pytest.raises(IndexError):
        array[index] = 0


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (int, "here: an int needs a domain; write Annotated"),
        (str, "here: <class 'str'> is no type of the model language; use bool"),
        (Annotated[int, Domain("secs")], "here: no scenario gives the domain 'secs'; known domains: uids, seconds"),
        (Annotated[Array[bool], Size("pod")], "here: no scenario gives the size 'pod'; known sizes: pods, slots"),
        (Annotated[Array[int], Size("pods")], r"here\[…\]: an int needs a domain"),
    ],
)
def test_an_annotation_outside_the_language_is_refused(annotation: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        shape_of(annotation, SCOPE, "here")
