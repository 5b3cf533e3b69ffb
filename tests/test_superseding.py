"""A design changes a law on purpose: its claim supersedes one, which is told in every format and is no fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.command_line import run

from podproof.specs import RUN_CLAIMS

OLD = "the_least_grace_period_above_zero_is_recorded"
TEXT = '''from podproof.model.kubelet import Kubelet
from podproof.model.releases import V1_35
from podproof.specs.claim import claim


class Change(V1_35):
    """Each retry of a termination forgets the recorded grace period."""

    def retry(self, uid, generation, outcome):
        if self.pod_sync_statuses[uid].terminating_at and not self.pod_sync_statuses[uid].terminated_at:
            self.pod_sync_statuses[uid].grace_period = 0
        super().retry(uid, generation, outcome)


@claim("{kind}", source="the design", supersedes={supersedes})
def periods_are_short({about}: Kubelet) -> bool:
    """No recorded grace period is longer than {most} s."""
    return {body}
'''
HOLDS, BROKEN = (f"s.pod_sync_statuses[0].grace_period <= {most}" for most in (30, 29))
Design = Callable[..., str]
NARROW = ("--scenario", "killed-pod", "--property", OLD)


@pytest.fixture
def design(tmp_path: Path) -> Design:
    """Writes the file and gives its name."""

    def written(body: str = HOLDS, supersedes: str = f"({OLD!r},)", kind: str = "always", about: str = "s") -> str:
        file = tmp_path / "design.py"
        file.write_text(TEXT.format(body=body, supersedes=supersedes, kind=kind, about=about, most=body[-2:]))
        return str(file)

    return written


def test_it_is_told_with_both_texts_and_passes(design: Design) -> None:
    found = run("check", "--model", design(), *NARROW)
    text = " ".join(found.stdout.split())
    assert found.exit_code == 0, found.output
    assert f"SUPERSEDED {OLD} " in text and "given up for periods_are_short, which holds: As the_least_" in text
    assert "Now: No recorded grace period is longer than 30 s." in text
    assert "1 VIOLATED (1 superseded). Exit code 0: nothing is worse than in v1.35." in text


@pytest.mark.slow
def test_the_claim_in_its_place_has_to_hold(design: Design) -> None:
    found = run("check", "--model", design(BROKEN), *NARROW)
    text = " ".join(found.stdout.split())
    assert found.exit_code == 1
    # The release violates it as well, which is no excuse.
    assert "NEW periods_are_short" in text and "in the place of" in text and "which is violated, too" in text


def test_it_is_superseded_only_where_the_other_claim_is_asked(design: Design) -> None:
    file = Path(design())
    file.write_text(file.read_text().replace('source="the design",', 'source="the design", scenarios=("one-pod",),'))
    found = run("check", "--model", str(file), *NARROW)
    assert found.exit_code == 1 and f"NEW       {OLD}" in found.stdout


@pytest.mark.slow
def test_every_format_tells_it(design: Design, tmp_path: Path) -> None:
    check = ("check", "--model", design(), *NARROW)
    names = ("json", "junit", "sarif", "github", "markdown")
    files = {name: tmp_path / name for name in names}
    pages = tmp_path / "pages"
    asked = [part for name, file in files.items() for part in ("--output-file", f"{name}={file}")]
    assert run(*check, *asked, "--report-dir", str(pages)).exit_code == 0
    texts = {name: file.read_text() for name, file in files.items()}
    texts["html"] = "".join(file.read_text() for file in sorted(pages.rglob("*.html")))
    for name, text in texts.items():
        assert "SUPERSEDED" in text and "No recorded grace period is longer than 30 s." in text, name
    (result,) = json.loads(texts["json"])["results"]
    states = {p["id"]: p["baseline"]["state"] for p in result["properties"] if "baseline" in p}
    assert states == {OLD: "SUPERSEDED"}
    (skipped,) = ElementTree.fromstring(texts["junit"]).iter("skipped")
    assert "Now: No recorded" in skipped.get("message", "")
    (log,) = json.loads(texts["sarif"])["runs"]
    (note,) = log["invocations"][0]["toolExecutionNotifications"]
    assert log["results"] == [] and note["level"] == "note" and "SUPERSEDED" in note["message"]["text"]
    assert f"::notice title={OLD} is superseded::" in texts["github"] and "::error" not in texts["github"]


@pytest.mark.slow
def test_diff_says_the_same(design: Design, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("junit", "sarif", "github", "markdown", "html")}
    asked = [part for name, file in files.items() for part in ("--output-file", f"{name}={file}")]
    found = run(
        "review", "v1.35", design(), "--scenario", "killed-pod", "-o", "json", "--exit-on", "difference", *asked
    )
    claims = {claim["id"]: claim for claim in json.loads(found.stdout)["claims"]}
    assert found.exit_code == 1  # They do differ.
    assert claims[OLD]["baselines"] == {"killed-pod": "SUPERSEDED"}
    assert claims["periods_are_short"]["statuses"] == ["HOLDS", "HOLDS"]
    for name, file in files.items():
        assert "Now: No recorded grace period is longer than 30 s." in file.read_text(), name
    cases = {case.get("name"): case for case in ElementTree.parse(files["junit"]).iter("testcase")}
    assert [child.tag for child in cases[OLD]] == ["skipped"]


@pytest.mark.slow
def test_what_it_supersedes_and_nothing_violates_is_told(design: Design) -> None:
    found = run(
        "check", "--model", design(supersedes="('updates_are_left_for_the_worker',)"), "--scenario", "killed-pod"
    )
    assert "periods_are_short supersedes updates_are_left_for_the_worker, which holds here all the same" in found.stderr


@pytest.mark.parametrize(
    ("supersedes", "words"),
    [
        ("('grace_period_only_decrease',)", "'grace_period_only_decrease', and there is no such claim; did you mean"),
        (
            "'grace_period_only_decreases'",
            "write the ids in a tuple, as in supersedes=('grace_period_only_decreases',)",
        ),
        ("('periods_are_short',)", "which is of the same file"),
        ("", ""),
    ],
)
def test_what_cannot_be_superseded_is_refused(design: Design, supersedes: str, words: str) -> None:
    if not words:
        supersedes, words = f"({RUN_CLAIMS[0].id!r},)", "which says something of what must happen eventually"
    found = run("check", "--model", design(supersedes=supersedes), *NARROW)
    assert found.exit_code == 2
    assert "design.py:15: the claim periods_are_short supersedes" in found.stderr and words in found.stderr


def test_a_file_of_claims_alone_supersedes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "ours.py"
    text = TEXT.format(body=HOLDS, supersedes=f"({OLD!r},)", kind="always", about="s", most="30")
    file.write_text(text[: text.index("class Change")] + text[text.index("@claim") :])
    found = run("check", "--claims", str(file), *NARROW)
    assert found.exit_code == 2 and "a release is held to all" in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("others", "code"), [((), 0), (("--scenario", "deleted-and-killed"), 1)])
def test_review_finds_it_worse_where_the_other_claim_is_not_asked(
    others: tuple[str, ...], code: int, design: Design
) -> None:
    file = Path(design(supersedes=f"({OLD!r}, 'grace_period_handed_over_is_positive')"))
    file.write_text(file.read_text().replace('source="the design",', 'source="the design", scenarios=("killed-pod",),'))
    found = run("review", "v1.34", str(file), "--scenario", "killed-pod", *others)
    assert found.exit_code == code, found.output
    assert ("NOT WORSE" in found.stdout) is (code == 0)
    assert (f"lost: {OLD}, grace_period_handed_over_is_positive" in " ".join(found.stdout.split())) is (code == 1)
