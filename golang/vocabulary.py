"""The vocabulary: what the names stand for that a Go file takes from elsewhere."""

from __future__ import annotations

import ast
import functools
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from podproof.checker.core.system import CheckerError
from podproof.golang.syntax import GoFile, expressions, field, inside, statements, text, unwrapped

if TYPE_CHECKING:
    from tree_sitter import Node

_HOLE = re.compile(r"\$(\*|\w+)(!?)")
HOLES = ("identifier", "field_identifier")
"""The types of node that may be a hole in a pattern."""


@dataclass(frozen=True)
class GoField:
    """A field of one of the file's structs: its Go type, and what the model makes of it."""

    go: str
    name: str
    kind: str
    is_apart: bool = False
    """Does the release keep it in an array of its own, by UID?"""


def _fields(table: str) -> dict[str, GoField]:
    return {
        name: GoField(" ".join(go), field, kind) for name, *go, field, kind in map(str.split, table.splitlines()[1:])
    }


FIELDS: Mapping[str, Mapping[str, GoField]] = {
    "podSyncStatus": _fields("""
        working               bool              working                 bool
        pendingUpdate         *UpdatePodOptions pending_update          update
        activeUpdate          *UpdatePodOptions active_update           update
        startedAt             time.Time         started_at              time
        terminatingAt         time.Time         terminating_at          time
        terminatedAt          time.Time         terminated_at           time
        gracePeriod           int64             grace_period            int
        notifyPostTerminating []chan<- struct{} notify_post_terminating requests
        statusPostTerminating []PodStatusFunc   status_post_terminating requests
        startedTerminating    bool              started_terminating     bool
        deleted               bool              deleted                 bool
        evicted               bool              evicted                 bool
        finished              bool              finished                bool
        restartRequested      bool              restart_requested       bool
        observedRuntime       bool              observed_runtime        bool"""),
    "UpdatePodOptions": _fields("""
        UpdateType     kubetypes.SyncPodType update_type      update_type
        StartTime      time.Time             start_time       tick
        Pod            *v1.Pod               pod              pod
        MirrorPod      *v1.Pod               mirror_pod       mirror
        RunningPod     *kubecontainer.Pod    running_pod      running
        KillPodOptions *KillPodOptions       kill_pod_options kill"""),
    "KillPodOptions": _fields("""
        CompletedCh                              chan<- struct{} completed_ch                  request
        Evict                                    bool            evict                         bool
        PodStatusFunc                            PodStatusFunc   pod_status_func               request
        PodTerminationGracePeriodSecondsOverride *int64          grace_period_seconds_override optional"""),
}  # fmt: skip
"""What the model has of the file's structs; podSyncStatus's ctx and cancelFn are in the vocabulary."""
HIDDEN = ("ctx", "cancelFn", "fullname", "syncedAt")
"""Fields of podSyncStatus that the model has in another form."""
STATE: Mapping[str, tuple[str, str]] = {
    "podSyncStatuses": ("self.pod_sync_statuses", "statuses"),
    "podUpdates": ("self.pod_updates", "channels"),
    "startedStaticPodsByFullname": ("self.started_static_pods", "started"),
    "waitingToStartStaticPodsByFullname": ("self.waiting_to_start_static_pods", "waiting"),
    "podsSynced": ("self.pods_synced", "bool"),
}
"""Go name of a field of podWorkers -> the model's, and its kind."""
RECORDS: Mapping[str, tuple[str, str]] = {
    "status": ("podSyncStatus", "PodSyncStatus"),
    "update": ("UpdatePodOptions", "UpdatePodOptions"),
    "kill": ("KillPodOptions", "KillPodOptions"),
}
"""Kind -> the struct, and the model's record."""
RECORD_TYPES: Mapping[str, str] = {struct: kind for kind, (struct, _) in RECORDS.items()}
"""The struct -> its kind."""
KINDS: Mapping[str, str] = {
    "bool": "bool",
    "int": "int",
    "int32": "int",
    "int64": "int",
    "*int64": "optional",
    "*bool": "optional_bool",
    "types.UID": "uid",
    "time.Time": "time",
    "*v1.Pod": "pod",
    "*kubecontainer.Pod": "running",
    "*podSyncStatus": "status",
    "*UpdatePodOptions": "update",
    "UpdatePodOptions": "update",
    "*KillPodOptions": "kill",
    "KillPodOptions": "kill",
    "PodStatusFunc": "request",
    "chan<- struct{}": "request",
    "<-chan struct{}": "channel",
    "chan struct{}": "channel",
    "PodWorkerState": "work_type",
    "PodWorkType": "work_type",
    "kubetypes.SyncPodType": "update_type",
    "v1.PodPhase": "phase",
    "context.Context": "context",
    "klog.Logger": "logger",
    "func()": "post_sync",
    "error": "error",
    "*kubecontainer.PodStatus": "cached",
    "[]types.UID": "uids",
    "time.Duration": "delay",
}
"""Go type -> kind. A string is a full name, or the name or the namespace of a pod, as its use says."""
ASSUMABLE = frozenset((*KINDS.values(), "parent", "unknown"))
"""The kinds that a user may say that an expression is of."""
ZEROS: Mapping[str, str] = {
    "bool": "False",
    "int": "0",
    "optional": "NIL",
    "optional_bool": "OptionalBool.NIL",
    "time": "False",
    "tick": "0",
    "pod": "Pod()",
    "mirror": "0",
    "running": "False",
    "update": "UpdatePodOptions()",
    "kill": "KillPodOptions()",
    "request": "NIL",
    "work_type": "WorkType.SYNC",
    "update_type": "UpdateType.SYNC",
    "phase": "Phase.RUNNING",
    "context": "Context.NONE",
    "error": "NO_ERROR",
    "failure": "False",
    "delay": "Delay.NOW",
}
"""Kind -> its zero value. The others have none that the model could tell."""


