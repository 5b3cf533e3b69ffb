"""Each line of the log hangs on the method of the model, and by its name in Go on the step, that writes it."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import FunctionType

import pytest
from tests.recorded_traces import TRACES
from tests.test_log_lines import SINCE_1_22 as NAMES
from tests.test_log_lines import log_of

from podproof.kubelet import log_lines
from podproof.kubelet.log_lines import MESSAGES, WritesLines, with_lines
from podproof.model.notes import go, names_of
from podproof.model.versions import SINCE_1_22
from podproof.queries.log_models import MODELLED

UNSEEN = {
    "Pod worker no longer has status, worker should exit",
    "Requeueing pod due to pending update",
    "Requeuing pod due to pending update",
}
"""Messages that no trace of ours has: only a UID with two goroutines writes them. Other tests say when."""
WRITES = {"write", "write_caller"}
"""What writes any line."""


def forms() -> Iterator[tuple[str, type, type]]:
    """Each modelled version, its model, and the class of the table that is put in front of it."""
    for name in MODELLED:
        version = SINCE_1_22[name].cls
        yield name, version, with_lines(version).__mro__[1]


def methods_of(form: type) -> dict[str, FunctionType]:
    """Those that the table has for a form."""
    found = {name: getattr(form, name, None) for name in dir(form) if not name.startswith("__")}
    return {
        name: method
        for name, method in found.items()
        if isinstance(method, FunctionType) and method.__module__ == log_lines.__name__
    }


def misplaced(version: type, form: type) -> list[str]:
    """Methods of the table that no step of the version comes to, and those that do not do what the model does, too."""
    methods = methods_of(form)
    hung = {name for name in methods if callable(getattr(version, name, None))}
    reached, todo = set(hung), list(hung)
    while todo:
        for name in called_by(methods[todo.pop()]) & methods.keys() - reached:
            reached.add(name)
            todo.append(name)
    lost = sorted(methods.keys() - reached - WRITES)
    return lost + sorted(name for name in hung if not passes_on(form, name))


def called_by(method: FunctionType) -> set[str]:
    return {str(each.argval) for each in dis.get_instructions(method) if each.opname in ("LOAD_ATTR", "LOAD_METHOD")}


def passes_on(form: type, name: str) -> bool:
    """Does each override of the table also do what the model does?"""
    parts = (part for part in form.__mro__ if part.__module__ == log_lines.__name__)
    overrides = [vars(part)[name] for part in parts if name in vars(part)]
    return all("super" in each.__code__.co_names or "__class__" in each.__code__.co_freevars for each in overrides)


def unnamed(version: type, form: type) -> list[str]:
    """Methods whose name in Go is neither that of the model's method which they override nor of one that calls it."""
    wrong = []
    for name, method in methods_of(form).items():
        own, theirs = go_names(method), names_in_model(version, name)
        if own and theirs and own.isdisjoint(theirs):
            wrong.append(name)
    return wrong


def names_in_model(version: type, name: str) -> set[str]:
    """In Go, of a method of the model and of those that call it."""
    methods = [
        (each, method)
        for part in version.__mro__
        for each, method in vars(part).items()
        if isinstance(method, FunctionType)
    ]
    return {
        found for each, method in methods if each == name or name in called_by(method) for found in go_names(method)
    }


def go_names(method: FunctionType) -> set[str]:
    return {each.name for each in names_of(method)}


@pytest.mark.parametrize(("name", "version", "form"), list(forms()))
def test_each_line_hangs_on_a_method_of_the_model(name: str, version: type, form: type) -> None:
    assert not misplaced(version, form) and not unnamed(version, form), name


def test_a_line_on_a_method_that_the_model_does_not_have_is_noticed() -> None:
    class Wrong(WritesLines):
        def complete_everything(self, uid: int) -> None:
            self.write(uid, "Pod is enchanted")

        def complete_sync(self, uid: int) -> None:
            self.write(uid, "Pod is enchanted")

        @go("SyncKnownPods")
        def acknowledge_terminating(self, uid: int) -> int:
            return super().acknowledge_terminating(uid)

    for each in (Wrong, Wrong.complete_everything, Wrong.complete_sync, Wrong.acknowledge_terminating):
        each.__module__ = log_lines.__name__
    version = SINCE_1_22["v1.29"].cls
    assert misplaced(version, Wrong) == ["complete_everything", "complete_sync"]
    assert unnamed(version, Wrong) == ["acknowledge_terminating"]


# -- recordings --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_which_lines_no_trace_of_ours_has() -> None:
    """Beside those that a programmer's error would write."""
    logs = [log_of(TRACES[name]) for name in NAMES]
    seen = {line.message for log in logs for step in log.values() for lines in step.values() for line in lines}
    assert seen <= MESSAGES
    assert {message for message in MESSAGES - seen if "programmer error" not in message} == UNSEEN
