"""The options that decide the exit code: expected verdicts, and whether claims may be undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError, Exploration
from podproof.checker.engines import AUTO, DEFAULT_ENGINE
from podproof.checker.reading import content_of
from podproof.checker.reductions import REDUCTIONS
from podproof.cli.options import Decorator, shared_options
from podproof.cli.outputs import look_at, write_whole
from podproof.model.functions import Function
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.reports.expected import Expectations, Judgement, Selection, compare, judge, not_decided
from podproof.reports.expected_file import look_at_name, read, update_text, written

MOST_BYTES = 1 << 22
"""Of a file of expected verdicts."""

undecided_option = click.option(
    "--undecided",
    type=click.Choice(["fail", "ok"]),
    default="fail",
    show_default=True,
    help="Whether UNKNOWN gives exit code 4, or 0.",
)


@dataclass(frozen=True)
class Policy:
    """What decides the exit code of a run, and the file of expected verdicts as it was before the run."""

    command: str
    undecided_ok: bool
    expect: Path | None
    write: Path | None
    before: Expectations | None

    @property
    def expects(self) -> bool:
        """Do the verdicts of a file decide, and not the release that a model changes?"""
        return self.expect is not None or self.write is not None

    def judge(
        self,
        explorations: Sequence[Exploration],
        version: str,
        scenarios: Sequence[Scenario | Function],
        properties: Sequence[str],
    ) -> Judgement:
        """The judgement on a run of these scenarios and of these claims, or of all of them when none is named."""
        asked = Selection(version, tuple(s.name for s in scenarios), tuple(properties), tuple(SCENARIOS), _options())
        if self.expect is not None:
            assert self.before is not None
            deviations = compare(self.before, str(self.expect), explorations, asked)
            return judge(explorations, self.undecided_ok, deviations)
        judgement = judge(explorations, self.undecided_ok)
        if self.write is None or judgement.code == 130:
            return judgement
        if why := not_decided(explorations):
            return Judgement(4, f"undecided, so {self.write} is not written: {why}")
        text = written(update_text(self.before, self.command, explorations, asked))
        return Judgement(0, f"{self.write} has these verdicts now", renewed=text)

    def end(self, judgement: Judgement) -> int:
        """Write the expected verdicts, if that was asked for and can be done; the exit code."""
        if self.write is not None and judgement.renewed is not None:
            write_whole(self.write, judgement.renewed)
        return judgement.code


_OPTIONS = (
    undecided_option,
    click.option(
        "--expect",
        type=click.Path(path_type=Path),
        help="Compare with the expected verdicts in this file: exit code 1 if one differs.",
    ),
    click.option(
        "--write-expect",
        type=click.Path(path_type=Path),
        help="Write the verdicts into this file, for --expect.",
    ),
)


def verdict_options(command: str) -> Decorator:
    """Give `check` or `prove` these options as one argument, `policy`."""

    def policy(undecided: str, expect: Path | None, write_expect: Path | None) -> Policy:
        if expect is not None and write_expect is not None:
            raise CheckerError("--expect and --write-expect: one compares and the other writes anew; give one")
        before = None
        if expect is not None:
            before = _read(expect, "--expect", command)
        elif write_expect is not None:
            before = _read_for_writing(write_expect, command)
            if (model := click.get_current_context().params.get("model")) is not None:
                look_at_name(visible(model.stem))
        return Policy(command, undecided == "ok", expect, write_expect, before)

    return shared_options("policy", _OPTIONS, policy)


def _options() -> str:
    """The options of the running command that change how many states there are; empty for none."""
    given = click.get_current_context().params
    found = []
    if given.get("engine", AUTO) not in (AUTO, DEFAULT_ENGINE):
        found.append(f"--engine {given['engine']}")
    if given.get("no_reduce"):
        found.append("--no-reduce")
    elif set(given.get("reductions", REDUCTIONS)) != set(REDUCTIONS):
        found.append(f"--reduce {','.join(name for name in REDUCTIONS if name in given['reductions'])}")
    return " ".join(found)


def _read(path: Path, option: str, command: str) -> Expectations:
    if path.is_dir():
        raise CheckerError(f"{option} {path}: this is a folder; name a file of expected verdicts")
    try:
        text = content_of(path, MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError as error:
        advice = f"write it with `podproof {command} --write-expect {path}`"
        raise CheckerError(f"{option} {path}: there is no such file; {advice}") from error
    except UnicodeDecodeError as error:
        advice = "name a file that --write-expect has written"
        raise CheckerError(f"{option} {path}: this is no text in UTF-8 ({error.reason}); {advice}") from error
    except OSError as error:
        raise CheckerError(f"{option} {path}: it cannot be read ({error.strerror}); name a file that can be") from error
    return read(text, str(path), command)


def _read_for_writing(path: Path, command: str) -> Expectations | None:
    """What is in the file now, before any work that could be lost; None when it is new or empty."""
    option = f"--write-expect {path}"
    if path.exists() and not path.is_file():
        raise CheckerError(f"{option}: this is no plain file, and would not be one that can be reviewed; name another")
    look_at(path, option)
    if not path.exists() or path.stat().st_size == 0:
        return None
    return _read(path, "--write-expect", command)
