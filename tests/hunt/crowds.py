"""Systems of two to four pods of two kinds at random, which look at each other, and what their members say of them.

A pod's steps are its own but for what the generator puts in now and then: a look at another pod in a guard, an
assertion, a bound or an effect, a step of two pods at once, or one of no pod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import ModuleType

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Exploration, Limits, ModelError, OutOfRange, Property, Status, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.locality import Abstraction, Simulation, carries_over, untaken_alike
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.model.language import NIL, record_lines

MOST_STATES = 60_000
_TEXT = """\
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.language import (
    CONSTANT, NIL, Array, Domain, Size, action, make, out_of_bounds, programmer_error, require,
)

Uid = Annotated[int, Domain("uids")]
Count = Annotated[int, Domain("counts")]


class Kind(Enum):
    PLAIN = "plain"
    STATIC = "static"


@dataclass
class Pod:
    kind: Annotated[Kind, CONSTANT]
    up: bool
    count: Count
    friend: Annotated[int, Domain("optional_uids", default=NIL)]


@dataclass
class Model:
    pods: Annotated[Array[Pod], Size("uids")]
    marks: Annotated[Array[bool], Size("uids")]
    shared: bool

    def another_is_up(self, uid: int) -> bool:
        for other in range(len(self.pods)):
            if other != uid and self.pods[other].up:
                return True
        return False

    def another_counts(self, uid: int, least: int) -> bool:
        for other in range(len(self.pods)):
            if other != uid and self.pods[other].count >= least:
                return True
        return False

    def up(self) -> int:
        number = 0
        for uid in range(len(self.pods)):
            if self.pods[uid].up:
                number += 1
        return number

    def check(self, uid: int) -> None:
        assert not self.another_is_up(uid)

{actions}
{claims}
KINDS = [{kinds}]


def initial_state(kinds):
    state = make(Model, {{"uids": len(kinds)}})
    for uid, kind in enumerate(kinds):
        state.pods[uid].kind = kind
        state.pods[uid].count = {static_count} if kind == Kind.STATIC else {plain_count}
    return state


def initial_states():
    return [initial_state(KINDS)]


