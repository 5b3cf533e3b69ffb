"""Which methods and which actions differ, with the lines of both versions."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from podproof.checker.core.graph import Line
from podproof.checker.core.system import System
from podproof.checker.difference.result import ActionChange, Comparison, Decision, MethodChange
from podproof.reports.content.review.words import event_of, field_in_words, fields_in_words, guard_words, value_words
from podproof.reports.document import Block, Fold, Paragraph, Table, Verbatim, code
from podproof.reports.layout import number_of

_MOST_FIELDS = 6
_MOST_EXPRESSIONS = 2
_MOST_HUNK_LINES = 80
_MOST_DIFF_LINES = 50
_MOST_DIFF_LETTERS = 12_000
_MOST_ACTIONS = 3
_MOST_CHANGED = 8
_MOST_GO = 4
"""So many lines of the Go of each version are shown where they part."""
_FEW_METHODS = 10
_MOST_METHODS = 40


def summary(found: Comparison) -> Iterator[str]:
    """How much of the code differs, in one sentence."""
    if not found.methods:
        if found.decision is Decision.IDENTICAL:
            yield "No method differs in its text."
        return
    telling = [m for m in found.methods if matters(m, found)]
    names = ", ".join(code(m.name) for m in telling[:8]) + (f" and {len(telling) - 8} more" if len(telling) > 8 else "")
    if telling:
        yield f"{number_of(len(telling), 'method')} changed, called by actions that now do something else: {names}."
    idle = [m for m in found.methods if not matters(m, found)]
    if idle:
        listed = ", ".join(code(m.name) for m in idle[:8])
        yield f"The text of {number_of(len(idle), 'method')} differs, and no step does: {listed}."


def summary_of_go(names: tuple[str, str], changed: Mapping[str, str]) -> str:
    """Which functions of the Go the author changed: those of its translation may differ in their text alone."""
    if not changed:
        return f"The Go of {names[1]} is that of {names[0]}, function by function."
    told = [code(name) + (f" ({word})" if word != "changed" else "") for name, word in changed.items()]
    more = f" and {len(told) - _MOST_CHANGED} more" if len(told) > _MOST_CHANGED else ""
    return f"Changed in the Go: {', '.join(told[:_MOST_CHANGED])}{more}."


def matters(method: MethodChange, found: Comparison) -> bool:
    """Does an action that may call the method do something else in some state, of some scenario?"""
    changed = {name for difference in found.scenarios for name in difference.changed}
    return not method.only_names and any(action in changed for action in method.actions)


def code_blocks(found: Comparison, hunks: Sequence[str]) -> Iterator[Block]:
    """The methods and the actions, each with its lines; the text of the methods folded."""
    first, second = found.names
    if found.methods:
        rows = [_method(method, found) for method in found.methods[:_MOST_METHODS]]
        more = len(found.methods) - len(rows)
        blocks: list[Block] = [Table(["method", "", first, second, "called by"], rows)]
        blocks += [Paragraph(f"and {number_of(more, 'more method')}.")] if more > 0 else []
        if len(rows) <= _FEW_METHODS:
            yield from blocks
        else:
            yield Fold(f"{number_of(len(found.methods), 'method')} with another text", blocks, in_text=True)
    if hunks:
        more = len(hunks) - _MOST_HUNK_LINES
        rest = [f" ({number_of(more, 'more line')})"] if more > 0 else []
        yield Fold("The Go", [Verbatim([*hunks[:_MOST_HUNK_LINES], *rest], "diff")], in_text=True)
    else:
        yield from _text_diffs(found)
    described = [(change, d.systems) for d in found.scenarios for change in d.actions]
    if described:
        rows = _group([_action(change, systems, found.names) for change, systems in described])
        title = f"{number_of(len(described), 'action')} with steps that differ in some state, reachable or not"
        table = Table(["action", "what differs", f"{first} lines", f"{second} lines"], rows)
        yield Fold(title, [table], in_text=True)


def go_at(found: Comparison, action: str, hunks: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The Go of each version that the other lacks, `pod_workers@main.go:12  n++`, where this action's steps differ.

    The nearest such change alone, as far as there is room; nothing where a side is no Go, or its lines are not known.
    """
    lines: tuple[set[int], set[int]] = (set(), set())
    for change in (c for d in found.scenarios for c in d.actions if c.name == action):
        for numbers, own, head in zip(lines, change.lines, hunks, strict=False):
            numbers.update(line.number for line in own if PurePosixPath(line.file).name == head[4:].strip())
    for sides in _changes_of(hunks):
        if any(not own.isdisjoint(around) for own, (_, around) in zip(lines, sides, strict=True)):
            first, second = (_few(texts, head) for (texts, _), head in zip(sides, hunks, strict=False))
            return first, second
    return (), ()


def _few(texts: Sequence[tuple[int, str]], head: str) -> Sequence[str]:
    more = [f"and {number_of(len(texts) - _MOST_GO, 'more line')}"] if len(texts) > _MOST_GO else []
    return [*(f"{head[4:].strip()}:{number}  {text.strip()}" for number, text in texts[:_MOST_GO]), *more]


