"""The one door for what others wrote: bounded files, and JSON that is checked against the schema of its format.

What comes through has the types that the schema says, numbers of 64 bits and texts of whole characters. What does not
is refused with its place, with what was found there and what is expected.
"""

from __future__ import annotations

import errno
import functools
import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from podproof.checker.core.system import CheckerError

MOST_LINES, MOST_BYTES, MOST_PACKED_BYTES = 1_000_000, 1 << 30, 1 << 25
"""Of a file of lines: when it is unpacked, and packed."""
MOST_VALUES = 1_000_000
"""Of a document; the largest result that `check` wrote in a test has a tenth of them."""
MOST_NESTED = 64
MOST_DIGITS = 40
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_QUOTED = 60
"""How many characters of what was found an error quotes."""
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
EXPECTED: Mapping[str, str] = {
    "type": "of type {}",
    "enum": "one of {}",
    "const": "{}",
    "minimum": "{} or more",
    "maximum": "{} or less",
    "minItems": "of length {} or more",
    "maxItems": "of length {} or less",
    "maxLength": "of length {} or less",
}
"""Keyword of a schema -> what it demands, with its value. For others the `description` of their part says it."""


@dataclass(frozen=True)
class Format:
    """What documents of one kind have to be."""

    schema: Callable[[], str]
    """The JSON Schema, draft 2020-12, without references to others."""
    advice: str
    """The end of every error: what to do, or where the format is described."""
    most_bytes: int
    """Of one document; while it is read it may take thirty times as much memory."""

    def read(self, path: Path, where: str) -> Any:
        """The document that a file is. Raises CheckerError, which begins with `where`."""
        try:
            content = content_of(path, self.most_bytes)
        except OSError as error:
            raise CheckerError(f"{where}: it cannot be read ({error.strerror}); {self.advice}") from error
        return self.parse(content, where)

    def read_lines(self, path: Path) -> Iterator[tuple[str, Any]]:
        """The documents of a file with one on each line, plain or packed by gzip, each with its `file:line`.

        Raises CheckerError, also for a file without any.
        """
        number, found = 0, False
        try:
            with _unpack(path) as file:
                for number, line in enumerate(_bounded_lines(file, self.most_bytes), 1):
                    if line.strip() or len(line) > self.most_bytes:
                        found, where = True, f"{path}:{number}"
                        yield where, self.parse(line, where)
        except (OSError, EOFError, zlib.error) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            raise CheckerError(f"{path}:{number + 1}: the file cannot be read ({why}); {self.advice}") from error
        if not found:
            raise CheckerError(f"{path}: there is nothing in it; {self.advice}")

    def parse(self, content: bytes, where: str) -> Any:
        """The document in these bytes. Raises CheckerError, which begins with `where`."""
        try:
            if len(content) > self.most_bytes:
                raise _Unfit(f"there are more than {self.most_bytes:,} bytes")
            document = _parse(content)
        except _Unfit as error:
            raise CheckerError(f"{where}: {error}; {self.advice}") from error
        self.check(document, where)
        return document

    def check(self, document: Any, where: str) -> None:
        """Raise CheckerError, which begins with `where`, unless the document follows the schema."""
        import jsonschema_rs  # Who reads no JSON need not wait for it.

        try:
            self._validator.validate(document)
        except jsonschema_rs.ValidationError as error:
            told = _tell(error, document, json.loads(self.schema()))
            raise CheckerError(f"{where}: {told}; {self.advice}") from error

    @functools.cached_property
    def _validator(self) -> Any:
        import jsonschema_rs

        return jsonschema_rs.validator_for(self.schema())


