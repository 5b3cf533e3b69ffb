"""What `podproof explore` answers: a walk with what may happen next and how the claims stand, as plain data for JSON.

Every answer is computed from the moves alone, so a server that gives them has nothing to remember.
"""

from __future__ import annotations

import linecache
import threading
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from podproof.checker.conclude import Shown, conclude
from podproof.checker.core.system import CheckerError, Limits, Outcome, Property, State, Status, Trace
from podproof.checker.engines import DEFAULT_ENGINE
from podproof.checker.explain.failing_part import failure_of
from podproof.checker.explain.stepping import BrokenClaim, Choice, ImpossibleStep, Stepper, Walk
from podproof.checker.reductions import REDUCTIONS
from podproof.model.scenarios import Scenario
from podproof.queries.build import Subject, properties_of, refuse_other_claims, scenarios_of, subject_named, system_of
from podproof.queries.checking import check
from podproof.queries.comparing import with_claims_of
from podproof.queries.identity import loaded
from podproof.queries.page import model_sources, scenario_maps
from podproof.queries.saves import Saves
from podproof.queries.search import explore as check_scenario
from podproof.queries.trace_file import open_trace
from podproof.queries.walks import WALK, names_of, refuse_length, taken_by_hand, walk_command
from podproof.reports.actors import LANES, lane_of
from podproof.reports.content.verdicts import check_answer
from podproof.reports.layout import number_of
from podproof.reports.page.lives import life_svg
from podproof.reports.page.maps import Map, map_data, map_svg
from podproof.reports.page.walk import sources_data, system_data, walk_data
from podproof.reports.pictures.fork import TakenWalk, forked, parting
from podproof.reports.pictures.life import Life, read
from podproof.reports.render.json import answer_data, json_text
from podproof.reports.state_text import StateText
from podproof.reports.story import false_part, sentence
from podproof.reports.summary import counterexamples

MOST_FILE_BYTES = 4 << 20
"""Of a saved walk: the longest that the page saves has much less."""
ENOUGH = Limits(max_states=3_000_000, seconds=60)
"""Of a search for traces to start from: who wants all of it has `podproof check`."""


SO_FAR = "The walk so far"
DEFAULT_SCENARIO = "one-pod"


def explore(
    subject: str | Path | Subject, scenario: str = DEFAULT_SCENARIO, against: str | Path | None = None
) -> Session:
    """Step through a scenario of a release, or of a model's or a Go file, and through another version beside it.

    `.stepper` takes the steps. Raises CheckerError for what cannot be read, and where there is no such scenario.
    """
    if scenario == "all":
        raise CheckerError("--scenario all: one scenario is explored at a time; see `podproof explain scenarios`")
    own = subject if isinstance(subject, Subject) else subject_named(str(subject))
    other = None
    if against is not None:
        other = subject_named(str(against), own.release.name)
        own, other = with_claims_of(own, other), with_claims_of(other, own)
    (chosen,) = scenarios_of([scenario], own, *([] if other is None else [other]))
    return Session(own, chosen, other)


def shortest_walk(subject: Subject, claim: str, scenario: str | None = None) -> tuple[str, list[str]]:
    """The scenario with the shortest counterexample of a claim, or witness, and its moves.

    `scenario`: only this one; else the default ones. Answers are cached. Raises KeyboardInterrupt, and CheckerError
    where there is no trace.
    """
    refuse_other_claims(subject, [claim], (*subject.claims, *subject.run_claims), "--trace")
    answer = check(subject, () if scenario is None else (scenario,), (claim,))
    if answer.judgement.code == 130:
        raise KeyboardInterrupt
    ways = [(e, found.trace) for e, found in counterexamples(answer.explorations, 1).get(claim, ())]
    seen = ((e, v.trace) for e in answer.explorations for v in e.verdicts if v.property.id == claim)
    ways += sorted(((e, trace) for e, trace in seen if trace is not None), key=lambda way: len(way[1].steps))
    if not ways:
        raise CheckerError(
            f"--trace {claim}: it has no trace in {scenario or 'the default scenarios'} of {subject.name}; which "
            f"scenario has one, `podproof check {subject.option} --scenario all --property {claim}` says"
        )
    (where, trace), *_ = ways
    return where.system.scenario, names_of(trace)


