"""From the expression graph to LLVM's language: one function for each transition, and two that call for all.

`examine(state, bits)` writes one bit for each state claim: an `always` that fails, a `sometimes` that is seen.
`expand(state, out, bounds, bits)` does so, too, and writes a row for every step out of a state and returns how many; a
row is the words of the state after the step, a tag (see `Tag`) and one bit for each step claim that the step violates.
Steps that a bound cuts off have no row; they are counted in `bounds`. All arguments are addresses of int64 words.

Where states count as one that are renamings of each other, rows hold the least of them, and `expand` adds up in the
last place of `bounds` how many states the one it is given stands for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from podproof.checker.core.graph import Expr, Op, consistent, topological
from podproof.checker.core.system import CheckerError, LoweredProperty, System
from podproof.checker.engines.compiled.layout import WORD_BITS, Field, Layout
from podproof.checker.engines.compiled.transition import MOST_CHOICES, TRANSITION_MASK, Body, Module, TransitionWriter
from podproof.checker.reductions.symmetry import STATES_STOOD_FOR, Renaming


@dataclass(frozen=True)
class Program:
    """The text of the functions, and the shape of what they write."""

    text: str
    words: int
    """Words in a state."""
    stride: int
    """Words in a row."""
    most_rows: int
    """No state has more steps than this."""
    transitions: int
    bounds: tuple[str, ...]
    state_claims: tuple[int, ...]
    """The properties that `examine` has bits for, in the order of the bits."""
    step_claims: tuple[int, ...]

    @property
    def state_bit_words(self) -> int:
        return -(-len(self.state_claims) // WORD_BITS)

    @property
    def step_bit_words(self) -> int:
        return -(-len(self.step_claims) // WORD_BITS)


_MANY_CHOICES = 75
"""What transitions with fewer choices between them do is written without branches, in half the time.

