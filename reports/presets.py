"""Views of the reachable states that people ask for by name: which fields they look at, and what they call a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.system import CheckerError, System
from podproof.reports.state_text import STATUSES, StateText

PHASE_FIELDS = ("present", "started_at", "terminating_at", "started_terminating", "terminated_at", "finished")

NOT_KNOWN, WAITING, SYNC = "not known: never seen, or forgotten", "waiting to start", "sync"
REQUESTED, STARTED, TERMINATED, FINISHED = "termination requested", "terminating", "terminated", "finished"
PHASES = (NOT_KNOWN, WAITING, SYNC, REQUESTED, STARTED, TERMINATED, FINISHED)
"""The phases in the order in which a pod goes through them. Requested: no SyncTerminatingPod has begun yet."""

STARTED_PODS = "started_static_pods"

Values = Mapping[str, int]
"""The fields of a state by path."""
Group = Callable[[Values], str]


@dataclass(frozen=True)
class Preset:
    """A view with a name."""

    name: str
    subject: str
    """What the diagram shows, as its title begins."""
    scenario: str
    """The scenario that shows it best."""
    paths: Callable[[System], Sequence[str]]
    """The variables that it looks at, by path; those that a system lacks are left out."""
    group: Callable[[System], Group] | None
    """What to call a state. None: the diagram is no graph of states."""
    seen: str
    """By what states are told apart; `{pod}` is the pod that the view is of, the first one."""
    returns: bool = True
    """Does the diagram show the steps that lead back to where it begins?"""

    def fields(self, system: System) -> list[str]:
        """The variables of the view. Raises CheckerError for a worker without a status for each pod."""
        if f"{STATUSES}[0].present" not in system.positions:
            raise CheckerError(
                f"--preset {self.name}: the worker of {system.version} keeps no status of a pod, so it has none of "
                "these phases; leave --preset out, or choose fields with --by (see `podproof explain fields`)"
            )
        return [path for path in self.paths(system) if path in system.positions]

    def seen_in(self, system: System) -> str:
        """By what states are told apart in this system."""
        pods = StateText(system).pods
        return self.seen.format(pod=pods[0] if len(pods) > 1 else "the pod")


def phase_of(values: Values, uid: int = 0) -> str:
    """The phase of a pod in a state with these fields."""

    def is_set(name: str) -> bool:
        return bool(values.get(f"{STATUSES}[{uid}].{name}"))

    if not is_set("present"):
        return NOT_KNOWN
    if is_set("finished"):
        return FINISHED
    if is_set("terminated_at"):
        return TERMINATED
    if is_set("terminating_at"):
        return STARTED if is_set("started_terminating") else REQUESTED
    return SYNC if is_set("started_at") else WAITING


def phase_paths(_system: System) -> list[str]:
    """The fields that make the phase of the first pod."""
    return [f"{STATUSES}[0].{name}" for name in PHASE_FIELDS]


def lifecycle_phase(values: Values) -> str:
    """The phase of the first pod as the pod worker's own comments call it: both parts of terminating are one."""
    phase = phase_of(values)
    return STARTED if phase == REQUESTED else phase


def _grace_paths(_system: System) -> list[str]:
    return [f"{STATUSES}[0].{name}" for name in ("terminating_at", "grace_period")]


def _grace(_system: System) -> Group:
    def group(values: Values) -> str:
        seconds = values.get(f"{STATUSES}[0].grace_period", 0)
        if not values.get(f"{STATUSES}[0].terminating_at"):
            return "not terminating"
        return f"terminating, {seconds} s" if seconds else "terminating, no grace period yet"

    return group


def _static_paths(system: System) -> list[str]:
    statuses = [f"{STATUSES}[{uid}].{name}" for uid in StateText(system).pods for name in PHASE_FIELDS]
    return [*statuses, *(path for path in system.positions if path.startswith(STARTED_PODS))]


def _static(system: System) -> Group:
    """Of each pod whether it has its full name for itself, waits for it, or does not ask for it."""
    pods = StateText(system).pods

    def state(values: Values, uid: int) -> str:
        holders = {value for path, value in values.items() if path.startswith(STARTED_PODS)}
        if uid in holders:
            return "has the name"
        return "waits" if phase_of(values, uid) == WAITING else "does not ask"

    return lambda values: ", ".join(f"{pod}: {state(values, uid)}" for uid, pod in pods.items())


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "lifecycle", "The phases of a pod", "one-pod", phase_paths, lambda _: lifecycle_phase, "the phase of {pod}"
        ),
        Preset(
            "static-pods",
            "Who has the full name of static pods",
            "static-successor",
            _static_paths,
            _static,
            "who has the full name",
        ),
        Preset(
            "grace",
            "The grace period of a termination",
            "one-pod",
            _grace_paths,
            _grace,
            "the grace period of {pod}",
            False,
        ),
        Preset("queries", "What the pod workers answer when", "one-pod", phase_paths, None, "the phase of {pod}"),
    )
}
"""Every preset by its name."""


def short_phase(phase: str) -> str:
    """A phase without what explains it: `not known`."""
    return phase.partition(":")[0]
