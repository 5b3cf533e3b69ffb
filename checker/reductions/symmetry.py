"""Symmetry: states that differ only by an exchange of interchangeable names (pods) count as one.

Nothing is taken on trust. A renaming that somebody proposes is used only if it maps the initial states to themselves
and every transition to a transition that does the same in the renamed state, for all values of the variables: proved by
bringing both to one normal form, or by Z3. A claim that tells the names apart is put for all of them at once: some
state violates it if and only if some renamed state does, since with a state all its images are reachable.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from podproof.checker.core.graph import Expr, Graph, Op, Rewriter, operands, substitution
from podproof.checker.core.shapes import FixedArray, Record, Scalar, Shape, join
from podproof.checker.core.system import AFTER, LoweredProperty, Outcome, State, System, Transition
from podproof.checker.solver.equivalence import Equivalence

# -- renamings ---------------------------------------------------------------------------------------------------------


Names = Mapping[str, tuple[int, ...]]
"""By the name of a size or a domain: the number that takes each number's place. NIL and other names stay."""


@dataclass(frozen=True)
class Renaming:
    """An exchange of names: the image of a state has at `paths[p]` what the state has at `p`, renamed as `values` say.

    A variable that no mapping has stays where it is; so does a value.
    """

    names: Names
    paths: Mapping[str, str]
    values: Mapping[str, tuple[int, ...]]
    """The renamed values, by value, of each variable whose value is itself a name."""
    transitions: tuple[int, ...] = ()
    """Which transition does in the image what each of the system's transitions does in the state."""

    def value(self, path: str, value: int) -> int:
        """What the image has where a state has this value at a path."""
        renamed = self.values.get(path, ())
        return renamed[value] if 0 <= value < len(renamed) else value

    def of_variables(self, variables: Mapping[str, int]) -> dict[str, int]:
        """The image of a state, by path."""
        return {self.paths.get(path, path): self.value(path, value) for path, value in variables.items()}

    def of_state(self, system: System, state: State) -> State:
        variables = {v.path: value for v, value in zip(system.variables, state, strict=True)}
        image = self.of_variables(variables)
        return tuple(image[v.path] for v in system.variables)

    def seen_from(self, graph: Graph, variables: Mapping[str, Expr]) -> dict[str, Expr]:
        """The value of each variable of the image, as an expression over the state."""
        return {self.paths.get(path, path): self.of_value(graph, path, node) for path, node in variables.items()}

    def of_value(self, graph: Graph, path: str, node: Expr) -> Expr:
        """The value that the image has where the state has the value `node` at `path`."""
        return rename(graph, node, dict(enumerate(self.values.get(path, ()))))


def rename(graph: Graph, node: Expr, images: Mapping[int, int]) -> Expr:
    """The number that takes the place of the one that `node` is; those without an image stay."""
    image = node
    for value, other in images.items():
        if other != value:
            image = graph.ite(graph.eq(node, graph.integer(value)), graph.integer(other), image)
    return image


def renaming_of(system: System, names: Names) -> Renaming:
    """What exchanging names means for the variables of a system, as the annotations of its records say."""
    paths, values = {}, {}
    for path, image, renamed in _leaves(system.shape, names, "", ""):
        if image != path:
            paths[path] = image
        if renamed:
            values[path] = renamed
    return Renaming(names, paths, values)


