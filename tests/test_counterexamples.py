"""More counterexamples of a claim, one for each action that breaks it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from tests.command_line import run_v1_29 as run
from tests.waterworks import BY_HAND, CLAIMS, breaks, in_scenario, valve_is_open, works

from podproof.checker.core.system import (
    Exploration,
    Limits,
    Property,
    Status,
    Trace,
    Verdict,
)
from podproof.checker.decide import Checker, questions, with_others
from podproof.checker.engines import engine as engine_named
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.compiled import search as compiled_search
from podproof.checker.lowering.claims import lower_properties
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.search import explore


def search(engine: str, reductions: tuple[str, ...] = ("slicing", "constants", "symmetry")) -> Checker:
    return Checker(works(), engine_named(engine), reductions, [{"tanks": (1, 0)}], None)


def explored(how: Checker, most: int, limits: Limits | None = None) -> Exploration:
    lowered, limits = lower_properties(how.system, CLAIMS), limits or Limits()
    return how.with_others(lowered, how.run(lowered, limits), limits, most)


def lengths(v: Verdict) -> dict[str, int]:
    """By the action that breaks the claim."""
    assert v.trace is not None
    traces = [v.trace, *(other.trace for other in v.others)]
    found = {trace.steps[-1].action: len(trace.steps) for trace in traces}
    assert len(found) == len(traces), "two counterexamples with one action"
    return found


@pytest.mark.parametrize("engine", ["python", "compiled", "symbolic", "diagrams"])
def test_there_is_a_shortest_counterexample_for_each_action_that_breaks_a_claim(engine: str) -> None:
    found = explored(search(engine), 9)
    assert {v.property.id: lengths(v) for v in found.verdicts} == BY_HAND
    for v in found.verdicts:
        assert v.trace is not None and (v.more, v.not_known) == ((), "")
        own = [v.trace, *(other.trace for other in v.others)]
        assert [len(trace.steps) for trace in own] == sorted(len(trace.steps) for trace in own)
        for trace in own:
            assert breaks(works(), v.property, trace)[-1] == len(trace.steps)


@pytest.mark.parametrize("reductions", [(), ("slicing",), ("constants",), ("symmetry",)])
def test_no_reduction_loses_one(reductions: tuple[str, ...]) -> None:
    found = explored(search("compiled", reductions), 9)
    assert {v.property.id: lengths(v) for v in found.verdicts} == BY_HAND


def test_the_first_is_the_one_that_is_shown_alone() -> None:
    lowered = lower_properties(works(), CLAIMS)
    first = search("compiled").run(lowered, Limits()).verdicts
    for v, alone in zip(explored(search("compiled"), 3).verdicts, first, strict=True):
        assert v.trace == alone.trace and not alone.others and alone.more is None


def test_no_more_are_given_than_were_asked_for_and_the_rest_is_named() -> None:
    by_claim = {v.property.id: v for v in explored(search("compiled"), 2).verdicts}
    full = by_claim["no_tank_is_full"]
    assert [len(other.trace.steps) for other in full.others] == [4]
    assert full.more == ("flow",)
    assert by_claim["valves_stay_shut"].others == ()


def test_each_has_its_own_false_part() -> None:
    (full,) = (v for v in explored(search("compiled"), 3).verdicts if v.property.id == "no_tank_is_full")
    for other in full.others:
        assert other.failure is not None and other.failure.part is not None
        assert (other.failure.part.text, other.failure.part.shown) == ("state.level[tank] <= 3", "4 <= 3")


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_states=12), r"stopped at \d+ states \(--max-states\)"),
        (Limits(max_depth=3), r"stopped at depth 3 \(--max-depth\)"),
        (Limits(seconds=0.0), r"stopped after 0 s \(--budget\)"),
    ],
)
def test_what_was_not_explored_is_said(limits: Limits, reason: str) -> None:
    found = explored(search("python"), 9, limits)
    violated = [v for v in found.verdicts if v.status is Status.VIOLATED]
    assert violated
    for v in violated:
        if v.property.id == "valves_stay_shut":  # No other action can write the valve, whatever was explored.
            assert (v.more, v.not_known) == ((), "")
        else:
            assert re.fullmatch(f"[1-9] more actions?: {reason}", v.not_known)


def test_nothing_is_looked_for_after_an_interruption() -> None:
    lowered = lower_properties(works(), CLAIMS)
    how = search("python")
    found = replace(how.run(lowered, Limits()), interrupted=True, complete=False, reason="interrupted")
    again = how.with_others(lowered, found, Limits(), 9)
    assert again.interrupted
    notes = [v.not_known for v in again.verdicts if v.property.id != "valves_stay_shut"]
    assert notes and all(re.fullmatch("[1-9] more actions?: interrupted", note) for note in notes)


def test_an_action_that_an_engine_gave_up_on_is_not_said_to_break_nothing() -> None:
    lowered = lower_properties(works(), CLAIMS[:1])
    found = search("compiled").run(lowered, Limits())
    asked = tuple(questions(works(), lowered, found))
    answers = [Verdict(q.property, Status.UNKNOWN, "not violated so far; Z3 gave up") for _, q in asked]
    (v,) = with_others(found, asked, answers, 9).verdicts
    assert (v.others, v.more, v.not_known) == ((), (), f"{len(asked)} more actions: Z3 gave up")


def test_a_claim_that_is_false_from_the_beginning_is_broken_by_no_action() -> None:
    lowered = lower_properties(works(), [Property("open", "always", "", valve_is_open)])
    how = search("compiled")
    (v,) = how.with_others(lowered, how.run(lowered, Limits()), Limits(), 9).verdicts
    assert v.trace is not None and not v.trace.steps
    assert [(other.action, len(other.trace.steps)) for other in v.others] == [("turn", 2)]


def test_actions_that_cannot_break_a_claim_are_not_asked_about() -> None:
    lowered = lower_properties(works(), CLAIMS)
    found = search("compiled").run(lowered, Limits())
    asked = {(claim, q.property.action) for claim, q in questions(works(), lowered, found)}
    assert not any(claim == "valves_stay_shut" for claim, _ in asked)
    assert ("no_tank_is_full", "switch") not in asked and ("no_tank_is_full", "flow") in asked


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "symbolic"])
def test_engines_find_the_same_about_the_pod_worker(engine: str) -> None:
    subject, (scenario,) = subject_of("v1.29", None), scenarios_of(["killed-pod"])
    names = ("slicing", "constants", "symmetry")
    found = explore(subject, scenario, ("evictions_are_recorded",), engine, Limits(), names, None, 9)
    assert found is not None
    (v,) = found.verdicts
    expected = {"kill_pod_now": 3, "housekeeping_sync_known_pods": 5, "worker_sync_terminating_pod_returns": 6}
    assert lengths(v) == expected and (v.more, v.not_known) == ((), "")


def by_threads(threads: int) -> list[tuple[str, list[Trace]]]:
    system, claims = in_scenario("v1.29", "killed-pod")
    lowered = lower_properties(system, claims)
    found = Compiled(threads=threads).run(system, lowered)
    asked = tuple(questions(system, lowered, found))
    answers = Compiled(threads=threads).run(system, [question for _, question in asked])
    together = with_others(found, asked, answers.verdicts, 9)
    return [(v.property.id, [other.trace for other in v.others]) for v in together.verdicts]


@pytest.mark.slow
def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_search, "_WIDE", 1)
    one = by_threads(1)
    assert {id: len(others) for id, others in one}["evictions_are_recorded"] == 2
    assert by_threads(3) == one


# -- the command -------------------------------------------------------------------------------------------------------

EVICTED = ("check", "--scenario", "killed-pod", "--property", "evictions_are_recorded")


def test_one_counterexample_is_what_is_shown_without_the_option() -> None:
    plain = run(*EVICTED)
    assert plain.exit_code == 0
    assert run(*EVICTED, "--counterexamples", "1").stdout == plain.stdout


@pytest.mark.slow
def test_each_is_told_where_it_is_shortest_and_no_more_than_wanted_in_all() -> None:
    grace = ("check", "--property", "grace_period_only_decreases", "--counterexamples", "3")
    result = run(*grace, "--scenario", "deleted-and-killed", "--scenario", "one-pod")
    killed, _, one_pod = result.stdout.partition("v1.29  one-pod")
    assert "KNOWN     grace_period_only_decreases  3 steps, shortest\n" in killed
    assert "a shortest trace is shown under deleted-and-killed" in one_pod
    assert "counterexample" not in killed.replace("--counterexamples", "")
    assert "counterexample 2, broken by handle_pod_deletion: 3 steps" in one_pod
    assert "counterexample 3, broken by handle_pod_removes: 4 steps" in one_pod
    assert "counterexample 4" not in one_pod
    assert "others: also broken by pod_event, sync_tick" in one_pod


def test_json_has_the_other_traces_and_the_false_parts() -> None:
    document = json.loads(run(*EVICTED, "--counterexamples", "3", "-o", "json").stdout)
    (claim,) = document["results"][0]["properties"]
    assert claim["falseConjunct"]["text"] == "status.evicted"
    assert claim["falseConjunct"]["source"].startswith("specs/always.py:")
    assert claim["falseConjunct"]["values"]["uid"] == "web"
    others = claim["otherCounterexamples"]
    assert [(other["action"], len(other["trace"])) for other in others] == [
        ("housekeeping_sync_known_pods", 5),
        ("worker_sync_terminating_pod_returns", 6),
    ]
    assert all(other["trace"][-1]["action"] == other["action"] and other["falseConjunct"] for other in others)
    assert claim["otherCounterexamplesNote"] == "no other action breaks it here"


def test_json_says_nothing_of_others_that_nobody_asked_for() -> None:
    document = json.loads(run(*EVICTED, "-o", "json").stdout)
    assert not [key for key in document["results"][0]["properties"][0] if key.startswith("other")]
