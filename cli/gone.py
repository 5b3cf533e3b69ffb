"""What users of earlier versions may still write: commands and options that are gone, each with where it went."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, Any

import click

from podproof.cli.streams import say

GONE: Mapping[str, str] = {
    "completion": 'write eval "$(_PODPROOF_COMPLETE=bash_source podproof)" into ~/.bashrc, or so with zsh_source',
    "check --checkpoint": "searches take seconds; --budget and --max-states end one early",
    "check --checkpoint-every": "searches take seconds; --budget and --max-states end one early",
    "check --resume": "a search starts from the beginning; --budget and --max-states end one early",
    "check --out-of-core": "name a smaller scenario, or let `--engine diagrams` take states in sets",
    "check --last-failed": "what has not changed is not explored again; name claims with --property or -k",
    "check --stop-at-first": "a check takes seconds; name scenarios with --scenario",
    "check -x": "a check takes seconds; name scenarios with --scenario",
    "export": "the exports serve tests and benchmarks: `python -m bench.peers.export` in a checkout",
    "diff": "write `podproof review` with the same arguments; --exit-on difference ends as `diff` did",
    "go": "write `podproof review FILE.go`; `assume` stands above the tables of podproof.toml",
    "explain-trace": "write `podproof check -o go-test` for Go tests; `podproof explore` opens stored walks",
    "list": "write `podproof explain` with the same word",
    "diagram -o plantuml": "write -o mermaid or -o svg",
    "diagram --timeline": "--trace alone draws it: beside the phases, how a container's end comes about",
    "schema": "write `podproof explain schema`",
    "pods": "write `podproof prove --pods` with the same options",
    "sweep": "`podproof check` takes several --version, --model and --go; `podproof adequacy` judges mutants",
    "--expect": "what is known to be violated passes; what you accept stands in podproof.toml, table [known]",
    "--write-expect": "what is known to be violated passes; what you accept stands in podproof.toml, table [known]",
    "--no-config": f"write --config {os.devnull}",
    "check --no-reduce": "write --reduce none",
    "prove --jobs": "it takes every processor that it may; taskset gives it fewer",
    "prove -j": "it takes every processor that it may; taskset gives it fewer",
    "prove --stats": "write -v; -o json has the times, too",
    "prove --copies": "name the scenario once more for each copy, --beside SCENARIO",
    "conform --most": "write -v for every difference",
    "conform --skip-profile": "name those that are wanted, with --profile",
    "conform --claims": "a replay compares fields and asks no claim; leave it out",
    "--print-config": "podproof.toml says what it sets, and the command line overrides it",
}
"""For a command, an option of one, or an option of every command, what to do instead."""


class Gone(click.ClickException):
    """A name of an earlier version, told in one line that says where it went."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        say(f"error: {self.message}")


class ChoiceOrGone(click.Choice[str]):
    """One of these values of a command's option, or the answer to who asks for one that is gone."""

    def __init__(self, option: str, choices: Sequence[str]) -> None:
        super().__init__(choices)
        self.option = option

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if answer := gone(self.option, value):
            raise Gone(answer)
        return super().convert(value, param, ctx)


def gone(command: str, option: str = "") -> str | None:
    """The answer to who writes a name that is gone; None for any other name."""
    for name in (f"{command} {option}".strip(), option):
        if name in GONE:
            return f"`podproof {name}` is gone: {GONE[name]}"
    return None
