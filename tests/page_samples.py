"""Content for pages: what a real check finds, and the same with markup in every name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from tests.exploring import explored

from podproof.checker.core.graph import Line
from podproof.checker.core.system import Exploration, Parameter, StateGraph, Step, System, Trace
from podproof.checker.engines.compiled import state_graph
from podproof.checker.reductions import relevant_variables
from podproof.queries.build import subject_of
from podproof.queries.page import model_sources
from podproof.reports.page.build import PageContent
from podproof.reports.page.maps import Map, map_fields, maps_of

MARKUP = "<img src=x onerror=\"document.title='gone'\"></script><script>document.title='gone'</script>'&{{ 7 * 7 }}"
"""What must stay text wherever it stands."""
CLAIMS = (
    "grace_period_only_decreases",
    "remembered_kill_requests_are_not_lost",
    "a_pod_runs",
    "grace_period_reaches_the_kill",
)


@cache
def found(scenario: str, claims: tuple[str, ...] = CLAIMS) -> Exploration:
    """What the compiled engine finds about claims of v1.29."""
    return explored("v1.29", scenario, *claims)


@cache
def graph_of(scenario: str) -> tuple[StateGraph, tuple[Trace, ...]]:
    """The graph that the maps of a scenario are made of, with the way to each of its nodes."""
    system = found(scenario).system
    paths = [field.variable.path for field in map_fields(system)]
    keep = relevant_variables(system, (), paths)
    graph, way = state_graph(system, keep, paths)
    return graph, tuple(way(i) for i in range(len(graph.nodes)))


def maps(scenario: str) -> list[Map]:
    graph, ways = graph_of(scenario)
    return maps_of(graph, map_fields(graph.system), ways.__getitem__)


def content(*scenarios: str) -> PageContent:
    """A page about these scenarios."""
    return PageContent(
        subject="v1.29",
        command="podproof check",
        explorations=[found(scenario) for scenario in scenarios],
        maps={scenario: maps(scenario) for scenario in scenarios},
        notes={"grace_period_only_decreases": "the Go says so"},
        sources=model_sources(subject_of("v1.29", None)),
        replay=lambda exploration, verdict: f"podproof check --property {verdict.property.id}",
    )


def hostile_content() -> PageContent:
    """A page whose every name ends with `MARKUP`: of the version, scenario, pod, fields, events, claims and files."""
    whole = found("orphan")
    system = _hostile(whole.system)
    verdicts = tuple(
        replace(
            v,
            property=replace(v.property, id=v.property.id + MARKUP, meaning=MARKUP),
            reason=MARKUP,
            trace=None if v.trace is None else _hostile_trace(v.trace),
        )
        for v in whole.verdicts
    )
    graph, ways = graph_of("orphan")
    made = maps_of(replace(graph, system=system), map_fields(system), lambda node: _hostile_trace(ways[node]))
    files = model_sources(subject_of("v1.29", None))
    return PageContent(
        subject=MARKUP,
        command=MARKUP,
        explorations=[replace(whole, system=system, verdicts=verdicts, reductions=(MARKUP,), bounds_hit={MARKUP: 1})],
        maps={system.scenario: made},
        notes={v.property.id: MARKUP for v in verdicts},
        sources={file + MARKUP: text + f"# {MARKUP}\n" for file, text in files.items()},
        replay=lambda exploration, verdict: MARKUP,
        explore=lambda exploration, trace: MARKUP,
    )


def _hostile(system: System) -> System:
    """The same system under other names; the paths of a pod's status stay, because the maps look for them."""

    def renamed(thing: Any) -> Any:
        if isinstance(thing, Parameter):
            return replace(thing, scalar=replace(thing.scalar, labels=_marked(thing.labels)))
        return replace(thing, labels=_marked(thing.labels))

    return replace(
        system,
        version=MARKUP,
        environment=MARKUP,
        scenario=f"orphan{MARKUP}",
        bounds=MARKUP,
        variables=tuple(
            renamed(v if v.path.startswith("pod_sync_statuses") else replace(v, path=v.path + MARKUP))
            for v in system.variables
        ),
        actions=tuple(
            replace(
                action,
                label=action.label + MARKUP.replace("{", "{{").replace("}", "}}"),
                parameters=tuple(map(renamed, action.parameters)),
            )
            for action in system.actions
        ),
    )


def _marked(labels: Mapping[int, str]) -> dict[int, str]:
    return {value: label + MARKUP for value, label in labels.items()}


def _hostile_trace(trace: Trace) -> Trace:
    return replace(trace, steps=tuple(map(_hostile_step, trace.steps)))


def _hostile_step(step: Step) -> Step:
    changes = tuple(
        replace(
            change,
            path=change.path if change.path.startswith("pod_sync_statuses") else change.path + MARKUP,
            line=None if change.line is None else Line(change.line.file + MARKUP, change.line.number),
        )
        for change in step.changes
    )
    return replace(
        step,
        event=step.event + MARKUP,
        actor=MARKUP,
        changes=changes,
        line=Line(step.line.file + MARKUP, step.line.number),
    )
