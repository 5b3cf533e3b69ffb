"""Every JSON document of the command line follows the published schema, and the schema leaves nothing undescribed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from tests.command_line import run_v1_29 as run
from tests.format_runs import NEVER, RUNS, written

from podproof.reports.render.json import schema_text

SCHEMA: dict[str, Any] = json.loads(schema_text())


def strict(schema: Any) -> Any:
    """The schema with nothing allowed that it does not describe, which a reader must not demand but a test may."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(value) for key, value in schema.items()}
    if found.get("type") == "object" and "properties" in found:
        found["unevaluatedProperties"] = False
    return found


def whole() -> Any:
    """As `strict`; the parts for one command add to the properties that all documents have, so the whole is strict."""
    found = strict(SCHEMA)
    for name in ("verdicts", "reviewAnswer", "replay", "podsAnswer", "adequacyAnswer", "listing", "logAnswer"):
        del found["$defs"][name]["unevaluatedProperties"]
    return found


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from objects(part)


def test_the_schema_is_a_schema_and_describes_what_it_names() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    used = {o["$ref"].removeprefix("#/$defs/") for o in objects(SCHEMA) if isinstance(o.get("$ref"), str)}
    assert used == set(SCHEMA["$defs"])


def test_the_command_line_prints_the_schema() -> None:
    result = run("explain", "schema")
    assert result.exit_code == 0 and json.loads(result.stdout) == SCHEMA


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_every_document_follows_the_schema(name: str) -> None:
    document = json.loads(written(name)["json"])
    assert document["kind"] == RUNS[name][0][0]
    validate(document, SCHEMA)
    validate(document, whole())


@pytest.mark.slow
def test_the_document_of_pods_follows_it_too() -> None:
    result = run("prove", "--pods", "--scenario", "orphan", "--property", NEVER, "-o", "json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["kind"] == "pods" and document["results"][0]["carried"] == [NEVER]
    validate(document, whole())


@pytest.mark.parametrize("what", ["properties", "versions", "names"])
def test_lists_follow_it_and_have_the_names_of_the_text(what: str) -> None:
    document = json.loads(run("explain", what, "-o", "json").stdout)
    assert (document["kind"], document["listed"]) == ("list", what)
    assert [result["name"] for result in document["results"]] == run("explain", what, "-q").stdout.splitlines()
    validate(document, whole())


def validate(document: Any, schema: Any) -> None:
    """Raise the first error in words that say where it is."""
    for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
        pytest.fail(f"{error.json_path}: {error.message[:300]}")


def test_a_field_that_is_missing_renamed_or_of_another_kind_is_found() -> None:
    document = json.loads(written("violated")["json"])
    for key, value in (("states", None), ("states", "many"), ("trace", [{}])):
        broken = copy.deepcopy(document)
        owner = broken["results"][0] if key == "states" else broken["results"][0]["properties"][-1]
        if value is None:
            owner[f"{key}Renamed"] = owner.pop(key)
        else:
            owner[key] = value
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(broken), (key, value)
    document["results"][0]["moreThanToday"] = 1
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document), "fields may be added"
    assert not jsonschema.Draft202012Validator(whole()).is_valid(document)
