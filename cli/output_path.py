"""A file or folder that a command writes, named on the command line; `-` stands for standard output."""

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


class OutputFolder(click.Path):
    """A folder, which need not be there yet. An empty name, as of a variable that is not set, is none."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the name is empty; name a folder, `.` for the one you are in", param, ctx)
        return super().convert(value, param, ctx)
