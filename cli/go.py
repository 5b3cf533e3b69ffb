"""`podproof go`: what is understood of a Go file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podproof.checker.core import CheckerError
from podproof.cli import terminal
from podproof.cli.options import assume_option, version_option
from podproof.cli.streams import show
from podproof.model.releases import V1_29, V1_32
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import go_subject, subject_of, system_of
from podproof.reports.layout import Detail

if TYPE_CHECKING:
    from podproof.golang.module import Translation
    from podproof.queries.equality import Theorem

ALL = "all"
ENDS = {"EQUAL": 0, "DIFFERENT": 1, "UNDECIDED": 4}
"""Exit code for what was decided."""


@terminal.command(
    "go",
    examples=[
        ("podproof go pod_workers.go", "what is translated, replaced, ignored, assumed"),
        ("podproof go pod_workers.go --version v1.32", "also: does it do what the model of this release does?"),
        ("podproof go pod_workers.go --emit", "the translation"),
        ("podproof go pod_workers.go --emit UpdatePod", "of one function"),
    ],
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--emit", metavar="[FUNCTION]", is_flag=False, flag_value=ALL, help="Print the translation.")
@assume_option
@version_option("Decide whether the Go is equal to the model of this release.", default="")
def go(file: Path, emit: str | None, version: str, assumed: tuple[str, ...]) -> int:
    """Translate the pod workers of a Go file to the model language, and report what was translated.

    Exit code 0 when all that is needed is, 2 when something is refused: then every such place is told. With --version
    it is also decided, for every state and input, whether each function does what the model of that release does:
    exit code 1 where one does not, 4 where that stays open. More in docs/go.md.
    """
    from podproof.golang.module import translate  # Only who reads Go waits for its parser.

    found: Translation = translate(file, V1_32, assumed, partly=True)
    older = subject_of(version or "v1.26", None).cls if found.is_partial else V1_32
    if found.is_partial and issubclass(older, V1_29):
        found = translate(file, older, assumed, partly=True)
    if found.is_partial and not found.functions:
        raise CheckerError(
            f"{found.file.name}: this is kubelet 1.21 or earlier, which had another worker: it knows no phases of a "
            "pod, and keeps no status of one. None of its functions is translated, so none is judged; the model of "
            "that worker is --version v1.20"
        )
    if not found.is_partial:
        # What the model language refuses, `check --go` would refuse as well.
        system_of(go_subject(file, version or surroundings(found), assumed), SCENARIOS["one-pod"])
    if emit is None:
        everything = terminal.detail() is Detail.FULL
        lines = list(_told(found, everything))
        if not version:
            show(*lines)
            return 0
        from podproof.queries.equality import prove_equal

        theorem = prove_equal(found, version)
        show(*lines, *_theorem(theorem, everything))
        return ENDS[theorem.equality.value]
    text = found.text if emit == ALL else found.text_of(emit)
    if not text:
        raise CheckerError(f"--emit: no function {emit!r} is translated; there are {', '.join(found.functions)}")
    show(*text.splitlines())
    return 0


def surroundings(found: Translation) -> str:
    """The version of the release that a file is nearest to, or the first with such a worker where none is near."""
    from podproof.golang.releases import nearest

    release = nearest(found.file)
    return "v1.29" if release is None else release.version


def _told(found: object, everything: bool) -> Iterator[str]:
    from podproof.golang.module import Translation
    from podproof.golang.releases import recognized

    assert isinstance(found, Translation)
    yield f"{found.file.name}  sha256 {found.file.digest[:16]}, {len(found.functions)} functions translated"
    yield f"  known       {recognized(found.file)}"
    yield f"  translated  {', '.join(found.functions)}"
    yield f"  stood for   {', '.join(found.stood_for) or 'none'}: the model has its own, and knows their text"
    why = "nobody calls them from what is translated"
    if found.is_partial:
        why = "the model's own stand in their place; `check --go` takes whole workers only, from 1.27 on"
    yield f"  left out    {', '.join(found.left_out) or 'none'}: {why}"
    kinds = Counter(line.partition(" ")[2] for line in found.ignored)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield f"  ignored     {len(found.ignored)} statements: {counts}"
    if everything:
        yield from (f"              {line}" for line in found.ignored)
    yield f"  assumed     {found.rests_on[0]}"
    yield from (f"              {line}" for line in found.rests_on[1:])
    yield from (f"  by you      {line}" for line in found.assumed)


def _theorem(theorem: Theorem, everything: bool) -> Iterator[str]:
    """What was decided, function by function, and for what is unlike a state that shows it."""
    from podproof.golang.equality import WORLD
    from podproof.queries.equality import differences

    found = theorem.found
    yield f"  theorem     {found.equality.value}: do the Go and {theorem.version} the same in every state in which the"
    yield "              invariants hold, whether it can be reached or not, and for every number of seconds?"
    yield f"              {WORLD.name}: {WORLD.summary}"
    for equality in ("EQUAL", "DIFFERENT", "UNDECIDED"):
        names = {name: why for name, (e, why) in theorem.functions.items() if e.value == equality}
        if names:
            told = ", ".join(f"{name} ({why})" if why else name for name, why in names.items())
            yield f"    {equality:<9} {len(names)} functions: {told}"
    for conclusion in found.conclusions:
        if conclusion.equality.value == "EQUAL":
            continue
        why = f": {conclusion.reason}" if conclusion.reason else ""
        yield f"    {conclusion.equality.value} in {conclusion.name}{why}"
        witness = conclusion.witness
        if witness is None:
            continue
        first = found.systems[0]
        values = zip(first.variables, witness.state, first.initial[0], strict=True)
        yield f"      where {', '.join(f'{v.path} = {v.show(x)}' for v, x, zero in values if x != zero)}"
        if witness.move is None:
            yield "      the answers are opposite"
            continue
        yield f"      at    {first.event(witness.move)}"
        unlike = list(differences(conclusion))
        for path, mine, others, line in unlike:
            yield f"      {path}: {mine} in {theorem.version}, {others} in the Go  {line}"
        errors = [outcome for outcome in witness.outcomes if isinstance(outcome, str)]
        yield from (f"      one of them does not get there: {error}" for error in errors)
        if not unlike and not errors:
            yield "      they only differ in the programmer errors that they report, or in where bounds cut them off"
    kinds = len(found.invariants)
    yield f"    invariants  {kinds} hold at the beginning and are kept by every step of the Go; -v lists them"
    if everything:
        yield from (f"                {line}" for line in found.invariants)
