"""What `check` found out as a document for a terminal: verdicts, and for each violated claim how it comes to that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import (
    ClaimFailure,
    Counterexample,
    Exploration,
    Status,
    Verdict,
)
from podproof.reports.content.first_screen import commands, extent, harm, outcome, shown_in
from podproof.reports.content.overview import overview
from podproof.reports.content.verdicts import Replay
from podproof.reports.document import (
    GAP,
    Entry,
    Heading,
    Items,
    Look,
    Paragraph,
    Part,
    Story,
    Table,
    Verbatim,
    indented,
)
from podproof.reports.judgement import Judgement, judge
from podproof.reports.layout import Detail, number_of
from podproof.reports.story import false_part, sentence
from podproof.reports.summary import (
    counterexamples,
    issue_in,
    kept_claims,
    others_note,
    overall,
    size_of,
    vacuous_claims,
    worse_claims,
)

LOOKS: Mapping[Status, Look] = {
    Status.VIOLATED: "bad",
    Status.UNKNOWN: "open",
    Status.HOLDS: "good",
    Status.PROVED: "good",
}


@dataclass(frozen=True)
class TextOptions:
    """What a report is to contain besides the verdicts."""

    sources: Mapping[str, str] = field(default_factory=dict)
    """For a claim's id, where upstream says so; shown with each violation."""
    replay: Replay | None = None
    stats: bool = False
    """Times, memory and the table of actions: what differs from run to run is left out without it."""
    judgement: Judgement | None = None
    """The exit code; None for what the verdicts alone give."""
    counterexamples: int = 1
    """The most to be told of each violated claim, over all scenarios."""
    harms: Mapping[str, str] = field(default_factory=dict)
    """For a claim's id, what it harms when it does not hold; the worst first."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """For a claim's id, what users see when it does not hold."""
    at_a_glance: bool = False
    """Are several scenarios told in a table, and then only what is worse than what is known?"""
    asked: Collection[str] = ()
    """The claims that were asked for by name, which are told all the same."""
    called: Callable[[str], str] = str
    """What the next command may call a claim, of its id."""
    shown_by: Replay | None = None
    """The next command that tells of one violation."""
    walked_by: Replay | None = None
    """The next command that steps through one; an empty text where it has no trace."""
    then: Sequence[tuple[str, str]] = ()
    """What else may come next: commands, each with what it is for."""

    def by_harm(self, claims: Iterable[str]) -> dict[str, list[str]]:
        """The claims by what they harm, the worst first."""
        found: dict[str, list[str]] = {harm: [] for harm in (*self.harms.values(), "")}
        for claim in claims:
            found[self.harms.get(claim, "")].append(claim)
        return {harm: names for harm, names in found.items() if names}


