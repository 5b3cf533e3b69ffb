"""Does a part of a large system behave as a small system by itself, whatever the rest does?

A `Part` says how the small system's state is to be read off the large one's. Shown, one transition at a time and for
all values of the variables, is a simulation: a step of the part, or of both at once, is the same step of the small
system, and any other step changes nothing that the small system has. Every run of the large system, seen from the
part, is then a run of the small one, which stands still meanwhile; so what holds in each step of the small system
holds for the part.

Z3 decides what is not equal on sight; where it gives up, nothing is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Graph, Node, transplant
from podproof.checker.core.shapes import hints_of
from podproof.checker.core.system import LoweredProperty, ModelError, System, Transition
from podproof.checker.lowering.actions import state_environment
from podproof.checker.lowering.context import FAILED, Execution
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.values import Ref, Typed
from podproof.checker.reductions.renaming import Names, renaming_of
from podproof.checker.reductions.symmetry import taken
from podproof.checker.solver.equivalence import Equivalence

_MILLISECONDS = 20_000
"""How long Z3 may think about one transition."""


@dataclass(frozen=True)
class Question:
    """A function of the model language, of a state and these numbers."""

    function: Callable[..., Any]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Numbering:
    """Names that are given out one after the other: `following` is the next one, and `counter` changes when it is."""

    following: Question
    counter: str
    domain: str


@dataclass(frozen=True)
class Part:
    """How a part of a large system reads as a small system. What is said here is assumed about nothing, but checked.

    `names` has for each size and domain the large system's number for each of the small one's. `seen` has the
    variables of the small system that are no plain copies. `counters` are the small system's own: how much of them is
    left has nothing to do with the large system's, and a step of the part that spends some is looked at only while
    some is left. `invariant` keeps the parts apart; it has to hold in the initial states and after every step.
    """

    names: Names
    seen: Mapping[str, Question]
    counters: frozenset[str]
    numbering: Numbering
    invariant: tuple[Question, ...]


def asked(system: System, question: Question) -> Node:
    """The answer as an expression over the variables of a system. Raises ModelError where it has none."""
    graph = system.graph
    context = Execution(graph, system.scope, state_environment(graph, system.shape, system.constants), read_only=True)
    numbers = (_typed(graph, number) for number in question.numbers)
    value = lower_function(context, question.function, None, Ref(((graph.true, ""),), system.shape), *numbers)
    if not isinstance(value, Typed) or context.when(FAILED) is not graph.false:
        raise ModelError(f"{question.function.__name__}: it has no answer in some states; give one on every path")
    return value.node


def _typed(graph: Graph, number: int) -> Typed:
    if isinstance(number, bool):
        return Typed(graph.boolean(number), bool)
    return Typed(graph.integer(number), int)


class Projection:
    """One part of a large system beside the small system that it is to be."""

    def __init__(self, large: System, small: System, part: Part) -> None:
        self.large, self.small, self.part, self.graph = large, small, part, large.graph
        self.now = {v.path: self.graph.variable(v.path, v.is_bool, v.low, v.high) for v in large.variables}
        self._renaming = renaming_of(small, part.names)
        self._leaves = state_environment(self.graph, large.shape, large.constants)
        self.counted = [v.path for v in small.variables if v.path in part.counters]
        self.copied = [v.path for v in small.variables if v.path not in part.counters]
        self.seen = {v.path: self._seen(v.path, v.is_bool, v.low, v.high) for v in small.variables}
        self._of = transplant(self.graph, variables=self.seen)
        self._steps: dict[int, Node] = {}
        self._where: dict[int, Node] = {}
        self._equivalence = Equivalence(_MILLISECONDS)
        self.invariant = self.graph.and_(*(asked(large, question) for question in part.invariant))
        self.images = tuple(self.image(t) for t in large.transitions)
        """For each of the large system's transitions, the small one's number of it, or None."""
        self._following = asked(large, part.numbering.following)
        self._own_following = self.of(asked(small, part.numbering.following))

    def _seen(self, path: str, is_bool: bool, low: int, high: int) -> Node:
        """A variable of the small system, as the large one has it."""
        if path in self.part.counters:
            return self.graph.variable(f"own {min(self.part.names['uids'])} {path}", is_bool, low, high)
        if path in self.part.seen:
            return asked(self.large, self.part.seen[path])
        there = self._leaves[self._renaming.paths.get(path, path)]
        # A name of the large system that is none of the part has no image; the invariant says that there is none here.
        return self._renamed(there, {b: a for a, b in enumerate(self._renaming.values.get(path, ()))})

    def _renamed(self, node: Node, images: Mapping[int, int]) -> Node:
        image = node
        for value, other in images.items():
            if value != other:
                image = self.graph.ite(self.graph.eq(node, self.graph.integer(value)), self.graph.integer(other), image)
        return image

    def of(self, node: Node) -> Node:
        """An expression over the small system's variables, over the large system's."""
        return self._of([node])[0]

    # -- one transition, by its number in the large system -------------------------------------------------------------

    def image(self, t: Transition) -> int | None:
        """The number of the small system's transition for one of the large system's; None for what others do."""
        fixed = {}
        for name, value in t.fixed.items():
            numbers = self.part.names.get(_domain(t, name), ())
            if numbers and value not in numbers:
                return None
            fixed[name] = numbers.index(value) if numbers else value
        if any(_domain(t, p.name) in self.part.names for p in t.free):
            raise ModelError(f"{t.action.line}: {t.action.name} chooses a name that indexes nothing; index with it")
        (image,) = (
            number
            for number, other in enumerate(self.small.transitions)
            if other.action.name == t.action.name and other.fixed.items() <= fixed.items()
        )
        return image

    def is_common(self, number: int) -> bool:
        """Is the step nobody's in particular?"""
        t = self.large.transitions[number]
        return not any(_domain(t, name) in self.part.names for name in t.fixed)

    def after(self, number: int) -> Mapping[str, Node]:
        """The large system's variables after a step, as expressions over those before it."""
        updates = self.large.transitions[number].updates
        return {path: updates.get(path, node) for path, node in self.now.items()}

    def assumption(self, number: int) -> Node:
        """Which runs are looked at: what the part spends it has, and names that are given out are the right ones."""
        graph, after, numbering = self.graph, self.after(number), self.part.numbering
        if self.is_common(number):
            return graph.true
        names = self.part.names[numbering.domain]
        keeps = graph.eq(after[numbering.counter], self.now[numbering.counter])
        if self.images[number] is None:
            return graph.or_(keeps, graph.and_(*(self._differ(self._following, name) for name in names)))
        mine = self._renamed(self._own_following, dict(enumerate(names)))
        spends = (
            graph.or_(graph.eq(after[path], self.now[path]), graph.lt(graph.integer(0), self.seen[path]))
            for path in self.counted
        )
        return graph.and_(graph.or_(keeps, graph.eq(self._following, mine)), *spends)

    def _differ(self, node: Node, name: int) -> Node:
        return self.graph.not_(self.graph.eq(node, self.graph.integer(name)))

    def stands_still(self, number: int) -> Node:
        """Does the step change nothing that the small system has?"""
        return self.graph.and_(*(self.graph.eq(self.seen[path], node) for path, node in self._seen_after(number)))

    def is_step(self, number: int) -> Node:
        """Is the step one of the small system, with the same effect?"""
        if number not in self._steps:
            self._steps[number] = self._is_step(number)
        return self._steps[number]

    def _is_step(self, number: int) -> Node:
        image = self.images[number]
        if image is None:
            return self.graph.false
        updates = self.small.transitions[image].updates
        same = (
            self.graph.eq(node, self.of(updates[path]) if path in updates else self.seen[path])
            for path, node in self._seen_after(number)
        )
        return self.graph.and_(self.of(taken(self.small.graph, self.small.transitions[image])), *same)

    def _seen_after(self, number: int) -> Iterator[tuple[str, Node]]:
        roots = [self.seen[path] for path in self.copied]
        return zip(self.copied, self.graph.substitute(roots, self.after(number)), strict=True)

    def conclusion(self, number: int) -> Node:
        """What has to be shown of a step."""
        if self.images[number] is None:
            return self.stands_still(number)
        step = self.is_step(number)
        return self.graph.or_(self.stands_still(number), step) if self.is_common(number) else step

    def where(self, number: int) -> Node:
        """The steps that are looked at."""
        if number not in self._where:
            taken_here = taken(self.graph, self.large.transitions[number])
            self._where[number] = self.graph.and_(taken_here, self.assumption(number), self.invariant)
        return self._where[number]

    def always(self, claim: Node, where: Node) -> bool:
        """Does the claim hold in every state of the large system in which `where` does?"""
        return self._equivalence.always_equal([(claim, self.graph.true)], where)

    # -- the proof -----------------------------------------------------------------------------------------------------

    def gaps(self) -> Iterator[str]:
        """What could not be shown; nothing when the part is the small system."""
        if not self._begins_alike():
            yield "the initial states differ"
        for number, t in enumerate(self.large.transitions):
            what, where = f"{t.action.name}({_arguments(t)})", self.where(number)
            if not self.always(self.conclusion(number), where):
                other = "no step for the others" if self.images[number] is None else "the step that it is by itself"
                yield f"{what} is not always {other}"
            if not self.always(self.graph.substitute([self.invariant], self.after(number))[0], where):
                yield f"{what} does not keep what keeps the parts apart"
            if not self.always(*self._faults(number)):
                yield f"{what} goes wrong where the same step by itself does not"

    def _faults(self, number: int) -> tuple[Node, Node]:
        """Where a step of the part goes wrong in the large system, it does in the small one."""
        t, image, graph = self.large.transitions[number], self.images[number], self.graph
        wrong = graph.and_(t.enabled, self.invariant, self.assumption(number), graph.or_(*t.faults.values()))
        if image is None:
            return graph.true, wrong
        return self.of(self.small.graph.or_(*self.small.transitions[image].faults.values())), wrong

    def _begins_alike(self) -> bool:
        """Free variables begin with any number on both sides, and are plain copies."""
        mine = {path: node for path, node in self.now.items() if path in self.large.free}
        for state in self.large.initial:
            numbers = zip(self.large.variables, state, strict=True)
            first = {v.path: self._constant(v.is_bool, n) for v, n in numbers if v.path not in mine}
            if self.graph.substitute([self.invariant], first)[0] is not self.graph.true:
                return False
            seen = self.graph.substitute([self.seen[path] for path in self.copied], first)
            if not any(self._is(seen, other) for other in self.small.initial):
                return False
        return True

    def _is(self, seen: Sequence[Node], state: Sequence[int]) -> bool:
        """Are these the values of a state of the small system?"""
        for path, node in zip(self.copied, seen, strict=True):
            if path in self.small.free:
                if str(node.value) not in self.large.free:
                    return False
            elif node is not self._constant(node.is_bool, state[self.small.index(path)]):
                return False
        return True

    def _constant(self, is_bool: bool, value: int) -> Node:
        return self.graph.boolean(bool(value)) if is_bool else self.graph.integer(value)


