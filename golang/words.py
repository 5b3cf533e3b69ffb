"""Functions of the model language that translated Go calls; they stand for what Go does with lists."""

from __future__ import annotations

from podproof.model.language import NIL
from podproof.model.state import Flags


def last(requests: Flags) -> int:
    """The last element of a list of requests, which is the highest one; NIL where there is none. [A8]"""
    found = NIL
    for request in range(len(requests)):
        if requests[request]:
            found = request
    return found
