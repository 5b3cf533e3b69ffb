"""Where podWorkerLoop waits: what its worker keeps meanwhile, and how it goes on."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.errors import MADE
from podproof.golang.statements import StatementTranslation
from podproof.golang.syntax import GoFunction, expressions, field, inside, statements, text, unwrapped
from podproof.golang.translation import WORKERS
from podproof.golang.values import Meaning, TranslatedLine, as_delay, snake
from podproof.golang.vocabulary import RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node

WAITS: dict[str, tuple[str, str]] = {
    "CACHE": ("get_newer_than", "error"),
    "SYNC_POD": ("sync_pod_returns", "outcome"),
    "SYNC_TERMINATING_POD": ("sync_terminating_pod_returns", "outcome"),
    "SYNC_TERMINATING_RUNTIME_POD": ("sync_terminating_runtime_pod_returns", "outcome"),
    "SYNC_TERMINATED_POD": ("sync_terminated_pod_returns", "outcome"),
    "ENQUEUE": ("complete_work_enqueue", ""),
    "COMPLETE": ("complete_work", ""),
}
"""Where the goroutine waits -> the step that goes on from there, and its parameter besides uid and generation."""
OUTCOMES = {
    "SyncPodOutcome": (
        ("OK", "False", "NO_ERROR"),
        ("TERMINAL", "True", "NO_ERROR"),
        ("ERROR", "False", "ERROR"),
        ("NETWORK_NOT_READY", "False", "NETWORK_NOT_READY"),
        ("CANCELED", "False", "CANCELED"),
    ),
    "SyncOutcome": (
        ("OK", "", "NO_ERROR"),
        ("ERROR", "", "ERROR"),
        ("NETWORK_NOT_READY", "", "NETWORK_NOT_READY"),
        ("CANCELED", "", "CANCELED"),
    ),
}
"""What a sync function returns: member, whether the pod is terminal, error. SyncPod never returns both. [A10]"""
UNMODELLED = (
    (
        {("False", "CANCELED"): [("False", "WRAPPED_CANCELED")], ("", "CANCELED"): [("", "WRAPPED_CANCELED")]},
        "what follows depends on whether the error is context.Canceled itself or wraps it, and which of the two a sync "
        "function returns is not in the model",
        "compare it with errors.Is(err, context.Canceled)",
    ),
    (
        {("False", error): [("True", error)] for error in ("ERROR", "NETWORK_NOT_READY", "CANCELED")},
        "what follows an error of SyncPod depends on whether the pod has ended as well, and the model's SyncPod never "
        "returns both [A10]",
        "look at the error first",
    ),
)
"""What a sync function may return instead of what the model has, and what to say where that makes a difference."""
OUTPUTS = {
    "context": ("context", "worker.context"),
    "update_type": ("update_type", "worker.update_type"),
    "mirror": ("mirror", "worker.mirror_pod"),
    "optional": ("optional", "worker.grace_period"),
    "request": ("request", "worker.pod_status_func"),
}
"""Hole of a sync call's pattern -> kind, and where the worker keeps what the call was given."""
ZERO_OUTPUTS = {
    "worker.update_type": "UpdateType.SYNC",
    "worker.mirror_pod": "0",
    "worker.grace_period": "NIL",
    "worker.pod_status_func": "NIL",
}
KEPT = {
    ("WorkType.SYNC", "update_type"): "worker.update_type",
    ("WorkType.SYNC", "mirror_pod"): "worker.mirror_pod",
}
"""What the worker keeps of an update while it waits for the cache, by its work type."""


LOCK = "LOCK"
"""Where the goroutine waits for podLock, with one critical section behind it: a position for each such place."""
MOST_WAITS = 10
"""The most waits in one way through an iteration; the kubelet's has four."""


