"""Text of a kubelet's log, of which nothing is trusted: what each line says of a pod's worker.

klog's text behind any prefix or cut off from the file name on, and its JSON.
A line is read in time linear in its length.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Collection
from typing import NamedTuple

from podproof.kubelet.log_lines import MESSAGES, TELL_THE_CALL, TERMINATING_WITH, WRITTEN_IN_CALLS, LogLine
from podproof.kubelet.symptoms import MESSAGES as OF_SIGNS
from podproof.kubelet.symptoms import Sign

MOST_OF_A_LINE = 1 << 20
"""Bytes; the rest of a longer line is left out."""
_MOST_OF_A_NAME = 300
"""Characters of a message, a UID or a name."""
_BODY = re.compile(rb'pod_workers\.go:(?<![\w-]pod_workers\.go:)\d{1,6}\] "')
"""What may not come before it is looked for behind it: a search for its letters is fast."""
_PID = re.compile(rb"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} {1,8}(\d{1,8}) [\w.]{1,64}:\d{1,6}\]")
_PID_OF_PREFIX = re.compile(rb"[^\]{}\"]{0,300}?\w\[(\d{1,8})\]: ")
"""As journald and syslog have it, before a line whose own header is cut off or that is JSON."""
_VERSION = re.compile(
    rb'(?:"Kubelet version" kubeletVersion="?|"msg":"Kubelet version",.{0,200}?"kubeletVersion":")'
    rb"v(\d{1,3}\.\d{1,3}\.\d{1,3}[\w.+-]{0,60})"
    rb"|\bserver\.go:\d{1,6}\] Version: v(1\.(?:1?\d|20)\.\d{1,3}[\w.+-]{0,60})"
)
"""Since 1.21 a line without a message in quotes is another daemon's."""
_MARKS = re.compile(
    rb"[$>] |---?\s|\s{0,8}(?:#|[\[(<]{0,3}(?:\.\.\.|\xe2\x80\xa6|\xe2\x8b\xae)"
    rb"|[\[(<]{1,3}\s?(?:snip|cut|trunc|omitted)|[.:*~]{1,80}\s*$)"
)
"""How a line begins that people, grep or journalctl put in place of others."""
_LOST = re.compile(rb"(?:[Ss]uppressed|[Mm]issed|[Ll]ost|[Rr]epeated) \d|rate-limiting")
_LOST_WORDS = (b"uppressed ", b"issed ", b"ost ", b"epeated ", b"rate-limiting")
"""What journald and syslog write in place of lines that were too many."""
_NUMBERS = {"0": "sync", "1": "terminating", "2": "terminated"}
"""updateType of the worker's lines up to 1.26."""
_TELLS_WORK_TYPE = ("Notifying pod of pending update", "Cancelling current pod sync")
"""Since 1.36 these also have the caller's updateType."""


_CUT = re.compile(rb'podUID=[^"\s]{0,40}\Z')
"""How a line ends that may go on behind the end of the file."""
_CALLER = re.compile(r"(?<![\w-])pod_workers\.go:\d")


_HEADER_BEFORE = re.compile(rb"[\w.]{1,64}\.go:\d{1,6}\] \Z")
_OF_SIGNS = frozenset(each.encode() for each in OF_SIGNS)
_OF_WORKERS = frozenset(each.encode() for each in MESSAGES)
_OF_CALLS = frozenset(each.encode() for each in WRITTEN_IN_CALLS)
_SIGN_IN_TEXT, _SIGN_IN_JSON = (
    re.compile(begin + b"(?:" + b"|".join(map(re.escape, sorted(_OF_SIGNS | _OF_CALLS))) + b')"')
    for begin in (rb'\] "', b'"msg":"')
)
_AT_BEGIN = re.compile(rb'\n(?:[$>] |--|[^\S\n]{0,8}[#\[(<.:*~"\xe2])')
"""Of a line without its header, or one that stands for lines that are missing."""
_BODY_ALONE = re.compile(rb'\s{0,8}"([^"]{1,300})" ')
"""Where the header is cut off with the name of the file."""
_TIME = re.compile(rb'[IWEF](\d{4} \d\d:\d\d:\d\d\.\d{6}) |"ts":(\d{1,20}(?:\.\d{1,20})?)')
_SOURCE = re.compile(rb'[ "]source(?:=|":)"?(api|file|http)\b')
_SECONDS = re.compile(r"[0-9]{1,18}")
_EVENT = re.compile("Container(?:Died|Started)")
_UID = re.compile(rb'podUID"?[=:]"?([^"\s,]{1,300})')
_MOST_NAMES = 100
"""UIDs of one name."""
_HEADER = re.compile(rb"(?:^|[ /])([\w.]{1,64}\.go:\d{1,6}\] )")
_MOST_SHOWN = 1000
_CONTAINER = re.compile(r'(?:containerID"?[=:]"\w{1,40}://|Data"?:"?)(\w{1,100})')
_PODS = re.compile(r"[^\s\[\]\",]+/[^\s\[\]\",]+")
_MOST_PODS_OF_A_LINE = 1000
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)


