"""The live page in a real browser: playing environment, undoing, links, and that names stay text."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.page_browser import BROKEN_WORDS, Page, browser
from tests.page_samples import MARKUP
from tests.test_page_of_a_comparison import KEEPS

from podproof.cli.explore_server import HOST, application, fragment, listen, server_of
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, scenarios_of, subject_of
from podproof.queries.exploring import LiveSession, Session

pytestmark = pytest.mark.browser
GRACE = "grace_period_only_decreases"
BROKEN = [GRACE, "the_least_grace_period_asked_for_is_recorded", "the_grace_period_is_one_that_was_asked_for"]
"""What a deletion with 0 s after one with 5 breaks."""
WALK = ["handle_pod_additions(web,admitted)", "handle_pod_deletion(web,5)", "handle_pod_deletion(web,0)"]
EVENTS = ["ADD web: admitted", "DELETE web: grace period 5", "DELETE web: grace period 0"]


class Live(Page):
    """The page of one server, open in a browser."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver, self.url = driver, url

    def until_at(self, where: str) -> None:
        self.wait(lambda: self.text("#where") == where)

    def take(self, event: str) -> None:
        """Choose what happens next, and wait until the page shows it."""
        number = len(self.texts(".steps > li:not(.undone)"))
        self.wait(lambda: self._chosen(event))
        self.wait(lambda: self.text("#where").startswith(f"step {number}"))

    def _chosen(self, event: str) -> bool:
        buttons = self.driver.find_elements(By.CSS_SELECTOR, "#choices button")
        found = [button for button in buttons if button.text.splitlines()[:1] == [event]]
        for button in found:
            button.click()
        return bool(found)

    def until_loaded(self) -> None:
        """Until the choices, the traces and the map are there, in whichever order they come."""
        self.wait(lambda: self.texts("#choices button") != [])
        self.wait(lambda: "…" not in self.text("#map-note") and not self.text("#starts-note").endswith("…"))


