"""What a Go test does and expects, step by step, before it is written as Go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

Value = bool | int | str
"""A field of the test's heldState."""


@dataclass(frozen=True)
class Api:
    """What a release's pod_workers.go and pod_workers_test.go ask for, where releases differ."""

    create: str = ""
    """The arguments of createPodWorkers."""
    context: str = ""
    """The first argument of UpdatePod."""
    logger: str = ""
    """The first argument of SyncKnownPods."""
    sync_pod_results: str = "(bool, error)"
    no_callback: str = ""
    """The result of SyncPod between `terminal` and `err`, with its comma."""
    cache: str = "Cache"
    """The interface of the field podCache."""


class Release(Enum):
    """The shapes of that API since the pod worker has a podSyncer."""

    SINCE_1_27 = Api()
    SINCE_1_36 = Api(
        create="klog.Background()",
        context="context.Background(), ",
        logger="klog.Background(), ",
        sync_pod_results="(bool, func(), error)",
        no_callback="nil, ",
        cache="ROCache",
    )


@dataclass(frozen=True)
class PodObject:
    """A *v1.Pod that is handed to the pod workers. Seconds are whole."""

    uid: str
    name: str
    namespace: str
    static: bool = False
    phase: str = ""
    """A terminal phase, or nothing."""
    deletion_seconds: int | None = None
    """DeletionGracePeriodSeconds; None while it is not being deleted."""
    spec_seconds: int = 30
    mirror: int = 0
    """Of a mirror pod: the how manieth of its static pod it is."""

    @property
    def full_name(self) -> str:
        return f"{self.name}_{self.namespace}"


@dataclass(frozen=True)
class Kill:
    """KillPodOptions. `request` numbers its CompletedCh; None for no channel."""

    request: int | None
    evict: bool
    status_func: bool
    override: int | None


@dataclass(frozen=True)
class Update:
    """A call of UpdatePod. A runtime pod has the UID, name and namespace of `pod`, and nothing else."""

    type: str
    pod: PodObject
    runtime: bool = False
    kill: Kill | None = None


@dataclass(frozen=True)
class Call:
    """A call of SyncKnownPods with the desired pods."""

    desired: Sequence[PodObject]


@dataclass(frozen=True)
class Handled:
    """A call of a handler of the sync loop: add, addRejected, update, reconcile, remove or sync."""

    handler: str
    pod: PodObject
    refused: bool = False
    """Is the pod rejected although there is room?"""


@dataclass(frozen=True)
class Goroutine:
    """The first, second, … goroutine of a UID since the kubelet started."""

    uid: str
    number: int


@dataclass(frozen=True)
class CallResult:
    """What a call returns in which a goroutine is held."""

    terminal: bool = False
    """Does SyncPod say that the pod has ended?"""
    error: str = ""
    """An error, in Go."""


@dataclass(frozen=True)
class GoStep:
    """A step of the trace: what the test does for it, and what is to be seen then."""

    number: int
    actor: str
    event: str
    restart: bool = False
    due: Sequence[str] = ()
    """UIDs that leave the work queue."""
    cached: Mapping[str, str] = field(default_factory=dict)
    """UID -> what the pod cache says from now on: running, error or nothing."""
    calls: Sequence[Update | Call] = ()
    goroutine: Goroutine | None = None
    """The goroutine that goes on: it takes a token, or the call in which it is held returns."""
    answer: CallResult | None = None
    """What that call returns; None where it takes a token."""
    settles: bool = False
    """Is it held in no call next?"""
    expected: Sequence[tuple[PodObject, Mapping[str, Value]]] = ()
    channels: Mapping[int, bool] = field(default_factory=dict)
    """The number of a kill request -> is its completion channel closed?"""
    logged: Sequence[str] = ()
    """Of these lines one must have been logged."""
    handled: Handled | None = None
    """In a test of the callers, the handler that is called; `calls` are then what comes of it."""
    sources_ready: bool = False
    """Do all sources report in this step?"""
    called: Sequence[str] | None = None
    """In a test of the callers, the calls of UpdatePod that are to be seen."""
    callers: Sequence[tuple[PodObject, Mapping[str, Value]]] = ()
    """The fields of the test's heldCaller."""


@dataclass(frozen=True)
class GoTest:
    """One counterexample or witness as a test."""

    name: str
    comment: Sequence[str]
    """Lines, without the slashes; an empty one separates paragraphs."""
    steps: Sequence[GoStep]
    cached: Mapping[str, str]
    """What the pod cache says at the beginning, where that is not nothing."""
    skip: str = ""
    """Why no test can do this; then the steps are told and not done."""
    room: int | None = None
    """In a test of the callers, for how many pods the node has room; None where only the workers are tested."""

    @property
    def requests(self) -> Sequence[int]:
        """The kill requests that have a channel."""
        numbers = {
            call.kill.request
            for step in self.steps
            for call in step.calls
            if isinstance(call, Update) and call.kill is not None and call.kill.request is not None
        }
        return sorted(numbers)
