"""What a file says is shown and never obeyed: any text in any place of any output.

Each output is written twice, with a text and with what `visible` makes of it: it has to be the same. So nothing in it
is there as it was that could be obeyed, no line more begins, and no column is measured by what nobody sees.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from bench.peers.promela import promela
from bench.peers.tla import tla
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.rendered import check_text, page_text, proofs_text
from tests.texts_everywhere import (
    conformed,
    explained_line,
    exploration_with,
    exported,
    findings_report,
    judged_log,
    page_content,
    page_with,
    report_with,
    sequence,
    wanted,
)

from podproof.checker.core.printer import visible
from podproof.checker.core.proofs import Proofs
from podproof.cli.findings import report_of
from podproof.cli.streams import say, show
from podproof.kubelet.go_test import GoTest, Release, go_test_file
from podproof.queries.build import subject_of
from podproof.reports.content.conform import conform_findings, conform_parts
from podproof.reports.content.log import line_parts, log_parts
from podproof.reports.content.page import report_page
from podproof.reports.content.verdicts import check_answer
from podproof.reports.layout import Detail, Style
from podproof.reports.page.build import page
from podproof.reports.pictures.trace import trace_dot
from podproof.reports.render.forms import diagram_bytes
from podproof.reports.render.github import workflow_commands
from podproof.reports.render.html import diagram_dot, html_page
from podproof.reports.render.json import answer_data, json_text
from podproof.reports.render.junit import junit_xml
from podproof.reports.render.markdown import markdown_page
from podproof.reports.render.sarif import sarif_json
from podproof.reports.render.text import render_text

SIGNS = (
    *(
        "::error file=a.py::pwned",
        "  ::add-mask::x",
        "##[error]pwned",
        "##vso[task.complete]",
        "::set-output name=a::b",
    ),
    *("\r\n", "\x9b31m", "\x1b[31m", "\x1b[0m", "\x1b]0;title\x07", "\x1b[2J", "\n\n", "\n    ", "    ", "$ "),
    *"\n\r\t\x0b\x0c\x00\x7f\x85\u2028\u2029\ufeff\xa0\u202e\u2066\u200b\u200d\u3164\ufe0f\udcff",
    *("```", "*/", "*)", "(*", '"""', "{{", "%0A", "%%", "//", "--", "<script>", "</script>", "<!--", "]]>", "&amp;"),
    *("[a](b)", "![a](b)", "https://e.x", "@all"),
    *"|`\\\"'{}%#<> é🐳",
)
texts = st.lists(st.one_of(st.sampled_from(SIGNS), st.text(max_size=4)), max_size=6).map("".join)
any_text = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def seen(text: str) -> str:
    """The text as a part of a line: what begins a line only is nothing special."""
    return visible(f"x{text}")[1:]


