"""Too little memory, told as such, whichever library runs into it first."""

from __future__ import annotations

import errno
import mmap
from collections.abc import Iterator
from contextlib import contextmanager

import click

_LOADED = 384 << 20
"""Bytes of addresses for the engines and their libraries, with something to spare: they were seen to take 250 MiB."""
_SIGNS = (
    "failed to map segment from shared object",
    "can't start new thread",
    # llvmlite says nothing else; a file that is really missing was told when podproof was installed.
    "Could not find/load shared object file",
)


class TooLittleMemory(click.ClickException):
    """What was asked for does not fit in the memory, or in the addresses, that this process may have."""

    exit_code = 2

    def __init__(self, what: str) -> None:
        super().__init__(
            f"too little memory for this process ({what}); allow it more (`ulimit -v`, the container's limit), "
            "or end other programs"
        )

    def show(self, file: object = None) -> None:
        click.echo(f"error: {self.message}", err=True)


@contextmanager
def report_out_of_memory() -> Iterator[None]:
    """Raises TooLittleMemory in place of each error that means it."""
    try:
        yield
    except (MemoryError, OSError, ImportError, RuntimeError) as error:
        what = _out_of_memory(error)
        if what is None:
            raise
        raise TooLittleMemory(what) from error


def _out_of_memory(error: Exception) -> str | None:
    """What there is too little memory for; None for any other error."""
    if isinstance(error, MemoryError):
        return str(error) or "out of memory"
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return error.strerror
    return next((sign for sign in _SIGNS if sign in str(error)), None)


def expect_room_for_engines() -> None:
    """Raises TooLittleMemory where they cannot be loaded: some libraries end the process then, with exit code 1."""
    with report_out_of_memory():
        mmap.mmap(-1, _LOADED).close()
