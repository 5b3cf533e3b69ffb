"""A Go file as a class of the model: every function translated, or none."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from podproof.checker.core.system import CheckerError, ModelError
from podproof.golang.advice import SAY_IT
from podproof.golang.compiler import free_names
from podproof.golang.fields import NO_PODS, Fields
from podproof.golang.fingerprints import FINGERPRINTS
from podproof.golang.killer import check_killer
from podproof.golang.releases import recognized
from podproof.golang.start import check_start
from podproof.golang.statements import StatementTranslation
from podproof.golang.syntax import GoFile, GoFunction, GoRefusal, inside, read, shorthand, text
from podproof.golang.translated import class_of
from podproof.golang.values import Translated, TranslatedLine
from podproof.golang.vocabulary import RECORD_TYPES, Vocabulary, gates_of, worker_vocabulary
from podproof.golang.worker_loop import LoopStep, WorkerLoopTranslation
from podproof.model.goroutines import Goroutines
from podproof.model.language import is_new_member
from podproof.model.releases import V1_29
from podproof.model.releases import __all__ as RELEASES

if TYPE_CHECKING:
    from tree_sitter import Node

OLDER = "podWorkers.managePodLoop"
"""The goroutine of kubelet before 1.27. Its channel carries the work."""
UNCALLED = "nobody calls it from what is translated"
NEEDED = ("UpdatePod", "SyncKnownPods", "podWorkerLoop")
"""Methods of podWorkers without which there is no worker."""
WORK_TYPES = {("SyncPod", "SyncPodWork"): 0, ("TerminatingPod", "TerminatingPodWork"): 1,
              ("TerminatedPod", "TerminatedPodWork"): 2}  # fmt: skip
"""What the constants of the work types are, on whose order the zero value depends."""
PRIMITIVES = {"podWorkers.cleanupPodUpdates": ("cleanup_pod_updates", ("uid",))}
"""Functions of which the model has its own; their text has a fingerprint."""
STOOD_FOR = ("isPodStatusCacheTerminal", "podUIDAndRefForUpdate", "killPodNow")
"""Functions that the vocabulary or the environment stands for; their text has a fingerprint."""
ASSUMED = (
    "whoever calls UpdatePod makes its KillPodOptions for that call, and keeps no pointer into them",
    "nobody writes to a *v1.Pod that the workers were given",
    "of PodWorkerSync the kubelet around reads State and Orphan; HasConfig and Static are not compared",
    "lastSyncTime and delays only say when something happens, which the model leaves open [A5, A20]",
    "what is ignored does nothing, nor do its arguments",
    "how long killPodNow waits, and what it returns, nobody in the model asks",
    "the departures A1 to A13 of the model, which model/ABSTRACTIONS.md numbers",
)
"""What a translation rests on that is not checked."""
GIVEN = "the pods that functions are given by what is left out are not nil"
_ANNOTATIONS = {
    "uid": "int", "update": "UpdatePodOptions", "kill": "KillPodOptions", "status": "PodSyncStatus", "pod": "Pod",
    "int": "int", "full_name": "int", "name": "int", "namespace": "int", "optional": "int", "request": "int",
    "channel": "int", "running": "bool", "mirror": "int", "context": "Context", "tick": "int", "failure": "bool",
    "delay": "Delay",
}  # fmt: skip
_HEADER = '''"""Translated from {name}, sha256 {digest}."""
from __future__ import annotations
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated
from podproof.golang.words import OptionalBool, contains, last
from podproof.model import state
from podproof.model.language import NIL, Array, Size, action, clear, copy, programmer_error, require
from podproof.model.notes import WORKER
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from {module} import {base}
from podproof.model.state import Cached, Context, Delay, KillPodOptions, Phase, Pod, PodSyncStatus
from podproof.model.state import OptionalSeconds, Position, Seconds, UpdatePodOptions, UpdateType, WorkType
'''


@dataclass(frozen=True)
class Translation:
    """What a Go file became."""

    file: GoFile
    cls: type[V1_29]
    text: str
    functions: tuple[str, ...]
    """Every Go function that is translated, in the order of the file."""
    stood_for: tuple[str, ...]
    """Those that the model has something of its own for."""
    left_out: tuple[str, ...]
    """Those that nobody calls who is translated."""
    ignored: tuple[str, ...]
    """Every statement without effect on the model, with its place."""
    rests_on: tuple[str, ...]
    """What is taken for granted of this file."""
    assumed: tuple[str, ...]
    """What the user says of names that the vocabulary does not have."""
    is_partial: bool = False
    """Are the functions that are left out the release's own?"""

    def text_of(self, go_name: str) -> str:
        """What one function of the file became; empty where there is none of this name.

        One that is followed within podWorkerLoop is the steps that have lines of it.
        """
        blocks = self.text.rstrip("\n").split("\n\n")
        own = [block for block in blocks if f"  # {go_name.rpartition('.')[2]} " in block.partition("\n")[0]]
        places = {
            f"# {self.file.name}:{line}"
            for name in self.functions
            if name.rpartition(".")[2] == go_name.rpartition(".")[2]
            for line in self.file.functions[name].lines
        }
        return "\n\n".join(own or [b for b in blocks if not places.isdisjoint(re.findall(r"# \S+:\d+$", b, re.M))])

    @property
    def new_members(self) -> tuple[Enum, ...]:
        """The positions that the model does not have: where the goroutine waits for podLock once more."""
        things = vars(sys.modules[self.cls.__module__]).values()
        return tuple(thing for thing in things if isinstance(thing, Enum) and is_new_member(thing))

    @property
    def origin(self) -> str:
        """What the verdicts rest on besides the model, in one line."""
        return (
            f"pod workers translated from {self.file.name} (sha256 {self.file.digest[:16]}), "
            f"{len(self.functions)} functions, by the vocabulary worker.vocabulary, with the departures A1 to A13; "
            f"{len(self.ignored)} statements ignored, which `podproof review -v` lists; {recognized(self.file)}"
            + "".join(f"; {line}" for line in self.rests_on if line not in ASSUMED)
            + "".join(f"; assumed by the user: {line}" for line in self.assumed)
        )


