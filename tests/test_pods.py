"""How many pods are enough: a pod among others does what it could do by itself, and what that says about claims."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest
from tests import command_line, jealous
from tests.exploring import explored

from podproof.checker.core.system import NO_LIMITS, CheckerError, Move, Outcome, Property, Status, System
from podproof.checker.core.trace import evidence
from podproof.checker.engines.compiled import Compiled
from podproof.checker.locality import Simulation, StateFunction, carries_over, untaken_alike
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, relevant_variables
from podproof.model.crowd import OWN_COUNTERS, Crowd, crowd
from podproof.model.kubelet import Budget, Chore, Kubelet
from podproof.model.language import Event, require
from podproof.model.node import Node
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS, PodDescription, Scenario
from podproof.model.state import Position
from podproof.queries import crowds
from podproof.queries.build import Subject, properties_of, subject_of, system_of
from podproof.queries.cache import Cache, CachedQuery
from podproof.queries.crowds import LIST_PODS, SYNC_KNOWN_PODS, _among_others, abstraction_of, answer_for
from podproof.queries.page import scenario_maps
from podproof.queries.search import explore
from podproof.reports.content.pods import PodsVerdict
from podproof.specs.claim import claim
from podproof.specs.drivers import lists_pods

SUBJECT = Subject("v1.29", V1_29, "")
ORPHAN, STATIC, PAIR = SCENARIOS["orphan"], SCENARIOS["uid-reuse"], SCENARIOS["static-pair"]
STAGES_OF_HOUSEKEEPING = ("housekeeping_drives_orphans_on", "names_of_removed_pods_become_free")
"""The claims that ask where the pass of housekeeping stands, which for a pod alone ends sooner than with others."""


def gaps(version: type[V1_29], together: Crowd) -> list[str]:
    """What is in the way of the first member living by itself."""
    large, small = (system_of(Subject("test", version, ""), s, unbounded=True) for s in (together, together.alone(0)))
    return list(Simulation(large, small, abstraction_of(together, 0)).gaps())


def two_of(scenario: Scenario) -> tuple[System, System, tuple[Simulation, Simulation]]:
    """A scenario twice, once, and the two parts."""
    twice = crowd(scenario, scenario)
    large, small = system_of(SUBJECT, twice, True), system_of(SUBJECT, twice.alone(0), True)
    first, second = (Simulation(large, small, abstraction_of(twice, n)) for n in (0, 1))
    return large, small, (first, second)


# -- what is shown -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_claims_carry_over_but_those_about_stages_of_housekeeping() -> None:
    answer = answer_for(SUBJECT, crowd(ORPHAN, ORPHAN))
    assert answer.gaps == ()
    assert tuple(answer.alone) == STAGES_OF_HOUSEKEEPING
    claims = [p.id for p in properties_of(SUBJECT, ORPHAN) if p.kind != "sometimes"]
    assert sorted((*answer.carried, *STAGES_OF_HOUSEKEEPING)) == sorted(claims)


@pytest.mark.slow
def test_pods_of_other_kinds_are_no_more_in_the_way() -> None:
    assert not gaps(V1_29, crowd(SCENARIOS["one-pod-restart"], replace(PAIR, restarts=1)))


@pytest.mark.slow
def test_two_static_pods_of_one_name_live_by_themselves_among_others_like_them() -> None:
    assert not gaps(V1_29, crowd(replace(PAIR, kills=0), PAIR))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [ORPHAN, STATIC], ids=lambda scenario: scenario.name)
def test_what_is_assumed_of_a_step_is_possible(scenario: Scenario) -> None:
    large, _, parts = two_of(scenario)
    for part in parts:
        for number, t in enumerate(large.transitions):
            possible = not part.always(large.graph.false, part.where(number))
            assert possible == (t.enabled is not large.graph.false), (t.action.name, t.fixed)


# -- what is noticed ---------------------------------------------------------------------------------------------------


class Forgetful(V1_29):
    """Whoever forgets one pod empties the work queue of all."""

    def delete_pod_sync_status(self, uid: int) -> None:
        super().delete_pod_sync_status(uid)
        for other in range(len(self.work_queue)):
            self.work_queue[other] = False


class Watchful(V1_29):
    """A pod's worker ends its iteration by looking whether another pod works."""

    def nothing_pending(self, uid: int) -> None:
        for other in range(len(self.pod_sync_statuses)):
            if other != uid and self.pod_sync_statuses[other].working:
                self.work_queue[uid] = False
        super().nothing_pending(uid)


