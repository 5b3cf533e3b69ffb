"""Go's lists of conditions in the model language, which has a place for each: what reads the Go writes these.

A condition that is appended twice has no place: there the model has no answer.
"""

from __future__ import annotations

from podproof.model.language import clear, copy, out_of_bounds
from podproof.model.status.merge_pod_status import (
    ConditionSource,
    GivenCondition,
    MergedCondition,
    MergedStatus,
    MergePodStatus,
    TransitionTime,
)


def no_conditions(merged: MergedStatus) -> MergedStatus:
    """An empty list of conditions."""
    made = copy(merged)
    clear(made)
    return made


def in_order(rule: MergePodStatus, number: int) -> int:
    """Which condition stands at a place of a list?"""
    if rule.are_listed_backwards:
        return len(rule.old_conditions) - 1 - number
    return number


def append_old_condition(conditions: MergedStatus, number: int, given: GivenCondition) -> None:
    expect_none(conditions.conditions[number])
    conditions.conditions[number].is_there = True
    conditions.conditions[number].status = given.status
    conditions.conditions[number].source = ConditionSource.OLD
    conditions.conditions[number].time = TransitionTime.OLD


def append_condition(conditions: MergedStatus, number: int, given: MergedCondition) -> None:
    expect_none(conditions.conditions[number])
    conditions.conditions[number] = copy(given)


def replace_or_append_condition(conditions: MergedStatus, number: int, given: MergedCondition) -> None:
    conditions.conditions[number] = copy(given)


def copy_conditions(merged: MergedStatus, conditions: MergedStatus) -> None:
    for number in range(len(merged.conditions)):
        merged.conditions[number] = copy(conditions.conditions[number])


def expect_none(condition: MergedCondition) -> None:
    if condition.is_there:
        out_of_bounds("what the model does not have")


def expect_unchanged(condition: MergedCondition, before: MergedCondition) -> None:
    """Since a loop over its list began, whose passes have copies."""
    if condition.is_there != before.is_there or condition.status != before.status:
        out_of_bounds("what the model does not have")
    if condition.source != before.source or condition.time != before.time:
        out_of_bounds("what the model does not have")
