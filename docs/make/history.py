"""Writes docs/history.md: what the checker finds of each known bug in every release, with a picture of each.

python -m docs.make.history docs
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

import click

from podproof.checker.core.system import Exploration, Limits, Status, Verdict
from podproof.checker.engines.prove import ProofOptions
from podproof.checker.engines.prove import prove as prove_claims
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS
from podproof.cli.errors import reported
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, run_properties_of, subject_of, system_of
from podproof.queries.claims import CLAIMS
from podproof.queries.search import explore
from podproof.queries.versions import VERSIONS
from podproof.reports.layout import number_of
from podproof.reports.pictures.drawing import draw
from podproof.reports.pictures.trace import trace_dot
from podproof.specs import RUN_CLAIMS
from podproof.specs.history import BUGS, NOT_SHOWN, STUCK_RUNS, Bug

CLAIM = {claim.id: claim for claim in (*CLAIMS, *RUN_CLAIMS)}
RELEASES = tuple(reversed([name for name in VERSIONS if name.startswith("v")]))
"""From the oldest to the newest."""
NEWEST = RELEASES[-1]
Cells = Mapping[tuple[str, str], str]
"""Bug and release -> what the page says of them: see `cell`."""
HOLDS, NEVER, NOT_JUDGED, NOBODY = "holds", "never seen", "not asked", "nobody waits"
NOT_MENDED, NOT_PROVED = "no", "yes, not proved"
PROVED = "PROVED"
"""Stands for a release in the cell that says whether `prove` proves the claim where the bug is mended."""
PROOF_SECONDS = 60.0


def affected(bug: Bug) -> Collection[str]:
    """The releases that are declared to have a bug."""
    return [v.name for v in VERSIONS.values() if bug.since and v.is_within(bug.since, bug.until)]


def claim_of(bug: Bug, release: str) -> str:
    """The id of the claim that stands for a bug in a release; empty when there is none."""
    id = bug.old_claim if release == "v1.20" else bug.claim
    if not id:
        return ""
    scenario = SCENARIOS[bug.scenario]
    return id if CLAIM[id].applies_to(scenario.model_class(VERSIONS[release].cls), scenario.name) else ""


def cell(verdict: Verdict) -> str:
    """`holds`, `broken in` and the length of the shortest trace, or `never seen` for what should be.

    Raises ValueError for a verdict that is not decided: these worlds are small.
    """
    if verdict.status is Status.HOLDS:
        return HOLDS
    if verdict.status is not Status.VIOLATED:
        raise ValueError(f"{verdict.property.id} is undecided: {verdict.reason}")
    return NEVER if verdict.trace is None else f"broken in {verdict.depth}"


def find(release: str, bugs: Iterable[Bug], see: Callable[[Bug, Exploration, Verdict], None]) -> dict[str, str]:
    """Bug -> cell in one release; `see` gets every verdict. Bugs of one scenario share a search."""
    cells: dict[str, str] = {}
    asked: dict[str, list[Bug]] = {}
    for bug in bugs:
        cells[bug.id] = NOT_JUDGED
        if claim_of(bug, release):
            asked.setdefault(bug.scenario, []).append(bug)
    for name, group in asked.items():
        ids = tuple(dict.fromkeys(claim_of(bug, release) for bug in group))
        found = explore(subject_of(release, None), SCENARIOS[name], ids, "auto", Limits(), tuple(REDUCTIONS))
        assert found is not None, "every claim is asked where it applies"
        verdicts = {verdict.property.id: verdict for verdict in found.verdicts}
        for bug in group:
            verdict = verdicts[claim_of(bug, release)]
            cells[bug.id] = cell(verdict)
            see(bug, found, verdict)
    return cells


def wait(release: str, id: str) -> str:
    """Whether somebody waits for ever because of a bug in a release: how far it is there, and how long the loop."""
    stuck, subject = STUCK_RUNS[id], subject_of(release, None)
    scenario = SCENARIOS[stuck.scenario]
    claims = run_properties_of(subject, scenario, [stuck.claim])
    if not claims:
        return NOT_JUDGED
    (verdict,) = RunChecker(system_of(subject, scenario), needs=False).decide(claims).verdicts
    if verdict.trace is not None and verdict.trace.lasso is not None:
        start = verdict.trace.lasso.start
        return f"{start} + {len(verdict.trace.steps) - start}"
    if verdict.status is not Status.HOLDS:
        raise ValueError(f"{stuck.claim} is undecided: {verdict.reason}")
    return HOLDS if verdict.is_vacuous is False else NOBODY


def proof(bug: Bug, cells: Cells) -> str:
    """PROVED if the claim is proved for runs of any length and every number of seconds where the bug is mended."""
    release = mended(bug, cells)
    if not release:
        return NOT_MENDED
    if CLAIM[bug.claim].kind == "sometimes":
        return NOT_PROVED
    subject, scenario = subject_of(release, None), SCENARIOS[bug.scenario]
    system = system_of(subject, scenario, unbounded=True)
    lowered = lower_properties(system, properties_of(subject, scenario, (bug.claim,)))
    found = prove_claims(system, lowered, PROOF_SECONDS, 1, ProofOptions(), lambda _line: None)
    (verdict,) = (verdict for verdict in found.exploration.verdicts if verdict.property.id == bug.claim)
    return PROVED if verdict.status is Status.PROVED else NOT_PROVED


# -- what follows from the cells ---------------------------------------------------------------------------------------


def judge(bug: Bug, cells: Cells) -> list[str]:
    return [release for release in RELEASES if cells[bug.id, release] != NOT_JUDGED]


def broken(bug: Bug, cells: Cells) -> list[str]:
    """The releases in which the checker finds the bug."""
    return [release for release in judge(bug, cells) if cells[bug.id, release] != HOLDS]


def mended(bug: Bug, cells: Cells) -> str:
    """The first release after those that have the bug; empty when the newest has it."""
    rest = RELEASES[RELEASES.index(broken(bug, cells)[-1]) + 1 :]
    return next((release for release in rest if cells[bug.id, release] == HOLDS), "")


def differs(bug: Bug, cells: Cells) -> bool:
    """Is it found in other releases than those declared? Only those count that a claim is made of."""
    return broken(bug, cells) != [release for release in judge(bug, cells) if release in affected(bug)]


def shown_in(bug: Bug, cells: Cells) -> str:
    """The first release, of those declared if it is in any of them, that has the bug and a trace of it; or empty."""
    traced = [release for release in broken(bug, cells) if cells[bug.id, release] != NEVER]
    return next((release for release in traced if release in affected(bug)), traced[0] if traced else "")


# -- the page ----------------------------------------------------------------------------------------------------------


def page(cells: Cells, waits: Cells) -> str:
    """docs/history.md; `waits` has what `wait` says."""
    parts = [_INTRODUCTION, *_table(cells), "", "## Findings", "", *_findings(cells), "", *_waits(waits), ""]
    parts += ["## The bugs", ""]
    for bug in BUGS:
        parts += [*_section(bug, cells), ""]
    parts += ["## Not shown", "", "These bugs are outside the pod worker, or in no release of the model:", ""]
    parts += [f"- {name}: {why}." for name, why in NOT_SHOWN.items()]
    return "\n".join(parts) + "\n"


_INTRODUCTION = """# Bugs of the pod worker, and the releases that have them

