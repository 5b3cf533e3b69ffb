"""The pages that are one file: `index.html` of --report-dir, and the page of a comparison.

One has verdicts, counterexamples to step through and maps to wander in; the other what changes, and walks that both
versions take side by side. A page is a template with its style and scripts put in, and the data as JSON. It asks for
nothing over the network, and its policy forbids it to. Everything that comes from a model is text: the template escapes
it, the JSON cannot end its element, and the scripts make text nodes of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from podproof.checker.core.printer import visible
from podproof.checker.core.system import (
    ClaimFailure,
    Counterexample,
    Exploration,
    Status,
    Trace,
    Verdict,
)
from podproof.reports.document import Page
from podproof.reports.page import lives
from podproof.reports.page.maps import Map, map_data, map_svg
from podproof.reports.page.table import left_open, rows_of, summary_of, trust_of
from podproof.reports.page.walk import lines_of, sources_data, system_data, walk_data
from podproof.reports.pictures.fork import Runs, forked, parting
from podproof.reports.pictures.life import read
from podproof.reports.state_text import StateText
from podproof.reports.story import false_part, read_by, sentence
from podproof.reports.summary import kept_claims

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
    copies: Callable[[Exploration, Verdict, Trace], Mapping[str, Any]] | None = None
    """What a trace can be copied as: by name a text, or data for JSON."""


@dataclass(frozen=True)
class SideBySide:
    """A walk that two versions take, as far as they can."""

    name: str
    """The claim that it is about, or the event with which the versions part."""
    word: str
    """What becomes of the claim."""
    meaning: str
    scenario: str
    title: str
    """Tells it from others of this name."""
    runs: Runs
    ending: str = ""
    """Who breaks the claim at its end; empty where nobody does."""
    note: str = ""
    failure: ClaimFailure | None = None
    replay: str = ""
    explore: str = ""
    copies: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts_at(self) -> int:
        """The first step that only one takes or that leaves them with other values of what both have, else the last."""
        found = parting(self.runs)
        return max(len(run.trace.steps) for run in self.runs) if found is None else found


def page(content: PageContent) -> str:
    """The page of a check as HTML: the same content, the same text."""
    data = _CheckData(content)
    return _render(
        "index.html.j2",
        data,
        subject=content.subject,
        content=content,
        summary=summary_of(content.explorations),
        kept=len(kept_claims(content.explorations)),
        open=left_open(content.explorations),
        rows=rows_of(content.explorations),
        trust=[trust_of(exploration) for exploration in content.explorations],
    )


def review_page(
    page: Page,
    walks: Sequence[SideBySide],
    sources: Mapping[str, str],
    summary: Sequence[Markup],
    sections: Sequence[tuple[str, Markup]],
) -> str:
    """The page of a comparison. `sources` are the texts of both models."""
    subject = page.title.partition(":")[0]
    data = _ReviewData(subject, sources, walks)
    return _render("review.html.j2", data, subject=subject, page=page, walks=walks, summary=summary, sections=sections)


def link_of(walk: SideBySide, walks: Sequence[SideBySide]) -> str:
    """The fragment that opens a walk where the versions part."""
    alike = [other for other in walks if (other.scenario, other.name) == (walk.scenario, walk.name)]
    chosen = f"?n={alike.index(walk) + 1}" if alike.index(walk) else ""
    return f"#/trace/{quote(walk.scenario, safe='')}/{quote(walk.name, safe='')}/{walk.parts_at}{chosen}"


def _render(template: str, data: _Data, **parts: Any) -> str:
    templates = Environment(
        loader=PackageLoader("podproof.reports.page", "."),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    style = _own(templates, "style.css") + Markup(lives.style())
    scripts = [_own(templates, name) for name in SCRIPTS]
    return templates.get_template(template).render(
        policy=policy([style], scripts),
        style=style,
        scripts=scripts,
        data=json_in_html(data.json()),
        drawings=data.drawings,
        pictures=data.pictures,
        **parts,
    )


def finalize(value: Any) -> Any:
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

    def __init__(self, subject: str, sources: Mapping[str, str]) -> None:
        self.subject, self.sources = subject, sources
        self.claims: dict[str, dict[str, str]] = {}
        self.scenarios: list[dict[str, Any]] = []
        self.maps: list[dict[str, Any]] = []
        self.drawings: list[Mapping[str, Markup]] = []
        """For each map its two drawings, which go into the page as templates."""
        self.pictures: list[Markup] = []
        """Of traces as lives of pods; each goes into the page as a template."""
        self.systems: list[dict[str, Any]] = []
        self.walks: list[dict[str, Any]] = []
        self.files: set[str] = set()

    def json(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "scenarios": self.scenarios,
            "claims": self.claims,
            "systems": self.systems,
            "maps": self.maps,
            "walks": self.walks,
            "sources": sources_data({f: t for f, t in self.sources.items() if f in self.files}),
        }

    def system(self, state_text: StateText) -> int:
        """Keep what is to be known of a system, once; gives its number."""
        system = system_data(state_text)
        if system not in self.systems:
            self.systems.append(system)
        return self.systems.index(system)

    def walk(self, state_text: StateText, trace: Trace, maps: Sequence[Map] = ()) -> int:
        """Keep a trace as a walk, with the node of each of its states in each map; gives its number."""
        walk = walk_data(state_text, trace)
        self.files |= lines_of(walk)
        states = trace.states
        walk["at"] = [[made.number_of(state, state_text.system) for state in states] for made in maps]
        self.walks.append(walk)
        return len(self.walks) - 1


class _CheckData(_Data):
    def __init__(self, content: PageContent) -> None:
        super().__init__(content.subject, content.sources)
        self.content = content
        self.claims = {
            p.id: {"kind": p.kind, "meaning": p.meaning, "note": content.notes.get(p.id, "")}
            for p in (v.property for e in content.explorations for v in e.verdicts)
        }
        self.scenarios = [self._scenario(exploration) for exploration in content.explorations]

    def _scenario(self, e: Exploration) -> dict[str, Any]:
        state_text, maps = StateText(e.system), self.content.maps.get(e.system.scenario, ())
        first = len(self.maps)
        for made in maps:
            own = StateText(made.projection.system)
            ways = [self.walk(own, trace, maps) for trace in made.ways]
            self.maps.append({**map_data(made), "system": self.system(own), "ways": ways})
            self.drawings.append({"small": Markup(map_svg(made, False)), "large": Markup(map_svg(made, True))})
        told = [told for verdict in e.verdicts for told in self._traces(e, state_text, verdict, maps)]
        return {
            "name": e.system.scenario,
            "bounds": e.system.bounds,
            "maps": list(range(first, len(self.maps))),
            "traces": told,
        }

    def _traces(
        self, e: Exploration, state_text: StateText, v: Verdict, maps: Sequence[Map]
    ) -> Iterator[dict[str, Any]]:
        """A verdict's traces: of a violation the counterexamples, else the witness."""
        is_wrong = v.status is Status.VIOLATED
        replay = self.content.replay(e, v) if self.content.replay is not None and is_wrong else ""
        ending = "Here it is seen." if not is_wrong else "Here the claim is violated."
        first = [] if v.trace is None else [Counterexample(v.trace, v.failure)]
        for found in (*first, *v.others):
            walk = self.walk(state_text, found.trace, maps)
            ending = ending if found.trace.lasso is None else "And so on, for ever."
            is_shortest = v.is_shortest and found.trace is v.trace
            claim = v.property
            life = read(e.system, found.trace, found.failure, claim.id, claim.meaning, is_wrong, is_shortest)
            self.pictures.append(Markup(lives.life_svg(life)))
            yield {
                "claim": claim.id,
                "status": v.status.value,
                "picture": len(self.pictures) - 1,
                "sides": [{"name": e.system.version, "system": self.system(state_text), "walk": walk, "stop": ""}],
                "reads": [item.name for item in read_by(found.failure, state_text)],
                "ending": {"wrong": is_wrong, "text": ending},
                "wrong": sentence(found.failure),
                "false": false_part(found.failure),
                "reason": v.reason if found.trace is v.trace else "",
                "replay": replay,
                "explore": "" if self.content.explore is None else self.content.explore(e, found.trace),
                "copies": {} if self.content.copies is None else _in_lines(self.content.copies(e, v, found.trace)),
            }


