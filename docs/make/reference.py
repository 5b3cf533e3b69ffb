"""Writes docs/reference: versions, scenarios, claims, actions, fields and the command line, from the code itself.

python -m docs.make.reference docs/reference
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from podproof.checker.core.printer import short_path
from podproof.checker.core.system import System
from podproof.checker.lowering.source import code_of
from podproof.cli.errors import reported
from podproof.cli.main import EXIT_CODES, SECTIONS, main
from podproof.model.crowd import NODES
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of
from podproof.queries.claims import claims_by_kind
from podproof.queries.versions import DEFAULT_VERSION, RECORDED, VERSIONS
from podproof.specs.claim import Claim

COLUMNS = 100
"""How wide the help of commands is written."""
KINDS = {
    "always": "They hold in every reachable state.",
    "step": "They hold for every step: for the states before and after it.",
    "never": "A line of the Go that must not be reached; each of its “programmer error” log lines is one.",
    "sometimes": "A state like this must be reachable, so that the other claims are about something.",
    "leads_to": "After each state with the first there is eventually one with the second, in every fair run.",
    "recurs": "It must be true again and again, in every fair run.",
    "function": "They hold for every input of a function, which `podproof prove --scenario` with its name decides.",
}
_INDEX = re.compile(r"\[\d+\]")


def pages() -> Mapping[str, str]:
    """The name of each file and what is in it."""
    made: Mapping[str, Callable[[], Iterable[str]]] = {
        "versions.md": _versions,
        "scenarios.md": _scenarios,
        "claims.md": _claims,
        "actions.md": _actions,
        "fields.md": _fields,
        "command-line.md": _command_line,
    }
    return {name: "\n".join(["<!-- Generated from the code. -->", *page()]) + "\n" for name, page in made.items()}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _fence(text: str, language: str) -> Iterator[str]:
    yield from ("", f"```{language}", *text.splitlines(), "```", "")


def _versions() -> Iterator[str]:
    yield from ("# Versions", "")
    yield "A version is a class that overrides methods of another one, so that it says what changed. `--version` takes"
    yield from (f"these names; without it, it is `{DEFAULT_VERSION}`. `podproof explain NAME` shows the code.", "")
    rows = []
    for v in VERSIONS.values():
        conforming, recorded = RECORDED.get(v.name, (0, 0))
        traces = f"{conforming:,} of {recorded:,}" if recorded else "none recorded"
        rows.append((_code(v.name), _code(v.based_on), v.summary, traces))
    yield from _table(("version", "overrides", "what it is", "recorded traces that replay"), rows)
    yield from ("", "## What each overrides", "")
    overrides = []
    for v in VERSIONS.values():
        path = short_path(inspect.getsourcefile(v.cls) or "")
        own = v.cls.kubelet if v.cls.kubelet.__module__ == v.cls.__module__ else None
        overrides.append((_code(v.name), f"[{path}](../../{path})", _methods(v.cls), _methods(own)))
    yield from _table(
        ("version", "file", "methods of the pod workers", "methods of the kubelet around them"), overrides
    )


def _methods(cls: type | None) -> str:
    """The methods that a class defines itself."""
    found = vars(cls).items() if cls is not None else ()
    return ", ".join(_code(name) for name, f in found if inspect.isfunction(f) and not name.startswith("__"))


def _scenarios() -> Iterator[str]:
    yield from ("# Scenarios", "")
    yield "A scenario is a bounded world: which pods there are and how often what happens. Within these bounds every"
    yield from ("order of events is explored. A verdict is about the scenarios that it names.", "")
    rows = []
    for s in (*SCENARIOS.values(), *NODES.values()):
        default = "yes" if s.by_default else "only when named"
        rows.append((_code(s.name), s.environment_name, s.summary, default))
    yield from _table(("scenario", "callers", "bounds", "checked by default"), rows)
    yield from ("", "## Callers", "")
    for name, environment in {s.environment_name: s.environment for s in SCENARIOS.values()}.items():
        about = inspect.cleandoc(inspect.getmodule(environment).__doc__ or "")
        yield from (f"**{name}.** {' '.join(about.split())}", "")


def _claims() -> Iterator[str]:
    yield from ("# Claims", "")
    yield "Each claim is a function in `specs/`, named like the claim; its formula is shown as it stands there. Known"
    yield from ("violations are what a check is expected to find: they are pinned by tests.", "")
    for kind, claims in claims_by_kind():
        yield from (f"## {kind}", "", KINDS[kind], "")
        for claim in claims:
            yield from _claim(claim)


def _claim(claim: Claim) -> Iterator[str]:
    yield from (f"### {claim.id}", "", _escape(claim.meaning), "")
    if claim.why:
        yield from (_escape(claim.why), "")
    yield f"- Upstream: {_escape(claim.source)}"
    if claim.kind != "sometimes":
        yield f"- Where it does not hold {claim.harm.value}"
    for versions, scenarios, note in claim.known_in():
        where = f", scenarios {', '.join(map(_code, scenarios))}" if scenarios else ""
        yield f"- Known to break in {', '.join(map(_code, versions))}{where}: {_escape(note)}"
    if claim.scenarios:
        yield f"- Only in {', '.join(map(_code, claim.scenarios))}"
    if claim.lines:
        yield f"- The line: {', '.join(map(_code, claim.lines))}"
    if claim.function is not None:
        path = short_path(inspect.getsourcefile(claim.function) or "")
        yield f"- Formula, in [{path}](../../{path}):"
        yield from _fence(code_of(claim.function), "python")
    else:
        yield ""


def _escape(text: str) -> str:
    """Text for Markdown, in which names with underscores, asterisks and angle brackets stay as they are."""
    return re.sub(r"([_*<>\[\]])", r"\\\1", text)


def _systems() -> Iterator[System]:
    """The default version in every scenario of a default check."""
    for scenario in SCENARIOS.values():
        if scenario.by_default:
            yield system_of(subject_of(DEFAULT_VERSION, None), scenario)


def _actions() -> Iterator[str]:
    yield from ("# Actions", "")
    yield f"What can happen in `{DEFAULT_VERSION}`, in some scenario of a default check. `{{…}}` is a parameter."
    rows: dict[str, dict[str, tuple[str, str, str]]] = {}
    for system in _systems():
        for a in system.actions:
            path = a.line.file
            rows.setdefault(a.actor, {})[a.name] = (_code(a.name), _escape(a.label), f"[{path}](../../{path})")
    for actor, actions in rows.items():
        yield from ("", f"## {actor}", "")
        yield from _table(("action", "what happens", "file"), actions.values())


def _fields() -> Iterator[str]:
    yield from ("# Fields", "")
    yield f"The variables of `{DEFAULT_VERSION}` in the scenarios of a default check, as `--by` takes them. `[…]`"
    yield "stands for the number of a pod, a goroutine or a request. How large a number gets depends on the scenario."
    yield ""
    rows: dict[str, Sequence[str]] = {}
    for system in _systems():
        for v in system.variables:
            path = _INDEX.sub("[…]", v.path)
            labels = "" if len(v.labels) > 12 else ", ".join(str(label) for label in v.labels.values())
            rows.setdefault(path, (_code(path), "true, false" if v.is_bool else "number", labels))
    yield from _table(("field", "values", "names of the values"), rows.values())


def _command_line() -> Iterator[str]:
    yield from ("# Command line", "", "## Exit codes", "")
    yield from _table(("code", "meaning"), [(str(code), meaning) for code, meaning in EXIT_CODES.items()])
    yield ""
    yield "Results go to standard output; progress and errors to standard error. Colour is used on a terminal only:"
    yield "`NO_COLOR` and `FORCE_COLOR` are heeded, and `--color` overrides both. Where no terminal is written to, a"
    yield "report is 120 columns wide, so that the same input gives the same bytes."
    width = {"terminal_width": COLUMNS, "max_content_width": COLUMNS}
    context = click.Context(main, info_name="podproof", **{**main.context_settings, **width})
    for title, section in SECTIONS.items():
        yield from ("", f"## {title}", "")
        for name in section:
            command = main.get_command(context, name)
            assert command is not None
            own = click.Context(command, context, name)
            yield f"### podproof {name}"
            yield from _fence(command.get_help(own), "text")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@reported
def write(folder: Path) -> int:
    """Write the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    write()