@contextmanager
def serving(make: Callable[[], Session], files: Sequence[Path] = ()) -> Iterator[str]:
    """The address of a server in this process."""
    with listen(0) as listening:
        port = listening.getsockname()[1]
        server = server_of(listening, application(LiveSession(make, files), port))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{HOST}:{port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(lambda: Session(subject_of("v1.29", None), scenarios_of(["one-pod"])[0])) as url:
        yield url


@pytest.fixture
def live(driver: webdriver.Chrome, address: str) -> Iterator[Live]:
    """The page at its start, on a wide screen. Whatever a test does, it must not complain or ask anybody else."""
    opened = Live(driver, address)
    opened.emulate("setEmulatedMedia", media="", features=[])
    opened.size(1360, 900)
    opened.open()
    opened.until_at("start")
    opened.complaints(), opened.requests()
    yield opened
    assert opened.complaints() == []
    strangers = [url for url in opened.requests() if not url.startswith((address, "about:", "data:", "blob:"))]
    assert strangers == []


def broken(live: Live) -> list[str]:
    return live.texts("#claims li.broken > code")


def test_three_clicks_break_the_claim_and_undo_mends_it(live: Live) -> None:
    for event in EVENTS:
        assert broken(live) == []
        live.take(event)
    assert broken(live) == BROKEN
    assert "broken by step 3" in live.text("#claims") and "30 <= 5" in live.text("#claims")
    assert live.text("#verdict") == "✗ 3 claims are broken"
    current = live.text("li.current")
    assert EVENTS[2] in current and f"breaks {GRACE}" in current
    assert "grace_period 5 → 30" in current.replace("\n", " ").replace("becomes ", "")
    assert any("status.grace_period = grace_period" in line for line in live.texts("li.current mark.line"))
    assert "5 → 30" in live.text("#state")
    live.click("#undo")
    live.until_at("step 2 of 3")
    assert broken(live) == [] and live.text("#verdict").startswith("✓")
    assert live.texts("li.undone .event") and "DELETE web: grace period 0" in live.texts("li.undone .event")[0]
    live.click("#redo")
    live.until_at("step 3")
    assert broken(live) == BROKEN


def test_the_picture_grows_and_its_rows_lead_to_their_steps(live: Live) -> None:
    ends = "[...document.querySelectorAll('#life [data-first]')].map((row) => row.dataset.last)"
    current = "document.querySelector('#life .row.current').dataset.last"
    for number, event in enumerate(EVENTS, 1):
        live.take(event)
        live.wait(lambda number=number: live.run(ends) == [str(n) for n in range(number + 1)])
        assert live.run(current) == str(number)
    assert "The grace period of web grew from 5 s to 30 s" in live.run("document.querySelector('#life').textContent")
    live.run(
        "document.querySelector('#life [data-first=\"1\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    )
    live.until_at("step 1 of 3")
    live.wait(lambda: live.run(ends) == ["0", "1"])
    fill = "getComputedStyle(document.querySelector('#life .phase polygon')).fill"
    assert live.run(fill) == "rgb(233, 237, 241)"
    live.size(390, 800)
    assert live.run("document.documentElement.scrollWidth <= innerWidth")


def test_a_choice_says_before_it_is_taken_what_it_breaks(live: Live) -> None:
    live.take(EVENTS[0])
    live.take(EVENTS[1])
    choices = {text.splitlines()[0]: text for text in live.texts("#choices button")}
    assert f"breaks {GRACE}" in choices[EVENTS[2]]


def test_another_choice_after_undo_replaces_what_was_undone(live: Live) -> None:
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.press(Keys.ARROW_LEFT)
    live.until_at("step 2 of 3")
    live.take("REMOVE web")
    assert live.text("#where") == "step 3"
    assert live.texts(".steps > li .event")[-1].endswith("REMOVE web")


def test_reload_and_link_keep_the_walk_and_back_undoes(live: Live) -> None:
    live.take(EVENTS[0])
    live.take(EVENTS[1])
    link = live.driver.current_url
    live.driver.refresh()
    live.until_at("step 2")
    live.driver.back()
    live.until_at("step 1")
    live.driver.get("about:blank")
    live.driver.get(link)
    live.until_at("step 2")
    assert live.text("li.current .event").endswith(EVENTS[1])


def test_the_history_is_jumped_in_and_left_by_keys_and_clicks(live: Live) -> None:
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.click('li[data-step="1"] .head')
    live.until_at("step 1 of 3")
    live.press(Keys.END)
    live.until_at("step 3")
    live.press(Keys.HOME)
    live.wait(lambda: live.text("#where").startswith("start"))
    live.click("#restart")
    live.wait(lambda: live.texts(".steps > li.undone") == [])
    assert live.driver.current_url in (live.url, live.url + "#")


def test_a_counterexample_is_walked_along_and_left(live: Live) -> None:
    live.until_loaded()
    live.click(f'#starts li[data-claim="{GRACE}"] a')
    live.wait(lambda: len(live.texts(".steps > li")) == 4)
    live.click("#redo")
    live.until_at("step 1 of 3")
    live.take("SyncKnownPods")
    assert live.text("#where") == "step 2"


def test_the_phase_is_lit_and_leads_there(live: Live) -> None:
    live.until_loaded()
    live.wait(lambda: len(live.driver.find_elements(By.CSS_SELECTOR, "#map .node.lit")) == 1)
    assert live.text("#map .node.lit") == "not known"
    live.take(EVENTS[0])
    live.wait(lambda: live.text("#map .node.lit") != "not known")
    phases = {e.text: e for e in live.driver.find_elements(By.CSS_SELECTOR, "#map [data-node]")}
    phases["terminated"].send_keys(Keys.ENTER)
    live.wait(lambda: live.texts("#map .node.lit") == ["terminated"])
    assert len(live.texts(".steps > li")) > 5


def test_what_cannot_happen_is_listed_with_the_models_condition(live: Live) -> None:
    live.click(".impossible summary")
    assert "require(budget.kills > 0 and self.listed_as_active[uid])" in live.text(".impossible")
    assert "killPodNow(web): preemption" in live.text(".impossible")


def test_the_walk_is_copied_as_command_and_as_json(live: Live) -> None:
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.run("(window.copied = [], navigator.clipboard.writeText = async (text) => { window.copied.push(text); })")
    live.click("#copy-command")
    live.wait(lambda: live.run("window.copied.length") == 1)
    assert live.run("window.copied[0]") == live.text("#command")
    assert live.text("#command").endswith(f"--walk '{';'.join(WALK)}'")
    live.click("#copy-json")
    live.wait(lambda: live.run("window.copied.length") == 2)
    document = json.loads(live.run("window.copied[1]"))
    assert document["schemaVersion"] == "podproof/1"
    assert [step["event"] for step in document["results"][0]["properties"][1]["trace"]] == EVENTS


def test_a_saved_walk_is_opened_and_what_is_none_is_told(live: Live, tmp_path: Path) -> None:
    file = live.driver.find_element(By.CSS_SELECTOR, "#file")
    saved = tmp_path / "walk.json"
    saved.write_text(Session(subject_of("v1.29", None), scenarios_of(["one-pod"])[0]).saved(WALK))
    file.send_keys(str(saved))
    live.until_at("step 3")
    assert live.text("#copied") == "Opened walk.json: walk, 3 steps."
    assert broken(live) == BROKEN
    saved.write_text(saved.read_text().replace('"action": "handle_pod_deletion"', '"action": "evaporate"'))
    file.send_keys(str(saved))
    live.until_at("step 1")
    assert "step 2: there is no event 'evaporate(web,5)'" in live.text("#trouble")
    assert "It stops early here: step 2" in live.text("#copied")
    saved.write_text("{")
    file.send_keys(str(saved))
    live.wait(lambda: "walk.json: '{' is no JSON" in live.text("#copied"))
    assert live.text("#where") == "step 1"
    assert ["400" in said["message"] for said in live.complaints()] == [True]


def test_an_impossible_walk_and_an_unreadable_address_are_told(live: Live) -> None:
    live.open(fragment([WALK[0], WALK[2], WALK[2]]))
    live.until_at("step 2")
    assert "step 3, DELETE web: grace period 0: it is not possible here" in live.text("#trouble")
    live.open("#walk=%E0%A4%A")
    live.until_at("start")
    assert "cannot be read" in live.text("#trouble")


@pytest.mark.parametrize("width", [360, 768, 1000, 1360])
def test_no_width_scrolls_sideways(live: Live, width: int) -> None:
    live.size(width)
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.until_loaded()
    assert not live.scrolls_sideways()


def test_no_key_is_lost_while_the_server_answers(live: Live) -> None:
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.run(
        "['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight'].forEach((key) => "
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))"
    )
    live.until_at("step 1 of 3")


