"""`podproof explain-trace`: one counterexample as a story, a Go test or JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from podproof.checker.core.system import (
    CheckerError,
    ClaimFailure,
    Exploration,
    Limits,
    Property,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.explain.conjuncts import failure_of
from podproof.checker.explain.stepping import reduce_trace
from podproof.checker.reductions import REDUCTIONS
from podproof.cli import terminal
from podproof.cli.findings import tool
from podproof.cli.options import asked_subject, model_options, properties_option, scenarios_option
from podproof.cli.output_path import OutputPath
from podproof.cli.outputs import write_whole
from podproof.cli.streams import say
from podproof.model.scenarios import Scenario
from podproof.queries.build import (
    Subject,
    properties_of,
    run_properties_of,
    scenarios_of,
    subject_of,
    system_of,
    with_claims,
)
from podproof.queries.search import explore, explore_runs
from podproof.queries.trace_file import read_trace, selected_json
from podproof.queries.versions import VERSIONS
from podproof.queries.walks import WALK, check_command, names_of, walk_command
from podproof.queries.worker_calls import go_test, new_member_in, release_of, unseen
from podproof.reports.actors import OUTSIDE, lane_of
from podproof.reports.content.check import check_data
from podproof.reports.document import GAP, Paragraph, Part, Story, Verbatim, indented
from podproof.reports.go_test import GoTest, Release, go_test_file, held_workers_file
from podproof.reports.layout import Style, number_of
from podproof.reports.render.json import json_text
from podproof.reports.render.text import render_text
from podproof.reports.story import false_part, sentence
from podproof.specs import Claim


@dataclass(frozen=True)
class TraceStory:
    """A trace that is to be told."""

    subject: Subject
    scenario: Scenario
    system: System
    claim: Property
    trace: Trace
    exploration: Exploration | None = None
    """What found it; None when it comes from a file."""

    @property
    def replay(self) -> str:
        if self.claim is WALK:
            return walk_command(self.subject, self.scenario.name, names_of(self.trace))
        return check_command(self.subject, self.scenario.name, self.claim.id)

    @property
    def failure(self) -> ClaimFailure | None:
        """How the claim fails at the end; None for a witness."""
        return None if self.is_witness else failure_of(self.system, self.claim, self.trace)

    @property
    def is_witness(self) -> bool:
        return self.claim.kind == "sometimes"

    @property
    def _claim(self) -> Claim:
        return next(claim for claim in self.subject.every_claim if claim.id == self.claim.id)

    @property
    def upstream(self) -> str:
        """Where upstream says what is claimed; empty for a walk, which claims nothing."""
        return "" if self.claim is WALK else self._claim.source

    @property
    def known(self) -> str:
        """What is known of the version breaking the claim; empty for a witness."""
        if self.is_witness:
            return ""
        return self.subject.known_violation(self._claim, self.scenario.name) or ""

    @property
    def steps(self) -> str:
        if self.exploration is not None:
            return self.exploration.verdicts[0].length_of(self.trace)
        steps = len(self.trace.steps)
        return number_of(steps, "step") if self.trace.lasso is None else self.trace.lasso.in_words(steps)


@terminal.command(
    "explain-trace",
    examples=[
        ("podproof explain-trace --property evictions_are_recorded", "its shortest counterexample as text"),
        ("podproof explain-trace --format go-test --output-file pod_workers_claims_test.go", "a test for every claim"),
        ("podproof explain-trace --trace result.json#2 --format go-test", "the second trace that check -o json wrote"),
    ],
)
@model_options
@scenarios_option("Where to look; may be repeated. Default: as in check.")
@properties_option("every violated claim")
@click.option(
    "--trace", "trace_file", metavar="FILE[#N]", help="A trace of `check -o json`, or a walk saved from `explore`."
)
@click.option("--whole", is_flag=True, help="Keep the steps of --trace that the violation does not need.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["story", "go-test", "json"]),
    default="story",
    show_default=True,
    help="A Go test is for pkg/kubelet of the release.",
)
@click.option("--output-file", type=OutputPath(), help="Write to this file instead of standard output.")
def explain_trace(
    version: str,
    model: Path | None,
    go: Path | None,
    assumed: tuple[str, ...],
    claim_files: tuple[Path, ...],
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    trace_file: str | None,
    whole: bool,
    form: str,
    output_file: Path | None,
) -> int:
    """Tell the shortest counterexample of a claim, or the shortest witness of one that says what must be possible."""
    if trace_file is None:
        told = _search(asked_subject(version, model, go, assumed, claim_files), scenarios, properties)
    else:
        own = None if model is None and go is None else subject_of(version, model, go, assumed)
        told = _read(trace_file, own, claim_files, scenarios, properties)
        if not whole and form != "json":
            told = [_needed(one) for one in told]
    match form:
        case "story":
            text = render_text(_stories(told), terminal.style() if output_file is None else Style())
        case "go-test":
            release = _release(told)
            text = _go_tests(told, release)
            _hold(text, release, output_file)
        case _:
            text = _json(told) if trace_file is None else selected_json(trace_file, properties)
    if output_file is None:
        click.echo(text, nl=False)
    else:
        write_whole(output_file, text)
        terminal.note(f"wrote {output_file}")
    return 0


# -- where the traces come from ----------------------------------------------------------------------------------------


def _search(subject: Subject, names: Sequence[str], properties: tuple[str, ...]) -> list[TraceStory]:
    """Of each claim the shortest trace in these scenarios, in the order of the claims. Raises CheckerError."""
    best: dict[str, TraceStory] = {}
    is_of_runs = any(map(subject.is_about_runs, properties))
    seek = partial(explore_runs, needs=False) if is_of_runs else explore
    for scenario in scenarios_of(names, subject):
        found = seek(subject, scenario, properties, "auto", Limits(), tuple(REDUCTIONS))
        if found is None:
            continue
        if found.interrupted:
            raise KeyboardInterrupt
        for verdict in found.verdicts:
            if (told := _tell(subject, scenario, found, verdict, bool(properties))) is not None:
                known = best.get(verdict.property.id)
                if known is None or len(told.trace.steps) < len(known.trace.steps):
                    best[verdict.property.id] = told
    missing = [name for name in properties if name not in best]
    if missing or not best:
        what = f"{', '.join(missing)} in" if missing else "a violated claim in"
        where = ", ".join(names) or "the default scenarios"
        raise CheckerError(
            f"explain-trace: there is no trace to tell of {what} {where} of {subject.name}: what holds there has no "
            "counterexample; `podproof check` says what is violated, and where"
        )
    return [best[claim.id] for claim in subject.every_claim if claim.id in best]


def _tell(subject: Subject, scenario: Scenario, found: Exploration, verdict: Verdict, named: bool) -> TraceStory | None:
    """The trace of a violated claim, or of a witness that was asked for by name."""
    witness = named and verdict.property.kind == "sometimes"
    if verdict.trace is None or not (verdict.status is Status.VIOLATED or witness):
        return None
    only = dataclasses.replace(found, verdicts=(verdict,))
    return TraceStory(subject, scenario, found.system, verdict.property, verdict.trace, only)


def _read(
    trace_file: str,
    own: Subject | None,
    claim_files: tuple[Path, ...],
    scenarios: Sequence[str],
    properties: tuple[str, ...],
) -> list[TraceStory]:
    """The trace in a file, taken again by the user's own workers or by the release that it names.

    Raises CheckerError where these do something else.
    """
    if scenarios:
        raise CheckerError(
            "--trace and --scenario: the file says in which scenario its traces are; give one of the two"
        )
    told = []
    for stored in read_trace(trace_file, properties):
        if own is None and stored.version not in VERSIONS:
            raise CheckerError(
                f"--trace {trace_file}: it is of {stored.version!r}, which is no release; give the file of the "
                "proposal with --model, or --go, too"
            )
        subject = with_claims(own or subject_of(stored.version, None), claim_files)
        (scenario,) = scenarios_of([stored.scenario], subject)
        system = system_of(subject, scenario)
        is_run = subject.is_about_runs(stored.claim)
        known = (run_properties_of if is_run else properties_of)(subject, scenario)
        claims = {claim.id: claim for claim in (WALK, *known)}
        if stored.claim not in claims:
            raise CheckerError(
                f"--trace {trace_file}: {stored.claim!r} is no claim about {scenario.name} of {subject.name}; "
                "see `podproof explain properties`"
            )
        claim = claims[stored.claim]
        trace = stored.run(system, claim) if is_run else stored.replayed(system)
        told.append(TraceStory(subject, scenario, system, claim, trace))
    return told


def _needed(one: TraceStory) -> TraceStory:
    """The same without the steps that the violation does not need. Raises CheckerError where there is no violation."""
    if one.is_witness or one.trace.lasso is not None:
        return one
    environment = {action.actor for action in one.system.actions if lane_of(action.actor) in OUTSIDE}
    trace = reduce_trace(one.system, one.claim, one.trace, environment)
    if (dropped := len(one.trace.steps) - len(trace.steps)) > 0:
        steps = number_of(len(one.trace.steps), "step")
        say(f"{one.claim.id}: {dropped} of {steps} left out, not needed to break it; --whole keeps them")
    return dataclasses.replace(one, trace=trace)


# -- the forms ---------------------------------------------------------------------------------------------------------


def _stories(told: Sequence[TraceStory]) -> Iterator[Part]:
    """Each trace with what its claim says."""
    for number, one in enumerate(told):
        if number:
            yield GAP
        yield Verbatim([f"{one.claim.id}   {one.steps}   {one.subject.name}, scenario {one.scenario.name}"])
        yield indented(
            [
                *([Paragraph(wrong)] if (wrong := sentence(one.failure)) else []),
                Paragraph(one.claim.meaning),
                *([Paragraph(false, is_small=bool(wrong))] if (false := false_part(one.failure)) else []),
                *([Paragraph(f"upstream: {one.upstream}")] if one.upstream else []),
                Story(one.system, one.trace),
                Verbatim([f"replay: {one.replay}"]),
            ]
        )


def _release(told: Sequence[TraceStory]) -> Release:
    """Whose pod worker the tests are for. Raises CheckerError for one that they cannot hold."""
    release = release_of(told[0].subject.cls)
    if len({one.subject.name for one in told}) > 1:
        raise CheckerError("--format go-test: the traces are of several versions, and a file is for one; name a claim")
    if release is None:
        raise CheckerError(
            f"--format go-test: the pod worker of {told[0].subject.name} has no podSyncer and no channels of tokens "
            "that a test could hold; Go tests are for 1.27 and later, story and python for every version"
        )
    return release


def _go_tests(told: Sequence[TraceStory], release: Release) -> str:
    """The tests, in one file. Raises CheckerError for what no test can see."""
    tests = []
    for one in told:
        if one.trace.lasso is not None:
            raise CheckerError(
                f"--format go-test: {one.claim.id!r} is broken by a run that goes on for ever, and a test ends; take "
                "story or python"
            )
        if (member := new_member_in(one.system, one.trace)) is not None:
            raise CheckerError(
                f"--format go-test: the trace of {one.claim.id!r} comes by {member.value!r}, a new member of "
                f"{type(member).__name__}, which the Go does not have; take story or python"
            )
    for one in told:
        test = go_test_of(one)
        if test.skip:
            say(f"{one.claim.id}: t.Skip, {test.skip}")
        tests.append(test)
    return go_test_file(tests, release, HEAD)


def go_test_of(one: TraceStory) -> GoTest:
    name = "Test" + "".join(word.capitalize() for word in one.claim.id.split("_"))
    test = go_test(one.system, one.scenario, one.claim, one.trace, name)
    return dataclasses.replace(test, comment=_comment(test, one))


HEAD = (
    "Tests of pkg/kubelet/pod_workers.go, written by podproof from counterexamples. This file belongs beside",
    "pod_workers_test.go, whose newNamedPod it uses, and held_workers_test.go, which podproof writes too.",
)
HELD_WORKERS = "held_workers_test.go"


def _hold(tests: str, release: Release, output_file: Path | None) -> None:
    """Write what the tests hold goroutines with beside them. Raises CheckerError where that name is taken."""
    if "newHeldWorkers(" not in tests:
        return
    if output_file is None or (output_file.exists() and not output_file.is_file()):
        click.echo(f"the tests need {HELD_WORKERS} beside them, which --output-file FILE writes", err=True)
        return
    path, text = output_file.with_name(HELD_WORKERS), held_workers_file(release)
    ours = not path.exists() or path.read_text("utf-8", "replace").partition("\n")[0] == text.partition("\n")[0]
    if output_file.name == HELD_WORKERS or not ours:
        raise CheckerError(
            f"--output-file {output_file}: the file that the tests need beside them would be {path}, and that is "
            "another one; choose another name or folder for the tests"
        )
    write_whole(path, text)
    terminal.note(f"wrote {path}")


def _comment(test: GoTest, one: TraceStory) -> list[str]:
    what = "to what must be possible" if one.is_witness else "to where it breaks a claim"
    lines = [
        f"{test.name} takes the pod worker of {one.subject.name} {'along a walk' if one.claim is WALK else what}:",
        "",
        f"\t{one.claim.id}",
        "",
        *([f"What goes wrong: {wrong}.", ""] if (wrong := sentence(one.failure)) else []),
        one.claim.meaning,
        *([f"Upstream: {one.upstream}."] if one.upstream else []),
        *([f"Known: {one.known}."] if one.known else []),
    ]
    if not one.is_witness and not test.skip:
        lines += ["", "It expects what the release does: it passes there, and fails once that is mended."]
    if names := unseen(one.system, one.claim):
        lines += [f"The claim also asks for what a test of the pod workers cannot see: {', '.join(names)}."]
    return [*lines, "", f"\t{one.replay}"]


def _json(told: Sequence[TraceStory]) -> str:
    explorations = [one.exploration for one in told if one.exploration is not None]
    replays = {one.claim.id: one.replay for one in told}
    return json_text(check_data(explorations, tool(), lambda _exploration, verdict: replays[verdict.property.id]))
