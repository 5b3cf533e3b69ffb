"""The picture of a pod's life as a Mermaid sequence diagram: actors outside, the pod workers, their containers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podproof.reports.layout import wrap
from podproof.reports.pictures.life import NEW, OLD, Life, Row, Snapshot, failure_lines
from podproof.reports.pictures.mermaid import comments, escape

LETTERS = 45
NO_STATUS, GONE = "no status", "nothing runs"
GROUNDS = {
    "waiting": "140, 149, 159, 0.2",
    "syncing": "31, 120, 220, 0.2",
    "terminating": "212, 140, 0, 0.2",
    "terminated": "115, 80, 173, 0.2",
    "finished": "90, 100, 112, 0.3",
}
"""Behind a phase, on a light page and on a dark one."""
_WRONG = "180, 35, 24, 0.25"


def life_mermaid(life: Life, caption: Sequence[str] = ()) -> str:
    """The diagram, which GitHub draws. The caption stands in it as comments."""
    return "\n".join(_Diagram(life).lines(caption)) + "\n"


class _Diagram:
    def __init__(self, life: Life) -> None:
        self.life = life
        self.lanes = {lane: f"L{i}" for i, lane in enumerate(life.lanes)}
        several = len(life.pods) > 1
        self.names = {name: lane for lane, name in self.lanes.items()}
        for i, pod in enumerate(life.pods):
            self.names[f"W{i}"] = f"pod worker {pod.name}" if several else "pod worker"
        for i, pod in enumerate(life.pods):
            if pod.has_strip:
                self.names[f"C{i}"] = f"containers {pod.name}" if several else "containers"
        ends = list(self.names)
        self.span = ",".join(dict.fromkeys((ends[0], ends[-1])))

    def lines(self, caption: Sequence[str]) -> Iterator[str]:
        life = self.life
        yield from ("sequenceDiagram", *comments(caption), "    autonumber")
        yield from (f"    participant {name} as {escape(lane)}" for name, lane in self.names.items())
        if life.free:
            yield f"    Note over {self.span}: {_text([f'starts with {life.free}'])}"
        before, is_open = life.start, False
        yield from self._activations(None, before)
        bands = len(life.pods) == 1
        for i, row in enumerate(life.rows):
            if life.fork is not None and i + 1 >= life.fork.common:
                yield from ["    end"] * is_open
                bands = is_open = False
            is_end = life.is_wrong and not life.is_endless and i + 1 == len(life.rows)
            phase, is_new = row.after.phases[0], i == 0 or row.after.phases != before.phases
            if bands and is_open and (is_new or is_end or i == life.loop):
                yield "    end"
                is_open = False
            if i == life.loop:
                yield "    loop for ever"
            if is_end:
                yield f"    rect rgba({_WRONG})"
                yield f"    Note over {self.span}: {_text([f'✗ {phase}' if bands and phase else '✗'])}"
                is_open = True
            elif bands and phase and not is_open:
                yield f"    rect rgba({GROUNDS[phase]})"
                yield f"    Note over {self.span}: {escape(phase)}"
                is_open = True
            others = None if life.fork is None or i + 1 < life.fork.common else life.fork.after[i + 1]
            yield from self._row(row, before, others)
            before = row.after
        yield from ["    end"] * (is_open + (life.loop is not None))
        yield from (f"    deactivate C{i}" for i, strip in enumerate(before.strips) if strip)
        said, formula = failure_lines(life.failure, [pod.name for pod in life.pods])
        mark = "✗" if life.is_wrong else "✓" if life.fork is None else "≠"
        foot = [f"{mark} {life.title}", f"{life.outcome}, {life.where}", said, *life.blocked, formula]
        yield f"    Note over {self.span}: {_text(foot)}"

    def _row(self, row: Row, before: Snapshot, others: Snapshot | None) -> Iterator[str]:
        """What happens, and what it leads to; `others` is what is so in a version that has parted from this one."""
        target = row.targets[0] if row.targets else 0
        if row.kind == "restart":
            yield f"    Note over {self.span}: {_text([f'{row.number} {row.text}, all workers are forgotten'])}"
            yield f"    autonumber {row.last + 1}"
        else:
            text = _text([", ".join((f"{row.number}: {row.text}" if row.kind == "fold" else row.text, *row.details))])
            yield f"    {self._arrow(row, target, before)}: {text}"
        if row.kind == "fold":
            yield f"    autonumber {row.last + 1}"
        yield from self._activations(before, row.after)
        has_notes = len(self.life.pods) > 1 or others is not None
        for i, (old, new) in enumerate(zip(before.phases, row.after.phases, strict=True)):
            other = new if others is None else others.phases[i]
            if new != other:
                yield f"    Note over W{i}: {_text([f'{OLD} {new or NO_STATUS}', f'{NEW} {other or NO_STATUS}'])}"
            elif has_notes and old != new:
                yield f"    Note over W{i}: {escape(new) or NO_STATUS}"
        for i, strip in enumerate(row.after.strips):
            if others is not None and strip != others.strips[i]:
                yield f"    Note over C{i}: {_text([f'{OLD} {strip or GONE}', f'{NEW} {others.strips[i] or GONE}'])}"
        told = [
            f"{track.name} {f'{old} → ' if old else ''}{new or 'nil'}"
            for track, old, new in zip(self.life.tracks, before.values, row.after.values, strict=True)
            if old != new
        ]
        told += row.changes if not row.is_ignored or row.changes else ["nothing changes for the worker"]
        if row is self.life.rows[-1]:
            told += [f"{track.name}: {track.missing}" for track in self.life.tracks if track.missing]
        if told:
            yield f"    Note right of W{target}: {_text(told)}"

    def _arrow(self, row: Row, target: int, before: Snapshot) -> str:
        worker, containers = f"W{target}", f"C{target}"
        if row.lane:
            lane = self.lanes[row.lane]
            if row.kind == "fold" or not row.targets:
                return f"{lane}->>{lane}"
            return f"{lane}{'-x' if row.is_ignored else '->>'}{worker}"
        old, new = before.strips[target], row.after.strips[target]
        if not old and new:
            return f"{worker}->>{containers}"
        is_answer = bool(old and not new) or (row.of_runtime and self.life.pods[target].has_strip)
        return f"{containers}-->>{worker}" if is_answer else f"{worker}->>{worker}"

    @staticmethod
    def _activations(before: Snapshot | None, after: Snapshot) -> Iterator[str]:
        """Where containers begin to run, and where they end."""
        for i, new in enumerate(after.strips):
            old = before.strips[i] if before is not None else ""
            if bool(old) != bool(new):
                yield f"    {'activate' if new else 'deactivate'} C{i}"


def _text(lines: Sequence[str]) -> str:
    """Wrapped lines as one Mermaid text; empty ones are left out."""
    wrapped = [part for line in lines for part in wrap(line, LETTERS, break_long_words=False, break_on_hyphens=False)]
    return "<br/>".join(map(escape, wrapped)) or "-"
