"""Options that several commands share."""

from __future__ import annotations

import functools
import glob
import inspect
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError, Limits
from podproof.checker.engines import AUTO, ENGINES
from podproof.checker.reductions import REDUCTIONS
from podproof.queries.build import Subject, subject_of, with_claims
from podproof.queries.search import SearchOptions
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS

EVERY, NONE = "all", "none"
"""In place of a release: every one; in place of reductions: no one."""
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


def names_of_reductions(_context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    """The reductions in a list that commas separate."""
    if text.strip() == NONE:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in REDUCTIONS:
            known = f"known are {', '.join(REDUCTIONS)}; {NONE!r} alone leaves them all out"
            raise click.BadParameter(f"{name!r} is no reduction; {known}", param=parameter)
    return names


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


def liveness_option(help: str) -> Decorator:
    return click.option("--liveness", is_flag=True, help=help)


assume_option = click.option(
    "--assume", "assumed", multiple=True, metavar="GO = …", help="The meaning of a name in the Go, see docs/go.md."
)
_MAX_STATES = click.option(
    "--max-states",
    type=click.IntRange(min=1),
    help="Stop the search of a scenario with more states than this, undecided.",
)
_BUDGET = click.option(
    "--budget", callback=duration, help="Stop the search of a scenario after this time (60s, 5m), undecided."
)
ray_option = click.option("--ray", metavar="ADDRESS", help="On the Ray cluster at this address; needs podproof[ray].")
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
            made = make(**{name: kwargs.pop(name) for name in names if name in kwargs})
            return command(*args, **kwargs, **{argument: made})

        decorated: Callable[..., Any] = run
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def asked_subject(
    version: str, model: Path | None, go: Path | None, assumed: tuple[str, ...], claim_files: tuple[Path, ...] = ()
) -> Subject:
    """What these options mean. Raises CheckerError."""
    version = asked_version(version, model, go, assumed)
    return with_claims(subject_of(version, model, go, assumed), claim_files)


def asked_version(version: str, model: Path | None, go: Path | None, assumed: tuple[str, ...]) -> str:
    """The version, if it was chosen or nothing else says which is meant. Raises CheckerError for a contradiction."""
    context = click.get_current_context()
    if go is None:
        refuse_assumed(assumed)
    source = context.get_parameter_source("version")
    if model is not None and source is ParameterSource.COMMANDLINE:
        raise CheckerError("--version and --model: the class in the file says which release it overrides; give one")
    return "" if go is not None and source is ParameterSource.DEFAULT else version


def refuse_assumed(assumed: tuple[str, ...]) -> None:
    """Raises CheckerError for what the command line assumes of Go, of which it names none."""
    if assumed and click.get_current_context().get_parameter_source("assumed") is ParameterSource.COMMANDLINE:
        raise CheckerError("--assume: it says what a name in a Go file stands for; give the file with --go")


def refuse_given(why: str, names: Collection[str]) -> None:
    """Raise UsageError where one of these parameters is on the command line."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in names and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{max(parameter.opts, key=len)}: {why}; leave it out")


@dataclass(frozen=True)
class AskedModel:
    """Which pod worker a command is about, to be read anew when its files change."""

    version: str
    model: Path | None
    go: Path | None
    assumed: tuple[str, ...]
    claim_files: tuple[Path, ...]

    @property
    def files(self) -> list[Path]:
        return [file for file in (self.model, self.go, *self.claim_files) if file is not None]

    def subject(self) -> Subject:
        """What it is now. Raises CheckerError."""
        return asked_subject(self.version, self.model, self.go, self.assumed, self.claim_files)


asked_model_options: Decorator = shared_options("asked", _MODEL_OPTIONS, AskedModel)
"""The same as one argument, `asked`."""
subject_options: Decorator = shared_options("subject", _MODEL_OPTIONS, asked_subject)
"""The same, read once, as one argument, `subject`."""
model_subject_options: Decorator = shared_options("subject", _MODEL_OPTIONS[:-1], asked_subject)
"""The same for a command that asks about no claims."""


@dataclass(frozen=True)
class Subjects:
    """Which pod workers a command is about, each under a name of its own."""

    every: tuple[Subject, ...]
    options: str
    """How the command line names them."""
    beside: tuple[Path, ...] = ()
    """The Go files beside that of their pod workers."""
    assumed: tuple[str, ...] = ()

    def refuse_several(self, option: str, why: str) -> None:
        """Raises UsageError where there are several, of which an option cannot be."""
        if len(self.every) > 1:
            raise click.UsageError(f"{option}: {why}")


def asked_subjects(
    versions: tuple[str, ...],
    models: tuple[Path, ...],
    goes: tuple[Path, ...],
    assumed: tuple[str, ...],
    claim_files: tuple[Path, ...],
) -> Subjects:
    """What these options mean: every release and model, or in each of them the workers of every Go file.

    Raises CheckerError.
    """
    context = click.get_current_context()
    if not goes:
        refuse_assumed(assumed)
    is_default = context.get_parameter_source("versions") is ParameterSource.DEFAULT and bool(models or goes)
    names = () if is_default else tuple(VERSIONS) if EVERY in versions else versions
    models, (goes, beside) = matching(models), _sorted_out(go_files(goes))
    if models and beside:
        raise click.UsageError("--model: several Go files are those of a release's kubelet; leave it out")
    around = [*((name, None) for name in names), *(("", model) for model in models)] or [("", None)]
    every = [
        with_claims(subject_of(name, model, go, assumed), claim_files)
        for go in goes or (None,)
        for name, model in around
    ]
    found = with_own_names({subject.option: subject for subject in every}.values())
    if len(found) == 1:
        options = "".join(f" --go {shlex.quote(str(file))}" for file in beside)
        return Subjects(found, found[0].option + options, beside, assumed)
    pairs = {
        "--version": names,
        "--model": models,
        "--go": (*goes, *beside),
        "--assume": assumed,
        "--claims": claim_files,
    }
    words = (f"{option} {shlex.quote(str(value))}" for option, values in pairs.items() for value in values)
    return Subjects(found, " ".join(words), beside, assumed)


def go_files(places: Iterable[Path]) -> tuple[Path, ...]:
    """The files of these names, patterns and folders. Raises CheckerError."""
    found = matching(places)
    if not any(place.is_dir() for place in found):
        return found
    from podproof.golang.kubelet_files import files_in  # Only who reads Go waits for its parser.

    return tuple(dict.fromkeys(file for place in found for file in files_in(place)))


def _sorted_out(files: tuple[Path, ...]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The files of pod workers, and those beside them. Raises CheckerError."""
    if len(files) < 2:
        return files, ()
    from podproof.golang.kubelet_files import sorted_out

    return sorted_out(files)


def matching(patterns: Iterable[Path]) -> tuple[Path, ...]:
    """The files of these names or patterns, such as proposals/*.py; one that no file matches as it stands."""
    return tuple(
        Path(name)
        for pattern in patterns
        for name in ([str(pattern)] if pattern.exists() else sorted(glob.glob(str(pattern))) or [str(pattern)])
    )


def with_own_names(subjects: Iterable[Subject]) -> tuple[Subject, ...]:
    """The same; of those with one name each under its file's path, or under its options where that is one, too."""
    found = tuple(subjects)
    for by_path in (True, False):
        count = Counter(subject.name for subject in found)
        names = (visible(str(one.file)) if by_path and one.file else one.option for one in found)
        found = tuple(
            replace(one, name=name) if count[one.name] > 1 else one for one, name in zip(found, names, strict=True)
        )
    return found


def _repeatable(option: str, name: str, help: str) -> Decorator:
    return click.option(option, name, type=click.Path(path_type=Path), multiple=True, help=f"{help} May be repeated.")


subjects_options: Decorator = shared_options(
    "subjects",
    (
        click.option(
            "--version",
            "versions",
            multiple=True,
            default=(DEFAULT_VERSION,),
            show_default=True,
            help="The release of the kubelet; `latest` is the newest, `all` means each. May be repeated.",
        ),
        _repeatable("--model", "models", "A file that overrides a release, to use instead of it."),
        _repeatable(
            "--go",
            "goes",
            "Use the pod workers of this pod_workers.go in the release or model; with other files of its kubelet, "
            "or for a folder, also what is read of these.",
        ),
        assume_option,
        claims_option,
    ),
    asked_subjects,
)
"""As `subject_options`, for a command that takes several: one argument, `subjects`."""


# -- what is asked, and how it is searched -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """Which claims in which scenarios; without names those of the command's default."""

    scenarios: tuple[str, ...]
    properties: tuple[str, ...]
    liveness: bool
    part: str | None = None
    """A regular expression for more claims' ids."""
    without: tuple[str, ...] = ()
    """The fairness assumptions to drop."""


_SELECTION = (
    scenarios_option(),
    properties_option(),
    liveness_option("Check what must happen eventually in every fair run, instead of states and steps."),
)
selection_options: Decorator = shared_options("selection", _SELECTION, Selection)
"""As one argument, `selection`."""
search_selection_options: Decorator = shared_options(
    "selection",
    (
        *_SELECTION,
        click.option(
            "-k",
            "--match",
            "part",
            metavar="TEXT",
            help="The claims whose id contains this text; |, . and * as in grep -E.",
        ),
        click.option(
            "--without",
            multiple=True,
            metavar="NAME",
            help="With --liveness: drop this fairness assumption, such as work-queue; may be repeated.",
        ),
    ),
    Selection,
)
"""The same for a command that searches: parts of ids, and fairness that is dropped."""


def _limits(max_states: int | None, budget: float | None) -> Limits:
    return Limits(max_states, None, budget)


def _search(
    engine: str,
    max_states: int | None,
    max_depth: int | None,
    budget: float | None,
    memory: int | None,
    reductions: tuple[str, ...],
    counterexamples: int,
) -> SearchOptions:
    return SearchOptions(engine, Limits(max_states, max_depth, budget), reductions, memory, counterexamples)


limits_options: Decorator = shared_options("limits", (_MAX_STATES, _BUDGET), _limits)
"""As one argument, `limits`."""
search_options: Decorator = shared_options(
    "search",
    (
        click.option(
            "--engine",
            type=click.Choice([AUTO, *ENGINES]),
            default=AUTO,
            show_default=True,
            help="python is the slow reference; symbolic covers every number of seconds at once; diagrams takes "
            "states in sets; auto is compiled, or diagrams where three pods or more are alike.",
        ),
        _MAX_STATES,
        click.option("--max-depth", type=click.IntRange(min=0), help="Stop at this depth, undecided."),
        _BUDGET,
        click.option("--memory", callback=size, help="Use at most so much memory (2GiB). Default: what is available."),
        click.option(
            "--reduce",
            "reductions",
            callback=names_of_reductions,
            is_flag=False,
            flag_value=",".join(REDUCTIONS),
            default=",".join(REDUCTIONS),
            metavar="NAME,…",
            show_default=True,
            help="Only these reductions of the state space, or `none`; they change no verdict.",
        ),
        click.option(
            "--counterexamples",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="Up to this many for each violated claim, each ending in a different action.",
        ),
    ),
    _search,
)
"""How scenarios are explored, as one argument, `search`."""