CLAIMS = [{names}]
"""


class Maker:
    """Writes one system."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def some(self, chance: float) -> bool:
        return self.random.random() < chance

    def text(self) -> str:
        kinds = ["Kind.PLAIN", "Kind.STATIC"] + [self.one("Kind.PLAIN", "Kind.STATIC") for _ in range(2)]
        kinds = kinds[: self.random.choice((2, 2, 3, 4))]
        if self.some(0.3):
            kinds = [kinds[0]] * len(kinds)
        actions = [self.method(0, "uid: Uid", ["require(not self.pods[uid].up)", "self.pods[uid].up = True"])]
        actions += [self.own(number) for number in range(1, self.random.randint(2, 3))]
        actions.append(self.odd(len(actions)))
        claims = [self.claim(number) for number in range(3)]
        return _TEXT.format(
            actions="\n".join(actions),
            claims="\n".join(text for text, _ in claims),
            names=", ".join(f'("c{number}", "{kind}", c{number})' for number, (_, kind) in enumerate(claims)),
            kinds=", ".join(kinds),
            static_count=self.random.randint(0, 2),
            plain_count=self.random.randint(0, 1),
        )

    # -- what is asked, of the pod `pod` with the number `uid` -----------------------------------------------------

    def asked(self) -> str:
        """A condition about the pod itself, or about nobody."""
        limit = self.random.randint(0, 2)
        plain = (
            "pod.up",
            f"pod.count {self.one('<', '==', '>')} {limit}",
            f"pod.kind == Kind.{self.one('PLAIN', 'STATIC')}",
            "self.marks[uid]",
            f"pod.friend {self.one('==', '!=')} {self.one('NIL', 'uid')}",
        )
        condition = self.one(*plain) if self.some(0.9) else "self.shared"
        return f"not ({condition})" if self.some(0.3) else condition

    def look(self) -> str:
        """A condition about others, or about all."""
        return self.one(
            "self.another_is_up(uid)",
            f"self.another_counts(uid, {self.random.randint(1, 2)})",
            f"self.up() {self.one('>', '==')} {self.random.randint(1, 2)}",
            "pod.friend != NIL and pod.friend != uid",
        )

    # -- what is done ------------------------------------------------------------------------------------------------

    def effect(self) -> str:
        """An assignment to the pod."""
        if self.some(0.03):
            return self.one("self.shared = pod.up", "self.shared = not self.shared")
        amount = self.one("+= 1", "-= 1") if self.some(0.15) else f"= {self.random.randint(0, 2)}"
        if self.some(0.4):
            amount = "= min(pod.count + 1, 2)"
        return self.one(
            f"pod.up = {self.one('True', 'False', 'not pod.up')}",
            f"pod.count {amount}",
            "self.marks[uid] = True",
            f"pod.friend = {self.one('NIL', 'uid')}",
        )

    def own(self, number: int) -> str:
        """A step of one pod, which it could take by itself; at times with a look at others where that is not seen."""
        free = self.some(0.3)
        lines = [f"require({self.asked()})"]
        if self.some(0.04):
            lines.append(f"require({self.look()})")
        lines += [self.effect() for _ in range(self.random.randint(1, 2))]
        if free:
            lines.append("if more:\n            " + self.effect())
        if self.some(0.25):
            lines.append(self.end(self.asked() if self.some(0.7) else self.look()))
        if self.some(0.02):
            lines.append(f"if {self.look()}:\n            {self.effect()}")
        return self.method(number, "uid: Uid" + (", more: bool" if free else ""), ["pod = self.pods[uid]", *lines])

    def end(self, condition: str) -> str:
        """Something that ends a step, or may be claimed not to happen, under a condition."""
        what = self.one(
            "assert False",
            'out_of_bounds("too much")',
            'out_of_bounds("others")',
            "pod.count += 3",
            "self.check(uid)",
        )
        if self.some(0.2):
            return f"assert not ({condition})"
        return f"if {condition}:\n            {what}"

    def odd(self, number: int) -> str:
        """A step that mostly comes to nothing: it is wrong, cut off, or not possible, and that may hang on others."""
        where = self.random.random()
        if where < 0.75:
            lines = ["pod = self.pods[uid]", f"require({self.asked()})"]
            if self.some(0.4):
                lines.append(f"require({self.look()})")
            return self.method(number, "uid: Uid", [*lines, *self.nothing("uid")])
        if where < 0.9:
            lines = [
                "pod = self.pods[uid]",
                f"require(uid {self.one('!=', '!=', '==')} other and {self.asked()})",
                f"require(self.pods[other].{self.one('up', 'count > 0')})",
            ]
            return self.method(number, "uid: Uid, other: Uid", [*lines, *self.nothing("uid")])
        lines = [f"require(self.up() {self.one('>', '==')} {self.random.randint(1, 2)})"]
        return self.method(number, "", [*lines, self.one("assert False", 'out_of_bounds("many")', "pass")])

    def nothing(self, uid: str) -> Iterator[str]:
        """What changes nothing, in one way or another; at times it does change something."""
        if self.some(0.1):
            what = self.one("assert False", 'out_of_bounds("others")')
            yield f"if {self.look()}:\n            {what}"
        yield self.one(
            "assert False",
            'out_of_bounds("others")',
            'out_of_bounds("too much")',
            f"self.check({uid})",
            f"self.pods[{uid}].count = 7",
            self.effect(),
            self.effect(),
        )

    def method(self, number: int, parameters: str, lines: Sequence[str]) -> str:
        names = "".join(f" {{{part.partition(':')[0].strip()}}}" for part in parameters.split(",") if part)
        given = f", {parameters}" if parameters else ""
        body = "".join(f"        {line}\n" for line in lines)
        return f'    @action("pods", "a{number}{names}")\n    def a{number}(self{given}) -> None:\n{body}'

    # -- what is claimed ---------------------------------------------------------------------------------------------

    def claim(self, number: int) -> tuple[str, str]:
        """A claim about each pod, or about two of them, and its kind."""
        loop = "    for uid in range(len({0}.pods)):\n        pod = {0}.pods[uid]\n"
        if self.some(0.3):
            kept = self.one("after.pods[uid].count >= pod.count", "not pod.up or after.pods[uid].up")
            head = f"\ndef c{number}(before: Model, after: Model) -> bool:\n" + loop.format("before")
            return f"{head}        if not ({kept}):\n            return False\n    return True\n", "step"
        wrong = f"{self.asked()} and {self.asked()}".replace("self.", "state.")
        if self.some(0.2):
            wrong = self.look().replace("self.", "state.")
        head = f"\ndef c{number}(state: Model) -> bool:\n" + loop.format("state")
        return f"{head}        if {wrong}:\n            return False\n    return True\n", "always"