def translate(path: Path, base: type[V1_29], assumed: tuple[str, ...] = (), partly: bool = False) -> Translation:
    """Translate a file and make the class that overrides a release. Raises CheckerError, with all that is refused.

    `partly`: of a file whose goroutine is managePodLoop take the functions that can be, and leave the others out.
    """
    file = read(path)
    vocabulary = worker_vocabulary((*assumed, *gates_of(file, assumed)))
    translation = FileTranslation(file, vocabulary, assumed)
    return translation.make_partly(base) if partly and OLDER in translation.file.functions else translation.make(base)


def refuse_incomplete(file: GoFile) -> None:
    """Raise CheckerError where a file has not all that is a worker of kubelet 1.27 or later."""
    if OLDER in file.functions and not is_whole(file.functions):
        raise CheckerError(
            f"{file.name}: this is kubelet 1.26 or earlier, whose managePodLoop is not translated, so that "
            "there is no worker to check; `podproof review v1.26 FILE` judges its other functions"
        )
    for name in NEEDED:
        if f"podWorkers.{name}" not in file.functions:
            raise CheckerError(
                f"{file.name}: podWorkers has no method {name}; give pod_workers.go of kubelet 1.27 or later"
            )


def is_whole(functions: Collection[str]) -> bool:
    """Is the goroutine among the functions of a file?"""
    return f"podWorkers.{NEEDED[-1]}" in functions


