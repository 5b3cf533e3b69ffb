"""Text of a kubelet's log, of which nothing is trusted: what each line says of a pod's worker.

klog's text behind any prefix or cut off from the file name on, and its JSON.
A line is read in time linear in its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from podproof.kubelet.log_lines import TELL_THE_CALL, LogLine

MOST_OF_A_LINE = 1 << 20
"""Bytes; the rest of a longer line is left out."""
_MOST_OF_A_NAME = 300
"""Characters of a message, a UID or a name."""
_BODY = re.compile(rb'pod_workers\.go:\d{1,6}\] "')
_PID = re.compile(rb"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} {1,8}(\d{1,8}) [\w.]{1,64}:\d{1,6}\]")
_VERSION = re.compile(
    rb'(?:"Kubelet version" kubeletVersion="?|\w\.go:\d{1,6}\] Version: |"kubeletVersion":")'
    rb"v(\d{1,3}\.\d{1,3}\.\d{1,3}[\w.+-]{0,60})"
)
_MARKS = (b"#", b"...", "…".encode(), b"[...", b"<snip", b"$ ", b"> ", b"--\n")
"""How a line begins that people or grep put in place of others."""
_LOST = re.compile(rb"(Suppressed|Missed|Lost) \d")
"""What journald and syslog write in place of lines that were too many."""
_NUMBERS = {"0": "sync", "1": "terminating", "2": "terminated"}
"""updateType of the worker's lines up to 1.26."""
_TELLS_WORK_TYPE = ("Notifying pod of pending update", "Cancelling current pod sync")
"""Since 1.35 these also have the caller's updateType."""


class LogEntry(NamedTuple):
    """A line of pod_workers.go."""

    uid: str
    pod: str
    """namespace/name; empty where the line has only the UID."""
    line: LogLine
    release: str
    """From which release on lines look like this, as far as it shows; empty where it does not."""


def is_of_worker(text: bytes) -> bool:
    """Is it, or may it be, a line of pod_workers.go?"""
    return b"pod_workers.go" in text


def entry_of(text: bytes) -> LogEntry | None:
    """What a line says of a worker; None where it is cut off, or has no UID."""
    body = _BODY.search(text)
    if body is None:
        return _entry_of_json(text)
    end = text.find(b'"', body.end())
    if end < 0:
        return None
    message = text[body.end() : end].decode("utf-8", "replace")
    return _entry(message, dict(_pairs(text[end + 1 :].decode("utf-8", "replace").strip())))


def _entry_of_json(text: bytes) -> LogEntry | None:
    try:
        found = json.loads(text[text.index(b"{") :])
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("msg"), str):
        return None
    told = {key: str(value) for key, value in found.items() if key != "pod" and type(value) in (str, int)}
    if isinstance(pod := found.get("pod"), dict):
        told["pod"] = f"{pod.get('namespace', '')}/{pod.get('name', '')}"
    return _entry(found["msg"], told)


def _entry(message: str, told: dict[str, str]) -> LogEntry | None:
    uid, kind = told.get("podUID", ""), told.get("updateType", "")
    if not uid or max(map(len, (uid, message, kind, told.get("pod", "")))) > _MOST_OF_A_NAME:
        return None
    release = (
        "1.26"
        if kind in _NUMBERS or (not kind and message in TELL_THE_CALL)
        else "1.35"
        if message.startswith("Requeuing ")
        else ""
    )
    if message in _TELLS_WORK_TYPE and "workType" in told:
        release = "1.35" if kind else release
        kind = told["workType"]
    return LogEntry(uid, told.get("pod", ""), LogLine(message, _NUMBERS.get(kind, kind)[:_MOST_OF_A_NAME]), release)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Each key=value, the value bare up to the next space, or in double quotes with backslashes."""
    at = 0
    while (equals := text.find("=", at)) >= 0:
        key = text[at:equals].rpartition(" ")[2]
        if text.startswith('"', equals + 1):
            end = equals + 2
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            yield key, text[equals + 2 : end]
            at = end + 1
        else:
            end = text.find(" ", equals)
            at = len(text) if end < 0 else end
            yield key, text[equals + 1 : at]


def pid_of(text: bytes) -> bytes:
    """The process that wrote it; empty where the line has no header."""
    found = _PID.search(text[:400])
    return found[1] if found else b""


def version_of(text: bytes) -> str:
    """The release that a kubelet names when it starts, without its `v`; empty for every other line."""
    found = _VERSION.search(text[:1000]) if b"ersion" in text else None
    return found[1].decode() if found else ""


def leaves_out(text: bytes) -> bool:
    """Does a line say that others are missing here?"""
    return text[:16].lstrip().startswith(_MARKS) or _LOST.search(text[:200]) is not None
