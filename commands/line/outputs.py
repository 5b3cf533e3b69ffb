"""Where results go and in which format: `-o` and `--output-file` of every command that has results."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from podproof.checker.core.system import CheckerError, NothingToShow
from podproof.checker.lowering.source import suggestion
from podproof.commands.line import terminal
from podproof.commands.line.output_path import STDOUT
from podproof.commands.line.streams import say
from podproof.reports.layout import Style

if TYPE_CHECKING:
    from podproof.reports.formats.finding import Report

R = TypeVar("R")
FROM_FINDINGS = ("junit", "sarif", "github")
FORMS = ("text", "json", *FROM_FINDINGS, "markdown")
ARTIFACTS, SUMMARY = "ARTIFACTS", "GITHUB_STEP_SUMMARY"
"""Variables by which Prow and GitHub say where things are."""
MOST_SUMMARY_BYTES = 1 << 20
"""GitHub shows no summary of a step that is longer."""


@dataclass(frozen=True)
class Writers:
    """How a command writes its results. `report` is for the formats that are made of findings, if it has them."""

    text: Callable[[Style], str]
    json: Callable[[], str]
    report: Callable[[], Report] | None = None
    markdown: Callable[[int], str] | None = None
    """The command's own page, in so many characters; None for the one that is made of findings."""
    more: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """Formats that only this command has."""

    def write(self, form: str, style: Style) -> str:
        match form:
            case "text":
                return self.text(style)
            case "json":
                return self.json()
            case "markdown":
                from podproof.reports.difference.markdown import MOST_LETTERS

                return self.page(MOST_LETTERS)
        if form in FROM_FINDINGS and self.report is not None:
            return _from_findings(form, self.report())
        return self.more[form]()

    def page(self, most: int) -> str:
        """The Markdown page in fewer than `most` characters."""
        if self.markdown is not None:
            return self.markdown(most)
        assert self.report is not None, "a command with pages has findings"
        from podproof.reports.formats.page import report_markdown

        return report_markdown(self.report(), most)


def _from_findings(form: str, report: Report) -> str:
    """The report in one of these formats. What writes a format is loaded when it is asked for."""
    match form:
        case "junit":
            from podproof.reports.formats.junit import junit_xml as written
        case "sarif":
            from podproof.reports.formats.sarif import sarif_json as written
        case "github":
            from podproof.reports.formats.github import workflow_commands as written
        case _:
            raise ValueError(f"{form} is not made of findings")
    return written(report)


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

    def write(self, writers: Writers) -> None:
        """Write everything, standard output last. Raises CheckerError for a file that cannot be written."""
        writers = _once(writers)
        for form, path in self._all_files():
            try:
                text = writers.write(form, Style(detail=terminal.detail()))
            except NothingToShow as nothing:
                if path == self.main:
                    raise
                terminal.note(f"not written: {path} ({nothing})")
                continue
            write_whole(path, text)
            terminal.note(f"wrote {path}")
        if self.summary is not None:
            _append_summary(self.summary, writers)
        if self.printed is not None:
            click.echo(writers.write(self.printed, terminal.style()), nl=False)

    def _all_files(self) -> Sequence[tuple[str, Path]]:
        found = list(self.files)
        if self.main is not None:
            found.insert(0, (self.form, self.main))
        if self.artifacts is not None:
            found.append(("junit", _unused(self.artifacts, f"junit_podproof_{self.command}")))
        return found


def _once(writers: Writers) -> Writers:
    """The same, with the findings made only once."""
    return replace(writers, report=None if writers.report is None else functools.cache(writers.report))


def _unused(folder: Path, name: str) -> Path:
    """`name.xml`, or with a number if a command of the same job has written that already: nothing is lost."""
    path, number = folder / f"{name}.xml", 1
    while path.exists():
        number += 1
        path = folder / f"{name}_{number}.xml"
    return path


def _append_summary(path: Path, writers: Writers) -> None:
    """Add the page to the summary of the step, as far as there is room: one that is too long is not shown at all."""
    room = MOST_SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0) - len("\n")
    most = room
    text = writers.page(most) if most > 0 else ""
    while len(text.encode()) > room and most > 0:
        most -= len(text.encode()) - room
        text = writers.page(most) if most > 0 else ""
    if most <= 0 or not text:
        say(f"{SUMMARY}: there is no room left in {path}; nothing was added")
        return
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise CheckerError(_unwritable(f"{SUMMARY} {path}", error)) from error


# -- options -------------------------------------------------------------------------------------------------------


def output_options(command: str, more: Sequence[str] = (), forms: Sequence[str] = FORMS) -> Callable[..., Any]:
    """Give a command these options as one argument, `outputs`. It stands below `@reported`, which tells the errors."""
    known = (*forms, *more)

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(function)
        def run(*args: Any, output: str, output_file: tuple[str, ...], **kwargs: Any) -> R:
            return function(*args, outputs=_outputs(command, output, output_file, known), **kwargs)

        run = click.option(
            "--output-file",
            multiple=True,
            metavar="[FORMAT=]PATH",
            help="Also write this format into a file; may be repeated. Without FORMAT: -o goes there. "
            "`-` is standard output.",
        )(run)
        return click.option(
            "-o", "--output", type=click.Choice(known), default="text", show_default=True, help="On standard output."
        )(run)

    return decorate


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
    twice = [path for i, path in enumerate(paths) if _is_plain(path) and path.resolve() in _resolve(paths[:i])]
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


def _resolve(paths: Sequence[Path]) -> list[Path]:
    return [path.resolve() for path in paths]


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


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises CheckerError. What is no plain file, like a pipe, is simply written."""
    # A file name may have bytes that are no letters; Python has signs for them that UTF-8 does not.
    content = text.encode("utf-8", "backslashreplace")
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