@dataclass(frozen=True)
class Phrase:
    """A line of the vocabulary."""

    line: str
    pattern: Node
    meanings: tuple[tuple[str, str], ...]
    """Expression and kind of each result."""
    needs: str
    not_nil: frozenset[str]
    """The holes that must not be nil."""
    words: tuple[bytes, ...]
    """The names that it has besides its holes: where one is missing it cannot match."""
    within: str = ""
    """Where this does not hold, the model has no answer; empty where it always has one."""


class Vocabulary:
    """All lines, by section."""

    def __init__(self, text: str, source: str) -> None:
        self.sections: dict[str, list[Phrase]] = {
            "ignore": [], "values": [], "calls": [], "effects": [], "beyond": [], "waits": [],
        }  # fmt: skip
        section = "values"
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            if line.startswith("[") and line.endswith("]"):
                section = line[1:-1]
                if section not in self.sections:
                    raise CheckerError(f"{source}:{number}: there is no section {line}; write [values]")
            elif line and not line.startswith("#"):
                self.sections[section].append(_phrase(line, section, f"{source}:{number}"))

        phrases = [phrase for lines in self.sections.values() for phrase in lines]
        self.words = frozenset(word for phrase in phrases for word in phrase.words)
        """Every name that some line has."""
        self.identifiers = frozenset(name.text for phrase in phrases for name in inside(phrase.pattern, "identifier"))
        """Those among them of constants, functions and such, which no field and no method has, and of holes."""
        self.open_questions: Mapping[str, str] = {}
        """Field -> the Go expression whose value it is, which may be any at any time, or any that stays."""
        self.fixed: tuple[str, ...] = ()
        """The fields among them whose value stays what it is when the kubelet starts."""
        self.of_pods: tuple[str, ...] = ()
        """The fields among those that have a value for each UID."""
        self._of_type: dict[tuple[str, str], list[Phrase]] = {}
        """The lines of a section that a node of some type may match."""
        self._found: dict[tuple[str, Node], list[tuple[Phrase, dict[str, Node]]]] = {}

    def forget(self) -> None:
        """What was matched of one file is of no use for the next."""
        self._found.clear()

    def match(self, section: str, node: Node) -> list[tuple[Phrase, dict[str, Node]]]:
        """Every line of a section whose pattern is the whole of this node, with what its holes are."""
        if (section, node) not in self._found:
            found = []
            said, kind = node.text or b"", unwrapped(node).type
            if (section, kind) not in self._of_type:
                types = {kind, *HOLES}
                self._of_type[section, kind] = [p for p in self.sections[section] if p.pattern.type in types]
            for phrase in self._of_type[section, kind]:
                if not all(word in said for word in phrase.words):
                    continue
                holes: dict[str, Node] = {}
                if _matches(phrase.pattern, node, holes):
                    found.append((phrase, holes))
            self._found[section, node] = found
        return self._found[section, node]

    def match_case(self, tag: Node, node: Node) -> list[tuple[Phrase, dict[str, Node]]]:
        """Every line that says whether the value of a switch is that of a case."""
        found: list[tuple[Phrase, dict[str, Node]]] = []
        for phrase in self.sections["values"]:
            parts = phrase.pattern.children
            holes: dict[str, Node] = {}
            is_equality = phrase.pattern.type == "binary_expression" and parts[1].type == "=="
            if is_equality and _matches(parts[0], tag, holes) and _matches(parts[2], node, holes):
                found.append((phrase, holes))
        return found


