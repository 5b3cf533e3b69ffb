"""The options of `podproof check` for runs that take long or need more memory than there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podproof.commands.line.options import Decorator, duration, shared_options
from podproof.commands.line.streams import say

if TYPE_CHECKING:
    from podproof.checker.engines import LongRun


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size(_context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """Bytes from 2GiB, 500MiB, 500M or 2000000; the units are powers of 1024."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:([KMGT])(?:i?B)?)?", text, re.IGNORECASE)
    if match is None:
        raise click.BadParameter(f"{text!r} is no size; write 500MiB or 2GiB", param=parameter)
    found = int(float(match[1]) * _UNITS[(match[2] or "").upper()])
    if found == 0:
        raise click.BadParameter(f"{text!r} is no room for any state; write 500MiB or 2GiB", param=parameter)
    return found


_OPTIONS = (
    click.option(
        "--checkpoint",
        type=click.Path(file_okay=False, path_type=Path),
        help="Save the search in this folder regularly, so that a killed run can be resumed.",
    ),
    click.option(
        "--checkpoint-every",
        "every",
        default="30s",
        show_default=True,
        callback=duration,
        help="The least time between two saves.",
    ),
    click.option("--resume", is_flag=True, help="Continue from what --checkpoint has saved."),
    click.option(
        "--out-of-core",
        type=click.Path(file_okay=False, path_type=Path),
        help="Keep states in this folder when memory runs short.",
    ),
    click.option("--memory", callback=size, help="How much memory to use (2GiB). Default: what is available."),
)


def _long_run(
    checkpoint: Path | None, every: float, resume: bool, out_of_core: Path | None, memory: int | None
) -> LongRun | None:
    """What these options ask for; None where none of them is used."""
    if resume and checkpoint is None:
        raise click.UsageError("--resume goes on from a checkpoint; say where it is: --checkpoint DIR --resume")
    if checkpoint is None and out_of_core is None and memory is None:
        return None
    engine = click.get_current_context().params.get("engine", "auto")
    if engine not in ("auto", "compiled") and (engine, checkpoint, out_of_core) != ("diagrams", None, None):
        what = "" if engine == "diagrams" else " and --memory"
        raise click.UsageError(f"--checkpoint, --out-of-core{what} are for the engine `compiled`")
    if resume and checkpoint is not None and not checkpoint.exists():
        say(f"--resume: there is nothing in {checkpoint} yet; this run starts at the beginning")
    from podproof.checker.engines import LongRun

    return LongRun(checkpoint, every, resume, out_of_core, memory)


long_run_options: Decorator = shared_options("long_run", _OPTIONS, _long_run)
