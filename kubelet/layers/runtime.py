"""Recordings of pkg/kubelet/kuberuntime: computePodActions, killContainer, killPodWithSyncResult and SyncPod."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podproof.kubelet.layers.case import Case, Layer, LayerStep, plain, pod_of
from podproof.kubelet.layers.recorded_runtime import RecordedRuntime, by_time
from podproof.kubelet.replay import Shown
from podproof.model.core_v1 import ApiPod, Container, get_container_spec
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeSandbox, RuntimeState, SandboxState
from podproof.model.kuberuntime.compute_pod_actions import PodActions
from podproof.model.kuberuntime.decide import containers_to_kill, containers_to_reset
from podproof.model.kuberuntime.records import ContainerKillReason, ContainerReset, ProbeResult
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager
from podproof.model.kuberuntime.sync_result import SyncFailure, SyncResult
from podproof.model.language import NIL

Manager = type[KubeGenericRuntimeManager]
_RESULTS = {"ok": ProbeResult.SUCCESS, "fail": ProbeResult.FAILURE, "unk": ProbeResult.UNKNOWN}


def pod_with_images(pod: Mapping[str, Any]) -> ApiPod:
    """The pod of a case: its name is always the same, and the image of a container is called after it."""
    made = pod_of({"uid": "u1", "name": "p", **pod})
    made.namespace = "ns"
    for container in every_container(made):
        container.image = f"img-{container.name}"
    return made


def every_container(pod: ApiPod) -> Iterator[Container]:
    yield from (*pod.init_containers, *pod.containers, *pod.ephemeral_containers)


# -- computePodActions -------------------------------------------------------------------------------------------------


def replay_actions(case: Case, part: Manager) -> Iterator[LayerStep]:
    given = case["in"]
    pod = pod_with_images(given["pod"])
    status = RuntimePod(
        [record_of(record, pod) for record in given.get("cs") or ()],
        [sandbox_of(sandbox) for sandbox in given.get("sb") or ()],
    )
    manager = part(pod, RecordedRuntime(pod, latency=0), given.get("sidecarGate") is not False)
    manager.liveness_results = {id: _RESULTS[result] for id, result in (given.get("live") or {}).items()}
    manager.startup_results = {id: _RESULTS[result] for id, result in (given.get("sta") or {}).items()}
    manager.restart_all_containers = bool(given.get("restartAll"))
    decision = manager.decide(status)
    actions = decision.actions
    event = f"computePodActions({pod.restart_policy.value}, {describe(status)})"
    shown = {
        **show_actions(actions, pod, status),
        "poststop": show_post_stop_calls(actions, pod, status),
        "reset": [
            {"id": record.id, "n": record.name, "kill": reset == ContainerReset.KILL_AND_REMOVE}
            for record, reset in containers_to_reset(decision, pod, status)
        ],
    }
    yield LayerStep(event, plain(case["out"]), plain(shown))


def record_of(record: Mapping[str, Any], pod: ApiPod) -> RuntimeContainer:
    spec = get_container_spec(pod, record["n"])
    image = spec.image if spec is not None and not record.get("ch") else ""
    state, exit_code, reason = RuntimeState(record["st"]), record.get("x") or 0, record.get("r") or ""
    made = RuntimeContainer(record["n"], record["id"], state, exit_code, reason, record.get("rc") or 0, image)
    made.resize_restarts = bool(record.get("rz"))
    return made


def sandbox_of(sandbox: Mapping[str, Any]) -> RuntimeSandbox:
    state = SandboxState(sandbox["st"])
    return RuntimeSandbox(sandbox["id"], sandbox.get("a") or 0, sandbox["net"] == "node", state, sandbox.get("ip"))


def describe(status: RuntimePod) -> str:
    """What the runtime has of a pod, newest first, in one line."""
    containers = (f"{record.name} {record.state.value}" for record in status.containers)
    sandboxes = (f"sandbox {sandbox.id} {sandbox.state.value}" for sandbox in status.sandboxes)
    return ", ".join([*sandboxes, *containers]) or "nothing in the runtime"


def show_actions(actions: PodActions, pod: ApiPod, status: RuntimePod) -> Shown:
    start = actions.next_init_container_to_start
    return {
        "kill": actions.kill_pod,
        "create": actions.create_sandbox,
        "sb": "" if actions.sandbox_id is NIL else status.sandboxes[actions.sandbox_id].id,
        "a": actions.attempt,
        "next": "" if start is NIL else pod.init_containers[start].name,
        "init": numbers(actions.init_containers_to_start),
        "start": numbers(actions.containers_to_start),
        "eph": numbers(actions.ephemeral_containers_to_start),
        "tokill": sorted(
            (
                {"id": id_of(spec, status), "n": spec.name, "msg": message, "r": text_of(reason)}
                for spec, reason, message in containers_to_kill(pod, actions)
            ),
            key=lambda kill: kill["id"],
        ),
    }


def text_of(reason: ContainerKillReason) -> str:
    """A resize has no containerKillReason of its own."""
    return "" if reason == ContainerKillReason.RESIZE else reason.value


def show_post_stop_calls(actions: PodActions, pod: ApiPod, status: RuntimePod) -> list[str]:
    return [id_of(pod.containers[i], status) for i in numbers(actions.post_stop_calls)]


def id_of(spec: Container, status: RuntimePod) -> str:
    record = status.find_container_status_by_name(spec.name)
    return record.id if record is not None else ""


def numbers(flags: Iterable[bool]) -> list[int]:
    return [i for i, flag in enumerate(flags) if flag]


# -- killContainer and killPodWithSyncResult ---------------------------------------------------------------------------


def replay_kill_container(case: Case, part: Manager) -> Iterator[LayerStep]:
    name = case["c"]
    pod = pod_with_images(case["pod"])
    if case.get("nilpod"):
        forget_probes(pod)
    runtime = RecordedRuntime(pod, latency=0, milliseconds_to_exit={name: case.get("sd") or 0})
    runtime.plan = {"StopContainer": case["stop"]} if case.get("stop") else {}
    reason = ContainerKillReason(case.get("reason") or "")
    error = part(pod, runtime).kill_container(running(name), case.get("msg") or "", reason, seconds(case.get("ov")))
    event = f"killContainer({name}, {reason.value or 'no reason'}, gracePeriodOverride={seconds_text(case.get('ov'))})"
    shown = {
        "err": error.text if error is not None else "",
        "calls": runtime.calls,
        "t": runtime.now,
        "ev": runtime.shown_events(),
    }
    yield LayerStep(event, plain(case["out"]), plain(shown))


def forget_probes(pod: ApiPod) -> None:
    """A pod that is restored from the labels of its containers has no grace periods of their probes."""
    for container in every_container(pod):
        container.startup_probe_seconds = container.liveness_probe_seconds = NIL


def running(name: str) -> RuntimeContainer:
    return RuntimeContainer(name, f"fakeRuntime://{name}-1", RuntimeState.RUNNING)


def seconds(number: int | None) -> int:
    return NIL if number is None else number


def seconds_text(number: int | None) -> str:
    return "none" if number is None else f"{number}s"


def replay_kill_pod(case: Case, part: Manager) -> Iterator[LayerStep]:
    pod, names = pod_with_images(case["pod"]), case["run"]
    runtime = RecordedRuntime(pod, latency=0, milliseconds_to_exit=case.get("sd"))
    runtime.plan = case.get("plan") or {}
    manager = part(pod, runtime)
    sandboxes = [RuntimeSandbox(id, 0, pod.host_network) for id in case["sb"]]
    results = manager.kill_pod_with_sync_result([running(name) for name in names], sandboxes, seconds(case.get("ov")))
    shown = {
        "err": "error" if any(result.error != SyncFailure.NONE for result in results) else "",
        "calls": sorted(runtime.calls, key=by_time),
        "res": show_results(results),
        "t": runtime.now,
        "panic": f"{manager.panics} of {len(names)} kills returned no result" if manager.panics else "",
    }
    override = seconds_text(case.get("ov"))
    event = f"killPodWithSyncResult({', '.join(names) or 'nothing runs'}, gracePeriodOverride={override})"
    yield LayerStep(event, plain(case["out"]), plain(shown))


def show_results(results: Iterable[SyncResult]) -> list[Shown]:
    return [{"a": r.action.value, "t": r.target, "e": r.error.value, "m": r.message} for r in results]


# -- SyncPod -----------------------------------------------------------------------------------------------------------


def replay_sync_pod(case: Case, part: Manager) -> Iterator[LayerStep]:
    """A sequence. Where several containers are to be killed, Go's map says in which order: any will do."""
    pod = pod_with_images(case["pod"])
    machine = Machine(part(pod, RecordedRuntime(pod, latency=1)))
    for step in case["steps"]:
        recorded = plain({key: value for key, value in step.items() if key not in ("op", "any")})
        recorded = {**recorded, **{key: step[key] for key in ("c", "sb") if key in step}}
        candidates = [machine, *machine.in_other_orders(step["op"])]
        shown = [candidate.do(step["op"]) for candidate in candidates]
        chosen = shown.index(recorded) if recorded in shown else 0
        machine = candidates[chosen]
        yield LayerStep(describe_event(step["op"]), recorded, shown[chosen])