def test_words_are_whole_and_nothing_is_too_wide_on_a_laptop(live: Live) -> None:
    live.size(1280)
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.until_loaded()
    assert live.run(BROKEN_WORDS) == []
    assert not live.scrolls_sideways()


def test_two_versions_are_stepped_side_by_side(driver: webdriver.Chrome) -> None:
    (scenario,) = scenarios_of(["orphan"])
    with serving(lambda: Session(subject_of("v1.29", None), scenario, subject_of("v1.32", None))) as url:
        live = Live(driver, url)
        live.size(1280, 900)
        live.open(fragment([WALK[0], "kill_pod_now(web,hard eviction, override 0)"]))
        live.until_at("step 2")
        assert live.driver.title == "podproof explore: v1.29 and v1.32, orphan"
        assert live.texts(".apart-sign") == ["≠ here they part"]
        halves = live.texts("li.current .beside:has(.changes) > section")
        assert [half.splitlines()[0] for half in halves] == ["v1.29", "v1.32"]
        assert any("grace_period" in row and "30" in row and "1" in row for row in live.texts("#state tr.differs"))
        assert live.texts("#claims h3") == ["v1.29", "v1.32"]
        assert live.text("#verdict") == "✗ 2 claims are broken in v1.29"
        assert "--against v1.32" in live.text("#command")
        live.click("#undo")
        live.until_at("step 1 of 2")
        choice = next(text for text in live.texts("#choices button") if "hard eviction" in text)
        assert "breaks the_grace_period_is_one_that_was_asked_for in v1.29" in choice and "in v1.32" not in choice
        live.click("#redo")
        live.until_at("step 2")
        live.until_loaded()
        assert live.run(BROKEN_WORDS) == [] and not live.scrolls_sideways()
        live.size(360, 740)
        assert not live.scrolls_sideways()
        assert live.complaints() == []


