"""A document of the schema podproof/1 as JSON. Within podproof/1 fields are added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from podproof.checker.core.answer import AnswerPart, definitions, encoded
from podproof.checker.core.printer import encode_unseen


def document(kind: str, tool: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """What a command found out, with what every document begins with. `tool` says what made it: name, version."""
    return {"schemaVersion": "podproof/1", "kind": kind, "tool": dict(tool), **content}


def json_text(data: Any) -> str:
    """Any data as indented JSON, ending with a newline, with JSON's own codes for what could be obeyed."""
    lines = json.dumps(data, indent=2, ensure_ascii=False).split("\n")
    return "".join(f"{encode_unseen(line, _code)}\n" for line in lines)


def _code(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if letter <= "\uffff" else json.dumps(letter).strip('"')


def answer_data(answer: AnswerPart) -> dict[str, Any]:
    """An answer as data of the schema."""
    content = encoded(answer)
    return document(content.pop("kind"), tool(), content)


def answers() -> Sequence[type[AnswerPart]]:
    """The answers that are declared as records; of other kinds the file of the schema says what they are."""
    from podproof.reports.content import adequacy, conform, listing, pods, verdicts

    return adequacy.AdequacyAnswer, conform.Replay, listing.Listing, pods.PodsAnswer, verdicts.Verdicts


def schema_text() -> str:
    """The published JSON Schema podproof/1, ending with a newline."""
    schema = json.loads(files(__package__).joinpath("podproof-1.schema.json").read_text(encoding="utf-8"))
    declared = definitions(answers())
    for answer in answers():
        name = answer.__name__[0].lower() + answer.__name__[1:]
        kind = declared[name]["properties"].pop("kind")
        declared[name]["required"].remove("kind")
        then = {"$ref": f"#/$defs/{name}"}
        schema["allOf"].append({"if": {"properties": {"kind": kind}}, "then": then})
    schema["$defs"] |= declared
    return json_text(schema)


def tool() -> dict[str, str]:
    """What made a result."""
    from importlib.metadata import version as installed_version  # It loads zipfile and email.

    return {"name": "podproof", "version": installed_version("podproof")}