def is_harmless(text: str, own: str = "\n") -> bool:
    """Is there nothing but letters that are seen and ends of podproof's own lines, and no command to anybody?"""
    hidden = [c for c in text if c not in own and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    return not hidden and not re.search(r"(?m)^\s*::(?! )|##\w*\[", text)


# -- the function ------------------------------------------------------------------------------------------------------


@given(st.text())
@example("".join(SIGNS))
@example(":")
@example("####[error]")
def test_what_is_visible_is_seen_and_not_obeyed(text: str) -> None:
    seen = visible(text)
    assert is_harmless(seen, own="") and seen.isprintable()
    assert visible(seen) == seen
    assert not set(seen) & set("\u115f\u1160\u3164\uffa0\u034f\ufe0f\u2800")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("grace_period 5 → 30, é 🐳", "grace_period 5 → 30, é 🐳"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[31m\x00\x7f\x9b", r"\x1b[31m\x00\x7f\x9b"),
        ("\u202eevil\u2066 \u200b\ufeff", r"\u202eevil\u2066 \u200b\ufeff"),
        ("\U000e0041\udcff", r"\U000e0041\udcff"),
        ("::error::a ::error::b", r"\x3a:error::a ::error::b"),
        ("  ::error::a", r"  \x3a:error::a"),
        ("a ##[error]b ##vso[x] ## [", r"a \x23#[error]b \x23#vso[x] ## ["),
        ("a[::2] #1 ##", "a[::2] #1 ##"),
    ],
)
def test_every_code_is_pythons(text: str, seen: str) -> None:
    assert visible(text) == seen


FULL = Style(100, detail=Detail.FULL)
WRITTEN: dict[str, Callable[[str], str]] = {
    "check": lambda t: check_text([exploration_with(t)], wanted(t)),
    "check -v": lambda t: check_text([exploration_with(t)], wanted(t), FULL),
    "prove": lambda t: proofs_text([Proofs(exploration_with(t), {t: (t,)}, {})], wanted(t), FULL),
    "diff": lambda t: page_text(page_with(t), FULL),
    "conform": lambda t: render_text(conform_parts(conformed(t), t, Detail.FULL), FULL),
    "log": lambda t: render_text(log_parts(judged_log(t), Detail.FULL), FULL),
    "log --explain-line": lambda t: render_text(line_parts(explained_line(t), Detail.FULL), FULL),
    "github": lambda t: workflow_commands(report_with(t)),
    "conform github": lambda t: workflow_commands(
        report_of("conform", t, [subject_of("v1.29", None)], conform_findings(conformed(t), t), (1, t))
    ),
    "check github": lambda t: workflow_commands(findings_report(t)),
    "junit": lambda t: junit_xml(report_with(t)),
    "markdown": lambda t: markdown_page(report_page(report_with(t))),
    "diff markdown": lambda t: markdown_page(page_with(t)),
    "page": lambda t: page(page_content(t)),
    "dot": lambda t: trace_dot(exploration_with(t), exploration_with(t).verdicts[0]),
    "diff dot": lambda t: diagram_dot(page_with(t).sections[0].blocks[4]),  # type: ignore[arg-type]
    "mermaid": lambda t: diagram_bytes(sequence(t), "mermaid").decode(),
    "sequence dot": lambda t: diagram_bytes(sequence(t), "dot").decode(),
    "promela": lambda t: promela(*exported(t)),
    "tla": lambda t: tla(*exported(t)).text,
    "go-test": lambda t: go_test_file(
        [GoTest("TestA", (f"It: {t}", f"\t{t}"), (), {}, skip=t)], Release.SINCE_1_27, (f"It: {t}",)
    ),
}


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", WRITTEN)
@any_text
@given(text=texts)
@example(text="".join(SIGNS))
@example(text="::error::a\n::error::b")
@example(text=":")
def test_no_output_obeys_a_text(name: str, text: str) -> None:
    found = WRITTEN[name](text)
    assert found == WRITTEN[name](seen(text))
    if name.endswith("github"):
        lines = found.removesuffix("\n").split("\n")
        assert all(
            re.match(r"::(error|warning|notice) (file=[^,:]*,line=\d+,)?title=[^,:]*::.", line) for line in lines
        )
        found = found.replace("::", "")
    assert is_harmless(found, own="\n\t" if name in ("go-test", "dot", "diff dot", "sequence dot") else "\n")


@pytest.mark.slow
@any_text
@given(text=texts)
def test_a_terminal_obeys_podproofs_own_colours_only(text: str) -> None:
    style = Style(100, color=True, detail=Detail.FULL)
    for write in (
        lambda t: check_text([exploration_with(t)], wanted(t), style),
        lambda t: page_text(page_with(t), style),
    ):
        found, tame = write(text), write(seen(text))
        assert found == tame
        plain, count = re.subn(r"\x1b\[(?:31;1|33;1|32|2|1|0)m", "", found)
        assert count >= 4 and is_harmless(plain)


@any_text
@given(text=texts)
@example(text="".join(SIGNS))
def test_json_has_every_text_and_no_letter_that_is_not_seen(text: str) -> None:
    answer = check_answer([exploration_with(text)], lambda _e, _v: text)
    found = json_text(answer_data(answer) | {"tool": {"name": "podproof", "version": text}})
    assert is_harmless(found)
    document = json.loads(found)
    assert document["tool"]["version"] == text
    assert document["results"][0]["environment"] == document["results"][0]["reason"] == text
    assert list(document["results"][0]["boundsHit"]) == [text]


@any_text
@given(text=texts)
def test_sarif_has_no_message_that_hides_something(text: str) -> None:
    found = sarif_json(report_with(text))
    assert is_harmless(found)
    (run,) = json.loads(found)["runs"]
    for result in run["results"]:
        assert is_harmless(result["message"]["text"])
        assert visible(text) in result["message"]["text"]


@any_text
@given(text=texts)
def test_xml_has_the_text_that_was_meant(text: str) -> None:
    root = ElementTree.fromstring(junit_xml(report_with(text)))
    told = next(root.iter("failure"))
    # The claim's sentence of its failure, and what was found.
    message = visible(f"{text}: {text}" if text else "")
    assert told.get("message") == message
    assert told.text is not None and told.text.startswith(f"{message}\n")


@pytest.mark.slow
@any_text
@given(text=texts)
@example(text="</script><script>alert(1)</script>")
@example(text="<img src=x onerror=alert(1)>")
def test_a_page_has_the_tags_of_the_page_only(text: str) -> None:
    def tags(page: str) -> Sequence[str]:
        return re.findall(r"<[!/]?[a-zA-Z][^\s>]*", page.replace("<wbr>", ""))

    for write in (lambda t: html_page(page_with(t)), WRITTEN["page"]):
        found = write(text)
        assert is_harmless(found)
        assert found == write(seen(text))
        # An actor without a name has no lane, on which its steps would be dots.
        dots = set() if text else {"<ellipse"}
        whole = set(tags(write("tame")))
        assert whole - dots <= set(tags(found)) <= whole


@any_text
@given(text=texts)
@example(text="::error::x\n    ::error::y")
def test_what_is_said_beside_the_results_is_harmless(text: str) -> None:
    @click.command()
    def both() -> None:
        show(f"result: {text}", text)
        say(f"error: {text}\n    its line: {text}", text)

    result = CliRunner().invoke(both)
    assert result.exit_code == 0, result.output
    for found in (result.stdout, result.stderr):
        assert is_harmless(found)
    alone = text.replace("\n    ", "")
    assert len(result.stdout.splitlines()) == 2 + 2 * text.count("\n    "), alone


@any_text
@given(text=texts)
@example(text="https://e.x www.e.x <b> [a](b) |")
@example(text="```[a](b)")
def test_markdown_has_no_link_and_no_tag_of_a_text(text: str) -> None:
    found = markdown_page(page_with(text))
    shown = r"(?s)(?P<escape>\\.)|(?P<fence>`{3,})\w*\n.*?\n(?P=fence)|`[^`\n]*`|<details>.*?\n"
    outside = re.sub(shown, lambda part: part["escape"] or "", found)
    assert not re.search(r"(?<!\\)\]\(|https?://|www\.", outside)
    assert set(re.findall(r"(?<!\\)</?[a-zA-Z!][^>]*>", outside)) <= {"</details>", "<sub>", "</sub>"}


# -- that nothing goes another way -------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[1]
WHOLE_DOCUMENTS = {
    *("cli/diagram.py", "cli/outputs.py", "cli/streams.py", "cli/explain.py"),
}
OWN_WORDS = {"cli/main.py", "cli/pre_commit.py", "cli/out_of_memory.py"}


def files_with(pattern: str, *rooms: str) -> set[str]:
    paths = (path for room in rooms for path in (ROOT / room).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix() for path in paths if re.search(pattern, path.read_text(encoding="utf-8"))}


def test_only_what_writes_whole_documents_writes_by_itself() -> None:
    found = files_with(
        r"click\.echo\(|(?<![\w.])print\(|sys\.std(out|err)\.(buffer\.)?write", "cli", "queries", "reports", "checker"
    )
    assert found <= WHOLE_DOCUMENTS | OWN_WORDS


def test_text_is_wrapped_where_it_is_made_visible_first() -> None:
    assert files_with(r"textwrap\.(wrap|fill)\(", "reports", "queries", "cli") == {"reports/layout.py"}
    assert files_with(r"indent=2", "reports", "queries", "cli") == {"reports/render/json.py"}
