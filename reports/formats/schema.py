"""The published JSON Schema podproof/1: a file of this package."""

from __future__ import annotations

from importlib.resources import files


def schema_text() -> str:
    """The schema as JSON, ending with a newline."""
    return files(__package__).joinpath("podproof-1.schema.json").read_text(encoding="utf-8")
