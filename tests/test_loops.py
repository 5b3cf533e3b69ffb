"""The language of loops: each thing that it says means what it means in Python, and all else is refused."""

from __future__ import annotations

import ctypes
import importlib.util
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests import loops_samples as samples

from podproof.checker.engines.compiled import jit, routine
from podproof.checker.engines.compiled.jit import Loop
from podproof.checker.engines.compiled.routine import KINDS, Kind
from podproof.checker.engines.compiled.translation import translate

MASK = (1 << 64) - 1
EDGES = (0, 1, 2, 3, 5, 7, 8, 63, 64, (1 << 31) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, MASK - 1, MASK)


# -- each construct beside Python --------------------------------------------------------------------------------------


def random_number(rng: random.Random) -> int:
    return rng.choice([rng.choice(EDGES), rng.randrange(16), rng.getrandbits(64)])


def random_value(kind: Kind, rng: random.Random) -> Any:
    """Numbers are numpy's, which wrap around as machine words do; arrays have eight rows."""
    if not kind.dimensions:
        number = random_number(rng)
        if kind.number == "bool":
            return bool(number & 1)
        return np.uint64(number) if kind.number == "U64" else np.uint64(number).astype(np.int64)
    shape = (8, rng.randint(1, 3))[: kind.dimensions]
    values = np.array([random_number(rng) for _ in range(int(np.prod(shape)))], np.uint64)
    return values.astype(kind.dtype).reshape(shape)


def random_argument(parts: Mapping[str, Kind], rng: random.Random, name: str, record: type[Any] | None) -> Any:
    values = [random_value(kind, rng) for kind in parts.values()]
    return values[0] if name in parts or record is None else record(*values)


def random_arguments(function: Loop, rng: random.Random) -> list[Any]:
    annotations = function.function.__annotations__
    return [
        random_argument(parts, rng, name, getattr(sys.modules[function.function.__module__], annotations[name], None))
        for name, parts in function.parameters.items()
    ]