def content_of(path: Path, most_bytes: int) -> bytes:
    """The content of a file. Raises OSError, also where it is too long."""
    with open(path, "rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"more than {most_bytes:,} bytes", str(path))
    return content


# -- files of lines ----------------------------------------------------------------------------------------------------


def _unpack(path: Path) -> IO[bytes] | gzip.GzipFile:
    if path.suffix != ".gz":
        return open(path, "rb")
    if os.stat(path).st_size > MOST_PACKED_BYTES:
        raise OSError(errno.EFBIG, f"more than {MOST_PACKED_BYTES:,} bytes packed", str(path))
    return gzip.open(path, "rb")


def _bounded_lines(file: IO[bytes] | gzip.GzipFile, most_bytes: int) -> Iterator[bytes]:
    """The lines of a file; of one that is too long the beginning, which is too long, too. Raises OSError."""
    lines = total = 0
    while line := file.readline(most_bytes + 1):
        lines, total = lines + 1, total + len(line)
        if lines > MOST_LINES or total > MOST_BYTES:
            raise OSError(errno.EFBIG, f"more than {MOST_LINES:,} lines or {MOST_BYTES:,} bytes; cut it into several")
        yield line


# -- what JSON may be --------------------------------------------------------------------------------------------------


class _Unfit(Exception):
    """What was found is not what this door lets through."""


def _parse(content: bytes) -> Any:
    try:
        text = content.decode("utf-8")
        document = _DECODER.decode(text)
        _refuse_size(document)
        if _HALF_CHARACTER.search(text):
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise _Unfit(f"line {number}: byte {content[error.start]:#04x} is no UTF-8 ({error.reason})") from error
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise _Unfit(f"{half!a} stands for half a character; write both halves, or the character") from error
    except json.JSONDecodeError as error:
        line = "" if error.lineno == 1 else f"line {error.lineno}, "
        raise _Unfit(f"{_short(text)!r} is no JSON ({error.msg}: {line}column {error.colno})") from error
    except RecursionError as error:
        raise _Unfit(_TOO_DEEP) from error
    return document


_TOO_DEEP = f"it is nested more than {MOST_NESTED} deep"


def _refuse_size(document: Any) -> None:
    level: list[Any] = [[document]]
    values = 0
    for _ in range(MOST_NESTED + 1):
        values += sum(map(len, level))
        if values > MOST_VALUES:
            raise _Unfit(f"there are more than {MOST_VALUES:,} values in it")
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in (dict, list)
        ]
        if not level:
            return
    raise _Unfit(_TOO_DEEP)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Unfit(f"the key {_quote(twice)} stands twice in one object")
    return found


def _whole(text: str) -> int:
    if len(text) < 19 or (len(text) <= MOST_DIGITS and _LEAST <= int(text) <= _MOST):
        return int(text)
    raise _Unfit(f"the number {_short(text)} does not fit 64 bits")


def _number(text: str) -> int | float:
    """A number with a point or an exponent; JSON has one kind of number only, so 1.0 is 1."""
    if len(text) <= MOST_DIGITS and _LEAST <= (number := float(text)) <= _MOST:
        return int(number) if number.is_integer() else number
    raise _Unfit(f"the number {_short(text)} does not fit 64 bits")


def _constant(text: str) -> Any:
    raise _Unfit(f"{text} is no number that JSON has")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole, parse_float=_number, parse_constant=_constant)


# -- what is told ------------------------------------------------------------------------------------------------------


def _tell(error: Any, document: Any, schema: Any) -> str:
    """Where a document departs from its schema, what is there, and what has to be."""
    keyword, found, part, demanded = error.kind.name, document, schema, schema
    for key in error.instance_path:
        # A name of digits in an object is told like a place in a list.
        found = found[key] if isinstance(found, list) else found[str(key)]
    for key in error.schema_path:
        part, demanded = demanded, demanded[key]
    if keyword == "falseSchema":
        return f"{_place(error.instance_path)} is {_quote(found)}, but nothing may stand there"
    if keyword == "required":
        return f"{_place([*error.instance_path, error.kind.property])} is missing"
    if keyword in EXPECTED:
        several = demanded if isinstance(demanded, list) else [demanded]
        values = several if keyword == "type" else map(_quote, several)
        expected = EXPECTED[keyword].format(" or ".join(values))
    else:
        expected = part.get("description") or _quote(demanded)
    return f"{_place(error.instance_path) or 'it'} is {_quote(found)}, but has to be {expected}"


def _place(path: Sequence[str | int]) -> str:
    """A path in the document, as jq and JavaScript write it."""
    return "".join(
        f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{_quote(key)}]" for key in path
    ).removeprefix(".")


def _quote(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