*For whoever knows a bug of the pod worker: which releases have it, and does podproof find it?*

Generated by `docs/refresh.sh`; [`specs/history.py`](../specs/history.py) has what upstream says. Each bug is a claim
about a small scenario. A cell says what the checker finds there for a release: **broken in** so many steps, in the
shortest trace; **never seen**, if something that should be possible never happens; **holds**; or **not asked**, if
there is no such claim (1.20 has another worker). PROVED: in the first release without the bug, `podproof prove`
proves the claim for that scenario, for runs of any length and every number of seconds. A larger scenario may still
violate it, as the grace period of 1.32 does in `one-pod`. B: reported upstream; N: found by reading the source; F:
found by the checker. Where no upstream issue is named, none was found in November 2026, by searches of GitHub's
threads by meaning. A release also stands for its neighbours, see `podproof explain versions`. Here, what
must happen eventually is stated as a safety claim: a step leaves somebody who can continue;
[below](#who-waits-for-ever) are claims about whole runs. "On a real kubelet" says what was tried there. The traces of
B16, B24, N1 to N8 and F1 ran in 1.29.6 (11 of 11), and all except B16, which is fixed there, in 1.32.10, 1.33.13,
1.35.6 and 1.36.3 (10 of 10 each).
"""


def _table(cells: Cells) -> Iterator[str]:
    yield f"| bug | {' | '.join(name.removeprefix('v') for name in RELEASES)} | fixed | declared |"
    yield "|---" * (len(RELEASES) + 3) + "|"
    for bug in BUGS:
        row = " | ".join(cells[bug.id, column] for column in (*RELEASES, PROVED))
        yield f"| [{bug.id}](#{bug.id.lower()}) | {row} | {bug.declared} |"


def _findings(cells: Cells) -> Iterator[str]:
    yield "Bugs that the checker finds in other releases than declared:"
    yield ""
    for bug in BUGS:
        if differs(bug, cells):
            yield f"- **{bug.id}** (declared: {bug.declared}) is found in {_list(broken(bug, cells))}. {bug.difference}"
    still = [bug.id for bug in BUGS if not mended(bug, cells)]
    yield ""
    yield f"Still in the newest release, {NEWEST.removeprefix('v')}: {', '.join(still)}."


def _waits(waits: Cells) -> Iterator[str]:
    yield _ABOUT_WAITS
    yield f"| bug | claim about runs | scenario | {' | '.join(name.removeprefix('v') for name in RELEASES)} |"
    yield "|---" * (len(RELEASES) + 3) + "|"
    for id, stuck in STUCK_RUNS.items():
        row = " | ".join(waits[id, release] for release in RELEASES)
        yield f"| {id} | `{stuck.claim}` | `{stuck.scenario}` | {row} |"
    yield ""
    yield from (f"- **{id}**: {stuck.note}" for id, stuck in STUCK_RUNS.items() if stuck.note)


_ABOUT_WAITS = f"""## Who waits for ever

The bugs that keep somebody waiting, as [claims about whole runs](liveness.md) in a small scenario. **10 + 1**: after
10 steps a fair loop of 1 step, in which what is waited for never happens; **{NOBODY}** if the waiting never begins.
`podproof check --version v1.26 --scenario static-removed --property removed_pods_are_told_to_terminate` shows such a
run, and `podproof diagram` draws it.
"""


def _section(bug: Bug, cells: Cells) -> Iterator[str]:
    release = shown_in(bug, cells)
    yield f"### {bug.id}"
    yield ""
    yield f"**{bug.title}.** {_issues(bug)}"
    yield ""
    yield f"- Claim `{bug.claim}`: {CLAIM[bug.claim].meaning}"
    if bug.old_claim:
        yield f"- In 1.20 `{bug.old_claim}`: {CLAIM[bug.old_claim].meaning}"
    yield f"- Scenario `{bug.scenario}`: {SCENARIOS[bug.scenario].summary}."
    yield f"- Declared: {bug.declared}. Found: {_list(broken(bug, cells))}. {_state(bug, cells)}"
    if bug.seen:
        yield f"- On a real kubelet: {bug.seen}."
    if release:
        option = f"--version {release} --scenario {bug.scenario} --property {claim_of(bug, release)}"
        yield f"- `podproof check {option}`: {number_of(int(cells[bug.id, release].split()[-1]), 'step')}"
        yield ""
        yield f"![{bug.title}, in {release}](images/history-{bug.id}.svg)"
    else:
        option = f"--version {broken(bug, cells)[0]} --scenario {bug.scenario} --property {bug.claim}"
        yield f"- `podproof check {option}`: never seen, so there is no trace"


def _state(bug: Bug, cells: Cells) -> str:
    if release := mended(bug, cells):
        proved = f", and `podproof prove` proves it there ({PROVED})" if cells[bug.id, PROVED] == PROVED else ""
        return f"Holds from {release.removeprefix('v')} on{proved}."
    return f"Still in the newest release, {NEWEST.removeprefix('v')}."


def _issues(bug: Bug) -> str:
    if not bug.issues:
        return "No upstream issue found."
    first, *rest = bug.issues
    return ", ".join([f"kubernetes/kubernetes#{first}", *(f"#{issue}" for issue in rest)])


def _list(releases: list[str]) -> str:
    return ", ".join(release.removeprefix("v") for release in releases)


def recorded(text: str) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """The cells of a page, and those about who waits."""
    cells, waits = dict[tuple[str, str], str](), dict[tuple[str, str], str]()
    for line in text.splitlines():
        values = [value.strip() for value in line.strip("|").split("|")]
        if found := re.match(r"\| \[(\w+)\]", line):
            cells |= {(found[1], column): value for column, value in zip((*RELEASES, PROVED), values[1:], strict=False)}
        elif found := re.match(r"\| (\w+) \| `", line):
            waits |= {(found[1], release): value for release, value in zip(RELEASES, values[3:], strict=True)}
    return cells, waits


# -- writing it --------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@reported
def history(folder: Path) -> int:
    """Write FOLDER/history.md and its pictures. It takes some minutes."""
    images = folder / "images"
    images.mkdir(exist_ok=True)
    traces: dict[tuple[str, str], tuple[Exploration, Verdict]] = {}

    def see(bug: Bug, found: Exploration, verdict: Verdict) -> None:
        if verdict.trace is not None:
            traces[bug.id, found.system.version] = found, verdict

    cells: dict[tuple[str, str], str] = {}
    for release in RELEASES:
        cells |= {(id, release): value for id, value in find(release, BUGS, see).items()}
    for bug in BUGS:
        cells[bug.id, PROVED] = proof(bug, cells)
        if release := shown_in(bug, cells):
            picture = draw(trace_dot(*traces[bug.id, release]), "svg")
            (images / f"history-{bug.id}.svg").write_bytes(picture)
    waits = {(id, release): wait(release, id) for id in STUCK_RUNS for release in RELEASES}
    (folder / "history.md").write_text(page(cells, waits), encoding="utf-8")
    return 0


if __name__ == "__main__":
    history()
