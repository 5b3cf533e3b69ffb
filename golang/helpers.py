"""What the functions that the model has call or use in other files of the kubelet, and which of that a change touches.

Helpers, constants, variables, types and fields, in their own folder or in another one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from podproof.golang.other_files import imports, log_lines, parsed
from podproof.golang.syntax import expressions, inside, text, tokens
from podproof.golang.syntax import field as part_of

if TYPE_CHECKING:
    from tree_sitter import Node

Words = tuple[str, ...]


@dataclass(frozen=True)
class DeclaredName:
    """Something that a file declares."""

    label: str = field(compare=False)
    """A function's is its name alone."""
    names: frozenset[str]
    """It may be used where one of them is said."""
    owner: str = ""
    """The type of which it is a method or a field."""


@dataclass(frozen=True)
class Speaker:
    """A function and what it says."""

    name: str
    words: frozenset[str]
    of_packages: frozenset[tuple[str, str]]
    """The path of a package, and a name of it."""


@dataclass
class HelperSearch:
    """Goes from what is changed to who uses it, until that is a function that the model has."""

    changed: Mapping[str, tuple[str, str]]
    """The changed files by path, before and after."""
    beside: Callable[[str], Iterable[str]]
    """The texts of a folder."""
    importing: Callable[[str], Iterable[str]]
    """The folders that import a folder."""
    of_the_model: Callable[[str, Collection[str]], bool]
    """Has the model a function of this name that says these words?"""
    is_whole: Callable[[str], bool]
    """Has the model all functions of the file?"""
    ends: Collection[str]
    """Functions of which what they call decides nothing."""

    def __post_init__(self) -> None:
        self.speakers = functools.cache(self._speakers)
        self.modelled = functools.cache(self._modelled)
        self.importers = functools.cache(lambda folder: [one for one in self.importing(folder) if one != folder])

    def found(self) -> dict[str, dict[str, str]]:
        """By path what is not as before, and which function of the model uses it, itself or by others."""
        found: dict[str, dict[str, str]] = {}
        for folder in dict.fromkeys(map(_folder, self.changed)):
            for path, declaration in self.unlike(folder):
                if by := self.user(folder, declaration):
                    found.setdefault(path, {})[declaration.label] = by
        return found

    def unlike(self, folder: str) -> Iterator[tuple[str, DeclaredName]]:
        """What a folder does not declare as before, but for functions that the model has."""
        paths = [path for path in self.changed if _folder(path) == folder]
        known = {
            one.name
            for path in paths
            for one in (*_speakers_of(self.changed[path][0]), *_speakers_of(self.changed[path][1]))
            if self.is_whole(path) or self.of_the_model(one.name, one.words)
        }
        declared = [{path: _declared(path, self.changed[path][side]) for path in paths} for side in (0, 1)]
        before, after = (_all_of(side.values()) for side in declared)
        is_seen = set[DeclaredName]()
        for path in paths:
            first, second = (side[path] for side in declared)
            for one in dict.fromkeys((*second, *first)):
                is_moved = before.get(one) == after.get(one)
                if first.get(one) != second.get(one) and not is_moved and one.label not in known | {"_"}:
                    if one not in is_seen and ((one in before and one in after) or self.may_hide(folder, one)):
                        yield path, one
                    is_seen.add(one)

    def may_hide(self, folder: str, declaration: DeclaredName) -> bool:
        """May what only one side declares be called by who called another thing of that name before?"""
        if not declaration.owner:
            return declaration.label == "init()" or not declaration.names.isdisjoint(_PREDECLARED)
        roots = map(parsed, self._texts(folder))
        specs = (spec for root in roots for spec in inside(root, "type_spec", into_functions=False))
        return any(text(part_of(spec, "name")) == declaration.owner and _embeds(spec) for spec in specs)

    def user(self, folder: str, declaration: DeclaredName) -> str:
        """The first function of the model that uses it; empty where none does."""
        pending = [(folder, name, not declaration.owner) for name in sorted(declaration.names)]
        for place, name, is_of_package in pending:
            callers = [(place, one.name) for one in self.speakers(place) if name in one.words]
            if name[:1].isupper():
                for other in self.importers(place):
                    callers += [
                        (other, one.name)
                        for one in self.speakers(other)
                        if name in one.words and (not is_of_package or (place, name) in one.of_packages)
                    ]
            if by := sorted(caller for at, caller in callers if caller in self.modelled(at)):
                return by[0]
            new = [(at, caller, False) for at, caller in dict.fromkeys(callers) if caller not in self.ends]
            pending += [one for one in new if one not in pending]
        return ""

    def _texts(self, folder: str) -> list[str]:
        own = [source for path, both in self.changed.items() if _folder(path) == folder for source in both]
        return list(dict.fromkeys((*self.beside(folder), *own)))

    def _speakers(self, folder: str) -> list[Speaker]:
        return [one for source in self._texts(folder) for one in _speakers_of(source)]

    def _modelled(self, folder: str) -> frozenset[str]:
        names = (one.name for one in self.speakers(folder) if self.of_the_model(one.name, one.words))
        return frozenset(names).difference(self.ends)


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


