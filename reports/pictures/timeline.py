"""A trace of a scenario with containers as a timeline: what a container, a status and an object go through, in bars.

From left to right are the steps that change what the bars show; between two of them any time may pass. Where the model
counts seconds, the bars say them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from podproof.checker.core.system import CheckerError, State, System, Trace, Verdict
from podproof.reports.pictures.bars import BarChart, BarRow
from podproof.reports.pictures.diagram import where

LAYERS = "layers[0]"
_SYNC_CALLS = ("SyncPod", "SyncTerminatingPod", "SyncTerminatingRuntimePod", "SyncTerminatedPod")
_CONTAINERS = (("init_containers", "init_stops", "init container"), ("containers", "stops", "container"))

Shown = Mapping[str, object]
"""The fields of the first pod as they are told, by what comes after `layers[0].`, `config[0].` and `workers[0][0].`."""
Cell = Callable[[Shown], str]


def _api_object(shown: Shown) -> str:
    if not shown["exists"] or shown["object_is_deleted"]:
        return ""
    return f"{'to be deleted, ' if shown['deletion_timestamp'] else ''}{shown['phase']}"


def _sync_call(shown: Shown) -> str:
    position = str(shown["position"])
    return position if position in _SYNC_CALLS else ""


def _stop(shown: Shown, stop: str, stage: str, text: str) -> str:
    return text if shown[f"{stop}.stage"] == stage else ""


def _rows(shown: Shown) -> Iterator[tuple[str, str, Cell]]:
    """Name, what it is, and the cell of a state."""
    yield "API object", "at the API server", _api_object
    yield "status", "of the status manager", lambda at: str(at["status.reported"])
    yield "podIsFinished", "of the status manager", lambda at: "set" if at["pod_is_finished"] else ""
    yield "pod worker", "which sync function", _sync_call
    for kind, stops, noun in (
        ("init_containers", "init_stops", "init container"),
        ("containers", "stops", "container"),
    ):
        for i in range(sum(f"{stops}[{n}].stage" in shown for n in range(8))):
            yield from _rows_of(f"{noun} {i}", f"runtime.{kind}[{i}]", f"{stops}[{i}]")
    yield "sandbox", "of the runtime", lambda at: "ready" if at["runtime.sandboxes[0].state"] == "ready" else ""
    yield "volumes and cgroup", "of the kubelet", lambda at: "there" if at["has_resources"] else ""


def _rows_of(name: str, container: str, stop: str) -> Iterator[tuple[str, str, Cell]]:
    def runs(at: Shown) -> str:
        state = at[f"{container}.state"]
        return f"exited with {at[f'{container}.exit_code']}" if state == "exited" else str(state) * (state == "running")

    def signaled(at: Shown) -> str:
        after, more = at[f"{stop}.rule.elapsed_seconds"], at[f"{stop}.rule.stop_timeout"]
        return _stop(at, stop, "stop signal sent", f"after {after} s; SIGKILL {more} s later")

    yield name, "of the runtime", runs
    waits = "waits until the regular containers have ended"
    yield f"{name}: preStop", "killContainer", lambda at: _stop(at, stop, "preStop hook runs", "runs")
    yield f"{name}: turn", "killContainer", lambda at: _stop(at, stop, waits, "waits")
    yield f"{name}: stop signal", "StopContainer", signaled


@dataclass(frozen=True)
class Timeline:
    """The trace of a verdict as a timeline."""

    system: System
    verdict: Verdict
    trace: Trace
    command: str

    def __post_init__(self) -> None:
        if f"{LAYERS}.pod_is_finished" not in self.system.positions:
            raise CheckerError(
                f"--timeline: {self.system.scenario} has no containers, each by itself, so there is nothing to show; "
                "name a scenario of environment containers with --scenario (see `podproof explain scenarios`)"
            )

    @property
    def caption(self) -> list[str]:
        claim = self.verdict.property
        return [
            f"{self.verdict.status.value} {claim.id}: {where(self.system)}",
            claim.meaning,
            f"{self.verdict.length_of(self.trace)}, of which those that change a bar are shown; {self.system.bounds}",
            f"$ {self.command}",
        ]

    @property
    def chart(self) -> BarChart:
        """The steps from left to right that change a bar; a bar shows what is so after its step."""
        states = [self._shown(state) for state in self.trace.states]
        named = list(_rows(states[0]))
        cells = [tuple(cell(state) for _, _, cell in named) for state in states]
        kept = [i for i in range(1, len(cells)) if cells[i] != cells[i - 1]]
        columns = tuple(self.system.event(self.trace.steps[i - 1].move) for i in kept)
        rows = tuple(BarRow(name, what, tuple(cells[i][j] for i in kept)) for j, (name, what, _) in enumerate(named))
        return BarChart("timeline", "step", columns, tuple(row for row in rows if any(row.cells)), self.caption)

    def _shown(self, state: State) -> Shown:
        shown: dict[str, object] = {}
        for variable, value in zip(self.system.variables, state, strict=True):
            for start in ("config[0].", "workers[0][0].", f"{LAYERS}."):
                if variable.path.startswith(start):
                    shown[variable.path.removeprefix(start)] = variable.show(value)
        return shown

    def dot(self) -> str:
        return self.chart.dot()

    def mermaid(self) -> str:
        return self.chart.mermaid()

    def plantuml(self) -> str:
        return self.chart.plantuml()
