"""What a translated handler calls on its ways, and where on them it asks for the admission of a pod."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from podproof.golang.values import TranslatedLine

ASK = "admits"
"""The method of the allocation manager's answer."""
CALLS = ("update_pod", "delete_pod")
"""The methods that call UpdatePod."""
_TOLD_OF_POD = "self.pod_manager[uid] = True"


def most_calls(body: Sequence[ast.stmt], methods: Collection[str]) -> int:
    """How often these methods are called at most on one way through these statements."""
    most = 0
    for statement in body:
        if isinstance(statement, ast.If):
            most += max(most_calls(statement.body, methods), most_calls(statement.orelse, methods))
        elif isinstance(statement, ast.ClassDef | ast.FunctionDef):
            most += most_calls(statement.body, methods)
        else:
            most += sum(name in methods for name in _attributes(statement))
    return most


def _attributes(statement: ast.stmt) -> Iterator[str]:
    return (node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute))


def asks_at_first(body: Sequence[ast.stmt]) -> bool:
    """Has nothing been done on any way where the admission handlers are asked, but to tell the pod manager?"""
    try:
        _done(body, False)
    except ValueError:
        return False
    return True


def _done(body: Sequence[ast.stmt], done: bool) -> bool:
    """May something have been done after these statements? Raises ValueError where it was before the handlers' turn."""
    for statement in body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            done = _done(statement.body, done)
        elif isinstance(statement, ast.If):
            done = any([_done(statement.body, done), _done(statement.orelse, done)])
        elif ASK in _attributes(statement):
            if done:
                raise ValueError(ast.unparse(statement))
        elif not _does_nothing(ast.unparse(statement)):
            done = True
    return done


def _does_nothing(line: str) -> bool:
    """Does a line of a translation do nothing that a later one reads, but keep a value and tell the pod manager?"""
    if line in ("pass", "return", _TOLD_OF_POD) or line.startswith("assert "):
        return True
    return re.match(r"\w+ = ", line) is not None and not any(f"self.{name}(" in line for name in (*CALLS, ASK))


def whether_asked(lines: Sequence[TranslatedLine]) -> Iterator[TranslatedLine]:
    """The same that says whether the admission handlers are asked, and does nothing."""
    over = math.inf
    for line in lines:
        if line.depth < over:
            over = math.inf
        if line.depth >= over:
            continue
        if f"self.{ASK}(" in line.text or line.text == "return":
            over = line.depth
            yield replace(line, text=f"return {line.text != 'return'}")
        elif line.text.endswith(":") or (_does_nothing(line.text) and not line.text.startswith("assert ")):
            yield replace(line, text="pass") if line.text == _TOLD_OF_POD else line
        else:
            yield replace(line, text="pass")
    yield TranslatedLine(1, "return False", lines[-1].go)
