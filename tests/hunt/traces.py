"""A recorded trace with one thing changed, and what docs/traces.md says of that: does it say anything else now?

What is said is put into a form of its own, by the page's rules alone. A changed trace may conform only if the model,
run through its events, shows just that.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from tests.recorded_traces import TRACES, conformance, release_of, version_of

from podproof.checker.core.system import CheckerError
from podproof.kubelet.replay import record
from podproof.queries.forms import replayer_factory

_UNORDERED = (
    *("inflight", "enqueued", "closedCh", "mirrorTerminating", "recorderEvents"),
    *("cacheCalls", "completed", "killNowReturned"),
)
_POINTERS = ("grace", "kill")
_TEXTS = ("x", "web", "unknown", "sync", "kill", "error", "now", "0000000", "1111111", "Failed", "Running")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document but itself."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from places(part, (*path, key))


def change(trace: Any, random: Random) -> str:
    """Change one thing; what it was."""
    number = random.randrange(len(trace["steps"]))
    step = trace["steps"][number]
    path = random.choice(list(places(step)))
    outer = step
    for key in path[:-1]:
        outer = outer[key]
    key, value = path[-1], outer[path[-1]]
    what = random.choice(["other", "other", "other", "gone", "more", "moved"])
    match what, outer:
        case "gone", _:
            del outer[key]
        case "more", dict():
            outer[random.choice([*(f"{key}{n}" for n in ("", "2")), "ghost", "podSynced"])] = copy.deepcopy(value)
        case "more", list():
            outer.insert(random.randrange(len(outer) + 1), copy.deepcopy(value))
        case "moved", list():
            outer.insert(random.randrange(len(outer)), outer.pop(key))
        case "moved", dict():
            other = random.choice(list(outer))
            outer[key], outer[other] = outer[other], outer[key]
        case _:
            outer[key] = _other(value, random)
    return f"step {number + 1}: {what} {'.'.join(map(str, path))}"


def _other(value: Any, random: Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + random.choice([-1, 1, 2, 30, -value])
        case str() if value and set(value) <= set("01-"):
            place = random.randrange(len(value))
            return value[:place] + random.choice("01") + value[place + 1 :]
        case str():
            return random.choice([*_TEXTS, value + "x", value[:-1]])
    return random.choice([None, type(value)()])


def said(step: Mapping[str, Any], of_1_20: bool) -> Any:
    """What a step says that was seen, as the page says that it is compared."""
    seen = {
        name: _plain(value, of_1_20) for name, value in step.items() if name not in ("i", "op", "settled", "logLines")
    }
    if not of_1_20:
        queries = dict(step.get("queries") or {})
        unknown = queries.get("unknown")
        seen["queries"] = {uid: answer for uid, answer in queries.items() if answer != unknown} | {"unknown": unknown}
    seen["panic"] = bool(step.get("panic"))
    events = step.get("recorderEvents") or ()
    seen["recorderEvents"] = [" ".join(event.split(" ")[:3]) for event in events]
    seen["inflight"] = [{k: v for k, v in call.items() if k != "id"} for call in seen.get("inflight") or ()]
    for name in _UNORDERED:
        seen[name] = sorted(map(_key, seen.get(name) or ()))
    return {name: value for name, value in seen.items() if value}


def _key(entry: Any) -> str:
    return str(sorted(entry.items(), key=str)) if isinstance(entry, dict) else str(entry)


def _plain(value: Any, of_1_20: bool, name: str = "") -> Any:
    if isinstance(value, dict):
        inner = {key: _plain(part, of_1_20, key) for key, part in value.items()}
        if name in ("pods", "ret", "chans", "startedStatic"):  # By UID: that there is an entry says something.
            return inner
        return {key: part for key, part in inner.items() if part or (key in _POINTERS and value[key] is not None)}
    if isinstance(value, list):
        return [_plain(part, of_1_20) for part in value]
    if of_1_20 and name == "phase":
        return value if value in ("Succeeded", "Failed") else ""
    return bool(value) if of_1_20 and name == "err" else value


def judge(seed: int) -> tuple[str, str]:
    """What becomes of a changed trace: refused, differs, conforms or FOUND; and what was changed."""
    random = Random(seed)
    name = random.choice(list(TRACES))
    trace, of_1_20 = copy.deepcopy(TRACES[name]), version_of(TRACES[name]) == "v1.20"
    what = f"{name}, {change(trace, random)}"
    release = release_of(TRACES[name])
    try:
        conforms = conformance(trace, release).conforms
    except CheckerError:
        return "refused", what
    if not conforms:
        return "differs", what
    seen = [said(step, of_1_20) for step in trace["steps"]]
    for newest_first in (False, True):
        shown = record(trace, replayer_factory(release)(trace), newest_first)
        if [said(step, of_1_20) for step in shown["steps"]] == seen:
            return "conforms", what
    return "FOUND", what
