"""`index.html` of --report-dir: verdicts, counterexamples to step through and maps to wander in, in one file.

The page is a template with its style and scripts put in, and the data as JSON. It asks for nothing over the network,
and its policy forbids it to. Everything that comes from a model is text: the template escapes it, the JSON cannot end
its element, and the scripts make text nodes of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from podproof.checker.core.printer import visible
from podproof.checker.core.system import Counterexample, Exploration, Status, Trace, Verdict
from podproof.reports.page.maps import Map, map_data, map_svg
from podproof.reports.page.table import left_open, rows_of, summary_of, trust_of
from podproof.reports.page.walk import lines_of, sources_data, system_data, walk_data
from podproof.reports.story import false_part
from podproof.reports.wording import Wording

Replay = Callable[[Exploration, Verdict], str]
SCRIPTS = ("trace.js", "table.js", "page.js")


@dataclass(frozen=True)
class PageContent:
    """What the page shows."""

    subject: str
    """The release, or the name of the model file."""
    command: str
    """The command line that makes the page again."""
    explorations: Sequence[Exploration]
    maps: Mapping[str, Sequence[Map]] = field(default_factory=dict)
    """By scenario; a scenario without has none that could be drawn."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """For a claim's id, where upstream says so and what is known of it."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The texts of model files, by the names that lines have."""
    replay: Replay | None = None
    explore: Callable[[Exploration, Trace], str] | None = None
    """The command that goes on from a trace by hand; empty where there is none."""


def page(content: PageContent) -> str:
    """The whole page as HTML: the same content, the same text."""
    data = _Data(content)
    templates = Environment(
        loader=PackageLoader("podproof.reports.page", "."),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    style = _own(templates, "style.css")
    scripts = [_own(templates, name) for name in SCRIPTS]
    return templates.get_template("index.html.j2").render(
        content=content,
        summary=summary_of(content.explorations),
        open=left_open(content.explorations),
        rows=rows_of(content.explorations),
        trust=[trust_of(exploration) for exploration in content.explorations],
        policy=policy([style], scripts),
        style=style,
        scripts=scripts,
        data=json_in_html(data.json()),
        drawings=data.drawings,
    )


def shown(value: Any) -> Any:
    """What a template is to show of a value that is no markup."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The content security policy that allows these styles and scripts, and nothing from anywhere."""
    style, script = (" ".join(f"'sha256-{_digest(text)}'" for text in texts) for texts in (styles, scripts))
    return f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def page_json(data: Any) -> str:
    """Data for a page's script, which shows every text in it as it is."""
    return json.dumps(_visible(data), ensure_ascii=False, separators=(",", ":"))


def _visible(data: Any) -> Any:
    match data:
        case str():
            return visible(data)
        case Mapping():
            return {_visible(key): _visible(value) for key, value in data.items()}
        case list() | tuple():
            return [_visible(item) for item in data]
    return data


def json_in_html(data: Any) -> Markup:
    """JSON that can stand in a script element: no text in it can end the element or begin a comment."""
    text = page_json(data)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _own(templates: Environment, name: str) -> Markup:
    """A file of this package as it is."""
    assert templates.loader is not None
    return Markup(templates.loader.get_source(templates, name)[0])


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class _Data:
    """What the script is given: everything it needs to know of the walks and maps."""

    def __init__(self, content: PageContent) -> None:
        self.content = content
        self.maps: list[dict[str, Any]] = []
        self.drawings: list[Mapping[str, Markup]] = []
        """For each map its two drawings, which go into the page as templates."""
        self.systems: list[dict[str, Any]] = []
        self.walks: list[dict[str, Any]] = []
        self.files: set[str] = set()
        self.scenarios = [self._scenario(exploration) for exploration in content.explorations]

    def json(self) -> dict[str, Any]:
        claims = {v.property.id: v.property for e in self.content.explorations for v in e.verdicts}
        return {
            "subject": self.content.subject,
            "scenarios": self.scenarios,
            "claims": {
                p.id: {"kind": p.kind, "meaning": p.meaning, "note": self.content.notes.get(p.id, "")}
                for p in claims.values()
            },
            "systems": self.systems,
            "maps": self.maps,
            "walks": self.walks,
            "sources": sources_data({f: t for f, t in self.content.sources.items() if f in self.files}),
        }

    def _scenario(self, e: Exploration) -> dict[str, Any]:
        wording, maps = Wording(e.system), self.content.maps.get(e.system.scenario, ())
        first = len(self.maps)
        for made in maps:
            own = Wording(made.projection.system)
            ways = [self._walk(own, trace, maps) for trace in made.ways]
            self.maps.append({**map_data(made), "system": self._system(own), "ways": ways})
            self.drawings.append({"small": Markup(map_svg(made, False)), "large": Markup(map_svg(made, True))})
        told = [told for verdict in e.verdicts for told in self._traces(e, wording, verdict, maps)]
        return {
            "name": e.system.scenario,
            "bounds": e.system.bounds,
            "system": self._system(wording),
            "maps": list(range(first, len(self.maps))),
            "traces": told,
        }

    def _system(self, wording: Wording) -> int:
        """Keep what is to be known of a system, once; gives its number."""
        system = system_data(wording)
        if system not in self.systems:
            self.systems.append(system)
        return self.systems.index(system)

    def _traces(self, e: Exploration, wording: Wording, v: Verdict, maps: Sequence[Map]) -> Iterator[dict[str, Any]]:
        """A verdict's traces: of a violation the counterexamples, else the witness."""
        replay = self.content.replay(e, v) if self.content.replay is not None and v.status is Status.VIOLATED else ""
        first = [] if v.trace is None else [Counterexample(v.trace, v.conjunct)]
        for found in (*first, *v.others):
            false = "" if found.conjunct is None else false_part(found.conjunct)
            walk = self._walk(wording, found.trace, maps)
            told = {"claim": v.property.id, "status": v.status.value, "walk": walk, "replay": replay, "false": false}
            explore = "" if self.content.explore is None else self.content.explore(e, found.trace)
            yield {**told, "explore": explore, "reason": v.reason if found.trace is v.trace else ""}

    def _walk(self, wording: Wording, trace: Trace, maps: Sequence[Map]) -> int:
        """Keep a trace as a walk, with the node of each of its states in each map; gives its number."""
        walk = walk_data(wording, trace)
        self.files |= lines_of(walk)
        states = trace.states
        walk["at"] = [[made.number_of(state, wording.system) for state in states] for made in maps]
        self.walks.append(walk)
        return len(self.walks) - 1
