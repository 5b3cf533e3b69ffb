"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from podproof.checker.core.system import CheckerError
from podproof.queries.build import Subject, subject_of, with_claims
from podproof.queries.versions import DEFAULT_VERSION

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def duration(_context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Seconds from 90, 90s, 5m or 1h."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h)?", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no duration; write 90s, 5m or 1h", param=parameter)
    return float(match[1]) * {None: 1, "s": 1, "m": 60, "h": 3600}[match[2]]


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


def version_option(
    help: str = "The release of the kubelet; `latest` is the newest.", default: str = DEFAULT_VERSION
) -> Decorator:
    return click.option("--version", "version", default=default, show_default=bool(default), help=help)


def scenario_option(help: str, default: str | None = "one-pod", show_default: bool | str = True) -> Decorator:
    return click.option("--scenario", "scenario", default=default, show_default=show_default, help=help)


def scenarios_option(help: str = "A scenario, or `all`; may be repeated.") -> Decorator:
    return click.option("--scenario", "scenarios", multiple=True, help=help)


def properties_option(default: str = "all") -> Decorator:
    help = f"A claim's id; may be repeated. Default: {default}."
    return click.option("--property", "--claim", "properties", multiple=True, help=help)


assume_option = click.option(
    "--assume", "assumed", multiple=True, metavar="GO = …", help="The meaning of a name in the Go, see docs/go.md."
)
max_states_option = click.option(
    "--max-states",
    type=click.IntRange(min=1),
    help="Stop the search of a scenario with more states than this, undecided.",
)
budget_option = click.option(
    "--budget", callback=duration, help="Stop the search of a scenario after this time (60s, 5m), undecided."
)
memory_option = click.option(
    "--memory", callback=size, help="Use at most so much memory (2GiB). Default: what is available."
)
model_option = click.option(
    "--model", type=click.Path(path_type=Path), help="A file that overrides a release, to use instead of it."
)
claims_option = click.option(
    "--claims",
    "claim_files",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A file with claims and scenarios of your own; may be repeated.",
)
_MODEL_OPTIONS = (
    version_option(),
    model_option,
    click.option(
        "--go",
        type=click.Path(path_type=Path),
        help="Use the pod workers of this pod_workers.go in the release or model.",
    ),
    assume_option,
    claims_option,
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which pod worker a command is about, as an argument for each option."""
    for option in reversed(_MODEL_OPTIONS):
        command = option(command)
    return command


def shared_options(argument: str, options: Sequence[Decorator], make: Callable[..., Any]) -> Decorator:
    """Give a command these options as one argument, which `make` makes of their values. It takes them by name."""
    names = list(inspect.signature(make).parameters)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(*args: Any, **kwargs: Any) -> Any:
            made = make(**{name: kwargs.pop(name) for name in names})
            return command(*args, **kwargs, **{argument: made})

        decorated: Callable[..., Any] = run
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def asked_subject(
    version: str, model: Path | None, go: Path | None, assumed: tuple[str, ...], claim_files: tuple[Path, ...]
) -> Subject:
    """What these options mean. Raises CheckerError."""
    version = asked_version(version, model, go, assumed)
    return with_claims(subject_of(version, model, go, assumed), claim_files)


def asked_version(version: str, model: Path | None, go: Path | None, assumed: tuple[str, ...]) -> str:
    """The version, if it was chosen or nothing else says which is meant. Raises CheckerError for a contradiction."""
    context = click.get_current_context()
    if go is None and assumed and context.get_parameter_source("assumed") is ParameterSource.COMMANDLINE:
        raise CheckerError("--assume: it says what a name in a Go file stands for; give the file with --go")
    source = context.get_parameter_source("version")
    if model is not None and source is ParameterSource.COMMANDLINE:
        raise CheckerError("--version and --model: the class in the file says which release it overrides; give one")
    return "" if go is not None and source is ParameterSource.DEFAULT else version


subject_options: Decorator = shared_options("subject", _MODEL_OPTIONS, asked_subject)
"""The same as one argument, `subject`."""
