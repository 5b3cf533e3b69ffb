"""`podproof diff`: what a change does to the lifecycle."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from click.core import ParameterSource

from podproof.checker.difference.result import Comparison, Decision
from podproof.checker.system import CheckerError, Limits
from podproof.commands.build import scenarios_of
from podproof.commands.comparing import FIELDS, compare_versions, notes_of, subjects_of
from podproof.commands.errors import reported
from podproof.commands.long_run import duration
from podproof.reports.difference.content import Origin, page_of
from podproof.reports.difference.html import html_page, picture_svg
from podproof.reports.difference.machine import diff_json
from podproof.reports.difference.markdown import markdown_page
from podproof.reports.difference.text import text_page
from podproof.reports.layout import Style

SAME, DIFFERENT, UNDECIDED = 0, 1, 4


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--scenario", "scenarios", multiple=True, help="A scenario, or `all`; may be repeated.")
@click.option("--by", "fields", default=",".join(FIELDS), show_default=True, help="Fields that both have, by commas.")
@click.option("-o", "--output", "form", type=click.Choice(["text", "json", "markdown", "html", "svg"]), default="text")
@click.option("--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output.")
@click.option("--max-states", type=click.IntRange(min=1), help="Stop a search at this many states, undecided.")
@click.option("--budget", callback=duration, help="Stop a search after this time (60s, 5m), undecided.")
@reported
def diff(
    a: str,
    b: str,
    scenarios: tuple[str, ...],
    fields: str,
    form: str,
    output_file: Path | None,
    max_states: int | None,
    budget: float | None,
) -> int:
    """Say what changes from A to B: each a version, or a file with a class that overrides one.

    Claims gained and lost, methods and steps that differ, and what only one of them can show; or that they are
    equivalent, which is decided and not sampled. Exit code 0 when nothing differs, 1 when something does, 4 undecided.
    """
    subjects = subjects_of(a, b)
    chosen = scenarios_of(scenarios)
    asked = click.get_current_context().get_parameter_source("fields") is not ParameterSource.DEFAULT
    by = [name.strip() for name in fields.split(",") if name.strip()]
    found = compare_versions(subjects, chosen, by, asked, Limits(max_states, None, budget))
    options = [*(f"--scenario {name}" for name in scenarios), *([f"--by {fields}"] if asked else [])]
    origin = Origin(" ".join(["podproof diff", a, b, *options]), notes_of(subjects))
    text = FORMATS[form](found, origin)
    if output_file is None:
        click.echo(text, nl=False)
    else:
        try:
            output_file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CheckerError(f"--output-file {output_file}: it cannot be written ({error.strerror})") from error
    if found.decision is Decision.UNDECIDED:
        return UNDECIDED
    return DIFFERENT if found.decision is Decision.DIFFERENT else SAME


def _text(found: Comparison, origin: Origin) -> str:
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return text_page(page_of(found, origin), Style(color=color))


FORMATS: Mapping[str, Callable[[Comparison, Origin], str]] = {
    "text": _text,
    "json": diff_json,
    "markdown": lambda found, origin: markdown_page(page_of(found, origin)),
    "html": lambda found, origin: html_page(page_of(found, origin)),
    "svg": lambda found, origin: picture_svg(page_of(found, origin)),
}
