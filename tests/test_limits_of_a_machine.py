"""What a machine may lack: memory, addresses. It costs time or it is told; nothing breaks."""

from __future__ import annotations

import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from tests.command_line import run_v1_29 as podproof
from tests.two_phase_commit import PROPERTIES, STATES, two_phase_commit

from podproof.checker import engines
from podproof.checker.core.system import Exploration
from podproof.checker.engines import MemoryLimit
from podproof.checker.engines.compiled import Compiled, machine, search, store
from podproof.checker.engines.compiled.machine import GraphArrays
from podproof.checker.lowering.claims import lower_properties
from podproof.cli import out_of_memory

CHECK = ("check", "--scenario", "orphan", "--property", "terminated_pods_never_restart")
MIB = 1 << 20


def run(threads: int = 1, memory: int | None = None) -> Exploration:
    """A search of two-phase commit with seven managers."""
    system = two_phase_commit(7)
    return Compiled(threads, memory).run(system, lower_properties(system, PROPERTIES))


def test_what_memory_is_missing_is_said_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "resident_memory", lambda: 100 * MIB)
    limited, free = MemoryLimit(320 * MIB), MemoryLimit(None)
    in_reserve = 32 * MIB
    used = 320 * MIB - 100 * MIB - in_reserve - (MIB + 1)
    assert limited.out_of_memory(3 * MIB, used) == "2 MiB more are needed than --memory 320 MiB allows: raise it"
    assert limited.out_of_memory(MIB + 2, used).startswith("1 MiB more are needed than")
    for budget in (limited, free):
        assert "too little is free on this machine" in budget.out_of_memory(MIB, used)
        assert "ulimit -v" in budget.out_of_memory(MIB, used, has_addresses=False)


def test_memory_that_suffices_is_enough_with_little_to_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "resident_memory", lambda: 100 * MIB)
    needed = run().peak_bytes
    # A store grows by steps, so a limit may stop it before what it really needs.
    assert run(memory=100 * MIB + 2 * needed + 32 * MIB).complete
    found = run(memory=100 * MIB + needed // 4)
    assert "more are needed than --memory" in found.reason


@pytest.mark.slow
def test_states_may_move_while_other_threads_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        *((store, "available_memory", lambda: 1), (store, "_FIRST_ROOM", 4_096)),
        *((search, "_WIDE", 64), (machine, "_STATES", 16)),
    ):
        monkeypatch.setattr(module, name, value)
    grow, moves = store.Store.grow, []

    def watched(self: store.Store, wanted: tuple[int, int], count: int) -> None:
        if wanted[0] > len(self.states):
            moves.append(wanted)
        grow(self, wanted, count)

    monkeypatch.setattr(store.Store, "grow", watched)
    for _ in range(3):
        assert run(threads=3).states == STATES[7]
    assert len(moves) > 10


def test_an_array_lives_as_long_as_somebody_has_its_address() -> None:
    class Watched(np.ndarray[Any, Any]):
        """An array that may be watched."""

    array, struct = np.zeros(3, np.int64).view(Watched), GraphArrays()
    watched, struct.first = weakref.ref(array), array
    del array
    assert watched() is not None and struct.first_at == watched().ctypes.data  # type: ignore[union-attr]
    del struct
    assert watched() is None


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))
from podproof.cli.main import main
main(sys.argv[2:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit addresses")
@pytest.mark.parametrize("mebibytes", [100, 250, 380])
def test_too_few_addresses_are_told_in_a_sentence(mebibytes: int) -> None:
    command = [sys.executable, "-c", LIMITED, str(mebibytes), "check", "--scenario", "orphan", "-q"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: too little memory for this process (Cannot allocate memory)")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("kind", "said", "text"),
    [
        (MemoryError, ("Unable to allocate 2 GiB",), "Unable to allocate 2 GiB"),
        (MemoryError, (), "out of memory"),
        (OSError, (12, "Cannot allocate memory"), "Cannot allocate memory"),
        (RuntimeError, ("can't start new thread",), "can't start new thread"),
        (ImportError, ("numpy.so: failed to map segment from shared object",), "failed to map segment"),
    ],
)
def test_too_little_memory_is_told_whoever_runs_into_it(
    kind: type[Exception], said: tuple[Any, ...], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise kind(*said)

    monkeypatch.setattr(search.Search, "run", fails)
    result = podproof(*CHECK)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: too little memory for this process (") and text in result.stderr


def test_other_errors_are_not_taken_for_it() -> None:
    for error in (OSError(2, "No such file or directory"), RuntimeError("other"), ImportError("no module")):
        with pytest.raises(type(error)), out_of_memory.report_out_of_memory():
            raise error
