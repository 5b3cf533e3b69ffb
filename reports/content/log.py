"""What a kubelet's log proves about each pod's worker: the answer, and as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from podproof.checker.core.answer import AnswerPart, Count, ExitCode
from podproof.checker.core.printer import visible
from podproof.reports.document import Part, Verbatim
from podproof.reports.layout import Detail, number_of

Judgement = Literal["conformant", "claim broken", "gap", "violation", "nothing to judge", "undecided", "not-modelled"]
_MARGIN = " " * 29
DAY = 86_400.0
"""Seconds."""
_MOST = 3
"""Lines or places that are listed; with -v all are."""


class Rejected(AnswerPart, frozen=True):
    """A line that the worker does not write there."""

    place: str
    """file:line"""
    line: str
    possible: Sequence[str]
    """What the worker could have written there."""


class RunLine(AnswerPart, frozen=True):
    """A line of the log that a run writes."""

    place: str
    """file:line"""
    line: str


class StepOfRun(AnswerPart, frozen=True):
    """A step of a shortest run of the model."""

    step: str
    """The Go function, or which part of one, with what it is given."""
    writer: str
    announced: Sequence[RunLine]
    """What its goroutine writes before it; at most one."""
    lines: Sequence[RunLine]
    """What is written after it and before the next step."""
    breaks: Sequence[str]
    """Claims that the step breaks."""


class Waits(AnswerPart, frozen=True):
    """What a pod waits for by its lines, at any level."""

    waits_for: str
    turn: str
    """Whose turn it is."""
    message: str
    """Of the line that says so."""
    since: str
    """The time of the first of these lines as it has it; empty where it has none."""
    place: str
    """Of this line: file:line."""
    times: Count
    """How many of these lines there are."""
    counts_on: Sequence[str]
    """The fairness assumptions without which it may wait for ever; empty where nothing promises an end."""
    bugs: Sequence[str]
    """Known bugs of the release that the log is of by which it may wait in vain."""


class LogClaim(AnswerPart, frozen=True):
    """A claim that the worker breaks by its lines."""

    claim: str
    meaning: str
    in_every: bool
    """In every explanation of the lines, or only in some?"""
    place: str
    """Of the line up to which it is broken in every explanation, else of the last one: file:line."""
    known: Sequence[str]
    """Who reported it upstream, or how the release breaks it."""


class Told(AnswerPart, frozen=True):
    """A line that names the pod that is asked for."""

    place: str
    time: str
    """As the line has it; empty where it has none."""
    line: str
    """Without its header; cut where it is long."""


class Interval(AnswerPart, frozen=True):
    """For how long no line named the pod that is asked for."""

    seconds: float
    """86,400 for a day and more: klog's times have no year."""
    after: str
    """The place of the line before: file:line."""
    before: str
    """The place of the line after it."""


class Judged(AnswerPart, frozen=True):
    """What the log of one life of the kubelet proves about a pod's worker."""

    uid: str
    pod: str
    """namespace/name; empty where no line has it."""
    judgement: Judgement
    reason: str
    """Of the judgement; empty for `conformant`."""
    version: str | None
    """Whose model was used; null where there is none."""
    why_version: str
    first: str
    """The place of its first line: file:line."""
    last: str
    """The place of its last line."""
    could_contradict: Count
    """At how many lines another line that the log has would have been rejected."""
    lines: Count
    stands: Sequence[str]
    """Where the worker may stand after its last line; empty where nothing is known."""
    waits: Sequence[Waits]
    """What it waits for after its last line, by its lines at any level."""
    rejected: Sequence[Rejected]
    """The first lines that do not fit."""
    claims: Sequence[LogClaim]
    """Claims that the release breaks, and the worker by these lines, if none are missing."""
    run: Sequence[StepOfRun]
    """A shortest run of the model that writes what comes before a `violation`, or breaks a claim; else none."""


class WaitingPod(AnswerPart, frozen=True):
    """A pod that waits, and of whose worker the log of a life of the kubelet has no line."""

    uid: str
    """Empty where no line has it."""
    pod: str
    """namespace/name; empty where no line has it."""
    among: Sequence[str]
    """The UIDs of its name that it may be, where that is ambiguous; else none."""
    first: str
    """The place of the first line that told of a wait: file:line."""
    last: str
    """The place of the last line that told of one, or of its end."""
    waits: Sequence[Waits]


