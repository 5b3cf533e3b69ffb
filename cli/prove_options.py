"""How claims are proved, and whether it is asked about more pods instead."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from podproof.cli.errors import make_folder
from podproof.cli.options import Decorator, duration, shared_options
from podproof.cli.report_folder import ReportFolder, report_dir_option


@dataclass(frozen=True)
class PodsBeside:
    """The pods beside those of a scenario, if it is asked about these."""

    are_asked_about: bool
    beside: tuple[str, ...]


def _pods_beside(pods: bool, beside: tuple[str, ...]) -> PodsBeside:
    if beside and not pods:
        raise click.UsageError("--beside says which other pods there are; add --pods")
    return PodsBeside(pods, beside)


pods_options: Decorator = shared_options(
    "pods",
    (
        click.option(
            "--pods", is_flag=True, help="Say instead which claims carry over to any number of pods like these."
        ),
        click.option(
            "--beside",
            multiple=True,
            help="With --pods: this scenario beside it. Default: itself. May be repeated.",
        ),
    ),
    _pods_beside,
)
"""As one argument, `pods`."""


@dataclass(frozen=True)
class Proving:
    """What a proof may take, and what it leaves besides its answer."""

    timeout: float
    """Seconds for each claim."""
    smt2: Path | None
    recheck: bool
    report: ReportFolder
    show_invariant: bool
    bounded: bool

    def make_folders(self) -> None:
        """Make those that are named, before any work whose result could be lost. Raises CheckerError."""
        if self.smt2 is not None:
            make_folder(self.smt2, "--smt2")
        self.report.make()


def _proving(
    timeout: float, smt2: Path | None, recheck: bool, report_dir: Path | None, show_invariant: bool, bounded: bool
) -> Proving:
    return Proving(timeout, smt2, recheck, ReportFolder(report_dir), show_invariant, bounded)


proving_options: Decorator = shared_options(
    "proving",
    (
        click.option(
            "--timeout", default="60s", show_default=True, callback=duration, help="For each claim (30s, 5m)."
        ),
        click.option(
            "--smt2",
            type=click.Path(file_okay=False, path_type=Path),
            help="Write each proof's three checks here.",
        ),
        click.option(
            "--recheck", is_flag=True, help="Nothing is PROVED unless a second solver agrees (Yices or cvc5)."
        ),
        report_dir_option,
        click.option(
            "--show-invariant", is_flag=True, help="Show each proof's invariant, without needless parts (slow)."
        ),
        click.option(
            "--bounded", is_flag=True, help="For as many events as the scenario has, and not for any number of them."
        ),
    ),
    _proving,
)
"""As one argument, `proving`."""