def _domain(t: Transition, parameter: str) -> str:
    metadata = getattr(hints_of(t.action.call)[parameter], "__metadata__", ())
    return next((item.name for item in metadata if type(item).__name__ == "Domain"), "")


def _arguments(t: Transition) -> str:
    shown = {p.name: p.show(t.fixed[p.name]) for p in t.action.parameters if p.name in t.fixed}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


# -- claims ------------------------------------------------------------------------------------------------------------


def carries_over(parts: Sequence[Projection], large: LoweredProperty, small: LoweredProperty) -> str:
    """Is a claim about the large system violated only where the same claim is, by one of its parts?

    The answer is empty, or says which step is in the way.
    """
    graph, always = parts[0].graph, parts[0].always
    if large.state is not None and small.state is not None:
        each = graph.and_(*(part.invariant for part in parts), *(part.of(small.state) for part in parts))
        return "" if always(large.state, each) else "a state"
    for number, violated in enumerate(large.steps or ()):
        if violated is not graph.false:
            where = graph.and_(*(part.where(number) for part in parts), violated)
            if not always(graph.or_(*_violations(parts, number, small)), where):
                return parts[0].large.transitions[number].action.name
    return ""


def _violations(parts: Sequence[Projection], number: int, small: LoweredProperty) -> Iterator[Node]:
    """For each part whose step it is: does the step violate the claim?"""
    for part in parts:
        if (image := part.images[number]) is not None:
            violated = part.of((small.steps or ())[image])
            yield part.graph.and_(violated, part.is_step(number)) if part.is_common(number) else violated
