"""`podproof review`: is a change worse, and what else does it do?"""

from __future__ import annotations

import difflib
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podproof.checker.conclude import Shown, conclude
from podproof.checker.core.system import CheckerError, Limits
from podproof.checker.difference.result import Comparison, Decision, Worse
from podproof.cli import terminal
from podproof.cli.findings import report_of, rules
from podproof.cli.options import (
    assume_option,
    claims_option,
    limits_options,
    liveness_option,
    scenarios_option,
    shared_options,
    version_option,
)
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.policy import undecided_option
from podproof.cli.streams import show
from podproof.queries.build import (
    Subject,
    go_subject,
    is_older,
    notes_of,
    scenarios_of,
    subject_named,
    subject_of,
    surroundings_of,
    translation_of,
    with_claims,
)
from podproof.queries.comparing import compare_versions, subjects_of
from podproof.queries.repository import POD_WORKERS, Repository
from podproof.queries.versions import VERSIONS
from podproof.reports.content.comparison import comparison_findings
from podproof.reports.content.review.data import review_data
from podproof.reports.content.review.page import Origin, page_of
from podproof.reports.document import Page
from podproof.reports.layout import Detail
from podproof.reports.render.json import tool
from podproof.reports.render.text import text_parts

if TYPE_CHECKING:
    from podproof.queries.go_tests import GoTests

ENDS: Mapping[Worse, tuple[int, str]] = {
    Worse.NO: (0, "it is not worse"),
    Worse.YES: (1, "it is worse"),
    Worse.UNKNOWN: (4, "undecided: nothing is worse as far as was explored, but not all of it was"),
}
"""How the command ends."""
UNLIKE: Mapping[Decision, tuple[int, str]] = {
    Decision.DIFFERENT: (1, "they differ"),
    Decision.UNDECIDED: (4, "undecided: no difference as far as was explored, but not all of it was"),
}
"""The same with `--exit-on difference`; 0 for every other decision."""
ALL = "all"
DEFAULT_OF_GO = "v1.32"
"""In whose kubelet a file is translated where only the translation is wanted."""


@dataclass(frozen=True)
class Commits:
    """Where the commits are that are compared, and which file of theirs."""

    repo: Path | None
    path: str
    worktree: bool


commit_options = shared_options(
    "commits",
    (
        click.option(
            "--repo", type=click.Path(path_type=Path), help="The git repository of BASE..HEAD. Default: this folder."
        ),
        click.option("--path", "path", default=POD_WORKERS, show_default=True, help="Of commits: the file."),
        click.option("--worktree", is_flag=True, help="Of commits: HEAD, or the given one, and the working tree."),
    ),
    Commits,
)


@dataclass(frozen=True)
class FileOptions:
    """How a file is read: in which release's kubelet, with what meanings of its names, with whose claims."""

    version: str
    assumed: tuple[str, ...]
    claim_files: tuple[Path, ...]


side_options = shared_options(
    "files",
    (
        version_option("The release whose kubelet is the environment of a .go file.", default=""),
        assume_option,
        claims_option,
    ),
    FileOptions,
)


@dataclass(frozen=True)
class EndOptions:
    """What decides the exit code."""

    undecided_ok: bool
    on_difference: bool
    """Is every difference a failure, and not only what is worse?"""


def _end(undecided: str, exit_on: str) -> EndOptions:
    return EndOptions(undecided == "ok", exit_on == "difference")


end_options = shared_options(
    "end",
    (
        undecided_option,
        click.option(
            "--exit-on",
            type=click.Choice(["worse", "difference"]),
            default="worse",
            show_default=True,
            help="What gives exit code 1.",
        ),
    ),
    _end,
)