@pytest.mark.slow
def test_a_pod_that_writes_what_belongs_to_another_one_is_noticed() -> None:
    found = gaps(Forgetful, crowd(ORPHAN, ORPHAN))
    assert "housekeeping_sync_known_pods() is not always the step that it is by itself" in found
    sentence = "worker_sync_terminating_runtime_pod_returns(uid=web-1) is not always no step for the others"
    assert sentence in found


@pytest.mark.slow
def test_a_pod_that_reads_what_belongs_to_another_one_is_noticed() -> None:
    found = gaps(Watchful, crowd(ORPHAN, ORPHAN))
    assert found == ["worker_complete_work(uid=web-0) is not always the step that it is by itself"]


class Hesitant(V1_29):
    """A pod's worker does nothing while another one works."""

    def start_pod_sync(self, uid: int, generation: int) -> None:
        worker = self.workers[uid][generation]
        require(worker.position == Position.TOKEN or (worker.position == Position.SPAWNED and worker.token))
        for other in range(len(self.pod_sync_statuses)):
            if other != uid and self.pod_sync_statuses[other].working:
                return
        super().start_pod_sync(uid, generation)


@pytest.mark.slow
def test_a_pod_that_does_nothing_because_of_another_one_is_noticed() -> None:
    found = gaps(Hesitant, crowd(ORPHAN, ORPHAN))
    assert found == ["worker_start_pod_sync(uid=web-0) is not always the step that it is by itself"]


def test_a_bound_that_a_member_lacks_cuts_it_off_nowhere() -> None:
    _, small, (first, _) = two_of(ORPHAN)
    number = next(n for n, image in enumerate(first.images) if image is not None and small.transitions[image].bounds)
    assert first.projected(number, Outcome.CUT_OFF) is not first.graph.false
    assert first.projected(number, Outcome.CUT_OFF, "another bound") is first.graph.false


@pytest.mark.slow
def test_static_pods_meet_in_their_full_name() -> None:
    two = crowd(STATIC, STATIC)
    # No crowd that somebody writes is like this.
    object.__setattr__(two, "pods", tuple(replace(pod, full_name="static-web") for pod in two.pods))
    found = gaps(V1_29, two)
    assert "worker_start_pod_sync(uid=static-1) is not always no step for the others" in found
    assert "worker_start_pod_sync(uid=static-0) is not always the step that it is by itself" in found


def nobody_works(state: Node) -> bool:
    return not state.pod_sync_statuses[0].working


def test_what_keeps_the_members_apart_is_kept_by_every_step() -> None:
    large, small, (first, _) = two_of(ORPHAN)
    wrong = replace(first.abstraction, invariant=(*first.abstraction.invariant, StateFunction(nobody_works)))
    found = list(Simulation(large, small, wrong).gaps())
    assert "worker_sync_pod_returns(uid=web-0) does not keep what keeps the parts apart" in found


@pytest.mark.slow
def test_a_member_begins_as_it_does_by_itself() -> None:
    large, small, (first, _) = two_of(ORPHAN)
    at = small.index("pods_synced")
    (state,) = small.initial
    later = replace(small, initial=((*state[:at], 1 - state[at], *state[at + 1 :]),))
    assert list(first.gaps()) == [] and "the initial states differ" in list(
        Simulation(large, later, first.abstraction).gaps()
    )


def no_pods_are_listed(before: Node, event: Event, after: Node) -> bool:
    return event.action != "housekeeping_list_pods"


def test_what_only_the_whole_does_violates_a_claim_for_no_member() -> None:
    """A pass of housekeeping that a member alone has ended already lists the pods of another one."""
    large, small, parts = two_of(ORPHAN)
    claimed = Property("no_pods_are_listed", "step", "", no_pods_are_listed)
    mine, theirs = (lower_properties(system, [claimed])[0] for system in (large, small))
    assert carries_over(parts, mine, [theirs, theirs]) == LIST_PODS


def test_a_claim_that_names_two_pods_does_not_carry_over() -> None:
    def one_pod_works_at_a_time(state: Node) -> bool:
        for first in range(len(state.pod_sync_statuses)):
            for second in range(first + 1, len(state.pod_sync_statuses)):
                if state.pod_sync_statuses[first].working and state.pod_sync_statuses[second].working:
                    return False
        return True

    large, small, parts = two_of(ORPHAN)
    claim = Property("one_pod_works_at_a_time", "always", "", one_pod_works_at_a_time)
    (wide,), (narrow,) = lower_properties(large, [claim]), lower_properties(small, [claim])
    assert carries_over(parts, wide, (narrow, narrow)) == "a state"


