"""What a pod waits for, as the lines of a kubelet's log say at any level: the one table of symptoms.

They are no verdict: a log has no line for most of what ends a wait, and the model has no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from podproof.kubelet.log_lines import FIRST_SYNC
from podproof.model import fairness
from podproof.model.language import Fairness

_DIED = "SyncLoop (PLEG): event for pod ContainerDied"
_STARTED = "SyncLoop (PLEG): event for pod ContainerStarted"
_REMOVED = "SyncLoop REMOVE"
_RESTARTS = "Pod has been terminated but another pod with the same UID was created, remove history to allow restart"
_ENDED = frozenset(
    {
        "Pod is complete and the worker can now stop",
        "Pod worker has stopped",
        "Pod has been terminated and is no longer known to the kubelet, remove all history",
        _RESTARTS,
    }
)
_STOPPED = _ENDED | {
    "Pod termination stopped all running containers",
    "Pod terminated all containers successfully",
    "Pod terminated all orphaned containers successfully and worker can now stop",
}
_SYNCED = _STOPPED | {_STARTED, _REMOVED, "Observed pod startup duration"}
_FORGOTTEN = frozenset({_REMOVED, "Pod fully terminated and removed from etcd"})
_KILLS = ("Killing container with a grace period", "Shutdown manager killing pod with gracePeriod")


class Symptom(NamedTuple):
    """A line after which a pod waits."""

    message: str
    waits_for: str
    turn: str
    """Whose turn it is."""
    until: frozenset[str]
    """Which lines of the pod end it."""
    error: str = ""
    """What the line's error has in it."""
    after: frozenset[str] = frozenset()
    """One of these the pod had before it; empty where it does not matter."""
    unless: frozenset[str] = frozenset()
    """And none of these since then."""
    at_v4: bool = False
    """Does only a log with first syncs have it?"""
    counts_on: tuple[str, ...] = ()
    """The names of the fairness without which it may wait for ever; none where nothing promises an end."""
    bugs: tuple[str, ...] = ()
    """Those of `specs/history.py` by which it may wait in vain."""


def _named(*promises: Fairness) -> tuple[str, ...]:
    return tuple(promise.assumption for promise in promises)


_CALLS = _named(fairness.SYNC_CALLS_RETURN, fairness.HOOKS_END)
"""That a call of the pod syncer comes to its end, with what it kills."""
_TRIES = _named(fairness.SYNC_CALLS_RETURN, fairness.STEPS_SUCCEED, fairness.WORK_QUEUE)
"""That the worker's calls return, and are tried again until they succeed."""

