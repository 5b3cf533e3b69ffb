"""The page of --report-dir in a real browser: stepping, links, filter, looks, and that it keeps to itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.command_line import run, run_v1_29
from tests.page_browser import BROKEN_WORDS, Page, browser
from tests.page_samples import MARKUP, hostile_content
from tests.test_review_command import CANCELS_NOTHING

from podproof.reports.page.build import SCRIPTS, page

pytestmark = pytest.mark.browser
CLAIM = "grace_period_only_decreases"
TRACE = f"#/trace/orphan/{CLAIM}"
CONTRAST = 4.5
"""What WCAG 2.1 AA asks of text."""


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real check: one pod and two pods, with several counterexamples of a claim."""
    folder = tmp_path_factory.mktemp("report")
    scenarios = ["--scenario", "orphan", "--scenario", "static-waiting"]
    done = run_v1_29("check", *scenarios, "--counterexamples", "3", "--report-dir", str(folder))
    assert done.exit_code == 0, done.output
    return folder / "index.html"


@pytest.fixture
def shown(driver: webdriver.Chrome, file: Path) -> Iterator[Page]:
    """The page at its start, on a wide screen. Whatever a test does, it must not complain or ask for anything."""
    opened = Page(driver, file)
    opened.emulate("setEmulatedMedia", media="", features=[])
    opened.size(1360, 900)
    opened.open()
    opened.run("localStorage.clear()")
    opened.open()
    opened.complaints(), opened.requests()
    yield opened
    assert opened.complaints() == []
    assert {url.partition("#")[0] for url in opened.requests()} <= {opened.url, "about:blank"}


def step_shown(page: Page) -> str:
    assert len(page.texts("li.current")) == 1, "one step is shown"
    return page.text(".where")


STEPS = "[...document.querySelectorAll('.steps .event')].map((event) => event.textContent)"
"""The events of a story, also of those steps that are not shown; the start is the first."""


def test_the_table_leads_to_the_trace(shown: Page) -> None:
    assert "The pod worker of v1.29" in shown.text("#view-verdicts h1")
    shown.click(f"tr[data-claim={CLAIM}] td a")
    shown.wait(lambda: bool(shown.texts("li.current")))
    assert CLAIM in shown.text("#view-trace h1")
    assert step_shown(shown).startswith("Step 0 of ")
    assert not shown.driver.find_element(By.ID, "view-verdicts").is_displayed()
    shown.driver.back()
    shown.wait(lambda: not shown.texts("li.current"))
    assert shown.driver.find_element(By.ID, "view-verdicts").is_displayed()


def test_keys_step_through_a_trace(shown: Page) -> None:
    shown.open(TRACE)
    count = len(shown.run(STEPS)) - 1
    shown.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert step_shown(shown) == f"Step 2 of {count}"
    shown.press(Keys.ARROW_LEFT)
    assert step_shown(shown) == f"Step 1 of {count}"
    shown.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert step_shown(shown) == f"Step 0 of {count}"
    shown.press(Keys.END, Keys.ARROW_RIGHT)
    assert step_shown(shown) == f"Step {count} of {count}"
    assert "Here the claim is violated" in shown.text("li.current .ending")
    assert shown.text("li.current .ending code").startswith("false: ")
    shown.press(Keys.HOME)
    assert step_shown(shown) == f"Step 0 of {count}"


def test_buttons_and_rows_step_too_and_stop_at_the_ends(shown: Page) -> None:
    shown.open(TRACE)
    disabled = "[...document.querySelectorAll('.toolbar button')].map((button) => button.disabled)"
    assert shown.run(disabled) == [True, True, False, False]
    shown.click("[aria-label=Next]")
    assert step_shown(shown).startswith("Step 1 of")
    shown.click("[aria-label=Last]")
    assert shown.run(disabled) == [False, False, True, True]
    shown.run("scrollTo(0, 0)")
    row = shown.driver.find_element(By.CSS_SELECTOR, ".life [data-first='3']")
    ActionChains(shown.driver).move_to_element(row).click().perform()
    assert step_shown(shown).startswith("Step 3 of")
    assert shown.run("document.querySelector('li [aria-current=step]').getAttribute('aria-expanded')") == "true"
    shown.run("document.querySelector('.life [data-first=\"4\"]').focus()")
    shown.press(Keys.ENTER)
    assert step_shown(shown).startswith("Step 4 of")
    shown.press(Keys.ARROW_LEFT)
    assert step_shown(shown).startswith("Step 3 of")


