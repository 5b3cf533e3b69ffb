"""What every Mermaid diagram has to mind: any text as text, a title, and comments that can be read back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from podproof.checker.core.printer import visible

_SYNTAX = frozenset('#"<>&;:`%{}|\\$*~')
"""What some kind of Mermaid diagram takes for syntax, markup or Markdown; written as a code it is a character."""


def escape(text: str) -> str:
    """Any text inside a Mermaid label, on one line."""
    plain = " ".join(visible(str(text)).split())
    coded = "".join(f"#{ord(letter)};" if letter in _SYNTAX else letter for letter in plain)
    # An underscore inside a word is one; at a word's end it would begin or end emphasis.
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", "#95;", coded)


def title(caption: Sequence[str], settings: Mapping[str, Any] | None = None) -> list[str]:
    """The front matter that gives a diagram its title, the caption's first line, and Mermaid's own settings."""
    lines = [f"title: {_yaml(visible(caption[0]))}"] if caption else []
    lines += [f"config: {_yaml(settings)}"] if settings else []
    return ["---", *lines, "---"] if lines else []


def _yaml(value: Any) -> str:
    """A value as JSON, which is YAML on one line."""
    return json.dumps(value, ensure_ascii=False)


def comments(caption: Sequence[str]) -> list[str]:
    """The caption as comments. Mermaid obeys a directive even inside a comment, so `%` and `#` are written as codes."""
    return [f"    %% {visible(line).replace('#', '#35;').replace('%', '#37;')}" for line in caption]


def comment_text(line: str) -> str | None:
    """What a line says that `comments` wrote; None for another line."""
    found = re.match(r"\s*%% (.*)$", line)
    return None if found is None else found[1].replace("#37;", "%").replace("#35;", "#")
