"""`podproof pods`: does what holds for a few pods hold for any number of them? Checks what such an argument needs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import click

from podproof.checker.core.graph import variables_below
from podproof.checker.core.system import CheckerError, Limits, LoweredProperty, System
from podproof.checker.difference.behaviour import refinement
from podproof.checker.locality import Numbering, Part, Simulation, StateFunction, carries_over
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions.symmetry import Names, NotSymmetric, quotient
from podproof.commands.line import progress, terminal
from podproof.commands.line.findings import tool
from podproof.commands.line.options import (
    budget_option,
    max_states_option,
    properties_option,
    scenarios_option,
    subject_options,
)
from podproof.commands.line.outputs import Content, Outputs, output_options
from podproof.commands.systems.build import Subject, properties_of, scenarios_of, system_of
from podproof.model import crowd as model
from podproof.model.containers import Containers
from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import DETAILED, Scenario
from podproof.reports.content.pods import PodsVerdict, pods_data, pods_parts
from podproof.reports.content.surroundings import SurroundingsVerdict, surroundings_data, surroundings_parts

UNDECIDED = 4
Requests = tuple[int, ...]
"""The numbers of the kill requests that are about one member's pods."""


@terminal.command(
    examples=[
        ("podproof pods --scenario orphan", "two pods like the one of this scenario"),
        ("podproof pods --scenario orphan --copies 3", "three of them"),
        ("podproof pods --scenario one-pod --beside orphan", "a pod beside one of another scenario"),
        ("podproof pods --surroundings --scenario pre-stop", "its containers one by one, or one bit for all of them"),
    ]
)
@subject_options
@scenarios_option()
@properties_option()
@click.option(
    "--copies", type=click.IntRange(2, 8), default=2, show_default=True, help="How many copies of each scenario."
)
@click.option("--beside", multiple=True, help="Put this scenario beside it instead of a copy; may be repeated.")
@click.option("--surroundings", is_flag=True, help="Check instead whether one bit for containers is enough.")
@max_states_option
@budget_option
@output_options("pods", forms=("text", "json"))
def pods(
    subject: Subject,
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    copies: int,
    beside: tuple[str, ...],
    surroundings: bool,
    max_states: int | None,
    budget: float | None,
    outputs: Outputs,
) -> int:
    """Say which claims carry over from a scenario's pods to any number of pods like them.

    Checked is that a pod among others does what it could do by itself, whatever they do, and for each claim that many
    pods violate it only where one does. docs/pods.md has the argument. Exit code 4: something could not be shown.

    With --surroundings, of scenarios with containers: do the scenarios that have one bit for a pod's containers allow
    every step that is taken where each container is by itself? Decided on all states. Exit code 1: not every one.
    """
    limits = Limits(max_states, None, budget)
    if surroundings:
        return _compare_surroundings(subject, scenarios, properties, beside, limits, outputs)
    if limits != Limits(None, None, None):
        raise click.UsageError("--max-states and --budget bound a search, and only --surroundings makes one")
    neighbours = scenarios_of(beside, subject) if beside else ()
    chosen = [
        s
        for s in scenarios_of(scenarios, subject)
        if s.environment is Kubelet and issubclass(s.model_class(subject.cls), Kubelet)
    ]
    if not chosen:
        raise CheckerError(
            f"none of these scenarios has the callers of kubelet 1.22 and later around {subject.name}, "
            "which this is about; `podproof list scenarios` has those of environment kubelet"
        )
    answers = []
    for scenario in chosen:
        with progress.told(f"{subject.name} {scenario.name}"):
            answers.append(answer_for(subject, (scenario, *(neighbours or (scenario,) * (copies - 1))), properties))
    code = UNDECIDED if any(answer.gaps for answer in answers) else 0
    meanings = {claim.id: claim.meaning for claim in subject.claims}
    outputs.write(
        Content(
            parts=lambda detail: pods_parts(answers, meanings, detail),
            data=lambda: pods_data(answers, tool(), code),
        )
    )
    return code


