"""The page that answers "what does this change do?": claims, code, where two versions part, what each shows alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from podproof.checker.difference.result import Comparison, Decision
from podproof.reports.content.review import behaviour, claims, code
from podproof.reports.content.review.divergences import beginnings, divergence_blocks
from podproof.reports.content.review.words import event_of, field_in_words
from podproof.reports.document import Block, Bullets, Fold, Page, Paragraph, Section, Table, Verbatim
from podproof.reports.document import code as as_code
from podproof.reports.layout import number_of

_MOST_NAMES = 3
Word = Literal["EQUIVALENT", "ALIKE", "DIFFERENT", "UNDECIDED"]
_MOST_LINES = 6


@dataclass(frozen=True)
class Origin:
    """Where a page comes from."""

    command: str
    """The command that makes it again."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """For a claim's id, where upstream says so and what is known of it."""
    hunks: tuple[str, ...] = ()
    """How the text of two Go files differs, line by line; empty where a side is none."""
    functions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Of a Go file: function -> EQUAL, DIFFERENT or UNDECIDED, and why not EQUAL."""
    go: tuple[str, ...] = ()
    """What was translated of it and what its functions are compared with, line by line."""
    changed: Mapping[str, str] | None = None
    """The functions of the Go whose text is another: changed, new or gone; None where no Go is known of a side."""


def page_of(found: Comparison, origin: Origin) -> Page:
    """The whole page; the same comparison gives the same page."""
    first, second = found.names
    sections = [
        Section("Claims", list(claims.claim_blocks(found, origin.sources))),
        Section("Functions of the Go", list(_functions(origin))),
        Section("Code", list(code.code_blocks(found, origin.hunks))),
        Section("Where they part", list(divergence_blocks(found))),
        Section("What only one of them shows", list(behaviour.behaviour_blocks(found))),
        Section("Scenarios", list(_scenarios(found))),
        Section("How far this goes", list(_trust(found))),
    ]
    return Page(
        f"{first} → {second}: what changes in the pod lifecycle",
        _where_alike(found),
        list(_summary(found, origin)),
        [section for section in sections if section.blocks],
        origin.command,
        _proviso(found),
        found.worse.value,
    )


def _functions(origin: Origin) -> Iterator[Block]:
    """Which functions of a Go file do the same in every state; the rest is for who wants to know what that rests on."""
    if origin.go:
        yield Fold("What was translated, what that rests on, and what was decided", [Verbatim(list(origin.go))], True)


def in_short(functions: Mapping[str, tuple[str, str]], changed: Mapping[str, str] | None) -> str:
    """How many functions are EQUAL, and which are not. Those that are UNDECIDED and unchanged are counted."""
    unlike = {name: (equality, why) for name, (equality, why) in functions.items() if equality != "EQUAL"}
    undecided = {name for name, (equality, _) in unlike.items() if equality == "UNDECIDED"}
    alone = set() if changed is None else undecided - changed.keys()
    told = [
        f"{as_code(name)} {equality}" + (f" ({why})" if why else "")
        for name, (equality, why) in unlike.items()
        if name not in alone
    ]
    parts = [
        f"{number_of(len(functions) - len(unlike), 'function')} of the Go are EQUAL in every state",
        ", ".join(told),
    ]
    parts.append(f"unchanged, and UNDECIDED: {len(alone)}" if alone else "")
    return "; ".join(filter(None, parts)) + "."


def _proviso(found: Comparison) -> str:
    """That nothing comes to lines that are changed, so that equivalence says nothing of them; and where it does."""
    if not found.unreached:
        return ""
    where = "this scenario" if len(found.scenarios) == 1 else "these scenarios"
    more = len(found.unreached) - _MOST_LINES
    lines = ", ".join(found.unreached[:_MOST_LINES]) + (f" and {more} more" if more > 0 else "")
    ending = f"; --scenario {found.reaching} does" if found.reaching else ""
    return f"nothing in {where} reaches the changed lines: {lines}{ending}"


def verdict(found: Comparison) -> Word:
    """EQUIVALENT where every step is the same in every state, ALIKE where it is in these scenarios; else the decision.

    Where no step comes to lines that are changed, the steps of other scenarios may differ.
    """
    return "ALIKE" if found.decision.is_equivalent and found.unreached else _word(found.decision)


def _word(decision: Decision) -> Word:
    if decision is Decision.IDENTICAL:
        return "EQUIVALENT"
    if decision.is_equivalent:
        return "ALIKE"
    return "DIFFERENT" if decision is Decision.DIFFERENT else "UNDECIDED"


def _where_alike(found: Comparison) -> str:
    """The verdict; where it is one of these scenarios alone, with them."""
    word, names = verdict(found), [d.systems[0].scenario for d in found.scenarios]
    if word != "ALIKE":
        return word
    return f"{word} in {', '.join(names) if len(names) <= _MOST_NAMES else f'these {len(names)} scenarios'}"


def _summary(found: Comparison, origin: Origin) -> Iterator[str]:
    first, second = found.names
    scenarios = [difference.systems[0].scenario for difference in found.scenarios]
    if found.decision.is_equivalent:
        yield from _own_fields(found)
    match found.decision:
        case Decision.DIFFERENT:
            yield " ".join(_where(found))
        case Decision.UNDECIDED:
            open_ones = [d.systems[0].scenario for d in found.scenarios if d.decision is Decision.UNDECIDED]
            if open_ones:
                yield f"Not decided in {', '.join(open_ones)}: nothing is claimed of what was not explored."
            else:
                of_what = "what else was changed" if found.unread else "a claim"
                yield f"{first} and {second} behave alike in {', '.join(scenarios)}, and of {of_what} it is open."
        case Decision.IDENTICAL:
            yield (
                f"Every step of {second} does what it does in {first}, in every state, reachable or not: the same "
                f"states, the same verdicts. Scenarios: {', '.join(scenarios)}."
            )
        case decision:
            how = "on the chosen fields" if decision is Decision.BISIMILAR else "in every reachable state"
            yield f"{first} and {second} behave alike {how}, with the same verdicts. Scenarios: {', '.join(scenarios)}."
    yield from (*found.unread, *found.besides)
    yield from claims.summary(found)
    if origin.functions:
        yield in_short(origin.functions, origin.changed)
    yield from code.summary(found) if origin.changed is None else (code.summary_of_go(found.names, origin.changed),)
    yield from beginnings(found)


def _own_fields(found: Comparison) -> Iterator[str]:
    """The fields that only one version has, and what becomes of them in any scenario."""
    events: dict[tuple[int, str], dict[str, None]] = {}
    matters = set()
    for d in found.scenarios:
        for own in d.view.own:
            field = own.side, field_in_words(d.systems[own.side], own.path)
            events.setdefault(field, {}).update((event_of(d.systems, action), None) for action in own.actions)
            matters |= {field} if own.matters else set()
    fates: dict[tuple[int, str], list[str]] = {}
    for (side, name), changing in events.items():
        fate = f"which {', '.join(changing)} may change" if changing else "which never changes in these scenarios"
        if (side, name) not in matters:
            fate += "; nothing that is compared depends on it"
        fates.setdefault((side, fate), []).append(as_code(name))
    for (side, fate), names in fates.items():
        yield f"Only {found.names[side]} has {', '.join(names)}, {fate}."


def _where(found: Comparison) -> Iterator[str]:
    """In which scenarios the versions differ, and in which not."""
    first, second = found.names
    unlike = [d.systems[0].scenario for d in found.scenarios if d.decision is Decision.DIFFERENT]
    alike = [d.systems[0].scenario for d in found.scenarios if d.decision.is_equivalent]
    undecided = [d.systems[0].scenario for d in found.scenarios if d.decision is Decision.UNDECIDED]
    if unlike:
        yield f"{first} and {second} differ in {', '.join(unlike)}."
    else:
        yield f"{first} and {second} show the same steps, and yet a claim tells them apart."
    if alike:
        yield f"They are alike in {', '.join(alike)}."
    if undecided:
        yield f"Not decided in {', '.join(undecided)}."


def _scenarios(found: Comparison) -> Iterator[Block]:
    first, second = found.names
    rows = []
    for d in found.scenarios:
        cells = ["-", "-"]
        if d.sides is not None:
            a, b = d.sides
            cells = [_both(a.states, b.states), _both(a.transitions, b.transitions)]
        if d.sides is not None and not d.same_steps:
            cells += [f"{a.only:,} / {b.only:,}", f"{a.only_steps:,} / {b.only_steps:,}"]
            cells += [f"{a.only_waits:,} / {b.only_waits:,}"]
        rows.append([as_code(d.systems[0].scenario), _word(d.decision), *cells, *["-"] * (5 - len(cells))])
    head = ["scenario", "", "states", "transitions", "only one shows: values", "steps", "waits"]
    width = len(head) if any(cell != "-" for row in rows for cell in row[4:]) else 4
    yield Table(head[:width], [row[:width] for row in rows])
    if any(" / " in cell for row in rows for cell in row):
        yield Paragraph(f"Two numbers are {first} / {second}; one is of both.")
    reasons: dict[str, list[str]] = {}
    for d in found.scenarios:
        reasons.setdefault(d.reason, []).append(as_code(d.systems[0].scenario))
    decided = [f"{', '.join(names)}: {reason}." for reason, names in reasons.items()]
    yield Fold("How each was decided", [Bullets(decided)], in_text=True)
    bounds = [f"{as_code(d.systems[0].scenario)}: {d.systems[0].bounds}" for d in found.scenarios]
    yield Fold("What each bounds", [Bullets(bounds)])


def _both(first: int, second: int) -> str:
    return f"{first:,}" if first == second else f"{first:,} / {second:,}"


def _trust(found: Comparison) -> Iterator[Block]:
    view, systems = found.scenarios[0].view, found.scenarios[0].systems
    names = behaviour.field_names(view, systems[0])
    items = [
        f"Compared by the fields {', '.join(map(as_code, names))}, one tuple of values for each state; "
        "`--by` chooses others.",
        f"Bounded: each scenario bounds what happens, in the environment {as_code(systems[0].environment)}. Within the "
        "bounds every state was looked at. Nothing is said of larger numbers.",
    ]
    if view.missing:
        items.append(f"Left out, because only one of them has it: {', '.join(map(as_code, view.missing))}.")
    for name, hidden in zip(found.names, view.hidden, strict=True):
        if hidden:
            items.append(
                f"{number_of(len(hidden), 'variable')} only {name} has; their states are compared by the fields alone."
            )
    if any(claim.otherwise and claim.property.is_about_runs for claim in found.claims):
        items.append(
            "A claim about runs that both violate is compared by the shortest trace of each; whether others are new, "
            "nobody asked."
        )
    elif any(claim.otherwise for claim in found.claims):
        items.append(
            "A claim that both violate is compared by every step that violates it, as the claim sees it: the event, "
            "and what the claim reads of the states before and after. From which state it starts does not count."
        )
    items.append(
        "A wait is a choice of values with which, in some state, no step of the worker is possible: only its "
        "surroundings can go on."
    )
    yield Fold("Fields, bounds, words", [Bullets(items)], in_text=True)
    both = sum(None not in claim.statuses for claim in found.claims)
    if found.claims:
        yield Paragraph(f"{number_of(both, 'claim')} were checked in both versions, each in the scenarios it is about.")
