"""The theorem about a Go file: the world in which it is asked, and what may hold there in every state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from podproof.checker.core.graph import Expr
from podproof.checker.core.system import System, Variable
from podproof.golang.waiting import ZERO_OUTPUTS
from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import PodDescription, Scenario
from podproof.model.state import Position

WORLD = Scenario(
    name="every-event",
    environment=Kubelet,
    pods=(
        PodDescription("static", "web_default", static=True),
        PodDescription("api", "web_default", adds=2, removes=2, running=True),
    ),
    deletion_seconds=(5, 0),
    phase_changes=1,
    kills=1,
    rejections=1,
    restarts=1,
    by_default=False,
)
"""Every event may happen, and two pods may want one full name. A theorem is about all of its states and seconds."""

_WORKER = re.compile(r"(workers\[\d+\]\[\d+\]\.)position")
_OLDER = re.compile(r"workers\[(\d+)\]\[\d+\]\.position")
_SLOT = re.compile(r"(.*)\.uids\[(\d+)\]")


def candidates(system: System) -> Mapping[str, Expr]:
    """What may hold in every state of the pod workers, by what it says."""
    nodes = system.nodes()
    records = [path.removesuffix(".present") for path in nodes if path.endswith(".present")]
    return {
        **dict(_about_absent_records(system, records)),
        **{f"{record} is of a pod or of a running pod": _is_of_a_pod(system, record) for record in records
           if f"{record}.running_pod" in nodes},
        **dict(_about_queues(system)),
        **dict(_about_outputs(system)),
        **dict(_about_older_workers(system)),
    }  # fmt: skip


def _about_absent_records(system: System, records: list[str]) -> Iterator[tuple[str, Expr]]:
    """What is nil has no fields that are set, and the update that a worker has begun keeps no request."""
    for variable in system.variables:
        for record in (record for record in records if variable.path.startswith(f"{record}.")):
            node = system.graph.or_(system.nodes()[f"{record}.present"], _is_zero(system, variable))
            yield f"without {record} there is no {variable.path}", node
        if ".active_update.kill_pod_options." in variable.path:
            yield f"there is no {variable.path}", _is_zero(system, variable)


def _is_of_a_pod(system: System, record: str) -> Expr:
    graph, nodes = system.graph, system.nodes()
    told = graph.or_(nodes[f"{record}.pod.present"], nodes[f"{record}.running_pod"])
    return graph.implies(nodes[f"{record}.present"], told)


def _about_queues(system: System) -> Iterator[tuple[str, Expr]]:
    """Behind the end of a queue there is nothing."""
    graph = system.graph
    for variable in system.variables:
        slot = _SLOT.fullmatch(variable.path)
        if slot is not None:
            is_used = graph.lt(graph.integer(int(slot[2])), system.nodes()[f"{slot[1]}.length"])
            yield f"behind its length there is no {variable.path}", graph.or_(is_used, _is_zero(system, variable))


def _about_outputs(system: System) -> Iterator[tuple[str, Expr]]:
    """What a sync function is called with is kept during that call, and while its cache is waited for."""
    graph = system.graph
    for worker, position in ((_WORKER.fullmatch(v.path), v) for v in system.variables):
        if worker is None:
            continue
        work_type = system.variables[system.index(f"{worker[1]}work_type")]
        places = [(f"at {label}", _is(system, position, value)) for value, label in position.labels.items()]
        cache = next(value for value, label in position.labels.items() if label == Position.CACHE.value)
        places += [
            (f"at {position.labels[cache]} to be {label}",
             graph.and_(_is(system, position, cache), _is(system, work_type, value)))
            for value, label in work_type.labels.items()
        ]  # fmt: skip
        for output in ZERO_OUTPUTS:
            variable = system.variables[system.index(f"{worker[1]}{output.removeprefix('worker.')}")]
            for place, there in places:
                yield f"{place} there is no {variable.path}", graph.implies(there, _is_zero(system, variable))


def _about_older_workers(system: System) -> Iterator[tuple[str, Expr]]:
    """Before 1.27 a status is there, and not finished, as long as its goroutine is."""
    graph, nodes = system.graph, system.nodes()
    workers = ((_OLDER.fullmatch(v.path), v) for v in system.variables if "sent_work[0].options.present" in nodes)
    for worker, position in workers:
        if worker is not None:
            status = f"pod_sync_statuses[{worker[1]}]"
            is_alive = graph.and_(nodes[f"{status}.present"], graph.not_(nodes[f"{status}.finished"]))
            for value, label in position.labels.items():
                there = _is(system, position, value)
                yield f"at {position.path} {label} {status} is not finished", graph.implies(there, is_alive)


def _is_zero(system: System, variable: Variable) -> Expr:
    return _is(system, variable, system.initial[0][system.index(variable.path)])


def _is(system: System, variable: Variable, value: int) -> Expr:
    return system.graph.eq(system.nodes()[variable.path], system.graph.constant(variable.is_bool, value))