SYMPTOMS = (
    Symptom(
        "SyncLoop ADD",
        "its sandbox to start",
        "its worker's",
        _SYNCED | {_DIED, "SyncLoop DELETE", "Pod admission denied", "Pod is finished processing, no further updates"},
        counts_on=_TRIES,
    ),
    Symptom(
        "SyncLoop DELETE",
        "its containers to stop and its worker to end",
        "its worker's",
        _FORGOTTEN | _ENDED | {"The pod termination is finished as SyncTerminatedPod completes its execution"},
        counts_on=_TRIES,
        bugs=("B07", "B18"),
    ),
    Symptom(
        "Killing container with a grace period",
        "a container to exit",
        "the runtime's",
        _STOPPED | {_DIED, "Container exited normally"},
        counts_on=_CALLS,
    ),
    Symptom(
        "Delaying pod deletion as the phase is non-terminal",
        "SyncTerminatedPod, before which the API server keeps it",
        "its worker's",
        _FORGOTTEN | _ENDED | {"The pod termination is finished as SyncTerminatedPod completes its execution"},
        counts_on=_TRIES,
        bugs=("B07", "B18"),
    ),
    Symptom(
        "The pod termination is finished as SyncTerminatedPod completes its execution",
        "its object to be deleted",
        "the API server's",
        _FORGOTTEN,
        counts_on=_named(fairness.STATUS_MANAGER, fairness.API_SERVER),
    ),
    Symptom(
        "Waiting for volumes to attach and mount for pod",
        "its volumes to be mounted",
        "the volume manager's",
        _SYNCED | {"All volumes are attached and mounted for pod"},
        counts_on=_TRIES,
    ),
    Symptom(
        "Waiting for volumes to unmount for pod",
        "its volumes to be unmounted",
        "the volume manager's",
        _ENDED | {"All volumes are unmounted for pod"},
        counts_on=_named(fairness.TEARDOWN, fairness.STEPS_SUCCEED, fairness.WORK_QUEUE),
    ),
    Symptom(
        "Pod is terminated, but some volumes have not been cleaned up",
        "its volumes to be unmounted",
        "the volume manager's",
        _ENDED | {"Pod termination cleaned up volume paths"},
        counts_on=_named(fairness.TEARDOWN, fairness.STEPS_SUCCEED, fairness.WORK_QUEUE),
    ),
    Symptom(
        "Pod cannot start yet",
        "the static pod of its name to end",
        "that pod's",
        _ENDED | {"Processing pod event", "Pod cannot start ever"},
        counts_on=_TRIES,
        bugs=("B05", "B13"),
    ),
    Symptom(
        "Pod is terminating but has been requested to restart with same UID, will be reconciled later",
        "its worker to end, and then to be created again",
        "housekeeping's",
        frozenset({FIRST_SYNC}),
        counts_on=(*_TRIES, fairness.HOUSEKEEPING.assumption),
        bugs=("B02", "B15"),
    ),
    Symptom(
        "Pod worker has been requested for removal but is still not fully terminated",
        "its worker to end",
        "its worker's",
        _ENDED,
        counts_on=(*_TRIES, fairness.HOUSEKEEPING.assumption),
        bugs=("B12",),
    ),
    Symptom(
        "Failed to delete pod",
        "the sources of pods to be ready",
        "the sources'",
        _STOPPED,
        "sources aren't ready",
        counts_on=_named(fairness.SOURCES, fairness.HOUSEKEEPING),
        bugs=("B23",),
    ),
    Symptom(
        "Error syncing pod, skipping",
        "the node's network",
        "the network plugin's",
        _SYNCED,
        "network is not ready",
        counts_on=_TRIES,
    ),
    Symptom(
        "Error syncing pod, skipping",
        "its volumes to be mounted",
        "the volume manager's",
        _SYNCED,
        "unmounted volumes",
        counts_on=_TRIES,
    ),
    Symptom("Error syncing pod, skipping", "an image", "the registry's", _SYNCED, "ErrImagePull", counts_on=_TRIES),
    Symptom("Error syncing pod, skipping", "an image", "the back-off's", _SYNCED, "ImagePullBackOff", counts_on=_TRIES),
    Symptom(
        "Error syncing pod, skipping",
        "a container to be started again",
        "the back-off's",
        _SYNCED,
        "CrashLoopBackOff",
        counts_on=_TRIES,
    ),
    Symptom(
        "Error syncing pod, skipping",
        "a container to stop",
        "the runtime's",
        _SYNCED,
        "KillContainer",
        counts_on=_TRIES,
        bugs=("B12",),
    ),
    Symptom(
        "Error syncing pod, skipping", "the next try of what failed", "the work queue's", _SYNCED, counts_on=_TRIES
    ),
    Symptom(
        "Shutdown manager killing pod with gracePeriod",
        "its containers to stop before the node shuts down",
        "its worker's",
        _STOPPED,
        counts_on=_CALLS,
        bugs=("N1",),
    ),
    Symptom(
        "SyncLoop DELETE",
        "a worker, which it never had",
        "the sync loop's",
        _FORGOTTEN | {FIRST_SYNC},
        after=frozenset({"SyncLoop ADD"}),
        unless=frozenset({FIRST_SYNC, _STARTED, _DIED}),
        at_v4=True,
        bugs=("B18",),
    ),
    *(
        Symptom(
            message,
            "its worker to end once more, which began again after its end",
            "its worker's",
            _ENDED,
            after=_STOPPED - {"Pod worker has stopped", _RESTARTS},
            unless=frozenset({"SyncLoop ADD", _RESTARTS}),
            counts_on=_TRIES,
            bugs=("B25",),
        )
        for message in (FIRST_SYNC, "Pod is orphaned and must be torn down")
    ),
    Symptom(
        FIRST_SYNC,
        "its worker to end, which began although admission rejected the pod",
        "its worker's",
        _ENDED,
        after=frozenset(
            {
                "Failed to admit pod, unexpected error while attempting to recover from admission failure",
                "Pod admission denied",
            }
        ),
        unless=frozenset({"SyncLoop ADD", "SyncLoop UPDATE", "SyncLoop RECONCILE", "SyncLoop DELETE", _REMOVED}),
        counts_on=_TRIES,
        bugs=("B33",),
    ),
)
"""Of several with a line's message the first whose error fits, and each that needs another line before it."""

