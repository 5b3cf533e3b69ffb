"""The other files of the kubelet, of which nothing is translated: their functions that the model has by hand.

Of some releases whose callers the model has, the fingerprints of these functions are known; none of their text is here.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from podproof import model
from podproof.golang.helpers import HelperSearch
from podproof.golang.other_files import imports, log_lines, parsed
from podproof.golang.refactored import FileText, Refactoring
from podproof.golang.releases import proved_releases
from podproof.golang.syntax import field as part_of
from podproof.golang.syntax import text, tokens
from podproof.model.notes import names_of

if TYPE_CHECKING:
    from tree_sitter import Node

Texts = tuple[str, str]
"""A file before and after; empty where it is not there."""
Functions = Mapping[str, Mapping[str, str]]
"""Path -> function -> fingerprint."""
FILE = Path(__file__).with_name("callers.json")
REST = "the rest"
"""In the place of a function: what else is in its file."""
CONSTRAINT = "the build constraint"
"""In the place of a function: in which kubelets its file is."""
UNPARSED = "what cannot be parsed"
_WITHIN = (
    "AddSource", "CleanupPods", "ConvertPodStatusToRunningPod", "CreateMirrorPod", "DeleteMirrorPod",
    "GetContainerByIndex", "GetNewerThan", "GetPodFullName", "GetPodSource", "GetPodsAndMirrorPods", "GetWork",
    "HasPendingResizes", "HashContainer", "IsMirrorPod", "IsMirrorPodOf", "IsStaticPod", "KillPod",
    "NeedToReconcilePodReadiness", "PodConditionByKubelet", "PodConditionSharedByKubelet", "PodIsEvicted", "Relist",
    "ShouldAllContainersRestart", "ShouldEvict", "ShouldSync", "StopLivenessAndStartup", "checkAndUpdatePod",
    "cleanUpContainersInPod", "containerChanged", "deleteContainersInPod",
    "generateContainersReadyConditionForTerminalPhase", "generatePodReadyConditionForTerminalPhase",
    "getContainersToDeleteInPod", "getHashFromMirrorPod", "getPodHash",
    "getRestartableInitContainers", "handleProbeSync", "isInitContainerInitialized",
    "isProbeTerminationGracePeriodSecondsSet", "isSyncPodWorthy", "kubeletRestartGracePeriod", "pickFieldsToHash",
    "podVolumesExist", "podsMapToPods", "relistPod", "removeOrphanedPodStatuses", "restoreSpecsFromContainerLabels",
    "setReadyStateOnKubeletRestart", "shouldRestartOnFailure", "splitPodsByStatic", "updateCache", "updatePodsInternal",
)  # fmt: skip
"""What the model has no function of, but does where one of its functions calls it."""
_WHOLE = (("container", "cache.go"), ("config", "config.go"))
"""Files of which every function does something that the model has: what the runtime has, and which pods come and go."""
_ELSEWHERE = frozenset(("Error", "Get", "Next"))
"""What the model has of other packages, and what many functions of the kubelet are called."""
_INSIDE = ("podSyncStatuses", "podSyncStatus", "podWorkers", "PodWorkers", "killPodNow", "killPodFunc", "KillPodFunc")
"""By these words a function gets at the workers, or hands them on."""
_HANDLERS = (
    "HandlePodAdditions", "HandlePodCleanups", "HandlePodReconcile", "HandlePodRemoves", "HandlePodSyncs",
    "HandlePodUpdates",
)  # fmt: skip
"""Who calls these asks the workers by them."""
_ENDS_IN_ANY_WAY = frozenset(
    ("EnsureImageExists", "NewMainKubelet", "SyncPod", "createPodSandbox", "startContainer", REST, CONSTRAINT, UNPARSED)
)
"""In the model these end as they like, or what they make is there: what they call decides nothing."""


def changed_of_the_model(files: Mapping[str, Texts]) -> dict[str, list[str]]:
    """By path the functions that are not the same in both, and that the model has by hand or that ask the pod workers.

    Files without one are left out.
    """
    first, second = (modelled({path: both[side] for path, both in files.items()}) for side in (0, 1))
    found: dict[str, list[str]] = {}
    for path, name in unlike(first, second):
        found.setdefault(path, []).append(name)
    return found


@dataclass(frozen=True)
class ChangedAround:
    """What of the model a change of the other files touches: path -> functions."""

    unlike: dict[str, list[str]] = field(default_factory=dict)
    same: dict[str, list[str]] = field(default_factory=dict)
    """Those of which the text is another one, and that do the same."""
    followed: dict[str, list[str]] = field(default_factory=dict)
    """Those that only one side has, and that are nothing but a part of functions that do the same."""
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)
    """Why one of the unlike is not said to do the same."""
    helpers: dict[str, dict[str, str]] = field(default_factory=dict)
    """What else is unlike and is used by one that the model has, which is named: path -> what -> that one."""


def changed_around(
    files: Mapping[str, Texts],
    beside: Callable[[str], Iterable[str]] = lambda folder: (),
    importing: Callable[[str], Iterable[str]] = lambda folder: (),
) -> ChangedAround:
    """Which functions the model has by hand, or ask the pod workers, a change touches; which of them do the same.

    `beside` gives the texts of a folder after the change, and `importing` the folders that import it.
    """
    changed, found = changed_of_the_model(files), ChangedAround()
    roots = [[parsed(both[side]) for both in files.values()] for side in (0, 1)]
    helpers = HelperSearch(files, beside, importing, _is_of_the_model, _is_whole, _ENDS_IN_ANY_WAY).found()
    for path, *sides in zip(files, *roots, strict=True):
        names = changed.get(path, [])
        if not names and path not in helpers:
            continue
        before, after = (FileText(root, dict(imports(root))) for root in sides)
        refactoring = Refactoring(before, after, _lines_to_ignore)
        is_parsed = not any(root.has_error for root in sides)
        same = [name for name in names if is_parsed and refactoring.is_same(name)]
        followed = [name for name in names if name not in same and refactoring.is_only_followed(name, roots)]
        unlike = [name for name in names if name not in (*same, *followed)]
        for table, some in ((found.unlike, unlike), (found.same, same), (found.followed, followed)):
            table.update({path: some} if some else {})
        if reasons := {name: why for name, why in refactoring.reasons.items() if name in unlike}:
            found.reasons[path] = reasons
        called = {h: name for h, name in helpers.get(path, {}).items() if not (is_parsed and refactoring.is_same(h))}
        found.helpers.update({path: called} if called else {})
    return found


def _is_of_the_model(name: str, words: Collection[str]) -> bool:
    """Is it a function that the model has by hand, or that asks the pod workers?"""
    return name in names_around() or not words_around().isdisjoint(words)


def _is_whole(path: str) -> bool:
    return PurePosixPath(path).parts[-2:] in _WHOLE


def _lines_to_ignore(file: FileText, node: Node) -> Iterable[Node]:
    return log_lines(node) if file.imports.get("klog") == "k8s.io/klog/v2" else ()


def modelled(files: Mapping[str, str]) -> Functions:
    """The functions of files that the model has by hand, or that ask the pod workers; no file without one."""
    found = {path: _fingerprints(source, _is_whole(path)) for path, source in files.items()}
    return {path: functions for path, functions in found.items() if functions.keys() - {REST}}


def unlike(first: Functions, second: Functions) -> Iterator[tuple[str, str]]:
    """The path and the name of each function that is not the same in both, in the order of the second."""
    for path in dict.fromkeys((*second, *first)):
        before, after = first.get(path, {}), second.get(path, {})
        yield from (
            (path, name)
            for name in dict.fromkeys((*after, *before))
            if name != REST and before.get(name) != after.get(name)
        )


@functools.cache
def names_around() -> frozenset[str]:
    """The Go functions of which a release's model has something."""
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(model.__path__, f"{model.__name__}.")]
    things = [thing for module in modules for thing in vars(module).values()]
    found = {name for cls in things if isinstance(cls, type) for name in names_in(cls)}
    found.update(go.name for thing in things for go in names_of(thing))
    return frozenset(found.union(_WITHIN) - _ELSEWHERE)


