"""The API server as the status manager sees it: pods by name, and calls that may fail."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum

from podproof.model.core_v1 import ApiPod, PodStatus


class Verb(Enum):
    GET = "get"
    PATCH = "patch"
    DELETE = "delete"


class ApiFailure(Exception):
    """A call failed; what became of it nobody is told."""


@dataclass
class ApiCall:
    """A call that was made, for those who record."""

    verb: Verb
    name: str
    uid: str = ""
    """Of the object that was found, that of a patch, or the precondition of a deletion."""
    error: str = ""
    status: PodStatus | None = None
    """After a patch."""


@dataclass
class ApiServer:
    pods: dict[str, ApiPod] = field(default_factory=dict)
    """By name."""
    faults: dict[Verb, str] = field(default_factory=dict)
    """What every call of a kind answers now instead of succeeding."""
    calls: list[ApiCall] = field(default_factory=list)

    def get(self, name: str) -> ApiPod:
        """A copy of the object. Raises ApiFailure, also where there is none."""
        call = self.call(Verb.GET, name, "" if name in self.pods else "notfound")
        call.uid = self.pods[name].uid
        return deepcopy(self.pods[name])

    def patch_status(self, pod: ApiPod, status: PodStatus) -> ApiPod:
        """The object with another status. Raises ApiFailure."""
        call = self.call(Verb.PATCH, pod.name, uid=pod.uid)
        self.pods[pod.name].status = deepcopy(status)
        call.status = deepcopy(status)
        return deepcopy(self.pods[pod.name])

    def delete(self, pod: ApiPod) -> None:
        """Without any grace, and only this UID. Raises ApiFailure."""
        self.call(Verb.DELETE, pod.name, uid=pod.uid)
        del self.pods[pod.name]

    def call(self, verb: Verb, name: str, error: str = "", uid: str = "") -> ApiCall:
        error = self.faults.get(verb, error)
        self.calls.append(ApiCall(verb, name, uid, error))
        if error:
            raise ApiFailure
        return self.calls[-1]
