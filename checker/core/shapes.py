"""The shape of a model's state: which leaves it has, read from the annotations of its records.

The annotations' metadata (`Domain`, `Size`, `CONSTANT`) are known by class name, so that models stay independent of
the checker.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import itertools
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.classes import check_enumeration, check_record, is_nil, is_of_language, nil, place_error
from podproof.checker.core.errors import ModelError
from podproof.checker.core.graph import UNBOUNDED


@dataclass(frozen=True)
class Values:
    """What a scenario says about a domain: the values, and names for some of them."""

    values: tuple[int, ...]
    labels: Mapping[int, str] = dataclasses.field(default_factory=dict)
    unbounded: bool = False
    """Does the domain have every integer from the least of `values` on? Only the solver can go through those."""

    @functools.cached_property
    def numbers(self) -> tuple[int, ...]:
        """The values without nil."""
        return tuple(value for value in self.values if not is_nil(value))

    @property
    def high(self) -> int:
        return UNBOUNDED if self.unbounded else max(self.numbers, default=-1)

    @property
    def nil(self) -> int | None:
        """The integer that stands for nil in states, just below all numbers; None where nil is no value."""
        return None if len(self.numbers) == len(self.values) else min(self.numbers, default=0) - 1


@dataclass(frozen=True, eq=False)
class Scope:
    """The scenario's numbers, by the names that `Domain` and `Size` annotations use."""

    sizes: Mapping[str, int]
    domains: Mapping[str, Values]


@dataclass(frozen=True)
class Scalar:
    """A bool, an enumeration or a ranged integer. `sort` is bool, int or the Enum class."""

    sort: type
    low: int
    high: int
    labels: Mapping[int, str]
    zero: int
    nil: int | None = None
    """The integer that stands for nil in states; None where the field cannot be nil."""

    @property
    def is_bool(self) -> bool:
        return self.sort is bool

    @property
    def first_number(self) -> int:
        """The least value that is no name for something else, as nil is."""
        return next(value for value in itertools.count(self.low) if value not in self.labels)

    def encode(self, value: Any) -> int:
        """A Python value as the integer that states hold."""
        if issubclass(self.sort, enum.Enum):
            return members(self.sort).index(value)
        if self.nil is not None:
            return encode_optional(self.nil, value)
        return self.low - 1 if is_nil(value) else int(value)

    def decode(self, value: int) -> Any:
        if issubclass(self.sort, enum.Enum):
            return members(self.sort)[value]
        return bool(value) if self.is_bool else nil() if value == self.nil else value


def encode_optional(code: int, value: Any) -> int:
    """The integer for an optional number; nil's own is taken, and it and the numbers below it are moved down by one."""
    if is_nil(value):
        return code
    number = int(value)
    return number - 1 if number <= code else number


@dataclass(frozen=True, eq=False)
class Record:
    """A dataclass, with the shapes of its fields."""

    cls: type
    fields: Mapping[str, Shape]
    constants: frozenset[str]


@dataclass(frozen=True)
class FixedArray:
    """An Array of a fixed length."""

    cls: type
    element: Shape
    length: int


Shape = Scalar | Record | FixedArray


@functools.cache
def members(cls: type[enum.Enum]) -> tuple[enum.Enum, ...]:
    """The members of an enumeration; a member's index stands for it in the graph. Refuses a strange one."""
    check_enumeration(cls)
    return tuple(cls)


@functools.cache
def hints_of(thing: Any) -> Mapping[str, Any]:
    """The annotations of a record's fields or of a function's parameters; raises ModelError where it cannot."""
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except (NameError, AttributeError, TypeError) as error:
        message = f"{thing.__qualname__}: an annotation cannot be read ({error}); import or mend what it names"
        name = getattr(error, "name", None) or thing.__name__
        raise ModelError(place_error(thing, rf"\b{name}\b", message)) from error