INTERRUPTED = Symptom(
    "",
    "its containers to stop, which a kubelet before this one had begun to kill",
    "the new kubelet's",
    _STOPPED | _FORGOTTEN | {_DIED, "SyncLoop DELETE", *_KILLS},
    counts_on=(*_TRIES, fairness.SOURCES.assumption),
)
"""The start of a kubelet, for each pod that the one before it was killing."""

MESSAGES = frozenset(
    message.removesuffix(" ContainerDied").removesuffix(" ContainerStarted")
    for symptom in SYMPTOMS
    for message in (symptom.message, *symptom.until, *symptom.after, *symptom.unless)
)
"""All that begin or end a wait, or make it one."""
_REMEMBERED = frozenset(message for symptom in SYMPTOMS for message in symptom.after)
_BEGIN = frozenset(symptom.message for symptom in SYMPTOMS) | _REMEMBERED
_OF_MESSAGE = {
    message: [symptom for symptom in SYMPTOMS if symptom.message == message]
    for message in {symptom.message for symptom in SYMPTOMS}
}


MOST_NAMES = 100_000
"""Of which the UID is kept; what has only the name of another is about a pod of its own."""
MOST_OF_A_NAME = 100
"""UIDs."""
MOST_WAITS = 100
"""Of a pod at a time."""


class Sign(NamedTuple):
    """A line that may begin or end a wait."""

    message: str
    """Of an event of the PLEG with its type."""
    error: str
    time: str
    """As the line has it; empty where it has none."""
    container: str
    """The ID of the container or sandbox that it is about, if any."""
    pods: tuple[tuple[str, str], ...]
    """The namespace/name and the UID of each pod that it names; one of both may be empty."""


@dataclass(slots=True)
class OpenWait:
    """That a pod waits, as its lines say so far."""

    since: str
    place: int
    times: int = 0


@dataclass(slots=True)
class PodSigns:
    """What the lines about a pod say of what it waits for."""

    name: str
    first: int
    last: int = 0
    among: tuple[str, ...] = ()
    """The UIDs that lines with the name alone may be about, where several pods of the name are there at a time."""
    waits: dict[tuple[Symptom, str], OpenWait] = field(default_factory=dict)
    """By symptom and container."""
    past: dict[str, set[str]] = field(default_factory=dict)
    """Each line that matters for what follows it -> those that came since."""

    def see(self, sign: Sign, place: int, at_v4: bool) -> None:
        """A line about it; one about another container does not end the wait for a container."""
        self.last = place
        for symptom, container in list(self.waits):
            if sign.message in symptom.until and (not container or sign.container in ("", container)):
                del self.waits[symptom, container]
        plain = True
        for symptom in _OF_MESSAGE.get(sign.message, ()):
            begins = self._had(symptom) and at_v4 >= symptom.at_v4 if symptom.after else plain
            if begins and symptom.error in sign.error:
                plain = plain and bool(symptom.after)
                if len(self.waits) < MOST_WAITS:
                    self.waits.setdefault((symptom, sign.container), OpenWait(sign.time, place)).times += 1
        for since in self.past.values():
            since.add(sign.message)
        if sign.message in _REMEMBERED:
            self.past[sign.message] = set()

    def _had(self, symptom: Symptom) -> bool:
        return any(before in symptom.after and not since & symptom.unless for before, since in self.past.items())