class _ReviewData(_Data):
    def __init__(self, subject: str, sources: Mapping[str, str], walks: Sequence[SideBySide]) -> None:
        super().__init__(subject, sources)
        self.claims = {walk.name: {"kind": "", "meaning": walk.meaning, "note": ""} for walk in walks}
        for scenario in dict.fromkeys(walk.scenario for walk in walks):
            here = [walk for walk in walks if walk.scenario == scenario]
            bounds = here[0].runs[0].system.bounds
            self.scenarios.append(
                {"name": scenario, "bounds": bounds, "maps": [], "traces": [self._trace(walk) for walk in here]}
            )

    def _trace(self, walk: SideBySide) -> dict[str, Any]:
        state_texts = [StateText(run.system) for run in walk.runs]
        reads = dict.fromkeys(item.name for state_text in state_texts for item in read_by(walk.failure, state_text))
        sides = [
            {
                "name": run.system.version,
                "system": self.system(state_text),
                "walk": self.walk(state_text, run.trace),
                "stop": run.stop,
            }
            for run, state_text in zip(walk.runs, state_texts, strict=True)
        ]
        life = forked(walk.runs, walk.parts_at, walk.name, walk.meaning, walk.ending)
        if life is not None:
            self.pictures.append(Markup(lives.life_svg(life)))
        return {
            "claim": walk.name,
            "title": walk.title,
            "status": walk.word,
            "picture": None if life is None else len(self.pictures) - 1,
            "sides": sides,
            "reads": list(reads),
            "ending": {"wrong": bool(walk.ending), "text": walk.ending},
            "wrong": sentence(walk.failure),
            "false": false_part(walk.failure),
            "reason": walk.note,
            "replay": walk.replay,
            "explore": walk.explore,
            "copies": _in_lines(walk.copies),
        }


def _in_lines(copies: Mapping[str, Any]) -> dict[str, Any]:
    """Texts as their lines: the end of a line in a text would be shown as what it is."""
    return {name: text.split("\n") if isinstance(text, str) else text for name, text in copies.items()}