class Session:
    """One version in one scenario, to be walked through, and a second one beside it or none. Any thread may ask it."""

    def __init__(self, subject: Subject, scenario: Scenario, against: Subject | None = None) -> None:
        self.subject, self.scenario = subject, scenario
        self.against = None if against is None else Session(against, scenario)
        self.system = system_of(subject, scenario)
        self.stepper = Stepper(self.system, properties_of(subject, scenario))
        self.state_text = StateText(self.system)
        self._exploring = threading.Lock()
        self._starts: dict[str, Any] | None = None
        self._maps: Sequence[Map] = ()
        self._drawn: dict[str, Any] | None = None

    def fixed(self) -> dict[str, Any]:
        """What stays the same for as long as one walks: the system, its sources and its claims."""
        return {
            "sides": [{"name": s.system.version, "system": system_data(s.state_text)} for s in self.sessions],
            "sources": sources_data(
                {f: text for s in self.sessions[::-1] for f, text in model_sources(s.subject).items()}
            ),
            "version": self.system.version,
            "environment": self.system.environment,
            "scenario": self.system.scenario,
            "bounds": self.system.bounds,
            "claims": {
                p.id: {"kind": p.kind, "meaning": p.meaning} for s in self.sessions for p in s.stepper.properties
            },
            "command": self.command(),
            "mostBytes": MOST_FILE_BYTES,
        }

    def command(self, moves: Sequence[str] = ()) -> str:
        """The command line that opens a walk again."""
        return walk_command(
            self.subject, self.system.scenario, moves, None if self.against is None else self.against.subject
        )

    @property
    def sessions(self) -> Sequence[Session]:
        return (self,) if self.against is None else (self, self.against)

    def view(self, moves: Sequence[str], at: int) -> dict[str, Any]:
        """The walk, and what is to be said after its step `at`; the steps after that one have been undone.

        Where a step is not possible, the answer is for what comes before it, and `refused` says why.
        """
        refuse_length(len(moves))
        taken = [session.take(moves) for session in self.sessions]
        farthest, refused = max(taken, key=lambda item: len(item[0].taken))
        moves, at = list(moves[: len(farthest.taken)]), max(0, min(at, len(farthest.taken)))
        return {
            "moves": moves,
            "at": at,
            "refused": refused,
            "sides": [session.side(*item, at) for session, item in zip(self.sessions, taken, strict=True)],
            "nodes": [[made.number_of(state) for state in taken[0][0].states] for made in self._maps],
            "command": self.command(moves[:at]),
        }

    def picture(self, moves: Sequence[str], at: int) -> dict[str, str]:
        """The picture of the walk until its step `at` as `svg`, where versions part as a fork; or a `note` why not.

        Raises CheckerError where it cannot be drawn.
        """
        refuse_length(len(moves))
        taken = [session.take(moves[: max(0, at)]) for session in self.sessions]
        first, *others = (
            TakenWalk(s.system, walk.trace, stop) for s, (walk, stop) in zip(self.sessions, taken, strict=True)
        )
        parts_at = parting((first, others[0])) if others else None
        if parts_at is None:
            life = self._life(taken[0][0])
        elif (found := forked((first, others[0]), parts_at, "", SO_FAR)) is not None:
            life = found
        else:
            return {"svg": "", "note": "There is no picture of more than two pods in two versions."}
        # On one line: the page shows the end of a line in a text as what it is.
        return {"svg": life_svg(life).replace("\n", ""), "note": ""}

    def _life(self, walk: Walk) -> Life:
        """The life of the pods in a walk; it ends with how a claim fails where the last step broke one."""
        for broken in walk.broken:
            at = broken.since if broken.claim.kind == "always" else broken.steps[-1]
            if at == len(walk.taken):
                failure = failure_of(self.system, broken.claim, walk.trace)
                return read(self.system, walk.trace, failure, broken.claim.id, broken.claim.meaning, is_shortest=False)
        return read(self.system, walk.trace, None, "", SO_FAR, is_wrong=False, is_shortest=False)

    def take(self, moves: Sequence[str]) -> tuple[Walk, str]:
        """The walk as far as this version takes it, and why no farther; empty where it takes all."""
        try:
            return self.stepper.walk(moves), ""
        except ImpossibleStep as error:
            return error.walk, str(error)

    def side(self, whole: Walk, stop: str, at: int) -> dict[str, Any]:
        """What one version says; of choices nothing where it has stopped before."""
        walk = whole.until(at)
        has_stopped = len(walk.taken) < at
        choices = () if has_stopped else self.stepper.choices(walk.states[-1])
        return {
            "walk": walk_data(self.state_text, whole.trace),
            "stop": stop,
            "notes": _notes(whole),
            "claims": [self._claim(broken, walk) for broken in walk.broken],
            "choices": [self._choice(choice, walk) for choice in choices],
            "ending": "" if has_stopped else _ending(choices, self.stepper.all_that_is_left(walk.states[-1])),
        }

    def _choice(self, choice: Choice, walk: Walk) -> dict[str, Any]:
        actor = self.stepper.system.action[choice.move.action].actor
        states = walk.states
        return {
            "name": choice.name,
            "event": self.stepper.system.event(choice.move),
            "actor": actor,
            "lane": LANES.index(lane_of(actor)),
            "outcome": choice.outcome.value,
            "reason": choice.reason,
            "line": None if choice.line is None else str(choice.line),
            "leads": states.index(choice.after) if choice.after in states else None,
            "changes": choice.after is not None and choice.after != states[-1],
            "lines": list(choice.lines),
            "false": _news(choice.false, walk.false[-1]),
        }

    def _claim(self, broken: BrokenClaim, walk: Walk) -> dict[str, Any]:
        """How a claim stands, and which part of it was false when it was last broken."""
        now, text = _standing(broken, len(walk.taken))
        failure = failure_of(self.system, broken.claim, walk.until(broken.steps[-1]).trace)
        why = "; ".join(filter(None, (sentence(failure), false_part(failure))))
        return {"id": broken.claim.id, "now": now, "text": text, "why": why, "steps": list(broken.steps)}

    def starts(self) -> dict[str, Any]:
        """Traces to start from: of each claim the shortest counterexample, or for a possibility a shortest witness."""
        with self._exploring:
            if self._starts is None:
                self._starts = self._found()
        return self._starts

    def _found(self) -> dict[str, Any]:
        found = check_scenario(self.subject, self.scenario, (), DEFAULT_ENGINE, ENOUGH, tuple(REDUCTIONS))
        traces = [] if found is None else [v for v in found.verdicts if v.trace is not None]
        starts = [
            {"claim": v.property.id, "broken": v.status is Status.VIOLATED, "moves": names_of(v.trace)}
            for v in traces
            if v.trace is not None
        ]
        if found is None or found.complete:
            return {"note": "The shortest of this scenario. Leave them at any step.", "starts": starts}
        part = f"Of the first {found.states:,} states, where the search stopped; there may be more."
        return {"note": part, "starts": starts}

    def maps(self) -> dict[str, Any]:
        """The maps of the phases, drawn, with a shortest way to each of them; none where there are too many states."""
        with self._exploring:
            if self._drawn is None:
                self._maps = scenario_maps(self.subject, self.scenario.name)
                self._drawn = _draw(self._maps)
        return self._drawn

    def refuse_impossible(self, moves: Sequence[str]) -> None:
        """Raise CheckerError for a walk to start with that is too long or cannot be taken."""
        refuse_length(len(moves), "--walk: ")
        try:
            self.stepper.walk(moves)
        except CheckerError as error:
            if self.against is None:  # Of two versions it is shown how far each takes it.
                raise CheckerError(f"--walk: {error}") from error

    def saved(self, moves: Sequence[str]) -> str:
        """The walk in the schema of `check -o json`: as a witness, and as a counterexample of each claim it breaks."""
        walk = self.stepper.walk(moves)
        verdicts = [conclude(WALK, Shown(walk.trace))]
        for broken in walk.broken:
            trace = Trace(walk.initial, walk.trace.steps[: broken.steps[0]])
            by_hand = Shown(trace, is_shortest=False, note=", on a walk that was chosen by hand")
            verdicts.append(conclude(broken.claim, by_hand))
        return json_text(answer_data(check_answer([taken_by_hand(self.system, walk.trace, verdicts)])))

    def opened(self, text: str, name: str) -> dict[str, Any]:
        """The moves of the walk in a file's text, and what is to be said of it besides where this version stops it.

        Raises CheckerError, which names the file, where it holds no walk.
        """
        stored = open_trace(text, name)
        moves = stored.moves(self.system)
        said = [f"Opened {name}: {stored.claim}, {number_of(len(moves), 'step')}."]
        if (stored.version, stored.scenario) != (self.system.version, self.system.scenario):
            said += [f"It was saved from {stored.version}, scenario {stored.scenario}."]
        try:
            taken, refused = self.stepper.walk(moves), ""
        except ImpossibleStep as error:
            taken, refused = error.walk, f"It stops early here: {error}."
        if (other := stored.first_other(taken.trace.steps)) is not None:
            said += [f"Step {other} changes something else here than in the file."]
        return {"moves": moves, "note": " ".join([*said, refused]).strip()}


