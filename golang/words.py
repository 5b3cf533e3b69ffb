"""Functions of the model language that translated Go calls; they stand for what Go does with lists."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.language import NIL, Array, Size
from podproof.model.state import Flags, WaitingPods


class OptionalBool(Enum):
    """A pointer to a bool."""

    NIL = "nil"
    FALSE = "false"
    TRUE = "true"


@dataclass
class Pods:
    """A list or a set of UIDs that a function makes for itself."""

    has: Annotated[Array[bool], Size("uids")]


def contains(waiting: WaitingPods, uid: int) -> bool:
    """Is a UID in a list of waiting pods?"""
    for index in range(len(waiting.uids)):
        if index < waiting.length and waiting.uids[index] == uid:
            return True
    return False


def last(requests: Flags) -> int:
    """The last element of a list of requests, which is the highest one; NIL where there is none. [A8]"""
    found = NIL
    for request in range(len(requests)):
        if requests[request]:
            found = request
    return found