@functools.lru_cache(maxsize=500)
def _speakers_of(source: str) -> tuple[Speaker, ...]:
    root, found = parsed(source), list[Speaker]()
    packages = dict(imports(root))
    for node in root.named_children:
        if node.type in ("function_declaration", "method_declaration"):
            said = list(tokens(node, _ignored(node, packages)))
            selected = (i for i, word in enumerate(said) if word == "." and said[i - 1] in packages)
            of_packages = frozenset((packages[said[i - 1]].removeprefix(_MODULE), said[i + 1]) for i in selected)
            found.append(Speaker(text(part_of(node, "name")), frozenset(said), of_packages))
    return tuple(found)


def _ignored(node: Node, packages: Mapping[str, str]) -> set[Node]:
    return set(log_lines(node)) if packages.get("klog") == "k8s.io/klog/v2" else set()


def _all_of(files: Iterable[Mapping[DeclaredName, list[Words]]]) -> dict[DeclaredName, list[Words]]:
    found: dict[DeclaredName, list[Words]] = {}
    for file in files:
        for declaration, words in file.items():
            found[declaration] = sorted([*found.get(declaration, []), *words])
    return found


def _declared(path: str, source: str) -> dict[DeclaredName, list[Words]]:
    """What a file declares, and in which words, with the packages that these are of and the systems that it is for."""
    root, found = parsed(source), dict[DeclaredName, list[Words]]()
    packages = dict(imports(root))
    systems = (*_CONSTRAINT.findall(source), *_SYSTEM.findall(path))
    for node in root.named_children:
        for declaration, said in _of_node(node, packages):
            of = (f"{word} {packages[word]}" for word in sorted(packages.keys() & {*said}))
            found.setdefault(declaration, []).append((*said, *of, *systems))
    return found


def _of_node(node: Node, packages: Mapping[str, str]) -> Iterator[tuple[DeclaredName, Words]]:
    match node.type:
        case "function_declaration" | "method_declaration":
            name, receiver = text(part_of(node, "name")), node.child_by_field_name("receiver")
            said = tuple(tokens(node, _ignored(node, packages)))
            if name == "init" and receiver is None:
                yield DeclaredName("init()", frozenset(_set_in(node))), said
            else:
                owner = "" if receiver is None else next(map(text, inside(receiver, "type_identifier")), "")
                yield DeclaredName(name, frozenset((name,)), owner), said
        case "const_declaration":
            given: Words = ()
            for number, spec in enumerate(inside(node, "const_spec")):
                value = spec.child_by_field_name("value")
                given = given if value is None else tuple(tokens(value))
                place = (str(number),) if value is None or "iota" in given else ()
                for name in map(text, spec.children_by_field_name("name")):
                    yield DeclaredName(f"const {name}", frozenset((name,))), ("const", *tokens(spec), *given, *place)
        case "var_declaration":
            for spec in inside(node, "var_spec", into_functions=False):
                for name in map(text, spec.children_by_field_name("name")):
                    yield DeclaredName(f"var {name}", frozenset((name,))), tuple(tokens(spec))
        case "type_declaration":
            for spec in node.named_children:
                if spec.type in ("type_spec", "type_alias"):
                    yield from _of_type(spec)


def _of_type(spec: Node) -> Iterator[tuple[DeclaredName, Words]]:
    """A struct by its fields; of an interface nothing, since what is called by it is another declaration."""
    name, type_ = text(part_of(spec, "name")), part_of(spec, "type")
    if type_.type == "struct_type":
        embedded = (one for one in _fields(spec) if not one.children_by_field_name("name"))
        yield DeclaredName(f"type {name}", frozenset((name,))), tuple(word for one in embedded for word in tokens(one))
        for one in _fields(spec):
            for own in map(text, one.children_by_field_name("name")):
                said = tuple(tokens(part_of(one, "type")))
                yield DeclaredName(f"field {name}.{own}", frozenset((own,)), name), said
    elif type_.type != "interface_type":
        yield DeclaredName(f"type {name}", frozenset((name,))), tuple(tokens(spec))


def _fields(spec: Node) -> list[Node]:
    lists = (child for child in part_of(spec, "type").named_children if child.type == "field_declaration_list")
    return [one for list_ in lists for one in list_.named_children if one.type == "field_declaration"]


def _embeds(spec: Node) -> bool:
    """Is a type a struct that has the methods and fields of another one?"""
    return any(not one.children_by_field_name("name") for one in _fields(spec))


def _set_in(function: Node) -> Iterator[str]:
    """The variables that a function may set, or what they point to."""
    for one in inside(function, "assignment_statement", "inc_statement", "dec_statement", "call_expression"):
        left = one.child_by_field_name("left")
        places = expressions(left) if left is not None else one.named_children
        yield from (text(node) for place in places for node in inside(place, "identifier"))


_MODULE = "k8s.io/kubernetes/"
_PREDECLARED = frozenset(
    ("append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min", "new", "panic", "recover", "any",
     "bool", "error", "int", "int32", "int64", "string", "true", "false", "nil", "iota")
)  # fmt: skip
_CONSTRAINT = re.compile(r"(?m)^(?://go:build|// ?\+build) .*$")
_SYSTEM = re.compile(r"_(?:linux|windows|darwin|freebsd|unsupported|others|unix)(?=[_.])")
