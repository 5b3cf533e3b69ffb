"""A trace as a sequence diagram: a lane for each actor, an arrow for each event, notes with what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podproof.checker.core.system import ClaimFailure, Status, Step, System, Trace, Verdict
from podproof.model.notes import ENVIRONMENT, RUNTIME, WORKER, Lane, note_of
from podproof.reports.actors import KILLER, LANES, lane_of
from podproof.reports.layout import wrap
from podproof.reports.pictures import plantuml
from podproof.reports.pictures.diagram import where
from podproof.reports.pictures.mermaid import comments, escape
from podproof.reports.pictures.sequence_picture import Message, Note, SequenceDiagram, sequence_dot
from podproof.reports.story import false_part, folded, read_by, sentence
from podproof.reports.wording import INDEX, Fact, Wording

NOTE_LETTERS, EVENT_LETTERS, CAPTION_LETTERS = 40, 36, 40
_WRONG_GROUND = "rgba(180, 35, 24, 0.15)"
"""Behind the step that breaks the claim, on a light page and on a dark one."""


def sequence_of(
    system: System, trace: Trace, failure: ClaimFailure | None = None, is_wrong: bool = False
) -> SequenceDiagram:
    """The trace as arrows between lanes. A lane in which nothing happens is left out.

    What leads to a violation is folded where the worker just goes on and touches nothing that the false part reads.
    """
    wording = Wording(system)
    walk = list(wording.walk(trace.initial, trace.steps))
    tracks = read_by(failure, wording)
    groups = [[number] for number in range(1, len(walk) + 1)]
    if is_wrong:
        groups = folded(trace, [(), *(facts for _, facts in walk)], tracks)
    messages = [
        _message(wording, steps[0], *walk[steps[0] - 1], steps[0] == len(walk))
        if len(steps) == 1
        else _usual(wording, steps, [walk[n - 1][0] for n in steps])
        for steps in groups
    ]
    used = {lane for m in messages for lane in (m.source, m.target, *(note.lane for note in m.notes))}
    workers = [_worker(wording, uid) for uid in wording.pods] if len(wording.pods) > 1 else [WORKER.value]
    ordered = [lane for one in LANES for lane in (workers if one == WORKER else [one])]
    free = ", ".join(f"{path} = {trace.initial[system.index(path)]}" for path in system.free)
    lanes, lasso = tuple(lane for lane in ordered if lane in used), trace.lasso
    if lasso is None:
        return SequenceDiagram(lanes, free, tuple(messages), is_wrong)
    loop = lasso.start + 1 if lasso.start < len(walk) else None
    rests = () if loop is not None else ("for ever: nothing that has to happen is possible",)
    return SequenceDiagram(lanes, free, tuple(messages), is_wrong, loop=loop, ending=(*rests, *lasso.blocked))


@dataclass(frozen=True)
class TraceDiagram:
    """The trace of a verdict as a sequence diagram."""

    system: System
    verdict: Verdict
    trace: Trace
    command: str

    @property
    def caption(self) -> list[str]:
        claim, system = self.verdict.property, self.system
        return [
            f"{'✗ ' if self.is_wrong else ''}{self.verdict.status.value} {claim.id}: {where(system)}",
            *self.wrong[:-1],
            claim.meaning,
            *self.wrong[-1:],
            f"{self.verdict.length_of(self.trace)}; {system.bounds}",
            f"$ {self.command}",
        ]

    @property
    def is_wrong(self) -> bool:
        return self.verdict.status is Status.VIOLATED

    @property
    def wrong(self) -> Sequence[str]:
        """How the claim fails, and the false part of it."""
        return list(filter(None, (sentence(self.verdict.failure), false_part(self.verdict.failure, with_line=False))))

    @property
    def diagram(self) -> SequenceDiagram:
        return sequence_of(self.system, self.trace, self.verdict.failure, self.is_wrong)

    def dot(self) -> str:
        return sequence_dot(self.diagram, self.caption)

    def mermaid(self) -> str:
        return mermaid_sequence(self.diagram, self.caption)

    def plantuml(self) -> str:
        return plantuml_sequence(self.diagram, self.caption)


def mermaid_sequence(diagram: SequenceDiagram, caption: Sequence[str] = ()) -> str:
    """A trace as a Mermaid sequence diagram, which GitHub draws. The caption is the note at the end.

    As a title it would be cut off where the diagram is narrow.
    """
    names = {lane: f"L{i}" for i, lane in enumerate(diagram.lanes)}
    out = ["sequenceDiagram", *comments(caption), "    autonumber"]
    out += [f"    participant {name} as {escape(lane)}" for lane, name in names.items()]
    if diagram.start and names:
        out.append(f"    Note over {_span(names)}: {_text((f'starts with {diagram.start}',), NOTE_LETTERS)}")
    for message in diagram.messages:
        out += ["    loop for ever"] if message.number == diagram.loop else []
        arrow = "-->>" if message.is_answer else "->>"
        text = _text((message.text,), EVENT_LETTERS)
        told = [f"    {names[message.source]}{arrow}{names[message.target]}: {text}"]
        told += [f"    Note over {names[note.lane]}: {_text(note.lines, NOTE_LETTERS)}" for note in message.notes]
        told += [f"    autonumber {message.last + 1}"] if message.last else []
        is_end = diagram.is_wrong and message is diagram.messages[-1]
        out += [f"    rect {_WRONG_GROUND}", *told, "    end"] if is_end else told
    out += ["    end"] if diagram.loop is not None else []
    for lines in (diagram.ending, caption) if names else ():
        out += [f"    Note over {_span(names)}: {_text(lines, CAPTION_LETTERS)}"] if lines else []
    return "\n".join(out) + "\n"


def plantuml_sequence(diagram: SequenceDiagram, caption: Sequence[str]) -> str:
    """The same as PlantUML."""
    names = {lane: f"L{i}" for i, lane in enumerate(diagram.lanes)}
    out = ["autonumber", "hide footbox"]
    out += [f'participant "{plantuml.escape(lane)}" as {name}' for lane, name in names.items()]
    if diagram.start and names:
        start = plantuml.label(_wrap([f"starts with {diagram.start}"], NOTE_LETTERS))
        out.append(f"note over {_span(names)} : {start}")
    for message in diagram.messages:
        out += ["loop for ever"] if message.number == diagram.loop else []
        arrow = "-->" if message.is_answer else "->"
        text = plantuml.label(_wrap([message.text], EVENT_LETTERS))
        out.append(f"{names[message.source]} {arrow} {names[message.target]} : {text}")
        for note in message.notes:
            out.append(f"note over {names[note.lane]} : {plantuml.label(_wrap(note.lines, NOTE_LETTERS))}")
        out += [f"autonumber {message.last + 1}"] if message.last else []
    out += ["end"] if diagram.loop is not None else []
    if diagram.ending and names:
        out.append(f"note over {_span(names)} : {plantuml.label(_wrap(diagram.ending, NOTE_LETTERS))}")
    return plantuml.document(caption, out)


def _span(names: dict[str, str]) -> str:
    """From the first lane to the last."""
    ends = list(names.values())
    return ",".join(dict.fromkeys((ends[0], ends[-1])))


def _wrap(lines: Sequence[str], width: int) -> list[str]:
    return [
        part for line in lines for part in wrap(line, width, break_long_words=False, break_on_hyphens=False) or ["-"]
    ]


def _text(lines: Sequence[str], width: int) -> str:
    """Wrapped lines as one Mermaid text."""
    return "<br/>".join(map(escape, _wrap(lines, width))) or "-"


def _usual(wording: Wording, numbers: Sequence[int], steps: Sequence[Step]) -> Message:
    """Steps of the worker that are told as one."""
    worker = _own_worker(wording, steps[0])
    events = Note(worker, (", ".join(step.event for step in steps),))
    return Message(numbers[0], worker, worker, "the worker goes on as usual", (events,), last=numbers[-1])


def _message(wording: Wording, number: int, step: Step, facts: Sequence[Fact], last: bool) -> Message:
    """A step as an arrow: to the worker that it changed, else to the actor itself. The last one names the lines."""
    actor = lane_of(step.actor)
    own = _own_worker(wording, step) if actor == WORKER else actor
    told: dict[str, list[str]] = {}
    for fact in facts:
        at = f" ({fact.line.in_function})" if last and fact.line is not None else ""
        told.setdefault(_owner(wording, fact, own), []).append(f"{fact}{at}")
    notes = tuple(Note(lane, tuple(lines)) for lane, lines in told.items())
    if actor == WORKER:
        # What the runtime has done is known when the call that asked for it returns.
        answer = RUNTIME in told
        return Message(number, RUNTIME if answer else own, own, step.event, notes, answer)
    workers = [lane for lane in told if lane.startswith(WORKER)]
    asked = _own_worker(wording, step)
    target = asked if asked in workers else workers[0] if workers else own
    return Message(number, own, target, step.event, notes)


def _owner(wording: Wording, fact: Fact, actor: str) -> str:
    """The lane in which a change is told."""
    variable = fact.item.variables[0]
    lane = note_of((note for notes in variable.notes for note in notes), Lane)
    index = INDEX.search(variable.path)
    if lane is None:
        return actor
    if lane is ENVIRONMENT:
        return KILLER  # It is who waits for the answer.
    return _worker(wording, int(index[1])) if lane is WORKER and index is not None else lane.value


def _own_worker(wording: Wording, step: Step) -> str:
    """The worker of the pod that a step names."""
    named = (uid for uid, pod in wording.pods.items() if pod == step.parameters.get("uid"))
    return _worker(wording, next(named, 0))


def _worker(wording: Wording, uid: int) -> str:
    return f"{WORKER} {wording.pods[uid]}" if len(wording.pods) > 1 else WORKER
