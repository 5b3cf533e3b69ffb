"""A pod worker in miniature, written out by hand: its states, traces, results of a check, and a diagram."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from podproof.checker.core.graph import Graph, Line
from podproof.checker.core.shapes import Scalar, notes_of
from podproof.checker.core.system import (
    Action,
    ActionCount,
    Change,
    Exploration,
    Move,
    Parameter,
    Property,
    State,
    StateGraph,
    Status,
    Step,
    System,
    Trace,
    Variable,
    Verdict,
)
from podproof.model.kubelet import Kubelet
from podproof.model.language import Size
from podproof.model.notes import QUIET, WORKER
from podproof.reports.projection import Projection, fields_of, projection_of

NIL = {-1: "nil"}
UPDATE_TYPES = dict(enumerate(("sync", "update", "create", "kill")))
POSITIONS = dict(enumerate(("no goroutine", "spawned", "SyncPod", "SyncTerminatingPod")))

STATUS_FIELDS: Sequence[tuple[str, int, int, Mapping[int, str]]] = (
    ("present", 0, 1, {}),
    ("full_name", -1, 0, {-1: "nil", 0: "web_default"}),
    ("working", 0, 1, {}),
    ("pending_update.present", 0, 1, {}),
    ("pending_update.update_type", 0, 3, UPDATE_TYPES),
    ("pending_update.pod.deletion_grace_period_seconds", -1, 30, NIL),
    ("pending_update.kill_pod_options.present", 0, 1, {}),
    ("terminating_at", 0, 1, {}),
    ("grace_period", 0, 30, {}),
    ("finished", 0, 1, {}),
)


def variable(path: str, low: int, high: int, labels: Mapping[int, str]) -> Variable:
    """A variable with the notes of the model's own field of that name."""
    is_bool = (low, high) == (0, 1) and not labels
    if path.endswith(".full_name"):
        return Variable(path, is_bool, low, high, labels, ((Size("uids"), WORKER), (QUIET,)))
    return Variable(path, is_bool, low, high, labels, notes_of(Kubelet, path))


def variables(pods: int) -> Iterable[Variable]:
    for pod in range(pods):
        for name, low, high, labels in STATUS_FIELDS:
            yield variable(f"pod_sync_statuses[{pod}].{name}", low, high, labels)
        yield variable(f"workers[{pod}][0].position", 0, 3, POSITIONS)
        yield variable(f"workers[{pod}][0].grace_period", -1, 30, NIL)
        yield variable(f"work_queue[{pod}]", 0, 1, {})
    yield variable("completed_channels[0]", 0, 2, {0: "none", 1: "open", 2: "closed"})
    yield variable("budget.deletions", 0, 2, {})


def number(labels: Mapping[int, str]) -> Scalar:
    return Scalar(int, 0, 5, labels, 0)


def action(name: str, label: str, pods: Sequence[str], *parameters: Parameter) -> Action:
    uid = Parameter("uid", number(dict(enumerate(pods))), tuple(range(len(pods))))
    return Action(name, "sync loop", label, (uid, *parameters), Line("model/kubelet.py", 40), print, dict, print)


def system(*pods: str, scenario: str = "one-pod") -> System:
    """A pod worker in miniature."""
    every = tuple(variables(len(pods)))
    start = tuple(v.low if "nil" in v.labels.values() else 0 for v in every)
    grace = Parameter("grace", number({}), (0, 5))
    killer = Parameter("killer", number({0: "hard eviction", 1: "node shutdown"}), (0, 1))
    return System(
        name=f"v1.29/{scenario}",
        version="v1.29",
        environment="kubelet",
        scenario=scenario,
        bounds="1 pod: 1 ADD, 2 deletions, no restart",
        variables=every,
        initial=(start,),
        actions=(
            action("add", "ADD {uid}", pods),
            action("delete", "UPDATE {uid}: deleted with grace period {grace}", pods, grace),
            action("kill", "killPodNow({uid}): {killer}", pods, killer),
            action("sync", "worker {uid}: startPodSync", pods),
            action("forget", "SyncKnownPods", pods),
        ),
        graph=Graph(),
        transitions=(),
        build=cast(Any, None),
        flatten=cast(Any, None),
        record_lines=cast(Any, None),
        shape=cast(Any, None),
        constants={},
        scope=cast(Any, None),
    )


def trace(of: System, *steps: tuple[str, str, Mapping[str, int]]) -> Trace:
    """A trace from (action, event, what it sets by path); every change comes from a line of its own."""
    state, out = of.initial[0], list[Step]()
    for name, event, sets in steps:
        changes, after = list[Change](), list(state)
        for number, (path, value) in enumerate(sets.items(), 10 * (len(out) + 1)):
            i = of.index(path)
            shown = of.variables[i].show
            line = Line("model/miniature.py", number)
            changes.append(Change(path, shown(state[i]), shown(value), line))
            after[i] = value
        state = tuple(after)
        move = Move(name, {"uid": 0})
        out.append(Step(move, "sync loop", event, {"uid": "web"}, tuple(changes), Line("model/kubelet.py", 40), state))
    return Trace(of.initial[0], tuple(out))


