"""The state of a program made at random: domains, enumerations, records in records and in arrays, arrays of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

NUMBER_NAMES = ("amount", "weight", "level", "budget", "mark", "pace")
FIELD_NAMES = ("alpha", "beta", "gamma", "delta", "kappa", "omega", "sigma", "theta", "zeta", "iota", "rho", "tau")
SIZES = {"two": 2, "three": 3, "one": 1}
LARGE = (2**31 - 1, 2**31, -(2**31), 2**32, 2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 2**90)
OPTIONAL = ((-5, 0, 3), (2, 4), (0, 1), (-1, 1), (-2, -1), (1, 2, 3))
"""Numbers of optional domains; what stands for nil in a state differs between them."""


@dataclass(frozen=True)
class Domain:
    """Some numbers by name, which need not be an interval, and perhaps NIL."""

    name: str
    numbers: tuple[int, ...]
    default: str
    optional: bool = False

    @property
    def text(self) -> str:
        if self.optional:
            return f"Values((NIL, {', '.join(map(str, self.numbers))}), {{NIL: 'nil'}})"
        return f"Values({self.numbers})"

    def has(self, other: Domain) -> bool:
        """Does a field of this domain have room for whatever the other's may be?"""
        is_within = self.numbers[0] <= other.numbers[0] and other.numbers[-1] <= self.numbers[-1]
        return is_within and self.optional >= other.optional


@dataclass(frozen=True)
class Bool:
    text: str = "bool"


@dataclass(frozen=True)
class Int:
    """A number of a method, of no domain."""

    text: str = "int"


@dataclass(frozen=True)
class Optional:
    """What a method knows as a number or NIL, of no domain."""

    text: str = "int"


@dataclass(frozen=True)
class Number:
    domain: Domain

    @property
    def text(self) -> str:
        return self.domain.name.capitalize()


@dataclass(frozen=True)
class Enumeration:
    text: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class Array:
    element: Type
    size: str

    @property
    def text(self) -> str:
        return f'Annotated[Array[{self.element.text}], Size("{self.size}")]'

    @property
    def length(self) -> int:
        return SIZES[self.size]


@dataclass(frozen=True, eq=False)
class Record:
    text: str
    fields: dict[str, Type]
    constants: frozenset[str] = frozenset()
    defaults: dict[str, str] = field(default_factory=dict)

    @property
    def has_arrays(self) -> bool:
        return any(isinstance(t, Array) or (isinstance(t, Record) and t.has_arrays) for t in self.fields.values())


Type = Bool | Int | Optional | Number | Enumeration | Array | Record
BOOL, INT, MAYBE = Bool(), Int(), Optional()


@dataclass(frozen=True)
class Path:
    """How a field below a record is reached: `.a.b[{}]`, with a hole for each index."""

    text: str
    lengths: tuple[int, ...]
    type: Type
    constant: bool


def paths(of: Type, text: str = "", lengths: tuple[int, ...] = (), constant: bool = False) -> Iterator[Path]:
    """Everything below a value, the value itself first."""
    yield Path(text, lengths, of, constant)
    match of:
        case Record():
            for name, inner in of.fields.items():
                yield from paths(inner, f"{text}.{name}", lengths, constant or name in of.constants)
        case Array():
            yield from paths(of.element, text + "[{}]", (*lengths, of.length), constant)


def leaves(of: Type) -> int:
    match of:
        case Record():
            return sum(map(leaves, of.fields.values()))
        case Array():
            return of.length * leaves(of.element)
    return 1


