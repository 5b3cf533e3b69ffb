"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from podproof.commands.systems.build import subject_of
from podproof.model.versions import DEFAULT_VERSION

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

version_option = click.option(
    "--version", "version", default=DEFAULT_VERSION, show_default=True, help="The release of the kubelet."
)
model_option = click.option(
    "--model", type=click.Path(path_type=Path), help="A file that overrides a release, in its place."
)
go_option = click.option(
    "--go", type=click.Path(path_type=Path), help="The release, or model, with the pod workers of a pod_workers.go."
)
assume_option = click.option(
    "--assume", "assumed", multiple=True, metavar="GO = …", help="What a name in the Go stands for: see docs/go.md."
)
scenarios_option = click.option("--scenario", "scenarios", multiple=True, help="A scenario, or `all`; may be repeated.")
properties_option = click.option(
    "--property", "--claim", "properties", multiple=True, help="A claim's id; may be repeated. Default: all."
)


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


subject_options: Decorator = shared_options(
    "subject",
    [version_option, model_option, go_option, assume_option],
    lambda version, model, go, assumed: subject_of(version, model, go, assumed),
)
"""Which pod worker a command is about."""
