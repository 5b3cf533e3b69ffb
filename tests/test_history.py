"""The bugs of the past: the checker finds them where docs/history.md says, and no longer where they are mended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from docs.make import history
from docs.make.history import (
    CLAIM,
    HOLDS,
    NEWEST,
    PROVED,
    RELEASES,
    affected,
    broken,
    differs,
    find,
    mended,
    page,
    proof,
    recorded,
    shown_in,
)

from podproof.checker.core.system import Exploration, Verdict
from podproof.model.scenarios import HISTORY, SCENARIOS
from podproof.queries.claims import CLAIMS
from podproof.specs.history import BUGS, NOT_SHOWN, STUCK_RUNS, Bug

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "history.md").read_text(encoding="utf-8")
CELLS, WAITS = recorded(TEXT)
OPEN = {"B24", "B30", "B32", "B33"}
"""What upstream knows and has not mended, or means to be so."""
BUG = {bug.id: bug for bug in BUGS}


def checked(bug: Bug) -> set[str]:
    """The releases in which a bug is looked for here: the last declared one that has it, and the first without it.

    For a bug that is still there, the newest one.
    """
    declared = [release for release in broken(bug, CELLS) if release in affected(bug)] or broken(bug, CELLS)
    return {declared[-1], mended(bug, CELLS) or NEWEST}


def words(picture: Path) -> list[str]:
    """What is written in a picture; how it is laid out may depend on the version of Graphviz."""
    found = re.findall(r">([^<]+)</text>", picture.read_text(encoding="utf-8"))
    assert found, picture
    return found


def ignore(_bug: Bug, _found: Exploration, _verdict: Verdict) -> None:
    return


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_a_bug_is_found_where_it_was_last_and_is_gone_where_it_was_mended(release: str) -> None:
    bugs = [bug for bug in BUGS if release in checked(bug)]
    if not bugs:
        before = RELEASES[RELEASES.index(release) - 1]
        assert all((release in broken(bug, CELLS)) == (before in broken(bug, CELLS)) for bug in BUGS)
    assert find(release, bugs, ignore) == {bug.id: CELLS[bug.id, release] for bug in bugs}


@pytest.mark.slow
def test_what_is_mended_is_proved() -> None:
    """Or, for a witness, seen. Two of the proofs are made again here."""
    for bug in BUGS:
        is_provable = mended(bug, CELLS) and CLAIM[bug.claim].kind != "sometimes"
        assert (CELLS[bug.id, PROVED] == PROVED) == bool(is_provable), bug.id
    for id in ("B02", "B16"):
        assert proof(BUG[id], CELLS) == PROVED


def test_the_page_is_generated() -> None:
    assert page(CELLS, WAITS) == TEXT, "write it with docs/refresh.sh, and read it"


def test_every_bug_reported_upstream_is_in_a_release_that_is_declared_to_have_it() -> None:
    reported = [bug for bug in BUGS if bug.id.startswith("B")]
    assert len(reported) >= 18
    for bug in reported:
        assert set(broken(bug, CELLS)) & set(affected(bug)) and bug.issues, bug.id
    assert {bug.id for bug in reported if not mended(bug, CELLS)} == OPEN


def test_a_mended_bug_does_not_come_back() -> None:
    for bug in BUGS:
        last = broken(bug, CELLS)[-1]
        later = [CELLS[bug.id, release] for release in RELEASES[RELEASES.index(last) + 1 :]]
        assert set(later) <= {HOLDS}, bug.id


def test_what_was_found_in_reading_is_in_the_newest_release() -> None:
    assert [bug.id for bug in BUGS if bug.id.startswith("N")] == [f"N{number}" for number in range(1, 9)]
    found_here = [bug for bug in BUGS if not bug.id.startswith("B")]
    assert not any(mended(bug, CELLS) for bug in found_here)
    # The report of N1 upstream is older, and was found later.
    assert [bug.id for bug in found_here if bug.issues] == ["N1"]


def test_every_difference_from_what_is_declared_is_explained_and_nothing_else() -> None:
    for bug in BUGS:
        assert differs(bug, CELLS) == bool(bug.difference), bug.id


def test_every_bug_is_shown_or_listed_with_a_reason() -> None:
    listed = [name.split()[0] for name in NOT_SHOWN]
    shown = [bug.id for bug in BUGS if bug.id.startswith("B")]
    assert sorted(listed + shown) == [f"B{number:02}" for number in range(1, 34)]


def test_every_picture_is_there_and_no_other() -> None:
    wanted = {f"history-{bug.id}.svg" for bug in BUGS if shown_in(bug, CELLS)}
    assert {path.name for path in (DOCS / "images").glob("history-*")} == wanted
    assert all((DOCS / "images" / name).read_text(encoding="utf-8").rstrip().endswith("</svg>") for name in wanted)


def test_every_claim_and_world_of_the_past_has_a_bug() -> None:
    assert set(HISTORY) == {bug.scenario for bug in BUGS} & set(HISTORY)
    used = {bug.claim for bug in BUGS}
    assert used >= {claim.id for claim in CLAIMS if claim.scenarios and set(claim.scenarios) <= set(HISTORY)}
    assert not any(SCENARIOS[name].by_default for name in HISTORY)


def test_the_notes_on_the_claims_name_the_releases_in_which_they_are_broken() -> None:
    for bug in BUGS:
        claim = CLAIM[bug.claim]
        noted = [release for release in RELEASES if claim.known_violation(release, bug.scenario)]
        # v1.20 has claims of its own; a note on a claim for all scenarios may be about another one.
        own = bool(claim.scenarios) and set(claim.scenarios) <= set(HISTORY)
        found = [release for release in broken(bug, CELLS) if release != "v1.20"]
        assert noted == found if own else set(noted) >= set(found), bug.id


def test_the_wedges_are_marked_where_they_are_found() -> None:
    for id, stuck in STUCK_RUNS.items():
        noted = [release for release in RELEASES if CLAIM[stuck.claim].known_violation(release, stuck.scenario)]
        assert noted == [release for release in RELEASES if "+" in WAITS[id, release]], id


@pytest.mark.slow
def test_the_generator_writes_page_and_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    monkeypatch.setattr(history, "BUGS", (BUG["B11"],))
    monkeypatch.setattr(history, "RELEASES", ("v1.22.0", "v1.22.5"))
    monkeypatch.setattr(history, "STUCK_RUNS", {"B32": STUCK_RUNS["B32"]})
    done = CliRunner().invoke(history.history, [str(tmp_path)])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "history.md").read_text(encoding="utf-8")
    wanted = {("B11", column): CELLS["B11", column] for column in ("v1.22.0", "v1.22.5", PROVED)}
    assert recorded(text) == (wanted, {("B32", "v1.22.0"): "3 + 2", ("B32", "v1.22.5"): "3 + 2"})
    assert words(tmp_path / "images" / "history-B11.svg") == words(DOCS / "images" / "history-B11.svg")