@terminal.command(
    examples=[
        ("podproof review v1.29 v1.32", "two releases"),
        ("podproof review my_change.py", "a change, beside the release that it overrides"),
        ("podproof review pod_workers.go", "a Go file, beside the release that it is nearest to"),
        ("podproof review main...HEAD", "a pull request, in a checkout of Kubernetes; --repo names another folder"),
        ("podproof review v1.35 my_change.py --liveness", "who waits for ever with it, and did not before"),
        ("podproof review v1.35 my_change.py -o markdown --output-file change.md", "as a page for a pull request"),
        ("podproof review pod_workers.go --emit UpdatePod", "only the translation, of one function"),
    ]
)
@click.argument("a", required=False, metavar="A")
@click.argument("b", required=False, metavar="B")
@commit_options
@scenarios_option()
@click.option(
    "--by", "fields", metavar="FIELD,…", help="The fields to compare. Default: all that are observable of a worker."
)
@liveness_option("Compare what must happen eventually, instead of claims about states and steps.")
@side_options
@limits_options
@end_options
@click.option("--emit", metavar="[FUNCTION]", is_flag=False, flag_value=ALL, help="Only print the translated Go.")
@output_options("review", more=("html", "svg", "go-test"))
def review(
    a: str | None,
    b: str | None,
    commits: Commits,
    scenarios: tuple[str, ...],
    fields: str | None,
    liveness: bool,
    files: FileOptions,
    limits: Limits,
    end: EndOptions,
    emit: str | None,
    outputs: Outputs,
) -> int:
    """Say whether B is worse than A, and what else changes: each a version, a file with a class that overrides one, a
    Go file, or a commit.

    It is worse where a claim is NEW, CHANGED or lost. Also told are claims gained, methods and steps that differ, what
    only one of them can show, and which Go functions are EQUAL in every state; or that all is equivalent, which is
    decided and not sampled. Exit code 0 when it is not worse, 1 when it is, 4 when nobody can tell.
    """
    repo, path, worktree = commits.repo, commits.path, commits.worktree
    version, assumed, claim_files = files.version, files.assumed, files.claim_files
    is_of_commits = repo is not None or worktree or (b is None and a is not None and _is_range(a))
    if emit is not None:
        return _emit(emit, [name for name in (a, b) if name is not None], version, assumed)
    if is_of_commits:
        folder = Path() if repo is None else repo
        shown = shlex.join([*([] if repo is None else ["--repo", str(repo)]), *filter(None, [a])])
        shown += " --worktree" if worktree else ""
        shown += "" if path == POD_WORKERS else f" --path {shlex.quote(path)}"
        names = tuple(map(str, _from_repository(folder, a, b, path, worktree)))
    else:
        names = _pair(a, b, version)
        shown = shlex.join(names)
        if (file := _older(names)) is not None:
            return _functions_alone(file, names[0], assumed, end.undecided_ok, outputs)
    subjects = subjects_of(names[0], names[1], version, assumed)
    subjects = with_claims(subjects[0], claim_files), with_claims(subjects[1], claim_files)
    options = [*(["--liveness"] if liveness else []), *([f"--version {version}"] if version else [])]
    options += [f"--assume {shlex.quote(line)}" for line in assumed]
    options += [f"--claims {shlex.quote(str(file))}" for file in claim_files]
    if is_of_commits:
        again = " ".join(["podproof review", shown, *options])
        subjects = replace(subjects[0], replay_command=again), replace(subjects[1], replay_command=again)
    chosen = scenarios_of(scenarios, *subjects)
    by = None if fields is None else tuple(name.strip() for name in fields.split(",") if name.strip())
    found = compare_versions(subjects, chosen, by, limits, liveness)
    options = [
        *(f"--scenario {name}" for name in scenarios),
        *([] if fields is None else [f"--by {fields}"]),
        *options,
    ]
    functions, lines = _go(subjects, assumed, liveness)
    line = " ".join(["podproof review", shown, *options])
    origin = Origin(line, notes_of(subjects), tool(), _hunks(subjects), functions, lines)
    code, reason = ENDS[found.worse]
    if end.on_difference:
        code, reason = UNLIKE.get(found.decision, (0, "they are equivalent"))
    if code == 4 and end.undecided_ok:
        code, reason = 0, f"{reason}; --undecided ok lets that pass"
    outputs.write(content(found, origin, Ending(subjects, code, reason, end.undecided_ok, end.on_difference)))
    return code


# -- the sides ---------------------------------------------------------------------------------------------------------


def _is_range(name: str) -> bool:
    """Are these two commits, and no path?"""
    return ".." in name and not name.endswith((".py", ".go")) and not Path(name).exists()


def _pair(a: str | None, b: str | None, version: str) -> tuple[str, str]:
    """Both sides; of a file alone the first is the release that it is nearest to, or that it overrides."""
    if a is None:
        raise click.UsageError("'A' is missing: give A and B, a file alone, or BASE..HEAD")
    if b is not None:
        return a, b
    if a.endswith(".go"):
        base = version or ("v1.26" if is_older(Path(a)) else surroundings_of(Path(a)))
    else:
        release = subject_named(a, "").base
        if release is None:
            raise click.UsageError(f"'B' is missing: what is {a} to be compared with? Give another version or a file")
        base = release.name
    terminal.note(f"{a} is compared with {base}")
    return base, a


def _older(names: tuple[str, str]) -> Path | None:
    """The Go file of kubelet 1.26 or earlier that is compared with a release; None for anything else."""
    base, name = names
    return Path(name) if base in VERSIONS and name.endswith(".go") and is_older(Path(name)) else None


# -- the Go ------------------------------------------------------------------------------------------------------------


def _go(
    subjects: tuple[Subject, Subject], assumed: tuple[str, ...], liveness: bool
) -> tuple[Mapping[str, tuple[str, str]], tuple[str, ...]]:
    """Which functions of the Go are EQUAL, and what was translated; of two files those of the second."""
    sides = [side for side in (1, 0) if (file := subjects[side].file) is not None and file.suffix == ".go"]
    if not sides or terminal.detail() is Detail.QUIET:
        return {}, ()
    from podproof.queries.equality import prove_equal, theorem_lines, translation_lines

    own, other, everything = subjects[sides[0]], subjects[1 - sides[0]], terminal.detail() is Detail.FULL
    assert own.file is not None
    found = translation_of(subject_of(own.release.name, None), own.file, assumed)
    lines = list(translation_lines(found, everything))
    if liveness:
        return {}, tuple(lines)
    try:
        theorem = prove_equal(other, own, found)
    except CheckerError as error:
        return {}, (*lines, f"  theorem     not decided: {error}")
    functions = {name: (equality.value, why) for name, (equality, why) in theorem.functions.items()}
    return functions, (*lines, *theorem_lines(theorem, everything))


