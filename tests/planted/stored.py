"""Faults in what keeps the states: the table, the store in memory, runs on disk."""

from __future__ import annotations

from tests.planted.fault import Fault

_TABLE, _RUNS, _DISK = (f"checker/engines/compiled/{name}.py" for name in ("table", "runs", "disk"))
_MEMORY = "tests/test_loops_of_the_search.py tests/test_state_table.py"
_ON_DISK = "tests/test_state_table.py tests/test_long_runs.py -k 'fence or without_its or disk'"

FAULTS = (
    Fault("different words have the same hash", _TABLE, "out ^= out >> 32", "out |= out >> 32", _MEMORY),
    Fault(
        "states with one tag are taken for the same",
        _TABLE,
        "if slot >> INDEX_BITS == tag and _same(states, ~slot & MOST_STORED, rows, row, words):",
        "if slot >> INDEX_BITS == tag:",
        _MEMORY,
    ),
    Fault(
        "the first word of a state is not compared",
        _TABLE,
        "    for word in range(words):\n        if a[i, word] != b[j, word]:",
        "    for word in range(1, words):\n        if a[i, word] != b[j, word]:",
        _MEMORY,
    ),
    Fault(
        "a part of a table is moved without its first slot",
        _TABLE,
        "for place in range(first, end):",
        "for place in range(first + 1, end):",
        _MEMORY,
    ),
    Fault(
        "only the first choice of a row is emptied",
        _TABLE,
        "        while slots[at] != 0:\n            slots[at] = 0\n",
        "        if slots[at] != 0:\n            slots[at] = 0\n",
        _ON_DISK,
    ),
    Fault(
        "the table of a checkpoint lacks its first state",
        _TABLE,
        "    for index in range(count):\n        if index + AHEAD",
        "    for index in range(1, count):\n        if index + AHEAD",
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
    Fault("the limit on states is reached one state early", _DISK, "if made > left:", "if made >= left:", _ON_DISK),
    Fault(
        "states that come from memory are not ordered where they share a hash",
        _DISK,
        "            runs.order_equal_hashes(some, order, hashes[order])\n",
        "",
        _ON_DISK,
    ),
    Fault(
        "states that share a hash are merged in any order",
        _RUNS,
        "if hash_a < hash_b or (hash_a == hash_b and _precedes(a, i, b, j)):",
        "if hash_a <= hash_b:",
        _ON_DISK,
    ),
    Fault(
        "a state is known when another one with its hash is",
        _RUNS,
        "if hashes[at] == value and not _precedes(block, j, rows, order[at]):",
        "if hashes[at] == value:",
        _ON_DISK,
    ),
    Fault("the newest run is not looked at", _DISK, "for run in self._runs:", "for run in self._runs[:-1]:", _ON_DISK),
    Fault(
        "of three states that share a hash the last one moves up by one place",
        _RUNS,
        "while back > 0 and hashes[back]",
        "if back > 0 and hashes[back]",
        _ON_DISK,
    ),
)
