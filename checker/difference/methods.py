"""The methods of two model classes whose text differs, and which actions may call them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from typing import Any

from podproof.checker.core.system import System
from podproof.checker.difference.result import MethodChange
from podproof.checker.lowering.source import Source, source_of


def method_changes(a: System, b: System) -> tuple[MethodChange, ...]:
    """The methods that an action of either system may call and whose text differs, in the order of their names."""
    classes = _Class(a), _Class(b)
    names = sorted({name for cls in classes for called in cls.called.values() for name in called})
    return tuple(change for name in names if (change := _change(name, classes)) is not None)


def _change(name: str, classes: tuple[_Class, _Class]) -> MethodChange | None:
    chains = tuple(cls.chain(name) for cls in classes)
    if [s.function for s in chains[0]] == [s.function for s in chains[1]]:
        return None
    plain = [[_plain(source.tree, rename=False) for source in chain] for chain in chains]
    if plain[0] == plain[1]:
        return None
    renamed = [[_plain(source.tree, rename=True) for source in chain] for chain in chains]
    actions = dict.fromkeys(
        action for cls in classes for action, called in cls.called.items() if name in called and name != action
    )
    own = [name] if any(name in cls.called for cls in classes) else []
    first, second = (chain[0].line(chain[0].tree) if chain else None for chain in chains)
    before, after = ("\n".join(map(_text, chain)) for chain in chains)
    return MethodChange(name, (first, second), (before, after), renamed[0] == renamed[1], (*own, *actions))


def _text(source: Source) -> str:
    return textwrap.dedent(inspect.getsource(source.function)).rstrip("\n") + "\n"


class _Class:
    """A model class as the lowering sees it."""

    def __init__(self, system: System) -> None:
        self.cls = system.shape.cls
        self._calls: dict[str, frozenset[str]] = {}
        self.called: Mapping[str, frozenset[str]] = {action.name: self._reach(action.name) for action in system.actions}
        """For each action the methods that it may call, itself included."""

    def chain(self, name: str) -> tuple[Source, ...]:
        """The method, and those of the same name that it reaches by `super()`; empty where the class has none."""
        found = []
        for cls in self.cls.__mro__:
            if name in vars(cls):
                function = vars(cls)[name]
                if not inspect.isfunction(function):
                    break
                found.append(source_of(function))
                if not any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(found[-1].tree)):
                    break
        return tuple(found)

    def _reach(self, name: str) -> frozenset[str]:
        reached, pending = set(), [name]
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending += self._named_in(name)
        return frozenset(reached)

    def _named_in(self, name: str) -> frozenset[str]:
        """The methods of the class that a method's text names."""
        if name not in self._calls:
            names = (
                node.attr
                for source in self.chain(name)
                for node in ast.walk(source.tree)
                if isinstance(node, ast.Attribute)
            )
            self._calls[name] = frozenset(n for n in names if inspect.isfunction(getattr(self.cls, n, None)))
        return self._calls[name]


def _plain(tree: ast.FunctionDef, rename: bool) -> str:
    """The function's text without docstrings, comments and layout; with `rename`, with names of its own for locals."""
    (tree,) = (node for node in ast.parse(ast.unparse(tree)).body if isinstance(node, ast.FunctionDef))
    body = tree.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        tree.body = body[1:] or [ast.Pass()]
    if rename:
        _Renaming(tree).visit(tree)
    return ast.dump(tree)


class _Renaming(ast.NodeTransformer):
    """Numbers the locals in the order in which they are first set. Parameters keep their names: callers use them."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        stored = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        kept = {argument.arg for argument in tree.args.args}
        names = dict.fromkeys(n.id for n in stored if n.id not in kept)
        self.names = {name: f"local {i}" for i, name in enumerate(names)}

    def visit_Name(self, node: ast.Name) -> Any:
        node.id = self.names.get(node.id, node.id)
        return node