@functools.cache
def words_around() -> frozenset[str]:
    """The words in a function by which it asks the workers."""
    workers = {name.removeprefix("podWorkers.") for name in proved_releases()[0].fingerprints}
    return frozenset((*_INSIDE, *_HANDLERS)).union(
        name for name in workers if name[:1].isupper() and name.isidentifier()
    )


def names_in(cls: type) -> Iterator[str]:
    """The Go functions that a class is a model of."""
    for method in (method for base in cls.__mro__ for method in vars(base).values()):
        yield from (go.name for go in names_of(method))


def _fingerprints(source: str, is_whole: bool) -> dict[str, str]:
    """Those of the functions that have one of the names, or a word by which the workers are asked, and of the rest.

    Where it `is_whole`, those of all functions.

    They are called by their names alone; several with one name are taken together. Comments do not count, nor do lines
    for the log, but which packages a function's words are of does.
    """
    root = parsed(source)
    names, asked, packages = names_around(), words_around(), dict(imports(root))
    words: dict[str, list[str]] = {}
    for node in root.named_children:
        is_function = node.type in ("function_declaration", "method_declaration")
        logs = set(log_lines(node)) if is_function and packages.get("klog") == "k8s.io/klog/v2" else ()
        words.setdefault(_name(node), []).extend(tokens(node, logs))
        if is_function and is_whole:
            names |= {_name(node)}
    found = {
        name: [*said, *(packages[word] for word in sorted(packages.keys() & {*said}))]
        for name, said in words.items()
        if name in names or name == UNPARSED or (name and not asked.isdisjoint(said))
    }
    constraints = _CONSTRAINT.findall(source)
    if found and constraints:
        found[CONSTRAINT] = constraints
    rest = (word for name, said in words.items() if name not in found for word in said)
    return {name: _fingerprint(said) for name, said in found.items()} | {REST: _fingerprint(rest)}


