"""A trace as a sequence diagram: a lane for each actor, an arrow for each event, notes with what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from podproof.checker.core.system import Status, Step, System, Trace, Verdict
from podproof.model.notes import ENVIRONMENT, RUNTIME, WORKER, Lane, note_of
from podproof.reports.actors import lane_of
from podproof.reports.layout import number_of, wrap
from podproof.reports.pictures import plantuml
from podproof.reports.pictures.diagram import where
from podproof.reports.pictures.mermaid import comments, escape
from podproof.reports.pictures.sequence_picture import Message, Note, SequenceDiagram, sequence_dot
from podproof.reports.wording import INDEX, Fact, Wording

NOTE_LETTERS, EVENT_LETTERS, CAPTION_LETTERS = 40, 36, 40


def sequence_of(system: System, trace: Trace) -> SequenceDiagram:
    """The trace as arrows between lanes. A lane in which nothing happens is left out."""
    wording = Wording(system)
    walk = list(wording.walk(trace.initial, trace.steps))
    messages = [_message(wording, i, step, facts, i == len(walk)) for i, (step, facts) in enumerate(walk, 1)]
    used = {lane for m in messages for lane in (m.source, m.target, *(note.lane for note in m.notes))}
    workers = [_worker(wording, uid) for uid in wording.pods] if len(wording.pods) > 1 else [WORKER]
    ordered = [Lane.SYNC_LOOP, *workers, RUNTIME, ENVIRONMENT]
    free = ", ".join(f"{path} = {trace.initial[system.index(path)]}" for path in system.free)
    lanes, lasso = tuple(lane for lane in ordered if lane in used), trace.lasso
    if lasso is None:
        return SequenceDiagram(lanes, free, tuple(messages))
    loop = lasso.start + 1 if lasso.start < len(messages) else None
    rests = () if loop is not None else ("for ever: nothing that has to happen is possible",)
    return SequenceDiagram(lanes, free, tuple(messages), loop=loop, ending=(*rests, *lasso.blocked))


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
            f"{self.verdict.status.value} {claim.id}: {where(system)}",
            claim.meaning,
            f"{self.length}; {system.bounds}",
            f"$ {self.command}",
        ]

    @property
    def length(self) -> str:
        """How many steps there are."""
        return (
            f"{number_of(len(self.trace.steps), 'step')}, shortest" if self.trace.lasso is None else self.verdict.reason
        )

    def dot(self) -> str:
        diagram = sequence_of(self.system, self.trace)
        return sequence_dot(replace(diagram, is_wrong=self.verdict.status is Status.VIOLATED), self.caption)

    def mermaid(self) -> str:
        return mermaid_sequence(self.system, self.trace, self.caption)

    def plantuml(self) -> str:
        return plantuml_sequence(sequence_of(self.system, self.trace), self.caption)


def mermaid_sequence(system: System, trace: Trace, caption: Sequence[str] = ()) -> str:
    """The trace as a Mermaid sequence diagram, which GitHub draws. The caption is the note at the end.

    As a title it would be cut off where the diagram is narrow.
    """
    diagram = sequence_of(system, trace)
    names = {lane: f"L{i}" for i, lane in enumerate(diagram.lanes)}
    out = ["sequenceDiagram", *comments(caption), "    autonumber"]
    out += [f"    participant {name} as {escape(lane)}" for lane, name in names.items()]
    if diagram.start and names:
        out.append(f"    Note over {_span(names)}: {_text((f'starts with {diagram.start}',), NOTE_LETTERS)}")
    for message in diagram.messages:
        out += ["    loop for ever"] if message.number == diagram.loop else []
        arrow = "-->>" if message.is_answer else "->>"
        text = _text((message.event,), EVENT_LETTERS)
        out.append(f"    {names[message.source]}{arrow}{names[message.target]}: {text}")
        out += [f"    Note over {names[note.lane]}: {_text(note.lines, NOTE_LETTERS)}" for note in message.notes]
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
        text = plantuml.label(_wrap([message.event], EVENT_LETTERS))
        out.append(f"{names[message.source]} {arrow} {names[message.target]} : {text}")
        for note in message.notes:
            out.append(f"note over {names[note.lane]} : {plantuml.label(_wrap(note.lines, NOTE_LETTERS))}")
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
    return _worker(wording, int(index[1])) if lane is WORKER and index is not None else lane


def _own_worker(wording: Wording, step: Step) -> str:
    """The worker of the pod that a step names."""
    named = (uid for uid, pod in wording.pods.items() if pod == step.parameters.get("uid"))
    return _worker(wording, next(named, 0))


def _worker(wording: Wording, uid: int) -> str:
    return f"{WORKER} {wording.pods[uid]}" if len(wording.pods) > 1 else WORKER
