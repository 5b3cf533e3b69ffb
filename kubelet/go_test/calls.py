"""From a trace to the calls that a Go test makes: the trace is run again, and what reaches the pod workers is noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from podproof.checker.core.shapes import leaves
from podproof.checker.core.system import Action, Move, Property, System, Trace
from podproof.kubelet.go_test.script import (
    Call,
    CallResult,
    Goroutine,
    GoStep,
    GoTest,
    Handled,
    Kill,
    PodObject,
    Release,
    Update,
    Value,
)
from podproof.model.kubelet import Admission
from podproof.model.language import NIL, copy
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.releases import V1_26, V1_29, V1_36_3
from podproof.model.scenarios import Scenario
from podproof.model.state import Cached, Channel, Context, Phase, PodWorker, Position, UpdatePodOptions, UpdateType
from podproof.model.sync_loop import AS_MADE, DELETED

HELD_AT = {
    Position.CACHE: "GetNewerThan",
    Position.SYNC_POD: "SyncPod",
    Position.SYNC_TERMINATING_POD: "SyncTerminatingPod",
    Position.SYNC_TERMINATING_RUNTIME_POD: "SyncTerminatingRuntimePod",
    Position.SYNC_TERMINATED_POD: "SyncTerminatedPod",
    Position.ENQUEUE: "Enqueue",
    Position.COMPLETE: "after Enqueue",
}
"""Where a goroutine of the model stands -> the call in which a test holds the real one."""
SYNC_CALLS = (
    Position.SYNC_POD,
    Position.SYNC_TERMINATING_POD,
    Position.SYNC_TERMINATING_RUNTIME_POD,
    Position.SYNC_TERMINATED_POD,
)
ERRORS: Mapping[object, str] = {
    SyncPodOutcome.OK: "",
    SyncPodOutcome.TERMINAL: "",
    SyncPodOutcome.ERROR: 'errors.New("the sync failed")',
    SyncPodOutcome.NETWORK_NOT_READY: 'errors.New("network is not ready")',
    SyncPodOutcome.CANCELED: "context.Canceled",
    SyncOutcome.OK: "",
    SyncOutcome.ERROR: 'errors.New("the sync failed")',
    SyncOutcome.NETWORK_NOT_READY: 'errors.New("network is not ready")',
    SyncOutcome.CANCELED: "context.Canceled",
}
"""What a sync function returns -> its error in Go."""
GOES_ON = {
    "worker_get_newer_than": "",
    "worker_get_newer_than_fails": 'errors.New("the runtime does not answer")',
    "worker_complete_work_enqueue": "",
    "worker_complete_work": "",
}
"""A worker's step that returns from a call -> the error that the call returns."""
SEEN = frozenset(
    {"pod_sync_statuses", "pod_updates", "workers", "started_static_pods", "work_queue", "completed_channels"}
    | {"full_names", "waiting_to_start_static_pods"}
)
"""The parts of the model's state that a test of the pod workers can look at, or that follow from those."""
SEEN_OF_CALLERS = SEEN | {"calls", "allocated", "pod_manager", "mirror_pods", "rejected", "room"}
"""And what a test of the callers can look at."""
HANDLERS = {
    "handle_pod_additions": "add",
    "handle_pod_spec_update": "update",
    "handle_pod_deletion": "update",
    "handle_pod_reconcile": "reconcile",
    "handle_pod_removes": "remove",
    "add_mirror_pod": "add",
    "delete_mirror_pod": "update",
    "remove_mirror_pod": "remove",
    "pod_event": "sync",
    "sync_tick": "sync",
}
"""A step of the sync loop -> what a test of the callers does for it."""
AROUND = ("start_containers", "containers_exit", "pleg_relist", "reconcile_mirror_pod")
"""Steps of the runtime and of SyncPod that call neither the pod workers nor their callers."""
MIRROR_PODS = {0: "", AS_MADE: "the mirror pod", DELETED: "the mirror pod that is being deleted"}