@functools.cache
def worker_vocabulary(assumed: tuple[str, ...] = ()) -> Vocabulary:
    """The lines for the pod workers, and those that a user assumes. Raises CheckerError for one that says nothing."""
    path = Path(__file__).with_name("worker.vocabulary")
    lines = path.read_text(encoding="utf-8").splitlines()
    vocabulary = Vocabulary("\n".join([*lines, *(part for line in assumed for part in _assumed(line))]), path.name)
    questions: dict[str, str] = {}
    for line in assumed:
        pattern, meaning = _split(line)
        for name, kind in _answers(pattern, meaning):
            if kind != "unknown" and questions.setdefault(name, pattern) != pattern:
                raise CheckerError(
                    f"--assume {line!r}: its answer would be that of {questions[name]!r}; compare in one way"
                )
    vocabulary.open_questions = questions
    said = [_split(line) for line in assumed]
    answers = [(_kind_of(line[1]), name) for line in said for name, kind in _answers(*line) if kind != "unknown"]
    vocabulary.fixed = tuple(name for kind, name in answers if kind in (FIXED, OF_POD))
    vocabulary.of_pods = tuple(name for kind, name in answers if kind == OF_POD)
    return vocabulary


GENERAL = frozenset(
    (
        *("len", "cap", "min", "max", "string", "int", "int32", "int64", "float64", "nil", "true", "false"),
        *("bytes", "cmp", "errors", "fmt", "maps", "math", "reflect", "slices", "sort", "strconv", "strings"),
    )
)
"""What Go asks in the same way about different things: a line has to say about which."""
FIXED = "any fixed bool"
"""What may be assumed of a value that may be either, and stays while the kubelet runs."""
OF_POD = "any fixed bool of $pod"
"""What may be assumed of a pod's own value that may be either: of each UID it stays while the kubelet runs."""
ANY = {"any bool": "bool", "any error": "failure", FIXED: "bool", OF_POD: "bool"}
"""What may be assumed of a value that may be any, at any time -> its kind; the state has a bool for each."""
_GATE = re.compile(r"utilfeature\.DefaultFeatureGate\.Enabled\(features\.\w+\)")
_HOW = "write `pattern = any bool`, `pattern($*) = ignore` or `pattern = meaning : kind`, see docs/go.md"


