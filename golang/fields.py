"""The fields that a file's structs have and the model's records do not: those of simple types become state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from podproof.golang.syntax import GoFile
from podproof.golang.values import snake
from podproof.golang.vocabulary import FIELDS, KINDS, STATE, ZEROS, GoField

ANNOTATIONS: Mapping[str, str] = {
    "bool": "bool",
    "int": "Seconds",
    "optional": "OptionalSeconds",
    "time": "bool",
    "work_type": "WorkType",
    "update_type": "UpdateType",
    "phase": "Phase",
}
"""Kind of a new field -> what it is declared as. A number that leaves the scenario's seconds is told as such."""
SIMPLE = ", ".join(go for go, kind in KINDS.items() if kind in ANNOTATIONS)
_RECORDS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("KillPodOptions", "KillPodOptions", {}),
    ("UpdatePodOptions", "UpdatePodOptions", {"kill_pod_options": "KillPodOptions"}),
    ("podSyncStatus", "PodSyncStatus", {"pending_update": "UpdatePodOptions", "active_update": "UpdatePodOptions"}),
)
"""Struct, the model's record, and which of its fields are records; what is within comes first."""


class Fields:
    """What there is of the structs of one file, on top of one release."""

    def __init__(self, file: GoFile, base: type) -> None:
        self.of = {struct: dict(fields) for struct, fields in {**FIELDS, "podWorkers": {}}.items()}
        """Struct -> its fields by their Go names."""
        self.new: dict[str, list[GoField]] = {struct: [] for struct in self.of}
        """Struct -> those that no record of the model has."""
        for struct, known in self.of.items():
            for name, go in file.structs.get(struct, {}).items():
                if name in known or name in STATE or name == "syncedAt" or KINDS.get(go) not in ANNOTATIONS:
                    continue
                known[name] = GoField(go, snake(name), KINDS[go])
                if struct == "podSyncStatus" and snake(name) in getattr(base, "__dataclass_fields__", {}):
                    known[name] = replace(known[name], is_apart=True)
                else:
                    self.new[struct].append(known[name])
        self.records: dict[str, str] = {}
        """The records with new fields, under the names of the model's, as they are declared."""
        for struct, record, parts in _RECORDS:
            lines = [
                f"    {name}: {part}{'' if record == 'PodSyncStatus' else f' = field(default_factory={part})'}"
                for name, part in parts.items()
                if part in self.records
            ]
            lines += [
                f"    {new.name}: {ANNOTATIONS[new.kind]}{'' if record == 'PodSyncStatus' else f' = {ZEROS[new.kind]}'}"
                for new in self.new[struct]
            ]
            if lines:
                self.records[record] = "\n".join([f"@dataclass\nclass {record}(state.{record}):", *lines])

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
            f"{new.name}: {ANNOTATIONS[new.kind]}" for new in self.new["podWorkers"]
        ]
