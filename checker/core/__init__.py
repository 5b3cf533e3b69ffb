"""What everything else in the checker is about: the expression graph, systems, claims, traces and verdicts.

Here is what a user can mend: the message says where, what was found, why it is wrong and what to do.
"""

from __future__ import annotations


class CheckerError(Exception):
    """Something that a user gave is wrong."""


class UsageError(CheckerError):
    """What was asked for contradicts itself, or is about nothing."""


class ModelError(CheckerError):
    """The model uses Python that the checker cannot read, or contradicts itself."""
