"""JUnit, GitHub's commands and Markdown: what their readers need, and nothing that they would take for syntax."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from tests.command_line import run_v1_29 as run
from tests.format_runs import GRACE, ROOT, RUNS, UNDECIDED, VIOLATED, written
from tests.miniature import two_scenarios
from tests.nasty_report import CONTROLS, LINES, NASTY, nasty_report

from podproof.checker.core.printer import visible
from podproof.cli import outputs
from podproof.reports.content.check_findings import FindingContext, findings_of
from podproof.reports.content.finding import CaseResult
from podproof.reports.content.page import report_page
from podproof.reports.render.github import MOST, workflow_commands
from podproof.reports.render.junit import junit_xml
from podproof.reports.render.markdown import markdown_page

# -- JUnit ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(ROOT / "tests" / "junit.xsd")


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_junit_is_what_its_readers_take_in(name: str, schema: xmlschema.XMLSchema) -> None:
    schema.validate(written(name)["junit"])
    root = ElementTree.fromstring(written(name)["junit"])
    bad = [case for case in root.iter("testcase") if case.find("failure") is not None]
    errors = [case for case in root.iter("testcase") if case.find("error") is not None]
    unasked = [case for case in errors if "is not asked of the second" in case[0].get("message", "")]
    assert bool(bad) is (RUNS[name][1] == 1)
    # Beside failures only what the second version lacks is undecided.
    assert len(unasked) == len(errors) if bad else bool(errors) is (RUNS[name][1] == 4)
    for element in (root, *root.iter("testsuite")):
        cases = list(element.iter("testcase"))
        counted = [sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error", "skipped")]
        assert [element.get(kind) for kind in ("failures", "errors", "skipped")] == [str(count) for count in counted]
        assert element.get("tests") == str(len(cases))


def test_a_row_of_testgrid_is_called_by_version_scenario_and_claim() -> None:
    root = ElementTree.fromstring(written("violated")["junit"])
    names = [f"{suite.get('name')}.{case.get('name')}" for suite in root for case in suite.iter("testcase")]
    assert names == ["v1.29.one-pod.terminated_pods_never_restart", f"v1.29.one-pod.{GRACE}"]
    assert {case.get("classname") for case in root.iter("testcase")} == {"v1.29.one-pod"}


def test_a_failure_tells_the_story_even_to_readers_of_its_text_alone() -> None:
    (failure,) = ElementTree.fromstring(written("violated")["junit"]).iter("failure")
    assert failure.text is not None and failure.text.startswith(failure.get("message") or "?")
    assert "grace_period 5 → 30" in failure.text
    assert f"replay: podproof check --version v1.29 --scenario one-pod --property {GRACE}" in failure.text


def test_a_witness_that_another_scenario_has_is_skipped_and_not_failed() -> None:
    found = findings_of(two_scenarios(), FindingContext({}, lambda exploration, verdict: ""))
    outcomes = {(finding.scenario, finding.rule.id): finding.outcome for finding in found}
    assert outcomes["one-pod", "a_pod_finishes"] is CaseResult.PASSED
    assert outcomes["static-pair", "a_pod_finishes"] is CaseResult.SKIPPED
    assert outcomes["one-pod", "a_static_pod_waits"] is CaseResult.FAILED
    assert outcomes["static-pair", "finished_is_forever"] is CaseResult.UNDECIDED


def test_traces_of_one_name_are_cases_of_their_own(schema: xmlschema.XMLSchema, tmp_path: Path) -> None:
    line = (ROOT / "tests" / "traces" / "lifecycles.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / "twice.jsonl").write_text(f"{line}\n{line}\n")
    text = run("conform", str(tmp_path / "twice.jsonl"), "-o", "junit").stdout
    schema.validate(text)
    names = [case.get("name") for case in ElementTree.fromstring(text).iter("testcase")]
    assert names == ["graceful-deletion", f"graceful-deletion ({tmp_path / 'twice.jsonl'}:2)"]


def test_undecided_claims_may_pass_where_that_is_asked_for() -> None:
    before = ElementTree.fromstring(written("undecided")["junit"])
    result = run(*UNDECIDED, "--undecided", "ok", "-o", "junit")
    assert result.exit_code == 0
    after = ElementTree.fromstring(result.stdout)
    assert before.get("errors") != "0" and after.get("errors") == "0"
    assert after.get("skipped") == before.get("errors")


def test_xml_has_a_sign_for_what_it_cannot_carry(schema: xmlschema.XMLSchema) -> None:
    text = junit_xml(nasty_report())
    schema.validate(text)
    message = next(ElementTree.fromstring(text).iter("failure")).get("message")
    assert message == f"{NASTY}: {NASTY}" + r"\x1b[31m\x00\x0b\ufffe\ud800 é 🐳"


# -- GitHub --------------------------------------------------------------------------------------------------------


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The workflow commands as the runner reads them: name, properties, message."""
    found = []
    for line in text.removesuffix("\n").split("\n"):
        match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
        assert match is not None, line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        decoded = {key: _decoded(value, ",:\n\r%") for key, value in properties.items()}
        found.append((match[1], decoded, _decoded(match[3], "\n\r%")))
    return found


def _decoded(text: str, letters: str) -> str:
    for letter in letters:
        text = text.replace(f"%{ord(letter):02X}", letter)
    return text