The search is as fast with one pod, and where there is more to choose from it is slower by a third.
"""


def generate(system: System, properties: Sequence[LoweredProperty], layout: Layout) -> Program:
    """The functions for one system, its claims and a packing."""
    if len(system.transitions) > TRANSITION_MASK:
        raise CheckerError(f"{len(system.transitions):,} transitions; this engine can number {TRANSITION_MASK:,}")
    for t in system.transitions:
        if (choices := prod(len(p.values) for p in t.free)) > MOST_CHOICES:
            raise CheckerError(
                f"{t.action.line}: {t.action.name} has {choices:,} choices of its parameters, and this engine can "
                f"number {MOST_CHOICES:,}; give it fewer parameters, or narrower domains"
            )
    bounds = tuple(dict.fromkeys(name for t in system.transitions for name in t.bounds))
    if layout.renamings:
        bounds = (*bounds, STATES_STOOD_FOR)
    state_claims = tuple(i for i, p in enumerate(properties) if p.state is not None)
    step_claims = tuple(i for i, p in enumerate(properties) if p.steps is not None)
    stride = layout.words + 1 + -(-len(step_claims) // WORD_BITS)
    choices = sum(prod(len(p.values) for p in t.free) for t in system.transitions)
    writer = _Writer(layout, bounds, _ranges(system, layout), choices >= _MANY_CHOICES)
    by_claim = [steps for i in step_claims if (steps := properties[i].steps) is not None]
    used = [number for number, t in enumerate(system.transitions) if t.enabled is not system.graph.false]
    shared = [_most_common(steps[number] for number in used) for steps in by_claim]
    guards = {}
    for number in used:
        violations = [steps[number] for steps in by_claim]
        one = TransitionWriter(writer, number, system.transitions[number], violations, shared)
        writer.lines += one.write()
        guards[number] = one.outer
    # What is noted of a formula: that an `always` is false, that a `sometimes` is true.
    bits = [(p.state, p.property.is_witnessed) for p in properties if p.state is not None]
    writer.expand(guards, shared, bits, 8 * stride)
    writer.examine(bits)
    return Program(
        "\n".join(writer.lines) + "\n",
        layout.words,
        stride,
        choices,
        len(system.transitions),
        bounds,
        state_claims,
        step_claims,
    )


def _most_common(violations: Iterable[Expr]) -> Expr | None:
    """The condition under which most transitions violate a claim, if several do: that of not touching what it is about.

    It depends on the state alone, so it is computed once a state, and not for each step.
    """
    found = Counter(violations)
    for asked in [*found]:
        if asked.is_const or any(part.op is Op.PARAM for part in topological([asked])):
            del found[asked]
    node, count = max(found.items(), key=lambda item: item[1], default=(None, 0))
    return node if count > 1 else None


def _ranges(system: System, layout: Layout) -> dict[tuple[Op, str], tuple[int, int]]:
    """What variables and parameters can be here: a sample of a system has fewer values than its expressions know of."""
    ranges = {(Op.VAR, path): (field.variable.low, field.variable.high) for path, field in layout.fields.items()}
    values: dict[str, set[int]] = {}
    for t in system.transitions:
        for p in t.free:
            values.setdefault(p.name, set()).update(p.values)
    return ranges | {(Op.PARAM, name): (min(numbers), max(numbers)) for name, numbers in values.items()}


class _Writer(Module):
    """Writes the functions that call those of all transitions."""

    def expand(
        self,
        guards: Mapping[int, Sequence[tuple[Expr, bool]]],
        shared: Sequence[Expr | None],
        bits: Sequence[tuple[Expr, bool]],
        row_bytes: int,
    ) -> None:
        """The function that judges a state and calls those of all transitions whose guards hold."""
        body = Body(self.layout, "state", "out", "bounds", "bits")
        body.load_words()
        self.judge(body, bits)
        self.share(body, shared)
        if self.layout.renamings:
            self.lines += [*_least_function(self.layout), *_orbit_function(self.layout)]
            at = body.let(f"getelementptr i64, ptr %bounds, i64 {self.bounds[STATES_STOOD_FOR]}")
            orbit = body.let("call i64 @orbit(ptr %state)")
            stood_for = body.let(f"load i64, ptr {at}")
            body.say(f"store i64 {body.let(f'add i64 {stood_for}, {orbit}')}, ptr {at}")
        row, block = "%out", "entry"
        for number, conditions in guards.items():
            test = body.test(conditions) if conditions else "true"
            body.say(f"br i1 {test}, label %do{number}, label %next{number}")
            body.lines.append(f"do{number}:")
            after = body.let(f"call ptr @step{number}(ptr {row}, ptr %state, ptr %bounds, ptr %shared)")
            body.say(f"br label %next{number}")
            body.lines.append(f"next{number}:")
            row, block = body.let(f"phi ptr [ {row}, %{block} ], [ {after}, %do{number} ]"), f"next{number}"
        size = body.let(f"sub i64 {body.let(f'ptrtoint ptr {row} to i64')}, %out.at")
        body.say(f"ret i64 {body.let(f'sdiv exact i64 {size}, {row_bytes}')}")
        head = "define i64 @expand(i64 %state.at, i64 %out.at, i64 %bounds.at, i64 %bits.at) nounwind {"
        self.lines += [head, "entry:", *body.lines, "}"]

    def share(self, body: Body, violations: Sequence[Expr | None]) -> None:
        """Compute the violations that most transitions share, for all of them."""
        wanted = [self.graph.false if node is None else node for node in violations]
        nodes = [consistent(self.graph, node) for node in self.own(wanted)]
        body.say(f"%shared = alloca i64, i64 {max(1, -(-len(nodes) // WORD_BITS))}")
        body.emit(nodes)
        body.store_bits([body.name(node) for node in nodes], "%shared", 0)

    def judge(self, body: Body, bits: Sequence[tuple[Expr, bool]]) -> None:
        """Write the bits of the state claims."""
        nodes = self.own([node for node, _ in bits])
        body.emit(nodes)
        words = [body.name(n) if wanted else body.negate(n) for n, (_, wanted) in zip(nodes, bits, strict=True)]
        body.store_bits(words, "%bits", 0)

    def examine(self, bits: Sequence[tuple[Expr, bool]]) -> None:
        """The function that only judges a state."""
        body = Body(self.layout, "state", "bits")
        body.load_words()
        self.judge(body, bits)
        self.lines += ["define i64 @examine(i64 %state.at, i64 %bits.at) nounwind {", "entry:", *body.lines]
        self.lines += ["  ret i64 0", "}"]


# -- the functions that choose one packed state out of all its renamings: the one with the least words -----------------


def _least_function(layout: Layout) -> list[str]:
    """`least(row)` replaces the state at the beginning of a row by the least of its images."""
    body = _Images(layout)
    best = body.own
    for renaming in layout.renamings:
        image = body.image(renaming)
        less = body.less(image, best)
        best = [body.let(f"select i1 {less}, i64 {a}, i64 {b}") for a, b in zip(image, best, strict=True)]
    for word, value in enumerate(best):
        body.store(value, "%state", word)
    return ["define internal void @least(ptr %state) noinline nounwind {", "entry:", *body.lines, "  ret void", "}"]


def _orbit_function(layout: Layout) -> list[str]:
    """`orbit(state)` counts the different images of a state, itself among them."""
    body = _Images(layout)
    unmoved = "1"
    for renaming in layout.renamings:
        words = zip(body.image(renaming), body.own, strict=True)
        same = body.join("and", [body.let(f"icmp eq i64 {x}, {y}") for x, y in words])
        unmoved = body.let(f"add i64 {unmoved}, {body.let(f'zext i1 {same} to i64')}")
    count = body.let(f"udiv i64 {len(layout.renamings) + 1}, {unmoved}")
    head = "define internal i64 @orbit(ptr %state) noinline nounwind {"
    return [head, "entry:", *body.lines, f"  ret i64 {count}", "}"]


class _Images(Body):
    """Images of the state at %state."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.load_words()
        self.own = [f"%word{word}" for word in range(layout.words)]

    def image(self, renaming: Renaming) -> list[str]:
        """The words of the image. Fields that move alike move together."""
        masks: dict[tuple[int, int, int], int] = {}
        words = ["0"] * self.layout.words
        for path, field in self.layout.fields.items():
            to = self.layout.fields[renaming.paths.get(path, path)]
            if path in renaming.values:
                renamed = self.rename(field, renaming.values[path])
                words[to.word] = self.either(words[to.word], self.shift(renamed, to.shift))
            elif field.bits:
                move = field.word, to.word, to.shift - field.shift
                masks[move] = masks.get(move, 0) | field.mask
        for (source, target, by), mask in masks.items():
            value = self.let(f"and i64 {self.own[source]}, {mask}")
            if by:
                value = self.let(f"shl i64 {value}, {by}" if by > 0 else f"lshr i64 {value}, {-by}")
            words[target] = self.either(words[target], value)
        return words

    def rename(self, field: Field, values: Sequence[int]) -> str:
        """What the image has in the place of a variable whose values are renamed, less the least value."""
        low, high = field.variable.low, field.variable.high
        image = value = self.distance(field)
        for old, new in enumerate(values):
            if new != old and low <= old <= high:
                same = self.let(f"icmp eq i64 {value}, {old - low}")
                image = self.let(f"select i1 {same}, i64 {new - low}, i64 {image}")
        return image

    def less(self, a: Sequence[str], b: Sequence[str]) -> str:
        """Is one state less than the other? The first word that differs decides."""
        out = "false"
        for x, y in zip(reversed(a), reversed(b), strict=True):
            less, equal = self.let(f"icmp ult i64 {x}, {y}"), self.let(f"icmp eq i64 {x}, {y}")
            out = self.let(f"select i1 {equal}, i1 {out}, i1 {less}")
        return out
