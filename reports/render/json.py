"""A document of the schema podproof/1 as JSON. Within podproof/1 fields are added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

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


def schema_text() -> str:
    """The published JSON Schema podproof/1, ending with a newline."""
    return files(__package__).joinpath("podproof-1.schema.json").read_text(encoding="utf-8")


def tool() -> dict[str, str]:
    """What made a result."""
    from importlib.metadata import version as installed_version  # It loads zipfile and email.

    return {"name": "podproof", "version": installed_version("podproof")}
