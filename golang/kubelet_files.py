"""Which Go files of a kubelet are read, and which are only compared as texts."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError
from podproof.golang.functions import POD_WORKERS, modelled_in
from podproof.golang.handlers import read_in
from podproof.golang.handling import HANDLERS
from podproof.golang.modelled import MODELLED
from podproof.golang.neighbours import known_callers


def files_in(place: Path) -> tuple[Path, ...]:
    """The file, or those of a folder and below that are read, and those that the model has something of by hand.

    Raises CheckerError where none is read.
    """
    if not place.is_dir():
        return (place,)
    code = sorted(file for file in place.rglob("*.go") if not file.name.endswith("_test.go") and not file.is_dir())
    workers = [file for file in code if _has_workers(file)]
    found = tuple(file for file in code if file in workers or read_in(file) or is_in_its_place(file, workers))
    if not found:
        raise CheckerError(f"--go {visible(str(place))}: no Go in it is read; give the folder pkg/kubelet, or a file")
    return (*found, *(file for file in code if file not in found and is_around(file, workers)))


def is_around(file: Path, workers: Sequence[Path]) -> bool:
    """Has the model something of a file by hand, by its place beside that of the pod workers?"""
    folders = (one.parent for one in workers if file.is_relative_to(one.parent))
    places = {str(PurePosixPath(file.relative_to(folder))) for folder in folders}
    return any(not places.isdisjoint(known.functions) for known in known_callers())


def sorted_out(files: Sequence[Path]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Those of pod workers, and those beside them, each once. Raises CheckerError for what is no kubelet's."""
    files = list({file.resolve(): file for file in reversed(files)}.values())[::-1]
    workers = tuple(file for file in files if _has_workers(file))
    beside = tuple(file for file in files if file not in workers)
    for file in beside:
        if not (read_in(file) or is_in_its_place(file, workers) or is_around(file, workers)):
            raise CheckerError(f"--go {visible(str(file))}: nothing of it is read; leave it out")
    if beside and len(workers) != 1:
        found = "none has the pod workers" if not workers else f"{len(workers)} have pod workers"
        raise CheckerError(f"--go: of these files {found}; give one pod_workers.go with what is beside it")
    return workers, beside


def is_in_its_place(file: Path, workers: Sequence[Path]) -> bool:
    """Is it a file in which releases have functions that are read, whatever it has itself?"""
    folders = (one.resolve().parent for one in workers)
    return any(file.resolve() == folder / place for folder in folders for place in places_read())


@functools.cache
def places_read() -> Mapping[str, frozenset[str]]:
    """The files in which releases have functions that are read, by their path beside the pod workers: their names."""
    names = {*MODELLED, *HANDLERS}
    found = [(path, names & functions.keys()) for one in known_callers() for path, functions in one.functions.items()]
    return {path: frozenset(some) for path, some in found if some}


def _has_workers(file: Path) -> bool:
    modelled_in(file)  # It raises where the file cannot be read.
    return POD_WORKERS.search(file.read_text(encoding="utf-8", errors="replace")) is not None