class Declarations:
    """The domains, enumerations and records of one program; the last record is the model."""

    def __init__(self, chance: Random, large: bool) -> None:
        self.chance = chance
        self.domains = [self._domain(name, large) for name in chance.sample(NUMBER_NAMES, chance.randint(2, 3))]
        self.enumerations = [
            Enumeration(name, tuple(chance.sample(("RED", "GREEN", "BLUE", "GREY"), chance.randint(2, 3))))
            for name in chance.sample(("Phase", "Kind"), chance.randint(1, 2))
        ]
        self.records: list[Record] = []
        for name in chance.sample(("Options", "Update", "Slot"), chance.randint(1, 3)):
            self.records.append(self._record(name, chance.randint(1, 3), 4))
        self.model = self._record("Model", chance.randint(3, 6), 10, constants=True)

    def _domain(self, name: str, large: bool) -> Domain:
        chance = self.chance
        if large and chance.random() < 0.5:
            base = chance.choice(LARGE)
            numbers = sorted({base, base - 1, base - chance.randint(2, 5)})
        elif chance.random() < 0.45:
            numbers = list(chance.choice(OPTIONAL))
            default = chance.choice(("NIL", "NIL", str(chance.choice(numbers))))
            return Domain(name, tuple(numbers), default, optional=True)
        else:
            numbers = sorted(chance.sample(range(-1 if chance.random() < 0.2 else 0, 5), chance.randint(2, 3)))
        return Domain(name, tuple(numbers), str(chance.choice(numbers)), large and chance.random() < 0.2)

    def scalar(self) -> Type:
        numbers = [Number(domain) for domain in self.domains]
        return self.chance.choice([BOOL, BOOL, *numbers, *numbers, *self.enumerations])

    def _field(self, room: int) -> Type:
        chance, roll = self.chance, self.chance.random()
        found = self.scalar()
        if roll < 0.3 and self.records:
            found = chance.choice(self.records)
        if roll < 0.12 or roll > 0.75:
            found = Array(found, chance.choice(list(SIZES)[:2] if chance.random() < 0.9 else ["one"]))
            if roll > 0.93:
                found = Array(found, "two")
        return found if leaves(found) <= room else self.scalar()

    def _record(self, name: str, count: int, room: int, constants: bool = False) -> Record:
        chance, fields = self.chance, dict[str, Type]()
        for field_name in chance.sample(FIELD_NAMES, count):
            fields[field_name] = self._field(max(1, room - sum(map(leaves, fields.values()))))
        constant = frozenset(
            n for n, t in fields.items() if constants and not isinstance(t, Array | Record) and chance.random() < 0.1
        )
        defaults = {
            n: self.literal(t) for n, t in fields.items() if not isinstance(t, Array | Record) and chance.random() < 0.6
        }
        for n, t in fields.items():
            if isinstance(t, Record) and not t.has_arrays and not set(t.fields) - set(t.defaults):
                defaults[n] = f"field(default_factory={t.text})"
        return Record(name, fields, constant, defaults)

    def literal(self, of: Type) -> str:
        """A value of a scalar."""
        match of:
            case Number(domain):
                return self.chance.choice([*map(str, domain.numbers), *(["NIL", "NIL"] if domain.optional else [])])
            case Enumeration(text, members):
                return f"{text}.{self.chance.choice(members)}"
            case Bool():
                return self.chance.choice(("True", "False"))
        return str(self.chance.randint(0, 3))

    @property
    def text(self) -> str:
        """Everything before the model's own class."""
        out = []
        for domain in self.domains:
            out.append(
                f'{domain.name.capitalize()} = Annotated[int, Domain("{domain.name}", default={domain.default})]'
            )
        sizes = ", ".join(f'"{name}": {n}' for name, n in SIZES.items())
        domains = ", ".join(f'"{d.name}": {d.text}' for d in self.domains)
        out.append(f"SIZES = {{{sizes}}}\nDOMAINS = {{{domains}}}\n\n")
        for e in self.enumerations:
            out.append(f"class {e.text}(Enum):\n" + "".join(f'    {m} = "{m.lower()}"\n' for m in e.members) + "\n")
        return "\n".join(out)

    def fields_text(self, record: Record) -> list[str]:
        """The declarations in a class, those with defaults last."""
        lines = []
        for name in sorted(record.fields, key=lambda name: name in record.defaults):
            annotation = record.fields[name].text
            if name in record.constants:
                annotation = f"Annotated[{annotation}, CONSTANT]"
            default = f" = {record.defaults[name]}" if name in record.defaults else ""
            lines.append(f"{name}: {annotation}{default}")
        return lines
