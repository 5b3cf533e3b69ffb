"""The grace period: what UpdatePod and SyncKnownPods make of what was asked for."""

from __future__ import annotations

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL, Event
from podproof.specs.claim import FORGETS_TWO_GOROUTINES, IGNORES_UPDATES, Harm, broken, claim
from podproof.specs.updates import is_killed, updates

_ZERO_IS_NONE = broken(
    "a grace period of 0 is taken for none", by="kubernetes/kubernetes#115819, #120449, #113717", until="1.31"
)


@claim(
    "step",
    "calculateEffectiveGracePeriod",
    violations=(
        _ZERO_IS_NONE,
        broken("a killer's longer grace period replaces a deletion's 0", since="1.31"),
        FORGETS_TWO_GOROUTINES,
        IGNORES_UPDATES,
    ),
    harm=Harm.CALLERS,
    wrong=("the grace period of {uid} is {found} s, where {due} s was asked for"),
)
def the_least_grace_period_asked_for_is_recorded(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """The grace period is the least that the deletion and the killers asked for, else the spec's; 0 counts as 1.

    Who asks for a short end waits for a long one otherwise, or a pod is killed before its time.
    """
    for uid in range(len(before.pod_sync_statuses)):
        if sets_grace_period(before, event, after, uid):
            asked = least(recorded(before, uid), least(deletion_grace(before, after, uid), override(before, event)))
            found = after.pod_sync_statuses[uid].grace_period
            due = effective(asked, before, uid)
            if found != due and not has_another_reading(found, before, event, after, uid):
                return False
    return True


@claim(
    "step",
    "calculateEffectiveGracePeriod",
    violations=(FORGETS_TWO_GOROUTINES, IGNORES_UPDATES),
    harm=Harm.CALLERS,
    wrong=(
        "the grace period of {uid} went from {old} s to "
        "{after.pod_sync_statuses[uid].grace_period} s, which is not the least that was asked for"
    ),
)
def the_least_grace_period_above_zero_is_recorded(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """As the_least_grace_period_asked_for_is_recorded, unless somebody asks for 0: the only way in which it is broken.

    Where 0 is taken for none, what was recorded stays, or is lost with it: the killer's grace period counts then,
    else the spec's. Nothing but UpdatePod changes what is recorded.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid].grace_period
        changes = old not in (0, after.pod_sync_statuses[uid].grace_period)
        if changes and after.pod_sync_statuses[uid].present:
            if not updates(before, event, after, uid) and not is_killed(event, uid):
                return False
        if sets_grace_period(before, event, after, uid):
            deletion = deletion_grace(before, after, uid)
            killer = override(before, event)
            found = after.pod_sync_statuses[uid].grace_period
            asked = least(recorded(before, uid), least(deletion, killer))
            if found != effective(asked, before, uid) and not has_another_reading(found, before, event, after, uid):
                forgotten = effective(NIL if killer == 0 else killer, before, uid)
                if (deletion != 0 and killer != 0) or found not in (recorded(before, uid), forgotten):
                    return False
    return True


@claim(
    "step",
    "calculateEffectiveGracePeriod since 1.31: overridden",
    violations=(_ZERO_IS_NONE,),
    harm=Harm.CALLERS,
    wrong="the grace period of {uid} is {found} s, which nobody asked for",
)
def the_grace_period_is_one_that_was_asked_for(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """Once a deletion or a killer has asked for a grace period, the recorded one is such, and not the spec's.

    A killer that asks for less than 0 may have meant the spec's.
    """
    for uid in range(len(before.pod_sync_statuses)):
        if sets_grace_period(before, event, after, uid):
            deletion = deletion_grace(before, after, uid)
            found = after.pod_sync_statuses[uid].grace_period
            is_old = found == recorded(before, uid)
            is_asked = override(before, event) != NIL and not leaves_it_to_the_pod(before, event)
            if deletion != NIL or is_asked:
                if found != at_least_one(deletion) and found != at_least_one(override(before, event)) and not is_old:
                    return False
    return True


def at_least_one(seconds: int) -> int:
    """No pod is killed without any grace."""
    return NIL if seconds == NIL else max(seconds, 1)


def sets_grace_period(before: Kubelet, event: Event, after: Kubelet, uid: int) -> bool:
    """Is it a call of UpdatePod for a pod that terminates, and is not terminated nor to be restarted?"""
    old = before.pod_sync_statuses[uid]
    new = after.pod_sync_statuses[uid]
    if not updates(before, event, after, uid) or not new.terminating_at or new.terminated_at:
        return False
    creates = event.action in ("handle_pod_additions", "housekeeping_recreate")
    return not (creates and old.terminating_at)


def recorded(before: Kubelet, uid: int) -> int:
    grace_period = before.pod_sync_statuses[uid].grace_period
    return NIL if grace_period == 0 else grace_period


def deletion_grace(before: Kubelet, after: Kubelet, uid: int) -> int:
    """What the pod object that UpdatePod is given says; a pod that is gone is handed over as it was."""
    if after.config[uid].exists:
        return after.config[uid].deletion_grace_period_seconds
    return before.config[uid].deletion_grace_period_seconds


def override(before: Kubelet, event: Event) -> int:
    """What a killer asks for."""
    if event.action == "kill_pod_now":
        return before.override_of(event.killer)
    return NIL


def least(a: int, b: int) -> int:
    """The smaller of two numbers that may be nil."""
    if a == NIL:
        return b
    if b == NIL:
        return a
    return min(a, b)


def leaves_it_to_the_pod(before: Kubelet, event: Event) -> bool:
    """Does a killer ask for less than 0? That is 1 s to UpdatePod; whoever configures it means the pod's own."""
    return override(before, event) != NIL and override(before, event) < 0


def has_another_reading(found: int, before: Kubelet, event: Event, after: Kubelet, uid: int) -> bool:
    """Does a grace period follow from a request that has two readings, of which a kubelet may take either?

    They are those of pods_removed_without_deletion_get_one_second and
    negative_maximum_leaves_the_grace_period_to_the_pod.
    """
    deletion = deletion_grace(before, after, uid)
    if event.action == "handle_pod_removes" and deletion == NIL:
        return found == 1
    asked = least(recorded(before, uid), deletion)
    return leaves_it_to_the_pod(before, event) and found == effective(asked, before, uid)


def effective(asked: int, before: Kubelet, uid: int) -> int:
    """The grace period that follows from the least one that was asked for."""
    if asked != NIL:
        return max(asked, 1)
    spec = before.config[uid].termination_grace_period_seconds
    if spec != NIL:
        return max(spec, 1)
    return 1


@claim(
    "step",
    "removeTerminatedWorker: the grace period of an orphan",
    needs=("drain_pod_updates",),
    wrong="{uid} is gone from its source and gets {new.grace_period} s instead of {expected} s",
)
def orphans_get_the_grace_period_of_their_pod(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A pod that terminates because it is gone from its source gets the deletion's grace period, else the spec's."""
    if event.action != "housekeeping_sync_known_pods":
        return True
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        if new.terminating_at and not old.terminating_at:
            pod = old.active_update.pod
            expected = 1
            if pod.present:
                asked = least(recorded(before, uid), pod.deletion_grace_period_seconds)
                expected = effective(asked, before, uid)
            if new.grace_period != expected:
                return False
    return True
