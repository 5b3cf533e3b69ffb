"""What is known while a Go function is translated: values, and the facts that hold where the translation stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from podproof.golang.syntax import GoFunction

_CONSTANT = re.compile(r"True|False|NIL|-?\d+|[A-Z]\w*\.[A-Z_0-9]+|DELAY_\w+")
ERRORS = ("NO_ERROR", "ERROR", "NETWORK_NOT_READY", "CANCELED", "WRAPPED_CANCELED")
"""What a sync function's error may be, as far as podWorkerLoop can tell."""


@dataclass(frozen=True)
class Meaning:
    """What a Go expression is in the model language."""

    text: str
    kind: str
    key: str = ""
    """The Go expression, if it is a path; facts are about it."""
    uid: str = ""
    """The pod that a record, a name or a channel belongs to, as a name of the translation."""
    fresh: bool = False
    """A record that was made on the spot and has no other name."""
    by_value: bool = False
    """A struct and no pointer: never nil."""
    present: str = ""
    """For a status that a function gave: the variable that says whether it is nil."""
    implies: str = ""
    """For a bool: the path that is not nil where it is true."""
    fields: Mapping[str, Meaning] = field(default_factory=dict)
    """Of a struct that is kept field by field."""
    points: bool = False
    """Of a local's own record: is the local a pointer to it, so that another name would be the same one?"""
    length: int | None = None
    """Of a delay, its nanoseconds where they are known."""

    @property
    def is_constant(self) -> bool:
        return _CONSTANT.fullmatch(self.text) is not None or self.text in ERRORS


NOTHING = Meaning("", "nothing")
NIL_VALUE = Meaning("nil", "nil")


@dataclass
class Facts:
    """What holds at a place."""

    scope: dict[str, Meaning] = field(default_factory=dict)
    known: dict[str, bool] = field(default_factory=dict)
    """Go path -> is it known to be not nil, or to be nil?"""
    bound: dict[str, Meaning] = field(default_factory=dict)
    """Go path -> the constant that it is known to be."""
    excluded: dict[str, frozenset[str]] = field(default_factory=dict)
    """Go path -> constants that it is known not to be."""
    owned: set[str] = field(default_factory=set)
    """Paths of pointers that nobody else has a copy of."""
    building: dict[str, str] = field(default_factory=dict)
    """Local -> the slot in which a new object of its is built."""
    channels: dict[str, str] = field(default_factory=dict)
    """Local channel -> made or stored, until its goroutine is started."""
    escaped: dict[str, int] = field(default_factory=dict)
    """Local struct whose address was stored -> line."""
    touched_since_escape: bool = False
    dead: dict[str, int] = field(default_factory=dict)
    """Local status that was deleted from the map -> line."""
    lock: str = "free"
    """free, held, deferred (held until the return), over."""
    sections: int = 0
    """Critical sections of this step, so far."""
    enqueued: bool = False
    doubtful: dict[str, int] = field(default_factory=dict)
    """Local status -> line of a call that may have deleted it from the map."""
    outlives: set[str] = field(default_factory=set)
    """Local statuses that are not nil, though a call may have deleted them from the map."""
    told: set[str] = field(default_factory=set)
    """Local delays that an error may have told."""
    set_times: dict[str, str] = field(default_factory=dict)
    """Times of a status that this step has set -> on each way, on some, or since it asked how long ago they were."""

    def copy(self) -> Facts:
        own: dict[str, Any] = {
            n: fact.copy() if isinstance(fact, dict | set) else fact for n, fact in vars(self).items()
        }
        return Facts(**own)

    def join(self, other: Facts) -> Facts:
        """What holds where two ways meet; the scope is this one's."""
        return Facts(
            {n: v for n, v in self.scope.items() if n in other.scope},
            {k: v for k, v in self.known.items() if other.known.get(k) is v},
            {k: v for k, v in self.bound.items() if other.bound.get(k) == v},
            {k: v & other.excluded[k] for k, v in self.excluded.items() if k in other.excluded},
            self.owned & other.owned,
            {**self.building, **other.building},
            {**self.channels, **other.channels},
            {**self.escaped, **other.escaped},
            self.touched_since_escape or other.touched_since_escape,
            {**self.dead, **other.dead},
            self.lock,
            max(self.sections, other.sections),
            self.enqueued or other.enqueued,
            {**self.doubtful, **other.doubtful},
            self.outlives & other.outlives,
            self.told | other.told,
            {
                time: "asked" if "asked" in ways else "each" if ways == ("each", "each") else "some"
                for time in {**self.set_times, **other.set_times}
                for ways in [(self.set_times.get(time, ""), other.set_times.get(time, ""))]
            },
        )

    def forget(self, path: str) -> None:
        """A path was assigned to: what was known of it, and of what a record by another name may have below it."""
        last = path.rpartition(".")[2]

        def is_about(key: str) -> bool:
            below = key == path or key.startswith((f"{path}.", f"*{path}"))
            if below or "." not in path or self.is_local(key):
                return below
            return key.endswith(f".{last}") or f".{last}." in key

        for facts in (self.known, self.bound, self.excluded):
            for key in [key for key in facts if is_about(key)]:
                del facts[key]
        self.owned -= {key for key in self.owned if is_about(key)}

    def forget_state(self, deletes: bool) -> None:
        """A function was called that writes: only what local names are is still known."""
        for facts in (self.known, self.bound, self.excluded):
            for key in list(facts):
                is_status = key in self.scope and self.scope[key].kind == "status"
                if not self.is_local(key) or (deletes and is_status):
                    del facts[key]
        self.lose("cancel", "read it again from the status")
        self.touched_since_escape = True

    def lose(self, kind: str, instead: str) -> None:
        """What the locals of a kind stand for may have become something else."""
        for name, value in self.scope.items():
            if value.kind == kind and name not in self.channels:
                self.scope[name] = Meaning(instead, "lost")

    def is_local(self, key: str) -> bool:
        """Is this path a local's, or in a local struct that nobody else has?"""
        root, dot, _ = key.partition(".")
        found = self.scope.get(root)
        return not dot or (root not in self.escaped and found is not None and (bool(found.fields) or found.by_value))


