"""A node of many pods, decided by its members: what each does among the others it does by itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from podproof.checker.conclude import Exhausted, Shown, Undecided, conclude
from podproof.checker.core.graph import variables_below
from podproof.checker.core.system import (
    ActionCount,
    CheckerError,
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    Property,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import evidence, is_shown
from podproof.checker.decide import confirm
from podproof.checker.engines import DEFAULT_ENGINE
from podproof.checker.explain.failing_part import with_failures
from podproof.checker.locality import Abstraction, Simulation, StateFunction, carries_over, untaken_alike
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.processes import Task
from podproof.checker.reductions.symmetry import Names
from podproof.model import crowd as model
from podproof.model.crowd import NODES, Crowd
from podproof.model.kubelet import Housekeeping, Kubelet
from podproof.model.scenarios import Scenario
from podproof.queries import pool, progress
from podproof.queries.build import Subject, properties_of, system_of
from podproof.reports.content.pods import PodsVerdict

SYNC_KNOWN_PODS, LIST_PODS = Kubelet.housekeeping_sync_known_pods.__name__, Kubelet.housekeeping_list_pods.__name__


def answer_for(subject: Subject, crowd: Crowd, wanted: Sequence[str] = ()) -> PodsVerdict:
    """What each member of a crowd does among the others, and which claims about all of them carry over."""
    large = system_of(subject, crowd, unbounded=True)
    smalls = [system_of(subject, crowd.alone(number), unbounded=True) for number in range(len(crowd.members))]
    parts = [Simulation(large, small, abstraction_of(crowd, number)) for number, small in enumerate(smalls)]
    about = crowd.members[0] if len(set(crowd.members)) == 1 else crowd
    claims = [p for p in properties_of(subject, about, wanted) if p.kind != "sometimes"]
    lowered = list(zip(*(lower_properties(system, claims) for system in (large, *smalls)), strict=True))

    def ways_of(some: Sequence[Sequence[LoweredProperty]]) -> dict[str, str]:
        ways = {}
        for mine, *theirs in some:
            step = carries_over(parts, mine, theirs)
            ways[mine.property.id] = step and f"{step}: {_why(parts[0], mine, step)}"
        return ways

    gaps, carried = list(_shared_counters(large)), dict[str, str]()
    processes = pool.at_a_time(len(parts) + len(lowered))
    # The claims take longest, so they begin; those that are decided together share what they ask of a step.
    groups = min(processes if processes == 1 else 2 * processes, len(lowered))
    tasks = [Task(partial(ways_of, lowered[first::groups])) for first in range(groups)]
    tasks += [Task(partial(lambda part: list(part.gaps()), part)) for part in parts]
    tasks.append(Task(lambda: list(untaken_alike(parts))))
    answers = dict[int, Any]()
    with progress.stage(f"{subject.name} {crowd.name}") as tell:
        for number, answer in pool.answers(tasks, processes):
            answers[number] = answer
            tell(f"{len(answers)} of {len(tasks)} parts of the proof that each member does what it does by itself")
    for _, answer in sorted(answers.items()):
        if isinstance(answer, dict):
            carried |= answer
        else:
            gaps += answer
    carried = {p.id: carried[p.id] for p in claims if p.id in carried}
    return PodsVerdict(
        version=subject.name,
        scenario=crowd.name if crowd.name in NODES else crowd.members[0].name,
        among=crowd.name,
        members=Counter(member.name for member in crowd.members),
        pods=len(crowd.pods),
        transitions=len(large.transitions),
        shown=not gaps,
        gaps=tuple(dict.fromkeys(gaps)),
        meeting=tuple(_meeting(smalls[0], large)),
        carried=tuple(id for id, way in carried.items() if not way),
        alone={id: way for id, way in carried.items() if way},
    )


def explore_members(
    subject: Subject,
    crowd: Crowd,
    wanted: tuple[str, ...],
    by_itself: Callable[[Scenario, tuple[str, ...]], Exploration | None],
) -> Exploration | None:
    """The verdicts on a crowd from those on its members by themselves; None when no claim is about it.

    What a member violates, or shows, it does among others of which nobody ever hears: its trace is taken again there,
    and is not said to be the shortest. What none violates holds where it was shown to carry over; whether it is
    vacuous is not asked.
    """
    if not issubclass(crowd.environment, Kubelet):
        raise CheckerError(
            f"--scenario {crowd.name}: its members are of environment {crowd.environment_name}, and "
            "members decide where the callers of the pod workers are around them; name an --engine, or other members"
        )
    if not issubclass(crowd.model_class(subject.cls), Kubelet):
        raise CheckerError(
            f"--scenario {crowd.name}: it has the callers of kubelet 1.22 and later, which {subject.name} lacks; "
            "take a later --version"
        )
    started, properties = time.monotonic(), properties_of(subject, crowd, wanted)
    if not properties:
        return None
    kinds = {member: crowd.members.index(member) for member in crowd.members}
    asked = tuple(p.id for p in properties)
    found = {}
    for number in kinds.values():
        alone = by_itself(crowd.alone(number), asked)
        if alone is not None:
            found[number] = alone
        if alone is not None and alone.interrupted:
            break
    large, verdicts, shown = system_of(subject, crowd), list[Verdict](), None
    is_interrupted = any(one.interrupted for one in found.values())
    try:
        if not is_interrupted:
            shown = answer_for(subject, crowd, wanted)
    except KeyboardInterrupt:
        is_interrupted = True
    for p in lower_properties(large, properties):
        lone = {number: v for number, one in found.items() for v in one.verdicts if v.property.id == p.property.id}
        traces = list[Trace]()
        for number, v in lone.items():
            with suppress(EngineFault):  # What the others are in the way of is no trace of the crowd.
                if v.trace is not None:
                    traces.append(_among_others(large, crowd.names_of(number), found[number].system, v.trace))
        trace = min(filter(partial(is_shown, large, p), traces), key=lambda trace: len(trace.steps), default=None)
        verdicts.append(_verdict(p.property, trace, [lone.get(number) for number in kinds.values()], shown))
    number_of_kind = Counter(kinds[member] for member in crowd.members)
    members = (
        f"{number_of_kind[number]} x {crowd.members[number].name} with {one.states:,} states"
        for number, one in found.items()
    )
    explored = list(found.values())
    reasons = dict.fromkeys(one.reason for one in explored if not one.complete)
    unasked = (f"no claim is about {crowd.members[n].name} by itself" for n in kinds.values() if n not in found)
    reasons |= dict.fromkeys(["interrupted"] if shown is None else (*shown.gaps[:1], *unasked))
    return with_failures(
        confirm(
            Exploration(
                system=large,
                engine=explored[0].engine if explored else DEFAULT_ENGINE,
                complete=not reasons,
                reason="; ".join(reasons),
                seconds=time.monotonic() - started,
                verdicts=tuple(verdicts),
                states=sum(one.states for one in explored),
                transitions=sum(one.transitions for one in explored),
                depth=None,
                peak_bytes=max((one.peak_bytes for one in explored), default=0),
                actions=_summed(explored),
                bounds_hit=dict(sum((Counter(one.bounds_hit) for one in explored), Counter())),
                reductions=(f"each member explored by itself ({', '.join(members)}), as docs/pods.md says",),
                interrupted=is_interrupted,
            )
        )
    )


def _verdict(p: Property, trace: Trace | None, lone: Sequence[Verdict | None], shown: PodsVerdict | None) -> Verdict:
    """The verdict on a claim about a crowd: `trace` is one of its own, `lone` what was found of each kind of member."""
    if trace is not None:
        return conclude(p, Shown(trace, is_shortest=False))
    undecided = next((v for v in lone if v is not None and v.status is Status.UNKNOWN), None)
    if p.is_witnessed:
        why = "no member shows it by itself"
    elif any(v is not None and v.status is Status.VIOLATED for v in lone):
        why = "a member violates it by itself, and not in the same steps among the others"
    elif undecided is not None:
        why = undecided.reason
    elif shown is None:
        why = "interrupted"
    elif shown.gaps:
        why = f"not shown that a member does among the others what it does by itself: {shown.gaps[0]}"
    elif None in lone:
        why = "not asked of each member, as the claim is about certain scenarios only"
    elif p.id not in shown.carried:
        way = shown.alone.get(p.id, "it was not asked")
        why = f"holds for each member by itself, which is not enough: {way}"
    else:
        return conclude(p, Exhausted())
    return conclude(p, Undecided(why))


def _among_others(large: System, names: Names, small: System, trace: Trace) -> Trace:
    """What a member, to whom these names belong, did by itself, among others that do nothing.

    To housekeeping the others are not known, so a pass that was over after SyncKnownPods goes on to the running pods.
    """
    moves = list[Move]()
    for move, state in zip(trace.moves, trace.states, strict=False):
        if moves and moves[-1].action == SYNC_KNOWN_PODS and small.build(state).housekeeping == Housekeeping.IDLE:
            moves.append(Move(LIST_PODS, {}))
        values = dict(move.values)
        for parameter in large.action[move.action].parameters:
            named = names.get(parameter.scalar.domain, ())
            if 0 <= values[parameter.name] < len(named):
                values[parameter.name] = named[values[parameter.name]]
        moves.append(Move(move.action, values))
    return evidence(large, moves)


def _summed(explored: Sequence[Exploration]) -> Mapping[str, ActionCount]:
    """How often each action was taken in any of these."""
    names = dict.fromkeys(name for one in explored for name in one.actions)
    return {name: ActionCount(sum(one.actions[name].taken for one in explored), None) for name in names}


def abstraction_of(crowd: Crowd, number: int) -> Abstraction:
    """How one member of a crowd looks to itself."""
    names = crowd.names_of(number)
    first, count = names["uids"][0], len(names["uids"])
    seen = {
        f"known_pods[{i}]": StateFunction(model.known_pod_as_seen, (first, count, uid))
        for i, uid in enumerate(names["uids"])
    }
    return Abstraction(
        names=names,
        seen={"housekeeping": StateFunction(model.housekeeping_as_seen, (first, count)), **seen},
        invariant=(
            *(StateFunction(function) for function in model.INVARIANTS),
            *(
                StateFunction(model.kills_are_in_the_budget, (other, member.kills))
                for other, member in enumerate(crowd.members)
            ),
            *(
                StateFunction(
                    model.requests_are_about_their_own_pods, (request, first, count, request in names["kill_requests"])
                )
                for request in range(crowd.sizes["kill_requests"])
            ),
        ),
    )


def _why(part: Simulation, claim: LoweredProperty, step: str) -> str:
    """What the claim depends on in that step that is not as it is for a pod by itself."""
    roots = [claim.state] if claim.state is not None else []
    for t, violated in zip(part.large.transitions, claim.steps or (), strict=False):
        roots += [violated] if t.action.name == step else []
    fields = dict.fromkeys(path.partition("[")[0] for path in part.abstraction.seen)
    read = {path.partition("[")[0] for path in variables_below(roots)}
    different = [field for field in fields if field in read]
    if different:
        return f"depends on {' and '.join(different)}, which others can make differ from what a pod by itself sees"
    return "speaks of several pods at once"


_OF_MEMBERS = tuple(f"budget.{counter}" for counter in model.OWN_COUNTERS)


def _shared_counters(large: System) -> Iterator[str]:
    """What is in the way where a step asks for what is left to all."""
    for t in large.transitions:
        read = variables_below([t.enabled, *t.bounds.values(), *t.faults.values(), *t.updates.values()])
        yield from (f"{t.action.name} reads {path}; use budget_of(uid)" for path in _OF_MEMBERS if path in read)


def _meeting(small: System, large: System) -> Iterator[str]:
    """The variables that belong to no pod, name or kill request, with the actors that read and write them."""
    for path in (v.path for v in small.variables if "[" not in v.path and v.path not in _OF_MEMBERS):
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
