"""Where results go and in which format: `-o` and `--output-file` of every command that has results."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podproof.checker.core.system import CheckerError, NothingToShow
from podproof.checker.lowering.source import suggestion
from podproof.cli import terminal
from podproof.cli.options import Decorator, shared_options
from podproof.cli.output_path import STDOUT
from podproof.cli.streams import say
from podproof.reports.layout import Detail, Style

if TYPE_CHECKING:
    from podproof.reports.content.finding import Report
    from podproof.reports.document import Page, Part

FORMS = ("text", "json", "junit", "sarif", "github", "markdown")
ARTIFACTS, SUMMARY = "ARTIFACTS", "GITHUB_STEP_SUMMARY"
"""Variables by which Prow and GitHub say where things are."""
MOST_SUMMARY_BYTES = 1 << 20
"""GitHub shows no summary of a step that is longer."""


@dataclass(frozen=True)
class Content:
    """What a command found out, as all formats are rendered from. Nothing of it is made before it is asked for."""

    parts: Callable[[Detail], Iterable[Part]]
    data: Callable[[], Mapping[str, Any]]
    report: Callable[[], Report] | None = None
    """Its findings, where it has formats that are made of them."""
    page: Callable[[], Page] | None = None
    """None for the one that is made of findings."""
    html: Callable[[Page], str] | None = None
    """The page as HTML with more than it has as a page; None for the page alone."""

    def render(self, form: str, style: Style) -> str:
        """In one format. What renders it is loaded when it is asked for."""
        match form:
            case "text":
                from podproof.reports.render.text import render_text

                return render_text(self.parts(style.detail), style)
            case "json":
                from podproof.reports.render.json import json_text

                return json_text(self.data())
            case "markdown":
                return self.markdown()
            case "html":
                from podproof.reports.render.html import html_page

                return (self.html or html_page)(self._page())
            case "svg":
                from podproof.reports.render.html import picture_svg

                return picture_svg(self._page())
            case "junit":
                from podproof.reports.render.junit import junit_xml as rendered
            case "sarif":
                from podproof.reports.render.sarif import sarif_json as rendered
            case "github":
                from podproof.reports.render.github import workflow_commands as rendered
            case _:
                raise ValueError(f"there is no format {form}")
        return rendered(self._report())

    def markdown(self, most: int | None = None) -> str:
        """The page in fewer than `most` characters, or as many as a comment on GitHub may have."""
        from podproof.reports.render.markdown import MOST_LETTERS, markdown_page

        return markdown_page(self._page(), MOST_LETTERS if most is None else most)

    def _page(self) -> Page:
        from podproof.reports.content.page import report_page

        return report_page(self._report()) if self.page is None else self.page()

    def _report(self) -> Report:
        assert self.report is not None, "a command with these formats has findings"
        return self.report()


@dataclass(frozen=True)
class Outputs:
    """What was asked for, with every place looked at before the work begins."""

    command: str
    form: str
    main: Path | None
    """Where the main format goes; None for standard output."""
    printed: str | None
    """The format on standard output: the main one, or one that goes to `-` while the main one goes to a file."""
    files: tuple[tuple[str, Path], ...]
    artifacts: Path | None
    """Prow's folder for results."""
    summary: Path | None
    """The file that GitHub shows as the summary of a step."""

    def write(self, content: Content) -> None:
        """Write everything, standard output last. Raises CheckerError for a file that cannot be written."""
        content = _once(content)
        for form, path in self._all_files():
            try:
                text = content.render(form, Style(detail=terminal.detail()))
            except NothingToShow as nothing:
                if path == self.main:
                    raise
                terminal.note(f"not written: {path} ({nothing})")
                continue
            write_whole(path, text)
            terminal.note(f"wrote {path}")
        if self.summary is not None:
            _append_summary(self.summary, content)
        if self.printed is not None:
            click.echo(content.render(self.printed, terminal.style()), nl=False)

    def _all_files(self) -> Sequence[tuple[str, Path]]:
        found = list(self.files)
        if self.main is not None:
            found.insert(0, (self.form, self.main))
        if self.artifacts is not None:
            found.append(("junit", _unused(self.artifacts, f"junit_podproof_{self.command}")))
        return found


def _once(content: Content) -> Content:
    """The same, with the findings and the page made only once."""
    report = None if content.report is None else functools.cache(content.report)
    page = None if content.page is None else functools.cache(content.page)
    return replace(content, report=report, page=page)


def _unused(folder: Path, name: str) -> Path:
    """`name.xml`, or with a number if a command of the same job has written that already: nothing is lost."""
    path, number = folder / f"{name}.xml", 1
    while path.exists():
        number += 1
        path = folder / f"{name}_{number}.xml"
    return path


def _append_summary(path: Path, content: Content) -> None:
    """Add the page to the summary of the step, as far as there is room: one that is too long is not shown at all."""
    room = MOST_SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0) - len("\n")
    most = room
    text = content.markdown(most) if most > 0 else ""
    while len(text.encode()) > room and most > 0:
        most -= len(text.encode()) - room
        text = content.markdown(most) if most > 0 else ""
    if most <= 0 or not text:
        say(f"{SUMMARY}: there is no room left in {path}; nothing was added")
        return
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise CheckerError(_unwritable(f"{SUMMARY} {path}", error)) from error


