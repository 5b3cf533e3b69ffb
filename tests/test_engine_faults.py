"""What an engine found and the model does not show is an internal error, whatever it is: no such thing is ever told."""

from __future__ import annotations

import dataclasses
import platform
import shlex
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.command_line import run
from tests.small_worker import Worker, small_worker
from werkzeug.test import Client

from podproof.checker.core.system import (
    Counterexample,
    EngineFault,
    Exploration,
    LoweredProperty,
    Property,
    Status,
    System,
    Transition,
)
from podproof.checker.decide import confirm
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.diagrams import Diagrams
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.engines.python import Python
from podproof.checker.engines.symbolic import Symbolic
from podproof.checker.lowering.claims import lower_properties
from podproof.cli.explore_server import HOST, Application, question
from podproof.model.scenarios import Scenario
from podproof.queries import proving, search
from podproof.queries.build import Subject, system_of

Plant = Callable[[System, Transition], Transition]
ENGINES: dict[str, Callable[[System, Sequence[LoweredProperty]], Exploration]] = {
    "python": lambda s, p: Python().run(s, p),
    "compiled": lambda s, p: Compiled().run(s, p),
    "symbolic": lambda s, p: Symbolic().run(s, p),
    "diagrams": lambda s, p: Diagrams().run(s, p),
    "prove": lambda s, p: prove(s, p, 30, 1, ProofOptions(), lambda _: None).exploration,
}


def one_thing_at_a_time(state: Worker) -> bool:
    return not (state.queued and state.busy)


def never_fails_twice(state: Worker) -> bool:
    return state.failures < 2


def is_done(state: Worker) -> bool:
    return state.done


def failures_never_go_down(before: Worker, after: Worker) -> bool:
    return before.failures <= after.failures


CLAIMS = (
    Property("one_thing_at_a_time", "always", "Holds.", one_thing_at_a_time),
    Property("failures_never_go_down", "step", "Holds.", failures_never_go_down),
    Property("never_fails_twice", "always", "Does not hold.", never_fails_twice),
)
WITNESS = Property("is_done", "sometimes", "Is seen.", is_done)


def planted(action: str, plant: Plant) -> System:
    """The small worker with a graph that says something else of one action than the model does."""
    system = small_worker(Worker)
    transitions = tuple(plant(system, t) if t.action.name == action else t for t in system.transitions)
    return dataclasses.replace(system, transitions=transitions)


def always_possible(system: System, t: Transition) -> Transition:
    return dataclasses.replace(t, enabled=system.graph.true)


def stays_busy(system: System, t: Transition) -> Transition:
    return dataclasses.replace(t, updates={**t.updates, "busy": system.graph.true})


def forgets_failures(system: System, t: Transition) -> Transition:
    return dataclasses.replace(t, updates={**t.updates, "failures": system.graph.integer(0)})


def is_done_at_once(system: System, t: Transition) -> Transition:
    """Other steps than the model's on the way to a violation that the model has, too."""
    return dataclasses.replace(t, updates={**t.updates, "done": system.graph.true})


@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_model_shows_is_confirmed(engine: str) -> None:
    system = small_worker(Worker)
    found = ENGINES[engine](system, lower_properties(system, CLAIMS))
    assert confirm(found) is found
    assert [v.status for v in found.verdicts][2] is Status.VIOLATED


@pytest.mark.parametrize("engine", ["compiled", "symbolic", "diagrams", "prove"])
@pytest.mark.parametrize(
    ("action", "plant", "text"),
    [
        ("begin", always_possible, r"cannot be taken: Disabled"),
        ("end", stays_busy, r"step 4, the job ends, well: False, cannot be taken: Disabled"),
        (
            "end",
            is_done_at_once,
            r"no evidence: step 3, the job ends, well: False: the graph makes something else of done",
        ),
        ("look", forgets_failures, r"(the graph makes something else of failures|does not show it)"),
    ],
)
def test_a_wrong_graph_is_found_out(engine: str, action: str, plant: Plant, text: str) -> None:
    system = planted(action, plant)
    with pytest.raises(EngineFault, match=text):
        confirm(ENGINES[engine](system, lower_properties(system, CLAIMS)))


@pytest.mark.parametrize("engine", ["compiled", "symbolic", "diagrams"])
def test_a_wrong_witness_is_found_out(engine: str) -> None:
    system = planted("come", lambda s, t: dataclasses.replace(t, updates={**t.updates, "done": s.graph.true}))
    with pytest.raises(
        EngineFault, match="is_done: its trace of 1 steps is no evidence: step 1, a job comes: the graph"
    ):
        confirm(ENGINES[engine](system, lower_properties(system, [WITNESS])))