def test_the_row_of_the_picture_that_has_the_step_is_framed_and_its_steps_are_told(shown: Page) -> None:
    shown.open(TRACE)
    ends = "[...document.querySelectorAll('.life [data-first]')].map((row) => [row.dataset.first, row.dataset.last])"
    rows = [(int(first), int(last)) for first, last in shown.run(ends)]
    count = len(shown.run(STEPS)) - 1
    assert [step for first, last in rows for step in range(first, last + 1)] == list(range(count + 1))
    assert any(first < last for first, last in rows), "some steps are folded"
    accent = shown.run("getComputedStyle(document.querySelector('#view-trace .chips [aria-current]')).borderTopColor")
    for step in range(count + 1):
        ((first, last),) = [row for row in rows if row[0] <= step <= row[1]]
        framed = "[...document.querySelectorAll('.life .row')].filter((row) =>"
        framed += " getComputedStyle(row.querySelector('polygon')).stroke === arguments[0])"
        assert shown.run(f"{framed}.map((row) => row.dataset.first)", accent) == [str(first)]
        told = "[...document.querySelectorAll('.steps > li')].filter((li) => li.checkVisibility())"
        assert shown.run(f"{told}.map((li) => Number(li.dataset.step))") == list(range(first, last + 1))
        shown.press(Keys.ARROW_RIGHT)


def test_the_picture_has_the_colours_of_the_theme(shown: Page) -> None:
    shown.open(TRACE)
    fill = "getComputedStyle(document.querySelector('.life [fill=\"#ffc861\"]')).fill"
    seen = []
    for name in ("light", "dark"):
        shown.click("#theme")
        assert shown.text("#theme") == f"Theme: {name}"
        seen.append(shown.run(fill))
    assert seen == ["rgb(255, 200, 97)", "rgb(122, 82, 0)"]
    shown.emulate("setEmulatedMedia", media="print")
    assert shown.run(fill) == seen[0]