# -- what it comes to --------------------------------------------------------------------------------------------------


def violated(scenario: Scenario, *claims: Property) -> set[str]:
    """The claims about states and steps that the scenario violates; of these, or else of all."""
    system = system_of(SUBJECT, scenario)
    claims = claims or tuple(p for p in properties_of(SUBJECT, scenario) if p.kind != "sometimes")
    lowered = lower_properties(system, claims)
    found = Compiled().run(system, lowered, relevant_variables(system, lowered))
    assert found.complete
    return {v.property.id for v in found.verdicts if v.status is Status.VIOLATED}


def with_silent_neighbour(scenario: Scenario) -> Scenario:
    """The scenario with a pod more, of which nobody ever hears anything."""
    return replace(scenario, pods=(*scenario.pods, PodDescription("silent", "silent_default", adds=0, removes=0)))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [ORPHAN, STATIC], ids=lambda scenario: scenario.name)
def test_what_a_pod_violates_by_itself_it_violates_among_others(scenario: Scenario) -> None:
    alone, among_others = violated(scenario), violated(with_silent_neighbour(scenario))
    assert alone <= among_others <= alone | set(STAGES_OF_HOUSEKEEPING)


def pods_without_history_are_created(before: Kubelet, after: Kubelet) -> bool:
    """Housekeeping creates every active pod without history, also one that SyncKnownPods returned before."""
    for uid in range(len(before.pod_manager)):
        active = before.pod_manager[uid] and before.is_active(uid) and not before.rejected[uid]
        if lists_pods(before, after) and active and not before.pod_sync_statuses[uid].present:
            if after.chores[uid] != Chore.RECREATE:
                return False
    return True


def test_what_a_pass_leaves_for_the_next_one_is_seen_with_a_second_pod_only() -> None:
    claim = Property("in_this_pass", "step", "", pods_without_history_are_created)
    assert violated(ORPHAN, claim) == set()
    assert violated(with_silent_neighbour(ORPHAN), claim) == {"in_this_pass"}


# -- a node, decided by its members -----------------------------------------------------------------------------------

SMALL_NODE = crowd(ORPHAN, SCENARIOS["static-rejected"])


@pytest.mark.slow
def test_a_node_is_decided_as_by_exploring_all_of_it() -> None:
    """Both ways for a node that is small enough: equal but for what its members say that they do not know."""
    wanted = tuple(p.id for p in properties_of(SUBJECT, SMALL_NODE))
    whole = explore(SUBJECT, SMALL_NODE, wanted, "diagrams", NO_LIMITS, tuple(REDUCTIONS))
    by_members = explore(SUBJECT, SMALL_NODE, wanted, "auto", NO_LIMITS, tuple(REDUCTIONS))
    assert whole is not None and by_members is not None
    assert by_members.states < whole.states == 11_006_551
    statuses = {v.property.id: v.status for v in whole.verdicts}
    unknown = {v.property.id for v in by_members.verdicts if v.status is Status.UNKNOWN}
    assert unknown == set(STAGES_OF_HOUSEKEEPING)
    assert all(v.status is statuses[v.property.id] for v in by_members.verdicts if v.property.id not in unknown)


def test_a_pass_goes_on_among_others_that_housekeeping_does_not_know() -> None:
    twice = crowd(ORPHAN, ORPHAN)
    large, small = system_of(SUBJECT, twice), system_of(SUBJECT, twice.alone(0))
    add, work = Move("handle_pod_additions", {"uid": 0, "admission": 0}), {"uid": 0, "generation": 0}
    alone = evidence(small, [add, Move(SYNC_KNOWN_PODS, {}), Move("worker_start_pod_sync", work)])
    moves = _among_others(large, twice.names_of(1), small, alone).moves
    assert [move.action for move in moves] == [add.action, SYNC_KNOWN_PODS, LIST_PODS, "worker_start_pod_sync"]
    assert moves[0].values["uid"] == moves[3].values["uid"] == 1


