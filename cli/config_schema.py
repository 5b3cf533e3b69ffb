"""The JSON Schema of podproof.toml, from the options by which the file is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from podproof.checker.core.answer import DRAFT
from podproof.cli.config import EXCLUSIVE, MOST, ConfiguredCommand, Kind, configurable, kind_of
from podproof.cli.config_file import KNOWN
from podproof.reports.render.json import json_text

CONFIGURATION = "podproof.toml"
"""The name of the schema."""
Schema = Mapping[str, Any]
_TEXT: Schema = {"$ref": "#/$defs/text"}
_REASON: Schema = {"$ref": "#/$defs/reason"}
_DEFINITIONS: Schema = {
    "text": {"type": "string", "pattern": r"^[^\u0000]*$"},
    "reason": {"description": "Why the violation is accepted.", "$ref": "#/$defs/text", "not": {"pattern": r"^\s*$"}},
}
_KNOWN: Schema = {
    "description": "Violations that are accepted, each with the reason: of a claim, or of a claim in a scenario.",
    "type": "object",
    "additionalProperties": {
        "anyOf": [_REASON, {"type": "object", "minProperties": 1, "additionalProperties": _REASON}],
    },
}


def configuration_schema(ctx: click.Context) -> str:
    """The schema, as JSON. The context is that of a command of podproof."""
    commands = {command.name or "": configurable(command) for command in _commands(ctx)}
    every: dict[str, list[click.Option]] = {}
    for options in commands.values():
        for name, option in options.items():
            every.setdefault(name, []).append(option)
    document = {
        "$schema": DRAFT,
        "$id": "urn:podproof:configuration",
        "title": "podproof.toml",
        "type": "object",
        "description": "Options of podproof's commands: for all that have one, or in a table of one command.",
        **_table({name: _of_any(options) for name, options in every.items()}),
        "$defs": _DEFINITIONS,
    }
    tables = {name: {"type": "object", **_table(dict(_each(options)))} for name, options in commands.items()}
    document["properties"] |= {**tables, KNOWN: _KNOWN}
    return json_text(document)


def _commands(ctx: click.Context) -> Iterator[ConfiguredCommand]:
    parent = ctx.parent
    assert parent is not None and isinstance(parent.command, click.Group)
    for name in parent.command.list_commands(parent):
        if isinstance(command := parent.command.get_command(parent, name), ConfiguredCommand):
            yield command


def _table(properties: Mapping[str, Schema]) -> dict[str, Any]:
    """What may stand in a table."""
    exclusive = {} if not properties.keys() >= EXCLUSIVE else {"not": {"required": sorted(EXCLUSIVE)}}
    return {"properties": dict(sorted(properties.items())), "additionalProperties": False, **exclusive}


def _each(options: Mapping[str, click.Option]) -> Iterator[tuple[str, Schema]]:
    for name, option in options.items():
        told = {"description": option.help} if option.help else {}
        yield name, {**told, **_value(option)}


def _of_any(options: Iterable[click.Option]) -> Schema:
    """What may be given an option of several commands: what one of them takes."""
    values = {json.dumps(value): value for value in map(_value, options)}
    return {"anyOf": [*values.values()]} if len(values) > 1 else next(iter(values.values()))


def _value(option: click.Option) -> Schema:
    kind, text = kind_of(option), dict(_TEXT)
    if isinstance(option.type, click.Choice) and option.type.case_sensitive:
        text = {"enum": list(option.type.choices)}
    match kind:
        case Kind.FLAG:
            return {"type": "boolean"}
        case Kind.NUMBER:
            low, high = -MOST, MOST
            if isinstance(option.type, click.IntRange):
                low = low if option.type.min is None else int(option.type.min) + option.type.min_open
                high = high if option.type.max is None else int(option.type.max) - option.type.max_open
            return {"type": "integer", "minimum": low, "maximum": high}
        case Kind.TEXTS:
            return {"anyOf": [text, {"type": "array", "items": text}]}
        case Kind.TEXT:
            return text