# -- both ways of deciding it ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decided:
    """What is said of a system: `kind` is explored, goes wrong, open or endless."""

    kind: str
    holds: frozenset[str] = frozenset()
    """The claims that are said to hold."""
    bounds: frozenset[str] = frozenset()
    why: Sequence[str] = field(default=(), compare=False)

    def contradicted_by(self, whole: Decided) -> str:
        """What is wrong in what the members say, where all of it was explored too; empty for nothing."""
        if self.kind != "explored" or whole.kind == "endless":
            return ""
        if whole.kind == "goes wrong":
            return "the whole goes wrong, and no member does"
        if beyond := whole.bounds - self.bounds:
            return f"bounds that no member meets: {', '.join(sorted(beyond))}"
        if wrong := self.holds - whole.holds:
            return f"said to hold, and violated: {', '.join(sorted(wrong))}"
        return ""


def lowered(module: ModuleType, kinds: Sequence[object]) -> tuple[System, list[Property]]:
    """The system of pods of these kinds, and its claims."""
    uids = tuple(range(len(kinds)))
    domains = {
        "uids": Values(uids),
        "optional_uids": Values((NIL, *uids), {NIL: "nil"}),
        "counts": Values((0, 1, 2)),
    }
    scope, state = Scope({"uids": len(kinds)}, domains), module.initial_state(kinds)
    system = lower_system(Description(module.Model, "test", "closed", "crowd", "", scope, [state], record_lines))
    return system, [Property(name, kind, "", function) for name, kind, function in module.CLAIMS]


def explored(system: System, claims: Sequence[Property]) -> Decided:
    """By going through all states."""
    try:
        found = Compiled().run(system, lower_properties(system, claims), limits=Limits(MOST_STATES))
    except OutOfRange as error:
        return Decided("goes wrong", why=(str(error),))
    return _decided(found)


def _decided(found: Exploration) -> Decided:
    holds = frozenset(v.property.id for v in found.verdicts if v.status is Status.HOLDS)
    return Decided("explored" if found.complete else "endless", holds, frozenset(found.bounds_hit))


def by_members(module: ModuleType, untaken: Callable[[Sequence[Simulation]], Iterator[str]] = untaken_alike) -> Decided:
    """By each member alone, and the proof that it does among the others what it does by itself."""
    large, claims = lowered(module, module.KINDS)
    alone: Mapping[object, System] = {kind: lowered(module, [kind])[0] for kind in module.KINDS}
    found = {kind: explored(system, claims) for kind, system in alone.items()}
    if any(one.kind == "goes wrong" for one in found.values()):
        return Decided("goes wrong")
    try:
        parts = [
            Simulation(large, alone[kind], Abstraction({"uids": (uid,), "optional_uids": (uid,)}, {}, ()))
            for uid, kind in enumerate(module.KINDS)
        ]
    except ModelError as error:
        return Decided("open", why=(str(error),))
    if gaps := [*(gap for part in parts for gap in part.gaps()), *untaken(parts)]:
        return Decided("open", why=gaps)
    smalls = zip(*(lower_properties(part.small, claims) for part in parts), strict=True)
    pairs = zip(lower_properties(large, claims), smalls, strict=True)
    carried = {mine.property.id for mine, theirs in pairs if not carries_over(parts, mine, theirs)}
    holds = frozenset(carried).intersection(*(one.holds for one in found.values()))
    return Decided("explored", holds, frozenset().union(*(one.bounds for one in found.values())))
