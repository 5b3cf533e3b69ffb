"""What a model file may use besides plain Python.

A model runs as ordinary Python (the reference semantics) and is read once by `podproof.checker.lowering`,
which knows the words below by their `__podproof__` attribute and never imports this module.
Words that cut an execution short raise here and become conditions of the transition there.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import enum
import functools
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
E = TypeVar("E", bound=enum.Enum)


class NilPointer(AssertionError):
    """NIL was used as a number, where Go would dereference a nil pointer and panic."""


def _panic(*_numbers: object) -> typing.NoReturn:
    raise NilPointer("nil is used as a number")


class Nil(int):
    """The class of NIL: equal to nothing but itself, since Go's int64 has no such number."""

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = __neg__ = __abs__ = _panic
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __repr__(self) -> str:
        return "NIL"

    def __reduce__(self) -> str:
        return "NIL"  # Copied or sent to another process, it is still the same object.


NIL: int = Nil(-(1 << 63) - 1)
"""Go's nil for an optional number or reference."""


class Disabled(Exception):
    """A `require` did not hold: the action cannot happen in this state."""


class OutOfBounds(Exception):
    """The scenario's bounds cut this transition off; the report counts it under this name."""


_reached_lines: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("reached_lines", default=None)


@contextlib.contextmanager
def record_lines() -> Iterator[list[str]]:
    """A list to which every `programmer_error` reached meanwhile is added."""
    lines: list[str] = []
    token = _reached_lines.set(lines)
    try:
        yield lines
    finally:
        _reached_lines.reset(token)


class Domain(typing.NamedTuple):
    """The values of an `int` field or parameter; the scenario says which they are.

    `default` is the zero value of an array element; a record's own field default wins over it.
    """

    name: str
    default: int = 0


class Size(typing.NamedTuple):
    """The length of an `Array` field; the scenario says the number."""

    name: str


class Constant:
    """Marks a field that no action writes: its initial value is folded into the transition relation."""


CONSTANT = Constant()


class OfStep:
    """Marks a field that tells claims what a step does: every action begins with it at its zero value.

    What a claim reads of it after a step follows from the step alone, so it makes no states differ.
    """


OF_STEP = OfStep()


class Array(list[T]):
    """A fixed-length array. Unlike a list it refuses a negative index, as Go would panic."""

    def __getitem__(self, index: int) -> T:  # type: ignore[override]
        if index < 0:
            raise IndexError(f"array index {index!r} is negative")
        return super().__getitem__(index)

    def __setitem__(self, index: int, value: T) -> None:  # type: ignore[override]
        if index < 0:
            raise IndexError(f"array index {index!r} is negative")
        super().__setitem__(index, value)


def new_member(enumeration: type[E], name: str, value: str) -> E:
    """One more member of an enumeration that somebody else declares: `RESIZE = new_member(UpdateType, "RESIZE", …)`.

    It is one for the file in which it stands, at top level and under its name; the enumeration itself stays as it is.
    Raises ValueError where it has that name or value already.
    """
    if not (isinstance(enumeration, type) and issubclass(enumeration, enum.Enum) and list(enumeration)):
        raise ValueError(f"{enumeration!r} is no enumeration with members; name one, as in new_member(UpdateType, …)")
    if type(name) is not str or type(value) is not str or not name.isidentifier() or not value:
        raise ValueError(f"a new member of {enumeration.__name__} is called {name!r} and shown as {value!r}; name it")
    for member in enumeration:
        if member.name == name or member.value == value:
            raise ValueError(
                f"{enumeration.__name__} has {member.name} = {member.value!r} already; choose another name"
            )
    member = object.__new__(enumeration)
    vars(member).update(_name_=name, _value_=value, __objclass__=enumeration, _sort_order_=len(enumeration))
    # Where a copy of it, or a text that names it, finds it.
    module = sys._getframe(1).f_globals["__name__"]
    vars(member).update(__module__=module, __reduce_ex__=lambda protocol: name)
    return member


def is_new_member(thing: object) -> bool:
    """Was this made by `new_member`?"""
    return isinstance(thing, enum.Enum) and type(thing).__members__.get(thing.name) is not thing


class Event(types.SimpleNamespace):
    """A step, as a claim `(before, event, after)` is told of it: each parameter of the action under its own name too.

    Which parameters there are is known where the claim has asked for the action: `event.action == "pleg_relist"`.
    """

    action: str
    """The name of the method marked `@action`."""
    actor: str
    uid: int
    generation: int


class Absent:
    """A method that a release does not have yet: for `hasattr` it is not there, and asking for it is an error."""

    def __init__(self, since: str) -> None:
        self.since = since

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> typing.NoReturn:
        raise AttributeError(f"{owner.__name__} has no {self.name}: it came with {self.since}")


def absent(since: str) -> Any:
    """In a release's class, in place of a method that came with the release `since`."""
    return Absent(since)


def _word(name: str) -> Callable[[F], F]:
    def mark(function: F) -> F:
        function.__podproof__ = name  # type: ignore[attr-defined]
        return function

    return mark


@_word("require")
def require(condition: bool) -> None:
    """The action happens only where `condition` holds. Comes before the action's first assignment."""
    if not condition:
        raise Disabled


@_word("out_of_bounds")
def out_of_bounds(bound: str) -> None:
    """This execution leaves the scenario's bounds; it is cut off and counted as `bound`."""
    raise OutOfBounds(bound)


@_word("programmer_error")
def programmer_error(line: str) -> None:
    """A log line of the Go that says "programmer error": `never` claims name it. Execution goes on."""
    lines = _reached_lines.get()
    if lines is not None:
        lines.append(line)