def step_that_no_caller_takes(system: System, trace: Trace) -> str:
    """The first step that a test of the callers does not take; empty where there is none."""
    for number, move in enumerate(trace.moves, 1):
        action = system.action[move.action]
        works = action.actor == "worker" and action.name != "sync_pod_calls_update_pod"
        if not works and action.name not in (*HANDLERS, *AROUND, "restart", "sources_become_ready"):
            return f'step {number}, "{action.event(move.values)}"'
    return ""


def new_member_in(system: System, trace: Trace) -> Enum | None:
    """A new member of an enumeration that the trace comes by; of those Go knows nothing."""
    scalars = {path: scalar for path, scalar, _ in leaves(system.shape)}
    values = [(scalars[v.path], n) for state in trace.states for v, n in zip(system.variables, state, strict=True)]
    for name, given in trace.moves:
        values += ((parameter.scalar, given[parameter.name]) for parameter in system.action[name].parameters)
    return next((scalar.members[n] for scalar, n in values if n in scalar.new), None)


def release_of(cls: type) -> Release | None:
    """The shape of the API that a test for this version of the pod worker calls; None for those before 1.27."""
    if not issubclass(cls, V1_29) or issubclass(cls, V1_26):
        return None
    return Release.SINCE_1_36 if issubclass(cls, V1_36_3) else Release.SINCE_1_27


def go_test(
    system: System, scenario: Scenario, claim: Property, trace: Trace, name: str, callers: bool = False
) -> GoTest:
    """The trace as a Go test without a comment. What no test can force is said in `GoTest.skip`.

    A test of the callers calls the sync loop's handlers, and not UpdatePod.
    """
    run = _CallersRun(system, scenario, trace, claim.lines) if callers else _Run(system, scenario, trace, claim.lines)
    steps = [run.step(move) for move in trace.moves]
    skip = run.unforceable
    last = steps[-1] if steps else None
    if not skip and (last is None or not (last.calls or last.goroutine or last.restart or last.handled)):
        event = f'the last step, "{last.event}", is' if last else "a trace without steps is"
        skip = f"{event} no step of the pod workers: a test of theirs cannot see it"
    return GoTest(name, (), steps, run.cached_first, skip, room=scenario.room if callers else None)


