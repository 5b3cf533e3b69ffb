"""A whole program of the model language at random, as the text of a file: records, methods, actions, claims."""

from __future__ import annotations

from random import Random

from tests.hunt.declarations import BOOL, INT, MAYBE, Declarations, Enumeration, Number, Record, Type, paths
from tests.hunt.expressions import Expressions, Fresh, Function, Intruder, Names, Returned, World
from tests.hunt.statements import BOUNDS, LINES, TAB, Body, indented

HEAD = """from __future__ import annotations

import functools
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from podproof.checker.core.shapes import Values
from podproof.model.language import (
    CONSTANT, NIL, Array, Domain, Size, action, clear, copy, make, out_of_bounds, programmer_error, require,
)

"""
LARGE_SHARE, CARELESS_SHARE = 0.15, 0.3
"""How many programs have numbers near the ends of machine words, and how many go wrong on purpose."""


class Program:
    """One program; `text` is a file that defines Model, CLAIMS, SIZES, DOMAINS and initial_states."""

    def __init__(self, seed: object, intruder: Intruder | None = None, large: bool | None = None) -> None:
        self.chance = chance = Random(f"{seed}")
        large = chance.random() < LARGE_SHARE if large is None else large
        self.declared = Declarations(chance, large)
        self.careless = chance.random() < CARELESS_SHARE
        self.world = World(chance, self.declared, 0.12 if self.careless else 0.0, large, intruder=intruder)
        self.model = self.declared.model
        self.bodies: dict[str, list[str]] = {"Model": [], "Base": [], "": []}
        self._write()

    def _write(self) -> None:
        chance, world = self.chance, self.world
        constants = ["LIMIT = 2", "LEVEL = 1", "SWITCH = True"]
        world.constants |= {"LIMIT": INT, "LEVEL": INT, "SWITCH": BOOL}
        for record in self.declared.records:
            self.bodies[record.text] = []
            for number in range(chance.randint(1, 2)):
                self._method(f"{record.text.lower()}_{number}", record, record.text)
        for number in range(chance.randint(1, 3)):
            self._method(f"function_{number}", None, "")
        for number in range(chance.randint(2, 5)):
            self._method(f"method_{number}", self.model, "Base")
        for number in range(chance.randint(2, 4)):
            self._action(f"act_{number}")
        self.claims = [self._claim(number) for number in range(chance.randint(4, 6))]
        parts = [HEAD, *constants, "\n", self.declared.text]
        for record in self.declared.records:
            parts += ["@dataclass", f"class {record.text}:", *indented(self.declared.fields_text(record))]
            parts += [*indented(self.bodies[record.text]), "\n"]
        parts += ["@dataclass", "class Base:", *indented(self.declared.fields_text(self.model))]
        parts += [*indented(self.bodies["Base"]), "\n", *self.bodies[""], "\n"]
        parts += ["class Model(Base):", *indented(self.bodies["Model"] or ["pass"]), "\n"]
        parts += [*self._initial_states(), "\n"]
        parts += ["CLAIMS = [", *indented([f"{c}," for c in self.claims if c]), "]", ""]
        self.text = "\n".join(parts)

    # -- methods -----------------------------------------------------------------------------------------------------
    def _returns(self, owner: Record | None) -> Returned:
        chance, declared = self.chance, self.declared
        scalars: list[Type] = [INT, INT, MAYBE, MAYBE, BOOL, BOOL, chance.choice(declared.enumerations)]
        roll = chance.random()
        if roll < 0.2:
            return None
        if roll < 0.32:
            return (INT, chance.choice(scalars))
        below = [p.type for p in paths(owner or self.model) if isinstance(p.type, Record) and p.type is not self.model]
        if below and roll < 0.42 and owner is not None:
            return chance.choice(below)  # type: ignore[return-value]
        if below and roll < 0.52 and owner is not None:
            return Fresh(chance.choice(below))  # type: ignore[arg-type]
        return chance.choice(scalars)

    def _parameters(self) -> list[tuple[str, Type, str]]:
        chance, out = self.chance, list[tuple[str, Type, str]]()
        names = chance.sample(["p", "q", "r", "LIMIT", "LEVEL"], 5)
        if chance.random() < 0.7:
            names.sort(key=str.isupper)
        for name in names[: chance.choice((0, 1, 1, 2, 3))]:
            kind = chance.choice([INT, INT, MAYBE, BOOL, *self.declared.enumerations, *self.declared.records])
            is_optional = not isinstance(kind, Record) and ((out and out[-1][2]) or chance.random() < 0.3)
            if isinstance(kind, Record) and out and out[-1][2]:
                continue
            out.append((name, kind, self.declared.literal(kind) if is_optional else ""))
        return out

    def _method(self, name: str, owner: Record | None, where: str) -> None:
        """A method or function, and sometimes one that overrides it and may call it."""
        changes = self.chance.random() < 0.65
        function = Function(name, owner, self._parameters(), self._returns(owner), changes)
        text = self._definition(function)
        self.bodies[where] += text
        if where == "Base" and self.chance.random() < 0.35:
            above = Function(f"super().{name}", None, function.parameters, function.returns, changes, function.weight)
            self.world.functions += [above] * 3
            self.bodies["Model"] += self._definition(function)
            del self.world.functions[-3:]
        if function.weight <= 40:
            self.world.functions.append(function)

    def _definition(self, function: Function) -> list[str]:
        known: dict[str, Type] = {"self": function.owner} if function.owner is not None else {}
        known |= {name: kind for name, kind, _ in function.parameters}
        names = Names(known, may_change=function.changes, allowance=[14])
        lines = self._shadow(names)
        body = Body(self.world, names, function.returns)
        lines += body.lines(self.chance.randint(1, 3)) or ["pass"]
        if function.returns is not None:
            lines.append(f"return {body.result()}")
        function.weight += 14 - names.allowance[0]
        parameters = ["self"] if function.owner is not None else []
        parameters += [f"{n}: {t.text}" + (f" = {d}" if d else "") for n, t, d in function.parameters]
        returned = {None: "None"}.get(function.returns, "object")  # type: ignore[arg-type]
        return [f"def {function.name}({', '.join(parameters)}) -> {returned}:", *indented(lines), ""]

    def _shadow(self, names: Names) -> list[str]:
        """A local with the name of a global."""
        name = self.chance.choice(list(self.world.constants))
        if self.chance.random() > 0.12 or name in names.known:
            return []
        value = Expressions(self.world, names).number(1)
        if name in value:
            return []
        names.known[name] = INT
        return [f"{name} = {value}"]

    # -- actions and claims ------------------------------------------------------------------------------------------
    def _action(self, name: str) -> None:
        chance = self.chance
        kinds: list[Type] = [BOOL, *self.declared.enumerations, *map(Number, self.declared.domains)]
        kinds += kinds[1:]
        parameters = [
            (n, chance.choice(kinds), "") for n in chance.sample(("x", "y", "z"), chance.choice((0, 1, 1, 2)))
        ]
        names = Names({"self": self.model, **{n: t for n, t, _ in parameters}}, may_change=False)
        asked = Expressions(self.world, names)
        lines = [f"require({asked.boolean(2)})" for _ in range(chance.choice((0, 1, 1, 2)))]
        if chance.random() < 0.25 and (found := asked._optional()):
            word = chance.choice(("require", "assert")) if self.careless else "require"
            lines.append(f"{word}({found} != NIL)")
            names.numbers.add(found)
        names.may_change = True
        lines += Body(self.world, names, None).lines(chance.randint(2, 4)) or ["pass"]
        signature = ", ".join(["self", *(f"{n}: {t.text}" for n, t, _ in parameters)])
        self.bodies["Base"] += [f'@action("user", "{name}")', f"def {name}({signature}) -> None:", *indented(lines), ""]
        if chance.random() < 0.15:
            more = Body(self.world, names.inner(), None).lines(1)
            call = f"super().{name}({', '.join(n for n, _, _ in parameters)})"
            head = [f'@action("user", "{name}")', f"def {name}({signature}) -> None:"]
            known = {"self", *(n for n, _, _ in parameters)}
            names.known = {n: t for n, t in names.known.items() if n in known}
            more = Body(self.world, names, None).lines(1)
            self.bodies["Model"] += [*head, *indented([call, *more]), ""]

    def _claim(self, number: int) -> str:
        chance, name = self.chance, f"claim_{number}"
        kind = chance.choice(("always", "always", "step", "step", "never", "sometimes"))
        if kind == "never":
            wanted = tuple(chance.sample(LINES, chance.randint(1, 2)))
            return f'("{name}", "never", None, {wanted!r}, "")'
        roots = ("before", "after") if kind == "step" else ("state",)
        names = Names(dict.fromkeys(roots, self.model), may_change=False)
        body = Body(self.world, names, BOOL)
        lines = body.lines(chance.choice((0, 0, 1, 2)))
        joined = " or " if kind == "always" and chance.random() < 0.6 else " and "
        if kind == "step":
            joined = " or "
        lines.append("return " + joined.join(body.expressions.boolean(2) for _ in range(chance.randint(1, 3))))
        self.bodies[""] += [f"def {name}({', '.join(f'{r}: Model' for r in roots)}) -> bool:", *indented(lines), "", ""]
        return f'("{name}", "{kind}", {name}, (), "")'

    def _initial_states(self) -> list[str]:
        """One state or several; what is constant is the same in all."""
        chance, common, lines = self.chance, list[str](), ["def initial_states():", f"{TAB}found = []"]
        scalars = [p for p in paths(self.model) if isinstance(p.type, type(BOOL) | Number | Enumeration)]

        def settings(constant: bool) -> list[str]:
            chosen = [p for p in scalars if p.constant == constant and chance.random() < 0.5]
            places = [(p, p.text.format(*(chance.randrange(n) for n in p.lengths))) for p in chosen]
            return [f"state{text} = {self.declared.literal(p.type)}" for p, text in places]

        common = settings(True)
        for _ in range(chance.choice((1, 1, 2, 3))):
            lines += indented(["state = make(Model, SIZES)", *common, *settings(False), "found.append(state)"])
        return [*lines, f"{TAB}return found"]


__all__ = ["BOUNDS", "Program"]
