"""Faults in what keeps the states: the table, the store in memory, runs on disk."""

from __future__ import annotations

from tests.planted.fault import Fault

_LOOPS, _DISK = "checker/engines/compiled/loops.c", "checker/engines/compiled/store.py"
_MEMORY = "tests/test_loops.py tests/test_state_table.py -k 'not packaged'"
_ON_DISK = "tests/test_state_table.py tests/test_long_runs.py -k 'fence or without_its or disk'"

FAULTS = (
    Fault("different words have the same hash", _LOOPS, "out ^= out >> 32;", "out |= out >> 32;", _MEMORY),
    Fault(
        "states with one tag are taken for the same",
        _LOOPS,
        "if (slot >> INDEX_BITS == tag && is_same(states + (~slot & 0xFFFFFFFF) * words(), state))",
        "if (slot >> INDEX_BITS == tag)",
        _MEMORY,
    ),
    Fault(
        "the first word of a state is not compared",
        _LOOPS,
        "for (i64 i = 0; i < words(); i++)\n        if (a[i] != b[i]) return 0;",
        "for (i64 i = 1; i < words(); i++)\n        if (a[i] != b[i]) return 0;",
        _MEMORY,
    ),
    Fault(
        "a part of a table is moved without its first slot",
        _LOOPS,
        "for (i64 i = first; i < end; i++)",
        "for (i64 i = first + 1; i < end; i++)",
        _MEMORY,
    ),
    Fault(
        "only the first choice of a row is emptied",
        _LOOPS,
        "slots[at] != 0; at = after(at, size)) slots[at] = 0;",
        "slots[at] != 0; at = after(at, size)) { slots[at] = 0; break; }",
        _ON_DISK,
    ),
    Fault(
        "the table of a checkpoint lacks its first state",
        _LOOPS,
        "for (i64 i = 0; i < count; i++) {\n        if (i + AHEAD",
        "for (i64 i = 1; i < count; i++) {\n        if (i + AHEAD",
        _MEMORY,
    ),
    Fault(
        "the last state is lost when states have to be copied",
        "checker/engines/compiled/store.py",
        "states[:count], parents[:count] = self.states[:count], self.parents[:count]",
        "states[: count - 1], parents[: count - 1] = self.states[: count - 1], self.parents[: count - 1]",
        _MEMORY,
    ),
    Fault(
        "a run that is written in parts has its fences in the wrong places",
        _DISK,
        "skip = -len(self) % _BLOCK",
        "skip = 0",
        _ON_DISK,
    ),
    Fault(
        "candidates with the hash of a fence are looked for on one side",
        _DISK,
        'np.append(np.searchsorted(hashes, fences[1:], "right"), len(hashes))',
        'np.append(np.searchsorted(hashes, fences[1:], "left"), len(hashes))',
        _ON_DISK,
    ),
    Fault(
        "the limit on states is reached one state early", _DISK, "if len(new) > left:", "if len(new) >= left:", _ON_DISK
    ),
    Fault(
        "states that come from memory are not ordered where they share a hash",
        _DISK,
        "            self._loops.order_equal_hashes(some, order, hashes[order], len(some))\n",
        "",
        _ON_DISK,
    ),
    Fault(
        "states that share a hash are merged in any order",
        _LOOPS,
        "if (hash_a < hash_b || (hash_a == hash_b && precedes(x, y)))",
        "if (hash_a <= hash_b)",
        _ON_DISK,
    ),
    Fault(
        "a state is known when another one with its hash is",
        _LOOPS,
        "if (hashes[at] == value && !precedes(block, rows + order[at] * words()))",
        "if (hashes[at] == value)",
        _ON_DISK,
    ),
    Fault("the newest run is not looked at", _DISK, "for run in self._runs:", "for run in self._runs[:-1]:", _ON_DISK),
    Fault(
        "of three states that share a hash the last one moves up by one place",
        _LOOPS,
        "for (i64 at = i; at > 0 && hashes[at]",
        "for (i64 at = i; at == i && hashes[at]",
        _ON_DISK,
    ),
)
