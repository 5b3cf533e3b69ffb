"""Configuration: options of the commands in podproof.toml, or in pyproject.toml under [tool.podproof].

    version = "v1.32"               # for every command that has such an option

    [check]
    scenario = ["one-pod", "orphan"]
    budget = "60s"

    [known]                         # violations that are accepted, with the reason
    grace_period_only_decreases = "our fork raises it on purpose"
    evictions_are_recorded.orphan = "only in this scenario"

The nearest file upward from the working directory counts, as far as the top of the repository. What is on the command
line overrides it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import click

from podproof.checker.lowering.source import suggestion
from podproof.cli.config_file import KNOWN, Configuration, name_of, nearest, read
from podproof.cli.gone import gone
from podproof.cli.output_path import STDOUT
from podproof.queries.known import ListedViolations

Value = str | int | bool | list[str]
NOT_CONFIGURABLE = ("help", "config", "watch")
"""Options that a file cannot set: those about the file, and what is meant for one run only."""
INSTEAD: Mapping[str, tuple[str, ...]] = {"model": ("version",), "version": ("model",)}
"""What of a file does not count when an option is on the command line, because it answers the same question."""
EXCLUSIVE = frozenset(INSTEAD)
"""Of these a table sets one at most."""
SUBJECT = ("model", "version", "go")
"""The options that say what is asked about."""
LISTED = "podproof.known"
"""Where a context keeps what the file lists as known."""


def option() -> click.Option:
    """The option about the configuration, for every command that can be configured."""
    return click.Option(
        ["--config"],
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"Take options from this file; {os.devnull} has none. Default: the nearest podproof.toml or "
        "pyproject.toml.",
    )


class ConfiguredCommand(click.Command):
    """A command whose options may be set in a file. It has to have `option` among its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the defaults from the file before the command line is read."""
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        help_option = self.get_help_option(ctx)
        if ctx.resilient_parsing or (help_option is not None and help_option.name in given):
            return super().parse_args(ctx, args)
        configuration = _choice(given)
        defaults = _defaults(configuration, self, ctx)
        listed = _listed(configuration)
        on_command_line = {name for name, option in _by_name(self).items() if option.name in given}
        if _is_about_others(defaults, {name: given[_by_name(self)[name].name] for name in on_command_line}):
            listed = ListedViolations()
        for name in on_command_line:
            for other in INSTEAD.get(name, ()):
                defaults.pop(other, None)
        ctx.default_map = {_by_name(self)[name].name: value for name, value in defaults.items()}
        ctx.meta[LISTED] = listed
        try:
            rest = super().parse_args(ctx, args)
        except click.BadParameter as error:
            name = _name(error.param) if isinstance(error.param, click.Option) else ""
            if name in defaults and name not in on_command_line:
                raise click.UsageError(f"{configuration.place(self.name or '', name)}: {error.message}", ctx) from error
            raise
        ctx.params.pop("config", None)
        return rest


def _is_about_others(configured: Mapping[str, Any], typed: Mapping[str, Any]) -> bool:
    """Does the command line ask about anything but what the file is about, of which alone its list of known is?"""
    if not any(name in configured for name in SUBJECT):
        return False
    about, asked = (
        {(name, text) for name in SUBJECT for text in _texts(options.get(name, ()))} for options in (configured, typed)
    )
    return not asked <= about


def _texts(value: Any) -> list[str]:
    """One value or several, each path in one spelling."""
    return [os.path.normpath(text) for text in ([value] if isinstance(value, str) else value)]


def _by_name(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by long name without dashes."""
    return {_name(p): p for p in command.params if isinstance(p, click.Option)}