STATUS = "pod_sync_statuses[0]."
"""Before the name of a field of the first pod's status."""
ADD = {
    STATUS + "present": 1,
    STATUS + "full_name": 0,
    STATUS + "working": 1,
    STATUS + "pending_update.present": 1,
    STATUS + "pending_update.update_type": 2,
    "workers[0][0].position": 1,
}
DELETE_5 = {
    STATUS + "terminating_at": 1,
    STATUS + "grace_period": 5,
    STATUS + "pending_update.update_type": 1,
    STATUS + "pending_update.pod.deletion_grace_period_seconds": 5,
    STATUS + "pending_update.kill_pod_options.present": 1,
    "budget.deletions": 1,
}
DELETE_0 = {
    STATUS + "grace_period": 30,
    STATUS + "pending_update.pod.deletion_grace_period_seconds": 0,
    "budget.deletions": 0,
}
GRACE = Property("grace_period_only_decreases", "step", "The grace period of a terminating pod never grows.")
FINISHED = Property("finished_is_forever", "always", "A finished pod stays finished until SyncKnownPods forgets it.")
SEEN = Property("a_pod_finishes", "sometimes", "A pod gets through SyncTerminatedPod.")
UNSEEN = Property("a_static_pod_waits", "sometimes", "A static pod waits for another of its name.")


def grace_grows(of: System, detour: int = 0) -> Trace:
    """Deleted with grace 5, then 0, which the older rule mistakes for none; with `detour` idle steps before."""
    idle = (("sync", "worker web: startPodSync", {"work_queue[0]": 1}), ("sync", "SYNC web", {"work_queue[0]": 0}))
    return trace(
        of,
        ("add", "ADD web", ADD),
        *(idle[i % 2] for i in range(detour)),
        ("delete", "UPDATE web: deleted with grace period 5", DELETE_5),
        ("delete", "UPDATE web: deleted with grace period 0", DELETE_0),
    )


def exploration(of: System, *verdicts: Verdict, **fields: Any) -> Exploration:
    plain = Exploration(
        system=of,
        engine="compiled",
        complete=True,
        reason="",
        states=68_123,
        transitions=412_345,
        depth=20,
        seconds=1.25,
        peak_bytes=4_000_000,
        actions={"add": ActionCount(9, 4), "delete": ActionCount(1200, 777), "kill": ActionCount(0, 0)},
        bounds_hit={"waiting static pods": 3},
        reductions=("2 of 12 variables dropped: no claim and no guard reads them",),
        verdicts=verdicts,
    )
    return replace(plain, **fields)


def violated(of: System, detour: int = 0) -> Verdict:
    return Verdict(GRACE, Status.VIOLATED, "after 3 steps, shortest", grace_grows(of, detour))


def two_scenarios() -> list[Exploration]:
    one, pair = system("web"), system("web", "other", scenario="static-pair")
    finishes = trace(one, ("add", "ADD web", ADD), ("sync", "worker web: startPodSync", {STATUS + "finished": 1}))
    return [
        exploration(
            one,
            Verdict(FINISHED, Status.HOLDS, "in every reachable state"),
            violated(one),
            Verdict(SEEN, Status.HOLDS, "seen after 2 steps", finishes),
            Verdict(UNSEEN, Status.VIOLATED, "no reachable state is like this"),
        ),
        exploration(
            pair,
            violated(pair, detour=2),
            Verdict(FINISHED, Status.UNKNOWN, "not violated so far; stopped at depth 9 (--max-depth)"),
            Verdict(SEEN, Status.UNKNOWN, "not seen yet; stopped at depth 9 (--max-depth)"),
            complete=False,
            reason="stopped at depth 9 (--max-depth)",
        ),
    ]


def graph() -> tuple[System, list[State], list[tuple[int, int, str]]]:
    """Three states: start, added, and terminating with one of two grace periods."""
    of = system("web")
    steps = grace_grows(of).steps
    nodes = [of.initial[0], *(step.state for step in steps)]
    actions = ["delete", "delete", "kill", "sync", "forget"]
    return of, nodes, [(0, 1, "add"), *((1, 2, name) for name in actions), (2, 3, "delete"), (3, 0, "forget")]


def project(of: System, nodes: Sequence[State], edges: Sequence[tuple[int, int, str]], by: Sequence[str]) -> Projection:
    """What a diagram shows of a state graph written out: `edges` are (row in `nodes`, row in `nodes`, action name)."""
    fields = fields_of(of, by)
    keys = [tuple(state[field.position] for field in fields) for state in nodes]
    rows = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    counts = [keys.count(key) for key in rows]
    found: dict[tuple[int, int], dict[str, int]] = {}
    for source, target, action in edges:
        ends = rows[keys[source]], rows[keys[target]]
        if ends[0] != ends[1]:
            events = found.setdefault(ends, {})
            events[action] = events.get(action, 0) + 1
    initial = {rows[tuple(state[field.position] for field in fields)] for state in of.initial}
    by_variable = tuple(field.variable for field in fields)
    states = StateGraph(of, by_variable, tuple(rows), tuple(counts), tuple(sorted(initial)), found, True)
    return projection_of(states, fields)


def small_diagram() -> Any:
    of, nodes, edges = graph()
    return project(of, nodes, edges, ["present", "terminating_at", "worker.position"])