def gates_of(file: GoFile, assumed: tuple[str, ...]) -> tuple[str, ...]:
    """A line for each feature gate that the file asks for and of which nothing is said: it is on or off, and stays."""
    known = worker_vocabulary(assumed)
    asked: dict[str, None] = {}
    for function in file.functions.values():
        for call in inside(function.body, "call_expression"):
            if _GATE.fullmatch(text(call)) and not known.match("values", call):
                asked[text(call)] = None
    known.forget()
    return (*(f"{gate} = {FIXED}" for gate in asked), *_of_pods(file, known))


_POD_IS = re.compile(r"kubetypes\.Is(?:Critical|NodeCritical|Mirror)Pod")
_POD_HAS = re.compile(r"\.Spec\.Host(?:Network|PID|IPC)$")
_POD_SAYS = re.compile(
    r"\.(?:(?:Annotations|Labels)\[\"[^\"]*\"\]|Spec\.(?:RestartPolicy|NodeName|PriorityClassName)|Status\.(?:Reason|QOSClass))$"
)
_ASKING = (
    *("call_expression", "selector_expression", "binary_expression", "short_var_declaration"),
    "expression_switch_statement",
)
_POLICIES = ("v1.RestartPolicyAlways", "v1.RestartPolicyNever")
_OTHER_POLICY = "v1.RestartPolicyOnFailure"
"""What a pod's policy is that is neither."""
_SAID = re.compile(r"\"[^\"\\]*\"|v1\.(?:RestartPolicy|PodQOS)\w+")


def _of_pods(file: GoFile, known: Vocabulary) -> list[str]:
    """Lines for what the file asks of a pod and the model has not: true or false of each pod, and it stays."""
    asked: dict[str, None] = {}
    compared: dict[str, set[str]] = {}
    there: set[str] = set()
    nodes = (node for function in file.functions.values() for node in inside(function.body, *_ASKING))
    for node in nodes:
        if node.type == "call_expression":
            called = text(node.children[0])
            if _POD_IS.fullmatch(called) and not known.match("values", node):
                asked[f"{called}($pod!) = {OF_POD}"] = None
        elif node.type == "selector_expression":
            has = _POD_HAS.search(text(node))
            if has and not known.match("values", node):
                asked[f"$pod!{has[0]} = {OF_POD}"] = None
        elif node.type == "short_var_declaration":
            names, (value, *_) = expressions(field(node, "left")), expressions(field(node, "right"))
            says = _POD_SAYS.search(text(value))
            if says and says[0].endswith("]") and len(names) == 2 and not known.match("values", value):
                there.add(says[0])
        elif node.type == "binary_expression":
            left, operator, right = (text(part) for part in node.children[:3])
            says = _POD_SAYS.search(left)
            if says and operator in ("==", "!=") and _is_said(says[0], right) and not known.match("values", node):
                compared.setdefault(says[0], set()).add(right)
        else:
            tag = node.child_by_field_name("value")
            says = _POD_SAYS.search(text(tag)) if tag is not None else None
            cases = [case for case in node.named_children if case.type == "expression_case"] if says else []
            constants = [text(part) for case in cases for part in expressions(field(case, "value"))]
            if says and all(_is_said(says[0], constant) for constant in constants):
                compared.setdefault(says[0], set()).update(constants)
    for says_of in sorted(there - compared.keys()):
        asked[f"$pod!{says_of} = _ : unknown, {OF_POD}"] = None
    for says_of, values in compared.items():
        if says_of in there:  # What is not there has no value, which two answers would not know.
            continue
        others = [f"not self.{name_of_question(f'$pod!{says_of} == {value}')}[@uid]" for value in _POLICIES]
        for constant in sorted({*values, *_POLICIES} if len(values) > 1 and _OTHER_POLICY in values else values):
            is_it = f"$pod!{says_of} == {constant}"
            is_other = constant == _OTHER_POLICY and len(values) > 1
            asked[f"{is_it} = {' and '.join(others)} : bool" if is_other else f"{is_it} = {OF_POD}"] = None
            is_not = f"not ({' and '.join(others)})" if is_other else f"not self.{name_of_question(is_it)}[@uid]"
            asked[f"{is_it.replace(' == ', ' != ', 1)} = {is_not} : bool"] = None
    known.forget()
    return list(asked)


