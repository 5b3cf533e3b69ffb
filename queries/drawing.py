"""From what the command line asks to be drawn to the diagram."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from podproof.checker.core.system import CheckerError, Limits, StateGraph, Status, System, TooWide
from podproof.checker.engines import AUTO, DEFAULT_ENGINE, IN_SETS, compiled
from podproof.checker.lowering.claims import answers
from podproof.checker.reductions import REDUCTIONS, relevant_variables
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.build import (
    Subject,
    properties_of,
    refuse_other_claims,
    run_properties_of,
    scenarios_of,
    subject_of,
    system_of,
    with_claims,
)
from podproof.queries.search import engines_for, explore, explore_runs
from podproof.reports.pictures.diagram import Caption, StateDiagram
from podproof.reports.pictures.queries import QueryTable, queries_of
from podproof.reports.pictures.trace import TraceDiagram
from podproof.reports.presets import PRESETS, Preset, phase_of, short_phase
from podproof.reports.projection import fields_of, phases_of, projection_of, whole_projection
from podproof.reports.render.forms import PROGRAM, Drawing
from podproof.reports.state_text import STATUSES

DEFAULT = "lifecycle"
"""The preset of a diagram for which nothing is chosen."""
NO_RESTART = "terminated_pods_never_restart"
"""The claim that the diagram of phases names: no arrow leads back from where a pod is terminated to where it syncs."""
RUNS = re.compile(r"containers\[0\]|layers\[0\]\.runtime\.(init_)?containers\[\d+\]\.state")
MOST_EVENTS = 8
"""A preset has few arrows, so each can name more events."""


@dataclass(frozen=True)
class Request:
    """What to draw; of `fields`, `trace` and `preset` at most one is set."""

    version: str
    model: Path | None
    scenario: str | None
    fields: str | None = None
    trace: str | None = None
    preset: str | None = None
    go: Path | None = None
    assumed: tuple[str, ...] = ()
    claim_files: tuple[Path, ...] = ()

    def diagram(self, form: str) -> Drawing:
        """The diagram, captioned with the command that draws it in this format. Raises CheckerError."""
        chosen = {"--by": self.fields, "--trace": self.trace, "--preset": self.preset}
        given = [option for option, value in chosen.items() if value is not None]
        if len(given) > 1:
            raise CheckerError(f"{' and '.join(given)}: each asks for another diagram; give one of them")
        if self.scenario == "all":
            raise CheckerError("--scenario all: a diagram shows one scenario; name one of `podproof explain scenarios`")
        subject = self._subject()
        if self.trace is not None:
            return self._sequence(subject, self.trace, form)
        if self.preset is not None:
            return self._preset(subject, PRESETS[self.preset], form)
        if self.fields is not None:
            return self._states(subject, self.fields, form)
        system = system_of(subject, self._scenario(subject))
        if f"{STATUSES}[0].present" not in system.positions:
            return self._states(subject, ",".join(phases_of(system)), form)
        return self._preset(subject, PRESETS[DEFAULT], form)

    def _command(self, form: str, scenario: str, *rest: str) -> str:
        """The command with every choice in it, so that it goes on to mean the same when a default changes."""
        option = self._subject().option
        return f"{PROGRAM} {option} {shlex.join(['--scenario', scenario, *rest, '-o', form])}"

    def _subject(self) -> Subject:
        return with_claims(subject_of(self.version, self.model, self.go, self.assumed), self.claim_files)

    def _scenario(self, subject: Subject, default: str = "one-pod") -> Scenario:
        (scenario,) = scenarios_of([self.scenario or default], subject)
        return scenario

    def _states(self, subject: Subject, fields: str, form: str) -> Drawing:
        scenario = self._scenario(subject)
        system = system_of(subject, scenario)
        by = fields_of(system, [name.strip() for name in fields.split(",") if name.strip()])
        graph = _explore(system, scenario, [field.variable.path for field in by])
        command = self._command(form, scenario.name, "--by", fields)
        return StateDiagram(projection_of(graph, by), Caption(command))

    def _preset(self, subject: Subject, preset: Preset, form: str) -> Drawing:
        scenario = self._scenario(subject, preset.scenario)
        system = system_of(subject, scenario)
        command = self._command(form, scenario.name, "--preset", preset.name)
        paths = preset.fields(system)
        if preset.group is None:
            return self._queries(system, scenario, paths, command)
        group, is_of_phases = preset.group(system), preset.name == DEFAULT
        # Where containers run is told beside the phases.
        paths = [*paths, *(path for path in system.positions if is_of_phases and RUNS.fullmatch(path))]
        whole = whole_projection(_explore(system, scenario, paths), fields_of(system, paths))
        projection = whole.grouped(group, MOST_EVENTS)
        if not preset.returns:
            projection = projection.without_returns()
        caption = Caption(command, preset.subject, preset.seen_in(system), preset.returns)
        if not is_of_phases:
            return StateDiagram(projection, caption)
        values = [dict(zip(paths, node, strict=True)) for node in whole.nodes()]
        running = frozenset(short_phase(group(of)) for of in values if any(_runs(system, of)))
        return StateDiagram(projection, caption, running, self._never(subject, scenario))

    def _never(self, subject: Subject, scenario: Scenario) -> str:
        """What is known of pods that are terminated: whether the claim that they never start again holds."""
        if NO_RESTART not in {claim.id for claim in properties_of(subject, scenario)}:
            return ""
        found = explore(subject, scenario, (NO_RESTART,), DEFAULT_ENGINE, Limits(), tuple(REDUCTIONS))
        assert found is not None
        holds = found.verdicts[0].status is Status.HOLDS
        return f"{NO_RESTART.replace('_', ' ')}: holds in scenario {scenario.name}" if holds else ""

    def _queries(self, system: System, scenario: Scenario, paths: Sequence[str], command: str) -> Drawing:
        found = answers(system, queries_of(system.shape.cls))
        read = dict.fromkeys([*paths, *(path for answer in found for path in answer.reads)])
        return QueryTable.of(system, _explore(system, scenario, list(read)), found, phase_of, command)

    def _sequence(self, subject: Subject, claim: str, form: str) -> Drawing:
        refuse_other_claims(subject, [claim], (*subject.claims, *subject.run_claims), "--trace")
        scenario = self._scenario(subject)
        claims_of = run_properties_of if subject.is_about_runs(claim) else properties_of
        if not claims_of(subject, scenario, [claim]):
            where = [s.name for s in subject.scenarios.values() if claims_of(subject, s, [claim])]
            hint = f"it is about {', '.join(where)}: add --scenario" if where else f"nor about {subject.name} at all"
            raise CheckerError(f"--trace {claim}: this claim is not about the scenario {scenario.name}; {hint}")
        seek = partial(explore_runs, needs=False) if subject.is_about_runs(claim) else explore
        found = seek(subject, scenario, (claim,), DEFAULT_ENGINE, Limits(), tuple(REDUCTIONS))
        assert found is not None
        (verdict,), system = found.verdicts, found.system
        if verdict.trace is None:
            raise CheckerError(
                f"--trace {claim}: there is no trace to draw, the claim {_in_words(verdict.status)} in "
                f"{scenario.name} ({verdict.reason}); name a scenario where it is violated, see `podproof check "
                f"{subject.option} --scenario all --property {claim}`"
            )
        command = self._command(form, scenario.name, "--trace", claim)
        return TraceDiagram(system, verdict, verdict.trace, command)


def _runs(system: System, values: Mapping[str, int]) -> Iterator[bool]:
    """Of each container of the first pod, or of all of them, whether it runs."""
    for path, value in values.items():
        if RUNS.fullmatch(path):
            yield str(system.variables[system.index(path)].show(value)) in ("True", "running")


def _in_words(status: Status) -> str:
    return {Status.HOLDS: "holds", Status.VIOLATED: "is violated, but by no single run,"}.get(status, "is undecided")


def _explore(system: System, scenario: Scenario, paths: Sequence[str]) -> StateGraph:
    """The reachable states projected on some variables. Raises CheckerError when that was interrupted."""
    keep, graph = relevant_variables(system, (), paths), None
    with progress.show_progress(system.name.replace("/", " ")) as report:
        if IN_SETS in engines_for(AUTO, scenario, Limits()):
            from podproof.checker.engines.diagrams import projection

            with suppress(TooWide):
                graph = projection.state_graph(system, keep, paths, progress=report)
        if graph is None:
            graph, _ = compiled.state_graph(system, keep, paths, Limits(), report)
    if not graph.complete:
        raise CheckerError("the exploration was interrupted; a diagram of a part would mislead, so none is drawn")
    return graph
