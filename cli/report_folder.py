"""`--report-dir`: the folder of an HTML report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from podproof.checker.core.system import Exploration
from podproof.cli.errors import make_folder
from podproof.cli.findings import ReportContext
from podproof.cli.output_path import OutputFolder

REPORT_DIR = "--report-dir"
report_dir_option = click.option(REPORT_DIR, type=OutputFolder(), help="Write an HTML report into this folder.")


@dataclass(frozen=True)
class ReportFolder:
    """Where the report goes, if one was asked for."""

    path: Path | None

    def make(self) -> None:
        """Make the folder, before any work whose result could be lost. Raises CheckerError."""
        if self.path is not None:
            make_folder(self.path, REPORT_DIR)

    def write(self, explorations: Sequence[Exploration], context: ReportContext) -> None:
        """Write the report into it."""
        if self.path is not None:
            from podproof.cli.report_page import write_report  # Jinja2 takes a while to load.

            write_report(self.path, explorations, context)
