"""What every claim must say about itself, and that the notes in it mean something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import podproof.kubelet_1_20
import podproof.model
from podproof.model.kubelet import Kubelet
from podproof.model.open import Open
from podproof.model.scenarios import SCENARIOS
from podproof.model.walkthrough import WalkthroughUpdate
from podproof.queries.claims import CLAIMS
from podproof.queries.versions import VERSIONS
from podproof.specs import Claim
from podproof.specs.claim import MORE_EVENTS, Violation, broken
from podproof.specs.lines import HARMLESS

BY_ID = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)


def programmer_errors() -> set[str]:
    """The texts of all programmer_error words in both models, by reading them."""
    folders = (Path(package.__path__[0]) for package in (podproof.model, podproof.kubelet_1_20))
    return {
        text
        for folder in folders
        for file in folder.rglob("*.py")
        for text in re.findall(r'^ +programmer_error\("(.*)"\)$', file.read_text(encoding="utf-8"), re.MULTILINE)
    }


def test_ids_are_unique() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


@BY_ID
def test_a_claim_says_what_it_means_and_where_it_comes_from(claim: Claim) -> None:
    assert re.fullmatch(r"[A-Z\"].*[.]", claim.meaning), claim.meaning
    assert "\n" not in claim.meaning and len(claim.meaning) < 170
    assert claim.source
    assert claim.id.isidentifier() and claim.id.islower()


@BY_ID
def test_a_claim_has_a_formula_or_lines(claim: Claim) -> None:
    assert (claim.function is None) == (claim.kind == "never")
    assert bool(claim.lines) == (claim.kind == "never")


@BY_ID
def test_a_claim_names_versions_and_scenarios_that_exist(claim: Claim) -> None:
    assert set(claim.scenarios) <= set(SCENARIOS)
    for key in claim.known_violations:
        version, _, scenario = key.partition("/")
        assert version in VERSIONS and (not scenario or scenario.removesuffix(MORE_EVENTS) in SCENARIOS), key


@BY_ID
def test_a_note_cites_kubernetes_or_says_that_nothing_was_found(claim: Claim) -> None:
    known_to = ("kubernetes/kubernetes#", "no upstream issue found", "the walkthrough's", "which the real sources")
    for note in claim.known_violations.values():
        assert any(words in note for words in known_to), note


def test_every_programmer_error_line_is_claimed_to_be_unreachable_or_harmless() -> None:
    unreachable = {line for claim in CLAIMS for line in claim.lines}
    assert unreachable.isdisjoint(HARMLESS.values()) and unreachable | set(HARMLESS.values()) == programmer_errors()
    assert set(HARMLESS) <= {claim.id for claim in CLAIMS if claim.function is not None}


def test_a_claim_about_the_kubelet_environment_is_not_made_of_the_open_one() -> None:
    (claim,) = (claim for claim in CLAIMS if claim.id == "removed_pods_terminate")
    assert claim.applies_to(Kubelet, "one-pod")
    assert not claim.applies_to(Open, "open-pod")


def test_a_claim_about_some_scenarios_is_not_made_of_the_others() -> None:
    (claim,) = (claim for claim in CLAIMS if claim.id == "a_static_pod_waits")
    assert claim.applies_to(Kubelet, "static-pair")
    assert not claim.applies_to(Kubelet, "one-pod")


def test_what_is_known_of_a_scenario_comes_before_what_is_known_of_its_version() -> None:
    violations = (
        broken("everywhere", since="1.27.0", until="1.32"),
        broken("here", since="1.28", until="1.32", scenarios=("orphan",)),
    )
    claim = Claim("x", "always", "X.", "nowhere", violations=violations)
    assert claim.known_violation("v1.29", "orphan") == "no upstream issue found; here"
    assert claim.known_violation("v1.29", "one-pod") == "no upstream issue found; everywhere"
    assert claim.known_violation("v1.27.0", "orphan") == "no upstream issue found; everywhere"
    assert claim.known_violation("v1.32", "orphan") is None


def test_a_violation_is_inherited_until_it_is_mended() -> None:
    def noted(violation: Violation) -> list[str]:
        return list(Claim("x", "always", "X.", "nowhere", violations=(violation,)).known_violations)

    assert set(noted(broken("for ever"))) == set(VERSIONS) - {"v1.20"}
    assert noted(broken("a while", since="1.24.0", until="1.27.2")) == ["v1.26", "v1.27.0"]
    assert not {"v1.20", "v1.32"} & set(noted(broken("mended", until="1.32")))
    assert noted(broken("mended", since="1.27.2", until="1.32"))[:2] == ["v1.27.2", "v1.29"]
    assert noted(broken("a reading's", departure=WalkthroughUpdate)) == ["walkthrough-001", "walkthrough-001-update"]
    assert "walkthrough-001-update" not in noted(broken("hidden", hidden_by=(WalkthroughUpdate,)))