@pytest.mark.slow
def test_nothing_holds_for_members_that_are_not_shown_to_do_what_they_do_by_themselves() -> None:
    claims = ("terminated_pods_never_restart", "evictions_are_recorded")
    subject = Subject("test", Watchful, "")
    found = explore(subject, crowd(ORPHAN, ORPHAN), claims, "auto", NO_LIMITS, tuple(REDUCTIONS))
    assert found is not None and not found.complete and "is not always the step" in found.reason
    holds, violated = sorted(found.verdicts, key=lambda v: claims.index(v.property.id))
    assert violated.status is Status.VIOLATED and not violated.is_shortest
    assert holds.status is Status.UNKNOWN
    assert holds.reason.endswith("worker_complete_work(uid=web-0) is not always the step that it is by itself")


def test_what_members_violate_by_themselves_is_told_where_the_proof_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> PodsVerdict:
        raise KeyboardInterrupt

    monkeypatch.setattr(crowds, "answer_for", interrupted)
    claims = ("terminated_pods_never_restart", "evictions_are_recorded")
    found = explore(SUBJECT, crowd(ORPHAN, ORPHAN), claims, "auto", NO_LIMITS, tuple(REDUCTIONS))
    assert found is not None and found.interrupted and not found.complete
    statuses = {v.property.id: (v.status, v.reason) for v in found.verdicts}
    assert statuses == {
        "terminated_pods_never_restart": (Status.UNKNOWN, "interrupted"),
        "evictions_are_recorded": (Status.VIOLATED, "after 3 steps"),
    }


def test_a_member_by_itself_has_the_seconds_of_all() -> None:
    """Another member's grace periods may be asked for of its pods too."""
    together = crowd(replace(ORPHAN, deletion_seconds=(5,)), replace(ORPHAN, deletion_seconds=(0,)))
    for number in (0, 1):
        alone = together.alone(number)
        assert alone.domains["deletion_seconds"] == together.domains["deletion_seconds"] == ((5, 0), {})


# -- the command -------------------------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    result = command_line.run_v1_29("prove", "--pods", *arguments)
    return result.exit_code, result.output


@pytest.mark.slow
def test_the_command_says_what_was_shown_and_what_carries_over() -> None:
    claim, other = "terminated_pods_never_restart", STAGES_OF_HOUSEKEEPING[0]
    code, text = run("--scenario", "orphan", "--property", claim, "--property", other)
    assert code == 0
    assert "SHOWN     in each of 54 transitions" in text
    assert "meet in   sources_ready: read by sync loop, housekeeping; written by sync loop, kubelet" in text
    assert f"CARRIES   1 claims: {claim}" in text
    assert f"ALONE     {other}   housekeeping_sync_known_pods: depends on housekeeping and" in text


@pytest.mark.slow
def test_a_claim_that_is_asked_of_some_members_only_does_not_hold() -> None:
    def no_static_pod_runs(state: Node) -> bool:
        for uid in range(len(state.containers)):
            if state.is_static_pod(uid) and state.containers[uid]:
                return False
        return True

    function = claim("always", "ours", scenarios=("mine", "orphan-added"))(no_static_pod_runs)
    subject = replace(subject_of("v1.29", None), own_claims=(function.__claim__,))  # type: ignore[attr-defined]
    members = crowd(SCENARIOS["orphan-added"], SCENARIOS["static-rejected"], name="mine")
    found = explore(subject, members, ("no_static_pod_runs",), "auto", NO_LIMITS, tuple(REDUCTIONS))
    assert found is not None
    (verdict,) = found.verdicts
    assert verdict.status is Status.UNKNOWN and "not asked of each member" in verdict.reason
    assert not found.complete and found.reason == "no claim is about static-rejected by itself"


def test_what_a_member_violates_by_itself_alone_does_not_hold() -> None:
    """Where the others are in the way of its trace, not even if everything else was shown."""
    found = explored("v1.29", "orphan")
    violated = next(v for v in found.verdicts if v.status is Status.VIOLATED and not v.property.is_witnessed)
    id = violated.property.id
    shown = PodsVerdict("v1.29", "orphan", "two", {"orphan": 2}, 2, 0, True, (), (), carried=(id,), alone={})
    verdict = crowds._verdict(violated.property, None, [violated], shown)
    assert verdict.status is Status.UNKNOWN and verdict.reason.startswith("a member violates it by itself")


class Careless(V1_29):
    """A step asks how many calls of killPodNow are left to the whole node."""

    def nothing_pending(self, uid: int) -> None:
        if self.budget.kills == 0:  # type: ignore[attr-defined]
            self.work_queue[uid] = False
        super().nothing_pending(uid)


