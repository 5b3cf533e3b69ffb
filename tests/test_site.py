"""The documentation as a site: it builds without a warning, needs no network, and says what the code says."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.make import console, reference
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from tests.page_browser import browser

from podproof.checker.core.graph import Line
from podproof.queries.versions import DEFAULT_VERSION

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.mark.slow
def test_the_reference_is_what_the_code_says() -> None:
    made = reference.pages()
    assert {path.name for path in (DOCS / "reference").iterdir()} == set(made)
    for name, text in made.items():
        shown = (DOCS / "reference" / name).read_text(encoding="utf-8")
        assert shown == text, f"{name} is old: python -m docs.make.reference docs/reference"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_begins_with_its_reader_and_their_question(page: Path) -> None:
    title, _, first, blank, *_ = page.read_text(encoding="utf-8").split("\n")
    assert re.fullmatch(r"# \S.*", title) and re.fullmatch(r"\*For [^:]+: [^?]+\?\*", first) and blank == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["README.md", "docs/ci.md", "docs/counterexamples.md", "docs/terminal.md", "docs/tutorial.md"]
)
def test_a_page_shows_what_its_commands_print(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert page.count("$ podproof ") >= 2
    assert console.renew(page) == page, f"renew it: python -m docs.make.console {name}"


def test_what_is_committed_names_functions_and_not_lines_of_the_model() -> None:
    """So a comment that is added to the model makes no page and no golden file stale."""
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *DOCS.rglob("*.svg"), *(ROOT / "tests" / "golden").rglob("*.*")]
    line = re.compile(r"\b(?:model|specs)/(?!miniature)[\w/]+\.py(?::|#58;)\d")
    assert len(pages) > 50
    assert not {str(page): found[0] for page in pages if (found := line.search(page.read_text(encoding="utf-8")))}


def test_a_place_is_a_line_or_the_innermost_function(monkeypatch: pytest.MonkeyPatch) -> None:
    file, text = "model/pod_workers.py", (ROOT / "model" / "pod_workers.py").read_text(encoding="utf-8")
    number = 1 + text[: text.index("    def update_pod(")].count("\n")
    assert str(Line(file, number)) == f"{file}:{number}"
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    assert str(Line(file, number)) == f"{file}:update_pod"
    assert str(Line(file, 1)) == f"{file}:1", "no function is there"
    assert str(Line("none.py", 7)) == "none.py:7"


@pytest.mark.slow
def test_a_page_that_is_renewed_keeps_everything_but_the_output() -> None:
    page = """Text.

```python title="my_change.py"
one, two = 1
```

```console
$ podproof explain one-pod -q
old
$ podproof explain versions
old
…
$ podproof explain versions -q
…
v1.26
v1.2…
…
$ podproof explain versions -q
…
v1.99
…
$ podproof check --model my_change.py
```

```console
$ other command
kept
```
"""
    new = console.renew(page).splitlines()
    assert new[:7] == page.splitlines()[:7] and new[-5:] == page.splitlines()[-5:]
    assert "old" not in new
    listed = new.index("$ podproof explain versions")
    assert new[listed + 1].startswith(f"{DEFAULT_VERSION} ") and new[listed + 2] == "…"
    fits = new.index("v1.2…")
    assert new[fits - 2] == "…" and new[fits + 1] == "…" and "v1.99" not in new
    assert any(line.startswith("error: ") and "my_change.py:1" in line for line in new)


def test_every_page_is_in_the_navigation() -> None:
    nav = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if path.parent.name != "examples"}
    assert pages <= set(nav)
    assert len(nav) == len(set(nav))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as a warning would forbid it."""
    for name in ("mkdocs", "material"):
        if importlib.util.find_spec(name) is None:
            pytest.skip("MkDocs is not installed: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "WARNING -" not in done.stderr
    return folder


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    loads = re.compile(
        r"<(?:script|img|iframe)[^>]*\ssrc=\"(?:https?:)?//|<link[^>]*stylesheet[^>]*href=\"(?:https?:)?//"
    )
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not loads.search(text), page
        assert "fonts.googleapis" not in text, page


@pytest.mark.slow
def test_links_out_of_the_documentation_lead_to_pages_that_show_the_file(site: Path) -> None:
    tutorial = (site / "tutorial.html").read_text(encoding="utf-8")
    assert 'href="source/model/pod_workers.py.html"' in tutorial
    shown = (site / "source" / "model" / "pod_workers.py.html").read_text(encoding="utf-8")
    assert "calculate_effective_grace_period" in shown
    departures = (site / "source" / "model" / "ABSTRACTIONS.html").read_text(encoding="utf-8")
    assert 'href="../../traces.html"' in departures


# -- in a browser ------------------------------------------------------------------------------------------------------

SECONDS = 20


@pytest.fixture
def chromium() -> Iterator[webdriver.Chrome]:
    """A Chromium that finds no other host. What it logs is looked at when the test ends."""
    with browser("--host-resolver-rules=MAP * ~NOTFOUND") as opened:
        yield opened
        assert opened.get_log("browser") == []  # type: ignore[no-untyped-call]


@pytest.mark.browser
def test_a_site_that_is_opened_as_a_file_can_be_searched(site: Path, chromium: webdriver.Chrome) -> None:
    chromium.get((site / "reference" / "claims.html").as_uri())
    query = chromium.find_element(By.CSS_SELECTOR, "input.md-search__input")
    chromium.execute_script("arguments[0].focus()", query)
    query.send_keys("eviction")
    results = ".md-search-result__link"
    WebDriverWait(chromium, SECONDS).until(lambda b: b.find_elements(By.CSS_SELECTOR, results))
    assert "evictions_are_recorded" in chromium.find_element(By.CSS_SELECTOR, ".md-search-result").text


@pytest.mark.browser
@pytest.mark.parametrize(
    "page", ["index.html", "tutorial.html", "ideas.html", "reference/claims.html", "lifecycle.html"]
)
def test_a_page_fits_the_width_of_a_telephone(page: str, site: Path, chromium: webdriver.Chrome) -> None:
    screen = {"width": 390, "height": 850, "deviceScaleFactor": 1, "mobile": True}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    chromium.get((site / page).as_uri())
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_mermaid_diagrams_are_drawn_without_a_network(site: Path, chromium: webdriver.Chrome) -> None:
    if not (site / "site" / "mermaid.min.js").exists():
        pytest.skip("Mermaid is not installed: npm ci --prefix tests/mermaid")
    fences = (DOCS / "lifecycle.md").read_text(encoding="utf-8").count("```mermaid")
    chromium.get((site / "lifecycle.html").as_uri())
    WebDriverWait(chromium, SECONDS).until(lambda b: len(b.find_elements(By.CSS_SELECTOR, "div.mermaid")) == fences)
    assert fences > 0
    assert all(drawn.size["height"] > 50 for drawn in chromium.find_elements(By.CSS_SELECTOR, "div.mermaid"))
