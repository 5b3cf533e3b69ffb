"""The sync loop's handlers, translated: what each does with one pod, or one mirror pod, of an event.

Each is a method of environment `sync loop`, in the place of the model's own.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from podproof.golang.asking import ASK, CALLS, asks_at_first, most_calls, whether_asked
from podproof.golang.cleanups import CHORES, FAILURES, CleanupTranslation
from podproof.golang.functions import POD_WORKERS, modelled_in, vocabulary_in, with_helpers
from podproof.golang.handling import HANDLERS, OF_ONE_POD, HandlerTranslation, Way
from podproof.golang.syntax import GoFile, GoFunction, check_imports, inside, outermost, parse, text
from podproof.golang.syntax import field as part_of
from podproof.golang.translated import class_of
from podproof.golang.values import TranslatedLine

if TYPE_CHECKING:
    from tree_sitter import Node


_BOUNDS_OF_EVENTS = (
    "events of one pod each; no resizes, readiness gates, evictions or pod certificates, and no RECONCILE or SYNC of a "
    "mirror pod; what is under NodeDeclaredFeatures only writes to the log and events; reason and message of a "
    "rejection are not compared, nor what rejectPod does where SyncPod calls it"
)
_BOUNDS_OF_CLEANUPS = (
    "of a pass of housekeeping what it calls UpdatePod for, and with what; of cgroups, probes, statuses, allocations, "
    "user namespaces, directories, mirror pods, metrics and the back-off only that their text is the release's"
)
UNREAD: Mapping[str, str] = {
    "HandlePodAdditions": "778faba762789786",
    "HandlePodUpdates": "21387074d1875fe6",
    "HandlePodRemoves": "e3b0c44298fc1c14",
    "HandlePodReconcile": "f18835868b8a614a",
    "HandlePodSyncs": "5e043f8a9ffdc275",
    "deletePod": "e3b0c44298fc1c14",
    "rejectPod": "e3b0c44298fc1c14",
    "HandlePodCleanups": "d24b2e9b23484993",
    "filterOutInactivePods": "3cd4e9f759d41251",
}
"""Fingerprints of what each does beyond these bounds in 1.36.2 and 1.36.3."""
_IMPORTS = {
    "allocation": "k8s.io/kubernetes/pkg/kubelet/allocation",
    "eviction": "k8s.io/kubernetes/pkg/kubelet/eviction",
    "sliceutils": "k8s.io/kubernetes/pkg/kubelet/util/sliceutils",
    "sort": "sort",
    "status": "k8s.io/kubernetes/pkg/kubelet/status",
    "v1qos": "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos",
}
"""Packages of the vocabulary of which pod_workers.go knows nothing."""
CLEANUPS = frozenset(("HandlePodCleanups", "filterOutInactivePods"))
"""Housekeeping, of which each is read as what it does about one UID."""
HELPERS = frozenset(("filterTerminalPodsToDelete", "isPodInactive", "isAdmittedPodTerminal"))
"""What these call: read with them where the file has it."""
_PARTS = (
    frozenset(("deletePod", "HandlePodRemoves")),
    frozenset(("rejectPod", "HandlePodAdditions")),
    CLEANUPS,
)
"""What is translated together: one calls the other."""
_HEADER = """from podproof.model.kubelet import Chore
from podproof.model.language import out_of_bounds
from podproof.model.state import KillPodOptions, Phase, UpdatePodOptions, UpdateType
from podproof.model.sync_loop import DELETED
"""


def read_in(file: Path) -> tuple[str, ...]:
    """The functions of a Go file that are read, if it is not that of the pod workers. Raises CheckerError."""
    functions, source = modelled_in(file), file.read_text(encoding="utf-8", errors="replace")
    return (*functions, *handlers_in(source)) if POD_WORKERS.search(source) is None else ()


def handlers_in(source: str) -> tuple[str, ...]:
    """The handlers that a Go file has."""
    return tuple(name for name in HANDLERS if re.search(rf"(?m)^func \(\w+ \*Kubelet\) {name}\(", source))


@dataclass(frozen=True)
class TranslatedHandlers:
    """What some handlers of a Go file became."""

    file: GoFile
    names: tuple[str, ...]
    cls: type
    """The environment `sync loop`, with these in the place of its own."""
    text: str
    unread: Mapping[str, tuple[tuple[str, int], ...]]
    """For each what is decided beyond the bounds, and what never runs within them, with its line."""
    gates: tuple[str, ...]
    """The feature gates that they ask for, and what is taken for them."""
    several: tuple[str, ...]
    """Those that may call UpdatePod more than once for one event."""
    parts: frozenset[str]
    """Helpers of the file that are read as a part of these."""

    @property
    def bounds(self) -> str:
        """Within which a handler is what its translation is."""
        about = ((_BOUNDS_OF_EVENTS, {*self.names} - CLEANUPS), (_BOUNDS_OF_CLEANUPS, CLEANUPS & {*self.names}))
        return "; ".join([*(bounds for bounds, names in about if names), *self.gates])

    def unread_fingerprint(self, name: str) -> str:
        return hashlib.sha256("\x00".join(said for said, _ in self.unread[name]).encode()).hexdigest()[:16]


def handlers_with(names: Collection[str]) -> tuple[str, ...]:
    """These handlers and those that are translated with them: deletePod is a part of HandlePodRemoves."""
    wanted = {*names, *(name for both in _PARTS if not both.isdisjoint(names) for name in both)}
    return tuple(name for name in HANDLERS if name in wanted)


def translate_handlers(source: str, path: Path, names: Collection[str], base: type, release: str) -> TranslatedHandlers:
    """Some handlers of a Go file as methods of a release's sync loop. Raises CheckerError for what is not read."""
    wanted, file = _with_parts(source, path, names)
    for name in sorted(wanted, key=lambda one: one not in OF_ONE_POD):
        if f"Kubelet.{name}" not in file.functions:
            _refuse_missing(file, name, wanted)
    check_imports(file, _IMPORTS)
    parts = dict[str, None]()
    methods, unread, several, gates = (
        list[str](),
        dict[str, tuple[tuple[str, int], ...]](),
        list[str](),
        dict[str, None](),
    )
    for name in wanted:
        function = file.functions[f"Kubelet.{name}"]
        if function.receiver_name != "kl":
            file.refuse(function.node, f"the Kubelet is called {function.receiver_name!r} here", "call it kl")
        bounded: set[Node] = set()
        for way in HANDLERS[name]:
            translation = _translation_of(file, function, name, way, base, release, bounded)
            lines = translation.handled()
            gates.update(translation.gates)
            parameters = "uid: int, admitted: bool" if way.asks else "uid: int"
            made = _method(f"{way.method}(self, {parameters}) -> {translation.answers}", lines, function, file)
            methods.append(made)
            body = ast.parse(f"class _:\n{made}").body
            if most_calls(body, CALLS) > 1:
                several.append(name)
            if way.asks:
                if most_calls(body, (ASK,)) > 1 or not asks_at_first(body):
                    what = "AddPod of the allocation manager is called twice, or after something else was done"
                    file.refuse(function.node, what, "ask once for each pod, and first")
                methods.append(
                    _method(f"{way.asks}(self, uid: int) -> bool", tuple(whether_asked(lines)), function, file)
                )
            parts.update(translation.followed)
            if isinstance(translation, CleanupTranslation):
                for one in translation.methods:
                    methods.append(
                        _method(f"{one.name}({', '.join(('self', *one.parameters))})", one.lines, one.go, file)
                    )
                for chore, call in translation.called_for.items():
                    methods.append(_method(f"{CHORES[chore]}(self, uid: int) -> None", (call,), function, file))
        unread[name] = tuple((translation.text_of_unread(node), node.start_point[0] + 1) for node in outermost(bounded))
    made = (
        f'"""Translated from {file.name}, sha256 {file.digest[:16]}."""\n'
        f"{_HEADER}from {base.__module__} import {base.__name__}\n\n"
        f'class TranslatedHandlers({base.__name__}):\n    """{", ".join(wanted)} of the file."""\n\n'
        + "\n".join(methods)
    )
    cls = class_of(file, made, "TranslatedHandlers", base.__name__, f" {' '.join(wanted)} {base.__name__}")
    return TranslatedHandlers(
        file, wanted, cls, made, unread, tuple(gates), tuple(dict.fromkeys(several)), frozenset(parts)
    )