class FileTranslation:
    """Translates the functions of a file, each once."""

    def __init__(self, file: GoFile, vocabulary: Vocabulary, assumed: tuple[str, ...] = ()) -> None:
        self.file, self.vocabulary, self.assumed = file, vocabulary, assumed
        self.done: dict[str, Translated] = {}
        self.failed: dict[str, GoRefusal] = {}
        self.active: list[str] = []
        self.ignored: list[str] = []
        self.in_place: set[str] = set()

    def make_partly(self, base: type[V1_29]) -> Translation:
        """Override what a release has under the same name and with the same parameters; the rest stays its own."""
        self.check_compiles()
        self.fields = Fields(self.file, base)
        reasons = {OLDER: "its channel carries the work"}
        for function in self.file.functions.values():
            if function.receiver not in ("podWorkers", "") or function.name in ("managePodLoop", "newPodWorkers"):
                continue
            name = ".".join(filter(None, (function.receiver, function.name)))
            if name in STOOD_FOR:
                reasons[name] = "the model has its own"
            else:
                self.attempt(lambda function=function: self.translate(function, function.node), name)
        self.vocabulary.forget()
        reasons |= {name: str(refusal).partition("\n")[0] for name, refusal in self.failed.items()}
        for name, found in list(self.done.items()):
            if found.lines and found.is_method:
                self.fit(name, found, base, reasons)
        text = self.module_text(base, {})
        cls = self.class_of(text, base)
        stood_for = tuple(name for name in self.done if name in PRIMITIVES)
        functions = tuple(n for n in self.file.functions if n in self.done and n not in (*reasons, *stood_for))
        left_out = tuple(f"{n} ({reasons.get(n, UNCALLED)})" for n in self.file.functions if n not in functions)
        ignored = tuple(dict.fromkeys(self.ignored))
        return Translation(
            self.file, cls, text, functions, stood_for, left_out, ignored,
            (*ASSUMED, GIVEN, *self.fixed_gates, *self.one_answer), self.assumed, True,
        )  # fmt: skip

    def class_of(self, text: str, base: type[V1_29]) -> type[V1_29]:
        told = "".join(f" --assume {line!r}" for line in self.assumed)
        cls = class_of(self.file, text, CLASS, base.__name__, told)
        assert issubclass(cls, V1_29)
        return cls

    @property
    def fixed_gates(self) -> tuple[str, ...]:
        """What is taken for granted of the feature gates of which the user says nothing."""
        said = {line.partition(" = ")[0].strip() for line in self.assumed}
        asked = [self.vocabulary.open_questions[name] for name in self.vocabulary.fixed]
        return tuple(
            f"`{gate}` is {'true or false of each pod' if '$pod' in gate else 'on or off'}, and stays so while the "
            "kubelet runs"
            for gate in asked
            if gate not in said
        )

    @property
    def one_answer(self) -> tuple[str, ...]:
        """What the user's lines take to be one value, where the file asks for it in several ways."""
        asked: dict[str, dict[str, None]] = {}
        questions = set(self.vocabulary.open_questions.values())
        for function in self.file.functions.values() if questions else ():
            for node in inside(function.body, *_ASKING):
                for phrase, _ in self.vocabulary.match("values", node):
                    pattern = phrase.line.partition(" = ")[0]
                    if pattern in questions:
                        asked.setdefault(pattern, {})[text(node)] = None
        self.vocabulary.forget()
        return tuple(
            f"{', '.join(f'`{said}`' for said in found)} have one answer, that of `{pattern}`"
            for pattern, found in asked.items()
            if len(found) > 1
        )

    def fit(self, name: str, found: Translated, base: type[V1_29], reasons: dict[str, str]) -> None:
        """Give a function the parameters that the release's has: a pod that it only takes the UID of goes."""
        annotations = getattr(getattr(base, found.name, None), "__annotations__", None)
        given = {f"assert {parameter}.present" for parameter in found.parameters}
        lines = tuple(line for line in found.lines if line.text not in given)
        said = " ".join(line.text for line in lines)
        pairs = list(zip(found.parameters, ["uid"] * found.needs_uid + list(found.kinds), strict=True))
        pairs = [(p, kind) for p, kind in pairs if kind != "pod" or re.search(rf"\b{p}\b(?!=)", said)]
        own = [{**self.fields.annotations, **_ANNOTATIONS}[kind] for _, kind in pairs]
        if annotations is None or [kind for name, kind in annotations.items() if name != "return"] != own:
            reasons[name] = "the model has nothing of this name and with these parameters"
            del self.done[name]
            return
        kinds = tuple(kind for _, kind in pairs[found.needs_uid :])
        self.done[name] = replace(found, parameters=tuple(p for p, _ in pairs), kinds=kinds, lines=lines)

    def make(self, base: type[V1_29]) -> Translation:
        refuse_incomplete(self.file)
        self.fields = Fields(self.file, base)
        steps, loop = self.translate_all()
        self.vocabulary.forget()
        if not self.failed:
            self.attempt(self.check_compiles, "")
        if self.failed:
            raise _all_of(self.file, self.failed.values())
        self.check_names()
        text = self.module_text(base, steps)
        cls = self.class_of(text, base)
        known = {*self.done, "podWorkers.podWorkerLoop", *loop, *self.in_place}
        stood_for = tuple(name for name in self.file.functions if name in PRIMITIVES or name in STOOD_FOR)
        left_out = tuple(name for name in self.file.functions if name not in known and name not in stood_for)
        functions = tuple(name for name in self.file.functions if name in known and name not in stood_for)
        ignored = tuple(dict.fromkeys(self.ignored))
        rests_on = (*ASSUMED, *self.fields.left_at_zero, *self.fields.assumptions, *self.fixed_gates)
        rests_on += self.one_answer
        return Translation(self.file, cls, text, functions, stood_for, left_out, ignored, rests_on, self.assumed)

    def translate_all(self) -> tuple[dict[str, LoopStep], set[str]]:
        """Translate every method of podWorkers that can be called from outside, and what they call."""
        for name in STOOD_FOR:
            if name in self.file.functions:
                self.attempt(lambda name=name: self.check_fingerprint(self.file.functions[name]), name)
        loop = WorkerLoopTranslation(
            self.file,
            self.vocabulary,
            self.fields,
            self.file.functions["podWorkers.podWorkerLoop"],
            self.translate,
            self.ignored,
            self.in_place,
        )
        steps: dict[str, LoopStep] = {}
        self.attempt(lambda: check_start(self.file, self.fields), "newPodWorkers")
        self.attempt(lambda: steps.update(loop.follow()), "podWorkerLoop")
        followed = {
            name
            for name, function in self.file.functions.items()
            if function.receiver == "podWorkers"
            and loop.is_followed(function)
            and (name in self.in_place or "podWorkerLoop" in self.failed)
        }
        for name, function in self.file.functions.items():
            is_own = function.receiver == "podWorkers" and function.name != "podWorkerLoop"
            stands_for = None if function.name[0].isupper() else shorthand(function, self.fields.structs)
            if is_own and name not in followed and stands_for is None and not self.fields.is_in_place(function):
                self.attempt(lambda function=function: self.translate(function, function.node), name)
        return steps, followed

    def attempt(self, work: object, name: str) -> None:
        try:
            work()  # type: ignore[operator]
        except GoRefusal as refusal:
            self.failed[name] = refusal

    def translate(self, function: GoFunction, at: Node) -> Translated:
        key = ".".join(filter(None, (function.receiver, function.name)))
        if key in self.failed:
            raise self.failed[key]
        if key in self.done:
            return self.done[key]
        if key in self.active:
            self.file.refuse(at, f"`{function.name}` calls itself", "use a loop")
        if function.receiver == "podWorkers" and not function.is_pointer:
            self.file.refuse(
                function.node, f"{function.name} copies the workers, and podLock with them", "write *podWorkers"
            )
        if function.receiver not in ("podWorkers", *RECORD_TYPES, ""):
            self.file.refuse(at, f"`{key}` is of a type that the model does not know", "write a function")
        if key in PRIMITIVES:
            self.check_fingerprint(function)
            name, kinds = PRIMITIVES[key]
            found = Translated(function, name, ("uid",), kinds, (), (), False, "", True, False, False, True, True)
        else:
            self.active.append(key)
            try:
                found = StatementTranslation(
                    self.file,
                    self.vocabulary,
                    self.fields,
                    function,
                    self.translate,
                    self.ignored,
                    self.in_place,
                    is_entry=function.name == "UpdatePod",
                ).run()
            except GoRefusal as refusal:
                self.failed[key] = refusal
                raise
            finally:
                self.active.pop()
        exported = function.receiver == "podWorkers" and function.name[0].isupper()
        if exported and found.touches and not found.locks:
            self.file.refuse(function.node, f"{function.name} uses what podLock protects without locking it", "lock it")
        self.done[key] = found
        return found

    def check_variables(self) -> None:
        """Refuse a variable of the file of whose name the vocabulary says what never changes."""
        known = worker_vocabulary().identifiers
        declared = (node for node in self.file.root.named_children if node.type == "var_declaration")
        for spec in (spec for node in declared for spec in inside(node, "var_spec", into_functions=False)):
            for name in spec.children_by_field_name("name"):
                if name.text in known:
                    self.file.refuse(name, f"`{text(name)}` is a variable here, which may change", "declare a constant")

    def check_constants(self) -> None:
        """Refuse phases of a pod that are numbered otherwise: what is not set is the first."""
        for name, constant in self.file.constants.items():
            if name == "NetworkNotReadyErrorMsg":
                self.file.refuse(constant.value, f"`{name}` is another file's", "leave it there")
            member = next((m for words, m in WORK_TYPES.items() if name in words), None)
            value = int(text(constant.value)) if text(constant.value).isdecimal() else constant.iota
            if member is not None and (value != member or text(constant.value) not in ("iota", str(member))):
                self.file.refuse(
                    constant.value, f"`{name}` is not {member} here", f"let it be {member}, as the model has it"
                )

    def check_compiles(self) -> None:
        """Refuse what the Go compiler would, and names that neither the file nor the vocabulary declares."""
        self.check_constants()
        self.check_variables()
        for name in free_names(self.file):
            if text(name).encode() not in self.vocabulary.words and name.type != "type_identifier":
                self.file.refuse(name, f"`{text(name)}` is not declared in this file", f"{SAY_IT} with --assume")

    def check_fingerprint(self, function: GoFunction) -> None:
        if function.name == "killPodNow":
            check_killer(self.file, function)
            return
        known = FINGERPRINTS.get(function.name, frozenset())
        if function.fingerprint not in known:
            self.file.refuse(
                function.node,
                f"the model stands for {function.name} and does not know this text of it ({function.fingerprint})",
                "only known ones are taken for what the model does",
            )

    def check_names(self) -> None:
        """No function may take the place of one that the model itself needs."""
        reserved = {name for name in vars(Goroutines) if not name.startswith("_")} | _ENVIRONMENT
        taken: dict[str, GoFunction] = {}
        for found in self.done.values():
            other = taken.setdefault(found.name, found.function)
            if other != found.function:
                self.file.refuse(
                    found.function.node, f"`{found.function.name}` and `{other.name}` would have one name here",
                    "rename one of them",
                )  # fmt: skip
            if found.lines and found.is_method and found.name in reserved:
                self.file.refuse(
                    found.function.node, f"`{found.function.name}` has the name of one of the model's own", "rename it"
                )

    # -- text ----------------------------------------------------------------------------------------------------
    def module_text(self, base: type, steps: dict[str, LoopStep]) -> str:
        parts = [
            _HEADER.format(
                name=self.file.name,
                digest=self.file.digest[:16],
                base=base.__name__,
                module="podproof.model.releases" if base.__name__ in RELEASES else base.__module__,
            ).rstrip()
        ]
        translated = [found for found in self.done.values() if found.lines]
        for found in translated:
            if found.frame:
                fields = "\n".join(f"    {name}: {kind} = field(default_factory={kind})" for name, kind in found.frame)
                parts.append(f"@dataclass\nclass {_frame_name(found)}:\n{fields}")
        for found in translated:
            if not found.is_method:
                parts.append(self.function_text(found, 0))
        parts[1:1] = [
            _POSITION.format(name=step.position, place=f"{self.file.name}:{step.waits_at}")
            for step in steps.values()
            if step.waits_at
        ]
        parts[1:1] = [*self.fields.enumeration_classes, *self.fields.records.values()]
        bodies = [*(found.lines for found in translated), *(tuple(step.lines) for step in steps.values())]
        asked = [line.text for body in bodies for line in body]
        parts[1:1] = [
            _DELAY.format(name=name, go=go.replace("\\", "/").replace('"', "'"))
            for name, go in sorted(self.fields.delays.items())
            if any(re.search(rf"\b{name}\b", text) for text in asked)
        ]
        parts[1:1] = [NO_PODS] * (makes_lists := any("self.no_pods" in text for text in asked))
        questions = {
            name: go
            for name, go in self.vocabulary.open_questions.items()
            if name not in self.vocabulary.fixed or any(name in text for text in asked)
        } | self.fields.either
        lines = [*self.fields.of_class, *["no_pods: Annotated[Pods, CONSTANT]"] * makes_lists]
        fields = "".join(f"\n    {line}" for line in (*lines, *(f"{n}: {self.kept_as(n)}" for n in questions)))
        decorator = "@dataclass\n" if fields else ""
        parts.append(f'{decorator}class {CLASS}({base.__name__}):\n    """The pod workers of the file."""{fields}')
        for name, go in questions.items():
            word = re.split(r" >=? " if name in self.fields.either else r"\(", go)[0]
            line = next((i for i, text in enumerate(self.file.lines, 1) if word in text), 1)
            is_fixed, is_of_pod = name in self.vocabulary.fixed, self.kept_as(name) != "bool"
            form = (_CHANGES, _CHANGES_OF_POD, _IS_SET, _IS_SET_OF_POD)[2 * is_fixed + is_of_pod]
            changes = form.format(name=name, go=go.replace("\\", "/").replace('"', "'")).splitlines()
            value = go.rpartition(" == ")[0] if is_of_pod else ""
            others = (n for n, said in questions.items() if n != name and said.rpartition(" == ")[0] == value != "")
            changes[-1:-1] = (f"        require(not answer or not self.{n}[pod])" for n in others)
            parts.append("\n".join(self.placed(text, line) for text in changes))
        if self.fields.of_restart:
            line = next((f.line for f in self.file.functions.values() if f.name == "UpdatePod"), 1)
            parts.append("\n".join(self.placed(text, line) for text in self.fields.of_restart.splitlines()))
        ordered = sorted((f for f in translated if f.is_method), key=lambda f: f.function.line)
        parts += [self.function_text(found, 1) for found in ordered]
        for step in steps.values():
            line = self.file.functions["podWorkers.podWorkerLoop"].line
            head = f"    def {step.name}(self, {', '.join(step.parameters)}):"
            heads = [self.placed(head, line, "podWorkerLoop ")]
            if step.waits_at:
                head = _LOCKS.format(name=step.name, place=f"{self.file.name}:{step.waits_at}")
                heads = [self.placed(text, step.waits_at, "podWorkerLoop ") for text in head.splitlines()]
            parts.append("\n".join([*heads, *map(self.line_text, step.lines)]))
        return "\n\n".join(parts) + "\n"

    def kept_as(self, question: str) -> str:
        """What the class declares for an answer that may be any."""
        is_of_pod = question in self.fields.either or question in self.vocabulary.of_pods
        return 'Annotated[Array[bool], Size("uids")]' if is_of_pod else "bool"

    def function_text(self, found: Translated, level: int) -> str:
        kinds = {**self.fields.annotations, **_ANNOTATIONS}
        pairs = [*([(found.parameters[0], "uid")] if found.needs_uid else [])]
        is_widened = found.function.name == "UpdatePod" and "UpdatePodOptions" in self.fields.records
        pairs += list(zip(found.parameters[len(pairs) :], found.kinds, strict=True))
        given = {name: f"given_{name}" for name, kind in pairs if kind == "update" and is_widened}
        parameters = ["self"] * level + [
            f"{given[name]}: state.UpdatePodOptions" if name in given else f"{name}: {kinds[kind]}"
            for name, kind in pairs
        ]
        head = f"{'    ' * level}def {found.name}({', '.join(parameters)}):"
        lines = [self.placed(head, found.function.line, f"{found.function.name} ")]
        for name, narrow in given.items():
            widened = self.fields.widened("UpdatePodOptions", narrow)
            lines.append(self.line_text(TranslatedLine(level + 1, f"{name} = {widened}", found.function.line)))
        if found.frame:
            lines.append(
                self.line_text(TranslatedLine(level + 1, f"local = {_frame_name(found)}()", found.function.line))
            )
        lines += [self.line_text(TranslatedLine(line.depth - 1 + level, line.text, line.go)) for line in found.lines]
        return "\n".join(lines)

    def line_text(self, line: TranslatedLine) -> str:
        return self.placed(f"{'    ' * line.depth}{line.text}", line.go)

    def placed(self, text: str, go: int, name: str = "") -> str:
        return f"{text}  # {name}{self.file.name}:{go}"


