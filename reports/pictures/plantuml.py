"""What every PlantUML diagram has to mind: any text as text, a title and the caption below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podproof.checker.core.printer import visible

_SYNTAX = frozenset("<>&\\\"*/_~-=|#%'`{}[]!$^")
"""What PlantUML takes for syntax, markup or a directive somewhere; written as a code it is a character."""


def escape(text: str) -> str:
    """Any text inside a PlantUML label, on one line."""
    plain = " ".join(visible(str(text)).split())
    return "".join(f"<U+{ord(letter):04X}>" if letter in _SYNTAX else letter for letter in plain)


def label(lines: Iterable[str]) -> str:
    """Lines of text as one label."""
    return "\\n".join(map(escape, lines)) or " "


def document(caption: Sequence[str], body: Iterable[str]) -> str:
    """A whole diagram: the caption's first line is the title, and all of it stands below as well."""
    head = [f"title {escape(caption[0])}", *("legend left", *map(escape, caption), "endlegend")] if caption else []
    return "\n".join(["@startuml", *head, "skinparam shadowing false", *body, "@enduml"]) + "\n"
