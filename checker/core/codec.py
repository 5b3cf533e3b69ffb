"""A model's objects as states, and back."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from podproof.checker.core.classes import is_nil, nil
from podproof.checker.core.shapes import FixedArray, Record, Scalar, Shape, encode_optional, join, leaves, members
from podproof.checker.core.system import OutOfRange, State, Variable


class Codec:
    """Turns a tree of model objects into a State and back. Its two functions are generated once for a shape."""

    def __init__(self, shape: Record, constants: Mapping[str, int]) -> None:
        """`constants` has the leaves that are no variables of the state, with their values."""
        self.constants = constants
        self.scalars = {path: scalar for path, scalar, _ in leaves(shape) if path not in constants}
        self.variables = tuple(Variable(p, s.is_bool, s.low, s.high, s.labels) for p, s in self.scalars.items())
        self._position = {path: i for i, path in enumerate(self.scalars)}
        self._names: dict[str, Any] = {}
        self.build = eval(f"lambda s: {self._builder(shape, '')}", self._names)
        """(State) -> a fresh tree of model objects."""
        fields = ", ".join(self._encoder(path, scalar) for path, scalar in self.scalars.items())
        self.encode = eval(f"lambda o: ({fields},)", self._names)

    def flatten(self, tree: Any) -> State:
        """The state of a tree; raises OutOfRange when a field has left its declared range."""
        state: State = self.encode(tree)
        for value, variable in zip(state, self.variables, strict=True):
            if is_nil(value) or not variable.low <= value <= variable.high:
                raise OutOfRange(range_message(variable.path, value, variable.low, variable.high))
        return state

    def _name(self, thing: Any) -> str:
        """A name for `thing` in the generated code."""
        name = f"_{thing.__name__}"
        while self._names.setdefault(name, thing) is not thing:
            name += "_"
        return name

    def _builder(self, shape: Shape, path: str) -> str:
        """The expression that makes the object at `path` from the state `s`."""
        match shape:
            case Record():
                parts = (f"{name}={self._builder(field, join(path, name))}" for name, field in shape.fields.items())
                return f"{self._name(shape.cls)}({', '.join(parts)})"
            case FixedArray():
                elements = [self._builder(shape.element, f"{path}[{i}]") for i in range(shape.length)]
                return f"{self._name(shape.cls)}([{', '.join(elements)}])"
            case Scalar():
                value = f"s[{self._position[path]}]" if path in self._position else str(self.constants[path])
                if shape.is_bool:
                    return f"({value} != 0)"
                if issubclass(shape.sort, enum.Enum):
                    return f"{self._members(shape.sort)}[{value}]"
                if shape.nil is not None:
                    return f"({self._constant('_nil', nil())} if {value} == {shape.nil} else {value})"
                return value

    def _encoder(self, path: str, scalar: Scalar) -> str:
        """The expression that reads the integer at `path` from the object `o`."""
        if issubclass(scalar.sort, enum.Enum):
            return f"{self._indices(scalar.sort)}[o.{path}]"
        if scalar.nil is not None:
            return f"{self._constant('_optional', encode_optional)}({scalar.nil}, o.{path})"
        return f"int(o.{path})" if scalar.is_bool else f"o.{path}"

    def _constant(self, name: str, thing: Any) -> str:
        self._names[name] = thing
        return name

    def _members(self, sort: type[enum.Enum]) -> str:
        name = f"_members_of_{sort.__name__}"
        self._names.setdefault(name, members(sort))
        return name

    def _indices(self, sort: type[enum.Enum]) -> str:
        name = f"_index_of_{sort.__name__}"
        self._names.setdefault(name, {member: i for i, member in enumerate(members(sort))})
        return name


def range_message(path: str, value: object, low: int, high: int) -> str:
    return (
        f"{path} became {value}, outside its declared range {low}..{high}; "
        "widen the domain in the scenario or bound the action that writes it"
    )
