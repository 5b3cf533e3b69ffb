"""The door that all JSON comes through: what it lets in has the types of its schema, and what it refuses is told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from tests.command_line import run_v1_29 as run
from tests.recorded_traces import LIFECYCLES, TRACES

from podproof.checker import reading
from podproof.checker.core.system import CheckerError
from podproof.checker.reading import Format, content_of
from podproof.queries.formats import PUBLISHED, TRACE
from podproof.queries.trace_file import open_trace

ANYTHING = Format(lambda: "{}", "write something else", 1 << 20)


def parsed(text: str | bytes, form: Format = ANYTHING) -> Any:
    return form.parse(text.encode() if isinstance(text, str) else text, "x.json")


def refused(text: str | bytes, form: Format = ANYTHING) -> str:
    with pytest.raises(CheckerError) as error:
        parsed(text, form)
    said = str(error.value)
    assert said.startswith("x.json: ") and said.endswith(f"; {form.advice}")
    return said.removeprefix("x.json: ").removesuffix(f"; {form.advice}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is no JSON (Expecting value: column 1)"),
        ("{", "'{' is no JSON (Expecting property name enclosed in double quotes: column 2)"),
        ('{\n"a" 1}', "'{\\n\"a\" 1}' is no JSON (Expecting ':' delimiter: line 2, column 5)"),
        ("{} {}", "'{} {}' is no JSON (Extra data: column 4)"),
        ('"\x01"', "'\"\\x01\"' is no JSON (Invalid control character at: column 2)"),
        ("\ufeff{}", "'\\ufeff{}' is no JSON (Expecting value: column 1)"),
        (b'{\n"a\xff": 1}', "line 2: byte 0xff is no UTF-8 (invalid start byte)"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', 'the key "c" stands twice in one object'),
        ("NaN", "NaN is no number that JSON has"),
        ("[-Infinity]", "-Infinity is no number that JSON has"),
        ("1e999", "the number 1e999 does not fit 64 bits"),
        ("9" * 4_301, f"the number {'9' * 60}… does not fit 64 bits"),
        (str(2**63), "the number 9223372036854775808 does not fit 64 bits"),
        (str(-(2**63) - 1), "the number -9223372036854775809 does not fit 64 bits"),
        ("1" + "0" * 100 + ".5", f"the number 1{'0' * 59}… does not fit 64 bits"),
        ("[" * 100_000, "it is nested more than 64 deep"),
        ("[" * 65 + "]" * 65, "it is nested more than 64 deep"),
        ('"\\ud800"', "'\\ud800' stands for half a character; write both halves, or the character"),
        ('{"\\uDC00x": 1}', "'\\udc00' stands for half a character; write both halves, or the character"),
        ("[" + "0," * 1_000_000 + "0]", "there are more than 1,048,576 bytes"),
        ("[" + "0," * 500_000 + "0]", "there are more than 1,000 values in it"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_is_no_json_for_everybody_is_refused(
    text: str | bytes, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_VALUES", 1_000)
    assert refused(text) == said


def test_what_comes_through_is_what_it_says() -> None:
    assert parsed("[" * 64 + "]" * 64)
    assert parsed(str(2**63 - 1)) == 2**63 - 1 and parsed(str(-(2**63))) == -(2**63)
    assert parsed('"\\ud83d\\ude00 \\\\ud800"') == "😀 \\ud800"
    assert parsed("1.5") == 1.5 and parsed("1e-999") == 0


@pytest.mark.parametrize("text", ["1.0", "10e-1", "1"])
def test_a_whole_number_is_an_integer_however_it_is_written(text: str) -> None:
    assert (parsed(text), type(parsed(text))) == (1, int)


def test_a_departure_from_the_schema_is_told_with_its_place() -> None:
    trace = {"trace": "a", "steps": [{"i": 1, "op": {"op": "hook", "uid": "web"}, "pods": {"a\nb": {"notify": []}}}]}
    assert (
        refused(json.dumps(trace), TRACE)
        == 'steps[0].pods["a\\nb"].notify is [], but has to be of type integer or null'
    )
    assert refused("[]", TRACE) == "it is [], but has to be of type object"


@pytest.mark.parametrize(
    ("schema", "document", "said"),
    [
        ({"const": "a"}, 1, 'it is 1, but has to be "a"'),
        ({"maximum": 3}, 4, "it is 4, but has to be 3 or less"),
        ({"maxItems": 1}, [1, 2], "it is [1, 2], but has to be of length 1 or less"),
        ({"maxLength": 1}, "ab", 'it is "ab", but has to be of length 1 or less'),
        ({"prefixItems": [{}], "items": False}, [1, 2], "[1] is 2, but nothing may stand there"),
        ({"anyOf": [{"type": "null"}]}, 1, 'it is 1, but has to be [{"type": "null"}]'),
        ({"anyOf": [{"type": "null"}], "description": "nothing"}, 1, "it is 1, but has to be nothing"),
    ],
)
def test_every_demand_can_be_told(schema: Any, document: Any, said: str) -> None:
    assert refused(json.dumps(document), Format(lambda: json.dumps(schema), "mend it", 1_000)) == said


@pytest.mark.parametrize("form", PUBLISHED.values())
def test_a_schema_is_one(form: Format) -> None:
    assert jsonschema_rs.meta.is_valid(json.loads(form.schema()))


# -- files -------------------------------------------------------------------------------------------------------------

PACKED = gzip.compress(LIFECYCLES.read_bytes(), mtime=0)


def test_a_packed_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    packed = tmp_path / "lifecycles.jsonl.gz"
    packed.write_bytes(PACKED)
    traces = [trace for _, trace in TRACE.read_lines(packed)]
    assert traces == [trace for _, trace in TRACE.read_lines(LIFECYCLES)]
    packed.write_bytes(gzip.compress(b"\n") + PACKED + bytes(512))
    assert [trace for _, trace in TRACE.read_lines(packed)] == traces, "several members, and a tape's zeros"


@pytest.mark.parametrize(
    ("content", "number", "said"),
    [
        (PACKED[:-5], 19, "Compressed file ended before the end-of-stream marker was reached"),
        (PACKED[:100], 1, "Compressed file ended before the end-of-stream marker was reached"),
        (PACKED[:-8] + bytes(8), 19, "CRC check failed"),
        (PACKED[:60] + b"\xff" * 20 + PACKED[80:], 1, "Error -3 while decompressing data"),
        (PACKED + b"garbage", 19, "Not a gzipped file"),
        (b"{}\n", 1, "Not a gzipped file"),
        (PACKED[:3] + b"\xff" + PACKED[4:], 1, "end-of-stream marker|Error -3"),
    ],
)
def test_a_damaged_packed_file_is_told(content: bytes, number: int, said: str, tmp_path: Path) -> None:
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(content)
    with pytest.raises(CheckerError, match=rf"t\.jsonl\.gz:{number}: the file cannot be read \(.*({said})"):
        list(TRACE.read_lines(packed))
    result = run("conform", str(packed))
    assert result.exit_code == 2 and "docs/traces.md has the format" in result.stderr


def test_a_file_of_lines_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "t.jsonl.gz"

    def said(content: bytes) -> str:
        packed.write_bytes(gzip.compress(content))
        with pytest.raises(CheckerError) as error:
            list(ANYTHING.read_lines(packed))
        return str(error.value).removeprefix(str(packed))

    assert said(b"[]\n" + b" " * (1 << 21)) == ":2: there are more than 1,048,576 bytes; write something else"
    monkeypatch.setattr(reading, "MOST_LINES", 10)
    assert said(b"\n" * 11).startswith(":11: the file cannot be read (more than 10 lines or ")
    monkeypatch.setattr(reading, "MOST_BYTES", 100)
    assert said(b" " * 60 + b"\n" + b" " * 60).startswith(":2: the file cannot be read (more than 10 lines or 100 b")
    monkeypatch.setattr(reading, "MOST_PACKED_BYTES", 10)
    assert said(b"\n").startswith(":1: the file cannot be read (more than 10 bytes packed)")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckerError, match=r"none.jsonl:1: the file cannot be read \(No such file or directory\); g"):
        list(TRACE.read_lines(tmp_path / "none.jsonl"))
    with pytest.raises(CheckerError, match=r":1: the file cannot be read \(Is a directory\)"):
        list(TRACE.read_lines(tmp_path))
    with pytest.raises(CheckerError, match=r"here: it cannot be read \(Is a directory\); write something else"):
        ANYTHING.read(tmp_path, "here")


def test_no_more_of_a_file_is_read_than_is_allowed() -> None:
    with pytest.raises(OSError, match="more than 1,000 bytes"):
        content_of(Path("/dev/zero"), 1_000)


def test_lines_that_are_blank_are_no_documents(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n \t\r\n[]\r\n\n{}")
    assert list(ANYTHING.read_lines(path)) == [(f"{path}:3", []), (f"{path}:5", {})]


# -- what was found ----------------------------------------------------------------------------------------------------


def test_a_document_of_another_command_has_no_traces() -> None:
    text = run("conform", str(LIFECYCLES), "-o", "json").stdout
    with pytest.raises(CheckerError, match="`podproof conform` wrote it, which finds no traces of claims"):
        open_trace(text, "conform.json")


def test_the_schemas_are_printed() -> None:
    for name, form in PUBLISHED.items():
        result = run("explain", "schema", name)
        assert (result.exit_code, result.stdout) == (0, form.schema())
    assert jsonschema_rs.is_valid(json.loads(run("explain", "schema", "trace").stdout), TRACES["grace-of-zero-v1.29"])
