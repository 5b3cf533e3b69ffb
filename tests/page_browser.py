"""A page in a headless Chromium, for tests."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

BROKEN_WORDS = """(() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node; (node = walker.nextNode()); ) {
    const parent = node.parentElement;
    if (!parent.checkVisibility() || parent.closest("pre, .hidden, svg, .about, script")) continue;
    for (const { 0: word, index } of node.data.matchAll(/\\w+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1) found.push(word);
    }
  }
  return found;
})()"""
"""The words that are broken over two lines, but for commands and code; a name may break where the page says so."""


class Page:
    """One file, open in a browser."""

    def __init__(self, driver: webdriver.Chrome, file: Path) -> None:
        self.driver, self.url = driver, file.as_uri()

    def open(self, fragment: str = "") -> Page:
        self.driver.get("about:blank")
        self.driver.get(self.url + fragment)
        return self

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(f"return {script}", *arguments)  # type: ignore[no-untyped-call]

    def texts(self, selector: str) -> list[str]:
        """The text of what is shown of these elements."""
        return [e.text for e in self.driver.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()]

    def text(self, selector: str) -> str:
        texts = self.texts(selector)
        if not texts:
            raise NoSuchElementException(f"nothing is shown of {selector}")
        (text,) = texts
        return text

    def click(self, selector: str) -> None:
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def wait(self, until: Callable[[], bool]) -> None:
        """A click on a link changes the page a moment later; until then what `until` reads may be missing."""
        gone = [StaleElementReferenceException, NoSuchElementException]
        WebDriverWait(self.driver, 60, ignored_exceptions=gone).until(lambda _: until())

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def emulate(self, command: str, **arguments: Any) -> None:
        self.driver.execute_cdp_cmd(f"Emulation.{command}", arguments)

    def size(self, width: int, height: int = 800) -> None:
        self.emulate("setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scrolls_sideways(self) -> bool:
        return bool(self.run("document.documentElement.scrollWidth > innerWidth"))

    def complaints(self) -> list[Any]:
        return self.driver.get_log("browser")  # type: ignore[no-untyped-call, no-any-return]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]  # type: ignore[no-untyped-call]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


@contextmanager
def browser(*more: str) -> Iterator[webdriver.Chrome]:
    """A headless Chromium, with `more` options of its own."""
    if BROWSER is None or DRIVER is None:
        pytest.skip("needs Chromium and its driver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    usual = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1360,900")
    for argument in (*usual, *more):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()
