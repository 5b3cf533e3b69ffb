"""Which classes a model may have: those whose instances do what their fields and plain methods say, and nothing else.

Nothing may come between a name and what it stands for: no metaclass, no special method, no descriptor, nothing that was
put into a class after it was made. What is not listed here is refused.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import re
import sys
from types import FunctionType
from typing import Any, NoReturn

from podproof.checker.core.errors import ModelError
from podproof.checker.core.graph import Line
from podproof.checker.core.places import short_path

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
            if field.name in vars(part) and vars(part)[field.name] is not _default(part, field.name):
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


def _default(cls: type, name: str) -> Any:
    field = vars(cls).get("__dataclass_fields__", {}).get(name)
    return None if field is None else field.default


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
