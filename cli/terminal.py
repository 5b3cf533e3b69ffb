"""What all commands share: -q, -v and --color, help that begins with examples, and how a report is to look.

A command is made with `@terminal.command(examples=[...])` in place of `@click.command()`. It takes no argument for the
three options: `style()` and `detail()` say what was asked for.
"""

from __future__ import annotations

import inspect
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from podproof.cli import config, names
from podproof.cli.errors import reported
from podproof.cli.streams import say
from podproof.reports.layout import Detail, Style

Example = tuple[str, str]
"""A command line, and what it is for."""

PLAIN_WIDTH = 120
"""The width of what no terminal shows, so that the same input gives the same bytes everywhere."""
NARROWEST, WIDEST = 72, 160
"""A report is unreadable in fewer columns, and no easier to read in more."""
SETTINGS = "podproof.terminal"


@dataclass(frozen=True)
class Settings:
    """What the command line asked for."""

    color: bool
    detail: Detail


def style() -> Style:
    """How to write a report to standard output, as the command that is running was asked to."""
    width = PLAIN_WIDTH
    if sys.stdout.isatty():
        width = min(WIDEST, max(NARROWEST, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns))
    settings = _settings()
    return Style(width, settings.color, settings.detail)


def takes_links() -> bool:
    """May what goes to standard output have hyperlinks? Where a terminal shows it, and it may have colour."""
    return sys.stdout.isatty() and _settings().color


def detail() -> Detail:
    """How much to say."""
    return _settings().detail


def _settings() -> Settings:
    context = click.get_current_context(silent=True)
    found = None if context is None else context.meta.get(SETTINGS)
    return found if isinstance(found, Settings) else Settings(wants_color("auto"), Detail.NORMAL)


def wants_color(when: str) -> bool:
    """Is standard output to be coloured? `when` is always, never or auto.

    NO_COLOR (no-color.org), FORCE_COLOR (force-color.org) and CLICOLOR_FORCE (bixense.com/clicolors) count for auto
    only, and where they contradict each other, NO_COLOR does. An empty variable is as good as none.
    """
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def temporary_folder() -> Path:
    """A folder that is gone when the command ends."""
    return Path(click.get_current_context().with_resource(tempfile.TemporaryDirectory()))


def note(text: str) -> None:
    """Say something about the run, which is no result: on standard error, unless it is to be quiet."""
    if detail() is not Detail.QUIET:
        say(text)


class Command(config.ConfiguredCommand):
    """A command with examples, and with the options of every command."""

    def __init__(self, *args: Any, examples: Sequence[Example] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names.complete(self.params)
        self.examples = tuple(examples)
        self.own = len(self.params)
        """How many of `params` are the command's own."""
        self.params += [
            click.Option(["-q", "--quiet"], is_flag=True, help="Only what needs attention; no progress."),
            click.Option(["-v", "--verbose"], is_flag=True, help="Everything, with details."),
            click.Option(
                ["--color"],
                type=click.Choice(["auto", "always", "never"]),
                default="auto",
                show_default=True,
                help="auto: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise.",
            ),
            config.option(),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options of every command out, and keep them where `style` finds them."""
        rest = super().parse_args(ctx, args)
        quiet, verbose = bool(ctx.params.pop("quiet", False)), bool(ctx.params.pop("verbose", False))
        if quiet and verbose:
            sources = [ctx.get_parameter_source(name) for name in ("quiet", "verbose")]
            if sources[0] is sources[1] and not ctx.resilient_parsing:
                raise click.UsageError("-q and -v: one asks for less and the other for more; give one", ctx)
            # What is on the command line overrides a configuration.
            quiet = sources[0] is ParameterSource.COMMANDLINE
        color = wants_color(ctx.params.pop("color", None) or "auto")
        ctx.meta[SETTINGS] = Settings(color, Detail.QUIET if quiet else Detail.FULL if verbose else Detail.NORMAL)
        ctx.color = color
        return rest

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first paragraph, the examples, and then the rest."""
        first, _, rest = inspect.cleandoc(self.help or "").partition("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(first)
        if self.examples:
            with formatter.section("Examples"):
                for line in _examples(self.examples):
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
        if rest:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(rest)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, and apart from them those that every command has."""
        params = self.get_params(ctx)
        for title, group in (("Options", params[: self.own]), ("Options of every command", params[self.own :])):
            records = [p.get_help_record(ctx) for p in group if isinstance(p, click.Option)]
            rows = [record for record in records if record is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def command(name: str | None = None, *, examples: Sequence[Example]) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command, whose errors are reported; in place of `click.command`."""
    return lambda function: click.command(name, cls=Command, examples=examples)(reported(function))


MOST_BESIDE = 60
"""A longer command line has its comment in a line above it."""


def _examples(examples: Sequence[Example]) -> Iterator[str]:
    """Commands that can be pasted, each with a comment beside or above it."""
    width = max((len(line) for line, _ in examples if len(line) <= MOST_BESIDE), default=0)
    for line, what in examples:
        if len(line) <= MOST_BESIDE:
            yield f"{line:<{width}}  # {what}"
        else:
            yield f"# {what}"
            yield line