class LiveSession:
    """The session of files as they were last saved without an error. Any thread may ask it."""

    def __init__(self, make: Callable[[], Session], files: Sequence[Path] = ()) -> None:
        self._make = make
        self._saves = Saves(files)
        self._saves.is_new()  # Before they are read: no save is missed.
        self._reading = threading.Lock()
        loaded.clear()
        self._take(make())
        self._saves.follow(loaded)

    def _take(self, session: Session) -> None:
        self.session, self.edition, self.error = session, uuid.uuid4().hex, ""
        self._fixed = session.fixed()  # With the files as they are now.

    def fixed(self) -> dict[str, Any]:
        """What the page is made of; it goes on to ask for what is `latest` where there are files that may change."""
        edition = self.latest()["edition"]
        return {**self._fixed, "edition": edition, "watches": bool(self._saves.files)}

    def latest(self) -> dict[str, str]:
        """Which edition there is, once files that were saved are read, and the error of those that are not taken."""
        with self._reading:
            if self._saves.is_new():
                lines = dict(linecache.cache)
                loaded.clear()
                try:
                    self._take(self._make())
                except CheckerError as error:
                    linecache.cache.update(lines)  # The session that stays quotes its own.
                    self.error = str(error)
                self._saves.follow(loaded)
            return {"edition": self.edition, "error": self.error}


