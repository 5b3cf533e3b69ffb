"""Kubelet 1.20: traces, verdicts, and faults that must be noticed. `python tests/test_v1_20.py` rewrites its traces.

The traces were scripted by hand; what they say was seen is what the model shows, which recordings of the real code have
been compared with.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from podproof.checker.conformance import Conformance, read_traces, replay
from podproof.checker.reductions.plan import REDUCTIONS
from podproof.checker.system import CheckerError, Exploration, Limits, Status
from podproof.commands.main import main
from podproof.commands.systems.build import Subject
from podproof.commands.systems.search import explore as check_scenario
from podproof.model.language import NIL, clear, require
from podproof.model.language import copy as copied
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.state import UpdateType
from podproof.model.v1_20.pod_workers import Outcome
from podproof.model.v1_20.recording import record, replayer_factory
from podproof.model.v1_20.release import V1_20
from podproof.model.v1_20.state import Position, UpdatePodOptions
from podproof.specs import CLAIMS

FILE = Path(__file__).parent / "traces" / "v1.20.jsonl"
TRACES: dict[str, Any] = {trace["trace"]: trace for _, trace in read_traces(FILE)}
NOT_COMPARED = ("i", "op", "settled")


def conformance(trace: Any, version: type[V1_20] = V1_20) -> Conformance:
    return replay(trace, replayer_factory(version), "v1.20.jsonl:1")


# -- recorded traces -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_conforms_and_is_what_the_model_records(name: str) -> None:
    result = conformance(TRACES[name])
    assert result.conforms, result.story()
    assert record(TRACES[name], V1_20) == TRACES[name]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a step that holds no further structure, except the ids of calls in flight."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "id" or path[0] != "inflight":
                yield from leaves(inner, (*path, key))
    else:
        yield path


@pytest.mark.parametrize(
    "name", ["a-kill-is-forgotten", "held-on-its-way", "the-cache-fails", "what-the-pod-says-changes-nothing"]
)
def test_a_trace_with_one_other_value_anywhere_does_not_conform(name: str) -> None:
    trace = TRACES[name]
    for number, step in enumerate(trace["steps"]):
        for path in leaves({key: value for key, value in step.items() if key not in NOT_COMPARED}):
            changed = copy.deepcopy(trace)
            inner = changed["steps"][number]
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = _other(inner[path[-1]])
            assert conformance(changed).step == number + 1, f"step {number + 1}: {path} is not compared"


def _other(value: Any) -> Any:
    if isinstance(value, int):
        return not value if isinstance(value, bool) else value + 1
    return {"Succeeded": "Failed"}.get(value, f"x{value}")


def test_any_order_of_the_goroutines_explains_a_trace() -> None:
    """killPodNow calls UpdatePod before the worker has taken the second update, which is then lost, or after."""
    trace = TRACES["a-kill-that-may-come-first"]
    replayer = replayer_factory(V1_20)(trace)
    for step in trace["steps"]:
        (replayer,) = replayer.apply(step)
        while step["settled"] and (groups := replayer.runnable()):
            replayer.run(groups[0][-1])
    other = {**trace, "steps": [*trace["steps"][:-1], {**trace["steps"][-1], **replayer.shown(settled=True)}]}
    assert [len(t["steps"][-1]["completed"]) for t in (trace, other)] == [1, 2]
    assert conformance(trace).conforms and conformance(other).conforms


def test_the_first_difference_is_told_as_a_story() -> None:
    result = conformance(TRACES["a-kill-that-waits-is-not-replaced"], OverwritesAKillThatWaits)
    assert result.story() == (
        "DIFFERS   a-kill-that-waits-is-not-replaced   step 4 of 9   v1.20.jsonl:1\n"
        "  1  UpdatePod(create, rev=1, specGrace=30) of web\n"
        "  2  UpdatePod(sync, rev=2, specGrace=30) of web\n"
        "  3  UpdatePod(kill, rev=3, specGrace=30, grace=5, statusFn=1) of web\n"
        "  4  UpdatePod(sync, rev=4, specGrace=30) of web\n"
        '     pods.web.lastUndelivered.type        recorded "kill", the model shows "sync"\n'
        "     pods.web.lastUndelivered.rev         recorded 3, the model shows 4\n"
        '     pods.web.lastUndelivered.kill        recorded {"grace": 5, "statusFn": 1}, the model shows nothing\n'
        "     pods.web.lastUndelivered.onComplete  recorded 3, the model shows 4"
    )


EVENTS = {
    "there is no event 'syncKnown'; the events are update, killPodNow, forget": {"op": "syncKnown"},
    "'gone' is no cache state; known are '', 'error', 'networkError'": {"op": "cache", "uid": "web", "cache": "gone"},
    "no call 9 was in flight after the step before; in flight: none": {"op": "finish", "uid": "web", "inflight": 9},
    "the key 'uid' is missing": {"op": "forget"},
}


@pytest.mark.parametrize("message", EVENTS)
def test_an_event_that_makes_no_sense_is_refused_with_its_place(message: str) -> None:
    trace = {"trace": "a", "steps": [{"i": 1, "op": EVENTS[message], "settled": True}]}
    with pytest.raises(CheckerError) as refused:
        conformance(trace)
    assert str(refused.value).startswith("v1.20.jsonl:1: step 1: " + message)


# -- the verdicts --------------------------------------------------------------------------------------------------

FAULTY = replace(SCENARIOS["uid-reuse"], kills=2)
"""Where faults are looked for."""
WORLDS = {
    **{name: SCENARIOS[name] for name in ("one-pod", "one-pod-restart", "uid-reuse", "orphan", "open-pod")},
    # Smaller than the scenarios of these names.
    "static-pair": replace(SCENARIOS["static-pair"], kills=0),
    "evict-and-delete": replace(SCENARIOS["evict-and-delete"], deletion_seconds=()),
}


def explore(
    version: type[V1_20],
    world: Scenario,
    wanted: tuple[str, ...] = (),
    most: int | None = None,
    engine: str = "compiled",
) -> Exploration:
    """The wanted claims, or all that apply, as `podproof check` explores them."""
    subject = Subject("v1.20", version, "")
    found = check_scenario(subject, world, wanted, engine, Limits(max_states=most), tuple(REDUCTIONS))
    assert found is not None
    return found


@cache
def run(world: str) -> Exploration:
    """What the checker finds out about 1.20."""
    return explore(V1_20, WORLDS[world])


def table(found: Exploration) -> str:
    """An exploration as the golden file shows it."""
    lines = [
        f"{found.system.scenario}: {found.states:,} states, {found.transitions:,} transitions, depth {found.depth}, "
        f"bounds hit: {found.bounds_hit or 'none'}"
    ]
    for verdict in found.verdicts:
        steps = "" if verdict.depth is None else f"  {verdict.depth}"
        lines.append(f"  {verdict.status.value:8}  {verdict.property.kind:9}  {verdict.property.id}{steps}")
    return "\n".join(lines) + "\n"


def violated(found: Exploration) -> dict[str, int]:
    """The claims that are violated -> after how many steps; 0 for a witness that is never seen."""
    return {verdict.property.id: verdict.depth or 0 for verdict in found.verdicts if verdict.status is Status.VIOLATED}


def test_the_verdicts_are_what_the_checker_finds(golden: Callable[[str, str], None]) -> None:
    golden("v1.20-verdicts.txt", "v1.20\n\n" + "\n".join(table(run(world)) for world in WORLDS))
    assert all(run(world).complete for world in WORLDS)


def test_the_model_run_as_python_says_the_same() -> None:
    pod = replace(SCENARIOS["uid-reuse"].pods[0], adds=1, removes=1)
    world = replace(SCENARIOS["uid-reuse"], pods=(pod,), kills=0)
    compiled, reference = (table(explore(V1_20, world, engine=engine)) for engine in ("compiled", "python"))
    assert compiled == reference


def test_violations_are_the_known_ones() -> None:
    for claim in CLAIMS:
        for world in WORLDS:
            if claim.id in violated(run(world)):
                assert claim.known_violation("v1.20", world), f"{claim.id} in {world}"
        if any(key.startswith("v1.20") for key in claim.known_violations):
            assert any(claim.id in violated(run(world)) for world in WORLDS), claim.id


def test_two_goroutines_of_a_uid_are_always_enough() -> None:
    assert not any(run(world).bounds_hit for world in WORLDS)


def events_of(world: str, id: str) -> list[str]:
    """The events of a claim's counterexample."""
    (verdict,) = (verdict for verdict in run(world).verdicts if verdict.property.id == id)
    assert verdict.trace is not None
    return [step.action for step in verdict.trace.steps]


