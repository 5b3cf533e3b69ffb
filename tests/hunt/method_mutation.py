"""Faulty kubelets without end: one place of a pod worker's method changed by rule, as a user's model file.

`tests.mutants` has faults that were thought of, and says which claim notices each. Nobody needs to notice these:
CPython and the engines only have to say the same of them.
"""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy

from podproof.model.pod_worker_loop import PodWorkerLoop
from podproof.model.pod_workers import PodWorkers
from podproof.queries.versions import VERSIONS

_OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class _Site:
    """Finds the places of a method that a rule could change, and changes one."""

    def __init__(self, scope: dict[str, object]) -> None:
        self.scope = scope

    def changes(self, node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
        """What can be done to one node, and how; the node is changed in place."""
        match node:
            case ast.If() | ast.IfExp():
                yield "negates a condition", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
                if isinstance(node, ast.IfExp) or node.orelse:
                    yield "exchanges branches", lambda: _exchange(node)
            case ast.Compare(ops=[op, *_]) if type(op) in _OPPOSITE:
                yield "compares otherwise", lambda: node.ops.__setitem__(0, _OPPOSITE[type(op)]())  # type: ignore[call-overload]
            case ast.BoolOp():
                yield "exchanges and and or", lambda: setattr(node, "op", _OPPOSITE[type(node.op)]())
                yield "drops an operand", lambda: node.values.pop() if len(node.values) > 2 else node.values.reverse()
            case ast.BinOp() | ast.AugAssign() if type(node.op) in _OPPOSITE:
                yield "exchanges plus and minus", lambda: setattr(node, "op", _OPPOSITE[type(node.op)]())
            case ast.Constant(value=bool() as value):
                yield "exchanges True and False", lambda: setattr(node, "value", not value)
            case ast.Constant(value=int() as value):
                yield "changes a number", lambda: setattr(node, "value", 1 if value == 0 else 0)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                kind = self.scope.get(name)
                if isinstance(kind, type) and issubclass(kind, enum.Enum):
                    names = list(kind.__members__)
                    other = names[(names.index(member) + 1) % len(names)]
                    yield "takes another member", lambda: setattr(node, "attr", other)
            case ast.UnaryOp(op=ast.Not()):
                yield (
                    "drops a not",
                    lambda: (
                        setattr(node, "op", ast.Not()) or setattr(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
                    ),
                )
        for block in ("body", "orelse"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                for i, statement in enumerate(statements):
                    if isinstance(statement, ast.Assign | ast.AugAssign | ast.If | ast.For) or (
                        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                    ):
                        yield "drops a statement", lambda s=statements, i=i: s.__setitem__(i, ast.Pass())  # type: ignore[misc]


def _exchange(node: ast.If | ast.IfExp) -> None:
    node.body, node.orelse = node.orelse, node.body  # type: ignore[assignment]


def methods(version: str) -> Iterator[tuple[str, Callable[..., object]]]:
    """The methods of a release that are the pod worker's, and call no method that they override."""
    cls = VERSIONS[version].cls
    for part in (PodWorkers, PodWorkerLoop):
        for name, thing in vars(part).items():
            found = getattr(cls, name)
            if inspect.isfunction(thing) and not name.startswith("__") and "super()" not in inspect.getsource(found):
                yield name, found


def mutants(version: str) -> Iterator[tuple[str, str]]:
    """Every fault of the rules: what it is, and the text of the model file."""
    for name, method in methods(version):
        scope = vars(sys.modules[method.__module__])
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(method))).body
        site = _Site(scope)
        for number, node in enumerate(ast.walk(tree)):
            for which, _ in enumerate(list(site.changes(node))):
                copied = deepcopy(tree)
                place = next(n for i, n in enumerate(ast.walk(copied)) if i == number)
                rule, change = list(site.changes(place))[which]
                line = getattr(place, "lineno", 0)
                change()
                yield f"{version} {name}:{line} {rule}", _file(version, copied, method, scope)


def _file(version: str, tree: ast.stmt, method: Callable[..., object], scope: dict[str, object]) -> str:
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | set(_annotated(method))
    needed = sorted(n for n in names if n in scope and not hasattr(builtins, n))
    body = textwrap.indent(ast.unparse(ast.fix_missing_locations(tree)), "    ")
    imports = f"from {method.__module__} import {', '.join(needed)}\n" if needed else ""
    base = VERSIONS[version].cls.__name__
    return (
        f"from __future__ import annotations\n{imports}from {VERSIONS[version].cls.__module__} import {base}\n\n\n"
        f"class Mutant({base}):\n{body}\n"
    )


def _annotated(method: Callable[..., object]) -> Iterator[str]:
    for text in method.__annotations__.values():
        if isinstance(text, str):
            yield from (n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name))