def test_a_saved_file_is_followed_as_far_as_the_walk_goes(driver: webdriver.Chrome, tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(KEEPS.replace("require(not ", "require("))
    (scenario,) = scenarios_of(["orphan"])
    with serving(lambda: Session(subject_of("", file), scenario), [file]) as url:
        live = Live(driver, url)
        live.open(fragment([WALK[0], "handle_pod_removes(web)"]))
        live.until_at("step 2")
        file.write_text(KEEPS)
        live.until_at("step 1")
        assert "The walk stops early. step 2, REMOVE web: it is not possible here" in live.text("#trouble")
        file.write_text(KEEPS + "import nothing_there")
        live.wait(lambda: live.texts("#not-taken") != [])
        assert "No module named 'nothing_there'" in live.text("#not-taken")
        file.write_text(KEEPS.replace("require(not ", "require("))
        live.until_at("step 2")
        assert (live.texts("#not-taken"), live.texts("#trouble")) == ([], [])
        assert live.complaints() == []


def test_the_skip_link_leads_to_the_choices_and_keeps_the_walk(live: Live) -> None:
    live.open(fragment(WALK))
    live.until_at("step 3")
    live.press(Keys.TAB, Keys.ENTER)
    assert live.run("document.activeElement.id") == "next"
    assert live.run("location.hash").startswith("#walk=")


def test_a_server_that_has_gone_is_told(driver: webdriver.Chrome) -> None:
    with serving(lambda: Session(subject_of("v1.29", None), scenarios_of(["lone-pod"])[0])) as url:
        live = Live(driver, url)
        live.open()
        live.until_loaded()
    live.driver.find_elements(By.CSS_SELECTOR, "#choices button")[0].click()
    live.wait(lambda: live.texts("#trouble") != [])
    assert "does not answer" in live.text("#trouble")
    assert "podproof explore --version v1.29 --scenario lone-pod" in live.text("#command")
    assert ["CONNECTION_REFUSED" in said["message"] for said in live.complaints()] == [True]


def test_markup_in_names_stays_text(driver: webdriver.Chrome, monkeypatch: pytest.MonkeyPatch) -> None:
    (plain,) = scenarios_of(["killed-pod"])
    pods = (copy(plain.pods[0]),)
    for name in ("name", "full_name"):
        object.__setattr__(pods[0], name, MARKUP)  # No file can make such a pod.
    scenario = replace(plain, name=MARKUP, remark=MARKUP, pods=pods)
    monkeypatch.setitem(cast(dict[str, Any], SCENARIOS), MARKUP, scenario)
    subject = Subject(MARKUP, subject_of("v1.29", None).cls, f"--model {MARKUP}")
    with serving(lambda: Session(subject, scenario)) as url:
        live = Live(driver, url)
        live.open()
        live.until_at("start")
        live.take(f"ADD {MARKUP}: admitted")
        live.take(f"killPodNow({MARKUP}): preemption")
        live.until_loaded()
        title = live.driver.title
        assert title == f"podproof explore: {MARKUP}, {MARKUP}"
        assert live.run("document.querySelectorAll('img, main script, iframe').length") == 0
        assert live.text("li.current .event").startswith(("▸", "killPodNow")) and MARKUP in live.text(
            "li.current .event"
        )
        assert MARKUP in live.text("header") and MARKUP in live.text("#command")
        live.driver.refresh()
        live.until_at("step 2")
        assert live.driver.title == title
        assert live.complaints() == []
