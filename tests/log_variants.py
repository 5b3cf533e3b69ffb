"""What collectors, people and restarts make of a kubelet's log: filtered, cut, lost, masked, merged, repacked."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from tests.whole_logs import OTHER_PID, PID, as_json

Log = list[str]
PREFIX = f"Nov 21 08:00:00 node kubelet[{PID}]: "
GREPS = ("", "Kubelet version", "Kubelet version|SyncLoop")
WORDS = ("enter|exit", "queued|pending", "default", "kube-system", "housekeeping", "terminat", "SyncPod", "done")
WORDS += ("Notifying", "observed", "kubelet.go", "ADD|UPDATE", "stopped", "Processing")


def seconds(line: str) -> float:
    """Of the day, as klog has it."""
    return int(line[6:8]) * 3600 + int(line[9:11]) * 60 + float(line[12:21])


def later(lines: Log, by: float) -> Log:
    """With other times."""
    moved = ((line, (seconds(line) + by) % 86400) for line in lines)
    return [f"{line[:6]}{int(at / 3600):02}:{int(at / 60) % 60:02}:{at % 60:09.6f}{line[21:]}" for line, at in moved]


def merged(*logs: Log) -> Log:
    return sorted((line for log in logs for line in log), key=lambda line: line[6:21])


def lost(lines: Log, by: random.Random, share: float) -> Log:
    return [lines[0], *(line for line in lines[1:] if by.random() >= share)]


def without(lines: Log, by: random.Random, count: int) -> Log:
    left_out = set(by.sample(range(1, len(lines)), count))
    return [line for at, line in enumerate(lines) if at not in left_out]


def cut(lines: Log, by: random.Random, most: float) -> Log:
    """Without what was written in so many seconds."""
    begin = by.uniform(seconds(lines[5]), max(seconds(lines[-5]) - most, seconds(lines[5])))
    return [lines[0], *(line for line in lines[1:] if not begin <= seconds(line) < begin + most)]


def masked(lines: Log, *patterns: str) -> Log:
    for pattern in patterns:
        lines = [re.sub(pattern, r"\1x", line) for line in lines]
    return lines


UIDS, NAMES, NAMES_ALONE = r'(podUID=")[^"]*', r'(pods?=\[?")[^"]*', r'(pods?=\[?"[^"/]*/)[^"]*'


def sampled(lines: Log, each: int) -> Log:
    seen = Counter[str]()
    kept = []
    for line in lines:
        message = line.split('"')[1]
        seen[message] += 1
        kept += [line] if seen[message] % each == 1 else []
    return kept


def filtered(lines: Log, by: random.Random) -> Iterator[Log]:
    for pattern in (r' pod="([^"]*)"', r'podUID="([^"]*)"'):
        one = by.choice(re.findall(pattern, "\n".join(lines)))
        for also in GREPS:
            yield [line for line in lines if one in line or (also and re.search(also, line))]
    for word in WORDS:
        yield [line for line in lines if not re.search(word, line)]
        yield [line for line in lines if re.search(f"{word}|{GREPS[-1]}", line)]
    yield [line for line in lines if "pod_workers" not in line or re.search("has stopped|Cancelling|Error sync", line)]


def partial(lines: Log, by: random.Random) -> Iterator[Log]:
    at = by.randrange(10, len(lines) - 60)
    yield from (lines[at:], lines[:at], [*lines[:at], "...", *lines[at + 30 :]])
    yield [*lines[:at], "systemd-journald[1]: Suppressed 30 messages from kubelet.service", *lines[at + 30 :]]
    for most in (1.9, 2.5, 4, 8, 30, 59, 120):
        yield cut(lines, by, most)
    for share in (0.05, 0.2):
        yield lost(lines, by, share)
        yield [lines[0], *map(as_json, lost(lines, by, share)[1:])]
        yield [PREFIX + line[30:] for line in lost(lines, by, share)]
    yield from (without(lines, by, 20), sampled(lines, 2))
    yield from ([line[:length] for line in lines] for length in (100, 130, 160))
    yield [line[at : at + 80] for line in lines for at in range(0, len(line), 80)]
    for most in (10, 40):
        yield [line for line in lost(lines, by, most / len(lines)) if "housekeeping" not in line]


def repacked(lines: Log, by: random.Random) -> Iterator[Log]:
    yield from (lines, [lines[0], *map(as_json, lines[1:])], [line.partition("] ")[2] for line in lines])
    yield from ([PREFIX + line for line in lines], [PREFIX + line[30:] for line in lines])
    yield [again for line in lines for again in (line, line)]
    yield [again for line in lines for again in (line, "")]
    at = by.randrange(30, len(lines) - 30)
    yield from ([*lines[:at], *lines[at - 30 :]], [*lines[: at + 20], *lines[at:]], [*lines[at:], *lines[:at]])
    yield from (sorted(lines, key=lambda line: line[:14]), sorted(lines, key=lambda line: line[30:]))
    yield from ([*lines[:at], *later(lines[at:], by)] for by in (3600, -3600, 30, -30, 1.5, -1.5))
    for what in ((UIDS,), (NAMES,), (NAMES_ALONE,), (UIDS, NAMES), (UIDS, NAMES_ALONE)):
        yield masked(lines, *what)


def joined(lines: Log, other: Log, by: random.Random) -> Iterator[Log]:
    """Of two nodes, or of two kubelets one after the other."""
    at = by.randrange(60, len(lines) - 10)
    elsewhere = [line.replace(PID, OTHER_PID) for line in other]
    for second in (elsewhere, other):
        yield from (merged(lines, second), merged(lines, second[1:]), merged(lines, second[25:]))
        for pause in (4, 3600):
            after = later(second, seconds(lines[at]) - seconds(second[0]) + pause)
            yield from ([*lines[:at], *after], [*lines[:at], *after[1:]], [*lines[:at], *after[25:]])


def variants(lines: Log, other: Log, by: random.Random) -> Iterator[tuple[str, Log]]:
    """Of a log, and of another kubelet's of the same traces, with what was done."""
    kinds: tuple[tuple[str, Callable[[], Iterator[Log]]], ...] = (
        ("filtered", lambda: filtered(lines, by)),
        ("partial", lambda: partial(lines, by)),
        ("repacked", lambda: repacked(lines, by)),
        ("joined", lambda: joined(lines, other, by)),
    )
    for name, make in kinds:
        for number, log in enumerate(islice(make(), 100)):
            yield f"{name} {number}", log
