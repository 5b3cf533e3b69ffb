"""The fields that a file's structs have and the model's records do not: those of simple types become state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from podproof.golang.syntax import GoConstant, GoFile, GoFunction, inside, text, tokens
from podproof.golang.values import Meaning, Translated, snake
from podproof.golang.vocabulary import FIELDS, KINDS, STATE, ZEROS, GoField

ANNOTATIONS: Mapping[str, str] = {
    "bool": "bool",
    "int": "Seconds",
    "optional": "OptionalSeconds",
    "optional_bool": "OptionalBool",
    "time": "bool",
    "work_type": "WorkType",
    "update_type": "UpdateType",
    "phase": "Phase",
}
"""Kind of a new field -> what it is declared as. A number that leaves the scenario's seconds is told as such."""
SIMPLE = ", ".join(go for go, kind in KINDS.items() if kind in ANNOTATIONS)
SETS_OF_UIDS = ("sets.Set[types.UID]", "map[types.UID]struct{}")
RETURNED = {"[]types.UID": "uid list", **dict.fromkeys((*SETS_OF_UIDS, "map[types.UID]bool"), "uid flags")}
"""What a function may return to who calls it from outside -> its kind."""
UNITS = {
    "Nanosecond": 1, "Microsecond": 10**3, "Millisecond": 10**6,
    "Second": 10**9, "Minute": 60 * 10**9, "Hour": 3600 * 10**9,
}  # fmt: skip
"""Go's units of time, in nanoseconds."""
TRANSIENT = UNITS["Second"]
"""How long the kubelet waits after a transient error, in each release."""
NO_PODS = """\
from podproof.golang.words import Pods
from podproof.model.language import CONSTANT"""
"""What the lists and sets that functions make for themselves begin as."""
MAP = "map of "
"""Beginning of the kind of a map by UID; its values' kind follows."""
_RECORDS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("KillPodOptions", "KillPodOptions", {}),
    ("UpdatePodOptions", "UpdatePodOptions", {"kill_pod_options": "KillPodOptions"}),
    ("podSyncStatus", "PodSyncStatus", {"pending_update": "UpdatePodOptions", "active_update": "UpdatePodOptions"}),
)
"""Struct, the model's record, and which of its fields are records; what is within comes first."""