_CONSTRAINT = re.compile(r"(?m)^(?://go:build|// ?\+build) .*$")


def _name(node: Node) -> str:
    """What a declaration is called where it may ask the workers; empty for others."""
    match node.type:
        case "function_declaration" | "method_declaration":
            return text(part_of(node, "name"))
        case "var_declaration":
            return f"var {next(word for word in tokens(node) if word not in ('var', '('))}"
        case "ERROR":
            return UNPARSED
    return ""


def _fingerprint(words: Iterable[str]) -> str:
    return hashlib.sha256("\x00".join(words).encode()).hexdigest()[:16]


# -- the callers of releases -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KnownCallers:
    """What is around the pod workers in a release whose callers the model has."""

    release: str
    version: str
    functions: Functions
    others: Mapping[str, str]
    """The fingerprints of the other files of their folders."""


@dataclass(frozen=True)
class NearestCallers:
    """What is around some pod workers, beside the release that it differs from the least."""

    known: KnownCallers
    functions: Functions
    """The paths begin in the folder of the pod workers."""

    @functools.cached_property
    def differences(self) -> tuple[tuple[str, str], ...]:
        """The functions that the release has otherwise, or that only one of both has: path and name."""
        return tuple(unlike(self.known.functions, self.functions))

    def has(self, path: str, source: str) -> bool:
        """Is all of a file known to be as in the release?"""
        if path in self.known.functions:
            return self.functions.get(path) == self.known.functions[path]
        return self.known.others.get(path) == _fingerprints(source, False)[REST]

    def rest_of(self, path: str) -> str | None:
        """The fingerprint of what else is in a file; None where it is as in the release."""
        rest = self.functions.get(path, {}).get(REST)
        return None if rest == self.known.functions.get(path, {}).get(REST) else rest


@functools.cache
def known_callers() -> tuple[KnownCallers, ...]:
    """All of them, the newest first."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        KnownCallers(release, one["version"], one["functions"], one["others"])
        for release, one in reversed(table.items())
    )


def nearest_callers(
    files: Mapping[str, str], but: Mapping[str, Mapping[str, str | None]] = MappingProxyType({})
) -> NearestCallers:
    """The release whose callers these differ from the least; the paths begin in the folder of the pod workers.

    `but` has the fingerprints of functions that do what another text does; None for what is a part of others.
    """
    functions = {path: {**known} for path, known in modelled(files).items()}
    for path, prints in but.items():
        for name, print_ in prints.items():
            functions.setdefault(path, {}).pop(name, None)
            functions[path].update({name: print_} if print_ is not None else {})
    return min((NearestCallers(one, functions) for one in known_callers()), key=lambda one: len(one.differences))


def record_callers(files: Mapping[str, str], release: str, version: str) -> int:
    """Note what is around the pod workers in a release that has the callers of a version: how many functions."""
    table = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    functions = modelled(files)
    folders = {PurePosixPath(path).parent for path in functions}
    others = [path for path in files if path not in functions and PurePosixPath(path).parent in folders]
    rests = {path: _fingerprints(files[path], False)[REST] for path in others}
    table[release] = {"version": version, "functions": functions, "others": rests}
    FILE.write_text(json.dumps(dict(sorted(table.items())), indent=1) + "\n", encoding="utf-8")
    return sum(len(names) - 1 for names in functions.values())
