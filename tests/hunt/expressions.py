"""Expressions of the model language at random: of a wanted type, with calls that change the state anywhere in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol

from tests.hunt.declarations import (
    BOOL,
    INT,
    LARGE,
    MAYBE,
    Array,
    Bool,
    Declarations,
    Domain,
    Enumeration,
    Int,
    Number,
    Optional,
    Path,
    Record,
    Type,
    paths,
)


@dataclass(frozen=True)
class Fresh:
    """A record that was made or copied, and is stored nowhere yet."""

    record: Record


MADE = "made"
"""How the names of locals begin that hold a record which is in no field: such a record has this name only."""
Returned = Type | Fresh | tuple[Type, ...] | None


@dataclass(eq=False)
class Function:
    """A method or function that later ones may call."""

    name: str
    owner: Record | None
    parameters: Sequence[tuple[str, Type, str]]
    """Name, type, and the text of the default or nothing."""
    returns: Returned
    changes: bool
    """Does it change the state?"""
    weight: int = 1
    """About how many statements a call stands for."""


class Intruder(Protocol):
    """Puts something into a program that does not belong there; see intruders.py."""

    def expression(self, wanted: str, inner: Expressions) -> str | None: ...
    def statement(self, inner: Expressions) -> list[str]: ...


@dataclass
class World:
    """What is common to all methods of a program."""

    chance: Random
    declared: Declarations
    careless: float
    """How often indices and numbers are not held within their ranges."""
    large: bool
    functions: list[Function] = field(default_factory=list)
    constants: dict[str, Type] = field(default_factory=dict)
    """Global names."""
    intruder: Intruder | None = None

    def happens(self, probability: float) -> bool:
        return self.chance.random() < probability


@dataclass
class Names:
    """What a place in a method can see."""

    known: dict[str, Type]
    loops: dict[str, int] = field(default_factory=dict)
    """Loop variables, with the number that they stay below."""
    numbers: set[str] = field(default_factory=set)
    """What could be NIL by its type and is a number here."""
    may_change: bool = True
    """May expressions change the state here?"""
    allowance: list[int] = field(default_factory=lambda: [60])
    """How many statements the method may still stand for: one number, the same for all its blocks."""
    factor: int = 1
    """How often the loops around run."""

    def inner(self, factor: int = 1) -> Names:
        names = replace(self, known=dict(self.known), loops=dict(self.loops), numbers=set(self.numbers))
        return replace(names, factor=self.factor * factor)


class Expressions:
    def __init__(self, world: World, names: Names) -> None:
        self.world, self.chance, self.names = world, world.chance, names

    # -- places ------------------------------------------------------------------------------------------------------
    def _paths(self, wanted: Type, made: bool) -> Iterator[tuple[str, Path]]:
        for name, known in self.names.known.items():
            if isinstance(known, Record | Array) and (made or not name.startswith(MADE)):
                yield from ((name, p) for p in paths(known) if p.type == wanted)

    def place(self, wanted: Type, depth: int, to_write: bool = False, made: bool = True) -> str | None:
        """A field, an element or an alias of this very type."""
        found = [(n, p) for n, p in self._paths(wanted, made) if not (to_write and (p.constant or not p.text))]
        if not found:
            return None
        name, path = self.chance.choice(found)
        return name + path.text.format(*(self.index(length, depth - 1) for length in path.lengths))

    def index(self, length: int, depth: int) -> str:
        inside = [str(i) for i in range(length)]
        inside += [name for name, below in self.names.loops.items() if below <= length]
        for name, known in self.names.known.items():
            if (
                isinstance(known, Number)
                and {*known.domain.numbers} <= {*range(length)}
                and self._is_number(name, known)
            ):
                inside += [name, name]
        if depth <= 0 or self.world.happens(0.6):
            return self.chance.choice(inside)
        if self.world.happens(self.world.careless):
            return self.place(Number(self.chance.choice(self.world.declared.domains)), depth - 1) or "0"
        if self.world.happens(0.4):
            return f"{self.chance.randint(0, 1)} if {self.boolean(depth)} else 0" if length > 1 else "0"
        return f"min(max({self.number(depth)}, 0), {length - 1})"

    # -- values ------------------------------------------------------------------------------------------------------
    def value(self, wanted: Type, depth: int = 3) -> str:
        match wanted:
            case Bool():
                return self.boolean(depth)
            case Enumeration():
                return self.member(wanted, depth)
            case Number(domain):
                return self.fitting(domain, depth)
            case Record():
                return self.record(wanted, depth) or self.fresh(wanted, depth) or ""
            case Optional():
                return self.maybe(depth)
        return self.number(depth)

    def fitting(self, domain: Domain, depth: int) -> str:
        """A number for a field of the domain."""
        other = self.chance.choice([d for d in self.world.declared.domains if domain.has(d)])
        same = self.place(Number(other), depth)
        if same and self.world.happens(0.25):
            return same
        parameters = [n for n, t in self.names.known.items() if isinstance(t, Number) and domain.has(t.domain)]
        if parameters and self.world.happens(0.4):
            return self.chance.choice(parameters)
        if self.world.happens(0.2):
            return self.world.declared.literal(Number(domain))
        if self.world.happens(self.world.careless):
            return self.maybe(depth)
        shape = self.chance.choice(("min(max({}, {}), {})", "max(min({0}, {2}), {1})"))
        if domain.optional and (found := self._optional()) and self.world.happens(0.4):
            return f"({found} if {found} == NIL else {shape.format(found, domain.numbers[0], domain.numbers[-1])})"
        text = shape.format(self.number(depth), domain.numbers[0], domain.numbers[-1])
        if domain.optional and self.world.happens(0.3):
            return f"({text} if {self.boolean(depth - 1)} else NIL)"
        return text

    def maybe(self, depth: int) -> str:
        """A number or NIL."""
        roll = self.chance.random()
        if depth > 0 and roll < 0.15 and (called := self.call(MAYBE, depth - 1)):
            return called
        if depth > 0 and roll < 0.35:
            return f"({self.maybe(depth - 1)} if {self.boolean(depth - 1)} else {self.maybe(depth - 1)})"
        if roll < 0.75 and (found := self._optional(depth)):
            return found
        return "NIL" if roll < 0.87 else self.number(depth - 1)

    def _optional(self, depth: int = 0) -> str | None:
        """A name or a field that can be NIL."""
        names = [n for n, t in self.names.known.items() if self._can_be_nil(t)]
        domains = [d for d in self.world.declared.domains if d.optional]
        if names and self.world.happens(0.4):
            return self.chance.choice(names)
        return self.place(Number(self.chance.choice(domains)), depth) if domains else None

    def _can_be_nil(self, kind: Type) -> bool:
        return isinstance(kind, Optional) or (isinstance(kind, Number) and kind.domain.optional)

    def _is_number(self, name: str, kind: Type) -> bool:
        return isinstance(kind, Int | Number | Optional) and (not self._can_be_nil(kind) or name in self.names.numbers)

    def _guarded(self, depth: int) -> str | None:
        """A condition on what can be NIL, which asks for that first."""
        found = self._optional(self.chance.choice((0, 0, depth)))
        if found is None:
            return None
        roll, word = self.chance.randrange(8), self.chance.choice(("<", "<=", ">", ">=", "==", "!="))
        if roll < 2:
            return f"{found} {self.chance.choice(('==', '!='))} {self.chance.choice(('NIL', self.maybe(depth)))}"
        if roll < 3:
            item = self.chance.choice((found, self.maybe(depth)))
            isin = self.chance.choice(("in", "not in"))
            return f"{item} {isin} ({self.maybe(depth)}, {self.chance.choice(('NIL', self.number(depth)))})"
        if roll < 5:
            return f"{found} != NIL and {found} {word} {self.number(depth)}"
        if roll < 6:
            return f"{found} == NIL or {self.number(depth)} {word} {found}"
        if roll < 7:
            return f"{found} {word} {self.number(depth)} if {found} != NIL else {self.boolean(depth)}"
        return f"not {found} == NIL and {found} + {self.number(depth)} {word} {found}"

    def number(self, depth: int) -> str:
        if self.world.intruder and (foreign := self.world.intruder.expression("number", self)):
            return foreign
        if depth <= 0 or self.world.happens(0.2):
            return self._simple_number(depth)
        roll = self.chance.randrange(11)
        if roll == 10:
            found = self._optional()
            return f"({found} if {found} != NIL else {self.number(depth - 1)})" if found else "0"
        if roll < 3:
            return f"{self.number(depth - 1)} {self.chance.choice('+-')} {self._operand(depth - 1)}"
        if roll < 4:
            return f"{self.chance.choice(('min', 'max'))}({self.number(depth - 1)}, {self.number(depth - 1)})"
        if roll < 5:
            return f"-{self._operand(depth - 1)}"
        if roll < 6:
            return f"({self.number(depth - 1)} if {self.boolean(depth - 1)} else {self.number(depth - 1)})"
        return self.call(INT, depth - 1) or self._simple_number(depth)

    def _operand(self, depth: int) -> str:
        return f"({self.number(depth)})"

    def _simple_number(self, depth: int) -> str:
        roll = self.chance.random()
        names = [n for n, t in self.names.known.items() if self._is_number(n, t)]
        names += [n for n in self.names.numbers if n not in self.names.known]
        names += [n for n, t in self.world.constants.items() if isinstance(t, Int) and n not in self.names.known]
        if names and roll < 0.4:
            return self.chance.choice(names)
        careless = self.world.happens(self.world.careless)
        domains = [d for d in self.world.declared.domains if careless or not d.optional]
        found = self.place(Number(self.chance.choice(domains)), depth) if domains else None
        if found and roll < 0.8:
            return found
        if roll > 0.97 and (array := self._array()):
            return f"len({array})"
        if self.world.large and roll > 0.9:
            return str(self.chance.choice(LARGE))
        return self.chance.choice(("0", "1", "2", "3", "NIL" if careless else "-1"))

    def _array(self) -> str | None:
        found = [n + p.text for n, t in self.names.known.items() if isinstance(t, Record) for p in paths(t)
                 if isinstance(p.type, Array) and not p.lengths]  # fmt: skip
        return self.chance.choice(found) if found else None

    def boolean(self, depth: int) -> str:
        if self.world.intruder and (foreign := self.world.intruder.expression("bool", self)):
            return foreign
        if depth <= 0:
            return self._simple_boolean(depth)
        roll = self.chance.randrange(14)
        if roll > 11:
            found = self._guarded(depth - 1)
            return f"({found})" if found else self._simple_boolean(depth)
        if roll < 3:
            word = self.chance.choice((" and ", " or "))
            return "(" + word.join(self.boolean(depth - 1) for _ in range(self.chance.choice((2, 2, 3)))) + ")"
        if roll < 4:
            return f"(not {self.boolean(depth - 1)})"
        if roll < 7:
            return f"({self._comparison(depth - 1)})"
        if roll < 8:
            return f"({self.boolean(depth - 1)} if {self.boolean(depth - 1)} else {self.boolean(depth - 1)})"
        if roll < 10:
            return self.call(BOOL, depth - 1) or self._simple_boolean(depth)
        return self._simple_boolean(depth)

    def _comparison(self, depth: int) -> str:
        roll = self.chance.randrange(8)
        if roll < 3:
            kind = self.chance.choice(self.world.declared.enumerations)
            if roll == 0:
                word = self.chance.choice(("in", "not in"))
                return f"{self.member(kind, depth)} {word} ({self.member(kind, depth)}, {self.member(kind, depth)})"
            return f"{self.member(kind, depth)} {self.chance.choice(('==', '!='))} {self.member(kind, depth)}"
        if roll < 4:
            return f"{self.number(depth)} in ({self.number(depth)}, {self.number(depth)})"
        operators = self.chance.choices(("<", "<=", ">", ">=", "==", "!="), k=self.chance.choice((1, 1, 2, 3)))
        return self.number(depth) + "".join(f" {op} {self.number(depth)}" for op in operators)

    def _simple_boolean(self, depth: int) -> str:
        names = [n for n, t in self.names.known.items() if isinstance(t, Bool)]
        if names and self.world.happens(0.4):
            return self.chance.choice(names)
        if (found := self.place(BOOL, depth)) and self.world.happens(0.8):
            return found
        return self.chance.choice(("True", "False")) if depth <= 0 else f"({self._comparison(depth - 1)})"

    def member(self, kind: Enumeration, depth: int) -> str:
        names = [n for n, t in self.names.known.items() if t == kind]
        roll = self.chance.random()
        if names and roll < 0.3:
            return self.chance.choice(names)
        if depth > 0 and roll < 0.45 and (called := self.call(kind, depth - 1)):
            return called
        if depth > 0 and roll < 0.5:
            return f"({self.member(kind, depth - 1)} if {self.boolean(depth - 1)} else {self.member(kind, depth - 1)})"
        if roll < 0.8 and (found := self.place(kind, depth)):
            return found
        return f"{kind.text}.{self.chance.choice(kind.members)}"

    # -- records -----------------------------------------------------------------------------------------------------
    def record(self, wanted: Record, depth: int, made: bool = True) -> str | None:
        """A record by one of its names; one that is in the state, or also one that was `made`."""
        if depth > 0 and self.world.happens(0.15) and (called := self.call(wanted, depth - 1)):
            return called
        first, other = (self.place(wanted, depth, made=False) for _ in range(2))
        if first and depth > 0 and self.world.happens(0.15):
            return f"({first} if {self.boolean(depth - 1)} else {other})"
        return self.place(wanted, depth, made=made)

    def fresh(self, wanted: Record, depth: int) -> str | None:
        """A record that is made on the spot."""
        if self.world.happens(0.3) and (called := self.call(Fresh(wanted), depth - 1)):
            return called
        if not wanted.has_arrays and self.world.happens(0.6):
            given = []
            for name in self.chance.sample(list(wanted.fields), len(wanted.fields)):
                kind = wanted.fields[name]
                if name in wanted.defaults and self.world.happens(0.4):
                    continue
                text = self.fresh(kind, depth - 1) if isinstance(kind, Record) else self.value(kind, depth - 1)
                given.append(f"{name}={text}")
            return f"{wanted.text}({', '.join(given)})" if "=None" not in str(given) else None
        found = self.record(wanted, depth)
        return f"copy({found})" if found else None

    # -- calls -------------------------------------------------------------------------------------------------------
    def call(self, wanted: Returned, depth: int) -> str | None:
        """A call of something that returns this, with its arguments in one of the ways to pass them."""
        found = [f for f in self.world.functions if f.returns == wanted and self._may_call(f)]
        for function in self.chance.sample(found, min(2, len(found))):
            before = self.names.allowance[0]
            self.names.allowance[0] -= function.weight * self.names.factor
            text = self._call(function, depth)
            if text is not None:
                return text
            self.names.allowance[0] = before
        return None

    def _may_call(self, function: Function) -> bool:
        if function.changes and not self.names.may_change:
            return False
        return function.weight * self.names.factor <= self.names.allowance[0] and function.name not in self.names.known

    def _call(self, function: Function, depth: int) -> str | None:
        receiver = ""
        if function.owner is not None:
            found = self.record(function.owner, depth)
            if found is None:
                return None
            receiver = found + "."
        given, by_name = list[str](), list[str]()
        for name, kind, default in function.parameters:
            if default and self.world.happens(0.4):
                by_name += [""]  # What comes after has to be passed by name.
                continue
            text = self.value(kind, depth)
            if not text:
                return None
            if by_name or self.world.happens(0.25):
                by_name.append(f"{name}={text}")
            else:
                given.append(text)
        self.chance.shuffle(by_name)
        return f"{receiver}{function.name}({', '.join([*given, *filter(None, by_name)])})"