class Fields:
    """What there is of the structs of one file, on top of one release."""

    def __init__(self, file: GoFile, base: type) -> None:
        self.enumerations = _enumerations(file)
        """Type -> the constants of it, that with the zero value first; empty where no constant is zero."""
        own = {go: go for go in self.enumerations}
        self.kinds = {**KINDS, **own}
        """Go type -> kind."""
        self.zeros = {**ZEROS, **{go: f"{class_of(go)}.{_member(names[0])}" for go, names in self.enumerations.items()}}
        """Kind -> its zero value."""
        self.annotations = {**ANNOTATIONS, **{go: class_of(go) for go in own}}
        """Kind -> what a field of it is declared as."""
        self.structs = frozenset(file.structs) - {*FIELDS, "podWorkers"}
        """The file's own structs, which are kept field by field."""
        self.state = dict(STATE)
        """Go name of a field of podWorkers -> what the release has of it, and its kind."""
        if "undelivered_work_types" in getattr(base, "__dataclass_fields__", {}):
            self.state["lastUndeliveredWorkUpdate"] = ("self.pod_sync_statuses", "undelivered")
        self.of = {struct: dict(fields) for struct, fields in {**FIELDS, "podWorkers": {}}.items()}
        """Struct -> its fields by their Go names."""
        self.new: dict[str, list[GoField]] = {struct: [] for struct in self.of}
        """Struct -> those that no record of the model has."""
        for struct, known in self.of.items():
            for name, go in file.structs.get(struct, {}).items():
                if name in known or name in self.state or name == "syncedAt" or self.kind_of_field(struct, go) is None:
                    continue
                known[name] = GoField(go, snake(name), str(self.kind_of_field(struct, go)))
                if struct == "podSyncStatus" and snake(name) in getattr(base, "__dataclass_fields__", {}):
                    known[name] = replace(known[name], is_apart=True)
                else:
                    self.new[struct].append(known[name])
        self.assumptions: dict[str, None] = {}
        """What the translation takes for granted of this file, in the order in which it came upon it."""
        self.delays: dict[str, str] = {}
        """The model's name of a delay that its own work queue has none for -> the Go."""
        self.either: dict[str, str] = {}
        """What the model leaves open, of each pod -> the Go that asks for it."""
        self.elapsed: dict[str, str] = {}
        """Of what the model leaves open, whether it is so long ago -> the time of a status since which it is."""
        self.translated: dict[str, Translated] = {}
        """The functions that are called, by the model's name."""
        self.records: dict[str, str] = {}
        """The records with new fields, under the names of the model's, as they are declared."""
        for struct, record, parts in _RECORDS:
            lines = [
                f"    {name}: {part}{'' if record == 'PodSyncStatus' else f' = field(default_factory={part})'}"
                for name, part in parts.items()
                if part in self.records
            ]
            lines += [
                f"    {new.name}: {self.annotations[new.kind]}"
                + ("" if record == "PodSyncStatus" else f" = {self.zeros[new.kind]}")
                for new in self.new[struct]
            ]
            if lines:
                self.records[record] = "\n".join([f"@dataclass\nclass {record}(state.{record}):", *lines])

    def is_in_place(self, function: GoFunction) -> bool:
        """Do the statements of a function stand where it is called?

        They do where it handles a worker, takes a function, or gives what is no variable of the model: a struct that is
        kept field by field, a text, or one of several pods.
        """
        is_several = len(list(inside(function.body, "return_statement"))) > 1
        gives = any(
            go in self.structs or go == "string" or (go == "*v1.Pod" and is_several) for _, go in function.results
        )
        takes = any(map(self.is_function, function.parameters.values()))
        takes = takes or (
            "[]*v1.Pod" in function.parameters.values() and any(go in RETURNED for _, go in function.results)
        )
        return function.handles_worker or ((takes or gives) and not function.name[:1].isupper())

    def is_function(self, go: str) -> bool:
        """Is this the type of a function that may be any, but for those that the model has as values?"""
        return go.startswith("func(") and self.kinds.get(go, "post_sync") == "post_sync"

    def widened(self, record: str, given: str) -> str:
        """A record that comes from the model's surroundings, with the new fields at zero."""
        if record not in self.records:
            return f"copy({given})"
        parts = [f"present={given}.present"]
        for known in FIELDS[record].values():
            part = f"{given}.{known.name}"
            if known.kind == "kill":
                part = self.widened("KillPodOptions", part)
            parts.append(f"{known.name}={f'copy({part})' if known.kind == 'pod' else part}")
        return f"{record}({', '.join(parts)})"

    def delay(self, go: str, canonical: str, length: int | None = None) -> Meaning:
        """A delay of another length than the model's own: one member for each length, since it has no clock. [A5]"""
        self.assumptions[
            "a delay that the model has no name for is unlike its own, and how long it is decides nothing [A5]"
        ] = None
        signs = {"*": "_times_", "/": "_by_", "+": "_plus_", "-": "_minus_", "(": "_of_", ")": "_end_"}
        spelled = "".join(signs.get(sign, sign) for sign in canonical.replace("Delay.", ""))
        name = re.sub(r"\W+", "_", spelled).strip("_").upper()
        self.delays[f"DELAY_{name}"] = go
        return Meaning(f"DELAY_{name}", "duration", length=length)

    def lasting(self, length: int) -> Meaning:
        """A delay of so many nanoseconds; what is due before now is due now."""
        if length <= 0 or length == TRANSIENT:
            return Meaning("Delay.NOW" if length <= 0 else "Delay.TRANSIENT", "duration", length=length)
        size, unit = next((size, unit) for unit, size in reversed(UNITS.items()) if length % size == 0)
        return self.delay(f"{length // size} * time.{unit}", f"{length}ns", length)

    def computed(self, a: Meaning, operator: str, b: Meaning) -> Meaning | None:
        """What is computed of two delays, or of a delay and a number that is known."""
        if "duration" not in (a.kind, b.kind) or operator not in ("+", "-", "*", "/"):
            return None
        if any(value.kind != "duration" and not (value.kind == "int" and value.is_constant) for value in (a, b)):
            return None
        x, y = (int(value.text) if value.kind == "int" else value.length for value in (a, b))
        if x is None or y is None:
            neutral = 0 if operator in "+-" else 1
            if neutral in (y, x if operator in "+*" else None):
                return a if y == neutral else b
            said = (value.text if value.length is None else f"{value.length}ns" for value in (a, b))
            named = f" {operator} ".join(said).join("()")
            return None if operator == "/" and y == 0 else self.delay(named, named)
        if operator == "/":
            return self.lasting(x // y) if x >= 0 and y > 0 else None
        return self.lasting({"+": x + y, "-": x - y, "*": x * y}[operator])

    @staticmethod
    def is_setting(file: GoFile, name: str) -> bool:
        """Is it a field of the workers with a delay, which no function sets?"""
        if file.structs.get("podWorkers", {}).get(name) != "time.Duration":
            return False
        sets = ("assignment_statement", "inc_statement", "dec_statement", "unary_expression")
        places = (node for f in file.functions.values() for node in inside(f.body, *sets))
        written = (node.child_by_field_name("left") or node for node in places)
        return not any(re.search(rf"\.{name}\b", text(node)) for node in written)

    @property
    def times(self) -> set[str]:
        """The times that only a status has, by the model's names."""
        others = {known.name for struct in ("UpdatePodOptions", "KillPodOptions") for known in self.of[struct].values()}
        return {known.name for known in self.of["podSyncStatus"].values() if known.kind == "time"} - others

    @property
    def left_at_zero(self) -> list[str]:
        """The new fields that callers of UpdatePod could set, and do not in the model."""
        return [
            f"whoever calls UpdatePod leaves {struct}.{name} at zero; --assume can say otherwise"
            for struct in ("UpdatePodOptions", "KillPodOptions")
            for name, known in self.of[struct].items()
            if known in self.new[struct]
        ]

    @property
    def of_class(self) -> list[str]:
        """What the class of the workers declares for them."""
        statuses = 'pod_sync_statuses: Annotated[Array[PodSyncStatus], Size("uids"), WORKER]'
        return [statuses] * ("PodSyncStatus" in self.records) + [
            f"{name}: {kind}" for new in self.new["podWorkers"] for name, kind, _ in self.state_of(new)
        ]

    def kind_of_field(self, struct: str, go: str) -> str | None:
        """The kind of a new field; None for one that cannot be kept."""
        kind = self.kinds.get(go)
        if kind in self.annotations:
            return kind
        if struct == "podWorkers" and go in SETS_OF_UIDS:
            return "uid flags"
        element = self.kinds.get(go.removeprefix("map[types.UID]")) if go.startswith("map[types.UID]") else None
        return f"{MAP}{element}" if struct == "podWorkers" and element in self.annotations else None

    def state_of(self, new: GoField) -> list[tuple[str, str, str]]:
        """What a new field of the workers is kept as: name, annotation and zero of each variable."""
        flags = (new.name, 'Annotated[Array[bool], Size("uids"), WORKER]', "False")
        if new.kind == "uid flags":
            return [flags]
        if not new.kind.startswith(MAP):
            return [(new.name, self.annotations[new.kind], self.zeros[new.kind])]
        kind = new.kind.removeprefix(MAP)
        values = f'Annotated[Array[{self.annotations[kind]}], Size("uids"), WORKER]'
        return [flags, (values_of(new.name), values, self.zeros[kind])]

    @property
    def of_restart(self) -> str:
        """How the new fields of the workers are lost with the kubelet."""
        lines = [
            f"        self.{name}{'[uid]' if kind.startswith('Annotated[Array') else ''} = {zero}"
            for new in self.new["podWorkers"]
            for name, kind, zero in self.state_of(new)
        ]
        head = ["    def lose_pod_worker(self, uid: int) -> None:", "        super().lose_pod_worker(uid)"]
        return "\n".join([*head, *lines]) if lines else ""

    @property
    def enumeration_classes(self) -> list[str]:
        """The file's own enumerations, as the model has them."""
        return [
            "\n".join([f"class {class_of(go)}(Enum):", *(f'    {_member(name)} = "{name}"' for name in names)])
            for go, names in self.enumerations.items()
        ]

    def constant(self, name: str, go: str) -> str:
        """A constant of one of the file's own enumerations; empty for any other."""
        return f"{class_of(go)}.{_member(name)}" if name in self.enumerations.get(go, ()) else ""


def class_of(go: str) -> str:
    """The name of an enumeration's class: apart from those of the model."""
    return f"Go{go[0].upper()}{go[1:]}"


def values_of(name: str) -> str:
    """Where the values of a map are kept; under its own name is which keys it has."""
    return f"{name}_values"


def _member(name: str) -> str:
    return snake(name).upper() or "UNSET"


def _enumerations(file: GoFile) -> dict[str, list[str]]:
    """The types of the file that have constants, each with them: numbers from iota, or texts."""
    found: dict[str, list[str]] = {}
    for go, underlying in file.types.items():
        own = {name: constant for name, constant in file.constants.items() if constant.type == go and name != "_"}
        values = [_value(constant) for constant in own.values()]
        is_known = go not in KINDS and underlying in ("int", "int32", "int64", "uint8", "string")
        if is_known and own and None not in values and len(set(values)) == len(values):
            zero = next((name for name, value in zip(own, values, strict=True) if value in ("0", '""')), "")
            found[go] = [zero, *(name for name in own if name != zero)]
    return found


def _value(constant: GoConstant) -> str | None:
    """The value of a constant, where it is plain."""
    words = " ".join(tokens(constant.value))
    if constant.value.type in ("int_literal", "interpreted_string_literal"):
        return words
    added = re.fullmatch(r"iota(?: \+ (\d+))?", words)
    return str(constant.iota + int(added[1] or 0)) if added is not None else None
