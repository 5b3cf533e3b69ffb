"""`podproof go`: what is understood of a Go file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from podproof.checker.core import CheckerError
from podproof.commands.line import terminal
from podproof.commands.line.streams import show
from podproof.model.releases import V1_32
from podproof.reports.layout import Detail

ALL = "all"


@terminal.command(
    "go",
    examples=[
        ("podproof go pod_workers.go", "what is translated, stood for, ignored, assumed"),
        ("podproof go pod_workers.go --emit", "the translation"),
        ("podproof go pod_workers.go --emit UpdatePod", "of one function"),
    ],
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--emit", metavar="[FUNCTION]", is_flag=False, flag_value=ALL, help="Print the translation.")
def go(file: Path, emit: str | None) -> int:
    """Translate the pod workers of a Go file to the model language, and say what was understood.

    Exit code 0 when all that is needed is, 2 when something is refused: then every such place is told. More in
    docs/go.md.
    """
    from podproof.golang.module import Translation, translate  # Only who reads Go waits for its parser.

    found: Translation = translate(file, V1_32)
    if emit is None:
        show(*_told(found, terminal.detail() is Detail.FULL))
        return 0
    text = found.text if emit == ALL else found.text_of(emit)
    if not text:
        raise CheckerError(f"--emit: no function {emit!r} is translated; there are {', '.join(found.functions)}")
    show(*text.splitlines())
    return 0


def _told(found: object, everything: bool) -> Iterator[str]:
    from podproof.golang.module import ASSUMED, Translation

    assert isinstance(found, Translation)
    yield f"{found.file.name}  sha256 {found.file.digest[:16]}, {len(found.functions)} functions translated"
    yield f"  translated  {', '.join(found.functions)}"
    yield f"  stood for   {', '.join(found.stood_for) or 'none'}: the model has its own, and knows their text"
    yield f"  left out    {', '.join(found.left_out) or 'none'}: nobody calls them from what is translated"
    kinds = Counter(line.partition(" ")[2] for line in found.ignored)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield f"  ignored     {len(found.ignored)} statements: {counts}"
    if everything:
        yield from (f"              {line}" for line in found.ignored)
    yield f"  assumed     {ASSUMED[0]}"
    yield from (f"              {line}" for line in ASSUMED[1:])
