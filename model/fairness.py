"""What a liveness claim may count on: the steps that cannot be put off for ever, and why.

Nothing is owed by configuration events, killers, failures, exiting containers and restarts of the kubelet. Steps of the
sync loop are owed strongly: its `select` takes at random what is ready, and housekeeping makes the rest wait again and
again. A goroutine's next step stays possible until it is taken, so weak fairness says as much of it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from podproof.model.language import Fairness, strongly, weakly

GOROUTINES = weakly("goroutines", "a goroutine that can go on is scheduled some time")
RELISTS = weakly("pleg", "PLEG relists again and again")
SYNC_CALLS_RETURN = weakly("sync-calls", "every call of the pod syncer returns", whichever=("outcome",))
WORK_QUEUE = strongly("work-queue", "entries of the work queue fall due, and the sync loop's select takes some tick")
HOUSEKEEPING = strongly("housekeeping", "housekeeping comes again and again, and the sync loop's select takes it")
SOURCES = strongly("sources", "every source delivers the pods it has, and then is ready")
CACHE_ANSWERS = strongly("failures-end", "podCache.GetNewerThan that is called again and again answers some time")
STEPS_SUCCEED = strongly("failures-end", "what a sync function tries again and again succeeds some time")
HOOKS_END = weakly("hooks", "a preStop hook ends, or is given up when its time is over", whichever=("seconds",))
STATUS_MANAGER = strongly("status-manager", "the status manager writes to the API server what it has")
PATCHES = strongly(STATUS_MANAGER.assumption, STATUS_MANAGER.reason, whichever=("phase",))
API_SERVER = weakly("api-server", "the API server answers every request some time", whichever=("phase",))
TEARDOWN = strongly("teardown", "the loops that take down volumes and cgroups come again and again")


def succeeds(outcome: Enum) -> Fairness:
    """Failures come to an end."""
    return strongly("failures-end", "a call that is tried again and again succeeds some time", outcome=outcome)


def delivers(is_configured: Callable[..., bool], admission: Enum) -> Fairness:
    """After a restart of the kubelet; that a pod is new is nobody's debt."""
    return strongly(SOURCES.assumption, SOURCES.reason, when=is_configured, admission=admission)