def shape_of(annotation: Any, scope: Scope, where: str, default: Any = dataclasses.MISSING) -> Shape:
    """The shape that an annotation describes. `where` names it in errors; `default` is the field's own default."""
    base = typing.get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation
    metadata = {type(item).__name__: item for item in getattr(annotation, "__metadata__", ())}
    if "Size" in metadata:
        name = metadata["Size"].name
        if name not in scope.sizes:
            raise _NoShape(f"{where}: no scenario gives the size {name!r}; known sizes: {', '.join(scope.sizes)}")
        if not is_of_language(typing.get_origin(base)):
            raise _NoShape(f"{where}: it is no Array of the model language; write Annotated[Array[…], Size(…)]")
        (element,) = typing.get_args(base)
        return FixedArray(typing.get_origin(base), shape_of(element, scope, f"{where}[…]"), scope.sizes[name])
    if dataclasses.is_dataclass(base):
        return record_shape(typing.cast(type, base), scope)
    if base is int and "Domain" not in metadata:
        raise _NoShape(f"{where}: an int needs a domain; write Annotated[int, Domain('seconds')] or the like")
    return scalar_shape(base, metadata.get("Domain"), scope, where, default)


def scalar_shape(base: Any, domain: Any, scope: Scope, where: str, default: Any) -> Scalar:
    has_default = default is not dataclasses.MISSING and not callable(default)
    if base is bool:
        return Scalar(bool, 0, 1, {}, int(default) if has_default else 0)
    if isinstance(base, type) and issubclass(base, enum.Enum):
        labels = {i: str(member.value) for i, member in enumerate(members(base))}
        zero = members(base).index(default) if has_default and isinstance(default, base) else 0
        return Scalar(base, 0, len(labels) - 1, labels, zero)
    if base is int:
        if domain.name not in scope.domains:
            known = ", ".join(scope.domains)
            raise _NoShape(f"{where}: no scenario gives the domain {domain.name!r}; known domains: {known}")
        values = scope.domains[domain.name]
        low = min(values.numbers) if values.nil is None else values.nil
        labels = {low if is_nil(value) else value: label for value, label in values.labels.items()}
        zero = default if has_default else domain.default
        if values.nil is None and is_nil(zero):
            raise _NoShape(f"{where}: its default NIL is no value of the domain {domain.name!r}; write a number")
        scalar = Scalar(int, low, values.high, labels, 0, values.nil)
        return dataclasses.replace(scalar, zero=scalar.encode(zero))
    raise _NoShape(
        f"{where}: {base!r} is no type of the model language; use bool, an Enum, a Domain, a record, an Array"
    )


@functools.cache
def record_shape(cls: type, scope: Scope) -> Record:
    """The shape of a dataclass; the same object each time, so that shapes compare by identity."""
    check_record(cls)
    hints, fields, constants = hints_of(cls), {}, set()
    for field in dataclasses.fields(cls):
        where = f"{cls.__name__}.{field.name}"
        try:
            fields[field.name] = shape_of(hints[field.name], scope, where, field.default)
            _check_default(field, fields[field.name], where)
        except _NoShape as error:
            owner = next((c for c in cls.__mro__ if field.name in inspect.get_annotations(c)), cls)
            raise ModelError(place_error(owner, rf"^\s+{field.name}\s*:", str(error))) from error
        if any(type(item).__name__ == "Constant" for item in getattr(hints[field.name], "__metadata__", ())):
            constants.add(field.name)
    return Record(cls, fields, frozenset(constants))


def _check_default(field: dataclasses.Field[Any], shape: Shape, where: str) -> None:
    """A record begins with its class's own defaults, and a number, bool or enumeration with one of its type."""
    if field.default_factory is not dataclasses.MISSING:
        made: object = field.default_factory
        if isinstance(shape, Scalar) or made is not shape.cls:
            raise _NoShape(f"{where}: its default_factory is no record's class; write field(default_factory=Class)")
    elif field.default is not dataclasses.MISSING:
        is_known_nil = isinstance(shape, Scalar) and shape.nil is not None and is_nil(field.default)
        if not isinstance(shape, Scalar) or not (type(field.default) is shape.sort or is_known_nil):
            raise _NoShape(f"{where}: its default {field.default!r} is of another type; write one of the field's type")


class _NoShape(ModelError):
    """An annotation says nothing that the model language knows; where it stands is still to be said."""


def join(prefix: str, field: str) -> str:
    """The path of a record's field."""
    return f"{prefix}.{field}" if prefix else field


def leaves(shape: Shape, path: str = "", constant: bool = False) -> Iterator[tuple[str, Scalar, bool]]:
    """Every scalar of a shape as (path, scalar, is it constant?), in declaration order."""
    match shape:
        case Scalar():
            yield path, shape, constant
        case Record():
            for name, field in shape.fields.items():
                yield from leaves(field, join(path, name), constant or name in shape.constants)
        case FixedArray():
            for i in range(shape.length):
                yield from leaves(shape.element, f"{path}[{i}]", constant)
