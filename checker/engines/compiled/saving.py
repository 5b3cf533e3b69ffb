"""What a search keeps in a checkpoint, and how it goes on from one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from podproof.checker.engines.compiled.checkpoint import Checkpoint, NotSaved, Point
from podproof.checker.engines.compiled.long_run import identity
from podproof.checker.engines.compiled.search import Search


class Saving:
    """The checkpoint of a search, which may end the search where it cannot be written."""

    def __init__(self, search: Search, folder: Path) -> None:
        who = identity(search.system, search.properties, search.layout, search.program)
        self._search, self._checkpoint = search, Checkpoint(folder, who, search.layout.words, search.plan.every)
        self._point: Point | None = None

    def resume(self) -> None:
        """Have the search go on from the checkpoint, if there is one and it is asked for. Raises CheckerError."""
        search = self._search
        point = self._point = self._checkpoint.open(search.plan.resume, search.statistics.copy())
        if point is None:
            return
        self._checkpoint.load(search.restore)
        if search.disk is None:
            search.store.enter(point.count)
        search.statistics.restore(point.arrays)
        search.cursor, search.depth, search.earlier = point.cursor, point.depth, point.seconds
        if search.count > search.statistics.most:
            search.full()

    def mark_level(self) -> None:
        """A level begins: remember how things stand, and save them when it is time."""
        self._point = self._here(finished=False)
        if self._checkpoint.due():
            self._save(self._point)

    def end(self) -> None:
        """Save the end of the search, or the last level that it began; verdicts of a whole search stand without."""
        if not self._search.reason:
            with suppress(NotSaved):
                self._checkpoint.save(self._here(finished=True), self._search.stored)
        elif self._point is not None:
            self._save(self._point)

    def close(self) -> None:
        self._checkpoint.close()

    def _save(self, point: Point) -> None:
        """Save a point; where that fails the search ends, with what it found."""
        search = self._search
        try:
            self._checkpoint.save(point, search.stored)
        except NotSaved as error:
            self._point = None  # There is no second attempt.
            search.reason = f"{search.reason or f'stopped at {search.count:,} states'}: {error}"

    def _here(self, finished: bool) -> Point:
        search = self._search
        return Point(search.count, search.cursor, search.depth, search.seconds, finished, search.statistics.copy())
