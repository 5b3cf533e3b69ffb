"""The page that `podproof explore` serves: a template, with what never changes on a walk as its data."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from podproof.reports.page import lives
from podproof.reports.page.build import finalize, json_in_html

PACKAGE = "podproof.reports.page"
KINDS = {"css": "text/css", "js": "text/javascript"}


def explore_page(fixed: Mapping[str, Any]) -> str:
    """The page as HTML. `fixed` is data for its script; what the template shows of it is escaped."""
    loader = PackageLoader(PACKAGE, ".")
    templates = Environment(loader=loader, autoescape=True, finalize=finalize, undefined=StrictUndefined)
    return templates.get_template("explore.html.j2").render(fixed=fixed, data=json_in_html(fixed))


def explore_files() -> dict[str, tuple[str, str]]:
    """The files that the page asks for: path -> text and media type."""
    names = ("style.css", "explore.css", "trace.js", "explore.js")
    texts = {name: _text(name) for name in names}
    texts["style.css"] += lives.style()
    return {f"/{name}": (text, KINDS[name.rpartition(".")[2]]) for name, text in texts.items()}


def _text(name: str) -> str:
    return resources.files(PACKAGE).joinpath(name).read_text(encoding="utf-8")
