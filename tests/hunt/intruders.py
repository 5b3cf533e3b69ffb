"""Constructs that are no part of the model language, or stand at its edge: one of them, somewhere in a program.

A program with one of them is refused, or means what it means in CPython. They are listed in strangers.txt, where
letters in braces stand for random expressions and ` | ` begins a new line:
{n} a number, {b} a bool, {e} a member of an enumeration, {w} a name for a number's field that may be written, {r} a
record's alias. A text that needs what a place does not have is not put there.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from tests.hunt.declarations import Number
from tests.hunt.expressions import Expressions


def _tables() -> dict[str, list[str]]:
    """The constructs by the kind of place where they can stand, and at `top` what they need."""
    sections = Path(__file__).with_name("strangers.txt").read_text(encoding="utf-8").split("== ")[1:]
    return {lines[0]: lines[1:] for section in sections if (lines := section.rstrip().split("\n"))}


TABLES = _tables()


class Stranger:
    """One construct from the tables; it goes to a place that is counted down to, or between the definitions."""

    def __init__(self, seed: object) -> None:
        self.chance = Random(f"stranger {seed}")
        self.kind = self.chance.choices(("number", "bool", "statement", "member", "bottom"), (4, 3, 6, 2, 2))[0]
        self.text = self.chance.choice(TABLES[self.kind])
        self.left = self.chance.randrange(60 if self.kind != "statement" else 25)
        self.used = False

    def expression(self, wanted: str, inner: Expressions) -> str | None:
        if self.kind != wanted or self.used:
            return None
        self.left -= 1
        if self.left > 0:
            return None
        text = self.filled(inner)
        return None if text is None else f"({text})"

    def statement(self, inner: Expressions) -> list[str]:
        if self.kind != "statement" or self.used:
            return []
        self.left -= 1
        if self.left > 0:
            return []
        text = self.filled(inner)
        if text is None:
            return []
        if "|" in text and ":" in text:
            first, *rest = (part.strip() for part in text.split(" | "))
            nested = ("return", "yield", "global", "case")
            return [first, *(f"    {part}" if part.startswith(nested) else part for part in rest)]
        return text.split("; ")

    def filled(self, inner: Expressions) -> str | None:
        """The text with random expressions put in; None where this place lacks what it needs."""
        self.used = True  # What is put in is of the language.
        chance, declared = inner.chance, inner.world.declared
        places = [inner.place(Number(d), 0, to_write=True) for d in declared.domains] if inner.names.may_change else []
        records = [r for kind in declared.records if (r := inner.place(kind, 0))]
        writable = [p for p in places if p and set(".[") & set(p)]
        fill = {
            "n": lambda: inner.number(1),
            "b": lambda: inner.boolean(1),
            "e": lambda: inner.member(declared.enumerations[0], 0),
            "w": lambda: chance.choice(writable),
            "r": lambda: chance.choice(records),
        }
        if ("{w}" in self.text and not writable) or ("{r}" in self.text and not records):
            self.used = False
            return None
        text = re.sub(r"(?<!\{)\{([nbewr])\}(?!\})", lambda hole: fill[hole[1]](), self.text)
        return text.replace("{{", "{").replace("}}", "}")

    def placed(self, text: str) -> str:
        """The whole program, with what the construct needs."""
        text = text.replace("LIMIT = 2\n", "\n".join([*TABLES["top"], "LIMIT = 2", ""]), 1)
        if self.kind == "bottom":
            text += self.text + "\n"
        if self.kind == "member":
            classes = re.findall(r"^class (\w+)(?:\(Base\))?:$", text, re.MULTILINE)
            chosen = self.chance.choice([c for c in classes if c not in ("COUNT",)])
            head = re.search(rf"^class {chosen}(\(Base\))?:$", text, re.MULTILINE)
            assert head is not None
            end = re.compile(r"^\S", re.MULTILINE).search(text, head.end())
            at = end.start() if end else len(text)
            lines = "".join(f"    {part}\n" if not part.startswith("def") or "@" in self.text else f"        {part}\n"
                            for part in self.text.split(" | "))  # fmt: skip
            if " | " not in self.text:
                lines = f"    {self.text}\n"
            text = text[:at].rstrip() + "\n" + lines + "\n\n" + text[at:]
        return text
