"""Which classes a model may have, and the shape of its state: the leaves, read from the annotations of its records.

The annotations' metadata (`Domain`, `Size`, `CONSTANT`, `OF_STEP`) are known by class name, so that models stay
independent of the checker.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import itertools
import re
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NoReturn

from podproof.checker.core import ModelError
from podproof.checker.core.graph import UNBOUNDED, Line
from podproof.checker.core.printer import short_path

# -- which classes a model may have: those whose instances do what their fields and plain methods say ------------------
#
# Nothing may come between a name and what it stands for: no metaclass, no special method, no descriptor, nothing that
# was put into a class after it was made. What is not listed here is refused.


_MADE_BY_PYTHON = frozenset(
    {
        *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__"),
        *("__static_attributes__", "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
        *("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__slotnames__"),
        *("__init__", "__repr__", "__eq__", "__hash__", "__replace__"),
    }
)
"""What a class has of its own accord, or from `@dataclass`."""


@functools.cache
def check_record(cls: type) -> None:
    """Refuse a class of records, or of the model itself, unless its instances are what its fields say."""
    for part in cls.__mro__[:-1]:
        if type(part) is not type:
            _refuse(part, "class", f"has the metaclass {type(part).__name__}", "write a plain class")
        for name, thing in vars(part).items():
            if _is_special(name) and name not in _MADE_BY_PYTHON:
                _refuse(part, name, f"has {name}", "records have fields and plain methods")
            if name.startswith(f"_{part.__name__.lstrip('_')}__"):
                own = name.removeprefix(f"_{part.__name__.lstrip('_')}")
                _refuse(part, own, f"has {own!r}, which is another name outside the class", "use one underscore")
            if isinstance(thing, FunctionType) and not _is_special(name):
                check_method(part, name)
        for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
            declared = vars(part).get("__dataclass_fields__", {}).get(field.name)
            if field.name in vars(part) and vars(part)[field.name] is not getattr(declared, "default", None):
                what = f"has {field.name!r} as a field and as something else"
                _refuse(part, field.name, what, "give one of them another name")
        if "__init__" in vars(part):
            _check_init(part)


def check_method(owner: type, name: str) -> FunctionType:
    """The method that a class defines under a name; raises ModelError unless it is what stands in the class."""
    found = vars(owner)[name]
    if not isinstance(found, FunctionType):
        kind = type(found).__name__
        _refuse(owner, name, f"has {name!r}, which is no method but of type {kind}", "write a plain method or a field")
    if found.__code__.co_qualname != f"{owner.__qualname__}.{name}":
        line = Line(short_path(found.__code__.co_filename), found.__code__.co_firstlineno)
        what = f"has {name!r}, which runs `{found.__code__.co_qualname}` of {line}"
        _refuse(owner, name, what, "write it with `def` in its class, without a decorator, and leave it so")
    return found


def check_enumeration(cls: type[enum.Enum]) -> None:
    """Refuse an enumeration whose members are not just themselves."""
    if type(cls) is not enum.EnumType or cls.__bases__ != (enum.Enum,):
        _refuse(cls, "class", "is no plain enumeration", "derive it from Enum alone")
    if cls.__eq__ is not object.__eq__ or cls.__ne__ is not object.__ne__:
        _refuse(cls, "__eq__", "compares its members in a way of its own", "leave __eq__ and __ne__ alone")


LANGUAGE = "podproof.model.language"
"""The module that defines the model language; named and not imported, for the checker knows no model."""


def is_of_language(thing: Any) -> bool:
    """Is this class or function the language's own, with the code that it was written with?"""
    module = sys.modules.get(LANGUAGE)
    if module is None or vars(module).get(thing.__name__) is not thing:
        return False
    functions = [f for f in (thing, *vars(thing).values()) if isinstance(f, FunctionType)]
    return all(f.__code__.co_filename == module.__file__ for f in functions)


def is_nil(value: Any) -> bool:
    """Is this the language's NIL?"""
    return type(value).__name__ == "Nil" and is_of_language(type(value))


@functools.cache
def nil() -> Any:
    """The language's NIL."""
    return vars(sys.modules[LANGUAGE])["NIL"]


def _check_init(cls: type) -> None:
    """A record is made from its fields: refuse an `__init__` that is not the one which `@dataclass` makes."""
    found = vars(cls)["__init__"]
    if "__dataclass_params__" not in vars(cls) or not isinstance(found, FunctionType):
        _refuse(cls, "__init__", "has an __init__ of its own", "let @dataclass make it")
    own = inspect.get_annotations(cls)
    again = {name: field for name, field in vars(cls)["__dataclass_fields__"].items() if name in own}
    params = vars(cls)["__dataclass_params__"]
    if params.frozen or not params.init:
        _refuse(cls, "@", "is a record that cannot be made or changed", "write a plain @dataclass")
    fresh = type(cls.__name__, cls.__bases__, {"__annotations__": own, "__module__": cls.__module__, **again})
    made = vars(dataclasses.dataclass(fresh))["__init__"]
    if (made.__code__, made.__defaults__) != (found.__code__, found.__defaults__):
        _refuse(cls, "__init__", "has an __init__ that is not made from its fields", "let @dataclass make it")
    code, names = found.__code__, {field.name for field in dataclasses.fields(cls)}
    for name in names ^ set(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]):
        _refuse(cls, name, f"has the field {name!r}, which is not set as others are", "declare a plain field")


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _refuse(cls: type, name: str, what: str, instead: str) -> NoReturn:
    defined = rf"^\s*(?:async def |def )?{re.escape(name)}\b"
    raise ModelError(place_error(cls, defined, f"{cls.__name__} {what}; {instead}"))


