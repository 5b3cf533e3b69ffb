"""Why the number of copies does not matter: the model asks of its pods whether some has a property, and counts none."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import textwrap
import typing
from collections.abc import Iterator

from podproof.model.kubelet import Kubelet
from podproof.model.language import Size
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.model.state import PodSyncStatus, WaitingPods

GROWING = ("uids", "full_names", "kill_requests")
"""The sizes that grow with the number of pods."""


@functools.cache
def growing_fields() -> dict[str, str]:
    """Field -> its size, for the arrays that have an element for each pod, full name or kill request."""
    found, pending = {}, [scenario_class()]
    while pending:
        for field, hint in typing.get_type_hints(pending.pop(), include_extras=True).items():
            for part in _below(hint):
                if isinstance(part, Size) and part.name in GROWING:
                    found[field] = part.name
                elif dataclasses.is_dataclass(part):
                    pending.append(typing.cast(type, part))
    return found


def _below(hint: object) -> Iterator[object]:
    yield hint
    for part in (*typing.get_args(hint), *getattr(hint, "__metadata__", ())):
        yield from _below(part)


def scenario_class() -> type[Kubelet]:
    return typing.cast(type[Kubelet], SCENARIOS["orphan"].model_class(V1_29))


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of the model that v1.29 and its kubelet have."""
    for cls in (*scenario_class().__mro__, PodSyncStatus, WaitingPods):
        for name, function in vars(cls).items():
            if inspect.isfunction(function) and not name.startswith("__"):
                (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
                assert isinstance(tree, ast.FunctionDef)
                yield name, tree


def counted(node: ast.AST) -> str:
    """The array in `len(array)` when it grows with the number of pods, else nothing."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        array = node.args[0]
        if isinstance(array, ast.Attribute) and array.attr in growing_fields():
            return array.attr
    return ""


def loops(function: ast.FunctionDef) -> Iterator[ast.For]:
    """The loops over pods, full names or kill requests."""
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and counted(node.iter.args[-1]):
            yield node


def does_one_thing_for_each(statement: ast.stmt, name: str) -> bool:
    """Is it about the element `name` alone, or does it ask or set something that is the same for whichever element?"""
    match statement:
        case ast.If():
            return all(does_one_thing_for_each(s, name) for s in (*statement.body, *statement.orelse))
        case ast.Return():
            return isinstance(statement.value, ast.Constant)
        case ast.Expr(value=ast.Call() as call):
            required = isinstance(call.func, ast.Name) and call.func.id == "require"
            return required or any(name in {n.id for n in ast.walk(a) if isinstance(n, ast.Name)} for a in call.args)
        case ast.Assign(targets=[ast.Name() as local]):
            # A name for the element: `status = self.pod_sync_statuses[uid]`.
            return local.id == "status" and _is_indexed_by(statement.value, name)
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            same = isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id != "self"
            return _is_indexed_by(target, name) or same
        case ast.For():
            return all(does_one_thing_for_each(s, name) for s in statement.body)
    return False


def _is_indexed_by(node: ast.AST, name: str) -> bool:
    indices = (n.slice for n in ast.walk(node) if isinstance(n, ast.Subscript))
    return any(isinstance(index, ast.Name) and index.id == name for index in indices)


def test_the_model_asks_of_its_pods_whether_some_has_a_property_or_does_the_same_to_each() -> None:
    others = {
        (name, ast.unparse(statement))
        for name, function in functions()
        for loop in loops(function)
        for statement in loop.body
        if not does_one_thing_for_each(statement, loop.target.id)  # type: ignore[attr-defined]
    }
    # The highest of the kill requests: a member's own have numbers in their order.
    assert others == {
        ("acknowledge_terminating", "if status.status_post_terminating[request]:\n    last = request"),
    }


def test_the_model_counts_nothing_but_kill_requests() -> None:
    found = set()
    for name, function in functions():
        over = {id(loop.iter.args[-1]) for loop in loops(function)}  # type: ignore[attr-defined]
        found |= {(name, counted(n)) for n in ast.walk(function) if counted(n) and id(n) not in over}
    assert found == {("next_kill_request", "completed_channels")}
