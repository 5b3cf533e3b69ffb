"""Runs the commands of a documentation page again and writes what they print into it.

python -m docs.make.console docs/tutorial.md

A page has the files that its commands need as blocks with a title, and the commands as console sessions:

    ```python title="my_change.py"
    ```console
    $ podproof check --model my_change.py

An output may have `…` in place of anything: it stays as it is while the rest is still written. Else the new one takes
its place, with as many lines as it had where it ends with a line `…`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from docs.make import session

from podproof.cli.errors import reported

BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def renew(page: str) -> str:
    """The page with the present output of its commands; they run one after the other in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:

        def block(match: re.Match[str]) -> str:
            text = match["text"]
            if match["title"]:
                (Path(folder) / match["title"]).write_text(text, encoding="utf-8")
            elif match["language"] == "console" and text.startswith("$ podproof "):
                text = "".join(_renewed(text, Path(folder)))
            return match[0][: match.start("text") - match.start()] + text + "```"

        return BLOCK.sub(block, page)


def _renewed(text: str, folder: Path) -> Iterator[str]:
    """Each command with what it prints now."""
    for typed, shown in session.commands(text):
        yield f"$ {typed}\n"
        written = session.run(typed, folder).text
        if re.fullmatch(re.sub("…(\\\\\n)?", "(?s:.*)", re.escape(shown)), written):
            yield shown
            continue
        old, new = shown.splitlines(), written.splitlines()
        if old and old[-1] == "…":
            new = [*new[: len(old) - 1], "…"]
        yield from (f"{line}\n" for line in new)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@reported
def write(files: tuple[Path, ...]) -> int:
    """Renew pages in place."""
    for file in files:
        file.write_text(renew(file.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    write()