def copied(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return type(argument)(*map(copied, argument))
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def arrays_of(arguments: list[Any]) -> list[Any]:
    flat = [part for argument in arguments for part in (argument if isinstance(argument, tuple) else [argument])]
    return [part.tolist() for part in flat if isinstance(part, np.ndarray)]


def as_python(function: Loop, arguments: list[Any]) -> Any:
    """What Python's own reading of a function gives, with numbers that wrap around."""
    with np.errstate(over="ignore"):
        return function.function(*arguments)


def assert_as_python(function: Loop, arguments: list[Any]) -> None:
    """The same result, and the same in all arrays."""
    ours, theirs = [copied(a) for a in arguments], [copied(a) for a in arguments]
    found, expected = function(*ours), as_python(function, theirs)
    assert (found is None) == (expected is None)
    assert found is None or int(found) & MASK == int(expected) & MASK, arguments
    assert arrays_of(ours) == arrays_of(theirs), arguments


ONLY_FOR_LOOPS = ("where", "called", "cut_to_size")
SAMPLES = [f for f in vars(samples).values() if isinstance(f, Loop) and f.name not in ONLY_FOR_LOOPS]


@pytest.mark.parametrize("function", SAMPLES, ids=lambda f: f.name)
def test_machine_code_does_what_python_does(function: Loop) -> None:
    rng = random.Random(function.name)
    for _ in range(300 if function.parameters.keys() <= {"a", "b", "n"} else 100):
        assert_as_python(function, random_arguments(function, rng))


def test_every_operator_and_kind_has_a_sample() -> None:
    text = Path(samples.__file__).read_text(encoding="utf-8")
    for sign in ("+", "-", "*", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!="):
        assert f" {sign} " in text
    assert {kind for f in SAMPLES for kind in f.parts.values()} == {*KINDS.values()}


def test_loops_prepared_together_for_known_widths_do_the_same() -> None:
    rng, wanted = random.Random(1), samples.calls_a_loop
    jit.prepare({wanted: (3, 3), samples.table: (3, 3)})
    assert "call i64 @table" in (text := translate({wanted: (3, 3), samples.table: (3, 3)})) and "i64 3" in text
    for _ in range(20):
        assert_as_python(wanted, [np.array([[random_number(rng) >> 1] * 3] * 8, np.int64) for _ in range(2)])
    assert wanted(np.ones((8, 2), np.int64), np.ones((8, 1), np.int64)) is not None  # Others are made when called.
    with pytest.raises(NotImplementedError, match=r"calls_a_loop.*another width"):
        jit.prepare({wanted: (3, 2), samples.table: (3, 3)})


def test_addresses_are_those_of_rows() -> None:
    rows, words = np.zeros((8, 3), np.int64), np.zeros(5, np.int64)
    assert samples.where(rows, words, 5) == rows[5].ctypes.data - rows.ctypes.data == 120


def test_what_does_not_fit_an_array_is_cut() -> None:
    for number in (*EDGES[:-3], -1, -(1 << 31), -(1 << 31) - 1):
        arrays = np.zeros(1, np.uint32), np.zeros(1, np.int32), np.zeros(1, np.uint8)
        samples.cut_to_size(number, *arrays)
        assert [int(a[0]) for a in arrays] == [int(np.int64(number).astype(a.dtype)) for a in arrays]


def test_functions_are_called_by_their_address() -> None:
    i64 = ctypes.c_int64
    subtract = ctypes.CFUNCTYPE(i64, i64, i64)(lambda a, b: a - b)
    assert samples.called(ctypes.cast(subtract, ctypes.c_void_p).value, 10) == 8


def test_numbers_may_be_of_python_or_numpy() -> None:
    for number in (5, np.int64(5), np.int32(5), np.uint8(5), True):
        assert samples.negative(number) == int(number) * -3 - 1 * (number > -2) - 5 * (number <= -2)
    assert samples.bits_of_truth(1, np.bool_(True), np.zeros(1, np.int64)) is True
    for large in (MASK - 4, np.uint64(MASK - 4)):
        assert samples.shifts_without_sign(large, 63) == as_python(
            samples.shifts_without_sign, [np.uint64(MASK - 4), np.uint64(63)]
        )


def with_gaps(*shape: int) -> Any:
    return np.zeros((*shape, 2), np.int64)[..., 0]


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("table", (np.zeros((8, 1)), np.zeros((8, 1), np.int64)), r"rows: int64 in 2 .* not float64 in 2 dimensions"),
        ("table", (np.zeros(8, np.int64), np.zeros((8, 1), np.int64)), r"rows: .* not int64 in 1 dimensions"),
        ("table", (np.zeros((8, 1), np.int64), with_gaps(8, 3)), "other: .* with gaps"),
        ("table", (np.zeros((8, 2), np.int64).T, with_gaps(8, 3)), "rows: .* with gaps"),
        ("table", (np.zeros((8, 1), np.uint64), with_gaps(8, 3)), "rows: .* not uint64 in 2 dimensions"),
        ("table", (np.zeros((8, 1), ">i8"), with_gaps(8, 3)), "rows: .* not >i8"),
        ("table", (5, np.zeros((8, 1), np.int64)), "rows: .* not int"),
        ("table", ([[1]], np.zeros((8, 1), np.int64)), "rows: .* not list"),
        ("bytes_", (1, np.zeros(8, np.int8)), "flags: uint8 in 1 .* not int8"),
        ("negative", (2.5,), "a: I64 is wanted, not float"),
        ("negative", ("7",), "a: I64 is wanted, not str"),
        ("negative", (np.zeros(1, np.int64),), "a: I64 is wanted, not int64 in 1 dimensions"),
        ("bits_of_truth", (1, 2, np.zeros(1, np.int64)), "truth: bool is wanted, not int"),
        ("records", ((1, 2), samples.Single(np.zeros(1, np.int64)), 1), "pair: a record of 3 is wanted"),
        ("records", (7, samples.Single(np.zeros(1, np.int64)), 1), "pair: a record of 3 is wanted, not int"),
    ],
)
def test_other_arguments_are_refused(function: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        getattr(samples, function)(*arguments)


# -- what is not understood --------------------------------------------------------------------------------------------

HEAD = """from __future__ import annotations
from typing import Any, NamedTuple
import numpy as np
import podproof.checker
from podproof.checker.engines.compiled import table as elsewhere
from podproof.checker.engines.compiled.jit import *
from podproof.checker.engines.compiled.jit import I64, U64, Words, Rows, Flags, loop, part
from podproof.checker.engines.compiled.routine import address, call, prefetch
LIMIT, SIGNED, RATIO = 5, np.int64(5), 0.5
class Pair(NamedTuple):
    rows: Rows
    step: I64
class Odd(NamedTuple):
    rows: list
@part
def none(a: I64) -> None:
    return
@part
def plus(a: I64, b: I64) -> I64:
    return a + b
@part
def known(a: I64, b: I64 = 3) -> I64:
    return a + b
"""
"""What stands before a function that is to be refused."""


def module_of(text: str, folder: Path, name: str = "refused_loops") -> ModuleType:
    """A file with this text, as a module."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    routine._definitions.cache_clear()
    return module


ARGUMENTS = "a: I64, b: I64, u: U64, truth: bool, words: Words, rows: Rows, flags: Flags, pair: Pair"
EXPRESSIONS = """a + u | u < a | u + np.int64(1) | truth + truth | truth + 1 | truth < truth | truth == True
a == True | ~truth | a if truth else u | u and a | a and b | not a | 0 < a < b | a in (1, 2)
a is b | -a | +a | a // 2 | a % b | a / b | a ** 2 | a << 64 | a >> -1 | u >> 64 | u < -1
u + 18446744073709551616 | a + 9223372036854775808 | np.uint64(-1) | np.int64(9223372036854775808)
~a + 18446744073709551616 | min(a, b) | abs(a) | len(words) | words.sum() | words | rows[a]
rows[a, b, a] | words[a, b] | words[-1] | words[truth] | words[a:b] | a[0] | words.shape
words.shape[1] | words.shape[a] | words.shape[-1] | words.size | words + words | RATIO + 1
a + SIGNED | 1.5 | "text" | None | (a, b) | [a, b] | {a: b} | lambda: a | [i for i in range(3)]
(a := b) | f"{a}" | elsewhere.AHEAD | nothing | pair | pair.step.real | pair.none | plus(a)
plus(a, b=b) | plus(a, b, a) | plus(*(a, b)) | plus(a, u) | plus(words, a) | plus(a, truth)
known(a) | known(a, b) | none(a) + none(a) | words[none(a)] | none(a) if truth else none(b)
np.int64() | np.int64(a, b) | np.float64(a) | np.int64(none(a)) | address(words, a) | address()
address(rows, a, b) | call() | prefetch(words) | print(a) | np.none(a)"""
"""Expressions, each of them refused."""
STATEMENTS = (
    *("global LIMIT", "del a", "pass", "assert truth", "import os", "raise ValueError", "x: I64 = 3", "x = y = 3"),
    *("words = 3", "pair = 3", "pair.step = 3", "words[0] = u", "words[0] = truth", "a = u", "truth = 1", "u = -1"),
    *(
        "a, b = b",
        "a, b = b, a, 3",
        "[a, b] = b, a",
        "*a, b = a, b",
        "(a, b), c = (1, 2), 3",
        "x = none(a)",
        "return u",
    ),
    *("flags[0], words[0] = truth, 1", "words += 1", "pair.step += 1", "return", "return None", "a //= 2", "a <<= 64"),
    "for i in range(0, a, 2):\n  a += 1",
    "for i in words:\n  a += 1",
    "for i in range(u):\n  a += 1",
    "for u in range(a):\n  a += 1",
    "for i, j in range(a):\n  a += 1",
    "for i in range(a):\n  b += 1\nelse:\n  b += 2",
    "while truth:\n  a += 1\nelse:\n  b += 1",
    "while a:\n  a -= 1",
    "if a:\n  b = 1",
    "if truth:\n  return 1",
    "while truth:\n  return 1",
    "def inner(a: I64) -> I64:\n  return a",
    "with a:\n  b = 1",
    "try:\n  b = 1\nexcept ValueError:\n  b = 2",
    "match a:\n  case 1:\n    b = 1",
)
"""Statements, each of them refused."""
MARKED = (
    "if truth:\n  x = 1\na = x  # here",
    "if truth:\n  x = 1\nelse:\n  x = u  # here",
    "while truth:\n  x = 1\na = x  # here",
    "for i in range(a):\n  x = 1\na = x  # here",
    "for i in range(a):\n  b += 1\na = i  # here",
    "while True:\n  if truth:\n    break\n  x = 1\na = x  # here",
    "a = x  # here\nx = 1",
    "LIMIT += 1  # here",
    "a += LIMIT  # here\nLIMIT = 1",
    "a = plus(a, b)  # here\nplus = 3",
    "for np in range(3):\n  a = np.int64(u)  # here",
)
"""Pieces in which only the line that is marked is refused."""


def assert_refused(body: str, folder: Path, needs_answer: bool) -> None:
    lines = body.split("\n")
    marked = next((i for i, line in enumerate(lines) if line.endswith("# here")), None)
    text = "\n".join(f"    {line}" for line in [*lines, *(["return 1"] if needs_answer else [])])
    module = module_of(f"{HEAD}@loop\ndef refused({ARGUMENTS}) -> I64:\n{text}\n", folder)
    with pytest.raises(NotImplementedError) as error:
        translate({module.refused: ()})
    first = HEAD.count("\n") + 3
    assert str(error.value).startswith("refused_loops.")
    if "known(" not in body:
        where = [first - 1, *range(first, first + len(lines))] if marked is None else [first + marked]
        assert any(f"refused_loops.refused, line {n}:" in str(error.value) for n in where), error.value


@pytest.mark.parametrize("text", [part.strip() for line in EXPRESSIONS.split("\n") for part in line.split(" | ")])
def test_expressions_that_are_not_understood_are_refused(text: str, tmp_path: Path) -> None:
    assert_refused(f"return {text}", tmp_path, needs_answer=False)


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_that_are_not_understood_are_refused(text: str, tmp_path: Path) -> None:
    assert_refused(text, tmp_path, needs_answer=not text.startswith(("if truth", "while truth:\n  return")))


@pytest.mark.parametrize("text", MARKED)
def test_what_may_have_no_value_or_another_type_is_refused_where_it_is_used(text: str, tmp_path: Path) -> None:
    assert_refused(text, tmp_path, needs_answer=True)


@pytest.mark.parametrize(
    "head",
    [
        *("(a, b: I64) -> I64", "(a: I64, b: I64 = 3) -> I64", "(a: I64, *, b: I64) -> I64", "(a: I64, /) -> I64"),
        *("(*a: I64) -> I64", "(a: int) -> I64", "(a: Odd) -> I64", "(a: I64)", "(a: I64) -> int", "(a: I64) -> Words"),
    ],
)
def test_other_heads_of_functions_are_refused(head: str, tmp_path: Path) -> None:
    module = module_of(f"{HEAD}@loop\ndef refused{head}:\n    return 1\n", tmp_path)
    with pytest.raises(NotImplementedError, match=r"refused_loops.refused, line \d+"):
        translate({module.refused: ()})


def test_a_function_is_never_taken_for_another_of_its_name(tmp_path: Path) -> None:
    again = "@loop\ndef f(a: I64) -> I64:\n    return a + {}\n"
    module = module_of(f"{HEAD}{again.format(1)}first = f\n{again.format(2)}", tmp_path)
    assert (module.first(10), module.f(10)) == (11, 12)
    inside = "def make():\n    @loop\n    def f(a: I64) -> I64:\n        return a + 3\n    return f\n"
    module = module_of(f"{HEAD}{again.format(1)}{inside}", tmp_path)
    with pytest.raises(NotImplementedError, match="only functions of a file"):
        module.make()(10)
    both = module_of(f"{HEAD}from tests.loops_samples import table as other\n{again.format(1)}", tmp_path)
    assert both.f(1) == 2
    with pytest.raises(NotImplementedError, match="have the name 'table'"):
        translate({samples.table: (), _named("table", both.f): ()})


def _named(name: str, function: Loop) -> Loop:
    function.name = name
    return function
