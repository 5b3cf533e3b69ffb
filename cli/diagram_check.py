"""Are the diagrams in these files what their commands make today? Each says which command made it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from podproof.checker.core.system import CheckerError
from podproof.checker.reading import content_of
from podproof.cli.options import asked_version
from podproof.cli.streams import show
from podproof.reports.layout import number_of
from podproof.reports.render.forms import PROGRAM, Stamp, diagram_bytes, is_untouched, source_digest, stamp_of

FENCES: Mapping[str, str] = {"mermaid": "mermaid", "dot": "dot"}
"""The language of a fenced block in Markdown -> the format of what stands in it."""
MARKDOWN = (".md", ".markdown")
MOST_BYTES = 1 << 23
PICTURES = ("svg", "png")
_OPENING = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<language>\w+).*")


@dataclass(frozen=True)
class StampedDiagram:
    """A diagram in a file: where it stands, what it is, and what it says of itself."""

    path: Path
    line: int | None
    """Of a diagram in a page; None where it is the whole file."""
    span: tuple[int, int]
    """Where it begins and ends in the file's bytes."""
    content: bytes
    indent: str
    form: str
    stamp: Stamp

    @property
    def place(self) -> str:
        return str(self.path) if self.line is None else f"{self.path}:{self.line}"


def check_diagrams(files: Sequence[Path], write: bool) -> int:
    """Make every diagram in the files anew; with `write`, put it in place of one that differs. The exit code.

    A file without diagrams is named and skipped: whoever gives all pictures of a folder does not know which were drawn
    by this command. Raises CheckerError where no file has any, before anything is made.
    """
    if not files:
        raise CheckerError(
            "--check: no file is named; name the files with the diagrams: podproof diagram --check FILE…"
        )
    held = {path: diagrams_in(path) for path in dict.fromkeys(files)}
    found = [diagram for diagrams in held.values() for diagram in diagrams]
    skipped = [path for path, diagrams in held.items() if not diagrams]
    if not found:
        others = " and others" if len(skipped) > 1 else ""
        raise CheckerError(
            f"--check {skipped[0]}{others}: {_nothing_in(skipped[0])}, so there is no diagram to make anew; "
            f"draw it with `{PROGRAM}`, which writes its command into every diagram"
        )
    stale = [(diagram, new) for diagram in found if (new := renewed(diagram)) is not None]
    if write:
        replace_all(stale)
    for diagram, _ in stale:
        if write:
            show(f"renewed      {diagram.place}")
        else:
            show(f"out of date  {diagram.place}: renew it with\n    {_renewal(diagram)}")
    for path in skipped:
        show(f"skipped      {path}: {_nothing_in(path)}")
    current, files_with = len(found) - len(stale), len(held) - len(skipped)
    show(f"{current} of {len(found)} diagrams in {number_of(files_with, 'file')} are current" + _hint(stale, write))
    return 1 if stale and not write else 0


def _nothing_in(path: Path) -> str:
    what = "no fenced block" if path.suffix.lower() in MARKDOWN else "nothing"
    return f"{what} in it says `$ {PROGRAM} …`"


def _hint(stale: Sequence[tuple[StampedDiagram, bytes]], write: bool) -> str:
    if write or not stale:
        return f", {len(stale)} renewed" if stale else ""
    names = shlex.join(dict.fromkeys(str(diagram.path) for diagram, _ in stale))
    return f"; renew the others with\n    {PROGRAM} --check --write {names}"


def _renewal(diagram: StampedDiagram) -> str:
    """The command that makes one diagram; in a page it has to be put in its place."""
    command = diagram.stamp.command.removeprefix("$ ")
    return command if diagram.line is not None else f"{command} --output-file {shlex.quote(str(diagram.path))}"


def diagrams_in(path: Path) -> list[StampedDiagram]:
    """The diagrams of podproof in a file. Raises CheckerError where it cannot be read."""
    try:
        content = content_of(path, MOST_BYTES)
    except OSError as error:
        raise CheckerError(
            f"--check {path}: it cannot be read ({error.strerror}); name a file with diagrams"
        ) from error
    if path.suffix.lower() in MARKDOWN:
        return list(_in_page(path, content))
    stamp = stamp_of(content)
    return [] if stamp is None else [_whole(path, content, stamp)]


