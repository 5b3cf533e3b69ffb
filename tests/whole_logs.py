"""Logs of a whole kubelet, made of traces: lines of the worker, of the calls that it makes, and of the sync loop."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.recorded_traces import version_of

RELEASES = {"v1.26": "1.26.1", "v1.29": "1.29.6", "v1.32": "1.32.10", "v1.35": "1.35.6", "v1.36": "1.36.2"}
CALLS = {
    "SyncPod": "SyncPod",
    "SyncTerminatingPod": "SyncTerminatingPod",
    "SyncTerminatingPod+runningPod": "SyncTerminatingPod",
    "SyncTerminatingRuntimePod": "SyncTerminatingRuntimePod",
    "SyncTerminatedPod": "SyncTerminatedPod",
}
_SYNC_LOOP = {"create": "ADD", "update": "UPDATE"}
HOUSEKEEPING, HOUSEKEEPING_ENDS = (
    f'kubelet.go:{number}] "SyncLoop (housekeeping){end}"' for number, end in ((2298, ""), (2301, " end"))
)
PID, OTHER_PID = "16723", "20001"

Written = Callable[[int, Mapping[str, Any]], Sequence[str]]
"""What the worker writes in a step of a trace: bodies from the file name on."""


class Line(NamedTuple):
    """A line without its header; microseconds since the kubelet's start."""

    time: int
    body: str


def of_trace(trace: Mapping[str, Any], written: Written, number: int) -> Iterator[list[str]]:
    """For each step the bodies of its lines, with UIDs and names that no other trace has."""
    old = version_of(trace) == "v1.26"
    calls: dict[int, Mapping[str, Any]] = {}
    names: dict[str, str] = {}
    present: set[str] = set()
    for at, step in enumerate(trace["steps"]):
        op = step["op"]
        if isinstance(pod := op.get("pod") or op.get("runningPod"), dict):
            names.setdefault(op["uid"], f"{pod.get('ns', 'default')}/{pod.get('name', op['uid'])}")
        now = {call["id"]: call for call in step.get("inflight", []) if call["stage"] == "sync"}
        lines = [_sync_loop(op, names)]
        if "SyncLoop ADD" in lines[0]:
            lines = [lines[0].replace("ADD", "REMOVE"), *lines] if lines[0] in present else lines
            present.add(lines[-1])
        lines += [_of_call(calls[each], "exit", names, old) for each in calls if each not in now]
        lines += written(at, step)
        for each, call in now.items():
            if each not in calls:
                lines.append(_of_call(call, "enter", names, old))
                if call["fn"].startswith("SyncTerminatingPod"):
                    seconds = call.get("grace", "null")
                    lines.append(
                        _keyed("Pod terminating with grace period", call["uid"], names, f" gracePeriod={seconds}")
                    )
        calls = now
        if op["op"] == "syncKnown":
            lines.append(HOUSEKEEPING_ENDS)
        yield [_renamed(_named_as(line, names), number) for line in lines if line]


def _named_as(line: str, names: Mapping[str, str]) -> str:
    """With the namespace/name of the UID that the line has."""
    uid = re.search(r'podUID="?([\w-]+)', line)
    return re.sub(r' pod="[^"]*"', f' pod="{names[uid[1]]}"', line) if uid and uid[1] in names else line


def _sync_loop(op: Mapping[str, Any], names: Mapping[str, str]) -> str:
    if op["op"] == "syncKnown":
        return HOUSEKEEPING
    if op["op"] == "update" and op["type"] in _SYNC_LOOP and "pod" in op:
        source = "file" if op["pod"].get("static") else "api"
        return f'kubelet.go:2210] "SyncLoop {_SYNC_LOOP[op["type"]]}" source="{source}" pods=["{names[op["uid"]]}"]'
    return ""


def _of_call(call: Mapping[str, Any], what: str, names: Mapping[str, str], old: bool) -> str:
    function = CALLS[call["fn"]]
    return _keyed(f"{'s' if old else 'S'}{function[1:]} {what}", call["uid"], names)


def _keyed(message: str, uid: str, names: Mapping[str, str], more: str = "") -> str:
    return f'kubelet.go:1748] "{message}" pod="{names.get(uid, f"default/{uid}")}" podUID="{uid}"{more}'


def _renamed(line: str, number: int) -> str:
    """As the API server and the kubelet name UIDs, and pods of Deployments."""
    line = re.sub(
        r'podUID="?([\w-]+)"?', lambda found: f'podUID="{uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {found[1]}")}"', line
    )
    return re.sub(r'(pod="|pods=\[")([^"]*)"', rf'\g<1>\g<2>-{number}"', line)


def whole(traces: Sequence[tuple[Mapping[str, Any], Written]], by: random.Random, each: int = 3) -> list[Line]:
    """Of one kubelet, from its start, with some traces at a time."""
    version = version_of(traces[0][0])
    lines = [Line(0, f'server.go:484] "Kubelet version" kubeletVersion="v{RELEASES[version]}"')]
    time, tick = 1_000_000, 2_000_000
    waiting = [of_trace(trace, written, number) for number, (trace, written) in enumerate(traces)]
    running: list[Iterator[list[str]]] = []
    while running or waiting:
        while waiting and len(running) < each:
            running.append(waiting.pop(0))
        chosen = by.choice(running)
        step = next(chosen, None)
        if step is None:
            running.remove(chosen)
            continue
        time += by.randrange(50_000, 700_000)
        while tick < time:
            lines += [Line(tick, HOUSEKEEPING), Line(tick + 900, f'{HOUSEKEEPING_ENDS} duration="1ms"')]
            tick += 2_000_000
        if HOUSEKEEPING in step:
            time, tick = tick, tick + 2_000_000
        for body in step:
            time += by.randrange(3, 900)
            lines.append(Line(time, body))
    return sorted(lines, key=lambda line: line.time)


def shown(lines: Sequence[Line], pid: str = PID, start: int = 0) -> list[str]:
    """As klog writes them; `start` in microseconds of the day."""
    told = []
    for time, body in lines:
        seconds, micros = divmod(time + start + 8 * 3_600_000_000, 1_000_000)
        clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros:06}"
        told.append(f"I11{20 + seconds // 86400:02} {clock} {pid:>7} {body}")
    return told


def as_json(text: str) -> str:
    """A line of klog as its JSON behind journald's prefix."""
    message, keys = re.match(r'.*?\] "([^"]*)"(.*)', text).groups()  # type: ignore[union-attr]
    told: dict[str, Any] = {"ts": 1.7e12 + int(text[6:8]) * 3.6e6 + int(text[9:11]) * 6e4 + float(text[12:21]) * 1e3}
    told |= {"caller": f"kubelet/{text.split('] ')[0].split()[-1]}", "msg": message}
    for key, quoted, bare in re.findall(r' (\w+)=(?:"([^"]*)"|(\d+))', keys):
        told[key] = (
            dict(zip(("namespace", "name"), quoted.split("/"), strict=True)) if key == "pod" else quoted or int(bare)
        )
    if pods := re.search(r'pods=\["([^"]*)"\]', keys):
        told["pods"] = [dict(zip(("namespace", "name"), pods[1].split("/"), strict=True))]
    pid = text.split()[2]
    return f"Nov 21 08:00:00 node kubelet[{pid}]: {json.dumps(told, separators=(',', ':'))}"


def _named(name: str) -> dict[str, str]:
    return dict(zip(("namespace", "name"), name.split("/"), strict=True))
