"""Functions in the language of loops, one for each thing that it can say; tests/test_loops.py runs them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podproof.checker.engines.compiled.jit import I64, U64, Flags, Hashes, Indices, Numbers, Rows, Words, loop, part
from podproof.checker.engines.compiled.routine import address, call, prefetch

SEVEN = 7
LARGE = np.uint64(0xFEDCBA9876543210)
IS_ON = True


class Pair(NamedTuple):
    """Arrays and a number together."""

    rows: Rows
    step: I64
    log: Words


class Single(NamedTuple):
    """A record of one field."""

    log: Words


@loop
def arithmetic(a: I64, b: I64) -> I64:
    return ((a + b) * (a - 3) ^ (b & ~a)) | (5 - b * SEVEN)


@loop
def arithmetic_without_sign(a: U64, b: U64) -> U64:
    return ((a + b) * (a - b) ^ (b & ~LARGE)) | (a * 3)


@loop
def shifts(a: I64, n: I64) -> I64:
    n &= 63
    return (a << n) ^ (a >> n) ^ (a >> 63) ^ (1 << n)


@loop
def shifts_without_sign(a: U64, n: U64) -> U64:
    n &= 63
    a ^= a >> 32
    return (a << n) ^ (a >> n) ^ (a >> 63)


@loop
def comparisons(a: I64, b: I64) -> I64:
    found = 1 if a < b else 0
    found |= 2 if a <= b else 0
    found |= 4 if a > b else 0
    found |= 8 if a >= b else 0
    found |= 16 if a == b else 0
    return found | (32 if a != b else 0) | (64 if a < -1 else 0) | (128 if a >= 0 else 0)


@loop
def comparisons_without_sign(a: U64, b: U64) -> I64:
    found = 1 if a < b else 0
    found |= 2 if a <= b else 0
    found |= 4 if a > b else 0
    found |= 8 if a >= b else 0
    return found | (16 if a == b else 0) | (32 if a != LARGE else 0) | (64 if a > 1 else 0)


@loop
def conversions(a: I64, b: U64) -> I64:
    return (np.int64(np.uint64(a) >> 1) ^ np.int64(b)) + np.int64(a == SEVEN) + np.int64(5)


@part
def noted(log: Words, place: I64, answer: bool) -> bool:
    """Leaves a trace, so that one sees whether it was called."""
    log[place] += 1
    return answer


@loop
def no_more_than_needed(a: I64, log: Words) -> bool:
    b, c, d = a & 1 != 0, a & 2 != 0, a & 4 != 0
    known = noted(log, 0, b) and (noted(log, 1, c) or not noted(log, 2, d))
    if not (noted(log, 3, d) or noted(log, 4, b)) or (noted(log, 5, c) and known):
        log[6] += 10
    return known or not IS_ON


@loop
def nothing_beyond_the_end(numbers: Words, at: I64) -> bool:
    at &= 1023
    return at < numbers.shape[0] and numbers[at] > 0  # type: ignore[no-any-return]


@loop
def choices(a: I64, b: I64, log: Words) -> I64:
    return a + 1 if noted(log, 0, a < b) else (b if noted(log, 1, a & 1 == 0) else -70)


@loop
def negative(a: I64) -> I64:
    return a * -3 + (-1 if a > -2 else -(5))


@loop
def nested(numbers: Words, limit: I64) -> I64:
    total = 0
    for i in range(numbers.shape[0]):
        if numbers[i] & 3 == 0:
            continue
        for j in range(i, numbers.shape[0]):
            if numbers[j] & 7 == 1:
                break
            if total > limit & 255:
                return total
            total += j + 1
        else_ = i
        total += else_
    return 0 - total


@loop
def endless(a: I64) -> I64:
    a &= 255
    while True:
        if a & 1 == 0:
            a = a * 3 + 1
        elif a > 200:
            return a
        else:
            a += 2
            if a > 150:
                break
            continue
        a >>= 1
        if a < 5:
            break
    return a * 1000


@loop
def counted_while(a: I64, b: I64) -> I64:
    i = a & 15
    while i > 0 and (b >> i) & 1 == 0:
        i -= 1
    return i


@loop
def end_is_found_once(log: Words, a: I64) -> I64:
    end, rounds = a & 7, 0
    for i in range(end):
        end = 0
        rounds += i
        log[0] = end
    return rounds


@loop
def changed_loop_variable(a: I64) -> I64:
    total, i = 0, 100
    for i in range(a & 3, 8):
        total += i
        i = i * 2 + 3
        total += i
    return total * 1000 + i


@loop
def loop_variable_afterwards(a: I64, b: I64) -> I64:
    i = -1
    for i in range(a & 3, b & 7):
        if i == 5:
            break
    return i


@loop
def swaps(a: I64, b: I64, log: Words) -> I64:
    a, b = b, a
    log[0], log[1], log[2] = log[1], log[2], log[0]
    i = 1
    i, log[i] = 3, a
    log[i], i = i, b & 3
    return a - b * 2 + i


@loop
def place_is_found_once(log: Words, numbers: Words) -> None:
    log[_taken(numbers)] += 5
    log[_taken(numbers)] ^= _taken(numbers)


@part
def _taken(numbers: Words) -> I64:
    numbers[0] = (numbers[0] + 1) & 7
    return numbers[0]


@loop
def every_array(a: I64, words: Words, rows: Rows, hashes: Hashes, indices: Indices, numbers: Numbers) -> I64:
    at = a & 7
    prefetch(words, at)
    total = words[at] ^ rows[at, 0] ^ np.int64(hashes[at]) ^ np.int64(indices[at]) ^ np.int64(numbers[at])
    words[0], rows[1, 0], hashes[2] = total, a, np.uint64(total)
    indices[3], numbers[4] = a, total >> 33
    indices[at] += 1
    return total + np.int64(indices[3]) + np.int64(numbers[4])


@loop
def bytes_(a: I64, flags: Flags) -> I64:
    flags[a & 7] = a
    return np.int64(flags[0]) * 3 - np.int64(flags[a & 7])


@loop
def table(rows: Rows, other: Rows) -> I64:
    total = 0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            total = total * 31 + rows[i, j] - other[i, other.shape[1] - 1]
            rows[i, j] ^= i * 10 + j
    return total


@part
def _sum(rows: Rows, row: I64) -> I64:
    total = 0
    for j in range(rows.shape[1]):
        total += rows[row, j]
    return total


@part
def _sums(pair: Pair, row: I64) -> I64:
    pair.log[0] = _sum(pair.rows, row) + pair.step
    return pair.log[0] - pair.log[1]


@loop
def records(pair: Pair, single: Single, a: I64) -> I64:
    return _sums(pair, a & 7) + single.log[1] + pair.rows.shape[1] * pair.step


@part
def _early(a: I64, log: Words) -> None:
    if a > 0:
        log[0] = a
        return
    log[1] = a


@loop
def nothing_returned(a: I64, log: Words) -> None:
    _early(a, log)
    if a & 1 == 0:
        return
    _early(-1, log)


@loop
def calls_a_loop(rows: Rows, other: Rows) -> I64:
    return table(rows, other) + table(other, other)


@loop
def generated_names(entry: I64, t1: I64, then2: I64, ret: I64) -> I64:
    t3, more4, x = entry + t1, then2 * 2, ret
    if t3 > more4 and x > 0:
        t3 += 1
    return t3 - more4 + x


@loop
def of_itself(a: I64) -> I64:
    return _falling(a & 7)


@part
def _falling(a: I64) -> I64:
    return 1 if a < 2 else _falling(a - 1) + _falling(a - 2)


@loop
def bits_of_truth(a: I64, truth: bool, log: Words) -> bool:
    other = not truth
    if a > 0:
        other = truth
    log[0] = 1 if other else 2
    return other


@loop
def where(rows: Rows, words: Words, row: I64) -> I64:
    return address(rows, row) - address(rows) + (address(words) - address(words))


@loop
def called(function: I64, a: I64) -> I64:
    return call(function, a, 3) + 1


@loop
def cut_to_size(a: I64, indices: Indices, numbers: Numbers, flags: Flags) -> None:
    indices[0], numbers[0], flags[0] = a, a, a
