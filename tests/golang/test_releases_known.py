"""The releases that `podproof go` knows by the fingerprints of their functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_translation import SOURCE, WORKER, changed

from podproof.checker.core.graph import Line
from podproof.checker.difference.result import MethodChange
from podproof.golang import releases
from podproof.golang.neighbours import known_callers
from podproof.golang.neighbours import unlike as unlike_functions
from podproof.golang.releases import DECLARATIONS, proved_for, proved_releases, recognized, record
from podproof.golang.syntax import GoFile, parse, read
from podproof.queries.build import go_subject, subject_of
from podproof.queries.comparing import subjects_of
from podproof.queries.reviewing import changed_functions, methods_in_go

CHANGE = ("seconds = 1\n", "seconds = 2\n")


def file_of(text: str) -> GoFile:
    return parse(text.encode(), WORKER)


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two releases: the worker of the tests, and one with another function and another struct."""
    monkeypatch.setattr(releases, "FILE", tmp_path / "releases.json")
    proved_releases.cache_clear()
    record(file_of(SOURCE), "1.29.0", "v1.29")
    record(file_of(changed(CHANGE, ("\tOrphan bool\n", "\tOrphan bool // \n\tOwn bool\n"))), "1.30.0", "v1.30")
    yield
    proved_releases.cache_clear()


@pytest.mark.usefixtures("known")
def test_a_known_file_is_recognized_whatever_its_comments_and_layout() -> None:
    told = "every function is that of 1.29.0, for which each was proved equal to v1.29"
    assert recognized(file_of(SOURCE)) == told
    assert recognized(file_of(SOURCE.replace("\t", "  ") + "\n// the end\n")) == told


@pytest.mark.usefixtures("known")
def test_what_differs_from_the_nearest_release_is_named() -> None:
    more = SOURCE.replace("seconds = 1\n", "seconds = 3\n") + "\nfunc more() {}\n"
    assert recognized(file_of(more)) == "as 1.29.0 but for effectiveGracePeriod (changed), more (new)"


@pytest.mark.usefixtures("known")
def test_a_file_between_two_releases_is_told_by_its_functions() -> None:
    assert recognized(file_of(changed(CHANGE))) == "as 1.30.0 but for declarations (as in 1.29.0)"


@pytest.mark.usefixtures("known")
def test_another_file_is_near_to_none() -> None:
    assert recognized(file_of("package kubelet\n\nfunc f() {}\n")).startswith("no release that is known is near")


def test_the_known_releases_have_fingerprints_and_nothing_else() -> None:
    assert proved_for("v1.32") == ("1.30.1", "1.31.11", "1.31.14", "1.32.10", "1.32.13", "1.33.13", "1.34.9")
    assert proved_for("v1.35") == ("1.35.6",)
    assert proved_for("v1.36") == ("1.36.2",)
    assert proved_for("v1.36.3") == ("1.36.3",)
    for release in proved_releases():
        assert len(release.fingerprints) > 30
        assert DECLARATIONS in release.fingerprints
        assert all(len(value) == 16 and int(value, 16) >= 0 for value in release.fingerprints.values())


def test_the_callers_of_two_releases_are_known() -> None:
    newest, before = known_callers()
    assert [(one.release, one.version) for one in (newest, before)] == [("1.36.3", "v1.36.3"), ("1.36.2", "v1.36")]
    assert {name for _, name in unlike_functions(before.functions, newest.functions)} == {
        "HandlePodUpdates", "HandlePodReconcile", "HasPodAllocatedResources", "getAllocatedPods",
    }  # fmt: skip
    for one in (newest, before):
        assert {"HandlePodAdditions", "syncLoopIteration", "NewMainKubelet"} <= one.functions["kubelet.go"].keys()
        prints = [value for functions in one.functions.values() for value in functions.values()]
        assert len(prints) > 100 and all(len(value) == 16 and int(value, 16) >= 0 for value in prints)


@pytest.mark.slow
@pytest.mark.usefixtures("known")
def test_a_review_names_the_functions_that_were_changed(tmp_path: Path) -> None:
    old, new = tmp_path / "old.go", tmp_path / "new.go"
    old.write_text(SOURCE, encoding="utf-8")
    new.write_text(changed(CHANGE), encoding="utf-8")
    told = run("review", str(old), str(new), "--scenario", "lone-pod", "-q")
    assert "Changed in the Go: effectiveGracePeriod." in told.stdout
    assert "effective_grace_period" not in told.stdout


def test_what_was_translated_of_a_function_has_its_name() -> None:
    model, go = subject_of("v1.29", None), go_subject(WORKER, "v1.29")
    lines = {name: Line(WORKER.name, function.line) for name, function in read(WORKER).functions.items()}
    place, start = Line("model/pod_workers.py", 1), lines["podWorkers.UpdatePod"]
    methods = [
        MethodChange("update_pod", (place, start), ("", ""), False, ()),
        MethodChange("effective_grace_period", (None, lines["effectiveGracePeriod"]), ("", ""), False, ()),
        MethodChange("assumed_gate_changes", (None, Line(WORKER.name, start.number + 1)), ("", ""), False, ()),
    ]
    names = [method.name for method in methods_in_go(methods, (model, go))]
    assert names == ["podWorkers.UpdatePod", "effectiveGracePeriod", "assumed_gate_changes"]
    twice = [*methods[:1], replace(methods[0], name="update_pod_again")]
    assert [method.name for method in methods_in_go(twice, (model, go))] == ["update_pod", "update_pod_again"]


@pytest.mark.slow
@pytest.mark.usefixtures("known")
def test_what_was_changed_of_a_release_is_found_from_either_side(tmp_path: Path) -> None:
    old, new = tmp_path / "old.go", tmp_path / "new.go"
    old.write_text(SOURCE, encoding="utf-8")
    new.write_text(changed(CHANGE) + "\nfunc more() {}\n", encoding="utf-8")
    found = {
        names: changed_functions(subjects_of(*names))
        for names in (("v1.29", str(old)), ("v1.29", str(new)), (str(new), "v1.29"), ("v1.32", str(new)))
    }
    assert list(found.values()) == [
        {},
        {"effectiveGracePeriod": "changed", "more": "new"},
        {"effectiveGracePeriod": "changed", "more": "gone"},
        None,  # No Go is known of that release.
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("known")
def test_each_of_several_functions_of_one_name_is_compared(tmp_path: Path) -> None:
    old, new = tmp_path / "old.go", tmp_path / "new.go"
    inits = "\nvar first, second int\n\nfunc init() { first = 1 }\n\nfunc init() { second = 1 }\n\nfunc _() {}\n"
    old.write_text(SOURCE + inits, encoding="utf-8")
    new.write_text(SOURCE + inits.replace("first = 1", "first = 2") + "\nfunc _() {}\n", encoding="utf-8")
    assert changed_functions(subjects_of(str(old), str(new))) == {"init": "changed", "_ 2": "new"}