@pytest.mark.parametrize("engine", ["compiled", "symbolic", "diagrams"])
@pytest.mark.parametrize("claim", [*CLAIMS[:2], WITNESS], ids=lambda claim: str(claim.id))
def test_a_claim_that_was_read_wrongly_is_found_out(engine: str, claim: Property) -> None:
    system = small_worker(Worker)
    (lowered,) = lower_properties(system, [claim])
    graph = system.graph
    wrong = dataclasses.replace(lowered, steps=tuple(t.enabled for t in system.transitions))
    if lowered.state is not None:
        wrong = dataclasses.replace(lowered, state=graph.boolean(claim.kind == "sometimes"))
    with pytest.raises(EngineFault, match=f"{claim.id}: its trace of . steps is no evidence: the model, which was run"):
        confirm(ENGINES[engine](system, [wrong]))


def test_a_line_that_is_not_reached_is_found_out() -> None:
    system = small_worker(Worker)
    claim = Property("no_line", "never", "Holds.", lines=("a line",))
    wrong = LoweredProperty(claim, steps=tuple(t.enabled for t in system.transitions))
    with pytest.raises(EngineFault, match="no_line: its trace of 1 steps is no evidence: the model"):
        confirm(Compiled().run(system, [wrong]))


def test_every_other_counterexample_is_confirmed_too() -> None:
    system = small_worker(Worker)
    found = Compiled().run(system, lower_properties(system, CLAIMS[2:]))
    (verdict,) = found.verdicts
    assert verdict.trace is not None
    short = Counterexample(dataclasses.replace(verdict.trace, steps=verdict.trace.steps[:2]))
    with pytest.raises(EngineFault, match="its trace of 2 steps is no evidence"):
        confirm(dataclasses.replace(found, verdicts=(dataclasses.replace(verdict, others=(short,)),)))


# -- as the command line tells it --------------------------------------------------------------------------------------

RESTART = "terminated_pods_never_restart"


def forgetful(subject: Subject, scenario: Scenario, unbounded: bool = False) -> System:
    """In the graph, and only there, housekeeping makes a terminated pod one that is not."""
    system = system_of(subject, scenario, unbounded)
    path = "pod_sync_statuses[0].terminated_at"
    transitions = (
        dataclasses.replace(t, updates={**t.updates, path: system.graph.false})
        if t.action.name == "housekeeping_sync_known_pods"
        else t
        for t in system.transitions
    )
    return dataclasses.replace(system, transitions=tuple(transitions))


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--engine", "symbolic"),
        ("check", "--counterexamples", "3"),
        ("check", "--reduce", "none"),
        ("prove",),
    ],
    ids=" ".join,
)
def test_a_fault_of_an_engine_is_told_with_what_a_report_needs(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in (search, proving):
        monkeypatch.setattr(module, "system_of", forgetful)
    model = tmp_path / "my change.py"
    model.write_text("from podproof.model.versions import V1_29\n\n\nclass Mine(V1_29):\n    pass\n")
    line = (*arguments, "--model", str(model), "--scenario", "orphan", "--property", RESTART)
    monkeypatch.setattr("sys.argv", ["/usr/bin/podproof", *line])
    result = run(*line)
    assert (result.exit_code, result.stdout) == (3, "")
    told = result.stderr.splitlines()
    assert "Traceback (most recent call last):" in told
    *_, what, sentence, command, made_by = told
    assert what.startswith("internal error: ") and ("cannot be taken" in what or RESTART in what)
    assert sentence.startswith("This is a fault of podproof") and "with the model attached" in sentence
    assert command == f"    {shlex.join(['podproof', *line])}"
    assert made_by.startswith(f"    podproof {version('podproof')}, Python {platform.python_version()}, ")


@pytest.mark.parametrize("place", ["options.subject_of", "main.importlib.import_module"])
def test_no_error_of_podproof_itself_is_a_bare_traceback(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("planted")

    run("explain", "versions")
    monkeypatch.setattr(f"podproof.cli.{place}", broken)
    result = run("check")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr and "internal error: 'planted'" in result.stderr
    assert "This is a fault of podproof" in result.stderr


def test_an_error_in_the_page_that_is_served_is_told_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> str:
        raise KeyError("planted")

    client = Client(Application(str, {}, {"/view": question(broken)}, 8151))
    answer = client.post("/view", json={}, base_url=f"http://{HOST}:8151")
    assert answer.status_code == 500
    assert answer.get_json() == {"error": "this is a fault of podproof; the terminal says what to report"}
    assert "internal error: 'planted'" in capsys.readouterr().err