def _whole(path: Path, content: bytes, stamp: Stamp) -> StampedDiagram:
    return StampedDiagram(path, None, (0, len(content)), content, "", _form(stamp, str(path)), stamp)


def _in_page(path: Path, content: bytes) -> Iterator[StampedDiagram]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise CheckerError(f"--check {path}: it is no text in UTF-8 ({error}); mend the page first") from error
    for fence, line, start, end in _fences(text):
        if fence["language"].lower() not in FENCES:
            continue
        body = "".join(part.removeprefix(fence["indent"]) for part in text[start:end].splitlines(keepends=True))
        stamp = stamp_of(body.encode())
        if stamp is None:
            continue
        form, wanted = _form(stamp, f"{path}:{line}"), FENCES[fence["language"].lower()]
        if form != wanted:
            raise CheckerError(
                f"{path}:{line}: a block of {fence['language']} whose command has -o {form}; write -o {wanted}"
            )
        span = len(text[:start].encode()), len(text[:end].encode())
        yield StampedDiagram(path, line, span, body.encode(), fence["indent"], form, stamp)


def _fences(text: str) -> Iterator[tuple[re.Match[str], int, int, int]]:
    """The fenced blocks with a language: the opening line, its number, where the content begins and where it ends."""
    opening, opened, start, at = None, 0, 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        after = at + len(line) + 1
        if opening is None:
            opening, opened, start = _OPENING.fullmatch(line), number, after
        elif (mark := line.strip(" ")).startswith(opening["fence"]) and not mark.strip("`~"):
            yield opening, opened, start, at
            opening = None
        at = after


def renewed(diagram: StampedDiagram) -> bytes | None:
    """The diagram as it would be made now; None where it is current. Raises CheckerError where it cannot be made."""
    request, form = _request(diagram), diagram.form
    try:
        made = request.diagram(form)
    except CheckerError as error:
        raise _cannot_run(diagram.stamp, diagram.place, str(error)) from error
    if form in PICTURES:
        # Another Graphviz draws the same source a little differently, and that is as current.
        if source_digest(made) == diagram.stamp.source and is_untouched(diagram.content):
            return None
        return diagram_bytes(made, form)
    new = diagram_bytes(made, form)
    return None if new == diagram.content else new


def replace_all(stale: Sequence[tuple[StampedDiagram, bytes]]) -> None:
    """Put new diagrams in the place of old ones, from the end of each file so that the places stay right."""
    for diagram, new in sorted(stale, key=lambda pair: pair[0].span, reverse=True):
        start, end = diagram.span
        if diagram.indent:
            lines = new.decode().splitlines(keepends=True)
            new = "".join(diagram.indent + line if line.strip() else line for line in lines).encode()
        content = diagram.path.read_bytes()
        try:
            diagram.path.write_bytes(content[:start] + new + content[end:])
        except OSError as error:
            raise CheckerError(f"--write {diagram.path}: it cannot be written ({error.strerror})") from error


def _arguments(stamp: Stamp, place: str) -> dict[str, Any]:
    """The options of the command in a stamp. Raises CheckerError, with the place, for one that cannot be run."""
    command, line = click.get_current_context().command, stamp.command.removeprefix("$ ")
    try:
        words = shlex.split(line)[len(PROGRAM.split()) :]
        with command.make_context(PROGRAM, words) as context:
            given = dict(context.params)
            given["version"] = asked_version(*(given[name] for name in ("version", "model", "go", "assumed")))
            return given
    except (ValueError, CheckerError, click.ClickException, click.exceptions.Exit) as error:
        why = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise _cannot_run(stamp, place, why) from error


def _cannot_run(stamp: Stamp, place: str, why: str) -> CheckerError:
    command = stamp.command.removeprefix("$ ")
    return CheckerError(f"{place}: its command `{command}` cannot be run: {why}; mend it, or draw it anew")


def _form(stamp: Stamp, place: str) -> str:
    arguments = _arguments(stamp, place)
    if arguments["checks"] or arguments["writes"] or arguments["files"] or arguments["output_file"]:
        raise CheckerError(f"{place}: its command draws no diagram to standard output; draw it anew")
    return str(arguments["form"])


def _request(found: StampedDiagram) -> Any:
    from podproof.queries.drawing import Request

    asked = _arguments(found.stamp, found.place)
    for option in ("form", "output_file", "checks", "writes", "files"):
        del asked[option]
    return Request(**asked)