CLASS = "TranslatedGo"
_ASKING = ("call_expression", "binary_expression", "selector_expression", "index_expression")
"""The expressions that a line of the user's may be about."""
_CHANGES = """\
    @action("environment", "{go} becomes {{answer}}")
    def {name}_changes(self, answer: bool):
        require(self.{name} != answer)
        self.{name} = answer"""
_CHANGES_OF_POD = """\
    @action("environment", "{go} becomes {{answer}} of {{pod}}")
    def {name}_changes(self, pod: state.Uid, answer: bool):
        require(self.{name}[pod] != answer)
        self.{name}[pod] = answer"""
"""What is assumed to be any answer may become another one at any time."""
_IS_SET = """\
    @action("environment", "{go} is {{answer}} from here on")
    def {name}_changes(self, answer: bool):
        require(self.{name} != answer)
        require(not self.pods_synced)
        for uid in range(len(self.pod_sync_statuses)):
            require(not self.pod_sync_statuses[uid].present)
        self.{name} = answer"""
_IS_SET_OF_POD = """\
    @action("environment", "{go} is {{answer}} of {{pod}} from here on")
    def {name}_changes(self, pod: state.Uid, answer: bool):
        require(self.{name}[pod] != answer)
        require(not self.pods_synced)
        for uid in range(len(self.pod_sync_statuses)):
            require(not self.pod_sync_statuses[uid].present)
        self.{name}[pod] = answer"""
