"""The configuration file: podproof.toml, or pyproject.toml with a table [tool.podproof]; finding and reading it."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from podproof.checker.reading import content_of

KNOWN = "known"
"""The table that sets no options."""
NAMES = ("podproof.toml", "pyproject.toml")
MOST_BYTES = 1 << 20
MOST_DOTS = 500
"""In one line: the time and the memory for a key of so many parts grow with their square."""


@dataclass(frozen=True)
class Configuration:
    """What a file says; without a file, nothing."""

    path: Path | None = None
    common: Mapping[str, Any] = field(default_factory=dict)
    """The options for all commands, by long name without dashes."""
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    known: Any = None
    """The table of violations that are accepted; None for none."""
    table: str = ""
    """What stands before the name of a table: `tool.podproof.` in pyproject.toml."""

    def place(self, command: str, name: str) -> str:
        """Where an option is set, for an error: file, table and key."""
        table = f"[{self.table}{command}] " if name in self.commands.get(command, {}) else ""
        return f"{name_of(self.path)}: {table}{name}"


def nearest(folder: Path) -> Configuration:
    """The configuration in this folder or the nearest one above it; no further up than a folder with a `.git`.

    In one folder podproof.toml counts before pyproject.toml, which counts if it has a table [tool.podproof].
    Raises click.UsageError for a file that cannot be read, or that a stranger may have put there.
    """
    for place in (folder, *folder.parents):
        for name in NAMES:
            # Unlike Path.is_file, this is False in a folder that may not be looked into.
            if os.path.isfile(place / name) and (found := read(place / name)) is not None:
                if _may_be_planted(place / name):
                    raise click.UsageError(
                        f"{place / name}: it belongs to another user, in a folder where everybody may write, and "
                        f"could run programs; --config {os.devnull} leaves it out, --config {place / name} reads it"
                    )
                return found
        if os.path.exists(place / ".git"):
            break
    return Configuration()


def _may_be_planted(path: Path) -> bool:
    """Is it of neither this user nor root, where everybody may write, as in the folder for temporary files?"""
    if not hasattr(os, "getuid"):
        return False
    return os.stat(path).st_uid not in (0, os.getuid()) and bool(os.stat(path.parent).st_mode & stat.S_IWOTH)


def read(path: Path, required: bool = False) -> Configuration | None:
    """What a file says; None for a pyproject.toml that says nothing about podproof, unless that is an error."""
    try:
        document = _parse(content_of(path, MOST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise click.UsageError(f"--config {path}: there is no such file; give the path of a TOML file") from error
    except OSError as error:
        raise click.UsageError(
            f"{name_of(path)}: it cannot be read ({error.strerror}); --config {os.devnull} skips it"
        ) from error
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{name_of(path)}: this is no text in UTF-8 ({error.reason}); save it as UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:  # ValueError: a number with too many digits, and what is no TOML
        raise click.UsageError(
            f"{name_of(path)}: this is no TOML: {error}; mend it, or give --config {os.devnull}"
        ) from error
    table = ""
    if path.name == "pyproject.toml":
        tool = document.get("tool", {})
        if not isinstance(tool, dict) or "podproof" not in tool:
            if required:
                raise click.UsageError(
                    f"--config {path}: it has no table [tool.podproof]; add one, or name another file"
                )
            return None
        document, table = tool["podproof"], "tool.podproof."
        if not isinstance(document, dict):
            raise click.UsageError(f"{name_of(path)}: tool.podproof is a value; write a table: [tool.podproof]")
    known = document.pop(KNOWN, None)
    commands = {key: value for key, value in document.items() if isinstance(value, dict)}
    common = {key: value for key, value in document.items() if key not in commands}
    return Configuration(path.absolute(), common, commands, known, table)


def _parse(text: str) -> dict[str, Any]:
    """The document. Raises ValueError where it is none, and RecursionError for one that is nested too deeply."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise ValueError(f"more than {MOST_DOTS} dots (at line {number})")
    return tomllib.loads(text)


def name_of(path: Path | None) -> str:
    """A path as seen from the working directory, where it is below or not far above that."""
    if path is None:
        return "no configuration"
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.path.join("..", "..", "..")) else relative