# -- options -------------------------------------------------------------------------------------------------------


def output_options(command: str, more: Sequence[str] = (), forms: Sequence[str] = FORMS) -> Decorator:
    """Give a command these options as one argument, `outputs`."""
    known = (*forms, *more)
    options = (
        click.option(
            "-o", "--output", type=click.Choice(known), default="text", show_default=True, help="On standard output."
        ),
        click.option(
            "--output-file",
            multiple=True,
            metavar="[FORMAT=]PATH",
            help="Also write this format into a file; may be repeated. Without FORMAT: -o goes there. "
            "`-` is standard output.",
        ),
    )
    return shared_options("outputs", options, lambda output, output_file: _outputs(command, output, output_file, known))


def _outputs(command: str, form: str, given: Sequence[str], known: Sequence[str]) -> Outputs:
    """What was asked for. Raises CheckerError for what cannot be written, before any work that could be lost."""
    main: Path | None = None
    printed: list[str] = []
    files: list[tuple[str, Path]] = []
    for text in given:
        named, path = _parse(text, known)
        if path is None:
            printed.append(form if named is None else named)
        elif named is None and main is not None:
            raise CheckerError(
                f"--output-file {text}: -o {form} goes to {main} already; say which format this file is to have: "
                f"--output-file FORMAT={path}, one of {', '.join(known)}"
            )
        elif named is None:
            main = path
        else:
            files.append((named, path))
    if main is None and "-" not in given:
        printed.insert(0, form)
    printed = list(dict.fromkeys(printed))
    if len(printed) > 1:
        raise CheckerError(
            f"--output-file {printed[1]}=-: standard output has {printed[0]} already, and it takes one format; "
            f"write -o {printed[1]} --output-file {printed[0]}=PATH"
        )
    paths = [path for path in (main, *(path for _, path in files)) if path is not None]
    for path in paths:
        look_at(path, f"--output-file {path}")
    twice = [path for i, path in enumerate(paths) if _is_plain(path) and path.resolve() in map(Path.resolve, paths[:i])]
    if twice:
        raise CheckerError(
            f"--output-file {twice[0]}: it is named twice, and one would replace the other; name another"
        )
    environment = _environment([form, *printed, *(f for f, _ in files)], known)
    return Outputs(command, form, main, printed[0] if printed else None, tuple(files), *environment)


def _parse(text: str, known: Sequence[str]) -> tuple[str | None, Path | None]:
    """The format, None where none is named, and the path, None for `-`. A path with a `=` in it begins with `./`."""
    head, sign, rest = text.partition("=")
    if not sign or not re.fullmatch(r"\w+", head):
        head, rest = "", text
    elif head not in known:
        raise CheckerError(
            f"--output-file {text}: what stands before `=` is a format, and there is no format {head!r} here; "
            f"{suggestion(head, known)}; for a path that has a `=` in it write ./{text}"
        )
    if not rest:
        raise CheckerError(f"--output-file {text}: the path is missing; write FORMAT=PATH, as in {known[-1]}=result")
    return head or None, None if rest == STDOUT else Path(rest)


def _environment(forms: Sequence[str], known: Sequence[str]) -> tuple[Path | None, Path | None]:
    """The folder for JUnit files and the file for a summary, where the environment names them and they can be used."""
    artifacts = summary = None
    if "junit" in known and os.environ.get(ARTIFACTS):
        artifacts = Path(os.environ[ARTIFACTS])
        look_at(artifacts / "junit_podproof.xml", f"the environment's {ARTIFACTS}={artifacts}")
    if "github" in forms and os.environ.get(SUMMARY):
        summary = Path(os.environ[SUMMARY])
        look_at(summary, f"the environment's {SUMMARY}={summary}")
    return artifacts, summary


# -- files ---------------------------------------------------------------------------------------------------------


def look_at(path: Path, what: str) -> None:
    """Make sure that a file can be written, making its folder if need be. Raises CheckerError, which says `what`."""
    if path.is_dir():
        raise CheckerError(f"{what}: this is a folder; name a file")
    if not _is_plain(path):
        return
    part = _part(path)
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch(exist_ok=False)
        part.unlink()
    except FileExistsError as error:
        raise CheckerError(f"{what}: a part of this path is a file and no folder; name another") from error
    except OSError as error:
        raise CheckerError(_unwritable(what, error)) from error


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a file whole or not at all. Raises CheckerError. What is no plain file, like a pipe, is simply written."""
    # A file name may have bytes that are no letters; Python has signs for them that UTF-8 does not.
    content = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    try:
        if not _is_plain(path):
            path.write_bytes(content)
            return
        part = _part(path)
        try:
            part.write_bytes(content)
            if path.exists():
                part.chmod(path.stat().st_mode)
            part.replace(path.resolve())
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise CheckerError(_unwritable(str(path), error)) from error


def _part(path: Path) -> Path:
    """Where a file is written before it takes the place of the old one: beside what a link points to."""
    target = path.resolve()
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _is_plain(path: Path) -> bool:
    return path.is_file() or not path.exists()


def _unwritable(what: str, error: OSError) -> str:
    return f"{what}: it cannot be written ({error.strerror}); name a file in a folder that can be"