class LogAnswer(AnswerPart, frozen=True, tag_field="kind", tag="log"):
    """log"""

    command: str
    exit_code: ExitCode
    pods: Sequence[Judged]
    waiting: Sequence[WaitingPod]
    life: Sequence[Told]
    """All lines that name the pod that was asked for; none where none was."""
    intervals: Sequence[Interval]
    """The longest between two of these lines that follow each other, the longest first."""
    unread: Count
    """Lines of pod_workers.go that are cut off, or not of this form."""
    left_out: Count
    """Lines about pods that were too many to follow."""


class LineStep(AnswerPart, frozen=True):
    """A step that writes a line."""

    step: str
    """The Go function, or which part of one, that the step is."""
    method: str
    """Of the model."""
    writer: str
    lock: str
    """When it is written: under podLock, before, or after."""
    before: Sequence[str]
    """What holds of the worker in every state in which the step writes it."""
    after: Sequence[str]
    """What holds in every state that the step then leads to."""
    stands: Sequence[str]
    """Where the worker may stand before the step."""
    leads_to: Sequence[str]
    """Where it may stand after it."""


class LineAnswer(AnswerPart, frozen=True, tag_field="kind", tag="log-line"):
    """log"""

    command: str
    exit_code: ExitCode
    message: str
    told: str
    """Its updateType or workType; empty where it has none."""
    functions: Sequence[str]
    """The Go functions that write it; none where no worker does."""
    level: str
    """From which level on a log has it; empty where no worker writes it."""
    version: str | None
    """Whose model was used; null where no worker writes it."""
    why_version: str
    reason: str
    """Why there are no steps; empty where there are."""
    steps: Sequence[LineStep]
    waits: Sequence[str]
    """What a pod may wait for after it."""
    ends: Sequence[str]
    """What a pod does not wait for any longer after it."""
    known: Sequence[str]
    """The messages that would be known, what is most like it first; none where it is."""


def line_parts(answer: LineAnswer, detail: Detail) -> Iterator[Part]:
    """What writes a line, and what holds then."""
    yield Verbatim([visible(line) for line in _lines_of_line(answer, detail)])


def _lines_of_line(answer: LineAnswer, detail: Detail) -> Iterator[str]:
    yield " ".join(filter(None, [f'"{answer.message}"', answer.told]))
    if answer.functions:
        yield f"  written by  {'; or '.join(answer.functions)}"
        yield f"  level       {answer.level}"
        yield f"  model       {answer.version}: {answer.why_version}"
    if answer.reason:
        yield f"  {answer.reason}"
    for step in answer.steps:
        yield f"  step        {step.step} ({step.method}), by {step.writer}, {step.lock}"
        yield f"    before    {', '.join(step.before) or 'nothing has to hold'}"
        yield f"      stands  {_listed(step.stands, detail is Detail.FULL, '; or ')}"
        yield f"    after     {', '.join(step.after) or 'nothing has to hold'}"
        yield f"      stands  {_listed(step.leads_to, detail is Detail.FULL, '; or ')}"
    for wait in answer.waits:
        yield f"  then waits for {wait}"
    if answer.ends:
        yield f"  ends the wait for {'; for '.join(answer.ends)}"
    if answer.known:
        yield f"  known would be, what is most like it first{'' if detail is Detail.FULL else ' (-v lists all)'}:"
        shown = answer.known if detail is Detail.FULL else answer.known[:_MOST]
        yield from (f"    {message}" for message in shown)


def log_parts(answer: LogAnswer, detail: Detail) -> Iterator[Part]:
    """For each pod its judgement, where it stands, and what does not fit; and the counts."""
    for pod in answer.pods:
        if detail is not Detail.QUIET or pod.judgement != "conformant":
            yield Verbatim([visible(line) for line in _lines_of(pod, detail is Detail.FULL)])
    for waiting in answer.waiting:
        name = " ".join(filter(None, [waiting.pod, waiting.uid]))
        yield Verbatim([visible(f"{'WAITS':27}  {name}  {waiting.first} to {waiting.last}")])
        if waiting.among:
            yield Verbatim([visible(f"{_MARGIN}ambiguous: {', '.join(waiting.among)} have this name")])
        yield Verbatim([visible(line) for line in _waits_of(waiting.waits)])
    if answer.life:
        yield Verbatim([visible(f"{told.time or '(no time)'}  {told.place}  {told.line}") for told in answer.life])
    for each in answer.intervals:
        told = "a day or more" if each.seconds >= DAY else f"{each.seconds:.3f} s"
        yield Verbatim([visible(f"{told} without a line of it, from {each.after} to {each.before}")])
    yield Verbatim([visible(_counts(answer))])