class CheckReport:
    """The document. A claim violated in several scenarios is told where it is shortest."""

    def __init__(
        self, explorations: Sequence[Exploration], wanted: TextOptions | None = None, detail: Detail = Detail.NORMAL
    ) -> None:
        self.explorations, self.wanted, self.detail = explorations, wanted or TextOptions(), detail
        self.overall = overall(explorations)
        self.counterexamples = counterexamples(explorations, self.wanted.counterexamples)
        self.is_strict = self.wanted.judgement is not None and self.wanted.judgement.by.is_strict
        self.id_width = max((len(name) for name in self.overall), default=0)

    def parts(self) -> Iterator[Part]:
        if self.wanted.at_a_glance and len(self.explorations) > 1 and self._fits_a_table():
            if self.detail is Detail.NORMAL:
                yield from self._at_a_glance()
                return
            if self.detail is Detail.FULL:
                yield from overview(self.explorations, self._rows(), self._table_extent)
        for e in self.explorations:
            if self._is_worth_a_line(e):
                yield Heading(f"{e.system.version}  {e.system.scenario}", f"   {self._extent(e)}")
                yield indented(list(self._scenario(e)))
                yield GAP
        yield from self._summary()

    def _at_a_glance(self) -> Iterator[Part]:
        """The outcome, what does harm, the story of what is not known, and what to type next."""
        shown = [(e, v) for e in self.explorations for v in e.verdicts if not self._is_settled_witness(v)]
        broken = [(e, v) for e, v in shown if v.status in self.listed_apart]
        mended = [(e, v) for e, v in shown if v.baseline is not None and v.baseline.state is BaselineState.MENDED]
        told = {v.property.id for _, v in broken if not v.is_no_worse} | set(self.wanted.asked)
        yield Paragraph(self._outcome())
        yield from self._whole_extent()
        yield GAP
        rows = self._rows()
        for title, ids in self._groups(rows):
            yield from harm(title, ids, self.explorations, self.wanted.called)
        if undecided := [id for id, status in self.overall.items() if status is Status.UNKNOWN and id not in rows]:
            yield from (Heading("not decided"), indented([Items(undecided)]), GAP)
        for e in self.explorations:
            parts = [self._line(v, v.baseline.reason) for where, v in mended if where is e and v.baseline is not None]
            for v in (v for where, v in broken if where is e and v.property.id in told):
                ways = self.counterexamples.get(v.property.id, ())
                if not v.is_no_worse or not ways or any(where is e for where, _ in ways):
                    parts += self._verdict(e, v)
            if parts:
                yield Heading(f"{e.system.version}  {e.system.scenario}")
                yield indented(parts)
                yield from () if parts[-1] is GAP else [GAP]
        for e in self.explorations if self.wanted.stats else ():
            yield Heading(f"{e.system.version}  {e.system.scenario}")
            yield indented([_statistics(e)])
            yield GAP
        yield commands(list(self._next([id for id in rows if id not in told], rows)))

    def _rows(self) -> Sequence[str]:
        """The claims that do not hold: what is worse than what is known first, and of that what harms most."""
        names = [v.property.id for e in self.explorations for v in e.verdicts if v.status in self.listed_apart]
        names = [id for id in dict.fromkeys(names) if self.overall[id] in self.listed_apart]
        worse = worse_claims(self.explorations)
        rows = [id for ids in self.wanted.by_harm(names).values() for id in ids]
        return sorted(rows, key=lambda id: id not in worse)

    def _groups(self, rows: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        """Those that are violated, by what they harm; then what was to be seen, and what is open."""
        witnesses = {v.property.id for e in self.explorations for v in e.verdicts if v.property.kind == "sometimes"}
        violated = [id for id in rows if self.overall[id] is Status.VIOLATED]
        found = self.wanted.by_harm(id for id in violated if id not in witnesses)
        yield from ((title or "violated", ids) for title, ids in found.items())
        if unseen := [id for id in violated if id in witnesses]:
            yield "never seen", unseen
        if undecided := [id for id in rows if id not in violated]:
            yield "not decided", undecided

    def _outcome(self) -> str:
        """In a sentence, how many claims hold, and whether that is well."""
        notes = {Status.VIOLATED: "; ".join(self._kept(kept_claims(self.explorations)))}
        if vacuous := [id for id in vacuous_claims(self.explorations) if id in self.wanted.asked]:
            notes[Status.HOLDS] = f"vacuously: {', '.join(vacuous)}"
        return outcome(self.explorations[0].system.version, self.overall, notes, self._end())

    def _whole_extent(self) -> Iterator[Part]:
        """How much was explored."""
        yield from extent(self.explorations)

    def _next(self, untold: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Commands, each with what it is for."""
        if numbered := [id for id in rows if self.wanted.called(id) != id]:
            yield (
                f"podproof explain {self.wanted.called(numbered[0])}",
                "what a claim says, where it comes from, and what is known",
            )
        if untold and self.wanted.shown_by is not None:
            yield self.wanted.shown_by(*shown_in(self.explorations, untold[0])), "how it comes to that"
        if rows and self.wanted.walked_by is not None:
            if command := self.wanted.walked_by(*shown_in(self.explorations, rows[0])):
                yield command, "step through it in the browser"
        yield from self.wanted.then
        yield "the same with -v", "a table of the scenarios, every verdict, every trace"

    listed_apart: Collection[Status] = (Status.VIOLATED,)
    """What has a row of its own in the table."""

    def _fits_a_table(self) -> bool:
        """Is nothing asked for that a table has no place for?"""
        return True

    def _table_extent(self, e: Exploration) -> str:
        cut = sum(e.bounds_hit.values())
        bounded = f", {number_of(cut, 'cut-off step')}" if cut else ""
        return size_of(e) + bounded + ("" if e.complete else f"; NOT all of it explored: {e.reason}")

    def _is_worth_a_line(self, e: Exploration) -> bool:
        """Does anything need attention, where only that is to be shown?"""
        return self.detail is not Detail.QUIET or any(
            (v.status in (Status.VIOLATED, Status.UNKNOWN) or v.baseline is not None)
            and not (self._may_pass(v) or self._is_settled_witness(v))
            for v in e.verdicts
        )

    def _may_pass(self, v: Verdict) -> bool:
        """Is it violated, and no fault?"""
        return v.is_no_worse and not self.is_strict

    def _extent(self, e: Exploration) -> str:
        return size_of(e)

    def _scenario(self, e: Exploration) -> Iterator[Part]:
        claims = [v for v in e.verdicts if not self._is_settled_witness(v)]
        known = {verdict.property.id: verdict for verdict in claims}
        for status in (Status.VIOLATED, Status.UNKNOWN):
            harms = self.wanted.by_harm(name for name, v in known.items() if v.status is status).values()
            verdicts = [known[name] for names in harms for name in names]
            for v in sorted(verdicts, key=lambda v: v.is_no_worse):
                if not (self._may_pass(v) and self.detail is Detail.QUIET):
                    yield from self._verdict(e, v)
        mended = [v for v in claims if v.baseline is not None and v.baseline.state is BaselineState.MENDED]
        for v in mended:
            yield self._line(v, v.baseline.reason if v.baseline is not None else "")
        if self.detail is Detail.QUIET:
            return
        claims = [v for v in claims if v not in mended]
        for status in (Status.PROVED, Status.HOLDS):
            yield from self._fulfilled(e, status, [verdict for verdict in claims if verdict.status is status])
        yield from self._rest(e)

    def _is_settled_witness(self, verdict: Verdict) -> bool:
        """Is it about a `sometimes` claim that is seen somewhere? Then it takes no line of its own."""
        settled = self.overall[verdict.property.id] in (Status.HOLDS, Status.PROVED)
        return verdict.property.kind == "sometimes" and settled

    def _fulfilled(self, e: Exploration, status: Status, verdicts: Sequence[Verdict]) -> Iterator[Part]:
        """Claims that hold: their names, or each with what it says and where it comes from."""
        if self.detail is not Detail.FULL:
            met = [v.property.id for v in verdicts if not v.is_vacuous]
            yield from _list(status.value, met, "", LOOKS[status])
            for v in verdicts if met else ():
                yield from _needs(v)
            vacuous = [v.property.id for v in verdicts if v.is_vacuous and v.property.id in self.wanted.asked]
            yield from _list("vacuous", vacuous, "(the premise never occurs)")
            return
        for v in verdicts:
            name = v.property.id + (", vacuously: the premise never occurs" if v.is_vacuous else "")
            yield Entry(status.value, [Verbatim([name]), *self._meaning(v)], look=LOOKS[status])
            yield from _needs(v)
            for need in v.needs or ():
                left_out = ", ".join(need.without)
                yield GAP
                yield indented([Paragraph(f"{v.property.id} without {left_out}: {need.reason}")])
                yield indented([Story(e.system, need.trace)])
                yield GAP

    def _verdict(self, e: Exploration, v: Verdict) -> Iterator[Part]:
        known = self.counterexamples.get(v.property.id, ())
        told = [(number, found) for number, (where, found) in enumerate(known, 1) if where is e]
        note = self._steps(v) or v.reason
        is_known = v.baseline is not None and v.baseline.state is BaselineState.KNOWN
        is_told = v.status is Status.VIOLATED and (told or v.trace is None) and self.detail is not Detail.QUIET
        if v.is_no_worse and not is_known and self.detail is not Detail.FULL:
            is_told = False
        elif v.trace is not None and known and known[0][0] is not e and self.detail is not Detail.QUIET:
            note += f"; a shortest trace is shown under {known[0][0].system.scenario}"
        if (
            v.baseline is not None and is_known and not v.baseline.is_listed
        ):  # All that is recorded stands in the story.
            note += "" if is_told else f"; {issue_in(v.baseline.reason) or 'no upstream issue found'}"
        elif v.baseline is not None:
            note += f"; {v.baseline.reason}"
        is_here = v.trace is None or (bool(told) and told[0][0] == 1)
        meaning = self._meaning(v, v.failure if is_here else None) if is_told else ()
        yield self._line(v, note, meaning)
        if is_told:
            yield from self._evidence(e, v, told)

    def _line(self, v: Verdict, note: str, more: Iterable[Part] = ()) -> Part:
        word, look = (v.status.value, LOOKS[v.status]) if v.baseline is None else (v.baseline.state.value, "plain")
        if v.baseline is not None and not v.is_no_worse:
            look = LOOKS[v.status]
        line = Entry(v.property.id, [Paragraph(note)], self.id_width + 2)
        return Entry(word, [line, *more], max(Entry.width, len(word) + 1), look)

    @staticmethod
    def _steps(v: Verdict) -> str:
        return "" if v.status is not Status.VIOLATED or v.trace is None else v.length_of(v.trace)

    def _evidence(self, e: Exploration, v: Verdict, told: Sequence[tuple[int, Counterexample]]) -> Iterator[Part]:
        """The counterexamples that are told here, by their numbers."""
        for number, found in told:
            if number > 1:
                steps = number_of(len(found.trace.steps), "step")
                yield GAP
                yield indented([Verbatim([f"counterexample {number}, broken by {found.action}: {steps}"])])
                yield Entry("", [*_sentence(found.failure), *_false_part(found.failure)])
            yield indented([Story(e.system, found.trace)])
        if told and v.baseline is not None and v.before is not None:
            system, before = v.before
            yield GAP
            yield indented([Verbatim([f"in {v.baseline.version}: {number_of(len(before.steps), 'step')}"])])
            yield indented([Story(system, before)])
        shown = {found.action for _, found in self.counterexamples.get(v.property.id, ())}
        if told and (note := others_note(v, shown)):
            yield indented([Paragraph(f"others: {note}")])
        if told and self.wanted.replay is not None:
            yield indented([Verbatim([f"replay: {self.wanted.replay(e, v)}"])])
        yield GAP

    def _meaning(self, v: Verdict, failure: ClaimFailure | None = None) -> Iterator[Part]:
        yield from _sentence(failure)
        yield Paragraph(v.property.meaning)
        if v.status is Status.VIOLATED and v.property.id in self.wanted.harms:
            effect = self.wanted.effects.get(v.property.id)
            yield Paragraph(f"harm: {self.wanted.harms[v.property.id]}" + (f". {effect}" if effect else ""))
        yield from _false_part(failure)
        if v.property.id in self.wanted.sources:
            yield Paragraph(f"upstream: {self.wanted.sources[v.property.id]}")

    def _rest(self, e: Exploration) -> Iterator[Part]:
        """The `sometimes` claims, seen here or only in another scenario; what was never done; how far to trust it."""
        settled = [v for v in e.verdicts if self._is_settled_witness(v)]
        seen = [f"{v.property.id} ({number_of(len(v.trace.steps), 'step')})" for v in settled if v.trace is not None]
        elsewhere = [v.property.id for v in settled if v.trace is None]
        yield from _list("seen", seen, "")
        yield from _list("not here", elsewhere, "(seen in another scenario)")
        is_full = self.detail is Detail.FULL
        yield from _list("unused", e.actions_never_taken if is_full else (), "(actions never taken)")
        if self.wanted.stats or is_full:
            yield _statistics(e)
        yield _trust(e, is_full)

    def _summary(self) -> Iterator[Part]:
        """How many claims hold, which do not, and the exit code."""
        groups: dict[Status, list[str]] = {}
        for name, status in self.overall.items():
            groups.setdefault(status, []).append(name)
        counts = []
        for status, word in _SUMMARY.items():
            names = groups.get(status, [])
            if names or (status is Status.HOLDS and Status.PROVED not in groups):
                counts.append(f"{len(names)} {word}")
                if status in (Status.VIOLATED, Status.UNKNOWN):
                    worse = [name for name in names if name in worse_claims(self.explorations)]
                    told = worse if status is Status.VIOLATED and not self.is_strict else names
                    parts = [self._by_harm(told)] if told else []
                    parts += self._kept([name for name in names if name not in told])
                    counts[-1] += f" ({'; '.join(parts)})"
            if status in (Status.HOLDS, Status.PROVED) and names and (vacuous := vacuous_claims(self.explorations)):
                named = f" ({', '.join(vacuous)})" if self.detail is Detail.FULL else ""
                counts[-1] += f" of which {len(vacuous)} vacuously{named}"
        yield Paragraph(f"{number_of(len(self.overall), 'claim')}: {', '.join(counts)}. {self._end()}")

    def _end(self) -> str:
        judgement = self.wanted.judgement or judge(self.explorations)
        return f"Exit code {judgement.code}: {judgement.reason}."

    def _kept(self, claims: Sequence[str]) -> Iterator[str]:
        """How many of these claims are violated on purpose, as is known, and as in the release."""
        found = [v for e in self.explorations for v in e.verdicts if v.property.id in claims and v.is_no_worse]
        states = {v.property.id: v.baseline.state for v in reversed(found) if v.baseline is not None}
        counts = Counter(states.values())
        yield from (f"{counts[state]} {state.value.lower()}" for state in BaselineState if counts[state])

    def _by_harm(self, claims: Sequence[str]) -> str:
        """The names, those that do harm of one kind together."""
        groups = {harm: ", ".join(names) for harm, names in self.wanted.by_harm(claims).items()}
        return "; ".join(f"{harm}: {told}" if harm else told for harm, told in groups.items())


def _needs(v: Verdict) -> Iterator[Part]:
    """The fairness without which a claim about runs would not hold."""
    if v.needs is not None:
        needs = ", ".join(need.assumption for need in v.needs) or "no fairness"
        yield Entry("needs", [Paragraph(f"{v.property.id}: {needs}")])


def _sentence(failure: ClaimFailure | None) -> Iterator[Part]:
    if wrong := sentence(failure):
        yield Paragraph(wrong)


def _false_part(failure: ClaimFailure | None) -> Iterator[Part]:
    if false := false_part(failure):
        yield Paragraph(false, is_small=bool(sentence(failure)))


_SUMMARY = {
    Status.HOLDS: "HOLD",
    Status.PROVED: "PROVED",
    Status.VIOLATED: "VIOLATED",
    Status.UNKNOWN: "UNKNOWN",
}


def _list(label: str, items: Sequence[str], note: str, look: Look = "plain") -> Iterator[Part]:
    if items:
        yield Entry(label, [Items([*items[:-1], f"{items[-1]} {note}".rstrip()])], look=look)


def _trust(e: Exploration, with_reductions: bool) -> Part:
    """How far the verdicts can be trusted."""
    where = f"environment {e.system.environment}, scenario {e.system.scenario} ({e.system.bounds})"
    if e.system.is_unbounded:
        where += ", and not only with these seconds: for every number of seconds from 0 on"
    cut = sum(e.bounds_hit.values())
    whole = f"all of it explored but for {number_of(cut, 'cut-off step')}" if cut else "all of it explored"
    explored = whole if e.complete else f"NOT all of it explored: {e.reason}"
    hit = ", ".join(f"{name} ({count:,} times)" for name, count in e.bounds_hit.items()) or "none"
    reductions = f"; reductions: {', '.join(e.reductions) or 'none'}" if with_reductions else ""
    hit += ", beyond which nothing is claimed" if cut else ""
    text = f"{where}; {explored}; bounds hit: {hit}{reductions}; exact states; engine {e.engine}"
    if e.assumptions:
        text += f"; fairness assumed: {', '.join(e.assumptions)}"
    elif any(v.property.is_about_runs for v in e.verdicts):
        text += "; no fairness assumed"
    return Entry("trust", [Paragraph(text)])


def _statistics(e: Exploration) -> Part:
    rate = f", {e.states / e.seconds:,.0f} states/s" if e.seconds else ""
    per_state = f" ({e.peak_bytes / e.states:,.0f} bytes a state)" if e.states else ""
    share = "" if e.solver_seconds is None else f", {e.solver_seconds:.2f} s of it Z3's"
    line = f"{e.seconds:.2f} s{share}{rate}, {e.peak_bytes / 2**20:,.1f} MiB{per_state}"
    counts = sorted(e.actions.items(), key=lambda item: -(item[1].new_states or 0))
    rows = [(name, f"{c.taken:,}", "-" if c.new_states is None else f"{c.new_states:,}") for name, c in counts]
    order = [f"order of the bits: {', '.join(e.order)}"] if e.order else []
    return Entry("stats", [Verbatim([line, *order]), Table(("action", "taken", "new states"), rows, has_numbers=True)])
