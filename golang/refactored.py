"""Which functions that were changed do the same as before: same calls, in the same order, on the same conditions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podproof.golang.behaviour import BehaviourTranslation
from podproof.golang.syntax import GoFunction, function_of, inside, signature, text, tokens
from podproof.golang.syntax import field as part_of
from podproof.golang.terms import Act, NotFollowed, TermNumbers

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass
class FileText:
    """A text of a file."""

    root: Node
    imports: Mapping[str, str]
    functions: dict[str, GoFunction] = field(default_factory=dict)
    """By name, methods as `type.name`; those that no other has."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """Name alone -> what is called so; of what cannot be followed the empty text."""

    def __post_init__(self) -> None:
        for node in self.root.named_children:
            if node.type not in ("function_declaration", "method_declaration"):
                continue
            found = function_of(node)
            name = text(part_of(node, "name"))
            key = "" if found is None else ".".join(filter(None, (found.receiver, found.name)))
            self.names.setdefault(name, []).append(key)
            if found is not None:
                self.functions[key] = found


class Refactoring:
    """A file before and after a change, and what the change leaves as it was."""

    def __init__(self, before: FileText, after: FileText, logs: Callable[[FileText, Node], Iterable[Node]]) -> None:
        self.texts, self.logs = (before, after), logs
        self.helpers = [self._own(0), self._own(1)]
        self.followed: list[set[Node]] = [set(), set()]
        """On either side the calls of helpers within what does the same."""
        self.reasons: dict[str, str] = {}
        """Why a function is not said to do the same."""

    def _own(self, side: int) -> Mapping[str, GoFunction]:
        """The functions of the package itself that only one side has."""
        others = self.texts[1 - side].names
        return {
            key: function
            for key, function in self.texts[side].functions.items()
            if function.name not in others and not function.name[0].isupper() and function.name not in ("init", "_")
        }

    def is_same(self, name: str) -> bool:
        """Do the functions of a name the same on both sides? If not, `reasons` says why."""
        keys = [sorted(one.names.get(name, ())) for one in self.texts]
        if keys[0] != keys[1] or not keys[0] or "" in keys[0] or len(set(keys[0])) != len(keys[0]):
            self.reasons[name] = "it is not on both sides, or takes any number of arguments"
            return False
        for key in keys[0]:
            terms = TermNumbers()
            sides = [
                BehaviourTranslation(terms, one.imports, helpers, functools.partial(self.logs, one))
                for one, helpers in zip(self.texts, self.helpers, strict=True)
            ]
            functions = [one.functions[key] for one in self.texts]
            if package := self._with_two_meanings(functions):
                self.reasons[name] = f"`{package}` is another package there than before"
                return False
            if signature(functions[0]) != signature(functions[1]):
                self.reasons[name] = "its parameters or results are others"
                return False
            try:  # The second before the first, so that what is told is a line of it.
                second, first = (sides[i].function(functions[i]) for i in (1, 0))
            except NotFollowed as refusal:
                self.reasons[name] = f"line {refusal.line}: {refusal}"
                return False
            except RecursionError:
                self.reasons[name] = "it is nested too deep to be followed"
                return False
            if first != second:
                line = _differs_at(first, second)
                where = f"from line {line} on " * bool(line)
                self.reasons[name] = f"{where}it may do something else than before"
                return False
            for own, side in zip(self.followed, sides, strict=True):
                own |= side.followed
        return True

    def _with_two_meanings(self, functions: Sequence[GoFunction]) -> str:
        """A name of a package that both texts import from elsewhere, and that a function or its helpers may say."""
        first, second = (one.imports for one in self.texts)
        others = {name for name in first.keys() & second.keys() if first[name] != second[name]}
        helpers = (helper for side in self.helpers for helper in side.values())
        said = {word for one in (*functions, *helpers) for word in tokens(one.node)} if others else set[str]()
        return min(others & said, default="")

    def is_only_followed(self, name: str, roots: Sequence[Sequence[Node]]) -> bool:
        """Has only one side the function, and is it part there of functions that do the same, and of nothing else?

        `roots` are all files of either side that were changed.
        """
        side = next((i for i in (0, 1) if name in {function.name for function in self.helpers[i].values()}), None)
        if side is None or len(self.texts[side].names[name]) != 1:
            return False
        (key,) = self.texts[side].names[name]
        helper = self.helpers[side][key]
        declared, kind = part_of(helper.node, "name"), "field_identifier" if helper.receiver else "identifier"
        uses = [node for root in roots[side] for node in inside(root, kind) if text(node) == name]
        calls = {node for call in self.followed[side] for node in _called(call)}
        return all(node == declared or node in calls for node in uses)


def _called(call: Node) -> Iterator[Node]:
    """The name in a call of a function or a method."""
    called = call.child_by_field_name("function")
    if called is not None:
        yield called if called.type == "identifier" else called.child_by_field_name("field") or called


def _differs_at(first: Sequence[Act], second: Sequence[Act]) -> int:
    """The line of the second where it is not as the first any longer; 0 where it only ends."""
    for one, other in zip(first, second, strict=False):
        if one == other:
            continue
        if one.made_of != other.made_of or len(one.within) != len(other.within):
            return other.line
        parts = zip(one.within, other.within, strict=True)
        return next(_differs_at(a, b) or other.line for a, b in parts if a != b)
    return second[len(first)].line if len(second) > len(first) else 0