def test_a_pod_that_is_deleted_while_it_starts_loses_its_volumes_and_starts() -> None:
    events = events_of("one-pod", "containers_run_with_their_resources")
    assert events[-3:] == ["handle_pod_deletion", "tear_down", "start_containers"]


def test_two_static_pods_of_one_name_run_together() -> None:
    assert violated(run("static-pair"))["one_static_pod_runs_per_full_name"] == 8


def test_a_second_kill_is_dropped_while_one_waits() -> None:
    events = events_of("evict-and-delete", "kill_requests_are_accepted")
    assert events == ["handle_pod_additions", "kill_pod_now", "kill_pod_now"]


def test_a_killed_pod_is_started_by_the_update_that_came_behind_the_kill() -> None:
    events = events_of("one-pod", "killed_pods_never_run_again")
    assert events.index("kill_pod_now") < events.index("sync_tick") < events.index("start_containers")


# -- faults that must be noticed -----------------------------------------------------------------------------------


class OverwritesAKillThatWaits(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if self.is_working[uid]:
            clear(self.last_undelivered_work_update[uid])
        super().update_pod(uid, options)


class KeepsTheFirstUpdateThatWaits(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if not self.last_undelivered_work_update[uid].present:
            super().update_pod(uid, options)


class SendsThoughTheWorkerIsBusy(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if self.pod_updates[uid] == NIL:
            self.start_pod_worker(uid)
        self.is_working[uid] = True
        self.send(uid, options)


class StartsAGoroutineForEveryUpdate(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if not self.is_working[uid]:
            self.pod_updates[uid] = NIL
        super().update_pod(uid, options)


class ForgetsThatAGoroutineIsAtWork(V1_20):
    def remove_worker(self, uid: int) -> None:
        super().remove_worker(uid)
        self.is_working[uid] = False


class KeepsWhatWasNotDelivered(V1_20):
    def remove_worker(self, uid: int) -> None:
        if self.pod_updates[uid] != NIL:
            generation = self.pod_updates[uid]
            self.pod_updates[uid] = NIL
            self.close(uid, generation)


class DropsWhatIsInTheChannel(V1_20):
    def close(self, uid: int, generation: int) -> None:
        clear(self.workers[uid][generation].queued)
        super().close(uid, generation)


class NeverForgets(V1_20):
    def forget_worker(self, uid: int) -> None:
        return


class ForgetsDesiredPods(V1_20):
    def forget_non_existing_pod_workers(self) -> None:
        for uid in range(len(self.pod_updates)):
            self.remove_worker(uid)


class NeverRests(V1_20):
    def check_for_updates(self, uid: int, generation: int) -> None:
        super().check_for_updates(uid, generation)
        self.is_working[uid] = True


class GoesOnWithItsOwnChannel(V1_20):
    def check_for_updates(self, uid: int, generation: int) -> None:
        require(self.workers[uid][generation].position == Position.CHECK)
        if self.last_undelivered_work_update[uid].present:
            self.workers[uid][generation].queued = copied(self.last_undelivered_work_update[uid])
            clear(self.last_undelivered_work_update[uid])
        else:
            self.is_working[uid] = False
        self.receive(uid, generation)


class TellsNobodyOfAnError(V1_20):
    def call_back(self, uid: int, generation: int, outcome: Outcome) -> None:
        if outcome != Outcome.OK:
            self.workers[uid][generation].update.on_complete_func = NIL
        super().call_back(uid, generation, outcome)


class TellsBeforeTheKillIsDone(V1_20):
    def sync_pod(self, uid: int, generation: int) -> None:
        super().sync_pod(uid, generation)
        update = self.workers[uid][generation].update
        if update.update_type == UpdateType.KILL and update.on_complete_func != NIL:
            self.on_complete_func(update.on_complete_func, Outcome.OK)
            update.on_complete_func = NIL


class SyncsAgainOnlyAfterAnError(V1_20):
    def wrap_up(self, uid: int, generation: int) -> None:
        require(self.workers[uid][generation].position == Position.ENQUEUE)
        self.workers[uid][generation].position = Position.CHECK


FAULTS = [cls for cls in V1_20.__subclasses__() if cls.__module__ == __name__]


@cache
def noticed_by(fault: type[V1_20]) -> tuple[str, ...]:
    """The claims that hold without the fault and are violated with it."""
    return tuple(violated(explore(fault, FAULTY, held_without_fault(), most=20_000)))


@cache
def held_without_fault() -> tuple[str, ...]:
    """The claims that 1.20 keeps where faults are looked for; witnesses do not count."""
    verdicts = explore(V1_20, FAULTY).verdicts
    return tuple(v.property.id for v in verdicts if v.status is Status.HOLDS and v.property.kind != "sometimes")


def test_every_fault_is_noticed(golden: Callable[[str, str], None]) -> None:
    """By a claim, by a trace, or by both; what is left over would be a fault that nothing here can see."""
    lines = []
    for fault in FAULTS:
        traces = [name for name, trace in TRACES.items() if not conformance(trace, fault).conforms]
        claims = noticed_by(fault)
        assert traces or claims, fault.__name__
        lines += [
            fault.__name__,
            f"  traces  {', '.join(traces) or 'none'}",
            f"  claims  {', '.join(claims) or 'none'}",
        ]
    golden("v1.20-faults.txt", "\n".join(lines) + "\n")


def test_every_claim_notices_a_fault_or_is_broken_by_the_release() -> None:
    """But for witnesses: those guard against a model in which nothing happens."""
    noticed = {id for fault in FAULTS for id in noticed_by(fault)}
    broken = {id for world in WORLDS for id in violated(run(world))}
    about = [
        claim
        for claim in CLAIMS
        if any(claim.applies_to(world.model_class(V1_20), name) for name, world in WORLDS.items())
    ]
    vacuous = [claim.id for claim in about if claim.kind != "sometimes" and claim.id not in noticed | broken]
    assert not vacuous, f"nothing that was tried violates {vacuous}"


# -- the command line ----------------------------------------------------------------------------------------------


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def test_every_command_knows_the_version() -> None:
    code, text = invoke(
        "check", "--version", "v1.20", "--scenario", "uid-reuse", "--property", "kill_requests_are_not_lost"
    )
    assert code == 1 and "last_undelivered_work_update ← kill" in text
    code, text = invoke("diagram", "--version", "v1.20", "--scenario", "uid-reuse")
    assert code == 0 and "pod_manager, containers" in text
    code, text = invoke("export", "promela", "--version", "v1.20", "--scenario", "uid-reuse")
    assert code == 0 and "last_undelivered_work_update" in text
    code, text = invoke("explain", "v1.20")
    assert code == 0 and "model/v1_20/release.py" in text
    code, text = invoke("list", "actions", "--version", "v1.20")
    assert code == 0 and "HandlePodCleanups" in text
    code, text = invoke("conform", str(FILE), "--version", "v1.20")
    assert code == 0 and f"{len(TRACES)} of {len(TRACES)} traces conform to v1.20" in text


def test_a_model_file_may_override_it(tmp_path: Path) -> None:
    file = tmp_path / "keeps_name.py"
    source = inspect.getsource(NeverForgets)
    file.write_text(f"from podproof.model.v1_20.release import V1_20\n\n\n{source}")
    code, text = invoke(
        "check", "--model", str(file), "--scenario", "uid-reuse", "--property", "removed_pods_are_stopped"
    )
    assert code == 1 and "keeps_name  uid-reuse" in text
    file.write_text(file.read_text().replace("forget_worker", "dispatch_work"))
    code, text = invoke("check", "--model", str(file))
    assert code == 2 and "has no effect, the environment defines 'dispatch_work' itself" in text


if __name__ == "__main__":
    with FILE.open("w") as file:
        for trace in TRACES.values():
            file.write(json.dumps(record(trace, V1_20), separators=(",", ":")) + "\n")