class _Run:
    """A trace that is run again, step by step, on the model's own objects."""

    def __init__(self, system: System, scenario: Scenario, trace: Trace, lines: Sequence[str]) -> None:
        self.system, self.scenario, self.trace, self.lines = system, scenario, trace, lines
        self.tree = system.build(trace.initial)
        self.uids = range(len(scenario.pods))
        self.spawned = [0] * len(self.uids)
        self.numbers: dict[tuple[int, int], int] = {}
        """UID and place in the model -> the number of the goroutine that is there."""
        self.seen = [self._seen(uid) for uid in self.uids]
        self.channels: dict[int, bool] = {}
        self.cache = [Cached.NOTHING_RUNNING] * len(self.uids)
        self.cached_first = self._cached()
        self.unforceable = ""
        self.number = 0

    def step(self, move: Move) -> GoStep:
        """Take the next step; what no test can force is noted in `unforceable`."""
        action, values = self.system.action[move.action], move.values
        self.number += 1
        queued = [bool(self.tree.work_queue[uid]) for uid in self.uids]
        goroutine, answer = self._worker_step(action, values)
        calls = self._take(action, values)
        due = [] if goroutine else [u for u in self.uids if queued[u] and not self.tree.work_queue[u]]
        restart = action.name == "restart"
        last = self.number == len(self.trace.steps)
        return GoStep(
            number=self.number,
            actor=action.actor,
            event=action.event(values),
            restart=restart,
            due=() if restart else [self.scenario.pods[uid].name for uid in due],
            cached=self._cached(),
            calls=calls,
            goroutine=goroutine,
            answer=answer,
            settles=goroutine is not None and not self._is_held(action, values),
            expected=self._expected(last),
            channels=self._channels(last),
            logged=self.lines if last else (),
        )

    def _take(self, action: Action, values: Mapping[str, int]) -> Sequence[Update | Call]:
        """Take a step and note every call of UpdatePod and SyncKnownPods, with its arguments as they are then."""
        calls: list[Update | Call] = []
        tree = self.tree
        update_pod, sync_known_pods = tree.update_pod, tree.sync_known_pods

        def noted_update(uid: int, options: UpdatePodOptions) -> None:
            calls.append(self._update(uid, copy(options)))
            update_pod(uid, options)

        def noted_sync() -> None:
            calls.append(Call([self._desired(uid) for uid in self.uids if tree.is_desired(uid)]))
            sync_known_pods()

        positions = self._positions()
        tree.update_pod, tree.sync_known_pods = noted_update, noted_sync
        try:
            action.run(tree, values)
        finally:
            del tree.update_pod, tree.sync_known_pods
        if action.name == "restart":
            self.spawned, self.numbers = [0] * len(self.uids), {}
        for place, position in self._positions().items():
            if position == Position.SPAWNED != positions[place]:
                self.spawned[place[0]] += 1
                self.numbers[place] = self.spawned[place[0]]
        return calls

    def _positions(self) -> Mapping[tuple[int, int], Position]:
        """Where each goroutine stands, by UID and place."""
        workers = self.tree.workers
        return {(uid, place): worker.position for uid in self.uids for place, worker in enumerate(workers[uid])}

    def _worker_step(self, action: Action, values: Mapping[str, int]) -> tuple[Goroutine | None, CallResult | None]:
        """What a worker's step is in a test: which goroutine goes on, and what the call returns that it is held in."""
        if action.actor != "worker" or action.name in ("worker_start_receiving", *AROUND):
            return None, None
        arguments = action.arguments(values)
        if action.name == "sync_pod_calls_update_pod":
            self._call_in_sync_pod(action, values, arguments["uid"], arguments["generation"])
            return None, None
        place = arguments["uid"], arguments["generation"]
        goroutine = Goroutine(self.scenario.pods[place[0]].name, self.numbers.get(place, 0))
        if action.name == "worker_start_pod_sync":
            owner = self.tree.pod_updates[place[0]]
            if owner not in (NIL, place[1]) and self.tree.workers[place[0]][owner].position == Position.TOKEN:
                self._refuse(action, values, "another goroutine has a token in hand, and no test can hold it there")
            return goroutine, None
        if action.name in GOES_ON:
            return goroutine, CallResult(error=GOES_ON[action.name])
        if "outcome" not in arguments:
            self._refuse(action, values, "no test can make it")
            return goroutine, None
        outcome = arguments["outcome"]
        return goroutine, CallResult(outcome is SyncPodOutcome.TERMINAL, ERRORS[outcome])

    def _call_in_sync_pod(self, action: Action, values: Mapping[str, int], uid: int, generation: int) -> None:
        """While SyncPod is held, the test calls UpdatePod in its place; that has to change what a test can see."""
        status = self.tree.pod_sync_statuses[uid]
        waits = copy(status.pending_update)
        own = replace(waits, update_type=UpdateType.UPDATE, pod=copy(status.active_update.pod))
        if not waits.present or _in_short(own) == _in_short(waits):
            self._refuse(action, values, "no test can see which object of the pod waits")

    def _is_held(self, action: Action, values: Mapping[str, int]) -> bool:
        """Is the goroutine that took this step held in a call now?"""
        arguments = action.arguments(values)
        return self.tree.workers[arguments["uid"]][arguments["generation"]].position in HELD_AT

    def _refuse(self, action: Action, values: Mapping[str, int], why: str) -> None:
        if not self.unforceable:
            text = f'cannot be scheduled from a test: in step {self.number}, "{action.event(values)}", {why}'
            self.unforceable = text

    # -- what the calls are given -----------------------------------------------------------------------------------

    def _update(self, uid: int, options: UpdatePodOptions) -> Update:
        kill = None
        if (given := options.kill_pod_options).present:
            override = given.grace_period_seconds_override
            kill = Kill(
                None if given.completed_ch == NIL else given.completed_ch,
                given.evict,
                given.pod_status_func != NIL,
                None if override == NIL else override,
            )
        return Update(options.update_type.value, self._pod(uid, options), not options.pod.present, kill)

    def _pod(self, uid: int, options: UpdatePodOptions) -> PodObject:
        pod = options.pod
        deletion = pod.deletion_grace_period_seconds
        return self._named(
            uid,
            static=pod.static,
            phase="" if pod.phase == Phase.RUNNING else pod.phase.value,
            # Where the environment gives a deletion no period, the API server's smallest one stands for it.
            deletion_seconds=(0 if deletion == NIL else deletion) if pod.deletion_timestamp else None,
            spec_seconds=pod.termination_grace_period_seconds if pod.present else self.scenario.spec_seconds,
        )

    def _desired(self, uid: int) -> PodObject:
        """SyncKnownPods asks the desired pods for nothing but their UID."""
        return self._named(uid, static=self.scenario.pods[uid].static)

    def _named(self, uid: int, **fields: Any) -> PodObject:
        name, _, namespace = self.scenario.pods[uid].full_name.rpartition("_")
        return PodObject(self.scenario.pods[uid].name, name, namespace, **fields)

    # -- what is to be seen -----------------------------------------------------------------------------------------

    def _expected(self, last: bool) -> Sequence[tuple[PodObject, Mapping[str, Value]]]:
        """The pods whose state changed; after the last step all of them."""
        expected = []
        for uid in self.uids:
            seen = self._seen(uid)
            if last or seen != self.seen[uid]:
                expected.append((self._named(uid), seen))
            self.seen[uid] = seen
        return expected

    def _seen(self, uid: int) -> Mapping[str, Value]:
        """The fields of the test's heldState."""
        tree, status = self.tree, self.tree.pod_sync_statuses[uid]
        known, owner = status.present, tree.pod_updates[uid]
        worker = tree.workers[uid][0 if owner == NIL else owner]
        line = tree.waiting_to_start_static_pods[tree.full_names[uid]]
        return {
            "known": known,
            "working": known and status.working,
            "started": known and status.started_at,
            "terminating": known and status.terminating_at,
            "terminated": known and status.terminated_at,
            "startedTerminating": known and status.started_terminating,
            "deleted": known and status.deleted,
            "evicted": known and status.evicted,
            "finished": known and status.finished,
            "restartRequested": known and status.restart_requested,
            "runtimeSeen": known and status.observed_runtime,
            "gracePeriod": status.grace_period if known else 0,
            "notify": sum(map(bool, status.notify_post_terminating)) if known else 0,
            "pending": _in_short(status.pending_update) if known else "",
            "active": _in_short(status.active_update) if known else "",
            "woken": owner != NIL and (worker.token or worker.position == Position.TOKEN),
            "startedStatic": tree.started_static_pods[tree.full_names[uid]] == uid,
            "waitingStatic": sum(line.uids[place] == uid for place in range(line.length)),
            "queued": tree.work_queue[uid],
            "at": self._held_at(uid),
        }

    def _held_at(self, uid: int) -> str:
        """The calls in which the UID's goroutines are held, in the order in which the goroutines were started."""
        workers = self.tree.workers[uid]
        places = sorted(range(len(workers)), key=lambda place: self.numbers.get((uid, place), 0))
        return ", ".join(_call(workers[place]) for place in places if workers[place].position in HELD_AT)

    def _channels(self, last: bool) -> Mapping[int, bool]:
        """The completion channels that changed, after the last step all that anybody holds; of each, is it closed?"""
        found = {}
        for request, channel in enumerate(self.tree.completed_channels):
            closed = channel == Channel.CLOSED
            if channel != Channel.NONE and (last or self.channels.get(request) != closed):
                found[request] = self.channels[request] = closed
        return found

    def _cached(self) -> Mapping[str, str]:
        """What the pod cache says of the pods of which it now says something else."""
        found = {}
        for uid in self.uids:
            if self.tree.pod_cache[uid] != self.cache[uid]:
                self.cache[uid] = self.tree.pod_cache[uid]
                found[self.scenario.pods[uid].name] = self.cache[uid].value
        return found