def _is_said(says: str, constant: str) -> bool:
    """May that be compared with a constant? Go's own constants and their text would be two answers for one."""
    is_text = not says.endswith((".RestartPolicy", ".QOSClass"))
    return _SAID.fullmatch(constant) is not None and constant.startswith('"') == is_text


def _split(line: str) -> tuple[str, str]:
    pattern, _, meaning = line.partition(" = ")
    return pattern.strip(), " ".join(meaning.split())


def _kind_of(meaning: str) -> str:
    """What is assumed of all answers but those that nobody reads; empty where it is not the same of each."""
    kinds = set(meaning.split(", ")) - {"_ : unknown"}
    return kinds.pop() if len(kinds) == 1 else ""


def _answers(pattern: str, meaning: str) -> list[tuple[str, str]]:
    """Field and kind of each answer that may be any, if that is what is assumed; a second one has a number."""
    parts = [ANY.get(part, "") if part != "_ : unknown" else "unknown" for part in meaning.split(", ")]
    if not all(parts) or set(parts) == {"unknown"}:
        return []
    name = name_of_question(pattern)
    return [("_" if kind == "unknown" else f"{name}_{n}" if n > 1 else name, kind) for n, kind in enumerate(parts, 1)]


_SIGNS = {"==": " is ", "!=": " is_not ", "<=": " at_most ", ">=": " at_least ", "<": " below ", ">": " above "}


def name_of_question(pattern: str) -> str:
    """The field that has the answer which is assumed to be any."""
    # Of two files, "true" and "True", or "a-b" and "a_b", are not to have one answer.
    apart = f"_{zlib.crc32(pattern.encode()):08x}" if "$pod" in pattern and '"' in pattern else ""
    for sign, word in _SIGNS.items():
        pattern = pattern.replace(sign, word)
    words = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", pattern)).strip("_").lower()
    return f"assumed_{words}{apart}"


EFFECTS = ("append", "clear", "close", "copy", "delete", "panic", "recover")
"""Functions of Go itself that do something besides what they return."""


def _assumed(line: str) -> tuple[str, str]:
    """A section, and the line as it would stand there."""
    pattern, meaning = _split(line)
    where = f"--assume {line!r}"
    if not pattern or not meaning or "\n" in line or "{" in line:
        raise CheckerError(f"{where}: it does not say what a name stands for; {_HOW}")
    if meaning == "ignore":
        if (function := pattern.partition("(")[0]) in EFFECTS or function.startswith("$"):
            raise CheckerError(f"{where}: Go's {', '.join(EFFECTS)} do something; name a function that does nothing")
        found = "[ignore]", pattern
    elif _answers(pattern, meaning):
        if not _kind_of(meaning) and (FIXED in meaning or OF_POD in meaning):
            raise CheckerError(f"{where}: of its answers some would be fixed and some not; write the same for each")
        if _kind_of(meaning) == OF_POD and "$pod" not in pattern:
            raise CheckerError(f"{where}: it does not say of which pod; write $pod! where the pod stands")
        of_pod = "[@uid]" if _kind_of(meaning) == OF_POD else ""
        answers = (
            f"{'_' if name == '_' else f'self.{name}{of_pod}'} : {kind}" for name, kind in _answers(pattern, meaning)
        )
        found = "[values]", f"{pattern} = {', '.join(answers)}"
    else:
        expression, _, kind = meaning.rpartition(" : ")
        holes = _HOLE.sub("hole", expression).replace("@uid", "hole")
        try:
            ast.parse(holes, mode="eval")
        except (SyntaxError, ValueError):
            raise CheckerError(f"{where}: {expression!r} is no expression of the model language; {_HOW}") from None
        if kind not in ASSUMABLE:
            known = ", ".join(sorted(ASSUMABLE))
            raise CheckerError(f"{where}: there is no kind {kind!r}; known are {known}")
        found = "[values]", f"{pattern} = {meaning}"
    _phrase(found[1], found[0][1:-1], where)
    if _is_general(pattern) and meaning not in ("ignore", "_ : unknown"):
        raise CheckerError(
            f"{where}: it would say the same of everything that is asked in this way; name what is asked about, as in "
            "`len(pod.Spec.Containers) > 1 = any bool`"
        )
    return found


