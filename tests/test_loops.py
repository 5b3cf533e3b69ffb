"""The loops over states: their text is that of the C file, and they do what a few lines of Python do."""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import networkx
import numpy as np
import pytest
from tests.stored_rows import TRANSITIONS, batch_of, colliding_rows, hashes_of, no_statistics, program_of

from podproof.checker.difference.behaviour import Steps, refine
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.machine import Batch, StoreArrays, loops_for

LOOPS, SATURATION = Path("checker/engines/compiled/loops.ll"), Path("checker/engines/diagrams/saturation.ll")
ROOT = Path(__file__).parents[1]
COMPILER = "clang-15"
"""Every LLVM since reads what an old compiler writes."""
_OPTIONS = (
    *("--target=x86_64-unknown-linux-gnu", "-std=c17", "-ffreestanding", "-Wall", "-Wextra"),
    *("-O1", "-fno-strict-aliasing", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"),
    *("-fno-asynchronous-unwind-tables", "-fdiscard-value-names", "-S", "-emit-llvm", "-o", "-"),
)
"""Whatever does not depend on the processor is optimized here, the rest when the text is loaded."""
WORDS = pytest.mark.parametrize("words", [1, 2, 3])


def text_made_anew(path: Path, *more: str) -> str:
    """LLVM's text of a C file, without what is of one processor, of one system or of one version of LLVM."""
    command = [COMPILER, *_OPTIONS, *more, f"{path.stem}.c"]
    text = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"(?m)^(;|source_filename|target |attributes |!).*\n", "", text)
    text = re.sub(r", ![\w.]+ !\d+| #\d+|\s*; preds = .*", "", text)
    text = re.sub(r" (noundef|nocapture|readonly|writeonly|readnone|immarg|dso_local|local_unnamed_addr)\b", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).lstrip()


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"{COMPILER} is not installed, which makes the text anew")
@pytest.mark.parametrize("path", [LOOPS, SATURATION], ids=lambda path: path.stem)
def test_the_text_that_is_packaged_is_that_of_the_c_file(path: Path, request: pytest.FixtureRequest) -> None:
    made = text_made_anew(ROOT / path, "-Werror")
    if request.config.getoption("--rewrite-golden"):
        (ROOT / path).write_text(made, encoding="utf-8")
    assert made == (ROOT / path).read_text(encoding="utf-8"), "rewrite it with pytest --rewrite-golden"


