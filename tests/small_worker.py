"""A worker with one job, in versions that differ a little: small enough to say by hand what a comparison must find.

A job comes, the worker takes it, and it ends well or not. A job that fails goes back into the queue, at most twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tests.two_phase_commit import no_lines

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import System
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import Domain, action, make, out_of_bounds, require

TRIES = 2
Tries = Annotated[int, Domain("tries")]


@dataclass
class Worker:
    """The first version."""

    queued: bool
    busy: bool
    done: bool
    failures: Tries
    """How often the job has failed."""

    @action("outside", "a job comes")
    def come(self) -> None:
        require(not self.queued and not self.busy and not self.done and self.failures == 0)
        self.queued = True

    @action("worker", "the worker begins")
    def begin(self) -> None:
        require(self.queued)
        self.queued = False
        self.busy = True

    @action("worker", "the job ends, well: {well}")
    def end(self, well: bool) -> None:
        require(self.busy and (well or self.failures < 2))
        self.busy = False
        if well:
            self.done = True
        else:
            self.failures += 1
            self.retry()

    def retry(self) -> None:
        self.queued = True

    @action("outside", "somebody looks")
    def look(self) -> None:
        require(self.queued)


class Renamed(Worker):
    """The same with another name for a local, and a condition the other way round."""

    def begin(self) -> None:
        """Another text."""
        require(self.queued or (self.queued and self.busy))
        free = False
        self.queued = free
        self.busy = not free

    begin.__action__ = Worker.begin.__action__  # type: ignore[attr-defined]


class Described(Worker):
    """The same with a docstring, a comment and an empty line, and without a decorator."""

    def begin(self) -> None:
        """The first job begins."""

        # Only if there is one.
        require(self.queued)
        self.queued = False  # It is begun.
        self.busy = True

    begin.__action__ = Worker.begin.__action__  # type: ignore[attr-defined]


class Forgetful(Worker):
    """A job that fails twice is not tried again: nobody goes on with it."""

    def retry(self) -> None:
        self.queued = self.failures < 2


class Modest(Worker):
    """It forgets how often a job failed when it is done."""

    @action("worker", "the job ends, well: {well}")
    def end(self, well: bool) -> None:
        super().end(well)
        if self.done:
            self.failures = 0


class Choosy(Worker):
    """Somebody may look twice."""

    @action("outside", "somebody looks")
    def look(self, twice: bool) -> None:
        require(self.queued)


class Careless(Worker):
    """It would lose a job that is done already, which never fails."""

    def retry(self) -> None:
        self.queued = not self.done


class Alarmed(Worker):
    """It goes wrong where a job that is done fails, which never happens."""

    def retry(self) -> None:
        assert not self.done
        self.queued = True


class Limited(Worker):
    """There it is cut off."""

    def retry(self) -> None:
        if self.done:
            out_of_bounds("jobs that are done")
        self.queued = True


class Blind(Worker):
    """Nobody can look at a queued job that has failed."""

    @action("outside", "somebody looks")
    def look(self) -> None:
        require(self.queued and self.failures == 0)


@dataclass
class Counting(Worker):
    """It also remembers whether a job ever came, and nothing depends on that but a guard that says the same anyway."""

    came: bool

    @action("outside", "a job comes")
    def come(self) -> None:
        require(not self.queued and not self.busy and not self.done and self.failures == 0 and not self.came)
        self.came = True
        self.queued = True


@dataclass
class Noting(Worker):
    """It notes that a job came, and never that one went; nothing reads either."""

    noted: bool
    gone: bool

    @action("outside", "a job comes")
    def come(self) -> None:
        super().come()
        self.noted = True
        self.gone = False


PATHS = ("queued", "busy", "done", "failures")


def small_worker(cls: type[Worker]) -> System:
    """The system of one version; it is named after its class."""
    scope = Scope({}, {"tries": Values(tuple(range(TRIES + 1)))})
    initial = [make(cls, scope.sizes)]
    return lower_system(Description(cls, cls.__name__, "closed", "one-job", "1 job", scope, initial, no_lines))


class Wrong(Worker):
    """Its job must not fail."""

    @action("worker", "the job ends, well: {well}")
    def end(self, well: bool) -> None:
        super().end(well)
        assert self.failures == 0, "it failed"