def _functions_alone(file: Path, version: str, assumed: tuple[str, ...], may_pass: bool, outputs: Outputs) -> int:
    """Judge the functions of a worker whose goroutine is not translated. The exit code: nobody can tell of the rest."""
    from podproof.queries.equality import prove_equal, theorem_lines, translation_lines

    if outputs.form != "text" or outputs.main is not None or outputs.files:
        raise click.UsageError(f"{file}: kubelet 1.26 or earlier, of which only single functions are told, as text")
    release, everything = subject_of(version, None), terminal.detail() is Detail.FULL
    found = translation_of(release, file, assumed, partly=True)
    if not found.functions:
        raise CheckerError(
            f"{found.file.name}: this is kubelet 1.21 or earlier, which had another worker: it knows no phases of a "
            "pod, and keeps no status of one. None of its functions is translated, so none is judged; the model of "
            "that worker is --version v1.20"
        )
    theorem = prove_equal(release, go_subject(file, version, assumed, partly=True), found)
    show(
        f"CANNOT TELL: of {file.name} single functions are translated, and not its goroutine",
        *translation_lines(found, everything),
        *theorem_lines(theorem, everything),
    )
    return 0 if may_pass else 4


def _emit(function: str, files: Sequence[str], version: str, assumed: tuple[str, ...]) -> int:
    """Print what a Go file is translated to, or one function of it."""
    if len(files) != 1 or not files[0].endswith(".go"):
        raise click.UsageError("--emit: it prints the translation of a Go file; give that alone")
    file = Path(files[0])
    older = is_older(file)
    found = translation_of(subject_of(version or ("v1.26" if older else DEFAULT_OF_GO), None), file, assumed, older)
    text = found.text if function == ALL else found.text_of(function)
    if not text:
        raise CheckerError(f"--emit: no function {function!r} is translated; there are {', '.join(found.functions)}")
    show(*text.splitlines())
    return 0


def _from_repository(repo: Path, a: str | None, b: str | None, path: str, worktree: bool) -> tuple[Path, Path]:
    """The two versions of the file, in a folder that is there until the command ends."""
    if b is not None:
        raise click.UsageError(f"--repo: {b!r} is one argument too many; give BASE..HEAD, or a commit with --worktree")
    folder = Path(click.get_current_context().with_resource(tempfile.TemporaryDirectory()))
    if worktree:
        return Repository(repo).against_worktree(a or "HEAD", path, folder)
    if a is None:
        raise click.UsageError("--repo: which commits? Give BASE..HEAD, or --worktree for what is not committed")
    return Repository(repo).versions(a, path, folder)


def _hunks(subjects: tuple[Subject, Subject]) -> tuple[str, ...]:
    """How two Go files differ, line by line; nothing where a side is none."""
    files = [subject.file for subject in subjects if subject.file is not None and subject.file.suffix == ".go"]
    if len(files) < 2:
        return ()
    first, second = (file.read_text(encoding="utf-8").expandtabs(4).splitlines() for file in files)
    return tuple(difflib.unified_diff(first, second, files[0].name, files[1].name, lineterm=""))


@dataclass(frozen=True)
class Ending:
    """What was compared, and how the command ends."""

    subjects: tuple[Subject, Subject]
    code: int
    reason: str
    undecided_ok: bool = False
    on_difference: bool = False
    """Is every difference a failure, and not only what is worse?"""


def content(found: Comparison, origin: Origin, end: Ending) -> Content:
    """The comparison, as every format is rendered from."""
    claims = dict.fromkeys(claim for subject in end.subjects for claim in subject.every_claim)

    def html(page: Page) -> str:
        from podproof.cli.review_page import review_html

        return review_html(page, found, end.subjects)

    return Content(
        parts=lambda detail: text_parts(page_of(found, origin), detail),
        data=lambda: review_data(found, origin),
        report=lambda: report_of(
            "review",
            origin.command,
            end.subjects,
            comparison_findings(found, rules(claims, origin.sources), origin.command, end.on_difference),
            (end.code, end.reason),
            end.undecided_ok,
        ),
        page=lambda: page_of(found, origin),
        html=html,
        go_tests=lambda: _go_tests(found, end.subjects[1]),
    )


def _go_tests(found: Comparison, subject: Subject) -> GoTests:
    """Of each claim that the second version violates."""
    from podproof.queries.go_tests import go_tests  # Jinja2 takes a while to load.

    broken = ((claim.property, claim.evidence[1]) for claim in found.claims)
    violations = [
        (e.systems[0], replace(conclude(p, Shown(e.trace)), failure=e.failure)) for p, e in broken if e is not None
    ]
    return go_tests(subject, violations)