def _is_general(pattern: str) -> bool:
    """Does it name only functions that are asked about anything?"""
    names = re.findall(r"(?<![\w$.])[A-Za-z_][\w.]*", re.sub(r"\"[^\"]*\"", "", pattern))
    return bool(names) and all(name.partition(".")[0] in GENERAL for name in names)


def _phrase(line: str, section: str, where: str) -> Phrase:
    pattern, _, meaning = line.partition(" = ")
    if section == "effects" and "(" not in pattern:  # An assignment: its `=` is part of the pattern.
        pattern, meaning = f"{pattern} = {meaning.partition(' = ')[0]}", meaning.partition(" = ")[2]
    meaning, _, within = meaning.partition(" within ")
    meaning, _, needs = meaning.partition(" needs ")
    meanings = (
        tuple(re.findall(r"(.+?) : (\w+)(?:, |$)", meaning)) if section in ("values", "calls") else ((meaning, ""),)
    )
    not_nil = frozenset(name for name, mark in _HOLE.findall(pattern) if mark)
    go = _HOLE.sub(lambda found: "hole_rest" if found[1] == "*" else f"hole_{found[1]}", pattern)
    words = tuple(word.encode() for word in re.findall(r"\w+", go) if not word.startswith("hole_"))
    return Phrase(line, _parse(go, where), meanings, needs, not_nil, words, within)


def _parse(go: str, where: str) -> Node:
    """A pattern as a tree."""
    import tree_sitter
    import tree_sitter_go

    language = tree_sitter.Language(tree_sitter_go.language())
    statement = go if " = " in go else f"_ = {go}"
    root = tree_sitter.Parser(language).parse(f"package p\nfunc _() {{\n{statement}\n}}\n".encode()).root_node
    if root.has_error:
        raise CheckerError(f"{where}: the pattern is no Go: {go.replace('hole_', '$')}")
    (body,) = inside(root, "block")
    (found,) = statements(body)
    if " = " in go:
        return found
    right = found.child_by_field_name("right")
    assert right is not None
    return right.named_children[0]


def _fills(name: str, node: Node, holes: dict[str, Node]) -> bool:
    """A hole is filled; one that is there twice must be the same thing, unless it stands for anything."""
    if name in holes and name not in ("any", "*"):
        return text(holes[name]) == text(node)
    holes[f"{name}{' again' * len(holes)}" if name in holes else name] = node
    return True


def _matches(pattern: Node, node: Node, holes: dict[str, Node]) -> bool:
    if pattern.type in HOLES and (pattern.text or b"").startswith(b"hole_"):
        assert pattern.text is not None
        return _fills(pattern.text.decode().removeprefix("hole_"), node, holes)
    pattern, node = unwrapped(pattern), unwrapped(node)
    if pattern.type != node.type:
        return False
    parts = [child for child in node.children if child.type != "comment"]
    wanted = pattern.children
    if not wanted:
        return not parts and pattern.text == node.text
    if pattern.type == "literal_value":  # The fields of a struct may be in any order.
        pairs = [{text(one.children[0]): one for one in side.named_children} for side in (pattern, node)]
        return pairs[0].keys() == pairs[1].keys() and all(
            _matches(a.children[-1], pairs[1][name].children[-1], holes) for name, a in pairs[0].items()
        )
    if pattern.type == "argument_list":
        wanted, parts = pattern.named_children, [child for child in parts if child.is_named]
        if len(wanted) == 1 and wanted[0].text == b"hole_rest":
            return _fills("*", node, holes)
    return len(wanted) == len(parts) and all(_matches(a, b, holes) for a, b in zip(wanted, parts, strict=True))