class WaitTranslation(StatementTranslation):
    """Adds the places where the goroutine waits."""

    epoch = 0
    """How often the way that is followed has waited."""
    position = ""
    """Where it waited last."""
    resume: Callable[[list[Meaning], Node], None] | None = None
    """What follows the function that is followed in place, given its results; None in the loop itself."""

    @abstractmethod
    def begin_step(self, name: str, position: str) -> None:
        """See worker_loop.py."""

    @abstractmethod
    def end_step(self, name: str) -> None:
        """See worker_loop.py."""

    def call(self, node: Node) -> list[Meaning]:
        """What errors.Is and errors.As say of an error of a sync function, beside whether a context was cancelled."""
        function, arguments = text(field(node, "function")), expressions(field(node, "arguments"))
        error = self.peek(arguments[0]) if function in ("errors.Is", "errors.As") and len(arguments) == 2 else None
        if error is None or error.kind != "error" or not error.is_constant:
            return super().call(node)
        if function == "errors.As":
            target = self.expression(field(arguments[1], "operand")) if text(arguments[1]).startswith("&") else error
            if target.kind != "target":
                self.refuse(arguments[1], f"`{text(arguments[1])}` is no target of the model", "declare it with `var`")
            targets = map(text, inside(self.function.body, "unary_expression"))
            if sum(part == text(arguments[1]) for part in targets) > 1:
                self.refuse(
                    arguments[1], f"`{text(arguments[1])}` may be what was found before", "use another variable"
                )
        elif not self.is_sentinel(arguments[1]):
            self.refuse(arguments[1], f"what error `{text(arguments[1])}` is, if any, cannot be seen",
                        "ask for one of a package, or declare it as `var … = errors.New(…)`")  # fmt: skip
        if error.uid == MADE:
            self.refuse(
                node, f"`{text(arguments[0])}` is not what a sync function returned", "ask for that, or wrap it"
            )
        if error.text == "NO_ERROR":
            return [Meaning("False", "bool")]
        asked = text(arguments[1]) if function == "errors.Is" else target.text
        name = f"error_{function[-2:].lower()}_{snake(re.sub(r'[^0-9A-Za-z]+', '_', asked).strip('_'))}"
        asks = f"{function}(err, {asked})"
        if self.fields.either.setdefault(name, asks) != asks:
            self.refuse(node, f"`{asks}` and `{self.fields.either[name]}` have one name in the model", "rename one")
        self.fields.assumptions[f"what a sync function returns may or may not be what `{asked}` is, at any time"] = None
        return [Meaning(f"self.{name}[uid]", "bool")]

    def define_closure(self, node: Node) -> bool:
        """What a local function of the loop sets, or where it waits, is not followed."""
        if any(part.type == "func_literal" for part in expressions(field(node, "right"))):
            self.refuse(node, "a local function of podWorkerLoop is outside what is translated", "write it out")
        return False

    def known_work_type(self) -> str:
        return next((value.text for value in self.flow.bound.values() if value.kind == "work_type"), "")

    # -- waiting -------------------------------------------------------------------------------------------------
    def go_on_from(self, position: str, at: Node, go_on: Callable[[], None]) -> None:
        """A new step, in which of the iteration only what the worker keeps is there."""
        if self.epoch == MOST_WAITS:
            self.refuse(at, f"an iteration of podWorkerLoop waits more than {MOST_WAITS} times", "wait less often")
        out, depth, flow, needs, epoch = self.out, self.depth, self.flow.copy(), list(self.needs), self.epoch
        before, self.position = self.position, position
        self.epoch += 1
        self.flow.sections, self.flow.enqueued, self.flow.owned, self.flow.escaped = 0, False, set(), {}
        self.flow.set_times = {}
        self.begin_step(WAITS[position][0], position)
        go_on()
        self.end_step(WAITS[position][0])
        self.out, self.depth, self.flow, self.needs, self.epoch = out, depth, flow, needs, epoch
        self.position = before

    def keep(self, kept: dict[str, Meaning]) -> None:
        """Every local is lost but constants and what is kept, by its Go path."""
        scope = {}
        for name, value in self.flow.scope.items():
            scope[name] = self.after_wait(name, value, kept)
        self.flow.scope = scope

    def after_wait(self, path: str, value: Meaning, kept: dict[str, Meaning]) -> Meaning:
        if value.fields:
            return replace(value, fields={n: self.after_wait(f"{path}.{n}", v, kept) for n, v in value.fields.items()})
        if path in kept:
            return kept[path]
        if (
            value.is_constant
            or value.kind in ("workers", "since", "channel", "unknown", "logger", "parent", "post_sync", "stop")
            or value.text == "uid"
        ):
            return value
        if value.kind in RECORDS:
            return Meaning(f"kept:{path}", value.kind, path, value.uid, by_value=value.by_value)
        if value.kind == "context":
            return Meaning("_", "unknown", path)  # Its logger may still be asked for.
        return Meaning("the worker does not keep it while it waits", "lost")

    def wait(self, position: str, call: Node, go_on: Callable[[list[Meaning], Node], None]) -> None:
        if self.flow.lock != "free":
            self.refuse(call, "this waits while podLock is held", "release the lock before")
        for phrase, holes in self.vocabulary.match("waits", call):
            values = self.holes(phrase, holes)
            if values is not None:
                self.assume(holes, values)
                break
        else:
            self.refuse_misfit(call)
            self.refuse(
                call, f"`{text(call)}` is called with what the model does not know", f"it knows `{phrase.line}`"
            )
        self.check_status(holes, call)
        if position == "CACHE":
            self.wait_for_cache(values, call, go_on)
        else:
            self.wait_for_sync(position, values, call, go_on)

    def check_status(self, holes: dict[str, Node], call: Node) -> None:
        """A sync function is called with the status that was waited for, if any was."""
        for given in (node for name, node in holes.items() if name.startswith("any")):
            found = self.flow.scope.get(text(given), WORKERS)
            if found.kind != "unknown" or (self.position == "CACHE" and found.text != "newer"):
                self.refuse(
                    call, f"`{text(given)}` is not the status that was waited for", "pass what GetNewerThan gave"
                )

    def wait_for_cache(
        self, values: dict[str, Meaning], call: Node, go_on: Callable[[list[Meaning], Node], None]
    ) -> None:
        """podCache.GetNewerThan: what the sync function will be called with is kept meanwhile."""
        if values["uid"].uid != "uid":
            self.refuse(call, "the status of another pod is waited for", "ask for the worker's own")
        kept = self.save_iteration(call)
        self.emit("worker.position = Position.CACHE", call)
        self.emit("return", call)

        def next_step() -> None:
            self.keep(kept)
            self.emit("if error:", call)
            with self.indented():
                flow = self.flow.copy()
                go_on([Meaning("", "unknown"), Meaning("ERROR", "error")], call)
                self.flow = flow
            go_on([Meaning("newer", "unknown"), Meaning("NO_ERROR", "error")], call)

        self.go_on_from("CACHE", call, next_step)

    def save_iteration(self, call: Node) -> dict[str, Meaning]:
        """Write what the worker keeps of the update, and say where it is found afterwards."""
        struct = next(
            ((n, v) for n, v in self.flow.scope.items() if v.kind == "struct" and "WorkType" in v.fields), None
        )
        context = next(((n, v) for n, v in self.flow.scope.items() if v.kind == "context"), None)
        if struct is None:
            self.refuse(call, "the update is not there where the model keeps it", "name it before")
        name, update = struct
        work_type, options = update.fields["WorkType"], update.fields["Options"]
        if context is not None:
            self.emit(f"worker.context = {context[1].text}", call)
        self.emit(f"worker.work_type = {work_type.text}", call)
        self.emit(f"worker.revision = {options.text}.pod.revision", call)
        self.emit(f"if {work_type.text} == WorkType.SYNC:", call)
        with self.indented():
            self.emit(f"worker.update_type = {options.text}.update_type", call)
            self.emit(f"worker.mirror_pod = {options.text}.mirror_pod", call)
        kill = f"{options.text}.kill_pod_options"
        self.emit(f"if {work_type.text} == WorkType.TERMINATING and {kill}.present:", call)
        with self.indented():
            self.emit(f"worker.grace_period = {kill}.grace_period_seconds_override", call)
        kept = {f"{name}.WorkType": Meaning("worker.work_type", "work_type", f"{name}.WorkType")}
        if context is not None:
            for other, value in self.flow.scope.items():
                if value.kind == "context" and value.text == context[1].text:
                    kept[other] = Meaning("worker.context", "context", other)
        return kept

    def wait_for_sync(
        self, position: str, values: dict[str, Meaning], call: Node, go_on: Callable[[list[Meaning], Node], None]
    ) -> None:
        """A call of a sync function: what it is given is kept, and it returns some outcome."""
        outputs = dict(ZERO_OUTPUTS)
        if self.position in ("", "CACHE"):
            del outputs["worker.pod_status_func"]  # Nothing has set it yet.
        for hole, (_, place) in OUTPUTS.items():
            if hole in values:
                outputs[place] = values[hole].text
        if "parent" in values:
            outputs["worker.context"] = "Context.NONE"  # Nobody can cancel it.
        for place, value in outputs.items():
            if place != value:
                self.emit(f"{place} = {value}", call)
        if "pod" in values:
            if values["pod"].uid != "uid":
                self.refuse(call, "the sync function is called with another pod", "pass the update's")
            if not values["pod"].text.startswith("kept:"):
                self.emit(f"worker.revision = {values['pod'].text}.revision", call)
        self.emit("worker.work_type = WorkType.SYNC", call)
        self.emit(f"worker.position = Position.{position}", call)
        self.emit("return", call)

        def next_step() -> None:
            self.keep({})
            kind = "SyncPodOutcome" if position == "SYNC_POD" else "SyncOutcome"
            statement = call.parent.parent if call.parent is not None else None
            given = expressions(statement.child_by_field_name("left")) if statement is not None else []
            after = position == "SYNC_POD" and len(given) == 3  # What SyncPod does afterwards is a part of it.
            bodies: list[tuple[list[str], list[TranslatedLine]]] = []

            def after_outcome(terminal: str, error: str) -> list[TranslatedLine]:
                flow, out, self.out = self.flow.copy(), self.out, []
                results = [Meaning(terminal, "bool")] if terminal else []
                results += [Meaning("_", "post_sync")] * after
                self.depth += 1
                go_on([*results, Meaning(error, "error")], call)
                self.depth -= 1
                body, self.out, self.flow = self.out, out, flow
                return body

            for member, terminal, error in OUTCOMES[kind]:
                body = after_outcome(terminal, error)
                for others, why, instead in UNMODELLED:
                    for other in others.get((terminal, error), ()):
                        unlike = after_outcome(*other)
                        if [(x.depth, x.text) for x in unlike] != [(x.depth, x.text) for x in body]:
                            self.refuse(call, why, instead)
                same = next((b for b in bodies if [x.text for x in b[1]] == [x.text for x in body]), None)
                if same is None:
                    bodies.append(([member], body))
                else:
                    same[0].append(member)
            for members, body in bodies[:-1]:
                names = ", ".join(f"{kind}.{member}" for member in members)
                self.emit(f"if outcome {f'== {names}' if len(members) == 1 else f'in ({names})'}:", call)
                self.out += body
            self.out += [replace(line, depth=line.depth - 1) for line in bodies[-1][1]]

        self.go_on_from(position, call, next_step)

    def enqueue(self, call: Node, go_on: Callable[[list[Meaning], Node], None]) -> None:
        """workQueue.Enqueue, which has a lock of its own: a step of its own."""
        arguments = expressions(field(call, "arguments"))
        if len(arguments) != 2:
            self.refuse(call, f"`{text(call)}` is outside what is translated", "enqueue the worker's own UID, jittered")
        uid, delay = self.expression(arguments[0]), as_delay(self.expression(arguments[1]))
        if uid.uid != "uid" or delay.kind != "delay":
            self.refuse(call, f"`{text(call)}` is outside what is translated", "enqueue the worker's own UID, jittered")
        self.emit(f"self.begin_complete_work(uid, generation, {delay.text})", call)
        self.emit("return", call)

        def next_step() -> None:
            self.keep({})
            self.emit("self.enqueue(uid, worker.delay)", call)
            self.emit("worker.delay = Delay.NONE", call)
            self.flow.enqueued = True
            go_on([], call)

        self.go_on_from("ENQUEUE", call, next_step)

    def followed_argument(self, node: Node, calls: list[Node]) -> Node | None:
        """A function of the file that is followed for one argument of a call, and whose other arguments are locals."""
        if len(calls) != 2 or node.type != "expression_statement" or node.named_children[0] != calls[0]:
            return None
        others = [part for part in expressions(field(calls[0], "arguments")) if part != calls[1]]
        is_argument = calls[1].parent == field(calls[0], "arguments") and self.own(calls[1]) is not None
        return calls[1] if is_argument and all(part.type == "identifier" for part in others) else None

    def asked_first(self, node: Node) -> Node | None:
        """A function of the file that is followed in place, and that an `if` or a `switch` asks before all else."""
        first = node.child_by_field_name("initializer") or node.child_by_field_name("value")
        cases = [part for part in node.named_children if part.type == "expression_case"]
        asked = node.child_by_field_name("condition")
        if first is None and asked is None and cases:
            asked = expressions(field(cases[0], "value"))[0]
        while first is None and asked is not None and asked.type != "call_expression":
            asked = unwrapped(asked)
            asked = asked.child_by_field_name("operand" if asked.type == "unary_expression" else "left")
        if first is not None or asked is None or self.own(asked) is None:
            return None
        return asked if self.waits_at(asked) == "inline" else None

    def then_with(self, call: Node, node: Node, rest: list[Node]) -> Callable[[list[Meaning], Node], None]:
        """Translate the statement that a call is a part of, with what the call returned, and all that follows."""
        outer = self.resume

        def go_on(values: list[Meaning], _at: Node) -> None:
            inner, self.resume = self.resume, outer
            self.ready[call] = values
            self.run_all([node, *rest])
            del self.ready[call]
            self.resume = inner

        return go_on

    # -- a critical section after another -------------------------------------------------------------------------
    def begins_section(self, node: Node) -> bool:
        """Does this statement take podLock once more, so that others may come in before it?"""
        if not self.flow.sections or self.flow.enqueued or self.position in ("", "CACHE"):
            return False
        return any(map(self.takes_lock, self.evaluated_first(node)))

    def evaluated_first(self, node: Node) -> Iterator[Node]:
        """The calls of a statement that are made whatever it decides."""
        parts = [node]
        if node.type in ("if_statement", "expression_switch_statement"):
            parts = [
                part for name in ("initializer", "value", "condition") for part in node.children_by_field_name(name)
            ]
            cases = [part for part in node.named_children if part.type == "expression_case"]
            parts += [field(case, "value") for case in cases]
        for part in parts:
            yield from inside(part, "call_expression", into_functions=False)

    def takes_lock(self, call: Node) -> bool:
        if self.without_receiver(call) == "p.podLock.Lock()":
            return True
        own = self.own(call)
        stands_for = None if own is None else self.stands_for(own)
        if own is None or stands_for is None:
            return own is not None and not self.is_followed(own) and self.translate(own, call).locks
        called = {text(field(part, "function")).rpartition(".")[2] for part in inside(stands_for, "call_expression")}
        others = [other for other in self.file.functions.values() if other.name in called]
        return any(self.stands_for(other) is None and self.translate(other, call).locks for other in others)

    def wait_for_lock(self, node: Node, nodes: list[Node]) -> None:
        """End the step before a statement that takes podLock again: constants are left of the iteration."""
        for name, value in self.flow.scope.items():
            if value.kind == "bool" and not value.is_constant and value.text.isidentifier():
                self.either(name, value, node, nodes)
                return
        if self.epoch == MOST_WAITS:
            self.refuse(node, f"an iteration of podWorkerLoop waits more than {MOST_WAITS} times", "wait less often")
        self.emit("self.forget_iteration(uid, generation)", node)
        out, depth, flow, needs, epoch = self.out, self.depth, self.flow.copy(), list(self.needs), self.epoch
        before, self.position = self.position, LOCK
        self.epoch += 1
        self.flow.sections, self.flow.owned, self.flow.escaped = 0, set(), {}
        self.flow.forget_state(True)
        self.keep({})
        self.begin_step("", "")
        self.run_all(nodes)
        lines = tuple(self.out)
        self.out, self.depth, self.flow, self.needs, self.epoch = out, depth, flow, needs, epoch
        self.position = before
        self.emit(f"worker.position = {self.position_of(self.go_line(node), lines)}", node)
        self.emit("return", node)

    def either(self, name: str, value: Meaning, node: Node, nodes: list[Node]) -> None:
        """A local bool is known on both sides of it: the worker keeps it by where it stands."""
        self.emit(f"if {value.text}:", node)
        for holds in (True, False):
            before = self.flow.copy()
            self.flow.forget(name)
            self.flow.scope[name] = Meaning(str(holds), "bool", name)
            self.depth += holds
            self.wait_for_lock(node, nodes)
            self.depth -= holds
            self.flow = before

    @abstractmethod
    def position_of(self, line: int, lines: tuple[TranslatedLine, ...]) -> str:
        """See worker_loop.py."""

    @abstractmethod
    def waits_at(self, call: Node) -> str | None:
        """See worker_loop.py."""

    @abstractmethod
    def inline(self, call: Node, go_on: Callable[[list[Meaning], Node], None]) -> None:
        """See worker_loop.py."""

    @abstractmethod
    def run_all(self, nodes: list[Node]) -> None:
        """See worker_loop.py."""

    @abstractmethod
    def is_followed(self, function: GoFunction) -> bool:
        """See worker_loop.py."""

    # -- the grace period of the iteration -----------------------------------------------------------------------
    def kept_options(self, node: Node) -> str:
        """The name of the update's KillPodOptions, where an `if` after a wait decides whether they are nil."""
        initializer, condition = node.child_by_field_name("initializer"), field(node, "condition")
        is_test = condition.type == "binary_expression" and text(field(condition, "right")) == "nil"
        if not is_test or node.child_by_field_name("alternative") is not None:
            return ""
        name, read = text(field(condition, "left")), field(condition, "left")
        if initializer is not None:
            if initializer.type != "short_var_declaration":
                return ""
            read = expressions(field(initializer, "right"))[0]
            if [text(part) for part in expressions(field(initializer, "left"))] != [name]:
                return ""
        options = self.peek(read)
        is_kept = options is not None and options.kind == "kill" and options.text.startswith("kept:")
        return name if is_kept and self.known_work_type() == "WorkType.TERMINATING" else ""

    def kept_override(self, node: Node) -> bool:
        """`if opt := update.Options.KillPodOptions; opt != nil { grace = opt.Override }`, after a wait.

        The worker keeps the override of the update, or nil where it has no KillPodOptions.
        """
        body = statements(field(node, "consequence")) if node.type == "if_statement" else []
        name = self.kept_options(node) if len(body) == 1 else ""
        if not name or text(field(node, "condition")) != f"{name} != nil" or body[0].type != "assignment_statement":
            return False
        words = text(body[0]).split(" = ")
        place = self.flow.scope.get(words[0])
        is_it = words[1:] == [f"{name}.PodTerminationGracePeriodSecondsOverride"] and place is not None
        if not is_it or place is None or (place.kind, place.text) != ("optional", "NIL"):
            return False
        self.flow.scope[words[0]] = Meaning("worker.grace_period", "optional", words[0])
        return True

    def returns_override(self, node: Node, rest: list[Node]) -> bool:
        """`if opt := w.Options.KillPodOptions; opt != nil { return opt.Override }; return nil`, after a wait."""
        body = statements(field(node, "consequence")) if node.type == "if_statement" else []
        name = self.kept_options(node) if len(body) == len(rest) == 1 else ""
        said = [f"return {name}.PodTerminationGracePeriodSecondsOverride", "return nil"]
        found = list(map(text, (*body, *rest)))
        return bool(name) and found == (said if text(field(node, "condition")) == f"{name} != nil" else said[::-1])

    # -- records of the iteration --------------------------------------------------------------------------------
    def selector(self, node: Node) -> Meaning:
        """A field of what the worker keeps of the update, or of one that it does not keep."""
        found = super().selector(node)
        if not found.text.startswith("kept:"):
            return found
        place = KEPT.get((self.known_work_type(), found.text.split(".", 2)[-1]))
        if place is None and found.kind not in ("pod", *RECORDS):
            self.refuse(node, f"`{text(node)}` is not kept by the worker while it waits", "read it before the wait")
        return found if place is None else replace(found, text=place)