_ChangedGo = tuple[Sequence[tuple[int, str]], range]
"""The lines that only one version has, with their numbers, and the numbers of these and what is around them."""


def _changes_of(hunks: Sequence[str]) -> Iterator[tuple[_ChangedGo, _ChangedGo]]:
    """What each version has in each place in which they differ, comments left out."""
    heads = [i for i, line in enumerate(hunks) if line.startswith("@@ ")]
    for begin, end in itertools.pairwise([*heads, len(hunks)]):
        sides = []
        for mark, numbers in zip("-+", re.findall(r"[-+](\d+)(?:,\d+)?", hunks[begin]), strict=True):
            own = list(enumerate((line for line in hunks[begin + 1 : end] if line[0] in (" ", mark)), int(numbers)))
            texts = [(n, line[1:]) for n, line in own if line[0] == mark]
            texts = [(n, text) for n, text in texts if (code := text.strip()) and not code.startswith("//")]
            sides.append((texts, range(int(numbers), int(numbers) + len(own))))
        yield sides[0], sides[1]


def _text_diffs(found: Comparison) -> Iterator[Block]:
    """How the text of the methods changes, as far as there is room."""
    texts = [lines for method in found.methods if (lines := _text_diff(method, found.names))]
    shown: list[Block] = []
    room = _MOST_DIFF_LETTERS
    for lines in texts:
        room -= sum(map(len, lines)) + len(lines) - 1
        if room >= 0:
            shown.append(Verbatim(lines, "diff"))
    if shown:
        more = len(texts) - len(shown)
        note = [Paragraph(f"{number_of(more, 'longer change')} not shown.")] if more else []
        yield Fold("The text of these methods", [*shown, *note])


def _method(method: MethodChange, found: Comparison) -> list[str]:
    first, second = method.lines
    if first is None or second is None:
        word = "added" if first is None else "removed"
    else:
        word = "changed" if matters(method, found) else "text only"
    systems = found.scenarios[0].systems
    events = [event_of(systems, action) for action in method.actions[:_MOST_ACTIONS]]
    more = len(method.actions) - _MOST_ACTIONS
    called = ", ".join(map(code, events)) + (f" +{more} more" if more > 0 else "")
    return [code(method.name), word, _line(first), _line(second), called]


def _line(line: Line | None) -> str:
    return "-" if line is None else code(line)


def _text_diff(method: MethodChange, names: tuple[str, str]) -> list[str]:
    if method.only_names:
        return []
    a, b = (text.splitlines() for text in method.texts)
    heads = [f"{name} {line or ''}".rstrip() for name, line in zip(names, method.lines, strict=True)]
    lines = list(difflib.unified_diff(a, b, heads[0], heads[1], lineterm="", n=3))
    if len(lines) > _MOST_DIFF_LINES:
        lines = [*lines[:_MOST_DIFF_LINES], f" ({len(lines) - _MOST_DIFF_LINES} more lines)"]
    return lines


def _group(rows: Sequence[list[str]]) -> list[list[str]]:
    """Actions that differ in the same way in one row."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for event, *rest in rows:
        groups.setdefault(tuple(rest), []).append(event)
    return [[", ".join(events), *rest] for rest, events in groups.items()]


def _action(change: ActionChange, systems: tuple[System, System], names: tuple[str, str]) -> list[str]:
    lines = [", ".join(code(line) for line in side) or "-" for side in change.lines]
    event = code(event_of(systems, change.name))
    for side in (0, 1):
        if change.actions[side] is None:
            at = change.actions[1 - side]
            only = [f"only {names[1 - side]} has it", "-", "-"]
            only[2 - side] = code(at.line) if at is not None else "-"
            return [event, *only]
    return [event, "; ".join(_differing(change, systems, names)), *lines]


def _differing(change: ActionChange, systems: tuple[System, System], names: tuple[str, str]) -> Iterator[str]:
    """The guard, the fields and what else of an action differs; expressions where they are short."""
    if change.guards is not None:
        words = guard_words(change.guards, systems)
        yield f"its guard: {words}" if words else "its guard"
    fields = fields_in_words(systems[0], [path for path, _, _ in change.updates])
    if fields:
        more = f" +{len(fields) - _MOST_FIELDS} more" if len(fields) > _MOST_FIELDS else ""
        yield f"what it makes of {', '.join(map(code, fields[:_MOST_FIELDS]))}{more}"
    told = 0
    for path, a, b in change.updates:
        texts = (value_words(a, path, systems[0]), value_words(b, path, systems[1]))
        if None not in texts and told < _MOST_EXPRESSIONS:
            told += 1
            becomes = [f"{text} in {name}" for text, name in zip(texts, names, strict=True)]
            yield f"{code(field_in_words(systems[0], path))} becomes {', '.join(becomes)}"
    for name, paths, system in zip(names, change.only, systems, strict=True):
        if paths:
            own = fields_in_words(system, paths)
            yield f"{name} also writes {', '.join(map(code, own[:3]))}" + (", …" if len(own) > 3 else "")
    yield from change.others
