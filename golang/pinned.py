"""Fingerprints of functions that are not translated because the model has something of its own for them.

Each is of a text that was read and found to do what the model does: of releases of Kubernetes, and of the worker that
the tests have. Comments and white space do not count.
"""

from __future__ import annotations

from collections.abc import Mapping

PINNED: Mapping[str, frozenset[str]] = {
    "isPodStatusCacheTerminal": frozenset({"821393f1229f92cd", "5018f9404e34cad0"}),
    "podUIDAndRefForUpdate": frozenset({"fe9a25fe2c5961c7"}),
    "killPodNow": frozenset({"2c6a87da40cfb64b", "07ddb200a79af96e", "ad84d61e7bacbf32"}),
    "cleanupPodUpdates": frozenset({"f55030b539b19354", "f5c81469beb7f774"}),
}
