"""Back-off of restarts and image pulls. Go: k8s.io/client-go/util/flowcontrol/backoff.go. Times are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.notes import go

BACK_OFF_PERIOD = 10_000
MAX_CONTAINER_BACK_OFF = 300_000


@dataclass
class BackOffEntry:
    """backoffEntry."""

    backoff: int
    last_update: int


class Backoff:
    """flowcontrol.Backoff, with a key's duration and when it last changed."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], BackOffEntry] = {}

    @go("Get")
    def get(self, key: tuple[str, str]) -> int:
        entry = self.entries.get(key)
        return entry.backoff if entry is not None else 0

    @go("IsInBackOffSince")
    def is_in_back_off_since(self, key: tuple[str, str], event_time: int, now: int) -> bool:
        entry = self._live_entry(key, event_time)
        return entry is not None and now - event_time < entry.backoff

    @go("IsInBackOffSinceUpdate")
    def is_in_back_off_since_update(self, key: tuple[str, str], event_time: int) -> bool:
        entry = self._live_entry(key, event_time)
        return entry is not None and event_time - entry.last_update < entry.backoff

    @go("Next")
    def next(self, key: tuple[str, str], event_time: int, now: int) -> None:
        entry = self._live_entry(key, event_time)
        doubled = BACK_OFF_PERIOD if entry is None else min(2 * entry.backoff, MAX_CONTAINER_BACK_OFF)
        self.entries[key] = BackOffEntry(doubled, now)

    def _live_entry(self, key: tuple[str, str], event_time: int) -> BackOffEntry | None:
        """Go: hasExpired. After twice the longest back-off all is forgotten."""
        entry = self.entries.get(key)
        if entry is None or event_time - entry.last_update > 2 * MAX_CONTAINER_BACK_OFF:
            return None
        return entry