class Machine:
    """The runtime manager with the runtime below it and whoever else has a hand in it."""

    def __init__(self, manager: KubeGenericRuntimeManager) -> None:
        self.manager = manager
        self.runtime: Any = manager.runtime
        self.last: tuple[Any, Any] = (None, None)

    def in_other_orders(self, event: Mapping[str, Any]) -> Iterator[Machine]:
        """What else may happen: containers killed in another order."""
        if event["op"] != "sync":
            return
        status = self.runtime.get_pod_status()
        actions = self.manager.compute_pod_actions(status)
        kills = 0 if actions.kill_pod else sum(1 for _ in containers_to_kill(self.manager.pod, actions))
        for order in list(itertools.permutations(range(kills)))[1:]:
            other = copy.deepcopy(self)
            other.manager.kill_order = order
            yield other

    def do(self, event: Mapping[str, Any]) -> Shown:
        """Let an event happen; what a recording shows of it."""
        self.runtime.begin_step(event.get("plan") or {})
        shown: Shown = {"t": self.runtime.now}
        match event["op"]:
            case "sync":
                shown |= self.sync_pod()
            case "kill":
                shown |= self.kill_pod(NIL if event["ms"] < 0 else event["ms"])
            case _:
                self.happen(event)
        shown |= {"calls": list(self.runtime.shown_calls()), "ev": self.runtime.shown_events()}
        return {**plain(shown), **self.changed()}

    def sync_pod(self) -> Shown:
        status = self.runtime.get_pod_status()
        actions = self.manager.compute_pod_actions(status)
        result = self.manager.sync_pod(status)
        self.manager.kill_order = ()
        return {
            "act": show_actions(actions, self.manager.pod, status),
            "res": show_results(result.sync_results),
            "serr": result.sync_error,
            "err": result.is_error(),
            "bo": self.back_offs(),
        }

    def kill_pod(self, override: int) -> Shown:
        status = self.runtime.get_pod_status()
        results = self.manager.kill_pod_with_sync_result(status.running(), status.sandboxes, override)
        failed = any(result.error != SyncFailure.NONE for result in results)
        return {"res": show_results(results), "err": failed, "bo": self.back_offs()}

    def back_offs(self) -> dict[str, int]:
        """The back-off of each container with its present spec."""
        found = {c.name: self.manager.back_off.get((c.name, c.image)) for c in every_container(self.manager.pod)}
        return {name: duration for name, duration in found.items() if duration}

    def happen(self, event: Mapping[str, Any]) -> None:
        """Something that the runtime manager has no part in."""
        pod, runtime = self.manager.pod, self.runtime
        record = runtime.newest(event.get("c") or "")
        match event["op"]:
            case "sleep":
                runtime.now += event["ms"]
            case "exit":
                runtime.exit(record, event.get("x") or 0)
            case "losesb":
                for sandbox in runtime.sandboxes:
                    sandbox.state = SandboxState.NOT_READY
            case "spec":
                for container in (*pod.init_containers, *pod.containers):
                    container.image += "x" if container.name == event["c"] else ""
            case "delete":
                pod.deletion_timestamp, pod.deletion_grace_period_seconds = True, event["ms"]
            case "term":
                self.manager.is_pod_termination_requested = True
            case kind if record is not None:
                self.happen_to(record, kind, event)

    def happen_to(self, record: RuntimeContainer, kind: str, event: Mapping[str, Any]) -> None:
        match kind:
            case "unknown":
                record.state = RuntimeState.UNKNOWN
            case "lose":
                self.runtime.containers.remove(record)
            case "live":
                self.manager.liveness_results[record.id] = _RESULTS[event["r"]]
            case "startup":
                self.manager.startup_results[record.id] = _RESULTS[event["r"]]

    def changed(self) -> Shown:
        """The containers and the sandboxes, where they are not as they were shown last."""
        containers = [show_record(record) for record in self.runtime.containers]
        sandboxes = [f"{sandbox.attempt}:{sandbox.state.value}" for sandbox in self.runtime.sandboxes]
        now, last = {"c": containers, "sb": sandboxes}, self.last
        self.last = containers, sandboxes
        return {key: value for (key, value), before in zip(now.items(), last, strict=True) if value != before}


