"""The status manager, which recordings tell about, merges as the function does that claims and the Go are about."""

from __future__ import annotations

import random

from podproof.model.core_v1 import ConditionStatus, ConditionType, PodCondition, PodPhase, PodStatus
from podproof.model.language import make
from podproof.model.status.merge_pod_status import (
    CONDITIONS,
    ConditionSource,
    GivenCondition,
    MergedCondition,
    MergePodStatus,
    TransitionTime,
)
from podproof.model.status.status_manager import StatusManager

TYPES = (
    *(ConditionType.READY, ConditionType.CONTAINERS_READY, ConditionType.INITIALIZED),
    *(ConditionType.DISRUPTION_TARGET, "example.com/x"),
)
TIMES = {TransitionTime.OLD: 10, TransitionTime.NEW: 20, TransitionTime.NOW: 30}


def status_of(phase: PodPhase, conditions: list[GivenCondition], source: ConditionSource) -> PodStatus:
    time = TIMES[TransitionTime[source.name]]
    listed = [
        PodCondition(name, one.status, source.value, "", time)
        for name, one in zip(TYPES, conditions, strict=True)
        if one.is_there
    ]
    return PodStatus(phase, source.value, source.value, conditions=listed)


def said_by(conditions: list[MergedCondition]) -> set[tuple[str, ConditionStatus, str, int]]:
    return {
        (name, one.status, one.source.value, TIMES[one.time])
        for name, one in zip(TYPES, conditions, strict=True)
        if one.is_there
    }


def test_the_status_manager_merges_as_the_function_does() -> None:
    chance = random.Random(42)
    for _ in range(3000):
        rule = make(MergePodStatus, CONDITIONS)
        rule.old_phase, rule.new_phase = chance.choice(list(PodPhase)), chance.choice(list(PodPhase))
        rule.could_have_running_containers = chance.random() < 0.5
        for given in (*rule.old_conditions, *rule.new_conditions):
            given.is_there, given.status = chance.random() < 0.7, chance.choice(list(ConditionStatus))
        old = status_of(rule.old_phase, rule.old_conditions, ConditionSource.OLD)
        new = status_of(rule.new_phase, rule.new_conditions, ConditionSource.NEW)
        written = StatusManager().merge_pod_status(
            old, new, rule.could_have_running_containers, TIMES[TransitionTime.NOW]
        )
        rule.merge()
        assert written.phase == rule.merged.phase
        assert written.reason == (old if rule.merged.has_old_reason else new).reason
        assert written.message == (old if rule.merged.has_old_message else new).message
        listed = {(one.type, one.status, one.reason, one.last_transition_time) for one in written.conditions}
        assert len(listed) == len(written.conditions)
        assert listed == said_by(rule.merged.conditions), (old, new)