def _translation_of(
    file: GoFile, function: GoFunction, name: str, way: Way, base: type, release: str, bounded: set[Node]
) -> HandlerTranslation:
    """What translates it, and with which a pass of housekeeping is read for each failure of the runtime."""
    if name not in CLEANUPS:
        return HandlerTranslation(file, function, name, way, base, release, bounded)
    for failure in FAILURES[1:] if way.kind == "pass" else ():
        CleanupTranslation(file, function, name, way, base, release, set(), failure).handled()
    return CleanupTranslation(file, function, name, way, base, release, bounded)


def _with_parts(source: str, path: Path, names: Collection[str]) -> tuple[tuple[str, ...], GoFile]:
    """These handlers, and what they call that is about one pod; the file, of which only these are looked at."""
    wanted = handlers_with(names)
    while True:
        if CLEANUPS.isdisjoint(wanted):
            file = parse(source.encode(), path, wanted)
        else:
            file = with_helpers(source, path, wanted, vocabulary_in(CleanupTranslation.reads_by))
        more = handlers_with({*wanted, *(name for name in OF_ONE_POD if next(_calls_of(file, name), None))})
        if more == wanted:
            return wanted, file
        wanted = more


def _calls_of(file: GoFile, name: str) -> Iterator[Node]:
    for function in file.functions.values():
        for call in inside(function.body, "call_expression"):
            if text(part_of(call, "function")) == f"kl.{name}":
                yield call


def _refuse_missing(file: GoFile, name: str, wanted: Collection[str]) -> NoReturn:
    """Say of a handler that a file lacks why it has to have it."""
    others = [one for both in _PARTS if name in both for one in both if one != name and one in wanted]
    if (call := next(_calls_of(file, name), None)) is not None:
        what = (
            f"kl.{name} is called, and this file has no method {name} of Kubelet, so nothing is known of what it does"
        )
        file.refuse(call, what, f"put {name} and {others[0]} into this file, or write the change as a proposal")
    what = f"there is no method {name} of Kubelet, which is read together with {' and '.join(others)}"
    file.refuse(file.root, what if others else f"there is no method {name} of Kubelet", "put it into this file")


def _method(head: str, lines: Sequence[TranslatedLine], function: GoFunction, file: GoFile) -> str:
    places = "\n".join(f"{'    ' * (line.depth + 1)}{line.text}  # {file.name}:{line.go}" for line in lines)
    return f"    def {head}:  # {function.name} {file.name}:{function.line}\n{places}\n"
