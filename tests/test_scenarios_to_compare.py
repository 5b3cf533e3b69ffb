"""Without `--scenario` a change is looked for where its code runs, or it is said that it was not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run

from podproof.model.scenarios import SCENARIOS
from podproof.model.sync_loop import SyncLoop
from podproof.queries.build import scenarios_to_compare
from podproof.queries.checking import CheckQuery
from podproof.queries.comparing import subjects_of

CALLERS = """
from typing import ClassVar
from podproof.model.releases import V1_36_3
from podproof.model.sync_loop import SyncLoop


class Mapping(SyncLoop):
    def skips_updates_of_mirror_pod(self, uid: int) -> bool:
        return False


class Mapped(V1_36_3):
    sync_loop: ClassVar[type[SyncLoop]] = Mapping
"""
WORKERS = """
from podproof.model.releases import V1_36_3


class Hasty(V1_36_3):
    def should_pod_containers_be_terminating(self, uid: int) -> bool:
        return False
"""
DEFAULT = [name for name, scenario in SCENARIOS.items() if scenario.by_default]
OF_SYNC_LOOP = [name for name, scenario in SCENARIOS.items() if scenario.environment is SyncLoop]


@pytest.mark.parametrize(("text", "more"), [(CALLERS, OF_SYNC_LOOP), (WORKERS, [])])
def test_a_file_is_looked_at_where_its_own_code_runs(tmp_path: Path, text: str, more: list[str]) -> None:
    file = tmp_path / "own.py"
    file.write_text(text, encoding="utf-8")
    pair = subjects_of("v1.36.3", str(file))
    assert [scenario.name for scenario in scenarios_to_compare((), *pair)] == [*DEFAULT, *more]
    assert [scenario.name for scenario in scenarios_to_compare(("orphan",), *pair)] == ["orphan"]
    asked, _ = CheckQuery((pair[1],)).asked[pair[1]]
    assert [scenario.name for scenario in asked] == [*DEFAULT, *more]


def test_two_releases_with_other_callers_are_compared_there() -> None:
    assert {scenario.name for scenario in scenarios_to_compare((), *subjects_of("v1.36", "v1.36.3"))} > {*OF_SYNC_LOOP}


@pytest.mark.slow
def test_what_no_scenario_of_two_releases_runs_is_said() -> None:
    told = " ".join(run("review", "v1.34", "v1.35").stdout.split())
    assert "ALIKE in these 9 scenarios" in told or "EQUIVALENT" in told
    assert "Around the pod workers kubelet_pods, runtime_manager, status_manager differ as well" in told
    assert "`--scenario init-then-app` and others do" in told or "--scenario init-then-app and others do" in told
    assert "No method differs" not in told or "EQUIVALENT" in told
