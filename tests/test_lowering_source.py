"""The source of a model's functions is found wherever Python lets them be defined, and refused with a reason."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from podproof.checker.core.system import ModelError
from podproof.checker.lowering.source import REQUIRED, parameters_of, source_of

MODULE = '''"""A module of functions."""
import functools


def plain(a, b=1):
    return a


def twice(function):
    @functools.wraps(function)
    def wrapped(a):
        return function(function(a))

    return wrapped


class Record:
    def method(self):
        return 1

    @twice
    @twice
    def decorated(self):
        return 2

    class Inner:
        def method(self):
            return 3


try:
    import no_such_module
except ImportError:
    def chosen():
        return 4
finally:
    def last():
        return 5

match 6:
    case 6:
        def matched():
            return 6


async def later():
    return 7


short = lambda: 8
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "functions.py"
    path.write_text(MODULE)
    return path


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line_of(text: str) -> int:
    return 1 + MODULE[: MODULE.index(text)].count("\n")


WHERE: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "def plain": lambda module: module.plain,
    "    def method(self):\n        return 1": lambda module: module.Record.method,
    "        def method(self):\n            return 3": lambda module: module.Record.Inner.method,
    "    def chosen": lambda module: module.chosen,
    "    def last": lambda module: module.last,
    "        def matched": lambda module: module.matched,
}


@pytest.mark.parametrize("text", WHERE)
def test_a_function_is_found_wherever_it_is_defined(file: Path, text: str) -> None:
    function = WHERE[text](imported(file))
    source = source_of(function)
    assert (source.tree.name, source.tree.lineno) == (function.__name__, line_of(text))
    assert str(source.line(source.tree)) == f"{file.name}:{line_of(text)}"


def test_parameters_are_those_of_the_function(file: Path) -> None:
    parameters = parameters_of(imported(file).plain)
    assert parameters == {"a": REQUIRED, "b": 1}


def test_a_decorated_method_is_what_its_decorator_made_of_it(file: Path) -> None:
    with pytest.raises(ModelError, match=r"^functions.py:11: `Record.decorated` is a nested function"):
        source_of(imported(file).Record.decorated)


def test_what_is_no_plain_function_is_refused_with_its_line(file: Path) -> None:
    module = imported(file)
    with pytest.raises(ModelError, match=rf"^functions.py:{line_of('async def')}: `later` is no plain function"):
        source_of(module.later)
    with pytest.raises(ModelError, match=rf"^functions.py:{line_of('short =')}: `lambda` is outside"):
        source_of(module.short)
    for thing in (len, module.Record):
        with pytest.raises(ModelError, match=r"its source cannot be read .* models are written in files"):
            source_of(thing)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\n\n" + MODULE, r"functions.py:5 has changed: no function begins there"),
        (MODULE + "def broken(:\n", rf"functions.py:{MODULE.count(chr(10)) + 1} has changed: invalid syntax"),
        ("", "could not get source code"),
    ],
)
def test_a_file_that_has_changed_since_is_an_error(file: Path, text: str, reason: str) -> None:
    function = imported(file).plain
    file.write_text(text)
    with pytest.raises(ModelError, match=f"^plain: its source cannot be read .*{reason}"):
        source_of(function)
