"""The command `podproof`."""

from __future__ import annotations

import functools
import gc
import importlib
import io
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import IO, Any

import click
from click.shell_completion import CompletionItem

from podproof.cli import out_of_memory

SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Check and prove": {
        "check": ("check", "Explore the scenarios and say which claims hold."),
        "prove": ("prove", "Decide claims for every grace period, and for any number of pods."),
        "adequacy": ("adequacy", "Mutation-test the claims."),
    },
    "Compare": {
        "review": ("review", "Say whether a change is worse, and what else it does."),
        "conform": ("conform", "Replay recorded traces of the real code."),
        "log": ("log", "Say what a kubelet's log proves about each pod's worker."),
    },
    "Look": {
        "explain": ("explain", "Say what there is, and what a claim, a scenario or a version is about."),
        "diagram": ("diagram", "Draw the reachable states of a scenario."),
        "explore": ("explore", "Choose what happens, step by step, in the browser."),
    },
    "Set up": {
        "new": ("new", "Write a proposal to begin with."),
    },
}
"""The commands as `podproof --help` groups them. Each is in a module of `commands`, which is loaded when it is needed:
all of them together take most of a second."""


EXIT_CODES: Mapping[int, str] = {
    0: "nothing is worse than what is known",
    1: "something is: a claim is violated that is not known to be, a trace does not conform, or a version is worse",
    2: "wrong usage or bad input",
    3: "internal error",
    4: "undecided",
    130: "interrupted, by Ctrl-C, SIGTERM or SIGHUP",
}
"""Of every command. What is known: docs/ci.md."""
INTERRUPTED = 130
WITHOUT_ENGINE = ("explain",)
"""Modules of commands that load no engine."""


class WrongUsage(click.ClickException):
    """Wrong usage, told as all errors are: a sentence, and where there is more."""

    exit_code = 2

    def __init__(self, error: click.UsageError) -> None:
        # click has a line for each choice, with tabs.
        is_missing = isinstance(error, click.MissingParameter)
        message = error.format_message()
        super().__init__(" ".join(message.split()) if is_missing else message)
        self.context = error.ctx

    def show(self, file: IO[Any] | None = None) -> None:
        from podproof.cli.streams import say  # Where nothing is said, nothing of it is loaded.

        say(f"error: {self.message}")
        if self.context is None:
            say("usage: `podproof --help` has the commands, and `podproof COMMAND --help` each one's options")
        else:
            usage = " ".join(self.context.get_usage().removeprefix("Usage: ").split())
            say(f"usage: {usage}; `{self.context.command_path} --help` has more")


@contextmanager
def report_errors() -> Iterator[None]:
    """Wrong usage becomes a WrongUsage, and Ctrl-C while a command is loaded ends as it does later.

    A group without a command shows its help, as before.
    """
    try:
        with out_of_memory.report_out_of_memory():
            yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.NoSuchOption as error:
        from podproof.cli.gone import Gone, gone

        answer = gone((error.ctx and error.ctx.command.name) or "", error.option_name)
        raise (Gone(answer) if answer else WrongUsage(error)) from error
    except click.UsageError as error:
        raise WrongUsage(error) from error
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        from podproof.cli.errors import internal

        raise click.exceptions.Exit(internal(error)) from error
    except KeyboardInterrupt as interrupt:
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from interrupt


def warn(message: Warning | str, category: type[Warning], file: str, line: int, *_: object) -> None:
    """Tell a warning of Python, which may be about a line of a user's file."""
    from podproof.cli.streams import say

    say(f"{category.__name__}: {file}:{line}: {message}")


class Commands(click.Group):
    """The commands of `SECTIONS`."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with report_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with report_errors():
            from podproof.cli.progress import to_terminal  # `--help` needs nothing of what it loads.

            with to_terminal():
                return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from podproof.cli.gone import Gone, gone

        known = self.list_commands(ctx)
        if answer := gone(args[0]):
            raise Gone(answer)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], known, 1)
            advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise click.UsageError(f"there is no command {args[0]!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for section in SECTIONS.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for section in SECTIONS.values():
            if cmd_name in section:
                name = section[cmd_name][0]
                if name not in WITHOUT_ENGINE:
                    # NumPy's library for matrices, which nobody uses here, takes time and memory for each thread.
                    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
                    out_of_memory.expect_room_for_engines()
                module = importlib.import_module(f"podproof.cli.{name}")
                return next(c for c in vars(module).values() if isinstance(c, click.Command) and c.name == cmd_name)
        return None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without loading them, and the options."""
        found = [
            CompletionItem(name, help=summary)
            for section in SECTIONS.values()
            for name, (_, summary) in section.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, summary) for name, (_, summary) in section.items()])


@click.group(
    "podproof",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in EXIT_CODES.items())}.",
)
@click.version_option(package_name="podproof", prog_name="podproof")
def main() -> None:
    """Check the kubelet's pod worker against its lifecycle guarantees.

    \b
    Examples:
      podproof check                               # does the newest kubelet keep them?
      podproof check --model my_change.py          # and with a change?
      podproof review my_change.py                 # is it worse? what else does it do?
      podproof explore --scenario orphan           # play it through in the browser
      podproof explain evictions_are_recorded      # what does a claim say?
      podproof COMMAND --help                      # begins with more of them
    """
    if sys.flags.optimize:
        raise click.UsageError(
            "Python runs with -O or PYTHONOPTIMIZE, which takes every `assert` out of the model: no verdict could be "
            "trusted; start it without"
        )
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # Started without it (`>&-`): what is written there goes nowhere.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process.
    warnings.showwarning = warn  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter such as an arrow shows a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    freeze_gc()
    # Whoever ends us wants what Ctrl-C gives: what was found is told, and saved. `nohup` has SIGHUP ignored.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    # A reader such as `head` that stops reading ends us quietly, as other tools do.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


@functools.cache
def freeze_gc() -> None:
    """What is loaded by now stays, and expression graphs have no cycles: the garbage collector looks through less.

    Once: a process that runs several commands keeps no garbage but the first one's.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


if __name__ == "__main__":
    sys.exit(main(prog_name="podproof"))
