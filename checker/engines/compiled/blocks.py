"""The text of a function in LLVM's language, a block at a time, with what is known at each place of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NoReturn

from podproof.checker.engines.compiled.routine import Routine


@dataclass
class Blocks:
    """Instructions and labels; local variables are places on the stack, which LLVM turns into registers."""

    routine: Routine
    _lines: list[str] = field(default_factory=list)
    _count: int = 0
    _here: str = "entry"
    _is_reached: bool = True
    _assigned: frozenset[str] = frozenset()
    """The variables that have a value at this place, whatever way leads to it."""
    _assigned_at: dict[str, frozenset[str]] = field(default_factory=dict)
    """The same for the labels that something leads to."""

    def _say(self, text: str) -> None:
        self._lines.append("  " + text)

    def _let(self, text: str) -> str:
        self._count += 1
        self._say(f"%t{self._count} = {text}")
        return f"%t{self._count}"

    def _end(self, text: str, *labels: str) -> None:
        """The last instruction of a block, unless there was one, and where it leads."""
        if self._is_reached:
            self._say(text)
            for label in labels:
                self._assigned_at[label] = self._assigned & self._assigned_at.get(label, self._assigned)
        self._is_reached = False

    def _go(self, label: str) -> None:
        self._end(f"br label %{label}", label)

    def _fork(self, test: str, then: str, other: str) -> None:
        self._end(f"br i1 {test}, label %{then}, label %{other}", then, other)

    def _labels(self, *names: str) -> list[str]:
        self._count += 1
        return [f"{name}{self._count}" for name in names]

    def _label(self, label: str) -> None:
        """Begin a block. Whatever leads to it was written before, except for the ways back to where a loop begins."""
        self._lines.append(f"{label}:")
        self._here, self._is_reached = label, label in self._assigned_at
        if self._is_reached:
            self._assigned = self._assigned_at[label]
        else:
            self._say("unreachable")

    def _refuse(self, node: ast.AST, why: str = "this is not understood") -> NoReturn:
        where = f"{self.routine.function.__module__}.{self.routine.name}, line {getattr(node, 'lineno', '?')}"
        raise NotImplementedError(f"{where}: {why}: {ast.unparse(node).splitlines()[0]}")


def llvm_type(type_: str) -> str:
    return {"bool": "i1", "None": "void"}.get(type_, "i64")