def _draw(maps: Sequence[Map]) -> dict[str, Any]:
    note = "Choose a phase to go there by a shortest way; the walk so far is left."
    if not maps:
        note = "There is no map: the scenario has too many states to draw one while you wait."
    ways = [[names_of(way) for way in made.ways] for made in maps]
    # On one line: the page shows the end of a line in a text as what it is.
    drawings = [{**map_data(made), "svg": map_svg(made, False).replace("\n", "")} for made in maps]
    return {"note": note, "maps": [{**d, "ways": w} for d, w in zip(drawings, ways, strict=True)]}


def _notes(walk: Walk) -> list[dict[str, Any]]:
    """For the start and each step what is to be said besides what changed.

    `same` is the earlier step after which the state was the same; `false` and `witnessed` have what is new.
    """
    notes, first, witnessed, before = [], dict[State, int](), set[str](), tuple[Property, ...]()
    for number, (state, false) in enumerate(zip(walk.states, walk.false, strict=True)):
        taken = walk.taken[number - 1] if number else None
        shows = [p.id for p in taken.witnessed if p.id not in witnessed] if taken else []
        notes.append(
            {
                "lines": list(taken.lines) if taken else [],
                "false": _news(false, before),
                "same": first.get(state),
                "witnessed": shows,
            }
        )
        first.setdefault(state, number)
        witnessed.update(shows)
        before = false
    return notes


def _news(false: Sequence[Property], before: Sequence[Property]) -> list[str]:
    """The claims that have become false: not those about states that were so before, but every step that breaks one."""
    return [p.id for p in false if p.kind != "always" or p not in before]


def _standing(broken: BrokenClaim, at: int) -> tuple[bool, str]:
    """How a claim stands after step `at`: whether it is broken, and since when or by what."""
    kind, steps = broken.claim.kind, broken.steps
    if kind == "always":
        if steps[-1] == at:
            return True, f"false since {_place(broken.since)}"
        return False, f"was false {_after(steps)}, and is true again"
    return True, f"its line was reached in {_numbers(steps)}" if kind == "never" else f"broken by {_numbers(steps)}"


def _ending(choices: Sequence[Choice], left: frozenset[State] | None) -> str:
    """Why it does not go on from here; empty where it does. `left` is all that can still come, where it is little."""
    if left is None:
        return ""
    if len(left) > 1:
        return f"This is almost the end: only {len(left)} states can still come, this one among them."
    if any(choice.after is not None for choice in choices):
        return "Dead end: what can still happen changes nothing."
    if any(choice.outcome is Outcome.CUT_OFF for choice in choices):
        return "The scenario ends here: what could happen next is cut off by its bounds."
    return "Dead end: nothing can happen any more within this scenario."


def _place(step: int) -> str:
    return f"step {step}" if step else "the start"


def _after(steps: Sequence[int]) -> str:
    return "at the start" if steps == (0,) else f"after {_numbers(steps)}"


def _numbers(steps: Sequence[int]) -> str:
    return f"step{'s' if len(steps) > 1 else ''} {', '.join(map(str, steps))}"
