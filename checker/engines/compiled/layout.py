"""Where each stored variable lies in the packed words of a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.arrays import Int64s, Objects
from podproof.checker.core.system import CheckerError, State, System, TooWide, Variable
from podproof.checker.reductions.symmetry import Renaming, renamings_of

WORD_BITS = 63
"""Words are int64 and the sign stays clear, so that a packed word is also a plain non-negative number."""


@dataclass(frozen=True)
class Field:
    """One variable's place: `value - low`, in `bits` bits from `shift` upwards in word `word`.

    A variable with one possible value has no bits.
    """

    variable: Variable
    position: int
    """Where the variable stands in a State."""
    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        return ((1 << self.bits) - 1) << self.shift

    def distances(self, rows: Int64s) -> Int64s:
        """How far above its least value the variable is, one a row, in rows that begin with the words of states."""
        return (rows[:, self.word] & self.mask) >> self.shift

    def values(self, rows: Int64s) -> Int64s | Objects:
        """What the variable is, one a row, in such rows; Python's own integers where int64 may not suffice."""
        low, high = self.variable.low, self.variable.high
        fits = low >= -(1 << 63) and high < 1 << 63
        return (self.distances(rows) if fits else self.distances(rows).astype(object)) + low


@dataclass(frozen=True)
class Layout:
    """The packing of a system's stored variables. No field straddles two words."""

    fields: Mapping[str, Field]
    words: int
    size: int
    """How many variables a whole State has."""
    renamings: tuple[Renaming, ...] = ()
    """States that are images of each other under these count as one. Stored is the one with the least words."""

    def pack(self, state: State) -> tuple[int, ...]:
        """The words of a state; raises CheckerError where a value does not fit its variable's range."""
        words = [0] * self.words
        for field in self.fields.values():
            value, variable = state[field.position], field.variable
            if not variable.low <= value <= variable.high:
                raise CheckerError(
                    f"{variable.path} starts as {value!r}, outside its range {variable.low}..{variable.high}; "
                    "widen the domain or change the initial state"
                )
            words[field.word] |= (value - variable.low) << field.shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> dict[str, int]:
        """The stored variables of a state, by path."""
        return {path: ((int(words[f.word]) & f.mask) >> f.shift) + f.variable.low for path, f in self.fields.items()}


def lay_out(system: System, keep: Iterable[str] | None) -> Layout:
    """Place the kept variables (all when None) in the first word that has room.

    Variables whose places renamings exchange lie in blocks of one shape, so that a block moves as a whole.
    """
    renamings = renamings_of(system)
    kept = {v.path for v in system.variables} if keep is None else set(keep)
    kept |= {renaming.paths.get(path, path) for renaming in renamings for path in kept}
    stored = {v.path: v for v in system.variables if v.path in kept}
    positions, sizes = system.positions, {path: _bits(variable) for path, variable in stored.items()}
    fields: dict[str, Field] = {}
    room: list[int] = [WORD_BITS]
    for block in _blocks(stored, sizes, renamings):
        for column in block:
            bits = sum(sizes[path] for path in column)
            word = next((i for i, left in enumerate(room) if left >= bits), len(room))
            if word == len(room):
                room.append(WORD_BITS)
            for path in column:
                fields[path] = Field(stored[path], positions[path], word, WORD_BITS - room[word], sizes[path])
                room[word] -= sizes[path]
    return Layout({path: fields[path] for path in stored}, len(room), len(system.variables), renamings)


def _bits(variable: Variable) -> int:
    bits = (variable.high - variable.low).bit_length()
    if bits > WORD_BITS:
        raise TooWide(
            f"{variable.path} may be anything from {variable.low} to {variable.high}, which takes {bits} bits, and the "
            f"compiled engine stores at most {WORD_BITS}; narrow its domain, or `podproof check --engine python`"
        )
    return bits


Columns = list[list[str]]
"""Columns of variables that renamings exchange as wholes; a variable that stays is a block by itself."""


def _blocks(stored: Iterable[str], sizes: Mapping[str, int], renamings: Sequence[Renaming]) -> Iterable[Columns]:
    """Every stored variable in one block: those that are exchanged in the same way share one, up to a word's bits."""
    open_blocks: dict[tuple[tuple[int, ...], ...], Columns] = {}
    blocks: list[Columns] = []
    seen: set[str] = set()
    for path in stored:
        if path in seen:
            continue
        orbit = list(dict.fromkeys([path, *(r.paths.get(path, path) for r in renamings)]))
        seen.update(orbit)
        moves = tuple(tuple(orbit.index(r.paths.get(p, p)) for p in orbit) for r in renamings)
        block = open_blocks.get(moves) if len(orbit) > 1 else None
        if block is None or sum(sizes[p] for p in block[0]) + sizes[path] > WORD_BITS:
            block = [[] for _ in orbit]
            open_blocks[moves] = block
            blocks.append(block)
        for column, member in zip(block, orbit, strict=True):
            column.append(member)
    return blocks
