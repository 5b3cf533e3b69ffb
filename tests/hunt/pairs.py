"""Two versions of a small model at random, and what CPython says of them: they differ in one thing or two.

A version has its own numbers, initial state, actions, actors, ends of steps and claims. `PlainGraph` explores it as
plain Python objects and shares nothing with the checker; `alike` compares two of these by a bisimulation of its own.
"""

from __future__ import annotations

import importlib.util
import linecache
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from podproof.checker.core.shapes import Scope
from podproof.checker.core.system import Property, System
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import Disabled, OutOfBounds, record_lines

FIELDS = {"n": 3, "m": 2, "on": 1, "off": 1}
"""The fields with their greatest values; those up to 1 are bools."""
FAR = "far enough"
_TEXT = """from dataclasses import dataclass
from typing import Annotated

from podproof.checker.core.shapes import Values
from podproof.model.language import Domain, action, make, out_of_bounds, programmer_error, require

LIMIT = {limit}
SIZES = {{}}
DOMAINS = {{"n": Values((0, 1, 2, 3)), "m": Values((0, 1, 2))}}


def is_far(n: int) -> bool:
    return n > LIMIT


@dataclass
class Model:
    n: Annotated[int, Domain("n")]
    m: Annotated[int, Domain("m")]
    on: bool
    off: bool

{actions}

{claims}
def initial_states():
    state = make(Model, SIZES)
    {initial}
    return [state]


CLAIMS = [{names}]
"""


@dataclass(frozen=True)
class Act:
    """An action: its actor, its guard, where it is cut off, where it goes wrong, and what it does."""

    actor: str
    guard: str
    cut: str
    wrong: str
    lines: tuple[str, ...]
    takes: bool
    """Has it a parameter, `x`?"""


@dataclass(frozen=True)
class Said:
    """A claim."""

    kind: str
    body: str


@dataclass(frozen=True)
class Version:
    """One version of a model."""

    limit: int
    initial: Mapping[str, int]
    acts: tuple[Act, ...]
    claims: tuple[Said, ...]

    @property
    def text(self) -> str:
        actions = "\n".join(_action(i, act) for i, act in enumerate(self.acts))
        claims = "\n".join(_claim(i, said) for i, said in enumerate(self.claims) if said.kind != "never")
        initial = "\n    ".join(f"state.{name} = {_literal(name, value)}" for name, value in self.initial.items())
        names = ", ".join(
            f'("c{i}", "never", None, ("{said.body}",))'
            if said.kind == "never"
            else f'("c{i}", "{said.kind}", c{i}, ())'
            for i, said in enumerate(self.claims)
        )
        return _TEXT.format(limit=self.limit, actions=actions, claims=claims, initial=initial, names=names)


def _literal(name: str, value: int) -> str:
    return str(bool(value)) if FIELDS[name] == 1 else str(value)


def _action(number: int, act: Act) -> str:
    lines = [f"require({act.guard})"]
    lines += [f'if {act.cut}:\n            out_of_bounds("{FAR}")'] if act.cut else []
    lines += [f"assert not ({act.wrong})"] if act.wrong else []
    head = f'    @action("{act.actor}", "act {number}")\n    def act_{number}(self{", x: bool" if act.takes else ""}):'
    return "\n        ".join([head, *lines, *act.lines]) + "\n"


def _claim(number: int, said: Said) -> str:
    about = "before: Model, after: Model" if said.kind == "step" else "self: Model"
    return f"def c{number}({about}) -> bool:\n    return {said.body}\n\n"


