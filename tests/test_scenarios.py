"""What a scenario says of its own bounds, which is what every verdict says it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from podproof.model.crowd import crowd
from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.open import Open
from podproof.model.scenarios import SCENARIOS, PodDescription, Scenario
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS

NEWEST = VERSIONS[DEFAULT_VERSION].cls
NUMBERS = (
    *("phase_changes", "kills", "rejections", "restarts", "generations"),
    *("room", "mirror_deletions", "spec_seconds", "soft_eviction_seconds", "node_shutdown_seconds"),
)
ANOTHER = PodDescription("another", "another_default")


def variants(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario with one bounding field changed, each in every way that a number, a pod or a list can be."""
    for name in NUMBERS:
        number = getattr(scenario, name)
        for more in (1, 2):
            yield replace(scenario, **{name: more if number == NIL else number + more})  # type: ignore[arg-type]
    for seconds in ((), (7,), (0, 7), (*scenario.deletion_seconds, 7)):
        yield replace(scenario, deletion_seconds=seconds)
    yield replace(scenario, environment=Open if scenario.environment is Kubelet else Kubelet)
    pods = scenario.pods
    yield replace(scenario, pods=(*pods, ANOTHER))
    if scenario.environment is not SyncLoop:
        yield replace(scenario, pods=(*pods, replace(pods[-1], name="another")))
    for i, pod in enumerate(pods):
        for changed in (
            *(replace(pod, adds=pod.adds + 1), replace(pod, removes=pod.removes + 1), replace(pod, removes=0)),
            *(replace(pod, static=not pod.static), replace(pod, running=not pod.running)),
            replace(pod, full_name="another_default"),
        ):
            yield replace(scenario, pods=(*pods[:i], changed, *pods[i + 1 :]))


def world(scenario: Scenario) -> object:
    """All that a model is started with, without names: these bound nothing."""
    domains = {name: values for name, (values, _) in scenario.domains.items() if name != "counts"}
    return scenario.environment, scenario.sizes, domains, repr(scenario.initial(scenario.model_class(NEWEST)))


@pytest.mark.quick(5)
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda scenario: str(scenario.name))
def test_whatever_bounds_a_scenario_is_in_its_summary(scenario: Scenario) -> None:
    changed = [variant for variant in variants(scenario) if world(variant) != world(scenario)]
    assert len(changed) >= (24 if scenario.environment is Kubelet else 12)
    for variant in changed:
        assert variant.summary != scenario.summary, variant


def test_the_number_of_kills_is_told() -> None:
    scenario = SCENARIOS["killed-pod"]
    assert scenario.summary == "1 pod: 1 ADD and 1 REMOVE, 1 killPodNow call, no kubelet restart"
    assert "2 killPodNow calls" in replace(scenario, kills=2).summary


def test_a_crowd_tells_of_all_its_members() -> None:
    together = crowd(SCENARIOS["orphan"], SCENARIOS["one-pod"])
    assert together.summary == (
        "1 x orphan, 1 pod whose containers run at first: 1 ADD and 1 REMOVE, 1 killPodNow call, no kubelet restart; "
        "1 x one-pod, 1 pod: 1 ADD and 1 REMOVE, 2 deletions with grace 5 or 0, 1 terminal API phase, "
        "1 killPodNow call, no kubelet restart"
    )


def test_a_crowd_is_by_default_only_where_all_its_members_are() -> None:
    by_default, named = SCENARIOS["orphan"], SCENARIOS["killed-pod"]
    assert by_default.by_default and not named.by_default
    assert crowd(by_default, by_default).by_default
    assert not crowd(by_default, named).by_default and not crowd(named, by_default).by_default


def test_without_a_name_no_node_is_explored() -> None:
    chosen = scenarios_of((), subject_of("v1.36.3", None))
    assert [s.name for s in chosen] == [s.name for s in SCENARIOS.values() if s.by_default]