@pytest.mark.slow
def test_what_is_left_to_all_members_is_not_to_be_asked() -> None:
    (reason, *_) = answer_for(Subject("test", Careless, ""), crowd(ORPHAN, ORPHAN)).gaps
    assert reason == "worker_complete_work reads budget.kills; use budget_of(uid)"


@pytest.mark.slow
def test_what_is_found_of_a_node_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = replace(crowd(ORPHAN, ORPHAN), name="node")
    monkeypatch.setitem(crowds.NODES, "node", two)  # type: ignore[arg-type]
    subject = subject_of("v1.29", None)
    found = explore(subject, two, ("evictions_are_recorded",), "auto", NO_LIMITS, tuple(REDUCTIONS))
    cache, question = Cache(tmp_path), CachedQuery(lambda: found, subject, ("two orphans",))
    assert cache.answer(question) is found and found is not None
    kept = cache.answer(question)
    assert kept is not None and cache.taken == 1
    assert (kept.verdicts, kept.bounds_hit) == (found.verdicts, found.bounds_hit)
    assert scenario_maps(subject, "node") == []


# -- what only several pods do wrong, through the shell ----------------------------------------------------------------

ASKED = ("--property", "terminated_pods_never_restart")


def written(folder: Path, text: str) -> str:
    file = folder / "mine.py"
    file.write_text(text)
    return str(file)


def asked_of_pair(file: str, engine: str) -> tuple[int, str]:
    """The answer about the scenario `pair` of a file: exit code, and text in one line."""
    result = command_line.run("check", "--model", file, "--scenario", "pair", "--engine", engine, *ASKED)
    return result.exit_code, " ".join(result.output.split())


def not_shown(file: str) -> list[str]:
    """Where the pair of a file goes wrong, or is cut off, and no member does."""
    subject = subject_of(None, Path(file))
    pair = subject.scenarios["pair"]
    assert isinstance(pair, Crowd)
    large, *smalls = (system_of(subject, s, unbounded=True) for s in (pair, pair.alone(0), pair.alone(1)))
    return list(untaken_alike([Simulation(large, small, abstraction_of(pair, i)) for i, small in enumerate(smalls)]))


HIDDEN = {
    **{name: jealous.model_file(body) for name, body in jealous.WRONG.items()},
    **{name: jealous.model_file(body, given) for name, (given, body) in jealous.TOGETHER.items()},
    "one kind of member": jealous.model_file(jealous.ONE_KIND, other="static-rejected"),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN.keys())