@_word("copy")
def copy(record: T) -> T:
    """A copy of a record: Go's assignment of a struct. Assigning a record without it is refused."""
    # By hand, because copy.deepcopy takes six times as long and is most of what a step costs in CPython.
    fresh = object.__new__(type(record))
    fields = fresh.__dict__
    fields.update(record.__dict__)
    for name, value in fields.items():
        if isinstance(value, Array):
            fields[name] = _copy_array(value)
        elif hasattr(value, "__dataclass_fields__"):
            fields[name] = copy(value)
    return fresh


def _copy_array(array: Array[Any]) -> Array[Any]:
    if array and isinstance(list.__getitem__(array, 0), Array):
        return Array(_copy_array(element) for element in array)
    if array and hasattr(list.__getitem__(array, 0), "__dataclass_fields__"):
        return Array(copy(element) for element in array)
    return Array(array)


@_word("clear")
def clear(record: Any) -> None:
    """Set every field of a record, however deep, to its zero value."""
    cls: type = type(record)
    hints = hints_of(cls)
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if dataclasses.is_dataclass(value):
            clear(value)
        elif isinstance(value, Array):
            _clear_array(value, hints[field.name])
        else:
            setattr(record, field.name, zero_of(hints[field.name], field))


def _clear_array(array: Array[Any], annotation: Any) -> None:
    element = element_of(annotation)
    for index, value in enumerate(array):
        if dataclasses.is_dataclass(value):
            clear(value)
        elif isinstance(value, Array):
            _clear_array(value, element)
        else:
            array[index] = zero_of(element)


def element_of(annotation: Any) -> Any:
    """The element annotation of an `Annotated[Array[...], Size(...)]`."""
    return typing.get_args(typing.get_args(annotation)[0])[0]


def metadata_of(annotation: Any, kind: type[T]) -> T | None:
    """The first item of an annotation's metadata that is a `kind`."""
    for item in getattr(annotation, "__metadata__", ()):
        if isinstance(item, kind):
            return item
    return None


def base_of(annotation: Any) -> Any:
    """The plain type below `Annotated`."""
    return typing.get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation


@functools.cache
def hints_of(cls: type) -> Mapping[str, Any]:
    """The annotations of a record's fields, resolved, metadata included."""
    return typing.get_type_hints(cls, include_extras=True)


def zero_of(annotation: Any, field: dataclasses.Field[Any] | None = None) -> Any:
    """The zero value of a field or element that is no record: the field's default, else the domain's or the type's."""
    if field is not None and field.default is not dataclasses.MISSING:
        return field.default
    base, domain = base_of(annotation), metadata_of(annotation, Domain)
    if domain is not None:
        return domain.default
    if isinstance(base, type) and issubclass(base, enum.Enum):
        return next(iter(base))
    return base()


def make(cls: type[T], sizes: Mapping[str, int]) -> T:
    """An instance of a record with every field at its zero value and every array at its size."""
    untyped: type = cls
    hints = hints_of(untyped)
    values: dict[str, Any] = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        base = base_of(hints[field.name])
        if metadata_of(hints[field.name], Size) is not None:
            values[field.name] = _make_array(hints[field.name], sizes)
        elif dataclasses.is_dataclass(base):
            values[field.name] = make(base, sizes)  # type: ignore[arg-type]
        else:
            values[field.name] = zero_of(hints[field.name], field)
    return cls(**values)


def _make_array(annotation: Any, sizes: Mapping[str, int]) -> Array[Any]:
    size, element = metadata_of(annotation, Size), element_of(annotation)
    assert size is not None
    base = base_of(element)

    def one() -> Any:
        if metadata_of(element, Size) is not None:
            return _make_array(element, sizes)
        return make(base, sizes) if dataclasses.is_dataclass(base) else zero_of(element)  # type: ignore[arg-type]

    return Array(one() for _ in range(sizes[size.name]))


@dataclasses.dataclass(frozen=True)
class Fairness:
    """A promise that an action's steps are not put off for ever, for each value of its parameters by itself.

    Weak: not while one is possible all the time. Strong: not while one is possible again and again.
    """

    assumption: str
    """The name of what is assumed; several actions may share it."""
    reason: str
    """Why it can be assumed of the kubelet."""
    is_strong: bool
    values: Mapping[str, Any]
    """Parameters and the only values of them that it is about."""
    whichever: tuple[str, ...]
    """Parameters whose value makes no difference: a step with any of them will do."""
    when: Callable[..., bool] | None
    """Where only it is promised: `(state, some parameters of the action) -> bool`, in the model language."""


def weakly(
    assumption: str,
    reason: str,
    whichever: tuple[str, ...] = (),
    when: Callable[..., bool] | None = None,
    **values: object,
) -> Fairness:
    return Fairness(assumption, reason, False, values, whichever, when)


def strongly(
    assumption: str,
    reason: str,
    whichever: tuple[str, ...] = (),
    when: Callable[..., bool] | None = None,
    **values: object,
) -> Fairness:
    return Fairness(assumption, reason, True, values, whichever, when)


@dataclasses.dataclass(frozen=True)
class ActionInfo:
    """What `@action` says about a method: who does it, the event in a kubelet engineer's words, when it is owed."""

    actor: str
    label: str
    fairness: tuple[Fairness, ...] = ()


def action(actor: str, label: str, *fairness: Fairness) -> Callable[[F], F]:
    """Declare a method to be one atomic step. Its parameters are enumerated over their declared domains.

    `label` is the event as a person would write it; `{parameter}` stands for a parameter's value. Without `fairness`
    nobody owes the step: claims that something happens cannot count on it.
    """

    def mark(method: F) -> F:
        method.__action__ = ActionInfo(actor, label, fairness)  # type: ignore[attr-defined]
        return method

    return mark
