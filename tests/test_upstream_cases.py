"""Upstream's own unit tests of the pod worker, as facts: the calls they make and what they expect of the code.

tests/upstream_cases.json has one case a line: upstream's `test`, what the case is `about`, the `versions` that it holds
for, the `pods`, what is `given` at first, and the `steps`: a call (`do`), or what is then to be seen (`expect`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.driven_kubelet import follow

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "upstream_cases.json").read_text(encoding="utf-8"))
RUNS = [(case, version) for case in CASES for version in case["versions"]]


def name_of(run: tuple[dict[str, Any], str]) -> str:
    case, version = run
    return f"{case['test']}: {case['about']} ({version})"


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_what_upstream_tests_holds_in_the_model(run: tuple[dict[str, Any], str]) -> None:
    follow(*run)


def test_at_least_sixty_cases_are_told_by_upstreams_names() -> None:
    assert len({(case["test"], case["about"]) for case in CASES}) >= 60
    assert all(case["test"].startswith("Test") for case in CASES)


@pytest.mark.parametrize(
    ("about", "version"),
    [
        ("running pods that are not desired any more are finished", "v1.26"),
        ("running pods that are not desired any more stay as they are", "v1.27.0"),
        ("a pod that ended and of which nothing runs is terminated from the start, and then finished", "v1.27.0"),
        ("a pod that was created again is restarted in the pass that forgets it", "v1.27.2"),
        ("the grace period: a deletion's of 0 counts as 1", "v1.29"),
        ("those in line that terminate are dropped", "v1.22.5"),
    ],
)
def test_a_release_that_a_case_is_not_about_does_not_pass_it(about: str, version: str) -> None:
    (case,) = (case for case in CASES if case["about"] == about)
    with pytest.raises(AssertionError):
        follow(case, version)
