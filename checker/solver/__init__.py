"""Z3: what it is asked about the graph. It takes a while to be loaded, so that is left to the first question."""

from __future__ import annotations


class GaveUp(Exception):
    """The solver did not answer; the message says why."""