class _CallersRun(_Run):
    """The same for a test that calls the sync loop's handlers, in environment `sync loop`."""

    def __init__(self, system: System, scenario: Scenario, trace: Trace, lines: Sequence[str]) -> None:
        super().__init__(system, scenario, trace, lines)
        self.mirror_pods = [0] * len(self.uids)
        """By UID, how many mirror pods the static pod has had."""
        self.managed = [0] * len(self.uids)
        """By UID, which of them the pod manager has."""
        self.caller_seen = [self._caller(uid) for uid in self.uids]
        self.called: list[str] = []

    def step(self, move: Move) -> GoStep:
        action = self.system.action[move.action]
        handled = self._handled(action, move.values)
        self.called = []
        step = super().step(move)
        last = step.number == len(self.trace.steps)
        callers = []
        for uid in self.uids:
            if (seen := self._caller(uid)) != self.caller_seen[uid] or last:
                callers.append((self._named(uid), seen))
            self.caller_seen[uid] = seen
        return replace(
            step,
            handled=handled,
            sources_ready=action.name == "sources_become_ready",
            called=None if handled is None else self.called,
            callers=callers,
        )

    def _update(self, uid: int, options: UpdatePodOptions) -> Update:
        mirror_pod = MIRROR_PODS[options.mirror_pod]
        name = self.scenario.pods[uid].name
        self.called.append(f"{name}: {_in_short(options)}" + (f" with {mirror_pod}" if mirror_pod else ""))
        return super()._update(uid, options)

    def _handled(self, action: Action, values: Mapping[str, int]) -> Handled | None:
        """What the test does for a step that is about to be taken; None where the kubelet is not told of it."""
        handler = HANDLERS.get(action.name)
        arguments = action.arguments(values)
        if handler is None:
            if action.name == "reconcile_mirror_pod":
                self.mirror_pods[arguments["uid"]] += 1
            return None
        uid = arguments["uid"]
        if action.name.endswith("mirror_pod"):
            return self._handled_mirror_pod(handler, action.name, uid)
        known = self.tree.pod_manager[uid]
        if not known and handler != "add":
            return None
        pod = self._pod(uid, UpdatePodOptions(pod=self.tree.pod(uid)))
        if handler == "add" and arguments["admission"] is Admission.REJECTED:
            return Handled("addRejected", pod, refused=self.tree.has_room(uid))
        if action.name == "handle_pod_deletion":
            pod = replace(pod, deletion_seconds=arguments["grace"])
        if action.name == "handle_pod_reconcile":
            pod = replace(pod, phase=arguments["phase"].value)
        return Handled(handler, pod)

    def _handled_mirror_pod(self, handler: str, action: str, uid: int) -> Handled | None:
        mirror_pod = self.tree.mirror_pods[uid]
        if action == "add_mirror_pod":
            self.managed[uid] = self.mirror_pods[uid]
        elif mirror_pod.managed == 0:
            return None
        revision = mirror_pod.revision if action == "add_mirror_pod" else mirror_pod.managed
        is_deleted = action == "delete_mirror_pod" or revision == DELETED
        pod = self._named(uid, deletion_seconds=30 if is_deleted else None, mirror=self.managed[uid])
        return Handled(handler, pod)

    def _caller(self, uid: int) -> Mapping[str, Value]:
        """The fields of the test's heldCaller."""
        tree = self.tree
        return {
            "managed": tree.pod_manager[uid],
            "allocated": tree.allocated[uid],
            "active": tree.pod_manager[uid] and tree.is_active(uid),
            "mirrorPod": MIRROR_PODS[tree.mirror_pods[uid].managed],
        }


def _in_short(update: UpdatePodOptions) -> str:
    """As the test's heldUpdate writes it."""
    if not update.present:
        return ""
    text = str(update.update_type.value)
    if update.running_pod:
        text += " runtime pod"
    if update.pod.deletion_grace_period_seconds != NIL:
        text += f" deletionGrace={update.pod.deletion_grace_period_seconds}"
    if update.kill_pod_options.present:
        if update.kill_pod_options.evict:
            text += " evict"
        if update.kill_pod_options.grace_period_seconds_override != NIL:
            text += f" override={update.kill_pod_options.grace_period_seconds_override}"
    return text


def _call(worker: PodWorker) -> str:
    """The call in which a goroutine is held, as the test's heldState writes it."""
    text = HELD_AT[worker.position]
    if worker.position == Position.SYNC_TERMINATING_POD:
        text += f"(gracePeriod={'nil' if worker.grace_period == NIL else worker.grace_period})"
    if worker.position in SYNC_CALLS and worker.context == Context.CANCELLED:
        text += " canceled"
    return text