# What `lines_to_read` looks for: more than what the functions below then find something in, and never less.
_ANYWHERE = (b"pod_workers.go", b'"SyncLoop ', b"Kubelet version", b"] Version: v", b"rate-limiting")
_LOST_COUNTS = (b"uppressed ", b"issed ", b"ost ", b"epeated ")


class LogEntry(NamedTuple):
    """A line of pod_workers.go."""

    uid: str
    pod: str
    """namespace/name; empty where the line has only the UID."""
    line: LogLine
    release: str
    """From which release on lines look like this, as far as it shows; empty where it does not."""


def lines_to_read(block: bytes) -> list[int]:
    """Where in whole lines those begin in which any function here may find something; the rest is read no further."""
    at = {0}
    for needle in (*_ANYWHERE, *_LOST_COUNTS):
        hit = block.find(needle)
        while hit >= 0:
            end = hit + len(needle)
            if needle not in _LOST_COUNTS or block[end : end + 1].isdigit():
                at.add(block.rfind(b"\n", 0, hit) + 1)
                end = block.find(b"\n", hit)
            hit = block.find(needle, end) if end >= 0 else -1
    for pattern in (_SIGN_IN_TEXT, _SIGN_IN_JSON):
        at.update(block.rfind(b"\n", 0, found.start()) + 1 for found in pattern.finditer(block))
    at.update(found.start() + 1 for found in _AT_BEGIN.finditer(block))
    return sorted(at)


def is_of_worker(text: bytes) -> bool:
    """Is it, or may it be, a line of pod_workers.go?"""
    if b"pod_workers.go" in text:
        return True
    alone = _BODY_ALONE.match(text) if b'"' in text[:9] else None
    return alone is not None and alone[1] in _OF_WORKERS


def entry_of(text: bytes) -> LogEntry | None:
    """What a line says of a worker; None where it is cut off, or has no UID."""
    if _CUT.search(text):
        return None
    body = _BODY.search(text)
    if body is None and b"pod_workers.go" in text:
        return _entry_of_json(text)
    start = body.end() if body else text.find(b'"') + 1
    end = text.find(b'"', start)
    if end < 0:
        return None
    return _entry_of_body(text[start:end], text[end + 1 :])


@functools.lru_cache(maxsize=20_000)
def _entry_of_body(message: bytes, keys: bytes) -> LogEntry | None:
    """A worker writes the same lines again and again."""
    return _entry(message.decode("utf-8", "replace"), _told_by_text(keys.decode("utf-8", "replace")))


def _entry_of_json(text: bytes) -> LogEntry | None:
    told = _told_by_json(text)
    if not _CALLER.search(told.get("caller", "")) or "msg" not in told:
        return None
    return _entry(told["msg"], told)


def _told_by_json(text: bytes) -> dict[str, str]:
    """Its texts and integers, and pods as namespace/name; nothing where it is no JSON."""
    try:
        found = json.loads(text[text.index(b"{") :])
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    told = {key: str(value) for key, value in found.items() if type(value) in (str, int)}
    if isinstance(pod := found.get("pod"), dict):
        told["pod"] = _name_of(pod)
    if isinstance(pods := found.get("pods"), list):
        told["pods"] = " ".join(_name_of(pod) for pod in pods if isinstance(pod, dict))
    return told


def _name_of(pod: dict[str, object]) -> str:
    return f"{pod.get('namespace', '')}/{pod.get('name', '')}"


def call_of(text: bytes) -> LogEntry | None:
    """What a line says that is written in a call by a pod's goroutine; None where it is none, or has no UID."""
    found = _message_of(text, _OF_CALLS)
    if found is None or _CUT.search(text):
        return None
    message, told, _ = found
    uid, pod = told.get("podUID", ""), told.get("pod", "")
    if not uid or max(len(uid), len(pod)) > _MOST_OF_A_NAME:
        return None
    seconds = _SECONDS.fullmatch(told.get("gracePeriod", "")) if message == TERMINATING_WITH else None
    return LogEntry(uid, pod, LogLine(message, seconds[0] if seconds else ""), "")


