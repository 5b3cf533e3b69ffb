"""Where each stored variable lies in the packed words of a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.system import CheckerError, State, System, Variable

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


@dataclass(frozen=True)
class Layout:
    """The packing of a system's stored variables. No field straddles two words."""

    fields: Mapping[str, Field]
    words: int
    size: int
    """How many variables a whole State has."""

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
    """Place the kept variables (all when None) in the first word that has room, in the order of the system."""
    kept = None if keep is None else frozenset(keep)
    fields: dict[str, Field] = {}
    room: list[int] = [WORD_BITS]
    for position, variable in enumerate(system.variables):
        if kept is not None and variable.path not in kept:
            continue
        bits = (variable.high - variable.low).bit_length()
        if bits > WORD_BITS:
            raise CheckerError(f"{variable.path} needs {bits} bits; a field has at most {WORD_BITS}: narrow its domain")
        word = next((i for i, left in enumerate(room) if left >= bits), len(room))
        if word == len(room):
            room.append(WORD_BITS)
        fields[variable.path] = Field(variable, position, word, WORD_BITS - room[word], bits)
        room[word] -= bits
    return Layout(fields, len(room), len(system.variables))
