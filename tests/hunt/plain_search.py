"""The oracle: a breadth-first search over copies of the plain Python objects. It shares nothing with the checker.

It knows of a model what the language says: which methods are actions, which values their parameters take, what ends a
step. Everything else is CPython.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import itertools
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tests.hunt.answers import Answer

from podproof.model.language import NIL, Disabled, OutOfBounds, record_lines

MOST_STATES = 1_200


class Endless(Exception):
    """The program has too many states, or choices, to be compared."""


def _key(thing: Any) -> Any:
    """What tells states apart: all that objects hold, also in attributes that nobody declared."""
    if isinstance(thing, enum.Enum):
        return str(thing)
    if isinstance(thing, (list, tuple)):
        return tuple(map(_key, thing))
    if hasattr(thing, "__dict__"):
        return tuple((name, _key(value)) for name, value in sorted(vars(thing).items()))
    return thing


class PlainSearch:
    """One program, searched level by level."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.model = module, module.Model
        self.moves = list(self._moves())
        self.hints: dict[type, Any] = {}
        self.bounds: dict[str, int] = {}
        self.taken = {name: 0 for name, _ in self.moves}
        self.found: dict[str, int] = {}
        """Claim -> the length of a shortest trace that decides it."""
        self.unclear: set[str] = set()

    def _values(self, annotation: Any) -> list[Any]:
        base = typing.get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation
        if base is bool:
            return [False, True]
        if isinstance(base, type) and issubclass(base, enum.Enum):
            return list(base)
        (domain,) = (item for item in annotation.__metadata__ if type(item).__name__ == "Domain")
        return list(self.module.DOMAINS[domain.name].values)

    def _moves(self) -> Iterator[tuple[str, dict[str, Any]]]:
        names: dict[str, None] = {}
        for cls in reversed(self.model.__mro__):
            names.update((n, None) for n, f in vars(cls).items() if hasattr(f, "__action__"))
        for name in names:
            method = getattr(self.model, name)
            hints = typing.get_type_hints(method, include_extras=True)
            parameters = [p for p in hints if p != "return"]
            for values in itertools.product(*(self._values(hints[p]) for p in parameters)):
                yield name, dict(zip(parameters, values, strict=True))

    def _in_range(self, thing: Any, annotation: Any) -> bool:
        """Are the numbers in what was declared for them?"""
        if isinstance(thing, list):
            element = typing.get_args(typing.get_args(annotation)[0])[0]
            return all(self._in_range(list.__getitem__(thing, i), element) for i in range(len(thing)))
        if dataclasses.is_dataclass(thing):
            cls = type(thing)
            if cls not in self.hints:
                self.hints[cls] = typing.get_type_hints(cls, include_extras=True)
            fields = dataclasses.fields(cls)
            return all(self._in_range(getattr(thing, f.name), self.hints[cls][f.name]) for f in fields)
        for item in getattr(annotation, "__metadata__", ()):
            if type(item).__name__ == "Domain":
                values = self.module.DOMAINS[item.name].values
                numbers = [value for value in values if value is not NIL]
                return NIL in values if thing is NIL else bool(numbers and min(numbers) <= thing <= max(numbers))
        return True

    def _says(self, function: Any, *trees: Any) -> bool:
        """A claim that cannot be evaluated does not hold."""
        try:
            return bool(function(*trees))
        except (IndexError, AssertionError):
            return False

    def _look(self, tree: Any, depth: int) -> None:
        for name, kind, function, _lines, _action in self.module.CLAIMS:
            if kind in ("always", "sometimes") and name not in self.found:
                if self._says(function, tree) == (kind == "sometimes"):
                    self.found[name] = depth

    def _look_at_step(self, before: Any, after: Any, move: str, said: set[str], depth: int) -> None:
        for name, kind, function, lines, action in self.module.CLAIMS:
            if name in self.found or action not in ("", move):
                continue
            if (kind == "never" and said & set(lines)) or (kind == "step" and not self._says(function, before, after)):
                self.found[name] = depth

    def search(self) -> Answer:
        """Raises Endless."""
        if len(self.moves) > 200:
            raise Endless
        trees = self.module.initial_states()
        seen: set[Any] = set()
        frontier = []
        for tree in trees:
            if (key := _key(tree)) not in seen:
                seen.add(key)
                frontier.append(tree)
                self._look(tree, 0)
        depth = transitions = 0
        while frontier:
            following = []
            for tree in frontier:
                for name, values in self.moves:
                    after = copy.deepcopy(tree)
                    with record_lines() as said:
                        try:
                            getattr(after, name)(**values)
                        except Disabled:
                            continue
                        except OutOfBounds as bound:
                            self.bounds[str(bound)] = self.bounds.get(str(bound), 0) + 1
                            continue
                        except (IndexError, AssertionError):
                            return Answer("fault", depth=depth)
                    if not self._in_range(after, type(after)):
                        return Answer("fault", depth=depth)
                    transitions += 1
                    self.taken[name] += 1
                    self._look_at_step(tree, after, name, set(said), depth + 1)
                    if (key := _key(after)) not in seen:
                        seen.add(key)
                        following.append(after)
                        self._look(after, depth + 1)
                        if len(seen) > MOST_STATES:
                            raise Endless
            depth += bool(following)
            frontier = following
        verdicts = {}
        for name, kind, *_ in self.module.CLAIMS:
            is_good = (name in self.found) == (kind == "sometimes")
            verdicts[name] = ("holds" if is_good else "violated", self.found.get(name))
        return Answer("explored", "", len(seen), transitions, depth, verdicts, self.bounds, self.taken)