def _message_of(text: bytes, known: frozenset[bytes]) -> tuple[str, dict[str, str], str] | None:
    """A line's message if it is one of these, what it tells, and what follows it."""
    key = text.find(b'"msg":"')
    start = text.find(b'"') + 1 if key < 0 else key + len(b'"msg":"')
    end = text.find(b'"', start)
    if text[start:end] not in known or end < 0 or (key < 0 and not _is_message(text[: start - 1])):
        return None
    rest = text[end + 1 :].decode("utf-8", "replace")
    return text[start:end].decode(), _told_by_json(text) if key >= 0 else _told_by_text(rest), rest


def sign_of(text: bytes) -> Sign | None:
    """What a line of any file says of what pods wait for; None where it says nothing, or is cut off."""
    if (found := _message_of(text, _OF_SIGNS)) is None:
        return None
    message, told, rest = found
    if b'"msg":"' not in text:
        told["pods"] = rest.partition(" pods=[")[2].partition("]")[0]
    names = _PODS.findall(told.get("pods", ""))[:_MOST_PODS_OF_A_LINE]
    pods = [(name, "") for name in names] or [(told.get("pod", ""), told.get("podUID", ""))]
    if any(max(map(len, pod)) > _MOST_OF_A_NAME for pod in pods) or not any(pods[0]):
        return None
    event = _EVENT.search(rest)
    if message.startswith("SyncLoop (PLEG)") and event:
        message = f"{message} {event[0]}"
    container = _CONTAINER.search(rest)
    return Sign(message, told.get("err", ""), time_of(text), container[1] if container else "", tuple(pods))


def _is_message(before: bytes) -> bool:
    """Is what follows a line's message: behind a header, or with nothing before it?"""
    if len(before) <= 8 and not before.strip():
        return True
    before = before[-100:]
    file = before.rfind(b".go:")
    begin = max(before.rfind(b" ", 0, file), before.rfind(b"/", 0, file)) + 1
    return file >= 0 and _HEADER_BEFORE.match(before, begin) is not None


def added_by(text: bytes, sign: Sign) -> dict[str, str]:
    """The namespace/name of each pod that a line of the sync loop adds -> its source; nothing of other lines."""
    source = _SOURCE.search(text) if sign.message == "SyncLoop ADD" else None
    return {name: source[1].decode() for name, _ in sign.pods} if source else {}


def time_of(text: bytes) -> str:
    """As klog writes it; empty where the line has none."""
    time = _TIME.search(text[:400])
    return (time[1] or time[2]).decode() if time else ""


def is_earlier(time: str, other: str) -> bool:
    """Of times that `time_of` found, which have no year: January comes after December."""
    if not time or not other or (" " in time) != (" " in other):
        return False
    if " " in time:
        return (time < other) != ({time[:2], other[:2]} == {"01", "12"})
    return float(time) < float(other)


def seconds_between(time: str, later: str) -> float | None:
    """Between two times of `time_of`, negative where the later one is earlier, infinite where whole days lie between;
    None where a log does not say it.
    """
    if not time or not later or (" " in time) != (" " in later):
        return None
    if " " not in time:
        return (float(later) - float(time)) / 1000
    first, second = (3600 * int(each[5:7]) + 60 * int(each[8:10]) + float(each[11:]) for each in (time, later))
    if time[:4] == later[:4]:
        return second - first
    if is_earlier(later, time):
        return -math.inf
    return 86400 + second - first if _is_next_day(time[:4], later[:4]) else math.inf


def are_far_apart(time: str, later: str, seconds: float) -> bool:
    """Is it so long between two times of `time_of`?"""
    between = seconds_between(time, later)
    return between is not None and between > seconds


_LAST_DAYS = ("0131", "0228", "0229", "0331", "0430", "0531", "0630", "0731", "0831", "0930", "1031", "1130", "1231")


def _is_next_day(day: str, other: str) -> bool:
    """Of days as `0131`: does the other follow, in some year?"""
    if other == f"{int(day) + 1:04}":
        return True
    return day in _LAST_DAYS and other == f"{int(day[:2]) % 12 + 1:02}01"


def written_of(text: bytes) -> bytes:
    """A line without what was put before its time; empty where it has none."""
    if (found := _PID.search(text[:400])) is not None:
        return text[found.start() :].rstrip()
    return text[text.find(b"{") :].rstrip() if time_of(text) else b""


def _entry(message: str, told: dict[str, str]) -> LogEntry | None:
    uid = told.get("podUID", "")
    if not uid or max(map(len, (uid, message, told.get("updateType", ""), told.get("pod", "")))) > _MOST_OF_A_NAME:
        return None
    line, release = _line_and_release(message, told)
    return LogEntry(uid, told.get("pod", ""), line, release)