@pytest.mark.parametrize(("path", "function"), [(LOOPS, "descend"), (SATURATION, "saturate")])
@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-macosx"])
def test_the_text_is_of_no_processor(triple: str, path: Path, function: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert not re.search(r"(?m)^(target|attributes|!)|x86|aarch64|<\d+ x", text)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        machine = llvm.Target.from_triple(triple).create_target_machine()
    except RuntimeError:
        pytest.skip(f"this llvmlite knows nothing of {triple}")
    module = llvm.parse_assembly(text)
    module.triple = triple
    assert f"{function}:" in machine.emit_assembly(module)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), "labels: array must have data type int32"),
        (np.zeros(3, ">i4"), "labels: array must have data type int32"),
        (np.zeros((3, 1), np.int32), "labels: array must have 1 dimension"),
        (np.zeros(6, np.int32)[::2], "labels: array must have flags.*C_CONTIGUOUS"),
        ([1, 2, 3], "labels: argument must be an ndarray"),
    ],
)
def test_other_arrays_are_refused(array: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Steps(np.zeros(4, np.int64), array, np.zeros(3, np.int32))
    graph = Steps(np.zeros(4, np.int64), *np.zeros((2, 3), np.int32))
    for wrong in ((graph, array, np.zeros(3, np.uint64)), (StoreArrays(), graph.labels, np.zeros(3, np.uint64))):
        with pytest.raises(ctypes.ArgumentError):
            loops_for(1).sign(*wrong)


# -- what the loops do -------------------------------------------------------------------------------------------------


def random_states(rng: random.Random, count: int, words: int) -> Any:
    """Some of them twice, and where there are two words some that share a hash."""
    few = [[rng.getrandbits(rng.choice((2, 12, WORD_BITS))) for _ in range(words)] for _ in range(max(1, count // 2))]
    if words == 2:
        few += colliding_rows(rng, 4).tolist()
    return np.array([rng.choice(few) for _ in range(count)], np.int64).reshape(count, words)


def different(states: Any) -> Any:
    return np.array(list(dict.fromkeys(map(tuple, states.tolist()))), np.int64)


def hash_of(state: Any) -> int:
    out, mask = 0xA0761D6478BD642F, (1 << 64) - 1
    for word in state:
        out = (out ^ word) * 0x9E3779B97F4A7C15 & mask
        out ^= out >> 32
    out = out * 0xD6E8FEB86659FD93 & mask
    return out ^ (out >> 32)


@WORDS
def test_hashes_are_those_of_whole_states(words: int) -> None:
    states = random_states(random.Random(words), 200, words)
    assert hashes_of(states).tolist() == [hash_of(state) for state in states.tolist()]


@WORDS
@pytest.mark.parametrize("most", [10, 1_000])
def test_steps_are_stored_in_order_up_to_the_limit(words: int, most: int) -> None:
    rng = random.Random(words)
    states, tags = random_states(rng, 100, words), np.array([rng.randrange(TRANSITIONS) for _ in range(100)])
    steps, total, kept = batch_of(states, tags | 9 << 20), no_statistics(0, most, words), StoreArrays()
    kept.states, kept.parents = np.zeros((120, words), np.int64), np.zeros(120, np.uint32)
    kept.slots, kept.size = np.zeros(256, np.int64), 256
    first_of: dict[tuple[int, ...], int] = {}
    for row, state in enumerate(map(tuple, states.tolist())):
        first_of.setdefault(state, row)
    rows = [*first_of.values()]
    expected = rows[most] if most < len(rows) else 100
    assert loops_for(words).insert(kept, total, steps, 100) == expected
    assert total.count == min(most, len(rows))
    assert kept.states[: total.count].tolist() == states[rows[:most]].tolist()
    assert kept.parents[: total.count].tolist() == rows[:most]
    assert total.fresh.tolist() == np.bincount(tags[rows[:most]], minlength=TRANSITIONS + 1).tolist()


@WORDS
def test_of_the_first_steps_the_first_that_violates_a_claim_is_remembered(words: int) -> None:
    rng = random.Random(words)
    steps = Batch(program_of(words, 2), np.zeros(0, np.int64))
    bits = [[rng.getrandbits(WORD_BITS) & rng.getrandbits(WORD_BITS) for _ in range(2)] for _ in range(50)]
    steps.rows[:50, words], steps.rows[:50, words + 1 :], steps.origins[:50] = np.arange(50) + 7, bits, range(50)
    for end in (0, 1, 50):
        total = no_statistics(1, 1, words, 2)
        total.pending_steps[1] ^= 1 << 5
        loops_for(words).judge(steps, end, total.pending_steps, total.found_steps)
        for claim in range(2 * WORD_BITS):
            word, bit = divmod(claim, WORD_BITS)
            rows = [] if claim == WORD_BITS + 5 else [r for r in range(end) if bits[r][word] >> bit & 1]
            assert total.found_steps[claim].tolist() == ([rows[0], rows[0] + 7] if rows else [-1, -1])
            assert total.pending_steps[word] >> bit & 1 == (not rows and claim != WORD_BITS + 5)


@WORDS
def test_steps_of_two_versions_are_looked_up(words: int) -> None:
    rng, loops = random.Random(words), loops_for(words)
    states = different(random_states(rng, 40, words))
    wanted = [rng.randrange(len(states)) for _ in range(60)]
    table, found = np.full(128, -1, np.int32), np.zeros(60, np.int32)
    loops.number_states(states, len(states), table, 127)
    loops.numbers_of(states, table, 127, batch_of(states[wanted]), found)
    assert found.tolist() == wanted


def test_a_step_with_the_first_event_into_the_first_block_is_seen() -> None:
    """Its hash must not be 0, or a state with it would be taken for one without."""
    graph = Steps(np.array([0, 1, 1]), np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert len(refine(graph, np.zeros(2, np.int32), 0, 1)) == 2


def test_states_of_two_versions_are_told_apart_by_their_own_blocks_and_their_steps() -> None:
    rng, loops = random.Random(1), loops_for(0)
    for _ in range(50):
        first = np.cumsum([0, *(rng.randrange(4) for _ in range(8))])
        labels, targets = (np.array([rng.randrange(n) for _ in range(first[-1])], np.int32) for n in (2, 8))
        graph, blocks = Steps(first, labels, targets), np.array([rng.randrange(2) for _ in range(8)], np.int32)
        signs, seen = np.zeros(8, np.uint64), []
        loops.sign(graph, blocks, signs)
        for state in range(8):
            seen.append(frozenset((labels[step], blocks[targets[step]]) for step in graph.of(state)))
        for a in range(8):
            for b in range(8):
                assert (signs[a] == signs[b]) == ((blocks[a], seen[a]) == (blocks[b], seen[b]))
        examples = np.array([blocks.tolist().index(n) if n in blocks else 0 for n in (0, 1)])
        unlike = [state for state in range(8) if seen[state] != seen[examples[blocks[state]]]]
        assert loops.first_unlike(graph, blocks, examples) == (unlike[0] if unlike else -1)


def test_strong_components_are_those_that_networkx_finds() -> None:
    rng, loops = random.Random(1), loops_for(0)
    for states in (1, 2, 7, 30):
        for _ in range(50):
            first = np.cumsum([0, *(rng.choice((0, 1, 1, 2, 3)) for _ in range(states))])
            targets = np.array([rng.randrange(states) for _ in range(first[-1])], np.int32)
            component = np.array([rng.choice((0, 0, 0, -1)) for _ in range(states)], np.int32)
            steps = [(state, targets[i]) for state in range(states) for i in range(first[state], first[state + 1])]
            inside = networkx.DiGraph(steps)
            inside.add_nodes_from(range(states))
            inside = inside.subgraph(np.flatnonzero(component == 0).tolist())
            room = np.empty(states, np.int64), np.empty(2 * states, np.int32)
            count = loops.strong_components(first, targets, states, component, *room)
            found = [frozenset(np.flatnonzero(component == number).tolist()) for number in range(count)]
            assert sorted(map(sorted, found)) == sorted(map(sorted, networkx.strongly_connected_components(inside)))
            assert (component == -1).sum() == states - len(inside)


def test_steps_are_found_by_their_targets() -> None:
    first, targets = np.array([0, 2, 3, 3]), np.array([2, 0, 2], np.int32)
    ends, sources = np.array([1, 1, 3]), np.empty(3, np.int32)
    loops_for(0).turn_round(first, targets, 3, ends, sources)
    assert (ends.tolist(), sorted(sources[1:].tolist()), sources[0]) == ([0, 1, 1], [0, 1], 0)