def _leaves(shape: Shape, names: Names, path: str, image: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Every leaf of a shape: its path, the path that it goes to, and how its values are renamed."""
    match shape:
        case FixedArray():
            for i, j in enumerate(names.get(shape.size, range(shape.length))):
                yield from _leaves(shape.element, names, f"{path}[{i}]", f"{image}[{j}]")
        case Record():
            for name, field in shape.fields.items():
                yield from _leaves(field, names, join(path, name), join(image, name))
        case Scalar():
            yield path, image, names.get(shape.domain, ())


def counterpart(transitions: Sequence[Transition], t: Transition, names: Names) -> int | None:
    """The number of the transition that has the renamed parameters; None when names are chosen within a transition."""
    fixed = {}
    for parameter in t.action.parameters:
        if parameter.name in t.fixed:
            value, renamed = t.fixed[parameter.name], names.get(parameter.scalar.domain, ())
            fixed[parameter.name] = renamed[value] if 0 <= value < len(renamed) else value
        elif parameter.scalar.domain in names:
            return None
    for number, other in enumerate(transitions):
        if other.action is t.action and other.fixed == fixed:
            return number
    return None


def compose(second: Names, first: Names) -> dict[str, tuple[int, ...]]:
    """First one exchange of names, then another."""
    return {name: tuple(second[name][i] for i in images) for name, images in first.items()}


def generated_by(generators: Sequence[Names]) -> list[dict[str, tuple[int, ...]]]:
    """Every exchange of names that some of these make together, the one that changes nothing first."""
    if not generators:
        return []
    unchanged = {name: tuple(range(len(images))) for name, images in generators[0].items()}
    found = [unchanged]
    for names in found:
        found += [new for g in generators if (new := compose(g, names)) not in found]
    return found


# -- symmetry ----------------------------------------------------------------------------------------------------------


_MILLISECONDS = 5_000
"""How long Z3 may think about one transition."""

STATES_STOOD_FOR = "states stood for"
"""Counted by an engine as if it were a bound: how many states there are when renamings do not count as one."""

Pair = tuple[Expr, Expr]


@dataclass(frozen=True)
class Quotient(System):
    """A system of which an engine needs to visit one state only of all that are renamings of each other."""

    renamings: tuple[Renaming, ...] = ()
    """All renamings but the identity."""


class NotSymmetric(Exception):
    """A proposed renaming could not be shown to change nothing that matters; the message says what it was."""


def renamings_of(system: System) -> tuple[Renaming, ...]:
    """The renamings under which an engine may count states as one."""
    return system.renamings if isinstance(system, Quotient) else ()


def quotient(
    system: System, properties: Sequence[LoweredProperty], generators: Sequence[Names]
) -> tuple[Quotient, tuple[LoweredProperty, ...]]:
    """The quotient of a system by these renamings and all that they make together, with claims that fit it.

    Raises NotSymmetric for a renaming that is none of the system.
    """
    shown = [_Proof(system, names) for names in generators]
    for proof in shown:
        proof.of_system()
    renamings = tuple(_renaming(system, names) for names in generated_by(generators)[1:])
    fields = {field.name: getattr(system, field.name) for field in dataclasses.fields(System)}
    claims = []
    for p in properties:
        same = all(proof.of_claim(p) for proof in shown)
        claims.append(p if same else _for_every_name(system, p, renamings))
    return Quotient(**fields, renamings=renamings), tuple(claims)


def _renaming(system: System, names: Names) -> Renaming:
    """The renaming with its transitions. Raises NotSymmetric when there are none that fit."""
    images = []
    for t in system.transitions:
        image = counterpart(system.transitions, t, names)
        if image is None:
            raise NotSymmetric(f"{t.action.name} chooses a name by itself")
        images.append(image)
    return dataclasses.replace(renaming_of(system, names), transitions=tuple(images))


class _Proof:
    """Shows that one renaming changes nothing."""

    def __init__(self, system: System, names: Names) -> None:
        self.system, self.graph = system, system.graph
        self.renaming = _renaming(system, names)
        self.variables, after = (
            {v.path: nodes[prefix + v.path] for v in system.variables if v.low < v.high}
            for prefix in ("", AFTER)
            for nodes in [system.nodes(prefix)]
        )
        seen = self.renaming.seen_from(self.graph, self.variables)
        seen |= {AFTER + path: node for path, node in self.renaming.seen_from(self.graph, after).items()}
        self._normal = Rewriter(self.graph, partial(_normal, self.graph))
        self._from_image = substitution(self.graph, seen)
        self._equivalence = Equivalence(_MILLISECONDS)

    def normal(self, node: Expr) -> Expr:
        """An equal expression, the same for any order of the parts of each `and`, `or` and `==`."""
        return self._normal([node])[0]

    def from_image(self, node: Expr) -> Expr:
        """The value that an expression has in the image of a state."""
        return self._from_image([node])[0]

    def of_system(self) -> None:
        """Raises NotSymmetric where the renaming changes what happens."""
        for state in self.system.initial:
            if self.renaming.of_state(self.system, state) != state:
                raise NotSymmetric("the initial state tells them apart")
        ranges = {v.path: (v.low, v.high) for v in self.system.variables}
        if any(ranges[path] != ranges[self.renaming.paths.get(path, path)] for path in ranges):
            raise NotSymmetric("their variables have different ranges")
        for t, image in zip(self.system.transitions, self.renaming.transitions, strict=True):
            if not self.equal(self.of_transition(t, self.system.transitions[image])):
                raise NotSymmetric(f"{t.action.name} treats them differently")

    def of_transition(self, t: Transition, image: Transition) -> Iterator[Pair]:
        """What has to be equal for `image` to do in the renamed state what `t` does in the state."""
        if t.bounds.keys() != image.bounds.keys() or t.lines.keys() != image.lines.keys():
            yield self.graph.true, self.graph.false
            return
        for outcome in Outcome:
            yield t.when(outcome, self.graph), self.from_image(image.when(outcome, self.graph))
        cut_off, taken = (t.when(outcome, self.graph) for outcome in (Outcome.CUT_OFF, Outcome.TAKEN))
        for condition, mine, other in ((cut_off, t.bounds, image.bounds), (taken, t.lines, image.lines)):
            yield from self.where(condition, [(node, self.from_image(other[name])) for name, node in mine.items()])
        yield from self.where(taken, self.of_updates(t, image))

    def of_updates(self, t: Transition, image: Transition) -> Iterator[Pair]:
        for path, variable in self.variables.items():
            there = self.renaming.paths.get(path, path)
            if path not in t.updates and there not in image.updates:
                continue
            after = self.renaming.of_value(self.graph, path, t.updates.get(path, variable))
            yield after, self.from_image(image.updates.get(there, self.variables[there]))

    def of_claim(self, p: LoweredProperty) -> bool:
        """Does the claim say the same of a state, or a step, and of its image?"""
        if p.both is not None and self.equal([(p.both, self.from_image(p.both))]):
            return True
        if p.state is not None:
            return self.equal([(p.state, self.from_image(p.state))])
        steps = p.steps or ()
        return all(
            self.equal(self.where(t.when(Outcome.TAKEN, self.graph), [(mine, self.from_image(steps[image]))]))
            for t, mine, image in zip(self.system.transitions, steps, self.renaming.transitions, strict=True)
        )

    def where(self, condition: Expr, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The pairs, weakened so that they need to be equal under the condition only."""
        for a, b in pairs:
            a, b = self.normal(a), self.normal(b)
            if a is not b:
                yield (a, self.graph.ite(condition, b, a))

    def equal(self, pairs: Iterable[Pair]) -> bool:
        return self._equivalence.always_equal([(self.normal(a), self.normal(b)) for a, b in pairs], self.graph.true)


def _normal(graph: Graph, node: Expr, args: Sequence[Expr]) -> Expr | None:
    match node.op:
        case Op.AND | Op.OR:
            parts = sorted({p for a in args for p in operands(node.op, a)}, key=lambda part: part.number)
            return graph.and_(*parts) if node.op is Op.AND else graph.or_(*parts)
        case Op.EQ:
            return graph.eq(*sorted(args, key=lambda part: part.number))
    return None


def _for_every_name(system: System, p: LoweredProperty, renamings: Sequence[Renaming]) -> LoweredProperty:
    """The claim, put for a state and for all its images at once."""
    graph = system.graph
    views = [renaming.seen_from(graph, system.nodes()) for renaming in renamings]
    if p.state is not None:
        images = [graph.substitute([p.state], view)[0] for view in views]
        join = graph.or_ if p.property.is_witnessed else graph.and_
        return LoweredProperty(p.property, state=join(p.state, *images))
    steps = []
    for number, violated in enumerate(p.steps or ()):
        there = [(p.steps or ())[renaming.transitions[number]] for renaming in renamings]
        images = [graph.substitute([node], view)[0] for node, view in zip(there, views, strict=True)]
        steps.append(graph.or_(violated, *images))
    return LoweredProperty(p.property, steps=tuple(steps))