def test_a_violation_is_an_error_with_its_story() -> None:
    (error, notice) = commands(written("violated")["github"])
    assert error[0] == "error" and error[1]["title"] == f"{GRACE} (v1.29, one-pod)"
    assert "grace_period 5 → 30" in error[2] and "\n" in error[2]
    assert notice[0] == "notice" and "Exit code 1" in notice[2]


def test_what_is_undecided_is_a_warning_and_what_holds_is_nothing() -> None:
    undecided = commands(written("undecided")["github"])
    assert {name for name, _, _ in undecided} == {"warning", "notice"}
    assert [name for name, _, _ in commands(written("holds")["github"])] == ["notice"]


@pytest.mark.slow
def test_a_claim_that_is_gained_is_a_note_and_one_that_is_lost_an_error() -> None:
    told = commands(written("changed")["github"])
    kinds = {title.split(" ")[0]: name for name, properties, _ in told if (title := properties["title"])}
    assert kinds["housekeeping_drives_orphans_on"] == "notice"
    assert kinds["forgotten_pods_are_created_in_the_same_pass"] == "error"
    assert kinds["same_behaviour"] == "warning"


def test_no_text_ends_a_command_or_begins_another() -> None:
    report = nasty_report()
    told = commands(workflow_commands(report))
    assert [name for name, _, _ in told] == ["error", "error", "warning", "notice"]
    assert told[0][2].startswith(f"{NASTY}: {NASTY}{visible(CONTROLS)}\n{visible(LINES)}\n")
    assert told[1][1]["title"] == f"e_rule (v0, {NASTY})"
    assert told[-1][1]["title"] == f"podproof check {NASTY}"


def test_the_log_does_not_drown_in_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podproof.reports.render.github.MOST", 1)
    told = commands(workflow_commands(nasty_report()))
    assert MOST > 10 and len(told) == 2
    assert told[-1][2].endswith("2 more are not told here.")


def test_the_summary_of_a_step_is_added_to_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert run(*VIOLATED).exit_code == 1
    assert summary.read_text() == "before\n", "only -o github writes it"
    for _ in range(2):
        run(*VIOLATED, "-o", "github")
    text = summary.read_text()
    assert text.startswith("before\n## podproof check: v1.29\n") and text.count("```mermaid") == 2


def test_the_summary_keeps_to_githubs_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    whole = len(written("violated")["markdown"].encode())
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setattr(outputs, "MOST_SUMMARY_BYTES", whole - 500)
    run(*VIOLATED, "-o", "github")
    assert 0 < summary.stat().st_size <= whole - 500
    assert "Left out, because this would be too long" in summary.read_text()
    summary.write_text("x" * (whole - 501))
    result = run(*VIOLATED, "-o", "github")
    assert summary.stat().st_size <= whole - 500
    assert "no room left" in result.stderr or "cut off" in summary.read_text()


# -- Markdown ------------------------------------------------------------------------------------------------------


def test_the_page_has_verdicts_the_shortest_trace_and_how_to_see_it_again() -> None:
    text = written("violated")["markdown"]
    assert f"| ✗ | `{GRACE}` | VIOLATED: the grace period of web grew from 5 s to 30 s | `one-pod` (3 steps) |" in text
    assert "```mermaid\nsequenceDiagram" in text
    assert f"`podproof check --version v1.29 --scenario one-pod --property {GRACE}`" in text


def test_the_page_takes_nothing_for_syntax() -> None:
    text = markdown_page(report_page(nasty_report()))
    fences = re.sub(r"(`{3,})\w*\n.*?\n\1", "", text, flags=re.DOTALL)
    for line in fences.splitlines():
        outside = re.sub(r"`+[^`]*`+", "", line)
        assert "<script>" not in outside
        # Inside an HTML tag Markdown's marks mean nothing.
        assert line.startswith("<details>") or not re.search(r"(?<!\\)\]\(", outside)
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert table and all(len(re.findall(r"(?<!\\)\|", line)) == 5 for line in table)
    mermaid = text.split("```mermaid\n")[1].split("\n```")[0]
    assert "<script" not in mermaid and "::error" not in mermaid


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_every_page_fits_into_a_comment(name: str) -> None:
    assert len(written(name)["markdown"]) < 65_536


# -- documentation -------------------------------------------------------------------------------------------------

EXAMPLES = re.findall(
    r"```console\n\$ podproof (.*?)\n(.*?)```", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.DOTALL
)


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command.split()[-1] for command, _ in EXAMPLES])
def test_the_documentation_shows_what_is_written(command: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    found_text = without_times(run(*command.split()).stdout)
    at = 0
    for part in without_times(shown).split("…\n"):
        beginning, _, _ = part.partition("…")
        found = found_text.find(beginning, at)
        assert found >= 0, f"this is not written, or not here:\n{part}"
        at = found + len(beginning)


def without_times(text: str) -> str:
    """Nor with lines of the model, which a comment there moves."""
    return re.sub(r",line=\d+,", ",line=?,", re.sub(r'time="[0-9.]+"', 'time="?"', text))


def test_every_format_has_an_example() -> None:
    assert {command.split()[-1] for command, _ in EXAMPLES} == {"junit", "github", "markdown", "json"}