def place_error(thing: Any, pattern: str, message: str) -> str:
    """The message, with the line of a class or function that matches the pattern, or its first, before and below it."""
    try:
        lines, first = inspect.getsourcelines(thing)
        file = short_path(inspect.getsourcefile(thing) or "?")
    except (OSError, TypeError):
        return message
    found = next((i for i, text in enumerate(lines) if re.search(pattern, text)), 0)
    return f"{Line(file, first + found)}: {message}\n    {lines[found].strip()}"


# -- shapes ------------------------------------------------------------------------------------------------------------


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
    new_members: tuple[enum.Enum, ...] = ()
    """What enumerations have here besides their own members."""


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
    domain: str = dataclasses.field(default="", compare=False)
    """The name of the domain that a number is from."""
    members: tuple[enum.Enum, ...] = ()
    """The members of an enumeration, in the order of their indices; new ones come last."""

    @property
    def is_bool(self) -> bool:
        return self.sort is bool

    @property
    def new(self) -> tuple[int, ...]:
        """The indices of new members."""
        return tuple(i for i, member in enumerate(self.members) if member.name not in type(member).__members__)

    @property
    def first_number(self) -> int:
        """The least value that is no name for something else, as nil is."""
        return next(value for value in itertools.count(self.low) if value not in self.labels)

    def encode(self, value: Any) -> int:
        """A Python value as the integer that states hold."""
        if issubclass(self.sort, enum.Enum):
            return self.members.index(value)
        if self.nil is not None:
            return encode_optional(self.nil, value)
        return self.low - 1 if is_nil(value) else int(value)

    def decode(self, value: int) -> Any:
        if issubclass(self.sort, enum.Enum):
            return self.members[value]
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
    of_step: frozenset[str] = frozenset()
    """The fields that are at their zero values when an action begins."""


@dataclass(frozen=True)
class FixedArray:
    """An Array of a fixed length."""

    cls: type
    element: Shape
    length: int
    size: str = dataclasses.field(compare=False)
    """The name of the size that is its length."""


Shape = Scalar | Record | FixedArray


@functools.cache
def members(cls: type[enum.Enum], scope: Scope) -> tuple[enum.Enum, ...]:
    """The members of an enumeration; a member's index stands for it in the graph. Refuses a strange one."""
    check_enumeration(cls)
    return (*cls, *(member for member in scope.new_members if type(member) is cls))


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
        return FixedArray(typing.get_origin(base), shape_of(element, scope, f"{where}[…]"), scope.sizes[name], name)
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
        every = members(base, scope)
        labels = {i: str(member.value) for i, member in enumerate(every)}
        zero = every.index(default) if has_default and isinstance(default, base) else 0
        return Scalar(base, 0, len(labels) - 1, labels, zero, members=every)
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
        scalar = Scalar(int, low, values.high, labels, 0, values.nil, domain.name)
        return dataclasses.replace(scalar, zero=scalar.encode(zero))
    raise _NoShape(
        f"{where}: {base!r} is no type of the model language; use bool, an Enum, a Domain, a record, an Array"
    )


@functools.cache
def record_shape(cls: type, scope: Scope) -> Record:
    """The shape of a dataclass; the same object each time, so that shapes compare by identity."""
    check_record(cls)
    hints, fields, marked = hints_of(cls), {}, dict[str, set[str]](Constant=set(), OfStep=set())
    for field in dataclasses.fields(cls):
        where = f"{cls.__name__}.{field.name}"
        try:
            fields[field.name] = shape_of(hints[field.name], scope, where, field.default)
            _check_default(field, fields[field.name], where)
        except _NoShape as error:
            owner = next((c for c in cls.__mro__ if field.name in inspect.get_annotations(c)), cls)
            raise ModelError(place_error(owner, rf"^\s+{field.name}\s*:", str(error))) from error
        for item in getattr(hints[field.name], "__metadata__", ()):
            marked.get(type(item).__name__, set()).add(field.name)
    return Record(cls, fields, frozenset(marked["Constant"]), frozenset(marked["OfStep"]))


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


def notes_of(cls: type, path: str) -> tuple[tuple[object, ...], ...]:
    """What the annotations of the fields on the way to a leaf say besides their type, for each field in turn."""
    found = []
    for name in re.sub(r"\[\d+\]", "", path).split("."):
        annotation, notes = hints_of(cls)[name], list[object]()
        while arguments := typing.get_args(annotation):
            notes += getattr(annotation, "__metadata__", ())
            annotation = arguments[0]
        found.append(tuple(notes))
        cls = annotation
    return tuple(found)


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


def leaves_of_step(shape: Shape, path: str = "", of_step: bool = False) -> Iterator[tuple[str, Scalar]]:
    """Every scalar that is at its zero value when an action begins, with its path."""
    match shape:
        case Scalar() if of_step:
            yield path, shape
        case Record():
            for name, field in shape.fields.items():
                yield from leaves_of_step(field, join(path, name), of_step or name in shape.of_step)
        case FixedArray():
            for i in range(shape.length):
                yield from leaves_of_step(shape.element, f"{path}[{i}]", of_step)