def _lines_of(pod: Judged, in_full: bool) -> Iterator[str]:
    word = pod.judgement.upper()
    count = f"{pod.could_contradict}/{pod.lines}"
    yield f"{word:16}  {count:>9}  {' '.join(filter(None, [pod.pod, pod.uid]))}  {pod.first} to {pod.last}"
    margin = _MARGIN
    if pod.reason:
        yield f"{margin}{pod.reason}"
    if pod.version is not None:
        yield f"{margin}model of {pod.version}: {pod.why_version}"
    if pod.stands:
        yield f"{margin}stands: {_listed(pod.stands, in_full, '; or ')}"
    yield from _waits_of(pod.waits)
    for each in pod.claims:
        if each.in_every:
            told = "broken" if pod.judgement == "claim broken" else "possibly broken, if no line is missing"
            yield f"{margin}{told}: {each.claim}, by {each.place} ({'; '.join(each.known)})"
            yield f"{margin}  {each.meaning}"
        elif in_full:
            yield f"{margin}possibly broken, in some explanations: {each.claim} ({'; '.join(each.known)})"
    for rejected in pod.rejected:
        yield f"{margin}{rejected.place}: {rejected.line}"
        yield f"{margin}  possible: {_listed(rejected.possible, in_full, ', ') or 'nothing'}"
    yield from _run(pod.run, in_full)


def _run(run: Sequence[StepOfRun], in_full: bool) -> Iterator[str]:
    shown = run if in_full else run[-_MOST:]
    if shown:
        last = "" if len(shown) == len(run) else f", the last {len(shown)} (-v shows all)"
        yield f"{_MARGIN}a shortest run of the model up to there, {number_of(len(run), 'step')}{last}:"
    for each in shown:
        yield from (f"{_MARGIN}    {line.place}: {line.line}" for line in each.announced)
        breaks = f", which breaks {', '.join(each.breaks)}" if each.breaks else ""
        yield f"{_MARGIN}  {each.step}, by {each.writer}{breaks}"
        yield from (f"{_MARGIN}    {line.place}: {line.line}" for line in each.lines)


def _waits_of(waits: Sequence[Waits]) -> Iterator[str]:
    for each in waits:
        since = f"since {each.since or 'a line without a time'}, {each.place}"
        yield f"{_MARGIN}waits for {each.waits_for}: it is {each.turn} turn; {since}, {number_of(each.times, 'line')}"
        told = f"counts on {', '.join(each.counts_on)}" if each.counts_on else "no fairness promises that it ends"
        yield f"{_MARGIN}  {told}"
        yield from (f"{_MARGIN}  known of this release: {bug}" for bug in each.bugs)


def _listed(texts: Sequence[str], in_full: bool, between: str) -> str:
    shown = texts if in_full else texts[:_MOST]
    more = len(texts) - len(shown)
    return between.join([*shown, *([f"{more} more (-v)"] if more else [])])


def _counts(answer: LogAnswer) -> str:
    judged = Counter(pod.judgement for pod in answer.pods)
    told = ", ".join(f"{count:,} {judgement}" for judgement, count in judged.most_common())
    left = [
        f"{number_of(answer.unread, 'line')} of pod_workers.go cut off or of another form" if answer.unread else "",
        f"{number_of(len(answer.waiting), 'pod')} without a line of its worker waits"
        if len(answer.waiting) == 1
        else f"{len(answer.waiting):,} pods without a line of their workers wait"
        if answer.waiting
        else "",
        f"{number_of(answer.left_out, 'line')} about further pods left out" if answer.left_out else "",
    ]
    pods = number_of(len(answer.pods), "pod")
    begin = f"{pods}: {told}" if told else "nothing to judge: no line of a pod's worker was read"
    return "; ".join([begin, *filter(None, left)])