def _compare_surroundings(
    subject: Subject,
    names: tuple[str, ...],
    properties: tuple[str, ...],
    beside: tuple[str, ...],
    limits: Limits,
    outputs: Outputs,
) -> int:
    """With one bit for the containers of a pod, and with each of them by itself."""
    if properties or beside:
        raise click.UsageError(
            "--surroundings asks about steps, and one scenario at a time; leave --property and --beside out"
        )
    chosen = [s for s in scenarios_of(names or tuple(DETAILED), subject) if s.environment is Containers]
    chosen = [s for s in chosen if s.is_for(subject.cls)]
    if not chosen:
        raise CheckerError(
            f"none of these scenarios has the containers of {subject.name}, which --surroundings is about; "
            "`podproof list scenarios` has those of environment containers"
        )
    verdicts = []
    for scenario in chosen:
        with progress.told(f"{subject.name} {scenario.name}"):
            systems = [system_of(subject, s) for s in (scenario, replace(scenario, environment=Kubelet))]
            verdicts.append(SurroundingsVerdict(systems[0], refinement(systems[0], systems[1], limits)))
    code = 1 if any(v.found.outside for v in verdicts) else UNDECIDED if any(v.found.reason for v in verdicts) else 0
    outputs.write(
        Content(
            parts=lambda detail: surroundings_parts(verdicts, detail),
            data=lambda: surroundings_data(verdicts, tool(), code),
        )
    )
    return code


def answer_for(subject: Subject, members: Sequence[Scenario], wanted: Sequence[str] = ()) -> PodsVerdict:
    """The first of these scenarios among the others. Claims are asked for when all of them are the same."""
    scenario, crowd = members[0], model.crowd(*members)
    small, large = system_of(subject, scenario, unbounded=True), system_of(subject, crowd, unbounded=True)
    gaps = [
        gap for own in _choices(crowd, scenario) for gap in Simulation(large, small, part_of(members, 0, own)).gaps()
    ]
    carried: dict[str, str] = {}
    if all(member is scenario for member in members):
        lowered = lower_properties(small, properties_of(subject, scenario, wanted))
        lowered = tuple(p for p in lowered if p.property.kind != "sometimes")
        wide = lower_properties(large, [p.property for p in lowered])
        try:
            _, same = quotient(large, wide, [_exchange(crowd, scenario, n) for n in range(1, len(members))])
        except NotSymmetric as difference:
            gaps.append(f"the copies are not interchangeable: {difference}")
        else:
            carried = _carry(small, large, members, list(zip(same, lowered, strict=True)))
    return PodsVerdict(
        version=subject.name,
        scenario=scenario.name,
        among=crowd.name,
        pods=len(crowd.pods),
        copies=len(members) if all(member is scenario for member in members) else None,
        transitions=len(large.transitions),
        gaps=tuple(dict.fromkeys(gaps)),
        meeting=tuple(_meeting(small, large)),
        carried=tuple(id for id, reason in carried.items() if not reason),
        alone=tuple((id, reason) for id, reason in carried.items() if reason),
    )


def _exchange(crowd: Scenario, member: Scenario, number: int) -> Names:
    """The exchange of the first copy of a scenario with another one."""
    uids = _exchanged(len(crowd.pods), len(member.pods), number)
    names = _exchanged(len(crowd.full_names), len(member.full_names), number)
    return {"uids": uids, "optional_uids": uids, "full_names": names, "optional_full_names": names}


def _exchanged(count: int, length: int, number: int) -> tuple[int, ...]:
    """The numbers below `count` with the first `length` and those of the block with this number exchanged."""
    blocks = [tuple(range(start, start + length)) for start in range(0, count, length)]
    blocks[0], blocks[number] = blocks[number], blocks[0]
    return tuple(itertools.chain(*blocks))


