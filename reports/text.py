"""The result of `check` as text: for each scenario the verdicts, for each violated claim the story of how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.system import Counterexample, Exploration, FalseConjunct, Status, Verdict
from podproof.reports.expected import Judgement, judge
from podproof.reports.layout import Detail, Style, number_of, table, text_of, wrap_items
from podproof.reports.story import false_part, story
from podproof.reports.summary import counterexamples, others_note, overall

COLORS = {Status.VIOLATED: "red", Status.UNKNOWN: "yellow", Status.HOLDS: "green", Status.PROVED: "green"}
INDENT = 2
MARGIN = INDENT + max(len(status.value) for status in Status) + 2
"""Where a claim's id begins."""

Replay = Callable[[Exploration, Verdict], str]
"""The command line that shows a violation again."""


@dataclass(frozen=True)
class TextOptions:
    """What a report is to contain besides the verdicts."""

    sources: Mapping[str, str] = field(default_factory=dict)
    """For a claim's id, where upstream says so; shown with each violation."""
    replay: Replay | None = None
    stats: bool = False
    """Times, memory and the table of actions: what differs from run to run is left out without it."""
    judgement: Judgement | None = None
    """The exit code and how the verdicts differ from what is expected; None for what the verdicts alone give."""
    counterexamples: int = 1
    """The most to be told of each violated claim, over all scenarios."""


def check_text(
    explorations: Sequence[Exploration], wanted: TextOptions | None = None, style: Style | None = None
) -> str:
    """The whole report, ending with a newline. A claim violated in several scenarios is told where it is shortest."""
    report = CheckReport(explorations, wanted or TextOptions(), style or Style())
    return text_of(report.lines())


