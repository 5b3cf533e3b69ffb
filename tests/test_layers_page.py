"""docs/layers.md and docs/termination.md: what they say of claims around the pod worker is what the claims say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.make.history import RELEASES

from podproof.model.functions import FUNCTIONS
from podproof.model.scenarios import DETAILED, SCENARIOS
from podproof.queries.claims import CLAIMS
from podproof.specs import FUNCTION_CLAIMS
from podproof.specs.history import BUGS, NOT_SHOWN

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "layers.md").read_text(encoding="utf-8")
CLAIM = {claim.id: claim for claim in (*CLAIMS, *FUNCTION_CLAIMS)}
ROWS = re.findall(r"^\| (\w+) \| (.+?) \| `(\w+)` \| `([\w-]+)` \| (.+?) \| .+? \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("bug", "claim", "where", "releases"), [(row[0], *row[2:]) for row in ROWS])
def test_a_row_says_in_which_releases_the_claim_is_known_to_be_broken(
    bug: str, claim: str, where: str, releases: str
) -> None:
    """That it is broken just there, the tests of the claims decide."""
    assert where in SCENARIOS or where in FUNCTIONS, bug
    judging = [release for release in RELEASES if release != "v1.20"]
    found = [release for release in judging if CLAIM[claim].known_violation(release, where)]
    assert releases == ("all" if found == judging else ", ".join(release.removeprefix("v") for release in found))


def test_what_the_pod_worker_does_not_show_is_in_the_table() -> None:
    shown = {row[0] for row in ROWS}
    assert {name.split()[0] for name, why in NOT_SHOWN.items() if "layers.md" in why} <= shown
    assert {bug for bug in shown if bug.startswith("B")} <= {bug.id for bug in BUGS} | {n.split()[0] for n in NOT_SHOWN}


def test_every_scenario_with_containers_is_described() -> None:
    table = TEXT.partition("| scenario |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == set(DETAILED)


def test_the_marks_of_the_end_of_a_pod_say_what_the_claims_say() -> None:
    """✗ is broken in 1.29 in a scenario with containers, or of some input of a function; ✓ in none."""
    marks = re.findall(r"([✓✗]) `(\w+)`", (DOCS / "termination.md").read_text(encoding="utf-8"))
    assert len(marks) > 25
    for mark, id in marks:
        where = [name for name in DETAILED if CLAIM[id].known_violation("v1.29", name)]
        assert bool(where) == (mark == "✗"), (mark, id, where)