def part_of(members: Sequence[Scenario], number: int, own: Requests) -> Part:
    """How one member of a crowd looks to itself, when the kill requests with these numbers are about its pods."""
    before, member = members[:number], members[number]
    first, count = sum(len(m.pods) for m in before), len(member.pods)
    names, requests = sum(len(m.full_names) for m in before), sum(m.sizes["kill_requests"] for m in members)
    uids = tuple(range(first, first + count))
    full_names = tuple(range(names, names + len(member.full_names)))
    seen = {
        f"known_pods[{i}]": StateFunction(model.known_pod_as_seen, (first, count, uid)) for i, uid in enumerate(uids)
    }
    return Part(
        names={
            "uids": uids,
            "optional_uids": uids,
            "full_names": full_names,
            "optional_full_names": full_names,
            "kill_requests": own,
            "optional_kill_requests": own,
        },
        seen={"housekeeping": StateFunction(model.housekeeping_as_seen, (first, count)), **seen},
        counters=frozenset(model.OWN_COUNTERS),
        numbering=Numbering(StateFunction(model.next_kill_request), "budget.kills", "kill_requests"),
        invariant=(
            *(StateFunction(function) for function in model.INVARIANTS),
            *(
                StateFunction(model.requests_are_about_their_own_pods, (request, first, count, request in own))
                for request in range(requests)
            ),
        ),
    )


def _choices(crowd: Scenario, member: Scenario) -> Iterator[Requests]:
    """Every choice of the kill requests that may be about one member."""
    return itertools.combinations(range(crowd.sizes["kill_requests"]), member.sizes["kill_requests"])


def _divisions(requests: Requests, members: Sequence[Scenario]) -> Iterator[tuple[Requests, ...]]:
    """Every way to divide the kill requests among copies of a scenario; which copy is which makes no difference."""
    if not members:
        yield ()
        return
    for own in itertools.combinations(requests, members[0].sizes["kill_requests"]):
        if own[0] == requests[0]:
            for others in _divisions(tuple(r for r in requests if r not in own), members[1:]):
                yield (own, *others)


def _carry(
    small: System, large: System, members: Sequence[Scenario], claims: Sequence[tuple[LoweredProperty, LoweredProperty]]
) -> dict[str, str]:
    """For each claim, about all members and about one, why it does not carry over; empty where it does."""
    requests = tuple(range(sum(m.sizes["kill_requests"] for m in members)))
    found = {mine.property.id: "" for mine, _ in claims}
    for division in _divisions(requests, members):
        parts = [Simulation(large, small, part_of(members, n, own)) for n, own in enumerate(division)]
        for mine, theirs in claims:
            if not found[mine.property.id]:
                step = carries_over(parts, mine, theirs)
                found[mine.property.id] = step and f"{step}: {_why(parts[0], mine, step)}"
    return found


def _why(part: Simulation, claim: LoweredProperty, step: str) -> str:
    """What the claim depends on in that step that is not as it is for a pod by itself."""
    roots = [claim.state] if claim.state is not None else []
    for t, violated in zip(part.large.transitions, claim.steps or (), strict=False):
        roots += [violated] if t.action.name == step else []
    fields = dict.fromkeys(path.partition("[")[0] for path in part.part.seen)
    read = {path.partition("[")[0] for path in variables_below(roots)}
    different = [field for field in fields if field in read]
    if different:
        return f"depends on {' and '.join(different)}, which others can make differ from what a pod by itself sees"
    return "speaks of several pods at once"


def _meeting(small: System, large: System) -> Iterator[str]:
    """The variables that belong to no pod, name or kill request, with the actors that read and write them."""
    for path in (v.path for v in small.variables if "[" not in v.path):
        readers: dict[str, None] = {}
        writers: dict[str, None] = {}
        for t in large.transitions:
            others = [node for target, node in t.updates.items() if target != path]
            if path in variables_below([t.enabled, *t.bounds.values(), *t.faults.values(), *others]):
                readers[t.action.actor] = None
            if path in t.updates:
                writers[t.action.actor] = None
        yield f"{path}: read by {_list(readers)}; written by {_list(writers)}"


def _list(names: dict[str, None]) -> str:
    return ", ".join(names) or "nobody"
