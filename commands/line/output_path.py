"""A file that a command writes, named on the command line; `-` stands for standard output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

STDOUT = "-"
"""As a path: standard output. A file of that name is `./-`."""


class OutputPath(click.Path):
    """A file, and None for standard output, as without the option."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if value == STDOUT else super().convert(value, param, ctx)