def _name(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-")


def _choice(given: Mapping[str, Any]) -> Configuration:
    """The configuration that the command line asks for. Raises click.UsageError."""
    named = given.get("config")
    if named is not None:
        return read(Path(named), required=True) or Configuration()
    try:
        folder = Path.cwd()
    except OSError:  # the working directory does not exist any more, so nothing is above it
        return Configuration()
    return nearest(folder)


def listed_violations() -> ListedViolations:
    """What the configuration of the running command lists as known."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.meta.get(LISTED)
    return found if isinstance(found, ListedViolations) else ListedViolations()


def _listed(configuration: Configuration) -> ListedViolations:
    """The table of known violations. Raises click.UsageError where it is none, or an entry has no reason."""
    place, table = f"{name_of(configuration.path)}: [{configuration.table}{KNOWN}]", configuration.known
    if table is None:
        return ListedViolations()
    if not isinstance(table, dict):
        raise click.UsageError(
            f"{place}: {_quote(table)} is no table; write `[{configuration.table}{KNOWN}]`, and {ENTRY}"
        )
    reasons: dict[tuple[str, str], str] = {}
    for claim, value in table.items():
        places = [(scenario or "''", reason) for scenario, reason in value.items()] if isinstance(value, dict) else []
        for scenario, reason in places or [("", value)]:
            if not (_is_text(reason) and reason.strip()):
                name = f"{claim}.{scenario}" if scenario else claim
                raise click.UsageError(f"{place} {name}: {_quote(reason)} is no reason; {ENTRY}")
            reasons[claim, scenario] = " ".join(reason.split())
    return ListedViolations(place, reasons)


ENTRY = 'write CLAIM = "why it is accepted", or CLAIM.SCENARIO = "why"'


# -- what it says about one command ------------------------------------------------------------------------------------


def _defaults(configuration: Configuration, command: click.Command, ctx: click.Context) -> dict[str, Value]:
    """The options of one command that the file sets, by long name. Raises click.UsageError."""
    if configuration.path is None:
        return {}
    _look_at_keys(configuration, command, ctx)
    table = configuration.commands.get(command.name or "", {})
    for part in (configuration.common, table):
        if part.keys() >= EXCLUSIVE:
            place = configuration.place(command.name or "", "version")
            raise click.UsageError(f"{place}: `model` says which release it overrides; take one of the two out")
    replaced = {other for key in table for other in INSTEAD.get(key, ())}
    common = {key: value for key, value in configuration.common.items() if key not in replaced}
    chosen, own = {**common, **table}, configurable(command)
    return {key: _check(configuration, command, own[key], chosen[key]) for key in chosen if key in own}


def _look_at_keys(configuration: Configuration, command: click.Command, ctx: click.Context) -> None:
    """Raise click.UsageError for an unknown key, of whatever command, so that it is not found only when its turn comes.

    Other commands are loaded only when the file has keys of theirs.
    """
    names = _names(command, ctx)
    for table, keys in configuration.commands.items():
        other = _command(table, command, ctx) if table in names else None
        if other is None:
            if answer := gone(table):
                raise click.UsageError(f"{name_of(configuration.path)}: [{configuration.table}{table}]: {answer}")
            raise click.UsageError(
                f"{name_of(configuration.path)}: [{configuration.table}{table}] is no command with options that can be "
                f"set; {suggestion(table, names)}"
            )
        for key in keys:
            _must_be_known(configuration, table, key, configurable(other))
    unknown = [key for key in configuration.common if key not in configurable(command)]
    if unknown:
        others = [other for name in names if (other := _command(name, command, ctx)) is not None]
        everywhere = {name: option for other in others for name, option in configurable(other).items()}
        for key in unknown:
            _must_be_known(configuration, "", key, everywhere)


def _names(command: click.Command, ctx: click.Context) -> list[str]:
    """The names of all commands."""
    parent = ctx.parent
    if parent is None or not isinstance(parent.command, click.Group):
        return [command.name or ""]
    return parent.command.list_commands(parent)


def _command(name: str, command: click.Command, ctx: click.Context) -> click.Command | None:
    """The command of this name, if it can be configured. Only now is it loaded."""
    if name == command.name or ctx.parent is None or not isinstance(ctx.parent.command, click.Group):
        return command
    other = ctx.parent.command.get_command(ctx.parent, name)
    return other if isinstance(other, ConfiguredCommand) else None


def configurable(command: click.Command) -> dict[str, click.Option]:
    return {name: option for name, option in _by_name(command).items() if name not in NOT_CONFIGURABLE}


def _must_be_known(configuration: Configuration, table: str, key: str, known: Mapping[str, click.Option]) -> None:
    if key in known:
        return
    if key in NOT_CONFIGURABLE:
        why = "this belongs on the command line, and not into a file; take it out"
    elif answer := gone(table, f"--{key}"):
        why = answer
    else:
        of = f"`podproof {table}`" if table else "any command"
        why = f"no option of {of}; {suggestion(key, known, advice(known))}"
    raise click.UsageError(f"{configuration.place(table, key)}: {why}")


def advice(known: Mapping[str, click.Option]) -> str:
    """What can be set instead."""
    return f"known are {', '.join(sorted(known))}"


class Kind(Enum):
    """What a file may give an option."""

    FLAG = "true or false"
    NUMBER = "a whole number of 64 bits"
    TEXT = "a text in quotation marks"
    TEXTS = "a text, or a list of them"


MOST = (1 << 63) - 1
"""The largest number; the smallest is its negative."""


def kind_of(option: click.Option) -> Kind:
    if option.is_flag and option.is_bool_flag:
        return Kind.FLAG
    if isinstance(option.type, click.types.IntParamType):
        return Kind.NUMBER
    return Kind.TEXTS if option.multiple else Kind.TEXT


def _check(configuration: Configuration, command: click.Command, option: click.Option, value: Any) -> Value:
    """The value, with paths as seen from the working directory. Raises click.UsageError for one of the wrong type."""
    name, kind = _name(option), kind_of(option)
    wanted = kind.value
    match kind:
        case Kind.FLAG:
            fits = isinstance(value, bool)
        case Kind.NUMBER:
            fits = type(value) is int and abs(value) <= MOST
        case Kind.TEXTS:
            value = [value] if isinstance(value, str) else value
            fits = isinstance(value, list) and all(map(_is_text, value))
            texts = f'a list of texts, as in {name} = ["…"]'
            wanted = texts if isinstance(value, list) else f"{Kind.TEXT.value}, or {texts}"
        case Kind.TEXT:
            fits = _is_text(value)
    if not fits:
        raise click.UsageError(
            f"{configuration.place(command.name or '', name)}: {_quote(value)} does not fit --{name}; write {wanted}"
        )
    checked: Value = value
    assert configuration.path is not None
    if isinstance(option.type, click.Path) or name == "output-file":
        folder = configuration.path.parent
        checked = [_seen(folder, item) for item in value] if isinstance(value, list) else _seen(folder, value)
    return checked


def _quote(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits, and TOML has them in base 16.
        return "what has so many digits"


def _is_text(value: object) -> bool:
    """Is it a text that the command line could have, too?"""
    return isinstance(value, str) and "\0" not in value


def _seen(folder: Path, text: str) -> str:
    """A path, or FORMAT=PATH, that counts from the folder of the file, as seen from here; `-` is standard output."""
    form, sign, path = text.partition("=") if re.match(r"\w+=", text) else ("", "", text)
    if path == STDOUT:
        return text
    return form + sign + (path if Path(path).is_absolute() else os.path.relpath(folder / path))
