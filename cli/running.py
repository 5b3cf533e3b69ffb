"""How a check runs, and what it leaves besides its answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from podproof.cli.options import Decorator, ray_option, shared_options
from podproof.cli.report_folder import ReportFolder, report_dir_option
from podproof.cli.watching import WATCH


@dataclass(frozen=True)
class Running:
    """What these options say; --watch is for `watchable`."""

    report: ReportFolder
    stats: bool
    anew: bool
    """Is nothing taken that was found out before?"""
    ray: str | None


def _running(report_dir: Path | None, stats: bool, no_cache: bool, ray: str | None) -> Running:
    # What a run costs, and what it saves, only a run says; and its time is its own.
    return Running(ReportFolder(report_dir), stats, no_cache or stats, ray)


running_options: Decorator = shared_options(
    "running",
    (
        report_dir_option,
        click.option(
            "--stats", is_flag=True, help="Times, memory, and per action the steps taken and states first reached."
        ),
        click.option(WATCH, is_flag=True, help="Check again whenever the file of --model, --go or --claims is saved."),
        click.option(
            "--no-cache", is_flag=True, help="Explore again, even if nothing has changed since the last time."
        ),
        ray_option,
    ),
    _running,
)
"""As one argument, `running`."""
