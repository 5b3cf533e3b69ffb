"""`podproof diff`: what a change does to the lifecycle."""

from __future__ import annotations

import difflib
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podproof.checker.conclude import Shown, conclude
from podproof.checker.core.system import Limits
from podproof.checker.difference.result import Comparison, Decision
from podproof.cli import terminal
from podproof.cli.findings import report_of, rules
from podproof.cli.options import (
    assume_option,
    budget_option,
    claims_option,
    max_states_option,
    scenarios_option,
    version_option,
)
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.policy import undecided_option
from podproof.queries.build import Subject, notes_of, scenarios_of, with_claims
from podproof.queries.comparing import compare_versions, subjects_of
from podproof.queries.repository import POD_WORKERS, Repository
from podproof.reports.content.comparison import comparison_findings
from podproof.reports.content.diff.data import diff_data
from podproof.reports.content.diff.page import Origin, page_of
from podproof.reports.document import Page
from podproof.reports.render.json import tool
from podproof.reports.render.text import text_parts

if TYPE_CHECKING:
    from podproof.queries.go_tests import GoTests

SAME, DIFFERENT, UNDECIDED = 0, 1, 4
ENDS: Mapping[Decision, tuple[int, str]] = {
    Decision.DIFFERENT: (DIFFERENT, "they differ"),
    Decision.UNDECIDED: (UNDECIDED, "undecided: no difference as far as was explored, but not all of it was"),
}
"""How the command ends; it ends with SAME for every other decision."""


@terminal.command(
    examples=[
        ("podproof diff v1.29 v1.32", "what changed between two releases"),
        ("podproof diff v1.35 my_change.py", "what a change does"),
        ("podproof diff v1.35 my_change.py --liveness", "who waits for ever with it, and did not before"),
        ("podproof diff v1.32 pod_workers.go", "what a change of the Go does"),
        ("podproof diff --repo ~/kubernetes main..HEAD --version v1.35", "what a pull request does"),
        ("podproof diff v1.35 my_change.py -o markdown --output-file change.md", "as a page for a pull request"),
    ]
)
@click.argument("a", required=False, metavar="A")
@click.argument("b", required=False, metavar="B")
@click.option("--repo", type=click.Path(path_type=Path), help="Compare BASE..HEAD, two commits of this git repository.")
@click.option("--path", "path", default=POD_WORKERS, show_default=True, help="With --repo: the file.")
@click.option("--worktree", is_flag=True, help="With --repo: compare HEAD, or a given commit, with the working tree.")
@scenarios_option()
@click.option(
    "--by", "fields", metavar="FIELD,…", help="The fields to compare. Default: all that are observable of a worker."
)
@click.option(
    "--liveness", is_flag=True, help="Compare what must happen eventually, instead of claims about states and steps."
)
@version_option("The release whose kubelet is the environment of a .go file.", default="")
@assume_option
@claims_option
@max_states_option
@budget_option
@undecided_option
@output_options("diff", more=("html", "svg", "go-test"))
def diff(
    a: str | None,
    b: str | None,
    repo: Path | None,
    path: str,
    worktree: bool,
    scenarios: tuple[str, ...],
    fields: str | None,
    liveness: bool,
    version: str,
    assumed: tuple[str, ...],
    claim_files: tuple[Path, ...],
    max_states: int | None,
    budget: float | None,
    undecided: str,
    outputs: Outputs,
) -> int:
    """Say what changes from A to B: each a version, a file with a class that overrides one, or a Go file.

    Claims gained and lost, methods and steps that differ, and what only one of them can show; or that they are
    equivalent, which is decided and not sampled. With --repo DIR, A is BASE..HEAD: the Go of two commits. Exit code 0
    when nothing differs, 1 when something does, 4 undecided.
    """
    if repo is None:
        if a is None or b is None:
            raise click.UsageError(f"{'A' if a is None else 'B'!r} is missing: give A and B, or --repo DIR BASE..HEAD")
        if worktree:
            raise click.UsageError("--worktree: it is of a git repository; give its folder with --repo")
        shown, subjects = shlex.join([a, b]), subjects_of(a, b, version, assumed)
    else:
        shown = shlex.join(["--repo", str(repo), *filter(None, [a]), *(["--worktree"] if worktree else [])])
        shown += "" if path == POD_WORKERS else f" --path {shlex.quote(path)}"
        before, after = _from_repository(repo, a, b, path, worktree)
        subjects = subjects_of(str(before), str(after), version, assumed)
    subjects = with_claims(subjects[0], claim_files), with_claims(subjects[1], claim_files)
    options = [*(["--liveness"] if liveness else []), *([f"--version {version}"] if version else [])]
    options += [f"--assume {shlex.quote(line)}" for line in assumed]
    options += [f"--claims {shlex.quote(str(file))}" for file in claim_files]
    if repo is not None:
        again = " ".join(["podproof diff", shown, *options])
        subjects = replace(subjects[0], replay_command=again), replace(subjects[1], replay_command=again)
    chosen = scenarios_of(scenarios, *subjects)
    by = None if fields is None else tuple(name.strip() for name in fields.split(",") if name.strip())
    found = compare_versions(subjects, chosen, by, Limits(max_states, None, budget), liveness)
    options = [
        *(f"--scenario {name}" for name in scenarios),
        *([] if fields is None else [f"--by {fields}"]),
        *options,
    ]
    origin = Origin(" ".join(["podproof diff", shown, *options]), notes_of(subjects), tool(), _hunks(subjects))
    code, reason = ENDS.get(found.decision, (SAME, "they are equivalent"))
    may_pass = undecided == "ok"
    if code == UNDECIDED and may_pass:
        code, reason = SAME, f"{reason}; --undecided ok lets that pass"
    outputs.write(content(found, origin, Ending(subjects, code, reason, may_pass)))
    return code


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


def content(found: Comparison, origin: Origin, end: Ending) -> Content:
    """The comparison, as every format is rendered from."""
    claims = dict.fromkeys(claim for subject in end.subjects for claim in subject.every_claim)

    def html(page: Page) -> str:
        from podproof.cli.review_page import review

        return review(page, found, end.subjects)

    return Content(
        parts=lambda detail: text_parts(page_of(found, origin), detail),
        data=lambda: diff_data(found, origin),
        report=lambda: report_of(
            "diff",
            origin.command,
            end.subjects,
            comparison_findings(found, rules(claims, origin.sources), origin.command),
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
