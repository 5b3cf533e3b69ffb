"""Lines on standard output and standard error. Whole documents are written by what makes them."""

from __future__ import annotations

import re

import click

from podproof.reports.layout import text_of


def show(*texts: str) -> None:
    """Results. Each text is one line, whatever a file has put into it, but for lines below it that are indented."""
    _write(texts, err=False)


def say(*texts: str) -> None:
    """What is said beside the results: errors, notes and progress."""
    _write(texts, err=True)


def lines_of(text: str) -> list[str]:
    """The lines of an error: below the first one those that are indented. What else ends a line comes from a file."""
    return re.split(r"\n(?= {4})", text)


def _write(texts: tuple[str, ...], err: bool) -> None:
    click.echo(text_of(line for text in texts for line in lines_of(text)), nl=False, err=err)