class Maker:
    """Makes versions at random."""

    def __init__(self, seed: object, may_go_wrong: bool = True, may_be_others: bool = True) -> None:
        """May steps go wrong, and may a change make an action another actor's?"""
        self.chance, self.may_go_wrong, self.may_be_others = Random(f"pairs {seed}"), may_go_wrong, may_be_others

    def test(self, root: str = "self", extra: Collection[str] = ()) -> str:
        """A condition on one or two fields."""
        chance = self.chance
        one = [
            f"{root}.n {chance.choice(('==', '<', '>', '!='))} {chance.randint(0, 3)}",
            f"{root}.m {chance.choice(('==', '<', '>'))} {chance.randint(0, 2)}",
            f"{root}.on",
            f"not {root}.off",
            f"is_far({root}.n)",
            f"{root}.n < LIMIT",
            f"{root}.n > {root}.m",
            *extra,
        ]
        first, second = chance.choice(one), chance.choice(one)
        return chance.choice((first, f"{first} and {second}", f"{first} or {second}", f"not ({first})"))

    def act(self, takes: bool) -> Act:
        chance = self.chance
        extra = ("x", "not x") if takes else ()
        store = [
            "self.n = min(self.n + 1, 3)",
            "self.n = 0",
            "self.m = min(self.m + 1, 2)",
            "self.m = 0",
            "self.on = not self.on",
            "self.off = self.on",
            "self.off = True",
            "self.n = self.m",
            f"if {self.test(extra=extra)}:\n            self.m = min(self.n, 2)",
            f'if {self.test(extra=extra)}:\n            programmer_error("{chance.choice("ab")}")',
        ]
        return Act(
            chance.choice(("user", "worker")),
            " or ".join(self.test(extra=extra) for _ in range(chance.choice((1, 2, 3)))),
            self.test(extra=extra) if chance.random() < 0.25 else "",
            self.test(extra=extra) if self.may_go_wrong and chance.random() < 0.04 else "",
            tuple(chance.sample(store, chance.choice((1, 1, 2)))),
            takes,
        )

    def claim(self) -> Said:
        kind = self.chance.choice(("always", "always", "step", "step", "sometimes", "never"))
        if kind == "never":
            return Said(kind, self.chance.choice("ab"))
        if kind == "step":
            return Said(kind, f"{self.test('before')} or {self.test('after')}")
        return Said(kind, self.test())

    def version(self) -> Version:
        chance = self.chance
        initial = {name: chance.choice((0, 0, chance.randint(0, most))) for name, most in FIELDS.items()}
        acts = tuple(self.act(chance.random() < 0.3) for _ in range(chance.choice((3, 4, 5))))
        return Version(chance.randint(1, 2), initial, acts, tuple(self.claim() for _ in range(3)))

    def changed(self, version: Version, parts: Collection[str]) -> Version:
        """The same but for one of these parts."""
        chance = self.chance
        match part := chance.choice(sorted(parts)):
            case "limit":
                return replace(version, limit=3 - version.limit)
            case "initial":
                name = chance.choice(sorted(FIELDS))
                return replace(version, initial={**version.initial, name: chance.randint(0, FIELDS[name])})
            case "claims":
                at, claims = chance.randrange(len(version.claims)), list(version.claims)
                said = claims[at]
                if chance.random() < 0.5 or said.kind == "never":
                    claims[at] = self.claim()
                elif said.kind in ("always", "sometimes") and chance.random() < 0.4:
                    claims[at] = Said({"always": "sometimes"}.get(said.kind, "always"), said.body)
                else:
                    claims[at] = Said(said.kind, f"True or {said.body}")
                return replace(version, claims=tuple(claims))
            case "acts":
                at, acts = chance.randrange(len(version.acts)), list(version.acts)
                acts[at] = self._altered(acts[at])
                return replace(version, acts=tuple(acts))
            case _:
                raise AssertionError(part)

    def _altered(self, act: Act) -> Act:
        other = self.act(act.takes)
        if self.may_go_wrong and (act.cut or act.wrong) and self.chance.random() < 0.4:
            return replace(act, cut=act.wrong, wrong=act.cut)
        names = ["guard", "cut", "lines", "lines"]
        names += ["wrong"] * self.may_go_wrong + ["actor"] * self.may_be_others
        name = self.chance.choice(names)
        return replace(act, **{name: getattr(other, name)})


# -- what CPython says of a version ------------------------------------------------------------------------------------


@contextmanager
def loaded(*texts: str) -> Iterator[list[ModuleType]]:
    """The versions as modules, each from a file of its own, because the lowering reads source."""
    modules, names = [], [f"hunted_version_{i}" for i in range(len(texts))]
    with tempfile.TemporaryDirectory(prefix="hunt") as folder:
        try:
            for name, text in zip(names, texts, strict=True):
                path = Path(folder) / f"{name}.py"
                path.write_text(text, encoding="utf-8")
                spec = importlib.util.spec_from_file_location(name, path)
                assert spec is not None and spec.loader is not None
                module = sys.modules[name] = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                modules.append(module)
            yield modules
        finally:
            for name in names:
                sys.modules.pop(name, None)
            linecache.clearcache()