class CheckReport:
    def __init__(self, explorations: Sequence[Exploration], wanted: TextOptions, style: Style) -> None:
        self.explorations, self.wanted, self.style = explorations, wanted, style
        self.overall = overall(explorations)
        self.counterexamples = counterexamples(explorations, wanted.counterexamples)
        self.id_width = max((len(name) for name in self.overall), default=0)

    def lines(self) -> Iterator[str]:
        for exploration in self.explorations:
            if self._is_worth_a_line(exploration):
                yield from self._scenario(exploration)
                yield ""
        yield from self._summary()

    def _is_worth_a_line(self, e: Exploration) -> bool:
        """Does anything need attention, where only that is to be shown?"""
        return self.style.detail is not Detail.QUIET or any(
            v.status in (Status.VIOLATED, Status.UNKNOWN) and not self._is_settled_witness(v) for v in e.verdicts
        )

    def _scenario(self, e: Exploration) -> Iterator[str]:
        size = f"{number_of(e.states, 'state')}, {number_of(e.transitions, 'transition')}, depth {e.depth}"
        head = f"{e.system.version}  {e.system.scenario}"
        yield f"{self.style.paint(head, 'bold')}   {size}"
        claims = [v for v in e.verdicts if not self._is_settled_witness(v)]
        for status in (Status.VIOLATED, Status.UNKNOWN):
            for verdict in claims:
                if verdict.status is status:
                    yield from self._verdict(e, verdict)
        if self.style.detail is Detail.QUIET:
            return
        for status in (Status.PROVED, Status.HOLDS):
            yield from self._fulfilled(status, [verdict for verdict in claims if verdict.status is status])
        yield from self._witnesses(e)
        yield from self._never_taken(e)
        if self.wanted.stats or self.style.detail is Detail.FULL:
            yield from _statistics(e)
        yield from self._trust(e)

    def _is_settled_witness(self, verdict: Verdict) -> bool:
        """Is it about a `sometimes` claim that is seen somewhere? Then it takes no line of its own."""
        settled = self.overall[verdict.property.id] in (Status.HOLDS, Status.PROVED)
        return verdict.property.kind == "sometimes" and settled

    def _fulfilled(self, status: Status, verdicts: Sequence[Verdict]) -> Iterator[str]:
        """Claims that hold: their names, or each with what it says and where it comes from."""
        if self.style.detail is not Detail.FULL:
            yield from self._listing(status.value, [v.property.id for v in verdicts], "", COLORS[status])
            return
        for v in verdicts:
            pad = " " * (MARGIN - INDENT - len(status.value))
            yield f"{' ' * INDENT}{self.style.paint(status.value, COLORS[status])}{pad}{v.property.id}"
            yield from self._meaning(v)

    def _verdict(self, e: Exploration, v: Verdict) -> Iterator[str]:
        pad = " " * (MARGIN - INDENT - len(v.status.value))
        head = " " * INDENT + self.style.paint(v.status.value, COLORS[v.status]) + pad
        known = self.counterexamples.get(v.property.id, ())
        told = [(number, found) for number, (where, found) in enumerate(known, 1) if where is e]
        note = self._steps(v) or v.reason
        if v.trace is not None and known and known[0][0] is not e and self.style.detail is not Detail.QUIET:
            note += f"; a shortest trace is shown under {known[0][0].system.scenario}"
        yield from self._line(head, v.property.id, note)
        if v.status is Status.VIOLATED and (told or v.trace is None) and self.style.detail is not Detail.QUIET:
            yield from self._evidence(e, v, told)

    def _line(self, head: str, name: str, text: str) -> Iterator[str]:
        """Status, id and a sentence, which wraps in its own column."""
        column = MARGIN + self.id_width + 2
        lines = list(self.style.paragraph(text, column)) or [""]
        yield f"{head}{name:<{self.id_width}}  {lines[0].strip()}".rstrip()
        yield from lines[1:]

    @staticmethod
    def _steps(v: Verdict) -> str:
        if v.status is not Status.VIOLATED or v.trace is None:
            return ""
        return f"{number_of(len(v.trace.steps), 'step')}, shortest"

    def _evidence(self, e: Exploration, v: Verdict, told: Sequence[tuple[int, Counterexample]]) -> Iterator[str]:
        """What the claim says, and the counterexamples that are told here, by their numbers."""
        yield from self._meaning(v, *(found.conjunct for number, found in told if number == 1))
        for number, found in told:
            if number > 1:
                steps = number_of(len(found.trace.steps), "step")
                yield ""
                yield f"{' ' * (INDENT + 2)}counterexample {number}, broken by {found.action}: {steps}"
                yield from self._false(found.conjunct)
            yield from story(e.system, found.trace, self.style, INDENT + 2)
        shown = {found.action for _, found in self.counterexamples.get(v.property.id, ())}
        if told and (note := others_note(v, shown)):
            yield from self.style.paragraph(f"others: {note}", INDENT + 2)
        if told and self.wanted.replay is not None:
            yield f"{' ' * (INDENT + 2)}replay: {self.wanted.replay(e, v)}"
        yield ""

    def _meaning(self, v: Verdict, *conjuncts: FalseConjunct | None) -> Iterator[str]:
        yield from self.style.paragraph(v.property.meaning, MARGIN)
        for conjunct in conjuncts:
            yield from self._false(conjunct)
        if v.property.id in self.wanted.sources:
            yield from self.style.paragraph(f"upstream: {self.wanted.sources[v.property.id]}", MARGIN)

    def _false(self, conjunct: FalseConjunct | None) -> Iterator[str]:
        if conjunct is not None:
            yield from self.style.paragraph(false_part(conjunct), MARGIN)

    def _witnesses(self, e: Exploration) -> Iterator[str]:
        """The `sometimes` claims, as two lists: what was seen here, and what only another scenario shows."""
        settled = [v for v in e.verdicts if self._is_settled_witness(v)]
        seen = [f"{v.property.id} ({number_of(len(v.trace.steps), 'step')})" for v in settled if v.trace is not None]
        elsewhere = [v.property.id for v in settled if v.trace is None]
        yield from self._listing("seen", seen, "")
        yield from self._listing("not here", elsewhere, "(seen in another scenario)")

    def _never_taken(self, e: Exploration) -> Iterator[str]:
        yield from self._listing("unused", e.actions_never_taken, "(actions never taken)")

    def _listing(self, head: str, items: Sequence[str], note: str, color: str | None = None) -> Iterator[str]:
        if not items:
            return
        lines = wrap_items([*items[:-1], f"{items[-1]} {note}".rstrip()], self.style.width - MARGIN)
        pad = " " * (MARGIN - INDENT - len(head))
        yield f"{' ' * INDENT}{self.style.paint(head, color) if color else head}{pad}{lines[0]}"
        yield from (" " * MARGIN + line for line in lines[1:])

    def _trust(self, e: Exploration) -> Iterator[str]:
        """How far the verdicts above can be trusted."""
        where = f"environment {e.system.environment}, scenario {e.system.scenario} ({e.system.bounds})"
        if e.system.is_unbounded:
            where += ", and not only with these seconds: for every number of seconds from 0 on"
        cut = sum(e.bounds_hit.values())
        whole = f"all of it explored but for {number_of(cut, 'cut-off step')}" if cut else "all of it explored"
        extent = whole if e.complete else f"NOT all of it explored: {e.reason}"
        hit = ", ".join(f"{name} ({count:,} times)" for name, count in e.bounds_hit.items()) or "none"
        reductions = ", ".join(e.reductions) or "none"
        text = f"{where}; {extent}; bounds hit: {hit}; reductions: {reductions}; exact states; engine {e.engine}"
        yield from self.style.paragraph(text, MARGIN, " " * INDENT + "trust")

    def _summary(self) -> Iterator[str]:
        groups: dict[Status, list[str]] = {}
        for name, status in self.overall.items():
            groups.setdefault(status, []).append(name)
        parts = []
        for status, word in _WORDS.items():
            names = groups.get(status, [])
            if names or (status is Status.HOLDS and Status.PROVED not in groups):
                listed = f" ({', '.join(names)})" if status in (Status.VIOLATED, Status.UNKNOWN) else ""
                parts.append(f"{len(names)} {word}{listed}")
        judgement = self.wanted.judgement or judge(self.explorations)
        if judgement.deviations is not None:
            yield from judgement.deviations.lines(self.style)
            yield ""
        end = f"Exit code {judgement.code}: {judgement.reason}."
        text = f"{number_of(len(self.overall), 'claim')}: {', '.join(parts)}. {end}"
        yield from self.style.paragraph(text, 0)


_WORDS = {
    Status.HOLDS: "HOLD",
    Status.PROVED: "PROVED",
    Status.VIOLATED: "VIOLATED",
    Status.UNKNOWN: "UNKNOWN",
}


def _statistics(e: Exploration) -> Iterator[str]:
    rate = f", {e.states / e.seconds:,.0f} states/s" if e.seconds else ""
    per_state = f" ({e.peak_bytes / e.states:,.0f} bytes a state)" if e.states else ""
    share = "" if e.solver_seconds is None else f", {e.solver_seconds:.2f} s of it Z3's"
    yield f"{' ' * INDENT}stats     {e.seconds:.2f} s{share}{rate}, {e.peak_bytes / 2**20:,.1f} MiB{per_state}"
    counts = sorted(e.actions.items(), key=lambda item: -item[1].new_states)
    rows = [("action", "taken", "new states"), *((n, f"{c.taken:,}", f"{c.new_states:,}") for n, c in counts)]
    yield from table(rows, MARGIN)