def line_of(text: bytes, known: Collection[str]) -> tuple[LogLine, str]:
    """The line that a text is or was cut out of, and from which release on such lines look so; a message is preferred
    that is known. All of the text is the message where nothing in it is quoted.
    """
    told = _told_by_json(text)
    if "msg" in told:
        return _line_and_release(told["msg"], told)
    shown = text.decode("utf-8", "replace").strip()
    quoted = [part for part in shown.split('"')[1::2] if part]
    message = next((part for part in quoted if part in known), quoted[0] if quoted and shown not in known else shown)
    rest = shown.partition(f'"{message}"')[2]
    line, release = _line_and_release(message, _told_by_text(rest))
    return line, release if "podUID" in rest else ""


def _line_and_release(message: str, told: dict[str, str]) -> tuple[LogLine, str]:
    kind, release = told.get("updateType", ""), ""
    if kind in _NUMBERS or (not kind and message in TELL_THE_CALL):
        release = "1.26"
    elif message.startswith("Requeuing "):
        release = "1.34"
    if message in _TELLS_WORK_TYPE and "workType" in told:
        release = "1.36" if kind else ""
        kind = told["workType"]
    return LogLine(message, _NUMBERS.get(kind, kind)[:_MOST_OF_A_NAME]), release


def _told_by_text(text: str) -> dict[str, str]:
    """Of each key=value the value, bare up to the next space, or in double quotes with backslashes.

    A line that is cut off inside quotes tells nothing.
    """
    told, text, at = dict[str, str](), text.strip(), 0
    while (equals := text.find("=", at)) >= 0:
        key = text[at:equals].rpartition(" ")[2]
        if text.startswith('"', equals + 1):
            quoted = _QUOTED.match(text, equals + 1)
            if quoted is None:
                return {}
            told[key], at = quoted[1], quoted.end()
        else:
            end = text.find(" ", equals)
            at = len(text) if end < 0 else end
            told[key] = text[equals + 1 : at]
    return told


class AskedPod:
    """What a pod is called that is asked for by its UID, or as namespace/name: the other one is learned on the way."""

    def __init__(self, asked: str) -> None:
        self.asked = asked
        self._known: set[str] = set()
        self._in_text = self._in_json = re.compile(rb"(?!)")
        self._know(asked)

    def learn(self, name: str, uid: str) -> None:
        """A line has both."""
        if name and uid and self.asked in (name, uid):
            self._know(name if self.asked == uid else uid)

    def _know(self, new: str) -> None:
        if new in self._known or not new or len(self._known) >= _MOST_NAMES:
            return
        self._known.add(new)
        bare = b"|".join(re.escape(each.encode()) for each in sorted(self._known))
        self._in_text = re.compile(rb"(?<![\w./-])(?:" + bare + rb")(?![\w./-])")
        pairs = [
            tuple(re.escape(part.encode()) for part in each.split("/")) for each in self._known if each.count("/") == 1
        ]
        both = [b'"name":"%b","namespace":"%b"|"namespace":"%b","name":"%b"' % (n, s, s, n) for s, n in pairs]
        self._in_json = re.compile(b"|".join(both) or rb"(?!)")

    def are_in(self, text: bytes) -> bool:
        """Does a line name it, and no other UID?"""
        if not (self._in_text.search(text) or self._in_json.search(text)):
            return False
        uid = _UID.search(text)
        return uid is None or "/" in self.asked or uid[1].decode("utf-8", "replace") == self.asked


def shown_of(text: bytes) -> str:
    """A line of any file without its header and what is before that, of JSON all; cut where it is long."""
    found = _HEADER.search(text[:600])
    return text[found.start(1) if found else 0 :][:_MOST_SHOWN].decode("utf-8", "replace").strip()


def pid_of(text: bytes) -> bytes:
    """The process that wrote it; empty where the line does not say."""
    found = _PID.search(text[:400]) or _PID_OF_PREFIX.match(text[:400])
    return found[1] if found else b""


def version_of(text: bytes) -> str:
    """The release that a kubelet names when it starts, without its `v`; empty for every other line."""
    found = _VERSION.search(text[:1000]) if b"ersion" in text else None
    return (found[1] or found[2]).decode() if found else ""


def leaves_out(text: bytes) -> bool:
    """Does a line say that others are missing here?"""
    head = text[:200]
    if any(word in head for word in _LOST_WORDS) and _LOST.search(head):
        return True
    return _MARKS.match(head) is not None