def lowered(module: ModuleType, name: str) -> tuple[System, tuple[Property, ...]]:
    """A version as podproof reads it, with its claims."""
    scope = Scope(module.SIZES, module.DOMAINS)
    about = (module.Model, name, "closed", "hunted", "", scope, module.initial_states(), record_lines)
    return lower_system(Description(*about)), tuple(Property(n, k, "", f, lines) for n, k, f, lines in module.CLAIMS)


Plain = tuple[Any, ...]
"""A state: the values of the fields."""
Event = tuple[str, str, bool | None]
"""An action, its actor, and its parameter."""


@dataclass
class PlainGraph:
    """All that is reachable in a version, or in two versions' states together."""

    module: ModuleType
    initial: Plain = ()
    steps: dict[Plain, dict[Event, Plain]] = field(default_factory=dict)
    """State -> the events that are taken there, and where they lead."""
    cuts: dict[Plain, set[Event]] = field(default_factory=dict)
    lines: dict[tuple[Plain, Event], frozenset[str]] = field(default_factory=dict)
    goes_wrong: bool = False
    depth: dict[Plain, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (tree,) = self.module.initial_states()
        self.initial = self.plain(tree)
        self.reach([self.initial])

    def reach(self, starts: list[Plain]) -> None:
        pending = [start for start in starts if start not in self.steps]
        self.depth.update(dict.fromkeys(pending, 0))
        self.steps.update({state: {} for state in pending})
        for state in pending:
            self.cuts[state] = set()
            for event in self._events():
                tree, arguments = self.tree(state), () if event[2] is None else (event[2],)
                with record_lines() as said:
                    try:
                        getattr(tree, event[0])(*arguments)
                    except Disabled:
                        continue
                    except OutOfBounds:
                        self.cuts[state].add(event)
                        continue
                    except AssertionError:
                        self.goes_wrong = True
                        continue
                after = self.plain(tree)
                self.steps[state][event], self.lines[state, event] = after, frozenset(said)
                if after not in self.steps:
                    self.steps[after], self.depth[after] = {}, self.depth[state] + 1
                    pending.append(after)

    def _events(self) -> Iterator[Event]:
        for name, method in vars(self.module.Model).items():
            if (about := getattr(method, "__action__", None)) is not None:
                takes = method.__code__.co_argcount > 1
                yield from ((name, about.actor, x) for x in ((False, True) if takes else (None,)))

    def plain(self, tree: Any) -> Plain:
        return tuple(getattr(tree, name) for name in FIELDS)

    def tree(self, state: Plain) -> Any:
        return self.module.Model(**dict(zip(FIELDS, state, strict=True)))

    # -- claims ----------------------------------------------------------------------------------------------------

    def breaks(self, claim: tuple[Any, ...], state: Plain, event: Event) -> bool:
        """Does a step break a claim? One about states is broken by a step out of a state where it holds."""
        _, kind, function, lines = claim
        after = self.steps[state][event]
        match kind:
            case "never":
                return bool(self.lines[state, event] & set(lines))
            case "step":
                return not function(self.tree(state), self.tree(after))
            case "always":
                return bool(function(self.tree(state))) and not function(self.tree(after))
        return False

    def status(self, claim: tuple[Any, ...]) -> str:
        _, kind, function, _ = claim
        if kind in ("always", "sometimes"):
            held = [bool(function(self.tree(state))) for state in self.steps]
            return "HOLDS" if (any(held) if kind == "sometimes" else all(held)) else "VIOLATED"
        return "VIOLATED" if any(self.breaks(claim, s, e) for s in self.steps for e in self.steps[s]) else "HOLDS"


def alike(graphs: tuple[PlainGraph, PlainGraph], seen: Collection[str]) -> bool:
    """Can each follow the other for ever, and shows the same in these fields? A step that is cut off is seen, too."""
    places = [i for i, name in enumerate(FIELDS) if name in seen]
    blocks = {
        (side, state): (tuple(state[i] for i in places), frozenset(graph.cuts[state]))
        for side, graph in enumerate(graphs)
        for state in graph.steps
    }
    count = 0
    while count != (count := len(set(blocks.values()))):
        numbers = {block: i for i, block in enumerate(dict.fromkeys(blocks.values()))}
        blocks = {
            (side, state): (
                numbers[block],
                frozenset((event, numbers[blocks[side, after]]) for event, after in graphs[side].steps[state].items()),
            )
            for (side, state), block in blocks.items()
        }
    return blocks[0, graphs[0].initial] == blocks[1, graphs[1].initial]