def test_arrow_keys_do_not_step_where_they_have_another_meaning(shown: Page) -> None:
    shown.open(f"{TRACE}/1")
    shown.run("document.querySelector('li.current pre').focus()")
    shown.press(Keys.ARROW_RIGHT)
    assert step_shown(shown).startswith("Step 1 of")
    shown.run("document.activeElement.blur()")
    ActionChains(shown.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    assert step_shown(shown).startswith("Step 1 of")


def test_another_trace_is_chosen_from_the_list_which_keeps_the_focus(shown: Page) -> None:
    shown.open(TRACE)
    shown.run("document.querySelector('#view-trace select').focus()")
    shown.press(Keys.ARROW_DOWN)
    shown.wait(lambda: CLAIM not in shown.text("#view-trace h1"))
    assert shown.run("document.activeElement.tagName") == "SELECT"
    shown.press(Keys.ARROW_UP)
    shown.wait(lambda: CLAIM in shown.text("#view-trace h1"))


def test_a_step_shows_its_changes_its_lines_and_the_state_after_it(shown: Page) -> None:
    shown.open(f"{TRACE}/99")
    rows = shown.texts("li.current .changes tr")
    assert any(row.split()[0] == "grace_period" and "→" in row for row in rows), rows
    assert "▸" in shown.texts("li.current mark.line")[0]
    assert "grace_period" in "".join(shown.texts("li.current mark.line"))
    assert "model/pod_workers.py:" in shown.texts("li.current figcaption")[0]
    changed = shown.texts(".state tr.changed")
    assert any("grace_period" in row and "✱" in row and "→" in row for row in changed), changed


def test_the_map_lights_where_the_trace_is(shown: Page) -> None:
    shown.open(TRACE)
    data = json.loads(shown.run("document.getElementById('data').textContent"))
    (told,) = [t for t in data["scenarios"][0]["traces"] if t["claim"] == CLAIM][:1]
    (nodes,) = data["walks"][told["sides"][0]["walk"]]["at"]
    assert len(set(nodes)) > 1
    for number, node in enumerate(nodes):
        lit = "[...document.querySelectorAll('#view-trace .node.lit')].map((node) => node.dataset.node)"
        assert shown.run(lit) == [str(node)]
        edges = shown.run("document.querySelectorAll('#view-trace .edge.lit').length")
        assert edges == (1 if number and nodes[number - 1] != node else 0)
        assert data["maps"][0]["nodes"][node]["label"] in shown.text("#view-trace .map + p, #view-trace p:has(+ .map)")
        shown.press(Keys.ARROW_RIGHT)


def test_a_link_opens_a_step_and_stepping_keeps_the_link(shown: Page) -> None:
    shown.open(f"{TRACE}/2")
    assert step_shown(shown).startswith("Step 2 of")
    shown.press(Keys.ARROW_RIGHT)
    assert shown.driver.current_url.endswith(f"{TRACE}/3")
    shown.driver.refresh()
    assert step_shown(shown).startswith("Step 3 of")
    shown.click("[data-view=verdicts]")
    shown.wait(lambda: not shown.texts("li.current"))
    shown.click("[data-view=trace]")
    shown.wait(lambda: bool(shown.texts("li.current")))
    assert step_shown(shown).startswith("Step 3 of"), "the view is as it was left"


@pytest.mark.parametrize(
    "fragment", ["#/trace/nowhere/nothing/1", "#/states/orphan/web/99", "#/states/%zz", "#/way/orphan/web/x/1", "#what"]
)
def test_a_link_that_leads_nowhere_still_shows_the_page(shown: Page, fragment: str) -> None:
    shown.open(fragment)
    assert len(shown.texts("main > section > h1")) == 1
    shown.open(f"{TRACE}/-5")
    assert step_shown(shown).startswith("Step 0 of")


def test_several_counterexamples_are_offered(shown: Page) -> None:
    data = json.loads(shown.run("document.getElementById('data').textContent"))
    traces = data["scenarios"][0]["traces"]
    claim = next(t["claim"] for t in traces if [u["claim"] for u in traces].count(t["claim"]) > 1)
    shown.open(f"#/trace/orphan/{claim}")
    first = shown.run(STEPS)
    shown.click("[aria-label=Counterexamples] a:last-of-type")
    shown.wait(lambda: shown.run(STEPS) != first)
    assert shown.run(STEPS)[-1] != first[-1], "it ends with another action"
    shown.press(Keys.ARROW_RIGHT)
    url = shown.driver.current_url
    shown.driver.refresh()
    assert shown.driver.current_url == url and step_shown(shown).startswith("Step 1 of")
    assert shown.run(STEPS)[-1] != first[-1]


def test_the_filter_shows_the_claims_that_are_asked_for(shown: Page) -> None:
    rows = "tr[data-claim]"
    everything = len(shown.texts(rows))
    shown.click("button[data-status=VIOLATED]")
    violated = shown.texts(rows)
    assert 0 < len(violated) < everything and all("VIOLATED" in row for row in violated)
    assert f"{len(violated)} of {everything} claims" in shown.text("#shown")
    shown.driver.find_element(By.ID, "search").send_keys("GRACE decreases")
    assert [CLAIM in row for row in shown.texts(rows)] == [True]
    shown.driver.find_element(By.ID, "search").send_keys("no such claim")
    assert shown.texts(rows) == []
    shown.driver.find_element(By.ID, "search").clear()
    shown.driver.find_element(By.ID, "search").send_keys(" ")
    shown.click("button[data-status='']")
    assert len(shown.texts(rows)) == everything


def test_a_state_tells_what_leads_out_and_in_and_a_way_to_it(shown: Page) -> None:
    shown.open("#/states/orphan")
    data = json.loads(shown.run("document.getElementById('data').textContent"))
    made = data["maps"][0]
    target = next(edge["to"] for edge in made["edges"] if made["nodes"][edge["from"]]["start"])
    shown.click(f"#view-states svg.large [data-node='{target}']")
    shown.wait(lambda: shown.text("#view-states .panel h2") == made["nodes"][target]["label"])
    listed = shown.texts("#view-states .edges > li > a")
    out = [f"to {made['nodes'][e['to']]['label']}" for e in made["edges"] if e["from"] == target]
    into = [f"from {made['nodes'][e['from']]['label']}" for e in made["edges"] if e["to"] == target]
    assert listed == out + into
    way = data["walks"][made["ways"][target]]
    assert [text.strip() for text in shown.texts(".way li")] == [step["event"] for step in way["steps"]]
    shown.driver.find_element(By.LINK_TEXT, "Step through it").click()
    shown.wait(lambda: bool(shown.texts("li.current")))
    shown.press(Keys.END)
    assert step_shown(shown) == f"Step {len(way['steps'])} of {len(way['steps'])}"
    assert shown.run("document.querySelector('#view-trace .node.lit').dataset.node") == str(target)


def test_states_are_chosen_by_keyboard_and_keep_the_focus(shown: Page) -> None:
    shown.open("#/states/orphan")
    shown.run("document.querySelector('svg.large [data-node=\"2\"]').focus()")
    shown.press(Keys.ENTER)
    shown.wait(lambda: shown.driver.current_url.endswith("/2"))
    shown.wait(lambda: shown.run("document.activeElement.getAttribute('aria-pressed')") == "true")
    assert shown.run("document.activeElement.dataset.node") == "2"


def test_each_pod_has_its_map(shown: Page) -> None:
    shown.open("#/states/static-waiting")
    assert shown.texts("[aria-label=Maps] a[aria-current]") == ["static-waiting", "old"]
    shown.driver.find_element(By.LINK_TEXT, "new").click()
    shown.wait(lambda: shown.texts("[aria-label=Maps] a[aria-current]") == ["static-waiting", "new"])


def test_the_first_key_skips_to_the_content_and_focus_is_seen(shown: Page) -> None:
    shown.press(Keys.TAB)
    assert shown.run("document.activeElement.className") == "skip"
    assert shown.run("document.activeElement.getBoundingClientRect().left") >= 0
    shown.press(Keys.ENTER)
    assert shown.run("document.activeElement.id") == "main"
    shown.press(Keys.TAB)
    assert shown.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize(
    "fragment", ["", TRACE + "/99", "#/states/orphan/web/3", "#/trace/static-waiting/a_pod_runs/2"]
)
def test_a_phone_is_wide_enough(shown: Page, fragment: str) -> None:
    shown.size(360, 740)
    shown.open(fragment)
    assert not shown.scrolls_sideways()
    wide = """[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1
        && e.checkVisibility() && !e.closest("pre, .scrolls, .hidden"))"""
    assert shown.run(f"{wide}.map((e) => e.outerHTML.slice(0, 80))") == []


def test_no_verdict_is_written_over_another(shown: Page) -> None:
    """On a phone, and where half a screen is left because all is shown at twice its size."""
    for width in (360, 680):
        shown.size(width)
        shown.open()
        sizes = "[...document.querySelectorAll('td.cell')].map((cell) => [cell.clientWidth, cell.scrollWidth])"
        cells = [(room, text) for room, text in shown.run(sizes) if text]
        assert cells and all(text <= room for room, text in cells)


def test_the_page_is_dark_where_the_system_is_or_the_reader_wants_it(shown: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = shown.run(ground)
    shown.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark = shown.run(ground)
    assert dark != light
    shown.click("#theme")
    assert (shown.text("#theme"), shown.run(ground)) == ("Theme: light", light)
    shown.driver.refresh()
    assert (shown.text("#theme"), shown.run(ground)) == ("Theme: light", light)
    shown.emulate("setEmulatedMedia", features=[])
    shown.click("#theme")
    assert (shown.text("#theme"), shown.run(ground)) == ("Theme: dark", dark)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", TRACE + "/99", "#/states/orphan/web/3"])
def test_text_has_contrast(shown: Page, scheme: str, fragment: str) -> None:
    shown.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    shown.open(fragment)
    assert [found for found in shown.run(_CONTRASTS) if found[0] < CONTRAST] == []


_CONTRASTS = """(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  return [...document.querySelectorAll("body *")]
    .filter((e) => own(e) && e.checkVisibility() && !e.closest("svg, select, script, .hidden, :disabled, .skip"))
    .map((e) => {
      const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
      return [(a + 0.05) / (b + 0.05), e.textContent.slice(0, 40)];
    });
})()"""


def test_all_steps_are_printed(shown: Page) -> None:
    shown.open(f"{TRACE}/1")
    shown.emulate("setEmulatedMedia", media="print")
    count = len(shown.texts(".steps > li"))
    assert len(shown.texts(".steps .body")) == count > 2
    assert shown.texts(".toolbar") == [] and shown.texts("nav[aria-label=Views]") == []
    assert shown.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    shown.size(700)
    assert not shown.scrolls_sideways()


def test_markup_in_names_makes_no_element(driver: webdriver.Chrome, tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    file.write_text(page(hostile_content()), encoding="utf-8")
    hostile = Page(driver, file).open()
    hostile.complaints()
    data = json.loads(hostile.run("document.getElementById('data').textContent"))
    (scenario,) = data["scenarios"]
    links = hostile.run("[...document.querySelectorAll('.cell a')].map((link) => link.getAttribute('href'))")
    states = hostile.run("'#/states/' + encodeURIComponent(arguments[0])", scenario["name"])
    assert len(links) == len(scenario["traces"]) > 1
    for fragment in ["", *links, states]:
        hostile.open(fragment)
        hostile.press(Keys.END)
        assert hostile.run("document.querySelectorAll('img, [onerror]').length") == 0
        assert hostile.run("document.scripts.length") == 1 + len(SCRIPTS)
        assert hostile.driver.title.startswith("podproof: <img src=x"), "no script of a name's has run"
        assert MARKUP in hostile.run("document.querySelector('main').textContent")
    assert hostile.complaints() == []


def test_stepping_goes_round_the_loop_of_a_lasso(driver: webdriver.Chrome, tmp_path: Path) -> None:
    asked = ["--scenario", "killed-pod", "--property", "kill_requests_are_answered", "--report-dir", str(tmp_path)]
    assert run_v1_29("check", *asked).exit_code == 0
    shown = Page(driver, tmp_path / "index.html")
    shown.emulate("setEmulatedMedia", media="", features=[])
    shown.size(1360, 900)
    shown.open("#/trace/killed-pod/kill_requests_are_answered/7").complaints()
    shown.press(Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert step_shown(shown) == "Step 5 of 7"
    assert "then, for ever:" in shown.texts("[data-step='5'] .turn")
    shown.press(Keys.END)
    assert "a killPodNow waits for CompletedCh 0" in shown.text("li.current .ending")
    assert step_shown(shown) == "Step 7 of 7, and round again"
    shown.press(Keys.ARROW_RIGHT)
    assert step_shown(shown) == "Step 6 of 7"
    shown.press(Keys.ARROW_RIGHT)
    shown.click("[aria-label=Next]")
    assert step_shown(shown) == "Step 6 of 7"
    for scheme in ("light", "dark"):
        shown.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        assert [found for found in shown.run(_CONTRASTS) if found[0] < CONTRAST] == []
    shown.emulate("setEmulatedMedia", features=[])
    assert shown.complaints() == []


# -- two versions side by side ---------------------------------------------------------------------------------------


NEW = "#/trace/orphan/terminations_cancel_the_sync_call"


@pytest.fixture(scope="module")
def compared(driver: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("compared")
    (folder / "cancels_nothing.py").write_text(CANCELS_NOTHING)
    asked = ["review", "v1.32", str(folder / "cancels_nothing.py"), "--scenario", "orphan", "-o", "html"]
    assert run(*asked, "--output-file", str(folder / "change.html")).exit_code == 1
    return Page(driver, folder / "change.html")


@pytest.fixture
def side_by_side(compared: Page) -> Iterator[Page]:
    compared.emulate("setEmulatedMedia", media="", features=[])
    compared.size(1280, 900)
    compared.open().complaints(), compared.requests()
    yield compared
    assert compared.complaints() == []
    assert [url for url in compared.requests() if not url.startswith(("file:", "about:"))] == []


def test_a_claims_name_leads_to_where_the_versions_part(side_by_side: Page) -> None:
    side_by_side.click("#view-verdicts .told a")
    side_by_side.wait(lambda: bool(side_by_side.texts("li.current")))
    assert side_by_side.text("#view-trace h1").startswith("NEW")
    count = len(side_by_side.run(STEPS)) - 1
    assert step_shown(side_by_side) == f"Step {count} of {count}"
    assert side_by_side.texts(".apart-sign") == ["≠ here they part"]
    assert side_by_side.texts("li.current .beside:has(.changes) h4") == ["v1.32", "cancels_nothing"]
    halves = side_by_side.texts("li.current .beside:has(.changes) > section")
    assert "context" in halves[0] and "context" not in halves[1]
    assert "Here cancels_nothing violates it" in side_by_side.text("li.current .ending")
    differing = side_by_side.texts(".state tr.differs")
    assert any("worker." in row and "context" in row and "★" in row for row in differing), differing
    assert any("≠" in pin for pin in side_by_side.texts(".pins li.differs"))


def test_the_picture_forks_where_the_versions_part(side_by_side: Page) -> None:
    side_by_side.open(NEW)
    side_by_side.click("[aria-label='Where they part']")
    step = step_shown(side_by_side).split()[1]
    row = side_by_side.run("document.querySelector('.life .row.current').dataset.first")
    assert row == step
    told = side_by_side.run("[...document.querySelectorAll('.life text')].map((text) => text.textContent)")
    assert f"\N{MINUS SIGN} v1.32 and + cancels_nothing part with step {step}" in told
    assert any(text.startswith("\N{MINUS SIGN} ") and "context" in text for text in told), told
    count = "[...document.querySelectorAll(`.life .phase.${side}`)].filter((drawn) => drawn.getClientRects().length)"
    sides = f"['old', 'new'].map((side) => {count}.length)"
    assert side_by_side.run(sides) == [1, 1]


def test_what_both_do_alike_is_said_once(side_by_side: Page) -> None:
    side_by_side.open(f"{NEW}/1")
    assert side_by_side.texts("li.current .beside") == [] and side_by_side.texts(".pins li.differs") == []
    assert side_by_side.texts("li.current .changes") != []
    side_by_side.press(Keys.END)
    assert side_by_side.texts("li.current .beside") != []
    side_by_side.press(Keys.HOME)
    side_by_side.click("[aria-label='Where they part']")
    assert side_by_side.driver.current_url.endswith(NEW + "/" + step_shown(side_by_side).split()[1])
    assert side_by_side.texts("li.current .apart-sign") == ["≠ here they part"]


def test_all_steps_have_their_row_and_lead_there(side_by_side: Page) -> None:
    side_by_side.open(f"{NEW}/0")
    events = side_by_side.run(STEPS)[1:]
    rows = side_by_side.texts(".all-steps tbody th")
    assert [row.partition(" ")[2] for row in rows[:-1]] == events[:-1]
    side_by_side.click(".all-steps tbody tr:nth-child(2) button")
    assert step_shown(side_by_side).startswith("Step 2 of")
    assert side_by_side.texts(".all-steps tr.current th") == [rows[1]]
    assert "v1.32" in side_by_side.texts(".all-steps .differs")[0]


def test_a_trace_is_copied_with_its_lines(side_by_side: Page) -> None:
    side_by_side.open(f"{NEW}/0")
    side_by_side.run(
        "(window.copied = [], navigator.clipboard.writeText = async (text) => { window.copied.push(text); })"
    )
    buttons = side_by_side.driver.find_elements(By.CSS_SELECTOR, ".copies button")
    assert [button.text for button in buttons] == ["Mermaid", "Command", "JSON", "Go test"]
    for button in buttons:
        button.click()
    side_by_side.wait(lambda: side_by_side.run("window.copied.length") == len(buttons))
    mermaid, command, document, test = side_by_side.run("window.copied")
    assert command.startswith("podproof explore") and mermaid.startswith("sequenceDiagram\n")
    assert json.loads(document)["schemaVersion"] == "podproof/1" and "\nfunc Test" in test
    side_by_side.run("(navigator.clipboard.writeText = async () => { throw new Error('no'); })")
    buttons[0].click()
    side_by_side.wait(lambda: side_by_side.run("String(getSelection())").startswith("sequenceDiagram"))


@pytest.mark.parametrize("fragment", ["", NEW + "/99"])
def test_the_page_of_a_comparison_is_read_on_a_phone_in_the_dark_and_in_whole_words(
    side_by_side: Page, fragment: str
) -> None:
    for scheme in ("light", "dark"):
        side_by_side.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        side_by_side.open(fragment)
        assert [found for found in side_by_side.run(_CONTRASTS) if found[0] < CONTRAST] == []
    assert side_by_side.run(BROKEN_WORDS) == []
    side_by_side.size(360, 740)
    side_by_side.open(fragment)
    assert not side_by_side.scrolls_sideways()
