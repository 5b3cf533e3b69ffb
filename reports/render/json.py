"""A document of the schema podproof/1 as JSON. Within podproof/1 fields are added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from podproof.checker.core.answer import DRAFT, AnswerPart, definitions, encoded
from podproof.checker.core.printer import encode_unseen


def json_text(data: Any) -> str:
    """Any data as indented JSON, ending with a newline, with JSON's own codes for what could be obeyed."""
    lines = json.dumps(data, indent=2, ensure_ascii=False).split("\n")
    return "".join(f"{encode_unseen(line, _code)}\n" for line in lines)


def _code(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if letter <= "\uffff" else json.dumps(letter).strip('"')


def answer_data(answer: AnswerPart) -> dict[str, Any]:
    """An answer as data of the schema, after what every document begins with."""
    content = encoded(answer)
    return {"schemaVersion": "podproof/1", "kind": content.pop("kind"), "tool": tool(), **content}


def answers() -> Sequence[type[AnswerPart]]:
    """What documents may be, each a `kind` or two."""
    from podproof.reports.content import adequacy, conform, listing, log, pods, verdicts
    from podproof.reports.content.review.answer import ReviewAnswer

    return (
        *(verdicts.Verdicts, ReviewAnswer, conform.Replay, pods.PodsAnswer),
        *(adequacy.AdequacyAnswer, listing.Listing, log.LogAnswer, log.LineAnswer),
    )


def schema_text() -> str:
    """The published JSON Schema podproof/1, ending with a newline."""
    parts, kinds, then = definitions(answers()), list[str](), list[dict[str, Any]]()
    for answer in answers():
        name = answer.__name__[0].lower() + answer.__name__[1:]
        kind = parts[name]["properties"].pop("kind")
        parts[name]["required"].remove("kind")
        kinds += kind["enum"]
        then.append({"if": {"properties": {"kind": kind}}, "then": {"$ref": f"#/$defs/{name}"}})
    schema = {
        "$schema": DRAFT,
        "$id": "urn:podproof:1",
        "title": "podproof/1",
        "description": "Everything that podproof writes with -o json. Fields may be added within podproof/1; none is "
        "renamed or removed, and none changes its meaning. A reader ignores what it does not know.",
        "type": "object",
        "properties": {
            "schemaVersion": {"const": "podproof/1"},
            "kind": {"enum": kinds, "description": "The command that wrote the document."},
            "tool": {"$ref": "#/$defs/tool"},
        },
        "required": ["schemaVersion", "kind", "tool"],
        "allOf": then,
        "$defs": {
            "tool": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "version": {"type": "string"}},
                "required": ["name"],
            },
            **parts,
        },
    }
    return json_text(schema)


def tool() -> dict[str, str]:
    """What made a result."""
    from importlib.metadata import version as installed_version  # It loads zipfile and email.

    return {"name": "podproof", "version": installed_version("podproof")}