"""What is fixed is chosen when the kubelet starts, before the workers know of any pod."""
_POSITION = """\
from podproof.model.fairness import GOROUTINES
from podproof.model.language import new_member
from podproof.model.node import Generation
from podproof.model.state import Uid
{name} = new_member(Position, "{name}", "waiting for podLock at {place}")"""
"""A position between two critical sections, and, below, the step from there."""
_DELAY = """\
from podproof.model.language import new_member
{name} = new_member(Delay, "{name}", "{go}")"""
"""A delay that the model's own work queue has none of."""
_LOCKS = """\
    @action("worker", "worker {{uid}}: locks podLock at {place}", GOROUTINES)
    def {name}(self, uid: Uid, generation: Generation) -> None:"""
_ENVIRONMENT = frozenset(
    {"is_desired", "record_known_pod", "has_config", "is_static", "begin_complete_work", "relist", "restart"}
)


def _all_of(file: GoFile, refusals: Iterable[GoRefusal]) -> ModelError:
    """One error of all of them, in the order of the file."""
    told = list(dict.fromkeys(str(refusal) for refusal in sorted(refusals, key=lambda refusal: refusal.line)))
    if len(told) == 1:
        return ModelError(told[0])
    lines = "\n    ".join("\n    ".join(text.splitlines()) for text in told)
    return ModelError(f"{file.name}: {len(told)} places are outside what is translated:\n    {lines}")


def _frame_name(found: Translated) -> str:
    return f"{found.function.name[0].upper()}{found.function.name[1:]}Locals"