@dataclass(slots=True)
class Signs:
    """The same of all pods in a life of the kubelet.

    A line that has only the name is about the pod of that name that has not ended, and was not removed; where there
    are several, it is about none of them.
    """

    pods: dict[str, PodSigns] = field(default_factory=dict)
    """By UID; by name where no line has the UID, or it is not known which."""
    uids: dict[str, list[str]] = field(default_factory=dict)
    """namespace/name -> the UIDs that lines had with it since it was removed."""
    gone: set[str] = field(default_factory=set)
    """UIDs whose worker has ended, or whose pod was removed."""
    at_v4: bool = False
    """Is there the first sync of a pod?"""
    interrupted: list[str] = field(default_factory=list)
    """Pods that the kubelet before this one was killing."""

    def carry(self, before: Signs, place: int, most: int) -> int:
        """A kubelet begins: pods that the one before it was killing. How many there are, at most so many."""
        for key, pod in before.pods.items():
            killed = [wait for (symptom, _), wait in pod.waits.items() if symptom.message in _KILLS]
            if killed and len(self.pods) < most:
                since = OpenWait(killed[0].since, killed[0].place, 1)
                self.interrupted.append(key)
                self.pods[key] = PodSigns(pod.name, place, place, waits={(INTERRUPTED, ""): since})
                if pod.name != key:
                    self.uids[pod.name] = [key]
        return len(self.pods)

    def overlap(self) -> None:
        """The kubelet before it goes on, so it has interrupted nothing."""
        for key in self.interrupted:
            self.pods[key].waits.pop((INTERRUPTED, ""), None)
        self.interrupted = []

    def see(self, sign: Sign, place: int, may_add: bool) -> Iterator[str]:
        """A line; the pods whose first wait it begins, none where no more may be added."""
        self.at_v4 = self.at_v4 or sign.message == FIRST_SYNC
        for name, uid in sign.pods:
            if uid:
                self._learn(sign, name, uid)
            key, among = (uid, ()) if uid else self._about(name)
            if key not in self.pods:
                if not may_add or sign.message not in _BEGIN:
                    continue
                self.pods[key] = PodSigns(name, place, among=among)
                yield key
            self.pods[key].name = self.pods[key].name or name
            self.pods[key].see(sign, place, self.at_v4)
            if uid and sign.message in _ENDED and len(self.gone) < MOST_NAMES:
                self.gone.add(uid)
            if sign.message == _REMOVED:
                self.gone.update(self.uids.pop(name, ()))

    def _learn(self, sign: Sign, name: str, uid: str) -> None:
        if sign.message == FIRST_SYNC:
            self.gone.discard(uid)
        if not name or uid in self.gone or (name not in self.uids and len(self.uids) >= MOST_NAMES):
            return
        known = self.uids.setdefault(name, [])
        if uid not in known and len(known) < MOST_OF_A_NAME:
            known.append(uid)
        if name in self.pods and (self.pods[name].among or uid not in self.pods):
            of_name = self.pods.pop(name)
            if not of_name.among:
                self.pods[uid] = of_name

    def _about(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Under what a line with the name alone is kept, and which UIDs it may be about."""
        known = self.uids.get(name, [])
        there = [uid for uid in known if uid not in self.gone] or known[-1:]
        return (there[0], ()) if len(there) == 1 else (name, tuple(there))
