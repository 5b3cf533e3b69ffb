"""The functions that choose one packed state out of all its renamings: the one with the least words."""

from __future__ import annotations

from collections.abc import Sequence

from podproof.checker.engines.compiled.body import Body
from podproof.checker.engines.compiled.layout import Field, Layout
from podproof.checker.reductions.renaming import Renaming


def least_function(layout: Layout) -> list[str]:
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


def orbit_function(layout: Layout) -> list[str]:
    """`orbit(state)` counts the different images of a state, itself among them."""
    body = _Images(layout)
    unmoved = "1"
    for renaming in layout.renamings:
        same = body.same(body.image(renaming), body.own)
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
                renamed = self.renamed(field, renaming.values[path])
                words[to.word] = self.either(words[to.word], self.shifted(renamed, to.shift))
            elif field.bits:
                move = field.word, to.word, to.shift - field.shift
                masks[move] = masks.get(move, 0) | field.mask
        for (source, target, by), mask in masks.items():
            value = self.let(f"and i64 {self.own[source]}, {mask}")
            if by:
                value = self.let(f"shl i64 {value}, {by}" if by > 0 else f"lshr i64 {value}, {-by}")
            words[target] = self.either(words[target], value)
        return words

    def renamed(self, field: Field, values: Sequence[int]) -> str:
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

    def same(self, a: Sequence[str], b: Sequence[str]) -> str:
        out = "true"
        for x, y in zip(a, b, strict=True):
            equal = self.let(f"icmp eq i64 {x}, {y}")
            out = self.let(f"and i1 {out}, {equal}")
        return out
