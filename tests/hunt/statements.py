"""Bodies of methods at random: every statement of the model language."""

from __future__ import annotations

import itertools

from tests.hunt.declarations import BOOL, INT, MAYBE, Array, Bool, Enumeration, Int, Number, Optional, Record, Type
from tests.hunt.expressions import MADE, Expressions, Fresh, Names, Returned, World

LINES = ("went this way", "went that way", "was here before")
BOUNDS = ("far enough", "too much")
TAB = "    "


def indented(lines: list[str]) -> list[str]:
    return [TAB + line for line in lines]


class Body:
    """The statements of one method, which gives back `returns`."""

    def __init__(self, world: World, names: Names, returns: Returned, depth: int = 0) -> None:
        self.world, self.chance, self.names, self.returns, self.depth = world, world.chance, names, returns, depth
        self.expressions = Expressions(world, names)

    def lines(self, count: int) -> list[str]:
        """So many statements, and what each of them needs."""
        out: list[str] = []
        for _ in range(count):
            if self.names.allowance[0] <= 0:
                break
            if self.world.intruder and (foreign := self.world.intruder.statement(self.expressions)):
                out += foreign
            self.names.allowance[0] -= self.names.factor
            out += self.statement()
            if self.names.may_change:
                self.names.numbers = {name for name in self.names.numbers if name in self.names.known}
        return out

    def statement(self) -> list[str]:
        changing = [self.assign, self.assign, self.add, self.unpack, self.store_record, self.clear, self.cut]
        any_time = [
            self.set_local,
            self.set_local,
            self.branch,
            self.branch,
            self.loop,
            self.call,
            self.say,
            self.alias,
        ]
        any_time += [self.hold, self.leave, self.set_two, self.make_local, self.guard, self.guard]
        for _ in range(8):
            chosen = self.chance.choice(any_time + (changing if self.names.may_change else []))
            if found := chosen():
                return found
        return ["pass"]

    # -- assignments -------------------------------------------------------------------------------------------------
    def target(self, to_write: bool = True) -> tuple[str, Type] | None:
        kinds: list[Type] = [BOOL, *map(Number, self.world.declared.domains), *self.world.declared.enumerations]
        kind = self.chance.choice(kinds)
        found = self.expressions.place(kind, 2, to_write)
        return (found, kind) if (found and "." in found) or (found and "[" in found) else None

    def assign(self) -> list[str]:
        found = self.target()
        return [f"{found[0]} = {self.expressions.value(found[1])}"] if found else []

    def add(self) -> list[str]:
        """`+=` and `-=`, also of a local; the target may have indices that call something."""
        numbers = [n for n, t in self.names.known.items() if isinstance(t, Int) and n not in self.names.loops]
        sign = self.chance.choice(("+=", "-="))
        if numbers and self.world.happens(0.3):
            return [f"{self.chance.choice(numbers)} {sign} {self.expressions.number(2)}"]
        domain = self.chance.choice(self.world.declared.domains)
        place = self.expressions.place(Number(domain), 2 if self.world.happens(0.03) else 0, to_write=True)
        if not place or not (set(".[") & set(place)):
            return []
        low, high = domain.numbers[0], domain.numbers[-1]
        if self.world.happens(self.world.careless):
            return [f"{place} {sign} {self.expressions.number(2)}"]
        step = f"{place} {sign} {self.expressions.fitting(domain, 2)}"
        held = [f"if {place} > {high}:", f"{TAB}{place} = {high}", f"if {place} < {low}:", f"{TAB}{place} = {low}"]
        return [f"if {place} != NIL:", *indented([step, *held])] if domain.optional else [step, *held]

    def set_local(self) -> list[str]:
        kind: Type = self.chance.choice((INT, INT, MAYBE, BOOL, self.chance.choice(self.world.declared.enumerations)))
        same = [n for n, t in self.names.known.items() if t == kind and n not in self.names.loops]
        value = self.expressions.value(kind)
        name = self.chance.choice(same) if same and self.world.happens(0.5) else self.new_name(kind)
        typed = f": {kind.text}" if name not in self.names.known and self.world.happens(0.1) else ""
        self.names.known[name] = kind
        self.names.numbers.discard(name)
        return [f"{name}{typed} = {value}"]

    def new_name(self, kind: Type, article: str = "a") -> str:
        """A local's name that says its type, so that a name means the same on all branches."""
        noun = {Number: "number", Optional: "optional"}.get(type(kind), kind.text.lower())
        return next(name for n in itertools.count() if (name := f"{article}_{noun}_{n}") not in self.names.known)

    def set_two(self) -> list[str]:
        """Two at once, evaluated before either is set."""
        numbers = [n for n, t in self.names.known.items() if isinstance(t, Int) and n not in self.names.loops]
        first = self.chance.choice(numbers) if numbers else self.new_name(INT)
        value = self.expressions.number(2)
        found = self.target() if self.names.may_change else None
        if found is None:
            return []
        text = f"{first}, {found[0]} = {value}, {self.expressions.value(found[1], 2)}"
        self.names.known[first] = INT
        return [text]

    def unpack(self) -> list[str]:
        """What a method returns as a tuple."""
        functions = [f for f in self.world.functions if isinstance(f.returns, tuple)]
        if not functions:
            return []
        kinds = self.chance.choice(functions).returns
        assert isinstance(kinds, tuple)
        text = self.expressions.call(kinds, 2)
        if text is None:
            return []
        targets: list[str] = []
        for kind in kinds:
            place = self.expressions.place(kind, 1, to_write=True) if not isinstance(kind, Int) else None
            if place is None or self.world.happens(0.5) or "." not in place:
                place = self.new_name(kind)
                self.names.known[place] = kind
            targets.append(place)
        return [f"{', '.join(targets)} = {text}"]

    # -- records -----------------------------------------------------------------------------------------------------
    def store_record(self) -> list[str]:
        record = self.chance.choice(self.world.declared.records)
        place = self.expressions.place(record, 2, to_write=True)
        if place is None or not (set(".[") & set(place)):
            return []
        value = self.expressions.fresh(record, 2)
        self.forget_aliases()
        return [f"{place} = {value}"] if value else []

    def forget_aliases(self) -> None:
        """A record was replaced, so that its other names are refused from here on."""
        for name in [n for n, t in self.names.known.items() if isinstance(t, Record) and n.startswith(("a_", MADE))]:
            if self.world.happens(0.95):
                del self.names.known[name]

    def alias(self) -> list[str]:
        record = self.chance.choice(self.world.declared.records)
        value = self.expressions.record(record, 2, made=False)
        name = self.new_name(record)
        if value is None:
            return []
        self.names.known[name] = record
        return [f"{name} = {value}"]

    def make_local(self) -> list[str]:
        """A record that no field has."""
        record = self.chance.choice(self.world.declared.records)
        value, name = self.expressions.fresh(record, 2), self.new_name(record, MADE)
        if value is None:
            return []
        self.names.known[name] = record
        return [f"{name} = {value}"]

    def clear(self) -> list[str]:
        found = self.expressions.record(self.chance.choice(self.world.declared.records), 2)
        return [f"clear({found})"] if found else []

    # -- control -----------------------------------------------------------------------------------------------------
    def block(self, count: int, names: Names | None = None) -> list[str]:
        """A block of its own: names that it alone sets are not known after it."""
        inner = Body(self.world, names or self.names.inner(), self.returns, self.depth + 1)
        return indented(inner.lines(count) or ["pass"])

    def branch(self) -> list[str]:
        if self.depth > 2:
            return []
        lines = [f"if {self.expressions.boolean(3)}:", *self.block(self.chance.randint(1, 2))]
        if self.world.happens(0.3):
            lines += [f"elif {self.expressions.boolean(2)}:", *self.block(1)]
        if self.world.happens(0.4):
            lines += ["else:", *self.block(self.chance.randint(1, 2))]
        return lines

    def guard(self) -> list[str]:
        """Something that can be NIL, used as a number where it is none."""
        found = self.expressions._optional()
        if found is None or self.depth > 1:
            return []
        if not isinstance(self.returns, Fresh) and self.world.happens(0.4):
            lines = [f"if {found} == NIL:", *indented([f"return {self.result()}".rstrip()])]
            self.names.numbers.add(found)
            return [*lines, *self.statement()]
        inner = self.names.inner()
        inner.numbers.add(found)
        lines = [f"if {found} != NIL:", *self.block(self.chance.randint(1, 2), inner)]
        return [*lines, "else:", *self.block(1)] if self.world.happens(0.3) else lines

    def loop(self) -> list[str]:
        if self.depth > 1:
            return []
        array = self.expressions._array()
        roll, n = self.chance.random(), self.chance.randint(1, 3)
        ranges = {f"range({n})": (n, n), "range(1, 3)": (3, 2), f"range({n}, -1, -1)": (n + 1, n + 1)}
        text, (below, times) = self.chance.choice(list(ranges.items()))
        if array and roll < 0.4:
            text, below, times = f"range(len({array}))", 3, 3
        variable = next((n for n in "ijkl" if n not in self.names.known), "m")
        inner = self.names.inner(times)
        inner.known[variable], inner.loops[variable] = INT, below
        return [f"for {variable} in {text}:", *self.block(self.chance.randint(1, 2), inner)]

    def leave(self) -> list[str]:
        """Return before the end, on some path."""
        if isinstance(self.returns, Fresh) or (self.depth == 0 and self.world.happens(0.9)):
            return []
        lines = [f"return {self.result()}".rstrip()]
        return (
            lines
            if self.world.happens(0.4) and self.depth
            else [f"if {self.expressions.boolean(2)}:", *indented(lines)]
        )

    def result(self) -> str:
        """What the method gives back, or nothing."""
        match self.returns:
            case None:
                return ""
            case Fresh(record):
                return self.expressions.fresh(record, 2) or f"copy({self.expressions.place(record, 2)})"
            case tuple():
                return ", ".join(self.expressions.value(kind, 2) for kind in self.returns)
            case Record():
                return self.expressions.place(self.returns, 2, made=False) or "None"
        return self.expressions.value(self.returns, 3)

    # -- words and calls ---------------------------------------------------------------------------------------------
    def call(self) -> list[str]:
        kinds: list[Returned] = [None, None, INT, BOOL, *(f.returns for f in self.world.functions)]
        text = self.expressions.call(self.chance.choice(kinds), 2)
        return [text] if text else []

    def say(self) -> list[str]:
        return [f'programmer_error("{self.chance.choice(LINES)}")']

    def cut(self) -> list[str]:
        if self.world.happens(0.6):
            return []
        return [f"if {self.expressions.boolean(2)}:", f'{TAB}out_of_bounds("{self.chance.choice(BOUNDS)}")']

    def hold(self) -> list[str]:
        """An assertion: one that always holds, unless the program is careless."""
        if self.world.happens(self.world.careless):
            return [f"assert {self.expressions.boolean(2)}"]
        found = self.target(to_write=False)
        match found:
            case str(place), Number(domain):
                text = f"{domain.numbers[0] - 9} <= {place} <= {domain.numbers[-1] + 9}"
                return [f"assert {place} == NIL or {text}" if domain.optional else f"assert {text}"]
            case str(place), Bool():
                return [f"assert {place} or not {place}"]
            case str(place), Enumeration(text, members):
                return [f"assert {place} in ({', '.join(f'{text}.{m}' for m in members)},)"]
        return []


__all__ = ["TAB", "Array", "Body", "indented"]
