"""A trace as a Python program that takes it again on the model: plain method calls, and what each of them changed."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.printer import visible
from podproof.checker.core.system import Lasso, Move, Property, State, System, Trace
from podproof.model.language import is_new_member
from podproof.reports.layout import wrap
from podproof.reports.wording import Wording

WIDTH = 116
PATH_PART = re.compile(r"([A-Za-z_]\w*)|\[(\d+)\]")


@dataclass(frozen=True)
class ModelSource:
    """Where the model comes from, in Python."""

    imports: Mapping[str, str]
    """Name -> the module that it is imported from."""
    subject: str
    """The expression for what is checked: a class, and the scenarios that it may be checked in."""
    command: str
    """The command line that writes this script."""


def python_script(system: System, claim: Property, trace: Trace, origin: ModelSource) -> str:
    """The whole script. It ends with an AssertionError where the model does something else than the trace.

    What cannot be seen stands in texts only, and there Python reads its code as it.
    """
    lines = "\n".join(_Script(system, claim, trace, origin).lines()).split("\n")
    return "\n".join(map(visible, lines)) + "\n"


class _Script:
    def __init__(self, system: System, claim: Property, trace: Trace, origin: ModelSource) -> None:
        self.system, self.claim, self.trace, self.origin = system, claim, trace, origin
        self.imports = dict(origin.imports)

    def lines(self) -> Iterator[str]:
        body = list(self._body())
        yield from self._head()
        yield ""
        if "copy.deepcopy" in "".join(body):
            yield "import copy"
        yield from (["from pathlib import Path"] if "Path" in self.imports else [])
        yield ""
        modules: dict[str, list[str]] = {}
        for name, module in self.imports.items():
            if name != "Path":
                modules.setdefault(module, []).append(name)
        lines = {module: f"from {module} import {', '.join(sorted(modules[module]))}" for module in sorted(modules)}
        # A proposal's own module is there once its file is read.
        yield from (line for module, line in lines.items() if module.startswith("podproof."))
        yield ""
        yield f"subject = {self.origin.subject}"
        yield from (line for module, line in lines.items() if not module.startswith("podproof."))
        yield f"scenario = subject.scenarios[{_quote(self.system.scenario)}]"
        yield "kubelet = scenario.initial(scenario.model_class(subject.cls))"
        yield from body

    def _head(self) -> Iterator[str]:
        """The docstring."""
        shows = "how it comes to that" if self.claim.kind == "sometimes" else "how it is broken"
        lines = [f"{self.claim.id}, and {shows}: {self.system.name}, step by step on the model.", ""]
        lines += wrap(self.claim.meaning, WIDTH)
        lines += wrap(f"Scenario {self.system.scenario}: {self.system.bounds}.", WIDTH)
        lines += ["", f"Written by: {self.origin.command}"]
        lines += ["Every step is a plain method call: run this under a debugger to step into it."]
        text = "\n".join(map(visible, lines)).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        yield f'"""{text}\n"""'

    def _body(self) -> Iterator[str]:
        before, lasso = self.trace.initial, self.trace.lasso
        told = Wording(self.system).walk(self.trace.initial, self.trace.steps)
        indent = ""
        if lasso is not None:
            yield from self._questions(lasso)
        for number, ((step, facts), move) in enumerate(zip(told, self.trace.moves, strict=True), 1):
            last = number == len(self.trace.steps)
            yield ""
            if lasso is not None and number == lasso.start + 1:
                yield from ("begin = copy.deepcopy(kubelet)", 'print("then, for ever; here three times:")')
                yield "for _ in range(3):"
                indent = "    "
            lines = [f"print({_quote(f'{number}  {step.event}')})", *self._call(move, last)]
            changes = wrap(", ".join(map(str, facts)) or "(no visible change)", WIDTH - 20)
            lines += (f"print({_quote(' ' * 5 + line)})" for line in changes)
            lines += self._assertions(before, step.state)
            if lasso is not None and number >= lasso.waiting:
                lines.append(f"assert {'is_waited_for()' if number == lasso.waiting else 'not is_fulfilled()'}")
            yield from (f"{indent}{line}" for line in lines)
            before = step.state
        yield ""
        if lasso is None:
            yield from self._verdict()
            return
        if indent:
            yield from (
                "assert kubelet == begin",
                'print("back to where the loop began, and never fulfilled meanwhile")',
            )
        yield from ("assert not is_fulfilled()", *(f"print({_quote(line)})" for line in lasso.blocked))

    def _questions(self, lasso: Lasso) -> Iterator[str]:
        """What is asked of the states from where it is waited for."""
        function = self.claim.function
        assert function is not None
        self.imports[function.__name__] = function.__module__
        given = ", ".join(["kubelet", *(f"{name}={self._value(value)}" for name, value in lasso.arguments.items())])
        both = self.claim.kind == "leads_to"
        for name, answer in (("is_waited_for", "premise and not goal"), ("is_fulfilled", "goal")):
            asked = f"premise, goal = {function.__name__}({given})"
            asked = asked if both else f"premise, goal = True, {function.__name__}({given})"
            yield from ("", "", f"def {name}():", f"    {asked}", f"    return {answer}")
        yield from ("", "assert is_waited_for()") if lasso.waiting == 0 else ()

    def _call(self, move: Move, last: bool) -> Iterator[str]:
        action = self.system.action[move[0]]
        arguments = ", ".join(f"{name}={self._value(v)}" for name, v in action.arguments(move[1]).items())
        call = f"kubelet.{action.name}({arguments})"
        if last and self.claim.kind == "step":
            yield "before = copy.deepcopy(kubelet)"
        if last and self.claim.kind == "never":
            self.imports["record_lines"] = "podproof.model.language"
            yield "with record_lines() as lines:"
            yield f"    {call}"
        else:
            yield call

    def _assertions(self, before: State, after: State) -> Iterator[str]:
        """That the model is in the trace's next state, as far as the step changed it."""
        tree = self.system.build(after)
        for variable, old, new in zip(self.system.variables, before, after, strict=True):
            if old != new:
                value = _at(tree, variable.path)
                text = self._value(value, nil=variable.labels.get(new) == "nil")
                yield f"assert kubelet.{variable.path} {'is' if isinstance(value, bool) else '=='} {text}"

    def _verdict(self) -> Iterator[str]:
        if self.claim.kind == "never":
            yield f"wanted = {_list(self.claim.lines)}"
            yield "reached = [line for line in lines if line in wanted]"
            yield f'print(f"{self.claim.id}: never to be reached, and reached: {{reached}}")'
            yield "assert reached"
            return
        function = self.claim.function
        if function is None:
            yield f'print("{self.claim.id}: taken to its end")'
            return
        self.imports[function.__name__] = function.__module__
        yield f"holds = {function.__name__}({', '.join(self._asked())})"
        yield f'print(f"{self.claim.id}: {{holds}}")'
        yield "assert holds" if self.claim.kind == "sometimes" else "assert not holds"

    def _asked(self) -> Iterator[str]:
        """What the claim's function is called with."""
        if self.claim.kind == "step":
            yield "before"
        if self.claim.takes_event:
            self.imports["Event"] = "podproof.model.language"
            name, values = self.trace.moves[-1]
            action = self.system.action[name]
            told = {"action": action.name, "actor": action.actor, **action.arguments(values)}
            yield f"Event({', '.join(f'{name}={self._value(value)}' for name, value in told.items())})"
        yield "kubelet"

    def _value(self, value: Any, nil: bool = False) -> str:
        """A value of the model in Python; the name it needs is imported."""
        if nil or repr(value) == "NIL":
            self.imports["NIL"] = "podproof.model.language"
            return "NIL"
        if isinstance(value, enum.Enum):
            if is_new_member(value):
                self.imports[value.name] = value.__module__
                return value.name
            self.imports[type(value).__name__] = type(value).__module__
            return f"{type(value).__name__}.{value.name}"
        return repr(value)


def _at(tree: Any, path: str) -> Any:
    """The object at a variable's path."""
    for part in PATH_PART.finditer(path):
        tree = getattr(tree, part[1]) if part[1] else tree[int(part[2])]
    return tree


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quote, texts))}]"