def test_members_do_not_hide_what_goes_wrong_among_several(text: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    code, said = asked_of_pair(file, "compiled")
    assert code == 2 and "the way there" in said
    found = not_shown(file)
    assert found and all(reason.startswith("glance(") for reason in found)
    assert all(reason.endswith(" goes wrong where no member does by itself") for reason in found)


CUT_OFF = {
    "where another pod has started": jealous.model_file(jealous.cut_off(next(iter(jealous.WRONG.values())))),
    "one kind of member": jealous.model_file(jealous.cut_off(jealous.ONE_KIND), other="static-rejected"),
    **{
        name.replace("an assertion in", "in"): jealous.model_file(jealous.cut_off(body), given)
        for name, (given, body) in jealous.TOGETHER.items()
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("text", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_members_do_not_hide_what_is_cut_off_among_several(text: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    code, said = asked_of_pair(file, "compiled")
    assert code == 0 and "bounds hit: not with two" in said
    found = not_shown(file)
    assert found and all(" is cut off (not with two) where no member is by itself" in reason for reason in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HIDDEN["one kind of member"], "goes wrong where no member does by itself"),
        (CUT_OFF["in a step of no pod"], "is cut off (not with two) where no member is by itself"),
    ],
)
def test_what_only_several_pods_do_leaves_all_claims_open(text: str, reason: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    code, said = asked_of_pair(file, "auto")
    assert code == 4 and reason in said and "UNKNOWN terminated_pods_never_restart" in said
    result = command_line.run("prove", "--pods", "--model", file, "--scenario", "pair", *ASKED)
    assert result.exit_code == 4 and "NOT SHOWN glance(" in result.output


@pytest.mark.slow
def test_members_tell_of_a_bound_that_one_of_them_meets_by_itself(tmp_path: Path) -> None:
    body = '\n        require(self.config[uid].exists)\n        out_of_bounds("alone")\n'
    file = written(tmp_path, jealous.model_file(body, other="static-rejected"))
    for engine in ("compiled", "auto"):
        code, said = asked_of_pair(file, engine)
        assert code == 0 and "bounds hit: alone" in said


@pytest.mark.slow
def test_members_tell_of_what_one_of_them_does_wrong_by_itself(tmp_path: Path) -> None:
    body = "\n        require(self.config[uid].exists and self.is_static_pod(uid))\n        assert False\n"
    file = written(tmp_path, jealous.model_file(body, other="static-rejected"))
    for engine in ("compiled", "auto"):
        code, said = asked_of_pair(file, engine)
        assert code == 2 and "the way there" in said


# -- crowds that are none, or hardly one -------------------------------------------------------------------------------

LONE = SCENARIOS["lone-pod"]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("replace(TWO, pods=TWO.pods[:1])", "pods of scenario 'two' is not what its members make of it"),
        ("replace(TWO, pods=(*TWO.pods, PodDescription('x', 'x')))", "pods of scenario 'two' is not what its members"),
        ("replace(TWO, members=(LONE,))", "pods of scenario 'two' is not what its members"),
        ("replace(TWO, members=())", "a crowd has no members"),
        ("replace(TWO, restarts=1)", "restarts of scenario 'two' is not what its members"),
        ("replace(TWO, deletion_seconds=(5,))", "deletion_seconds of scenario 'two' is not what its members"),
        ("replace(TWO, waiting=0)", "waiting of scenario 'two' is not what its members"),
        ("Crowd('two', Kubelet, TWO.pods)", "a crowd has no members; write crowd(scenario, …)"),
        ("crowd()", "a crowd has no members"),
        ("crowd(TWO, LONE)", "a crowd's member is 'two'; name scenarios, and no crowds"),
        ("crowd('lone-pod')", "a crowd's member is 'lone-pod'"),
        ("crowd(LONE, replace(LONE, restarts=1))", "restarts of lone-pod is 0, and of lone-pod 1"),
    ],
)
def test_a_crowd_that_is_none_is_refused_with_its_line(written: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from dataclasses import replace\n"
        "from podproof.model.crowd import Crowd, crowd\n"
        "from podproof.model.kubelet import Kubelet\n"
        "from podproof.model.scenarios import SCENARIOS, PodDescription\n"
        "LONE = SCENARIOS['lone-pod']\n"
        "TWO = crowd(LONE, LONE, name='two')\n"
        f"WRONG = {written}\n"
    )
    result = command_line.run_v1_29("check", "--claims", str(file), "--scenario", "two", *ASKED)
    assert result.exit_code == 2
    assert f"own.py:7: ValueError: {reason}" in " ".join(result.output.split())


def test_pods_without_their_callers_are_not_decided_by_members() -> None:
    scenario = SCENARIOS["open-pod"]
    with pytest.raises(CheckerError, match=r"its members are of environment open, .* name an --engine"):
        explore(SUBJECT, crowd(scenario, scenario), ASKED[1:], "auto", NO_LIMITS, tuple(REDUCTIONS))


def test_a_crowd_of_one_is_its_member() -> None:
    alone, one = (explore(SUBJECT, s, ASKED[1:], "auto", NO_LIMITS, tuple(REDUCTIONS)) for s in (LONE, crowd(LONE)))
    assert alone is not None and one is not None
    assert (alone.states, alone.transitions) == (one.states, one.transitions)


@pytest.mark.slow
def test_members_may_have_one_name() -> None:
    """Two kinds that are called alike are two kinds all the same."""
    members = (replace(ORPHAN, name="same"), replace(LONE, name="same"))
    found = explore(SUBJECT, crowd(*members, name="mine"), ("evictions_are_recorded",), "auto", NO_LIMITS, ())
    each = [explore(SUBJECT, m, ("evictions_are_recorded",), "auto", NO_LIMITS, ()) for m in members]
    assert found is not None and found.verdicts[0].status is Status.VIOLATED
    assert found.states == sum(one.states for one in each if one is not None)


def test_every_counter_is_a_member_s_or_the_kubelet_s() -> None:
    of_kubelet = {"adds", "removes", "restarts", "outages"}
    assert {field.name for field in dataclasses.fields(Budget)} == of_kubelet | set(OWN_COUNTERS)


def test_members_have_the_updates_of_their_scenarios() -> None:
    updated = SCENARIOS["updated-pod"]
    state = crowd(updated, LONE).initial(crowd(updated, LONE).model_class(V1_29))
    assert [budget.updates for budget in state.budgets] == [updated.updates, 0] and state.budget.updates == 0
    assert updated.updates > 0