def show_record(record: RuntimeContainer) -> Shown:
    shown = plain({"n": record.name, "st": record.state.value, "x": record.exit_code, "r": record.reason})
    return {**shown, "a": record.restart_count, "sb": record.sandbox}


def describe_event(event: Mapping[str, Any]) -> str:
    match event["op"]:
        case "sync":
            faults = ", ".join(f"{call}: {error}" for call, error in (event.get("plan") or {}).items())
            return f"SyncPod; {faults}" if faults else "SyncPod"
        case "kill":
            return f"KillPod(gracePeriodOverride={seconds_text(None if event['ms'] < 0 else event['ms'])})"
        case "sleep":
            return f"{event['ms']} ms pass"
        case "exit":
            return f"{event['c']} exits with {event.get('x') or 0}"
        case "unknown":
            return f"the state of {event['c']} becomes unknown"
        case "lose":
            return f"the runtime loses {event['c']}"
        case "losesb":
            return "the sandboxes are lost"
        case "live" | "startup" as probe:
            return f"{'liveness' if probe == 'live' else 'startup'} probe of {event['c']}: {event['r']}"
        case "spec":
            return f"the image of {event['c']} changes"
        case "delete":
            return f"the pod is deleted, grace period {event['ms']}s"
        case _:
            return "termination is requested"


_KILL = frozenset({"pod", "out", "ov"})
LAYERS = (
    Layer("computePodActions", frozenset({"in", "out"}), ("runtime_manager",), replay_actions),
    Layer("killContainer", _KILL | {"c", "reason"}, ("runtime_manager",), replay_kill_container),
    Layer("killPodWithSyncResult", _KILL | {"run", "sb"}, ("runtime_manager",), replay_kill_pod),
    Layer("kuberuntime.SyncPod", frozenset({"pod", "steps"}), ("runtime_manager",), replay_sync_pod),
)