def negated(text: str) -> str:
    """The opposite of a condition."""
    if text in ("True", "False"):
        return "False" if text == "True" else "True"
    if text.startswith("not ") and not re.search(r" (and|or) ", text):
        return text.removeprefix("not ")
    simple = re.fullmatch(r"([^=!<> ]+) (==|!=) ([^=!<> ]+)", text)
    if simple is not None:
        return f"{simple[1]} {'!=' if simple[2] == '==' else '=='} {simple[3]}"
    return f"not ({text})" if re.search(r" (and|or) ", text) else f"not {text}"


def operand(text: str) -> str:
    """An expression as part of a comparison or a sum: in parentheses unless it is a name, an element or a call."""
    depth = 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == " " and not depth:
            return f"({text})"
    return text


def conjunction(a: str, b: str) -> str:
    if "False" in (a, b):
        return "False"
    return " and ".join(_wrapped(x, " or ") for x in (a, b) if x != "True") or "True"


def disjunction(a: str, b: str) -> str:
    if "True" in (a, b):
        return "True"
    return " or ".join(_wrapped(x, " and ") for x in (a, b) if x != "False") or "False"


def _wrapped(text: str, weaker: str) -> str:
    return f"({text})" if weaker in text else text


def snake(name: str) -> str:
    """A Go name in Python's manner: canEverStart, startedUID and podUIDAndRef are can_ever_start, started_uid, …"""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


STATIC = (
    "channel", "nothing", "struct", "unknown", "duration", "count", "uids", "uid set", "known pods", "error",
    "logger", "parent", "post_sync", "lost", "closure", "cancel", "stop",
    "workers", "expiration", "expires", "elapsed", "target",
)  # fmt: skip
"""Kinds of locals that are not variables of the translation."""
UNTOLD = ("desired pods", "logger", "parent", "unknown")
"""Kinds of parameters that the translation does not have. A parent is a context that nothing here cancels."""


OF_STATUS = "pod_sync_status_"
"""Beginning of the name of a method of a status that needs the workers."""


@dataclass(frozen=True)
class TranslatedLine:
    """A line of the translation, with the line of the Go that it comes from."""

    depth: int
    text: str
    go: int


@dataclass(frozen=True)
class Translated:
    """A function in the model language."""

    function: GoFunction
    name: str
    parameters: tuple[str, ...]
    kinds: tuple[str, ...]
    results: tuple[str, ...]
    lines: tuple[TranslatedLine, ...]
    needs_uid: bool
    """Does it take the UID as a first parameter that the Go does not have?"""
    uid: str
    """The parameter that is the UID of the pod that its other parameters belong to; empty where it needs none."""
    writes: bool
    deletes: bool
    locks: bool
    """Does it lock podLock, or what it calls?"""
    touches: bool
    closes: bool = False
    """Does it close a worker's channel?"""
    frame: tuple[tuple[str, str], ...] = ()
    tells: bool = False
    """Does its second result, a bool or an error, tell whether the status that it gives is nil?"""
    makes: bool = False
    """Does it store a new status in the map?"""

    @property
    def is_method(self) -> bool:
        """Is it a method of the workers? One of a status is only where it needs them."""
        return self.function.receiver != "podSyncStatus" or self.name.startswith(OF_STATUS)


@dataclass
class InlinedCall:
    """A function while its statements are translated where it is called."""

    function: GoFunction
    names: list[str]
    """The variable that each result goes to; empty for one that is no variable."""
    kinds: list[str]
    loops: int
    """How many loops are around the call."""
    parts: list[dict[str, str]] = field(default_factory=list)
    """The variable that each field of a result goes to, where that is a struct."""
    ways: list[tuple[Facts, list[Meaning]]] = field(default_factory=list)
    """What is known at each return, and what is returned."""


@dataclass(frozen=True)
class LocalFunction:
    """A function that a local, or a parameter, stands for."""

    function: GoFunction
    scope: dict[str, Meaning]
    """What its names meant where it stands."""
    around: GoFunction
    """The function in which it stands."""
    closures: dict[str, LocalFunction]
    is_given: bool = False
    """Is it an argument? Then its names are those of who gave it."""


DELAYS = ("delay", "duration", "told")
"""Kinds of delays: one that may be jittered, one of a length, and one that an error tells."""


def as_delay(value: Meaning) -> Meaning:
    """A value where a delay belongs: 0 is none, and that of a duration has its name, jittered or not. [A5]"""
    if value == Meaning("0", "int"):
        return Meaning("Delay.NOW", "delay")
    return replace(value, kind="delay", length=None) if value.kind in ("duration", "told") else value


def offset(a: str, b: str) -> str:
    if not a or not b:
        return a or b
    return f"{a} - {operand(b[1:])}" if b.startswith("-") else f"{a} + {b}"
